/* Keys, indexes and references in a description of tables. */
#include "ddl_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/strlist.h"

#define INDEX_BYTES_MAX     1700 /* of SQL Server's nonclustered keys */
#define NVARCHAR_CHAR_BYTES 2    /* per character of nvarchar */

size_t ddl_key_bytes(const struct ddl_table *t, const char *const *columns)
{
	size_t n = 0;

	for (; *columns; columns++) {
		const struct ddl_column *c = ddl_column(t, *columns);

		switch (c->type) {
		case DDL_TEXT:
			if (c->size == 0)
				return 0;
			n += (size_t)c->size * NVARCHAR_CHAR_BYTES;
			break;
		case DDL_JSON:
			return 0;
		case DDL_DECIMAL:
			n += 17;
			break;
		default:
			n += 8;
		}
	}
	return n;
}

/* Columns of a key, a unique list, an index or a reference. */
static bool read_key(const struct ddl_reader *r, const json_t *list, const char *member,
		     const struct ddl_table *t, const char *const **out)
{
	const char *const *names;

	if (!words_list(&r->f, list, member, true, &names))
		return false;
	*out = names;
	for (size_t i = 0; names[i]; i++) {
		const struct ddl_column *c = ddl_column(t, names[i]);

		if (!c)
			return words_fail(&r->f, member, "%s has no column %s", t->name, names[i]);
		if (c->identity)
			return (i == 0 && !names[1]) ||
			       words_fail(&r->f, member,
					  "identity column %s must be the only column of its key",
					  c->name);
		if (i == 0 && strcmp(c->name, DDL_TENANT) != 0)
			return words_fail(&r->f, member, DDL_TENANT " must be the first column");
	}
	if (*names && (ddl_key_bytes(t, names) == 0 || ddl_key_bytes(t, names) > INDEX_BYTES_MAX))
		return words_fail(
			&r->f, member,
			"the columns must have a fixed maximum size of at most %d bytes together",
			INDEX_BYTES_MAX);
	return true;
}

static bool check_primary_key(const struct ddl_reader *r, const char *member,
			      const struct ddl_table *t)
{
	for (const char *const *k = t->key; *k; k++)
		if (ddl_column(t, *k)->null)
			return words_fail(&r->f, member,
					  "%s must not be nullable in the primary key", *k);
	for (size_t i = 0; i < t->column_count; i++)
		if (t->columns[i].identity && (!*t->key || strcmp(*t->key, t->columns[i].name)))
			return words_fail(&r->f, member,
					  "identity column %s must be the primary key",
					  t->columns[i].name);
	return !t->without_rowid || (*t->key && t->key[1]) ||
	       words_fail(&r->f, member, "without_rowid needs a key");
}

static bool read_unique(const struct ddl_reader *r, const json_t *item, const char *member,
			struct ddl_table *t)
{
	const json_t *list = json_object_get(item, "unique"), *one;
	const char *const **unique =
		arena_alloc(r->arena, (json_array_size(list) + 1) * sizeof(*unique));
	size_t i;

	json_array_foreach(list, i, one) {
		const char *item_path = arena_printf(r->arena, "%s.unique[%zu]", member, i);

		if (!read_key(r, one, item_path, t, &unique[i]))
			return false;
		if (!unique[i][0] || !unique[i][1])
			return words_fail(&r->f, item_path,
					  "add at least one column after " DDL_TENANT);
	}
	t->unique = unique;
	t->unique_count = json_array_size(list);
	return true;
}

static bool read_index(const struct ddl_reader *r, const json_t *item, const char *member,
		       struct ddl_table *t)
{
	static const char *const members[] = {"name", "columns", NULL};
	const json_t *list = json_object_get(item, "index"), *one;
	struct ddl_index *index =
		arena_alloc(r->arena, (json_array_size(list) + 1) * sizeof(*index));
	size_t i;

	json_array_foreach(list, i, one) {
		const char *item_path = arena_printf(r->arena, "%s.index[%zu]", member, i);

		if (!ddl_check_members(r, one, item_path, members) ||
		    !ddl_read_name(r, one, item_path, &index[i].name) ||
		    !read_key(r, json_object_get(one, "columns"),
			      ddl_member_path(r, item_path, "columns"), t, &index[i].columns))
			return false;
		if (!index[i].columns[0] || !index[i].columns[1])
			return words_fail(&r->f, item_path,
					  "add at least one column after " DDL_TENANT);
	}
	t->index = index;
	t->index_count = json_array_size(list);
	return true;
}

static bool is_same_list(const char *const *a, const char *const *b)
{
	while (*a && *b && strcmp(*a, *b) == 0) {
		a++;
		b++;
	}
	return !*a && !*b;
}

static bool is_key_of(const struct ddl_table *t, const char *const *columns)
{
	bool found = is_same_list(t->key, columns);

	for (size_t i = 0; i < t->unique_count; i++)
		found = found || is_same_list(t->unique[i], columns);
	return found;
}

static bool read_references(const struct ddl_reader *r, const json_t *item, const char *member,
			    struct ddl_table *t)
{
	static const char *const members[] = {"columns", "table", "to", NULL};
	const json_t *list = json_object_get(item, "references"), *one;
	struct ddl_reference *all =
		arena_alloc(r->arena, (json_array_size(list) + 1) * sizeof(*all));
	size_t i;

	json_array_foreach(list, i, one) {
		const char *item_path = arena_printf(r->arena, "%s.references[%zu]", member, i);
		const char *name = json_string_value(json_object_get(one, "table"));
		const struct ddl_table *to = name ? ddl_find_table(r, name, strlen(name)) : NULL;

		if (!ddl_check_members(r, one, item_path, members))
			return false;
		if (!to)
			return words_fail(
				&r->f, item_path,
				"\"table\" must name a table defined before this one, not \"%s\"",
				name ? name : "");
		if (!read_key(r, json_object_get(one, "columns"),
			      ddl_member_path(r, item_path, "columns"), t, &all[i].columns) ||
		    !read_key(r, json_object_get(one, "to"), ddl_member_path(r, item_path, "to"),
			      to, &all[i].to))
			return false;
		if (!is_key_of(to, all[i].to) || strlist_len(all[i].to) < 2 ||
		    strlist_len(all[i].columns) != strlist_len(all[i].to))
			return words_fail(&r->f, item_path,
					  "\"to\" must be a key of %s with at least two columns "
					  "and as many as \"columns\"",
					  to->name);
		all[i].table = to->name;
	}
	t->references = all;
	t->reference_count = json_array_size(list);
	return true;
}

static bool read_checks(const struct ddl_reader *r, const json_t *item, const char *member,
			struct ddl_table *t)
{
	const json_t *list = json_object_get(item, "check"), *one;
	const char **checks = arena_alloc(r->arena, (json_array_size(list) + 1) * sizeof(*checks));
	size_t i;

	json_array_foreach(list, i, one) {
		const char *text = json_string_value(one);

		if (!text || !*text)
			return words_fail(&r->f, arena_printf(r->arena, "%s.check[%zu]", member, i),
					  "must be a non-empty SQL condition");
		checks[i] = arena_strdup(r->arena, text);
	}
	t->check = checks;
	return true;
}

bool ddl_read_keys(const struct ddl_reader *r, const json_t *item, const char *member,
		   struct ddl_table *t)
{
	const char *key = ddl_member_path(r, member, "key");

	return read_key(r, json_object_get(item, "key"), key, t, &t->key) &&
	       check_primary_key(r, key, t) && read_unique(r, item, member, t) &&
	       read_index(r, item, member, t) && read_checks(r, item, member, t) &&
	       read_references(r, item, member, t);
}
