/* Concurrent uploads of one tenant, with a real store. */
#include "../store/store_test.h"
#include "small_root.h"
#include "upload_int.h"

#define FILE_TEXT "thing,count\napples,1\npears,2\n"

struct spool {
	struct fixture *f;
	struct temp_root root;
	struct catalog *catalog;
	struct stream_hub *streams;
	struct db *loader;
	struct op load;
	char dir[96];
	struct uploads *uploads;
	bool started;
};

static struct llm *no_llm(void *owner)
{
	(void)owner;
	return NULL;
}

static struct catalog *get_catalog(void *owner, const char *tenant)
{
	const struct spool *s = owner;

	(void)tenant;
	return s->catalog;
}

static void on_cancel(struct op *op)
{
	(void)op;
}

/* The loader never calls back, so loads stay queued. */
static struct op *query_without_reply(void *self, const struct db_request *request, db_cb cb,
				      void *owner)
{
	struct spool *s = self;

	(void)request;
	(void)cb;
	(void)owner;
	s->load.cancel = on_cancel;
	return &s->load;
}

static void close_loader(void *self)
{
	(void)self;
}

static const struct db_driver driver = {
	.name = "never", .query = query_without_reply, .close = close_loader};

static void on_started(void *owner)
{
	((struct spool *)owner)->started = true;
}

static void on_wake(void *owner)
{
	(void)owner;
}

static void run_loop_once(const struct spool *s)
{
	usleep(100);
	loop_run_once(s->f->loop);
}

static int set_up(void **state)
{
	struct spool *s = calloc(1, sizeof(*s));
	static struct db_tenant tenant = {.id = "acme"};
	struct uploads_options o = {.tenants = &tenant,
				    .tenant_count = 1,
				    .llm = no_llm,
				    .catalog = get_catalog,
				    .max_bytes = 1 << 20,
				    .tenant_bytes = 2 * strlen(FILE_TEXT) - 1,
				    .index_bytes = 1 << 20,
				    .owner = s};
	struct err e = {0};

	fixture_setup_unmigrated((void **)&s->f);
	migrate(s->f, "acme");
	tenant.file = s->f->acme;
	s->root = small_root_new();
	if (!catalog_load((const char *const[]){s->root.path, NULL}, NULL, &s->catalog, &e))
		fail_msg("%s", e.text);
	s->streams = stream_hub_new(s->f->loop);
	s->loader = db_from_driver(&driver, s, DIALECT_SQLITE);
	snprintf(s->dir, sizeof(s->dir), "%s/spool", s->f->dir);
	o.loop = s->f->loop;
	o.store = s->f->store;
	o.loader = s->loader;
	o.streams = s->streams;
	o.spool_dir = s->dir;
	if (!uploads_new(&o, &s->uploads, &e))
		fail_msg("%s", e.text);
	uploads_start(s->uploads, true, on_started, s);
	while (!s->started)
		run_loop_once(s);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct spool *s = *state;
	void *f = s->f;

	uploads_free(&s->uploads);
	stream_hub_free(&s->streams);
	db_close(&s->loader);
	catalog_unref(&s->catalog);
	temp_root_free(&s->root);
	fixture_teardown(&f);
	free(s);
	return 0;
}

/* Each file fits the quota, but not both. The first one is not listed yet when the second is
 * checked. */
static void concurrent_uploads_share_quota(void **state)
{
	const struct upload_file file = {
		.who = &ann, .kind = SOURCE_TABLE, .name = "Things.csv", .format = "csv"};
	struct spool *s = *state;
	struct upload *up[2];
	struct err e = {0};
	int done, failed;

	for (int i = 0; i < 2; i++)
		if (!upload_begin(s->uploads, &file, on_wake, s, &up[i], &e))
			fail_msg("%s", e.text);
	for (int round = 0; round < 2; round++) {
		while (!upload_is_ready(up[0]) || !upload_is_ready(up[1]))
			run_loop_once(s);
		for (int i = 0; round == 0 && i < 2; i++)
			upload_take(up[i], FILE_TEXT, strlen(FILE_TEXT));
	}
	upload_end(up[0]);
	upload_end(up[1]);
	do {
		run_loop_once(s);
		done = upload_is_done(up[0]) + upload_is_done(up[1]);
		failed = !!upload_error(up[0]) + !!upload_error(up[1]);
	} while (done + failed < 2);
	assert_int_equal(done, 1);
	assert_int_equal(upload_error(up[upload_is_done(up[0])])->code, ERR_QUOTA);
	upload_free(&up[0]);
	upload_free(&up[1]);
}

/* At shutdown, the rows of one upload are not stored yet, and the load of another is queued. */
static void shuts_down_during_uploads(void **state)
{
	const struct upload_file file = {
		.who = &ann, .kind = SOURCE_TABLE, .name = "Things.csv", .format = "csv"};
	struct spool *s = *state;
	struct upload *up[2];
	struct err e = {0};

	assert_true(upload_begin(s->uploads, &file, on_wake, s, &up[0], &e));
	while (!upload_is_ready(up[0]))
		run_loop_once(s);
	upload_take(up[0], FILE_TEXT, strlen(FILE_TEXT));
	while (!upload_is_ready(up[0]))
		run_loop_once(s);
	upload_end(up[0]);
	while (!upload_is_done(up[0]))
		run_loop_once(s);
	assert_true(upload_begin(s->uploads, &file, on_wake, s, &up[1], &e));
	uploads_free(&s->uploads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(shuts_down_during_uploads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(concurrent_uploads_share_quota, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
