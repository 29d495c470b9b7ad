/* Reads a finished turn's log as clients of each wire do. */
#include "wires.h"

#include <string.h>

#include "all_wires.h"

#define RECORDING_BYTES_MAX (8 << 20)

static void on_wake(void *owner)
{
	(void)owner; /* everything is there */
}

/* Members as in a problem document. */
static void write_whole(FILE *out, struct stream_log *log)
{
	struct stream_watch *w = stream_watch_new(log, 0, on_wake, NULL);
	struct wire_response *whole = wire_response_new();
	const struct stream_entry *entry;
	struct buf text;

	buf_init(&text, RECORDING_BYTES_MAX);
	while ((entry = stream_read(w)))
		wire_response_add(whole, entry->event);
	if (stream_watch_is_at_end(w) && wire_response_ok(whole)) {
		wire_response_write(whole, log, &text);
		fprintf(out, "== whole\n%s\n", buf_text(&text));
	} else if (stream_watch_is_at_end(w)) {
		const struct wire_problem p = wire_response_problem(whole);

		fprintf(out, "== problem\n%s %.*s\n", p.code, STR_FMT(p.members));
	}
	stream_watch_free(&w);
	wire_response_free(&whole);
	buf_deinit(&text);
}

static void write_items(FILE *out, struct stream_log *log, const struct any_wire *wire)
{
	struct wire_reader *r = wire_reader_new(log, wire->projection, 0, on_wake, NULL);
	struct str item;

	fprintf(out, "== %s\n", wire->heading);
	while (wire_next(r, false, &item))
		fwrite(item.p, 1, item.n, out);
	wire_reader_free(&r);
}

void wires_write(FILE *out, struct stream_log *log)
{
	for (size_t i = 0; i < WIRE_COUNT; i++)
		if (all_wires[i].heading)
			write_items(out, log, &all_wires[i]);
	write_whole(out, log);
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
