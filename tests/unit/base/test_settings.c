/* Settings are freed with their arena by the last reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "vesper/settings.h"

struct sample_settings {
	struct settings base;
	int64_t wait_ms;
};

static int freed;

static void on_freed(void *thing)
{
	(void)thing;
	freed++;
}

static struct sample_settings *new_settings(int64_t wait_ms)
{
	struct arena *a = arena_new(4096);
	struct sample_settings *w = settings_new(a, sizeof(*w));

	arena_defer(a, on_freed, NULL);
	w->wait_ms = wait_ms;
	return w;
}

/* A call starts with settings that are replaced twice before it ends. */
static void call_keeps_its_settings(void **state)
{
	const struct sample_settings *current = NULL, *call_settings;
	struct sample_settings *created = new_settings(5);

	(void)state;
	freed = 0;
	settings_replace(&current, created);
	settings_release(created);
	call_settings = settings_ref(current);
	for (int i = 0; i < 2; i++) {
		created = new_settings(6 + i);
		settings_replace(&current, created);
		settings_release(created);
	}
	assert_int_equal(current->wait_ms, 7);
	assert_int_equal(call_settings->wait_ms, 5);
	assert_int_equal(freed, 1); /* the settings that were current in between */
	settings_release(call_settings);
	assert_int_equal(freed, 2);
	settings_replace(&current, NULL);
	assert_null(current);
	assert_int_equal(freed, 3);
}

static void same_settings_can_be_set_again(void **state)
{
	const struct sample_settings *current = NULL;
	struct sample_settings *created = new_settings(5);

	(void)state;
	freed = 0;
	settings_replace(&current, created);
	settings_replace(&current, current);
	settings_release(created);
	assert_int_equal(current->wait_ms, 5);
	assert_int_equal(freed, 0);
	settings_replace(&current, NULL);
	assert_int_equal(freed, 1);
	settings_release(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(call_keeps_its_settings),
		cmocka_unit_test(same_settings_can_be_set_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
