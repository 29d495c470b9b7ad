/*
 * Tool files below sql/<pack>: found, read, checked and sorted. A file for one dialect
 * (<tool>.<dialect>.sql) replaces the common file for that dialect only. Statements of a pack share
 * the fragments in sql/<pack>/fragments.sql.
 */
#include "catalog_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/schema.h"

/* Files of the pack outside its folders. */
#define FRAGMENTS "fragments.sql"
#define TABLES    "tables.json" /* read by vesperctl db */

static bool load_sql(struct loader *l, const char *path, struct sql_file **out, struct err *e)
{
	const char *text;

	return load_text_with_values(l, path, SQL_FILE_BYTES_MAX, &text, e) &&
	       sql_file_parse_with(path, text, &l->fragments, l->arena, out, e);
}

static bool load_fragments(struct loader *l, struct err *e)
{
	const char *path = arena_printf(l->arena, "sql/%s/" FRAGMENTS, l->pack->name), *text;

	return load_text_with_values(l, path, SQL_FILE_BYTES_MAX, &text, e) &&
	       sql_fragments_parse(path, text, l->arena, &l->fragments, e);
}

static bool check_fragments(const struct loader *l, struct err *e)
{
	const struct sql_fragment *f = sql_fragment_unused(&l->fragments);

	return !f || err_set(e, ERR_INPUT, "%s:%d: no tool of the pack uses fragment %s", f->path,
			     f->line, f->name);
}

/* Loads the file of one dialect. Its header may only repeat the tool's name. */
static bool load_override(struct loader *l, const char *folder, enum dialect d, struct tool_def *t,
			  struct err *e)
{
	const struct sql_file *common = t->files[d];
	const char *path = arena_printf(l->arena, "%s/%s.%s.sql", folder, t->name, dialect_name(d));
	struct sql_file *f;

	if (!load_sql(l, path, &f, e))
		return false;
	for (size_t i = 0; i < f->header_count; i++)
		if (strcmp(f->header[i].key, "tool") != 0 ||
		    strcmp(f->header[i].value, t->name) != 0)
			return err_set(e, ERR_INPUT, "%s:%d: only \"-- tool: %s\" is allowed here",
				       path, f->header[i].line, t->name);
	for (size_t i = 0; i < common->query_count; i++)
		if (f->query_count != common->query_count ||
		    !sql_file_query(f, common->queries[i].name))
			return err_set(e, ERR_INPUT, "%s:1: must have the queries of %s", path,
				       common->path);
	t->files[d] = f;
	return tool_file_check(l, t, f, e);
}

/* Parses "<tool>.<dialect>.sql"; false for "<tool>.sql". */
static bool is_override(const char *name, struct str *tool, enum dialect *d)
{
	for (int i = 0; i < DIALECT_COUNT; i++) {
		char end[32];
		size_t n = strlen(dialect_name((enum dialect)i));
		assert(n + 6 < sizeof(end));
		end[0] = '.';
		memcpy(end + 1, dialect_name((enum dialect)i), n);
		memcpy(end + 1 + n, ".sql", 5);
		if (!str_ends(str_of(name), str_of(end)))
			continue;
		*tool = (struct str){name, strlen(name) - strlen(end)};
		*d = (enum dialect)i;
		return true;
	}
	return false;
}

static bool load_tool(struct loader *l, const char *folder, const char *name, struct err *e)
{
	const char *path = arena_printf(l->arena, "sql/%s/%s/%s", l->pack->name, folder, name);
	struct catalog *c = &l->impl->public;
	const struct tool_def *same;
	size_t stem = strlen(name) - 4;
	struct sql_file *f;
	struct tool_def t;

	if (!load_sql(l, path, &f, e) || !tool_file_read(l, f, &t, e))
		return false;
	if (strlen(t.name) != stem || strncmp(t.name, name, stem) != 0)
		return err_set(e, ERR_INPUT, "%s:1: the file of tool %s must be %s.sql", path,
			       t.name, t.name);
	same = catalog_tool(c, t.name);
	if (same)
		return err_set(e, ERR_INPUT, "%s:1: %s already declares this tool", path,
			       same->path);
	t.pack = l->pack->name;
	t.folder = arena_strdup(l->arena, folder);
	if (!t.source && !t.gate && !t.map)
		t.source = l->pack->source;
	for (int d = 0; d < DIALECT_COUNT; d++)
		t.files[d] = f;
	if (!tool_file_check(l, &t, f, e))
		return false;
	l->tools = arena_grow(l->arena, l->tools, c->tool_count, &l->tool_cap, sizeof(t));
	l->tools[c->tool_count++] = t;
	c->tools = l->tools;
	return true;
}

static bool load_overrides(struct loader *l, const char *folder, const char *const *names,
			   struct err *e)
{
	struct str stem;
	enum dialect d;

	for (; *names; names++) {
		struct tool_def *tool = NULL;
		if (!is_override(*names, &stem, &d))
			continue;
		for (size_t i = 0; i < l->impl->public.tool_count; i++)
			if (str_eq(str_of(l->tools[i].name), stem))
				tool = &l->tools[i];
		if (!tool)
			return err_set(e, ERR_INPUT, "%s/%s:1: the file %.*s.sql is missing",
				       folder, *names, STR_FMT(stem));
		if (!load_override(l, folder, d, tool, e))
			return false;
	}
	return true;
}

static bool load_folder(struct loader *l, const char *name, struct err *e)
{
	const char *folder = arena_printf(l->arena, "sql/%s/%s", l->pack->name, name);
	const char *const *names;
	struct str stem;
	enum dialect d;

	if (!load_names(l, folder, &names, e))
		return false;
	for (size_t i = 0; names[i]; i++) {
		if (!str_ends(str_of(names[i]), STR(".sql")))
			return err_set(e, ERR_INPUT, "%s/%s:1: not a .sql file", folder, names[i]);
		if (!is_override(names[i], &stem, &d) && !load_tool(l, name, names[i], e))
			return false;
	}
	return load_overrides(l, folder, names, e);
}

bool load_tools(struct loader *l, struct err *e)
{
	const char *const *folders;

	l->fragments = (struct sql_fragments){0};
	if (!load_names(l, arena_printf(l->arena, "sql/%s", l->pack->name), &folders, e) ||
	    (strlist_has(folders, FRAGMENTS) && !load_fragments(l, e)))
		return false;
	for (; *folders; folders++)
		if (strcmp(*folders, FRAGMENTS) != 0 && strcmp(*folders, TABLES) != 0 &&
		    !load_folder(l, *folders, e))
			return false;
	return check_fragments(l, e);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tool_def *)a)->name, ((const struct tool_def *)b)->name);
}

/* Returns true when a tool has a parameter for the filter. */
static bool has_parameter(const struct catalog *c, const char *filter)
{
	for (size_t i = 0; i < c->tool_count; i++)
		if (tool_param_of_filter(&c->tools[i], filter))
			return true;
	return false;
}

static bool check_refers(const struct catalog *c, const struct tool_def *t, struct err *e)
{
	for (size_t i = 0; i < t->words.refer_count; i++)
		if (!has_parameter(c, t->words.refers[i].filter))
			return err_set(e, ERR_INPUT, "%s:%d: refer: no tool has a filter %s",
				       t->path, t->words.refers[i].line, t->words.refers[i].filter);
	return true;
}

static bool check_shows(const struct catalog *c, const struct tool_def *t, struct err *e)
{
	const char *const *by = t->words.shows_by;

	if (t->words.shows && !by)
		return schema_entity(catalog_schema(c), t->words.shows) ||
		       err_set(e, ERR_INPUT, "%s:1: shows: unknown entity %s", t->path,
			       t->words.shows);
	if (t->words.shows && !schema_metric(catalog_schema(c), t->words.shows))
		return err_set(e, ERR_INPUT, "%s:1: shows: unknown metric %s", t->path,
			       t->words.shows);
	for (; by && *by; by++)
		if (!schema_dimension(c, *by))
			return err_set(e, ERR_INPUT, "%s:1: shows: unknown dimension %s", t->path,
				       *by);
	return true;
}

bool finish_tools(struct loader *l, struct err *e)
{
	const struct catalog *c = &l->impl->public;

	if (c->tool_count > 0)
		qsort(l->tools, c->tool_count, sizeof(*l->tools), by_name);
	for (size_t i = 0; i < c->tool_count; i++) {
		l->tools[i].index = i;
		l->tools[i].schema = json_own(l->arena, tool_schema_new(c, &l->tools[i]));
	}
	for (size_t i = 0; i < c->tool_count; i++)
		if (!check_refers(c, &c->tools[i], e) || !check_shows(c, &c->tools[i], e))
			return false;
	return true;
}
