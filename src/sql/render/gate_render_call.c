/*
 * Renders calls. Functions of the allow-list that a database spells differently are rewritten with
 * the same meaning. SQLite has no date type and few date functions.
 */
#include <string.h>
#include <strings.h>

#include "gate_render.h"

static void word(struct gate_writer *w, const char *text)
{
	buf_str(w->out, text);
}

static void str(struct gate_writer *w, struct str text)
{
	buf_add(w->out, text.p, text.n);
}

/* ---- rewriting ---- */

void gate_write_template(struct gate_writer *w, const char *text, const struct gate_expr *list)
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
	w->is_dialect_specific = true;
}

/* NULL: unchanged. */
static const struct spelling {
	const char *name;
	size_t args;
	const char *in[DIALECT_COUNT];
} spellings[] = {
	{"YEAR",
	 1,
	 {NULL, "CAST(EXTRACT(YEAR FROM CAST($1 AS TIMESTAMP)) AS INT)",
	  "CAST(STRFTIME('%Y', $1) AS INT)"}},
	{"MONTH",
	 1,
	 {NULL, "CAST(EXTRACT(MONTH FROM CAST($1 AS TIMESTAMP)) AS INT)",
	  "CAST(STRFTIME('%m', $1) AS INT)"}},
	{"DAY",
	 1,
	 {NULL, "CAST(EXTRACT(DAY FROM CAST($1 AS TIMESTAMP)) AS INT)",
	  "CAST(STRFTIME('%d', $1) AS INT)"}},
	{"EOMONTH",
	 1,
	 {NULL,
	  "CAST(DATE_TRUNC('month', CAST($1 AS TIMESTAMP)) + MAKE_INTERVAL(0, 1, 0, -1) AS DATE)",
	  "DATE($1, 'start of month', '+1 month', '-1 day')"}},
	{"DATEFROMPARTS",
	 3,
	 {NULL, "MAKE_DATE(CAST($1 AS INT), CAST($2 AS INT), CAST($3 AS INT))",
	  "DATE_FROM_PARTS($1, $2, $3)"}},
	{"GETDATE",
	 0,
	 {"CAST(SYSUTCDATETIME() AS DATETIME2(0))",
	  "CAST(NOW() AT TIME ZONE 'UTC' AS TIMESTAMP(0))", "DATETIME('now')"}},
	{"GETUTCDATE",
	 0,
	 {"CAST(SYSUTCDATETIME() AS DATETIME2(0))",
	  "CAST(NOW() AT TIME ZONE 'UTC' AS TIMESTAMP(0))", "DATETIME('now')"}},
	{"LEFT", 2, {NULL, "LEFT($1, GREATEST($2, 0))", "SUBSTR($1, 1, MAX($2, 0))"}},
	{"RIGHT", 2, {NULL, "RIGHT($1, GREATEST($2, 0))", "SUBSTR($1, -NULLIF($2, 0))"}},
	{"CHARINDEX",
	 2,
	 {"CHARINDEX($1, $2 COLLATE Latin1_General_100_BIN2)", "STRPOS($2, $1)", "INSTR($2, $1)"}},
	{"REPLACE", 3, {"REPLACE($1 COLLATE Latin1_General_100_BIN2, $2, $3)", NULL, NULL}},
	{"SUBSTRING", 2, {"SUBSTRING($1, $2, 4000)", NULL, NULL}},
	{"LEN",
	 1,
	 {"(LEN(CAST($1 AS NVARCHAR(4000)) + N'.') - 1)", "LENGTH(CAST($1 AS TEXT))",
	  "LENGTH($1)"}},
	{"LENGTH",
	 1,
	 {"(LEN(CAST($1 AS NVARCHAR(4000)) + N'.') - 1)", "LENGTH(CAST($1 AS TEXT))",
	  "LENGTH($1)"}},
	{"IIF", 3, {NULL, "CASE WHEN $1 THEN $2 ELSE $3 END", NULL}},
	{"ISNULL", 2, {"COALESCE($1, $2)", "COALESCE($1, $2)", "COALESCE($1, $2)"}},
	{"ROUND", 1, {"ROUND($1, 0)", "ROUND(CAST($1 AS NUMERIC), 0)", NULL}},
	{"ROUND", 2, {NULL, "ROUND(CAST($1 AS NUMERIC), $2)", NULL}},
	{"SQRT",
	 1,
	 {"ROUND(SQRT($1), 6)", "ROUND(SQRT(CAST($1 AS NUMERIC)), 6)", "ROUND(SQRT($1), 6)"}},
	{"POWER",
	 2,
	 {"ROUND(POWER(CAST($1 AS FLOAT), $2), 6)",
	  "ROUND(POWER(CAST($1 AS NUMERIC), CAST($2 AS NUMERIC)), 6)", "ROUND(POWER($1, $2), 6)"}},
	{"CONCAT", 1, {"CONCAT($1, N'')", NULL, NULL}},
	{"APPROX_COUNT_DISTINCT",
	 1,
	 {"COUNT(DISTINCT $1)", "COUNT(DISTINCT $1)", "COUNT(DISTINCT $1)"}},
};

/* Treats NULL as "", like CONCAT in the other dialects. */
static void write_concat(struct gate_writer *w, const struct gate_expr *x)
{
	word(w, "(");
	for (const struct gate_expr *kid = x->kids; kid; kid = kid->next) {
		word(w, "COALESCE(");
		gate_write_expr(w, kid);
		word(w, kid->next ? ", '') || " : ", ''))");
	}
}

static bool write_substitute(struct gate_writer *w, const struct gate_expr *x)
{
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		const char *text = spellings[i].in[w->g->dialect];

		if (text && x->kid_count == spellings[i].args &&
		    str_eq_nocase(x->text, str_of(spellings[i].name)) && !x->call->over &&
		    !x->call->filter) {
			gate_write_template(w, text, x->kids);
			return true;
		}
	}
	if (w->g->dialect == DIALECT_SQLITE && str_eq_nocase(x->text, STR("CONCAT"))) {
		write_concat(w, x);
		return true;
	}
	return gate_write_dated(w, x);
}

/* ---- calls ---- */

static void write_function(struct gate_writer *w, struct str name)
{
	static const struct {
		const char *name;
		const char *in[DIALECT_COUNT];
	} function_names[] = {
		{"COUNT_BIG", {"COUNT_BIG", "COUNT", "COUNT"}},
		{"STRING_AGG", {"STRING_AGG", "STRING_AGG", "GROUP_CONCAT"}},
		{"STDEV", {"STDEV", "STDDEV_SAMP", "STDEV"}},
		{"STDEVP", {"STDEVP", "STDDEV_POP", "STDEVP"}},
		{"VAR", {"VAR", "VAR_SAMP", "VAR"}},
		{"VARP", {"VARP", "VAR_POP", "VARP"}},
	};

	for (size_t i = 0; i < sizeof(function_names) / sizeof(function_names[0]); i++)
		if (str_eq_nocase(name, str_of(function_names[i].name))) {
			w->is_dialect_specific |= strcmp(function_names[i].in[w->g->dialect],
							 function_names[i].name) != 0;
			name = str_of(function_names[i].in[w->g->dialect]);
		}
	str(w, name);
}

/* SQL Server has no FILTER. CASE yields NULL where the condition fails, and aggregates skip
 * NULL. */
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

/* Makes averages decimal, even of integers, with six digits after the point. Text around the call
 * (open, end) and around its argument (before, after). */
static const struct exact {
	const char *name;
	const char *open[DIALECT_COUNT], *end[DIALECT_COUNT];
	const char *before[DIALECT_COUNT], *after[DIALECT_COUNT];
} exacts[] = {
	{"AVG",
	 {"ROUND(", "ROUND(", "ROUND("},
	 {", 6)", ", 6)", ", 6)"},
	 {"CAST(", "CAST(", ""},
	 {" AS DECIMAL(28, 12))", " AS NUMERIC)", ""}},
	{"SUM", {"", "", "EXACT("}, {"", "", ")"}, {"", "", ""}, {"", "", ""}},
#define ROUND_DEVIATION(name)                                                                      \
	{                                                                                          \
		name, {"ROUND(", "ROUND(", ""}, {", 6)", ", 6)", ""}, {"", "CAST(", ""},           \
		{                                                                                  \
			"", " AS NUMERIC)", ""                                                     \
		}                                                                                  \
	}
	ROUND_DEVIATION("STDEV"),
	ROUND_DEVIATION("STDEVP"),
	ROUND_DEVIATION("VAR"),
	ROUND_DEVIATION("VARP"),
#define ROUND_RANK(name)                                                                           \
	{                                                                                          \
		name, {"ROUND(", "ROUND(CAST(", "ROUND("}, {", 6)", " AS NUMERIC), 6)", ", 6)"},   \
			{"", "", ""},                                                              \
		{                                                                                  \
			"", "", ""                                                                 \
		}                                                                                  \
	}
	ROUND_RANK("PERCENT_RANK"),
	ROUND_RANK("CUME_DIST"),
};

static const struct exact *exact_of(const struct gate_expr *x)
{
	for (size_t i = 0; i < sizeof(exacts) / sizeof(exacts[0]); i++)
		if (str_eq_nocase(x->text, str_of(exacts[i].name)))
			return &exacts[i];
	return NULL;
}

static void write_plain_call(struct gate_writer *w, const struct gate_expr *x);

void gate_write_call(struct gate_writer *w, const struct gate_expr *x)
{
	const struct exact *exact = exact_of(x);

	if (!x->call->star && write_substitute(w, x))
		return;
	if (exact)
		word(w, exact->open[w->g->dialect]);
	write_plain_call(w, x);
	if (exact) {
		word(w, exact->end[w->g->dialect]);
		w->is_dialect_specific |= *exact->end[w->g->dialect];
	}
}

/* Writes an aggregate's argument, restricted by its FILTER. */
static void write_args(struct gate_writer *w, const struct gate_expr *x, bool filtered)
{
	const struct exact *exact = exact_of(x);

	if (exact)
		word(w, exact->before[w->g->dialect]);
	if (filtered)
		write_filtered_args(w, x);
	else if (x->call->star)
		word(w, "*");
	else
		gate_write_exprs(w, x->kids);
	if (exact)
		word(w, exact->after[w->g->dialect]);
}

static void write_plain_call(struct gate_writer *w, const struct gate_expr *x)
{
	const struct gate_call *call = x->call;
	bool rewrite = call->filter && w->g->dialect == DIALECT_MSSQL;
	bool inside = call->within_group && w->g->dialect == DIALECT_POSTGRES &&
		      str_eq_nocase(x->text, STR("STRING_AGG"));
	const struct gate_order *order = inside ? call->within_group : call->order;

	write_function(w, x->text);
	word(w, call->distinct ? "(DISTINCT " : "(");
	write_args(w, x, rewrite);
	if (order) {
		word(w, " ");
		gate_write_order(w, order);
	}
	word(w, ")");
	if (call->within_group && !inside) {
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
	if (call->over->has_parens)
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

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (strcasecmp(name, *list) == 0)
			return true;
	return false;
}

static const char *const dates[] = {"DATETIME", "DATETIME2", "SMALLDATETIME", "TIMESTAMP", NULL};
static const char *const decimals[] = {"DECIMAL", "NUMERIC", NULL};
static const char *const integer_types[] = {"INT",      "INTEGER", "BIGINT",
					    "SMALLINT", "TINYINT", NULL};
static const char *const fractions[] = {"FLOAT", "REAL", "DOUBLE PRECISION", NULL};
static const char *const texts[] = {"VARCHAR", "NVARCHAR", "TEXT", "CHARACTER VARYING", NULL};

/* SQLite's CAST would keep only the leading digits of a date, all digits of a decimal, and the
 * whole length of a text. */
static const char *cast_in_sqlite(struct gate_writer *w, const struct gate_type *t)
{
	if (is_one_of(t->name, dates))
		return "DATETIME($1)";
	if (strcasecmp(t->name, "DATE") == 0)
		return "DATE($1)";
	if (is_one_of(t->name, decimals) && t->sizes > 0)
		return arena_printf(w->g->arena, "ROUND($1, %lld)",
				    t->sizes == 2 ? (long long)t->size[1] : 0LL);
	if (is_one_of(t->name, fractions))
		return "CAST($1 AS REAL)";
	if (is_one_of(t->name, texts))
		return t->sizes ? arena_printf(w->g->arena, "SUBSTR(CAST($1 AS TEXT), 1, %lld)",
					       (long long)t->size[0])
				: "CAST($1 AS TEXT)";
	return is_one_of(t->name, integer_types) ? "CAST($1 AS INTEGER)" : NULL;
}

/* PostgreSQL rounds where others truncate, and its ROUND does not accept DOUBLE PRECISION. */
static const char *cast_in_postgres(struct gate_writer *w, const struct gate_type *t)
{
	if (is_one_of(t->name, dates))
		return "CAST($1 AS TIMESTAMP(0))";
	if (is_one_of(t->name, fractions))
		return "CAST($1 AS NUMERIC)";
	if (is_one_of(t->name, texts))
		return t->sizes ? arena_printf(w->g->arena, "CAST($1 AS VARCHAR(%lld))",
					       (long long)t->size[0])
				: "CAST($1 AS TEXT)";
	if (is_one_of(t->name, integer_types))
		return strchr("BS", t->name[0]) || strcmp(t->name, "TINYINT") == 0
			       ? "CAST(TRUNC(CAST($1 AS NUMERIC)) AS BIGINT)"
			       : "CAST(TRUNC(CAST($1 AS NUMERIC)) AS INT)";
	return NULL;
}

/* Without a size, SQL Server truncates text to 30 characters. Its TIMESTAMP is not a time. */
static const char *cast_in_mssql(const struct gate_type *t)
{
	if (is_one_of(t->name, dates))
		return "CAST($1 AS DATETIME2(0))";
	if (is_one_of(t->name, fractions))
		return "CAST($1 AS FLOAT)";
	return is_one_of(t->name, texts) && !t->sizes && !t->max ? "CAST($1 AS NVARCHAR(4000))"
								 : NULL;
}

static bool write_cast_substitute(struct gate_writer *w, const struct gate_expr *x)
{
	const char *text;

	if (x->kind != GATE_CAST || x->word[0] == 'T')
		return false;
	text = w->g->dialect == DIALECT_SQLITE     ? cast_in_sqlite(w, x->type)
	       : w->g->dialect == DIALECT_POSTGRES ? cast_in_postgres(w, x->type)
						   : cast_in_mssql(x->type);
	if (text)
		gate_write_template(w, text, x->kids);
	return text != NULL;
}

void gate_write_cast(struct gate_writer *w, const struct gate_expr *x)
{
	if (write_cast_substitute(w, x))
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

static void write_trim_sqlite(struct gate_writer *w, const struct gate_expr *x)
{
	char side = x->word ? x->word[0] : 'B';

	word(w, side == 'L' ? "LTRIM(" : side == 'T' ? "RTRIM(" : "TRIM(");
	gate_write_template(w, x->kids->next ? "$2, $1)" : "$1)", x->kids);
}

void gate_write_trim(struct gate_writer *w, const struct gate_expr *x)
{
	if (w->g->dialect == DIALECT_SQLITE) {
		write_trim_sqlite(w, x);
		return;
	}
	word(w, "TRIM(");
	if (x->word && w->g->dialect == DIALECT_POSTGRES)
		buf_printf(w->out, "%s ", x->word);
	gate_write_expr(w, x->kids);
	if (x->kids->next) {
		word(w, " FROM ");
		gate_write_expr(w, x->kids->next);
	}
	word(w, ")");
}

/* Written with commas: SQL Server and SQLite do not support FROM in it. */
void gate_write_substring(struct gate_writer *w, const struct gate_expr *x)
{
	bool open = x->kid_count == 2 && w->g->dialect == DIALECT_MSSQL;

	gate_write_template(w,
			    open                ? "SUBSTRING($1, $2, 4000)"
			    : x->kid_count == 2 ? "SUBSTRING($1, $2)"
						: "SUBSTRING($1, $2, $3)",
			    x->kids);
}
