/* The parser against the rules of WHATWG HTML 9.2, and every corpus again cut at each byte and at
 * random places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/sse.h"

/* Events as "[name|data]" in a row. */
static bool on_event(void *owner, const char *event, const char *data, size_t len)
{
	struct buf *seen = owner;

	buf_printf(seen, "[%s|", event);
	buf_add(seen, data, len);
	buf_char(seen, ']');
	return true;
}

struct sample {
	const char *in;
	size_t len;
	const char *out;
};

#define SAMPLE(in, out)                                                                            \
	{                                                                                          \
		in, sizeof(in) - 1, out                                                            \
	}

static const struct sample samples[] = {
	SAMPLE("data: a\n\n", "[|a]"),
	SAMPLE("event: x\ndata: a\n\n", "[x|a]"),
	SAMPLE("data: a\r\n\r\ndata: b\r\n\r\n", "[|a][|b]"),
	SAMPLE("data: a\r\rdata: b\r\r", "[|a][|b]"),
	SAMPLE("data: a\n\r\ndata: b\r\n\n", "[|a][|b]"),
	SAMPLE("\xEF\xBB\xBF"
	       "data: a\n\n",
	       "[|a]"),
	SAMPLE("data: a\n\xEF\xBB\xBF"
	       "data: b\n\n",
	       "[|a]"), /* a byte order mark inside makes an unknown field */
	SAMPLE(": hello\n\n:\ndata: a\n:x\ndata: b\n\n", "[|a\nb]"),
	SAMPLE("data:a\n\ndata:  a\n\n",
	       "[|a][| a]"), /* one space is removed, the next one is kept */
	SAMPLE("data\n\n", "[|]"),
	SAMPLE("data:\n\n", "[|]"),
	SAMPLE("data\ndata\n\n", "[|\n]"),
	SAMPLE("data: a\ndata:\ndata: c\n\n", "[|a\n\nc]"),
	SAMPLE("event: lost\n\ndata: a\n\n", "[|a]"), /* a name without data is dropped */
	SAMPLE("event: one\nevent: two\ndata: a\n\n", "[two|a]"),
	SAMPLE("id: 4\nretry: 100\nfoo: bar\nDATA: x\ndata : y\ndata: a\n\n", "[|a]"),
	SAMPLE("data: cut off by the end\n", ""),
	SAMPLE("data: no end of line", ""),
	SAMPLE("\n\n\r\n\r\r", ""),
	SAMPLE("data: {\"a\":\"b:c\"}\n\n", "[|{\"a\":\"b:c\"}]"),
	SAMPLE("data: \xE2\x82\xAC\xF0\x9F\x8C\x9E\n\n", "[|\xE2\x82\xAC\xF0\x9F\x8C\x9E]"),
	SAMPLE("event: x\r\n: c\r\ndata: 1\r\ndata: 2\r\n\r\nevent: y\r\ndata: 3\r\n\r\n",
	       "[x|1\n2][y|3]"),
};

/* Feeds `in`, split where `cut(at)` returns true, and compares the events. */
static void check_cut(const struct sample *s, const bool *cut)
{
	struct buf seen;
	struct sse_parser *p;
	size_t from = 0;

	buf_init(&seen, 65536);
	p = sse_new(on_event, &seen);
	for (size_t i = 1; i <= s->len; i++) {
		if (i < s->len && !cut[i])
			continue;
		/* A separate allocation, so that reading past the chunk is detected. */
		char *chunk = mem_alloc(i - from);

		memcpy(chunk, s->in + from, i - from);
		assert_true(sse_feed(p, chunk, i - from, NULL));
		mem_free(chunk);
		from = i;
	}
	assert_string_equal(buf_text(&seen), s->out);
	sse_free(&p);
	assert_null(p);
	buf_deinit(&seen);
}

static void test_samples_whole_and_split(void **state)
{
	(void)state;
	srand(7);
	for (size_t n = 0; n < sizeof(samples) / sizeof(samples[0]); n++) {
		const struct sample *s = &samples[n];
		bool cut[256] = {false};

		assert_true(s->len < sizeof(cut));
		check_cut(s, cut);
		for (size_t i = 1; i < s->len; i++) {
			cut[i] = true;
			check_cut(s, cut);
			cut[i] = false;
		}
		for (size_t i = 0; i < sizeof(cut); i++)
			cut[i] = true;
		check_cut(s, cut);
		for (int round = 0; round < 50; round++) {
			for (size_t i = 0; i < sizeof(cut); i++)
				cut[i] = rand() % 5 == 0;
			check_cut(s, cut);
		}
	}
}

static void test_nul_bytes_are_data(void **state)
{
	struct buf seen;
	struct sse_parser *p;

	(void)state;
	buf_init(&seen, 100);
	p = sse_new(on_event, &seen);
	assert_true(sse_feed(p, "data: a\0b\n\n", 11, NULL));
	assert_int_equal(seen.n, 6);
	assert_memory_equal(seen.p, "[|a\0b]", 6);
	sse_free(&p);
	buf_deinit(&seen);
}

static bool on_event_stop(void *owner, const char *event, const char *data, size_t len)
{
	int *seen = owner;

	(void)event;
	(void)data;
	(void)len;
	return ++*seen < 2;
}

static void test_callback_can_stop(void **state)
{
	int seen = 0;
	struct err e = {0};
	struct sse_parser *p = sse_new(on_event_stop, &seen);
	const char *text = "data: 1\n\ndata: 2\n\ndata: 3\n\n";

	(void)state;
	assert_false(sse_feed(p, text, strlen(text), &e));
	assert_int_equal(e.code, ERR_CANCELLED);
	assert_int_equal(seen, 2);
	assert_false(sse_feed(p, text, strlen(text), &e)); /* and stays stopped */
	assert_int_equal(seen, 2);
	sse_free(&p);
}

static bool on_event_size(void *owner, const char *event, const char *data, size_t len)
{
	(void)event;
	(void)data;
	*(size_t *)owner = len;
	return true;
}

/* One event of `len` data bytes, in chunks. */
static bool feed_long(size_t len, size_t lines, size_t *got, struct err *e)
{
	static char block[65536];
	struct sse_parser *p = sse_new(on_event_size, got);
	bool ok = true;

	memset(block, 'x', sizeof(block));
	for (size_t line = 0; ok && line < lines; line++) {
		ok = sse_feed(p, "data: ", 6, e);
		for (size_t left = len / lines; ok && left;) {
			size_t n = left < sizeof(block) ? left : sizeof(block);

			ok = sse_feed(p, block, n, e);
			left -= n;
		}
		ok = ok && sse_feed(p, "\n", 1, e);
	}
	ok = ok && sse_feed(p, "\n", 1, e);
	sse_free(&p);
	return ok;
}

static void test_limit(void **state)
{
	size_t got = 0;
	struct err e = {0};

	(void)state;
	assert_true(feed_long(SSE_EVENT_BYTES_MAX - 6, 1, &got, &e));
	assert_int_equal(got, SSE_EVENT_BYTES_MAX - 6);
	assert_false(feed_long(SSE_EVENT_BYTES_MAX + 1, 1, &got, &e));
	assert_int_equal(e.code, ERR_LIMIT);
	e = (struct err){0};
	assert_false(
		feed_long(SSE_EVENT_BYTES_MAX + 64, 32, &got, &e)); /* short lines, long event */
	assert_int_equal(e.code, ERR_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_whole_and_split),
		cmocka_unit_test(test_nul_bytes_are_data),
		cmocka_unit_test(test_callback_can_stop),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
