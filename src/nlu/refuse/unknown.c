/*
 * Finds unknown and misspelled names. A word that looks like a name but matches no value becomes an
 * issue, never a filter.
 */
#include "nlu_int.h"

#include <string.h>

#include "vesper/limits.h"

#define CODES_LOOKED_AT 64 /* values of a dimension sampled to detect codes */

static bool try_fuzzy(struct reading *r, size_t i, size_t n)
{
	struct entry near[FUZZY_MATCHES_MAX];
	struct folded words;
	size_t count, kept = 0;
	bool *in;

	if (!mention_window(&r->q, i, n, &words) || words.len < FUZZY_BYTES_MIN)
		return false;
	in = arena_alloc(r->arena, r->nlu->catalog->dimension_count + 1);
	for (size_t d = 0; d < r->nlu->catalog->dimension_count; d++)
		in[d] = r->scope.in[d] && !r->scope.weak[d];
	count = names_candidates(r->names, in, words.key, words.len, r->arena, near);
	for (size_t e = 0; e < count; e++)
		if (mention_accepts_part(r, i, 1, &near[e])) /* a part: "capital of" */
			near[kept++] = near[e];
	if (kept > 0)
		mentions_add(r, i, i + n, near, kept, true);
	return kept > 0;
}

/* Tries the longest name that begins here first. A name does not end with a stop word. */
static bool try_fuzzy_name(struct reading *r, size_t i, size_t least)
{
	size_t longest = names_longest_words(r->names), left = r->q.count - i;

	for (size_t n = left < longest ? left : longest; n > least; n--)
		if (!nlu_is_stop_word(r->nlu, &r->q.tokens[i + n - 1]) && try_fuzzy(r, i, n))
			return true;
	return try_fuzzy(r, i, least) || (left > least && try_fuzzy(r, i, least + 1));
}

/* Returns true for an ordinary word: "state" is not a misspelled "stage", and "flights" does not
 * mean "Flight attendant". */
static bool is_ordinary_word(const struct reading *r, size_t i)
{
	const struct token *t = &r->q.tokens[i];

	return nlu_is_known_word(r->nlu, t) ||
	       (!t->capitalized && token_in_list(t, WORDS_NEUTRAL)) || map_words_contain(r->nlu, t);
}

/* Returns true for a word of exclusion ("aren't"), which is not a name. */
static bool is_exclusion(const struct token *t)
{
	return token_in_list(t, WORDS_EXCLUSION) || token_in_list(t, WORDS_EXCLUSION_NOT_FIRST);
}

/* The number of tokens from i on that form one word with underscores. */
static size_t underscore_length(const struct question *q, size_t i)
{
	size_t n = 1;

	while (token_at(q, i + n)->separator == '_' && !token_at(q, i + n)->used)
		n++;
	return n;
}

/* Returns true for letters and digits, or several parts: "NP99", "HB_SOUTH"; not "1st" or "10k". */
static bool looks_like_code(const struct question *q, size_t i, size_t n)
{
	const struct token *t = &q->tokens[i];

	if (t->len > 16)
		return false;
	return n > 1 || (t->has_letter && t->has_digit && t->len >= 3 && t->text[0] > '9');
}

/* The dimension whose label or preposition is the previous word; or NULL. */
static const struct dimension_def *cue_before(const struct reading *r, size_t i)
{
	const struct catalog *c = r->nlu->catalog;
	const struct token *before = i > 0 ? &r->q.tokens[i - 1] : NULL;
	int d;

	if (!before)
		return NULL;
	for (size_t n = 0; n < c->dimension_count; n++)
		if (r->scope.in[n] && names_has_values(r->names, &c->dimensions[n]) &&
		    mention_is_label_word(before, &c->dimensions[n]))
			return &c->dimensions[n];
	d = dict_find(&r->nlu->prepositions, before->text, before->len);
	return d >= 0 && r->scope.in[d] ? &c->dimensions[d] : NULL;
}

/* The dimension whose label follows the name ("the Atlantis project"); or NULL. Only for dimensions
 * loaded from the data. */
static const struct dimension_def *cue_after(const struct reading *r, size_t i)
{
	const struct catalog *c = r->nlu->catalog;

	for (size_t n = 0; i < r->q.count && n < c->dimension_count; n++)
		if (r->scope.in[n] && names_loaded(r->names, &c->dimensions[n]) &&
		    mention_is_label_word(&r->q.tokens[i], &c->dimensions[n]))
			return &c->dimensions[n];
	return NULL;
}

/* Returns true when a word is capitalized. Otherwise case does not distinguish names from words. */
static bool has_capitals(const struct question *q)
{
	for (size_t i = 0; i < q->count; i++)
		if (q->tokens[i].capitalized)
			return true;
	return false;
}

/* The dimension of a known name that is joined to the word ("Ascend vs Bloomberg"); or NULL. */
static const struct dimension_def *dimension_of_neighbour(const struct reading *r, size_t i)
{
	bool capital = r->q.tokens[i].capitalized || !has_capitals(&r->q);

	for (size_t m = 0; m < r->mention_count; m++) {
		const struct mention *n = &r->mentions[m];
		const struct dimension_def *d = n->candidates[0].dimension;
		const struct token *joiner = n->to + 1 == i     ? &r->q.tokens[n->to]
					     : i + 2 == n->from ? &r->q.tokens[i + 1]
								: NULL;

		if (joiner && (token_in_list(joiner, WORDS_VERSUS) ||
			       (capital && token_in_list(joiner, WORDS_NAME_JOINERS))))
			return d;
	}
	return NULL;
}

static bool is_code(const char *value)
{
	const char *digit = strpbrk(value, "0123456789");

	return digit && digit[1];
}

/* The first dimension whose values are codes, for a code that resembles no value; or NULL. */
static const struct dimension_def *dimension_of_codes(const struct reading *r)
{
	const struct catalog *c = r->nlu->catalog;

	for (size_t d = 0; d < c->dimension_count; d++) {
		size_t count = r->scope.in[d] ? names_count(r->names, &c->dimensions[d]) : 0;
		const char *parent;

		for (size_t i = 0; i < count && i < CODES_LOOKED_AT; i++)
			if (is_code(names_value_at(r->names, &c->dimensions[d], i, &parent)))
				return &c->dimensions[d];
	}
	return NULL;
}

/* The mention that covers only token i, or NULL. */
static const struct mention *mention_at(const struct reading *r, size_t i)
{
	for (size_t m = 0; m < r->mention_count; m++)
		if (r->mentions[m].from == i && r->mentions[m].to == i + 1)
			return &r->mentions[m];
	return NULL;
}

/* The dimension of names that share the word at token i ("atlantis solar"); or NULL. The word
 * before it then belongs to an unknown name. "rooftop solar projects" contains no name. */
static const struct dimension_def *dimension_of_name_ending(const struct reading *r, size_t i)
{
	const struct mention *m = mention_at(r, i);
	struct entry found[MENTION_CANDIDATES_MAX];
	struct folded word;
	size_t count;

	if (!m || m->typo || r->q.tokens[i].separator != ' ' || cue_after(r, i + 1) ||
	    names_loaded(r->names, m->candidates[0].dimension))
		return NULL;
	text_fold(r->q.tokens[i].text, &word);
	count = names_find(r->names, &word, found, MENTION_CANDIDATES_MAX);
	for (size_t f = 0; f < count; f++)
		if (found[f].kind == ENTRY_PART && found[f].shared > 1 &&
		    names_loaded(r->names, found[f].dimension))
			return found[f].dimension;
	return NULL;
}

/* The dimension of the unknown name at i..i+n; NULL: it is not a name. */
static const struct dimension_def *dimension_of_unknown(struct reading *r, size_t i, size_t n)
{
	const struct token *t = &r->q.tokens[i];
	const struct dimension_def *neighbour = dimension_of_neighbour(r, i),
				   *cue = cue_before(r, i), *after = cue_after(r, i + n);

	if (!cue)
		cue = after;
	if (looks_like_code(&r->q, i, n)) {
		const struct dimension_def *similar = names_most_similar_dimension(
			r->names, text_between(&r->q, i, i + n, r->arena));

		return similar     ? similar
		       : neighbour ? neighbour
		       : cue       ? cue
				   : dimension_of_codes(r);
	}
	if (neighbour)
		return neighbour;
	neighbour = dimension_of_name_ending(r, i + n);
	if (neighbour)
		return neighbour;
	/* "the northwind project" */
	if (after && i > 0 && token_in_list(&r->q.tokens[i - 1], WORDS_ARTICLES) &&
	    !facts_get(&r->facts, after->filter))
		return after;
	if (i == 0 || t->starts_sentence || !cue || facts_get(&r->facts, cue->filter))
		return NULL;
	return t->capitalized || token_in_list(&r->q.tokens[i - 1], WORDS_FROM) ? cue : NULL;
}

/* The length of a name, which extends over capitalized words ("Quillon Ridge"), even if one of them
 * belongs to a known name. */
static size_t name_length(const struct question *q, size_t i, size_t n)
{
	while (q->tokens[i].capitalized && token_at(q, i + n)->capitalized &&
	       mention_is_separator(token_at(q, i + n)->separator) &&
	       token_at(q, i + n)->number < 0)
		n++;
	return n;
}

static void add_unknown_issue(struct reading *r, size_t i, size_t n, const struct dimension_def *d)
{
	struct issue t = {.kind = ISSUE_UNKNOWN_VALUE,
			  .filter = d->filter,
			  .dimension = d,
			  .term = text_between(&r->q, i, i + n, r->arena)};

	t.option_count = names_suggest_similar(
		r->names, d, t.term, d->parent ? mention_context_value(r, d->parent) : NULL,
		r->arena, &t.options);
	for (size_t at = i; at < i + n; at++)
		r->q.tokens[at].used = true;
	reading_add_issue(r, &t);
}

void mentions_find_unknown(struct reading *r)
{
	for (size_t i = 0, n, looked_up = 0; i < r->q.count; i += n) {
		const struct token *t = &r->q.tokens[i];
		const struct dimension_def *d;

		n = underscore_length(&r->q, i);
		if (t->used || t->number >= 0 || is_exclusion(t) ||
		    (n == 1 && is_ordinary_word(r, i)))
			continue;
		if (looked_up++ == UNKNOWN_WORDS_MAX)
			return;
		if (try_fuzzy_name(r, i, n))
			continue;
		d = dimension_of_unknown(r, i, n);
		n = d ? name_length(&r->q, i, n) : n;
		if (d && names_has_values(r->names, d))
			add_unknown_issue(r, i, n, d);
	}
}
