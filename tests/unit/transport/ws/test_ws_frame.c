/* Checks frames of a client, whole and byte by byte: the number of valid bytes, and the close code
 * for the next byte. */
#include "fixture.h"

#include "vesper/mem.h"
#include "ws/ws_frame.h"

#define MESSAGE_MAX 70000

/* Checks the bytes in separately allocated chunks, so that reading past a chunk is detected. */
static size_t checked(struct ws_reader *r, const uint8_t *bytes, size_t len, size_t step, int *code)
{
	size_t valid = 0;

	*code = 0;
	for (size_t at = 0; at < len && !*code && !r->closed; at += step) {
		size_t n = step < len - at ? step : len - at;
		uint8_t *chunk = mem_alloc(n);

		memcpy(chunk, bytes + at, n);
		for (size_t used = 0, one = 1; used < n && one && !*code && !r->closed; used += one)
			valid += one = ws_reader_check(r, chunk + used, n - used, code);
		mem_free(chunk);
	}
	return valid;
}

static void assert_read(const uint8_t *bytes, size_t len, int expected, size_t expected_valid)
{
	static const size_t steps[] = {SIZE_MAX / 2, 1, 2, 3, 7};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct ws_reader r;
		size_t valid;
		int code;

		ws_reader_init(&r, WS_CLIENT, MESSAGE_MAX);
		valid = checked(&r, bytes, len, steps[i], &code);
		if (code != expected || valid != expected_valid)
			fail_msg("%02x %02x in steps of %zu: %d after %zu bytes, not %d after %zu",
				 bytes[0], len > 1 ? bytes[1] : 0, steps[i], code, valid, expected,
				 expected_valid);
	}
}

#define VALID(bytes) assert_read((const uint8_t *)(bytes), sizeof(bytes) - 1, 0, sizeof(bytes) - 1)
/* The violation is the last byte. */
#define INVALID(bytes, code)                                                                       \
	assert_read((const uint8_t *)(bytes), sizeof(bytes) - 1, code, sizeof(bytes) - 2)

static void reads_whole_and_fragmented_messages(void **state)
{
	(void)state;
	VALID("\x81\x80\0\0\0\0");
	VALID("\x81\x82\x01\x02\x03\x04\x60\x60");
	VALID("\x82\x82\0\0\0\0\xff\xfe");
	VALID("\x01\x81\0\0\0\0a\x00\x80\0\0\0\0\x80\x81\0\0\0\0b");
	VALID("\x01\x81\0\0\0\0a\x89\x81\0\0\0\0p\x80\x81\0\0\0\0b");
	VALID("\x81\x81\0\0\0\0a\x82\x81\0\0\0\0\xff\x81\x81\0\0\0\0c");
	VALID("\x01\x81\0\0\0\0\xc3\x80\x81\0\0\0\0\xa9"); /* a character split over two frames */
	VALID("\x8a\x80\0\0\0\0\x89\x80\0\0\0\0");
	VALID("\x89\x82\0\0\0\0\xff\xfe"); /* a ping may have any payload */
}

static void lengths_must_be_minimal(void **state)
{
	static const struct {
		size_t length;
		size_t form;
		int expected;
	} cases[] = {{125, 0, 0},   {125, 2, 1002}, {126, 2, 0},  {65535, 2, 0}, {65535, 8, 1002},
		     {65536, 8, 0}, {0, 2, 1002},   {0, 8, 1002}, {70000, 8, 0}, {70001, 8, 1009}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = cases[i].length, form = cases[i].form;
		size_t len = 6 + form + n;
		uint8_t *bytes = mem_alloc(len);

		bytes[0] = 0x81;
		bytes[1] = (uint8_t)(0x80 | (form == 0 ? n : form == 2 ? 126 : 127));
		for (size_t k = 0; k < form; k++)
			bytes[2 + k] = (uint8_t)(n >> 8 * (form - 1 - k));
		memset(bytes + 6 + form, 'x', n);
		assert_read(bytes, len, cases[i].expected, cases[i].expected ? 1 + form : len);
		mem_free(bytes);
	}
	INVALID("\x81\xff\x80\0\0\0\0\x01\0\0", 1002);
	INVALID("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 1009);
	/* The limit applies to all fragments of one message, and starts anew with the next message.
	 */
	INVALID("\x01\x81\0\0\0\0a\x80\xff\0\0\0\0\0\1\x11\x70", 1009);
	VALID("\x01\xff\0\0\0\0\0\1\x11\x70\0\0\0");
}

static void invalid_frames_fail_immediately(void **state)
{
	(void)state;
	INVALID("\x81\x01", 1002); /* no mask */
	INVALID("\x81\x00", 1002);
	INVALID("\xc1", 1002); /* reserved bits */
	INVALID("\xa1", 1002);
	INVALID("\x91", 1002);
	INVALID("\xc9", 1002);
	INVALID("\x80", 1002); /* a continuation without a message */
	INVALID("\x00", 1002);
	INVALID("\x01\x81\0\0\0\0a\x81", 1002); /* a message inside another one */
	INVALID("\x01\x81\0\0\0\0a\x02", 1002);
	INVALID("\x08", 1002); /* fragmented or long control frames */
	INVALID("\x09", 1002);
	INVALID("\x0a", 1002);
	INVALID("\x89\xfe", 1002);
	INVALID("\x88\xff", 1002);
	for (int opcode = 3; opcode < 16; opcode++) {
		const uint8_t first = (uint8_t)(0x80 | opcode);

		if (opcode < 8 || opcode > 10)
			assert_read(&first, 1, 1002, 0);
	}
}

static void close_code_must_be_sendable(void **state)
{
	(void)state;
	for (int code = 0; code < 65536; code++) {
		bool is_sendable = (code >= 1000 && code <= 1003) ||
				   (code >= 1007 && code <= 1011) || (code >= 3000 && code <= 4999);
		const uint8_t bytes[] = {
			0x88, 0x82, 0, 0, 0, 0, (uint8_t)(code >> 8), (uint8_t)(code & 0xff)};

		assert_read(bytes, sizeof(bytes), is_sendable ? 0 : 1002, is_sendable ? 8 : 7);
	}
	VALID("\x88\x80\0\0\0\0");
	INVALID("\x88\x81", 1002);
	VALID("\x88\x85\0\0\0\0\x03\xe8"
	      "bye");
	INVALID("\x88\x84\0\0\0\0\x03\xe8\xc3\x28", 1007);
	INVALID("\x88\x83\0\0\0\0\x03\xe8\xc3", 1007);
	/* With a nonzero mask. */
	VALID("\x88\x82\x01\x02\x03\x04\x02\xea");
}

static void nothing_is_read_after_a_close_frame(void **state)
{
	static const uint8_t bytes[] = "\x88\x80\0\0\0\0\xff\xff";

	(void)state;
	assert_read(bytes, sizeof(bytes) - 1, 0, 6);
}

static void text_fails_at_its_first_invalid_byte(void **state)
{
	static const char *const valid[] = {"\x7f",         "\xc2\x80",         "\xdf\xbf",
					    "\xe0\xa0\x80", "\xed\x9f\xbf",     "\xee\x80\x80",
					    "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
	static const struct {
		const char *text;
		size_t valid;
	} bad[] = {{"\x80", 0},
		   {"\xbf", 0},
		   {"\xc0\xaf", 0},
		   {"\xc1\xbf", 0},
		   {"\xe0\x9f\xbf", 1},
		   {"\xed\xa0\x80", 1},
		   {"\xf0\x8f\xbf\xbf", 1},
		   {"\xf4\x90\x80\x80", 1},
		   {"\xf5\x80\x80\x80", 0},
		   {"\xfe", 0},
		   {"\xff", 0},
		   {"\xc3", 0},
		   {"\xe2\x82", 1},
		   {"\xf0\x9f\x98", 2},
		   {"\xc3\x28", 1},
		   {"\xe2\x28\xa1", 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++) {
		uint8_t bytes[16] = {0x81, (uint8_t)(0x80 | strlen(valid[i]))};

		memcpy(bytes + 6, valid[i], strlen(valid[i]));
		assert_read(bytes, 6 + strlen(valid[i]), 0, 6 + strlen(valid[i]));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint8_t bytes[16] = {0x81, (uint8_t)(0x80 | strlen(bad[i].text))};

		memcpy(bytes + 6, bad[i].text, strlen(bad[i].text));
		assert_read(bytes, 6 + strlen(bad[i].text), 1007, 6 + bad[i].valid);
	}
	/* An invalid byte at each position of a longer text. */
	for (size_t at = 0; at < 40; at++) {
		uint8_t bytes[6 + 40] = {0x81, 0x80 | 40, 0x37, 0xfa, 0x21, 0x3d};

		for (size_t i = 0; i < 40; i++)
			bytes[6 + i] = (uint8_t)((i == at ? 0xff : 'a') ^ bytes[2 + i % 4]);
		assert_read(bytes, sizeof(bytes), 1007, 6 + at);
	}
	INVALID("\x81\xfd\0\0\0\0\xff", 1007); /* fails before the rest of the frame arrives */
	/* A message must not end within a character. */
	INVALID("\x01\x81\0\0\0\0\xe2\x80\x80\0\0\0\0", 1007);
}

/* For a server's frames, only the boundaries are tracked. */
static void tracks_frame_boundaries_of_the_server(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		bool between, closed;
	} cases[] = {{"", 0, true, false},
		     {"\x81", 1, false, false},
		     {"\x81\x01", 2, false, false},
		     {"\x81\x01\xff", 3, true, false},
		     {"\x81\x00", 2, true, false},
		     {"\x82\x7e\x00\x02z", 5, false, false},
		     {"\x82\x7e\x00\x02zz\x89\x00", 8, true, false},
		     {"\x82\x7f\0\0\0\0\0\0\0\1z", 11, true, false},
		     {"\x81\x01z\x88\x02\x03", 6, false, false},
		     {"\x81\x01z\x88\x02\x03\xe8", 7, true, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t step = 1; step < 20; step++) {
			struct ws_reader r;
			int code;

			ws_reader_init(&r, WS_SERVER, 0);
			assert_int_equal(checked(&r, (const uint8_t *)cases[i].bytes, cases[i].len,
						 step, &code),
					 cases[i].len);
			assert_int_equal(code, 0);
			assert_int_equal(ws_reader_is_between_frames(&r), cases[i].between);
			assert_int_equal(r.closed, cases[i].closed);
		}
}

static void close_frame_is_short(void **state)
{
	unsigned char frame[WS_CLOSE_FRAME_BYTES];

	(void)state;
	assert_int_equal(ws_close_frame(frame, 1002, ""), 4);
	assert_memory_equal(frame, "\x88\x02\x03\xea", 4);
	assert_int_equal(ws_close_frame(frame, 1007, "bye"), 7);
	assert_memory_equal(frame,
			    "\x88\x05\x03\xef"
			    "bye",
			    7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_whole_and_fragmented_messages),
		cmocka_unit_test(lengths_must_be_minimal),
		cmocka_unit_test(invalid_frames_fail_immediately),
		cmocka_unit_test(close_code_must_be_sendable),
		cmocka_unit_test(nothing_is_read_after_a_close_frame),
		cmocka_unit_test(text_fails_at_its_first_invalid_byte),
		cmocka_unit_test(tracks_frame_boundaries_of_the_server),
		cmocka_unit_test(close_frame_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
