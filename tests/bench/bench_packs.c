/*
 * The cost of packs: `bench_packs` prints the time to understand questions with three packs in one
 * list, and the memory of each further list. The questions are the labelled ones of tests/route;
 * the names are those of the catalogue.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "vesper/arena.h"
#include "vesper/json.h"
#include "vesper/nlu.h"

#define QUESTIONS_MAX  2000
#define LINE_BYTES_MAX 4096
#define ROUNDS         5
#define TODAY          ((struct date){2026, 2, 27})

static const char *const files[] = {"business.jsonl", "solar.jsonl",  "round1.jsonl",
				    "round2.jsonl",   "round3.jsonl", "round4.jsonl"};
static char *questions[QUESTIONS_MAX];
static size_t question_count;
static double times[QUESTIONS_MAX];

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double rss_mb(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%*d %ld", &pages) != 1)
		exit(1);
	fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static void read_questions(const char *name)
{
	char path[512], line[LINE_BYTES_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/route/%s", VESPER_SOURCE_DIR, name);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		struct err e;
		json_t *q;
		const char *text;

		if (!json_parse(line, strlen(line), LINE_BYTES_MAX, &q, &e))
			continue;
		text = json_string_value(json_object_get(q, "question"));
		if (text && question_count < QUESTIONS_MAX)
			questions[question_count++] = strdup(text);
		json_decref(q);
	}
	if (!f || fclose(f) != 0)
		exit(1);
}

static struct catalog *load(const struct pack_list *packs)
{
	struct catalog *c;
	struct err e = {0};

	if (catalog_load((const char *const[]){VESPER_SOURCE_DIR, VESPER_SOURCE_DIR "/tests/packs",
					       NULL},
			 packs, &c, &e))
		return c;
	fprintf(stderr, "%s\n", e.text);
	exit(1);
}

/* Measures the fastest round of each question, which excludes the effect of other programs. */
static void time_questions(const struct nlu *k, const struct catalog *c)
{
	struct principal who = {
		.user = "u", .tenant = "t", .permissions = catalog_role(c, "admin")};
	struct arena *a = arena_new(64 << 20);
	struct catalog_view may;

	while (who.permissions[who.permission_count])
		who.permission_count++;
	catalog_for(c, &who, a, &may);
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < question_count; i++) {
			struct arena *turn = arena_new(64 << 20);
			const struct nlu_input in = {.question = questions[i],
						     .tenant = who.tenant,
						     .may = &may,
						     .today = TODAY};
			struct understanding u;
			double from = now_us();

			nlu_understand(k, &in, turn, &u);
			from = now_us() - from;
			if (round == 0 || from < times[i])
				times[i] = from;
			arena_free(&turn);
		}
	arena_free(&a);
}

static int by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	const struct pack_list lists[] = {
		{.key = "core,energy", .names = (const char *const[]){"core", "energy", NULL}},
		{.key = "core,solar", .names = (const char *const[]){"core", "solar", NULL}},
		{.key = "core,city", .names = (const char *const[]){"core", "city", NULL}},
		{.key = "energy,solar,hospital",
		 .names = (const char *const[]){"core", "energy", "solar", "hospital", NULL}},
	};
	struct catalog *c = NULL;
	struct nlu *k = NULL;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		read_questions(files[i]);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		double before = rss_mb();

		c = load(&lists[i]);
		k = nlu_new(c);
		printf("%-24s %5.1f MB, %.1f MB in all\n", lists[i].key, rss_mb() - before,
		       rss_mb());
	}
	time_questions(k, c);
	qsort(times, question_count, sizeof(times[0]), by_time);
	printf("%zu questions, all packs: p50 %.0f us, p99 %.0f us, most %.0f us\n", question_count,
	       times[question_count / 2], times[question_count * 99 / 100],
	       times[question_count - 1]);
	return 0;
}
