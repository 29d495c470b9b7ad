/*
 * A session as a file. It is sent while it is read, a few messages at a time, so that memory does
 * not grow with the session.
 */
#include <stdio.h>
#include <string.h>

#include "export.h"
#include "rest/http_messages.h"
#include "rest/http_route.h"
#include "rest/message_reader.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/uuid.h"

#define EXPORT_BYTES_MAX (32 * 1024 * 1024) /* of one message */

struct export
{
	struct message_reader reader;
	bool markdown;
	const struct message *batch; /* the batch that was read; batch[next] is written next */
	size_t count, next;
	struct buf text;    /* written, but not sent yet */
	bool has_messages;  /* a message was written */
	json_t *links;      /* of all answers: label by address */
	bool is_last_batch; /* this is the last batch */
	bool failed;
};

static void export_free(void *task)
{
	struct export *x = task;

	message_reader_deinit(&x->reader);
	buf_deinit(&x->text);
	json_decref(x->links);
	mem_free(x);
}

static void add_markdown(struct export *x, const struct message *m)
{
	struct arena *a = arena_new(DB_CELL_BYTES_MAX);

	export_markdown_message(&x->text, m, store_text_json(m->texts.views, a));
	export_links_add(x->links, store_text_json(m->texts.pbi_deep_links, a));
	arena_free(&a);
}

static void add_message(struct export *x, const struct message *m)
{
	if (x->markdown) {
		add_markdown(x, m);
		return;
	}
	buf_str(&x->text, x->has_messages ? ",\n" : "");
	message_add(&x->text, m);
	x->has_messages = true;
}

static void on_batch(void *owner, const struct message *messages, size_t count, bool has_more,
		     const struct err *e)
{
	struct export *x = owner;

	x->failed = e != NULL;
	x->batch = messages;
	x->count = count;
	x->next = 0;
	x->is_last_batch = !has_more;
	reply_stream_wake(x->reader.request);
}

/* Writes one message per call: a table takes a while to write, and other requests wait
 * meanwhile. */
static bool on_fill(void *task, struct buf *out)
{
	struct export *x = task;
	bool ended = x->is_last_batch && x->next == x->count;

	if (x->next < x->count)
		add_message(x, &x->batch[x->next++]);
	else if (!ended && !x->failed && !x->reader.op)
		message_reader_next(&x->reader, PAGE_MAX, on_batch, x);
	else if (ended && !x->failed && x->markdown)
		export_markdown_links(&x->text, x->links);
	else if (ended && !x->failed)
		buf_str(&x->text, "]}\n");
	if (x->failed || buf_over(&x->text)) {
		x->reader.request->gone = true; /* close the connection, so that an incomplete file
						   does not look complete */
		return false;
	}
	buf_add(out, buf_text(&x->text), x->text.n);
	buf_reset(&x->text);
	return !ended;
}

static void add_session(struct export *x, const struct session *session)
{
	json_t *row;

	if (x->markdown) {
		export_markdown_session(&x->text, session);
		return;
	}
	row = session_json(session);
	buf_str(&x->text, "{\"session\":");
	buf_json(&x->text, row);
	buf_str(&x->text, ",\"messages\":[\n");
	json_decref(row);
}

static void on_session(void *owner, const struct session *session, const struct err *e)
{
	struct export *x = owner;
	struct request *r = x->reader.request;

	if (reply_failed(r, e))
		return;
	add_session(x, session);
	reply_header(r, "Content-Disposition",
		     arena_printf(r->arena, "attachment; filename=\"session-%s.%s\"",
				  session->session_id, x->markdown ? "md" : "json"));
	reply_chunks(r, x->markdown ? "text/markdown; charset=utf-8" : "application/json", on_fill);
}

void on_get_session_export(struct request *r)
{
	const char *format = request_query(r, "format");
	struct export *x;

	if (!uuid_valid(r->params[0])) {
		reply_problem(r, CODE_NOT_FOUND, NULL);
		return;
	}
	if (format && strcmp(format, "json") != 0 && strcmp(format, "markdown") != 0) {
		reply_problem(r, CODE_BAD_FRAME, "format: must be json or markdown");
		return;
	}
	x = mem_alloc(sizeof(*x));
	x->markdown = format && strcmp(format, "markdown") == 0;
	message_reader_init(&x->reader, r, r->params[0], NULL);
	buf_init(&x->text, EXPORT_BYTES_MAX);
	x->links = json_object();
	r->task = x;
	r->task_free = export_free;
	r->op = store_session(r->transport->options.store, r->who, r->params[0], r->arena,
			      on_session, x);
}
