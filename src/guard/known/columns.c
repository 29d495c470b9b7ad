/*
 * Finds the column that the words name for an amount: "budget $2.1M, forecast $2.25M". The words
 * since the previous amount are compared with the words that distinguish columns of one unit.
 */
#include <ctype.h>
#include <string.h>

#include "known_data.h"
#include "claims/cue_words.h"

#define SET_WORDS_MAX 4

/* The words of a column's name or label. */
struct column_set {
	uint64_t words[COLUMN_WORDS_MAX];
	size_t count;
};

/* Excludes words with another meaning: "lowest price". */
static bool is_plain(const char *word, size_t len)
{
	return !(cue_word_flags(word, len) & (CUE_MOST | CUE_LEAST)) &&
	       !(len == 3 && strncasecmp(word, "all", 3) == 0);
}

static struct column_set read_set(const char *text)
{
	struct column_set set = {0};
	size_t from = 0, n = text ? strlen(text) : 0;

	for (size_t i = 0; text && i <= n; i++) {
		bool ends = !text[i] || !isalpha((unsigned char)text[i]);

		if (i > from && (ends || (isupper((unsigned char)text[i]) &&
					  islower((unsigned char)text[i - 1])))) {
			if (!is_plain(text + from, i - from))
				return (struct column_set){0};
			if (set.count < COLUMN_WORDS_MAX && i - from > 1)
				set.words[set.count++] = folded_word_key(text + from, i - from);
			from = i;
		}
		if (ends)
			from = i + 1;
	}
	return set;
}

static bool has_word(const struct column_set *set, uint64_t word)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->words[i] == word)
			return true;
	return false;
}

static bool is_rival(const struct known_table *kt, size_t a, size_t b)
{
	return kt->measure[a] && kt->measure[b] && kt->units[a] == kt->units[b];
}

/* Keeps the words that distinguish the column from the others of its unit. */
static void keep_distinguishing_words(const struct known_table *kt,
				      const struct column_set (*all)[2], size_t c, size_t source,
				      struct column_set *out)
{
	const struct column_set *own = &all[c][source];

	*out = (struct column_set){0};
	for (size_t w = 0; w < own->count; w++) {
		bool common = true, has_no_rival = true;

		for (size_t i = 0; i < kt->t->column_count; i++) {
			if (i == c || !is_rival(kt, c, i))
				continue;
			has_no_rival = false;
			common = common && (has_word(&all[i][0], own->words[w]) ||
					    has_word(&all[i][1], own->words[w]));
		}
		if (!common && !has_no_rival)
			out->words[out->count++] = own->words[w];
	}
	if (out->count > SET_WORDS_MAX)
		out->count = 0;
}

void known_add_column_sets(struct known *k, struct known_table *kt)
{
	size_t n = kt->t->column_count;
	struct column_set(*all)[2] = arena_alloc(k->arena, sizeof(*all) * (n + 1));

	kt->sets = arena_alloc(k->arena, sizeof(*kt->sets) * (n + 1));
	for (size_t c = 0; c < n; c++) {
		all[c][0] = read_set(kt->t->columns[c].name);
		all[c][1] = read_set(kt->t->columns[c].label);
	}
	for (size_t c = 0; c < n; c++)
		for (size_t source = 0; source < 2 && kt->measure[c]; source++) {
			struct column_set set;

			keep_distinguishing_words(kt, all, c, source, &set);
			memcpy(kt->sets[c][source], set.words, sizeof(kt->sets[c][source]));
		}
}

/* Returns true when a word of the text means a difference. */
static bool names_difference(const char *text)
{
	size_t from = 0, n = text ? strlen(text) : 0;

	for (size_t i = 0; text && i <= n; i++) {
		bool ends = !text[i] || !isalpha((unsigned char)text[i]);

		if (i > from && (ends || (isupper((unsigned char)text[i]) &&
					  islower((unsigned char)text[i - 1])))) {
			if (cue_word_flags(text + from, i - from) & CUE_CHANGE)
				return true;
			from = i;
		}
		if (ends)
			from = i + 1;
	}
	return false;
}

bool known_is_change(const struct column *c)
{
	return names_difference(c->name) || names_difference(c->label);
}

bool known_is_difference(const struct column *c)
{
	return str_find_nocase(c->name, "spread") || str_find_nocase(c->name, "difference") ||
	       (c->label && names_difference(c->label) && !str_find_nocase(c->label, "change"));
}

static size_t find_word(const struct clause *in, const bool *used, uint64_t word)
{
	for (size_t i = 0; i < in->count; i++)
		if (!used[i] && in->words[i] == word)
			return i;
	return in->count;
}

/* The number of words that name the column in the clause; 0: the set is incomplete. */
static size_t named_by(const uint64_t set[SET_WORDS_MAX], const struct clause *in, bool *used)
{
	bool taken[CLAUSE_WORDS_MAX];
	size_t n = 0;

	memcpy(taken, used, sizeof(taken));
	for (; n < SET_WORDS_MAX && set[n]; n++) {
		size_t at = find_word(in, taken, set[n]);

		if (at == in->count)
			return 0;
		taken[at] = true;
	}
	if (n > 0)
		memcpy(used, taken, sizeof(taken));
	return n;
}

static size_t name_column(const struct known_table *kt, size_t c, const struct clause *in,
			  bool *used)
{
	bool by_name[CLAUSE_WORDS_MAX], by_label[CLAUSE_WORDS_MAX];
	size_t a, b;

	memcpy(by_name, used, sizeof(by_name));
	memcpy(by_label, used, sizeof(by_label));
	a = named_by(kt->sets[c][0], in, by_name);
	b = named_by(kt->sets[c][1], in, by_label);
	memcpy(used, a >= b ? by_name : by_label, sizeof(by_name));
	return a >= b ? a : b;
}

/* Returns true when a name in the row matches the column's words, such as "Forecast" under
 * "Metric". */
static bool row_names(const struct known_table *kt, int64_t row, size_t column,
		      const struct clause *in)
{
	for (size_t c = 0; row >= 0 && c < kt->t->column_count; c++) {
		struct column_set cell = {0};

		if (kt->slot[c] < 0 || !kt->t->rows[row][c])
			continue;
		cell = read_set(kt->t->rows[row][c]);
		for (size_t i = 0; i < in->count; i++)
			if (has_word(&cell, in->words[i]) &&
			    (has_word(&(struct column_set){{kt->sets[column][0][0]}, 1},
				      in->words[i]) ||
			     has_word(&(struct column_set){{kt->sets[column][1][0]}, 1},
				      in->words[i])))
				return true;
	}
	return false;
}

bool column_is_mentioned(const struct known *k, const struct entry *e,
			 const struct context *context)
{
	struct clause preceding = context->clause, follow = {0}, *in = &preceding;
	const struct known_table *kt = &k->tables[e->table];
	size_t own = (size_t)e->column, best = 0, best_column = own;
	bool none[CLAUSE_WORDS_MAX] = {false}, used[CLAUSE_WORDS_MAX] = {false};

	/* "$20K under budget at": the words after the direction name what it is compared with */
	if (context->clause.compared && context->clause_dir < in->count)
		in->count = context->clause_dir;
	if (in->count == 0 || !kt->measure[own])
		return true;
	for (size_t c = 0; c < kt->t->column_count; c++) {
		bool now[CLAUSE_WORDS_MAX] = {false};
		size_t n = is_rival(kt, own, c) || c == own ? name_column(kt, c, in, now) : 0;

		if (n > best || (n == best && n > 0 && c == own)) {
			best = n;
			best_column = c;
			memcpy(used, now, sizeof(used));
		}
	}
	if (best == 0 || best_column == own || name_column(kt, own, in, none) == best)
		return true;
	for (; context->comparison_known && follow.count < COMPARISON_WORDS &&
	       context->word_comparison.after[follow.count];
	     follow.count++)
		follow.words[follow.count] = context->word_comparison.after[follow.count];
	memset(none, 0, sizeof(none));
	if (follow.count > 0 && name_column(kt, own, &follow, none) > 0)
		return true; /* "180 MW of storage" after the words for generation */
	/* "peak and off-peak" names both; the row may name what it measures */
	return name_column(kt, own, in, used) > 0 || row_names(kt, e->row, best_column, in);
}

int column_side(const struct known *k, int table, size_t column, const struct context *c)
{
	const struct known_table *kt = &k->tables[table];
	struct clause before = c->clause, after = c->clause, follow = {0};
	bool used[CLAUSE_WORDS_MAX] = {false};

	if (!c->word_comparison.dir || c->in_row)
		return 0;
	for (; follow.count < COMPARISON_WORDS && c->word_comparison.after[follow.count];
	     follow.count++)
		follow.words[follow.count] = c->word_comparison.after[follow.count];
	before.count = c->clause_dir < before.count ? c->clause_dir : before.count;
	after.count -= before.count;
	memmove(after.words, after.words + before.count, sizeof(after.words[0]) * after.count);
	memset(used, 0, sizeof(used));
	if (name_column(kt, column, &before, used))
		return 1;
	memset(used, 0, sizeof(used));
	if (name_column(kt, column, &after, used))
		return -1;
	memset(used, 0, sizeof(used));
	return name_column(kt, column, &follow, used) ? -1 : 0;
}

bool known_is_column_word(const struct known *k, uint64_t word)
{
	for (int i = 0; i < k->table_count; i++)
		for (size_t c = 0; c < k->tables[i].t->column_count; c++)
			for (size_t w = 0; w < COLUMN_WORDS_MAX && k->tables[i].words[c][w]; w++)
				if (k->tables[i].words[c][w] == word)
					return true;
	return false;
}
