/* Settings are freed with their arena by the last reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "vesper/settings.h"

struct waits {
	struct settings base;
	int64_t wait_ms;
};

static int freed;

static void on_freed(void *thing)
{
	(void)thing;
	freed++;
}

static struct waits *waits_of(int64_t wait_ms)
{
	struct arena *a = arena_new(4096);
	struct waits *w = settings_new(a, sizeof(*w));

	arena_defer(a, on_freed, NULL);
	w->wait_ms = wait_ms;
	return w;
}

/* A call starts with settings that are replaced twice before it ends. */
static void call_keeps_its_settings(void **state)
{
	const struct waits *now = NULL, *of_call;
	struct waits *made = waits_of(5);

	(void)state;
	freed = 0;
	settings_replace(&now, made);
	settings_release(made);
	of_call = settings_ref(now);
	for (int i = 0; i < 2; i++) {
		made = waits_of(6 + i);
		settings_replace(&now, made);
		settings_release(made);
	}
	assert_int_equal(now->wait_ms, 7);
	assert_int_equal(of_call->wait_ms, 5);
	assert_int_equal(freed, 1); /* the settings in between */
	settings_release(of_call);
	assert_int_equal(freed, 2);
	settings_replace(&now, NULL);
	assert_null(now);
	assert_int_equal(freed, 3);
}

static void same_settings_may_be_set_again(void **state)
{
	const struct waits *now = NULL;
	struct waits *made = waits_of(5);

	(void)state;
	freed = 0;
	settings_replace(&now, made);
	settings_replace(&now, now);
	settings_release(made);
	assert_int_equal(now->wait_ms, 5);
	assert_int_equal(freed, 0);
	settings_replace(&now, NULL);
	assert_int_equal(freed, 1);
	settings_release(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(call_keeps_its_settings),
		cmocka_unit_test(same_settings_may_be_set_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
