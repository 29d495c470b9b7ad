/* The list of modules matches the product's files. */
#include "domain_test.h"

#include <stdio.h>
#include <unistd.h>

static void modules_and_files_agree(void **state)
{
	(void)state;
	struct recording_db recorded;

	begin();
	recording_db_init(&recorded, loop);
	warehouse = db_from_driver(&recording_db_driver, &recorded, DIALECT_MSSQL);
	open_tools();
	for (const struct domain *const *m = domain_modules; *m; m++) {
		bool found = false;
		char prompt[512];

		for (size_t i = 0; i < catalog->domain_count; i++)
			found = found || strcmp(catalog->domains[i].name, (*m)->name) == 0;
		assert_int_equal(found, catalog_has_pack(catalog, (*m)->pack));
		snprintf(prompt, sizeof(prompt), VESPER_SOURCE_DIR "/prompts/%s/%s.md", (*m)->pack,
			 (*m)->name);
		assert_int_equal(access(prompt, R_OK), 0);
	}
	end();
	recording_db_deinit(&recorded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_and_files_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
