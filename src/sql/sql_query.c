/*
 * Queries about parsed statements, used by checks. They compare tokens, so words inside literals or
 * longer names do not match.
 */
#include "sql_int.h"

#include <string.h>

const struct sql_query *sql_file_query(const struct sql_file *f, const char *name)
{
	for (size_t i = 0; i < f->query_count; i++)
		if (strcmp(f->queries[i].name, name) == 0)
			return &f->queries[i];
	return NULL;
}

/* The index of the next non-blank token, or the count. */
static size_t next_nonblank(const struct sql_statement *s, size_t i)
{
	for (i++; i < s->count && sql_token_is_space(&s->tokens[i]);)
		i++;
	return i;
}

static bool is_name(const struct sql_token *t, struct str name)
{
	struct str text = t->text;

	if (t->kind == SQL_QUOTED)
		text = (struct str){text.p + 1, text.n - 2};
	else if (t->kind != SQL_WORD)
		return false;
	return str_eq_nocase(text, name);
}

/* Returns true when the dotted name begins at token i. */
static bool names_view_at(const struct sql_statement *s, size_t i, const char *view)
{
	struct str rest = str_of(view), part;

	for (bool first = true; str_split(&rest, '.', &part); first = false) {
		if (!first) {
			if (i >= s->count || !str_eq(s->tokens[i].text, STR(".")))
				return false;
			i = next_nonblank(s, i);
		}
		if (i >= s->count || !is_name(&s->tokens[i], part))
			return false;
		i = next_nonblank(s, i);
	}
	return true;
}

bool sql_query_references(const struct sql_query *q, const char *view)
{
	for (size_t i = 0; i < q->statement->count; i++)
		if (names_view_at(q->statement, i, view))
			return true;
	return false;
}

bool sql_query_references_without(const struct sql_query *q, const char *name,
				  const char *condition)
{
	for (size_t i = 0; i < q->statement->count; i++) {
		const char *given = q->statement->tokens[i].given;

		if (!(given && strcmp(given, condition) == 0) &&
		    names_view_at(q->statement, i, name))
			return true;
	}
	return false;
}

bool sql_query_has_quoted_name(const struct sql_query *q, const char *column)
{
	for (size_t i = 0; i < q->statement->count; i++) {
		const struct sql_token *t = &q->statement->tokens[i];
		if (t->kind == SQL_QUOTED &&
		    str_eq((struct str){t->text.p + 1, t->text.n - 2}, str_of(column)))
			return true;
	}
	return false;
}

bool sql_query_is_select(const struct sql_query *q)
{
	const struct sql_statement *s = q->statement;

	if (!sql_token_is(&s->tokens[0], "select") && !sql_token_is(&s->tokens[0], "with"))
		return false;
	for (size_t i = 0; i < s->count; i++)
		if (s->tokens[i].kind == SQL_PUNCT && str_eq(s->tokens[i].text, STR(";")))
			return false;
	return true;
}

bool sql_query_has_marker(const struct sql_query *q, const char *name)
{
	for (size_t i = 0; i < q->marker_count; i++)
		if (strcmp(q->markers[i].name, name) == 0)
			return true;
	return false;
}
