/*
 * A workbook of one sheet (ECMA-376: XML in a ZIP), written row by row, so that memory does not
 * grow with the result. Text is always a text cell, even if it begins like a formula. Numbers, days
 * and times are numeric cells if the spreadsheet keeps all their digits, else text. Pure: the same
 * rows give the same bytes.
 */
#ifndef VESPER_XLSX_H
#define VESPER_XLSX_H

#include "vesper/str.h"
#include "vesper/table.h"

struct xlsx;

struct xlsx *xlsx_new(void);
void xlsx_free(struct xlsx **x);

/* Writes everything before the first row, which is the header row. */
void xlsx_begin(struct xlsx *x, struct buf *out);
/* The next cell of the row: `text` is UTF-8; "" leaves it empty. */
void xlsx_cell(struct xlsx *x, const char *text, enum column_type type);
/* Rows are deflated in blocks, so a row may appear in `out` some rows later. */
void xlsx_row_end(struct xlsx *x, struct buf *out);
/* The rest of the file. */
void xlsx_end(struct xlsx *x, struct buf *out);

#endif
