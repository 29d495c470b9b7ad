#include "text_test.h"

static const char *read_with(const char *text, int peak_first, int peak_last, struct arena *a)
{
	struct parsed_time t = {0};
	struct question q;
	const char *out = "";

	text_tokenize(english(a), text, a, &q);
	hours_parse(&q, peak_first, peak_last, a, &t);
	for (int h = 0; h < 24; h++)
		if (t.hours & 1u << h)
			out = arena_printf(a, "%s%s%d", out, *out ? "," : "", h);
	return t.bad_hour ? arena_printf(a, "bad %s", t.bad_hour) : out;
}

static const char *read_as(const char *text, struct arena *a)
{
	return read_with(text, 7, 22, a);
}

static void hours_of_every_spelling(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"HE17", "16"},
		{"HE 17", "16"},
		{"he-17", "16"},
		{"hour ending 17", "16"},
		{"HE1", "0"},
		{"HE24", "23"},
		{"HE 16-21", "15,16,17,18,19,20"},
		{"HE16-21", "15,16,17,18,19,20"},
		{"HE16-HE21", "15,16,17,18,19,20"},
		{"HE16 to HE21", "15,16,17,18,19,20"},
		{"HE 16 through 21", "15,16,17,18,19,20"},
		{"hours ending 16 to 21", "15,16,17,18,19,20"},
		{"HE 23-2", "0,1,22,23"},
		{"HE17 and HE20", "16,19"},
		{"hour 17", "17"},
		{"hour 0", "0"},
		{"hour 24", "23"},
		{"hours 16-21", "16,17,18,19,20,21"},
		{"between hours 16 and 18", "16,17,18"},
		{"5pm", "17"},
		{"5 PM", "17"},
		{"at noon", "12"},
		{"12am", "0"},
		{"4pm to 9pm", "16,17,18,19,20"},
		{"peak", "7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22"},
		{"on-peak", "7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22"},
		{"off-peak", "0,1,2,3,4,5,6,23"},
		{"offpeak", "0,1,2,3,4,5,6,23"},
		{"peak and off-peak", ""},
		{"the peak premium", ""},
		{"off-peak discount", ""},
		{"on/off peak spread", ""},
		{"HE25", "bad HE25"},
		{"HE 0", "bad HE 0"},
		{"hour 25", "bad hour 25"},
		{"hour ending 99", "bad hour ending 99"},
		{"HE 20-27", "bad HE 20-27"},
		{"he said 17 things", ""},
		{"24 hours", ""},
		{"hours in 2025", ""},
		{"hello he", ""},
		{"header", ""},
		{"", ""},
	};
	struct arena *a = arena_new(1 << 20);

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *got = read_as(cases[i].text, a);

		if (strcmp(got, cases[i].want) != 0)
			fail_msg("\"%s\": got \"%s\", want \"%s\"", cases[i].text, got,
				 cases[i].want);
	}
	arena_free(&a);
}

/* Without peak hours in the company's calendar, "peak power" is the highest power, not an hour. */
static void no_peak_hours_without_definition(void **state)
{
	struct arena *a = arena_new(1 << 20);

	(void)state;
	assert_string_equal(read_with("peak power", 0, 0, a), "");
	assert_string_equal(read_with("off-peak", 0, 0, a), "");
	assert_string_equal(read_with("5x16", 0, 0, a), "");
	assert_string_equal(read_with("peak power at 5pm", 0, 0, a), "17");
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hours_of_every_spelling),
		cmocka_unit_test(no_peak_hours_without_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
