/*
 * Internal header of the solar domain: helpers of its derivations. P is active power in W, G
 * irradiance in the plane of the array in W/m2, T module temperature in degrees Celsius. A reading
 * covers the quarter hour that begins at its time.
 */
#ifndef SOLAR_INT_H
#define SOLAR_INT_H

#include "vesper/calc.h"
#include "vesper/frame.h"
#include "vesper/result.h"
#include "vesper/tool.h"
#include "vesper/zone.h"

#define QUARTER_MS INT64_C(900000)
#define QUARTER_H  0.25

#define FACTOR_ONLINE_MINUTES "online_minutes"
#define FACTOR_AVAILABILITY   "health_availability"
#define FACTOR_ENERGY         "health_energy"
#define FACTOR_COMPLETENESS   "health_completeness"
#define FACTOR_CO2            "co2_kg_per_kwh"
#define FACTOR_TREE           "tree_kg_co2"
#define FACTOR_TARIFF         "tariff_per_kwh"

/* ---- state of one derivation ---- */

struct solar {
	struct result *r;
	struct arena *a;
	struct calc calc;
	int64_t now_ms;
	struct {
		const char *name;
		const struct zone *zone;
	} * zone_cache; /* cache of the last zone lookup */
};
struct solar solar_begin(struct result *r, struct arena *a);
double solar_factor(const struct solar *s, const char *name); /* NAN: not set */
/* Adds the fact "note", which explains why a value is missing. Later notes are appended. */
void solar_note(struct solar *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- cells and times ---- */

double solar_cell(const struct table *t, size_t row, const char *column); /* NAN for NULL */
/* Parses a cell such as "2026-02-27 18:45:00". False for NULL or an invalid time. */
bool solar_time(const struct table *t, size_t row, const char *column, int64_t *ms);
/* The time zone of this name; NULL (UTC) if this machine does not have it. Freed with the arena. */
const struct zone *solar_zone(const struct solar *s, const char *name);
int64_t solar_local_day(const struct zone *z, int64_t ms);                  /* as date_to_days */
int solar_local_minute(const struct zone *z, int64_t ms);                   /* of its day */
const char *solar_local(struct arena *a, const struct zone *z, int64_t ms); /* RFC 3339 */
const char *solar_clock(struct arena *a, const struct zone *z, int64_t ms); /* "10:15" */
const char *solar_iso(struct arena *a, int64_t day);
/* Number of quarter hours of a local day up to now: 92 to 100, fewer today. */
size_t solar_quarters(const struct zone *z, int64_t day, int64_t now_ms);

/* ---- numbers ---- */

const char *solar_digits(struct arena *a, double value, int decimals); /* NULL for NAN */
/* Adds nothing for NAN. */
void solar_add(struct solar *s, const char *name, const char *label, double value, int decimals,
	       const char *unit, const char *formula);
void solar_add_words(struct solar *s, const char *name, const char *label, const char *value);

/* ---- generated rows ---- */

enum { SOLAR_COLUMNS_MAX = 16 };
struct solar_rows {
	struct arena *a;
	const char *names[SOLAR_COLUMNS_MAX];
	enum column_type types[SOLAR_COLUMNS_MAX];
	size_t columns;
	const char **cells;
	size_t rows, cap;
};
void solar_rows_begin(struct solar_rows *w, struct arena *a);
void solar_rows_column(struct solar_rows *w, const char *name, enum column_type type);
/* `cells` has one entry per column. */
void solar_rows_add(struct solar_rows *w, const char *const *cells);
/* Replaces the contents of the table. */
void solar_rows_end(const struct solar_rows *w, struct table *t);
struct table *solar_table(struct solar *s, const char *name); /* of the result */

/* ---- derivations ---- */

void solar_list(struct result *r, struct arena *a);
void solar_fleet(struct result *r, struct arena *a);
void solar_errors(struct result *r, struct arena *a);
void solar_ping(struct result *r, struct arena *a);
void solar_curve(struct result *r, struct arena *a);
void solar_compare(struct result *r, struct arena *a);
void solar_savings(struct result *r, struct arena *a);
void solar_ratio(struct result *r, struct arena *a);
void solar_forecast(struct result *r, struct arena *a);
void solar_health(struct result *r, struct arena *a);

#endif
