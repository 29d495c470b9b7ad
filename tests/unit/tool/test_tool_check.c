/* The check against the live schema runs every statement of every tool and reports those that the
 * database rejects. */
#include "tool_test.h"

static char problems[4096];
static int finished;

static void on_problem(void *owner, const char *text)
{
	size_t n = strlen(problems);

	(void)owner;
	snprintf(problems + n, sizeof(problems) - n, "%s\n", text);
}

static void on_finished(void *owner)
{
	(void)owner;
	finished++;
}

static void check(void)
{
	problems[0] = '\0';
	finished = 0;
	open_box((const struct domain *const[]){NULL});
	toolbox_check(box, "acme", on_problem, on_finished, NULL);
	assert_int_equal(finished, 0); /* never within the call */
	for (int i = 0; i < 100 && !finished; i++)
		loop_run_once(loop);
	assert_int_equal(finished, 1);
}

static int count_statements(void)
{
	size_t n = 0;

	for (size_t i = 0; i < catalog->tool_count; i++)
		n += catalog->tools[i].files[DIALECT_SQLITE]->query_count;
	for (size_t i = 0; i < catalog->dimension_count; i++)
		n += (catalog->dimensions[i].view ? 1u : 0u) +
		     (catalog->dimensions[i].watermark ? 1u : 0u);
	return (int)n;
}

static void runs_every_statement_under_the_tenant(void **state)
{
	(void)state;
	check();
	assert_string_equal(problems, "");
	assert_int_equal(recorded.queries, 1 + count_statements()); /* one probe of the source */
	assert_string_equal(recorded.tenant, "acme");
}

static void reports_statements_that_the_database_rejects(void **state)
{
	struct err e = {0};

	(void)state;
	err_set(&e, ERR_UPSTREAM, "no such column: da.PRISE");
	recorded.err = &e;
	recorded.err_after = 1;
	check();
	for (size_t i = 0; i < catalog->tool_count; i++)
		assert_non_null(strstr(problems, catalog->tools[i].path));
	for (size_t i = 0; i < catalog->dimension_count; i++)
		if (catalog->dimensions[i].view)
			assert_non_null(strstr(problems, catalog->dimensions[i].name));
	assert_non_null(strstr(problems, "tenant acme: no such column: da.PRISE"));
}

static void reports_unavailable_source_once(void **state)
{
	struct err e = {0};

	(void)state;
	err_set(&e, ERR_UPSTREAM, "warehouse:acme: unable to open database");
	recorded.err = &e;
	check();
	assert_string_equal(problems, "tenant acme: warehouse:acme: unable to open database; the "
				      "other statements of this source were skipped\n");
	assert_int_equal(recorded.queries, 1);
	assert_string_equal(recorded.statements[0].text, "SELECT 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(runs_every_statement_under_the_tenant, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(reports_statements_that_the_database_rejects,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(reports_unavailable_source_once, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
