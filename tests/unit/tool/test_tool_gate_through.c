/*
 * Ad hoc SQL through the gate, the driver and the database. For each statement of
 * tests/gate/through.tsv, the database receives the text that the gate wrote, and finds the same
 * tables, columns and literals in it as the gate. For SQLite, they come from the authorizer and
 * from EXPLAIN; for PostgreSQL, from the server's log and, if libpg_query is installed (Debian:
 * libpg-query-dev), from its parser.
 */
#include "../db/postgres_test.h"

#ifdef HAVE_PG_QUERY
#include <pg_query.h>
#endif

#include "gate_corpus.h"
#include "gate/gate_int.h"
#include "tool_int.h"
#include "vesper/json.h"

#define STATEMENTS_MIN 300
#define TENANT         "tenant_1"
#define LOG_BYTES_MAX  (1 << 20)

static const char *const project_columns[] = {"gid",    "name", "\"Project Name\"", "market",
					      "amount", "day",  "tenant_id",        NULL};
static const char *const change_columns[] = {"gid", "note", "tenant_id", NULL};
static const char *const price_columns[] = {"hub", "n", "tenant_id", NULL};
static const struct gate_view views[] = {
	{"dbo.projects", project_columns, NULL, "tenant_id", false},
	{"dbo.changes", change_columns, NULL, "tenant_id", false},
	{"Stage.prices", price_columns, NULL, "tenant_id", false},
};

/* ---- facts: names and literals of a statement, sorted, without duplicates ---- */

struct facts {
	struct arena *arena;
	const char *items[512];
	size_t count;
};

static void add_fact(struct facts *f, const char *kind, const char *a, const char *b)
{
	const char *text = arena_printf(f->arena, "%s %s%s%s", kind, a, b ? "." : "", b ? b : "");
	size_t i = 0;

	while (i < f->count && strcmp(f->items[i], text) < 0)
		i++;
	if (i < f->count && strcmp(f->items[i], text) == 0)
		return;
	assert_true(f->count < sizeof(f->items) / sizeof(f->items[0]));
	memmove(&f->items[i + 1], &f->items[i], (f->count - i) * sizeof(f->items[0]));
	f->items[i] = text;
	f->count++;
}

static const char *facts_text(const struct facts *f)
{
	const char *text = "";

	for (size_t i = 0; i < f->count; i++)
		text = arena_printf(f->arena, "%s\n  %s", text, f->items[i]);
	return text;
}

static const char *lower(struct arena *a, const char *text)
{
	char *copy = arena_strdup(a, text);

	for (char *p = copy; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p + 32);
	return copy;
}

static const char *without_quotes(struct arena *a, const char *name)
{
	return *name == '"' ? arena_strndup(a, name + 1, strlen(name) - 2) : name;
}

/* The value of a quoted string literal. */
static const char *string_value(struct arena *a, struct str quoted)
{
	char *out = arena_alloc(a, quoted.n);
	size_t n = 0;

	for (size_t i = 1; i + 1 < quoted.n; i++) {
		out[n++] = quoted.p[i];
		if (quoted.p[i] == '\'')
			i++;
	}
	return out;
}

/* Literals that the gate, or the parser for EXTRACT, adds when it rewrites an expression. */
static bool is_template_text(const char *text)
{
	static const char *const texts[] = {"",        "%Y",   "%m",    "%d",  " days", " years",
					    " months", "year", "month", "day", NULL};

	for (size_t i = 0; texts[i]; i++)
		if (strcmp(texts[i], text) == 0)
			return true;
	return false;
}

/* Adds the patterns of LIKE, which the gate writes differently for each database, or all other
 * texts. */
static void gate_texts(const struct gate *g, bool patterns, struct facts *f)
{
	struct gate_tokens tokens;

	assert_true(gate_lex(g, &tokens));
	for (size_t i = 1; i < tokens.count; i++) {
		const struct gate_token *t = &tokens.items[i];
		bool is_pattern = gate_is_word(t - 1, "LIKE") || gate_is_word(t - 1, "GLOB") ||
				  gate_is_word(t - 1, "ESCAPE");

		if (t->kind == GATE_T_STRING && is_pattern == patterns &&
		    !is_template_text(string_value(f->arena, t->text)))
			add_fact(f, "text", string_value(f->arena, t->text), NULL);
	}
}

static void gate_facts(const struct gate_policy *policy, enum dialect dialect, struct str sql,
		       const struct gate_result *checked, struct facts *f)
{
	struct err e;
	struct gate g = {policy, dialect, sql, f->arena, &e};

	gate_texts(&g, false, f);
	/* The lexer rejects parameters, and the tenant is one. */
	char *written_sql = arena_strdup(f->arena, checked->sql);
	for (char *at = written_sql; (at = strstr(at, " = ?)"));)
		at[3] = '1';
	g.sql = str_of(written_sql);
	gate_texts(&g, true, f);
	for (size_t i = 0; i < checked->read_count; i++) {
		const char *view = lower(f->arena, checked->reads[i].view->name);

		add_fact(f, "table", view, NULL);
		for (const char *const *c = checked->reads[i].columns; *c; c++)
			add_fact(f, "column", view, lower(f->arena, without_quotes(f->arena, *c)));
		add_fact(f, "column", view, checked->reads[i].view->tenant_column);
	}
}

static void compare(const char *sql, const struct facts *gate, const struct facts *database)
{
	if (gate->count == database->count) {
		size_t i = 0;

		while (i < gate->count && strcmp(gate->items[i], database->items[i]) == 0)
			i++;
		if (i == gate->count)
			return;
	}
	fail_msg("%s\nthe gate reads:%s\nthe database reads:%s", sql, facts_text(gate),
		 facts_text(database));
}

/* ---- from the gate to the database ---- */

static void run_checked(struct fixture *f, const char *tenant, const struct gate_result *checked,
			struct arena *a)
{
	struct value *values = arena_alloc(a, (checked->tenants + 1) * sizeof(*values));
	const struct source_statement statement = {.name = "test/main",
						   .text = checked->sql,
						   .values = values,
						   .count = checked->tenants,
						   .allow = tool_gate_allow(checked, a)};
	const struct db_request request = {
		.tenant = tenant, .statements = &statement, .statement_count = 1};
	struct answer answer = {0};

	for (size_t i = 0; i < checked->tenants; i++)
		values[i] = value_text(tenant);
	db_query(f->db, &request, on_answer, &answer);
	wait_for(f, &answer);
	if (answer.err.code != ERR_NONE)
		fail_msg("%s\n%s", checked->sql, answer.err.text);
	table_free(&answer.table);
}

typedef void (*inspect_fn)(struct fixture *f, const struct gate_result *checked,
			   struct facts *database);

static void compare_all_statements(struct fixture *f, enum dialect dialect, const char *tenant,
				   inspect_fn inspect)
{
	struct arena *corpus_arena = arena_new(16 << 20), *a;
	struct gate_policy policy = gate_policy_of((const char *const[]){NULL}, corpus_arena);
	const struct gate_line *lines;
	size_t count, compared = 0;

	policy.views = views;
	policy.view_count = sizeof(views) / sizeof(views[0]);
	lines = gate_corpus("through.tsv", corpus_arena, &count);
	for (size_t i = 0; i < count; i++) {
		struct gate_result checked;
		struct err e;

		if (!gate_line_is(&lines[i], dialect))
			continue;
		a = arena_new(4 << 20);
		struct facts gate = {.arena = a}, database = {.arena = a};
		if (!gate_check(&policy, dialect, lines[i].sql, a, &checked, &e))
			fail_msg("%.*s\nrefused: %s", STR_FMT(lines[i].sql), e.text);
		gate_facts(&policy, dialect, lines[i].sql, &checked, &gate);
		run_checked(f, tenant, &checked, a);
		inspect(f, &checked, &database);
		compare(checked.sql, &gate, &database);
		arena_free(&a);
		compared++;
	}
	assert_true(compared >= STATEMENTS_MIN);
	print_message("%zu statements\n", compared);
	arena_free(&corpus_arena);
}

/* ---- SQLite ---- */

static char executed[LOG_BYTES_MAX];
static size_t executions;
/* Opens the same file under the same schema names, to find out what SQLite reads. */
static sqlite3 *inspector;

static int on_trace(unsigned type, void *owner, void *statement, void *sql)
{
	const char *text = sql;

	(void)type;
	(void)owner;
	(void)statement;
	if (strstr(text, "vesper_tenant") ||
	    (strncmp(text, "SELECT", 6) != 0 && strncmp(text, "WITH", 4) != 0))
		return 0;
	snprintf(executed, sizeof(executed), "%s", text);
	executions++;
	return 0;
}

static int on_open(sqlite3 *native, char **error, const struct sqlite3_api_routines *api)
{
	(void)error;
	(void)api;
	sqlite3_trace_v2(native, SQLITE_TRACE_STMT, on_trace, NULL);
	return SQLITE_OK;
}

/* Functions that the daemon registers (db_exact.c) and the gate uses; nothing is executed here. */
static const struct {
	const char *name;
	int args;
} functions[] = {{"exact", 1}, {"add_months", 2}, {"date_from_parts", 3}};

static void return_first_argument(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	(void)argc;
	sqlite3_result_value(context, argv[0]);
}

static int on_read(void *owner, int action, const char *table, const char *column,
		   const char *schema, const char *origin)
{
	struct facts *f = owner;

	(void)origin;
	if (action != SQLITE_READ || !schema)
		return SQLITE_OK;
	const char *name = lower(f->arena, arena_printf(f->arena, "%s.%s", schema, table));
	add_fact(f, "table", name, NULL);
	if (*column)
		add_fact(f, "column", name, lower(f->arena, column));
	return SQLITE_OK;
}

/* Adds the tables and columns that the authorizer sees, and the texts of SQLite's program. */
static void inspect_sqlite(struct fixture *f, const struct gate_result *checked,
			   struct facts *database)
{
	const char *explain = arena_printf(database->arena, "EXPLAIN %s", checked->sql);
	sqlite3_stmt *program;

	(void)f;
	assert_int_equal(executions, 1);
	executions = 0;
	assert_string_equal(executed, checked->sql);
	sqlite3_set_authorizer(inspector, on_read, database);
	if (sqlite3_prepare_v2(inspector, explain, -1, &program, NULL) != SQLITE_OK)
		fail_msg("%s\n%s", explain, sqlite3_errmsg(inspector));
	while (sqlite3_step(program) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(program, 5);

		if (strcmp((const char *)sqlite3_column_text(program, 1), "String8") == 0 &&
		    !is_template_text(text))
			add_fact(database, "text", text, NULL);
	}
	sqlite3_finalize(program);
	sqlite3_set_authorizer(inspector, NULL, NULL);
}

#define ROWS                                                                                       \
	"(1, 'a?', 'Sun {1}', 'CAISO', 12.5, '2025-06-01', 'T'), "                                 \
	"(2, 'b', 'Moon', 'ERCOT', 7.25, '2024-02-29', 'T')"

static void sqlite_reads_what_the_gate_reads(void **state)
{
	struct fixture *f = *state;
	char attach[256];

	sqlite3_auto_extension((void (*)(void))on_open);
	tenant_file_make(f->acme, "acme");
	file_exec(f->acme,
		  "CREATE TABLE projects (gid int, name nvarchar(50), \"Project Name\" "
		  "nvarchar(50), market nvarchar(20), amount decimal(10, 2), day date, tenant_id "
		  "nvarchar(100));"
		  "CREATE TABLE changes (gid int, note nvarchar(50), tenant_id nvarchar(100));"
		  "CREATE TABLE prices (hub nvarchar(20), n int, tenant_id nvarchar(100));"
		  "INSERT INTO projects VALUES " ROWS "; INSERT INTO changes VALUES (1, 'x', 'T');"
		  "INSERT INTO prices VALUES ('E1', 1, 'T');"
		  "UPDATE projects SET tenant_id = 'acme'; UPDATE changes SET tenant_id = 'acme';"
		  "UPDATE prices SET tenant_id = 'acme'");
	fixture_open(f, true);
	assert_int_equal(sqlite3_open(":memory:", &inspector), SQLITE_OK);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		assert_int_equal(sqlite3_create_function(inspector, functions[i].name,
							 functions[i].args,
							 SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
							 return_first_argument, NULL, NULL),
				 SQLITE_OK);
	snprintf(attach, sizeof(attach), "ATTACH '%s' AS dbo; ATTACH '%s' AS Stage", f->acme,
		 f->acme);
	assert_int_equal(sqlite3_exec(inspector, attach, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_trace_v2(inspector, 0, NULL, NULL);
	executions = 0;
	compare_all_statements(f, DIALECT_SQLITE, "acme", inspect_sqlite);
	sqlite3_close(inspector);
	sqlite3_cancel_auto_extension((void (*)(void))on_open);
}

/* ---- PostgreSQL ---- */

static long log_offset; /* bytes */

/* Reads the new entries of the server's log, without the tab before continuation lines. */
static const char *read_new_log(struct arena *a)
{
	char path[200], *text = arena_alloc(a, LOG_BYTES_MAX), *to = text;
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/log", server.dir);
	file = fopen(path, "r");
	assert_non_null(file);
	fseek(file, log_offset, SEEK_SET);
	n = fread(text, 1, LOG_BYTES_MAX - 1, file);
	log_offset += (long)n;
	fclose(file);
	for (size_t i = 0; i < n; i++) {
		*to++ = text[i];
		i += text[i] == '\n' && i + 1 < n && text[i + 1] == '\t';
	}
	*to = '\0';
	return text;
}

/* The statement in the log, without the cursor around it. The driver uses no cursor if it finds the
 * word FOR. */
static const char *statement_in(const char *log, struct arena *a)
{
	static const char plain[] = "LOG:  statement: SELECT", cursor[] = "with hold for ";
	const char *entry = strstr(log, "declare \"SQL_CUR"), *end, *last = NULL;

	if (!entry) {
		entry = strstr(log, plain);
		if (!entry || strstr(entry + 1, "LOG:  statement: "))
			fail_msg("not one statement in the log:\n%s", log);
		entry += sizeof(plain) - sizeof("SELECT");
		return arena_strndup(a, entry, strlen(entry) - 1);
	}
	if (strstr(entry + 1, "declare \"SQL_CUR"))
		fail_msg("two cursors in the log:\n%s", log);
	entry = strstr(entry, cursor) + sizeof(cursor) - 1;
	for (end = entry; (end = strstr(end, ";fetch 500 in \"SQL_CUR")); end++)
		last = end;
	assert_non_null(last);
	return arena_strndup(a, entry, (size_t)(last - entry));
}

/* The text that the driver must send: the tenant replaces each ? outside of literals. */
static const char *with_tenant(const char *sql, struct arena *a)
{
	struct buf out;
	char quote = '\0';
	const char *copy;

	buf_init(&out, LOG_BYTES_MAX);
	for (; *sql; sql++) {
		if (quote ? *sql == quote : *sql == '\'' || *sql == '"')
			quote = quote ? '\0' : *sql;
		if (*sql == '?' && !quote)
			buf_str(&out, "'" TENANT "'");
		else
			buf_char(&out, *sql);
	}
	copy = arena_strdup(a, buf_text(&out));
	buf_deinit(&out);
	return copy;
}

#ifdef HAVE_PG_QUERY
struct tree {
	struct facts *facts;
	const struct gate_result *checked;
};

static const char *name_in(const json_t *node)
{
	return json_string_value(json_object_get(json_object_get(node, "String"), "sval"));
}

static bool is_defined(const struct tree *t, const char *name)
{
	for (const char *const *d = t->checked->defined; *d; d++)
		if (strcmp(*d, name) == 0)
			return true;
	return false;
}

/* Each view is read in a derived table, SELECT columns FROM view, whose columns are added. All
 * other references are to derived tables. */
static void add_view_facts(struct tree *t, const json_t *select, const json_t *table)
{
	const char *schema = json_string_value(json_object_get(table, "schemaname"));
	const char *view = json_string_value(json_object_get(table, "relname"));
	json_t *target;
	size_t i;

	if (!schema) {
		assert_true(is_defined(t, view));
		return;
	}
	view = arena_printf(t->facts->arena, "%s.%s", schema, view);
	add_fact(t->facts, "table", view, NULL);
	add_fact(t->facts, "column", view, "tenant_id"); /* in its WHERE clause */
	json_array_foreach(json_object_get(select, "targetList"), i, target) {
		const json_t *ref = json_object_get(
			json_object_get(json_object_get(target, "ResTarget"), "val"), "ColumnRef");
		const char *name = name_in(json_array_get(json_object_get(ref, "fields"), 0));

		assert_non_null(name);
		add_fact(t->facts, "column", view, lower(t->facts->arena, name));
	}
}

static void add_tree_facts(struct tree *t, const json_t *node)
{
	const json_t *from = json_object_get(node, "fromClause");
	const char *key, *text;
	json_t *value;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)node, i, value)
		add_tree_facts(t, value);
	for (i = 0; i < json_array_size(from); i++) {
		const json_t *table = json_object_get(json_array_get(from, i), "RangeVar");

		if (table)
			add_view_facts(t, node, table);
	}
	json_object_foreach((json_t *)(uintptr_t)node, key, value) {
		if (strcmp(key, "A_Const") == 0 && json_object_get(value, "sval")) {
			text = json_string_value(
				json_object_get(json_object_get(value, "sval"), "sval"));
			if (text && !is_template_text(text) && strcmp(text, TENANT) != 0)
				add_fact(t->facts, "text", text, NULL);
		}
		add_tree_facts(t, value);
	}
}
#endif

static void inspect_postgres(struct fixture *f, const struct gate_result *checked,
			     struct facts *database)
{
	const char *sql = statement_in(read_new_log(database->arena), database->arena);

	(void)f;
	assert_string_equal(sql, with_tenant(checked->sql, database->arena));
#ifdef HAVE_PG_QUERY
	PgQueryParseResult result = pg_query_parse(sql);
	struct tree tree = {database, checked};
	json_t *root;

	if (result.error)
		fail_msg("%s\n%s", sql, result.error->message);
	root = json_loads(result.parse_tree, 0, NULL);
	assert_int_equal(json_array_size(json_object_get(root, "stmts")), 1);
	add_tree_facts(&tree, root);
	json_decref(root);
	pg_query_free_parse_result(result);
#endif
}

static void postgres_reads_what_the_gate_reads(void **state)
{
	struct fixture *f = *state;
	struct arena *a;

	admin("CREATE SCHEMA dbo");
	admin("CREATE SCHEMA stage");
	admin("CREATE TABLE dbo.projects (gid int, name text, \"Project Name\" text, market text, "
	      "amount numeric(10, 2), day date, tenant_id text)");
	admin("CREATE TABLE dbo.changes (gid int, note text, tenant_id text)");
	admin("CREATE TABLE stage.prices (hub text, n int, tenant_id text)");
	admin("INSERT INTO dbo.projects VALUES " ROWS);
	admin("INSERT INTO dbo.changes VALUES (1, 'x', 'T')");
	admin("INSERT INTO stage.prices VALUES ('E1', 1, 'T')");
	admin("UPDATE dbo.projects SET tenant_id = '" TENANT "'");
	admin("UPDATE dbo.changes SET tenant_id = '" TENANT "'");
	admin("UPDATE stage.prices SET tenant_id = '" TENANT "'");
	admin("GRANT USAGE ON SCHEMA dbo, stage TO reader");
	admin("GRANT SELECT ON ALL TABLES IN SCHEMA dbo, stage TO reader");
	admin("ALTER ROLE reader SET log_statement = 'all'");
	postgres_open(f, "reader");
	a = arena_new(4 << 20);
	table_free(&(struct table *){query_table(f, TENANT, "SELECT 1 AS one", NULL, 0)});
	read_new_log(a);
	arena_free(&a);
	compare_all_statements(f, DIALECT_POSTGRES, TENANT, inspect_postgres);
#ifdef HAVE_PG_QUERY
	pg_query_exit();
#else
	print_message("libpg_query is not installed: only the texts were compared\n");
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(sqlite_reads_what_the_gate_reads),
		DB_TEST(postgres_reads_what_the_gate_reads),
	};

	return cmocka_run_group_tests(tests, server_start, server_stop);
}
