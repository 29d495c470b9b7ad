/*
 * Helpers of domain modules: cells as exact numbers, and facts added in one call. Pure; all memory
 * is in the arena of the call.
 */
#ifndef DOMAIN_INT_H
#define DOMAIN_INT_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/clock.h"
#include "vesper/decimal.h"
#include "vesper/result.h"
#include "vesper/str.h"

/* ---- cells ---- */

/* False for NULL or not a number. */
bool domain_number(const struct table *t, size_t row, const char *column, struct decimal *out);
bool domain_date(const struct table *t, size_t row, const char *column, struct date *out);
bool domain_cell_is(const struct table *t, size_t row, const char *column, const char *text);

/* ---- facts ---- */

void domain_add_text(struct result *r, struct arena *a, const char *name, const char *label,
		     const char *value);
/* Keeps the decimal places of `value`. `formula` may be NULL. */
void domain_add_number(struct result *r, struct arena *a, const char *name, const char *label,
		       struct decimal value, const char *unit, const char *formula);
void domain_add_count(struct result *r, struct arena *a, const char *name, const char *label,
		      size_t count);
/* Adds part / whole in percent with one decimal place. Adds nothing if the whole is zero or
 * negative, since the percentage would be meaningless. */
void domain_add_percent(struct result *r, struct arena *a, const char *name, const char *label,
			struct decimal part, struct decimal whole);
const char *domain_number_text(struct arena *a, struct decimal d);

/* A list as text: "a, b and 3 more". Adding is linear; the text is limited by
 * FACT_TEXT_BYTES_MAX. */
struct domain_list {
	struct buf text;
	size_t count, left_out;
	size_t max; /* limit of listed entries; 0: as many as fit */
};

void domain_list_init(struct domain_list *l);
void domain_list_add(struct domain_list *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns the text, "" for an empty list. Frees the list's memory. */
const char *domain_list_end(struct domain_list *l, struct arena *a);

/* ---- prices in whole cents, as they are displayed ---- */

#define PRICE_UNIT    "$/MWh"
#define HOURS_PER_DAY 24

/* False for NULL or not a number. */
bool domain_cents(const struct table *t, size_t row, const char *column, int64_t *cents);
const char *domain_cents_text(struct arena *a, int64_t cents);
void domain_add_price(struct result *r, struct arena *a, const char *name, const char *label,
		      int64_t cents);
/* Adds "gap" and, if the lower price is positive, "gap_percent". */
void domain_add_gap(struct result *r, struct arena *a, const char *high, int64_t high_cents,
		    const char *low, int64_t low_cents);
/* Adds "widest_hours" and "widest_gap": the hours of day in which the absolute gap stands out. Adds
 * nothing if none does. */
void domain_add_widest(struct result *r, struct arena *a, const int64_t gaps[HOURS_PER_DAY]);
/* "$620K", "$5.95M": at most two decimal places. */
const char *domain_money(struct arena *a, struct decimal amount);
/* "15-20 (HE 16-21)", "15 (HE 16)": by the beginning of the hour, as tables and charts do, and by
 * its end (HE), as traders do. */
const char *domain_hours_words(struct arena *a, int first, int last);

/* ---- words ---- */

/* "July" for "7"; returns other texts unchanged. */
const char *domain_month(const char *number);
/* "February 2026" for a whole month, "2026" for a whole year, otherwise "20 February 2026 to 27
 * February 2026". With one date NULL: "since …", "until …"; with both: NULL. */
const char *domain_period(struct arena *a, const char *from, const char *to);

#endif
