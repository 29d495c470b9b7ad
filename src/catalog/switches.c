/*
 * Agents and tools that administrators have switched off. The state changes while catalogues are in
 * use, so it is a separate object: catalogues share it, and a change applies to the next lookup.
 */
#include "vesper/catalog.h"

#include <string.h>

#include "vesper/list.h"
#include "vesper/mem.h"

struct tenant_switches {
	struct list node;
	char *tenant;
	struct switch_off *off;
	size_t count;
};

struct switches {
	struct list tenants;
};

struct switches *switches_new(void)
{
	struct switches *s = mem_alloc(sizeof(*s));

	list_init(&s->tenants);
	return s;
}

static void switch_list_free(struct tenant_switches *t)
{
	for (size_t i = 0; i < t->count; i++) {
		mem_free((char *)t->off[i].agent);
		mem_free((char *)t->off[i].tool);
	}
	mem_free(t->off);
	t->off = NULL;
	t->count = 0;
}

void switches_free(struct switches **switches)
{
	struct switches *s = *switches;

	if (!s)
		return;
	*switches = NULL;
	list_each_safe(node, &s->tenants) {
		struct tenant_switches *t = list_item(node, struct tenant_switches, node);

		switch_list_free(t);
		list_remove(&t->node);
		mem_free(t->tenant);
		mem_free(t);
	}
	mem_free(s);
}

static struct tenant_switches *tenant_find(const struct switches *s, const char *tenant)
{
	list_each(node, &s->tenants) {
		struct tenant_switches *t = list_item(node, struct tenant_switches, node);

		if (strcmp(t->tenant, tenant) == 0)
			return t;
	}
	return NULL;
}

static struct tenant_switches *tenant_of(struct switches *s, const char *tenant)
{
	struct tenant_switches *t = tenant_find(s, tenant);

	if (!t) {
		t = mem_alloc(sizeof(*t));
		t->tenant = mem_strdup(tenant);
		list_append(&s->tenants, &t->node);
	}
	return t;
}

void switches_set(struct switches *s, const char *tenant, const struct switch_off *off,
		  size_t count)
{
	struct tenant_switches *t = tenant_of(s, tenant);
	struct switch_off *copy = mem_alloc((count + 1) * sizeof(*copy));

	for (size_t i = 0; i < count; i++)
		copy[i] = (struct switch_off){mem_strdup(off[i].agent), mem_strdup(off[i].tool)};
	switch_list_free(t); /* freed after copying, since `off` may be this list */
	t->off = copy;
	t->count = count;
}

static bool switch_matches(const struct switch_off *off, const char *agent, const char *tool)
{
	return strcmp(off->agent, agent) == 0 && strcmp(off->tool, tool) == 0;
}

void switches_set_one(struct switches *s, const char *tenant, const struct switch_off *which,
		      bool off)
{
	const struct tenant_switches *t = tenant_of(s, tenant);
	struct switch_off *all = mem_alloc((t->count + 1) * sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++)
		if (!switch_matches(&t->off[i], which->agent, which->tool))
			all[n++] = t->off[i];
	if (off)
		all[n++] = *which;
	switches_set(s, tenant, all, n);
	mem_free(all);
}

bool switches_are_off(const struct switches *s, const char *tenant, const char *agent,
		      const char *tool)
{
	const struct tenant_switches *t = s ? tenant_find(s, tenant) : NULL;

	for (size_t i = 0; t && i < t->count; i++)
		if (switch_matches(&t->off[i], agent, tool))
			return true;
	return false;
}
