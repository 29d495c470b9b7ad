/* Resolves a text within one dimension: to its value, to several candidates, or to similar
 * values. */
#include "names_int.h"

#include <string.h>

#include "vesper/dates.h"

/* Returns true when the context allows this entry. An alias limited to one market needs that
 * market. */
static bool fits_context(const struct entry *e, const struct args *context, struct arena *a,
			 bool *is_ambiguous)
{
	const char *name = e->when_dimension ? e->when_dimension : e->dimension->parent;
	const char *required_value = e->when_value ? e->when_value : e->parent;
	const char *context_value = context && name ? args_text(context, name, a) : NULL;

	if (!required_value || !name)
		return true;
	if (context_value)
		return strcmp(context_value, required_value) == 0 || e->kind == ENTRY_VALUE;
	if (e->when_value)
		*is_ambiguous = true;
	return true;
}

#define MATCHES_MAX 16
#define FOUND_MAX   64

static void add_match(struct suggestion *list, size_t *n, size_t max, const struct entry *e,
		      struct arena *a)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(list[i].value, e->value) == 0)
			return;
	if (*n == max)
		return;
	list[*n].value = arena_strdup(a, e->value);
	list[*n].label =
		e->parent ? arena_printf(a, "%s (%s)", e->value, e->parent) : list[*n].value;
	(*n)++;
}

/* Tries exact names first, then parts of names. */
static bool resolve_words(const struct names *names, size_t dimension, const struct folded *words,
			  const struct args *context, struct arena *a, struct name_match *out)
{
	struct suggestion *list = arena_alloc(a, sizeof(*list) * MATCHES_MAX);
	struct entry found[FOUND_MAX];
	size_t count = names_find_of(names, dimension, words, a, found, FOUND_MAX), n = 0;
	bool is_ambiguous = false;

	for (enum entry_kind kind = ENTRY_VALUE; kind <= ENTRY_PART; kind++) {
		for (size_t i = 0; i < count; i++)
			if (found[i].kind == kind &&
			    fits_context(&found[i], context, a, &is_ambiguous))
				add_match(list, &n, MATCHES_MAX, &found[i], a);
		if (n == 1 && !is_ambiguous) {
			*out = (struct name_match){.value = list[0].value,
						   .alias = kind != ENTRY_VALUE};
			return true;
		}
		if (n > 0 && !is_ambiguous)
			break;
	}
	out->several = n > 0;
	out->suggestions = list;
	out->suggestion_count = n;
	return false;
}

static bool resolve_fuzzy(const struct names *names, size_t dimension, const struct folded *words,
			  struct arena *a, struct name_match *out)
{
	bool *in = arena_alloc(a, names->index->catalog->dimension_count + 1);
	struct suggestion *list = arena_alloc(a, sizeof(*list) * MATCHES_MAX);
	struct entry matches[FUZZY_MATCHES_MAX];
	size_t count, n = 0;

	in[dimension] = true;
	count = names_candidates(names, in, words->key, words->len, a, matches);
	for (size_t i = 0; i < count; i++)
		add_match(list, &n, MATCHES_MAX, &matches[i], a);
	if (n == 1) {
		*out = (struct name_match){.value = list[0].value, .alias = true};
		return true;
	}
	out->several = n > 1;
	out->suggestions = list;
	out->suggestion_count = n;
	return false;
}

/* Returns true when the dimension's values have been loaded. */
static bool are_values_loaded(const struct names *names, const struct dimension_def *d)
{
	return names->data_names[d->index] != NULL;
}

/* Resolves a date label to its spelling in the data. Unknown labels fail once the values are
 * loaded. */
static bool resolve_label(const struct names *names, const struct dimension_def *d,
			  const char *label, const char *text, struct arena *a,
			  struct name_match *out)
{
	size_t count = names_count(names, d);
	const char *parent;

	for (size_t i = 0; i < count; i++) {
		const char *value = names_value_at(names, d, i, &parent),
			   *known = dates_label(value, a);

		if (strcmp(value, label) != 0 && (!known || strcmp(known, label) != 0))
			continue;
		*out = (struct name_match){.value = arena_strdup(a, value),
					   .alias = strcmp(value, text) != 0};
		return true;
	}
	if (count > 0 || are_values_loaded(names, d)) {
		out->suggestion_count = names_list_options(names, d, NULL, a, &out->suggestions);
		return false;
	}
	*out = (struct name_match){.value = label, .alias = strcmp(label, text) != 0};
	return true;
}

bool names_resolve(const struct names *names, const struct dimension_def *d, const char *text,
		   const struct args *context, struct arena *a, struct name_match *out)
{
	size_t index = d->index;
	const char *label, *parent;
	struct folded words;

	*out = (struct name_match){0};
	if (!names->in[index])
		return false;
	text_fold(text, &words);
	if (strcmp(d->filter, FILTER_ASOF) == 0 && (label = dates_label(text, a)))
		return resolve_label(names, d, label, text, a, out);
	if (resolve_words(names, index, &words, context, a, out))
		return true;
	if (out->several || resolve_fuzzy(names, index, &words, a, out))
		return !out->several;
	if (out->several)
		return false;
	if (!names_has_values(names, d)) {
		if (strcmp(d->filter, FILTER_ASOF) == 0 || words.len == 0)
			return false;
		if (are_values_loaded(names, d))
			return false;
		/* Values are not loaded yet: accept any text, and the query reports unknown ones.
		 */
		*out = (struct name_match){.value = arena_strdup(a, text)};
		return true;
	}
	parent = d->parent && context ? args_text(context, d->parent, a) : NULL;
	out->suggestion_count = names_suggest_similar(names, d, text, parent, a, &out->suggestions);
	return false;
}

/* By dimension: whether the caller may read it. */
static const bool *readable_dimensions(const struct catalog *c, const struct principal *who,
				       struct arena *a)
{
	bool *in = arena_alloc(a, c->dimension_count + 1);

	for (size_t i = 0; i < c->dimension_count; i++)
		in[i] = catalog_dimension_readable(&c->dimensions[i], who);
	return in;
}

bool entity_index_resolve(const struct entity_index *b, const struct principal *who,
			  const char *dimension, const char *text, const struct args *context,
			  struct arena *a, struct name_match *out)
{
	const struct dimension_def *d = catalog_dimension(b->catalog, dimension);
	const struct names *names =
		names_of(b, who ? who->tenant : NULL, readable_dimensions(b->catalog, who, a), a);

	*out = (struct name_match){0};
	if (!d)
		return false;
	if (b->from_data && d->view && !are_values_loaded(names, d) &&
	    !names_has_values(names, d)) {
		out->is_not_loaded = catalog_dimension_readable(d, who);
		return false;
	}
	return names_resolve(names, d, text, context, a, out);
}
