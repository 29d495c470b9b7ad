/* Opening the store: broken statement files and migrations stop the start, with file and line. */
#include "store_test.h"

#include <sys/stat.h>

static void folder_make(struct fixture *f, const char *name)
{
	assert_int_equal(mkdir(arena_printf(f->arena, "%s/%s", f->dir, name), 0700), 0);
}

static void file_write(struct fixture *f, const char *name, const char *text)
{
	FILE *out = fopen(arena_printf(f->arena, "%s/%s", f->dir, name), "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

/* The real statements with one text replaced. */
static void statements_replace(struct fixture *f, const char *from, const char *to)
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
	file_write(
		f, "sql/store/store.sql",
		arena_printf(f->arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)));
	mem_free(text);
}

static void root_make(struct fixture *f)
{
	folder_make(f, "sql");
	folder_make(f, "sql/store");
	folder_make(f, "sql/store/sqlite");
}

static void refused(struct fixture *f, const char *why)
{
	struct store *s = NULL;
	struct err e = {0};

	assert_false(store_new(f->loop, f->db, f->dir, &s, &e));
	assert_null(s);
	if (!strstr(e.text, why))
		fail_msg("'%s' does not say '%s'", e.text, why);
}

static void checks_statements_and_their_arguments(void **state)
{
	struct fixture *f = *state;

	root_make(f);
	file_write(f, "sql/store/sqlite/001_x.sql", "CREATE TABLE x (n int)");
	refused(f, "store.sql");
	statements_replace(f, "--# query session_one", "--# query session_two");
	refused(f, "session_one");
	statements_replace(f,
			   "WHERE s.session_id = :session_id AND s.tenant_id = :tenant_id AND "
			   "s.user_id = :user_id\n\n",
			   "WHERE s.session_id = :sesion_id\n\n");
	refused(f, ":sesion_id");
}

static void migrations_are_numbered_without_gaps(void **state)
{
	struct fixture *f = *state;
	struct store *s;

	root_make(f);
	statements_replace(f, "", "");
	refused(f, "migrations");
	file_write(f, "sql/store/sqlite/001_x.sql", "CREATE TABLE x (n int)");
	assert_true(store_new(f->loop, f->db, f->dir, &s, NULL));
	store_free(&s);
	assert_null(s);
	file_write(f, "sql/store/sqlite/003_z.sql", "CREATE TABLE z (n int)");
	refused(f, "number 002");
	file_write(f, "sql/store/sqlite/002_y.sql", "SELECT :argument");
	refused(f, "arguments");
	file_write(f, "sql/store/sqlite/002_y.sql", "CREATE TABLE y (n int)");
	file_write(f, "sql/store/sqlite/later.sql", "CREATE TABLE y (n int)");
	refused(f, "NNN_name.sql");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST_BARE(checks_statements_and_their_arguments),
		STORE_TEST_BARE(migrations_are_numbered_without_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
