/* Parses and checks a description of tables. A member that would fail on one of the dialects is
 * refused here with its line. */
#include "ddl_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

#define NAME_BYTES_MAX   60 /* PostgreSQL truncates names at 63, and constraints add to them */
#define TEXT_SIZE_MAX    4000
#define DECIMAL_SIZE_MAX 38
#define TENANT_BYTES     100

const char *ddl_member_path(const struct ddl_reader *r, const char *member, const char *name)
{
	return arena_printf(r->arena, "%s.%s", member, name);
}

bool ddl_check_members(const struct ddl_reader *r, const json_t *item, const char *member,
		       const char *const *names)
{
	struct err e = {0};

	return json_check_members(item, names, &e) || words_fail(&r->f, member, "%s", e.text);
}

/* Accepts a plain name, or one in double quotes. */
static bool is_name(const char *name)
{
	size_t n = name ? strlen(name) : 0;

	if (n == 0 || n > NAME_BYTES_MAX)
		return false;
	if (*name == '"')
		return n > 2 && name[n - 1] == '"' && strcspn(name + 1, "\"[]{};?") == n - 2;
	return strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") ==
		       n &&
	       (*name < '0' || *name > '9');
}

bool ddl_read_name(const struct ddl_reader *r, const json_t *item, const char *member,
		   const char **out)
{
	const char *name = json_string_value(json_object_get(item, "name"));

	if (!is_name(name))
		return words_fail(&r->f, member, "\"name\" must be a name of at most %d bytes",
				  NAME_BYTES_MAX);
	*out = arena_strdup(r->arena, name);
	return true;
}

static bool read_text(const struct ddl_reader *r, const json_t *item, const char *member,
		      const char *name, const char **out)
{
	const char *text = NULL;
	struct err e = {0};

	if (!json_opt_str(item, name, &text, &e))
		return words_fail(&r->f, member, "%s", e.text);
	if (text && (!*text || strchr(text, '\n')))
		return words_fail(&r->f, ddl_member_path(r, member, name),
				  "must be one line of text");
	*out = text ? arena_strdup(r->arena, text) : NULL;
	return true;
}

static bool read_bool(const struct ddl_reader *r, const json_t *item, const char *member,
		      const char *name, bool *out)
{
	struct err e = {0};

	return json_opt_bool(item, name, out, &e) || words_fail(&r->f, member, "%s", e.text);
}

/* ---- columns ---- */

static bool read_sizes(const char *text, struct ddl_column *c)
{
	char *end;

	if (*text != '(')
		return false;
	c->size = (int)strtol(text + 1, &end, 10);
	if (c->type == DDL_DECIMAL && *end == ',')
		c->scale = (int)strtol(end + 1, &end, 10);
	if (strcmp(end, ")") != 0 || c->size < 1)
		return false;
	if (c->type == DDL_TEXT)
		return c->size <= TEXT_SIZE_MAX;
	return c->size <= DECIMAL_SIZE_MAX && c->scale >= 0 && c->scale <= c->size;
}

static bool read_type(const char *text, struct ddl_column *c)
{
	static const struct {
		const char *name;
		enum ddl_type type;
	} types[] = {
		{"text", DDL_TEXT}, {"int", DDL_INT},           {"bigint", DDL_BIGINT},
		{"date", DDL_DATE}, {"datetime", DDL_DATETIME}, {"decimal", DDL_DECIMAL},
		{"bool", DDL_BOOL}, {"flag", DDL_FLAG},         {"json", DDL_JSON},
	};
	size_t n = text ? strcspn(text, "(") : 0;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (n == 0 || strncmp(types[i].name, text, n) != 0 || types[i].name[n])
			continue;
		c->type = types[i].type;
		if (!text[n])
			return c->type != DDL_DECIMAL;
		return (c->type == DDL_TEXT || c->type == DDL_DECIMAL) && read_sizes(text + n, c);
	}
	return false;
}

static bool read_column(const struct ddl_reader *r, const json_t *item, const char *member,
			struct ddl_column *c)
{
	static const char *const members[] = {"name",  "type",  "null", "identity",
					      "check", "about", NULL};
	const char *type = json_string_value(json_object_get(item, "type"));

	if (!ddl_check_members(r, item, member, members) ||
	    !ddl_read_name(r, item, member, &c->name) ||
	    !read_text(r, item, member, "about", &c->about) ||
	    !read_text(r, item, member, "check", &c->check) ||
	    !read_bool(r, item, member, "null", &c->null) ||
	    !read_bool(r, item, member, "identity", &c->identity))
		return false;
	if (!read_type(type, c))
		return words_fail(
			&r->f, member,
			"\"type\" must be text(1 to %d), text, int, bigint, decimal(p,s), "
			"date, datetime, bool, flag or json",
			TEXT_SIZE_MAX);
	if (c->identity && (c->type != DDL_BIGINT || c->null || c->check))
		return words_fail(&r->f, member,
				  "an identity column must be a bigint without null or check");
	if (c->type == DDL_FLAG && c->check)
		return words_fail(&r->f, member, "a flag must not have a check");
	return true;
}

const struct ddl_column *ddl_column(const struct ddl_table *t, const char *name)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (strcmp(t->columns[i].name, name) == 0)
			return &t->columns[i];
	return NULL;
}

static bool read_columns(const struct ddl_reader *r, const json_t *item, const char *member,
			 struct ddl_table *t)
{
	const json_t *list = json_object_get(item, "columns"), *one;
	struct ddl_column *columns =
		arena_alloc(r->arena, (json_array_size(list) + 1) * sizeof(*columns));
	const struct ddl_column *tenant;
	size_t i;

	t->columns = columns;
	member = ddl_member_path(r, member, "columns");
	json_array_foreach(list, i, one) {
		const char *item_path = arena_printf(r->arena, "%s[%zu]", member, i);

		if (!read_column(r, one, item_path, &columns[i]))
			return false;
		if (ddl_column(t, columns[i].name))
			return words_fail(&r->f, item_path, "%s is defined twice", columns[i].name);
		t->column_count++;
	}
	tenant = ddl_column(t, DDL_TENANT);
	return (tenant && tenant->type == DDL_TEXT && tenant->size == TENANT_BYTES &&
		!tenant->null && !tenant->check) ||
	       words_fail(&r->f, member, DDL_TENANT " of type text(%d) is missing", TENANT_BYTES);
}

/* ---- tables and views ---- */

const struct ddl_table *ddl_find_table(const struct ddl_reader *r, const char *name, size_t n)
{
	for (size_t i = 0; i < r->table_count; i++)
		if (strlen(r->tables[i].name) == n && strncmp(r->tables[i].name, name, n) == 0)
			return &r->tables[i];
	return NULL;
}

/* A SQLite file has one namespace for tables and views, without schemas. */
static bool is_taken(const struct ddl_reader *r, const char *name)
{
	for (size_t i = 0; i < r->view_count; i++)
		if (strcmp(r->views[i].name, name) == 0)
			return true;
	return ddl_find_table(r, name, strlen(name)) != NULL;
}

static bool read_schema(const struct ddl_reader *r, const json_t *item, const char *member,
			const char **out)
{
	if (!read_text(r, item, member, "schema", out))
		return false;
	if (!*out)
		*out = r->schema;
	return (is_name(*out) && **out != '"') ||
	       words_fail(&r->f, member, "\"schema\" must be a plain name");
}

static bool check_lists(const struct ddl_reader *r, const json_t *item, const char *member,
			const char *const *names)
{
	for (; *names; names++) {
		const json_t *list = json_object_get(item, *names);

		if (list && !json_is_array(list))
			return words_fail(&r->f, ddl_member_path(r, member, *names),
					  "must be a list");
	}
	return true;
}

static bool read_table(struct ddl_reader *r, const json_t *item, const char *member)
{
	static const char *const members[] = {"name",       "about", "schema",        "view",
					      "columns",    "key",   "unique",        "index",
					      "references", "check", "without_rowid", NULL};
	static const char *const lists[] = {"columns",    "key",   "unique", "index",
					    "references", "check", NULL};
	struct ddl_table *t = &r->tables[r->table_count];
	bool view = true;

	if (!ddl_check_members(r, item, member, members) || !check_lists(r, item, member, lists) ||
	    !ddl_read_name(r, item, member, &t->name) ||
	    !read_text(r, item, member, "about", &t->about) ||
	    !read_bool(r, item, member, "view", &view) ||
	    !read_bool(r, item, member, "without_rowid", &t->without_rowid) ||
	    (view && !read_schema(r, item, member, &t->schema)))
		return false;
	if (is_taken(r, t->name))
		return words_fail(&r->f, member, "%s is defined twice", t->name);
	if (!read_columns(r, item, member, t) || !ddl_read_keys(r, item, member, t))
		return false;
	r->table_count++;
	return true;
}

/* Each {name} must be a table. */
static bool check_sql(const struct ddl_reader *r, const char *member, const char *sql)
{
	for (const char *open; (open = strchr(sql, '{')); sql = open + 1) {
		size_t n = strcspn(open, "}");

		if (!ddl_find_table(r, open + 1, n - 1))
			return words_fail(&r->f, member, "this file defines no table %.*s",
					  (int)n - 1, open + 1);
	}
	return true;
}

static bool read_view(struct ddl_reader *r, const json_t *item, const char *member)
{
	static const char *const members[] = {"name",     "about", "schema", "sqlite",
					      "postgres", "mssql", "sql",    NULL};
	struct ddl_view *v = &r->views[r->view_count];
	const char *common;

	if (!ddl_check_members(r, item, member, members) ||
	    !ddl_read_name(r, item, member, &v->name) ||
	    !read_text(r, item, member, "about", &v->about) ||
	    !read_schema(r, item, member, &v->schema) ||
	    !read_text(r, item, member, "sql", &common))
		return false;
	if (is_taken(r, v->name))
		return words_fail(&r->f, member, "%s is defined twice", v->name);
	for (int d = 0; d < DIALECT_COUNT; d++) {
		const char *name = dialect_name((enum dialect)d);

		if (!read_text(r, item, member, name, &v->sql[d]))
			return false;
		if (!v->sql[d])
			v->sql[d] = common;
		if (!v->sql[d])
			return words_fail(&r->f, member, "\"%s\" or \"sql\" must be given", name);
		if (!check_sql(r, member, v->sql[d]))
			return false;
	}
	r->view_count++;
	return true;
}

static bool read_all(struct ddl_reader *r, const json_t *all)
{
	static const char *const members[] = {"schema", "tables", "views", NULL};
	static const char *const lists[] = {"tables", "views", NULL};
	const json_t *tables = json_object_get(all, "tables");
	const json_t *views = json_object_get(all, "views"), *item;
	size_t i;

	if (!ddl_check_members(r, all, "tables", members) ||
	    !read_text(r, all, "schema", "schema", &r->schema))
		return false;
	for (i = 0; lists[i]; i++)
		if (json_object_get(all, lists[i]) &&
		    !json_is_array(json_object_get(all, lists[i])))
			return words_fail(&r->f, lists[i], "must be a list");
	if (json_array_size(tables) == 0)
		return words_fail(&r->f, "tables", "must be a list of at least one table");
	r->tables = arena_alloc(r->arena, json_array_size(tables) * sizeof(*r->tables));
	r->views = arena_alloc(r->arena, (json_array_size(views) + 1) * sizeof(*r->views));
	json_array_foreach(tables, i, item)
		if (!read_table(r, item, arena_printf(r->arena, "tables[%zu]", i)))
			return false;
	json_array_foreach(views, i, item)
		if (!read_view(r, item, arena_printf(r->arena, "views[%zu]", i)))
			return false;
	return true;
}

bool ddl_read(const char *path, const char *text, struct arena *a, struct ddl **out, struct err *e)
{
	struct ddl_reader r = {.f = {.path = path, .text = text, .arena = a, .err = e}, .arena = a};
	struct ddl *d;
	json_t *all;

	if (!words_parse(&r.f, &all) || !read_all(&r, all))
		return false;
	d = arena_alloc(a, sizeof(*d));
	*d = (struct ddl){r.tables, r.table_count, r.views, r.view_count};
	*out = d;
	return true;
}
