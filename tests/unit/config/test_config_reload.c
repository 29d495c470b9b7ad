/* Reloading a configuration: which values take effect at once, and which need a restart. */
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

static char path[64];
static struct buf restart_names;

static void write_file(const char *text)
{
	int fd;

	memcpy(path, "/tmp/vesper_reload_XXXXXX", 26);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void on_needs_restart(void *owner, const char *name)
{
	(void)owner;
	buf_printf(&restart_names, "%s%s", restart_names.n ? " " : "", name);
}

static struct config *load(const char *text)
{
	static char *const none[] = {NULL};
	struct config *c = NULL;
	struct err e = {0};
	bool good;

	write_file(text);
	good = config_load(path, none, &c, &e);
	unlink(path);
	if (!good)
		fail_msg("%s", e.text);
	return c;
}

/* Reloads with a second file; `names`: the changed values that need a restart. */
static struct config *reload(struct config *old, const char *text, const char *names)
{
	static char *const none[] = {NULL};
	struct config *c = NULL;
	struct err e = {0};
	bool good;

	buf_init(&restart_names, 4096);
	write_file(text);
	good = config_reload(old, path, none, on_needs_restart, NULL, &c, &e);
	unlink(path);
	if (!good)
		fail_msg("%s", e.text);
	assert_string_equal(buf_text(&restart_names), names);
	buf_deinit(&restart_names);
	config_free(&old);
	return c;
}

static void restart_keys_keep_their_values(void **state)
{
	struct config *c = load("{\"listen\":\"127.0.0.1:1\"}");

	(void)state;
	c = reload(c, "{\"listen\":\"127.0.0.1:2\",\"data_dir\":\"x\"}", "listen data_dir");
	assert_string_equal(config_text(c, "listen"), "127.0.0.1:1");
	assert_string_equal(config_text(c, "data_dir"), "data");
	c = reload(c, "{\"listen\":\"127.0.0.1:1\"}", "");
	config_free(&c);
}

/* A changed value of each key is reported exactly if it needs a restart. */
static void each_key_is_live_or_kept(void **state)
{
	struct config *c = load("{}"), *d;

	(void)state;
	for (size_t i = 0; i < config_key_count; i++) {
		json_t *initial = json_incref(c->values[i]);

		if (config_keys[i].when == CONFIG_PARTLY) {
			json_decref(initial);
			continue;
		}
		json_decref(c->values[i]);
		c->values[i] = json_string("as it was");
		d = reload(c, "{}", config_keys[i].when == CONFIG_LIVE ? "" : config_keys[i].name);
		if (config_keys[i].when == CONFIG_LIVE)
			assert_true(json_equal(d->values[i], initial));
		else
			assert_string_equal(json_string_value(d->values[i]), "as it was");
		json_decref(initial);
		config_free(&d);
		c = load("{}");
	}
	config_free(&c);
}

#define ACME  "{\"warehouse\":\"a.db\",\"store\":\"a.db\""
#define FRESH "{\"warehouse\":\"n.db\",\"store\":\"n.db\""

static void some_tenant_members_are_live(void **state)
{
	struct config *c = load("{\"tenants\":{\"acme\":" ACME ",\"claim\":\"c1\"}}}");
	const json_t *acme;

	(void)state;
	c = reload(c,
		   "{\"tenants\":{\"acme\":{\"warehouse\":\"b.db\",\"store\":\"a.db\","
		   "\"timezone\":\"Europe/Vienna\",\"packs\":[\"energy\"]},\"new\":" FRESH "}}}",
		   "tenants.acme.warehouse tenants.new");
	acme = json_object_get(config_json(c, "tenants"), "acme");
	assert_int_equal(json_object_size(config_json(c, "tenants")), 1);
	assert_string_equal(json_string_value(json_object_get(acme, "warehouse")), "a.db");
	assert_string_equal(json_string_value(json_object_get(acme, "timezone")), "Europe/Vienna");
	assert_int_equal(json_array_size(json_object_get(acme, "packs")), 1);
	assert_null(json_object_get(acme, "claim"));
	c = reload(c, "{\"tenants\":{\"new\":" FRESH "}}}", "tenants.acme tenants.new");
	assert_non_null(json_object_get(config_json(c, "tenants"), "acme"));
	config_free(&c);
}

#define QUAY "\"quay\":{\"dir\":\"/q\"}"
#define SEA  "\"sea\":{\"workers\":2}"

static void sources_are_only_added(void **state)
{
	struct config *c = load("{\"sources\":{" QUAY "},\"tenants\":{\"acme\":" ACME
				",\"sources\":{\"quay\":\"q.db\"}}}}");
	const json_t *sources, *acme;

	(void)state;
	c = reload(c,
		   "{\"sources\":{" SEA "," QUAY "},\"tenants\":{\"acme\":" ACME
		   ",\"sources\":{\"quay\":\"q.db\",\"sea\":\"s.db\"}}}}",
		   "");
	sources = config_json(c, "sources");
	acme = json_object_get(config_json(c, "tenants"), "acme");
	assert_string_equal(json_object_iter_key(json_object_iter((json_t *)(uintptr_t)sources)),
			    "quay"); /* open sources come first */
	assert_int_equal(json_object_size(sources), 2);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(acme, "sources"), "sea")),
		"s.db");
	c = reload(c,
		   "{\"sources\":{\"quay\":{\"dir\":\"/"
		   "other\"},\"lake\":{}},\"tenants\":{\"acme\":" ACME
		   ",\"sources\":{\"quay\":\"x.db\",\"lake\":\"l.db\"}}}}",
		   "tenants.acme.sources sources.quay sources.sea");
	sources = config_json(c, "sources");
	acme = json_object_get(config_json(c, "tenants"), "acme");
	assert_int_equal(json_object_size(sources), 3);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(sources, "quay"), "dir")), "/q");
	assert_int_equal(json_object_size(json_object_get(acme, "sources")), 3);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(acme, "sources"), "quay")),
		"q.db");
	config_free(&c);
}

/* Borrowed values live as long as the arena. */
static void arena_keeps_the_configuration(void **state)
{
	struct arena *a = arena_new(4096);
	struct config *c = load("{\"today\":\"2026-01-02\"}");
	const char *today = config_text(c, "today");

	(void)state;
	config_retain(c, a);
	config_free(&c);
	assert_string_equal(today, "2026-01-02");
	arena_free(&a);
}

static void compares_sections(void **state)
{
	struct config *a = load("{}"), *b = load("{\"llm\":{\"breaker\":{\"failures\":9}}}");

	(void)state;
	assert_true(config_same(a, b, "limits."));
	assert_false(config_same(a, b, "llm."));
	assert_false(config_same(a, b, ""));
	config_free(&a);
	config_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(restart_keys_keep_their_values),
		cmocka_unit_test(each_key_is_live_or_kept),
		cmocka_unit_test(some_tenant_members_are_live),
		cmocka_unit_test(sources_are_only_added),
		cmocka_unit_test(arena_keeps_the_configuration),
		cmocka_unit_test(compares_sections),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
