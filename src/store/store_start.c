/*
 * Prepares a tenant's database at the start: applies missing migrations in one transaction (on a
 * server, only checks them), and closes orphaned turns.
 */
#include "store_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/file.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/uuid.h"

/* Parses "001_chat.sql". */
static bool migration_name(const char *file, int *version, size_t *name_length)
{
	char *end;
	long number = strtol(file, &end, 10);
	struct str name = str_of(file);

	if (end != file + 3 || *end != '_' || number < 1 || !str_ends(name, STR(".sql")))
		return false;
	*version = (int)number;
	*name_length = name.n - strlen(".sql");
	return true;
}

static bool on_server(const struct store *s)
{
	return db_dialect(s->db) != DIALECT_SQLITE;
}

static bool migration_load(struct store *s, const char *folder, const char *file,
			   struct migration *m, struct err *e)
{
	const char *path = arena_printf(s->arena, "%s/%s", folder, file);
	struct sql_file *parsed;
	size_t length;

	if (!migration_name(file, &m->version, &length))
		return err_set(e, ERR_INPUT, "%s: the name of a migration must be NNN_name.sql",
			       path);
	m->name = arena_strndup(s->arena, file, length);
	if (on_server(s))
		return true;
	if (!sql_file_load(path, s->arena, &parsed, e))
		return false;
	for (size_t i = 0; i < parsed->query_count; i++)
		if (parsed->queries[i].marker_count > 0)
			return err_set(e, ERR_INPUT, "%s:%d: a migration must not have arguments",
				       path, parsed->queries[i].line);
	m->file = parsed;
	return true;
}

bool store_migrations_load(struct store *s, const char *root, struct err *e)
{
	const char *dialect = dialect_name(db_dialect(s->db));
	const char *folder =
		on_server(s) ? arena_printf(s->arena, "%s/sql/schema/%s/store", root, dialect)
			     : arena_printf(s->arena, "%s/sql/store/%s", root, dialect);
	const char *const *files;
	struct migration *all;
	size_t n = 0;

	if (!file_list(folder, s->arena, &files, e))
		return false;
	while (files[n])
		n++;
	if (n == 0 || n > STORE_MIGRATIONS_MAX)
		return err_set(e, ERR_INPUT, "%s: must contain 1 to %d migrations, not %zu", folder,
			       STORE_MIGRATIONS_MAX, n);
	all = arena_alloc(s->arena, n * sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		if (!migration_load(s, folder, files[i], &all[i], e))
			return false;
		if (all[i].version != (int)i + 1)
			return err_set(e, ERR_INPUT, "%s/%s: number %03d was expected", folder,
				       files[i], (int)i + 1);
	}
	s->migrations = all;
	s->migration_count = n;
	return true;
}

struct start {
	struct call call;
	const char *closed; /* the first turn of the last batch */
	store_done_cb cb;
	void *owner;
};

static void on_done(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct start *m = list_item(c, struct start, call);

	(void)tables;
	(void)count;
	m->cb(m->owner, e);
}

static struct start *start_new(struct store *s, const char *tenant, store_done_cb cb, void *owner)
{
	struct start *m = store_call_new(s, tenant, sizeof(*m));

	m->cb = cb;
	m->owner = owner;
	store_call_now(&m->call);
	return m;
}

static void migrations_add(struct call *c, size_t applied)
{
	const struct store *s = c->store;

	for (size_t i = applied; i < s->migration_count; i++) {
		const struct migration *m = &s->migrations[i];

		for (size_t q = 0; q < m->file->query_count; q++)
			store_call_add_query(c, &m->file->queries[q]);
		store_call_int(c, "version", m->version);
		store_call_text(c, "name", m->name);
		store_call_add(c, "migration_insert");
		log_info("store.migration", "tenant %s: applying %s", c->tenant, m->name);
	}
}

/* Applied numbers have no gap, so their count gives the next one. */
static void on_applied(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct start *m = list_item(c, struct start, call);
	struct err newer = {0};
	size_t applied;

	if (e) {
		m->cb(m->owner, e);
		return;
	}
	assert(count == 1);
	applied = tables[0]->row_count;
	if (applied > c->store->migration_count) {
		err_set(&newer, ERR_INPUT,
			"tenant %s: a newer version migrated the store (%zu migrations; this "
			"version has %zu)",
			c->tenant, applied, c->store->migration_count);
		m->cb(m->owner, &newer);
		return;
	}
	if (applied == c->store->migration_count) {
		m->cb(m->owner, NULL);
		return;
	}
	store_call_clear(c);
	migrations_add(c, applied);
	c->finish = on_done;
	store_call_write(c);
}

/* ERR_NOT_FOUND, ERR_DENIED: the table of migrations does not exist, or not for this login. */
static struct err schema_error(const struct err *e)
{
	struct err problem = *e;

	if (e->code == ERR_NOT_FOUND || e->code == ERR_DENIED)
		err_set(&problem, ERR_INPUT,
			"the store has no schema for this login: %s. Run vesperctl db init",
			e->text);
	return problem;
}

static void on_schema(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct start *m = list_item(c, struct start, call);
	struct err problem = {0};
	size_t applied, expected;

	if (e) {
		problem = schema_error(e);
		m->cb(m->owner, &problem);
		return;
	}
	assert(count == 1);
	applied = tables[0]->row_count;
	expected = c->store->migration_count;
	if (applied < expected)
		err_set(&problem, ERR_INPUT,
			"the store has %zu of %zu migrations. Run vesperctl db migrate", applied,
			expected);
	else if (applied > expected)
		err_set(&problem, ERR_INPUT,
			"a newer version migrated the store (%zu migrations; this version has %zu)",
			applied, expected);
	m->cb(m->owner, problem.code == ERR_NONE ? NULL : &problem);
}

struct op *store_migrate(struct store *s, const char *tenant, store_done_cb cb, void *owner)
{
	struct start *m = start_new(s, tenant, cb, owner);

	if (on_server(s)) {
		m->call.finish = on_schema;
		store_call_add(&m->call, "schema_applied");
		return store_call_read(&m->call, STORE_MIGRATIONS_MAX + 1);
	}

	m->call.finish = on_applied;
	store_call_add(&m->call, "migrations_table");
	store_call_add(&m->call, "migrations_applied");
	return store_call_write(&m->call);
}

static void orphans_query(struct call *c);

static void on_closed(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct start *m = list_item(c, struct start, call);

	(void)tables;
	(void)count;
	if (e)
		m->cb(m->owner, e);
	else
		orphans_query(c);
}

static void on_orphans(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct start *m = list_item(c, struct start, call);
	struct err problem = {0};
	const char *first;

	if (e || tables[0]->row_count == 0) {
		m->cb(m->owner, e);
		return;
	}
	assert(count == 1);
	first = table_cell(tables[0], 0, "turn_id");
	if (!first || (m->closed && strcmp(first, m->closed) == 0)) {
		err_set(&problem, ERR_UPSTREAM,
			"tenant %s: a turn has no answer although one was stored: the store is "
			"damaged",
			c->tenant);
		m->cb(m->owner, &problem);
		return;
	}
	m->closed = arena_strdup(c->arena, first);
	store_call_clear(c);
	store_call_text(c, "status", message_status_name(MESSAGE_INTERRUPTED));
	for (size_t i = 0; i < tables[0]->row_count; i++) {
		store_call_text(c, "message_id", uuid_new().text);
		store_call_text(c, "session_id", store_cell(tables[0], i, "session_id"));
		store_call_text(c, "turn_id", store_cell(tables[0], i, "turn_id"));
		store_call_add(c, "orphan_close");
	}
	log_info("store.orphans", "tenant %s: closing %zu turns without an answer as interrupted",
		 c->tenant, tables[0]->row_count);
	c->finish = on_closed;
	store_call_write(c);
}

static void orphans_query(struct call *c)
{
	store_call_clear(c);
	store_call_int(c, "limit", STORE_ORPHANS_MAX);
	store_call_add(c, "orphans");
	c->finish = on_orphans;
	store_call_read(c, STORE_ORPHANS_MAX);
}

struct op *store_close_orphans(struct store *s, const char *tenant, int64_t min_age_ms,
			       store_done_cb cb, void *owner)
{
	struct start *m = start_new(s, tenant, cb, owner);
	char before[CLOCK_RFC3339_BYTES];

	if (min_age_ms > 0) {
		clock_rfc3339(clock_now_ms() - min_age_ms, before);
		store_call_text(&m->call, "before", before);
	}

	orphans_query(&m->call);
	return &m->call.op;
}
