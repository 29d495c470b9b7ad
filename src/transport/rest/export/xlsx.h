/*
 * A workbook of one sheet (ECMA-376: XML in a ZIP), made row by row, so that a long result takes no
 * more memory than a short one. Texts are cells of text, whatever they begin with; numbers, days
 * and moments are what a spreadsheet counts with where it keeps all their digits, else texts. Pure:
 * the same rows give the same bytes.
 */
#ifndef VESPER_XLSX_H
#define VESPER_XLSX_H

#include "vesper/str.h"
#include "vesper/table.h"

struct xlsx;

struct xlsx *xlsx_new(void);
void xlsx_free(struct xlsx **x);

/* All that stands before the first row; its first row is the head. */
void xlsx_begin(struct xlsx *x, struct buf *out);
/* The next cell of the row: `text` is UTF-8; "" leaves it empty. */
void xlsx_cell(struct xlsx *x, const char *text, enum column_type type);
/* What is made of the rows comes to `out` some rows later. */
void xlsx_row_end(struct xlsx *x, struct buf *out);
/* The rest of the file. */
void xlsx_end(struct xlsx *x, struct buf *out);

#endif
