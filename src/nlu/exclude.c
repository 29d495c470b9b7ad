/*
 * Reads exclusions: "not Ascend", "all but solar", "excluding July". If only one other value
 * exists, that value is used. Otherwise a tool with an exclusion slot applies them, and for any
 * other tool the user is asked. An excluded value never becomes a filter for that value.
 */
#include "nlu_int.h"

#include <string.h>

#define OTHERS_MAX 12 /* maximum number of remaining values offered as choices */

/* "all vendors but Hitachi" */
static bool is_all_but(const struct question *q, size_t i)
{
	for (size_t back = 1; back <= 4 && back <= i; back++)
		if (token_in_list(&q->tokens[i - back], WORDS_EVERYTHING))
			return true;
	return false;
}

/* "All projects minus solar" excludes a value from the items before it; "peak minus off-peak" is a
 * difference. */
static bool is_subtraction(const struct question *q, size_t i)
{
	const struct token *t = &q->tokens[i], *of = &q->tokens[i > 0 ? i - 1 : 0];

	return token_in_list(t, WORDS_EXCLUSION_AFTER_NOUN) && !t->starts_sentence &&
	       t->separator == ' ' && !of->used && of->number < 0 &&
	       (token_in_list(of, WORDS_EVERYTHING) || !token_in_list(of, WORDS_STOP));
}

/* Returns true for "leave the low ones out": a verb at i whose second part is later in the
 * sentence. */
static bool is_split_verb(const struct question *q, size_t i)
{
	if (!token_in_list(&q->tokens[i], WORDS_EXCLUSION_VERBS))
		return false;
	for (i++; i < q->count && !q->tokens[i].starts_sentence; i++)
		if (token_in_list(&q->tokens[i], WORDS_EXCLUDED))
			return true;
	return false;
}

static bool is_cue(const struct question *q, size_t i)
{
	const struct token *t = &q->tokens[i];

	/* a leading "isn't" does not negate: "isn't 2026 higher?" */
	return words_end_at(q, i, WORDS_EXCLUSION) || is_split_verb(q, i) ||
	       (token_in_list(t, WORDS_EXCLUSION_NOT_FIRST) && !t->starts_sentence) ||
	       (token_in_list(t, WORDS_BUT) && is_all_but(q, i)) || is_subtraction(q, i);
}

bool exclude_cue_before(const struct question *q, size_t i)
{
	while (i-- > 0 && !q->tokens[i].used) {
		if (is_cue(q, i))
			return true;
		if (!token_in_list(&q->tokens[i], WORDS_EXCLUSION_LINKS))
			return false;
	}
	return false;
}

/* Returns true when only function words join two names: "the CAISO ones and those on hold". */
static bool is_joined(const struct question *q, size_t from, size_t to)
{
	bool joint = false;

	for (; from < to && !q->tokens[from].starts_sentence; from++) {
		const struct token *t = &q->tokens[from];

		if (token_in_list(t, WORDS_EXCLUSION_JOINTS) && !joint)
			joint = true;
		else if (!token_in_list(t, WORDS_ONES) && !token_in_list(t, WORDS_DEMONSTRATIVES) &&
			 !(joint && (token_in_list(t, WORDS_ARTICLES) ||
				     (token_in_list(t, WORDS_PREPOSITIONS) &&
				      token_in_list(t - 1, WORDS_DEMONSTRATIVES)))))
			return false;
	}
	return joint && from == to;
}

/* Returns true when the name continues an exclusion: "excluding NP15 and SP15". In "not NP15, SP15"
 * the second name is wanted. */
static bool continues_exclusion(const struct question *q, const struct mention *last, size_t from)
{
	size_t cue = last->from;

	if (is_joined(q, last->to, from))
		return true;
	if (from != last->to || q->tokens[from].separator != ',')
		return false;
	while (cue > 0 && !is_cue(q, cue))
		cue--;
	return !token_in_list(&q->tokens[cue], WORDS_NOT);
}

/* Returns true when the cue follows the names: "ERCOT and PJM excluded". The cue "leave out"
 * precedes them. */
static bool is_excluded_after(const struct question *q, const struct mention *m)
{
	size_t at = m->to + token_in_list(token_at(q, m->to), WORDS_ONES);

	at += token_in_list(token_at(q, at), WORDS_TO_BE);
	if (at >= q->count || q->tokens[at].starts_sentence)
		return false;
	for (size_t i = m->from; i-- > 0 && !q->tokens[i + 1].starts_sentence;)
		if (token_in_list(&q->tokens[i], WORDS_EXCLUSION_VERBS))
			return false;
	return words_at(q, at, WORDS_EXCLUDED) > 1 ||
	       (words_at(q, at, WORDS_EXCLUDED) == 1 && !token_in_list(&q->tokens[at], WORDS_STOP));
}

static bool are_joined(const struct reading *r, const struct mention *a, const struct mention *b)
{
	return a->count > 0 && b->count > 0 &&
	       a->candidates[0].dimension == b->candidates[0].dimension &&
	       (b->from == a->to || (b->from == a->to + 1 &&
				     token_in_list(&r->q.tokens[a->to], WORDS_EXCLUSION_JOINTS)));
}

void exclude_mark_mentions(struct reading *r)
{
	for (size_t i = 0; i < r->mention_count; i++) {
		struct mention *m = &r->mentions[i];
		const struct mention *last = i > 0 ? &r->mentions[i - 1] : NULL;

		m->excluded = exclude_cue_before(&r->q, m->from) ||
			      (last && last->excluded && continues_exclusion(&r->q, last, m->from));
	}
	for (size_t i = r->mention_count; i-- > 0;) {
		struct mention *m = &r->mentions[i];
		const struct mention *next = i + 1 < r->mention_count ? m + 1 : NULL;

		if (is_excluded_after(&r->q, m) ||
		    (next && is_excluded_after(&r->q, next) && are_joined(r, m, next)))
			m->excluded = true;
	}
}

static bool is_excluded(const struct reading *r, const struct dimension_def *d, const char *value)
{
	for (size_t i = 0; i < r->mention_count; i++)
		for (size_t c = 0; r->mentions[i].excluded && c < r->mentions[i].count; c++)
			if (r->mentions[i].candidates[c].dimension == d &&
			    strcmp(r->mentions[i].candidates[c].value, value) == 0)
				return true;
	return false;
}

/* Writes the values that are not excluded, at most OTHERS_MAX. */
static size_t remaining_values(struct reading *r, const struct dimension_def *d,
			       struct suggestion *out)
{
	size_t count = names_count(r->names, d), n = 0;

	for (size_t i = 0; i < count && n < OTHERS_MAX; i++) {
		const char *parent, *value = names_value_at(r->names, d, i, &parent);
		bool there = is_excluded(r, d, value);

		for (size_t o = 0; o < n && !there; o++)
			there = strcmp(out[o].value, value) == 0;
		if (!there)
			out[n++] = (struct suggestion){.value = value, .label = value};
	}
	return n;
}

/* The one value that the mention means; NULL: it is ambiguous. */
static const struct entry *single_meaning(const struct mention *m)
{
	const struct entry *best = m->count == 1 ? &m->candidates[0] : NULL;

	for (size_t i = 0; i < m->count; i++) {
		const struct entry *e = &m->candidates[i];

		if (e->kind != ENTRY_PART && !e->when_value && (!best || e->kind < best->kind))
			best = e;
	}
	return best && !best->when_value ? best : NULL;
}

static bool has_value(const struct fact *f, const char *value)
{
	for (size_t i = 0; i < f->count; i++)
		if (strcmp(f->values[i].text, value) == 0)
			return true;
	return false;
}

void exclude_resolve(struct reading *r)
{
	for (size_t i = 0; i < r->mention_count; i++) {
		const struct mention *m = &r->mentions[i];
		const struct dimension_def *d = m->candidates[0].dimension;
		const struct fact *wanted;
		const struct entry *e;
		struct suggestion *others;
		struct value value;
		struct constraint s;
		size_t n;

		if (!m->excluded || m->count == 0)
			continue;
		e = single_meaning(m);
		d = e ? e->dimension : d;
		wanted = facts_get(&r->facts, d->filter);
		/* in "stage 2, not stage 3" the wanted value is a sufficient filter */
		if (wanted && !(e && has_value(wanted, e->value)))
			continue;
		others = arena_alloc(r->arena, sizeof(*others) * OTHERS_MAX);
		n = remaining_values(r, d, others);
		if (n == 1 && !wanted && !names_loaded(r->names, d)) {
			facts_add(&r->facts, r->arena, d->filter, d, value_text(others[0].value),
				  SOURCE_ALIAS);
			continue;
		}
		if (e)
			value = value_text(arena_strdup(r->arena, e->value));
		s = (struct constraint){
			.slot = SLOT_NOT,
			.dimension = d,
			.values = &value,
			.count = e && !wanted,
			.has_tool_words_only = m->has_tool_words_only,
			.exclusion_issue = {.kind = ISSUE_EXCLUDED_VALUE,
					    .filter = d->filter,
					    .dimension = d,
					    .term = text_between(&r->q, m->from, m->to, r->arena),
					    .options = others,
					    .option_count = n}};
		constraints_add_exclusion(r, &s);
	}
}

static bool in_mention(const struct reading *r, size_t i)
{
	for (size_t m = 0; m < r->mention_count; m++)
		if (i >= r->mentions[m].from && i < r->mentions[m].to)
			return true;
	return false;
}

void exclude_ask_about_times(struct reading *r)
{
	const struct question *q = &r->q;

	for (size_t i = 1, to; i < q->count; i = to) {
		to = i + 1;
		if (!q->tokens[i].used || q->tokens[i - 1].used || in_mention(r, i) ||
		    !exclude_cue_before(q, i))
			continue;
		while (to < q->count && q->tokens[to].used && !in_mention(r, to))
			to++;
		reading_add_issue(r, &(struct issue){.kind = ISSUE_INDEFINITE_TIME,
						     .filter = FILTER_START,
						     .term = text_between(q, i, to, r->arena)});
	}
}

bool exclude_negates_tool(const struct nlu *k, const struct question *q)
{
	for (size_t i = 0; i + 1 < q->count; i++) {
		const struct token *t = &q->tokens[i + 1];
		char stem[STEM_BYTES];

		if (!token_in_list(&q->tokens[i], WORDS_NEGATION) || q->tokens[i].starts_sentence ||
		    t->used || t->separator != ' ' || nlu_is_stop_word(k, t))
			continue;
		if (router_has_word(k->router, stem, word_stem(t->text, t->len, stem)))
			return true;
	}
	return false;
}
