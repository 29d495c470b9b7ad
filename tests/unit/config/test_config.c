/* The configuration: defaults, file, environment, and all kinds of errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config_int.h"
#include "vesper/config.h"
#include "vesper/json.h"
#include "vesper/mem.h"

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

static struct config *load(const char *text, char *const *env)
{
	struct config *c = NULL;
	struct err e;
	bool good = config_load(text ? file_with(text) : NULL, env, &c, &e);
	if (text)
		unlink(path);
	if (!good)
		fail_msg("%s", e.text);
	return c;
}

/* The load fails, and its error contains each of the given texts (ended by NULL). */
static void refuse(const char *text, char *const *env, const char *const *expected)
{
	struct config *c = NULL;
	struct err e;
	bool good = config_load(text ? file_with(text) : NULL, env, &c, &e);
	if (text)
		unlink(path);
	assert_false(good);
	assert_null(c);
	assert_int_equal(e.code, ERR_INPUT);
	for (; *expected; expected++)
		if (!strstr(e.text, *expected))
			fail_msg("\"%s\" is not in: %s", *expected, e.text);
}

#define REFUSE(text, env, ...) refuse(text, env, (const char *const[]){__VA_ARGS__, NULL})

static void reads_defaults(void **state)
{
	(void)state;
	struct config *c = load(NULL, NO_ENV);
	assert_string_equal(config_text(c, "listen"), "127.0.0.1:8080");
	assert_string_equal(config_text(c, "llm.roles.answer.model"), "");
	assert_int_equal(config_int(c, "limits.grace_s"), 30);
	assert_false(config_bool(c, "demo"));
	assert_int_equal(json_array_size(config_json(c, "llm.providers")), 0);
	assert_int_equal(json_object_size(config_json(c, "tenants")), 2);
	for (size_t i = 0; i < config_key_count; i++)
		assert_false(config_is_set(c, config_keys[i].name));
	config_free(&c);
	assert_null(c);
	config_free(&c);
}

static void values_have_a_location(void **state)
{
	(void)state;
	static const char text[] = "{\n\"tenants\": {\n\t\"a\": {\"warehouse\": \"a.db\",\n"
				   "\t\t\"packs\": [\"x\"]}}}\n";
	struct arena *a = arena_new(1 << 20);
	struct config *c;
	struct err e;
	if (!config_load(file_with(text), NO_ENV, &c, &e))
		fail_msg("%s", e.text);
	assert_string_equal(config_location(c, "tenants", "a.packs", a),
			    arena_printf(a, "%s:4", path));
	assert_string_equal(config_location(c, "packs.roots", "0", a), "packs.roots");
	config_free(&c);
	unlink(path);
	c = load(NULL, ENV("VESPER_TENANTS={\"a\":{\"warehouse\":\"a.db\"}}"));
	assert_string_equal(config_location(c, "tenants", "a.packs", a), "VESPER_TENANTS");
	config_free(&c);
	arena_free(&a);
}

/* A default must pass the check of its own key, and no two environment names may be the same. */
static void table_is_consistent(void **state)
{
	(void)state;
	struct config *c = load(NULL, NO_ENV);
	for (size_t i = 0; i < config_key_count; i++) {
		struct config_faults m = {0};
		buf_init(&m.text, 1000);
		config_set_take(c, i, json_incref(c->values[i]), config_keys[i].name, &m);
		if (m.count)
			fail_msg("%s", buf_text(&m.text));
		buf_deinit(&m.text);
		assert_true(*config_keys[i].about);
		assert_int_equal(config_key_find(config_keys[i].name, strlen(config_keys[i].name)),
				 i);
		for (size_t k = 0; k < i; k++) {
			const char *a = config_keys[i].name;
			const char *b = config_keys[k].name;
			while (*a && (*a == *b || (strchr("._", *a) && *b && strchr("._", *b)))) {
				a++;
				b++;
			}
			assert_true(*a || *b);
		}
	}
	config_free(&c);
}

static void reads_file_and_environment(void **state)
{
	(void)state;
	struct config *c = load(
		"{\"listen\":\"[::]:1\",\"warehouse\":{\"workers\":7,\"queue\":9},"
		"\"llm\":{\"timeouts_ms\":{\"idle\":500}},\"auth\":{\"origins\":[\"https://a\"]}}",
		ENV("PATH=/bin", "VESPER_WAREHOUSE_WORKERS=8", "VESPER_DEMO=yes",
		    "VESPER_TODAY=2026-02-27", "VESPER_AUTH_ORIGINS=https://a, https://b",
		    "VESPER_LLM_TIMEOUTS_MS_FIRST_BYTE=77",
		    "VESPER_DATA_DIR=", "VESPER_STORE_SYNCHRONOUS=FULL", "VESPER_WS_ECHO=0"));
	assert_string_equal(config_text(c, "listen"), "[::]:1");
	assert_int_equal(config_int(c, "warehouse.workers"), 8);
	assert_int_equal(config_int(c, "warehouse.queue"), 9);
	assert_int_equal(config_int(c, "llm.timeouts_ms.idle"), 500);
	assert_int_equal(config_int(c, "llm.timeouts_ms.first_byte"), 77);
	assert_true(config_bool(c, "demo"));
	assert_false(config_bool(c, "ws.echo"));
	assert_string_equal(config_text(c, "today"), "2026-02-27");
	assert_string_equal(config_text(c, "data_dir"), "data");
	assert_string_equal(config_text(c, "store.synchronous"), "full");
	const json_t *origins = config_json(c, "auth.origins");
	assert_int_equal(json_array_size(origins), 2);
	assert_string_equal(json_string_value(json_array_get(origins, 1)), "https://b");
	assert_true(config_is_set(c, "warehouse.workers"));
	assert_false(config_is_set(c, "data_dir"));
	config_free(&c);
}

static void accepts_short_and_ignores_foreign_names(void **state)
{
	(void)state;
	struct config *c =
		load(NULL, ENV("VESPER_JWT_SECRET=abc", "VESPER_WAREHOUSE_DIR=/w", "VESPER_ROOT=/r",
			       "VESPER_CONFIG=x", "VESPER_URL=x", "VESPER_TOKEN=x", "VESPERD=x",
			       "VESPER_SERVICE_HOST=x", "VESPER_PORT_8080_TCP=x"));
	assert_string_equal(config_text(c, "auth.jwt_secret"), "abc");
	assert_string_equal(config_text(c, "warehouse.dir"), "/w");
	assert_string_equal(config_text(c, "root"), "/r");
	config_free(&c);
}

static void reads_values_from_files(void **state)
{
	(void)state;
	char env[100];
	snprintf(env, sizeof(env), "VESPER_JWT_SECRET_FILE=%s", file_with("top secret\n"));
	struct config *c = load(NULL, ENV(env));
	assert_string_equal(config_text(c, "auth.jwt_secret"), "top secret");
	config_free(&c);
	unlink(path);
	REFUSE(NULL, ENV(env), "VESPER_JWT_SECRET_FILE");
}

static void rejects_unknown_names(void **state)
{
	(void)state;
	REFUSE("{\"lissten\":\"x\"}", NO_ENV, "lissten: unknown key; did you mean listen?");
	REFUSE("{\"warehouse\":{\"worker\":1}}", NO_ENV,
	       "warehouse.worker: unknown key; did you mean warehouse.workers?");
	REFUSE("{\"something_quite_different\":{}}", NO_ENV,
	       "something_quite_different: unknown key");
	REFUSE("{\"warehouse\":5}", NO_ENV, "warehouse: must be an object");
	REFUSE("{\"llm.max\":5}", NO_ENV, "llm.max: unknown key");
	REFUSE(NULL, ENV("VESPER_LISTENS=1"),
	       "VESPER_LISTENS: unknown setting; did you mean VESPER_LISTEN?");
	REFUSE(NULL, ENV("VESPER_AUTH_ORIGIN=https://a"), "did you mean VESPER_AUTH_ORIGINS?");
	REFUSE(NULL, ENV("VESPER_COLOR_OF_THE_SEA=blue"), "unknown setting (vesperd --print-keys");
	REFUSE(NULL, ENV("VESPER_=1"), "VESPER_: unknown setting");
	REFUSE(NULL, ENV("VESPER_LLM=1"), "VESPER_LLM: unknown setting");
}

#define ORIGIN(text) "{\"auth\":{\"origins\":[\"" text "\"]}}"
static const char *const no_origins[] = {
	ORIGIN("nonsense"),        ORIGIN("*"),
	ORIGIN("https://"),        ORIGIN("https://a/"),
	ORIGIN("https://a/embed"), ORIGIN("https://*.a.com"),
	ORIGIN("ftp://a"),         ORIGIN("https://a:"),
	ORIGIN("https://a:port"),  ORIGIN("https://a:123456"),
	ORIGIN("https://me@a"),    ORIGIN("a.com"),
};

static void rejects_wrong_values(void **state)
{
	(void)state;
	REFUSE("{\"listen\":5}", NO_ENV, "listen: must be text");
	REFUSE("{\"demo\":\"true\"}", NO_ENV, "demo: must be true or false");
	REFUSE("{\"demo\":null}", NO_ENV, "demo: must be true or false");
	REFUSE("{\"warehouse\":{\"workers\":0}}", NO_ENV,
	       "warehouse.workers: must be an integer from 1 to 64");
	REFUSE("{\"warehouse\":{\"workers\":65}}", NO_ENV, "warehouse.workers");
	REFUSE("{\"warehouse\":{\"workers\":4.0}}", NO_ENV, "warehouse.workers");
	REFUSE("{\"warehouse\":{\"dialect\":\"oracle\"}}", NO_ENV, "one of mssql|postgres|sqlite");
	REFUSE("{\"today\":\"27.2.2026\"}", NO_ENV, "today: must be a date");
	REFUSE("{\"auth\":{\"origins\":[\"\"]}}", NO_ENV,
	       "auth.origins: must be a list of strings");
	REFUSE("{\"auth\":{\"origins\":\"x\"}}", NO_ENV, "auth.origins: must be a list of strings");
	for (size_t i = 0; i < sizeof(no_origins) / sizeof(no_origins[0]); i++)
		REFUSE(no_origins[i], NO_ENV, "auth.origins[0]: must be an origin");
	config_free(&(struct config *){load(
		"{\"auth\":{\"origins\":[\"https://a.b\",\"http://[::1]:8080\",\"https://a:1\"]}}",
		NO_ENV)});
	REFUSE(NULL, ENV("VESPER_WAREHOUSE_WORKERS=4x"),
	       "VESPER_WAREHOUSE_WORKERS: must be an integer");
	REFUSE(NULL, ENV("VESPER_WAREHOUSE_WORKERS=99999999999999999999"), "must be an integer");
	REFUSE(NULL, ENV("VESPER_DEMO=maybe"), "VESPER_DEMO: must be true or false");
	REFUSE(NULL, ENV("VESPER_AUTH_ORIGINS=a,,b"), "VESPER_AUTH_ORIGINS");
	REFUSE("[]", NO_ENV, "must be an object");
	REFUSE("{", NO_ENV, path);
}

static void accepts_bounds(void **state)
{
	(void)state;
	struct config *c =
		load("{\"warehouse\":{\"workers\":64},\"limits\":{\"grace_s\":0}}", NO_ENV);
	assert_int_equal(config_int(c, "warehouse.workers"), 64);
	assert_int_equal(config_int(c, "limits.grace_s"), 0);
	config_free(&c);
}

static void reports_all_errors_at_once(void **state)
{
	(void)state;
	REFUSE("{\"lissten\":1,\"demo\":7}", ENV("VESPER_TODAY=soon", "VESPER_XYZ=1"), "4 errors",
	       "lissten", "demo: must", "VESPER_TODAY: must", "VESPER_XYZ");
}

static void errors_never_show_values(void **state)
{
	(void)state;
	struct config *c = NULL;
	struct err e;
	assert_false(config_load(NULL,
				 ENV("VESPER_LLM_PROVIDERS=[\"hunter2\"]", "VESPER_DEMO=hunter2",
				     "VESPER_TENANTS={hunter2"),
				 &c, &e));
	assert_null(strstr(e.text, "hunter2"));
}

static const char *provider(const struct config *c, size_t i, const char *member)
{
	const json_t *p = json_array_get(config_json(c, "llm.providers"), i);
	return json_string_value(json_object_get(p, member));
}

static void vendor_variables_create_a_provider(void **state)
{
	(void)state;
	struct config *c = load(NULL, ENV("ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=http://m:1"));
	assert_string_equal(provider(c, 0, "name"), "anthropic");
	assert_string_equal(provider(c, 0, "kind"), "anthropic");
	assert_string_equal(provider(c, 0, "base_url"), "http://m:1");
	assert_string_equal(provider(c, 0, "key"), "k");
	assert_string_equal(provider(c, 0, "version"), "2026-10-21");
	config_free(&c);

	c = load(NULL, ENV("ANTHROPIC_API_KEY=k"));
	assert_null(provider(c, 0, "base_url")); /* the kind has a default */
	config_free(&c);

	c = load(NULL, ENV("OPENAI_API_KEY=o", "ANTHROPIC_API_KEY=k", "OPENAI_BASE_URL=http://o"));
	assert_string_equal(provider(c, 0, "name"), "anthropic");
	assert_string_equal(provider(c, 1, "kind"), "openai");
	assert_string_equal(provider(c, 1, "base_url"), "http://o");
	assert_string_equal(provider(c, 1, "key"), "o");
	config_free(&c);

	c = load(NULL, ENV("ANTHROPIC_API_KEY=", "ANTHROPIC_BASE_URL=http://m:1"));
	assert_int_equal(json_array_size(config_json(c, "llm.providers")), 0);
	config_free(&c);

	REFUSE(NULL, ENV("ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=ftp://m"), "base_url");
}

static void keeps_configured_providers(void **state)
{
	(void)state;
	struct config *c =
		load("{\"llm\":{\"providers\":[{\"name\":\"anthropic\",\"kind\":\"anthropic\","
		     "\"base_url\":\"http://own\",\"version\":\"2023-06-01\"}]}}",
		     ENV("ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=http://other"));
	assert_int_equal(json_array_size(config_json(c, "llm.providers")), 1);
	assert_string_equal(provider(c, 0, "base_url"), "http://own");
	assert_string_equal(provider(c, 0, "version"), "2023-06-01");
	assert_string_equal(provider(c, 0, "key"), "k");
	config_free(&c);

	c = load("{\"llm\":{\"providers\":[{\"name\":\"proxy\",\"kind\":\"anthropic\","
		 "\"base_url\":\"http://own\",\"key\":\"own\"}]}}",
		 ENV("ANTHROPIC_API_KEY=k"));
	assert_int_equal(json_array_size(config_json(c, "llm.providers")), 2);
	assert_string_equal(provider(c, 0, "key"), "own");
	assert_string_equal(provider(c, 1, "name"), "anthropic");
	config_free(&c);
}

/* A key in a file: named by the vendor's variable, by the provider, or passed by a service
 * manager under the provider's name. A key given directly takes precedence. */
static void reads_keys_from_files(void **state)
{
	char folder[] = "/tmp/vesper-config-XXXXXX", file[64], env[2][128];
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/anthropic_api_key", folder);
	FILE *f = fopen(file, "w");
	assert_non_null(f);
	fputs("filed\n", f);
	fclose(f);
	snprintf(env[0], sizeof(env[0]), "ANTHROPIC_API_KEY_FILE=%s", file);
	snprintf(env[1], sizeof(env[1]), "CREDENTIALS_DIRECTORY=%s", folder);

	struct config *c = load(NULL, ENV(env[0]));
	assert_string_equal(provider(c, 0, "key"), "filed");
	config_free(&c);
	c = load("{\"llm\":{\"providers\":[{\"name\":\"anthropic\",\"kind\":\"anthropic\"},"
		 "{\"name\":\"mine\",\"kind\":\"ollama\",\"model\":\"m\"}]}}",
		 ENV(env[1]));
	assert_string_equal(provider(c, 0, "key"), "filed");
	assert_null(provider(c, 1, "key"));
	config_free(&c);
	c = load(NULL, ENV(env[0], env[1], "ANTHROPIC_API_KEY=outright"));
	assert_string_equal(provider(c, 0, "key"), "outright");
	config_free(&c);
	unlink(file);
	REFUSE(NULL, ENV(env[0]), "llm.providers[0].key_file");
	rmdir(folder);
}

static void rejects_wrong_providers(void **state)
{
	(void)state;
#define PROVIDER "\"kind\":\"anthropic\",\"base_url\":\"http://x\""
	REFUSE("{\"llm\":{\"providers\":{}}}", NO_ENV, "llm.providers: must be a list");
	REFUSE("{\"llm\":{\"providers\":[{\"name\":\"a\"," PROVIDER "},{\"name\":\"a\"," PROVIDER
	       "}]}}",
	       NO_ENV, "llm.providers[1]: duplicate provider name");
	REFUSE("{\"llm\":{\"providers\":[{" PROVIDER "}]}}", NO_ENV,
	       "llm.providers[0]: name: missing");
	REFUSE("{\"llm\":{\"providers\":[{\"name\":\"rules\"," PROVIDER "}]}}", NO_ENV, "rules");
	REFUSE("{\"llm\":{\"providers\":[{\"name\":\"a\",\"temperature\":0," PROVIDER "}]}}",
	       NO_ENV, "temperature: unknown member");
	REFUSE("{\"llm\":{\"providers\":[{\"name\":\"a\",\"kind\":\"magic\",\"base_url\":\"http://"
	       "x\"}]}}",
	       NO_ENV, "kind: must be one of anthropic|openai|azure");
}

static void checks_tenants(void **state)
{
	(void)state;
	struct config *c =
		load("{\"tenants\":{\"one\":{\"warehouse\":\"1.db\",\"store\":\"1.db\"}}}", NO_ENV);
	assert_int_equal(json_object_size(config_json(c, "tenants")), 1);
	config_free(&c);
	c = load("{\"tenants\":{\"one\":{}}}", NO_ENV); /* a server needs no files */
	config_free(&c);
	REFUSE("{\"tenants\":{\"a\":{\"warehouse\":\"1\",\"store\":\"1\",\"timezone\":5}}}", NO_ENV,
	       "tenants.a: timezone");
	REFUSE("{\"calendar\":{\"fiscal_start_month\":13}}", NO_ENV, "from 1 to 12");
	REFUSE("{\"calendar\":{\"week_start\":\"mon\"}}", NO_ENV, "monday|");
	REFUSE("{\"tenants\":{}}", NO_ENV, "at least one tenant");
	REFUSE("{\"tenants\":[]}", NO_ENV, "must be an object");
	REFUSE("{\"tenants\":{\"../x\":{\"warehouse\":\"1\",\"store\":\"1\"}}}", NO_ENV,
	       "an id must have");
	REFUSE("{\"tenants\":{\"a\":{\"warehouse\":\"../1\",\"store\":\"1\"}}}", NO_ENV,
	       "plain file");
	REFUSE("{\"tenants\":{\"a\":{\"warehouse\":5}}}", NO_ENV, "tenants.a: warehouse");
	REFUSE("{\"tenants\":{\"a\":5}}", NO_ENV, "tenants.a: must be an object");
	REFUSE("{\"tenants\":{\"a\":{\"warehouse\":\"1\",\"store\":\"1\"},"
	       "\"b\":{\"warehouse\":\"1\",\"store\":\"2\"}}}",
	       NO_ENV, "tenants.b: shares a file");
}

static void prints_no_secrets(void **state)
{
	(void)state;
	struct config *c = load(NULL, ENV("VESPER_JWT_SECRET=hunter2", "ANTHROPIC_API_KEY=hunter2",
					  "VESPER_WAREHOUSE_DSN=PWD=hunter2"));
	json_t *printed = config_print(c);
	char *text = json_text(printed);
	assert_null(strstr(text, "hunter2"));
	assert_non_null(strstr(text, "\"jwt_secret\":\"***\""));
	assert_non_null(strstr(text, "\"key\":\"***\""));
	assert_non_null(strstr(text, "\"timeouts_ms\":{\"connect\":5000,"));
	mem_free(text);
	json_decref(printed);
	assert_string_equal(provider(c, 0, "key"), "hunter2");
	config_free(&c);
}

/* The printed form can be loaded again. */
static void printed_form_loads(void **state)
{
	(void)state;
	struct config *c = load(NULL, NO_ENV);
	json_t *printed = config_print(c);
	char *text = json_text(printed);
	struct config *again = load(text, NO_ENV);
	for (size_t i = 0; i < config_key_count; i++)
		assert_true(json_equal(c->values[i], again->values[i]));
	config_free(&again);
	mem_free(text);
	json_decref(printed);
	config_free(&c);
}

static void shipped_files_are_valid(void **state)
{
	(void)state;
	struct config *c = NULL;
	struct err e;
	if (!config_load(VESPER_SOURCE_DIR "/config/vesper.json", NO_ENV, &c, &e))
		fail_msg("%s", e.text);
	config_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_defaults),
		cmocka_unit_test(values_have_a_location),
		cmocka_unit_test(table_is_consistent),
		cmocka_unit_test(reads_file_and_environment),
		cmocka_unit_test(accepts_short_and_ignores_foreign_names),
		cmocka_unit_test(reads_values_from_files),
		cmocka_unit_test(rejects_unknown_names),
		cmocka_unit_test(rejects_wrong_values),
		cmocka_unit_test(accepts_bounds),
		cmocka_unit_test(reports_all_errors_at_once),
		cmocka_unit_test(errors_never_show_values),
		cmocka_unit_test(vendor_variables_create_a_provider),
		cmocka_unit_test(keeps_configured_providers),
		cmocka_unit_test(reads_keys_from_files),
		cmocka_unit_test(rejects_wrong_providers),
		cmocka_unit_test(checks_tenants),
		cmocka_unit_test(prints_no_secrets),
		cmocka_unit_test(printed_form_loads),
		cmocka_unit_test(shipped_files_are_valid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
