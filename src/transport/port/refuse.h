/* Turning a connection away that was handed to nobody. */
#ifndef VESPER_REFUSE_H
#define VESPER_REFUSE_H

#include <stddef.h>

#include "problem.h"

/* Takes bytes that were peeked at out of the socket. */
void socket_discard(int fd, size_t len);
/* Answers a request with a problem and ends the connection, whose descriptor its owner closes. */
void refuse_and_end(int fd, enum code p, const char *path, const char *request_id);
/* Answers with a problem and closes: for a connection that was handed to nobody. */
void refuse_and_close(int fd, size_t head_len, enum code p);

#endif
