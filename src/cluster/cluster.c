/*
 * One replica of the cluster: its links, its heartbeat, and the takeover of turns of dead replicas.
 * If several replicas see another one dead, one of them gets its turns, each with a new fencing
 * token.
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
#include "vesper/metric.h"

#define ARENA_BYTES 8192
#define BOOT_BYTES  4
#define SECRET_FOR  "vesper: what replicas tell each other"

/* ---- takeover ---- */

struct taking {
	struct cluster_request request;
	struct list node; /* in `takeover_retries` */
	char tenant[128];
	char turn_id[UUID_BYTES];
	uint64_t fence;
};

static void count_takeover(const char *outcome)
{
	static const struct metric takeovers = {
		.name = "vesper_cluster_takeovers_total",
		.help = "Turns of replicas that have ended, by outcome on this replica.",
		.labels = {"outcome"},
	};

	metric_add(&takeovers, (const char *const[]){outcome}, 1);
}

static void announce_run(struct held *h)
{
	char member[sizeof(h->tenant) + UUID_BYTES + 1], lease[CLUSTER_KEY_BYTES], ms[24];
	int n = snprintf(member, sizeof(member), "%s:%s", h->tenant, h->holder);
	int m = snprintf(lease, sizeof(lease), "%s %s %llu", h->holder, h->cluster->replica,
			 (unsigned long long)h->fence);

	cluster_send(
		h->cluster, 3,
		(const struct str[]){STR("SADD"), str_of(h->cluster->turns), {member, (size_t)n}});
	if (*h->lease_key)
		cluster_send(h->cluster, 7,
			     (const struct str[]){STR("EVAL"),
						  STR(MOVE_SCRIPT),
						  STR("1"),
						  str_of(h->lease_key),
						  {lease, (size_t)m},
						  str_of(h->holder),
						  number_text(CLUSTER_LEASE_MS, ms)});
}

/* Starts the turn here, or closes it here. */
static void take(struct cluster *c, const struct taking *t, const struct loaded *l,
		 struct stream_log *log)
{
	struct held *h = held_of(c, t->turn_id);
	struct follow *f = follow_of(c, t->turn_id);
	const struct lease_signal s = {
		.kind = SIGNAL_TAKE_OVER,
		.tenant = t->tenant,
		.user = l->who->user,
		.holder = t->turn_id,
		.session = l->session_id,
		.fence = t->fence,
		.taking = l->taking,
		.who = l->who,
	};

	if (h || !f)
		return; /* it has ended or never left this replica */
	follow_end(f);
	h = held_new(c, t->turn_id, t->tenant);
	h->fence = t->fence;
	snprintf(h->lease_key, sizeof(h->lease_key), "%s", l->lease_key);
	publish_from(h, log, stream_last_seq(log));
	announce_run(h);
	c->on_signal(c->signal_owner, &s); /* adopts the log */
}

static void taking_free(struct taking *t)
{
	t->request.cluster->taking--;
	mem_free(t);
}

/* Removes the turn from this replica's set, where the reap script has put it. */
static void refuse_takeover(const struct taking *t)
{
	struct cluster *c = t->request.cluster;
	char member[sizeof(t->tenant) + UUID_BYTES + 1];
	int n = snprintf(member, sizeof(member), "%s:%s", t->tenant, t->turn_id);

	if (!held_of(c, t->turn_id))
		cluster_send(
			c, 3,
			(const struct str[]){STR("SREM"), str_of(c->turns), {member, (size_t)n}});
}

static void on_loaded(void *owner, const struct loaded *l, struct stream_log *log)
{
	struct taking *t = owner;
	struct cluster *c = t->request.cluster;

	if (log && !stream_closed(log) && c->on_signal && !c->closing) {
		log_info("cluster.take_over", "%s", t->turn_id);
		count_takeover("taken");
		take(c, t, l, log);
	} else if (!l && !c->closing) {
		list_append(&c->takeover_retries,
			    &t->node); /* no reply: retried with the next heartbeat */
		return;
	} else {
		count_takeover(log ? "ended" : "unknown");
		log_info("cluster.take_over", "%s: %s", t->turn_id,
			 log ? "the turn had already ended" : "the turn is unknown");
		if (!c->closing)
			refuse_takeover(t);
	}
	taking_free(t);
}

static bool on_fence(struct cluster_request *q, const redisReply *reply)
{
	const struct taking *t = (const struct taking *)q;
	struct taking *next;

	if (q->cluster->closing)
		return true;
	if (reply && !reply_text(reply).n) { /* its hash is missing: the store closes it */
		refuse_takeover(t);
		return true;
	}
	next = mem_alloc(sizeof(*next));
	*next = *t;
	q->cluster->taking++;
	if (number_read(reply_text(reply), &next->fence))
		(void)cluster_load(q->cluster, t->tenant, t->turn_id, NULL, on_loaded, next);
	else
		list_append(&q->cluster->takeover_retries, &next->node);
	return true;
}

static void on_fence_clean(struct cluster_request *q)
{
	q->cluster->taking--;
}

/* `what` is "tenant:turn". */
static void take_over(struct cluster *c, struct str what)
{
	struct taking *t = cluster_request_new(c, sizeof(*t), false, on_fence, on_fence_clean);
	char hash[CLUSTER_KEY_BYTES], fence[CLUSTER_KEY_BYTES], keep[24];
	size_t tenant = what.n > UUID_BYTES ? what.n - UUID_BYTES : 0;

	if (tenant == 0 || tenant >= sizeof(t->tenant) || what.p[tenant] != ':') {
		mem_free(t);
		return;
	}
	memcpy(t->tenant, what.p, tenant);
	memcpy(t->turn_id, what.p + tenant + 1, UUID_BYTES - 1);
	if (!uuid_valid(t->turn_id)) {
		mem_free(t);
		return;
	}
	cluster_key(hash, "t", t->tenant, t->turn_id);
	cluster_key(fence, "f", t->tenant, "");
	c->taking++;
	cluster_request_send(&t->request, 7,
			     (const struct str[]){STR("EVAL"), STR(TAKE_SCRIPT), STR("2"),
						  str_of(hash), str_of(fence), str_of(c->replica),
						  number_text(CLUSTER_STREAM_TTL_MS, keep)});
}

static void retry_takeovers(struct cluster *c)
{
	struct list all;

	list_init(&all);
	list_each_safe(node, &c->takeover_retries) {
		list_remove(node);
		list_append(&all, node);
	}
	list_each_safe(node, &all) {
		struct taking *t = list_item(node, struct taking, node);
		char what[sizeof(t->tenant) + UUID_BYTES + 1];
		int n = snprintf(what, sizeof(what), "%s:%s", t->tenant, t->turn_id);

		list_remove(node);
		take_over(c, (struct str){what, (size_t)n});
		taking_free(t);
	}
}

static bool on_reaped(struct cluster_request *q, const redisReply *reply)
{
	struct str all = reply_text(reply);

	while (all.n > 0 && !q->cluster->closing)
		take_over(q->cluster, next_word(&all));
	return true;
}

static void reap(struct cluster *c, struct str dead)
{
	struct cluster_request *q = cluster_request_new(c, sizeof(*q), false, on_reaped, NULL);
	int n = dead.n < LEASE_REPLICA_BYTES ? (int)dead.n : LEASE_REPLICA_BYTES;
	char turns[CLUSTER_KEY_BYTES], mark[CLUSTER_KEY_BYTES], ms[24], ttl[24];

	log_warn("cluster.dead", "replica %.*s has missed its heartbeats", n, dead.p);
	snprintf(turns, sizeof(turns), "vesper:{r}:turns:%.*s", n, dead.p);
	snprintf(mark, sizeof(mark), "vesper:{r}:dead:%.*s", n, dead.p);
	cluster_request_send(q, 10,
			     (const struct str[]){STR("EVAL"), STR(REAP_SCRIPT), STR("4"),
						  STR(CLUSTER_ALIVE), str_of(turns), str_of(mark),
						  str_of(c->turns), dead,
						  number_text((uint64_t)c->lease_ms, ms),
						  number_text(CLUSTER_STREAM_TTL_MS, ttl)});
}

/* ---- turns without an owner ---- */

static bool on_own_turns(struct cluster_request *q, const redisReply *reply)
{
	struct cluster *c = q->cluster;

	if (c->closing || c->handing_over || c->taking > 0 || !reply ||
	    reply->type != REDIS_REPLY_ARRAY)
		return true; /* checked again with the next heartbeats */
	for (size_t i = 0; i < reply->elements; i++) {
		struct str what = reply_text(reply->element[i]);

		if (what.n > UUID_BYTES && !held_of(c, what.p + what.n - (UUID_BYTES - 1)))
			take_over(c, what);
	}
	return true;
}

/* If the reply to the reap script is lost, the turns are in this replica's set, but do not run
 * here. They are noticed by the size of the set. */
static void check_own_turns(struct cluster *c, uint64_t in_set)
{
	struct cluster_request *q;

	if (in_set <= c->held.count + c->taking)
		c->beats.surplus = 0;
	else if (++c->beats.surplus == CLUSTER_SURPLUS_BEATS) {
		c->beats.surplus = 0;
		q = cluster_request_new(c, sizeof(*q), false, on_own_turns, NULL);
		cluster_request_send(q, 2, (const struct str[]){STR("SMEMBERS"), str_of(c->turns)});
	}
}

/* ---- heartbeat ---- */

/* Gives up all turns: another replica has taken them over. */
static void abandon_all(struct cluster *c)
{
	log_warn("cluster.dead",
		 "this replica missed its heartbeats; other replicas have taken its turns");
	for (struct hashmap_node *node; (node = hashmap_next(&c->held, NULL));)
		held_lost(hashmap_item(node, struct held, by_holder));
}

static bool on_beat(struct cluster_request *q, const redisReply *reply)
{
	struct cluster *c = q->cluster;
	struct str text = reply_text(reply), word = next_word(&text);
	int64_t now = clock_mono_ms();
	uint64_t in_set;

	c->beats.under_way = false;
	if (c->closing || c->handing_over)
		return true;
	if (str_eq(word, STR("0"))) {
		c->beats.answered_ms = 0;
		abandon_all(c);
	} else if (str_eq(word, STR("1"))) {
		if (now - c->beats.answered_ms > 3 * CLUSTER_BEAT_MS)
			c->beats.connected_since_ms = now;
		c->beats.answered_ms = now;
		if (number_read(next_word(&text), &in_set))
			check_own_turns(c, in_set);
		/* After a pause of the server, all replicas look silent: wait one lease time before
		 * reaping. */
		while (text.n > 0 && now - c->beats.connected_since_ms > c->lease_ms) {
			word = next_word(&text);
			if (!decline_is_fresh(c, word))
				reap(c, word);
		}
	}
	cluster_read(c);
	return true;
}

static void send_beat(struct cluster *c)
{
	struct cluster_request *q = cluster_request_new(c, sizeof(*q), false, on_beat, NULL);
	char mark[CLUSTER_KEY_BYTES], ms[24];

	c->beats.under_way = true;
	snprintf(mark, sizeof(mark), "vesper:{r}:dead:%s", c->replica);
	cluster_request_send(q, 8,
			     (const struct str[]){STR("EVAL"), STR(BEAT_SCRIPT), STR("3"),
						  STR(CLUSTER_ALIVE), str_of(mark),
						  str_of(c->turns), str_of(c->replica),
						  number_text((uint64_t)c->lease_ms, ms)});
}

static void on_tick(void *owner)
{
	struct cluster *c = owner;
	int64_t now = clock_mono_ms();

	if (!c->beats.under_way && !c->handing_over)
		send_beat(c);
	hashmap_each(node, &c->held)
		publish_tick(hashmap_item(node, struct held, by_holder), now);
	follow_tick(c, now);
	if (redis_link_up(c->write))
		retry_takeovers(c);
	cluster_read(c);
}

/* ---- lifecycle ---- */

/* The last events may be lost; remote viewers then read the stored answer. */
void cluster_close(void *self)
{
	struct cluster *c = self;

	assert(c->asking == 0);
	if (c->handing_over && !c->handover_sent)
		cluster_send(c, 4,
			     (const struct str[]){STR("ZADD"), STR(CLUSTER_ALIVE), STR("0"),
						  str_of(c->replica)});
	if (!c->handing_over) {
		hashmap_each(node, &c->held)
			held_leave(hashmap_item(node, struct held, by_holder));
		cluster_send(c, 6,
			     (const struct str[]){STR("EVAL"), STR(LEAVE_SCRIPT), STR("2"),
						  STR(CLUSTER_ALIVE), str_of(c->turns),
						  str_of(c->replica)});
	}
	redis_link_flush(c->write);
	c->closing = true;
	stream_hub_drive(c->hub, NULL, NULL);
	timer_free(&c->beat);
	timer_free(&c->flush);
	redis_link_free(&c->read);
	redis_link_free(&c->write);
	redis_link_free(&c->ask);
	hashmap_each(node, &c->held)
		held_free(hashmap_item(node, struct held, by_holder));
	follow_drop_all(c);
	list_each_safe(node, &c->takeover_retries)
		taking_free(list_item(node, struct taking, node));
	hashmap_deinit(&c->held);
	hashmap_deinit(&c->follows);
	arena_free(&c->arena);
	mem_free(c);
}

static bool name_replica(struct cluster *c, const char *name, struct err *e)
{
	uint8_t boot[BOOT_BYTES];

	if (!*name || strlen(name) > CLUSTER_NAME_BYTES ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.-") != strlen(name))
		return err_set(e, ERR_INPUT,
			       "cluster.replica: lower-case letters, digits, _ . and -, at most %d",
			       CLUSTER_NAME_BYTES);
	hash_random(boot, sizeof(boot));
	snprintf(c->replica, sizeof(c->replica), "%s-%02x%02x%02x%02x", name, boot[0], boot[1],
		 boot[2], boot[3]);
	snprintf(c->inbox, sizeof(c->inbox), "vesper:{r}:in:%s", c->replica);
	snprintf(c->turns, sizeof(c->turns), "vesper:{r}:turns:%s", c->replica);
	snprintf(c->inbox_id, sizeof(c->inbox_id), "0-0");
	return true;
}

static void open_links(struct cluster *c, int64_t timeout_ms)
{
	c->ask = redis_link_new(c->loop, &c->place,
				&(struct redis_link_options){.check = "redis:ask",
							     /* a reader waits this long for new
							      * entries */
							     .due_ms = CLUSTER_FLUSH_MS,
							     .wait_budget_ms = timeout_ms});
	c->write = redis_link_new(
		c->loop, &c->place,
		&(struct redis_link_options){.check = "redis:write", .due_ms = CLUSTER_DUE_MS});
	c->read = redis_link_new(
		c->loop, &c->place,
		&(struct redis_link_options){.check = "redis:read",
					     .due_ms = CLUSTER_BLOCK_MS + CLUSTER_DUE_MS,
					     .reply_bytes = CLUSTER_REPLY_BYTES_MAX,
					     .reply_elements = CLUSTER_REPLY_ELEMENTS_MAX});
}

bool cluster_open(const struct cluster_options *o, struct leases *out, struct err *e)
{
	struct cluster *c = mem_alloc(sizeof(*c));

	c->arena = arena_new(ARENA_BYTES);
	if (!name_replica(c, o->replica, e) || !redis_url_parse(o->url, c->arena, &c->place, e)) {
		arena_free(&c->arena);
		mem_free(c);
		return false;
	}
	c->loop = o->loop;
	c->hub = o->hub;
	c->lease_ms = o->lease_ms;
	c->read_ms = clock_mono_ms();
	assert(*o->secret);
	hash_hmac_sha256(o->secret, strlen(o->secret), SECRET_FOR, sizeof(SECRET_FOR) - 1,
			 c->secret);
	hashmap_init(&c->held);
	hashmap_init(&c->follows);
	list_init(&c->follow_list);
	list_init(&c->takeover_retries);
	open_links(c, o->timeout_ms);
	c->flush = timer_new(c->loop, on_publish_timer, c);
	c->beat = timer_new(c->loop, on_tick, c);
	timer_repeat(c->beat, CLUSTER_BEAT_MS);
	stream_hub_drive(c->hub, &cluster_stream_driver, c);
	log_info("cluster.open", "replica %s", c->replica);
	*out = (struct leases){&cluster_lease_driver, c, c->replica};
	return true;
}
