/*
 * Calls as text. Where a product says a function of the allow-list otherwise and means the same, it
 * is written that way; SQLite has no type for dates and few functions that deal with them.
 */
#include <string.h>
#include <strings.h>

#include "gate_int.h"

static void word(struct gate_writer *w, const char *text)
{
	buf_str(w->out, text);
}

static void str(struct gate_writer *w, struct str text)
{
	buf_add(w->out, text.p, text.n);
}

/* ---- in other words ---- */

/* $1, $2, … are expressions of the list. */
static void write_template(struct gate_writer *w, const char *text, const struct gate_expr *list)
{
	for (; *text; text++) {
		const struct gate_expr *x = list;

		if (*text != '$') {
			buf_char(w->out, *text);
			continue;
		}
		for (int n = *++text - '1'; n > 0; n--)
			x = x->next;
		gate_write_expr(w, x);
	}
	w->own_words |= w->g->dialect == DIALECT_SQLITE;
}

/* Parts of dates, as SQLite says them. */
static const struct date_part {
	const char *names[4];
	const char *of;
	const char *add;     /* $1 of them to $2 */
	const char *between; /* $1 and $2 */
} date_parts[] = {
	{{"YEAR", "YY", "YYYY"},
	 "CAST(STRFTIME('%Y', $1) AS INT)",
	 "DATE($2, ($1) || ' years')",
	 "(STRFTIME('%Y', $2) - STRFTIME('%Y', $1))"},
	{{"QUARTER", "QQ", "Q"},
	 "((STRFTIME('%m', $1) + 2) / 3)",
	 "DATE($2, (3 * ($1)) || ' months')",
	 NULL},
	{{"MONTH", "MM", "M"},
	 "CAST(STRFTIME('%m', $1) AS INT)",
	 "DATE($2, ($1) || ' months')",
	 "((STRFTIME('%Y', $2) - STRFTIME('%Y', $1)) * 12 + STRFTIME('%m', $2) - STRFTIME('%m', "
	 "$1))"},
	{{"WEEK", "WK", "WW"}, NULL, "DATE($2, (7 * ($1)) || ' days')", NULL},
	{{"DAY", "DD", "D"},
	 "CAST(STRFTIME('%d', $1) AS INT)",
	 "DATE($2, ($1) || ' days')",
	 "CAST(JULIANDAY(DATE($2)) - JULIANDAY(DATE($1)) AS INT)"},
	{{"DAYOFYEAR", "DY", "DOY"}, "CAST(STRFTIME('%j', $1) AS INT)", NULL, NULL},
	{{"WEEKDAY", "DW"}, "(STRFTIME('%w', $1) + 1)", NULL, NULL},
	{{"DOW"}, "CAST(STRFTIME('%w', $1) AS INT)", NULL, NULL},
	{{"HOUR", "HH"}, "CAST(STRFTIME('%H', $1) AS INT)", "DATETIME($2, ($1) || ' hours')", NULL},
	{{"MINUTE", "MI", "N"},
	 "CAST(STRFTIME('%M', $1) AS INT)",
	 "DATETIME($2, ($1) || ' minutes')",
	 NULL},
	{{"SECOND", "SS", "S"},
	 "CAST(STRFTIME('%S', $1) AS INT)",
	 "DATETIME($2, ($1) || ' seconds')",
	 NULL},
};

static const struct date_part *date_part_of(struct str name)
{
	static const struct date_part none = {0};

	for (size_t i = 0; i < sizeof(date_parts) / sizeof(date_parts[0]); i++)
		for (size_t k = 0; k < 4 && date_parts[i].names[k]; k++)
			if (str_eq_nocase(name, str_of(date_parts[i].names[k])))
				return &date_parts[i];
	return &none;
}

/* DATEPART(month, x) and the like: the first argument is the part. */
static const char *date_template(const struct gate_expr *x)
{
	const struct date_part *part = date_part_of(x->kids->text);

	if (str_eq_nocase(x->text, STR("DATEPART")))
		return part->of;
	if (str_eq_nocase(x->text, STR("DATEADD")))
		return part->add;
	return str_eq_nocase(x->text, STR("DATEDIFF")) ? part->between : NULL;
}

struct spelling {
	const char *name;
	size_t args;
	const char *text;
};

static const struct spelling in_postgres[] = {
	{"YEAR", 1, "CAST(EXTRACT(YEAR FROM $1) AS INT)"},
	{"MONTH", 1, "CAST(EXTRACT(MONTH FROM $1) AS INT)"},
	{"DAY", 1, "CAST(EXTRACT(DAY FROM $1) AS INT)"},
	{"IIF", 3, "CASE WHEN $1 THEN $2 ELSE $3 END"},
	{NULL, 0, NULL},
};

static const struct spelling in_sqlite[] = {
	{"YEAR", 1, "CAST(STRFTIME('%Y', $1) AS INT)"},
	{"MONTH", 1, "CAST(STRFTIME('%m', $1) AS INT)"},
	{"DAY", 1, "CAST(STRFTIME('%d', $1) AS INT)"},
	{"EOMONTH", 1, "DATE($1, 'start of month', '+1 month', '-1 day')"},
	{"DATEFROMPARTS", 3, "PRINTF('%04d-%02d-%02d', $1, $2, $3)"},
	{"GETDATE", 0, "DATETIME('now')"},
	{"GETUTCDATE", 0, "DATETIME('now')"},
	{"LEFT", 2, "SUBSTR($1, 1, $2)"},
	{"RIGHT", 2, "SUBSTR($1, -NULLIF($2, 0))"},
	{"CHARINDEX", 2, "INSTR($2, $1)"},
	{NULL, 0, NULL},
};

/* NULL is nothing to it, as in the others' CONCAT. */
static void write_concat(struct gate_writer *w, const struct gate_expr *x)
{
	word(w, "(");
	for (const struct gate_expr *kid = x->kids; kid; kid = kid->next) {
		word(w, "COALESCE(");
		gate_write_expr(w, kid);
		word(w, kid->next ? ", '') || " : ", ''))");
	}
}

/* A difference may name its arguments twice: one inside of another would double the text with each
 * level. */
static bool write_dated(struct gate_writer *w, const struct gate_expr *x)
{
	const char *text = date_template(x);
	bool inside = w->inside_difference;
	bool difference = str_eq_nocase(x->text, STR("DATEDIFF"));

	if (!text || (difference && inside))
		return false;
	w->inside_difference |= difference;
	write_template(w, text, x->kids->next);
	w->inside_difference = inside;
	return true;
}

static bool write_in_other_words(struct gate_writer *w, const struct gate_expr *x)
{
	const struct spelling *s = w->g->dialect == DIALECT_SQLITE ? in_sqlite : in_postgres;
	bool dated = x->kids && x->kids->kind == GATE_WORD;

	if (w->g->dialect == DIALECT_MSSQL)
		return false;
	for (; s->name; s++)
		if (x->kid_count == s->args && str_eq_nocase(x->text, str_of(s->name))) {
			write_template(w, s->text, x->kids);
			return true;
		}
	if (w->g->dialect != DIALECT_SQLITE)
		return false;
	if (str_eq_nocase(x->text, STR("CONCAT"))) {
		write_concat(w, x);
		return true;
	}
	return dated && write_dated(w, x);
}

/* ---- calls ---- */

static void write_function(struct gate_writer *w, struct str name)
{
	static const struct {
		const char *name;
		const char *in[DIALECT_COUNT];
	} spelled[] = {
		{"LENGTH", {"LEN", "LENGTH", "LENGTH"}},
		{"LEN", {"LEN", "LENGTH", "LENGTH"}},
		{"ISNULL", {"ISNULL", "COALESCE", "COALESCE"}},
		{"COUNT_BIG", {"COUNT_BIG", "COUNT", "COUNT"}},
		{"STRING_AGG", {"STRING_AGG", "STRING_AGG", "GROUP_CONCAT"}},
	};

	for (size_t i = 0; i < sizeof(spelled) / sizeof(spelled[0]); i++)
		if (str_eq_nocase(name, str_of(spelled[i].name))) {
			name = str_of(spelled[i].in[w->g->dialect]);
			w->own_words |= strcmp(name.p, "GROUP_CONCAT") == 0;
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

void gate_write_call(struct gate_writer *w, const struct gate_expr *x)
{
	const struct gate_call *call = x->call;
	bool rewrite = call->filter && w->g->dialect == DIALECT_MSSQL;

	if (!call->star && write_in_other_words(w, x))
		return;
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

/* SQLite's own CAST would leave a date its first digits, and a decimal all of them. */
static bool write_cast_sqlite(struct gate_writer *w, const struct gate_expr *x)
{
	static const char *const dates[] = {"DATETIME", "DATETIME2", "SMALLDATETIME", "TIMESTAMP"};
	static const char *const decimals[] = {"DECIMAL", "NUMERIC", "DEC"};
	const struct gate_type *t = x->type;

	for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++)
		if (strcasecmp(t->name, dates[i]) == 0) {
			write_template(w, "DATETIME($1)", x->kids);
			return true;
		}
	if (strcasecmp(t->name, "DATE") == 0) {
		write_template(w, "DATE($1)", x->kids);
		return true;
	}
	for (size_t i = 0; i < sizeof(decimals) / sizeof(decimals[0]); i++)
		if (t->sizes > 0 && strcasecmp(t->name, decimals[i]) == 0) {
			word(w, "ROUND(");
			gate_write_expr(w, x->kids);
			buf_printf(w->out, ", %lld)", t->sizes == 2 ? (long long)t->size[1] : 0LL);
			return true;
		}
	return false;
}

void gate_write_cast(struct gate_writer *w, const struct gate_expr *x)
{
	if (w->g->dialect == DIALECT_SQLITE && write_cast_sqlite(w, x))
		return;
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

void gate_write_extract(struct gate_writer *w, const struct gate_expr *x)
{
	bool mssql = w->g->dialect == DIALECT_MSSQL;
	const char *own = w->g->dialect == DIALECT_SQLITE ? date_part_of(x->text)->of : NULL;

	if (own) {
		write_template(w, own, x->kids);
		return;
	}
	word(w, mssql ? "DATEPART(" : "EXTRACT(");
	str(w, x->text);
	word(w, mssql ? ", " : " FROM ");
	gate_write_expr(w, x->kids);
	word(w, ")");
}

static void write_trim_sqlite(struct gate_writer *w, const struct gate_expr *x)
{
	char side = x->word ? x->word[0] : 'B';

	word(w, side == 'L' ? "LTRIM(" : side == 'T' ? "RTRIM(" : "TRIM(");
	write_template(w, x->kids->next ? "$2, $1)" : "$1)", x->kids);
}

void gate_write_trim(struct gate_writer *w, const struct gate_expr *x)
{
	if (w->g->dialect == DIALECT_SQLITE) {
		write_trim_sqlite(w, x);
		return;
	}
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

void gate_write_substring(struct gate_writer *w, const struct gate_expr *x)
{
	static const char *const joints[] = {" FROM ", " FOR ", ""};
	bool commas = w->g->dialect == DIALECT_SQLITE;
	size_t i = 0;

	word(w, "SUBSTRING(");
	for (const struct gate_expr *kid = x->kids; kid; kid = kid->next) {
		gate_write_expr(w, kid);
		if (kid->next)
			word(w, commas ? ", " : joints[i++]);
	}
	word(w, ")");
}
