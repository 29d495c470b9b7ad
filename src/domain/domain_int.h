/*
 * What domain modules share: cells as exact numbers, and facts added in one line. Pure; all memory
 * in the arena of the call.
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

/* False for NULL or no number. */
bool domain_number(const struct table *t, size_t row, const char *column, struct decimal *out);
bool domain_date(const struct table *t, size_t row, const char *column, struct date *out);
bool domain_cell_is(const struct table *t, size_t row, const char *column, const char *text);

/* ---- facts ---- */

void domain_add_text(struct result *r, struct arena *a, const char *name, const char *label,
		     const char *value);
/* With exactly the decimals of `value`. `formula` may be NULL. */
void domain_add_number(struct result *r, struct arena *a, const char *name, const char *label,
		       struct decimal value, const char *unit, const char *formula);
void domain_add_count(struct result *r, struct arena *a, const char *name, const char *label,
		      size_t count);
/* part / whole in percent at one decimal; nothing is added when the whole is zero or less, as a
 * percentage of that says nothing. */
void domain_add_percent(struct result *r, struct arena *a, const char *name, const char *label,
			struct decimal part, struct decimal whole);
const char *domain_number_text(struct arena *a, struct decimal d);

/* A list in words: "a, b and 3 more". Linear in what is added, bounded by FACT_TEXT_BYTES_MAX. */
struct domain_list {
	struct buf text;
	size_t count, left_out;
	size_t most; /* entries that are listed; 0: as many as there is room for */
};

void domain_list_init(struct domain_list *l);
void domain_list_add(struct domain_list *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The text, "" where nothing was added. Frees the list's memory. */
const char *domain_list_end(struct domain_list *l, struct arena *a);

/* ---- prices: whole cents, the way people read them ---- */

#define PRICE_UNIT  "$/MWh"
#define HOURS_A_DAY 24

/* False for NULL or no number. */
bool domain_cents(const struct table *t, size_t row, const char *column, int64_t *cents);
const char *domain_cents_text(struct arena *a, int64_t cents);
void domain_add_price(struct result *r, struct arena *a, const char *name, const char *label,
		      int64_t cents);
/* "gap" and, above nothing, "gap_percent". */
void domain_add_gap(struct result *r, struct arena *a, const char *high, int64_t high_cents,
		    const char *low, int64_t low_cents);
/* "widest_hours" and "widest_gap": where the absolute gaps by hour of day stand out, if they do. */
void domain_add_widest(struct result *r, struct arena *a, const int64_t gaps[HOURS_A_DAY]);
/* "$620K", "$5.95M": at most two decimals. */
const char *domain_money(struct arena *a, struct decimal amount);
/* "15-20 (HE 16-21)", "15 (HE 16)": as tables and charts count them, by their beginning, and as
 * traders do, by their end. */
const char *domain_hours_words(struct arena *a, int first, int last);

/* ---- words ---- */

/* "July" for "7"; a text that is no month is given back. */
const char *domain_month(const char *number);
/* "February 2026" for a whole month, "2026" for a whole year, else "20 February 2026 to 27 February
 * 2026". One of them may be NULL: "since …", "until …"; both: NULL. */
const char *domain_period(struct arena *a, const char *from, const char *to);

#endif
