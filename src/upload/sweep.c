/*
 * Deletes what is no longer needed, one item at a time, as listed in the store: loads of dead
 * processes, tables of failed loads, retired versions, deleted sources. The row is deleted last,
 * so that an interrupted sweep is repeated.
 */
#include "upload_int.h"

#include <string.h>
#include <unistd.h>

#include "vesper/clock.h"
#include "vesper/language.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

#define SWEEP_BYTES (1024 * 1024)

struct sweep {
	struct tenant_uploads *tenant;
	struct arena *arena;
	struct op *op;
	const char *source, *version, *table; /* version or table NULL: none */
	int64_t rows,
		deleted_rows;   /* all rows, and those deleted; -1: the table is being dropped */
	size_t dropped_indexes; /* indexes dropped before the rows */
	void (*then)(struct sweep *s); /* after the table was dropped */
};

static void end(struct sweep *s)
{
	struct tenant_uploads *t = s->tenant;

	t->sweep = NULL;
	sweep_free(&s);
	uploads_refresh(t);
}

/* Ends the sweep, which is retried after the next read of the rows. */
static void give_up(struct sweep *s, const struct err *e)
{
	struct tenant_uploads *t = s->tenant;

	log_warn("uploads.sweep", "tenant %s: %s", t->name, e->text);
	t->sweep = NULL;
	sweep_free(&s);
}

static void on_stored(void *owner, const struct err *e)
{
	struct sweep *s = owner;

	s->op = NULL;
	if (e)
		give_up(s, e);
	else
		end(s);
}

/* A read of changes does not show deleted rows, so they are removed from the listing here. */
static void on_removed(void *owner, const struct err *e)
{
	const struct sweep *s = owner;

	if (!e)
		uploads_remove_listed(s->tenant, s->source, s->version);
	on_stored(owner, e);
}

static struct sweep *begin(struct tenant_uploads *t, const char *source,
			   const struct stored_version *v)
{
	struct sweep *s = mem_alloc(sizeof(*s));

	*s = (struct sweep){.tenant = t, .arena = arena_new(SWEEP_BYTES)};
	s->source = arena_strdup(s->arena, source);
	if (v) {
		s->version = arena_strdup(s->arena, v->uid);
		s->table = v->table && sql_upload_is_table(v->table)
				   ? arena_strdup(s->arena, v->table)
				   : NULL;
		s->rows = v->rows;
		unlink(uploads_spool(t->all, v->uid, s->arena)); /* if it exists */
	}
	t->sweep = s;
	return s;
}

/* ---- tables ---- */

static void delete_rows(struct sweep *s);

static void on_written(void *owner, struct table **tables, size_t count, const struct err *e)
{
	struct sweep *s = owner;

	(void)tables;
	(void)count;
	s->op = NULL;
	if (e && s->deleted_rows < s->rows && e->code == ERR_NOT_FOUND)
		s->deleted_rows = s->rows; /* the table does not exist any more */
	else if (e) {
		give_up(s, e);
		return;
	}
	if (s->deleted_rows >= 0)
		delete_rows(s);
	else
		s->then(s);
}

static void write_one(struct sweep *s, const char *text, const struct value *values, size_t count)
{
	const struct source_statement one = {
		.name = "uploads/drop", .text = text, .values = values, .count = count};
	const struct db_request r = {.tenant = s->tenant->name,
				     .statements = &one,
				     .statement_count = 1,
				     .write = true,
				     .secure_delete = true,
				     .timeout_ms = DATA_SOURCE_LOAD_MS};

	s->op = db_query(s->tenant->all->options.loader, &r, on_written, s);
}

/* In SQLite, dropping a whole table at once would put all of it into the log, so rows are deleted
 * in parts. */
static void delete_rows(struct sweep *s)
{
	enum dialect d = s->tenant->all->dialect;
	struct value until;

	if (d == DIALECT_SQLITE && s->dropped_indexes < UPLOAD_INDEXES_MAX) {
		write_one(s, sql_upload_drop_index(s->table, s->dropped_indexes++, s->arena), NULL,
			  0);
		return;
	}
	if (d == DIALECT_SQLITE && s->deleted_rows < s->rows) {
		s->deleted_rows += DATA_SOURCE_DELETE_ROWS;
		until = value_int(s->deleted_rows);
		write_one(s, sql_upload_delete(s->table, d, s->arena), &until, 1);
		return;
	}
	s->deleted_rows = -1;
	write_one(s, sql_upload_drop(s->table, d, s->arena), NULL, 0);
}

static void drop_table(struct sweep *s, void (*then)(struct sweep *s))
{
	s->then = then;
	if (s->table)
		delete_rows(s);
	else
		then(s);
}

/* ---- each kind ---- */

static void clear_table_name(struct sweep *s)
{
	s->op = store_version_clear(s->tenant->all->options.store, s->tenant->name, s->version,
				    on_stored, s);
}

static void remove_version(struct sweep *s)
{
	s->op = store_version_remove(s->tenant->all->options.store, s->tenant->name, s->version,
				     on_removed, s);
}

static void remove_source(struct sweep *s)
{
	s->op = store_source_remove(s->tenant->all->options.store, s->tenant->name, s->source,
				    language_text(uploads_language(s->tenant), SAY_UPLOAD_DELETED),
				    on_removed, s);
}

/* No effect if the row was changed since it was read, for example when its load ends. */
static void fail_version(struct sweep *s, const struct stored_version *v, const char *code)
{
	s->op = store_version_fail(s->tenant->all->options.store, s->tenant->name, v, code,
				   on_stored, s);
}

/* ---- the next item ---- */

static int64_t elapsed_ms(const char *updated_at)
{
	struct err e;
	int64_t at;

	return clock_parse_rfc3339(updated_at, &at, &e) ? clock_now_ms() - at : 0;
}

static int64_t age_ms(const struct stored_version *v)
{
	return elapsed_ms(v->updated_at);
}

static bool has_newer(const struct tenant_uploads *t, const struct stored_version *v)
{
	const struct listed_source *s = listing_source(t->listing, v->source);

	return s && s->newest && s->newest->number > v->number;
}

static bool is_on_this_replica(const struct tenant_uploads *t, const struct stored_version *v)
{
	return load_is_local(t, v->uid) || spool_is_receiving(t, v->uid);
}

/* The owner's answer arrived at another replica, and the file is here. */
static bool is_answered_on_other_replica(const struct tenant_uploads *t,
					 const struct stored_version *v)
{
	return v->state == VERSION_READING && v->answers && !is_on_this_replica(t, v) &&
	       spool_has(t, v->uid);
}

/* Shows other replicas that a file received or loaded here is still in progress. */
static void on_heartbeat(void *owner, const struct err *e)
{
	struct tenant_uploads *t = owner;

	t->heartbeat = NULL;
	if (e)
		log_warn("uploads.heartbeat", "tenant %s: %s", t->name, e->text);
}

static void heartbeat(struct tenant_uploads *t)
{
	struct listing_at at = {0};
	const struct listed_source *k;

	while (!t->heartbeat && !t->all->is_exclusive &&
	       (k = listing_next(t->listing, LISTING_INCOMPLETE, &at)))
		for (size_t i = 0; i < k->version_count && !t->heartbeat; i++) {
			const struct stored_version *v = &k->versions[i];

			if (version_is_in_progress(v) && is_on_this_replica(t, v) &&
			    age_ms(v) >= DATA_SOURCE_SILENT_MS / 4)
				t->heartbeat = store_version_heartbeat(
					t->all->options.store, t->name, v->uid, on_heartbeat, t);
		}
}

static bool sweep_version(struct tenant_uploads *t, const struct stored_version *v)
{
	const struct uploads_options *o = &t->all->options;

	switch (v->state) {
	case VERSION_RECEIVING:
	case VERSION_READING:
	case VERSION_LOADING:
		if (is_on_this_replica(t, v) ||
		    (!t->all->is_exclusive && age_ms(v) < DATA_SOURCE_SILENT_MS)) {
			if (is_answered_on_other_replica(t, v))
				load_adopt(t, v);
			return false;
		}
		fail_version(begin(t, v->source, v), v, "interrupted");
		return true;
	case VERSION_ASKING:
		if (age_ms(v) < DATA_SOURCE_ASK_MS && !has_newer(t, v))
			return false;
		fail_version(begin(t, v->source, v), v, "unanswered");
		return true;
	case VERSION_FAILED:
		if (v->table)
			drop_table(begin(t, v->source, v), clear_table_name);
		else if (has_newer(t, v))
			remove_version(begin(t, v->source, v));
		else
			return false;
		return true;
	case VERSION_RETIRING:
		if (age_ms(v) < o->turn_ms)
			return false;
		drop_table(begin(t, v->source, v), remove_version);
		return true;
	case VERSION_READY:
		break;
	}
	return false;
}

/* Removes one version at a time, then the source. */
static bool sweep_source(struct tenant_uploads *t, const struct listed_source *k)
{
	if (k->newest) {
		const struct stored_version *v = k->newest;

		if (t->load && strcmp(t->load->version, v->uid) == 0)
			load_cancel(t);
		if (is_on_this_replica(t, v))
			return false; /* its load must end first */
		drop_table(begin(t, k->row->uid, v), remove_version);
		return true;
	}
	remove_source(begin(t, k->row->uid, NULL));
	return true;
}

bool uploads_expires(const struct uploads *u, const struct stored_source *s, int64_t *wall_ms)
{
	int64_t retention_ms = u->options.retention_ms, set, changed;
	struct err e;
	bool is_set = s->expires_at && clock_parse_rfc3339(s->expires_at, &set, &e);
	bool has_retention = retention_ms > 0 && clock_parse_rfc3339(s->updated_at, &changed, &e);

	if (is_set && (!has_retention || set < changed + retention_ms))
		*wall_ms = set;
	else if (has_retention)
		*wall_ms = changed + retention_ms;
	return is_set || has_retention;
}

/* Marks an expired source as deleted, as if its owner had deleted it. */
static bool sweep_expired(struct tenant_uploads *t, const struct stored_source *s)
{
	struct sweep *sweep;
	int64_t at;

	if (s->deleted_at || !uploads_expires(t->all, s, &at) || clock_now_ms() < at)
		return false;
	log_info("uploads.expired", "tenant %s: %s", t->name, s->uid);
	sweep = begin(t, s->uid, NULL);
	sweep->op = store_source_mark_deleted(t->all->options.store, t->name, sweep->source,
					      on_stored, sweep);
	return true;
}

static bool sweep_deleted(struct tenant_uploads *t)
{
	struct listing_at at = {0};
	const struct listed_source *k;

	while ((k = listing_next(t->listing, LISTING_INCOMPLETE, &at)))
		if (k->row->deleted_at && sweep_source(t, k))
			return true;
	return false;
}

/* All sources are checked only if retention applies to the oldest; otherwise only those with an
 * expiry. */
static bool sweep_expired_sources(struct tenant_uploads *t)
{
	const char *oldest = listing_sums(t->listing)->rows.source_at.oldest;
	int64_t retention_ms = t->all->options.retention_ms;
	bool all = retention_ms > 0 && oldest && elapsed_ms(oldest) >= retention_ms;
	struct listing_at at = {0};
	const struct listed_source *k;

	while ((k = listing_next(t->listing, all ? LISTING_ALL : LISTING_EXPIRING, &at)))
		if (sweep_expired(t, k->row))
			return true;
	return false;
}

static void sweep_versions(struct tenant_uploads *t)
{
	struct listing_at at = {0};
	const struct listed_source *k;

	while ((k = listing_next(t->listing, LISTING_INCOMPLETE, &at)))
		for (size_t i = 0; i < k->version_count; i++)
			if (sweep_version(t, &k->versions[i]))
				return;
}

void sweep_next(struct tenant_uploads *t)
{
	if (!t->all->ending)
		heartbeat(t);
	if (t->sweep || t->all->ending)
		return;
	if (!sweep_deleted(t) && !sweep_expired_sources(t))
		sweep_versions(t);
}

void sweep_free(struct sweep **sweep)
{
	struct sweep *s = *sweep;

	if (!s)
		return;
	*sweep = NULL;
	op_cancel(&s->op);
	arena_free(&s->arena);
	mem_free(s);
}
