/* Any bytes as the body of a model's answer: nothing but whole UTF-8 comes out, and the end is
 * always told. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/llm/llm_int.h"
#include "vesper/log.h"
#include "vesper/sse.h"
#include "vesper/utf8.h"

static void on_text(void *owner, const char *text, size_t len)
{
	(void)owner;
	if (len == 0 || !utf8_valid(text, len))
		abort();
}

static bool on_event(void *owner, const char *event, const char *data, size_t len)
{
	struct err e;

	return anthropic_event(owner, event, data, len, &e);
}

static void on_log(void *owner, const char *line)
{
	(void)owner;
	(void)line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(1 << 24);
	struct llm_stream s;
	struct sse_parser *sse = sse_new(on_event, &s);
	struct llm_answer answer;
	struct err e = {0};
	size_t half = size / 2;

	log_capture(on_log, NULL);
	stream_init(&s, a, on_text, NULL);
	if (sse_feed(sse, (const char *)data, half, &e))
		(void)!sse_feed(sse, (const char *)data + half, size - half, &e);
	if (stream_finish(&s, &answer, &e) && answer.count > LLM_BLOCKS_MAX)
		abort();
	sse_free(&sse);
	stream_deinit(&s);
	arena_free(&a);
	return 0;
}
