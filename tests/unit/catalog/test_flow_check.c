/* Flows of tests/flow/broken: each is rejected with its line and the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/catalog.h"
#include "vesper/file.h"

#define FOLDER       VESPER_SOURCE_DIR "/tests/flow/broken"
#define BROKEN_COUNT 131

static struct catalog *catalog;
static struct arena *arena;

static int set_up(void **state)
{
	struct err e = {0};

	(void)state;
	arena = arena_new(64 << 20);
	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	catalog_unref(&catalog);
	arena_free(&arena);
	return 0;
}

static bool is_rejected(const char *name, const char *line, const char *reason)
{
	const char *path = arena_printf(arena, "%s/%s.flow", FOLDER, name), *text;
	const char *location = arena_printf(arena, "%s.flow:%s: ", name, line);
	struct flow_def f;
	struct err e = {0};

	assert_true(file_read(path, 1 << 20, arena, &text, &e));
	if (flow_read(catalog, "energy", arena_printf(arena, "%s.flow", name), text, arena, &f, &e))
		print_error("%s is accepted\n", name);
	else if (strncmp(e.text, location, strlen(location)) != 0 || !strstr(e.text, reason))
		print_error("\"%s\" is not \"%s… %s\"\n", e.text, location, reason);
	else
		return e.code == ERR_INPUT;
	return false;
}

static void rejects_broken_flows_with_their_line(void **state)
{
	struct str rest, line, name, number;
	const char *text;
	size_t count = 0, rejected = 0;

	(void)state;
	assert_true(file_read(FOLDER "/expected.tsv", 1 << 20, arena, &text, NULL));
	rest = str_of(text);
	while (str_split(&rest, '\n', &line)) {
		if (line.n == 0)
			continue;
		str_split(&line, '\t', &name);
		str_split(&line, '\t', &number);
		rejected += is_rejected(arena_strndup(arena, name.p, name.n),
					arena_strndup(arena, number.p, number.n),
					arena_strndup(arena, line.p, line.n));
		count++;
	}
	assert_int_equal(count, BROKEN_COUNT);
	assert_int_equal(rejected, BROKEN_COUNT);
}

static void every_broken_flow_has_an_expectation(void **state)
{
	const char *const *names;
	size_t count = 0;

	(void)state;
	assert_true(file_list(FOLDER, arena, &names, NULL));
	for (; *names; names++)
		count += strstr(*names, ".flow") != NULL;
	assert_int_equal(count, BROKEN_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rejects_broken_flows_with_their_line),
		cmocka_unit_test(every_broken_flow_has_an_expectation),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
