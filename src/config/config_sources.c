/*
 * The key `sources`: named sources, the databases other than the warehouse. In the environment,
 * VESPER_SOURCES_<NAME>_<MEMBER> sets one member of a source. With the suffix _FILE the variable
 * names a file that contains the value.
 */
#include "config_int.h"

#include <ctype.h>
#include <string.h>

#include "vesper/err.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define PREFIX "VESPER_SOURCES_"

/* The members of a source, all optional. Except for dir, their defaults are the warehouse's. */
static const struct config_key members[] = {
	{"dialect", CONFIG_RESTART, KEY_TEXT, NULL, 0, 0, CONFIG_DIALECTS, false, ""},
	{"dsn", CONFIG_RESTART, KEY_TEXT, NULL, 0, 0, NULL, true, ""},
	{"dir", CONFIG_RESTART, KEY_TEXT, NULL, 0, 0, NULL, false, ""},
	{"workers", CONFIG_RESTART, KEY_INT, NULL, 1, DB_WORKERS_MAX, NULL, false, ""},
	{"queue", CONFIG_RESTART, KEY_INT, NULL, 1, DB_QUEUE_MAX, NULL, false, ""},
	{"max_rows", CONFIG_RESTART, KEY_INT, NULL, 1, DB_ROWS_MAX, NULL, false, ""},
	{"query_timeout_ms", CONFIG_RESTART, KEY_INT, NULL, 10, CONFIG_WAIT_MS_MAX, NULL, false,
	 ""},
	{"only_tenant", CONFIG_RESTART, KEY_TEXT, NULL, 0, 0, NULL, false, ""},
};
#define MEMBERS (sizeof(members) / sizeof(members[0]))

static const struct config_key *member_find(const char *name)
{
	for (size_t i = 0; i < MEMBERS; i++)
		if (strcmp(members[i].name, name) == 0)
			return &members[i];
	return NULL;
}

static void source_check(const char *name, const json_t *source, const char *where,
			 struct config_faults *m)
{
	const char *member;
	json_t *value;

	if (!str_is_name(name, SOURCE_NAME_BYTES_MAX) || strcmp(name, "warehouse") == 0 ||
	    strcmp(name, "store") == 0)
		config_fault_add(
			m,
			"%s.%.*s: a name must have at most %d of a-z, 0-9 and _, and must not be "
			"warehouse or store",
			where, STR_CUT(name, 40), SOURCE_NAME_BYTES_MAX);
	else if (!json_is_object(source))
		config_fault_add(m, "%s.%s: must be an object", where, name);
	else
		json_object_foreach((json_t *)source, member, value) {
			const struct config_key *key = member_find(member);
			char *place = mem_printf("%s.%s.%.*s", where, name, STR_CUT(member, 40));

			if (!key)
				config_fault_add(m, "%s: unknown key", place);
			else
				(void)value_check(key, value, place, m);
			mem_free(place);
		}
}

bool sources_check(const json_t *value, const char *where, struct config_faults *m)
{
	int before = m->count;
	const char *name;
	json_t *source;

	if (!json_is_object(value) || json_object_size(value) > SOURCES_MAX)
		config_fault_add(m, "%s: must be an object of at most %d sources", where,
				 SOURCES_MAX);
	else
		json_object_foreach((json_t *)value, name, source)
			source_check(name, source, where, m);
	return m->count == before;
}

/* Splits CLINIC_DSN into the name "clinic" and the member dsn; the longest matching member counts.
 * NULL: no member matches, or the name is too long. */
static const struct config_key *split_variable(struct str rest, char *name, size_t size)
{
	const struct config_key *found = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < MEMBERS; i++) {
		size_t n = strlen(members[i].name);

		if (rest.n > n + 1 && n > longest && rest.p[rest.n - n - 1] == '_' &&
		    str_eq_nocase((struct str){rest.p + rest.n - n, n}, str_of(members[i].name))) {
			found = &members[i];
			longest = n;
		}
	}
	if (!found || rest.n - longest > size)
		return NULL;
	for (size_t i = 0; i < rest.n - longest - 1; i++)
		name[i] = (char)tolower((unsigned char)rest.p[i]);
	name[rest.n - longest - 1] = '\0';
	return found;
}

bool source_variable(struct str name, char *source, size_t size, const struct config_key **key,
		     bool *is_file)
{
	struct str rest = {name.p + strlen(PREFIX), name.n - strlen(PREFIX)};

	if (!str_starts(name, STR(PREFIX)))
		return false;
	*key = split_variable(rest, source, size);
	*is_file = false;
	if (!*key && str_ends(rest, STR("_FILE"))) {
		rest.n -= strlen("_FILE");
		*key = split_variable(rest, source, size);
		*is_file = *key != NULL;
	}
	return *key != NULL;
}

void sources_complete(json_t *sources)
{
	const char *name;
	json_t *source;

	json_object_foreach(sources, name, source)
		if (json_object_get(source, "dialect"))
			choice_lower(json_object_get(source, "dialect"));
}

json_t *sources_printable(const json_t *value)
{
	json_t *copy = json_deep_copy(value), *source;
	const char *name;

	json_object_foreach(copy, name, source)
		if (json_string_length(json_object_get(source, "dsn")) > 0)
			json_set_str(source, "dsn", "***");
	return copy;
}
