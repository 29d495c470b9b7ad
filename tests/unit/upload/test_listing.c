/* The rows of a tenant by their ids, and what a read of changes makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "upload_int.h"

struct held {
	struct listing *listing;
	struct stored_sources all;
};

static struct stored_source source(const char *uid, const char *current, int etag, const char *at)
{
	return (struct stored_source){.uid = uid,
				      .kind = SOURCE_DOCUMENT,
				      .current = current,
				      .etag = etag,
				      .updated_at = at};
}

static struct stored_version version(const char *uid, const char *of, int number,
				     enum version_state state, const char *at)
{
	return (struct stored_version){
		.uid = uid, .source = of, .number = number, .state = state, .updated_at = at};
}

/* What a read found; false: it is not all that the stamp says. */
static bool read_in(struct held *h, bool whole, const struct stored_sources *found)
{
	struct read_rows *rows = read_rows_new(whole ? NULL : h->listing->rows);
	struct listing *l = listing_new(whole ? NULL : h->listing, &rows, found, &h->all);

	if (!l)
		return false;
	listing_release(&h->listing);
	h->listing = l;
	return true;
}

static void begin(struct held *h, struct arena *a)
{
	static const struct stored_source sources[2] = {
		{.uid = "s1",
		 .kind = SOURCE_DOCUMENT,
		 .current = "v1",
		 .etag = 2,
		 .updated_at = "1"},
		{.uid = "s3", .kind = SOURCE_DOCUMENT, .etag = 1, .updated_at = "1"}};
	static const struct stored_version versions[1] = {{.uid = "v1",
							   .source = "s1",
							   .number = 1,
							   .state = VERSION_READY,
							   .updated_at = "1"}};
	struct stored_sources found = {
		.items = sources, .count = 2, .versions = versions, .version_count = 1};

	found.stamp = stored_sources_stamp(&found, a);
	*h = (struct held){0};
	assert_true(read_in(h, true, &found));
}

static void rows_are_found_by_their_ids(void **state)
{
	struct arena *a = arena_new(1 << 16);
	struct held h;

	(void)state;
	begin(&h, a);
	assert_string_equal(listing_source(h.listing, "s1")->permission, "doc:s1");
	assert_string_equal(listing_source(h.listing, "s1")->current->uid, "v1");
	assert_null(listing_source(h.listing, "s3")->current);
	assert_null(listing_source(h.listing, "s3")->newest);
	assert_null(listing_source(h.listing, "s2"));
	assert_null(listing_version(h.listing, "v2"));
	assert_null(listing_version(h.listing, NULL));
	assert_null(listing_source(NULL, "s1"));
	listing_release(&h.listing);
	arena_free(&a);
}

/* A new version, a new source between two others, and everything else as it was. */
static void changes_take_the_places_of_what_they_change(void **state)
{
	struct arena *a = arena_new(1 << 16);
	struct stored_source changed[] = {source("s1", "v2", 3, "2"), source("s2", NULL, 1, "2")};
	struct stored_version versions[] = {version("v1", "s1", 1, VERSION_RETIRING, "2"),
					    version("v2", "s1", 2, VERSION_READY, "2")};
	struct stored_source whole[] = {changed[0], changed[1], source("s3", NULL, 1, "1")};
	struct stored_sources all = {
		.items = whole, .count = 3, .versions = versions, .version_count = 2};
	struct stored_sources found = {.stamp = stored_sources_stamp(&all, a),
				       .items = changed,
				       .count = 2,
				       .versions = versions,
				       .version_count = 2};
	struct listing *before;
	struct held h;

	(void)state;
	begin(&h, a);
	before = listing_hold(h.listing);
	assert_true(read_in(&h, false, &found));
	assert_int_equal(h.all.count, 3);
	assert_int_equal(h.all.version_count, 2);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(h.all.items[i].uid, whole[i].uid);
	assert_string_equal(listing_source(h.listing, "s1")->current->uid, "v2");
	assert_string_equal(listing_source(h.listing, "s1")->newest->row->uid, "v2");
	assert_string_equal(listing_source(h.listing, "s1")->newest->before->row->uid, "v1");
	assert_int_equal(listing_version(h.listing, "v1")->row->state, VERSION_RETIRING);
	assert_string_equal(listing_source(h.listing, "s3")->row->updated_at, "1");
	/* a search over the one before sees nothing of it */
	assert_string_equal(listing_source(before, "s1")->current->uid, "v1");
	assert_null(listing_source(before, "s2"));
	listing_release(&before);
	listing_release(&h.listing);
	arena_free(&a);
}

/* Rows that went, changes of a clock that is late, and times that were set back are in no read of
 * changes. */
static void what_is_missing_is_noticed(void **state)
{
	struct arena *a = arena_new(1 << 16);
	struct stored_source left[] = {source("s1", "v1", 2, "1")};
	struct stored_source back[] = {source("s1", "v1", 2, "0"), source("s3", NULL, 1, "1")};
	struct stored_version versions[] = {version("v1", "s1", 1, VERSION_READY, "1")};
	struct stored_sources all = {
		.items = left, .count = 1, .versions = versions, .version_count = 1};
	struct stored_sources found = {.stamp = stored_sources_stamp(&all, a)};
	struct held h;

	(void)state;
	begin(&h, a);
	assert_false(read_in(&h, false, &found));
	assert_int_equal(h.all.count, 2);
	assert_non_null(listing_source(h.listing, "s3"));
	left[0].etag = 3;
	all.items = left;
	found.stamp = stored_sources_stamp(&all, a);
	assert_false(read_in(&h, false, &found));
	all.items = back;
	all.count = 2;
	found.stamp = stored_sources_stamp(&all, a);
	assert_false(read_in(&h, false, &found));
	all.items = left;
	all.count = 1;
	assert_true(read_in(&h, true, &all));
	assert_null(listing_source(h.listing, "s3"));
	listing_release(&h.listing);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_found_by_their_ids),
		cmocka_unit_test(changes_take_the_places_of_what_they_change),
		cmocka_unit_test(what_is_missing_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
