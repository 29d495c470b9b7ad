/*
 * Names of columns. A label is the text of the header. A table uses a plain name that code makes
 * from the label, so that no text of a file reaches a statement. Pure.
 */
#ifndef VESPER_UPLOAD_HEADER_H
#define VESPER_UPLOAD_HEADER_H

#include "records.h"
#include "vesper/arena.h"

#define HEADER_LABEL_CHARS 200
#define HEADER_NAME_BYTES  48

/* Removes what does not belong in a label (controls, direction marks). "" if nothing is left. */
const char *header_label(struct str cell, struct arena *a);
/* A form for prompts: letters, digits, blanks and a few signs, at most 60 characters and 8 words.
 * If the label does not fit, the column's name. */
const char *header_prompt_label(const char *label, const char *name, struct arena *a);
/* Makes a unique name [a-z][a-z0-9_]* for each label, which no dialect reserves. */
const char *const *header_names(const char *const *labels, size_t count, struct arena *a);

/* True if the first record names the columns, judged by the records below it. */
bool header_detect(const struct record *records, size_t count);

#endif
