/* Imports a model of another product as a pack: detects the format and builds the parts of the
 * pack. */
#include "import_int.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "ctl.h"
#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/limits.h"

#define KEYS_MAX (sizeof(((struct im_table *)0)->keys) / sizeof(void *))

/* ---- texts ---- */

const char *im_text(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

bool im_is_plain_name(const char *text)
{
	const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	size_t n = strspn(text, letters);

	return n > 0 &&
	       text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
				 "0123456789")] == '\0' &&
	       strlen(text) <= IMPORT_NAME_BYTES_MAX;
}

/* A column name may contain blanks and punctuation, except characters that end a quoted name. */
static bool is_safe_column(const char *name)
{
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c < ' ' || strchr("\"[]\\{}?;'`", *c))
			return false;
	return *name && strlen(name) <= IMPORT_NAME_BYTES_MAX &&
	       utf8_is_identifier(name, strlen(name));
}

/* A label for users: one line of printable text. */
static const char *make_label(struct import *im, const char *text)
{
	char *out = arena_strndup(im->a, text, utf8_cut(text, strlen(text), IMPORT_NAME_BYTES_MAX));

	for (char *p = out; *p; p++)
		if ((unsigned char)*p < ' ' || *p == '_')
			*p = ' ';
	return out;
}

static bool is_name_used(const struct import *im, const char *name)
{
	for (size_t i = 0; i < im->used_names.count; i++)
		if (strcmp(im->used_names.items[i], name) == 0)
			return true;
	return false;
}

/* Converts "Internet Total Sales" to internet_total_sales, made unique. */
static const char *make_name(struct import *im, const char *text, const char *table)
{
	char *base =
		arena_strndup(im->a, text, utf8_cut(text, strlen(text), MAP_NAME_BYTES_MAX - 4));
	const char *name;

	for (char *p = base; *p; p++)
		*p = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '_';
	if (!isalpha((unsigned char)*base))
		base = arena_printf(im->a, "m_%.*s", MAP_NAME_BYTES_MAX - 6, base);
	name = base;
	if (is_name_used(im, name) && table &&
	    strlen(table) + strlen(base) < MAP_NAME_BYTES_MAX - 4)
		name = base = arena_printf(im->a, "%s_%s", table, base);
	for (int n = 2; is_name_used(im, name); n++)
		name = arena_printf(im->a, "%s_%d", base, n);
	strlist_add(&im->used_names, im->a, name);
	return name;
}

void im_skip(struct import *im, const char *kind, const char *name, const char *from,
	     const char *why, const char *text)
{
	ctl_pack_review(im->pack, kind, name, from, why, text);
}

const char *im_aggregate(struct str word)
{
	static const char *const names[] = {"sum",     "sum", "avg",     "avg", "average", "avg",
					    "min",     "min", "max",     "max", "count",   "count",
					    "minimum", "min", "maximum", "max", NULL};

	for (const char *const *n = names; *n; n += 2)
		if (str_eq_nocase(word, str_of(n[0])))
			return n[1];
	return NULL;
}

/* ---- tables ---- */

struct im_table *im_table(const struct import *im, const char *model_name)
{
	for (size_t i = 0; i < im->table_count; i++)
		if (strcasecmp(im->tables[i]->model_name, model_name) == 0)
			return im->tables[i];
	return NULL;
}

struct im_table *im_add_table(struct import *im, const char *model_name, const char *schema,
			      const char *table, const char *from)
{
	struct im_table *t;

	if (im->table_count == IMPORT_TABLES_MAX) {
		im_skip(im, "table", model_name, from, "the model has too many tables", NULL);
		return NULL;
	}
	if (!schema || !table || !im_is_plain_name(schema) || !im_is_plain_name(table)) {
		im_skip(im, "table", model_name, from,
			"its source is not a table with plain schema and table names", table);
		return NULL;
	}
	if (im_table(im, model_name)) {
		im_skip(im, "table", model_name, from, "duplicate table name", NULL);
		return NULL;
	}
	t = arena_alloc(im->a, sizeof(*t));
	t->model_name = arena_strdup(im->a, model_name);
	t->label = make_label(im, model_name);
	t->name = make_name(im, model_name, NULL);
	t->view = arena_printf(im->a, "%s.%s", schema, table);
	im->tables = arena_grow(im->a, im->tables, im->table_count, &im->table_cap,
				sizeof(struct im_table *));
	im->tables[im->table_count++] = t;
	return t;
}

static struct im_column *find_column(const struct im_table *t, const char *name)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (strcasecmp(t->columns[i].name, name) == 0)
			return &t->columns[i];
	return NULL;
}

bool im_add_column(struct import *im, struct im_table *t, const char *column, const char *type,
		   const char *from)
{
	struct im_column *known = find_column(t, column);

	if (known) {
		known->type = known->type ? known->type : type;
		return true;
	}
	if (!is_safe_column(column) || t->column_count == DB_COLUMNS_MAX) {
		im_skip(im, "column", column, from,
			"its name is not safe in SQL, or the table has too many columns", NULL);
		return false;
	}
	t->columns =
		arena_grow(im->a, t->columns, t->column_count, &t->column_cap, sizeof(*t->columns));
	t->columns[t->column_count++] = (struct im_column){arena_strdup(im->a, column), type};
	return true;
}

void im_add_key(struct import *im, struct im_table *t, const char *const *columns)
{
	struct strlist key = {0};

	strlist_add(&key, im->a, NULL);
	for (; *columns; columns++) {
		if (!im_add_column(im, t, *columns, NULL, t->model_name))
			return;
		strlist_add(&key, im->a, find_column(t, *columns)->name);
	}
	if (key.count > 0 && key.count <= MAP_PAIRS_MAX && t->key_count < KEYS_MAX)
		t->keys[t->key_count++] = key.items;
}

/* ---- dimensions ---- */

static bool is_date_type(const char *type)
{
	return type && (strcmp(type, "date") == 0 || strcmp(type, "datetime") == 0);
}

static json_t *grains_json(void)
{
	static const char *const names[] = {"day",  "week",    "month", "quarter",
					    "year", "weekday", NULL};
	json_t *list = json_array();

	for (const char *const *n = names; *n; n++)
		json_push_take(list, json_str(*n));
	return list;
}

const char *im_add_dimension(struct import *im, struct im_table *t, const char *name,
			     const char *label, const char *column, const char *type,
			     const json_t *synonyms, const char *from)
{
	const char *name_in_pack;

	if (!im_add_column(im, t, column, type, from))
		return NULL;
	name_in_pack = make_name(im, name, t->name);
	json_push_take(
		im->pack->dimensions,
		json_make({"name", json_str(name_in_pack)},
			  {"label", json_str(make_label(im, *label ? label : name))},
			  {"entity", json_str(t->name)},
			  {"column", json_str(find_column(t, column)->name)},
			  {"type", json_str(type ? type : "text")},
			  {"grains", is_date_type(type) ? grains_json() : NULL},
			  {"permission", json_str(arena_printf(im->a, "%s:read", im->pack->name))},
			  {"synonyms", json_array_size(synonyms)
					       ? json_incref((json_t *)(uintptr_t)synonyms)
					       : NULL}));
	if (is_date_type(type) && !t->time)
		t->time = name_in_pack;
	return name_in_pack;
}

/* ---- edges ---- */

static bool has_same_columns(const char *const *key, const char *const (*on)[2], size_t count,
			     int side)
{
	size_t n = 0;

	for (; key[n]; n++) {
		bool found = false;

		for (size_t i = 0; i < count && !found; i++)
			found = strcasecmp(on[i][side], key[n]) == 0;
		if (!found)
			return false;
	}
	return n == count;
}

static bool ends_at_key(const struct im_table *t, const char *const (*on)[2], size_t count,
			int side)
{
	for (size_t i = 0; i < t->key_count; i++)
		if (has_same_columns(t->keys[i], on, count, side))
			return true;
	return false;
}

static const char *type_family(const char *type)
{
	return !type || strcmp(type, "int") == 0 || strcmp(type, "decimal") == 0 ? "number"
	       : is_date_type(type)                                              ? "day"
										 : type;
}

static bool types_match(const struct im_column *a, const struct im_column *b)
{
	return !a->type || !b->type || strcmp(type_family(a->type), type_family(b->type)) == 0;
}

void im_add_edge(struct import *im, const char *name, struct im_table *many, struct im_table *one,
		 const char *const (*on)[2], size_t count, bool one_to_one, const char *from)
{
	const char *left = many->name, *right = one->name;
	json_t *pairs;

	for (size_t i = 0; i < count; i++)
		if (!im_add_column(im, many, on[i][0], NULL, from) ||
		    !im_add_column(im, one, on[i][1], NULL, from))
			return;
	for (size_t i = 0; i < count; i++)
		if (!types_match(find_column(many, on[i][0]), find_column(one, on[i][1]))) {
			im_skip(im, "edge", name, from, "its columns have different types", NULL);
			return;
		}
	if (count == 0 || count > MAP_PAIRS_MAX || !ends_at_key(one, on, count, 1)) {
		im_skip(im, "edge", name, from, "skipped: the referenced columns are not a key",
			NULL);
		return;
	}
	pairs = json_array();
	for (size_t i = 0; i < count; i++) {
		json_t *pair = json_list_of(json_str(
			arena_printf(im->a, "%s.%s", left, find_column(many, on[i][0])->name)));

		json_push_take(pair, json_str(arena_printf(im->a, "%s.%s", right,
							   find_column(one, on[i][1])->name)));
		json_push_take(pairs, pair);
	}
	json_push_take(
		im->pack->edges,
		json_make({"id", json_str(make_name(im, name, NULL))}, {"from", json_str(left)},
			  {"to", json_str(right)},
			  {"cardinality",
			   json_str(one_to_one && ends_at_key(many, on, count, 0) ? "1:1" : "n:1")},
			  {"on", pairs}));
}

/* ---- measures and metrics ---- */

const struct im_metric *im_metric(const struct import *im, const char *model_name)
{
	for (size_t i = 0; i < im->metric_count; i++)
		if (strcasecmp(im->metrics[i].model_name, model_name) == 0)
			return &im->metrics[i];
	return NULL;
}

static const struct im_metric *add_metric_entry(struct import *im, struct im_metric m)
{
	im->metrics = arena_grow(im->a, im->metrics, im->metric_count, &im->metric_cap,
				 sizeof(*im->metrics));
	im->metrics[im->metric_count] = m;
	return &im->metrics[im->metric_count++];
}

static bool is_number_type(const char *type)
{
	return !type || strcmp(type, "int") == 0 || strcmp(type, "decimal") == 0;
}

const struct im_metric *im_add_measure(struct import *im, struct im_table *t, const char *name,
				       const char *label, const char *column, const char *aggregate,
				       const char *unit, const json_t *synonyms, const char *from)
{
	bool adds = strcmp(aggregate, "sum") == 0 || strcmp(aggregate, "count") == 0;
	bool counts = strncmp(aggregate, "count", 5) == 0;
	const char *name_in_pack;

	if (column && !im_add_column(im, t, column, counts ? "text" : "decimal", from))
		return NULL;
	if (column && !counts && !is_number_type(find_column(t, column)->type)) {
		im_skip(im, "measure", name, from, "its column is not a number", column);
		return NULL;
	}
	if (im->metric_count == IMPORT_METRICS_MAX) {
		im_skip(im, "measure", name, from, "the model has too many measures", NULL);
		return NULL;
	}
	name_in_pack = make_name(im, name, t->name);
	json_push_take(
		im->pack->measures,
		json_make({"name", json_str(name_in_pack)},
			  {"label", json_str(make_label(im, *label ? label : name))},
			  {"entity", json_str(t->name)},
			  {"column", column ? json_str(find_column(t, column)->name) : NULL},
			  {"aggregate", json_str(aggregate)}, {"unit", json_str(unit)},
			  {"additivity", json_str(adds ? "full" : "none")},
			  {"permission", json_str(arena_printf(im->a, "%s:read", im->pack->name))},
			  {"synonyms", json_array_size(synonyms)
					       ? json_incref((json_t *)(uintptr_t)synonyms)
					       : NULL}));
	return add_metric_entry(im, (struct im_metric){arena_strdup(im->a, name), name_in_pack, t,
						       IM_MEASURE, unit});
}

void im_set_semi_additive(struct import *im, const struct im_metric *m, const char *over,
			  const char *take)
{
	json_t *measure;
	size_t i;

	json_array_foreach(im->pack->measures, i, measure) {
		if (strcmp(im_text(measure, "name"), m->name) != 0)
			continue;
		json_set_str(measure, "additivity", "semi");
		json_set_str(measure, "over", over);
		json_set_str(measure, "take", take);
	}
}

void im_add_metric(struct import *im, const char *name, const char *label, const char *kind,
		   const struct im_metric *left, const struct im_metric *right, const char *unit,
		   const json_t *synonyms, const char *from, const char *text)
{
	bool ratio = strcmp(kind, "ratio") == 0;
	const char *name_in_pack;

	if (!left || !right || left->kind != IM_MEASURE || right->kind != IM_MEASURE ||
	    im->metric_count == IMPORT_METRICS_MAX) {
		im_skip(im, "metric", name, from, "it does not combine two imported measures",
			text);
		return;
	}
	name_in_pack = make_name(im, name, NULL);
	json_push_take(
		im->pack->metrics,
		json_make({"name", json_str(name_in_pack)},
			  {"label", json_str(make_label(im, *label ? label : name))},
			  {"kind", json_str(kind)},
			  {ratio ? "numerator" : "left", json_str(left->name)},
			  {ratio ? "denominator" : "right", json_str(right->name)},
			  {"unit", json_str(unit)},
			  {"permission", json_str(arena_printf(im->a, "%s:read", im->pack->name))},
			  {"synonyms", json_array_size(synonyms)
					       ? json_incref((json_t *)(uintptr_t)synonyms)
					       : NULL}));
	add_metric_entry(im, (struct im_metric){arena_strdup(im->a, name), name_in_pack,
						left->table, IM_METRIC, unit});
}

void im_add_filtered(struct import *im, const char *name, const char *label,
		     const struct im_metric *m, json_t *where_take, const char *from)
{
	const char *name_in_pack;

	if (im->metric_count == IMPORT_METRICS_MAX) {
		im_skip(im, "metric", name, from, "the model has too many metrics", NULL);
		json_decref(where_take);
		return;
	}
	name_in_pack = make_name(im, name, NULL);
	json_push_take(im->pack->metrics,
		       json_make({"name", json_str(name_in_pack)},
				 {"label", json_str(make_label(im, *label ? label : name))},
				 {"kind", json_str("measure")}, {"measure", json_str(m->name)},
				 {"where", where_take}, {"unit", json_str(m->unit)},
				 {"permission",
				  json_str(arena_printf(im->a, "%s:read", im->pack->name))}));
	add_metric_entry(im, (struct im_metric){arena_strdup(im->a, name), name_in_pack, m->table,
						IM_METRIC, m->unit});
}

/* ---- finishing ---- */

static json_t *column_json(struct import *im, const struct im_column *c)
{
	const char *name =
		im_is_plain_name(c->name) ? c->name : arena_printf(im->a, "\"%s\"", c->name);

	return json_make({"name", json_str(name)}, {"type", json_str(c->type)});
}

static json_t *texts_json(const char *const *list)
{
	json_t *out = json_array();

	for (; *list; list++)
		json_push_take(out, json_str(*list));
	return out;
}

static void finish_table(struct import *im, struct im_table *t)
{
	const char *const none[] = {NULL};
	json_t *columns = json_array(), *also = json_array();

	for (size_t i = 0; i < t->column_count; i++)
		json_push_take(columns, column_json(im, &t->columns[i]));
	for (size_t i = 1; i < t->key_count; i++)
		json_push_take(also, texts_json(t->keys[i]));
	json_push_take(
		im->pack->views,
		json_make({"name", json_str(t->view)},
			  {"about", json_str(arena_printf(im->a, "rows of %s", t->label))},
			  {"permission", json_str(arena_printf(im->a, "%s:read", im->pack->name))},
			  {"columns", columns}));
	json_push_take(im->pack->entities,
		       json_make({"name", json_str(t->name)}, {"label", json_str(t->label)},
				 {"about", json_str(arena_printf(im->a, "rows of %s", t->label))},
				 {"view", json_str(t->view)},
				 {"key", texts_json(t->key_count ? (const char *const *)t->keys[0]
								 : none)},
				 {"also", json_array_size(also) ? json_incref(also) : NULL},
				 {"title", json_str(t->title)}, {"time", json_str(t->time)},
				 {"kind", json_str(t->title ? "entity" : "fact")},
				 {"synonyms", t->synonyms ? json_incref(t->synonyms) : NULL}));
	json_decref(also);
	json_push_take(im->pack->nouns, json_str(t->label));
}

void im_finish(struct import *im)
{
	for (size_t i = 0; i < im->table_count; i++) {
		if (im->tables[i]->column_count > 0)
			finish_table(im, im->tables[i]);
		else
			im_skip(im, "table", im->tables[i]->model_name, NULL,
				"none of its columns was imported", NULL);
	}
}

/* ---- detecting the format ---- */

static const json_t *tmsl_of(const json_t *root)
{
	const json_t *database =
		json_object_get(json_object_get(root, "createOrReplace"), "database");

	return json_is_array(json_object_get(json_object_get(database ? database : root, "model"),
					     "tables"))
		       ? (database ? database : root)
		       : NULL;
}

bool import_model(struct import *im, const char *path, const char *text, size_t len, struct err *e)
{
	json_t *root;

	im->e = e;
	if (!json_parse(text, len, IMPORT_BYTES_MAX, &root, e))
		return false;
	json_own(im->a, root);
	if (json_is_array(json_object_get(root, "semantic_model")))
		return import_ossie(im, root, e);
	if (json_is_array(json_object_get(root, "semantic_models")))
		return import_dbt(im, root, e);
	if (tmsl_of(root))
		return import_bim(im, tmsl_of(root), path, e);
	return err_set(e, ERR_INPUT,
		       "the file is neither Apache Ossie (semantic_model), nor dbt's "
		       "semantic_manifest.json "
		       "(semantic_models), nor Power BI's model.bim (model.tables)");
}

/* ---- the verb ---- */

static bool run(const struct command *cmd, const char *path, struct import *im, struct err *e)
{
	const char *dir = ctl_option(cmd, "out", "packs");
	struct strlist written = {0};
	const char *text;
	const json_t *item;
	size_t i;

	if (!file_read(path, IMPORT_BYTES_MAX, im->a, &text, e) ||
	    !import_model(im, path, text, strlen(text), e))
		return false;
	im_finish(im);
	if (json_array_size(im->pack->entities) == 0)
		return err_set(e, ERR_INPUT, "%s: no table of the model could be imported", path);
	if (!ctl_pack_write(im->pack, dir, ctl_flag(cmd, "replace"), im->a, &written, e))
		return false;
	if (ctl_flag(cmd, "json")) {
		ctl_print_json(json_make({"pack", json_str(im->pack->name)},
					 {"review", json_incref(im->pack->review)}));
		return true;
	}
	printf("%zu entities, %zu edges, %zu dimensions, %zu measures, %zu metrics; skipped:\n",
	       json_array_size(im->pack->entities), json_array_size(im->pack->edges),
	       json_array_size(im->pack->dimensions), json_array_size(im->pack->measures),
	       json_array_size(im->pack->metrics));
	json_array_foreach(im->pack->review, i, item)
		printf("  %s %s: %s\n", im_text(item, "kind"), im_text(item, "name"),
		       im_text(item, "why"));
	for (i = 0; i < written.count; i++)
		printf("%s\n", written.items[i]);
	return true;
}

int ctl_map_import(const struct command *cmd)
{
	const char *path = ctl_arg(cmd, 1), *name = ctl_option(cmd, "pack", NULL);
	struct ctl_pack pack;
	struct import im = {.pack = &pack};
	struct err e = {0};
	bool ok;

	if (!path || ctl_arg(cmd, 2))
		return ctl_usage_error(cmd, "import: give one file");
	if (!name || !ctl_is_name(name))
		return ctl_usage_error(cmd,
				       "--pack must be a name of lower-case letters, digits and _");
	im.a = arena_new(CATALOG_BYTES_MAX);
	ctl_pack_init(&pack, name, im.a);
	ok = run(cmd, path, &im, &e);
	arena_free(&im.a);
	return ok ? 0 : ctl_fail("%s", e.text);
}
