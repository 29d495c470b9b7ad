/* Internal header of the map: the graph, the plan of a statement, and the text made from it. */
#ifndef MAP_INT_H
#define MAP_INT_H

#include "vesper/map.h"
#include "vesper/str.h"

/* ---- map.c ---- */

struct map {
	const struct catalog *catalog;
	const struct schema *schema;
	/* by entity: its outgoing steps, in the order of the edges */
	struct map_outgoing {
		const struct map_step *steps;
		size_t count;
	} * outgoing;
	struct arena *arena;
};

/* ---- map_query.c, map_value.c, map_problem.c ---- */

/* Sets *why and *e; returns false. */
bool map_fail(struct map_problem *why, const char *code, const char *name, struct err *e,
	      const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void map_suggest(struct map_problem *why, const char *offer);

/* Converts one value of a condition to the type it is compared with. `unit`: the measure's; NULL:
 * none. */
MUST_CHECK bool map_value(const struct map *m, const json_t *json, enum column_type type,
			  const struct unit_def *unit, const char *name, struct arena *a,
			  struct value *out, struct map_problem *why, struct err *e);
/* Finds the dimension of this name ("price_date", "price_date.month", or a filter's name) that is
 * nearest to an entity. NULL: none. */
const struct dimension_def *map_dimension_near(const struct map *m, const struct entity_def *root,
					       const char *name, enum grain *grain,
					       struct arena *a);
/* Suggests the most similar names. */
void map_suggest_names(const struct map *m, const struct principal *who, const char *name,
		       bool metrics, struct arena *a, struct map_problem *why);

/* ---- map_plan.c: aliases and joins of one SELECT ---- */

/* A view in FROM, identified by the step that leads to it. */
struct map_alias {
	const struct entity_def *entity;
	const char *name;             /* "t2" */
	const struct map_alias *from; /* the alias it is joined to; NULL: this is the root */
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
	size_t *next; /* alias counter of the whole statement */
	struct map_alias aliases[MAP_ALIASES_MAX];
	size_t alias_count;
	bool scans; /* SQLite must scan rather than use an index on coarse columns */
};

void map_select_begin(struct map_select *s, const struct entity_def *root);
/* Returns the alias of an entity and joins it if necessary. `only_shown`: outer join where the edge
 * is optional. */
MUST_CHECK bool map_select_reach(struct map_select *s, const struct entity_def *to, bool only_shown,
				 const struct map_alias **out);
/* "t2.technology" */
const char *map_select_column(const struct map_select *s, const struct map_alias *at,
			      const struct view_column *c);
/* Sets *out to the expression of a dimension or its grain and joins its entity if necessary. */
MUST_CHECK bool map_select_dimension(struct map_select *s, const struct dimension_def *d,
				     enum grain g, bool only_shown, const char **out);
/* Appends "FROM … JOIN …". Every view but the root is restricted to the tenant's rows. */
void map_select_from(const struct map_select *s, struct buf *out);
void map_select_joins(const struct map_select *s, struct buf *out); /* the JOINs alone */
/* Appends "WHERE" with the tenant condition of the root; further conditions follow as AND …. */
void map_select_where(const struct map_select *s, struct buf *out);
/* Appends the column pairs of one step between two aliases, as conditions joined by AND. */
void map_select_pairs(const struct map_select *s, const struct edge_pair *on, size_t count,
		      const char *left, const char *right, struct buf *out);
/* Appends the conditions that restrict a view to rows of the tenant that belong to the entity. */
void map_select_restrict(const struct map_select *s, const struct entity_def *n, const char *alias,
			 const char *before, struct buf *out);
MUST_CHECK bool map_select_path(const struct map_select *s, const struct entity_def *from,
				const struct entity_def *to, struct map_path *out);

/* ---- map_where.c ---- */

struct map_binds {
	struct args *args;
	struct arena *arena;
	size_t count;
};
/* Binds the values and returns the name of their marker. */
const char *map_bind(struct map_binds *b, const struct value *values, size_t count);
/* Returns a comparison as one condition, in brackets where necessary. */
const char *map_compare(struct map_binds *b, const char *expression, enum where_op op,
			const struct value *values, size_t count, struct arena *a);
/* Appends " AND …" for the condition to `out` and adds the joins it needs. */
MUST_CHECK bool map_where_write(struct map_select *s, struct map_binds *b,
				const struct map_where *w, struct buf *out);
/* Sets *direct to true if the condition can be checked on rows of the root without a subquery. */
MUST_CHECK bool map_where_is_direct(const struct map_select *s, const struct map_where *w,
				    bool *direct);

/* ---- map_block.c: one SELECT of metrics that share their rows ---- */

/* State of writing one statement. */
struct map_writer {
	const struct map *map;
	const struct map_query *query;
	enum dialect dialect;
	struct arena *arena;
	struct map_binds binds;
	size_t aliases; /* used so far, in the whole statement */
	struct map_problem *why;
	struct err *e;
};

/* A metric to aggregate: its measure with the conditions of its definition. */
struct map_part {
	const struct metric_def *metric; /* of FORM_MEASURE */
	bool is_before;                  /* in the comparison period */
	const char *name;                /* of its column: "m1" */
};
bool map_parts_share(const struct map_part *a, const struct map_part *b);

/* Appends "SELECT … AS d1, SUM(…) AS m1 FROM … GROUP BY …", in the order of the parts. With `keys`
 * it groups by that entity's key, as k1, k2, …, and omits the query's conditions, which apply to
 * another entity. */
MUST_CHECK bool map_block_write(struct map_writer *w, const struct map_part *parts, size_t count,
				const struct entity_def *keys, struct buf *out);

/* ---- map_index.c ---- */

/* Returns the SQLite index that covers a block of these parts, preferably one that begins with the
 * block's group. NULL: none. */
const struct view_column *const *map_index(const struct map_writer *w, const struct map_part *parts,
					   size_t count);
/* Returns true if the index orders rows by the query's group. */
bool map_index_is_in_order(const struct map_query *q, const struct view_column *const *index);
/* Returns true if the index orders rows by the days from which the query's groups are computed. */
bool map_index_has_days(const struct map_query *q, const struct view_column *const *index,
			const struct map_part *parts, size_t count);
/* Returns true if an index lookup for this comparison of a dimension is slower than a scan. */
bool map_index_is_coarse(const struct entity_def *n, const struct map_where *w, enum where_op op);

/* ---- map_list.c ---- */

MUST_CHECK bool map_list_write(struct map_writer *w, struct buf *out,
			       struct map_statement *statement);

/* ---- map_write.c ---- */

/* Makes a column name from a label, unique among the columns before it. Characters that could end a
 * quoted name are removed. */
const char *map_label(struct map_writer *w, const char *label, const struct map_column *before,
		      size_t count);
/* Appends " OFFSET 0 ROWS FETCH NEXT …": as many rows as the query asks for, or :row_limit. */
void map_write_limit(struct map_writer *w, struct buf *out);
/* Casts a number so that a division keeps its decimal places. */
const char *map_exact(const struct map_writer *w, const char *expression);

#endif
