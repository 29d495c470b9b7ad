/*
 * A connection to a tenant's SQLite file through SQLite's own library, so only the database parses
 * a statement's text. Settings and the meaning of failures are in db_sqlite.c.
 *
 * A statement is cancelled by a progress handler. It checks the work's stop flag while the
 * statement runs, on the worker thread.
 */
#include "db_int.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

#define PROGRESS_STEPS 4000 /* about 50 microseconds of work between two checks of the flag */
#define NUMBER_SPARE_BYTES                                                                         \
	64 /* spare bytes: a number may grow by a few bytes when it is normalized */

struct native_rows {
	struct db_rows base;
	struct connection *c;
	sqlite3_stmt *statement;
	int rc; /* of the last step; the first one is made before the columns are known */
	bool stepped;
};

static bool native_fail(struct connection *c, const char *what, struct err *e)
{
	struct diag d = {.state = "HY000", .native = sqlite3_errcode(c->native)};
	struct error_class v;

	snprintf(d.message, sizeof(d.message), "%s", sqlite3_errmsg(c->native));
	v = db_sqlite.classify(&d);
	return db_connection_fail(c, &d, &v, what, e);
}

static void native_disconnect(struct connection *c)
{
	for (size_t i = 0; i < DB_CONTROLS; i++) {
		sqlite3_finalize(c->controls[i]);
		c->controls[i] = NULL;
	}
	sqlite3_close(c->native);
	c->native = NULL;
}

/* Limits what one function call may do, since no progress handler runs inside it. */
static void limits_set(struct connection *c)
{
	static const int limits[][2] = {
		{SQLITE_LIMIT_LENGTH, DB_VALUE_BYTES_MAX},
		{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, DB_LIKE_BYTES_MAX},
		{SQLITE_LIMIT_EXPR_DEPTH, DB_EXPR_DEPTH_MAX},
		{SQLITE_LIMIT_COMPOUND_SELECT, DB_COMPOUND_MAX},
		{SQLITE_LIMIT_VDBE_OP, DB_PROGRAM_STEPS_MAX},
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		sqlite3_limit(c->native, limits[i][0], limits[i][1]);
}

static int on_progress(void *owner)
{
	const struct connection *c = owner;

	return c->running && atomic_load(&c->running->stop) != STOP_NONE;
}

/* The file's schema is not trusted. A quoted name that is not a column is an error, not a
 * string. */
static bool harden(struct connection *c, struct err *e)
{
	static const int settings[][2] = {
		{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
		{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_DEFENSIVE, 1},
		{SQLITE_DBCONFIG_DQS_DML, 0},
		{SQLITE_DBCONFIG_DQS_DDL, 0},
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (sqlite3_db_config(c->native, settings[i][0], settings[i][1], NULL) != SQLITE_OK)
			return native_fail(c, "connect", e);
	return true;
}

static bool native_connect(struct connection *c, struct err *e)
{
	const struct db_settings *s = c->tenant->settings;
	sqlite3 *native = NULL;
	struct buf uri;

	buf_init(&uri, SQL_FILE_BYTES_MAX);
	if (s->read_only)
		buf_str(&uri, ":memory:"); /* the file is attached under the names of its schemas */
	else
		db_sqlite_uri(&uri, c->tenant->file, s->create ? "rwc" : "rw");
	/* Only one thread at a time uses it. */
	if (sqlite3_open_v2(buf_text(&uri), &native,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI |
				    SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK) {
		c->native = native;
		native_fail(c, "connect", e);
		native_disconnect(c);
		buf_deinit(&uri);
		return false;
	}
	buf_deinit(&uri);
	c->native = native;
	if (!harden(c, e)) {
		native_disconnect(c);
		return false;
	}
	if (s->read_only)
		limits_set(c);
	sqlite3_busy_timeout(native, DB_BUSY_MS);
	sqlite3_progress_handler(native, PROGRESS_STEPS, on_progress, c);
	return true;
}

static bool native_prepare(struct connection *c, const char *text, size_t length, void **out,
			   struct err *e)
{
	sqlite3_stmt *statement = NULL;
	sqlite3_stmt *second = NULL;
	const char *rest;

	if (sqlite3_prepare_v3(c->native, text, (int)length + 1, SQLITE_PREPARE_PERSISTENT,
			       &statement, &rest) != SQLITE_OK)
		return native_fail(c, "prepare", e);
	if (!statement || sqlite3_prepare_v3(c->native, rest, -1, 0, &second, NULL) != SQLITE_OK ||
	    second) {
		sqlite3_finalize(second);
		sqlite3_finalize(statement);
		return err_set(e, ERR_INTERNAL,
			       "prepare: the text must contain exactly one statement");
	}
	*out = statement;
	return true;
}

static void native_drop(void *handle)
{
	sqlite3_finalize(handle);
}

/* Reads the first cell. Without rows, or if the cell is NULL: "", and *found is false. */
static bool first_cell(struct connection *c, sqlite3_stmt *statement, char *out, size_t out_size,
		       bool *found, const char *what, struct err *e)
{
	int rc = sqlite3_step(statement);
	const char *text = NULL;

	if (rc == SQLITE_ROW)
		text = (const char *)sqlite3_column_text(statement, 0);
	else if (rc != SQLITE_DONE)
		return native_fail(c, what, e);
	*found = text != NULL;
	snprintf(out, out_size, "%s", text ? text : "");
	return true;
}

static bool native_confirm(struct connection *c, char seen[TENANT_SEEN_BYTES], struct err *e)
{
	const char *text = db_sqlite.confirm_text(c);
	bool found;
	bool done;

	if (c->tenant->settings->one_tenant) { /* the file has no tenant mark */
		snprintf(seen, TENANT_SEEN_BYTES, "%s", c->tenant->id);
		return true;
	}
	if (!c->confirm && !native_prepare(c, text, strlen(text), &c->confirm, e))
		return false;
	done = first_cell(c, c->confirm, seen, TENANT_SEEN_BYTES, &found, "confirm the tenant", e);
	sqlite3_reset(c->confirm);
	return done;
}

static int value_bind(sqlite3_stmt *statement, int at, const struct value *v)
{
	switch (v->type) {
	case VALUE_NULL:
		return sqlite3_bind_null(statement, at);
	case VALUE_TEXT:
	case VALUE_DATE:
		return sqlite3_bind_text(statement, at, v->text, -1, SQLITE_STATIC);
	case VALUE_DECIMAL: /* SQLite has no decimals; bound as text it would be compared as text
			       with an expression */
		return sqlite3_bind_double(statement, at, strtod(v->text, NULL));
	case VALUE_INT:
	case VALUE_BOOL:
		return sqlite3_bind_int64(statement, at, v->number);
	}
	abort(); /* no other type exists */
}

static bool values_bind(struct connection *c, sqlite3_stmt *statement,
			const struct source_statement *s, struct err *e)
{
	if (sqlite3_bind_parameter_count(statement) != (int)s->count)
		return err_set(e, ERR_INTERNAL, "bind: %zu values for %d placeholders", s->count,
			       sqlite3_bind_parameter_count(statement));
	for (size_t i = 0; i < s->count; i++)
		if (value_bind(statement, (int)i + 1, &s->values[i]) != SQLITE_OK)
			return native_fail(c, "bind", e);
	return true;
}

static bool on_next(struct db_rows *base, bool *more, struct err *e)
{
	struct native_rows *r = list_item(base, struct native_rows, base);

	if (r->stepped)
		r->rc = sqlite3_step(r->statement);
	r->stepped = true;
	*more = r->rc == SQLITE_ROW;
	return *more || r->rc == SQLITE_DONE || native_fail(r->c, "fetch", e);
}

/* The declared type; for an expression, the type of the first row's value. */
static bool on_describe(struct db_rows *base, size_t i, struct arena *a, struct column *column,
			bool *is_inferred, struct err *e)
{
	static const char *const names[] = {
		[SQLITE_INTEGER] = "integer", [SQLITE_FLOAT] = "double", [SQLITE_TEXT] = "varchar",
		[SQLITE_BLOB] = "blob",       [SQLITE_NULL] = "varchar",
	};
	struct native_rows *r = list_item(base, struct native_rows, base);
	const char *type = sqlite3_column_decltype(r->statement, (int)i);

	(void)e;
	if (!type)
		type = names[sqlite3_column_type(r->statement, (int)i)];
	column->name = arena_strdup(a, sqlite3_column_name(r->statement, (int)i));
	column->type = db_sqlite_column_type(type, is_inferred);
	return true;
}

static bool on_cell(struct db_rows *base, size_t i, const struct column *column, char **text,
		    size_t *length, struct err *e)
{
	struct native_rows *r = list_item(base, struct native_rows, base);
	/* Read before the text, because sqlite3_column_text converts the cell. */
	bool is_real = sqlite3_column_type(r->statement, (int)i) == SQLITE_FLOAT;
	double real = is_real ? sqlite3_column_double(r->statement, (int)i) : 0;
	const unsigned char *value = sqlite3_column_text(r->statement, (int)i);
	size_t n = (size_t)sqlite3_column_bytes(r->statement, (int)i);
	struct connection *c = r->c;

	*text = NULL;
	if (!value)
		return sqlite3_errcode(c->native) != SQLITE_NOMEM || native_fail(c, "fetch", e);
	if (n > DB_CELL_BYTES_MAX)
		return db_cell_too_long(column, e);
	if (n + NUMBER_SPARE_BYTES > c->cell_size)
		c->cell = mem_grow(c->cell, &c->cell_size, n + NUMBER_SPARE_BYTES, 1);
	memcpy(c->cell, value, n);
	c->cell[n] = '\0';
	/* SQLite writes 15 digits, which rounds the largest doubles up to infinity. */
	if (is_real && isfinite(real) && !isfinite(strtod(c->cell, NULL)))
		n = (size_t)snprintf(c->cell, c->cell_size, "%.17g", real);
	*text = c->cell;
	*length = n;
	return true;
}

static bool native_execute(struct connection *c, void *handle, struct work *w,
			   const struct source_statement *s, struct err *e)
{
	struct native_rows r = {
		.base = {.next = on_next, .describe = on_describe, .cell = on_cell},
		.c = c,
		.statement = handle,
	};
	bool done = values_bind(c, handle, s, e);

	if (c->tenant->settings->read_only)
		db_memory_begin(DB_STATEMENT_BYTES_MAX);
	if (done) {
		r.rc = sqlite3_step(handle);
		done = r.rc == SQLITE_ROW || r.rc == SQLITE_DONE || native_fail(c, "execute", e);
	}
	if (done)
		done = db_fetch_table(&r.base, (size_t)sqlite3_column_count(handle), w, s, e);
	sqlite3_reset(handle);
	if (c->tenant->settings->read_only && db_memory_end() && !done && e->code == ERR_UPSTREAM)
		err_set(e, ERR_LIMIT, "the query needs more than %d MB of memory",
			DB_STATEMENT_BYTES_MAX / (1024 * 1024));
	sqlite3_clear_bindings(handle); /* they point into memory of the work */
	return done;
}

/* The slot of a prepared control statement (begin, commit, …); NULL: `text` is not a control
 * statement. */
static void **control_of(struct connection *c, const char *text)
{
	const struct db_dialect *d = c->tenant->settings->dialect;
	const char *const texts[DB_CONTROLS] = {d->begin, d->commit, d->savepoint, d->release};

	for (size_t i = 0; i < DB_CONTROLS; i++)
		if (texts[i] == text)
			return &c->controls[i];
	return NULL;
}

static bool control_run(struct connection *c, const char *text, void **control, struct err *e)
{
	bool done;

	if (!*control && !native_prepare(c, text, strlen(text), control, e))
		return false;
	done = sqlite3_step(*control) == SQLITE_DONE || native_fail(c, "execute", e);
	sqlite3_reset(*control);
	return done;
}

static bool native_exec(struct connection *c, const char *text, struct err *e)
{
	void **control = control_of(c, text);

	if (control)
		return control_run(c, text, control, e);
	return sqlite3_exec(c->native, text, NULL, NULL, NULL) == SQLITE_OK ||
	       native_fail(c, "execute", e);
}

static bool native_read_cell(struct connection *c, const char *text, char *out, size_t out_size,
			     bool *found, struct err *e)
{
	void *statement = NULL;
	bool done;

	if (!native_prepare(c, text, strlen(text), &statement, e))
		return false;
	done = first_cell(c, statement, out, out_size, found, "execute", e);
	native_drop(statement);
	return done;
}

const struct db_link db_link_native = {
	.connect = native_connect,
	.disconnect = native_disconnect,
	.confirm = native_confirm,
	.prepare = native_prepare,
	.drop = native_drop,
	.execute = native_execute,
	.exec = native_exec,
	.read_cell = native_read_cell,
};
