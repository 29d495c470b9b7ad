/*
 * Any bytes as a packed result, and a packed result with any bytes changed: what is taken for a
 * result can be used for an answer, and packed again it is the same. The first byte chooses.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "full_result.h"
#include "tool_int.h"
#include "use_result.h"
#include "vesper/mem.h"

#define ARENA_BYTES (64 << 20)

static struct buf sample;

static void pack_sample(void)
{
	struct arena *a = arena_new(ARENA_BYTES);

	buf_init(&sample, SIZE_MAX / 2);
	tool_result_pack(&sample, full_result(a));
	arena_free(&a);
}

static void check(const char *bytes, size_t len)
{
	struct arena *a = arena_new(ARENA_BYTES);
	struct result *first = result_new(a), *second = result_new(a);
	struct buf again, once_more;

	buf_init(&again, SIZE_MAX / 2);
	buf_init(&once_more, SIZE_MAX / 2);
	if (tool_result_unpack((struct str){bytes, len}, a, first)) {
		tool_result_pack(&again, first);
		if (!tool_result_unpack((struct str){again.p, again.n}, a, second))
			abort();
		tool_result_pack(&once_more, second);
		if (again.n != once_more.n || memcmp(again.p, once_more.p, again.n) != 0)
			abort();
		use_result(first);
	}
	buf_deinit(&again);
	buf_deinit(&once_more);
	arena_free(&a);
}

/* Three bytes an edit: where, and what stands there. */
static void check_edited(const uint8_t *edits, size_t size)
{
	char *bytes = mem_alloc(sample.n);

	memcpy(bytes, sample.p, sample.n);
	for (; size >= 3; edits += 3, size -= 3)
		bytes[(edits[0] | (size_t)edits[1] << 8) % sample.n] = (char)edits[2];
	check(bytes, sample.n);
	mem_free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!sample.n)
		pack_sample();
	if (size < 2)
		return 0;
	if (data[0] & 1)
		check((const char *)data + 1, size - 1);
	else
		check_edited(data + 1, size - 1);
	return 0;
}
