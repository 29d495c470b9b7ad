/* Shared by the formats: collecting a record. */
#ifndef VESPER_UPLOAD_RECORDS_INT_H
#define VESPER_UPLOAD_RECORDS_INT_H

#include "records.h"

struct csv;
struct jsonl;

struct records {
	record_cb cb;
	void *owner;
	struct csv *csv;
	struct jsonl *jsonl;
	/* the current record */
	struct buf text;
	size_t *ends; /* offset of each cell's end in the text; SIZE_MAX: no cell */
	size_t count, cap;
	struct str *cells;
	size_t cell_cap;
	struct fault fault; /* code NULL: none */
	struct err err;
};

/* Add cells in order. */
void records_cell(struct records *r, const char *text, size_t len);
void records_missing_cell(struct records *r);
void records_emit(struct records *r, size_t line);
/* Only the first fault is stored. */
void records_fail(struct records *r, const char *code, size_t line, const char *reason);

struct csv *csv_new(struct records *r, char delimiter);
void csv_close(struct csv **c);
void csv_add(struct csv *c, const char *text, size_t len);
void csv_end(struct csv *c);

struct jsonl *jsonl_new(struct records *r);
void jsonl_free(struct jsonl **j);
void jsonl_add(struct jsonl *j, const char *text, size_t len);
void jsonl_end(struct jsonl *j);
const char *const *jsonl_members(const struct jsonl *j, size_t *count);

#endif
