/*
 * Shared by the files that check joins against the edges of the map. The check runs on a resolved
 * tree and does not change it.
 *
 * A column that a derived table or CTE passes on unchanged still counts as the view's column. A
 * computed column does not, and neither does the column of a set operation.
 */
#ifndef GATE_EDGE_H
#define GATE_EDGE_H

#include "gate_check.h"

struct edge_scope {
	const struct edge_scope *outer;
	const struct gate_select *select;
};

enum origin_kind {
	ORIGIN_NONE,    /* computed, or from a set operation or pivot: not a key */
	ORIGIN_VIEW,    /* a column of a view */
	ORIGIN_LITERAL, /* from VALUES */
};

/* Origin of a column's values. */
struct origin {
	enum origin_kind kind;
	const struct gate_source *leaf; /* source in the FROM where the name was found */
	const struct gate_source *base; /* source of the view: leaf, or inside its query */
	const struct edge_scope *scope; /* scope where the name was found */
	struct str column;              /* the view's spelling */
};

/* Two columns required to be equal. */
struct edge_pair {
	struct origin a, b;
	size_t at;
};

/* Origin of a column that is named in this scope. */
struct origin edge_origin(const struct gate_expr *column, const struct edge_scope *s);
/* Origin of an expression's value: a column, with or without parentheses; `extremes`: also MIN and
 * MAX of one. */
struct origin edge_origin_of_value(const struct gate_expr *x, const struct edge_scope *s,
				   bool extremes);
/* Origin of this source's column, by name. */
struct origin edge_origin_in(const struct gate_source *leaf, struct str name,
			     const struct edge_scope *s);
/* The source, other than a group, of the column in the innermost scope that has it. */
const struct gate_source *edge_leaf(const struct gate_expr *column, const struct edge_scope *s,
				    const struct edge_scope **where);
const struct gate_expr *edge_strip_parens(const struct gate_expr *x); /* strips parentheses */

/* ---- traversal ---- */

/* Visits every column, including those in nested queries, with its scope. */
struct edge_walk {
	void (*column)(struct edge_walk *w, const struct gate_expr *x, const struct edge_scope *s);
	void *owner;
};
void edge_walk_expr(struct edge_walk *w, const struct gate_expr *x, const struct edge_scope *s);
void edge_walk_query(struct edge_walk *w, const struct gate_query *q,
		     const struct edge_scope *outer);

/* ---- matching edges ---- */

/* Returns true when the pairs form exactly one edge. All pairs must join the same two sources, with
 * `a` in one and `b` in the other. */
bool edge_is_complete(const struct gate *g, const struct edge_pair *pairs, size_t count);
/* Returns true when the pair belongs to an edge. */
bool edge_has_pair(const struct gate *g, const struct edge_pair *pair);
/* Returns true for the same column of the same view. */
bool edge_is_same_column(const struct edge_pair *pair);
/* Returns true when both are tenant columns. */
bool edge_is_tenant(const struct edge_pair *pair);

/* Reports what is missing in these pairs. Returns false. */
bool edge_refuse_pairs(const struct gate *g, size_t at, const struct edge_pair *pairs,
		       size_t count);
/* Reports which joins the view has. `to` may be NULL. Returns false. */
bool edge_refuse_views(const struct gate *g, size_t at, const struct gate_view *from,
		       const struct gate_view *to);

/* ---- equalities of one join ---- */

struct edge_pairs {
	struct edge_pair *items;
	size_t count, cap;
};
/* `a` and `b` must be columns of views. False: there are too many pairs. */
MUST_CHECK bool edge_add_pair(const struct gate *g, struct edge_pairs *list, struct origin a,
			      struct origin b, size_t at);
/* Collects all pairs that join the same two sources as pair n. Returns 0 if an earlier pair
 * does. */
size_t edge_pairs_group(const struct gate *g, const struct edge_pairs *list, size_t n,
			struct edge_pair **out);
/* Returns true when each pair is the same column of the same view. */
bool edge_all_same_columns(const struct edge_pair *pairs, size_t count);
/* Checks that each group of pairs is a complete edge. `same`: the same columns of the same view are
 * allowed, too. False: refused with what is missing. */
MUST_CHECK bool edge_check_pairs(const struct gate *g, const struct edge_pairs *list, bool same);

struct edge_sources {
	const struct edge_scope *scope;
	const struct gate_source *one, *two; /* sources in the FROM of this scope; NULL: none */
	bool has_outer_column;               /* has a column of an outer scope */
};
/* Records the source of a column; the owner of the walk is a struct edge_sources. */
void edge_add_source(struct edge_walk *w, const struct gate_expr *x, const struct edge_scope *s);
/* The sources that a condition in this scope refers to. */
struct edge_sources edge_sources_of(const struct gate_expr *x, const struct edge_scope *s);

/* ---- set operations ---- */

/* A view that the source reads, for error messages. */
const struct gate_view *edge_view_of(const struct gate_source *s);
/* Checks that the terms of the query belong together; each term is checked separately. */
MUST_CHECK bool edge_check_terms(const struct gate *g, const struct gate_query *q,
				 const struct edge_scope *outer);

/* Runs the check. policy->edges must be set. */
MUST_CHECK bool gate_check_edges(const struct gate *g, const struct gate_query *q);

#endif
