/* Retention: old data is deleted in batches, newer data stays. */
#include "store_test.h"

#include "vesper/clock.h"
#include "vesper/limits.h"

#define DAY_MS INT64_C(86400000)

static bool batches_remain;

static void on_retained(void *owner, bool has_more, const struct err *e)
{
	batches_remain = has_more;
	on_done(owner, e);
}

static void retain(struct fixture *f, int64_t messages_days, int64_t audit_days)
{
	const struct retention age = {.messages_days = messages_days, .audit_days = audit_days};

	begin(f);
	store_retain(f->store, "acme", &age, on_retained, f);
	wait_done(f);
	if (f->err.code != ERR_NONE)
		fail_msg("%s", f->err.text);
}

static const char *remaining_counts(struct fixture *f)
{
	return file_query(f, f->acme,
			  "SELECT (SELECT COUNT(*) FROM chat_messages) || '/' || "
			  "(SELECT COUNT(*) FROM chat_sessions)");
}

static void deletes_old_messages(void **state)
{
	struct fixture *f = *state;
	const char *shared = id_new(f);
	struct message old = user_message(f, id_new(f), "old");
	struct message same = user_message(f, shared, "old, too");
	struct message fresh = user_message(f, shared, "fresh");

	clock_freeze_ms(1772182800000);
	accept_message(f, &ann, &old);
	accept_message(f, &ann, &same);
	clock_advance_ms(10 * DAY_MS);
	accept_message(f, &ann, &fresh);
	retain(f, 0, 0);
	assert_string_equal(remaining_counts(f), "3/2");
	retain(f, 11, 0);
	assert_string_equal(remaining_counts(f), "3/2");
	retain(f, 9, 0);
	assert_false(batches_remain);
	assert_string_equal(remaining_counts(f), "1/1");
	read_messages(f, &ann, shared, NULL, 10);
	assert_string_equal(f->messages[0].content, "fresh");
	clock_release();
}

static void deletes_in_batches(void **state)
{
	struct fixture *f = *state;
	const char *session = id_new(f);

	clock_freeze_ms(1772182800000);
	for (int i = 0; i < RETAIN_BATCH + 3; i++) {
		struct message m = user_message(f, session, "old");

		accept_message(f, &ann, &m);
	}
	clock_advance_ms(10 * DAY_MS);
	retain(f, 1, 0);
	assert_true(batches_remain);
	assert_string_equal(remaining_counts(f), "3/1");
	retain(f, 1, 0);
	assert_false(batches_remain);
	assert_string_equal(remaining_counts(f), "0/0");
	clock_release();
}

static void audit_log_has_its_own_retention(void **state)
{
	struct fixture *f = *state;
	const struct audit_entry entry = {.tool = "get_x", .outcome = "rows", .rows = 7};

	clock_freeze_ms(1772182800000);
	for (int i = 0; i < RETAIN_BATCH + 1; i++)
		store_audit(f->store, &ann, &entry);
	retain(f, 0, 0); /* runs after the entries, since a tenant has one writer */
	assert_string_equal(file_query(f, f->acme, "SELECT COUNT(*) FROM chat_audit_log"), "51");
	clock_advance_ms(10 * DAY_MS);
	retain(f, 1, 0);
	assert_string_equal(file_query(f, f->acme, "SELECT COUNT(*) FROM chat_audit_log"), "51");
	retain(f, 0, 1);
	assert_true(batches_remain);
	retain(f, 0, 1);
	assert_false(batches_remain);
	assert_string_equal(file_query(f, f->acme, "SELECT COUNT(*) FROM chat_audit_log"), "0");
	clock_release();
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {CASE(deletes_old_messages), CASE(deletes_in_batches),
					   CASE(audit_log_has_its_own_retention)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
