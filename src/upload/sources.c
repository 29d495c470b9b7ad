/*
 * What each tenant has, in memory: read from the store whenever its rows have changed, here or by
 * another replica; and who may use it.
 */
#include "upload_int.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

#define LIST_BYTES    (16 * 1024 * 1024) /* the rows of a tenant with their profiles */
#define SPOOL_WORKERS 2

struct tenant_uploads *uploads_tenant(const struct uploads *u, const char *tenant)
{
	for (size_t i = 0; i < u->options.tenant_count; i++)
		if (strcmp(u->tenants[i].name, tenant) == 0)
			return &u->tenants[i];
	return NULL;
}

const struct stored_source *uploads_source(const struct tenant_uploads *t, const char *uid)
{
	for (size_t i = 0; i < t->source_count; i++)
		if (strcmp(t->sources[i].uid, uid) == 0)
			return &t->sources[i];
	return NULL;
}

const struct stored_version *uploads_version(const struct tenant_uploads *t, const char *uid)
{
	for (size_t i = 0; uid && i < t->version_count; i++)
		if (strcmp(t->versions[i].uid, uid) == 0)
			return &t->versions[i];
	return NULL;
}

static const struct {
	const char *prefix; /* of the permission that one of them takes */
	const char *any;    /* who may use one has this, too: tools that read them take it */
} grants[SOURCE_KINDS] = {
	[SOURCE_TABLE] = {"source:", PERMISSION_SOURCES},
	[SOURCE_DOCUMENT] = {"doc:", "documents:use"},
};

const char *uploads_permission(const struct stored_source *s, struct arena *a)
{
	return arena_printf(a, "%s%s", grants[s->kind].prefix, s->uid);
}

/* No token may name what is granted here. */
static bool is_granted(const char *permission)
{
	for (int k = SOURCE_TABLE; k < SOURCE_KINDS; k++)
		if (str_starts(str_of(permission), str_of(grants[k].prefix)) ||
		    strcmp(permission, grants[k].any) == 0)
			return true;
	return false;
}

const struct language *uploads_language(const struct tenant_uploads *t)
{
	return t->all->options.catalog(t->all->options.owner, t->name)->language;
}

const char *uploads_spool(const struct uploads *u, const char *version, struct arena *a)
{
	return arena_printf(a, "%s/%s", u->options.spool_dir, version);
}

/* ---- who may use it ---- */

static bool has_role(const struct tenant_uploads *t, const struct stored_source *s,
		     const struct principal *who, struct arena *a)
{
	const struct catalog *c = t->all->options.catalog(t->all->options.owner, t->name);
	struct str rest = str_of(s->roles), one;

	while (str_split(&rest, ' ', &one)) {
		const char *const *role =
			one.n > 0 ? catalog_role(c, arena_strndup(a, one.p, one.n)) : NULL;
		bool all = role && *role;

		for (; all && *role; role++)
			all = may(who, *role);
		if (all)
			return true;
	}
	return false;
}

bool uploads_may_use(const struct tenant_uploads *t, const struct stored_source *s,
		     const struct principal *who, struct arena *a)
{
	if (s->deleted_at || (who->token_hash && !who->token_uses_sources))
		return false;
	if (strcmp(s->owner, who->user) == 0)
		return true;
	return s->visibility == SOURCE_TENANT ||
	       (s->visibility == SOURCE_ROLES && has_role(t, s, who, a));
}

struct principal *uploads_principal(const struct uploads *u, const struct principal *who)
{
	const struct tenant_uploads *t = uploads_tenant(u, who->tenant);
	struct arena *a = arena_new(LIST_BYTES);
	struct principal more = *who, *copy;
	const char **list;

	list = arena_alloc(a, (who->permission_count + (t ? t->source_count : 0) + SOURCE_KINDS) *
				      sizeof(*list));
	more.permissions = list;
	more.permission_count = 0;
	for (size_t i = 0; i < who->permission_count; i++)
		if (!is_granted(who->permissions[i]))
			list[more.permission_count++] = who->permissions[i];
	for (size_t i = 0; t && i < t->source_count; i++) {
		const struct stored_source *s = &t->sources[i];

		if (!uploads_may_use(t, s, who, a))
			continue;
		if (!may(&more, grants[s->kind].any))
			list[more.permission_count++] = grants[s->kind].any;
		list[more.permission_count++] = uploads_permission(s, a);
	}
	copy = principal_copy(&more);
	arena_free(&a);
	return copy;
}

/* ---- lists ---- */

static struct upload_view view_of(const struct tenant_uploads *t, const struct stored_source *s,
				  const struct principal *who)
{
	struct upload_view v = {.source = s, .is_owner = strcmp(s->owner, who->user) == 0};

	v.current = overlay_version(t, s);
	for (size_t i = 0; i < t->version_count; i++)
		if (strcmp(t->versions[i].source, s->uid) == 0)
			v.newest = &t->versions[i];
	return v;
}

size_t uploads_list(const struct uploads *u, const struct principal *who, bool all, struct arena *a,
		    const struct upload_view **out)
{
	const struct tenant_uploads *t = uploads_tenant(u, who->tenant);
	struct upload_view *list = arena_alloc(a, ((t ? t->source_count : 0) + 1) * sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; t && i < t->source_count; i++)
		if (all || uploads_may_use(t, &t->sources[i], who, a))
			list[n++] = view_of(t, &t->sources[i], who);
	*out = list;
	return n;
}

bool uploads_find(const struct uploads *u, const struct principal *who, const char *uid,
		  struct upload_view *out)
{
	const struct tenant_uploads *t = uploads_tenant(u, who->tenant);
	const struct stored_source *s = t ? uploads_source(t, uid) : NULL;
	struct arena *a = arena_new(LIST_BYTES);
	bool found = s && uploads_may_use(t, s, who, a);

	if (found)
		*out = view_of(t, s, who);
	arena_free(&a);
	return found;
}

bool uploads_progress(const struct uploads *u, const char *tenant, const char *version,
		      int64_t *bytes, int64_t *rows)
{
	const struct tenant_uploads *t = uploads_tenant(u, tenant);

	if (!t || !t->load || strcmp(t->load->version, version) != 0)
		return false;
	*bytes = t->load->bytes;
	*rows = t->load->rows;
	return true;
}

struct source *uploads_own(const struct uploads *u)
{
	return u->own;
}

struct source *uploads_documents(const struct uploads *u)
{
	return u->documents;
}

/* ---- reading the store ---- */

/* Each may begin another wait, or end others. */
static void look_ended(struct tenant_uploads *t)
{
	struct list due;

	list_init(&due);
	list_each_safe(node, &t->looking) {
		struct look_wait *w = list_item(node, struct look_wait, node);

		if (--w->looks > 0)
			continue;
		list_remove(node);
		list_append(&due, node);
	}
	while (!list_empty(&due)) {
		struct look_wait *w = list_item(due.next, struct look_wait, node);

		list_remove(&w->node);
		w->cb(w->owner);
	}
}

/* A process that died between the last write of a load and this left a file. */
static void drop_loaded_files(const struct tenant_uploads *t)
{
	struct arena *a = arena_new(LIST_BYTES);

	for (size_t i = 0; i < t->version_count; i++)
		if (t->versions[i].state == VERSION_READY ||
		    t->versions[i].state == VERSION_RETIRING)
			unlink(uploads_spool(t->all, t->versions[i].uid, a));
	arena_free(&a);
}

static void on_sources(void *owner, const struct stored_sources *found, const struct err *e)
{
	struct tenant_uploads *t = owner;

	t->op = NULL;
	if (e) {
		log_warn("uploads.stale", "tenant %s: %s", t->name, e->text);
		arena_free(&t->next);
		mem_free(t->stamp);
		t->stamp = NULL;
		look_ended(t);
		return;
	}
	arena_free(&t->arena);
	t->arena = t->next;
	t->next = NULL;
	t->sources = found->items;
	t->source_count = found->count;
	t->versions = found->versions;
	t->version_count = found->version_count;
	t->joins.items = found->joins;
	t->joins.count = found->join_count;
	if (!t->known)
		drop_loaded_files(t);
	t->known = true;
	overlay_update(t);
	segments_update(t);
	load_next(t);
	sweep_next(t);
	look_ended(t);
	if (t->again)
		uploads_look(t);
}

static void on_stamp(void *owner, const char *stamp, const struct err *e)
{
	struct tenant_uploads *t = owner;

	t->op = NULL;
	if (e) {
		log_warn("uploads.stale", "tenant %s: %s", t->name, e->text);
		look_ended(t);
	} else if (t->stale || !t->stamp || strcmp(stamp, t->stamp) != 0) {
		mem_free(t->stamp);
		t->stamp = mem_strdup(stamp);
		t->again = t->stale = false;
		t->next = arena_new(LIST_BYTES);
		t->op = store_sources(t->all->options.store, t->name, t->next, on_sources, t);
	} else {
		sweep_next(t);
		look_ended(t);
		if (t->again)
			uploads_look(t);
	}
}

static void look(struct tenant_uploads *t)
{
	if (t->all->ending)
		return;
	t->again = t->op != NULL;
	if (!t->again)
		t->op = store_sources_stamp(t->all->options.store, t->name, on_stamp, t);
}

/* Two changes within a millisecond may have one stamp: those of this process are read anyway. */
void uploads_look(struct tenant_uploads *t)
{
	t->stale = true;
	look(t);
}

void uploads_look_then(struct tenant_uploads *t, struct look_wait *w, void (*cb)(void *owner),
		       void *owner)
{
	*w = (struct look_wait){.looks = t->op ? 2 : 1, .cb = cb, .owner = owner};
	list_append(&t->looking, &w->node);
	uploads_look(t);
}

void uploads_look_forget(struct look_wait *w)
{
	if (w->cb)
		list_remove(&w->node);
	w->cb = NULL;
}

static void on_refresh(void *owner)
{
	struct uploads *u = owner;

	for (size_t i = 0; i < u->options.tenant_count; i++)
		if (!u->tenants[i].op)
			look(&u->tenants[i]);
}

/* ---- life ---- */

bool uploads_new(const struct uploads_options *options, struct uploads **out, struct err *e)
{
	struct uploads *u;

	if (mkdir(options->spool_dir, 0700) != 0 && errno != EEXIST)
		return err_set(e, ERR_INPUT, "uploads.spool_dir: %s cannot be made: %s",
			       options->spool_dir, strerror(errno));
	u = mem_alloc(sizeof(*u));
	*u = (struct uploads){.options = *options,
			      .dialect = db_dialect(options->loader),
			      .spooling = pool_new(options->loop, "spool", SPOOL_WORKERS),
			      .loading = pool_new(options->loop, "load", 1),
			      .finding = pool_new(options->loop, "find", 1),
			      .tenants =
				      mem_alloc((options->tenant_count + 1) * sizeof(*u->tenants))};
	pool_give_way(u->loading);
	list_init(&u->segments);
	u->documents = search_source_new(u);
	u->own = discover_source_new(u);
	u->refresh = timer_new(options->loop, on_refresh, u);
	for (size_t i = 0; i < options->tenant_count; i++) {
		u->tenants[i] = (struct tenant_uploads){
			.all = u, .name = options->tenants[i].id, .file = options->tenants[i].file};
		list_init(&u->tenants[i].receiving);
		list_init(&u->tenants[i].waiting);
		list_init(&u->tenants[i].looking);
		list_init(&u->tenants[i].showing);
		list_init(&u->tenants[i].runs);
	}
	*out = u;
	return true;
}

static void on_first(void *owner)
{
	struct tenant_uploads *t = owner;

	t->first.cb = NULL;
	if (--t->all->unknown == 0)
		t->all->started(t->all->started_owner);
}

void uploads_start(struct uploads *u, bool alone, void (*then)(void *owner), void *owner)
{
	u->alone = alone;
	u->unknown = u->options.tenant_count;
	u->started = then;
	u->started_owner = owner;
	timer_repeat(u->refresh, SWITCHES_REFRESH_MS);
	for (size_t i = 0; i < u->options.tenant_count; i++)
		uploads_look_then(&u->tenants[i], &u->tenants[i].first, on_first, &u->tenants[i]);
	if (u->unknown == 0)
		then(owner);
}

void uploads_free(struct uploads **uploads)
{
	struct uploads *u = *uploads;

	if (!u)
		return;
	*uploads = NULL;
	u->ending = true;
	timer_free(&u->refresh);
	for (size_t i = 0; i < u->options.tenant_count; i++)
		load_cancel(&u->tenants[i]);
	pool_free(&u->spooling);
	pool_free(&u->loading);
	pool_free(&u->finding);
	for (size_t i = 0; i < u->options.tenant_count; i++) {
		struct tenant_uploads *t = &u->tenants[i];

		op_cancel(&t->op);
		op_cancel(&t->beat);
		spool_end(t);
		loads_end(t);
		sweep_free(&t->sweep);
		arena_free(&t->next);
		arena_free(&t->arena);
		mem_free(t->stamp);
		mem_free(t->shown);
		mem_free(t->in_use);
	}
	segments_free(u);
	u->documents->close(u->documents);
	u->own->close(u->own);
	mem_free(u->tenants);
	mem_free(u);
}
