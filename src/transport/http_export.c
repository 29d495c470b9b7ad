/*
 * A session as a file. It is sent while it is read, a page at a time, so that a long one takes no
 * more memory than a short one.
 */
#include <stdio.h>
#include <string.h>

#include "export.h"
#include "http_messages.h"
#include "http_route.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/uuid.h"

#define EXPORT_PAGE        20
#define EXPORT_ARENA_BYTES (32 * 1024 * 1024)

struct export
{
	struct request *request;
	bool markdown;
	char session_id[UUID_BYTES];
	char after[UUID_BYTES]; /* the last message that was read */
	struct arena *page;
	struct op *op;
	struct buf text; /* made and not taken yet */
	bool any;        /* a message was written */
	bool started;
	bool ended;
	bool failed;
};

static void export_free(void *task)
{
	struct export *x = task;

	op_cancel(&x->op);
	arena_free(&x->page);
	buf_deinit(&x->text);
	mem_free(x);
}

static void page_ask(struct export *x);

/* Taken as a whole: the next page is read while this one is on its way. */
static bool on_fill(void *task, struct buf *out)
{
	struct export *x = task;

	buf_add(out, buf_text(&x->text), x->text.n);
	buf_reset(&x->text);
	if (x->failed)
		x->request->gone = true; /* half a file must not look like a whole one */
	if (!x->ended && !x->failed && !x->op)
		page_ask(x);
	return !x->ended && !x->failed;
}

static void add_messages(struct export *x, const struct message *messages, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (x->markdown) {
			export_markdown_message(&x->text, &messages[i]);
			continue;
		}
		json_t *row = message_json(&messages[i]);

		buf_str(&x->text, x->any ? ",\n" : "");
		buf_json(&x->text, row);
		json_decref(row);
		x->any = true;
	}
	if (count > 0)
		memcpy(x->after, messages[count - 1].message_id, UUID_BYTES);
}

static void on_page(void *owner, const struct message *messages, size_t count, bool has_more,
		    const struct err *e)
{
	struct export *x = owner;

	x->op = NULL;
	if (e) {
		x->failed = true;
	} else {
		add_messages(x, messages, count);
		x->ended = !has_more;
		if (x->ended && !x->markdown)
			buf_str(&x->text, "]}\n");
		x->failed = buf_over(&x->text);
	}
	reply_stream_wake(x->request);
}

static void page_ask(struct export *x)
{
	struct request *r = x->request;

	arena_free(&x->page);
	x->page = arena_new(EXPORT_ARENA_BYTES);
	x->op = store_messages(r->transport->options.store, r->who, x->session_id,
			       *x->after ? x->after : NULL, EXPORT_PAGE, x->page, on_page, x);
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
	struct request *r = x->request;

	r->op = NULL;
	if (e) {
		reply_err(r, e);
		return;
	}
	add_session(x, session);
	reply_header(r, "Content-Disposition",
		     arena_printf(r->arena, "attachment; filename=\"session-%s.%s\"",
				  session->session_id, x->markdown ? "md" : "json"));
	reply_parts(r, x->markdown ? "text/markdown; charset=utf-8" : "application/json", on_fill);
}

void on_get_session_export(struct request *r)
{
	const char *format = request_query(r, "format");
	struct export *x;

	if (!uuid_valid(r->params[0])) {
		reply_problem(r, PROBLEM_NOT_FOUND, NULL);
		return;
	}
	if (format && strcmp(format, "json") != 0 && strcmp(format, "markdown") != 0) {
		reply_problem(r, PROBLEM_BAD_FRAME, "format: json or markdown");
		return;
	}
	x = mem_alloc(sizeof(*x));
	x->request = r;
	x->markdown = format && strcmp(format, "markdown") == 0;
	memcpy(x->session_id, r->params[0], UUID_BYTES);
	buf_init(&x->text, 2 * EXPORT_ARENA_BYTES);
	r->task = x;
	r->task_free = export_free;
	r->op = store_session(r->transport->options.store, r->who, x->session_id, r->arena,
			      on_session, x);
}
