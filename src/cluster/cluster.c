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

#define ARENA_BYTES    8192
#define BOOT_BYTES     4
#define SECRET_PURPOSE "vesper: what replicas tell each other"

/* ---- takeover ---- */

struct takeover {
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
		.help = "Takeovers of turns of dead replicas, by outcome on this replica.",
		.labels = {"outcome"},
	};

	metric_add(&takeovers, (const char *const[]){outcome}, 1);
}

static void announce_run(struct local_turn *h)
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

/* Continues the turn on this replica, or closes it. */
static void adopt_turn(struct cluster *c, const struct takeover *t, const struct loaded_turn *l,
		       struct stream_log *log)
{
	struct local_turn *h = local_turn_find(c, t->turn_id);
	struct follow *f = follow_of(c, t->turn_id);
	const struct lease_signal s = {
		.kind = SIGNAL_TAKE_OVER,
		.tenant = t->tenant,
		.user = l->who->user,
		.holder = t->turn_id,
		.session = l->session_id,
		.fence = t->fence,
		.takeover_data = l->takeover_data,
		.who = l->who,
	};

	if (h || !f)
		return; /* it has ended or never left this replica */
	follow_end(f);
	h = local_turn_new(c, t->turn_id, t->tenant);
	h->fence = t->fence;
	snprintf(h->lease_key, sizeof(h->lease_key), "%s", l->lease_key);
	publish_from(h, log, stream_last_seq(log));
	announce_run(h);
	c->on_signal(c->signal_owner, &s); /* adopts the log */
}

static void takeover_free(struct takeover *t)
{
	t->request.cluster->takeover_count--;
	mem_free(t);
}

/* Removes the turn from this replica's set, where the reap script has put it. */
static void refuse_takeover(const struct takeover *t)
{
	struct cluster *c = t->request.cluster;
	char member[sizeof(t->tenant) + UUID_BYTES + 1];
	int n = snprintf(member, sizeof(member), "%s:%s", t->tenant, t->turn_id);

	if (!local_turn_find(c, t->turn_id))
		cluster_send(
			c, 3,
			(const struct str[]){STR("SREM"), str_of(c->turns), {member, (size_t)n}});
}

static void on_loaded(void *owner, const struct loaded_turn *l, struct stream_log *log)
{
	struct takeover *t = owner;
	struct cluster *c = t->request.cluster;

	if (log && !stream_is_closed(log) && c->on_signal && !c->is_closing) {
		log_info("cluster.take_over", "%s", t->turn_id);
		count_takeover("taken");
		adopt_turn(c, t, l, log);
	} else if (!l && !c->is_closing) {
		list_append(&c->takeover_retries,
			    &t->node); /* no reply: retried with the next heartbeat */
		return;
	} else {
		count_takeover(log ? "ended" : "unknown");
		log_info("cluster.take_over", "%s: %s", t->turn_id,
			 log ? "the turn had already ended" : "the turn is unknown");
		if (!c->is_closing)
			refuse_takeover(t);
	}
	takeover_free(t);
}

static bool on_fence(struct cluster_request *q, const redisReply *reply)
{
	const struct takeover *t = (const struct takeover *)q;
	struct takeover *next;

	if (q->cluster->is_closing)
		return true;
	if (reply && !reply_text(reply).n) { /* its hash is missing: the store closes it */
		refuse_takeover(t);
		return true;
	}
	next = mem_alloc(sizeof(*next));
	*next = *t;
	q->cluster->takeover_count++;
	if (number_read(reply_text(reply), &next->fence))
		(void)cluster_load(q->cluster, t->tenant, t->turn_id, NULL, on_loaded, next);
	else
		list_append(&q->cluster->takeover_retries, &next->node);
	return true;
}

static void on_fence_clean(struct cluster_request *q)
{
	q->cluster->takeover_count--;
}

/* `what` is "tenant:turn". */
static void start_takeover(struct cluster *c, struct str what)
{
	struct takeover *t = cluster_request_new(c, sizeof(*t), false, on_fence, on_fence_clean);
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
	c->takeover_count++;
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
		struct takeover *t = list_item(node, struct takeover, node);
		char what[sizeof(t->tenant) + UUID_BYTES + 1];
		int n = snprintf(what, sizeof(what), "%s:%s", t->tenant, t->turn_id);

		list_remove(node);
		start_takeover(c, (struct str){what, (size_t)n});
		takeover_free(t);
	}
}

static bool on_reaped(struct cluster_request *q, const redisReply *reply)
{
	struct str all = reply_text(reply);

	while (all.n > 0 && !q->cluster->is_closing)
		start_takeover(q->cluster, next_word(&all));
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

	if (c->is_closing || c->is_handing_over || c->takeover_count > 0 || !reply ||
	    reply->type != REDIS_REPLY_ARRAY)
		return true; /* checked again with the next heartbeats */
	for (size_t i = 0; i < reply->elements; i++) {
		struct str what = reply_text(reply->element[i]);

		if (what.n > UUID_BYTES && !local_turn_find(c, what.p + what.n - (UUID_BYTES - 1)))
			start_takeover(c, what);
	}
	return true;
}

/* If the reply to the reap script is lost, the turns are in this replica's set, but do not run
 * here. They are noticed by the size of the set. */
static void check_own_turns(struct cluster *c, uint64_t in_set)
{
	struct cluster_request *q;

	if (in_set <= c->local_turns.count + c->takeover_count)
		c->heartbeat.surplus = 0;
	else if (++c->heartbeat.surplus == CLUSTER_SURPLUS_BEATS) {
		c->heartbeat.surplus = 0;
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
	for (struct hashmap_node *node; (node = hashmap_next(&c->local_turns, NULL));)
		local_turn_give_up(hashmap_item(node, struct local_turn, by_holder));
}

static bool on_beat(struct cluster_request *q, const redisReply *reply)
{
	struct cluster *c = q->cluster;
	struct str text = reply_text(reply), word = next_word(&text);
	int64_t now = clock_mono_ms();
	uint64_t in_set;

	c->heartbeat.is_pending = false;
	if (c->is_closing || c->is_handing_over)
		return true;
	if (str_eq(word, STR("0"))) {
		c->heartbeat.answered_ms = 0;
		abandon_all(c);
	} else if (str_eq(word, STR("1"))) {
		if (now - c->heartbeat.answered_ms > 3 * CLUSTER_BEAT_MS)
			c->heartbeat.connected_since_ms = now;
		c->heartbeat.answered_ms = now;
		if (number_read(next_word(&text), &in_set))
			check_own_turns(c, in_set);
		/* After a pause of the server, all replicas look silent: wait one lease time before
		 * reaping. */
		while (text.n > 0 && now - c->heartbeat.connected_since_ms > c->lease_ms) {
			word = next_word(&text);
			if (!decline_is_pending(c, word))
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

	c->heartbeat.is_pending = true;
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

	if (!c->heartbeat.is_pending && !c->is_handing_over)
		send_beat(c);
	hashmap_each(node, &c->local_turns)
		publish_tick(hashmap_item(node, struct local_turn, by_holder), now);
	follow_tick(c, now);
	if (redis_link_is_up(c->write_link))
		retry_takeovers(c);
	cluster_read(c);
}

/* ---- lifecycle ---- */

/* The last events may be lost; remote viewers then read the stored answer. */
void cluster_close(void *self)
{
	struct cluster *c = self;

	assert(c->pending_count == 0);
	if (c->is_handing_over && !c->is_handover_sent)
		cluster_send(c, 4,
			     (const struct str[]){STR("ZADD"), STR(CLUSTER_ALIVE), STR("0"),
						  str_of(c->replica)});
	if (!c->is_handing_over) {
		hashmap_each(node, &c->local_turns)
			local_turn_unlist(hashmap_item(node, struct local_turn, by_holder));
		cluster_send(c, 6,
			     (const struct str[]){STR("EVAL"), STR(LEAVE_SCRIPT), STR("2"),
						  STR(CLUSTER_ALIVE), str_of(c->turns),
						  str_of(c->replica)});
	}
	redis_link_flush(c->write_link);
	c->is_closing = true;
	stream_hub_set_driver(c->hub, NULL, NULL);
	timer_free(&c->heartbeat_timer);
	timer_free(&c->flush_timer);
	redis_link_free(&c->read_link);
	redis_link_free(&c->write_link);
	redis_link_free(&c->ask_link);
	hashmap_each(node, &c->local_turns)
		local_turn_free(hashmap_item(node, struct local_turn, by_holder));
	follow_drop_all(c);
	list_each_safe(node, &c->takeover_retries)
		takeover_free(list_item(node, struct takeover, node));
	hashmap_deinit(&c->local_turns);
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
			       "cluster.replica must be 1 to %d lower-case letters, digits, '_', "
			       "'.' or '-'",
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
	c->ask_link = redis_link_new(c->loop, &c->place,
				     &(struct redis_link_options){.check = "redis:ask",
								  /* a reader waits this long for
								   * new entries */
								  .due_ms = CLUSTER_FLUSH_MS,
								  .wait_budget_ms = timeout_ms});
	c->write_link = redis_link_new(
		c->loop, &c->place,
		&(struct redis_link_options){.check = "redis:write", .due_ms = CLUSTER_DUE_MS});
	c->read_link = redis_link_new(
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
	hash_hmac_sha256(o->secret, strlen(o->secret), SECRET_PURPOSE, sizeof(SECRET_PURPOSE) - 1,
			 c->secret);
	hashmap_init(&c->local_turns);
	hashmap_init(&c->follows);
	list_init(&c->follow_list);
	list_init(&c->takeover_retries);
	open_links(c, o->timeout_ms);
	c->flush_timer = timer_new(c->loop, on_publish_timer, c);
	c->heartbeat_timer = timer_new(c->loop, on_tick, c);
	timer_repeat(c->heartbeat_timer, CLUSTER_BEAT_MS);
	stream_hub_set_driver(c->hub, &cluster_stream_driver, c);
	log_info("cluster.open", "replica %s", c->replica);
	*out = (struct leases){&cluster_lease_driver, c, c->replica};
	return true;
}
