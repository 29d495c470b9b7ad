/* Numbers in sentences that cite passages are bound to these first. A number of another source is
 * reported as a mismatch. */
#include "asserts.h"

static const struct sample_column columns[] = {
	{"N", NULL, COLUMN_INT},
	{"Document", NULL, COLUMN_TEXT},
	{"Heading", NULL, COLUMN_TEXT},
	{"Text", NULL, COLUMN_TEXT},
};
static const char *const cells[] = {
	"1",
	"Curtailment policy",
	"Notice",
	"The offtaker is told ten business days ahead. At most 120 hours a year are not paid.",
	"2",
	"Curtailment policy",
	"Emergencies",
	"In an emergency 15 minutes of notice are enough.",
	"3",
	"Grid code",
	"Notice",
	"The operator is told 15 minutes ahead, and 30 days in writing.",
};

#define CALL "c1"

/* The output for one answer. */
struct cited_answer {
	struct buf line;
	int64_t rows[8]; /* rows that the numbers are bound to */
	size_t count;
	size_t request_count;
	char miscited[100];
	bool uncited;
	char unbound_text[100];
	struct guard_numbers *numbers;
};

static void on_answer_chunk(void *owner, const struct guard_chunk *p)
{
	struct cited_answer *a = owner;

	if (!p->marked) {
		buf_add(&a->line, p->text, p->len);
		return;
	}
	buf_printf(&a->line, "<%s%s%s:%.*s>", guard_kind_name(p->kind), p->why ? " " : "",
		   p->why ? guard_unchecked_reason_name(p->why) : "", (int)p->len, p->text);
	a->rows[a->count++] = p->ref.row;
}

static bool on_unbound(void *owner, const struct guard_unbound *d)
{
	struct cited_answer *a = owner;

	a->request_count++;
	snprintf(a->miscited, sizeof(a->miscited), "%s", d->miscited);
	snprintf(a->unbound_text, sizeof(a->unbound_text), "%.*s", (int)d->len, d->text);
	a->uncited = d->uncited;
	return true;
}

/* A chunk of the answer, with the numbers of the passages it cites. */
struct cited_chunk {
	const char *text;
	int64_t cites[3]; /* ended by 0 */
};

static void cite(struct guard_numbers *g, const int64_t *cites)
{
	struct guard_passage_row passage_rows[3] = {0};
	size_t n = 0;

	while (n < 3 && cites[n] > 0) {
		passage_rows[n] = (struct guard_passage_row){CALL, cites[n] - 1};
		n++;
	}
	guard_numbers_cite(g, passage_rows, n);
}

static void begin(struct cited_answer *a, enum guard_policy policy)
{
	use_result(sample_result(arena, sample_table(columns, 4, cells, 3)));
	*a = (struct cited_answer){0};
	buf_init(&a->line, 1 << 16);
	input.policy = policy;
	input.sink = (struct guard_sink){on_answer_chunk, on_unbound, a};
	a->numbers = guard_numbers_new(&input);
}

static void feed(struct cited_answer *a, const struct cited_chunk *p)
{
	cite(a->numbers, p->cites);
	guard_numbers_feed(a->numbers, p->text, strlen(p->text));
}

static void end(struct cited_answer *a, const char *line)
{
	guard_numbers_end(a->numbers);
	assert_string_equal(buf_text(&a->line), line);
	guard_numbers_free(&a->numbers);
	buf_deinit(&a->line);
}

static void assert_cited_marks(struct cited_answer *a, const struct cited_chunk *chunks,
			       size_t count, const char *line)
{
	begin(a, GUARD_FLAG);
	for (size_t i = 0; i < count; i++)
		feed(a, &chunks[i]);
	end(a, line);
}

#define ASSERT_CITED_MARKS(a, line, ...)                                                           \
	assert_cited_marks(a, (const struct cited_chunk[]){__VA_ARGS__},                           \
			   sizeof((const struct cited_chunk[]){__VA_ARGS__}) /                     \
				   sizeof(struct cited_chunk),                                     \
			   line)

static void binds_number_to_cited_passage(void **state)
{
	struct cited_answer a;

	(void)state;
	ASSERT_CITED_MARKS(&a, "It takes <bound:15> minutes.", {"It takes 15 minutes.", {3}});
	assert_int_equal(a.rows[0], 2);
	input.result_count = 0;
	ASSERT_CITED_MARKS(&a, "It takes <bound:15> minutes.", {"It takes 15 minutes.", {2}});
	assert_int_equal(a.rows[0], 1);
}

static void number_of_other_passage_is_mismatch(void **state)
{
	struct cited_answer a;

	(void)state;
	ASSERT_CITED_MARKS(&a, "It takes <bound mismatch:15> minutes.",
			   {"It takes 15 minutes.", {1}});
	assert_int_equal(a.rows[0], 1);
	input.result_count = 0;
	ASSERT_CITED_MARKS(&a, "It takes <bound:15> minutes or <bound:30 days>.",
			   {"It takes 15 minutes or 30 days.", {1, 3}});
}

static void number_without_source_stays_unbound(void **state)
{
	struct cited_answer a;

	(void)state;
	ASSERT_CITED_MARKS(&a, "It takes <unbound:45> minutes.",
			   {"It takes 45 minutes.", {1, 2, 3}});
}

/* Each sentence keeps its citations, even if it is checked later. */
static void each_sentence_has_its_own_citations(void **state)
{
	struct cited_answer a;

	(void)state;
	ASSERT_CITED_MARKS(&a,
			   "It takes <bound:15> minutes. It takes <bound mismatch:15> minutes. Or "
			   "<bound:15> minutes.",
			   {"It takes 15 minutes.", {2}}, {" It takes 15 minutes.", {1}},
			   {" Or 15 minutes.", {0}});
}

/* A rewrite is requested; the reply is checked with its own citations. */
static void mismatch_is_rewritten(void **state)
{
	static const struct {
		const char *rewrite, *line;
		int64_t cites[3];
	} rows[] = {
		{"15 minutes.", "It takes <bound:15> minutes. Then <bound:30 days>.", {2}},
		{"120 hours.", "It takes <bound:120 hours>. Then <bound:30 days>.", {1}},
		{"30 days.", "It takes <bound mismatch:15> minutes. Then <bound:30 days>.", {1}},
		{"", "It takes <bound mismatch:15> minutes. Then <bound:30 days>.", {0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cited_answer a;
		char text[40];

		input.result_count = 0;
		begin(&a, GUARD_REWRITE);
		feed(&a, &(struct cited_chunk){"It takes 15 minutes.", {1}});
		feed(&a, &(struct cited_chunk){" Then 30 days.", {3}});
		assert_int_equal(a.request_count, 1);
		assert_string_equal(a.miscited, "15");
		cite(a.numbers, rows[i].cites);
		snprintf(text, sizeof(text), "%s%s", rows[i].rewrite, *rows[i].rewrite ? " " : "");
		guard_numbers_rewrite(a.numbers, text, strlen(text));
		end(&a, rows[i].line);
	}
}

static void feed_uncited(struct cited_answer *a, const char *text)
{
	cite(a->numbers, (const int64_t[]){0});
	guard_numbers_uncited(a->numbers, strlen(text));
	guard_numbers_feed(a->numbers, text, strlen(text));
}

/* The whole sentence is held only with GUARD_REWRITE, whether it contains numbers or not. */
static void uncited_text_is_rewritten(void **state)
{
	static const struct {
		const char *rewrite, *line;
		int64_t cites[3];
	} rows[] = {
		{"Then wait 30 days.",
		 "Plain. It takes <bound:120 hours>. Then wait <bound:30 days>. End.",
		 {3}},
		{"Then they wait.", "Plain. It takes <bound:120 hours>. Then they wait. End.", {3}},
		/* a number of another passage, and an unknown one: the original sentence is kept */
		{"Then wait 15.",
		 "Plain. It takes <bound:120 hours>. Then everybody waits. End.",
		 {1}},
		{"Then wait 77.",
		 "Plain. It takes <bound:120 hours>. Then everybody waits. End.",
		 {1}},
		{"", "Plain. It takes <bound:120 hours>. Then everybody waits. End.", {0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cited_answer a;

		input.result_count = 0;
		begin(&a, GUARD_REWRITE);
		feed(&a, &(struct cited_chunk){"Plain.", {0}});
		feed(&a, &(struct cited_chunk){" It takes 120 hours.", {1}});
		feed_uncited(&a, " Then everybody waits.");
		assert_int_equal(a.request_count, 1);
		assert_true(a.uncited);
		assert_string_equal(a.miscited, "");
		assert_string_equal(a.unbound_text, "Then everybody waits.");
		feed(&a, &(struct cited_chunk){" End.", {2}}); /* while the rewrite is pending */
		cite(a.numbers, rows[i].cites);
		guard_numbers_rewrite(a.numbers, rows[i].rewrite, strlen(rows[i].rewrite));
		assert_int_equal(a.request_count, 1);
		end(&a, rows[i].line);
	}
}

static void rewritten_uncited_text_is_checked(void **state)
{
	struct cited_answer a;

	(void)state;
	begin(&a, GUARD_REWRITE);
	feed_uncited(&a, "It takes 77 weeks. ");
	assert_true(a.uncited);
	guard_numbers_rewrite(a.numbers, "", 0);
	assert_int_equal(a.request_count, 2);
	assert_false(a.uncited);
	guard_numbers_rewrite(a.numbers, "", 0);
	end(&a, "It takes <withheld:[unverified]>. ");
}

static void other_policies_request_no_rewrite(void **state)
{
	struct cited_answer a;

	(void)state;
	begin(&a, GUARD_FLAG);
	feed_uncited(&a, "Everybody waits. ");
	assert_int_equal(a.request_count, 0);
	end(&a, "Everybody waits. ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(binds_number_to_cited_passage, set_up, tear_down),
		cmocka_unit_test_setup_teardown(number_of_other_passage_is_mismatch, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(number_without_source_stays_unbound, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(each_sentence_has_its_own_citations, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(mismatch_is_rewritten, set_up, tear_down),
		cmocka_unit_test_setup_teardown(uncited_text_is_rewritten, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rewritten_uncited_text_is_checked, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(other_policies_request_no_rewrite, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
