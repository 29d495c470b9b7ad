/* Any bytes, cut anywhere: the parser must say the same as when they come in one piece. The first
 * byte seeds the cuts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/mem.h"
#include "vesper/sse.h"

static bool on_event(void *owner, const char *event, const char *data, size_t len)
{
	struct buf *seen = owner;

	if (strlen(data) > len)
		abort(); /* not terminated where it should be */
	buf_printf(seen, "[%s|", event);
	buf_add(seen, data, len);
	buf_char(seen, ']');
	return true;
}

static void run(const char *data, size_t len, unsigned step, struct buf *seen)
{
	struct sse_parser *p = sse_new(on_event, seen);

	for (size_t at = 0; at < len;) {
		size_t n = step ? 1 + (at * 7 + step) % step : len;

		n = n < len - at ? n : len - at;
		char *chunk = mem_alloc(n);
		memcpy(chunk, data + at, n);
		if (!sse_feed(p, chunk, n, NULL))
			abort();
		mem_free(chunk);
		at += n;
	}
	sse_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, cut;

	if (size < 2)
		return 0;
	buf_init(&whole, 1 << 24);
	buf_init(&cut, 1 << 24);
	run((const char *)data + 1, size - 1, 0, &whole);
	run((const char *)data + 1, size - 1, data[0] % 16 + 1u, &cut);
	if (whole.n != cut.n || (whole.n && memcmp(whole.p, cut.p, whole.n) != 0))
		abort();
	buf_deinit(&whole);
	buf_deinit(&cut);
	return 0;
}
