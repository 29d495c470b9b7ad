/* Reads a chart view back from its Vega-Lite spec: points, names, series, and the range of both
 * axes. Views may be old or damaged, so one that cannot be drawn is refused. */
#include "svg_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/view.h"

#define POINTS_MAX (CHART_ROWS_MAX * CHART_SERIES_COUNT_MAX)

const char *svg_member(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

bool svg_is_bar(const struct picture *p)
{
	return strcmp(p->type, "bar") == 0 || strcmp(p->type, "grouped_bar") == 0;
}

bool svg_is_type(const struct picture *p, const char *type)
{
	return strcmp(p->type, type) == 0;
}

/* Reads a number, or the digits kept by exact parsing. */
static double number_of(const json_t *value, const char *name)
{
	const json_t *n = json_object_get(value, name);
	const char *digits = json_decimal_text(n);

	if (digits)
		return strtod(digits, NULL);
	return json_is_number(n) ? json_number_value(n) : NAN;
}

/* Returns the index of the name in *out and adds new names. False: there are too many. */
static bool number_name(const char ***list, size_t *count, json_t *index, size_t max,
			const char *name, size_t *out)
{
	const json_t *known = json_object_get(index, name);

	if (!known && *count == max)
		return false;
	if (!known) {
		json_set_int(index, name, (int64_t)*count);
		(*list)[(*count)++] = name;
	}
	*out = (size_t)json_integer_value(json_object_get(index, name));
	return true;
}

static bool number_x(struct picture *p, const char *name, size_t *out)
{
	return number_name(&p->names.list, &p->names.count, p->names.index, CHART_ROWS_MAX, name,
			   out);
}

static bool number_series(struct picture *p, const char *name, size_t *out)
{
	return number_name(&p->series.list, &p->series.count, p->series.index,
			   CHART_SERIES_COUNT_MAX, name, out);
}

static const char *x_name(const struct picture *p, const json_t *x)
{
	return json_is_integer(x) ? arena_printf(p->arena, "%lld", (long long)json_integer_value(x))
				  : json_string_value(x);
}

static bool read_point(struct picture *p, const json_t *value)
{
	struct point *at = &p->points.list[p->points.count];
	const char *x = x_name(p, json_object_get(value, "x"));
	const char *series = svg_member(value, "series");
	int64_t minutes = 0;
	size_t name = 0;

	*at = (struct point){.y = number_of(value, "y"),
			     .low = number_of(value, "low"),
			     .high = number_of(value, "high")};
	if (!x || (p->is_timed ? !svg_time(x, &minutes) : !number_x(p, x, &name)) ||
	    !number_series(p, series, &at->series))
		return false;
	at->x = p->is_timed ? (double)minutes : (double)name;
	p->points.count++;
	return true;
}

/* Compares numbers by value, other names as text; ISO dates are thus in order of time. */
static int compare_names(const void *a, const void *b)
{
	const char *left = *(const char *const *)a, *right = *(const char *const *)b;
	char *left_end, *right_end;
	long long l = strtoll(left, &left_end, 10), r = strtoll(right, &right_end, 10);

	if (*left_end || *right_end)
		return strcmp(left, right);
	return (l > r) - (l < r);
}

/* The order along the axis is the spec's sort, else sorted hours, years or dates. */
static bool read_order(struct picture *p, const json_t *values)
{
	const json_t *sort = json_object_get(p->x_axis, "sort"), *value;
	const char **sorted;
	size_t i, n = 0, at;

	json_array_foreach((json_t *)(uintptr_t)sort, i, value)
		if (!json_is_string(value) || !number_x(p, json_string_value(value), &at))
			return false;
	if (sort)
		return true;
	sorted = arena_alloc(p->arena, json_array_size(values) * sizeof(*sorted));
	json_array_foreach((json_t *)(uintptr_t)values, i, value) {
		const char *name = x_name(p, json_object_get(value, "x"));

		if (name)
			sorted[n++] = name;
	}
	qsort(sorted, n, sizeof(*sorted), compare_names);
	for (i = 0; i < n; i++)
		if (!number_x(p, sorted[i], &at))
			return false;
	return true;
}

static bool read_values(struct picture *p)
{
	const json_t *values = json_object_get(json_object_get(p->spec, "data"), "values"), *value;
	size_t i, count = json_array_size(values);

	if (count == 0 || count > POINTS_MAX)
		return false;
	p->points.list = arena_alloc(p->arena, count * sizeof(*p->points.list));
	if (!p->is_timed && !read_order(p, values))
		return false;
	json_array_foreach((json_t *)(uintptr_t)values, i, value)
		if (!read_point(p, value))
			return false;
	return true;
}

/* In a layered chart, x is outside the layers. */
static void read_axes(struct picture *p)
{
	const json_t *encoding = json_object_get(p->spec, "encoding");
	const json_t *line = json_array_get(json_object_get(p->spec, "layer"), 1);

	p->x_axis = json_object_get(encoding, "x");
	p->y_axis = json_object_get(encoding, "y");
	if (line)
		p->y_axis = json_object_get(json_object_get(line, "encoding"), "y");
	p->is_horizontal =
		svg_is_bar(p) && strcmp(svg_member(p->x_axis, "type"), "quantitative") == 0;
	if (p->is_horizontal) {
		const json_t *names = p->y_axis;

		p->y_axis = p->x_axis;
		p->x_axis = names;
	}
	p->is_timed = !svg_is_bar(p) && strcmp(svg_member(p->x_axis, "type"), "temporal") == 0;
}

static bool read_range(struct picture *p)
{
	bool zero = json_is_true(json_object_get(json_object_get(p->y_axis, "scale"), "zero"));
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < p->points.count; i++) {
		const struct point *at = &p->points.list[i];

		low = fmin(low, fmin(at->y, at->low));
		high = fmax(high, fmax(at->y, at->high));
		p->from = i == 0 || at->x < (double)p->from ? (int64_t)at->x : p->from;
		p->to = i == 0 || at->x > (double)p->to ? (int64_t)at->x : p->to;
	}
	if (!isfinite(low) || !isfinite(high))
		return false; /* no values */
	if (zero) {
		low = fmin(low, 0);
		high = fmax(high, 0);
	}
	if (!isfinite(high - low))
		return false; /* range overflows */
	svg_scale_nice(&p->scale, low, high);
	return isfinite(p->scale.low) && isfinite(p->scale.high) && p->scale.step > 0;
}

bool svg_read(struct picture *p)
{
	p->spec = json_object_get(p->view, "chart_spec");
	p->type = svg_member(p->view, "chart_type");
	if (!svg_is_bar(p) && !svg_is_type(p, "line") && !svg_is_type(p, "area") &&
	    !svg_is_type(p, "layered"))
		return false;
	read_axes(p);
	return read_values(p) && read_range(p);
}
