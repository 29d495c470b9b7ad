/* Builds the pack of a database, in the grammar of vesper/schema.h. */
#include <string.h>

#include "connect_int.h"
#include "map/pack_files.h"
#include "vesper/json.h"
#include "vesper/limits.h"

#define SHOW_MAX 6 /* columns that fit a list */

static bool is_date(const struct connect_column *col)
{
	return col->family == FAMILY_DATE || col->family == FAMILY_DATETIME;
}

static json_t *column_names_json(const struct connect_table *t, const struct connect_key *k)
{
	json_t *names = json_array();

	for (size_t i = 0; i < k->count; i++)
		json_push_take(names, json_str(t->columns[k->columns[i]].name));
	return names;
}

/* ---- views ---- */

static void add_view(const struct connect *c, const struct connect_table *t, struct ctl_pack *out)
{
	json_t *columns = json_array();

	for (size_t i = 0; i < t->column_count; i++) {
		const struct connect_column *col = &t->columns[i];
		const char *name = connect_is_plain_name(c, col->name)
					   ? col->name
					   : arena_printf(c->a, "\"%s\"", col->name);
		json_t *item = json_make({"name", json_str(name)},
					 {"type", json_str(connect_family_name(col->family))});

		if (!col->nullable)
			json_set_bool(item, "nullable", false);
		json_push_take(columns, item);
	}
	json_push_take(
		out->views,
		json_make({"name", json_str(arena_printf(c->a, "%s.%s", t->schema, t->name))},
			  {"about", json_str(arena_printf(c->a, "one row for each %s", t->label))},
			  {"permission", json_str(arena_printf(c->a, "%s:read", c->pack))},
			  {"columns", columns}));
}

/* ---- entities ---- */

static json_t *shown_fields_json(const struct connect_table *t)
{
	json_t *show = json_array();

	if (t->title && t->title->dimension)
		json_push_take(show, json_str(t->title->dimension));
	for (size_t i = 0; i < t->column_count && json_array_size(show) < SHOW_MAX; i++) {
		const struct connect_column *col = &t->columns[i];
		const char *name = col->dimension ? col->dimension : col->measure;

		if (name && col != t->title)
			json_push_take(show, json_str(name));
	}
	return show;
}

static void add_entity(const struct connect *c, const struct connect_table *t, struct ctl_pack *out)
{
	json_t *other_keys = json_array(), *item;

	for (size_t i = 0; i < t->other_key_count; i++)
		json_push_take(other_keys, column_names_json(t, &t->other_keys[i]));
	item = json_make(
		{"name", json_str(t->entity)}, {"label", json_str(t->label)},
		{"plural", json_str(t->plural)},
		{"about", json_str(arena_printf(c->a, "one row for each %s", t->label))},
		{"view", json_str(arena_printf(c->a, "%s.%s", t->schema, t->name))},
		{"key", column_names_json(t, &t->key)},
		{"also", json_array_size(other_keys) ? json_incref(other_keys) : NULL},
		{"title", t->title ? json_str(t->title->name) : NULL},
		{"time", t->time && t->time->dimension ? json_str(t->time->dimension) : NULL},
		{"kind", json_str(t->is_link ? "link"
				  : t->title ? "entity"
					     : "fact")},
		{"show", t->is_link ? NULL : shown_fields_json(t)});
	json_decref(other_keys);
	json_push_take(out->entities, item);
	if (!t->is_link)
		json_push_take(out->nouns, json_str(t->label));
}

/* ---- edges ---- */

static void add_pairs(const struct connect *c, const struct connect_edge *edge, json_t *on)
{
	for (size_t i = 0; i < edge->count; i++) {
		json_t *pair = json_array();

		json_push_take(pair,
			       json_str(arena_printf(c->a, "%s.%s", edge->from->entity,
						     edge->from->columns[edge->on[i][0]].name)));
		json_push_take(pair,
			       json_str(arena_printf(c->a, "%s.%s", edge->to->entity,
						     edge->to->columns[edge->on[i][1]].name)));
		json_push_take(on, pair);
	}
}

static void add_edge(const struct connect *c, const struct connect_edge *edge, struct ctl_pack *out)
{
	json_t *on = json_array();
	bool is_optional = false;

	for (size_t i = 0; i < edge->count; i++)
		is_optional = is_optional || edge->from->columns[edge->on[i][0]].nullable;
	add_pairs(c, edge, on);
	json_push_take(
		out->edges,
		json_make({"id", json_str(edge->id)},
			  {"about", json_str(arena_printf(c->a, "%s and their %s",
							  edge->from->plural, edge->to->label))},
			  {"from", json_str(edge->from->entity)},
			  {"to", json_str(edge->to->entity)},
			  {"cardinality", json_str(edge->one_to_one ? "1:1" : "n:1")}, {"on", on},
			  {"optional", is_optional ? json_true() : NULL}));
}

/* A link table becomes the middle of an edge between the two tables that it joins. */
static void add_link(const struct connect *c, const struct connect_table *t, struct ctl_pack *out)
{
	const struct connect_edge *ends[2];
	json_t *on = json_array();
	size_t n = 0;

	for (size_t i = 0; i < c->edge_count && n < 2; i++)
		if (c->edges[i].from == t)
			ends[n++] = &c->edges[i];
	if (n < 2) {
		json_decref(on);
		return;
	}
	add_pairs(c, ends[0], on);
	add_pairs(c, ends[1], on);
	json_push_take(out->edges,
		       json_make({"id", json_str(t->entity)},
				 {"about",
				  json_str(arena_printf(c->a, "%s and their %s",
							ends[0]->to->plural, ends[1]->to->plural))},
				 {"from", json_str(ends[0]->to->entity)},
				 {"to", json_str(ends[1]->to->entity)},
				 {"via", json_str(t->entity)}, {"cardinality", json_str("n:m")},
				 {"on", on}));
}

/* ---- dimensions and measures ---- */

static void add_word(json_t **list, const char *words, const char *label)
{
	const json_t *item;
	size_t i;

	json_array_foreach(*list, i, item)
		if (strcmp(json_string_value(item), words) == 0)
			return;
	if (strcmp(words, label) == 0)
		return;
	if (!*list)
		*list = json_array();
	json_push_take(*list, json_str(words));
}

/* "support_rep_id" of an edge calls its target "support rep". NULL: the column names no role. */
static const char *role_name_of(const struct connect *c, const struct connect_edge *edge)
{
	const char *words = edge->from->columns[edge->on[0][0]].words;
	const char *space = strrchr(words, ' ');

	if (edge->count != 1 || !space || !connect_has_word(space + 1, c->words.codes))
		return NULL;
	return arena_strndup(c->a, words, (size_t)(space - words));
}

/* The column's own words; for a title, the names that edges to its table use. */
static json_t *synonyms_json(const struct connect *c, const struct connect_table *t,
			     const struct connect_column *col, const char *label)
{
	json_t *list = NULL;

	if (col != t->title)
		add_word(&list, col->words, label);
	for (size_t i = 0; col == t->title && i < c->edge_count; i++)
		if (c->edges[i].to == t && role_name_of(c, &c->edges[i]))
			add_word(&list, role_name_of(c, &c->edges[i]), label);
	return list;
}

/* Returns false when the time of day is always midnight. */
static bool has_hours(const struct connect_table *t, const struct connect_column *col)
{
	for (size_t row = 0; col->family == FAMILY_DATETIME && row < t->sampled; row++) {
		const char *cell = server_cell(t->sample, row, (size_t)(col - t->columns));

		if (cell && strlen(cell) > 10 && strncmp(cell + 11, "00:00:00", 8) != 0)
			return true;
	}
	return false;
}

static json_t *grains_json(const struct connect_table *t, const struct connect_column *col)
{
	static const char *const grains[] = {"day",  "week",    "month", "quarter",
					     "year", "weekday", NULL};
	json_t *list = json_array();

	for (const char *const *g = grains; *g; g++)
		json_push_take(list, json_str(*g));
	if (has_hours(t, col)) {
		json_push_take(list, json_str("hour"));
		json_push_take(list, json_str("hour_of_day"));
	}
	return list;
}

static json_t *values_json(const struct connect *c, const struct connect_column *col)
{
	json_t *list;

	if (!c->keeps_values || col->personal || !col->all_values || col->family != FAMILY_TEXT ||
	    col->role != ROLE_DIMENSION)
		return NULL;
	list = json_array();
	for (size_t i = 0; i < col->value_count; i++)
		json_push_take(list, json_str(col->values[i]));
	return list;
}

static void add_dimension(struct connect *c, const struct connect_table *t,
			  const struct connect_column *col, struct ctl_pack *out)
{
	const char *label = connect_column_label(c, t, col);

	json_push_take(out->dimensions,
		       json_make({"name", json_str(col->dimension)}, {"label", json_str(label)},
				 {"entity", json_str(t->entity)}, {"column", json_str(col->name)},
				 {"type", json_str(connect_family_name(col->family))},
				 {"grains", is_date(col) ? grains_json(t, col) : NULL},
				 {"permission", json_str(arena_printf(c->a, "%s:read", c->pack))},
				 {"synonyms", synonyms_json(c, t, col, label)},
				 {"values", values_json(c, col)}));
}

static void add_measure(const struct connect *c, const struct connect_table *t,
			const struct connect_column *col, const char *aggregate, const char *name,
			const char *label, json_t *synonyms, struct ctl_pack *out)
{
	json_push_take(
		out->measures,
		json_make({"name", json_str(name)}, {"label", json_str(label)},
			  {"entity", json_str(t->entity)}, {"column", json_str(col->name)},
			  {"aggregate", json_str(aggregate)},
			  {"unit", json_str(col->unit ? col->unit : "count")},
			  {"additivity", json_str(strcmp(aggregate, "sum") == 0 ? "full" : "none")},
			  {"permission", json_str(arena_printf(c->a, "%s:read", c->pack))},
			  {"synonyms", synonyms}));
}

bool connect_is_average(const struct connect *c, const struct connect_column *col)
{
	return connect_has_word(col->words, c->words.averages) &&
	       !connect_has_word(col->words, c->words.counts);
}

static const char *first_word(const struct connect *c, const char *words)
{
	return arena_strndup(c->a, words, strcspn(words, " "));
}

/* The measure with the column's name uses its most common aggregate; the other aggregates have
 * separate names. */
static void add_measures(struct connect *c, const struct connect_table *t,
			 const struct connect_column *col, struct ctl_pack *out)
{
	const char *first = connect_is_average(c, col) ? "avg" : "sum", *aggregate;
	const char *label = connect_column_label(c, t, col);
	const json_t *sentence;

	json_object_foreach((json_t *)(uintptr_t)c->words.aggregates, aggregate, sentence) {
		const char *template = json_string_value(sentence);
		const char *of_label = connect_fill(template, c->a, "measure", label, NULL);
		const char *of_column = connect_fill(template, c->a, "measure", col->words, NULL);
		bool repeats_word = connect_has_word(
			col->words, (const char *const[]){first_word(c, template), NULL});
		bool is_first = strcmp(aggregate, first) == 0;
		json_t *words = is_first ? synonyms_json(c, t, col, label) : NULL;

		add_word(&words, of_label, is_first && !repeats_word ? "" : of_label);
		add_word(&words, of_column, repeats_word ? of_column : "");
		if (is_first)
			add_measure(c, t, col, aggregate, col->measure, label, words, out);
		else
			add_measure(c, t, col, aggregate,
				    arena_printf(c->a, "%s_%s", aggregate, col->measure), of_label,
				    words, out);
	}
}

/* ---- all ---- */

static void add_notes(const struct connect *c, struct ctl_pack *out)
{
	for (size_t i = 0; i < c->note_count; i++)
		ctl_pack_review(out, c->notes[i].kind, c->notes[i].name, NULL, c->notes[i].why,
				c->notes[i].text);
	for (size_t i = 0; i < c->table_count; i++) {
		const struct connect_table *t = &c->tables[i];

		if (t->comment)
			ctl_pack_review(out, "comment", t->name, NULL,
					"comment from the database; keep what is true", t->comment);
		for (size_t k = 0; k < t->column_count; k++)
			if (t->columns[k].comment)
				ctl_pack_review(
					out, "comment",
					arena_printf(c->a, "%s.%s", t->name, t->columns[k].name),
					NULL, "comment from the database; keep what is true",
					t->columns[k].comment);
	}
}

void connect_write_pack(struct connect *c, struct ctl_pack *out)
{
	for (size_t i = 0; i < c->table_count; i++) {
		const struct connect_table *t = &c->tables[i];

		add_view(c, t, out);
		add_entity(c, t, out);
		for (size_t k = 0; k < t->column_count; k++) {
			if (t->columns[k].dimension)
				add_dimension(c, t, &t->columns[k], out);
			if (t->columns[k].measure)
				add_measures(c, t, &t->columns[k], out);
		}
		if (t->is_link)
			add_link(c, t, out);
	}
	for (size_t i = 0; i < c->edge_count; i++)
		add_edge(c, &c->edges[i], out);
	add_notes(c, out);
}
