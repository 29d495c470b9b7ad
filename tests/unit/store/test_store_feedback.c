/* Feedback: one per answer, only on the user's own answers, listed for the tenant. */
#include "store_test.h"

static char received[1000];

static void on_feedback(void *owner, const struct feedback *list, size_t count, bool has_more,
			const struct err *e)
{
	struct fixture *f = owner;

	received[0] = '\0';
	f->has_more = has_more;
	for (size_t i = 0; i < count; i++)
		snprintf(received + strlen(received), sizeof(received) - strlen(received),
			 "%s:%s:%s:%s;", list[i].user_id, list[i].rating,
			 list[i].comment ? list[i].comment : "-",
			 list[i].correction ? list[i].correction : "-");
	on_done(f, e);
}

static enum err_code give_feedback(struct fixture *f, const struct principal *who,
				   const char *message_id, const char *rating, const char *comment)
{
	struct feedback feedback = {.message_id = message_id, .rating = rating, .comment = comment};

	begin(f);
	store_feedback(f->store, who, &feedback, f->arena, on_feedback, f);
	wait_done(f);
	return f->err.code;
}

static const char *list_feedback(struct fixture *f, const struct principal *who, const char *rating,
				 const char *after, size_t limit)
{
	begin(f);
	store_feedback_page(f->store, who, rating, after, limit, f->arena, on_feedback, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	return received;
}

static struct message create_answer(struct fixture *f, const struct principal *who)
{
	struct message m = user_message(f, id_new(f), "question");
	struct message answer = answer_to(f, &m, "answer");

	assert_int_equal(accept_message(f, who, &m), ERR_NONE);
	assert_int_equal(store_answer_and_wait(f, who, &answer), ERR_NONE);
	return answer;
}

static void stores_feedback_on_own_answers(void **state)
{
	struct fixture *f = *state;
	struct message answer = create_answer(f, &ann);

	assert_int_equal(give_feedback(f, &ann, answer.message_id, "up", "good"), ERR_NONE);
	assert_string_equal(received, "ann:up:good:-;");
	assert_int_equal(give_feedback(f, &ann, answer.message_id, "down", NULL), ERR_NONE);
	assert_string_equal(received, "ann:down:-:-;");
	assert_int_equal(give_feedback(f, &bob, answer.message_id, "up", "mine"), ERR_NOT_FOUND);
	assert_int_equal(give_feedback(f, &ann_other_tenant, answer.message_id, "up", "mine"),
			 ERR_NOT_FOUND);
	assert_int_equal(give_feedback(f, &ann, id_new(f), "up", "none"), ERR_NOT_FOUND);
	read_messages(f, &ann, answer.session_id, NULL, 10);
	assert_null(f->messages[0].rating);
	assert_string_equal(f->messages[1].rating, "down");
	assert_int_equal(give_feedback(f, &ann, f->messages[0].message_id, "up", NULL),
			 ERR_NOT_FOUND);
}

static void lists_feedback_of_tenant(void **state)
{
	struct fixture *f = *state;
	struct message first = create_answer(f, &ann), second = create_answer(f, &bob);

	give_feedback(f, &ann, first.message_id, "up", "a");
	give_feedback(f, &bob, second.message_id, "down", "b");
	assert_string_equal(list_feedback(f, &ann, NULL, NULL, 10), "bob:down:b:-;ann:up:a:-;");
	assert_string_equal(list_feedback(f, &ann, "up", NULL, 10), "ann:up:a:-;");
	assert_string_equal(list_feedback(f, &ann, NULL, NULL, 1), "bob:down:b:-;");
	assert_true(f->has_more);
	assert_string_equal(list_feedback(f, &ann, NULL, second.message_id, 1), "ann:up:a:-;");
	assert_false(f->has_more);
	assert_string_equal(list_feedback(f, &ann_other_tenant, NULL, NULL, 10), "");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {CASE(stores_feedback_on_own_answers),
					   CASE(lists_feedback_of_tenant)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
