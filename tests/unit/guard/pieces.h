/* Tests of streaming filters: the output must not depend on where the text is split between
 * characters.
 */
#ifndef VESPER_GUARD_PIECES_H
#define VESPER_GUARD_PIECES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/guard.h"
#include "vesper/str.h"

/* A filter under test. Text is fed in chunks of a fixed size, extended to whole characters. */
struct filter {
	void *(*begin)(void (*on_text)(void *owner, const char *text, size_t len), void *owner);
	void (*feed)(void *filter, const char *text, size_t len);
	void (*end)(void *filter); /* also frees the filter */
};

static void append_chunk(void *owner, const char *text, size_t len)
{
	buf_add(owner, text, len);
}

static void assert_output(const struct filter *f, const char *text, const char *expected)
{
	static const size_t steps[] = {1, 2, 3, 7, 8, 100000};
	size_t len = strlen(text);

	for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
		struct buf out;
		void *filter;

		buf_init(&out, 1 << 16);
		filter = f->begin(append_chunk, &out);
		for (size_t at = 0, n; at < len; at += n) {
			n = steps[s] < len - at ? steps[s] : len - at;
			while (at + n < len && ((unsigned char)text[at + n] & 0xC0) == 0x80)
				n++;
			f->feed(filter, text + at, n);
		}
		f->end(filter);
		assert_string_equal(buf_text(&out), expected);
		buf_deinit(&out);
	}
}

#endif
