/*
 * Renders expressions. Constructs with the same meaning but different syntax are written in the
 * dialect's form.
 */
#include <string.h>

#include "gate_render.h"

static void word(struct gate_writer *w, const char *text)
{
	buf_str(w->out, text);
}

static void str(struct gate_writer *w, struct str text)
{
	buf_add(w->out, text.p, text.n);
}

/* Uses double quotes in every dialect. Some ODBC drivers do not treat brackets as quotes, so text
 * that the gate saw as quoted could become code. */
void gate_write_name(struct gate_writer *w, const struct gate_name *n)
{
	if (!n->quoted) {
		str(w, n->text);
		return;
	}
	buf_char(w->out, '"');
	for (size_t i = 0; i < n->text.n; i++) {
		buf_char(w->out, n->text.p[i]);
		if (n->text.p[i] == '"')
			buf_char(w->out, '"');
	}
	buf_char(w->out, '"');
}

void gate_write_names(struct gate_writer *w, const struct gate_name *n)
{
	word(w, "(");
	for (; n; n = n->next) {
		gate_write_name(w, n);
		word(w, n->next ? ", " : ")");
	}
}

void gate_write_exprs(struct gate_writer *w, const struct gate_expr *x)
{
	for (; x; x = x->next) {
		gate_write_expr(w, x);
		if (x->next)
			word(w, ", ");
	}
}

/* By default NULL sorts as the smallest value; PostgreSQL sorts it as the largest. */
static void write_nulls(struct gate_writer *w, const struct gate_order *o)
{
	const char *nulls = o->nulls ? o->nulls : o->descending ? "LAST" : "FIRST";

	if (w->g->dialect == DIALECT_MSSQL || (!o->nulls && w->g->dialect == DIALECT_SQLITE))
		return;
	buf_printf(w->out, " NULLS %s", nulls);
}

void gate_write_order(struct gate_writer *w, const struct gate_order *o)
{
	word(w, "ORDER BY ");
	for (; o; o = o->next) {
		gate_write_expr(w, o->by);
		if (o->descending)
			word(w, " DESC");
		write_nulls(w, o);
		if (o->next)
			word(w, ", ");
	}
}

static void write_bound(struct gate_writer *w, const struct gate_bound *b)
{
	if (b->count) {
		gate_write_expr(w, b->count);
		word(w, " ");
	}
	word(w, b->edge);
}

void gate_write_window(struct gate_writer *w, const struct gate_window *n)
{
	const char *gap = "";

	word(w, "(");
	if (n->partition) {
		word(w, "PARTITION BY ");
		gate_write_exprs(w, n->partition);
		gap = " ";
	}
	if (n->order) {
		word(w, gap);
		gate_write_order(w, n->order);
		gap = " ";
	}
	if (n->frame) {
		buf_printf(w->out, "%s%s ", gap, n->frame);
		if (n->to.edge)
			word(w, "BETWEEN ");
		write_bound(w, &n->from);
		if (n->to.edge) {
			word(w, " AND ");
			write_bound(w, &n->to);
		}
	}
	word(w, ")");
}

/* ---- operators ---- */

static bool divides(const struct gate_expr *x)
{
	for (const struct gate_expr *kid = x->kids->next; kid; kid = kid->next)
		if (kid->op[0] == '/' || kid->op[0] == '%')
			return true;
	return false;
}

static void write_chain(struct gate_writer *w, const struct gate_expr *x)
{
	bool exact;

	if (x->kids->next->op[0] == '|') {
		gate_write_joined(w, x);
		return;
	}
	if (divides(x)) {
		gate_write_numbers(w, x);
		return;
	}
	exact = w->g->dialect == DIALECT_SQLITE && strchr("+-", x->kids->next->op[0]);
	word(w, exact ? "EXACT(" : "");
	for (const struct gate_expr *kid = x->kids; kid; kid = kid->next) {
		if (kid != x->kids)
			buf_printf(w->out, " %s ", kid->op);
		gate_write_expr(w, kid);
	}
	word(w, exact ? ")" : "");
	w->is_dialect_specific |= exact;
}

/* Two adjacent minus signs would start a comment. */
static void write_prefix(struct gate_writer *w, const struct gate_expr *x)
{
	bool parens = x->kids->kind == GATE_PREFIX && x->word[0] != 'N';

	word(w, x->word[0] == 'N' ? "NOT " : x->word);
	if (parens)
		word(w, "(");
	gate_write_expr(w, x->kids);
	if (parens)
		word(w, ")");
}

static void write_condition(struct gate_writer *w, const struct gate_expr *x)
{
	const struct gate_expr *second = x->kids->next;
	const char *negation = x->negated ? " NOT" : "";

	if (x->kind == GATE_LIKE && strcmp(x->word, "LIKE") == 0) {
		gate_write_like(w, x);
		return;
	}
	gate_write_expr(w, x->kids);
	if (x->kind == GATE_BETWEEN) {
		buf_printf(w->out, "%s BETWEEN ", negation);
		gate_write_expr(w, second);
		word(w, " AND ");
		gate_write_expr(w, second->next);
	} else if (x->kind == GATE_LIKE) {
		buf_printf(w->out, "%s %s ", negation, x->word);
		gate_write_expr(w, second);
		if (second->next) {
			word(w, " ESCAPE ");
			gate_write_expr(w, second->next);
		}
	} else if (x->kind == GATE_IN) {
		buf_printf(w->out, "%s IN (", negation);
		if (x->query)
			gate_write_query(w, x->query);
		else
			gate_write_exprs(w, second);
		word(w, ")");
	} else if (x->word) {
		buf_printf(w->out, " IS%s %s", negation, x->word);
	} else {
		buf_printf(w->out, " IS%s DISTINCT FROM ", negation);
		gate_write_expr(w, second);
	}
}

static void write_case(struct gate_writer *w, const struct gate_expr *x)
{
	word(w, "CASE");
	if (x->operand) {
		word(w, " ");
		gate_write_expr(w, x->operand);
	}
	for (const struct gate_expr *when = x->kids; when; when = when->next->next) {
		word(w, " WHEN ");
		gate_write_expr(w, when);
		word(w, " THEN ");
		gate_write_expr(w, when->next);
	}
	if (x->otherwise) {
		word(w, " ELSE ");
		gate_write_expr(w, x->otherwise);
	}
	word(w, " END");
}

static void write_column(struct gate_writer *w, const struct gate_expr *x)
{
	if (x->of) {
		gate_write_source_name(w, x->of);
		word(w, ".");
	}
	if (x->kind == GATE_ALL)
		word(w, "*");
	else
		gate_write_name(w, &x->name);
}

/* Without N, SQL Server reads a literal in the database's code page and loses other characters. */
static bool needs_national(const struct gate_writer *w, const struct gate_expr *x)
{
	if (w->g->dialect != DIALECT_MSSQL || x->kind != GATE_STRING || x->word)
		return false;
	for (size_t i = 0; i < x->text.n; i++)
		if ((unsigned char)x->text.p[i] >= 0x80)
			return true;
	return false;
}

/* Writes DATE '2025-01-31': SQLite has no date type, and SQL Server has no such literal. */
static bool write_date(struct gate_writer *w, const struct gate_expr *x)
{
	bool time = x->word[0] == 'T';

	if (w->g->dialect == DIALECT_POSTGRES)
		return false;
	buf_str(w->out, w->g->dialect == DIALECT_SQLITE ? (time ? "DATETIME(" : "DATE(") : "CAST(");
	str(w, x->text);
	buf_str(w->out, w->g->dialect == DIALECT_SQLITE ? ")"
			: time                          ? " AS DATETIME2(0))"
							: " AS DATE)");
	w->is_dialect_specific = true;
	return true;
}

static void write_literal(struct gate_writer *w, const struct gate_expr *x)
{
	if (needs_national(w, x))
		word(w, "N");
	if (x->kind == GATE_STRING && x->word && x->word[0] != 'N' && write_date(w, x))
		return;
	if (x->kind == GATE_INTERVAL)
		word(w, "INTERVAL ");
	else if (x->word && x->word[0] == 'N')
		word(w, w->g->dialect == DIALECT_MSSQL ? "N" : "");
	else if (x->word)
		buf_printf(w->out, "%s ", x->word);
	str(w, x->text);
	if (x->kind == GATE_INTERVAL && x->word)
		buf_printf(w->out, " %s", x->word);
}

static void write_in_parens(struct gate_writer *w, const struct gate_expr *x)
{
	if (x->word)
		buf_printf(w->out, "%s ", x->word);
	word(w, "(");
	if (x->query)
		gate_write_query(w, x->query);
	else
		gate_write_exprs(w, x->kids);
	word(w, ")");
}

void gate_write_expr(struct gate_writer *w, const struct gate_expr *x)
{
	static void (*const writers[])(struct gate_writer * w, const struct gate_expr *x) = {
		[GATE_NUMBER] = write_literal,
		[GATE_STRING] = write_literal,
		[GATE_WORD] = write_literal,
		[GATE_COLUMN] = write_column,
		[GATE_ALL] = write_column,
		[GATE_CHAIN] = write_chain,
		[GATE_PREFIX] = write_prefix,
		[GATE_PAREN] = write_in_parens,
		[GATE_LIST] = write_in_parens,
		[GATE_BETWEEN] = write_condition,
		[GATE_IN] = write_condition,
		[GATE_LIKE] = write_condition,
		[GATE_IS] = write_condition,
		[GATE_QUERY] = write_in_parens,
		[GATE_CASE] = write_case,
		[GATE_CAST] = gate_write_cast,
		[GATE_CONVERT] = gate_write_cast,
		[GATE_EXTRACT] = gate_write_extract,
		[GATE_TRIM] = gate_write_trim,
		[GATE_SUBSTRING] = gate_write_substring,
		[GATE_CALL] = gate_write_call,
		[GATE_COLLATE] = NULL,
		[GATE_ZONE] = NULL,
		[GATE_INTERVAL] = write_literal,
	};

	if (x->kind == GATE_COLLATE) {
		gate_write_expr(w, x->kids);
		word(w, " COLLATE ");
		gate_write_name(w, &x->name);
	} else if (x->kind == GATE_ZONE) {
		gate_write_expr(w, x->kids);
		word(w, " AT TIME ZONE ");
		gate_write_expr(w, x->kids->next);
	} else {
		writers[x->kind](w, x);
	}
}
