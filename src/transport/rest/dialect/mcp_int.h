/* What the files of the MCP server share: a request that is being answered, and how. */
#ifndef VESPER_MCP_INT_H
#define VESPER_MCP_INT_H

#include "http/request.h"
#include "mcp_read.h"
#include "vesper/wire.h"

/* The tool that asks the assistant. */
#define MCP_ASK "vesper_ask"

/* In the arena of its request. */
struct mcp_request {
	struct request *request;
	struct mcp_call call;
	struct wire_mcp to;
};

/* ---- Exactly one of these answers ---- */

/* A result of these members. Takes ownership. */
void mcp_reply(struct mcp_request *m, json_t *members_take);
/* A list: of an era that keeps lists, with how long it is good. Takes ownership. */
void mcp_reply_list(struct mcp_request *m, json_t *members_take);
/* What a tool says when it has nothing to show but a sentence. */
void mcp_reply_text(struct mcp_request *m, bool is_error, const char *text);
/* Parameters that can't be: an error of the protocol. */
void mcp_refuse(struct mcp_request *m, const char *message);

/* A value as JSON, in the request's arena. */
const char *mcp_text(struct request *r, const json_t *value);

/* ---- Handlers, by file ---- */

void mcp_tools_list(struct mcp_request *m);
void mcp_tools_call(struct mcp_request *m);
void mcp_prompts_list(struct mcp_request *m);
void mcp_prompts_get(struct mcp_request *m);
void mcp_ask(struct mcp_request *m, const json_t *args);
json_t *mcp_ask_tool(void); /* new reference */

#endif
