/*
 * Operations on running turns by id: cancel a turn, or find the running turn of a session. Turns of
 * this process are found at once; for others the leases are read. Callbacks always run from the
 * loop.
 */
#include "turn_int.h"

#include <string.h>

#include "vesper/mem.h"

struct turn_lookup {
	struct op op;
	struct deferred deferred;
	struct turns *all;
	struct op *lookup; /* operation on the leases */
	bool found;
	char turn_id[UUID_BYTES]; /* "": none */
	turn_found_cb on_found;
	turn_id_cb on_id;
	void *owner;
};

static void turn_lookup_free(struct turn_lookup *f)
{
	f->all->outside_operations--;
	mem_free(f);
}

static void on_cancel(struct op *op)
{
	struct turn_lookup *f = list_item(op, struct turn_lookup, op);

	deferred_cancel(&f->deferred);
	op_cancel(&f->lookup);
	turn_lookup_free(f);
}

static void on_answer(void *owner)
{
	struct turn_lookup f = *(struct turn_lookup *)owner;

	turn_lookup_free(owner);
	if (f.on_found)
		f.on_found(f.owner, f.found);
	else
		f.on_id(f.owner, *f.turn_id ? f.turn_id : NULL);
}

static struct turn_lookup *turn_lookup_new(struct turns *all, void *owner)
{
	struct turn_lookup *f = mem_alloc(sizeof(*f));

	*f = (struct turn_lookup){.op = {.cancel = on_cancel}, .all = all, .owner = owner};
	all->outside_operations++;
	return f;
}

/* ---- cancelling ---- */

/* Returns false when no turn of this user runs here. */
static bool stop_local(struct turns *all, const char *turn_id, const struct principal *who,
		       enum turn_cancel_reason reason)
{
	const struct turn_group *g = turn_group_of(all, GROUP_USER, who, NULL);
	struct turn *t = turn_id ? turn_by_id(all, turn_id) : NULL;

	if (turn_id && (!t || !principal_same_user(t->core.who, who)))
		return false;
	if (t && reason == CANCEL_UNWATCHED)
		turn_viewer_cancelled(t);
	else if (t)
		turn_stop(t, reason);
	else if (g)
		list_each_safe(node, &g->turns)
			turn_stop(turn_at(node), reason);
	return g != NULL;
}

static void on_signalled(void *owner, bool found)
{
	struct turn_lookup *f = owner;

	f->lookup = NULL;
	f->found = f->found || found;
	on_answer(f);
}

struct op *turn_cancel(struct turns *all, const char *turn_id, const struct principal *who,
		       enum turn_cancel_reason reason, turn_found_cb cb, void *owner)
{
	const struct lease_signal signal = {.kind = SIGNAL_CANCEL,
					    .tenant = who->tenant,
					    .user = who->user,
					    .holder = turn_id,
					    .reason = (int)reason};
	bool here = stop_local(all, turn_id, who, reason);
	bool elsewhere = !here || !turn_id;
	struct turn_lookup *f;

	if (!cb) {
		if (elsewhere)
			all->leases.driver->signal(all->leases.self, &signal, NULL, NULL);
		return NULL;
	}
	f = turn_lookup_new(all, owner);
	f->on_found = cb;
	f->found = here;
	if (elsewhere)
		f->lookup = all->leases.driver->signal(all->leases.self, &signal, on_signalled, f);
	else
		loop_defer(all->loop, &f->deferred, on_answer, f);
	return &f->op;
}

/* ---- finding the running turn ---- */

static void on_session_lease(void *owner, const struct lease *lease)
{
	struct turn_lookup *f = owner;

	f->lookup = NULL;
	if (lease->kind == LEASE_HELD)
		memcpy(f->turn_id, lease->holder, UUID_BYTES);
	on_answer(f);
}

struct op *turn_running(struct turns *all, const char *session_id, const struct principal *who,
			turn_id_cb cb, void *owner)
{
	const struct turn_group *g = turn_group_of(all, GROUP_SESSION, who, session_id);
	struct turn_lookup *f = turn_lookup_new(all, owner);

	f->on_id = cb;
	if (g) {
		memcpy(f->turn_id, turn_at(g->turns.next)->core.id.text, UUID_BYTES);
		loop_defer(all->loop, &f->deferred, on_answer, f);
	} else {
		f->lookup = turn_lease_find(all, session_id, who, on_session_lease, f);
	}
	return &f->op;
}

void turns_evict(struct turns *all, const char *session_id, const struct principal *who)
{
	const struct lease_signal signal = {.kind = SIGNAL_EVICT,
					    .tenant = who->tenant,
					    .user = who->user,
					    .session = session_id};

	stream_delete_logs(all->streams, session_id, who);
	all->leases.driver->signal(all->leases.self, &signal, NULL, NULL);
}

/* ---- signals from other replicas ---- */

void turn_on_signal(void *owner, const struct lease_signal *s)
{
	struct turns *all = owner;
	const struct principal who = {.tenant = s->tenant, .user = s->user};

	if (s->kind == SIGNAL_TAKE_OVER)
		turn_take_over(all, s);
	else if (s->kind == SIGNAL_LOST)
		turn_mark_lost(all, s->holder, s->followed);
	else if (s->kind == SIGNAL_CANCEL && s->reason >= 0 && s->reason <= CANCEL_DRAIN)
		(void)stop_local(all, s->holder, &who, (enum turn_cancel_reason)s->reason);
	else if (s->kind == SIGNAL_EVICT)
		stream_delete_logs(all->streams, s->session, &who);
}
