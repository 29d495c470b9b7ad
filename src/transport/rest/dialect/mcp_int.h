/* State and functions that the files of the MCP server share. */
#ifndef VESPER_MCP_INT_H
#define VESPER_MCP_INT_H

#include "http/request.h"
#include "mcp_read.h"
#include "vesper/wire.h"

/* The tool that asks the assistant. */
#define MCP_ASK "vesper_ask"

/* Allocated in the arena of its request. */
struct mcp_request {
	struct request *request;
	struct mcp_call call;
	struct wire_mcp to;
};

/* ---- Answering: exactly one of these ---- */

/* Answers a result with these members. Takes ownership. */
void mcp_reply(struct mcp_request *m, json_t *members_take);
/* Answers a list, with its lifetime in the era whose clients cache lists. Takes ownership. */
void mcp_reply_list(struct mcp_request *m, json_t *members_take);
/* Answers a tool result that is only a sentence. */
void mcp_reply_text(struct mcp_request *m, bool is_error, const char *text);
/* Answers invalid parameters: a protocol error. */
void mcp_refuse(struct mcp_request *m, const char *message);

/* A value as JSON, in the request's arena. */
const char *mcp_text(struct request *r, const json_t *value);

/* ---- Handlers, by file ---- */

void mcp_tools_list(struct mcp_request *m);
void mcp_tools_call(struct mcp_request *m);
void mcp_prompts_list(struct mcp_request *m);
void mcp_prompts_get(struct mcp_request *m);
void mcp_ask(struct mcp_request *m, const json_t *args);
json_t *mcp_ask_tool(void); /* New reference */

#endif
