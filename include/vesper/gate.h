/*
 * The SQL gate for ad hoc SQL, written by a model or an analyst. One SELECT is read into a tree,
 * checked against a policy, and written anew from the tree with a row limit. Nothing of the given
 * text is ever sent, and whatever the parser does not know is refused. Pure; nothing here runs
 * anything.
 *
 * What is understood (a trailing ; is allowed; comments are not; D: where the dialect has it)
 *   query    [WITH name [(cols)] AS (query), …] term {UNION [ALL]|EXCEPT|INTERSECT term}
 *            [ORDER BY order, …] [OFFSET n ROWS] [FETCH NEXT n ROWS ONLY] [LIMIT n D]
 *   term     select | (query)
 *   select   SELECT [DISTINCT|ALL] [TOP n [PERCENT] [WITH TIES] D] item, … FROM source, …
 *            [WHERE expr] [GROUP BY group, …] [HAVING expr] [WINDOW name AS (window), …]
 *   item     * | name.* | expr [[AS] name]
 *   source   primary {[INNER|LEFT|RIGHT|FULL] JOIN primary ON expr | CROSS JOIN primary
 *            | CROSS|OUTER APPLY (query) name D}
 *   primary  [schema.]view [[AS] name] | cte [[AS] name] | (query) [AS] name [(cols)]
 *            | (VALUES (expr, …), …) [AS] name (cols) | (source)
 *            each but the last also with PIVOT (…) name or UNPIVOT (…) name, D
 *   group    expr | ROLLUP (…) | CUBE (…) | GROUPING SETS (…) | ()
 *   expr     OR, AND, NOT, comparisons (also with ANY, ALL, SOME (query)), BETWEEN, IN, LIKE,
 *            IS [NOT] NULL, IS [NOT] DISTINCT FROM, + - || * / %, COLLATE, AT TIME ZONE, CASE,
 *            EXISTS (query), (query), literals, columns, calls with DISTINCT, WITHIN GROUP, FILTER
 *            and OVER
 */
#ifndef VESPER_GATE_H
#define VESPER_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/dialect.h"
#include "vesper/err.h"
#include "vesper/str.h"

struct gate_view {
	const char *name; /* "Stage.mc_dayahead": schema and view, plain names */
	/* NULL-ended, each as SQL has to write it (gid, "Project Name"), one at least: what is
	 * written in place of the view is a derived table of just those that the statement names
	 * (all of them for *). NULL: not known, any may be named, and the view itself is written.
	 */
	const char *const *columns;
	const char *const *denied; /* that exist, but not for this caller; NULL: none */
	/* Only with columns: the rows where this one equals ? are all that there is. NULL: the view
	 * is of one tenant alone. */
	const char *tenant_column;
	/* No edge says how it is joined: a statement that reads only such views is not held
	 * against the policy's edges. */
	bool is_unmapped;
};

/* The column that stands for the rows of a view in a statement that names none of its columns. */
const char *gate_row_column(const struct gate_view *v);

enum gate_function_flag {
	GATE_AGGREGATE = 1 << 0, /* takes DISTINCT, FILTER, OVER */
	GATE_STAR = 1 << 1,      /* COUNT(*) */
	GATE_ORDERED = 1 << 2,   /* takes WITHIN GROUP */
	GATE_WINDOW = 1 << 3,    /* only with OVER */
	GATE_DATE_PART = 1 << 4, /* the first argument is a word such as month */
};

struct gate_function {
	const char *name; /* upper case */
	int min_args;
	int max_args;
	unsigned flags; /* of enum gate_function_flag */
};

enum gate_join {
	GATE_JOIN_INNER = 1 << 0,
	GATE_JOIN_LEFT = 1 << 1,
	GATE_JOIN_RIGHT = 1 << 2,
	GATE_JOIN_FULL = 1 << 3,
	GATE_JOIN_CROSS = 1 << 4, /* also the comma */
	GATE_JOIN_APPLY = 1 << 5,
	GATE_JOIN_ALL = (1 << 6) - 1,
};

/* Two views that may be joined, by all of these columns together. */
struct gate_edge {
	const char *left, *right;   /* names of views of the policy */
	const char *const (*on)[2]; /* column of left, column of right; plain names */
	size_t on_count;            /* one at least */
};

struct gate_limits {
	size_t sql_bytes;
	size_t tokens;
	size_t list;    /* items of one list: columns, values, joins, rows of VALUES */
	size_t sources; /* of the whole statement: views, CTEs and derived tables in FROM */
	int depth;      /* nested parentheses, operators, queries: bounds recursion */
	int64_t rows;   /* the written statement gives no more */
};

struct gate_policy {
	const struct gate_view *views;
	size_t view_count;
	const struct gate_function *functions;
	size_t function_count;
	unsigned joins; /* of enum gate_join */
	/* NULL: views are joined as `joins` allows. A list, be it empty: only along these, in
	 * either direction; see below. */
	const struct gate_edge *edges;
	size_t edge_count;
	struct gate_limits limits;
};

/* What a statement reads of one view. */
struct gate_read {
	const struct gate_view *view;
	/* NULL-ended, of the view's list: those that are written, beside the tenant's. NULL: the
	 * view's columns are not known. */
	const char *const *columns;
};

struct gate_result {
	const char *sql;               /* what may be sent */
	const struct gate_read *reads; /* each view once */
	size_t read_count;
	const char *const *defined; /* NULL-ended: the names that it gives by WITH */
	size_t tenants;             /* each ? in sql is the tenant: so many have to be bound */
	bool own_words; /* something is said as the database says it, or so that it means the same
			   everywhere: the gate would not take sql again, or not as it is */
};

/*
 * Along edges means, with columns that are passed on unchanged by derived tables and CTEs counted
 * as their view's:
 *   - a source of a FROM is joined to one before it by equalities behind ON, or USING, that are a
 *     whole edge; its other conditions there speak of one source each. Not by CROSS JOIN, a comma
 *     or FULL JOIN
 *   - a subquery that names columns from around it has a whole edge to one of their views in its
 *     WHERE, and x IN (SELECT y …), x = ANY (SELECT y …) and x = (SELECT y …) are the pair (x, y).
 *     The same column of the same view is all right there, as it is between a view and a derived
 *     table that is grouped by just these columns. An aggregate of a query of its own is a value
 *   - a view is joined with itself along an edge to itself
 *   - behind WHERE two sources are not held equal by columns that are no pair of an edge
 *   - terms of a UNION read the same view or views with an edge between them; those of INTERSECT
 *     and EXCEPT compare columns that are an edge, or the same ones
 *   - a column that is computed, or that a set operation or a pivot gives, is no key
 *   - VALUES, and a derived table or CTE of one row of aggregates, are joined with anything, and
 *     join nothing
 */

/* Everything that every installation shares: the functions, all joins, the limits of limits.h; the
 * given views (NULL-ended names), columns unknown. Memory in the arena; the names are borrowed. */
struct gate_policy gate_policy_of(const char *const *views, struct arena *a);

/* Accepts or refuses. ERR_INPUT or ERR_LIMIT: "column N: what is wrong there", N counted in
 * characters from 1; never a piece of the text that is not plain ASCII. Recursion is bounded by
 * policy->limits.depth. */
MUST_CHECK bool gate_check(const struct gate_policy *policy, enum dialect dialect, struct str sql,
			   struct arena *a, struct gate_result *out, struct err *e);

/* Is the word one that SQL keeps for itself in any of the dialects, so that a name has to be
 * quoted?
 */
bool gate_reserves(const char *word);

#endif
