/*
 * The SQL gate's steps, and the functions that every installation allows. The caller's text is
 * parsed once; the output is rendered from the tree and never copied from the text.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gate_edge.h"
#include "vesper/limits.h"
#include "vesper/utf8.h"
#include "vesper/strlist.h"

static const struct gate_function functions[] = {
	{"COUNT", 1, 1, GATE_AGGREGATE | GATE_STAR},
	{"COUNT_BIG", 1, 1, GATE_AGGREGATE | GATE_STAR},
	{"APPROX_COUNT_DISTINCT", 1, 1, GATE_AGGREGATE},
	{"SUM", 1, 1, GATE_AGGREGATE},
	{"AVG", 1, 1, GATE_AGGREGATE},
	{"MIN", 1, 1, GATE_AGGREGATE},
	{"MAX", 1, 1, GATE_AGGREGATE},
	{"STDEV", 1, 1, GATE_AGGREGATE},
	{"STDEVP", 1, 1, GATE_AGGREGATE},
	{"VAR", 1, 1, GATE_AGGREGATE},
	{"VARP", 1, 1, GATE_AGGREGATE},
	{"STRING_AGG", 2, 2, GATE_AGGREGATE | GATE_ORDERED},
	{"PERCENTILE_CONT", 1, 1, GATE_AGGREGATE | GATE_ORDERED},
	{"PERCENTILE_DISC", 1, 1, GATE_AGGREGATE | GATE_ORDERED},
	{"GROUPING", 1, 1, 0},
	{"ROUND", 1, 3, 0},
	{"ABS", 1, 1, 0},
	{"CEILING", 1, 1, 0},
	{"FLOOR", 1, 1, 0},
	{"POWER", 2, 2, 0},
	{"SQRT", 1, 1, 0},
	{"SIGN", 1, 1, 0},
	{"COALESCE", 1, 64, 0},
	{"NULLIF", 2, 2, 0},
	{"ISNULL", 2, 2, 0},
	{"IIF", 3, 3, 0},
	{"CHOOSE", 2, 64, 0},
	{"CAST", 1, 1, 0},
	{"CONVERT", 1, 2, 0},
	{"TRY_CAST", 1, 1, 0},
	{"TRY_CONVERT", 1, 2, 0},
	{"UPPER", 1, 1, 0},
	{"LOWER", 1, 1, 0},
	{"TRIM", 1, 2, 0},
	{"LTRIM", 1, 2, 0},
	{"RTRIM", 1, 2, 0},
	{"LEN", 1, 1, 0},
	{"LENGTH", 1, 1, 0},
	{"SUBSTRING", 2, 3, 0},
	{"LEFT", 2, 2, 0},
	{"RIGHT", 2, 2, 0},
	{"REPLACE", 3, 3, 0},
	{"CONCAT", 1, 64, 0},
	{"CONCAT_WS", 2, 64, 0},
	{"CHARINDEX", 2, 3, 0},
	{"PATINDEX", 2, 2, 0},
	{"FORMAT", 2, 3, 0},
	{"STR", 1, 3, 0},
	{"YEAR", 1, 1, 0},
	{"MONTH", 1, 1, 0},
	{"DAY", 1, 1, 0},
	{"DATEPART", 2, 2, GATE_DATE_PART},
	{"DATENAME", 2, 2, GATE_DATE_PART},
	{"DATEADD", 3, 3, GATE_DATE_PART},
	{"DATEDIFF", 3, 3, GATE_DATE_PART},
	{"DATEFROMPARTS", 3, 3, 0},
	{"EOMONTH", 1, 2, 0},
	{"EXTRACT", 1, 1, 0},
	{"GETDATE", 0, 0, 0},
	{"GETUTCDATE", 0, 0, 0},
	{"ROW_NUMBER", 0, 0, GATE_WINDOW},
	{"RANK", 0, 0, GATE_WINDOW},
	{"DENSE_RANK", 0, 0, GATE_WINDOW},
	{"NTILE", 1, 1, GATE_WINDOW},
	{"PERCENT_RANK", 0, 0, GATE_WINDOW},
	{"CUME_DIST", 0, 0, GATE_WINDOW},
	{"LAG", 1, 3, GATE_WINDOW},
	{"LEAD", 1, 3, GATE_WINDOW},
	{"FIRST_VALUE", 1, 1, GATE_WINDOW},
	{"LAST_VALUE", 1, 1, GATE_WINDOW},
};

struct gate_policy gate_policy_of(const char *const *views, struct arena *a)
{
	struct gate_policy policy = {
		.functions = functions,
		.function_count = sizeof(functions) / sizeof(functions[0]),
		.joins = GATE_JOIN_ALL,
		.limits = {.sql_bytes = GATE_SQL_BYTES_MAX,
			   .tokens = GATE_TOKENS_MAX,
			   .list = GATE_LIST_MAX,
			   .sources = GATE_SOURCES_MAX,
			   .depth = GATE_DEPTH_MAX,
			   .rows = DB_ROWS_MAX},
	};
	size_t n = strlist_len(views);
	struct gate_view *list = arena_alloc(a, (n + 1) * sizeof(*list));
	for (size_t i = 0; i < n; i++)
		list[i].name = views[i];
	policy.views = list;
	policy.view_count = n;
	return policy;
}

__attribute__((format(printf, 4, 0))) static bool refuse(const struct gate *g, enum err_code code,
							 size_t at, const char *fmt, va_list args)
{
	char text[sizeof(g->e->text)];

	vsnprintf(text, sizeof(text), fmt, args);
	return err_set(g->e, code, "column %zu: %s", utf8_count(g->sql.p, at) + 1, text);
}

bool gate_refuse(const struct gate *g, size_t at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	refuse(g, ERR_INPUT, at, fmt, args);
	va_end(args);
	return false;
}

bool gate_limit_reached(const struct gate *g, size_t at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	refuse(g, ERR_LIMIT, at, fmt, args);
	va_end(args);
	return false;
}

/* Parses one query with an optional ; and nothing after it. */
static bool parse(const struct gate *g, const struct gate_tokens *tokens, struct gate_query **out)
{
	struct gate_parser p = {.g = g, .t = tokens->items, .first = tokens->items};

	if (tokens->count == 0)
		return gate_refuse(g, 0, "the statement is empty");
	if (!gate_at_word(&p, "SELECT") && !gate_at_word(&p, "WITH") && !gate_at_punct(&p, "("))
		return gate_unexpected(&p, "SELECT");
	if (!gate_parse_query(&p, out))
		return false;
	if (gate_take_punct(&p, ";") && p.t->kind != GATE_T_END)
		return gate_refuse(g, p.t->at, "only one statement is allowed");
	return p.t->kind == GATE_T_END || gate_unexpected(&p, "the end");
}

static bool write(const struct gate *g, const struct gate_query *q, struct gate_result *out)
{
	struct buf sql;
	struct gate_writer w = {.g = g, .out = &sql};

	/* Views are replaced with text of the policy, so the output may be longer than the
	 * input. */
	buf_init(&sql, GATE_WRITTEN_BYTES_MAX);
	gate_render(&w, q);
	if (buf_over(&sql)) {
		buf_deinit(&sql);
		return gate_limit_reached(g, 0, "rewritten, the statement is longer than %zu bytes",
					  (size_t)GATE_WRITTEN_BYTES_MAX);
	}
	out->sql = arena_strndup(g->arena, buf_text(&sql), sql.n);
	out->tenants = w.tenants;
	out->is_dialect_specific = w.is_dialect_specific;
	buf_deinit(&sql);
	return true;
}

/* The columns that the statement names, in the view's order. */
static const char *const *columns_read(const struct gate *g, const struct gate_view_use *view_use)
{
	const char **columns =
		arena_alloc(g->arena, (view_use->columns.count + 1) * sizeof(*columns));
	size_t n = 0;

	if (!view_use->view->columns)
		return NULL;
	for (size_t i = 0; i < view_use->columns.count; i++)
		if (view_use->named[i])
			columns[n++] = view_use->view->columns[i];
	return columns;
}

static void fill_reads(const struct gate *g, const struct gate_views *views,
		       struct gate_result *out)
{
	struct gate_read *reads = arena_alloc(g->arena, (views->count + 1) * sizeof(*reads));
	const char **defined = arena_alloc(g->arena, (views->defined_count + 1) * sizeof(*defined));

	for (size_t i = 0; i < views->count; i++)
		reads[i] =
			(struct gate_read){views->items[i].view, columns_read(g, &views->items[i])};
	for (size_t i = 0; i < views->defined_count; i++)
		defined[i] = views->defined[i];
	out->reads = reads;
	out->read_count = views->count;
	out->defined = defined;
}

static bool is_mapped(const struct gate_policy *policy, const struct gate_views *views)
{
	for (size_t i = 0; policy->edges && i < views->count; i++)
		if (!views->items[i].view->is_unmapped)
			return true;
	return false;
}

bool gate_check(const struct gate_policy *policy, enum dialect dialect, struct str sql,
		struct arena *a, struct gate_result *out, struct err *e)
{
	struct err ignored;
	struct gate g = {policy, dialect, sql, a, e ? e : &ignored};
	struct gate_views views = {0};
	struct gate_tokens tokens;
	struct gate_query *q;
	struct gate_result result = {0};

	if (sql.n > policy->limits.sql_bytes)
		return gate_limit_reached(&g, 0, "the SQL is longer than %zu bytes",
					  policy->limits.sql_bytes);
	if (!gate_lex(&g, &tokens) || !parse(&g, &tokens, &q) || !gate_check_tree(&g, q, &views) ||
	    (is_mapped(policy, &views) && !gate_check_edges(&g, q)) || !write(&g, q, &result))
		return false;
	fill_reads(&g, &views, &result);
	*out = result;
	return true;
}
