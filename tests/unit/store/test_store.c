/* Opening the store: invalid statement files and migrations prevent the start. The error names the
 * fault. */
#include "store_test.h"

#include <sys/stat.h>

static void make_folder(struct fixture *f, const char *name)
{
	assert_int_equal(mkdir(arena_printf(f->arena, "%s/%s", f->dir, name), 0700), 0);
}

static void write_file(struct fixture *f, const char *name, const char *text)
{
	FILE *out = fopen(arena_printf(f->arena, "%s/%s", f->dir, name), "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

/* Writes the product's statements with one text replaced. */
static void write_statements_with(struct fixture *f, const char *from, const char *to)
{
	const char *path = arena_printf(f->arena, "%s/sql/store/store.sql", VESPER_SOURCE_DIR);
	char *text = mem_alloc(1 << 16);
	FILE *in = fopen(path, "r");
	char *at;

	assert_non_null(in);
	assert_true(fread(text, 1, (1 << 16) - 1, in) > 0);
	fclose(in);
	at = strstr(text, from);
	assert_non_null(at);
	write_file(
		f, "sql/store/store.sql",
		arena_printf(f->arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)));
	mem_free(text);
}

static void make_folders(struct fixture *f)
{
	make_folder(f, "sql");
	make_folder(f, "sql/store");
	make_folder(f, "sql/store/sqlite");
}

static void assert_start_fails(struct fixture *f, const char *reason)
{
	struct store *s = NULL;
	struct err e = {0};

	assert_false(store_new(f->loop, f->db, f->dir, &s, &e));
	assert_null(s);
	if (!strstr(e.text, reason))
		fail_msg("'%s' does not contain '%s'", e.text, reason);
}

static void rejects_missing_statements_and_unknown_arguments(void **state)
{
	struct fixture *f = *state;

	make_folders(f);
	write_file(f, "sql/store/sqlite/001_x.sql", "CREATE TABLE x (n int)");
	assert_start_fails(f, "store.sql");
	write_statements_with(f, "--# query session_one", "--# query session_two");
	assert_start_fails(f, "session_one");
	write_statements_with(f,
			      "WHERE s.session_id = :session_id AND s.tenant_id = :tenant_id AND "
			      "s.user_id = :user_id\n\n",
			      "WHERE s.session_id = :sesion_id\n\n");
	assert_start_fails(f, ":sesion_id");
}

static void rejects_invalid_migrations(void **state)
{
	struct fixture *f = *state;
	struct store *s;

	make_folders(f);
	write_statements_with(f, "", "");
	assert_start_fails(f, "migrations");
	write_file(f, "sql/store/sqlite/001_x.sql", "CREATE TABLE x (n int)");
	assert_true(store_new(f->loop, f->db, f->dir, &s, NULL));
	store_free(&s);
	assert_null(s);
	write_file(f, "sql/store/sqlite/003_z.sql", "CREATE TABLE z (n int)");
	assert_start_fails(f, "number 002");
	write_file(f, "sql/store/sqlite/002_y.sql", "SELECT :argument");
	assert_start_fails(f, "arguments");
	write_file(f, "sql/store/sqlite/002_y.sql", "CREATE TABLE y (n int)");
	write_file(f, "sql/store/sqlite/later.sql", "CREATE TABLE y (n int)");
	assert_start_fails(f, "NNN_name.sql");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST_UNMIGRATED(rejects_missing_statements_and_unknown_arguments),
		STORE_TEST_UNMIGRATED(rejects_invalid_migrations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
