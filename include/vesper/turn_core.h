/*
 * What every part of a turn works from: who asks what, with which permissions and knowledge, on
 * which day, and where events go. Written when the turn is admitted (src/turn); everybody else only
 * reads it. Loop thread only.
 */
#ifndef VESPER_TURN_CORE_H
#define VESPER_TURN_CORE_H

#include <jansson.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/catalog.h"
#include "vesper/dates.h"
#include "vesper/event.h"
#include "vesper/know.h"
#include "vesper/list.h"
#include "vesper/principal.h"
#include "vesper/uuid.h"

struct knowledge;
struct loop;
struct stream_log;
struct toolbox;
struct turns;

/* A message of a conversation that the caller's client keeps: UTF-8, untrusted input. */
enum outside_role { OUTSIDE_SYSTEM, OUTSIDE_USER, OUTSIDE_ASSISTANT };
struct outside_message {
	enum outside_role role;
	struct str text;
};

struct turn_request {
	const struct principal *who;
	const char *session_id; /* UUID; its row is made with the first message */
	const char *content; /* valid UTF-8, 1..MESSAGE_BYTES_MAX bytes; NULL: an ask's values speak
				for themselves */
	const char *client_msg_id; /* or NULL */
	const char *pack;          /* the only one that is asked; NULL: all of the tenant */
	const json_t *filters;     /* edited filters, or NULL */
	const char *ask_id;        /* the answer to an ask, or NULL */
	bool replays; /* sent again, the stored answer is told once more; else its turn is named */
	const json_t *values; /* its values; NULL: it is skipped where that is offered, else
				 dropped */
	/* Where the conversation is kept, if that is not the store: the turn is then stored in a
	 * separate session, which has this in its metadata. NULL: the session's. */
	const char *origin;
	/* That conversation, without the question, oldest first; see dialog.h for who reads it. */
	const struct outside_message *history;
	size_t history_count;
};

/* How a part that starts an operation tells the turn of it: the turn goes on when every operation
 * has ended. */
struct turn_operations {
	void (*began)(void *turn);
	void (*ended)(void *turn);
	void *turn;
};

struct turn_core {
	struct list node; /* of the running turns */
	struct turns *all;
	struct loop *loop;
	struct knowledge *knowledge; /* of the tenant, held until the turn is over */
	struct know *know;           /* its parts */
	struct toolbox *tools;
	struct arena *arena;
	struct principal *who;
	struct turn_request request; /* deep copy in the arena */
	struct uuid id, user_message_id, answer_id;
	uint64_t fence; /* of the lease of its session; 0: the store decides */
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
