/* What each wire makes of one finished turn, as text: the bytes that golden recordings hold. */
#ifndef VESPER_TESTS_WIRES_H
#define VESPER_TESTS_WIRES_H

#include <stdio.h>

#include "vesper/store.h"
#include "vesper/stream.h"

/* The items of each wire that has a heading, then the whole answer or problem. */
void wires_write(FILE *out, struct stream_log *log);
/* One message as it is read from the store, a member a line. */
void wires_write_stored(FILE *out, const struct message *m);

#endif
