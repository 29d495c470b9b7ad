/* Set operations. Terms of a UNION must read views that the map connects; those of INTERSECT and
 * EXCEPT are joined by the compared columns. */
#include "gate_edge.h"

#include <string.h>

#include "vesper/limits.h"

const struct gate_view *edge_view_of(const struct gate_source *s)
{
	const struct gate_query *q = NULL;

	for (int depth = 0; s && depth <= GATE_DEPTH_MAX; depth++) {
		if (s->view_use)
			return s->view_use->view;
		if (s->kind == GATE_GROUP) {
			s = s->group;
			continue;
		}
		q = s->kind == GATE_DERIVED ? s->query : s->cte ? s->cte->query : NULL;
		while (q && q->terms->query)
			q = q->terms->query;
		s = q ? q->terms->select->from : NULL;
	}
	return NULL;
}

static bool are_related(const struct gate *g, const struct gate_view *a, const struct gate_view *b)
{
	if (!a || !b || a == b)
		return a == b || !a || !b;
	for (size_t i = 0; i < g->policy->edge_count; i++) {
		const struct gate_edge *edge = &g->policy->edges[i];

		if ((strcmp(edge->left, a->name) == 0 && strcmp(edge->right, b->name) == 0) ||
		    (strcmp(edge->left, b->name) == 0 && strcmp(edge->right, a->name) == 0))
			return true;
	}
	return false;
}

static const struct gate_select *select_of(const struct gate_term *term)
{
	while (!term->select && term->query)
		term = term->query->terms;
	return term->select;
}

/* INTERSECT and EXCEPT compare columns by position, which acts as a join. */
static bool check_compared_rows(const struct gate *g, const struct gate_select *a,
				const struct gate_select *b, const struct edge_scope *outer)
{
	const struct edge_scope of_a = {outer, a}, of_b = {outer, b};
	const struct gate_item *x = a->items, *y = b->items;
	struct edge_pairs pairs = {0};

	for (; x && y; x = x->next, y = y->next) {
		struct origin one = edge_origin_of_value(x->value, &of_a, false);
		struct origin other = edge_origin_of_value(y->value, &of_b, false);

		if (one.kind != ORIGIN_VIEW || other.kind != ORIGIN_VIEW)
			return gate_refuse(g, b->at,
					   "INTERSECT and EXCEPT can compare only columns of an "
					   "edge, or the same columns");
		if (!edge_add_pair(g, &pairs, one, other, y->value->at))
			return false;
	}
	return edge_check_pairs(g, &pairs, true);
}

bool edge_check_terms(const struct gate *g, const struct gate_query *q,
		      const struct edge_scope *outer)
{
	const struct gate_select *first = select_of(q->terms);

	for (const struct gate_term *term = q->terms->next; term; term = term->next) {
		const struct gate_select *select = select_of(term);
		const struct gate_view *a = edge_view_of(first->from),
				       *b = edge_view_of(select->from);

		if (term->op[0] != 'U') {
			if (!check_compared_rows(g, first, select, outer))
				return false;
		} else if (!are_related(g, a, b)) {
			return edge_refuse_views(g, select->at, b, a);
		}
	}
	return true;
}
