/* Reports and roles. */
#include "catalog_test.h"

static void reports_can_share_a_menu(void **state)
{
	(void)state;
	load();
	assert_int_equal(catalog->report_count, 2);
	assert_string_equal(catalog_report(catalog, "price_report")->label, "Prices");
	assert_string_equal(catalog_report(catalog, "price_report")->url, "https://x.test/p");
	assert_null(catalog_report(catalog, "prices"));

	temp_root_write(&root, "config/energy/reports.json",
			"{\"menus\": {\"m\": {\"label\": \"M\"}},"
			" \"reports\": {\"price_report\": \"m\"}}");
	load();
	assert_string_equal(catalog_report(catalog, "price_report")->url, "");
}

static void rejects_invalid_reports(void **state)
{
	(void)state;
	const char *file = "config/energy/reports.json";

	assert_change_rejected(file, SMALL_REPORTS, "\"price_report\": \"prices\"",
			       "\"price_report\": \"price\"", "price_report has no menu");
	assert_change_rejected(file, SMALL_REPORTS,
			       "https:", "http:", "url must begin with https://");
	assert_change_rejected(file, SMALL_REPORTS, "\"label\"", "\"lable\"", "lable");
}

static void rejects_invalid_roles(void **state)
{
	(void)state;
	assert_change_rejected("config/permissions.json", SMALL_PERMISSIONS,
			       "\"reader\": [\"chat:use\"", "\"reader\": [\"chat:usee\"",
			       "reader: chat:usee is not a permission");
	assert_rejected("config/permissions.json", "{\"permissions\": [1], \"roles\": {}}",
			"not a string");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reports_can_share_a_menu),
		TEST(rejects_invalid_reports),
		TEST(rejects_invalid_roles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
