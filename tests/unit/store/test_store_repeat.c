/* Idempotent retries: only the first request runs. Later ones are rejected while it runs or if they
 * differ, and then get its answer. */
#include "store_test.h"

#include "vesper/clock.h"
#include "vesper/limits.h"

static enum repeated outcome;
static char body[100];

static void on_repeat(void *owner, enum repeated repeated, const struct idempotent_answer *answer,
		      const struct err *e)
{
	outcome = repeated;
	snprintf(body, sizeof(body), "%d %s", answer ? answer->status : 0,
		 answer ? answer->body : "-");
	on_done(owner, e);
}

static enum repeated begin_request(struct fixture *f, const struct principal *who, const char *key,
				   const char *fingerprint, const char *request)
{
	begin(f);
	store_idempotent_begin(f->store, who, key, fingerprint, request, f->arena, on_repeat, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	return outcome;
}

static void end_request(struct fixture *f, const char *request,
			const struct idempotent_answer *answer)
{
	begin(f);
	store_idempotent_end(f->store, &ann, request, answer, on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
}

static void returns_first_answer(void **state)
{
	struct fixture *f = *state;
	const struct idempotent_answer answer = {201, "application/json", "{\"a\":1}"};

	assert_int_equal(begin_request(f, &ann, "k", "p", "r1"), IDEMPOTENT_FIRST);
	assert_int_equal(begin_request(f, &ann, "k", "p", "r2"), IDEMPOTENT_RUNNING);
	assert_int_equal(begin_request(f, &ann, "k", "other", "r3"), IDEMPOTENT_MISMATCH);
	assert_int_equal(begin_request(f, &bob, "k", "p", "r4"), IDEMPOTENT_FIRST);
	assert_int_equal(begin_request(f, &ann_other_tenant, "k", "p", "r5"), IDEMPOTENT_FIRST);
	end_request(f, "r1", &answer);
	assert_int_equal(begin_request(f, &ann, "k", "p", "r6"), IDEMPOTENT_DONE);
	assert_string_equal(body, "201 {\"a\":1}");
	assert_int_equal(begin_request(f, &ann, "k", "other", "r7"), IDEMPOTENT_MISMATCH);
}

static void dropped_request_can_be_retried(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(begin_request(f, &ann, "k", "p", "r1"), IDEMPOTENT_FIRST);
	end_request(f, "r1", NULL);
	assert_int_equal(begin_request(f, &ann, "k", "other", "r2"), IDEMPOTENT_FIRST);
}

static void keys_expire(void **state)
{
	struct fixture *f = *state;
	const struct idempotent_answer answer = {200, "application/json", "{}"};

	clock_freeze_ms(1772182800000);
	assert_int_equal(begin_request(f, &ann, "k", "p", "r1"), IDEMPOTENT_FIRST);
	clock_advance_ms(IDEMPOTENT_STALE_MS);
	assert_int_equal(begin_request(f, &ann, "k", "p", "r2"), IDEMPOTENT_RUNNING);
	clock_advance_ms(1);
	assert_int_equal(begin_request(f, &ann, "k", "p", "r3"), IDEMPOTENT_FIRST);
	end_request(f, "r3", &answer);
	clock_advance_ms(IDEMPOTENT_LIFE_MS);
	assert_int_equal(begin_request(f, &ann, "k", "p", "r4"), IDEMPOTENT_DONE);
	clock_advance_ms(1);
	assert_int_equal(begin_request(f, &ann, "k", "p", "r5"), IDEMPOTENT_FIRST);
	clock_release();
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {CASE(returns_first_answer),
					   CASE(dropped_request_can_be_retried), CASE(keys_expire)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
