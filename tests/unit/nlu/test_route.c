/*
 * The labelled questions of tests/route against the real catalogue, with the names that the demo
 * has. Each line has what a person would say is right: intent, tools, filters, what is asked back.
 * Weights and words were set while looking at the half "tune" only; "held" tells what to expect of
 * questions that nobody saw. Shares are printed and may not fall below the thresholds.
 */
#include "route_bench.h"

#define QUESTIONS  VESPER_SOURCE_DIR "/tests/route/questions.jsonl"
#define EASY_LEAST 600
#define HARD_LEAST 250

enum { TUNE, HELD, HALVES };
enum { EASY, HARD, KINDS };

static const char *const half_names[] = {"tune", "held"};
static const char *const kind_names[] = {"easy", "hard"};
/* shares that may not be missed */
static const double least_intent[KINDS] = {0.97, 0.80}, least_call[KINDS] = {0.95, 0.70};

struct count {
	int total, intent, call;
};

/* How often calls were right that were this sure. */
#define BINS 4
static const double bin_from[BINS + 1] = {0, 0.8, 0.9, 0.96, 1.01};
#define BIN_LEAST 20   /* fewer tell nothing */
#define BIN_OFF   0.12 /* how far the mean confidence may be from the share of right ones */

struct bin {
	int total, right;
	double sum;
};

struct result {
	struct count counts[HALVES][KINDS];
	struct bin bins[BINS];
};

static void add_to_bin(struct result *b, double confidence, bool right)
{
	for (size_t i = 0; i < BINS; i++)
		if (confidence >= bin_from[i] && confidence < bin_from[i + 1]) {
			b->bins[i].total++;
			b->bins[i].right += right;
			b->bins[i].sum += confidence;
		}
}

static void judge(struct bench *b, const json_t *line, void *owner)
{
	struct result *result = owner;
	bool easy = strcmp(json_string_value(json_object_get(line, "group")), "easy") == 0;
	bool held = strcmp(json_string_value(json_object_get(line, "half")), "held") == 0;
	struct count *count = &result->counts[held ? HELD : TUNE][easy ? EASY : HARD];
	const char *question = json_string_value(json_object_get(line, "question"));
	struct arena *a = arena_new(1 << 24);
	struct catalog_view may;
	struct understanding u;
	json_t *route;
	bool intent, call;

	catalog_for(b->catalog, &b->who, a, &may);
	understand(b, &may, line, a, &u);
	nothing_is_made_up(b, &u, question);
	route = nlu_route_json(&u);
	intent = strcmp(u.intent, json_string_value(json_object_get(line, "intent"))) == 0;
	call = intent && right_tools(&u, line) && right_rest(&u, line, route);
	count->total++;
	count->intent += intent;
	count->call += call;
	if (!call && !held && getenv("VESPER_SHOW")) {
		char *got = json_text(route);

		print_message("%s: \"%s\"\n  got %s\n",
			      json_string_value(json_object_get(line, "id")), question, got);
		mem_free(got);
	}
	if (u.tool_count > 0)
		add_to_bin(result, u.confidence, call);
	if (u.tool_count == 0 && u.kind == NLU_DATA)
		assert_non_null(u.ask.text);
	json_decref(route);
	arena_free(&a);
}

static void questions_are_understood(void **state)
{
	struct arena *a = arena_new(FILE_CAP * 4);
	struct bench b = {0};
	struct result result = {0};

	(void)state;
	bench_open(&b, a);
	each_line(&b, QUESTIONS, a, judge, &result);
	for (int kind = 0; kind < KINDS; kind++) {
		int total = 0;

		for (int half = 0; half < HALVES; half++) {
			const struct count *c = &result.counts[half][kind];

			print_message(
				"%s, %s half: %3d questions, intent %5.1f %%, tool and filters "
				"%5.1f %%\n",
				kind_names[kind], half_names[half], c->total,
				100.0 * c->intent / c->total, 100.0 * c->call / c->total);
			assert_true(c->intent >= least_intent[kind] * c->total);
			assert_true(c->call >= least_call[kind] * c->total);
			total += c->total;
		}
		assert_true(total >= (kind == EASY ? EASY_LEAST : HARD_LEAST));
	}
	print_message("%.1f us a question\n", (double)b.spent_us / b.asked);
	bench_close(&b);
	arena_free(&a);
}

static void confidence_matches_share_of_correct_calls(void **state)
{
	struct arena *a = arena_new(FILE_CAP * 4);
	struct bench b = {0};
	struct result result = {0};

	(void)state;
	bench_open(&b, a);
	each_line(&b, QUESTIONS, a, judge, &result);
	for (size_t i = 0; i < BINS; i++) {
		const struct bin *bin = &result.bins[i];
		double right = bin->total ? (double)bin->right / bin->total : 0;
		double mean = bin->total ? bin->sum / bin->total : 0;

		print_message("confidence from %.2f: %3d calls, %.3f on average, %.3f right\n",
			      bin_from[i], bin->total, mean, right);
		if (bin->total >= BIN_LEAST)
			assert_true(right - mean < BIN_OFF + (bin_from[i] < 0.8) &&
				    mean - right < BIN_OFF);
		/* what is sure is run without asking a model */
		if (bin_from[i] >= NLU_CONFIDENT && bin->total >= BIN_LEAST)
			assert_true(right >= 0.8);
	}
	bench_close(&b);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(questions_are_understood),
		cmocka_unit_test(confidence_matches_share_of_correct_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
