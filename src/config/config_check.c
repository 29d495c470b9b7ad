/*
 * Checks a value against its key. An error names the key and the rule, never the value, which may
 * be a secret. All errors of a load are collected and shown together.
 */
#include "config_int.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/err.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/zone.h"
#include "vesper/mem.h"

#define TENANT_BYTES_MAX 64
#define API_VERSION      "2026-10-21" /* of the Messages API, unless the provider sets one */
#define PROVIDER_KINDS   "anthropic|openai|azure|gemini|ollama|vllm"

void config_fault_add(struct config_faults *m, const char *fmt, ...)
{
	if (m->count++)
		buf_str(&m->text, "; ");
	va_list args;
	va_start(args, fmt);
	buf_vprintf(&m->text, fmt, args);
	va_end(args);
}

static bool is_choice(const char *choices, const char *text)
{
	struct str rest = str_of(choices);
	struct str choice;
	while (str_split(&rest, '|', &choice))
		if (str_eq_nocase(choice, str_of(text)))
			return true;
	return false;
}

/* "FULL" is accepted as "full". */
void choice_lower(json_t *value)
{
	char *text = mem_strdup(json_string_value(value));
	for (char *p = text; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	json_string_set_nocheck(value, text);
	mem_free(text);
}

static bool text_check(const struct config_key *key, const json_t *value, const char *where,
		       struct config_faults *m)
{
	const char *text = json_string_value(value);
	struct moment today;
	if (!text)
		config_fault_add(m, "%s: must be text", where);
	else if (key->type == KEY_DATE && *text &&
		 (!moment_parse(text, &today) || today.day.year < CONFIG_YEAR_MIN ||
		  today.day.year > CONFIG_YEAR_MAX))
		config_fault_add(
			m,
			"%s: must be a date (YYYY-MM-DD) in the years %d to %d, optionally with a "
			"time (T12:00 or T12:00-07:00)",
			where, CONFIG_YEAR_MIN, CONFIG_YEAR_MAX);
	else if (key->choices && !is_choice(key->choices, text))
		config_fault_add(m, "%s: must be one of %s", where, key->choices);
	else
		return true;
	return false;
}

static bool int_check(const struct config_key *key, const json_t *value, const char *where,
		      struct config_faults *m)
{
	if (json_is_integer(value) && json_integer_value(value) >= key->min &&
	    json_integer_value(value) <= key->max)
		return true;
	config_fault_add(m, "%s: must be an integer from %" PRId64 " to %" PRId64, where, key->min,
			 key->max);
	return false;
}

static bool list_check(const json_t *value, const char *where, struct config_faults *m)
{
	bool ok = json_is_array(value);
	for (size_t i = 0; ok && i < json_array_size(value); i++)
		ok = json_string_length(json_array_get(value, i)) > 0;
	if (!ok)
		config_fault_add(m, "%s: must be a list of strings", where);
	return ok;
}

/* An origin as browsers send it (RFC 6454, section 6.2), without the default port. */
static bool is_origin(const char *text)
{
	const char *host = strstr(text, "://"), *port;
	size_t name;

	if (!str_starts(str_of(text), STR("https://")) && !str_starts(str_of(text), STR("http://")))
		return false;
	host += strlen("://");
	name = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/?#@*,\\ ");
	if (name == 0 || name > strlen(host))
		return false;
	port = host + name;
	return !*port ||
	       (*port == ':' && strlen(port) > 1 && strlen(port) <= sizeof(":65535") - 1 &&
		strspn(port + 1, "0123456789") == strlen(port + 1));
}

static bool origins_check(const json_t *value, const char *where, struct config_faults *m)
{
	int before = m->count;

	if (!list_check(value, where, m))
		return false;
	for (size_t i = 0; i < json_array_size(value); i++)
		if (!is_origin(json_string_value(json_array_get(value, i))))
			config_fault_add(m,
					 "%s[%zu]: must be an origin as browsers send it, "
					 "https://host or https://host:port",
					 where, i);
	return m->count == before;
}

static bool map_check(const json_t *value, const char *where, struct config_faults *m)
{
	bool ok = json_is_object(value);
	const char *key;
	json_t *text;
	json_object_foreach((json_t *)value, key, text)
		ok = ok && *key && json_string_length(text) > 0;
	if (!ok)
		config_fault_add(m, "%s: must be an object of strings", where);
	return ok;
}

static bool models_check(const json_t *provider, struct err *e)
{
	static const char *const roles[] = {"route", "agent", "answer", NULL};
	const char *model = "";
	json_t *models = NULL;
	if (!json_opt_str(provider, "model", &model, e) ||
	    !json_opt_object(provider, "models", &models, e))
		return false;
	if (!models)
		return true;
	if (!json_check_members(models, roles, e))
		return err_prefix(e, "models");
	for (const char *const *role = roles; *role; role++)
		if (!json_opt_str(models, *role, &model, e))
			return err_prefix(e, "models");
	return true;
}

static bool provider_check(const json_t *provider, struct err *e)
{
	static const char *const names[] = {"name",    "kind",  "base_url", "key", "key_file",
					    "version", "model", "models",   NULL};
	const char *name, *kind, *url = NULL;
	const char *unused = "";
	if (!json_is_object(provider))
		return err_set(e, ERR_INPUT, "must be an object");
	if (!json_check_members(provider, names, e) || !json_get_str(provider, "name", &name, e) ||
	    !json_get_str(provider, "kind", &kind, e) ||
	    !json_opt_str(provider, "base_url", &url, e) ||
	    !json_opt_str(provider, "key", &unused, e) ||
	    !json_opt_str(provider, "key_file", &unused, e) ||
	    !json_opt_str(provider, "version", &unused, e) || !models_check(provider, e))
		return false;
	if (*name == '\0' || strcmp(name, "rules") == 0)
		return err_set(e, ERR_INPUT,
			       "name: must not be empty or \"rules\", which is reserved");
	if (!is_choice(PROVIDER_KINDS, kind))
		return err_set(e, ERR_INPUT, "kind: must be one of " PROVIDER_KINDS);
	if (url && strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return err_set(e, ERR_INPUT, "base_url: must begin with http:// or https://");
	return true;
}

static bool providers_check(const json_t *value, const char *where, struct config_faults *m)
{
	int before = m->count;
	if (!json_is_array(value))
		config_fault_add(m, "%s: must be a list of providers", where);
	for (size_t i = 0; i < json_array_size(value); i++) {
		const json_t *provider = json_array_get(value, i);
		struct err e;
		if (!provider_check(provider, &e)) {
			config_fault_add(m, "%s[%zu]: %s", where, i, e.text);
			continue;
		}
		for (size_t k = 0; k < i; k++)
			if (json_equal(json_object_get(provider, "name"),
				       json_object_get(json_array_get(value, k), "name")))
				config_fault_add(m, "%s[%zu]: duplicate provider name", where, i);
	}
	return m->count == before;
}

static void providers_complete(json_t *providers)
{
	json_t *provider;
	size_t i;
	json_array_foreach(providers, i, provider)
		if (!json_object_get(provider, "version"))
			json_set_str(provider, "version", API_VERSION);
}

/* A plain file name: no folder, not hidden. */
static bool is_file_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

static bool is_tenant_id(const char *id)
{
	size_t len = strlen(id);
	return len >= 1 && len <= TENANT_BYTES_MAX &&
	       strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
		       len;
}

static bool tenant_check(const char *id, const json_t *tenant, struct err *e)
{
	static const char *const names[] = {"warehouse", "store",   "timezone", "claim",
					    "packs",     "sources", NULL};
	const char *warehouse = "-", *store = "-", *zone = "", *claim = "-";
	json_t *packs = NULL, *sources = NULL, *file;
	const json_t *pack;
	const char *source;
	size_t i;
	if (!is_tenant_id(id))
		return err_set(e, ERR_INPUT, "an id must have 1 to %d letters, digits, _ or -",
			       TENANT_BYTES_MAX);
	if (!json_is_object(tenant))
		return err_set(e, ERR_INPUT, "must be an object");
	if (!json_check_members(tenant, names, e) ||
	    !json_opt_str(tenant, "warehouse", &warehouse, e) ||
	    !json_opt_str(tenant, "store", &store, e) ||
	    !json_opt_str(tenant, "timezone", &zone, e) ||
	    !json_opt_str(tenant, "claim", &claim, e) ||
	    !json_opt_array(tenant, "packs", &packs, e) ||
	    !json_opt_object(tenant, "sources", &sources, e))
		return false;
	json_object_foreach(sources, source, file)
		if (!json_is_string(file) || !is_file_name(json_string_value(file)))
			return err_set(e, ERR_INPUT, "sources.%.*s: must be a plain file name",
				       STR_CUT(source, 40));
	json_array_foreach(packs, i, pack)
		if (!json_is_string(pack))
			return err_set(e, ERR_INPUT, "packs[%zu]: must be a string", i);
	if (!*claim)
		return err_set(e, ERR_INPUT, "claim: must not be empty");
	if (!is_file_name(warehouse) || !is_file_name(store))
		return err_set(e, ERR_INPUT, "warehouse and store must be plain file names");
	return true;
}

/* Returns true when both tenants use the same file for a source. */
static bool shares_source_file(const json_t *a, const json_t *b)
{
	const char *source;
	json_t *file;

	json_object_foreach((json_t *)json_object_get(a, "sources"), source, file)
		if (json_equal(file, json_object_get(json_object_get(b, "sources"), source)))
			return true;
	return false;
}

/* Two tenants in one file would not be isolated. */
static const char *shares_file(const json_t *tenants, const char *id, const json_t *tenant)
{
	const char *other;
	json_t *other_tenant;
	json_object_foreach((json_t *)tenants, other, other_tenant) {
		if (strcmp(other, id) == 0)
			return NULL;
		if (json_equal(json_object_get(tenant, "warehouse"),
			       json_object_get(other_tenant, "warehouse")) ||
		    json_equal(json_object_get(tenant, "store"),
			       json_object_get(other_tenant, "store")) ||
		    shares_source_file(tenant, other_tenant))
			return other;
	}
	return NULL;
}

/* The value of the token's claim for this tenant. */
static const char *claim_value(const char *id, const json_t *tenant)
{
	const json_t *claim = json_object_get(tenant, "claim");
	return claim ? json_string_value(claim) : id;
}

/* One claim value must not name two tenants. */
static bool shares_claim(const json_t *tenants, const char *id, const json_t *tenant)
{
	const char *other;
	json_t *other_tenant;
	json_object_foreach((json_t *)tenants, other, other_tenant) {
		if (strcmp(other, id) == 0)
			return false;
		if (strcmp(claim_value(id, tenant), claim_value(other, other_tenant)) == 0)
			return true;
	}
	return false;
}

static bool tenants_check(const json_t *value, const char *where, struct config_faults *m)
{
	int before = m->count;
	const char *id;
	json_t *tenant;
	if (json_object_size(value) == 0)
		config_fault_add(m, "%s: must be an object with at least one tenant", where);
	json_object_foreach((json_t *)value, id, tenant) {
		const char *other = shares_file(value, id, tenant);
		struct err e;

		if (!tenant_check(id, tenant, &e))
			config_fault_add(m, "%s.%.*s: %s", where, STR_CUT(id, 64), e.text);
		else if (other)
			config_fault_add(m, "%s.%s: shares a file with tenant %s", where, id,
					 other);
		else if (shares_claim(value, id, tenant))
			config_fault_add(m, "%s.%s: shares its claim with another tenant", where,
					 id);
	}
	return m->count == before;
}

bool value_check(const struct config_key *key, const json_t *value, const char *where,
		 struct config_faults *m)
{
	switch (key->type) {
	case KEY_TEXT:
	case KEY_DATE:
		return text_check(key, value, where, m);
	case KEY_INT:
		return int_check(key, value, where, m);
	case KEY_BOOL:
		if (!json_is_boolean(value))
			config_fault_add(m, "%s: must be true or false", where);
		return json_is_boolean(value);
	case KEY_LIST:
		return list_check(value, where, m);
	case KEY_ORIGINS:
		return origins_check(value, where, m);
	case KEY_MAP:
		return map_check(value, where, m);
	case KEY_PROVIDERS:
		return providers_check(value, where, m);
	case KEY_PRICES:
		return prices_check(value, where, m);
	case KEY_BUDGETS:
		return budgets_check(value, where, m);
	case KEY_TENANTS:
		return tenants_check(value, where, m);
	case KEY_SOURCES:
		return sources_check(value, where, m);
	}
	return false;
}

/* Settings are written into errors, headers, SQL or file names, so control characters are rejected.
 * Line breaks are allowed, as in a key. */
static bool has_control_character(const json_t *value)
{
	const char *key;
	json_t *member;
	size_t i;
	for (const char *p = json_string_value(value); p && *p; p++)
		if (((unsigned char)*p < 0x20 && !strchr("\t\r\n", *p)) || *p == 0x7F)
			return true;
	json_array_foreach(value, i, member)
		if (has_control_character(member))
			return true;
	json_object_foreach((json_t *)value, key, member)
		if (has_control_character(member))
			return true;
	return false;
}

void config_set_take(struct config *c, size_t key, json_t *value, const char *where,
		     struct config_faults *m)
{
	assert(key < config_key_count);
	if (has_control_character(value))
		config_fault_add(m, "%s: must not contain control characters", where);
	if (has_control_character(value) || !value_check(&config_keys[key], value, where, m)) {
		json_decref(value);
		return;
	}
	if (config_keys[key].type == KEY_PROVIDERS)
		providers_complete(value);
	if (config_keys[key].type == KEY_SOURCES)
		sources_complete(value);
	if (config_keys[key].choices)
		choice_lower(value);
	json_decref(c->values[key]);
	c->values[key] = value;
	c->is_set[key] = true;
	mem_free(c->variables[key]);
	c->variables[key] = strncmp(where, "VESPER_", 7) == 0 ? mem_strdup(where) : NULL;
}
