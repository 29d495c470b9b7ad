/*
 * Approved answers of each tenant: read from the store, again when another replica has changed
 * them, added to the tenant's overlay, and checked against the current packs. A stale one no longer
 * fits them: it is listed, but not used.
 */
#include "daemon.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/metric.h"
#include "vesper/rounds.h"

static const struct metric stale_flows = {
	.name = "vesper_flows_stale",
	.help = "Approved answers that no longer fit the packs and are not run.",
	.kind = METRIC_GAUGE,
	.labels = {"tenant"},
};

/* State of one tenant. Its operations run one after the other. */
struct approved_tenant {
	struct approved *all;
	const char *tenant;
	struct arena *arena; /* of the list */
	const struct stored_flow *flows;
	size_t count;
	uint64_t version; /* version of its part of the overlay; 0: none was built */
	char *stamp;      /* stamp of the store when the list was read */
	char *checked;    /* state that the list was checked against */
	size_t check_next;
	struct op *op;
	bool is_building;   /* the overlay is being built */
	bool needs_refresh; /* something changed during an operation */
};

struct approved {
	struct daemon *daemon;
	struct approved_tenant *tenants;
	struct rounds *refresh;
};

static struct store *store_of(const struct approved_tenant *t)
{
	return t->all->daemon->store;
}

static const struct turn_knowledge *current_knowledge(const struct approved_tenant *t)
{
	return turns_knowledge(t->all->daemon->turns, t->tenant);
}

/* Identifies the packs, which a reload changes, and the tenant's overlay. */
static char *current_state(const struct approved_tenant *t)
{
	const struct turn_knowledge *k = current_knowledge(t);

	return mem_printf("%s %s", k->key, k->catalog->hash);
}

/* ---- checking ---- */

static const char *flow_path(const struct stored_flow *f, struct arena *a)
{
	return arena_printf(a, "approved/%s", f->name);
}

static const char *find_fault(const struct catalog *c, const struct stored_flow *f, struct arena *a)
{
	const struct flow_fault *faults;
	size_t n = catalog_flow_faults(c, &faults);

	for (size_t i = 0; i < n; i++)
		if (strcmp(faults[i].path, flow_path(f, a)) == 0)
			return faults[i].why;
	return NULL;
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Returns false when the flow is unchanged. */
static bool has_changed(const struct catalog *c, const struct stored_flow *f, struct arena *a,
			struct stored_flow *out)
{
	const struct flow_def *def = catalog_flow(c, f->name);
	const char *fault = find_fault(c, f, a);

	*out = *f;
	if (f->status == FLOW_WITHDRAWN || (!fault && (!def || !def->own)))
		return false;
	out->status = fault ? FLOW_STALE : FLOW_ACTIVE;
	out->why = fault;
	if (!fault)
		out->fingerprint = def->approval.fingerprint;
	return out->status != f->status || !is_same_text(out->why, f->why) ||
	       !is_same_text(out->fingerprint, f->fingerprint);
}

static void check_next(struct approved_tenant *t);

static void on_checked(void *owner, const struct err *e)
{
	struct approved_tenant *t = owner;

	t->op = NULL;
	if (e)
		log_warn("approved.check", "tenant %s: %s", t->tenant, e->text);
	check_next(t);
}

static void count_stale(const struct approved_tenant *t)
{
	const struct catalog *c = current_knowledge(t)->catalog;
	struct arena *scratch = arena_new(APPROVED_SCRATCH_MAX);
	int64_t stale = 0;

	for (size_t i = 0; i < t->count; i++)
		stale += t->flows[i].status != FLOW_WITHDRAWN &&
			 find_fault(c, &t->flows[i], scratch) != NULL;
	arena_free(&scratch);
	metric_set(&stale_flows, &t->tenant, stale);
}

static void begin_check(struct approved_tenant *t)
{
	mem_free(t->checked);
	t->checked = current_state(t);
	t->check_next = 0;
	count_stale(t);
	check_next(t);
}

static void check_next(struct approved_tenant *t)
{
	const struct catalog *c = current_knowledge(t)->catalog;

	while (t->check_next < t->count) {
		const struct stored_flow *f = &t->flows[t->check_next++];
		struct stored_flow now;

		if (!has_changed(c, f, t->arena, &now))
			continue;
		log_info("approved.checked", "tenant %s: %s is %s%s%s", t->tenant, f->name,
			 flow_status_name(now.status), now.why ? ": " : "", now.why ? now.why : "");
		t->op = store_flow_checked(store_of(t), t->tenant, &now, on_checked, t);
		return;
	}
}

/* ---- into the overlay ---- */

static void on_applied(void *owner, const struct err *e)
{
	struct approved_tenant *t = owner;

	t->is_building = false;
	if (e)
		log_error("approved.refused", "tenant %s: %s", t->tenant, e->text);
	begin_check(t);
}

static void apply(struct approved_tenant *t)
{
	struct flow_source *list = arena_alloc(t->arena, (t->count + 1) * sizeof(*list));
	struct catalog_overlay o = {.tenant = t->tenant, .version = ++t->version, .flows = list};

	for (size_t i = 0; i < t->count; i++) {
		const struct stored_flow *f = &t->flows[i];

		if (f->status != FLOW_WITHDRAWN)
			list[o.flow_count++] = (struct flow_source){
				flow_path(f, t->arena),
				f->text,
				{f->approved_by, f->approved_at, f->version, NULL}};
	}
	t->is_building = true;
	daemon_use_overlay(t->all->daemon, OVERLAY_APPROVED, &o, on_applied, t);
}

/* ---- reading ---- */

static void refresh(struct approved_tenant *t);

static void on_flows(void *owner, const struct stored_flow *flows, size_t count,
		     const struct err *e)
{
	struct approved_tenant *t = owner;

	t->op = NULL;
	if (e) {
		log_warn("approved.stale", "tenant %s: %s", t->tenant, e->text);
		mem_free(t->stamp);
		t->stamp = NULL;
		return;
	}
	t->flows = flows;
	t->count = count;
	if (count > 0 || t->version > 0)
		apply(t);
}

/* Returns true when the packs were reloaded since the check. */
static bool is_outdated(const struct approved_tenant *t)
{
	char *now = current_state(t);
	bool outdated = !is_same_text(t->checked, now);

	mem_free(now);
	return outdated;
}

static void on_stamp(void *owner, const char *stamp, const struct err *e)
{
	struct approved_tenant *t = owner;

	t->op = NULL;
	rounds_end(t->all->refresh, (size_t)(t - t->all->tenants));
	if (e) {
		log_warn("approved.stale", "tenant %s: %s", t->tenant, e->text);
	} else if (!t->stamp || strcmp(stamp, t->stamp) != 0) {
		mem_free(t->stamp);
		t->stamp = mem_strdup(stamp);
		t->count = 0;
		arena_free(&t->arena);
		t->arena = arena_new(CATALOG_BYTES_MAX);
		t->op = store_flows(store_of(t), t->tenant, t->arena, on_flows, t);
	} else if (t->count > 0 && is_outdated(t)) {
		begin_check(t);
	} else if (t->needs_refresh) {
		refresh(t);
	}
}

static void refresh(struct approved_tenant *t)
{
	t->needs_refresh = t->op || t->is_building;
	if (!t->needs_refresh)
		t->op = store_flows_stamp(store_of(t), t->tenant, on_stamp, t);
}

static bool refresh_begin(void *owner, size_t i)
{
	struct approved *all = owner;
	struct approved_tenant *t = &all->tenants[i];

	if (t->op || t->is_building)
		return false;
	refresh(t);
	return true;
}

void approved_changed(void *owner, const char *tenant)
{
	struct approved *all = owner;

	for (size_t i = 0; i < all->daemon->databases.tenant_count; i++)
		if (strcmp(all->tenants[i].tenant, tenant) == 0)
			refresh(&all->tenants[i]);
}

/* ---- lifetime ---- */

struct approved *approved_new(struct daemon *d)
{
	struct approved *all = mem_alloc(sizeof(*all));
	size_t n = d->databases.tenant_count;

	*all = (struct approved){
		.daemon = d,
		.tenants = mem_alloc((n + 1) * sizeof(*all->tenants)),
		.refresh = rounds_new(d->loop, n, STORES_AT_ONCE, refresh_begin, all)};
	for (size_t i = 0; i < n; i++)
		all->tenants[i] =
			(struct approved_tenant){.all = all, .tenant = d->databases.tenant_ids[i]};
	return all;
}

void approved_start(struct approved *all)
{
	rounds_start(all->refresh, SWITCHES_REFRESH_MS, true);
}

void approved_free(struct approved **approved)
{
	struct approved *all = *approved;

	if (!all)
		return;
	*approved = NULL;
	for (size_t i = 0; i < all->daemon->databases.tenant_count; i++) {
		struct approved_tenant *t = &all->tenants[i];

		op_cancel(&t->op);
		arena_free(&t->arena);
		mem_free(t->stamp);
		mem_free(t->checked);
	}
	rounds_free(&all->refresh);
	mem_free(all->tenants);
	mem_free(all);
}
