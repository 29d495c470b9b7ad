/*
 * Checks words that the numbers themselves confirm or contradict: multiples ("twice"), lists of
 * names and amounts, the column of an amount, the weekday of a date.
 */
#include "claim.h"

#include <string.h>

#include "vesper/clock.h"

#define ONE                      ((guard_value)100000000)
#define LIST_MAX                 4 /* names in one list */
#define FACTOR_WORDS             3 /* "more than two times" */
#define COLUMN_WORD_DISTANCE_MAX 3 /* tokens between an amount and its column word */

/* ---- times ---- */

/* Returns true when the text compares: "… times as many", "twice the", "twice that of". A number
 * of occurrences does not. */
static bool is_compared(const struct claims *c, size_t i)
{
	static const char *const words[] = {"as", "the", "that"};

	for (size_t w = 0; i < c->count && w < sizeof(words) / sizeof(words[0]); w++)
		if (c->tokens[i].kind == TOKEN_WORD &&
		    c->tokens[i].word == folded_word_key(words[w], strlen(words[w])))
			return true;
	return token_has_cue(c, i, CUE_UP | CUE_DOWN);
}

/* The factor of "nine times" or "twice"; 0: none. */
static int factor_at(const struct claims *c, size_t i)
{
	if (!token_has_cue(c, i, CUE_TIMES) || !is_compared(c, i + 1))
		return 0;
	if (c->tokens[i].value > 0)
		return c->tokens[i].value;
	if (i == 0 || c->tokens[i - 1].kind != TOKEN_WORD || token_has_cue(c, i - 1, CUE_PART))
		return 0;
	return c->tokens[i - 1].cardinal > 1 ? c->tokens[i - 1].cardinal : 0;
}

/* Returns true when a is about factor times b, within the tolerance of the words: "nearly four"
 * for 3.9, "more than four" for 4.7. */
static bool is_multiple(guard_value a, guard_value b, int factor, int than)
{
	guard_value ratio, low, high;

	if (b == 0 || (a < 0) != (b < 0))
		return false;
	ratio = a * ONE / b;
	low = factor * ONE - (than > 0 ? ONE / 20 : ONE * 35 / 100);
	high = factor * ONE + (than > 0 ? ONE : than < 0 ? ONE / 10 : ONE / 2);
	return ratio >= low && ratio < high;
}

static bool is_bound_amount(const struct token *t)
{
	return token_is_amount(t) && t->mark->bound && !t->mark->unchecked &&
	       !unit_is_percent(t->mark->shown.unit) && !unit_is_ratio(t->mark->shown.unit);
}

/* 1: "more than", -1: "nearly". */
static int approximation_before(const struct claims *c, size_t i)
{
	size_t at = c->tokens[i].value > 0 ? i : i - 1;

	if (at > 1 && token_has_cue(c, at - 1, CUE_THAN))
		at--;
	if (at == 0)
		return 0;
	if (token_has_cue(c, at - 1, CUE_ABOUT) && c->tokens[at - 1].value < 0)
		return -1;
	return token_has_cue(c, at - 1, CUE_UP) ? 1 : token_has_cue(c, at - 1, CUE_DOWN) ? -1 : 0;
}

static void check_multiple(struct claims *c, size_t i, int factor)
{
	int than = approximation_before(c, i);
	bool any = false;

	for (size_t a = 0; a < c->count; a++)
		for (size_t b = 0; b < c->count; b++) {
			if (a == b || !is_bound_amount(&c->tokens[a]) ||
			    !is_bound_amount(&c->tokens[b]) ||
			    !units_are_comparable(c->tokens[a].mark, c->tokens[b].mark))
				continue;
			any = true;
			if (!is_multiple(token_value(&c->tokens[a]), token_value(&c->tokens[b]),
					 factor, than))
				continue;
			for (size_t n = i > FACTOR_WORDS ? i - FACTOR_WORDS : 0; n <= i; n++)
				token_confirm(c, n);
			return;
		}
	if (any && claim_nearest_number(c, i))
		token_refute(claim_nearest_number(c, i));
}

void claims_of_multiples(struct claims *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (factor_at(c, i) > 0)
			check_multiple(c, i, factor_at(c, i));
}

/* ---- lists ---- */

struct list {
	size_t at[LIST_MAX];
	size_t count, end; /* the token after the list */
};

static bool is_list_separator(const struct claims *c, size_t i)
{
	return token_breaks(c, i, ",") || token_has_cue(c, i, CUE_AND) ||
	       token_has_cue(c, i, CUE_AGAINST);
}

static bool continues_list(const struct claims *c, const struct list *l, size_t i)
{
	const struct token *t = &c->tokens[i], *first = &c->tokens[l->at[0]];

	if (t->kind != first->kind)
		return false;
	if (t->kind == TOKEN_NAME)
		return (t->slots & first->slots) && t->id != first->id;
	return token_is_amount(t) && units_are_comparable(t->mark, first->mark);
}

/* "A, B and C": names of one kind or amounts of one unit, joined only by commas and conjunctions.
 */
static bool list_at(const struct claims *c, size_t i, struct list *l)
{
	size_t n = i + 1;

	*l = (struct list){.at = {i}, .count = 1};
	while (n < c->count && l->count < LIST_MAX && is_list_separator(c, n)) {
		while (n < c->count && is_list_separator(c, n))
			n++;
		if (n >= c->count || !continues_list(c, l, n))
			break;
		l->at[l->count++] = n++;
		l->end = n;
	}
	return l->count > 1;
}

/* Returns true when the amount's row has another listed name and not its own. */
static bool belongs_to_other_listed_name(const struct claims *c, const struct token *amount,
					 const struct list *names, size_t own)
{
	const struct recent *r = &amount->mark->amount;
	const struct known_table *kt;

	if (!amount->mark->bound || r->table < 0 || r->row < 0)
		return false;
	kt = &c->k->tables[r->table];
	if (row_has_name(kt, (size_t)r->row, c->tokens[names->at[own]].id))
		return false;
	for (size_t i = 0; i < names->count; i++)
		if (i != own && row_has_name(kt, (size_t)r->row, c->tokens[names->at[i]].id))
			return true;
	return false;
}

/* Returns true when a row of the name has the amount. */
static bool name_has_amount(const struct claims *c, const struct mark *m, int id)
{
	for (int t = 0; t < c->k->table_count; t++) {
		const struct known_table *kt = &c->k->tables[t];

		for (size_t row = 0; row < kt->t->row_count; row++)
			for (size_t col = 0; row_has_name(kt, row, id) && col < kt->t->column_count;
			     col++)
				if (kt->measure[col] && kt->values[row][col] != GUARD_NO_VALUE &&
				    mark_matches(m, kt->values[row][col]) &&
				    unit_fits(&m->shown, m->shown.unit, kt->units[col], false))
					return true;
	}
	return false;
}

static void check_lists(struct claims *c, const struct list *names, const struct list *amounts)
{
	for (size_t i = 0; i < names->count; i++)
		if (!c->tokens[amounts->at[i]].mark->bound &&
		    name_has_amount(c, c->tokens[amounts->at[i]].mark, c->tokens[names->at[i]].id))
			claim_bind(c->tokens[amounts->at[i]].mark, "value of the listed name");
		else if (belongs_to_other_listed_name(c, &c->tokens[amounts->at[i]], names, i))
			token_refute(&c->tokens[amounts->at[i]]);
}

/* Finds the only list of amounts in the clause of the names. */
static bool amounts_of(const struct claims *c, const struct list *names, struct list *out)
{
	size_t from = names->at[0], lists = 0;

	while (from > 0 && !token_breaks(c, from - 1, ";:.!?|"))
		from--;
	for (size_t i = from; i < c->count && !token_breaks(c, i, ";.!?|"); i++) {
		struct list l;

		if (token_is_amount(&c->tokens[i]) && list_at(c, i, &l)) {
			lists++;
			*out = l;
			i = l.end - 1;
		} else if (c->tokens[i].kind == TOKEN_NAME &&
			   (i < names->at[0] || i >= names->end) &&
			   c->tokens[i].slots & c->tokens[names->at[0]].slots) {
			return false;
		} else if (token_is_amount(&c->tokens[i]) && lists == 0 && i > names->end) {
			return false;
		}
	}
	return lists == 1 && out->count == names->count;
}

void claims_of_lists(struct claims *c)
{
	struct list names, amounts = {0};

	for (size_t i = 0; i < c->count; i++)
		if (c->tokens[i].kind == TOKEN_NAME && list_at(c, i, &names)) {
			if (amounts_of(c, &names, &amounts))
				check_lists(c, &names, &amounts);
			i = names.end - 1;
		}
}

/* ---- columns ---- */

/* The word for the amount's column: "… MW of generation", "$700K (IC)"; 0: none. In "(peak $55.88)"
 * the word belongs to the next amount. */
static uint64_t column_word(const struct claims *c, size_t i)
{
	for (size_t n = i + 1; n < c->count && n <= i + COLUMN_WORD_DISTANCE_MAX; n++) {
		const struct token *t = &c->tokens[n];

		if (t->kind == TOKEN_BREAK ? t->c != '(' || n > i + 1 : t->kind != TOKEN_WORD)
			break;
		if (t->kind == TOKEN_WORD && !(t->cue_flags & CUE_AT))
			return t->cue_flags || (token_breaks(c, i + 1, "(") &&
						!token_breaks(c, n + 1, "),"))
				       ? 0
				       : t->word;
	}
	return 0;
}

/* Returns true when only other columns of this unit have the word, and they show another value. */
static bool belongs_to_other_column(const struct known_table *kt, const struct mark *m,
				    uint64_t word)
{
	const struct recent *r = &m->amount;
	bool others = false;

	if (column_has_word(kt, (size_t)r->column, word))
		return false;
	for (size_t col = 0; col < kt->t->column_count; col++) {
		if (!kt->measure[col] || kt->units[col] != kt->units[r->column] ||
		    !column_has_word(kt, col, word))
			continue;
		if (kt->values[r->row][col] == GUARD_NO_VALUE ||
		    mark_matches(m, kt->values[r->row][col]))
			return false;
		others = true;
	}
	return others;
}

void claims_of_columns(struct claims *c)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct token *t = &c->tokens[i];
		uint64_t word = is_bound_amount(t) ? column_word(c, i) : 0;
		const struct recent *r = word ? &t->mark->amount : NULL;

		if (r && r->table >= 0 && r->row >= 0 && r->column >= 0 &&
		    belongs_to_other_column(&c->k->tables[r->table], t->mark, word))
			token_refute(&c->tokens[i]);
	}
}

/* ---- foreign names ---- */

void claims_of_foreign(struct claims *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->tokens[i].kind == TOKEN_NAME && known_is_foreign(c->k, c->tokens[i].id) &&
		    claim_nearest_number(c, i))
			token_refute(claim_nearest_number(c, i));
}

/* ---- weekdays ---- */

static void check_day(const struct token *day, struct token *t)
{
	const struct date *d = &t->mark->shown.date;

	if (t->mark->shown.kind == SHOWN_DATE && date_weekday(*d) + 1 != day->weekday)
		token_refute(t);
}

void claims_of_days(struct claims *c)
{
	for (size_t i = 0; i < c->count; i++) {
		size_t next = i + 1 + token_breaks(c, i + 1, ",");

		if (c->tokens[i].weekday && next < c->count && c->tokens[next].kind == TOKEN_NUMBER)
			check_day(&c->tokens[i], &c->tokens[next]);
	}
}
