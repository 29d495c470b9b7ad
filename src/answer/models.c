/* The turn's remaining model budget and the usage of its calls. */
#include "vesper/answer.h"

bool answer_budget_used_up(const struct answer_turn *t)
{
	struct budget_state state;

	return llm_budget_state(t->options->llm, &t->answer->budget_owner, &state) &&
	       state.used_percent >= 100;
}

bool answer_may_ask_model(const struct answer_turn *t)
{
	return llm_is_usable(t->options->llm) && !answer_budget_used_up(t);
}

void answer_set_out_of_budget(struct answer_turn *t)
{
	t->answer->out_of_budget = true;
}

void answer_count_calls(struct answer_turn *t, enum llm_role role, int64_t calls)
{
	t->answer->calls[role] += calls;
}

void answer_add_usage(struct answer_turn *t, enum llm_role role, const struct llm_usage *usage)
{
	llm_usage_add(&t->answer->usage[role], usage);
}
