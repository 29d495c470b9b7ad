/*
 * Reads the same file and environment again while the program runs. Keys that may change get their
 * new values; all others keep their initial values, and their changes are reported.
 */
#include "config_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/config.h"
#include "vesper/json.h"

#define SOURCES_MEMBER "sources" /* member of a tenant */

/* Receives the names of values that need a restart. */
struct listener {
	void (*on_needs_restart)(void *owner, const char *name);
	void *owner;
	const json_t *sources; /* the sources that the program has opened */
};

static void report_restart(const struct listener *l, const char *key, const char *member,
			   const char *part)
{
	char name[NAME_BYTES];
	snprintf(name, sizeof(name), "%s%s%.*s%s%s", key, member ? "." : "",
		 STR_CUT(member ? member : "", 64), part ? "." : "", part ? part : "");
	l->on_needs_restart(l->owner, name);
}

/* ---- sources ---- */

/* New sources are added; existing ones stay as they were opened. */
static json_t *merge_sources(const struct listener *l, const json_t *read)
{
	json_t *merged = json_object();
	const char *name;
	json_t *source;
	json_object_foreach((json_t *)l->sources, name, source) {
		const json_t *now = json_object_get(read, name);
		if (!now || !json_equal(source, now))
			report_restart(l, "sources", name, NULL);
		json_object_set(merged, name, source);
	}
	json_object_foreach((json_t *)read, name, source)
		if (!json_object_get(l->sources, name))
			json_object_set(merged, name, source);
	return merged;
}

/* A tenant's files for the sources. NULL: the tenant names no files. */
static json_t *merge_files(const char *tenant, const json_t *old, const json_t *read,
			   const struct listener *l)
{
	json_t *merged = json_object(), *file;
	bool differs = false;
	const char *name;
	json_object_foreach((json_t *)l->sources, name, file) {
		json_t *old_file = json_object_get(old, name), *now = json_object_get(read, name);
		differs |= !old_file != !now || (old_file && !json_equal(old_file, now));
		if (old_file)
			json_object_set(merged, name, old_file);
	}
	if (differs)
		report_restart(l, "tenants", tenant, SOURCES_MEMBER);
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

static void keep_restart_members(json_t *into, const char *tenant, const json_t *from,
				 const json_t *read, const struct listener *l)
{
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)from, name, value) {
		if (is_live_member(name) || strcmp(name, SOURCES_MEMBER) == 0)
			continue;
		const json_t *now = json_object_get(read, name);
		if (!now || !json_equal(value, now))
			report_restart(l, "tenants", tenant, name);
		json_object_set(into, name, value);
	}
}

static json_t *merge_tenant(const char *name, const json_t *old, const json_t *read,
			    const struct listener *l)
{
	json_t *merged = json_object();
	const char *member;
	json_t *value;
	json_t *files = merge_files(name, json_object_get(old, SOURCES_MEMBER),
				    json_object_get(read, SOURCES_MEMBER), l);
	keep_restart_members(merged, name, old, read, l);
	if (files)
		json_set_take(merged, SOURCES_MEMBER, files);
	json_object_foreach((json_t *)read, member, value) {
		if (is_live_member(member))
			json_object_set(merged, member, value);
		else if (strcmp(member, SOURCES_MEMBER) != 0 && !json_object_get(old, member))
			report_restart(l, "tenants", name, member);
	}
	return merged;
}

/* Tenants are added and removed by a restart only: the start prepares a database for each. */
static json_t *merge_tenants(const json_t *old, const json_t *read, const struct listener *l)
{
	json_t *merged = json_object();
	const char *name;
	json_t *tenant;
	json_object_foreach((json_t *)old, name, tenant) {
		const json_t *now = json_object_get(read, name);
		if (now) {
			json_set_take(merged, name, merge_tenant(name, tenant, now, l));
			continue;
		}
		report_restart(l, "tenants", name, NULL);
		json_object_set(merged, name, tenant);
	}
	json_object_foreach((json_t *)read, name, tenant)
		if (!json_object_get(old, name))
			report_restart(l, "tenants", name, NULL);
	return merged;
}

/* ---- all keys ---- */

static json_t *merge_value(const struct config_key *key, json_t *old, json_t *read,
			   const struct listener *l)
{
	if (key->when == CONFIG_LIVE || json_equal(old, read))
		return json_incref(read);
	if (key->type == KEY_TENANTS)
		return merge_tenants(old, read, l);
	if (key->type == KEY_SOURCES)
		return merge_sources(l, read);
	report_restart(l, key->name, NULL, NULL);
	return json_incref(old);
}

bool config_reload(const struct config *old, const char *path, char *const *env,
		   void (*on_needs_restart)(void *owner, const char *name), void *owner,
		   struct config **out, struct err *e)
{
	const struct listener l = {on_needs_restart, owner, config_json(old, "sources")};
	if (!config_load(path, env, out, e))
		return false;
	for (size_t i = 0; i < config_key_count; i++) {
		json_t *read = (*out)->values[i];
		(*out)->values[i] = merge_value(&config_keys[i], old->values[i], read, &l);
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
