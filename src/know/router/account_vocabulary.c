/*
 * Builds the vocabulary of each tool and domain: the stems of their texts, and whether a tool
 * ranks, compares, or reports durations or reasons.
 */
#include "account_int.h"

#include <string.h>

#define RANKED_BEFORE 2 /* words next to a superlative that it may rank */
#define RANKED_BEHIND 3

static void add_word(const struct know *k, struct dict *d, const struct token *t, int from)
{
	char stem[STEM_BYTES];
	size_t n = know_family(k, t, stem);
	int was = dict_find(d, stem, n);

	dict_put(d, stem, n, (was < 0 ? 0 : was) | from);
}

static void add_beside(const struct know *k, struct dict *d, const struct question *q, size_t i,
		       int from)
{
	for (size_t at = i > RANKED_BEFORE ? i - RANKED_BEFORE : 0;
	     at <= i + RANKED_BEHIND && at < q->count; at++)
		if (!know_is_stop(k, &q->tokens[at]))
			add_word(k, d, &q->tokens[at], from);
}

static void add_text(const struct know *k, struct dict *d, const char *text, int from)
{
	struct arena *scratch;
	struct question q;

	if (!text)
		return;
	scratch = arena_new(ACCOUNT_SCRATCH_BYTES);
	text_read(k->catalog->language, text, scratch, &q);
	for (size_t i = 0; i < q.count; i++) {
		add_word(k, d, &q.tokens[i], from);
		if (from == FROM_PARAM || from == FROM_DOMAIN)
			continue;
		if (token_says(&q.tokens[i], WORDS_SUPERLATIVE))
			add_beside(k, d, &q, i, RANKED);
		if (words_at(&q, i, WORDS_COUNTING) > 0)
			add_beside(k, d, &q, i + 1, COUNTED);
	}
	arena_free(&scratch);
}

static bool text_says(const struct know *k, const char *text, enum words list)
{
	struct arena *scratch = arena_new(ACCOUNT_SCRATCH_BYTES);
	struct question q;
	bool says;

	text_read(k->catalog->language, text ? text : "", scratch, &q);
	says = words_in(&q, list);
	arena_free(&scratch);
	return says;
}

/* Adds the words of a fact, "total budget" as a budget of which there is a total. */
static void add_fact(const struct know *k, struct dict *d, const char *text)
{
	struct arena *scratch = arena_new(ACCOUNT_SCRATCH_BYTES);
	struct question q;
	bool total;

	text_read(k->catalog->language, text ? text : "", scratch, &q);
	total = words_in(&q, WORDS_TOTALS);
	for (size_t i = 0; i < q.count; i++)
		if (!know_is_stop(k, &q.tokens[i]) && !token_says(&q.tokens[i], WORDS_AGGREGATES) &&
		    !token_says(&q.tokens[i], WORDS_SUPERLATIVE))
			add_word(k, d, &q.tokens[i], FROM_COLUMN | (total ? TOTALLED : 0));
	arena_free(&scratch);
}

/* Adds the names of a unit: "percent" for a column in %. Units of counted things only name them. */
static void add_unit(const struct know *k, struct dict *d, const char *unit)
{
	const struct unit_def *u = unit ? units_find(&k->catalog->units, unit) : NULL;
	int from = FROM_COLUMN | (u && !u->counted ? MEASURED : 0);

	add_text(k, d, unit, from);
	for (size_t i = 0; u && u->spellings && u->spellings[i]; i++)
		add_text(k, d, u->spellings[i], from);
}

static bool is_of_time(const struct know *k, const char *unit)
{
	const struct unit_def *u = unit ? units_find(&k->catalog->units, unit) : NULL;

	return u &&
	       (strcmp(u->dimension, UNITS_TIME) == 0 || strcmp(u->dimension, UNITS_MONTHS) == 0);
}

/* Returns true when a column or fact of the tool is a duration. */
static bool tells_time(const struct know *k, const struct tool_def *t)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (is_of_time(k, t->columns[i].unit))
			return true;
	for (size_t i = 0; i < t->fact_count; i++)
		if (is_of_time(k, t->facts[i].unit))
			return true;
	return false;
}

static void add_tool(const struct know *k, struct accounts *all, size_t i)
{
	const struct tool_def *t = &k->catalog->tools[i];
	struct dict *d = &all->tools[i];

	dict_init(d, k->arena);
	add_text(k, d, t->name, FROM_ABOUT);
	add_text(k, d, t->about, FROM_ABOUT);
	add_text(k, d, t->words.answer, FROM_COLUMN);
	add_text(k, d, t->words.measures, FROM_ABOUT | RANKED | COUNTED);
	add_text(k, d, t->words.grain, FROM_ABOUT | GRAIN);
	all->ranks[i] = t->words.measures || text_says(k, t->about, WORDS_SUPERLATIVE) ||
			text_says(k, t->words.answer, WORDS_SUPERLATIVE);
	all->compares[i] =
		text_says(k, t->about, WORDS_THAN) || text_says(k, t->about, WORDS_ABOVE);
	all->newest[i] =
		text_says(k, t->about, WORDS_NEWEST) || text_says(k, t->words.answer, WORDS_NEWEST);
	all->lasts[i] = tells_time(k, t);
	all->explains[i] =
		text_says(k, t->about, WORDS_CAUSES) || text_says(k, t->words.answer, WORDS_CAUSES);
	all->bottoms[i] =
		text_says(k, t->about, WORDS_BOTTOM) || text_says(k, t->words.answer, WORDS_BOTTOM);
	for (size_t c = 0; c < t->column_count; c++) {
		const struct column_def *column = &t->columns[c];

		add_text(k, d, column->label ? column->label : column->name, FROM_COLUMN);
		add_unit(k, d, column->unit);
		if (column->label && strchr(column->label, '(')) /* "Tenor (years)" */
			add_text(k, d, strchr(column->label, '('), FROM_COLUMN | MEASURED);
		all->ranks[i] = all->ranks[i] || text_says(k, column->label, WORDS_SUPERLATIVE);
		all->bottoms[i] = all->bottoms[i] || text_says(k, column->label, WORDS_BOTTOM);
		all->explains[i] = all->explains[i] || text_says(k, column->label, WORDS_CAUSES);
	}
	for (size_t f = 0; f < t->fact_count; f++) {
		add_fact(k, d, t->facts[f].about);
		add_unit(k, d, t->facts[f].unit);
	}
	for (size_t p = 0; p < t->param_count; p++) {
		const struct param_def *param = &t->params[p];
		const struct dimension_def *of =
			param->entity ? catalog_dimension(k->catalog, param->entity) : NULL;

		if (param->bound_of)
			continue;
		add_text(k, d, param->name, FROM_PARAM);
		add_text(k, d, param->filter, FROM_PARAM);
		add_text(k, d, param->about, FROM_PARAM);
		add_text(k, d, of ? of->label : NULL, FROM_PARAM);
	}
}

struct accounts *accounts_new(struct know *k)
{
	const struct catalog *c = k->catalog;
	struct accounts *all = arena_alloc(k->arena, sizeof(*all));
	char stem[STEM_BYTES];

	all->tools = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*all->tools));
	all->ranks = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*all->ranks));
	all->newest = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*all->newest));
	all->compares = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*all->compares));
	all->lasts = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*all->lasts));
	all->bottoms = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*all->bottoms));
	all->explains = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*all->explains));
	all->domains = arena_alloc(k->arena, (c->domain_count + 1) * sizeof(*all->domains));
	dict_init(&all->neutral, k->arena);
	for (const char *const *word = c->language->lists[WORDS_NEUTRAL]; *word; word++)
		if (!strchr(*word, ' '))
			dict_put(&all->neutral, stem, word_stem(*word, strlen(*word), stem), 1);
	for (size_t i = 0; i < c->tool_count; i++)
		add_tool(k, all, i);
	for (size_t i = 0; i < c->domain_count; i++) {
		dict_init(&all->domains[i], k->arena);
		add_text(k, &all->domains[i], c->domains[i].about, FROM_DOMAIN);
		for (const char *const *noun = c->words.nouns; *noun; noun++)
			add_text(k, &all->domains[i], *noun, FROM_DOMAIN);
		add_text(k, &all->domains[i], c->words.company, FROM_DOMAIN);
	}
	return all;
}

bool accounts_only_top(const struct know *k, const struct tool_def *t)
{
	return k->accounts->ranks[t->index] && !k->accounts->bottoms[t->index];
}
