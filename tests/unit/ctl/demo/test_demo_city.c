/* The demo's city: the file has the planted rows, references exist, and generation is
 * deterministic. */
#include "demo/demo_city.h"
#include "demo/demo_data.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define TABLES VESPER_SOURCE_DIR "/sql/city/tables.json"

static char folder[] = "/tmp/vesper-city-XXXXXX";
static char file[64];
static sqlite3 *noor;

static int set_up(void **state)
{
	struct err e = {0};

	(void)state;
	if (!mkdtemp(folder) || !demo_data_make_source("city", TABLES, folder, false, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	snprintf(file, sizeof(file), "%s/noor.db", folder);
	return sqlite3_open_v2(file, &noor, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK ? 0 : 1;
}

static int tear_down(void **state)
{
	(void)state;
	sqlite3_close(noor);
	unlink(file);
	return rmdir(folder);
}

static int64_t count(const char *fmt, ...)
{
	sqlite3_stmt *stmt = NULL;
	int64_t n = -1;
	va_list args;
	char *sql;

	va_start(args, fmt);
	sql = sqlite3_vmprintf(fmt, args);
	va_end(args);
	if (sqlite3_prepare_v2(noor, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(noor));
	if (sqlite3_step(stmt) == SQLITE_ROW)
		n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
	return n;
}

static void has_the_planted_rows(void **state)
{
	(void)state;
	assert_int_equal(count("SELECT COUNT(*) FROM ent_risks"), 640);
	assert_int_equal(count("SELECT COUNT(DISTINCT category) FROM ent_risks"), 5);
	assert_int_equal(count("SELECT MIN(score) * 100 + MAX(score) FROM ent_risks"), 125);
	assert_int_equal(count("SELECT COUNT(*) FROM jt_ent_projects_ent_change_adoption_join"), 3);
	assert_int_equal(count("SELECT COUNT(*) FROM ent_projects WHERE year < 2023"), 0);
	assert_int_equal(count("SELECT COUNT(*) FROM ent_it_systems WHERE level = 'L1'"), 12);
	assert_int_equal(count("SELECT COUNT(*) FROM ent_it_systems WHERE level = 'L2'"), 60);
	assert_int_equal(count("SELECT COUNT(*) FROM ent_it_systems WHERE level = 'L3'"), 240);
	assert_int_equal(count("SELECT COUNT(*) FROM jt_ent_projects_ent_risks_join "
			       "WHERE project_id = 1 AND year = 2026"),
			 3);
}

static void has_sixty_tables_and_forty_thousand_rows(void **state)
{
	int64_t rows = 0;

	(void)state;
	assert_int_equal(demo_city_table_count + demo_city_link_count, 60);
	for (size_t i = 0; i < demo_city_table_count; i++)
		rows += count("SELECT COUNT(*) FROM %s", demo_city_tables[i].name);
	for (size_t i = 0; i < demo_city_link_count; i++)
		rows += count("SELECT COUNT(*) FROM jt_%s_%s_join", demo_city_links[i].left,
			      demo_city_links[i].right);
	assert_in_range(rows, 39000, 41000);
}

static void references_exist_in_their_year(void **state)
{
	(void)state;
	for (size_t i = 0; i < demo_city_link_count; i++) {
		const struct city_link *l = &demo_city_links[i];
		const char *ends[][2] = {{l->left, l->left_column}, {l->right, l->right_column}};

		for (size_t k = 0; k < 2; k++)
			assert_int_equal(
				count("SELECT COUNT(*) FROM jt_%s_%s_join j WHERE NOT EXISTS "
				      "(SELECT 1 FROM %s t WHERE t.id = j.%s AND t.year = j.year)",
				      l->left, l->right, ends[k][0], ends[k][1]),
				0);
	}
	for (size_t i = 0; i < demo_city_table_count; i++)
		for (size_t k = 0; k < demo_city_tables[i].column_count; k++) {
			const struct city_table *t = &demo_city_tables[i];
			const struct city_column *c = &t->columns[k];

			if (c->kind != CITY_REF && c->kind != CITY_PARENT)
				continue;
			assert_int_equal(
				count("SELECT COUNT(*) FROM %s t WHERE %s IS NOT NULL AND NOT "
				      "EXISTS (SELECT 1 FROM %s o WHERE o.id = t.%s AND o.year = "
				      "t.year)",
				      t->name, c->name, c->of ? c->of : t->name, c->name),
				0);
		}
}

static void parents_are_one_level_above(void **state)
{
	(void)state;
	for (size_t i = 0; i < demo_city_table_count; i++) {
		const struct city_table *t = &demo_city_tables[i];

		if (t->column_count == 0 || t->columns[0].kind != CITY_LEVEL)
			continue;
		assert_int_equal(count("SELECT COUNT(*) FROM %s WHERE (parent_id IS NULL) <> "
				       "(level = 'L1')",
				       t->name),
				 0);
		assert_int_equal(count("SELECT COUNT(*) FROM %s c JOIN %s p ON p.id = c.parent_id "
				       "AND p.year = c.year WHERE substr(p.level, 2) + 1 <> "
				       "CAST(substr(c.level, 2) AS INTEGER)",
				       t->name, t->name),
				 0);
	}
}

static void keeps_a_current_file(void **state)
{
	struct err e = {0};
	struct stat before, after;

	(void)state;
	assert_int_equal(stat(file, &before), 0);
	assert_true(demo_data_make_source("city", TABLES, folder, false, &e));
	assert_int_equal(stat(file, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino); /* a current file is kept */
	assert_int_equal(count("SELECT SUM(id * score) FROM ent_risks"), 666680);
	assert_false(demo_data_make_source("city", TABLES, "/nowhere/at/all", false, &e));
	assert_true(demo_data_has_source("city"));
	assert_false(demo_data_has_source("moon"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_the_planted_rows),
		cmocka_unit_test(has_sixty_tables_and_forty_thousand_rows),
		cmocka_unit_test(references_exist_in_their_year),
		cmocka_unit_test(parents_are_one_level_above),
		cmocka_unit_test(keeps_a_current_file),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
