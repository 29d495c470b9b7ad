/* Reports for administrators: sums of the requested days of one tenant. */
#include "store_test.h"

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/store_report.h"

static char received[STORE_PAGE_MAX * 200], first_unanswered[200];
static struct zone *zone; /* time zone of the tenants */

/* Writes all tables to `received`: one line per row, an empty line after each table. */
static void write_tables(struct table *const *tables, size_t count)
{
	received[0] = '\0';
	for (size_t t = 0; t < count; t++) {
		for (size_t r = 0; r < tables[t]->row_count; r++)
			for (size_t c = 0; c < tables[t]->column_count; c++)
				snprintf(received + strlen(received),
					 sizeof(received) - strlen(received), "%s%c",
					 tables[t]->rows[r][c],
					 c + 1 == tables[t]->column_count ? '\n' : ' ');
		snprintf(received + strlen(received), sizeof(received) - strlen(received), "\n");
	}
}

static void on_usage(void *owner, struct table *const *tables, const struct err *e)
{
	if (!e)
		write_tables(tables, REPORT_USAGE_TABLES);
	on_done(owner, e);
}

static void on_quality(void *owner, struct table *const *tables, const struct err *e)
{
	if (!e)
		write_tables(
			tables,
			REPORT_UNANSWERED); /* without the last table, whose rows contain times */
	if (!e && tables[REPORT_UNANSWERED]->row_count > 0)
		snprintf(first_unanswered, sizeof(first_unanswered), "%zu: %s %s %s",
			 tables[REPORT_UNANSWERED]->row_count,
			 tables[REPORT_UNANSWERED]->rows[0][0],
			 tables[REPORT_UNANSWERED]->rows[0][1],
			 tables[REPORT_UNANSWERED]->rows[0][2]);
	on_done(owner, e);
}

static void read_usage(struct fixture *f, const char *tenant, int days, int64_t now_ms)
{
	const struct principal who = {.user = "chief", .tenant = tenant};

	begin(f);
	store_report_usage(f->store, &who, &(struct report_days){days, now_ms, zone}, on_usage, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
}

static void add_cost(struct fixture *f, const char *user, const char *model, int64_t tokens,
		     int64_t at_ms, bool hold)
{
	const struct budget_entry entry = {.tenant = "acme",
					   .user = user,
					   .role = "analyst",
					   .hold = hold,
					   .provider = "p",
					   .model = model,
					   .purpose = "answer",
					   .use = {hold ? 0 : 1, 0, 0, hold ? 0 : 2},
					   .tokens = tokens,
					   .nano_usd = tokens * 10,
					   .at_ms = at_ms};

	begin(f);
	store_ledger_add(f->store, &entry, on_done, f);
	wait_done(f);
}

static void sums_costs_by_user_model_and_day(void **state)
{
	const int64_t day_ms = 86400000LL, now_ms = 20402 * day_ms + 1000; /* 2025-11-10 */
	struct fixture *f = *state;

	migrate(f, "acme");
	migrate(f, "vesper");
	add_cost(f, "ann", "big", 100, now_ms, true);
	add_cost(f, "ann", "big", -60, now_ms, false);
	add_cost(f, "ben", "big", 5, now_ms - day_ms, false);
	add_cost(f, "ben", "small", 7, now_ms - 30 * day_ms, false);
	read_usage(f, "acme", 30, now_ms);
	assert_string_equal(received, "ann 1 1 2 40 400\nben 1 1 2 5 50\n\n"
				      "p big 2 2 4 45 450\n\n"
				      "2025-11-10 1 1 2 40 400\n2025-11-09 1 1 2 5 50\n\n");
	read_usage(f, "acme", 1, now_ms);
	assert_string_equal(received, "ann 1 1 2 40 400\n\np big 1 1 2 40 400\n\n"
				      "2025-11-10 1 1 2 40 400\n\n");
	read_usage(f, "acme", 31, now_ms);
	assert_non_null(strstr(received, "ben 2 2 4 12 120\n"));
	read_usage(f, "vesper", 31, now_ms);
	assert_string_equal(received, "\n\n\n");
}

static void store_question(struct fixture *f, const char *question, enum message_status status,
			   const char *agents, const char *checked)
{
	const struct principal user = {.user = "ann", .tenant = "acme"};
	struct message q = user_message(f, id_new(f), question), a = answer_to(f, &q, "So.");

	a.status = status;
	a.agents_used = agents;
	a.texts.checked = checked;
	assert_int_equal(accept_message(f, &user, &q), ERR_NONE);
	assert_int_equal(store_answer_and_wait(f, &user, &a), ERR_NONE);
}

static void read_quality_at(struct fixture *f, const char *tenant, int64_t now_ms)
{
	const struct principal who = {.user = "chief", .tenant = tenant};

	first_unanswered[0] = '\0';
	begin(f);
	store_report_quality(f->store, &who, &(struct report_days){1, now_ms, zone}, on_quality, f);
	wait_done(f);
	assert_int_equal(f->err.code, ERR_NONE);
}

static void read_quality(struct fixture *f, const char *tenant)
{
	read_quality_at(f, tenant, clock_now_ms());
}

static void counts_statuses_and_groups_unanswered_questions(void **state)
{
	struct fixture *f = *state;

	migrate(f, "acme");
	migrate(f, "vesper");
	store_question(f, "The price?", MESSAGE_COMPLETE, "a",
		       "{\"bound\":1,\"unbound\":0,\"unchecked\":0}");
	store_question(f, "The costs?", MESSAGE_COMPLETE, "a",
		       "{\"bound\":1,\"unbound\":2,\"unchecked\":0}");
	store_question(f, "Blorb?", MESSAGE_COMPLETE, "", NULL);
	store_question(f, "blorb?", MESSAGE_COMPLETE, NULL, NULL);
	store_question(f, "The oil price?", MESSAGE_REFUSED, "", NULL);
	store_question(f, "Which?", MESSAGE_ASK, "", NULL);
	read_quality(f, "acme");
	assert_string_equal(received, "complete 4\nask 1\nrefused 1\n\nrules 6\n\n6 1 2 0\n\n\n");
	assert_string_equal(first_unanswered, "2: blorb? complete 2");
	read_quality(f, "vesper");
	assert_string_equal(received, "\n\n0 0 0 0\n\n\n");
	assert_string_equal(first_unanswered, "");
}

/* One answer is a minute before the local day begins, and one a minute after. */
static void day_begins_in_tenant_zone(void **state)
{
	static const struct {
		const char *zone, *before, *after, *now;
	} rows[] = {
		{"America/Los_Angeles", "2026-02-27T07:59:00.000Z", "2026-02-27T08:01:00.000Z",
		 "2026-02-28T07:00:00.000Z"},
		{"Asia/Kolkata", "2026-02-26T18:29:00.000Z", "2026-02-26T18:31:00.000Z",
		 "2026-02-27T18:00:00.000Z"},
		{"UTC", "2026-02-26T23:59:00.000Z", "2026-02-27T00:01:00.000Z",
		 "2026-02-27T18:00:00.000Z"},
	};
	struct fixture *f = *state;
	int64_t now_ms;
	struct err e;

	migrate(f, "acme");
	store_question(f, "The price?", MESSAGE_COMPLETE, "a", NULL);
	store_question(f, "Which?", MESSAGE_ASK, "", NULL);
	add_cost(f, "ann", "big", 5, 20511 * INT64_C(86400000), false); /* local, 2026-02-27 */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		file_exec(f->acme,
			  arena_printf(f->arena,
				       "UPDATE chat_messages SET created_at = CASE WHEN status = "
				       "'ask' THEN '%s' ELSE '%s' END WHERE role = 'assistant'",
				       rows[i].after, rows[i].before));
		assert_true(clock_parse_rfc3339(rows[i].now, &now_ms, &e));
		assert_true(zone_load(rows[i].zone, &zone, &e));
		read_usage(f, "acme", 1, now_ms);
		assert_non_null(strstr(received, "2026-02-27 1 1 2 5 50"));
		read_quality_at(f, "acme", now_ms);
		zone_free(&zone);
		assert_string_equal(received, "ask 1\n\nrules 1\n\n1 0 0 0\n\n\n");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST_UNMIGRATED(sums_costs_by_user_model_and_day),
		STORE_TEST_UNMIGRATED(day_begins_in_tenant_zone),
		STORE_TEST_UNMIGRATED(counts_statuses_and_groups_unanswered_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
