/* Reads a finished turn's log as clients of each wire do. */
#include "wires.h"

#include <jansson.h>
#include <string.h>

#include "collect.h"
#include "sse_out.h"
#include "vesper/json.h"

#define RECORDING_BYTES_MAX (8 << 20)

static void on_wake(void *owner)
{
	(void)owner; /* everything is there */
}

static void write_buf(FILE *out, struct buf *b)
{
	fwrite(buf_text(b), 1, b->n, out);
	buf_reset(b);
}

static void write_answer(FILE *out, const struct collector *c, const struct stream_log *log,
			 struct buf *b)
{
	const char *turn_id = stream_turn_id(log), *session_id = stream_session_id(log);
	enum problem problem;
	json_t *body = c->failed ? collector_problem(c, turn_id, session_id, "/turns", "r", &problem)
				 : collector_answer(c, turn_id, session_id);

	buf_json(b, body);
	json_decref(body);
	fprintf(out, "== %s\n", c->failed ? "problem" : "whole");
	write_buf(out, b);
	fputc('\n', out);
}

void wires_write(FILE *out, struct loop *l, struct stream_log *log)
{
	struct stream_watch *w = stream_watch_new(log, 0, on_wake, l);
	const struct stream_entry *entry;
	struct collector c;
	struct buf b, words;

	buf_init(&b, RECORDING_BYTES_MAX);
	buf_init(&words, RECORDING_BYTES_MAX);
	collector_init(&c);
	fprintf(out, "== events\n");
	while ((entry = stream_read(w))) {
		collector_add(&c, entry);
		if (event_is_closing(entry->kind))
			stream_words(log, &words);
		sse_out_entry(&b, stream_turn_id(log), entry,
			      (struct str){buf_text(&words), words.n});
		write_buf(out, &b);
	}
	if (stream_ended(w))
		write_answer(out, &c, log, &b);
	stream_watch_free(&w);
	collector_deinit(&c);
	buf_deinit(&b);
	buf_deinit(&words);
}

static void write_member(FILE *out, const char *name, const char *text)
{
	if (text)
		fprintf(out, "%s: %s\n", name, text);
}

void wires_write_stored(FILE *out, const struct message *m)
{
	fprintf(out, "== stored %s %s\n", m->role, message_status_name(m->status));
	write_member(out, "content", m->content);
	write_member(out, "intent", m->intent);
	write_member(out, "agents", m->agents_used);
	write_member(out, "tool_calls", m->texts.tool_calls);
	write_member(out, "views", m->texts.views);
	write_member(out, "links", m->texts.pbi_deep_links);
	write_member(out, "checked", m->texts.checked);
	write_member(out, "needs", m->needs);
	write_member(out, "provider", m->provider);
	write_member(out, "model", m->model);
}
