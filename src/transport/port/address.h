/* Listening addresses: "127.0.0.1:8080", "[::]:8080", port 0 for any. */
#ifndef VESPER_ADDRESS_H
#define VESPER_ADDRESS_H

#include <stdbool.h>

#include "vesper/err.h"

#define ADDRESS_BYTES 100

/* A bound, listening, non-blocking socket. ERR_INPUT names the address and what is wrong with it.
 */
MUST_CHECK bool address_listen(const char *address, int *out, struct err *e);
/* What the socket is bound to. */
void address_of(int fd, char out[ADDRESS_BYTES]);

#endif
