/*
 * Waits until the names of a tenant's data are loaded. A question read without them may be
 * misunderstood: a project's name would be read as the technology it contains.
 */
#include "names_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/loop.h"
#include "vesper/mem.h"

struct name_wait {
	struct op op; /* must be first */
	struct list node;
	struct timer *timer;
	char *tenant;
	name_wait_cb cb;
	void *owner;
};

static void wait_free(struct name_wait *w)
{
	list_remove(&w->node);
	timer_free(&w->timer);
	mem_free(w->tenant);
	mem_free(w);
}

static void wait_end(void *wait)
{
	struct name_wait *w = wait;
	name_wait_cb cb = w->cb;
	void *owner = w->owner;

	wait_free(w);
	cb(owner);
}

static void on_cancel(struct op *op)
{
	wait_free((struct name_wait *)op);
}

struct op *entity_index_wait(struct entity_index *b, struct loop *l, const char *tenant,
			     name_wait_cb cb, void *owner)
{
	struct name_wait *w = mem_alloc(sizeof(*w));

	assert(!entity_index_loaded(b, tenant));
	w->op.cancel = on_cancel;
	w->tenant = mem_strdup(tenant);
	w->cb = cb;
	w->owner = owner;
	w->timer = timer_new(l, wait_end, w);
	timer_start(w->timer, ENTITY_INDEX_WAIT_MS);
	list_append(&b->waits, &w->node);
	return &w->op;
}

static struct name_wait *find_first(const struct entity_index *b, const char *tenant)
{
	list_each(node, &b->waits) {
		struct name_wait *w = list_item(node, struct name_wait, node);

		if (strcmp(w->tenant, tenant) == 0)
			return w;
	}
	return NULL;
}

/* Restarts the search each time, since a callback may cancel or add waits. */
void name_waits_end(struct entity_index *b, const char *tenant)
{
	struct name_wait *w;

	while ((w = find_first(b, tenant)))
		wait_end(w);
}
