/*
 * Names that only a tenant's data know: projects, reports, sponsors. Each tenant has an index of
 * its own with the catalogue's names in it, so that whatever is looked up there can neither match
 * nor suggest what another tenant has.
 */
#include "know_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

struct tenant_names {
	const char *tenant;
	struct names names;
};

static struct tenant_names *find(const struct know *k, const char *tenant)
{
	for (size_t i = 0; i < k->tenant_count; i++)
		if (strcmp(k->tenants[i].tenant, tenant) == 0)
			return &k->tenants[i];
	return NULL;
}

const struct names *learn_names(const struct know *k, const char *tenant)
{
	const struct tenant_names *t = tenant ? find(k, tenant) : NULL;

	return t ? &t->names : &k->names;
}

void learn_free(struct know *k)
{
	for (size_t i = 0; i < k->tenant_count; i++)
		names_deinit(&k->tenants[i].names);
	mem_free(k->tenants);
}

static struct tenant_names *add_tenant(struct know *k, const char *tenant)
{
	struct tenant_names *t;

	k->tenants = mem_grow(k->tenants, &k->tenant_cap, k->tenant_count + 1, sizeof(*k->tenants));
	t = &k->tenants[k->tenant_count++];
	*t = (struct tenant_names){.tenant = arena_strdup(k->arena, tenant)};
	names_init(&t->names, k->catalog, NULL);
	return t;
}

/* Is it just what is known? Then nothing has to be built, as at most times. */
static bool same_values(const char *const *known, const char *const *values, size_t count)
{
	if (!known)
		return count == 0;
	for (size_t i = 0; i < count; i++)
		if (!known[i] || strcmp(known[i], values[i]) != 0)
			return false;
	return !known[count];
}

/* The tenant's index anew, with other values of one dimension; NULL: with none. */
static void replace(struct know *k, struct tenant_names *t, size_t dimension,
		    const char *const *values)
{
	size_t n = k->catalog->dimension_count;
	const char *const **learned = mem_alloc((n + 1) * sizeof(*learned));
	struct names names;

	memcpy(learned, t->names.learned, n * sizeof(*learned));
	learned[dimension] = values;
	names_init(&names, k->catalog, (const char *const *const *)learned);
	names_deinit(&t->names);
	t->names = names;
	mem_free(learned);
}

bool know_learn(struct know *k, const char *tenant, const char *dimension,
		const char *const *values, size_t count)
{
	const struct dimension_def *d = catalog_dimension(k->catalog, dimension);
	bool fits = count <= KNOW_VALUES_MAX;
	struct tenant_names *t;
	const char **list;
	size_t index, n = 0;

	if (!d || (d->values && d->values[0]))
		return false;
	t = find(k, tenant);
	if (!t)
		t = add_tenant(k, tenant);
	index = (size_t)(d - k->catalog->dimensions);
	list = mem_alloc((fits ? count + 1 : 1) * sizeof(*list));
	for (size_t i = 0; fits && i < count; i++)
		if (values[i] && *values[i])
			list[n++] = values[i];
	list[n] = NULL;
	if (!same_values(t->names.learned[index], list, n))
		replace(k, t, index, n > 0 ? list : NULL);
	mem_free(list);
	return fits;
}
