/*
 * All event logs of the process, by turn id. Finished logs are kept in the order of their end, so
 * expiry evicts from the front. When the count or byte limit is exceeded, the oldest log of the
 * tenant with the most is evicted.
 */
#include "stream_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

struct stream_hub {
	struct loop *loop;
	struct hashmap by_id; /* turn_id -> struct stream_log */
	struct list all;      /* the same logs, as a list */
	struct list finished; /* by time of their end */
	struct shares shares; /* shares of the tenants in the finished logs */
	struct timer *expiry;
	const struct stream_driver *driver; /* NULL: single replica */
	void *driver_self;
	size_t pending_count; /* running find operations */
	size_t live_bytes;    /* of the logs of running turns */
};

static void on_expiry(void *owner);

struct stream_hub *stream_hub_new(struct loop *l)
{
	struct stream_hub *h = mem_alloc(sizeof(*h));

	h->loop = l;
	hashmap_init(&h->by_id);
	list_init(&h->all);
	list_init(&h->finished);
	shares_init(&h->shares, EVENT_LOGS_MAX, EVENT_LOGS_BYTES_MAX);
	h->expiry = timer_new(l, on_expiry, h);
	return h;
}

struct loop *hub_loop(const struct stream_hub *h)
{
	return h->loop;
}

size_t stream_live_bytes(const struct stream_hub *h)
{
	return h->live_bytes;
}

void hub_count(struct stream_log *log)
{
	size_t now = log->is_released ? 0 : log_bytes(log);

	log->hub->live_bytes = log->hub->live_bytes - log->counted_bytes + now;
	log->counted_bytes = now;
}

void hub_add(struct stream_hub *h, struct stream_log *log)
{
	hashmap_add(&h->by_id, &log->by_id, str_of(log->turn_id));
	list_append(&h->all, &log->all);
}

void hub_remove(struct stream_hub *h, struct stream_log *log)
{
	if (log->expires_ms) /* otherwise it never ended on this replica */
		shares_remove(&h->shares, &log->share);
	list_remove(&log->finished);
	list_remove(&log->all);
	hashmap_remove(&h->by_id, &log->by_id);
	log_unref(log);
}

static struct stream_log *oldest(const struct stream_hub *h)
{
	return list_empty(&h->finished) ? NULL
					: list_item(h->finished.next, struct stream_log, finished);
}

static void hub_expire(struct stream_hub *h)
{
	struct stream_log *log;
	int64_t now = clock_mono_ms();

	while ((log = oldest(h)) && log->expires_ms <= now)
		hub_remove(h, log);
	if (log && !timer_is_active(h->expiry))
		timer_start(h->expiry, (uint64_t)(log->expires_ms - now));
}

struct stream_log *hub_find(const struct stream_hub *h, const char *turn_id)
{
	struct hashmap_node *node = hashmap_find(&h->by_id, str_of(turn_id));

	return node ? hashmap_item(node, struct stream_log, by_id) : NULL;
}

void hub_opened(struct stream_hub *h, struct stream_log *log)
{
	if (h->driver && h->driver->opened)
		h->driver->opened(h->driver_self, log);
}

static void on_expiry(void *owner)
{
	hub_expire(owner);
}

void hub_add_finished(struct stream_hub *h, struct stream_log *log)
{
	struct share *excess;

	log->expires_ms = clock_mono_ms() + EVENT_LOG_TTL_MS;
	list_append(&h->finished, &log->finished);
	shares_add(&h->shares, &log->share, str_of(log->who->tenant), log_bytes(log));
	if (log->session_deleted)
		hub_remove(h, log);
	while ((excess = shares_next_to_evict(&h->shares)))
		hub_remove(h, list_item(excess, struct stream_log, share));
	hub_expire(h);
}

void stream_delete_logs(struct stream_hub *h, const char *session_id, const struct principal *who)
{
	list_each_safe(node, &h->all) {
		struct stream_log *log = list_item(node, struct stream_log, all);

		if ((session_id && strcmp(log->session_id, session_id) != 0) ||
		    !principal_same_user(log->who, who))
			continue;
		if (log->is_released)
			hub_remove(h, log);
		else
			log->session_deleted = true;
	}
}

/* The reader needs every permission that the turn ran with. */
static bool has_permissions_of(const struct principal *reader, const struct principal *writer)
{
	for (size_t i = 0; i < writer->permission_count; i++)
		if (!may(reader, writer->permissions[i]))
			return false;
	return true;
}

bool stream_may_read(const struct stream_log *log, const struct principal *who)
{
	return principal_same_user(log->who, who) && has_permissions_of(who, log->who);
}

struct stream_log *stream_find_readable(struct stream_hub *h, const char *turn_id,
					const struct principal *who)
{
	struct stream_log *log;

	hub_expire(h);
	log = hub_find(h, turn_id);
	return log && stream_may_read(log, who) ? log : NULL;
}

struct stream_log *stream_find_local(const struct stream_hub *h, const char *turn_id)
{
	return hub_find(h, turn_id);
}

/* ---- finding a log on any replica ---- */

struct find_operation {
	struct op op;
	struct deferred deferred;
	struct stream_hub *hub;
	struct op *driver_op;       /* operation of the driver */
	struct stream_watch *watch; /* of a follower that has fewer events than the client */
	struct timer *timeout;
	char turn_id[UUID_BYTES];
	const struct principal *who;
	bool (*is_behind)(void *owner, const struct stream_log *log);
	stream_found_cb cb;
	void *owner;
};

static void find_free(struct find_operation *f)
{
	f->hub->pending_count--;
	timer_free(&f->timeout);
	mem_free(f);
}

static void on_find_cancel(struct op *op)
{
	struct find_operation *f = list_item(op, struct find_operation, op);

	deferred_cancel(&f->deferred);
	op_cancel(&f->driver_op);
	stream_watch_free(&f->watch);
	find_free(f);
}

/* The watch keeps the log alive until the callback has returned. */
static void answer(struct find_operation *f, struct stream_log *log, const struct err *e)
{
	struct stream_watch *watch = f->watch;
	stream_found_cb cb = f->cb;
	void *cb_owner = f->owner;

	find_free(f);
	cb(cb_owner, log, e);
	stream_watch_free(&watch);
}

static bool log_is_behind(const struct find_operation *f, const struct stream_log *log)
{
	return f->is_behind && log->is_follower && !log->is_closed && f->is_behind(f->owner, log);
}

static void on_timeout(void *owner)
{
	struct find_operation *f = owner;
	struct stream_log *log = stream_watch_log(f->watch);
	struct err e = {0};

	if (hub_find(f->hub, f->turn_id) == log) {
		answer(f, log, NULL);
		return;
	}
	err_set_retry(&e, ERR_UPSTREAM, "the events of other replicas are unavailable");
	answer(f, NULL, &e);
}

static void on_new_events(void *owner)
{
	struct find_operation *f = owner;

	if (!log_is_behind(f, stream_watch_log(f->watch)))
		on_timeout(f);
}

static void on_found(void *owner, struct stream_log *log, const struct err *e)
{
	struct find_operation *f = owner;

	f->driver_op = NULL;
	if (!log || !log_is_behind(f, log)) {
		answer(f, log, e);
		return;
	}
	f->watch = stream_watch_new(log, log->count, on_new_events, f);
	f->timeout = timer_new(f->hub->loop, on_timeout, f);
	timer_start(f->timeout, STREAM_BEHIND_MS);
}

static void on_find(void *owner)
{
	struct find_operation *f = owner;
	struct stream_hub *h = f->hub;
	struct stream_log *log = stream_find_readable(h, f->turn_id, f->who);
	struct err e = {0};

	if (log) {
		on_found(f, log, NULL);
	} else if (h->driver && *f->turn_id && !hub_find(h, f->turn_id)) {
		f->driver_op = h->driver->find(h->driver_self, f->turn_id, f->who, on_found, f);
	} else {
		err_set(&e, ERR_NOT_FOUND, "this turn has no log");
		on_found(f, NULL, &e);
	}
}

struct op *stream_find(struct stream_hub *h, const char *turn_id, const struct principal *who,
		       bool (*is_behind)(void *owner, const struct stream_log *log),
		       stream_found_cb cb, void *owner)
{
	struct find_operation *f = mem_alloc(sizeof(*f));

	*f = (struct find_operation){.op = {.cancel = on_find_cancel},
				     .hub = h,
				     .who = who,
				     .is_behind = is_behind,
				     .cb = cb,
				     .owner = owner};
	if (uuid_valid(turn_id)) /* otherwise no turn has this id */
		memcpy(f->turn_id, turn_id, UUID_BYTES);
	h->pending_count++;
	loop_defer(h->loop, &f->deferred, on_find, f);
	return &f->op;
}

void stream_hub_set_driver(struct stream_hub *h, const struct stream_driver *driver, void *self)
{
	h->driver = driver;
	h->driver_self = self;
}

void stream_hub_free(struct stream_hub **hub)
{
	struct stream_hub *h = *hub;

	if (!h)
		return;
	*hub = NULL;
	assert(h->pending_count == 0);
	while (oldest(h))
		hub_remove(h, oldest(h));
	assert(list_empty(&h->all)); /* no turn may be running */
	hashmap_deinit(&h->by_id);
	shares_deinit(&h->shares);
	timer_free(&h->expiry);
	mem_free(h);
}
