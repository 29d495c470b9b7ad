/*
 * Time zones, read from the system's database (/usr/share/zoneinfo) once and then pure: the C
 * library's own can only be changed for the whole process.
 */
#ifndef VESPER_ZONE_H
#define VESPER_ZONE_H

#include <stdbool.h>
#include <stdint.h>

#include "vesper/clock.h"
#include "vesper/err.h"

struct zone;

/* "America/Los_Angeles". "" and "UTC" need no database. Safe from every thread once loaded. */
MUST_CHECK bool zone_load(const char *name, struct zone **out, struct err *e);
void zone_free(struct zone **z);

/* Seconds that local time is ahead of UTC at this Unix time. `z` NULL: UTC. */
int zone_offset_s(const struct zone *z, int64_t unix_s);
/* The local date at this wall time. `z` NULL: UTC. */
struct date zone_date(const struct zone *z, int64_t wall_ms);
/* The local date now, or the frozen one. */
struct date zone_today(const struct zone *z);

#endif
