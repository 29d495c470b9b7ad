/*
 * Parses the stream of a Chat Completions answer. Compatible services omit different parts:
 * indexes, ids, finish reasons. Common parts are read strictly; missing parts
 * are accepted where their meaning is unambiguous.
 */
#include <stdio.h>
#include <string.h>

#include "llm_int.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/mem.h"

#define CALLS_PER_ROUND 100
_Static_assert(CALLS_PER_ROUND > LLM_BLOCKS_MAX, "generated ids must differ");
#define TEXT_INDEX (-1) /* of the only text block; tool calls count from 0 */

static bool text_read(struct llm_stream *s, struct str text, struct err *e)
{
	struct stream_block *b = stream_block_find(s, TEXT_INDEX);

	if (text.n == 0)
		return true;
	if (!b)
		b = stream_block_new(s, TEXT_INDEX, LLM_TEXT, NULL, e);
	return b && stream_text_add(s, b, text, e);
}

/* ---- tool calls ---- */

static bool index_read(const json_t *chunk, int64_t *out)
{
	const json_t *index = json_object_get(chunk, "index");

	if (!json_is_integer(index) || json_integer_value(index) < 0 ||
	    json_integer_value(index) > INT32_MAX)
		return false;
	*out = json_integer_value(index);
	return true;
}

static size_t count_calls(const struct llm_stream *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		n += s->blocks[i]->kind == LLM_TOOL_USE;
	return n;
}

static struct stream_block *newest_call(const struct llm_stream *s)
{
	for (size_t i = s->count; i-- > 0;)
		if (s->blocks[i]->kind == LLM_TOOL_USE)
			return s->blocks[i];
	return NULL;
}

/* The call that this chunk belongs to; NULL: a new one. Without an index, a chunk with a new id, or
 * with a name and no id, starts a call. */
static struct stream_block *call_of(const struct llm_stream *s, const json_t *chunk)
{
	struct stream_block *newest = newest_call(s);
	int64_t index;
	struct str id = stream_member(chunk, "id");
	struct str name = stream_member(json_object_get(chunk, "function"), "name");

	if (index_read(chunk, &index)) {
		struct stream_block *b = stream_block_find(s, index);

		/* Some services give every call of an answer index 0. */
		return b && id.n && name.n && strcmp(id.p, stream_member(b->start, "id").p) != 0
			       ? NULL
			       : b;
	}
	if (!newest || (id.n && strcmp(id.p, stream_member(newest->start, "id").p) != 0))
		return NULL;
	return name.n && !id.n ? NULL : newest;
}

static int64_t next_index(const struct llm_stream *s)
{
	const struct stream_block *newest = newest_call(s);

	return newest ? newest->index + 1 : 0;
}

/* Keeps unknown members of the call, to return them to the service unchanged. */
static struct stream_block *call_new(struct llm_stream *s, json_t *chunk, struct err *e)
{
	int64_t index;
	struct str id = stream_member(chunk, "id");
	json_t *function = json_object_get(chunk, "function");
	json_t *start, *raw;
	struct stream_block *b;
	char generated_id[32];

	if (!index_read(chunk, &index))
		index = next_index(s);
	if (!*stream_member(function, "name").p) {
		stream_malformed(e, "a tool call without a name");
		return NULL;
	}
	/* Differs from the ids generated in earlier rounds. */
	snprintf(generated_id, sizeof(generated_id), "call_%lld",
		 (long long)s->message_count * CALLS_PER_ROUND + (long long)count_calls(s));
	raw = json_copy(chunk);
	json_object_del(raw, "index");
	json_object_set_new(raw, "function", json_copy(function));
	json_set_str(raw, "id", id.n ? id.p : generated_id);
	json_set_str(raw, "type", "function");
	start = json_object();
	json_set_str(start, "id", id.n ? id.p : generated_id);
	json_set_str(start, "name", stream_member(function, "name").p);
	json_set_take(start, "raw", raw);
	b = stream_block_new(s, index, LLM_TOOL_USE, start, e);
	json_decref(start);
	return b;
}

/* Members of later chunks (a signature) are kept as well. */
static void call_add_members(struct stream_block *b, json_t *chunk)
{
	json_t *raw = json_object_get(b->start, "raw");
	const char *key;
	json_t *value;

	json_object_foreach(chunk, key, value)
		if (strcmp(key, "index") != 0 && !json_object_get(raw, key))
			json_object_set(raw, key, value);
}

/* Arguments are JSON text in chunks; services that send an object send it complete. */
static bool arguments_read(struct stream_block *b, const json_t *function, struct err *e)
{
	const json_t *arguments = json_object_get(function, "arguments");
	char *text;
	bool ok;

	if (!json_is_object(arguments))
		return stream_block_add(&b->text, stream_member(function, "arguments"), e);
	text = json_text(arguments);
	ok = stream_block_add(&b->text, str_of(text), e);
	mem_free(text);
	return ok;
}

static bool call_read(struct llm_stream *s, json_t *chunk, struct err *e)
{
	struct stream_block *b = call_of(s, chunk);

	if (b)
		call_add_members(b, chunk);
	else
		b = call_new(s, chunk, e);
	return b && arguments_read(b, json_object_get(chunk, "function"), e);
}

/* ---- chunks ---- */

/* Here, prompt_tokens includes the cached tokens. */
static void usage_read(struct llm_usage *u, const json_t *usage)
{
	int64_t prompt = -1, cached = 0;

	stream_count(&prompt, json_object_get(usage, "prompt_tokens"));
	stream_count(&cached, json_object_get(json_object_get(usage, "prompt_tokens_details"),
					      "cached_tokens"));
	stream_count(&u->output_tokens, json_object_get(usage, "completion_tokens"));
	if (prompt < 0)
		return;
	cached = cached < prompt ? cached : prompt;
	u->input_tokens = prompt - cached;
	u->cache_read_tokens = cached;
}

static enum llm_stop stop_of(const char *reason)
{
	static const struct {
		const char *reason;
		enum llm_stop stop;
	} known[] = {
		{"stop", LLM_STOP_END},
		{"length", LLM_STOP_MAX_TOKENS},
		{"tool_calls", LLM_STOP_TOOL_USE},
		{"function_call", LLM_STOP_TOOL_USE},
		{"content_filter", LLM_STOP_REFUSAL},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(reason, known[i].reason) == 0)
			return known[i].stop;
	log_info("llm.stop_reason", "unknown finish reason \"%.*s\" treated as the end",
		 STR_CUT(reason, 40));
	return LLM_STOP_END;
}

static bool choice_read(struct llm_stream *s, const json_t *choice, struct err *e)
{
	const json_t *delta = json_object_get(choice, "delta");
	const char *reason = json_string_value(json_object_get(choice, "finish_reason"));
	json_t *chunk;
	size_t i;

	if (stream_member(delta, "refusal").n)
		s->has_refusal = true;
	if (!text_read(s, stream_member(delta, "content"), e))
		return false;
	json_array_foreach(json_object_get(delta, "tool_calls"), i, chunk)
		if (!call_read(s, chunk, e))
			return false;
	if (!reason || !*reason)
		return true;
	s->stop = s->has_refusal ? LLM_STOP_REFUSAL : stop_of(reason);
	s->has_stop = true;
	return true;
}

static bool chunk_read(struct llm_stream *s, const json_t *chunk, struct err *e)
{
	struct str model = stream_member(chunk, "model");

	if (llm_error_is(chunk))
		return llm_error_set(e, 0, chunk, -1, -1);
	if (!s->model && model.n)
		s->model = arena_strdup(s->arena, model.p);
	usage_read(&s->usage, json_object_get(chunk, "usage"));
	return choice_read(s, json_array_get(json_object_get(chunk, "choices"), 0), e);
}

bool openai_event(struct llm_stream *s, const char *event, const char *data, size_t len,
		  struct err *e)
{
	struct str text = str_trim((struct str){data, len});
	json_t *root;

	(void)event; /* not used by this API; an event added by a proxy is ignored */
	if (s->has_ended || text.n == 0)
		return true;
	if (str_eq(text, STR("[DONE]"))) {
		s->has_ended = true;
		return true;
	}
	if (!stream_json(s, text, &root))
		return stream_malformed(e, "a chunk is not JSON");
	bool ok = chunk_read(s, root, e);

	json_decref(root);
	return ok;
}
