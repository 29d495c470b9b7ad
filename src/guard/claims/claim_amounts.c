/* Checks claims between amounts of one sentence: moves, parts of a whole, and comparisons of two
 * amounts. */
#include "claim.h"
#include "known/known_data.h"

#include <stdio.h>
#include <string.h>

#include "vesper/decimal.h"

#define ONE            ((guard_value)100000000)
#define MOVE_TOKENS    6 /* maximum tokens between "from x" and "to y" */
#define PART_TOKENS    3 /* maximum tokens between "x of" and "y" */
#define DIRECTION_NEAR 4 /* tokens between an amount and its direction word */

static bool is_break(const struct claims *c, size_t i)
{
	return i >= c->count || token_breaks(c, i, ";.!?|");
}

/* ---- moves ---- */

/* The nearest move word before `at`, else after `end`; SIZE_MAX: none. */
static size_t word_of_move(const struct claims *c, size_t at, size_t end)
{
	for (size_t i = at; i-- > 0 && !is_break(c, i);)
		if (token_has_cue(c, i, CUE_UP | CUE_DOWN) && token_has_cue(c, i, CUE_MOVE))
			return i;
	for (size_t i = end; i < end + DIRECTION_NEAR && !is_break(c, i); i++)
		if (token_has_cue(c, i, CUE_UP | CUE_DOWN) && token_has_cue(c, i, CUE_MOVE))
			return i;
	return SIZE_MAX;
}

/* The end of a move that begins with "from" at i; 0: none. */
static size_t end_of_move(const struct claims *c, size_t i)
{
	size_t a = i + 1 + token_has_cue(c, i + 1, CUE_ABOUT);

	if (a >= c->count || !token_is_amount(&c->tokens[a]))
		return 0;
	for (size_t n = a + 1; n < a + MOVE_TOKENS && !is_break(c, n); n++) {
		size_t b = n + 1 + token_has_cue(c, n + 1, CUE_ABOUT);

		if (token_is_amount(&c->tokens[n]))
			return 0;
		if (token_has_cue(c, n, CUE_TO) && b < c->count && token_is_amount(&c->tokens[b]) &&
		    units_are_comparable(c->tokens[a].mark, c->tokens[b].mark))
			return b;
	}
	return 0;
}

void claims_of_moves(struct claims *c)
{
	for (size_t i = 0; i < c->count; i++) {
		size_t b = token_has_cue(c, i, CUE_FROM) ? end_of_move(c, i) : 0;
		guard_value from, to;
		size_t word;

		if (b == 0)
			continue;
		from = token_value(&c->tokens[i + 1 + token_has_cue(c, i + 1, CUE_ABOUT)]);
		to = token_value(&c->tokens[b]);
		word = word_of_move(c, i, b + 1);
		if (word == SIZE_MAX || from == to)
			continue;
		if ((to > from) == token_has_cue(c, word, CUE_UP))
			token_confirm(c, word);
		else
			token_refute(&c->tokens[b]);
	}
}

/* ---- parts ---- */

/* "Of the 2026 budget of": returns true for a word that does not introduce another amount. */
static bool is_plain_word(const struct claims *c, size_t i)
{
	return i < c->count && c->tokens[i].kind == TOKEN_WORD &&
	       !(c->tokens[i].cue_flags &
		 (CUE_UP | CUE_DOWN | CUE_FROM | CUE_TO | CUE_AND | CUE_PLACE));
}

/* The whole after "x of"; 0: none. */
static size_t whole_after(const struct claims *c, size_t a)
{
	size_t b = a + 2;

	if (!is_plain_word(c, a + 1) || c->tokens[a + 1].word != folded_word_key("of", 2))
		return 0;
	while (b < a + 2 + PART_TOKENS && is_plain_word(c, b))
		b++;
	if (b >= c->count || !token_is_amount(&c->tokens[b]) ||
	    unit_is_percent(c->tokens[b].mark->shown.unit))
		return 0;
	return b;
}

static void bind_share(struct claims *c, size_t i, guard_value part, guard_value whole)
{
	struct mark *m = i < c->count && token_is_amount(&c->tokens[i]) ? c->tokens[i].mark : NULL;
	char formula[FORMULA_BYTES], x[DECIMAL_TEXT_BYTES], y[DECIMAL_TEXT_BYTES];

	if (!m || !unit_is_percent(m->shown.unit) || !mark_matches(m, part * 100 * ONE / whole))
		return;
	decimal_text_short((struct decimal){.units = part, .scale = GUARD_SCALE}, x);
	decimal_text_short((struct decimal){.units = whole, .scale = GUARD_SCALE}, y);
	snprintf(formula, sizeof(formula), "%s / %s", x, y);
	claim_bind(m, formula);
}

/* "$4.9M of $5.4M": binds if both are cells of one row. */
static void bind_part(struct claims *c, struct mark *m, guard_value whole)
{
	for (int i = 0; i < c->k->table_count; i++) {
		const struct known_table *kt = &c->k->tables[i];

		for (size_t r = 0; r < kt->t->row_count; r++) {
			bool part = false, all = false;

			for (size_t col = 0; col < kt->t->column_count; col++) {
				guard_value v = kt->values[r][col];

				if (!kt->measure[col] || v == GUARD_NO_VALUE || !kt->units[col])
					continue;
				part = part || mark_matches(m, v);
				all = all || v == whole;
			}
			if (part && all)
				claim_bind(m, "part of a total in the same row");
		}
	}
}

static bool is_share_of_any_cell(const struct claims *c, const struct mark *m, guard_value whole)
{
	for (int i = 0; i < c->k->table_count; i++) {
		const struct known_table *kt = &c->k->tables[i];

		for (size_t col = 0; col < kt->t->column_count; col++) {
			guard_value sum = 0;

			for (size_t r = 0; kt->measure[col] && r < kt->t->row_count; r++) {
				guard_value v = kt->values[r][col];

				if (v == GUARD_NO_VALUE)
					continue;
				sum += v;
				if (mark_matches(m, v * 100 * ONE / whole) ||
				    mark_matches(m, (whole - v) * 100 * ONE / whole) ||
				    mark_matches(m, sum * 100 * ONE / whole))
					return true;
			}
		}
	}
	return false;
}

/* "299 times, 18.8 % of its 1,591": a share of the previous amount, or of a cell. */
static void check_share(struct claims *c, size_t i)
{
	struct mark *m = token_is_amount(&c->tokens[i]) ? c->tokens[i].mark : NULL;
	size_t b = m && unit_is_percent(m->shown.unit) && !m->shown.part ? whole_after(c, i) : 0;
	const struct mark *whole = b ? c->tokens[b].mark : NULL;

	if (!whole || !m->bound || m->unchecked || !whole->bound || whole->shown.value == 0)
		return;
	for (size_t n = i; n-- > 0 && n + DIRECTION_NEAR >= i;) {
		const struct mark *a = token_is_amount(&c->tokens[n]) ? c->tokens[n].mark : NULL;

		if (!a || unit_is_percent(a->shown.unit))
			continue;
		if (!a->bound || !units_are_comparable(a, whole) ||
		    a->shown.value > whole->shown.value)
			break;
		if (!mark_matches(m, a->shown.value * 100 * ONE / whole->shown.value) &&
		    !is_share_of_any_cell(c, m, whole->shown.value))
			token_refute(&c->tokens[i]);
		return;
	}
	if (!is_share_of_any_cell(c, m, whole->shown.value) && whole->shown.unit)
		token_refute(&c->tokens[i]);
}

/* A negative cell must be described as negative. */
static void check_sign(struct claims *c, size_t i)
{
	const struct mark *m = token_is_amount(&c->tokens[i]) ? c->tokens[i].mark : NULL;
	const struct recent *r = m ? &m->amount : NULL;

	if (!m || !m->bound || m->shown.minus || r->table < 0 || r->row < 0 || r->column < 0 ||
	    r->value >= 0 || c->k->tables[r->table].differences[r->column] ||
	    known_is_change(&c->k->tables[r->table].t->columns[r->column]))
		return;
	for (size_t n = i > DIRECTION_NEAR ? i - DIRECTION_NEAR : 0; n < i + 3; n++)
		if (token_has_cue(c, n, CUE_DOWN | CUE_CHANGE))
			return;
	token_refute(&c->tokens[i]);
}

void claims_of_parts(struct claims *c)
{
	for (size_t i = 0; i < c->count; i++) {
		check_share(c, i);
		check_sign(c, i);
	}
	for (size_t a = 0; a + 2 < c->count; a++) {
		const struct token *t = &c->tokens[a];
		size_t b = token_is_amount(t) && !unit_is_percent(t->mark->shown.unit) &&
					   !unit_is_ratio(t->mark->shown.unit) &&
					   !t->mark->shown.part
				   ? whole_after(c, a)
				   : 0;
		guard_value part, whole;

		if (b == 0 || !units_are_comparable(t->mark, c->tokens[b].mark))
			continue;
		part = token_value(t);
		whole = token_value(&c->tokens[b]);
		if (part > whole && whole > 0) {
			token_refute(&c->tokens[a]);
			continue;
		}
		if (!t->mark->bound)
			bind_part(c, t->mark, whole);
		if (whole <= 0 || !t->mark->bound || !c->tokens[b].mark->bound)
			continue;
		for (size_t i = a > DIRECTION_NEAR ? a - DIRECTION_NEAR : 0;
		     i < b + 1 + DIRECTION_NEAR; i++)
			bind_share(c, i, part, whole);
	}
}

/* ---- pairs of amounts ---- */

/* Returns true for tokens allowed between an amount and its direction word: "$400K or 12.5 %
 * over". */
static bool may_precede_direction(const struct claims *c, size_t i)
{
	return token_has_cue(c, i, CUE_AND) || token_breaks(c, i, "()") ||
	       (token_is_amount(&c->tokens[i]) && unit_is_percent(c->tokens[i].mark->shown.unit));
}

/* The direction word of the amount at i: "9.48 less"; SIZE_MAX: none. */
static size_t direction_of(const struct claims *c, size_t i)
{
	size_t near = i + DIRECTION_NEAR;

	for (size_t n = i + 1; n < near && n < c->count; n++) {
		if (may_precede_direction(c, n)) {
			near++;
			continue;
		}
		if (c->tokens[n].kind == TOKEN_BREAK || c->tokens[n].kind == TOKEN_NUMBER)
			break;
		if (token_has_cue(c, n, CUE_UP | CUE_DOWN))
			return n;
	}
	return SIZE_MAX;
}

static bool shows_pair(const struct mark *m, guard_value a, guard_value b)
{
	if (unit_is_percent(m->shown.unit))
		return b != 0 && mark_matches(m, (a - b) * 100 * ONE / b);
	return mark_matches(m, a - b);
}

#define PAIR_AMOUNTS 3 /* two compared amounts and their difference */

/* Finds the last two amounts of one unit before i. Their difference may come between: "x against
 * y: $400K or 12.5 %". */
static bool pair_before(const struct claims *c, size_t i, size_t *a, size_t *b)
{
	size_t at[PAIR_AMOUNTS], found = 0;

	for (size_t n = i; n-- > 0 && found < PAIR_AMOUNTS;) {
		const struct token *t = &c->tokens[n];

		if (token_breaks(c, n, ";|"))
			break;
		if (!token_is_amount(t) || unit_is_percent(t->mark->shown.unit))
			continue;
		if (!t->mark->bound || t->mark->unchecked || shown_is_bare(&t->mark->shown))
			break;
		at[found++] = n;
	}
	if (found < 2)
		return false;
	if (found == PAIR_AMOUNTS &&
	    shows_pair(c->tokens[at[0]].mark, token_value(&c->tokens[at[2]]),
		       token_value(&c->tokens[at[1]]))) {
		at[0] = at[1];
		at[1] = at[2];
	}
	*b = at[0];
	*a = at[1];
	return units_are_comparable(c->tokens[*a].mark, c->tokens[*b].mark);
}

/* "$44.46 versus $53.94 for CAISO, $9.48 less": the first is lower by the third. */
static void check_pair(struct claims *c, size_t i, size_t a, size_t b)
{
	struct mark *m = c->tokens[i].mark;
	char formula[FORMULA_BYTES], x[DECIMAL_TEXT_BYTES], y[DECIMAL_TEXT_BYTES];
	guard_value first = token_value(&c->tokens[a]), second = token_value(&c->tokens[b]);
	size_t word = direction_of(c, i);
	bool against = false;
	int dir = m->shown.minus ? -1 : m->shown.plus ? 1 : 0;

	if (!dir && word != SIZE_MAX)
		dir = token_has_cue(c, word, CUE_UP) ? 1 : -1;
	for (size_t n = a; n < b; n++)
		against = against || token_has_cue(c, n, CUE_AGAINST);
	/* "Ascend: $52.14, Hitachi: $54.80, 5.1 % more": relative to the first */
	if (!against && dir && (second > first) == (dir > 0) && shows_pair(m, second, first))
		token_confirm(c, word);
	if (!dir || !against || first == second ||
	    (!unit_is_percent(m->shown.unit) && !units_are_comparable(m, c->tokens[a].mark)))
		return;
	if (!shows_pair(m, first, second)) {
		/* a percentage of the wrong side: "53.94 against 41.58, 23 % more" */
		if (unit_is_percent(m->shown.unit) && shows_pair(m, second, first))
			token_refute(&c->tokens[i]);
		return;
	}
	if ((first > second) != (dir > 0)) {
		token_refute(&c->tokens[i]);
		return;
	}
	token_confirm(c, word);
	decimal_text_short((struct decimal){.units = first, .scale = GUARD_SCALE}, x);
	decimal_text_short((struct decimal){.units = second, .scale = GUARD_SCALE}, y);
	snprintf(formula, sizeof(formula), "%s %s %s", x,
		 unit_is_percent(m->shown.unit) ? "/ - 1:" : "-", y);
	claim_bind(m, formula);
}

void claims_of_pairs(struct claims *c)
{
	for (size_t i = 0; i < c->count; i++) {
		size_t a, b;

		if (token_is_amount(&c->tokens[i]) && !shown_is_bare(&c->tokens[i].mark->shown) &&
		    pair_before(c, i, &a, &b))
			check_pair(c, i, a, b);
	}
}
