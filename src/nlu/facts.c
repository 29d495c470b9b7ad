/* Facts: the values read for each filter, under its singular name, in the order of the question. */
#include "nlu_int.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

struct fact *facts_find(struct facts *f, const char *filter)
{
	for (size_t i = 0; i < f->count; i++)
		if (strcmp(f->items[i].filter, filter) == 0)
			return &f->items[i];
	return NULL;
}

const struct fact *facts_get(const struct facts *f, const char *filter)
{
	for (size_t i = 0; i < f->count; i++)
		if (strcmp(f->items[i].filter, filter) == 0)
			return &f->items[i];
	return NULL;
}

bool value_equal(const struct value *a, const struct value *b)
{
	if (a->type != b->type)
		return false;
	if (a->type == VALUE_INT || a->type == VALUE_BOOL)
		return a->number == b->number;
	return a->text && b->text && strcmp(a->text, b->text) == 0;
}

struct fact *facts_add(struct facts *f, struct arena *a, const char *filter,
		       const struct dimension_def *d, struct value v, enum filter_source source)
{
	struct fact *fact = facts_find(f, filter);

	if (!fact) {
		if (f->count == FACTS_MAX)
			return &f->items[FACTS_MAX - 1];
		fact = &f->items[f->count++];
		*fact = (struct fact){.filter = filter, .dimension = d, .source = source};
	}
	for (size_t i = 0; i < fact->count; i++)
		if (value_equal(&fact->values[i], &v))
			return fact;
	if (fact->count == fact->cap) {
		size_t cap = fact->cap ? fact->cap * 2 : 4;
		struct value *values = arena_alloc(a, cap * sizeof(*values));

		if (fact->count > 0)
			memcpy(values, fact->values, fact->count * sizeof(*values));
		fact->values = values;
		fact->cap = cap;
	}
	/* A filter has one source. If one value was resolved from other words, the source is
	 * SOURCE_ALIAS, so that the filter is not reported as given literally. */
	if (source == SOURCE_ALIAS && fact->source == SOURCE_EXPLICIT)
		fact->source = source;
	fact->values[fact->count++] = v;
	return fact;
}

void facts_drop(struct facts *f, const char *filter)
{
	struct fact *fact = facts_find(f, filter);

	if (!fact)
		return;
	memmove(fact, fact + 1, (size_t)(&f->items[f->count] - (fact + 1)) * sizeof(*fact));
	f->count--;
}

const char *filter_singular(const char *name, struct arena *a)
{
	size_t n = strlen(name);

	return n > 1 && name[n - 1] == 's' ? arena_strndup(a, name, n - 1) : name;
}

const char *filter_plural(const char *name, struct arena *a)
{
	return arena_printf(a, "%ss", name);
}

const char *value_display_text(const struct reading *r, const struct value *v)
{
	switch (v->type) {
	case VALUE_INT:
		return arena_printf(r->arena, "%" PRId64, v->number);
	case VALUE_BOOL:
		return language_text(r->nlu->catalog->language,
				     v->number ? SAY_VALUE_YES : SAY_VALUE_NO);
	case VALUE_NULL:
		return "";
	default:
		return v->text;
	}
}
