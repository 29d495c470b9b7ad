/*
 * An ODBC driver that imitates SQL Server by a script and records its calls. unixODBC loads it like
 * any driver: Driver=<this file>;Record=<file>;Script=<file>.
 *
 * A statement that a driver may scan for escape sequences (SQL_ATTR_NOSCAN is off) is recorded as
 * "scanned" instead of "prepare" or "direct".
 *
 * It implements session context (read-only keys cannot change, EXEC returns SQL_NO_DATA as FreeTDS
 * does), one active statement per connection, and cancelling from another thread. Script lines:
 *
 *   rows|PART OF THE TEXT|name:type;…|cell;…|cell;…     the result of a statement (\N is NULL)
 *   fail|CALL|NTH|STATE|NATIVE|message                  the nth such call fails (prepare, execute,
 *                                                       fetch, connect, context, confirm, rights,
 *                                                       cancel)
 *   dead|CALL|NTH|STATE|NATIVE|message                  … and the connection is lost
 *   delay|CALL|NTH|MS                                   it takes this long, or until SQLCancel
 *   deaf|CALL|NTH|MS                                    it takes this long and ignores SQLCancel
 *   driver|NAME                                         reported file name of the driver; if it
 *                                                       contains "libtdsodbc", texts are truncated
 *                                                       as by FreeTDS
 *   sees|TENANT                                         reported value of the session context
 *
 * "context" is the EXEC that sets the tenant, "confirm" the query that reads it, "rights" the query
 * for the login's role, which only a rule with IS_ROLEMEMBER answers; "execute" is any other.
 * CALL may also be =PART: an execute of a statement that contains PART, counted separately.
 * NTH counts from 1 in the process, from the first load of the script; 0 is every time.
 */
#include <sql.h>
#include <sqlext.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TEXT_BYTES = 4096, PARAMS = 32, RULES = 64, COLUMNS = 16 };

enum rule_kind { RULE_ROWS, RULE_FAIL, RULE_DEAD, RULE_DELAY, RULE_DEAF, RULE_SEES, RULE_DRIVER };

struct rule {
	enum rule_kind kind;
	char *parts[256];
	size_t count;
	long hits;
};

/* The script of the process. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t cancelled;
	char path[256];
	char *text;
	struct rule rules[RULES];
	size_t rule_count;
	FILE *record;
	int next_connection;
	struct {
		const char *call;
		long count;
	} calls[16];
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER, .cancelled = PTHREAD_COND_INITIALIZER};

struct diag {
	bool set;
	char state[6];
	int native;
	char message[128];
};

struct environment {
	struct diag diag;
};

struct statement;

struct connection {
	struct diag diag;
	int number;
	bool dead;
	char context[256];
	bool context_set;
	struct statement *active;
};

struct param {
	bool bound;
	SQLSMALLINT c_type;
	SQLSMALLINT sql_type;
	SQLULEN size;
	SQLSMALLINT digits;
	SQLPOINTER data;
	SQLLEN *length;
};

struct statement {
	struct diag diag;
	struct connection *c;
	char text[TEXT_BYTES];
	struct param params[PARAMS];
	struct rule own; /* for the confirmed tenant */
	const struct rule *rows;
	size_t row;    /* 1: the first */
	size_t offset; /* of the next byte of the cell for SQLGetData */
	size_t column;
	bool stop;
	bool noscan;
};

/* ---- script and record ---- */

static void record(int connection, const char *call, const char *rest)
{
	if (!fake.record)
		return;
	fprintf(fake.record, "%d %s%s%s\n", connection, call, *rest ? " " : "", rest);
	fflush(fake.record);
}

static void rule_add(char *line)
{
	static const char *const kinds[] = {"rows", "fail", "dead",  "delay",
					    "deaf", "sees", "driver"};
	struct rule *r = &fake.rules[fake.rule_count];
	char *rest = line;
	char *part;

	if (!*line || fake.rule_count == RULES)
		return;
	*r = (struct rule){0};
	while ((part = strsep(&rest, "|")) && r->count < 256)
		r->parts[r->count++] = part;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(r->parts[0], kinds[i]) != 0)
			continue;
		r->kind = (enum rule_kind)i;
		fake.rule_count++;
		return;
	}
	fprintf(stderr, "fake_odbc: unknown rule \"%s\"\n", r->parts[0]);
	abort();
}

static void script_load(const char *path, const char *record_path)
{
	FILE *f;
	char *rest;
	char *line;
	size_t n;

	if (strcmp(fake.path, path) == 0)
		return;
	snprintf(fake.path, sizeof(fake.path), "%s", path);
	fake.rule_count = 0;
	memset(fake.calls, 0, sizeof(fake.calls));
	fake.next_connection = 0;
	if (fake.record)
		fclose(fake.record);
	fake.record = *record_path ? fopen(record_path, "w") : NULL;
	free(fake.text);
	fake.text = calloc(1, 1 << 20);
	f = fopen(path, "r");
	if (!fake.text || !f)
		return;
	n = fread(fake.text, 1, (1 << 20) - 1, f);
	fake.text[n] = '\0';
	fclose(f);
	rest = fake.text;
	while ((line = strsep(&rest, "\n")))
		rule_add(line);
}

static long call_number(const char *call)
{
	for (size_t i = 0; i < 16; i++) {
		if (!fake.calls[i].call)
			fake.calls[i].call = call;
		if (strcmp(fake.calls[i].call, call) == 0)
			return ++fake.calls[i].count;
	}
	abort();
}

static bool rule_matches(struct rule *r, const char *call, const char *text, long number)
{
	if (r->count > 2 && r->parts[1][0] == '=') {
		if (strcmp(call, "execute") != 0 || !strstr(text, r->parts[1] + 1))
			return false;
		number = ++r->hits;
		call = r->parts[1];
	}
	return r->kind != RULE_ROWS && r->kind != RULE_SEES && r->kind != RULE_DRIVER &&
	       r->count > 2 && strcmp(r->parts[1], call) == 0 &&
	       (strtol(r->parts[2], NULL, 10) == number || strtol(r->parts[2], NULL, 10) == 0);
}

/* ---- errors ---- */

static SQLRETURN fail(struct diag *d, const char *state, int native, const char *message)
{
	d->set = true;
	snprintf(d->state, sizeof(d->state), "%s", state);
	d->native = native;
	snprintf(d->message, sizeof(d->message), "[fake]%s", message);
	return SQL_ERROR;
}

static void wait_ms(struct statement *s, long ms, bool deaf)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	while (deaf || !s || !s->stop)
		if (pthread_cond_timedwait(&fake.cancelled, &fake.lock, &until) != 0)
			return;
}

/* Counts the call and applies the script's rules for it. Requires the lock. */
static SQLRETURN apply_rules(struct connection *c, struct statement *s, struct diag *d,
			     const char *call)
{
	long number = call_number(call);

	d->set = false;
	if (c->dead) {
		record(c->number, "DEAD", call);
		return fail(d, "08S01", 0, "used a dead connection");
	}
	for (size_t i = 0; i < fake.rule_count; i++) {
		struct rule *r = &fake.rules[i];

		if (!rule_matches(r, call, s ? s->text : "", number))
			continue;
		if (r->kind == RULE_DELAY || r->kind == RULE_DEAF) {
			wait_ms(s, strtol(r->parts[3], NULL, 10), r->kind == RULE_DEAF);
			if (s && s->stop)
				return fail(d, "HY008", 0, "Operation canceled");
			continue;
		}
		c->dead = r->kind == RULE_DEAD;
		return fail(d, r->parts[3], (int)strtol(r->parts[4], NULL, 10), r->parts[5]);
	}
	return SQL_SUCCESS;
}

/* ---- text ---- */

static void narrow(const SQLWCHAR *wide, SQLINTEGER units, char *out, size_t size)
{
	size_t n = 0;
	size_t length = units == SQL_NTS ? SIZE_MAX : (size_t)units;

	for (size_t i = 0; i < length && wide[i] && n + 5 < size; i++) {
		uint32_t code = wide[i];

		if (code >= 0xD800 && code < 0xDC00)
			code = 0x10000 + ((code - 0xD800) << 10) + (wide[++i] - 0xDC00U);
		if (code < 0x80) {
			out[n++] = (char)code;
		} else if (code < 0x800) {
			out[n++] = (char)(0xC0 | code >> 6);
			out[n++] = (char)(0x80 | (code & 0x3F));
		} else if (code < 0x10000) {
			out[n++] = (char)(0xE0 | code >> 12);
			out[n++] = (char)(0x80 | (code >> 6 & 0x3F));
			out[n++] = (char)(0x80 | (code & 0x3F));
		} else {
			out[n++] = (char)(0xF0 | code >> 18);
			out[n++] = (char)(0x80 | (code >> 12 & 0x3F));
			out[n++] = (char)(0x80 | (code >> 6 & 0x3F));
			out[n++] = (char)(0x80 | (code & 0x3F));
		}
	}
	out[n] = '\0';
}

static size_t widen(const char *text, SQLWCHAR *out, size_t units)
{
	size_t n = 0;

	for (const unsigned char *p = (const unsigned char *)text; *p && n + 2 < units;) {
		uint32_t code = *p++;
		int more = code >= 0xF0 ? 3 : code >= 0xE0 ? 2 : code >= 0xC0 ? 1 : 0;

		code &= more == 3 ? 7U : more == 2 ? 15U : more == 1 ? 31U : 127U;
		while (more-- > 0)
			code = code << 6 | (*p++ & 0x3F);
		if (code >= 0x10000) {
			out[n++] = (SQLWCHAR)(0xD800 + ((code - 0x10000) >> 10));
			code = 0xDC00 + ((code - 0x10000) & 0x3FF);
		}
		out[n++] = (SQLWCHAR)code;
	}
	out[n] = 0;
	return n;
}

/* ---- handles ---- */

SQLRETURN SQL_API SQLAllocHandle(SQLSMALLINT type, SQLHANDLE from, SQLHANDLE *out)
{
	struct statement *s;

	switch (type) {
	case SQL_HANDLE_ENV:
		*out = calloc(1, sizeof(struct environment));
		return SQL_SUCCESS;
	case SQL_HANDLE_DBC:
		*out = calloc(1, sizeof(struct connection));
		return SQL_SUCCESS;
	case SQL_HANDLE_STMT:
		s = calloc(1, sizeof(*s));
		s->c = from;
		*out = s;
		return SQL_SUCCESS;
	default:
		return SQL_ERROR;
	}
}

SQLRETURN SQL_API SQLFreeHandle(SQLSMALLINT type, SQLHANDLE handle)
{
	struct statement *s = handle;

	pthread_mutex_lock(&fake.lock);
	if (type == SQL_HANDLE_STMT && s->c->active == s)
		s->c->active = NULL;
	pthread_mutex_unlock(&fake.lock);
	free(handle);
	return SQL_SUCCESS;
}

SQLRETURN SQL_API SQLSetEnvAttr(SQLHENV e, SQLINTEGER what, SQLPOINTER value, SQLINTEGER n)
{
	(void)e;
	(void)what;
	(void)value;
	(void)n;
	return SQL_SUCCESS;
}

SQLRETURN SQL_API SQLSetConnectAttr(SQLHDBC c, SQLINTEGER what, SQLPOINTER value, SQLINTEGER n)
{
	(void)c;
	(void)what;
	(void)value;
	(void)n;
	return SQL_SUCCESS;
}

SQLRETURN SQL_API SQLSetConnectAttrW(SQLHDBC c, SQLINTEGER what, SQLPOINTER value, SQLINTEGER n)
{
	(void)c;
	(void)what;
	(void)value;
	(void)n;
	return SQL_SUCCESS;
}

SQLRETURN SQL_API SQLGetConnectAttr(SQLHDBC handle, SQLINTEGER what, SQLPOINTER out, SQLINTEGER n,
				    SQLINTEGER *length)
{
	struct connection *c = handle;

	(void)n;
	(void)length;
	if (what != SQL_ATTR_CONNECTION_DEAD)
		return SQL_ERROR;
	*(SQLUINTEGER *)out = c->dead ? SQL_CD_TRUE : SQL_CD_FALSE;
	return SQL_SUCCESS;
}

SQLRETURN SQL_API SQLSetStmtAttr(SQLHSTMT handle, SQLINTEGER what, SQLPOINTER value, SQLINTEGER n)
{
	struct statement *s = handle;

	(void)n;
	if (what == SQL_ATTR_NOSCAN)
		s->noscan = (uintptr_t)value == SQL_NOSCAN_ON;
	return SQL_SUCCESS; /* also for SQL_ATTR_MAX_ROWS, which is ignored as FreeTDS does */
}

SQLRETURN SQL_API SQLGetStmtAttr(SQLHSTMT s, SQLINTEGER what, SQLPOINTER out, SQLINTEGER n,
				 SQLINTEGER *length)
{
	(void)n;
	(void)length;
	switch (what) {
	case SQL_ATTR_APP_ROW_DESC:
	case SQL_ATTR_APP_PARAM_DESC:
	case SQL_ATTR_IMP_ROW_DESC:
	case SQL_ATTR_IMP_PARAM_DESC:
		*(SQLPOINTER *)out = s; /* the driver manager requires a handle */
		return SQL_SUCCESS;
	default:
		return SQL_ERROR;
	}
}

/* ---- connecting ---- */

static void keyword(const char *text, const char *name, char *out, size_t size)
{
	const char *at = strstr(text, name);

	*out = '\0';
	if (!at)
		return;
	at += strlen(name);
	snprintf(out, size, "%.*s", (int)strcspn(at, ";"), at);
}

SQLRETURN SQL_API SQLDriverConnectW(SQLHDBC handle, SQLHWND window, SQLWCHAR *text,
				    SQLSMALLINT length, SQLWCHAR *out, SQLSMALLINT size,
				    SQLSMALLINT *out_length, SQLUSMALLINT how)
{
	struct connection *c = handle;
	char string[2048], script[256], record_path[256];
	SQLRETURN rc;

	(void)window;
	(void)out;
	(void)size;
	(void)how;
	narrow(text, length, string, sizeof(string));
	keyword(string, "Script=", script, sizeof(script));
	keyword(string, "Record=", record_path, sizeof(record_path));
	pthread_mutex_lock(&fake.lock);
	script_load(script, record_path);
	c->number = ++fake.next_connection;
	*strstr(string, "Driver=") = '\0'; /* the rest is for this test only */
	record(c->number, "connect", string);
	rc = apply_rules(c, NULL, &c->diag, "connect");
	pthread_mutex_unlock(&fake.lock);
	if (out_length)
		*out_length = 0;
	return rc;
}

SQLRETURN SQL_API SQLDisconnect(SQLHDBC handle)
{
	struct connection *c = handle;

	pthread_mutex_lock(&fake.lock);
	record(c->number, "disconnect", "");
	pthread_mutex_unlock(&fake.lock);
	return SQL_SUCCESS;
}

/* ---- statements ---- */

SQLRETURN SQL_API SQLPrepareW(SQLHSTMT handle, SQLWCHAR *text, SQLINTEGER length)
{
	struct statement *s = handle;
	SQLRETURN rc;

	narrow(text, length, s->text, sizeof(s->text));
	pthread_mutex_lock(&fake.lock);
	record(s->c->number, s->noscan ? "prepare" : "scanned", s->text);
	rc = apply_rules(s->c, s, &s->diag, "prepare");
	pthread_mutex_unlock(&fake.lock);
	return rc;
}

SQLRETURN SQL_API SQLBindParameter(SQLHSTMT handle, SQLUSMALLINT number, SQLSMALLINT direction,
				   SQLSMALLINT c_type, SQLSMALLINT sql_type, SQLULEN size,
				   SQLSMALLINT digits, SQLPOINTER data, SQLLEN buffer_size,
				   SQLLEN *length)
{
	struct statement *s = handle;

	(void)direction;
	(void)buffer_size;
	if (number < 1 || number > PARAMS)
		return fail(&s->diag, "07009", 0, "too many parameters");
	s->params[number - 1] = (struct param){true, c_type, sql_type, size, digits, data, length};
	return SQL_SUCCESS;
}

static void param_text(const struct param *p, char *out, size_t size)
{
	const SQL_DATE_STRUCT *date = p->data;

	if (*p->length == SQL_NULL_DATA)
		snprintf(out, size, "NULL");
	else if (p->c_type == SQL_C_WCHAR)
		narrow(p->data, (SQLINTEGER)(*p->length / 2), out, size);
	else if (p->c_type == SQL_C_CHAR)
		snprintf(out, size, "%.*s", (int)*p->length, (const char *)p->data);
	else if (p->c_type == SQL_C_SBIGINT)
		snprintf(out, size, "%lld", (long long)*(const int64_t *)p->data);
	else if (p->c_type == SQL_C_BIT)
		snprintf(out, size, "%d", *(const unsigned char *)p->data);
	else if (p->c_type == SQL_C_TYPE_DATE)
		snprintf(out, size, "%04d-%02d-%02d", date->year, date->month, date->day);
	else
		snprintf(out, size, "?");
}

static const char *driver_name(void)
{
	for (size_t i = 0; i < fake.rule_count; i++)
		if (fake.rules[i].kind == RULE_DRIVER)
			return fake.rules[i].parts[1];
	return NULL;
}

/* FreeTDS truncates wide texts of other than long types to nvarchar(4000) without an error. */
static bool is_truncated(const struct param *p)
{
	const char *driver = driver_name();

	return driver && strstr(driver, "libtdsodbc") && p->sql_type == SQL_WVARCHAR &&
	       *p->length > 8000;
}

static const char *type_name(SQLSMALLINT type)
{
	static const struct {
		SQLSMALLINT type;
		const char *name;
	} names[] = {{SQL_WVARCHAR, "nvarchar"}, {SQL_WLONGVARCHAR, "ntext"},
		     {SQL_LONGVARCHAR, "text"},  {SQL_VARCHAR, "varchar"},
		     {SQL_BIGINT, "bigint"},     {SQL_DECIMAL, "decimal"},
		     {SQL_BIT, "bit"},           {SQL_TYPE_DATE, "date"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].type == type)
			return names[i].name;
	return "?";
}

static void record_execute(struct statement *s)
{
	char line[TEXT_BYTES] = "";
	char value[1024];
	size_t n = 0;

	for (size_t i = 0; i < PARAMS && s->params[i].bound && n < sizeof(line); i++) {
		const struct param *p = &s->params[i];

		param_text(p, value, sizeof(value));
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%s%s%s(%lu,%d)=%s",
				      i ? ", " : "", is_truncated(p) ? "cut " : "",
				      type_name(p->sql_type), (unsigned long)p->size, p->digits,
				      value);
	}
	record(s->c->number, "execute", line);
}

static const struct rule *rows_for(const char *text)
{
	for (size_t i = 0; i < fake.rule_count; i++)
		if (fake.rules[i].kind == RULE_ROWS && strstr(text, fake.rules[i].parts[1]))
			return &fake.rules[i];
	return NULL;
}

static SQLRETURN context_set(struct statement *s)
{
	struct connection *c = s->c;

	if (c->context_set)
		return fail(&s->diag, "HY000", 15664, "the key is read-only");
	param_text(&s->params[0], c->context, sizeof(c->context));
	c->context_set = true;
	return SQL_NO_DATA;
}

static void context_return(struct statement *s)
{
	const char *seen = s->c->context_set ? s->c->context : "\\N";

	for (size_t i = 0; i < fake.rule_count; i++)
		if (fake.rules[i].kind == RULE_SEES)
			seen = fake.rules[i].parts[1];
	s->own = (struct rule){.parts = {"rows", "", "c:nvarchar", (char *)(uintptr_t)seen},
			       .count = 4};
	s->rows = &s->own;
}

static size_t count_params(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '?';
	return n;
}

static SQLRETURN execute(struct statement *s)
{
	bool context = strstr(s->text, "sp_set_session_context") != NULL;
	bool confirm = strstr(s->text, "SESSION_CONTEXT(") != NULL;
	bool rights = strstr(s->text, "IS_ROLEMEMBER(") != NULL;
	SQLRETURN rc;

	record_execute(s);
	if (s->c->active && s->c->active != s)
		return fail(&s->diag, "HY000", 0, "Connection is busy with another statement");
	if (count_params(s->text) > PARAMS ||
	    (*s->text && count_params(s->text) > 0 && !s->params[count_params(s->text) - 1].bound))
		return fail(&s->diag, "07002", 0, "COUNT field incorrect");
	rc = apply_rules(s->c, s, &s->diag,
			 context   ? "context"
			 : confirm ? "confirm"
			 : rights  ? "rights"
				   : "execute");
	if (rc != SQL_SUCCESS)
		return rc;
	if (context)
		return context_set(s);
	if (confirm)
		context_return(s);
	else
		s->rows = rows_for(rights ? "IS_ROLEMEMBER" : s->text);
	s->row = 0;
	if (s->rows)
		s->c->active = s;
	return SQL_SUCCESS;
}

SQLRETURN SQL_API SQLExecute(SQLHSTMT handle)
{
	struct statement *s = handle;
	SQLRETURN rc;

	pthread_mutex_lock(&fake.lock);
	rc = execute(s);
	pthread_mutex_unlock(&fake.lock);
	return rc;
}

SQLRETURN SQL_API SQLExecDirectW(SQLHSTMT handle, SQLWCHAR *text, SQLINTEGER length)
{
	struct statement *s = handle;
	SQLRETURN rc;

	narrow(text, length, s->text, sizeof(s->text));
	pthread_mutex_lock(&fake.lock);
	record(s->c->number, s->noscan ? "direct" : "scanned", s->text);
	rc = execute(s);
	pthread_mutex_unlock(&fake.lock);
	return rc;
}

/* This driver returns one result per statement. */
SQLRETURN SQL_API SQLMoreResults(SQLHSTMT handle)
{
	struct statement *s = handle;

	pthread_mutex_lock(&fake.lock);
	s->rows = NULL;
	if (s->c->active == s)
		s->c->active = NULL;
	pthread_mutex_unlock(&fake.lock);
	return SQL_NO_DATA;
}

SQLRETURN SQL_API SQLEndTran(SQLSMALLINT type, SQLHANDLE handle, SQLSMALLINT how)
{
	struct connection *c = handle;

	if (type != SQL_HANDLE_DBC)
		return SQL_SUCCESS;
	pthread_mutex_lock(&fake.lock);
	record(c->number, how == SQL_COMMIT ? "commit" : "rollback", "");
	pthread_mutex_unlock(&fake.lock);
	return SQL_SUCCESS;
}

SQLRETURN SQL_API SQLCancel(SQLHSTMT handle)
{
	struct statement *s = handle;

	pthread_mutex_lock(&fake.lock);
	record(s->c->number, "cancel", "");
	s->stop = true;
	pthread_cond_broadcast(&fake.cancelled);
	pthread_mutex_unlock(&fake.lock);
	return SQL_SUCCESS;
}

SQLRETURN SQL_API SQLFreeStmt(SQLHSTMT handle, SQLUSMALLINT how)
{
	struct statement *s = handle;

	pthread_mutex_lock(&fake.lock);
	if (how == SQL_CLOSE) {
		s->rows = NULL;
		if (s->c->active == s)
			s->c->active = NULL;
	} else if (how == SQL_RESET_PARAMS) {
		memset(s->params, 0, sizeof(s->params));
	}
	pthread_mutex_unlock(&fake.lock);
	return SQL_SUCCESS;
}

/* ---- results ---- */

/* The i-th of the parts between semicolons. */
static bool part_of(const char *text, size_t i, char *out, size_t size)
{
	while (i-- > 0) {
		text = strchr(text, ';');
		if (!text)
			return false;
		text++;
	}
	snprintf(out, size, "%.*s", (int)strcspn(text, ";"), text);
	return true;
}

SQLRETURN SQL_API SQLNumResultCols(SQLHSTMT handle, SQLSMALLINT *out)
{
	struct statement *s = handle;
	char part[256];

	*out = 0;
	while (s->rows && part_of(s->rows->parts[2], (size_t)*out, part, sizeof(part)))
		(*out)++;
	return SQL_SUCCESS;
}

SQLRETURN SQL_API SQLRowCount(SQLHSTMT s, SQLLEN *out)
{
	(void)s;
	*out = -1;
	return SQL_SUCCESS;
}

SQLRETURN SQL_API SQLDescribeColW(SQLHSTMT handle, SQLUSMALLINT number, SQLWCHAR *name,
				  SQLSMALLINT size, SQLSMALLINT *length, SQLSMALLINT *type,
				  SQLULEN *column_size, SQLSMALLINT *digits, SQLSMALLINT *nullable)
{
	static const struct {
		const char *name;
		SQLSMALLINT type;
	} types[] = {{"nvarchar", SQL_WVARCHAR}, {"int", SQL_INTEGER},
		     {"bigint", SQL_BIGINT},     {"decimal", SQL_DECIMAL},
		     {"date", SQL_TYPE_DATE},    {"datetime2", SQL_TYPE_TIMESTAMP},
		     {"bit", SQL_BIT},           {"float", SQL_FLOAT}};
	struct statement *s = handle;
	char part[256];
	char *colon;

	if (!s->rows || !part_of(s->rows->parts[2], number - 1U, part, sizeof(part)))
		return fail(&s->diag, "07009", 0, "no such column");
	colon = strchr(part, ':');
	*colon = '\0';
	*type = SQL_WVARCHAR;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].name, colon + 1) == 0)
			*type = types[i].type;
	*length = (SQLSMALLINT)widen(part, name, (size_t)size);
	*column_size = 1; /* wrong, as in real drivers */
	*digits = 0;
	*nullable = SQL_NULLABLE;
	return SQL_SUCCESS;
}

SQLRETURN SQL_API SQLColAttributeW(SQLHSTMT s, SQLUSMALLINT column, SQLUSMALLINT what,
				   SQLPOINTER text, SQLSMALLINT size, SQLSMALLINT *length,
				   SQLLEN *number)
{
	(void)s;
	(void)column;
	(void)what;
	(void)number;
	if (text && size > 1)
		memset(text, 0, 2);
	if (length)
		*length = 0;
	return SQL_SUCCESS;
}

SQLRETURN SQL_API SQLFetch(SQLHSTMT handle)
{
	struct statement *s = handle;
	SQLRETURN rc;

	pthread_mutex_lock(&fake.lock);
	rc = s->rows == &s->own ? SQL_SUCCESS : apply_rules(s->c, s, &s->diag, "fetch");
	pthread_mutex_unlock(&fake.lock);
	if (rc != SQL_SUCCESS)
		return rc;
	if (!s->rows || s->row + 3 >= s->rows->count)
		return SQL_NO_DATA;
	s->row++;
	s->offset = 0;
	s->column = 0;
	return SQL_SUCCESS;
}

SQLRETURN SQL_API SQLGetData(SQLHSTMT handle, SQLUSMALLINT number, SQLSMALLINT c_type,
			     SQLPOINTER out, SQLLEN buffer_size, SQLLEN *length)
{
	struct statement *s = handle;
	size_t mark = c_type == SQL_C_WCHAR ? 2 : 1;
	static _Thread_local SQLWCHAR wide[8192];
	static _Thread_local char cell[8192];
	const void *bytes = cell;
	size_t n, take;

	if (!part_of(s->rows->parts[s->row + 2], number - 1U, cell, sizeof(cell)))
		return fail(&s->diag, "07009", 0, "no such column");
	if (strcmp(cell, "\\N") == 0) {
		*length = SQL_NULL_DATA;
		return SQL_SUCCESS;
	}
	if (s->column != number)
		s->offset = 0;
	s->column = number;
	s->diag.set = false;
	n = strlen(cell);
	if (c_type == SQL_C_WCHAR) {
		n = 2 * widen(cell, wide, 8192);
		bytes = wide;
	}
	n -= s->offset;
	take = n < (size_t)buffer_size - mark ? n : ((size_t)buffer_size - mark) / mark * mark;
	memcpy(out, (const char *)bytes + s->offset, take);
	memset((char *)out + take, 0, mark);
	*length = (SQLLEN)n;
	s->offset += take;
	return take < n ? SQL_SUCCESS_WITH_INFO : SQL_SUCCESS;
}

/* ---- diagnostics ---- */

static struct diag *diag_of(SQLSMALLINT type, SQLHANDLE handle)
{
	if (type == SQL_HANDLE_ENV)
		return &((struct environment *)handle)->diag;
	if (type == SQL_HANDLE_DBC)
		return &((struct connection *)handle)->diag;
	return &((struct statement *)handle)->diag;
}

SQLRETURN SQL_API SQLGetDiagRecW(SQLSMALLINT type, SQLHANDLE handle, SQLSMALLINT number,
				 SQLWCHAR *state, SQLINTEGER *native, SQLWCHAR *message,
				 SQLSMALLINT size, SQLSMALLINT *length)
{
	struct diag *d = diag_of(type, handle);

	if (number != 1 || !d->set)
		return SQL_NO_DATA;
	widen(d->state, state, 8);
	*native = d->native;
	*length = (SQLSMALLINT)widen(d->message, message, (size_t)size);
	return SQL_SUCCESS;
}

/* Required by the driver manager; returns no additional fields. */
SQLRETURN SQL_API SQLGetDiagFieldW(SQLSMALLINT type, SQLHANDLE handle, SQLSMALLINT number,
				   SQLSMALLINT what, SQLPOINTER out, SQLSMALLINT size,
				   SQLSMALLINT *length)
{
	(void)type;
	(void)handle;
	(void)number;
	(void)what;
	if (out && size >= 2)
		memset(out, 0, 2);
	if (length)
		*length = 0;
	return SQL_NO_DATA;
}

SQLRETURN SQL_API SQLGetInfoW(SQLHDBC c, SQLUSMALLINT what, SQLPOINTER out, SQLSMALLINT size,
			      SQLSMALLINT *length)
{
	Dl_info self;

	(void)c;
	if (what == SQL_DRIVER_NAME && driver_name()) {
		*length = (SQLSMALLINT)(2 * widen(driver_name(), out, (size_t)size / 2));
		return SQL_SUCCESS;
	}
	if (what == SQL_DRIVER_NAME && dladdr((void *)&fake, &self)) {
		*length = (SQLSMALLINT)(2 * widen(self.dli_fname, out, (size_t)size / 2));
		return SQL_SUCCESS;
	}
	if (what == SQL_DBMS_NAME) {
		*length = (SQLSMALLINT)(2 * widen("Microsoft SQL Server", out, (size_t)size / 2));
		return SQL_SUCCESS;
	}
	if (what == SQL_CURSOR_COMMIT_BEHAVIOR || what == SQL_CURSOR_ROLLBACK_BEHAVIOR) {
		*(SQLUSMALLINT *)out = SQL_CB_CLOSE;
		return SQL_SUCCESS;
	}
	if (out)
		memset(out, 0, 2);
	if (length)
		*length = 0;
	return SQL_SUCCESS;
}
