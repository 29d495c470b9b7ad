/* Components of a plan: values that fit a prop are filled in, others are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "answer_int.h"
#include "vesper/component.h"
#include "vesper/json.h"
#include "vesper/limits.h"

static struct catalog *catalog;
static struct arena *arena;
static struct result result;
static const struct task_show show = {.id = "show1", .component = "ProjectCard"};

static int setup(void **state)
{
	struct err e = {0};

	(void)state;
	arena = arena_new(1 << 22);
	return catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e)
		       ? 0
		       : -1;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	catalog_unref(&catalog);
	return 0;
}

static struct shown_prop prop(const char *name, const char *text)
{
	return (struct shown_prop){
		.name = name, .text = text, .place = {.result = &result, .column = -1}};
}

static json_t *view_of(const struct shown *s)
{
	struct buf out;
	struct err e;
	json_t *v;

	buf_init(&out, COMPONENT_BYTES_MAX);
	component_view(&out, catalog, s, "show1-v1", arena);
	if (!json_parse(buf_text(&out), out.n, COMPONENT_BYTES_MAX, &v, &e))
		fail_msg("%s: %s", e.text, buf_text(&out));
	buf_deinit(&out);
	return json_own(arena, v);
}

static void props_have_declared_types(void **state)
{
	struct shown_prop props[] = {prop("project", "Sierra Wind"), prop("risks", "2.5"),
				     prop("budget", "5600000.10"), prop("budgetUsed", "much"),
				     prop("stage", "Stage 3")};
	const struct shown s = {&show, props, 5};
	json_t *v, *filled;

	(void)state;
	result.call = "c1";
	v = view_of(&s);
	filled = json_object_get(v, "props");
	assert_string_equal(json_string_value(json_object_get(v, "component")), "ProjectCard");
	assert_null(json_object_get(filled, "risks")); /* an integer has no decimal point */
	assert_null(json_object_get(filled, "budgetUsed"));
	assert_true(json_real_value(json_object_get(filled, "budget")) == 5600000.10);
	assert_string_equal(json_string_value(json_object_get(v, "text")), "Sierra Wind, Stage 3.");
	assert_int_equal(json_array_size(json_object_get(v, "calls")), 1);
}

static void rejects_missing_or_mistyped_required_prop(void **state)
{
	const struct component_def *d = catalog_component(catalog, "ProjectCard");
	struct shown_prop props[] = {prop("stage", "Stage 3"), prop("project", NULL)};
	struct shown s = {&show, props, 1};

	(void)state;
	assert_string_equal(component_missing_prop(d, &s), "project");
	s.prop_count = 2; /* a table is not a text */
	assert_string_equal(component_missing_prop(d, &s), "project");
	props[1].text = "Sierra Wind";
	assert_null(component_missing_prop(d, &s));
}

static void table_has_declared_columns(void **state)
{
	static const char *const names[] = {"milestone", "other", "Planned_Date", NULL};
	struct table *t = table_new(1 << 16);
	struct shown_prop props[] = {prop("project", "P"), prop("dates", NULL)};
	const struct shown s = {&show, props, 2};
	const char *row[] = {"COD", "x", "2028-08-15"};
	const char **rows[] = {row, row};
	struct column columns[3] = {0};
	json_t *table;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		columns[i].name = names[i];
	t->columns = columns;
	t->column_count = 3;
	t->rows = rows;
	t->row_count = 2;
	props[1].place.table = t;
	table = json_object_get(json_object_get(view_of(&s), "props"), "dates");
	assert_int_equal(json_array_size(json_object_get(table, "columns")), 2);
	assert_string_equal(
		json_string_value(json_array_get(
			json_object_get(json_object_get(table, "data_dict"), "PlannedDate"), 1)),
		"2028-08-15");
	assert_int_equal(json_integer_value(json_object_get(table, "row_count")), 2);
	table_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(props_have_declared_types),
		cmocka_unit_test(rejects_missing_or_mistyped_required_prop),
		cmocka_unit_test(table_has_declared_columns),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
