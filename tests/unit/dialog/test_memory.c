/* Items of a summary: what they keep, what a reader may be told of them, and what they rest on. */
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

static struct message asked(const char *text)
{
	return (struct message){.role = "user", .content = text};
}

static struct message answered(const char *text, const char *needs)
{
	return (struct message){.role = "assistant", .content = text, .needs = needs};
}

static json_t *items_of(const json_t *earlier, const struct message *m, size_t count)
{
	return json_own(arena, memory_items(earlier, m, count, arena));
}

static void questions_keep_the_first_sentence_of_their_answers(void **state)
{
	struct message m[] = {asked("What did Sierra Wind spend?"),
			      answered("It spent **$620K** of $800K. More follows.\n\n| a | b |",
				       "chat:read_budget"),
			      asked("And its stage?"), answered("Stage 3", "chat:read_projects")};

	(void)state;
	assert_string_equal(memory_text(items_of(NULL, m, 4), &manager, true, arena),
			    "- What did Sierra Wind spend? -> It spent **$620K** of $800K.\n"
			    "- And its stage? -> Stage 3\n");
	assert_string_equal(memory_text(items_of(NULL, m, 4), &manager, false, arena),
			    "- What did Sierra Wind spend?\n- And its stage?\n");
}

static void nobody_is_told_what_he_may_no_longer_see(void **state)
{
	struct message m[] = {asked("What did Sierra Wind spend?"),
			      answered("It spent $620K.", "chat:read_projects chat:read_budget"),
			      asked("Its stage?"), answered("Stage 3", "chat:read_projects")};
	json_t *items = items_of(NULL, m, 4);
	const char *text = memory_text(items, &viewer, true, arena);

	(void)state;
	assert_null(strstr(text, "620"));
	assert_non_null(strstr(text, "Stage 3"));
	assert_null(strstr(memory_source(NULL, items, &viewer, arena), "620"));
	/* a model's words rest on all of it */
	memory_add_text(items, NULL, "Spent 620K, stage 3.", arena);
	assert_string_equal(memory_text(items, &manager, true, arena), "Spent 620K, stage 3.");
	assert_null(strstr(memory_text(items, &viewer, true, arena), "620"));
}

static void words_inherit_what_earlier_words_rested_on(void **state)
{
	struct message first[] = {asked("Spend?"), answered("$620K.", "chat:read_budget")};
	struct message later[] = {asked("Stage?"), answered("Stage 3", "chat:read_projects")};
	json_t *old = items_of(NULL, first, 2), *new;

	(void)state;
	memory_add_text(old, NULL, "Spent 620K.", arena);
	new = items_of(old, later, 2);
	memory_add_text(new, old, "Spent 620K, now at stage 3.", arena);
	assert_non_null(strstr(memory_source(old, new, &manager, arena), "Earlier memory:"));
	assert_null(strstr(memory_text(new, &viewer, true, arena), "620"));
	assert_non_null(strstr(memory_text(new, &viewer, true, arena), "Stage?"));
}

static void what_stood_last_is_kept(void **state)
{
	json_t *one = json_pack("{s:{s:s}}", "filters", "vendor", "Ascend");
	json_t *two = json_pack("{s:{s:s}}", "filters", "vendor", "Hitachi");
	struct message m[] = {asked("a"), answered("b", NULL), asked("c"),
			      answered("d", "chat:read_budget"), asked("e")};
	json_t *items;

	(void)state;
	m[1].standing = one;
	m[3].standing = two;
	items = items_of(NULL, m, 5);
	assert_ptr_equal(memory_standing(items, &manager, arena), two);
	assert_null(memory_standing(items, &viewer, arena));
	items = items_of(items_of(NULL, m, 2), m + 4, 1);
	assert_ptr_equal(memory_standing(items, &viewer, arena), one);
	json_decref(one);
	json_decref(two);
}

static void it_never_grows_past_its_limit(void **state)
{
	json_t *items = NULL;
	char long_text[2000];
	struct message m[2];

	(void)state;
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	for (int i = 0; i < SUMMARY_ITEMS_MAX + 10; i++) {
		m[0] = asked(arena_printf(arena, "question %d", i));
		m[1] = answered(long_text, NULL);
		items = items_of(items, m, 2);
	}
	assert_int_equal(json_array_size(items), SUMMARY_ITEMS_MAX);
	assert_null(strstr(memory_text(items, &viewer, true, arena), "question 9 "));
	assert_true(strlen(memory_text(items, &viewer, true, arena)) <
		    SUMMARY_ITEMS_MAX * (2 * SUMMARY_TEXT_BYTES + 16));
	memory_add_text(items, NULL, arena_printf(arena, "%s%s%s", long_text, long_text, long_text),
			arena);
	assert_int_equal(strlen(memory_text(items, &viewer, true, arena)), SUMMARY_BYTES_MAX);
}

static void refused_and_masked_answers_leave_their_question_only(void **state)
{
	struct message m[] = {asked("a"), answered("secret", NULL), asked("b"),
			      answered("declined", NULL), asked("c")};

	(void)state;
	m[1].masked = true;
	m[3].status = MESSAGE_REFUSED;
	assert_string_equal(memory_text(items_of(NULL, m, 5), &manager, true, arena),
			    "- a\n- b\n- c\n");
	assert_string_equal(memory_text(NULL, &manager, true, arena), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(questions_keep_the_first_sentence_of_their_answers),
		TEST(nobody_is_told_what_he_may_no_longer_see),
		TEST(words_inherit_what_earlier_words_rested_on),
		TEST(what_stood_last_is_kept),
		TEST(it_never_grows_past_its_limit),
		TEST(refused_and_masked_answers_leave_their_question_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
