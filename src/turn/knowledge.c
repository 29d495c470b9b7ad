/*
 * Reference-counted catalogues and question-understanding data, one per tenant. The set may be
 * replaced while turns run; a turn's knowledge is freed when its last turn ends.
 */
#include "turn_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/lookup.h"
#include "vesper/mem.h"

struct knowledge_set {
	struct hashmap by_tenant;
	/* For tenants without an entry in by_tenant, or NULL. */
	struct knowledge *default_knowledge;
};

struct tenant_knowledge {
	struct hashmap_node node;
	struct knowledge *knowledge;
	char tenant[];
};

/* ---- one knowledge object ---- */

struct knowledge *knowledge_new(const struct turn_knowledge *take, struct knowledge *base)
{
	struct knowledge *k = mem_alloc(sizeof(*k));

	k->set = *take;
	k->set.key = mem_strdup(take->key);
	k->base = base ? knowledge_ref(base) : NULL;
	k->prompts = base ? base->prompts : check_prompts(take->catalog);
	k->refs = 1;
	return k;
}

struct knowledge *knowledge_ref(struct knowledge *k)
{
	k->refs++;
	return k;
}

void knowledge_unref(struct knowledge **knowledge)
{
	struct knowledge *k = *knowledge;

	*knowledge = NULL;
	if (!k || --k->refs > 0)
		return;
	if (!k->base)
		guard_secret_free(&k->prompts);
	toolbox_free(&k->set.tools);
	nlu_free(&k->set.nlu);
	catalog_unref(&k->set.catalog);
	knowledge_unref(&k->base);
	mem_free((char *)k->set.key);
	mem_free(k);
}

const struct turn_knowledge *knowledge_get(const struct knowledge *k)
{
	return &k->set;
}

/* ---- the set, by tenant ---- */

struct knowledge_set *knowledge_set_new(void)
{
	struct knowledge_set *s = mem_alloc(sizeof(*s));

	hashmap_init(&s->by_tenant);
	return s;
}

void knowledge_set_free(struct knowledge_set **set)
{
	struct knowledge_set *s = *set;

	*set = NULL;
	if (!s)
		return;
	hashmap_each(node, &s->by_tenant) {
		struct tenant_knowledge *entry = hashmap_item(node, struct tenant_knowledge, node);

		hashmap_remove(&s->by_tenant, node);
		knowledge_unref(&entry->knowledge);
		mem_free(entry);
	}
	hashmap_deinit(&s->by_tenant);
	knowledge_unref(&s->default_knowledge);
	mem_free(s);
}

/* The slot of the tenant's knowledge, or NULL. */
static struct knowledge **find(struct knowledge_set *s, const char *tenant)
{
	struct hashmap_node *node = s ? hashmap_find(&s->by_tenant, str_of(tenant)) : NULL;

	if (node)
		return &hashmap_item(node, struct tenant_knowledge, node)->knowledge;
	return s && s->default_knowledge ? &s->default_knowledge : NULL;
}

void knowledge_set_add(struct knowledge_set *s, const char *tenant, struct knowledge *k)
{
	size_t n = tenant ? strlen(tenant) : 0;
	struct tenant_knowledge *entry;

	if (!tenant) {
		assert(!s->default_knowledge);
		s->default_knowledge = knowledge_ref(k);
		return;
	}
	entry = mem_alloc(sizeof(*entry) + n + 1);
	memcpy(entry->tenant, tenant, n);
	entry->knowledge = knowledge_ref(k);
	hashmap_add(&s->by_tenant, &entry->node, (struct str){entry->tenant, n});
}

/* ---- the set in use ---- */

void turns_set_knowledge(struct turns *all, struct knowledge_set *take)
{
	struct knowledge_set *old = all->knowledge;

	all->knowledge = take;
	knowledge_set_free(&old);
}

void turns_set_tenant_knowledge(struct turns *all, const char *tenant, struct knowledge *k)
{
	struct knowledge **slot = find(all->knowledge, tenant), *old;

	assert(slot && *slot != k);
	old = *slot;
	*slot = knowledge_ref(k);
	knowledge_unref(&old);
}

struct knowledge *turn_knowledge_ref(struct turns *all, const char *tenant)
{
	struct knowledge **slot = find(all->knowledge, tenant);

	assert(slot); /* signed-in users belong to a known tenant */
	return knowledge_ref(*slot);
}

const struct turn_knowledge *turns_knowledge(const struct turns *all, const char *tenant)
{
	struct knowledge **slot = find(all->knowledge, tenant);

	return slot ? &(*slot)->set : NULL;
}

size_t turns_filter_values(const struct turns *all, const struct principal *who, const char *filter,
			   const char *text, struct arena *a, const struct suggestion **out)
{
	const struct turn_knowledge *k = turns_knowledge(all, who->tenant);
	struct catalog_view view;

	catalog_for(k->catalog, who, a, &view);
	return entity_index_values(nlu_names(k->nlu), &view, filter, text, a, out);
}
