/*
 * Topics: phrases of a pack or language that classify a question as out of scope or impossible.
 * Phrases match word by word, in singular or plural.
 */
#include "nlu_int.h"

#include <string.h>

struct topic_phrase {
	const struct topic *topic;
	struct question words;
	const struct topic_phrase *next; /* next phrase with the same first word */
};

struct topics {
	struct dict first; /* word -> index of its chain */
	const struct topic_phrase **chains;
	size_t count;
};

static bool is_word_or_plural(const struct token *t, const struct token *word)
{
	return strncmp(t->text, word->text, word->len) == 0 &&
	       (t->len == word->len || (t->len == word->len + 1 && t->text[word->len] == 's'));
}

static bool phrase_is_at(const struct question *q, size_t i, const struct question *phrase)
{
	if (i + phrase->count > q->count)
		return false;
	for (size_t n = 0; n < phrase->count; n++)
		if (!is_word_or_plural(&q->tokens[i + n], &phrase->tokens[n]))
			return false;
	return phrase->count > 0;
}

static void add_first(struct topics *t, const struct topic_phrase *p, const char *word)
{
	size_t len = strlen(word);
	int chain = dict_find(&t->first, word, len);
	struct topic_phrase *own = arena_alloc(t->first.arena, sizeof(*own));

	if (chain < 0) {
		chain = (int)t->count++;
		dict_put(&t->first, word, len, chain);
	}
	*own = *p;
	own->next = t->chains[chain];
	t->chains[chain] = own;
}

static void add_topic(struct topics *t, const struct topic *topic)
{
	struct arena *a = t->first.arena;

	for (const char *const *phrase = topic->phrases; *phrase; phrase++) {
		struct topic_phrase p = {.topic = topic};

		text_tokenize(NULL, *phrase, a, &p.words);
		if (p.words.count == 0)
			continue;
		add_first(t, &p, p.words.tokens[0].text);
		add_first(t, &p, arena_printf(a, "%ss", p.words.tokens[0].text));
	}
}

static size_t phrase_count(const struct topic *list, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		for (const char *const *phrase = list[i].phrases; *phrase; phrase++)
			n++;
	return n;
}

const struct topics *topics_new(struct arena *a, const struct topic *list, size_t count,
				const struct topic *more, size_t more_count)
{
	struct topics *t = arena_alloc(a, sizeof(*t));
	size_t phrases = phrase_count(list, count) + phrase_count(more, more_count);

	dict_init(&t->first, a);
	t->chains = arena_alloc(a, (2 * phrases + 1) * sizeof(*t->chains));
	/* The last phrase added is the first one found. */
	for (size_t i = 0; i < more_count; i++)
		add_topic(t, &more[i]);
	for (size_t i = 0; i < count; i++)
		add_topic(t, &list[i]);
	return t;
}

const struct topic *topics_at(const struct topics *t, const struct question *q, size_t i,
			      size_t *len)
{
	int chain = dict_find(&t->first, q->tokens[i].text, q->tokens[i].len);
	const struct topic *found = NULL;

	*len = 0;
	for (const struct topic_phrase *p = chain < 0 ? NULL : t->chains[chain]; p; p = p->next)
		if (p->words.count > *len && phrase_is_at(q, i, &p->words)) {
			found = p->topic;
			*len = p->words.count;
		}
	return found;
}

bool topics_mention(const struct question *q, const char *const *words)
{
	for (; words && *words; words++)
		for (size_t i = 0; i < q->count; i++)
			if (strcmp(q->tokens[i].text, *words) == 0)
				return true;
	return false;
}
