/* Shared by the store's tests: a migrated store of two tenants on real SQLite, and helpers that
 * wait for one call. */
#ifndef STORE_TEST_H
#define STORE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vesper/file.h"
#include "vesper/health.h"
#include "vesper/mem.h"
#include "vesper/metric.h"
#include "vesper/store.h"
#include "vesper/uuid.h"

struct fixture {
	struct loop *loop;
	char dir[64];
	char acme[96]; /* paths of the tenants' databases */
	char vesper[96];
	struct db *db;
	struct store *store;
	struct arena *arena;
	/* results of the last call */
	bool done;
	struct err err;
	char duplicate[64];
	struct beginning begun;
	struct message *messages;
	struct session *sessions;
	size_t count;
	bool has_more;
};

static const struct principal ann = {.user = "ann", .tenant = "acme"};
static const struct principal bob = {.user = "bob", .tenant = "acme"};
static const struct principal ann_other_tenant = {.user = "ann", .tenant = "vesper"};

static inline void wait_done(struct fixture *f)
{
	while (!f->done) {
		usleep(100);
		loop_run_once(f->loop);
	}
}

static inline void begin(struct fixture *f)
{
	f->done = false;
	f->err = (struct err){0};
	f->duplicate[0] = '\0';
	f->count = 0;
}

static inline void on_done(void *owner, const struct err *e)
{
	struct fixture *f = owner;

	f->done = true;
	if (e)
		f->err = *e;
}

static inline void store_start(struct fixture *f)
{
	struct db_tenant tenants[2] = {{"acme", f->acme}, {"vesper", f->vesper}};
	struct db_options options = {.name = "store",
				     .dialect = DIALECT_SQLITE,
				     .create = true,
				     .workers = 2,
				     .tenants = tenants,
				     .tenant_count = 2};
	struct err e;

	if (!db_open(f->loop, &options, &f->db, &e) ||
	    !store_new(f->loop, f->db, VESPER_SOURCE_DIR, &f->store, &e))
		fail_msg("%s", e.text);
}

static inline void migrate(struct fixture *f, const char *tenant)
{
	begin(f);
	store_migrate(f->store, tenant, on_done, f);
	assert_false(f->done);
	wait_done(f);
	if (f->err.code != ERR_NONE)
		fail_msg("%s", f->err.text);
}

static inline int fixture_setup_unmigrated(void **state)
{
	struct fixture *f = mem_alloc(sizeof(*f));

	assert_true(loop_new(&f->loop, NULL));
	strcpy(f->dir, "/tmp/vesper-store-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->acme, sizeof(f->acme), "%s/acme.db", f->dir);
	snprintf(f->vesper, sizeof(f->vesper), "%s/vesper.db", f->dir);
	f->arena = arena_new(1 << 20);
	store_start(f);
	*state = f;
	return 0;
}

static inline int fixture_setup(void **state)
{
	fixture_setup_unmigrated(state);
	migrate(*state, "acme");
	migrate(*state, "vesper");
	return 0;
}

/* True if any of acme's files, including the write-ahead log, contains the text. */
static inline bool files_contain(struct fixture *f, const char *text)
{
	static const char *const suffixes[] = {"", "-wal", "-journal"};
	bool found = false;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		const char *path = arena_printf(f->arena, "%s%s", f->acme, suffixes[i]);
		struct str bytes;
		struct err e;

		if (access(path, F_OK) != 0)
			continue;
		if (!file_read_bytes(path, 1 << 26, f->arena, &bytes, &e))
			fail_msg("%s", e.text);
		found = found || memmem(bytes.p, bytes.n, text, strlen(text));
	}
	return found;
}

static inline int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
	(void)info;
	(void)kind;
	(void)where;
	return remove(path);
}

static inline int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	store_free(&f->store);
	db_close(&f->db);
	loop_free(&f->loop);
	arena_free(&f->arena);
	nftw(f->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	health_reset();
	metric_reset();
	mem_free(f);
	return 0;
}

static inline const char *id_new(struct fixture *f)
{
	return arena_strdup(f->arena, uuid_new().text);
}

static inline struct message user_message(struct fixture *f, const char *session,
					  const char *content)
{
	return (struct message){.message_id = id_new(f),
				.session_id = session,
				.turn_id = id_new(f),
				.role = "user",
				.content = content,
				.status = MESSAGE_COMPLETE};
}

static inline struct message answer_to(struct fixture *f, const struct message *question,
				       const char *content)
{
	return (struct message){.message_id = id_new(f),
				.session_id = question->session_id,
				.turn_id = question->turn_id,
				.role = "assistant",
				.content = content,
				.status = MESSAGE_COMPLETE,
				.provider = "rules"};
}

static inline void on_begun(void *owner, const struct beginning *begun, const struct err *e)
{
	struct fixture *f = owner;

	f->done = true;
	if (e)
		f->err = *e;
	if (begun->duplicate_turn)
		snprintf(f->duplicate, sizeof(f->duplicate), "%s", begun->duplicate_turn);
	f->begun = *begun;
}

static inline enum err_code begin_turn(struct fixture *f, const struct principal *who,
				       const struct message *m, size_t history)
{
	begin(f);
	store_begin(f->store, who, m, history, f->arena, on_begun, f);
	assert_false(f->done);
	wait_done(f);
	return f->err.code;
}

static inline enum err_code accept_message(struct fixture *f, const struct principal *who,
					   const struct message *m)
{
	return begin_turn(f, who, m, 1);
}

static inline enum err_code store_answer_and_wait(struct fixture *f, const struct principal *who,
						  const struct message *m)
{
	begin(f);
	store_answer(f->store, who, m, on_done, f);
	wait_done(f);
	return f->err.code;
}

static inline void on_messages(void *owner, const struct message *messages, size_t count,
			       bool has_more, const struct err *e)
{
	struct fixture *f = owner;

	f->done = true;
	if (e)
		f->err = *e;
	f->messages = arena_alloc(f->arena, (count + 1) * sizeof(*messages));
	if (count > 0)
		memcpy(f->messages, messages, count * sizeof(*messages));
	f->count = count;
	f->has_more = has_more;
}

static inline enum err_code read_messages(struct fixture *f, const struct principal *who,
					  const char *session, const char *after, size_t limit)
{
	begin(f);
	store_messages(f->store, who, session, after, limit, f->arena, on_messages, f);
	wait_done(f);
	return f->err.code;
}

static inline void on_sessions(void *owner, const struct session *sessions, size_t count,
			       bool has_more, const struct err *e)
{
	struct fixture *f = owner;

	f->done = true;
	if (e)
		f->err = *e;
	f->sessions = arena_alloc(f->arena, (count + 1) * sizeof(*sessions));
	if (count > 0)
		memcpy(f->sessions, sessions, count * sizeof(*sessions));
	f->count = count;
	f->has_more = has_more;
}

static inline void read_sessions(struct fixture *f, const struct principal *who, const char *after,
				 size_t limit)
{
	const struct sessions_page page = {.after_id = after, .limit = limit};

	begin(f);
	store_sessions(f->store, who, &page, f->arena, on_sessions, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
}

static inline void on_session(void *owner, const struct session *session, const struct err *e)
{
	on_sessions(owner, session, session ? 1 : 0, false, e);
}

static inline enum err_code read_session(struct fixture *f, const struct principal *who,
					 const char *session)
{
	begin(f);
	store_session(f->store, who, session, f->arena, on_session, f);
	wait_done(f);
	return f->err.code;
}

/* Queries a file through a separate connection. */
static inline const char *file_query(struct fixture *f, const char *file, const char *sql)
{
	sqlite3_stmt *statement;
	sqlite3 *native;
	char *text = NULL;

	assert_int_equal(sqlite3_open(file, &native), SQLITE_OK);
	if (sqlite3_prepare_v2(native, sql, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(native));
	if (sqlite3_step(statement) == SQLITE_ROW)
		text = arena_strdup(f->arena, (const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	sqlite3_close(native);
	return text;
}

static inline void file_exec(const char *file, const char *sql)
{
	sqlite3 *native;

	assert_int_equal(sqlite3_open(file, &native), SQLITE_OK);
	if (sqlite3_exec(native, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(native));
	sqlite3_close(native);
}

#define STORE_TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)
#define STORE_TEST_UNMIGRATED(f)                                                                   \
	cmocka_unit_test_setup_teardown(f, fixture_setup_unmigrated, fixture_teardown)

#endif
