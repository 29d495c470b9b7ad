/*
 * Asks questions as a caller would, without a model, and compares the rows of each answer with
 * those of the SQL given for the question. The SQL runs unchanged on the same source.
 *
 * An answer may have more columns than the SQL. Rows are compared as a multiset, and decimals to
 * six digits. A question whose SQL is null cannot be answered from the data: any answer is wrong; a
 * clarifying question or no answer is right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connect_int.h"
#include "ctl.h"
#include "ctl_app.h"
#include "vesper/clock.h"
#include "vesper/decimal.h"
#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define FILE_BYTES_MAX (1024 * 1024)
#define COLUMNS_MAX    12 /* of an answer that are compared */
#define ROWS_MAX       2000
#define PASS_PERCENT   90 /* target share of right answers */
#define DIGITS         6

enum score_result { SCORE_RIGHT, SCORE_WRONG, SCORE_ASKED, SCORE_NONE, SCORE_RESULT_COUNT };
static const char *const result_names[] = {"right", "wrong", "clarifying question", "no answer"};

struct kind {
	const char *name;
	size_t counts[SCORE_RESULT_COUNT];
};

struct score {
	struct ctl_app app;
	struct principal who;
	struct date today;
	struct server *server;
	struct kind *kinds;
	size_t kind_count, kind_cap;
	size_t counts[SCORE_RESULT_COUNT];
	json_t *misses;
	struct arena *a;        /* of the run */
	struct arena *question; /* of one question */
	struct result *result;
};

/* ---- comparing ---- */

/* Normalizes a value, so that drivers and dialects do not matter. */
static const char *normalize(const char *text, struct arena *a)
{
	struct decimal d;
	char digits[DECIMAL_TEXT_BYTES];
	size_t n;

	if (!text)
		return "\x1e"; /* NULL */
	if (decimal_parse(text, &d)) {
		decimal_text_short(decimal_round(d, DIGITS), digits);
		return arena_strdup(a, digits);
	}
	n = strlen(text);
	if (n == 7 && text[4] == '-') /* a month becomes its first day */
		return arena_printf(a, "%s-01", text);
	if (n > 10 && text[4] == '-' && text[7] == '-' && strstr(text, "00:00:00"))
		n = 10;
	return arena_strndup(a, text, n);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Rows as sorted texts. `columns`: the columns of the table to use, in this order. */
static const char **rows_of(const struct table *t, const size_t *columns, size_t width,
			    struct arena *a)
{
	const char **rows = arena_alloc(a, (t->row_count + 1) * sizeof(*rows));

	for (size_t i = 0; i < t->row_count; i++) {
		rows[i] = "";
		for (size_t c = 0; c < width; c++)
			rows[i] = arena_printf(a, "%s%s\x1f", rows[i],
					       normalize(t->rows[i][columns[c]], a));
	}
	qsort(rows, t->row_count, sizeof(*rows), compare_texts);
	return rows;
}

static const char **expected_rows(const struct server_cells *cells, struct arena *a)
{
	const char **rows = arena_alloc(a, (cells->rows + 1) * sizeof(*rows));

	for (size_t i = 0; i < cells->rows; i++) {
		rows[i] = "";
		for (size_t c = 0; c < cells->width; c++)
			rows[i] = arena_printf(a, "%s%s\x1f", rows[i],
					       normalize(server_cell(cells, i, c), a));
	}
	qsort(rows, cells->rows, sizeof(*rows), compare_texts);
	return rows;
}

static bool rows_equal(const char **a, const char **b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return true;
}

struct match {
	const struct table *t;
	const char **expected;
	size_t width;
	size_t chosen[COLUMNS_MAX];
	struct arena *a;
};

/* Searches for columns of the answer, in any order, that give the expected rows. */
static bool find_columns(struct match *m, size_t depth)
{
	if (depth == m->width) {
		struct arena *work = arena_new(FILE_BYTES_MAX);
		bool same = rows_equal(rows_of(m->t, m->chosen, m->width, work), m->expected,
				       m->t->row_count);

		arena_free(&work);
		return same;
	}
	for (size_t c = 0; c < m->t->column_count && c < COLUMNS_MAX; c++) {
		bool used = false;

		for (size_t i = 0; i < depth && !used; i++)
			used = m->chosen[i] == c;
		if (used)
			continue;
		m->chosen[depth] = c;
		if (find_columns(m, depth + 1))
			return true;
	}
	return false;
}

static bool matches(const struct table *t, const struct server_cells *cells, struct arena *a)
{
	struct match m = {.t = t, .width = cells->width, .a = a};

	if (t->row_count != cells->rows || t->truncated || cells->width > 4 ||
	    cells->width > t->column_count)
		return false;
	m.expected = expected_rows(cells, a);
	return find_columns(&m, 0);
}

/* ---- asking ---- */

static void on_result(void *owner, struct result *result)
{
	struct score *s = owner;

	s->result = result;
	loop_stop(s->app.loop);
}

/* `expected` NULL: no answer is right. */
static enum score_result ask_question(struct score *s, const char *question,
				      const struct server_cells *expected, const char **why)
{
	struct understanding u = {0};
	struct catalog_view view;
	struct nlu_input in = {.question = question,
			       .tenant = s->who.tenant,
			       .may = &view,
			       .today = s->today,
			       .calendar = {.fiscal_start_month = 1, .week_start = 1}};
	struct tool_request request = {.call = "c1", .who = &s->who, .today = s->today};

	catalog_for(s->app.catalog, &s->who, s->question, &view);
	nlu_understand(s->app.nlu, &in, s->question, &u);
	*why = "";
	if (u.ask.text) {
		*why = u.ask.text;
		return expected ? SCORE_ASKED : SCORE_RIGHT;
	}
	if (u.tool_count == 0 || !u.tools[0].tool || u.confidence < NLU_CONFIDENT)
		return expected ? SCORE_NONE : SCORE_RIGHT;
	request.tool = u.tools[0].tool->name;
	request.agent = u.tools[0].agent;
	request.bound = &u.tools[0].args;
	s->result = NULL;
	tool_start(s->app.tools, &request, s->question, on_result, s);
	loop_run(s->app.loop);
	*why = arena_printf(s->question, "%s", s->result->sql ? s->result->sql : "");
	/* Refused by a rule before a statement ran. A failure or an empty result counts as a wrong
	 * answer. */
	if (!s->result->sql && s->result->outcome.code)
		return expected ? SCORE_NONE : SCORE_RIGHT;
	return expected && s->result->table_count > 0 &&
			       matches(s->result->tables[0], expected, s->question)
		       ? SCORE_RIGHT
		       : SCORE_WRONG;
}

static struct kind *find_kind(struct score *s, const char *name)
{
	for (size_t i = 0; i < s->kind_count; i++)
		if (strcmp(s->kinds[i].name, name) == 0)
			return &s->kinds[i];
	s->kinds = arena_grow(s->a, s->kinds, s->kind_count, &s->kind_cap, sizeof(*s->kinds));
	s->kinds[s->kind_count] = (struct kind){.name = arena_strdup(s->a, name)};
	return &s->kinds[s->kind_count++];
}

static bool run_line(struct score *s, struct str line, struct err *e)
{
	const char *id = "", *kind = "all", *question, *sql, *why = "";
	struct server_cells expected;
	enum score_result result;
	json_t *item;
	bool has_sql;

	if (!json_parse(line.p, line.n, BODY_BYTES_MAX, &item, e))
		return false;
	json_own(s->question, item);
	has_sql = !json_is_null(json_object_get(item, "sql"));
	if (!json_opt_str(item, "id", &id, e) || !json_opt_str(item, "kind", &kind, e) ||
	    !json_get_str(item, "question", &question, e) ||
	    (has_sql && (!json_get_str(item, "sql", &sql, e) ||
			 !server_query(s->server, sql, ROWS_MAX, s->question, &expected, e))))
		return err_prefix(e, "%.*s", STR_CUT(id, 32));
	result = ask_question(s, question, has_sql ? &expected : NULL, &why);
	s->counts[result]++;
	find_kind(s, kind)->counts[result]++;
	if (result != SCORE_RIGHT)
		json_push_take(s->misses,
			       json_make({"id", json_str(id)}, {"question", json_str(question)},
					 {"end", json_str(result_names[result])},
					 {"why", *why ? json_str(why) : NULL}));
	return true;
}

static bool run_file(struct score *s, const char *path, struct err *e)
{
	struct str rest, line;
	const char *text;
	int number = 0;

	if (!file_read(path, FILE_BYTES_MAX, s->a, &text, e))
		return false;
	rest = str_of(text);
	while (str_split(&rest, '\n', &line)) {
		bool ok;

		number++;
		if (str_trim(line).n == 0)
			continue;
		s->question = arena_new(TURN_ARENA_BYTES);
		ok = run_line(s, str_trim(line), e);
		arena_free(&s->question);
		if (!ok)
			return err_prefix(e, "%s:%d", path, number);
	}
	return true;
}

/* ---- output ---- */

static size_t total(const size_t counts[SCORE_RESULT_COUNT])
{
	return counts[SCORE_RIGHT] + counts[SCORE_WRONG] + counts[SCORE_ASKED] + counts[SCORE_NONE];
}

static json_t *counts_json(const size_t counts[SCORE_RESULT_COUNT])
{
	json_t *out = json_object();

	for (int i = 0; i < SCORE_RESULT_COUNT; i++)
		json_set_int(out, result_names[i], (int64_t)counts[i]);
	return out;
}

static void print_json(const struct score *s)
{
	json_t *kinds = json_object();

	for (size_t i = 0; i < s->kind_count; i++)
		json_set_take(kinds, s->kinds[i].name, counts_json(s->kinds[i].counts));
	ctl_print_json(json_make({"questions", json_int((int64_t)total(s->counts))},
				 {"score", counts_json(s->counts)}, {"kinds", kinds},
				 {"misses", json_incref(s->misses)}));
}

static void print_counts(const char *name, const size_t counts[SCORE_RESULT_COUNT])
{
	printf("%-12s", name);
	for (int i = 0; i < SCORE_RESULT_COUNT; i++)
		printf("  %3zu %s", counts[i], result_names[i]);
	putchar('\n');
}

static void print_text(const struct score *s)
{
	const json_t *miss;
	size_t i;

	for (i = 0; i < s->kind_count; i++)
		print_counts(s->kinds[i].name, s->kinds[i].counts);
	print_counts("all", s->counts);
	json_array_foreach(s->misses, i, miss)
		printf("%s %s: %s\n", json_string_value(json_object_get(miss, "id")),
		       json_string_value(json_object_get(miss, "end")),
		       json_string_value(json_object_get(miss, "question")));
}

/* ---- all ---- */

/* Connects to the source of the tenant's views, for the expected SQL. */
static bool connect_source(struct score *s, struct err *e)
{
	const char *const *views = catalog_views(s->app.catalog);
	const char *source = views && *views ? catalog_view_source(s->app.catalog, *views) : NULL;
	const struct database *d = source ? databases_find(&s->app.databases, source) : NULL;

	if (!d)
		return err_set(e, ERR_INPUT, "the packs of this tenant use no source");
	if (d->dialect == DIALECT_SQLITE)
		return err_set(e, ERR_INPUT,
			       "source %s is SQLite; the SQL of golden questions runs "
			       "on SQL Server and PostgreSQL",
			       source);
	return server_connect(d->dsn, &s->server, e) &&
	       server_time_limit(s->server, CONNECT_STATEMENT_S, e);
}

static bool open_all(struct score *s, const char *tenant, struct err *e)
{
	const char *today;

	if (!ctl_app_init(&s->app, e))
		return false;
	if (!ctl_app_has_tenant(&s->app, tenant))
		return err_set(e, ERR_INPUT, "unknown tenant %s", tenant);
	if (!ctl_app_open_tools(&s->app, tenant, e) ||
	    !ctl_app_load_names(s->app.loop, &s->app.sources, s->app.nlu, tenant, e) ||
	    !ctl_principal(s->app.catalog, "admin", tenant, &s->who, e))
		return false;
	today = config_text(s->app.config, "today");
	s->today = clock_today();
	if (*today && !date_parse_iso(today, &s->today))
		return err_set(e, ERR_INPUT, "today: \"%s\" is not a date", today);
	return connect_source(s, e);
}

bool connect_score(const char *path, const char *tenant, bool as_json, bool *passed, struct err *e)
{
	struct score s = {.misses = json_array(), .a = arena_new(CATALOG_BYTES_MAX)};
	bool done = open_all(&s, tenant, e) && run_file(&s, path, e);

	if (done && as_json)
		print_json(&s);
	else if (done)
		print_text(&s);
	*passed = done && s.counts[SCORE_RIGHT] * 100 >= total(s.counts) * PASS_PERCENT;
	server_close(&s.server);
	ctl_app_close(&s.app);
	json_decref(s.misses);
	arena_free(&s.a);
	return done;
}
