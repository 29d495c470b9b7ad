/*
 * Renders quotients, concatenation and LIKE. In all dialects, a quotient is a decimal, even of
 * integers, with six digits after the point, SQL Server's minimum. Division by 0 yields NULL. LIKE
 * is case-sensitive, with only % and _ as wildcards.
 */
#include <string.h>

#include "gate_render.h"
#include "vesper/limits.h"

static void word(struct gate_writer *w, const char *text)
{
	buf_str(w->out, text);
}

/* Text before the left operand, between the operands, and after the right operand. */
static const struct {
	const char *before, *between, *after;
} quotient[DIALECT_COUNT] =
	{
		[DIALECT_MSSQL] = {"CAST(CAST(", " AS FLOAT) / NULLIF(", ", 0) AS DECIMAL(38, 6))"},
		[DIALECT_POSTGRES] = {"ROUND(CAST(", " AS NUMERIC) / NULLIF(CAST(",
				      " AS NUMERIC), 0), 6)"},
		[DIALECT_SQLITE] = {"ROUND(CAST(", " AS REAL) / ", ", 6)"},
},
  rest[DIALECT_COUNT] = {
	  [DIALECT_MSSQL] = {"(", " % NULLIF(", ", 0))"},
	  [DIALECT_POSTGRES] = {"MOD(CAST(", " AS NUMERIC), NULLIF(CAST(", " AS NUMERIC), 0))"},
	  [DIALECT_SQLITE] = {"MOD(", ", ", ")"},
};

/* Chains are left-associative, so the last division is the outermost call. */
void gate_write_numbers(struct gate_writer *w, const struct gate_expr *x)
{
	enum dialect d = w->g->dialect;
	const struct gate_expr *ops[GATE_DIVISIONS_MAX];
	size_t n = 0;

	for (const struct gate_expr *kid = x->kids->next; kid; kid = kid->next)
		if (kid->op[0] != '*' && n < GATE_DIVISIONS_MAX)
			ops[n++] = kid;
	while (n-- > 0)
		word(w, ops[n]->op[0] == '/' ? quotient[d].before : rest[d].before);
	gate_write_expr(w, x->kids);
	for (const struct gate_expr *kid = x->kids->next; kid; kid = kid->next) {
		bool divides = kid->op[0] == '/';

		word(w, kid->op[0] == '*' ? " * "
			: divides         ? quotient[d].between
					  : rest[d].between);
		gate_write_expr(w, kid);
		if (kid->op[0] != '*')
			word(w, divides ? quotient[d].after : rest[d].after);
	}
	w->is_dialect_specific = true;
}

/* SQL Server before 2025 has no ||, and its + adds numbers. In SQLite, || has a higher precedence
 * than *. */
void gate_write_joined(struct gate_writer *w, const struct gate_expr *x)
{
	bool mssql = w->g->dialect == DIALECT_MSSQL;

	for (const struct gate_expr *kid = x->kids; kid; kid = kid->next) {
		bool cast = mssql && kid->kind != GATE_STRING;
		bool parens = kid->kind == GATE_CHAIN || kid->kind == GATE_PREFIX;

		if (kid != x->kids)
			word(w, mssql ? " + " : " || ");
		word(w, cast ? "CAST(" : parens ? "(" : "");
		gate_write_expr(w, kid);
		word(w, cast ? " AS NVARCHAR(4000))" : parens ? ")" : "");
		w->is_dialect_specific |= mssql || parens;
	}
}

/* ---- LIKE ---- */

struct pattern {
	struct str text; /* without quotes */
	char escape;     /* or 0 */
	size_t i;
};

/* Reads the next character; *wild: it is a wildcard % or _. False: the end. */
static bool next(struct pattern *p, char *c, bool *wild)
{
	if (p->i >= p->text.n)
		return false;
	*c = p->text.p[p->i++];
	*wild = *c == '%' || *c == '_';
	if (p->escape && *c == p->escape && p->i < p->text.n) {
		*c = p->text.p[p->i++];
		*wild = false;
	}
	return true;
}

static void write_glob(struct gate_writer *w, struct pattern p)
{
	bool wild;
	char c;

	word(w, " GLOB '");
	while (next(&p, &c, &wild)) {
		if (wild)
			buf_char(w->out, c == '%' ? '*' : '?');
		else if (strchr("*?[", c))
			buf_printf(w->out, "[%c]", c);
		else
			buf_char(w->out, c);
	}
	word(w, "'");
}

/* Returns true when the database gives a character of the pattern another meaning: SQL Server
 * supports sets, and PostgreSQL has a default escape character. */
static bool is_read_differently(enum dialect d, struct pattern p)
{
	bool found = false;

	for (; p.i < p.text.n; p.i++) {
		if (p.escape && p.text.p[p.i] == p.escape)
			p.i++;
		else
			found |= d == DIALECT_MSSQL ? p.text.p[p.i] == '['
						    : !p.escape && p.text.p[p.i] == '\\';
	}
	return found;
}

static void write_escaped(struct gate_writer *w, struct pattern p)
{
	bool wild;
	char c;

	word(w, "'");
	while (next(&p, &c, &wild)) {
		if (!wild && strchr("%_[!", c))
			buf_char(w->out, '!');
		buf_char(w->out, c);
	}
	word(w, "' ESCAPE '!'");
	w->is_dialect_specific = true;
}

static bool has_non_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return true;
	return false;
}

void gate_write_like(struct gate_writer *w, const struct gate_expr *x)
{
	const struct gate_expr *pattern = x->kids->next, *escape = pattern->next;
	struct pattern p = {.text = {pattern->text.p + 1, pattern->text.n - 2},
			    .escape = escape ? escape->text.p[1] : '\0'};
	enum dialect d = w->g->dialect;
	bool national = d == DIALECT_MSSQL && (pattern->word || has_non_ascii(p.text));

	gate_write_expr(w, x->kids);
	word(w, d == DIALECT_MSSQL ? " COLLATE Latin1_General_100_BIN2" : "");
	word(w, x->negated ? " NOT" : "");
	w->is_dialect_specific |= d != DIALECT_POSTGRES;
	if (d == DIALECT_SQLITE) {
		write_glob(w, p);
		return;
	}
	word(w, national ? " LIKE N" : " LIKE ");
	if (is_read_differently(d, p)) {
		write_escaped(w, p);
		return;
	}
	buf_add(w->out, pattern->text.p, pattern->text.n);
	if (escape) {
		word(w, " ESCAPE ");
		gate_write_expr(w, escape);
	}
}
