/* Pictures of charts: positions of shapes, and escaping of all texts of a view. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "svg_int.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/view.h"

static struct buf out;

static int set_up(void **state)
{
	(void)state;
	buf_init(&out, SVG_BYTES_MAX * 2);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	buf_deinit(&out);
	return 0;
}

/* Returns a chart view of this type with these axes and values. */
static json_t *view_of(const char *type, const char *axes, const char *values)
{
	char *text = mem_printf("{\"view_type\":\"chart\",\"chart_type\":\"%s\",\"alt\":\"Text.\","
				"\"chart_spec\":{\"title\":\"Title\",\"encoding\":{%s},"
				"\"data\":{\"values\":[%s]}}}",
				type, axes, values);
	json_t *json = NULL;

	assert_true(json_parse(text, strlen(text), strlen(text), &json, NULL));
	mem_free(text);
	return json;
}

#define NAMES_AXES                                                                                 \
	"\"x\":{\"type\":\"nominal\",\"title\":\"Market\",\"sort\":[\"B\",\"A\"]},"                \
	"\"y\":{\"type\":\"quantitative\",\"axis\":{\"format\":\"$,.2f\"},\"scale\":{\"zero\":"    \
	"true}}"
#define HOUR_AXES                                                                                  \
	"\"x\":{\"type\":\"ordinal\",\"title\":\"Hour\"},"                                         \
	"\"y\":{\"type\":\"quantitative\",\"axis\":{\"format\":\",.12~g\"},"                       \
	"\"scale\":{\"zero\":false}}"
#define DATE_AXES                                                                                  \
	"\"x\":{\"type\":\"temporal\",\"timeUnit\":\"utcyearmonthdate\"},"                         \
	"\"y\":{\"type\":\"quantitative\",\"axis\":{\"format\":\"$.3~s\"},\"scale\":{\"zero\":"    \
	"false}}"

static bool draw_view(json_t *view)
{
	bool drawn;

	buf_reset(&out);
	drawn = view_svg(&out, view, NULL);
	json_decref(view);
	return drawn;
}

static bool draw(const char *type, const char *axes, const char *values)
{
	return draw_view(view_of(type, axes, values));
}

static size_t count_text(const char *text)
{
	size_t n = 0;

	for (const char *at = buf_text(&out); (at = strstr(at, text)); at++)
		n++;
	return n;
}

static void assert_contains(const char *text)
{
	if (!strstr(buf_text(&out), text))
		fail_msg("no %s in %s", text, buf_text(&out));
}

/* Returns an attribute of the n-th element that begins with this text. */
static double attribute(const char *element, size_t n, const char *name)
{
	const char *at = buf_text(&out);
	char *key = mem_printf(" %s=\"", name);
	double value;

	for (size_t i = 0; i <= n; i++)
		assert_non_null(at = strstr(at, element) + strlen(element));
	assert_non_null(at = strstr(at, key));
	value = strtod(at + strlen(key), NULL);
	mem_free(key);
	return value;
}

static void bar_length_matches_value(void **state)
{
	double low, high;

	(void)state;
	assert_true(draw("bar", NAMES_AXES, "{\"x\":\"A\",\"y\":10},{\"x\":\"B\",\"y\":40}"));
	low = attribute("<rect", 1, "height");
	high = attribute("<rect", 2, "height");
	assert_true(fabs(high - 4 * low) < 0.3);
	/* The order of the spec: B before A. */
	assert_true(strstr(buf_text(&out), ">B<") < strstr(buf_text(&out), ">A<"));
	assert_contains("<title>Title</title>");
	assert_contains("<desc>Text.</desc>");
	assert_contains(">$40<");
	assert_contains(">Market<");
}

/* Numbers of stored views are parsed with their exact digits. */
static void reads_exact_decimals(void **state)
{
	json_t *value = json_object(), *view = view_of("bar", NAMES_AXES, "");

	(void)state;
	json_set_str(value, "x", "A");
	json_set_take(value, "y", json_decimal("40.5"));
	json_push_take(json_object_get(json_object_get(json_object_get(view, "chart_spec"), "data"),
				       "values"),
		       value);
	assert_true(draw_view(view));
	assert_contains(">$40<");
}

static void negative_bars_start_at_zero(void **state)
{
	(void)state;
	assert_true(draw("bar", NAMES_AXES, "{\"x\":\"A\",\"y\":-10},{\"x\":\"B\",\"y\":10}"));
	assert_true(fabs(attribute("<rect", 2, "y") + attribute("<rect", 2, "height") -
			 attribute("<rect", 1, "y")) < 0.2);
	assert_contains(">-$10<");
	assert_null(strstr(buf_text(&out), "-$0"));
}

static void draws_series_side_by_side_with_legend(void **state)
{
	(void)state;
	assert_true(draw("grouped_bar", NAMES_AXES,
			 "{\"x\":\"A\",\"y\":1,\"series\":\"Budget\"},"
			 "{\"x\":\"A\",\"y\":2,\"series\":\"Spent\"},"
			 "{\"x\":\"B\",\"y\":3,\"series\":\"Budget\"}"));
	assert_int_equal(count_text("fill=\"#2a9d8f\""), 3); /* two bars, one swatch */
	assert_int_equal(count_text("fill=\"#e09f3e\""), 2);
	assert_true(fabs(attribute("<rect", 1, "x") + attribute("<rect", 1, "width") -
			 attribute("<rect", 2, "x")) < 0.2);
	assert_contains(">Budget<");
}

static void gap_interrupts_line(void **state)
{
	(void)state;
	assert_true(draw("line", HOUR_AXES,
			 "{\"x\":2,\"y\":5},{\"x\":0,\"y\":1},{\"x\":1,\"y\":2},{\"x\":3},"
			 "{\"x\":10,\"y\":7},{\"x\":9,\"y\":6}"));
	assert_int_equal(count_text("<path "), 2);
	assert_int_equal(count_text("<circle "), 5);
	/* Hours are sorted as numbers, not as texts. */
	assert_true(strstr(buf_text(&out), ">9<") < strstr(buf_text(&out), ">10<"));
}

static void band_surrounds_its_line(void **state)
{
	(void)state;
	assert_true(draw("layered", HOUR_AXES,
			 "{\"x\":0,\"y\":5,\"low\":1,\"high\":9},{\"x\":1,\"y\":6,\"low\":2,"
			 "\"high\":8}"));
	assert_int_equal(count_text("fill-opacity=\"0.25\""), 1);
	assert_contains(
		">10<"); /* the axis includes the maximum of the band, not only that of the line */
}

static void places_dates_by_time(void **state)
{
	(void)state;
	assert_true(
		draw("line", DATE_AXES,
		     "{\"x\":\"2025-01-01\",\"y\":1000000},{\"x\":\"2025-01-02\",\"y\":1500000},"
		     "{\"x\":\"2025-01-05\",\"y\":2000000}"));
	assert_true(fabs((attribute("<circle", 1, "cx") - attribute("<circle", 0, "cx")) * 4 -
			 (attribute("<circle", 2, "cx") - attribute("<circle", 0, "cx"))) < 0.5);
	assert_contains(">2025-01-05<");
	assert_contains(">$1.2M<");
}

static void escapes_texts(void **state)
{
	(void)state;
	assert_true(draw("bar", NAMES_AXES,
			 "{\"x\":\"<script>alert(1)</script>\",\"y\":1},"
			 "{\"x\":\"]]>&\\\"'\\u0001\\uffff\",\"y\":2},"
			 "{\"x\":\"\\u202e\\u05d0\\u05d1\",\"y\":3}"));
	assert_null(strstr(buf_text(&out), "<script"));
	assert_null(strchr(buf_text(&out), '\1'));
	assert_contains("]]&gt;&amp;&quot;&#39;<");
	assert_int_equal(count_text("<![CDATA["), 0);
}

static void truncates_long_label(void **state)
{
	char name[10001];
	char *values;

	(void)state;
	memset(name, 'W', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	values = mem_printf("{\"x\":\"%s\",\"y\":1},{\"x\":\"A\",\"y\":2}", name);
	assert_true(draw("bar", NAMES_AXES, values));
	assert_contains("WW…");
	assert_true(out.n < 4096);
	mem_free(values);
}

static void uses_size_of_caller(void **state)
{
	const struct svg_size narrow = {SVG_SIDE_MIN_PX, SVG_SIDE_MIN_PX};
	json_t *view = view_of("bar", NAMES_AXES, "{\"x\":\"A\",\"y\":1},{\"x\":\"B\",\"y\":2}");

	(void)state;
	buf_reset(&out);
	assert_true(view_svg(&out, view, &narrow));
	assert_contains("viewBox=\"0 0 200 200\"");
	buf_reset(&out);
	assert_true(view_svg(&out, view, NULL));
	assert_contains("viewBox=\"0 0 720 400\"");
	json_decref(view);
}

static void invalid_spec_has_no_picture(void **state)
{
	static const char *const values[] = {
		"",
		"{\"x\":\"A\"}",
		"{\"y\":1}",
		"{\"x\":null,\"y\":1}",
		"{\"x\":[1],\"y\":1}",
		"7",
		"{\"x\":\"A\",\"y\":1e308},{\"x\":\"B\",\"y\":-1e308}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (draw("bar", NAMES_AXES, values[i]))
			fail_msg("drawn: %s", values[i]);
	assert_false(draw("pie", NAMES_AXES, "{\"x\":\"A\",\"y\":1}"));
	assert_false(draw("line", DATE_AXES, "{\"x\":\"yesterday\",\"y\":1}"));
	assert_false(view_svg(&out, NULL, NULL));
	assert_int_equal(out.n, 0);
}

static void spec_over_limits_has_no_picture(void **state)
{
	struct buf values;

	(void)state;
	buf_init(&values, SIZE_MAX / 2);
	for (int i = 0; i <= CHART_SERIES_COUNT_MAX; i++)
		buf_printf(&values, "%s{\"x\":\"A\",\"y\":1,\"series\":\"%d\"}", i ? "," : "", i);
	assert_false(draw("line", NAMES_AXES, buf_text(&values)));
	buf_reset(&values);
	for (int i = 0; i < CHART_ROWS_MAX; i++)
		buf_printf(&values, "%s{\"x\":%d,\"y\":%d}", i ? "," : "", i, i * i);
	assert_true(draw("line", HOUR_AXES, buf_text(&values)));
	assert_true(out.n <= SVG_BYTES_MAX);
	buf_printf(&values, ",{\"x\":%d,\"y\":1}", CHART_ROWS_MAX);
	assert_false(draw("line", HOUR_AXES, buf_text(&values)));
	buf_deinit(&values);
}

static void assert_ticks(double low, double high, const char *format, const char *expected)
{
	struct svg_scale s;
	struct buf b;

	buf_init(&b, 4096);
	svg_scale_nice(&s, low, high);
	for (size_t i = 0; i < svg_scale_ticks(&s); i++) {
		buf_str(&b, i ? " " : "");
		svg_tick_text(&b, &s, s.low + (double)i * s.step, format);
	}
	assert_string_equal(buf_text(&b), expected);
	buf_deinit(&b);
}

static void ticks_are_round_numbers(void **state)
{
	(void)state;
	assert_ticks(0, 5400000, "$.3~s", "$0 $1M $2M $3M $4M $5M $6M");
	assert_ticks(31.2, 52.9, "$,.2f", "$30 $35 $40 $45 $50 $55");
	assert_ticks(0, 0.013, ",.12~g", "0.000 0.002 0.004 0.006 0.008 0.010 0.012 0.014");
	assert_ticks(-3, 3, ",.12~g", "-3 -2 -1 0 1 2 3");
	assert_ticks(7, 7, ",.12~g", "3 4 5 6 7 8 9 10 11");
	assert_ticks(0, 12000, ",.12~g", "0 2,000 4,000 6,000 8,000 10,000 12,000");
}

static void assert_times(const char *from, const char *to, enum svg_time_unit finest,
			 const char *expected)
{
	int64_t a = 0, b = 0;
	struct svg_times times;
	struct buf text;

	assert_true(svg_time(from, &a) && svg_time(to, &b));
	buf_init(&text, 4096);
	svg_time_ticks(&times, a, b, finest);
	for (size_t i = 0; i < times.count; i++) {
		buf_str(&text, i ? ", " : "");
		svg_time_text(&text, times.at[i], times.unit);
	}
	assert_string_equal(buf_text(&text), expected);
	buf_deinit(&text);
}

static void time_ticks_are_whole_units(void **state)
{
	(void)state;
	assert_times("2025-01-01", "2025-12-01", SVG_MONTHS, "2025-01, 2025-04, 2025-07, 2025-10");
	assert_times("2025-03-30 01:15", "2025-03-30 05:00", SVG_HOURS,
		     "2025-03-30 02:00, 2025-03-30 03:00, 2025-03-30 04:00, 2025-03-30 05:00");
	assert_times("2025-01-30", "2025-02-02", SVG_DAYS,
		     "2025-01-30, 2025-01-31, 2025-02-01, 2025-02-02");
	assert_times("1999-06-01", "2030-01-01", SVG_DAYS,
		     "2000, 2005, 2010, 2015, 2020, 2025, 2030");
	assert_times("2025-02-26", "2025-02-26", SVG_DAYS, "2025-02-26");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bar_length_matches_value),
		cmocka_unit_test(reads_exact_decimals),
		cmocka_unit_test(negative_bars_start_at_zero),
		cmocka_unit_test(draws_series_side_by_side_with_legend),
		cmocka_unit_test(gap_interrupts_line),
		cmocka_unit_test(band_surrounds_its_line),
		cmocka_unit_test(places_dates_by_time),
		cmocka_unit_test(escapes_texts),
		cmocka_unit_test(truncates_long_label),
		cmocka_unit_test(uses_size_of_caller),
		cmocka_unit_test(invalid_spec_has_no_picture),
		cmocka_unit_test(spec_over_limits_has_no_picture),
		cmocka_unit_test(ticks_are_round_numbers),
		cmocka_unit_test(time_ticks_are_whole_units),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
