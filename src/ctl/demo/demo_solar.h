/*
 * The demo's photovoltaic plant: loggers, quarter-hourly readings, and planted faults at known
 * times, which tests look for (tests/solar/planted.json). Each value is a function of logger and
 * time, computed with integers only. So all compilers produce the same rows, and any part of them
 * can be generated separately.
 */
#ifndef DEMO_SOLAR_H
#define DEMO_SOLAR_H

#include "demo_int.h"
#include "vesper/zone.h"

#define DEMO_QUARTER_S 900
#define DEMO_DAY_S     86400

enum demo_solar_kind { DEMO_INVERTER, DEMO_METEO };

struct demo_logger {
	const char *id, *name;
	enum demo_solar_kind kind;
	const char *model;
	int capacity_w;                     /* direct current */
	int rating_w;                       /* alternating current */
	int yield;                          /* per mille of the yield expected for its capacity */
	const char *commissioned, *retired; /* ISO dates; `retired` may be NULL */
	const char *first, *last;           /* local days with readings; NULL: those of the site */
};

struct demo_site {
	const char *tenant_id, *zone_name;
	int latitude, longitude; /* in 1/1000 degree */
	int tilt;                /* in 1/1000 degree; azimuth is south */
	int tariff;              /* 10^-4 per kWh */
	const char *currency;
	const char *first; /* local day; first_small is for small data */
	const char *first_small;
	const char *meteo; /* its weather station; NULL: none */
	const struct demo_logger *loggers;
	size_t logger_count;
};

extern const struct demo_site demo_sites[];
extern const size_t demo_site_count;
const struct demo_site *demo_site_of(const char *tenant_id); /* the tenant must have a plant */

/* The values of a logger at a quarter hour. */
struct demo_reading {
	int64_t unix_s;
	int local_day, minute; /* in the site's local time; minutes since midnight */
	bool is_absent;
	int power;            /* 0.1 W */
	int irradiance;       /* 0.01 W/m2 */
	int celsius;          /* module temperature, 0.01 degree */
	const char *metadata; /* NULL: none */
};

/* Sets all members except the times. */
void demo_solar_read(const struct demo_site *site, const struct demo_logger *logger,
		     struct demo_reading *r);

/* Applies the planted fault, if there is one, to the reading. */
void demo_solar_apply_faults(const struct demo_site *site, const struct demo_logger *logger,
			     struct demo_reading *r);
/* The clearness of a day with a planted cloud, per mille of a clear sky; 0: none planted. */
int demo_solar_fixed_sky(const struct demo_site *site, int local_day);

/* Writes all rows of the tenant's plant into existing tables. */
demo_write_fn demo_plant_write;

#endif
