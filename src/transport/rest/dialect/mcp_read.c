/*
 * Parses one JSON-RPC message. Errors are reported in a fixed order (shape, era, envelope), so that
 * a client that mixes both eras gets that error first.
 */
#include "mcp_read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/str.h"
#include "vesper/utf8.h"
#include "vesper/wire.h"

#define META          "_meta"
#define META_PREFIX   "io.modelcontextprotocol/"
#define SHOWN_MAX     60 /* bytes of the client's text that an error repeats */
#define BASE64_PREFIX "=?base64?"
#define BASE64_SUFFIX "?="

static bool fail(struct mcp_fault *f, int code, int status, const char *message)
{
	*f = (struct mcp_fault){.code = code, .status = status, .message = message};
	return false;
}

const json_t *mcp_id(const json_t *body)
{
	const json_t *id = json_object_get(body, "id");

	return json_is_integer(id) || json_is_string(id) ? id : NULL;
}

bool mcp_is_legacy_version(const char *version)
{
	static const char *const known[] = {MCP_LEGACY_VERSION, "2025-06-18", "2025-03-26",
					    "2024-11-05", "2024-10-07"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(version, known[i]) == 0)
			return true;
	return false;
}

static bool is_modern_version(const char *version)
{
	return version && strcmp(version, MCP_MODERN_VERSION) == 0;
}

/* ---- Shape ---- */

static bool read_params(const json_t *body, struct mcp_call *out, struct mcp_fault *f)
{
	out->params = json_object_get(body, "params");
	if (!out->params || json_is_object(out->params))
		return true;
	return fail(f, MCP_INVALID_PARAMS, 400, "params: must be an object");
}

static bool read_shape(const json_t *body, struct mcp_call *out, struct mcp_fault *f)
{
	const char *version = json_string_value(json_object_get(body, "jsonrpc"));
	const json_t *id = json_object_get(body, "id");

	if (!body)
		return fail(f, MCP_PARSE, 400, "The body is not valid JSON.");
	if (json_is_array(body))
		return fail(f, MCP_INVALID_REQUEST, 400,
			    "Batches are not supported. Send one message per request.");
	if (!json_is_object(body))
		return fail(f, MCP_INVALID_REQUEST, 400, "The message must be an object.");
	if (!version || strcmp(version, "2.0") != 0)
		return fail(f, MCP_INVALID_REQUEST, 400, "jsonrpc: must be \"2.0\"");
	if (id && !mcp_id(body))
		return fail(f, MCP_INVALID_REQUEST, 400, "id: must be an integer or a text");
	out->id = id;
	out->method = json_string_value(json_object_get(body, "method"));
	if (!json_object_get(body, "method") &&
	    (json_object_get(body, "result") || json_object_get(body, "error"))) {
		out->kind = MCP_RESPONSE;
		return true;
	}
	if (!out->method)
		return fail(f, MCP_INVALID_REQUEST, 400, "method: must be a text");
	out->kind = id ? MCP_REQUEST : MCP_NOTIFICATION;
	return read_params(body, out, f);
}

/* ---- Era ---- */

static const json_t *meta_of(const struct mcp_call *c)
{
	return json_object_get(c->params, META);
}

static bool refuse_version(struct mcp_fault *f, const char *version, struct arena *a)
{
	fail(f, MCP_UNSUPPORTED_VERSION, 400,
	     arena_printf(a, "Protocol version %.*s is not supported.",
			  STR_CUT(version, SHOWN_MAX)));
	f->version = version;
	return false;
}

static bool header_mismatch(struct mcp_fault *f, const char *message)
{
	return fail(f, MCP_HEADER_MISMATCH, 400, message);
}

static bool is_known(const char *version)
{
	return is_modern_version(version) || mcp_is_legacy_version(version);
}

/* Header and body must agree on one era. */
static bool read_era(const struct mcp_headers *h, struct arena *a, struct mcp_call *out,
		     struct mcp_fault *f)
{
	const char *version =
		json_string_value(json_object_get(meta_of(out), META_PREFIX "protocolVersion"));

	if (version && !is_known(version))
		return refuse_version(f, version, a);
	if (h->version && !is_known(h->version))
		return refuse_version(f, h->version, a);
	out->modern = is_modern_version(h->version);
	if (out->kind != MCP_REQUEST)
		return true;
	if (is_modern_version(version) && !out->modern)
		return header_mismatch(f, "MCP-Protocol-Version: must be the version of _meta, "
					  "\"" MCP_MODERN_VERSION "\"");
	if (version && !is_modern_version(version) && out->modern)
		return header_mismatch(f, "_meta: must name the version of MCP-Protocol-Version, "
					  "\"" MCP_MODERN_VERSION "\"");
	return true;
}

/* A header holds plain ASCII; other names are Base64-coded. */
static bool header_matches(const char *header, const char *name)
{
	struct buf coded;
	bool same;

	if (!header)
		return false;
	buf_init(&coded, SIZE_MAX / 2); /* limited by the size of a body */
	buf_str(&coded, BASE64_PREFIX);
	hash_base64(&coded, name, strlen(name));
	buf_str(&coded, BASE64_SUFFIX);
	same = strcmp(header, name) == 0 || strcmp(header, buf_text(&coded)) == 0;
	buf_deinit(&coded);
	return same;
}

/* A proxy may route by the headers, so they must match the body. */
static bool check_headers(const struct mcp_headers *h, const struct mcp_call *c,
			  struct mcp_fault *f)
{
	static const char *const named[][2] = {
		{"tools/call", "name"}, {"prompts/get", "name"}, {"resources/read", "uri"}};

	if (!h->method || strcmp(h->method, c->method) != 0)
		return header_mismatch(f, "Mcp-Method: must be the method of the message");
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		const char *expected = json_string_value(json_object_get(c->params, named[i][1]));

		if (strcmp(c->method, named[i][0]) == 0 && expected &&
		    !header_matches(h->name, expected))
			return header_mismatch(f, "Mcp-Name: must be the name in the message");
	}
	return true;
}

/* ---- Envelope ---- */

static bool invalid_meta(struct mcp_fault *f, const char *message)
{
	return fail(f, MCP_INVALID_PARAMS, 400, message);
}

static bool read_envelope(struct mcp_call *out, struct mcp_fault *f)
{
	const json_t *meta = meta_of(out), *client, *capabilities, *forms;

	if (!json_is_object(meta))
		return invalid_meta(f, "params._meta: must be an object with protocolVersion, "
				       "clientInfo and clientCapabilities");
	if (!json_is_string(json_object_get(meta, META_PREFIX "protocolVersion")))
		return invalid_meta(f,
				    "params._meta." META_PREFIX "protocolVersion: must be a text");
	client = json_object_get(meta, META_PREFIX "clientInfo");
	if (client && !json_is_object(client))
		return invalid_meta(f, "params._meta." META_PREFIX "clientInfo: must be an object");
	capabilities = json_object_get(meta, META_PREFIX "clientCapabilities");
	if (!json_is_object(capabilities))
		return invalid_meta(f, "params._meta." META_PREFIX
				       "clientCapabilities: must be an object");
	forms = json_object_get(capabilities, "elicitation");
	/* Without a mode, elicitation means forms. */
	out->supports_forms =
		json_is_object(forms) &&
		(json_object_size(forms) == 0 || json_is_object(json_object_get(forms, "form")));
	return true;
}

static bool read_progress(struct mcp_call *out, struct mcp_fault *f)
{
	const json_t *token = json_object_get(meta_of(out), "progressToken");

	if (token && !json_is_integer(token) && !json_is_string(token))
		return invalid_meta(f, "params._meta.progressToken: must be an integer or a text");
	out->progress_token = token;
	return true;
}

bool mcp_read(const json_t *body, const struct mcp_headers *headers, struct arena *a,
	      struct mcp_call *out, struct mcp_fault *fault)
{
	*out = (struct mcp_call){.kind = MCP_REQUEST};
	if (!read_shape(body, out, fault) || !read_era(headers, a, out, fault))
		return false;
	if (out->kind != MCP_REQUEST)
		return true;
	if (out->modern && (!check_headers(headers, out, fault) || !read_envelope(out, fault)))
		return false;
	return read_progress(out, fault);
}

/* ---- Arguments of vesper_ask ---- */

static bool read_name(const json_t *args, const char *name, size_t bytes_max, const char **out,
		      struct err *e)
{
	*out = NULL;
	return json_opt_str(args, name, out, e) &&
	       (!*out || dialect_check_id(*out, name, bytes_max, e));
}

static bool read_answer(const json_t *args, struct dialect_request *out, struct err *e)
{
	out->values = json_object_get(args, "values");
	if (!json_is_array(out->values))
		return err_set(e, ERR_INPUT, "values: must be a list of texts");
	if (!out->external_id)
		return err_set(e, ERR_INPUT,
			       "session: must be the session_id of the question that is answered");
	return true;
}

bool mcp_ask_read(const json_t *args, struct dialect_request *out, struct err *e)
{
	*out = (struct dialect_request){0};
	if (!read_name(args, "session", EXTERNAL_ID_BYTES_MAX, &out->external_id, e) ||
	    !read_name(args, "request_id", CLIENT_MSG_ID_BYTES_MAX, &out->client_msg_id, e) ||
	    !read_name(args, "ask_id", EXTERNAL_ID_BYTES_MAX, &out->ask_id, e) ||
	    !json_opt_str(args, "question", &out->content, e))
		return false;
	if (out->ask_id) {
		out->content = NULL; /* the values replace the question */
		return read_answer(args, out, e);
	}
	if (!out->content || utf8_leading_blanks(out->content) == strlen(out->content))
		return err_set(e, ERR_INPUT, "question: must be a text");
	if (strlen(out->content) > MESSAGE_BYTES_MAX)
		return err_set(e, ERR_INPUT, "question: must have at most %d bytes",
			       MESSAGE_BYTES_MAX);
	return true;
}

static bool push_text(json_t *list, const json_t *value)
{
	if (!json_is_string(value))
		return false;
	json_push_take(list, json_deep_copy(value));
	return true;
}

json_t *mcp_form_values(const json_t *content)
{
	const json_t *from = json_object_get(content, MCP_FORM_FROM);
	const json_t *to = json_object_get(content, MCP_FORM_TO);
	json_t *values = json_array();
	const json_t *only, *item;
	bool is_valid = true;
	size_t i;

	if (from && to && json_object_size(content) == 2) {
		is_valid = push_text(values, from) && push_text(values, to);
	} else {
		void *at = json_object_iter((json_t *)(uintptr_t)content);

		only = json_object_size(content) == 1 ? json_object_iter_value(at) : NULL;
		if (!json_is_array(only))
			is_valid = push_text(values, only);
		else
			json_array_foreach((json_t *)(uintptr_t)only, i, item)
				is_valid = is_valid && push_text(values, item);
	}
	if (is_valid)
		return values;
	json_decref(values);
	return NULL;
}

bool mcp_page(const json_t *cursor, size_t count, size_t *from, size_t *to)
{
	const char *text = json_string_value(cursor);

	*from = 0;
	if (text && *text && strlen(text) < 10 && strspn(text, "0123456789") == strlen(text))
		*from = strtoul(text, NULL, 10);
	if (cursor && (*from == 0 || *from >= count))
		return false;
	*to = count - *from > MCP_LIST_MAX ? *from + MCP_LIST_MAX : count;
	return true;
}
