/*
 * The demo's photovoltaic plant: loggers, readings every quarter hour, and faults planted at known
 * times, which tests look for (tests/solar/planted.json). Each value is a function of logger and
 * time alone and is made with integers only, so each compiler makes the same rows and any part of
 * them can be made alone.
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
	int yield;                          /* per mille of what its capacity promises */
	const char *commissioned, *retired; /* ISO; the second may be NULL */
	const char *first, *last;           /* local days with readings; NULL: those of the site */
};

struct demo_site {
	const char *tenant_id, *zone_name;
	int latitude, longitude; /* in 1/1000 degree */
	int tilt;                /* the same; azimuth is south */
	int tariff;              /* 10^-4 a kWh */
	const char *currency;
	const char *first; /* local day; of small data the second */
	const char *first_small;
	const char *meteo; /* its weather station; NULL: it has none */
	const struct demo_logger *loggers;
	size_t logger_count;
};

extern const struct demo_site demo_sites[];
extern const size_t demo_site_count;
const struct demo_site *demo_site_of(const char *tenant_id); /* of one that has a plant */

/* What a logger reads at a quarter hour. */
struct demo_reading {
	int64_t unix_s;
	int local_day, minute; /* of the site's clock; minutes since midnight */
	bool is_absent;
	int power;            /* 0.1 W */
	int irradiance;       /* 0.01 W/m2 */
	int celsius;          /* 0.01 degree of the module */
	const char *metadata; /* NULL: none */
};

/* Sets all but the times. */
void demo_solar_read(const struct demo_site *site, const struct demo_logger *logger,
		     struct demo_reading *r);

/* A fault that was planted; it changes the reading. */
void demo_solar_plant(const struct demo_site *site, const struct demo_logger *logger,
		      struct demo_reading *r);
/* The cloud that a planted fault wants, per mille of a clear sky; 0: any. */
int demo_solar_planted_sky(const struct demo_site *site, int local_day);

/* All rows of the tenant's plant, into tables that are there. */
demo_write_fn demo_plant_write;

#endif
