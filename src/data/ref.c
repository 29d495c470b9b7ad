/*
 * References are read once and strictly, so that a plan with a wrong one is refused before anything
 * runs; what they find is looked up late, in typed results.
 */
#include "vesper/ref.h"

#include <ctype.h>
#include <string.h>

#include "vesper/json.h"

/* ---- reading ---- */

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Takes a name off *p. */
static bool take_name(const char **p, char out[REF_NAME_MAX + 1])
{
	size_t n = 0;

	while (is_name_char((*p)[n]))
		n++;
	if (n == 0 || n > REF_NAME_MAX)
		return false;
	memcpy(out, *p, n);
	out[n] = '\0';
	*p += n;
	return true;
}

static bool take(const char **p, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

/* "0]" or "*]" */
static bool take_row(const char **p, struct ref *r)
{
	size_t digits = 0;

	r->kind = REF_COLUMN;
	if (take(p, "*]"))
		return true;
	r->kind = REF_CELL;
	r->row = 0;
	for (; isdigit((unsigned char)**p) && digits < 4; digits++)
		r->row = r->row * 10 + (size_t)(*(*p)++ - '0');
	return digits > 0 && take(p, "]");
}

static bool take_path(const char **p, struct ref *r)
{
	if (take(p, "row_count")) {
		r->kind = REF_ROW_COUNT;
		return true;
	}
	if (take(p, "outcome")) {
		r->kind = REF_OUTCOME;
		return true;
	}
	if (take(p, "facts.")) {
		r->kind = REF_FACT;
		return take_name(p, r->name);
	}
	return take(p, "rows[") && take_row(p, r) && take(p, ".") && take_name(p, r->name);
}

bool ref_parse(const char *text, struct ref *out, struct err *e)
{
	struct ref r = {.name = ""};
	const char *p = text;

	if (!take_name(&p, r.source) || !take(&p, ".") || !take_path(&p, &r) || *p)
		return err_set(e, ERR_INPUT, "\"%.*s\" refers to nothing that a task gives",
			       STR_CUT(text, 60));
	*out = r;
	return true;
}

/* ---- looking up ---- */

static const struct ref_source *find_source(const struct ref_scope *s, const char *id)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->sources[i].id, id) == 0)
			return &s->sources[i];
	return NULL;
}

/* What an agent found last, past calls that found nothing; of a tool its only result. */
static const struct result *result_of(const struct ref_source *s)
{
	const struct result *last = NULL;

	for (size_t i = 0; i < s->count; i++)
		if (!last || s->results[i]->outcome.kind == OUTCOME_ROWS ||
		    last->outcome.kind != OUTCOME_ROWS)
			last = s->results[i];
	return last;
}

/* "hub_zone" is the column HubZone. */
bool ref_same_name(const char *a, const char *b)
{
	for (;;) {
		while (*a && !isalnum((unsigned char)*a))
			a++;
		while (*b && !isalnum((unsigned char)*b))
			b++;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

static int find_column(const struct table *t, const char *name)
{
	int exact = table_column(t, name);

	for (size_t c = 0; exact < 0 && c < t->column_count; c++)
		if (ref_same_name(t->columns[c].name, name))
			return (int)c;
	return exact;
}

static const json_t *text_value(struct arena *a, const char *text)
{
	return json_own(a, json_str(text));
}

static bool add_once(json_t *list, const char *text)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
		if (strcmp(json_string_value(item), text) == 0)
			return true;
	if (json_array_size(list) == LIST_ARG_MAX)
		return false;
	json_push_take(list, json_str(text));
	return true;
}

static bool column_value(const struct table *t, int c, const struct ref *r, struct arena *a,
			 const json_t **out, struct err *e)
{
	json_t *list = json_own(a, json_array());

	for (size_t row = 0; row < t->row_count; row++)
		if (t->rows[row][c] && !add_once(list, t->rows[row][c]))
			return err_set(e, ERR_NOT_FOUND, "%s has more than %d different values",
				       r->name, LIST_ARG_MAX);
	if (json_array_size(list) == 0)
		return err_set(e, ERR_NOT_FOUND, "the earlier step found no %s", r->name);
	*out = list;
	return true;
}

static bool table_value(const struct result *found, const struct ref *r, struct arena *a,
			const json_t **out, struct err *e)
{
	const struct table *t = found->table_count > 0 ? found->tables[0] : NULL;
	int c = t ? find_column(t, r->name) : -1;

	if (!t || t->row_count == 0)
		return err_set(e, ERR_NOT_FOUND, "the earlier step found nothing");
	if (c < 0)
		return err_set(e, ERR_NOT_FOUND, "the earlier step gives no %s", r->name);
	if (r->kind == REF_COLUMN)
		return column_value(t, c, r, a, out, e);
	if (r->row >= t->row_count || !t->rows[r->row][c])
		return err_set(e, ERR_NOT_FOUND, "the earlier step found no %s in row %zu", r->name,
			       r->row + 1);
	*out = text_value(a, t->rows[r->row][c]);
	return true;
}

static bool fact_value(const struct result *found, const struct ref *r, struct arena *a,
		       const json_t **out, struct err *e)
{
	const struct fact *f = result_fact(found, r->name);

	if (!f || !f->value)
		return err_set(e, ERR_NOT_FOUND, "the earlier step does not tell the %s", r->name);
	*out = text_value(a, f->value);
	return true;
}

bool ref_value(const struct ref_scope *s, const struct ref *r, struct arena *a, const json_t **out,
	       struct err *e)
{
	const struct ref_source *source = find_source(s, r->source);
	const struct result *found = source ? result_of(source) : NULL;

	if (!found)
		return err_set(e, ERR_NOT_FOUND, "the earlier step %s gave nothing", r->source);
	switch (r->kind) {
	case REF_ROW_COUNT:
		*out = text_value(a, arena_printf(a, "%zu",
						  found->table_count ? found->tables[0]->row_count
								     : (size_t)0));
		return true;
	case REF_OUTCOME:
		*out = text_value(a, outcome_name(found->outcome.kind));
		return true;
	case REF_FACT:
		return fact_value(found, r, a, out, e);
	default:
		return table_value(found, r, a, out, e);
	}
}

/* ---- arguments ---- */

const char *ref_of(const json_t *value)
{
	return json_object_size(value) == 1 ? json_string_value(json_object_get(value, "$ref"))
					    : NULL;
}

/* The value itself, or what it refers to. */
static bool fill_one(const struct ref_scope *s, const json_t *value, struct arena *a,
		     const json_t **out, struct err *e)
{
	const char *text = ref_of(value);
	struct ref r;

	*out = value;
	return !text || (ref_parse(text, &r, e) && ref_value(s, &r, a, out, e));
}

static bool fill_list(const struct ref_scope *s, const json_t *list, struct arena *a,
		      const json_t **out, struct err *e)
{
	json_t *filled = json_own(a, json_array());
	const json_t *item, *value;
	size_t i;

	json_array_foreach(list, i, item) {
		if (!fill_one(s, item, a, &value, e))
			return false;
		if (value != item && json_is_array(value))
			json_array_extend(filled, (json_t *)value);
		else
			json_array_append(filled, (json_t *)value);
	}
	*out = filled;
	return true;
}

bool ref_fill(const struct ref_scope *s, const json_t *args, struct arena *a, const json_t **out,
	      struct err *e)
{
	json_t *filled = json_own(a, json_object());
	const json_t *value;
	const char *name;

	json_object_foreach((json_t *)args, name, value) {
		if (!(json_is_array(value) ? fill_list : fill_one)(s, value, a, &value, e))
			return err_prefix(e, "%s", name);
		json_object_set(filled, name, (json_t *)value);
	}
	*out = filled;
	return true;
}

static bool note_source(const json_t *value, struct arena *a, const char **ids, size_t cap,
			size_t *count, struct err *e)
{
	const char *text = ref_of(value);
	struct ref r;

	if (!text)
		return true;
	if (!ref_parse(text, &r, e))
		return false;
	for (size_t i = 0; i < *count; i++)
		if (strcmp(ids[i], r.source) == 0)
			return true;
	if (*count == cap)
		return err_set(e, ERR_INPUT, "arguments refer to more than %zu tasks", cap);
	ids[(*count)++] = arena_strdup(a, r.source);
	return true;
}

bool ref_sources(const json_t *args, struct arena *a, const char **ids, size_t cap, size_t *count,
		 struct err *e)
{
	const json_t *value, *item;
	const char *name;
	size_t i;

	*count = 0;
	json_object_foreach((json_t *)args, name, value) {
		if (!note_source(value, a, ids, cap, count, e))
			return false;
		json_array_foreach(value, i, item)
			if (!note_source(item, a, ids, cap, count, e))
				return false;
	}
	return true;
}
