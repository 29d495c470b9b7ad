/* Apache Ossie 0.2.0.dev0, as JSON (https://github.com/apache/ossie, core-spec). */
#include "import_int.h"

#include <ctype.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/strlist.h"

#define VERSION "0.2.0.dev0"
#define DIALECT "ANSI_SQL"

/* The expression in the common dialect; NULL: none. */
static const char *expression_of(const json_t *item)
{
	const json_t *dialects = json_object_get(json_object_get(item, "expression"), "dialects");
	const json_t *one;
	size_t i;

	json_array_foreach(dialects, i, one)
		if (strcmp(im_text(one, "dialect"), DIALECT) == 0)
			return json_string_value(json_object_get(one, "expression"));
	return NULL;
}

static const json_t *synonyms_of(const json_t *item)
{
	const json_t *list = json_object_get(json_object_get(item, "ai_context"), "synonyms");
	const json_t *text;
	size_t i;

	json_array_foreach(list, i, text)
		if (!json_is_string(text))
			return NULL;
	return json_is_array(list) ? list : NULL;
}

static const char *const *read_texts(struct import *im, const json_t *list)
{
	struct strlist out = {0};
	const json_t *item;
	size_t i;

	strlist_add(&out, im->a, NULL);
	json_array_foreach(list, i, item)
		if (json_is_string(item))
			strlist_add(&out, im->a, json_string_value(item));
	return out.items;
}

static const char *column_type(const json_t *field)
{
	static const char *const types[] = {
		"String",   "text",     "Integer",    "int",      "Decimal", "decimal",
		"Float",    "decimal",  "Boolean",    "bool",     "Date",    "date",
		"DateTime", "datetime", "DateTimeTz", "datetime", NULL};
	const char *type = im_text(field, "datatype");

	for (const char *const *t = types; *t; t += 2)
		if (strcmp(t[0], type) == 0)
			return t[1];
	return json_is_true(json_object_get(json_object_get(field, "dimension"), "is_time"))
		       ? "date"
		       : NULL;
}

static void read_field(struct import *im, struct im_table *t, const json_t *field, const char *from)
{
	const char *name = im_text(field, "name"), *expression = expression_of(field);

	if (!expression)
		im_skip(im, "field", name, from, "it has no expression in " DIALECT, NULL);
	else if (!im_is_plain_name(expression))
		im_skip(im, "field", name, from, "its expression is not one column", expression);
	else
		im_add_dimension(im, t, name, im_text(field, "label"), expression,
				 column_type(field), synonyms_of(field), from);
}

/* The source is "database.schema.table", or without the database. */
static struct im_table *add_dataset(struct import *im, const json_t *dataset, const char *from)
{
	struct str rest = str_of(im_text(dataset, "source")), part;
	const char *parts[3];
	size_t n = 0;

	while (n < 3 && str_split(&rest, '.', &part))
		parts[n++] = arena_strndup(im->a, part.p, part.n);
	if (n < 2 || rest.p)
		return im_add_table(im, im_text(dataset, "name"), NULL, im_text(dataset, "source"),
				    from);
	return im_add_table(im, im_text(dataset, "name"), parts[n - 2], parts[n - 1], from);
}

static void read_dataset(struct import *im, const json_t *dataset, const char *from)
{
	struct im_table *t = add_dataset(im, dataset, from);
	const json_t *item;
	size_t i;

	if (!t)
		return;
	t->synonyms = (json_t *)(uintptr_t)synonyms_of(dataset);
	if (json_array_size(json_object_get(dataset, "primary_key")) > 0)
		im_add_key(im, t, read_texts(im, json_object_get(dataset, "primary_key")));
	json_array_foreach(json_object_get(dataset, "unique_keys"), i, item)
		im_add_key(im, t, read_texts(im, item));
	json_array_foreach(json_object_get(dataset, "fields"), i, item)
		read_field(im, t, item, arena_printf(im->a, "%s.fields[%zu]", from, i));
}

static void read_relationship(struct import *im, const json_t *item, const char *from)
{
	const char *const *a = read_texts(im, json_object_get(item, "from_columns"));
	const char *const *b = read_texts(im, json_object_get(item, "to_columns"));
	struct im_table *many = im_table(im, im_text(item, "from"));
	struct im_table *one = im_table(im, im_text(item, "to"));
	size_t count = strlist_len(a);
	const char *(*on)[2];

	if (!many || !one || count == 0 || count != strlist_len(b)) {
		im_skip(im, "edge", im_text(item, "name"), from,
			many && one ? "its columns do not form pairs"
				    : "one of its tables was skipped",
			NULL);
		return;
	}
	on = arena_alloc(im->a, count * sizeof(*on));
	for (size_t i = 0; i < count; i++) {
		on[i][0] = a[i];
		on[i][1] = b[i];
	}
	im_add_edge(im, im_text(item, "name"), many, one, (const char *const(*)[2])on, count, false,
		    from);
}

/* ---- metrics ---- */

struct reader {
	struct import *im;
	const char *p;
};

struct call {
	const char *aggregate;
	struct im_table *table;
	const char *column; /* NULL: counts rows */
};

static void skip_blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->p))
		r->p++;
}

static bool accept_char(struct reader *r, char c)
{
	skip_blanks(r);
	if (*r->p != c)
		return false;
	r->p++;
	return true;
}

static struct str read_word(struct reader *r)
{
	const char *begin;

	skip_blanks(r);
	begin = r->p;
	while (isalnum((unsigned char)*r->p) || *r->p == '_')
		r->p++;
	return (struct str){begin, (size_t)(r->p - begin)};
}

/* [DISTINCT] table.column, or *: the only arguments that are supported. */
static bool read_column(struct reader *r, struct call *out)
{
	struct str first = read_word(r), second;

	if (str_eq_nocase(first, STR("DISTINCT")) && strcmp(out->aggregate, "count") == 0) {
		out->aggregate = "count_distinct";
		first = read_word(r);
	}
	if (first.n == 0 || !accept_char(r, '.'))
		return false;
	second = read_word(r);
	out->table = im_table(r->im, arena_strndup(r->im->a, first.p, first.n));
	out->column = arena_strndup(r->im->a, second.p, second.n);
	return out->table && second.n > 0;
}

/* SUM(orders.amount), with or without parentheses around it. */
static bool read_call(struct reader *r, struct call *out, int depth)
{
	if (depth < 4 && accept_char(r, '('))
		return read_call(r, out, depth + 1) && accept_char(r, ')');
	out->aggregate = im_aggregate(read_word(r));
	return out->aggregate && accept_char(r, '(') && read_column(r, out) && accept_char(r, ')');
}

/* COUNT(column) is imported as a count of rows. This is correct for a key only, which has no NULLs;
 * other columns are refused. */
static const char *counted_column(const struct call *c)
{
	return strcmp(c->aggregate, "count") == 0 ? NULL : c->column;
}

static bool is_key(const struct call *c)
{
	return c->table->key_count > 0 && c->table->keys[0][0] && !c->table->keys[0][1] &&
	       strcmp(c->table->keys[0][0], c->column) == 0;
}

static const struct im_metric *add_call(struct import *im, const char *name, const json_t *item,
					const struct call *c, const char *from)
{
	if (strcmp(c->aggregate, "count") == 0 && !is_key(c)) {
		im_skip(im, "metric", name, from, "it counts the values of a column", c->column);
		return NULL;
	}
	return im_add_measure(im, c->table, name, item ? im_text(item, "label") : "",
			      counted_column(c), c->aggregate, "count",
			      item ? synonyms_of(item) : NULL, from);
}

/* A quotient of two aggregates becomes a ratio of two unnamed measures. */
static void read_metric(struct import *im, const json_t *item, const char *from)
{
	const char *name = im_text(item, "name"), *expression = expression_of(item);
	struct reader r = {im, expression ? expression : ""};
	struct call left, right;

	if (!expression) {
		im_skip(im, "metric", name, from, "it has no expression in " DIALECT, NULL);
		return;
	}
	if (!read_call(&r, &left, 0)) {
		im_skip(im, "metric", name, from, "its expression is not translated", expression);
		return;
	}
	skip_blanks(&r);
	if (!*r.p) {
		add_call(im, name, item, &left, from);
		return;
	}
	if (!accept_char(&r, '/') || !read_call(&r, &right, 0) || (skip_blanks(&r), *r.p)) {
		im_skip(im, "metric", name, from, "its expression is not translated", expression);
		return;
	}
	const struct im_metric *numerator =
		add_call(im, arena_printf(im->a, "%s numerator", name), NULL, &left, from);
	const struct im_metric number = numerator ? *numerator : (struct im_metric){0};
	const struct im_metric *denominator =
		add_call(im, arena_printf(im->a, "%s denominator", name), NULL, &right, from);

	im_add_metric(im, name, "", "ratio", numerator ? &number : NULL, denominator, "count",
		      synonyms_of(item), from, expression);
}

/* ---- the model ---- */

static void read_model(struct import *im, const json_t *model, const char *from)
{
	const json_t *examples = json_object_get(json_object_get(model, "ai_context"), "examples");
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(model, "datasets"), i, item)
		read_dataset(im, item, arena_printf(im->a, "%s.datasets[%zu]", from, i));
	json_array_foreach(json_object_get(model, "relationships"), i, item)
		read_relationship(im, item, arena_printf(im->a, "%s.relationships[%zu]", from, i));
	json_array_foreach(json_object_get(model, "metrics"), i, item)
		read_metric(im, item, arena_printf(im->a, "%s.metrics[%zu]", from, i));
	json_array_foreach(examples, i, item)
		if (json_is_string(item))
			strlist_add(&im->pack->examples, im->a, json_string_value(item));
}

bool import_ossie(struct import *im, const json_t *root, struct err *e)
{
	const char *version = im_text(root, "version");
	const json_t *item;
	size_t i;

	if (strcmp(version, VERSION) != 0)
		return err_set(e, ERR_INPUT,
			       "Apache Ossie version \"%.*s\" is not supported; use %s",
			       STR_CUT(version, 40), VERSION);
	json_array_foreach(json_object_get(root, "semantic_model"), i, item)
		read_model(im, item, arena_printf(im->a, "semantic_model[%zu]", i));
	return true;
}
