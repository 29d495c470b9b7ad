/* Receipts: equal content gives equal bytes, records are chained, and every changed byte is
 * detected and located. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/json_out.h"
#include "vesper/receipt.h"

/* Seals a receipt. member: an additional member of its content; "": none. */
static struct receipt seal_with_member(struct arena *a, const char *question, const char *member)
{
	struct receipt r = {.tenant = "acme",
			    .receipt_id = "r-1",
			    .created_at = "2026-02-27T09:00:00.000Z",
			    .message_id = "m-1",
			    .session_id = "s-1",
			    .user = "ann"};
	struct json_out j;
	struct buf content;

	buf_init(&content, 10000);
	jo_init(&j, &content);
	jo_object(&j);
	jo_set_str(&j, "question", question);
	jo_set_raw(&j, "calls", STR("[{\"tool\":\"t\",\"values\":[\"NP15\",2025]}]"));
	jo_raw(&j, str_of(member));
	jo_object_end(&j);
	receipt_seal((struct str){buf_text(&content), content.n}, a, &r);
	buf_deinit(&content);
	return r;
}

static struct receipt seal(struct arena *a, const char *question)
{
	return seal_with_member(a, question, "");
}

static void canonical_form_sorts_members(void **state)
{
	static const char *const forms[][2] = {
		{"{\"b\":{\"z\":1,\"a\":[true,null]},\"a\":\"\xc3\xa9\\\"\\n\",\"c\":48.7300}",
		 "{\"a\":\"\xc3\xa9\\\"\\n\",\"b\":{\"a\":[true,null],\"z\":1},\"c\":48.7300}"},
		{"{\"b\":[{\"z\":{},\"y\":[]},[1,{\"d\":0,\"ab\":2,\"a\":\"}\\\\\"}]],\"\":-1}",
		 "{\"\":-1,\"b\":[{\"y\":[],\"z\":{}},[1,{\"a\":\"}\\\\\",\"ab\":2,\"d\":0}]]}"},
		{"{}", "{}"},
		{"\"{\"", "\"{\""},
	};
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		buf_reset(&b);
		receipt_canonical(&b, str_of(forms[i][0]));
		assert_string_equal(buf_text(&b), forms[i][1]);
	}
	buf_deinit(&b);
}

static void salt_hides_deleted_content(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct receipt one = seal(a, "q"), two = seal(a, "q");

	(void)state;
	assert_string_not_equal(one.leaves, two.leaves);
	assert_null(strstr(one.leaves, "acme"));
	assert_null(strstr(one.leaves, "ann"));
	arena_free(&a);
}

struct chain {
	struct arena *arena;
	struct receipt r[3];
	char hash[3][HASH_HEX_BYTES];
};

static int set_up(void **state)
{
	static struct chain c;

	c.arena = arena_new(1 << 24);
	for (int i = 0; i < 3; i++) {
		c.r[i] = seal(c.arena, i == 1 ? "Was it \"NP15\"?" : "q");
		receipt_link(&c.r[i], i + 1, i ? c.hash[i - 1] : RECEIPT_GENESIS, c.hash[i]);
	}
	*state = &c;
	return 0;
}

static int tear_down(void **state)
{
	struct chain *c = *state;

	arena_free(&c->arena);
	return 0;
}

/* Returns the number of the first broken record and its flaw; 0: none. */
static int first_broken(struct chain *c, struct receipt_flaw *flaw)
{
	for (int i = 0; i < 3; i++)
		if (!receipt_check(&c->r[i], i, i ? c->r[i - 1].hash : RECEIPT_GENESIS, c->arena,
				   flaw))
			return i + 1;
	return 0;
}

static void unchanged_chain_is_valid(void **state)
{
	struct receipt_flaw flaw;

	assert_int_equal(first_broken(*state, &flaw), 0);
}

static void deleted_content_keeps_the_chain_valid(void **state)
{
	struct chain *c = *state;
	struct receipt_flaw flaw;

	c->r[1].content = c->r[1].message_id = c->r[1].session_id = c->r[1].user = NULL;
	assert_int_equal(first_broken(c, &flaw), 0);
	c->r[1].user = "ann";
	assert_int_equal(first_broken(c, &flaw), 2);
	assert_string_equal(flaw.field, "message_id");
}

/* Changes each byte of a text of the second record in turn. */
static void change_each_byte(struct chain *c, const char **text, const char *const *fields)
{
	const char *original = *text;
	struct receipt_flaw flaw;

	for (size_t i = 0; i < strlen(original); i++) {
		char *changed = arena_strdup(c->arena, original);
		bool is_named = false;

		changed[i] ^= 1;
		*text = changed;
		if (first_broken(c, &flaw) != 2)
			fail_msg("%s, byte %zu: not detected", fields[0], i);
		for (size_t k = 0; fields[k]; k++)
			is_named = is_named || strcmp(flaw.field, fields[k]) == 0;
		if (!is_named)
			fail_msg("%s, byte %zu: named %s", fields[0], i, flaw.field);
	}
	*text = original;
}

static void error_names_field_of_changed_byte(void **state)
{
	struct chain *c = *state;
	struct receipt *r = &c->r[1];

	change_each_byte(c, &r->hash, (const char *const[]){"hash", NULL});
	change_each_byte(c, &r->previous_hash, (const char *const[]){"previous_hash", NULL});
	change_each_byte(c, &r->content_hash, (const char *const[]){"content_hash", NULL});
	change_each_byte(c, &r->leaves, (const char *const[]){"leaves", NULL});
	change_each_byte(c, &r->receipt_id, (const char *const[]){"receipt_id", NULL});
	change_each_byte(c, &r->created_at, (const char *const[]){"created_at", NULL});
	change_each_byte(c, &r->message_id, (const char *const[]){"message_id", NULL});
	change_each_byte(c, &r->session_id, (const char *const[]){"session_id", NULL});
	change_each_byte(c, &r->user, (const char *const[]){"user", NULL});
}

static void error_locates_changed_byte_of_content(void **state)
{
	struct chain *c = *state;
	const char *original = c->r[1].content;
	struct receipt_flaw flaw;

	for (size_t i = 0; i < strlen(original); i++) {
		char *changed = arena_strdup(c->arena, original);

		changed[i] ^= 1;
		c->r[1].content = changed;
		assert_int_equal(first_broken(c, &flaw), 2);
		assert_true((int64_t)i >= flaw.from && (int64_t)i < flaw.to);
		assert_int_equal(strncmp(flaw.field, "content.", 8), 0);
		/* the reported range is that of the named member */
		assert_int_equal(
			strncmp(original + flaw.from + 2, flaw.field + 8, strlen(flaw.field + 8)),
			0);
	}
	c->r[1].content = original;
}

static void added_or_removed_content_is_detected(void **state)
{
	struct chain *c = *state;
	const char *original = c->r[1].content, *at = strstr(original, "NP15");
	struct receipt_flaw flaw;

	c->r[1].content = arena_printf(c->arena, "%.*sX%s", (int)(at - original), original, at);
	assert_int_equal(first_broken(c, &flaw), 2);
	assert_string_equal(flaw.field, "content.calls");
	c->r[1].content = arena_strndup(c->arena, original, strlen(original) - 1);
	assert_int_equal(first_broken(c, &flaw), 2);
	assert_string_equal(flaw.field, "content.user");
	c->r[1].content = arena_printf(c->arena, "%s ", original);
	assert_int_equal(first_broken(c, &flaw), 2);
	assert_string_equal(flaw.field, "content");
	c->r[1].content = "";
	assert_int_equal(first_broken(c, &flaw), 2);
	c->r[1].content = original;
}

static void missing_and_exchanged_records_are_detected(void **state)
{
	struct chain *c = *state;
	struct receipt second = c->r[1];
	struct receipt_flaw flaw;

	c->r[1] = c->r[2];
	assert_int_equal(first_broken(c, &flaw), 2);
	assert_string_equal(flaw.field, "receipt_no");
	c->r[1].number = 2;
	assert_int_equal(first_broken(c, &flaw), 2);
	assert_string_equal(flaw.field, "previous_hash");
	c->r[1] = second;
	c->r[1].tenant = "vesper"; /* a record of another tenant */
	assert_int_equal(first_broken(c, &flaw), 2);
	assert_string_equal(flaw.field, "hash");
}

static void stored_answer_is_compared(void **state)
{
	struct arena *a = arena_new(1 << 20);
	char member[100 + HASH_HEX_BYTES];
	struct receipt_flaw flaw;
	char hash[HASH_HEX_BYTES];
	struct receipt r;

	(void)state;
	hash_sha256_hex("48.73", 5, hash);
	snprintf(member, sizeof(member), "\"answer_hash\":\"%s\"", hash);
	r = seal_with_member(a, "q", member);
	receipt_link(&r, 1, RECEIPT_GENESIS, hash);
	assert_true(receipt_check(&r, 0, RECEIPT_GENESIS, a, &flaw)); /* the message was deleted */
	r.answer = "48.73";
	assert_true(receipt_check(&r, 0, RECEIPT_GENESIS, a, &flaw));
	r.answer = "48.78";
	assert_false(receipt_check(&r, 0, RECEIPT_GENESIS, a, &flaw));
	assert_string_equal(flaw.field, "answer");
	arena_free(&a);
}

#define CHAIN_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canonical_form_sorts_members),
		cmocka_unit_test(salt_hides_deleted_content),
		CHAIN_TEST(unchanged_chain_is_valid),
		CHAIN_TEST(deleted_content_keeps_the_chain_valid),
		CHAIN_TEST(error_names_field_of_changed_byte),
		CHAIN_TEST(error_locates_changed_byte_of_content),
		CHAIN_TEST(added_or_removed_content_is_detected),
		CHAIN_TEST(missing_and_exchanged_records_are_detected),
		cmocka_unit_test(stored_answer_is_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
