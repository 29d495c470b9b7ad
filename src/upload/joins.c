/*
 * Joins that owners declare between two of their data sources: rows match where one column of each
 * has the same value. A join is in use while one side's column is unique; it is then an edge of the
 * map for users who may use both.
 */
#include "upload_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

static int64_t int_of(const json_t *object, const char *member)
{
	return json_integer_value(json_object_get(object, member));
}

bool join_is_unique(const json_t *column, int64_t rows)
{
	return json_is_true(json_object_get(column, "distinct_exact")) &&
	       int_of(column, "distinct") == rows - int_of(column, "nulls");
}

const char *join_cardinality(const json_t *left, int64_t left_rows, const json_t *right,
			     int64_t right_rows)
{
	bool one = join_is_unique(left, left_rows), other = join_is_unique(right, right_rows);

	return one ? other ? "1:1" : "1:n" : other ? "n:1" : "n:m";
}

/* ---- declaring them ---- */

/* Columns of the version in use. Owned by the arena; NULL: no table is loaded. */
static const json_t *columns_of(const struct upload_view *v, struct arena *a)
{
	json_t *profile;
	struct err e;

	if (v->source->kind != SOURCE_TABLE || !v->current || !v->current->profile ||
	    !json_parse(v->current->profile, strlen(v->current->profile),
			DATA_SOURCE_PROFILE_BYTES_MAX, &profile, &e))
		return NULL;
	return json_object_get(json_own(a, profile), "columns");
}

static bool fail_missing_column(const struct upload_view *v, const char *column, struct err *e)
{
	return err_set(e, ERR_INPUT, "joins: %.*s has no column %.*s", STR_CUT(v->source->name, 60),
		       STR_CUT(column, 60));
}

static bool join_check(const struct upload_view *v, const struct upload_view *to,
		       const struct upload_join *j, struct arena *a, struct err *e)
{
	const json_t *left_columns = columns_of(v, a), *right_columns = columns_of(to, a);
	const json_t *left = profile_column(left_columns, j->column),
		     *right = profile_column(right_columns, j->other_column);
	const char *found;

	if (!left_columns || !right_columns)
		return err_set(e, ERR_INPUT, "joins: both data sources must be loaded tables");
	if (!left)
		return fail_missing_column(v, j->column, e);
	if (!right)
		return fail_missing_column(to, j->other_column, e);
	if (strcmp(json_text_at(left, "type"), json_text_at(right, "type")) != 0)
		return err_set(e, ERR_INPUT,
			       "joins: %.*s of %.*s has type %s, but %.*s of %.*s has type %s. "
			       "Join columns of the same type",
			       STR_CUT(j->column, 60), STR_CUT(v->source->name, 60),
			       json_text_at(left, "type"), STR_CUT(j->other_column, 60),
			       STR_CUT(to->source->name, 60), json_text_at(right, "type"));
	found = join_cardinality(left, v->current->rows, right, to->current->rows);
	if (strcmp(found, "n:m") == 0)
		return err_set(e, ERR_INPUT,
			       "joins: neither %.*s nor %.*s is known to be unique (among up to "
			       "%d different values), so rows could be counted more than once. "
			       "Choose a unique column on one side",
			       STR_CUT(j->column, 60), STR_CUT(j->other_column, 60),
			       STATS_DISTINCT_EXACT);
	return !j->cardinality || strcmp(j->cardinality, found) == 0 ||
	       err_set(e, ERR_INPUT, "joins: the cardinality of %.*s and %.*s is %s, not %s",
		       STR_CUT(j->column, 60), STR_CUT(j->other_column, 60), found, j->cardinality);
}

/* True if `from` declares a join to `to`. Callers check the reverse direction, so that two data
 * sources have at most one join. */
static bool has_join(const struct tenant_uploads *t, const char *from, const char *to)
{
	for (size_t i = 0; i < t->joins.count; i++)
		if (strcmp(t->joins.items[i].source, from) == 0 &&
		    strcmp(t->joins.items[i].other, to) == 0)
			return true;
	return false;
}

bool uploads_joins_check(const struct uploads *u, const struct principal *who,
			 const struct upload_view *v, const struct upload_join *list, size_t count,
			 struct err *e)
{
	const struct tenant_uploads *t = uploads_tenant(u, who->tenant);
	struct arena *a;
	bool ok = true;

	if (count > DATA_SOURCE_JOINS_MAX)
		return err_set(e, ERR_INPUT, "joins: at most %d joins are allowed",
			       DATA_SOURCE_JOINS_MAX);
	for (size_t i = 0; i < count && ok; i++) {
		const struct upload_join *j = &list[i];
		struct upload_view to;

		for (size_t k = 0; k < i; k++)
			if (strcmp(list[k].to, j->to) == 0)
				return err_set(
					e, ERR_INPUT,
					"joins: only one join with each data source is allowed");
		if (!uploads_find(u, who, j->to, &to) || !to.is_owner || to.source == v->source)
			return err_set(e, ERR_INPUT,
				       "joins: \"to\" must name another data source of yours");
		if (has_join(t, j->to, v->source->uid))
			return err_set(e, ERR_INPUT,
				       "joins: %.*s already declares a join with this data source. "
				       "Remove that one first",
				       STR_CUT(to.source->name, 60));
		a = arena_new(8 * DATA_SOURCE_PROFILE_BYTES_MAX);
		ok = join_check(v, &to, j, a, e);
		arena_free(&a);
	}
	return ok;
}

/* ---- showing them ---- */

static json_t *join_json(const struct upload_view *v, const struct upload_view *to,
			 const struct stored_join *j, struct arena *a)
{
	bool is_declared_here = strcmp(j->source, v->source->uid) == 0;
	const char *column = is_declared_here ? j->column : j->other_column;
	const char *other = is_declared_here ? j->other_column : j->column;
	const json_t *left = profile_column(columns_of(v, a), column);
	const json_t *right = profile_column(columns_of(to, a), other);
	const char *cardinality =
		left && right ? join_cardinality(left, v->current->rows, right, to->current->rows)
			      : "n:m";
	json_t *pair = json_array(), *on = json_array();

	json_push_take(pair, json_str(column));
	json_push_take(pair, json_str(other));
	json_push_take(on, pair);
	return json_make({"to", json_str(to->source->uid)}, {"name", json_str(to->source->name)},
			 {"on", on}, {"cardinality", json_str(cardinality)},
			 {"stated", json_boolean(is_declared_here)},
			 {"in_use", json_boolean(strcmp(cardinality, "n:m") != 0)});
}

json_t *uploads_joins(const struct uploads *u, const struct principal *who,
		      const struct upload_view *v)
{
	const struct tenant_uploads *t = uploads_tenant(u, who->tenant);
	json_t *list = json_array();

	for (size_t i = 0; i < t->joins.count; i++) {
		const struct stored_join *j = &t->joins.items[i];
		bool from = strcmp(j->source, v->source->uid) == 0;
		struct upload_view to;
		struct arena *a;

		if ((!from && strcmp(j->other, v->source->uid) != 0) ||
		    !uploads_find(u, who, from ? j->other : j->source, &to))
			continue;
		a = arena_new(8 * DATA_SOURCE_PROFILE_BYTES_MAX);
		json_push_take(list, join_json(v, &to, j, a));
		arena_free(&a);
	}
	return list;
}

/* ---- as edges ---- */

static const struct joined_source *joined_find(const struct joined_source *list, size_t count,
					       const char *uid)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].uid, uid) == 0)
			return &list[i];
	return NULL;
}

json_t *joins_members(const struct tenant_uploads *t, const struct joined_source *one)
{
	json_t *also = json_array();

	for (size_t i = 0; i < t->joins.count; i++) {
		const struct stored_join *j = &t->joins.items[i];
		const char *name = strcmp(j->source, one->uid) == 0  ? j->column
				   : strcmp(j->other, one->uid) == 0 ? j->other_column
								     : NULL;
		const json_t *column = name ? profile_column(one->columns, name) : NULL;

		if (column && join_is_unique(column, one->rows))
			json_push_take(also, json_list_of(json_str(name)));
	}
	return also;
}

static json_t *edge_json(const struct joined_source *from, const char *column,
			 const struct joined_source *to, const char *other, const char *cardinality,
			 struct arena *a)
{
	json_t *pair = json_array(), *on = json_array();

	json_push_take(pair, json_str(arena_printf(a, "%s.%s", from->entity, column)));
	json_push_take(pair, json_str(arena_printf(a, "%s.%s", to->entity, other)));
	json_push_take(on, pair);
	return json_make({"id", json_str(arena_printf(a, "%s_%s", from->entity, to->entity))},
			 {"from", json_str(from->entity)}, {"to", json_str(to->entity)},
			 {"cardinality", json_str(cardinality)}, {"partial", json_boolean(true)},
			 {"on", on});
}

/* Concurrent requests may declare the same pair from both sides: only the first is used. */
static bool is_reverse_duplicate(const struct tenant_uploads *t, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(t->joins.items[i].source, t->joins.items[at].other) == 0 &&
		    strcmp(t->joins.items[i].other, t->joins.items[at].source) == 0)
			return true;
	return false;
}

json_t *joins_edges(const struct tenant_uploads *t, const struct joined_source *list, size_t count,
		    struct arena *a)
{
	json_t *edges = json_array();

	for (size_t i = 0; i < t->joins.count; i++) {
		const struct stored_join *j = &t->joins.items[i];
		const struct joined_source *one = joined_find(list, count, j->source);
		const struct joined_source *two = joined_find(list, count, j->other);
		const json_t *left = one ? profile_column(one->columns, j->column) : NULL;
		const json_t *right = two ? profile_column(two->columns, j->other_column) : NULL;
		const char *cardinality;

		if (!left || !right || is_reverse_duplicate(t, i) ||
		    strcmp(json_text_at(left, "type"), json_text_at(right, "type")) != 0)
			continue;
		cardinality = join_cardinality(left, one->rows, right, two->rows);
		if (strcmp(cardinality, "1:n") == 0)
			json_push_take(edges,
				       edge_json(two, j->other_column, one, j->column, "n:1", a));
		else if (strcmp(cardinality, "n:m") != 0)
			json_push_take(edges, edge_json(one, j->column, two, j->other_column,
							cardinality, a));
	}
	return edges;
}
