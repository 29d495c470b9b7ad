/* Scores computed by hand, and inputs that must not change them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "english.h"
#include "vesper/find.h"
#include "vesper/limits.h"
#include "vesper/text.h"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(64 << 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static struct find_segment *segment_of(const char *const (*chunks)[2], size_t count)
{
	struct find_builder *b = find_builder_new(shipped_language());

	for (size_t i = 0; i < count; i++)
		find_builder_add(b, str_of(chunks[i][0]), str_of(chunks[i][1]));
	return find_builder_finish(&b);
}

static struct find_segment *segment_of_one(const char *heading, const char *text)
{
	const char *const chunk[1][2] = {{heading, text}};

	return segment_of(chunk, 1);
}

static const char *const read_all[] = {"doc:1", "doc:2", "doc:3"};
static const struct principal ann = {
	.user = "ann", .tenant = "vesper", .permissions = read_all, .permission_count = 3};
static const struct principal bob = {
	.user = "bob", .tenant = "vesper", .permissions = read_all, .permission_count = 1};

static struct find_results search(const struct find_index *x, struct find_query q)
{
	struct find_results found;

	if (!q.who)
		q.who = &ann;
	if (!q.top)
		q.top = 10;
	find_search(x, &q, arena, &found);
	return found;
}

/* Ten documents of one chunk each. None of the words is a stop word, and no two share a stem. */
static const char *const ten[10][2] = {
	{"", "copper wire copper"},    /* 3 words */
	{"", "copper pipe"},           /* 2 */
	{"", "iron gate lock key"},    /* 4 */
	{"Copper", "iron"},            /* heading twice: 3 */
	{"", "stone"},                 /* 1 */
	{"", "stone bridge"},          /* 2 */
	{"", "glass"},                 /* 1 */
	{"", "glass window frame"},    /* 3 */
	{"", "wool"},                  /* 1 */
	{"", "iron wool stone glass"}, /* 4 */
};

/* N = 10, average = 24/10. */
static double bm25(double df, double times, double length)
{
	double idf = log(1 + (10 - df + 0.5) / (df + 0.5));

	return idf * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * length / 2.4));
}

static size_t open_documents(struct find_doc *docs, char uids[10][4])
{
	for (size_t i = 0; i < 10; i++) {
		snprintf(uids[i], 4, "d%zu", i);
		docs[i] = (struct find_doc){.uid = uids[i],
					    .segment = segment_of_one(ten[i][0], ten[i][1])};
	}
	return 10;
}

static void free_segments(struct find_doc *docs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		find_segment_free((struct find_segment **)&docs[i].segment);
}

static void scores_match_the_formula(void **state)
{
	struct find_doc docs[10];
	char uids[10][4];
	const struct find_index x = {shipped_language(), docs, open_documents(docs, uids)};
	struct find_results f = search(&x, (struct find_query){.text = "Copper, iron?"});

	(void)state;
	assert_int_equal(f.count, 5);
	/* df(copper) = 3, df(iron) = 3 */
	assert_string_equal(f.hits[0].doc->uid, "d3");
	assert_true(fabs(f.hits[0].score - (bm25(3, 2, 3) + bm25(3, 1, 3))) < 1e-9);
	assert_string_equal(f.hits[1].doc->uid, "d0");
	assert_true(fabs(f.hits[1].score - bm25(3, 2, 3)) < 1e-9);
	assert_string_equal(f.hits[2].doc->uid, "d1");
	assert_true(fabs(f.hits[2].score - bm25(3, 1, 2)) < 1e-9);
	assert_string_equal(f.hits[3].doc->uid, "d2"); /* same score as d9: ordered by uid */
	assert_string_equal(f.hits[4].doc->uid, "d9");
	assert_true(f.hits[3].score == f.hits[4].score);
	assert_true(fabs(f.hits[3].score - bm25(3, 1, 4)) < 1e-9);
	assert_true(fabs(f.coverage - 1) < 1e-9);
	free_segments(docs, 10);
}

static void missing_words_lower_the_coverage(void **state)
{
	struct find_doc docs[10];
	char uids[10][4];
	const struct find_index x = {shipped_language(), docs, open_documents(docs, uids)};
	struct find_query q = {.text = "window zeppelin"};
	double window = log(1 + 9.5 / 1.5), zeppelin = log(1 + 10.5 / 0.5);
	struct find_results f = search(&x, q);

	(void)state;
	assert_int_equal(f.count, 1);
	assert_true(fabs(f.coverage - window / (window + zeppelin)) < 1e-9);
	q.least = f.coverage + 0.01;
	assert_int_equal(search(&x, q).count, 0);
	q.least = f.coverage - 0.01;
	assert_int_equal(search(&x, q).count, 1);
	free_segments(docs, 10);
}

/* Hits, scores and coverage reveal nothing about unreadable documents. */
static void hidden_documents_change_nothing(void **state)
{
	struct find_doc docs[] = {
		{"a", "doc:1", segment_of_one("", "copper wire and pipes"), NULL},
		{"b", "doc:2", segment_of_one("Copper", "copper copper copper secret"), NULL},
		{"c", "doc:3", segment_of_one("", "secret zeppelin"), NULL},
		{"d", "doc:1", segment_of_one("", "iron pipes"), NULL},
	};
	const struct find_doc visible[] = {docs[0], docs[3]};
	const struct find_index all = {shipped_language(), docs, 4},
				own = {shipped_language(), visible, 2};
	static const char *const texts[] = {"copper", "secret", "copper zeppelin pipes", "iron"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct find_query q = {.text = texts[i], .who = &bob};
		struct find_results with = search(&all, q), without = search(&own, q);

		assert_int_equal(with.count, without.count);
		assert_true(with.coverage == without.coverage);
		for (size_t k = 0; k < with.count; k++) {
			assert_string_equal(with.hits[k].doc->uid, without.hits[k].doc->uid);
			assert_true(with.hits[k].score == without.hits[k].score);
		}
	}
	assert_int_equal(search(&all, (struct find_query){.text = "secret"}).count, 2);
	free_segments(docs, 4);
}

static unsigned seed;

static unsigned random_below(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

static const char *random_text(void)
{
	static const char *const words[] = {"copper", "iron", "stone", "glass", "wool",
					    "bridge", "gate", "lock",  "frame", "the"};
	const char *text = "";

	for (unsigned i = random_below(12); i-- > 0;)
		text = arena_printf(arena, "%s %s", text, words[random_below(10)]);
	return text;
}

#define RANDOM_DOCS 12

static void order_of_documents_changes_nothing(void **state)
{
	(void)state;
	for (unsigned round = 1; round <= 300; round++) {
		struct find_doc docs[RANDOM_DOCS], reversed[RANDOM_DOCS];
		const char *text;
		struct find_results a, b;

		seed = round;
		for (size_t i = 0; i < RANDOM_DOCS; i++) {
			const char *const chunks[3][2] = {{random_text(), random_text()},
							  {"", random_text()},
							  {random_text(), ""}};

			docs[i] = (struct find_doc){
				.uid = arena_printf(arena, "d%zu", i),
				.segment = segment_of(chunks, 1 + random_below(3))};
			reversed[RANDOM_DOCS - 1 - i] = docs[i];
		}
		text = random_text();
		a = search(&(struct find_index){shipped_language(), docs, RANDOM_DOCS},
			   (struct find_query){.text = text});
		b = search(&(struct find_index){shipped_language(), reversed, RANDOM_DOCS},
			   (struct find_query){.text = text});
		assert_int_equal(a.count, b.count);
		for (size_t i = 0; i < a.count; i++) {
			assert_string_equal(a.hits[i].doc->uid, b.hits[i].doc->uid);
			assert_int_equal(a.hits[i].chunk, b.hits[i].chunk);
			assert_true(a.hits[i].score == b.hits[i].score);
		}
		free_segments(docs, RANDOM_DOCS);
	}
}

#define RANDOM_CHUNKS 10
#define MANY_DOCS     40

static struct find_segment *random_segment(void)
{
	const char *chunks[RANDOM_CHUNKS][2];
	size_t count = 1 + random_below(RANDOM_CHUNKS);

	for (size_t i = 0; i < count; i++) {
		chunks[i][0] = random_below(3) > 0 ? "" : random_text();
		chunks[i][1] = random_below(8) > 0 ? random_text() : "wool wool wool wool wool";
	}
	return segment_of((const char *const(*)[2])chunks, count);
}

/* A search skips candidates that cannot enter the result. The same search with a limit above the
 * number of chunks skips none and must agree. */
static void skipped_candidates_do_not_change_the_result(void **state)
{
	(void)state;
	for (unsigned round = 1; round <= 40; round++) {
		struct find_doc docs[MANY_DOCS];
		const struct find_index x = {shipped_language(), docs, MANY_DOCS};

		seed = round;
		for (size_t i = 0; i < MANY_DOCS; i++)
			docs[i] = (struct find_doc){.uid = arena_printf(arena, "d%zu", i),
						    .segment = random_segment()};
		for (int k = 0; k < 20; k++) {
			const char *text = random_text();
			struct find_results all =
				search(&x, (struct find_query){.text = text,
							       .top = MANY_DOCS * RANDOM_CHUNKS});

			for (size_t top = 1; top <= FIND_SPREAD; top++) {
				struct find_results some =
					search(&x, (struct find_query){.text = text, .top = top});

				assert_int_equal(some.count, all.count < top ? all.count : top);
				assert_true(some.coverage == all.coverage);
				for (size_t i = 0; i < some.count; i++) {
					assert_ptr_equal(some.hits[i].doc, all.hits[i].doc);
					assert_int_equal(some.hits[i].chunk, all.hits[i].chunk);
					assert_true(some.hits[i].score == all.hits[i].score);
				}
			}
		}
		free_segments(docs, MANY_DOCS);
	}
}

static void spreads_first_hits_over_documents(void **state)
{
	static const char *const many[6][2] = {{"", "copper"}, {"", "copper"}, {"", "copper"},
					       {"", "copper"}, {"", "copper"}, {"", "copper"}};
	struct find_doc docs[] = {
		{"a", NULL, segment_of(many, 6), NULL},
		{"b", NULL, segment_of_one("", "copper iron stone glass wool"), NULL},
	};
	const struct find_index x = {shipped_language(), docs, 2};
	struct find_results f = search(&x, (struct find_query){.text = "copper", .top = 4});

	(void)state;
	assert_int_equal(f.count, 4);
	assert_string_equal(f.hits[FIND_PER_DOCUMENT].doc->uid, "b");
	assert_string_equal(f.hits[3].doc->uid, "a"); /* b has no further passage */
	f = search(&x, (struct find_query){.text = "copper", .top = 4, .uid = "a"});
	assert_int_equal(f.count, 4);
	for (size_t i = 0; i < f.count; i++)
		assert_string_equal(f.hits[i].doc->uid, "a");
	free_segments(docs, 2);
}

static void empty_query_finds_nothing(void **state)
{
	struct find_doc docs[] = {{"a", NULL, segment_of_one("", "copper"), NULL},
				  {"b", NULL, segment_of_one("", ""), NULL}};
	const struct find_index x = {shipped_language(), docs, 2},
				none = {shipped_language(), NULL, 0};
	struct find_query q = {.text = "and of the"};
	struct buf many;

	(void)state;
	assert_int_equal(search(&x, q).count, 0);
	q.text = "";
	assert_int_equal(search(&x, q).count, 0);
	q.text = "copper";
	assert_int_equal(search(&none, q).count, 0);
	q.uid = "z";
	assert_int_equal(search(&x, q).count, 0);
	q.uid = NULL;
	buf_init(&many, 1 << 16); /* more words than are used */
	for (int i = 0; i < 400; i++)
		buf_printf(&many, "word%c%c ", 'a' + i / 26, 'a' + i % 26);
	buf_str(&many, "copper");
	q.text = buf_text(&many);
	assert_int_equal(search(&x, q).count, 0);
	buf_deinit(&many);
	free_segments(docs, 2);
}

/* The coverage of these words by the best passage, with the documents of the question. */
static double coverage_of(const struct find_index *x, const struct principal *who,
			  const char *question, const char *part)
{
	struct find_reach reach;
	struct question q;

	find_reach(x, question, who, &reach);
	text_tokenize(shipped_language(), part, arena, &q);
	return find_coverage(&reach, q.tokens, q.count);
}

static void best_passage_covers_each_part(void **state)
{
	struct find_doc docs[10];
	char uids[10][4];
	const struct find_index x = {shipped_language(), docs, open_documents(docs, uids)};
	const char *both = "copper pipe and a glass window";

	(void)state;
	assert_true(fabs(coverage_of(&x, &ann, both, "copper pipe") - 1) < 1e-9);
	assert_true(fabs(coverage_of(&x, &ann, both, "glass window") - 1) < 1e-9);
	assert_true(coverage_of(&x, &ann, both, both) < 1); /* no passage contains all four */
	assert_true(coverage_of(&x, &ann, "copper spoon", "copper spoon") < 0.5);
	assert_true(coverage_of(&x, &ann, "spoon", "spoon") == 0);
	assert_true(coverage_of(&x, &ann, "of the and", "of the and") == 0);
	free_segments(docs, 10);
}

static void hidden_documents_do_not_affect_reach(void **state)
{
	struct find_doc docs[2] = {
		{.uid = "a", .permission = "doc:1", .segment = segment_of_one("", "copper pipe")},
		{.uid = "b", .permission = "doc:2", .segment = segment_of_one("", "glass window")}};
	const struct find_index x = {shipped_language(), docs, 2};
	const struct find_index seen = {shipped_language(), docs, 1};

	(void)state;
	assert_true(coverage_of(&x, &bob, "glass window", "glass window") == 0);
	assert_true(coverage_of(&x, &ann, "glass window", "glass window") > 0.99);
	assert_true(coverage_of(&x, &bob, "copper window", "copper window") ==
		    coverage_of(&seen, &bob, "copper window", "copper window"));
	free_segments(docs, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scores_match_the_formula),
		cmocka_unit_test(missing_words_lower_the_coverage),
		cmocka_unit_test(hidden_documents_change_nothing),
		cmocka_unit_test(order_of_documents_changes_nothing),
		cmocka_unit_test(skipped_candidates_do_not_change_the_result),
		cmocka_unit_test(spreads_first_hits_over_documents),
		cmocka_unit_test(empty_query_finds_nothing),
		cmocka_unit_test(best_passage_covers_each_part),
		cmocka_unit_test(hidden_documents_do_not_affect_reach),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
