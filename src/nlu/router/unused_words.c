/*
 * Finds the words of a question that nothing uses. A word is used when it belongs to a filter, time
 * or number, when the chosen tool uses it, or when the language lists it as neutral. An unused word
 * could narrow, order, negate, group or compare, and prevents a confident answer. Some words have
 * their own rules: "by" needs a group, "without" an excluded name, "since" a time, "largest" a tool
 * that ranks.
 */
#include "tool_vocabulary.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/str.h"
#include "vesper/strlist.h"

#define MISSPELLED_BYTES_MIN 4 /* minimum length of a misspelled word */
#define QUESTION_BYTES       65536

/* Sets the words of a column's label to is_in. */
static void label_put(const struct nlu *k, struct dict *d, const struct column_def *c, int is_in)
{
	struct arena *scratch = arena_new(VOCABULARY_SCRATCH_BYTES);
	char stem[STEM_BYTES];
	struct question q;

	text_tokenize(k->catalog->language, c->label ? c->label : c->name, scratch, &q);
	for (size_t i = 0; i < q.count; i++)
		if (!nlu_is_stop_word(k, &q.tokens[i]))
			dict_put(d, stem, nlu_noun_stem(k, &q.tokens[i], stem), is_in);
	arena_free(&scratch);
}

/* ---- one question ---- */

struct word_check {
	const struct reading *r;
	const struct choice *c;
	const struct tool_def *tool; /* the chosen tool */
	const struct dict *tool_words, *domain_words;
	struct dict hidden;           /* stems of tool columns hidden from this caller */
	bool ranks, newest, compares; /* properties of the tool */
	bool *unused;                 /* by token: nothing uses it */
};

/* The FROM_… flags of the word for the chosen tool; 0: the tool does not use it. */
static int word_origins(const struct word_check *a, const struct token *t)
{
	char stem[STEM_BYTES];
	size_t n = nlu_noun_stem(a->r->nlu, t, stem);
	int tool = dict_find(a->tool_words, stem, n), domain = dict_find(a->domain_words, stem, n);

	return (tool < 0 ? 0 : tool) | (domain < 0 ? 0 : domain);
}

static bool is_hidden(const struct word_check *a, const struct token *t)
{
	char stem[STEM_BYTES];

	return dict_find(&a->hidden, stem, nlu_noun_stem(a->r->nlu, t, stem)) > 0;
}

/* Returns true for a misspelled neutral word. */
static bool is_misspelled_neutral(const struct word_check *a, const struct token *t)
{
	const char *const *word = a->r->nlu->catalog->language->lists[WORDS_NEUTRAL];

	if (t->len < MISSPELLED_BYTES_MIN || t->known || t->has_digit || t->capitalized)
		return false;
	for (; *word; word++)
		if (**word == *t->text &&
		    fuzzy_distance(t->text, t->len, *word, strlen(*word), 1) <= 1)
			return true;
	return false;
}

static bool is_used(const struct word_check *a, size_t i)
{
	const struct token *t = token_at(&a->r->q, i);

	return i < a->r->q.count && t->used && !t->is_tool_word;
}

static bool is_filler(const struct token *t)
{
	return token_in_list(t, WORDS_ARTICLES) || token_in_list(t, WORDS_EVERYTHING) ||
	       token_in_list(t, WORDS_EXCLUSION_LINKS);
}

/* The next content token after i; q.count: none in the sentence. */
static size_t next_content_word(const struct word_check *a, size_t i)
{
	const struct question *q = &a->r->q;

	for (size_t cue = i++; i < q->count && (i == cue + 1 || !q->tokens[i].starts_sentence); i++)
		if (!is_filler(&q->tokens[i]) || is_used(a, i))
			return i;
	return q->count;
}

/* A value that may also name a tool ("at risk") counts if the tool takes its filter. */
static bool takes_tool_word_value(const struct word_check *a, size_t i)
{
	for (size_t m = 0; m < a->r->mention_count; m++) {
		const struct mention *n = &a->r->mentions[m];

		if (i >= n->from && i < n->to)
			return candidate_param(a->c->fit.candidate,
					       n->candidates[0].dimension->filter);
	}
	return false;
}

static bool has_no_meaning(const struct nlu *k, const struct token *t)
{
	char stem[STEM_BYTES];

	return token_in_list(t, WORDS_NEUTRAL) || nlu_is_stop_word(k, t) || t->len < 2 ||
	       dict_find(&k->vocabulary->neutral, stem, word_stem(t->text, t->len, stem)) >= 0;
}

static bool is_neutral(const struct word_check *a, const struct token *t)
{
	return has_no_meaning(a->r->nlu, t);
}

/* Returns true for a number that repeats one already read: "25 and 26, I mean 2025 and 2026". */
static bool repeats_number(const struct word_check *a, int number)
{
	for (size_t i = 0; i < a->r->facts.count; i++)
		for (size_t v = 0; v < a->r->facts.items[i].count; v++) {
			const struct value *value = &a->r->facts.items[i].values[v];

			if (value->type == VALUE_INT &&
			    (value->number == number || value->number % 100 == number))
				return true;
		}
	return false;
}

/* Returns true when the time step named at token i fills a parameter of the tool. */
static bool time_step_is_filled(const struct word_check *a, size_t i)
{
	const char *step = i < a->r->q.count ? followup_time_step_at(&a->r->q, i) : NULL;
	const char *filled = followup_time_step(&a->r->q);
	const struct candidate *of = a->c->fit.candidate;

	if (!step || !filled || strcmp(step, filled) != 0)
		return false;
	for (size_t p = 0; p < of->param_count; p++)
		if (of->params[p].slot == SLOT_STEP)
			return strlist_has(of->params[p].values, step);
	return false;
}

/* The last noun of a compound: "type" of "each task type". */
static size_t head_noun(const struct word_check *a, size_t i)
{
	const struct question *q = &a->r->q;

	while (i + 1 < q->count && q->tokens[i + 1].separator == ' ' && !q->tokens[i + 1].used &&
	       !is_neutral(a, &q->tokens[i + 1]) &&
	       (word_origins(a, &q->tokens[i + 1]) & FROM_COLUMN))
		i++;
	return i;
}

/* "by month", "each sponsor": the tool must distinguish the group. */
static bool grouping_is_accounted(const struct word_check *a, size_t i)
{
	int origins = a->tool->words.grain ? GRAIN | RANKED : FROM_ABOUT;
	size_t by = next_content_word(a, i);

	if (time_step_is_filled(a, i) || time_step_is_filled(a, by))
		return true;
	if (!nlu_is_stop_word(a->r->nlu, &a->r->q.tokens[i]) &&
	    (word_origins(a, &a->r->q.tokens[i]) & origins)) /* "hourly" */
		return true;
	if (by == a->r->q.count)
		return token_in_list(&a->r->q.tokens[i], WORDS_EVERYTHING);
	return is_used(a, by) || (word_origins(a, &a->r->q.tokens[head_noun(a, by)]) & origins);
}

/* "since the last audit": a time must follow, unless the tool compares. */
static bool narrowing_is_accounted(const struct word_check *a, size_t i)
{
	size_t by = next_content_word(a, i);

	if (by == a->r->q.count || is_used(a, by) ||
	    token_in_list(&a->r->q.tokens[i + 1], WORDS_CONJUNCTIONS)) /* "located, and who" */
		return true;
	/* "over budget" for a tool that compares the two */
	return a->compares && (word_origins(a, &a->r->q.tokens[by]) & FROM_ABOUT);
}

static bool is_noun(const struct word_check *a, size_t i)
{
	const struct token *t = token_at(&a->r->q, i);

	if (i >= a->r->q.count || t->starts_sentence || is_used(a, i) ||
	    token_in_list(t, WORDS_SUPERLATIVE) || nlu_is_stop_word(a->r->nlu, t))
		return false;
	return !is_neutral(a, t) || (word_origins(a, t) & FROM_ABOUT);
}

static bool starts_excluded_mention(const struct word_check *a, size_t i)
{
	for (size_t m = 0; m < a->r->mention_count; m++)
		if (a->r->mentions[m].excluded && a->r->mentions[m].from == i)
			return true;
	return false;
}

/* "not Ascend" is handled as an exclusion; no tool can exclude "not viewed". */
static bool negation_is_accounted(const struct word_check *a, size_t i)
{
	const struct question *q = &a->r->q;

	/* "No, for SP15" replies to an earlier turn; "never viewed reports" and "no BESS either" do
	 * not */
	if (i == 0 && token_in_list(&q->tokens[0], WORDS_SOME) && is_used(a, 1) &&
	    q->tokens[1].separator == ' ' && !starts_excluded_mention(a, 1))
		return false;
	if ((i == 0 && (!is_noun(a, 1) || q->tokens[1].separator != ' ')) ||
	    words_at(q, i, WORDS_NEUTRAL) > 0)
		return true;
	/* "is it on track or not?" */
	if (i > 0 && token_in_list(&q->tokens[i - 1], WORDS_OR) && word_ends_clause(q, i))
		return true;
	for (size_t m = 0; m < a->r->mention_count; m++)
		if (a->r->mentions[m].excluded && a->r->mentions[m].from > i &&
		    (!a->r->mentions[m].has_tool_words_only ||
		     takes_tool_word_value(a, a->r->mentions[m].from)))
			return true;
	return false;
}

/* "Leave the low ones out", "PJM excluded": parts of an exclusion in the same sentence. */
static bool is_part_of_exclusion(const struct word_check *a, size_t i)
{
	const struct question *q = &a->r->q;
	size_t from = i, to = i + 1;

	if (!token_in_list(&q->tokens[i], WORDS_EXCLUSION_VERBS) &&
	    words_at(q, i, WORDS_EXCLUDED) == 0)
		return false;
	while (from > 0 && !q->tokens[from].starts_sentence)
		from--;
	while (to < q->count && !q->tokens[to].starts_sentence)
		to++;
	for (; from < to; from++)
		if (starts_excluded_mention(a, from))
			return true;
	return false;
}

/* The number of words of "other than" before an excluded value; 0: none. */
static size_t exclusion_words(const struct word_check *a, size_t i)
{
	size_t n = words_at(&a->r->q, i, WORDS_EXCLUSION), of;

	if (n == 0)
		return 0;
	of = next_content_word(a, i + n - 1);
	return starts_excluded_mention(a, of) && (n > 1 || !a->r->q.tokens[of].is_tool_word ||
						  takes_tool_word_value(a, of))
		       ? n
		       : 0;
}

/* The last word of the noun after a superlative or "how many" ("task risks"); q.count: none. */
static size_t next_noun(const struct word_check *a, size_t i)
{
	const struct question *q = &a->r->q;

	for (i++; i < q->count && !q->tokens[i].starts_sentence; i++)
		if (is_noun(a, i)) {
			while (is_noun(a, i + 1) && q->tokens[i + 1].separator == ' ')
				i++;
			return i;
		}
	return q->count;
}

/* "viewed the most reports" for users ranked by views: "most" belongs to the verb before it, and
 * the tool counts the items after it. */
static bool most_of_ranked(const struct word_check *a, size_t i, size_t noun)
{
	const struct question *q = &a->r->q;
	size_t before = i;

	if (!token_in_list(&q->tokens[i], WORDS_MOST) ||
	    !(word_origins(a, &q->tokens[noun]) & COUNTED))
		return false;
	while (before > 0 && token_in_list(&q->tokens[before - 1], WORDS_ARTICLES))
		before--;
	return before > 0 && !q->tokens[before].starts_sentence && !is_used(a, before - 1) &&
	       (word_origins(a, &q->tokens[before - 1]) & RANKED);
}

/* "Who buys": the tool has a column with the name of such a person ("Buyer"). */
static bool is_role(const struct word_check *a, const struct token *t)
{
	char word_stem_text[STEM_BYTES], stem[STEM_BYTES];
	size_t n = nlu_canonical_stem(a->r->nlu, t, word_stem_text);

	for (size_t i = 0; i < a->tool->column_count; i++) {
		const struct column_def *c = &a->tool->columns[i];
		struct token label = {.text = c->label, .len = c->label ? strlen(c->label) : 0};
		struct folded folded;

		if (!c->label || c->type != COLUMN_TEXT || strchr(c->label, ' '))
			continue;
		text_fold(c->label, &folded);
		label.text = arena_strndup(a->r->arena, folded.key, folded.len);
		label.len = folded.len;
		if (nlu_canonical_stem(a->r->nlu, &label, stem) == n &&
		    memcmp(stem, word_stem_text, n) == 0)
			return true;
	}
	return false;
}

/* "Who moved it": the tool must report persons, unless "who is it" asks for another label or
 * "tasks who have" names the subject. */
static bool person_is_accounted(const struct word_check *a, size_t i)
{
	const struct question *q = &a->r->q;
	const struct token *next = token_at(q, i + 1);

	return (word_origins(a, &q->tokens[i]) & (FROM_ABOUT | FROM_COLUMN)) ||
	       word_ends_clause(q, i) || token_in_list(next, WORDS_TO_BE) ||
	       token_in_list(next, WORDS_ARTICLES) || word_is_label(a->r->nlu, next) ||
	       is_role(a, next) ||
	       (i > 0 && !q->tokens[i].starts_sentence && word_origins(a, &q->tokens[i - 1]));
}

/* Returns true for a value, or a word of the tool or its domain. */
static bool is_subject(const struct word_check *a, size_t i)
{
	const struct token *t = &a->r->q.tokens[i];

	if (t->number >= 0 || token_in_list(t, WORDS_SUPERLATIVE) ||
	    followup_time_step_at(&a->r->q, i))
		return false;
	return is_used(a, i) || (!nlu_is_stop_word(a->r->nlu, t) && word_origins(a, t));
}

static bool has_subject(const struct word_check *a)
{
	for (size_t i = 0; i < a->r->q.count; i++)
		if (!a->unused[i] && is_subject(a, i))
			return true;
	return false;
}

/* Returns true when the session context belongs to the chosen tool. */
static bool context_has_tool(const struct word_check *a)
{
	const json_t *tools = json_object_get(a->r->in->session_context, "tools"), *name;
	size_t i;

	json_array_foreach(tools, i, name)
		if (json_is_string(name) && strcmp(json_string_value(name), a->tool->name) == 0)
			return true;
	return a->r->filters_only;
}

/* "Which workspace gets the most views" ranks workspaces: the tool must distinguish them. */
static bool ranks_asked_noun(const struct word_check *a, size_t i)
{
	size_t which = i, noun;

	while (which > 0 && !token_in_list(&a->r->q.tokens[which - 1], WORDS_WHICH))
		which--;
	if (which == 0 || !a->tool->words.grain)
		return true;
	noun = next_noun(a, which - 1);
	return noun >= i || !word_origins(a, &a->r->q.tokens[noun]) ||
	       (word_origins(a, &a->r->q.tokens[noun]) & (GRAIN | RANKED));
}

/* A superlative belongs to the noun next to it, which the tool must rank. Without a noun ("the top
 * ones") the question or the session context must name the subject. */
static bool superlative_is_accounted(const struct word_check *a, size_t i)
{
	size_t noun = next_noun(a, i);

	if (noun == a->r->q.count && !context_has_tool(a) && !has_subject(a))
		return false;
	return a->ranks && ranks_asked_noun(a, i) &&
	       (noun == a->r->q.count || !word_origins(a, &a->r->q.tokens[noun]) ||
		(word_origins(a, &a->r->q.tokens[noun]) & RANKED) || most_of_ranked(a, i, noun));
}

/* "Of each type", "by sponsor": a total of all rows is not a count by group. */
static bool has_group(const struct word_check *a)
{
	for (size_t i = 0; i < a->r->q.count; i++)
		if (token_in_list(&a->r->q.tokens[i], WORDS_GROUPING) && !is_used(a, i) &&
		    next_content_word(a, i) < a->r->q.count && !is_used(a, next_content_word(a, i)))
			return true;
	return false;
}

/* "How many": the tool counts that item, or counts all rows of its subject. */
static bool count_is_accounted(const struct word_check *a, size_t i)
{
	size_t noun = next_noun(a, i);
	int from = noun < a->r->q.count ? word_origins(a, &a->r->q.tokens[noun]) : 0;

	/* "how many MW of storage": not a count, but an amount that the tool has */
	return (from & (COUNTED | MEASURED)) ||
	       (a->tool->totals.is_queryable && (from & FROM_ABOUT) && !has_group(a));
}

static bool has_list(const struct word_check *a)
{
	for (size_t i = 0; i < a->r->facts.count; i++)
		if (a->r->facts.items[i].count > 1)
			return true;
	return false;
}

/* "the solar project": one unnamed item of a dimension loaded from the data. */
static bool is_unnamed_one(const struct word_check *a, size_t i)
{
	const struct catalog *c = a->r->nlu->catalog;
	const struct question *q = &a->r->q;
	size_t at = i;

	while (at > 0 && i - at < 2 && is_used(a, at - 1))
		at--;
	if (at == 0 || !token_in_list(&q->tokens[at - 1], WORDS_ARTICLES) ||
	    (token_at(q, i + 1)->separator == ' ' && !token_at(q, i + 1)->used &&
	     (word_origins(a, token_at(q, i + 1)) & (FROM_ABOUT | FROM_COLUMN))))
		return false;
	for (size_t d = 0; d < c->dimension_count; d++)
		if (names_loaded(a->r->names, &c->dimensions[d]) &&
		    strcmp(c->dimensions[d].label, q->tokens[i].text) == 0)
			return !facts_get(&a->r->facts, c->dimensions[d].filter);
	return false;
}

/* "any high ones": a value of a tool parameter that did not become a filter. */
static bool is_missed_value(const struct word_check *a, const struct token *t)
{
	const struct candidate *tool = a->c->fit.candidate;

	if (t->used || nlu_is_stop_word(a->r->nlu, t))
		return false;
	for (size_t p = 0; p < tool->param_count; p++) {
		const char *entity = tool->params[p].entity;
		const struct dimension_def *d =
			entity ? catalog_dimension(a->r->nlu->catalog, entity) : NULL;

		for (size_t v = 0; d && d->values && d->values[v]; v++)
			if (strcasecmp(d->values[v], t->text) == 0)
				return true;
	}
	return false;
}

/* "than", "vs": the tool compares two sides, or there are two calls. */
static bool comparison_is_accounted(const struct word_check *a, size_t i)
{
	const struct question *q = &a->r->q;
	size_t by = next_content_word(a, i);

	if (a->c->fit.other_list ||
	    (i > 0 && a->c->fit.calls == 1 && word_is_time(a->r, i - 1) &&
	     word_is_time(a->r, i + 1))) /* "summer vs winter" read as one time */
		return false;
	if (token_in_list(&q->tokens[i], WORDS_VERSUS) &&
	    (by == q->count || (!is_used(a, by) && !word_origins(a, &q->tokens[by]))))
		return false; /* "NP15 vs what" */
	return has_list(a) || a->ranks || (word_origins(a, &a->r->q.tokens[i]) & FROM_ABOUT) ||
	       (by < a->r->q.count && (word_origins(a, &a->r->q.tokens[by]) & FROM_ABOUT));
}

/* "Minus" before a value: an exclusion, or two sides that the tool compares. */
static bool minus_is_accounted(const struct word_check *a, size_t i)
{
	size_t of = next_content_word(a, i);
	bool is_relevant =
		is_used(a, of) || (of < a->r->q.count && word_origins(a, &a->r->q.tokens[of]));

	return starts_excluded_mention(a, of) ||
	       (token_in_list(&a->r->q.tokens[i], WORDS_COMPARISON) && is_relevant &&
		comparison_is_accounted(a, i));
}

/* Returns true when the word is not a synonym of another. As a description, "opened" does not
 * mean "viewed". */
static bool is_literal(const struct word_check *a, const struct token *t)
{
	char stem[STEM_BYTES], family[STEM_BYTES];
	size_t n = word_stem(t->text, t->len, stem);

	return nlu_canonical_stem(a->r->nlu, t, family) == n && memcmp(stem, family, n) == 0;
}

/* "Which of them" means rows narrowed by filters of the session context. Returns true when one of
 * these filters does not narrow the chosen tool. */
static bool needs_dropped_filter(const struct word_check *a, size_t i)
{
	const json_t *filters = json_object_get(a->r->in->session_context, "filters"), *value;
	const char *name;

	if (!word_points_at_rows(&a->r->q, i) || context_has_tool(a))
		return false;
	json_object_foreach((json_t *)filters, name, value) {
		const char *filter = followup_filter_name(a->r->nlu, name, a->r->arena);

		if (strcmp(filter, FILTER_TOP_N) == 0)
			return true;
		if (!followup_dimension(a->r->nlu->catalog, filter) &&
		    strcmp(filter, FILTER_START) != 0 && strcmp(filter, FILTER_END) != 0)
			continue;
		if (!facts_get(&a->r->facts, filter) ||
		    !candidate_param(a->c->fit.candidate, filter))
			return true;
	}
	return false;
}

static bool is_accounted(const struct word_check *a, size_t i)
{
	const struct question *q = &a->r->q;
	const struct token *t = &q->tokens[i];

	if (word_is_row_reference(q, i))
		return false;
	if (is_used(a, i) || (t->used && takes_tool_word_value(a, i)))
		return true;
	if (is_hidden(a, t))
		return false;
	if (is_part_of_exclusion(a, i))
		return true;
	if (token_in_list(t, WORDS_NEGATION) || token_in_list(t, WORDS_EXCLUSION_CUES))
		return negation_is_accounted(a, i);
	if (token_in_list(t, WORDS_GROUPING))
		return grouping_is_accounted(a, i);
	if (token_in_list(t, WORDS_EXCLUSION_AFTER_NOUN) &&
	    (token_in_list(t, WORDS_COMPARISON) || is_used(a, next_content_word(a, i))))
		return minus_is_accounted(a, i);
	if (token_in_list(t, WORDS_COMPARISON))
		return comparison_is_accounted(a, i);
	if (token_in_list(t, WORDS_NARROWING))
		return narrowing_is_accounted(a, i);
	if (token_in_list(t, WORDS_SUPERLATIVE))
		return superlative_is_accounted(a, i);
	if (words_at(q, i, WORDS_COUNTING) > 0)
		return count_is_accounted(a, i + words_at(q, i, WORDS_COUNTING) - 1);
	if (token_in_list(t, WORDS_WHO))
		return person_is_accounted(a, i);
	if (words_at(q, i, WORDS_DURATION) > 0)
		return a->r->nlu->vocabulary->has_duration[a->tool->index];
	if (words_at(q, i, WORDS_WHY) > 0)
		return a->r->nlu->vocabulary->has_reasons[a->tool->index];
	if (word_is_unsupported_request(a->r, i))
		return false;
	if (token_in_list(t, WORDS_TOTALS) && a->c->fit.calls > 1) /* of several answers */
		return false;
	if (word_is_aggregate(a->r, i))
		return word_origins(a, t) ||
		       (token_in_list(t, WORDS_TOTALS) && (word_origins(a, t + 1) & TOTALLED));
	if (token_in_list(t, WORDS_RECENCY))
		return a->newest || word_origins(a, t);
	if (token_in_list(t, WORDS_QUALIFIERS))
		return word_origins(a, t);
	if (replace_is_other(a->r, i) || is_unnamed_one(a, i) || is_missed_value(a, t) ||
	    needs_dropped_filter(a, i))
		return false;
	if (word_is_predicate_adjective(q, i))
		return word_origins(a, t) && is_literal(a, t);
	if (t->number >= 0 ||
	    (token_number(t) > 1 && time_unit_of(token_at(q, i + 1)) != UNIT_NONE))
		return repeats_number(a, token_number(t)); /* "five years later" */
	/* A measure of the map that the tool does not have. The word may still occur in the
	 * domain's texts, or be a form of a neutral word ("actuals"). */
	if ((word_origins(a, t) & ~FROM_DOMAIN) == 0 && !token_in_list(t, WORDS_NEUTRAL) &&
	    map_words_measure_at(a->r->nlu, q, i))
		return false;
	/* "good" is neutral unless it is a value */
	return word_origins(a, t) ||
	       (is_neutral(a, t) && !mention_is_missed_value(a->r, i, true)) ||
	       (a->r->text_score.unknown_words <= UNKNOWN_WORDS_MAX && is_misspelled_neutral(a, t));
}

/* The number of words of a phrase that asks for an analysis; 0: none. The tool must not use its
 * content words, or it must have none, as in "stand out" or "more and more". */
static size_t analysis_words(const struct word_check *a, size_t i)
{
	size_t n = map_words_cue_length(a->r->nlu, &a->r->q, i), used = 0, content = 0;

	for (size_t at = i; at < i + n; at++) {
		const struct token *t = &a->r->q.tokens[at];
		bool has_word = is_used(a, at) || word_origins(a, t);

		content += !nlu_is_stop_word(a->r->nlu, t);
		used += has_word || (nlu_is_stop_word(a->r->nlu, t) && content > 0);
	}
	return n > 1 && used < n ? n : 0;
}

/* "In total" for several calls, each of which has its own total. */
static bool is_total_of_several(const struct word_check *a, size_t i, size_t n)
{
	for (size_t at = i; at < i + n && a->c->fit.calls > 1; at++)
		if (token_in_list(&a->r->q.tokens[at], WORDS_TOTALS))
			return true;
	return false;
}

/* Marks as unused a cue and its object: "since the last audit". */
static void mark_unused(const struct word_check *a, size_t i)
{
	const struct question *q = &a->r->q;
	size_t to = token_in_list(&q->tokens[i], WORDS_NARROWING) ||
				    token_in_list(&q->tokens[i], WORDS_GROUPING)
			    ? next_content_word(a, i)
			    : i;

	a->unused[i] = true;
	for (; i <= to && i < q->count && !is_used(a, i); i++)
		a->unused[i] = true;
}

/* The end of a run of unused words, including short words between them. */
static size_t phrase_end(const struct word_check *a, size_t i)
{
	const struct question *q = &a->r->q;
	size_t to = i + 1;

	for (size_t at = to; at < q->count && at <= to + 1 && !q->tokens[at].starts_sentence &&
			     q->tokens[at].separator == ' ' && !is_used(a, at);
	     at++)
		if (a->unused[at])
			to = at + 1;
	return to;
}

/* The end of the used words from `i` to `to`, without link words that belong to unused words:
 * "in the last 0 days". */
static size_t trim_links(const struct word_check *a, size_t i, size_t to)
{
	const struct question *q = &a->r->q;

	while (to < q->count && to > i && !is_used(a, to - 1) &&
	       token_in_list(&q->tokens[to - 1], WORDS_EXCLUSION_LINKS))
		to--;
	return to;
}

/* The question without its unused words. NULL: the rest has no subject. */
static const char *text_without_unused(const struct reading *r, const struct word_check *a)
{
	const struct question *q = &r->q;
	const char *text;
	struct buf b;

	if (!has_subject(a))
		return NULL;

	buf_init(&b, QUESTION_BYTES);
	for (size_t i = 0, to; i < q->count; i = to) {
		for (to = i; to < q->count && !a->unused[to]; to++)
			;
		if (trim_links(a, i, to) > i) {
			buf_str(&b, b.n > 0 ? " " : "");
			buf_str(&b, text_between(q, i, trim_links(a, i, to), r->arena));
		}
		for (; to < q->count && a->unused[to]; to++)
			;
	}
	text = arena_strdup(r->arena, b.n > 0 ? buf_text(&b) : "");
	buf_deinit(&b);
	return text;
}

bool word_is_cue(const struct reading *r, size_t i)
{
	static const enum words CUES[] = {WORDS_NEGATION,   WORDS_EXCLUSION_CUES, WORDS_GROUPING,
					  WORDS_COMPARISON, WORDS_NARROWING,      WORDS_SUPERLATIVE,
					  WORDS_RECENCY,    WORDS_QUALIFIERS};
	const struct token *t = &r->q.tokens[i];

	for (size_t c = 0; c < sizeof(CUES) / sizeof(*CUES); c++)
		if (token_in_list(t, CUES[c]))
			return true;
	return t->number >= 0 || words_at(&r->q, i, WORDS_COUNTING) > 0;
}

bool word_is_neutral(const struct reading *r, size_t i)
{
	return !word_is_cue(r, i) && !word_is_predicate_adjective(&r->q, i) &&
	       !word_is_unsupported_request(r, i) && !word_is_aggregate(r, i) &&
	       words_at(&r->q, i, WORDS_WHY) == 0 && has_no_meaning(r->nlu, &r->q.tokens[i]);
}

/* A word that only names a hidden column stays unused: other columns must not answer it. */
static void find_hidden_columns(struct word_check *a)
{
	const struct nlu *k = a->r->nlu;
	const struct principal *who = a->r->in->may->who;
	bool hides = false;

	dict_init(&a->hidden, a->r->arena);
	for (size_t i = 0; who && i < a->tool->column_count && !hides; i++)
		hides = a->tool->columns[i].permission && !may(who, a->tool->columns[i].permission);
	for (int shown = 0; hides && shown <= 1; shown++)
		for (size_t i = 0; i < a->tool->column_count; i++) {
			const struct column_def *c = &a->tool->columns[i];

			if (shown == (!c->permission || may(who, c->permission)))
				label_put(k, &a->hidden, c, !shown);
		}
}

bool time_is_tool_today(const struct reading *r, const struct tool_def *t)
{
	char stem[STEM_BYTES];

	if (!t || !reading_is_one_day(r) ||
	    date_to_days(r->time.start) != date_to_days(r->in->today))
		return false;
	for (size_t i = 0; i < r->q.count; i++) {
		size_t n = nlu_canonical_stem(r->nlu, &r->q.tokens[i], stem);
		int from = dict_find(&r->nlu->vocabulary->tools[t->index], stem, n);

		if (word_is_time(r, i) && from >= 0 && (from & FROM_ABOUT))
			return true;
	}
	return false;
}

void unused_words_find(struct reading *r, const struct choice *c, struct understanding *out)
{
	const struct tool_vocabulary *all = r->nlu->vocabulary;
	const struct tool_def *def = candidate_tool(c->fit.candidate);
	size_t tool = def->index;
	struct word_check a = {.r = r,
			       .c = c,
			       .tool = def,
			       .tool_words = &all->tools[tool],
			       .domain_words = &all->domains[c->domain->index],
			       .ranks = all->ranks[tool],
			       .newest = all->newest[tool],
			       .compares = all->compares[tool],
			       .unused = arena_alloc(r->arena, r->q.count + 1)};
	const char **unused;
	size_t n = 0;

	find_hidden_columns(&a);
	for (size_t i = 0; i < r->q.count; i++) {
		size_t neutral = words_at(&r->q, i, WORDS_NEUTRAL);
		size_t self = words_at(&r->q, i, WORDS_SELF_DESCRIPTION);
		size_t analysis = r->q.tokens[i].used ? 0 : analysis_words(&a, i);

		if (self > 0) /* "I'm a developer": describes the user */
			i += self;
		else if (neutral > 1 && !is_total_of_several(&a, i, neutral)) /* "by the way" */
			i += neutral - 1;
		else if (exclusion_words(&a, i) > 0)
			i += exclusion_words(&a, i) - 1;
		else if (analysis > 0)
			memset(a.unused + i, true, analysis);
		else if (!is_accounted(&a, i))
			mark_unused(&a, i);
	}
	unused = arena_alloc(r->arena, (NLU_UNUSED_MAX + 1) * sizeof(*unused));
	for (size_t i = 0, to; i < r->q.count && n < NLU_UNUSED_MAX; i = to) {
		to = i + 1;
		if (!a.unused[i])
			continue;
		to = phrase_end(&a, i);
		unused[n++] = text_between(&r->q, i, to, r->arena);
		memset(a.unused + i, true, to - i);
	}
	out->unused = unused;
	out->unused_count = n;
	out->question_without_unused = n > 0 ? text_without_unused(r, &a) : NULL;
}
