#include "nlu_test.h"

#include "vesper/limits.h"

static void check(struct fixture *f, const char *text, const char *want)
{
	const struct company_calendar calendar = {0};
	char start[DATE_ISO_BYTES], end[DATE_ISO_BYTES];
	const char *got = "";
	struct date first, last;

	if (nlu_parse_days(f->nlu, text, (struct date){2026, 2, 27}, &calendar, f->arena, &first,
			   &last)) {
		date_iso(first, start);
		date_iso(last, end);
		got = arena_printf(f->arena, "%s/%s", start, end);
	}
	if (strcmp(got, want) != 0)
		fail_msg("\"%s\": got %s, want %s", text, got, want);
}

static void reads_days_in_any_spelling(void **state)
{
	struct fixture *f = *state;

	check(f, "2025-01-15", "2025-01-15/2025-01-15");
	check(f, "on 15 January 2025, please", "2025-01-15/2025-01-15");
	check(f, "from 2025-03-01 to 2025-03-10", "2025-03-01/2025-03-10");
	check(f, "March 2025", "2025-03-01/2025-03-31");
}

static void longer_text_is_a_question(void **state)
{
	struct fixture *f = *state;
	char many[NLU_DAYS_WORDS_MAX * 4 + 16] = "2025-01-15";

	check(f, "", "");
	check(f, "soon", "");
	check(f, "prices for 2025-01-15", "");
	check(f, "2025-02-30", "");
	for (int i = 0; i < NLU_DAYS_WORDS_MAX; i++)
		strncat(many, " the", sizeof(many) - strlen(many) - 1);
	check(f, many, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_days_in_any_spelling, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(longer_text_is_a_question, fixture_setup,
						fixture_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
