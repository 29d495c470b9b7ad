/* The demo's sources other than the warehouse: each has the tables of its pack, referring tables
 * first, and a file for each tenant that has it. */
#include "demo/demo_data.h"
#include "demo/demo_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/arena.h"
#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/strlist.h"

#define TABLES_BYTES_MAX (1 << 20)

static void finds_sources_by_name(void **state)
{
	(void)state;
	assert_string_equal(demo_source_find("solar")->largest_table, "measurements");
	assert_string_equal(demo_source_find("city")->name, "city");
	assert_null(demo_source_find("warehouse"));
	assert_null(demo_source_find(""));
	assert_true(demo_data_has_source("city"));
	assert_false(demo_data_has_source("energy"));
}

/* The name without its schema ("city.ent_projects"). */
static const char *without_schema(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

static void check_tables(const char *source, const char *path, struct arena *a)
{
	const struct demo_source *s = demo_source_find(source);
	const json_t *table, *tables;
	const char *text;
	json_t *root;
	struct err e;
	size_t i;

	assert_true(file_read(path, TABLES_BYTES_MAX, a, &text, &e));
	assert_true(json_parse(text, strlen(text), TABLES_BYTES_MAX, &root, &e));
	tables = json_object_get(json_own(a, root), "tables");
	assert_true(json_array_size(tables) > 0);
	assert_int_equal(strlist_len(s->tables), json_array_size(tables));
	json_array_foreach((json_t *)tables, i, table)
		if (!strlist_has(s->tables,
				 without_schema(json_string_value(json_object_get(table, "name")))))
			fail_msg("%s lacks %s", source,
				 json_string_value(json_object_get(table, "name")));
	assert_true(strlist_has(s->tables, s->largest_table));
}

static void sources_have_the_tables_of_their_packs(void **state)
{
	struct arena *a = arena_new(1 << 24);

	(void)state;
	check_tables("solar", VESPER_SOURCE_DIR "/sql/solar/tables.json", a);
	check_tables("city", VESPER_SOURCE_DIR "/sql/city/tables.json", a);
	arena_free(&a);
}

/* Tables are emptied in this order, so join tables must precede the tables that they join. */
static void join_tables_come_first(void **state)
{
	const struct demo_source *s = demo_source_find("city");
	bool has_other = false;

	(void)state;
	for (const char *const *t = s->tables; *t; t++) {
		bool joins = strncmp(*t, "jt_", 3) == 0;

		assert_false(joins && has_other);
		has_other = has_other || !joins;
	}
}

/* A file has one tenant. A server also has rows of another one, to test isolation. */
static void servers_have_more_tenants_than_files(void **state)
{
	const struct demo_source *s = demo_source_find("city");

	(void)state;
	assert_int_equal(strlist_len(s->files), 1);
	assert_true(strlist_has(s->tenants, s->files[0]));
	assert_int_equal(strlist_len(s->tenants), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_sources_by_name),
		cmocka_unit_test(sources_have_the_tables_of_their_packs),
		cmocka_unit_test(join_tables_come_first),
		cmocka_unit_test(servers_have_more_tenants_than_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
