/* Text files: size limits, encodings, special files, sorted lists of a folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vesper/file.h"

static char folder[32];
static char path[64];

static int setup(void **state)
{
	(void)state;
	memcpy(folder, "/tmp/vesper_file_XXXXXX", 24);
	return mkdtemp(folder) ? 0 : 1;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(folder);
}

static const char *write_file(const char *name, const void *data, size_t len)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	close(fd);
	return path;
}

static void reads_up_to_the_limit(void **state)
{
	(void)state;
	struct arena *a = arena_new(1000);
	struct err e;
	const char *text = NULL;
	write_file("x", "hello", 5);
	assert_true(file_read(path, 5, a, &text, &e));
	assert_string_equal(text, "hello");
	text = NULL;
	assert_false(file_read(path, 4, a, &text, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_null(text);
	write_file("x", "", 0);
	assert_true(file_read(path, 5, a, &text, &e));
	assert_string_equal(text, "");
	unlink(path);
	arena_free(&a);
}

static void rejects_invalid_files(void **state)
{
	(void)state;
	struct arena *a = arena_new(1000);
	struct err e;
	const char *text = NULL;
	assert_false(file_read(write_file("x", "a\0b", 3), 100, a, &text, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_false(file_read(write_file("x", "a\xFF", 2), 100, a, &text, &e));
	assert_int_equal(e.code, ERR_INPUT);
	unlink(path);
	assert_false(file_read(path, 100, a, &text, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_false(file_read(folder, 100000, a, &text, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_null(text);
	arena_free(&a);
}

static void removes_byte_order_mark(void **state)
{
	(void)state;
	struct arena *a = arena_new(1000);
	const char *text;
	assert_true(file_read(write_file("x", "\xEF\xBB\xBFhi", 5), 100, a, &text, NULL));
	assert_string_equal(text, "hi");
	unlink(path);
	arena_free(&a);
}

static void lists_in_order(void **state)
{
	(void)state;
	struct arena *a = arena_new(1000);
	const char *const names[] = {"b.sql", "a.sql", "B.sql", ".hidden"};
	for (size_t i = 0; i < 4; i++)
		write_file(names[i], "", 0);
	const char *const *list;
	assert_true(file_list(folder, a, &list, NULL));
	assert_string_equal(list[0], "B.sql");
	assert_string_equal(list[1], "a.sql");
	assert_string_equal(list[2], "b.sql");
	assert_null(list[3]);
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	struct err e;
	assert_false(file_list("/nowhere/at/all", a, &list, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_up_to_the_limit),
		cmocka_unit_test(rejects_invalid_files),
		cmocka_unit_test(removes_byte_order_mark),
		cmocka_unit_test(lists_in_order),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
