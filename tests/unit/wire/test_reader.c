/* Every replay of a log gives the same items with the same numbers, wherever it begins. */
#include "turn_log.h"

#include "projection.h"
#include "vesper/mem.h"
#include "vesper/wire.h"

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

static void emit_random(struct stream_log *log)
{
	static const char *const texts[] = {"48.73", " and ", "\xe2\x82\xac", "\"", ""};
	const char *text = texts[random_below(5)];

	switch (random_below(6)) {
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

static void resumes_anywhere(void **state)
{
	(void)state;
	for (seed = 1; seed <= ROUNDS; seed++) {
		struct stream_log *log = log_new(), *kept = log;
		unsigned kept_seed = seed, events = random_below(EVENTS_MAX);

		for (unsigned i = 0; i < events; i++)
			emit_random(log);
		check_resumes(log, &wire_chat);
		emit_end(log, "ok");
		stream_release(&log);
		check_resumes(kept, &wire_chat);
		check_resumes(kept, &wire_sse);
		seed = kept_seed;
	}
}

/* A kind that a wire passes over takes no number. */
static void only_text(const struct wire_at *at, const struct event *e, struct buf *out)
{
	buf_printf(out, "%d %.*s", (int)at->seq, STR_FMT(e->u.text_delta.text));
}

static const struct projection transcript = {
	.name = "transcript", .items = {[EVENT_TEXT_DELTA] = 1}, .event = only_text};

static void numbers_count_items_and_not_events(void **state)
{
	struct stream_log *log = log_new();
	struct wire_reader *r;
	struct str item;

	(void)state;
	emit(log, &(struct event){.kind = EVENT_STATUS, .u.status = {"running", ""}});
	emit_text(log, "a");
	emit_view(log, "v", "{}");
	emit_text(log, "b");
	emit_end(log, "ok");
	assert_int_equal(wire_items(log, &transcript), 2);
	assert_int_equal(wire_items(log, &wire_chat), 5);
	r = wire_reader_new(log, &transcript, 1, on_nothing, NULL);
	assert_true(wire_next(r, false, &item));
	assert_true(str_eq(item, STR("2 b")));
	assert_false(wire_next(r, false, &item));
	assert_true(wire_ended(r));
	wire_reader_free(&r);
	stream_release(&log);
}

static void adjacent_pieces_merge(void **state)
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
		cmocka_unit_test_setup_teardown(resumes_anywhere, setup, teardown),
		cmocka_unit_test_setup_teardown(numbers_count_items_and_not_events, setup,
						teardown),
		cmocka_unit_test_setup_teardown(adjacent_pieces_merge, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
