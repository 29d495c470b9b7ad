/*
 * Columns of sources and query results, sorted for fast lookup. For most sources all columns are
 * known, and other names are refused whatever a database would make of them: PostgreSQL reads
 * d.row_to_json as a call.
 */
#include <stdlib.h>
#include <string.h>

#include "gate_check.h"
#include "vesper/limits.h"

static unsigned char lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static int order(struct str a, struct str b)
{
	for (size_t i = 0; i < a.n && i < b.n; i++)
		if (lower(a.p[i]) != lower(b.p[i]))
			return lower(a.p[i]) - lower(b.p[i]);
	return (a.n > b.n) - (a.n < b.n);
}

static int compare(const void *a, const void *b)
{
	const struct gate_column *one = a, *other = b;

	return order(one->name.text, other->name.text);
}

static int compare_name(const void *key, const void *item)
{
	const struct gate_column *column = item;

	return order(*(const struct str *)key, column->name.text);
}

const struct gate_column *gate_columns_find(const struct gate_columns *columns, struct str name)
{
	return columns->count == 0 ? NULL
				   : bsearch(&name, columns->items, columns->count,
					     sizeof(*columns->items), compare_name);
}

/* ---- building ---- */

struct builder {
	struct arena *arena;
	struct gate_columns columns;
	size_t cap;
};

static void add(struct builder *b, struct gate_name name, size_t bytes)
{
	struct gate_columns *m = &b->columns;

	m->items = arena_grow(b->arena, m->items, m->count, &b->cap, sizeof(*m->items));
	m->items[m->count] = (struct gate_column){name, m->count, bytes};
	m->count++;
}

static struct gate_columns sorted(struct builder *b)
{
	if (b->columns.count > 1)
		qsort(b->columns.items, b->columns.count, sizeof(*b->columns.items), compare);
	return b->columns;
}

/* Parses a name as spelled in SQL: gid, "Project Name". */
static struct gate_name name_of(const char *column)
{
	struct str text = str_of(column);

	return *column == '"' ? (struct gate_name){.text = {text.p + 1, text.n - 2}, .quoted = true}
			      : (struct gate_name){.text = text};
}

struct gate_columns gate_columns_of_view(const struct gate *g, const struct gate_view *v)
{
	struct builder b = {.arena = g->arena, .columns.open = v->columns == NULL};

	for (const char *const *c = v->columns; c && *c; c++)
		add(&b, name_of(*c), GATE_CELL_BYTES);
	return sorted(&b);
}

static struct gate_columns of_names(const struct gate *g, const struct gate_name *n, size_t bytes)
{
	struct builder b = {.arena = g->arena};

	for (; n; n = n->next)
		add(&b, *n, bytes);
	return sorted(&b);
}

static bool names_contain(const struct gate_name *list, struct str name)
{
	for (; list; list = list->next)
		if (str_eq_nocase(list->text, name))
			return true;
	return false;
}

/* Adds the source's columns, except those that USING merged with an earlier source. */
static void add_source(struct builder *b, const struct gate_source *s)
{
	for (size_t i = 0; i < s->result_columns.count; i++)
		if (!names_contain(s->using_columns, s->result_columns.items[i].name.text))
			add(b, s->result_columns.items[i].name, s->result_columns.items[i].bytes);
	b->columns.open |= s->result_columns.open;
}

static void add_sources(struct builder *b, const struct gate_source *list)
{
	for (; list; list = list->next) {
		if (list->kind == GATE_GROUP)
			add_sources(b, list->group);
		else
			add_source(b, list);
	}
}

static void add_item(struct builder *b, const struct gate_select *select,
		     const struct gate_item *item)
{
	const struct gate_expr *x = item->value;

	while (x->kind == GATE_PAREN)
		x = x->kids;
	if (item->alias.text.p)
		add(b, item->alias, x->bytes);
	else if (x->kind == GATE_COLUMN)
		add(b, x->name, x->bytes);
	else if (x->kind == GATE_ALL && x->of)
		add_source(b, x->of);
	else if (x->kind == GATE_ALL)
		add_sources(b, select->from);
}

struct gate_columns gate_columns_of_query(const struct gate *g, const struct gate_query *q)
{
	const struct gate_select *select = q->terms->select;
	struct builder b = {.arena = g->arena};

	if (!select)
		return q->terms->query->result_columns;
	for (const struct gate_item *item = select->items; item; item = item->next)
		add_item(&b, select, item);
	return sorted(&b);
}

/* ---- columns of sources ---- */

static bool is_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

/* Databases handle duplicate columns differently: SQLite takes the first, PostgreSQL none, and SQL
 * Server refuses the query. */
static bool check_once(const struct gate *g, const struct gate_columns *columns, size_t at)
{
	if (columns->count > DB_COLUMNS_MAX)
		return gate_limit_reached(g, at, "more than %d columns in one source",
					  DB_COLUMNS_MAX);
	for (size_t i = 1; i < columns->count; i++) {
		struct str name = columns->items[i].name.text;

		if (str_eq_nocase(columns->items[i - 1].name.text, name))
			return gate_refuse(g, at,
					   "two columns have the same name%s%.*s; list the columns "
					   "and rename one with AS",
					   is_ascii(name) ? ": " : "",
					   is_ascii(name) ? (int)name.n : 0, name.p);
	}
	return true;
}

bool gate_columns_named(const struct gate *g, const struct gate_name *names,
			const struct gate_query *q, const struct gate_expr *rows, size_t at,
			struct gate_columns *out)
{
	*out = names ? of_names(g, names, q ? gate_length_of_query(q) : gate_length_of_rows(rows))
		     : q->result_columns;
	return check_once(g, out, at);
}
