/* Inside of the SVG charts: texts and axes. */
#ifndef VESPER_SVG_INT_H
#define VESPER_SVG_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/str.h"

/* ---- texts ---- */

/* An estimate in pixels: nobody can know which font a viewer has. */
double svg_text_width(const char *text, double size_px);

/* Escaped for content and attributes; characters that XML 1.0 does not have are left out, and what
 * would be wider than the given pixels ends in "…". INFINITY: whole. */
void svg_text(struct buf *out, const char *text, double width_px, double size_px);

/* ---- axes ---- */

#define SVG_TICKS_MAX 12

/* Ticks at 1, 2 or 5 times a power of ten, so that the range ends on ticks. */
struct svg_scale {
	double low, high, step;
};
void svg_scale_nice(struct svg_scale *s, double low, double high);
size_t svg_scale_ticks(const struct svg_scale *s);
/* "$1.5M", "48.25", "1,200" as the chart's spec says (a d3-format of those that chart.c writes),
 * with the digits that tell one tick from the next. */
void svg_tick_text(struct buf *out, const struct svg_scale *s, double value, const char *format);

/* Minutes since 1970-01-01 of an ISO date, with a time or without. False: it is none. */
bool svg_time(const char *iso, int64_t *minutes);
enum svg_time_unit { SVG_HOURS, SVG_DAYS, SVG_MONTHS, SVG_YEARS };
struct svg_times {
	int64_t at[SVG_TICKS_MAX];
	size_t count;
	enum svg_time_unit unit;
};
/* Ticks on whole hours, days, months or years, none finer than the data; all within the range. */
void svg_time_ticks(struct svg_times *out, int64_t from, int64_t to, enum svg_time_unit finest);
/* "2025-03-01 06:00", "2025-03-01", "2025-03", "2025": the same in every language. */
void svg_time_text(struct buf *out, int64_t minutes, enum svg_time_unit unit);

#endif
