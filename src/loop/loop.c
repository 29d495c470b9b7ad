/*
 * The libuv loop, with additions: deferred callbacks, a queue that other threads may post to, and a
 * check for objects that were never freed.
 */
#include "loop_int.h"

#include <assert.h>
#include <signal.h>

#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

struct post {
	struct list node;
	void (*cb)(void *owner);
	void *owner;
};

static void on_idle(uv_idle_t *idle);
static void on_measure(uv_prepare_t *measure);
static void on_wake(uv_async_t *wake);

static void handles_start(struct loop *l)
{
	int rc = uv_async_init(&l->uv, &l->wake, on_wake);

	assert(rc ==
	       0); /* fails only if no descriptor is free, and the loop has just opened some */
	uv_idle_init(&l->uv, &l->idle);
	uv_prepare_init(&l->uv, &l->measure);
	uv_prepare_start(&l->measure, on_measure);
	l->wake.data = l->idle.data = l->measure.data = l;
	/* Neither keeps the loop alive; an active idle handle does. */
	uv_unref((uv_handle_t *)&l->wake);
	uv_unref((uv_handle_t *)&l->measure);
}

bool loop_new(struct loop **out, struct err *e)
{
	struct loop *l = mem_alloc(sizeof(*l));
	int rc = uv_loop_init(&l->uv);

	if (rc != 0) {
		mem_free(l);
		return err_set(e, ERR_INTERNAL, "the event loop cannot be created: %s",
			       uv_strerror(rc));
	}
	/* Costs one more epoll_wait, only in iterations without events. */
	uv_loop_configure(&l->uv, UV_METRICS_IDLE_TIME);
	list_init(&l->objects);
	list_init(&l->deferred);
	list_init(&l->deferred_last);
	list_init(&l->running);
	list_init(&l->posts);
	pthread_mutex_init(&l->lock, NULL);
	handles_start(l);
	l->measured_ns = uv_hrtime();
	signal(SIGPIPE,
	       SIG_IGN); /* a closed peer is an error of write() and must not end the process */
	*out = l;
	return true;
}

void loop_run(struct loop *l)
{
	l->measured_ns = uv_hrtime();
	uv_run(&l->uv, UV_RUN_DEFAULT);
}

void loop_stop(struct loop *l)
{
	uv_stop(&l->uv);
}

bool loop_run_once(struct loop *l)
{
	l->measured_ns = uv_hrtime();
	loop_hold(l); /* libuv would skip the iteration of a loop without active handles */
	uv_run(&l->uv, UV_RUN_NOWAIT);
	loop_release(l);
	return uv_loop_alive(&l->uv) != 0;
}

void *loop_native(struct loop *l)
{
	return &l->uv;
}

uint64_t loop_now_ms(struct loop *l)
{
	return uv_now(&l->uv);
}

/* The working time of an iteration: the time since the last call of this hook, minus the wait in
 * between. */
static void on_measure(uv_prepare_t *measure)
{
	struct loop *l = measure->data;
	uint64_t now = uv_hrtime();
	uint64_t idle = uv_metrics_idle_time(&l->uv);
	uint64_t passed = now - l->measured_ns;
	uint64_t waited = idle - l->idle_ns;

	if (passed > waited && passed - waited > l->longest_ns)
		l->longest_ns = passed - waited;
	l->measured_ns = now;
	l->idle_ns = idle;
}

int64_t loop_longest_us(struct loop *l)
{
	uint64_t longest = l->longest_ns;

	l->longest_ns = 0;
	return (int64_t)(longest / 1000);
}

static void deferred_queue(struct loop *l, struct list *queue, struct deferred *deferred,
			   deferred_cb cb, void *owner)
{
	if (deferred->node.next && !list_empty(&deferred->node))
		return;
	deferred->cb = cb;
	deferred->owner = owner;
	list_append(queue, &deferred->node);
	if (!uv_is_active((uv_handle_t *)&l->idle))
		uv_idle_start(&l->idle, on_idle);
}

void loop_defer(struct loop *l, struct deferred *deferred, deferred_cb cb, void *owner)
{
	deferred_queue(l, &l->deferred, deferred, cb, owner);
}

void loop_defer_last(struct loop *l, struct deferred *deferred, deferred_cb cb, void *owner)
{
	deferred_queue(l, &l->deferred_last, deferred, cb, owner);
}

void deferred_cancel(struct deferred *deferred)
{
	list_remove(&deferred->node);
}

static void list_move(struct list *from, struct list *to)
{
	while (!list_empty(from)) {
		struct list *node = from->next;

		list_remove(node);
		list_append(to, node);
	}
}

static void deferred_run(struct loop *l, struct list *queue)
{
	list_move(queue, &l->running);
	while (!list_empty(&l->running)) {
		struct deferred *deferred = list_item(l->running.next, struct deferred, node);

		list_remove(&deferred->node);
		deferred->cb(deferred->owner);
	}
}

/* Callbacks deferred by a deferred callback go to `deferred` and run in the next iteration, so that
 * descriptors are served in between. */
static void on_idle(uv_idle_t *idle)
{
	struct loop *l = idle->data;

	deferred_run(l, &l->deferred);
	if (list_empty(&l->deferred) || ++l->last_wait_count >= LOOP_LAST_ITERATIONS) {
		l->last_wait_count = 0;
		deferred_run(l, &l->deferred_last);
	}
	if (list_empty(&l->deferred) && list_empty(&l->deferred_last))
		uv_idle_stop(&l->idle);
}

void loop_post(struct loop *l, void (*cb)(void *owner), void *owner)
{
	struct post *p = mem_alloc(sizeof(*p));

	p->cb = cb;
	p->owner = owner;
	pthread_mutex_lock(&l->lock);
	list_append(&l->posts, &p->node);
	pthread_mutex_unlock(&l->lock);
	uv_async_send(&l->wake);
}

static void posts_run(struct loop *l)
{
	struct list posts;

	list_init(&posts);
	pthread_mutex_lock(&l->lock);
	list_move(&l->posts, &posts);
	pthread_mutex_unlock(&l->lock);
	while (!list_empty(&posts)) {
		struct post *p = list_item(posts.next, struct post, node);

		list_remove(&p->node);
		p->cb(p->owner);
		mem_free(p);
	}
}

static void on_wake(uv_async_t *wake)
{
	posts_run(wake->data);
}

void loop_hold(struct loop *l)
{
	if (l->hold_count++ == 0)
		uv_ref((uv_handle_t *)&l->wake);
}

void loop_release(struct loop *l)
{
	assert(l->hold_count > 0);
	if (--l->hold_count == 0)
		uv_unref((uv_handle_t *)&l->wake);
}

void loop_object_add(struct loop *l, struct object *object, const char *kind)
{
	object->kind = kind;
	list_append(&l->objects, &object->node);
}

static void on_closed(uv_handle_t *handle)
{
	mem_free(handle->data);
}

void loop_object_close(struct object *object, uv_handle_t *handle, void *block)
{
	list_remove(&object->node);
	handle->data = block;
	uv_close(handle, on_closed);
}

static void log_not_freed(const struct loop *l)
{
	list_each(node, &l->objects)
		log_error("loop.not_freed", "%s was never freed",
			  list_item(node, struct object, node)->kind);
	list_each(node, &l->deferred)
		log_error("loop.not_freed", "a deferred callback is still waiting");
	list_each(node, &l->deferred_last)
		log_error("loop.not_freed", "a last deferred callback is still waiting");
}

static void log_unclosed_handle(uv_handle_t *handle, void *unused)
{
	(void)unused;
	log_error("loop.not_freed", "a %s handle of a library was never closed",
		  uv_handle_type_name(handle->type));
}

void loop_free(struct loop **loop)
{
	struct loop *l = *loop;
	int rc;

	if (!l)
		return;
	*loop = NULL;
	posts_run(l); /* final posts of threads that have ended */
	log_not_freed(l);
	assert(list_empty(&l->objects) && list_empty(&l->deferred) &&
	       list_empty(&l->deferred_last) && l->hold_count == 0);
	uv_close((uv_handle_t *)&l->wake, NULL);
	uv_close((uv_handle_t *)&l->idle, NULL);
	uv_close((uv_handle_t *)&l->measure, NULL);
	/* A signal handle may need a second round to close. */
	for (int i = 0; i < 3 && loop_run_once(l); i++)
		;
	rc = uv_loop_close(&l->uv);
	if (rc != 0)
		uv_walk(&l->uv, log_unclosed_handle, NULL);
	assert(rc == 0);
	pthread_mutex_destroy(&l->lock);
	mem_free(l);
}
