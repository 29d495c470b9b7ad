/*
 * Adds ready sources to their tenant's catalogue: a view with typed columns, an entity of the map,
 * its dimensions and measures. All of it requires the permission of the source. Names are made
 * from the source's ID and so are unique; users and models see the labels.
 */
#include <inttypes.h>
#include <string.h>

#include "read/header.h"
#include "upload_int.h"
#include "vesper/json.h"
#include "vesper/language.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/units.h"

#define OVERLAY_BYTES (16 * 1024 * 1024)
#define PREFIX_HEX    8
#define UNIT_NONE     "count"
/* A column with fewer distinct values is coarse. With more, a value has less than 1% of the rows.
 * SQLite then reads them by an index in less than a third of the time of a full scan. */
#define COARSE_VALUES 100

struct overlay_builder {
	const struct tenant_uploads *tenant;
	const struct catalog *catalog;
	struct arena *arena;
	json_t *views, *entities, *dimensions, *measures; /* in the arena */
	struct joined_source *joined;
	size_t joined_count;
	/* the current source */
	const char *prefix, *permission, *entity;
	const json_t *profile, *columns;
	json_t *indexes, *coarse; /* of its table; passed to its entity */
};

static const char *prefix_of(const char *uid, struct arena *a)
{
	return arena_printf(a, "u%s", uid + strlen(uid) - PREFIX_HEX);
}

/* The unit, if the catalogue knows its symbol or word. Otherwise the number is shown without a
 * unit. */
static const char *unit_of(const struct overlay_builder *b, const char *unit)
{
	const struct units *u = &b->catalog->units;

	if (!*unit)
		return UNIT_NONE;
	if (units_find(u, unit))
		return unit;
	for (size_t i = 0; i < u->word_count; i++)
		if (strcmp(u->words[i].text, unit) == 0)
			return u->words[i].unit->symbol;
	return UNIT_NONE;
}

/* "Net revenue (EUR)" without the brackets; NULL: there are none. The amount stays a plain number,
 * so that a sum is shown to its last digit. */
static const char *label_without_brackets(const struct overlay_builder *b, const json_t *column)
{
	const char *text = json_text_at(column, "label"), *open = strrchr(text, '(');

	if (!open || open == text || text[strlen(text) - 1] != ')')
		return NULL;
	return header_prompt_label(arena_strndup(b->arena, text, (size_t)(open - text)),
				   json_text_at(column, "spoken"), b->arena);
}

/* Other names of a column in addition to its label. */
static json_t *synonyms_of(const struct overlay_builder *b, const json_t *column)
{
	const char *plain = label_without_brackets(b, column), *head;
	json_t *list = json_array(), *text;
	size_t i;

	json_array_foreach(json_object_get(column, "synonyms"), i, text)
		json_push_take(list, json_incref(text));
	if (plain)
		json_push_take(list, json_str(plain));
	head = naming_head(b->catalog->language, plain ? plain : json_text_at(column, "label"),
			   b->columns, b->arena);
	if (head)
		json_push_take(list, json_str(head));
	return list;
}

static const char *description_of(const json_t *column)
{
	const char *text = json_text_at(column, "description");

	return *text ? text : json_text_at(column, "spoken");
}

static json_t *view_column(const json_t *column)
{
	return json_make({"name", json_str(json_text_at(column, "name"))},
			 {"type", json_str(json_text_at(column, "type"))},
			 {"about", json_str(description_of(column))});
}

static void add_view(struct overlay_builder *b, const struct stored_source *s,
		     const struct stored_version *v, const json_t *columns)
{
	json_t *list = json_array(), *column;
	size_t i;

	json_push_take(list, json_str("tenant_id"));
	json_push_take(list, json_make({"name", json_str(UPLOAD_ROW)}, {"type", json_str("int")}));
	json_array_foreach((json_t *)columns, i, column)
		json_push_take(list, view_column(column));
	json_push_take(
		b->views,
		json_make({"name", json_str(arena_printf(b->arena, UPLOAD_SCHEMA ".%s", v->table))},
			  {"about", json_str(header_prompt_label(s->name, "data", b->arena))},
			  {"permission", json_str(b->permission)}, {"columns", list}));
}

static json_t *list_of(const char *text)
{
	return json_list_of(json_str(text));
}

/* The first column with the role "id"; NULL: none. */
static const char *id_of(const json_t *columns)
{
	json_t *column;
	size_t i;

	json_array_foreach((json_t *)columns, i, column)
		if (strcmp(json_text_at(column, "role"), "id") == 0)
			return json_text_at(column, "name");
	return NULL;
}

/* "hotel_bookings" with blanks. */
static const char *name_words(const char *name, struct arena *a)
{
	char *words = arena_strdup(a, name);

	for (char *p = words; *p; p++)
		if (*p == '_')
			*p = ' ';
	return *str_trim(str_of(words)).p ? words : name;
}

const char *overlay_label(const struct stored_source *s, struct arena *a)
{
	return name_words(header_prompt_label(s->name, "data", a), a);
}

/* In a form that a prompt may contain. */
static const char *owner_of(const struct stored_source *s, struct arena *a)
{
	return header_prompt_label(s->owner, "", a);
}

const char *overlay_description(const struct language *l, const char *label, const char *owner,
				int64_t rows, const char *updated_at, struct arena *a)
{
	return sentence(l, SAY_UPLOAD_OF, a, label, owner, arena_printf(a, "%" PRId64, rows),
			arena_strndup(a, updated_at, strcspn(updated_at, "T ")));
}

static bool has_namesake(const struct overlay_builder *b, const struct stored_source *s,
			 const char *label)
{
	struct listing_at at = {0};
	const struct listed_source *k;

	while ((k = listing_next(b->tenant->listing, LISTING_TABLES, &at)))
		if (k->row != s && !k->row->deleted_at &&
		    str_eq_nocase(str_of(overlay_label(k->row, b->arena)), str_of(label)))
			return true;
	return false;
}

static void add_entity(struct overlay_builder *b, const struct stored_source *s,
		       const struct stored_version *v, const char *time)
{
	const char *label = overlay_label(s, b->arena);
	json_t *row_names = naming_rows(b->catalog->language, label, b->columns, b->arena);
	json_t *entity =
		json_make({"name", json_str(b->entity)}, {"label", json_str(label)},
			  {"plural", json_str(label)},
			  {"about", json_str(overlay_description(b->catalog->language, label,
								 owner_of(s, b->arena), v->rows,
								 v->updated_at, b->arena))},
			  {"view", json_str(arena_printf(b->arena, UPLOAD_SCHEMA ".%s", v->table))},
			  {"key", list_of(UPLOAD_ROW)});

	json_set_str(entity, "time", time);
	json_set_str(entity, "title", id_of(b->columns));
	if (has_namesake(b, s, label))
		json_push_take(row_names,
			       json_str(sentence(b->catalog->language, SAY_UPLOAD_WHOSE, b->arena,
						 label, owner_of(s, b->arena))));
	if (json_object_get(b->profile, "entity_name"))
		json_push_take(row_names, json_str(json_text_at(b->profile, "entity_name")));
	json_set_take(entity, "synonyms", row_names);
	json_set_take(entity, "indexes", b->indexes);
	json_set_take(entity, "coarse", b->coarse);
	json_set_take(entity, "also", joins_members(b->tenant, &b->joined[b->joined_count]));
	json_push_take(b->entities, entity);
}

static json_t *grains(bool with_hours)
{
	static const char *const days[] = {"day",  "week",    "month", "quarter",
					   "year", "weekday", NULL};
	static const char *const hours[] = {"hour", "day",     "week",        "month", "quarter",
					    "year", "weekday", "hour_of_day", NULL};

	return json_texts(with_hours ? hours : days);
}

static const char *name_of(const struct overlay_builder *b, const json_t *column)
{
	return arena_printf(b->arena, "%s_%s", b->prefix, json_text_at(column, "name"));
}

static void add_dimension(struct overlay_builder *b, const json_t *column, bool loaded)
{
	const char *type = json_text_at(column, "type");
	bool is_time = strcmp(type, "date") == 0 || strcmp(type, "datetime") == 0;
	json_t *d = json_make({"name", json_str(name_of(b, column))},
			      {"label", json_str(json_text_at(column, "spoken"))},
			      {"entity", json_str(b->entity)},
			      {"column", json_str(json_text_at(column, "name"))},
			      {"permission", json_str(b->permission)});

	json_set_take(d, "synonyms", synonyms_of(b, column));
	if (*json_text_at(column, "description"))
		json_set_str(d, "about", json_text_at(column, "description"));
	if (strcmp(type, "text") != 0)
		json_set_str(d, "type", type);
	if (is_time)
		json_set_take(d, "grains", grains(strcmp(type, "datetime") == 0));
	else if (!loaded)
		json_set_bool(d, "load", false);
	json_push_take(b->dimensions, d);
}

/* Analyses of single rows identify them by their number. */
static void add_row_dimension(struct overlay_builder *b)
{
	json_push_take(b->dimensions,
		       json_make({"name", json_str(arena_printf(b->arena, "%s_row", b->prefix))},
				 {"label", json_str("row number")}, {"entity", json_str(b->entity)},
				 {"column", json_str(UPLOAD_ROW)}, {"type", json_str("int")},
				 {"load", json_boolean(false)},
				 {"permission", json_str(b->permission)}));
}

static void add_measure(struct overlay_builder *b, const json_t *column, const char *name,
			const char *label, json_t *synonyms_take, bool is_sum)
{
	json_push_take(b->measures,
		       json_make({"name", json_str(name)}, {"label", json_str(label)},
				 {"entity", json_str(b->entity)},
				 {"column", json_str(json_text_at(column, "name"))},
				 {"aggregate", json_str(is_sum ? "sum" : "avg")},
				 {"about", *json_text_at(column, "description")
						   ? json_str(json_text_at(column, "description"))
						   : NULL},
				 {"unit", json_str(unit_of(b, json_text_at(column, "unit")))},
				 {"additivity", json_str(is_sum ? "full" : "none")},
				 {"synonyms", synonyms_take},
				 {"permission", json_str(b->permission)}));
}

/* A share or a rate is averaged, any other number is summed; a sum implies its average. */
static void add_measures(struct overlay_builder *b, const json_t *column, const char *name)
{
	const struct language *l = b->catalog->language;
	const char *label = json_text_at(column, "spoken");
	enum naming_aggregate aggregate = meaning_choose_aggregate(l, column, b->arena);
	json_t *synonyms = synonyms_of(b, column);
	size_t synonym_count = json_array_size(synonyms);
	const char *aggregated;
	enum sentence how;

	how = aggregate == NAMING_SUM ? SAY_UPLOAD_TOTAL : SAY_MAP_AVERAGE;
	aggregated = sentence(l, how, b->arena, label);

	for (size_t i = 0; i < synonym_count; i++) {
		const char *text = json_string_value(json_array_get(synonyms, i));

		json_push_take(synonyms, json_str(sentence(l, how, b->arena, text)));
	}
	json_push_take(synonyms, json_str(aggregate == NAMING_SUM ? aggregated : label));
	if (aggregate == NAMING_NONE)
		json_decref(synonyms);
	else
		add_measure(b, column, name, aggregate == NAMING_SUM ? label : aggregated, synonyms,
			    aggregate == NAMING_SUM);
}

/* A whole number with few values becomes a dimension and a measure. */
static void add_column(struct overlay_builder *b, const json_t *column)
{
	const char *role = json_text_at(column, "role");
	bool is_dimension = strcmp(role, "dimension") == 0;

	if (strcmp(role, "measure") == 0) {
		add_measures(b, column, name_of(b, column));
		return;
	}
	add_dimension(b, column, is_dimension);
	if (is_dimension && strcmp(json_text_at(column, "type"), "int") == 0)
		add_measures(b, column, arena_printf(b->arena, "%s_of", name_of(b, column)));
}

/* The date column that the owner chose, else the first one. */
static const char *time_of(struct overlay_builder *b, const json_t *columns)
{
	const char *named = json_text_at(b->profile, "default_date");
	json_t *column;
	size_t i;

	if (*named)
		return arena_printf(b->arena, "%s_%s", b->prefix, named);
	json_array_foreach((json_t *)columns, i, column)
		if (strcmp(json_text_at(column, "role"), "date") == 0)
			return name_of(b, column);
	return NULL;
}

static json_t *name_at(const json_t *columns, size_t i)
{
	return json_str(json_text_at(json_array_get(columns, i), "name"));
}

/* The indexes that load_table.c makes. They follow from the detected roles, even if the owner
 * changes a role later. */
static json_t *indexes_of(const json_t *columns, int64_t rows)
{
	struct upload_cover covers[UPLOAD_COVERING_INDEXES_MAX];
	size_t n = profile_covers(columns, rows, covers);
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *one = json_list_of(name_at(columns, covers[i].column));

		for (size_t k = 0; k < covers[i].sum_count; k++)
			json_push_take(one, name_at(columns, covers[i].sums[k]));
		json_push_take(list, one);
	}
	return list;
}

/* Date columns, and columns with few values. */
static json_t *coarse_of(const json_t *columns, int64_t rows)
{
	struct upload_cover covers[UPLOAD_COVERING_INDEXES_MAX];
	size_t n = profile_covers(columns, rows, covers), i;
	json_t *list = json_array(), *column;

	for (i = 0; i < n; i++) {
		column = json_array_get(columns, covers[i].column);
		if (strcmp(json_text_at(column, "role"), "date") != 0 &&
		    json_integer_value(json_object_get(column, "distinct")) < COARSE_VALUES)
			json_push_take(list, name_at(columns, covers[i].column));
	}
	json_array_foreach((json_t *)columns, i, column)
		if (strcmp(json_text_at(column, "role"), "date") == 0 &&
		    json_array_size(list) < MAP_PAIRS_MAX)
			json_push_take(list, name_at(columns, i));
	return list;
}

static void add_source(struct overlay_builder *b, const struct stored_source *s,
		       const struct stored_version *v)
{
	json_t *profile, *columns, *column;
	struct err e;
	size_t i;

	if (!json_parse(v->profile, strlen(v->profile), DATA_SOURCE_PROFILE_BYTES_MAX, &profile,
			&e)) {
		log_error("uploads.profile", "%s: %s", v->uid, e.text);
		return;
	}
	json_own(b->arena, profile);
	b->indexes = indexes_of(json_object_get(profile, "columns"), v->rows);
	b->coarse = coarse_of(json_object_get(profile, "columns"), v->rows);
	meaning_apply(profile, s->meaning, b->arena);
	columns = json_object_get(profile, "columns");
	b->profile = profile;
	b->columns = columns;
	b->prefix = prefix_of(s->uid, b->arena);
	b->permission = uploads_permission(s, b->arena);
	b->entity = arena_printf(b->arena, "%s_rows", b->prefix);
	b->joined[b->joined_count] = (struct joined_source){s->uid, b->entity, columns, v->rows};
	add_view(b, s, v, columns);
	add_entity(b, s, v, time_of(b, columns));
	add_row_dimension(b);
	json_array_foreach(columns, i, column)
		add_column(b, column);
	b->joined_count++;
}

/* ---- updates ---- */

static const struct stored_version *usable_version(const struct listed_source *k)
{
	const struct stored_version *v = k->row->deleted_at ? NULL : k->current;

	return v && v->state == VERSION_READY && v->profile && v->table &&
			       sql_upload_is_table(v->table)
		       ? v
		       : NULL;
}

/* The text of everything that an overlay is made from. */
static char *state_of(const struct tenant_uploads *t)
{
	struct listing_at at = {0};
	const struct listed_source *k;
	struct buf b;

	buf_init(&b, OVERLAY_BYTES);
	while ((k = listing_next(t->listing, LISTING_TABLES, &at))) {
		const struct stored_version *v = usable_version(k);

		if (v)
			buf_printf(&b, "%s %s %s %s\n", v->uid, k->row->name, k->row->owner,
				   k->row->meaning ? k->row->meaning : "");
	}
	for (size_t i = 0; b.n > 0 && i < t->joins.count; i++)
		buf_printf(&b, "%s %s %s %s\n", t->joins.items[i].source, t->joins.items[i].column,
			   t->joins.items[i].other, t->joins.items[i].other_column);
	return buf_take(&b);
}

/* No overlay is being made: calls all waiting callbacks. A callback may start another wait. */
static void call_waiting(struct tenant_uploads *t)
{
	struct list due;

	list_init(&due);
	list_each_safe(node, &t->overlay_waits) {
		list_remove(node);
		list_append(&due, node);
	}
	while (!list_empty(&due)) {
		struct refresh_wait *w = list_item(due.next, struct refresh_wait, node);

		list_remove(&w->node);
		w->cb(w->owner);
	}
}

static void on_overlay_set(void *owner, const struct err *e)
{
	struct tenant_uploads *t = owner;

	t->is_building = false;
	if (e) {
		log_error("uploads.refused", "tenant %s: %s", t->name, e->text);
		mem_free(t->newest_state);
		t->newest_state = NULL;
	} else {
		mem_free(t->active_state);
		t->active_state = mem_strdup(t->newest_state);
		overlay_update(t); /* rows may have changed meanwhile */
	}
	if (!t->is_building)
		call_waiting(t);
}

void overlay_then(struct tenant_uploads *t, struct refresh_wait *w, void (*cb)(void *owner),
		  void *owner)
{
	*w = (struct refresh_wait){.cb = cb, .owner = owner};
	list_append(&t->overlay_waits, &w->node);
	if (!t->is_building)
		call_waiting(t);
}

const struct stored_version *overlay_version(const struct tenant_uploads *t,
					     const struct listed_source *k)
{
	if (!k->current || k->row->kind != SOURCE_TABLE || k->current->state != VERSION_READY)
		return k->current;
	for (size_t i = k->version_count; t->active_state && i-- > 0;)
		if (strstr(t->active_state, k->versions[i].uid))
			return &k->versions[i];
	return NULL;
}

static void overlay_build(struct tenant_uploads *t)
{
	const struct uploads_options *o = &t->all->options;
	struct arena *a = arena_new(OVERLAY_BYTES);
	size_t tables = listing_sums(t->listing)->parts[LISTING_TABLES];
	const char **permissions = arena_alloc(a, (tables + 1) * sizeof(*permissions));
	struct overlay_builder b = {.tenant = t,
				    .catalog = o->catalog(o->owner, t->name),
				    .arena = a,
				    .views = json_array(),
				    .entities = json_array(),
				    .dimensions = json_array(),
				    .measures = json_array(),
				    .joined = arena_alloc(a, (tables + 1) * sizeof(*b.joined))};
	json_t *schema = json_own(a, json_object());
	struct listing_at at = {0};
	const struct listed_source *k;
	size_t n = 0;

	while ((k = listing_next(t->listing, LISTING_TABLES, &at))) {
		const struct stored_version *v = usable_version(k);

		if (!v)
			continue;
		permissions[n++] = k->permission;
		add_source(&b, k->row, v);
	}
	json_set_take(schema, "views", b.views);
	json_set_take(schema, "entities", b.entities);
	json_set_take(schema, "edges", joins_edges(t, b.joined, b.joined_count, a));
	json_set_take(schema, "dimensions", b.dimensions);
	json_set_take(schema, "measures", b.measures);
	t->is_building = true;
	o->use(o->owner,
	       &(struct catalog_overlay){.tenant = t->name,
					 .version = ++t->overlays,
					 .source = SOURCE_UPLOADS,
					 .schema = n > 0 ? schema : NULL,
					 .permissions = permissions},
	       on_overlay_set, t);
	arena_free(&a);
}

void overlay_update(struct tenant_uploads *t)
{
	char *state = state_of(t);

	if (t->is_building || t->all->ending ||
	    (t->newest_state && strcmp(t->newest_state, state) == 0) ||
	    (!t->newest_state && !*state)) {
		mem_free(state);
		return;
	}
	mem_free(t->newest_state);
	t->newest_state = state;
	overlay_build(t);
}
