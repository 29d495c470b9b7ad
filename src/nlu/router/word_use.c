/*
 * Determines the role of a word from its neighbours: it ends a clause, names a dimension, describes
 * what is asked for, commands, or refers to a row of the last answer.
 */
#include "tool_vocabulary.h"

#include <string.h>

bool word_ends_clause(const struct question *q, size_t i)
{
	const struct token *next = token_at(q, i + 1);

	return i + 1 >= q->count || next->starts_sentence || next->separator != ' ';
}

/* "Who sponsors it": the word is the label of a dimension. */
bool word_is_label(const struct nlu *k, const struct token *t)
{
	const struct catalog *c = k->catalog;
	char stem[STEM_BYTES], label[STEM_BYTES];
	size_t n = word_stem(t->text, t->len, stem);

	for (size_t i = 0; i < c->dimension_count; i++) {
		const char *of = c->dimensions[i].label;

		if (word_stem(of, strlen(of), label) == n && memcmp(stem, label, n) == 0)
			return true;
	}
	return false;
}

bool word_is_time(const struct reading *r, size_t i)
{
	const struct token *t = token_at(&r->q, i);

	for (size_t m = 0; m < r->mention_count; m++)
		if (i >= r->mentions[m].from && i < r->mentions[m].to)
			return false;
	return i < r->q.count && t->used && !t->is_tool_word;
}

#define HOW_WORDS 2 /* words allowed between "are" and the state: "still very" */

/* Returns true when "are" refers to the requested items: "that are", "which projects are". */
static bool describes_requested(const struct question *q, size_t being)
{
	size_t i = being;

	if (i > 1 && token_in_list(&q->tokens[i - 1], WORDS_RELATIVE_PRONOUNS) &&
	    !q->tokens[i - 1].starts_sentence)
		return true;
	while (i > 0 && !q->tokens[i].starts_sentence)
		if (token_in_list(&q->tokens[--i], WORDS_WHICH))
			return i + 1 < being;
	return false;
}

/* "Projects that are big", "which projects are new": the word describes the requested items, even
 * if it is neutral elsewhere. */
bool word_is_predicate_adjective(const struct question *q, size_t i)
{
	const struct token *t = &q->tokens[i];
	size_t at = i;

	if (t->used || t->number >= 0 || i < 2 || !word_ends_clause(q, i) ||
	    token_in_list(t, WORDS_PREPOSITIONS) || token_in_list(t, WORDS_THERE) ||
	    token_in_list(t, WORDS_EVERYTHING) || token_in_list(t, WORDS_PRONOUNS) ||
	    token_in_list(t, WORDS_THIRD_PERSON) || token_in_list(t, WORDS_POLITE))
		return false;
	while (at-- > 1 && i - at <= HOW_WORDS + 1 && !q->tokens[at + 1].starts_sentence) {
		if (token_in_list(&q->tokens[at], WORDS_TO_BE))
			return describes_requested(q, at);
		if (q->tokens[at].used || !token_in_list(&q->tokens[at], WORDS_STOP) ||
		    token_in_list(&q->tokens[at], WORDS_PREPOSITIONS) ||
		    token_in_list(&q->tokens[at], WORDS_ARTICLES))
			return false;
	}
	return false;
}

/* "…, and mail it to Bob": no tool does that; "send me" only requests the answer. */
static bool is_command(const struct question *q, size_t i)
{
	const struct token *what = token_at(q, i + 1);

	return token_in_list(&q->tokens[i], WORDS_COMMANDS) &&
	       (token_in_list(what, WORDS_PRONOUNS) ||
		token_in_list(what, WORDS_FOLLOWUP_ANYWHERE)) &&
	       !word_ends_clause(q, i + 1) && words_at(q, i + 2, WORDS_NEUTRAL) < 2;
}

/* "Morning. NP15 in 2026", "good evening": these do not name hours. */
static bool is_greeting_word(const struct question *q, size_t i)
{
	return token_in_list(&q->tokens[i], WORDS_GREETINGS) &&
	       (i == 0 || (i == 1 && token_in_list(&q->tokens[0], WORDS_GREETING_FILLERS)));
}

/* "At night" has no defined hours; "hour ending 19 in the evening" does. */
static bool is_day_part(const struct reading *r, size_t i)
{
	return token_in_list(&r->q.tokens[i], WORDS_DAY_PARTS) && r->time.hours == 0 &&
	       !is_greeting_word(&r->q, i);
}

/* "The official ones", "important projects": undefined qualities. */
static bool is_quality(const struct reading *r, size_t i)
{
	const struct token *next = token_at(&r->q, i + 1);

	return token_in_list(&r->q.tokens[i], WORDS_QUALITIES) && !word_ends_clause(&r->q, i) &&
	       (token_in_list(next, WORDS_ONES) || word_is_label(r->nlu, next));
}

/* "The mean budget", not "what does it mean": an aggregate in front of a noun. */
bool word_is_aggregate(const struct reading *r, size_t i)
{
	const struct question *q = &r->q;

	return token_in_list(&q->tokens[i], WORDS_AGGREGATES) &&
	       token_in_list(&q->tokens[i], WORDS_NEUTRAL) && !word_ends_clause(q, i) &&
	       !token_in_list(&q->tokens[i + 1], WORDS_EXCLUSION_AFTER_NOUN) &&
	       !nlu_is_stop_word(r->nlu, &q->tokens[i + 1]);
}

/* "Projects of the client", not "for the client". */
static bool is_party(const struct question *q, size_t i)
{
	size_t at = i;

	while (at > 0 && token_in_list(&q->tokens[at - 1], WORDS_ARTICLES))
		at--;
	return token_in_list(&q->tokens[i], WORDS_PARTIES) && at > 0 &&
	       token_in_list(&q->tokens[at - 1], WORDS_BELONGING);
}

/* "Of the first one", "the second one": a row of the last answer, which no tool takes. */
bool word_is_row_reference(const struct question *q, size_t i)
{
	return i > 1 && token_in_list(&q->tokens[i], WORDS_ROW_PRONOUNS) &&
	       time_unit_of(token_at(q, i + 1)) == UNIT_NONE && /* "the last one month" */
	       token_ordinal(&q->tokens[i - 1]) != 0 &&
	       token_in_list(&q->tokens[i - 2], WORDS_ARTICLES);
}

/* "Which of them", "which ones": refers to rows of the last answer. */
bool word_points_at_rows(const struct question *q, size_t i)
{
	const struct token *t = &q->tokens[i];

	if (token_in_list(t, WORDS_ONES))
		return i > 0 && token_in_list(&q->tokens[i - 1], WORDS_WHICH);
	return token_in_list(t, WORDS_THEM) || (token_in_list(t, WORDS_DEMONSTRATIVES) && i > 0 &&
						token_in_list(&q->tokens[i - 1], WORDS_BELONGING));
}

/* Returns true for an otherwise neutral word that here asks for something no tool or metric
 * provides. */
bool word_is_unsupported_request(const struct reading *r, size_t i)
{
	return is_day_part(r, i) || is_command(&r->q, i) || is_quality(r, i) || is_party(&r->q, i);
}
