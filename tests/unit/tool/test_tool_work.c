/* Post-processing of rows: short results on the loop, long ones on a worker, from which a cancelled
 * call detaches. Also run with TSan. */
#include "tool_test.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "vesper/limits.h"
#include "vesper/pool.h"

static struct pool *workers;
static pthread_t loop_thread;
static sem_t entered, may_continue;
static bool should_wait;            /* the next derivation waits for may_continue */
static atomic_bool derived_on_loop; /* of the last derivation */

static void derive(struct result *r, struct arena *a)
{
	const struct table *t = r->tables[0];
	const char **cells = arena_alloc(a, t->row_count * sizeof(*cells));

	derived_on_loop = pthread_equal(pthread_self(), loop_thread);
	if (should_wait) {
		sem_post(&entered);
		sem_wait(&may_continue);
	}
	for (size_t i = 0; i < t->row_count; i++)
		cells[i] = arena_printf(a, "%zu", i);
	table_add_column(r->tables[0], "Price", COLUMN_DECIMAL, cells);
	result_add_fact(r, a,
			(struct fact){.name = "rows",
				      .label = args_text(&r->args, "hub", a),
				      .value = arena_printf(a, "%zu", t->row_count)});
}

static bool run_and_derive(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, derive, e);
}

static const struct tool_entry entries[] = {{"get_price", run_and_derive}, {0}};
static const struct domain module = {"prices", "energy", entries, NULL};
static const struct domain *const modules[] = {&module, NULL};

static void open_with(struct pool *pool)
{
	add_header("-- fact rows type=int Rows of the hub\n");
	const struct toolbox_options options = {.loop = loop,
						.catalog = catalog,
						.sources = sources_of(warehouse),
						.modules = modules,
						.workers = pool};
	struct err e = {0};

	toolbox_free(&box);
	if (!toolbox_new(&options, &box, &e))
		fail_msg("%s", e.text);
}

static int set_up_workers(void **state)
{
	set_up(state);
	loop_thread = pthread_self();
	sem_init(&entered, 0, 0);
	sem_init(&may_continue, 0, 0);
	should_wait = false;
	workers = pool_new(loop, "tools", 2);
	open_with(workers);
	return 0;
}

static int tear_down_workers(void **state)
{
	toolbox_free(&box);
	pool_free(&workers);
	sem_destroy(&entered);
	sem_destroy(&may_continue);
	return tear_down(state);
}

static void prepare_rows(size_t count)
{
	struct table *t;
	const char **row;

	recording_db_table(&recorded, "Hub", "E1", NULL);
	t = recorded.tables[recorded.table_count - 1];
	row = t->rows[0];
	t->rows = arena_alloc(t->arena, count * sizeof(*t->rows));
	for (size_t i = 0; i < count; i++)
		t->rows[i] = row;
	t->row_count = count;
	t->total_rows = (int64_t)count;
}

static const struct result *call_with_rows(size_t rows)
{
	const struct tool_request request = {.call = "c1",
					     .agent = "price_agent",
					     .tool = "get_price",
					     .args = json_pack("{s:s}", "hub", "E1"),
					     .who = &who,
					     .today = {2026, 2, 27}};

	prepare_rows(rows);
	start(&request);
	json_decref((json_t *)request.args);
	while (answers == 0)
		loop_run_once(loop);
	assert_int_equal(answers, 1);
	return answer;
}

static void check_result(const struct result *r, size_t rows)
{
	char hash[HASH_HEX_BYTES], count[32];

	snprintf(count, sizeof(count), "%zu", rows);
	assert_int_equal(r->outcome.kind, OUTCOME_ROWS);
	assert_int_equal(r->table_count, 1);
	assert_int_equal(r->tables[0]->row_count, rows);
	assert_string_equal(r->tables[0]->columns[1].label,
			    "Average price"); /* as the header declares */
	assert_string_equal(result_fact(r, "rows")->value, count);
	assert_string_equal(result_fact(r, "rows")->label, "E1");
	result_hash(r, hash);
	assert_string_equal(r->hash, hash);
	assert_true(r->read_ms > 0);
}

static void few_rows_run_on_the_loop(void **state)
{
	(void)state;
	check_result(call_with_rows(TOOL_LOOP_ROWS), TOOL_LOOP_ROWS);
	assert_true(derived_on_loop);
}

static void many_rows_run_on_a_worker(void **state)
{
	(void)state;
	check_result(call_with_rows(TOOL_LOOP_ROWS + 1), TOOL_LOOP_ROWS + 1);
	assert_false(derived_on_loop);
}

static void loop_and_worker_give_the_same_hash(void **state)
{
	char hash[HASH_HEX_BYTES];

	(void)state;
	memcpy(hash, call_with_rows(1000)->hash, sizeof(hash));
	open_with(NULL);
	assert_string_equal(call_with_rows(1000)->hash, hash);
	assert_true(derived_on_loop);
}

/* The turn's arena and the catalogue reference are freed before the worker ends. */
static void cancelled_call_detaches_its_worker(void **state)
{
	const struct tool_request request = {.call = "c1",
					     .agent = "price_agent",
					     .tool = "get_price",
					     .args = json_pack("{s:s}", "hub", "E1"),
					     .who = &who,
					     .today = {2026, 2, 27}};
	struct op *op;

	(void)state;
	should_wait = true;
	prepare_rows(5000);
	op = start(&request);
	json_decref((json_t *)request.args);
	while (sem_trywait(&entered) != 0) {
		assert_int_equal(answers, 0);
		loop_run_once(loop);
	}
	assert_int_equal(pool_idle(workers), 1);
	op_cancel(&op);
	arena_free(&arena);
	toolbox_free(&box);
	catalog_unref(&catalog);
	sem_post(&may_continue);
	pool_free(&workers);
	assert_int_equal(answers, 0);
}

static void concurrent_calls_all_end(void **state)
{
	const struct tool_request request = {.call = "c1",
					     .agent = "price_agent",
					     .tool = "get_price",
					     .args = json_pack("{s:s}", "hub", "E1"),
					     .who = &who,
					     .today = {2026, 2, 27}};
	int ended = 0;

	(void)state;
	should_wait = true;
	for (int i = 0; i < 4; i++) {
		prepare_rows(300);
		start(&request);
		while (recorded.running)
			loop_run_once(loop);
	}
	for (int i = 0; i < 4; i++)
		sem_post(&may_continue);
	for (ended = answers; ended < 4; ended = answers)
		loop_run_once(loop);
	json_decref((json_t *)request.args);
	assert_int_equal(pool_idle(workers), 2);
}

#define WORK(name) cmocka_unit_test_setup_teardown(name, set_up_workers, tear_down_workers)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORK(few_rows_run_on_the_loop),           WORK(many_rows_run_on_a_worker),
		WORK(loop_and_worker_give_the_same_hash), WORK(cancelled_call_detaches_its_worker),
		WORK(concurrent_calls_all_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
