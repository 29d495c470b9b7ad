/*
 * Watches on descriptors that other libraries own (curl, libmicrohttpd, our listener). libuv stops
 * a watch on a socket error. Here the watch is restarted, as owners expect of level-triggered
 * watches.
 */
#include "loop_int.h"

#include <assert.h>

#include "vesper/log.h"
#include "vesper/mem.h"

struct fd_watch {
	struct object object;
	uv_poll_t uv;
	int fd;
	int events; /* FD_ bits */
	fd_cb cb;
	void *owner;
};

static void on_poll(uv_poll_t *uv, int status, int uv_events);

static void watch_start(struct fd_watch *w)
{
	int uv_events = (w->events & FD_READ ? UV_READABLE : 0) |
			(w->events & FD_WRITE ? UV_WRITABLE : 0) |
			(w->events & FD_HANGUP ? UV_DISCONNECT : 0);
	int rc = uv_poll_start(&w->uv, uv_events, on_poll);

	assert(rc == 0);
}

static void on_poll(uv_poll_t *uv, int status, int uv_events)
{
	struct fd_watch *w = uv->data;
	int events = (uv_events & UV_READABLE ? FD_READ : 0) |
		     (uv_events & UV_WRITABLE ? FD_WRITE : 0) |
		     (uv_events & UV_DISCONNECT ? FD_HANGUP : 0);

	if (status < 0)
		events = FD_READ | FD_WRITE | (w->events & FD_HANGUP);
	w->cb(w->owner, w->fd, events);
	/* fd_watch_free frees the block only after libuv has closed the handle, so reading it is
	 * safe. */
	if (status < 0 && w->events && !uv_is_closing((uv_handle_t *)&w->uv))
		watch_start(w);
}

struct fd_watch *fd_watch_new(struct loop *l, int fd, fd_cb cb, void *owner)
{
	struct fd_watch *w = mem_alloc(sizeof(*w));
	int rc = uv_poll_init(&l->uv, &w->uv, fd);

	if (rc != 0)
		log_error("loop.watch", "descriptor %d cannot be watched: %s", fd, uv_strerror(rc));
	assert(rc ==
	       0); /* already closed, watched twice, or a regular file: an error in the caller */
	w->fd = fd;
	w->cb = cb;
	w->owner = owner;
	w->uv.data = w;
	loop_object_add(l, &w->object, "a descriptor watch");
	return w;
}

void fd_watch_set(struct fd_watch *w, int events)
{
	if (events == w->events) /* each change costs two epoll_ctl */
		return;
	w->events = events;
	if (events)
		watch_start(w);
	else
		uv_poll_stop(&w->uv);
}

void fd_watch_free(struct fd_watch **watch)
{
	struct fd_watch *w = *watch;

	if (!w)
		return;
	*watch = NULL;
	/* Stopping removes the descriptor from epoll now, so that its owner may close it or pass it
	 * to another library. */
	uv_poll_stop(&w->uv);
	loop_object_close(&w->object, (uv_handle_t *)&w->uv, w);
}
