/* Searches segments. Those that the caller may read are chosen first; all statistics come from them
 * alone. */
#include "find_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"

#define BM25_K1 1.2
#define BM25_B  0.75

/* Bounds and scores are rounded, each by at most one part in 1e15 per stem. */
#define ROUNDING_MARGIN (1 + 1e-12)

#define PREFETCH_DOCS 8 /* documents to prefetch ahead, to hide the latency of memory */

struct stem {
	uint64_t hash;
	double idf;
	const struct find_term **terms; /* of each chosen segment; NULL: not in it */
};

struct search {
	const struct find_query *query;
	struct arena *arena;
	const struct find_doc **docs; /* that the caller may read */
	size_t doc_count;
	size_t chunks_max; /* chunks of the longest document */
	struct stem *stems;
	size_t stem_count;
	double chunk_count, average; /* number of all chunks, and their average length */
};

/* A chunk with at least one word of the question. */
struct scored {
	const struct find_doc *doc;
	uint32_t chunk;
	double score;
	uint64_t stems; /* bit i: has the i-th stem */
};
_Static_assert(FIND_STEMS_MAX <= 64, "stems has one bit per stem");

static void choose_docs(struct search *s, const struct find_index *x)
{
	uint64_t words = 0, chunks = 0;

	s->docs = arena_alloc(s->arena, (x->count + 1) * sizeof(struct find_doc *));
	for (size_t i = 0; i < x->count; i++) {
		const struct find_doc *d = &x->docs[i];

		if (!may(s->query->who, d->permission) ||
		    (s->query->uid && strcmp(s->query->uid, d->uid) != 0))
			continue;
		s->docs[s->doc_count++] = d;
		if (d->segment->chunk_count > s->chunks_max)
			s->chunks_max = d->segment->chunk_count;
		words += d->segment->words;
		chunks += d->segment->chunk_count;
	}
	s->chunk_count = (double)chunks;
	s->average = chunks > 0 && words > 0 ? (double)words / (double)chunks : 1;
}

static bool has_stem(const struct search *s, uint64_t hash)
{
	for (size_t i = 0; i < s->stem_count; i++)
		if (s->stems[i].hash == hash)
			return true;
	return false;
}

/* Prefetches, since thousands of short documents are spread over memory. */
static void prefetch_next(const struct search *s, size_t doc, uint64_t hash)
{
	const struct find_segment *next;

	if (doc + 2 * PREFETCH_DOCS < s->doc_count)
		__builtin_prefetch(s->docs[doc + 2 * PREFETCH_DOCS]->segment);
	if (doc + PREFETCH_DOCS >= s->doc_count)
		return;
	next = s->docs[doc + PREFETCH_DOCS]->segment;
	if (next->term_count > 0)
		__builtin_prefetch(&next->terms[find_term_estimate(next, hash)]);
}

static void weigh_stem(struct search *s, struct stem *stem)
{
	double df = 0;

	stem->terms = arena_alloc(s->arena, (s->doc_count + 1) * sizeof(struct find_term *));
	for (size_t i = 0; i < s->doc_count; i++) {
		prefetch_next(s, i, stem->hash);
		stem->terms[i] = find_term_of(s->docs[i]->segment, stem->hash);
		df += stem->terms[i] ? stem->terms[i]->chunk_count : 0;
	}
	stem->idf = log(1 + (s->chunk_count - df + 0.5) / (df + 0.5));
}

static int compare_idf(const void *a, const void *b)
{
	const struct stem *x = a, *y = b;

	if (x->idf != y->idf)
		return x->idf > y->idf ? -1 : 1;
	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* The rarest stems come first. In segments without them, frequent stems need not be read. */
static void read_stems(struct search *s, const struct language *l)
{
	struct question q;

	s->stems = arena_alloc(s->arena, FIND_STEMS_MAX * sizeof(*s->stems));
	text_tokenize(l, s->query->text, s->arena, &q);
	for (size_t i = 0; i < q.count && s->stem_count < FIND_STEMS_MAX; i++) {
		uint64_t hash = find_hash(&q.tokens[i]);

		if (token_in_list(&q.tokens[i], WORDS_STOP) || has_stem(s, hash))
			continue;
		s->stems[s->stem_count].hash = hash;
		weigh_stem(s, &s->stems[s->stem_count++]);
	}
	qsort(s->stems, s->stem_count, sizeof(*s->stems), compare_idf);
}

/* The length normalization of BM25. */
static double norm_of(const struct search *s, uint32_t length)
{
	return BM25_K1 * (1 - BM25_B) + BM25_K1 * BM25_B / s->average * length;
}

static double score_of(const struct stem *stem, double times, double norm)
{
	return stem->idf * (BM25_K1 + 1) * times / (times + norm);
}

/* An upper bound on what a chunk of the document can score for the stems from each one on, rounding
 * included. */
static void set_upper_bounds(const struct search *s, size_t d, double *bounds)
{
	const struct find_segment *segment = s->docs[d]->segment;
	double norm = norm_of(s, segment->shortest);

	bounds[s->stem_count] = 0;
	for (size_t i = s->stem_count; i-- > 0;) {
		const struct find_term *t = s->stems[i].terms[d];
		double times = !t ? 0 : t->times_max < UINT16_MAX ? t->times_max : UINT32_MAX;

		bounds[i] = bounds[i + 1] + ROUNDING_MARGIN * score_of(&s->stems[i], times, norm);
	}
}

/* Adds the scores of a stem; returns the best sum. `accepts_new`: chunks without an earlier stem
 * are scored as well. */
static double score_stem(const struct search *s, size_t d, size_t i, const double *norms,
			 struct scored *all, bool accepts_new)
{
	const struct stem *stem = &s->stems[i];
	struct find_postings at = find_postings_of(s->docs[d]->segment, stem->terms[d]);
	struct find_posting p;
	double best = 0;

	while (find_next_posting(&at, &p)) {
		struct scored *c = &all[p.chunk];

		if (!accepts_new && !c->stems)
			continue;
		c->score += score_of(stem, p.times, norms[p.chunk]);
		c->stems |= UINT64_C(1) << i;
		best = c->score > best ? c->score : best;
	}
	return best;
}

/* Scores the chunks that reach `floor`, and perhaps others; callers skip chunks without stems. The
 * score of a chunk that reaches `floor` is complete. False: there are none. */
static bool score_doc(const struct search *s, size_t d, double floor, double *norms,
		      struct scored *all)
{
	const struct find_segment *segment = s->docs[d]->segment;
	double bounds[FIND_STEMS_MAX + 1], best = 0;
	bool is_scored = false;

	set_upper_bounds(s, d, bounds);
	for (size_t i = 0; i < s->stem_count; i++) {
		double sum;

		if (best + bounds[i] < floor)
			return false;
		if (!s->stems[i].terms[d])
			continue;
		if (!is_scored) {
			memset(all, 0, segment->chunk_count * sizeof(*all));
			for (size_t c = 0; c < segment->chunk_count; c++)
				norms[c] = norm_of(s, segment->lengths[c]);
			is_scored = true;
		}
		sum = score_stem(s, d, i, norms, all, bounds[i] >= floor);
		best = sum > best ? sum : best;
	}
	return is_scored;
}

/* Best first. */
static int compare_scores(const void *a, const void *b)
{
	const struct scored *x = a, *y = b;
	int order;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	order = strcmp(x->doc->uid, y->doc->uid);
	return order ? order : x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

/* The best `max`, sorted by insertion, which is cheap since few are added. */
struct best {
	struct scored *items;
	size_t count, max;
};

static void add_candidate(struct best *best, const struct scored *s)
{
	size_t at = best->count;

	if (at == best->max &&
	    (s->score < best->items[at - 1].score || compare_scores(s, &best->items[at - 1]) >= 0))
		return;
	if (at == best->max)
		at--;
	else
		best->count++;
	while (at > 0 && compare_scores(s, &best->items[at - 1]) < 0) {
		best->items[at] = best->items[at - 1];
		at--;
	}
	best->items[at] = *s;
}

/* Chunks with a lower score are not added. */
static double floor_of(const struct best *best)
{
	return best->count < best->max ? 0 : best->items[best->max - 1].score;
}

static void score_all(const struct search *s, struct best *best)
{
	struct scored *chunks = arena_alloc(s->arena, (s->chunks_max + 1) * sizeof(*chunks));
	double *norms = arena_alloc(s->arena, (s->chunks_max + 1) * sizeof(*norms));

	for (size_t d = 0; d < s->doc_count; d++) {
		size_t count = s->docs[d]->segment->chunk_count;

		if (!score_doc(s, d, floor_of(best), norms, chunks))
			continue;
		for (size_t c = 0; c < count; c++) {
			if (!chunks[c].stems)
				continue;
			chunks[c].doc = s->docs[d];
			chunks[c].chunk = (uint32_t)c;
			add_candidate(best, &chunks[c]);
		}
	}
}

static double coverage(const struct search *s, const struct scored *best)
{
	double covered = 0, all = 0;

	for (size_t i = 0; i < s->stem_count; i++) {
		all += s->stems[i].idf;
		covered += best->stems >> i & 1 ? s->stems[i].idf : 0;
	}
	return all > 0 ? covered / all : 0;
}

static size_t count_of(const struct find_results *f, const struct find_doc *doc)
{
	size_t n = 0;

	for (size_t i = 0; i < f->count; i++)
		n += f->hits[i].doc == doc;
	return n;
}

/* Spreads the first hits over documents. Hits that were skipped for that follow. */
static void spread_hits(const struct search *s, const struct best *best, struct find_results *out)
{
	bool *is_taken = arena_alloc(s->arena, best->count + 1);

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < best->count && out->count < s->query->top; i++) {
			const struct scored *b = &best->items[i];

			if (is_taken[i] || (!pass && !s->query->uid && out->count < FIND_SPREAD &&
					    count_of(out, b->doc) >= FIND_PER_DOCUMENT))
				continue;
			is_taken[i] = true;
			out->hits[out->count++] = (struct find_hit){b->doc, b->chunk, b->score};
		}
}

/* ---- reach ---- */

static double weight_of(const struct find_reach *r, uint64_t mask)
{
	double sum = 0;

	for (; mask; mask &= mask - 1)
		sum += r->idf[__builtin_ctzll(mask)];
	return sum;
}

/* Keeps the sets with the greatest weights. */
static void add_stem_set(struct find_reach *r, double *weights, uint64_t mask)
{
	double weight = weight_of(r, mask);
	size_t at = r->stem_set_count;

	if (at == FIND_REACH_MAX && weight <= weights[at - 1])
		return;
	for (size_t i = 0; i < r->stem_set_count; i++)
		if (r->held[i] == mask)
			return;
	if (at == FIND_REACH_MAX)
		at--;
	else
		r->stem_set_count++;
	for (; at > 0 && weights[at - 1] < weight; at--) {
		r->held[at] = r->held[at - 1];
		weights[at] = weights[at - 1];
	}
	r->held[at] = mask;
	weights[at] = weight;
}

static void compute_reach(const struct search *s, struct find_reach *out)
{
	double weights[FIND_REACH_MAX];
	struct scored *chunks = arena_alloc(s->arena, (s->chunks_max + 1) * sizeof(*chunks));
	double *norms = arena_alloc(s->arena, (s->chunks_max + 1) * sizeof(*norms));

	for (size_t d = 0; d < s->doc_count; d++) {
		size_t count = s->docs[d]->segment->chunk_count;

		if (!score_doc(s, d, 0, norms, chunks))
			continue;
		for (size_t c = 0; c < count; c++)
			if (chunks[c].stems)
				add_stem_set(out, weights, chunks[c].stems);
	}
}

void find_reach(const struct find_index *x, const char *text, const struct principal *who,
		struct find_reach *out)
{
	const struct find_query q = {.text = text, .who = who};
	struct search s = {.query = &q, .arena = arena_new(FIND_ARENA_BYTES)};

	*out = (struct find_reach){0};
	choose_docs(&s, x);
	read_stems(&s, x->language);
	for (size_t i = 0; s.doc_count > 0 && i < s.stem_count; i++) {
		out->hashes[i] = s.stems[i].hash;
		out->idf[i] = s.stems[i].idf;
		out->stem_count = i + 1;
	}
	compute_reach(&s, out);
	arena_free(&s.arena);
}

double find_coverage(const struct find_reach *r, const struct token *tokens, size_t count)
{
	uint64_t asked_mask = 0;
	double all, greatest = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; !token_in_list(&tokens[i], WORDS_STOP) && k < r->stem_count; k++)
			if (r->hashes[k] == find_hash(&tokens[i]))
				asked_mask |= UINT64_C(1) << k;
	all = weight_of(r, asked_mask);
	for (size_t i = 0; i < r->stem_set_count; i++)
		if (weight_of(r, r->held[i] & asked_mask) > greatest)
			greatest = weight_of(r, r->held[i] & asked_mask);
	return all > 0 ? greatest / all : 0;
}

/* ---- words and vectors ---- */

static bool find_nearest(const struct search *s, struct vectors_hit **hits, size_t *count)
{
	const struct find_vector *v = s->query->vector;
	struct vectors_owner *owners = arena_alloc(s->arena, (s->doc_count + 1) * sizeof(*owners));
	const struct vectors_query q = {.model = v->model,
					.values = v->values,
					.dims = v->dims,
					.top = FIND_FUSED,
					.who = s->query->who,
					.cancelled = s->query->cancelled};

	for (size_t i = 0; i < s->doc_count; i++)
		owners[i] = (struct vectors_owner){s->docs[i]->uid, s->docs[i]->permission,
						   s->docs[i]->vectors};
	return vectors_search(owners, s->doc_count, &q, s->arena, hits, count);
}

static double rank_score(size_t rank)
{
	return 1.0 / (double)(FIND_FUSED_RANK + rank + 1);
}

static void add_ranked(struct best *all, const struct find_doc *doc, uint32_t chunk, double score)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].doc == doc && all->items[i].chunk == chunk) {
			all->items[i].score += score;
			return;
		}
	all->items[all->count++] = (struct scored){.doc = doc, .chunk = chunk, .score = score};
}

/* Merges `best` and the nearest vectors into `best`. False: cancelled. */
static bool fuse(const struct search *s, struct best *best, struct find_results *out)
{
	struct best all = {.items = arena_alloc(s->arena, 2 * FIND_FUSED * sizeof(struct scored))};
	struct vectors_hit *hits;
	size_t count;

	if (!find_nearest(s, &hits, &count))
		return false;
	if (count == 0) /* there are no vectors of this model */
		return true;
	out->cosine = hits[0].cosine;
	for (size_t i = 0; i < best->count && i < FIND_FUSED; i++)
		add_ranked(&all, best->items[i].doc, best->items[i].chunk, rank_score(i));
	for (size_t i = 0; i < count; i++)
		add_ranked(&all, s->docs[hits[i].owner], hits[i].row, rank_score(i));
	qsort(all.items, all.count, sizeof(*all.items), compare_scores);
	*best = all;
	return true;
}

/* ---- searching ---- */

void find_search(const struct find_index *x, const struct find_query *q, struct arena *a,
		 struct find_results *out)
{
	struct arena *work = arena_new(FIND_ARENA_BYTES);
	struct search s = {.query = q, .arena = work};
	struct best best = {.max = q->top * FIND_SPREAD};
	bool is_complete = true;

	*out = (struct find_results){.hits = arena_alloc(a, (q->top + 1) * sizeof(*out->hits))};
	choose_docs(&s, x);
	read_stems(&s, x->language);
	if (q->vector && best.max < FIND_FUSED)
		best.max = FIND_FUSED;
	best.items = arena_alloc(work, (best.max + 1) * sizeof(*best.items));
	if (best.max > 0)
		score_all(&s, &best);
	if (best.count > 0)
		out->coverage = coverage(&s, &best.items[0]);
	if (q->vector && q->top > 0)
		is_complete = fuse(&s, &best, out);
	if (is_complete && best.count > 0 &&
	    (out->coverage >= q->least || (q->vector && out->cosine >= q->vector->least)))
		spread_hits(&s, &best, out);
	arena_free(&work);
}
