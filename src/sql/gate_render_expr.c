/*
 * Expressions as text. The few things that the dialects say differently, and that a reader would
 * call the same, are said here in the dialect's way.
 */
#include <string.h>

#include "gate_int.h"

static void word(struct gate_writer *w, const char *text)
{
	buf_str(w->out, text);
}

static void str(struct gate_writer *w, struct str text)
{
	buf_add(w->out, text.p, text.n);
}

/* SQLite reads an unknown "x" as a string, so there names are in brackets. */
void gate_write_name(struct gate_writer *w, const struct gate_name *n)
{
	bool brackets = w->g->dialect == DIALECT_MSSQL ||
			(w->g->dialect == DIALECT_SQLITE && !memchr(n->text.p, ']', n->text.n));
	char close = brackets ? ']' : '"';

	if (!n->quoted) {
		str(w, n->text);
		return;
	}
	buf_char(w->out, brackets ? '[' : '"');
	for (size_t i = 0; i < n->text.n; i++) {
		buf_char(w->out, n->text.p[i]);
		if (n->text.p[i] == close)
			buf_char(w->out, close);
	}
	buf_char(w->out, close);
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

void gate_write_order(struct gate_writer *w, const struct gate_order *o)
{
	word(w, "ORDER BY ");
	for (; o; o = o->next) {
		gate_write_expr(w, o->by);
		if (o->descending)
			word(w, " DESC");
		if (o->nulls)
			buf_printf(w->out, " NULLS %s", o->nulls);
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

/* ---- calls ---- */

static void write_function(struct gate_writer *w, struct str name)
{
	static const struct {
		const char *name;
		const char *mssql;
		const char *others;
	} spelled[] = {
		{"LENGTH", "LEN", "LENGTH"},
		{"LEN", "LEN", "LENGTH"},
		{"ISNULL", "ISNULL", "COALESCE"},
		{"COUNT_BIG", "COUNT_BIG", "COUNT"},
	};

	for (size_t i = 0; i < sizeof(spelled) / sizeof(spelled[0]); i++)
		if (str_eq_nocase(name, str_of(spelled[i].name))) {
			word(w,
			     w->g->dialect == DIALECT_MSSQL ? spelled[i].mssql : spelled[i].others);
			return;
		}
	str(w, name);
}

/* SQL Server has no FILTER; an aggregate skips NULL, which CASE gives where the condition fails. */
static void write_filtered_args(struct gate_writer *w, const struct gate_expr *x)
{
	word(w, "CASE WHEN ");
	gate_write_expr(w, x->call->filter);
	word(w, " THEN ");
	if (x->call->star)
		word(w, "1");
	else
		gate_write_expr(w, x->kids);
	word(w, " END");
	if (x->kids && x->kids->next) {
		word(w, ", ");
		gate_write_exprs(w, x->kids->next);
	}
}

static void write_call(struct gate_writer *w, const struct gate_expr *x)
{
	const struct gate_call *call = x->call;
	bool rewrite = call->filter && w->g->dialect == DIALECT_MSSQL;

	write_function(w, x->text);
	word(w, call->distinct ? "(DISTINCT " : "(");
	if (rewrite)
		write_filtered_args(w, x);
	else if (call->star)
		word(w, "*");
	else
		gate_write_exprs(w, x->kids);
	if (call->order) {
		word(w, " ");
		gate_write_order(w, call->order);
	}
	word(w, ")");
	if (call->within_group) {
		word(w, " WITHIN GROUP (");
		gate_write_order(w, call->within_group);
		word(w, ")");
	}
	if (call->filter && !rewrite) {
		word(w, " FILTER (WHERE ");
		gate_write_expr(w, call->filter);
		word(w, ")");
	}
	if (!call->over)
		return;
	word(w, " OVER ");
	if (call->over->spelled)
		gate_write_window(w, call->over);
	else
		gate_write_name(w, &call->over->name);
}

static void write_type(struct gate_writer *w, const struct gate_type *t)
{
	word(w, t->name);
	if (t->max)
		word(w, "(MAX)");
	else if (t->sizes == 1)
		buf_printf(w->out, "(%lld)", (long long)t->size[0]);
	else if (t->sizes == 2)
		buf_printf(w->out, "(%lld, %lld)", (long long)t->size[0], (long long)t->size[1]);
	if (t->with_zone)
		word(w, " WITH TIME ZONE");
}

static void write_cast(struct gate_writer *w, const struct gate_expr *x)
{
	buf_printf(w->out, "%s(", x->word);
	if (x->kind == GATE_CAST) {
		gate_write_expr(w, x->kids);
		word(w, " AS ");
		write_type(w, x->type);
	} else {
		write_type(w, x->type);
		word(w, ", ");
		gate_write_exprs(w, x->kids);
	}
	word(w, ")");
}

static void write_extract(struct gate_writer *w, const struct gate_expr *x)
{
	bool mssql = w->g->dialect == DIALECT_MSSQL;

	word(w, mssql ? "DATEPART(" : "EXTRACT(");
	str(w, x->text);
	word(w, mssql ? ", " : " FROM ");
	gate_write_expr(w, x->kids);
	word(w, ")");
}

static void write_trim(struct gate_writer *w, const struct gate_expr *x)
{
	word(w, "TRIM(");
	if (x->word)
		buf_printf(w->out, "%s ", x->word);
	gate_write_expr(w, x->kids);
	if (x->kids->next) {
		word(w, " FROM ");
		gate_write_expr(w, x->kids->next);
	}
	word(w, ")");
}

static void write_substring(struct gate_writer *w, const struct gate_expr *x)
{
	static const char *const joints[] = {" FROM ", " FOR ", ""};
	size_t i = 0;

	word(w, "SUBSTRING(");
	for (const struct gate_expr *kid = x->kids; kid; kid = kid->next) {
		gate_write_expr(w, kid);
		if (kid->next)
			word(w, joints[i++]);
	}
	word(w, ")");
}

/* ---- operators ---- */

static void write_chain(struct gate_writer *w, const struct gate_expr *x)
{
	for (const struct gate_expr *kid = x->kids; kid; kid = kid->next) {
		if (kid != x->kids)
			buf_printf(w->out, " %s ", kid->op);
		gate_write_expr(w, kid);
	}
}

/* Two signs in a row would be a comment. */
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

static void write_literal(struct gate_writer *w, const struct gate_expr *x)
{
	if (x->kind == GATE_INTERVAL)
		word(w, "INTERVAL ");
	else if (x->word)
		buf_printf(w->out, x->word[0] == 'N' ? "%s" : "%s ", x->word);
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
		[GATE_CAST] = write_cast,
		[GATE_CONVERT] = write_cast,
		[GATE_EXTRACT] = write_extract,
		[GATE_TRIM] = write_trim,
		[GATE_SUBSTRING] = write_substring,
		[GATE_CALL] = write_call,
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
