/*
 * Column statistics, computed while rows arrive, so that rows need not be stored. The model gets
 * these instead of adding up rows, so sums are exact. Each cell takes constant time; memory grows
 * with values not seen before.
 */
#include "vesper/stats.h"

#include <assert.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/str.h"

#define DISTINCT_SLOTS_FIRST 64
#define MEAN_SCALE           6
#define FLAT_PERCENT         1

/* Hashes of the values seen. Among 10,000 values, 64-bit hashes collide in about one column of
 * 10^11. */
struct distinct {
	uint64_t *slots; /* 0: free */
	size_t size;     /* power of two; at most half full */
	size_t count;
	bool is_full;
};

/* A minimum or maximum: the text of its first cell, and where it was. */
struct extreme {
	struct buf text;
	struct decimal number;
	int64_t row;
	bool is_set;
};

enum { LOW, HIGH };

struct column_state {
	int64_t count;
	int64_t nulls;
	bool numeric; /* so far */
	bool is_sum_exact;
	struct decimal sum;
	struct decimal first_number;
	struct decimal last_number;
	struct extreme by_number[2];
	struct extreme by_text[2];
	struct buf first;
	struct buf last;
	bool is_first_null;
	bool is_last_null;
	struct distinct distinct;
};

struct stats_collector {
	int64_t rows;
	size_t column_count;
	struct column_state columns[];
};

struct stats_collector *stats_new(size_t columns)
{
	struct stats_collector *s = mem_alloc(sizeof(*s) + columns * sizeof(s->columns[0]));
	s->column_count = columns;
	for (size_t i = 0; i < columns; i++) {
		struct column_state *c = &s->columns[i];
		c->numeric = c->is_sum_exact = true;
		buf_init(&c->first, SIZE_MAX / 2);
		buf_init(&c->last, SIZE_MAX / 2);
		for (int side = LOW; side <= HIGH; side++) {
			buf_init(&c->by_number[side].text, SIZE_MAX / 2);
			buf_init(&c->by_text[side].text, SIZE_MAX / 2);
		}
	}
	return s;
}

/* FNV-1a with a final mix, never 0. Trailing zeros of a fraction are ignored: 1.50 and 1.5 are
 * one value. */
static uint64_t value_hash(const char *text, size_t len, bool number)
{
	if (number && memchr(text, '.', len)) {
		while (text[len - 1] == '0')
			len--;
		len -= text[len - 1] == '.';
	}
	uint64_t h = hash_fnv(HASH_FNV_OFFSET_BASIS, text, len);
	h ^= h >> 29;
	h *= UINT64_C(0xBF58476D1CE4E5B9);
	h ^= h >> 32;
	return h ? h : 1;
}

/* The slot that holds the hash, or the free slot for it. */
static uint64_t *distinct_slot(struct distinct *d, uint64_t hash)
{
	size_t i = (size_t)hash & (d->size - 1);
	while (d->slots[i] && d->slots[i] != hash)
		i = (i + 1) & (d->size - 1);
	return &d->slots[i];
}

static void distinct_grow(struct distinct *d)
{
	struct distinct old = *d;
	d->size = old.size ? old.size * 2 : DISTINCT_SLOTS_FIRST;
	d->slots = mem_alloc(d->size * sizeof(*d->slots));
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i])
			*distinct_slot(d, old.slots[i]) = old.slots[i];
	mem_free(old.slots);
}

static void distinct_add(struct distinct *d, uint64_t hash)
{
	if (d->count * 2 >= d->size)
		distinct_grow(d);
	uint64_t *slot = distinct_slot(d, hash);
	if (*slot)
		return;
	if (d->count == STATS_DISTINCT_EXACT) {
		d->is_full = true;
		return;
	}
	*slot = hash;
	d->count++;
}

static void buf_copy(struct buf *b, const char *text, size_t len)
{
	buf_reset(b);
	buf_add(b, text, len);
}

static void extreme_set(struct extreme *x, const char *text, size_t len, int64_t row)
{
	buf_copy(&x->text, text, len);
	x->row = row;
	x->is_set = true;
}

static int text_cmp(const char *text, size_t len, const struct buf *other)
{
	size_t n = len < other->n ? len : other->n;
	int order = n ? memcmp(text, other->p, n) : 0;
	return order ? order : (len > other->n) - (len < other->n);
}

static void text_extremes(struct column_state *c, const char *text, size_t len, int64_t row)
{
	struct extreme *x = c->by_text;
	if (!x[LOW].is_set || text_cmp(text, len, &x[LOW].text) < 0)
		extreme_set(&x[LOW], text, len, row);
	if (!x[HIGH].is_set || text_cmp(text, len, &x[HIGH].text) > 0)
		extreme_set(&x[HIGH], text, len, row);
}

static void number_cell(struct column_state *c, const char *text, size_t len, struct decimal number,
			int64_t row)
{
	struct extreme *x = c->by_number;
	if (!x[LOW].is_set)
		c->first_number = number;
	c->last_number = number;
	if (!x[LOW].is_set || decimal_cmp(number, x[LOW].number) < 0) {
		extreme_set(&x[LOW], text, len, row);
		x[LOW].number = number;
	}
	if (!x[HIGH].is_set || decimal_cmp(number, x[HIGH].number) > 0) {
		extreme_set(&x[HIGH], text, len, row);
		x[HIGH].number = number;
	}
	if (c->is_sum_exact)
		c->is_sum_exact = decimal_add(c->sum, number, &c->sum);
}

/* decimal_parse needs a terminating NUL; cells have a length. */
static bool number_parse(const char *text, size_t len, struct decimal *out)
{
	char copy[128];
	if (len == 0 || len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return decimal_parse(copy, out);
}

void stats_cell(struct stats_collector *s, size_t column, const char *text, size_t len,
		bool numeric_type)
{
	assert(column < s->column_count);
	struct column_state *c = &s->columns[column];
	if (s->rows == 0) {
		c->is_first_null = !text;
		buf_copy(&c->first, text ? text : "", text ? len : 0);
	}
	c->is_last_null = !text;
	if (!text) {
		c->nulls++;
		return;
	}
	buf_copy(&c->last, text, len);
	c->count++;
	struct decimal number;
	if (c->numeric && numeric_type && number_parse(text, len, &number))
		number_cell(c, text, len, number, s->rows);
	else
		c->numeric = false;
	/* Also for numbers: a later cell may show that the column is not numeric. */
	text_extremes(c, text, len, s->rows);
	if (!c->distinct.is_full)
		distinct_add(&c->distinct, value_hash(text, len, numeric_type));
}

void stats_end_row(struct stats_collector *s)
{
	s->rows++;
}

static enum trend column_trend(const struct column_state *c)
{
	struct decimal change, range, limit;
	if (!c->numeric || c->count < 2 || !decimal_sub(c->last_number, c->first_number, &change) ||
	    !decimal_sub(c->by_number[HIGH].number, c->by_number[LOW].number, &range) ||
	    !decimal_mul(range, (struct decimal){FLAT_PERCENT, 2}, &limit))
		return TREND_NONE;
	struct decimal size = change;
	if (size.units < 0)
		size.units = -size.units;
	if (decimal_cmp(size, limit) <= 0)
		return TREND_FLAT;
	return change.units > 0 ? TREND_UP : TREND_DOWN;
}

static const char *extreme_text(const struct extreme *x, struct arena *a)
{
	return x->is_set ? arena_strndup(a, buf_text(&x->text), x->text.n) : NULL;
}

static void column_finish(const struct column_state *c, bool any_row, struct column_stats *out,
			  struct arena *a)
{
	bool numeric = c->numeric && c->count > 0;
	const struct extreme *x = numeric ? c->by_number : c->by_text;
	*out = (struct column_stats){
		.count = c->count,
		.nulls = c->nulls,
		.distinct = (int64_t)c->distinct.count,
		.distinct_exact = !c->distinct.is_full,
		.numeric = numeric,
		.min = extreme_text(&x[LOW], a),
		.max = extreme_text(&x[HIGH], a),
		.min_row = x[LOW].row,
		.max_row = x[HIGH].row,
		.trend = column_trend(c),
	};
	if (any_row && !c->is_first_null)
		out->first = arena_strndup(a, buf_text(&c->first), c->first.n);
	if (any_row && !c->is_last_null)
		out->last = arena_strndup(a, buf_text(&c->last), c->last.n);
	if (!numeric)
		return;
	out->is_sum_exact = c->is_sum_exact &&
			    decimal_div(c->sum, decimal_int(c->count), MEAN_SCALE, &out->mean);
	if (out->is_sum_exact)
		out->sum = c->sum;
}

struct column_stats *stats_finish(struct stats_collector *s, struct arena *a)
{
	struct column_stats *out = arena_alloc(a, s->column_count * sizeof(*out));
	for (size_t i = 0; i < s->column_count; i++)
		column_finish(&s->columns[i], s->rows > 0, &out[i], a);
	return out;
}

void stats_free(struct stats_collector **s)
{
	if (!*s)
		return;
	for (size_t i = 0; i < (*s)->column_count; i++) {
		struct column_state *c = &(*s)->columns[i];
		buf_deinit(&c->first);
		buf_deinit(&c->last);
		for (int side = LOW; side <= HIGH; side++) {
			buf_deinit(&c->by_number[side].text);
			buf_deinit(&c->by_text[side].text);
		}
		mem_free(c->distinct.slots);
	}
	mem_free(*s);
	*s = NULL;
}
