/*
 * The derivations that an answer may make by itself: difference, ratio, percentage, sum, mean and
 * share of the rows that it names, or of all rows where there are few. Only these: in a large
 * table some pair would fit any number.
 */
#include "guard_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/decimal.h"

#define ONE      ((guard_value)100000000)
#define ROWS_MAX 6 /* rows whose pairs are compared */
#define FEW_ROWS 3 /* a table of so many rows needs no names for it */

struct search {
	const struct known *k;
	const struct known_table *kt;
	int table;              /* kt's place */
	uint32_t said, earlier; /* kinds of the names in this sentence; before it, or asked for */
	const struct shown *s;
	int64_t rows[ROWS_MAX];
	size_t count;
	char *scratch;
	size_t size;
	struct guard_ref *ref;
};

static guard_value size_of(guard_value v)
{
	return v < 0 ? -v : v;
}

static bool is_value(const struct shown *s, guard_value v)
{
	return size_of(size_of(v) - s->value) <= s->half;
}

static void amount_text(guard_value v, char out[DECIMAL_TEXT_BYTES])
{
	decimal_text_short((struct decimal){.units = v, .scale = GUARD_SCALE}, out);
}

static bool found(struct search *q, size_t column, const char *sign, guard_value a, guard_value b)
{
	char left[DECIMAL_TEXT_BYTES], right[DECIMAL_TEXT_BYTES];

	amount_text(a, left);
	amount_text(b, right);
	snprintf(q->scratch, q->size, "%s %s %s", left, sign, right);
	*q->ref = (struct guard_ref){.call = q->kt->call,
				     .row = -1,
				     .column = q->kt->t->columns[column].name,
				     .formula = q->scratch};
	return true;
}

/* The difference of the two as they are, or as they are shown. */
static bool is_difference(const struct shown *s, guard_value a, guard_value b)
{
	struct decimal x = {.units = a, .scale = GUARD_SCALE},
		       y = {.units = b, .scale = GUARD_SCALE};

	if (is_value(s, a - b))
		return true;
	if (s->scaled || s->decimals == 0)
		return false;
	x = decimal_round(decimal_round(x, s->decimals), GUARD_SCALE);
	y = decimal_round(decimal_round(y, s->decimals), GUARD_SCALE);
	return is_value(s, x.units - y.units);
}

static bool is_ratio(const struct shown *s, guard_value a, guard_value b, guard_value times)
{
	return b != 0 && is_value(s, a * times / b);
}

static bool pair_fits(struct search *q, size_t column, enum unit unit, guard_value a, guard_value b)
{
	const struct shown *s = q->s;

	if (s->part)
		return (is_ratio(s, a, b, 100 * ONE) || is_ratio(s, b, a, 100 * ONE)) &&
		       found(q, column, "/", a, b);
	if (s->unit == UNIT_PERCENT) {
		if (is_ratio(s, a - b, size_of(b), 100 * ONE))
			return found(q, column, "/ - 1:", a, b);
		return is_ratio(s, b - a, size_of(a), 100 * ONE) &&
		       found(q, column, "/ - 1:", b, a);
	}
	if (s->unit == UNIT_RATIO)
		return (is_ratio(s, a, b, ONE) || is_ratio(s, b, a, ONE)) &&
		       found(q, column, "/", a, b);
	if (!unit_fits(s, s->unit, unit, s->decimals == 0))
		return false;
	return is_difference(s, a, b) && found(q, column, "-", a, b);
}

static bool sums_fit(struct search *q, size_t column)
{
	const struct known_table *kt = q->kt;
	guard_value sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < q->count; i++) {
		guard_value v = kt->values[q->rows[i]][column];

		if (v == GUARD_NO_VALUE)
			continue;
		sum += v;
		n++;
	}
	if (n < 2 || !unit_fits(q->s, q->s->unit, kt->units[column], q->s->decimals == 0))
		return false;
	if (is_value(q->s, sum))
		return found(q, column, "= sum of the named rows;", sum, (guard_value)n * ONE);
	return is_value(q->s, sum / (guard_value)n) &&
	       found(q, column, "= mean of the named rows;", sum / (guard_value)n,
		     (guard_value)n * ONE);
}

static bool share_fits(struct search *q, size_t column)
{
	const struct known_table *kt = q->kt;
	const struct column_stats *stats = kt->t->stats ? &kt->t->stats[column] : NULL;
	struct decimal sum;

	if (q->s->unit != UNIT_PERCENT || !stats || !stats->numeric || !stats->sum_exact ||
	    stats->count < 2)
		return false;
	sum = decimal_round(stats->sum, GUARD_SCALE);
	for (size_t i = 0; i < q->count; i++) {
		guard_value v = kt->values[q->rows[i]][column];

		if (v != GUARD_NO_VALUE && is_ratio(q->s, v, sum.units, 100 * ONE))
			return found(q, column, "/", v, sum.units);
	}
	return false;
}

static bool column_fits(struct search *q, size_t column)
{
	const struct known_table *kt = q->kt;

	for (size_t i = 0; i < q->count; i++)
		for (size_t n = i + 1; n < q->count; n++) {
			guard_value a = kt->values[q->rows[i]][column];
			guard_value b = kt->values[q->rows[n]][column];

			if (a != GUARD_NO_VALUE && b != GUARD_NO_VALUE &&
			    pair_fits(q, column, kt->units[column], a, b))
				return true;
		}
	return sums_fit(q, column) || share_fits(q, column);
}

/* Two columns of one unit in one row: budget and forecast. */
static bool row_fits(struct search *q, int64_t row)
{
	const struct known_table *kt = q->kt;

	for (size_t a = 0; a < kt->t->column_count; a++)
		for (size_t b = a + 1; b < kt->t->column_count; b++)
			if (kt->measure[a] && kt->measure[b] && kt->units[a] == kt->units[b] &&
			    kt->units[a] != UNIT_NONE && kt->values[row][a] != GUARD_NO_VALUE &&
			    kt->values[row][b] != GUARD_NO_VALUE &&
			    pair_fits(q, a, kt->units[a], kt->values[row][a], kt->values[row][b]))
				return true;
	return false;
}

/* Days or weeks between two dates of one row. */
static bool span_fits(struct search *q, int64_t row)
{
	const struct table *t = q->kt->t;
	int64_t days[16];
	size_t n = 0, per = q->s->unit == UNIT_WEEKS ? 7 : 1;

	if (q->s->unit != UNIT_DAYS && q->s->unit != UNIT_WEEKS)
		return false;
	for (size_t c = 0; c < t->column_count && n < 16; c++) {
		struct date d;

		if (t->rows[row][c] && date_parse_start(t->rows[row][c], &d))
			days[n++] = date_to_days(d);
	}
	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++)
			if (is_value(q->s,
				     (guard_value)(days[a] - days[b]) * ONE / (guard_value)per))
				return found(q, 0, "-", days[a] * ONE, days[b] * ONE);
	return false;
}

/* ---- which rows ---- */

static bool holds(const struct mention *list, int count, int id)
{
	for (int i = 0; i < count; i++)
		if (list[i].id == id)
			return true;
	return false;
}

/* The kinds of the names. */
static uint32_t spoken_slots(const struct mention *list, int count)
{
	uint32_t slots = 0;

	for (int i = 0; i < count; i++)
		slots |= list[i].slots;
	return slots;
}

/* The names of a kind that were said last: in this sentence, the one before, or the question. A
 * sentence with one name compares it with what was asked about. */
static bool row_is_named(const struct search *q, size_t row, const struct context *c, bool widely)
{
	const struct known *k = q->k;
	const struct known_table *kt = q->kt;
	bool any = false;

	for (size_t col = 0; col < kt->t->column_count; col++) {
		uint32_t bit;
		int id = kt->ids[row][col];
		bool named;

		if (kt->slot[col] < 0 || !kt->rivals[col])
			continue;
		bit = 1u << kt->slot[col];
		if (!(q->said & bit) && !widely)
			continue;
		named = holds(c->said, c->count, id);
		if (widely && (q->earlier & bit))
			named = named || holds(c->before, c->before_count, id) ||
				holds(k->asked, k->asked_count, id);
		else if (widely && !(q->said & bit))
			continue;
		if (!named)
			return false;
		any = true;
	}
	return any;
}

static bool take_rows(struct search *q, const struct context *c, bool widely)
{
	size_t n = q->kt->t->row_count;

	q->count = 0;
	for (size_t row = 0; row < n; row++) {
		if (c->in_row && c->rows.table == q->table) {
			if (!row_set_has(&c->rows, q->table, (int64_t)row))
				continue;
		} else if (n > FEW_ROWS && !row_is_named(q, row, c, widely)) {
			continue;
		}
		if (q->count == ROWS_MAX)
			return false;
		q->rows[q->count++] = (int64_t)row;
	}
	return q->count > 0;
}

static bool table_fits(struct search *q, const struct context *c)
{
	const struct table *t = q->kt->t;

	for (int widely = 0; widely < 2; widely++) {
		if (!take_rows(q, c, widely))
			continue;
		for (size_t col = 0; col < t->column_count; col++)
			if (q->kt->measure[col] && column_fits(q, col))
				return true;
		for (size_t i = 0; i < q->count; i++)
			if (row_fits(q, q->rows[i]) || span_fits(q, q->rows[i]))
				return true;
	}
	return false;
}

bool derive_bind(const struct known *k, const struct shown *s, const struct context *c,
		 char *scratch, size_t size, struct guard_ref *ref)
{
	struct search q = {.k = k, .s = s, .scratch = scratch, .size = size, .ref = ref};

	if (s->kind != SHOWN_NUMBER || (s->unit == UNIT_NONE && s->decimals == 0))
		return false; /* a bare small number would be found everywhere */
	q.said = spoken_slots(c->said, c->count);
	q.earlier =
		spoken_slots(c->before, c->before_count) | spoken_slots(k->asked, k->asked_count);
	for (int i = 0; i < k->table_count; i++) {
		q.kt = &k->tables[i];
		q.table = i;
		if (table_fits(&q, c))
			return true;
	}
	return false;
}
