/*
 * PostgreSQL through psqlODBC. The tenant is a session setting that the tables' row-level security
 * policies use. A session without it sees no rows.
 *
 * Results stream through a cursor on the server (UseDeclareFetch), because otherwise the driver
 * buffers them whole. A cursor costs two more statements, so results known to be small
 * (bounded_rows) do without.
 */
#include "db_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/limits.h"

/* psqlODBC's connection attribute: statements run through a cursor. */
#define PGOPT_USE_DECLAREFETCH 65539

static void postgres_connection_string(const struct tenant *t, struct buf *out)
{
	/* The last occurrence of a keyword counts. */
	buf_printf(out, "%s;UseDeclareFetch=1;Fetch=%d;UseServerSidePrepare=1;BoolsAsChar=0",
		   t->settings->dsn ? t->settings->dsn : "", DB_FETCH_BLOCK_ROWS);
}

/* The server's statement timeout is longer than ours: it ends a statement that no cancel could
 * reach. */
static bool settings_set(struct connection *c, struct err *e)
{
	const struct db_settings *s = c->tenant->settings;
	char limit[32], idle[32];
	const struct value values[] = {value_text(c->tenant->id), value_text(limit),
				       value_text(idle)};

	snprintf(limit, sizeof(limit), "%lld", (long long)s->timeout_ms + DB_SERVER_GRACE_MS);
	snprintf(idle, sizeof(idle), "%lld", (long long)s->transaction_idle_ms);
	/* Backslashes in '…' are literal, whatever the server's default, because the SQL gate
	 * parses them so. */
	return db_odbc_exec_values(
		       c,
		       "SELECT set_config('vesper.tenant_id', ?, false), "
		       "set_config('statement_timeout', ?, false), "
		       "set_config('idle_in_transaction_session_timeout', ?, false), "
		       "set_config('standard_conforming_strings', 'on', false), "
		       "set_config('TimeZone', 'UTC', false), set_config('DateStyle', 'ISO', "
		       "false)",
		       values, sizeof(values) / sizeof(values[0]), e) &&
	       (!s->read_only ||
		db_connection_exec(c, "SET default_transaction_read_only = on", e));
}

/* Refuses a login that bypasses row-level security: tenants would no longer be isolated by the
 * server. */
static bool check_login_obeys_policies(struct connection *c, struct err *e)
{
	char name[128];
	bool found;

	if (!db_connection_read_cell(c,
				     "SELECT rolname FROM pg_catalog.pg_roles WHERE rolname = "
				     "current_user AND (rolsuper OR rolbypassrls)",
				     name, sizeof(name), &found, e))
		return false;
	if (!found)
		return true;
	c->lost = true;
	return err_set(e, ERR_UPSTREAM,
		       "refused: the login %s bypasses row-level security. Configure a login that "
		       "does not",
		       name);
}

static bool postgres_set_up(struct connection *c, struct err *e)
{
	return settings_set(c, e) && check_login_obeys_policies(c, e);
}

static const char *postgres_confirm_text(const struct connection *c)
{
	(void)c;
	return "SELECT current_setting('vesper.tenant_id', true)";
}

static void postgres_before_statement(struct connection *c, const struct source_statement *s)
{
	bool plain = !s || s->bounded_rows;

	if (plain == c->plain)
		return;
	SQLSetConnectAttr(c->dbc, PGOPT_USE_DECLAREFETCH, (SQLPOINTER)(uintptr_t)(plain ? 0 : 1),
			  0);
	c->plain = plain;
}

static bool state_is(const struct diag *d, const char *const *states)
{
	for (; *states; states++)
		if (strncmp(d->state, *states, strlen(*states)) == 0)
			return true;
	return false;
}

/* For a refused connection the driver reports only the server's message. */
static bool is_permanent_refusal(const struct diag *d)
{
	static const char *const temporary[] = {"starting up",
						"shutting down",
						"recovery mode",
						"not yet accepting",
						"too many",
						"connection slots",
						NULL};

	if (strcmp(d->state, "08001") != 0 || !strstr(d->message, "FATAL:"))
		return false;
	for (const char *const *words = temporary; *words; words++)
		if (strstr(d->message, *words))
			return false;
	return true;
}

/* Classifies by SQLSTATE, or by a prefix of it. */
static struct error_class postgres_classify(const struct diag *d)
{
	static const char *const disconnected[] = {"08", "57P", "53300", "HYT01", NULL};
	/* 26000: a proxy between us and the server dropped a prepared statement. */
	static const char *const retryable[] = {"40001", "40P01", "26000", NULL};
	static const char *const exhausted[] = {"53", "55P03", NULL};
	static const char *const login[] = {"28", "3D", "25006", "IM", NULL};
	static const char *const duplicate_key[] = {"23505", NULL}; /* another writer was first */
	static const char *const denied[] = {"42501", NULL};
	static const char *const missing[] = {"42P01", "42703", "42883", "3F000",
					      "42S02", "42S22", NULL};

	if (is_permanent_refusal(d) || state_is(d, login))
		return (struct error_class){.code = ERR_UPSTREAM, .lost = true};
	/* FATAL: the server ended the session; the driver has no SQLSTATE for it. */
	if (state_is(d, disconnected) || strstr(d->message, "FATAL:"))
		return (struct error_class){
			.code = ERR_UPSTREAM, .may_retry = true, .lost = true, .transient = true};
	if (state_is(d, retryable) || strstr(d->message, "cached plan must not change"))
		return (struct error_class){
			.code = ERR_UPSTREAM, .may_retry = true, .transient = true};
	if (state_is(d, exhausted))
		return (struct error_class){.code = ERR_UPSTREAM, .may_retry = true};
	if (state_is(d, duplicate_key))
		return (struct error_class){.code = ERR_BUSY, .may_retry = true};
	if (state_is(d, denied))
		return (struct error_class){.code = ERR_DENIED};
	if (state_is(d, missing))
		return (struct error_class){.code = ERR_NOT_FOUND};
	if (strcmp(d->state, "57014") == 0 || strcmp(d->state, "HYT00") == 0)
		return (struct error_class){.code = ERR_TIMEOUT, .may_retry = true, .lost = true};
	return (struct error_class){.code = ERR_INTERNAL};
}

const struct db_dialect db_postgres = {
	.dialect = DIALECT_POSTGRES,
	.link = &db_link_odbc,
	.server = true,
	.init = db_odbc_init,
	.connection_string = postgres_connection_string,
	.set_up = postgres_set_up,
	.confirm_text = postgres_confirm_text,
	.before_statement = postgres_before_statement,
	.classify = postgres_classify,
	.begin = "BEGIN",
	.commit = "COMMIT",
	.rollback = "ROLLBACK",
	.savepoint = "SAVEPOINT request",
	.release = "RELEASE SAVEPOINT request",
	.rollback_to = "ROLLBACK TO SAVEPOINT request",
};
