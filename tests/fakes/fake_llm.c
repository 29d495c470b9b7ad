/* The scripted model. Its calls are in a fixed array, because a scenario has only a few. */
#include "fake_llm.h"

#include <assert.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/list.h"
#include "vesper/mem.h"
#include "vesper/str.h"

#define CALLS_MAX 64
#define PARTS_MAX 64

struct part {
	char *text; /* a chunk of text, or */
	char *tool; /* a tool's name with */
	char *json; /* its arguments */
};

struct script {
	enum llm_role role;
	char *words;
	struct part parts[PARTS_MAX];
	size_t part_count;
	bool has_stop, stalls;
	enum llm_stop stop;
	struct err err;
};

struct fake_llm {
	struct loop *loop;
	struct script calls[CALLS_MAX];
	size_t expected, received, cancelled;
	char *requests[CALLS_MAX];
	char *complaint;
	struct script refusal; /* how an unexpected call ends */
};

struct fake_call {
	struct op op;
	struct deferred deferred;
	struct fake_llm *fake;
	const struct script *script;
	size_t at;
	struct arena *arena;
	struct llm_handler handler;
	void *owner;
	bool shown, *dead;
	int64_t input_tokens;
};

struct fake_llm *fake_llm_new(struct loop *l)
{
	struct fake_llm *f = mem_alloc(sizeof(*f));

	f->loop = l;
	err_set(&f->refusal.err, ERR_UPSTREAM, "the call was unexpected");
	return f;
}

void fake_llm_free(struct fake_llm **out)
{
	struct fake_llm *f = *out;

	*out = NULL;
	if (!f)
		return;
	for (size_t i = 0; i < f->expected; i++) {
		for (size_t k = 0; k < f->calls[i].part_count; k++) {
			mem_free(f->calls[i].parts[k].text);
			mem_free(f->calls[i].parts[k].tool);
			mem_free(f->calls[i].parts[k].json);
		}
		mem_free(f->calls[i].words);
	}
	for (size_t i = 0; i < f->received; i++)
		mem_free(f->requests[i]);
	mem_free(f->complaint);
	mem_free(f);
}

/* ---- the script ---- */

void fake_llm_expect(struct fake_llm *f, enum llm_role role, const char *words)
{
	assert(f->expected < CALLS_MAX);
	f->calls[f->expected].role = role;
	f->calls[f->expected].words = mem_strdup(words);
	f->expected++;
}

static struct script *last(struct fake_llm *f)
{
	assert(f->expected > 0);
	return &f->calls[f->expected - 1];
}

static struct part *part_add(struct fake_llm *f)
{
	struct script *s = last(f);

	assert(s->part_count < PARTS_MAX);
	return &s->parts[s->part_count++];
}

void fake_llm_text(struct fake_llm *f, const char *piece)
{
	part_add(f)->text = mem_strdup(piece);
}

void fake_llm_tool(struct fake_llm *f, const char *name, const char *json)
{
	struct part *p = part_add(f);

	p->tool = mem_strdup(name);
	p->json = mem_strdup(json);
}

void fake_llm_stop(struct fake_llm *f, enum llm_stop stop)
{
	last(f)->has_stop = true;
	last(f)->stop = stop;
}

void fake_llm_fail(struct fake_llm *f, enum err_code code, bool may_retry)
{
	err_set(&last(f)->err, code, "fake: scripted failure");
	last(f)->err.may_retry = may_retry;
}

void fake_llm_stall(struct fake_llm *f)
{
	last(f)->stalls = true;
}

size_t fake_llm_calls(const struct fake_llm *f)
{
	return f->received;
}

size_t fake_llm_unmet(const struct fake_llm *f)
{
	return f->received < f->expected ? f->expected - f->received : 0;
}

size_t fake_llm_cancelled(const struct fake_llm *f)
{
	return f->cancelled;
}

const char *fake_llm_complaint(const struct fake_llm *f)
{
	return f->complaint;
}

const char *fake_llm_request(const struct fake_llm *f, size_t n)
{
	return n < f->received ? f->requests[n] : "";
}

/* ---- a call ---- */

static void add_block(struct buf *b, const struct llm_block *block)
{
	switch (block->kind) {
	case LLM_TEXT:
		buf_printf(b, "%s\n", block->text);
		break;
	case LLM_TOOL_USE:
		buf_printf(b, "tool_use %s %s ", block->id, block->name);
		if (block->input)
			buf_json(b, block->input);
		buf_char(b, '\n');
		break;
	case LLM_TOOL_RESULT:
		buf_printf(b, "tool_result %s%s: %s\n", block->id, block->is_error ? " error" : "",
			   block->text);
		break;
	case LLM_OPAQUE:
		buf_str(b, "opaque\n");
		break;
	}
}

static char *request_text(const struct llm_call *call)
{
	struct buf b;

	buf_init(&b, 4 * 1024 * 1024);
	buf_printf(&b, "role %s\n", llm_role_name(call->role));
	for (size_t i = 0; i < call->system_count; i++)
		buf_printf(&b, "system: %s\n", call->system[i].text);
	for (size_t i = 0; i < call->tool_count; i++)
		buf_printf(&b, "tool %s%s\n", call->tools[i].name,
			   call->tools_forbidden ? " (forbidden)" : "");
	for (size_t i = 0; i < call->message_count; i++) {
		buf_str(&b, call->messages[i].speaker == LLM_USER ? "user: " : "assistant: ");
		for (size_t k = 0; k < call->messages[i].count; k++)
			add_block(&b, &call->messages[i].blocks[k]);
	}
	return buf_take(&b);
}

static const struct script *script_of(struct fake_llm *f, const struct llm_call *call,
				      const char *request)
{
	size_t n = f->received - 1;
	const struct script *s = &f->calls[n];

	if (n < f->expected && s->role == call->role && (!s->words || strstr(request, s->words)))
		return s;
	if (!f->complaint)
		f->complaint =
			mem_printf("call %zu: got role %s, expected %s%s%s%s; the request was:\n%s",
				   n + 1, llm_role_name(call->role),
				   n < f->expected ? llm_role_name(s->role) : "none",
				   n < f->expected && s->words ? " with \"" : "",
				   n < f->expected && s->words ? s->words : "",
				   n < f->expected && s->words ? "\"" : "", request);
	return &f->refusal;
}

static struct llm_block block_of(struct fake_call *c, const struct part *p, size_t n)
{
	struct llm_block b = {.kind = p->tool ? LLM_TOOL_USE : LLM_TEXT,
			      .text = arena_strdup(c->arena, p->text)};
	json_t *input = NULL;

	if (!p->tool)
		return b;
	b.id = arena_printf(c->arena, "toolu_%zu_%zu", c->fake->received, n);
	b.name = arena_strdup(c->arena, p->tool);
	if (p->json) {
		bool ok = json_parse(p->json, strlen(p->json), 65536, &input, NULL);

		assert(ok); /* otherwise the scenario is invalid */
	}
	b.input = json_own(c->arena, input);
	return b;
}

static void call_end(struct fake_call *c)
{
	const struct script *s = c->script;
	struct llm_answer answer = {
		.provider = "fake", .model = "fake-model", .stop = LLM_STOP_END};
	struct llm_block *blocks = arena_alloc(c->arena, (s->part_count + 1) * sizeof(*blocks));
	struct llm_handler handler = c->handler;
	void *owner = c->owner;
	bool shown = c->shown;

	answer.usage = (struct llm_usage){.input_tokens = c->input_tokens,
					  .output_tokens = (int64_t)s->part_count};
	for (size_t i = 0; s->err.code == ERR_NONE && i < s->part_count; i++) {
		blocks[answer.count++] = block_of(c, &s->parts[i], i);
		if (s->parts[i].tool)
			answer.stop = LLM_STOP_TOOL_USE;
	}
	answer.blocks = blocks;
	if (s->has_stop)
		answer.stop = s->stop;
	mem_free(c);
	handler.on_end(owner, &answer, shown, s->err.code != ERR_NONE ? &s->err : NULL);
}

static void on_step(void *owner)
{
	struct fake_call *c = owner;
	bool dead = false;

	if (c->at == c->script->part_count) {
		if (!c->script->stalls)
			call_end(c);
		return;
	}
	const struct part *p = &c->script->parts[c->at++];

	if (p->text && *p->text && c->handler.on_text) {
		c->shown = true;
		c->dead = &dead;
		c->handler.on_text(c->owner, p->text, strlen(p->text));
		if (dead)
			return;
		c->dead = NULL;
	}
	loop_defer(c->fake->loop, &c->deferred, on_step, c);
}

static void on_cancel(struct op *op)
{
	struct fake_call *c = (struct fake_call *)op;

	c->fake->cancelled++;
	if (c->dead)
		*c->dead = true;
	deferred_cancel(&c->deferred);
	mem_free(c);
}

static struct op *fake_start(void *self, const struct llm_call *call, struct arena *a,
			     const struct llm_handler *handler, void *owner)
{
	struct fake_llm *f = self;
	struct fake_call *c = mem_alloc(sizeof(*c));

	assert(f->received < CALLS_MAX);
	f->requests[f->received++] = request_text(call);
	*c = (struct fake_call){
		.op.cancel = on_cancel, .fake = f, .arena = a, .handler = *handler, .owner = owner};
	c->script = script_of(f, call, f->requests[f->received - 1]);
	c->input_tokens = (int64_t)strlen(f->requests[f->received - 1]) / 4;
	loop_defer(f->loop, &c->deferred, on_step, c);
	return &c->op;
}

const struct llm_driver fake_llm_driver = {"fake", fake_start, NULL};
