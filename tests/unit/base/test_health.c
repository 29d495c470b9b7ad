/* Checks and metrics, up to the last name and past it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "vesper/health.h"
#include "vesper/limits.h"

static int teardown(void **state)
{
	(void)state;
	health_reset();
	return 0;
}

static void on_check(void *owner, const char *check, enum health_state state, const char *note)
{
	buf_printf(owner, "%s=%s(%s) ", check, health_state_name(state), note);
}

static void readiness(void **state)
{
	(void)state;
	assert_true(health_ready());
	health_set("store", HEALTH_REQUIRED, HEALTH_DOWN, "no answer for %d s", 5);
	health_set("llm:x", HEALTH_HELPFUL, HEALTH_DOWN, "breaker open");
	assert_false(health_ready());
	health_set("store", HEALTH_REQUIRED, HEALTH_DEGRADED, "slow");
	assert_true(health_ready());
	assert_false(health_healthy());
	health_draining(true);
	assert_false(health_ready());
	health_draining(false);
	struct buf b;
	buf_init(&b, 1000);
	health_each(on_check, &b);
	assert_string_equal(buf_text(&b), "store=degraded(slow) llm:x=unhealthy(breaker open) ");
	buf_deinit(&b);
	health_remove("llm:x");
	health_remove("never was");
	health_set("store", HEALTH_REQUIRED, HEALTH_OK, "%s", "");
	assert_true(health_healthy());
}

static void on_waiting(void *owner, const char *tenant)
{
	buf_printf(owner, "%s ", tenant);
}

static void a_tenant_waits_alone(void **state)
{
	struct buf waiting;

	(void)state;
	buf_init(&waiting, 1024);
	health_set("store:a", HEALTH_REQUIRED_BY_TENANT, HEALTH_OK, "connected");
	health_set("store:b", HEALTH_REQUIRED_BY_TENANT, HEALTH_OK, "connected");
	health_set("start:b", HEALTH_REQUIRED_BY_TENANT, HEALTH_DOWN, "damaged");
	health_set("warehouse:a", HEALTH_HELPFUL, HEALTH_DOWN, "away");
	assert_true(health_ready());
	health_each_waiting(on_waiting, &waiting);
	assert_string_equal(buf_text(&waiting), "b ");
	health_set("store:a", HEALTH_REQUIRED_BY_TENANT, HEALTH_DOWN, "damaged too");
	assert_false(health_ready());
	health_remove("start:b");
	assert_true(health_ready());
	health_set("identity", HEALTH_REQUIRED, HEALTH_DOWN, "no keys");
	assert_false(health_ready());
	buf_deinit(&waiting);
}

static void metrics_add_set_and_print(void **state)
{
	(void)state;
	metric_add("a_total{x=\"2\"}", 2);
	metric_add("a_total{x=\"1\"}", 1);
	metric_add("a_total", 5);
	metric_add("a_total_b", 1);
	metric_add("a_total", 1);
	metric_set("gauge", 7);
	metric_set("gauge", -3);
	assert_int_equal(metric_get("a_total"), 6);
	assert_int_equal(metric_get("unknown"), 0);
	struct buf b;
	buf_init(&b, 1000);
	metric_text(&b);
	assert_string_equal(buf_text(&b), "# TYPE a_total counter\n"
					  "a_total 6\n"
					  "a_total{x=\"1\"} 1\n"
					  "a_total{x=\"2\"} 2\n"
					  "# TYPE a_total_b counter\n"
					  "a_total_b 1\n"
					  "# TYPE gauge gauge\n"
					  "gauge -3\n");
	buf_deinit(&b);
}

static void names_are_capped(void **state)
{
	(void)state;
	char name[40];
	for (int i = 0; i < METRICS_MAX + 100; i++) {
		snprintf(name, sizeof(name), "m%d", i);
		metric_add(name, 1);
	}
	assert_int_equal(metric_get("m0"), 1);
	assert_int_equal(metric_get("m2046"), 1);
	assert_int_equal(metric_get("m2047"), 0);
	assert_int_equal(metric_get("vesper_metrics_other"), 101);
	metric_add("m0", 1);
	assert_int_equal(metric_get("m0"), 2);
}

static void *count(void *unused)
{
	(void)unused;
	for (int i = 0; i < 20000; i++)
		metric_add("shared_total", 1);
	return NULL;
}

static void workers_count_too(void **state)
{
	(void)state;
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(metric_get("shared_total"), 60000);
}

static void labels_make_the_same_name(void **state)
{
	const struct metric_label labels[] = {{"tool", "t"}, {"outcome", "rows"}};
	char long_value[400];
	const struct metric_label too_long = {"query", long_value};

	(void)state;
	metric_add_labels("vesper_labelled_total", labels, 2, 3);
	metric_add("vesper_labelled_total{tool=\"t\",outcome=\"rows\"}", 4);
	assert_int_equal(metric_get("vesper_labelled_total{tool=\"t\",outcome=\"rows\"}"), 7);
	metric_add_labels("vesper_labelled_total", labels, 1, 1);
	assert_int_equal(metric_get("vesper_labelled_total{tool=\"t\"}"), 1);
	memset(long_value, 'x', sizeof(long_value) - 1);
	long_value[sizeof(long_value) - 1] = '\0';
	metric_add_labels("vesper_labelled_total", &too_long, 1, 1); /* cut, not written beyond */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_make_the_same_name),
		cmocka_unit_test_teardown(readiness, teardown),
		cmocka_unit_test_teardown(a_tenant_waits_alone, teardown),
		cmocka_unit_test_teardown(metrics_add_set_and_print, teardown),
		cmocka_unit_test_teardown(names_are_capped, teardown),
		cmocka_unit_test_teardown(workers_count_too, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
