/* UTF-8 checks (RFC 3629: no surrogates, no overlong forms, at most U+10FFFF). */
#ifndef VESPER_UTF8_H
#define VESPER_UTF8_H

#include <stdbool.h>
#include <stddef.h>

bool utf8_valid(const char *text, size_t len);
/* How many bytes at the start are whole characters; the rest may be the begin of one that is not
 * complete. */
size_t utf8_whole(const char *text, size_t len);
/* Code points in valid text. */
size_t utf8_count(const char *text, size_t len);
/* The longest prefix of at most max_bytes that does not cut a character. */
size_t utf8_cut(const char *text, size_t len, size_t max_bytes);

/* An identifier that no reader can take for another one by what it does not show: not empty, no
 * control or invisible character, no blank but a plain space, and none at its ends. Databases pad
 * and skip such characters, each in its own way. */
bool utf8_is_identifier(const char *text, size_t len);

/* Bytes of the blanks, controls and invisible characters at the start of a terminated text. */
size_t utf8_blanks(const char *text);

#endif
