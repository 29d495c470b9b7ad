/* Internals of the turn: its parts, the state table, and which file writes what. */
#ifndef VESPER_TURN_INT_H
#define VESPER_TURN_INT_H

#include "vesper/answer.h"
#include "vesper/dialog.h"
#include "vesper/hashmap.h"
#include "vesper/list.h"
#include "vesper/planner.h"
#include "vesper/turn.h"

struct turn;

/* A step returns the next state, or starts operations (t->machine.pending++ each) and returns
 * TURN_WAIT. When a completion wakes the turn, the same step runs again and reads the results. */
typedef enum turn_state (*turn_step)(struct turn *t);

struct turn_row {
	turn_step step;
	int64_t limit_ms; /* time limit of this state; the turn is then cancelled as timed out */
	unsigned allowed_next; /* bit set of allowed next states; FAILED is always allowed */
	const char *about;
};

extern const struct turn_row turn_rows[TURN_STATE_COUNT];

struct knowledge {
	struct turn_knowledge set;
	/* Secret prompt texts for the leakage check; the base's, if there is a base. */
	struct guard_secret *prompts;
	struct knowledge *base; /* or NULL */
	size_t refs;
};

struct turns {
	struct loop *loop;
	struct stream_hub *streams;
	struct store *store;
	struct llm *llm;                      /* New reference; NULL: none */
	const struct turn_settings *settings; /* used by new turns */
	struct knowledge_set *knowledge;
	struct list running; /* struct turn, oldest first */
	size_t count;
	struct hashmap by_id;  /* struct turn */
	struct hashmap groups; /* struct turn_group */
	size_t tenants;        /* number of tenants with a group */
	struct load load;
	struct leases leases;
	struct timer *heartbeat_timer; /* NULL: the store is not shared */
	struct list heartbeats;        /* heartbeat statements under way, turn_alive.c */
	struct list calls;             /* tool calls by programs: struct tool_call, turn_tool.c */
	size_t outside_operations;     /* running operations of callers outside the turns */
	struct turn_documents documents;
	void (*record)(void *owner, json_t *take);
	void *record_owner;
	bool draining;
	void (*on_drained)(void *owner);
	void *drained_owner;
	struct deferred drained;
};

/* turn.c: while logs are full, pauses the model calls of turns without a viewer. */
void turn_pause_model(struct turn *t, bool full);

/* knowledge.c: the tenant's current knowledge. New reference. */
struct knowledge *turn_knowledge_ref(struct turns *all, const char *tenant);
/* Today's date in the tenant's time zone. */
struct date turn_today(const struct turns *all, const char *tenant);

/* The running turns of one session, user or tenant, the oldest first. */
struct turn_group {
	struct hashmap_node by_key;
	char *key;
	struct list turns; /* struct turn_membership */
	size_t count;
};

enum turn_group_kind { GROUP_SESSION, GROUP_USER, GROUP_TENANT, GROUP_KINDS };

struct turn_membership {
	struct list node;
	struct turn_group *group;
	struct turn *turn;
};

static inline struct turn *turn_at(const struct list *member)
{
	return list_item(member, struct turn_membership, node)->turn;
}

/* How a turn of a dead replica was taken over by this one. */
enum turn_takeover {
	TAKEOVER_NONE,
	TAKEOVER_RERUN, /* runs again; its answer continues after the text already shown */
	TAKEOVER_CLOSE, /* closed with the text already shown */
};

struct turn_takeover_state {
	enum turn_takeover takeover;
	uint64_t seq;           /* last event that another replica emitted */
	struct event_sink sink; /* drops events that repeat earlier ones */
};

/* State machine of the turn. */
struct turn_machine {
	struct hashmap_node by_id;
	struct turn_membership memberships[GROUP_KINDS];
	enum turn_state state;
	int pending;                  /* running operations */
	bool started;                 /* this state's step has started its operations */
	struct err err;               /* error of the last operation; ERR_NONE: none */
	struct op *op;                /* the operation of this state (store or model) */
	const char *model_text;       /* a model's reply, for the step that called it */
	bool planner;                 /* the planner is called instead of the supervisor */
	bool replanned;               /* a second plan was requested; once a turn */
	enum plan_flaw flaw;          /* why the model's plan cannot run */
	const char *duplicate_turn;   /* earlier turn that answered this message */
	bool reading_stored;          /* the stored answer is being replayed */
	const struct message *stored; /* the stored question and answer; NULL: not read */
	int compacting;               /* substate of COMPACT */
	struct deferred wake;
	struct timer *state_timer, *turn_timer;
	struct {
		struct timer *timer;
		bool viewer_cancelled; /* a viewer has cancelled: the grace period is
					  CANCELLED_GRACE_MS */
		bool paused;           /* its model call is paused */
	} grace;
	int hops;
	bool cancelled;
	bool waiting;                    /* for earlier turns of its session */
	struct op *lease_op;             /* lease operation at the end of the wait */
	struct timer *lease_retry_timer; /* polls the lease while it waits, or NULL */
	int64_t wait_until_ms;           /* limit of waiting for another replica's turn */
	struct turn_takeover_state move;
	bool followed;            /* lost, and local viewers keep reading its log */
	bool lost;                /* another replica runs it: nothing is stored here */
	bool cancel_after_accept; /* cancel as soon as ACCEPT has stored the message */
	enum turn_cancel_reason cancel_reason;
};

/* Each part is written by one folder only (tests/lint/writers.py); the others read it. */
struct turn {
	struct turn_core core;       /* src/turn */
	struct turn_machine machine; /* src/turn */
	struct turn_context context; /* src/dialog */
	struct turn_reading reading; /* src/planner */
	struct turn_work work;       /* src/planner builds it, src/turn runs it */
	struct turn_dialog dialog;   /* src/dialog */
	struct turn_answer answer;   /* src/answer */
	struct turn_end end;         /* turn_end.c */
	const struct turn_settings *settings;
	struct answer_options answers; /* from the settings */
	/* What each folder receives: its own part to write, and the others to read. */
	struct planner_turn for_planner;
	struct dialog_turn for_dialog;
	struct answer_turn for_answer;
};

/* turn.c */
void turn_open(struct turn *t); /* creates its log and timers */
/* Ends the turn in its current state without storing it. */
void turn_abandon(struct turn *t);
void turn_cancel_operations(struct turn *t);
void turn_admitted(struct turn *t); /* no earlier turn of its session runs */
void turn_operation_began(void *turn);
void turn_operation_ended(void *turn);
void turn_wake(struct turn *t); /* a completion has stored its result */
void turn_stop(struct turn *t, enum turn_cancel_reason reason);
/* A viewer has cancelled: cancels the turn unless others watch. */
void turn_viewer_cancelled(struct turn *t);
/* Fails a waiting turn whose session is still busy on another replica. */
void turn_stop_busy(struct turn *t);

/* turn_group.c */
void turn_groups_init(struct turns *all);
/* No turn may be running. */
void turn_groups_deinit(struct turns *all);
/* Adds the turn to its groups; turn_leave_groups removes it. */
void turn_join_groups(struct turn *t);
void turns_update_running(const struct turns *all); /* updates the metric */
void turn_leave_groups(struct turn *t);
/* NULL when no turn runs. */
const struct turn_group *turn_group_of(const struct turns *all, enum turn_group_kind kind,
				       const struct principal *who, const char *session_id);
struct turn *turn_by_id(const struct turns *all, const char *turn_id);
bool turn_group_is(const struct turn_group *g, enum turn_group_kind kind);

/* turn_alive.c: heartbeat of the running turns in a shared store. */
void turns_heartbeat_start(struct turns *all);
void turns_heartbeat_stop(struct turns *all);

/* turn_admit.c */
MUST_CHECK bool turn_admit(const struct turns *all, const struct turn_request *r, struct err *e);
/* Load shedding, before any lease is requested. Returns false with ERR_OVERLOAD. */
MUST_CHECK bool turn_check_load(const struct turns *all, const struct turn_request *r,
				struct err *e);
/* Ids of a turn; a replica that takes the turn over uses the same ones. */
struct turn_ids {
	struct uuid turn, user_message, answer;
};
struct turn *turn_new(struct turns *all, const struct turn_request *r, const struct turn_ids *ids);
/* Counts the turn as running. Earlier turns of its session run first; the interrupt policy cancels
 * them. */
void turn_count_and_queue(struct turn *t);

/* turn_start.c */
#define LEASE_NAME_BYTES (16 + 1 + UUID_BYTES)
struct op *turn_lease(struct turns *all, const struct turn_request *r, const struct turn_ids *ids,
		      bool ignore_once, lease_cb cb, void *owner);
struct op *turn_lease_find(struct turns *all, const char *session_id, const struct principal *who,
			   lease_cb cb, void *owner);
void turn_lease_release(struct turns *all, const char *turn_id);
/* The earlier turns of its session have ended. */
void turn_begin_waiting(struct turn *t);

/* turn_takeover.c */
/* Writes what another replica needs to run the turn, as JSON. */
void turn_write_handover(const struct turn_request *r, const struct turn_ids *ids, struct buf *who,
			 struct buf *turn);
void turn_take_over(struct turns *all, const struct lease_signal *s);
/* Another replica owns the turn: nothing is stored here. followed: local viewers keep reading its
 * log. */
void turn_mark_lost(struct turns *all, const char *turn_id, bool followed);
/* The same for a turn that is about to end. */
void turn_end_lost(struct turn *t, bool followed);
/* ACCEPT of a turn with TAKEOVER_CLOSE. */
enum turn_state turn_close_taken_over(struct turn *t);

/* turn_find.c */
void turn_on_signal(void *owner, const struct lease_signal *s);

/* The steps, by state: state_accept.c, state_compact.c, … */
enum turn_state step_accept(struct turn *t);
enum turn_state step_load(struct turn *t);
enum turn_state step_compact(struct turn *t);
enum turn_state step_understand(struct turn *t);
enum turn_state step_route(struct turn *t);
enum turn_state step_run(struct turn *t);
enum turn_state step_recover(struct turn *t);
enum turn_state step_synth(struct turn *t);
enum turn_state step_answer(struct turn *t);
enum turn_state step_failed(struct turn *t);
enum turn_state step_save(struct turn *t);
enum turn_state step_done(struct turn *t);

/* state_route.c: transitions shared with UNDERSTAND */
/* Runs the plan if the budget allows it. */
enum turn_state turn_run_plan(struct turn *t, struct plan *p);
/* Without a model: runs what code understood, unless that ignores words of the question. */
enum turn_state turn_run_understood(struct turn *t);
enum turn_state turn_refuse(struct turn *t, const struct refusal *why);
/* Replies that no tool matches. With model_unavailable, the reply does not blame the question. */
enum turn_state turn_reply_unmatched(struct turn *t, bool model_unavailable);

/* turn_record.c: the turn as one line of a recorded case. New reference. */
json_t *turn_record(const struct turn *t);

/* turn_budget.c */
/* True when the plan needs models only and the budget is too small for a call. */
bool turn_plan_unaffordable(struct turn *t, const struct plan *p);
/* Ends the turn because its budget is used up. */
enum turn_state turn_end_quota(struct turn *t);

/* turn_end.c: the only writer of how a turn ends */
void turn_end_set(struct turn *t, struct turn_end end);
/* Ends the turn early. no_save: stores no answer, because the message was not stored or its answer
 * already is. */
void turn_end_stopped(struct turn *t, enum message_status status, bool no_save);
void turn_end_status(struct turn *t, enum message_status status);
/* Sets the error of the closing frame. */
void turn_end_error(struct turn *t, const struct err *e);
/* Keeps the text shown so far as a partial answer; a NULL `code` keeps the error code. */
void turn_end_partial(struct turn *t, const char *code, const char *text);
/* Replaces the text of the error only. */
void turn_end_text(struct turn *t, const char *text);
/* Turns a failed turn that has shown text into a partial answer. */
void turn_end_failed(struct turn *t, bool shown);

#endif
