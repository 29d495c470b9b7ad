/* Messages and tables as text that other programs read. Pure. */
#ifndef VESPER_EXPORT_H
#define VESPER_EXPORT_H

#include <jansson.h>

#include "vesper/store.h"
#include "vesper/str.h"

void export_markdown_session(struct buf *out, const struct session *s);
/* With a table for each data view. */
void export_markdown_message(struct buf *out, const struct message *m);

/* A data view as RFC 4180 has it. A text cell that a spreadsheet would take for a formula begins
 * with an apostrophe; numbers are left alone. */
void export_csv(struct buf *out, const json_t *view);

#endif
