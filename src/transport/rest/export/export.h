/* Messages and tables as text that other programs read. Pure. */
#ifndef VESPER_EXPORT_H
#define VESPER_EXPORT_H

#include <jansson.h>

#include "xlsx.h"
#include "vesper/store.h"
#include "vesper/str.h"
#include "vesper/table.h"

void export_markdown_session(struct buf *out, const struct session *s);
/* With a table for each data view. */
void export_markdown_message(struct buf *out, const struct message *m, const json_t *views);
/* Adds the links of an answer to those of the session, label by address; one address counts once,
 * and beyond EXPORT_LINKS_MAX none is added. */
void export_links_add(json_t *all, const json_t *links);
/* The section that ends the file; nothing where there are no links. */
void export_markdown_links(struct buf *out, const json_t *all);

/* A data view as a file: CSV as RFC 4180 has it or, with `book`, a workbook that was made for it
 * and is whole afterwards. A text that a spreadsheet would take for a formula begins with an
 * apostrophe in CSV, and is text in a workbook; numbers are left alone. */
void export_view(struct buf *out, struct xlsx *book, const json_t *view);
/* The same, piece by piece, from the table that the view was made of. */
void export_table_head(struct buf *out, struct xlsx *book, const struct table *t);
void export_table_row(struct buf *out, struct xlsx *book, const struct table *t, size_t row);
void export_table_end(struct buf *out, struct xlsx *book);

/* Whether the view's rows are not the first of the table's any more, cell by cell. */
bool export_differs(const json_t *view, const struct table *t);

#endif
