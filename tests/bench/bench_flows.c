/*
 * The cost of flows: `bench_flows` prints the time to parse 200 flows, to create an overlay of 500
 * approved ones, and to understand a question with and without them.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vesper/arena.h"
#include "vesper/nlu.h"
#include "vesper/overlay.h"

#define PARSED   200 /* flows */
#define APPROVED 500 /* flows */
#define ROUNDS   200
#define TODAY    ((struct date){2026, 2, 27})

static struct catalog *packs;
static struct principal who = {.user = "u", .tenant = "t"};

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* The text of a flow with varying words, like those of approved questions. */
static const char *flow_no(size_t i, struct arena *a)
{
	static const char *const what[] = {"gap",  "lead", "spread", "rank",   "race",
					   "duel", "edge", "match",  "margin", "rivalry"};
	static const char *const how[] = {"brief", "weekly", "early", "late",  "board",
					  "desk",  "trader", "audit", "fresh", "quiet"};

	return arena_printf(
		a,
		"---\nflow: own_%zu\nabout: The %s of vendors, %s.\nexamples:\n"
		"  - The %s %s of {vendor} and {vendor} for {hub_zone} in {year}, part%zu\n"
		"  - Who leads the %s %s at {hub_zone}, part%zu?\nagent: dayahead_agent\n---\n"
		"ask hub_zone single \"Which hub-zone?\"\nask year single \"Which year?\"\n"
		"do t1 compare_vendors reference=Base\n"
		"do t2 get_hourly_price_distribution vendor={t1.facts.higher_vendor} "
		"if t1.row_count > 0\nsay \"{t1.facts.gap}\"\n",
		i, what[i % 10], how[i / 10 % 10], what[i % 10], how[i / 10 % 10], i, what[i % 10],
		how[i / 10 % 10], i);
}

static double time_parsing(void)
{
	struct arena *a = arena_new(64 << 20);
	const char *texts[PARSED];
	double from;

	for (size_t i = 0; i < PARSED; i++)
		texts[i] = flow_no(i, a);
	from = now_us();
	for (size_t i = 0; i < PARSED; i++) {
		struct flow_def f;
		struct err e = {0};

		if (!flow_read(packs, "energy", arena_printf(a, "own_%zu.flow", i), texts[i], a, &f,
			       &e)) {
			fprintf(stderr, "%s\n", e.text);
			exit(1);
		}
	}
	from = now_us() - from;
	arena_free(&a);
	return from;
}

static struct catalog *with_approved(struct arena *a)
{
	static struct flow_source flows[APPROVED];
	const struct catalog_overlay o = {
		.tenant = who.tenant, .version = 1, .flows = flows, .flow_count = APPROVED};
	const struct catalog_overlay *all[] = {&o};
	struct catalog *c;
	struct err e = {0};

	for (size_t i = 0; i < APPROVED; i++)
		flows[i] = (struct flow_source){.path = arena_printf(a, "approved/own_%zu", i),
						.text = flow_no(i, a)};
	if (!catalog_with_overlays(packs, all, 1, &c, &e)) {
		fprintf(stderr, "%s\n", e.text);
		exit(1);
	}
	return c;
}

/* Microseconds a question, over all examples of all domains. */
static double time_understanding(const struct nlu *k, const struct catalog *c)
{
	struct arena *a = arena_new(256 << 20);
	struct catalog_view may;
	size_t asked = 0;
	double us = 0;

	catalog_for(c, &who, a, &may);
	for (int round = 0; round < ROUNDS; round++)
		for (size_t d = 0; d < may.domain_count; d++)
			for (const char *const *x = may.domains[d]->examples; x && *x; x++) {
				struct arena *turn = arena_new(8 << 20);
				const struct nlu_input in = {.question = *x,
							     .tenant = who.tenant,
							     .may = &may,
							     .today = TODAY};
				struct understanding u;
				double from = now_us();

				nlu_understand(k, &in, turn, &u);
				us += now_us() - from;
				asked++;
				arena_free(&turn);
			}
	arena_free(&a);
	return us / (double)asked;
}

int main(void)
{
	struct arena *a = arena_new(64 << 20);
	struct nlu *base, *with;
	struct catalog *overlaid;
	struct err e = {0};
	double from, without_us, with_us;

	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &packs, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	who.permissions = catalog_role(packs, "admin");
	while (who.permissions[who.permission_count])
		who.permission_count++;
	base = nlu_new(packs);
	(void)time_parsing(); /* warms up */
	printf("parsing %d flows: %.2f ms\n", PARSED, time_parsing() / 1000);
	from = now_us();
	overlaid = with_approved(a);
	printf("an overlay of %d flows: %.2f ms\n", APPROVED, (now_us() - from) / 1000);
	from = now_us();
	with = nlu_with_overlay(base, overlaid);
	printf("its index of words: %.2f ms\n", (now_us() - from) / 1000);
	(void)time_understanding(base, packs);
	without_us = time_understanding(base, packs);
	with_us = time_understanding(with, overlaid);
	printf("understanding a question: %.1f us, with %d approved ones %.1f us\n", without_us,
	       APPROVED, with_us);
	nlu_free(&with);
	nlu_free(&base);
	catalog_unref(&overlaid);
	catalog_unref(&packs);
	arena_free(&a);
	return 0;
}
