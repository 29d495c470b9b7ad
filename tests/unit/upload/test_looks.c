/* A tenant's rows are read only as often as waiting callers need. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "recording_db.h"
#include "small_root.h"
#include "upload_int.h"
#include "vesper/store.h"

struct fixture {
	struct loop *loop;
	struct recording_db rows, loader;
	struct db *db, *loader_db;
	struct store *store;
	struct temp_root root;
	struct catalog *catalog;
	char spool[64];
	struct uploads *uploads;
	size_t callback_count;
	struct refresh_wait wait;
	struct deferred deferred;
	bool joins_read; /* a wait starts while the next stamp is being read */
	/* contents of the tables, if `source` is not NULL */
	const char *source,
		*next_source; /* `next_source`: replaces `source` after its next read; or NULL */
	const char *versions[3];
	char heartbeat_version[UUID_BYTES], *since; /* values of the last statements */
};

static struct llm *no_llm(void *owner)
{
	(void)owner;
	return NULL;
}

static struct catalog *get_catalog(void *owner, const char *tenant)
{
	const struct fixture *f = owner;

	(void)tenant;
	return f->catalog;
}

static void on_refreshed(void *owner)
{
	struct fixture *f = owner;

	f->callback_count++;
}

static void on_joined(void *owner)
{
	struct fixture *f = owner;

	uploads_refresh_then(uploads_tenant(f->uploads, "acme"), &f->wait, on_refreshed, f);
}

static const char *statement_name(const struct source_statement *s)
{
	const char *slash = strrchr(s->name, '/');

	return slash ? slash + 1 : s->name;
}

static void record_values(struct fixture *f, const struct source_statement *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const char *text = s->values[i].type == VALUE_TEXT ? s->values[i].text : NULL;

		if (strcmp(statement_name(s), "version_beat") == 0 && text && text[0] == 'v')
			snprintf(f->heartbeat_version, sizeof(f->heartbeat_version), "%s", text);
		if (strcmp(statement_name(s), "sources") == 0 && text && text[0] == '2')
			f->since = arena_strdup(f->rows.arena, text);
	}
}

/* Adds the current rows; a source has ID, name, visibility, etag and time. */
static void add_table(struct fixture *f, const struct source_statement *s)
{
	const char *at = strrchr(f->source, '|') + 1;
	char stamp[200];

	snprintf(stamp, sizeof(stamp), "1|%c|%s|%s|0||", at[-2], at, at);
	if (strcmp(statement_name(s), "sources_stamp") == 0)
		recording_db_table(
			&f->rows,
			"sources|etags|oldest|newest|versions|oldest_version|newest_version", stamp,
			NULL);
	else if (strcmp(statement_name(s), "source_versions") == 0)
		recording_db_table(&f->rows, "version_uid|source_uid|number|state|updated_at",
				   f->versions[0], f->versions[1], NULL);
	else if (strcmp(statement_name(s), "sources") == 0)
		recording_db_table(&f->rows, "source_uid|name|visibility|etag|updated_at",
				   f->source, NULL);
	else
		recording_db_table(&f->rows, "source_uid", NULL);
	if (strcmp(statement_name(s), "sources") == 0 && f->next_source) {
		f->source = f->next_source;
		f->next_source = NULL;
	}
}

/* Records the request and returns its tables later. */
static struct op *query(void *self, const struct db_request *request, db_cb cb, void *owner)
{
	struct fixture *f = self;

	if (f->joins_read && request->statement_count == 1)
		loop_defer(f->loop, &f->deferred, on_joined, f);
	f->joins_read = f->joins_read && request->statement_count != 1;
	for (size_t i = 0; i < request->statement_count; i++) {
		record_values(f, &request->statements[i]);
		if (f->source)
			add_table(f, &request->statements[i]);
	}
	return recording_db_query(&f->rows, request, cb, owner);
}

static void close_rows(void *self)
{
	(void)self;
}

static const struct db_driver driver = {.name = "rows", .query = query, .close = close_rows};

static void run_until(struct fixture *f, size_t callback_count, int queries)
{
	while (f->callback_count < callback_count || f->rows.queries < queries) {
		usleep(100);
		loop_run_once(f->loop);
	}
}

static int set_up(void **state)
{
	static const struct db_tenant tenants[] = {{"acme", "/nowhere"}};
	struct fixture *f = calloc(1, sizeof(*f));
	struct uploads_options o = {.tenants = tenants,
				    .tenant_count = 1,
				    .llm = no_llm,
				    .catalog = get_catalog,
				    .index_bytes = 1 << 20,
				    .owner = f};
	struct err e = {0};

	assert_true(loop_new(&f->loop, NULL));
	recording_db_init(&f->rows, f->loop);
	recording_db_init(&f->loader, f->loop);
	f->db = db_from_driver(&driver, f, DIALECT_SQLITE);
	f->loader_db = db_from_driver(&recording_db_driver, &f->loader, DIALECT_SQLITE);
	f->root = small_root_new();
	strcpy(f->spool, "/tmp/vesper-looks-XXXXXX");
	assert_non_null(mkdtemp(f->spool));
	if (!store_new(f->loop, f->db, VESPER_SOURCE_DIR, &f->store, &e) ||
	    !catalog_load((const char *const[]){f->root.path, NULL}, NULL, &f->catalog, &e))
		fail_msg("%s", e.text);
	o.loop = f->loop;
	o.store = f->store;
	o.loader = f->loader_db;
	o.spool_dir = f->spool;
	if (!uploads_new(&o, &f->uploads, &e))
		fail_msg("%s", e.text);
	uploads_start(f->uploads, true, on_refreshed, f);
	run_until(f, 1, 1);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	uploads_free(&f->uploads);
	store_free(&f->store);
	db_close(&f->db);
	db_close(&f->loader_db);
	catalog_unref(&f->catalog);
	recording_db_deinit(&f->rows);
	recording_db_deinit(&f->loader);
	loop_free(&f->loop);
	temp_root_free(&f->root);
	rmdir(f->spool);
	free(f);
	return 0;
}

/* The stamp being read may be older than the change, so the rows are read once after it. A caller
 * who waited for another stamp would have to wait for the next round. */
static void change_during_stamp_read_needs_one_read(void **state)
{
	struct fixture *f = *state;
	int before = f->rows.queries;

	f->joins_read = true;
	run_until(f, 2, before + 2);
	assert_false(f->joins_read);
	assert_int_equal(f->rows.queries, before + 2);
	assert_int_equal(f->rows.statement_count, 4);
}

/* All callers that start to wait during a read are called after one more read. */
static void changes_during_read_need_one_more_read(void **state)
{
	struct fixture *f = *state;
	struct tenant_uploads *t = uploads_tenant(f->uploads, "acme");
	struct refresh_wait waits[10];
	int before = f->rows.queries;

	for (size_t i = 0; i < 10; i++)
		uploads_refresh_then(t, &waits[i], on_refreshed, f);
	run_until(f, 11, before + 2);
	assert_int_equal(f->rows.queries, before + 2);
}

static struct tenant_uploads *refresh_and_wait(struct fixture *f)
{
	struct tenant_uploads *t = uploads_tenant(f->uploads, "acme");
	size_t callback_count = f->callback_count;

	uploads_refresh_then(t, &f->wait, on_refreshed, f);
	run_until(f, callback_count + 1, 0);
	return t;
}

/* Another replica withdraws a share between two statements of a read. */
static void reads_change_made_during_read(void **state)
{
	struct fixture *f = *state;
	struct tenant_uploads *t;
	int before;

	f->source = "s1|One|tenant|1|2026-01-01T00:00:00.000Z";
	f->next_source = "s1|One|private|2|2026-01-02T00:00:00.000Z";
	t = refresh_and_wait(f);
	before = f->rows.queries;
	run_until(f, 0, before + 1);
	for (int i = 0; i < 100 && uploads_source(t, "s1")->etag == 1; i++)
		loop_run_once(f->loop);
	assert_int_equal(uploads_source(t, "s1")->etag, 2);
}

/* The newest change has a date in the future. */
static void reads_changes_after_clock_was_set_back(void **state)
{
	struct fixture *f = *state;

	f->source = "s1|One|private|1|2999-01-01T00:00:00.000Z";
	refresh_and_wait(f);
	refresh_and_wait(f);
	assert_non_null(f->since);
	assert_true(strcmp(f->since, "2900") < 0);
}

static void joins_do_not_retain_rows(void **state)
{
	static char row[200000];
	struct fixture *f = *state;

	memset(row, 'x', sizeof(row));
	memcpy(row, "s1|", 3);
	strcpy(row + sizeof(row) - 50, "|private|1|2026-01-01T00:00:00.000Z");
	f->source = row;
	assert_true(arena_bytes(refresh_and_wait(f)->joins.arena) < sizeof(row) / 2);
}

/* A local load sends heartbeats, even if a newer version exists. */
static void every_local_load_has_a_heartbeat(void **state)
{
	struct fixture *f = *state;
	struct tenant_uploads *t = uploads_tenant(f->uploads, "acme");
	struct load load = {.version = "v1"};

	f->uploads->is_exclusive = false;
	t->load = &load;
	f->source = "s1|One|private|1|2026-01-01T00:00:00.000Z";
	f->versions[0] = "v1|s1|1|reading|2020-01-01T00:00:00.000Z";
	f->versions[1] = "v2|s1|2|asking|2999-01-01T00:00:00.000Z";
	refresh_and_wait(f);
	t->load = NULL;
	assert_string_equal(f->heartbeat_version, "v1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(change_during_stamp_read_needs_one_read, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(changes_during_read_need_one_more_read, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(reads_change_made_during_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_changes_after_clock_was_set_back, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(joins_do_not_retain_rows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(every_local_load_has_a_heartbeat, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
