/* Preparation of a tenant's database at the start: migrations and orphaned turns. */
#include "store_test.h"

#include "vesper/limits.h"

static void records_migration_and_runs_it_once(void **state)
{
	struct fixture *f = *state;
	const char *count;

	migrate(f, "acme");
	assert_string_equal(file_query(f, f->acme,
				       "SELECT group_concat(version || name) FROM schema_migrations"
				       " WHERE version = 1"),
			    "1001_chat");
	count = file_query(f, f->acme, "SELECT count(*) FROM schema_migrations");
	assert_string_equal(
		file_query(f, f->acme,
			   "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN"
			   " ('chat_sessions', 'chat_messages', 'chat_agent_tools', "
			   "'chat_session_summaries')"),
		"4");
	migrate(f, "acme");
	assert_string_equal(file_query(f, f->acme, "SELECT count(*) FROM schema_migrations"),
			    count);
	assert_int_not_equal(access(f->vesper, F_OK), 0); /* one tenant at a time */
}

static void rejects_newer_database(void **state)
{
	struct fixture *f = *state;

	migrate(f, "acme");
	file_query(f, f->acme,
		   "WITH RECURSIVE later(v) AS (SELECT 1000 UNION ALL SELECT v + 1 FROM later"
		   " WHERE v < 2000) INSERT INTO schema_migrations"
		   " SELECT v, 'later', 'x' FROM later RETURNING version");
	begin(f);
	store_migrate(f->store, "acme", on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_INPUT);
	assert_non_null(strstr(f->err.text, "newer"));
}

static void failed_migration_is_rolled_back(void **state)
{
	struct fixture *f = *state;

	begin(f);
	migrate(f, "acme");
	store_free(&f->store);
	db_close(&f->db);
	/* A table of the migration exists without its record: the second statement fails, so the
	 * first must be rolled back. */
	file_query(f, f->acme, "DROP TABLE chat_session_summaries");
	file_query(f, f->acme, "DROP TABLE chat_messages");
	file_query(f, f->acme, "DROP TABLE chat_sessions");
	file_query(f, f->acme, "DELETE FROM schema_migrations");
	store_start(f);
	begin(f);
	store_migrate(f->store, "acme", on_done, f);
	wait_done(f);
	assert_int_not_equal(f->err.code, ERR_NONE);
	assert_non_null(strstr(f->err.text, "chat_agent_tools"));
	assert_string_equal(
		file_query(f, f->acme,
			   "SELECT count(*) FROM sqlite_schema WHERE name = 'chat_sessions'"),
		"0");
	assert_string_equal(file_query(f, f->acme, "SELECT count(*) FROM schema_migrations"), "0");
}

static void closes_orphaned_turns(void **state)
{
	enum { ORPHANS = STORE_ORPHANS_MAX + 3 };
	struct fixture *f = *state;
	const char *session = id_new(f);
	struct message answered = user_message(f, session, "answered");
	struct message answer = answer_to(f, &answered, "yes");

	migrate(f, "acme");
	assert_int_equal(accept_message(f, &ann, &answered), ERR_NONE);
	assert_int_equal(store_answer_and_wait(f, &ann, &answer), ERR_NONE);
	for (int i = 0; i < ORPHANS; i++) {
		struct message m = user_message(f, session, "unanswered");

		assert_int_equal(accept_message(f, &ann, &m), ERR_NONE);
	}
	for (int pass = 0; pass < 2; pass++) {
		begin(f);
		store_close_orphans(f->store, "acme", 0, on_done, f);
		assert_false(f->done);
		wait_done(f);
		assert_int_equal(f->err.code, ERR_NONE);
		read_messages(f, &ann, session, NULL, STORE_PAGE_MAX);
		assert_int_equal(f->count, 2 + 2 * ORPHANS);
	}
	assert_int_equal(f->messages[1].status, MESSAGE_COMPLETE);
	for (size_t i = 2 + ORPHANS; i < f->count; i++) {
		const struct message *m = &f->messages[i];

		assert_int_equal(m->status, MESSAGE_INTERRUPTED);
		assert_string_equal(m->role, "assistant");
		assert_string_equal(m->content, "");
		assert_string_equal(m->turn_id, f->messages[i - ORPHANS].turn_id);
		assert_true(uuid_valid(m->message_id));
	}
}

static void rejects_missing_statement_file(void **state)
{
	struct fixture *f = *state;
	struct store *s = NULL;
	struct err e = {0};

	assert_false(store_new(f->loop, f->db, f->dir, &s, &e));
	assert_non_null(strstr(e.text, "store.sql"));
	assert_null(s);
}

static void closing_orphans_fails_without_tables(void **state)
{
	struct fixture *f = *state;

	begin(f);
	store_close_orphans(f->store, "vesper", 0, on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_INTERNAL); /* never migrated */
	migrate(f, "vesper");
	begin(f);
	store_close_orphans(f->store, "vesper", 0, on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST_UNMIGRATED(records_migration_and_runs_it_once),
		STORE_TEST_UNMIGRATED(rejects_newer_database),
		STORE_TEST_UNMIGRATED(failed_migration_is_rolled_back),
		STORE_TEST_UNMIGRATED(closes_orphaned_turns),
		STORE_TEST_UNMIGRATED(rejects_missing_statement_file),
		STORE_TEST_UNMIGRATED(closing_orphans_fails_without_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
