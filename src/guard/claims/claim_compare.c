/*
 * Checks "A is above B". Both sides are rows, months, hours or columns, and their values must
 * differ in that direction. If the sentence gives the difference, only values with that difference
 * count. Otherwise it is a contradiction only when all comparable values disagree.
 */
#include "claim.h"

#include <string.h>

#define ONE                    ((guard_value)100000000)
#define REFERENCE_DISTANCE_MAX 5  /* maximum tokens from "above" to the reference */
#define SERIES_MAX             31 /* series longer than this are not compared pairwise */
#define AMOUNT_DISTANCE_MAX    6  /* maximum tokens from the direction to the amount */

/* One side of a comparison. */
struct side {
	const struct token *name; /* or NULL */
	int month;                /* or 0 */
	uint64_t column;          /* a word of a column name; or 0 */
	uint64_t before;          /* the previous word: "off" of "off-peak" */
};

static bool is_side(const struct side *s)
{
	return s->name || s->month || s->column;
}

static struct side side_of(const struct claims *c, const struct token *t)
{
	if (t->kind == TOKEN_NAME)
		return (struct side){.name = t};
	if (t->month && c->k->has_times)
		return (struct side){.month = t->month};
	if (t->kind == TOKEN_WORD && !t->cue_flags && known_is_column_word(c->k, t->word))
		return (struct side){.column = t->word};
	return (struct side){0};
}

/* Same, including a previous word that may be part of the column name. */
static struct side side_at(const struct claims *c, size_t i)
{
	struct side s = side_of(c, &c->tokens[i]);

	if (s.column && i > 0 && c->tokens[i - 1].kind == TOKEN_WORD &&
	    known_is_column_word(c->k, c->tokens[i - 1].word))
		s.before = c->tokens[i - 1].word;
	return s;
}

static bool is_same_kind(const struct side *a, const struct side *b)
{
	if (a->name && b->name)
		return a->name->slots & b->name->slots && a->name->id != b->name->id;
	return (a->month && b->month && a->month != b->month) ||
	       (a->column && b->column && (a->column != b->column || a->before != b->before));
}

static bool ends_clause(const struct claims *c, size_t i)
{
	return token_breaks(c, i, ";:.!?|");
}

/* The reference right after the direction at i. */
static struct side reference(const struct claims *c, size_t i)
{
	for (size_t n = i + 1; n <= i + REFERENCE_DISTANCE_MAX && n < c->count; n++) {
		struct side s;

		if (c->tokens[n].kind == TOKEN_BREAK || token_has_cue(c, n, CUE_AND))
			break;
		s = side_at(c, n);
		if (s.column && n + 1 < c->count && c->tokens[n + 1].kind == TOKEN_WORD &&
		    known_is_column_word(c->k, c->tokens[n + 1].word))
			continue;
		if (is_side(&s))
			return s;
		if (c->tokens[n].kind == TOKEN_NUMBER)
			break;
	}
	return (struct side){0};
}

/* The nearest side before the direction that has the reference's kind. */
static struct side subject(const struct claims *c, size_t i, const struct side *ref)
{
	while (i-- > 0 && !ends_clause(c, i)) {
		struct side s = side_at(c, i);

		if (is_side(&s) && is_same_kind(&s, ref))
			return s;
	}
	return (struct side){0};
}

static bool leads_to_amount(const struct claims *c, size_t i)
{
	const struct token *t = &c->tokens[i];

	return t->kind == TOKEN_WORD &&
	       (t->word == folded_word_key("by", 2) || t->word == folded_word_key("of", 2));
}

/* The difference given in the sentence; NULL: none. */
static const struct mark *difference_near(const struct claims *c, size_t i)
{
	for (size_t n = i, near = 3; n-- > 0 && n + near >= i;) {
		if (token_breaks(c, n, "()")) { /* "$2.66 (5.1 %) higher" */
			near++;
			continue;
		}
		if (c->tokens[n].kind == TOKEN_BREAK || token_has_cue(c, n, CUE_AND))
			break;
		if (token_is_amount(&c->tokens[n]))
			return c->tokens[n].mark;
	}
	for (size_t n = i + 1; n <= i + AMOUNT_DISTANCE_MAX && n < c->count; n++) {
		if (token_breaks(c, n, ",;:.!?|"))
			break;
		if (token_is_amount(&c->tokens[n]))
			return leads_to_amount(c, n - 1) ? c->tokens[n].mark : NULL;
	}
	return NULL;
}

struct votes {
	const struct mark *by;
	struct mark *stated[2]; /* the two values if the sentence continues with them; or NULL */
	int dir;
	size_t yes, no;             /* of all values */
	size_t given_yes, given_no; /* of the values with the given difference */
};

static void vote(struct votes *v, const struct unit_def *unit, guard_value a, guard_value b)
{
	bool right, fits_given;

	if (a == GUARD_NO_VALUE || b == GUARD_NO_VALUE || a == b)
		return;
	right = (a > b) == (v->dir > 0);
	fits_given = v->by && (unit_is_percent(v->by->shown.unit)
				       ? b != 0 && mark_matches(v->by, (a - b) * 100 * ONE / b)
				       : unit_fits(&v->by->shown, v->by->shown.unit, unit, false) &&
						 mark_matches(v->by, a - b));
	if (v->stated[1] && right && mark_matches(v->stated[0], a) &&
	    mark_matches(v->stated[1], b)) {
		claim_bind(v->stated[0], "compared value");
		claim_bind(v->stated[1], "reference value");
	}
	*(right ? &v->yes : &v->no) += 1;
	if (fits_given)
		*(right ? &v->given_yes : &v->given_no) += 1;
}

static bool row_matches_side(const struct known_table *kt, size_t row, const struct side *s)
{
	if (s->month)
		return kt->times && (kt->times[row].month == s->month ||
				     (kt->times[row].month < 0 && kt->times[row].day &&
				      kt->times[row].day / 100 % 100 == s->month));
	for (size_t col = 0; col < kt->t->column_count; col++)
		if (kt->ids[row][col] == s->name->id)
			return true;
	return false;
}

/* Returns true when the sentence names another row of a kind that neither side has. */
static bool is_other_row(const struct claims *c, const struct known_table *kt, size_t row,
			 const struct side *a)
{
	uint32_t own = a->name ? a->name->slots : 0;

	for (size_t col = 0; col < kt->t->column_count; col++) {
		uint32_t bit = kt->slot[col] >= 0 ? 1u << kt->slot[col] : 0;
		bool any = false, named = false;

		if (!bit || !kt->rivals[col] || own & bit)
			continue;
		for (size_t i = 0; i < c->count; i++) {
			const struct token *t = &c->tokens[i];

			if (t->kind != TOKEN_NAME || !(t->slots & bit) || t->slots & own)
				continue;
			any = true;
			named = named || t->id == kt->ids[row][col];
		}
		if (any && !named)
			return true;
	}
	return false;
}

static bool same_time(const struct known_table *kt, size_t a, size_t b)
{
	return !kt->times ||
	       (kt->times[a].hour == kt->times[b].hour && kt->times[a].month == kt->times[b].month);
}

/* Compares the first row of each side per hour and month; tools return the newest rows first. */
static void vote_rows(const struct claims *c, const struct known_table *kt, const struct side *a,
		      const struct side *b, struct votes *v)
{
	for (size_t x = 0; x < kt->t->row_count; x++) {
		bool first = row_matches_side(kt, x, a) && !is_other_row(c, kt, x, a);

		for (size_t i = 0; first && i < x; i++)
			first = !(row_matches_side(kt, i, a) && same_time(kt, i, x) &&
				  !is_other_row(c, kt, i, a));
		for (size_t y = 0; first && y < kt->t->row_count; y++) {
			if (!row_matches_side(kt, y, b) || (!a->month && !same_time(kt, x, y)) ||
			    is_other_row(c, kt, y, b))
				continue;
			for (size_t col = 0; col < kt->t->column_count; col++)
				if (kt->measure[col] && kt->units[col])
					vote(v, kt->units[col], kt->values[x][col],
					     kt->values[y][col]);
				else if (kt->measure[col] && v->by)
					vote(v, kt->units[col], kt->values[x][col],
					     kt->values[y][col]);
			break;
		}
	}
}

/* Returns true when the column matches both words of the side, or its one word and no more
 * specific one. */
static bool column_is(const struct known_table *kt, size_t col, const struct side *s,
		      const struct side *other)
{
	if (!column_has_word(kt, col, s->column))
		return false;
	if (s->before && !column_has_word(kt, col, s->before))
		return false;
	if (!s->before && other->before && column_has_word(kt, col, other->before))
		return false;
	return s->before || !column_has_word(kt, col, other->column) || other->column == s->column;
}

/* Compares two columns of the only row, or of the row that the sentence names. */
static void vote_columns(const struct claims *c, const struct known_table *kt, const struct side *a,
			 const struct side *b, struct votes *v)
{
	const struct side none = {0};
	int month = 0;

	for (size_t i = 0; i < c->count; i++)
		month = c->tokens[i].month ? c->tokens[i].month : month;
	for (size_t row = 0; row < kt->t->row_count; row++) {
		bool of_month = month && kt->times && kt->times[row].month == month;

		if (kt->t->row_count > 1 &&
		    ((!c->s->named && !month) || is_other_row(c, kt, row, &none) ||
		     (kt->times && !of_month)))
			continue;
		for (size_t x = 0; x < kt->t->column_count; x++)
			for (size_t y = 0; y < kt->t->column_count; y++)
				if (x != y && kt->measure[x] && kt->measure[y] &&
				    kt->units[x] == kt->units[y] && column_is(kt, x, a, b) &&
				    column_is(kt, y, b, a))
					vote(v, kt->units[x], kt->values[row][x],
					     kt->values[row][y]);
	}
}

/* "less expensive": the first word decides the direction. */
static int direction_at(const struct claims *c, size_t i)
{
	return token_has_cue(c, i, CUE_UP) ? 1 : -1;
}

static bool is_comparison(const struct claims *c, size_t i)
{
	if (!token_has_cue(c, i, CUE_UP | CUE_DOWN) ||
	    (i > 0 && token_has_cue(c, i - 1, CUE_UP | CUE_DOWN)))
		return false;
	return !token_has_cue(c, i, CUE_MOVE) || token_has_cue(c, i + 1, CUE_THAN);
}

/* "SP15 is dearer than NP15, at $53.05 against $49.58" */
static void find_stated_amounts(struct claims *c, size_t i, struct votes *v)
{
	size_t found = 0;

	for (size_t n = i + 1; n < c->count && found < 2 && !token_breaks(c, n, ";.!?|"); n++)
		if (token_is_amount(&c->tokens[n]) && c->tokens[n].mark != v->by &&
		    !unit_is_percent(c->tokens[n].mark->shown.unit))
			v->stated[found++] = c->tokens[n].mark;
}

static void decide(struct claims *c, size_t i, const struct votes *v, bool given_only)
{
	struct token *at = claim_nearest_number(c, i);

	if (!at)
		return;
	if (v->given_yes ? !v->given_no : !given_only && v->yes && !v->no && !v->given_no)
		token_confirm(c, i);
	if (v->given_no && !v->given_yes)
		token_refute(at);
	else if (!given_only && !v->given_yes && v->no && !v->yes)
		token_refute(at);
	else if (v->by && v->given_yes && !v->given_no && !v->by->bound)
		claim_bind((struct mark *)v->by, "difference of the named values");
}

static int direction_of_move(const struct claims *c, size_t i)
{
	return token_has_cue(c, i, CUE_MOVE) && token_has_cue(c, i, CUE_UP | CUE_DOWN)
		       ? (token_has_cue(c, i, CUE_UP) ? 1 : -1)
		       : 0;
}

/* "From winter to spring it drops by $21.51" */
static bool find_ends(const struct claims *c, size_t i, struct side *from, struct side *to)
{
	for (size_t n = 0; n + 3 < c->count; n++) {
		if (!token_has_cue(c, n, CUE_FROM))
			continue;
		*from = side_of(c, &c->tokens[n + 1]);
		if (!is_side(from) || from->column || !token_has_cue(c, n + 2, CUE_TO))
			continue;
		*to = side_of(c, &c->tokens[n + 3]);
		if (is_side(to) && is_same_kind(from, to) && n + 12 > i && i + 12 > n)
			return true;
	}
	return false;
}

/* Compares each later row with the earlier ones of the same names. */
static void vote_times(const struct claims *c, const struct known_table *kt, struct votes *v)
{
	const struct side none = {0};

	for (size_t x = 0; x < kt->t->row_count && kt->t->row_count <= SERIES_MAX; x++)
		for (size_t y = 0; y < kt->t->row_count; y++) {
			if (x == y || known_compare_times(c->k, kt, (int64_t)x, (int64_t)y) <= 0)
				continue;
			if (is_other_row(c, kt, x, &none) && is_other_row(c, kt, y, &none))
				continue;
			for (size_t col = 0; col < kt->t->column_count; col++)
				if (kt->measure[col])
					vote(v, kt->units[col], kt->values[x][col],
					     kt->values[y][col]);
		}
}

static void check_move(struct claims *c, size_t i, int dir)
{
	struct votes v = {.by = difference_near(c, i), .dir = dir};
	struct side from, to;
	bool ends = find_ends(c, i, &from, &to);

	if (!v.by || (shown_is_bare(&v.by->shown) && v.by->shown.value < 13 * ONE))
		return;
	for (int t = 0; t < c->k->table_count; t++)
		if (ends)
			vote_rows(c, &c->k->tables[t], &to, &from, &v);
		else
			vote_times(c, &c->k->tables[t], &v);
	decide(c, i, &v, true);
}

void claims_of_comparisons(struct claims *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (direction_of_move(c, i) && !token_has_cue(c, i + 1, CUE_THAN))
			check_move(c, i, direction_of_move(c, i));
	for (size_t i = 0; i < c->count; i++) {
		struct side a, b;
		struct votes v;

		if (!is_comparison(c, i))
			continue;
		b = reference(c, i);
		a = is_side(&b) ? subject(c, i, &b) : (struct side){0};
		if (!is_side(&a))
			continue;
		v = (struct votes){.by = difference_near(c, i), .dir = direction_at(c, i)};
		find_stated_amounts(c, i, &v);
		for (int t = 0; t < c->k->table_count; t++)
			if (a.column)
				vote_columns(c, &c->k->tables[t], &a, &b, &v);
			else
				vote_rows(c, &c->k->tables[t], &a, &b, &v);
		decide(c, i, &v, false);
	}
}
