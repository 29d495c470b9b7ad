/*
 * Permissions that callers get through sources. A caller who may read thousands of documents has
 * one permission for each. The list is cached until a source is shared with the caller or
 * withdrawn.
 */
#include "upload_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

static const struct {
	const char *prefix; /* of the permission for a single source */
	const char *any;    /* given to callers who may use at least one; tools that read sources
			       require it */
} kinds[SOURCE_KINDS] = {
	[SOURCE_TABLE] = {"source:", PERMISSION_SOURCES},
	[SOURCE_DOCUMENT] = {PERMISSION_DOCUMENT, "documents:use"},
};

struct grant {
	struct list node;
	struct principal *caller, *extended;
	struct catalog *catalog; /* a reference; defines the roles */
};

struct grants {
	struct tenant_uploads *tenant;
	struct list items; /* struct grant, least recently used first */
	size_t count;
};

const char *uploads_permission_prefix(enum source_kind kind)
{
	return kinds[kind].prefix;
}

/* A token cannot grant these: they are removed from its permissions. */
static bool is_granted(const char *permission)
{
	for (int k = SOURCE_TABLE; k < SOURCE_KINDS; k++)
		if (str_starts(str_of(permission), str_of(kinds[k].prefix)) ||
		    strcmp(permission, kinds[k].any) == 0)
			return true;
	return false;
}

/* ---- one caller ---- */

/* Sorted texts. */
struct run {
	const char **items;
	size_t count;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct run merge(const struct run *a, const struct run *b, struct arena *arena)
{
	struct run out = {
		.items = arena_alloc(arena, (a->count + b->count + 1) * sizeof(*out.items))};
	size_t i = 0, k = 0;

	while (i < a->count || k < b->count) {
		bool first =
			k == b->count || (i < a->count && strcmp(a->items[i], b->items[k]) <= 0);

		out.items[out.count++] = first ? a->items[i++] : b->items[k++];
	}
	return out;
}

static struct run own_permissions(const struct principal *who, const struct run *runs,
				  struct arena *a)
{
	struct run own = {.items = arena_alloc(a, (who->permission_count + SOURCE_KINDS) *
							  sizeof(*own.items))};

	for (size_t i = 0; i < who->permission_count; i++)
		if (!is_granted(who->permissions[i]))
			own.items[own.count++] = who->permissions[i];
	for (int k = SOURCE_TABLE; k < SOURCE_KINDS; k++)
		if (runs[k].count > 0)
			own.items[own.count++] = kinds[k].any;
	qsort(own.items, own.count, sizeof(*own.items), by_name);
	return own;
}

/* The listing is sorted, so merging suffices. */
static struct principal *with_sources(const struct tenant_uploads *t, const struct principal *who)
{
	const struct listing *l = t ? t->listing : NULL;
	struct arena *a = arena_new(UPLOAD_GRANT_BYTES);
	struct run runs[SOURCE_KINDS], all;
	struct principal more = *who, *copy;
	struct listing_at at = {0};
	const struct listed_source *k;

	for (int i = SOURCE_TABLE; i < SOURCE_KINDS; i++)
		runs[i] =
			(struct run){.items = arena_alloc(a, (listing_sums(l)->parts[LISTING_ALL] +
							      1) * sizeof(*runs[i].items))};
	while ((k = listing_next(l, LISTING_ALL, &at)))
		if (uploads_may_use(t, k->row, who, a))
			runs[k->row->kind].items[runs[k->row->kind].count++] = k->permission;
	all = own_permissions(who, runs, a);
	for (int i = SOURCE_TABLE; i < SOURCE_KINDS; i++)
		all = merge(&all, &runs[i], a);
	more.permissions = all.items;
	more.permission_count = all.count;
	more.sorted = false;
	copy = principal_copy(&more);
	arena_free(&a);
	return copy;
}

/* ---- the cache ---- */

static void grant_free(struct grants *g, struct grant *grant)
{
	list_remove(&grant->node);
	g->count--;
	principal_free(&grant->caller);
	principal_free(&grant->extended);
	catalog_unref(&grant->catalog);
	mem_free(grant);
}

struct grants *grants_new(struct tenant_uploads *t)
{
	struct grants *g = mem_alloc(sizeof(*g));

	g->tenant = t;
	list_init(&g->items);
	return g;
}

void grants_free(struct grants **grants)
{
	struct grants *g = *grants;

	*grants = NULL;
	if (!g)
		return;
	list_each_safe(node, &g->items)
		grant_free(g, list_item(node, struct grant, node));
	mem_free(g);
}

static bool may_use(const struct grants *g, const struct listed_source *k,
		    const struct principal *who, struct arena *a)
{
	return k && uploads_may_use(g->tenant, k->row, who, a);
}

static bool same_access(const struct listed_source *old, const struct listed_source *updated)
{
	return old && updated && old->row->visibility == updated->row->visibility &&
	       !old->row->deleted_at == !updated->row->deleted_at &&
	       strcmp(old->row->owner, updated->row->owner) == 0 &&
	       strcmp(old->row->roles, updated->row->roles) == 0;
}

void grants_changed(struct grants *g, const struct listed_source *old,
		    const struct listed_source *updated)
{
	struct arena *a;

	if (same_access(old, updated))
		return;
	a = arena_new(UPLOAD_GRANT_BYTES);
	list_each_safe(node, &g->items) {
		struct grant *grant = list_item(node, struct grant, node);

		if (may_use(g, old, grant->caller, a) != may_use(g, updated, grant->caller, a))
			grant_free(g, grant);
	}
	arena_free(&a);
}

static bool same_texts(const struct principal *a, const struct principal *b)
{
	if (a->permission_count != b->permission_count || !a->token_hash != !b->token_hash ||
	    (a->token_hash && strcmp(a->token_hash, b->token_hash) != 0))
		return false;
	for (size_t i = 0; i < a->permission_count; i++)
		if (strcmp(a->permissions[i], b->permissions[i]) != 0)
			return false;
	return true;
}

static bool is_for(const struct grant *grant, const struct principal *who)
{
	return principal_same_user(grant->caller, who) &&
	       grant->caller->expires_ms == who->expires_ms &&
	       grant->caller->issued_ms == who->issued_ms &&
	       grant->caller->token_uses_sources == who->token_uses_sources &&
	       same_texts(grant->caller, who);
}

static struct grant *grant_find(struct grants *g, const struct principal *who,
				const struct catalog *current)
{
	struct grant *found = NULL;
	int64_t now_ms = clock_now_ms();

	list_each_safe(node, &g->items) {
		struct grant *grant = list_item(node, struct grant, node);

		if (grant->catalog != current) /* replaced: its roles may differ */
			grant_free(g, grant);
		else if (is_for(grant, who))
			found = grant;
		else if (grant->caller->expires_ms <= now_ms)
			grant_free(g, grant);
	}
	return found;
}

static struct grant *grant_add(struct grants *g, const struct principal *who,
			       struct catalog *current)
{
	struct grant *grant = mem_alloc(sizeof(*grant));

	if (g->count == UPLOAD_GRANTS_MAX)
		grant_free(g, list_item(g->items.next, struct grant, node));
	*grant = (struct grant){.caller = principal_copy(who),
				.extended = with_sources(g->tenant, who),
				.catalog = catalog_ref(current)};
	list_append(&g->items, &grant->node);
	g->count++;
	return grant;
}

struct principal *uploads_principal(const struct uploads *u, const struct principal *who)
{
	const struct tenant_uploads *t = uploads_tenant(u, who->tenant);
	struct catalog *current;
	struct grant *grant;

	if (!t || !t->listing)
		return with_sources(t, who);
	current = u->options.catalog(u->options.owner, who->tenant);
	grant = grant_find(t->grants, who, current);
	if (!grant)
		grant = grant_add(t->grants, who, current);
	list_remove(&grant->node);
	list_append(&t->grants->items, &grant->node);
	return principal_copy(grant->extended);
}
