/* Regular expressions: groups, Unicode, invalid text, the step limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "vesper/clock.h"
#include "vesper/rx.h"

static struct rx *compile(const char *pattern)
{
	struct rx *rx = NULL;
	struct err e;
	if (!rx_new(pattern, &rx, &e))
		fail_msg("%s", e.text);
	return rx;
}

static void returns_groups_from_offset(void **state)
{
	(void)state;
	struct rx *rx = compile("(HE)\\s*(\\d+)(?:-(\\d+))?");
	struct str g[RX_GROUPS_MAX];
	struct str text = STR("he 16-21 and he7");
	assert_true(rx_match(rx, text, 0, g));
	assert_true(str_eq(g[0], STR("he 16-21")));
	assert_true(str_eq(g[2], STR("16")) && str_eq(g[3], STR("21")));
	assert_true(rx_match(rx, text, (size_t)(g[0].p - text.p) + g[0].n, g));
	assert_true(str_eq(g[2], STR("7")));
	assert_null(g[3].p);
	assert_null(g[9].p);
	assert_false(rx_match(rx, text, text.n, g));
	assert_false(rx_match(rx, text, text.n + 1, g));
	assert_false(rx_match(rx, (struct str){NULL, 0}, 0, g));
	rx_free(&rx);
	assert_null(rx);
	rx_free(&rx);
}

static void matches_unicode(void **state)
{
	(void)state;
	struct rx *rx = compile("\\b\xC3\x89tang\\b");
	struct str g[RX_GROUPS_MAX];
	assert_true(rx_match(rx, STR("l'\xC3\xA9TANG bleu"), 0, g));
	assert_false(rx_match(rx, STR("\xC3\xA9tangs"), 0, g));
	assert_true(rx_match(rx, STR("\xFF\xFE \xC3\xA9tang \xC3"), 0, g));
	rx_free(&rx);
}

/* A text matches the same with and without a non-ASCII letter. */
static void non_ascii_letter_does_not_change_match(void **state)
{
	static const char *const patterns[] = {"\\b(\\w+)\\W+of\\s+(.)", "[^a-m ]{3,}",
					       "(?:x|(\\d+))$", "prompts?\\b", "(?<=is) (t)"};
	static const char *const texts[] = {"what IS the Price of\tx", "", "PROMPT", "12:34 of _9",
					    "a.b\x7f of \x01 no"};
	struct str plain[RX_GROUPS_MAX], with_letter[RX_GROUPS_MAX];
	char text[64];

	(void)state;
	for (size_t p = 0; p < sizeof(patterns) / sizeof(patterns[0]); p++) {
		struct rx *rx = compile(patterns[p]);

		for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
			/* an additional letter at the beginning, which is not part of any match */
			snprintf(text, sizeof(text), "\xC3\xA9;%s", texts[t]);
			bool found = rx_match(rx, str_of(texts[t]), 0, plain);

			assert_int_equal(rx_match(rx, str_of(text), 3, with_letter), found);
			for (size_t g = 0; found && g < RX_GROUPS_MAX; g++)
				assert_true(str_eq(plain[g], with_letter[g]));
		}
		rx_free(&rx);
	}
}

static void extra_groups_are_ignored(void **state)
{
	(void)state;
	struct rx *rx = compile("(1)(2)(3)(4)(5)(6)(7)(8)(9)(0)(a)(b)");
	struct str g[RX_GROUPS_MAX];
	assert_true(rx_match(rx, STR("x1234567890ab"), 0, g));
	assert_true(str_eq(g[9], STR("9")));
	rx_free(&rx);
}

static void rejects_invalid_pattern(void **state)
{
	(void)state;
	struct rx *rx = NULL;
	struct err e;
	assert_false(rx_new("a(b", &rx, &e));
	assert_null(rx);
	assert_int_equal(e.code, ERR_INPUT);
}

static void catastrophic_backtracking_is_bounded(void **state)
{
	(void)state;
	struct rx *rx = compile("^(a+)+$");
	char text[41];
	memset(text, 'a', 40);
	text[40] = '\0';
	text[39] = 'b';
	struct str g[RX_GROUPS_MAX];
	clock_t start = clock(); /* CPU time, independent of other load */
	assert_false(rx_match(rx, str_of(text), 0, g));
	assert_true(clock() - start < CLOCKS_PER_SEC / 2);
	rx_free(&rx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_groups_from_offset),
		cmocka_unit_test(matches_unicode),
		cmocka_unit_test(non_ascii_letter_does_not_change_match),
		cmocka_unit_test(extra_groups_are_ignored),
		cmocka_unit_test(rejects_invalid_pattern),
		cmocka_unit_test(catastrophic_backtracking_is_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
