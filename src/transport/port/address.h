/* Listening addresses: "127.0.0.1:8080", "[::]:8080", port 0 for any. */
#ifndef VESPER_ADDRESS_H
#define VESPER_ADDRESS_H

#include <stdbool.h>

#include "vesper/err.h"

#define ADDRESS_BYTES 100

/* Opens a bound, listening, non-blocking socket. ERR_INPUT: the address is invalid or cannot be
 * bound; the error names the reason.
 */
MUST_CHECK bool address_listen(const char *address, int *out, struct err *e);
/* Writes the address that the socket is bound to. */
void address_of(int fd, char out[ADDRESS_BYTES]);

#endif
