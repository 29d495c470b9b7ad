/* Approved answers: unique names, edits by version, checks, deletion, and isolation of tenants. */
#include "store_test.h"

#include "vesper/limits.h"

#define MESSAGE "0198c0de-0000-7000-8000-000000000001"
#define TEXT    "---\nflow: price\n---\n"

static char received[400];
static char stamp[100];

static void on_flows(void *owner, const struct stored_flow *list, size_t count, const struct err *e)
{
	received[0] = '\0';
	for (size_t i = 0; i < count && !e; i++)
		snprintf(received + strlen(received), sizeof(received) - strlen(received),
			 "%s %lld %s %s %s;", list[i].name, (long long)list[i].version,
			 flow_status_name(list[i].status), list[i].approved_by,
			 list[i].why ? list[i].why : "-");
	on_done(owner, e);
}

static void on_stamp(void *owner, const char *text, const struct err *e)
{
	snprintf(stamp, sizeof(stamp), "%s", text);
	on_done(owner, e);
}

static const char *list_flows(struct fixture *f, const char *tenant)
{
	begin(f);
	store_flows(f->store, tenant, f->arena, on_flows, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	return received;
}

static enum err_code add_flow(struct fixture *f, const struct principal *who, const char *name,
			      const char *message)
{
	const struct stored_flow flow = {
		.name = name, .text = TEXT, .fingerprint = "f", .message_id = message};

	begin(f);
	store_flow_add(f->store, who, &flow, f->arena, on_flows, f);
	wait_done(f);
	return f->err.code;
}

static enum err_code edit_flow(struct fixture *f, const char *name, const char *text,
			       const char *status, int64_t version)
{
	const struct flow_edit change = {.text = text, .status = status, .if_version = version};

	begin(f);
	store_flow_edit(f->store, &ann, name, &change, f->arena, on_flows, f);
	wait_done(f);
	return f->err.code;
}

static void store_check(struct fixture *f, const char *name, int64_t version,
			enum flow_status status, const char *reason)
{
	const struct stored_flow flow = {
		.name = name, .version = version, .status = status, .why = reason};

	begin(f);
	store_flow_checked(f->store, "acme", &flow, on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
}

static const char *read_stamp(struct fixture *f)
{
	begin(f);
	store_flows_stamp(f->store, "acme", on_stamp, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	return stamp;
}

static void rejects_duplicate_name_and_too_many_flows(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(list_flows(f, "acme"), "");
	assert_int_equal(add_flow(f, &ann, "price", MESSAGE), ERR_NONE);
	assert_int_equal(add_flow(f, &ann, "price", MESSAGE),
			 ERR_NONE); /* adding the same flow again */
	assert_int_equal(add_flow(f, &ann, "price", "0198c0de-0000-7000-8000-000000000002"),
			 ERR_BUSY);
	assert_int_equal(add_flow(f, &ann_other_tenant, "price", MESSAGE), ERR_NONE);
	assert_string_equal(list_flows(f, "acme"), "price 1 active ann -;");
	for (int i = 1; i < OVERLAY_FLOWS_MAX; i++)
		assert_int_equal(add_flow(f, &ann, arena_printf(f->arena, "f%d", i), MESSAGE),
				 ERR_NONE);
	assert_int_equal(add_flow(f, &ann, "one_more", MESSAGE), ERR_LIMIT);
}

static void rejects_edit_of_stale_version(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(edit_flow(f, "price", "x", NULL, 1), ERR_NOT_FOUND);
	add_flow(f, &ann, "price", MESSAGE);
	assert_int_equal(edit_flow(f, "price", "x", NULL, 2), ERR_BUSY);
	assert_int_equal(edit_flow(f, "price", "x", NULL, 1), ERR_NONE);
	assert_int_equal(edit_flow(f, "price", "y", NULL, 1), ERR_BUSY);
	assert_int_equal(edit_flow(f, "price", NULL, "withdrawn", 2), ERR_NONE);
	assert_int_equal(edit_flow(f, "price", NULL, "active", 2), ERR_BUSY);
	assert_string_equal(list_flows(f, "acme"), "price 3 withdrawn ann -;");
}

static void check_sets_status_of_its_version(void **state)
{
	struct fixture *f = *state;

	add_flow(f, &ann, "price", MESSAGE);
	store_check(f, "price", 1, FLOW_STALE, "no tool");
	assert_string_equal(list_flows(f, "acme"), "price 1 stale ann no tool;");
	store_check(f, "price", 2, FLOW_ACTIVE, NULL); /* result for another version */
	assert_string_equal(list_flows(f, "acme"), "price 1 stale ann no tool;");
	assert_int_equal(edit_flow(f, "price", NULL, "withdrawn", 1), ERR_NONE);
	store_check(f, "price", 2, FLOW_ACTIVE, NULL);
	assert_string_equal(list_flows(f, "acme"), "price 2 withdrawn ann -;");
}

/* A deletion changes the stamp, too. */
static void each_change_changes_stamp(void **state)
{
	struct fixture *f = *state;
	char before[3][sizeof(stamp)];

	snprintf(before[0], sizeof(stamp), "%s", read_stamp(f));
	add_flow(f, &ann, "price", MESSAGE);
	snprintf(before[1], sizeof(stamp), "%s", read_stamp(f));
	assert_string_not_equal(before[0], before[1]);
	assert_string_equal(read_stamp(f), before[1]);
	edit_flow(f, "price", "x", NULL, 1);
	snprintf(before[2], sizeof(stamp), "%s", read_stamp(f));
	assert_string_not_equal(before[1], before[2]);
	begin(f);
	store_flow_delete(f->store, &ann, "price", on_done, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
	assert_string_equal(read_stamp(f), before[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rejects_duplicate_name_and_too_many_flows,
						fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(rejects_edit_of_stale_version, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(check_sets_status_of_its_version, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(each_change_changes_stamp, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
