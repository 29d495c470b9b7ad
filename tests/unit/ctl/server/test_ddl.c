/* Descriptions of tables: the shipped ones produce the checked-in files, and invalid ones are
 * rejected with the line of the error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/ddl.h"
#include "server/server_script.h"
#include "vesper/file.h"
#include "vesper/limits.h"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(64 << 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static const char *load(const char *path)
{
	const char *text;
	struct err e = {0};

	if (!file_read(arena_printf(arena, VESPER_SOURCE_DIR "/%s", path), JSON_FILE_BYTES_MAX,
		       arena, &text, &e))
		fail_msg("%s", e.text);
	return text;
}

static struct ddl *read_description(const char *text)
{
	struct ddl *d = NULL;
	struct err e = {0};

	if (!ddl_read("tables.json", text, arena, &d, &e))
		fail_msg("%s", e.text);
	return d;
}

static const char *write_ddl(const struct ddl *d, const char *source, enum dialect dialect)
{
	const char *text;
	struct buf out;

	buf_init(&out, 1 << 20);
	ddl_write(d, source, dialect, &out);
	assert_false(buf_over(&out));
	text = arena_strdup(arena, buf_text(&out));
	buf_deinit(&out);
	return text;
}

/* Removes comments and redundant blanks. */
static const char *normalize(const char *text)
{
	struct str rest = str_of(text), line;
	const char *copy;
	struct buf out;

	buf_init(&out, 1 << 20);
	while (str_split(&rest, '\n', &line)) {
		if (str_starts(str_trim(line), STR("--")))
			continue;
		for (size_t i = 0; i <= line.n; i++) {
			char last = out.n ? out.p[out.n - 1] : ' ';
			char c = i < line.n && line.p[i] != '\t' ? line.p[i] : ' ';

			if (c != ' ')
				buf_char(&out, c);
			else if (!strchr(" (,", last))
				buf_char(&out, ' ');
		}
	}
	copy = arena_strdup(arena, buf_text(&out));
	buf_deinit(&out);
	return copy;
}

static void assert_same_batches(const char *generated, const char *checked_in)
{
	struct script a, b;

	script_parse("generated", generated, arena, &a);
	script_parse("checked in", load(checked_in), arena, &b);
	for (size_t i = 0; i < a.count && i < b.count; i++) {
		assert_string_equal(a.batches[i].name, b.batches[i].name);
		assert_string_equal(normalize(a.batches[i].text), normalize(b.batches[i].text));
	}
	assert_int_equal(a.count, b.count);
}

static void warehouse_files_match_the_description(void **state)
{
	const struct ddl *d = read_description(load("sql/energy/tables.json"));

	(void)state;
	assert_same_batches(write_ddl(d, "warehouse", DIALECT_MSSQL),
			    "sql/schema/mssql/warehouse/001_tables.sql");
	assert_same_batches(write_ddl(d, "warehouse", DIALECT_POSTGRES),
			    "sql/schema/postgres/warehouse/001_tables.sql");
	assert_string_equal(normalize(write_ddl(d, "warehouse", DIALECT_SQLITE)),
			    normalize(load("sql/warehouse/sqlite/schema.sql")));
}

/* The files of a source must equal the output of vesperctl db ddl --write. */
static void check_source_files(const char *tables, const char *root, const char *source)
{
	const struct ddl *d = read_description(load(tables));

	for (int i = 0; i < DIALECT_COUNT; i++) {
		const char *text;

		if (i == DIALECT_SQLITE)
			continue;
		text = load(arena_printf(arena, "%s/%s/sources/%s/001_tables.sql", root,
					 dialect_name((enum dialect)i), source));
		assert_string_equal(strchr(text, '\n') + 1, write_ddl(d, source, (enum dialect)i));
	}
}

static void clinic_files_match_the_description(void **state)
{
	(void)state;
	check_source_files("tests/packs/sql/hospital/tables.json", "tests/packs/sql/schema",
			   "clinic");
}

static void plant_files_match_the_description(void **state)
{
	(void)state;
	check_source_files("sql/solar/tables.json", "sql/schema", "solar");
}

#define SMALL                                                                                      \
	"{ \"schema\": \"pv\", \"tables\": [\n"                                                    \
	"  { \"name\": \"loggers\", \"about\": \"Where.\", \"columns\": [\n"                       \
	"      {\"name\": \"tenant_id\", \"type\": \"text(100)\"},\n"                              \
	"      {\"name\": \"logger_id\", \"type\": \"text(40)\"},\n"                               \
	"      {\"name\": \"note\", \"type\": \"text\", \"null\": true},\n"                        \
	"      {\"name\": \"\\\"Is on\\\"\", \"type\": \"bool\"},\n"                               \
	"      {\"name\": \"extra\", \"type\": \"json\", \"null\": true},\n"                       \
	"      {\"name\": \"seen\", \"type\": \"datetime\", \"null\": true} ],\n"                  \
	"    \"key\": [\"tenant_id\", \"logger_id\"], \"view\": false },\n"                        \
	"  { \"name\": \"days\", \"columns\": [\n"                                                 \
	"      {\"name\": \"tenant_id\", \"type\": \"text(100)\"},\n"                              \
	"      {\"name\": \"logger_id\", \"type\": \"text(40)\"},\n"                               \
	"      {\"name\": \"day\", \"type\": \"date\"},\n"                                         \
	"      {\"name\": \"kwh\", \"type\": \"decimal(10,3)\", \"check\": \"kwh >= 0\"},\n"       \
	"      {\"name\": \"rest\", \"type\": \"bigint\", \"null\": true} ],\n"                    \
	"    \"key\": [\"tenant_id\", \"logger_id\", \"day\"],\n"                                  \
	"    \"check\": [\"rest >= kwh\"],\n"                                                      \
	"    \"references\": [{\"columns\": [\"tenant_id\", \"logger_id\"],\n"                     \
	"      \"table\": \"loggers\", \"to\": [\"tenant_id\", \"logger_id\"]}] } ],\n"            \
	"  \"views\": [ { \"name\": \"v_total\", \"about\": \"Totals.\",\n"                        \
	"    \"mssql\": \"SELECT 1 AS one\",\n"                                                    \
	"    \"sql\": \"SELECT d.tenant_id, SUM(d.kwh) AS kwh FROM {days} d GROUP BY "             \
	"d.tenant_id\"} ] }\n"

/* Statements that only files of sources other than the warehouse contain. */
static void other_sources_create_their_schema(void **state)
{
	const struct ddl *d = read_description(SMALL);
	const char *pg = normalize(write_ddl(d, "roof", DIALECT_POSTGRES));
	const char *ms = normalize(write_ddl(d, "roof", DIALECT_MSSQL));
	const char *lite = normalize(write_ddl(d, "roof", DIALECT_SQLITE));

	(void)state;
	assert_non_null(strstr(pg, "ARRAY['pv'] LOOP IF NOT EXISTS"));
	assert_non_null(strstr(pg, "note text,\"Is on\" boolean NOT NULL,extra jsonb,seen "
				   "timestamp(0),PRIMARY KEY (tenant_id,logger_id)"));
	assert_non_null(strstr(pg, "CHECK (rest >= kwh),FOREIGN KEY (tenant_id,logger_id) "
				   "REFERENCES base.loggers (tenant_id,logger_id)"));
	assert_null(strstr(pg, "CREATE VIEW pv.loggers"));
	assert_non_null(strstr(pg, "CREATE VIEW pv.days AS SELECT tenant_id,logger_id,day,"));
	assert_non_null(strstr(pg, "CREATE VIEW pv.v_total AS SELECT d.tenant_id,SUM(d.kwh) AS kwh "
				   "FROM base.days d"));
	assert_non_null(strstr(pg, "ARRAY['loggers','days'] LOOP"));
	assert_non_null(strstr(pg, "GRANT SELECT ON pv.days,pv.v_total TO vesper_read"));
	assert_non_null(strstr(pg, "GRANT USAGE ON SCHEMA pv TO vesper_read"));

	assert_non_null(strstr(ms, "EXEC (N'CREATE SCHEMA pv AUTHORIZATION dbo');"));
	assert_non_null(strstr(ms, "note nvarchar(max),\"Is on\" bit NOT NULL,extra nvarchar(max),"
				   "seen datetime2(0),CONSTRAINT PK_loggers"));
	assert_non_null(strstr(ms, "CONSTRAINT CK_days_kwh CHECK (kwh >= 0),rest bigint,"));
	assert_non_null(strstr(ms, "CONSTRAINT CK_days CHECK (rest >= kwh),CONSTRAINT FK_days"));
	assert_non_null(strstr(ms, "CREATE SECURITY POLICY sec.roof_tenants"));
	assert_non_null(strstr(ms, "CREATE OR ALTER VIEW pv.v_total AS SELECT 1 AS one;"));
	assert_non_null(strstr(ms, "GRANT SELECT ON OBJECT::pv.v_total TO vesper_read_role;"));

	assert_non_null(strstr(lite, "logger_id nvarchar(40) NOT NULL PRIMARY KEY,note text,\"Is "
				     "on\" bit NOT NULL,extra text,seen datetime )"));
	assert_non_null(strstr(lite, "logger_id nvarchar(40) NOT NULL REFERENCES loggers "
				     "(logger_id),day date NOT NULL"));
	assert_non_null(strstr(lite, "CREATE VIEW v_total AS SELECT d.tenant_id,SUM(d.kwh) AS kwh "
				     "FROM days d"));
	assert_null(strstr(lite, "CREATE VIEW days"));
}

/* The description with one change must be rejected, with `why` in the error. */
static void assert_rejected(const char *from, const char *to, const char *why)
{
	const char *at = strstr(SMALL, from), *text;
	struct ddl *d;
	struct err e = {0};

	assert_non_null(at);
	text = arena_printf(arena, "%.*s%s%s", (int)(at - SMALL), SMALL, to, at + strlen(from));
	if (ddl_read("tables.json", text, arena, &d, &e))
		fail_msg("accepted, expected: %s", why);
	assert_int_equal(e.code, ERR_INPUT);
	if (strncmp(e.text, "tables.json:", 12) != 0 || !strstr(e.text, why))
		fail_msg("\"%s\" does not contain \"%s\"", e.text, why);
}

static void rejects_invalid_names_and_types(void **state)
{
	(void)state;
	assert_rejected("\"tables\"", "\"tabels\"", "tabels");
	assert_rejected("\"pv\"", "\"p v\"", "\"schema\" must be a plain name");
	assert_rejected("\"loggers\"", "\"log gers\"", ":2: tables[0]: \"name\" must be a name");
	assert_rejected("\"loggers\"", "\"log;gers\"", "\"name\" must be a name");
	assert_rejected("\"loggers\"", "\"\"", "\"name\" must be a name");
	assert_rejected("\\\"Is on\\\"", "\\\"Is } on\\\"", "\"name\" must be a name");
	assert_rejected("\\\"Is on\\\"", "\\\"Is on", "\"name\" must be a name");
	assert_rejected("\"days\", \"col", "\"loggers\", \"col",
			":10: tables[1]: loggers is defined twice");
	assert_rejected("\"v_total\"", "\"days\"", "views[0]: days is defined twice");
	assert_rejected("\"seen\"", "\"note\"", ":8: tables[0].columns[5]: note is defined twice");
	assert_rejected("text(40)", "varchar(40)", ":4: tables[0].columns[1]: \"type\" must be");
	assert_rejected("text(40)", "text(0)", "\"type\" must be");
	assert_rejected("text(40)", "text(4001)", "\"type\" must be");
	assert_rejected("text(40)", "text(40", "\"type\" must be");
	assert_rejected("text(40)", "text(40,2)", "\"type\" must be");
	assert_rejected("text(40)", "int(4)", "\"type\" must be");
	assert_rejected("decimal(10,3)", "decimal", "\"type\" must be");
	assert_rejected("decimal(10,3)", "decimal(39,3)", "\"type\" must be");
	assert_rejected("decimal(10,3)", "decimal(3,10)", "\"type\" must be");
	assert_rejected("\"tenant_id\", \"type\": \"text(100)\"",
			"\"tenant\", \"type\": \"text(100)\"",
			"tables[0].columns: tenant_id of type text(100) is missing");
	assert_rejected("text(100)", "text(99)", "tenant_id of type text(100) is missing");
	assert_rejected("\"null\": true", "\"nil\": true", "nil");
	assert_rejected("\"null\": true", "\"null\": \"yes\"", "null");
	assert_rejected("\"type\": \"date\"", "\"type\": \"date\", \"identity\": true",
			"an identity column must be a");
	assert_rejected("\"kwh >= 0\"", "\"\"", "must be one line of text");
	assert_rejected("\"decimal(10,3)\"", "\"flag\"", "a flag must not have a check");
}

static void rejects_invalid_keys(void **state)
{
#define KEY "\"key\": [\"tenant_id\", \"logger_id\"]"
	(void)state;
	assert_rejected(KEY, "\"key\": [\"logger_id\"]",
			"tables[0].key: tenant_id must be the first column");
	assert_rejected(KEY, "\"key\": [\"tenant_id\", \"id\"]", "loggers has no column id");
	assert_rejected(KEY, "\"key\": \"tenant_id\"", "tables[0].key: must be a list");
	assert_rejected(KEY, "\"key\": [\"tenant_id\", \"seen\"]",
			"seen must not be nullable in the primary key");
	assert_rejected(KEY, "\"key\": [\"tenant_id\", \"note\"]", "at most 1700 bytes together");
	assert_rejected(KEY, "\"key\": [\"tenant_id\", \"extra\"]", "at most 1700 bytes together");
	assert_rejected("\"text(40)\"", "\"text(900)\"", "at most 1700 bytes together");
	assert_rejected(KEY, "\"without_rowid\": true", "without_rowid needs a key");
	assert_rejected(KEY, KEY ", \"unique\": [[\"tenant_id\"]]",
			"unique[0]: add at least one column after tenant_id");
	assert_rejected(KEY, KEY ", \"index\": [{\"name\": \"i\", \"columns\": [\"note\"]}]",
			"tables[0].index[0].columns: tenant_id must be the first column");
	assert_rejected(KEY, KEY ", \"index\": [{\"columns\": [\"tenant_id\", \"seen\"]}]",
			"tables[0].index[0]: \"name\" must be a name");
	assert_rejected(
		"\"table\": \"loggers\"", "\"table\": \"days\"",
		"references[0]: \"table\" must name a table defined before this one, not \"days\"");
	assert_rejected("\"to\": [\"tenant_id\", \"logger_id\"]",
			"\"to\": [\"tenant_id\", \"seen\"]",
			"\"to\" must be a key of loggers with at least two columns");
	assert_rejected("\"type\": \"bigint\", \"null\": true",
			"\"type\": \"bigint\", \"identity\": true",
			"identity column rest must be the primary key");
}

static void rejects_invalid_views(void **state)
{
	(void)state;
	assert_rejected("{days}", "{nights}", "views[0]: this file defines no table nights");
	assert_rejected("{days}", "{days", "this file defines no table");
	assert_rejected("\"sql\"", "\"postgres\"", "\"sqlite\" or \"sql\" must be given");
	assert_rejected("\"schema\": \"pv\", ", "", "tables[1]: \"schema\" must be a plain name");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(warehouse_files_match_the_description),
		TEST(clinic_files_match_the_description),
		TEST(plant_files_match_the_description),
		TEST(other_sources_create_their_schema),
		TEST(rejects_invalid_names_and_types),
		TEST(rejects_invalid_keys),
		TEST(rejects_invalid_views),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
