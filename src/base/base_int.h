/* Internal to base. */
#ifndef VESPER_BASE_INT_H
#define VESPER_BASE_INT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the valid UTF-8 character at the start of the text; 0 if there is none. */
size_t utf8_char_bytes(const char *text, size_t len);

/* U+E000 before the digits marks a string node as an exact decimal (json.c). No text may contain
 * this private-use character: input replaces it by U+FFFD, which has the same length. */
#define JSON_DECIMAL_MARK "\xEE\x80\x80"
#define UTF8_REPLACEMENT  "\xEF\xBF\xBD"
#define UTF8_MARK_BYTES   3

/* True when a reader that stores numbers as doubles (jansson, a browser) can represent this number
 * without overflow, underflow or denormal loss of digits. */
bool json_number_fits(const char *number);

/* A copy in valid UTF-8 without NUL and the mark; each bad byte becomes U+FFFD. Free with
 * mem_free. */
char *json_clean_text(const char *text, size_t len);

struct buf;
/* Writes a decimal in the form that json_decimal nodes get. */
void buf_json_decimal(struct buf *b, const char *digits);
/* Writes `,"name":` in one step. False, and nothing is added: the name needs escapes, or the buffer
 * is full. */
bool buf_json_key(struct buf *b, const char *name, bool comma);

#endif
