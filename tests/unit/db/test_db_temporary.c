/* Data that does not fit SQLite's cache goes to temporary files in memory. It is read back
 * unchanged, counts towards the statement's limit, and no file is opened. */
#include "db_test.h"

#include <dirent.h>
#include <unistd.h>

#include "vesper/limits.h"

#define NUMBERS "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT %d) "
#define ROWS    400000 /* 20 MB: ten times what is sorted at once */

static struct answer read_numbers(struct fixture *f, const char *select, int rows)
{
	char text[1024];
	struct answer a;

	snprintf(text, sizeof(text), NUMBERS "%s", rows, select);
	start(f, "acme", false, text, NULL, 0, &a);
	wait_for(f, &a);
	return a;
}

static void open_reader(struct fixture *f)
{
	struct db_options options = fixture_options(f, true);

	options.timeout_ms = 600000; /* generous for busy machines; not part of the test */
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	tenant_file_make(f->acme, "acme");
}

static size_t open_temporary_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	char path[300], target[300];
	size_t n = 0;

	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		ssize_t len;

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		len = readlink(path, target, sizeof(target) - 1);
		target[len > 0 ? len : 0] = '\0';
		n += strstr(target, "etilqs") != NULL;
	}
	closedir(dir);
	return n;
}

static void sorts_more_rows_than_fit_cache(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	open_reader(f);
	/* Each row is compared with the previous one, and none is lost. */
	a = read_numbers(
		f,
		"SELECT count(*), sum(n), sum(s < coalesce(before, '')) FROM (SELECT n, s, lag(s) "
		"OVER (ORDER BY s) AS before FROM (SELECT n, printf('%012d-%030d', n * 7919 % "
		"400009, n) AS s FROM c ORDER BY s))",
		ROWS);
	assert_int_equal(a.err.code, ERR_NONE);
	assert_string_equal(a.table->rows[0][0], "400000");
	assert_string_equal(a.table->rows[0][1], "80000200000");
	assert_string_equal(a.table->rows[0][2], "0");
	table_free(&a.table);
	assert_int_equal(open_temporary_files(), 0);
}

static void groups_and_distinct_are_complete(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	open_reader(f);
	a = read_numbers(
		f,
		"SELECT count(*), sum(k) FROM (SELECT n % 1000 AS g, count(*) AS k FROM c GROUP BY "
		"g)",
		ROWS);
	assert_string_equal(a.table->rows[0][0], "1000");
	assert_string_equal(a.table->rows[0][1], "400000");
	table_free(&a.table);
	a = read_numbers(
		f, "SELECT count(*) FROM (SELECT DISTINCT printf('%060d', n % 150000) FROM c)",
		ROWS);
	assert_string_equal(a.table->rows[0][0], "150000");
	table_free(&a.table);
}

static void limits_memory_of_sorts(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	open_reader(f);
	a = read_numbers(f, "SELECT n FROM c ORDER BY printf('%.*c', 1000000, 'a') || n",
			 DB_STATEMENT_BYTES_MAX / 1000000 + 10);
	assert_int_equal(a.err.code, ERR_LIMIT);
	assert_non_null(strstr(a.err.text, "memory"));
	table_free(&a.table);
	a = read_numbers(f, "SELECT max(n) FROM c", 10);
	assert_int_equal(a.err.code, ERR_NONE);
	table_free(&a.table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(sorts_more_rows_than_fit_cache),
		DB_TEST(groups_and_distinct_are_complete),
		DB_TEST(limits_memory_of_sorts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
