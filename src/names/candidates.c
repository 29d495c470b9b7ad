/* Candidates for misspelled words, and options to offer for missing or unknown names. */
#include "names_int.h"

#include <string.h>

#include "vesper/limits.h"

#define OPTIONS_MAX      40     /* choices per clarifying question */
#define OPTIONS_SCAN_MAX 100000 /* values scanned for them */
#define SUGGESTIONS_MAX  5      /* for an unknown name */

/* ---- options ---- */

static struct suggestion option_of(const char *value, const char *parent, struct arena *a)
{
	struct suggestion s = {.value = arena_strdup(a, value), .group = arena_strdup(a, parent)};

	s.label = parent ? arena_printf(a, "%s (%s)", value, parent) : s.value;
	return s;
}

/* Skips duplicates: the data also contains most listed values. */
static bool is_option(const struct suggestion *options, size_t count, const char *value,
		      const char *parent)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(options[i].value, value) == 0 &&
		    (!parent || strstr(options[i].label, parent)))
			return true;
	return false;
}

size_t names_list_options(const struct names *names, const struct dimension_def *d,
			  const char *parent, struct arena *a, const struct suggestion **out)
{
	struct suggestion *options = arena_alloc(a, sizeof(*options) * OPTIONS_MAX);
	size_t n = 0, count = names_count(names, d);

	for (size_t i = 0; i < count && i < OPTIONS_SCAN_MAX && n < OPTIONS_MAX; i++) {
		const char *value_parent, *value = names_value_at(names, d, i, &value_parent);

		if ((!parent || !value_parent || strcmp(value_parent, parent) == 0) &&
		    !is_option(options, n, value, parent ? NULL : value_parent))
			options[n++] = option_of(value, parent ? NULL : value_parent, a);
	}
	*out = options;
	return n;
}

/* ---- fuzzy match ---- */

/* A typing error rarely affects the first letter of a short word, except when the first two were
 * swapped. */
static bool has_same_beginning(const char *key, size_t len, const struct entry *e)
{
	struct folded f;

	if (len >= 8 || e->kind == ENTRY_PART)
		return true;
	text_fold(e->value, &f);
	if (e->kind == ENTRY_ALIAS || key[0] == f.key[0])
		return true;
	return len > 1 && f.len > 1 && key[0] == f.key[1] && key[1] == f.key[0];
}

/* A four-letter word close to a part of a name, or to a four-letter name, is a different word:
 * "boss" is not BESS, "mind" not wind. */
static bool is_other_word(const char *key, size_t len, const struct entry *e)
{
	for (size_t i = 0; i < len; i++)
		if (key[i] >= '0' && key[i] <= '9')
			return false;
	return len == 4 && (e->kind != ENTRY_VALUE || strlen(e->value) == 4);
}

size_t names_candidates(const struct names *names, const bool *in, const char *key, size_t len,
			struct arena *a, struct entry *out)
{
	size_t count = names_find_fuzzy(names, in, key, len, false, a, out, FUZZY_MATCHES_MAX),
	       n = 0;

	for (size_t i = 0; i < count; i++)
		if (has_same_beginning(key, len, &out[i]) && !is_other_word(key, len, &out[i]) &&
		    (n == 0 || out[i].distance == out[0].distance))
			out[n++] = out[i];
	return n;
}

/* ---- similar names ---- */

struct suggestion_list {
	const struct names *names;
	const char *parent;
	struct arena *arena;
	struct suggestion *list;
	size_t count;
};

static void add_suggestion(struct suggestion_list *c, const char *value, const char *value_parent)
{
	if (c->count == SUGGESTIONS_MAX ||
	    (c->parent && value_parent && strcmp(c->parent, value_parent) != 0))
		return;
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->list[i].value, value) == 0)
			return;
	c->list[c->count++] = option_of(value, c->parent ? NULL : value_parent, c->arena);
}

static void suggest_fuzzy(struct suggestion_list *c, size_t dimension, const struct folded *f)
{
	bool *in = arena_alloc(c->arena, c->names->index->catalog->dimension_count + 1);
	struct entry matches[FUZZY_MATCHES_MAX];
	size_t n;

	in[dimension] = true;
	n = names_find_fuzzy(c->names, in, f->key, f->len, true, c->arena, matches,
			     FUZZY_MATCHES_MAX);
	for (size_t i = 0; i < n; i++)
		add_suggestion(c, matches[i].value, matches[i].parent);
}

static void suggest_similar(struct suggestion_list *c, size_t dimension, const struct folded *f)
{
	const struct listed *l = &c->names->index->listed;
	const struct lexicon *data_names = c->names->data_names[dimension];
	struct similar_value similar[SUGGESTIONS_MAX * 2];
	size_t n = lexicon_find_similar(l->values, f, similar, SUGGESTIONS_MAX * 2);

	for (size_t i = 0; i < n; i++) {
		const struct entry *e = &l->value_entries[l->values->origin[similar[i].value]];

		if (e->dimension_index == dimension)
			add_suggestion(c, e->value, e->parent);
	}
	n = data_names ? lexicon_find_similar(data_names, f, similar, SUGGESTIONS_MAX * 2) : 0;
	for (size_t i = 0; i < n; i++)
		add_suggestion(c, lexicon_text(data_names, similar[i].value),
			       lexicon_parent(data_names, similar[i].value));
}

/* Values of the dimension similar to the text. */
static size_t find_similar(const struct names *names, const struct dimension_def *d,
			   const char *text, const char *parent, struct arena *a,
			   const struct suggestion **out)
{
	struct suggestion_list c = {.names = names, .parent = parent, .arena = a};
	struct folded f;

	c.list = arena_alloc(a, sizeof(*c.list) * SUGGESTIONS_MAX);
	text_fold(text, &f);
	suggest_fuzzy(&c, d->index, &f);
	suggest_similar(&c, d->index, &f);
	*out = c.list;
	return c.count;
}

size_t names_suggest_similar(const struct names *names, const struct dimension_def *d,
			     const char *text, const char *parent, struct arena *a,
			     const struct suggestion **out)
{
	size_t count;

	*out = NULL;
	if (!names->in[d->index])
		return 0;
	count = find_similar(names, d, text, parent, a, out);
	return count > 0 ? count : names_list_options(names, d, parent, a, out);
}

const struct dimension_def *names_most_similar_dimension(const struct names *names,
							 const char *text)
{
	const struct listed *l = &names->index->listed;
	const struct catalog *c = names->index->catalog;
	const struct dimension_def *best = NULL;
	struct similar_value similar[FUZZY_MATCHES_MAX];
	uint32_t most_shared = 1;
	struct folded f;
	size_t n;

	text_fold(text, &f);
	n = lexicon_find_similar(l->values, &f, similar, FUZZY_MATCHES_MAX);
	for (size_t i = 0; i < n; i++) {
		const struct entry *e = &l->value_entries[l->values->origin[similar[i].value]];

		if (similar[i].shared > most_shared && names->in[e->dimension_index]) {
			most_shared = similar[i].shared;
			best = e->dimension;
		}
	}
	for (size_t d = 0; d < c->dimension_count; d++)
		if (names->data_names[d] && names->in[d] &&
		    lexicon_find_similar(names->data_names[d], &f, similar, 1) > 0 &&
		    similar[0].shared > most_shared) {
			most_shared = similar[0].shared;
			best = &c->dimensions[d];
		}
	return best;
}

/* ---- values of a filter ---- */

static const char *label_of(const struct dimension_def *d, const char *value)
{
	for (const char *const *w = d->words; w && *w; w += 2)
		if (strcmp(w[0], value) == 0)
			return w[1];
	return value;
}

static bool contains_text(const char *text, const struct folded *query)
{
	struct folded f;

	text_fold(text, &f);
	return strstr(f.key, query->key) != NULL;
}

static bool has_value(const struct suggestion *list, size_t count, const char *value,
		      const char *group)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].value, value) == 0 &&
		    (!group || (list[i].group && strcmp(list[i].group, group) == 0)))
			return true;
	return false;
}

static size_t add_values_containing(const struct names *names, const struct dimension_def *d,
				    const struct folded *query, struct arena *a,
				    struct suggestion *list, size_t n)
{
	size_t count = names_count(names, d);

	for (size_t i = 0; i < count && i < FILTER_VALUES_SCAN_MAX && n < FILTER_VALUES_MAX; i++) {
		const char *parent, *value = names_value_at(names, d, i, &parent);
		const char *words = label_of(d, value);

		if ((query->len == 0 || contains_text(value, query) ||
		     contains_text(words, query)) &&
		    !has_value(list, n, value, parent))
			list[n++] = (struct suggestion){.value = arena_strdup(a, value),
							.label = arena_strdup(a, words),
							.group = arena_strdup(a, parent)};
	}
	return n;
}

static size_t add_similar_values(const struct names *names, const struct dimension_def *d,
				 const char *text, struct arena *a, struct suggestion *list,
				 size_t n)
{
	const struct suggestion *found;
	size_t count = find_similar(names, d, text, NULL, a, &found);

	for (size_t i = 0; i < count && n < FILTER_VALUES_MAX; i++)
		if (!has_value(list, n, found[i].value, found[i].group))
			list[n++] = (struct suggestion){.value = found[i].value,
							.label = label_of(d, found[i].value),
							.group = found[i].group};
	return n;
}

size_t entity_index_values(const struct entity_index *b, const struct catalog_view *v,
			   const char *filter, const char *text, struct arena *a,
			   const struct suggestion **out)
{
	struct suggestion *list = arena_alloc(a, sizeof(*list) * FILTER_VALUES_MAX);
	const struct catalog *c = b->catalog;
	const struct names *names;
	struct folded query;
	struct scope scope;
	size_t n = 0;

	scope_read(b, v, a, &scope);
	names = names_of(b, v->tenant, scope.in, a);
	text_fold(text, &query);
	for (int pass = 0; pass < 2 && n == 0 && (pass == 0 || query.len > 0); pass++)
		for (size_t i = 0; i < c->dimension_count; i++) {
			const struct dimension_def *d = &c->dimensions[i];

			if (!scope.in[i] || d->resolves || !catalog_filter_is(d->filter, filter))
				continue;
			n = pass == 0 ? add_values_containing(names, d, &query, a, list, n)
				      : add_similar_values(names, d, text, a, list, n);
		}
	*out = list;
	return n;
}
