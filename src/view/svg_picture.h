/* A chart being drawn: data read from its view, and positions. */
#ifndef VESPER_SVG_PICTURE_H
#define VESPER_SVG_PICTURE_H

#include <jansson.h>

#include "svg_int.h"
#include "vesper/arena.h"
#include "vesper/err.h"

#define FONT_PX      12.0
#define TITLE_PX     15.0
#define EDGE_PX      14.0 /* outer margin */
#define GAP_PX       8.0  /* between an axis and its labels */
#define LINE_PX      18.0 /* line height */
#define SWATCH_PX    12.0
#define LABEL_PX_MAX 110.0

struct point {
	double x;            /* index of the name, or minutes */
	double y, low, high; /* NAN: none */
	size_t series;
};

struct picture {
	const json_t *view, *spec, *x_axis, *y_axis;
	const char *type; /* chart type */
	struct arena *arena;
	struct buf *out;
	double width, height;
	struct {
		struct point *list;
		size_t count;
	} points;
	struct {
		const char **list; /* in axis order */
		size_t count;
		json_t *index; /* index by name */
	} names, series;
	bool is_timed, is_horizontal;
	int64_t from, to; /* of a time axis, in minutes */
	struct svg_scale scale;
	struct {
		double left, top, right, bottom;
	} plot;
};

/* ---- svg_read.c ---- */

/* Reads p->view into the other members. False: the view is not a chart that can be drawn. */
MUST_CHECK bool svg_read(struct picture *p);
/* A string member of the object, or "". */
const char *svg_member(const json_t *object, const char *name);
bool svg_is_bar(const struct picture *p);
bool svg_is_type(const struct picture *p, const char *type);

/* ---- svg_place.c: in pixels ---- */

/* Computes the plot's position. False: the picture is too small for it. */
MUST_CHECK bool svg_place(struct picture *p);
/* Positions along the value axis and along the other axis. */
double svg_value_px(const struct picture *p, double value);
double svg_x_px(const struct picture *p, double x);
/* Width or height available for one name. */
double svg_slot_px(const struct picture *p);
double svg_widest_name(const struct picture *p);
bool svg_has_title(const json_t *axis);
/* Names along the bottom are rotated by 45 degrees. */
bool svg_names_are_rotated(const struct picture *p);
double svg_entry_px(const struct picture *p, size_t series);
void svg_legend_step(const struct picture *p, size_t series, double *x, size_t *row);
size_t svg_legend_rows(const struct picture *p);

#endif
