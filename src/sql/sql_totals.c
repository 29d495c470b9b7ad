/*
 * Derives the totals query of a statement: its number of rows and the aggregates of its columns.
 * The statement is moved into WITH, without its order and row limit: T-SQL allows neither a nested
 * WITH nor a nested order.
 */
#include "sql_int.h"

#include <string.h>

#define ALL_ROWS "\"all rows\"" /* contains a blank, unlike all names in files */

/* Positions of a statement's parts. */
struct parts {
	size_t select; /* after WITH, if present */
	bool has_with;
	size_t tail; /* ORDER BY and row limit, or the end */
};

/* The change of the nesting depth at this token. */
static int depth_change(const struct sql_token *t)
{
	if (t->kind != SQL_PUNCT)
		return 0;
	return str_eq(t->text, STR("(")) ? 1 : str_eq(t->text, STR(")")) ? -1 : 0;
}

/* The first of the words outside parentheses, from token i on; the count when there is none. */
static size_t find_top_level(const struct sql_token *tokens, size_t count, size_t i,
			     const char *const *words)
{
	int depth = 0;

	for (; i < count; i++) {
		for (const char *const *w = words; depth == 0 && *w; w++)
			if (sql_token_is(&tokens[i], *w))
				return i;
		depth += depth_change(&tokens[i]);
	}
	return count;
}

/* Matches OFFSET 0 ROWS FETCH NEXT :row_limit ROWS ONLY, which only limits the rows read. Any other
 * limit changes the statement's meaning. */
static bool only_limits_rows(const struct sql_token *tokens, size_t count, size_t i)
{
	static const char *const words[] = {"offset", "0",  "rows", "fetch",
					    "next",   NULL, "rows", "only"};
	size_t position = 0;

	for (; i < count; i++) {
		const struct sql_token *t = &tokens[i];
		if (sql_token_is_space(t))
			continue;
		if (position == sizeof(words) / sizeof(words[0]))
			return false;
		if (words[position] ? !str_eq_nocase(t->text, str_of(words[position]))
				    : t->kind != SQL_MARKER || !str_eq(t->text, STR("row_limit")))
			return false;
		position++;
	}
	return position == sizeof(words) / sizeof(words[0]);
}

static bool find_parts(const struct sql_token *tokens, size_t count, struct parts *out)
{
	static const char *const select[] = {"select", NULL};
	static const char *const order[] = {"order", "offset", NULL};
	static const char *const limits[] = {"offset", NULL};
	static const char *const unknown[] = {"top", "limit", "fetch", "into", "for", NULL};
	struct parts p = {.has_with = sql_token_is(&tokens[0], "with")};
	size_t limit;

	p.select = find_top_level(tokens, count, 0, select);
	p.tail = find_top_level(tokens, count, p.select, order);
	limit = find_top_level(tokens, count, p.tail, limits);
	if (p.select == count || find_top_level(tokens, p.tail, p.select, unknown) != p.tail ||
	    find_top_level(tokens, limit, p.tail, unknown) != limit ||
	    (limit < count && !only_limits_rows(tokens, count, limit)))
		return false;
	*out = p;
	return true;
}

bool sql_query_has_totals(const struct sql_query *q)
{
	struct parts p;

	return find_parts(q->statement->tokens, q->statement->count, &p);
}

/* ---- the derived statement ---- */

struct writer {
	struct sql_token *tokens;
	size_t count;
};

static void write_text(struct writer *w, const char *text)
{
	w->tokens[w->count++] = (struct sql_token){.kind = SQL_WORD, .text = str_of(text)};
}

static void write_tokens(struct writer *w, const struct sql_token *tokens, size_t count)
{
	memcpy(w->tokens + w->count, tokens, count * sizeof(*tokens));
	w->count += count;
}

/* Integers are summed as BIGINT, since T-SQL's sum of INT is an INT. */
static const char *aggregates(const struct sql_totals_column *columns, size_t count,
			      enum dialect dialect, struct arena *a)
{
	const char *rows = dialect == DIALECT_MSSQL ? "COUNT_BIG" : "COUNT";
	const char *text = arena_printf(a, "SELECT %s(*) AS \"rows\"", rows);

	for (size_t i = 0; i < count; i++) {
		const char *name = columns[i].name;
		const char *summed = columns[i].is_int
					     ? arena_printf(a, "CAST(\"%s\" AS BIGINT)", name)
					     : arena_printf(a, "\"%s\"", name);
		text = arena_printf(a,
				    "%s, %s(\"%s\") AS \"count%zu\", SUM(%s) AS \"sum%zu\","
				    " MIN(\"%s\") AS \"min%zu\", MAX(\"%s\") AS \"max%zu\"",
				    text, rows, name, i, summed, i, name, i, name, i);
	}
	return arena_printf(a, "%s\nFROM " ALL_ROWS, text);
}

bool sql_totals_tokens(const struct sql_token *tokens, size_t count,
		       const struct sql_totals_column *columns, size_t column_count,
		       enum dialect dialect, struct arena *a, struct sql_token **out,
		       size_t *out_count)
{
	struct writer w = {.tokens = arena_alloc(a, (count + 4) * sizeof(*w.tokens))};
	struct parts p;

	if (!find_parts(tokens, count, &p))
		return false;
	while (p.select > 0 && sql_token_is_space(&tokens[p.select - 1]))
		p.select--;
	write_tokens(&w, tokens, p.select);
	write_text(&w, p.has_with ? ",\n" ALL_ROWS " AS (\n" : "WITH " ALL_ROWS " AS (\n");
	write_tokens(&w, tokens + p.select, p.tail - p.select);
	write_text(&w, ")\n");
	write_text(&w, aggregates(columns, column_count, dialect, a));
	*out = w.tokens;
	*out_count = w.count;
	return true;
}
