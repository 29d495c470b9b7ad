/*
 * Connects hiredis to our loop. Debian's hiredis 0.14 has a libuv adapter that misses refused
 * connections. Its reader trusts the server: it allocates whatever size an array announces, and
 * asserts that every reply was requested, so stray bytes would end the process. This file watches
 * the descriptor itself and wraps the reader's constructors: unrequested or oversized replies end
 * the connection.
 */
#include "redis_glue.h"

#include "vesper/limits.h"
#include "vesper/mem.h"

struct glue {
	redisAsyncContext *ac; /* NULL: freed during a call that still runs */
	struct fd_watch *watch;
	int events;
	bool inside; /* in a call to hiredis; the glue is freed after it if its context was freed */
	struct redis_glue_options options;
	redisReplyObjectFunctions *plain; /* constructors of hiredis */
	redisReplyObjectFunctions guarded;
	size_t bytes, elements; /* of the reply being read */
};

/* ---- guarded constructors ---- */

/* Counts the reply's bytes and elements. NULL: it was not requested or is too large. */
static struct glue *guard_of(const redisReadTask *task, size_t bytes, size_t elements)
{
	struct glue *g = task->privdata;

	if (!task->parent)
		g->bytes = g->elements = 0;
	g->bytes += bytes;
	g->elements += elements;
	return *g->options.unanswered > 0 && g->bytes <= g->options.reply_bytes &&
			       g->elements <= g->options.reply_elements
		       ? g
		       : NULL;
}

static int level_of(const redisReadTask *task)
{
	int level = 1;

	for (; task->parent; task = task->parent)
		level++;
	return level;
}

static void *on_string(const redisReadTask *task, char *text, size_t len)
{
	struct glue *g = guard_of(task, len, 0);

	return g ? g->plain->createString(task, text, len) : NULL;
}

static void *on_array(const redisReadTask *task, int count)
{
	struct glue *g = count < 0 ? NULL : guard_of(task, 0, (size_t)count);

	return g && level_of(task) <= REDIS_REPLY_LEVELS_MAX ? g->plain->createArray(task, count)
							     : NULL;
}

static void *on_integer(const redisReadTask *task, long long n)
{
	struct glue *g = guard_of(task, 0, 0);

	return g ? g->plain->createInteger(task, n) : NULL;
}

static void *on_nil(const redisReadTask *task)
{
	struct glue *g = guard_of(task, 0, 0);

	return g ? g->plain->createNil(task) : NULL;
}

static void guard_reader(struct glue *g)
{
	redisReader *reader = g->ac->c.reader;

	g->plain = reader->fn;
	g->guarded = *reader->fn;
	g->guarded.createString = on_string;
	g->guarded.createArray = on_array;
	g->guarded.createInteger = on_integer;
	g->guarded.createNil = on_nil;
	reader->fn = &g->guarded;
	reader->privdata = g;
}

/* ---- descriptor ---- */

static void set_events(struct glue *g, int events)
{
	g->events = events;
	fd_watch_set(g->watch, events);
}

static void add_read(void *self)
{
	struct glue *g = self;

	set_events(g, g->events | FD_READ);
}

static void del_read(void *self)
{
	struct glue *g = self;

	set_events(g, g->events & ~FD_READ);
}

static void add_write(void *self)
{
	struct glue *g = self;

	set_events(g, g->events | FD_WRITE);
}

static void del_write(void *self)
{
	struct glue *g = self;

	set_events(g, g->events & ~FD_WRITE);
}

static void on_cleanup(void *self)
{
	struct glue *g = self;
	redisAsyncContext *ac = g->ac;

	ac->ev.cleanup = NULL;
	ac->ev.data = NULL;
	ac->c.reader->fn = g->plain; /* frees an incomplete reply later */
	fd_watch_free(&g->watch);
	g->options.gone(g->options.owner, ac->c.errstr);
	g->ac = NULL;
	if (!g->inside)
		mem_free(g);
}

/* An incomplete reply beyond the limit: a large announced length would fill the memory. */
static bool is_reply_oversized(const struct glue *g)
{
	return g->ac->c.reader->len > 2 * g->options.reply_bytes;
}

static void on_fd(void *owner, int fd, int events)
{
	struct glue *g = owner;

	(void)fd;
	g->inside = true;
	if (events & FD_READ)
		redisAsyncHandleRead(g->ac);
	if (g->ac && is_reply_oversized(g))
		redisAsyncFree(g->ac);
	if (g->ac && (events & FD_WRITE))
		redisAsyncHandleWrite(g->ac);
	g->inside = false;
	if (!g->ac)
		mem_free(g);
}

void redis_glue_attach(struct loop *l, redisAsyncContext *ac, const struct redis_glue_options *o)
{
	struct glue *g = mem_alloc(sizeof(*g));

	g->ac = ac;
	g->options = *o;
	if (!o->reply_bytes)
		g->options.reply_bytes = REDIS_REPLY_BYTES_MAX;
	if (!o->reply_elements)
		g->options.reply_elements = REDIS_REPLY_ELEMENTS_MAX;
	g->watch = fd_watch_new(l, ac->c.fd, on_fd, g);
	guard_reader(g);
	ac->ev.data = g;
	ac->ev.addRead = add_read;
	ac->ev.delRead = del_read;
	ac->ev.addWrite = add_write;
	ac->ev.delWrite = del_write;
	ac->ev.cleanup = on_cleanup;
}
