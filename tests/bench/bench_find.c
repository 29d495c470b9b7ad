/*
 * Quality and speed of passage search. `bench_find` prints nDCG@5 over the labelled questions of
 * tests/documents, and each question whose passage is not the first result. Then it measures, in
 * CPU time of one core, the building of an index of 100 MB, searches over 50,000 and 100,000
 * generated passages and over 10,000 documents, and the search for the nearest of 87,000 vectors of
 * 768 numbers. Quality is measured a second time with vectors that hash the stems of a text. These
 * have no more information than the words, so they show the effect of merging two lists, not the
 * quality of a model.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "english.h"
#include "vesper/file.h"
#include "vesper/find.h"
#include "vesper/limits.h"
#include "vesper/vectors.h"

#include "find_int.h"

#define FOLDER     VESPER_SOURCE_DIR "/tests/documents"
#define DOCS_MAX   64
#define FIRST      5
#define DOCS_MADE  10000 /* generated documents */
#define SEARCHES   2000
#define BUILD_DOCS 10 /* of 10 MB */
#define HASHED     "hashed stems"
#define HASH_DIMS  256
#define ROWS       87000 /* of vectors: 256 MiB */
#define ROW_DIMS   768
#define NEAREST    50
#define PASSES     20

struct read_doc {
	struct find_doc doc;
	char *text;
	struct find_chunk *chunks;
	size_t count;
};

static const struct principal reader = {.user = "reader", .tenant = "vesper"};

static void die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static struct find_segment *index_text(struct str text, struct arena *a, struct find_chunk **chunks,
				       size_t *count)
{
	struct find_builder *b = find_builder_new(shipped_language());

	if (!find_split(text, a, chunks, count))
		die("too many passages");
	for (size_t i = 0; i < *count; i++) {
		const struct find_chunk *c = &(*chunks)[i];

		find_builder_add(b,
				 (struct str){text.p + c->heading_from,
					      (size_t)(c->heading_to - c->heading_from)},
				 (struct str){text.p + c->from, (size_t)(c->to - c->from)});
	}
	return find_builder_finish(&b);
}

static void normalize(float *v, size_t dims)
{
	double sum = 0;

	for (size_t i = 0; i < dims; i++)
		sum += (double)v[i] * v[i];
	for (size_t i = 0; i < dims && sum > 0; i++)
		v[i] = (float)(v[i] / sqrt(sum));
}

static void hash_stems(const char *text, struct arena *a, float out[HASH_DIMS])
{
	struct question q;

	memset(out, 0, HASH_DIMS * sizeof(*out));
	text_tokenize(shipped_language(), text, a, &q);
	for (size_t i = 0; i < q.count; i++) {
		uint64_t hash = find_hash(&q.tokens[i]);

		if (!token_in_list(&q.tokens[i], WORDS_STOP))
			out[hash % HASH_DIMS] += hash >> 63 ? 1 : -1;
	}
	normalize(out, HASH_DIMS);
}

static struct vectors *hashed_chunks(struct str text, const struct find_chunk *chunks, size_t count)
{
	struct vectors *v = vectors_new(HASHED, HASH_DIMS, count);

	for (size_t i = 0; i < count; i++) {
		struct arena *a = arena_new(1 << 20);
		const struct find_chunk *c = &chunks[i];
		float values[HASH_DIMS];

		hash_stems(arena_printf(a, "%.*s\n%.*s", (int)(c->heading_to - c->heading_from),
					text.p + c->heading_from, (int)(c->to - c->from),
					text.p + c->from),
			   a, values);
		vectors_add(v, values);
		arena_free(&a);
	}
	return v;
}

/* ---- quality ---- */

static size_t read_documents(struct read_doc *docs, struct arena *a)
{
	struct dirent *entry;
	DIR *dir = opendir(FOLDER);
	size_t n = 0;

	if (!dir)
		die("no " FOLDER);
	while ((entry = readdir(dir)) && n < DOCS_MAX) {
		size_t len = strlen(entry->d_name);
		struct read_doc *d = &docs[n];
		struct err e = {0};
		struct buf plain;
		const char *raw;

		if (len < 4 || strcmp(entry->d_name + len - 3, ".md") != 0)
			continue;
		if (!file_read(arena_printf(a, FOLDER "/%s", entry->d_name), DOCUMENT_BYTES_MAX, a,
			       &raw, &e))
			die(e.text);
		buf_init(&plain, DOCUMENT_BYTES_MAX);
		find_normalize_text(str_of(raw), &plain);
		d->text = arena_strndup(a, buf_text(&plain), plain.n);
		d->doc.uid = arena_strndup(a, entry->d_name, len - 3);
		d->doc.segment = index_text(str_of(d->text), a, &d->chunks, &d->count);
		d->doc.vectors = hashed_chunks(str_of(d->text), d->chunks, d->count);
		buf_deinit(&plain);
		n++;
	}
	closedir(dir);
	return n;
}

static bool is_correct(const struct read_doc *docs, size_t count, const struct find_hit *hit,
		       const char *uid, const char *heading)
{
	for (size_t i = 0; i < count; i++) {
		const struct find_chunk *c = &docs[i].chunks[hit->chunk];

		if (strcmp(hit->doc->uid, docs[i].doc.uid) != 0)
			continue;
		return strcmp(uid, docs[i].doc.uid) == 0 &&
		       str_eq((struct str){docs[i].text + c->heading_from,
					   (size_t)(c->heading_to - c->heading_from)},
			      str_of(heading));
	}
	return false;
}

/* Each question has one correct passage, so the ideal DCG is 1. */
static void print_quality(bool vectors)
{
	struct arena *a = arena_new(64 << 20);
	struct read_doc docs[DOCS_MAX] = {0};
	struct find_doc all[DOCS_MAX];
	size_t count = read_documents(docs, a), questions = 0, first = 0, in_five = 0;
	struct str rest, line;
	double sum = 0;
	struct err e = {0};
	const char *labels;

	for (size_t i = 0; i < count; i++)
		all[i] = docs[i].doc;
	if (!file_read(FOLDER "/labels.tsv", 1 << 20, a, &labels, &e))
		die(e.text);
	rest = str_of(labels);
	while (str_split(&rest, '\n', &line)) {
		struct str question, uid, heading;
		struct find_query q = {.top = FIRST, .who = &reader};
		float values[HASH_DIMS];
		const struct find_vector vector = {HASHED, values, HASH_DIMS, 0};
		struct find_results f;
		size_t at = 0;

		if (line.n == 0 || line.p[0] == '#')
			continue;
		if (!str_split(&line, '\t', &question) || !str_split(&line, '\t', &uid) ||
		    !str_split(&line, '\t', &heading))
			die("a label must have three fields");
		q.text = arena_strndup(a, question.p, question.n);
		hash_stems(q.text, a, values);
		q.vector = vectors ? &vector : NULL;
		find_search(&(struct find_index){shipped_language(), all, count}, &q, a, &f);
		while (at < f.count &&
		       !is_correct(docs, count, &f.hits[at], arena_strndup(a, uid.p, uid.n),
				   arena_strndup(a, heading.p, heading.n)))
			at++;
		questions++;
		sum += at < f.count ? 1 / log2((double)at + 2) : 0;
		first += at == 0 && f.count > 0;
		in_five += at < f.count;
		if (at > 0 || f.count == 0)
			printf("%s %s (%.*s / %.*s)\n", at < f.count ? "later" : "never", q.text,
			       STR_FMT(uid), STR_FMT(heading));
	}
	printf("%s: nDCG@5 %.3f over %zu questions and %zu documents; first %zu, among five %zu\n",
	       vectors ? "words and " HASHED : "words", sum / (double)questions, questions, count,
	       first, in_five);
	for (size_t i = 0; i < count; i++) {
		find_segment_free((struct find_segment **)&docs[i].doc.segment);
		vectors_free((struct vectors **)&docs[i].doc.vectors);
	}
	arena_free(&a);
}

/* ---- speed ---- */

static unsigned seed = 7;

static unsigned below(unsigned n)
{
	seed = seed * 1664525u + 1013904223u;
	return (unsigned)(((uint64_t)seed * n) >> 32);
}

/* Word frequencies as in natural languages: the n-th word is 1/n as frequent as the first. */
static void append_word(struct buf *out)
{
	unsigned rank = (unsigned)exp(below(10000) / 10000.0 * log(50000));

	for (unsigned k = rank * 2654435761u >> 7, i = 0; i < 3 + rank % 6; i++, k /= 21)
		buf_char(out, "bcdfghklmnprstvwaeiou"[k % 21]);
	buf_char(out, ' ');
}

static void append_passage(struct buf *out)
{
	for (size_t start = out->n; out->n - start < DOCUMENT_CHUNK_BYTES - 200;) {
		append_word(out);
		if (below(12) == 0)
			buf_str(out, "so. ");
	}
	buf_str(out, "\n\n");
}

/* CPU time of this thread, independent of other programs on the machine. */
static int64_t cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void print_build(void)
{
	int64_t us = 0;
	size_t bytes = 0, indexed = 0;

	for (int i = 0; i < BUILD_DOCS; i++) {
		struct arena *a = arena_new(64 << 20);
		struct find_segment *s;
		struct find_chunk *chunks;
		struct buf text;
		int64_t began;
		size_t count;

		buf_init(&text, 16 << 20);
		while (text.n < (10 << 20) - 2000)
			append_passage(&text);
		began = cpu_us();
		s = index_text((struct str){buf_text(&text), text.n}, a, &chunks, &count);
		us += cpu_us() - began;
		bytes += text.n;
		indexed += find_segment_bytes(s);
		find_segment_free(&s);
		buf_deinit(&text);
		arena_free(&a);
	}
	printf("building: %.1f MB in %.2f s, %.2f bytes of index a byte\n", (double)bytes / 1e6,
	       (double)us / 1e6, (double)indexed / (double)bytes);
}

static void print_searches(size_t count, int each)
{
	static struct find_doc docs[DOCS_MADE];
	static int64_t us[SEARCHES];
	struct arena *a = arena_new(512 << 20);
	struct buf text;
	size_t passages = 0, bytes = 0;

	buf_init(&text, 1 << 20);
	for (size_t i = 0; i < count; i++) {
		struct find_chunk *chunks;
		size_t n;

		buf_reset(&text);
		for (int k = 0; k < each; k++)
			append_passage(&text);
		docs[i].uid = arena_printf(a, "d%zu", i);
		docs[i].segment = index_text((struct str){buf_text(&text), text.n}, a, &chunks, &n);
		passages += n;
		bytes += find_segment_bytes(docs[i].segment);
	}
	for (size_t i = 0; i < SEARCHES; i++) {
		struct arena *work = arena_new(FIND_ARENA_BYTES);
		struct find_results f;
		int64_t began;

		buf_reset(&text);
		for (int k = 0; k < 8; k++)
			append_word(&text);
		began = cpu_us();
		find_search(
			&(struct find_index){shipped_language(), docs, count},
			&(struct find_query){.text = buf_text(&text), .top = FIRST, .who = &reader},
			work, &f);
		us[i] = cpu_us() - began;
		arena_free(&work);
	}
	qsort(us, SEARCHES, sizeof(*us), by_size);
	printf("searching %zu passages of %zu documents (%.0f MB of index): p50 %.2f ms, p99 %.2f "
	       "ms\n",
	       passages, count, (double)bytes / 1e6, (double)us[SEARCHES / 2] / 1e3,
	       (double)us[SEARCHES * 99 / 100] / 1e3);
	for (size_t i = 0; i < count; i++)
		find_segment_free((struct find_segment **)&docs[i].segment);
	buf_deinit(&text);
	arena_free(&a);
}

static void print_nearest(void)
{
	struct arena *a = arena_new(64 << 20);
	struct vectors *v = vectors_new("made", ROW_DIMS, ROWS);
	float values[ROW_DIMS];
	struct vectors_owner owner = {"one", NULL, v};
	const struct vectors_query q = {.model = "made",
					.values = values,
					.dims = ROW_DIMS,
					.top = NEAREST,
					.who = &reader};
	struct vectors_hit *hits;
	int64_t us[PASSES];
	size_t count;

	for (size_t i = 0; i < ROWS; i++) {
		for (size_t k = 0; k < ROW_DIMS; k++)
			values[k] = (float)below(2000) / 1000 - 1;
		normalize(values, ROW_DIMS);
		vectors_add(v, values);
	}
	for (size_t i = 0; i < PASSES; i++) {
		int64_t began = cpu_us();

		if (!vectors_search(&owner, 1, &q, a, &hits, &count) || count != NEAREST)
			die("the nearest vectors were not found");
		us[i] = cpu_us() - began;
	}
	qsort(us, PASSES, sizeof(*us), by_size);
	printf("the nearest %d of %d vectors of %d numbers (%.0f MB): p50 %.1f ms, most %.1f ms; "
	       "the cancel flag is checked every %.2f ms\n",
	       NEAREST, ROWS, ROW_DIMS, (double)vectors_bytes(v) / 1e6,
	       (double)us[PASSES / 2] / 1e3, (double)us[PASSES - 1] / 1e3,
	       (double)us[PASSES / 2] / 1e3 * VECTORS_CANCEL_CHECK_ROWS / ROWS);
	vectors_free(&v);
	arena_free(&a);
}

int main(void)
{
	print_quality(false);
	print_quality(true);
	print_nearest();
	print_build();
	print_searches(500, 100);
	print_searches(DOCUMENTS_PER_TENANT_MAX, DOCUMENT_TENANT_CHUNKS / DOCUMENTS_PER_TENANT_MAX);
	print_searches(DOCS_MADE, 5);
	return 0;
}
