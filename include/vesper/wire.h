/*
 * What clients see of a turn: projections of its event log. Each wire format is one file of
 * src/wire and a pure function of the log, so every replay gives the same bytes and numbers.
 *
 * A client counts the items of its format, from 1 without gaps, and resumes after an item: the
 * reader counts the items of the log's events up to there. Loop thread only.
 */
#ifndef VESPER_WIRE_H
#define VESPER_WIRE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/err.h"
#include "vesper/event.h"
#include "vesper/json_out.h"
#include "vesper/str.h"
#include "vesper/stream.h"

struct projection;
extern const struct projection wire_chat; /* frames of /ws/v1/chat, one JSON object per item */
extern const struct projection wire_sse;  /* server-sent events, each with its chat frame */
/* Formats of other programs: server-sent events without IDs. Their clients read from the start. */
extern const struct projection wire_ai;     /* UI message stream of the AI SDK */
extern const struct projection wire_agui;   /* AG-UI */
extern const struct projection wire_openai; /* chunks of Chat Completions */
extern const struct projection wire_mcp;    /* progress of an MCP tool call, then its result */

/* The number of items in the log so far. */
uint64_t wire_items(const struct stream_log *log, const struct projection *p);

/* Returns true if the log has fewer than `after` items and no other replica has taken the turn
 * over. After a takeover, missing items never arrive. */
bool wire_is_behind(const struct stream_log *log, const struct projection *p, uint64_t after);

/* Returns true if a client that has `after` items can resume after them. False for items after a
 * takeover by another replica: the last items of the previous replica may be missing from the log,
 * and other items may have their numbers now. */
bool wire_can_resume(const struct stream_log *log, const struct projection *p, uint64_t after);

struct wire_mcp;

/* Properties of a client of a dialect; borrowed by its reader. */
struct wire_head {
	const char *external_id;    /* its ID of the conversation; NULL: the session's ID */
	const char *model;          /* Chat Completions: the requested name */
	bool include_usage;         /* Chat Completions: a last chunk with the usage */
	const struct wire_mcp *mcp; /* MCP */
};

/* The MCP request that is answered. Texts are borrowed. */
struct wire_mcp {
	struct str id;             /* JSON: a number or a text */
	struct str progress_token; /* JSON: a number or a text; p NULL: no progress reports */
	bool modern;               /* a protocol version without a handshake */
	/* Appends the picture of a chart view (its JSON) in base64. False: the chart cannot be
	 * drawn. NULL: the client gets no pictures. */
	bool (*picture)(struct str view, struct buf *out);
	/* Appends the state that the client returns with the answer to this clarifying question
	 * (its JSON). NULL: the client cannot show forms, so the question is sent as text. */
	void (*state)(const void *owner, struct str ask, struct buf *out);
	const void *state_owner;
};
/* Fields of a form for a date range; other forms have one field. */
#define MCP_FORM_FROM "from"
#define MCP_FORM_TO   "to"
/* Writes a response up to the members of its result; wire_mcp_close writes the rest: the members
 * that every result of its protocol version has, and the ending ("complete", "input_required"). */
struct json_out wire_mcp_open(struct buf *out, const struct wire_mcp *to);
void wire_mcp_close(struct json_out *j, const struct wire_mcp *to, const char *type);

struct wire_reader;
/* Reads the items after `after`, which the log must have; it must be 0 for wire_ai, wire_agui and
 * wire_openai. `wake` may be called without new items. */
struct wire_reader *wire_reader_new(struct stream_log *log, const struct projection *p,
				    uint64_t after, void (*wake)(void *owner), void *owner);
/* Gets the next item; false: none yet. `merging`: adjacent chunks of the answer without marks are
 * merged into one item. Valid until the next call. */
MUST_CHECK bool wire_next(struct wire_reader *r, bool merging, struct str *item);
/* Writes an error that ends reading for this client but does not affect the turn, as an item that
 * is not in the log. Valid until the next call. */
void wire_fail(struct wire_reader *r, const char *code, const char *message, struct str *item);
bool wire_is_at_end(const struct wire_reader *r); /* everything was read and the log is closed */
struct stream_log *wire_log(const struct wire_reader *r);
void wire_reader_free(struct wire_reader **r);
/* Call before the first item. */
void wire_reader_set_head(struct wire_reader *r, const struct wire_head *head);

/* The complete answer of one turn, for clients that wait for it. */
struct wire_response;
struct wire_response *wire_response_new(void);
void wire_response_free(struct wire_response **w);
void wire_response_add(struct wire_response *w, const struct event *event);
/* Call after the closing event. False: the turn failed; see wire_response_problem. */
bool wire_response_ok(const struct wire_response *w);
void wire_response_write(const struct wire_response *w, const struct stream_log *log,
			 struct buf *out);
/* Code and further members (", …") of a problem document; borrowed from the wire_response. */
struct wire_problem {
	const char *code, *message;
	int64_t retry_after_ms;
	struct str members; /* message, retryable, suggestions, …: members added to a problem
			       document */
};
struct wire_problem wire_response_problem(const struct wire_response *w);

/* Writes a finished turn as one chat.completion object; false: it failed, and nothing was
 * written. */
MUST_CHECK bool wire_openai_response(const struct stream_log *log, const struct wire_head *head,
				     struct buf *out);

/* A text without a turn, as a completion: whole, or in chunks. */
struct wire_text {
	const char *id; /* of the completion, without its prefix */
	int64_t created_s;
	struct str text;
};
void wire_openai_text(const struct wire_text *t, const struct wire_head *head, bool in_chunks,
		      struct buf *out);

/* Appends the table of a data view (its JSON) as Markdown: at most `rows_max` rows, then the number
 * of further rows. Cells are escaped so that they cannot break the table. */
void wire_markdown_table(struct buf *out, const json_t *view, size_t rows_max);
/* Appends a text with its special characters escaped; line ends become blanks. */
void wire_markdown_text(struct buf *out, const char *text);

/* Writes an ended turn as the result of an MCP tool call; a failed turn is a result too. */
MUST_CHECK bool wire_mcp_response(const struct stream_log *log, const struct wire_head *head,
				  struct buf *out);

/* The parts of an answer that are stored with its text, as two JSON arrays: its views and the first
 * CHECKED_ITEMS_MAX of its checked numbers. */
void wire_stored(const struct stream_log *log, struct buf *views, struct buf *numbers);

/* The frame type of an event kind: "chat.thinking", … */
const char *wire_chat_type(enum event_kind kind);

#endif
