/*
 * Checks calls whose meaning depends on the database: missing functions, undefined order, and date
 * parts that are counted differently.
 */
#include <string.h>

#include "gate_same.h"
#include "vesper/limits.h"

#define MSSQL    (1u << DIALECT_MSSQL)
#define POSTGRES (1u << DIALECT_POSTGRES)
#define SQLITE   (1u << DIALECT_SQLITE)
#define ALL      (MSSQL | POSTGRES | SQLITE)

/* Functions that some databases lack or interpret differently. */
static const struct {
	const char *name;
	unsigned refused; /* dialects that refuse it */
	const char *instead;
} limited_functions[] = {
	{"CHOOSE", POSTGRES | SQLITE, "CASE"},
	{"CONCAT_WS", SQLITE, "CONCAT"},
	{"DATENAME", POSTGRES | SQLITE, "DATEPART"},
	{"FORMAT", POSTGRES | SQLITE, "ROUND for numbers, YEAR, MONTH and DAY for dates"},
	{"PATINDEX", POSTGRES | SQLITE, "CHARINDEX, or LIKE"},
	{"STR", POSTGRES | SQLITE, "CAST(ROUND(…, 0) AS VARCHAR)"},
	{"STDEV", SQLITE, "MIN, AVG and MAX"},
	{"STDEVP", SQLITE, "MIN, AVG and MAX"},
	{"VAR", SQLITE, "MIN, AVG and MAX"},
	{"VARP", SQLITE, "MIN, AVG and MAX"},
	{"PERCENTILE_CONT", SQLITE, "NTILE(100) OVER (ORDER BY …)"},
	{"PERCENTILE_DISC", SQLITE, "NTILE(100) OVER (ORDER BY …)"},
	{"GROUPING", SQLITE, "one SELECT for each level with UNION ALL"},
};

static bool is_call_of(const struct gate_expr *x, const char *name)
{
	return str_eq_nocase(x->text, str_of(name));
}

static bool check_supported(const struct gate *g, const struct gate_expr *x)
{
	for (size_t i = 0; i < sizeof(limited_functions) / sizeof(limited_functions[0]); i++)
		if (is_call_of(x, limited_functions[i].name) &&
		    (limited_functions[i].refused & (1u << g->dialect)))
			return gate_refuse(g, x->at, "%s is not in every database; use %s",
					   limited_functions[i].name, limited_functions[i].instead);
	return true;
}

/* ---- order ---- */

static const struct gate_window *window_of(const struct gate_expr *x,
					   const struct gate_window *windows)
{
	const struct gate_window *over = x->call->over;

	for (; over && !over->has_parens && windows; windows = windows->next)
		if (gate_same_name(&windows->name, &over->name))
			return windows;
	return over;
}

static bool check_window_order(const struct gate *g, const struct gate_expr *x,
			       const struct gate_window *windows)
{
	static const char *const ordered_functions[] = {
		"ROW_NUMBER",   "RANK",       "DENSE_RANK", "NTILE",
		"PERCENT_RANK", "CUME_DIST",  "LAG",        "LEAD",
		"FIRST_VALUE",  "LAST_VALUE", NULL};
	const struct gate_window *over = window_of(x, windows);

	for (size_t i = 0; ordered_functions[i]; i++)
		if (is_call_of(x, ordered_functions[i]) && over && !over->order)
			return gate_refuse(g, x->at,
					   "%s without an order counts in arbitrary order; use "
					   "OVER (ORDER BY …)",
					   ordered_functions[i]);
	for (const struct gate_order *o = over ? over->order : NULL; o; o = o->next)
		if (o->by->kind == GATE_NUMBER)
			return gate_refuse(g, o->by->at,
					   "a number in OVER does not sort; name the column");
	if (over && over->frame && over->frame[1] == 'A' && (over->from.count || over->to.count))
		return gate_refuse(g, x->at,
				   "RANGE with a number differs between databases; use ROWS");
	return true;
}

static bool check_aggregate_order(const struct gate *g, const struct gate_expr *x)
{
	bool percentile =
		x->text.n > 10 && str_eq_nocase((struct str){x->text.p, 10}, STR("PERCENTILE"));

	if (x->call->order && g->dialect == DIALECT_SQLITE)
		return gate_refuse(g, x->at,
				   "SQLite can't sort inside an aggregate; list the rows instead");
	if (is_call_of(x, "STRING_AGG") && !x->call->within_group && !x->call->order)
		return gate_refuse(g, x->at,
				   "STRING_AGG without an order joins in arbitrary order; use "
				   "WITHIN GROUP (ORDER BY …), or list the rows");
	if (x->call->within_group && g->dialect == DIALECT_SQLITE)
		return gate_refuse(g, x->at,
				   "SQLite can't sort inside an aggregate; list the rows instead");
	if (percentile && g->dialect == DIALECT_MSSQL && !x->call->over)
		return gate_refuse(g, x->at,
				   "SQL Server's %.*s needs OVER (); then take it with DISTINCT",
				   STR_FMT(x->text));
	if (percentile && g->dialect == DIALECT_POSTGRES && x->call->over)
		return gate_refuse(g, x->at, "PostgreSQL's %.*s takes no OVER; use GROUP BY",
				   STR_FMT(x->text));
	return true;
}

/* ---- arguments ---- */

static bool is_whole(const struct gate_expr *x)
{
	if (x->kind != GATE_NUMBER)
		return false;
	for (size_t i = 0; i < x->text.n; i++)
		if (x->text.p[i] < '0' || x->text.p[i] > '9')
			return false;
	return x->text.n > 0 && x->text.n < 3;
}

static bool check_round(const struct gate *g, const struct gate_expr *x)
{
	const struct gate_expr *digits = x->kids->next;

	if (x->kid_count > 2)
		return gate_refuse(g, x->at,
				   "ROUND takes a number and digits; to truncate use FLOOR");
	if (digits && !is_whole(digits))
		return gate_refuse(g, digits->at,
				   "ROUND takes digits from 0 to 10; for hundreds use 100 * "
				   "ROUND(x / 100, 0)");
	return true;
}

/* Templates that repeat an argument are not nested, to bound the length. */
static bool has_difference(const struct gate_expr *list)
{
	for (; list; list = list->next)
		if (list->query || list->operand || list->otherwise ||
		    (list->kind == GATE_CALL && is_call_of(list, "DATEDIFF")) ||
		    has_difference(list->kids))
			return true;
	return false;
}

static bool check_date_part(const struct gate *g, const struct gate_expr *x)
{
	const struct gate_expr *part = x->kids;

	if (x->text.n < 7 || !str_eq_nocase((struct str){x->text.p, 4}, STR("DATE")) ||
	    is_call_of(x, "DATEFROMPARTS"))
		return true;
	if (is_call_of(x, "DATEDIFF") && has_difference(part->next))
		return gate_refuse(g, x->at,
				   "DATEDIFF takes plain dates; compute them in a derived table");
	if (g->dialect == DIALECT_MSSQL || is_call_of(x, "DATENAME") ||
	    gate_date_part_known(g->dialect, x->text, part->text))
		return true;
	return gate_refuse(
		g, part->at,
		is_call_of(x, "DATEDIFF")
			? "databases count this part differently; DATEDIFF takes year, month, day"
			: "databases count this part differently; use year, quarter, month, day, "
			  "hour, minute, second, dayofyear, weekday or iso_week");
}

static bool check_args(const struct gate *g, const struct gate_expr *x)
{
	static const char *const trims[] = {"TRIM", "LTRIM", "RTRIM", NULL};

	if (is_call_of(x, "ROUND"))
		return check_round(g, x);
	if (is_call_of(x, "COALESCE") && x->kid_count < 2)
		return gate_refuse(g, x->at, "COALESCE takes at least 2 arguments");
	if (is_call_of(x, "CHARINDEX") && x->kid_count > 2 && g->dialect != DIALECT_MSSQL)
		return gate_refuse(g, x->at,
				   "CHARINDEX with a start position differs between databases; "
				   "search in SUBSTRING(…)");
	if (is_call_of(x, "EOMONTH") && x->kid_count > 1 && g->dialect != DIALECT_MSSQL)
		return gate_refuse(g, x->at, "use EOMONTH(DATEADD(month, n, date))");
	for (size_t i = 0; trims[i]; i++)
		if (is_call_of(x, trims[i]) && x->kid_count > 1)
			return gate_refuse(g, x->at,
					   "%s with characters differs between databases; use "
					   "TRIM('x' FROM text)",
					   trims[i]);
	if ((is_call_of(x, "SUM") || is_call_of(x, "AVG")) && x->kids &&
	    gate_value_of(x->kids) != GATE_VALUE_ANY && gate_value_of(x->kids) != GATE_VALUE_NUMBER)
		return gate_refuse(g, x->at, "%.*s takes numbers", STR_FMT(x->text));
	if (is_call_of(x, "SUBSTRING") && x->kid_count > 1 && x->kids->next->kind == GATE_PREFIX)
		return gate_refuse(
			g, x->kids->next->at,
			"SUBSTRING counts from 1; the end of the text is RIGHT(text, n)");
	if (x->call->distinct && x->call->over)
		return gate_refuse(
			g, x->at, "DISTINCT and OVER cannot be combined; count in a derived table");
	return true;
}

bool gate_check_portable_call(const struct gate *g, const struct gate_expr *x,
			      const struct gate_window *windows)
{
	if (x->kind == GATE_EXTRACT)
		return gate_date_part_known(g->dialect, STR("EXTRACT"), x->text) ||
		       gate_refuse(g, x->at,
				   str_eq_nocase(x->text, STR("EPOCH"))
					   ? "EPOCH is not in every database; use DATEDIFF(day, "
					     "'1970-01-01', date)"
					   : "databases count this part differently; use year, "
					     "quarter, month, "
					     "day, hour, minute, second, dow, doy or iso_week");
	if (x->kind != GATE_CALL)
		return true;
	return check_date_part(g, x) && check_supported(g, x) && check_args(g, x) &&
	       check_aggregate_order(g, x) && check_window_order(g, x, windows);
}
