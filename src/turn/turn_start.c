/*
 * Starts a turn: takes the lease of the session first, since another replica may hold it, then
 * checks admission. A duplicate message gets the turn that it began earlier.
 */
#include "turn_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

struct turn_start_op {
	struct op op;
	struct turns *all;
	struct turn_request request; /* Borrowed from the caller */
	struct turn_ids ids;
	struct op *lookup; /* the lease, or the log of the earlier turn */
	struct deferred refused;
	struct err why;
	turn_started_cb cb;
	void *owner;
};

/* ---- leases of sessions ---- */

#define USER_HEX 16

/* Writes "<user hash>:<session>": the name tells users apart without naming them. */
static void lease_name(const struct principal *who, const char *session_id,
		       char out[LEASE_NAME_BYTES])
{
	char user[HASH_HEX_BYTES];
	size_t tenant_len = strlen(who->tenant) + 1;
	struct buf tenant_and_user;

	buf_init(&tenant_and_user, SIZE_MAX / 2);
	buf_add(&tenant_and_user, who->tenant, tenant_len);
	buf_str(&tenant_and_user, who->user);
	hash_sha256_hex(tenant_and_user.p, tenant_and_user.n, user);
	buf_deinit(&tenant_and_user);
	assert(strlen(session_id) == UUID_BYTES - 1);
	memcpy(out, user, USER_HEX);
	out[USER_HEX] = ':';
	memcpy(out + USER_HEX + 1, session_id, UUID_BYTES);
}

struct op *turn_lease(struct turns *all, const struct turn_request *r, const struct turn_ids *ids,
		      bool ignore_once, lease_cb cb, void *owner)
{
	char name[LEASE_NAME_BYTES];
	struct buf who, turn;
	struct op *op;

	buf_init(&who, SIZE_MAX / 2);
	buf_init(&turn, SIZE_MAX / 2);
	if (all->leases.driver->shared)
		turn_write_handover(r, ids, &who, &turn);
	const struct str members[] = {
		STR("session"), str_of(r->session_id),   STR("user"), str_of(r->who->user),
		STR("who"),     {buf_text(&who), who.n}, STR("turn"), {buf_text(&turn), turn.n},
		{NULL, 0}};
	const struct lease_request request = {
		.tenant = r->who->tenant,
		.name = name,
		.holder = ids->turn.text,
		.once = r->client_msg_id,
		.ignore_once = ignore_once,
		.members = members,
	};

	lease_name(r->who, r->session_id, name);
	op = all->leases.driver->acquire(all->leases.self, &request, cb, owner);
	buf_deinit(&who);
	buf_deinit(&turn);
	return op;
}

struct op *turn_lease_find(struct turns *all, const char *session_id, const struct principal *who,
			   lease_cb cb, void *owner)
{
	char name[LEASE_NAME_BYTES];

	lease_name(who, session_id, name);
	return all->leases.driver->find(all->leases.self, who->tenant, name, cb, owner);
}

void turn_lease_release(struct turns *all, const char *turn_id)
{
	all->leases.driver->release(all->leases.self, turn_id);
}

/* ---- starting ---- */

static void turn_start_op_free(struct turn_start_op *s)
{
	s->all->outside_operations--;
	mem_free(s);
}

static void on_cancel(struct op *op)
{
	struct turn_start_op *s = list_item(op, struct turn_start_op, op);

	op_cancel(&s->lookup);
	deferred_cancel(&s->refused);
	turn_start_op_free(s);
}

static void start_done(struct turn_start_op *s, struct stream_log *log, const struct err *e)
{
	turn_started_cb cb = s->cb;
	void *owner = s->owner;

	turn_start_op_free(s);
	cb(owner, log, e);
}

static void refuse(struct turn_start_op *s, const struct err *e)
{
	turn_lease_release(s->all, s->ids.turn.text);
	start_done(s, NULL, e);
}

static void on_lease(void *owner, const struct lease *lease);
static void wait_for_other_replica(struct turn *t, const char *holder);

/* Called with the earlier turn's log, or an error if it has none: then the message starts a new
 * turn. */
static void on_earlier_log(void *owner, struct stream_log *log, const struct err *e)
{
	struct turn_start_op *s = owner;

	s->lookup = NULL;
	if (e)
		s->lookup = turn_lease(s->all, &s->request, &s->ids, true, on_lease, s);
	else
		start_done(s, log, NULL);
}

/* An earlier copy of the message that waits in the session; it has no lease yet. */
static struct turn *find_waiting_copy(const struct turn_group *session, const char *client_msg_id)
{
	if (session && client_msg_id)
		list_each(node, &session->turns) {
			const char *other = turn_at(node)->core.request.client_msg_id;

			if (other && strcmp(other, client_msg_id) == 0)
				return turn_at(node);
		}
	return NULL;
}

static void on_lease(void *owner, const struct lease *lease)
{
	struct turn_start_op *s = owner;
	const struct turn_request *r = &s->request;
	const struct turn_group *session =
		turn_group_of(s->all, GROUP_SESSION, r->who, r->session_id);
	struct turn *waiting_copy = find_waiting_copy(session, r->client_msg_id);
	bool held_elsewhere = lease->kind == LEASE_HELD && !session;
	struct err e = {0};
	struct turn *t;

	s->lookup = NULL;
	if (lease->kind == LEASE_REPEATED) {
		s->lookup = stream_find(s->all->streams, lease->holder, r->who, NULL,
					on_earlier_log, s);
		return;
	}
	if (waiting_copy) {
		turn_lease_release(s->all, s->ids.turn.text);
		start_done(s, waiting_copy->core.log, NULL);
		return;
	}
	if (!turn_admit(s->all, r, &e)) {
		refuse(s, &e);
		return;
	}
	if (held_elsewhere && s->all->settings->busy == TURN_BUSY_REJECT) {
		err_set_retry(&e, ERR_BUSY, "a turn of this session runs on another server");
		refuse(s, &e);
		return;
	}
	t = turn_new(s->all, r, &s->ids);
	turn_open(t);
	if (session) /* earlier turns run first; this one can be found meanwhile */
		turn_lease_release(s->all, s->ids.turn.text);
	t->core.fence = lease->fence;
	turn_count_and_queue(t);
	if (held_elsewhere)
		wait_for_other_replica(t, lease->holder);
	else if (!t->machine.waiting)
		turn_admitted(t);
	start_done(s, t->core.log, NULL);
}

static void on_refused(void *owner)
{
	struct turn_start_op *s = owner;
	struct err why = s->why;

	start_done(s, NULL, &why);
}

struct op *turn_start(struct turns *all, const struct turn_request *r, turn_started_cb cb,
		      void *owner)
{
	struct turn_start_op *s = mem_alloc(sizeof(*s));

	assert(uuid_valid(r->session_id)); /* checked by opt_uuid and wire_parse_message */
	*s = (struct turn_start_op){.op = {.cancel = on_cancel},
				    .all = all,
				    .request = *r,
				    .ids = {uuid_new(), uuid_new(), uuid_new()},
				    .cb = cb,
				    .owner = owner};
	all->outside_operations++;
	if (turn_check_load(all, r, &s->why))
		s->lookup = turn_lease(all, r, &s->ids, false, on_lease, s);
	else
		loop_defer(all->loop, &s->refused, on_refused, s);
	return &s->op;
}

/* ---- a turn that has waited ---- */

static void on_next_lease(void *owner, const struct lease *lease)
{
	struct turn *t = owner;

	t->machine.lease_op = NULL;
	if (lease->kind == LEASE_HELD && clock_mono_ms() < t->machine.wait_until_ms) {
		timer_start(t->machine.lease_retry_timer, TURN_LEASE_RETRY_MS);
		return;
	}
	if (lease->kind == LEASE_HELD) {
		turn_stop_busy(t);
		return;
	}
	t->core.fence = lease->fence;
	turn_admitted(t);
}

static void on_retry_lease(void *owner)
{
	turn_begin_waiting(owner);
}

/* Waits for a turn of the session on another replica by polling the lease. */
static void wait_for_other_replica(struct turn *t, const char *holder)
{
	bool interrupts = t->settings->busy == TURN_BUSY_INTERRUPT;

	t->machine.waiting = true;
	t->machine.wait_until_ms = clock_mono_ms() + (interrupts ? TURN_INTERRUPT_MS
								 : (int64_t)t->answers.deadline_ms);
	t->machine.lease_retry_timer = timer_new(t->core.loop, on_retry_lease, t);
	timer_start(t->machine.lease_retry_timer, TURN_LEASE_RETRY_MS);
	if (interrupts)
		(void)turn_cancel(t->core.all, holder, t->core.who, CANCEL_USER, NULL, NULL);
}

void turn_begin_waiting(struct turn *t)
{
	const struct turn_ids ids = {t->core.id, t->core.user_message_id, t->core.answer_id};

	if (!t->machine.lease_op)
		t->machine.lease_op =
			turn_lease(t->core.all, &t->core.request, &ids, true, on_next_lease, t);
}
