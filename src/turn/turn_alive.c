/*
 * Heartbeat of running turns in a store that replicas share: other replicas close turns without a
 * heartbeat. Only one round runs at a time, to avoid load on a slow store.
 */
#include "turn_int.h"

#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

/* One statement of a round. */
struct heartbeat {
	struct list node;
	struct op *op;
};

static void on_heartbeat(void *owner, const struct err *e)
{
	struct heartbeat *heartbeat = owner;

	if (e)
		log_warn("turn.alive", "the heartbeat of running turns was not stored: %s",
			 e->text);
	list_remove(&heartbeat->node);
	mem_free(heartbeat);
}

static void heartbeat_send(struct turns *all, const char *tenant, const char *const *ids,
			   size_t count)
{
	struct heartbeat *heartbeat = mem_alloc(sizeof(*heartbeat));

	list_append(&all->heartbeats, &heartbeat->node);
	heartbeat->op =
		store_turns_heartbeat(all->store, tenant, ids, count, on_heartbeat, heartbeat);
}

static void heartbeat_tenant(struct turns *all, const struct turn_group *g)
{
	const char *ids[TURNS_ALIVE_MAX];
	const char *tenant = NULL;
	size_t n = 0;

	list_each(node, &g->turns) {
		const struct turn *t = turn_at(node);

		if (t->machine.waiting)
			continue; /* not in the store yet */
		tenant = t->core.who->tenant;
		ids[n++] = t->core.id.text;
		if (n == TURNS_ALIVE_MAX) {
			heartbeat_send(all, tenant, ids, n);
			n = 0;
		}
	}
	if (n > 0)
		heartbeat_send(all, tenant, ids, n);
}

static void on_tick(void *owner)
{
	struct turns *all = owner;

	if (!list_empty(&all->heartbeats))
		return;
	hashmap_each(node, &all->groups) {
		const struct turn_group *g = hashmap_item(node, struct turn_group, by_key);

		if (turn_group_is(g, GROUP_TENANT))
			heartbeat_tenant(all, g);
	}
}

void turns_heartbeat_start(struct turns *all)
{
	all->heartbeat_timer = timer_new(all->loop, on_tick, all);
	timer_repeat(all->heartbeat_timer, TURNS_ALIVE_MS);
}

void turns_heartbeat_stop(struct turns *all)
{
	timer_free(&all->heartbeat_timer);
	list_each_safe(node, &all->heartbeats) {
		struct heartbeat *heartbeat = list_item(node, struct heartbeat, node);

		op_cancel(&heartbeat->op);
		list_remove(node);
		mem_free(heartbeat);
	}
}
