/*
 * An answer while it is being read, independent of the API: blocks grow chunk by chunk within their
 * limits, and are copied to the turn's arena at the end.
 */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "llm_int.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/mem.h"

void stream_init(struct llm_stream *s, struct arena *a,
		 void (*on_text)(void *owner, const char *text, size_t len), void *owner)
{
	*s = (struct llm_stream){.arena = a, .on_text = on_text, .owner = owner};
	buf_init(&s->scratch, SSE_EVENT_BYTES_MAX);
}

static void block_free(struct stream_block *b)
{
	json_decref(b->start);
	buf_deinit(&b->text);
	buf_deinit(&b->signature);
	mem_free(b);
}

void stream_deinit(struct llm_stream *s)
{
	for (size_t i = 0; i < s->count; i++)
		block_free(s->blocks[i]);
	s->count = 0;
	buf_deinit(&s->scratch);
}

/* ---- blocks ---- */

struct stream_block *stream_block_find(const struct llm_stream *s, int64_t index)
{
	for (size_t i = s->count; i-- > 0;)
		if (s->blocks[i]->index == index)
			return s->blocks[i];
	return NULL;
}

struct stream_block *stream_block_new(struct llm_stream *s, int64_t index, enum llm_block_kind kind,
				      json_t *start, struct err *e)
{
	struct stream_block *b;

	if (s->count == LLM_BLOCKS_MAX) {
		err_set(e, ERR_LIMIT, "the answer has more than %d blocks", LLM_BLOCKS_MAX);
		return NULL;
	}
	b = mem_alloc(sizeof(*b));
	b->index = index;
	b->kind = kind;
	b->start = json_incref(start);
	buf_init(&b->text, kind == LLM_TOOL_USE ? LLM_TOOL_INPUT_BYTES_MAX : LLM_TEXT_BYTES_MAX);
	buf_init(&b->signature, LLM_TEXT_BYTES_MAX);
	s->blocks[s->count++] = b;
	return b;
}

bool stream_block_add(struct buf *to, struct str part, struct err *e)
{
	buf_add(to, part.p, part.n);
	return !buf_over(to) ||
	       err_set(e, ERR_LIMIT, "a block of the answer is longer than %zu bytes",
		       to->cap_bytes);
}

bool stream_text_add(struct llm_stream *s, struct stream_block *b, struct str text, struct err *e)
{
	if (text.n == 0)
		return true;
	if (!stream_block_add(&b->text, text, e))
		return false;
	if (s->on_text)
		s->on_text(s->owner, text.p, text.n);
	return true;
}

bool stream_malformed(struct err *e, const char *what)
{
	return err_set_retry(e, ERR_UPSTREAM, "the stream is malformed: %s", what);
}

struct str stream_member(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return (struct str){json_string_value(value) ? json_string_value(value) : "",
			    json_string_length(value)};
}

/* ---- events ---- */

static int hex4(const char *p, const char *end)
{
	int value = 0;

	for (int i = 0; i < 4; i++, p++) {
		if (p == end || !isxdigit((unsigned char)*p))
			return -1;
		value = value * 16 + (*p <= '9' ? *p - '0' : (*p | 32) - 'a' + 10);
	}
	return value;
}

/* Returns the length of the escape at p; *broken: it is NUL or an unpaired surrogate. */
static size_t escape_read(const char *p, const char *end, bool *broken)
{
	int unit = end - p > 2 && p[1] == 'u' ? hex4(p + 2, end) : -1;
	bool high = unit >= 0xD800 && unit < 0xDC00;

	*broken = unit == 0 || (unit >= 0xD800 && unit < 0xE000);
	if (unit < 0)
		return end - p > 1 ? 2 : 1;
	if (high && end - p > 8 && p[6] == '\\' && p[7] == 'u') {
		int low = hex4(p + 8, end);

		if (low >= 0xDC00 && low < 0xE000) {
			*broken = false;
			return 12;
		}
	}
	return 6;
}

/* Replaces unpaired surrogates, which gateways create when they split text inside a character. */
static bool replace_surrogates(struct buf *out, struct str text)
{
	const char *end = text.p + text.n;
	bool any = false, broken;
	size_t n;

	buf_reset(out);
	for (const char *p = text.p; p < end; p += n) {
		broken = false;
		n = *p == '\\' ? escape_read(p, end, &broken) : 1;
		if (broken)
			buf_str(out, "\\ufffd");
		else
			buf_add(out, p, n);
		any = any || broken;
	}
	return any;
}

bool stream_json(struct llm_stream *s, struct str text, json_t **out)
{
	return json_parse(text.p, text.n, SSE_EVENT_BYTES_MAX, out, NULL) ||
	       (replace_surrogates(&s->scratch, text) &&
		json_parse(s->scratch.p, s->scratch.n, SSE_EVENT_BYTES_MAX, out, NULL));
}

void stream_count(int64_t *to, const json_t *value)
{
	if (json_is_integer(value) && json_integer_value(value) >= 0 &&
	    json_integer_value(value) <= LLM_COUNT_MAX)
		*to = json_integer_value(value);
}

/* ---- finishing ---- */

/* NULL when the text is not a JSON object; the tool's owner reports that. */
static json_t *tool_input(const struct stream_block *b)
{
	json_t *input = NULL;

	if (b->text.n == 0) /* no deltas: uses the announced input, usually {} */
		input = json_is_object(json_object_get(b->start, "input"))
				? json_deep_copy(json_object_get(b->start, "input"))
				: json_object();
	else if (!json_parse(b->text.p, b->text.n, LLM_TOOL_INPUT_BYTES_MAX, &input, NULL))
		return NULL;
	if (json_is_object(input))
		return input;
	json_decref(input);
	return NULL;
}

/* The announced block with the content of its deltas. */
static json_t *opaque_raw(const struct stream_block *b)
{
	json_t *raw = json_copy(b->start), *input;

	if (json_object_get(raw, "input") && (input = tool_input(b)))
		json_object_set_new(raw, "input", input);
	if (json_object_get(raw, "thinking"))
		json_object_set_new(raw, "thinking", json_strn(buf_text(&b->text), b->text.n));
	if (json_object_get(raw, "signature") || b->signature.n)
		json_object_set_new(raw, "signature",
				    json_strn(buf_text(&b->signature), b->signature.n));
	return raw;
}

static struct llm_block block_make(struct llm_stream *s, const struct stream_block *b)
{
	struct llm_block out = {.kind = b->kind, .origin = arena_strdup(s->arena, s->origin)};

	switch (b->kind) {
	case LLM_TEXT:
		out.text = arena_strndup(s->arena, buf_text(&b->text), b->text.n);
		if (json_array_size(json_object_get(b->start, "citations")) > 0)
			out.raw = json_own(s->arena,
					   json_incref(json_object_get(b->start, "citations")));
		break;
	case LLM_TOOL_USE:
		out.id = arena_strdup(s->arena, stream_member(b->start, "id").p);
		out.name = arena_strdup(s->arena, stream_member(b->start, "name").p);
		out.input = json_own(s->arena, tool_input(b));
		if (json_object_get(b->start, "raw"))
			out.raw = json_own(s->arena, json_incref(json_object_get(b->start, "raw")));
		break;
	default:
		out.raw = json_own(s->arena, opaque_raw(b));
		break;
	}
	return out;
}

/* True for a tool call whose arguments are truncated by the length limit. */
static bool is_truncated(const struct llm_stream *s, size_t i, const struct llm_block *b)
{
	return b->kind == LLM_TOOL_USE && !b->input && i + 1 == s->count &&
	       (s->stop == LLM_STOP_MAX_TOKENS || s->stop == LLM_STOP_CONTEXT);
}

bool stream_finish(struct llm_stream *s, struct llm_answer *answer, struct err *e)
{
	*answer = (struct llm_answer){.stop = s->stop, .usage = s->usage, .model = s->model};
	if (!s->has_stop)
		return err_set_retry(e, ERR_UPSTREAM,
				     "the stream ended before the answer was complete");

	struct llm_block *blocks = arena_alloc(s->arena, (s->count + 1) * sizeof(*blocks));

	for (size_t i = 0; i < s->count; i++) {
		struct llm_block b = block_make(s, s->blocks[i]);

		if (is_truncated(s, i, &b) || (b.kind == LLM_TEXT && !*b.text))
			continue;
		blocks[answer->count++] = b;
		/* Some services call tools with the stop reason "stop". */
		if (b.kind == LLM_TOOL_USE && answer->stop == LLM_STOP_END)
			answer->stop = LLM_STOP_TOOL_USE;
	}
	answer->blocks = blocks;
	return true;
}
