/*
 * Speed, memory and recall of the index of names: `bench_names [COUNT]`. Prints the measurements;
 * requirements are asserted by unit tests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "names_int.h"
#include "name_maker.h"

#define PROBES 20000

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double rss_mb(const char *what)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[200];
	double kb = 0;

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, what, strlen(what)) == 0)
			kb = strtod(line + strlen(what), NULL);
	if (f)
		fclose(f);
	return kb / 1024;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void print_times(const char *what, double *us)
{
	qsort(us, PROBES, sizeof(*us), by_size);
	printf("%-22s p50 %8.1f us   p99 %8.1f us   max %8.1f us\n", what, us[PROBES / 2],
	       us[PROBES - PROBES / 100], us[PROBES - 1]);
}

/* The position of the correct name among the candidates, 0 for the first; -1: it is missing. */
static int place_of(const struct lexicon *l, const struct fuzzy_value *near, size_t count,
		    const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(lexicon_text(l, near[i].value), name) == 0)
			return (int)i;
	return -1;
}

static void probe(const struct lexicon *l, int edits)
{
	static double us[PROBES];
	struct name_maker m = {.state = 4711};
	struct fuzzy_value near[FUZZY_MATCHES_MAX];
	char what[40];
	int found = 0, first = 0;

	for (int i = 0; i < PROBES; i++) {
		const char *name = lexicon_text(l, name_maker_random(&m, (uint32_t)l->count));
		char typed[NAME_MAKER_BYTES * 2];
		struct folded f;
		double begin;
		size_t n;
		int place;

		snprintf(typed, sizeof(typed), "%s", name);
		for (int e = 0; e < edits && (e == 0 || strlen(name) > 8); e++)
			name_maker_mistype(&m, typed);
		text_fold(typed, &f);
		begin = now_us();
		n = lexicon_find_fuzzy(l, f.key, f.len, fuzzy_limit(f.key, f.len), near,
				       FUZZY_MATCHES_MAX);
		us[i] = now_us() - begin;
		place = place_of(l, near, n, name);
		found += place >= 0 && place < 3;
		first += place == 0;
	}
	snprintf(what, sizeof(what), "near, %d edit%s", edits, edits > 1 ? "s" : "");
	print_times(what, us);
	printf("%-22s @1 %.2f %%   @3 %.2f %%\n", "  recall", 100.0 * first / PROBES,
	       100.0 * found / PROBES);
}

static void probe_exact(const struct lexicon *l)
{
	static double us[PROBES];
	struct name_maker m = {.state = 815};
	uint32_t out[FUZZY_MATCHES_MAX];
	size_t found = 0;

	for (int i = 0; i < PROBES; i++) {
		size_t len;
		const char *key =
			keys_at(&l->names, name_maker_random(&m, (uint32_t)l->count), &len);
		double begin = now_us();

		found += lexicon_find(l, key, len, out, FUZZY_MATCHES_MAX) > 0;
		us[i] = now_us() - begin;
	}
	print_times("whole name", us);
	printf("%-22s %zu of %d\n", "  found", found, PROBES);
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? (size_t)atol(argv[1]) : 1000000;
	struct name_maker m = {.state = 42};
	struct lexicon_build *b = lexicon_build_new();
	const struct lexicon *l;
	char name[NAME_MAKER_BYTES];
	double before = rss_mb("VmRSS:"), begin;

	for (size_t i = 0; i < count; i++) {
		name_maker_any(&m, name, sizeof(name));
		if (!lexicon_build_add(b, name, NULL))
			return 1;
	}
	begin = now_us();
	l = lexicon_new(&b, LEXICON_WORDS | LEXICON_INITIALS, NULL);
	printf("%zu names, made in %.0f ms, %.1f MB resident (%.1f MB at most while making)\n",
	       l->count, (now_us() - begin) / 1e3, rss_mb("VmRSS:") - before,
	       rss_mb("VmHWM:") - before);
	printf("%zu words, %zu nodes forward, %zu backward\n", l->words.keys.count,
	       l->names.forward.node_count, l->names.backward.node_count);
	probe_exact(l);
	probe(l, 1);
	probe(l, 2);
	lexicon_unref(&l);
	return 0;
}
