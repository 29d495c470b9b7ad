/*
 * One view of an answer as a file: a chart as SVG, a result as CSV or as a workbook. A stored
 * result that is complete is sent as it is. For a truncated one, the call runs again with the
 * original arguments and the reader's current permissions. Its result is held in memory until it is
 * sent: completeness is known before the first byte, and a slow client holds no database
 * connection.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "http_route.h"
#include "http_views.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/uuid.h"
#include "vesper/view.h"

#define CSV_TYPE  "text/csv; charset=utf-8; header=present"
#define XLSX_TYPE "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
/* A workbook's rows deflate to about a tenth, so each iteration of the loop deflates about as much
 * as it sends of CSV. */
#define BOOK_BLOCK_BYTES     (DOWNLOAD_BLOCK_BYTES / 8)
#define DOWNLOAD_ARENA_BYTES (64 * 1024 * 1024) /* in addition to its table: for derived data */

/* A result that is read again and then sent. */
struct download {
	struct list node;
	struct request *request;
	const json_t *view; /* the stored part of it; lives as long as the request */
	struct arena *arena;
	struct op *op;
	const struct table *table;
	struct xlsx *book; /* NULL: sent as CSV */
	size_t next;       /* index of the next row to send */
	int64_t sending_since_ms;
	bool begun;
};

static void download_free(void *task)
{
	struct download *x = task;

	op_cancel(&x->op);
	arena_free(&x->arena);
	xlsx_free(&x->book);
	list_remove(&x->node);
	mem_free(x);
}

/* ---- headers ---- */

static bool is_book(const struct request *r)
{
	return r->route->handle == on_get_view_xlsx;
}

static const char *type_of(const struct request *r)
{
	return is_book(r) ? XLSX_TYPE : CSV_TYPE;
}

static void add_result_headers(struct request *r, const char *source, const char *time,
			       int64_t rows, bool truncated)
{
	reply_header(r, "Content-Disposition",
		     is_book(r) ? "attachment; filename=\"result.xlsx\""
				: "attachment; filename=\"result.csv\"");
	reply_header(r, "Result-Source", source);
	reply_header(r, "Result-Time", time);
	reply_header(r, "Result-Rows", arena_printf(r->arena, "%" PRId64, rows));
	reply_header(r, "Result-Truncated", truncated ? "?1" : "?0");
}

static void reply_stored(struct request *r, const json_t *view, const struct message *m)
{
	struct xlsx *book = is_book(r) ? xlsx_new() : NULL;
	struct buf text;

	buf_init(&text, HTTP_RESPONSE_BYTES_MAX);
	export_view(&text, book, view);
	xlsx_free(&book);
	add_result_headers(r, "kept", m->created_at,
			   json_integer_value(json_object_get(view, "row_count")),
			   json_is_true(json_object_get(view, "truncated")));
	reply_bytes(r, 200, type_of(r), buf_text(&text), text.n);
	buf_deinit(&text);
}

/* ---- reading again ---- */

static bool on_fill(void *task, struct buf *out)
{
	struct download *x = task;

	size_t block = x->book ? BOOK_BLOCK_BYTES : DOWNLOAD_BLOCK_BYTES;

	if (!x->begun)
		export_table_head(out, x->book, x->table);
	x->begun = true;
	while (x->next < x->table->row_count && out->n < block)
		export_table_row(out, x->book, x->table, x->next++);
	if (x->next < x->table->row_count)
		return true;
	export_table_end(out, x->book);
	return false;
}

static void reply_outcome(struct request *r, const struct outcome *o)
{
	if (o->kind == OUTCOME_NOT_PERMITTED)
		reply_problem(r, CODE_DENIED, NULL);
	else if (o->kind == OUTCOME_TIMEOUT)
		reply_problem(
			r, CODE_TIMEOUT,
			"Reading the whole result took too long. Ask for a smaller part of it.");
	else if (o->retryable)
		reply_problem(r, CODE_UPSTREAM, NULL);
	else if (o->kind == OUTCOME_UNKNOWN_ENTITY || o->detail)
		reply_problem(
			r, CODE_EXPIRED,
			"The data of this answer is no longer available. Ask the question again.");
	else
		reply_problem(r, CODE_INTERNAL, NULL);
}

static void on_result(void *owner, struct result *result)
{
	struct download *x = owner;
	struct request *r = x->request;
	char now[CLOCK_RFC3339_BYTES];

	x->op = NULL;
	if (result->table_count == 0) {
		reply_outcome(r, &result->outcome);
		return;
	}
	x->table = result->tables[0];
	if (x->table->truncated) {
		reply_problem(r, CODE_INVALID,
			      arena_printf(r->arena,
					   "The whole result is too large for a file (%d rows or "
					   "%d MiB at most). Ask for a smaller part of it.",
					   DB_FETCH_ROWS_MAX, DB_RESULT_BYTES_MAX >> 20));
		return;
	}
	clock_rfc3339(clock_now_ms(), now);
	add_result_headers(r, "read", now, (int64_t)x->table->row_count, false);
	x->sending_since_ms = clock_mono_ms();
	reply_header(r, "Result-Changed", export_differs(x->view, x->table) ? "?1" : "?0");
	x->book = is_book(r) ? xlsx_new() : NULL;
	reply_chunks(r, type_of(r), on_fill);
}

/* One download per user, so that no user occupies all of them. */
static bool has_download(const struct transport *t, const struct principal *who)
{
	list_each(node, (struct list *)&t->downloads)
		if (principal_same_user(list_item(node, struct download, node)->request->who, who))
			return true;
	return false;
}

static size_t download_count(const struct transport *t)
{
	size_t count = 0;

	list_each(node, (struct list *)&t->downloads)
		count++;
	return count;
}

/* When all download slots are in use, ends the download that has been sending the longest, once its
 * guaranteed time has passed. */
static bool free_slot(struct transport *t)
{
	struct download *longest = NULL;

	list_each(node, &t->downloads) {
		struct download *x = list_item(node, struct download, node);

		if (x->table && (!longest || x->sending_since_ms < longest->sending_since_ms))
			longest = x;
	}
	if (!longest || clock_mono_ms() - longest->sending_since_ms < DOWNLOAD_TIME_MS)
		return false;
	list_remove(&longest->node);
	request_cut(longest->request);
	return true;
}

static void download_start(struct request *r, const struct message *m, const json_t *view,
			   const json_t *call)
{
	const struct repeat_call repeat = {
		.who = r->who, .turn_id = m->turn_id, .call = call, .rows_max = DB_FETCH_ROWS_MAX};
	struct download *x;

	if (has_download(r->transport, r->who) ||
	    (download_count(r->transport) >= DOWNLOADS_MAX && !free_slot(r->transport))) {
		reply_problem(r, CODE_RATE_LIMITED,
			      "Another download is running. Try again when it has finished.");
		return;
	}
	x = mem_alloc(sizeof(*x));
	x->request = r;
	x->view = view;
	x->arena = arena_new(DOWNLOAD_ARENA_BYTES);
	list_append(&r->transport->downloads, &x->node);
	r->task = x;
	r->task_free = download_free;
	x->op = turns_repeat_call(r->transport->options.turns, &repeat, x->arena, on_result, x);
}

/* ---- stored views ---- */

const json_t *view_find(const json_t *views, const char *view_id, const char *view_type)
{
	const json_t *view;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)views, i, view) {
		const char *id = json_string_value(json_object_get(view, "view_id"));
		const char *type = json_string_value(json_object_get(view, "view_type"));

		if (id && type && strcmp(id, view_id) == 0 && strcmp(type, view_type) == 0)
			return view;
	}
	return NULL;
}

const json_t *view_call_find(const json_t *calls, const json_t *view)
{
	const char *call_id =
		json_string_value(json_object_get(json_object_get(view, "source"), "call"));
	const json_t *call;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)calls, i, call) {
		const char *id = json_string_value(json_object_get(call, "call"));

		if (call_id && id && strcmp(call_id, id) == 0)
			return call;
	}
	return NULL;
}

static void reply_view(struct request *r, const struct message *m, const json_t *view)
{
	const json_t *call = view_call_find(store_text_json(m->texts.tool_calls, r->arena), view);

	if (json_is_true(json_object_get(view, "truncated")) && call &&
	    turns_can_repeat_call(r->transport->options.turns, r->who->tenant, call))
		download_start(r, m, view, call);
	else
		reply_stored(r, view, m);
}

/* ---- pictures ---- */

/* Reads a side length from the query. Returns false when it has answered with an error. */
static bool read_side(struct request *r, const char *name, int *out)
{
	const char *text = request_query(r, name);
	char *end;
	long side;

	if (!text)
		return true;
	side = strtol(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || side < SVG_SIDE_MIN_PX ||
	    side > SVG_SIDE_MAX_PX) {
		reply_problem(r, CODE_BAD_FRAME,
			      arena_printf(r->arena, "%s: must be %d to %d pixels", name,
					   SVG_SIDE_MIN_PX, SVG_SIDE_MAX_PX));
		return false;
	}
	*out = (int)side;
	return true;
}

static bool read_size(struct request *r, struct svg_size *out)
{
	*out = (struct svg_size){0};
	return read_side(r, "width", &out->width_px) && read_side(r, "height", &out->height_px);
}

static void reply_picture(struct request *r, const struct message *m, const json_t *view)
{
	struct svg_size size;
	struct buf text;

	(void)m;
	if (!read_size(r, &size))
		return;
	buf_init(&text, HTTP_RESPONSE_BYTES_MAX);
	if (view_svg(&text, view, &size)) {
		reply_header(r, "Content-Disposition", "inline; filename=\"chart.svg\"");
		reply_bytes(r, 200, "image/svg+xml", buf_text(&text), text.n);
	} else {
		reply_problem(r, CODE_NOT_FOUND, NULL);
	}
	buf_deinit(&text);
}

/* ---- handlers ---- */

/* Answers with the stored view of that type and id. */
static void answer(struct request *r, const struct message *messages, size_t count,
		   const struct err *e, const char *type,
		   void (*reply)(struct request *r, const struct message *m, const json_t *view))
{
	const json_t *view = NULL;

	r->op = NULL;
	if (count == 1)
		view = view_find(store_text_json(messages->texts.views, r->arena), r->params[1],
				 type);
	if (e)
		reply_err(r, e);
	else if (!view)
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else
		reply(r, messages, view);
}

static void on_data(void *owner, const struct message *messages, size_t count, bool has_more,
		    const struct err *e)
{
	(void)has_more;
	answer(owner, messages, count, e, "data", reply_view);
}

static void on_chart(void *owner, const struct message *messages, size_t count, bool has_more,
		     const struct err *e)
{
	(void)has_more;
	answer(owner, messages, count, e, "chart", reply_picture);
}

static void read_message(struct request *r, store_messages_cb cb)
{
	if (!uuid_valid(r->params[0]))
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else
		r->op = store_message(r->transport->options.store, r->who, r->params[0], r->arena,
				      cb, r);
}

void on_get_view_csv(struct request *r)
{
	read_message(r, on_data);
}

void on_get_view_xlsx(struct request *r)
{
	read_message(r, on_data);
}

void on_get_view_svg(struct request *r)
{
	read_message(r, on_chart);
}
