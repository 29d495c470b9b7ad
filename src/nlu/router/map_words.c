/* Indexes the phrases that name the map's metrics, entities and dimensions, and finds them in a
 * question. */
#include "metrics_int.h"

#include <string.h>

#include "vesper/mem.h"

#define SCRATCH_BYTES 65536
#define CAPITALS_MAX  3 /* longer ones are unambiguous in lower case */

/* ---- the phrases ---- */

/* Returns true for a short word in capitals, such as "IT". In lower case it is another word. */
static bool is_capital(const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++)
		if (text[i] < 'A' || text[i] > 'Z')
			return false;
	return n > 1 && n <= CAPITALS_MAX;
}

/* "avg" becomes "average"; other words have no synonyms here. */
static size_t stem_of(const struct nlu *k, const struct token *t, char stem[STEM_BYTES])
{
	return token_in_list(t, WORDS_AGGREGATES) && !token_in_list(t, WORDS_TOTALS)
		       ? nlu_canonical_stem(k, t, stem)
		       : word_stem(t->text, t->len, stem);
}

static void add_phrase(struct nlu *k, struct map_words *w, const char *text,
		       const struct map_phrase *of)
{
	struct arena *scratch = arena_new(SCRATCH_BYTES);
	struct map_phrase p = *of;
	struct question q;
	char stem[STEM_BYTES];

	text_tokenize(k->catalog->language, text, scratch, &q);
	if (is_capital(text))
		p.required_spelling = text;
	for (size_t i = 0; i < q.count && p.count <= MAP_PHRASE_WORDS; i++) {
		size_t n = stem_of(k, &q.tokens[i], stem);

		if (p.count < MAP_PHRASE_WORDS)
			p.stems[p.count] = arena_strndup(w->arena, stem, n);
		p.last_word = arena_strndup(w->arena, q.tokens[i].text, q.tokens[i].len);
		p.count++;
	}
	arena_free(&scratch);
	if (p.count == 0 || p.count > MAP_PHRASE_WORDS)
		return;
	w->phrases = arena_grow(w->arena, w->phrases, w->count, &w->cap, sizeof(*w->phrases));
	w->phrases[w->count++] = p;
}

static void add_all(struct nlu *k, struct map_words *w, const char *const *texts,
		    const struct map_phrase *of)
{
	for (; texts && *texts; texts++)
		add_phrase(k, w, *texts, of);
}

static void add_entity(struct nlu *k, struct map_words *w, const struct entity_def *n)
{
	struct map_phrase of = {.entity = n};

	if (n->kind == ENTITY_LINK)
		return;
	add_phrase(k, w, n->plural, &of);
	add_all(k, w, n->synonyms, &of);
	for (size_t i = 0; i < n->levels.count; i++) {
		of.level = &n->levels.values[i];
		add_phrase(k, w, of.level->label, &of);
		add_phrase(k, w, of.level->value, &of);
	}
	of.level = NULL;
	of.singular = true;
	add_phrase(k, w, n->label, &of);
}

static void add_dimension(struct nlu *k, struct map_words *w, const struct dimension_def *d)
{
	const struct map_phrase of = {.dimension = d, .singular = true};

	if (!d->map.entity)
		return;
	add_phrase(k, w, d->label, &of);
	add_all(k, w, d->map.synonyms, &of);
	if (d->map.column != d->map.entity->title) /* "risk category" */
		add_phrase(k, w, arena_printf(w->arena, "%s %s", d->map.entity->label, d->label),
			   &(struct map_phrase){
				   .dimension = d, .singular = true, .is_adjacent = true});
}

static void add_condition(struct nlu *k, struct map_words *w, const struct condition_def *c)
{
	const struct map_phrase of = {.condition = c};

	add_phrase(k, w, c->label, &of);
	add_all(k, w, c->synonyms, &of);
}

static bool has_map_tool(const struct catalog *c)
{
	for (size_t i = 0; i < c->tool_count; i++)
		if (c->tools[i].map)
			return true;
	return false;
}

/* Adds one cue of a tool as stems. Words too long for a stem are truncated. */
static void add_cue(struct nlu *k, struct map_words *w, const struct tool_def *t, const char *text)
{
	struct arena *scratch = arena_new(SCRATCH_BYTES);
	struct map_cue cue = {.tool = t};
	struct question q;
	char stem[STEM_BYTES];

	text_tokenize(k->catalog->language, text, scratch, &q);
	for (size_t i = 0; i < q.count && i < MAP_PHRASE_WORDS; i++)
		cue.stems[cue.count++] = arena_strndup(
			w->arena, stem, word_stem(q.tokens[i].text, q.tokens[i].len, stem));
	arena_free(&scratch);
	if (cue.count == 0)
		return;
	w->cues = arena_grow(w->arena, w->cues, w->cue_count, &w->cue_cap, sizeof(*w->cues));
	if (t->analysis.points) {
		w->description_cues =
			arena_grow(w->arena, w->description_cues, w->description_cue_count,
				   &w->description_cue_cap, sizeof(*w->description_cues));
		w->description_cues[w->description_cue_count++] = w->cue_count;
	}
	cue.next = dict_find(&w->first_cues, cue.stems[0], strlen(cue.stems[0]));
	dict_put(&w->first_cues, cue.stems[0], strlen(cue.stems[0]), (int)w->cue_count);
	w->cues[w->cue_count++] = cue;
}

static void add_cues(struct nlu *k, struct map_words *w)
{
	for (size_t i = 0; i < k->catalog->tool_count; i++) {
		const struct tool_def *t = &k->catalog->tools[i];

		for (const char *const *cue = t->analysis.cues; cue && *cue; cue++)
			add_cue(k, w, t, *cue);
	}
}

struct map_words *map_words_new(struct nlu *k, struct arena *a, const struct catalog *packs)
{
	struct map_words *w = arena_alloc(a, sizeof(*w));
	const struct schema *s;

	if (!has_map_tool(k->catalog))
		return NULL;
	w->arena = a;
	w->pack_entity_count = catalog_schema(packs)->entity_count;
	s = catalog_schema(k->catalog);
	w->map = map_new(k->catalog);
	dict_init(&w->first_cues, a);
	add_cues(k, w);
	for (size_t i = 0; i < s->metric_count; i++) {
		const struct metric_def *m = s->metrics[i];

		if (m->is_implied && !m->measure->column) /* a count, named by its entity */
			continue;
		add_phrase(k, w, m->label, &(struct map_phrase){.metric = m});
		add_all(k, w, m->synonyms, &(struct map_phrase){.metric = m});
	}
	for (size_t i = 0; i < s->entity_count; i++)
		add_entity(k, w, s->entities[i]);
	for (size_t i = 0; i < s->condition_count; i++)
		add_condition(k, w, s->conditions[i]);
	for (size_t i = 0; i < k->catalog->dimension_count; i++)
		add_dimension(k, w, &k->catalog->dimensions[i]);
	for (size_t i = 0; i < s->plain_count; i++)
		add_dimension(k, w, s->plain[i]);
	return w;
}

bool map_words_is_tenant_entity(const struct nlu *k, const struct entity_def *n)
{
	return k->map_words && n->index >= k->map_words->pack_entity_count;
}

void map_words_deinit(struct map_words *w)
{
	if (w)
		map_free(&w->map);
}

/* ---- in a question ---- */

static bool has_required_spelling(const struct map_phrase *p, const struct question *q,
				  const struct token *t)
{
	return !p->required_spelling ||
	       (strlen(p->required_spelling) == t->to - t->from &&
		strncmp(p->required_spelling, q->text + t->from, t->to - t->from) == 0);
}

static bool has_same_last_word(const struct map_phrase *p, const struct token *t)
{
	return strlen(p->last_word) == t->len && strncmp(p->last_word, t->text, t->len) == 0;
}

static bool begins_with(const char *const *stems, const char *stem, size_t len)
{
	return *stems[0] == *stem && strncmp(stems[0], stem, len) == 0 && stems[0][len] == '\0';
}

static bool phrase_is_at(const struct nlu *k, const struct map_phrase *p, const struct question *q,
			 size_t i)
{
	char stem[STEM_BYTES];

	if (i + p->count > q->count ||
	    (p->is_adjacent && !has_same_last_word(p, &q->tokens[i + p->count - 1])))
		return false;
	for (size_t n = 0; n < p->count; n++) {
		const struct token *t = &q->tokens[i + n];
		size_t len = stem_of(k, t, stem);

		if ((t->used && !t->is_tool_word) || !has_required_spelling(p, q, t) ||
		    strlen(p->stems[n]) != len || strncmp(p->stems[n], stem, len) != 0)
			return false;
	}
	return true;
}

bool map_words_contain(const struct nlu *k, const struct token *t)
{
	const struct map_words *w = k->map_words;
	char stem[STEM_BYTES];
	size_t len = stem_of(k, t, stem);

	for (size_t p = 0; w && p < w->count; p++)
		for (size_t n = 0; n < w->phrases[p].count; n++)
			if (strlen(w->phrases[p].stems[n]) == len &&
			    strncmp(w->phrases[p].stems[n], stem, len) == 0)
				return true;
	return false;
}

bool map_words_is_cue_word(const struct nlu *k, const struct token *t)
{
	const struct map_words *w = k->map_words;
	char stem[STEM_BYTES];
	size_t len = word_stem(t->text, t->len, stem);

	for (size_t c = 0; w && c < w->cue_count; c++)
		for (size_t n = 0; n < w->cues[c].count; n++)
			if (strlen(w->cues[c].stems[n]) == len &&
			    strncmp(w->cues[c].stems[n], stem, len) == 0)
				return true;
	return false;
}

bool map_words_measure_at(const struct nlu *k, const struct question *q, size_t i)
{
	const struct map_words *w = k->map_words;
	char stem[STEM_BYTES];
	size_t len = stem_of(k, &q->tokens[i], stem);

	for (size_t p = 0; w && p < w->count; p++)
		if (w->phrases[p].metric && w->phrases[p].count == 1 &&
		    begins_with(w->phrases[p].stems, stem, len) &&
		    phrase_is_at(k, &w->phrases[p], q, i))
			return true;
	return false;
}

bool map_words_is_entity_at(const struct nlu *k, const struct question *q, size_t i)
{
	const struct map_words *w = k->map_words;
	/* "by cabin", but "by risk level" may continue a name */
	bool grouped = i > 0 && token_in_list(&q->tokens[i - 1], WORDS_GROUPING) &&
		       (i + 1 == q->count || nlu_is_stop_word(k, &q->tokens[i + 1]));
	char stem[STEM_BYTES];
	size_t len = stem_of(k, &q->tokens[i], stem);

	for (size_t p = 0; w && p < w->count; p++) {
		const struct map_phrase *one = &w->phrases[p];

		if (one->count == 1 && begins_with(one->stems, stem, len) &&
		    ((one->entity && !one->level) || (grouped && one->dimension)) &&
		    phrase_is_at(k, one, q, i))
			return true;
	}
	return false;
}

/* The cue's first word is at token i. A stem begins as its word does, so most cues are excluded
 * without one. */
static bool cue_continues_at(const struct map_cue *c, const struct question *q, size_t i)
{
	char stem[STEM_BYTES];

	if (i + c->count > q->count)
		return false;
	for (size_t n = 1; n < c->count; n++) {
		const struct token *t = &q->tokens[i + n];
		size_t len;

		if (*c->stems[n] != *t->text)
			return false;
		len = word_stem(t->text, t->len, stem);
		if (strncmp(c->stems[n], stem, len) != 0 || c->stems[n][len] != '\0')
			return false;
	}
	return true;
}

/* The longest cue at token i; NULL: none. */
static const struct map_cue *longest_cue(const struct map_words *w, const struct question *q,
					 size_t i, bool with_descriptions)
{
	const struct map_cue *best = NULL;
	char stem[STEM_BYTES];
	size_t len = word_stem(q->tokens[i].text, q->tokens[i].len, stem);

	for (int c = dict_find(&w->first_cues, stem, len); c >= 0; c = w->cues[c].next)
		if ((!best || w->cues[c].count >= best->count) &&
		    (with_descriptions || !w->cues[c].tool->analysis.points) &&
		    cue_continues_at(&w->cues[c], q, i))
			best = &w->cues[c];
	return best;
}

const struct map_cue *map_words_cue(const struct query_builder *a, size_t i)
{
	return longest_cue(a->w, &a->r->q, i, a->r->description);
}

size_t map_words_cue_length(const struct nlu *k, const struct question *q, size_t i)
{
	const struct map_cue *cue = k->map_words ? longest_cue(k->map_words, q, i, false) : NULL;

	return cue ? cue->count : 0;
}

bool map_words_has_cue_at(const struct nlu *k, const struct question *q, size_t i)
{
	const struct map_words *w = k->map_words;

	if (map_words_cue_length(k, q, i) > 0)
		return true;
	for (size_t p = 0; w && p < w->count; p++)
		if (w->phrases[p].condition && phrase_is_at(k, &w->phrases[p], q, i))
			return true;
	return false;
}

const struct tool_def *map_words_description_cue(const struct nlu *k, const struct question *q,
						 size_t i, size_t *count)
{
	const struct map_words *w = k->map_words;
	const struct map_cue *best = NULL;
	char stem[STEM_BYTES];
	size_t len = w ? word_stem(q->tokens[i].text, q->tokens[i].len, stem) : 0;

	for (size_t p = 0; w && p < w->description_cue_count; p++) {
		const struct map_cue *cue = &w->cues[w->description_cues[p]];

		if (begins_with(cue->stems, stem, len) && (!best || cue->count > best->count) &&
		    cue_continues_at(cue, q, i))
			best = cue;
	}
	*count = best ? best->count : 0;
	return best ? best->tool : NULL;
}

/* How well a phrase suits its position: a dimension after "by", an entity after "number of". */
static size_t rank_of(const struct query_builder *a, const struct map_phrase *p)
{
	size_t kind = p->level             ? 0
		      : a->after.number_of ? (p->entity ? 3 : 0)
		      : p->metric          ? 2
		      : p->entity          ? 1
		      : p->condition       ? 1
					   : (a->after.by ? 3 : 0);

	return p->count * 4 + kind;
}

static bool is_exact(const struct query_builder *a, const struct map_phrase *p, size_t i)
{
	return has_same_last_word(p, &a->r->q.tokens[i + p->count - 1]);
}

static const struct entity_def *phrase_entity(const struct map_phrase *p)
{
	const struct metric_def *m = p->metric;

	if (p->entity)
		return p->entity;
	if (p->condition)
		return p->condition->entity;
	if (p->dimension)
		return p->dimension->map.entity;
	while (!m->measure)
		m = m->left;
	return m->measure->entity;
}

/* "Which year had the highest total" ranks years by their total. */
static bool is_rank(const struct query_builder *a, const struct map_phrase *p, size_t i)
{
	const struct measure_def *m = p->metric ? p->metric->measure : NULL;

	if (!m || (m->aggregate != AGGREGATE_MAX && m->aggregate != AGGREGATE_MIN))
		return false;
	while (i > 0 && !token_in_list(&a->r->q.tokens[i - 1], WORDS_WHICH))
		i--;
	return i > 0;
}

/* Returns true for `only_entity`, or for an entity of which each row of `only_entity` has at most
 * one. */
static bool is_within_only_entity(const struct query_builder *a, const struct entity_def *n)
{
	struct map_path paths[2];

	return n == a->only_entity ||
	       (map_path(a->w->map, a->only_entity, n, a->r->arena, paths) == MAP_FOUND &&
		map_path_is_safe(&paths[0]));
}

/* A tenant entity is reported as nonexistent to callers without permission. */
static bool is_visible(const struct query_builder *a, const struct map_phrase *p)
{
	const struct principal *who = a->r->in->may->who;

	return phrase_entity(p)->index < a->w->pack_entity_count ||
	       ((!who || map_may_entity(who, phrase_entity(p))) &&
		(!a->only_entity || is_within_only_entity(a, phrase_entity(p))));
}

bool map_words_tenant_entities(const struct query_builder *a, const struct entity_def **out,
			       size_t most, size_t *count)
{
	const struct entity_def *first = NULL;
	bool several = false;

	*count = 0;
	for (size_t p = 0; p < a->w->count; p++) {
		const struct map_phrase *one = &a->w->phrases[p];
		const struct entity_def *n = phrase_entity(one);
		size_t at = 0, known = 0;

		if (n->index < a->w->pack_entity_count || !is_visible(a, one))
			continue;
		while (at < a->r->q.count && !phrase_is_at(a->r->nlu, one, &a->r->q, at))
			at++;
		if (at == a->r->q.count)
			continue;
		several |= first && first != n;
		first = first ? first : n;
		while (known < *count && out[known] != n)
			known++;
		if ((one->metric || one->entity) && known == *count && *count < most)
			out[(*count)++] = n;
	}
	return several;
}

static bool has_meaning(const struct phrase_meanings *m, const struct map_phrase *p)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->items[i]->metric == p->metric && m->items[i]->entity == p->entity &&
		    m->items[i]->dimension == p->dimension && m->items[i]->level == p->level &&
		    m->items[i]->condition == p->condition)
			return true;
	return false;
}

/* Keeps the meanings that the caller may see. If none is permitted, all stay, and the tool refuses
 * later. */
static void keep_permitted(const struct query_builder *a, struct phrase_meanings *m)
{
	const struct principal *who = a->r->in->may->who;
	size_t n = 0;

	for (size_t i = 0; who && i < m->count; i++)
		n += map_may_entity(who, phrase_entity(m->items[i]));
	if (n == 0 || n == m->count)
		return;
	n = 0;
	for (size_t i = 0; i < m->count; i++)
		if (map_may_entity(who, phrase_entity(m->items[i])))
			m->items[n++] = m->items[i];
	m->count = n;
}

struct phrase_meanings map_words_at(const struct query_builder *a, size_t i)
{
	struct phrase_meanings best = {0};

	for (size_t p = 0; p < a->w->count; p++) {
		const struct map_phrase *one = &a->w->phrases[p];
		size_t rank, least = best.count > 0 ? rank_of(a, best.items[0]) : 0;

		if (!phrase_is_at(a->r->nlu, one, &a->r->q, i) || !is_visible(a, one) ||
		    is_rank(a, one, i) || (rank = rank_of(a, one)) < least)
			continue;
		if (rank > least)
			best.count = 0;
		if (best.count < MEANINGS_MAX && !has_meaning(&best, one))
			best.items[best.count++] = one;
		best.exact |= one->singular && is_exact(a, one, i);
	}
	keep_permitted(a, &best);
	return best;
}

enum grain map_words_grain(const struct token *t)
{
	static const enum words lists[GRAINS] = {
		[GRAIN_HOUR] = WORDS_GRAIN_HOUR,       [GRAIN_DAY] = WORDS_GRAIN_DAY,
		[GRAIN_WEEK] = WORDS_GRAIN_WEEK,       [GRAIN_MONTH] = WORDS_GRAIN_MONTH,
		[GRAIN_QUARTER] = WORDS_GRAIN_QUARTER, [GRAIN_YEAR] = WORDS_GRAIN_YEAR,
		[GRAIN_WEEKDAY] = WORDS_GRAIN_WEEKDAY,
	};

	for (int g = GRAIN_HOUR; g <= GRAIN_WEEKDAY; g++)
		if (token_in_list(t, lists[g]))
			return (enum grain)g;
	return GRAIN_NONE;
}
