/* Frames of a client, in one piece and byte by byte: what is read of them, and what fails. */
#include "fixture.h"

#include "vesper/mem.h"
#include "ws_frame.h"

#define MESSAGE_MAX 70000

/* All that was read, as text: "T:abc" and "B:abc" for messages, "ping:abc", "close 1000:bye", "fail
 * 1002", one after the other. */
static char *heard(const uint8_t *bytes, size_t len, size_t step, bool *idle)
{
	struct ws_event e = {.kind = WS_EVENT_NONE};
	struct ws_reader r;
	struct buf out, message;

	ws_reader_init(&r, MESSAGE_MAX);
	buf_init(&out, 1 << 20);
	buf_init(&message, 1 << 20);
	for (size_t at = 0; at < len && e.kind != WS_EVENT_FAIL; at += step) {
		size_t n = step < len - at ? step : len - at, used = 0;
		uint8_t *piece = mem_alloc(n);

		memcpy(piece, bytes + at, n);
		do {
			used += ws_reader_next(&r, piece + used, n - used, &e);
			if (e.kind == WS_EVENT_DATA)
				buf_add(&message, e.bytes, e.len);
			if (e.kind == WS_EVENT_DATA && e.last) {
				buf_printf(&out, "%s:%zu:", e.opcode == WS_TEXT ? "T" : "B",
					   message.n);
				buf_add(&out, message.p, message.n < 20 ? message.n : 0);
				buf_char(&out, ' ');
				buf_reset(&message);
			} else if (e.kind == WS_EVENT_CONTROL) {
				buf_printf(&out, "%s %d:%zu ",
					   e.opcode == WS_PING   ? "ping"
					   : e.opcode == WS_PONG ? "pong"
								 : "close",
					   e.code, e.len);
			} else if (e.kind == WS_EVENT_FAIL) {
				buf_printf(&out, "fail %d ", e.code);
			}
		} while (e.kind != WS_EVENT_NONE && e.kind != WS_EVENT_FAIL);
		mem_free(piece);
	}
	*idle = ws_reader_idle(&r);
	buf_deinit(&message);
	return buf_take(&out);
}

static void assert_heard(const uint8_t *bytes, size_t len, const char *wanted)
{
	static const size_t steps[] = {SIZE_MAX / 2, 1, 2, 3, 7};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		bool idle;
		char *got = heard(bytes, len, steps[i], &idle);

		if (strcmp(got, wanted) != 0)
			fail_msg("in steps of %zu: '%s' instead of '%s'", steps[i], got, wanted);
		mem_free(got);
	}
}

#define HEARD(bytes, wanted) assert_heard((const uint8_t *)(bytes), sizeof(bytes) - 1, wanted)

static void messages_come_whole_and_in_pieces(void **state)
{
	(void)state;
	HEARD("\x81\x80\0\0\0\0", "T:0: ");
	HEARD("\x81\x82\x01\x02\x03\x04\x60\x60", "T:2:ab ");
	HEARD("\x82\x82\0\0\0\0\xff\xfe", "B:2:\xff\xfe ");
	HEARD("\x01\x81\0\0\0\0a\x00\x80\0\0\0\0\x80\x81\0\0\0\0b", "T:2:ab ");
	HEARD("\x01\x81\0\0\0\0a\x89\x81\0\0\0\0p\x80\x81\0\0\0\0b", "ping 0:1 T:2:ab ");
	HEARD("\x81\x81\0\0\0\0a\x82\x81\0\0\0\0b", "T:1:a B:1:b ");
	/* A character over two frames. */
	HEARD("\x01\x81\0\0\0\0\xc3\x80\x81\0\0\0\0\xa9", "T:2:\xc3\xa9 ");
	HEARD("\x8a\x80\0\0\0\0\x89\x80\0\0\0\0", "pong 0:0 ping 0:0 ");
}

static void lengths_have_one_form(void **state)
{
	static const struct {
		size_t length;
		size_t form;
		const char *wanted;
	} cases[] = {{125, 0, "T:125: "},     {125, 2, "fail 1002 "},   {126, 2, "T:126: "},
		     {65535, 2, "T:65535: "}, {65535, 8, "fail 1002 "}, {65536, 8, "T:65536: "},
		     {0, 2, "fail 1002 "},    {0, 8, "fail 1002 "},     {70000, 8, "T:70000: "},
		     {70001, 8, "fail 1009 "}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = cases[i].length, form = cases[i].form;
		uint8_t *bytes = mem_alloc(14 + n);

		bytes[0] = 0x81;
		bytes[1] = (uint8_t)(0x80 | (form == 0 ? n : form == 2 ? 126 : 127));
		for (size_t k = 0; k < form; k++)
			bytes[2 + k] = (uint8_t)(n >> 8 * (form - 1 - k));
		memset(bytes + 6 + form, 'x', n);
		assert_heard(bytes, 6 + form + n, cases[i].wanted);
		mem_free(bytes);
	}
	HEARD("\x81\xff\x80\0\0\0\0\x01\0\0\0\0\0\0", "fail 1002 ");
	HEARD("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", "fail 1009 ");
	/* The parts of one message count together. */
	HEARD("\x01\xff\0\0\0\0\0\1\x11\x70\0\0\0", "");
}

static void what_a_client_may_not_send_fails_at_once(void **state)
{
	(void)state;
	HEARD("\x81\x01", "fail 1002 "); /* no mask */
	HEARD("\x81\x00", "fail 1002 ");
	HEARD("\xc1", "fail 1002 "); /* reserved bits */
	HEARD("\xa1", "fail 1002 ");
	HEARD("\x91", "fail 1002 ");
	HEARD("\xc9", "fail 1002 ");
	HEARD("\x80", "fail 1002 "); /* a continuation of nothing */
	HEARD("\x00", "fail 1002 ");
	HEARD("\x01\x81\0\0\0\0a\x81", "fail 1002 "); /* a message inside another one */
	HEARD("\x01\x81\0\0\0\0a\x02", "fail 1002 ");
	HEARD("\x08", "fail 1002 "); /* control frames in parts, or long */
	HEARD("\x09", "fail 1002 ");
	HEARD("\x0a", "fail 1002 ");
	HEARD("\x89\xfe", "fail 1002 ");
	HEARD("\x88\xff", "fail 1002 ");
	for (int opcode = 3; opcode < 16; opcode++) {
		const uint8_t first = (uint8_t)(0x80 | opcode);

		if (opcode < 8 || opcode > 10)
			assert_heard(&first, 1, "fail 1002 ");
	}
}

static void closing_codes_are_those_that_a_peer_may_send(void **state)
{
	(void)state;
	for (int code = 0; code < 65536; code++) {
		bool fine = (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
			    (code >= 3000 && code <= 4999);
		const uint8_t bytes[] = {
			0x88, 0x82, 0, 0, 0, 0, (uint8_t)(code >> 8), (uint8_t)(code & 0xff)};
		bool idle;
		char *got = heard(bytes, sizeof(bytes), sizeof(bytes), &idle);

		assert_int_equal(strncmp(got, "close", 5) == 0, fine);
		mem_free(got);
	}
	HEARD("\x88\x80\0\0\0\0", "close 0:0 ");
	HEARD("\x88\x81\0\0\0\0\x03", "fail 1002 ");
	HEARD("\x88\x85\0\0\0\0\x03\xe8"
	      "bye",
	      "close 1000:5 ");
	HEARD("\x88\x84\0\0\0\0\x03\xe8\xc3\x28", "fail 1007 ");
	HEARD("\x88\x83\0\0\0\0\x03\xe8\xc3", "fail 1007 ");
}

static void text_is_utf8_and_fails_at_its_first_bad_byte(void **state)
{
	static const char *const good[] = {"\x7f",         "\xc2\x80",         "\xdf\xbf",
					   "\xe0\xa0\x80", "\xed\x9f\xbf",     "\xee\x80\x80",
					   "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
	static const char *const bad[] = {"\x80",
					  "\xbf",
					  "\xc0\xaf",
					  "\xc1\xbf",
					  "\xe0\x9f\xbf",
					  "\xed\xa0\x80",
					  "\xf0\x8f\xbf\xbf",
					  "\xf4\x90\x80\x80",
					  "\xf5\x80\x80\x80",
					  "\xfe",
					  "\xff",
					  "\xc3",
					  "\xe2\x82",
					  "\xf0\x9f\x98",
					  "\xc3\x28",
					  "\xe2\x28\xa1"};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]) + sizeof(bad) / sizeof(bad[0]); i++) {
		bool is_good = i < sizeof(good) / sizeof(good[0]);
		const char *text = is_good ? good[i] : bad[i - sizeof(good) / sizeof(good[0])];
		uint8_t bytes[16] = {0x81, (uint8_t)(0x80 | strlen(text))};
		char wanted[32];

		memcpy(bytes + 6, text, strlen(text));
		snprintf(wanted, sizeof(wanted), is_good ? "T:%zu:%s " : "fail 1007 ", strlen(text),
			 text);
		assert_heard(bytes, 6 + strlen(text), wanted);
	}
	/* The rest of the frame is not waited for. */
	HEARD("\x81\xfd\0\0\0\0\xff", "fail 1007 ");
	/* A frame that ends in the middle of a character is fine only where another one follows. */
	HEARD("\x01\x81\0\0\0\0\xe2\x80\x80\0\0\0\0", "fail 1007 ");
}

static void knows_whether_something_has_begun(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		bool idle;
	} cases[] = {{"\x81", 1, false},
		     {"\x81\x81\0\0\0\0", 6, false},
		     {"\x81\x81\0\0\0\0a", 7, true},
		     {"\x01\x81\0\0\0\0a", 7, false},
		     {"\x89\x80\0\0\0\0", 6, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool idle;
		char *got = heard((const uint8_t *)cases[i].bytes, cases[i].len, 100, &idle);

		assert_int_equal(idle, cases[i].idle);
		mem_free(got);
	}
}

static void our_heads_are_the_shortest(void **state)
{
	unsigned char head[WS_OUR_HEAD_BYTES_MAX];

	(void)state;
	assert_int_equal(ws_frame_head(head, WS_TEXT, 125), 2);
	assert_memory_equal(head, "\x81\x7d", 2);
	assert_int_equal(ws_frame_head(head, WS_CLOSE, 2), 2);
	assert_memory_equal(head, "\x88\x02", 2);
	assert_int_equal(ws_frame_head(head, WS_BINARY, 126), 4);
	assert_memory_equal(head, "\x82\x7e\x00\x7e", 4);
	assert_int_equal(ws_frame_head(head, WS_TEXT, 65535), 4);
	assert_int_equal(ws_frame_head(head, WS_TEXT, 65536), 10);
	assert_memory_equal(head, "\x81\x7f\0\0\0\0\0\1\0\0", 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_come_whole_and_in_pieces),
		cmocka_unit_test(lengths_have_one_form),
		cmocka_unit_test(what_a_client_may_not_send_fails_at_once),
		cmocka_unit_test(closing_codes_are_those_that_a_peer_may_send),
		cmocka_unit_test(text_is_utf8_and_fails_at_its_first_bad_byte),
		cmocka_unit_test(knows_whether_something_has_begun),
		cmocka_unit_test(our_heads_are_the_shortest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
