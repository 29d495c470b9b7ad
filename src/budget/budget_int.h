/* Internals of the budget folder. */
#ifndef VESPER_BUDGET_INT_H
#define VESPER_BUDGET_INT_H

#include "vesper/budget.h"

/* The index of the new limit that continues all[old]; limit_count: none. */
size_t budget_match_limit(const struct budget_limit *all, size_t old,
			  const struct budget_settings *now);

#endif
