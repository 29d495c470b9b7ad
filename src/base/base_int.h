/* Shared inside base only. */
#ifndef VESPER_BASE_INT_H
#define VESPER_BASE_INT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the valid UTF-8 character at the start of the text; 0 when there is none. */
size_t utf8_char_bytes(const char *text, size_t len);

/* U+E000 before the digits marks a string node as an exact decimal (json.c). It is a private-use
 * character that no text of ours or of others may carry: wherever text enters it becomes U+FFFD,
 * which is as long. */
#define JSON_DECIMAL_MARK "\xEE\x80\x80"
#define UTF8_REPLACEMENT  "\xEF\xBF\xBD"
#define UTF8_MARK_BYTES   3

/* A reader that keeps numbers as doubles (jansson, a browser) can hold this number: it neither
 * overflows nor vanishes nor loses digits to a small exponent. */
bool json_number_fits(const char *number);

/* A copy that is UTF-8 and free of NUL and the mark; each bad byte becomes U+FFFD. Free with
 * mem_free. */
char *json_clean_text(const char *text, size_t len);

struct buf;
/* What json_decimal is written as. */
void buf_json_decimal(struct buf *b, const char *digits);
/* `,"name":` in one step. False, and nothing is added: the name has escapes, or there is no room.
 */
bool buf_json_key(struct buf *b, const char *name, bool comma);

#endif
