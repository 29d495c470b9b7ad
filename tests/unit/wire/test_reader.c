/* Every replay of a log gives the same items and numbers, from any start. */
#include "turn_log.h"

#include "all_wires.h"
#include "vesper/mem.h"

#include <stdlib.h>

#define ROUNDS     300
#define EVENTS_MAX 40

static struct stream_log *log_new(void)
{
	struct uuid turn = uuid_new(), session = uuid_new();

	return stream_open(hub, turn.text, session.text, &ann, NULL, NULL);
}

static unsigned seed;

static unsigned random_below(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

static const char *some_text(void)
{
	static const char *const texts[] = {"48.73", " and ", "\xe2\x82\xac", "\"", ""};

	return texts[random_below(5)];
}

static void emit_step(struct stream_log *log, const char *text)
{
	if (random_below(2))
		emit(log, &(struct event){.kind = EVENT_STEP_STARTED,
					  .u.step_started = {.step_id = "c1", .text = text}});
	else
		emit(log, &(struct event){.kind = EVENT_STEP_FINISHED,
					  .u.step_finished = {.step_id = "c1",
							      .text = text,
							      .state = "completed",
							      .outcome = "rows",
							      .rows = random_below(3)}});
}

static void emit_random(struct stream_log *log)
{
	const char *text = some_text();

	switch (random_below(10)) {
	case 0:
		emit(log, &(struct event){.kind = EVENT_STATUS, .u.status = {"running", text}});
		break;
	case 1:
		emit_view(log, "v1", "{\"view_id\":\"v1\"}");
		break;
	case 2:
		emit(log, &(struct event){.kind = EVENT_TEXT_DELTA,
					  .u.text_delta = {.text = str_of(text),
							   .marked = true,
							   .mark = {.kind = "unbound"}}});
		break;
	case 3:
		emit_step(log, text);
		break;
	case 4:
		emit(log, &(struct event){.kind = EVENT_STAGE_STARTED,
					  .u.stage_started = {"s1", "planning", text}});
		break;
	case 5:
		emit(log, &(struct event){.kind = EVENT_USAGE,
					  .u.usage = {.role = "answer", .by = STR("{}")}});
		break;
	default:
		emit_text(log, text);
	}
}

static size_t read_all(struct stream_log *log, const struct projection *p, uint64_t after,
		       char **items)
{
	struct wire_reader *r = wire_reader_new(log, p, after, on_nothing, NULL);
	struct str item;
	size_t n = 0;

	while (wire_next(r, false, &item))
		items[n++] = mem_strndup(item.p, item.n);
	wire_reader_free(&r);
	return n;
}

static void check_resumes(struct stream_log *log, const struct projection *p)
{
	char *all[EVENTS_MAX + 1], *part[EVENTS_MAX + 1];
	size_t count = read_all(log, p, 0, all);

	assert_int_equal(count, wire_items(log, p));
	for (size_t after = 0; after <= count; after++) {
		assert_int_equal(read_all(log, p, after, part), count - after);
		for (size_t i = after; i < count; i++) {
			assert_string_equal(part[i - after], all[i]);
			mem_free(part[i - after]);
		}
	}
	for (size_t i = 0; i < count; i++)
		mem_free(all[i]);
}

/* A client of the event stream may continue on a WebSocket: the frame has the WebSocket's number.
 */
static void check_frames(struct stream_log *log)
{
	char *frames[EVENTS_MAX + 1], *events[EVENTS_MAX + 1];
	size_t frame_count = read_all(log, &wire_chat, 0, frames);
	size_t event_count = read_all(log, &wire_sse, 0, events), found = 0;

	for (size_t i = 0; i < event_count; i++) {
		const char *frame = strstr(events[i], "\"frame\":");

		if (frame) {
			assert_memory_equal(frame + strlen("\"frame\":"), frames[found],
					    strlen(frames[found]));
			mem_free(frames[found++]);
		}
		mem_free(events[i]);
	}
	assert_int_equal(found, frame_count);
}

/* Merged text does not depend on the boundaries of its chunks. */
static void check_merged(struct stream_log *log)
{
	struct buf texts[2];
	struct str item;

	for (int merging = 0; merging < 2; merging++) {
		struct wire_reader *r = wire_reader_new(log, &wire_transcript, 0, on_nothing, NULL);

		buf_init(&texts[merging], 1 << 16);
		while (wire_next(r, merging, &item))
			buf_add(&texts[merging], item.p, item.n);
		wire_reader_free(&r);
	}
	assert_string_equal(buf_text(&texts[0]), buf_text(&texts[1]));
	buf_deinit(&texts[0]);
	buf_deinit(&texts[1]);
}

static void check_all(struct stream_log *log)
{
	for (size_t i = 0; i < WIRE_COUNT; i++)
		check_resumes(log, all_wires[i].projection);
	check_frames(log);
	check_merged(log);
}

static void resumes_after_any_item(void **state)
{
	(void)state;
	for (seed = 1; seed <= ROUNDS; seed++) {
		struct stream_log *log = log_new(), *kept = log;
		unsigned kept_seed = seed, events = random_below(EVENTS_MAX);

		for (unsigned i = 0; i < events; i++)
			emit_random(log);
		check_all(log);
		emit_end(log, "ok");
		stream_release(&log);
		check_all(kept);
		seed = kept_seed;
	}
}

/* The last shown items may not be in the log, and other items have their numbers now. */
static void resume_is_refused_beyond_a_takeover(void **state)
{
	struct stream_log *log = log_new();

	(void)state;
	emit(log, &(struct event){.kind = EVENT_STATUS, .u.status = {"running", ""}});
	emit_text(log, "a");
	assert_true(wire_can_resume(log, &wire_chat, 2));
	assert_false(wire_can_resume(log, &wire_chat, 3));
	assert_false(wire_is_behind(log, &wire_chat, 2));
	assert_true(wire_is_behind(log, &wire_chat, 3)); /* the shown items may still arrive */
	emit(log, &(struct event){.kind = EVENT_STATUS, .u.status = {EVENT_PHASE_MOVED, ""}});
	assert_false(wire_is_behind(log, &wire_chat, 9)); /* other items have these numbers */
	emit_text(log, "b");
	assert_true(wire_can_resume(log, &wire_chat, 0));
	assert_true(wire_can_resume(log, &wire_chat, 2));
	assert_false(wire_can_resume(log, &wire_chat, 3));
	assert_false(wire_can_resume(log, &wire_chat, 4));
	emit_end(log, "ok");
	stream_release(&log);
}

/* An event kind without items in a format takes no number. */
static void numbers_count_items_not_events(void **state)
{
	struct stream_log *log = log_new();
	struct wire_reader *r;
	struct str item;

	(void)state;
	emit(log, &(struct event){.kind = EVENT_STATUS, .u.status = {"running", ""}});
	emit_text(log, "a");
	emit(log, &(struct event){.kind = EVENT_STATUS, .u.status = {"writing", ""}});
	emit_text(log, "b");
	emit_end(log, "ok");
	assert_int_equal(wire_items(log, &wire_transcript), 3);
	assert_int_equal(wire_items(log, &wire_chat), 5);
	r = wire_reader_new(log, &wire_transcript, 1, on_nothing, NULL);
	assert_true(wire_next(r, false, &item));
	assert_true(str_eq(item, STR("b")));
	assert_true(wire_next(r, false, &item));
	assert_true(str_eq(item, STR("\nended: ok, by rules, 2 bytes in 3 items\n")));
	assert_false(wire_next(r, false, &item));
	assert_true(wire_is_at_end(r));
	wire_reader_free(&r);
	stream_release(&log);
}

static void adjacent_chunks_merge(void **state)
{
	struct stream_log *log = log_new();
	struct wire_reader *r = wire_reader_new(log, &wire_chat, 0, on_nothing, NULL);
	struct str item;

	(void)state;
	emit_text(log, "a");
	emit_text(log, "b");
	emit(log, &(struct event){.kind = EVENT_TEXT_DELTA,
				  .u.text_delta = {.text = STR("7"), .marked = true}});
	emit_text(log, "c");
	emit_view(log, "v", "{}");
	assert_true(wire_next(r, true, &item));
	assert_non_null(memmem(item.p, item.n, STR("\"seq\":2,\"seq_first\":1,\"token\":\"ab\"").p,
			       strlen("\"seq\":2,\"seq_first\":1,\"token\":\"ab\"")));
	assert_true(wire_next(r, true, &item));
	assert_non_null(memmem(item.p, item.n, "\"seq\":3,\"token\":\"7\"", 19));
	assert_true(wire_next(r, true, &item));
	assert_non_null(memmem(item.p, item.n, "\"seq\":4,\"token\":\"c\"", 19));
	assert_true(wire_next(r, true, &item));
	assert_non_null(memmem(item.p, item.n, "\"seq\":5,\"view\":{}", 17));
	wire_reader_free(&r);
	emit_end(log, "ok");
	stream_release(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(resumes_after_any_item, setup, teardown),
		cmocka_unit_test_setup_teardown(numbers_count_items_not_events, setup, teardown),
		cmocka_unit_test_setup_teardown(resume_is_refused_beyond_a_takeover, setup,
						teardown),
		cmocka_unit_test_setup_teardown(adjacent_chunks_merge, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
