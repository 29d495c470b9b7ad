/*
 * Renders a statement and its arguments as text with ? and the values in order. Values are never
 * written into the text, except in the version for display, which is never sent to a database.
 */
#include "sql_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/decimal.h"
#include "vesper/limits.h"

/* Writes each value as ? or as a literal. */
struct renderer {
	struct buf text;
	bool literals;
	struct arena *arena;
	struct value *values;
	const char **names; /* argument name of each value */
	size_t count, value_cap, name_cap;
	enum dialect dialect;
};

static void write_quoted(struct buf *b, const char *text)
{
	buf_char(b, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buf_char(b, '\'');
		buf_char(b, *text);
	}
	buf_char(b, '\'');
}

static void write_literal(struct renderer *r, struct value v)
{
	struct decimal d;

	switch (v.type) {
	case VALUE_NULL:
		buf_str(&r->text, "NULL");
		return;
	case VALUE_INT:
		buf_printf(&r->text, "%lld", (long long)v.number);
		return;
	case VALUE_BOOL:
		if (r->dialect == DIALECT_POSTGRES)
			buf_str(&r->text, v.number ? "TRUE" : "FALSE");
		else
			buf_char(&r->text, v.number ? '1' : '0');
		return;
	case VALUE_DECIMAL:
		if (decimal_parse(v.text, &d)) {
			char digits[DECIMAL_TEXT_BYTES];
			decimal_text(d, digits);
			buf_str(&r->text, digits);
			return;
		}
		break;
	case VALUE_TEXT:
		if (r->dialect == DIALECT_MSSQL)
			buf_char(&r->text, 'N');
		break;
	case VALUE_DATE:
		break;
	}
	write_quoted(&r->text, v.text);
}

static bool write_value(struct renderer *r, const char *name, struct value v, struct err *e)
{
	if (r->literals) {
		write_literal(r, v);
		return true;
	}
	if (r->count == SQL_MARKERS_MAX)
		return err_set(e, ERR_INPUT, "more than %d values in one statement",
			       SQL_MARKERS_MAX);
	buf_char(&r->text, '?');
	r->values = arena_grow(r->arena, r->values, r->count, &r->value_cap, sizeof(v));
	r->names = arena_grow(r->arena, r->names, r->count, &r->name_cap, sizeof(name));
	r->names[r->count] = name;
	r->values[r->count++] = v;
	return true;
}

static bool find_argument(const struct args *args, const char *name, bool list,
			  const struct arg **out, struct err *e)
{
	*out = args_find(args, name);
	if (!*out)
		return err_set(e, ERR_INPUT, "no argument for :%s", name);
	return list || !(*out)->is_list ||
	       err_set(e, ERR_INPUT, "argument %s must be a single value, not a list", name);
}

static bool write_marker(struct renderer *r, const struct sql_token *t, const struct args *args,
			 struct err *e)
{
	const struct arg *arg;

	if (!find_argument(args, t->text.p, t->kind == SQL_LIST, &arg, e))
		return false;
	if (arg->count == 0 || arg->count > LIST_ARG_MAX)
		return err_set(e, ERR_INPUT, "argument %s has %zu values; 1 to %d are allowed",
			       t->text.p, arg->count, LIST_ARG_MAX);
	for (size_t i = 0; i < arg->count; i++) {
		if (i > 0)
			buf_str(&r->text, ", ");
		if (!write_value(r, t->text.p, arg->values[i], e))
			return false;
	}
	return true;
}

/* Collapses a run of blanks into one blank or line end, so that omitted text leaves no gap. */
static void write_space(struct renderer *r, bool newline)
{
	struct buf *b = &r->text;
	char last = b->n > 0 ? b->p[b->n - 1] : '\n';

	if (last == '\n')
		return;
	if (last == ' ' && newline)
		b->p[b->n - 1] = '\n';
	else if (last != ' ')
		buf_char(b, newline ? '\n' : ' ');
}

static bool write_tokens(struct renderer *r, const struct sql_token *tokens, size_t count,
			 const struct args *args, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		const struct sql_token *t = &tokens[i];

		if (sql_token_is_space(t))
			write_space(r, t->kind == SQL_NEWLINE);
		else if (t->kind != SQL_MARKER && t->kind != SQL_LIST)
			buf_add(&r->text, t->text.p, t->text.n);
		else if (!write_marker(r, t, args, e))
			return false;
	}
	return true;
}

static void trim(struct buf *b)
{
	while (b->n > 0 && (b->p[b->n - 1] == '\n' || b->p[b->n - 1] == ' '))
		b->p[--b->n] = '\0';
}

/* The tokens that are included with these arguments, in the file's order. */
static struct sql_token *active_tokens(const struct sql_query *q, const struct args *args,
				       size_t *count, struct arena *a)
{
	const struct sql_statement *s = q->statement;
	struct sql_token *tokens = arena_alloc(a, s->count * sizeof(*tokens));
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		if (!s->tokens[i].given || args_find(args, s->tokens[i].given))
			tokens[n++] = s->tokens[i];
	*count = n;
	return tokens;
}

static bool render_tokens(const struct sql_token *tokens, size_t count, const struct sql_query *q,
			  const struct args *args, struct arena *a, struct renderer *r,
			  const char **text, struct err *e)
{
	/* Limit for the statement of one file, with values as ? or as literals of limited size. */
	size_t cap = SQL_FILE_BYTES_MAX + SQL_MARKERS_MAX * (2 * TEXT_ARG_BYTES_MAX + 8);

	buf_init(&r->text, cap);
	bool ok = write_tokens(r, tokens, count, args, e);
	if (ok && buf_over(&r->text))
		ok = err_set(e, ERR_LIMIT, "statement %s is too long with these values", q->name);
	if (ok) {
		trim(&r->text);
		*text = arena_strndup(a, buf_text(&r->text), r->text.n);
	} else {
		err_prefix(e, "query %s", q->name);
	}
	buf_deinit(&r->text);
	return ok;
}

static bool render(const struct sql_query *q, const struct args *args, struct arena *a,
		   struct renderer *r, const char **text, struct err *e)
{
	size_t count;
	struct sql_token *tokens = active_tokens(q, args, &count, a);

	count = sql_dialect_apply(tokens, count, r->dialect);
	return render_tokens(tokens, count, q, args, a, r, text, e);
}

bool sql_render(const struct sql_query *q, const struct args *args, enum dialect dialect,
		struct arena *a, struct sql_bound *out, struct err *e)
{
	struct renderer r = {.dialect = dialect, .arena = a};
	const char *text;

	if (!render(q, args, a, &r, &text, e))
		return false;
	*out = (struct sql_bound){.text = text, .values = r.values, .count = r.count};
	return true;
}

bool sql_text_render(const struct sql_query *q, const struct args *args, enum dialect dialect,
		     struct arena *a, struct sql_text *out, struct err *e)
{
	struct renderer r = {.dialect = dialect, .arena = a};
	const char *text;

	for (size_t i = 0; i < q->marker_count; i++)
		assert(!q->markers[i].is_list);
	if (!render(q, args, a, &r, &text, e))
		return false;
	*out = (struct sql_text){.text = text, .names = r.names, .count = r.count};
	return true;
}

bool sql_text_bind(const struct sql_text *t, const struct args *args, struct arena *a,
		   struct sql_bound *out, struct err *e)
{
	struct value *values = arena_alloc(a, (t->count + 1) * sizeof(*values));

	for (size_t i = 0; i < t->count; i++) {
		const struct arg *arg;

		if (!find_argument(args, t->names[i], false, &arg, e))
			return false;
		values[i] = arg->values[0];
	}
	*out = (struct sql_bound){.text = t->text, .values = values, .count = t->count};
	return true;
}

bool sql_render_totals(const struct sql_query *q, const struct args *args,
		       const struct sql_totals_column *columns, size_t column_count,
		       enum dialect dialect, struct arena *a, struct sql_bound *out, struct err *e)
{
	struct renderer r = {.dialect = dialect, .arena = a};
	struct sql_token *tokens, *totals;
	size_t count, totals_count;
	const char *text;

	/* The row limit is removed before sql_dialect_apply rewrites it. */
	tokens = active_tokens(q, args, &count, a);
	if (!sql_totals_tokens(tokens, count, columns, column_count, dialect, a, &totals,
			       &totals_count))
		return err_set(e, ERR_INPUT,
			       "query %s: no totals, because it selects only some of its rows",
			       q->name);
	totals_count = sql_dialect_apply(totals, totals_count, dialect);
	if (!render_tokens(totals, totals_count, q, args, a, &r, &text, e))
		return false;
	*out = (struct sql_bound){.text = text, .values = r.values, .count = r.count};
	return true;
}

bool sql_render_literal(const struct sql_query *q, const struct args *args, enum dialect dialect,
			struct arena *a, const char **out, struct err *e)
{
	struct renderer r = {.dialect = dialect, .literals = true};

	return render(q, args, a, &r, out, e);
}

const char *sql_like_pattern(const char *text, struct arena *a)
{
	char *pattern = arena_alloc(a, 2 * strlen(text) + 3);
	char *p = pattern;

	*p++ = '%';
	for (; *text; text++) {
		if (strchr("%_[\\", *text))
			*p++ = '\\';
		*p++ = *text;
	}
	*p++ = '%';
	*p = '\0';
	return pattern;
}
