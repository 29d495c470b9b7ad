/*
 * The driver: admits a turn, moves it from state to state by the table, and ends it. Completions
 * only store and wake; only a step picks the next state; turn_enter is the one setter. Deadline,
 * cancel and a lost client all go through turn_stop, and the turn's memory is freed in one place,
 * turn_release.
 */
#include "turn_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

/* A client_msg_id whose turn can still be attached to: as long as the turn's log is kept. */
struct repeat {
	struct list node;
	struct uuid turn_id;
	int64_t until_ms;
	char *key; /* tenant, user, session, client_msg_id */
};

struct turns *turns_new(const struct turns_options *o)
{
	struct turns *all = mem_alloc(sizeof(*all));

	*all = (struct turns){
		.loop = o->loop,
		.streams = o->streams,
		.store = o->store,
		.llm = o->llm,
		.deadline_ms = o->deadline_ms ? o->deadline_ms : TURN_DEADLINE_MS,
		.prompt_tokens = o->prompt_tokens ? (size_t)o->prompt_tokens : PROMPT_TOKENS,
		.grace_ms = o->grace_ms,
		.record = o->record,
		.record_owner = o->record_owner,
		.busy = o->busy,
		.numbers = o->numbers,
		.hide_existence = o->hide_existence,
		.vets_questions = o->vets_questions,
		.link_hosts = o->link_hosts,
		.calendar = o->calendar,
		.places = o->places,
		.place_count = o->place_count,
	};
	list_init(&all->running);
	list_init(&all->repeats);
	return all;
}

void turn_knowledge_release(struct knowledge *k)
{
	if (!k || --k->users > 0)
		return;
	guard_secret_free(&k->prompts);
	toolbox_free(&k->set.tools);
	know_free(&k->set.know);
	catalog_unref(&k->set.catalog);
	mem_free(k);
}

struct knowledge *turn_knowledge_hold(struct turns *all)
{
	all->knowledge->users++;
	return all->knowledge;
}

void turns_use(struct turns *all, const struct turn_knowledge *take)
{
	struct knowledge *k = mem_alloc(sizeof(*k));

	k->set = *take;
	k->prompts = check_prompts(take->catalog);
	k->users = 1;
	turn_knowledge_release(all->knowledge);
	all->knowledge = k;
}

const struct turn_knowledge *turns_knowledge(const struct turns *all)
{
	assert(all->knowledge);
	return &all->knowledge->set;
}

static void repeat_free(struct repeat *r)
{
	list_remove(&r->node);
	mem_free(r->key);
	mem_free(r);
}

size_t turns_running(const struct turns *all)
{
	return all->count;
}

/* ---- one turn's life ---- */

static bool same_session(const struct turn *t, const struct principal *who, const char *session_id)
{
	return principal_same_user(t->who, who) && strcmp(t->request.session_id, session_id) == 0;
}

static void turn_begin(struct turn *t)
{
	t->waiting = false;
	t->began_ms = clock_mono_ms();
	timer_start(t->turn_timer, (uint64_t)t->all->deadline_ms);
	timer_start(t->state_timer, (uint64_t)turn_rows[TURN_ACCEPT].limit_ms);
	turn_wake(t);
}

/* A turn of this session is over: the one that waited longest begins, if none runs. */
static void begin_next(const struct turn *over)
{
	struct turn *next = NULL;

	list_each(node, &over->all->running) {
		struct turn *t = list_item(node, struct turn, node);

		if (!same_session(t, over->who, over->request.session_id))
			continue;
		if (!t->waiting)
			return;
		if (!next)
			next = t;
	}
	if (next)
		turn_begin(next);
}

static void turn_release(struct turn *t)
{
	struct turns *all = t->all;

	assert(t->state == TURN_DONE && t->pending == 0 && !t->op && !t->vet.op && !t->rewrite.op &&
	       !t->run);
	later_cancel(&t->wake);
	timer_free(&t->state_timer);
	timer_free(&t->turn_timer);
	timer_free(&t->grace_timer);
	stream_release(&t->log);
	list_remove(&t->node);
	begin_next(t);
	all->count--;
	metric_set("vesper_chat_turns_running", (int64_t)all->count);
	buf_deinit(&t->answer);
	buf_deinit(&t->recovery.held);
	buf_deinit(&t->rewrite.text);
	check_end(t);
	json_decref(t->checked.items);
	json_decref(t->views);
	json_decref(t->links);
	json_decref(t->suggestions);
	json_decref(t->leaves_standing);
	turn_knowledge_release(t->knowledge);
	principal_free(&t->who);
	arena_free(&t->arena);
	mem_free(t);
	if (all->draining && all->count == 0 && all->on_drained)
		loop_later(all->loop, &all->drained, all->on_drained, all->drained_owner);
}

static void turn_cancel_operations(struct turn *t)
{
	op_cancel(&t->op);
	vet_cancel(t);
	rewrite_cancel(t);
	plan_cancel(&t->run);
	t->pending = 0;
}

/* The process ends and did not get this turn stored in time: the next start closes it as
 * interrupted. */
static void turn_abandon(struct turn *t)
{
	turn_cancel_operations(t);
	t->end = (struct turn_end){.status = MESSAGE_INTERRUPTED};
	if (!stream_closed(t->log))
		say_end(t);
	t->state = TURN_DONE;
	turn_release(t);
}

void turns_free(struct turns **turns)
{
	struct turns *all = *turns;

	*turns = NULL;
	if (!all)
		return;
	list_each_safe(node, &all->running)
		turn_abandon(list_item(node, struct turn, node));
	list_each_safe(repeat, &all->repeats)
		repeat_free(list_item(repeat, struct repeat, node));
	later_cancel(&all->drained);
	turn_knowledge_release(all->knowledge);
	mem_free(all);
}

static void turn_enter(struct turn *t, enum turn_state next)
{
	assert(next < TURN_STATE_COUNT);
	assert(next == TURN_FAILED ? t->state < TURN_FAILED
				   : (turn_rows[t->state].may & (1u << next)) != 0);
	log_debug("turn.state", "%s %s -> %s", t->id.text, turn_state_name(t->state),
		  turn_state_name(next));
	t->state = next;
	t->started = false;
	timer_start(t->state_timer, (uint64_t)turn_rows[next].limit_ms);
}

static void turn_run(struct turn *t)
{
	while (t->pending == 0) {
		enum turn_state next;

		if (arena_over(t->arena) && t->state < TURN_FAILED) {
			err_set(&t->err, ERR_LIMIT, "the turn needs more than %d MiB",
				TURN_ARENA_BYTES >> 20);
			turn_end_error(t, &t->err);
			turn_enter(t, TURN_FAILED);
		}
		next = turn_rows[t->state].step(t);
		if (next == TURN_WAIT)
			return;
		if (t->state == TURN_DONE) {
			turn_release(t);
			return;
		}
		assert(++t->hops < TURN_MAX_HOPS);
		turn_enter(t, next);
	}
}

static void on_wake(void *owner)
{
	struct turn *t = owner;

	/* The answer reached its limit, or the question is refused: the model is stopped here,
	 * outside of any callback of one. */
	if (t->op && (t->cut || (t->state == TURN_ROUTE && t->vet.refuses))) {
		op_cancel(&t->op);
		t->pending--;
	}
	turn_run(t);
}

void turn_wake(struct turn *t)
{
	loop_later(t->all->loop, &t->wake, on_wake, t);
}

/* The one way to stop a turn early. What was shown stays and is stored with its status. */
static void turn_stop(struct turn *t, enum turn_cancel_reason reason)
{
	static const enum message_status status[] = {
		[CANCEL_USER] = MESSAGE_CANCELLED,
		[CANCEL_LEFT] = MESSAGE_CANCELLED,
		[CANCEL_DEADLINE] = MESSAGE_PARTIAL,
		[CANCEL_DRAIN] = MESSAGE_INTERRUPTED,
	};

	if (t->state >= TURN_FAILED || t->cancelled)
		return;
	t->cancelled = true;
	t->waiting = false;
	t->cancel_reason = reason;
	log_info("turn.cancelled", "%s in %s", t->id.text, turn_state_name(t->state));
	if (t->state == TURN_ACCEPT && t->started && reason != CANCEL_DEADLINE) {
		t->dying = true; /* whether the message is stored must be known first: step_accept
				    goes on */
		return;
	}
	turn_cancel_operations(t);
	t->end.status = status[reason];
	t->end.no_save = t->state == TURN_ACCEPT;
	if (reason == CANCEL_DEADLINE) {
		struct err e = {0};

		err_set_retry(&e, ERR_TIMEOUT, "the turn passed its time limit in %s",
			      turn_state_name(t->state));
		turn_end_error(t, &e);
	}
	turn_enter(t, TURN_FAILED);
	turn_wake(t);
}

static void on_deadline(void *owner)
{
	struct turn *t = owner;

	if (t->state == TURN_SAVE) {
		/* The store does not answer: stop waiting, say so. */
		op_cancel(&t->op);
		t->pending = 0;
		err_set_retry(&t->err, ERR_TIMEOUT, "the answer could not be stored in time");
		turn_wake(t);
		return;
	}
	turn_stop(t, CANCEL_DEADLINE);
}

static void on_grace_over(void *owner)
{
	turn_stop(owner, CANCEL_LEFT);
}

static void on_watchers(void *owner, size_t watchers)
{
	struct turn *t = owner;

	if (watchers > 0)
		timer_stop(t->grace_timer);
	else
		timer_start(t->grace_timer, (uint64_t)t->all->grace_ms);
}

/* ---- admission ---- */

static char *repeat_key(const struct turn_request *r)
{
	return mem_printf("%s\x1f%s\x1f%s\x1f%s", r->who->tenant, r->who->user, r->session_id,
			  r->client_msg_id);
}

/* The log of the turn that this client_msg_id started before, if it is still kept. */
static struct stream_log *find_repeat(struct turns *all, const struct turn_request *r)
{
	struct stream_log *log = NULL;
	int64_t now = clock_mono_ms();
	char *key;

	list_each_safe(node, &all->repeats) {
		struct repeat *old = list_item(node, struct repeat, node);

		if (old->until_ms > now)
			break;
		repeat_free(old);
	}
	if (!r->client_msg_id)
		return NULL;
	key = repeat_key(r);
	list_each(node, &all->repeats) {
		struct repeat *old = list_item(node, struct repeat, node);

		if (strcmp(old->key, key) == 0)
			log = stream_find(all->streams, old->turn_id.text, r->who);
	}
	mem_free(key);
	return log;
}

static void remember_repeat(struct turns *all, const struct turn *t)
{
	struct repeat *r;

	if (!t->request.client_msg_id)
		return;
	r = mem_alloc(sizeof(*r));
	r->turn_id = t->id;
	r->until_ms = clock_mono_ms() + all->deadline_ms + EVENT_LOG_KEPT_MS;
	r->key = repeat_key(&t->request);
	list_append(&all->repeats, &r->node);
}

static bool admit(const struct turns *all, const struct turn_request *r, struct err *e)
{
	size_t of_user = 0, in_session = 0;

	assert(uuid_valid(r->session_id));
	assert(!r->content || (*r->content && strlen(r->content) <= MESSAGE_BYTES_MAX));
	if (all->draining)
		return err_set_retry(e, ERR_CANCELLED, "the server is restarting");
	if (!may(r->who, "chat:use"))
		return err_set(e, ERR_DENIED, "chat:use is missing");
	if (all->count >= TURNS_MAX)
		return err_set_retry(e, ERR_LIMIT, "%d turns are running", TURNS_MAX);
	list_each(node, &all->running) {
		const struct turn *t = list_item(node, struct turn, node);

		if (!principal_same_user(t->who, r->who))
			continue;
		if (strcmp(t->request.session_id, r->session_id) == 0 &&
		    (all->busy == TURN_BUSY_REJECT || ++in_session > TURNS_QUEUED_MAX))
			return err_set_retry(e, ERR_BUSY,
					     "a turn of this session is still running");
		if (++of_user >= TURNS_PER_USER_MAX)
			return err_set_retry(e, ERR_LIMIT, "%d turns of this user are running",
					     TURNS_PER_USER_MAX);
	}
	return true;
}

/* What the user said in a choice: its values as one line. */
static const char *values_text(const json_t *values, struct arena *a)
{
	const char *text = "";
	const json_t *value;
	size_t i;

	json_array_foreach(values, i, value)
		text = arena_printf(a, "%s%s%s", text, *text ? ", " : "", ask_value_text(value, a));
	return *text ? text : "(no choice)";
}

static void copy_request(struct turn *t, const struct turn_request *r)
{
	struct arena *a = t->arena;

	t->who = principal_copy(r->who);
	t->request = (struct turn_request){
		.who = t->who,
		.session_id = arena_strdup(a, r->session_id),
		.content = r->content ? arena_strdup(a, r->content) : values_text(r->values, a),
		.client_msg_id = arena_strdup(a, r->client_msg_id),
		.filters = json_own(a, json_deep_copy(r->filters)),
		.ask_id = arena_strdup(a, r->ask_id),
		.values = json_own(a, json_deep_copy(r->values)),
	};
}

struct date turn_today(const struct turns *all, const char *tenant)
{
	for (size_t i = 0; i < all->place_count; i++)
		if (strcmp(all->places[i].tenant, tenant) == 0)
			return zone_today(all->places[i].zone);
	return clock_today();
}

static struct turn *turn_new(struct turns *all, const struct turn_request *r)
{
	struct turn *t = mem_alloc(sizeof(*t));

	t->all = all;
	t->knowledge = turn_knowledge_hold(all);
	t->arena = arena_new(TURN_ARENA_BYTES);
	copy_request(t, r);
	t->id = uuid_new();
	t->user_message_id = uuid_new();
	t->answer_id = uuid_new();
	t->today = turn_today(all, t->who->tenant);
	t->began_ms = clock_mono_ms();
	t->state = TURN_ACCEPT;
	t->intent = "general";
	t->next_call = 1;
	t->views = json_array();
	t->links = json_array();
	t->suggestions = json_array();
	t->aliases = json_own(t->arena, json_object());
	/* What is left out or written anew may be longer than what it stands for. */
	buf_init(&t->answer, 2 * ANSWER_BYTES_MAX);
	catalog_for(t->knowledge->set.catalog, t->who, t->arena, &t->may);
	t->payer = (struct budget_payer){t->who->tenant, t->who->user,
					 catalog_role_of(t->knowledge->set.catalog, t->who)};
	t->state_timer = timer_new(all->loop, on_deadline, t);
	t->turn_timer = timer_new(all->loop, on_deadline, t);
	t->grace_timer = timer_new(all->loop, on_grace_over, t);
	t->log = stream_open(all->streams, t->id.text, t->request.session_id, t->who, on_watchers,
			     t);
	t->sink = stream_sink(t->log);
	return t;
}

/* True: others of this session come first; they are told to stop where that is the policy. */
static bool make_room(struct turns *all, const struct turn_request *r)
{
	bool others = false;

	list_each_safe(node, &all->running) {
		struct turn *t = list_item(node, struct turn, node);

		if (!same_session(t, r->who, r->session_id))
			continue;
		others = true;
		if (all->busy == TURN_BUSY_INTERRUPT)
			turn_stop(t, CANCEL_USER);
	}
	return others;
}

bool turn_start(struct turns *all, const struct turn_request *r, struct stream_log **log,
		struct err *e)
{
	struct stream_log *before = find_repeat(all, r);
	struct turn *t;

	if (before) {
		*log = before;
		return true;
	}
	if (!admit(all, r, e))
		return false;
	t = turn_new(all, r);
	t->waiting = make_room(all, r);
	list_append(&all->running, &t->node);
	all->count++;
	metric_set("vesper_chat_turns_running", (int64_t)all->count);
	remember_repeat(all, t);
	if (!t->waiting)
		turn_begin(t);
	*log = t->log;
	return true;
}

/* ---- from outside ---- */

bool turn_cancel(struct turns *all, const char *turn_id, const struct principal *who,
		 enum turn_cancel_reason reason)
{
	list_each(node, &all->running) {
		struct turn *t = list_item(node, struct turn, node);

		if (strcmp(t->id.text, turn_id) != 0 || !principal_same_user(t->who, who))
			continue;
		turn_stop(t, reason);
		return true;
	}
	return false;
}

const char *turn_running(const struct turns *all, const char *session_id,
			 const struct principal *who)
{
	list_each(node, &all->running) {
		const struct turn *t = list_item(node, struct turn, node);

		if (strcmp(t->request.session_id, session_id) == 0 &&
		    principal_same_user(t->who, who))
			return t->id.text;
	}
	return NULL;
}

void turns_drain(struct turns *all, void (*done)(void *owner), void *owner)
{
	all->draining = true;
	all->on_drained = done;
	all->drained_owner = owner;
	list_each(node, &all->running)
		turn_stop(list_item(node, struct turn, node), CANCEL_DRAIN);
	if (all->count == 0)
		loop_later(all->loop, &all->drained, done, owner);
}
