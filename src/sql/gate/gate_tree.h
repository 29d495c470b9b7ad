/*
 * Syntax tree of one statement. Each node has its position for error messages. Lists are linked
 * through `next`. Operator chains are flat lists, so that the depth of the tree depends on nesting,
 * not on length.
 */
#ifndef GATE_TREE_H
#define GATE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "vesper/gate.h"

struct gate_name {
	struct gate_name *next;
	struct str text; /* without quotes; p is NULL when absent */
	bool quoted;
	size_t at;
};

/* Columns of a source or of a query's result, sorted ignoring case. */
struct gate_columns {
	struct gate_column {
		struct gate_name name; /* spelling of references */
		size_t index;          /* in the view's list */
		size_t bytes;          /* maximum length of a value */
	} * items;
	size_t count;
	bool open; /* there may be others */
};

/* A view that the statement reads. */
struct gate_view_use {
	const struct gate_view *view;
	struct gate_columns columns;
	bool *named; /* by index: the statement uses the column, so it is written */
};

enum gate_expr_kind {
	GATE_NUMBER,    /* text */
	GATE_STRING,    /* text with its quotes; word: N, DATE, … before it */
	GATE_WORD,      /* text: NULL, TRUE, FALSE, or a date part */
	GATE_COLUMN,    /* [qualifier.]name */
	GATE_ALL,       /* [qualifier.]* */
	GATE_CHAIN,     /* kids; each but the first has an op */
	GATE_PREFIX,    /* word (NOT - +), one kid */
	GATE_PAREN,     /* one kid */
	GATE_LIST,      /* word (ROLLUP, CUBE, GROUPING SETS or none) and ( kids ) */
	GATE_BETWEEN,   /* three kids; negated */
	GATE_IN,        /* one kid, then query, or the values; negated */
	GATE_LIKE,      /* word; two or three kids; negated */
	GATE_IS,        /* one kid, word: NULL, TRUE, …; or two kids: DISTINCT FROM; negated */
	GATE_QUERY,     /* (query); word: EXISTS, ANY, ALL, SOME or none */
	GATE_CASE,      /* kids: WHEN THEN pairs; operand, otherwise */
	GATE_CAST,      /* word: CAST, TRY_CAST; one kid; type */
	GATE_CONVERT,   /* word: CONVERT, TRY_CONVERT; type; one or two kids */
	GATE_EXTRACT,   /* text: the part; one kid */
	GATE_TRIM,      /* word: LEADING, … or none; kids: [what,] from */
	GATE_SUBSTRING, /* FROM … FOR: two or three kids */
	GATE_CALL,      /* text: the function; kids; call */
	GATE_COLLATE,   /* one kid, name */
	GATE_ZONE,      /* two kids: x AT TIME ZONE y */
	GATE_INTERVAL,  /* text: literal with its quotes; word: the unit or none */
};

struct gate_source;

struct gate_expr {
	enum gate_expr_kind kind;
	size_t at;
	struct gate_expr *next; /* in the parent's list */
	const char *op;         /* operator before it in the parent's chain */
	const char *word;
	struct str text;
	bool negated;
	struct gate_name qualifier;
	struct gate_name name;
	const struct gate_source *of; /* source of the qualifier, once checked */
	size_t bytes;                 /* maximum length of its value, once checked */
	struct gate_expr *kids;
	struct gate_expr *last; /* last of kids, while the list is built */
	size_t kid_count;
	struct gate_expr *operand;   /* of CASE */
	struct gate_expr *otherwise; /* of CASE */
	struct gate_query *query;
	struct gate_type *type;
	struct gate_call *call;
};

struct gate_type {
	const char *name;
	int64_t size[2];
	int sizes;
	bool max;
	bool with_zone;
};

struct gate_order {
	struct gate_order *next;
	struct gate_expr *by;
	bool descending;
	const char *nulls; /* "FIRST", "LAST" or NULL */
};

struct gate_bound {
	const char *edge;        /* "UNBOUNDED PRECEDING", "PRECEDING", … */
	struct gate_expr *count; /* before PRECEDING or FOLLOWING */
};

struct gate_window {
	struct gate_window *next; /* in the WINDOW clause */
	/* In the WINDOW clause: its name; after OVER: the referenced window. */
	struct gate_name name;
	bool has_parens;
	struct gate_expr *partition;
	struct gate_order *order;
	const char *frame; /* ROWS, RANGE or NULL */
	struct gate_bound from;
	struct gate_bound to; /* edge NULL: not BETWEEN */
};

struct gate_call {
	bool distinct;
	bool star;
	struct gate_order *order; /* inside the parentheses */
	struct gate_order *within_group;
	struct gate_expr *filter;
	struct gate_window *over;
};

struct gate_item {
	struct gate_item *next;
	struct gate_expr *value;
	struct gate_name alias;
};

enum gate_source_kind {
	GATE_TABLE,   /* a view or a CTE */
	GATE_DERIVED, /* (query) */
	GATE_VALUES,  /* (VALUES …) */
	GATE_GROUP,   /* (source) */
};

struct gate_pivot {
	bool unpivot;
	struct gate_name function; /* of PIVOT */
	struct gate_name value;    /* aggregated column, or the new value column */
	struct gate_name column;   /* FOR this */
	struct gate_name *in;
	struct gate_name alias;
};

struct gate_source {
	/* Next in the FROM clause or group; `join` tells how it is joined. */
	struct gate_source *next;
	enum gate_source_kind kind;
	size_t at;
	const char *join; /* ",", "INNER JOIN", …; NULL for the first */
	enum gate_join join_kind;
	bool lateral; /* APPLY, LATERAL: sees earlier sources */
	struct gate_expr *on;
	struct gate_name *using_columns;
	struct gate_name schema; /* of a view, as written */
	struct gate_name name;
	struct gate_name alias;
	struct gate_name *columns; /* after the alias */
	struct gate_query *query;
	struct gate_expr *rows; /* of VALUES: lists */
	struct gate_source *group;
	struct gate_pivot *pivot;
	/* Of a table, once checked: either view_use or cte is set. */
	const struct gate_view_use *view_use;
	const struct gate_cte *cte;
	struct gate_columns result_columns; /* once checked */
};

struct gate_limit {
	struct str count; /* digits; p NULL: none */
	struct str offset;
	bool percent;
	bool ties;
	size_t at;
};

struct gate_select {
	size_t at;
	bool distinct;
	struct gate_limit top;
	struct gate_item *items;
	struct gate_source *from;
	struct gate_expr *where;
	struct gate_expr *group_by;
	struct gate_expr *having;
	struct gate_window *windows;
};

struct gate_term {
	struct gate_term *next;
	const char *op; /* "UNION ALL", … */
	struct gate_select *select;
	struct gate_query *query; /* in parentheses */
};

struct gate_cte {
	struct gate_cte *next;
	struct gate_name name;
	struct gate_name *columns;
	struct gate_query *query;
	struct gate_columns result_columns; /* once checked */
};

struct gate_query {
	size_t at;
	struct gate_cte *ctes;
	struct gate_term *terms;
	struct gate_order *order;
	struct gate_limit limit;
	/* Once checked; expressions without a name are omitted. */
	struct gate_columns result_columns;
};

#endif
