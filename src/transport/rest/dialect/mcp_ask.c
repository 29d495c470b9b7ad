/*
 * The tool vesper_ask: a question to the assistant, as a turn of a session. A clarifying question
 * is text, or a form where the client supports forms. The form's state is sealed, so that only its
 * user can answer it, in its session, while the question is open.
 */
#include "mcp_int.h"
#include "mcp_state.h"
#include "rest/http_chat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "http/idempotency.h"
#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/uuid.h"
#include "vesper/view.h"

#define CLOSED "This question is no longer open. Ask it again."

/* ---- The tool ---- */

static json_t *schema_member(const char *type, const char *about)
{
	return json_make({"type", json_str(type)}, {"description", json_str(about)});
}

static json_t *input_schema(void)
{
	json_t *values = schema_member("array", "Values of its options that answer the question.");
	json_t *properties = json_object();

	json_set_take(values, "items", json_make({"type", json_str("string")}));
	json_set_take(properties, "question",
		      schema_member("string", "What the user wants to know, in words. Omitted with "
					      "ask_id."));
	json_set_take(properties, "session",
		      schema_member("string",
				    "The session_id of an earlier result, to continue its "
				    "conversation."));
	json_set_take(
		properties, "request_id",
		schema_member("string",
			      "A repeated request_id returns the same answer, not a new one."));
	json_set_take(properties, "ask_id",
		      schema_member("string", "The open question (ask of an earlier result) to "
					      "answer."));
	json_set_take(properties, "values", values);
	return json_make({"type", json_str("object")}, {"properties", properties});
}

static json_t *output_schema(void)
{
	static const char *const required[] = {"status", "text", NULL};
	static const char *const texts[] = {"status", "text", "session_id", "turn_id",
					    "receipt_id"};
	json_t *properties = json_object();

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		json_set_take(properties, texts[i], json_make({"type", json_str("string")}));
	json_set_take(properties, "ask",
		      schema_member("object",
				    "An open question: ask_id, and options with value and "
				    "label. Answer it with a call that has session, ask_id and "
				    "values."));
	return json_make({"type", json_str("object")}, {"required", json_texts(required)},
			 {"properties", properties});
}

json_t *mcp_ask_tool(void)
{
	return json_make(
		{"name", json_str(MCP_ASK)}, {"title", json_str("Ask Vesper")},
		{"description",
		 json_str(
			 "Answers a question about the company's data: finds the tools, runs them "
			 "and writes the answer with checked numbers, tables and links to reports. "
			 "It may ask a clarifying question.")},
		{"inputSchema", input_schema()}, {"outputSchema", output_schema()},
		{"annotations",
		 json_make({"readOnlyHint", json_true()}, {"destructiveHint", json_false()},
			   {"openWorldHint", json_false()})});
}

/* ---- State of a form ---- */

struct form_state {
	struct request *request;
	const char *session;
	uint8_t salt[MCP_SALT_BYTES];
	int64_t expires_ms;
};

static void write_state(const void *owner, struct str ask, struct buf *out)
{
	const struct form_state *form_state = owner;
	const struct principal *who = form_state->request->who;
	json_t *body = NULL;

	if (!json_parse(ask.p, ask.n, ask.n, &body, NULL))
		return; /* the client gets an empty state, which is never accepted */
	mcp_state_seal(out, form_state->request->transport->cursor_key, form_state->salt,
		       &(struct mcp_state){
			       .tenant = who->tenant,
			       .user = who->user,
			       .session = form_state->session,
			       .ask_id = json_string_value(json_object_get(body, "ask_id")),
			       .skip = json_string_value(
				       json_object_get(json_object_get(body, "skip"), "value")),
			       .expires_ms = form_state->expires_ms,
		       });
	json_decref(body);
}

/* ---- The turn ---- */

static bool accepts_events(const struct request *r)
{
	const char *accept = request_header(r, "Accept");

	return accept && strstr(accept, "text/event-stream");
}

static bool write_picture(struct str view, struct buf *out)
{
	json_t *chart = NULL;
	struct buf svg;
	bool drawn;

	buf_init(&svg, SVG_BYTES_MAX);
	drawn = json_parse(view.p, view.n, view.n, &chart, NULL) && view_svg(&svg, chart, NULL);
	if (drawn)
		hash_base64(out, buf_text(&svg), svg.n);
	buf_deinit(&svg);
	json_decref(chart);
	return drawn;
}

static void start(struct mcp_request *m, const struct dialect_request *d, const char *session)
{
	struct request *r = m->request;
	struct answer_form form = {.write_response = wire_mcp_response, .head.mcp = &m->to};
	const struct turn_request turn = {
		.who = r->who,
		.session_id = session,
		.content = d->content,
		.client_msg_id = d->client_msg_id,
		.ask_id = d->ask_id,
		.values = d->values,
		.replays = true,
	};

	m->to.picture = write_picture;
	if (m->call.supports_forms) {
		struct form_state *form_state = arena_alloc(r->arena, sizeof(*form_state));

		*form_state =
			(struct form_state){r, session, {0}, clock_now_ms() + MCP_STATE_LIFE_MS};
		hash_random(form_state->salt, MCP_SALT_BYTES);
		m->to.state = write_state;
		m->to.state_owner = form_state;
	}
	if (m->call.progress_token && accepts_events(r)) {
		m->to.progress_token = str_of(mcp_text(r, m->call.progress_token));
		form.stream = &wire_mcp;
	}
	chat_start(r, &turn, &form);
}

/* The client gives a session's id or its own name for one. With only a request id, the session
 * derives from that, so that a repeated request finds its turn. Otherwise it is a new session. */
static const char *session_of(struct request *r, const struct dialect_request *d)
{
	if (d->external_id)
		return uuid_valid(d->external_id) ? d->external_id
						  : request_derived_id(r, "mcp", d->external_id);
	if (d->client_msg_id)
		return request_derived_id(r, "mcp.message", d->client_msg_id);
	return arena_strdup(r->arena, uuid_new().text);
}

/* ---- An answer from a form ---- */

static void reply_cancelled(struct mcp_request *m, const struct mcp_state *state)
{
	json_t *content = json_make({"type", json_str("text")},
				    {"text", json_str("The question was not answered.")});
	json_t *structured = json_make({"status", json_str("cancelled")}, {"text", json_str("")},
				       {"session_id", json_str(state->session)});

	mcp_reply(m, json_make({"content", json_list_of(content)},
			       {"structuredContent", structured}, {"isError", json_false()}));
}

static void answer(struct mcp_request *m, const struct mcp_state *state, json_t *values_take)
{
	const struct dialect_request d = {
		.ask_id = state->ask_id,
		.values = json_own(m->request->arena, values_take),
	};

	start(m, &d, state->session);
}

static void answer_form(struct mcp_request *m, const struct mcp_state *state,
			const json_t *response)
{
	const char *action = json_string_value(json_object_get(response, "action"));
	json_t *values = NULL;

	if (!action) {
		mcp_refuse(m, "params.inputResponses: must have the action of the question that "
			      "requestState belongs to");
	} else if (strcmp(action, "accept") == 0) {
		values = mcp_form_values(json_object_get(response, "content"));
		if (values)
			answer(m, state, values);
		else
			mcp_refuse(m, "params.inputResponses: content must have the fields of the "
				      "form");
	} else if (strcmp(action, "decline") == 0 && state->skip) {
		answer(m, state, json_list_of(json_str(state->skip)));
	} else if (strcmp(action, "decline") == 0 || strcmp(action, "cancel") == 0) {
		reply_cancelled(m, state);
	} else {
		mcp_refuse(m, "params.inputResponses: action must be accept, decline or cancel");
	}
}

static void continue_call(struct mcp_request *m, const json_t *sealed)
{
	const json_t *responses = json_object_get(m->call.params, "inputResponses");
	const char *text = json_string_value(sealed);
	const struct request *r = m->request;
	struct mcp_state state;

	if (!text)
		mcp_refuse(m, "params.requestState: must be a text");
	else if (!json_is_object(responses))
		mcp_refuse(m, "params.inputResponses: must be an object");
	else if (mcp_state_open(text, r->transport->cursor_key, r->who->tenant, r->who->user,
				clock_now_ms(), r->arena, &state))
		answer_form(m, &state, json_object_get(responses, state.ask_id));
	else
		mcp_reply_text(m, true, CLOSED);
}

void mcp_ask(struct mcp_request *m, const json_t *args)
{
	const json_t *sealed = json_object_get(m->call.params, "requestState");
	struct dialect_request d;
	struct err e;

	if (m->call.modern && (sealed || json_object_get(m->call.params, "inputResponses")))
		continue_call(m, sealed);
	else if (mcp_ask_read(args, &d, &e))
		start(m, &d, session_of(m->request, &d));
	else
		mcp_reply_text(m, true, e.text);
}
