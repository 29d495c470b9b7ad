/*
 * Names that only a tenant's data know: projects, reports, sponsors, and what is in the data beyond
 * the catalogue's lists. Each tenant has lexicons of its own, so that whatever is looked up there
 * can neither match nor suggest what another tenant has. A new lexicon takes the place of the old
 * one between two questions; an answer never points into either.
 */
#include "know_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

struct tenant_names {
	const char *tenant;
	const struct lexicon **learned; /* by dimension, or NULL */
};

static struct tenant_names *find(const struct know *k, const char *tenant)
{
	for (size_t i = 0; i < k->tenant_count; i++)
		if (strcmp(k->tenants[i].tenant, tenant) == 0)
			return &k->tenants[i];
	return NULL;
}

const struct names *learn_names(const struct know *k, const char *tenant, const bool *in,
				struct arena *a)
{
	const struct tenant_names *t = tenant ? find(k, tenant) : NULL;
	size_t count = k->catalog->dimension_count;
	const struct lexicon **learned = arena_alloc(a, (count + 1) * sizeof(*learned));
	struct names *n = arena_alloc(a, sizeof(*n));

	for (size_t d = 0; t && d < count; d++)
		learned[d] = in[d] ? t->learned[d] : NULL;
	*n = (struct names){.know = k, .learned = learned, .in = in};
	return n;
}

void learn_free(struct know *k)
{
	for (size_t i = 0; i < k->tenant_count; i++)
		for (size_t d = 0; d < k->catalog->dimension_count; d++)
			lexicon_unref(&k->tenants[i].learned[d]);
	mem_free(k->tenants);
}

static struct tenant_names *add_tenant(struct know *k, const char *tenant)
{
	size_t count = k->catalog->dimension_count;
	struct tenant_names *t;

	k->tenants = mem_grow(k->tenants, &k->tenant_cap, k->tenant_count + 1, sizeof(*k->tenants));
	t = &k->tenants[k->tenant_count++];
	*t = (struct tenant_names){
		.tenant = arena_strdup(k->arena, tenant),
		.learned = arena_alloc(k->arena, (count + 1) * sizeof(*t->learned)),
	};
	return t;
}

const struct lexicon *learn_get(const struct know *k, const char *tenant, size_t dimension)
{
	const struct tenant_names *t = find(k, tenant);

	return t ? t->learned[dimension] : NULL;
}

void learn_set(struct know *k, const char *tenant, size_t dimension, const struct lexicon *l)
{
	struct tenant_names *t = find(k, tenant);

	if (!t)
		t = add_tenant(k, tenant);
	lexicon_unref(&t->learned[dimension]);
	t->learned[dimension] = l;
}

bool know_learn(struct know *k, const char *tenant, const char *dimension,
		const char *const *values, size_t count)
{
	const struct dimension_def *d = catalog_dimension(k->catalog, dimension);
	struct lexicon_build *b;
	bool fits = true;

	if (!d)
		return false;
	b = lexicon_build_new();
	for (size_t i = 0; i < count && fits; i++)
		fits = !values[i] || !*values[i] || lexicon_build_add(b, values[i], NULL);
	if (!fits) {
		lexicon_build_free(&b);
		b = lexicon_build_new();
	}
	learn_set(k, tenant, (size_t)(d - k->catalog->dimensions),
		  lexicon_build_count(b) > 0 ? lexicon_new(&b, LEXICON_LEARNED, NULL) : NULL);
	lexicon_build_free(&b);
	return fits;
}
