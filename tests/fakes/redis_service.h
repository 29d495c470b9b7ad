/*
 * A private Redis for one test program (tests/services/redis.sh), and a second connection to it
 * to inspect what the program under test stored.
 */
#ifndef REDIS_SERVICE_H
#define REDIS_SERVICE_H

#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REDIS_SCRIPT VESPER_SOURCE_DIR "/tests/services/redis.sh"

struct redis_service {
	char dir[256];
	int port;
};

/* False: Redis is not installed. */
static inline bool redis_service_start(struct redis_service *s)
{
	char command[512];
	FILE *out;
	bool ok;

	if (access("/usr/bin/redis-server", X_OK) != 0)
		return false;
	snprintf(command, sizeof(command), "'%s' start %d", REDIS_SCRIPT, (int)getpid());
	out = popen(command, "r");
	ok = out && fscanf(out, "%255s %d", s->dir, &s->port) == 2;
	if (out)
		pclose(out);
	if (!ok)
		abort();
	return true;
}

/* verb: pause, resume, kill, restart or stop */
static inline void redis_service_do(const struct redis_service *s, const char *verb)
{
	char command[512];

	snprintf(command, sizeof(command), "'%s' %s '%s'", REDIS_SCRIPT, verb, s->dir);
	if (system(command) != 0)
		abort();
}

static inline redisContext *redis_service_connect(const struct redis_service *s)
{
	redisContext *c = redisConnect("127.0.0.1", s->port);

	if (!c || c->err)
		abort();
	return c;
}

/* Simulates the passage of time: reduces the remaining lifetime of every key. */
static inline void redis_service_age(redisContext *c, long long ms)
{
	redisReply *keys = redisCommand(c, "KEYS *");

	for (size_t i = 0; i < keys->elements; i++) {
		const redisReply *key = keys->element[i];
		redisReply *ttl = redisCommand(c, "PTTL %b", key->str, key->len);
		long long remaining_ms = ttl->integer - ms;
		freeReplyObject(ttl);
		freeReplyObject(remaining_ms > 0 ? redisCommand(c, "PEXPIRE %b %lld", key->str,
								key->len, remaining_ms)
						 : redisCommand(c, "DEL %b", key->str, key->len));
	}
	freeReplyObject(keys);
}

#endif
