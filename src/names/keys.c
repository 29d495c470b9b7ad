/* Implements keys.h: sorting, the radix tree, and the fuzzy walk. */
#include "keys.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "names_int.h"
#include "vesper/mem.h"

#define LEAF_KEYS 32 /* smaller sets are compared one by one; measured: 8 and 64 are slower */

/* The strings lo..hi, which share their first `depth` bytes. */
struct key_node {
	uint32_t lo, hi;
	uint32_t children; /* index of the first; children are adjacent */
	uint16_t depth;
	uint16_t child_count; /* 0: leaf */
};

static size_t length_of(const struct key_side *s, size_t i)
{
	return s->offsets[i + 1] - s->offsets[i];
}

/* ---- sorting ---- */

struct sorted {
	uint64_t head; /* first eight bytes, which decide most comparisons */
	uint32_t number;
};

struct sort_input {
	const char *bytes;
	const uint32_t *offsets;
};

static uint64_t head_of(const char *key, size_t len)
{
	uint64_t head = 0;

	for (size_t i = 0; i < 8; i++)
		head = head << 8 | (i < len ? (unsigned char)key[i] : 0);
	return head;
}

static int compare_sorted(const void *a, const void *b, void *owner)
{
	const struct sorted *x = a, *y = b;
	const struct sort_input *in = owner;
	size_t x_len, y_len;
	int order;

	if (x->head != y->head)
		return x->head < y->head ? -1 : 1;
	x_len = in->offsets[x->number + 1] - in->offsets[x->number];
	y_len = in->offsets[y->number + 1] - in->offsets[y->number];
	order = memcmp(in->bytes + in->offsets[x->number], in->bytes + in->offsets[y->number],
		       x_len < y_len ? x_len : y_len);
	if (order == 0 && x_len != y_len)
		return x_len < y_len ? -1 : 1;
	return order ? order : x->number < y->number ? -1 : 1;
}

static uint32_t *sort_keys(const struct sort_input *in, size_t count)
{
	struct sorted *items = mem_alloc((count + 1) * sizeof(*items));
	uint32_t *order = mem_alloc((count + 1) * sizeof(*order));

	for (size_t i = 0; i < count; i++) {
		uint32_t from = in->offsets[i];

		items[i] = (struct sorted){head_of(in->bytes + from, in->offsets[i + 1] - from),
					   (uint32_t)i};
	}
	if (count > 0)
		qsort_r(items, count, sizeof(*items), compare_sorted, (void *)in);
	for (size_t i = 0; i < count; i++)
		order[i] = items[i].number;
	mem_free(items);
	return order;
}

/* ---- the tree ---- */

struct tree_build {
	struct key_side *side;
	size_t cap;
};

/* Byte `depth` of string i, or -1 past its end. */
static int byte_at(const struct key_side *s, size_t i, size_t depth)
{
	return depth < length_of(s, i) ? (unsigned char)s->bytes[s->offsets[i] + depth] : -1;
}

/* The common prefix length of the first and last string, and thus of all between. */
static size_t common_of(const struct key_side *s, size_t lo, size_t hi)
{
	size_t n = 0;

	while (n < TEXT_KEY_BYTES_MAX - 1 && byte_at(s, lo, n) >= 0 &&
	       byte_at(s, lo, n) == byte_at(s, hi - 1, n))
		n++;
	return n;
}

static void add_node(struct tree_build *b, size_t lo, size_t hi)
{
	struct key_side *s = b->side;

	s->nodes = mem_grow(s->nodes, &b->cap, s->node_count + 1, sizeof(*s->nodes));
	s->nodes[s->node_count++] = (struct key_node){
		.lo = (uint32_t)lo, .hi = (uint32_t)hi, .depth = (uint16_t)common_of(s, lo, hi)};
}

/* Splits the node's strings by the first byte that differs. */
static void split_node(struct tree_build *b, size_t index)
{
	struct key_node node = b->side->nodes[index];
	size_t first = b->side->node_count;

	for (size_t lo = node.lo, hi; lo < node.hi; lo = hi) {
		int byte = byte_at(b->side, lo, node.depth);

		for (hi = lo + 1; hi < node.hi && byte_at(b->side, hi, node.depth) == byte; hi++)
			;
		add_node(b, lo, hi);
	}
	b->side->nodes[index].children = (uint32_t)first;
	b->side->nodes[index].child_count = (uint16_t)(b->side->node_count - first);
}

static bool is_splittable(const struct key_side *s, const struct key_node *n)
{
	/* Equal strings, and strings equal up to the maximum length, stay in one leaf. */
	return n->hi - n->lo > LEAF_KEYS && n->depth < TEXT_KEY_BYTES_MAX - 1 &&
	       byte_at(s, n->hi - 1, n->depth) >= 0;
}

static void make_tree(struct key_side *s, size_t count)
{
	struct tree_build b = {.side = s};

	if (count == 0)
		return;
	add_node(&b, 0, count);
	for (size_t i = 0; i < s->node_count; i++)
		if (is_splittable(s, &s->nodes[i]))
			split_node(&b, i);
	s->nodes = mem_realloc(s->nodes, s->node_count * sizeof(*s->nodes));
}

/* ---- building ---- */

static void copy_key(char *to, const char *from, size_t len, bool reversed)
{
	if (!reversed && len > 0)
		memcpy(to, from, len);
	for (size_t i = 0; reversed && i < len; i++)
		to[i] = from[len - 1 - i];
}

static void copy_in_order(struct key_side *s, const struct sort_input *in, const uint32_t *order,
			  size_t count)
{
	uint32_t at = 0;

	s->bytes = mem_alloc(in->offsets[count] + (size_t)1);
	s->offsets = mem_alloc((count + 1) * sizeof(*s->offsets));
	for (size_t i = 0; i < count; i++) {
		uint32_t from = in->offsets[order[i]], len = in->offsets[order[i] + 1] - from;

		copy_key(s->bytes + at, in->bytes + from, len, false);
		s->offsets[i] = at;
		at += len;
	}
	s->offsets[count] = at;
}

static void make_backward(struct keys *k)
{
	const struct key_side *f = &k->forward;
	char *reversed = mem_alloc(f->offsets[k->count] + (size_t)1);
	struct sort_input in = {reversed, f->offsets};

	for (size_t i = 0; i < k->count; i++)
		copy_key(reversed + f->offsets[i], f->bytes + f->offsets[i], length_of(f, i), true);
	k->numbers = sort_keys(&in, k->count);
	copy_in_order(&k->backward, &in, k->numbers, k->count);
	mem_free(reversed);
	make_tree(&k->backward, k->count);
}

/* A hash of first byte, last byte and length. */
static size_t trait_of(const char *key, size_t len)
{
	size_t first = len > 0 ? (unsigned char)key[0] : 0;
	size_t last = len > 0 ? (unsigned char)key[len - 1] : 0;

	return (first * 37 + last * 7 + len) % KEY_TRAITS;
}

/* A hash of the first byte, or of the first two. */
static size_t head_trait(const char *key, size_t len)
{
	size_t second = len > 1 ? (unsigned char)key[1] + (size_t)1 : 0;

	return ((unsigned char)key[0] * (size_t)37 + second) % KEY_TRAITS;
}

static void set_bit(uint64_t *bits, size_t n)
{
	bits[n / 64] |= UINT64_C(1) << n % 64;
}

static bool has_bit(const uint64_t *bits, size_t n)
{
	return bits[n / 64] >> n % 64 & 1;
}

static void set_traits(struct keys *k)
{
	for (size_t i = 0; i < k->count; i++) {
		size_t len;
		const char *key = keys_at(k, i, &len);

		set_bit(k->traits, trait_of(key, len));
		for (size_t n = 1; n <= len && n <= 2; n++)
			set_bit(k->heads, head_trait(key, n));
	}
}

uint32_t *keys_init(struct keys *k, const char *bytes, const uint32_t *offsets, size_t count)
{
	struct sort_input in = {bytes, offsets};
	uint32_t *order = sort_keys(&in, count);

	assert(count < UINT32_MAX);
	*k = (struct keys){.count = count};
	copy_in_order(&k->forward, &in, order, count);
	make_tree(&k->forward, count);
	make_backward(k);
	set_traits(k);
	return order;
}

static void side_deinit(struct key_side *s)
{
	mem_free(s->bytes);
	mem_free(s->offsets);
	mem_free(s->nodes);
}

void keys_deinit(struct keys *k)
{
	side_deinit(&k->forward);
	side_deinit(&k->backward);
	mem_free(k->numbers);
	*k = (struct keys){0};
}

/* ---- exact search ---- */

const char *keys_at(const struct keys *k, size_t i, size_t *len)
{
	assert(i < k->count);
	*len = length_of(&k->forward, i);
	return k->forward.bytes + k->forward.offsets[i];
}

/* The first string not less than the key; with `after`, the first one greater than it. */
static size_t lower_bound(const struct keys *k, const char *key, size_t len, bool after)
{
	size_t low = 0, high = k->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2, n;
		const char *at = keys_at(k, middle, &n);
		int order = memcmp(at, key, n < len ? n : len);

		if (order == 0)
			order = n < len ? -1 : n > len;
		if (order < 0 || (after && order == 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t keys_find(const struct keys *k, const char *key, size_t len, size_t *first)
{
	size_t n;

	*first = 0;
	if (!has_bit(k->traits, trait_of(key, len)))
		return 0;
	*first = lower_bound(k, key, len, false);
	if (*first == k->count || keys_at(k, *first, &n)[0] != key[0] || n != len ||
	    memcmp(keys_at(k, *first, &n), key, len) != 0)
		return 0;
	return lower_bound(k, key, len, true) - *first;
}

/* Compares string i with the range of strings that begin with the key: before (-1), inside (0),
 * after (1). */
static int compare_prefix(const struct keys *k, size_t i, const char *key, size_t len)
{
	size_t n;
	const char *at = keys_at(k, i, &n);
	int order = memcmp(at, key, n < len ? n : len);

	return order ? order : n < len ? -1 : 0;
}

bool keys_find_prefix(const struct keys *k, const char *key, size_t len, size_t *lo, size_t *hi)
{
	size_t low = *lo, high = *hi;

	assert(len > 0 && *hi <= k->count);
	if (!has_bit(k->heads, head_trait(key, len)))
		return false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_prefix(k, middle, key, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*lo = low;
	for (high = *hi; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (compare_prefix(k, middle, key, len) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	*hi = low;
	return *lo < *hi;
}

/* ---- fuzzy search ---- */

#define BAND        (2 * KEY_EDITS_MAX + 1)
#define OUT_OF_BAND 100

/* State of one walk. Row t holds the edits between the first t bytes of the path and the first t -
 * 2 … t + 2 bytes of the query. */
struct walk {
	const struct keys *keys;
	const struct key_side *side;
	const char *query;
	size_t len;
	int limit;
	size_t half; /* up to this byte of the query at most half_limit edits are allowed */
	int half_limit;
	keys_fuzzy_cb each;
	void *owner;
	uint8_t rows[TEXT_KEY_BYTES_MAX + 1][BAND];
};

static uint8_t capped(const struct walk *w, size_t j, unsigned edits)
{
	unsigned cap = (unsigned)(j < w->half ? w->half_limit : w->limit);

	return (uint8_t)(edits > cap ? OUT_OF_BAND : edits);
}

static unsigned min_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Fills row t >= 1 for a path that begins with key[0..t). Returns false when all entries exceed
 * the limit. */
static bool advance(struct walk *w, const char *key, size_t t)
{
	uint8_t *row = w->rows[t];
	const uint8_t *above = w->rows[t - 1], *two_above = w->rows[t > 1 ? t - 2 : 0];
	bool within_limit = false;

	for (size_t b = 0; b < BAND; b++) {
		size_t j = t + b - KEY_EDITS_MAX;
		unsigned edits = OUT_OF_BAND;

		row[b] = OUT_OF_BAND;
		if (t + b < KEY_EDITS_MAX || j > w->len)
			continue;
		if (b + 1 < BAND)
			edits = above[b + 1] + 1u;
		if (b > 0)
			edits = min_of(edits, row[b - 1] + 1u);
		if (j > 0)
			edits = min_of(edits, above[b] + (unsigned)(w->query[j - 1] != key[t - 1]));
		if (j > 1 && t > 1 && w->query[j - 1] == key[t - 2] &&
		    w->query[j - 2] == key[t - 1])
			edits = min_of(edits, two_above[b] + 1u);
		row[b] = capped(w, j, edits);
		within_limit = within_limit || row[b] != OUT_OF_BAND;
	}
	return within_limit;
}

/* Extends the walk from row `depth` to the end of string i. */
static void finish_walk(struct walk *w, size_t i, size_t depth)
{
	const char *key = w->side->bytes + w->side->offsets[i];
	size_t n = length_of(w->side, i);
	uint8_t edits;

	if (n + KEY_EDITS_MAX < w->len || n > w->len + KEY_EDITS_MAX)
		return;
	for (size_t t = depth + 1; t <= n; t++)
		if (!advance(w, key, t))
			return;
	edits = w->rows[n][w->len + KEY_EDITS_MAX - n];
	if (edits == OUT_OF_BAND)
		return;
	if (w->side == &w->keys->forward) {
		w->each(w->owner, i, edits);
		return;
	}
	/* In a backward walk the cap of the first half may exclude the shortest edit path, so the
	 * distance is recomputed. In a forward walk it can't, since one edit is always allowed. */
	w->each(w->owner, w->keys->numbers[i], fuzzy_distance(w->query, w->len, key, n, w->limit));
}

/* Visits a node; row `depth` is filled. Recursion depth is at most the longest string. */
static void visit(struct walk *w, const struct key_node *node, size_t depth)
{
	const char *key = w->side->bytes + w->side->offsets[node->lo];

	for (; depth < node->depth; depth++)
		if (depth >= w->len + KEY_EDITS_MAX || !advance(w, key, depth + 1))
			return;
	for (size_t i = node->lo; node->child_count == 0 && i < node->hi; i++)
		finish_walk(w, i, depth);
	for (size_t i = 0; i < node->child_count; i++)
		visit(w, &w->side->nodes[node->children + i], depth);
}

static void walk_side(struct walk *w, const struct key_side *side, size_t half, int half_limit)
{
	w->side = side;
	w->half = half;
	w->half_limit = half_limit;
	for (size_t b = 0; b < BAND; b++)
		w->rows[0][b] =
			b < KEY_EDITS_MAX || b - KEY_EDITS_MAX > w->len
				? OUT_OF_BAND
				: capped(w, b - KEY_EDITS_MAX, (unsigned)(b - KEY_EDITS_MAX));
	visit(w, &side->nodes[0], 0);
}

void keys_find_fuzzy(const struct keys *k, const char *key, size_t len, int limit,
		     keys_fuzzy_cb each, void *owner)
{
	struct walk w = {
		.keys = k, .query = key, .len = len, .limit = limit, .each = each, .owner = owner};
	char reversed[TEXT_KEY_BYTES_MAX];
	size_t half = (len + 1) / 2;

	assert(limit >= 0 && limit <= KEY_EDITS_MAX);
	if (k->count == 0 || len == 0 || len + KEY_EDITS_MAX >= TEXT_KEY_BYTES_MAX)
		return;
	walk_side(&w, &k->forward, half, limit / 2);
	if (limit == 0)
		return;
	copy_key(reversed, key, len, true);
	w.query = reversed;
	walk_side(&w, &k->backward, len - half + 1, (limit - 1) / 2);
}
