/*
 * What the parts of the demo data share: rows, dates, random numbers, and one writer for each
 * subject.
 *
 * Everything here is deterministic and uses integers only, so that each compiler makes the same
 * files.
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

/* The database that is being filled, and whose it is: a file of its own, or the tables that all
 * tenants of a server share. */
struct demo_db {
	sqlite3 *handle;
	struct server *server; /* instead of the handle */
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

/* NULL gives an absent value. */
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

/* An open INSERT. Zeroed is a valid closed one; demo_insert_close may be called on either. */
struct demo_insert {
	sqlite3_stmt *stmt;
	struct server_rows *rows; /* instead of the statement */
	const char *tenant_id;
	int columns; /* without tenant_id */
};

/* target is "table (column, column, ...)" without tenant_id, which every row gets by itself. */
MUST_CHECK bool demo_insert_open(struct demo_insert *insert, const struct demo_db *db,
				 const char *target, struct err *err);
MUST_CHECK bool demo_insert_row(struct demo_insert *insert, const struct demo_value *values,
				size_t n, struct err *err);
/* With `done` so far, what still waits is written. True when all was written. */
MUST_CHECK bool demo_insert_close(struct demo_insert *insert, bool done, struct err *err);

/* demo_insert(&insert, err, value, value, ...): one value for each column, in order. */
#define demo_insert(insert, err, ...)                                                              \
	demo_insert_row((insert), (const struct demo_value[]){__VA_ARGS__},                        \
			sizeof((const struct demo_value[]){__VA_ARGS__}) /                         \
				sizeof(struct demo_value),                                         \
			(err))

/* Fills *err from the database's last error; returns false. */
bool demo_sql_failed(sqlite3 *handle, const char *doing, struct err *err);

/* ---- dates: days since 1970-01-01 ---- */

struct demo_date {
	char text[11]; /* ISO */
};

int demo_day(int year, int month, int day);
int demo_day_parse(const char *iso); /* asserts that it is a date */
int demo_day_add_months(int day,
			int months); /* the month's last day where the day does not exist */
int demo_day_weekday(int day);       /* 0 = Sunday */
struct demo_date demo_day_text(int day);

#define DEMO_TODAY "2026-02-27" /* the day that the data was loaded last */

/* ---- random numbers, seeded by names ---- */

struct demo_random {
	uint64_t state;
};

/* A hash of the text, going on from `seed` (0 to begin). */
uint64_t demo_hash(uint64_t seed, const char *text);
uint32_t demo_random_below(struct demo_random *random, uint32_t limit); /* 0 .. limit - 1 */
int demo_random_around(struct demo_random *random, int spread);         /* -spread .. spread */

/* ---- one writer for each subject ---- */

MUST_CHECK bool demo_prices_write(const struct demo_db *db, struct err *err);
MUST_CHECK bool demo_projects_write(const struct demo_db *db, struct err *err);
MUST_CHECK bool demo_schedule_write(const struct demo_db *db, struct err *err);
MUST_CHECK bool demo_usage_write(const struct demo_db *db, struct err *err);

/* All rows of a tenant, into tables that are there. */
typedef bool demo_write_fn(const struct demo_db *db, struct err *err);
demo_write_fn demo_warehouse_write;

/* ---- sources beside the warehouse ---- */

struct demo_source {
	const char *name;
	const char *const *files;   /* tenants that have a file of it; NULL-ended, as all lists */
	const char *const *tenants; /* tenants that have rows on a server */
	const char *const *tables;  /* those that refer to others first */
	const char *biggest;        /* the table that nearly all rows are in */
	demo_write_fn *write;
};

/* NULL: there is none of that name. */
const struct demo_source *demo_source_find(const char *name);

#endif
