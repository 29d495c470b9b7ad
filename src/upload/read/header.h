/*
 * Names of columns: what a header says is a label, and what a table is made with is a plain name
 * that code makes of it, so that nothing of a file reaches the text of a statement. Pure.
 */
#ifndef VESPER_UPLOAD_HEADER_H
#define VESPER_UPLOAD_HEADER_H

#include "records.h"
#include "vesper/arena.h"

#define HEADER_LABEL_CHARS 200
#define HEADER_NAME_BYTES  48

/* What is not text of a label (controls, marks of direction) is left out. "" when nothing is left.
 */
const char *header_label(struct str cell, struct arena *a);
/* As a prompt may hold it: letters, digits, blanks and a few signs, 60 characters and 8 words at
 * most; else the column's name. */
const char *header_spoken(const char *label, const char *name, struct arena *a);
/* For each label a name [a-z][a-z0-9_]* of its own that no dialect has reserved. */
const char *const *header_names(const char *const *labels, size_t count, struct arena *a);

/* Whether the first record names the columns, by what stands below it. */
bool header_is_there(const struct record *records, size_t count);

#endif
