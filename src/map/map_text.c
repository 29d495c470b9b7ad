/*
 * The map as text for prompts: entities and edges without columns, or columns and edges of a few
 * requested tables. Equal permissions give equal bytes, so a prompt's prefix can be cached.
 */
#include "map_int.h"

#include <ctype.h>
#include <inttypes.h>
#include <langinfo.h>
#include <stdio.h>
#include <string.h>

#define MILLION         1000000
#define VALUE_INT_BYTES 24

/* Returns true if the caller may see every entity of the edge. */
static bool may_edge(const struct principal *who, const struct edge_def *g)
{
	return map_may_entity(who, g->from) && map_may_entity(who, g->to) &&
	       (!g->via || map_may_entity(who, g->via));
}

static void write_levels(const struct entity_def *n, struct buf *out)
{
	for (size_t i = 0; i < n->levels.count; i++)
		buf_printf(out, "%s%s", i ? "," : " levels ", n->levels.values[i].value);
}

/* Returns true if the join table is named by the pack's rule. */
static bool has_rule_name(const struct protocol_def *p, const struct edge_def *g)
{
	char name[3 * MAP_NAME_BYTES_MAX];
	const char *from = p && p->via ? strstr(p->via, "{from}") : NULL;
	const char *to = from ? strstr(from, "{to}") : NULL;

	if (!to)
		return false;
	snprintf(name, sizeof(name), "%.*s%s%.*s%s%s", (int)(from - p->via), p->via, g->from->name,
		 (int)(to - from - 6), from + 6, g->to->name, to + 4);
	return strcmp(name, g->via->name) == 0;
}

/* Appends the edges by name only: " -> ent_programs, ent_risks*". */
static void write_edges(const struct map *m, const struct principal *who,
			const struct entity_def *n, struct buf *out)
{
	const struct protocol_def *p = schema_protocol(m->schema, n->pack);
	const char *before = " -> ";

	for (size_t i = 0; i < m->schema->edge_count; i++) {
		const struct edge_def *g = m->schema->edges[i];

		if (g->from != n || !may_edge(who, g))
			continue;
		buf_printf(out, "%s%s%s", before, g->to->name,
			   g->cardinality == CARDINALITY_NM ? "*" : "");
		if (g->via && p && !has_rule_name(p, g))
			buf_printf(out, " by %s", g->via->name);
		before = ", ";
	}
}

static void write_metrics(const struct map *m, const struct principal *who, struct buf *out)
{
	const char *before = "metrics: ";

	for (size_t i = 0; i < m->schema->metric_count; i++) {
		if (m->schema->metrics[i]->is_implied ||
		    !map_may_metric(who, m->schema->metrics[i]))
			continue;
		buf_printf(out, "%s%s", before, m->schema->metrics[i]->name);
		before = ", ";
	}
	if (*before == ',')
		buf_char(out, '\n');
}

static void write_chains(const struct map *m, const struct principal *who, struct buf *out)
{
	for (size_t i = 0; i < m->schema->chain_count; i++) {
		const struct chain_def *c = m->schema->chains[i];
		bool all = true;

		for (const struct entity_def *const *n = c->entities; *n; n++)
			all = all && map_may_entity(who, *n);
		if (!all)
			continue;
		buf_printf(out, "chain %s (%s):", c->id, c->about);
		for (const struct entity_def *const *n = c->entities; *n; n++)
			buf_printf(out, "%s%s", n == c->entities ? " " : " - ", (*n)->name);
		buf_char(out, '\n');
	}
}

/* Returns true if a name ends in these words: "ent_data_sets" and "data sets". */
static bool ends_in_words(const char *name, const char *words)
{
	size_t n = strlen(name), w = strlen(words);

	for (size_t i = 0; w <= n && i < w; i++)
		if (name[n - w + i] != (words[i] == ' ' ? '_' : words[i]))
			return false;
	return w <= n;
}

void map_compact(const struct map *m, const struct principal *who, struct buf *out)
{
	for (size_t i = 0; i < m->schema->entity_count; i++) {
		const struct entity_def *n = m->schema->entities[i];

		if (n->kind == ENTITY_LINK || !map_may_entity(who, n))
			continue;
		buf_printf(out, "%s", n->name);
		if (!ends_in_words(n->name, n->plural) && !ends_in_words(n->name, n->label))
			buf_printf(out, " (%s)", n->plural);
		write_levels(n, out);
		write_edges(m, who, n, out);
		buf_char(out, '\n');
	}
	write_chains(m, who, out);
	write_metrics(m, who, out);
}

/* ---- a query ---- */

static const struct entity_def *row_entity(const struct map_query *q)
{
	const struct metric_def *m = q->metric_count > 0 ? q->metrics[0] : NULL;

	if (!m)
		return q->list;
	return m->measure ? m->measure->entity : m->left->measure->entity;
}

/* "By month" refers to the rows' own time; a grain of another dimension names the dimension. */
static void describe_by(const struct map_query *q, const struct map_by *by, struct buf *out)
{
	if (by->grain && by->dimension == row_entity(q)->time) {
		buf_str(out, grain_name(by->grain));
		return;
	}
	buf_str(out, by->dimension->label);
	if (by->grain)
		buf_printf(out, " (%s)", grain_name(by->grain));
}

static const char *subject_of(const struct map *m, const struct map_query *q, struct arena *a)
{
	const struct language *l = m->catalog->language;
	struct buf what, by;
	const char *text;

	buf_init(&what, MAP_TEXT_BYTES_MAX);
	buf_init(&by, MAP_TEXT_BYTES_MAX);
	if (q->list)
		buf_str(&what, q->list->plural);
	for (size_t i = 0; i < q->metric_count; i++)
		buf_printf(&what, "%s%s", i ? ", " : "", q->metrics[i]->label);
	for (size_t i = 0; i < q->by_count && !q->by[i].hidden; i++) {
		buf_str(&by, i ? ", " : "");
		describe_by(q, &q->by[i], &by);
	}
	text = q->by_count > 0 ? sentence(l, SAY_MAP_BY, a, buf_text(&what), buf_text(&by))
			       : arena_strdup(a, buf_text(&what));
	buf_deinit(&by);
	buf_deinit(&what);
	return text;
}

/* Returns true if an amount is unchanged when it is shortened. A limit of 2,149,000 must not be
 * shown as "$2.15M". */
static bool is_round(const char *digits, const struct unit_def *unit)
{
	struct decimal d, part;
	int64_t step;

	if (unit->style != STYLE_MONEY || !decimal_parse(digits, &d))
		return true;
	step = decimal_cmp(d, decimal_int(MILLION)) >= 0 ? MILLION / 100 : 100;
	return decimal_cmp(d, decimal_int(1000)) < 0 ||
	       (decimal_div(d, decimal_int(step), DECIMAL_SCALE_MAX, &part) &&
		decimal_cmp(part, decimal_round(part, 0)) == 0);
}

/* The process has the locale "C". */
const char *map_weekday(int64_t day)
{
	return nl_langinfo(DAY_1 + (nl_item)(day % 7));
}

static void describe_values(const struct map *m, const struct value *values, size_t count,
			    const struct unit_def *unit, map_number_fn *put_number, struct buf *out)
{
	char digits[VALUE_INT_BYTES];

	for (size_t i = 0; i < count; i++) {
		const char *text = values[i].text;

		snprintf(digits, sizeof(digits), "%" PRId64, values[i].number);
		if (values[i].type == VALUE_INT)
			text = digits;
		buf_str(out, i ? ", " : " ");
		if (text && unit && is_round(text, unit))
			put_number(out, &m->catalog->units, text, unit->symbol);
		else
			buf_str(out, text ? text : "");
	}
}

/* Language-independent signs. */
static const char *const signs[WHERE_OPS] = {
	[OP_IS] = "=",        [OP_NOT] = "≠",       [OP_OVER] = ">",    [OP_AT_LEAST] = "≥",
	[OP_UNDER] = "<",     [OP_AT_MOST] = "≤",   [OP_BETWEEN] = "∈", [OP_CONTAINS] = "∋",
	[OP_MISSING] = "= ∅", [OP_PRESENT] = "≠ ∅",
};

const char *map_op_sign(enum where_op op)
{
	return signs[op];
}

static void describe_comparison(struct buf *out, const char **before, const char *label,
				enum where_op op)
{
	buf_printf(out, "%s%s %s", *before, label, signs[op]);
	*before = "; ";
}

/* A condition on presence names the entity ("Risks with a control"), not its title column. */
static const char *label_of(const struct map_where *w)
{
	const struct dimension_def *d = w->dimension;

	if (!d)
		return w->measure->label;
	return (w->op == OP_PRESENT || w->op == OP_MISSING) && d->map.column == d->map.entity->title
		       ? d->map.entity->label
		       : d->label;
}

/* A named condition with its definition: "Overdue (finish < 2026-02-27, task status ≠
 * Completed)". */
static void describe_named(const struct map *m, const struct map_where *w, const char **before,
			   map_number_fn *put_number, struct buf *out)
{
	buf_printf(out, "%s%s%s", *before, w->op == OP_NOT ? "≠ " : "", w->condition->label);
	*before = " (";
	for (size_t i = 0; i < w->all_count; i++) {
		describe_comparison(out, before, w->all[i].dimension->label, w->all[i].op);
		describe_values(m, w->all[i].values, w->all[i].count, NULL, put_number, out);
		*before = ", ";
	}
	buf_char(out, ')');
	*before = "; ";
}

static void describe_weekdays(const struct map_where *w, struct buf *out)
{
	for (size_t i = 0; i < w->count; i++)
		buf_printf(out, "%s %s", i ? "," : "", map_weekday(w->values[i].number));
}

static void describe_conditions(const struct map *m, const struct map_query *q,
				map_number_fn *put_number, struct buf *out)
{
	const char *before = " (";
	char start[DATE_ISO_BYTES], end[DATE_ISO_BYTES];

	for (size_t i = 0; i < q->where_count; i++) {
		const struct map_where *w = &q->where[i];

		if (w->condition) {
			describe_named(m, w, &before, put_number, out);
			continue;
		}
		describe_comparison(out, &before, label_of(w), w->op);
		if (w->grain == GRAIN_WEEKDAY)
			describe_weekdays(w, out);
		else
			describe_values(m, w->values, w->count,
					w->measure ? w->measure->unit : NULL, put_number, out);
	}
	for (size_t i = 0; i < q->having_count; i++) {
		describe_comparison(out, &before, q->having[i].metric->label, q->having[i].op);
		describe_values(m, q->having[i].values, q->having[i].count,
				q->having[i].metric->unit, put_number, out);
	}
	if (q->period.is_set) {
		date_iso(q->period.start, start);
		date_iso(q->period.end, end);
		buf_str(out, before);
		if (!row_entity(q)->time)
			buf_printf(out, "%s ", schema_time(m->schema, row_entity(q))->label);
		buf_printf(out, "%s – %s", start, end);
		before = "; ";
	}
	if (*before == ';')
		buf_char(out, ')');
}

void map_describe(const struct map *m, const struct map_query *q, map_number_fn *put_number,
		  struct arena *a, struct buf *out)
{
	const struct language *l = m->catalog->language;
	struct buf whole;

	buf_init(&whole, MAP_TEXT_BYTES_MAX);
	buf_str(&whole, subject_of(m, q, a));
	describe_conditions(m, q, put_number, &whole);
	if (q->rows)
		buf_str(out, sentence(l, q->from_bottom ? SAY_MAP_LAST : SAY_MAP_FIRST, a,
				      buf_text(&whole), arena_printf(a, "%" PRId64, q->rows)));
	else
		buf_str(out, buf_text(&whole));
	if (out->n > 0)
		out->p[0] = (char)toupper((unsigned char)out->p[0]);
	buf_deinit(&whole);
}

/* ---- names ---- */

static void add_name(struct buf *out, const char **before, const char *name)
{
	buf_printf(out, "%s%s", *before, name);
	*before = ", ";
}

static void add_metrics(const struct map *m, const struct principal *who, struct buf *out)
{
	const char *before = "metrics: ";

	for (size_t i = 0; i < m->schema->metric_count; i++)
		if (map_may_metric(who, m->schema->metrics[i]))
			add_name(out, &before, m->schema->metrics[i]->name);
}

static void add_entities(const struct map *m, const struct principal *who, struct buf *out)
{
	const char *before = "\nentities: ";

	for (size_t i = 0; i < m->schema->entity_count; i++) {
		const struct entity_def *n = m->schema->entities[i];

		if (n->kind == ENTITY_LISTED && map_may_entity(who, n))
			add_name(out, &before, n->name);
	}
}

/* Dimensions with loaded values, then plain ones. */
static void add_dimensions(const struct map *m, const struct principal *who, struct buf *out)
{
	const char *before = "\ndimensions: ";

	for (size_t i = 0; i < m->catalog->dimension_count; i++) {
		const struct dimension_def *d = &m->catalog->dimensions[i];

		if (d->map.entity && map_may_dimension(who, d))
			add_name(out, &before, d->name);
	}
	for (size_t i = 0; i < m->schema->plain_count; i++)
		if (map_may_dimension(who, m->schema->plain[i]))
			add_name(out, &before, m->schema->plain[i]->name);
}

static void add_conditions(const struct map *m, const struct principal *who,
			   const struct entity_def *of, const char *first, struct buf *out)
{
	const char *before = first;

	for (size_t i = 0; i < m->schema->condition_count; i++) {
		const struct condition_def *c = m->schema->conditions[i];

		if ((!of || c->entity == of) && map_may_condition(who, c))
			add_name(out, &before, c->name);
	}
}

void map_names(const struct map *m, const struct principal *who, struct buf *out)
{
	add_metrics(m, who, out);
	add_entities(m, who, out);
	add_dimensions(m, who, out);
	add_conditions(m, who, NULL, "\nconditions: ", out);
	buf_char(out, '\n');
}

/* ---- columns and edges of a few tables ---- */

static void write_pairs(const struct edge_pair *on, size_t count, const char *left,
			const char *right, bool first, struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s%s.%s = %s.%s", first && i == 0 ? "" : " AND ", left,
			   on[i].left->name, right, on[i].right->name);
}

static void write_join(const struct edge_def *g, struct buf *out)
{
	buf_printf(out, "  join %s %s %s", g->from->view->name, cardinality_name(g->cardinality),
		   g->to->view->name);
	if (g->via)
		buf_printf(out, " via %s", g->via->view->name);
	buf_str(out, ": ");
	write_pairs(g->on, g->on_count, g->from->name, g->via ? g->via->name : g->to->name, true,
		    out);
	if (g->via)
		write_pairs(g->on_to, g->on_to_count, g->via->name, g->to->name, false, out);
	buf_char(out, '\n');
}

static void write_columns(const struct principal *who, const struct entity_def *n, struct buf *out)
{
	const struct view_def *v = n->view;
	const char *before = "";

	buf_printf(out, "%s = %s (", n->name, v->name);
	for (size_t i = 0; i < v->column_count; i++) {
		const struct view_column *c = &v->columns[i];

		if (strcmp(c->plain, "tenant_id") == 0 ||
		    (who && c->permission && !may(who, c->permission)))
			continue;
		buf_printf(out, "%s%s", before, c->name);
		if (c->has_type && c->type != COLUMN_TEXT)
			buf_printf(out, " %s", column_type_name(c->type));
		before = ", ";
	}
	buf_printf(out, "): %s\n", n->about);
}

/* Appends the names of this entity that query_metrics accepts. */
static void write_accepted_names(const struct map *m, const struct principal *who,
				 const struct entity_def *n, struct buf *out)
{
	const struct catalog *c = m->catalog;
	const char *before = "  metrics: ";

	for (size_t i = 0; i < m->schema->metric_count; i++) {
		const struct metric_def *one = m->schema->metrics[i];

		if (one->measure && one->measure->entity == n && map_may_metric(who, one))
			add_name(out, &before, one->name);
	}
	before = *before == ',' ? "; dimensions: " : "  dimensions: ";
	for (size_t i = 0; i < c->dimension_count; i++)
		if (c->dimensions[i].map.entity == n && map_may_dimension(who, &c->dimensions[i]))
			add_name(out, &before, c->dimensions[i].name);
	for (size_t i = 0; i < m->schema->plain_count; i++)
		if (m->schema->plain[i]->map.entity == n &&
		    map_may_dimension(who, m->schema->plain[i]))
			add_name(out, &before, m->schema->plain[i]->name);
	add_conditions(m, who, n, *before == ',' ? "; conditions: " : "  conditions: ", out);
	if (out->n > 0 && out->p[out->n - 1] != '\n')
		buf_char(out, '\n');
}

/* Lists the names that are not tables this caller may see; NULL: none. */
static const char *unknown_of(const struct map *m, const struct principal *who,
			      const char *const *names, size_t count, char *text, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct entity_def *found = schema_entity(m->schema, names[i]);

		if ((!found || !map_may_entity(who, found)) && n < size)
			n += (size_t)snprintf(text + n, size - n, "%s%.*s", n ? ", " : "",
					      STR_CUT(names[i], 60));
	}
	return n ? text : NULL;
}

bool map_schema(const struct map *m, const struct principal *who, const char *const *entities,
		size_t count, struct buf *out, struct map_problem *why, struct err *e)
{
	const struct entity_def *chosen[MAP_SCHEMA_TABLES_MAX];
	bool is_requested[MAP_ENTITIES_MAX] = {false};
	char unknown[sizeof(e->text) / 2];

	*why = (struct map_problem){0};
	if (count == 0 || count > MAP_SCHEMA_TABLES_MAX)
		return map_fail(why, MAP_BAD_VALUE, "tables", e,
				"%zu tables were requested; request 1 to %d", count,
				MAP_SCHEMA_TABLES_MAX);
	if (unknown_of(m, who, entities, count, unknown, sizeof(unknown)))
		return map_fail(why, MAP_UNKNOWN_NAME, "tables", e, "the map has no table %s",
				unknown);
	for (size_t i = 0; i < count; i++) {
		chosen[i] = schema_entity(m->schema, entities[i]);
		is_requested[chosen[i]->index] = true;
	}
	for (size_t i = 0; i < count; i++) {
		write_columns(who, chosen[i], out);
		write_accepted_names(m, who, chosen[i], out);
	}
	for (size_t i = 0; i < m->schema->edge_count; i++) {
		const struct edge_def *g = m->schema->edges[i];

		if (is_requested[g->from->index] && is_requested[g->to->index] && may_edge(who, g))
			write_join(g, out);
	}
	return true;
}

/* ---- all tables without their columns ---- */

void map_structure(const struct map *m, const struct principal *who, struct buf *out)
{
	for (size_t i = 0; i < m->schema->entity_count; i++) {
		const struct entity_def *n = m->schema->entities[i];
		const char *before = "";

		if (!map_may_entity(who, n))
			continue;
		buf_printf(out, "%s = %s, key (", n->name, n->view->name);
		for (const struct view_column *const *c = n->key; *c; c++)
			add_name(out, &before, (*c)->name);
		buf_str(out, ")\n");
	}
	for (size_t i = 0; i < m->schema->edge_count; i++)
		if (may_edge(who, m->schema->edges[i]))
			write_join(m->schema->edges[i], out);
}
