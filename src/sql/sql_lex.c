/*
 * Lexer of SQL files. It recognizes literals, quoted names and comments, so that markers are only
 * found outside them. This ensures that every value is bound.
 */
#include "sql_int.h"

#include <string.h>

void sql_lex_init(struct sql_lexer *lx, const struct sql_source *source)
{
	*lx = (struct sql_lexer){.source = source,
				 .p = source->text,
				 .line = source->first_line,
				 .line_start = true};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@' ||
	       c == '#' || (unsigned char)c >= 0x80;
}

static bool is_word(char c)
{
	return is_word_start(c) || is_digit(c) || c == '$';
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(char c)
{
	return is_name_start(c) || is_digit(c);
}

static const char *line_end(const char *p)
{
	return p + strcspn(p, "\n");
}

/* Skips quoted text; a doubled closing quote is an escape. */
static bool take_quoted(struct sql_lexer *lx, char close, struct err *e)
{
	int begin = lx->line;

	for (lx->p++; *lx->p; lx->p++) {
		if (*lx->p == '\n')
			lx->line++;
		if (*lx->p != close)
			continue;
		if (lx->p[1] != close) {
			lx->p++;
			return true;
		}
		lx->p++;
	}
	return sql_fail(lx->source, begin, e, "%c is not closed", close == ']' ? '[' : close);
}

/* Block comments nest, as they do in T-SQL and PostgreSQL. */
static bool take_block_comment(struct sql_lexer *lx, struct err *e)
{
	int begin = lx->line;
	int depth = 0;

	while (*lx->p) {
		if (lx->p[0] == '/' && lx->p[1] == '*') {
			depth++;
			lx->p += 2;
		} else if (lx->p[0] == '*' && lx->p[1] == '/') {
			lx->p += 2;
			if (--depth == 0)
				return true;
		} else {
			if (*lx->p == '\n')
				lx->line++;
			lx->p++;
		}
	}
	return sql_fail(lx->source, begin, e, "comment is not closed");
}

/* Reads "--? name:" up to the colon. */
static bool take_option(struct sql_lexer *lx, struct sql_token *out, struct err *e)
{
	const char *p = lx->p + 3;

	while (is_blank(*p))
		p++;
	const char *name = p;
	if (is_name_start(*p))
		while (is_name(*p))
			p++;
	if (p == name || *p != ':')
		return sql_fail(lx->source, lx->line, e, "expected \"--? name: text\"");
	out->kind = SQL_OPTION;
	out->text = (struct str){name, (size_t)(p - name)};
	lx->p = p + 1;
	return true;
}

static bool take_section(struct sql_lexer *lx, struct sql_token *out, struct err *e)
{
	const char *end = line_end(lx->p);
	struct str rest = str_trim((struct str){lx->p + 3, (size_t)(end - lx->p - 3)});

	if (str_starts(rest, STR("query"))) {
		struct str name = str_trim((struct str){rest.p + 5, rest.n - 5});
		size_t n = 0;
		while (n < name.n && is_name(name.p[n]))
			n++;
		if (n > 0 && n == name.n && is_blank(rest.p[5])) {
			out->kind = SQL_SECTION;
			out->text = name;
			lx->p = end;
			return true;
		}
	}
	return sql_fail(lx->source, lx->line, e, "expected \"--# query NAME\"");
}

static bool take_dashes(struct sql_lexer *lx, bool line_start, struct sql_token *out, struct err *e)
{
	if (lx->p[2] == '?' || lx->p[2] == '#') {
		if (!line_start)
			return sql_fail(lx->source, lx->line, e,
					"\"--%c\" must be at the start of a line", lx->p[2]);
		return lx->p[2] == '?' ? take_option(lx, out, e) : take_section(lx, out, e);
	}
	out->kind = SQL_SPACE;
	lx->p = line_end(lx->p);
	return true;
}

static void take_marker(struct sql_lexer *lx, struct sql_token *out)
{
	const char *name = ++lx->p;

	while (is_name(*lx->p))
		lx->p++;
	out->kind = SQL_MARKER;
	out->text = (struct str){name, (size_t)(lx->p - name)};
	if (strncmp(lx->p, "...", 3) == 0) {
		out->kind = SQL_LIST;
		lx->p += 3;
	}
}

static void take_while(struct sql_lexer *lx, bool (*is)(char c))
{
	while (is(*lx->p))
		lx->p++;
}

static bool is_number(char c)
{
	return is_name(c) || c == '.';
}

/* Reads tokens that are determined by their first characters. */
static bool take_plain(struct sql_lexer *lx, struct sql_token *out, struct err *e)
{
	char c = *lx->p;

	if (is_digit(c)) {
		out->kind = SQL_NUMBER;
		take_while(lx, is_number);
	} else if (is_word_start(c)) {
		out->kind = SQL_WORD;
		take_while(lx, is_word);
	} else if (c == '?') {
		return sql_fail(lx->source, lx->line, e,
				"a bare ? would be a bound value; use a named marker");
	} else if (c == ':' && lx->p[1] == '{') {
		return sql_fail(lx->source, lx->line, e, ":{name} must be alone on its line");
	} else {
		out->kind = SQL_PUNCT;
		lx->p += c == ':' && lx->p[1] == ':' ? 2 : 1;
	}
	return true;
}

bool sql_lex_next(struct sql_lexer *lx, struct sql_token *out, struct err *e)
{
	const char *begin = lx->p;
	bool line_start = lx->line_start;
	struct sql_token t = {.line = lx->line};
	bool ok = true;

	lx->line_start = false;
	if (*begin == '\0') {
		t.kind = SQL_END;
	} else if (*begin == '\n') {
		t.kind = SQL_NEWLINE;
		lx->p++;
		lx->line++;
		lx->line_start = true;
	} else if (is_blank(*begin)) {
		t.kind = SQL_SPACE;
		take_while(lx, is_blank);
		lx->line_start = line_start;
	} else if (begin[0] == '-' && begin[1] == '-') {
		ok = take_dashes(lx, line_start, &t, e);
	} else if (begin[0] == '/' && begin[1] == '*') {
		t.kind = SQL_SPACE;
		ok = take_block_comment(lx, e);
	} else if (*begin == '\'') {
		t.kind = SQL_LITERAL;
		ok = take_quoted(lx, '\'', e);
	} else if (*begin == '"' || *begin == '[') {
		t.kind = SQL_QUOTED;
		ok = take_quoted(lx, *begin == '[' ? ']' : '"', e);
	} else if (*begin == ':' && is_name_start(begin[1])) {
		take_marker(lx, &t);
	} else {
		ok = take_plain(lx, &t, e);
	}
	if (!ok)
		return false;
	if (!t.text.p)
		t.text = (struct str){begin, (size_t)(lx->p - begin)};
	*out = t;
	return true;
}

bool sql_token_is(const struct sql_token *t, const char *word)
{
	return t->kind == SQL_WORD && str_eq_nocase(t->text, str_of(word));
}
