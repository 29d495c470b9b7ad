/* A query over the map as a call: its filters, its tool and its domain. */
#include "metrics_test.h"

#define LIST_OF_SOLAR "solar projects above $2M"

/* What was understood is shown: values may be edited, anything else is only told. */
static void filters_show_what_was_understood(void **state)
{
	struct understanding u = after(NULL, "late solar projects above $2M not on track", NULL);
	const struct filter *f;

	(void)state;
	assert_non_null(query_in(&u));
	f = filter_in(&u, "technology");
	assert_non_null(f);
	assert_string_equal(f->values[0].text, "Solar");
	assert_false(f->fixed);
	assert_string_equal(filter_in(&u, "overdue")->label, "overdue");
	assert_true(filter_in(&u, "overdue")->fixed);
	assert_string_equal(filter_in(&u, "budget")->label, "> 2000000 $");
	assert_string_equal(filter_in(&u, "budget")->values[0].text, "2000000");
	assert_string_equal(filter_in(&u, "not_status_color")->label, "≠ on_track");
	u = after("views by workspace in 2025", "by month", NULL);
	assert_int_equal(filter_in(&u, "date_range_start")->source, SOURCE_CARRIED);
	assert_string_equal(filter_in(&u, "date_range_end")->values[0].text, "2025-12-31");
	u = after(LIST_OF_SOLAR, "and late?", NULL);
	assert_int_equal(filter_in(&u, "technology")->source, SOURCE_CARRIED);
	assert_int_equal(filter_in(&u, "overdue")->source, SOURCE_EXPLICIT);
}

/* The domain is that whose tools are about what is asked for. */
static void query_belongs_to_closest_domain(void **state)
{
	struct understanding u = after(NULL, "How many tasks are overdue?", NULL);

	(void)state;
	assert_string_equal(u.agents[0], "per_agent");
	assert_string_equal(u.intent, "project_execution");
	u = after(NULL, "views by weekday", NULL);
	assert_string_equal(u.agents[0], "pbi_metrics_agent");
	assert_string_equal(u.tools[0].name, "query_metrics");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_show_what_was_understood),
		cmocka_unit_test(query_belongs_to_closest_domain),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
