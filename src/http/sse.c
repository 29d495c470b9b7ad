/*
 * Parses server-sent events line by line. A complete line is parsed in place; only a line cut by
 * the end of a chunk is copied. The fields "id" and "retry" are ignored, because they concern
 * reconnecting, which no caller does.
 */
#include "vesper/sse.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

struct sse_parser {
	sse_event_cb cb;
	void *owner;
	struct buf line; /* start of an incomplete line */
	struct buf event;
	struct buf data;
	bool has_data; /* a data field was read, possibly an empty one */
	bool begun;    /* the first line was read: no byte order mark may follow */
	bool after_cr; /* a line feed here belongs to the previous line end */
	struct err failed;
};

struct sse_parser *sse_new(sse_event_cb cb, void *owner)
{
	struct sse_parser *p = mem_alloc(sizeof(*p));

	p->cb = cb;
	p->owner = owner;
	buf_init(&p->line, SSE_EVENT_BYTES_MAX);
	buf_init(&p->event, SSE_EVENT_BYTES_MAX);
	buf_init(&p->data, SSE_EVENT_BYTES_MAX);
	return p;
}

static bool too_long(struct sse_parser *p)
{
	return err_set(&p->failed, ERR_LIMIT, "a server-sent event is longer than %d bytes",
		       SSE_EVENT_BYTES_MAX);
}

static bool event_dispatch(struct sse_parser *p)
{
	bool more = true;

	if (p->has_data)
		more = p->cb(p->owner, buf_text(&p->event), buf_text(&p->data), p->data.n);
	buf_reset(&p->event);
	buf_reset(&p->data);
	p->has_data = false;
	return more || err_set(&p->failed, ERR_CANCELLED, "the reader stopped the event stream");
}

static bool field_read(struct sse_parser *p, struct str name, struct str value)
{
	if (str_eq(name, STR("data"))) {
		if (p->has_data)
			buf_char(&p->data, '\n');
		buf_add(&p->data, value.p, value.n);
		p->has_data = true;
	} else if (str_eq(name, STR("event"))) {
		buf_reset(&p->event);
		buf_add(&p->event, value.p, value.n);
	}
	return (!buf_over(&p->data) && !buf_over(&p->event)) || too_long(p);
}

static bool line_read(struct sse_parser *p, struct str line)
{
	const struct str mark = STR("\xEF\xBB\xBF");

	if (!p->begun && str_starts(line, mark))
		line = (struct str){line.p + mark.n, line.n - mark.n};
	p->begun = true;
	if (line.n == 0)
		return event_dispatch(p);

	const char *colon = memchr(line.p, ':', line.n);
	if (!colon)
		return field_read(p, line, STR(""));
	struct str name = {line.p, (size_t)(colon - line.p)};
	struct str value = {colon + 1, line.n - name.n - 1};

	if (str_starts(value, STR(" ")))
		value = (struct str){value.p + 1, value.n - 1};
	return name.n == 0 /* a comment */ || field_read(p, name, value);
}

/* The first line end in the chunk, or NULL. */
static const char *line_end(const char *data, size_t len)
{
	const char *lf = memchr(data, '\n', len);
	const char *cr = memchr(data, '\r', lf ? (size_t)(lf - data) : len);

	return cr ? cr : lf;
}

/* Removes one line, or an incomplete one, from the chunk. */
static bool chunk_read(struct sse_parser *p, struct str *chunk)
{
	const char *end = line_end(chunk->p, chunk->n);
	struct str line = {chunk->p, end ? (size_t)(end - chunk->p) : chunk->n};
	size_t used = line.n + (end ? 1 : 0);

	*chunk = (struct str){chunk->p + used, chunk->n - used};
	if (p->line.n || !end) {
		buf_add(&p->line, line.p, line.n);
		if (buf_over(&p->line))
			return too_long(p);
		if (!end)
			return true;
		line = (struct str){p->line.p, p->line.n};
	}
	p->after_cr = *end == '\r';
	bool ok = line_read(p, line);

	buf_reset(&p->line);
	return ok;
}

bool sse_feed(struct sse_parser *p, const char *data, size_t len, struct err *e)
{
	struct str chunk = {data, len};
	bool ok = p->failed.code == ERR_NONE;

	while (ok && chunk.n) {
		bool skip = p->after_cr && *chunk.p == '\n';

		p->after_cr = false;
		if (skip)
			chunk = (struct str){chunk.p + 1, chunk.n - 1};
		else
			ok = chunk_read(p, &chunk);
	}
	if (!ok && e)
		*e = p->failed;
	return ok;
}

void sse_free(struct sse_parser **parser)
{
	struct sse_parser *p = *parser;

	if (!p)
		return;
	*parser = NULL;
	buf_deinit(&p->line);
	buf_deinit(&p->event);
	buf_deinit(&p->data);
	mem_free(p);
}
