/* Shared by the tests of the catalogue: a small root, loading it, and checking errors. */
#ifndef CATALOG_TEST_H
#define CATALOG_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "small_root.h"
#include "vesper/catalog.h"
#include "vesper/json.h"
#include "vesper/mem.h"

static struct temp_root root;
static struct catalog *catalog;

static inline int set_up(void **state)
{
	(void)state;
	root = small_root_new();
	catalog = NULL;
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	catalog_unref(&catalog);
	temp_root_free(&root);
	return 0;
}

static inline void load(void)
{
	struct err e = {0};

	catalog_unref(&catalog);
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
}

/* Expects that the catalogue with this text of the file is rejected with this error. */
static inline void assert_rejected(const char *file, const char *text, const char *why)
{
	struct catalog *c = NULL;
	struct err e = {0};

	temp_root_write(&root, file, text);
	if (catalog_load((const char *const[]){root.path, NULL}, NULL, &c, &e))
		fail_msg("accepted, expected: %s", why);
	assert_null(c);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" does not contain \"%s\"", e.text, why);
}

/* The text with the first `from` replaced by `to`; free with mem_free. */
static inline char *with_change(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);

	assert_non_null(at);
	return mem_printf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static inline void assert_change_rejected(const char *file, const char *text, const char *from,
					  const char *to, const char *why)
{
	char *broken = with_change(text, from, to);

	assert_rejected(file, broken, why);
	mem_free(broken);
	temp_root_write(&root, file, text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
