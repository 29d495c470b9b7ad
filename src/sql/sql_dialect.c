/*
 * Rewrites statements for dialects. Files use the common subset of T-SQL and PostgreSQL, so only
 * SQLite needs rewriting:
 *
 *   OFFSET n ROWS FETCH NEXT m ROWS ONLY   becomes   LIMIT m OFFSET n
 *
 * It works on tokens, so literals and names are never changed. Markers move with their clauses, so
 * that bound values keep the order of the text.
 */
#include "sql_int.h"

#include <string.h>

/* Positions of the non-blank tokens of one clause: OFFSET n ROWS FETCH NEXT m ROWS ONLY. */
enum { OFFSET_WORD, SKIP, ROWS_1, FETCH_WORD, NEXT_WORD, TAKE, ROWS_2, ONLY_WORD, CLAUSE_TOKENS };

static bool is_amount(const struct sql_token *t)
{
	return t->kind == SQL_NUMBER || t->kind == SQL_MARKER;
}

static bool is_either(const struct sql_token *t, const char *one, const char *other)
{
	return sql_token_is(t, one) || sql_token_is(t, other);
}

static bool is_clause_token(const struct sql_token *t, int position)
{
	switch (position) {
	case OFFSET_WORD:
		return sql_token_is(t, "offset");
	case SKIP:
	case TAKE:
		return is_amount(t);
	case ROWS_1:
	case ROWS_2:
		return is_either(t, "rows", "row");
	case FETCH_WORD:
		return sql_token_is(t, "fetch");
	case NEXT_WORD:
		return is_either(t, "next", "first");
	default:
		return sql_token_is(t, "only");
	}
}

/* Returns true and fills at[] when the clause begins at token i. */
static bool find_clause(const struct sql_token *tokens, size_t count, size_t i,
			size_t at[CLAUSE_TOKENS])
{
	for (int position = 0; position < CLAUSE_TOKENS; i++) {
		if (i == count)
			return false;
		if (position > 0 && sql_token_is_space(&tokens[i]))
			continue;
		if (!is_clause_token(&tokens[i], position))
			return false;
		at[position++] = i;
	}
	return true;
}

static struct sql_token word(const struct sql_token *like, const char *text)
{
	struct sql_token t = *like;

	t.kind = SQL_WORD;
	t.text = str_of(text);
	return t;
}

static size_t rewrite_offset_fetch(struct sql_token *tokens, size_t count)
{
	static const struct sql_token blank = {.kind = SQL_SPACE, .text = {" ", 1}};
	size_t out_count = 0;
	size_t at[CLAUSE_TOKENS];

	for (size_t i = 0; i < count; i++) {
		if (!find_clause(tokens, count, i, at)) {
			tokens[out_count++] = tokens[i];
			continue;
		}
		/* The old clause has 8 words and at least 5 blanks, the new one 7 tokens, so
		 * writing in place is safe. */
		struct sql_token skip = tokens[at[SKIP]], take = tokens[at[TAKE]];
		struct sql_token first = tokens[at[OFFSET_WORD]];
		size_t last = at[ONLY_WORD];
		tokens[out_count++] = word(&first, "LIMIT");
		tokens[out_count++] = blank;
		tokens[out_count++] = take;
		tokens[out_count++] = blank;
		tokens[out_count++] = word(&first, "OFFSET");
		tokens[out_count++] = blank;
		tokens[out_count++] = skip;
		i = last;
	}
	return out_count;
}

size_t sql_dialect_apply(struct sql_token *tokens, size_t count, enum dialect dialect)
{
	return dialect == DIALECT_SQLITE ? rewrite_offset_fetch(tokens, count) : count;
}
