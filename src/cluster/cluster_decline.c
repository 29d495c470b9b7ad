/*
 * Declines a takeover that cannot run here, for example because replicas have different catalogues.
 * The turn is offered to the next replica's heartbeat. When all have declined it, viewers get an
 * error and the store closes the turn.
 */
#include "cluster_int.h"

#include <stdio.h>
#include <string.h>

#include "scripts.h"
#include "vesper/clock.h"
#include "vesper/codes.h"
#include "vesper/log.h"

struct decline_request {
	struct cluster_request request;
	char holder[UUID_BYTES];
};

static void end(struct local_turn *h)
{
	const struct code_row *row = code_row(CODE_UPSTREAM);
	struct stream_log *log = stream_watch_log(h->watch);
	const struct event event = {
		.kind = EVENT_ERROR,
		.at_ms = clock_now_ms(),
		.u.error = {.code = row->wire, .message = row->sentence, .retryable = true}};

	log_warn("cluster.declined", "%s: no replica can run this turn", h->holder);
	h->is_handed_over = false;
	stream_append(log, &event);
	stream_release(&log);
	cluster_lease_driver.release(h->cluster, h->holder);
}

static bool on_declined(struct cluster_request *q, const redisReply *reply)
{
	struct cluster *c = q->cluster;
	struct local_turn *h = local_turn_find(c, ((struct decline_request *)q)->holder);

	if (!h || !h->watch || c->is_closing)
		return true; /* another replica has it by now */
	if (!str_eq(reply_text(reply), STR("passed"))) {
		end(h);
		return true;
	}
	c->declined_ms = clock_mono_ms();
	follow_taken_over(h);
	h->is_handed_over = false;
	local_turn_free(h);
	return true;
}

void cluster_decline(void *self, const char *holder)
{
	struct cluster *c = self;
	struct local_turn *h = local_turn_find(c, holder);
	struct decline_request *d = cluster_request_new(c, sizeof(*d), false, on_declined, NULL);
	char turns[CLUSTER_KEY_BYTES + 1], count[CLUSTER_KEY_BYTES], ms[24], ttl[24];
	char member[sizeof(h->tenant) + UUID_BYTES + 1];
	int n = snprintf(member, sizeof(member), "%s:%s", h->tenant, h->holder);

	h->is_handed_over = true; /* this replica no longer writes its log */
	stream_adopt(c->hub, holder, true, NULL, NULL);
	memcpy(d->holder, h->holder, UUID_BYTES);
	snprintf(turns, sizeof(turns), "%s!", c->turns);
	snprintf(count, sizeof(count), "vesper:{r}:declined:%s", h->holder);
	cluster_request_send(&d->request, 11,
			     (const struct str[]){STR("EVAL"),
						  STR(DECLINE_SCRIPT),
						  STR("4"),
						  STR(CLUSTER_ALIVE),
						  str_of(c->turns),
						  str_of(turns),
						  str_of(count),
						  {member, (size_t)n},
						  str_of(c->replica),
						  number_text((uint64_t)c->lease_ms, ms),
						  number_text(CLUSTER_STREAM_TTL_MS, ttl)});
}

bool decline_is_pending(const struct cluster *c, struct str silent)
{
	size_t n = strlen(c->replica);

	/* A replica that has just started reaps nothing for one lease time, so others need a second
	 * one. */
	return silent.n == n + 1 && silent.p[n] == '!' && memcmp(silent.p, c->replica, n) == 0 &&
	       clock_mono_ms() - c->declined_ms <= 2 * c->lease_ms;
}
