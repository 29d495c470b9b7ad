/* UTF-8 checks (RFC 3629: no surrogates, no overlong forms, at most U+10FFFF). */
#ifndef VESPER_UTF8_H
#define VESPER_UTF8_H

#include <stdbool.h>
#include <stddef.h>

bool utf8_valid(const char *text, size_t len);
/* The length of the prefix of complete characters; the rest may be the beginning of an incomplete
 * one. */
size_t utf8_complete_bytes(const char *text, size_t len);
/* Number of code points in valid text. */
size_t utf8_count(const char *text, size_t len);
/* The length of the longest prefix of at most max_bytes that does not split a character. */
size_t utf8_cut(const char *text, size_t len, size_t max_bytes);

/* Returns true for an identifier without invisible differences: not empty, no control or invisible
 * character, no blank other than a plain space, and none at its ends. Databases pad and ignore such
 * characters in different ways. */
bool utf8_is_identifier(const char *text, size_t len);

/* Number of bytes of blanks, control and invisible characters at the start of a terminated text. */
size_t utf8_leading_blanks(const char *text);

#endif
