/* Shared inside budget only. */
#ifndef VESPER_BUDGET_INT_H
#define VESPER_BUDGET_INT_H

#include "vesper/budget.h"

/* The place among the limits of now that goes on with all[old]; limit_count: none does. */
size_t budget_place(const struct budget_limit *all, size_t old, const struct budget_settings *now);

#endif
