/* Messages and tables as text for other programs. Pure. */
#ifndef VESPER_EXPORT_H
#define VESPER_EXPORT_H

#include <jansson.h>

#include "xlsx.h"
#include "vesper/store.h"
#include "vesper/str.h"
#include "vesper/table.h"

void export_markdown_session(struct buf *out, const struct session *s);
/* Includes a table for each data view. */
void export_markdown_message(struct buf *out, const struct message *m, const json_t *views);
/* Adds the links of an answer to those of the session, as label by address. Each address is added
 * once, and no link is added beyond EXPORT_LINKS_MAX. */
void export_links_add(json_t *all, const json_t *links);
/* The last section of the file; empty without links. */
void export_markdown_links(struct buf *out, const json_t *all);

/* A data view as a file: CSV (RFC 4180) or, with `book`, a complete workbook; `book` must be new.
 * Text that a spreadsheet would read as a formula gets an apostrophe in CSV, and is a text cell in
 * a workbook. Numbers are unchanged. */
void export_view(struct buf *out, struct xlsx *book, const json_t *view);
/* Write the same file row by row, from the table that the view shows. */
void export_table_head(struct buf *out, struct xlsx *book, const struct table *t);
void export_table_row(struct buf *out, struct xlsx *book, const struct table *t, size_t row);
void export_table_end(struct buf *out, struct xlsx *book);

/* Returns true when the view's rows differ from the first rows of the table in any cell. */
bool export_differs(const json_t *view, const struct table *t);

#endif
