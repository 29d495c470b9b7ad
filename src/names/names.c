/*
 * The names visible to one caller. The catalogue's values and its aliases are one lexicon each;
 * each dimension of a tenant's data is another. All support whole names, words, initials and fuzzy
 * match. Dimensions that the caller may not read are skipped.
 */
#include "names_int.h"
#include "vesper/strlist.h"

#include <ctype.h>
#include <string.h>

#define FOUND_MAX PART_NAMES_MAX /* maximum values taken from one list */

/* ---- catalogue values ---- */

static const char *parent_at(const struct dimension_def *d, size_t i)
{
	return d->parents ? d->parents[i] : NULL;
}

static const char *pack_at(const struct dimension_def *d, size_t i)
{
	return d->packs ? d->packs[i] : d->pack;
}

static void add_values(struct listed *l, struct lexicon_build *b, const struct catalog *c)
{
	for (size_t d = 0; d < c->dimension_count; d++) {
		const struct dimension_def *def = &c->dimensions[d];

		for (size_t i = 0; def->values && def->values[i]; i++) {
			size_t n = lexicon_build_count(b);

			if (lexicon_build_add(b, def->values[i], NULL))
				l->value_entries[n] = (struct entry){.dimension = def,
								     .dimension_index = d,
								     .value = def->values[i],
								     .parent = parent_at(def, i),
								     .pack = pack_at(def, i)};
		}
	}
}

/* Rotates an alias to start with another word: "hub north" for "north hub". Words stay separated,
 * so that the lexicon counts them correctly. */
static const char *rotate_words(const struct folded *f, size_t first, struct arena *a)
{
	const char *text = "";

	for (size_t i = 0; i < f->count; i++) {
		size_t at = (first + i) % f->count, from = at > 0 ? f->ends[at - 1] : 0;

		text = arena_printf(a, "%s%s%.*s", text, i > 0 ? " " : "",
				    (int)(f->ends[at] - from), f->key + from);
	}
	return text;
}

static struct entry alias_entry(const struct catalog *c, size_t d, const struct alias_def *alias,
				struct arena *a)
{
	const struct dimension_def *def = &c->dimensions[d];
	const char *equals = alias->when ? strchr(alias->when, '=') : NULL;
	struct entry e = {.dimension = def,
			  .dimension_index = d,
			  .value = alias->value,
			  .pack = alias->pack,
			  .kind = ENTRY_ALIAS};

	for (size_t i = 0; def->values && def->values[i]; i++)
		if (strcmp(def->values[i], alias->value) == 0)
			e.parent = parent_at(def, i);
	if (equals) {
		e.when_dimension = arena_strndup(a, alias->when, (size_t)(equals - alias->when));
		e.when_value = arena_strdup(a, equals + 1);
	}
	return e;
}

static void add_aliases(struct listed *l, struct lexicon_build *b, const struct catalog *c,
			struct arena *a)
{
	for (size_t d = 0; d < c->dimension_count; d++)
		for (size_t i = 0; i < c->dimensions[d].alias_count; i++) {
			const struct alias_def *alias = &c->dimensions[d].aliases[i];
			struct entry e = alias_entry(c, d, alias, a);
			struct folded f;

			text_fold(alias->text, &f);
			for (size_t first = 0; first < f.count; first++) {
				size_t n = lexicon_build_count(b);

				if (lexicon_build_add(b, rotate_words(&f, first, a), NULL))
					l->alias_entries[n] = e;
			}
		}
}

static size_t value_total(const struct catalog *c)
{
	size_t n = 0;

	for (size_t d = 0; d < c->dimension_count; d++)
		for (size_t i = 0; c->dimensions[d].values && c->dimensions[d].values[i]; i++)
			n++;
	return n;
}

static size_t alias_total(const struct catalog *c)
{
	size_t n = 0;

	for (size_t d = 0; d < c->dimension_count; d++)
		for (size_t i = 0; i < c->dimensions[d].alias_count; i++) {
			struct folded f;

			text_fold(c->dimensions[d].aliases[i].text, &f);
			n += f.count;
		}
	return n;
}

void listed_init(struct listed *l, const struct catalog *c, struct arena *a)
{
	struct lexicon_build *values = lexicon_build_new(), *aliases = lexicon_build_new();

	l->value_entries = arena_alloc(a, (value_total(c) + 1) * sizeof(*l->value_entries));
	l->alias_entries = arena_alloc(a, (alias_total(c) + 1) * sizeof(*l->alias_entries));
	add_values(l, values, c);
	add_aliases(l, aliases, c, a);
	l->values = lexicon_new(&values, LEXICON_WORDS | LEXICON_ORIGIN, NULL);
	l->aliases = lexicon_new(&aliases, LEXICON_ORIGIN, NULL);
}

void listed_deinit(struct listed *l)
{
	lexicon_unref(&l->values);
	lexicon_unref(&l->aliases);
}

int names_find_catalog_dimension(const struct entity_index *b, const char *key, size_t len)
{
	const struct listed *l = &b->listed;
	uint32_t value;

	if (lexicon_find(l->values, key, len, &value, 1) > 0)
		return (int)l->value_entries[l->values->origin[value]].dimension_index;
	if (lexicon_find(l->aliases, key, len, &value, 1) > 0)
		return (int)l->alias_entries[l->aliases->origin[value]].dimension_index;
	return -1;
}

/* ---- collecting results ---- */

struct found {
	const struct names *names;
	const bool *in; /* dimensions to include */
	struct entry *out;
	size_t count, max;
};

static void add_entry(struct found *f, const struct entry *e)
{
	if (f->count == f->max || !f->in[e->dimension_index] || !f->names->in[e->dimension_index])
		return;
	if (strcmp(e->dimension->filter, FILTER_ASOF) == 0)
		return; /* labels are read as dates */
	for (size_t i = 0; i < f->count; i++)
		if (f->out[i].dimension == e->dimension && f->out[i].when_value == e->when_value &&
		    strcmp(f->out[i].value, e->value) == 0)
			return;
	f->out[f->count++] = *e;
}

static struct entry data_entry(const struct found *f, size_t d, size_t value)
{
	const struct lexicon *l = f->names->data_names[d];

	return (struct entry){.dimension = &f->names->index->catalog->dimensions[d],
			      .dimension_index = d,
			      .value = lexicon_text(l, value),
			      .parent = lexicon_parent(l, value),
			      .shared = 1};
}

/* An alias of a value found only in the data counts only when the data contains the value. */
static bool is_alias_in_use(const struct names *n, struct entry *e)
{
	const struct lexicon *l = n->data_names[e->dimension_index];
	uint32_t values[FOUND_MAX];
	struct folded f;
	size_t count;

	for (size_t i = 0; e->dimension->values && e->dimension->values[i]; i++)
		if (strcmp(e->dimension->values[i], e->value) == 0)
			return true;
	if (!l)
		return !names_has_values(n, e->dimension);
	text_fold(e->value, &f);
	count = lexicon_find(l, f.key, f.len, values, FOUND_MAX);
	for (size_t i = 0; i < count && i < FOUND_MAX; i++)
		if (strcmp(lexicon_text(l, values[i]), e->value) == 0) {
			e->parent = lexicon_parent(l, values[i]);
			return true;
		}
	return false;
}

static void add_listed(struct found *f, const struct entry *entries, const struct lexicon *l,
		       const uint32_t *values, size_t count, enum entry_kind kind)
{
	for (size_t i = 0; i < count && i < FOUND_MAX; i++) {
		struct entry e = entries[l->origin[values[i]]];

		e.kind = kind;
		e.shared = count;
		if (kind != ENTRY_ALIAS || is_alias_in_use(f->names, &e))
			add_entry(f, &e);
	}
}

static void add_data_values(struct found *f, size_t d, const uint32_t *values, size_t count,
			    enum entry_kind kind)
{
	for (size_t i = 0; i < count && i < FOUND_MAX; i++) {
		struct entry e = data_entry(f, d, values[i]);

		e.kind = kind;
		e.shared = count;
		add_entry(f, &e);
	}
}

/* ---- exact search ---- */

static void find_listed(struct found *f, const struct folded *words)
{
	const struct listed *l = &f->names->index->listed;
	uint32_t values[FOUND_MAX];
	size_t n = lexicon_find(l->values, words->key, words->len, values, FOUND_MAX);

	add_listed(f, l->value_entries, l->values, values, n, ENTRY_VALUE);
	n = lexicon_find(l->aliases, words->key, words->len, values, FOUND_MAX);
	add_listed(f, l->alias_entries, l->aliases, values, n, ENTRY_ALIAS);
	if (words->count != 1)
		return;
	n = lexicon_find_word(l->values, words->key, words->len, values, FOUND_MAX);
	add_listed(f, l->value_entries, l->values, values, n, ENTRY_PART);
}

#define INITIALS_MIN 2

static void find_in_data(struct found *f, size_t d, const struct folded *words)
{
	const struct lexicon *l = f->names->data_names[d];
	uint32_t values[FOUND_MAX];
	size_t n;

	if (!l || !f->in[d] || words->count > l->longest_words + 1)
		return;
	n = lexicon_find(l, words->key, words->len, values, FOUND_MAX);
	add_data_values(f, d, values, n, ENTRY_VALUE);
	if (words->count != 1) {
		n = n > 0 ? 0
			  : lexicon_find_words(l, words->key, words->ends, words->count, values,
					       FOUND_MAX);
		add_data_values(f, d, values, n, ENTRY_PART);
		return;
	}
	n = lexicon_find_word(l, words->key, words->len, values, FOUND_MAX);
	add_data_values(f, d, values, n, ENTRY_PART);
	n = lexicon_find_initials(l, words->key, words->len, values, FOUND_MAX);
	if (words->len > INITIALS_MIN || n == 1) /* two letters are too often a word */
		add_data_values(f, d, values, n, ENTRY_PART);
}

size_t names_longest_words(const struct names *n)
{
	const struct listed *l = &n->index->listed;
	size_t longest = l->values->longest_words;

	if (longest < l->aliases->longest_words)
		longest = l->aliases->longest_words;
	for (size_t d = 0; d < n->index->catalog->dimension_count; d++)
		if (n->data_names[d] && n->in[d] && longest < n->data_names[d]->longest_words)
			longest = n->data_names[d]->longest_words;
	return longest;
}

size_t names_prefix_words(const struct names *n, const struct folded *words)
{
	const struct listed *l = &n->index->listed;
	size_t prefix = lexicon_prefix_words(l->values, words),
	       more = lexicon_prefix_words(l->aliases, words);

	if (more > prefix)
		prefix = more;
	for (size_t d = 0; d < n->index->catalog->dimension_count; d++) {
		more = n->data_names[d] && n->in[d] ? lexicon_prefix_words(n->data_names[d], words)
						    : 0;
		if (more > prefix)
			prefix = more;
	}
	return prefix;
}

size_t names_find(const struct names *n, const struct folded *words, struct entry *out, size_t max)
{
	struct found f = {.names = n, .in = n->in, .out = out, .max = max};

	if (words->len == 0)
		return 0;
	find_listed(&f, words);
	for (size_t d = 0; d < n->index->catalog->dimension_count; d++)
		find_in_data(&f, d, words);
	return f.count;
}

size_t names_find_of(const struct names *n, size_t dimension, const struct folded *words,
		     struct arena *a, struct entry *out, size_t max)
{
	bool *in = arena_alloc(a, n->index->catalog->dimension_count + 1);
	struct found f = {.names = n, .in = in, .out = out, .max = max};

	in[dimension] = true;
	if (words->len == 0)
		return 0;
	find_listed(&f, words);
	find_in_data(&f, dimension, words);
	return f.count;
}

/* ---- fuzzy search ---- */

static void add_fuzzy(struct found *f, struct entry e, const struct fuzzy_value *v)
{
	e.distance = v->distance;
	e.shared = v->shared;
	if (v->part)
		e.kind = ENTRY_PART;
	add_entry(f, &e);
}

static void find_fuzzy_listed(struct found *f, const struct lexicon *l, const struct entry *entries,
			      const char *key, size_t len, bool include_others)
{
	struct fuzzy_value matches[FUZZY_MATCHES_MAX];
	size_t n =
		lexicon_find_fuzzy(l, key, len, fuzzy_limit(key, len), matches, FUZZY_MATCHES_MAX);

	for (size_t i = 0; i < n; i++) {
		struct entry e = entries[l->origin[matches[i].value]];

		if ((matches[i].other_name && !include_others) || e.when_value ||
		    (e.kind == ENTRY_ALIAS && !is_alias_in_use(f->names, &e)))
			continue;
		add_fuzzy(f, e, &matches[i]);
	}
}

static void sort_by_distance(struct entry *entries, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct entry e = entries[i];
		size_t at = i;

		for (; at > 0 && entries[at - 1].distance > e.distance; at--)
			entries[at] = entries[at - 1];
		entries[at] = e;
	}
}

size_t names_find_fuzzy(const struct names *n, const bool *in, const char *key, size_t len,
			bool include_others, struct arena *a, struct entry *out, size_t max)
{
	const struct listed *l = &n->index->listed;
	size_t dimensions = n->index->catalog->dimension_count;
	size_t capacity = FUZZY_MATCHES_MAX * (dimensions + 2);
	struct entry *all = arena_alloc(a, capacity * sizeof(*all));
	struct found f = {.names = n, .in = in, .out = all, .max = capacity};
	struct fuzzy_value matches[FUZZY_MATCHES_MAX];

	if (fuzzy_limit(key, len) == 0)
		return 0;
	find_fuzzy_listed(&f, l->values, l->value_entries, key, len, include_others);
	find_fuzzy_listed(&f, l->aliases, l->alias_entries, key, len, include_others);
	for (size_t d = 0; d < dimensions; d++) {
		size_t found = n->data_names[d] && in[d] && n->in[d]
				       ? lexicon_find_fuzzy(n->data_names[d], key, len,
							    fuzzy_limit(key, len), matches,
							    FUZZY_MATCHES_MAX)
				       : 0;

		for (size_t i = 0; i < found; i++)
			if (include_others || !matches[i].other_name)
				add_fuzzy(&f, data_entry(&f, d, matches[i].value), &matches[i]);
	}
	sort_by_distance(all, f.count);
	if (f.count > max)
		f.count = max;
	memcpy(out, all, f.count * sizeof(*out));
	return f.count;
}

/* ---- values of one dimension ---- */

static size_t listed_count(const struct dimension_def *d)
{
	return strlist_len(d->values);
}

size_t names_count(const struct names *n, const struct dimension_def *d)
{
	const struct lexicon *l = n->data_names[d->index];

	if (!n->in[d->index])
		return 0;
	return listed_count(d) + (l ? l->count : 0);
}

const char *names_value_at(const struct names *n, const struct dimension_def *d, size_t i,
			   const char **parent)
{
	const struct lexicon *l = n->data_names[d->index];
	size_t listed = listed_count(d);

	*parent = i < listed ? parent_at(d, i) : lexicon_parent(l, i - listed);
	return i < listed ? d->values[i] : lexicon_text(l, i - listed);
}

bool names_has_values(const struct names *n, const struct dimension_def *d)
{
	return names_count(n, d) > 0;
}

bool names_loaded(const struct names *n, const struct dimension_def *d)
{
	return n->data_names[d->index] && listed_count(d) == 0;
}

/* The parents of values with exactly this text. */
static size_t parents_of(const struct names *n, const struct dimension_def *d, const char *value,
			 const char **out, size_t max)
{
	const struct lexicon *l = n->data_names[d->index];
	uint32_t values[FOUND_MAX];
	size_t count = 0, found = 0;
	struct folded f;

	for (size_t i = 0; d->values && d->values[i] && count < max; i++)
		if (parent_at(d, i) && strcmp(d->values[i], value) == 0)
			out[count++] = parent_at(d, i);
	if (l && l->parents) {
		text_fold(value, &f);
		found = lexicon_find(l, f.key, f.len, values, FOUND_MAX);
	}
	for (size_t i = 0; i < found && i < FOUND_MAX && count < max; i++)
		if (lexicon_parent(l, values[i]) && strcmp(lexicon_text(l, values[i]), value) == 0)
			out[count++] = lexicon_parent(l, values[i]);
	return count;
}

const char *names_parent_of(const struct names *n, const struct dimension_def *d, const char *value,
			    const char *expected_parent, bool *several)
{
	const char *parents[FOUND_MAX];
	size_t count = parents_of(n, d, value, parents, FOUND_MAX);

	*several = false;
	for (size_t i = 0; i < count; i++) {
		if (expected_parent && strcmp(parents[i], expected_parent) == 0) {
			*several = false;
			return parents[i];
		}
		*several = *several || strcmp(parents[i], parents[0]) != 0;
	}
	return count > 0 ? parents[count - 1] : NULL;
}
