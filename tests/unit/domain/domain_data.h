/*
 * More helpers for domain tests: checks of bound values, and warehouse files of two tenants made
 * from the product's schema.
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
		const char *one =
			v->text ? v->text : arena_printf(arena, "%lld", (long long)v->number);
		if (strcmp(one, text) == 0)
			return true;
	}
	return false;
}

/* Each value is bound in the statement of that name, and none occurs in its text. */
static inline void check_bound(const char *statement, const char *const *values)
{
	for (size_t i = 0; i < recorded.statement_count; i++) {
		const struct source_statement *s = &recorded.statements[i];
		size_t marks = 0;

		for (const char *p = s->text; *p; p++)
			marks += *p == '?';
		assert_int_equal(marks, s->count);
		assert_true(is_bound(s, "acme"));
		if (strcmp(s->name, statement) != 0)
			continue;
		for (; *values; values++) {
			if (!is_bound(s, *values))
				fail_msg("%s: %s is not bound", s->name, *values);
			if (strlen(*values) >
			    2) /* digits may occur in the text for other reasons */
				assert_null(strstr(s->text, *values));
		}
		return;
	}
	fail_msg("%s was not sent", statement);
}

/* A call and the values that must be bound. */
struct binding {
	const char *tool, *arguments, *statement;
	const char *values[16];
};

/* Each case in each dialect, for a caller with all permissions. `columns`: of the single row
 * returned by each statement before the last. */
static inline void check_bindings(const char *agent, const struct binding *cases, size_t count,
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
			check_bound(cases[i].statement, cases[i].values);
		}
		end();
		recording_db_deinit(&recorded);
	}
}

/* No tool sends a statement for a caller without its permission, or from another agent. */
static inline void check_denied(const char *const *tools, const char *permission,
				const char *arguments)
{
	static const char *const nothing[] = {"chat:use"};

	begin();
	recording_db_init(&recorded, loop);
	warehouse = db_from_driver(&recording_db_driver, &recorded, DIALECT_SQLITE);
	open_tools();
	for (; *tools; tools++) {
		const struct tool_def *t = catalog_tool(catalog, *tools);
		assert_string_equal(t->callers.permission, permission);
		call_as("acme", "nobody_agent", *tools, arguments);
		assert_int_equal(answer->outcome.kind, OUTCOME_NOT_PERMITTED);
		permissions = nothing;
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

static inline void exec(sqlite3 *db, const char *sql)
{
	char *why = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", why, sql);
}

static inline sqlite3 *new_file(const char *tenant)
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
	exec(db, schema);
	sql = sqlite3_mprintf("INSERT INTO vesper_tenant VALUES (%Q)", tenant);
	exec(db, sql);
	sqlite3_free(sql);
	return db;
}

static inline void new_folder(void)
{
	strcpy(folder, "/tmp/vesper-domain-XXXXXX");
	assert_non_null(mkdtemp(folder));
}

/* Opens the files of both tenants as the warehouse. */
static inline void open_folder(void)
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

static inline int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static inline void close_folder(void)
{
	end();
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	health_reset();
	metric_reset();
}

/* ---- the answer ---- */

static inline const char *cell(size_t row, const char *column)
{
	const char *text = table_cell(answer->tables[0], row, column);

	assert_non_null(text);
	return text;
}

static inline void number(const char *text, double want)
{
	char *rest;

	assert_true(strtod(text, &rest) == want);
	assert_string_equal(rest, "");
}

static inline void fact(const char *name, const char *value, const char *unit)
{
	const struct fact *f = result_fact(answer, name);

	if (!f)
		fail_msg("no fact %s", name);
	assert_string_equal(f->value, value);
	if (unit)
		assert_string_equal(f->unit, unit);
}

#endif
