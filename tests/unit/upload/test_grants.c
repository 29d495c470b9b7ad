/* Permissions that callers get through data sources, and eviction from their cache. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "../catalog/catalog_int.h"
#include "small_root.h"
#include "upload_int.h"
#include "vesper/clock.h"
#include "vesper/limits.h"

#define HOUR_MS 3600000

struct fixture {
	struct temp_root root;
	struct catalog *catalog;
	struct uploads uploads;
	struct tenant_uploads tenant;
};

static struct catalog *get_catalog(void *owner, const char *tenant)
{
	const struct fixture *f = owner;

	(void)tenant;
	return f->catalog;
}

static void load_catalog(struct fixture *f)
{
	struct err e;

	if (!catalog_load((const char *const[]){f->root.path, NULL}, NULL, &f->catalog, &e))
		fail_msg("%s", e.text);
}

static struct listing *make_listing(enum source_visibility visibility, int etag)
{
	const struct stored_source row = {.uid = "s1",
					  .owner = "ann",
					  .name = etag == 1 ? "One" : "Another",
					  .kind = SOURCE_TABLE,
					  .visibility = visibility,
					  .roles = "",
					  .etag = etag,
					  .updated_at = "1"};

	return listing_update(NULL, &(struct stored_sources){.items = &row, .count = 1});
}

static void begin(struct fixture *f)
{
	*f = (struct fixture){.root = small_root_new()};
	f->uploads.options.catalog = get_catalog;
	f->uploads.options.owner = f;
	f->uploads.options.tenant_count = 1;
	f->uploads.tenants = &f->tenant;
	f->tenant.all = &f->uploads;
	f->tenant.name = "acme";
	f->tenant.listing = make_listing(SOURCE_TENANT, 1);
	f->tenant.grants = grants_new(&f->tenant);
	load_catalog(f);
}

static void end(struct fixture *f)
{
	grants_free(&f->tenant.grants);
	listing_release(&f->tenant.listing);
	catalog_unref(&f->catalog);
	temp_root_free(&f->root);
}

static bool may_use_source(struct fixture *f, const char *user, int64_t expires_ms)
{
	const struct principal who = {.tenant = "acme", .user = user, .expires_ms = expires_ms};
	struct principal *granted = uploads_principal(&f->uploads, &who);
	bool allowed = may(granted, "source:s1");

	principal_free(&granted);
	return allowed;
}

static void on_free(void *freed)
{
	*(bool *)freed = true;
}

/* A cached caller who does not return after a reload must not retain the replaced catalogue. */
static void replaced_catalogue_is_freed_at_next_call(void **state)
{
	int64_t later_ms = clock_now_ms() + HOUR_MS;
	struct fixture f;
	bool freed = false;

	(void)state;
	begin(&f);
	arena_defer(catalog_impl(f.catalog)->arena, on_free, &freed);
	assert_true(may_use_source(&f, "ann", later_ms));
	assert_true(may_use_source(&f, "bob", later_ms));
	assert_true(may_use_source(&f, "bob",
				   clock_now_ms() - 1)); /* a caller whose token has expired */
	catalog_unref(&f.catalog);
	load_catalog(&f);
	assert_false(freed);
	assert_true(may_use_source(&f, "bob", later_ms));
	assert_true(freed);
	end(&f);
}

static void change(struct fixture *f, struct listing *updated)
{
	grants_changed(f->tenant.grants, listing_source(f->tenant.listing, "s1"),
		       listing_source(updated, "s1"));
	listing_release(&f->tenant.listing);
	f->tenant.listing = updated;
}

static void permission_ends_with_share(void **state)
{
	int64_t later_ms = clock_now_ms() + HOUR_MS;
	struct fixture f;

	(void)state;
	begin(&f);
	assert_true(may_use_source(&f, "bob", later_ms));
	change(&f, make_listing(SOURCE_TENANT, 2));
	assert_true(may_use_source(&f, "bob", later_ms));
	change(&f, make_listing(SOURCE_PRIVATE, 3));
	assert_false(may_use_source(&f, "bob", later_ms));
	assert_true(may_use_source(&f, "ann", later_ms));
	change(&f, make_listing(SOURCE_TENANT, 4));
	assert_true(may_use_source(&f, "bob", later_ms));
	end(&f);
}

/* The listing changes without grants_changed, so a cached caller keeps the permission and a dropped
 * one loses it. */
static void evicts_least_recent_caller(void **state)
{
	int64_t later_ms = clock_now_ms() + HOUR_MS;
	struct fixture f;
	char user[24];

	(void)state;
	begin(&f);
	for (int i = 0; i < UPLOAD_GRANTS_MAX; i++) {
		snprintf(user, sizeof(user), "user%d", i);
		assert_true(may_use_source(&f, user, later_ms));
	}
	assert_true(may_use_source(&f, "user0", later_ms)); /* now user1 is the least recent */
	assert_true(may_use_source(&f, "bob", later_ms));
	listing_release(&f.tenant.listing);
	f.tenant.listing = make_listing(SOURCE_PRIVATE, 2);
	for (int i = 0; i < UPLOAD_GRANTS_MAX; i++) {
		snprintf(user, sizeof(user), "user%d", i);
		if (i != 1)
			assert_true(may_use_source(&f, user, later_ms));
	}
	assert_true(may_use_source(&f, "bob", later_ms));
	assert_false(may_use_source(&f, "user1", later_ms));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replaced_catalogue_is_freed_at_next_call),
		cmocka_unit_test(permission_ends_with_share),
		cmocka_unit_test(evicts_least_recent_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
