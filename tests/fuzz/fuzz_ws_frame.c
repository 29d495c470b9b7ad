/* Any bytes, cut anywhere: the frames' reader must say the same as when they come in one piece, and
 * what it gives is what a client may send. The first byte seeds the cuts. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/transport/ws_frame.h"
#include "vesper/mem.h"
#include "vesper/str.h"
#include "vesper/utf8.h"

#define MESSAGE_MAX 300

static void note(struct buf *seen, struct buf *message, const struct ws_event *e)
{
	if (e->kind == WS_EVENT_DATA) {
		buf_add(message, e->bytes, e->len);
		assert(message->n <= MESSAGE_MAX);
		if (!e->last)
			return;
		assert(e->opcode != WS_TEXT || utf8_valid(buf_text(message), message->n));
		buf_printf(seen, "[%d|", e->opcode);
		buf_add(seen, buf_text(message), message->n);
		buf_reset(message);
	} else if (e->kind == WS_EVENT_CONTROL) {
		assert(e->len <= WS_CONTROL_BYTES_MAX && (e->opcode != WS_CLOSE || e->len != 1));
		buf_printf(seen, "[%d:%d|", e->opcode, e->code);
		buf_add(seen, e->bytes, e->len);
	} else if (e->kind == WS_EVENT_FAIL) {
		assert(e->code == WS_CLOSE_PROTOCOL || e->code == WS_CLOSE_BAD_TEXT ||
		       e->code == WS_CLOSE_TOO_LONG);
		buf_printf(seen, "[fail %d", e->code);
	}
}

static void run(const uint8_t *data, size_t len, size_t step, struct buf *seen)
{
	struct ws_event e = {.kind = WS_EVENT_NONE};
	struct ws_reader r;
	struct buf message;

	ws_reader_init(&r, MESSAGE_MAX);
	buf_init(&message, 1 << 20);
	for (size_t at = 0; at < len && e.kind != WS_EVENT_FAIL;) {
		size_t n = step && step < len - at ? step : len - at;
		uint8_t *chunk = mem_alloc(n); /* its end is the end: no byte beyond is read */
		size_t used = 0;

		memcpy(chunk, data + at, n);
		do {
			used += ws_reader_next(&r, chunk + used, n - used, &e);
			note(seen, &message, &e);
		} while (e.kind != WS_EVENT_NONE && e.kind != WS_EVENT_FAIL);
		assert(used <= n);
		mem_free(chunk);
		at += n;
	}
	buf_deinit(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, cut;

	if (size < 2)
		return 0;
	buf_init(&whole, 1 << 24);
	buf_init(&cut, 1 << 24);
	run(data + 1, size - 1, 0, &whole);
	run(data + 1, size - 1, data[0] % 16 + 1u, &cut);
	if (whole.n != cut.n || (whole.n && memcmp(whole.p, cut.p, whole.n) != 0))
		abort();
	buf_deinit(&whole);
	buf_deinit(&cut);
	return 0;
}
