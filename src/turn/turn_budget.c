/* What a turn does when its budget is too small for model calls. */
#include "turn_int.h"

#include "vesper/json.h"

/* True only if every task is an agent's loop, which needs a model. */
bool turn_plan_unaffordable(struct turn *t, const struct plan *p)
{
	struct llm *llm = t->answers.llm;

	for (size_t i = 0; i < p->count; i++)
		if (p->tasks[i].tool || p->tasks[i].ask)
			return false;
	return llm_is_usable(llm) && !llm_is_affordable(llm, &t->answer.budget_owner, LLM_AGENT);
}

enum turn_state turn_end_quota(struct turn *t)
{
	const struct catalog_view *may = &t->core.may;
	struct err e;

	err_set(&e, ERR_QUOTA, "the budget is used up");
	turn_end_error(t, &e);
	for (size_t i = 0; i < may->domain_count && i < SUGGEST_MAX; i++) {
		const char *const *examples = may->domains[i]->examples;

		if (examples && examples[0])
			suggest_add_with_priority(&t->for_dialog, examples[0], examples[0], false);
	}
	return TURN_FAILED;
}
