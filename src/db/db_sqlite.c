/*
 * The SQLite dialect: one file per tenant, opened by SQLite's own library (db_native.c). A
 * read-only file is attached once for each schema that statements name; db_allow.c restricts what
 * they may do.
 */
#include "db_int.h"

#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "vesper/clock.h"
#include "vesper/limits.h"

#define TENANT_BYTES        256
#define PRAGMA_BYTES        128
#define FILE_PAGE_BYTES     "2048" /* of new files; a turn writes half as many bytes as with 4096 */
#define LOG_PAGES           "8000" /* 16 MB of write-ahead log, four times SQLite's default */
#define TEMPORARY           "PRAGMA temp_store = FILE" /* in memory: db_temporary.c */
#define CACHE_KIB_READ_ONLY 256 /* for each schema; twice as much is not faster */

static void init_once(void)
{
	/* Memory statistics would make all threads contend for one lock. The call fails if the
	 * library is already in use. */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	db_memory_init();
	/* Preallocate no pages: each attached file would get about 87 KB of them. */
	sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
	db_temporary_init();
}

static void sqlite_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init_once);
}

void db_sqlite_uri(struct buf *out, const char *path, const char *mode)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-";

	buf_str(out, "file:");
	for (const char *p = path; *p; p++) {
		if (strchr(plain, *p))
			buf_char(out, *p);
		else
			buf_printf(out, "%%%02X", (unsigned char)*p);
	}
	buf_printf(out, "?mode=%s", mode);
}

static const char *sqlite_confirm_text(const struct connection *c)
{
	return c->tenant->settings->read_only ? c->schemas->confirm
					      : "SELECT tenant_id FROM vesper_tenant";
}

static bool attach(struct connection *c, const char *schema, struct err *e)
{
	char pragma[PRAGMA_BYTES];
	struct buf text;
	bool done;

	buf_init(&text, SQL_FILE_BYTES_MAX);
	buf_str(&text, "ATTACH '");
	db_sqlite_uri(&text, c->tenant->file, "ro");
	buf_printf(&text, "' AS %s", schema);
	snprintf(pragma, sizeof(pragma), "PRAGMA %s.cache_size = -%d", schema, CACHE_KIB_READ_ONLY);
	done = db_connection_exec(c, buf_text(&text), e) && db_connection_exec(c, pragma, e);
	buf_deinit(&text);
	return done;
}

/* Called before the file is opened, so that a replacement in between is noticed at the next use. */
static void file_remember(struct connection *c)
{
	struct stat now = {0};

	(void)stat(c->tenant->file, &now);
	c->device = now.st_dev;
	c->inode = now.st_ino;
}

/* New data arrives as a new file at the same path. A connection that has the old file open would go
 * on reading it. */
static bool sqlite_replaced(const struct connection *c)
{
	struct stat now = {0};

	return c->tenant->settings->read_only &&
	       (c->schemas != atomic_load(&c->tenant->settings->schemas) ||
		stat(c->tenant->file, &now) != 0 || now.st_dev != c->device ||
		now.st_ino != c->inode);
}

static bool set_up_read_only(struct connection *c, struct err *e)
{
	c->schemas = atomic_load(&c->tenant->settings->schemas);
	if (!c->schemas)
		return err_set(e, ERR_INPUT, "no schema is configured for this database");
	file_remember(c);
	for (size_t i = 0; i < c->schemas->count; i++)
		if (!attach(c, c->schemas->names[i], e))
			return false;
	if (!db_connection_exec(c, "PRAGMA query_only = 1", e) ||
	    !db_connection_exec(c, TEMPORARY, e) || !db_exact_use(c, e))
		return false;
	db_allow_reading_only(c);
	return true;
}

static bool file_empty(struct connection *c, bool *empty, struct err *e)
{
	char object_count[32];
	bool found;

	if (!db_connection_read_cell(c, "SELECT count(*) FROM sqlite_schema", object_count,
				     sizeof(object_count), &found, e))
		return false;
	*empty = found && strcmp(object_count, "0") == 0;
	return true;
}

/* Runs inside a transaction: several connections may find the new file at the same time. */
static bool claim_locked(struct connection *c, struct err *e)
{
	char insert[TENANT_BYTES * 2];
	bool empty;

	if (!file_empty(c, &empty, e))
		return false;
	if (!empty)
		return true;
	sqlite3_snprintf((int)sizeof(insert), insert,
			 "INSERT INTO vesper_tenant (tenant_id) VALUES (%Q)", c->tenant->id);
	return db_connection_exec(
		       c,
		       "CREATE TABLE vesper_tenant (tenant_id nvarchar(100) NOT NULL PRIMARY KEY)",
		       e) &&
	       db_connection_exec(c, insert, e);
}

/* A new file gets the row that names its tenant. A file that has other contents and no such row is
 * refused later, by db_connection_confirm. */
static bool claim_if_empty(struct connection *c, struct err *e)
{
	bool empty;

	if (!file_empty(c, &empty, e))
		return false;
	if (!empty)
		return true;
	if (!c->tenant->settings->create)
		return err_set(e, ERR_UPSTREAM, "%s is empty", c->tenant->file);
	if (!db_connection_exec(c, "PRAGMA page_size = " FILE_PAGE_BYTES, e) ||
	    !db_connection_exec(c, "BEGIN IMMEDIATE", e))
		return false;
	if (claim_locked(c, e) && db_connection_exec(c, "COMMIT", e))
		return true;
	db_connection_exec(c, "ROLLBACK", NULL);
	return false;
}

/* Two connections that switch a new file to WAL at the same time conflict. SQLite then fails one of
 * them at once, regardless of the busy timeout. */
static bool use_wal(struct connection *c, struct err *e)
{
	int64_t end_ms = clock_mono_ms() + DB_BUSY_MS;
	char mode[32];
	bool found;

	while (!db_connection_read_cell(c, "PRAGMA journal_mode = WAL", mode, sizeof(mode), &found,
					e)) {
		if ((sqlite3_errcode(c->native) & 0xff) != SQLITE_BUSY || clock_mono_ms() >= end_ms)
			return false;
		sqlite3_sleep(DB_BUSY_STEP_MS);
	}
	if (!found || strcmp(mode, "wal") != 0)
		return err_set_retry(e, ERR_UPSTREAM, "%s cannot be switched to a write-ahead log",
				     c->tenant->file);
	return true;
}

static bool set_up_writable(struct connection *c, struct err *e)
{
	const char *sync = c->tenant->settings->full_sync ? "PRAGMA synchronous = FULL"
							  : "PRAGMA synchronous = NORMAL";

	return claim_if_empty(c, e) && db_connection_confirm(c, e) && use_wal(c, e) &&
	       db_connection_exec(c, sync, e) &&
	       /* The writer that checkpoints waits for the disk, and other writers wait for it. */
	       db_connection_exec(c, "PRAGMA wal_autocheckpoint = " LOG_PAGES, e) &&
	       db_connection_exec(c, TEMPORARY, e) &&
	       db_connection_exec(c, "PRAGMA foreign_keys = 1", e) &&
	       /* Deleted bytes are overwritten. */
	       db_connection_exec(c, "PRAGMA secure_delete = 1", e);
}

static bool sqlite_set_up(struct connection *c, struct err *e)
{
	return c->tenant->settings->read_only ? set_up_read_only(c, e) : set_up_writable(c, e);
}

static bool has_prefix(const char *text, const char *prefix)
{
	return (*text | 0x20) == *prefix && strncasecmp(text, prefix, strlen(prefix)) == 0;
}

enum column_type db_sqlite_column_type(const char *name, bool *is_inferred)
{
	static const struct {
		const char *prefix;
		enum column_type type;
	} types[] = {
		{"int", COLUMN_INT},
		{"bigint", COLUMN_INT},
		{"smallint", COLUMN_INT},
		{"tinyint", COLUMN_INT},
		{"mediumint", COLUMN_INT},
		{"decimal", COLUMN_DECIMAL},
		{"numeric", COLUMN_DECIMAL},
		{"double", COLUMN_DECIMAL},
		{"real", COLUMN_DECIMAL},
		{"float", COLUMN_DECIMAL},
		{"money", COLUMN_DECIMAL},
		{"datetime", COLUMN_DATETIME},
		{"timestamp", COLUMN_DATETIME},
		{"date", COLUMN_DATE},
		{"bool", COLUMN_BOOL},
		{"bit", COLUMN_BOOL},
	};

	*is_inferred = strcmp(name, "integer") == 0 || strcmp(name, "double") == 0 ||
		       strcmp(name, "varchar") == 0 || strcmp(name, "blob") == 0;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (has_prefix(name, types[i].prefix))
			return types[i].type;
	return COLUMN_TEXT;
}

/* The native number is SQLite's result code. Messages name tables and columns, never values. */
static struct error_class sqlite_classify(const struct diag *d)
{
	if (has_prefix(d->message, "not authorized")) /* functions have no code */
		return (struct error_class){.code = ERR_DENIED};
	switch (d->native & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_FULL:
	case SQLITE_NOMEM:
		return (struct error_class){.code = ERR_UPSTREAM, .may_retry = true};
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return (struct error_class){.code = ERR_UPSTREAM, .may_retry = true, .lost = true};
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return (struct error_class){.code = ERR_UPSTREAM, .lost = true};
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return (struct error_class){.code = ERR_UPSTREAM};
	case SQLITE_AUTH:
		return (struct error_class){.code = ERR_DENIED};
	case SQLITE_INTERRUPT: /* interrupted; work.stop holds the reason */
		return (struct error_class){.code = ERR_CANCELLED};
	default:
		return (struct error_class){.code = ERR_INTERNAL};
	}
}

const struct db_dialect db_sqlite = {
	.dialect = DIALECT_SQLITE,
	.link = &db_link_native,
	.init = sqlite_init,
	.set_up = sqlite_set_up,
	.replaced = sqlite_replaced,
	.confirm_text = sqlite_confirm_text,
	.classify = sqlite_classify,
	.begin = "BEGIN IMMEDIATE",
	.commit = "COMMIT",
	.rollback = "ROLLBACK",
	.savepoint = "SAVEPOINT request",
	.release = "RELEASE request",
	.rollback_to = "ROLLBACK TO request",
	/* Old pages stay in the log until it is overwritten. */
	.secure_delete = "PRAGMA wal_checkpoint(TRUNCATE)",
};
