/*
 * The index over what can be named: every value of every dimension, its aliases in any rotation of
 * their words ("hub north"), and the parts of names made of several ("houston"). Keys are letters
 * and digits only, so "np-15", "NP 15" and "np15" are one.
 */
#include "know_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

#define PART_BYTES_MIN 3  /* "HB" in HB_NORTH says nothing alone */
#define OPTIONS_MAX    40 /* choices that one question back offers */
#define CLOSEST_MAX    5  /* suggestions for a name that is not known */

/* ---- making it ---- */

static void add_entry(struct know *k, const struct entry *e)
{
	int first = dict_find(&k->keys, e->key, e->len), last = -1;
	struct entry *slot;

	if (e->len == 0 || e->len >= ENTITY_KEY_BYTES)
		return;
	for (int i = first; i >= 0; i = k->entries[i].next) {
		last = i;
		if (k->entries[i].dimension == e->dimension && k->entries[i].value == e->value &&
		    k->entries[i].when_value == e->when_value)
			return;
	}
	k->entries = mem_grow(k->entries, &k->entry_cap, k->entry_count + 1, sizeof(*k->entries));
	slot = &k->entries[k->entry_count];
	*slot = *e;
	slot->next = -1;
	if (last >= 0)
		k->entries[last].next = (int)k->entry_count;
	else
		dict_put(&k->keys, e->key, e->len, (int)k->entry_count);
	if (e->kind != ENTRY_PART || e->len > PART_BYTES_MIN)
		trigrams_add(&k->trigrams, e->key, e->len, (uint32_t)k->entry_count);
	k->entry_count++;
}

static const char *joined(const struct question *q, size_t first, struct arena *a)
{
	size_t bytes = 1;
	char *key;

	for (size_t i = 0; i < q->count; i++)
		bytes += q->tokens[i].len;
	key = arena_alloc(a, bytes);
	for (size_t i = 0, n = 0; i < q->count; i++) {
		const struct token *t = &q->tokens[(first + i) % q->count];

		memcpy(key + n, t->text, t->len);
		n += t->len;
	}
	return key;
}

static void add_name(struct know *k, struct entry e, const char *text, bool rotate)
{
	struct question q;

	text_read(text, k->arena, &q);
	if (q.count == 0)
		return;
	if (q.count > k->longest_words)
		k->longest_words = q.count;
	for (size_t first = 0; first < (rotate ? q.count : 1); first++) {
		e.key = joined(&q, first, k->arena);
		e.len = strlen(e.key);
		add_entry(k, &e);
	}
}

/* A name of several parts can be called by one that says something. */
static void add_parts(struct know *k, struct entry e, const char *text)
{
	struct question q;

	text_read(text, k->arena, &q);
	e.kind = ENTRY_PART;
	for (size_t i = 0; q.count > 1 && i < q.count; i++) {
		if (!q.tokens[i].has_letter || q.tokens[i].len < PART_BYTES_MIN)
			continue;
		e.key = q.tokens[i].text;
		e.len = q.tokens[i].len;
		add_entry(k, &e);
	}
}

static const char *parent_at(const struct dimension_def *d, size_t i)
{
	return d->parents ? d->parents[i] : NULL;
}

static void add_alias(struct know *k, struct entry e, const struct alias_def *alias)
{
	const char *equals = alias->when ? strchr(alias->when, '=') : NULL;
	const struct dimension_def *d = e.dimension;

	e.kind = ENTRY_ALIAS;
	e.value = alias->value;
	for (size_t i = 0; d->values && d->values[i]; i++)
		if (strcmp(d->values[i], alias->value) == 0) {
			e.value = d->values[i];
			e.parent = parent_at(d, i);
		}
	if (equals) {
		e.when_dimension =
			arena_strndup(k->arena, alias->when, (size_t)(equals - alias->when));
		e.when_value = arena_strdup(k->arena, equals + 1);
	}
	add_name(k, e, alias->text, true);
}

void entity_index(struct know *k)
{
	for (size_t n = 0; n < k->catalog->dimension_count; n++) {
		const struct dimension_def *d = &k->catalog->dimensions[n];
		struct entry e = {.dimension = d, .dimension_index = n, .next = -1};

		for (size_t i = 0; d->values && d->values[i]; i++) {
			e.value = d->values[i];
			e.parent = parent_at(d, i);
			e.kind = ENTRY_VALUE;
			add_name(k, e, d->values[i], false);
			add_parts(k, e, d->values[i]);
		}
		e.parent = NULL;
		for (size_t i = 0; i < d->alias_count; i++)
			add_alias(k, e, &d->aliases[i]);
	}
	trigrams_sort(&k->trigrams);
}

/* ---- asking it ---- */

/* The dimensions that one tool's parameters take. */
struct tool_dimensions {
	size_t count;
	struct {
		size_t dimension;
		bool has_default;
	} items[TOOL_ARGS_MAX];
};

void scope_index(struct know *k)
{
	const struct catalog *c = k->catalog;

	k->tool_dimensions =
		arena_alloc(k->arena, sizeof(*k->tool_dimensions) * (c->tool_count + 1));
	for (size_t t = 0; t < c->tool_count; t++) {
		struct tool_dimensions *used = &k->tool_dimensions[t];

		for (size_t p = 0; p < c->tools[t].param_count && used->count < TOOL_ARGS_MAX;
		     p++) {
			const struct param_def *param = &c->tools[t].params[p];
			const struct dimension_def *d =
				param->entity ? catalog_dimension(c, param->entity) : NULL;

			if (!d)
				continue;
			used->items[used->count].dimension = (size_t)(d - c->dimensions);
			used->items[used->count++].has_default = param->default_text != NULL;
		}
	}
}

void scope_read(const struct know *k, const struct catalog_view *v, struct arena *a,
		struct scope *out)
{
	size_t n = k->catalog->dimension_count;
	bool *in = arena_alloc(a, n + 1), *weak = arena_alloc(a, n + 1);

	for (size_t t = 0; t < v->tool_count; t++) {
		const struct tool_dimensions *used =
			&k->tool_dimensions[v->tools[t] - k->catalog->tools];

		for (size_t i = 0; i < used->count; i++) {
			in[used->items[i].dimension] = true;
			weak[used->items[i].dimension] |= used->items[i].has_default;
		}
	}
	*out = (struct scope){in, weak};
}

const char *entity_parent_of(const struct dimension_def *d, const char *value,
			     const char *wanted_parent, bool *several)
{
	const char *parent = NULL;

	*several = false;
	for (size_t i = 0; d->values && d->values[i]; i++) {
		const char *p = parent_at(d, i);

		if (!p || strcmp(d->values[i], value) != 0)
			continue;
		if (wanted_parent && strcmp(p, wanted_parent) == 0) {
			*several = false;
			return p;
		}
		*several = *several || (parent && strcmp(parent, p) != 0);
		parent = p;
	}
	return parent;
}

size_t entity_options(const struct dimension_def *d, const char *parent, struct arena *a,
		      const struct suggestion **out)
{
	struct suggestion *options = arena_alloc(a, sizeof(*options) * OPTIONS_MAX);
	size_t n = 0;

	for (size_t i = 0; d->values && d->values[i] && n < OPTIONS_MAX; i++) {
		const char *p = parent_at(d, i);

		if (parent && p && strcmp(p, parent) != 0)
			continue;
		options[n].value = d->values[i];
		options[n].label =
			p && !parent ? arena_printf(a, "%s (%s)", d->values[i], p) : d->values[i];
		n++;
	}
	*out = options;
	return n;
}

/* ---- one name ---- */

struct near {
	int distance;
	const struct entry *entries[CLOSEST_MAX];
	size_t count;
};

static bool near_has(const struct near *n, const struct entry *e)
{
	for (size_t i = 0; i < n->count; i++)
		if (n->entries[i]->dimension == e->dimension &&
		    strcmp(n->entries[i]->value, e->value) == 0)
			return true;
	return false;
}

/* A typing error rarely hits the first letter, unless two were swapped there. */
static bool same_beginning(const char *key, size_t len, const struct entry *e)
{
	if (len >= 8 || key[0] == e->key[0])
		return true;
	return len > 1 && e->len > 1 && key[0] == e->key[1] && key[1] == e->key[0];
}

void entity_near(const struct know *k, const bool *in, const char *key, size_t len, struct arena *a,
		 const struct entry **out, size_t *count)
{
	uint16_t *shared = arena_alloc(a, sizeof(*shared) * (k->entry_count + 1));
	struct near best = {.distance = fuzzy_limit(key, len)};

	*count = 0;
	if (best.distance == 0 || len >= ENTITY_KEY_BYTES)
		return;
	trigrams_count(&k->trigrams, key, len, shared, k->entry_count);
	for (size_t i = 0; i < k->entry_count; i++) {
		const struct entry *e = &k->entries[i];
		int distance;

		if (shared[i] == 0 || !in[e->dimension_index] || e->when_value || e->len < 4 ||
		    !fuzzy_same_digits(key, len, e->key, e->len) || !same_beginning(key, len, e))
			continue;
		distance = fuzzy_distance(key, len, e->key, e->len, best.distance);
		if (distance > best.distance)
			continue;
		if (distance < best.distance)
			best = (struct near){.distance = distance};
		if (best.count < CLOSEST_MAX && !near_has(&best, e))
			best.entries[best.count++] = e;
	}
	memcpy(out, best.entries, best.count * sizeof(*best.entries));
	*count = best.count;
}

/* The values of one dimension that share most trigrams with the key, the best first. */
size_t entity_closest(const struct know *k, const struct dimension_def *d, const char *key,
		      const char *parent, struct arena *a, const struct suggestion **out)
{
	uint16_t *shared = arena_alloc(a, sizeof(*shared) * (k->entry_count + 1));
	struct suggestion *list = arena_alloc(a, sizeof(*list) * CLOSEST_MAX);
	uint16_t weights[CLOSEST_MAX] = {0};
	size_t n = 0;

	trigrams_count(&k->trigrams, key, strlen(key), shared, k->entry_count);
	for (size_t i = 0; i < k->entry_count; i++) {
		const struct entry *e = &k->entries[i];
		size_t at;

		if (shared[i] < 2 || e->dimension != d || e->kind != ENTRY_VALUE ||
		    (parent && e->parent && strcmp(parent, e->parent) != 0))
			continue;
		for (at = n; at > 0 && weights[at - 1] < shared[i]; at--)
			;
		if (at == CLOSEST_MAX)
			continue;
		n = n < CLOSEST_MAX ? n + 1 : n;
		memmove(&weights[at + 1], &weights[at], (n - at - 1) * sizeof(*weights));
		memmove(&list[at + 1], &list[at], (n - at - 1) * sizeof(*list));
		weights[at] = shared[i];
		list[at] = (struct suggestion){
			e->value, e->parent && !parent
					  ? arena_printf(a, "%s (%s)", e->value, e->parent)
					  : e->value};
	}
	if (n == 0)
		return entity_options(d, parent, a, out);
	*out = list;
	return n;
}
