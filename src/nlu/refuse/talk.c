/* Recognizes input that is not a question about data: greetings, requests for help or for the
 * meaning of a term, orders, and other languages. */
#include "nlu_int.h"

#include <string.h>

static bool is_greeting(const struct question *q)
{
	if (!words_in(q, WORDS_GREETINGS))
		return false;
	for (size_t i = 0; i < q->count; i++)
		if (!token_in_list(&q->tokens[i], WORDS_GREETINGS) &&
		    !token_in_list(&q->tokens[i], WORDS_GREETING_FILLERS))
			return false;
	return true;
}

#define HELP_WORDS 3 /* "help me please" */

static bool is_help(const struct question *q)
{
	return (q->count <= HELP_WORDS && words_in(q, WORDS_HELP)) ||
	       words_in(q, WORDS_HELP_PHRASES);
}

enum small_talk small_talk_of(const struct question *q)
{
	if (is_greeting(q))
		return words_in(q, WORDS_THANKS) ? TALK_THANKS : TALK_GREETING;
	if (words_in(q, WORDS_UPLOADING))
		return TALK_UPLOAD;
	return is_help(q) ? TALK_HELP : TALK_NONE;
}

/* ---- orders ---- */

bool talk_is_command(const struct question *q)
{
	for (size_t i = 0; i < q->count; i++) {
		const struct token *t = &q->tokens[i];

		if (token_in_list(t, WORDS_COMMANDS) && i + 1 < q->count &&
		    words_at(q, i, WORDS_NEUTRAL) < 2) /* "send me" is a request */
			return true;
		if (!token_in_list(t, WORDS_POLITE))
			return false;
	}
	return false;
}

/* ---- terms ---- */

const char *talk_definition(const struct nlu *k, const struct question *q, bool alone)
{
	bool defines = words_in(q, WORDS_DEFINITION);
	const struct topic *term = NULL;
	size_t len;

	if (!defines && !alone)
		return NULL;
	for (size_t i = 0; i < q->count; i++) {
		const struct topic *found = topics_at(k->glossary, q, i, &len);

		if (found && term)
			return NULL;
		if (found) {
			term = found;
			i += len - 1;
		} else if (!defines) {
			return NULL;
		} else if (!nlu_is_stop_word(k, &q->tokens[i]) &&
			   !token_in_list(&q->tokens[i], WORDS_DEFINITION) &&
			   !token_in_list(&q->tokens[i], WORDS_NEUTRAL)) {
			return NULL;
		}
	}
	return term ? term->answer : NULL;
}

/* Returns true for "what does X mean". The verb must end the clause: not "mean price". */
static bool asks_by_verb(const struct question *q)
{
	if (!words_in(q, WORDS_MEANING_OPENING))
		return false;
	for (size_t i = 0; i < q->count; i++)
		if (token_in_list(&q->tokens[i], WORDS_MEANING_VERB) &&
		    (i + 1 == q->count || q->tokens[i + 1].separator != ' ' ||
		     token_in_list(&q->tokens[i + 1], WORDS_PREPOSITIONS)))
			return true;
	return false;
}

bool talk_asks_meaning(const struct reading *r)
{
	const struct parsed_time *t = &r->time;

	/* "what does off-peak mean" names hours but does not filter by them */
	return (asks_by_verb(&r->q) || (words_in(&r->q, WORDS_MEANING) && !t->hours)) &&
	       t->year_count == 0 && t->asof_count == 0 && !t->months && !t->has_start &&
	       !t->has_end && r->constraint_count == 0;
}

/* Returns true when the value directly follows the cue: "what is an X", "meaning of the X". */
static bool follows_meaning_cue(const struct question *q, size_t from)
{
	for (size_t i = 0; i < from; i++) {
		size_t at = i + words_at(q, i, WORDS_MEANING);

		while (at > i && at < from && token_in_list(&q->tokens[at], WORDS_ARTICLES))
			at++;
		if (at == from)
			return true;
	}
	return false;
}

/* Returns true for a value listed by a pack. Names found only in the data are subjects of
 * questions, not terms. */
static bool is_listed(const struct reading *r, const struct mention *m)
{
	return m->count > 0 && !names_loaded(r->names, m->candidates[0].dimension) &&
	       (asks_by_verb(&r->q) || follows_meaning_cue(&r->q, m->from));
}

const char *talk_value_definition(const struct reading *r)
{
	const struct language *l = r->nlu->catalog->language;
	const struct mention *of = NULL;
	const struct entry *e;
	const char *term;

	for (size_t i = 0; i < r->mention_count; i++) {
		if (of || !is_listed(r, &r->mentions[i]))
			return NULL;
		of = &r->mentions[i];
	}
	for (size_t i = 0; i < r->q.count; i++) {
		const struct token *t = &r->q.tokens[i];

		if (!t->used && !nlu_is_known_word(r->nlu, t) &&
		    !token_in_list(t, WORDS_DEFINITION) && !token_in_list(t, WORDS_NEUTRAL))
			return NULL;
	}
	if (!of)
		return NULL;
	e = &of->candidates[0];
	term = text_between(&r->q, of->from, of->to, r->arena);
	if (strcasecmp(term, e->value) == 0)
		return sentence(l, SAY_REPLY_VALUE, r->arena, term, e->dimension->label);
	return sentence(l, SAY_REPLY_STANDS_FOR, r->arena, term, e->value, e->dimension->label);
}

/* ---- other languages ---- */

#define FOREIGN_LEAST 2 /* one word may match another language by chance */

const char *talk_foreign_reply(const struct nlu *k, const struct question *q)
{
	const struct language *l = k->catalog->language;
	size_t most = 0, own = 0, best = 0;

	for (size_t i = 0; i < q->count; i++)
		own += nlu_is_stop_word(k, &q->tokens[i]);
	for (size_t f = 0; f < l->foreign_count; f++) {
		size_t n = 0;

		for (size_t i = 0; i < q->count; i++)
			n += dict_find(&k->foreign[f], q->tokens[i].text, q->tokens[i].len) >= 0;
		if (n > most) {
			most = n;
			best = f;
		}
	}
	return most >= FOREIGN_LEAST && most > own ? l->foreign[best].answer : NULL;
}
