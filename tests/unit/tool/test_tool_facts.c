/* Compares the facts of a result with those that its tool's file declares. */
#include "tool_int.h"

#include "tool_test.h"

static const struct param_def params[] = {{.name = "metric", .type = PARAM_TEXT}};
static const struct fact_def facts[] = {
	{.name = "best", .type = FACT_TEXT},
	{.name = "gap", .unit = "$", .optional = true},
	{.name = "sum", .unit_of = "metric", .optional = true},
};
static const struct tool_def tool = {
	.name = "t", .params = params, .param_count = 1, .facts = facts, .fact_count = 3};

static struct result *result_with_rows(void)
{
	struct result *r = result_new(arena);
	struct table *t = table_new(1 << 16);

	table_add_column(t, "Price", COLUMN_DECIMAL, NULL);
	table_add_column(t, "Hours", COLUMN_INT, NULL);
	t->columns[0].unit = "$";
	t->columns[1].unit = "hours";
	result_add_table(r, arena, t);
	r->outcome.kind = OUTCOME_ROWS;
	return r;
}

static void add(struct result *r, const char *name, const char *unit)
{
	result_add_fact(r, arena,
			(struct fact){.name = name, .label = "x", .value = "1", .unit = unit});
}

static void assert_error(const struct result *r, const char *what)
{
	const char *error = tool_facts_error(&tool, r, arena);

	if (!what)
		assert_null(error);
	else if (!error || !strstr(error, what))
		fail_msg("\"%s\" does not contain \"%s\"", error ? error : "", what);
}

static void rejects_undeclared_fact(void **state)
{
	struct result *r = result_with_rows();

	(void)state;
	add(r, "best", NULL);
	assert_error(r, NULL);
	add(r, "gap", "$");
	add(r, RESULT_FRAME_SAMPLED, NULL); /* any tool may have it */
	assert_error(r, NULL);
	add(r, "worst", NULL);
	assert_error(r, "fact worst is added but not declared");
}

static void rejects_missing_required_fact(void **state)
{
	struct result *r = result_with_rows();

	(void)state;
	assert_error(r, "required fact best is missing");
	r->outcome.kind = OUTCOME_EMPTY;
	assert_error(r, NULL);
	r->outcome.kind = OUTCOME_ROWS;
	result_facts_truncated(r, arena);
	assert_error(r, NULL);
}

static void rejects_undeclared_unit(void **state)
{
	struct result *r = result_with_rows();

	(void)state;
	add(r, "best", NULL);
	add(r, "gap", "%");
	assert_error(r, "fact gap has the unit %, but $ is declared");
	r = result_with_rows();
	add(r, "best", NULL);
	add(r, "sum", "hours");
	args_set(&r->args, arena, "metric", value_text("Hours"));
	assert_error(r, NULL);
	args_set(&r->args, arena, "metric", value_text("Price"));
	assert_error(r, "fact sum has the unit hours, but $ is declared");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rejects_undeclared_fact),
		TEST(rejects_missing_required_fact),
		TEST(rejects_undeclared_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
