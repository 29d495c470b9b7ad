/* Any bytes as the body of a model's answer, on either wire: nothing but whole UTF-8 comes out, and
 * the end is always told. The first byte says which wire, and where the body is cut in two. */
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

static bool on_messages(void *owner, const char *event, const char *data, size_t len)
{
	struct err e;

	return anthropic_event(owner, event, data, len, &e);
}

static bool on_chat(void *owner, const char *event, const char *data, size_t len)
{
	struct err e;

	return openai_event(owner, event, data, len, &e);
}

static void on_log(void *owner, const char *line)
{
	(void)owner;
	(void)line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;

	struct arena *a = arena_new(1 << 24);
	struct llm_stream s;
	struct sse_parser *sse = sse_new(data[0] & 1 ? on_chat : on_messages, &s);
	struct llm_answer answer;
	struct err e = {0};
	const char *body = (const char *)data + 1;
	size_t len = size - 1, cut = len * (size_t)(data[0] >> 1) / 128;

	log_capture(on_log, NULL);
	stream_init(&s, a, on_text, NULL);
	if (sse_feed(sse, body, cut, &e))
		(void)!sse_feed(sse, body + cut, len - cut, &e);
	if (stream_finish(&s, &answer, &e) && answer.count > LLM_BLOCKS_MAX)
		abort();
	sse_free(&sse);
	stream_deinit(&s);
	arena_free(&a);
	return 0;
}
