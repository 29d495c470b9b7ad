/* One text and one dimension: the value it names, the several it might, or the closest. */
#include "know_int.h"

#include <string.h>

/* Does the context allow this reading? An alias of one market needs that market. */
static bool fits_context(const struct entry *e, const struct args *context, struct arena *a,
			 bool *unsure)
{
	const char *name = e->when_dimension ? e->when_dimension : e->dimension->parent;
	const char *wanted = e->when_value ? e->when_value : e->parent;
	const char *said = context && name ? args_text(context, name, a) : NULL;

	if (!wanted || !name)
		return true;
	if (said)
		return strcmp(said, wanted) == 0 || e->kind == ENTRY_VALUE;
	if (e->when_value)
		*unsure = true;
	return true;
}

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

#define MATCHES_MAX 16

/* Exact names first; parts of names only where nothing else has that name. */
static bool resolve_key(const struct names *names, const struct dimension_def *d, const char *key,
			const struct args *context, struct arena *a, struct know_match *out)
{
	struct suggestion *list = arena_alloc(a, sizeof(*list) * MATCHES_MAX);
	size_t n = 0;
	bool unsure = false;

	for (enum entry_kind kind = ENTRY_VALUE; kind <= ENTRY_PART; kind++) {
		for (int i = dict_find(&names->keys, key, strlen(key)); i >= 0;
		     i = names->entries[i].next)
			if (names->entries[i].dimension == d && names->entries[i].kind == kind &&
			    fits_context(&names->entries[i], context, a, &unsure))
				add_match(list, &n, MATCHES_MAX, &names->entries[i], a);
		if (n == 1 && !unsure) {
			*out = (struct know_match){.value = list[0].value,
						   .source = kind == ENTRY_VALUE ? SOURCE_SAID
										 : SOURCE_ALIAS};
			return true;
		}
		if (n > 0 && !unsure)
			break;
	}
	out->several = n > 0;
	out->suggestions = list;
	out->suggestion_count = n;
	return false;
}

static bool resolve_near(const struct names *names, const struct dimension_def *d, const char *key,
			 struct arena *a, struct know_match *out)
{
	bool *in = arena_alloc(a, names->catalog->dimension_count + 1);
	struct suggestion *list = arena_alloc(a, sizeof(*list) * MATCHES_MAX);
	const struct entry *near[8];
	size_t count, n = 0;

	in[d - names->catalog->dimensions] = true;
	entity_near(names, in, key, strlen(key), a, near, &count);
	for (size_t i = 0; i < count; i++)
		add_match(list, &n, MATCHES_MAX, near[i], a);
	if (n == 1) {
		*out = (struct know_match){.value = list[0].value, .source = SOURCE_ALIAS};
		return true;
	}
	out->several = n > 1;
	out->suggestions = list;
	out->suggestion_count = n;
	return false;
}

/* A label of a date: as the data spell it where they are known, and none that they do not have. */
static bool resolve_label(const struct names *names, const struct dimension_def *d,
			  const char *label, const char *text, struct arena *a,
			  struct know_match *out)
{
	const char *const *values = names_values(names, d);

	for (size_t i = 0; values && values[i]; i++) {
		const char *known = dates_label(values[i], a);

		if (strcmp(values[i], label) != 0 && (!known || strcmp(known, label) != 0))
			continue;
		*out = (struct know_match){.value = arena_strdup(a, values[i])};
		out->source = strcmp(values[i], text) == 0 ? SOURCE_SAID : SOURCE_ALIAS;
		return true;
	}
	if (values) {
		out->suggestion_count = entity_options(names, d, NULL, a, &out->suggestions);
		return false;
	}
	*out = (struct know_match){.value = label,
				   .source = strcmp(label, text) == 0 ? SOURCE_SAID : SOURCE_ALIAS};
	return true;
}

bool know_resolve(const struct know *k, const char *tenant, const char *dimension, const char *text,
		  const struct args *context, struct arena *a, struct know_match *out)
{
	const struct dimension_def *d = catalog_dimension(k->catalog, dimension);
	const struct names *names = learn_names(k, tenant);
	const char *key = text_key(text, a);
	const char *label;

	*out = (struct know_match){0};
	if (!d)
		return false;
	if (strcmp(d->filter, FILTER_ASOF) == 0 && (label = dates_label(text, a)))
		return resolve_label(names, d, label, text, a, out);
	if (*key && resolve_key(names, d, key, context, a, out))
		return true;
	if (out->several || (*key && resolve_near(names, d, key, a, out)))
		return !out->several;
	if (out->several)
		return false;
	if (!names_values(names, d)) {
		if (strcmp(d->filter, FILTER_ASOF) == 0 || !*key)
			return false;
		/* Nothing is known beforehand about such names; the data will tell. */
		*out = (struct know_match){.value = arena_strdup(a, text), .source = SOURCE_SAID};
		return true;
	}
	out->suggestion_count = entity_closest(
		names, d, key, d->parent && context ? args_text(context, d->parent, a) : NULL, a,
		&out->suggestions);
	return false;
}
