/*
 * Builds the index, and understands questions with one or several subjects.
 */
#include "nlu_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/mem.h"

#define NLU_ARENA_BYTES (512 * 1024 * 1024)

/* Returns true when the stem belongs to a pack noun that is not in the list. "Projected" is a
 * synonym of forecast, "project" is not. */
static bool is_unlisted_noun(const struct nlu *k, const char *const *list, const char *stem,
			     size_t n)
{
	char other[STEM_BYTES];

	for (const char *const *noun = k->catalog->words.nouns; *noun; noun++) {
		if (word_stem(*noun, strlen(*noun), other) != n || memcmp(other, stem, n) != 0)
			continue;
		for (const char *const *word = list; *word; word++)
			if (strcmp(*word, *noun) == 0)
				return false;
		return true;
	}
	return false;
}

/* Maps the words of each list to its first word. If several lists have a word, the first wins. */
static void add_synonyms(struct nlu *k, const char *const *const *lists, size_t count, bool of_pack)
{
	char stem[STEM_BYTES];

	for (size_t i = 0; i < count; i++) {
		k->meanings[k->meaning_count] = lists[i][0];
		for (const char *const *word = lists[i]; *word; word++) {
			size_t n = word_stem(*word, strlen(*word), stem);

			if (dict_find(&k->synonyms, stem, n) < 0)
				dict_put(&k->synonyms, stem, n, (int)k->meaning_count);
			if (of_pack)
				dict_put(&k->pack_words, stem, n, 1);
			if (is_unlisted_noun(k, lists[i], stem, n)) {
				dict_put(&k->noun_forms, *word, strlen(*word),
					 (int)k->meaning_count);
				dict_put(&k->noun_stems, stem, n, 1);
			}
		}
		k->meaning_count++;
	}
}

static void add_words(struct nlu *k)
{
	const struct language *l = k->catalog->language;
	const struct pack_words *w = &k->catalog->words;

	dict_init(&k->stop_words, k->arena);
	dict_init(&k->synonyms, k->arena);
	dict_init(&k->noun_forms, k->arena);
	dict_init(&k->noun_stems, k->arena);
	dict_init(&k->pack_words, k->arena);
	k->meanings = arena_alloc(k->arena,
				  (l->synonym_count + w->synonym_count + 1) * sizeof(*k->meanings));
	add_synonyms(k, w->synonyms, w->synonym_count, true);
	add_synonyms(k, l->synonyms, l->synonym_count, false);
	for (const char *const *word = w->stop; *word; word++)
		dict_put(&k->stop_words, *word, strlen(*word), 1);
}

/* Indexes glossary terms and the words of other languages. */
static void index_topics(struct nlu *k)
{
	const struct language *l = k->catalog->language;
	const struct pack_words *w = &k->catalog->words;
	struct topic *terms = arena_alloc(k->arena, (w->glossary_count + 1) * sizeof(*terms));

	for (size_t i = 0; i < w->glossary_count; i++) {
		const char **phrases = arena_alloc(k->arena, 2 * sizeof(*phrases));

		phrases[0] = w->glossary[i].term;
		phrases[1] = NULL;
		terms[i] = (struct topic){
			.phrases = phrases, .unless = phrases + 1, .answer = w->glossary[i].about};
	}
	k->glossary = topics_new(k->arena, terms, w->glossary_count, NULL, 0);
	k->foreign = arena_alloc(k->arena, (l->foreign_count + 1) * sizeof(*k->foreign));
	for (size_t f = 0; f < l->foreign_count; f++) {
		dict_init(&k->foreign[f], k->arena);
		for (const char *const *word = l->foreign[f].phrases; *word; word++) {
			struct folded key;

			text_fold(*word, &key);
			dict_put(&k->foreign[f], key.key, key.len, 1);
		}
	}
}

struct nlu *nlu_new(const struct catalog *c)
{
	struct nlu *k = mem_alloc(sizeof(*k));

	k->catalog = c;
	k->arena = arena_new(NLU_ARENA_BYTES);
	dict_init(&k->prepositions, k->arena);
	add_words(k);
	k->names = entity_index_new(c);
	params_index(k);
	k->router = router_new(k);
	k->spelling = spelling_new(k);
	k->flow_arena = k->arena;
	k->flows = flow_words_new(k);
	k->map_words = map_words_new(k, k->arena, k->catalog);
	k->vocabulary = tool_vocabulary_new(k);
	index_topics(k);
	k->refuser = refuser_new(k);
	k->examples = examples_new(k);
	return k;
}

struct nlu *nlu_with_overlay(const struct nlu *base, const struct catalog *c)
{
	struct nlu *k = mem_alloc(sizeof(*k));

	*k = *base;
	k->catalog = c;
	k->arena = NULL; /* the base owns the index, except for flows, map words and names */
	k->flow_arena = arena_new(FLOW_WORDS_BYTES_MAX);
	k->flows = flow_words_new(k);
	k->map_words = map_words_new(k, k->flow_arena, base->catalog);
	k->names = entity_index_new(c);
	return k;
}

void nlu_free(struct nlu **k)
{
	if (!*k)
		return;
	entity_index_free(&(*k)->names);
	map_words_deinit((*k)->map_words);
	if ((*k)->arena) {
		refuser_deinit((*k)->refuser);
		examples_deinit((*k)->examples);
	} else {
		arena_free(&(*k)->flow_arena);
	}
	arena_free(&(*k)->arena);
	mem_free(*k);
	*k = NULL;
}

struct entity_index *nlu_names(struct nlu *k)
{
	return k->names;
}

bool nlu_is_stop_word(const struct nlu *k, const struct token *t)
{
	return token_in_list(t, WORDS_STOP) || dict_find(&k->stop_words, t->text, t->len) >= 0;
}

bool nlu_is_known_word(const struct nlu *k, const struct token *t)
{
	char stem[STEM_BYTES];
	size_t n = word_stem(t->text, t->len, stem);

	return nlu_is_stop_word(k, t) || dict_find(&k->synonyms, stem, n) >= 0 ||
	       router_has_word(k->router, stem, n);
}

bool nlu_is_pack_word(const struct nlu *k, const char *word)
{
	char stem[STEM_BYTES];
	size_t n = word_stem(word, strlen(word), stem);

	return router_has_word(k->router, stem, n) || dict_find(&k->pack_words, stem, n) >= 0;
}

const char *filter_source_name(enum filter_source s)
{
	static const char *const names[] = {"said", "alias", "default", "carried", "edited"};

	assert(s <= SOURCE_EDITED);
	return names[s];
}

/* ---- several subjects ---- */

static void add_agents(struct understanding *all, const struct understanding *one, struct arena *a)
{
	const char **agents =
		arena_alloc(a, (all->agent_count + one->agent_count) * sizeof(*agents));
	size_t n = all->agent_count;

	if (n > 0)
		memcpy(agents, all->agents, n * sizeof(*agents));
	for (size_t i = 0; i < one->agent_count; i++)
		agents[n++] = one->agents[i];
	all->agents = agents;
	all->agent_count = n;
}

static void add_unused(struct understanding *all, const struct understanding *one, struct arena *a)
{
	const char **unused =
		arena_alloc(a, (all->unused_count + one->unused_count + 1) * sizeof(*unused));
	size_t n = all->unused_count;

	if (n > 0)
		memcpy(unused, all->unused, n * sizeof(*unused));
	for (size_t i = 0; i < one->unused_count; i++)
		unused[n++] = one->unused[i];
	all->unused = unused;
	all->unused_count = n;
}

static void add_tools(struct understanding *all, const struct understanding *one, struct arena *a)
{
	struct nlu_call *tools =
		arena_alloc(a, (all->tool_count + one->tool_count) * sizeof(*tools));

	if (all->tool_count > 0)
		memcpy(tools, all->tools, all->tool_count * sizeof(*tools));
	if (one->tool_count > 0)
		memcpy(tools + all->tool_count, one->tools, one->tool_count * sizeof(*tools));
	all->tools = tools;
	all->tool_count += one->tool_count;
}

/* If two parts have the same filter, the first part's value wins. */
static void add_filters(struct understanding *all, const struct understanding *one, struct arena *a)
{
	struct filter *filters =
		arena_alloc(a, (all->filter_count + one->filter_count) * sizeof(*filters));
	size_t n = all->filter_count;

	if (n > 0)
		memcpy(filters, all->filters, n * sizeof(*filters));
	for (size_t i = 0; i < one->filter_count; i++) {
		bool exists = false;

		for (size_t p = 0; p < n; p++)
			exists = exists || strcmp(filters[p].name, one->filters[i].name) == 0;
		if (!exists)
			filters[n++] = one->filters[i];
	}
	all->filters = filters;
	all->filter_count = n;
}

/* Reads each part as a separate question. Returns false when a part is not about data, or two parts
 * have the same agent. The caller then reads the question as one. */
static bool understand_parts(const struct nlu *k, const struct nlu_input *in,
			     const char *const *texts, size_t count, struct arena *a,
			     struct understanding *out)
{
	struct understanding all = {.kind = NLU_DATA, .intent = "multi_domain", .confidence = 1};

	for (size_t i = 0; i < count; i++) {
		struct nlu_input part = *in;
		struct understanding one;
		struct question q;

		part.question = texts[i];
		text_tokenize(k->catalog->language, texts[i], a, &q);
		understand_single(k, &part, &q, a, &one);
		if (one.kind != NLU_DATA || one.agent_count == 0)
			return false;
		for (size_t n = 0; n < all.agent_count; n++)
			if (strcmp(all.agents[n], one.agents[0]) == 0)
				return false;
		add_agents(&all, &one, a);
		add_tools(&all, &one, a);
		add_filters(&all, &one, a);
		add_unused(&all, &one, a);
		if (one.ask.text && !all.ask.text) {
			all.ask = one.ask;
			all.ask_tool = one.ask_tool;
		}
		if (one.confidence < all.confidence)
			all.confidence = one.confidence;
	}
	if (all.ask.text) {
		all.tools = NULL;
		all.tool_count = 0;
	}
	*out = all;
	return true;
}

/* Splits a question that led to a clarifying question into two halves. Returns true when both
 * halves are understood with confidence and need no clarifying question. */
static bool understand_halves(const struct nlu *k, const struct nlu_input *in,
			      const struct question *q, struct arena *a, struct understanding *out)
{
	const char *const(*halves)[2];
	size_t count = parts_halves(in, q, a, &halves);

	for (size_t i = 0; i < count; i++) {
		struct understanding both;

		if (understand_parts(k, in, halves[i], 2, a, &both) && !both.ask.text &&
		    both.tool_count > 0 && both.confidence >= NLU_CONFIDENT) {
			*out = both;
			return true;
		}
	}
	return false;
}

void nlu_understand(const struct nlu *k, const struct nlu_input *in, struct arena *a,
		    struct understanding *out)
{
	const char *const *texts = NULL;
	struct nlu_input prepared = *in;
	const char *text;
	struct question q;
	size_t parts;

	text_tokenize(k->catalog->language, in->question ? in->question : "", a, &q);
	in = &prepared;
	for (size_t i = 0; i < 2; i++) {
		text = i == 0 ? request_text(k, in, &q, a) : rows_text(k, in, &q, a);
		if (!text)
			continue;
		prepared.question = text;
		prepared.refers_to_row = i == 1;
		text_tokenize(k->catalog->language, text, a, &q);
	}
	if (!in->edited_filters && description_understand(k, in, &q, a, out))
		return;
	parts = in->edited_filters ? 0 : parts_of(k, in, &q, a, &texts);
	if (parts > 1 && understand_parts(k, in, texts, parts, a, out))
		return;
	understand_single(k, in, &q, a, out);
	if (!in->edited_filters && out->ask.text && !out->ask.unknown &&
	    out->confidence < NLU_CONFIDENT)
		(void)understand_halves(k, in, &q, a, out);
}
