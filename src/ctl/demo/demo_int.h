/*
 * Shared by the parts of the demo data: rows, dates, random numbers, and one writer per subject.
 *
 * Everything is deterministic and uses integers only, so that all compilers produce the same files.
 */
#ifndef DEMO_INT_H
#define DEMO_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sqlite3.h>

#include "server/server.h"
#include "vesper/err.h"

#define DEMO_COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum demo_tenant { DEMO_VESPER, DEMO_ACME, DEMO_TENANT_COUNT };

/* The database that is being filled and its tenant: one file, or the tables that all tenants of a
 * server share. */
struct demo_db {
	sqlite3 *handle;
	struct server *server; /* replaces the handle */
	bool small;            /* fewer price files */
	enum demo_tenant tenant;
	const char *tenant_id;
};

extern const char *const demo_tenant_ids[DEMO_TENANT_COUNT];

/* ---- rows ---- */

struct demo_value {
	enum { DEMO_NULL, DEMO_TEXT, DEMO_INTEGER, DEMO_DECIMAL } kind;
	const char *text; /* borrowed for the call */
	int64_t integer;  /* DEMO_DECIMAL: in units of 10^-4 */
};

static inline struct demo_value demo_null(void)
{
	return (struct demo_value){.kind = DEMO_NULL};
}

/* NULL gives a NULL value. */
static inline struct demo_value demo_text(const char *text)
{
	return (struct demo_value){.kind = text ? DEMO_TEXT : DEMO_NULL, .text = text};
}

static inline struct demo_value demo_int(int64_t integer)
{
	return (struct demo_value){.kind = DEMO_INTEGER, .integer = integer};
}

static inline struct demo_value demo_decimal(int64_t ten_thousandths)
{
	return (struct demo_value){.kind = DEMO_DECIMAL, .integer = ten_thousandths};
}

/* An open INSERT. A zeroed struct is a closed one; demo_insert_close accepts both. */
struct demo_insert {
	sqlite3_stmt *stmt;
	struct server_rows *rows; /* replaces the statement */
	const char *tenant_id;
	int columns; /* without tenant_id */
};

/* target is "table (column, column, ...)" without tenant_id, which is added to every row. */
MUST_CHECK bool demo_insert_open(struct demo_insert *insert, const struct demo_db *db,
				 const char *target, struct err *err);
MUST_CHECK bool demo_insert_row(struct demo_insert *insert, const struct demo_value *values,
				size_t n, struct err *err);
/* If `done`, writes the remaining rows. Returns true when all rows were written. */
MUST_CHECK bool demo_insert_close(struct demo_insert *insert, bool done, struct err *err);

/* demo_insert(&insert, err, value, value, ...): one value per column, in order. */
#define demo_insert(insert, err, ...)                                                              \
	demo_insert_row((insert), (const struct demo_value[]){__VA_ARGS__},                        \
			sizeof((const struct demo_value[]){__VA_ARGS__}) /                         \
				sizeof(struct demo_value),                                         \
			(err))

/* Fills *err from the database's last error; returns false. */
bool demo_set_sql_error(sqlite3 *handle, const char *operation, struct err *err);

/* ---- dates: days since 1970-01-01 ---- */

struct demo_date {
	char text[11]; /* ISO */
};

int demo_day(int year, int month, int day);
int demo_day_parse(const char *iso);          /* asserts that it is a valid date */
int demo_day_add_months(int day, int months); /* the month's last day at most */
int demo_day_weekday(int day);                /* 0 = Sunday */
struct demo_date demo_day_text(int day);

#define DEMO_TODAY "2026-02-27" /* the day of the last data load */

/* ---- random numbers, seeded by names ---- */

struct demo_random {
	uint64_t state;
};

/* A hash of the text, continued from `seed` (0 to start). */
uint64_t demo_hash(uint64_t seed, const char *text);
uint32_t demo_random_below(struct demo_random *random, uint32_t limit); /* 0 .. limit - 1 */
int demo_random_around(struct demo_random *random, int spread);         /* -spread .. spread */

/* ---- one writer per subject ---- */

MUST_CHECK bool demo_prices_write(const struct demo_db *db, struct err *err);
MUST_CHECK bool demo_projects_write(const struct demo_db *db, struct err *err);
MUST_CHECK bool demo_schedule_write(const struct demo_db *db, struct err *err);
MUST_CHECK bool demo_usage_write(const struct demo_db *db, struct err *err);

/* Writes all rows of a tenant into existing tables. */
typedef bool demo_write_fn(const struct demo_db *db, struct err *err);
demo_write_fn demo_warehouse_write;

/* ---- sources other than the warehouse ---- */

struct demo_source {
	const char *name;
	const char *const *files;   /* tenants that have a file of it; NULL-terminated lists */
	const char *const *tenants; /* tenants with rows on a server */
	const char *const *tables;  /* referring tables first */
	const char *largest_table;  /* the table with nearly all rows */
	demo_write_fn *write;
};

/* NULL: unknown name. */
const struct demo_source *demo_source_find(const char *name);

#endif
