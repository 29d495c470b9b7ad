/* Paginated lists: limit and cursor in, data, has_more, next_cursor and Link out. */
#ifndef VESPER_PAGE_H
#define VESPER_PAGE_H

#include "request.h"

struct page {
	size_t limit;
	const char *after; /* id of the last row of the previous page; NULL: from the start */
};

/* ERR_INPUT: the limit is out of range, or the cursor does not belong to this list and this caller.
 */
MUST_CHECK bool page_parse(const struct request *r, struct page *out, struct err *e);
/* Like page_parse, with another default and maximum for the limit. */
MUST_CHECK bool page_parse_limits(const struct request *r, size_t default_limit, size_t max_limit,
				  struct page *out, struct err *e);
/* `rows`: JSON objects separated by commas. */
void page_reply_rows(struct request *r, const struct buf *rows, bool has_more, const char *last_id);
/* Adds the members and the header for the next page. */
void page_add_members(struct request *r, json_t *body, bool has_more, const char *last_id);
/* Takes ownership of `data`. */
void page_reply(struct request *r, json_t *data, bool has_more, const char *last_id);

#endif
