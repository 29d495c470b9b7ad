/* The schemas of a read-only SQLite file. Workers load the list when they open a connection; a
 * replaced list stays allocated until the pool is freed. */
#include "db_int.h"

#include <string.h>
#include <strings.h>

#include "vesper/mem.h"

/* The name is inserted into SQL, so it must be a plain identifier. "main" and "temp" are SQLite's
 * own. */
static bool is_schema(const char *name)
{
	size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");

	return n > 0 && name[n] == '\0' && (*name < '0' || *name > '9') &&
	       strcasecmp(name, "main") != 0 && strcasecmp(name, "temp") != 0;
}

static bool is_same(const struct db_schemas *s, const char *const *names)
{
	size_t n = 0;

	while (s && names[n] && n < s->count && strcmp(names[n], s->names[n]) == 0)
		n++;
	return s && n == s->count && !names[n];
}

static bool names_check(const struct db_settings *s, const char *const *names, struct err *e)
{
	size_t n = 0;

	for (; names[n]; n++)
		if (!is_schema(names[n]))
			return err_set(e, ERR_INPUT, "%s: %s is not a valid schema name", s->name,
				       names[n]);
	return n <= DB_SCHEMAS_MAX ||
	       err_set(e, ERR_INPUT, "%s: more than %d schemas", s->name, DB_SCHEMAS_MAX);
}

bool db_pool_use_schemas(struct db_pool *p, const char *const *names, struct err *e)
{
	struct db_schemas *before = atomic_load(&p->settings.schemas), *s;

	if (p->settings.dialect->server || !p->settings.read_only)
		return true;
	if (!names_check(&p->settings, names, e))
		return false;
	if (!*names || is_same(before, names))
		return true;
	s = mem_alloc(sizeof(*s));
	for (; names[s->count]; s->count++)
		s->names[s->count] = mem_strdup(names[s->count]);
	s->confirm = mem_printf("SELECT tenant_id FROM %s.vesper_tenant", s->names[0]);
	s->before = before;
	atomic_store(&p->settings.schemas, s);
	return true;
}

void db_schemas_free(struct db_settings *settings)
{
	struct db_schemas *s = atomic_load(&settings->schemas), *before;

	for (; s; s = before) {
		before = s->before;
		for (size_t i = 0; i < s->count; i++)
			mem_free(s->names[i]);
		mem_free(s->confirm);
		mem_free(s);
	}
	atomic_store(&settings->schemas, NULL);
}
