/* The cost of a projection: an answer of 10,000 words, one in eight of which is a checked number,
 * is read as items of each wire format. */
#include <stdio.h>
#include <time.h>

#include "vesper/loop.h"
#include "vesper/principal.h"
#include "vesper/stream.h"
#include "vesper/uuid.h"
#include "vesper/wire.h"

#define WORDS   10000
#define REPEATS 20

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void on_nothing(void *owner)
{
	(void)owner;
}

static void emit_answer(struct stream_log *log)
{
	struct event e = {.kind = EVENT_RUN_STARTED, .u.run_started = {.answer_id = "m"}};

	event_emit(stream_sink(log), &e);
	for (int i = 0; i < WORDS; i++) {
		e = (struct event){.kind = EVENT_TEXT_DELTA, .u.text_delta.text = STR("word ")};
		if (i % 8 == 0) {
			e.u.text_delta.marked = true;
			e.u.text_delta.mark.kind = "bound";
		}
		event_emit(stream_sink(log), &e);
	}
	e = (struct event){.kind = EVENT_RUN_FINISHED,
			   .u.run_finished = {.status = "ok", .provider = "rules"}};
	event_emit(stream_sink(log), &e);
}

int main(void)
{
	static const struct {
		const char *name;
		const struct projection *wire;
	} wires[] = {{"chat frames", &wire_chat},
		     {"server-sent events", &wire_sse},
		     {"AI SDK", &wire_ai},
		     {"AG-UI", &wire_agui},
		     {"Chat Completions", &wire_openai},
		     {"MCP", &wire_mcp}};
	static const struct wire_mcp mcp = {.id = STR("1"), .progress_token = STR("1")};
	static const struct wire_head head = {.mcp = &mcp};
	const struct principal who = {.user = "u", .tenant = "t"};
	struct uuid turn = uuid_new(), session = uuid_new();
	struct loop *loop;
	struct stream_hub *hub;
	struct stream_log *log;
	struct err e;

	if (!loop_new(&loop, &e))
		return 1;
	hub = stream_hub_new(loop);
	log = stream_open(hub, turn.text, session.text, &who, NULL, NULL);
	emit_answer(log);
	for (size_t i = 0; i < sizeof(wires) / sizeof(wires[0]); i++) {
		double began = now_us();
		size_t bytes = 0;

		for (int n = 0; n < REPEATS; n++) {
			struct wire_reader *r =
				wire_reader_new(log, wires[i].wire, 0, on_nothing, NULL);
			struct str item;

			wire_reader_set_head(r, &head);
			while (wire_next(r, false, &item))
				bytes += item.n;
			wire_reader_free(&r);
		}
		printf("%-20s %5.2f us an event, %zu bytes an answer\n", wires[i].name,
		       (now_us() - began) / (REPEATS * (WORDS + 2.0)), bytes / REPEATS);
	}
	stream_release(&log);
	stream_hub_free(&hub);
	loop_free(&loop);
	return 0;
}
