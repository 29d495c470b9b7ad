/*
 * The demo's city: 60 tables over four years, with rows keyed by number and year. Each value is a
 * function of table, row and column, so that all compilers produce the same rows. Planted: 640
 * risks, three projects with a change adoption, no project before 2023, a project with three risks,
 * IT systems at three levels (12, 60, 240).
 */
#ifndef DEMO_CITY_H
#define DEMO_CITY_H

#include "demo_int.h"

enum city_kind {
	CITY_WORD,    /* one of the words of `of`, separated by | */
	CITY_INT,     /* from `min` to `max` */
	CITY_DECIMAL, /* the same with two decimals */
	CITY_DAY,     /* of the row's year */
	CITY_REF,     /* number of a row of table `of` in the same year */
	CITY_LEVEL,   /* L1: 1 of 26 rows, L2: 5 of 26, L3: the others */
	CITY_PARENT,  /* number of a row one level above */
};

struct city_column {
	const char *name;
	enum city_kind kind;
	int min, max;
	const char *of;
};

struct city_table {
	const char *name;
	int rows;          /* in all years; a multiple of the number of years */
	const char *nouns; /* second words of its names, separated by | */
	const struct city_column *columns;
	size_t column_count;
};

/* A join table: jt_<left>_<right>_join. */
struct city_link {
	const char *left, *right;
	const char *left_column, *right_column;
	int rows;
};

extern const struct city_table demo_city_tables[];
extern const size_t demo_city_table_count;
extern const struct city_link demo_city_links[];
extern const size_t demo_city_link_count;

/* Writes all rows of the tenant's city into existing tables. Tenants other than "noor" have a
 * twentieth of the rows, and other names. */
demo_write_fn demo_city_write;

#endif
