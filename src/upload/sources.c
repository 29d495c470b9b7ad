/*
 * The data sources of each tenant in memory, and who may use them. They are read from the store
 * whenever rows were changed, here or by another replica.
 */
#include "upload_int.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/rounds.h"

#define LIST_BYTES    (16 * 1024 * 1024) /* scratch memory for permission checks and paths */
#define ROWS_BYTES    (64 * 1024 * 1024) /* of a tenant's rows with their profiles */
#define SPOOL_WORKERS 2
#define FULL_READ_INTERVAL_MS                                                                      \
	60000 /* interval of reading all rows, since clocks that run late may hide changes */
#define CLOCK_SKEW_MS 5000 /* how far another replica's clock may be behind */

struct tenant_uploads *uploads_tenant(const struct uploads *u, const char *tenant)
{
	for (size_t i = 0; i < u->options.tenant_count; i++)
		if (strcmp(u->tenants[i].name, tenant) == 0)
			return &u->tenants[i];
	return NULL;
}

const struct stored_source *uploads_source(const struct tenant_uploads *t, const char *uid)
{
	const struct listed_source *k = listing_source(t->listing, uid);

	return k ? k->row : NULL;
}

const struct stored_version *uploads_version(const struct tenant_uploads *t, const char *source,
					     const char *version)
{
	return listing_version(t->listing, source, version);
}

bool version_is_in_progress(const struct stored_version *v)
{
	return v->state == VERSION_RECEIVING || v->state == VERSION_READING ||
	       v->state == VERSION_LOADING;
}

const char *uploads_permission(const struct stored_source *s, struct arena *a)
{
	return arena_printf(a, "%s%s", uploads_permission_prefix(s->kind), s->uid);
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

/* ---- lists ---- */

static struct upload_view view_of(const struct tenant_uploads *t, const struct listed_source *k,
				  const struct principal *who)
{
	return (struct upload_view){.source = k->row,
				    .current = overlay_version(t, k),
				    .newest = k->newest,
				    .is_owner = strcmp(k->row->owner, who->user) == 0};
}

size_t uploads_list(const struct uploads *u, const struct principal *who, bool all, struct arena *a,
		    const struct upload_view **out)
{
	const struct tenant_uploads *t = uploads_tenant(u, who->tenant);
	const struct listing *l = t ? t->listing : NULL;
	struct upload_view *list =
		arena_alloc(a, (listing_sums(l)->parts[LISTING_ALL] + 1) * sizeof(*list));
	struct listing_at at = {0};
	const struct listed_source *k;
	size_t n = 0;

	while ((k = listing_next(l, LISTING_ALL, &at)))
		if (all || uploads_may_use(t, k->row, who, a))
			list[n++] = view_of(t, k, who);
	*out = list;
	return n;
}

bool uploads_find(const struct uploads *u, const struct principal *who, const char *uid,
		  struct upload_view *out)
{
	const struct tenant_uploads *t = uploads_tenant(u, who->tenant);
	const struct listed_source *k = t ? listing_source(t->listing, uid) : NULL;
	struct arena *a = arena_new(LIST_BYTES);
	bool found = k && uploads_may_use(t, k->row, who, a);

	if (found)
		*out = view_of(t, k, who);
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

struct source *uploads_discovery_source(const struct uploads *u)
{
	return u->discovery;
}

struct source *uploads_documents(const struct uploads *u)
{
	return u->documents;
}

/* ---- reading the store ---- */

/* A callback may start or end waits, so those that are due are moved to a list first. */
static void refresh_ended(struct tenant_uploads *t)
{
	struct list due;

	rounds_end(t->all->refresh, (size_t)(t - t->all->tenants));
	list_init(&due);
	list_each_safe(node, &t->refresh_waits) {
		struct refresh_wait *w = list_item(node, struct refresh_wait, node);

		if (--w->reads_left > 0)
			continue;
		list_remove(node);
		list_append(&due, node);
	}
	while (!list_empty(&due)) {
		struct refresh_wait *w = list_item(due.next, struct refresh_wait, node);

		list_remove(&w->node);
		w->cb(w->owner);
	}
}

/* Deletes files left by a process that died after the last write of a load. */
static void delete_loaded_files(const struct tenant_uploads *t)
{
	struct arena *a = arena_new(LIST_BYTES);

	struct listing_at at = {0};
	const struct listed_source *k;

	while ((k = listing_next(t->listing, LISTING_ALL, &at)))
		for (size_t i = 0; i < k->version_count; i++)
			if (k->versions[i].state == VERSION_READY ||
			    k->versions[i].state == VERSION_RETIRING)
				unlink(uploads_spool(t->all, k->versions[i].uid, a));
	arena_free(&a);
}

static void read_rows(struct tenant_uploads *t, bool is_full);

static void on_compared(void *owner, const struct listed_source *old,
			const struct listed_source *updated)
{
	const struct tenant_uploads *t = owner;

	segments_changed(t->all, old, updated);
	grants_changed(t->grants, old, updated);
}

static void set_listing(struct tenant_uploads *t, struct listing *take)
{
	struct listing *before = t->listing;

	t->listing = take;
	listing_compare(before, take, on_compared, t);
	listing_release(&before);
}

void uploads_remove_listed(struct tenant_uploads *t, const char *source, const char *version)
{
	set_listing(t, listing_without(t->listing, source, version));
}

/* Copied, so that the other rows need not stay. */
static void set_joins(struct tenant_uploads *t, const struct stored_join *joins, size_t count)
{
	struct arena *a = arena_new(ROWS_BYTES);
	struct stored_join *copies = arena_alloc(a, (count + 1) * sizeof(*copies));

	for (size_t i = 0; i < count; i++)
		copies[i] = (struct stored_join){
			arena_strdup(a, joins[i].source), arena_strdup(a, joins[i].other),
			arena_strdup(a, joins[i].column), arena_strdup(a, joins[i].other_column),
			arena_strdup(a, joins[i].stated_by)};
	arena_free(&t->joins.arena);
	t->joins.arena = a;
	t->joins.items = copies;
	t->joins.count = count;
}

/* False: the changed rows are not complete, so all rows must be read. */
static bool apply_rows(struct tenant_uploads *t, const struct stored_sources *found)
{
	struct listing *l = t->next.is_full ? listing_reread(t->listing, found)
					    : listing_update(t->listing, found);

	if (!t->next.is_full &&
	    strcmp(stored_tally_stamp(&listing_sums(l)->rows, t->next.arena), found->stamp) != 0) {
		listing_release(&l);
		return false;
	}
	set_listing(t, l);
	set_joins(t, found->joins, found->join_count);
	mem_free(t->stamp);
	t->stamp = mem_strdup(found->stamp);
	if (t->next.is_full)
		t->next.full_read_ms = clock_mono_ms();
	return true;
}

static void on_sources(void *owner, const struct stored_sources *found, const struct err *e)
{
	struct tenant_uploads *t = owner;
	bool first = !t->is_read, used = !e && apply_rows(t, found);

	t->op = NULL;
	arena_free(&t->next.arena);
	if (e) {
		log_warn("uploads.stale", "tenant %s: %s", t->name, e->text);
		mem_free(t->stamp);
		t->stamp = NULL;
		refresh_ended(t);
		return;
	}
	if (!used) {
		read_rows(t, true);
		return;
	}
	if (first)
		delete_loaded_files(t);
	t->is_read = true;
	if (first)
		t->warm = search_warm(t);
	overlay_update(t);
	load_next(t);
	sweep_next(t);
	refresh_ended(t);
	if (t->read_again)
		uploads_refresh(t);
}

/* The time from which changes are read: a little before the newest known change, because another
 * replica's clock may be behind, or this clock may have been set back. NULL: all rows must be read.
 */
static const char *since_of(const struct tenant_uploads *t, struct arena *a)
{
	const struct stored_tally *rows = &listing_sums(t->listing)->rows;
	const char *source = rows->source_at.newest, *version = rows->version_at.newest;
	char since[CLOCK_RFC3339_BYTES];
	int64_t at;
	struct err e;

	if (!t->stamp || !source ||
	    (!t->all->is_exclusive &&
	     clock_mono_ms() - t->next.full_read_ms >= FULL_READ_INTERVAL_MS))
		return NULL;
	if (!clock_parse_rfc3339(version && strcmp(version, source) > 0 ? version : source, &at,
				 &e))
		return NULL;
	if (at > clock_now_ms())
		at = clock_now_ms();
	clock_rfc3339(at - CLOCK_SKEW_MS, since);
	return arena_strdup(a, since);
}

static void read_rows(struct tenant_uploads *t, bool is_full)
{
	struct arena *a = arena_new(CLOCK_RFC3339_BYTES * 2);
	const char *since = is_full ? NULL : since_of(t, a);

	/* This read starts now, so it includes the changes of all waiting callers. */
	list_each(node, &t->refresh_waits)
		list_item(node, struct refresh_wait, node)->reads_left = 1;
	t->read_again = t->stale = false;
	t->next.is_full = !since;
	t->next.arena = arena_new(ROWS_BYTES);
	t->op = store_sources(t->all->options.store, t->name, since, t->next.arena, on_sources, t);
	arena_free(&a);
}

static void on_stamp(void *owner, const char *stamp, const struct err *e)
{
	struct tenant_uploads *t = owner;

	t->op = NULL;
	if (e) {
		log_warn("uploads.stale", "tenant %s: %s", t->name, e->text);
		refresh_ended(t);
	} else if (t->stale || !t->stamp || strcmp(stamp, t->stamp) != 0) {
		read_rows(t, false);
	} else {
		sweep_next(t);
		refresh_ended(t);
		if (t->read_again)
			uploads_refresh(t);
	}
}

static void refresh(struct tenant_uploads *t)
{
	if (t->all->ending)
		return;
	t->read_again = t->op != NULL;
	if (!t->read_again && t->stale)
		read_rows(t, false);
	else if (!t->read_again)
		t->op = store_sources_stamp(t->all->options.store, t->name, on_stamp, t);
}

/* Two changes within a millisecond may have the same stamp, so changes of this process are always
 * read. */
void uploads_refresh(struct tenant_uploads *t)
{
	t->stale = true;
	refresh(t);
}

static void add_refresh_wait(struct tenant_uploads *t, struct refresh_wait *w,
			     void (*cb)(void *owner), void *owner)
{
	*w = (struct refresh_wait){.reads_left = t->op ? 2 : 1, .cb = cb, .owner = owner};
	list_append(&t->refresh_waits, &w->node);
	t->stale = true;
}

void uploads_refresh_then(struct tenant_uploads *t, struct refresh_wait *w, void (*cb)(void *owner),
			  void *owner)
{
	add_refresh_wait(t, w, cb, owner);
	refresh(t);
}

void refresh_wait_cancel(struct refresh_wait *w)
{
	if (w->cb)
		list_remove(&w->node);
	w->cb = NULL;
}

static bool refresh_begin(void *owner, size_t i)
{
	struct uploads *u = owner;
	struct tenant_uploads *t = &u->tenants[i];

	if (t->op || u->ending)
		return false;
	refresh(t);
	return true;
}

/* ---- life ---- */

bool uploads_new(const struct uploads_options *options, struct uploads **out, struct err *e)
{
	struct uploads *u;

	if (mkdir(options->spool_dir, 0700) != 0 && errno != EEXIST)
		return err_set(e, ERR_INPUT, "uploads.spool_dir: %s cannot be created: %s",
			       options->spool_dir, strerror(errno));
	u = mem_alloc(sizeof(*u));
	*u = (struct uploads){.options = *options,
			      .dialect = db_dialect(options->loader),
			      .spooling = pool_new(options->loop, "spool", SPOOL_WORKERS),
			      .loading = pool_new(options->loop, "load", 1),
			      .finding = pool_new(options->loop, "find", 1),
			      .tenants =
				      mem_alloc((options->tenant_count + 1) * sizeof(*u->tenants))};
	pool_lower_priority(u->loading);
	list_init(&u->segments);
	list_init(&u->waiting_searches);
	hashmap_init(&u->by_version);
	u->documents = search_source_new(u);
	u->discovery = discover_source_new(u);
	u->refresh =
		rounds_new(options->loop, options->tenant_count, STORES_AT_ONCE, refresh_begin, u);
	for (size_t i = 0; i < options->tenant_count; i++) {
		u->tenants[i] = (struct tenant_uploads){
			.all = u, .name = options->tenants[i].id, .file = options->tenants[i].file};
		list_init(&u->tenants[i].receiving);
		list_init(&u->tenants[i].waiting);
		list_init(&u->tenants[i].refresh_waits);
		list_init(&u->tenants[i].overlay_waits);
		hashmap_init(&u->tenants[i].runs);
		u->tenants[i].grants = grants_new(&u->tenants[i]);
	}
	*out = u;
	return true;
}

static void on_first_read(void *owner)
{
	struct tenant_uploads *t = owner;

	t->first.cb = NULL;
	if (--t->all->unread_count == 0)
		t->all->started(t->all->started_owner);
}

void uploads_start(struct uploads *u, bool is_exclusive, void (*then)(void *owner), void *owner)
{
	u->is_exclusive = is_exclusive;
	u->unread_count = u->options.tenant_count;
	u->started = then;
	u->started_owner = owner;
	for (size_t i = 0; i < u->options.tenant_count; i++)
		add_refresh_wait(&u->tenants[i], &u->tenants[i].first, on_first_read,
				 &u->tenants[i]);
	rounds_start(u->refresh, SWITCHES_REFRESH_MS, true);
	if (u->unread_count == 0)
		then(owner);
}

void uploads_free(struct uploads **uploads)
{
	struct uploads *u = *uploads;

	if (!u)
		return;
	*uploads = NULL;
	u->ending = true;
	rounds_free(&u->refresh);
	for (size_t i = 0; i < u->options.tenant_count; i++)
		load_cancel(&u->tenants[i]);
	pool_free(&u->spooling);
	pool_free(&u->loading);
	pool_free(&u->finding);
	for (size_t i = 0; i < u->options.tenant_count; i++) {
		struct tenant_uploads *t = &u->tenants[i];

		op_cancel(&t->op);
		op_cancel(&t->heartbeat);
		op_cancel(&t->warm);
		spool_end(t);
		loads_end(t);
		sweep_free(&t->sweep);
		arena_free(&t->next.arena);
		arena_free(&t->joins.arena);
		listing_release(&t->listing);
		grants_free(&t->grants);
		mem_free(t->recent.items);
		mem_free(t->stamp);
		mem_free(t->newest_state);
		mem_free(t->active_state);
	}
	segments_free(u);
	hashmap_deinit(&u->by_version);
	u->documents->close(u->documents);
	u->discovery->close(u->discovery);
	mem_free(u->tenants);
	mem_free(u);
}
