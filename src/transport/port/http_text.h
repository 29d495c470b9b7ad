/* How HTTP writes names (RFC 9110) and addresses (RFC 3986). */
#ifndef VESPER_HTTP_TEXT_H
#define VESPER_HTTP_TEXT_H

#include <stdbool.h>

/* Decodes each %xx in place. False: a broken escape, or one for a control character. */
bool percent_decode(char *text);

/* What a header or a method may be called. */
bool http_is_token(const char *name);

#endif
