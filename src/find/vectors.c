/*
 * The cosine of each vector with one vector, in one pass over memory. Four sums of four numbers
 * each let the compiler use one instruction per sum. Products are not fused into sums, since not
 * every machine does that.
 */
#include "vesper/vectors.h"

#include <assert.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/mem.h"

#define LANES 4
#define SUMS  4
#define STEP  (LANES * SUMS)

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

struct vectors {
	char *model;
	size_t dims, width; /* `width`: of a row in memory, a multiple of STEP; zero-padded */
	float *rows;
	size_t count, cap;
};

static size_t width_of(size_t dims)
{
	return (dims + STEP - 1) / STEP * STEP;
}

struct vectors *vectors_new(const char *model, size_t dims, size_t capacity)
{
	struct vectors *v = mem_alloc(sizeof(*v));

	assert(dims > 0 && dims <= EMBED_DIMS_MAX);
	v->model = mem_strdup(model);
	v->dims = dims;
	v->width = width_of(dims);
	v->cap = capacity;
	v->rows = mem_alloc(capacity * v->width * sizeof(*v->rows));
	return v;
}

void vectors_free(struct vectors **vectors)
{
	struct vectors *v = *vectors;

	*vectors = NULL;
	if (!v)
		return;
	mem_free(v->model);
	mem_free(v->rows);
	mem_free(v);
}

void vectors_add(struct vectors *v, const float *values)
{
	float *row;

	if (v->count == v->cap)
		v->rows = mem_grow(v->rows, &v->cap, v->count + 1, v->width * sizeof(*v->rows));
	row = v->rows + v->count++ * v->width;
	memcpy(row, values, v->dims * sizeof(*row));
	memset(row + v->dims, 0, (v->width - v->dims) * sizeof(*row));
}

bool vectors_add_text(struct vectors *v, struct str text)
{
	size_t bytes = v->dims * sizeof(float);
	struct buf values;
	bool is_valid;

	buf_init(&values, bytes + 1);
	is_valid = hash_base64_decode(&values, text.p, text.n) && values.n == bytes;
	if (is_valid)
		vectors_add(v, (const float *)(const void *)values.p);
	buf_deinit(&values);
	return is_valid;
}

void vectors_text(const float *values, size_t dims, struct buf *out)
{
	hash_base64(out, values, dims * sizeof(*values));
}

size_t vectors_count(const struct vectors *v)
{
	return v ? v->count : 0;
}

size_t vectors_bytes(const struct vectors *v)
{
	return v ? sizeof(*v) + v->cap * v->width * sizeof(*v->rows) : 0;
}

/* ---- searching ---- */

static lanes load_vector(const float *from)
{
	lanes l;

	memcpy(&l, from, sizeof(l));
	return l;
}

static float dot_product(const float *a, const float *b, size_t width)
{
	lanes sums[SUMS] = {{0}};
	lanes all;

	for (size_t i = 0; i < width; i += STEP)
		for (size_t k = 0; k < SUMS; k++)
			sums[k] += load_vector(a + i + k * LANES) * load_vector(b + i + k * LANES);
	all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
	return (all[0] + all[1]) + (all[2] + all[3]);
}

struct nearest_hits {
	const struct vectors_owner *owners;
	struct vectors_hit *hits;
	size_t count, top;
};

static bool is_before(const struct nearest_hits *n, const struct vectors_hit *a,
		      const struct vectors_hit *b)
{
	int order;

	if (a->cosine != b->cosine)
		return a->cosine > b->cosine;
	order = strcmp(n->owners[a->owner].uid, n->owners[b->owner].uid);
	return order ? order < 0 : a->row < b->row;
}

static void add_candidate(struct nearest_hits *n, const struct vectors_hit *hit)
{
	size_t at = n->count;

	if (at == n->top && !is_before(n, hit, &n->hits[at - 1]))
		return;
	if (at == n->top)
		at--;
	else
		n->count++;
	for (; at > 0 && is_before(n, hit, &n->hits[at - 1]); at--)
		n->hits[at] = n->hits[at - 1];
	n->hits[at] = *hit;
}

static bool is_cancelled(const struct vectors_query *q)
{
	return q->cancelled && atomic_load_explicit(q->cancelled, memory_order_relaxed);
}

static bool search_owner(struct nearest_hits *n, size_t owner, const struct vectors_query *q,
			 const float *question)
{
	const struct vectors *v = n->owners[owner].vectors;

	for (size_t i = 0; i < v->count; i++) {
		const struct vectors_hit hit = {
			owner, (uint32_t)i,
			dot_product(v->rows + i * v->width, question, v->width)};

		if (i % VECTORS_CANCEL_CHECK_ROWS == 0 && is_cancelled(q))
			return false;
		if (n->count < n->top || hit.cosine >= n->hits[n->count - 1].cosine)
			add_candidate(n, &hit);
	}
	return true;
}

bool vectors_search(const struct vectors_owner *owners, size_t count, const struct vectors_query *q,
		    struct arena *a, struct vectors_hit **out, size_t *out_count)
{
	struct nearest_hits n = {.owners = owners,
				 .hits = arena_alloc(a, (q->top + 1) * sizeof(*n.hits)),
				 .top = q->top};
	float *question = arena_alloc(a, width_of(q->dims) * sizeof(*question)); /* zeroed */

	memcpy(question, q->values, q->dims * sizeof(*question));
	for (size_t i = 0; q->top > 0 && i < count; i++) {
		const struct vectors *v = owners[i].vectors;

		if (v && v->dims == q->dims && strcmp(v->model, q->model) == 0 &&
		    may(q->who, owners[i].permission) && !search_owner(&n, i, q, question))
			return false;
	}
	*out = n.hits;
	*out_count = n.count;
	return true;
}
