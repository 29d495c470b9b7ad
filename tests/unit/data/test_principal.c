/* Permissions and identity of the caller. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "vesper/principal.h"

static const char *const permissions[] = {"chat:use", "chat:read_projects"};
static const struct principal ann = {.user = "ann",
				     .tenant = "vesper",
				     .permissions = permissions,
				     .permission_count = 2,
				     .expires_ms = 77};

static void only_listed_permissions_are_granted(void **state)
{
	(void)state;
	assert_true(may(&ann, "chat:use"));
	assert_true(may(&ann, NULL));
	assert_false(may(&ann, "chat:read_budget"));
	assert_false(may(&ann, "chat:us"));
	assert_false(may(&ann, "chat:use "));
	assert_false(may(&ann, ""));
	struct principal nobody = {.user = "x", .tenant = "y"};
	assert_false(may(&nobody, "chat:use"));
}

static void requires_all_listed_permissions(void **state)
{
	struct arena *a = arena_new(1000);

	(void)state;
	assert_true(principal_has_all(&ann, NULL, a));
	assert_true(principal_has_all(&ann, "", a));
	assert_true(principal_has_all(&ann, "chat:use chat:read_projects", a));
	assert_false(principal_has_all(&ann, "chat:use chat:read_budget", a));
	assert_false(principal_has_all(&ann, "chat:read_budget", a));
	arena_free(&a);
}

static void copies_own_their_texts(void **state)
{
	(void)state;
	struct principal *copy = principal_copy(&ann);
	assert_ptr_not_equal(copy->user, ann.user);
	assert_true(principal_same_user(copy, &ann));
	assert_true(may(copy, "chat:read_projects"));
	assert_int_equal(copy->expires_ms, 77);
	principal_free(&copy);
	assert_null(copy);
	principal_free(&copy);
}

/* Copies with many permissions use binary search, with the same results. */
static void finds_among_many_permissions(void **state)
{
	enum { PERMISSION_COUNT = 500 };
	static char names[PERMISSION_COUNT][16];
	const char *list[PERMISSION_COUNT];
	struct principal who = {.user = "ann",
				.tenant = "vesper",
				.permissions = list,
				.permission_count = PERMISSION_COUNT};
	struct principal *copy, *second_copy;

	(void)state;
	for (int i = 0; i < PERMISSION_COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "doc:%d", i * 7919 % PERMISSION_COUNT * 2);
		list[i] = names[i];
	}
	copy = principal_copy(&who);
	second_copy = principal_copy(copy);
	assert_true(copy->sorted && second_copy->sorted && !who.sorted);
	for (int i = -1; i <= 2 * PERMISSION_COUNT; i++) {
		char name[16];

		snprintf(name, sizeof(name), "doc:%d", i);
		assert_int_equal(may(copy, name), may(&who, name));
		assert_int_equal(may(second_copy, name), may(&who, name));
	}
	assert_true(may(copy, NULL));
	assert_false(may(copy, ""));
	principal_free(&copy);
	principal_free(&second_copy);
}

static void same_user_means_same_tenant(void **state)
{
	(void)state;
	struct principal other = ann;
	other.tenant = "acme";
	assert_false(principal_same_user(&ann, &other));
	other = ann;
	other.user = "bob";
	assert_false(principal_same_user(&ann, &other));
}

static void formats_permission_as_words(void **state)
{
	struct arena *a = arena_new(4096);

	(void)state;
	assert_string_equal(permission_words("chat:read_market_data", a), "read market data");
	assert_string_equal(permission_words("clinic:read", a), "clinic:read");
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_listed_permissions_are_granted),
		cmocka_unit_test(requires_all_listed_permissions),
		cmocka_unit_test(copies_own_their_texts),
		cmocka_unit_test(finds_among_many_permissions),
		cmocka_unit_test(same_user_means_same_tenant),
		cmocka_unit_test(formats_permission_as_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
