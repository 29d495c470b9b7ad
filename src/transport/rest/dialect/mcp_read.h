/* Parses what an MCP client sends to POST /mcp. Pure: the input is untrusted. Each request is
 * assigned to one of the protocol's two eras. */
#ifndef VESPER_MCP_READ_H
#define VESPER_MCP_READ_H

#include <jansson.h>
#include <stdbool.h>

#include "dialect_read.h"
#include "vesper/arena.h"
#include "vesper/err.h"

/* The era without a handshake: each request carries its own version and capabilities. */
#define MCP_MODERN_VERSION "2026-07-28"
/* The newest version of the era that begins with `initialize`. */
#define MCP_LEGACY_VERSION "2025-11-25"

/* Codes of JSON-RPC and of the protocol. */
enum {
	MCP_PARSE = -32700,
	MCP_INVALID_REQUEST = -32600,
	MCP_METHOD_NOT_FOUND = -32601,
	MCP_INVALID_PARAMS = -32602,
	MCP_INTERNAL = -32603,
	MCP_HEADER_MISMATCH = -32020,
	MCP_UNSUPPORTED_VERSION = -32022,
};

enum mcp_kind { MCP_REQUEST, MCP_NOTIFICATION, MCP_RESPONSE };

/* Headers of the request; NULL: absent. */
struct mcp_headers {
	const char *version, *method, *name;
};

/* Texts and values belong to the body. */
struct mcp_call {
	enum mcp_kind kind;
	bool modern;
	const json_t *id; /* of a request: an integer or a text */
	const char *method;
	const json_t *params;         /* an object; NULL: none */
	const json_t *progress_token; /* an integer or a text; NULL: no progress requested */
	bool supports_forms;          /* the client shows forms to its user (elicitation) */
};

struct mcp_fault {
	int code, status;
	const char *message; /* in the arena, or constant */
	const char *version; /* MCP_UNSUPPORTED_VERSION: the requested version */
};

/* `body`: any JSON; NULL: it could not be parsed. Returns false with the error to answer in *fault;
 * the answer has the id that mcp_id returns, if any. */
bool mcp_read(const json_t *body, const struct mcp_headers *headers, struct arena *a,
	      struct mcp_call *out, struct mcp_fault *fault);
/* Arguments of vesper_ask: {question, session?, request_id?}, or {ask_id, values, session}.
 * ERR_INPUT: names the invalid member. */
MUST_CHECK bool mcp_ask_read(const json_t *args, struct dialect_request *out, struct err *e);
/* The user's input in a form: values in the order of the question. NULL: not valid as values of any
 * question. New reference. */
json_t *mcp_form_values(const json_t *content);

/* Computes which items of a list of `count` are sent: from *from to before *to, MCP_LIST_MAX at
 * most. A cursor is the number of items before it; NULL: from the first. Returns false for an
 * invalid cursor. */
MUST_CHECK bool mcp_page(const json_t *cursor, size_t count, size_t *from, size_t *to);

/* The id of a request, to be repeated with its type; NULL: absent or invalid. */
const json_t *mcp_id(const json_t *body);
/* Returns true when this version begins with `initialize`. */
bool mcp_is_legacy_version(const char *version);

#endif
