/* Any answer, cut anywhere: the number check must say the same as when it comes in one piece. The
 * first byte seeds the cuts, and chooses the policy. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/guard.h"
#include "vesper/str.h"

static void on_piece(void *owner, const struct guard_piece *p)
{
	struct buf *seen = owner;

	if (p->marked)
		buf_printf(seen, "<%s:", guard_kind_name(p->kind));
	buf_add(seen, p->text, p->len);
	if (p->marked)
		buf_char(seen, '>');
}

static void run(const char *data, size_t len, unsigned step, bool withhold, struct buf *seen)
{
	const struct guard_input in = {
		.question =
			"Compare Ascend and Hitachi for NP15 in 2025, HE 16-21, above $48.73/MWh",
		.today = {2026, 2, 27},
		.policy = withhold ? GUARD_WITHHOLD : GUARD_FLAG,
		.sink = {on_piece, seen},
	};
	struct guard_numbers *g = guard_numbers_new(&in);

	for (size_t at = 0; at < len;) {
		size_t n = step ? 1 + (at * 7 + step) % step : len;

		n = n < len - at ? n : len - at;
		guard_numbers_feed(g, data + at, n);
		at += n;
	}
	guard_numbers_end(g);
	guard_numbers_free(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, cut;

	if (size < 2)
		return 0;
	buf_init(&whole, 1 << 24);
	buf_init(&cut, 1 << 24);
	run((const char *)data + 1, size - 1, 0, data[0] & 0x80, &whole);
	run((const char *)data + 1, size - 1, data[0] % 16 + 1u, data[0] & 0x80, &cut);
	if (whole.n != cut.n || (whole.n && memcmp(whole.p, cut.p, whole.n) != 0))
		abort();
	buf_deinit(&whole);
	buf_deinit(&cut);
	return 0;
}
