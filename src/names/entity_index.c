/*
 * The entity index: values listed by the catalogue, and values found only in a tenant's data
 * (projects, reports, sponsors). Each tenant has separate lexicons, so that a lookup cannot match
 * or suggest another tenant's names. A new lexicon replaces the old one between two questions;
 * results never point into a lexicon.
 */
#include "names_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

#define BOOK_ARENA_BYTES (512 * 1024 * 1024)

struct tenant_names {
	const char *tenant;
	const struct lexicon **data_names; /* by dimension, or NULL */
	bool loaded;
};

struct entity_index *entity_index_new(const struct catalog *c)
{
	struct entity_index *b = mem_alloc(sizeof(*b));

	b->catalog = c;
	b->arena = arena_new(BOOK_ARENA_BYTES);
	list_init(&b->waits);
	listed_init(&b->listed, c, b->arena);
	scope_index(b);
	return b;
}

void entity_index_free(struct entity_index **index)
{
	struct entity_index *b = *index;

	*index = NULL;
	if (!b)
		return;
	assert(list_empty(&b->waits));
	for (size_t i = 0; i < b->tenant_count; i++)
		for (size_t d = 0; d < b->catalog->dimension_count; d++)
			lexicon_unref(&b->tenants[i].data_names[d]);
	mem_free(b->tenants);
	listed_deinit(&b->listed);
	arena_free(&b->arena);
	mem_free(b);
}

/* ---- a tenant's data ---- */

static struct tenant_names *find(const struct entity_index *b, const char *tenant)
{
	for (size_t i = 0; i < b->tenant_count; i++)
		if (strcmp(b->tenants[i].tenant, tenant) == 0)
			return &b->tenants[i];
	return NULL;
}

const struct names *names_of(const struct entity_index *b, const char *tenant, const bool *in,
			     struct arena *a)
{
	const struct tenant_names *t = tenant ? find(b, tenant) : NULL;
	size_t count = b->catalog->dimension_count;
	const struct lexicon **data_names = arena_alloc(a, (count + 1) * sizeof(*data_names));
	struct names *n = arena_alloc(a, sizeof(*n));

	for (size_t d = 0; t && d < count; d++)
		data_names[d] = in[d] ? t->data_names[d] : NULL;
	*n = (struct names){.index = b, .data_names = data_names, .in = in};
	return n;
}

static struct tenant_names *add_tenant(struct entity_index *b, const char *tenant)
{
	size_t count = b->catalog->dimension_count;
	struct tenant_names *t;

	b->tenants = mem_grow(b->tenants, &b->tenant_cap, b->tenant_count + 1, sizeof(*b->tenants));
	t = &b->tenants[b->tenant_count++];
	*t = (struct tenant_names){
		.tenant = arena_strdup(b->arena, tenant),
		.data_names = arena_alloc(b->arena, (count + 1) * sizeof(*t->data_names)),
	};
	return t;
}

const struct lexicon *entity_index_get(const struct entity_index *b, const char *tenant,
				       size_t dimension)
{
	const struct tenant_names *t = find(b, tenant);

	return t ? t->data_names[dimension] : NULL;
}

void entity_index_set(struct entity_index *b, const char *tenant, size_t dimension,
		      const struct lexicon *l)
{
	struct tenant_names *t = find(b, tenant);

	if (!t)
		t = add_tenant(b, tenant);
	lexicon_unref(&t->data_names[dimension]);
	t->data_names[dimension] = l;
}

bool entity_index_loaded(const struct entity_index *b, const char *tenant)
{
	const struct tenant_names *t;

	if (!b->from_data)
		return true;
	t = find(b, tenant);
	return t && t->loaded;
}

void entity_index_set_loaded(struct entity_index *b, const char *tenant)
{
	struct tenant_names *t = find(b, tenant);

	if (!t)
		t = add_tenant(b, tenant);
	t->loaded = true;
	name_waits_end(b, tenant);
}

bool entity_index_load(struct entity_index *b, const char *tenant, const char *dimension,
		       const char *const *values, size_t count)
{
	const struct dimension_def *d = catalog_dimension(b->catalog, dimension);
	struct lexicon_build *build;
	bool fits = true;

	if (!d)
		return false;
	build = lexicon_build_new();
	for (size_t i = 0; i < count && fits; i++)
		fits = !values[i] || !*values[i] || lexicon_build_add(build, values[i], NULL);
	if (!fits) {
		lexicon_build_free(&build);
		build = lexicon_build_new();
	}
	entity_index_set(b, tenant, d->index,
			 lexicon_build_count(build) > 0
				 ? lexicon_new(&build, LEXICON_FROM_DATA, NULL)
				 : NULL);
	lexicon_build_free(&build);
	return fits;
}
