/*
 * Reloads names from the data periodically, tenant by tenant and dimension by dimension. Only one
 * query runs at a time, because questions have priority and a late name does no harm. If the
 * catalogue names a watermark, one row shows whether the values may have changed; only then are
 * they loaded. A failure keeps the last names in use and degrades the health check.
 */
#include "refresh_int.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

#define CHECK_BYTES  128
#define FAILURES_MAX 2

static void load_next(struct name_refresh *r);

static struct names_source *source_states(const struct name_refresh *r)
{
	size_t i = 0;

	while (r->sources->items[i] != names_source_of(r))
		i++;
	return &r->source_states[i];
}

/* ---- health ---- */

static void report_health(struct name_refresh *r, const struct err *e)
{
	char check[CHECK_BYTES];

	snprintf(check, sizeof(check), "names:%s", names_tenant(r));
	if (e)
		health_set(check, HEALTH_OPTIONAL, HEALTH_DEGRADED,
			   "%s could not be loaded, so the previous names stay in use: %s",
			   names_dimension(r)->name, e->text);
	else
		health_set(check, HEALTH_OPTIONAL, HEALTH_OK, "the names are up to date");
}

static bool is_needed(const struct name_refresh *r, const struct catalog *c,
		      const struct dimension_def *d);
static bool has_all(const struct name_refresh *r, const struct entity_index *b, const char *tenant);

/* Returns true when names are missing that may be loaded later. */
static bool is_missing(const struct name_refresh *r)
{
	for (size_t i = 0; i < r->sources->count; i++)
		if (r->source_states[i].has_missing)
			return true;
	return false;
}

/* Returns true when a tool uses the source, or its names are needed. */
static bool is_source_used(const struct name_refresh *r, const char *source)
{
	const struct catalog *c = names_book(r)->catalog;

	for (size_t i = 0; i < c->tool_count; i++)
		if (c->tools[i].source && strcmp(c->tools[i].source, source) == 0)
			return true;
	for (size_t i = 0; i < c->dimension_count; i++)
		if (is_needed(r, c, &c->dimensions[i]) &&
		    strcmp(c->dimensions[i].source, source) == 0)
			return true;
	return false;
}

/* Returns true when tools use a source that has no missing names. */
static bool has_complete_source(const struct name_refresh *r)
{
	for (size_t i = 0; i < r->sources->count; i++)
		if (!r->source_states[i].has_missing &&
		    is_source_used(r, r->sources->items[i]->name))
			return true;
	return false;
}

/* Ends the tenant's round. An unavailable source must not delay questions to other sources. */
static void next_tenant(struct name_refresh *r)
{
	struct names_tenant *t = &r->tenant_states[r->tenant];
	bool has_missing = is_missing(r);

	t->is_incomplete = has_missing && !has_all(r, t->index, names_tenant(r));
	if (!r->has_failed)
		report_health(r, NULL);
	if (!has_missing || has_complete_source(r))
		entity_index_set_loaded(t->index, names_tenant(r));
	r->has_failed = t->is_new = false;
	memset(r->source_states, 0, r->sources->count * sizeof(*r->source_states));
	r->tenant++;
	r->dimension = 0;
}

/* Returns true for transient errors. A permanent error (missing view, too many values) never makes
 * the tenant's questions wait. */
static bool is_transient(const struct err *e)
{
	return e->may_retry || e->code == ERR_UPSTREAM || e->code == ERR_TIMEOUT;
}

/* After FAILURES_MAX consecutive transient failures the source's other dimensions are skipped. */
void names_load_failed(struct name_refresh *r, const struct err *e)
{
	struct names_source *s = source_states(r);

	/* debug only: the source's own health check reports its state */
	log_debug("names.load", "tenant %s: %s: %s", names_tenant(r), names_dimension(r)->name,
		  e->text);
	report_health(r, e);
	lexicon_build_free(&r->build);
	r->has_failed = true;
	r->dimension++;
	if (is_transient(e)) {
		s->has_missing = true;
		s->failures++;
	}
	timer_start(r->timer, 0);
}

void names_load_done(struct name_refresh *r)
{
	source_states(r)->failures = 0;
	r->dimension++;
	load_next(r);
}

/* ---- the round ---- */

/* Returns true when a tool or a query over the map takes the names, and their source exists. */
static bool is_needed(const struct name_refresh *r, const struct catalog *c,
		      const struct dimension_def *d)
{
	if (!d->view || !d->column || !source_find(r->sources, d->source))
		return false;
	if (d->resolves)
		return is_needed(r, c, catalog_dimension(c, d->resolves));
	if (names_of_map(c, d))
		return true;
	for (size_t t = 0; t < c->tool_count; t++)
		for (size_t p = 0; p < c->tools[t].param_count; p++) {
			const char *entity = c->tools[t].params[p].entity;

			if (entity && strcmp(entity, d->name) == 0)
				return true;
		}
	return false;
}

static size_t count_incomplete_tenants(const struct name_refresh *r)
{
	size_t n = 0;

	for (size_t i = 0; r->tenants[i]; i++)
		n += r->tenant_states[i].is_incomplete ||
		     !entity_index_loaded(r->tenant_states[i].index, r->tenants[i]);
	return n;
}

/* Returns true when an index was added during the round. */
static bool has_new_book(const struct name_refresh *r)
{
	for (size_t i = 0; r->tenants[i]; i++)
		if (r->tenant_states[i].is_new)
			return true;
	return false;
}

/* Schedules the next round, earlier when a tenant still waits for names. */
static void round_timer_start(struct name_refresh *r)
{
	int64_t now = clock_mono_ms(), left;

	if (now >= r->due_ms)
		r->due_ms = now + (int64_t)r->interval_ms;
	r->tenant = 0;
	left = r->due_ms - now;
	if (left > ENTITY_INDEX_RETRY_MS && count_incomplete_tenants(r) > 0)
		left = ENTITY_INDEX_RETRY_MS;
	if (has_new_book(r))
		left = 0;
	timer_start(r->timer, (uint64_t)left);
}

/* A retry covers only tenants with missing names. */
static bool is_skipped(const struct name_refresh *r)
{
	const struct names_tenant *t = &r->tenant_states[r->tenant];

	return clock_mono_ms() < r->due_ms && !t->is_incomplete && !t->is_new &&
	       entity_index_loaded(t->index, names_tenant(r));
}

/* Loads the next dimension, or schedules the next round when none is left. */
static void load_next(struct name_refresh *r)
{
	for (; r->tenants[r->tenant]; next_tenant(r)) {
		const struct catalog *c = names_book(r)->catalog;

		for (; !is_skipped(r) && r->dimension < c->dimension_count; r->dimension++)
			if (is_needed(r, c, names_dimension(r)) &&
			    source_states(r)->failures < FAILURES_MAX) {
				names_load(r);
				return;
			}
	}
	round_timer_start(r);
	if (r->on_round)
		r->on_round(r->owner);
}

static void on_timer(void *owner)
{
	load_next(owner);
}

/* Returns true when indexes are in use and none is being loaded. */
static bool is_idle(const struct name_refresh *r)
{
	return r->tenant_states[0].index && !r->query && !r->job;
}

void name_refresh_set_settings(struct name_refresh *r, const struct names_settings *s)
{
	int64_t latest = clock_mono_ms() + (int64_t)s->interval_ms;

	r->interval_ms = s->interval_ms;
	if (r->due_ms <= latest)
		return;
	r->due_ms = latest;
	if (is_idle(r))
		round_timer_start(r);
}

/* ---- lifecycle ---- */

static size_t tenant_count(const struct name_refresh *r)
{
	size_t n = 0;

	while (r->tenants[n])
		n++;
	return n;
}

struct name_refresh *name_refresh_new(const struct name_refresh_options *o)
{
	struct name_refresh *r = mem_alloc(sizeof(*r));

	*r = (struct name_refresh){
		.sources = o->sources, .tenants = o->tenants, .interval_ms = o->interval_ms};
	r->source_states = mem_alloc((o->sources->count + 1) * sizeof(*r->source_states));
	r->tenant_states = mem_alloc((tenant_count(r) + 1) * sizeof(*r->tenant_states));
	r->timer = timer_new(o->loop, on_timer, r);
	r->pool = pool_new(o->loop, "names", 1);
	return r;
}

static void free_watermarks(struct names_tenant *t)
{
	for (size_t i = 0; i < t->watermark_count; i++)
		mem_free(t->watermarks[i]);
	mem_free(t->watermarks);
	t->watermarks = NULL;
	t->watermark_count = 0;
}

/* Returns true when the index has the names of all needed dimensions. */
static bool has_all(const struct name_refresh *r, const struct entity_index *b, const char *tenant)
{
	const struct catalog *c = b->catalog;

	for (size_t i = 0; i < c->dimension_count; i++)
		if (is_needed(r, c, &c->dimensions[i]) && !entity_index_get(b, tenant, i))
			return false;
	return true;
}

/* Keeps the names of unchanged dimensions until the new catalogue's are loaded. */
static void copy_unchanged_names(const struct name_refresh *r, const char *tenant,
				 const struct entity_index *from, struct entity_index *to)
{
	const struct catalog *old = from->catalog, *c = to->catalog;

	for (size_t i = 0; i < old->dimension_count; i++) {
		const struct dimension_def *previous = &old->dimensions[i];
		const struct dimension_def *current = catalog_dimension(c, previous->name);
		const struct lexicon *l = entity_index_get(from, tenant, i);

		if (l && current && current->view && previous->view &&
		    strcmp(current->view, previous->view) == 0 &&
		    strcmp(current->column, previous->column) == 0)
			entity_index_set(to, tenant, current->index, lexicon_ref(l));
	}
	if (entity_index_loaded(from, tenant) && has_all(r, to, tenant))
		entity_index_set_loaded(to, tenant);
}

/* Sets the tenant's index. */
static void set_index(struct name_refresh *r, size_t tenant, struct entity_index *b)
{
	struct names_tenant *t = &r->tenant_states[tenant];
	size_t n = b->catalog->dimension_count;

	b->from_data = true;
	free_watermarks(t);
	if (t->index && t->index != b)
		copy_unchanged_names(r, r->tenants[tenant], t->index, b);
	*t = (struct names_tenant){.index = b,
				   .watermarks = mem_alloc((n + 1) * sizeof(*t->watermarks)),
				   .watermark_count = n};
}

void name_refresh_on_round(struct name_refresh *r, void (*done)(void *owner), void *owner)
{
	r->on_round = done;
	r->owner = owner;
}

static void restart_at(struct name_refresh *r, size_t tenant)
{
	names_load_cancel(r);
	timer_stop(r->timer);
	r->tenant = tenant;
	r->dimension = 0;
	r->has_failed = false;
	memset(r->source_states, 0, r->sources->count * sizeof(*r->source_states));
}

void name_refresh_set_indexes(struct name_refresh *r, struct entity_index *const *indexes)
{
	restart_at(r, 0);
	for (size_t i = 0; r->tenants[i]; i++)
		set_index(r, i, indexes[i]);
	r->due_ms = 0;
	load_next(r);
}

void name_refresh_set_index(struct name_refresh *r, struct entity_index *b)
{
	size_t n = tenant_count(r);
	struct entity_index **indexes = mem_alloc((n + 1) * sizeof(*indexes));

	for (size_t i = 0; i < n; i++)
		indexes[i] = b;
	name_refresh_set_indexes(r, indexes);
	mem_free(indexes);
}

void name_refresh_set_tenant_book(struct name_refresh *r, const char *tenant,
				  struct entity_index *b)
{
	size_t i = 0;

	while (strcmp(r->tenants[i], tenant) != 0)
		i++;
	if (!is_idle(r) && r->tenant == i)
		restart_at(r, i);
	set_index(r, i, b);
	r->tenant_states[i].is_new = true;
	if (!r->query && !r->job)
		timer_start(r->timer, 0);
}

void name_refresh_set_tenants(struct name_refresh *r, const char *const *tenants)
{
	r->tenants = tenants;
}

void name_refresh_free(struct name_refresh **r)
{
	if (!*r)
		return;
	names_load_cancel(*r);
	for (size_t i = 0; (*r)->tenants[i]; i++)
		free_watermarks(&(*r)->tenant_states[i]);
	pool_free(&(*r)->pool);
	timer_free(&(*r)->timer);
	mem_free((*r)->source_states);
	mem_free((*r)->tenant_states);
	mem_free(*r);
	*r = NULL;
}
