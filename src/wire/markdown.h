/* Parts of an answer as Markdown, for text-only wire formats. Pure. */
#ifndef VESPER_MARKDOWN_H
#define VESPER_MARKDOWN_H

#include "vesper/str.h"

/* Writes the table of a data view, or the text of a component. `view` is complete JSON. */
void markdown_view(struct buf *out, struct str view);
/* Writes a numbered list of the options, unless `prompt` contains the first. `options` is the text
 * inside the array. */
void markdown_options(struct buf *out, struct str options, struct str prompt);
/* Writes a list of links. `links` is the text inside the array. */
void markdown_links(struct buf *out, struct str links);

#endif
