/*
 * Exchange recordings as JSON: written when a call ends, and replayed as a model. A request is
 * identified by its content, independent of the provider and its protocol.
 */
#include <assert.h>
#include <string.h>

#include "llm_int.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/record.h"

/* The request without provider- and user-specific parts. */
static char *request_text(const struct llm_call *call)
{
	static const struct wire_role no_role = {.model = (char *)""};
	struct llm_call plain = *call;
	struct buf body;

	plain.user_hash = NULL;
	buf_init(&body, LLM_REQUEST_BYTES_MAX);
	anthropic_body(&body, &plain, &no_role, NULL);
	return buf_take(&body);
}

static void request_hash(const struct llm_call *call, const char *text, char out[HASH_HEX_BYTES])
{
	char *all = mem_printf("%s\n%s", llm_role_name(call->role), text);

	hash_sha256_hex(all, strlen(all), out);
	mem_free(all);
}

static json_t *block_json(const struct llm_block *b)
{
	json_t *tool;

	if (b->kind == LLM_TEXT)
		return json_make({"text", json_str(b->text)});
	assert(b->kind == LLM_TOOL_USE); /* an answer has no other kinds */
	tool = json_object();
	json_set_str(tool, "id", b->id);
	json_set_str(tool, "name", b->name);
	json_set_take(tool, "input", b->input ? json_deep_copy(b->input) : NULL);
	return json_make({"tool", tool});
}

static json_t *answer_json(const struct llm_answer *a)
{
	json_t *answer = json_object(), *blocks = json_array();

	json_set_str(answer, "stop", llm_stop_name(a->stop));
	json_set_str(answer, "model", a->model);
	json_set_str(answer, "provider", a->provider);
	json_set_take(answer, "usage",
		      json_make({"input", json_int(a->usage.input_tokens)},
				{"cache_read", json_int(a->usage.cache_read_tokens)},
				{"cache_write", json_int(a->usage.cache_write_tokens)},
				{"output", json_int(a->usage.output_tokens)}));
	for (size_t i = 0; i < a->count; i++)
		if (a->blocks[i].kind != LLM_OPAQUE) /* thinking is valid for its model only */
			json_push_take(blocks, block_json(&a->blocks[i]));
	json_set_take(answer, "blocks", blocks);
	return answer;
}

void exchange_hash(const struct llm_call *call, char hash[HASH_HEX_BYTES])
{
	char *text = request_text(call);

	request_hash(call, text, hash);
	mem_free(text);
}

json_t *exchange_json(const struct llm_call *call, const struct llm_answer *answer,
		      const struct err *e, char hash[HASH_HEX_BYTES])
{
	json_t *exchange = json_object(), *request = NULL, *error;
	char *text = request_text(call);

	request_hash(call, text, hash);
	json_set_str(exchange, "format", RECORD_EXCHANGE_FORMAT);
	json_set_str(exchange, "hash", hash);
	json_set_str(exchange, "turn_id", call->turn_id);
	json_set_str(exchange, "role", llm_role_name(call->role));
	if (json_parse(text, strlen(text), LLM_REQUEST_BYTES_MAX, &request, NULL))
		json_set_take(exchange, "request", request);
	mem_free(text);
	if (!e) {
		json_set_take(exchange, "answer", answer_json(answer));
		return exchange;
	}
	error = json_object();
	json_set_str(error, "code", err_code_name(e->code));
	json_set_str(error, "text", e->text);
	json_set_take(exchange, "error", error);
	return exchange;
}

/* ---- replaying recorded exchanges ---- */

struct llm_replay {
	struct loop *loop;
	json_t *by_hash;
	const char *turn_id; /* only its exchanges may replace missing ones */
	json_t *used;        /* hashes used in this turn */
	struct llm_replay_counts counts;
};

struct replay_call {
	struct op op; /* must be the first member */
	struct llm_replay *replay;
	const json_t *exchange; /* NULL: none found */
	struct arena *arena;
	struct llm_handler handler;
	void *owner;
	struct deferred deferred;
};

/* Returns true when both request the same members of a structured answer, or both request text. */
static bool same_shape(const struct llm_call *call, const json_t *exchange)
{
	const json_t *config =
		json_object_get(json_object_get(exchange, "request"), "output_config");
	const json_t *schema = json_object_get(json_object_get(config, "format"), "schema");
	json_t *recorded = json_object_get(schema, "required");
	json_t *requested = json_object_get(call->format, "required");

	return recorded && requested ? json_equal(recorded, requested) : recorded == requested;
}

/* A recording of another request of the same turn with the same shape of answer, or NULL. */
static const json_t *substitute(const struct llm_replay *r, const struct llm_call *call)
{
	const char *role = llm_role_name(call->role), *key;
	json_t *exchange;

	json_object_foreach(r->by_hash, key, exchange) {
		const char *turn = json_string_value(json_object_get(exchange, "turn_id"));

		if (turn && r->turn_id && strcmp(turn, r->turn_id) == 0 &&
		    strcmp(json_string_value(json_object_get(exchange, "role")), role) == 0 &&
		    same_shape(call, exchange) && !json_object_get(r->used, key))
			return exchange;
	}
	return NULL;
}

static const json_t *exchange_find(struct llm_replay *r, const struct llm_call *call)
{
	char hash[HASH_HEX_BYTES], *text = request_text(call);
	const json_t *found;

	request_hash(call, text, hash);
	mem_free(text);
	found = json_object_get(r->by_hash, hash);
	if (found)
		r->counts.exact++;
	else if ((found = substitute(r, call)))
		r->counts.stood_in++;
	else
		r->counts.missing++;
	if (found)
		json_object_set_new(r->used, json_string_value(json_object_get(found, "hash")),
				    json_true());
	return found;
}

static enum llm_stop stop_parse(const char *name)
{
	for (int s = LLM_STOP_END; s <= LLM_STOP_CONTEXT; s++)
		if (name && strcmp(llm_stop_name((enum llm_stop)s), name) == 0)
			return (enum llm_stop)s;
	return LLM_STOP_END;
}

static void blocks_read(struct replay_call *p, const json_t *list, struct llm_answer *out)
{
	struct llm_block *blocks =
		arena_alloc(p->arena, (json_array_size(list) + 1) * sizeof(*blocks));
	const json_t *block;
	size_t i;

	json_array_foreach(list, i, block) {
		const json_t *tool = json_object_get(block, "tool");
		struct llm_block *b = &blocks[out->count++];

		if (!tool) {
			b->kind = LLM_TEXT;
			b->text = arena_strdup(p->arena, stream_member(block, "text").p);
			continue;
		}
		b->kind = LLM_TOOL_USE;
		b->id = arena_strdup(p->arena, stream_member(tool, "id").p);
		b->name = arena_strdup(p->arena, stream_member(tool, "name").p);
		b->input = json_own(p->arena, json_deep_copy(json_object_get(tool, "input")));
	}
	out->blocks = blocks;
}

static bool answer_read(struct replay_call *p, struct llm_answer *out, struct err *e)
{
	const json_t *answer = json_object_get(p->exchange, "answer");
	const json_t *usage = json_object_get(answer, "usage");

	if (!p->exchange)
		return err_set(e, ERR_UPSTREAM, "no exchange was recorded for this request");
	if (!answer)
		return err_set(e, ERR_UPSTREAM, "recorded: %s",
			       stream_member(json_object_get(p->exchange, "error"), "text").p);
	out->stop = stop_parse(json_string_value(json_object_get(answer, "stop")));
	out->model = arena_strdup(p->arena, stream_member(answer, "model").p);
	stream_count(&out->usage.input_tokens, json_object_get(usage, "input"));
	stream_count(&out->usage.cache_read_tokens, json_object_get(usage, "cache_read"));
	stream_count(&out->usage.cache_write_tokens, json_object_get(usage, "cache_write"));
	stream_count(&out->usage.output_tokens, json_object_get(usage, "output"));
	blocks_read(p, json_object_get(answer, "blocks"), out);
	return true;
}

static void on_replay_cancel(struct op *op)
{
	struct replay_call *p = (struct replay_call *)op;

	deferred_cancel(&p->deferred);
	mem_free(p);
}

static void on_replayed(void *owner)
{
	struct replay_call *p = owner;
	struct replay_call ended = *p;
	struct llm_answer answer = {.provider = "replay"};
	struct err e = {0};
	bool ok = answer_read(p, &answer, &e), shown = false;

	mem_free(p);
	for (size_t i = 0; ok && ended.handler.on_text && i < answer.count; i++) {
		const struct llm_block *b = &answer.blocks[i];

		if (b->kind != LLM_TEXT || !*b->text)
			continue;
		shown = true;
		ended.handler.on_text(ended.owner, b->text, strlen(b->text));
	}
	ended.handler.on_end(ended.owner, &answer, shown, ok ? NULL : &e);
}

static struct op *replay_start(void *self, const struct llm_call *call, struct arena *a,
			       const struct llm_handler *handler, void *owner)
{
	struct llm_replay *r = self;
	struct replay_call *p = mem_alloc(sizeof(*p));

	p->op.cancel = on_replay_cancel;
	p->replay = r;
	p->exchange = exchange_find(r, call);
	p->arena = a;
	p->handler = *handler;
	p->owner = owner;
	loop_defer(r->loop, &p->deferred, on_replayed, p);
	return &p->op;
}

static void replay_close(void *self)
{
	struct llm_replay *r = self;

	json_decref(r->by_hash);
	json_decref(r->used);
	mem_free(r);
}

static const struct llm_driver replay_driver = {"replay", replay_start, replay_close};

struct llm *llm_from_exchanges(struct loop *l, json_t *by_hash, struct llm_replay **replay)
{
	struct llm_replay *r = mem_alloc(sizeof(*r));

	r->loop = l;
	r->by_hash = json_incref(by_hash);
	r->used = json_object();
	*replay = r;
	return llm_from_driver(l, &replay_driver, r);
}

void llm_replay_turn(struct llm_replay *r, const char *turn_id)
{
	r->turn_id = turn_id;
	json_object_clear(r->used);
	r->counts = (struct llm_replay_counts){0};
}

struct llm_replay_counts llm_replay_get_counts(const struct llm_replay *r)
{
	return r->counts;
}
