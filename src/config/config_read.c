/*
 * Reads values from the nested objects of the file, then from the environment, which takes
 * precedence. Both reject unknown names, because a misspelled setting must not be ignored silently.
 */
#include "config_int.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "vesper/err.h"
#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/utf8.h"

static bool is_section(const char *name)
{
	size_t len = strlen(name);
	for (size_t i = 0; i < config_key_count; i++)
		if (strncmp(config_keys[i].name, name, len) == 0 && config_keys[i].name[len] == '.')
			return true;
	return false;
}

static void add_unknown_key(const char *name, struct config_faults *m)
{
	const char *nearest = config_key_nearest(name);
	if (nearest)
		config_fault_add(m, "%s: unknown key; did you mean %s?", name, nearest);
	else
		config_fault_add(m, "%s: unknown key", name);
}

/* Only objects that are sections of key names are entered, so the names bound the depth. */
static void read_object(struct config *c, const json_t *object, const char *prefix,
			struct config_faults *m)
{
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)object, key, value) {
		char name[NAME_BYTES];
		snprintf(name, sizeof(name), "%s%s%.*s", prefix, *prefix ? "." : "",
			 STR_CUT(key, 40));
		int at = config_key_find(name, strlen(name));
		if (at >= 0)
			config_set_take(c, (size_t)at, json_incref(value), name, m);
		else if (!is_section(name))
			add_unknown_key(name, m);
		else if (json_is_object(value))
			read_object(c, value, name, m);
		else
			config_fault_add(m, "%s: must be an object", name);
	}
}

void config_read_file(struct config *c, const char *path, struct config_faults *m)
{
	json_t *file;
	struct err e;
	if (!json_parse_file(path, &file, &e)) {
		config_fault_add(m, "%s", e.text);
		return;
	}
	if (json_is_object(file))
		read_object(c, file, "", m);
	else
		config_fault_add(m, "%s: must be an object", path);
	json_decref(file);
}

/* Short names for settings that are often set by hand. */
static const char *const short_names[][2] = {
	{"VESPER_JWT_SECRET", "auth.jwt_secret"},
};

/* Variables of other programs or of setup.c, or set by a container platform for a service of this
 * name.
 */
static const char *const foreign_names[] = {"VESPER_CONFIG", "VESPER_URL", "VESPER_TOKEN"};
static const char *const foreign_prefixes[] = {"VESPER_SERVICE_",        "VESPER_PORT",
					       "VESPER_ADMIN_DSN",       "VESPER_READ_PASSWORD",
					       "VESPER_CHAT_PASSWORD",   "VESPER_LOAD_PASSWORD",
					       "VESPER_UPLOADS_PASSWORD"};

static bool is_foreign(struct str name)
{
	for (size_t i = 0; i < sizeof(foreign_names) / sizeof(foreign_names[0]); i++)
		if (str_eq(name, str_of(foreign_names[i])))
			return true;
	for (size_t i = 0; i < sizeof(foreign_prefixes) / sizeof(foreign_prefixes[0]); i++)
		if (str_starts(name, str_of(foreign_prefixes[i])))
			return true;
	return false;
}

/* "VESPER_LLM_TIMEOUTS_MS_IDLE" names llm.timeouts_ms.idle: dots are written as underscores. */
static bool is_key_variable(struct str name, const char *key)
{
	name.p += strlen("VESPER_");
	name.n -= strlen("VESPER_");
	if (strlen(key) != name.n)
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char expected = key[i] == '.' ? '_' : (char)toupper((unsigned char)key[i]);
		if (name.p[i] != expected)
			return false;
	}
	return true;
}

static int find_env_key(struct str name)
{
	for (size_t i = 0; i < sizeof(short_names) / sizeof(short_names[0]); i++)
		if (str_eq(name, str_of(short_names[i][0])))
			return config_key_find(short_names[i][1], strlen(short_names[i][1]));
	for (size_t i = 0; i < config_key_count; i++)
		if (is_key_variable(name, config_keys[i].name))
			return (int)i;
	return -1;
}

static json_t *int_value(const char *text)
{
	char *end;
	errno = 0;
	long long value = strtoll(text, &end, 10);
	return errno || end == text || *end ? json_str(text) : json_integer(value);
}

static json_t *bool_value(const char *text)
{
	static const char *const yes[] = {"1", "true", "yes", "on"};
	static const char *const no[] = {"0", "false", "no", "off"};
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (strcasecmp(text, yes[i]) == 0)
			return json_true();
		if (strcasecmp(text, no[i]) == 0)
			return json_false();
	}
	return json_str(text);
}

static json_t *list_value(const char *text)
{
	json_t *list = json_array();
	struct str rest = str_of(text);
	struct str part;
	while (str_split(&rest, ',', &part)) {
		part = str_trim(part);
		json_push_take(list, json_strn(part.p, part.n));
	}
	return list;
}

/* Converts the text to the key's type. Text that cannot be converted stays text, and fails the
 * check. */
static json_t *env_value(const struct config_key *key, const char *text)
{
	json_t *value;
	switch (key->type) {
	case KEY_INT:
		return int_value(text);
	case KEY_BOOL:
		return bool_value(text);
	case KEY_LIST:
	case KEY_ORIGINS:
		return list_value(text);
	case KEY_MAP:
	case KEY_PROVIDERS:
	case KEY_PRICES:
	case KEY_BUDGETS:
	case KEY_TENANTS:
	case KEY_SOURCES:
		return json_parse(text, strlen(text), CONFIG_VALUE_BYTES_MAX, &value, NULL)
			       ? value
			       : json_str(text);
	default:
		return json_str(text);
	}
}

/* Rejects invalid UTF-8, which json_str would replace; that must not happen to a setting, least of
 * all to a secret. */
static bool is_text(const char *text, const char *where, struct config_faults *m)
{
	size_t len = strlen(text);
	if (len > CONFIG_VALUE_BYTES_MAX)
		config_fault_add(m, "%s: must be at most %d bytes", where, CONFIG_VALUE_BYTES_MAX);
	else if (!utf8_valid(text, len))
		config_fault_add(m, "%s: must be UTF-8", where);
	else
		return true;
	return false;
}

static void set_from_text(struct config *c, size_t key, const char *text, const char *where,
			  struct config_faults *m)
{
	if (is_text(text, where, m))
		config_set_take(c, key, env_value(&config_keys[key], text), where, m);
}

/* NULL: the file cannot be read; the error was added. */
static const char *read_text_file(const char *path, const char *where, struct arena *a,
				  struct config_faults *m)
{
	const char *text;
	struct err e;
	if (file_read(path, CONFIG_VALUE_BYTES_MAX, a, &text, &e)) {
		struct str trimmed = str_trim(str_of(text)); /* editors end files with a newline */
		return arena_strndup(a, trimmed.p, trimmed.n);
	}
	config_fault_add(m, "%s: %s", where, e.text);
	return NULL;
}

static void set_from_file(struct config *c, size_t key, const char *path, const char *where,
			  struct config_faults *m)
{
	struct arena *a = arena_new(CONFIG_VALUE_BYTES_MAX);
	const char *text = read_text_file(path, where, a, m);
	if (text)
		set_from_text(c, key, text, where, m);
	arena_free(&a);
}

/* Sets a member of one source, which may be missing in the file. */
static void read_source(struct config *c, struct str variable, const char *value,
			struct config_faults *m)
{
	size_t at = (size_t)config_key_find("sources", strlen("sources"));
	char where[NAME_BYTES], name[NAME_BYTES];
	const struct config_key *member;
	struct arena *a;
	json_t *sources, *source;
	bool is_file;
	if (!source_variable(variable, name, sizeof(name), &member, &is_file))
		return;
	a = arena_new(CONFIG_VALUE_BYTES_MAX);
	snprintf(where, sizeof(where), "%.*s", (int)(variable.n < 100 ? variable.n : 100),
		 variable.p);
	value = is_file ? read_text_file(value, where, a, m) : value;
	if (value && is_text(value, where, m)) {
		sources = json_deep_copy(c->values[at]);
		source = json_object_get(sources, name);
		if (!source) {
			source = json_object();
			json_set_take(sources, name, source);
		}
		json_set_take(source, member->name, env_value(member, value));
		config_set_take(c, at, sources, where, m);
	}
	arena_free(&a);
}

static void add_unknown_variable(struct str name, const char *where, struct config_faults *m)
{
	char nearest[NAME_BYTES];

	if (config_variable_nearest(name, nearest, sizeof(nearest)))
		config_fault_add(m, "%s: unknown setting; did you mean %s?", where, nearest);
	else
		config_fault_add(m, "%s: unknown setting (vesperd --print-keys lists all)", where);
}

/* Handles one "VESPER_NAME=value"; an empty value counts as absent. */
static void read_variable(struct config *c, struct str name, const char *value,
			  struct config_faults *m)
{
	char where[NAME_BYTES];
	snprintf(where, sizeof(where), "%.*s", (int)(name.n < 100 ? name.n : 100), name.p);
	int key = find_env_key(name);
	if (key >= 0) {
		set_from_text(c, (size_t)key, value, where, m);
		return;
	}
	struct str stem = name;
	if (str_ends(name, STR("_FILE"))) {
		stem.n -= strlen("_FILE");
		key = find_env_key(stem);
	}
	if (key >= 0)
		set_from_file(c, (size_t)key, value, where, m);
	else
		add_unknown_variable(name, where, m);
}

static const char *env_get(char *const *env, const char *name)
{
	size_t len = strlen(name);
	for (; *env; env++)
		if (strncmp(*env, name, len) == 0 && (*env)[len] == '=' && (*env)[len + 1])
			return *env + len + 1;
	return NULL;
}

/* Standard variables of the vendors. */
static const struct vendor {
	const char *name; /* name and kind of the provider */
	const char *key, *key_file, *url;
} vendors[] = {
	{"anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY_FILE", "ANTHROPIC_BASE_URL"},
	{"openai", "OPENAI_API_KEY", "OPENAI_API_KEY_FILE", "OPENAI_BASE_URL"},
};

static void set_provider_key(json_t *provider, const char *key, const char *file)
{
	if (json_object_get(provider, "key") || json_object_get(provider, "key_file"))
		return;
	json_set_str(provider, key ? "key" : "key_file", key ? key : file);
}

/* These variables create the vendor's provider, or give a configured one of that name its key. */
static void read_vendor(struct config *c, const struct vendor *v, char *const *env,
			struct config_faults *m)
{
	size_t at = (size_t)config_key_find("llm.providers", strlen("llm.providers"));
	const char *key = env_get(env, v->key), *file = env_get(env, v->key_file);
	json_t *provider = NULL, *providers;
	size_t i;
	const char *url = env_get(env, v->url);
	if ((!key && !file) || (key && !is_text(key, v->key, m)) ||
	    (file && !is_text(file, v->key_file, m)) || (url && !is_text(url, v->url, m)))
		return;
	providers = json_deep_copy(c->values[at]);
	json_array_foreach(providers, i, provider) {
		if (strcmp(json_string_value(json_object_get(provider, "name")), v->name) == 0)
			break;
	}
	if (i == json_array_size(providers)) {
		provider = json_object();
		json_set_str(provider, "name", v->name);
		json_set_str(provider, "kind", v->name);
		json_set_str(provider, "base_url", url);
		json_push_take(providers, provider);
	}
	set_provider_key(provider, key, file);
	config_set_take(c, at, providers, v->url, m);
}

/* Reads keys from files: those that a provider names, and the credentials of a service manager
 * ("<provider>_api_key"). */
static void read_key_files(struct config *c, char *const *env, struct config_faults *m)
{
	size_t at = (size_t)config_key_find("llm.providers", strlen("llm.providers"));
	const char *folder = env_get(env, "CREDENTIALS_DIRECTORY");
	struct arena *a = arena_new(CONFIG_VALUE_BYTES_MAX);
	json_t *provider;
	size_t i;
	json_array_foreach(c->values[at], i, provider) {
		const char *name = json_string_value(json_object_get(provider, "name"));
		const char *path = json_string_value(json_object_get(provider, "key_file"));
		const char *text;
		struct err e;
		bool is_named = path != NULL;
		if (json_object_get(provider, "key") || (!is_named && !folder))
			continue;
		if (!is_named)
			path = arena_printf(a, "%s/%s_api_key", folder, name);
		if (file_read(path, CONFIG_VALUE_BYTES_MAX, a, &text, &e)) {
			struct str trimmed = str_trim(str_of(text));
			text = arena_strndup(a, trimmed.p, trimmed.n);
			if (is_text(text, path, m))
				json_set_str(provider, "key", text);
		} else if (is_named || e.code != ERR_NOT_FOUND) {
			config_fault_add(m, "llm.providers[%zu].key_file: %s", i, e.text);
		}
	}
	arena_free(&a);
}

/* Returns true for a variable of Vesper that is not empty. */
static bool split_variable(const char *variable, struct str *name, const char **value)
{
	const char *equals = strchr(variable, '=');
	if (!equals || equals[1] == '\0')
		return false;
	*name = (struct str){variable, (size_t)(equals - variable)};
	*value = equals + 1;
	return str_starts(*name, STR("VESPER_")) && !is_foreign(*name);
}

static bool is_source_variable(struct str name)
{
	const struct config_key *member;
	char source[NAME_BYTES];
	bool is_file;
	return source_variable(name, source, sizeof(source), &member, &is_file);
}

void config_read_env(struct config *c, char *const *env, struct config_faults *m)
{
	struct str name;
	const char *value;
	for (char *const *variable = env; *variable; variable++)
		if (split_variable(*variable, &name, &value) && !is_source_variable(name))
			read_variable(c, name, value, m);
	/* after VESPER_SOURCES, which is one of the variables above */
	for (char *const *variable = env; *variable; variable++)
		if (split_variable(*variable, &name, &value) && is_source_variable(name))
			read_source(c, name, value, m);
	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		read_vendor(c, &vendors[i], env, m);
	read_key_files(c, env, m);
}
