/* Refuses connections that were not handed to a library. */
#ifndef VESPER_REFUSE_H
#define VESPER_REFUSE_H

#include <stddef.h>

#include "problem.h"

/* Reads `len` bytes that were peeked at and discards them. */
void socket_discard(int fd, size_t len);
/* Answers a request with a problem and shuts the connection down; its owner closes the
 * descriptor. */
void refuse_and_shut_down(int fd, enum code p, const char *path, const char *request_id);
/* Answers with a problem and closes the descriptor. Only for a connection that was not handed
 * over. */
void refuse_and_close(int fd, size_t head_len, enum code p);

#endif
