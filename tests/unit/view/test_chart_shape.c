/*
 * Each shape of chart_shapes.txt gets the chart that the file names. With --specs the program
 * prints the view of every chart with its picture, one JSON text per line, for validators.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "chart_int.h"
#include "sample_results.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define COLUMNS_MAX 12
#define VALUES_MAX  64

struct shape_column {
	char name[32], type[16], unit[16];
	enum column_priority priority;
	char values[VALUES_MAX][40]; /* of an axis */
	size_t value_count;          /* 0: no axis */
	char kind;                   /* '=', '*', 'i'd, 'w'hen, 'g'aps; 'a'xis */
};

struct shape {
	char name[128], ask[128], expected[128];
	struct shape_column columns[COLUMNS_MAX];
	size_t count;
};

static void add_value(struct shape_column *c, const char *text)
{
	assert_true(c->value_count < VALUES_MAX);
	snprintf(c->values[c->value_count++], sizeof(c->values[0]), "%s", text);
}

static void add_range(struct shape_column *c, long from, long to)
{
	char text[16];

	for (long v = from; v <= to; v++) {
		snprintf(text, sizeof(text), "%ld", v);
		add_value(c, text);
	}
}

/* Values in brackets: the list ends at the line's last bracket, since names may contain brackets.
 */
static void add_list(struct shape_column *c, const char *text)
{
	struct str rest = {text + 1, strlen(text) - 2}, part;
	char value[40];

	while (str_split(&rest, ',', &part)) {
		part = str_trim(part);
		snprintf(value, sizeof(value), "%.*s", STR_FMT(part));
		add_value(c, value);
	}
}

static void write_date(long n, bool months, char out[40])
{
	struct date d = {2025, 1, 1};

	if (months)
		d.month = (int)(1 + n % 12);
	else
		d = date_from_days(date_to_days(d) + n);
	date_iso(d, out);
}

static void read_values(struct shape_column *c, const char *text)
{
	long from, to;
	char value[40];

	c->kind = 'a';
	if (text[0] == '=' || text[0] == '*' || strcmp(text, "id") == 0 ||
	    strcmp(text, "when") == 0 || strcmp(text, "gaps") == 0) {
		c->kind = text[0];
		if (text[0] == '=')
			snprintf(c->values[0], sizeof(c->values[0]), "%s", text + 2);
	} else if (text[0] == '[') {
		add_list(c, text);
	} else if (sscanf(text, "%ld..%ld", &from, &to) == 2) {
		add_range(c, from, to);
	} else if (sscanf(text, "names %ld", &to) == 1) {
		for (long i = 0; i < to; i++) {
			snprintf(value, sizeof(value), "Name %ld", i);
			add_value(c, value);
		}
	} else {
		bool months = strncmp(text, "months", 6) == 0;

		to = strtol(strchr(text, ' '), NULL, 10);
		for (long i = 0; i < to; i++) {
			write_date(i, months, value);
			add_value(c, value);
		}
	}
}

static void read_column(struct shape *s, char *text)
{
	struct shape_column *c = &s->columns[s->count++];
	int used = 0;

	assert_true(s->count <= COLUMNS_MAX);
	*c = (struct shape_column){.priority = PRIORITY_HIGH};
	assert_int_equal(sscanf(text, "%31s %15s %n", c->name, c->type, &used), 2);
	text += used;
	if (sscanf(text, "unit=%15s %n", c->unit, &used) == 1)
		text += used;
	if (strncmp(text, "low ", 4) == 0) {
		c->priority = PRIORITY_LOW;
		text += 4;
	} else if (strncmp(text, "medium ", 7) == 0) {
		c->priority = PRIORITY_MEDIUM;
		text += 7;
	}
	read_values(c, text);
}

/* Returns the cell of a row. Axes count like digits; the first one is the slowest. */
static const char *make_cell(const struct shape *s, size_t column, size_t row, char out[64])
{
	const struct shape_column *c = &s->columns[column];
	size_t step = 1;

	switch (c->kind) {
	case '=':
		return c->values[0];
	case '*':
		snprintf(out, 64, "%zu", 20 + (row * 7 + column * 3) % 41);
		return out;
	case 'i':
		snprintf(out, 64, "text %zu", row);
		return out;
	case 'w':
		write_date((long)row * 3, false, out);
		return out;
	case 'g':
		return row == 0 ? "5" : NULL;
	default:
		for (size_t k = column + 1; k < s->count; k++)
			step *= s->columns[k].kind == 'a' ? s->columns[k].value_count : 1;
		return c->values[row / step % c->value_count];
	}
}

static struct table *make_table(const struct shape *s)
{
	struct sample_column columns[COLUMNS_MAX];
	size_t rows = 1;
	struct arena *a = arena_new(1 << 22);
	const char **cells;
	struct table *t;

	for (size_t c = 0; c < s->count; c++) {
		columns[c].name = s->columns[c].name;
		columns[c].unit = NULL;
		assert_true(column_type_parse(s->columns[c].type, &columns[c].type));
		rows *= s->columns[c].kind == 'a' ? s->columns[c].value_count : 1;
	}
	cells = arena_alloc(a, sizeof(*cells) * (rows * s->count + 1));
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < s->count; c++) {
			char text[64];
			const char *cell = make_cell(s, c, r, text);

			cells[r * s->count + c] = cell ? arena_strdup(a, cell) : NULL;
		}
	t = sample_table(columns, s->count, cells, rows);
	for (size_t c = 0; c < s->count; c++) {
		t->columns[c].name = arena_strdup(t->arena, s->columns[c].name);
		t->columns[c].label = t->columns[c].name;
		t->columns[c].priority = s->columns[c].priority;
		if (s->columns[c].unit[0])
			t->columns[c].unit = arena_strdup(t->arena, s->columns[c].unit);
	}
	arena_free(&a);
	return t;
}

static void add_names(struct buf *b, const char *key, const struct table *t, const size_t *columns,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_printf(b, "%s%s", i ? "," : key, t->columns[columns[i]].name);
}

static void describe_chart(struct buf *b, const struct shape *s, const struct table *t)
{
	size_t band[2];
	struct chart ch;

	if (!chart_choose(t, view_chart_preference(shipped_language(), s->ask), &ch)) {
		buf_str(b, "none");
		return;
	}
	buf_str(b, view_chart_name(ch.type));
	add_names(b, " x=", t, &ch.x, 1);
	add_names(b, " y=", t, ch.measures, ch.measure_count);
	add_names(b, " series=", t, ch.series, ch.series_count);
	band[0] = ch.low;
	band[1] = ch.high;
	if (ch.has_band)
		add_names(b, " band=", t, band, 2);
}

/* Reads the next shape; false at the end of the file. */
static bool next_shape(FILE *f, struct shape *s)
{
	char line[512];

	*s = (struct shape){0};
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "shape: ", 7) == 0)
			snprintf(s->name, sizeof(s->name), "%.120s", line + 7);
		else if (strncmp(line, "col: ", 5) == 0)
			read_column(s, line + 5);
		else if (strncmp(line, "ask: ", 5) == 0)
			snprintf(s->ask, sizeof(s->ask), "%.120s", line + 5);
		else if (strncmp(line, "expect: ", 8) == 0)
			snprintf(s->expected, sizeof(s->expected), "%.120s", line + 8);
		else if (line[0] && line[0] != '#')
			fail_msg("unknown line: %s", line);
		if (s->expected[0])
			return true;
	}
	return false;
}

static FILE *open_shapes(void)
{
	FILE *f = fopen(VESPER_SOURCE_DIR "/tests/unit/view/chart_shapes.txt", "r");

	assert_non_null(f);
	return f;
}

static void chooses_chart_by_shape(void **state)
{
	FILE *f = open_shapes();
	struct shape s;
	size_t count = 0, failure_count = 0;

	(void)state;
	for (; next_shape(f, &s); count++) {
		struct table *t = make_table(&s);
		struct buf got;

		buf_init(&got, 1024);
		describe_chart(&got, &s, t);
		if (strcmp(buf_text(&got), s.expected) != 0) {
			print_error("%s: expected %s, got %s\n", s.name, s.expected,
				    buf_text(&got));
			failure_count++;
		}
		buf_deinit(&got);
		table_free(&t);
	}
	fclose(f);
	assert_true(count >= 60);
	assert_int_equal(failure_count, 0);
}

static void truncated_result_gets_no_chart(void **state)
{
	static const struct sample_column columns[] = {{"Hour", NULL, COLUMN_INT},
						       {"Price", "$/MWh", COLUMN_DECIMAL}};
	static const char *const cells[] = {"0", "1.5", "1", "2.5", "2", "3.5"};
	struct table *t = sample_table(columns, 2, cells, 3);
	struct chart ch;

	(void)state;
	assert_true(chart_choose(t, CHART_NO_PREFERENCE, &ch));
	t->truncated = true;
	assert_false(chart_choose(t, CHART_NO_PREFERENCE, &ch));
	table_free(&t);
}

static void rows_beyond_limit_get_no_chart(void **state)
{
	static const struct sample_column columns[] = {{"Day", NULL, COLUMN_DATE},
						       {"Views", "views", COLUMN_INT}};
	static char texts[CHART_ROWS_MAX + 1][12];
	static const char *cells[2 * (CHART_ROWS_MAX + 1)];
	struct chart ch;

	(void)state;
	for (size_t i = 0; i <= CHART_ROWS_MAX; i++) {
		date_iso(date_from_days(date_to_days((struct date){2020, 1, 1}) + (int64_t)i),
			 texts[i]);
		cells[2 * i] = texts[i];
		cells[2 * i + 1] = i % 2 ? "3" : "4";
	}
	for (size_t n = CHART_ROWS_MAX; n <= CHART_ROWS_MAX + 1; n++) {
		struct table *t = sample_table(columns, 2, cells, n);

		assert_int_equal(chart_choose(t, CHART_NO_PREFERENCE, &ch), n == CHART_ROWS_MAX);
		table_free(&t);
	}
}

static void print_view(const struct shape *s, const struct buf *view)
{
	json_t *json = NULL;
	struct buf svg;

	buf_init(&svg, SVG_BYTES_MAX * 2);
	assert_true(json_parse(buf_text(view), view->n, view->n, &json, NULL));
	if (!view_svg(&svg, json, NULL))
		fail_msg("%s: no picture", s->name);
	json_set_str(json, "shape", s->name);
	json_set_str(json, "svg", buf_text(&svg));
	buf_deinit(&svg);
	buf_init(&svg, SIZE_MAX / 2);
	buf_json(&svg, json);
	printf("%s\n", buf_text(&svg));
	buf_deinit(&svg);
	json_decref(json);
}

static void print_specs(void)
{
	FILE *f = open_shapes();
	struct shape s;

	while (next_shape(f, &s)) {
		struct arena *a = arena_new(1 << 20);
		struct result *r = sample_result(a, make_table(&s));
		struct buf view;

		buf_init(&view, SIZE_MAX / 2);
		if (view_chart(&view, r, "c1-v2", view_chart_preference(r->language, s.ask)))
			print_view(&s, &view);
		buf_deinit(&view);
		arena_free(&a);
	}
	fclose(f);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chooses_chart_by_shape),
		cmocka_unit_test(truncated_result_gets_no_chart),
		cmocka_unit_test(rows_beyond_limit_get_no_chart),
	};

	if (argc > 1 && strcmp(argv[1], "--specs") == 0) {
		print_specs();
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
