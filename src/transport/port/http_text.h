/* Names (RFC 9110) and addresses (RFC 3986) in HTTP. */
#ifndef VESPER_HTTP_TEXT_H
#define VESPER_HTTP_TEXT_H

#include <stdbool.h>

/* Decodes each %xx in place. Returns false for a malformed escape or an escaped control
 * character. */
bool percent_decode(char *text);

/* Returns true for a valid name of a header or a method. */
bool http_is_token(const char *name);

#endif
