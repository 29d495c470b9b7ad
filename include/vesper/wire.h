/*
 * What clients see of a turn: projections of its event log. Each wire format is one file of
 * src/wire and a pure function of the log, so every replay gives the same bytes and the same
 * numbers.
 *
 * A client counts the items of its own format, from 1 without gaps. It resumes after an item: the
 * reader begins at the first event again and drops the items that the client has. Loop thread only.
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
extern const struct projection wire_chat; /* frames of /ws/v1/chat, one JSON object an item */
extern const struct projection wire_sse;  /* server-sent events, each with its chat frame */
/* What other programs read; server-sent events without ids. Their clients read from the start. */
extern const struct projection wire_ai;     /* UI message stream of the AI SDK */
extern const struct projection wire_agui;   /* AG-UI */
extern const struct projection wire_openai; /* chunks of Chat Completions */
extern const struct projection wire_mcp;    /* progress of a tool call of MCP, then its result */

/* How many items the log has given so far. */
uint64_t wire_items(const struct stream_log *log, const struct projection *p);

/* Whether the log has not come to these many items yet; false where it never will. */
bool wire_is_behind(const struct stream_log *log, const struct projection *p, uint64_t after);

/* Whether a client that has these many items can go on after them. Not behind the takeover by
 * another replica: what the one before had shown last may be missing in the log, and other items
 * have these numbers now. */
bool wire_can_resume(const struct stream_log *log, const struct projection *p, uint64_t after);

struct wire_mcp;

/* What a client of a dialect said of itself; borrowed by its reader. */
struct wire_head {
	const char *external_id;    /* its name for the conversation; NULL: the session's id */
	const char *model;          /* Chat Completions: the name it asked for */
	bool include_usage;         /* Chat Completions: a last chunk with the usage */
	const struct wire_mcp *mcp; /* MCP */
};

/* MCP: the request that is answered. Texts are borrowed. */
struct wire_mcp {
	struct str id;             /* JSON: a number or a text */
	struct str progress_token; /* the same; p NULL: no progress is told of */
	bool modern;               /* of the era without a handshake */
	/* Adds the picture of a chart view (its JSON) in base64. False: there is none. NULL: no
	 * pictures. */
	bool (*picture)(struct str view, struct buf *out);
	/* What the client brings back with the answer to this clarifying question (its JSON);
	 * NULL: the client shows no forms to its user, so the question is told as text. */
	void (*state)(const void *owner, struct str ask, struct buf *out);
	const void *state_owner;
};
/* Fields of a form that asks for a range of days; any other has one field. */
#define MCP_FORM_FROM "from"
#define MCP_FORM_TO   "to"
/* An answer to it, up to the members of its result; and from behind them to the end: what every
 * result of its era has, and how it ends ("complete", "input_required"). */
struct json_out wire_mcp_open(struct buf *out, const struct wire_mcp *to);
void wire_mcp_close(struct json_out *j, const struct wire_mcp *to, const char *type);

struct wire_reader;
/* Reads from after the item `after` on, which the log must have reached. `wake` may come when
 * nothing is new. */
struct wire_reader *wire_reader_new(struct stream_log *log, const struct projection *p,
				    uint64_t after, void (*wake)(void *owner), void *owner);
/* The next item, or false while there is none. `merging`: adjacent unmarked pieces of the answer
 * go as one item. Valid until the next call. */
MUST_CHECK bool wire_next(struct wire_reader *r, bool merging, struct str *item);
/* The error that ends the reading for this client alone, and not the turn: an item that the log
 * does not have. Valid until the next call. */
void wire_fail(struct wire_reader *r, const char *code, const char *message, struct str *item);
bool wire_ended(const struct wire_reader *r); /* everything was read and the log is closed */
struct stream_log *wire_log(const struct wire_reader *r);
void wire_reader_free(struct wire_reader **r);
/* Before the first item. */
void wire_reader_head(struct wire_reader *r, const struct wire_head *head);

/* The whole answer of one turn, for clients that wait for it. */
struct wire_whole;
struct wire_whole *wire_whole_new(void);
void wire_whole_free(struct wire_whole **w);
void wire_whole_add(struct wire_whole *w, const struct event *event);
/* After the closing event. False: the turn failed, and wire_whole_error says how. */
bool wire_whole_ok(const struct wire_whole *w);
void wire_whole_write(const struct wire_whole *w, const struct stream_log *log, struct buf *out);
/* Code and the other members (", …" of a problem document); valid as long as the whole. */
struct wire_problem {
	const char *code, *message;
	int64_t retry_after_ms;
	struct str members; /* message, retryable, suggestions, …: what a problem document adds */
};
struct wire_problem wire_whole_problem(const struct wire_whole *w);

/* A finished turn as one chat.completion object; false: it failed, and nothing was written. */
MUST_CHECK bool wire_openai_whole(const struct stream_log *log, const struct wire_head *head,
				  struct buf *out);

/* A text that is no turn's, as a completion: whole, or in chunks. */
struct wire_text {
	const char *id; /* of the completion, without its prefix */
	int64_t created_s;
	struct str text;
};
void wire_openai_text(const struct wire_text *t, const struct wire_head *head, bool in_chunks,
		      struct buf *out);

/* The table of a data view (its JSON) in Markdown: at most `rows_max` rows, then how many more
 * there are. Cells can't leave their table. */
void wire_markdown_table(struct buf *out, const json_t *view, size_t rows_max);
void wire_markdown_text(struct buf *out, const char *text);

/* An ended turn as the result of a tool call of MCP; a turn that failed is a result, too. */
MUST_CHECK bool wire_mcp_whole(const struct stream_log *log, const struct wire_head *head,
			       struct buf *out);

/* What a store keeps of an answer beside its text, as two JSON arrays: its views and the first
 * CHECKED_ITEMS_MAX of its checked numbers. */
void wire_stored(const struct stream_log *log, struct buf *views, struct buf *numbers);

/* "chat.thinking", …: the frame that an event of this kind becomes. */
const char *wire_chat_type(enum event_kind kind);

#endif
