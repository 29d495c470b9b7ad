/* Parts of an answer as Markdown, for wire formats that know text alone. Pure. */
#ifndef VESPER_MARKDOWN_H
#define VESPER_MARKDOWN_H

#include "vesper/str.h"

/* The table of a data view, the sentence of a component; both are finished JSON. */
void markdown_view(struct buf *out, struct str view);
/* A numbered list of what stands inside the options' array, unless `prompt` names the first of
 * them. */
void markdown_options(struct buf *out, struct str options, struct str prompt);
/* A list of what stands inside the links' array. */
void markdown_links(struct buf *out, struct str links);

#endif
