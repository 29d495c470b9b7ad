/*
 * The MCP server: POST /mcp, without sessions. A message of either era is parsed (mcp_read.h), its
 * method is looked up, and one JSON object answers it. The permissions are those of the user; this
 * file makes no decisions about data.
 */
#include "mcp_int.h"
#include "rest/http_chat.h"
#include "rest/http_route.h"

#include <string.h>

#include "http/mhd.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define SERVER_NAME "vesper"
#define INSTRUCTIONS                                                                               \
	"Tools read the company's data with the permissions of the signed-in user. Each result "   \
	"says how it ended (outcome) and, where there are rows, how many."

/* ---- Answering ---- */

static void answer_with(struct mcp_request *m, const struct buf *answer)
{
	reply_bytes(m->request, 200, "application/json", buf_text(answer), answer->n);
}

void mcp_reply(struct mcp_request *m, json_t *members_take)
{
	char *text = json_text(members_take);
	struct json_out j;
	struct buf answer;

	buf_init(&answer, SIZE_MAX / 2); /* limited by the size of a catalogue or a text */
	j = wire_mcp_open(&answer, &m->to);
	jo_raw(&j, json_inside(str_of(text)));
	wire_mcp_close(&j, &m->to, "complete");
	answer_with(m, &answer);
	buf_deinit(&answer);
	mem_free(text);
	json_decref(members_take);
}

void mcp_reply_list(struct mcp_request *m, json_t *members_take)
{
	if (m->call.modern) {
		json_set_int(members_take, "ttlMs", MCP_LIST_LIFE_MS);
		json_set_str(members_take, "cacheScope", "private");
	}
	mcp_reply(m, members_take);
}

void mcp_reply_text(struct mcp_request *m, bool is_error, const char *text)
{
	json_t *content = json_make({"type", json_str("text")}, {"text", json_str(text)});

	mcp_reply(m, json_make({"content", json_list_of(content)},
			       {"isError", json_boolean(is_error)}));
}

/* Versions that a client may retry with. */
static json_t *versions_json(const char *requested_version)
{
	return json_make({"supported", json_list_of(json_str(MCP_MODERN_VERSION))},
			 {"requested", json_str(requested_version)});
}

static void fail(struct request *r, const json_t *id, const struct mcp_fault *f)
{
	json_t *error = json_object(), *body = json_object();

	json_set_int(error, "code", f->code);
	json_set_str(error, "message", f->message);
	if (f->version)
		json_set_take(error, "data", versions_json(f->version));
	json_set_str(body, "jsonrpc", "2.0");
	json_set_take(body, "id", id ? json_deep_copy(id) : json_null());
	json_set_take(body, "error", error);
	reply_json(r, f->status, body);
}

void mcp_refuse(struct mcp_request *m, const char *message)
{
	fail(m->request, m->call.id,
	     &(struct mcp_fault){.code = MCP_INVALID_PARAMS, .status = 200, .message = message});
}

/* ---- Description of the server ---- */

static json_t *capabilities(void)
{
	return json_make({"tools", json_object()}, {"prompts", json_object()});
}

static json_t *server_info(void)
{
	return json_make({"name", json_str(SERVER_NAME)}, {"version", json_str(VESPER_VERSION)});
}

static void initialize(struct mcp_request *m)
{
	const json_t *requested_version = json_object_get(m->call.params, "protocolVersion");
	const char *version = json_string_value(requested_version);

	if (!version) {
		mcp_refuse(m, "params.protocolVersion: must be a text");
		return;
	}
	mcp_reply(m, json_make({"protocolVersion",
				json_str(mcp_is_legacy_version(version) ? version
									: MCP_LEGACY_VERSION)},
			       {"capabilities", capabilities()}, {"serverInfo", server_info()},
			       {"instructions", json_str(INSTRUCTIONS)}));
}

static void discover(struct mcp_request *m)
{
	mcp_reply_list(m,
		       json_make({"supportedVersions", json_list_of(json_str(MCP_MODERN_VERSION))},
				 {"capabilities", capabilities()},
				 {"instructions", json_str(INSTRUCTIONS)}));
}

static void ping(struct mcp_request *m)
{
	mcp_reply(m, json_object());
}

/* ---- Dispatch ---- */

static const struct mcp_method {
	const char *name;
	bool legacy, modern;
	void (*handle)(struct mcp_request *m);
} methods[] = {
	{"initialize", true, false, initialize},
	{"ping", true, false, ping},
	{"server/discover", false, true, discover},
	{"tools/list", true, true, mcp_tools_list},
	{"tools/call", true, true, mcp_tools_call},
	{"prompts/list", true, true, mcp_prompts_list},
	{"prompts/get", true, true, mcp_prompts_get},
};

static const struct mcp_method *find_method(const struct mcp_call *c)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (strcmp(methods[i].name, c->method) == 0)
			return (c->modern ? methods[i].modern : methods[i].legacy) ? &methods[i]
										   : NULL;
	return NULL;
}

const char *mcp_text(struct request *r, const json_t *value)
{
	char *text = json_text(value);
	const char *copy = arena_strdup(r->arena, text);

	mem_free(text);
	return copy;
}

static struct mcp_request *request_of(struct request *r, const struct mcp_call *c)
{
	struct mcp_request *m = arena_alloc(r->arena, sizeof(*m));

	*m = (struct mcp_request){
		.request = r,
		.call = *c,
		.to = {.id = str_of(mcp_text(r, c->id)), .modern = c->modern},
	};
	return m;
}

static void dispatch(struct request *r, const struct mcp_call *c)
{
	const struct mcp_method *method = find_method(c);

	if (!method) {
		fail(r, c->id,
		     &(struct mcp_fault){.code = MCP_METHOD_NOT_FOUND,
					 .status = c->modern ? 404 : 200,
					 .message = "This method does not exist in the protocol "
						    "version of the request."});
		return;
	}
	method->handle(request_of(r, c));
}

/* ---- Cancelling ---- */

/* The user's running request with this id. Without sessions, two clients of one user may use the
 * same id; the result is then NULL. */
static struct request *find_running(struct request *r, const json_t *id)
{
	struct request *found = NULL;

	list_each(node, http_server_requests(r->server)) {
		struct request *other = list_item(node, struct request, node);

		if (other == r || other->route != r->route || !other->handled || !other->task ||
		    !principal_same_user(other->who, r->who) ||
		    !json_equal(mcp_id(other->body), id))
			continue;
		if (found)
			return NULL;
		found = other;
	}
	return found;
}

static void cancel(struct request *r, const struct mcp_call *c)
{
	const json_t *id = json_object_get(c->params, "requestId");
	struct request *running = id && !c->modern ? find_running(r, id) : NULL;
	const struct mcp_call cancelled_call = {.id = id};

	if (!running || chat_cancel(running) || !running->op)
		return;
	op_cancel(&running->op);
	mcp_reply_text(request_of(running, &cancelled_call), true, "This call was cancelled.");
}

/* Handles messages that expect no answer. The server sends no requests to clients, so it ignores
 * their responses. */
static void handle_notification(struct request *r, const struct mcp_call *c)
{
	if (c->kind == MCP_NOTIFICATION && strcmp(c->method, "notifications/cancelled") == 0)
		cancel(r, c);
	reply_empty(r, 202);
}

void on_post_mcp(struct request *r)
{
	const struct mcp_headers headers = {
		.version = request_header(r, "MCP-Protocol-Version"),
		.method = request_header(r, "Mcp-Method"),
		.name = request_header(r, "Mcp-Name"),
	};
	struct mcp_fault fault;
	struct mcp_call call;

	if (!mcp_read(r->body, &headers, r->arena, &call, &fault))
		fail(r, mcp_id(r->body), &fault);
	else if (call.kind == MCP_REQUEST)
		dispatch(r, &call);
	else
		handle_notification(r, &call);
}
