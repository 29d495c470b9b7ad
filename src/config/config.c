/*
 * The configuration as one object that is immutable once loaded. Loading continues after an error,
 * so that an operator sees all errors at once.
 */
#include "vesper/config.h"

#include <assert.h>
#include <string.h>

#include "config_int.h"
#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define FAULTS_BYTES_MAX 8192

static struct config *config_new(void)
{
	struct config *c = mem_alloc(sizeof(*c));
	c->refs = 1;
	c->values = mem_alloc(config_key_count * sizeof(json_t *));
	c->is_set = mem_alloc(config_key_count * sizeof(bool));
	c->variables = mem_alloc(config_key_count * sizeof(char *));
	for (size_t i = 0; i < config_key_count; i++) {
		const char *text = config_keys[i].default_json;
		bool ok = json_parse(text, strlen(text), FAULTS_BYTES_MAX, &c->values[i], NULL);
		assert(ok);
		(void)ok;
	}
	return c;
}

bool config_load(const char *path, char *const *env, struct config **out, struct err *e)
{
	struct config *c = config_new();
	struct config_faults m = {0};
	buf_init(&m.text, FAULTS_BYTES_MAX);
	if (path) {
		c->path = mem_strdup(path);
		config_read_file(c, path, &m);
	}
	config_read_env(c, env, &m);

	bool ok = m.count == 0;
	if (m.count == 1)
		err_set(e, ERR_INPUT, "%s: %s", path ? path : "configuration", buf_text(&m.text));
	else if (m.count)
		err_set(e, ERR_INPUT, "%s: %d errors: %s", path ? path : "configuration", m.count,
			buf_text(&m.text));
	buf_deinit(&m.text);
	if (ok)
		*out = c;
	else
		config_free(&c);
	return ok;
}

void config_free(struct config **c)
{
	struct config *config = *c;
	*c = NULL;
	if (!config || --config->refs > 0)
		return;
	for (size_t i = 0; i < config_key_count; i++) {
		json_decref(config->values[i]);
		mem_free(config->variables[i]);
	}
	mem_free(config->values);
	mem_free(config->is_set);
	mem_free(config->variables);
	mem_free(config->path);
	mem_free(config);
}

static void release(void *config)
{
	struct config *c = config;
	config_free(&c);
}

void config_retain(const struct config *c, struct arena *a)
{
	struct config *config = (struct config *)c;
	config->refs++;
	arena_defer(a, release, config);
}

static size_t key_index(const char *key)
{
	int at = config_key_find(key, strlen(key));
	assert(at >= 0);
	return (size_t)at;
}

const char *config_location(const struct config *c, const char *key, const char *member,
			    struct arena *a)
{
	size_t at = key_index(key);
	const char *text;
	if (c->variables[at])
		return arena_strdup(a, c->variables[at]);
	if (!c->path || !c->is_set[at] || !file_read(c->path, JSON_FILE_BYTES_MAX, a, &text, NULL))
		return key;
	return arena_printf(a, "%s:%d", c->path,
			    json_line(text, arena_printf(a, "%s.%s", key, member)));
}

const char *config_text(const struct config *c, const char *key)
{
	const json_t *value = c->values[key_index(key)];
	assert(json_is_string(value));
	return json_string_value(value);
}

int64_t config_int(const struct config *c, const char *key)
{
	const json_t *value = c->values[key_index(key)];
	assert(json_is_integer(value));
	return json_integer_value(value);
}

bool config_bool(const struct config *c, const char *key)
{
	const json_t *value = c->values[key_index(key)];
	assert(json_is_boolean(value));
	return json_is_true(value);
}

const json_t *config_json(const struct config *c, const char *key)
{
	const json_t *value = c->values[key_index(key)];
	assert(json_is_array(value) || json_is_object(value));
	return value;
}

const char *const *config_texts(const struct config *c, const char *key, struct arena *a)
{
	const json_t *list = config_json(c, key);
	size_t n = json_array_size(list);
	const char **texts = arena_alloc(a, (n + 1) * sizeof(*texts));
	for (size_t i = 0; i < n; i++)
		texts[i] = json_string_value(json_array_get(list, i));
	return texts;
}

bool config_is_set(const struct config *c, const char *key)
{
	return c->is_set[key_index(key)];
}

/* Finds or creates the object that holds the key's last name. */
static json_t *find_section(json_t *root, const char *key, const char **last)
{
	const char *dot;
	while ((dot = strchr(key, '.'))) {
		char *name = mem_strndup(key, (size_t)(dot - key));
		json_t *section = json_object_get(root, name);
		if (!section) {
			section = json_object();
			json_set_take(root, name, section);
		}
		mem_free(name);
		root = section;
		key = dot + 1;
	}
	*last = key;
	return root;
}

static json_t *printable_value(const struct config_key *key, const json_t *value)
{
	if (key->secret && json_string_length(value) > 0)
		return json_str("***");
	if (key->type == KEY_SOURCES)
		return sources_printable(value);
	json_t *copy = json_deep_copy(value);
	json_t *provider;
	size_t i;
	if (key->type == KEY_PROVIDERS)
		json_array_foreach(copy, i, provider)
			if (json_object_get(provider, "key"))
				json_set_str(provider, "key", "***");
	return copy;
}

json_t *config_print(const struct config *c)
{
	json_t *root = json_object();
	for (size_t i = 0; i < config_key_count; i++) {
		const char *last;
		json_t *section = find_section(root, config_keys[i].name, &last);
		json_set_take(section, last, printable_value(&config_keys[i], c->values[i]));
	}
	return root;
}

static const char *when_name(enum config_when when)
{
	static const char *const names[] = {
		[CONFIG_LIVE] = "live", [CONFIG_RESTART] = "restart", [CONFIG_PARTLY] = "partly"};
	return names[when];
}

void config_print_keys(struct buf *out)
{
	buf_str(out, "| key | takes effect | default | meaning |\n| --- | --- | --- | --- |\n");
	for (size_t i = 0; i < config_key_count; i++)
		buf_printf(out, "| `%s` | %s | `%s` | %s |\n", config_keys[i].name,
			   when_name(config_keys[i].when), config_keys[i].default_json,
			   config_keys[i].about);
}
