/*
 * The SQL gate for ad hoc SQL, written by a model or an analyst. It parses one SELECT into a tree,
 * checks it against a policy, and writes a new statement from the tree, with a row limit. None of
 * the given text is ever sent, and everything that the parser does not know is refused. Pure;
 * executes nothing.
 *
 * Supported syntax (a trailing ; is allowed, comments are not; D: if the dialect has it)
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
	const char *name; /* "Stage.mc_dayahead": schema and view, unquoted names */
	/* NULL-ended, at least one, each as SQL must write it (gid, "Project Name"). The view is
	 * replaced by a derived table of only those that the statement names (all of them for *).
	 * NULL: unknown; any may be named, and the view itself is written. */
	const char *const *columns;
	const char *const *denied; /* exist, but not for this caller; NULL: none */
	/* Only with columns: restricts the view to rows where this column equals ?. NULL: all rows
	 * of the view belong to one tenant. */
	const char *tenant_column;
	/* No edge describes its joins: a statement that reads only such views is not checked
	 * against the policy's edges. */
	bool is_unmapped;
};

/* The column that represents the rows of a view when a statement names none of its columns. */
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
	const char *const (*on)[2]; /* column of left, column of right; unquoted names */
	size_t on_count;            /* at least one */
};

struct gate_limits {
	size_t sql_bytes;
	size_t tokens;
	size_t list;    /* items of one list: columns, values, joins, rows of VALUES */
	size_t sources; /* of the whole statement: views, CTEs and derived tables in FROM */
	int depth;      /* nested parentheses, operators, queries: bounds recursion */
	int64_t rows;   /* row limit of the written statement */
};

struct gate_policy {
	const struct gate_view *views;
	size_t view_count;
	const struct gate_function *functions;
	size_t function_count;
	unsigned joins; /* of enum gate_join */
	/* NULL: views are joined as `joins` allows. A list, even an empty one: only along these
	 * edges, in either direction; see below. */
	const struct gate_edge *edges;
	size_t edge_count;
	struct gate_limits limits;
};

/* A view that a statement reads. */
struct gate_read {
	const struct gate_view *view;
	/* NULL-ended, from the view's list: the columns that are written, besides the tenant
	 * column. NULL: the view's columns are unknown. */
	const char *const *columns;
};

struct gate_result {
	const char *sql;               /* the statement to send */
	const struct gate_read *reads; /* each view once */
	size_t read_count;
	const char *const *defined; /* NULL-ended: names defined by WITH */
	size_t tenants;             /* number of ? in sql, each to be bound to the tenant */
	/* sql uses the database's own syntax, or a form with the same meaning in every dialect. The
	 * gate would refuse or change it if it were given again. */
	bool is_dialect_specific;
};

/*
 * Joining along edges means the following. Columns that derived tables and CTEs pass on unchanged
 * count as columns of their view.
 *   - a source of a FROM is joined to an earlier one by equalities in ON, or USING, that form a
 *     whole edge; its other conditions in ON refer to one source each. CROSS JOIN, a comma and
 *     FULL JOIN are refused
 *   - a subquery that names outer columns has a whole edge to one of their views in its WHERE;
 *     x IN (SELECT y …), x = ANY (SELECT y …) and x = (SELECT y …) count as the pair (x, y).
 *     A pair of the same column of the same view is also allowed here, and between a view and a
 *     derived table that is grouped by exactly these columns. A subquery of one aggregate is a
 *     value
 *   - a view is joined with itself only along an edge to itself
 *   - in WHERE, two sources are equated only by columns that are a pair of an edge
 *   - terms of a UNION read the same view, or views with an edge between them; those of
 *     INTERSECT and EXCEPT compare columns of an edge, or the same ones
 *   - a computed column, or one from a set operation or a pivot, is not a key
 *   - VALUES, and a derived table or CTE of one row of aggregates, join with anything, and
 *     connect no other sources
 */

/* The policy that all installations share: the functions, all joins, the limits of limits.h, and
 * the given views (NULL-ended names) with unknown columns. In the arena; names are borrowed. */
struct gate_policy gate_policy_of(const char *const *views, struct arena *a);

/* Checks a statement. ERR_INPUT or ERR_LIMIT: "column N: what is wrong there", N in characters from
 * 1. The error quotes only plain ASCII from the text. Recursion is bounded by
 * policy->limits.depth. */
MUST_CHECK bool gate_check(const struct gate_policy *policy, enum dialect dialect, struct str sql,
			   struct arena *a, struct gate_result *out, struct err *e);

/* True when the word is reserved in any of the dialects, so that a name must be quoted. */
bool gate_is_reserved(const char *word);

#endif
