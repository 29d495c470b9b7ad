/*
 * Checks the gate with PostgreSQL's parser: what the gate writes for PostgreSQL parses as one
 * SELECT, reads only approved views and calls only allowed functions. Skipped if libpg_query
 * (Debian: libpg-query-dev) is not installed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef HAVE_PG_QUERY

#include <pg_query.h>

#include "gate_corpus.h"
#include "gate_map.h"
#include "vesper/clock.h"
#include "vesper/json.h"

#define STATEMENTS           100000
#define STATEMENTS_MS        60000 /* stops after this time on a slow machine */
#define STATEMENTS_MIN       5000
#define STATEMENTS_PER_ARENA 1000

struct parse_check {
	const struct gate_policy *policy;
	const json_t *ctes[200];
	size_t cte_count;
	const char *fault;
};

/* Forms with special syntax, which the parser turns into calls of pg_catalog functions. */
static bool is_built_in(const char *name)
{
	static const char *const names[] = {"extract",   "btrim",    "ltrim",       "rtrim",
					    "substring", "timezone", "like_escape", NULL};

	for (size_t i = 0; names[i]; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static const char *text_of(const json_t *node)
{
	return json_string_value(json_object_get(json_object_get(node, "String"), "sval"));
}

/* Functions that the gate writes in place of those that PostgreSQL lacks or names differently. */
static bool is_substitute(const char *name)
{
	static const char *const names[] = {
		"mod",         "make_interval", "make_date", "date_trunc", "strpos", "now",
		"stddev_samp", "stddev_pop",    "var_samp",  "var_pop",    "trunc"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void check_call(struct parse_check *s, const json_t *call)
{
	const json_t *parts = json_object_get(call, "funcname");
	const char *name = text_of(json_array_get(parts, json_array_size(parts) - 1));

	if (!name || json_array_size(parts) > 2) {
		s->fault = "a call with a schema";
		return;
	}
	if (json_array_size(parts) == 2) {
		if (strcmp(text_of(json_array_get(parts, 0)), "pg_catalog") != 0 ||
		    !is_built_in(name))
			s->fault = "a call with a schema";
		return;
	}
	for (size_t i = 0; i < s->policy->function_count; i++)
		if (str_eq_nocase(str_of(name), str_of(s->policy->functions[i].name)))
			return;
	if (!is_substitute(name))
		s->fault = "a function that is not allowed";
}

static void check_table(struct parse_check *s, const json_t *table)
{
	const char *schema = json_string_value(json_object_get(table, "schemaname"));
	const char *name = json_string_value(json_object_get(table, "relname"));
	char full[300];

	snprintf(full, sizeof(full), "%s.%s", schema ? schema : "", name ? name : "");
	for (size_t i = 0; i < s->policy->view_count; i++)
		if (str_eq_nocase(str_of(full), str_of(s->policy->views[i].name)))
			return;
	for (size_t i = 0; i < s->cte_count && name; i++)
		if (!schema && strcmp(json_string_value(s->ctes[i]), name) == 0)
			return;
	s->fault = "a table that is not an approved view";
}

static void add_cte(struct parse_check *s, const json_t *cte)
{
	if (s->cte_count == sizeof(s->ctes) / sizeof(s->ctes[0]))
		s->fault = "too many CTEs for this test";
	else
		s->ctes[s->cte_count++] = json_object_get(cte, "ctename");
}

/* Two rounds: names of CTEs first, since a reference may come before its definition in the tree. */
static void walk(struct parse_check *s, const json_t *node, bool collects_ctes)
{
	static const char *const forbidden[] = {
		"InsertStmt",       "UpdateStmt",    "DeleteStmt",       "MergeStmt",
		"IntoClause",       "intoClause",    "ParamRef",         "lockingClause",
		"LockingClause",    "RangeFunction", "SQLValueFunction", "recursive",
		"RangeTableSample", "XmlExpr",       "SetToDefault"};
	const char *key;
	json_t *value;
	size_t i;

	json_array_foreach((json_t *)node, i, value)
		walk(s, value, collects_ctes);
	json_object_foreach((json_t *)node, key, value) {
		for (i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++)
			if (strcmp(key, forbidden[i]) == 0)
				s->fault = forbidden[i];
		if (collects_ctes && strcmp(key, "CommonTableExpr") == 0)
			add_cte(s, value);
		if (!collects_ctes && strcmp(key, "RangeVar") == 0)
			check_table(s, value);
		if (!collects_ctes && strcmp(key, "FuncCall") == 0)
			check_call(s, value);
		walk(s, value, collects_ctes);
	}
}

static void assert_parses(const struct gate_policy *policy, struct str original, const char *sql)
{
	PgQueryParseResult result = pg_query_parse(sql);
	struct parse_check found = {.policy = policy};

	if (result.error)
		fail_msg("%.*s\nwritten: %s\nPostgreSQL: %s", STR_FMT(original), sql,
			 result.error->message);
	json_t *tree = json_loads(result.parse_tree, 0, NULL);
	json_t *stmts = json_object_get(tree, "stmts");
	json_t *stmt = json_object_get(json_array_get(stmts, 0), "stmt");
	if (json_array_size(stmts) != 1 || !json_object_get(stmt, "SelectStmt"))
		fail_msg("%.*s\nwritten: %s\nnot one SELECT", STR_FMT(original), sql);
	walk(&found, stmt, true);
	walk(&found, stmt, false);
	if (found.fault)
		fail_msg("%.*s\nwritten: %s\n%s", STR_FMT(original), sql, found.fault);
	json_decref(tree);
	pg_query_free_parse_result(result);
}

static void postgres_parser_agrees(void **state)
{
	struct arena *a = arena_new(64 << 20), *work = NULL;
	struct gate_policy policy = gate_policy_of(gate_corpus_views, a);
	int64_t end_ms = clock_mono_ms() + STATEMENTS_MS;
	uint64_t seed = 20260227;
	size_t accept_count, reject_count, accepted = 0;
	const struct gate_line *good = gate_corpus("accept.tsv", a, &accept_count);
	const struct gate_line *bad = gate_corpus("reject.tsv", a, &reject_count);
	struct buf sql;

	(void)state;
	buf_init(&sql, 1 << 20);
	for (size_t i = 0; accepted < STATEMENTS && clock_mono_ms() < end_ms; i++) {
		bool uses_rejected = gate_random(&seed, 4) == 0;
		struct gate_result out;
		struct str text = good[i % accept_count].sql;

		if (i % STATEMENTS_PER_ARENA == 0) {
			arena_free(&work);
			work = arena_new(256 << 20);
		}
		if (i >= accept_count) {
			gate_mutate(uses_rejected ? bad : good,
				    uses_rejected ? reject_count : accept_count, text, &seed, &sql);
			text = (struct str){buf_text(&sql), sql.n};
		}
		if (gate_check(&policy, DIALECT_POSTGRES, text, work, &out, NULL)) {
			accepted++;
			assert_parses(&policy, text, out.sql);
		}
	}
	assert_true(accepted >= STATEMENTS_MIN);
	print_message("%zu accepted statements compared\n", accepted);
	buf_deinit(&sql);
	arena_free(&work);
	arena_free(&a);
	pg_query_exit();
}

/* Joins along a map, as they are written for PostgreSQL. */
static void postgres_parser_agrees_on_joins(void **state)
{
	struct arena *a = arena_new(256 << 20);
	struct gate_policy policy = gate_map_policy(a);
	size_t count, checked = 0;
	const struct gate_line *lines = gate_corpus("edges/accept.tsv", a, &count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		struct gate_result out;
		char *sql;

		if (!gate_line_is(&lines[i], DIALECT_POSTGRES))
			continue;
		assert_true(gate_check(&policy, DIALECT_POSTGRES, lines[i].sql, a, &out, NULL));
		sql = arena_strdup(a, out.sql);
		for (char *p = sql; (p = strchr(p, '?'));)
			*p = '1'; /* ? is an ODBC marker and not PostgreSQL syntax */
		assert_parses(&policy, lines[i].sql, sql);
		checked++;
	}
	assert_true(checked >= 190);
	arena_free(&a);
}

#else

static void postgres_parser_agrees_on_joins(void **state)
{
	(void)state;
	skip();
}

static void postgres_parser_agrees(void **state)
{
	(void)state;
	print_message("libpg_query is not installed (Debian: libpg-query-dev)\n");
	skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(postgres_parser_agrees_on_joins),
		cmocka_unit_test(postgres_parser_agrees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
