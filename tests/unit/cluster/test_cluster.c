/* Two replicas in one process with a real Redis: leases, streams, signals, handover. */
#include "redis_service.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emit.h"
#include "vesper/clock.h"
#include "vesper/cluster.h"
#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/metric.h"
#include "vesper/uuid.h"

#define SECRET   "a secret that replicas share"
#define LEASE_MS 3000
#define TURNS    20000

static struct redis_service service;
static bool installed;
static struct loop *loop;
static const struct principal ann = {.user = "ann", .tenant = "vesper"};
static const struct principal bob = {.user = "bob", .tenant = "vesper"};

static void ignore_wake(void *owner)
{
	(void)owner;
}

/* One replica, and the signals and logs that it received. */
static struct replica {
	struct stream_hub *hub;
	struct leases leases;
	struct lease lease;
	bool answered;
	struct stream_log *log;
	enum err_code code;
	int signals;
	enum lease_signal_kind kind;
	uint64_t fence;
	char takeover_data[64];
	size_t watchers;
	bool declines; /* declines every takeover */
} left, right, third;

static void on_signal(void *owner, const struct lease_signal *s)
{
	struct replica *replica = owner;

	replica->signals++;
	replica->kind = s->kind;
	replica->fence = s->fence;
	snprintf(replica->takeover_data, sizeof(replica->takeover_data), "%.*s",
		 STR_FMT(s->takeover_data));
	if (s->kind == SIGNAL_TAKE_OVER && replica->declines)
		replica->leases.driver->decline(replica->leases.self, s->holder);
	else if (s->kind == SIGNAL_TAKE_OVER)
		replica->log = stream_adopt(replica->hub, s->holder, false, NULL, NULL);
}

static void open_replica(struct replica *replica, const char *name, const char *secret)
{
	char url[64];
	struct err e = {0};

	snprintf(url, sizeof(url), "redis://127.0.0.1:%d", service.port);
	*replica = (struct replica){.hub = stream_hub_new(loop)};
	assert_true(
		cluster_open(&(struct cluster_options){.loop = loop,
						       .hub = replica->hub,
						       .url = url,
						       /* a busy machine must not fail the test */
						       .timeout_ms = REDIS_WAIT_BUDGET_MAX_MS,
						       .secret = secret,
						       .replica = name,
						       .lease_ms = LEASE_MS},
			     &replica->leases, &e));
	replica->leases.driver->listen(replica->leases.self, on_signal, replica);
}

static void close_replica(struct replica *replica)
{
	replica->leases.driver->close(replica->leases.self);
	stream_hub_free(&replica->hub);
}

static int set_up(void **state)
{
	redisContext *c;
	struct err e;

	(void)state;
	if (!installed)
		return 0;
	c = redis_service_connect(&service);
	freeReplyObject(redisCommand(c, "FLUSHALL"));
	redisFree(c);
	assert_true(loop_new(&loop, &e));
	open_replica(&left, "left", SECRET);
	open_replica(&right, "right", SECRET);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	if (!installed)
		return 0;
	close_replica(&left);
	close_replica(&right);
	loop_free(&loop);
	health_reset();
	metric_reset();
	return 0;
}

#define WAIT_FOR(what)                                                                             \
	do {                                                                                       \
		int turns = 0;                                                                     \
		while (!(what)) {                                                                  \
			if (turns++ == TURNS)                                                      \
				fail_msg("never: %s", #what);                                      \
			loop_run_once(loop);                                                       \
			usleep(500);                                                               \
		}                                                                                  \
	} while (0)

static void on_lease(void *owner, const struct lease *lease)
{
	struct replica *replica = owner;

	replica->answered = true;
	replica->lease = *lease;
}

#define NO_PERMISSIONS "{\"user\":\"ann\",\"permissions\":[]}"

/* The principal of new turns, as stored. */
static const char *new_turn_principal = NO_PERMISSIONS;

/* Retries while the link is not connected yet. */
static enum lease_kind acquire(struct replica *replica, const char *session, const char *turn,
			       const char *once)
{
	const struct str members[] = {STR("session"), str_of(session),
				      STR("user"),    STR("ann"),
				      STR("who"),     str_of(new_turn_principal),
				      STR("turn"),    STR("{\"content\":\"how much\"}"),
				      {NULL, 0}};
	const struct lease_request r = {.tenant = "vesper",
					.name = session,
					.holder = turn,
					.once = once,
					.members = members};

	for (int tries = 0; tries < 2000; tries++) {
		replica->answered = false;
		(void)replica->leases.driver->acquire(replica->leases.self, &r, on_lease, replica);
		assert_false(replica->answered); /* never inside the call */
		WAIT_FOR(replica->answered);
		if (replica->lease.kind != LEASE_UNKNOWN)
			break;
		usleep(1000);
	}
	return replica->lease.kind;
}

static void on_found(void *owner, struct stream_log *log, const struct err *e)
{
	struct replica *replica = owner;

	replica->answered = true;
	replica->log = log;
	replica->code = e ? e->code : ERR_NONE;
}

static struct stream_log *find(struct replica *replica, const char *turn,
			       const struct principal *who)
{
	replica->answered = false;
	stream_find(replica->hub, turn, who, NULL, on_found, replica);
	WAIT_FOR(replica->answered);
	return replica->log;
}

static void release(struct replica *replica, const char *turn)
{
	replica->leases.driver->release(replica->leases.self, turn);
}

static long long ask_redis(const char *command, const char *a, const char *b)
{
	redisContext *c = redis_service_connect(&service);
	redisReply *reply = redisCommand(c, command, a, b);
	long long n =
		reply->type == REDIS_REPLY_ARRAY ? (long long)reply->elements : reply->integer;

	freeReplyObject(reply);
	redisFree(c);
	return n;
}

static void session_runs_one_turn(void **state)
{
	struct uuid session = uuid_new(), first = uuid_new(), second = uuid_new();
	uint64_t fence;

	(void)state;
	if (!installed)
		skip();
	assert_int_equal(acquire(&left, session.text, first.text, "m1"), LEASE_ACQUIRED);
	fence = left.lease.fence;
	assert_true(fence > 0);
	/* Registered before its first heartbeat, so that its death is noticed. */
	assert_int_equal(ask_redis("EXISTS vesper:{r}:alive%s%s", "", ""), 1);
	assert_int_equal(acquire(&right, session.text, second.text, "m2"), LEASE_HELD);
	assert_string_equal(right.lease.holder, first.text);
	assert_memory_equal(right.lease.replica, "left-", 5);
	assert_int_equal(acquire(&right, session.text, second.text, "m1"), LEASE_REPEATED);
	release(&left, first.text);
	while (acquire(&right, session.text, second.text, "m2") == LEASE_HELD)
		usleep(1000); /* the release is on its way on another connection */
	assert_int_equal(right.lease.kind, LEASE_ACQUIRED);
	assert_true(right.lease.fence > fence);
	release(&right, second.text);
}

static void events_reach_other_replica(void **state)
{
	struct uuid session = uuid_new(), turn = uuid_new();
	struct stream_log *log, *there;
	struct stream_watch *watch;

	(void)state;
	if (!installed)
		skip();
	assert_int_equal(acquire(&left, session.text, turn.text, NULL), LEASE_ACQUIRED);
	log = stream_open(left.hub, turn.text, session.text, &ann, NULL, NULL);
	emit_text(log, "one ");
	emit_text(log, "two ");
	assert_non_null(find(&right, turn.text, &ann));
	watch = stream_watch_new(right.log, 0, ignore_wake, NULL);
	there = right.log;
	WAIT_FOR(stream_last_seq(there) == 2);
	WAIT_FOR(stream_watchers(log) == 1); /* the turn has a watcher */
	emit_text(log, "three");
	emit_end(log, "ok");
	WAIT_FOR(stream_is_closed(there));
	assert_string_equal(stream_text(there).p, "one two three");
	assert_null(find(&right, turn.text, &bob));
	assert_int_equal(right.code, ERR_NOT_FOUND);
	stream_watch_free(&watch);
	stream_release(&log);
	release(&left, turn.text);
}

/* The same user with fewer permissions than the turn: on the replica that runs it, on a follower,
 * and on a follower after the end. */
static void user_with_fewer_permissions_cannot_read_turn(void **state)
{
	static const char *const names[] = {"chat:read", NULL};
	const struct principal strong = {
		.user = "ann", .tenant = "vesper", .permissions = names, .permission_count = 1};
	struct uuid session = uuid_new(), turn = uuid_new();
	struct stream_log *log, *there;
	struct stream_watch *watch;

	(void)state;
	if (!installed)
		skip();
	new_turn_principal = "{\"user\":\"ann\",\"permissions\":[\"chat:read\"]}";
	assert_int_equal(acquire(&left, session.text, turn.text, NULL), LEASE_ACQUIRED);
	new_turn_principal = NO_PERMISSIONS;
	log = stream_open(left.hub, turn.text, session.text, &strong, NULL, NULL);
	emit_text(log, "one ");
	WAIT_FOR(find(&right, turn.text, &strong));
	there = right.log;
	watch = stream_watch_new(there, 0, ignore_wake, NULL);
	assert_null(find(&left, turn.text, &ann));
	assert_int_equal(left.code, ERR_NOT_FOUND);
	assert_null(find(&right, turn.text, &ann));
	assert_int_equal(right.code, ERR_NOT_FOUND);
	emit_text(log, "two");
	emit_end(log, "ok");
	WAIT_FOR(stream_is_closed(there)); /* a permitted reader continues */
	assert_string_equal(stream_text(there).p, "one two");
	assert_null(find(&right, turn.text, &ann));
	stream_watch_free(&watch);
	stream_release(&log);
	release(&left, turn.text);
}

static void other_secret_cannot_decrypt(void **state)
{
	struct uuid session = uuid_new(), turn = uuid_new();
	struct stream_log *log;

	(void)state;
	if (!installed)
		skip();
	close_replica(&right);
	open_replica(&right, "right", "another secret");
	assert_int_equal(acquire(&left, session.text, turn.text, NULL), LEASE_ACQUIRED);
	log = stream_open(left.hub, turn.text, session.text, &ann, NULL, NULL);
	emit_text(log, "for ann alone");
	assert_int_equal(acquire(&right, session.text, uuid_new().text, NULL), LEASE_HELD);
	assert_null(find(&right, turn.text, &ann));
	assert_int_equal(right.code, ERR_NOT_FOUND);
	emit_end(log, "ok");
	stream_release(&log);
	release(&left, turn.text);
}

static void handed_over_turn_continues_on_other_replica(void **state)
{
	struct uuid session = uuid_new(), turn = uuid_new();
	struct stream_log *log, *left_log;
	uint64_t fence;

	(void)state;
	if (!installed)
		skip();
	assert_int_equal(acquire(&left, session.text, turn.text, NULL), LEASE_ACQUIRED);
	fence = left.lease.fence;
	left_log = log = stream_open(left.hub, turn.text, session.text, &ann, NULL, NULL);
	emit_text(log, "begun ");
	assert_non_null(find(&right, turn.text, &ann)); /* it is stored by now */
	WAIT_FOR(stream_last_seq(right.log) == 1);
	left.leases.driver->hand_over(left.leases.self);
	assert_int_equal(left.kind, SIGNAL_LOST);
	release(&left, turn.text);
	WAIT_FOR(right.signals > 0);
	assert_int_equal(right.kind, SIGNAL_TAKE_OVER);
	assert_true(right.fence > fence);
	assert_string_equal(right.takeover_data, "{\"content\":\"how much\"}");
	log = right.log;
	assert_string_equal(stream_text(log).p, "begun ");
	emit_text(log, "and ended");
	emit_end(log, "ok");
	/* A viewer on the old replica continues to read. */
	WAIT_FOR(stream_is_closed(left_log));
	assert_string_equal(stream_text(left_log).p, "begun and ended");
	stream_release(&log);
	release(&right, turn.text);
	WAIT_FOR(!stream_running(left.hub, turn.text));
}

/* The turn has no events yet, and the replica that takes it over ends: another one takes it over.
 */
static void replica_that_ends_during_a_takeover_loses_nothing(void **state)
{
	struct uuid session = uuid_new(), turn = uuid_new();
	struct stream_log *log;
	char old[64];

	(void)state;
	if (!installed)
		skip();
	assert_int_equal(acquire(&left, session.text, turn.text, NULL), LEASE_ACQUIRED);
	log = stream_open(left.hub, turn.text, session.text, &ann, NULL, NULL);
	snprintf(old, sizeof(old), "%s", left.leases.replica);
	WAIT_FOR(ask_redis("EXISTS vesper:{r}:turns:%s%s", old, "") == 1);
	left.leases.driver->hand_over(left.leases.self);
	release(&left, turn.text);
	ask_redis("ZADD vesper:{r}:alive 0 %s%s", old, ""); /* it sends no more heartbeats */
	WAIT_FOR(right.signals > 0 || ask_redis("EXISTS vesper:{r}:turns:%s%s", old, "") == 0);
	assert_int_equal(right.signals, 0);
	close_replica(&right);
	open_replica(&right, "another", SECRET);
	WAIT_FOR(right.signals > 0);
	assert_int_equal(right.kind, SIGNAL_TAKE_OVER);
	log = right.log;
	emit_end(log, "ok");
	stream_release(&log);
	release(&right, turn.text);
	WAIT_FOR(ask_redis("KEYS vesper:{r}:turns:*%s%s", "", "") == 0);
}

/* The turn ended just before its replica did, and was followed here to its end. */
static void ended_turn_is_not_taken_over(void **state)
{
	struct uuid session = uuid_new(), turn = uuid_new();
	struct stream_log *log, *there;
	char old[64];

	(void)state;
	if (!installed)
		skip();
	assert_int_equal(acquire(&left, session.text, turn.text, NULL), LEASE_ACQUIRED);
	log = stream_open(left.hub, turn.text, session.text, &ann, NULL, NULL);
	emit_text(log, "all of it");
	WAIT_FOR(find(&right, turn.text, &ann));
	there = right.log;
	emit_end(log, "ok");
	WAIT_FOR(stream_is_closed(there));
	snprintf(old, sizeof(old), "%s", left.leases.replica);
	stream_release(&log);
	release(&left, turn.text);
	left.leases.driver->hand_over(left.leases.self);
	WAIT_FOR(ask_redis("EXISTS vesper:{r}:turns:%s%s", old, "") == 0);
	assert_int_equal(ask_redis("SADD vesper:{r}:turns:%s vesper:%s", old, turn.text), 1);
	ask_redis("ZADD vesper:{r}:alive 0 %s%s", old, "");
	WAIT_FOR(ask_redis("EXISTS vesper:{r}:turns:%s%s", old, "") == 0);
	WAIT_FOR(ask_redis("KEYS vesper:{r}:turns:*%s%s", "", "") == 0);
	assert_int_equal(right.signals, 0);
	assert_ptr_equal(stream_find_readable(right.hub, turn.text, &ann), there);
}

/* The reap script moved the turns to the set of the right replica, but its reply was lost. */
static void turn_is_taken_over_after_a_lost_reply(void **state)
{
	struct uuid session = uuid_new(), turn = uuid_new();
	struct stream_log *log, *left_log;
	redisContext *c;
	redisReply *reply;

	(void)state;
	if (!installed)
		skip();
	assert_int_equal(acquire(&left, session.text, turn.text, NULL), LEASE_ACQUIRED);
	left_log = stream_open(left.hub, turn.text, session.text, &ann, NULL, NULL);
	emit_text(left_log, "begun ");
	assert_non_null(find(&right, turn.text, &ann)); /* it is stored by now */
	WAIT_FOR(stream_last_seq(right.log) == 1);
	c = redis_service_connect(&service);
	reply = redisCommand(c, "SMOVE vesper:{r}:turns:%s vesper:{r}:turns:%s vesper:%s",
			     left.leases.replica, right.leases.replica, turn.text);
	assert_int_equal(reply->integer, 1);
	freeReplyObject(reply);
	redisFree(c);
	WAIT_FOR(right.signals > 0);
	assert_int_equal(right.kind, SIGNAL_TAKE_OVER);
	assert_true(right.fence > left.lease.fence);
	log = right.log;
	assert_string_equal(stream_text(log).p, "begun ");
	emit_end(log, "ok");
	stream_release(&log);
	release(&right, turn.text);
	emit_text(left_log, "late"); /* the replica learns that it has lost the turn */
	WAIT_FOR(left.signals > 0);
	assert_int_equal(left.kind, SIGNAL_LOST);
	stream_abandon(&left_log);
	release(&left, turn.text);
	WAIT_FOR(ask_redis("KEYS vesper:{r}:turns:*%s%s", "", "") == 0);
}

/* Starts a turn on the left replica with a viewer on the right one. Returns its log on the left. */
static struct stream_log *begin_at_left(const char *session, const char *turn)
{
	struct stream_log *log;

	assert_int_equal(acquire(&left, session, turn, NULL), LEASE_ACQUIRED);
	log = stream_open(left.hub, turn, session, &ann, NULL, NULL);
	emit_text(log, "begun ");
	assert_non_null(find(&right, turn, &ann));
	WAIT_FOR(stream_last_seq(right.log) == 1);
	return log;
}

static void declined_turn_is_offered_to_next_replica(void **state)
{
	struct uuid session = uuid_new(), turn = uuid_new();
	struct stream_log *log, *seen;
	struct stream_watch *viewer;
	int64_t began = clock_mono_ms();

	(void)state;
	if (!installed)
		skip();
	right.declines = true;
	begin_at_left(session.text, turn.text);
	seen = right.log;
	viewer = stream_watch_new(seen, 0, ignore_wake, NULL);
	WAIT_FOR(clock_mono_ms() - began > LEASE_MS + LEASE_MS / 2);
	open_replica(&third, "third", SECRET); /* so the right replica takes over first */
	WAIT_FOR(ask_redis("ZCARD vesper:{r}:alive%s%s", "", "") == 3);
	left.leases.driver->hand_over(left.leases.self);
	release(&left, turn.text);
	WAIT_FOR(third.signals > 0);
	assert_int_equal(third.kind, SIGNAL_TAKE_OVER);
	assert_true(third.fence > right.fence);
	assert_int_equal(right.signals, 1);
	log = third.log;
	assert_string_equal(stream_text(log).p, "begun ");
	emit_text(log, "and ended");
	emit_end(log, "ok");
	/* A viewer on the replica that declined continues to read. */
	WAIT_FOR(stream_is_closed(seen));
	assert_string_equal(stream_text(seen).p, "begun and ended");
	stream_watch_free(&viewer);
	stream_release(&log);
	release(&third, turn.text);
	WAIT_FOR(ask_redis("KEYS vesper:{r}:turns:*%s%s", "", "") == 0);
	close_replica(&third);
}

static void turn_declined_by_all_ends_for_viewers(void **state)
{
	struct uuid session = uuid_new(), turn = uuid_new();
	struct stream_log *left_log;
	struct stream_watch *here, *there;
	struct event last;

	(void)state;
	if (!installed)
		skip();
	right.declines = true;
	left_log = begin_at_left(session.text, turn.text);
	here = stream_watch_new(left_log, 0, ignore_wake, NULL);
	there = stream_watch_new(right.log, 0, ignore_wake, NULL);
	left.leases.driver->hand_over(left.leases.self);
	release(&left, turn.text);
	WAIT_FOR(right.signals > 0);
	WAIT_FOR(stream_is_closed(right.log) && stream_is_closed(left_log)); /* on both replicas */
	stream_event(right.log, stream_last_seq(right.log), &last);
	assert_int_equal(last.kind, EVENT_ERROR);
	assert_string_equal(last.u.error.code, "upstream");
	assert_true(last.u.error.retryable);
	stream_watch_free(&here);
	stream_watch_free(&there);
	/* The session is free, and the turn is not found as running. */
	WAIT_FOR(ask_redis("KEYS vesper:x:*%s%s", "", "") == 0);
	WAIT_FOR(ask_redis("KEYS vesper:{r}:turns:*%s%s", "", "") == 0);
}

/* A message may be sent again after a refusal or a cancel before its turn began. */
static void turn_that_never_began_is_not_found(void **state)
{
	struct uuid session = uuid_new(), first = uuid_new(), second = uuid_new();

	(void)state;
	if (!installed)
		skip();
	assert_int_equal(acquire(&left, session.text, first.text, "m1"), LEASE_ACQUIRED);
	release(&left, first.text);
	WAIT_FOR(ask_redis("KEYS vesper:t:*%s%s", "", "") == 0);
	assert_int_equal(acquire(&right, session.text, second.text, "m1"), LEASE_ACQUIRED);
	release(&right, second.text);
	WAIT_FOR(ask_redis("KEYS vesper:[xct]:*%s%s", "", "") == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(session_runs_one_turn, set_up, tear_down),
		cmocka_unit_test_setup_teardown(events_reach_other_replica, set_up, tear_down),
		cmocka_unit_test_setup_teardown(user_with_fewer_permissions_cannot_read_turn,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(turn_is_taken_over_after_a_lost_reply, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(ended_turn_is_not_taken_over, set_up, tear_down),
		cmocka_unit_test_setup_teardown(other_secret_cannot_decrypt, set_up, tear_down),
		cmocka_unit_test_setup_teardown(handed_over_turn_continues_on_other_replica, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(replica_that_ends_during_a_takeover_loses_nothing,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(declined_turn_is_offered_to_next_replica, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(turn_declined_by_all_ends_for_viewers, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(turn_that_never_began_is_not_found, set_up,
						tear_down),
	};
	int failed;

	installed = redis_service_start(&service);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (installed)
		redis_service_do(&service, "stop");
	return failed;
}
