/* The shipped language file, and an assertion for copies of it with one change. */
#ifndef LANGUAGE_TEST_H
#define LANGUAGE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "english.h"
#include "vesper/str.h"

static struct arena *arena;
static const char *shipped;

static inline int set_up(void **state)
{
	(void)state;
	arena = arena_new(1 << 24);
	return file_read(VESPER_SOURCE_DIR "/" ENGLISH_PATH, 1 << 20, arena, &shipped, NULL) ? 0
											     : -1;
}

static inline int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* Returns the line number of `at` in the shipped text. */
static inline int line_number(const char *at)
{
	int line = 1;

	for (const char *p = shipped; p < at; p++)
		line += *p == '\n';
	return line;
}

/* Asserts that the file with `from` replaced by `to` is rejected. The error must begin with the
 * path and the line of `from` plus `lines_below`, and contain `reason`. */
static inline void assert_rejected(const char *from, const char *to, int lines_below,
				   const char *reason)
{
	const char *at = strstr(shipped, from), *text, *start;
	const struct language *l = NULL;
	struct err e = {0};

	assert_non_null(at);
	text = arena_printf(arena, "%.*s%s%s", (int)(at - shipped), shipped, to, at + strlen(from));
	start = arena_printf(arena, "%s:%d: ", ENGLISH_PATH, line_number(at) + lines_below);
	assert_false(language_read(ENGLISH_PATH, text, arena, &l, &e));
	assert_null(l);
	if (strncmp(e.text, start, strlen(start)) != 0 || !strstr(e.text, reason))
		fail_msg("\"%s\" is not \"%s…%s\"", e.text, start, reason);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
