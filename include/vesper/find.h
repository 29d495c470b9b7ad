/*
 * Full-text search for passages by the words of a question (BM25). A text is cut into chunks; the
 * chunks of one text form a segment, which is immutable. A search uses only segments that its
 * caller may read, for its hits and for its scores.
 *
 * Scores: k1 = 1.2, b = 0.75, idf = ln(1 + (N - df + 0.5)/(df + 0.5)); a word in a chunk's heading
 * counts twice. N, df and the average length cover the segments that are searched. If a
 * question has a vector, the best FIND_FUSED passages by words and the best by vectors of the same
 * model are fused by rank: a passage scores the sum of 1/(FIND_FUSED_RANK + rank). Pure: any
 * thread; segments may be shared.
 */
#ifndef VESPER_FIND_H
#define VESPER_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/language.h"
#include "vesper/limits.h"
#include "vesper/principal.h"
#include "vesper/str.h"
#include "vesper/text.h"
#include "vesper/vectors.h"

/* ---- texts as chunks ---- */

/* A passage: bytes [from, to) of a text, with its heading. */
struct find_chunk {
	uint32_t from, to;
	uint32_t heading_from, heading_to; /* equal: no heading */
};

/* Normalizes a text: line ends become \n, runs of blank lines become one, blanks at the ends of
 * lines are removed. Offsets of chunks refer to the normalized text. The input need not be
 * terminated; NUL becomes a blank. */
void find_normalize_text(struct str text, struct buf *out);
/* Converts HTML to such a text: block elements become lines, headings get their #, table cells are
 * separated by bars. Comments and some elements (script, style, title, template, svg, nav) are
 * dropped with their content, and so are all attributes. */
void find_html(struct str html, struct buf *out);
/* Cuts a text at headings, then at paragraphs, sentences and blanks: about DOCUMENT_CHUNK_BYTES
 * each, at most DOCUMENT_CHUNK_BYTES_MAX. A chunk that starts inside a paragraph repeats the
 * sentences before it. In the arena, in order. False: more than DOCUMENT_CHUNKS_MAX. */
MUST_CHECK bool find_split(struct str text, struct arena *a, struct find_chunk **out,
			   size_t *count);

/* ---- segments ---- */

struct find_segment;
struct find_builder;
struct find_builder *find_builder_new(const struct language *l); /* borrowed */
/* Adds the next chunk. */
void find_builder_add(struct find_builder *b, struct str heading, struct str text);
/* Frees the builder. */
struct find_segment *find_builder_finish(struct find_builder **b);
void find_builder_free(struct find_builder **b);
void find_segment_free(struct find_segment **s);
size_t find_segment_chunks(const struct find_segment *s);
size_t find_segment_bytes(const struct find_segment *s); /* of memory */

/* ---- searching ---- */

/* A searchable document; borrowed. */
struct find_doc {
	const char *uid;
	const char *permission; /* needed to read it; NULL: none */
	const struct find_segment *segment;
	const struct vectors *vectors; /* of the same chunks; NULL: none */
};
struct find_index {
	const struct language *language;
	const struct find_doc *docs;
	size_t count;
};

struct find_query {
	const char *text;
	const char *uid; /* searches this document only; NULL: all */
	size_t top;      /* maximum number of hits */
	double least;    /* minimum coverage, below which nothing is found; 0: any */
	const struct principal *who;
	const struct find_vector *vector; /* the question's; NULL: words only */
	const atomic_bool *cancelled; /* when set during the search by vectors, nothing is found;
					 NULL: not cancellable */
};
struct find_vector {
	const char *model;
	const float *values;
	size_t dims;
	double least; /* minimum cosine for a passage whose word coverage is too low; it depends on
			 the model, since unrelated texts are far apart for one model and close for
			 another */
};
struct find_hit {
	const struct find_doc *doc;
	uint32_t chunk;
	double score;
};
struct find_results {
	struct find_hit *hits; /* best first; ties by uid, then chunk */
	size_t count;
	/* Total idf of the question's words in the best chunk by words, divided by the total idf of
	 * all words of the question. */
	double coverage;
	double cosine; /* of the closest passage; 0: no vectors were compared */
};
/* Finds nothing if both coverage and cosine are too low. Of the first FIND_SPREAD hits, at most
 * FIND_PER_DOCUMENT are from one document; hits skipped for this come last. This does not apply to
 * a query with `uid`. Hits are in the arena. */
void find_search(const struct find_index *x, const struct find_query *q, struct arena *a,
		 struct find_results *out);

/* ---- how well the documents cover a question ---- */

/* The words of a question, and which of them occur together in one chunk. The coverage of any part
 * of the question can be computed from this alone. */
struct find_reach {
	size_t stem_count;
	uint64_t hashes[FIND_STEMS_MAX];
	double idf[FIND_STEMS_MAX];
	uint64_t held[FIND_REACH_MAX]; /* bit i: a chunk has the i-th word; distinct, the greatest
					  total idf first */
	size_t stem_set_count;
};
/* Covers the documents that this caller may read. */
void find_reach(const struct find_index *x, const char *text, const struct principal *who,
		struct find_reach *out);
/* The coverage (struct find_results) of these tokens of the question. */
double find_coverage(const struct find_reach *r, const struct token *tokens, size_t count);

#endif
