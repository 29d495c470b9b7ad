/*
 * Checks JSON against a schema of /openapi.json. Stricter than JSON Schema: an object that lists
 * its members may have no others, and an unknown keyword is an error. tests/e2e/openapi.test.mjs
 * checks formats and patterns.
 *
 * Members of schemas that occurred in a value are marked, so that unseen_members can list the
 * others.
 */
#ifndef SCHEMA_CHECK_H
#define SCHEMA_CHECK_H

#include <stdio.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/mem.h"

#define SEEN "x-seen"

struct schema_check {
	json_t *schemas; /* of the document's components */
	bool marks;
	char why[600]; /* the most deeply nested failure, at why_path */
	char why_path[200];
};

static bool schema_check(struct schema_check *c, json_t *schema, const json_t *v, const char *path);

static bool schema_fails(struct schema_check *c, const char *path, const char *what,
			 const char *name)
{
	if (!*c->why || strlen(path) >= strlen(c->why_path)) {
		snprintf(c->why_path, sizeof(c->why_path), "%s", path);
		snprintf(c->why, sizeof(c->why), "%s: %s %s", path, what, name);
	}
	return false;
}

static json_t *schema_named(const struct schema_check *c, const char *ref)
{
	const char *name = strrchr(ref, '/');

	return json_object_get(c->schemas, name ? name + 1 : ref);
}

static bool has_type(const char *type, const json_t *v)
{
	return (strcmp(type, "object") == 0 && json_is_object(v)) ||
	       (strcmp(type, "array") == 0 && json_is_array(v)) ||
	       (strcmp(type, "string") == 0 && json_is_string(v)) ||
	       (strcmp(type, "integer") == 0 && json_is_integer(v)) ||
	       (strcmp(type, "number") == 0 && json_is_number(v)) ||
	       (strcmp(type, "boolean") == 0 && json_is_boolean(v)) ||
	       (strcmp(type, "null") == 0 && json_is_null(v));
}

static bool check_type(const json_t *types, const json_t *v)
{
	bool any = json_is_string(types) && has_type(json_string_value(types), v);
	const json_t *type;
	size_t i;

	json_array_foreach(types, i, type)
		any = any || has_type(json_string_value(type), v);
	return any;
}

static bool is_among(const json_t *values, const json_t *v)
{
	const json_t *one;
	size_t i;

	json_array_foreach(values, i, one)
		if (json_equal(one, v))
			return true;
	return false;
}

static bool check_one_of(struct schema_check *c, const json_t *branches, const json_t *v,
			 const char *path)
{
	bool marks = c->marks;
	json_t *branch, *fits = NULL;
	size_t i;

	c->marks = false;
	json_array_foreach(branches, i, branch)
		if (schema_check(c, branch, v, path)) {
			if (fits)
				return schema_fails(c, path, "fits two branches", "");
			fits = branch;
		}
	c->marks = marks;
	return fits && (!marks || schema_check(c, fits, v, path));
}

static bool check_members(struct schema_check *c, json_t *schema, const json_t *v, const char *path)
{
	json_t *known = json_object_get(schema, "properties");
	json_t *others = json_object_get(schema, "additionalProperties");
	json_t *name, *one;
	const char *key;
	char at[200];
	size_t i;

	json_array_foreach(json_object_get(schema, "required"), i, name)
		if (!json_object_get(v, json_string_value(name)))
			return schema_fails(c, path, "lacks", json_string_value(name));
	json_object_foreach((json_t *)v, key, one) {
		json_t *its = json_object_get(known, key);

		if (!its && json_is_object(others))
			its = others;
		if (!its && known)
			return schema_fails(c, path, "has the undeclared member", key);
		snprintf(at, sizeof(at), "%s/%s", path, key);
		if (its && !schema_check(c, its, one, at))
			return false;
		if (its && c->marks)
			json_object_set_new(its, SEEN, json_true());
	}
	return true;
}

static bool check_items(struct schema_check *c, json_t *schema, const json_t *v, const char *path)
{
	const json_t *one;
	size_t i;

	json_array_foreach(v, i, one)
		if (!schema_check(c, schema, one, path))
			return false;
	return true;
}

static bool check_keyword(struct schema_check *c, const char *word, json_t *is, const json_t *v,
			  const char *path)
{
	if (strcmp(word, "$ref") == 0)
		return schema_check(c, schema_named(c, json_string_value(is)), v, path);
	if (strcmp(word, "oneOf") == 0)
		return check_one_of(c, is, v, path);
	if (strcmp(word, "const") == 0)
		return json_equal(is, v) ||
		       schema_fails(c, path, "is not the required constant", "");
	if (strcmp(word, "enum") == 0)
		return is_among(is, v) ||
		       schema_fails(c, path, "is not in the enum:", json_string_value(v));
	if (strcmp(word, "type") == 0)
		return check_type(is, v) || schema_fails(c, path, "has the wrong type", "");
	if (strcmp(word, "items") == 0)
		return check_items(c, is, v, path);
	if (strcmp(word, "minItems") == 0)
		return (json_int_t)json_array_size(v) >= json_integer_value(is) ||
		       schema_fails(c, path, "has too few items", "");
	if (strcmp(word, "minimum") == 0)
		return json_number_value(v) >= json_number_value(is) ||
		       schema_fails(c, path, "is too small", "");
	return strstr("description format pattern properties required additionalProperties "
		      "x-walked " SEEN,
		      word) ||
	       schema_fails(c, path, "has a schema with the unknown keyword", word);
}

static bool schema_check(struct schema_check *c, json_t *schema, const json_t *v, const char *path)
{
	const char *word;
	json_t *is;

	if (!schema)
		return schema_fails(c, path, "has no schema", "");
	json_object_foreach(schema, word, is)
		if (!check_keyword(c, word, is, v, path))
			return false;
	return !json_is_object(v) || check_members(c, schema, v, path);
}

/* Lists "where/member" for each member of the schema and its references that no value had. */
static void unseen_members(const struct schema_check *c, json_t *schema, const char *path,
			   struct buf *out)
{
	const char *ref = json_string_value(json_object_get(schema, "$ref")), *key;
	char at[200];
	json_t *one;
	size_t i;

	if (!schema || json_object_get(schema, "x-walked"))
		return;
	if (ref) {
		unseen_members(c, schema_named(c, ref), strrchr(ref, '/') + 1, out);
		return;
	}
	json_object_foreach(json_object_get(schema, "properties"), key, one) {
		snprintf(at, sizeof(at), "%s/%s", path, key);
		if (!json_object_get(one, SEEN))
			buf_printf(out, "%s\n", at);
		unseen_members(c, one, at, out);
	}
	json_array_foreach(json_object_get(schema, "oneOf"), i, one)
		unseen_members(c, one, path, out);
	unseen_members(c, json_object_get(schema, "items"), path, out);
	json_object_set_new(schema, "x-walked", json_true());
}

#endif
