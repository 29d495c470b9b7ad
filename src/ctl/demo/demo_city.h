/*
 * The demo's city: 60 tables of four years, whose rows are keyed by a number and a year. Each value
 * is a function of table, row and column alone, so that any compiler makes the same rows. Planted:
 * 640 risks, three projects with a change adoption, no project before 2023, a project with three
 * risks, IT systems at three levels (12, 60, 240).
 */
#ifndef DEMO_CITY_H
#define DEMO_CITY_H

#include "demo_int.h"

enum city_kind {
	CITY_WORD,    /* one of the words of `of`, divided by | */
	CITY_INT,     /* from `least` to `most` */
	CITY_DECIMAL, /* the same, with two digits behind the point */
	CITY_DAY,     /* of the row's year */
	CITY_REF,     /* the number of a row of table `of` in the same year */
	CITY_LEVEL,   /* L1, L2 or L3: a 26th of the rows, 5 of 26, the others */
	CITY_PARENT,  /* the number of a row one level above */
};

struct city_column {
	const char *name;
	enum city_kind kind;
	int least, most;
	const char *of;
};

struct city_table {
	const char *name;
	int rows;          /* of all years; a multiple of the years */
	const char *nouns; /* second words of its names, divided by | */
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

/* All rows of the tenant's city, into tables that are there. Other tenants than "noor" have a
 * twentieth of the rows, and other names. */
demo_write_fn demo_city_write;

#endif
