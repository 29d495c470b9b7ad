/*
 * Draws a chart view as SVG for clients that only show images: MCP hosts, exported files, a
 * terminal's folder. It is drawn from the stored view, so a message always gives the same picture.
 * It contains only shapes and text: no script, style or URL that a viewer would run or fetch.
 */
#include "svg_picture.h"

#include <math.h>
#include <stdlib.h>

#include "vesper/arena.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/view.h"

#define BAR_SHARE 0.8 /* share of its slot */
#define DOTS_MAX  60  /* lines with more points get no markers */

/* The page's colors: distinct on light and dark backgrounds, also with most color vision
 * deficiencies. */
static const char *const colors[CHART_SERIES_COUNT_MAX] = {
	"#2a9d8f", "#e09f3e", "#5b7fd6", "#d1605e", "#9a6dd7", "#6a9f4b", "#c2678f", "#7d8790"};

/* ---- texts and axes ---- */

enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

/* `rotation_deg`: clockwise rotation around the position, in degrees; 0: none. */
static void write_text(struct picture *p, const char *text, double x, double y, enum anchor anchor,
		       int rotation_deg, double width_px)
{
	static const char *const anchors[] = {"start", "middle", "end"};

	if (!*text)
		return;
	buf_printf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchors[anchor]);
	if (rotation_deg)
		buf_printf(p->out, " transform=\"rotate(%d %.1f %.1f)\"", rotation_deg, x, y);
	buf_char(p->out, '>');
	svg_text(p->out, text, width_px, FONT_PX);
	buf_str(p->out, "</text>\n");
}

static void write_line(struct picture *p, double x1, double y1, double x2, double y2,
		       const char *color)
{
	buf_printf(p->out,
		   "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1,
		   y1, x2, y2, color);
}

static void draw_values_axis(struct picture *p)
{
	const char *format = svg_member(json_object_get(p->y_axis, "axis"), "format");
	struct buf text;

	buf_init(&text, DB_CELL_BYTES_MAX);
	for (size_t i = 0; i < svg_scale_ticks(&p->scale); i++) {
		double value = p->scale.low + (double)i * p->scale.step,
		       at = svg_value_px(p, value);
		bool is_zero = fabs(value) < p->scale.step / 2;

		buf_reset(&text);
		svg_tick_text(&text, &p->scale, value, format);
		if (p->is_horizontal) {
			write_line(p, at, p->plot.top, at, p->plot.bottom,
				   is_zero ? "#999" : "#e3e3e3");
			write_text(p, buf_text(&text), at, p->plot.bottom + GAP_PX + FONT_PX,
				   ANCHOR_MIDDLE, 0, INFINITY);
		} else {
			write_line(p, p->plot.left, at, p->plot.right, at,
				   is_zero ? "#999" : "#e3e3e3");
			write_text(p, buf_text(&text), p->plot.left - GAP_PX, at + FONT_PX / 3,
				   ANCHOR_END, 0, INFINITY);
		}
	}
	buf_deinit(&text);
}

/* Every n-th name gets a label, for the smallest n that fits. */
static size_t label_stride(const struct picture *p)
{
	double each = p->is_horizontal || svg_names_are_rotated(p) ? FONT_PX + 2
								   : svg_widest_name(p) + GAP_PX;
	double stride = ceil(each / svg_slot_px(p));

	return stride < 1 ? 1 : (size_t)stride;
}

static void draw_names(struct picture *p)
{
	size_t stride = label_stride(p);
	bool is_rotated = svg_names_are_rotated(p);

	for (size_t i = 0; i < p->names.count; i += stride) {
		double at = svg_x_px(p, (double)i);

		if (p->is_horizontal)
			write_text(p, p->names.list[i], p->plot.left - GAP_PX, at + FONT_PX / 3,
				   ANCHOR_END, 0, p->width * 0.4);
		else if (is_rotated)
			write_text(p, p->names.list[i], at, p->plot.bottom + GAP_PX + FONT_PX / 2,
				   ANCHOR_END, -45, LABEL_PX_MAX);
		else
			write_text(p, p->names.list[i], at, p->plot.bottom + GAP_PX + FONT_PX,
				   ANCHOR_MIDDLE, 0, INFINITY);
	}
}

/* Data by day gets no hours, data by month no days. */
static enum svg_time_unit finest_unit(const struct picture *p)
{
	const char *unit = svg_member(p->x_axis, "timeUnit");

	if (strstr(unit, "hours"))
		return SVG_HOURS;
	return strstr(unit, "date") ? SVG_DAYS : SVG_MONTHS;
}

static void draw_times(struct picture *p)
{
	struct svg_times ticks;
	struct buf text;

	svg_time_ticks(&ticks, p->from, p->to, finest_unit(p));
	buf_init(&text, DB_CELL_BYTES_MAX);
	for (size_t i = 0; i < ticks.count; i++) {
		double at = svg_x_px(p, (double)ticks.at[i]);

		buf_reset(&text);
		svg_time_text(&text, ticks.at[i], ticks.unit);
		write_line(p, at, p->plot.bottom, at, p->plot.bottom + GAP_PX / 2, "#999");
		write_text(p, buf_text(&text), at, p->plot.bottom + GAP_PX + FONT_PX, ANCHOR_MIDDLE,
			   0, INFINITY);
	}
	buf_deinit(&text);
}

static void draw_axes(struct picture *p)
{
	double middle_x = (p->plot.left + p->plot.right) / 2;
	double middle_y = (p->plot.top + p->plot.bottom) / 2;
	const json_t *bottom = p->is_horizontal ? p->y_axis : p->x_axis;
	const json_t *left = p->is_horizontal ? p->x_axis : p->y_axis;

	draw_values_axis(p);
	if (p->is_timed)
		draw_times(p);
	else
		draw_names(p);
	write_text(p, svg_member(bottom, "title"), middle_x,
		   p->height - EDGE_PX - (double)svg_legend_rows(p) * LINE_PX, ANCHOR_MIDDLE, 0,
		   p->plot.right - p->plot.left);
	write_text(p, svg_member(left, "title"), EDGE_PX + FONT_PX / 2, middle_y, ANCHOR_MIDDLE,
		   -90, p->plot.bottom - p->plot.top);
}

static void draw_legend(struct picture *p)
{
	double x = EDGE_PX;
	size_t row = 0, rows = svg_legend_rows(p);

	for (size_t i = 0; i < p->series.count && rows > 0; i++) {
		double y;

		svg_legend_step(p, i, &x, &row);
		y = p->height - EDGE_PX - (double)(rows - 1 - row) * LINE_PX;
		buf_printf(p->out,
			   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\" "
			   "fill=\"%s\"/>\n",
			   x, y - FONT_PX + 1, SWATCH_PX, SWATCH_PX, colors[i]);
		write_text(p, p->series.list[i], x + SWATCH_PX + GAP_PX / 2, y, ANCHOR_START, 0,
			   p->width - 2 * EDGE_PX - SWATCH_PX);
		x += svg_entry_px(p, i);
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

/* The end of a run of points of one series without missing values. */
static size_t segment_end(const struct picture *p, size_t from)
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
			   svg_x_px(p, p->points.list[i].x), svg_value_px(p, p->points.list[i].y));
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
			   svg_x_px(p, p->points.list[i].x), svg_value_px(p, p->points.list[i].y),
			   colors[series]);
}

static void draw_area(struct picture *p, size_t from, size_t end)
{
	double zero_px = svg_value_px(p, 0);

	buf_str(p->out, "<path d=\"");
	add_points(p, from, end);
	buf_printf(p->out, "L%.1f %.1fL%.1f %.1fZ\" fill=\"%s\" fill-opacity=\"0.5\"/>\n",
		   svg_x_px(p, p->points.list[end - 1].x), zero_px,
		   svg_x_px(p, p->points.list[from].x), zero_px,
		   colors[p->points.list[from].series]);
}

/* Draws the area from lowest to highest if each point has both. */
static void draw_band(struct picture *p, size_t from, size_t end)
{
	const struct point *list = p->points.list;
	size_t n = 0;

	for (size_t i = from; i < end; i++)
		if (isnan(list[i].low) || isnan(list[i].high))
			return;
	buf_str(p->out, "<path d=\"");
	for (size_t i = from; i < end; i++)
		buf_printf(p->out, "%s%.1f %.1f", n++ ? "L" : "M", svg_x_px(p, list[i].x),
			   svg_value_px(p, list[i].high));
	for (size_t i = end; i > from; i--)
		buf_printf(p->out, "L%.1f %.1f", svg_x_px(p, list[i - 1].x),
			   svg_value_px(p, list[i - 1].low));
	buf_printf(p->out, "Z\" fill=\"%s\" fill-opacity=\"0.25\"/>\n", colors[0]);
}

static void draw_segments(struct picture *p)
{
	qsort(p->points.list, p->points.count, sizeof(*p->points.list), compare_points);
	for (size_t from = 0, end; from<p->points.count; from = end> from ? end : from + 1) {
		end = segment_end(p, from);
		if (end == from)
			continue;
		if (svg_is_type(p, "layered"))
			draw_band(p, from, end);
		if (svg_is_type(p, "area"))
			draw_area(p, from, end);
		draw_line(p, from, end);
	}
}

static void draw_bar(struct picture *p, const struct point *at)
{
	double group_px = svg_slot_px(p) * BAR_SHARE, bar_px = group_px / (double)p->series.count;
	double from = svg_x_px(p, at->x) - group_px / 2 + bar_px * (double)at->series;
	double a = svg_value_px(p, 0), b = svg_value_px(p, at->y), low = fmin(a, b),
	       size = fabs(a - b);

	buf_printf(p->out,
		   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
		   p->is_horizontal ? low : from, p->is_horizontal ? from : low,
		   p->is_horizontal ? size : bar_px, p->is_horizontal ? bar_px : size,
		   colors[at->series]);
}

static void draw_marks(struct picture *p)
{
	if (!svg_is_bar(p)) {
		draw_segments(p);
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
	svg_text(p->out, svg_member(p->spec, "title"), INFINITY, FONT_PX);
	buf_str(p->out, "</title>\n<desc>");
	svg_text(p->out, svg_member(p->view, "alt"), INFINITY, FONT_PX);
	buf_str(p->out, "</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	buf_printf(p->out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\" font-weight=\"600\">",
		   EDGE_PX, EDGE_PX + TITLE_PX, TITLE_PX);
	svg_text(p->out, svg_member(p->spec, "title"), p->width - 2 * EDGE_PX, TITLE_PX);
	buf_str(p->out, "</text>\n");
	draw_axes(p);
	draw_marks(p);
	draw_legend(p);
	buf_str(p->out, "</svg>\n");
}

/* The height of horizontal bars depends on their number, since each name needs room. */
static double height_of(const struct picture *p, int requested_px)
{
	double needed_px =
		(double)p->names.count * fmax(1, (double)p->series.count / 2) * LINE_PX + 120;

	if (requested_px)
		return requested_px;
	return p->is_horizontal ? fmin(fmax(SVG_HEIGHT_PX, needed_px), SVG_SIDE_MAX_PX)
				: SVG_HEIGHT_PX;
}

static bool read_view(struct picture *p, const struct svg_size *size)
{
	if (!svg_read(p))
		return false;
	p->width = size && size->width_px ? size->width_px : SVG_WIDTH_PX;
	p->height = height_of(p, size ? size->height_px : 0);
	return svg_place(p);
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
