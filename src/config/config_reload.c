/*
 * Reads the same file and environment again while the program runs. Keys that may change get their
 * new values; all others keep the values of the start, and are reported.
 */
#include "config_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/config.h"
#include "vesper/json.h"

#define FILES "sources" /* member of a tenant */

/* Receives the names of values that need a restart. */
struct listener {
	void (*keeps)(void *owner, const char *name);
	void *owner;
	const json_t *sources; /* the sources that the program has opened */
};

static void notify(const struct listener *l, const char *key, const char *member, const char *part)
{
	char name[NAME_BYTES];
	snprintf(name, sizeof(name), "%s%s%.*s%s%s", key, member ? "." : "",
		 STR_CUT(member ? member : "", 64), part ? "." : "", part ? part : "");
	l->keeps(l->owner, name);
}

/* ---- sources ---- */

/* New sources are added; existing ones stay as they were opened. */
static json_t *sources_merged(const struct listener *l, const json_t *read)
{
	json_t *merged = json_object();
	const char *name;
	json_t *source;
	json_object_foreach((json_t *)l->sources, name, source) {
		const json_t *now = json_object_get(read, name);
		if (!now || !json_equal(source, now))
			notify(l, "sources", name, NULL);
		json_object_set(merged, name, source);
	}
	json_object_foreach((json_t *)read, name, source)
		if (!json_object_get(l->sources, name))
			json_object_set(merged, name, source);
	return merged;
}

/* A tenant's files for the sources. NULL: it names none. */
static json_t *files_merged(const char *tenant, const json_t *old, const json_t *read,
			    const struct listener *l)
{
	json_t *merged = json_object(), *file;
	bool other = false;
	const char *name;
	json_object_foreach((json_t *)l->sources, name, file) {
		json_t *was = json_object_get(old, name), *now = json_object_get(read, name);
		other |= !was != !now || (was && !json_equal(was, now));
		if (was)
			json_object_set(merged, name, was);
	}
	if (other)
		notify(l, "tenants", tenant, FILES);
	json_object_foreach((json_t *)read, name, file)
		if (!json_object_get(l->sources, name))
			json_object_set(merged, name, file);
	if (json_object_size(merged) > 0)
		return merged;
	json_decref(merged);
	return NULL;
}

/* ---- tenants ---- */

static bool is_live_member(const char *name)
{
	static const char *const live[] = {"packs", "timezone", "claim"};
	for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++)
		if (strcmp(name, live[i]) == 0)
			return true;
	return false;
}

static void keep_members(json_t *into, const char *tenant, const json_t *from, const json_t *other,
			 const struct listener *l)
{
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)from, name, value) {
		if (is_live_member(name) || strcmp(name, FILES) == 0)
			continue;
		const json_t *now = json_object_get(other, name);
		if (!now || !json_equal(value, now))
			notify(l, "tenants", tenant, name);
		json_object_set(into, name, value);
	}
}

static json_t *tenant_merged(const char *name, const json_t *old, const json_t *read,
			     const struct listener *l)
{
	json_t *merged = json_object();
	const char *member;
	json_t *value;
	json_t *files =
		files_merged(name, json_object_get(old, FILES), json_object_get(read, FILES), l);
	keep_members(merged, name, old, read, l);
	if (files)
		json_set_take(merged, FILES, files);
	json_object_foreach((json_t *)read, member, value) {
		if (is_live_member(member))
			json_object_set(merged, member, value);
		else if (strcmp(member, FILES) != 0 && !json_object_get(old, member))
			notify(l, "tenants", name, member);
	}
	return merged;
}

/* Tenants are added and removed by a restart only: the start prepares a database for each. */
static json_t *tenants_merged(const json_t *old, const json_t *read, const struct listener *l)
{
	json_t *merged = json_object();
	const char *name;
	json_t *tenant;
	json_object_foreach((json_t *)old, name, tenant) {
		const json_t *now = json_object_get(read, name);
		if (now) {
			json_set_take(merged, name, tenant_merged(name, tenant, now, l));
			continue;
		}
		notify(l, "tenants", name, NULL);
		json_object_set(merged, name, tenant);
	}
	json_object_foreach((json_t *)read, name, tenant)
		if (!json_object_get(old, name))
			notify(l, "tenants", name, NULL);
	return merged;
}

/* ---- all keys ---- */

static json_t *value_merged(const struct config_key *key, json_t *old, json_t *read,
			    const struct listener *l)
{
	if (key->when == CONFIG_LIVE || json_equal(old, read))
		return json_incref(read);
	if (key->type == KEY_TENANTS)
		return tenants_merged(old, read, l);
	if (key->type == KEY_SOURCES)
		return sources_merged(l, read);
	notify(l, key->name, NULL, NULL);
	return json_incref(old);
}

bool config_reload(const struct config *old, const char *path, char *const *env,
		   void (*keeps)(void *owner, const char *name), void *owner, struct config **out,
		   struct err *e)
{
	const struct listener l = {keeps, owner, config_json(old, "sources")};
	if (!config_load(path, env, out, e))
		return false;
	for (size_t i = 0; i < config_key_count; i++) {
		json_t *read = (*out)->values[i];
		(*out)->values[i] = value_merged(&config_keys[i], old->values[i], read, &l);
		json_decref(read);
	}
	return true;
}

bool config_same(const struct config *a, const struct config *b, const char *prefix)
{
	for (size_t i = 0; i < config_key_count; i++)
		if (strncmp(config_keys[i].name, prefix, strlen(prefix)) == 0 &&
		    !json_equal(a->values[i], b->values[i]))
			return false;
	return true;
}
