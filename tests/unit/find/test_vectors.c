/* Nearest vectors, and joining the ranks of words and vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "english.h"
#include "vesper/find.h"
#include "vesper/limits.h"
#include "vesper/vectors.h"

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

static const char *const read_one[] = {"doc:1"};
static const struct principal ann = {
	.user = "ann", .tenant = "vesper", .permissions = read_one, .permission_count = 1};

static unsigned seed = 11;

static float number(void)
{
	seed = seed * 1664525u + 1013904223u;
	return (float)(seed >> 8) / (float)(1 << 24) - 0.5F;
}

static void unit(float *v, size_t dims)
{
	double sum = 0;

	for (size_t i = 0; i < dims; i++) {
		v[i] = number();
		sum += (double)v[i] * v[i];
	}
	for (size_t i = 0; i < dims; i++)
		v[i] = (float)(v[i] / sqrt(sum));
}

static struct vectors *rows_of(const char *model, const float (*rows)[2], size_t count)
{
	struct vectors *v = vectors_new(model, 2, 1);

	for (size_t i = 0; i < count; i++)
		vectors_add(v, rows[i]);
	return v;
}

/* Every width, including those that are not a multiple of the vector lanes. */
static void cosine_matches_plain_sum(void **state)
{
	(void)state;
	for (size_t dims = 1; dims <= 70; dims++) {
		struct vectors *v = vectors_new("m", dims, 40);
		float question[70], rows[40][70];
		struct vectors_owner owner = {"u", NULL, v};
		struct vectors_hit *hits;
		size_t count;

		unit(question, dims);
		for (size_t i = 0; i < 40; i++) {
			unit(rows[i], dims);
			vectors_add(v, rows[i]);
		}
		assert_true(vectors_search(&owner, 1,
					   &(struct vectors_query){.model = "m",
								   .values = question,
								   .dims = dims,
								   .top = 7,
								   .who = &ann},
					   arena, &hits, &count));
		assert_int_equal(count, 7);
		for (size_t i = 0; i < count; i++) {
			double sum = 0;
			size_t better = 0;

			for (size_t r = 0; r < 40; r++) {
				double other = 0;

				for (size_t k = 0; k < dims; k++)
					other += (double)rows[r][k] * question[k];
				if (r == hits[i].row)
					sum = other;
			}
			for (size_t r = 0; r < 40; r++) {
				double other = 0;

				for (size_t k = 0; k < dims; k++)
					other += (double)rows[r][k] * question[k];
				better += other > sum + 1e-6;
			}
			assert_true(fabs(sum - hits[i].cosine) < 1e-6);
			assert_true(better <= i);
		}
		vectors_free(&v);
	}
}

static void compares_only_readable_vectors_of_the_model(void **state)
{
	static const float near[][2] = {{1, 0}, {0.6F, 0.8F}}, far[][2] = {{0, 1}, {1, 0}};
	struct vectors *a = rows_of("m", near, 2), *b = rows_of("m", far, 2);
	struct vectors *other_model = rows_of("n", near, 2), *longer = vectors_new("m", 3, 0);
	const struct vectors_owner owners[] = {
		{"z", "doc:1", a},        {"secret", "doc:2", a}, {"b", NULL, b},
		{"n", NULL, other_model}, {"l", NULL, longer},    {"none", NULL, NULL},
	};
	const float question[2] = {1, 0};
	struct vectors_query q = {
		.model = "m", .values = question, .dims = 2, .top = 3, .who = &ann};
	atomic_bool cancelled;
	struct vectors_hit *hits;
	size_t count;

	(void)state;
	vectors_add(longer, (const float[]){1, 0, 0});
	assert_true(vectors_search(owners, 6, &q, arena, &hits, &count));
	assert_int_equal(count, 3);
	/* b's second row and z's first are equally near: ordered by uid */
	assert_string_equal(owners[hits[0].owner].uid, "b");
	assert_int_equal(hits[0].row, 1);
	assert_string_equal(owners[hits[1].owner].uid, "z");
	assert_int_equal(hits[1].row, 0);
	assert_int_equal(hits[2].row, 1);
	q.top = 0;
	assert_true(vectors_search(owners, 6, &q, arena, &hits, &count));
	assert_int_equal(count, 0);
	q.top = 3;
	atomic_init(&cancelled, true);
	q.cancelled = &cancelled;
	assert_false(vectors_search(owners, 6, &q, arena, &hits, &count));
	vectors_free(&a);
	vectors_free(&b);
	vectors_free(&other_model);
	vectors_free(&longer);
}

static void reads_what_it_writes_as_text(void **state)
{
	struct vectors *v = vectors_new("m", 3, 0);
	const float row[3] = {0.25F, -0.5F, 1e-7F};
	struct vectors_owner owner = {"u", NULL, v};
	struct vectors_hit *hits;
	struct buf text;
	size_t count;

	(void)state;
	buf_init(&text, 100);
	vectors_text(row, 3, &text);
	assert_true(vectors_add_text(v, (struct str){buf_text(&text), text.n}));
	assert_false(vectors_add_text(v, STR("")));
	assert_false(vectors_add_text(v, STR("AABAQAAAgEA="))); /* two numbers */
	assert_false(vectors_add_text(v, STR("AABAQAAAgEAAAEBA!")));
	assert_int_equal(vectors_count(v), 1);
	assert_true(vectors_search(&owner, 1,
				   &(struct vectors_query){.model = "m",
							   .values = (const float[]){1, 0, 0},
							   .dims = 3,
							   .top = 1,
							   .who = &ann},
				   arena, &hits, &count));
	assert_true(hits[0].cosine == 0.25F);
	buf_deinit(&text);
	vectors_free(&v);
}

/* ---- words and vectors ---- */

static struct find_segment *segment_of(const char *const *texts, size_t count)
{
	struct find_builder *b = find_builder_new(shipped_language());

	for (size_t i = 0; i < count; i++)
		find_builder_add(b, STR(""), str_of(texts[i]));
	return find_builder_finish(&b);
}

struct fixture {
	struct find_segment *segment;
	struct vectors *vectors;
	struct find_doc docs[2];
	struct find_index index;
};

/* Words find the first and second passage, vectors the third and second. */
static void open_fixture(struct fixture *w)
{
	static const char *const texts[] = {"copper copper wire", "copper pipe and more words",
					    "metal tube"};
	static const float rows[][2] = {{0, 1}, {0.8F, 0.6F}, {1, 0}};

	w->segment = segment_of(texts, 3);
	w->vectors = rows_of("m", rows, 3);
	w->docs[0] = (struct find_doc){"a", NULL, w->segment, w->vectors};
	w->docs[1] = (struct find_doc){"hidden", "doc:2", w->segment, w->vectors};
	w->index = (struct find_index){shipped_language(), w->docs, 2};
}

static void close_fixture(struct fixture *w)
{
	find_segment_free(&w->segment);
	vectors_free(&w->vectors);
}

static double least = 0.5;

static struct find_results find(const struct fixture *w, const char *text, const char *model)
{
	static const float values[2] = {1, 0};
	const struct find_vector vector = {model, values, 2, least};
	struct find_results found;

	find_search(&w->index,
		    &(struct find_query){.text = text,
					 .top = 5,
					 .uid = "a",
					 .least = 0.3,
					 .who = &ann,
					 .vector = model ? &vector : NULL},
		    arena, &found);
	return found;
}

static void merges_ranks_of_words_and_vectors(void **state)
{
	struct fixture w;
	struct find_results f;

	(void)state;
	open_fixture(&w);
	f = find(&w, "copper", NULL);
	assert_int_equal(f.count, 2);
	assert_int_equal(f.hits[0].chunk, 0);
	f = find(&w, "copper", "m");
	/* second in both lists: 2/62; first by words and third by vectors: 1/61 + 1/63 */
	assert_int_equal(f.count, 3);
	assert_int_equal(f.hits[0].chunk, 0);
	assert_true(fabs(f.hits[0].score - (1 / 61.0 + 1 / 63.0)) < 1e-12);
	assert_int_equal(f.hits[1].chunk, 1);
	assert_true(fabs(f.hits[1].score - 2 / 62.0) < 1e-12);
	assert_int_equal(f.hits[2].chunk, 2);
	assert_true(fabs(f.hits[2].score - 1 / 61.0) < 1e-12);
	assert_true(fabs(f.cosine - 1) < 1e-6);
	for (size_t i = 0; i < f.count; i++)
		assert_string_equal(f.hits[i].doc->uid, "a");
	close_fixture(&w);
}

static void vectors_find_passages_with_other_words(void **state)
{
	struct fixture w;

	(void)state;
	open_fixture(&w);
	assert_int_equal(find(&w, "bronze", NULL).count, 0);
	assert_int_equal(find(&w, "bronze", "m").count, 3);
	assert_int_equal(find(&w, "bronze", "m").hits[0].chunk, 2);
	least = 1.5; /* above the highest possible cosine */
	assert_int_equal(find(&w, "bronze", "m").count, 0);
	least = 0.5;
	/* vectors of another model are not compared */
	assert_int_equal(find(&w, "bronze", "n").count, 0);
	assert_int_equal(find(&w, "copper", "n").count, 2);
	close_fixture(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cosine_matches_plain_sum, set_up, tear_down),
		cmocka_unit_test_setup_teardown(compares_only_readable_vectors_of_the_model, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(reads_what_it_writes_as_text, set_up, tear_down),
		cmocka_unit_test_setup_teardown(merges_ranks_of_words_and_vectors, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(vectors_find_passages_with_other_words, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
