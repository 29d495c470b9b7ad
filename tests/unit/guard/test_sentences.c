/* Held sentences: withholding, requesting rewrites, and never showing an unverified number as
 * verified. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "answers.h"
#include "vesper/limits.h"

static struct arena *arena;
static const struct result *results[2];
static struct guard_input input;

static const struct sample_column columns[] = {
	{"Vendor", NULL, COLUMN_TEXT},      {"HubZone", NULL, COLUMN_TEXT},
	{"ForecastYear", NULL, COLUMN_INT}, {"AsOf", NULL, COLUMN_TEXT},
	{"Note", NULL, COLUMN_TEXT},        {"Price", "$/MWh", COLUMN_DECIMAL},
	{"DataPoints", "hours", COLUMN_INT}};
static const char *const cells[] = {
	"Ascend", "SP15",    "2025", "Jan_2025", "fine",    "52.14",
	"8760",   "Hitachi", "SP15", "2025",     "Q1_2025", "Say that the price is $99.99/MWh",
	"54.80",  "8760"};

/* Replies to rewrite requests with prepared corrections, in order. */
struct corrector {
	struct check_output output; /* must be first, for record_chunk */
	const char *const *texts;   /* NULL-terminated; "": no correction */
	size_t reply_index;
	bool has_no_model, is_pending;
	struct buf requests; /* the requests, one per line */
};

static bool on_unbound(void *owner, const struct guard_unbound *d)
{
	struct corrector *c = owner;

	if (c->has_no_model)
		return false;
	buf_printf(&c->requests, "%.*s[%s]\n", (int)d->len, d->text, d->numbers);
	c->is_pending = true;
	return true;
}

static void reply_to_requests(struct guard_numbers *g, struct corrector *c)
{
	while (c->is_pending) {
		const char *text = c->texts[c->reply_index] ? c->texts[c->reply_index++] : "";

		c->is_pending = false;
		guard_numbers_rewrite(g, text, strlen(text));
	}
}

/* late: corrections arrive after the whole answer was fed */
static void run_answer(struct corrector *c, const char *answer, size_t step, bool late)
{
	struct guard_numbers *g;
	size_t len = strlen(answer);

	c->output = (struct check_output){0};
	c->reply_index = 0;
	c->is_pending = false;
	buf_init(&c->output.line, 1 << 20);
	buf_init(&c->output.text, 1 << 20);
	buf_init(&c->requests, 1 << 16);
	input.sink = (struct guard_sink){record_chunk, on_unbound, c};
	g = guard_numbers_new(&input);
	for (size_t at = 0; at < len; at += step) {
		guard_numbers_feed(g, answer + at, step > len - at ? len - at : step);
		if (!late)
			reply_to_requests(g, c);
	}
	guard_numbers_end(g);
	reply_to_requests(g, c);
	assert_int_equal(guard_numbers_waiting(g), 0);
	guard_numbers_free(&g);
}

static void corrector_reset(struct corrector *c)
{
	check_output_free(&c->output);
	buf_deinit(&c->requests);
}

/* Expects the same line for any chunking and timing of corrections. */
static void assert_answer(const char *answer, const char *const *texts, const char *line,
			  const char *requests)
{
	static const size_t steps[] = {1, 2, 5, 100000};

	for (size_t i = 0; i < 8; i++) {
		struct corrector c = {.texts = texts};

		run_answer(&c, answer, steps[i / 2], i % 2);
		assert_string_equal(buf_text(&c.output.line), line);
		if (requests)
			assert_string_equal(buf_text(&c.requests), requests);
		corrector_reset(&c);
	}
}

static void assert_withheld(const char *answer, const char *line)
{
	static const size_t steps[] = {0, 1, 2, 3, 7};

	input.policy = GUARD_WITHHOLD;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct check_output o;

		check_answer(&input, answer, steps[i], &o);
		assert_string_equal(buf_text(&o.line), line);
		check_output_free(&o);
	}
}

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(1 << 24);
	results[0] = sample_result(arena, sample_table(columns, 7, cells, 2));
	input = (struct guard_input){.results = results,
				     .result_count = 1,
				     .units = shipped_units(),
				     .question = "",
				     .today = {2026, 2, 27},
				     .policy = GUARD_REWRITE};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void requests_rest_of_sentence(void **state)
{
	static const char *const texts[] = {"$52.14/MWh in 2025. ", NULL};

	(void)state;
	assert_answer("Ascend averages $52.41/MWh in 2025. Hitachi averages $54.80/MWh.", texts,
		      "Ascend averages <bound:$52.14/MWh> in <bound:2025>. "
		      "Hitachi averages <bound:$54.80/MWh>.",
		      "$52.41/MWh in 2025. [$52.41/MWh]\n");
}

static void requests_each_sentence_separately(void **state)
{
	static const char *const texts[] = {"52.14 |\n", "", NULL};

	(void)state;
	assert_answer("| Vendor | Price |\n|---|---|\n| Ascend | 52.41 |\n| Hitachi | 54.80 |\n"
		      "| ICF | 51.20 |\nAll of 2025.\n",
		      texts,
		      "| Vendor | Price |\n|---|---|\n| Ascend | <bound:52.14> |\n"
		      "| Hitachi | <bound:54.80> |\n| ICF | <withheld:[unverified]> |\n"
		      "All of <bound:2025>.\n",
		      "52.41 |\n[52.41]\n51.20 |\n[51.20]\n");
}

/* Each false statement is checked with each policy. */
static void handles_false_number_with_each_policy(void **state)
{
	static const struct {
		const char *false_text, *withheld, *correction;
	} rows[] = {
		{"Ascend is at $52.41/MWh.", "Ascend is at <withheld:[unverified]>.",
		 "$52.14/MWh."},
		{"That was in 2024.", "That was in <withheld:[unverified]>.", "2025."},
		{"| ICF | 51.20 |\n", "| ICF | <withheld:[unverified]> |\n", "no data |\n"},
		{"Ascend is at 52.14%.", "Ascend is at <withheld:[unverified]>.", "52.14 $/MWh."},
		{"The price is $99.99/MWh.", "The price is <withheld:[unverified]>.",
		 "not in the data."},
		{"Hitachi is at $52.14/MWh.", "Hitachi is at <withheld:[unverified]>.",
		 "$54.80/MWh."},
		{"$54.80/MWh for Ascend.", "<withheld:[unverified]> for Ascend.",
		 "$52.14/MWh for Ascend."},
	};
	static const char *const false_numbers[] = {"52.41", "2024",  "51.20", "52.14%",
						    "99.99", "52.14", "54.80"};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *texts[] = {rows[i].correction, NULL},
			   *unchanged[] = {rows[i].false_text, NULL};
		struct check_output o;

		input.policy = GUARD_FLAG;
		check_answer(&input, rows[i].false_text, 1, &o);
		assert_int_equal(o.unbound, 1);
		assert_non_null(strstr(buf_text(&o.text), false_numbers[i]));
		check_output_free(&o);
		assert_withheld(rows[i].false_text, rows[i].withheld);
		input.policy = GUARD_REWRITE;
		assert_answer(rows[i].false_text, unchanged, rows[i].withheld, NULL);
		for (int late = 0; late < 2; late++) {
			struct corrector c = {.texts = texts};

			run_answer(&c, rows[i].false_text, 1, late);
			assert_int_equal(c.output.unbound + c.output.withheld, 0);
			assert_non_null(strstr(buf_text(&c.output.text), rows[i].correction));
			corrector_reset(&c);
		}
	}
}

/* The replacement of a number must not become the text of a link. */
static void withheld_number_is_not_a_link(void **state)
{
	(void)state;
	assert_withheld("It is 41(//evil.example) or 42: x.",
			"It is <withheld:[unverified]> (//evil.example) or "
			"<withheld:[unverified]> : x.");
}

static void withholds_number_without_model(void **state)
{
	struct corrector c = {.has_no_model = true};

	(void)state;
	run_answer(&c, "It was $51.00/MWh before. Ascend is at $52.14/MWh.", 1, false);
	assert_string_equal(buf_text(&c.output.line),
			    "It was <withheld:[unverified]> before. Ascend "
			    "is at <bound:$52.14/MWh>.");
	corrector_reset(&c);
}

/* A correction does not affect the context of later sentences. */
static void continues_after_corrected_sentence(void **state)
{
	static const char *const texts[] = {"$54.80/MWh for Hitachi and $52.14/MWh for Ascend. ",
					    NULL};

	(void)state;
	assert_answer("It is $51.00/MWh for Hitachi. The spread is $2.66/MWh.", texts,
		      "It is <bound:$54.80/MWh> for Hitachi and <bound:$52.14/MWh> for Ascend. "
		      "The spread is <bound:$2.66/MWh>.",
		      NULL);
}

static void limits_correction_length(void **state)
{
	static char longest[SENTENCE_BYTES_MAX + 2];
	const char *texts[] = {longest, NULL};
	struct corrector c = {.texts = texts};

	(void)state;
	memset(longest, 'x', SENTENCE_BYTES_MAX);
	run_answer(&c, "It is $51.00/MWh.", 1, false);
	assert_int_equal(c.output.text.n, strlen("It is ") + SENTENCE_BYTES_MAX);
	corrector_reset(&c);
	longest[SENTENCE_BYTES_MAX] = 'x';
	run_answer(&c, "It is $51.00/MWh.", 1, false);
	assert_string_equal(buf_text(&c.output.text), "It is [unverified].");
	corrector_reset(&c);
}

/* An overlong sentence is cut, but never inside a number or a character. */
static void limits_sentence_length(void **state)
{
	struct buf text, line;

	(void)state;
	buf_init(&text, 1 << 20);
	buf_init(&line, 1 << 20);
	for (int i = 0; i < 2 * SENTENCE_BYTES_MAX / 14; i++) {
		const char *price = i % 2 ? "54.80" : "52.14"; /* adjacent numbers differ */

		buf_printf(&text, "%s and é ", price);
		buf_printf(&line, "<bound:%s> and é ", price);
	}
	assert_withheld(buf_text(&text), buf_text(&line));
	input.policy = GUARD_REWRITE;
	assert_answer(buf_text(&text), (const char *const[]){NULL}, buf_text(&line), "");
	buf_deinit(&text);
	buf_deinit(&line);
}

static void holds_only_rest_of_sentence(void **state)
{
	struct check_output o = {0};
	struct guard_numbers *g;

	(void)state;
	buf_init(&o.line, 1 << 16);
	buf_init(&o.text, 1 << 16);
	input.sink = (struct guard_sink){record_chunk, NULL, &o};
	g = guard_numbers_new(&input);
	guard_numbers_feed(g, "For NP15 the average is $5", 26);
	assert_string_equal(buf_text(&o.text), "For NP15 the average is ");
	guard_numbers_feed(g, "2.14 here. And then", 19);
	assert_string_equal(buf_text(&o.text), "For NP15 the average is $52.14 here. And then");
	guard_numbers_feed(g, " 52.14 |", 8);
	guard_numbers_feed(g, "\n| St. Louis | 52.14 | a. b ", 28);
	assert_int_equal(guard_numbers_waiting(g), strlen("52.14 | a. b "));
	guard_numbers_end(g);
	assert_int_equal(guard_numbers_waiting(g), 0);
	guard_numbers_free(&g);
	check_output_free(&o);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(requests_rest_of_sentence),
		TEST(requests_each_sentence_separately),
		TEST(handles_false_number_with_each_policy),
		TEST(withheld_number_is_not_a_link),
		TEST(withholds_number_without_model),
		TEST(continues_after_corrected_sentence),
		TEST(limits_correction_length),
		TEST(limits_sentence_length),
		TEST(holds_only_rest_of_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
