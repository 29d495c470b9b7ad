/* Source of each view, and requirements of the catalogue's views on a source. */
#include "catalog_int.h"

#include <string.h>
#include <strings.h>

#include "vesper/limits.h"

const char *source_of_view(const struct catalog_impl *w, const char *view)
{
	const struct view_def *v = schema_view(&w->schema, view);

	return v ? v->source : NULL;
}

const char *source_only_tenant(const struct loader *l, const char *source)
{
	for (const char *const *one = l->one_tenant; one && *one; one += 2)
		if (strcmp(one[0], source) == 0)
			return arena_strdup(l->arena, one[1]);
	return NULL;
}

const char *catalog_view_source(const struct catalog *c, const char *view)
{
	return source_of_view(catalog_impl(c), view);
}

bool catalog_reads_source(const struct catalog *c, const char *source)
{
	const struct catalog_impl *w = catalog_impl(c);

	for (size_t i = 0; i < w->schema.view_count; i++)
		if (strcmp(w->schema.views[i]->source, source) == 0)
			return true;
	return false;
}

static bool has_schema(const struct strlist *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcasecmp(list->items[i], name) == 0)
			return true;
	return false;
}

static void add_schema(struct strlist *list, const struct view_def *v, struct arena *a)
{
	const char *dot = strchr(v->name, '.');
	const char *schema = dot ? arena_strndup(a, v->name, (size_t)(dot - v->name)) : NULL;

	if (schema && !has_schema(list, schema))
		strlist_add(list, a, schema);
}

const char *const *catalog_schemas(const struct catalog *c, const char *source, struct arena *a)
{
	const struct catalog_impl *w = catalog_impl(c);
	struct strlist list = {0};

	strlist_add(&list, a, NULL);
	for (size_t i = 0; i < w->schema.view_count; i++)
		if (strcmp(w->schema.views[i]->source, source) == 0)
			add_schema(&list, w->schema.views[i], a);
	return list.items;
}

bool check_source_schemas(const struct loader *l, const char *source, struct err *e)
{
	const char *const *schemas = catalog_schemas(&l->impl->public, source, l->arena);

	return strlist_len(schemas) <= DB_SCHEMAS_MAX ||
	       err_set(e, ERR_INPUT, "%s: source %s has more than %d schemas",
		       schemas[DB_SCHEMAS_MAX], source, DB_SCHEMAS_MAX);
}
