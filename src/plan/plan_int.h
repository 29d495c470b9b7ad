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

enum term_kind {
	TERM_COMPARE, /* what the reference gives, against the value */
	TERM_IN,      /* it is one of the values */
	TERM_MISSING, /* no value of a filter stands */
};

struct plan_term {
	enum term_kind kind;
	struct ref ref;
	enum plan_compare compare;
	const char *const *values; /* NULL-ended; one for TERM_COMPARE */
	const char *filter;        /* of TERM_MISSING */
};

enum node_kind { NODE_TERM, NODE_NOT, NODE_AND, NODE_OR };

struct plan_node {
	enum node_kind kind;
	const struct plan_term *term;         /* of NODE_TERM */
	const struct plan_node *left, *right; /* NODE_NOT has the left one alone */
};

struct plan_condition {
	struct plan_term terms[PLAN_TERMS_MAX]; /* all that it names */
	size_t term_count;
	const struct plan_node *root;
};

/* NULL: this is no condition, ERR_INPUT. */
struct plan_condition *plan_condition_read(const char *text, struct arena *a, struct err *e);
/* What a reference finds nothing for compares false. `filters` may be NULL. */
bool plan_condition_met(const struct plan_condition *c, const struct ref_scope *s,
			const json_t *filters, struct arena *a);

#endif
