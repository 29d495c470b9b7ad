/* UUIDv7 (RFC 9562): sorts by creation time; unique across threads. */
#ifndef VESPER_UUID_H
#define VESPER_UUID_H

#include <stdbool.h>

#define UUID_BYTES 37 /* 36 characters and the null byte */

struct uuid {
	char text[UUID_BYTES]; /* lower case */
};

struct uuid uuid_new(void);
bool uuid_valid(const char *text); /* any version, lower or upper case */

#endif
