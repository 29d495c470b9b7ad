/*
 * References. They are parsed strictly and early, so that a plan with an invalid one is rejected
 * before it runs. They are resolved later, in typed results.
 */
#include "vesper/ref.h"

#include <ctype.h>
#include <string.h>

#include "vesper/json.h"

/* ---- parsing ---- */

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Parses a name at *p and moves *p to its end. */
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

/* Parses "0]" or "*]". */
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
	return digits > 0 && r->row < DB_ROWS_MAX && take(p, "]");
}

static bool take_table(const char **p, struct ref *r)
{
	if (!take_name(p, r->table))
		return false;
	if (strcmp(r->table, "rows") == 0)
		r->table[0] = '\0';
	r->kind = REF_TABLE;
	if (!take(p, "["))
		return true;
	return take_row(p, r) && take(p, ".") && take_name(p, r->name);
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
	return take_table(p, r);
}

bool ref_parse_any(const char *text, struct ref *out, struct err *e)
{
	struct ref r = {.name = ""};
	const char *p = text;

	if (take_name(&p, r.source) && take(&p, ".") && take_path(&p, &r))
		r.optional = take(&p, "?");
	else
		p = ".";
	if (*p)
		return err_set(e, ERR_INPUT, "\"%.*s\" does not refer to a result of a task",
			       STR_CUT(text, 60));
	*out = r;
	return true;
}

bool ref_parse(const char *text, struct ref *out, struct err *e)
{
	struct ref r;

	if (!ref_parse_any(text, &r, e))
		return false;
	if (r.kind == REF_TABLE)
		return err_set(e, ERR_INPUT, "\"%.*s\" does not refer to a result of a task",
			       STR_CUT(text, 60));
	*out = r;
	return true;
}

const char *ref_text(const struct ref *r, struct arena *a)
{
	const char *table = *r->table ? r->table : "rows", *end = r->optional ? "?" : "";

	switch (r->kind) {
	case REF_ROW_COUNT:
		return arena_printf(a, "%s.row_count%s", r->source, end);
	case REF_OUTCOME:
		return arena_printf(a, "%s.outcome%s", r->source, end);
	case REF_FACT:
		return arena_printf(a, "%s.facts.%s%s", r->source, r->name, end);
	case REF_COLUMN:
		return arena_printf(a, "%s.%s[*].%s%s", r->source, table, r->name, end);
	case REF_TABLE:
		return arena_printf(a, "%s.%s%s", r->source, table, end);
	default:
		return arena_printf(a, "%s.%s[%zu].%s%s", r->source, table, r->row, r->name, end);
	}
}

/* ---- resolving ---- */

static const struct ref_source *find_source(const struct ref_scope *s, const char *id)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->sources[i].id, id) == 0)
			return &s->sources[i];
	return NULL;
}

/* The last result with rows of an agent, else its last result; a tool has only one. */
static const struct result *result_of(const struct ref_source *s)
{
	const struct result *last = NULL;

	for (size_t i = 0; i < s->count; i++)
		if (!last || s->results[i]->outcome.kind == OUTCOME_ROWS ||
		    last->outcome.kind != OUTCOME_ROWS)
			last = s->results[i];
	return last;
}

/* Ignores case and punctuation: "hub_zone" matches the column HubZone. */
bool ref_names_match(const char *a, const char *b)
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
		if (ref_names_match(t->columns[c].name, name))
			return (int)c;
	return exact;
}

static const json_t *text_value(struct arena *a, const char *text)
{
	return json_own(a, json_str(text));
}

static void add_once(json_t *list, const char *text)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
		if (strcmp(json_string_value(item), text) == 0)
			return;
	json_push_take(list, json_str(text));
}

static bool column_value(const struct ref_target *p, const struct ref *r, struct arena *a,
			 const json_t **out, struct err *e)
{
	json_t *list = json_own(a, json_array());

	for (size_t row = 0; row < p->table->row_count; row++)
		if (p->table->rows[row][p->column])
			add_once(list, p->table->rows[row][p->column]);
	if (json_array_size(list) == 0)
		return err_set(e, ERR_NOT_FOUND, "the earlier step found no %s", r->name);
	*out = list;
	return true;
}

static const struct table *table_of(const struct result *found, const struct ref *r)
{
	if (*r->table)
		return result_table(found, r->table);
	return found->table_count > 0 ? found->tables[0] : NULL;
}

static bool find_cell(const struct ref *r, struct ref_target *p, struct err *e)
{
	const struct table *t = p->table = table_of(p->result, r);

	if (!t || t->row_count == 0)
		return err_set(e, ERR_NOT_FOUND, "the earlier step found nothing");
	p->column = find_column(t, r->name);
	if (p->column < 0)
		return err_set(e, ERR_NOT_FOUND, "the result of the earlier step has no column %s",
			       r->name);
	if (r->kind == REF_CELL && (r->row >= t->row_count || !t->rows[r->row][p->column]))
		return err_set(e, ERR_NOT_FOUND, "the earlier step found no %s in row %zu", r->name,
			       r->row + 1);
	return true;
}

bool ref_find(const struct ref_scope *s, const struct ref *r, struct ref_target *out, struct err *e)
{
	const struct ref_source *source = find_source(s, r->source);

	*out = (struct ref_target){.result = source ? result_of(source) : NULL};
	if (!out->result)
		return err_set(e, ERR_NOT_FOUND, "the earlier step %s has no result", r->source);
	if (r->kind == REF_CELL || r->kind == REF_COLUMN)
		return find_cell(r, out, e);
	if (r->kind == REF_TABLE) {
		out->table = table_of(out->result, r);
		return out->table || err_set(e, ERR_NOT_FOUND, "the earlier step found nothing");
	}
	/* A failed call does not mean that there are no rows. */
	if (r->kind == REF_ROW_COUNT && !outcome_is_usable(out->result->outcome.kind))
		return err_set(e, ERR_NOT_FOUND, "the earlier step %s failed", r->source);
	if (r->kind != REF_FACT)
		return true;
	out->fact = result_fact(out->result, r->name);
	return (out->fact && out->fact->value) ||
	       err_set(e, ERR_NOT_FOUND, "the result of the earlier step has no fact %s", r->name);
}

bool ref_value(const struct ref_scope *s, const struct ref *r, struct arena *a, const json_t **out,
	       struct err *e)
{
	struct ref_target p;

	if (!ref_find(s, r, &p, e))
		return false;
	switch (r->kind) {
	case REF_ROW_COUNT:
		*out = text_value(a, arena_printf(a, "%zu",
						  p.result->table_count
							  ? p.result->tables[0]->row_count
							  : (size_t)0));
		return true;
	case REF_OUTCOME:
		*out = text_value(a, outcome_name(p.result->outcome.kind));
		return true;
	case REF_FACT:
		*out = text_value(a, p.fact->value);
		return true;
	case REF_COLUMN:
		return column_value(&p, r, a, out, e);
	default:
		*out = text_value(a, p.table->rows[r->row][p.column]);
		return true;
	}
}

/* ---- arguments ---- */

const char *ref_of(const json_t *value)
{
	const json_t *text = json_object_get(value, "$ref");
	size_t members = 1 + (json_object_get(value, "max") != NULL);

	return text && json_object_size(value) == members ? json_string_value(text) : NULL;
}

json_t *ref_json(const char *text, size_t max)
{
	json_t *ref = json_make({"$ref", json_str(text)});

	if (max)
		json_set_take(ref, "max", json_integer((json_int_t)max));
	return ref;
}

/* State while filling in references. */
struct ref_filler {
	const struct ref_scope *scope;
	struct arena *arena;
	size_t left_out;
};

/* The first values of a list, up to the limit of the reference. */
static const json_t *first_values(struct ref_filler *f, const json_t *value, const json_t *ref)
{
	size_t requested = (size_t)json_integer_value(json_object_get(ref, "max"));
	size_t max = requested && requested < LIST_ARG_MAX ? requested : LIST_ARG_MAX;
	size_t n = json_array_size(value);
	json_t *first;

	if (n <= max)
		return value;
	first = json_own(f->arena, json_array());
	for (size_t i = 0; i < max; i++)
		json_array_append(first, json_array_get(value, i));
	f->left_out += n - max;
	return first;
}

/* Returns the value, or the value it refers to. NULL: nothing was found and the argument is
 * optional. */
static bool fill_one(struct ref_filler *f, const json_t *value, const json_t **out, struct err *e)
{
	const char *text = ref_of(value);
	struct err why = {0};
	struct ref r;

	*out = value;
	if (!text)
		return true;
	if (!ref_parse(text, &r, e))
		return false;
	if (ref_value(f->scope, &r, f->arena, out, &why)) {
		*out = first_values(f, *out, value);
		return true;
	}
	*out = NULL;
	if (!r.optional)
		*e = why;
	return r.optional;
}

static bool fill_list(struct ref_filler *f, const json_t *list, const json_t **out, struct err *e)
{
	json_t *filled = json_own(f->arena, json_array());
	const json_t *item, *value;
	size_t i;

	json_array_foreach(list, i, item) {
		if (!fill_one(f, item, &value, e))
			return false;
		if (value != item && json_is_array(value))
			json_array_extend(filled, (json_t *)value);
		else if (value)
			json_array_append(filled, (json_t *)value);
	}
	*out = json_array_size(filled) > 0 || json_array_size(list) == 0 ? filled : NULL;
	return true;
}

bool ref_fill(const struct ref_scope *s, const json_t *args, struct arena *a, const json_t **out,
	      size_t *left_out, struct err *e)
{
	struct ref_filler f = {.scope = s, .arena = a};
	json_t *filled = json_own(a, json_object());
	const json_t *value;
	const char *name;

	json_object_foreach((json_t *)args, name, value) {
		if (!(json_is_array(value) ? fill_list : fill_one)(&f, value, &value, e))
			return err_prefix(e, "%s", name);
		if (value)
			json_object_set(filled, name, (json_t *)value);
	}
	*out = filled;
	*left_out = f.left_out;
	return true;
}

static bool add_need(const json_t *value, struct arena *a, struct ref_need *needs, size_t cap,
		     size_t *count, struct err *e)
{
	const char *text = ref_of(value);
	struct ref r;

	if (!text)
		return true;
	if (!ref_parse_any(text, &r, e))
		return false;
	for (size_t i = 0; i < *count; i++)
		if (strcmp(needs[i].id, r.source) == 0) {
			needs[i].optional = needs[i].optional && r.optional;
			needs[i].whole = needs[i].whole || r.kind == REF_TABLE;
			return true;
		}
	if (*count == cap)
		return err_set(e, ERR_INPUT, "arguments refer to more than %zu tasks", cap);
	needs[(*count)++] =
		(struct ref_need){arena_strdup(a, r.source), r.optional, r.kind == REF_TABLE};
	return true;
}

bool ref_needs(const json_t *args, struct arena *a, struct ref_need *needs, size_t cap,
	       size_t *count, struct err *e)
{
	const json_t *value, *item;
	const char *name;
	size_t i;

	*count = 0;
	json_object_foreach((json_t *)args, name, value) {
		if (!add_need(value, a, needs, cap, count, e))
			return false;
		json_array_foreach(value, i, item)
			if (!add_need(item, a, needs, cap, count, e))
				return false;
	}
	return true;
}
