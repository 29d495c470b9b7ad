/*
 * Derives numbers on demand: difference, ratio, percentage, sum, mean and share of the named rows,
 * or of all rows of a small table. Other combinations are excluded, since in a large table some
 * pair would fit any number.
 */
#include "guard_int.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "vesper/clock.h"
#include "vesper/decimal.h"

#define ONE              ((guard_value)100000000)
#define PAIRED_MAX       6  /* maximum rows compared pairwise */
#define BARE_VALUE_MIN   13 /* "518 more": smaller bare numbers match too easily */
#define UNNAMED_ROWS_MAX 3  /* tables up to this size need no named rows */

struct search {
	const struct known *k;
	const struct known_table *kt;
	const struct context *c;
	int table; /* index of kt */
	/* slots of names in this sentence; in earlier text or the question */
	uint32_t mentioned, earlier;
	const struct shown *s;
	int64_t rows[GROUP_MAX];
	size_t count;
	bool all; /* all rows of the table, since none was named */
	char *scratch;
	size_t size;
	struct derived_number *out;
};

static guard_value magnitude(guard_value v)
{
	return v < 0 ? -v : v;
}

static bool is_value(const struct shown *s, guard_value v)
{
	return magnitude(magnitude(v) - s->value) <= s->half;
}

static void amount_text(guard_value v, char out[DECIMAL_TEXT_BYTES])
{
	decimal_text_short((struct decimal){.units = v, .scale = GUARD_SCALE}, out);
}

static bool set_derivation(struct search *q, size_t column, const char *sign, guard_value a,
			   guard_value b)
{
	char left[DECIMAL_TEXT_BYTES], right[DECIMAL_TEXT_BYTES];

	q->out->directed = false;
	amount_text(a, left);
	amount_text(b, right);
	snprintf(q->scratch, q->size, "%s %s %s", left, sign, right);
	q->out->ref = (struct guard_ref){.row = -1, .formula = q->scratch};
	if (column != SIZE_MAX)
		q->out->unit = q->kt->units[column];
	if (q->kt) {
		q->out->ref.call = q->kt->call;
		q->out->ref.column = column == SIZE_MAX ? NULL : q->kt->t->columns[column].name;
	}
	return true;
}

/* Matches the difference of the exact or of the rounded values. */
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

static bool unit_of_column_fits(const struct search *q, const struct unit_def *unit)
{
	const struct shown *s = q->s;

	return unit_fits(s, s->unit, unit, s->decimals == 0 && !shown_is_bare(s));
}

/* Returns true for two measures of the same unit. */
static bool are_of_one_unit(const struct search *q, size_t a, size_t b)
{
	const struct known_table *kt = q->kt;

	return kt->measure[a] && kt->measure[b] && kt->units[a] == kt->units[b] && kt->units[a];
}

static int direction(const struct search *q)
{
	return q->s->minus ? -1 : q->s->plus ? 1 : q->c->word_comparison.dir;
}

/* Matches the change from b to a in percent of b. */
static bool is_change(const struct search *q, guard_value a, guard_value b)
{
	return is_ratio(q->s, a - b, magnitude(b), 100 * ONE);
}

static bool pair_is(struct search *q, size_t column, const struct unit_def *unit, guard_value a,
		    guard_value b, int order)
{
	const struct shown *s = q->s;
	int dir = direction(q);

	if (s->part)
		return (is_ratio(s, a, b, 100 * ONE) || is_ratio(s, b, a, 100 * ONE)) &&
		       set_derivation(q, column, "/", a, b);
	if (unit_is_ratio(s->unit))
		return ((is_ratio(s, a, b, ONE) && (order == 0 || dir >= 0 || a < b)) ||
			(order == 0 && is_ratio(s, b, a, ONE))) &&
		       set_derivation(q, column, "/", a, b);
	if (order == 0 && dir && a != b && (a > b) != (dir > 0)) {
		guard_value swap = a; /* direction without a named side: swap */

		a = b;
		b = swap;
	}
	if (dir && a != b && (a > b) != (dir > 0))
		return false;
	if (unit_is_percent(s->unit)) {
		if (!derivation_is_worded(DERIVED_CHANGE, s, q->c))
			return false;
		if (is_change(q, a, b))
			return set_derivation(q, column, "/ - 1:", a, b);
		return !dir && order == 0 && is_change(q, b, a) &&
		       set_derivation(q, column, "/ - 1:", b, a);
	}
	if (!unit_of_column_fits(q, unit))
		return false;
	return derivation_is_worded(DERIVED_CHANGE, s, q->c) && a != 0 && b != 0 &&
	       is_difference(s, a, b) && set_derivation(q, column, "-", a, b);
}

/* `order`: 1: a is the subject and b the reference; 0: unknown. */
static bool pair_fits(struct search *q, size_t column, const struct unit_def *unit, guard_value a,
		      guard_value b, int order)
{
	if (!pair_is(q, column, unit, a, b, order))
		return false;
	q->out->directed = order != 0 && direction(q) != 0;
	return true;
}

/* Matches a share of a whole, or the remainder. */
static bool part_fits(struct search *q, size_t column, guard_value part, guard_value whole)
{
	if (whole == 0 || (direction(q) && !q->c->word_comparison.rest) || part > whole)
		return false;
	if (is_ratio(q->s, part, whole, 100 * ONE))
		return set_derivation(q, column, "/", part, whole);
	return q->c->word_comparison.rest && is_ratio(q->s, whole - part, whole, 100 * ONE) &&
	       set_derivation(q, column, "/", whole - part, whole);
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
	if (n < 2 || (q->s->minus && sum >= 0) || !unit_of_column_fits(q, kt->units[column]))
		return false;
	if (derivation_is_worded(DERIVED_SUM, q->s, q->c) && is_value(q->s, sum))
		return set_derivation(q, column, "= sum of the named rows;", sum,
				      (guard_value)n * ONE);
	return derivation_is_worded(DERIVED_MEAN, q->s, q->c) &&
	       is_value(q->s, sum / (guard_value)n) &&
	       set_derivation(q, column, "= mean of the named rows;", sum / (guard_value)n,
			      (guard_value)n * ONE);
}

static bool total_of(const struct search *q, size_t column, guard_value *out)
{
	const struct table *t = q->kt->t;
	const struct column_stats *stats = t->stats ? &t->stats[column] : NULL;

	if (!stats || !stats->numeric || !stats->is_sum_exact || stats->count < 2)
		return false;
	*out = decimal_round(stats->sum, GUARD_SCALE).units;
	return true;
}

/* Finds a column with the same value in every row, larger than this column's sum: the whole that
 * it is part of. */
static bool whole_of(const struct search *q, size_t column, guard_value sum, guard_value *out)
{
	const struct known_table *kt = q->kt;

	for (size_t c = 0; c < kt->t->column_count; c++) {
		bool same = c != column && kt->measure[c] && kt->units[c] == kt->units[column] &&
			    kt->t->row_count > 1 && kt->values[0][c] != GUARD_NO_VALUE &&
			    kt->values[0][c] > sum;

		for (size_t r = 1; same && r < kt->t->row_count; r++)
			same = kt->values[r][c] == kt->values[0][c];
		if (same) {
			*out = kt->values[0][c];
			return true;
		}
	}
	return false;
}

static guard_value sum_of_rows(const struct search *q, size_t column, size_t *n)
{
	guard_value sum = 0;

	*n = 0;
	for (size_t i = 0; i < q->count; i++) {
		guard_value v = q->kt->values[q->rows[i]][column];

		if (v == GUARD_NO_VALUE)
			continue;
		sum += v;
		++*n;
	}
	return sum;
}

static bool share_fits(struct search *q, size_t column)
{
	guard_value sum, whole;
	size_t n;

	if (!unit_is_percent(q->s->unit) || q->c->word_comparison.dir > 0 ||
	    unit_is_percent(q->kt->units[column]) || !total_of(q, column, &sum))
		return false; /* percentages do not add up to a whole */
	if (whole_of(q, column, sum, &whole)) {
		if (part_fits(q, column, sum, whole))
			return true;
	} else {
		whole = sum;
	}
	if (!q->all && part_fits(q, column, sum_of_rows(q, column, &n), whole))
		return true;
	for (size_t i = 0; i < q->count; i++) {
		guard_value v = q->kt->values[q->rows[i]][column];

		if (v != GUARD_NO_VALUE && part_fits(q, column, v, whole))
			return true;
	}
	return false;
}

static bool is_row_of(const struct search *q, int64_t row, int id)
{
	for (size_t col = 0; col < q->kt->t->column_count; col++)
		if (q->kt->ids[row][col] == id)
			return true;
	return false;
}

/* Returns true when the row is a subject of the sentence and not its reference. */
static bool is_subject(const struct search *q, int64_t row, int ref_id)
{
	const struct context *c = q->c;
	uint32_t slots = q->k->names.slots_by_id[ref_id];
	bool any = false;

	for (int i = 0; i < c->count; i++) {
		if (!(c->mentions[i].slots & slots) || c->mentions[i].ref)
			continue;
		if (is_row_of(q, row, c->mentions[i].id))
			return true;
		any = true;
	}
	return !any;
}

#define OTHER_ROWS 2

static int32_t day_in(const struct known_table *kt, int64_t row)
{
	const struct table *t = kt->t;

	for (size_t c = 0; c < t->column_count; c++)
		if (column_is_day(t->columns[c].type))
			return known_day(t->rows[row][c]);
	return 0;
}

int known_compare_times(const struct known *k, const struct known_table *kt, int64_t a, int64_t b)
{
	const char *date = NULL;
	int32_t x, y;

	for (size_t c = 0; c < kt->t->column_count && !date; c++)
		if (kt->t->columns[c].type == COLUMN_DATE)
			date = kt->t->columns[c].name;
	for (size_t c = 0; c < kt->t->column_count; c++) {
		const char *name = kt->t->columns[c].name;

		if (kt->slot[c] < 0 || !kt->rivals[c] || kt->ids[a][c] == kt->ids[b][c])
			continue;
		if (k->year_slots >> kt->slot[c] & 1)
			return strcmp(kt->t->rows[a][c], kt->t->rows[b][c]) > 0 ? 1 : -1;
		/* "AsOf" abbreviates "AsOfDate" */
		if (!date || strncasecmp(date, name, strlen(name)) != 0)
			return 0;
	}
	if (kt->times && kt->times[a].hour != kt->times[b].hour)
		return kt->times[a].hour > kt->times[b].hour ? 1 : -1;
	if (kt->times && kt->times[a].month != kt->times[b].month)
		return kt->times[a].month > kt->times[b].month ? 1 : -1;
	x = day_in(kt, a);
	y = day_in(kt, b);
	return (x > y) - (x < y);
}

/* Returns 1: a is the subject and b the reference, -1: vice versa, 0: unknown, or OTHER_ROWS. */
static int order_of(const struct search *q, int64_t a, int64_t b)
{
	const struct word_comparison *t = &q->c->word_comparison;
	const struct context *c = q->c;
	bool ref_a, ref_b;
	int last = -1;

	if (t->ref_id >= 0) {
		ref_a = is_row_of(q, a, t->ref_id);
		ref_b = is_row_of(q, b, t->ref_id);
		if (ref_a != ref_b && !is_subject(q, ref_b ? a : b, t->ref_id))
			return OTHER_ROWS;
		return ref_a == ref_b ? 0 : ref_b ? 1 : -1;
	}
	if ((t->move || q->s->plus || q->s->minus || (t->dir && !t->than)) &&
	    known_compare_times(q->k, q->kt, a, b))
		return known_compare_times(q->k, q->kt, a, b);
	if (c->count > 0 && t->dir)
		last = c->mentions[c->count - 1].id;
	if (last < 0)
		return 0;
	ref_a = is_row_of(q, a, last);
	ref_b = is_row_of(q, b, last);
	return ref_a == ref_b ? 0 : ref_a ? 1 : -1;
}

/* "45 % still to go" */
static bool rest_fits(struct search *q, size_t column)
{
	if (!q->c->word_comparison.rest || !unit_is_percent(q->s->unit) ||
	    !unit_is_percent(q->kt->units[column]))
		return false;
	for (size_t i = 0; i < q->count; i++) {
		guard_value v = q->kt->values[q->rows[i]][column];

		if (v != GUARD_NO_VALUE && is_value(q->s, 100 * ONE - v))
			return set_derivation(q, column, "-", 100 * ONE, v);
	}
	return false;
}

/* "502 fewer than the leader" */
static bool leader_fits(struct search *q, size_t column)
{
	const struct column_stats *stats = q->kt->t->stats ? &q->kt->t->stats[column] : NULL;
	guard_value own, end;

	if (q->c->in_row || q->all || q->count != 1 || !stats || !stats->numeric ||
	    q->kt->t->row_count < 2)
		return false;
	own = q->kt->values[q->rows[0]][column];
	if (own == GUARD_NO_VALUE)
		return false;
	for (size_t r = 0; q->kt->t->row_count <= PAIRED_MAX && r < q->kt->t->row_count; r++) {
		end = q->kt->values[r][column];
		if ((int64_t)r != q->rows[0] && end != GUARD_NO_VALUE &&
		    pair_fits(q, column, q->kt->units[column], own, end, 1))
			return true;
	}
	if (known_number(stats->max, &end) && end != own &&
	    pair_fits(q, column, q->kt->units[column], own, end, q->c->word_comparison.dir != 0))
		return true;
	return known_number(stats->min, &end) && end != own &&
	       pair_fits(q, column, q->kt->units[column], own, end, q->c->word_comparison.dir != 0);
}

static bool rows_fit(struct search *q, size_t column)
{
	const struct known_table *kt = q->kt;

	for (size_t i = 0; i < q->count && q->count <= PAIRED_MAX; i++)
		for (size_t n = i + 1; n < q->count; n++) {
			guard_value a = kt->values[q->rows[i]][column];
			guard_value b = kt->values[q->rows[n]][column];
			int order = order_of(q, q->rows[i], q->rows[n]);

			if (a == GUARD_NO_VALUE || b == GUARD_NO_VALUE || order == OTHER_ROWS)
				continue;
			if (order >= 0 ? pair_fits(q, column, kt->units[column], a, b, order)
				       : pair_fits(q, column, kt->units[column], b, a, 1))
				return true;
		}
	return false;
}

static bool column_fits(struct search *q, size_t column)
{
	return rest_fits(q, column) || rows_fit(q, column) || sums_fit(q, column) ||
	       share_fits(q, column) || leader_fits(q, column);
}

/* Matches sums of two columns of one unit, such as all actuals and all budgets. */
static bool totals_fit(struct search *q)
{
	const struct known_table *kt = q->kt;
	guard_value x, y;
	size_t n;

	for (size_t a = 0; a < kt->t->column_count; a++)
		for (size_t b = a + 1; b < kt->t->column_count; b++) {
			if (!are_of_one_unit(q, a, b))
				continue;
			x = sum_of_rows(q, a, &n);
			y = sum_of_rows(q, b, &n);
			if (pair_fits(q, a, kt->units[a], x, y, 0) ||
			    (unit_is_percent(q->s->unit) &&
			     part_fits(q, a, x < y ? x : y, x < y ? y : x)))
				return true;
		}
	return false;
}

/* Returns true when the answer has mentioned one of the two columns: "budget", "forecast". */
static bool mentions_either_column(const struct search *q, int64_t row, size_t a, size_t b)
{
	const struct context *c = q->c;

	if (c->in_row || column_side(q->k, q->table, a, c) || column_side(q->k, q->table, b, c) ||
	    (c->recent[0].sentence == c->sentence && c->recent[0].table < 0))
		return true;
	for (size_t i = 0; i < RECENT_MAX; i++)
		if (c->recent[i].sentence && c->recent[i].table == q->table &&
		    c->recent[i].row == row &&
		    (c->recent[i].column == (int)a || c->recent[i].column == (int)b))
			return true;
	return false;
}

static bool cells_fit(struct search *q, size_t column, size_t other, int64_t row, guard_value a,
		      guard_value b)
{
	int side = column_side(q->k, q->table, column, q->c), order = side;

	if (!side)
		order = -column_side(q->k, q->table, other, q->c);
	if (mentions_either_column(q, row, column, other) &&
	    (order >= 0 ? pair_fits(q, column, q->kt->units[column], a, b, order)
			: pair_fits(q, column, q->kt->units[column], b, a, 1)))
		return true;
	return unit_is_percent(q->s->unit) && part_fits(q, column, a < b ? a : b, a < b ? b : a);
}

/* Compares two columns of one unit in one row, such as budget and forecast. */
static bool row_fits(struct search *q, int64_t row)
{
	const struct known_table *kt = q->kt;

	for (size_t a = 0; a < kt->t->column_count; a++)
		for (size_t b = a + 1; b < kt->t->column_count; b++)
			if (are_of_one_unit(q, a, b) && kt->values[row][a] != GUARD_NO_VALUE &&
			    kt->values[row][b] != GUARD_NO_VALUE &&
			    cells_fit(q, a, b, row, kt->values[row][a], kt->values[row][b]))
				return true;
	return false;
}

/* Matches the days or weeks between two dates of one row. */
static bool span_fits(struct search *q, int64_t row)
{
	const struct table *t = q->kt->t;
	int64_t days[16];
	int64_t per = unit_days_100(q->s->unit) / 100;
	size_t n = 0;

	if (per < 1 || per > 7)
		return false;
	for (size_t c = 0; c < t->column_count && n < 16; c++) {
		struct date d;

		if (t->rows[row][c] && date_parse_start(t->rows[row][c], &d))
			days[n++] = date_to_days(d);
	}
	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++)
			if (is_value(q->s, (guard_value)(days[a] - days[b]) * ONE / per))
				return set_derivation(q, 0, "-", days[a] * ONE, days[b] * ONE);
	return false;
}

/* ---- selecting rows ---- */

static bool has_mention(const struct mention *list, int count, int id)
{
	for (int i = 0; i < count; i++)
		if (list[i].id == id)
			return true;
	return false;
}

/* The slots of the names. */
static uint32_t mentioned_slots(const struct mention *list, int count)
{
	uint32_t slots = 0;

	for (int i = 0; i < count; i++)
		slots |= list[i].slots;
	return slots;
}

/* Uses the last names of each kind: in this sentence, the previous one, or the question. A
 * sentence with one name compares it with the names of the question. */
static bool row_is_named(const struct search *q, size_t row, const struct context *c,
			 bool include_earlier)
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
		if (!(q->mentioned & bit) && !include_earlier)
			continue;
		named = has_mention(c->mentions, c->count, id) || id == c->word_comparison.ref_id;
		if (include_earlier && (q->earlier & bit))
			named = named || has_mention(c->before, c->before_count, id) ||
				has_mention(k->question_names, k->question_name_count, id);
		else if (include_earlier && !(q->mentioned & bit))
			continue;
		if (!named)
			return false;
		any = true;
	}
	return any;
}

static bool select_rows(struct search *q, const struct context *c, bool include_earlier)
{
	const struct when *w =
		c->follow.when.hours || c->follow.when.months ? &c->follow.when : &c->when;
	bool timed = !c->in_row && q->kt->times && (w->hours || w->months || w->from);
	size_t n = q->kt->t->row_count;

	q->count = 0;
	q->all = false;
	for (size_t row = 0; row < n; row++) {
		if (c->in_row && c->rows.table == q->table) {
			if (!row_set_has(&c->rows, q->table, (int64_t)row))
				continue;
		} else if (timed && !row_matches_time(q->k, q->table, (int64_t)row, w)) {
			continue;
		} else if (n > UNNAMED_ROWS_MAX && !row_is_named(q, row, c, include_earlier) &&
			   (!timed || (q->mentioned & q->kt->rival_slots))) {
			continue;
		}
		if (q->count == GROUP_MAX)
			return false;
		q->rows[q->count++] = (int64_t)row;
	}
	q->all = n <= UNNAMED_ROWS_MAX;
	return q->count > 0;
}

static bool days_between_fit(struct search *q, int64_t a, int64_t b)
{
	int64_t per = unit_days_100(q->s->unit);
	struct shown rough = *q->s;

	if (per < 100)
		return false;
	if (per > 100 && rough.half < ONE / 2)
		rough.half = ONE / 2;
	return is_value(&rough, (guard_value)(a - b) * ONE * 100 / per) &&
	       set_derivation(q, SIZE_MAX, "-", a * ONE, b * ONE);
}

/* Matches the days between the last two dates of the answer. */
static bool last_days_fit(struct search *q)
{
	const int32_t *days = q->c->days;

	return days[0] && days[1] && days_between_fit(q, days[0], days[1]);
}

/* "61 days after engineering": matches days between dates of one column in the named rows. */
static bool row_days_fit(struct search *q)
{
	const struct table *t = q->kt->t;

	if (unit_days_100(q->s->unit) < 100 || q->count > PAIRED_MAX)
		return false;
	for (size_t c = 0; c < t->column_count; c++) {
		struct date a, b;

		if (t->columns[c].type != COLUMN_DATE)
			continue;
		for (size_t i = 0; i < q->count; i++)
			for (size_t n = i + 1; n < q->count; n++)
				if (t->rows[q->rows[i]][c] && t->rows[q->rows[n]][c] &&
				    date_parse_start(t->rows[q->rows[i]][c], &a) &&
				    date_parse_start(t->rows[q->rows[n]][c], &b) &&
				    days_between_fit(q, date_to_days(a), date_to_days(b)))
					return true;
	}
	return false;
}

/* b follows a in the text. */
static bool recent_pair_fits(struct search *q, const struct unit_def *unit, const struct recent *a,
			     const struct recent *b)
{
	int order = q->c->word_comparison.move || q->s->plus || q->s->minus ? -1 : 0;

	if (a->table >= 0 && a->table == b->table && a->row >= 0 && b->row >= 0) {
		q->kt = &q->k->tables[a->table];
		order = order_of(q, a->row, b->row);
		q->kt = NULL;
	}
	if (order == OTHER_ROWS)
		return false;
	return order >= 0 ? pair_fits(q, SIZE_MAX, unit, a->value, b->value, order)
			  : pair_fits(q, SIZE_MAX, unit, b->value, a->value, 1);
}

/* "… and $400K, $900K together" */
static bool recent_sums_fit(struct search *q)
{
	const struct context *c = q->c;
	guard_value sum = c->recent[0].value;

	bool mean = c->means || c->word_comparison.mean;

	if (!c->sums && !c->word_comparison.sum && !mean)
		return false;
	for (size_t i = 1; i < RECENT_MAX; i++) {
		const struct recent *r = &c->recent[i];

		if (!r->sentence || c->sentence - r->sentence > 1 || r->unit != c->recent[0].unit)
			return false;
		sum += r->value;
		if ((q->s->minus && sum >= 0) || !unit_fits(q->s, q->s->unit, r->unit, false))
			continue;
		if ((c->sums || c->word_comparison.sum) && is_value(q->s, sum))
			return set_derivation(q, SIZE_MAX, "= sum of the stated amounts;", sum,
					      (guard_value)(i + 1) * ONE);
		if (mean && is_value(q->s, sum / (guard_value)(i + 1)))
			return set_derivation(q, SIZE_MAX, "= mean of the stated amounts;",
					      sum / (guard_value)(i + 1),
					      (guard_value)(i + 1) * ONE);
	}
	return false;
}

/* Derives from recent amounts of the answer: "… against $52.14, a gap of $2.66". */
static bool recent_fits(struct search *q)
{
	const struct context *c = q->c;
	size_t left = q->s->decimals == 0 && unit_is_percent(q->s->unit) ? 2 : SIZE_MAX;

	for (size_t i = 0; i < RECENT_MAX; i++)
		for (size_t n = i + 1; n < RECENT_MAX && left > 0; n++) {
			const struct recent *a = &c->recent[n], *b = &c->recent[i];
			const struct unit_def *unit = a->unit;

			if (!a->sentence || !b->sentence || c->sentence - a->sentence > 1 ||
			    c->sentence - b->sentence > 1 || !a->unit)
				continue;
			if (!units_are_alike(a->unit, b->unit))
				continue;
			if (unit_is_percent(unit) && unit_is_percent(q->s->unit)) {
				if (derivation_is_worded(DERIVED_CHANGE, q->s, c) &&
				    is_difference(q->s, a->value, b->value))
					return set_derivation(q, SIZE_MAX, "-", a->value, b->value);
				continue;
			}
			q->out->unit = unit;
			left--;
			if (recent_pair_fits(q, unit, a, b) ||
			    (unit_is_percent(q->s->unit) &&
			     part_fits(q, SIZE_MAX, a->value < b->value ? a->value : b->value,
				       a->value < b->value ? b->value : a->value)))
				return true;
		}
	return false;
}

/* "The top two together" */
static bool first_rows_fit(struct search *q)
{
	size_t all = q->count;
	bool fits = !q->c->sums;

	for (size_t col = 0; col < q->kt->t->column_count && !fits; col++)
		for (q->count = 2; q->count < all && q->count <= PAIRED_MAX && !fits; q->count++)
			fits = are_of_one_unit(q, col, col) && sums_fit(q, col);
	q->count = all;
	return fits && q->c->sums;
}

/* Without a named row, all rows count. */
static bool totals_of_all(struct search *q, const struct context *c)
{
	if (c->in_row || q->s->part || q->kt->t->row_count < 2 || q->kt->t->row_count > GROUP_MAX ||
	    q->mentioned & q->kt->rival_slots)
		return false;
	q->count = 0;
	for (size_t r = 0; r < q->kt->t->row_count; r++)
		q->rows[q->count++] = (int64_t)r;
	q->all = true;
	if (totals_fit(q) || first_rows_fit(q))
		return true;
	for (size_t col = 0; col < q->kt->t->column_count; col++)
		if (q->kt->measure[col] && share_fits(q, col))
			return true;
	return false;
}

static bool table_fits(struct search *q, const struct context *c)
{
	const struct table *t = q->kt->t;

	for (int include_earlier = 0; include_earlier < 2; include_earlier++) {
		if (!select_rows(q, c, include_earlier))
			continue;
		for (size_t col = 0; col < t->column_count; col++)
			if (q->kt->measure[col] && column_fits(q, col))
				return true;
		for (size_t i = 0; i < q->count && q->count <= PAIRED_MAX; i++)
			if (row_fits(q, q->rows[i]) || span_fits(q, q->rows[i]))
				return true;
		if (row_days_fit(q))
			return true;
	}
	return totals_of_all(q, c);
}

/* Excludes small bare numbers, which would match anywhere. */
static bool may_derive(const struct shown *s)
{
	return s->kind == SHOWN_NUMBER && (!shown_is_bare(s) || s->value >= BARE_VALUE_MIN * ONE);
}

bool derive_bind(const struct known *k, const struct shown *s, const struct context *c,
		 char *scratch, size_t size, struct derived_number *out)
{
	struct search q = {.k = k, .s = s, .c = c, .scratch = scratch, .size = size, .out = out};

	if (!may_derive(s) || !c->comparison_known)
		return false;
	q.mentioned = mentioned_slots(c->mentions, c->count);
	q.earlier = mentioned_slots(c->before, c->before_count) |
		    mentioned_slots(k->question_names, k->question_name_count);
	for (int i = 0; i < k->table_count; i++) {
		q.kt = &k->tables[i];
		q.table = i;
		if (table_fits(&q, c))
			return true;
	}
	q.kt = NULL;
	return !c->in_row && (recent_fits(&q) || recent_sums_fit(&q) || last_days_fit(&q));
}
