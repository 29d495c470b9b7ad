/* Health checks, and readiness by tenant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "vesper/health.h"
#include "vesper/str.h"

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

static void required_checks_decide_readiness(void **state)
{
	(void)state;
	assert_true(health_is_ready());
	health_set("store", HEALTH_REQUIRED, HEALTH_DOWN, "no answer for %d s", 5);
	health_set("llm:x", HEALTH_OPTIONAL, HEALTH_DOWN, "breaker open");
	assert_false(health_is_ready());
	health_set("store", HEALTH_REQUIRED, HEALTH_DEGRADED, "slow");
	assert_true(health_is_ready());
	assert_false(health_is_healthy());
	health_set_draining(true);
	assert_false(health_is_ready());
	health_set_draining(false);
	struct buf b;
	buf_init(&b, 1000);
	health_each(on_check, &b);
	assert_string_equal(buf_text(&b), "store=degraded(slow) llm:x=unhealthy(breaker open) ");
	buf_deinit(&b);
	health_remove("llm:x");
	health_remove("unknown");
	health_set("store", HEALTH_REQUIRED, HEALTH_OK, "%s", "");
	assert_true(health_is_healthy());
}

static void on_waiting(void *owner, const char *tenant)
{
	buf_printf(owner, "%s ", tenant);
}

static void waiting_tenant_does_not_affect_others(void **state)
{
	struct buf waiting;

	(void)state;
	buf_init(&waiting, 1024);
	health_set("store:a", HEALTH_REQUIRED_BY_TENANT, HEALTH_OK, "connected");
	health_set("store:b", HEALTH_REQUIRED_BY_TENANT, HEALTH_OK, "connected");
	health_set("start:b", HEALTH_REQUIRED_BY_TENANT, HEALTH_DOWN, "damaged");
	health_set("warehouse:a", HEALTH_OPTIONAL, HEALTH_DOWN, "unavailable");
	assert_true(health_is_ready());
	health_each_waiting(on_waiting, &waiting);
	assert_string_equal(buf_text(&waiting), "b ");
	health_set("store:a", HEALTH_REQUIRED_BY_TENANT, HEALTH_DOWN, "damaged too");
	assert_false(health_is_ready());
	health_remove("start:b");
	assert_true(health_is_ready());
	health_set("identity", HEALTH_REQUIRED, HEALTH_DOWN, "no keys");
	assert_false(health_is_ready());
	buf_deinit(&waiting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(required_checks_decide_readiness, teardown),
		cmocka_unit_test_teardown(waiting_tenant_does_not_affect_others, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
