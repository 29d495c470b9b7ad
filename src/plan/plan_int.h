/* Inside the plan folder: conditions, once they are read. */
#ifndef PLAN_INT_H
#define PLAN_INT_H

#include "vesper/limits.h"
#include "vesper/plan.h"

enum plan_compare {
	COMPARE_ABOVE,
	COMPARE_FROM,
	COMPARE_BELOW,
	COMPARE_UP_TO,
	COMPARE_SAME,
	COMPARE_OTHER,
};

/* One comparison: what a reference gives, against a value. */
struct plan_term {
	struct ref ref;
	enum plan_compare compare;
	const char *value;
};

struct plan_condition {
	struct plan_term terms[PLAN_TERMS_MAX]; /* all must be met */
	size_t count;
};

/* ERR_INPUT: this is no condition. */
MUST_CHECK bool plan_condition_read(const char *text, struct arena *a, struct plan_condition *out,
				    struct err *e);
/* False also where a reference finds nothing. */
bool plan_condition_met(const struct plan_condition *c, const struct ref_scope *s, struct arena *a);

#endif
