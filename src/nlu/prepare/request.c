/*
 * Finds the request after a greeting: "Good morning! I hope your week is going well. Could you
 * please show me ...? Thanks!" The text in between is skipped only if it contains no filter. It
 * must not contain a known or possible name or a time, and the request must not refer to it. Each
 * of its words must be neutral, or small talk about work in the language file. Otherwise the whole
 * text is the question. Closing thanks are skipped by the same rule.
 */
#include "nlu_int.h"

#include <string.h>

#define GREETING_WORDS 2 /* "good morning" */
#define REQUEST_WORDS  2 /* "could you" */
#define STORY_WORDS    3 /* shortest text that can be skipped */
#define CONTENT_WORDS  2

static bool starts_with_greeting(const struct question *q)
{
	for (size_t i = 0; i < GREETING_WORDS && i < q->count; i++)
		if (token_in_list(&q->tokens[i], WORDS_GREETINGS))
			return true;
	return false;
}

/* The number of consecutive polite words at token i. */
static size_t polite_at(const struct question *q, size_t i)
{
	size_t n = 0;

	while (i + n < q->count && token_in_list(&q->tokens[i + n], WORDS_POLITE) &&
	       (n == 0 || !q->tokens[i + n].starts_sentence))
		n++;
	return n;
}

/* Returns true for today's date. In small talk it is the day of the question; any other time may be
 * a filter. */
static bool is_today(const struct reading *r, const struct fact *f)
{
	bool time = strcmp(f->filter, FILTER_START) == 0 || strcmp(f->filter, FILTER_END) == 0;

	return time && reading_is_one_day(r) &&
	       date_to_days(r->time.start) == date_to_days(r->in->today);
}

/* Returns true for a capitalized word within a sentence, which is a name. */
static bool is_name(const struct token *t)
{
	return t->capitalized && !t->starts_sentence && !t->known && t->len > 1;
}

/* Returns true for a word that is no filter in any position. "Those without permits" refers to the
 * requested items. */
static bool is_small_talk(const struct reading *r, size_t i)
{
	const struct token *t = &r->q.tokens[i];

	if (word_is_cue(r, i) || token_in_list(t, WORDS_REFERRING))
		return false;
	return word_is_neutral(r, i) ||
	       (token_in_list(t, WORDS_WORK_SMALL_TALK) && !nlu_is_pack_word(r->nlu, t->text));
}

static bool is_accounted_for(const struct reading *r)
{
	for (size_t i = 0; i < r->q.count;) {
		size_t phrase = words_at(&r->q, i, WORDS_NEUTRAL);

		if (phrase < 2 && !is_small_talk(r, i))
			return false;
		i += phrase > 1 ? phrase : 1;
	}
	return true;
}

static bool has_no_filters(const struct nlu *k, const struct nlu_input *in, const char *story,
			   struct arena *a)
{
	struct nlu_input alone = *in;
	struct reading r = {.nlu = k, .in = &alone, .arena = a};

	alone.question = story;
	text_tokenize(k->catalog->language, story, a, &r.q);
	if (words_in(&r.q, WORDS_EXCLUSION_CUES))
		return false;
	for (size_t i = 0; i < r.q.count; i++)
		if (r.q.tokens[i].has_digit || is_name(&r.q.tokens[i]))
			return false;
	reading_begin(&r);
	for (size_t i = 0; i < r.facts.count; i++)
		if (!r.facts.items[i].has_tool_words_only && !r.facts.items[i].implied &&
		    r.facts.items[i].source != SOURCE_DEFAULT && !is_today(&r, &r.facts.items[i]))
			return false;
	return r.constraint_count == 0 && is_accounted_for(&r);
}

/* The start of the last request without a known name or time before it; 0: none. */
static size_t request_start(const struct nlu *k, const struct nlu_input *in,
			    const struct question *q, struct arena *a)
{
	for (size_t i = q->count; i-- > STORY_WORDS;)
		if (polite_at(q, i) >= REQUEST_WORDS &&
		    !token_in_list(&q->tokens[i - 1], WORDS_POLITE) &&
		    i + polite_at(q, i) + CONTENT_WORDS <= q->count &&
		    has_no_filters(k, in, text_between(q, 0, i, a), a))
			return i;
	return 0;
}

/* The end of the text without closing thanks. */
static size_t end_without_thanks(const struct nlu *k, const struct nlu_input *in,
				 const struct question *q, struct arena *a)
{
	size_t end = q->count;

	for (size_t i = q->count; i-- > 0;) {
		bool thanks = false;

		if (!q->tokens[i].starts_sentence)
			continue;
		for (size_t t = i; t < end; t++)
			thanks = thanks || token_in_list(&q->tokens[t], WORDS_THANKS);
		if (!thanks || !has_no_filters(k, in, text_between(q, i, end, a), a))
			break;
		end = i;
	}
	return end;
}

/* Returns true when the request refers to the skipped text: "how its views are trending". */
static bool points_back(const struct question *q, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (token_in_list(&q->tokens[i], WORDS_THIRD_PERSON) ||
		    token_in_list(&q->tokens[i], WORDS_FOLLOWUP_ANYWHERE))
			return true;
	return false;
}

const char *request_text(const struct nlu *k, const struct nlu_input *in, const struct question *q,
			 struct arena *a)
{
	size_t from, to;

	if (in->edited_filters || !starts_with_greeting(q) || refuse_is_injection(in, k))
		return NULL;
	from = request_start(k, in, q, a);
	to = end_without_thanks(k, in, q, a);
	return from > 0 && to > from + CONTENT_WORDS && !points_back(q, from, to)
		       ? text_between(q, from, to, a)
		       : NULL;
}
