/*
 * Parses the stream of a Messages API answer into text and blocks. The API may add events, deltas,
 * blocks and members, so unknown ones are ignored. llm_delta.c reads the usual form of text deltas.
 */
#include <string.h>

#include "llm_int.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/strlist.h"

/* Blocks other than text and calls of the daemon's tools (thinking, the service's own tools) are
 * kept and sent back unchanged. */
static enum llm_block_kind kind_of(const char *type)
{
	return strcmp(type, "text") == 0       ? LLM_TEXT
	       : strcmp(type, "tool_use") == 0 ? LLM_TOOL_USE
					       : LLM_OPAQUE;
}

static bool block_start(struct llm_stream *s, const json_t *event, struct err *e)
{
	json_t *start = json_object_get(event, "content_block");
	enum llm_block_kind kind = kind_of(stream_member(start, "type").p);
	struct stream_block *b;

	if (!json_is_object(start))
		return true;
	if (kind == LLM_TOOL_USE &&
	    (!*stream_member(start, "id").p || !*stream_member(start, "name").p))
		return stream_malformed(e, "a tool call without id or name");
	b = stream_block_new(s, json_integer_value(json_object_get(event, "index")), kind, start,
			     e);
	if (!b)
		return false;

	struct str text = stream_member(start, kind == LLM_TEXT ? "text" : "thinking");
	struct str signature = stream_member(start, "signature");

	if (kind == LLM_TEXT)
		return stream_text_add(s, b, text, e);
	return stream_block_add(&b->text, text, e) && stream_block_add(&b->signature, signature, e);
}

/* Citations are sent back with their text. */
static void citation_add(struct stream_block *b, json_t *citation)
{
	if (!json_is_array(json_object_get(b->start, "citations")))
		json_set_take(b->start, "citations", json_array());
	json_array_append(json_object_get(b->start, "citations"), citation);
}

static bool block_delta(struct llm_stream *s, const json_t *event, struct err *e)
{
	const json_t *delta = json_object_get(event, "delta");
	const char *type = stream_member(delta, "type").p;
	struct stream_block *b =
		stream_block_find(s, json_integer_value(json_object_get(event, "index")));
	struct buf *to;
	struct str part;

	if (!b)
		return true;
	if (b->kind == LLM_TEXT && strcmp(type, "text_delta") == 0) {
		part = stream_member(delta, "text");
		return stream_text_add(s, b, part, e);
	}
	if (b->kind == LLM_TEXT && strcmp(type, "citations_delta") == 0) {
		citation_add(b, json_object_get(delta, "citation"));
		return true;
	}
	if (b->kind != LLM_TEXT && strcmp(type, "input_json_delta") == 0) {
		part = stream_member(delta, "partial_json");
		to = &b->text;
	} else if (b->kind == LLM_OPAQUE && strcmp(type, "thinking_delta") == 0) {
		part = stream_member(delta, "thinking");
		to = &b->text;
	} else if (b->kind == LLM_OPAQUE && strcmp(type, "signature_delta") == 0) {
		part = stream_member(delta, "signature");
		to = &b->signature;
	} else {
		return true;
	}
	return stream_block_add(to, part, e);
}

/* ---- message ---- */

/* Numbers are running totals; absent or null ones keep the old value. */
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

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		stream_count(members[i].to, json_object_get(usage, members[i].name));
}

static void message_start(struct llm_stream *s, const json_t *event)
{
	const json_t *message = json_object_get(event, "message");

	s->model = arena_strdup(s->arena, stream_member(message, "model").p);
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
	log_info("llm.stop_reason", "unknown stop reason \"%.*s\" treated as the end",
		 STR_CUT(reason, 40));
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
	const char *type = stream_member(event, "type").p;

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
		s->has_ended = true;
	return true;
}

/* ---- entry point ---- */

/* Data of unknown events is not parsed, since it may not be JSON. */
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

	return strlist_has(known, event);
}

bool anthropic_event(struct llm_stream *s, const char *event, const char *data, size_t len,
		     struct err *e)
{
	struct str text;
	int64_t index;
	json_t *root;

	if (s->has_ended || !is_known(event))
		return true;
	if (text_delta_read((struct str){data, len}, &s->scratch, &index, &text)) {
		struct stream_block *b = stream_block_find(s, index);

		return !b || b->kind != LLM_TEXT || stream_text_add(s, b, text, e);
	}
	if (!stream_json(s, (struct str){data, len}, &root))
		return stream_malformed(e, "an event is not JSON");
	bool ok = event_read(s, root, e);

	json_decref(root);
	return ok;
}
