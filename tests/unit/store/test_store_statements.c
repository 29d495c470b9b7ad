/* No statement of a turn needs a temporary table or a sort in SQLite. */
#include "store_test.h"

#include "vesper/limits.h"
#include "vesper/sql.h"

static const char *const turn_queries[] = {
	"session_insert",    "user_message_insert", "session_touch",     "user_message_stored",
	"standing_newest",   "messages_recent",     "memory_summary",    "memory_size",
	"session_one",       "receipt_head",        "receipt_insert",    "session_answer",
	"answer_insert",     "answer_stored",       "audit_insert",      "ledger_insert",
	"idempotent_expire", "idempotent_one",      "idempotent_insert", "idempotent_finish"};

/* Renders the query for SQLite with all arguments and conditions. */
static const char *render_query(struct fixture *f, const struct sql_query *q)
{
	struct args args = {0};
	struct sql_bound bound;
	struct err e;

	for (size_t i = 0; i < q->marker_count; i++)
		args_set(&args, f->arena, q->markers[i].name, value_int(1));
	for (size_t i = 0; q->conditions[i]; i++)
		if (strncmp(q->conditions[i], "on_server", strlen("on_server")) != 0)
			args_set(&args, f->arena, q->conditions[i], value_int(1));
	if (!sql_render(q, &args, DIALECT_SQLITE, f->arena, &bound, &e))
		fail_msg("%s: %s", q->name, e.text);
	return bound.text;
}

static bool is_temporary_table_step(const char *step)
{
	return strcmp(step, "OpenEphemeral") == 0 || strcmp(step, "OpenAutoindex") == 0 ||
	       strcmp(step, "SorterOpen") == 0;
}

/* True if the statement's program has a step that creates a temporary table. */
static bool uses_temporary_table(struct fixture *f, sqlite3 *native, const char *text)
{
	sqlite3_stmt *program;
	bool found = false;

	if (sqlite3_prepare_v2(native, arena_printf(f->arena, "EXPLAIN %s", text), -1, &program,
			       NULL) != SQLITE_OK)
		fail_msg("%s: %s", text, sqlite3_errmsg(native));
	while (sqlite3_step(program) == SQLITE_ROW)
		found = is_temporary_table_step((const char *)sqlite3_column_text(program, 1)) ||
			found;
	sqlite3_finalize(program);
	return found;
}

static void turn_uses_no_temporary_table(void **state)
{
	struct fixture *f = *state;
	const char *path = arena_printf(f->arena, "%s/sql/store/store.sql", VESPER_SOURCE_DIR);
	struct sql_file *file;
	sqlite3 *native;
	struct err e;

	if (!sql_file_load(path, f->arena, &file, &e))
		fail_msg("%s", e.text);
	assert_int_equal(sqlite3_open(f->acme, &native), SQLITE_OK);
	for (size_t i = 0; i < sizeof(turn_queries) / sizeof(*turn_queries); i++) {
		const struct sql_query *q = sql_file_query(file, turn_queries[i]);

		assert_non_null(q);
		if (uses_temporary_table(f, native, render_query(f, q)))
			fail_msg("%s uses a temporary table", q->name);
	}
	assert_true(uses_temporary_table(f, native,
					 render_query(f, sql_file_query(file, "orphan_close"))));
	sqlite3_close(native);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(turn_uses_no_temporary_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
