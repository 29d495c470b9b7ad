/* What clients of other wire formats ask, read into one struct. Pure: nothing is believed that a
 * client says of itself, of its tools or of what was answered before. */
#ifndef VESPER_DIALECT_READ_H
#define VESPER_DIALECT_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/turn.h"

/* Texts are the body's or in the arena. NULL or 0: not said. */
struct dialect_request {
	const char *content;       /* the question; NULL: an answer to a clarifying question */
	const char *ask_id;        /* which it answers */
	json_t *values;            /* with these; owned by the arena; NULL: it wants no answer */
	const char *external_id;   /* the client's name for the conversation */
	const char *client_msg_id; /* of the question: sent twice it is one turn */
	const struct outside_message *history; /* what a client without a conversation brings */
	size_t history_count;
	const char *model; /* Chat Completions */
	const char *pack;  /* that the model stands for; NULL: all */
	bool wants_stream, include_usage;
};

/* POST of the AI SDK's transport: {id, messages, trigger, messageId?, metadata?}. The last message
 * counts: a user's text, or the output of the tool request_user_selection. ERR_INPUT names the
 * member, ERR_LIMIT: too long. */
MUST_CHECK bool ai_read(const json_t *body, struct arena *a, struct dialect_request *out,
			struct err *e);
/* RunAgentInput of AG-UI: {threadId, runId, messages, resume?, …}. */
MUST_CHECK bool agui_read(const json_t *body, struct arena *a, struct dialect_request *out,
			  struct err *e);
/* POST /v1/chat/completions. */
MUST_CHECK bool openai_read(const json_t *body, struct arena *a, struct dialect_request *out,
			    struct err *e);

/* A client's name for a conversation or a message: 1 to bytes_max visible ASCII characters.
 * ERR_INPUT begins with `name`. */
MUST_CHECK bool dialect_check_id(const char *id, const char *name, size_t bytes_max, struct err *e);

/* What tasks of Open WebUI are answered with; lists are ended by NULL. */
struct task_answers {
	const char *const *examples; /* questions to follow up with */
	const char *const *tags;     /* what the caller may ask about */
};
/* A task of Open WebUI for its model (a title, tags, follow-ups), which is no question about data:
 * the answer, in the arena. NULL: the text is a question, which may begin as a task does. */
const char *openai_task_answer(const char *content, const struct task_answers *with,
			       struct arena *a);

#endif
