/*
 * The stream of a Messages API answer, event by event, into text and blocks. The API promises to
 * add events, deltas, blocks and members, so everything unknown passes by. Text deltas are by far
 * the most frequent event: the form the service sends is read in place; whatever differs from it
 * goes the general way.
 */
#include <assert.h>
#include <string.h>

#include "llm_int.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"

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

static bool garbled(struct err *e, const char *what)
{
	return err_set_retry(e, ERR_UPSTREAM, "the stream is garbled: %s", what);
}

/* ---- blocks ---- */

/* The block that deltas with this index mean: the newest, and NULL for one that was passed by. */
static struct stream_block *block_find(const struct llm_stream *s, int64_t index)
{
	for (size_t i = s->count; i-- > 0;)
		if (s->blocks[i]->index == index)
			return s->blocks[i];
	return NULL;
}

static bool block_add(struct buf *to, const char *text, size_t len, struct err *e)
{
	buf_add(to, text, len);
	return !buf_over(to) ||
	       err_set(e, ERR_LIMIT, "a block of the answer is longer than %zu bytes",
		       to->cap_bytes);
}

static bool text_came(struct llm_stream *s, struct stream_block *b, const char *text, size_t len,
		      struct err *e)
{
	if (len == 0)
		return true;
	if (!block_add(&b->text, text, len, e))
		return false;
	if (s->on_text)
		s->on_text(s->owner, text, len);
	return true;
}

static bool kind_of(const char *type, enum llm_block_kind *out)
{
	static const struct {
		const char *type;
		enum llm_block_kind kind;
	} kinds[] = {
		{"text", LLM_TEXT},
		{"tool_use", LLM_TOOL_USE},
		{"thinking", LLM_OPAQUE},
		{"redacted_thinking", LLM_OPAQUE},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(type, kinds[i].type) == 0) {
			*out = kinds[i].kind;
			return true;
		}
	}
	return false;
}

static struct str member(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return (struct str){json_string_value(value) ? json_string_value(value) : "",
			    json_string_length(value)};
}

static bool block_start(struct llm_stream *s, const json_t *event, struct err *e)
{
	json_t *start = json_object_get(event, "content_block");
	struct stream_block *b;
	enum llm_block_kind kind;

	if (!kind_of(member(start, "type").p, &kind))
		return true;
	if (kind == LLM_TOOL_USE && (!*member(start, "id").p || !*member(start, "name").p))
		return garbled(e, "a tool call without id or name");
	if (s->count == LLM_BLOCKS_MAX)
		return err_set(e, ERR_LIMIT, "the answer has more than %d blocks", LLM_BLOCKS_MAX);
	b = mem_alloc(sizeof(*b));
	b->index = json_integer_value(json_object_get(event, "index"));
	b->kind = kind;
	b->start = json_incref(start);
	buf_init(&b->text, kind == LLM_TOOL_USE ? LLM_TOOL_INPUT_BYTES_MAX : LLM_TEXT_BYTES_MAX);
	buf_init(&b->signature, LLM_TEXT_BYTES_MAX);
	s->blocks[s->count++] = b;

	struct str text = member(start, kind == LLM_TEXT ? "text" : "thinking");
	struct str signature = member(start, "signature");

	if (kind == LLM_TEXT)
		return text_came(s, b, text.p, text.n, e);
	return block_add(&b->text, text.p, text.n, e) &&
	       block_add(&b->signature, signature.p, signature.n, e);
}

static bool block_delta(struct llm_stream *s, const json_t *event, struct err *e)
{
	const json_t *delta = json_object_get(event, "delta");
	const char *type = member(delta, "type").p;
	struct stream_block *b = block_find(s, json_integer_value(json_object_get(event, "index")));
	struct buf *to;
	struct str part;

	if (!b)
		return true;
	if (b->kind == LLM_TEXT && strcmp(type, "text_delta") == 0) {
		part = member(delta, "text");
		return text_came(s, b, part.p, part.n, e);
	}
	if (b->kind == LLM_TOOL_USE && strcmp(type, "input_json_delta") == 0) {
		part = member(delta, "partial_json");
		to = &b->text;
	} else if (b->kind == LLM_OPAQUE && strcmp(type, "thinking_delta") == 0) {
		part = member(delta, "thinking");
		to = &b->text;
	} else if (b->kind == LLM_OPAQUE && strcmp(type, "signature_delta") == 0) {
		part = member(delta, "signature");
		to = &b->signature;
	} else {
		return true;
	}
	return block_add(to, part.p, part.n, e);
}

/* ---- the message around them ---- */

/* Numbers are totals so far; what is absent or null stays. */
static void usage_read(struct llm_usage *u, const json_t *usage)
{
	const struct {
		const char *name;
		int64_t *to;
	} members[] = {
		{"input_tokens", &u->input_tokens},
		{"cache_read_input_tokens", &u->cache_read_tokens},
		{"cache_creation_input_tokens", &u->cache_write_tokens},
		{"output_tokens", &u->output_tokens},
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const json_t *value = json_object_get(usage, members[i].name);

		if (json_is_integer(value) && json_integer_value(value) >= 0)
			*members[i].to = json_integer_value(value);
	}
}

static void message_start(struct llm_stream *s, const json_t *event)
{
	const json_t *message = json_object_get(event, "message");

	s->model = arena_strdup(s->arena, member(message, "model").p);
	usage_read(&s->usage, json_object_get(message, "usage"));
}

static enum llm_stop stop_of(const char *reason)
{
	static const struct {
		const char *reason;
		enum llm_stop stop;
	} known[] = {
		{"end_turn", LLM_STOP_END},
		{"stop_sequence", LLM_STOP_END},
		{"tool_use", LLM_STOP_TOOL_USE},
		{"max_tokens", LLM_STOP_MAX_TOKENS},
		{"refusal", LLM_STOP_REFUSAL},
		{"pause_turn", LLM_STOP_PAUSE},
		{"model_context_window_exceeded", LLM_STOP_CONTEXT},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(reason, known[i].reason) == 0)
			return known[i].stop;
	log_info("llm.stop_reason", "unknown stop reason \"%.40s\" taken for the end", reason);
	return LLM_STOP_END;
}

static void message_delta(struct llm_stream *s, const json_t *event)
{
	const char *reason =
		json_string_value(json_object_get(json_object_get(event, "delta"), "stop_reason"));

	usage_read(&s->usage, json_object_get(event, "usage"));
	if (!reason)
		return;
	s->stop = stop_of(reason);
	s->has_stop = true;
}

static bool event_read(struct llm_stream *s, const json_t *event, struct err *e)
{
	const char *type = member(event, "type").p;

	if (strcmp(type, "content_block_delta") == 0)
		return block_delta(s, event, e);
	if (strcmp(type, "content_block_start") == 0)
		return block_start(s, event, e);
	if (strcmp(type, "error") == 0)
		return llm_error_set(e, 0, event, -1, -1);
	if (strcmp(type, "message_start") == 0)
		message_start(s, event);
	else if (strcmp(type, "message_delta") == 0)
		message_delta(s, event);
	else if (strcmp(type, "message_stop") == 0)
		s->ended = true;
	return true;
}

/* ---- in and out ---- */

/* Events that tell us nothing may hold anything, not only JSON. */
static bool is_known(const char *event)
{
	static const char *const known[] = {"",
					    "content_block_delta",
					    "content_block_start",
					    "message_start",
					    "message_delta",
					    "message_stop",
					    "error",
					    NULL};

	for (const char *const *k = known; *k; k++)
		if (strcmp(event, *k) == 0)
			return true;
	return false;
}

bool stream_event(struct llm_stream *s, const char *event, const char *data, size_t len,
		  struct err *e)
{
	struct str text;
	int64_t index;
	json_t *root;

	if (s->ended || !is_known(event))
		return true;
	if (text_delta_read((struct str){data, len}, &s->scratch, &index, &text)) {
		struct stream_block *b = block_find(s, index);

		return !b || b->kind != LLM_TEXT || text_came(s, b, text.p, text.n, e);
	}
	if (!json_parse(data, len, SSE_EVENT_BYTES_MAX, &root, e))
		return garbled(e, "an event is not JSON");
	bool ok = event_read(s, root, e);

	json_decref(root);
	return ok;
}

/* NULL when what came is no JSON object: the caller of the tool is told so by its owner. */
static json_t *tool_input(const struct stream_block *b)
{
	json_t *input = NULL;

	if (b->text.n == 0) /* no delta: the announced one stands, usually {} */
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

/* The block as it was announced, with what its deltas added. */
static json_t *opaque_raw(const struct stream_block *b)
{
	json_t *raw = json_copy(b->start);

	if (json_object_get(raw, "thinking"))
		json_object_set_new(raw, "thinking", json_stringn(buf_text(&b->text), b->text.n));
	if (json_object_get(raw, "signature") || b->signature.n)
		json_object_set_new(raw, "signature",
				    json_stringn(buf_text(&b->signature), b->signature.n));
	return raw;
}

static struct llm_block block_make(struct llm_stream *s, const struct stream_block *b)
{
	struct llm_block out = {.kind = b->kind};

	switch (b->kind) {
	case LLM_TEXT:
		out.text = arena_strndup(s->arena, buf_text(&b->text), b->text.n);
		break;
	case LLM_TOOL_USE:
		out.id = arena_strdup(s->arena, member(b->start, "id").p);
		out.name = arena_strdup(s->arena, member(b->start, "name").p);
		out.input = json_own(s->arena, tool_input(b));
		break;
	default:
		out.raw = json_own(s->arena, opaque_raw(b));
		break;
	}
	return out;
}

/* A tool call whose arguments the length limit cut is none. */
static bool is_cut(const struct llm_stream *s, size_t i, const struct llm_block *b)
{
	return b->kind == LLM_TOOL_USE && !b->input && i + 1 == s->count &&
	       (s->stop == LLM_STOP_MAX_TOKENS || s->stop == LLM_STOP_CONTEXT);
}

bool stream_finish(struct llm_stream *s, struct llm_answer *answer, struct err *e)
{
	*answer = (struct llm_answer){.stop = s->stop, .usage = s->usage, .model = s->model};
	if (!s->has_stop)
		return err_set_retry(e, ERR_UPSTREAM, "the stream ended before the answer did");

	struct llm_block *blocks = arena_alloc(s->arena, (s->count + 1) * sizeof(*blocks));

	for (size_t i = 0; i < s->count; i++) {
		struct llm_block b = block_make(s, s->blocks[i]);

		if (is_cut(s, i, &b) || (b.kind == LLM_TEXT && !*b.text))
			continue;
		blocks[answer->count++] = b;
	}
	answer->blocks = blocks;
	return true;
}
