/*
 * The picture of a chart view for clients that only show images: MCP hosts, exported files, a
 * terminal's folder. It is drawn from the view and not from the result, since the view is what is
 * stored; so one message gives the same picture today and in a year. Shapes and texts alone: no
 * script, no style, no address, nothing that a viewer would fetch or run.
 */
#include "svg_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/arena.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/view.h"

#define FONT_PX      12.0
#define TITLE_PX     15.0
#define EDGE_PX      14.0 /* around everything */
#define GAP_PX       8.0  /* between an axis and its texts */
#define LINE_PX      18.0 /* from one line of text to the next */
#define SWATCH_PX    12.0
#define LABEL_CHARS  12 /* longer ones along the bottom are turned */
#define LABEL_PX_MAX 110.0
#define BAR_SHARE    0.8 /* of its place */
#define DOTS_MAX     60  /* points of a line that are marked, too */
#define POINTS_MAX   (CHART_ROWS_MAX * CHART_SERIES_COUNT_MAX)

/* Those of the page: they keep apart on light and dark, also for most who see few colors. */
static const char *const colors[CHART_SERIES_COUNT_MAX] = {
	"#2a9d8f", "#e09f3e", "#5b7fd6", "#d1605e", "#9a6dd7", "#6a9f4b", "#c2678f", "#7d8790"};

struct point {
	double x;            /* which name, or minutes */
	double y, low, high; /* NAN: none */
	size_t series;
};

struct picture {
	const json_t *view, *spec, *x_axis, *y_axis;
	const char *type; /* of the chart */
	struct arena *arena;
	struct buf *out;
	double width, height;
	struct {
		struct point *list;
		size_t count;
	} points;
	struct {
		const char **list; /* in their order along the axis */
		size_t count;
		json_t *index; /* number by name */
	} names, series;
	bool timed, lying;
	int64_t from, to; /* of a time axis */
	struct svg_scale scale;
	struct {
		double left, top, right, bottom;
	} plot;
};

static const char *member(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

static bool is_bar(const struct picture *p)
{
	return strcmp(p->type, "bar") == 0 || strcmp(p->type, "grouped_bar") == 0;
}

static bool is_type(const struct picture *p, const char *type)
{
	return strcmp(p->type, type) == 0;
}

/* ---- reading ---- */

/* As a number, or as the digits that exact reading keeps. */
static double number_of(const json_t *value, const char *name)
{
	const json_t *n = json_object_get(value, name);
	const char *digits = json_decimal_text(n);

	if (digits)
		return strtod(digits, NULL);
	return json_is_number(n) ? json_number_value(n) : NAN;
}

/* The name's number, a new one for a new name. False: there are too many. */
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
	const char *series = member(value, "series");
	int64_t minutes = 0;
	size_t name = 0;

	*at = (struct point){.y = number_of(value, "y"),
			     .low = number_of(value, "low"),
			     .high = number_of(value, "high")};
	if (!x || (p->timed ? !svg_time(x, &minutes) : !number_x(p, x, &name)) ||
	    !number_series(p, series, &at->series))
		return false;
	at->x = p->timed ? (double)minutes : (double)name;
	p->points.count++;
	return true;
}

/* By size where both are numbers, else by their letters: ISO dates stand in the order of time. */
static int compare_names(const void *a, const void *b)
{
	const char *left = *(const char *const *)a, *right = *(const char *const *)b;
	char *left_end, *right_end;
	long long l = strtoll(left, &left_end, 10), r = strtoll(right, &right_end, 10);

	if (*left_end || *right_end)
		return strcmp(left, right);
	return (l > r) - (l < r);
}

/* The order along the axis is what the spec says, else that of hours, years or dates. */
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
	if (!p->timed && !read_order(p, values))
		return false;
	json_array_foreach((json_t *)(uintptr_t)values, i, value)
		if (!read_point(p, value))
			return false;
	return true;
}

/* A layered chart has its x apart from its layers. */
static void read_axes(struct picture *p)
{
	const json_t *encoding = json_object_get(p->spec, "encoding");
	const json_t *line = json_array_get(json_object_get(p->spec, "layer"), 1);

	p->x_axis = json_object_get(encoding, "x");
	p->y_axis = json_object_get(encoding, "y");
	if (line)
		p->y_axis = json_object_get(json_object_get(line, "encoding"), "y");
	p->lying = is_bar(p) && strcmp(member(p->x_axis, "type"), "quantitative") == 0;
	if (p->lying) {
		const json_t *names = p->y_axis;

		p->y_axis = p->x_axis;
		p->x_axis = names;
	}
	p->timed = !is_bar(p) && strcmp(member(p->x_axis, "type"), "temporal") == 0;
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
		return false; /* nothing to draw */
	if (zero) {
		low = fmin(low, 0);
		high = fmax(high, 0);
	}
	if (!isfinite(high - low))
		return false; /* nothing that can be drawn */
	svg_scale_nice(&p->scale, low, high);
	return isfinite(p->scale.low) && isfinite(p->scale.high) && p->scale.step > 0;
}

/* ---- places ---- */

static double share_of(const struct picture *p, double value)
{
	return (value - p->scale.low) / (p->scale.high - p->scale.low);
}

/* Along the axis of values. */
static double value_px(const struct picture *p, double value)
{
	double share = share_of(p, value);

	return p->lying ? p->plot.left + share * (p->plot.right - p->plot.left)
			: p->plot.bottom - share * (p->plot.bottom - p->plot.top);
}

static double slot_px(const struct picture *p)
{
	double room = p->lying ? p->plot.bottom - p->plot.top : p->plot.right - p->plot.left;

	return p->timed ? room : room / (double)p->names.count;
}

/* Along the other one: the middle of a name's place, or a time. */
static double x_px(const struct picture *p, double x)
{
	double from = p->lying ? p->plot.top : p->plot.left;
	double room = slot_px(p);

	if (!p->timed)
		return from + (x + 0.5) * room;
	return from +
	       (p->to > p->from ? (x - (double)p->from) / (double)(p->to - p->from) : 0.5) * room;
}

static double widest_tick(const struct picture *p)
{
	const char *format = member(json_object_get(p->y_axis, "axis"), "format");
	double widest = 0;
	struct buf text;

	buf_init(&text, DB_CELL_BYTES_MAX);
	for (size_t i = 0; i < svg_scale_ticks(&p->scale); i++) {
		buf_reset(&text);
		svg_tick_text(&text, &p->scale, p->scale.low + (double)i * p->scale.step, format);
		widest = fmax(widest, svg_text_width(buf_text(&text), FONT_PX));
	}
	buf_deinit(&text);
	return widest;
}

static double widest_name(const struct picture *p)
{
	double widest = 0;

	for (size_t i = 0; i < p->names.count; i++)
		widest = fmax(widest, svg_text_width(p->names.list[i], FONT_PX));
	return widest;
}

static bool has_title(const json_t *axis)
{
	return *member(axis, "title") != '\0';
}

static double entry_px(const struct picture *p, size_t series)
{
	return SWATCH_PX + GAP_PX / 2 + svg_text_width(p->series.list[series], FONT_PX) +
	       2 * GAP_PX;
}

/* Where an entry of the legend stands: in the same row while there is room. */
static void legend_step(const struct picture *p, size_t series, double *x, size_t *row)
{
	if (*x > EDGE_PX && *x + entry_px(p, series) > p->width - EDGE_PX) {
		*x = EDGE_PX;
		(*row)++;
	}
}

static size_t legend_rows(const struct picture *p)
{
	double x = EDGE_PX;
	size_t row = 0;

	if (p->series.count < 2)
		return 0;
	for (size_t i = 0; i < p->series.count; i++) {
		legend_step(p, i, &x, &row);
		x += entry_px(p, i);
	}
	return row + 1;
}

static bool is_turned(const struct picture *p)
{
	return !p->timed && !p->lying && widest_name(p) > LABEL_CHARS * FONT_PX / 2;
}

/* What stands below the plot, from its end to the picture's. */
static double below_px(const struct picture *p)
{
	double labels = FONT_PX;

	if (is_turned(p)) /* by 45 degrees */
		labels = fmin(widest_name(p), LABEL_PX_MAX) * M_SQRT1_2 + FONT_PX;
	return GAP_PX + labels + (has_title(p->lying ? p->y_axis : p->x_axis) ? LINE_PX : GAP_PX) +
	       (double)legend_rows(p) * LINE_PX + EDGE_PX;
}

static bool place_all(struct picture *p)
{
	double labels = p->lying ? fmin(widest_name(p), p->width * 0.4) : widest_tick(p);

	p->plot.left = EDGE_PX + labels + GAP_PX +
		       (has_title(p->lying ? p->x_axis : p->y_axis) ? LINE_PX : 0);
	p->plot.top = EDGE_PX + TITLE_PX + LINE_PX;
	p->plot.right = p->width - EDGE_PX - FONT_PX * (p->timed ? 3 : 1); /* half a label */
	p->plot.bottom = p->height - below_px(p);
	return p->plot.right - p->plot.left >= FONT_PX && p->plot.bottom - p->plot.top >= FONT_PX;
}

/* ---- texts and axes ---- */

enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

/* The turn in degrees clockwise around the place; 0: none. */
static void put_text(struct picture *p, const char *text, double x, double y, enum anchor anchor,
		     int turn, double width_px)
{
	static const char *const anchors[] = {"start", "middle", "end"};

	buf_printf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchors[anchor]);
	if (turn)
		buf_printf(p->out, " transform=\"rotate(%d %.1f %.1f)\"", turn, x, y);
	buf_char(p->out, '>');
	svg_text(p->out, text, width_px, FONT_PX);
	buf_str(p->out, "</text>\n");
}

static void put_line(struct picture *p, double x1, double y1, double x2, double y2,
		     const char *color)
{
	buf_printf(p->out,
		   "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1,
		   y1, x2, y2, color);
}

static void draw_values_axis(struct picture *p)
{
	const char *format = member(json_object_get(p->y_axis, "axis"), "format");
	struct buf text;

	buf_init(&text, DB_CELL_BYTES_MAX);
	for (size_t i = 0; i < svg_scale_ticks(&p->scale); i++) {
		double value = p->scale.low + (double)i * p->scale.step, at = value_px(p, value);
		bool zero = fabs(value) < p->scale.step / 2;

		buf_reset(&text);
		svg_tick_text(&text, &p->scale, value, format);
		if (p->lying) {
			put_line(p, at, p->plot.top, at, p->plot.bottom, zero ? "#999" : "#e3e3e3");
			put_text(p, buf_text(&text), at, p->plot.bottom + GAP_PX + FONT_PX,
				 ANCHOR_MIDDLE, 0, INFINITY);
		} else {
			put_line(p, p->plot.left, at, p->plot.right, at, zero ? "#999" : "#e3e3e3");
			put_text(p, buf_text(&text), p->plot.left - GAP_PX, at + FONT_PX / 3,
				 ANCHOR_END, 0, INFINITY);
		}
	}
	buf_deinit(&text);
}

/* As many as there is room for: each, each second one, … */
static size_t label_stride(const struct picture *p)
{
	double each = p->lying || is_turned(p) ? FONT_PX + 2 : widest_name(p) + GAP_PX;
	double stride = ceil(each / slot_px(p));

	return stride < 1 ? 1 : (size_t)stride;
}

static void draw_names(struct picture *p)
{
	size_t stride = label_stride(p);
	bool turned = is_turned(p);

	for (size_t i = 0; i < p->names.count; i += stride) {
		double at = x_px(p, (double)i);

		if (p->lying)
			put_text(p, p->names.list[i], p->plot.left - GAP_PX, at + FONT_PX / 3,
				 ANCHOR_END, 0, p->width * 0.4);
		else if (turned)
			put_text(p, p->names.list[i], at, p->plot.bottom + GAP_PX + FONT_PX / 2,
				 ANCHOR_END, -45, LABEL_PX_MAX);
		else
			put_text(p, p->names.list[i], at, p->plot.bottom + GAP_PX + FONT_PX,
				 ANCHOR_MIDDLE, 0, INFINITY);
	}
}

/* Days of data have no hours, months no days. */
static enum svg_time_unit finest_of(const struct picture *p)
{
	const char *unit = member(p->x_axis, "timeUnit");

	if (strstr(unit, "hours"))
		return SVG_HOURS;
	return strstr(unit, "date") ? SVG_DAYS : SVG_MONTHS;
}

static void draw_times(struct picture *p)
{
	struct svg_times ticks;
	struct buf text;

	svg_time_ticks(&ticks, p->from, p->to, finest_of(p));
	buf_init(&text, DB_CELL_BYTES_MAX);
	for (size_t i = 0; i < ticks.count; i++) {
		double at = x_px(p, (double)ticks.at[i]);

		buf_reset(&text);
		svg_time_text(&text, ticks.at[i], ticks.unit);
		put_line(p, at, p->plot.bottom, at, p->plot.bottom + GAP_PX / 2, "#999");
		put_text(p, buf_text(&text), at, p->plot.bottom + GAP_PX + FONT_PX, ANCHOR_MIDDLE,
			 0, INFINITY);
	}
	buf_deinit(&text);
}

static void draw_axes(struct picture *p)
{
	double across = (p->plot.left + p->plot.right) / 2;
	double along = (p->plot.top + p->plot.bottom) / 2;
	const json_t *bottom = p->lying ? p->y_axis : p->x_axis;
	const json_t *left = p->lying ? p->x_axis : p->y_axis;

	draw_values_axis(p);
	if (p->timed)
		draw_times(p);
	else
		draw_names(p);
	put_text(p, member(bottom, "title"), across,
		 p->height - EDGE_PX - (double)legend_rows(p) * LINE_PX, ANCHOR_MIDDLE, 0,
		 p->plot.right - p->plot.left);
	put_text(p, member(left, "title"), EDGE_PX + FONT_PX / 2, along, ANCHOR_MIDDLE, -90,
		 p->plot.bottom - p->plot.top);
}

static void draw_legend(struct picture *p)
{
	double x = EDGE_PX;
	size_t row = 0, rows = legend_rows(p);

	for (size_t i = 0; i < p->series.count && rows > 0; i++) {
		double y;

		legend_step(p, i, &x, &row);
		y = p->height - EDGE_PX - (double)(rows - 1 - row) * LINE_PX;
		buf_printf(p->out,
			   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" "
			   "fill=\"%s\"/>\n",
			   x, y - FONT_PX + 1, SWATCH_PX, SWATCH_PX, colors[i]);
		put_text(p, p->series.list[i], x + SWATCH_PX + GAP_PX / 2, y, ANCHOR_START, 0,
			 p->width - 2 * EDGE_PX - SWATCH_PX);
		x += entry_px(p, i);
	}
}

/* ---- marks ---- */

static int compare_points(const void *a, const void *b)
{
	const struct point *left = a, *right = b;

	if (left->series != right->series)
		return left->series < right->series ? -1 : 1;
	return (left->x > right->x) - (left->x < right->x);
}

/* The end of a stretch without a gap: points of one series that all have a value. */
static size_t stretch_end(const struct picture *p, size_t from)
{
	const struct point *list = p->points.list;
	size_t end = from;

	while (end < p->points.count && list[end].series == list[from].series &&
	       !isnan(list[end].y))
		end++;
	return end;
}

static void add_points(struct picture *p, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		buf_printf(p->out, "%s%.1f %.1f", i == from ? "M" : "L",
			   x_px(p, p->points.list[i].x), value_px(p, p->points.list[i].y));
}

static void draw_line(struct picture *p, size_t from, size_t end)
{
	size_t series = p->points.list[from].series;

	buf_str(p->out, "<path d=\"");
	add_points(p, from, end);
	buf_printf(p->out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s/>\n",
		   colors[series],
		   series >= CHART_SERIES_COUNT_MAX / 2 ? " stroke-dasharray=\"6 3\"" : "");
	for (size_t i = from; i < end && (p->points.count <= DOTS_MAX || end - from == 1); i++)
		buf_printf(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
			   x_px(p, p->points.list[i].x), value_px(p, p->points.list[i].y),
			   colors[series]);
}

static void draw_area(struct picture *p, size_t from, size_t end)
{
	double zero = value_px(p, 0);

	buf_str(p->out, "<path d=\"");
	add_points(p, from, end);
	buf_printf(p->out, "L%.1f %.1fL%.1f %.1fZ\" fill=\"%s\" fill-opacity=\"0.5\"/>\n",
		   x_px(p, p->points.list[end - 1].x), zero, x_px(p, p->points.list[from].x), zero,
		   colors[p->points.list[from].series]);
}

/* From the lowest to the highest, where a point has both. */
static void draw_band(struct picture *p, size_t from, size_t end)
{
	const struct point *list = p->points.list;
	size_t n = 0;

	for (size_t i = from; i < end; i++)
		if (isnan(list[i].low) || isnan(list[i].high))
			return;
	buf_str(p->out, "<path d=\"");
	for (size_t i = from; i < end; i++)
		buf_printf(p->out, "%s%.1f %.1f", n++ ? "L" : "M", x_px(p, list[i].x),
			   value_px(p, list[i].high));
	for (size_t i = end; i > from; i--)
		buf_printf(p->out, "L%.1f %.1f", x_px(p, list[i - 1].x),
			   value_px(p, list[i - 1].low));
	buf_printf(p->out, "Z\" fill=\"%s\" fill-opacity=\"0.25\"/>\n", colors[0]);
}

static void draw_stretches(struct picture *p)
{
	qsort(p->points.list, p->points.count, sizeof(*p->points.list), compare_points);
	for (size_t from = 0, end; from<p->points.count; from = end> from ? end : from + 1) {
		end = stretch_end(p, from);
		if (end == from)
			continue;
		if (is_type(p, "layered"))
			draw_band(p, from, end);
		if (is_type(p, "area"))
			draw_area(p, from, end);
		draw_line(p, from, end);
	}
}

static void draw_bar(struct picture *p, const struct point *at)
{
	double place = slot_px(p) * BAR_SHARE, thick = place / (double)p->series.count;
	double from = x_px(p, at->x) - place / 2 + thick * (double)at->series;
	double a = value_px(p, 0), b = value_px(p, at->y), low = fmin(a, b), size = fabs(a - b);

	buf_printf(p->out,
		   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
		   p->lying ? low : from, p->lying ? from : low, p->lying ? size : thick,
		   p->lying ? thick : size, colors[at->series]);
}

static void draw_marks(struct picture *p)
{
	if (!is_bar(p)) {
		draw_stretches(p);
		return;
	}
	for (size_t i = 0; i < p->points.count; i++)
		if (!isnan(p->points.list[i].y))
			draw_bar(p, &p->points.list[i]);
}

/* ---- the picture ---- */

static void draw(struct picture *p)
{
	buf_printf(p->out,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%.0f\" "
		   "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, "
		   "sans-serif\" font-size=\"%.0f\" fill=\"#333\">\n<title>",
		   p->width, p->height, p->width, p->height, FONT_PX);
	svg_text(p->out, member(p->spec, "title"), INFINITY, FONT_PX);
	buf_str(p->out, "</title>\n<desc>");
	svg_text(p->out, member(p->view, "alt"), INFINITY, FONT_PX);
	buf_str(p->out, "</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	buf_printf(p->out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\" font-weight=\"600\">",
		   EDGE_PX, EDGE_PX + TITLE_PX, TITLE_PX);
	svg_text(p->out, member(p->spec, "title"), p->width - 2 * EDGE_PX, TITLE_PX);
	buf_str(p->out, "</text>\n");
	draw_axes(p);
	draw_marks(p);
	draw_legend(p);
	buf_str(p->out, "</svg>\n");
}

/* Bars that lie get a height by their number: each needs the room of its name. */
static double height_of(const struct picture *p, int wanted)
{
	double room = (double)p->names.count * fmax(1, (double)p->series.count / 2) * LINE_PX + 120;

	if (wanted)
		return wanted;
	return p->lying ? fmin(fmax(SVG_HEIGHT_PX, room), SVG_SIDE_MAX_PX) : SVG_HEIGHT_PX;
}

static bool read_view(struct picture *p, const struct svg_size *size)
{
	p->spec = json_object_get(p->view, "chart_spec");
	p->type = member(p->view, "chart_type");
	if (!is_bar(p) && !is_type(p, "line") && !is_type(p, "area") && !is_type(p, "layered"))
		return false;
	read_axes(p);
	if (!read_values(p) || !read_range(p))
		return false;
	p->width = size && size->width_px ? size->width_px : SVG_WIDTH_PX;
	p->height = height_of(p, size ? size->height_px : 0);
	return place_all(p);
}

bool view_svg(struct buf *out, const json_t *view, const struct svg_size *size)
{
	struct picture p = {.view = view, .out = out};
	size_t from = out->n;
	bool drawn;

	p.arena = arena_new(SVG_ARENA_BYTES);
	p.names.index = json_object();
	p.series.index = json_object();
	p.names.list = arena_alloc(p.arena, CHART_ROWS_MAX * sizeof(*p.names.list));
	p.series.list = arena_alloc(p.arena, CHART_SERIES_COUNT_MAX * sizeof(*p.series.list));
	drawn = read_view(&p, size);
	if (drawn)
		draw(&p);
	if (drawn && out->n - from > SVG_BYTES_MAX) {
		buf_cut(out, from);
		drawn = false;
	}
	json_decref(p.names.index);
	json_decref(p.series.index);
	arena_free(&p.arena);
	return drawn;
}
