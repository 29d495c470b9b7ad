/* Summaries: covered messages, the newest summary, isolation between users, and no duplicates. */
#include "store_test.h"

#include <string.h>

#include "vesper/json.h"

static struct message last_message; /* of the newest session */

/* The summary that a turn of an already stored message reads. */
static const struct memory *read_memory(struct fixture *f)
{
	assert_int_equal(begin_turn(f, &ann, &last_message, 1), ERR_NONE);
	return &f->begun.memory;
}

static void read_uncovered(struct fixture *f, const struct principal *who, const char *session,
			   size_t limit)
{
	begin(f);
	store_unsummarized_messages(f->store, who, session, limit, f->arena, on_messages, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
}

static void summarize(struct fixture *f, const struct principal *who, const char *session,
		      const char *text, int64_t through)
{
	begin(f);
	store_summary(f->store, who, session, arena_printf(f->arena, "[{\"text\":\"%s\"}]", text),
		      through, on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
}

static const char *create_session(struct fixture *f, int messages)
{
	const char *session = id_new(f);

	for (int i = 0; i < messages; i++) {
		last_message = user_message(f, session, arena_printf(f->arena, "m%d", i));
		assert_int_equal(accept_message(f, &ann, &last_message), ERR_NONE);
	}
	return session;
}

static const char *summary_text(struct fixture *f)
{
	const json_t *items = store_memory_items(read_memory(f)->summary, f->arena);

	return json_string_value(json_object_get(json_array_get(items, 0), "text"));
}

static void summary_covers_earlier_messages(void **state)
{
	struct fixture *f = *state;
	const char *session = create_session(f, 5);
	int64_t third;

	assert_null(read_memory(f)->summary);
	assert_int_equal(read_memory(f)->messages, 5);
	read_uncovered(f, &ann, session, 3);
	assert_int_equal(f->count, 3);
	assert_true(f->has_more);
	assert_string_equal(f->messages[2].content, "m2");
	third = f->messages[2].place;
	summarize(f, &ann, session, "first three", third);
	assert_string_equal(summary_text(f), "first three");
	assert_int_equal(read_memory(f)->messages, 2);
	read_uncovered(f, &ann, session, 3);
	assert_int_equal(f->count, 2);
	assert_string_equal(f->messages[0].content, "m3");
	/* a summary that covers no more messages has no effect */
	summarize(f, &ann, session, "again", third);
	assert_string_equal(summary_text(f), "first three");
	summarize(f, &ann, session, "all five", f->messages[1].place);
	assert_string_equal(summary_text(f), "all five");
	assert_int_equal(read_memory(f)->messages, 0);
}

static void other_users_cannot_access_summary(void **state)
{
	struct fixture *f = *state;
	const char *session = create_session(f, 3);

	summarize(f, &bob, session, "bob's", 2);
	summarize(f, &ann_other_tenant, session, "elsewhere", 2);
	assert_null(read_memory(f)->summary);
	summarize(f, &ann, session, "ann's", 2);
	assert_int_equal(begin_turn(f, &bob, &last_message, 1), ERR_NOT_FOUND);
	assert_null(f->begun.memory.summary);
	assert_int_equal(f->begun.memory.messages, 0);
	read_uncovered(f, &bob, session, 3);
	assert_int_equal(f->count, 0);
}

static int compaction_count(struct fixture *f, const char *session)
{
	char *sql = sqlite3_mprintf(
		"SELECT compaction_count FROM chat_sessions WHERE session_id = %Q", session);
	sqlite3_stmt *s;
	sqlite3 *db;
	int n;

	assert_int_equal(sqlite3_open(f->acme, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	n = sqlite3_column_int(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	sqlite3_free(sql);
	return n;
}

static void counts_each_compaction_once(void **state)
{
	struct fixture *f = *state;
	const char *session = create_session(f, 3);

	assert_int_equal(compaction_count(f, session), 0);
	summarize(f, &ann, session, "a", 1);
	summarize(f, &ann, session, "a again", 1);
	assert_int_equal(compaction_count(f, session), 1);
	summarize(f, &ann, session, "b", 2);
	assert_int_equal(compaction_count(f, session), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(summary_covers_earlier_messages),
		STORE_TEST(other_users_cannot_access_summary),
		STORE_TEST(counts_each_compaction_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
