/*
 * A connection to a Redis that may be unavailable, slow or faulty, and the limits on waiting for
 * it.
 *
 * A command is sent only while the connection is up: connected, logged in, and a PING answered.
 * Otherwise the call fails at once and the caller continues without Redis; no caller waits for a
 * connection. All waiting beyond a command's due time (a few ms) is charged to one wait
 * budget, which refills slowly. When the budget is empty the connection is dropped, every
 * waiting command ends without a reply, and the link reconnects after a pause.
 *
 * Replies arrive in the order of the commands and are matched to them; a reply to a cancelled
 * command is discarded. A reply may have REDIS_REPLY_LEVELS_MAX levels of arrays,
 * REDIS_REPLY_ELEMENTS_MAX elements and REDIS_REPLY_BYTES_MAX bytes of text in total; a larger
 * reply ends the connection. Loop thread only.
 */
#ifndef VESPER_REDIS_H
#define VESPER_REDIS_H

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/loop.h"
#include "vesper/str.h"

/* The address of a Redis. Only `shown` may be logged, as the address may contain a password. */
struct redis_address {
	const char *host; /* host name or IP address; NULL: use `path` */
	int port;
	const char *path;     /* of a Unix socket */
	const char *user;     /* NULL: the default user */
	const char *password; /* NULL: none is sent */
	int db;
	const char *shown; /* text for logs: host and port, or the path */
};

/* redis://[[user]:password@]host[:port][/db], unix://[[user]:password@]/path[?db=N]; user and
 * password may be percent-encoded. ERR_INPUT: the error describes the mistake and quotes no part of
 * the address. */
MUST_CHECK bool redis_url_parse(const char *url, struct arena *a, struct redis_address *out,
				struct err *e);

struct redis_link;

/* Zero means the default. */
struct redis_link_options {
	const char *check; /* its name in the health checks */
	int64_t wait_budget_ms;
	int64_t due_ms; /* due time of a command, not charged to the wait budget; longer for
			   commands that block on the server */
	size_t reply_bytes, reply_elements;
};

/* `place` and `check` are borrowed; must outlive the link. */
struct redis_link *redis_link_new(struct loop *l, const struct redis_address *place,
				  const struct redis_link_options *o);
/* Unanswered commands end at once without a reply. */
void redis_link_free(struct redis_link **k);

/* `reply` is valid during the call; NULL: the command ended without a reply. */
typedef void (*redis_reply_cb)(void *owner, const redisReply *reply);

/* Returns true if the connection is up, so that commands may be sent. */
bool redis_link_is_up(const struct redis_link *k);

/* False: nothing was sent. True: the callback runs once, later. */
bool redis_link_send(struct redis_link *k, int argc, const struct str *argv, redis_reply_cb cb,
		     void *owner);

/* Writes pending commands to the socket now, as much as it accepts. */
void redis_link_flush(struct redis_link *k);

/* The server sent an invalid reply: drops the connection. Allowed in a reply callback. */
void redis_link_protocol_error(struct redis_link *k, const char *why);

#endif
