/* Parses requests of other wire formats into one struct. Pure. What a client states about itself,
 * its tools and earlier answers is untrusted input. */
#ifndef VESPER_DIALECT_READ_H
#define VESPER_DIALECT_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/turn.h"

/* Texts belong to the body or the arena. NULL or 0: absent. */
struct dialect_request {
	const char *content;       /* the question; NULL: an answer to a clarifying question */
	const char *ask_id;        /* the clarifying question that it answers */
	json_t *values;            /* its values, owned by the arena; NULL: cancelled */
	const char *external_id;   /* the client's name for the conversation */
	const char *client_msg_id; /* id of the question; a repeated id is the same turn */
	const struct client_message *history; /* for clients without a conversation */
	size_t history_count;
	const char *model; /* Chat Completions */
	const char *pack;  /* the pack that the model's name selects; NULL: all */
	bool wants_stream, include_usage;
};

/* POST of the AI SDK's transport: {id, messages, trigger, messageId?, metadata?}. The last message
 * counts: a user's text, or the output of the tool request_user_selection. ERR_INPUT: names the
 * invalid member. ERR_LIMIT: too long. */
MUST_CHECK bool ai_read(const json_t *body, struct arena *a, struct dialect_request *out,
			struct err *e);
/* RunAgentInput of AG-UI: {threadId, runId, messages, resume?, …}. */
MUST_CHECK bool agui_read(const json_t *body, struct arena *a, struct dialect_request *out,
			  struct err *e);
/* POST /v1/chat/completions. */
MUST_CHECK bool openai_read(const json_t *body, struct arena *a, struct dialect_request *out,
			    struct err *e);

/* Checks a client's name for a conversation or a message: 1 to bytes_max visible ASCII characters.
 * ERR_INPUT: begins with `name`. */
MUST_CHECK bool dialect_check_id(const char *id, const char *name, size_t bytes_max, struct err *e);

/* Answers to tasks of Open WebUI; lists are NULL-terminated. */
struct task_answers {
	const char *const *examples; /* follow-up questions */
	const char *const *tags;     /* topics that the caller may ask about */
};
/* Recognizes a task of Open WebUI for its model (a title, tags, follow-ups), which is not a
 * question about data. Returns its answer, in the arena. NULL: the text is a question, even if it
 * begins like a task. */
const char *openai_task_answer(const char *content, const struct task_answers *answers,
			       struct arena *a);

#endif
