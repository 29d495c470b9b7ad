/*
 * SQL Server and Azure SQL, through msodbcsql18 or FreeTDS. The tenant is a read-only value of the
 * session context, which cannot change for the life of the connection. The tables' security
 * policies use it; a session without it sees no rows.
 *
 * One statement is active on a connection. Texts are sent as UTF-16, since msodbcsql interprets
 * narrow text by the process's locale. Every value is bound with an explicit type, because FreeTDS
 * cannot describe parameters.
 */
#include "db_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/strlist.h"

static void mssql_connection_string(const struct tenant *t, struct buf *out)
{
	/* A driver that reconnects would do so without setting the tenant. The first occurrence of
	 * a keyword counts. */
	buf_printf(out, "ConnectRetryCount=0;%s", t->settings->dsn ? t->settings->dsn : "");
}

/* Refuses a login that can switch off the security policies: tenants would no longer be isolated by
 * the server. */
static bool check_login_obeys_policies(struct connection *c, struct err *e)
{
	char name[128];
	bool found;

	if (!db_connection_read_cell(c,
				     "SELECT USER_NAME() WHERE IS_ROLEMEMBER(N'db_owner') = 1 OR "
				     "HAS_PERMS_BY_NAME(DB_NAME(), N'DATABASE', "
				     "N'ALTER ANY SECURITY POLICY') = 1",
				     name, sizeof(name), &found, e))
		return false;
	if (!found)
		return true;
	c->lost = true;
	return err_set(e, ERR_UPSTREAM,
		       "refused: the user %s may change the security policies (as db_owner, or by "
		       "ALTER ANY SECURITY POLICY). Configure a user without this permission",
		       name);
}

static bool mssql_set_up(struct connection *c, struct err *e)
{
	const struct value tenant = value_text(c->tenant->id);

	/* "…" is always an identifier, whatever the driver or the login has set, because the SQL
	 * gate parses it so. */
	return db_odbc_exec_values(c,
				   "EXEC sys.sp_set_session_context @key = N'tenant_id', "
				   "@value = ?, @read_only = 1",
				   &tenant, 1, e) &&
	       db_connection_exec(c, "SET QUOTED_IDENTIFIER ON; SET LOCK_TIMEOUT 5000", e) &&
	       check_login_obeys_policies(c, e);
}

static const char *mssql_confirm_text(const struct connection *c)
{
	(void)c;
	return "SELECT CAST(SESSION_CONTEXT(N'tenant_id') AS nvarchar(100))";
}

static bool number_is(const struct diag *d, const int *numbers)
{
	for (; *numbers; numbers++)
		if (d->native == *numbers)
			return true;
	return false;
}

/* Classifies by the server's error number first, which is more specific than SQLSTATE. FreeTDS' own
 * numbers are 20000 and up. */
static struct error_class mssql_classify(const struct diag *d)
{
	static const int disconnected[] = {40197, 40613, 40540, 40143, 49918, 49919, 49920, 4060,
					   4221,  615,   926,   10928, 10929, 42108, 42109, 10053,
					   10054, 10060, 233,   64,    20,    121,   997,   20003,
					   20004, 20006, 20009, 20017, 20047, 0};
	static const int retryable[] = {1204, 1205, 1222, 0};
	static const int busy[] = {40501, 701, 0}; /* recovers later than a query's deadline */
	static const int login[] = {18456, 18452, 916, 3906, 0};
	static const int denied[] = {229, 230, 300, 0};
	static const int missing[] = {208, 207, 2812, 0};
	static const int duplicate_key[] = {2627, 2601, 0}; /* another writer was first */
	static const char *const disconnected_states[] = {"08001", "08S01", "08003", "08007",
							  "HYT01", "IMC06", NULL};
	static const char *const login_states[] = {"28000", "IM002", "IM003", NULL};

	if (number_is(d, retryable) || strcmp(d->state, "40001") == 0)
		return (struct error_class){
			.code = ERR_UPSTREAM, .may_retry = true, .transient = true};
	if (number_is(d, busy))
		return (struct error_class){.code = ERR_UPSTREAM, .may_retry = true, .lost = true};
	if (number_is(d, login) || strlist_has(login_states, d->state))
		return (struct error_class){.code = ERR_UPSTREAM, .lost = true};
	if (number_is(d, disconnected) || strlist_has(disconnected_states, d->state))
		return (struct error_class){
			.code = ERR_UPSTREAM, .may_retry = true, .lost = true, .transient = true};
	if (number_is(d, duplicate_key))
		return (struct error_class){.code = ERR_BUSY, .may_retry = true};
	if (number_is(d, denied))
		return (struct error_class){.code = ERR_DENIED};
	if (number_is(d, missing) || strcmp(d->state, "42S02") == 0 ||
	    strcmp(d->state, "42S22") == 0)
		return (struct error_class){.code = ERR_NOT_FOUND};
	if (strcmp(d->state, "HYT00") == 0 || strcmp(d->state, "HY008") == 0)
		return (struct error_class){.code = ERR_TIMEOUT, .may_retry = true, .lost = true};
	return (struct error_class){.code = ERR_INTERNAL};
}

const struct db_dialect db_mssql = {
	.dialect = DIALECT_MSSQL,
	.link = &db_link_odbc,
	.server = true,
	.wide = true,
	.init = db_odbc_init,
	.connection_string = mssql_connection_string,
	.set_up = mssql_set_up,
	.confirm_text = mssql_confirm_text,
	.classify = mssql_classify,
	.begin = "BEGIN TRANSACTION",
	.commit = "COMMIT",
	.rollback = "ROLLBACK",
	.savepoint = "SAVE TRANSACTION request",
	.rollback_to = "ROLLBACK TRANSACTION request",
};
