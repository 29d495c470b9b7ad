/* Finds edges that no foreign key declares, and names all edges of the pack. */
#include <stdlib.h>
#include <string.h>

#include "connect_int.h"
#include "vesper/limits.h"

#define COVERAGE_MIN 0.99 /* of the sampled values; the others may refer to deleted rows */

static bool has_edge(const struct connect *c, const struct connect_table *t, size_t column)
{
	for (size_t i = 0; i < c->edge_count; i++)
		for (size_t k = 0; c->edges[i].from == t && k < c->edges[i].count; k++)
			if (c->edges[i].on[k][0] == column)
				return true;
	return false;
}

/* "customer_id" of another table may refer to the key of customers if that is named "customer_id"
 * or "id". */
static bool may_reference(const struct connect *c, const struct connect_column *col,
			  const struct connect_table *to)
{
	const struct connect_column *key = &to->columns[to->key.columns[0]];
	const char *of_table;

	if (col->family != key->family)
		return false;
	if (strcmp(col->words, key->words) == 0)
		return strchr(key->words, ' ') != NULL; /* two columns named "id" are no evidence */
	of_table = arena_printf(
		c->a, "%s %s",
		connect_singular(&c->words, connect_name_words(to->name, c->a), c->a), key->words);
	return strcmp(col->words, of_table) == 0;
}

/* The share of the column's sampled values that exist in the key. */
static bool measure_coverage(struct connect *c, const struct connect_table *from, size_t column,
			     const struct connect_table *to, double *out, struct err *e)
{
	const char *name = connect_quoted(c, from->columns[column].name);
	const char *key = connect_quoted(c, to->columns[to->key.columns[0]].name);
	const char *rest =
		arena_printf(c->a, "%s WHERE %s IS NOT NULL", connect_table_sql(c, from), name);
	const char *sample =
		server_dialect(c->server) == DIALECT_MSSQL
			? arena_printf(c->a, "SELECT DISTINCT TOP (%d) %s AS v FROM %s",
				       CONNECT_OVERLAP_VALUES, name, rest)
			: connect_limited(c, arena_printf(c->a, "DISTINCT %s AS v", name), rest,
					  CONNECT_OVERLAP_VALUES);
	struct server_cells rows;

	*out = 0;
	if (!connect_rows(c,
			  arena_printf(c->a,
				       "SELECT COUNT(*), SUM(CASE WHEN o.%s IS NULL THEN 0 ELSE 1 "
				       "END) FROM (%s) s LEFT JOIN %s o ON o.%s = s.v",
				       key, sample, connect_table_sql(c, to), key),
			  1, c->a, &rows, e))
		return e->code != ERR_UPSTREAM ||
		       connect_rows(c, "SELECT 1", 1, c->a, &rows, e); /* is the server usable? */
	if (server_cell(&rows, 0, 0) && server_cell(&rows, 0, 1) &&
	    strtod(server_cell(&rows, 0, 0), NULL) > 0)
		*out = strtod(server_cell(&rows, 0, 1), NULL) /
		       strtod(server_cell(&rows, 0, 0), NULL);
	return true;
}

static void add_inferred_edge(struct connect *c, struct connect_table *from, size_t column,
			      struct connect_table *to, double share)
{
	size_t(*on)[2] = arena_alloc(c->a, sizeof(*on));

	on[0][0] = column;
	on[0][1] = to->key.columns[0];
	c->edges = arena_grow(c->a, c->edges, c->edge_count, &c->edge_cap, sizeof(*c->edges));
	c->edges[c->edge_count++] = (struct connect_edge){.from = from,
							  .to = to,
							  .on = on,
							  .count = 1,
							  .is_inferred = true,
							  .coverage = share};
	connect_note(c, "edge",
		     arena_printf(c->a, "%s.%s = %s.%s", from->name, from->columns[column].name,
				  to->name, to->columns[on[0][1]].name),
		     NULL,
		     "no foreign key is declared; %.1f%% of the sampled values (at most %d) exist "
		     "in the key",
		     share * 100, CONNECT_OVERLAP_VALUES);
}

static bool infer_edge(struct connect *c, struct connect_table *from, size_t column, size_t *pairs,
		       struct err *e)
{
	for (size_t i = 0; i < c->table_count; i++) {
		struct connect_table *to = &c->tables[i];
		double share;

		if (to == from || to->key.count != 1 ||
		    !may_reference(c, &from->columns[column], to))
			continue;
		if (++*pairs > CONNECT_PAIRS_MAX)
			return true;
		if (!measure_coverage(c, from, column, to, &share, e))
			return false;
		if (share >= COVERAGE_MIN) {
			add_inferred_edge(c, from, column, to, share);
			return true;
		}
	}
	return true;
}

bool connect_infer_edges(struct connect *c, struct err *e)
{
	size_t pairs = 0;

	for (size_t i = 0; i < c->table_count; i++) {
		struct connect_table *t = &c->tables[i];

		for (size_t k = 0; k < t->column_count; k++)
			if (!has_edge(c, t, k) && !(t->key.count == 1 && t->key.columns[0] == k) &&
			    (!connect_in_time(c, "edges", e) || !infer_edge(c, t, k, &pairs, e)))
				return false;
	}
	if (c->edge_count == 0)
		connect_note(c, "edges", "all", NULL,
			     "there are no foreign keys, and no column name matches the key of "
			     "another table; each question can use only one table");
	return true;
}

/* ---- names ---- */

static bool has_same_columns(const struct connect_edge *edge, const struct connect_key *key,
			     int side)
{
	for (size_t i = 0; i < key->count; i++) {
		bool found = false;

		for (size_t k = 0; k < edge->count && !found; k++)
			found = edge->on[k][side] == key->columns[i];
		if (!found)
			return false;
	}
	return key->count > 0 && key->count == edge->count;
}

/* Returns true when the edge ends at a complete key, so that it leads to one row. */
static bool ends_at_key(const struct connect_edge *edge)
{
	if (has_same_columns(edge, &edge->to->key, 1))
		return true;
	for (size_t i = 0; i < edge->to->other_key_count; i++)
		if (has_same_columns(edge, &edge->to->other_keys[i], 1))
			return true;
	return false;
}

static bool is_id_taken(const struct connect *c, const char *id, size_t before)
{
	for (size_t i = 0; i < before; i++)
		if (strcmp(c->edges[i].id, id) == 0)
			return true;
	return false;
}

void connect_name_edges(struct connect *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->edge_count; i++) {
		struct connect_edge edge = c->edges[i];

		if (!ends_at_key(&edge)) {
			connect_note(c, "edge",
				     arena_printf(c->a, "%s to %s", edge.from->name, edge.to->name),
				     NULL, "skipped: the referenced columns are not a key");
			continue;
		}
		edge.one_to_one = has_same_columns(&edge, &edge.from->key, 0);
		edge.id = arena_printf(c->a, "%s_%s", edge.from->entity, edge.to->entity);
		if (is_id_taken(c, edge.id, kept))
			edge.id = arena_printf(c->a, "%s_%s", edge.id,
					       edge.from->columns[edge.on[0][0]].name);
		for (int n = 2; is_id_taken(c, edge.id, kept); n++)
			edge.id = arena_printf(c->a, "%s_%s_%d", edge.from->entity, edge.to->entity,
					       n);
		c->edges[kept++] = edge;
	}
	c->edge_count = kept;
}
