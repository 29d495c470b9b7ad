/* Saved views: only from the user's own answers, private unless shared, limited per user. */
#include "store_test.h"

#include "vesper/store_saved.h"

#define ID "0198c0de-0000-7000-8000-0000000000%02d"

static char received[8000];

static void on_views(void *owner, const struct saved_view *views, size_t count, const struct err *e)
{
	struct fixture *f = owner;

	received[0] = '\0';
	for (size_t i = 0; i < count && !e; i++)
		snprintf(received + strlen(received), sizeof(received) - strlen(received),
			 "%s %s %d %s %s;", views[i].user, views[i].title, views[i].shared,
			 views[i].call, views[i].needs ? views[i].needs : "-");
	f->count = count;
	on_done(owner, e);
}

static enum err_code save_view(struct fixture *f, const struct principal *who, int n, bool shared,
			       const char *message_id)
{
	char id[48];
	const struct saved_view view = {.saved_id = id,
					.shared = shared,
					.title = "Prices",
					.message_id = message_id,
					.view_id = "v1",
					.call = "{\"tool\":\"t\"}"};

	snprintf(id, sizeof(id), ID, n);
	begin(f);
	store_saved_add(f->store, who, &view, f->arena, on_views, f);
	wait_done(f);
	return f->err.code;
}

static enum err_code find_view(struct fixture *f, const struct principal *who, int n)
{
	char id[48];

	snprintf(id, sizeof(id), ID, n);
	begin(f);
	store_saved_one(f->store, who, id, f->arena, on_views, f);
	wait_done(f);
	return f->err.code;
}

static enum err_code delete_view(struct fixture *f, const struct principal *who, int n)
{
	char id[48];

	snprintf(id, sizeof(id), ID, n);
	begin(f);
	store_saved_delete(f->store, who, id, on_done, f);
	wait_done(f);
	return f->err.code;
}

static size_t count_views(struct fixture *f, const struct principal *who)
{
	begin(f);
	store_saved(f->store, who, f->arena, on_views, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	return f->count;
}

static const char *create_answer(struct fixture *f, const struct principal *who, const char *needs)
{
	struct message m = user_message(f, id_new(f), "question");
	struct message answer = answer_to(f, &m, "answer");

	answer.needs = needs;
	assert_int_equal(accept_message(f, who, &m), ERR_NONE);
	assert_int_equal(store_answer_and_wait(f, who, &answer), ERR_NONE);
	return answer.message_id;
}

static void pinned_views_are_private_and_shared_views_public(void **state)
{
	struct fixture *f = *state;
	const char *answer = create_answer(f, &ann, "chat:read_it");

	assert_int_equal(save_view(f, &ann, 1, false, answer), ERR_NONE);
	assert_string_equal(received, "ann Prices 0 {\"tool\":\"t\"} chat:read_it;");
	assert_int_equal(find_view(f, &ann, 1), ERR_NONE);
	assert_int_equal(find_view(f, &bob, 1), ERR_NOT_FOUND);
	assert_int_equal(save_view(f, &ann, 2, true, answer), ERR_NONE);
	assert_int_equal(find_view(f, &bob, 2), ERR_NONE);
	assert_string_equal(received, "ann Prices 1 {\"tool\":\"t\"} chat:read_it;");
	assert_int_equal(find_view(f, &ann_other_tenant, 2), ERR_NOT_FOUND);
	assert_int_equal(count_views(f, &ann), 2);
	assert_int_equal(count_views(f, &bob), 0);
	assert_int_equal(delete_view(f, &bob, 2), ERR_NOT_FOUND);
	assert_int_equal(delete_view(f, &ann_other_tenant, 2), ERR_NOT_FOUND);
	assert_int_equal(delete_view(f, &ann, 2), ERR_NONE);
	assert_int_equal(delete_view(f, &ann, 2), ERR_NOT_FOUND);
	assert_int_equal(find_view(f, &bob, 2), ERR_NOT_FOUND);
	assert_int_equal(count_views(f, &ann), 1);
}

static void rejects_view_of_another_users_answer(void **state)
{
	struct fixture *f = *state;

	assert_int_not_equal(save_view(f, &bob, 1, true, create_answer(f, &ann, NULL)), ERR_NONE);
	assert_int_equal(count_views(f, &bob), 0);
}

static void limits_views_per_user(void **state)
{
	struct fixture *f = *state;
	const char *answer = create_answer(f, &ann, NULL);

	for (int i = 0; i < SAVED_VIEWS_PER_USER_MAX; i++)
		assert_int_equal(save_view(f, &ann, i, false, answer), ERR_NONE);
	assert_int_equal(save_view(f, &ann, 90, false, answer), ERR_LIMIT);
	assert_non_null(strstr(f->err.text, "remove one"));
	assert_int_equal(count_views(f, &ann), SAVED_VIEWS_PER_USER_MAX);
	assert_int_equal(delete_view(f, &ann, 0), ERR_NONE);
	assert_int_equal(save_view(f, &ann, 90, false, answer), ERR_NONE);
	assert_int_equal(save_view(f, &bob, 91, false, create_answer(f, &bob, NULL)), ERR_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(pinned_views_are_private_and_shared_views_public),
		STORE_TEST(rejects_view_of_another_users_answer),
		STORE_TEST(limits_views_per_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
