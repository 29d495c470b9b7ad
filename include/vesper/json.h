/*
 * Strict JSON over jansson: bounded size and depth, no duplicate members, typed getters with
 * precise errors.
 *
 * Getters that return false name the member in the error. A value that is not an object is an error
 * too, not an assert. Borrowed strings live as long as the object.
 *
 * Exact decimals are nodes that only this writer understands: json_text and buf_json are the
 * program's only serializers (never json_dumps).
 *
 * The constructors here accept text with any bytes. jansson's constructors and json_pack return
 * NULL for invalid UTF-8, so the lint allows them in src/base only.
 */
#ifndef VESPER_JSON_H
#define VESPER_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/str.h"

/* Parses text of at most cap_bytes. Refused: duplicate members, depth beyond JSON_DEPTH_MAX, NUL
 * bytes, invalid UTF-8, anything after the value. Decimals are as exact as a double allows;
 * integers are 64 bit. U+E000 in strings becomes U+FFFD. The error never repeats the text. New
 * reference. */
MUST_CHECK bool json_parse(const char *text, size_t len, size_t cap_bytes, json_t **out,
			   struct err *e);
/* The same for text from this writer: numbers with a point keep every digit, as json_decimal
 * nodes. */
MUST_CHECK bool json_parse_exact(const char *text, size_t len, size_t cap_bytes, json_t **out,
				 struct err *e);
/* True when the text is one JSON value of at most JSON_DEPTH_MAX levels in valid UTF-8. Builds no
 * value, and does not check for duplicate members. */
bool json_is_complete(const char *text, size_t len);
/* The line where the value at `path` ("cues.opening[3]") begins, in a text that json_parse
 * accepted. If the path does not exist, the line of its last part that does. */
int json_line(const char *text, const char *path);
MUST_CHECK bool json_parse_file(const char *path, json_t **out, struct err *e);

/* Compact form with members in the order they were set. Free with mem_free. */
char *json_text(const json_t *value);
void buf_json(struct buf *b, const json_t *value);

/* Required members of an object. */
MUST_CHECK bool json_get_str(const json_t *object, const char *name, const char **out,
			     struct err *e);
MUST_CHECK bool json_get_int(const json_t *object, const char *name, int64_t *out, struct err *e);

/* Optional members: if absent, *out is unchanged and the result is true; a wrong type is an
 * error. */
MUST_CHECK bool json_opt_str(const json_t *object, const char *name, const char **out,
			     struct err *e);
MUST_CHECK bool json_opt_int(const json_t *object, const char *name, int64_t *out, struct err *e);
MUST_CHECK bool json_opt_bool(const json_t *object, const char *name, bool *out, struct err *e);
MUST_CHECK bool json_opt_object(const json_t *object, const char *name, json_t **out,
				struct err *e);
MUST_CHECK bool json_opt_array(const json_t *object, const char *name, json_t **out, struct err *e);

/* The text of a member; "" if it is absent or `object` is no object. Borrowed. */
const char *json_text_at(const json_t *object, const char *name);

/* Refuses members that are not in the NULL-ended list, so that typing errors in requests and files
 * are reported. */
MUST_CHECK bool json_check_members(const json_t *object, const char *const *names, struct err *e);

/* A string node; bad UTF-8 and U+E000 become U+FFFD. NULL for NULL. New reference. */
json_t *json_str(const char *text);
/* The same for len bytes; a NUL byte becomes U+FFFD, too. New reference. */
json_t *json_strn(const char *text, size_t len);
/* An integer. Beyond 2^53, where a double is not exact, its digits as a string. New reference. */
json_t *json_int(int64_t value);

/* object[name] = text, when text is not NULL (absent, never null). */
void json_set_str(json_t *object, const char *name, const char *text);
void json_set_int(json_t *object, const char *name, int64_t value);
void json_set_bool(json_t *object, const char *name, bool value);
/* Takes ownership of `value`; NULL sets nothing. */
void json_set_take(json_t *object, const char *name, json_t *value);
void json_push_take(json_t *array, json_t *value);

/*
 * An object of these members, in this order. Takes ownership of each value; a member whose value is
 * NULL is left out. New reference.
 *
 *   json_make({"phase", json_str(phase)}, {"text", json_str(text)})
 */
#define json_make(...)                                                                             \
	json_make_members((const struct json_member[]){__VA_ARGS__},                               \
			  sizeof((const struct json_member[]){__VA_ARGS__}) /                      \
				  sizeof(struct json_member))
struct json_member {
	const char *name;
	json_t *value_take;
};
json_t *json_make_members(const struct json_member *members, size_t count);

/* An array of these texts (NULL-ended; NULL: empty). New reference. */
json_t *json_texts(const char *const *list);
/* An array of one value. Takes ownership of it. New reference. */
json_t *json_list_of(json_t *value_take);

/* A number that is written with exactly these digits, such as "48.7300". If a double can't keep
 * them (more than 15 significant digits, 1e999, 1e-999), the result is a string. */
json_t *json_decimal(const char *digits);
/* The digits of such a node; NULL for any other. */
const char *json_decimal_text(const json_t *value);

/* Takes ownership: the reference is released with the arena. Returns the same pointer. */
json_t *json_own(struct arena *a, json_t *value);

#endif
