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
#define PART_NAMES_MAX 32 /* a word that more names of one dimension share tells none of them */
#define OPTIONS_MAX    40 /* choices that one question back offers */
#define CLOSEST_MAX    5  /* suggestions for a name that is not known */

#define NAMES_ARENA_BYTES (512 * 1024 * 1024)

/* ---- making it ---- */

static void add_entry(struct names *n, const struct entry *e)
{
	int first = dict_find(&n->keys, e->key, e->len), last = -1;
	size_t sharing = 0;
	struct entry *slot;

	if (e->len == 0 || e->len >= ENTITY_KEY_BYTES)
		return;
	for (int i = first; i >= 0; i = n->entries[i].next) {
		last = i;
		if (n->entries[i].dimension == e->dimension && n->entries[i].value == e->value &&
		    n->entries[i].when_value == e->when_value)
			return;
		sharing += n->entries[i].dimension == e->dimension;
	}
	if (e->kind == ENTRY_PART && sharing >= PART_NAMES_MAX)
		return;
	n->entries = mem_grow(n->entries, &n->entry_cap, n->entry_count + 1, sizeof(*n->entries));
	slot = &n->entries[n->entry_count];
	*slot = *e;
	slot->next = -1;
	if (last >= 0)
		n->entries[last].next = (int)n->entry_count;
	else
		dict_put(&n->keys, e->key, e->len, (int)n->entry_count);
	if (e->kind != ENTRY_PART || e->len > PART_BYTES_MIN)
		trigrams_add(&n->trigrams, e->key, e->len, (uint32_t)n->entry_count);
	n->entry_count++;
}

static const char *joined(const struct question *q, size_t first, struct arena *a)
{
	size_t bytes = 1;
	char *key;

	for (size_t i = 0; i < q->count; i++)
		bytes += q->tokens[i].len;
	key = arena_alloc(a, bytes);
	for (size_t i = 0, at = 0; i < q->count; i++) {
		const struct token *t = &q->tokens[(first + i) % q->count];

		memcpy(key + at, t->text, t->len);
		at += t->len;
	}
	return key;
}

static void add_name(struct names *n, struct entry e, const char *text, bool rotate)
{
	struct question q;

	text_read(text, n->arena, &q);
	if (q.count == 0)
		return;
	if (q.count > n->longest_words)
		n->longest_words = q.count;
	for (size_t first = 0; first < (rotate ? q.count : 1); first++) {
		e.key = joined(&q, first, n->arena);
		e.len = strlen(e.key);
		add_entry(n, &e);
	}
}

/* A name of several parts can be called by one that says something. */
static void add_parts(struct names *n, struct entry e, const char *text)
{
	struct question q;

	text_read(text, n->arena, &q);
	e.kind = ENTRY_PART;
	for (size_t i = 0; q.count > 1 && i < q.count; i++) {
		if (!q.tokens[i].has_letter || q.tokens[i].len < PART_BYTES_MIN)
			continue;
		e.key = q.tokens[i].text;
		e.len = q.tokens[i].len;
		add_entry(n, &e);
	}
}

static const char *parent_at(const struct dimension_def *d, size_t i)
{
	return d->parents ? d->parents[i] : NULL;
}

static void add_alias(struct names *n, struct entry e, const struct alias_def *alias)
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
			arena_strndup(n->arena, alias->when, (size_t)(equals - alias->when));
		e.when_value = arena_strdup(n->arena, equals + 1);
	}
	add_name(n, e, alias->text, true);
}

/* "bos" is "Blue Oak Solar"; two letters are words too often. */
static void add_initials(struct names *n, struct entry e, const char *text)
{
	struct question q;
	char *key;

	text_read(text, n->arena, &q);
	if (q.count < PART_BYTES_MIN)
		return;
	key = arena_alloc(n->arena, q.count + 1);
	for (size_t i = 0; i < q.count; i++)
		key[i] = q.tokens[i].text[0];
	e.kind = ENTRY_PART;
	e.key = key;
	e.len = q.count;
	add_entry(n, &e);
}

static void add_listed(struct names *n, struct entry e)
{
	const struct dimension_def *d = e.dimension;

	for (size_t i = 0; d->values && d->values[i]; i++) {
		e.value = d->values[i];
		e.parent = parent_at(d, i);
		e.kind = ENTRY_VALUE;
		add_name(n, e, d->values[i], false);
		add_parts(n, e, d->values[i]);
	}
	e.parent = NULL;
	for (size_t i = 0; i < d->alias_count; i++)
		add_alias(n, e, &d->aliases[i]);
}

/* As-of labels are read as the dates that they are, not as names. */
static void add_learned(struct names *n, struct entry e, const char *const *values)
{
	for (size_t i = 0; strcmp(e.dimension->filter, FILTER_ASOF) != 0 && values[i]; i++) {
		e.value = values[i];
		e.kind = ENTRY_VALUE;
		add_name(n, e, values[i], false);
		add_parts(n, e, values[i]);
		add_initials(n, e, values[i]);
	}
}

static const char *const *copy_values(const char *const *values, struct arena *a)
{
	size_t count = 0;
	const char **copy;

	while (values[count])
		count++;
	copy = arena_alloc(a, (count + 1) * sizeof(*copy));
	for (size_t i = 0; i < count; i++)
		copy[i] = arena_strdup(a, values[i]);
	return copy;
}

void names_init(struct names *n, const struct catalog *c, const char *const *const *learned)
{
	*n = (struct names){.catalog = c, .arena = arena_new(NAMES_ARENA_BYTES)};
	dict_init(&n->keys, n->arena);
	n->learned = arena_alloc(n->arena, (c->dimension_count + 1) * sizeof(*n->learned));
	for (size_t i = 0; i < c->dimension_count; i++) {
		struct entry e = {.dimension = &c->dimensions[i], .dimension_index = i, .next = -1};

		add_listed(n, e);
		if (!learned || !learned[i])
			continue;
		n->learned[i] = copy_values(learned[i], n->arena);
		add_learned(n, e, n->learned[i]);
	}
	trigrams_sort(&n->trigrams);
}

void names_deinit(struct names *n)
{
	trigrams_deinit(&n->trigrams);
	mem_free(n->entries);
	arena_free(&n->arena);
	*n = (struct names){0};
}

bool names_learned(const struct names *n, const struct dimension_def *d)
{
	return n->learned[d - n->catalog->dimensions] != NULL;
}

const char *const *names_values(const struct names *n, const struct dimension_def *d)
{
	if (d->values && d->values[0])
		return d->values;
	return n->learned[d - n->catalog->dimensions];
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

size_t entity_options(const struct names *names, const struct dimension_def *d, const char *parent,
		      struct arena *a, const struct suggestion **out)
{
	const char *const *values = names_values(names, d);
	struct suggestion *options = arena_alloc(a, sizeof(*options) * OPTIONS_MAX);
	size_t n = 0;

	for (size_t i = 0; values && values[i] && n < OPTIONS_MAX; i++) {
		const char *p = parent_at(d, i);

		if (parent && p && strcmp(p, parent) != 0)
			continue;
		options[n].value = arena_strdup(a, values[i]);
		options[n].label =
			p && !parent ? arena_printf(a, "%s (%s)", values[i], p) : options[n].value;
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

void entity_near(const struct names *names, const bool *in, const char *key, size_t len,
		 struct arena *a, const struct entry **out, size_t *count)
{
	uint16_t *shared = arena_alloc(a, sizeof(*shared) * (names->entry_count + 1));
	struct near best = {.distance = fuzzy_limit(key, len)};

	*count = 0;
	if (best.distance == 0 || len >= ENTITY_KEY_BYTES)
		return;
	trigrams_count(&names->trigrams, key, len, shared, names->entry_count);
	for (size_t i = 0; i < names->entry_count; i++) {
		const struct entry *e = &names->entries[i];
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
size_t entity_closest(const struct names *names, const struct dimension_def *d, const char *key,
		      const char *parent, struct arena *a, const struct suggestion **out)
{
	uint16_t *shared = arena_alloc(a, sizeof(*shared) * (names->entry_count + 1));
	struct suggestion *list = arena_alloc(a, sizeof(*list) * CLOSEST_MAX);
	uint16_t weights[CLOSEST_MAX] = {0};
	size_t n = 0;

	trigrams_count(&names->trigrams, key, strlen(key), shared, names->entry_count);
	for (size_t i = 0; i < names->entry_count; i++) {
		const struct entry *e = &names->entries[i];
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
		list[at].value = arena_strdup(a, e->value);
		list[at].label = e->parent && !parent
					 ? arena_printf(a, "%s (%s)", e->value, e->parent)
					 : list[at].value;
	}
	if (n == 0)
		return entity_options(names, d, parent, a, out);
	*out = list;
	return n;
}
