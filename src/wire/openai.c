/*
 * Chat Completions projection, in chunks or whole. Clients of this format only handle text: tables
 * follow it as Markdown, and options as a numbered list. Other data is in the member x_vesper of
 * the last chunk, which clients ignore. Steps are comment lines, which keep the connection alive.
 */
#include "markdown.h"
#include "projection.h"
#include "vesper/limits.h"
#include "vesper/wire.h"

#include <inttypes.h>
#include <string.h>

#define DEFAULT_MODEL "vesper"
#define FIRST_DELTA   STR("{\"role\":\"assistant\",\"content\":\"\"}")
#define DONE          "data: [DONE]\n\n"

struct openai_state {
	int64_t created_s;
};

/* ---- Content as Markdown ---- */

static void content(const struct wire_at *at, const struct event *e, struct buf *out)
{
	switch (e->kind) {
	case EVENT_TEXT_DELTA:
		buf_add(out, e->u.text_delta.text.p, e->u.text_delta.text.n);
		break;
	case EVENT_ASK:
		markdown_ask(at, &e->u.ask, out);
		break;
	case EVENT_RUN_FINISHED:
		markdown_views(at, out);
		if (e->u.run_finished.links.p)
			markdown_links(out, json_inside(e->u.run_finished.links));
		break;
	default:
		break;
	}
}

/* ---- Citations ---- */

/* Finds the source with this citation number. */
static bool source_of(struct str sources, int64_t n, struct str *source, char urn[URN_BYTES])
{
	struct str rest = json_inside(sources), value;

	while (next_source(&rest, source, urn))
		if (json_member(*source, "n", &value) && strtoll(value.p, NULL, 10) == n)
			return true;
	return false;
}

static void annotation(struct json_out *j, const struct event_mark *mark, struct str sources)
{
	static const struct renamed members[] = {{"title", "document"}};
	char urn[URN_BYTES];
	struct str source;

	if (mark->n == 0 || !source_of(sources, mark->n, &source, urn))
		return;
	jo_object(j);
	jo_set_str(j, "type", "url_citation");
	jo_key(j, "url_citation");
	jo_object(j);
	jo_set_int(j, "start_index", (int64_t)mark->at);
	jo_set_int(j, "end_index", (int64_t)(mark->at + mark->len));
	jo_set_str(j, "url", urn);
	renamed_members(j, source, members, 1);
	jo_object_end(j);
	jo_object_end(j);
}

/* Writes one annotation per citation; no member without citations. */
static void annotations(struct json_out *j, const struct wire_at *at,
			const struct event_run_finished *f)
{
	struct str sources = sources_of(f);
	struct event e;

	if (!sources.p || json_inside(sources).n == 0)
		return;
	jo_key(j, "annotations");
	jo_array(j);
	for (uint64_t seq = 1; seq <= stream_last_seq(at->log); seq++) {
		if (stream_kind(at->log, seq) != EVENT_TEXT_DELTA)
			continue;
		stream_event(at->log, seq, &e);
		if (e.u.text_delta.marked)
			annotation(j, &e.u.text_delta.mark, sources);
	}
	jo_array_end(j);
}

/* ---- Members ---- */

static void head(struct json_out *j, const struct wire_at *at, const char *object)
{
	const struct openai_state *s = at->state;
	char id[64];

	snprintf(id, sizeof(id), "chatcmpl-%s", at->turn_id);
	jo_object(j);
	jo_set_str(j, "id", id);
	jo_set_str(j, "object", object);
	jo_set_int(j, "created", s->created_s);
	jo_set_str(j, "model", at->head->model ? at->head->model : DEFAULT_MODEL);
}

static int64_t tokens(struct str usage, const char *name)
{
	struct str value;

	return usage.p && json_member(usage, name, &value) ? strtoll(value.p, NULL, 10) : 0;
}

static void usage(struct json_out *j, struct str all)
{
	int64_t in = tokens(all, "input_tokens") + tokens(all, "cache_read_tokens") +
		     tokens(all, "cache_write_tokens");
	int64_t out = tokens(all, "output_tokens");

	jo_key(j, "usage");
	jo_object(j);
	jo_set_int(j, "prompt_tokens", in);
	jo_set_int(j, "completion_tokens", out);
	jo_set_int(j, "total_tokens", in + out);
	jo_object_end(j);
}

static void x_vesper(struct json_out *j, const struct wire_at *at, const struct event *finished)
{
	struct event e;

	jo_key(j, "x_vesper");
	jo_object(j);
	jo_set_str(j, "turn_id", at->turn_id);
	chat_members(j, finished);
	if (newest_event(at, EVENT_FILTERS, &e))
		jo_set_raw(j, "filters", e.u.filters.filters);
	if (newest_event(at, EVENT_PLAN, &e))
		jo_set_raw(j, "plan", e.u.plan.body);
	if (newest_event(at, EVENT_ASK, &e))
		jo_set_raw(j, "ask", e.u.ask.body);
	jo_object_end(j);
}

/* ---- Chunks ---- */

static struct json_out chunk_open(const struct wire_at *at, struct buf *out)
{
	struct json_out j;

	buf_str(out, "data: ");
	jo_init(&j, out);
	head(&j, at, "chat.completion.chunk");
	return j;
}

static void chunk_close(struct json_out *j)
{
	jo_object_end(j);
	buf_str(j->out, "\n\n");
}

/* `delta`: a complete object. If usage was requested, all other chunks must have a null usage. */
static void choice(struct json_out *j, const struct wire_at *at, struct str delta,
		   const char *reason)
{
	jo_key(j, "choices");
	jo_array(j);
	jo_object(j);
	jo_set_int(j, "index", 0);
	jo_set_raw(j, "delta", delta);
	jo_key(j, "finish_reason");
	if (reason)
		jo_str(j, str_of(reason));
	else
		jo_null(j);
	jo_object_end(j);
	jo_array_end(j);
	if (!at->head->include_usage)
		return;
	jo_key(j, "usage");
	jo_null(j);
}

static void chunk(const struct wire_at *at, struct str delta, struct buf *out)
{
	struct json_out j = chunk_open(at, out);

	choice(&j, at, delta, NULL);
	chunk_close(&j);
}

static void chunk_of_text(const struct wire_at *at, struct str text, struct buf *out)
{
	struct buf delta;
	struct json_out j;

	if (text.n == 0)
		return;
	buf_init(&delta, SIZE_MAX / 2); /* one event, limited by its log */
	jo_init(&j, &delta);
	jo_object(&j);
	jo_key(&j, "content");
	jo_str(&j, text);
	jo_object_end(&j);
	chunk(at, (struct str){buf_text(&delta), delta.n}, out);
	buf_deinit(&delta);
}

static void chunk_of_content(const struct wire_at *at, const struct event *e, struct buf *out)
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	content(at, e, &text);
	chunk_of_text(at, (struct str){buf_text(&text), text.n}, out);
	buf_deinit(&text);
}

static void chunk_of_usage(const struct wire_at *at, struct str all, struct buf *out)
{
	struct json_out j;

	if (!at->head->include_usage)
		return;
	j = chunk_open(at, out);
	jo_set_raw(&j, "choices", STR("[]"));
	usage(&j, all);
	chunk_close(&j);
}

static void finished(const struct wire_at *at, const struct event *e, struct buf *out)
{
	struct json_out j;
	struct buf delta;

	chunk_of_content(at, e, out);
	buf_init(&delta, SIZE_MAX / 2); /* one log, which has a size limit */
	jo_init(&j, &delta);
	jo_object(&j);
	annotations(&j, at, &e->u.run_finished);
	jo_object_end(&j);
	j = chunk_open(at, out);
	choice(&j, at, (struct str){buf_text(&delta), delta.n}, "stop");
	x_vesper(&j, at, e);
	chunk_close(&j);
	buf_deinit(&delta);
	chunk_of_usage(at, e->u.run_finished.usage, out);
	buf_str(out, DONE);
}

static void failed(const struct event_error *e, struct buf *out)
{
	struct json_out j;

	buf_str(out, "data: ");
	jo_init(&j, out);
	jo_object(&j);
	jo_key(&j, "error");
	jo_object(&j);
	jo_set_str(&j, "message", e->message);
	jo_set_str(&j, "type", "server_error");
	jo_key(&j, "param");
	jo_null(&j);
	jo_set_str(&j, "code", e->code);
	jo_object_end(&j);
	chunk_close(&j);
	buf_str(out, DONE);
}

static void openai_event(const struct wire_at *at, const struct event *e, struct buf *out)
{
	struct openai_state *s = at->state;

	switch (e->kind) {
	case EVENT_RUN_STARTED:
		s->created_s = e->at_ms / 1000;
		chunk(at, FIRST_DELTA, out);
		break;
	case EVENT_STATUS:
		buf_printf(out, ": %s\n\n", e->u.status.phase);
		break;
	case EVENT_STEP_STARTED:
		buf_printf(out, ": %s %s\n\n", e->u.step_started.step_id,
			   e->u.step_started.tool ? e->u.step_started.tool
						  : e->u.step_started.agent);
		break;
	case EVENT_RUN_FINISHED:
		finished(at, e, out);
		break;
	case EVENT_ERROR:
		failed(&e->u.error, out);
		break;
	default:
		chunk_of_content(at, e, out);
	}
}

const struct projection wire_openai = {
	.name = "openai",
	.state_bytes = sizeof(struct openai_state),
	.items = CHAT_ITEMS,
	.event = openai_event,
};

/* ---- the whole response ---- */

/* `finished`: end of the turn; NULL: a response without a turn. */
static void message(struct json_out *j, const struct wire_at *at, struct str text,
		    const struct event_run_finished *finished)
{
	jo_key(j, "choices");
	jo_array(j);
	jo_object(j);
	jo_set_int(j, "index", 0);
	jo_key(j, "message");
	jo_object(j);
	jo_set_str(j, "role", "assistant");
	jo_key(j, "content");
	jo_str(j, text);
	jo_key(j, "refusal");
	jo_null(j);
	if (finished)
		annotations(j, at, finished);
	jo_object_end(j);
	jo_key(j, "logprobs");
	jo_null(j);
	jo_set_str(j, "finish_reason", "stop");
	jo_object_end(j);
	jo_array_end(j);
}

bool wire_openai_response(const struct stream_log *log, const struct wire_head *client,
			  struct buf *out)
{
	struct openai_state s = {0};
	const struct wire_at at = {
		.turn_id = stream_turn_id(log),
		.session_id = stream_session_id(log),
		.log = log,
		.head = client,
		.text = stream_text(log),
		.state = &s,
	};
	uint64_t last = stream_last_seq(log);
	struct event e = {.kind = EVENT_KIND_COUNT};
	struct json_out j;
	struct buf text, part;

	buf_init(&text, SIZE_MAX / 2);
	buf_init(&part, SIZE_MAX / 2);
	for (uint64_t seq = 1; seq <= last; seq++) {
		stream_event(log, seq, &e);
		if (e.kind == EVENT_RUN_STARTED)
			s.created_s = e.at_ms / 1000;
		buf_reset(&part);
		content(&at, &e, &part);
		buf_add(&text, buf_text(&part), part.n);
	}
	if (e.kind == EVENT_RUN_FINISHED) {
		jo_init(&j, out);
		head(&j, &at, "chat.completion");
		message(&j, &at, (struct str){buf_text(&text), text.n}, &e.u.run_finished);
		usage(&j, e.u.run_finished.usage);
		x_vesper(&j, &at, &e);
		jo_object_end(&j);
	}
	buf_deinit(&part);
	buf_deinit(&text);
	return e.kind == EVENT_RUN_FINISHED;
}

/* ---- Without a turn ---- */

void wire_openai_text(const struct wire_text *t, const struct wire_head *client, bool in_chunks,
		      struct buf *out)
{
	struct openai_state s = {.created_s = t->created_s};
	const struct wire_at at = {.turn_id = t->id, .head = client, .state = &s};
	struct json_out j;

	if (!in_chunks) {
		jo_init(&j, out);
		head(&j, &at, "chat.completion");
		message(&j, &at, t->text, NULL);
		usage(&j, (struct str){0});
		jo_object_end(&j);
		return;
	}
	chunk(&at, FIRST_DELTA, out);
	chunk_of_text(&at, t->text, out);
	j = chunk_open(&at, out);
	choice(&j, &at, STR("{}"), "stop");
	chunk_close(&j);
	chunk_of_usage(&at, (struct str){0}, out);
	buf_str(out, DONE);
}
