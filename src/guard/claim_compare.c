/*
 * "A is above B": both are bound to rows, months, hours or columns, and their values must differ
 * that way. Where the sentence says by how much, only the values that differ by it decide; where it
 * does not, all values of both that can be compared must agree before it is a contradiction.
 */
#include "claim.h"

#include <string.h>

#define ONE         ((guard_value)100000000)
#define REF_TOKENS  5 /* after "above" lead to what is compared with */
#define NEAR_AMOUNT 6 /* tokens from the direction to the amount */

/* One side of a comparison. */
struct side {
	const struct token *name; /* or NULL */
	int month;                /* or 0 */
	uint64_t column;          /* a word of a column's name; or 0 */
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
	if (t->kind == TOKEN_WORD && !t->is && known_is_column_word(c->k, t->word))
		return (struct side){.column = t->word};
	return (struct side){0};
}

static bool is_same_kind(const struct side *a, const struct side *b)
{
	if (a->name && b->name)
		return a->name->slots & b->name->slots && a->name->id != b->name->id;
	return (a->month && b->month && a->month != b->month) ||
	       (a->column && b->column && a->column != b->column);
}

static bool ends_clause(const struct claims *c, size_t i)
{
	return token_breaks(c, i, ";:.!?|");
}

/* What stands right after the direction at i. */
static struct side reference(const struct claims *c, size_t i)
{
	for (size_t n = i + 1; n <= i + REF_TOKENS && n < c->count; n++) {
		struct side s;

		if (c->tokens[n].kind == TOKEN_BREAK || token_tells(c, n, TELLS_AND))
			break;
		s = side_of(c, &c->tokens[n]);
		if (is_side(&s))
			return s;
		if (c->tokens[n].kind == TOKEN_NUMBER)
			break;
	}
	return (struct side){0};
}

/* The nearest before the direction that is of the reference's kind. */
static struct side subject(const struct claims *c, size_t i, const struct side *ref)
{
	while (i-- > 0 && !ends_clause(c, i)) {
		struct side s = side_of(c, &c->tokens[i]);

		if (is_side(&s) && is_same_kind(&s, ref))
			return s;
	}
	return (struct side){0};
}

/* The amount that the sentence says they differ by; NULL: it says none. */
static const struct mark *difference_near(const struct claims *c, size_t i)
{
	for (size_t n = 1; n <= NEAR_AMOUNT; n++) {
		const struct token *before = i >= n ? &c->tokens[i - n] : NULL;
		const struct token *after = i + n < c->count ? &c->tokens[i + n] : NULL;

		if (before && n <= 3 && token_is_amount(before))
			return before->mark;
		if (after && token_is_amount(after) && token_tells(c, i + n - 1, TELLS_AT))
			return after->mark;
	}
	return NULL;
}

struct votes {
	const struct mark *by;
	int dir;
	size_t yes, no;           /* of all values */
	size_t told_yes, told_no; /* of those that differ by what is said */
};

static void vote(struct votes *v, guard_value a, guard_value b)
{
	bool right, told;

	if (a == GUARD_NO_VALUE || b == GUARD_NO_VALUE || a == b)
		return;
	right = (a > b) == (v->dir > 0);
	told = v->by && (v->by->shown.unit == UNIT_PERCENT
				 ? b != 0 && mark_shows(v->by, (a - b) * 100 * ONE / b)
				 : mark_shows(v->by, a - b));
	*(right ? &v->yes : &v->no) += 1;
	if (told)
		*(right ? &v->told_yes : &v->told_no) += 1;
}

static bool row_is_of(const struct known_table *kt, size_t row, const struct side *s)
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

/* The sentence names another row's name of a kind that neither side is of. */
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

/* The first row of each side, newest first as tools give them, and for each hour. */
static void vote_rows(const struct claims *c, const struct known_table *kt, const struct side *a,
		      const struct side *b, struct votes *v)
{
	for (size_t x = 0; x < kt->t->row_count; x++) {
		bool first = row_is_of(kt, x, a) && !is_other_row(c, kt, x, a);

		for (size_t i = 0; first && i < x; i++)
			first = !(row_is_of(kt, i, a) && same_time(kt, i, x) &&
				  !is_other_row(c, kt, i, a));
		for (size_t y = 0; first && y < kt->t->row_count; y++) {
			if (!row_is_of(kt, y, b) || (!a->month && !same_time(kt, x, y)) ||
			    is_other_row(c, kt, y, b))
				continue;
			for (size_t col = 0; col < kt->t->column_count; col++)
				if (kt->measure[col] && kt->units[col] != UNIT_NONE)
					vote(v, kt->values[x][col], kt->values[y][col]);
				else if (kt->measure[col] && v->by)
					vote(v, kt->values[x][col], kt->values[y][col]);
			break;
		}
	}
}

static bool column_is(const struct known_table *kt, size_t col, uint64_t word)
{
	for (size_t i = 0; i < COLUMN_WORDS_MAX && kt->words[col][i]; i++)
		if (kt->words[col][i] == word)
			return true;
	return false;
}

/* Two columns of the only row. */
static void vote_columns(const struct known_table *kt, const struct side *a, const struct side *b,
			 struct votes *v)
{
	for (size_t x = 0; kt->t->row_count == 1 && x < kt->t->column_count; x++)
		for (size_t y = 0; y < kt->t->column_count; y++)
			if (x != y && kt->measure[x] && kt->measure[y] &&
			    kt->units[x] == kt->units[y] && column_is(kt, x, a->column) &&
			    column_is(kt, y, b->column) && !column_is(kt, x, b->column) &&
			    !column_is(kt, y, a->column))
				vote(v, kt->values[0][x], kt->values[0][y]);
}

/* "less expensive": the first word turns the second. */
static int direction_at(const struct claims *c, size_t i)
{
	return token_tells(c, i, TELLS_UP) ? 1 : -1;
}

static bool is_comparison(const struct claims *c, size_t i)
{
	if (!token_tells(c, i, TELLS_UP | TELLS_DOWN) ||
	    (i > 0 && token_tells(c, i - 1, TELLS_UP | TELLS_DOWN)))
		return false;
	return !token_tells(c, i, TELLS_MOVE) || token_tells(c, i + 1, TELLS_THAN);
}

static struct token *nearest_number(struct claims *c, size_t i)
{
	for (size_t n = 1; n < c->count; n++) {
		if (i >= n && c->tokens[i - n].kind == TOKEN_NUMBER)
			return &c->tokens[i - n];
		if (i + n < c->count && c->tokens[i + n].kind == TOKEN_NUMBER)
			return &c->tokens[i + n];
	}
	return NULL;
}

void claims_of_comparisons(struct claims *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct side a, b;
		struct votes v;
		struct token *at;

		if (!is_comparison(c, i))
			continue;
		b = reference(c, i);
		a = is_side(&b) ? subject(c, i, &b) : (struct side){0};
		if (!is_side(&a))
			continue;
		v = (struct votes){.by = difference_near(c, i), .dir = direction_at(c, i)};
		for (int t = 0; t < c->k->table_count; t++)
			if (a.column)
				vote_columns(&c->k->tables[t], &a, &b, &v);
			else
				vote_rows(c, &c->k->tables[t], &a, &b, &v);
		at = nearest_number(c, i);
		if (!at)
			continue;
		if (v.told_no && !v.told_yes)
			token_contradicts(at);
		else if (!v.told_yes && v.no && !v.yes)
			token_contradicts(at);
		else if (v.by && v.told_yes && !v.told_no && !v.by->bound)
			claim_binds((struct mark *)v.by, "difference of what is named");
	}
}
