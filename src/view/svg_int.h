/* Internals of SVG charts: text and axes. */
#ifndef VESPER_SVG_INT_H
#define VESPER_SVG_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/str.h"

/* ---- texts ---- */

/* Estimated width in pixels; the viewer's font is unknown. */
double svg_text_width(const char *text, double size_px);

/* Writes text escaped for content and attributes, without characters that XML 1.0 forbids. Text
 * wider than width_px is truncated with "…". INFINITY: no limit. */
void svg_text(struct buf *out, const char *text, double width_px, double size_px);

/* ---- axes ---- */

#define SVG_TICKS_MAX 12

/* Ticks at 1, 2 or 5 times a power of ten; the range ends on ticks. */
struct svg_scale {
	double low, high, step;
};
void svg_scale_nice(struct svg_scale *s, double low, double high);
size_t svg_scale_ticks(const struct svg_scale *s);
/* Writes "$1.5M", "48.25" or "1,200" as the spec's d3-format requires (those of chart.c), with
 * enough digits to distinguish ticks. */
void svg_tick_text(struct buf *out, const struct svg_scale *s, double value, const char *format);

/* Minutes since 1970-01-01 of an ISO date with an optional time. False: it is invalid. */
bool svg_time(const char *iso, int64_t *minutes);
enum svg_time_unit { SVG_HOURS, SVG_DAYS, SVG_MONTHS, SVG_YEARS };
struct svg_times {
	int64_t at[SVG_TICKS_MAX];
	size_t count;
	enum svg_time_unit unit;
};
/* Ticks on whole hours, days, months or years, not finer than the data and within the range. */
void svg_time_ticks(struct svg_times *out, int64_t from, int64_t to, enum svg_time_unit finest);
/* Writes "2025-03-01 06:00", "2025-03-01", "2025-03" or "2025", independent of the language. */
void svg_time_text(struct buf *out, int64_t minutes, enum svg_time_unit unit);

#endif
