/*
 * Scheduling of waiting requests. Tenants take turns, so that a tenant with many requests delays
 * only itself. Within a tenant requests start in order of arrival, with two exceptions: a tenant
 * has one writer at a time, and writes in a group commit wait for a timer or for a write that is
 * not.
 */
#include "db_int.h"

#include "vesper/limits.h"

/* One tenant's share. A quarter is reserved for other tenants if there is enough to share. */
size_t db_queue_share(size_t all, size_t tenants)
{
	size_t reserved = all / 4 > 0 ? all / 4 : 1;

	return tenants > 1 && all > 2 ? all - reserved : all;
}

static struct request *oldest(const struct list *queue)
{
	return list_empty(queue) ? NULL : list_item(queue->next, struct request, node);
}

static struct request *next_of(const struct tenant *t)
{
	struct request *read = oldest(&t->reads);
	struct request *write = t->writing || t->immediate == 0 ? NULL : oldest(&t->writes);

	if (!read || !write)
		return read ? read : write;
	return write->number < read->number ? write : read;
}

void db_queue_update(struct db_pool *p, struct tenant *t)
{
	bool ready = t->running < p->settings.share && next_of(t);
	bool listed = t->ready_node.next && !list_empty(&t->ready_node);

	if (ready && !listed)
		list_append(&p->ready_tenants, &t->ready_node);
	else if (!ready)
		list_remove(&t->ready_node);
}

void db_queue_start_group_commits(struct tenant *t)
{
	list_each(node, &t->writes)
		list_item(node, struct request, node)->group_commit = false;
	t->immediate += t->group_commit;
	t->group_commit = 0;
	db_queue_update(t->pool, t);
}

static void on_group_commit_timer(void *owner)
{
	struct tenant *t = owner;

	db_queue_start_group_commits(t);
	db_pool_pump(t->pool);
}

static void write_count(struct tenant *t, bool group_commit)
{
	if (!group_commit) {
		t->immediate++;
		return;
	}
	if (!t->group_commit_timer)
		t->group_commit_timer = timer_new(t->pool->loop, on_group_commit_timer, t);
	if (t->group_commit++ == 0)
		timer_start(t->group_commit_timer, DB_GROUP_COMMIT_MS);
}

static void write_uncount(struct tenant *t, bool group_commit)
{
	if (!group_commit)
		t->immediate--;
	else if (--t->group_commit == 0)
		timer_stop(t->group_commit_timer);
}

void db_queue_add(struct request *r)
{
	struct tenant *t = r->tenant;

	if (r->write)
		write_count(t, r->group_commit);
	list_append(r->write ? &t->writes : &t->reads, &r->node);
	r->waiting = true;
	r->queued_ms = loop_now_ms(t->pool->loop);
	r->pool->waiting++;
	t->waiting++;
	db_queue_update(r->pool, t);
}

void db_queue_remove(struct request *r)
{
	if (!r->waiting)
		return;
	r->waiting = false;
	list_remove(&r->node);
	if (r->write)
		write_uncount(r->tenant, r->group_commit);
	r->pool->waiting--;
	r->tenant->waiting--;
	db_queue_update(r->pool, r->tenant);
}

/* Writes that wait for group commit do not count as waiting. */
int64_t db_queue_waited_ms(const struct db_pool *p)
{
	uint64_t now = loop_now_ms(p->loop), since = now;

	for (size_t i = 0; i < p->tenant_count; i++) {
		const struct tenant *t = &p->tenants[i];
		const struct request *read = oldest(&t->reads);
		const struct request *write = t->immediate > 0 ? oldest(&t->writes) : NULL;

		if (read && read->queued_ms < since)
			since = read->queued_ms;
		if (write && write->queued_ms < since)
			since = write->queued_ms;
	}
	return (int64_t)(now - since);
}

/* Moves the tenant to the end of the rotation. */
struct request *db_queue_next(struct db_pool *p)
{
	struct tenant *t;

	if (list_empty(&p->ready_tenants))
		return NULL;
	t = list_item(p->ready_tenants.next, struct tenant, ready_node);
	list_remove(&t->ready_node);
	list_append(&p->ready_tenants, &t->ready_node);
	return next_of(t);
}
