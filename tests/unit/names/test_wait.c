#include "names_test.h"

#include <unistd.h>

#include "recording_db.h"
#include "sources_of.h"
#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/log.h"

/* Waiting for the names of a tenant's data, with a scripted warehouse. */

static const struct param_def params[] = {TEXT("item", .entity = "item", .about = "Item"),
					  TEXT("rack", .entity = "rack", .about = "Rack")};
static const struct tool_def tools[] = {
	TOOL("get_stock", params, price_agents, .about = "Stock of items.")};
static const struct dimension_def dimensions[] = {
	{.name = "item",
	 .index = 0,
	 .filter = "item",
	 .label = "item",
	 .view = "dbo.stock",
	 .source = SOURCE_WAREHOUSE,
	 .column = "name"},
	{.name = "rack",
	 .index = 1,
	 .filter = "rack",
	 .label = "rack",
	 .view = "dbo.racks",
	 .source = SOURCE_WAREHOUSE,
	 .column = "rack"},
};
static const struct catalog stock = {.tools = tools,
				     .tool_count = COUNT(tools),
				     .dimensions = dimensions,
				     .dimension_count = COUNT(dimensions)};
static const char *const tenants[] = {"acme", "vesper", NULL};

struct wait_test {
	struct loop *loop;
	struct recording_db recorded;
	struct db *warehouse;
	struct entity_index *index;
	struct name_refresh *refresh;
	int ended;
};

static int setup(void **state)
{
	struct wait_test *t = mem_alloc(sizeof(*t));
	struct err e;

	log_setup(LOG_ERROR, LOG_TEXT);
	assert_true(loop_new(&t->loop, &e));
	recording_db_init(&t->recorded, t->loop);
	t->warehouse = db_from_driver(&recording_db_driver, &t->recorded, DIALECT_SQLITE);
	t->index = entity_index_new(&stock);
	t->refresh =
		name_refresh_new(&(struct name_refresh_options){.loop = t->loop,
								.sources = sources_of(t->warehouse),
								.tenants = tenants,
								.interval_ms = 1000000});
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct wait_test *t = *state;

	name_refresh_free(&t->refresh);
	entity_index_free(&t->index);
	db_close(&t->warehouse);
	sources_free();
	loop_run_once(t->loop);
	loop_free(&t->loop);
	recording_db_deinit(&t->recorded);
	mem_free(t);
	return 0;
}

static void on_end(void *owner)
{
	((struct wait_test *)owner)->ended++;
}

static struct op *wait_for(struct wait_test *t, const char *tenant)
{
	return entity_index_wait(t->index, t->loop, tenant, on_end, t);
}

static void run_until_ended(struct wait_test *t, int count)
{
	for (int i = 0; i < 60000 && t->ended < count; i++) {
		loop_run_once(t->loop);
		usleep(1000);
	}
	assert_int_equal(t->ended, count);
}

static void run_until_loaded(struct wait_test *t, const char *tenant)
{
	for (int i = 0; i < 60000 && !entity_index_loaded(t->index, tenant); i++) {
		loop_run_once(t->loop);
		usleep(1000);
	}
	assert_true(entity_index_loaded(t->index, tenant));
}

static void does_not_wait_without_warehouse(void **state)
{
	struct wait_test *t = *state;

	assert_true(entity_index_loaded(t->index, "acme"));
}

static void tenant_is_loaded_after_its_last_dimension(void **state)
{
	struct wait_test *t = *state;

	name_refresh_set_index(t->refresh, t->index);
	assert_false(entity_index_loaded(t->index, "acme"));
	wait_for(t, "acme");
	wait_for(t, "acme");
	wait_for(t, "vesper");
	while (t->ended == 0) {
		assert_false(entity_index_loaded(t->index, "acme"));
		loop_run_once(t->loop);
	}
	assert_true(entity_index_loaded(t->index, "acme"));
	assert_int_equal(t->ended, 2);
	assert_false(entity_index_loaded(t->index, "vesper"));
	run_until_ended(t, 3);
	assert_true(entity_index_loaded(t->index, "vesper"));
	assert_int_equal(t->recorded.queries, 4);
}

static void cancels_a_wait(void **state)
{
	struct wait_test *t = *state;
	struct op *op;

	name_refresh_set_index(t->refresh, t->index);
	op = wait_for(t, "acme");
	op_cancel(&op);
	run_until_loaded(t, "vesper");
	assert_int_equal(t->ended, 0);
}

static void wait_times_out(void **state)
{
	struct wait_test *t = *state;
	int64_t began = clock_mono_ms();
	struct err down = {0};

	err_set_retry(&down, ERR_UPSTREAM, "unavailable");
	t->recorded.err = &down;
	name_refresh_set_index(t->refresh, t->index);
	wait_for(t, "acme");
	run_until_ended(t, 1);
	/* libuv timers count from the start of the iteration */
	assert_in_range(clock_mono_ms() - began, ENTITY_INDEX_WAIT_MS - 50, INT32_MAX);
	assert_false(entity_index_loaded(t->index, "acme"));
}

/* The next round is 15 minutes away; missing names are retried early. */
static void retries_missing_names_early(void **state)
{
	struct wait_test *t = *state;
	struct err down = {0};

	err_set_retry(&down, ERR_UPSTREAM, "unavailable");
	t->recorded.err = &down;
	name_refresh_set_index(t->refresh, t->index);
	while (t->recorded.queries < 4 || t->recorded.running)
		loop_run_once(t->loop);
	t->recorded.err = NULL;
	run_until_loaded(t, "acme");
	run_until_loaded(t, "vesper");
	assert_int_equal(t->recorded.queries, 8);
}

/* A retry sends no queries for tenants whose names are loaded. */
static void retry_loads_only_missing_names(void **state)
{
	struct wait_test *t = *state;
	struct err down = {0};

	err_set_retry(&down, ERR_TIMEOUT, "too slow");
	name_refresh_set_index(t->refresh, t->index);
	run_until_loaded(t, "acme");
	assert_int_equal(t->recorded.queries, 3); /* the first query of tenant vesper is running */
	t->recorded.err = &down;
	while (t->recorded.queries < 4 || t->recorded.running)
		loop_run_once(t->loop);
	t->recorded.err = NULL;
	run_until_loaded(t, "vesper");
	assert_in_range(t->recorded.queries, 5, 6);
	assert_string_equal(t->recorded.tenant, "vesper");
}

static void does_not_wait_for_unreadable_dimension(void **state)
{
	struct wait_test *t = *state;
	struct err missing = {0};

	err_set(&missing, ERR_NOT_FOUND, "no such view");
	t->recorded.err = &missing;
	name_refresh_set_index(t->refresh, t->index);
	run_until_loaded(t, "acme");
	run_until_loaded(t, "vesper");
	assert_int_equal(t->recorded.queries, 4); /* each of its dimensions was tried */
}

static void new_book_keeps_loaded_names(void **state)
{
	struct wait_test *t = *state;
	struct entity_index *other = entity_index_new(&stock);

	name_refresh_set_index(t->refresh, t->index);
	run_until_loaded(t, "acme");
	name_refresh_set_index(t->refresh, other);
	entity_index_free(&t->index);
	t->index = other;
	assert_true(entity_index_loaded(t->index, "acme"));
	assert_false(entity_index_loaded(t->index, "vesper"));
	run_until_loaded(t, "vesper");
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(does_not_wait_without_warehouse),
		TEST(tenant_is_loaded_after_its_last_dimension),
		TEST(cancels_a_wait),
		TEST(wait_times_out),
		TEST(retries_missing_names_early),
		TEST(retry_loads_only_missing_names),
		TEST(does_not_wait_for_unreadable_dimension),
		TEST(new_book_keeps_loaded_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
