/*
 * Writes JSON text straight into a buffer, member by member, in the order of the calls. For what
 * the program says itself; text that was read from outside is read with json.h.
 *
 * The writer places commas; the caller opens and closes what it opened. Texts are cleaned as
 * json_str does: bad UTF-8 and U+E000 become U+FFFD. Numbers beyond what a double keeps are
 * written as text, as json_int and json_decimal do. Any thread, one at a time.
 */
#ifndef VESPER_JSON_OUT_H
#define VESPER_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "vesper/str.h"

struct json_out {
	struct buf *out; /* borrowed */
	bool comma;      /* a value stands before the next one */
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
/* A number with the digits that a database gave; a text where a double would lose some of them. */
void jo_decimal(struct json_out *j, const char *digits);
/* Finished JSON: one value, or several members or items with commas between them. Nothing when
 * empty. */
void jo_raw(struct json_out *j, struct str json);

/* Members that are absent, never null, where there is nothing to say. */
void jo_set_str(struct json_out *j, const char *name, const char *text); /* NULL: absent */
void jo_set_int(struct json_out *j, const char *name, int64_t value);
void jo_set_bool(struct json_out *j, const char *name, bool value);
void jo_set_raw(struct json_out *j, const char *name, struct str json); /* p NULL: absent */

/* The text between the braces or brackets of a finished object or array. */
struct str json_inside(struct str json);
/* Takes the next item off the text inside an array. False: there is none, or the text
 * is not what the program wrote. */
bool json_item_next(struct str *inside, struct str *item);
/* The value of a member of a finished object. Names that need escapes are not found. */
bool json_member(struct str object, const char *name, struct str *value);

#endif
