/* Health checks report the state of each tenant's database; metrics count queries. */
#include "db_test.h"
#include "vesper/metric.h"

struct check_result {
	const char *check;
	bool found;
	enum health_state state;
	char note[200];
};

static void on_check(void *owner, const char *check, enum health_state state, const char *note)
{
	struct check_result *s = owner;

	if (strcmp(check, s->check) != 0)
		return;
	s->found = true;
	s->state = state;
	snprintf(s->note, sizeof(s->note), "%s", note);
}

static struct check_result check_state(const char *check)
{
	struct check_result s = {.check = check};

	health_each(on_check, &s);
	return s;
}

static void wait_for_check(struct fixture *f, const char *check, enum health_state state)
{
	for (int i = 0; i < 8000; i++) {
		struct check_result s = check_state(check);

		if (s.found && s.state == state)
			return;
		usleep(1000);
		loop_run_once(f->loop);
	}
	fail_msg("%s did not reach the expected state", check);
}

static void each_tenant_has_a_health_check(void **state)
{
	struct fixture *f = *state;

	tenant_file_make(f->acme, "acme");
	fixture_open(f, true);
	assert_false(check_state("warehouse:acme").found); /* no check before the first probe */
	db_watch(f->db, NULL);
	wait_for_check(f, "warehouse:acme", HEALTH_OK);
	wait_for_check(f, "warehouse:vesper", HEALTH_DOWN);
	assert_non_null(strstr(check_state("warehouse:vesper").note, "unable to open"));
	assert_true(health_is_ready()); /* a missing warehouse does not affect readiness */
	assert_false(health_is_healthy());
	db_close(&f->db);
	assert_false(check_state("warehouse:acme").found);
}

static void watches_only_listed_tenants(void **state)
{
	struct fixture *f = *state;

	tenant_file_make(f->acme, "acme");
	tenant_file_make(f->vesper, "vesper");
	fixture_open(f, true);
	db_watch(f->db, (const char *const[]){"acme", "nobody", NULL});
	wait_for_check(f, "warehouse:acme", HEALTH_OK);
	assert_false(check_state("warehouse:vesper").found);
	db_watch(f->db, (const char *const[]){"vesper", NULL});
	wait_for_check(f, "warehouse:vesper", HEALTH_OK);
	assert_false(check_state("warehouse:acme").found);
}

static void detects_recovered_database(void **state)
{
	struct fixture *f = *state;

	tenant_file_make(f->acme, "acme");
	fixture_open(f, true);
	db_watch(f->db, NULL);
	wait_for_check(f, "warehouse:vesper", HEALTH_DOWN);
	tenant_file_make(f->vesper, "vesper");
	wait_for_check(f, "warehouse:vesper", HEALTH_OK); /* detected by the periodic probe */
}

static void store_outage_ends_readiness(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, false);

	options.create = false;
	options.tenant_count = 1;
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	db_watch(f->db, NULL);
	wait_for_check(f, "store:acme", HEALTH_DOWN);
	assert_false(health_is_ready());
}

static void failed_statement_does_not_affect_health(void **state)
{
	struct fixture *f = *state;

	tenant_file_make(f->acme, "acme");
	tenant_file_make(f->vesper, "vesper");
	fixture_open(f, true);
	db_watch(f->db, NULL);
	wait_for_check(f, "warehouse:acme", HEALTH_OK);
	query_error(f, "acme", "SELECT nonsense");
	assert_int_equal(check_state("warehouse:acme").state, HEALTH_OK);
}

static void counts_queries(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	tenant_file_make(f->acme, "acme");
	fixture_open(f, true);
	t = query_table(f, "acme", "SELECT 1", NULL, 0);
	table_free(&t);
	query_error(f, "acme", "SELECT nonsense");
	assert_int_equal(
		metric_get("vesper_sql_query_duration_microseconds_count{query=\"test/main\"}"), 2);
	assert_true(metric_get("vesper_sql_query_duration_microseconds_sum{query=\"test/main\"}") >
		    0);
	assert_int_equal(
		metric_get("vesper_sql_query_errors_total{query=\"test/main\",code=\"internal\"}"),
		1);
	assert_int_equal(
		metric_get("vesper_sql_pool_connections{source=\"warehouse\",state=\"idle\"}"), 1);
	assert_int_equal(
		metric_get("vesper_sql_pool_connections{source=\"warehouse\",state=\"busy\"}"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(each_tenant_has_a_health_check),
		DB_TEST(watches_only_listed_tenants),
		DB_TEST(detects_recovered_database),
		DB_TEST(store_outage_ends_readiness),
		DB_TEST(failed_statement_does_not_affect_health),
		DB_TEST(counts_queries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
