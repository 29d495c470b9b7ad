/* Paginated lists: limit and cursor in, data, has_more, next_cursor and Link out. */
#ifndef VESPER_PAGE_H
#define VESPER_PAGE_H

#include "request.h"

struct page {
	size_t limit;
	const char *after; /* id of the last row of the previous page; NULL: from the start */
};

/* ERR_INPUT: the limit is out of range, or the cursor is not of this list and this caller. */
MUST_CHECK bool page_parse(const struct request *r, struct page *out, struct err *e);
/* The same with another default and maximum of the limit. */
MUST_CHECK bool page_parse_of(const struct request *r, size_t usual, size_t most, struct page *out,
			      struct err *e);
/* `rows`: JSON objects separated by commas. */
void page_reply_rows(struct request *r, const struct buf *rows, bool has_more, const char *last_id);
/* Adds the members and the header for the next page. */
void page_put(struct request *r, json_t *body, bool has_more, const char *last_id);
/* Takes ownership of `data`. */
void page_reply(struct request *r, json_t *data, bool has_more, const char *last_id);

#endif
