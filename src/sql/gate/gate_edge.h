/*
 * Joins checked against the edges of a map: what the files of that check share. It runs on a tree
 * whose names are resolved, and changes nothing of it.
 *
 * A column that a derived table or CTE passes on unchanged is still the column of its view; one
 * that is computed is none, and one that a set operation gives is none either.
 */
#ifndef GATE_EDGE_H
#define GATE_EDGE_H

#include "gate_check.h"

struct edge_scope {
	const struct edge_scope *outer;
	const struct gate_select *select;
};

enum origin_kind {
	ORIGIN_NONE,    /* computed, of a set operation, of a pivot: no key */
	ORIGIN_VIEW,    /* a column of a view */
	ORIGIN_LITERAL, /* of VALUES */
};

/* Where the values of a column come from. */
struct origin {
	enum origin_kind kind;
	const struct gate_source *leaf; /* of the FROM where the name was found */
	const struct gate_source *base; /* the view's place: leaf, or within its query */
	const struct edge_scope *scope; /* where the name was found */
	struct str column;              /* as the view has it */
};

/* Two columns that must have the same value. */
struct edge_pair {
	struct origin a, b;
	size_t at;
};

/* Of a column that is named in this scope. */
struct origin edge_origin(const struct gate_expr *column, const struct edge_scope *s);
/* Of what an expression gives: a column, in parentheses or not; `extremes`: MIN and MAX of one,
 * too. */
struct origin edge_origin_of_value(const struct gate_expr *x, const struct edge_scope *s,
				   bool extremes);
/* Of a column of this source, by name. */
struct origin edge_origin_in(const struct gate_source *leaf, struct str name,
			     const struct edge_scope *s);
/* The source that is no group in which the column is found, in the innermost scope that has one. */
const struct gate_source *edge_leaf(const struct gate_expr *column, const struct edge_scope *s,
				    const struct edge_scope **where);
const struct gate_expr *edge_bare(const struct gate_expr *x); /* without parentheses */

/* ---- walking ---- */

/* Every column within, also in queries inside, with the scope that it stands in. */
struct edge_walk {
	void (*column)(struct edge_walk *w, const struct gate_expr *x, const struct edge_scope *s);
	void *owner;
};
void edge_walk_expr(struct edge_walk *w, const struct gate_expr *x, const struct edge_scope *s);
void edge_walk_query(struct edge_walk *w, const struct gate_query *q,
		     const struct edge_scope *outer);

/* ---- against the edges ---- */

/* Whether pairs of two places are a whole edge and nothing else. They all have the same two
 * places, a on the one and b on the other. */
bool edge_is_whole(const struct gate *g, const struct edge_pair *pairs, size_t count);
/* The pair is one of some edge. */
bool edge_has_pair(const struct gate *g, const struct edge_pair *pair);
/* The same column of the same view. */
bool edge_is_same_column(const struct edge_pair *pair);
/* Both are the columns that hold tenants apart. */
bool edge_is_tenant(const struct edge_pair *pair);

/* Says what is missing at these pairs. Returns false. */
bool edge_refuse_pairs(const struct gate *g, size_t at, const struct edge_pair *pairs,
		       size_t count);
/* Says where the view could be joined. `to` may be NULL. Returns false. */
bool edge_refuse_views(const struct gate *g, size_t at, const struct gate_view *from,
		       const struct gate_view *to);

/* ---- the equalities of one join ---- */

struct edge_pairs {
	struct edge_pair *items;
	size_t count, cap;
};
/* Both are columns of views. False: there are too many. */
MUST_CHECK bool edge_add_pair(const struct gate *g, struct edge_pairs *list, struct origin a,
			      struct origin b, size_t at);
/* All pairs of the same two places as the n-th, or none where one before it is. */
size_t edge_pairs_group(const struct gate *g, const struct edge_pairs *list, size_t n,
			struct edge_pair **out);
/* Each of them is the same column of the same view. */
bool edge_all_same_columns(const struct edge_pair *pairs, size_t count);
/* Whether the pairs are whole edges, each group of two places one. `same`: the same columns of the
 * same view are all right, too. False: it is refused with what is missing. */
MUST_CHECK bool edge_check_pairs(const struct gate *g, const struct edge_pairs *list, bool same);

struct edge_touched {
	const struct edge_scope *scope;
	const struct gate_source *one, *two; /* of the scope's own FROM; NULL: none */
	bool outside;                        /* a column of a scope around */
};
/* Notes the source of one column; the walk's owner is a struct edge_touched. */
void edge_touch(struct edge_walk *w, const struct gate_expr *x, const struct edge_scope *s);
/* Which sources a condition in this scope speaks of. */
struct edge_touched edge_touched_by(const struct gate_expr *x, const struct edge_scope *s);

/* ---- set operations ---- */

/* A view that the source reads, to speak of. */
const struct gate_view *edge_view_of(const struct gate_source *s);
/* The terms of the query, each of which is checked alone, belong together. */
MUST_CHECK bool edge_check_terms(const struct gate *g, const struct gate_query *q,
				 const struct edge_scope *outer);

/* The check: policy->edges is there. */
MUST_CHECK bool gate_check_edges(const struct gate *g, const struct gate_query *q);

#endif
