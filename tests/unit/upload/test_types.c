/* Conversion of cells to values of their column's type, and questions about ambiguous columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "read/types_int.h"
#include "vesper/arena.h"

/* A column with these cells: its type, its unit, and its first cell as a value. */
struct column_case {
	const char *cells[6];
	const char *type, *unit, *first;
};

static const struct column_case cases[] = {
	{{"1", "2"}, "int", "", "1"},
	{{"1,234", "5"}, "decimal", "", "1234"},
	{{"1,234", "1,234,567"}, "int", "", "1234"},
	{{"1.234", "1.234.567"}, "int", "", "1234"},
	{{"1.234,50", "7"}, "decimal", "", "1234.50"},
	{{"1 234,50", "7,1"}, "decimal", "", "1234.50"},
	{{"0.5", "12.25"}, "decimal", "", "0.5"},
	{{".5", "1"}, "decimal", "", "0.5"},
	{{"0.05", "1"}, "decimal", "", "0.05"},
	{{"-0.05", "1"}, "decimal", "", "-0.05"},
	{{"$ -1.50", "2.00"}, "decimal", "$", "-1.50"},
	{{"-$1.50", "$2"}, "decimal", "$", "-1.50"},
	{{"USD 12", "USD 7"}, "int", "USD", "12"},
	{{"12 %", "7%"}, "int", "%", "12"},
	{{"(1,200.50)", "3.25"}, "decimal", "", "-1200.50"},
	{{"12.50-", "3.25"}, "decimal", "", "-12.50"},
	{{"1.5e3", "2"}, "decimal", "", "1500"},
	{{"1.5e-3", "2"}, "decimal", "", "0.0015"},
	{{"999999999999999", "1"}, "int", "", "999999999999999"},
	{{"1000000000000000", "1"}, "text", "", "1000000000000000"},
	{{"007", "8"}, "text", "", "007"},
	{{"0", "8"}, "int", "", "0"},
	{{"1e31", "1"}, "text", "", "1e31"},
	{{"1,23,456", "1"}, "text", "", "1,23,456"},
	{{"0,123", "x"}, "text", "", "0,123"},
	{{"1.2.3", "x"}, "text", "", "1.2.3"},
	{{"$", "$"}, "text", "", "$"},
	{{"(5", "5"}, "text", "", "(5"},
	{{"TRUE", "False"}, "bool", "", "true"},
	{{"y", "n"}, "bool", "", "true"},
	{{"yes", "maybe"}, "text", "", "yes"},
	{{"2025-02-28", "2024-02-29"}, "date", "", "2025-02-28"},
	{{"2025-02-29", "2024-02-28"}, "text", "", "2025-02-29"},
	{{"28/02/2025", "01/02/2025"}, "date", "", "2025-02-28"},
	{{"02/28/2025", "01/02/2025"}, "date", "", "2025-02-28"},
	{{"28.2.25", "1.2.25"}, "date", "", "2025-02-28"},
	{{"5/5/2025", "6/6/2025"}, "date", "", "2025-05-05"},
	{{"3 Sept 2025", "4 Oct 2025"}, "date", "", "2025-09-03"},
	{{"2025-01-01 00:30", "2025-01-02"}, "datetime", "", "2025-01-01 00:30:00.000"},
	{{"2025-01-01T00:30:00+01:00", "2025-01-01T00:30Z"},
	 "datetime",
	 "",
	 "2024-12-31 23:30:00.000"},
	{{"1/31/2025 12:05 AM", "1/31/2025 12:05 PM"}, "datetime", "", "2025-01-31 00:05:00.000"},
	{{"2025-01-01 24:00", "2025-01-01 10:00"}, "text", "", "2025-01-01 24:00"},
	{{"10:30", "11:30"}, "text", "", "10:30"},
	{{"2025", "2024"}, "int", "", "2025"},
	{{"NA", "n/a"}, "text", "", NULL},
	{{"-", "5"}, "int", "", NULL},
	{{" 5 ", "\xC2\xA0"
		 "6"},
	 "int",
	 "",
	 "5"},
	{{"Infinity", "1"}, "text", "", "Infinity"},
	{{"0x10", "1"}, "text", "", "0x10"},
	{{"12 apples", "3 pears"}, "text", "", "12 apples"},
	{{"+49 30 1234567", "+49 30 7654321"}, "text", "", "+49 30 1234567"},
	{{"192.168.0.1", "10.0.0.1"}, "text", "", "192.168.0.1"},
	{{"1/2", "3/4"}, "text", "", "1/2"},
	{{"\xE2\x82\xAC"
	  "5",
	  "\xE2\x82\xAC"
	  "7.25"},
	 "decimal",
	 "\xE2\x82\xAC",
	 "5"},
	{{"\xE2\x88\x92"
	  "5",
	  "7"},
	 "int",
	 "",
	 "-5"},
	{{"31.12.9999", "1.1.1000"}, "date", "", "9999-12-31"},
	{{"31.12.0999", "1.1.1000"}, "text", "", "31.12.0999"},
	{{"Mar 5 2024", "Apr 6 2024"}, "date", "", "2024-03-05"},
	{{"5-Mar-24", "6-Apr-24"}, "date", "", "2024-03-05"},
	{{"", ""}, "text", "", NULL},
};

static struct type_counts count_types(const char *const *cells)
{
	struct type_counts c = {0};

	for (; *cells; cells++)
		types_count(&c, str_of(*cells));
	return c;
}

static const char *format_value(const struct value *v, struct arena *a)
{
	if (v->type == VALUE_NULL)
		return NULL;
	if (v->type == VALUE_INT)
		return arena_printf(a, "%ld", (long)v->number);
	if (v->type == VALUE_BOOL)
		return v->number ? "true" : "false";
	return v->text;
}

/* Failures are counted, so that all lines of the table are checked. */
static int failures;

#define report_difference(...) (print_error(__VA_ARGS__), print_error("\n"), (void)failures++)

static void detects_column_types(void **state)
{
	struct arena *a = arena_new(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct column_case *x = &cases[i];
		struct type_counts c = count_types(x->cells);
		enum type_question question;
		struct cell_form f = types_decide(&c, &question);
		struct value v;
		const char *text;

		if (strcmp(column_type_name(f.type), x->type) != 0 || strcmp(f.unit, x->unit) != 0)
			report_difference("%s, %s: %s \"%s\"", x->cells[0], x->cells[1],
					  column_type_name(f.type), f.unit);
		if (!types_value(&f, str_of(x->cells[0]), a, &v)) {
			report_difference("%s is not of type %s", x->cells[0], x->type);
			continue;
		}
		text = format_value(&v, a);
		if ((text == NULL) != (x->first == NULL) || (text && strcmp(text, x->first) != 0))
			report_difference("%s: %s", x->cells[0], text ? text : "no value");
	}
	assert_int_equal(failures, 0);
	arena_free(&a);
}

static void check_question(const char *const *cells, enum type_question expected)
{
	struct type_counts c = count_types(cells);
	enum type_question question;

	types_decide(&c, &question);
	if (question != expected)
		report_difference("%s: %d", *cells, question);
}

#define CHECK_QUESTION(expected, ...)                                                              \
	check_question((const char *const[]){__VA_ARGS__, NULL}, expected)

static void asks_about_ambiguous_columns(void **state)
{
	(void)state;
	CHECK_QUESTION(QUESTION_DAY_OR_MONTH, "01/02/2025", "03/04/2025");
	CHECK_QUESTION(QUESTION_NONE, "01/02/2025", "13/04/2025");
	CHECK_QUESTION(QUESTION_NONE, "01/02/2025", "04/13/2025");
	CHECK_QUESTION(QUESTION_NONE, "01.02.2025", "03.04.2025");
	CHECK_QUESTION(QUESTION_NONE, "5/5/2025", "7/7/2025");
	CHECK_QUESTION(QUESTION_COMMA_OR_POINT, "1.234", "5.678");
	CHECK_QUESTION(QUESTION_COMMA_OR_POINT, "1,234", "5");
	CHECK_QUESTION(QUESTION_NONE, "1.234", "5.67");
	CHECK_QUESTION(QUESTION_NONE, "1,234.5", "5,678");
	CHECK_QUESTION(QUESTION_NONE, "12", "34");
	assert_int_equal(failures, 0);
}

/* Cells that do not fit the column's type are rejected. */
static void misfit_has_no_value(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct cell_form f = {.type = COLUMN_INT};
	struct value v;

	(void)state;
	assert_false(types_value(&f, STR("oops"), a, &v));
	assert_false(types_value(&f, STR("1.5"), a, &v));
	assert_false(types_value(&f, STR("$1"), a, &v));
	f.type = COLUMN_DATE;
	assert_false(types_value(&f, STR("2025-01-01 10:00"), a, &v));
	f = (struct cell_form){.type = COLUMN_DECIMAL, .digits = 4, .scale = 2};
	assert_false(types_value(&f, STR("1.234"), a, &v));
	assert_true(types_value(&f, STR(""), a, &v));
	assert_int_equal(v.type, VALUE_NULL);
	arena_free(&a);
}

/* A plus sign does not change the number, but forces the full parser. */
static void fast_path_equals_full_parser(void **state)
{
	static const char *const parts[] = {"",   "0",   "7",    "007",
					    "12", "123", "1234", "999999999999"};
	const size_t n = sizeof(parts) / sizeof(*parts);

	(void)state;
	for (size_t i = 0; i < n * n * 4; i++) {
		static const char *const signs[] = {"", ".", ",", "e"};
		char plain[64], full[65];
		struct cell_number a, b;

		snprintf(plain, sizeof(plain), "%s%s%s", parts[i % n], signs[i / (n * n)],
			 parts[i / n % n]);
		snprintf(full, sizeof(full), "+%s", plain);
		for (int comma = 0; comma < 2; comma++) {
			bool is_number = cell_number(str_of(plain), comma, &a);

			assert_int_equal(is_number, cell_number(str_of(full), comma, &b));
			if (is_number)
				assert_memory_equal(&a, &b, sizeof(a));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(detects_column_types),
		cmocka_unit_test(asks_about_ambiguous_columns),
		cmocka_unit_test(misfit_has_no_value),
		cmocka_unit_test(fast_path_equals_full_parser),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
