/*
 * An event is passed as one JSON text in ASCII, which the database parses, so that no driver
 * converts character sets. The table rejects duplicates, so reading a day again is harmless.
 */
#include "pbi_rows.h"

#include <sqlite3.h>
#include <string.h>

#include "server/server.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/str.h"

#define COLUMNS                                                                                    \
	"tenant_id, source_id, report_id, report_name, workspace_name, user_email, "               \
	"activity_type, activity_date, created_at"

static const char sqlite_add[] =
	"INSERT INTO pbi_activity_events (" COLUMNS ") SELECT ?1, ?2 ->> 'source_id', "
	"?2 ->> 'report_id', ?2 ->> 'report_name', ?2 ->> 'workspace_name', ?2 ->> 'user_email', "
	"?2 ->> 'activity_type', ?2 ->> 'activity_date', ?2 ->> 'created_at' "
	"WHERE true ON CONFLICT (source_id) DO NOTHING";

static const char postgres_add[] =
	"WITH e AS (SELECT CAST(? AS varchar) AS tenant, CAST(? AS jsonb) AS j), added AS ("
	"INSERT INTO base.pbi_activity_events (" COLUMNS ") SELECT tenant, j ->> 'source_id', "
	"j ->> 'report_id', j ->> 'report_name', j ->> 'workspace_name', j ->> 'user_email', "
	"j ->> 'activity_type', CAST(j ->> 'activity_date' AS date), "
	"CAST(j ->> 'created_at' AS timestamp) FROM e ON CONFLICT DO NOTHING RETURNING 1) "
	"SELECT COUNT(*) FROM added";

/* With two concurrent inserts, the second one waits for the key range of the first. */
static const char mssql_add[] =
	"INSERT INTO base.pbi_activity_events (" COLUMNS ") OUTPUT 1 AS added SELECT e.tenant_id, "
	"j.source_id, j.report_id, j.report_name, j.workspace_name, j.user_email, j.activity_type, "
	"j.activity_date, j.created_at FROM (SELECT CAST(? AS nvarchar(100)) AS tenant_id, "
	"CAST(? AS nvarchar(max)) AS event) e CROSS APPLY OPENJSON(e.event) WITH ("
	"source_id nvarchar(100), report_id nvarchar(200), report_name nvarchar(500), "
	"workspace_name nvarchar(500), user_email nvarchar(500), activity_type nvarchar(100), "
	"activity_date date, created_at datetime2(0)) j WHERE NOT EXISTS (SELECT 1 FROM "
	"base.pbi_activity_events k WITH (UPDLOCK, HOLDLOCK) WHERE k.tenant_id = e.tenant_id AND "
	"k.source_id = j.source_id)";

/* By dialect: the statement that sets the connection's tenant, and the one that adds an event and
 * returns 1 if it is new. */
static const struct {
	const char *context, *add;
} dialect_sql[] = {
	[DIALECT_MSSQL] = {"EXEC sys.sp_set_session_context @key = N'tenant_id', @value = ?",
			   mssql_add},
	[DIALECT_POSTGRES] = {"SELECT set_config('vesper.tenant_id', ?, false)", postgres_add},
};

struct pbi_rows {
	char *tenant;
	sqlite3 *file; /* either `file` or `server` */
	sqlite3_stmt *add;
	struct server *server;
};

/* ---- SQLite ---- */

static bool set_file_error(struct pbi_rows *r, const char *operation, struct err *e)
{
	return err_set(e, ERR_UPSTREAM, "%s: %s", operation, sqlite3_errmsg(r->file));
}

static bool file_run(struct pbi_rows *r, const char *sql, struct err *e)
{
	return sqlite3_exec(r->file, sql, NULL, NULL, NULL) == SQLITE_OK ||
	       set_file_error(r, sql, e);
}

static bool check_file_tenant(struct pbi_rows *r, struct err *e)
{
	sqlite3_stmt *stmt = NULL;
	bool is_same;

	if (sqlite3_prepare_v2(r->file, "SELECT tenant_id FROM vesper_tenant", -1, &stmt, NULL) !=
	    SQLITE_OK)
		return set_file_error(r, "--file", e);
	is_same = sqlite3_step(stmt) == SQLITE_ROW &&
		  strcmp((const char *)sqlite3_column_text(stmt, 0), r->tenant) == 0;
	sqlite3_finalize(stmt);
	return is_same ||
	       err_set(e, ERR_INPUT, "--file is not the warehouse of tenant %s", r->tenant);
}

static bool file_open(struct pbi_rows *r, const char *path, struct err *e)
{
	if (sqlite3_open_v2(path, &r->file, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		return set_file_error(r, path, e);
	sqlite3_busy_timeout(r->file, 10000); /* the daemon may be reading */
	return check_file_tenant(r, e) &&
	       (sqlite3_prepare_v2(r->file, sqlite_add, -1, &r->add, NULL) == SQLITE_OK ||
		set_file_error(r, "--file", e));
}

static bool file_add(struct pbi_rows *r, const char *event, int *added, struct err *e)
{
	int rc;

	/* The transaction begins here, so that the file is not locked during requests to the
	 * service. */
	if (sqlite3_get_autocommit(r->file) && !file_run(r, "BEGIN IMMEDIATE", e))
		return false;
	sqlite3_bind_text(r->add, 1, r->tenant, -1, SQLITE_STATIC);
	sqlite3_bind_text(r->add, 2, event, -1, SQLITE_STATIC);
	rc = sqlite3_step(r->add);
	sqlite3_reset(r->add);
	if (rc != SQLITE_DONE)
		return set_file_error(r, "an event", e);
	*added += sqlite3_changes(r->file);
	return true;
}

/* ---- servers ---- */

static bool server_open(struct pbi_rows *r, const char *dsn, struct err *e)
{
	const char *tenant = r->tenant;

	return server_connect(dsn, &r->server, e) &&
	       server_run(r->server, dialect_sql[server_dialect(r->server)].context, &tenant, 1, e);
}

static bool server_add(struct pbi_rows *r, const char *event, int *added, struct err *e)
{
	const char *texts[] = {r->tenant, event};
	struct buf count;
	bool done;

	buf_init(&count, 32);
	done = server_query_value(r->server, dialect_sql[server_dialect(r->server)].add, texts, 2,
				  &count, e);
	if (done)
		*added += strcmp(buf_text(&count), "1") == 0;
	buf_deinit(&count);
	return done;
}

/* ---- both ---- */

bool pbi_rows_open(const char *file, const char *dsn, const char *tenant, struct pbi_rows **out,
		   struct err *e)
{
	struct pbi_rows *r = mem_alloc(sizeof(*r));

	r->tenant = mem_strdup(tenant);
	if (file ? file_open(r, file, e) : server_open(r, dsn, e)) {
		*out = r;
		return true;
	}
	pbi_rows_close(&r);
	return false;
}

static int append_text(const char *text, size_t len, void *out)
{
	buf_add(out, text, len);
	return 0;
}

bool pbi_rows_add(struct pbi_rows *r, const json_t *event, int *added, struct err *e)
{
	struct buf text;
	bool done;

	buf_init(&text, BODY_BYTES_MAX);
	json_dump_callback(event, append_text, &text, JSON_COMPACT | JSON_ENSURE_ASCII);
	done = !buf_over(&text) || err_set(e, ERR_LIMIT, "an event is too long");
	if (done)
		done = r->file ? file_add(r, buf_text(&text), added, e)
			       : server_add(r, buf_text(&text), added, e);
	buf_deinit(&text);
	return done;
}

bool pbi_rows_commit(struct pbi_rows *r, struct err *e)
{
	if (r->server)
		return server_commit(r->server, e);
	return sqlite3_get_autocommit(r->file) || file_run(r, "COMMIT", e);
}

void pbi_rows_close(struct pbi_rows **rows)
{
	struct pbi_rows *r = *rows;

	if (!r)
		return;
	*rows = NULL;
	sqlite3_finalize(r->add);
	sqlite3_close(r->file);
	server_close(&r->server);
	mem_free(r->tenant);
	mem_free(r);
}
