/*
 * The cost of the checks of an answer: `bench_guard`. Answers are streamed in tokens of four bytes:
 * prose with numbers, and tables of up to 500 rows. Prints the mean, the 99th percentile and the
 * maximum per token, and the time to read the results before the first token.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sample_results.h"
#include "shipped_units.h"
#include "vesper/guard.h"
#include "vesper/str.h"

#define TOKEN_BYTES 4
#define REPEATS     20
#define TOKENS_MAX  4000000

static const char *const hosts[] = {"app.powerbi.com", NULL};
static float *ns;
static size_t tokens;
static double cpu_ns; /* of all tokens */

static double now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void drop_piece(void *owner, const struct guard_chunk *p)
{
	*(size_t *)owner += p->len;
}

static void to_numbers(void *owner, const char *text, size_t len)
{
	guard_numbers_feed(owner, text, len);
}

static void to_links(void *owner, const char *text, size_t len)
{
	guard_links_feed(owner, text, len);
}

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static void print_times(const char *what, enum guard_policy policy, double prepare_ns)
{
	qsort(ns, tokens, sizeof(*ns), by_size);
	printf("%-34s %-8s mean %5.2f us   p99 %6.2f us   max %7.1f us   results read in %7.1f "
	       "us\n",
	       what, guard_policy_name(policy), cpu_ns / (double)tokens / 1e3,
	       (double)ns[tokens - tokens / 100 - 1] / 1e3, (double)ns[tokens - 1] / 1e3,
	       prepare_ns / 1e3);
}

static double stream(struct guard_input *in, const struct guard_secret *secret, const char *text)
{
	size_t seen = 0, len = strlen(text);
	double begin = now_ns(CLOCK_PROCESS_CPUTIME_ID), prepared, cpu;
	struct guard_numbers *numbers;
	struct guard_leakage *leakage;
	struct guard_links *links;

	in->sink = (struct guard_sink){.on_answer_chunk = drop_piece, .owner = &seen};
	numbers = guard_numbers_new(in);
	links = guard_links_new(hosts, to_numbers, numbers);
	leakage = guard_leakage_new(secret, to_links, links);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	prepared = cpu - begin;
	for (size_t at = 0; at < len && tokens < TOKENS_MAX; at += TOKEN_BYTES) {
		begin = now_ns(CLOCK_MONOTONIC);
		guard_leakage_feed(leakage, text + at,
				   len - at < TOKEN_BYTES ? len - at : TOKEN_BYTES);
		ns[tokens++] = (float)(now_ns(CLOCK_MONOTONIC) - begin);
	}
	guard_leakage_end(leakage);
	guard_links_end(links);
	guard_numbers_end(numbers);
	cpu_ns += now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	guard_leakage_free(&leakage);
	guard_links_free(&links);
	guard_numbers_free(&numbers);
	return prepared;
}

/* ---- answers ---- */

static const struct sample_column columns[] = {
	{"Vendor", NULL, COLUMN_TEXT},      {"HubZone", NULL, COLUMN_TEXT},
	{"AsOf", NULL, COLUMN_TEXT},        {"Hour", NULL, COLUMN_INT},
	{"Price", "$/MWh", COLUMN_DECIMAL}, {"DataPoints", "hours", COLUMN_INT}};

static struct result *make_result(struct arena *a, size_t rows)
{
	static const char *const vendors[] = {"Ascend", "Hitachi", "ICF", "Wood Mackenzie"};
	const char **cells = arena_alloc(a, sizeof(*cells) * 6 * rows);

	for (size_t r = 0; r < rows; r++) {
		cells[6 * r] = vendors[r % 4];
		cells[6 * r + 1] = arena_printf(a, "HB_ZONE%zu", r / 24);
		cells[6 * r + 2] = r % 2 ? "Jan_2025" : "Q1_2025";
		cells[6 * r + 3] = arena_printf(a, "%zu", r % 24);
		cells[6 * r + 4] = arena_printf(a, "%zu.%02zu", 20 + r * 7 % 80, r * 13 % 100);
		cells[6 * r + 5] = "8760";
	}
	return sample_result(a, sample_table(columns, 6, cells, rows));
}

static const char *prose(struct arena *a, size_t sentences)
{
	const char *text = "";

	for (size_t i = 0; i < sentences; i++)
		text = arena_printf(
			a,
			"%sFor HB_ZONE0 **Ascend** averages **$%zu.%02zu/MWh** over 8,760 "
			"hours (as-of Jan_2025), which is %zu.%zu%% above Hitachi; the "
			"shape is flat in the morning and steep in the evening.\n\n",
			text, 20 + i * 11 % 80, i * 37 % 100, i % 30, i % 10);
	return text;
}

static const char *table_text(struct arena *a, const struct result *r)
{
	const struct table *t = r->tables[0];
	struct buf b;
	const char *text;

	buf_init(&b, 1 << 20);
	buf_str(&b, "| Vendor | Hub-zone | As-of | Hour | Price ($/MWh) | Hours |\n"
		    "|---|---|---|---:|---:|---:|\n");
	for (size_t i = 0; i < t->row_count; i++)
		buf_printf(&b, "| %s | %s | %s | %s | %s | 8,760 |\n", t->rows[i][0], t->rows[i][1],
			   t->rows[i][2], t->rows[i][3], t->rows[i][4]);
	text = arena_strdup(a, buf_text(&b));
	buf_deinit(&b);
	return text;
}

static void measure(const char *what, size_t rows, bool as_table)
{
	static const char *const prompts[] = {
		"You write the answers for business readers and never "
		"invent a number, name, date, link or cause.",
		NULL};
	struct guard_secret *secret = guard_secret_new(prompts);
	struct arena *a = arena_new(64 << 20);
	const struct result *results[] = {make_result(a, rows)};
	const char *text = as_table ? table_text(a, results[0]) : prose(a, 40);

	for (int p = GUARD_FLAG; p <= GUARD_WITHHOLD; p++) {
		struct guard_input in = {.results = results,
					 .result_count = 1,
					 .units = shipped_units(),
					 .question = "How is it in 2025?",
					 .today = {2026, 2, 27},
					 .policy = (enum guard_policy)p};
		double prepare = 0;

		tokens = 0;
		cpu_ns = 0;
		for (int i = 0; i < REPEATS; i++)
			prepare += stream(&in, secret, text);
		print_times(what, in.policy, prepare / REPEATS);
	}
	arena_free(&a);
	guard_secret_free(&secret);
}

int main(void)
{
	ns = calloc(TOKENS_MAX, sizeof(*ns));
	if (!ns)
		return 1;
	measure("prose, 2 rows", 2, false);
	measure("prose, 24 rows", 24, false);
	measure("prose, 500 rows", 500, false);
	measure("a table of 24 rows", 24, true);
	measure("a table of 500 rows", 500, true);
	free(ns);
	return 0;
}
