/*
 * State machine of the connection to Redis: pause, name lookup on a worker thread, greeting, up.
 * Names are looked up for each connection, since a failover changes addresses.
 */
#include "redis_glue.h"
#include "vesper/redis.h"

#include <assert.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/pool.h"

enum state { PAUSING, RESOLVING, GREETING, UP };

/* An unanswered command. */
struct sent {
	struct list node;
	struct redis_link *link;
	int64_t at_us;
	size_t bytes;
	redis_reply_cb cb;
	void *owner;
};

struct redis_link {
	struct loop *loop;
	const struct redis_address *place;
	struct redis_link_options options;
	enum state state;
	struct timer *timer; /* end of the pause, the greeting or the wait budget; next ping */
	redisAsyncContext *ac;
	struct list sent; /* oldest first */
	size_t unanswered;
	size_t unanswered_bytes;
	int64_t wait_budget_us, wait_budget_max_us;
	int64_t charged_to_us, filled_at_us;
	int64_t pause_ms;
	int64_t up_at_us;
	bool outage_logged;

	struct pool *resolver;
	struct pool_job job;
	char address[NI_MAXHOST]; /* result of the lookup; "" on failure */
};

static void resolve(struct redis_link *k);

/* ---- disconnecting ---- */

/* Varies the pause by up to a quarter, so that many replicas do not reconnect at once. */
static uint64_t pause_with_jitter(int64_t pause_ms)
{
	uint16_t random;

	hash_random(&random, sizeof(random));
	return (uint64_t)(pause_ms - pause_ms / 4 + random % (pause_ms / 2));
}

static void pause_after(struct redis_link *k, const char *why)
{
	if (k->state == UP && clock_mono_us() - k->up_at_us > REDIS_STEADY_MS * 1000)
		k->pause_ms = REDIS_PAUSE_MIN_MS;
	k->state = PAUSING;
	timer_start(k->timer, pause_with_jitter(k->pause_ms));
	k->pause_ms *= 2;
	if (k->pause_ms > REDIS_PAUSE_MAX_MS)
		k->pause_ms = REDIS_PAUSE_MAX_MS;
	health_set(k->options.check, HEALTH_OPTIONAL, HEALTH_DEGRADED, "%s: %s", k->place->shown,
		   why);
	if (!k->outage_logged)
		log_warn("redis.unavailable", "%s: %s; continuing without Redis", k->place->shown,
			 why);
	k->outage_logged = true;
}

static void drop(struct redis_link *k, const char *why)
{
	/* First, so that failed commands are not sent again on this connection. */
	pause_after(k, why);
	if (k->ac)
		redisAsyncFree(k->ac);
}

static void on_gone(void *owner, const char *why)
{
	struct redis_link *k = owner;

	k->ac = NULL;
	if (k->state != PAUSING)
		pause_after(k, *why ? why : "the connection ended");
}

void redis_link_protocol_error(struct redis_link *k, const char *why)
{
	if (k->state != PAUSING)
		drop(k, why);
}

/* ---- wait budget ---- */

static void refill(struct redis_link *k, int64_t now_us)
{
	int64_t since_us = now_us - k->filled_at_us;

	if (since_us > REDIS_WAIT_BUDGET_WINDOW_MS * 1000)
		since_us = REDIS_WAIT_BUDGET_WINDOW_MS * 1000;
	k->wait_budget_us +=
		since_us * k->wait_budget_max_us / (REDIS_WAIT_BUDGET_WINDOW_MS * 1000);
	if (k->wait_budget_us > k->wait_budget_max_us)
		k->wait_budget_us = k->wait_budget_max_us;
	k->filled_at_us = now_us;
}

/* Charges the time that the oldest command is overdue. Later commands wait within the same time, so
 * no time is charged twice. */
static void charge(struct redis_link *k)
{
	int64_t now_us = clock_mono_us(), from_us;

	refill(k, now_us);
	if (list_empty(&k->sent))
		return;
	from_us = list_item(k->sent.next, struct sent, node)->at_us + k->options.due_ms * 1000;
	if (from_us < k->charged_to_us)
		from_us = k->charged_to_us;
	if (from_us >= now_us)
		return;
	k->wait_budget_us -= now_us - from_us;
	if (k->wait_budget_us < 0)
		k->wait_budget_us = 0;
	k->charged_to_us = now_us;
}

/* Time until the wait budget for the oldest command is used up. */
static int64_t left_us(const struct redis_link *k)
{
	const struct sent *oldest = list_item(k->sent.next, struct sent, node);
	int64_t not_due_us = oldest->at_us + k->options.due_ms * 1000 - clock_mono_us();

	return k->wait_budget_us + (not_due_us > 0 ? not_due_us : 0);
}

static void start_budget_timer(struct redis_link *k)
{
	timer_start(k->timer, (uint64_t)left_us(k) / 1000 + 1);
}

/* ---- sending ---- */

static void on_reply(redisAsyncContext *ac, void *reply, void *privdata)
{
	struct sent *s = privdata;
	struct redis_link *k = s->link;

	(void)ac;
	charge(k);
	list_remove(&s->node);
	k->unanswered--;
	k->unanswered_bytes -= s->bytes;
	if (k->state == UP && k->unanswered == 0)
		timer_start(k->timer, REDIS_PING_MS);
	s->cb(s->owner, reply);
	mem_free(s);
}

static bool enqueue(struct redis_link *k, int argc, const struct str *argv, redis_reply_cb cb,
		    void *owner)
{
	const char *text[REDIS_ARGS_MAX];
	size_t lens[REDIS_ARGS_MAX], bytes = 0;

	assert(argc <= REDIS_ARGS_MAX);
	for (int i = 0; i < argc; i++) {
		text[i] = argv[i].p;
		lens[i] = argv[i].n;
		bytes += argv[i].n;
	}
	if (k->unanswered >= REDIS_UNANSWERED_MAX ||
	    k->unanswered_bytes + bytes > REDIS_UNANSWERED_BYTES_MAX)
		return false;
	struct sent *s = mem_alloc(sizeof(*s));
	*s = (struct sent){
		.link = k, .at_us = clock_mono_us(), .bytes = bytes, .cb = cb, .owner = owner};
	if (redisAsyncCommandArgv(k->ac, on_reply, s, argc, text, lens) != REDIS_OK) {
		mem_free(s); /* the connection is being closed */
		return false;
	}
	list_append(&k->sent, &s->node);
	k->unanswered_bytes += bytes;
	if (k->unanswered++ == 0 && k->state == UP) {
		refill(k, s->at_us);
		start_budget_timer(k);
	}
	return true;
}

bool redis_link_is_up(const struct redis_link *k)
{
	return k->state == UP;
}

void redis_link_flush(struct redis_link *k)
{
	if (k->state == UP)
		redisAsyncHandleWrite(k->ac);
}

bool redis_link_send(struct redis_link *k, int argc, const struct str *argv, redis_reply_cb cb,
		     void *owner)
{
	return k->state == UP && enqueue(k, argc, argv, cb, owner);
}

/* ---- greeting ---- */

static bool is_status(const redisReply *reply, const char *text)
{
	return reply->type == REDIS_REPLY_STATUS && strcmp(reply->str, text) == 0;
}

static void on_greeted(struct redis_link *k)
{
	k->state = UP;
	k->up_at_us = clock_mono_us();
	timer_start(k->timer, REDIS_PING_MS);
	health_set(k->options.check, HEALTH_OPTIONAL, HEALTH_OK, "connected");
	log_info("redis.connected", "%s", k->place->shown);
	k->outage_logged = false;
}

/* AUTH, SELECT and PING; each needs its expected reply. */
static void on_greeting(void *owner, const redisReply *reply)
{
	struct redis_link *k = owner;
	bool is_last = k->unanswered == 0;

	if (!reply || k->state == PAUSING)
		return;
	if (reply->type == REDIS_REPLY_ERROR)
		drop(k, reply->str);
	else if (!is_status(reply, is_last ? "PONG" : "OK"))
		drop(k, "the server is not a Redis server");
	else if (is_last)
		on_greeted(k);
}

static bool greet(struct redis_link *k)
{
	const struct redis_address *at = k->place;
	char db[16];
	int n = snprintf(db, sizeof(db), "%d", at->db);
	struct str auth[] = {STR("AUTH"), str_of(at->user), str_of(at->password)};
	struct str auth_default[] = {STR("AUTH"), str_of(at->password)};
	struct str select[] = {STR("SELECT"), {db, (size_t)n}};
	struct str ping = STR("PING");

	return (!at->password || (at->user ? enqueue(k, 3, auth, on_greeting, k)
					   : enqueue(k, 2, auth_default, on_greeting, k))) &&
	       (at->db == 0 || enqueue(k, 2, select, on_greeting, k)) &&
	       enqueue(k, 1, &ping, on_greeting, k);
}

static void connect_to(struct redis_link *k, const char *address)
{
	struct redis_glue_options glue = {
		.unanswered = &k->unanswered,
		.reply_bytes = k->options.reply_bytes,
		.reply_elements = k->options.reply_elements,
		.gone = on_gone,
		.owner = k,
	};

	assert(!k->ac && k->unanswered == 0);
	k->state = GREETING;
	timer_start(k->timer, REDIS_GREETING_MS);
	redisAsyncContext *ac = k->place->path ? redisAsyncConnectUnix(k->place->path)
					       : redisAsyncConnect(address, k->place->port);
	assert(ac); /* only allocation can fail here */
	if (ac->err) {
		pause_after(k, ac->errstr);
		redisAsyncFree(ac);
		return;
	}
	k->ac = ac;
	redis_glue_attach(k->loop, ac, &glue);
	if (!greet(k))
		drop(k, "the greeting could not be sent");
}

/* ---- name lookup ---- */

/* Runs on a worker, since name servers may be slow. */
static void run_resolve(struct pool_job *job)
{
	struct redis_link *k = list_item(job, struct redis_link, job);
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;

	k->address[0] = '\0';
	if (getaddrinfo(k->place->host, NULL, &hints, &found) != 0)
		return;
	(void)getnameinfo(found->ai_addr, found->ai_addrlen, k->address, sizeof(k->address), NULL,
			  0, NI_NUMERICHOST);
	freeaddrinfo(found);
}

static void on_resolved(struct pool_job *job)
{
	struct redis_link *k = list_item(job, struct redis_link, job);

	if (k->state != RESOLVING) /* the link is being freed */
		return;
	if (k->address[0])
		connect_to(k, k->address);
	else
		pause_after(k, "the host name could not be resolved");
}

static bool is_numeric(const char *host)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *found = NULL;

	if (getaddrinfo(host, NULL, &hints, &found) != 0)
		return false;
	freeaddrinfo(found);
	return true;
}

static void resolve(struct redis_link *k)
{
	if (!k->resolver) { /* a path or an IP address */
		connect_to(k, k->place->host);
		return;
	}
	k->state = RESOLVING;
	k->job.run = run_resolve;
	k->job.done = on_resolved;
	pool_submit(k->resolver, &k->job);
}

/* ---- timers ---- */

static void on_pong(void *owner, const redisReply *reply)
{
	if (reply && !is_status(reply, "PONG"))
		redis_link_protocol_error(owner, "PING: unexpected reply");
}

/* Detects a dead server before a turn needs it. */
static void ping(struct redis_link *k)
{
	struct str command = STR("PING");

	if (!enqueue(k, 1, &command, on_pong, k))
		timer_start(k->timer, REDIS_PING_MS);
}

static void check_wait_budget(struct redis_link *k)
{
	redisAsyncContext *ac = k->ac;

	/* The loop may have been late, so replies that have arrived are read first. */
	redisAsyncHandleRead(ac);
	if (k->state != UP)
		return;
	charge(k);
	if (list_empty(&k->sent))
		timer_start(k->timer, REDIS_PING_MS);
	else if (left_us(k) == 0)
		drop(k, "the server replies too slowly");
	else
		start_budget_timer(k);
}

static void on_timer(void *owner)
{
	struct redis_link *k = owner;

	if (k->state == PAUSING)
		resolve(k);
	else if (k->state == GREETING)
		drop(k, "the server does not respond");
	else if (k->state == UP && list_empty(&k->sent))
		ping(k);
	else if (k->state == UP)
		check_wait_budget(k);
}

/* ---- lifecycle ---- */

struct redis_link *redis_link_new(struct loop *l, const struct redis_address *place,
				  const struct redis_link_options *o)
{
	struct redis_link *k = mem_alloc(sizeof(*k));

	k->loop = l;
	k->place = place;
	k->state = PAUSING;
	k->options = *o;
	if (!o->check)
		k->options.check = "redis";
	if (!o->wait_budget_ms)
		k->options.wait_budget_ms = REDIS_WAIT_BUDGET_MS;
	if (!o->due_ms)
		k->options.due_ms = REDIS_DUE_MS;
	k->wait_budget_us = k->wait_budget_max_us = k->options.wait_budget_ms * 1000;
	k->filled_at_us = clock_mono_us();
	k->pause_ms = REDIS_PAUSE_MIN_MS;
	list_init(&k->sent);
	k->timer = timer_new(l, on_timer, k);
	if (place->host && !is_numeric(place->host))
		k->resolver = pool_new(l, "redis", 1);
	health_set(k->options.check, HEALTH_OPTIONAL, HEALTH_DEGRADED, "%s: not connected yet",
		   place->shown);
	timer_start(k->timer, 0);
	return k;
}

void redis_link_free(struct redis_link **link)
{
	struct redis_link *k = *link;

	if (!k)
		return;
	*link = NULL;
	k->state = PAUSING;
	if (k->ac)
		redisAsyncFree(k->ac);
	assert(!k->ac && list_empty(&k->sent));
	if (k->resolver)
		pool_free(&k->resolver);
	timer_free(&k->timer);
	health_remove(k->options.check);
	mem_free(k);
}
