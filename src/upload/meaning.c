/*
 * The owner's description of a data source: names of rows and columns, units, and roles of
 * columns. It is stored as differences from the profile, by column name. So it also applies to
 * later versions, to the columns they still have.
 */
#include "upload_int.h"

#include <string.h>

#include "read/header.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"

#define LABEL_CHARS       60
#define UNIT_CHARS        20
#define DESCRIPTION_CHARS 300

static bool is_type(const json_t *column, enum column_type type)
{
	return strcmp(json_text_at(column, "type"), column_type_name(type)) == 0;
}

static bool is_number(const json_t *column)
{
	return is_type(column, COLUMN_INT) || is_type(column, COLUMN_DECIMAL);
}

static bool is_time(const json_t *column)
{
	return is_type(column, COLUMN_DATE) || is_type(column, COLUMN_DATETIME);
}

/* ---- checks ---- */

static bool text_check(const char *column, const char *what, const json_t *text, size_t max,
		       struct err *e)
{
	const char *value = json_string_value(text);

	if (!text || json_is_null(text))
		return true;
	if (value && *value && utf8_is_identifier(value, strlen(value)) &&
	    utf8_count(value, strlen(value)) <= max)
		return true;
	return err_set(e, ERR_INPUT, "%.*s: %s: must be one line of at most %zu characters",
		       STR_CUT(column, 60), what, max);
}

/* Checks that a column can have the role: a measure needs numbers, a dimension few values. */
static bool role_check(const json_t *column, const json_t *role, struct err *e)
{
	const char *value = json_string_value(role), *name = json_text_at(column, "name");

	if (!role || json_is_null(role))
		return true;
	if (value && strcmp(value, "measure") == 0)
		return is_number(column) ||
		       err_set(e, ERR_INPUT, "%s: role: a measure must be a column of numbers",
			       name);
	if (value && strcmp(value, "date") == 0)
		return is_time(column) ||
		       err_set(e, ERR_INPUT, "%s: role: the column does not contain dates", name);
	if (value && strcmp(value, "dimension") == 0)
		return (json_is_true(json_object_get(column, "distinct_exact")) &&
			!is_type(column, COLUMN_DECIMAL) && !is_time(column)) ||
		       err_set(e, ERR_INPUT,
			       "%s: role: the column has too many distinct values for a dimension",
			       name);
	if (value && (strcmp(value, "id") == 0 || strcmp(value, "text") == 0))
		return (!is_time(column) && !is_type(column, COLUMN_DECIMAL)) ||
		       err_set(e, ERR_INPUT, "%s: role: not allowed for the type of this column",
			       name);
	return err_set(e, ERR_INPUT, "%s: role: must be measure, dimension, date, id or text",
		       name);
}

static bool synonyms_check(const char *name, const json_t *list, struct err *e)
{
	const json_t *one;
	size_t i;

	if (!list || json_is_null(list))
		return true;
	if (!json_is_array(list) || json_array_size(list) > DATA_SOURCE_SYNONYMS_MAX)
		return err_set(e, ERR_INPUT, "%s: synonyms: must have at most %d texts", name,
			       DATA_SOURCE_SYNONYMS_MAX);
	json_array_foreach((json_t *)list, i, one)
		if (!json_is_string(one) || !text_check(name, "synonyms", one, LABEL_CHARS, e))
			return err_set(
				e, ERR_INPUT,
				"%s: synonyms: each must be one line of at most %d characters",
				name, LABEL_CHARS);
	return true;
}

static bool column_check(const json_t *column, const json_t *value, struct err *e)
{
	static const char *const members[] = {"label",    "unit",     "role", "description",
					      "synonyms", "additive", NULL};
	const char *name = json_text_at(column, "name");
	const json_t *additive = json_object_get(value, "additive");

	if (!json_is_object(value))
		return err_set(e, ERR_INPUT, "%s: must be an object or null", name);
	if (!json_check_members(value, members, e))
		return err_prefix(e, "%s", name);
	if (additive && !json_is_null(additive) && !json_is_boolean(additive))
		return err_set(e, ERR_INPUT, "%s: additive: must be true or false", name);
	return text_check(name, "label", json_object_get(value, "label"), LABEL_CHARS, e) &&
	       text_check(name, "unit", json_object_get(value, "unit"), UNIT_CHARS, e) &&
	       text_check(name, "description", json_object_get(value, "description"),
			  DESCRIPTION_CHARS, e) &&
	       role_check(column, json_object_get(value, "role"), e) &&
	       synonyms_check(name, json_object_get(value, "synonyms"), e);
}

static bool patch_check(const json_t *profile, const json_t *patch, struct err *e)
{
	static const char *const members[] = {"entity_name", "default_date", "columns", NULL};
	const json_t *date = json_object_get(patch, "default_date"), *value;
	const json_t *changes = json_object_get(patch, "columns");
	const json_t *columns = json_object_get(profile, "columns");
	const json_t *named =
		json_is_string(date) ? profile_column(columns, json_string_value(date)) : NULL;
	const char *name;

	if (!json_check_members(patch, members, e) ||
	    !text_check("entity_name", "a name of its rows", json_object_get(patch, "entity_name"),
			LABEL_CHARS, e))
		return false;
	if (date && !json_is_null(date) && !(named && is_time(named)))
		return err_set(e, ERR_INPUT,
			       "default_date: must be the name of a column with dates");
	if (changes && !json_is_null(changes) && !json_is_object(changes))
		return err_set(e, ERR_INPUT,
			       "columns: must be an object with column names as keys");
	json_object_foreach((json_t *)changes, name, value) {
		const json_t *column = profile_column(columns, name);

		if (!column)
			return err_set(e, ERR_INPUT, "columns: column %.*s does not exist",
				       STR_CUT(name, 60));
		if (!json_is_null(value) && !column_check(column, value, e))
			return false;
	}
	return true;
}

/* ---- changing it ---- */

/* RFC 7396: null removes a member. */
static void merge(json_t *target, const json_t *patch)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)patch, name, value) {
		json_t *now = json_object_get(target, name);

		if (json_is_null(value)) {
			json_object_del(target, name);
		} else if (!json_is_object(value)) {
			json_object_set(target, name, value);
		} else {
			if (!json_is_object(now))
				json_object_set_new(target, name, now = json_object());
			merge(now, value);
			if (json_object_size(now) == 0)
				json_object_del(target, name);
		}
	}
}

static json_t *parse_or_empty(const char *text, size_t max)
{
	json_t *json;
	struct err e;

	return text && json_parse(text, strlen(text), max, &json, &e) ? json : json_object();
}

bool uploads_meaning_edit(const struct upload_view *v, const json_t *patch, struct arena *a,
			  const char **out, struct err *e)
{
	json_t *profile, *all;
	char *text;
	bool ok;

	if (v->source->kind != SOURCE_TABLE || !v->current || !v->current->profile)
		return err_set(e, ERR_INPUT,
			       "semantic_profile: the data source has no loaded table to describe");
	profile = parse_or_empty(v->current->profile, DATA_SOURCE_PROFILE_BYTES_MAX);
	all = parse_or_empty(v->source->meaning, DATA_SOURCE_MEANING_BYTES_MAX);
	ok = patch_check(profile, patch, e);
	if (ok) {
		merge(all, patch);
		text = json_object_size(all) > 0 ? json_text(all) : mem_strdup("");
		ok = strlen(text) <= DATA_SOURCE_MEANING_BYTES_MAX ||
		     err_set(e, ERR_LIMIT, "semantic_profile: must have at most %d bytes",
			     DATA_SOURCE_MEANING_BYTES_MAX);
		*out = arena_strdup(a, text);
		mem_free(text);
	}
	json_decref(profile);
	json_decref(all);
	return ok;
}

/* ---- using it ---- */

static void apply_column(json_t *column, const json_t *value, struct arena *a)
{
	static const char *const texts[] = {"unit", "description"};
	const char *label = json_string_value(json_object_get(value, "label"));
	const json_t *role = json_object_get(value, "role"), *one;
	struct err ignored;
	json_t *synonyms;
	size_t i;

	if (label) {
		json_set_str(column, "label", label);
		json_set_str(column, "spoken",
			     header_prompt_label(label, json_text_at(column, "name"), a));
	}
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		json_set_str(column, texts[i], json_string_value(json_object_get(value, texts[i])));
	if (role && role_check(column, role, &ignored)) /* a later version may have other types */
		json_set_str(column, "role", json_string_value(role));
	if (json_object_get(value, "additive"))
		json_set_bool(column, "additive", json_is_true(json_object_get(value, "additive")));
	if (!json_object_get(value, "synonyms"))
		return;
	synonyms = json_array();
	json_array_foreach(json_object_get(value, "synonyms"), i, one) {
		const char *spoken = header_prompt_label(json_string_value(one), "", a);

		if (*spoken)
			json_push_take(synonyms, json_str(spoken));
	}
	json_set_take(column, "synonyms", synonyms);
}

void meaning_apply(json_t *profile, const char *meaning, struct arena *a)
{
	json_t *all = parse_or_empty(meaning, DATA_SOURCE_MEANING_BYTES_MAX), *value;
	json_t *columns = json_object_get(profile, "columns"), *dated;
	const char *name, *date = json_text_at(all, "default_date");
	const char *entity = json_string_value(json_object_get(all, "entity_name"));

	json_object_foreach(json_object_get(all, "columns"), name, value) {
		json_t *column = profile_column(columns, name);

		if (column)
			apply_column(column, value, a);
	}
	if (entity && *header_prompt_label(entity, "", a))
		json_set_str(profile, "entity_name", header_prompt_label(entity, "", a));
	dated = profile_column(columns, date);
	if (dated && is_time(dated))
		json_set_str(profile, "default_date", date);
	json_decref(all);
}

/* ---- showing it ---- */

static json_t *column_json(const struct language *l, const json_t *column, struct arena *a)
{
	static const char *const texts[] = {"label", "spoken", "unit", "role", "description"};
	json_t *out = json_make({"name", json_str(json_text_at(column, "name"))});

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (*json_text_at(column, texts[i]))
			json_set_str(out, texts[i], json_text_at(column, texts[i]));
	json_set_take(out, "synonyms",
		      json_object_get(column, "synonyms")
			      ? json_incref(json_object_get(column, "synonyms"))
			      : json_array());
	if (strcmp(json_text_at(column, "role"), "measure") == 0)
		json_set_bool(out, "additive",
			      meaning_choose_aggregate(l, column, a) == NAMING_SUM);
	return out;
}

enum naming_aggregate meaning_choose_aggregate(const struct language *l, const json_t *column,
					       struct arena *a)
{
	const json_t *value = json_object_get(column, "additive");
	enum naming_aggregate aggregate;

	if (value)
		return json_is_true(value) ? NAMING_SUM : NAMING_MEAN;
	if (strcmp(json_text_at(column, "unit"), "%") == 0)
		return NAMING_MEAN;
	aggregate = naming_choose_aggregate(l, json_text_at(column, "label"), a);
	/* "Order No" identifies rows; a column with decimals does not ("Waiting time"). */
	return aggregate == NAMING_NONE && !is_type(column, COLUMN_INT) ? NAMING_SUM : aggregate;
}

json_t *uploads_meaning(const struct uploads *u, const char *tenant, const struct upload_view *v)
{
	const struct tenant_uploads *t = uploads_tenant(u, tenant);
	struct arena *a;
	json_t *profile, *columns, *column, *out;
	size_t i;

	if (v->source->kind != SOURCE_TABLE || !v->current || !v->current->profile)
		return NULL;
	a = arena_new(4 * DATA_SOURCE_PROFILE_BYTES_MAX);
	profile = parse_or_empty(v->current->profile, DATA_SOURCE_PROFILE_BYTES_MAX);
	meaning_apply(profile, v->source->meaning, a);
	columns = json_array();
	json_array_foreach(json_object_get(profile, "columns"), i, column)
		json_push_take(columns, column_json(uploads_language(t), column, a));
	out = json_make({"columns", columns});
	for (i = 0; i < 2; i++) {
		const char *member = i == 0 ? "entity_name" : "default_date";

		if (*json_text_at(profile, member))
			json_set_str(out, member, json_text_at(profile, member));
	}
	json_decref(profile);
	arena_free(&a);
	return out;
}
