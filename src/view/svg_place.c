/* Layout of a chart's picture: plot, axes, names and legend. */
#include "svg_picture.h"

#include <math.h>

#include "vesper/limits.h"

#define LABEL_CHARS 12 /* longer names along the bottom are rotated */

static double share_of(const struct picture *p, double value)
{
	return (value - p->scale.low) / (p->scale.high - p->scale.low);
}

/* Position along the value axis. */
double svg_value_px(const struct picture *p, double value)
{
	double share = share_of(p, value);

	return p->is_horizontal ? p->plot.left + share * (p->plot.right - p->plot.left)
				: p->plot.bottom - share * (p->plot.bottom - p->plot.top);
}

double svg_slot_px(const struct picture *p)
{
	double length_px =
		p->is_horizontal ? p->plot.bottom - p->plot.top : p->plot.right - p->plot.left;

	return p->is_timed ? length_px : length_px / (double)p->names.count;
}

/* Position along the other axis: the middle of a name's slot, or a time. */
double svg_x_px(const struct picture *p, double x)
{
	double from = p->is_horizontal ? p->plot.top : p->plot.left;
	double length_px = svg_slot_px(p);

	if (!p->is_timed)
		return from + (x + 0.5) * length_px;
	return from + (p->to > p->from ? (x - (double)p->from) / (double)(p->to - p->from) : 0.5) *
			      length_px;
}

static double widest_tick(const struct picture *p)
{
	const char *format = svg_member(json_object_get(p->y_axis, "axis"), "format");
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

double svg_widest_name(const struct picture *p)
{
	double widest = 0;

	for (size_t i = 0; i < p->names.count; i++)
		widest = fmax(widest, svg_text_width(p->names.list[i], FONT_PX));
	return widest;
}

bool svg_has_title(const json_t *axis)
{
	return *svg_member(axis, "title") != '\0';
}

double svg_entry_px(const struct picture *p, size_t series)
{
	return SWATCH_PX + GAP_PX / 2 + svg_text_width(p->series.list[series], FONT_PX) +
	       2 * GAP_PX;
}

/* Moves to the next row if the legend's entry does not fit. */
void svg_legend_step(const struct picture *p, size_t series, double *x, size_t *row)
{
	if (*x > EDGE_PX && *x + svg_entry_px(p, series) > p->width - EDGE_PX) {
		*x = EDGE_PX;
		(*row)++;
	}
}

size_t svg_legend_rows(const struct picture *p)
{
	double x = EDGE_PX;
	size_t row = 0;

	if (p->series.count < 2)
		return 0;
	for (size_t i = 0; i < p->series.count; i++) {
		svg_legend_step(p, i, &x, &row);
		x += svg_entry_px(p, i);
	}
	return row + 1;
}

bool svg_names_are_rotated(const struct picture *p)
{
	return !p->is_timed && !p->is_horizontal && svg_widest_name(p) > LABEL_CHARS * FONT_PX / 2;
}

/* Height needed below the plot. */
static double bottom_margin_px(const struct picture *p)
{
	double labels = FONT_PX;

	if (svg_names_are_rotated(p)) /* rotated by 45 degrees */
		labels = fmin(svg_widest_name(p), LABEL_PX_MAX) * M_SQRT1_2 + FONT_PX;
	return GAP_PX + labels +
	       (svg_has_title(p->is_horizontal ? p->y_axis : p->x_axis) ? LINE_PX : GAP_PX) +
	       (double)svg_legend_rows(p) * LINE_PX + EDGE_PX;
}

bool svg_place(struct picture *p)
{
	double labels =
		p->is_horizontal ? fmin(svg_widest_name(p), p->width * 0.4) : widest_tick(p);

	p->plot.left = EDGE_PX + labels + GAP_PX +
		       (svg_has_title(p->is_horizontal ? p->x_axis : p->y_axis) ? LINE_PX : 0);
	p->plot.top = EDGE_PX + TITLE_PX + LINE_PX;
	p->plot.right = p->width - EDGE_PX - FONT_PX * (p->is_timed ? 3 : 1); /* half a label */
	p->plot.bottom = p->height - bottom_margin_px(p);
	return p->plot.right - p->plot.left >= FONT_PX && p->plot.bottom - p->plot.top >= FONT_PX;
}
