/* Items of a summary: their content, the permissions they need, and what each reader may see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "vesper/dialog.h"
#include "vesper/json.h"
#include "vesper/limits.h"

static struct arena *arena;
static const char *const budget[] = {"chat:use", "chat:read_projects", "chat:read_budget"};
static const struct principal manager = {
	.user = "m", .tenant = "acme", .permissions = budget, .permission_count = 3};
static const struct principal viewer = {
	.user = "v", .tenant = "acme", .permissions = budget, .permission_count = 2};

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(8 << 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static struct message user_message(const char *text)
{
	return (struct message){.role = "user", .content = text};
}

static struct message assistant_message(const char *text, const char *needs)
{
	return (struct message){.role = "assistant", .content = text, .needs = needs};
}

static const char *items_of(const char *earlier, const struct message *m, size_t count)
{
	return memory_items(earlier, m, count, arena);
}

static const json_t *read_items(const char *items)
{
	const json_t *read = store_memory_items(items, arena);

	assert_true(!items || json_is_array(read));
	return read;
}

static const char *text_for(const struct principal *who, const char *items)
{
	return memory_text(read_items(items), who, true, arena);
}

static void keeps_first_sentence_of_each_answer(void **state)
{
	struct message m[] = {
		user_message("What did Sierra Wind spend?"),
		assistant_message("It spent **$620K** of $800K. More follows.\n\n| a | b |",
				  "chat:read_budget"),
		user_message("And its stage?"), assistant_message("Stage 3", "chat:read_projects")};

	(void)state;
	assert_string_equal(text_for(&manager, items_of(NULL, m, 4)),
			    "- What did Sierra Wind spend? -> It spent **$620K** of $800K.\n"
			    "- And its stage? -> Stage 3\n");
	assert_string_equal(memory_text(read_items(items_of(NULL, m, 4)), &manager, false, arena),
			    "- What did Sierra Wind spend?\n- And its stage?\n");
}

static void hides_answers_without_permission(void **state)
{
	struct message m[] = {
		user_message("What did Sierra Wind spend?"),
		assistant_message("It spent $620K.", "chat:read_projects chat:read_budget"),
		user_message("Its stage?"), assistant_message("Stage 3", "chat:read_projects")};
	const char *items = items_of(NULL, m, 4);
	const char *text = text_for(&viewer, items);

	(void)state;
	assert_null(strstr(text, "620"));
	assert_non_null(strstr(text, "Stage 3"));
	assert_null(strstr(memory_source(NULL, read_items(items), &viewer, arena), "620"));
	/* a model's text needs the permissions of all its sources */
	items = memory_add_text(items, NULL, "Spent 620K, stage 3.", arena);
	assert_string_equal(text_for(&manager, items), "Spent 620K, stage 3.");
	assert_null(strstr(text_for(&viewer, items), "620"));
}

static void model_text_inherits_needs_of_earlier_text(void **state)
{
	struct message first[] = {user_message("Spend?"),
				  assistant_message("$620K.", "chat:read_budget")};
	struct message later[] = {user_message("Stage?"),
				  assistant_message("Stage 3", "chat:read_projects")};
	const char *old = items_of(NULL, first, 2), *new;

	(void)state;
	old = memory_add_text(old, NULL, "Spent 620K.", arena);
	new = items_of(old, later, 2);
	new = memory_add_text(new, read_items(old), "Spent 620K, now at stage 3.", arena);
	assert_non_null(strstr(memory_source(read_items(old), read_items(new), &manager, arena),
			       "Earlier memory:"));
	assert_null(strstr(text_for(&viewer, new), "620"));
	assert_non_null(strstr(text_for(&viewer, new), "Stage?"));
}

static const char *vendor_in_context(const struct principal *who, const char *items)
{
	const json_t *context = memory_session_context(read_items(items), who, arena);

	return json_string_value(json_object_get(json_object_get(context, "filters"), "vendor"));
}

static void keeps_last_session_context(void **state)
{
	const char *one = "{\"filters\":{\"vendor\":\"Ascend\",\"price\":52.50}}";
	const char *two = "{\"filters\":{\"vendor\":\"Hitachi\"}}";
	struct message m[] = {user_message("a"), assistant_message("b", NULL), user_message("c"),
			      assistant_message("d", "chat:read_budget"), user_message("e")};
	const char *items;

	(void)state;
	m[1].texts.standing = one;
	m[3].texts.standing = two;
	items = items_of(NULL, m, 5);
	assert_string_equal(vendor_in_context(&manager, items), "Hitachi");
	assert_null(vendor_in_context(&viewer, items));
	items = items_of(items_of(NULL, m, 2), m + 4, 1);
	assert_string_equal(vendor_in_context(&viewer, items), "Ascend");
	assert_non_null(strstr(items, one)); /* byte for byte */
}

/* The stored summary may be damaged. */
static void ignores_damaged_summary_and_context(void **state)
{
	static const char *const damaged[] = {"",    "[",   "{}",  "[{\"kind\":\"turn\"",
					      "[\"", "[,]", "[]]]"};
	struct message m[] = {user_message("a"), assistant_message("b", NULL)};

	(void)state;
	m[1].texts.standing = "{\"filters\":";
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		assert_string_equal(text_for(&viewer, items_of(damaged[i], m, 2)), "- a -> b\n");
}

static void limits_items_and_text(void **state)
{
	const char *items = NULL;
	char long_text[2000];
	struct message m[2];

	(void)state;
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	for (int i = 0; i < SUMMARY_ITEMS_MAX + 10; i++) {
		m[0] = user_message(arena_printf(arena, "question %d", i));
		m[1] = assistant_message(long_text, NULL);
		items = items_of(items, m, 2);
	}
	assert_int_equal(json_array_size(read_items(items)), SUMMARY_ITEMS_MAX);
	assert_null(strstr(text_for(&viewer, items), "question 9 "));
	assert_true(strlen(text_for(&viewer, items)) <
		    SUMMARY_ITEMS_MAX * (2 * SUMMARY_TEXT_BYTES + 16));
	items = memory_add_text(
		items, NULL, arena_printf(arena, "%s%s%s", long_text, long_text, long_text), arena);
	assert_int_equal(strlen(text_for(&viewer, items)), SUMMARY_BYTES_MAX);
}

static void refused_and_masked_answers_keep_only_their_question(void **state)
{
	struct message m[] = {user_message("a"), assistant_message("secret", NULL),
			      user_message("b"), assistant_message("declined", NULL),
			      user_message("c")};

	(void)state;
	m[1].masked = true;
	m[3].status = MESSAGE_REFUSED;
	assert_string_equal(text_for(&manager, items_of(NULL, m, 5)), "- a\n- b\n- c\n");
	assert_string_equal(memory_text(NULL, &manager, true, arena), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(keeps_first_sentence_of_each_answer),
		TEST(hides_answers_without_permission),
		TEST(model_text_inherits_needs_of_earlier_text),
		TEST(keeps_last_session_context),
		TEST(ignores_damaged_summary_and_context),
		TEST(limits_items_and_text),
		TEST(refused_and_masked_answers_keep_only_their_question),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
