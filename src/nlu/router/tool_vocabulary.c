/*
 * Builds the vocabulary of each tool and domain: the stems of their texts, and whether a tool
 * ranks, compares, or reports durations or reasons.
 */
#include "tool_vocabulary.h"

#include <stdio.h>
#include <string.h>

#define NEIGHBOURS_BEFORE 2 /* words next to a superlative that it may rank */
#define NEIGHBOURS_AFTER  3

static void add_word(const struct nlu *k, struct dict *d, const struct token *t, int from)
{
	char stem[STEM_BYTES];
	size_t n = nlu_noun_stem(k, t, stem);
	int was = dict_find(d, stem, n);

	dict_put(d, stem, n, (was < 0 ? 0 : was) | from);
}

static void add_neighbours(const struct nlu *k, struct dict *d, const struct question *q, size_t i,
			   int from)
{
	for (size_t at = i > NEIGHBOURS_BEFORE ? i - NEIGHBOURS_BEFORE : 0;
	     at <= i + NEIGHBOURS_AFTER && at < q->count; at++)
		if (!nlu_is_stop_word(k, &q->tokens[at]))
			add_word(k, d, &q->tokens[at], from);
}

static void add_text(const struct nlu *k, struct dict *d, const char *text, int from)
{
	struct arena *scratch;
	struct question q;

	if (!text)
		return;
	scratch = arena_new(VOCABULARY_SCRATCH_BYTES);
	text_tokenize(k->catalog->language, text, scratch, &q);
	for (size_t i = 0; i < q.count; i++) {
		add_word(k, d, &q.tokens[i], from);
		if (from == FROM_PARAM || from == FROM_DOMAIN || from == FROM_WORDS)
			continue;
		if (token_in_list(&q.tokens[i], WORDS_SUPERLATIVE))
			add_neighbours(k, d, &q, i, RANKED);
		if (words_at(&q, i, WORDS_COUNTING) > 0)
			add_neighbours(k, d, &q, i + 1, COUNTED);
	}
	arena_free(&scratch);
}

static bool text_has(const struct nlu *k, const char *text, enum words list)
{
	struct arena *scratch = arena_new(VOCABULARY_SCRATCH_BYTES);
	struct question q;
	bool found;

	text_tokenize(k->catalog->language, text ? text : "", scratch, &q);
	found = words_in(&q, list);
	arena_free(&scratch);
	return found;
}

/* Adds the words of a fact. "Total budget" adds "budget" with the flag TOTALLED. */
static void add_fact(const struct nlu *k, struct dict *d, const char *text)
{
	struct arena *scratch = arena_new(VOCABULARY_SCRATCH_BYTES);
	struct question q;
	bool total;

	text_tokenize(k->catalog->language, text ? text : "", scratch, &q);
	total = words_in(&q, WORDS_TOTALS);
	for (size_t i = 0; i < q.count; i++)
		if (!nlu_is_stop_word(k, &q.tokens[i]) &&
		    !token_in_list(&q.tokens[i], WORDS_AGGREGATES) &&
		    !token_in_list(&q.tokens[i], WORDS_SUPERLATIVE))
			add_word(k, d, &q.tokens[i], FROM_COLUMN | (total ? TOTALLED : 0));
	arena_free(&scratch);
}

/* Adds the names of a unit: "percent" for a column in %. Units of counted items only name the
 * items. */
static void add_unit(const struct nlu *k, struct dict *d, const char *unit)
{
	const struct unit_def *u = unit ? units_find(&k->catalog->units, unit) : NULL;
	int from = FROM_COLUMN | (u && !u->counted ? MEASURED : 0);

	add_text(k, d, unit, from);
	for (size_t i = 0; u && u->spellings && u->spellings[i]; i++)
		add_text(k, d, u->spellings[i], from);
}

static bool is_of_time(const struct nlu *k, const char *unit)
{
	const struct unit_def *u = unit ? units_find(&k->catalog->units, unit) : NULL;

	return u &&
	       (strcmp(u->dimension, UNITS_TIME) == 0 || strcmp(u->dimension, UNITS_MONTHS) == 0);
}

/* "Tenor (years)": the unit in the label of a column. */
static bool label_has_time_unit(const struct nlu *k, const char *label)
{
	const char *open = label ? strchr(label, '(') : NULL,
		   *close = open ? strchr(open, ')') : NULL;
	char unit[STEM_BYTES];

	if (!close || (size_t)(close - open) > sizeof(unit))
		return false;
	snprintf(unit, sizeof(unit), "%.*s", (int)(close - open - 1), open + 1);
	return is_of_time(k, unit);
}

/* Returns true when a column or fact of the tool is a duration. */
static bool reports_duration(const struct nlu *k, const struct tool_def *t)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (is_of_time(k, t->columns[i].unit) ||
		    label_has_time_unit(k, t->columns[i].label))
			return true;
	for (size_t i = 0; i < t->fact_count; i++)
		if (is_of_time(k, t->facts[i].unit))
			return true;
	return false;
}

static void add_tool(const struct nlu *k, struct tool_vocabulary *all, size_t i)
{
	const struct tool_def *t = &k->catalog->tools[i];
	struct dict *d = &all->tools[i];

	dict_init(d, k->arena);
	add_text(k, d, t->name, FROM_ABOUT);
	add_text(k, d, t->about, FROM_ABOUT);
	add_text(k, d, t->words.answer, FROM_COLUMN);
	add_text(k, d, t->words.measures, FROM_ABOUT | RANKED | COUNTED);
	add_text(k, d, t->words.grain, FROM_ABOUT | GRAIN);
	add_text(k, d, t->words.asked, FROM_WORDS);
	all->ranks[i] = t->words.measures || text_has(k, t->about, WORDS_SUPERLATIVE) ||
			text_has(k, t->words.answer, WORDS_SUPERLATIVE);
	all->compares[i] =
		text_has(k, t->about, WORDS_COMPARISON) || text_has(k, t->about, WORDS_ABOVE);
	all->newest[i] =
		text_has(k, t->about, WORDS_RECENCY) || text_has(k, t->words.answer, WORDS_RECENCY);
	all->has_duration[i] = reports_duration(k, t);
	all->has_reasons[i] =
		text_has(k, t->about, WORDS_CAUSES) || text_has(k, t->words.answer, WORDS_CAUSES);
	all->ranks_bottom[i] =
		text_has(k, t->about, WORDS_BOTTOM) || text_has(k, t->words.answer, WORDS_BOTTOM);
	for (size_t c = 0; c < t->column_count; c++) {
		const struct column_def *column = &t->columns[c];

		add_text(k, d, column->label ? column->label : column->name, FROM_COLUMN);
		add_unit(k, d, column->unit);
		if (column->label && strchr(column->label, '(')) /* "Tenor (years)" */
			add_text(k, d, strchr(column->label, '('), FROM_COLUMN | MEASURED);
		all->ranks[i] = all->ranks[i] || text_has(k, column->label, WORDS_SUPERLATIVE);
		all->ranks_bottom[i] =
			all->ranks_bottom[i] || text_has(k, column->label, WORDS_BOTTOM);
		all->has_reasons[i] =
			all->has_reasons[i] || text_has(k, column->label, WORDS_CAUSES);
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

struct tool_vocabulary *tool_vocabulary_new(struct nlu *k)
{
	const struct catalog *c = k->catalog;
	struct tool_vocabulary *all = arena_alloc(k->arena, sizeof(*all));
	char stem[STEM_BYTES];

	all->tools = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*all->tools));
	all->ranks = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*all->ranks));
	all->newest = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*all->newest));
	all->compares = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*all->compares));
	all->has_duration = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*all->has_duration));
	all->ranks_bottom = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*all->ranks_bottom));
	all->has_reasons = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*all->has_reasons));
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

bool tool_vocabulary_ranks_top_only(const struct nlu *k, const struct tool_def *t)
{
	return k->vocabulary->ranks[t->index] && !k->vocabulary->ranks_bottom[t->index];
}
