/*
 * Binds numbers that an answer derives: a remainder, a mean, a share of a total, a difference of
 * two values. An unbound number is compared with these derivations only. Round limits are not
 * checked.
 */
#include "claim.h"

#include <stdio.h>
#include <string.h>

#define ONE                  ((guard_value)100000000)
#define OPERAND_DISTANCE_MAX 11 /* tokens around a number searched for its operands */
#define CELLS_MAX            16 /* per unit and name; with more cells some pair would match any number */

static bool is_unbound_amount(const struct token *t)
{
	return token_is_amount(t) && (!t->mark->bound || t->mark->unchecked);
}

/* The last name before the number at i in its clause; -1: none. */
static int name_of(const struct claims *c, size_t i)
{
	for (size_t n = i; n-- > 0 && !token_breaks(c, n, ";.!?|");)
		if (c->tokens[n].kind == TOKEN_NAME)
			return c->tokens[n].id;
	return -1;
}

/* The cells of one unit in the rows of a name, or of the only row. */
static size_t cells_of(const struct known_table *kt, int id, const struct mark *m,
		       guard_value out[CELLS_MAX])
{
	size_t n = 0;

	for (size_t row = 0; row < kt->t->row_count; row++) {
		if (id >= 0 ? !row_has_name(kt, row, id) : kt->t->row_count > 1)
			continue;
		for (size_t col = 0; col < kt->t->column_count; col++) {
			guard_value v = kt->values[row][col];

			if (!kt->measure[col] || v == GUARD_NO_VALUE || !kt->units[col] ||
			    !unit_fits(&m->shown, m->shown.unit, kt->units[col], false))
				continue;
			if (n == CELLS_MAX)
				return 0;
			out[n++] = v;
		}
	}
	return n;
}

/* "Kern Wind has $880,000 left": the difference of two cells of that name. */
static void bind_remainder(struct claims *c, size_t i)
{
	struct mark *m = c->tokens[i].mark;
	int id = name_of(c, i);

	if (shown_is_bare(&m->shown) || unit_is_percent(m->shown.unit) ||
	    unit_is_ratio(m->shown.unit))
		return;
	for (int t = 0; t < c->k->table_count; t++) {
		guard_value cells[CELLS_MAX];
		size_t n = cells_of(&c->k->tables[t], id, m, cells);

		for (size_t a = 0; a < n; a++)
			for (size_t b = 0; b < a; b++)
				if (cells[a] != cells[b] && mark_matches(m, cells[a] - cells[b])) {
					claim_bind(m, "difference of two values in the named row");
					return;
				}
	}
}

static bool clause_has_cue(const struct claims *c, size_t i, uint32_t cue_flags)
{
	for (size_t n = i; n-- > 0 && !token_breaks(c, n, ";.!?|");) {
		if (token_has_cue(c, n, cue_flags))
			return true;
		if (token_is_amount(&c->tokens[n]))
			return false;
	}
	return false;
}

static bool sum_of(const struct known_table *kt, size_t col, size_t rows, guard_value *sum)
{
	*sum = 0;
	for (size_t r = 0; r < rows; r++) {
		if (kt->values[r][col] == GUARD_NO_VALUE)
			return false;
		*sum += kt->values[r][col];
	}
	return rows > 1;
}

/* "The monthly average is 1,564" */
static void bind_mean(struct claims *c, size_t i)
{
	struct mark *m = c->tokens[i].mark;

	if (!clause_has_cue(c, i, CUE_MEAN) || c->s->named)
		return; /* for one name the mean is already known */
	for (int t = 0; t < c->k->table_count; t++) {
		const struct known_table *kt = &c->k->tables[t];
		size_t rows = kt->t->row_count;
		guard_value sum;

		for (size_t col = 0; col < kt->t->column_count; col++)
			if (kt->measure[col] && sum_of(kt, col, rows, &sum) &&
			    kt->t->total_rows <= (int64_t)rows &&
			    unit_fits(&m->shown, m->shown.unit, kt->units[col], false) &&
			    mark_matches(m, sum / (guard_value)rows))
				claim_bind(m, "mean of the column");
	}
}

/* "The top two" before the number at i gives 2; 0: none. */
static size_t top_before(const struct claims *c, size_t i)
{
	for (size_t n = i; n-- > 0 && !token_breaks(c, n, ";.!?|");)
		if (token_is_amount(&c->tokens[n]) && n > 0 &&
		    token_has_cue(c, n - 1, CUE_COUNT_OF))
			return (size_t)(c->tokens[n].mark->shown.value / ONE);
	for (size_t n = i; n-- > 0 && !token_breaks(c, n, ";.!?|");)
		if (n > 0 && c->tokens[n].cardinal > 1 && token_has_cue(c, n - 1, CUE_COUNT_OF))
			return (size_t)c->tokens[n].cardinal;
	return 0;
}

static bool is_share(const struct mark *m, guard_value part, guard_value whole)
{
	return whole > 0 && part > 0 && part < whole && mark_matches(m, part * 100 * ONE / whole);
}

/* Returns true for a counted unit other than time. */
static bool is_counted_item(const struct unit_def *u)
{
	return u->counted && !unit_is_span(u);
}

static bool same_unit(const struct unit_def *a, const struct unit_def *b)
{
	return a == b || ((!a || is_counted_item(a)) && (!b || is_counted_item(b)));
}

/* Returns true for a share of a column's total, over all rows or as given by the only row of
 * another table. */
static bool is_share_of_total(const struct claims *c, const struct mark *m, guard_value part,
			      const struct unit_def *unit)
{
	for (int t = 0; t < c->k->table_count; t++) {
		const struct known_table *kt = &c->k->tables[t];
		guard_value sum;

		for (size_t col = 0; col < kt->t->column_count; col++)
			if (kt->measure[col] && same_unit(kt->units[col], unit) &&
			    ((sum_of(kt, col, kt->t->row_count, &sum) && is_share(m, part, sum)) ||
			     (kt->t->row_count == 1 && kt->values[0][col] != GUARD_NO_VALUE &&
			      is_share(m, part, kt->values[0][col]))))
				return true;
	}
	return false;
}

/* "The top two account for 34.6 %"; "1,233 views, three quarters (74.6 %) of all" */
static void bind_share_of_total(struct claims *c, size_t i)
{
	struct mark *m = c->tokens[i].mark;
	size_t top = top_before(c, i);

	if (!unit_is_percent(m->shown.unit))
		return;
	for (int t = 0; t < c->k->table_count && top > 1; t++) {
		const struct known_table *kt = &c->k->tables[t];
		guard_value sum;

		for (size_t col = 0; col < kt->t->column_count && top <= kt->t->row_count; col++)
			if (kt->measure[col] && sum_of(kt, col, top, &sum) &&
			    is_share_of_total(c, m, sum, kt->units[col]))
				claim_bind(m, "share of the first rows");
	}
	for (size_t n = i; n-- > 0 && !m->bound;) {
		const struct token *t = &c->tokens[n];

		if (token_is_amount(t) && t->mark->bound && !t->mark->unchecked &&
		    !unit_is_percent(t->mark->shown.unit) && !t->mark->shown.worded &&
		    is_share_of_total(c, m, t->mark->shown.value,
				      t->mark->amount.table >= 0 ? t->mark->amount.unit
								 : t->mark->shown.unit))
			claim_bind(m, "share of the total");
	}
}

/* Returns true for an amount of the sentence that is bound or not checked. */
static bool is_earlier_amount(const struct claims *c, size_t i, const struct mark *m)
{
	const struct token *t = &c->tokens[i];

	return token_is_amount(t) && t->mark != m && t->mark->bound &&
	       !shown_is_bare(&t->mark->shown) && !unit_is_percent(t->mark->shown.unit) &&
	       !unit_is_ratio(t->mark->shown.unit);
}

/* Returns true when m is the difference from a to b, absolute or in percent. A sign requires "a to
 * b". */
static bool is_difference_of(const struct claims *c, const struct mark *m, size_t a, size_t b)
{
	guard_value from = token_value(&c->tokens[a]), to = token_value(&c->tokens[b]);
	bool is_signed = m->shown.plus || m->shown.minus, moves = false, against = false;

	for (size_t n = a + 1; n < b; n++) {
		moves = moves || token_has_cue(c, n, CUE_TO);
		against = against || token_has_cue(c, n, CUE_AGAINST);
	}
	if (is_signed && (!moves || (to < from) != m->shown.minus))
		return false;
	if (!unit_is_percent(m->shown.unit))
		return mark_matches(m, to - from);
	if (against && to != 0 && mark_matches(m, (from - to) * 100 * ONE / to))
		return true; /* "18 %: $58.50 against $49.58" */
	return is_signed && from != 0 && mark_matches(m, (to - from) * 100 * ONE / from);
}

/* "$58.50 and $41.90, a band of $16.60"; "$1.65M to $1.8M (+9.1 %)": derived from two amounts of
 * the sentence. */
static void bind_derived_from_sentence(struct claims *c, size_t i)
{
	struct mark *m = c->tokens[i].mark;
	size_t from = i > OPERAND_DISTANCE_MAX ? i - OPERAND_DISTANCE_MAX : 0;
	size_t to = i + OPERAND_DISTANCE_MAX < c->count ? i + OPERAND_DISTANCE_MAX : c->count;

	if (shown_is_bare(&m->shown) || unit_is_ratio(m->shown.unit))
		return;
	for (size_t n = from; n < to; n++) /* comparisons with a direction are checked elsewhere */
		if (token_has_cue(c, n, CUE_UP | CUE_DOWN) && !token_has_cue(c, n, CUE_MOVE))
			return;
	for (size_t a = from; a < to; a++)
		for (size_t b = a + 1; b < to; b++) {
			const struct mark *x, *y;

			if (!is_earlier_amount(c, a, m) || !is_earlier_amount(c, b, m) ||
			    (a > i && !unit_is_percent(m->shown.unit)))
				continue; /* an amount is not the difference of later amounts */
			x = c->tokens[a].mark;
			y = c->tokens[b].mark;
			if (!units_are_comparable(x, y) ||
			    (!unit_is_percent(m->shown.unit) && !units_are_comparable(m, x)) ||
			    !is_difference_of(c, m, a, b))
				continue;
			claim_bind(m, "difference of two amounts in the sentence");
			m->unchecked = x->unchecked || y->unchecked;
			m->why = m->unchecked ? GUARD_OTHER : GUARD_REASON_NONE;
			return;
		}
}

/* ---- not checked ---- */

/* "below 500 views": a round limit is not a value of the data. */
static bool is_limit(const struct claims *c, size_t i)
{
	const struct mark *m = c->tokens[i].mark;
	guard_value digits = m->shown.value;

	for (size_t n = 0; n < c->count; n++)
		if (c->tokens[n].month || (c->tokens[n].kind == TOKEN_NUMBER &&
					   c->tokens[n].mark->shown.kind == SHOWN_HOUR))
			return false; /* compared with the rows of that time */
	while (digits > 0 && digits % 10 == 0)
		digits /= 10;
	return digits < 10 && i > 0 && !m->shown.minus && m->shown.value >= 10 * ONE &&
	       token_has_cue(c, i - 1, CUE_UP | CUE_DOWN | CUE_THAN);
}

static void mark_round_limit_unchecked(struct claims *c, size_t i)
{
	struct mark *m = c->tokens[i].mark;

	if (m->bound || !is_limit(c, i))
		return;
	m->bound = m->unchecked = true;
	m->why = GUARD_OTHER;
	m->ref = (struct guard_ref){.row = -1};
}

void claims_of_derived(struct claims *c)
{
	for (size_t i = 0; i < c->count; i++) {
		if (is_unbound_amount(&c->tokens[i]))
			bind_mean(c, i);
		if (is_unbound_amount(&c->tokens[i]))
			bind_share_of_total(c, i);
		if (is_unbound_amount(&c->tokens[i]))
			bind_remainder(c, i);
		if (is_unbound_amount(&c->tokens[i]))
			bind_derived_from_sentence(c, i);
		if (is_unbound_amount(&c->tokens[i]))
			mark_round_limit_unchecked(c, i);
	}
}

/* ---- repeated cells ---- */

/* The largest number of cells in one table that show the value; tables may repeat a cell. */
static size_t cells_with(const struct claims *c, const struct mark *m)
{
	size_t most = 0;

	for (int t = 0; t < c->k->table_count; t++) {
		const struct known_table *kt = &c->k->tables[t];
		size_t n = 0;

		for (size_t r = 0; r < kt->t->row_count; r++)
			for (size_t col = 0; col < kt->t->column_count; col++)
				n += kt->measure[col] && kt->values[r][col] != GUARD_NO_VALUE &&
				     mark_matches(m, kt->values[r][col]);
		most = n > most ? n : most;
	}
	return most;
}

/* "$34.49 and $34.49": the only cell with this value is used for two items. */
void claims_of_repeats(struct claims *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct mark *m = token_is_amount(&c->tokens[i]) ? c->tokens[i].mark : NULL;

		if (!m || !m->bound || m->unchecked || shown_is_bare(&m->shown) ||
		    unit_is_percent(m->shown.unit) || unit_is_ratio(m->shown.unit) ||
		    (m->shown.unit && m->shown.unit->counted) || m->shown.worded)
			continue;
		for (size_t n = i; n-- > 0 && !token_breaks(c, n, ";|");) {
			const struct mark *o =
				token_is_amount(&c->tokens[n]) ? c->tokens[n].mark : NULL;

			if (token_has_cue(c, n, CUE_MOST | CUE_LEAST | CUE_ABOUT))
				break;
			if (!o)
				continue;
			if (o->bound && o->shown.len == m->shown.len &&
			    o->shown.value == m->shown.value && o->shown.half == m->shown.half &&
			    o->shown.minus == m->shown.minus && cells_with(c, m) == 1)
				token_refute(&c->tokens[i]);
			break;
		}
	}
}
