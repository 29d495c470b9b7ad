/* Profiles and header names: roles of columns, exact sums, duplicate rows, quality; plain unique
 * names; labels for prompts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "read/header.h"
#include "upload_int.h"
#include "vesper/json.h"
#include "vesper/mem.h"

#define ROWS 40

static struct shape_column columns[] = {
	{.name = "id", .label = "Id", .form = {.type = COLUMN_INT}, .example = ""},
	{.name = "region", .label = "Region", .form = {.type = COLUMN_TEXT}, .example = ""},
	{.name = "amount",
	 .label = "Amount ($)",
	 .form = {.type = COLUMN_DECIMAL, .digits = 6, .scale = 2, .unit = "$"},
	 .example = ""},
	{.name = "sold", .label = "Sold", .form = {.type = COLUMN_DATE}, .example = ""},
};

static const char *member(const json_t *profile, size_t column, const char *name, struct arena *a)
{
	const json_t *v =
		json_object_get(json_array_get(json_object_get(profile, "columns"), column), name);
	char *text = v ? json_text(v) : NULL;
	const char *copy = arena_strdup(a, text ? text : "-");

	if (text)
		mem_free(text);
	return copy;
}

static void profile_has_roles_sums_and_quality(void **state)
{
	const struct shape s = {.columns = columns, .column_count = 4, .delimiter = ','};
	struct arena *a = arena_new(1 << 20);
	struct profile *p = profile_new(&s);
	const char *text;
	json_t *json;
	struct err e;

	(void)state;
	for (int i = 0; i < ROWS; i++) {
		const struct value row[] = {
			value_int(i + 1), value_text(i % 2 ? "North" : "South"),
			i == 7 ? value_null() : value_decimal(arena_printf(a, "%d.10", i % 30)),
			value_date("2025-01-01")};

		profile_row(p, row);
	}
	profile_add_mismatch(p, 2, 9);
	text = profile_json(p, a);
	profile_free(&p);
	assert_true(json_parse(text, strlen(text), 1 << 20, &json, &e));
	assert_string_equal(member(json, 0, "role", a), "\"id\"");
	assert_string_equal(member(json, 1, "role", a), "\"dimension\"");
	assert_string_equal(member(json, 1, "distinct", a), "2");
	assert_string_equal(member(json, 2, "role", a), "\"measure\"");
	assert_string_equal(member(json, 2, "sum", a), "476.9");
	assert_string_equal(member(json, 2, "nulls", a), "1");
	assert_string_equal(member(json, 2, "misfit_lines", a), "[9]");
	assert_string_equal(member(json, 2, "unit", a), "\"$\"");
	assert_string_equal(member(json, 3, "role", a), "\"date\"");
	assert_int_equal(json_integer_value(json_object_get(json, "rows")), ROWS);
	assert_int_equal(json_integer_value(json_object_get(json, "duplicate_rows")), 0);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(json, "quality"), "score")),
		100);
	json_decref(json);
	arena_free(&a);
}

static void names_are_plain_and_unique(void **state)
{
	static const char *const labels[] = {"Order No.", "order no",     "",          "Select",
					     "7 days",    "\xC3\x84rger", "tenant_id", "a"};
	static const char *const expected[] = {"order_no", "order_no_2", "column_3",   "select_",
					       "days",     "rger",       "tenant_id_", "a"};
	struct arena *a = arena_new(1 << 20);
	const char *const *names = header_names(labels, 8, a);
	char *long_label = arena_alloc(a, 400);

	(void)state;
	for (size_t i = 0; i < 8; i++)
		assert_string_equal(names[i], expected[i]);
	memset(long_label, 'x', 399);
	assert_true(strlen(header_names((const char *const[]){long_label}, 1, a)[0]) <=
		    HEADER_NAME_BYTES);
	assert_int_equal(strlen(header_label(str_of(long_label), a)), HEADER_LABEL_CHARS);
	assert_string_equal(header_label(STR("\xE2\x80\xAE"
					     "am\x07ount\xE2\x80\xAC "),
					 a),
			    "amount");
	assert_string_equal(header_prompt_label("Amount (\"$\")", "amount", a), "Amount $");
	assert_string_equal(
		header_prompt_label("one two three four five six seven eight nine", "n", a), "n");
	assert_string_equal(header_prompt_label("<<>>", "n", a), "n");
	arena_free(&a);
}

/* The indexes of a table with an additional column, as text: " 0:12 3:". */
static const char *list_covers(const char *column, int64_t rows)
{
	static char indexes[200];
	static const char other_columns[] =
		"[{'name':'day','type':'date','role':'date'},"
		"{'name':'amount','role':'measure','scale':2,'min':'-5','max':'99.5'},"
		"{'name':'region','type':'text','role':'dimension'},"
		"{'name':'shipped','type':'date','role':'date'},";
	char text[600];
	struct upload_cover list[UPLOAD_COVERING_INDEXES_MAX];
	size_t count, n = 0;
	json_t *all;
	struct err e;

	snprintf(text, sizeof(text), "%s%s]", other_columns, column);
	for (char *p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	assert_true(json_parse(text, strlen(text), sizeof(text), &all, &e));
	count = profile_covers(all, rows, list);
	indexes[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		n += (size_t)snprintf(indexes + n, sizeof(indexes) - n, " %zu:", list[i].column);
		for (size_t k = 0; k < list[i].sum_count; k++)
			n += (size_t)snprintf(indexes + n, sizeof(indexes) - n, "%zu",
					      list[i].sums[k]);
	}
	json_decref(all);
	return indexes;
}

/* A query that uses an index by day adds values in a different order, so the index covers only
 * columns whose sums are exact. */
static void day_indexes_cover_only_exact_sums(void **state)
{
	(void)state;
	assert_string_equal(
		list_covers("{'role':'measure','scale':0,'min':'1','max':'9000'}", 1000000),
		" 0:14 2:14");
	assert_string_equal(list_covers("{'role':'measure','scale':7,'min':'0','max':'1'}", 10),
			    " 0:1 2:14");
	assert_string_equal(list_covers("{'role':'measure','min':'0','max':'1'}", 10), " 0:1 2:14");
	assert_string_equal(list_covers("{'role':'measure','scale':2,'min':'-9100000000'}", 10),
			    " 0:1 2:14");
	assert_string_equal(list_covers("{'role':'measure','scale':2,'max':'5000000000'}", 1000),
			    " 0:1 2:14");
	assert_string_equal(list_covers("{'role':'measure','scale':2,'max':'5000000000'}", 900),
			    " 0:14 2:14");
	assert_string_equal(list_covers("{'role':'text'}", UPLOAD_COVERED_ROWS + 1), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profile_has_roles_sums_and_quality),
		cmocka_unit_test(names_are_plain_and_unique),
		cmocka_unit_test(day_indexes_cover_only_exact_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
