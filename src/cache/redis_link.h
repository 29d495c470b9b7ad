/*
 * One connection to a Redis that may be away, slow or wrong, and what it may cost.
 *
 * A command is only sent while the connection is up: it was made, the server took the login and
 * answered a PING. Otherwise the caller hears "no" at once and goes on without; nobody ever waits
 * for a connection. All waiting beyond a few milliseconds a command comes out of one purse
 * (patience), which fills up slowly: when it is empty the connection is dropped, every waiting
 * command ends without an answer, and the server has to greet again, after a pause.
 *
 * Replies come in the order of the commands, each to the command that asked; one that nobody waits
 * for any more is read and thrown away. Loop thread only.
 */
#ifndef REDIS_LINK_H
#define REDIS_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redis_glue.h"
#include "redis_url.h"
#include "vesper/loop.h"
#include "vesper/str.h"

struct redis_link;

/* `place` must outlive the link. */
struct redis_link *redis_link_new(struct loop *l, const struct redis_place *place,
				  int64_t patience_ms);
/* Commands that are not answered end without an answer, now. */
void redis_link_free(struct redis_link **k);

/* `reply` is valid during the call; NULL: there is no answer and there will be none. */
typedef void (*redis_reply_cb)(void *owner, const redisReply *reply);

/* False: nothing was sent. Else the callback runs once, later. */
bool redis_link_send(struct redis_link *k, int argc, const struct str *argv, redis_reply_cb cb,
		     void *owner);

/* The server answered what it can't have meant: the connection is dropped. From a reply callback
 * too. */
void redis_link_distrust(struct redis_link *k, const char *why);

#endif
