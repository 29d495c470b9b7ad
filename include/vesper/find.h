/*
 * Finding passages of text by the words of a question (BM25). A text is cut into chunks; the chunks
 * of one text are one segment, which never changes. A search sees the segments of what its caller
 * may read and nothing of the others: not in its hits, and not in its scores.
 *
 * Scores: k1 = 1.2, b = 0.75, idf = ln(1 + (N - df + 0.5)/(df + 0.5)); a word of a chunk's heading
 * counts twice. N, df and the average length are those of the segments that the caller may read.
 * Where a question has a vector, the best FIND_FUSED passages by words and the best by vectors of
 * the same model are joined by their ranks: a passage scores the sum of 1/(FIND_FUSED_RANK + rank).
 * Pure: any thread; segments may be shared.
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

/* A passage of a text: bytes [from, to) of it, below a heading. */
struct find_chunk {
	uint32_t from, to;
	uint32_t heading_from, heading_to; /* equal: below none */
};

/* Line ends become \n, and runs of blank lines one; that is the text that offsets count. Not
 * terminated text is fine; NUL becomes a blank. */
void find_plain(struct str text, struct buf *out);
/* HTML as such a text: block elements are lines, headings get their #, cells of a table stand
 * between bars. What is not for readers (script, style, template, svg, nav, comments) is dropped
 * with its content, and so is every attribute. */
void find_html(struct str html, struct buf *out);
/* Cuts a text at headings, then at paragraphs, sentences and blanks: about DOCUMENT_CHUNK_BYTES
 * each, at most DOCUMENT_CHUNK_BYTES_MAX; what is cut inside of a paragraph begins again with the
 * sentences before. In the arena, in order. False: more than DOCUMENT_CHUNKS_MAX. */
MUST_CHECK bool find_cut(struct str text, struct arena *a, struct find_chunk **out, size_t *count);

/* ---- segments ---- */

struct find_segment;
struct find_builder;
struct find_builder *find_builder_new(const struct language *l); /* borrowed */
/* The next chunk. */
void find_builder_add(struct find_builder *b, struct str heading, struct str text);
/* Frees the builder. */
struct find_segment *find_builder_end(struct find_builder **b);
void find_builder_free(struct find_builder **b);
void find_segment_free(struct find_segment **s);
size_t find_segment_chunks(const struct find_segment *s);
size_t find_segment_bytes(const struct find_segment *s); /* of memory */

/* ---- searching ---- */

/* What can be found; borrowed. */
struct find_doc {
	const char *uid;
	const char *permission; /* that reading it takes; NULL: none */
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
	const char *uid; /* only in this one; NULL: in all */
	size_t top;      /* hits at most */
	double least;    /* coverage below which nothing was found; 0: any */
	const struct principal *who;
	const struct find_vector *vector; /* the question's; NULL: words alone */
	const atomic_bool *cancelled;     /* then nothing is found; NULL: it runs on */
};
struct find_vector {
	const char *model;
	const float *values;
	size_t dims;
	double least; /* cosine from which a passage is found that words cover too little; a
			 model's own, as the unrelated are far apart for one and near for another */
};
struct find_hit {
	const struct find_doc *doc;
	uint32_t chunk;
	double score;
};
struct find_found {
	struct find_hit *hits; /* best first; equal ones by uid, then chunk */
	size_t count;
	/* Idf of the question's words that the best chunk holds, of that of all of them. */
	double coverage;
	double cosine; /* of the nearest passage; 0: no vectors were compared */
};
/* Nothing is found where both are too little, coverage and cosine. At most FIND_PER_DOCUMENT of the
 * first FIND_SPREAD hits are of one document, unless one was named. Hits in the arena. */
void find_search(const struct find_index *x, const struct find_query *q, struct arena *a,
		 struct find_found *out);

/* ---- how far the documents reach ---- */

/* Of a question: its words, and which of them chunks hold together. What parts of it are about is
 * told by this alone. */
struct find_reach {
	size_t stem_count;
	uint64_t hashes[FIND_STEMS_MAX];
	double idf[FIND_STEMS_MAX];
	uint64_t held[FIND_REACH_MAX]; /* bit i: a chunk holds the i-th; no two are the same */
	size_t held_count;
};
/* Of what this caller may read. */
void find_reach(const struct find_index *x, const char *text, const struct principal *who,
		struct find_reach *out);
/* The coverage (struct find_found) of these tokens of the question. */
double find_covers(const struct find_reach *r, const struct token *tokens, size_t count);

#endif
