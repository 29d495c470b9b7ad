/*
 * Strict parsing of JSON text into jansson's values: text that is too deep, not UTF-8 or has
 * duplicate members is rejected. Getters turn "wrong type" into an error that names the member.
 * Writing is in json_write.c.
 */
#include "vesper/json.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base_int.h"
#include "vesper/file.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

/* Nesting depth of the text, counting only brackets outside strings. jansson recurses, so this is
 * checked first. */
static int json_depth(const char *text, size_t len)
{
	int depth = 0;
	int deepest = 0;
	bool in_string = false;
	for (size_t i = 0; i < len; i++) {
		char c = text[i];
		if (in_string) {
			if (c == '\\')
				i++;
			else if (c == '"')
				in_string = false;
		} else if (c == '"') {
			in_string = true;
		} else if (c == '{' || c == '[') {
			deepest = ++depth > deepest ? depth : deepest;
		} else if (c == '}' || c == ']') {
			depth--;
		}
	}
	return deepest;
}

/* True when the text may contain the decimal mark, as bytes or as an escape. Both are rare, so the
 * search is only a quick filter. */
static bool may_contain_mark(const char *text, size_t len)
{
	return memmem(text, len, JSON_DECIMAL_MARK, UTF8_MARK_BYTES) ||
	       memmem(text, len, "\\ue000", 6) || memmem(text, len, "\\uE000", 6);
}

static void text_clear_mark(char *text, size_t len)
{
	char *at = text;
	while ((at = memmem(at, len - (size_t)(at - text), JSON_DECIMAL_MARK, UTF8_MARK_BYTES)))
		memcpy(at, UTF8_REPLACEMENT, UTF8_MARK_BYTES);
}

static void json_clear_mark(json_t *value)
{
	json_t *child;
	const char *key;
	size_t i;
	switch (json_typeof(value)) {
	case JSON_STRING: {
		size_t len = json_string_length(value);
		char *copy = mem_strndup(json_string_value(value), len);
		text_clear_mark(copy, len);
		json_string_setn_nocheck(value, copy, len);
		mem_free(copy);
		return;
	}
	case JSON_OBJECT:
		json_object_foreach(value, key, child)
			json_clear_mark(child);
		return;
	case JSON_ARRAY:
		json_array_foreach(value, i, child)
			json_clear_mark(child);
		return;
	default:
		return;
	}
}

static bool json_load(const char *text, size_t len, size_t cap_bytes, json_t **out, struct err *e)
{
	if (len > cap_bytes)
		return err_set(e, ERR_LIMIT, "JSON: %zu bytes; the limit is %zu", len, cap_bytes);
	/* jansson treats a NUL as the end of the text. */
	if (len && memchr(text, '\0', len))
		return err_set(e, ERR_INPUT, "JSON: contains a NUL byte");
	if (json_depth(text, len) > JSON_DEPTH_MAX)
		return err_set(e, ERR_LIMIT, "JSON: nested deeper than %d", JSON_DEPTH_MAX);
	json_error_t why;
	json_t *value =
		json_loadb(len ? text : "", len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
	if (!value) {
		/* The part after " near " repeats the text, which may contain secrets. */
		char *near = strstr(why.text, " near ");
		if (near)
			*near = '\0';
		return err_set(e, ERR_INPUT, "JSON, line %d column %d: %s", why.line, why.column,
			       why.text);
	}
	*out = value;
	return true;
}

bool json_parse(const char *text, size_t len, size_t cap_bytes, json_t **out, struct err *e)
{
	if (!json_load(text, len, cap_bytes, out, e))
		return false;
	if (may_contain_mark(text, len))
		json_clear_mark(*out);
	return true;
}

static bool number_fits(const char *text, size_t len)
{
	char copy[128]; /* longer than any number of the writer */
	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return json_number_fits(copy);
}

/* Copies the text and turns numbers into strings: those with a point get the mark, those that no
 * double can hold get none. Earlier versions wrote the latter without quotes. */
static void mark_decimals(const char *text, size_t len, struct buf *out)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = 1;
		if (text[i] == '"') {
			while (i + n < len && text[i + n] != '"')
				n += text[i + n] == '\\' ? 2 : 1;
			n = i + n < len ? n + 1 : len - i;
		} else if (text[i] == '-' || (text[i] >= '0' && text[i] <= '9')) {
			while (i + n < len && memchr("0123456789+-.eE", text[i + n], 15))
				n++;
			bool fits = number_fits(text + i, n);
			if (!fits || memchr(text + i, '.', n)) {
				buf_str(out, fits ? "\"" JSON_DECIMAL_MARK : "\"");
				buf_add(out, text + i, n);
				buf_char(out, '"');
				continue;
			}
		}
		buf_add(out, text + i, n);
	}
}

bool json_parse_exact(const char *text, size_t len, size_t cap_bytes, json_t **out, struct err *e)
{
	struct buf marked;
	bool ok;

	if (len > cap_bytes)
		return err_set(e, ERR_LIMIT, "JSON: %zu bytes; the limit is %zu", len, cap_bytes);
	buf_init(&marked, SIZE_MAX / 2);
	mark_decimals(text, len, &marked);
	ok = json_load(buf_text(&marked), marked.n, SIZE_MAX, out, e);
	buf_deinit(&marked);
	return ok;
}

bool json_parse_file(const char *path, json_t **out, struct err *e)
{
	struct arena *a = arena_new(JSON_FILE_BYTES_MAX);
	const char *text;
	bool ok = file_read(path, JSON_FILE_BYTES_MAX, a, &text, e);
	if (ok && !json_parse(text, strlen(text), JSON_FILE_BYTES_MAX, out, e))
		ok = err_prefix(e, "%s", path);
	arena_free(&a);
	return ok;
}

static const char *type_name(json_type type)
{
	switch (type) {
	case JSON_STRING:
		return "text";
	case JSON_INTEGER:
		return "an integer";
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	default:
		return "a boolean";
	}
}

static bool must_be(json_type type, const char *name, struct err *e)
{
	return err_set(e, ERR_INPUT, "%s: must be %s", name, type_name(type));
}

/* Input may have any shape: a text in place of an object is an error, not an assert. */
static bool is_object(const json_t *value, struct err *e)
{
	return json_is_object(value) || err_set(e, ERR_INPUT, "must be an object");
}

/* The member, or NULL if it is absent. */
static bool json_opt(const json_t *object, const char *name, json_type type, json_t **out,
		     struct err *e)
{
	if (!is_object(object, e))
		return false;
	json_t *value = json_object_get(object, name);
	if (value && json_typeof(value) != type)
		return must_be(type, name, e);
	*out = value;
	return true;
}

static bool json_get(const json_t *object, const char *name, json_type type, json_t **out,
		     struct err *e)
{
	json_t *value = NULL;
	if (!json_opt(object, name, type, &value, e))
		return false;
	if (!value)
		return err_set(e, ERR_INPUT, "%s: missing", name);
	*out = value;
	return true;
}

bool json_get_str(const json_t *object, const char *name, const char **out, struct err *e)
{
	json_t *value = NULL;
	if (!json_get(object, name, JSON_STRING, &value, e))
		return false;
	*out = json_string_value(value);
	return true;
}

bool json_get_int(const json_t *object, const char *name, int64_t *out, struct err *e)
{
	json_t *value = NULL;
	if (!json_get(object, name, JSON_INTEGER, &value, e))
		return false;
	*out = json_integer_value(value);
	return true;
}

bool json_opt_str(const json_t *object, const char *name, const char **out, struct err *e)
{
	json_t *value = NULL;
	if (!json_opt(object, name, JSON_STRING, &value, e))
		return false;
	if (value)
		*out = json_string_value(value);
	return true;
}

const char *json_text_at(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

bool json_opt_int(const json_t *object, const char *name, int64_t *out, struct err *e)
{
	json_t *value = NULL;
	if (!json_opt(object, name, JSON_INTEGER, &value, e))
		return false;
	if (value)
		*out = json_integer_value(value);
	return true;
}

bool json_opt_bool(const json_t *object, const char *name, bool *out, struct err *e)
{
	if (!is_object(object, e))
		return false;
	const json_t *value = json_object_get(object, name);
	if (value && !json_is_boolean(value))
		return must_be(JSON_TRUE, name, e);
	if (value)
		*out = json_is_true(value);
	return true;
}

bool json_opt_object(const json_t *object, const char *name, json_t **out, struct err *e)
{
	json_t *value = NULL;
	if (!json_opt(object, name, JSON_OBJECT, &value, e))
		return false;
	if (value)
		*out = value;
	return true;
}

bool json_opt_array(const json_t *object, const char *name, json_t **out, struct err *e)
{
	json_t *value = NULL;
	if (!json_opt(object, name, JSON_ARRAY, &value, e))
		return false;
	if (value)
		*out = value;
	return true;
}

bool json_check_members(const json_t *object, const char *const *names, struct err *e)
{
	const char *key;
	json_t *value = NULL;
	if (!is_object(object, e))
		return false;
	json_object_foreach((json_t *)object, key, value) {
		const char *const *name = names;
		while (*name && strcmp(*name, key) != 0)
			name++;
		if (!*name)
			return err_set(e, ERR_INPUT, "%.*s: unknown member", STR_CUT(key, 60));
	}
	return true;
}

static void on_arena_freed(void *value)
{
	json_decref(value);
}

json_t *json_own(struct arena *a, json_t *value)
{
	if (value)
		arena_defer(a, on_arena_freed, value);
	return value;
}
