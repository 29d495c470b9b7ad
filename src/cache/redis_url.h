/*
 * Where a Redis is, read from its address. Nothing here is ever logged: it may hold a password.
 */
#ifndef REDIS_URL_H
#define REDIS_URL_H

#include "vesper/arena.h"
#include "vesper/err.h"

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

#endif
