/*
 * Lexer of the SQL gate. It is stricter than databases: unknown characters, comments, parameters,
 * and numbers next to letters end the check. Different parsers could read each of them differently.
 */
#include <stdint.h>
#include <string.h>

#include "gate/gate_int.h"
#include "vesper/limits.h"
#include "vesper/utf8.h"

struct lexer {
	const struct gate *g;
	size_t i;
	struct gate_token *items;
	size_t count;
	size_t cap;
	size_t *open; /* indexes of unclosed "(" */
	size_t open_count;
	size_t open_cap;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word(char c)
{
	return is_word_start(c) || is_digit(c);
}

static char at(const struct lexer *lx, size_t ahead)
{
	size_t i = lx->i + ahead;

	return i < lx->g->sql.n ? lx->g->sql.p[i] : '\0';
}

static struct gate_token *add(struct lexer *lx, enum gate_token_kind kind, size_t begin)
{
	lx->items = arena_grow(lx->g->arena, lx->items, lx->count, &lx->cap, sizeof(*lx->items));
	struct gate_token *t = &lx->items[lx->count++];
	*t = (struct gate_token){
		.kind = kind, .at = begin, .text = {lx->g->sql.p + begin, lx->i - begin}};
	return t;
}

/* Refuses C0 controls except tab and line ends, DEL, and C1 controls. */
static bool check_controls(const struct gate *g)
{
	for (size_t i = 0; i < g->sql.n; i++) {
		unsigned char c = (unsigned char)g->sql.p[i];
		bool white = c == '\t' || c == '\n' || c == '\r';

		if ((c < 0x20 && !white) || c == 0x7f)
			return gate_refuse(g, i, "control characters are not allowed");
		if (c == 0xc2 && i + 1 < g->sql.n && (unsigned char)g->sql.p[i + 1] < 0xa0)
			return gate_refuse(g, i, "control characters are not allowed");
	}
	return true;
}

/* Skips quoted text whose opening character is at i. */
static bool skip_quoted(struct lexer *lx, char close, const char *what)
{
	size_t begin = lx->i;

	for (lx->i++; lx->i < lx->g->sql.n; lx->i++) {
		if (at(lx, 0) != close)
			continue;
		if (at(lx, 1) != close) {
			lx->i++;
			return true;
		}
		if (close == ']' && lx->g->dialect == DIALECT_SQLITE)
			return gate_refuse(lx->g, lx->i,
					   "SQLite does not support ]] in a bracketed name");
		lx->i++;
	}
	return gate_refuse(lx->g, begin, "the %s is not closed", what);
}

static bool lex_string(struct lexer *lx, bool national)
{
	size_t begin = lx->i;

	if (!skip_quoted(lx, '\'', "string"))
		return false;
	add(lx, GATE_T_STRING, begin)->national = national;
	return true;
}

static bool lex_name(struct lexer *lx)
{
	size_t begin = lx->i, n = 0;
	char close = at(lx, 0) == '[' ? ']' : '"';

	if (close == ']' && lx->g->dialect == DIALECT_POSTGRES)
		return gate_refuse(lx->g, begin, "PostgreSQL does not quote names with brackets");
	if (!skip_quoted(lx, close, "quoted name"))
		return false;

	const char *from = lx->g->sql.p + begin + 1;
	size_t len = lx->i - begin - 2;
	char *name = arena_alloc(lx->g->arena, len + 1);
	for (size_t i = 0; i < len; i++) {
		name[n++] = from[i];
		if (from[i] == close)
			i++;
	}
	if (!gate_name_plain(lx->g, (struct str){name, n}, begin))
		return false;
	add(lx, GATE_T_NAME, begin)->text = (struct str){name, n};
	return true;
}

static bool lex_number(struct lexer *lx)
{
	size_t begin = lx->i;

	while (is_digit(at(lx, 0)))
		lx->i++;
	if (at(lx, 0) == '.') {
		lx->i++;
		while (is_digit(at(lx, 0)))
			lx->i++;
	}
	if (at(lx, 0) == 'e' || at(lx, 0) == 'E') {
		size_t sign = at(lx, 1) == '+' || at(lx, 1) == '-';

		if (!is_digit(at(lx, 1 + sign)))
			return gate_refuse(lx->g, begin, "malformed number");
		lx->i += 1 + sign;
		while (is_digit(at(lx, 0)))
			lx->i++;
	}
	if (is_word(at(lx, 0)) || at(lx, 0) == '.' || at(lx, 0) == '\'' || at(lx, 0) == '"')
		return gate_refuse(lx->g, begin,
				   "a number must be separated from the text after it");
	if (lx->i - begin > GATE_NUMBER_BYTES_MAX)
		return gate_limit_reached(lx->g, begin, "the number is longer than %d characters",
					  GATE_NUMBER_BYTES_MAX);
	add(lx, GATE_T_NUMBER, begin);
	return true;
}

static bool lex_word(struct lexer *lx)
{
	size_t begin = lx->i;

	while (is_word(at(lx, 0)))
		lx->i++;
	size_t n = lx->i - begin;
	if (at(lx, 0) == '\'') {
		char letter = (char)(lx->g->sql.p[begin] | 0x20);

		if (n == 1 && letter == 'n' && lx->g->dialect != DIALECT_SQLITE)
			return lex_string(lx, true);
		if (n == 1)
			return gate_refuse(lx->g, begin,
					   "%c'…' is not supported; write '…' without the prefix",
					   letter);
	}
	if (at(lx, 0) == '@' || at(lx, 0) == '#' || at(lx, 0) == '$')
		return gate_refuse(lx->g, lx->i, "%c is allowed only in a quoted name", at(lx, 0));
	if (n > GATE_NAME_BYTES_MAX)
		return gate_limit_reached(lx->g, begin, "the name is longer than %d bytes",
					  GATE_NAME_BYTES_MAX);
	add(lx, GATE_T_WORD, begin);
	return true;
}

static bool refuse_char(struct lexer *lx, unsigned char c)
{
	if (c >= 0x80)
		return gate_refuse(lx->g, lx->i,
				   "only ASCII is allowed outside strings and quoted names");
	if (c == '?' || c == '@' || c == '$' || c == ':')
		return gate_refuse(lx->g, lx->i, "parameters and variables are not allowed (%c)",
				   c);
	if (c == '#')
		return gate_refuse(lx->g, lx->i, "temporary objects are not allowed (#)");
	return gate_refuse(lx->g, lx->i, "unknown character %c", c);
}

/* Stores the index of the closing parenthesis in each "(". */
static bool pair_parens(struct lexer *lx, size_t index)
{
	char c = lx->items[index].text.p[0];

	if (c == '(') {
		lx->open = arena_grow(lx->g->arena, lx->open, lx->open_count, &lx->open_cap,
				      sizeof(*lx->open));
		lx->open[lx->open_count++] = index;
	} else if (c == ')') {
		if (lx->open_count == 0)
			return gate_refuse(lx->g, lx->items[index].at,
					   ") without an opening parenthesis");
		lx->items[lx->open[--lx->open_count]].match = index;
	}
	return true;
}

static bool lex_punct(struct lexer *lx)
{
	static const char *const pairs[] = {"<>", "!=", "<=", ">=", "||", "::", NULL};
	static const char *const comments[] = {"--", "/*", "*/", NULL};
	size_t begin = lx->i;

	for (size_t i = 0; comments[i]; i++)
		if (at(lx, 0) == comments[i][0] && at(lx, 1) == comments[i][1])
			return gate_refuse(lx->g, begin, "comments are not allowed");
	for (size_t i = 0; pairs[i]; i++)
		if (at(lx, 0) == pairs[i][0] && at(lx, 1) == pairs[i][1]) {
			lx->i += 2;
			if (pairs[i][0] == ':' && lx->g->dialect != DIALECT_POSTGRES)
				return gate_refuse(lx->g, begin,
						   ":: exists only in PostgreSQL; use CAST");
			add(lx, GATE_T_PUNCT, begin);
			return true;
		}
	if (!strchr("()+-*/%,.;=<>", at(lx, 0)))
		return refuse_char(lx, (unsigned char)at(lx, 0));
	lx->i++;
	add(lx, GATE_T_PUNCT, begin);
	return pair_parens(lx, lx->count - 1);
}

static bool lex_one(struct lexer *lx)
{
	char c = at(lx, 0);

	if (is_word_start(c))
		return lex_word(lx);
	if (is_digit(c) || (c == '.' && is_digit(at(lx, 1)) &&
			    (lx->count == 0 || lx->items[lx->count - 1].kind == GATE_T_PUNCT ||
			     lx->items[lx->count - 1].kind == GATE_T_WORD)))
		return lex_number(lx);
	if (c == '\'')
		return lex_string(lx, false);
	if (c == '"' || c == '[')
		return lex_name(lx);
	return lex_punct(lx);
}

bool gate_lex(const struct gate *g, struct gate_tokens *out)
{
	struct lexer lx = {.g = g};

	if (!utf8_valid(g->sql.p, g->sql.n))
		return gate_refuse(g, 0, "not valid UTF-8");
	if (!check_controls(g))
		return false;
	for (;;) {
		while (at(&lx, 0) == ' ' || at(&lx, 0) == '\t' || at(&lx, 0) == '\n' ||
		       at(&lx, 0) == '\r')
			lx.i++;
		if (lx.i == g->sql.n)
			break;
		if (lx.count == g->policy->limits.tokens)
			return gate_limit_reached(g, lx.i, "more than %zu words and signs",
						  g->policy->limits.tokens);
		if (!lex_one(&lx))
			return false;
	}
	if (lx.open_count > 0)
		return gate_refuse(g, lx.items[lx.open[lx.open_count - 1]].at,
				   "the parenthesis is not closed");
	size_t count = lx.count;
	add(&lx, GATE_T_END, g->sql.n);
	*out = (struct gate_tokens){lx.items, count};
	return true;
}
