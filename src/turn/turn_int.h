/* Inside of the turn: what one turn holds, the table it moves by, and who writes what. */
#ifndef VESPER_TURN_INT_H
#define VESPER_TURN_INT_H

#include "vesper/answer.h"
#include "vesper/dialog.h"
#include "vesper/hashmap.h"
#include "vesper/list.h"
#include "vesper/planner.h"
#include "vesper/turn.h"

struct turn;

/* A step returns the next state, or starts operations (t->pending++ each) and returns TURN_WAIT.
 * When a completion wakes the turn, the same step runs again and looks at what arrived. */
typedef enum turn_state (*turn_step)(struct turn *t);

struct turn_row {
	turn_step step;
	int64_t limit_ms; /* time in this state; past it the turn is cancelled as timed out */
	unsigned may;     /* states it may go to; FAILED is always allowed */
	const char *about;
};

extern const struct turn_row turn_rows[TURN_STATE_COUNT];

struct knowledge {
	struct turn_knowledge set;
	struct guard_secret
		*prompts;       /* what models are told, for nobody else; the base's, if any */
	struct knowledge *base; /* or NULL */
	size_t refs;
};

struct turns {
	struct loop *loop;
	struct stream_hub *streams;
	struct store *store;
	struct llm *llm;                      /* likewise; NULL: none */
	const struct turn_settings *settings; /* of turns that begin now */
	struct knowledge_set *knowledge;
	struct list running; /* struct turn, oldest first */
	size_t count;
	struct hashmap by_id;  /* the same */
	struct hashmap groups; /* struct turn_group */
	size_t tenants;        /* that have one */
	struct load load;
	struct leases leases;
	struct timer *alive;      /* NULL: the store is not shared */
	struct list alive_rounds; /* what is being said to the store, turn_alive.c */
	struct list calls;        /* of programs: struct called, turn_tool.c */
	size_t asking;            /* operations from outside */
	struct turn_documents documents;
	void (*record)(void *owner, json_t *take);
	void *record_owner;
	bool draining;
	void (*on_drained)(void *owner);
	void *drained_owner;
	struct later drained;
};

/* turn.c: where logs are full, the models of turns without a viewer are not read on. */
void turn_hold_back(struct turn *t, bool full);

/* knowledge.c: the tenant's of now, referred to. */
struct knowledge *turn_knowledge_hold(struct turns *all, const char *tenant);
/* What day it is where the tenant is. */
struct date turn_today(const struct turns *all, const char *tenant);

/* The running turns of one session, user or tenant, the oldest first. */
struct turn_group {
	struct hashmap_node by_key;
	char *key;
	struct list turns; /* struct turn_place */
	size_t count;
};

enum turn_group_kind { GROUP_SESSION, GROUP_USER, GROUP_TENANT, GROUP_KINDS };

struct turn_place {
	struct list node;
	struct turn_group *group;
	struct turn *turn;
};

static inline struct turn *turn_at(const struct list *place)
{
	return list_item(place, struct turn_place, node)->turn;
}

/* A turn that began on another replica, which has ended. */
enum turn_taken {
	TAKEN_NOT,
	TAKEN_AGAIN, /* it is run again; its answer goes on behind what was shown */
	TAKEN_CLOSE, /* it is closed: what was shown stays */
};

struct turn_move {
	enum turn_taken taken;
	uint64_t seq;           /* what was said until then was said elsewhere */
	struct event_sink sink; /* ... and is not said again */
};

/* Moves the turn from state to state. */
struct turn_machine {
	struct hashmap_node by_id;
	struct turn_place places[GROUP_KINDS];
	enum turn_state state;
	int pending;            /* operations under way */
	bool started;           /* this state's step has started its operations */
	struct err err;         /* what the last operation failed with; code ERR_NONE: nothing */
	struct op *op;          /* the one operation of this state (store or model) */
	const char *model_text; /* what a model answered, for the step that asked it */
	bool planner;           /* it is asked, in place of the supervisor */
	bool replanned;         /* a second plan was asked for: once a turn */
	enum plan_flaw flaw;    /* of the plan that a model made, when it can't run */
	const char *duplicate_turn;   /* this message was answered by it before */
	bool reading_stored;          /* ... which is told once more */
	const struct message *stored; /* its question and its answer; NULL: not there (yet) */
	int compacting;               /* how far COMPACT is */
	struct later wake;
	struct timer *state_timer, *turn_timer;
	struct {
		struct timer *timer;
		bool left; /* its last viewer does not want it any more */
		bool held; /* its model is not read on */
	} grace;
	int hops;
	bool cancelled;
	bool waiting;              /* for the turns of its session before it */
	struct op *leasing;        /* it waited, and is about to begin */
	struct timer *again_timer; /* ... and is asked for again; or NULL */
	int64_t wait_until_ms;     /* for one on another replica */
	struct turn_move move;
	bool followed;            /* ... and who watches here reads its log on */
	bool lost;                /* another replica runs it: what is said here is not kept */
	bool cancel_after_accept; /* whether the message is stored must be known first */
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
	/* What each folder is handed: its own part, and the others to read. */
	struct planner_turn for_planner;
	struct dialog_turn for_dialog;
	struct answer_turn for_answer;
};

/* turn.c */
void turn_open(struct turn *t); /* its log and its timers */
/* Ends it where it stands, unstored. */
void turn_abandon(struct turn *t);
void turn_cancel_operations(struct turn *t);
void turn_admitted(struct turn *t); /* none of its session runs before it any more */
void turn_operation_began(void *turn);
void turn_operation_ended(void *turn);
void turn_wake(struct turn *t); /* a completion has stored its result */
void turn_stop(struct turn *t, enum turn_cancel_reason reason);
/* A viewer wants no answer any more: it ends unless others watch. */
void turn_left(struct turn *t);
/* Its session is busy elsewhere by now. */
void turn_stop_busy(struct turn *t);

/* turn_group.c */
void turn_groups_init(struct turns *all);
/* No turn runs. */
void turn_groups_deinit(struct turns *all);
/* Counts the turn as running, and not any more. */
void turn_join(struct turn *t);
void turns_tell_running(const struct turns *all); /* to the metrics */
void turn_part(struct turn *t);
/* NULL: none runs. */
const struct turn_group *turn_group_of(const struct turns *all, enum turn_group_kind kind,
				       const struct principal *who, const char *session_id);
struct turn *turn_by_id(const struct turns *all, const char *turn_id);
bool turn_group_is(const struct turn_group *g, enum turn_group_kind kind);

/* turn_alive.c: a shared store hears which turns run here. */
void turns_alive_start(struct turns *all);
void turns_alive_stop(struct turns *all);

/* turn_admit.c */
MUST_CHECK bool turn_admit(const struct turns *all, const struct turn_request *r, struct err *e);
/* Before anything is asked for it: false, ERR_OVERLOAD. */
MUST_CHECK bool turn_fits(const struct turns *all, const struct turn_request *r, struct err *e);
/* The same on each replica that runs it. */
struct turn_ids {
	struct uuid turn, user_message, answer;
};
struct turn *turn_new(struct turns *all, const struct turn_request *r, const struct turn_ids *ids);
/* Counts it as running. Others of its session come first; they are told to stop where that is the
 * policy. */
void turn_make_room(struct turn *t);

/* turn_start.c */
#define LEASE_NAME_BYTES (16 + 1 + UUID_BYTES)
struct op *turn_lease(struct turns *all, const struct turn_request *r, const struct turn_ids *ids,
		      bool anew, lease_cb cb, void *owner);
struct op *turn_lease_look(struct turns *all, const char *session_id, const struct principal *who,
			   lease_cb cb, void *owner);
void turn_lease_release(struct turns *all, const char *turn_id);
/* Those before it in its session are over. */
void turn_begin_waiting(struct turn *t);

/* turn_takeover.c */
/* What another replica needs to run it: JSON, in the buffers. */
void turn_members(const struct turn_request *r, const struct turn_ids *ids, struct buf *who,
		  struct buf *turn);
void turn_take_over(struct turns *all, const struct lease_signal *s);
/* Another replica has it: nothing is stored here. Followed: its log is read on from there. */
void turn_lost(struct turns *all, const char *turn_id, bool followed);
/* The same for a turn that is at its end. */
void turn_let_go(struct turn *t, bool followed);
/* ACCEPT of one that is closed. */
enum turn_state turn_close_taken(struct turn *t);

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

/* state_route.c: ways on that UNDERSTAND takes, too */
/* Runs the plan, as far as the budget allows. */
enum turn_state turn_run_plan(struct turn *t, struct plan *p);
/* Without a model: what code understood, unless that ignores words of the question. */
enum turn_state turn_run_understood(struct turn *t);
enum turn_state turn_refuse(struct turn *t, const struct refusal *why);
/* Code alone finds no tool. That a model would have been asked is not the question's fault. */
enum turn_state turn_reply_unmatched(struct turn *t, bool model_unavailable);

/* turn_record.c: the turn as a line of a case; new reference */
json_t *turn_record(const struct turn *t);

/* turn_budget.c */
/* The plan needs models only, and the budget does not suffice for one. */
bool turn_plan_unaffordable(struct turn *t, const struct plan *p);
/* Ends the turn for want of budget. */
enum turn_state turn_end_quota(struct turn *t);

/* turn_end.c: how the turn ends; its one writer */
void turn_end_set(struct turn *t, struct turn_end end);
/* Stopped early: nothing is stored where the message was not. */
void turn_end_stopped(struct turn *t, enum message_status status, bool no_save);
void turn_end_status(struct turn *t, enum message_status status);
/* What went wrong, as the closing frame says it. */
void turn_end_error(struct turn *t, const struct err *e);
/* What was shown stays; `code` NULL keeps what went wrong. */
void turn_end_partial(struct turn *t, const char *code, const char *text);
/* The same error, in words that fit better. */
void turn_end_text(struct turn *t, const char *text);
/* A failed turn that has shown something is a partial answer. */
void turn_end_failed(struct turn *t, bool shown);

#endif
