/*
 * Helpers of the domain tests: checks of bound values, and warehouse files of two tenants with the
 * product's schema.
 */
#ifndef DOMAIN_DATA_H
#define DOMAIN_DATA_H

#include "domain_test.h"

#include <ftw.h>
#include <sqlite3.h>
#include <stdio.h>

#include "vesper/health.h"
#include "vesper/metric.h"

/* ---- binding ---- */

static struct recording_db recorded;

static inline bool is_bound(const struct source_statement *s, const char *text)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct value *v = &s->values[i];
		const char *bound =
			v->text ? v->text : arena_printf(arena, "%lld", (long long)v->number);
		if (strcmp(bound, text) == 0)
			return true;
	}
	return false;
}

/* Asserts that each value is bound in the statement of this name, and does not occur in its text.
 */
static inline void assert_bound_values(const char *statement, const char *const *values)
{
	for (size_t i = 0; i < recorded.statement_count; i++) {
		const struct source_statement *s = &recorded.statements[i];
		size_t placeholders = 0;

		for (const char *p = s->text; *p; p++)
			placeholders += *p == '?';
		assert_int_equal(placeholders, s->count);
		assert_true(is_bound(s, "acme"));
		if (strcmp(s->name, statement) != 0)
			continue;
		for (; *values; values++) {
			if (!is_bound(s, *values))
				fail_msg("%s: %s is not bound", s->name, *values);
			if (strlen(*values) > 2) /* short numbers may also occur in the text */
				assert_null(strstr(s->text, *values));
		}
		return;
	}
	fail_msg("%s was not sent", statement);
}

/* A call, and the values that must be bound in one of its statements. */
struct binding {
	const char *tool, *arguments, *statement;
	const char *values[16];
};

/* Checks each case in each dialect, for a caller with all permissions. The first statement of each
 * call returns a row with these columns. */
static inline void assert_bindings(const char *agent, const struct binding *cases, size_t count,
				   const char *columns, const char *row)
{
	for (int d = 0; d < DIALECT_COUNT; d++) {
		begin();
		recording_db_init(&recorded, loop);
		warehouse = db_from_driver(&recording_db_driver, &recorded, (enum dialect)d);
		open_tools();
		for (size_t i = 0; i < count; i++) {
			recording_db_table(&recorded, columns, row, NULL);
			call_as("acme", agent, cases[i].tool, cases[i].arguments);
			if (answer->outcome.kind != OUTCOME_ROWS)
				fail_msg("%s: %s", cases[i].tool, answer->outcome.detail);
			assert_bound_values(cases[i].statement, cases[i].values);
		}
		end();
		recording_db_deinit(&recorded);
	}
}

/* Asserts that no tool sends a statement for another agent, or for a caller without the permission.
 */
static inline void assert_denied(const char *const *tools, const char *permission,
				 const char *arguments)
{
	static const char *const chat_only[] = {"chat:use"};

	begin();
	recording_db_init(&recorded, loop);
	warehouse = db_from_driver(&recording_db_driver, &recorded, DIALECT_SQLITE);
	open_tools();
	for (; *tools; tools++) {
		const struct tool_def *t = catalog_tool(catalog, *tools);
		assert_string_equal(t->callers.permission, permission);
		call_as("acme", "nobody_agent", *tools, arguments);
		assert_int_equal(answer->outcome.kind, OUTCOME_NOT_PERMITTED);
		permissions = chat_only;
		permission_count = 1;
		call_as("acme", t->callers.agents[0], *tools, arguments);
		assert_int_equal(answer->outcome.kind, OUTCOME_NOT_PERMITTED);
		permit_all();
	}
	assert_int_equal(recorded.queries, 0);
	end();
	recording_db_deinit(&recorded);
}

/* ---- files ---- */

static char folder[64];

static inline void exec_sql(sqlite3 *db, const char *sql)
{
	char *error = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
		fail_msg("%s: %s", error, sql);
}

static inline sqlite3 *create_file(const char *tenant)
{
	char path[128];
	sqlite3 *db;
	char *sql;
	FILE *f;
	static char schema[65536];

	f = fopen(VESPER_SOURCE_DIR "/sql/warehouse/sqlite/schema.sql", "re");
	assert_non_null(f);
	schema[fread(schema, 1, sizeof(schema) - 1, f)] = '\0';
	fclose(f);
	snprintf(path, sizeof(path), "%s/%s.db", folder, tenant);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	exec_sql(db, schema);
	sql = sqlite3_mprintf("INSERT INTO vesper_tenant VALUES (%Q)", tenant);
	exec_sql(db, sql);
	sqlite3_free(sql);
	return db;
}

static inline void create_folder(void)
{
	strcpy(folder, "/tmp/vesper-domain-XXXXXX");
	assert_non_null(mkdtemp(folder));
}

/* Opens the files of both tenants as the warehouse. */
static inline void open_warehouse(void)
{
	static char acme[128], vesper[128];
	static struct db_tenant tenants[] = {{"acme", acme}, {"vesper", vesper}};
	const struct db_options options = {.name = "warehouse",
					   .dialect = DIALECT_SQLITE,
					   .read_only = true,
					   .schemas = (const char *const[]){"dbo", "Stage", NULL},
					   .workers = 2,
					   .tenants = tenants,
					   .tenant_count = 2};
	struct err e = {0};

	snprintf(acme, sizeof(acme), "%s/acme.db", folder);
	snprintf(vesper, sizeof(vesper), "%s/vesper.db", folder);
	begin();
	if (!db_open(loop, &options, &warehouse, &e))
		fail_msg("%s", e.text);
	open_tools();
}

static inline int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static inline void close_warehouse(void)
{
	end();
	nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	health_reset();
	metric_reset();
}

/* ---- results ---- */

static inline const char *cell(size_t row, const char *column)
{
	const char *text = table_cell(answer->tables[0], row, column);

	assert_non_null(text);
	return text;
}

static inline void assert_number(const char *text, double expected)
{
	char *rest;

	assert_true(strtod(text, &rest) == expected);
	assert_string_equal(rest, "");
}

static inline void assert_fact(const char *name, const char *value, const char *unit)
{
	const struct fact *f = result_fact(answer, name);

	if (!f)
		fail_msg("no fact %s", name);
	assert_string_equal(f->value, value);
	if (unit)
		assert_string_equal(f->unit, unit);
}

#endif
