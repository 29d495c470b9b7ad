/*
 * Accounts for every word of a sentence. Some words could change the meaning of its numbers:
 * comparisons, ranks, exclusions, multiples. If no rule compared such a word with the data, the
 * affected numbers become unchecked: a correct number next to it proves nothing.
 */
#include "claim.h"

#include <string.h>

#define DIRECTION_DISTANCE_MAX                                                                     \
	8 /* maximum tokens between "above" and the number compared in that direction */

static bool is_amount(const struct claims *c, size_t i)
{
	return i < c->count && token_is_amount(&c->tokens[i]);
}

static bool is_span(const struct claims *c, size_t i)
{
	return is_amount(c, i) && unit_is_span(c->tokens[i].mark->shown.unit);
}

/* "over 8,760 hours", "over these days", "up to the 27th": a place or time, not a comparison. */
static bool is_preposition(const struct claims *c, size_t i)
{
	if (token_has_cue(c, i, CUE_MOVE))
		return token_has_cue(c, i + 1, CUE_TO) && !is_amount(c, i + 2);
	if (!token_has_cue(c, i, CUE_ABOUT) || i + 1 >= c->count)
		return false;
	return is_span(c, i + 1) ||
	       (!is_amount(c, i + 1) && !(i > 0 && is_amount(c, i - 1)) &&
		c->tokens[i + 1].kind != TOKEN_BREAK && c->tokens[i + 1].kind != TOKEN_NAME);
}

static bool is_direction(const struct claims *c, size_t i)
{
	return token_has_cue(c, i, CUE_UP | CUE_DOWN) && !is_preposition(c, i);
}

static bool is_rank(const struct claims *c, size_t i)
{
	if (token_has_cue(c, i, CUE_MOST | CUE_LEAST))
		return claim_superlative(c, i) != 0;
	return token_has_cue(c, i, CUE_LATE | CUE_EARLY) ||
	       (token_has_cue(c, i, CUE_ORDINAL) && !token_has_cue(c, i, CUE_COUNT_OF));
}

/* Excludes "all three", "the first two", "these two", which refer to earlier items. */
static bool is_count(const struct claims *c, size_t i)
{
	return c->tokens[i].cardinal > 1 &&
	       !(i > 0 && token_has_cue(c, i - 1, CUE_COUNT_OF | CUE_SUM));
}

/* "Only $1.57 apart" adds nothing to the number. */
static bool is_unhandled_wording(const struct claims *c, size_t i)
{
	return token_has_cue(c, i, CUE_ELSE) && !is_amount(c, i + 1) &&
	       !(token_has_cue(c, i + 1, CUE_AT) && is_amount(c, i + 2));
}

/* Returns true when the comparison of a nearby number confirmed the word. */
static bool is_directed(const struct claims *c, size_t i)
{
	size_t from = i > DIRECTION_DISTANCE_MAX ? i - DIRECTION_DISTANCE_MAX : 0;

	for (size_t n = from; n < c->count && n <= i + DIRECTION_DISTANCE_MAX; n++)
		if (c->tokens[n].kind == TOKEN_NUMBER && c->tokens[n].mark->directed)
			return true;
	return false;
}

/* "3 of them are missing": returns true when missing values were counted. */
static bool counts_missing(const struct claims *c)
{
	for (size_t i = 0; i < c->count; i++) {
		const char *formula =
			c->tokens[i].kind == TOKEN_NUMBER ? c->tokens[i].mark->ref.formula : NULL;

		if (formula && strncmp(formula, "nulls", strlen("nulls")) == 0)
			return true;
	}
	return false;
}

/* Returns true when the word's number is already unbound, so the reader is warned. */
static bool number_is_unbound(const struct claims *c, size_t i)
{
	for (size_t n = i + 1; n < c->count && !token_breaks(c, n, ",;:.!?"); n++)
		if (token_is_amount(&c->tokens[n]))
			return !c->tokens[n].mark->bound;
	for (size_t n = i; n-- > 0 && !token_breaks(c, n, ",;:.!?");)
		if (token_is_amount(&c->tokens[n]))
			return !c->tokens[n].mark->bound;
	return false;
}

/* What the word at i claims without a check. */
static enum guard_unchecked_reason unchecked_reason(const struct claims *c, size_t i)
{
	const struct token *t = &c->tokens[i];
	enum guard_unchecked_reason why = GUARD_REASON_NONE;

	if (t->kind != TOKEN_WORD || t->is_confirmed || number_is_unbound(c, i))
		return why;
	if (is_rank(c, i))
		why = GUARD_RANK;
	else if (is_direction(c, i) && !is_directed(c, i))
		why = GUARD_COMPARISON;
	else if (token_has_cue(c, i, CUE_MISSING) && c->k->rows_max > 0 && !counts_missing(c))
		why = GUARD_NEGATION;
	else if (token_has_cue(c, i, CUE_TIMES | CUE_PART))
		why = GUARD_MULTIPLE;
	else if (is_count(c, i))
		why = GUARD_COUNT;
	else if (is_unhandled_wording(c, i))
		why = GUARD_WORDING;
	return why;
}

/* Returns true when the claim affects this number. Comparisons, counts and multiples do not affect
 * times. */
static bool reason_affects(enum guard_unchecked_reason why, const struct mark *m)
{
	return why == GUARD_RANK || why == GUARD_NEGATION || why == GUARD_WORDING ||
	       m->shown.kind == SHOWN_NUMBER;
}

/* The characters that limit the scope of a claim: its clause or its sentence. */
static const char *limits_of(enum guard_unchecked_reason why)
{
	return why == GUARD_COUNT || why == GUARD_WORDING || why == GUARD_MULTIPLE ? ",;:.!?"
										   : ";.!?";
}

static void mark_unchecked(struct claims *c, size_t i, enum guard_unchecked_reason why)
{
	const char *limits = limits_of(why);
	size_t from = i;

	while (from > 0 && !token_breaks(c, from - 1, limits))
		from--;
	for (size_t n = from; n < c->count && !token_breaks(c, n, limits); n++) {
		struct mark *m = c->tokens[n].kind == TOKEN_NUMBER ? c->tokens[n].mark : NULL;

		if (!m || !m->bound || m->unchecked || !reason_affects(why, m))
			continue;
		m->unchecked = true;
		m->why = why;
	}
}

void claims_check_unhandled_words(struct claims *c)
{
	for (size_t i = 0; i < c->count; i++) {
		enum guard_unchecked_reason why = unchecked_reason(c, i);

		if (why != GUARD_REASON_NONE)
			mark_unchecked(c, i, why);
	}
}
