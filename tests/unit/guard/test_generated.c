/*
 * Generates thousands of answers from results of several shapes: correct ones, and ones with a
 * changed digit, unit, year or name. Prints how many changes were found and how many correct
 * numbers were flagged, and checks that chunking does not affect the marks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sample_results.h"
#include "vesper/guard.h"
#include "vesper/str.h"
#include "vesper/clock.h"

#define ANSWERS     4200
#define ROWS_MAX    24
#define CHANGES_MAX 3
#define CELL_TEXT   40

enum change { UNCHANGED, CHANGE_DIGIT, CHANGE_UNIT, CHANGE_YEAR, CHANGE_NAME, CHANGE_COUNT };

struct generated {
	struct result *result;
	char cells[ROWS_MAX][8][CELL_TEXT];
	int rows;
	struct buf text;
	enum change change;
	int numbers;                               /* changeable numbers written so far */
	int change_index;                          /* index of the number to change */
	size_t from[CHANGES_MAX], to[CHANGES_MAX]; /* positions of the changed text */
	int changes;
};

static uint64_t seed = 20260227;

static uint32_t next_random(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 33) % below;
}

static int between(int low, int high)
{
	return low + (int)next_random((uint32_t)(high - low + 1));
}

/* ---- writing ---- */

static void set_cell(char cell[CELL_TEXT], const char *text)
{
	snprintf(cell, CELL_TEXT, "%s", text);
}

static long cell_int(const char *cell)
{
	return strtol(cell, NULL, 10);
}

static double cell_number(const char *cell)
{
	return strtod(cell, NULL);
}

static void format_grouped(char out[CELL_TEXT], long value)
{
	char digits[CELL_TEXT];
	size_t n, to = 0;

	snprintf(digits, sizeof(digits), "%ld", value);
	n = strlen(digits);
	for (size_t i = 0; i < n && to + 2 < CELL_TEXT; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			out[to++] = ',';
		out[to++] = digits[i];
	}
	out[to] = '\0';
}

static void change_digit(char *text)
{
	size_t n = strlen(text), at;

	do
		at = next_random((uint32_t)n);
	while (text[at] < '0' || text[at] > '9');
	text[at] = (char)('0' + (text[at] - '0' + between(1, 9)) % 10);
	if (at == 0 && text[0] == '0' && n > 1)
		text[0] = '1' + (char)next_random(2);
}

static void record_change(struct generated *m, size_t from)
{
	assert_true(m->changes < CHANGES_MAX);
	m->from[m->changes] = from;
	m->to[m->changes++] = m->text.n;
}

/* Writes a number with its prefix and suffix, changed if it is the selected one. */
static void write_number(struct generated *m, const char *prefix, const char *number,
			 const char *suffix, const char *wrong_prefix, const char *wrong_suffix)
{
	char digits[CELL_TEXT];
	size_t from = m->text.n;
	bool is_selected = m->numbers++ == m->change_index;

	snprintf(digits, sizeof(digits), "%s", number);
	if (is_selected && m->change == CHANGE_DIGIT) {
		while (strcmp(digits, number) == 0 ||
		       strtod(digits, NULL) == strtod(number, NULL)) {
			set_cell(digits, number);
			change_digit(digits);
		}
		buf_printf(&m->text, "%s%s%s", prefix, digits, suffix);
		record_change(m, from);
	} else if (is_selected && m->change == CHANGE_UNIT) {
		buf_printf(&m->text, "%s%s%s", wrong_prefix, digits, wrong_suffix);
		record_change(m, from);
	} else {
		buf_printf(&m->text, "%s%s%s", prefix, digits, suffix);
	}
}

static void write_price(struct generated *m, const char *cell)
{
	static const char *const forms[][2] = {
		{"$", "/MWh"}, {"$", ""}, {"", " $/MWh"}, {"**$", "/MWh**"}};
	static const char *const wrong[][2] = {{"", "%"}, {"$", "M"}, {"", " MW"}, {"", " views"}};
	const char *const *form = forms[next_random(4)], *const *change = wrong[next_random(4)];

	write_number(m, form[0], cell, form[1], change[0], change[1]);
}

static void write_year(struct generated *m, const char *cell)
{
	size_t from = m->text.n;

	if (m->change == CHANGE_YEAR && m->changes == 0) {
		buf_printf(&m->text, "%ld", cell_int(cell) + (next_random(2) ? 7 : -9));
		record_change(m, from);
		return;
	}
	buf_str(&m->text, cell);
}

/* ---- shapes ---- */

static struct arena *arena;

static void make_table(struct generated *m, const struct sample_column *columns, size_t count)
{
	const char *cells[ROWS_MAX * 8];

	for (int r = 0; r < m->rows; r++)
		for (size_t c = 0; c < count; c++)
			cells[(size_t)r * count + c] = m->cells[r][c];
	m->result = sample_result(arena, sample_table(columns, count, cells, (size_t)m->rows));
}

static void set_price(char *cell)
{
	snprintf(cell, CELL_TEXT, "%d.%02d", between(22, 97), between(1, 99));
}

static const char *const vendors[] = {"Ascend", "Hitachi", "Wood Mackenzie", "ICF"};
static const char *const labels[] = {"Jan_2025", "Q1_2025", "Oct_2024", "Jul_2025"};
static const char *const days[] = {"2025-01-15", "2025-03-03", "2024-10-20", "2025-07-09"};

/* Returns the row whose value is written for this row's name: another row if the name is to be
 * wrong. */
static int named_row(const struct generated *m, int row)
{
	return m->change == CHANGE_NAME && m->rows > 1 ? (row + 1) % m->rows : row;
}

static void write_named_price(struct generated *m, const char *name, const char *cell,
			      const char *link)
{
	size_t from;

	buf_printf(&m->text, "%s%s", name, link);
	from = m->text.n;
	write_price(m, cell);
	if (m->change == CHANGE_NAME && m->changes < CHANGES_MAX)
		record_change(m, from);
}

static void shape_vendors(struct generated *m)
{
	static const struct sample_column columns[] = {
		{"Vendor", NULL, COLUMN_TEXT},      {"HubZone", NULL, COLUMN_TEXT},
		{"ForecastYear", NULL, COLUMN_INT}, {"AsOf", NULL, COLUMN_TEXT},
		{"AsOfDate", NULL, COLUMN_DATE},    {"Price", "$/MWh", COLUMN_DECIMAL},
		{"DataPoints", "hours", COLUMN_INT}};
	char hours[CELL_TEXT];

	m->rows = between(2, 4);
	for (int r = 0; r < m->rows; r++) {
		snprintf(m->cells[r][0], CELL_TEXT, "%s", vendors[r]);
		set_cell(m->cells[r][1], "NP15");
		set_cell(m->cells[r][2], "2025");
		set_cell(m->cells[r][3], labels[r]);
		set_cell(m->cells[r][4], days[r]);
		set_price(m->cells[r][5]);
		set_cell(m->cells[r][6], "8760");
	}
	make_table(m, columns, 7);
	format_grouped(hours, 8760);
	buf_str(&m->text, "Prices for NP15 in ");
	write_year(m, "2025");
	buf_str(&m->text, ":\n\n");
	switch (next_random(4)) {
	case 0:
		write_named_price(m, vendors[0], m->cells[named_row(m, 0)][5], " averages ");
		buf_str(&m->text, " over ");
		write_number(m, "", hours, " hours", "$", "/MWh");
		buf_str(&m->text, ", and ");
		write_named_price(m, vendors[1], m->cells[named_row(m, 1)][5], " ");
		break;
	case 1:
		write_price(m, m->cells[named_row(m, 0)][5]);
		if (m->change == CHANGE_NAME)
			record_change(m, m->text.n - 3);
		buf_printf(&m->text, " for %s and ", vendors[0]);
		write_price(m, m->cells[1][5]);
		buf_printf(&m->text, " from **%s**", vendors[1]);
		break;
	case 2:
		buf_str(&m->text, "| Vendor | As-of | Price ($/MWh) |\n|---|---|---:|\n");
		for (int r = 0; r < 2; r++) {
			size_t from;

			buf_printf(&m->text, "| %s | %s | ", vendors[r], labels[r]);
			from = m->text.n;
			write_number(m, "", m->cells[named_row(m, r)][5], "", "", "%");
			if (m->change == CHANGE_NAME)
				record_change(m, from);
			buf_str(&m->text, " |\n");
		}
		break;
	default:
		buf_printf(&m->text, "- %s (as-of %s): ", vendors[0], labels[0]);
		write_named_price(m, "", m->cells[named_row(m, 0)][5], "");
		buf_printf(&m->text, "\n- %s (as-of %s): ", vendors[1], labels[1]);
		write_named_price(m, vendors[1], m->cells[named_row(m, 1)][5], " at ");
		break;
	}
	buf_str(&m->text, ".\n");
}

static void shape_gap(struct generated *m)
{
	static const struct sample_column columns[] = {{"Vendor", NULL, COLUMN_TEXT},
						       {"ForecastYear", NULL, COLUMN_INT},
						       {"Price", "$/MWh", COLUMN_DECIMAL}};
	double low, high;
	char gap[CELL_TEXT], percent[CELL_TEXT];

	m->rows = 2;
	for (int r = 0; r < 2; r++) {
		set_cell(m->cells[r][0], vendors[r]);
		set_cell(m->cells[r][1], "2026");
	}
	do {
		set_price(m->cells[0][2]);
		set_price(m->cells[1][2]);
	} while (cell_number(m->cells[1][2]) < cell_number(m->cells[0][2]) + 1);
	low = cell_number(m->cells[0][2]);
	high = cell_number(m->cells[1][2]);
	snprintf(gap, sizeof(gap), "%.2f", high - low);
	snprintf(percent, sizeof(percent), "%.1f", (high - low) * 100 / low + 1e-9);
	make_table(m, columns, 3);
	buf_str(&m->text, "In ");
	write_year(m, "2026");
	buf_printf(&m->text, " %s is ", vendors[1]);
	write_price(m, gap);
	buf_printf(&m->text, " above %s, ", vendors[0]);
	write_number(m, "", percent, "%", "$", "M");
	buf_str(&m->text, " more. ");
	write_named_price(m, vendors[0], m->cells[named_row(m, 0)][2], " averages ");
	buf_str(&m->text, ", ");
	write_named_price(m, vendors[1], m->cells[named_row(m, 1)][2], " ");
	buf_str(&m->text, ".\n");
}

static void shape_hours(struct generated *m)
{
	static const struct sample_column columns[] = {{"Vendor", NULL, COLUMN_TEXT},
						       {"ForecastYear", NULL, COLUMN_INT},
						       {"Hour", NULL, COLUMN_INT},
						       {"Price", "$/MWh", COLUMN_DECIMAL}};
	int high = 0, low = 0;
	char text[CELL_TEXT];

	m->rows = 24;
	for (int r = 0; r < 24; r++) {
		set_cell(m->cells[r][0], "Ascend");
		set_cell(m->cells[r][1], "2027");
		snprintf(m->cells[r][2], CELL_TEXT, "%d", r);
		set_price(m->cells[r][3]);
		if (cell_number(m->cells[r][3]) > cell_number(m->cells[high][3]))
			high = r;
		if (cell_number(m->cells[r][3]) < cell_number(m->cells[low][3]))
			low = r;
	}
	make_table(m, columns, 4);
	buf_str(&m->text, "The shape for ");
	write_year(m, "2027");
	buf_printf(&m->text, ": highest in hour %d (HE %d) at ", high, high + 1);
	write_price(m, m->cells[high][3]);
	buf_printf(&m->text, ", lowest in hour %d at ", low);
	write_price(m, m->cells[low][3]);
	snprintf(text, sizeof(text), "%.2f",
		 cell_number(m->cells[high][3]) - cell_number(m->cells[low][3]));
	buf_str(&m->text, ", a range of ");
	write_price(m, text);
	buf_str(&m->text, ". Peak hours are 7-22; all 24 hours are shown.\n");
}

static const char *const projects[] = {"Nazareth Solar", "Sierra Wind", "Mojave BESS",
				       "Desert Sun",     "Kern Wind",   "O'Brien Solar",
				       "100% Solar",     "project_7"};

static void shape_money(struct generated *m)
{
	static const struct sample_column columns[] = {{"Project", NULL, COLUMN_TEXT},
						       {"Budget", "$", COLUMN_DECIMAL},
						       {"Capacity", "MW", COLUMN_DECIMAL},
						       {"COD", NULL, COLUMN_DATE}};
	static const char *const months[] = {"March", "June", "September", "November"};
	char shown[CELL_TEXT];

	m->rows = between(3, 8);
	for (int r = 0; r < m->rows; r++) {
		set_cell(m->cells[r][0], projects[r]);
		snprintf(m->cells[r][1], CELL_TEXT, "%d%02d000.00", between(1, 60), between(1, 99));
		snprintf(m->cells[r][2], CELL_TEXT, "%d.%d", between(40, 400), between(1, 9));
		snprintf(m->cells[r][3], CELL_TEXT, "2027-%02d-%02d",
			 3 * (r % 4) + 3 - (r % 4 == 3), 10 + r);
	}
	make_table(m, columns, 4);
	format_grouped(shown, cell_int(m->cells[0][1]));
	for (int i = 0; i < 3; i++) {
		int row = named_row(m, i);
		size_t from;

		buf_printf(&m->text, "%d. **%s**: budget ", i + 1, projects[i]);
		from = m->text.n;
		format_grouped(shown, cell_int(m->cells[row][1]));
		if (next_random(2)) {
			write_number(m, "$", shown, "", "", " MW");
		} else {
			snprintf(shown, sizeof(shown), "%.2f", cell_number(m->cells[row][1]) / 1e6);
			if (cell_number(m->cells[row][1]) < 1e6)
				snprintf(shown, sizeof(shown), "%.3f",
					 cell_number(m->cells[row][1]) / 1e6);
			write_number(m, "$", shown, "M", "$", "K");
		}
		if (m->change == CHANGE_NAME && m->changes < CHANGES_MAX)
			record_change(m, from);
		buf_str(&m->text, ", ");
		from = m->text.n;
		write_number(m, "", m->cells[i][2], " MW", "", "%");
		buf_printf(&m->text, ", COD %d %s ", 10 + i, months[i % 4]);
		write_year(m, "2027");
		buf_str(&m->text, "\n");
	}
	buf_printf(&m->text, "\nThat is 3 of %d projects.\n", m->rows);
}

static void shape_views(struct generated *m)
{
	static const struct sample_column columns[] = {{"Report", NULL, COLUMN_TEXT},
						       {"Views", "views", COLUMN_INT},
						       {"Share", "%", COLUMN_DECIMAL}};
	static const char *const reports[] = {"Dayahead Curve", "Project Health", "Portfolio",
					      "Budget Overview", "Usage"};
	long sum = 0;
	char shown[CELL_TEXT];

	m->rows = 5;
	for (int r = 0; r < 5; r++) {
		int views = between(1200, 98000);

		set_cell(m->cells[r][0], reports[r]);
		snprintf(m->cells[r][1], CELL_TEXT, "%d", views);
		snprintf(m->cells[r][2], CELL_TEXT, "%d.%d", between(1, 60), between(1, 9));
		sum += views;
	}
	make_table(m, columns, 3);
	buf_str(&m->text, "Since February ");
	write_year(m, "2026");
	buf_str(&m->text, " there were ");
	format_grouped(shown, sum);
	write_number(m, "", shown, " views", "$", "");
	buf_str(&m->text, " in all of 5 reports.\n");
	for (int i = 0; i < 2; i++) {
		int row = named_row(m, i);
		size_t from;

		buf_printf(&m->text, "- %s: ", reports[i]);
		from = m->text.n;
		format_grouped(shown, cell_int(m->cells[row][1]));
		write_number(m, "", shown, " views", "", " MW");
		if (m->change == CHANGE_NAME)
			record_change(m, from);
		buf_str(&m->text, " (");
		write_number(m, "", m->cells[i][2], "%", "$", "/MWh");
		buf_str(&m->text, ")\n");
	}
}

/* ---- figures ---- */

struct figures {
	long answers, numbers, false_alarms, changes[CHANGE_COUNT], found[CHANGE_COUNT], frames;
	int64_t us;
};

struct marks_seen {
	size_t at, marks, unbound;
	struct {
		size_t from, to;
		bool unbound;
	} list[256];
};

static void record_mark(void *owner, const struct guard_chunk *p)
{
	struct marks_seen *s = owner;

	if (p->marked && s->marks < 256) {
		s->list[s->marks].from = s->at;
		s->list[s->marks].to = s->at + p->len;
		s->list[s->marks++].unbound = p->kind != GUARD_BOUND;
	}
	s->at += p->len;
}

static bool overlaps(const struct generated *m, size_t from, size_t to)
{
	for (int i = 0; i < m->changes; i++)
		if (from < m->to[i] && m->from[i] < to)
			return true;
	return false;
}

static void run_check(struct guard_input *in, const struct generated *m, size_t step,
		      struct marks_seen *s)
{
	struct guard_numbers *g;

	*s = (struct marks_seen){0};
	in->sink = (struct guard_sink){.on_answer_chunk = record_mark, .owner = s};
	g = guard_numbers_new(in);
	for (size_t at = 0; at < m->text.n; at += step)
		guard_numbers_feed(g, m->text.p + at,
				   step < m->text.n - at ? step : m->text.n - at);
	guard_numbers_end(g);
	guard_numbers_free(&g);
}

static void count_marks(struct figures *f, const struct generated *m, const struct marks_seen *s)
{
	bool found = false, has_false_alarm = false;

	for (size_t i = 0; i < s->marks; i++) {
		bool change = overlaps(m, s->list[i].from, s->list[i].to);

		f->numbers += !change;
		f->false_alarms += !change && s->list[i].unbound;
		has_false_alarm = has_false_alarm || (!change && s->list[i].unbound);
		found = found || (change && s->list[i].unbound);
	}
	f->answers++;
	if (m->changes > 0) {
		f->changes[m->change]++;
		f->found[m->change] += found;
	}
	if (getenv("GUARD_SHOW") && ((m->changes > 0 && !found) || has_false_alarm))
		print_message("%s change %d at %zu:\n%s\n",
			      has_false_alarm ? "FALSE ALARM" : "MISSED", m->change, m->from[0],
			      buf_text(&m->text));
}

static void time_stream(struct figures *f, struct guard_input *in, const struct generated *m)
{
	struct marks_seen s = {0};
	struct guard_numbers *g;
	int64_t started_us;

	in->sink = (struct guard_sink){.on_answer_chunk = record_mark, .owner = &s};
	g = guard_numbers_new(in);
	started_us = clock_mono_us();
	for (int i = 0; i < 10; i++)
		for (size_t at = 0; at < m->text.n; at += 4, f->frames++)
			guard_numbers_feed(g, m->text.p + at,
					   4 < m->text.n - at ? 4 : m->text.n - at);
	f->us += clock_mono_us() - started_us;
	guard_numbers_end(g);
	guard_numbers_free(&g);
}

static void make_and_check(struct figures *f, int i)
{
	static void (*const shapes[])(struct generated * m) = {
		shape_vendors, shape_gap, shape_hours, shape_money, shape_views};
	const struct result *results[1];
	struct guard_input in = {.results = results,
				 .result_count = 1,
				 .units = shipped_units(),
				 .question = "How is it?",
				 .today = {2026, 2, 27}};
	struct generated m = {.change = (enum change)(i % CHANGE_COUNT),
			      .change_index = between(0, 2)};
	struct marks_seen all, bytes;

	arena = arena_new(1 << 22);
	buf_init(&m.text, 1 << 16);
	shapes[i / CHANGE_COUNT % 5](&m);
	results[0] = m.result;
	run_check(&in, &m, m.text.n, &all);
	run_check(&in, &m, 1, &bytes);
	assert_int_equal(all.marks, bytes.marks);
	assert_memory_equal(all.list, bytes.list, sizeof(all.list[0]) * all.marks);
	count_marks(f, &m, &all);
	if (i % 20 == 0)
		time_stream(f, &in, &m);
	buf_deinit(&m.text);
	arena_free(&arena);
}

static void marks_only_false_numbers(void **state)
{
	static const char *const names[] = {"correct", "digit", "unit", "year", "name"};
	struct figures f = {0};
	long changes = 0, found = 0;

	(void)state;
	for (int i = 0; i < ANSWERS; i++)
		make_and_check(&f, i);
	for (int i = 1; i < CHANGE_COUNT; i++) {
		print_message("wrong %s: %ld of %ld found\n", names[i], f.found[i], f.changes[i]);
		changes += f.changes[i];
		found += f.found[i];
	}
	print_message("%ld answers; recall %.2f %%; false alarms %ld of %ld numbers (%.2f %%)\n",
		      f.answers, 100.0 * (double)found / (double)changes, f.false_alarms, f.numbers,
		      100.0 * (double)f.false_alarms / (double)f.numbers);
	print_message("%.2f us per token of 4 bytes\n", (double)f.us / (double)f.frames);
	assert_true(changes > 2000);
	assert_true(found * 100 >= changes * 99);
	assert_true(f.false_alarms * 100 <= f.numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_only_false_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
