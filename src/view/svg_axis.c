/* Ticks of value and time axes, and their labels. */
#include "svg_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"

#define TICKS_TARGET 6
#define DAY_MIN      1440

/* The nearest of 1, 2, 5 and 10 times a power of ten (Heckbert, "Nice numbers for graph labels",
 * Graphics Gems, 1990). */
static double nice_step(double step)
{
	double power = pow(10, floor(log10(step))), share = step / power;

	return (share < 1.5 ? 1 : share < 3 ? 2 : share < 7 ? 5 : 10) * power;
}

void svg_scale_nice(struct svg_scale *s, double low, double high)
{
	if (low == high) { /* a constant line is drawn in the middle */
		double padding = low == 0 ? 1 : fabs(low) / 2;

		low -= padding;
		high += padding;
	}
	s->step = nice_step((high - low) / (TICKS_TARGET - 1));
	s->low = floor(low / s->step) * s->step;
	s->high = ceil(high / s->step) * s->step;
}

size_t svg_scale_ticks(const struct svg_scale *s)
{
	return (size_t)lround((s->high - s->low) / s->step) + 1;
}

static int decimals_of(double step)
{
	int decimals = (int)ceil(-log10(step) - 1e-9);

	return decimals < 0 ? 0 : decimals > 12 ? 12 : decimals;
}

/* "-1234567.50" -> "-1,234,567.50" */
static void add_grouped(struct buf *out, const char *digits)
{
	size_t whole = strspn(digits, "-0123456789");
	size_t sign = digits[0] == '-';

	for (size_t i = 0; i < whole; i++) {
		if (i > sign && (whole - i) % 3 == 0)
			buf_char(out, ',');
		buf_char(out, digits[i]);
	}
	buf_str(out, digits + whole);
}

void svg_tick_text(struct buf *out, const struct svg_scale *s, double value, const char *format)
{
	static const struct {
		double divisor;
		const char *suffix;
	} scales[] = {{1e9, "B"}, {1e6, "M"}, {1e3, "K"}};
	double largest = fmax(fabs(s->low), fabs(s->high)), divisor = 1;
	bool is_money = format[0] == '$', is_short = format[strlen(format) - (*format != 0)] == 's';
	const char *suffix = "";
	char digits[352];

	if (fabs(value) < s->step / 2)
		value = 0; /* avoids "-0" */
	for (size_t i = 0; is_short && i < 3 && divisor == 1; i++)
		if (largest >= scales[i].divisor) {
			divisor = scales[i].divisor;
			suffix = scales[i].suffix;
		}
	snprintf(digits, sizeof(digits), "%.*f", decimals_of(s->step / divisor),
		 fabs(value) / divisor);
	buf_str(out, value < 0 ? "-" : "");
	buf_str(out, is_money ? "$" : "");
	add_grouped(out, digits);
	buf_str(out, value == 0 ? "" : suffix);
}

bool svg_time(const char *iso, int64_t *minutes)
{
	struct date d;
	int hour, minute;
	char day[DATE_ISO_BYTES];

	if (strlen(iso) < sizeof(day) - 1)
		return false;
	memcpy(day, iso, sizeof(day) - 1);
	day[sizeof(day) - 1] = '\0';
	if (!date_parse_iso(day, &d))
		return false;
	*minutes = date_to_days(d) * DAY_MIN;
	if (sscanf(iso + sizeof(day) - 1, "%*[ T]%2d:%2d", &hour, &minute) == 2)
		*minutes += hour * 60 + minute;
	return true;
}

/* Natural time steps, finest first. */
static const struct {
	enum svg_time_unit unit;
	int64_t step;    /* hours, days, months or years */
	int64_t minutes; /* approximate */
} steps[] = {
	{SVG_HOURS, 1, 60},
	{SVG_HOURS, 3, 180},
	{SVG_HOURS, 6, 360},
	{SVG_HOURS, 12, 720},
	{SVG_DAYS, 1, DAY_MIN},
	{SVG_DAYS, 2, 2 * DAY_MIN},
	{SVG_DAYS, 7, 7 * DAY_MIN},
	{SVG_DAYS, 14, 14 * DAY_MIN},
	{SVG_MONTHS, 1, 30 * DAY_MIN},
	{SVG_MONTHS, 3, 91 * DAY_MIN},
	{SVG_MONTHS, 6, 182 * DAY_MIN},
	{SVG_YEARS, 1, 365 * DAY_MIN},
	{SVG_YEARS, 2, 730 * DAY_MIN},
	{SVG_YEARS, 5, 1826 * DAY_MIN},
	{SVG_YEARS, 10, 3652 * DAY_MIN},
	{SVG_YEARS, 100, 36525 * DAY_MIN},
	{SVG_YEARS, 1000, 365250 * (int64_t)DAY_MIN},
};

static int64_t round_down_to(int64_t value, int64_t step)
{
	return value - ((value % step) + step) % step;
}

static int64_t month_minutes(int64_t months)
{
	int64_t year = round_down_to(months, 12) / 12;

	return date_to_days((struct date){(int)year, (int)(months - year * 12) + 1, 1}) * DAY_MIN;
}

/* The tick of a step at or before a time, offset by `offset` steps. */
static int64_t tick_at(size_t step, int64_t from, int64_t offset)
{
	int64_t days = round_down_to(from, DAY_MIN) / DAY_MIN, n = steps[step].step;
	struct date d = date_from_days(days);

	switch (steps[step].unit) {
	case SVG_HOURS:
		return round_down_to(from, n * 60) + offset * n * 60;
	case SVG_DAYS:
		/* 1970-01-05 was a Monday, the start of a week */
		return (round_down_to(days - 4, n) + 4 + offset * n) * DAY_MIN;
	case SVG_MONTHS:
		return month_minutes(round_down_to((int64_t)d.year * 12 + d.month - 1, n) +
				     offset * n);
	default:
		return month_minutes((round_down_to(d.year, n) + offset * n) * 12);
	}
}

void svg_time_ticks(struct svg_times *out, int64_t from, int64_t to, enum svg_time_unit finest)
{
	size_t step = 0, last = sizeof(steps) / sizeof(steps[0]) - 1;

	while (step < last &&
	       (steps[step].unit < finest || (to - from) / steps[step].minutes > SVG_TICKS_MAX - 4))
		step++;
	*out = (struct svg_times){.unit = steps[step].unit};
	for (int64_t offset = 0; out->count < SVG_TICKS_MAX; offset++) {
		int64_t at = tick_at(step, from, offset);

		if (at > to)
			return;
		if (at >= from)
			out->at[out->count++] = at;
	}
}

void svg_time_text(struct buf *out, int64_t minutes, enum svg_time_unit unit)
{
	struct date d = date_from_days(round_down_to(minutes, DAY_MIN) / DAY_MIN);
	int minute_of_day = (int)(minutes - round_down_to(minutes, DAY_MIN));

	buf_printf(out, "%04d", d.year);
	if (unit <= SVG_MONTHS)
		buf_printf(out, "-%02d", d.month);
	if (unit <= SVG_DAYS)
		buf_printf(out, "-%02d", d.day);
	if (unit == SVG_HOURS)
		buf_printf(out, " %02d:%02d", minute_of_day / 60, minute_of_day % 60);
}
