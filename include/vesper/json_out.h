/*
 * Writes JSON text directly into a buffer, member by member, in the order of the calls. For output
 * of the program; input is parsed with json.h.
 *
 * The writer places commas; the caller closes what it opened. Texts are cleaned as by json_str: bad
 * UTF-8 and U+E000 become U+FFFD. Numbers that a double can't keep are written as text, as by
 * json_int and json_decimal. Any thread, one at a time.
 */
#ifndef VESPER_JSON_OUT_H
#define VESPER_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "vesper/str.h"

struct json_out {
	struct buf *out; /* borrowed */
	bool comma;      /* a comma is needed before the next value */
};

void jo_init(struct json_out *j, struct buf *out);
void jo_object(struct json_out *j); /* { */
void jo_object_end(struct json_out *j);
void jo_array(struct json_out *j); /* [ */
void jo_array_end(struct json_out *j);
void jo_key(struct json_out *j, const char *name);
void jo_str(struct json_out *j, struct str text);
void jo_int(struct json_out *j, int64_t value);
void jo_bool(struct json_out *j, bool value);
void jo_null(struct json_out *j);
/* A number with the digits from a database; a text if a double would lose some of them. */
void jo_decimal(struct json_out *j, const char *digits);
/* Complete JSON: one value, or several members or items separated by commas. Nothing if empty. */
void jo_raw(struct json_out *j, struct str json);

/* Members that are left out, never null, without a value. */
void jo_set_str(struct json_out *j, const char *name, const char *text); /* NULL: absent */
void jo_set_int(struct json_out *j, const char *name, int64_t value);
void jo_set_bool(struct json_out *j, const char *name, bool value);
void jo_set_raw(struct json_out *j, const char *name, struct str json); /* p NULL: absent */

/* The text between the braces or brackets of a finished object or array. */
struct str json_inside(struct str json);
/* Takes the next item from the text inside an array. False: no item left, or the text was not
 * written by the program. */
bool json_item_next(struct str *inside, struct str *item);
/* The value of a member of a finished object. Names that need escapes are not found. */
bool json_member(struct str object, const char *name, struct str *value);

#endif
