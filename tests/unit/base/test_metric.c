/* Counters, gauges and histograms: the text format, up to the limit of series and beyond it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/metric.h"

static const struct metric plain = {.name = "a_total", .help = "Plain."};
static const struct metric labelled = {
	.name = "a_labelled_total",
	.help = "With a label.",
	.labels = {"x"},
};
static const struct metric gauge = {.name = "gauge", .help = "A level.", .kind = METRIC_GAUGE};
static const struct metric spent = {
	.name = "spent_milliseconds",
	.help = "Time.",
	.kind = METRIC_HISTOGRAM,
	.labels = {"tool"},
	.bounds = {10, 100},
};

static int teardown(void **state)
{
	(void)state;
	metric_reset();
	return 0;
}

static void assert_text(const char *expected)
{
	struct buf b;

	buf_init(&b, METRICS_BYTES_MAX);
	metric_text(&b);
	assert_string_equal(buf_text(&b), expected);
	buf_deinit(&b);
}

static void families_are_printed_together(void **state)
{
	(void)state;
	assert_text("");
	metric_add(&labelled, (const char *const[]){"2"}, 2);
	metric_add(&plain, NULL, 5);
	metric_add(&labelled, (const char *const[]){"1"}, 1);
	metric_add(&plain, NULL, 1);
	metric_set(&gauge, NULL, 7);
	metric_set(&gauge, NULL, -3);
	assert_int_equal(metric_get("a_total"), 6);
	assert_int_equal(metric_get("unknown"), 0);
	assert_text("# HELP a_labelled_total With a label.\n"
		    "# TYPE a_labelled_total counter\n"
		    "a_labelled_total{x=\"1\"} 1\n"
		    "a_labelled_total{x=\"2\"} 2\n"
		    "# HELP a_total Plain.\n"
		    "# TYPE a_total counter\n"
		    "a_total 6\n"
		    "# HELP gauge A level.\n"
		    "# TYPE gauge gauge\n"
		    "gauge -3\n");
}

static void buckets_are_cumulative(void **state)
{
	const char *const tool[] = {"t"};

	(void)state;
	metric_observe(&spent, tool, 10); /* a bound belongs to its bucket */
	metric_observe(&spent, tool, 11);
	metric_observe(&spent, tool, 5000);
	assert_text("# HELP spent_milliseconds Time.\n"
		    "# TYPE spent_milliseconds histogram\n"
		    "spent_milliseconds_bucket{tool=\"t\",le=\"10\"} 1\n"
		    "spent_milliseconds_bucket{tool=\"t\",le=\"100\"} 2\n"
		    "spent_milliseconds_bucket{tool=\"t\",le=\"+Inf\"} 3\n"
		    "spent_milliseconds_sum{tool=\"t\"} 5021\n"
		    "spent_milliseconds_count{tool=\"t\"} 3\n");
}

static void label_values_cannot_break_a_line(void **state)
{
	char longest[METRIC_VALUE_BYTES_MAX + 50];
	char sample[sizeof(longest) + 40];

	(void)state;
	metric_add(&labelled,
		   (const char *const[]){"a\"b\\c\nd\x1f"
					 "e"},
		   1);
	assert_text("# HELP a_labelled_total With a label.\n"
		    "# TYPE a_labelled_total counter\n"
		    "a_labelled_total{x=\"a\\\"b\\\\c?d?e\"} 1\n");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	metric_add(&labelled, (const char *const[]){longest}, 1);
	snprintf(sample, sizeof(sample), "a_labelled_total{x=\"%.*s\"}", METRIC_VALUE_BYTES_MAX,
		 longest);
	assert_int_equal(metric_get(sample), 1);
}

static void limits_number_of_series(void **state)
{
	char value[40];

	(void)state;
	for (int i = 0; i < METRICS_MAX + 100; i++) {
		snprintf(value, sizeof(value), "m%d", i);
		metric_add(&labelled, (const char *const[]){value}, 1);
	}
	assert_int_equal(metric_get("a_labelled_total{x=\"m0\"}"), 1);
	assert_int_equal(metric_get("a_labelled_total{x=\"m2046\"}"), 1);
	assert_int_equal(metric_get("a_labelled_total{x=\"m2047\"}"), 0);
	assert_int_equal(metric_get("vesper_metrics_other"), 101);
	metric_add(&labelled, (const char *const[]){"m0"}, 1);
	assert_int_equal(metric_get("a_labelled_total{x=\"m0\"}"), 2);
}

/* The largest possible text is within the limit of its reader. */
static void largest_output_is_complete(void **state)
{
	static const struct metric wide = {
		.name = "wide_microseconds",
		.help = "All bounds.",
		.kind = METRIC_HISTOGRAM,
		.labels = {"query"},
		.bounds = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
	};
	char value[60], last[] = "vesper_metrics_other 9\n";
	struct buf b;

	(void)state;
	for (int i = 0; i < METRICS_MAX + 8; i++) {
		snprintf(value, sizeof(value), "a_tool_with_a_long_name_indeed_%05d/main", i);
		metric_observe(&wide, (const char *const[]){value}, 1);
	}
	buf_init(&b, METRICS_BYTES_MAX);
	metric_text(&b);
	assert_true(b.n > 1000000);
	assert_non_null(strstr(buf_text(&b), last));
	assert_non_null(strstr(buf_text(&b), "wide_microseconds_count{query=\"a_tool_with_a_long_"
					     "name_indeed_02046/main\"} 1\n"));
	buf_deinit(&b);
}

static void *add_many(void *unused)
{
	(void)unused;
	for (int i = 0; i < 20000; i++)
		metric_add(&plain, NULL, 1);
	return NULL;
}

static void counts_in_all_threads(void **state)
{
	(void)state;
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, add_many, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(metric_get("a_total"), 60000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(families_are_printed_together, teardown),
		cmocka_unit_test_teardown(buckets_are_cumulative, teardown),
		cmocka_unit_test_teardown(label_values_cannot_break_a_line, teardown),
		cmocka_unit_test_teardown(limits_number_of_series, teardown),
		cmocka_unit_test_teardown(largest_output_is_complete, teardown),
		cmocka_unit_test_teardown(counts_in_all_threads, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
