/* Any text, cut at two places or not at all: the same goes out. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "vesper/guard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_text(void *owner, const char *text, size_t len)
{
	buf_add(owner, text, len);
}

static void on_cite(void *owner, size_t n, const char *mark, size_t len)
{
	assert(n >= 1 && n <= 12);
	buf_add(owner, mark, len);
}

static size_t pass(const char *text, size_t len, size_t first, size_t second, struct buf *out)
{
	const struct guard_cite_sink sink = {on_text, on_cite, out};
	struct guard_cite *g = guard_cite_new(12, &sink);
	size_t invalid;

	guard_cite_feed(g, text, first);
	guard_cite_feed(g, text + first, second - first);
	guard_cite_feed(g, text + second, len - second);
	guard_cite_end(g);
	invalid = guard_cite_invalid(g);
	guard_cite_free(&g);
	return invalid;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 2;
	size_t len = size < 2 ? 0 : size - 2;
	size_t first = len ? data[0] % (len + 1) : 0, second = len ? data[1] % (len + 1) : 0;
	struct buf whole, cut;

	if (size < 2)
		return 0;
	if (second < first)
		second = first;
	buf_init(&whole, 2 * len + 64);
	buf_init(&cut, 2 * len + 64);
	assert(pass(text, len, len, len, &whole) == pass(text, len, first, second, &cut));
	assert(whole.n == cut.n && (whole.n == 0 || memcmp(whole.p, cut.p, whole.n) == 0));
	(void)guard_quote_matches((struct str){text, first},
				  (struct str){text + first, len - first});
	buf_deinit(&whole);
	buf_deinit(&cut);
	return 0;
}
