/*
 * A Redis that may be unavailable, slow or wrong: where it is, one connection to it, and what that
 * may cost.
 *
 * A command is only sent while the connection is up: it was made, the server took the login and
 * answered a PING. Otherwise the call fails at once and the caller goes on without; no caller waits
 * for a connection. All waiting beyond a few milliseconds a command comes out of one wait budget
 * (patience), which fills up slowly: when it is empty the connection is dropped, every waiting
 * command ends without an answer, and the server has to greet again, after a pause.
 *
 * Replies come in the order of the commands, each to the command that asked; one that no caller
 * waits for any more is read and thrown away. A reply may hold arrays of REDIS_REPLY_LEVELS_MAX
 * levels, REDIS_REPLY_ELEMENTS_MAX elements and REDIS_REPLY_BYTES_MAX bytes of text in all; what is
 * more ends the connection. Loop thread only.
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

/* Where a Redis is. Nothing of its address is ever logged but `shown`: it may hold a password. */
struct redis_place {
	const char *host; /* a name or an address; NULL: `path` */
	int port;
	const char *path;     /* of a unix socket */
	const char *user;     /* NULL: the default one */
	const char *password; /* NULL: none is sent */
	int db;
	const char *shown; /* what may be logged: host and port, or the path */
};

/* redis://[[user]:password@]host[:port][/db], unix://[[user]:password@]/path[?db=N]; user and
 * password may be percent-encoded. The error names the mistake and nothing of the address. */
MUST_CHECK bool redis_url_parse(const char *url, struct arena *a, struct redis_place *out,
				struct err *e);

struct redis_link;

/* Zero is the usual of each. */
struct redis_link_options {
	const char *check; /* its name among the health checks */
	int64_t patience_ms;
	int64_t due_ms; /* a command's own time, which costs no patience: more for one that waits
			   at the server */
	size_t reply_bytes, reply_elements;
};

/* `place` and `check` must outlive the link. */
struct redis_link *redis_link_new(struct loop *l, const struct redis_place *place,
				  const struct redis_link_options *o);
/* Commands that are not answered end without an answer, now. */
void redis_link_free(struct redis_link **k);

/* `reply` is valid during the call; NULL: there is no answer and there will be none. */
typedef void (*redis_reply_cb)(void *owner, const redisReply *reply);

/* The server has greeted: what is sent now may be answered. */
bool redis_link_up(const struct redis_link *k);

/* False: nothing was sent. Else the callback runs once, later. */
bool redis_link_send(struct redis_link *k, int argc, const struct str *argv, redis_reply_cb cb,
		     void *owner);

/* What was sent last goes out now, as far as the socket takes it. */
void redis_link_flush(struct redis_link *k);

/* The server answered what it can't have meant: the connection is dropped. From a reply callback
 * too. */
void redis_link_distrust(struct redis_link *k, const char *why);

#endif
