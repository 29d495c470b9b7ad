/*
 * What questions are read and run with: whose it is, and how long it lives. A set is replaced while
 * turns run; what a turn holds is freed with the last one that does.
 */
#include "turn_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/mem.h"

struct knowledge_set {
	struct knowledge_of {
		char *tenant; /* NULL: those that are not named */
		struct knowledge *knowledge;
	} * of;
	size_t count, cap;
};

/* ---- one ---- */

static struct knowledge *knowledge_new(const struct turn_knowledge *take)
{
	struct knowledge *k = mem_alloc(sizeof(*k));

	k->set = *take;
	k->set.key = mem_strdup(take->key);
	k->prompts = check_prompts(take->catalog);
	k->users = 1;
	return k;
}

void turn_knowledge_release(struct knowledge *k)
{
	if (!k || --k->users > 0)
		return;
	guard_secret_free(&k->prompts);
	toolbox_free(&k->set.tools);
	know_free(&k->set.know);
	catalog_unref(&k->set.catalog);
	mem_free((char *)k->set.key);
	mem_free(k);
}

/* ---- a set ---- */

struct knowledge_set *knowledge_set_new(void)
{
	return mem_alloc(sizeof(struct knowledge_set));
}

void knowledge_set_free(struct knowledge_set **set)
{
	struct knowledge_set *s = *set;

	*set = NULL;
	for (size_t i = 0; s && i < s->count; i++) {
		mem_free(s->of[i].tenant);
		turn_knowledge_release(s->of[i].knowledge);
	}
	if (s)
		mem_free(s->of);
	mem_free(s);
}

/* NULL: there is none of this tenant. */
static struct knowledge_of *find(const struct knowledge_set *s, const char *tenant)
{
	for (size_t i = 0; s && i < s->count; i++)
		if (!s->of[i].tenant || strcmp(s->of[i].tenant, tenant) == 0)
			return &s->of[i];
	return NULL;
}

static void add_one(struct knowledge_set *s, const char *tenant, struct knowledge *k)
{
	assert(!tenant || !find(s, tenant)); /* a tenant has one */
	if (s->count == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 8;
		s->of = mem_realloc(s->of, s->cap * sizeof(*s->of));
	}
	s->of[s->count++] = (struct knowledge_of){mem_strdup(tenant), k};
	k->users++;
}

static void add_all(struct knowledge_set *s, const char *const *tenants, struct knowledge *k)
{
	if (!tenants)
		add_one(s, NULL, k);
	for (; tenants && *tenants; tenants++)
		add_one(s, *tenants, k);
}

void knowledge_set_add(struct knowledge_set *s, const char *const *tenants,
		       const struct turn_knowledge *take)
{
	struct knowledge *k = knowledge_new(take);

	add_all(s, tenants, k);
	turn_knowledge_release(k);
}

void knowledge_set_keep(struct knowledge_set *s, const char *const *tenants,
			const struct turns *all, const char *of)
{
	const struct knowledge_of *now = find(all->knowledge, of);

	assert(now);
	add_all(s, tenants, now->knowledge);
}

/* ---- in use ---- */

void turns_use(struct turns *all, struct knowledge_set *take)
{
	struct knowledge_set *before = all->knowledge;

	all->knowledge = take;
	knowledge_set_free(&before);
}

struct knowledge *turn_knowledge_hold(struct turns *all, const char *tenant)
{
	struct knowledge_of *now = find(all->knowledge, tenant);

	assert(now); /* who has signed in is of a tenant that exists */
	now->knowledge->users++;
	return now->knowledge;
}

const struct turn_knowledge *turns_knowledge(const struct turns *all, const char *tenant)
{
	const struct knowledge_of *now = find(all->knowledge, tenant);

	return now ? &now->knowledge->set : NULL;
}
