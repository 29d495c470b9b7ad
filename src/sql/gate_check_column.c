/*
 * Columns: which source of a statement has the one that a name means, as the database will find it,
 * and for one that none has, what is the matter with it.
 */
#include "gate_check.h"

#include <stdint.h>

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

static bool in_names(const struct gate_name *list, struct str name)
{
	for (; list; list = list->next)
		if (str_eq_nocase(list->text, name))
			return true;
	return false;
}

/* The name inside the quotes, if there are any. */
static struct str bare(const char *column)
{
	struct str s = str_of(column);

	return *column == '"' ? (struct str){s.p + 1, s.n - 2} : s;
}

static const char *in_list(const char *const *list, struct str column)
{
	for (; list && *list; list++)
		if (str_eq_nocase(column, bare(*list)))
			return *list;
	return NULL;
}

static const struct gate_view *known_view(const struct gate_source *s)
{
	return !s->pivot && !s->columns && !s->cte && s->view && s->view->columns ? s->view : NULL;
}

/* Whether the source may have the column: false only when its columns are known. */
static bool may_have(const struct gate_source *s, struct str column)
{
	if (s->pivot)
		return true;
	if (s->columns)
		return in_names(s->columns, column);
	if (s->cte)
		return !s->cte->columns || in_names(s->cte->columns, column);
	return !known_view(s) || in_list(s->view->columns, column);
}

/* The sources of a list that may have it. */
static size_t count_may_have(const struct gate_source *list, struct str column,
			     const struct gate_source **last)
{
	size_t n = 0;

	for (; list; list = list->next) {
		if (list->kind == GATE_GROUP) {
			n += count_may_have(list->group, column, last);
		} else if (may_have(list, column)) {
			*last = list;
			n++;
		}
	}
	return n;
}

/* Where the name is a view's, it is written as the view has it: databases differ in what quotes and
 * capitals mean. */
static void spell_as_known(struct gate_expr *x, const struct gate_source *s)
{
	const struct gate_view *v = known_view(s);
	const char *known = v ? in_list(v->columns, x->name.text) : NULL;

	if (!known)
		return;
	x->name.text = bare(known);
	x->name.quoted = *known == '"';
}

/* ---- columns that are not there ---- */

/* What is the matter with a column that none of these sources has. */
struct missing {
	bool denied;
	const char *nearest;
	size_t edits;
};

static void look_for(const struct gate_source *s, struct str column, struct missing *m)
{
	const struct gate_view *v = known_view(s);

	if (!v)
		return;
	m->denied |= in_list(v->denied, column) != NULL;
	for (const char *const *c = v->columns; *c; c++) {
		size_t edits = str_edits(column, bare(*c));
		if (edits < m->edits) {
			m->edits = edits;
			m->nearest = *c;
		}
	}
}

static void look_for_in(const struct gate_source *list, struct str column, struct missing *m)
{
	for (; list; list = list->next) {
		if (list->kind == GATE_GROUP)
			look_for_in(list->group, column, m);
		else
			look_for(list, column, m);
	}
}

static bool refuse_missing(const struct check *c, const struct gate_expr *x, const char *what,
			   const struct missing *m)
{
	if (m->denied)
		return gate_refuse(c->g, x->at, "this column needs a permission that is missing");
	if (m->nearest && m->edits <= x->name.text.n / 2 + 1)
		return gate_refuse(c->g, x->at, "%s; the nearest is %s", what, m->nearest);
	return gate_refuse(c->g, x->at, "%s", what);
}

static bool is_output(const struct gate_select *select, struct str column)
{
	for (const struct gate_item *item = select->items; item; item = item->next)
		if (item->alias.text.p && str_eq_nocase(item->alias.text, column))
			return true;
	return false;
}

/* Whether the scope itself has the plain name: as a column, or as the name of an output. */
static bool has_plain(struct gate_expr *x, const struct scope *s, bool innermost)
{
	const struct gate_source *source = NULL;
	size_t sources = count_may_have(s->select->from, x->name.text, &source);

	if (innermost && is_output(s->select, x->name.text))
		return true;
	if (sources == 1)
		spell_as_known(x, source);
	return sources > 0;
}

static bool check_plain(const struct check *c, struct gate_expr *x, const struct scope *s)
{
	struct missing m = {.edits = SIZE_MAX};
	const struct scope *first = s;

	for (; s; s = s->outer) {
		if (s->outputs || (s->select && has_plain(x, s, s == first)))
			return true;
		if (s->select)
			look_for_in(s->select->from, x->name.text, &m);
	}
	return refuse_missing(c, x, "no source has such a column", &m);
}

bool gate_check_column(const struct check *c, struct gate_expr *x, const struct scope *s)
{
	struct missing m = {.edits = SIZE_MAX};

	if (!x->qualifier.text.p)
		return check_plain(c, x, s);
	for (; s && !x->of; s = s->outer)
		if (s->select)
			x->of = gate_source_find(s->select->from, &x->qualifier);
	if (!x->of)
		return gate_refuse(c->g, x->at, "no source of this name can be seen here");
	if (x->kind == GATE_ALL)
		return true;
	if (may_have(x->of, x->name.text)) {
		spell_as_known(x, x->of);
		return true;
	}
	look_for(x->of, x->name.text, &m);
	return refuse_missing(c, x, "the source has no such column", &m);
}
