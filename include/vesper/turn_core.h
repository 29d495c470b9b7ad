/*
 * Input shared by all parts of a turn: caller, question, permissions, knowledge, date, and the
 * event sink. Written at admission (src/turn); read-only for all other folders. Loop thread only.
 */
#ifndef VESPER_TURN_CORE_H
#define VESPER_TURN_CORE_H

#include <jansson.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/catalog.h"
#include "vesper/dates.h"
#include "vesper/event.h"
#include "vesper/nlu.h"
#include "vesper/list.h"
#include "vesper/principal.h"
#include "vesper/uuid.h"

struct knowledge;
struct loop;
struct stream_log;
struct toolbox;
struct turns;

/* A message of a conversation that the client stores itself: UTF-8, untrusted input. */
enum client_role { CLIENT_ROLE_SYSTEM, CLIENT_ROLE_USER, CLIENT_ROLE_ASSISTANT };
struct client_message {
	enum client_role role;
	struct str text;
};

struct turn_request {
	const struct principal *who;
	const char *session_id; /* UUID; its row is created with the first message */
	const char *content;    /* valid UTF-8, 1..MESSAGE_BYTES_MAX bytes; NULL: `values` are the
				   message */
	const char *client_msg_id; /* or NULL */
	const char *pack;          /* the only pack to use; NULL: all of the tenant */
	const json_t *filters;     /* edited filters; or NULL */
	const char *ask_id;        /* ID of the ask that is answered; or NULL */
	bool replays; /* an idempotent retry streams the stored answer; otherwise it gets only the
			 turn's ID */
	const json_t *values; /* values of the answer; NULL: the ask is skipped if possible, else
				 dropped */
	/* Name of the client that stores the conversation, if it is not the store. The turn is then
	 * stored in a separate session, with this in its metadata. NULL: the session's. */
	const char *origin;
	/* The client's conversation without the question, oldest first; see dialog.h for its
	 * readers. */
	const struct client_message *history;
	size_t history_count;
};

/* Callbacks for parts that start operations; the turn continues when all operations have ended. */
struct turn_operations {
	void (*began)(void *turn);
	void (*ended)(void *turn);
	void *turn;
};

struct turn_core {
	struct list node; /* in the list of running turns */
	struct turns *all;
	struct loop *loop;
	struct knowledge *knowledge; /* of the tenant; a reference until the turn ends */
	struct nlu *nlu;             /* its parts */
	struct toolbox *tools;
	struct arena *arena;
	struct principal *who;
	struct turn_request request; /* deep copy in the arena */
	struct uuid id, user_message_id, answer_id;
	uint64_t fence; /* fencing token of its session's lease; 0: the store decides */
	struct stream_log *log;
	const struct event_sink *sink;
	struct catalog_view may;
	struct date today;
	struct company_calendar calendar;
	int64_t began_ms; /* clock_mono_ms */
	struct turn_operations operations;
};

/* A fixed sentence in the language of the turn's knowledge; see sentence(). */
#define turn_sentence(core, ...) turn_sentence_of(core, __VA_ARGS__)
#define turn_sentence_of(core, which, ...)                                                         \
	sentence((core)->may.catalog->language, which, (core)->arena __VA_OPT__(, ) __VA_ARGS__)

#endif
