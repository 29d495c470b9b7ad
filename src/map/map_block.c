/*
 * Writes one SELECT that aggregates rows of one entity: groups, conditions, the latest version of
 * each row, and stocks over time. A query that would count a row twice is refused here.
 */
#include "map_int.h"

#include <string.h>

#include "vesper/language.h"

struct block {
	struct map_writer *w;
	struct map_select s;
	const struct map_part *parts;
	size_t count;
	const struct entity_def *keys; /* the entity to group by; NULL: the query's `by` */
	const char *groups[MAP_GROUPS_MAX];
	size_t group_count;
	const struct view_column *const *index; /* covering index; NULL: none */
	struct buf joins;                       /* joins that restrict the rows */
	struct buf conditions;                  /* AND … */
};

static const struct measure_def *measure_of(const struct block *b)
{
	return b->parts[0].metric->measure;
}

bool map_parts_share(const struct map_part *a, const struct map_part *b)
{
	const struct measure_def *x = a->metric->measure, *y = b->metric->measure;

	return x->entity == y->entity && a->is_before == b->is_before &&
	       a->metric->where_count + b->metric->where_count == 0 &&
	       x->where_count + y->where_count == 0 && x->latest.order == y->latest.order &&
	       x->latest.per == y->latest.per && x->over == y->over &&
	       x->additivity != ADDITIVE_SEMI && y->additivity != ADDITIVE_SEMI;
}

/* ---- groups ---- */

/* Explains a fan-out with the entity at its end and two queries that work. */
static bool refuse_fan_out(struct block *b, const struct metric_def *m,
			   const struct dimension_def *d)
{
	const struct language *l = b->w->map->catalog->language;
	const struct entity_def *root = m->measure->entity;
	struct map_problem *why = b->w->why;
	struct arena *a = b->w->arena;

	why->from = root;
	why->to = d->map.entity;
	why->text = sentence(l, SAY_MAP_FAN_OUT, a, m->label, d->label, root->label,
			     d->map.entity->plural);
	/* count the other entity: a count of the root would fan out in the same way */
	map_suggest(why, sentence(l, SAY_MAP_COUNT_INSTEAD, a, d->map.entity->plural, d->label));
	if (root->title)
		map_suggest(why, sentence(l, SAY_MAP_EACH_INSTEAD, a, m->label, root->label));
	return map_fail(why, MAP_FAN_OUT, d->name, b->w->e,
			"%s by %s would count a row of %s more than once", m->name, d->name,
			root->name);
}

/* Returns true if duplicated rows do not change the result. */
static bool ignores_duplicates(const struct measure_def *m)
{
	return m->aggregate == AGGREGATE_MIN || m->aggregate == AGGREGATE_MAX ||
	       (m->aggregate == AGGREGATE_COUNT_DISTINCT && m->entity->key[0] == m->column &&
		!m->entity->key[1]);
}

static bool check_fan_out(struct block *b, const struct dimension_def *d)
{
	struct map_path path;

	if (!map_select_path(&b->s, measure_of(b)->entity, d->map.entity, &path))
		return false;
	if (map_path_is_safe(&path))
		return true;
	for (size_t i = 0; i < b->count; i++)
		if (!ignores_duplicates(b->parts[i].metric->measure))
			return refuse_fan_out(b, b->parts[i].metric, d);
	return true;
}

static bool add_groups(struct block *b)
{
	const struct map_query *q = b->w->query;

	for (size_t i = 0; !b->keys && i < q->by_count; i++)
		if (!check_fan_out(b, q->by[i].dimension) ||
		    !map_select_dimension(&b->s, q->by[i].dimension, q->by[i].grain, false,
					  &b->groups[b->group_count++]))
			return false;
	return true;
}

/* Groups by another entity, which must be reached by many-to-one steps. */
static bool add_keys(struct block *b)
{
	const struct map_alias *at;
	struct map_path path;

	if (!b->keys)
		return true;
	if (!map_select_path(&b->s, measure_of(b)->entity, b->keys, &path) ||
	    !map_select_reach(&b->s, b->keys, false, &at))
		return false;
	if (!map_path_is_safe(&path))
		return map_fail(b->w->why, MAP_FAN_OUT, b->parts[0].metric->name, b->w->e,
				"%s of each %s would count rows more than once",
				b->parts[0].metric->name, b->keys->name);
	for (size_t i = 0; b->keys->key[i]; i++)
		b->groups[b->group_count++] = map_select_column(&b->s, at, b->keys->key[i]);
	return true;
}

/* SQLite prefers an index order with a lookup for each row, although sorting is ten times
 * faster. A "+" before the group prevents the use of the index. */
static bool should_sort(const struct block *b)
{
	return b->w->dialect == DIALECT_SQLITE && *measure_of(b)->entity->indexes &&
	       !(b->index && !b->keys && map_index_is_in_order(b->w->query, b->index));
}

static void write_groups(const struct block *b, const char *prefix, bool named, struct buf *out)
{
	const char *sign = !named && should_sort(b) ? "+" : "";

	for (size_t i = 0; i < b->group_count; i++) {
		buf_printf(out, "%s%s%s", i ? ", " : "", sign, b->groups[i]);
		if (named)
			buf_printf(out, " AS %s%zu", prefix, i + 1);
	}
}

/* ---- conditions ---- */

static struct map_where defined_where(struct block *b, const struct where_def *d)
{
	size_t n = 0;
	struct value *values;

	while (d->values[n])
		n++;
	values = arena_alloc(b->w->arena, (n + 1) * sizeof(*values));
	for (size_t i = 0; i < n; i++)
		values[i] = d->dimension->map.type == COLUMN_INT
				    ? value_int(strtoll(d->values[i], NULL, 10))
				    : value_text(d->values[i]);
	return (struct map_where){.name = d->dimension->name,
				  .dimension = d->dimension,
				  .op = d->op,
				  .values = values,
				  .count = n};
}

static bool add_defined(struct block *b, struct map_select *s, const struct where_def *list,
			size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++) {
		struct map_where w = defined_where(b, &list[i]);

		if (!map_where_write(s, &b->w->binds, &w, out))
			return false;
	}
	return true;
}

/* A default condition of another metric's entity does not apply if there is no path to it. */
static bool applies_to_block(struct block *b, const struct map_where *w)
{
	struct map_path paths[2];

	return w->source != MAP_DEFAULT ||
	       map_path(b->w->map, measure_of(b)->entity, w->dimension->map.entity, b->w->arena,
			paths) == MAP_FOUND;
}

static bool add_period(struct block *b, struct map_select *s, struct buf *out)
{
	const struct map_query *q = b->w->query;
	const struct map_period *p = b->parts[0].is_before ? &q->before : &q->period;
	const struct dimension_def *time = schema_time(b->w->map->schema, measure_of(b)->entity);
	char start[DATE_ISO_BYTES], end[DATE_ISO_BYTES];
	struct value *days = arena_alloc(b->w->arena, 2 * sizeof(*days));

	if (!p->is_set)
		return true;
	date_iso(p->start, start);
	date_iso(p->end, end);
	days[0] = value_date(arena_strdup(b->w->arena, start));
	days[1] = value_date(arena_strdup(b->w->arena, end));
	return map_where_write(s, &b->w->binds,
			       &(struct map_where){.name = time->name,
						   .dimension = time,
						   .op = OP_BETWEEN,
						   .values = days,
						   .count = 2},
			       out);
}

/* `omitted`, `also_omitted`: dimensions whose conditions are not written, or NULL. */
static bool add_conditions(struct block *b, struct map_select *s,
			   const struct dimension_def *omitted,
			   const struct dimension_def *also_omitted, struct buf *out)
{
	const struct map_query *q = b->w->query;
	const struct metric_def *m = b->parts[0].metric;

	for (size_t i = 0; !b->keys && i < q->where_count; i++) {
		const struct map_where *w = &q->where[i];

		if ((omitted && w->dimension == omitted) ||
		    (also_omitted && w->dimension == also_omitted) || !applies_to_block(b, w))
			continue;
		if (!map_where_write(s, &b->w->binds, w, out))
			return false;
	}
	return add_defined(b, s, m->where, m->where_count, out) &&
	       add_defined(b, s, m->measure->where, m->measure->where_count, out) &&
	       (b->keys || add_period(b, s, out));
}

/* ---- versions ---- */

static bool has_condition(const struct map_query *q, const struct dimension_def *d)
{
	for (size_t i = 0; d && i < q->where_count; i++)
		if (q->where[i].dimension == d)
			return true;
	return false;
}

static struct map_select select_of(struct block *b)
{
	return (struct map_select){.map = b->w->map,
				   .arena = b->w->arena,
				   .dialect = b->w->dialect,
				   .why = b->w->why,
				   .e = b->w->e,
				   .next = &b->w->aliases};
}

/* Joins with (SELECT …, MAX(order) …), so that only the newest rows remain. The conditions are
 * repeated inside, so that the newest row is chosen among the matching ones. */
static bool write_newest(struct block *b, const char *name, const char *const *outside,
			 size_t count, const char *const *inside, const struct map_select *in,
			 const struct buf *conditions, const char *function)
{
	struct buf *out = &b->joins;

	buf_str(out, "\nJOIN (SELECT ");
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s AS k%zu, ", inside[i], i + 1);
	buf_printf(out, "%s(%s) AS k0", function, inside[count]);
	map_select_from(in, out);
	map_select_where(in, out);
	buf_str(out, buf_text((struct buf *)(uintptr_t)conditions));
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s%s", i ? ", " : "\nGROUP BY ", inside[i]);
	buf_printf(out, ") %s ON %s.k0 = %s", name, name, outside[count]);
	for (size_t i = 0; i < count; i++)
		/* SQLite uses an index with IS, but compares all rows with OR */
		if (b->w->dialect == DIALECT_SQLITE)
			buf_printf(out, " AND %s.k%zu IS %s", name, i + 1, outside[i]);
		else
			buf_printf(out, " AND (%s.k%zu = %s OR (%s.k%zu IS NULL AND %s IS NULL))",
				   name, i + 1, outside[i], name, i + 1, outside[i]);
	return !buf_over(out);
}

static bool add_latest(struct block *b)
{
	const struct measure_def *m = measure_of(b);
	const char *outside[MAP_GROUPS_MAX + 1 + MAP_PAIRS_MAX],
		*inside[MAP_GROUPS_MAX + 1 + MAP_PAIRS_MAX];
	struct map_select in = select_of(b);
	struct buf conditions;
	size_t n = 0;
	bool good;

	if (!m->latest.order || has_condition(b->w->query, m->latest.order) ||
	    has_condition(b->w->query, m->latest.label))
		return true;
	map_select_begin(&in, m->entity);
	for (; m->latest.per[n] && n < MAP_PAIRS_MAX; n++)
		if (!map_select_dimension(&b->s, m->latest.per[n], 0, true, &outside[n]) ||
		    !map_select_dimension(&in, m->latest.per[n], 0, true, &inside[n]))
			return false;
	if (!map_select_dimension(&b->s, m->latest.order, 0, true, &outside[n]) ||
	    !map_select_dimension(&in, m->latest.order, 0, true, &inside[n]))
		return false;
	buf_init(&conditions, MAP_TEXT_BYTES_MAX);
	good = add_conditions(b, &in, m->latest.order, m->latest.label, &conditions) &&
	       write_newest(b, "v1", outside, n, inside, &in, &conditions, "MAX");
	buf_deinit(&conditions);
	return good;
}

/* ---- stocks ---- */

static bool is_snapshot(const struct measure_def *m)
{
	return m->additivity == ADDITIVE_SEMI && (m->take == TAKE_LAST || m->take == TAKE_FIRST);
}

/* Restricts each group to the rows of its last (or first) moment. */
static bool add_snapshot(struct block *b)
{
	const struct measure_def *m = measure_of(b);
	const struct map_query *q = b->w->query;
	const char *outside[MAP_GROUPS_MAX + 1], *inside[MAP_GROUPS_MAX + 1];
	struct map_select in = select_of(b);
	struct buf conditions;
	bool good = true;

	if (!is_snapshot(m))
		return true;
	map_select_begin(&in, m->entity);
	for (size_t i = 0; i < b->group_count; i++) {
		outside[i] = b->groups[i];
		if (b->keys)
			return map_fail(b->w->why, MAP_NOT_ADDITIVE, b->parts[0].metric->name,
					b->w->e,
					"%s is a stock and cannot be a condition of a list",
					b->parts[0].metric->name);
		if (!map_select_dimension(&in, q->by[i].dimension, q->by[i].grain, false,
					  &inside[i]))
			return false;
	}
	if (!map_select_dimension(&b->s, m->over, 0, true, &outside[b->group_count]) ||
	    !map_select_dimension(&in, m->over, 0, true, &inside[b->group_count]))
		return false;
	buf_init(&conditions, MAP_TEXT_BYTES_MAX);
	good = add_conditions(b, &in, NULL, NULL, &conditions) &&
	       write_newest(b, "v2", outside, b->group_count, inside, &in, &conditions,
			    m->take == TAKE_LAST ? "MAX" : "MIN");
	buf_deinit(&conditions);
	return good;
}

/* ---- the SELECT ---- */

static const char *aggregate_text(struct block *b, const struct measure_def *m)
{
	struct arena *a = b->w->arena;
	const char *c = m->column ? map_select_column(&b->s, &b->s.aliases[0], m->column) : NULL;

	switch (m->aggregate) {
	case AGGREGATE_COUNT:
		return "COUNT(*)";
	case AGGREGATE_COUNT_DISTINCT:
		return arena_printf(a, "COUNT(DISTINCT %s)", c);
	case AGGREGATE_AVG: /* SQL Server's AVG of integers is an integer */
		return b->w->dialect == DIALECT_MSSQL && m->column->type == COLUMN_INT
			       ? arena_printf(a, "AVG(CAST(%s AS decimal(38,10)))", c)
			       : arena_printf(a, "AVG(%s)", c);
	case AGGREGATE_MIN:
		return arena_printf(a, "MIN(%s)", c);
	case AGGREGATE_MAX:
		return arena_printf(a, "MAX(%s)", c);
	default:
		return arena_printf(a, "SUM(%s)", c);
	}
}

/* The aggregate for partial sums by day; these are exact, so the order of addition does not
 * matter. */
static const char *day_function(const struct measure_def *m)
{
	return m->aggregate == AGGREGATE_SUM || m->aggregate == AGGREGATE_AVG ? "EXACT_PART" : NULL;
}

static const char *total_text(struct block *b, const struct map_part *p)
{
	static const char *const functions[] = {
		[AGGREGATE_SUM] = "EXACT_SUM", [AGGREGATE_AVG] = "EXACT_AVG",
		[AGGREGATE_MIN] = "MIN",       [AGGREGATE_MAX] = "MAX",
		[AGGREGATE_COUNT] = "SUM",
	};

	return arena_printf(b->w->arena, "%s(s.%s)", functions[p->metric->measure->aggregate],
			    p->name);
}

/* Aggregates by day in index order, then the days into longer buckets. */
static bool write_by_days(struct block *b, struct buf *out)
{
	const struct map_by *by = &b->w->query->by[0];
	const char *day = map_select_column(&b->s, &b->s.aliases[0], by->dimension->map.column);
	const char *group = map_grain(b->w->dialect, by->grain, COLUMN_DATE, "s.day", b->w->arena);

	buf_printf(out, "SELECT %s AS d1", group);
	for (size_t i = 0; i < b->count; i++)
		buf_printf(out, ", %s AS %s", total_text(b, &b->parts[i]), b->parts[i].name);
	buf_printf(out, "\nFROM (SELECT %s AS day", day);
	for (size_t i = 0; i < b->count; i++) {
		const struct measure_def *m = b->parts[i].metric->measure;
		const char *function = day_function(m);

		buf_printf(out, ", %s AS %s",
			   function ? arena_printf(
					      b->w->arena, "%s(%s)", function,
					      map_select_column(&b->s, &b->s.aliases[0], m->column))
				    : aggregate_text(b, m),
			   b->parts[i].name);
	}
	map_select_from(&b->s, out);
	map_select_where(&b->s, out);
	buf_str(out, buf_text(&b->conditions));
	buf_printf(out, "\nGROUP BY %s) s\nGROUP BY %s", day, group);
	return true;
}

/* A stock is summed at each moment; the result is the mean, minimum or maximum over the moments. */
static const char *over_function(const struct measure_def *m)
{
	if (m->additivity != ADDITIVE_SEMI || is_snapshot(m))
		return NULL;
	return m->take == TAKE_AVG ? "AVG" : m->take == TAKE_MIN ? "MIN" : "MAX";
}

static bool write_select(struct block *b, const char *over, struct buf *out)
{
	const char *prefix = b->keys ? "k" : "d", *moment = NULL;
	const struct measure_def *m = measure_of(b);

	if (b->index && map_index_has_days(b->w->query, b->index, b->parts, b->count))
		return write_by_days(b, out);
	if (over && !map_select_dimension(&b->s, m->over, 0, true, &moment))
		return false;
	buf_str(out, "SELECT ");
	write_groups(b, prefix, true, out);
	for (size_t i = 0; i < b->count; i++)
		buf_printf(out, "%s%s AS %s", i || b->group_count ? ", " : "",
			   aggregate_text(b, b->parts[i].metric->measure), b->parts[i].name);
	map_select_from(&b->s, out);
	buf_str(out, buf_text(&b->joins));
	map_select_where(&b->s, out);
	buf_str(out, buf_text(&b->conditions));
	if (b->group_count || moment)
		buf_str(out, "\nGROUP BY ");
	write_groups(b, prefix, false, out);
	if (moment)
		buf_printf(out, "%s%s", b->group_count ? ", " : "", moment);
	return true;
}

static bool write_over(struct block *b, const char *over, struct buf *out)
{
	const char *name = b->parts[0].name;

	buf_str(out, "SELECT ");
	for (size_t i = 0; i < b->group_count; i++)
		buf_printf(out, "s.d%zu AS d%zu, ", i + 1, i + 1);
	if (b->w->dialect == DIALECT_MSSQL)
		buf_printf(out, "%s(CAST(s.%s AS decimal(38,10))) AS %s FROM (", over, name, name);
	else
		buf_printf(out, "%s(s.%s) AS %s FROM (", over, name, name);
	if (!write_select(b, over, out))
		return false;
	buf_str(out, ") s");
	for (size_t i = 0; i < b->group_count; i++)
		buf_printf(out, "%ss.d%zu", i ? ", " : "\nGROUP BY ", i + 1);
	return true;
}

bool map_block_write(struct map_writer *w, const struct map_part *parts, size_t count,
		     const struct entity_def *keys, struct buf *out)
{
	struct block *b = arena_alloc(w->arena, sizeof(*b));
	const char *over;
	bool good;

	*b = (struct block){.w = w, .parts = parts, .count = count, .keys = keys};
	b->index = keys ? NULL : map_index(w, parts, count);
	b->s = select_of(b);
	b->s.scans = w->dialect == DIALECT_SQLITE && !b->index;
	over = over_function(measure_of(b));
	buf_init(&b->joins, MAP_TEXT_BYTES_MAX);
	buf_init(&b->conditions, MAP_TEXT_BYTES_MAX);
	map_select_begin(&b->s, measure_of(b)->entity);
	good = add_groups(b) && add_keys(b) &&
	       add_conditions(b, &b->s, NULL, NULL, &b->conditions) && add_latest(b) &&
	       add_snapshot(b) && (over ? write_over(b, over, out) : write_select(b, NULL, out));
	buf_deinit(&b->joins);
	buf_deinit(&b->conditions);
	return good;
}
