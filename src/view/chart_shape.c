/*
 * Chooses a chart from the table's shape: axis, measures, and series. An ambiguous table gets no
 * chart, since a wrong chart is worse than none, and the table is always shown.
 */
#include "chart_int.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "vesper/limits.h"

static bool ends_with(const char *text, const char *end)
{
	return str_ends(str_of(text), str_of(end)) ||
	       (strlen(text) == strlen(end) && strcasecmp(text, end) == 0);
}

static bool is_within(const struct column_stats *s, long low, long high)
{
	return s->numeric && s->min && s->max && strtol(s->min, NULL, 10) >= low &&
	       strtol(s->max, NULL, 10) <= high;
}

/* Integers that are not quantities: hour of day, month, year. */
static bool is_calendar(const struct table *t, size_t c, enum chart_axis *axis)
{
	static const struct {
		const char *name;
		enum chart_axis axis;
		long low, high;
	} rows[] = {
		{"Hour", AXIS_HOUR, 0, 23},
		{"Month", AXIS_MONTH, 1, 12},
		{"Year", AXIS_YEAR, 1900, 2200},
	};

	if (t->columns[c].type != COLUMN_INT || t->columns[c].unit)
		return false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (ends_with(t->columns[c].name, rows[i].name) &&
		    is_within(&t->stats[c], rows[i].low, rows[i].high)) {
			*axis = rows[i].axis;
			return true;
		}
	return false;
}

static bool is_date(const struct column *c)
{
	return column_is_day(c->type);
}

static bool varies(const struct table *t, size_t c)
{
	return t->stats[c].distinct > 1 && t->stats[c].nulls == 0;
}

/* Names of entities. An as-of label names a version of the same numbers: it may be a series, but
 * not the axis. */
static bool is_name(const struct table *t, size_t c)
{
	return t->columns[c].type == COLUMN_TEXT && varies(t, c) &&
	       !ends_with(t->columns[c].name, "AsOf");
}

static bool is_unique_per_row(const struct table *t, size_t c)
{
	return is_name(t, c) && t->stats[c].distinct == (int64_t)t->row_count;
}

/* The finest time column. An earlier column that names each row is preferred: the dates are then
 * attributes of the names. */
static bool find_axis(const struct table *t, struct chart *ch)
{
	static const int rank[] = {
		[AXIS_HOUR] = 4, [AXIS_DATE] = 3, [AXIS_MONTH] = 2, [AXIS_YEAR] = 1};
	int best = 0;

	for (size_t c = 0; c < t->column_count; c++) {
		enum chart_axis axis = AXIS_DATE;

		if (!varies(t, c) || t->columns[c].priority == PRIORITY_LOW)
			continue;
		if (is_unique_per_row(t, c) && best == 0) {
			ch->axis = AXIS_NAMES;
			ch->x = c;
			return true;
		}
		if ((is_date(&t->columns[c]) || is_calendar(t, c, &axis)) && rank[axis] > best) {
			best = rank[axis];
			ch->axis = axis;
			ch->x = c;
		}
	}
	return best > 0;
}

/* For repeated names, the column with most values is the axis, and another one is the series. */
static bool find_name_axis(const struct table *t, struct chart *ch)
{
	int64_t best = 0;

	for (size_t c = 0; c < t->column_count; c++)
		if (is_name(t, c) && t->columns[c].priority != PRIORITY_LOW &&
		    t->stats[c].distinct > best) {
			best = t->stats[c].distinct;
			ch->axis = AXIS_NAMES;
			ch->x = c;
		}
	return best > 0;
}

static bool is_measure(const struct table *t, size_t c, const struct chart *ch)
{
	const struct column_stats *s = &t->stats[c];
	enum chart_axis axis;

	return column_is_number(t->columns[c].type) && c != ch->x && s->numeric &&
	       t->columns[c].priority != PRIORITY_LOW && s->count >= 2 &&
	       s->nulls * 2 <= (int64_t)t->row_count && !is_calendar(t, c, &axis) &&
	       strcasecmp(t->columns[c].name, "id") != 0 && !ends_with(t->columns[c].name, "Id") &&
	       !ends_with(t->columns[c].name, "ID");
}

static bool has_same_unit(const struct column *a, const struct column *b)
{
	return a->unit && b->unit && strcmp(a->unit, b->unit) == 0;
}

/* Ranks measures: varying before constant, then by priority, then those with a unit. */
static int measure_rank(const struct table *t, size_t c)
{
	return (t->stats[c].distinct > 1 ? 8 : 0) + (int)t->columns[c].priority * 2 +
	       (t->columns[c].unit ? 1 : 0);
}

static bool is_interval_bound(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (strncasecmp(name, *words, strlen(*words)) == 0)
			return true;
	return false;
}

static bool is_min(const char *name)
{
	return is_interval_bound(name, (const char *const[]){"Min", "Low", NULL});
}

static bool is_max(const char *name)
{
	return is_interval_bound(name, (const char *const[]){"Max", "High", NULL});
}

static bool find_measures(const struct table *t, struct chart *ch)
{
	int best = -1;
	bool low = false, high = false;

	for (size_t c = 0; c < t->column_count; c++)
		if (is_measure(t, c, ch) && !is_min(t->columns[c].name) &&
		    !is_max(t->columns[c].name) && measure_rank(t, c) > best) {
			best = measure_rank(t, c);
			ch->measures[0] = c;
		}
	if (best < 0)
		return false;
	ch->measure_count = 1;
	for (size_t c = 0; c < t->column_count; c++) {
		const struct column *column = &t->columns[c];

		if (c == ch->measures[0] || !is_measure(t, c, ch) ||
		    !has_same_unit(column, &t->columns[ch->measures[0]]))
			continue;
		if (is_min(column->name)) {
			low = true;
			ch->low = c;
		} else if (is_max(column->name)) {
			high = true;
			ch->high = c;
		} else if (ch->measure_count < CHART_MEASURES_MAX && t->stats[c].distinct > 1) {
			ch->measures[ch->measure_count++] = c;
		}
	}
	ch->has_band = low && high && t->stats[ch->low].nulls == 0 && t->stats[ch->high].nulls == 0;
	return true;
}

struct row_order {
	const struct table *t;
	const size_t *columns;
	size_t count;
};

static int compare_rows(const void *a, const void *b, void *owner)
{
	const struct row_order *o = owner;
	size_t left = *(const size_t *)a, right = *(const size_t *)b;

	for (size_t i = 0; i < o->count; i++) {
		int c = strcmp(o->t->rows[left][o->columns[i]], o->t->rows[right][o->columns[i]]);

		if (c != 0)
			return c;
	}
	return 0;
}

/* Counts distinct combinations of these columns, which have no NULL. */
static size_t count_distinct(const struct table *t, const size_t *columns, size_t count)
{
	size_t rows[CHART_ROWS_MAX], distinct = 1;
	struct row_order order = {t, columns, count};

	for (size_t r = 0; r < t->row_count; r++)
		rows[r] = r;
	qsort_r(rows, t->row_count, sizeof(rows[0]), compare_rows, &order);
	for (size_t r = 1; r < t->row_count; r++)
		distinct += compare_rows(&rows[r - 1], &rows[r], &order) != 0;
	return distinct;
}

static bool are_points_unique(const struct table *t, struct chart *ch)
{
	size_t columns[1 + CHART_SERIES_MAX] = {ch->x};

	memcpy(columns + 1, ch->series, ch->series_count * sizeof(columns[0]));
	return count_distinct(t, columns, 1 + ch->series_count) == t->row_count;
}

/* Finds the fewest columns, leftmost first, that make each point unique. */
static bool find_series(const struct table *t, struct chart *ch)
{
	size_t candidates[32], n = 0;

	if (are_points_unique(t, ch))
		return true;
	for (size_t c = 0; c < t->column_count && n < 32; c++) {
		enum chart_axis axis;

		if (c != ch->x && varies(t, c) &&
		    (t->columns[c].type == COLUMN_TEXT || is_calendar(t, c, &axis)))
			candidates[n++] = c;
	}
	for (size_t i = 0; i < n; i++) {
		ch->series_count = 1;
		ch->series[0] = candidates[i];
		if (are_points_unique(t, ch))
			return true;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++) {
			ch->series_count = 2;
			ch->series[0] = candidates[i];
			ch->series[1] = candidates[k];
			if (are_points_unique(t, ch))
				return true;
		}
	return false;
}

static enum view_chart default_type(const struct chart *ch, size_t points)
{
	bool has_series = ch->series_count > 0 || ch->measure_count > 1;

	if (ch->axis == AXIS_NAMES || points < CHART_LINE_POINTS_MIN)
		return has_series ? CHART_GROUPED_BAR : CHART_BAR;
	if (ch->has_band)
		return CHART_LAYERED;
	return ch->axis == AXIS_HOUR && !has_series ? CHART_AREA : CHART_LINE;
}

static enum view_chart preferred_type(enum view_chart by_default,
				      enum view_chart_preference preference, const struct chart *ch,
				      size_t points)
{
	bool has_series = ch->series_count > 0 || ch->measure_count > 1;
	bool ordered = ch->axis != AXIS_NAMES && points >= CHART_LINE_POINTS_MIN;

	if (preference == CHART_AS_BAR && points <= CHART_BARS_MAX)
		return has_series ? CHART_GROUPED_BAR : CHART_BAR;
	if (preference == CHART_AS_LINE && ordered)
		return CHART_LINE;
	if (preference == CHART_AS_AREA && ordered && !has_series)
		return CHART_AREA;
	return by_default;
}

bool chart_choose(const struct table *t, enum view_chart_preference preference, struct chart *out)
{
	struct chart ch = {0};
	size_t points;

	if (preference == CHART_AS_TABLE || t->truncated || !t->stats || t->row_count < 2 ||
	    t->row_count > CHART_ROWS_MAX)
		return false;
	if ((!find_axis(t, &ch) && !find_name_axis(t, &ch)) || !find_measures(t, &ch) ||
	    !find_series(t, &ch))
		return false;
	if (ch.series_count > 0) { /* one measure per series, for readability */
		ch.measure_count = 1;
		ch.has_band = false;
		if (count_distinct(t, ch.series, ch.series_count) > CHART_SERIES_COUNT_MAX)
			return false;
	}
	if (ch.has_band)
		ch.measure_count = 1;
	points = count_distinct(t, &ch.x, 1);
	ch.type = preferred_type(default_type(&ch, points), preference, &ch, points);
	if (ch.type != CHART_LAYERED)
		ch.has_band = false;
	if ((ch.type == CHART_BAR || ch.type == CHART_GROUPED_BAR) && points > CHART_BARS_MAX)
		return false;
	if (preference == CHART_NO_PREFERENCE && ch.type == CHART_BAR && ch.axis == AXIS_NAMES &&
	    points < CHART_NAMES_MIN)
		return false;
	*out = ch;
	return true;
}
