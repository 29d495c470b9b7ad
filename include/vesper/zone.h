/*
 * Time zones, loaded once from the system's database (/usr/share/zoneinfo) and then pure. The C
 * library's time zone is not used, as it can only be changed for the whole process.
 */
#ifndef VESPER_ZONE_H
#define VESPER_ZONE_H

#include <stdbool.h>
#include <stdint.h>

#include "vesper/clock.h"
#include "vesper/err.h"

struct zone;

/* Loads a zone such as "America/Los_Angeles". "" and "UTC" need no database. Any thread, once
 * loaded. */
MUST_CHECK bool zone_load(const char *name, struct zone **out, struct err *e);
void zone_free(struct zone **z);

/* Seconds by which local time is ahead of UTC at this Unix time. `z` NULL: UTC. */
int zone_offset_s(const struct zone *z, int64_t unix_s);
/* The local time at this wall time, in ms since 1970-01-01 local time. `z` NULL: UTC. */
int64_t zone_local_ms(const struct zone *z, int64_t wall_ms);
/* The local date at this wall time. `z` NULL: UTC. */
struct date zone_date(const struct zone *z, int64_t wall_ms);
/* The wall time at which a local day (date_to_days) begins. `z` NULL: UTC. */
int64_t zone_day_ms(const struct zone *z, int64_t day);
/* The local date of clock_question_ms, or the frozen date. */
struct date zone_today(const struct zone *z);

/* The configured day: 2026-02-27, or a moment: 2026-02-27T12:00, T12:00-07:00, T19:00Z. */
struct moment {
	struct date day; /* as written */
	bool has_time, has_offset;
	int minute;         /* of the day */
	int offset_minutes; /* local time ahead of UTC */
};
#define MOMENT_FORMS "2026-02-27, 2026-02-27T12:00 or 2026-02-27T12:00-07:00"
bool moment_parse(const char *text, struct moment *out);
/* Freezes the day or the moment (clock.h). A time without an offset is in zone `z`; NULL: UTC. */
void moment_freeze(const struct moment *m, const struct zone *z);

#endif
