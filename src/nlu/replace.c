/*
 * Replaces values of the session context when a follow-up does not name their filter: "the other
 * vendor", "make it 10", "ZP26 instead of SP15".
 */
#include "nlu_int.h"

#include <string.h>

/* ---- "the other vendor" ---- */

/* The dimension whose other value is meant at token i ("the other vendor"); NULL: none. */
static const struct dimension_def *other_of(const struct reading *r, size_t i)
{
	const struct catalog *c = r->nlu->catalog;
	const struct token *label = token_at(&r->q, i + 1);

	if (!token_in_list(&r->q.tokens[i], WORDS_OTHER) || label->used || label->separator != ' ')
		return NULL;
	for (size_t d = 0; d < c->dimension_count; d++)
		if (r->scope.in[d] && c->dimensions[d].values &&
		    mention_is_label_word(label, &c->dimensions[d]))
			return &c->dimensions[d];
	return NULL;
}

/* The other value of a dimension that has exactly two values; otherwise NULL. */
static const char *only_other(const struct dimension_def *d, const char *value)
{
	const char *other = NULL;
	size_t n = 0;

	for (; d->values[n]; n++)
		if (strcmp(d->values[n], value) != 0)
			other = d->values[n];
	return n == 2 ? other : NULL;
}

static bool replace_other(struct reading *r, const struct session_context *s)
{
	for (size_t i = 0; i + 1 < r->q.count; i++) {
		const struct dimension_def *d = other_of(r, i);
		const struct fact *f = d ? facts_get(&s->facts, d->filter) : NULL;
		const char *other = f && f->count == 1 && !facts_get(&r->facts, d->filter)
					    ? only_other(d, f->values[0].text)
					    : NULL;

		if (!other)
			continue;
		facts_add(&r->facts, r->arena, d->filter, d, value_text(other), SOURCE_ALIAS);
		r->entity_count++;
		r->q.tokens[i].used = r->q.tokens[i + 1].used = true;
		return true;
	}
	return false;
}

bool replace_is_other(const struct reading *r, size_t i)
{
	return !r->q.tokens[i].used && other_of(r, i) != NULL;
}

/* ---- "make it 10" ---- */

/* The index of the only number in a question without other content; q.count: none. */
static size_t only_number(const struct reading *r)
{
	const struct question *q = &r->q;
	size_t at = q->count;

	for (size_t i = 0; i < q->count; i++) {
		if (q->tokens[i].used)
			return q->count;
		if (q->tokens[i].number > 0) {
			if (at < q->count)
				return q->count;
			at = i;
		} else if (!token_in_list(&q->tokens[i], WORDS_NEUTRAL) &&
			   words_at(q, i, WORDS_NEUTRAL) == 0 &&
			   !nlu_is_stop_word(r->nlu, &q->tokens[i])) {
			return q->count;
		}
		if (token_in_list(&q->tokens[i], WORDS_NEGATION) && i > 0)
			return q->count;
	}
	return at;
}

/* The bound that a number alone can change: the only one in the session context. NULL: there are
 * none or several, or the number sets the count of a ranking, which *counts reports. */
static const struct fact *changed_by_number(const struct reading *r,
					    const struct session_context *s, bool *counts)
{
	const struct fact *bound = NULL;
	size_t bounds = 0;

	*counts = false;
	for (size_t i = 0; i < s->facts.count; i++) {
		const struct param_def *p =
			params_first_with_filter(r->nlu, s->facts.items[i].filter);

		if (p && (p->slot == SLOT_ABOVE || p->slot == SLOT_BELOW) && !p->bound_of) {
			bound = &s->facts.items[i];
			bounds++;
		}
	}
	for (size_t p = 0; s->tool_count == 1 && p < s->tools[0]->param_count; p++)
		*counts = *counts || strcmp(s->tools[0]->params[p].filter, FILTER_TOP_N) == 0;
	return bounds == 1 && !*counts ? bound : NULL;
}

static bool replace_number(struct reading *r, const struct session_context *s)
{
	size_t at = r->facts.count + r->constraint_count == 0 && r->time.year_count == 0
			    ? only_number(r)
			    : r->q.count;
	const struct fact *bound;
	bool counts;

	if (at == r->q.count)
		return false;
	bound = changed_by_number(r, s, &counts);
	if (bound)
		facts_add(&r->facts, r->arena, bound->filter, NULL,
			  value_decimal(arena_printf(r->arena, "%d", r->q.tokens[at].number)),
			  SOURCE_EXPLICIT);
	else if (counts)
		facts_add(&r->facts, r->arena, FILTER_TOP_N, NULL,
			  value_int(r->q.tokens[at].number), SOURCE_EXPLICIT);
	else
		return false;
	r->q.tokens[at].used = true;
	return true;
}

/* ---- "ZP26 instead of SP15" ---- */

/* Returns true when a mention excludes the value. */
static bool is_excluded(const struct reading *r, const struct fact *carried, const char *value)
{
	for (size_t i = 0; i < r->mention_count; i++)
		for (size_t c = 0; r->mentions[i].excluded && c < r->mentions[i].count; c++)
			if (r->mentions[i].candidates[c].dimension == carried->dimension &&
			    strcmp(r->mentions[i].candidates[c].value, value) == 0)
				return true;
	return false;
}

bool replace_list_value(struct reading *r, const struct fact *carried)
{
	struct fact *own = facts_find(&r->facts, carried->filter), in;
	size_t kept = 0;

	if (!carried->dimension || !own || own->source == SOURCE_CARRIED || carried->count < 2)
		return false;
	for (size_t i = 0; i < carried->count; i++)
		kept += !is_excluded(r, carried, carried->values[i].text);
	if (kept == carried->count || kept == 0)
		return false;
	in = *own;
	own->values = NULL;
	own->count = own->cap = 0;
	for (size_t i = 0; i < carried->count; i++)
		if (!is_excluded(r, carried, carried->values[i].text))
			facts_add(&r->facts, r->arena, in.filter, in.dimension, carried->values[i],
				  in.source);
	for (size_t i = 0; i < in.count; i++)
		facts_add(&r->facts, r->arena, in.filter, in.dimension, in.values[i], in.source);
	return true;
}

bool replace_values(struct reading *r, const struct session_context *s)
{
	return replace_other(r, s) || replace_number(r, s);
}
