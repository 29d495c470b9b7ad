/* Inside the check of an inverter's health: the grid of quarter hours that all its steps work on.
 */
#ifndef HEALTH_INT_H
#define HEALTH_INT_H

#include "solar_int.h"

/* In the order in which a quarter hour belongs to them. */
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

/* Every quarter hour from the first day of the reference to now. */
struct grid {
	const struct zone *zone;
	int64_t start_ms;
	size_t n;
	size_t period;      /* the first that is asked for */
	double rating;      /* W */
	const double *p;    /* W; NAN: absent */
	const double *e;    /* kWh, counter of the day */
	const double *sun;  /* W/m2; of the peers where there is no sensor: per mille of rating */
	const int32_t *day; /* local */
	bool has_sensor;
	double reference; /* W of power a W/m2 of sun: median of days; NAN: too few */
	double scale;     /* of those days, as a standard deviation */
	size_t days;      /* that have it */
	uint8_t *fault;   /* enum fault */
};

/* What the statements gave, by quarter hours. False: the rating is not known, the note says so. */
bool health_grid(struct solar *s, int64_t days, struct grid *g);
/* Power a sun of quarter hours first..last that are daylight and have no fault; NAN: fewer than 8.
 */
double health_yield(const struct grid *g, size_t first, size_t last);
size_t health_day_end(const struct grid *g, size_t first); /* the first of the next day, or n */

/* Sets grid.fault. False: ERR_LIMIT and the like of a kernel. */
bool health_find(const struct solar *s, struct grid *g, struct err *e);

#endif
