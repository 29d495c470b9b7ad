/*
 * The same turns for clients of other wire formats: the AI SDK's UI message stream, AG-UI and Chat
 * Completions. The request is parsed, a turn starts like any other, and its log is projected.
 *
 * A client's name for a conversation (chat id, thread id) is hashed with tenant and user into the
 * id of a session. So concurrent requests get the same session, and no user's name ever leads to a
 * session of another user.
 */
#include "dialect_read.h"
#include "rest/http_chat.h"
#include "rest/http_route.h"

#include <string.h>

#include "http/idempotency.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/strlist.h"
#include "vesper/turn.h"
#include "vesper/uuid.h"
#include "vesper/wire.h"

#define MODEL           "vesper"
#define PACK_MODEL      MODEL "-"  /* followed by the name of the only pack to ask */
#define MODEL_CREATED_S 1763750000 /* clients require a time; its value is meaningless */

static const struct answer_form as_ai = {.stream = &wire_ai};

/* Without a conversation the session is new. For a message with an id, the session derives from
 * that id, so that a repeated message finds its turn. */
static const char *session_of(struct request *r, const char *dialect,
			      const struct dialect_request *d)
{
	if (d->external_id)
		return request_derived_id(r, dialect, d->external_id);
	if (d->client_msg_id)
		return request_derived_id(r, arena_printf(r->arena, "%s.message", dialect),
					  d->client_msg_id);
	return arena_strdup(r->arena, uuid_new().text);
}

static void start(struct request *r, const struct dialect_request *d, const char *dialect,
		  const struct answer_form *form)
{
	const struct turn_request turn = {
		.who = r->who,
		.session_id = session_of(r, dialect, d),
		.content = d->content,
		.client_msg_id = d->client_msg_id,
		.pack = d->pack,
		.ask_id = d->ask_id,
		.values = d->values,
		.replays = true,
		.origin = d->external_id ? NULL : dialect,
		.history = d->history,
		.history_count = d->history_count,
	};

	chat_start(r, &turn, form);
}

/* ---- AI SDK ---- */

static void ai_headers(struct request *r)
{
	reply_header(r, "x-vercel-ai-ui-message-stream", "v1");
}

void on_post_ui_chat(struct request *r)
{
	struct dialect_request d;
	struct err e;

	if (!ai_read(r->body, r->arena, &d, &e)) {
		reply_invalid(r, &e);
		return;
	}
	ai_headers(r);
	start(r, &d, "ai", &as_ai);
}

static void on_ui_log(void *owner, struct stream_log *log, const struct err *e)
{
	struct request *r = owner;

	r->op = NULL;
	if (e) {
		reply_empty(r, 204);
		return;
	}
	ai_headers(r);
	chat_follow(r, log, &as_ai, 0);
}

static void on_ui_running(void *owner, const char *turn_id)
{
	struct request *r = owner;

	r->op = NULL;
	if (turn_id)
		r->op = stream_find(r->transport->options.streams, turn_id, r->who, NULL, on_ui_log,
				    r);
	else
		reply_empty(r, 204); /* no turn is running */
}

void on_get_ui_stream(struct request *r)
{
	const char *session = request_derived_id(r, "ai", r->params[0]);

	r->op = turn_running(r->transport->options.turns, session, r->who, on_ui_running, r);
}

/* ---- AG-UI ---- */

void on_post_agui(struct request *r)
{
	struct answer_form form = {.stream = &wire_agui};
	struct dialect_request d;
	struct err e;

	if (!agui_read(r->body, r->arena, &d, &e)) {
		reply_invalid(r, &e);
		return;
	}
	form.head.external_id = d.external_id;
	start(r, &d, "agui", &form);
}

/* ---- Chat Completions ---- */

static void view_of(struct request *r, struct catalog_view *out)
{
	catalog_for(turns_knowledge(r->transport->options.turns, r->who->tenant)->catalog, r->who,
		    r->arena, out);
}

/* Packs that the caller may ask, if there are several; NULL-terminated. */
static const char *const *packs_of(struct request *r)
{
	struct catalog_view view;
	const char **packs;
	size_t n = 0;

	view_of(r, &view);
	packs = arena_alloc(r->arena, (view.domain_count + 1) * sizeof(*packs));
	for (size_t i = 0; i < view.domain_count; i++) {
		packs[n] = NULL;
		if (!view.domains[i]->by_cues && !view.domains[i]->permission &&
		    !strlist_has(packs, view.domains[i]->pack))
			packs[n++] = view.domains[i]->pack;
	}
	packs[n > 1 ? n : 0] = NULL;
	return packs;
}

static json_t *model_json(const char *name)
{
	json_t *model = json_object();

	json_set_str(model, "id", name);
	json_set_str(model, "object", "model");
	json_set_int(model, "created", MODEL_CREATED_S);
	json_set_str(model, "owned_by", MODEL);
	return model;
}

void on_get_models(struct request *r)
{
	json_t *list = json_object(), *models = json_list_of(model_json(MODEL));

	for (const char *const *pack = packs_of(r); *pack; pack++)
		json_push_take(models, model_json(arena_printf(r->arena, PACK_MODEL "%s", *pack)));
	json_set_str(list, "object", "list");
	json_set_take(list, "data", models);
	reply_json(r, 200, list);
}

/* Returns false when the model is unknown, which is then answered. */
static bool read_model(struct request *r, const char *name, const char **pack)
{
	const char *rest = strncmp(name, PACK_MODEL, strlen(PACK_MODEL)) == 0
				   ? name + strlen(PACK_MODEL)
				   : NULL;

	*pack = NULL;
	if (strcmp(name, MODEL) == 0)
		return true;
	if (rest && strlist_has(packs_of(r), rest)) {
		*pack = rest;
		return true;
	}
	reply_problem(r, CODE_NOT_FOUND,
		      "This model does not exist. GET /v1/models lists the available models.");
	return false;
}

void on_get_model(struct request *r)
{
	const char *pack;

	if (read_model(r, r->params[0], &pack))
		reply_json(r, 200, model_json(r->params[0]));
}

/* The first example of each of the caller's domains and, as a tag, the first part of its
 * description.
 */
static struct task_answers task_answers(struct request *r)
{
	const char **examples = arena_alloc(r->arena, (TASK_EXAMPLES_MAX + 1) * sizeof(*examples));
	const char **tags = arena_alloc(r->arena, (TASK_EXAMPLES_MAX + 1) * sizeof(*tags));
	struct catalog_view view;
	size_t n = 0, i;

	view_of(r, &view);
	for (i = 0; i < view.domain_count && i < TASK_EXAMPLES_MAX; i++) {
		const struct domain_def *d = view.domains[i];

		tags[i] = arena_strndup(r->arena, d->about, strcspn(d->about, ":."));
		if (d->examples && d->examples[0])
			examples[n++] = d->examples[0];
	}
	tags[i] = examples[n] = NULL;
	return (struct task_answers){examples, tags};
}

/* Answers without a turn: a task is not a question about data, and it is not stored. */
static void answer_task(struct request *r, const struct dialect_request *d, const char *answer)
{
	const struct wire_head head = {.model = d->model, .include_usage = d->include_usage};
	const struct wire_text text = {r->request_id, clock_now_ms() / 1000, str_of(answer)};
	struct buf out;

	buf_init(&out, HTTP_RESPONSE_BYTES_MAX);
	wire_openai_text(&text, &head, d->wants_stream, &out);
	reply_bytes(r, 200, d->wants_stream ? "text/event-stream" : "application/json",
		    buf_text(&out), out.n);
	buf_deinit(&out);
}

/* Reads the client's name for the conversation from a header. With it, the session provides the
 * history. */
static bool read_conversation(struct request *r, struct dialect_request *d, struct err *e)
{
	const char *header = request_conversation(r, &d->external_id);

	if (!header)
		return true;
	d->history_count = 0;
	return dialect_check_id(d->external_id, header, EXTERNAL_ID_BYTES_MAX, e);
}

void on_post_completions(struct request *r)
{
	struct answer_form form = {.write_response = wire_openai_response};
	struct dialect_request d;
	struct task_answers answers;
	const char *task;
	struct err e;

	if (!openai_read(r->body, r->arena, &d, &e)) {
		reply_invalid(r, &e);
		return;
	}
	if (!read_model(r, d.model, &d.pack))
		return;
	answers = task_answers(r);
	task = openai_task_answer(d.content, &answers, r->arena);
	if (task) {
		answer_task(r, &d, task);
		return;
	}
	if (!read_conversation(r, &d, &e)) {
		reply_invalid(r, &e);
		return;
	}
	if (!d.client_msg_id)
		d.client_msg_id = idempotency_id(r, "message");
	form.head = (struct wire_head){.model = d.model, .include_usage = d.include_usage};
	if (d.wants_stream)
		form.stream = &wire_openai;
	start(r, &d, "openai", &form);
}
