/* What a client may send: a frame, and the head of a handshake. Neither may crash, leak, or accept
 * what it must not. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "../../src/transport/port/handshake.h"
#include "../../src/transport/ws/client_frame.h"
#include "vesper/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void frame(const char *text, size_t len)
{
	struct client_frame f;
	struct err e;

	if (!wire_parse(text, len, &f, &e)) {
		assert(e.code == ERR_INPUT || e.code == ERR_LIMIT);
		return;
	}
	if (f.type == FRAME_MESSAGE)
		assert(f.content && *f.content && strlen(f.content) <= MESSAGE_BYTES_MAX);
	if (f.type == FRAME_RESUME)
		assert(f.turn_id && f.last_seq >= 0);
	client_frame_deinit(&f);
}

static void head(const char *text, size_t len)
{
	struct handshake h;
	enum code p;
	struct buf out;

	if (!handshake_parse(text, len, &h, &p)) {
		assert(p < CODE_COUNT);
		return;
	}
	assert(h.host && h.path[0] == '/' && strlen(h.key) == 24);
	buf_init(&out, HEADER_BYTES_MAX);
	handshake_rewrite(&h, &out);
	assert(!buf_over(&out));
	buf_deinit(&out);
	handshake_deinit(&h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	frame((const char *)data, size);
	head((const char *)data, size);
	return 0;
}
