/* The token estimate is never below the count of common tokenizers for the contents of prompts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "vesper/tokens.h"

static size_t estimate(const char *text)
{
	return tokens_estimate(text, strlen(text));
}

/* `tokens`: the count of a tokenizer with 100,000 tokens. */
static void estimate_is_not_below_a_tokenizers_count(void **state)
{
	static const struct {
		size_t tokens;
		const char *text;
	} known[] = {
		{0, ""},
		{1, "hello"},
		{2, "hello world"},
		{2, "2025"},
		{3, "48.73"},
		{6, "2026-02-27"},
		{2, "CAISO"},
		{4, "a | b\n"},
		{11, "48.7312 | 52.1411\n"},
		{1, "—"},
		{3, "🟢"},
		{6, "AvgPrice_PerMWh"},
		{5, "{\"a\":1}\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (estimate(known[i].text) < known[i].tokens)
			fail_msg("%s: %zu", known[i].text, estimate(known[i].text));
	assert_int_equal(estimate(""), 0);
	assert_int_equal(estimate("hello"), 2);
	assert_int_equal(estimate("48.7312 | 52.1411\n"), 17);
	assert_int_equal(estimate("day-ahead price"), 6);
}

/* Every digit, punctuation mark and column separator of a table may be a separate token. */
static void number_tables_are_not_underestimated(void **state)
{
	static const char *const rows[] = {
		"2025-01-31 | 23 | 48.7312 | 52.1411\n",
		"[\"2025-01-31\",23,48.7312,-52.1411]\n",
		"Ascend,NP15,8760,48.73,1234567.89\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t single_tokens = 0;

		for (const char *p = rows[i]; *p; p++)
			single_tokens += *p != ' ' && !isalpha((unsigned char)*p);
		assert_true(estimate(rows[i]) >= single_tokens);
		assert_true(estimate(rows[i]) <= strlen(rows[i]));
	}
}

static void estimate_grows_with_text_up_to_its_bytes(void **state)
{
	static const char text[] =
		"Nazareth Solar, NP15: $48.73/MWh – 🟢 on  track\n\n\tABCDEf 12345";
	size_t before = 0;

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		size_t current = tokens_estimate(text, n);

		assert_true(current <= n + 2); /* a truncated character counts as a whole one */
		assert_true(current + 1 >= before);
		before = current;
	}
	assert_int_equal(tokens_estimate("\xF0\x9F", 2), 3);
	assert_int_equal(tokens_estimate("\xFF\xFF", 2), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimate_is_not_below_a_tokenizers_count),
		cmocka_unit_test(number_tables_are_not_underestimated),
		cmocka_unit_test(estimate_grows_with_text_up_to_its_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
