/*
 * Helpers for all parts of the demo data: an INSERT that always includes the tenant, dates as day
 * numbers, and random numbers that depend only on names.
 */
#include "demo_int.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/str.h"

#define DEMO_COLUMNS_MAX 64

bool demo_set_sql_error(sqlite3 *handle, const char *operation, struct err *err)
{
	return err_set(err, ERR_INTERNAL, "demo data: %s: %s", operation, sqlite3_errmsg(handle));
}

/* On a server, the schema "base" holds the rows of all tenants. */
static void open_rows(struct demo_insert *insert, const struct demo_db *db, const char *target,
		      int columns)
{
	size_t name = strcspn(target, " ");
	char *table = mem_printf("base.%.*s", (int)name, target);
	const char *list = strchr(target, '(') + 1;
	char *names = mem_printf("%.*s, tenant_id", (int)strlen(list) - 1, list);

	*insert = (struct demo_insert){.rows = server_rows_open(db->server, table, names),
				       .tenant_id = db->tenant_id,
				       .columns = columns};
	mem_free(names);
	mem_free(table);
}

bool demo_insert_open(struct demo_insert *insert, const struct demo_db *db, const char *target,
		      struct err *err)
{
	assert(!insert->stmt && !insert->rows && target[strlen(target) - 1] == ')');
	int columns = 1;
	for (const char *p = target; *p; p++)
		columns += *p == ',';
	if (db->server) {
		open_rows(insert, db, target, columns);
		return true;
	}

	struct buf sql;
	buf_init(&sql, SQL_FILE_BYTES_MAX);
	buf_printf(&sql, "INSERT INTO %.*s, tenant_id) VALUES (", (int)strlen(target) - 1, target);
	for (int i = 0; i < columns; i++)
		buf_str(&sql, "?, ");
	buf_str(&sql, "?)");
	assert(!buf_over(&sql));

	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(db->handle, buf_text(&sql), -1, &stmt, NULL);
	buf_deinit(&sql);
	if (rc != SQLITE_OK)
		return demo_set_sql_error(db->handle, target, err);
	/* bindings survive a reset, so the tenant is bound once for all rows */
	rc = sqlite3_bind_text(stmt, columns + 1, db->tenant_id, -1, SQLITE_STATIC);
	assert(rc == SQLITE_OK);
	*insert = (struct demo_insert){.stmt = stmt, .columns = columns};
	return true;
}

static int bind_value(sqlite3_stmt *stmt, int position, const struct demo_value *value)
{
	switch (value->kind) {
	case DEMO_NULL:
		return sqlite3_bind_null(stmt, position);
	case DEMO_TEXT:
		return sqlite3_bind_text(stmt, position, value->text, -1, SQLITE_STATIC);
	case DEMO_INTEGER:
		return sqlite3_bind_int64(stmt, position, value->integer);
	case DEMO_DECIMAL:
		/* One correctly rounded division gives the double nearest to the decimal. */
		return sqlite3_bind_double(stmt, position, (double)value->integer / 10000.0);
	}
	return SQLITE_MISUSE;
}

static struct server_value server_value(const struct demo_value *value)
{
	switch (value->kind) {
	case DEMO_TEXT:
		return (struct server_value){.kind = SERVER_TEXT, .text = value->text};
	case DEMO_INTEGER:
		return (struct server_value){.kind = SERVER_INTEGER, .integer = value->integer};
	case DEMO_DECIMAL:
		return (struct server_value){.kind = SERVER_DECIMAL, .integer = value->integer};
	case DEMO_NULL:
		break;
	}
	return (struct server_value){.kind = SERVER_NULL};
}

static bool add_row(struct demo_insert *insert, const struct demo_value *values, size_t n,
		    struct err *err)
{
	struct server_value row[DEMO_COLUMNS_MAX];

	assert(n < DEMO_COLUMNS_MAX);
	for (size_t i = 0; i < n; i++)
		row[i] = server_value(&values[i]);
	row[n] = (struct server_value){.kind = SERVER_TEXT, .text = insert->tenant_id};
	return server_rows_add(insert->rows, row, err);
}

bool demo_insert_row(struct demo_insert *insert, const struct demo_value *values, size_t n,
		     struct err *err)
{
	assert((insert->stmt || insert->rows) && n == (size_t)insert->columns);
	if (insert->rows)
		return add_row(insert, values, n, err);
	for (int i = 0; i < insert->columns; i++) {
		int rc = bind_value(insert->stmt, i + 1, &values[i]);
		assert(rc == SQLITE_OK);
	}
	sqlite3_step(insert->stmt);
	if (sqlite3_reset(insert->stmt) != SQLITE_OK)
		return demo_set_sql_error(sqlite3_db_handle(insert->stmt), "insert", err);
	return true;
}

bool demo_insert_close(struct demo_insert *insert, bool done, struct err *err)
{
	if (insert->rows)
		done = done && server_rows_flush(insert->rows, err);
	server_rows_close(&insert->rows);
	sqlite3_finalize(insert->stmt);
	*insert = (struct demo_insert){0};
	return done;
}

/* Howard Hinnant's civil calendar: years begin in March, so that the leap day comes last. */
int demo_day(int year, int month, int day)
{
	int y = month <= 2 ? year - 1 : year;
	int era = y / 400;
	int year_of_era = y - era * 400;
	int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
	return era * 146097 + day_of_era - 719468;
}

static void split_day(int day, int *year, int *month, int *day_of_month)
{
	int z = day + 719468;
	int era = z / 146097;
	int day_of_era = z - era * 146097;
	int year_of_era =
		(day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	int day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int shifted = (5 * day_of_year + 2) / 153;
	*day_of_month = day_of_year - (153 * shifted + 2) / 5 + 1;
	*month = shifted < 10 ? shifted + 3 : shifted - 9;
	*year = year_of_era + era * 400 + (*month <= 2);
}

int demo_day_parse(const char *iso)
{
	int year = 0, month = 0, day = 0;
	int fields = sscanf(iso, "%4d-%2d-%2d", &year, &month, &day);
	assert(fields == 3 && year >= 1970);
	return demo_day(year, month, day);
}

int demo_day_add_months(int day, int months)
{
	int year, month, day_of_month;
	split_day(day, &year, &month, &day_of_month);
	int total = year * 12 + month - 1 + months;
	int first = demo_day(total / 12, total % 12 + 1, 1);
	int length = demo_day((total + 1) / 12, (total + 1) % 12 + 1, 1) - first;
	return first + (day_of_month < length ? day_of_month : length) - 1;
}

int demo_day_weekday(int day)
{
	return (day + 4) % 7; /* 1970-01-01 was a Thursday */
}

struct demo_date demo_day_text(int day)
{
	int year, month, day_of_month;
	split_day(day, &year, &month, &day_of_month);
	assert(year >= 1970 && year <= 9999);
	char text[40];
	snprintf(text, sizeof(text), "%04d-%02d-%02d", year, month, day_of_month);
	struct demo_date date;
	memcpy(date.text, text, sizeof(date.text));
	return date;
}

uint64_t demo_hash(uint64_t seed, const char *text)
{
	return hash_fnv(seed ^ HASH_FNV_OFFSET_BASIS, text, strlen(text));
}

/* SplitMix64. */
uint32_t demo_random_below(struct demo_random *random, uint32_t limit)
{
	assert(limit > 0);
	uint64_t z = random->state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	return (uint32_t)(((z >> 32) * limit) >> 32);
}

int demo_random_around(struct demo_random *random, int spread)
{
	return (int)demo_random_below(random, (uint32_t)(2 * spread + 1)) - spread;
}
