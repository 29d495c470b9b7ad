/* What a turn may still spend on models, and how it says so when that is nothing. */
#include "turn_int.h"
#include "vesper/json.h"

bool turn_budget_used_up(struct turn *t)
{
	struct budget_state state;

	return llm_budget_state(t->all->llm, &t->payer, &state) && state.used_percent >= 100;
}

bool turn_may_ask_model(struct turn *t)
{
	return llm_usable(t->all->llm) && !turn_budget_used_up(t);
}

/* Agents that find out by themselves need a model, and nothing else would be done. */
bool turn_plan_unaffordable(struct turn *t, const struct plan *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->tasks[i].tool)
			return false;
	return llm_usable(t->all->llm) && !llm_affordable(t->all->llm, &t->payer, LLM_AGENT);
}

enum turn_state turn_end_quota(struct turn *t)
{
	struct err e;

	err_set(&e, ERR_QUOTA, "the budget is used up");
	turn_end_error(t, &e);
	for (size_t i = 0; i < t->may.domain_count && i < 3; i++) {
		const struct domain_def *d = t->may.domains[i];

		if (!d->examples || !d->examples[0])
			continue;
		json_push_take(t->suggestions, json_make({"label", json_str(d->examples[0])},
							 {"question", json_str(d->examples[0])},
							 {"priority", json_str("secondary")}));
	}
	return TURN_FAILED;
}
