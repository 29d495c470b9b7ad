/* Internals of charts: which columns of a table form a chart, and of which type. */
#ifndef VESPER_CHART_INT_H
#define VESPER_CHART_INT_H

#include "view_int.h"

#define CHART_MEASURES_MAX 3
#define CHART_SERIES_MAX   2

enum chart_axis { AXIS_NAMES, AXIS_HOUR, AXIS_DATE, AXIS_MONTH, AXIS_YEAR };

struct chart {
	const struct result *result;
	enum view_chart type;
	enum chart_axis axis;
	size_t x;
	/* Columns with the same unit. Several without a series become series named by their
	 * labels. */
	size_t measures[CHART_MEASURES_MAX];
	size_t measure_count;
	bool has_band; /* low and high surround the only measure */
	size_t low, high;
	/* Text or calendar columns that distinguish rows with the same x. */
	size_t series[CHART_SERIES_MAX];
	size_t series_count;
};

/* False: no chart suits the table. */
bool chart_choose(const struct table *t, enum view_chart_preference preference, struct chart *out);

#endif
