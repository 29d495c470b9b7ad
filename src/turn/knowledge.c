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
	struct knowledge *of_all; /* for tenants without an entry in by_tenant, or NULL */
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
	know_free(&k->set.know);
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
		struct tenant_knowledge *of = hashmap_item(node, struct tenant_knowledge, node);

		hashmap_remove(&s->by_tenant, node);
		knowledge_unref(&of->knowledge);
		mem_free(of);
	}
	hashmap_deinit(&s->by_tenant);
	knowledge_unref(&s->of_all);
	mem_free(s);
}

/* The slot of the tenant's knowledge, or NULL. */
static struct knowledge **find(struct knowledge_set *s, const char *tenant)
{
	struct hashmap_node *node = s ? hashmap_find(&s->by_tenant, str_of(tenant)) : NULL;

	if (node)
		return &hashmap_item(node, struct tenant_knowledge, node)->knowledge;
	return s && s->of_all ? &s->of_all : NULL;
}

void knowledge_set_add(struct knowledge_set *s, const char *tenant, struct knowledge *k)
{
	size_t n = tenant ? strlen(tenant) : 0;
	struct tenant_knowledge *of;

	if (!tenant) {
		assert(!s->of_all);
		s->of_all = knowledge_ref(k);
		return;
	}
	of = mem_alloc(sizeof(*of) + n + 1);
	memcpy(of->tenant, tenant, n);
	of->knowledge = knowledge_ref(k);
	hashmap_add(&s->by_tenant, &of->node, (struct str){of->tenant, n});
}

/* ---- the set in use ---- */

void turns_set_knowledge(struct turns *all, struct knowledge_set *take)
{
	struct knowledge_set *before = all->knowledge;

	all->knowledge = take;
	knowledge_set_free(&before);
}

void turns_set_tenant_knowledge(struct turns *all, const char *tenant, struct knowledge *k)
{
	struct knowledge **now = find(all->knowledge, tenant), *before;

	assert(now && *now != k);
	before = *now;
	*now = knowledge_ref(k);
	knowledge_unref(&before);
}

struct knowledge *turn_knowledge_ref(struct turns *all, const char *tenant)
{
	struct knowledge **now = find(all->knowledge, tenant);

	assert(now); /* signed-in users belong to a known tenant */
	return knowledge_ref(*now);
}

const struct turn_knowledge *turns_knowledge(const struct turns *all, const char *tenant)
{
	struct knowledge **now = find(all->knowledge, tenant);

	return now ? &(*now)->set : NULL;
}

size_t turns_filter_values(const struct turns *all, const struct principal *who, const char *filter,
			   const char *text, struct arena *a, const struct suggestion **out)
{
	const struct turn_knowledge *k = turns_knowledge(all, who->tenant);
	struct catalog_view view;

	catalog_for(k->catalog, who, a, &view);
	return name_book_values(know_names(k->know), &view, filter, text, a, out);
}
