/* Any bytes, cut anywhere: the frames' reader says the same as when they come in one piece, and
 * what it lets through is what a second, plainer reading of the same bytes finds good. The first
 * byte seeds the cuts. */
#include <assert.h>
#include <string.h>

#include "../../src/transport/ws/ws_frame.h"
#include "vesper/mem.h"
#include "vesper/str.h"
#include "vesper/utf8.h"

#define MESSAGE_MAX 300

static size_t run(struct ws_reader *r, const uint8_t *data, size_t len, size_t step, int *code)
{
	size_t good = 0;

	*code = 0;
	for (size_t at = 0; at < len && !*code && !r->closed; at += step) {
		size_t n = step < len - at ? step : len - at;
		uint8_t *piece = mem_alloc(n); /* its end is the end: no byte beyond is read */
		size_t passed = 0;

		memcpy(piece, data + at, n);
		while (passed < n && !*code && !r->closed)
			passed += ws_reader_check(r, piece + passed, n - passed, code);
		assert(passed <= n);
		good += passed;
		mem_free(piece);
	}
	return good;
}

/* The whole frames among good bytes follow the rules. */
static void plainly(const uint8_t *p, size_t len)
{
	struct buf message;
	int kind = 0;

	buf_init(&message, 1 << 20);
	while (len >= 6) {
		int opcode = p[0] & 15;
		size_t head = 2, n = p[1] & 127;

		assert((p[1] & 128) && !(p[0] & 0x70));
		if (n == 126) {
			head = 4;
			n = (size_t)(p[2] << 8 | p[3]);
		} else if (n == 127) {
			head = 10;
			if (len < head)
				break;
			n = (size_t)p[6] << 24 | (size_t)p[7] << 16 | (size_t)p[8] << 8 | p[9];
		}
		if (len < head + 4 + n)
			break;
		if (opcode < 8) {
			kind = opcode ? opcode : kind;
			for (size_t i = 0; i < n; i++)
				buf_char(&message, (char)(p[head + 4 + i] ^ p[head + i % 4]));
			assert(message.n <= MESSAGE_MAX && kind);
			if (p[0] & 128) {
				assert(kind != 1 || utf8_valid(buf_text(&message), message.n));
				buf_reset(&message);
				kind = 0;
			}
		} else {
			assert((p[0] & 128) && n <= 125 && (opcode != 8 || n != 1));
		}
		p += head + 4 + n;
		len -= head + 4 + n;
	}
	buf_deinit(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ws_reader whole, cut;
	int whole_code, cut_code;
	size_t good;

	if (size < 2)
		return 0;
	ws_reader_init(&whole, WS_CLIENT, MESSAGE_MAX);
	ws_reader_init(&cut, WS_CLIENT, MESSAGE_MAX);
	good = run(&whole, data + 1, size - 1, size, &whole_code);
	assert(run(&cut, data + 1, size - 1, data[0] % 16 + 1u, &cut_code) == good);
	assert(whole_code == cut_code && whole.closed == cut.closed);
	plainly(data + 1, good);
	ws_reader_init(&cut, WS_SERVER, 0);
	run(&cut, data + 1, size - 1, data[0] % 16 + 1u, &cut_code);
	assert(cut_code == 0);
	return 0;
}
