/* Valid citations become marks and invalid ones are removed, for any chunking of the text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "vesper/guard.h"
#include "vesper/limits.h"

/* Citations are written between < and >. */
static void on_text(void *owner, const char *text, size_t len)
{
	buf_add(owner, text, len);
}

static void on_cite(void *owner, size_t n, const char *mark, size_t len)
{
	assert_true(n > 0);
	buf_printf(owner, "<%.*s>", (int)len, mark);
}

static size_t filter_text(const char *text, size_t step, size_t passages, struct buf *out)
{
	const struct guard_cite_sink sink = {on_text, on_cite, out};
	struct guard_cite *g = guard_cite_new(passages, &sink);
	size_t n = strlen(text), invalid;

	for (size_t i = 0; i < n; i += step)
		guard_cite_feed(g, text + i, n - i < step ? n - i : step);
	guard_cite_end(g);
	invalid = guard_cite_invalid(g);
	guard_cite_free(&g);
	return invalid;
}

static const struct {
	const char *text, *expected;
	size_t invalid;
} rows[] = {
	{"Ten days [1].", "Ten days <[1]>.", 0},
	{"Ten [1][2][1] days", "Ten <[1]><[2]><[1]> days", 0},
	{"Both [1, 3] and [2,5].", "Both <[1]><[3]> and <[2]><[5]>.", 0},
	{"None [9] here", "None  here", 1},
	{"Some [1, 9] here", "Some  here", 1},
	{"[0] [01] [1-3] [6]", "   ", 4},
	{"[1", "[1", 0},
	{"[", "[", 0},
	{"[]", "[]", 0},
	{"[ 1]", "[ 1]", 0},
	{"[a] [1a] [1 of 2]", "[a] [1a] [1 of 2]", 0},
	{"[[1]]", "[<[1]>]", 0},
	{"[1,2,3,4,5,1,2,3,4,5,1,2,3,4,5]", "[1,2,3,4,5,1,2,3,4,5,1,2,3,4,5]", 0},
	{"[1,,2] [1,] [99999999]", "  ", 3},
	{"a `x[1]` b [1]", "a `x[1]` b <[1]>", 0},
	{"```\nx[1]\n\ny[2]\n``` [1]", "```\nx[1]\n\ny[2]\n``` <[1]>", 0},
	{"a ` b [1]\n\nc [1]", "a ` b [1]\n\nc <[1]>", 0},
	{"\xe2\x82\xac[1]\xe2\x82\xac", "\xe2\x82\xac<[1]>\xe2\x82\xac", 0},
	{"", "", 0},
};

static void filters_citations_for_any_chunking(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t step = 1; step <= strlen(rows[i].text) + 1; step++) {
			struct buf out;

			buf_init(&out, 4096);
			assert_int_equal(filter_text(rows[i].text, step, 5, &out), rows[i].invalid);
			assert_string_equal(buf_text(&out), rows[i].expected);
			buf_deinit(&out);
		}
}

static void rejects_citations_without_passages(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	assert_int_equal(filter_text("It is so [1].", 100, 0, &out), 1);
	assert_string_equal(buf_text(&out), "It is so .");
	buf_reset(&out);
	assert_int_equal(filter_text("[200] [201]", 100, 1000, &out), 1); /* CITE_PASSAGES_MAX */
	assert_string_equal(buf_text(&out), "<[200]> ");
	buf_deinit(&out);
}

static void assert_quote(const char *quote, const char *passage, bool matches)
{
	assert_int_equal(guard_quote_matches(str_of(quote), str_of(passage)), matches);
}

static void quotation_must_match_verbatim(void **state)
{
	static const char passage[] = "Planned  curtailment is\nannounced ten business days ahead, "
				      "\xe2\x80\x9cin writing\xe2\x80\x9d.";

	(void)state;
	assert_quote("curtailment is announced ten business days", passage, true);
	assert_quote("  Planned curtailment ", passage, true);
	assert_quote("ahead, \"in writing\".", passage, true);
	assert_quote("curtailment is announced two business days", passage, false);
	assert_quote("Curtailment is announced", passage, false);
	assert_quote("days ahead, \"in writing\". And more", passage, false);
	assert_quote("", passage, false);
	assert_quote("a", "", false);
	assert_quote("it\xe2\x80\x99s 5\xe2\x80\x93"
		     "7",
		     "it's 5-7", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_citations_for_any_chunking),
		cmocka_unit_test(rejects_citations_without_passages),
		cmocka_unit_test(quotation_must_match_verbatim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
