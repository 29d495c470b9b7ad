/* Helpers of the solar derivations: local times of a site, numbers, rows. */
#include "solar_int.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain_int.h"
#include "vesper/limits.h"

#define DAY_MS INT64_C(86400000)

struct solar solar_begin(struct result *r, struct arena *a)
{
	struct solar s = {.r = r,
			  .a = a,
			  .calc = {.arena = a},
			  .now_ms = r->context ? r->context->now_ms : 0};

	s.zone_cache = arena_alloc(a, sizeof(*s.zone_cache));
	return s;
}

double solar_factor(const struct solar *s, const char *name)
{
	const struct factor *f = derive_factor(s->r->context, name);

	return f ? f->value : (double)NAN;
}

void solar_note(struct solar *s, const char *fmt, ...)
{
	const struct fact *before = result_fact(s->r, "note");
	const char *text;
	va_list args;

	va_start(args, fmt);
	text = arena_vprintf(s->a, fmt, args);
	va_end(args);
	if (before) {
		((struct fact *)before)->value = arena_printf(s->a, "%s %s", before->value, text);
		return;
	}
	domain_add_text(s->r, s->a, "note", "Note", text);
}

/* ---- cells and times ---- */

double solar_cell(const struct table *t, size_t row, const char *column)
{
	const char *text = table_cell(t, row, column);
	char *end;
	double value = text ? strtod(text, &end) : (double)NAN;

	return text && end != text && !*end && isfinite(value) ? value : (double)NAN;
}

bool solar_time(const struct table *t, size_t row, const char *column, int64_t *ms)
{
	const char *text = table_cell(t, row, column);
	struct date day;
	int h, m, s = 0;

	if (!text || !date_parse_start(text, &day) || strlen(text) < 16 ||
	    sscanf(text + 11, "%2d:%2d:%2d", &h, &m, &s) < 2)
		return false;
	*ms = date_to_days(day) * DAY_MS + ((int64_t)h * 3600 + m * 60 + s) * 1000;
	return true;
}

static void free_zone(void *thing)
{
	struct zone *z = thing;

	zone_free(&z);
}

const struct zone *solar_zone(const struct solar *s, const char *name)
{
	struct zone *z = NULL;
	struct err e;

	if (!name)
		return NULL;
	if (s->zone_cache->name && strcmp(s->zone_cache->name, name) == 0)
		return s->zone_cache->zone;
	s->zone_cache->name = arena_strdup(s->a, name);
	s->zone_cache->zone = zone_load(name, &z, &e) ? z : NULL;
	if (z)
		arena_defer(s->a, free_zone, z);
	return s->zone_cache->zone;
}

static int64_t day_of(int64_t ms)
{
	return ms / DAY_MS - (ms % DAY_MS < 0);
}

int64_t solar_local_day(const struct zone *z, int64_t ms)
{
	return day_of(zone_local_ms(z, ms));
}

int solar_local_minute(const struct zone *z, int64_t ms)
{
	int64_t local = zone_local_ms(z, ms);

	return (int)((local - day_of(local) * DAY_MS) / 60000);
}

const char *solar_iso(struct arena *a, int64_t day)
{
	char iso[DATE_ISO_BYTES];

	date_iso(date_from_days(day), iso);
	return arena_strdup(a, iso);
}

const char *solar_clock(struct arena *a, const struct zone *z, int64_t ms)
{
	int minute = solar_local_minute(z, ms);

	return arena_printf(a, "%02d:%02d", minute / 60, minute % 60);
}

const char *solar_local(struct arena *a, const struct zone *z, int64_t ms)
{
	int offset = zone_offset_s(z, ms / 1000) / 60;

	return arena_printf(a, "%sT%s:00%c%02d:%02d", solar_iso(a, solar_local_day(z, ms)),
			    solar_clock(a, z, ms), offset < 0 ? '-' : '+', abs(offset) / 60,
			    abs(offset) % 60);
}

size_t solar_quarters(const struct zone *z, int64_t day, int64_t now_ms)
{
	int64_t from = zone_day_ms(z, day), to = zone_day_ms(z, day + 1);

	if (now_ms < to)
		to = now_ms;
	return to > from ? (size_t)((to - from) / QUARTER_MS) : 0;
}

/* ---- numbers ---- */

const char *solar_digits(struct arena *a, double value, int decimals)
{
	const char *text;

	if (!isfinite(value))
		return NULL;
	text = arena_printf(a, "%.*f", decimals, value);
	return *text == '-' && text[strspn(text, "-0.")] == '\0' ? text + 1 : text;
}

void solar_add(struct solar *s, const char *name, const char *label, double value, int decimals,
	       const char *unit, const char *formula)
{
	const char *digits = solar_digits(s->a, value, decimals);

	if (digits)
		result_add_fact(s->r, s->a,
				(struct fact){.name = name,
					      .label = label,
					      .value = digits,
					      .unit = unit,
					      .formula = formula});
}

void solar_add_words(struct solar *s, const char *name, const char *label, const char *value)
{
	if (value)
		domain_add_text(s->r, s->a, name, label, value);
}

/* ---- rows ---- */

void solar_rows_begin(struct solar_rows *w, struct arena *a)
{
	*w = (struct solar_rows){.a = a};
}

void solar_rows_column(struct solar_rows *w, const char *name, enum column_type type)
{
	w->names[w->columns] = name;
	w->types[w->columns++] = type;
}

void solar_rows_add(struct solar_rows *w, const char *const *cells)
{
	w->cells = arena_grow(w->a, w->cells, w->rows, &w->cap, w->columns * sizeof(*w->cells));
	memcpy(w->cells + w->rows * w->columns, cells, w->columns * sizeof(*cells));
	w->rows++;
}

void solar_rows_end(const struct solar_rows *w, struct table *t)
{
	table_replace(t, w->names, w->types, w->columns, (const char *const *)w->cells, w->rows);
}

struct table *solar_table(struct solar *s, const char *name)
{
	return (struct table *)result_table(s->r, name);
}
