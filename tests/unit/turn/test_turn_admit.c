/* Admission of turns under load: no tenant may use the whole limit while others exist. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>

#include "turn_int.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define RUNNING_BYTES (TURNS_MAX * sizeof(struct turn))

static const char *const permissions[] = {"chat:use"};
static struct turns all;
static struct turn_settings settings;
static struct turn *running;
static struct principal *users;
static struct uuid session;

static int setup(void **state)
{
	(void)state;
	settings = (struct turn_settings){.place_count = 2};
	all = (struct turns){.settings = &settings};
	turn_groups_init(&all);
	running = mmap(NULL, RUNNING_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);
	assert_ptr_not_equal(running, MAP_FAILED);
	users = mem_alloc(TURNS_MAX * sizeof(*users));
	session = uuid_new();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	while (!list_empty(&all.running))
		turn_leave_groups(list_item(all.running.next, struct turn, core.node));
	turn_groups_deinit(&all);
	munmap(running, RUNNING_BYTES);
	mem_free(users);
	return 0;
}

/* Adds `count` running turns of this tenant; the first `of_ann` belong to ann. */
static void run(size_t count, const char *tenant, size_t of_ann)
{
	for (size_t i = 0; i < count; i++) {
		struct turn *t = &running[all.count];
		struct principal *who = &users[all.count];

		*who = (struct principal){.tenant = tenant, .user = i < of_ann ? "ann" : "crowd"};
		t->core.all = &all;
		t->core.id = uuid_new();
		t->core.who = who;
		t->core.request.session_id = "another";
		turn_join_groups(t);
	}
}

/* The error text with which this user's turn is refused. */
static const char *refusal(const char *tenant, const char *user)
{
	static struct err e;
	const struct principal who = {
		.user = user, .tenant = tenant, .permissions = permissions, .permission_count = 1};
	const struct turn_request r = {.who = &who, .session_id = session.text, .content = "x"};

	e = (struct err){0};
	assert_false(turn_admit(&all, &r, &e));
	assert_int_equal(e.code, ERR_LIMIT);
	assert_true(e.may_retry);
	return e.text;
}

static void tenant_gets_at_most_half(void **state)
{
	(void)state;
	run(TURNS_MAX / 2 - 1, "greedy", TURNS_PER_USER_MAX);
	assert_non_null(strstr(refusal("greedy", "ann"), "of this user"));
	run(1, "greedy", 0);
	assert_non_null(strstr(refusal("greedy", "bob"), "of this tenant"));
	run(TURNS_PER_USER_MAX, "other", TURNS_PER_USER_MAX);
	assert_non_null(strstr(refusal("other", "ann"), "of this user"));
}

static void only_tenant_gets_all_turns(void **state)
{
	(void)state;
	settings.place_count = 1;
	run(TURNS_MAX - 1, "only", TURNS_PER_USER_MAX);
	assert_non_null(strstr(refusal("only", "ann"), "of this user"));
	run(1, "only", 0);
	assert_string_equal(refusal("only", "ann"), "4000 turns of this tenant are running");
}

/* The error text of an overload refusal for this tenant; NULL: accepted. */
static const char *overload_refusal(const char *tenant)
{
	static struct err e;
	const struct principal who = {
		.user = "new", .tenant = tenant, .permissions = permissions, .permission_count = 1};
	const struct turn_request r = {.who = &who, .session_id = session.text, .content = "x"};

	e = (struct err){0};
	if (turn_check_load(&all, &r, &e))
		return NULL;
	assert_int_equal(e.code, ERR_OVERLOAD);
	assert_true(e.may_retry);
	assert_in_range(e.retry_after_ms, OVERLOAD_RETRY_MS,
			OVERLOAD_RETRY_MS + OVERLOAD_SPREAD_MS);
	return e.text;
}

static void refuses_overload(void **state)
{
	(void)state;
	run(20, "greedy", 0);
	assert_null(overload_refusal("greedy"));
	turns_set_load(&all, (struct load){.percent = 100, .of = OVERLOAD_QUEUE});
	assert_null(overload_refusal("greedy"));
	turns_set_load(&all, (struct load){.percent = 101, .of = OVERLOAD_QUEUE});
	assert_string_equal(overload_refusal("greedy"), "the server is overloaded: queue");
	turns_set_load(&all, (struct load){.percent = 0, .of = OVERLOAD_QUEUE});
	assert_null(overload_refusal("greedy"));
	settings.turns_max = 20;
	assert_string_equal(overload_refusal("greedy"), "the server is overloaded: turns");
}

static void tenant_with_few_turns_is_refused_later(void **state)
{
	(void)state;
	run(40, "greedy", 0);
	run(TURNS_SHARE_MIN - 1, "small", 0);
	turns_set_load(&all, (struct load){.percent = TURNS_SHARE_PERCENT, .of = OVERLOAD_LOOP});
	assert_non_null(overload_refusal("greedy"));
	assert_null(overload_refusal("small"));
	turns_set_load(&all,
		       (struct load){.percent = TURNS_SHARE_PERCENT + 1, .of = OVERLOAD_LOOP});
	assert_non_null(overload_refusal("small"));
	turns_set_load(&all, (struct load){.percent = 0, .of = OVERLOAD_LOOP});
	settings.turns_max = (size_t)all.count;
	assert_non_null(overload_refusal("greedy"));
	assert_null(overload_refusal("small"));
	run(10, "small", 0);
	assert_non_null(overload_refusal("small"));
}

/* The running turns are unreadable memory, so reading one of them would crash. */
static void counts_own_turns_without_reading_others(void **state)
{
	const struct principal ann = {.user = "ann", .tenant = "greedy"};

	(void)state;
	settings.place_count = 1;
	run(TURNS_MAX - 1, "greedy", TURNS_PER_USER_MAX);
	mprotect(running, RUNNING_BYTES, PROT_NONE);
	assert_non_null(strstr(refusal("greedy", "ann"), "of this user"));
	assert_null(turn_group_of(&all, GROUP_SESSION, &ann, session.text));
	mprotect(running, RUNNING_BYTES, PROT_READ | PROT_WRITE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tenant_gets_at_most_half),
		TEST(counts_own_turns_without_reading_others),
		TEST(only_tenant_gets_all_turns),
		TEST(refuses_overload),
		TEST(tenant_with_few_turns_is_refused_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
