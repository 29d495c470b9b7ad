/* Inside the map: the graph, the plan of a statement, and the text that is made of it. */
#ifndef MAP_INT_H
#define MAP_INT_H

#include "vesper/map.h"
#include "vesper/str.h"

/* ---- map.c ---- */

struct map {
	const struct catalog *catalog;
	const struct schema *schema;
	/* by entity: the steps that leave it, in the order of the edges */
	struct map_leaving {
		const struct map_step *steps;
		size_t count;
	} * leaving;
	struct arena *arena;
};

/* ---- map_query.c, map_value.c, map_problem.c ---- */

/* Fills *why and *e; returns false. */
bool map_fail(struct map_problem *why, const char *code, const char *name, struct err *e,
	      const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void map_offer(struct map_problem *why, const char *offer);

/* One value of a condition in the type of what it is compared with. `unit`: of the number, or
 * NULL. */
MUST_CHECK bool map_value(const struct map *m, const json_t *json, enum column_type type,
			  const struct unit_def *unit, const char *name, struct arena *a,
			  struct value *out, struct map_problem *why, struct err *e);
/* The nearest of the dimensions that go by this name ("price_date", "price_date.month", a filter's
 * name), counted from an entity; NULL: there is none. */
const struct dimension_def *map_dimension_near(const struct map *m, const struct entity_def *root,
					       const char *name, enum grain *grain,
					       struct arena *a);
/* The names most like this one, as offers. */
void map_offer_names(const struct map *m, const struct principal *who, const char *name,
		     bool metrics, struct arena *a, struct map_problem *why);

/* ---- map_plan.c: aliases and joins of one SELECT ---- */

/* A view in FROM, by the step that leads to it. */
struct map_alias {
	const struct entity_def *entity;
	const char *name;             /* "t2" */
	const struct map_alias *from; /* that it is joined to; NULL: the root */
	struct map_step step;
	const char *via; /* the alias of the step's join table, or NULL */
	bool is_outer;   /* LEFT JOIN */
};

#define MAP_ALIASES_MAX 32

struct map_select {
	const struct map *map;
	struct arena *arena;
	enum dialect dialect;
	struct map_problem *why;
	struct err *e;
	size_t *next; /* number of the next alias of the whole statement */
	struct map_alias aliases[MAP_ALIASES_MAX];
	size_t alias_count;
	bool scans; /* its conditions are not to be looked up by coarse columns */
};

void map_select_begin(struct map_select *s, const struct entity_def *root);
/* The alias of an entity, joined where it is not yet. `only_shown`: outer where the edge says so.
 */
MUST_CHECK bool map_select_reach(struct map_select *s, const struct entity_def *to, bool only_shown,
				 const struct map_alias **out);
/* "t2.technology" */
const char *map_select_column(const struct map_select *s, const struct map_alias *at,
			      const struct view_column *c);
/* The expression of a dimension or its grain, joined where it is not yet. */
MUST_CHECK bool map_select_dimension(struct map_select *s, const struct dimension_def *d,
				     enum grain g, bool only_shown, const char **out);
/* "FROM … JOIN …", every view but the root cut to the tenant's rows. */
void map_select_from(const struct map_select *s, struct buf *out);
void map_select_joins(const struct map_select *s, struct buf *out); /* the JOINs alone */
/* "WHERE" with the root's rows of the tenant; further conditions follow as AND …. */
void map_select_where(const struct map_select *s, struct buf *out);
/* The pairs of one step between two aliases, as conditions joined by AND. */
void map_select_pairs(const struct map_select *s, const struct edge_pair *on, size_t count,
		      const char *left, const char *right, struct buf *out);
void map_select_tenant(const struct entity_def *n, const char *alias, const char *before,
		       struct buf *out);
MUST_CHECK bool map_select_path(const struct map_select *s, const struct entity_def *from,
				const struct entity_def *to, struct map_path *out);

/* ---- map_where.c ---- */

struct map_binds {
	struct args *args;
	struct arena *arena;
	size_t count;
};
/* The name of a marker that takes these values. */
const char *map_bind(struct map_binds *b, const struct value *values, size_t count);
/* A comparison of an expression, as one condition in brackets where it needs them. */
const char *map_compare(struct map_binds *b, const char *expression, enum where_op op,
			const struct value *values, size_t count, struct arena *a);
/* Adds " AND …" for the condition to `out`; joins what it has to. */
MUST_CHECK bool map_where_write(struct map_select *s, struct map_binds *b,
				const struct map_where *w, struct buf *out);
/* Whether rows of the root can be told by it without a subquery. */
MUST_CHECK bool map_where_is_direct(const struct map_select *s, const struct map_where *w,
				    bool *direct);

/* ---- map_block.c: one SELECT of metrics that share their rows ---- */

/* What a statement is made with. */
struct map_writer {
	const struct map *map;
	const struct map_query *query;
	enum dialect dialect;
	struct arena *arena;
	struct map_binds binds;
	size_t aliases; /* given so far, in the whole statement */
	struct map_problem *why;
	struct err *e;
};

/* A metric as it is added up: its measure, with the conditions of its definition. */
struct map_part {
	const struct metric_def *metric; /* of FORM_MEASURE */
	bool is_before;                  /* in the period compared with */
	const char *name;                /* of its column: "m1" */
};
bool map_parts_share(const struct map_part *a, const struct map_part *b);

/* "SELECT … AS d1, SUM(…) AS m1 FROM … GROUP BY …", in the order of the parts. With `keys` the
 * groups are the rows of that entity, by its key as k1, k2, …, and the query's conditions, which
 * are not about these rows, are left out. */
MUST_CHECK bool map_block_write(struct map_writer *w, const struct map_part *parts, size_t count,
				const struct entity_def *keys, struct buf *out);

/* ---- map_index.c ---- */

/* The index of SQLite that holds all that a block of these parts reads, one that begins with its
 * group where there is one; NULL: none. */
const struct view_column *const *map_index(const struct map_writer *w, const struct map_part *parts,
					   size_t count);
/* Does it have the rows in the order of the query's group? */
bool map_index_is_in_order(const struct map_query *q, const struct view_column *const *index);
/* Does it have them in the order of the days that the query's groups are made of? */
bool map_index_has_days(const struct map_query *q, const struct view_column *const *index,
			const struct map_part *parts, size_t count);
/* Is looking rows up by this column slower than reading all of them? */
bool map_index_is_coarse(const struct entity_def *n, const struct view_column *column,
			 enum where_op op);

/* ---- map_list.c ---- */

MUST_CHECK bool map_list_write(struct map_writer *w, struct buf *out,
			       struct map_statement *statement);

/* ---- map_write.c ---- */

/* "Technology" of a label, unlike those of the columns before it; what could end a quoted name is
 * left out. */
const char *map_label(struct map_writer *w, const char *label, const struct map_column *before,
		      size_t count);
/* " OFFSET 0 ROWS FETCH NEXT …": as many as the query says, or :row_limit. */
void map_write_limit(struct map_writer *w, struct buf *out);
/* A number as one that a quotient keeps digits of. */
const char *map_exact(const struct map_writer *w, const char *expression);

#endif
