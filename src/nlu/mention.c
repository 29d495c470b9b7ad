/* Finds the words of a question that name known values. The longest name wins. Some mentions are
 * resolved later, after the other names are read. */
#include "nlu_int.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/strlist.h"

#define PHRASE_WORDS      2 /* longest run of ordinary words that is not read as a name */
#define LEFT_WORDS_MAX    4 /* longest value of only ordinary words: "out for final review" */
#define CANDIDATES_MAX    16
#define CONTEXT_WORDS_MAX 6   /* longest follow-up whose value may need the session context */
#define NUMBER_NAME_LEAST 100 /* smaller numbers are hours, days or counts */
#define NUMBER_YEAR_FIRST 1900
#define NUMBER_YEAR_LAST  2199

/* ---- windows of words ---- */

bool mention_is_separator(char before)
{
	return before == ' ' || before == '-' || before == '_' || before == '/' || before == '\'';
}

bool mention_window(const struct question *q, size_t i, size_t n, struct folded *out)
{
	out->len = out->count = 0;
	for (size_t at = i; at < i + n; at++) {
		const struct token *t = &q->tokens[at];

		if (t->used || (at > i && !mention_is_separator(t->separator)) ||
		    out->len + t->len > TEXT_KEY_BYTES_MAX || out->count == FOLDED_WORDS_MAX)
			return false;
		memcpy(out->key + out->len, t->text, t->len);
		out->len += t->len;
		out->ends[out->count++] = (uint16_t)out->len;
	}
	return out->len > 0;
}

static bool label_contains(const char *label, const char *text, size_t len)
{
	for (; *label; label++)
		if (tolower((unsigned char)*label) == text[0] && strncasecmp(label, text, len) == 0)
			return true;
	return false;
}

bool mention_is_label_word(const struct token *t, const struct dimension_def *d)
{
	char stem[STEM_BYTES];
	size_t n;

	if (t->len < 3 || !d->label)
		return false;
	if (label_contains(d->label, t->text, t->len))
		return true;
	n = t->len < 4 ? 0 : word_stem(t->text, t->len, stem);
	return n >= 3 && label_contains(d->label, stem, n);
}

/* True for "high case", "reference: high", "base, high and low cases". */
bool mention_has_label_near(const struct question *q, size_t from, size_t to,
			    const struct dimension_def *d)
{
	size_t reach = to + 2;

	for (size_t i = from > 2 ? from - 2 : 0; i < from; i++)
		if (mention_is_label_word(&q->tokens[i], d))
			return true;
	for (size_t i = to; i < reach && i < q->count; i++) {
		if (mention_is_label_word(&q->tokens[i], d))
			return true;
		if (token_in_list(&q->tokens[i], WORDS_CONJUNCTIONS) ||
		    q->tokens[i].separator == ',')
			reach += 2;
	}
	return false;
}

static bool is_tool_word(const struct reading *r, const char *word, size_t len)
{
	char stem[STEM_BYTES];

	return router_has_word(r->nlu->router, stem, word_stem(word, len, stem));
}

static bool has_tool_words_only(const struct reading *r, size_t from, size_t to)
{
	bool any = false;
	struct folded joined;

	/* "mile stones" is one word; "IC_LC" is also a column */
	if (to > from + 1 && mention_window(&r->q, from, to - from, &joined) &&
	    (is_tool_word(r, joined.key, joined.len) ||
	     router_has_label(r->nlu->router, joined.key, joined.len)))
		return true;

	for (size_t i = from; i < to; i++) {
		const struct token *t = &r->q.tokens[i];
		bool word = is_tool_word(r, t->text, t->len);

		if (!word && !nlu_is_stop_word(r->nlu, t))
			return false;
		any = any || word;
	}
	return any;
}

void mentions_add(struct reading *r, size_t from, size_t to, const struct entry *entries,
		  size_t count, bool typo)
{
	struct mention *m = &r->mentions[r->mention_count];
	struct entry *candidates;

	m->from = from;
	m->to = to;
	m->typo = typo;
	m->has_tool_words_only = !typo && !names_loaded(r->names, entries[0].dimension) &&
				 has_tool_words_only(r, from, to);
	m->count = count < CANDIDATES_MAX ? count : CANDIDATES_MAX;
	candidates = arena_alloc(r->arena, m->count * sizeof(*candidates));
	memcpy(candidates, entries, m->count * sizeof(*candidates));
	m->candidates = candidates;
	r->mention_count++;
	for (size_t i = from; i < to; i++) {
		r->q.tokens[i].used = true;
		r->q.tokens[i].is_tool_word = m->has_tool_words_only;
	}
}

/* Returns true when the window is part of a longer name with underscores. */
static bool is_part_of_underscore_name(const struct question *q, size_t from, size_t to)
{
	return (from > 0 && q->tokens[from].separator == '_') || token_at(q, to)->separator == '_';
}

/* Returns true for an ordinary word. It is not a mention even if a data value has the same name. */
static bool is_ordinary(const struct reading *r, size_t i)
{
	const struct token *t = &r->q.tokens[i];

	return nlu_is_known_word(r->nlu, t) && (t->starts_sentence || !t->capitalized);
}

/* "project overview" names a tool's result; "Project Overview" may be a report. */
static bool is_plain_phrase(const struct reading *r, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (!is_ordinary(r, i))
			return false;
	return true;
}

/* Keeps the marked entries, or all if none is marked. */
static size_t keep_marked(struct entry *found, const bool *keep, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (keep[i])
			found[kept++] = found[i];
	return kept > 0 ? kept : count;
}

/* Ranks matches. Tenant data may contain any name, and many names share words, so catalogue values
 * precede parts of tenant names. A dimension named next to the words precedes others. */
static size_t keep_likely(const struct reading *r, size_t from, size_t to, struct entry *found,
			  size_t count)
{
	bool keep[MENTION_CANDIDATES_MAX], any_loaded = false, any_listed = false;

	for (size_t i = 0; i < count; i++) {
		bool loaded = names_loaded(r->names, found[i].dimension);

		keep[i] = !loaded || found[i].kind != ENTRY_PART;
		any_loaded = any_loaded || loaded;
		any_listed = any_listed || !loaded;
	}
	if (!any_loaded)
		return count;
	if (any_listed)
		count = keep_marked(found, keep, count);
	for (size_t i = 0; i < count; i++)
		keep[i] = mention_has_label_near(&r->q, from, to, found[i].dimension);
	count = keep_marked(found, keep, count);
	for (size_t i = 0; i < count; i++)
		keep[i] = found[i].dimension == found[0].dimension ||
			  !names_loaded(r->names, found[i].dimension);
	return keep_marked(found, keep, count);
}

/* Returns true for a capitalized word that begins exactly one name: "Northwind" for "Northwind
 * Capital". */
static bool is_short_name(const struct reading *r, size_t i, const struct entry *e)
{
	const struct token *t = &r->q.tokens[i];

	return t->capitalized && !t->starts_sentence && e->shared == 1 &&
	       t->len < strlen(e->value) && strncasecmp(e->value, t->text, t->len) == 0 &&
	       e->value[t->len] == ' ';
}

bool mention_accepts_part(const struct reading *r, size_t i, size_t n, const struct entry *e)
{
	return e->kind != ENTRY_PART || n > 1 || r->scope.parts[e->dimension_index] ||
	       is_short_name(r, i, e) || !names_loaded(r->names, e->dimension) ||
	       mention_has_label_near(&r->q, i, i + n, e->dimension);
}

/* Returns true for a numeric value that is not a small count, an hour or a year. */
static bool is_number_name(const struct token *t, const struct entry *e)
{
	return e->kind == ENTRY_VALUE && t->number >= NUMBER_NAME_LEAST &&
	       (t->number < NUMBER_YEAR_FIRST || t->number > NUMBER_YEAR_LAST);
}

/* Returns true when the word does not describe another noun: "high" in "the high ones", "only high"
 * or "without high". */
static bool is_standalone(const struct reading *r, size_t i, const struct dimension_def *d)
{
	static const enum words BEFORE[] = {WORDS_ARTICLES,
					    WORDS_EXCLUSION,
					    WORDS_FOLLOWUP_OPENING,
					    WORDS_EVERYTHING,
					    WORDS_SOME,
					    WORDS_CONJUNCTIONS,
					    WORDS_EXCLUSION_AFTER_NOUN,
					    WORDS_NEGATION,
					    WORDS_EXCLUSION_VERBS};
	const struct question *q = &r->q;
	const struct token *next = token_at(q, i + 1);
	bool led = i == 0 || q->tokens[i].starts_sentence || q->tokens[i].separator == ',';

	for (size_t n = 0; n < sizeof(BEFORE) / sizeof(*BEFORE) && !led; n++)
		led = words_end_at(q, i - 1, BEFORE[n]);
	if (!led)
		return false;
	if (i + 1 >= q->count || next->starts_sentence || next->separator != ' ' ||
	    token_in_list(next, WORDS_ONES) || token_in_list(next, WORDS_CONJUNCTIONS) ||
	    token_in_list(next, WORDS_EXCLUDED) || mention_is_label_word(next, d))
		return true;
	return token_in_list(next, WORDS_NEUTRAL) && !token_in_list(next, WORDS_PREPOSITIONS) &&
	       (i + 2 >= q->count || q->tokens[i + 2].starts_sentence ||
		q->tokens[i + 2].separator != ' ');
}

static bool question_has_label(const struct question *q, const struct dimension_def *d)
{
	for (size_t i = 0; i < q->count; i++)
		if (mention_is_label_word(&q->tokens[i], d))
			return true;
	return false;
}

/* Returns true when a tool of the session context has a parameter for the dimension that does not
 * filter by default. */
static bool context_narrows_by(const struct reading *r, const struct dimension_def *d)
{
	const struct catalog *c = r->nlu->catalog;
	const json_t *tools = json_object_get(r->in->session_context, "tools"), *name;
	size_t i;

	json_array_foreach(tools, i, name) {
		const struct tool_def *t =
			json_is_string(name) ? catalog_tool(c, json_string_value(name)) : NULL;

		for (size_t p = 0; t && p < t->param_count; p++)
			if (t->params[p].entity && strcmp(t->params[p].entity, d->name) == 0 &&
			    t->params[p].slot == SLOT_NONE &&
			    (!t->params[p].default_text ||
			     strlist_has(c->language->lists[WORDS_EVERYTHING],
					 t->params[p].default_text)))
				return true;
	}
	return false;
}

enum label_evidence { LABEL_NONE, LABEL_IN_CONTEXT, LABEL_IN_QUESTION, LABEL_NEARBY };

/* The evidence that the words mean a value of this dimension, which is weak (lookup.h). */
static enum label_evidence label_evidence_of(const struct reading *r, size_t i, size_t n,
					     const struct dimension_def *d)
{
	if (mention_has_label_near(&r->q, i, i + n, d))
		return LABEL_NEARBY;
	if (n > 1 || !is_standalone(r, i, d))
		return LABEL_NONE;
	if (question_has_label(&r->q, d))
		return LABEL_IN_QUESTION;
	return r->q.count <= CONTEXT_WORDS_MAX && context_narrows_by(r, d) ? LABEL_IN_CONTEXT
									   : LABEL_NONE;
}

/* Keeps the values for whose dimensions the question has the strongest evidence. */
static size_t keep_best_labelled(const struct reading *r, size_t i, size_t n, struct entry *found,
				 size_t count)
{
	enum label_evidence most = LABEL_NONE;
	size_t kept = 0;

	for (size_t f = 0; f < count; f++) {
		enum label_evidence mark = r->scope.weak[found[f].dimension_index]
						   ? label_evidence_of(r, i, n, found[f].dimension)
						   : LABEL_NEARBY;

		most = mark > most ? mark : most;
	}
	for (size_t f = 0; f < count; f++)
		if (!r->scope.weak[found[f].dimension_index] ||
		    label_evidence_of(r, i, n, found[f].dimension) == most)
			found[kept++] = found[f];
	return kept;
}

/* Returns true when the n words at i may mean this value. */
static bool may_mean(const struct reading *r, size_t i, size_t n, const struct entry *e)
{
	bool labelled = mention_has_label_near(&r->q, i, i + n, e->dimension);
	bool is_stop_word = n == 1 && nlu_is_stop_word(r->nlu, &r->q.tokens[i]);
	bool weak = n == 1 && r->scope.weak[e->dimension_index] && e->kind != ENTRY_ALIAS;

	if (!r->scope.in[e->dimension_index])
		return false;
	if ((is_stop_word && !labelled) ||
	    (weak && label_evidence_of(r, i, n, e->dimension) == LABEL_NONE))
		return false;
	/* A small number is an hour or a count, and a larger one may be a year, even if a value has
	 * that name. */
	if (n == 1 && !r->q.tokens[i].has_letter && !labelled &&
	    names_loaded(r->names, e->dimension) && !is_number_name(&r->q.tokens[i], e))
		return false;
	/* "any risks" names no value */
	if (is_stop_word && (e->kind == ENTRY_PART || token_in_list(&r->q.tokens[i], WORDS_SOME)))
		return false;
	if (n > 1 && names_loaded(r->names, e->dimension) && is_plain_phrase(r, i, i + n) &&
	    !labelled && !(n > PHRASE_WORDS && e->kind == ENTRY_VALUE))
		return false;
	/* "most red" ranks by red; it does not filter by it. */
	if (e->kind == ENTRY_ALIAS && i > 0 && token_in_list(&r->q.tokens[i - 1], WORDS_MOST))
		return false;
	if (e->kind == ENTRY_PART && n == 1 && mention_is_label_word(&r->q.tokens[i], e->dimension))
		return false;
	if (e->kind == ENTRY_PART && e->shared > PART_NAMES_MAX && !labelled)
		return false;
	/* "flights" does not mean flight attendants, and "by cabin" does not mean a cabin refit */
	if (e->kind == ENTRY_PART && n == 1 && !labelled && !r->q.tokens[i].capitalized &&
	    map_words_is_entity_at(r->nlu, &r->q, i))
		return false;
	if (!mention_accepts_part(r, i, n, e))
		return false;
	/* "usage report" may be a name; "report usage" is a tool's result */
	if (e->kind == ENTRY_PART && n == 1 && names_loaded(r->names, e->dimension) &&
	    is_ordinary(r, i) && !mention_is_label_word(token_at(&r->q, i + 1), e->dimension))
		return false;
	if (n == 1 && names_loaded(r->names, e->dimension) && is_ordinary(r, i) && !labelled)
		return false;
	return (e->kind != ENTRY_PART && !e->when_value) ||
	       !is_part_of_underscore_name(&r->q, i, i + n);
}

static bool is_value_of_map(const struct reading *r, size_t from, size_t n)
{
	struct entry found[MENTION_CANDIDATES_MAX];
	struct folded words;
	size_t count;

	if (!mention_window(&r->q, from, n, &words))
		return false;
	count = names_find(r->names, &words, found, MENTION_CANDIDATES_MAX);
	for (size_t f = 0; f < count; f++)
		if (found[f].kind == ENTRY_VALUE && found[f].dimension->map.entity)
			return true;
	return false;
}

/* Returns true when a neutral word describes something: "that are good", "good projects". A
 * lower-case "in" or "or" never means Indiana or Oregon. */
static bool describes_something(const struct reading *r, size_t i)
{
	const struct question *q = &r->q;
	const struct token *t = &q->tokens[i];

	if ((t->capitalized && !t->starts_sentence) ||
	    (i > 0 && token_in_list(&q->tokens[i - 1], WORDS_TO_BE)))
		return true;
	return i > 0 && i + 1 < q->count && map_words_is_entity_at(r->nlu, q, i + 1) &&
	       !token_in_list(t, WORDS_ALL) && !token_in_list(t, WORDS_EVERYTHING) &&
	       !token_in_list(t, WORDS_ARTICLES) && !token_in_list(t, WORDS_WHICH) &&
	       !token_in_list(t, WORDS_PREPOSITIONS);
}

bool mention_is_missed_value(const struct reading *r, size_t i, bool neutral)
{
	bool is_stop_word = neutral || nlu_is_stop_word(r->nlu, &r->q.tokens[i]);
	size_t least = is_stop_word && !describes_something(r, i) ? 2 : 1;

	for (size_t n = least; n <= LEFT_WORDS_MAX; n++)
		for (size_t from = i + 1 > n ? i + 1 - n : 0; from <= i && from + n <= r->q.count;
		     from++)
			if (n <= r->name_reach[from] && is_value_of_map(r, from, n))
				return true;
	return false;
}

/* Returns true when at least one of the n words is not a known word. */
static bool has_uncommon_word(const struct reading *r, size_t i, size_t n)
{
	for (size_t at = i; at < i + n; at++)
		if (!nlu_is_known_word(r->nlu, &r->q.tokens[at]))
			return true;
	return false;
}

static int number_word(const struct token *t)
{
	return t->has_letter && !t->has_digit ? token_number(t) : -1;
}

/* Rewrites "stage three" as "stage 3". Returns false when no word after the first is a number in
 * letters. */
static bool window_in_digits(const struct question *q, size_t i, size_t n, struct folded *out)
{
	char text[TEXT_KEY_BYTES_MAX];
	size_t at = 0;
	bool any = false;

	for (size_t t = i + 1; t < i + n && !any; t++)
		any = number_word(&q->tokens[t]) >= 0;
	for (size_t t = i; any && t < i + n && at < sizeof(text); t++) {
		int number = t > i ? number_word(&q->tokens[t]) : -1;

		at += (size_t)(number >= 0 ? snprintf(text + at, sizeof(text) - at, " %d", number)
					   : snprintf(text + at, sizeof(text) - at, " %s",
						      q->tokens[t].text));
	}
	if (!any || at >= sizeof(text))
		return false;
	text_fold(text, out);
	return true;
}

static bool try_window(struct reading *r, size_t i, size_t n)
{
	struct entry found[MENTION_CANDIDATES_MAX];
	struct folded words, digits;
	size_t count, meant = 0;

	if (!mention_window(&r->q, i, n, &words))
		return false;
	count = names_find(r->names, &words, found, MENTION_CANDIDATES_MAX);
	if (count == 0 && window_in_digits(&r->q, i, n, &digits))
		count = names_find(r->names, &digits, found, MENTION_CANDIDATES_MAX);
	for (size_t f = 0; f < count; f++)
		if (may_mean(r, i, n, &found[f]) &&
		    (n == 1 || found[f].kind != ENTRY_PART || has_uncommon_word(r, i, n)))
			found[meant++] = found[f];
	if (n == 1 && meant > 1)
		meant = keep_best_labelled(r, i, n, found, meant);
	meant = keep_likely(r, i, i + n, found, meant);
	if (meant > 0)
		mentions_add(r, i, i + n, found, meant, false);
	return meant > 0;
}

/* The dimension named after "all": "all CAISO hub-zones". */
static const struct dimension_def *dimension_after_all(const struct reading *r, size_t from)
{
	const struct catalog *c = r->nlu->catalog;

	for (size_t i = from; i < from + 4 && i < r->q.count; i++) {
		const struct token *t = &r->q.tokens[i];

		for (size_t d = 0; d < c->dimension_count && !t->used; d++)
			if (r->scope.in[d] && mention_is_label_word(t, &c->dimensions[d]))
				return &c->dimensions[d];
		if (!t->used && !token_in_list(t, WORDS_ALL_LINKS))
			return NULL;
	}
	return NULL;
}

/* "all vendors", "both markets": selects every value. */
static void find_all_values(struct reading *r)
{
	for (size_t i = 0; i + 1 < r->q.count && r->all_count < 8; i++) {
		const struct dimension_def *d = token_in_list(&r->q.tokens[i], WORDS_ALL)
							? dimension_after_all(r, i + 1)
							: NULL;

		if (d)
			r->all_values_of[r->all_count++] = d;
	}
}

/* The maximum number of tokens from i on, at most `most`, that names_find can match. */
static size_t name_reach_at(const struct reading *r, size_t i, size_t most)
{
	struct folded words, digits;
	size_t reach, other;

	while (most > 0 && !mention_window(&r->q, i, most, &words))
		most--;
	reach = most > 0 ? names_prefix_words(r->names, &words) : 0;
	other = reach > 0 && reach < most && window_in_digits(&r->q, i, most, &digits)
			? names_prefix_words(r->names, &digits)
			: 0;
	return reach > other ? reach : other;
}

void mentions_find(struct reading *r)
{
	size_t longest = names_longest_words(r->names);

	if (longest > ASKED_NAME_WORDS_MAX)
		longest = ASKED_NAME_WORDS_MAX;
	r->mentions = arena_alloc(r->arena, sizeof(*r->mentions) * (r->q.count + 1));
	r->name_reach = arena_alloc(r->arena, sizeof(*r->name_reach) * (r->q.count + 1));
	for (size_t i = 0; i < r->q.count; i++) {
		size_t left = r->q.count - i;
		size_t n = name_reach_at(r, i, left < longest + 1 ? left : longest + 1);

		r->name_reach[i] = n;
		while (n > 0 && !try_window(r, i, n))
			n--;
		if (n > 0)
			i += n - 1;
	}
	find_all_values(r);
}
