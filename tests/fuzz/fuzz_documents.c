/* Any bytes as a page and as a text, cut into passages: all within bounds, in order, and never
 * longer than they may be. */
#include <assert.h>
#include <stdint.h>

#include "vesper/find.h"
#include "vesper/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void cut(struct str text)
{
	struct arena *a = arena_new(1 << 24);
	struct find_chunk *chunks;
	size_t count;

	if (find_split(text, a, &chunks, &count))
		for (size_t i = 0; i < count; i++) {
			assert(chunks[i].from < chunks[i].to && chunks[i].to <= text.n);
			assert(chunks[i].to - chunks[i].from <= DOCUMENT_CHUNK_BYTES_MAX);
			assert(chunks[i].heading_to <= text.n);
			assert(i == 0 || chunks[i].from > chunks[i - 1].from);
		}
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct str bytes = {(const char *)data, size};
	struct buf text;

	buf_init(&text, 8 * size + 64);
	find_html(bytes, &text);
	cut((struct str){buf_text(&text), text.n});
	buf_reset(&text);
	find_normalize_text(bytes, &text);
	cut((struct str){buf_text(&text), text.n});
	buf_deinit(&text);
	return 0;
}
