/* Databases other than the warehouse: in the file, the environment, and the map of tenants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vesper/config.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/str.h"

#define ENV(...) ((char *const[]){__VA_ARGS__, NULL})
#define NO_ENV   ((char *const[]){NULL})

static char path[64];

static const char *file_with(const char *text)
{
	memcpy(path, "/tmp/vesper_config_XXXXXX", 26);
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return path;
}

/* The key `sources` as text, or the error. Free with mem_free. */
static char *sources_of(const char *text, char *const *env, bool printed)
{
	struct config *c = NULL;
	struct err e;
	char *out;

	if (!config_load(text ? file_with(text) : NULL, env, &c, &e)) {
		if (text)
			unlink(path);
		return mem_strdup(e.text);
	}
	if (text)
		unlink(path);
	json_t *all = config_print(c);
	out = json_text(printed ? json_object_get(all, "sources") : config_json(c, "sources"));
	json_decref(all);
	config_free(&c);
	return out;
}

static void check_sources(const char *text, char *const *env, const char *expected)
{
	char *got = sources_of(text, env, false);

	assert_string_equal(got, expected);
	mem_free(got);
}

static void check_error(const char *text, char *const *env, const char *expected)
{
	char *got = sources_of(text, env, false);

	if (!strstr(got, expected))
		fail_msg("\"%s\" is not in: %s", expected, got);
	mem_free(got);
}

static void reads_members_from_file_and_environment(void **state)
{
	char file[100];

	(void)state;
	check_sources(NULL, NO_ENV, "{}");
	check_sources("{\"sources\":{\"clinic\":{\"dialect\":\"POSTGRES\",\"workers\":2}}}", NO_ENV,
		      "{\"clinic\":{\"dialect\":\"postgres\",\"workers\":2}}");
	/* VESPER_SOURCES is applied before its members, in any order. */
	check_sources(
		"{\"sources\":{\"clinic\":{\"workers\":2}}}",
		ENV("VESPER_SOURCES_CLINIC_WORKERS=3",
		    "VESPER_SOURCES={\"clinic\":{\"queue\":5},\"my_db\":{}}",
		    "VESPER_SOURCES_MY_DB_QUERY_TIMEOUT_MS=900", "VESPER_SOURCES_NEW_DIR=/x"),
		"{\"clinic\":{\"queue\":5,\"workers\":3},\"my_db\":{\"query_timeout_ms\":900},"
		"\"new\":{\"dir\":\"/x\"}}");
	snprintf(file, sizeof(file), "VESPER_SOURCES_CLINIC_DSN_FILE=%s",
		 file_with("top secret\n"));
	check_sources(NULL, ENV(file), "{\"clinic\":{\"dsn\":\"top secret\"}}");
	unlink(path);
	check_error(NULL, ENV(file), "VESPER_SOURCES_CLINIC_DSN_FILE: ");
}

static void does_not_print_connection_strings(void **state)
{
	char *printed = sources_of(NULL, ENV("VESPER_SOURCES_CLINIC_DSN=hunter2"), true);

	(void)state;
	assert_string_equal(printed, "{\"clinic\":{\"dsn\":\"***\"}}");
	mem_free(printed);
}

static void reports_errors(void **state)
{
	struct buf many;

	(void)state;
	check_error("{\"sources\":[]}", NO_ENV, "sources: must be an object of at most 16");
	check_error("{\"sources\":{\"clinic\":5}}", NO_ENV, "sources.clinic: must be an object");
	for (const char *const *name = (const char *const[]){"warehouse", "store", "Clinic", "1a",
							     "a-b", "", "a.b", NULL};
	     *name; name++) {
		char *text = mem_printf("{\"sources\":{\"%s\":{}}}", *name);
		check_error(text, NO_ENV, "a name must have at most 31 of a-z, 0-9 and _");
		mem_free(text);
	}
	check_error("{\"sources\":{\"a\":{\"dialekt\":\"x\"}}}", NO_ENV,
		    "sources.a.dialekt: unknown key");
	check_error("{\"sources\":{\"a\":{\"dialect\":\"oracle\"}}}", NO_ENV,
		    "sources.a.dialect: must be one of mssql|postgres|sqlite");
	check_error("{\"sources\":{\"a\":{\"workers\":0}}}", NO_ENV,
		    "sources.a.workers: must be an integer from 1 to 64");
	check_error(NULL, ENV("VESPER_SOURCES_A_WORKERS=65"),
		    "VESPER_SOURCES_A_WORKERS.a.workers: must be an integer from 1 to 64");
	check_error(NULL, ENV("VESPER_SOURCES_A_COLOR=red"),
		    "VESPER_SOURCES_A_COLOR: unknown setting");
	check_error(NULL, ENV("VESPER_SOURCES_DSN=x"), "VESPER_SOURCES_DSN: unknown setting");
	buf_init(&many, 1 << 16);
	buf_str(&many, "{\"sources\":{");
	for (int i = 0; i <= SOURCES_MAX; i++)
		buf_printf(&many, "%s\"s%d\":{}", i ? "," : "", i);
	buf_str(&many, "}}");
	check_error(buf_text(&many), NO_ENV, "at most 16 sources");
	buf_deinit(&many);
}

static void reads_files_of_tenants(void **state)
{
	(void)state;
	check_sources("{\"tenants\":{\"a\":{\"sources\":{\"s\":\"x.db\"}},"
		      "\"b\":{\"sources\":{\"s\":\"y.db\",\"t\":\"x.db\"}}}}",
		      NO_ENV, "{}");
	check_error("{\"tenants\":{\"a\":{\"sources\":{\"s\":\"x.db\"}},"
		    "\"b\":{\"sources\":{\"s\":\"x.db\"}}}}",
		    NO_ENV, "tenants.b: shares a file with tenant a");
	check_error("{\"tenants\":{\"a\":{\"sources\":{\"s\":\"../x.db\"}}}}", NO_ENV,
		    "tenants.a: sources.s: must be a plain file name");
	check_error("{\"tenants\":{\"a\":{\"sources\":{\"s\":5}}}}", NO_ENV, "sources.s: must be");
	check_error("{\"tenants\":{\"a\":{\"sources\":[]}}}", NO_ENV, "tenants.a: sources");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_members_from_file_and_environment),
		cmocka_unit_test(does_not_print_connection_strings),
		cmocka_unit_test(reports_errors),
		cmocka_unit_test(reads_files_of_tenants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
