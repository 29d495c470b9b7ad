/*
 * Renders a table's chart as a Vega-Lite v6 spec. Fields have fixed names (x, y, low, high,
 * series), since column names may contain dots and brackets, which the spec would interpret. Users
 * see labels. No part comes from a model.
 */
#include "chart_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/limits.h"

#define CHART_SCHEMA     "https://vega.github.io/schema/vega-lite/v6.json"
#define CHART_TEXT_BYTES 4096
#define LONG_NAME_CHARS  12 /* longer or many names need horizontal bars */
#define MANY_NAMES       8
/* Horizontal bars fit on one screen if their names have room. */
#define HORIZONTAL_BARS_PX 480
#define STEP_PX_MIN        14
#define STEP_PX_MAX        24

const char *view_chart_name(enum view_chart type)
{
	static const char *const names[] = {
		[CHART_LINE] = "line",       [CHART_AREA] = "area",
		[CHART_BAR] = "bar",         [CHART_GROUPED_BAR] = "grouped_bar",
		[CHART_LAYERED] = "layered",
	};

	return names[type];
}

static const char *label_of(const struct column *c)
{
	return c->label ? c->label : c->name;
}

/* ---- values ---- */

/* Coordinates are binary floats for the browser; the view's columns keep all digits. A missing
 * number has no member, so nothing is drawn. */
static json_t *number_json(const char *cell)
{
	return cell ? json_real(strtod(cell, NULL)) : NULL;
}

static json_t *cell_text(const struct chart *ch, const struct column *column, const char *cell)
{
	struct buf b;
	json_t *text;

	buf_init(&b, CHART_TEXT_BYTES);
	view_cell(&b, ch->result, column, cell);
	text = json_str(buf_text(&b));
	buf_deinit(&b);
	return text;
}

static const char *month_name(const struct chart *ch, long month)
{
	return language_text(ch->result->language,
			     SAY_MONTH_SHORT_JANUARY + (enum sentence)(month - 1));
}

/* Checks the number, since the cell may spell a month as 100e-1. */
static const char *month_of(const struct chart *ch, const char *cell)
{
	long month = strtol(cell, NULL, 10);

	return month >= 1 && month <= 12 ? month_name(ch, month) : cell;
}

static json_t *x_json(const struct chart *ch, const struct table *t, size_t row)
{
	const char *cell = t->rows[row][ch->x];

	switch (ch->axis) {
	case AXIS_HOUR:
	case AXIS_YEAR:
		return json_integer(strtol(cell, NULL, 10));
	case AXIS_MONTH:
		return json_str(month_of(ch, cell));
	case AXIS_DATE:
		return json_str(cell);
	default:
		return cell_text(ch, &t->columns[ch->x], cell);
	}
}

static json_t *series_json(const struct chart *ch, const struct table *t, size_t row,
			   size_t measure)
{
	struct buf b;
	json_t *text;

	if (ch->series_count == 0)
		return ch->measure_count > 1 ? json_str(label_of(&t->columns[measure])) : NULL;
	buf_init(&b, CHART_TEXT_BYTES);
	for (size_t i = 0; i < ch->series_count; i++) {
		const struct column *column = &t->columns[ch->series[i]];
		enum column_type plain = column->type == COLUMN_INT ? COLUMN_TEXT : column->type;
		struct column shown = *column;

		shown.type = plain; /* years are names here: no digit grouping */
		buf_str(&b, i ? ", " : "");
		view_cell(&b, ch->result, &shown, t->rows[row][ch->series[i]]);
	}
	text = json_str(buf_text(&b));
	buf_deinit(&b);
	return text;
}

static json_t *values_json(const struct chart *ch, const struct table *t)
{
	json_t *values = json_array();

	for (size_t row = 0; row < t->row_count; row++)
		for (size_t m = 0; m < ch->measure_count; m++) {
			json_t *value = json_object();

			json_set_take(value, "x", x_json(ch, t, row));
			json_set_take(value, "y", number_json(t->rows[row][ch->measures[m]]));
			if (ch->has_band) {
				json_set_take(value, "low", number_json(t->rows[row][ch->low]));
				json_set_take(value, "high", number_json(t->rows[row][ch->high]));
			}
			json_set_take(value, "series", series_json(ch, t, row, ch->measures[m]));
			json_push_take(values, value);
		}
	return values;
}

/* ---- encoding ---- */

/* The page's locale prints "$" as the dollar. Other currencies appear only in the axis title. */
static const char *number_format(const struct units *units, const char *symbol)
{
	const struct unit_def *u = units_find(units, symbol);
	bool is_usd = u && u->symbol[0] == '$';

	if (u && u->style == STYLE_MONEY)
		return is_usd ? "$.3~s" : ".3~s";
	if (u && u->style == STYLE_MONEY_PER)
		return is_usd ? "$,.2f" : ",.2f";
	return ",.12~g";
}

static const char *measure_title(const struct chart *ch, const struct table *t, struct buf *b)
{
	const struct column *column = &t->columns[ch->measures[0]];

	buf_reset(b);
	if (ch->measure_count == 1)
		buf_str(b, label_of(column));
	if (column->unit)
		buf_printf(b, "%s%s%s", ch->measure_count == 1 ? " (" : "", column->unit,
			   ch->measure_count == 1 ? ")" : "");
	return buf_text(b);
}

static bool is_bar(const struct chart *ch)
{
	return ch->type == CHART_BAR || ch->type == CHART_GROUPED_BAR;
}

/* Lines may start at the lowest value; filled marks must start at zero. */
static json_t *y_json(const struct chart *ch, const struct table *t, const char *field)
{
	const char *format = number_format(ch->result->units, t->columns[ch->measures[0]].unit);
	bool filled = is_bar(ch) || ch->type == CHART_AREA;
	struct buf b;
	json_t *y;

	buf_init(&b, CHART_TEXT_BYTES);
	measure_title(ch, t, &b);
	y = json_make({"field", json_str(field)}, {"type", json_str("quantitative")},
		      {"axis", json_make({"format", json_str(format)})},
		      {"scale", json_make({"zero", json_boolean(filled)})});
	json_set_str(y, "title", buf_text(&b));
	buf_deinit(&b);
	return y;
}

static bool are_all_first_of_month(const struct table *t, size_t x)
{
	for (size_t row = 0; row < t->row_count; row++)
		if (strlen(t->rows[row][x]) < 10 || memcmp(t->rows[row][x] + 8, "01", 2) != 0)
			return false;
	return true;
}

/* Distinct texts of one member, in the order of the rows, which is meaningful. */
static json_t *order_of(const json_t *values, const char *member)
{
	json_t *order = json_array(), *seen = json_object(), *value;
	size_t i;

	json_array_foreach(values, i, value) {
		const char *text = json_string_value(json_object_get(value, member));

		if (!text || json_object_get(seen, text))
			continue;
		json_set_bool(seen, text, true);
		json_push_take(order, json_str(text));
	}
	json_decref(seen);
	return order;
}

static json_t *month_order(const struct chart *ch)
{
	json_t *order = json_array();

	for (long m = 1; m <= 12; m++)
		json_push_take(order, json_str(month_name(ch, m)));
	return order;
}

/* Dates are drawn in UTC, so that a day is the same in every browser's time zone. */
static json_t *x_encoding(const struct chart *ch, const struct table *t, const json_t *values)
{
	json_t *x = json_make({"field", json_str("x")},
			      {"type", json_str(ch->axis == AXIS_DATE    ? "temporal"
						: ch->axis == AXIS_NAMES ? "nominal"
									 : "ordinal")});

	json_set_str(x, "title", label_of(&t->columns[ch->x]));
	switch (ch->axis) {
	case AXIS_DATE:
		json_set_str(x, "timeUnit",
			     are_all_first_of_month(t, ch->x) ? "utcyearmonth"
			     : t->columns[ch->x].type == COLUMN_DATETIME
				     ? "utcyearmonthdatehoursminutes"
				     : "utcyearmonthdate");
		break;
	case AXIS_MONTH:
		json_set_take(x, "sort", month_order(ch));
		break;
	case AXIS_NAMES:
		json_set_take(x, "sort", order_of(values, "x"));
		break;
	default:
		break;
	}
	if (ch->axis == AXIS_HOUR || ch->axis == AXIS_YEAR)
		json_set_take(x, "axis", json_make({"labelAngle", json_int(0)}));
	return x;
}

static json_t *color_json(const struct chart *ch, const struct table *t, const json_t *values)
{
	return json_make(
		{"field", json_str("series")}, {"type", json_str("nominal")},
		{"sort", order_of(values, "series")},
		{"title",
		 json_str(ch->series_count == 1 ? label_of(&t->columns[ch->series[0]]) : "")});
}

static bool has_series(const struct chart *ch)
{
	return ch->series_count > 0 || ch->measure_count > 1;
}

static bool has_horizontal_bars(const struct chart *ch, const struct table *t)
{
	if (!is_bar(ch) || ch->axis != AXIS_NAMES)
		return false;
	if (t->stats[ch->x].distinct > MANY_NAMES)
		return true;
	for (size_t row = 0; row < t->row_count; row++)
		if (strlen(t->rows[row][ch->x]) > LONG_NAME_CHARS)
			return true;
	return false;
}

static json_t *encoding_json(const struct chart *ch, const struct table *t, const json_t *values,
			     bool is_horizontal)
{
	json_t *encoding = json_object();
	json_t *x = x_encoding(ch, t, values), *y = y_json(ch, t, "y");

	json_set_take(encoding, is_horizontal ? "y" : "x", x);
	json_set_take(encoding, is_horizontal ? "x" : "y", y);
	if (is_horizontal) { /* the chart's title names the axis, and labels must not overlap */
		json_set_str(x, "title", "");
		json_set_bool(json_object_get(y, "axis"), "labelFlush", false);
	}
	if (has_series(ch))
		json_set_take(encoding, "color", color_json(ch, t, values));
	if (ch->type == CHART_GROUPED_BAR)
		json_set_take(encoding, is_horizontal ? "yOffset" : "xOffset",
			      json_make({"field", json_str("series")},
					{"sort", order_of(values, "series")}));
	return encoding;
}

static json_t *mark_json(enum view_chart type)
{
	switch (type) {
	case CHART_AREA:
		return json_make({"type", json_str("area")}, {"line", json_true()},
				 {"opacity", json_decimal("0.7")}, {"tooltip", json_true()});
	case CHART_BAR:
	case CHART_GROUPED_BAR:
		return json_make({"type", json_str("bar")}, {"tooltip", json_true()});
	default:
		return json_make({"type", json_str("line")}, {"point", json_true()},
				 {"tooltip", json_true()});
	}
}

/* Layers the measure's line over the band from lowest to highest. */
static void add_layers(json_t *spec, const struct chart *ch, const struct table *t,
		       const json_t *values)
{
	json_t *low = y_json(ch, t, "low"), *layers;

	json_set_take(spec, "encoding", json_make({"x", x_encoding(ch, t, values)}));
	layers = json_list_of(json_make(
		{"mark", json_make({"type", json_str("area")}, {"opacity", json_decimal("0.25")})},
		{"encoding",
		 json_make({"y", low}, {"y2", json_make({"field", json_str("high")})})}));
	json_push_take(layers, json_make({"mark", mark_json(CHART_LINE)},
					 {"encoding", json_make({"y", y_json(ch, t, "y")})}));
	json_set_take(spec, "layer", layers);
}

/* ---- texts ---- */

static void add_title(struct buf *b, const struct chart *ch, const struct table *t)
{
	const struct language *l = ch->result->language;

	for (size_t m = 0; m < ch->measure_count; m++)
		buf_printf(b, "%s%s",
			   m == 0                      ? ""
			   : m + 1 < ch->measure_count ? ", "
						       : language_text(l, SAY_ASK_AND),
			   label_of(&t->columns[ch->measures[m]]));
	sentence_put(b, l, SAY_CHART_BY, label_of(&t->columns[ch->x]));
}

/* Writes " lowest $31.20/MWh (Hour 3)". */
static void add_extreme(struct buf *b, const struct chart *ch, const struct table *t,
			enum sentence word, const char *value, int64_t row)
{
	struct column x = t->columns[ch->x];

	if (!value || row < 0 || row >= (int64_t)t->row_count)
		return;
	if (ch->axis == AXIS_YEAR)
		x.type = COLUMN_TEXT;
	buf_printf(b, " %s ", language_text(ch->result->language, word));
	view_number(b, ch->result->units, value, t->columns[ch->measures[0]].unit);
	buf_str(b, " (");
	if (ch->axis == AXIS_HOUR || ch->axis == AXIS_MONTH || ch->axis == AXIS_YEAR)
		buf_printf(b, "%s ", label_of(&t->columns[ch->x]));
	view_cell(b, ch->result, &x, t->rows[row][ch->x]);
	buf_char(b, ')');
}

static void add_alt(struct buf *b, const struct chart *ch, const struct table *t)
{
	static const enum sentence kinds[] = {
		[CHART_LINE] = SAY_CHART_LINE,       [CHART_AREA] = SAY_CHART_AREA,
		[CHART_BAR] = SAY_CHART_BAR,         [CHART_GROUPED_BAR] = SAY_CHART_GROUPED_BAR,
		[CHART_LAYERED] = SAY_CHART_LAYERED,
	};
	const struct language *l = ch->result->language;
	const struct column_stats *s = &t->stats[ch->measures[0]];

	buf_printf(b, "%s: ", language_text(l, kinds[ch->type]));
	add_title(b, ch, t);
	if (ch->series_count > 0)
		sentence_put(b, l, SAY_CHART_EACH, label_of(&t->columns[ch->series[0]]));
	buf_char(b, '.');
	if (!s->numeric)
		return;
	buf_printf(b, " %s:", label_of(&t->columns[ch->measures[0]]));
	add_extreme(b, ch, t, SAY_CHART_LOWEST, s->min, s->min_row);
	buf_char(b, ',');
	add_extreme(b, ch, t, SAY_CHART_HIGHEST, s->max, s->max_row);
	buf_char(b, '.');
}

/* ---- the view ---- */

/* Height per name, independent of its number of bars. */
static json_t *horizontal_bars_height(int64_t names)
{
	int64_t step = HORIZONTAL_BARS_PX / names;

	step = step < STEP_PX_MIN ? STEP_PX_MIN : step > STEP_PX_MAX ? STEP_PX_MAX : step;
	return json_make({"step", json_int(step)}, {"for", json_str("position")});
}

static json_t *spec_json(const struct chart *ch, const struct table *t, const char *alt)
{
	bool is_horizontal = has_horizontal_bars(ch, t);
	json_t *spec = json_object(), *values = values_json(ch, t);
	struct buf title;

	buf_init(&title, CHART_TEXT_BYTES);
	add_title(&title, ch, t);
	json_set_str(spec, "$schema", CHART_SCHEMA);
	json_set_str(spec, "title", buf_text(&title));
	json_set_str(spec, "description", alt);
	json_set_str(spec, "width", "container");
	if (is_horizontal)
		json_set_take(spec, "height", horizontal_bars_height(t->stats[ch->x].distinct));
	else
		json_set_int(spec, "height", 240);
	json_set_take(spec, "data", json_make({"values", values}));
	if (ch->type == CHART_LAYERED) {
		add_layers(spec, ch, t, values);
	} else {
		json_set_take(spec, "mark", mark_json(ch->type));
		json_set_take(spec, "encoding", encoding_json(ch, t, values, is_horizontal));
	}
	json_set_take(spec, "config",
		      json_make({"view", json_make({"stroke", json_str("transparent")})}));
	buf_deinit(&title);
	return spec;
}

static size_t columns_in_chart(const struct chart *ch, size_t *columns)
{
	size_t n = 0;

	for (size_t i = 0; i < ch->series_count; i++)
		columns[n++] = ch->series[i];
	columns[n++] = ch->x;
	for (size_t m = 0; m < ch->measure_count; m++)
		columns[n++] = ch->measures[m];
	if (ch->has_band) {
		columns[n++] = ch->low;
		columns[n++] = ch->high;
	}
	return n;
}

/* One chart per result. A further table with a time axis is preferred to bars of the main table. */
static const struct table *find_table(const struct result *r, enum view_chart_preference preference,
				      struct chart *out)
{
	const struct table *found = NULL;

	for (size_t i = 0; i < r->table_count; i++) {
		struct chart ch;

		if (!chart_choose(r->tables[i], preference, &ch) ||
		    (found &&
		     (out->axis != AXIS_NAMES || ch.axis == AXIS_NAMES || ch.measure_count > 1)))
			continue;
		found = r->tables[i];
		*out = ch;
	}
	return found;
}

static void write_tree(struct json_out *j, json_t *take)
{
	char *text = json_text(take);

	jo_raw(j, str_of(text));
	mem_free(text);
	json_decref(take);
}

bool view_chart(struct buf *out, const struct result *r, const char *view_id,
		enum view_chart_preference preference)
{
	size_t columns[CHART_SERIES_MAX + 1 + CHART_MEASURES_MAX + 2];
	struct view_part part = {.type = "chart", .id = view_id, .columns = columns};
	const struct table *t;
	struct chart ch;
	struct json_out j;
	struct buf alt;

	t = find_table(r, preference, &ch);
	if (!t)
		return false;
	ch.result = r;
	buf_init(&alt, CHART_TEXT_BYTES);
	add_alt(&alt, &ch, t);
	part.column_count = columns_in_chart(&ch, columns);
	part.row_count = t->row_count;
	part.cut = (struct view_truncation){t->truncated, t->truncation};
	jo_init(&j, out);
	jo_object(&j);
	view_columns(&j, r, t, &part);
	jo_set_str(&j, "chart_type", view_chart_name(ch.type));
	jo_key(&j, "chart_spec");
	write_tree(&j, spec_json(&ch, t, buf_text(&alt)));
	jo_set_str(&j, "alt", buf_text(&alt));
	jo_object_end(&j);
	buf_deinit(&alt);
	return true;
}
