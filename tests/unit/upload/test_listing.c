/* A tenant's rows by ID, and how a read of changes updates them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "upload_int.h"

#define SOURCE_COUNT 1000

static struct stored_source source(const char *uid, const char *current, int etag, const char *at)
{
	return (struct stored_source){.uid = uid,
				      .owner = "ann",
				      .kind = SOURCE_DOCUMENT,
				      .current = current,
				      .etag = etag,
				      .updated_at = at};
}

static struct stored_version version(const char *uid, const char *source_uid, int number,
				     enum version_state state, const char *at)
{
	return (struct stored_version){.uid = uid,
				       .source = source_uid,
				       .number = number,
				       .state = state,
				       .bytes = 10,
				       .rows = 2,
				       .updated_at = at};
}

static struct listing *make_listing(void)
{
	const struct stored_source sources[] = {source("s1", "v1", 2, "1"),
						source("s3", NULL, 1, "1")};
	const struct stored_version versions[] = {version("v1", "s1", 1, VERSION_READY, "1")};

	return listing_update(NULL, &(struct stored_sources){.items = sources,
							     .count = 2,
							     .versions = versions,
							     .version_count = 1});
}

static const char *make_stamp(const struct listing *l, struct arena *a)
{
	return stored_tally_stamp(&listing_sums(l)->rows, a);
}

static void finds_rows_by_id(void **state)
{
	struct listing *l = make_listing();

	(void)state;
	assert_string_equal(listing_source(l, "s1")->permission, "doc:s1");
	assert_string_equal(listing_source(l, "s1")->current->uid, "v1");
	assert_null(listing_source(l, "s3")->current);
	assert_null(listing_source(l, "s3")->newest);
	assert_null(listing_source(l, "s2"));
	assert_null(listing_source(l, "s0"));
	assert_non_null(listing_version(l, "s1", "v1"));
	assert_null(listing_version(l, "s1", "v2"));
	assert_null(listing_version(l, "s3", "v1"));
	assert_null(listing_version(l, "s1", NULL));
	assert_null(listing_source(NULL, "s1"));
	assert_int_equal(listing_sums(NULL)->rows.sources, 0);
	listing_release(&l);
}

/* A new version and a new source between two others; everything else is unchanged. */
static void changes_replace_rows(void **state)
{
	const struct stored_source changed[] = {source("s2", NULL, 1, "2"),
						source("s1", "v2", 3, "2")};
	const struct stored_version versions[] = {version("v2", "s1", 2, VERSION_READY, "2"),
						  version("v1", "s1", 1, VERSION_RETIRING, "2"),
						  version("v9", "s9", 1, VERSION_READY, "2")};
	const char *const order[] = {"s1", "s2", "s3"};
	struct arena *a = arena_new(1 << 16);
	struct listing *before = make_listing();
	struct listing_at at = {0};
	struct listing *l = listing_update(before, &(struct stored_sources){.items = changed,
									    .count = 2,
									    .versions = versions,
									    .version_count = 3});

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(listing_next(l, LISTING_ALL, &at)->row->uid, order[i]);
	assert_null(listing_next(l, LISTING_ALL, &at));
	assert_string_equal(listing_source(l, "s1")->current->uid, "v2");
	assert_string_equal(listing_source(l, "s1")->newest->uid, "v2");
	assert_int_equal(listing_source(l, "s1")->version_count, 2);
	assert_int_equal(listing_version(l, "s1", "v1")->state, VERSION_RETIRING);
	assert_string_equal(listing_source(l, "s3")->row->updated_at, "1");
	assert_string_equal(make_stamp(l, a), "3 1 2 5 2 2 2");
	/* a search over the previous listing does not see the changes */
	assert_string_equal(listing_source(before, "s1")->current->uid, "v1");
	assert_null(listing_source(before, "s2"));
	assert_string_equal(make_stamp(before, a), "2 1 1 3 1 1 1");
	listing_release(&before);
	assert_string_equal(listing_source(l, "s3")->row->uid, "s3");
	listing_release(&l);
	arena_free(&a);
}

static void computes_parts_and_sums(void **state)
{
	struct stored_source sources[] = {source("s1", "v1", 1, "1"), source("s2", NULL, 1, "1"),
					  source("s3", "v3", 1, "1"), source("s4", NULL, 1, "1")};
	const struct stored_version versions[] = {version("v1", "s1", 1, VERSION_READY, "1"),
						  version("v2", "s2", 1, VERSION_LOADING, "1"),
						  version("v3", "s3", 1, VERSION_READY, "1"),
						  version("v4", "s4", 1, VERSION_FAILED, "1")};
	const struct listing_sums *sums;
	struct listing_at at = {0};
	struct listing *l;

	(void)state;
	sources[2].kind = SOURCE_TABLE;
	sources[2].expires_at = "2";
	l = listing_update(NULL, &(struct stored_sources){.items = sources,
							  .count = 4,
							  .versions = versions,
							  .version_count = 4});
	sums = listing_sums(l);
	assert_int_equal(sums->parts[LISTING_ALL], 4);
	assert_int_equal(sums->parts[LISTING_TABLES], 1);
	assert_int_equal(sums->parts[LISTING_EXPIRING], 1);
	assert_int_equal(sums->parts[LISTING_INCOMPLETE], 2);
	assert_int_equal(sums->in_progress_count, 1);
	assert_int_equal(sums->bytes, 30);
	assert_int_equal(sums->passages, 2);
	assert_string_equal(listing_next(l, LISTING_INCOMPLETE, &at)->row->uid, "s2");
	assert_string_equal(listing_next(l, LISTING_INCOMPLETE, &at)->row->uid, "s4");
	assert_null(listing_next(l, LISTING_INCOMPLETE, &at));
	listing_release(&l);
}

static void removes_deleted_rows(void **state)
{
	struct arena *a = arena_new(1 << 16);
	struct listing *all = make_listing(), *fewer = listing_without(all, "s1", "v1");
	struct listing *one = listing_without(fewer, "s1", NULL);
	struct listing *none = listing_without(one, "s3", NULL);
	struct listing *same = listing_without(none, "s3", NULL);

	(void)state;
	assert_null(listing_source(fewer, "s1")->current);
	assert_string_equal(make_stamp(fewer, a), "2 1 1 3 0  ");
	assert_null(listing_source(one, "s1"));
	assert_string_equal(make_stamp(one, a), "1 1 1 1 0  ");
	assert_string_equal(make_stamp(none, a), "0    0  ");
	assert_null(listing_source(same, "s3"));
	assert_non_null(listing_source(all, "s1")->current);
	listing_release(&all);
	listing_release(&fewer);
	listing_release(&one);
	listing_release(&none);
	listing_release(&same);
	arena_free(&a);
}

struct comparison {
	char text[200];
};

static void on_compared(void *owner, const struct listed_source *old,
			const struct listed_source *updated)
{
	struct comparison *c = owner;
	size_t n = strlen(c->text);

	snprintf(c->text + n, sizeof(c->text) - n, "%s>%s ", old ? old->row->name : "",
		 updated ? updated->row->name : "");
}

static void reports_differences(void **state)
{
	struct stored_source sources[] = {source("s1", NULL, 1, "1"), source("s2", NULL, 1, "1"),
					  source("s3", NULL, 1, "1")};
	struct stored_source changed[] = {source("s2", NULL, 2, "2"), source("s4", NULL, 1, "2"),
					  source("s3", NULL, 1, "1")};
	struct listing *before, *between, *after;
	struct comparison c = {""};

	(void)state;
	sources[0].name = "one";
	sources[1].name = "two";
	sources[2].name = changed[2].name = "three";
	changed[0].name = "2";
	changed[1].name = "four";
	before = listing_update(NULL, &(struct stored_sources){.items = sources, .count = 3});
	between = listing_without(before, "s1", NULL);
	after = listing_update(between, &(struct stored_sources){.items = changed, .count = 3});
	listing_compare(before, after, on_compared, &c);
	assert_string_equal(c.text, "one> two>2 >four ");
	c.text[0] = '\0';
	listing_compare(after, after, on_compared, &c);
	assert_string_equal(c.text, "");
	listing_compare(after, NULL, on_compared, &c);
	assert_string_equal(c.text, "2> three> four> ");
	listing_release(&before);
	listing_release(&between);
	listing_release(&after);
}

/* Unchanged sources are shared; sources that were not found are removed. */
static void full_read_shares_unchanged_sources(void **state)
{
	struct stored_source rows[] = {source("s1", "v1", 2, "1"), source("s2", NULL, 1, "1"),
				       source("s3", NULL, 1, "1")};
	const struct stored_version versions[] = {version("v1", "s1", 1, VERSION_READY, "1"),
						  version("v2", "s2", 1, VERSION_FAILED, "1"),
						  version("v9", "s9", 1, VERSION_READY, "1")};
	struct listing *before, *same, *fewer, *none;
	struct comparison c = {""};

	(void)state;
	rows[0].name = "one";
	rows[1].name = "two";
	rows[2].name = "three";
	before = listing_reread(
		NULL, &(struct stored_sources){
			      .items = rows, .count = 3, .versions = versions, .version_count = 3});
	assert_int_equal(listing_sums(before)->rows.versions, 2);
	same = listing_reread(before, &(struct stored_sources){.items = rows,
							       .count = 3,
							       .versions = versions,
							       .version_count = 3});
	listing_compare(before, same, on_compared, &c);
	assert_string_equal(c.text, "");
	assert_int_equal(listing_new_blocks(before, same), 0);
	/* the first source and the version of the second one are missing */
	fewer = listing_reread(same, &(struct stored_sources){.items = rows + 1,
							      .count = 2,
							      .versions = versions,
							      .version_count = 1});
	listing_compare(same, fewer, on_compared, &c);
	assert_string_equal(c.text, "one> two>two ");
	assert_null(listing_source(fewer, "s1"));
	assert_int_equal(listing_source(fewer, "s2")->version_count, 0);
	assert_ptr_equal(listing_source(fewer, "s3"), listing_source(before, "s3"));
	none = listing_reread(fewer, &(struct stored_sources){.count = 0});
	assert_int_equal(listing_sums(none)->rows.sources, 0);
	listing_release(&before);
	listing_release(&same);
	listing_release(&fewer);
	listing_release(&none);
}

/* Sources may be added and changed in any order. Each is listed once and in order. A change copies
 * one block, or two if the block was full. */
static void change_copies_one_block(void **state)
{
	static char uids[SOURCE_COUNT][8];
	struct listing *l = NULL, *next;
	struct listing_at at = {0};
	struct stored_source one;
	size_t max_blocks = 0;

	(void)state;
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		snprintf(uids[i], sizeof(uids[i]), "s%04zu", i);
	for (size_t i = 0; i < 2 * SOURCE_COUNT; i++) {
		one = source(uids[(i * 387) % SOURCE_COUNT], NULL, (int)(1 + i / SOURCE_COUNT),
			     "1");
		next = listing_update(l, &(struct stored_sources){.items = &one, .count = 1});
		if (listing_new_blocks(l, next) > max_blocks)
			max_blocks = listing_new_blocks(l, next);
		listing_release(&l);
		l = next;
	}
	assert_int_equal(max_blocks, 2);
	assert_int_equal(listing_sums(l)->rows.sources, SOURCE_COUNT);
	assert_int_equal(listing_sums(l)->rows.etags, 2 * SOURCE_COUNT);
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		assert_string_equal(listing_next(l, LISTING_ALL, &at)->row->uid, uids[i]);
	assert_null(listing_next(l, LISTING_ALL, &at));
	next = listing_update(l, &(struct stored_sources){.items = &one, .count = 1});
	assert_int_equal(listing_new_blocks(l, next), 0); /* an unchanged row is read again */
	listing_release(&next);
	for (size_t i = 0; i < SOURCE_COUNT; i++) {
		next = listing_without(l, uids[(i * 387) % SOURCE_COUNT], NULL);
		assert_true(listing_new_blocks(l, next) <= 1);
		listing_release(&l);
		l = next;
	}
	assert_int_equal(listing_sums(l)->rows.sources, 0);
	listing_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_rows_by_id),
		cmocka_unit_test(changes_replace_rows),
		cmocka_unit_test(computes_parts_and_sums),
		cmocka_unit_test(removes_deleted_rows),
		cmocka_unit_test(reports_differences),
		cmocka_unit_test(full_read_shares_unchanged_sources),
		cmocka_unit_test(change_copies_one_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
