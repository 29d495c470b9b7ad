/* Internal header of the inverter health check: the grid of quarter hours that all its steps
 * use. */
#ifndef HEALTH_INT_H
#define HEALTH_INT_H

#include "solar_int.h"

/* In order of precedence: a quarter hour gets the first fault that applies. */
enum fault {
	FAULT_NONE,
	FAULT_GAP,
	FAULT_IMPOSSIBLE,
	FAULT_OUTAGE,
	FAULT_FROZEN,
	FAULT_INTERPOLATED,
	FAULT_SPIKE,
	FAULT_WEAK,
	FAULTS
};

#define DAYLIGHT 50.0 /* W/m2 */

/* Every quarter hour from the first reference day to now. */
struct grid {
	const struct zone *zone;
	int64_t start_ms;
	size_t n;
	size_t period;      /* first quarter hour of the requested period */
	double rating;      /* W */
	const double *p;    /* W; NAN: missing */
	const double *e;    /* kWh, the day's counter */
	const double *sun;  /* W/m2; without a sensor the peers' power, per mille of their rating */
	const int32_t *day; /* local */
	bool has_sensor;
	double reference; /* W per W/m2 of sun: median of the reference days; NAN: too few */
	double scale;     /* spread of those days, as a standard deviation */
	size_t days;      /* reference days with a value */
	uint8_t *fault;   /* enum fault */
};

/* Builds the grid from the results of the SQL. False: the rating is unknown; a note is added. */
bool health_grid(struct solar *s, int64_t days, struct grid *g);
/* Power per W/m2 of sun over the daylight quarter hours first..last without a fault; NAN: fewer
 * than 8. */
double health_yield(const struct grid *g, size_t first, size_t last);
size_t health_day_end(const struct grid *g, size_t first); /* the first of the next day, or n */

/* Sets grid.fault. False: an error of a kernel, such as ERR_LIMIT. */
bool health_find(const struct solar *s, struct grid *g, struct err *e);

#endif
