/*
 * Leases: which replica runs the turn of a session. Acquiring is one script, so only one replica
 * succeeds. A turn that began while the server was unavailable is registered when it is available
 * again.
 */
#include "cluster_int.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "scripts.h"
#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/log.h"
#include "vesper/mem.h"

#define MEMBERS_BYTES_MAX (1024 * 1024) /* sealed request with its history */
#define MEMBERS_MAX       8
#define RENEW_MS          (CLUSTER_LEASE_MS / 4)

/* ---- turns of this replica ---- */

struct local_turn *local_turn_find(const struct cluster *c, const char *holder)
{
	struct hashmap_node *node = hashmap_find(&c->local_turns, str_of(holder));

	return node ? hashmap_item(node, struct local_turn, by_holder) : NULL;
}

struct local_turn *local_turn_new(struct cluster *c, const char *holder, const char *tenant)
{
	struct local_turn *h = mem_alloc(sizeof(*h));

	assert(uuid_valid(holder) && strlen(tenant) < sizeof(h->tenant));
	h->cluster = c;
	memcpy(h->holder, holder, UUID_BYTES);
	snprintf(h->tenant, sizeof(h->tenant), "%s", tenant);
	buf_init(&h->members, MEMBERS_BYTES_MAX);
	list_init(&h->viewers);
	h->renewed_ms = clock_mono_ms();
	hashmap_add(&c->local_turns, &h->by_holder, str_of(h->holder));
	return h;
}

void local_turn_free(struct local_turn *h)
{
	struct stream_log *log =
		h->is_handed_over ? stream_running(h->cluster->hub, h->holder) : NULL;

	if (log && h->acked_entry > 0 && publish_is_complete(h))
		follow_taken_over(h);
	else if (log)
		stream_abandon(&log);
	publish_stop(h);
	hashmap_remove(&h->cluster->local_turns, &h->by_holder);
	local_turns_check_handed_over(h->cluster);
	buf_deinit(&h->members);
	mem_free(h);
}

/* Adds or removes "tenant:turn" in the set of this replica. */
static void update_turn_set(struct local_turn *h, bool runs, bool first)
{
	char member[sizeof(h->tenant) + UUID_BYTES + 1];
	int n = snprintf(member, sizeof(member), "%s:%s", h->tenant, h->holder);
	struct cluster *c = h->cluster;
	const struct str name = {member, (size_t)n};
	const struct str in[] = {STR("EVAL"),        STR(RUNS_SCRIPT), STR("2"),
				 STR(CLUSTER_ALIVE), str_of(c->turns), name,
				 str_of(c->replica)};
	const struct str out[] = {STR("SREM"), str_of(c->turns), name};

	(first ? cluster_send_first : cluster_send)(c, runs ? 7 : 3, runs ? in : out);
}

void local_turn_unlist(struct local_turn *h)
{
	update_turn_set(h, false, false);
}

void local_turn_give_up(struct local_turn *h)
{
	struct cluster *c = h->cluster;
	char holder[UUID_BYTES];
	struct lease_signal s = {.kind = SIGNAL_LOST, .tenant = h->tenant, .holder = holder};
	bool runs = !h->is_released && c->on_signal;

	memcpy(holder, h->holder, UUID_BYTES);
	log_warn("cluster.lost", "turn %s runs on another replica", holder);
	/* Local viewers follow the other replica, unless they saw events that the server lacks. */
	s.followed = runs && h->watch && h->acked_entry > 0 &&
		     stream_last_seq(stream_watch_log(h->watch)) == h->acked;
	if (s.followed)
		follow_taken_over(h);
	publish_stop(h);
	h->fence = 0;
	if (runs)
		c->on_signal(c->signal_owner, &s); /* releases it */
	h = local_turn_find(c, holder);
	if (h)
		local_turn_free(h);
}

/* Stops the turn's events. Those already emitted are written before other replicas are asked to
 * take over. */
static void hand_over(struct local_turn *h)
{
	struct cluster *c = h->cluster;
	char holder[UUID_BYTES];
	const struct lease_signal s = {
		.kind = SIGNAL_LOST, .tenant = h->tenant, .holder = holder, .followed = true};

	memcpy(holder, h->holder, UUID_BYTES);
	h->is_handed_over = h->watch && h->fence && stream_running(c->hub, holder);
	if (!h->is_handed_over) {
		local_turn_give_up(h);
		return;
	}
	stream_adopt(c->hub, holder, true, NULL, NULL);
	c->on_signal(c->signal_owner, &s); /* releases it */
}

void local_turns_hand_over(void *self)
{
	struct cluster *c = self;

	c->is_handing_over = true;
	hashmap_each(node, &c->local_turns) {
		struct local_turn *h = hashmap_item(node, struct local_turn, by_holder);

		if (!h->is_released)
			hand_over(h);
	}
	local_turns_check_handed_over(c);
}

void local_turns_check_handed_over(struct cluster *c)
{
	if (!c->is_handing_over || c->is_handover_sent || c->is_closing || c->local_turns.count > 0)
		return;
	/* Score 0 means dead: the next heartbeat of another replica takes the turns. */
	c->is_handover_sent = true;
	cluster_send(c, 4,
		     (const struct str[]){STR("ZADD"), STR(CLUSTER_ALIVE), STR("0"),
					  str_of(c->replica)});
	redis_link_flush(c->write_link);
}

bool local_turn_unregister(struct local_turn *h)
{
	char hash[CLUSTER_KEY_BYTES];

	if (!redis_link_is_up(h->cluster->write_link))
		return false;
	cluster_key(hash, "t", h->tenant, h->holder);
	update_turn_set(h, false, true);
	cluster_send_first(h->cluster, 7,
			   (const struct str[]){STR("EVAL"), STR(UNREGISTER_SCRIPT), STR("3"),
						str_of(h->lease_key), str_of(h->once_key),
						str_of(hash), str_of(h->holder)});
	return true;
}

/* ---- members ---- */

static void purpose_of(char *out, size_t size, const char *turn_id, const char *name)
{
	snprintf(out, size, "member %s %s", turn_id, name);
}

static void add_with_length(struct buf *b, struct str text)
{
	uint32_t n = (uint32_t)text.n;

	buf_add(b, &n, sizeof(n));
	buf_add(b, text.p, text.n);
}

static void add_member(struct local_turn *h, struct str name, struct str value)
{
	char purpose[128];
	struct buf sealed;

	buf_init(&sealed, MEMBERS_BYTES_MAX);
	purpose_of(purpose, sizeof(purpose), h->holder, name.p);
	cluster_seal(h->cluster, &sealed, purpose, value);
	add_with_length(&h->members, name);
	add_with_length(&h->members, (struct str){sealed.p, sealed.n});
	buf_deinit(&sealed);
}

static int copy_members(const struct local_turn *h, struct str *argv)
{
	size_t at = 0;
	int n = 0;

	while (at < h->members.n && n < 2 * MEMBERS_MAX) {
		uint32_t len;

		memcpy(&len, h->members.p + at, sizeof(len));
		argv[n++] = (struct str){h->members.p + at + sizeof(len), len};
		at += sizeof(len) + len;
	}
	return n;
}

void member_open(const struct cluster *c, const char *turn_id, const char *name,
		 const redisReply *sealed, struct buf *out)
{
	char purpose[128];
	struct str text = reply_text(sealed);

	purpose_of(purpose, sizeof(purpose), turn_id, name);
	if (text.p)
		(void)!cluster_unseal(c, out, purpose, text);
}

/* ---- acquiring ---- */

struct acquire_request {
	struct cluster_request request;
	char holder[UUID_BYTES];
	lease_cb cb; /* NULL: registers a running turn */
	void *owner;
};

static bool read_holder(struct str *text, struct lease *out)
{
	struct str holder = next_word(text), replica = next_word(text);

	if (holder.n != UUID_BYTES - 1 || replica.n >= sizeof(out->replica))
		return false;
	memcpy(out->holder, holder.p, holder.n);
	memcpy(out->replica, replica.p, replica.n);
	return uuid_valid(out->holder);
}

/* LEASE_UNKNOWN when the text is malformed. */
static struct lease read_lease(struct str text)
{
	struct lease out = {.kind = LEASE_UNKNOWN}, none = out;
	struct str kind = next_word(&text);

	if (str_eq(kind, STR("ours")) && number_read(text, &out.fence))
		out.kind = LEASE_ACQUIRED;
	else if (str_eq(kind, STR("again")) && read_holder(&text, &out))
		out.kind = LEASE_REPEATED;
	else if (str_eq(kind, STR("held")) && read_holder(&text, &out))
		out.kind = LEASE_HELD;
	return out.kind == LEASE_UNKNOWN ? none : out;
}

static void set_registered(struct local_turn *h, uint64_t fence)
{
	struct stream_log *log =
		h->watch ? stream_watch_log(h->watch) : stream_running(h->cluster->hub, h->holder);

	h->fence = fence;
	h->may_be_registered = false;
	h->renewed_ms = clock_mono_ms();
	if (log)
		/* A turn that waited for its session has emitted events already. */
		publish_from(h, log, 0);
}

static bool on_acquired(struct cluster_request *q, const redisReply *reply)
{
	struct acquire_request *a = (struct acquire_request *)q;
	struct cluster *c = q->cluster;
	struct local_turn *h = local_turn_find(c, a->holder);
	struct lease lease = read_lease(reply_text(reply));

	if (reply && lease.kind == LEASE_UNKNOWN && reply->type != REDIS_REPLY_ERROR)
		redis_link_protocol_error(c->ask_link, "unexpected reply to a lease request");
	if (h)
		h->is_registering = false;
	if (q->is_cancelled) {
		if (h)
			h->fence = lease.fence;
		return true;
	}
	if (h && lease.kind == LEASE_ACQUIRED) {
		memcpy(lease.holder, h->holder, UUID_BYTES);
		set_registered(h, lease.fence);
	} else if (h && lease.kind != LEASE_UNKNOWN && a->cb) {
		update_turn_set(h, false, false);
		local_turn_free(h);
	} else if (h && lease.kind == LEASE_HELD) {
		local_turn_give_up(h);
	}
	if (a->cb)
		a->cb(a->owner, &lease);
	return true;
}

/* Releases a lease whose acquisition was cancelled. */
static void on_acquire_clean(struct cluster_request *q)
{
	if (q->is_cancelled)
		cluster_lease_driver.release(q->cluster, ((struct acquire_request *)q)->holder);
}

static struct op *send_acquire(struct local_turn *h, bool ignore_once, lease_cb cb, void *owner)
{
	struct acquire_request *a = cluster_request_new(h->cluster, sizeof(*a), cb != NULL,
							on_acquired, on_acquire_clean);
	char hash[CLUSTER_KEY_BYTES], fence[CLUSTER_KEY_BYTES], stream[CLUSTER_KEY_BYTES];
	char lease_ms[24], keep_ms[24];
	struct str argv[13 + 2 * MEMBERS_MAX] = {STR("EVAL"),
						 STR(ACQUIRE_SCRIPT),
						 STR("5"),
						 str_of(h->lease_key),
						 str_of(h->once_key),
						 {NULL, 0},
						 {NULL, 0},
						 {NULL, 0},
						 str_of(h->holder),
						 str_of(h->cluster->replica),
						 number_text(CLUSTER_LEASE_MS, lease_ms),
						 number_text(CLUSTER_STREAM_TTL_MS, keep_ms),
						 ignore_once ? STR("1") : STR("0")};

	cluster_key(hash, "t", h->tenant, h->holder);
	cluster_key(fence, "f", h->tenant, "");
	cluster_key(stream, "s", h->tenant, h->holder);
	argv[5] = str_of(hash);
	argv[6] = str_of(fence);
	argv[7] = str_of(stream);
	memcpy(a->holder, h->holder, UUID_BYTES);
	a->cb = cb;
	a->owner = owner;
	a->request.wants_late_reply = true;
	h->may_be_registered = h->may_be_registered || redis_link_is_up(h->cluster->ask_link) ||
			       redis_link_is_up(h->cluster->write_link);
	h->is_registering = true;
	update_turn_set(
		h, true,
		cb != NULL); /* before the lease: otherwise a takeover would miss the turn */
	cluster_request_send(&a->request, 13 + copy_members(h, argv + 13), argv);
	return &a->request.op;
}

void local_turn_register(struct local_turn *h)
{
	if (!h->is_registering && !h->fence && !h->is_released &&
	    redis_link_is_up(h->cluster->write_link))
		(void)send_acquire(h, true, NULL, NULL);
}

static struct op *lease_acquire(void *self, const struct lease_request *r, lease_cb cb, void *owner)
{
	struct cluster *c = self;
	struct local_turn *h = local_turn_find(c, r->holder);
	char name[CLUSTER_KEY_BYTES], once[HASH_HEX_BYTES];

	if (!h)
		h = local_turn_new(c, r->holder, r->tenant);
	buf_reset(&h->members);
	cluster_key(h->lease_key, "x", r->tenant, r->name);
	if (r->once) {
		hash_sha256_hex(r->once, strlen(r->once), once);
		snprintf(name, sizeof(name), "%s:%s", r->name, once);
	} else {
		snprintf(name, sizeof(name), "none");
	}
	cluster_key(h->once_key, "c", r->tenant, name);
	for (const struct str *m = r->members; m && m->p; m += 2)
		add_member(h, m[0], m[1]);
	add_with_length(&h->members, STR("lease"));
	add_with_length(&h->members, str_of(h->lease_key));
	return send_acquire(h, r->ignore_once, cb, owner);
}

/* ---- looking up, renewing, releasing ---- */

struct find_request {
	struct cluster_request request;
	lease_cb cb;
	void *owner;
};

static bool on_found(struct cluster_request *q, const redisReply *reply)
{
	struct find_request *l = (struct find_request *)q;
	struct str text = reply_text(reply);
	struct lease lease = {.kind = LEASE_UNKNOWN};

	if (text.p && read_holder(&text, &lease))
		lease.kind = LEASE_HELD;
	l->cb(l->owner, &lease);
	return true;
}

static struct op *lease_find(void *self, const char *tenant, const char *name, lease_cb cb,
			     void *owner)
{
	struct find_request *l = cluster_request_new(self, sizeof(*l), true, on_found, NULL);
	char key[CLUSTER_KEY_BYTES];

	cluster_key(key, "x", tenant, name);
	l->cb = cb;
	l->owner = owner;
	cluster_request_send(&l->request, 2, (const struct str[]){STR("GET"), str_of(key)});
	return &l->request.op;
}

static void lease_note(void *self, const char *holder, const char *member, struct str value)
{
	struct local_turn *h = local_turn_find(self, holder);
	int64_t now = clock_mono_ms();
	char ms[24];

	(void)member;
	(void)value;
	if (!h || !h->fence || now - h->renewed_ms < RENEW_MS)
		return;
	h->renewed_ms = now;
	cluster_send(h->cluster, 3,
		     (const struct str[]){STR("PEXPIRE"), str_of(h->lease_key),
					  number_text(CLUSTER_LEASE_MS, ms)});
}

/* The session is free at once, even if the last events are still being sent. */
static void lease_release(void *self, const char *holder)
{
	struct local_turn *h = local_turn_find(self, holder);
	char fence[24];

	if (!h || h->is_released)
		return;
	h->is_released = true;
	h->released_ms = clock_mono_ms();
	if (h->fence && !h->cluster->is_handing_over)
		cluster_send_first(h->cluster, 6,
				   (const struct str[]){STR("EVAL"), STR(RELEASE_SCRIPT), STR("1"),
							str_of(h->lease_key), str_of(h->holder),
							number_text(h->fence, fence)});
	publish_tick(h, h->released_ms);
}

static void lease_listen(void *self, lease_signal_cb cb, void *owner)
{
	struct cluster *c = self;

	c->on_signal = cb;
	c->signal_owner = owner;
}

const struct lease_driver cluster_lease_driver = {
	.name = "redis",
	.shared = true,
	.acquire = lease_acquire,
	.find = lease_find,
	.note = lease_note,
	.release = lease_release,
	.listen = lease_listen,
	.signal = cluster_signal,
	.decline = cluster_decline,
	.hand_over = local_turns_hand_over,
	.close = cluster_close,
};
