/*
 * Column resolution: finds the source of a column as the database will, and reports why a column is
 * not found.
 */
#include <stdint.h>

#include "same/gate_same.h"
#include "vesper/limits.h"

bool gate_same_name(const struct gate_name *a, const struct gate_name *b)
{
	return a->text.p && b->text.p && str_eq_nocase(a->text, b->text);
}

const struct gate_name *gate_source_name(const struct gate_source *s)
{
	if (s->pivot)
		return &s->pivot->alias;
	return s->alias.text.p ? &s->alias : &s->name;
}

const struct gate_source *gate_source_find(const struct gate_source *list,
					   const struct gate_name *name)
{
	for (; list; list = list->next) {
		const struct gate_source *in =
			list->kind == GATE_GROUP ? gate_source_find(list->group, name)
			: gate_same_name(gate_source_name(list), name) ? list
								       : NULL;
		if (in)
			return in;
	}
	return NULL;
}

/* ---- recording columns read ---- */

static void mark_named(const struct gate_source *s, const struct gate_column *column)
{
	if (s->view_use)
		s->view_use->named[column->index] = true;
}

void gate_mark_all_named(const struct gate_source *s)
{
	for (size_t i = 0; s->view_use && i < s->view_use->columns.count; i++)
		s->view_use->named[i] = true;
}

void gate_mark_all_named_in(const struct gate_source *list)
{
	for (; list; list = list->next) {
		if (list->kind == GATE_GROUP)
			gate_mark_all_named_in(list->group);
		else
			gate_mark_all_named(list);
	}
}

/* Sources in a list that have a column. */
struct found {
	const struct gate_column *column; /* in the last source known to have it */
	bool open;                        /* some source may have it */
	size_t bytes;                     /* maximum length over these sources */
};

/* Records the column for every source that has it: the database decides which one is meant or
 * reports an ambiguity. */
static void find_column(const struct gate_source *list, struct str name, struct found *f)
{
	for (; list; list = list->next) {
		const struct gate_column *column;

		if (list->kind == GATE_GROUP) {
			find_column(list->group, name, f);
			continue;
		}
		column = gate_columns_find(&list->result_columns, name);
		if (column) {
			mark_named(list, column);
			f->column = column;
			f->bytes = column->bytes > f->bytes ? column->bytes : f->bytes;
		}
		f->open |= !column && list->result_columns.open;
	}
}

/* Needed because databases differ in the meaning of quotes and case. */
static void use_defined_spelling(struct gate_name *name, const struct gate_name *as)
{
	name->text = as->text;
	name->quoted = as->quoted;
}

/* ---- missing columns ---- */

/* Why a column was not found. */
struct missing {
	bool denied;
	const struct gate_name *nearest;
	size_t edits;
};

/* The name without quotes. */
static struct str unquoted(const char *column)
{
	struct str s = str_of(column);

	return *column == '"' ? (struct str){s.p + 1, s.n - 2} : s;
}

static bool is_denied(const struct gate_view_use *view_use, struct str column)
{
	const char *const *denied = view_use ? view_use->view->denied : NULL;

	for (; denied && *denied; denied++)
		if (str_eq_nocase(column, unquoted(*denied)))
			return true;
	return false;
}

/* Suggests columns of views only: other names may contain non-ASCII characters. */
static void find_nearest(const struct gate_source *s, struct str column, struct missing *m)
{
	m->denied |= is_denied(s->view_use, column);
	for (size_t i = 0; s->view_use && i < s->result_columns.count; i++) {
		size_t edits = str_edit_distance(column, s->result_columns.items[i].name.text);

		if (edits < m->edits) {
			m->edits = edits;
			m->nearest = &s->result_columns.items[i].name;
		}
	}
}

static void find_nearest_in(const struct gate_source *list, struct str column, struct missing *m)
{
	for (; list; list = list->next) {
		if (list->kind == GATE_GROUP)
			find_nearest_in(list->group, column, m);
		else
			find_nearest(list, column, m);
	}
}

static bool refuse_missing(const struct check *c, size_t at, struct str column, const char *what,
			   const struct missing *m)
{
	if (m->denied)
		return gate_refuse(c->g, at, "you lack the permission for this column");
	if (m->nearest && m->edits <= column.n / 2 + 1)
		return gate_refuse(c->g, at, "%s; the nearest is %s%.*s%s", what,
				   m->nearest->quoted ? "\"" : "", STR_FMT(m->nearest->text),
				   m->nearest->quoted ? "\"" : "");
	return gate_refuse(c->g, at, "%s", what);
}

/* ---- resolving columns ---- */

static bool is_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

static const struct gate_item *find_output(const struct gate_select *select, struct str column)
{
	for (const struct gate_item *item = select->items; item; item = item->next)
		if (item->alias.text.p && str_eq_nocase(item->alias.text, column))
			return item;
	return NULL;
}

/* Replaces an alias used in WHERE, GROUP BY, HAVING or inside an expression with its expression. */
static bool substitute_alias(const struct check *c, struct gate_expr *x, const struct gate_item *as,
			     enum aliases aliases)
{
	if (aliases == ALIASES_NONE || as->value->query)
		return gate_refuse(c->g, x->at,
				   "%.*s is a name defined by SELECT, which can't be used here; "
				   "repeat its expression, or select from a derived table",
				   is_ascii(x->name.text) ? (int)x->name.text.n : 0,
				   x->name.text.p);
	gate_substitute_alias(c->g, x, as->value, true);
	return true;
}

/* Unless a source is known to have the column, the database may search the outer scopes. */
static bool check_plain(const struct check *c, struct gate_expr *x, const struct scope *s)
{
	const struct scope *first = s;
	bool may_exist = false;

	x->bytes = GATE_CELL_BYTES;
	for (; s; s = s->outer) {
		const struct gate_item *as;
		struct found f = {0};

		if (s->outputs)
			return true;
		if (!s->select)
			continue;
		find_column(s->select->from, x->name.text, &f);
		as = s == first ? find_output(s->select, x->name.text) : NULL;
		if (as && !f.column && !f.open && s->aliases != ALIASES_SORT)
			return substitute_alias(c, x, as, s->aliases);
		if (f.column || as)
			use_defined_spelling(&x->name, f.column ? &f.column->name : &as->alias);
		if (as && as->value->bytes > x->bytes)
			x->bytes = as->value->bytes;
		if (f.bytes > x->bytes)
			x->bytes = f.bytes;
		if (f.column)
			return true;
		may_exist |= f.open || as;
	}
	if (may_exist)
		return true;

	struct missing m = {.edits = SIZE_MAX};
	for (s = first; s; s = s->outer)
		if (s->select)
			find_nearest_in(s->select->from, x->name.text, &m);
	return refuse_missing(c, x->at, x->name.text, "no source has this column", &m);
}

bool gate_check_column(const struct check *c, struct gate_expr *x, const struct scope *s)
{
	struct missing m = {.edits = SIZE_MAX};
	const struct gate_column *column;

	if (!x->qualifier.text.p)
		return check_plain(c, x, s);
	for (; s && !x->of; s = s->outer)
		if (s->select)
			x->of = gate_source_find(s->select->from, &x->qualifier);
	if (!x->of)
		return gate_refuse(c->g, x->at, "no source with this name is visible here");
	if (x->kind == GATE_ALL) {
		gate_mark_all_named(x->of);
		return true;
	}
	column = gate_columns_find(&x->of->result_columns, x->name.text);
	x->bytes = column ? column->bytes : GATE_CELL_BYTES;
	if (column) {
		mark_named(x->of, column);
		use_defined_spelling(&x->name, &column->name);
		return true;
	}
	if (x->of->result_columns.open)
		return true;
	find_nearest(x->of, x->name.text, &m);
	return refuse_missing(c, x->at, x->name.text,
			      x->of->view_use ? "the source does not have this column"
					      : "the source does not have this column; name an "
						"expression with AS",
			      &m);
}

bool gate_check_using(const struct check *c, struct gate_source *s, const struct scope *scope)
{
	for (struct gate_name *n = s->using_columns; n; n = n->next) {
		struct missing m = {.edits = SIZE_MAX};
		struct found f = {0};

		find_column(scope->select->from, n->text, &f);
		if (f.column)
			use_defined_spelling(n, &f.column->name);
		if (gate_columns_find(&s->result_columns, n->text) || s->result_columns.open)
			continue;
		find_nearest(s, n->text, &m);
		return refuse_missing(c, n->at, n->text, "the source does not have this column",
				      &m);
	}
	return true;
}
