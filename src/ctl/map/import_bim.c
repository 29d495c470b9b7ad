/* Power BI's model.bim: the tabular model as JSON (TMSL). */
#include "import_int.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/limits.h"

#define VERIFIED_MAX 100 /* verified answers; more than a prompt can hold */

/* A text, or a list of its lines. */
static const char *join_lines(struct import *im, const json_t *value)
{
	const char *out = json_string_value(value);
	const json_t *line;
	size_t i;

	if (out)
		return out;
	out = "";
	json_array_foreach(value, i, line)
		if (json_is_string(line))
			out = arena_printf(im->a, "%s%s%s", out, i ? "\n" : "",
					   json_string_value(line));
	return out;
}

static bool is_true(const json_t *object, const char *member)
{
	return json_is_true(json_object_get(object, member));
}

static const char *column_type(const char *type)
{
	static const char *const types[] = {"string",   "text",     "int64",   "int",     "decimal",
					    "decimal",  "double",   "decimal", "boolean", "bool",
					    "dateTime", "datetime", NULL};

	for (const char *const *t = types; *t; t += 2)
		if (strcasecmp(t[0], type) == 0)
			return t[1];
	return NULL;
}

static const char *unit_from_format(const char *format)
{
	static const char *const symbols[] = {"$", "€", "£", "%", NULL};

	for (const char *const *s = symbols; *s; s++)
		if (strstr(format, *s))
			return *s;
	return "count";
}

/* ---- source of a table ---- */

struct table_source {
	const char *schema, *table;
};

static const char *annotation_value(const json_t *table, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(table, "annotations"), i, item)
		if (strcmp(im_text(item, "name"), name) == 0)
			return im_text(item, "value");
	return "";
}

/* [Schema="dbo",Item="DimDate"] of Power Query's navigation. */
static const char *navigation_value(struct import *im, const char *expression, const char *member)
{
	const char *from = strstr(expression, arena_printf(im->a, "%s=\"", member));
	const char *end;

	if (!from)
		return NULL;
	from = strchr(from, '"') + 1;
	end = strchr(from, '"');
	return end ? arena_strndup(im->a, from, (size_t)(end - from)) : NULL;
}

static bool is_calculated(const json_t *table)
{
	const json_t *source =
		json_object_get(json_array_get(json_object_get(table, "partitions"), 0), "source");

	return strcmp(im_text(source, "type"), "calculated") == 0;
}

static struct table_source find_table_source(struct import *im, const json_t *table)
{
	const json_t *source =
		json_object_get(json_array_get(json_object_get(table, "partitions"), 0), "source");
	const char *expression = join_lines(im, json_object_get(source, "expression"));
	const char *named = annotation_value(table, "_TM_ExtProp_DbTableName");

	if (*named)
		return (struct table_source){annotation_value(table, "_TM_ExtProp_DbSchemaName"),
					     named};
	if (*im_text(source, "entityName"))
		return (struct table_source){
			*im_text(source, "schemaName") ? im_text(source, "schemaName") : "dbo",
			im_text(source, "entityName")};
	return (struct table_source){navigation_value(im, expression, "Schema"),
				     navigation_value(im, expression, "Item")};
}

/* ---- tables ---- */

static const json_t *find_column(const json_t *table, struct str name)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(table, "columns"), i, item)
		if (str_eq_nocase(str_of(im_text(item, "name")), name))
			return item;
	return NULL;
}

static void read_column(struct import *im, struct im_table *t, const json_t *item, const char *from)
{
	const char *name = im_text(item, "name"), *column = im_text(item, "sourceColumn");
	const char *type = column_type(im_text(item, "dataType"));
	const char *const key[] = {column, NULL};

	if (strcmp(im_text(item, "type"), "rowNumber") == 0)
		return;
	if (!*column || strncmp(im_text(item, "type"), "calculated", 10) == 0) {
		im_skip(im, "column", name, from, "it is calculated",
			join_lines(im, json_object_get(item, "expression")));
		return;
	}
	if (!type) {
		im_skip(im, "column", name, from, "its type is not translated",
			im_text(item, "dataType"));
		return;
	}
	if (!im_add_column(im, t, column, type, from))
		return;
	if (is_true(item, "isKey"))
		im_add_key(im, t, key);
	if (is_true(item, "isHidden"))
		return;
	if (strcmp(type, "int") != 0 && strcmp(type, "decimal") != 0)
		im_add_dimension(im, t, name, name, column, type, NULL, from);
	else if (strcmp(im_text(item, "summarizeBy"), "sum") == 0)
		im_add_measure(im, t, name, name, column, "sum",
			       unit_from_format(im_text(item, "formatString")), NULL, from);
}

static void skip_all(struct import *im, const json_t *list, const char *kind, const char *from,
		     const char *why)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
		im_skip(im, kind, im_text(item, "name"), from, why, NULL);
}

static void read_table(struct import *im, const json_t *table, const char *from)
{
	const char *name = im_text(table, "name");
	struct table_source table_source = find_table_source(im, table);
	const json_t *item;
	struct im_table *t;
	size_t i;

	if (is_true(table, "isHidden")) {
		im_skip(im, "table", name, from, "it is hidden", NULL);
		return;
	}
	if (is_calculated(table)) {
		im_skip(im, "table", name, from, "it is calculated", NULL);
		return;
	}
	t = im_add_table(im, name, table_source.schema, table_source.table, from);
	if (!t)
		return;
	json_array_foreach(json_object_get(table, "columns"), i, item)
		read_column(im, t, item, arena_printf(im->a, "%s.columns[%zu]", from, i));
	skip_all(im, json_object_get(table, "hierarchies"), "hierarchy", from,
		 "hierarchies are not translated");
}

/* ---- measures: DAX ---- */

struct dax {
	struct import *im;
	const json_t *model;
	const json_t *home; /* the table that defines the measure */
	const char *p;
};

static void skip_blanks(struct dax *d)
{
	while (isspace((unsigned char)*d->p))
		d->p++;
}

static bool accept_char(struct dax *d, char c)
{
	skip_blanks(d);
	if (*d->p != c)
		return false;
	d->p++;
	return true;
}

static struct str read_word(struct dax *d)
{
	const char *begin;

	skip_blanks(d);
	begin = d->p;
	while (isalnum((unsigned char)*d->p) || *d->p == '_')
		d->p++;
	return (struct str){begin, (size_t)(d->p - begin)};
}

/* The text up to the sign; the sign is consumed too. */
static struct str read_until(struct dax *d, char sign)
{
	const char *begin = d->p, *end = strchr(d->p, sign);

	if (!end)
		return (struct str){begin, 0};
	d->p = end + 1;
	return (struct str){begin, (size_t)(end - begin)};
}

static struct im_table *read_table_name(struct dax *d, const json_t **table)
{
	struct str name = accept_char(d, '\'') ? read_until(d, '\'') : read_word(d);
	const json_t *item;
	size_t i;

	*table = NULL;
	json_array_foreach(json_object_get(d->model, "tables"), i, item)
		if (str_eq_nocase(str_of(im_text(item, "name")), name))
			*table = item;
	return name.n ? im_table(d->im, arena_strndup(d->im->a, name.p, name.n)) : NULL;
}

/* T[C], or [C] of the measure's table, as a column of the source. */
static struct im_table *read_column_name(struct dax *d, const char **column)
{
	const json_t *table = d->home, *item = NULL;
	struct im_table *t;

	skip_blanks(d);
	t = *d->p == '[' ? im_table(d->im, im_text(table, "name")) : read_table_name(d, &table);

	if (t && table && accept_char(d, '['))
		item = find_column(table, read_until(d, ']'));
	*column = im_text(item, "sourceColumn");
	return item && **column ? t : NULL;
}

static bool at_end(struct dax *d)
{
	skip_blanks(d);
	return !*d->p;
}

/* Supports only SUM(T[C]), COUNTROWS(T), DISTINCTCOUNT(T[C]) and the like. */
static const struct im_metric *read_aggregate(struct dax *d, struct str function,
					      const json_t *measure, const char *from)
{
	bool rows = str_eq_nocase(function, STR("COUNTROWS"));
	bool distinct = str_eq_nocase(function, STR("DISTINCTCOUNT"));
	const char *aggregate = rows || distinct ? "" : im_aggregate(function), *column = NULL;
	const json_t *table;
	struct im_table *t;

	if (!aggregate || !accept_char(d, '('))
		return NULL;
	t = rows ? read_table_name(d, &table) : read_column_name(d, &column);
	if (!t || !accept_char(d, ')') || !at_end(d) || strcmp(aggregate, "count") == 0)
		return NULL;
	return im_add_measure(d->im, t, im_text(measure, "name"), "", column,
			      rows       ? "count"
			      : distinct ? "count_distinct"
					 : aggregate,
			      unit_from_format(im_text(measure, "formatString")), NULL, from);
}

/* [Measure] */
static const char *read_reference(struct dax *d)
{
	struct str name;

	if (!accept_char(d, '['))
		return NULL;
	name = read_until(d, ']');
	return name.n ? arena_strndup(d->im->a, name.p, name.n) : NULL;
}

/* DIVIDE([a], [b][, 0]) or [a] - [b]. */
static bool read_pair(struct dax *d, struct str function, const char **left, const char **right,
		      const char **kind)
{
	bool divides = str_eq_nocase(function, STR("DIVIDE"));

	*kind = divides ? "ratio" : "difference";
	if (function.n > 0 && (!divides || !accept_char(d, '(')))
		return false;
	*left = read_reference(d);
	if (!*left || !accept_char(d, divides ? ',' : '-'))
		return false;
	*right = read_reference(d);
	if (divides && accept_char(d, ','))
		read_word(d);
	return *right && (!divides || accept_char(d, ')')) && at_end(d);
}

/* Plain measures are read before those that combine two of them; `pairs` selects the kind. */
static void read_measure(struct import *im, const json_t *model, const json_t *table,
			 const json_t *measure, bool pairs, const char *from)
{
	const char *text = join_lines(im, json_object_get(measure, "expression"));
	const char *name = im_text(measure, "name"), *left, *right, *kind;
	struct dax d = {im, model, table, text}, pair_reader = d;
	struct str function = read_word(&d);

	pair_reader.p = d.p;
	if (!pairs) {
		read_aggregate(&d, function, measure, from);
		return;
	}
	if (im_metric(im, name))
		return;
	if (read_pair(&pair_reader, function, &left, &right, &kind))
		im_add_metric(im, name, "", kind, im_metric(im, left), im_metric(im, right),
			      unit_from_format(im_text(measure, "formatString")), NULL, from, text);
	else
		im_skip(im, "metric", name, from,
			function.n ? arena_printf(im->a, "%.*s of this form is not translated",
						  STR_FMT(function))
				   : "this expression is not translated",
			text);
}

static void read_measures(struct import *im, const json_t *model, bool pairs)
{
	const json_t *table, *measure;
	size_t i, k;

	json_array_foreach(json_object_get(model, "tables"), i, table)
		json_array_foreach(json_object_get(table, "measures"), k, measure)
			read_measure(im, model, table, measure, pairs,
				     arena_printf(im->a, "model.tables[%zu].measures[%zu]", i, k));
}

/* ---- relationships ---- */

static const char *source_column(const json_t *model, const char *table, const char *column)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(model, "tables"), i, item)
		if (strcmp(im_text(item, "name"), table) == 0)
			return im_text(find_column(item, str_of(column)), "sourceColumn");
	return "";
}

static void read_relationship(struct import *im, const json_t *model, const json_t *item,
			      const char *from)
{
	const char *to_table = im_text(item, "toTable"), *from_table = im_text(item, "fromTable");
	struct im_table *many = im_table(im, from_table), *one = im_table(im, to_table);
	const char *on[1][2] = {{source_column(model, from_table, im_text(item, "fromColumn")),
				 source_column(model, to_table, im_text(item, "toColumn"))}};
	const char *const key[] = {on[0][1], NULL};
	const char *name = arena_printf(im->a, "%s %s", from_table, to_table);
	bool is_one_to_one = strcmp(im_text(item, "fromCardinality"), "one") == 0;

	if (json_is_false(json_object_get(item, "isActive")))
		im_skip(im, "edge", name, from, "it is not active", im_text(item, "fromColumn"));
	else if (strcmp(im_text(item, "toCardinality"), "many") == 0)
		im_skip(im, "edge", name, from, "it is many to many", NULL);
	else if (!many || !one || !*on[0][0] || !*on[0][1])
		im_skip(im, "edge", name, from, "one of its tables or columns was skipped", NULL);
	else {
		/* A relationship to one row makes the column a key of that table. */
		if (im_add_column(im, one, on[0][1], NULL, from))
			im_add_key(im, one, key);
		im_add_edge(im, name, many, one, (const char *const(*)[2])on, 1, is_one_to_one,
			    from);
	}
}

/* ---- words ---- */

static void add_synonym(struct import *im, const char *entity, const char *property,
			const char *term)
{
	json_t *lists[] = {im->pack->dimensions, im->pack->measures, im->pack->metrics};
	const struct im_table *t = im_table(im, entity);
	json_t *item;
	size_t i;

	for (int k = 0; t && k < 3; k++)
		json_array_foreach(lists[k], i, item) {
			json_t *words = json_object_get(item, "synonyms");

			if (strcasecmp(im_text(item, "label"), property) != 0 ||
			    (k < 2 && strcmp(im_text(item, "entity"), t->name) != 0))
				continue;
			if (!words)
				json_set_take(item, "synonyms", words = json_array());
			json_push_take(words, json_str(term));
		}
}

static void read_linguistic(struct import *im, const json_t *content)
{
	const json_t *entity, *term, *entities = json_object_get(content, "Entities");
	const char *name, *word_text;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)entities, name, entity) {
		const json_t *binding =
			json_object_get(json_object_get(entity, "Definition"), "Binding");

		if (!json_is_object(binding))
			binding = json_object_get(entity, "Binding");
		json_array_foreach(json_object_get(entity, "Terms"), i, term) {
			const json_t *state;

			json_object_foreach((json_t *)(uintptr_t)term, word_text, state)
				add_synonym(im, im_text(binding, "ConceptualEntity"),
					    im_text(binding, "ConceptualProperty"), word_text);
		}
	}
}

static void read_cultures(struct import *im, const json_t *model)
{
	const json_t *culture;
	size_t i;

	json_array_foreach(json_object_get(model, "cultures"), i, culture) {
		const json_t *content =
			json_object_get(json_object_get(culture, "linguisticMetadata"), "content");
		json_t *parsed = NULL;
		struct err why;

		if (json_is_object(content))
			read_linguistic(im, content);
		else if (json_is_string(content) &&
			 json_parse(json_string_value(content), json_string_length(content),
				    IMPORT_BYTES_MAX, &parsed, &why))
			read_linguistic(im, json_own(im->a, parsed));
	}
}

/* Reads VerifiedAnswers/definitions/<id>/definition.json next to the file: questions of users. */
static void read_verified(struct import *im, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *dir = arena_printf(im->a, "%.*sVerifiedAnswers/definitions",
				       slash ? (int)(slash - path + 1) : 0, path);
	const char *const *names;
	const json_t *prompt;
	struct err why;
	size_t n = 0, i;

	if (!file_list(dir, im->a, &names, &why))
		return;
	for (; *names && n < VERIFIED_MAX; names++, n++) {
		json_t *answer;

		if (!json_parse_file(arena_printf(im->a, "%s/%s/definition.json", dir, *names),
				     &answer, &why))
			continue;
		json_own(im->a, answer);
		json_array_foreach(json_object_get(answer, "triggerPrompts"), i, prompt)
			if (*im_text(prompt, "prompt"))
				strlist_add(&im->pack->examples, im->a, im_text(prompt, "prompt"));
	}
}

/* ---- all ---- */

bool import_bim(struct import *im, const json_t *root, const char *path, struct err *e)
{
	const json_t *model = json_object_get(root, "model"), *item;
	size_t i;

	if (json_array_size(json_object_get(model, "tables")) > IMPORT_TABLES_MAX)
		return err_set(e, ERR_LIMIT, "more than %d tables", IMPORT_TABLES_MAX);
	json_array_foreach(json_object_get(model, "tables"), i, item)
		read_table(im, item, arena_printf(im->a, "model.tables[%zu]", i));
	json_array_foreach(json_object_get(model, "relationships"), i, item)
		read_relationship(im, model, item,
				  arena_printf(im->a, "model.relationships[%zu]", i));
	read_measures(im, model, false);
	read_measures(im, model, true);
	skip_all(im, json_object_get(model, "roles"), "role", "model.roles",
		 "permissions must be written by hand");
	read_cultures(im, model);
	if (path)
		read_verified(im, path);
	return true;
}
