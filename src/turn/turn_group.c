/*
 * The running turns by id, and grouped by session, user and tenant. Lookups and counts read no
 * other turns.
 */
#include "turn_int.h"

#include <assert.h>
#include <stdio.h>

#include "vesper/mem.h"

/* Two users may use the same session id, so the key has the user too. No tenant, user or id
 * contains the separator. */
static char *key_of(enum turn_group_kind kind, const struct principal *who, const char *session_id)
{
	const char *const parts[] = {[GROUP_TENANT] = who->tenant,
				     [GROUP_USER] = who->user,
				     [GROUP_SESSION] = session_id};
	struct buf key;

	buf_init(&key, SIZE_MAX / 2);
	buf_char(&key, (char)('0' + kind));
	for (int i = GROUP_TENANT; i >= (int)kind; i--) {
		buf_char(&key, '\x1f');
		buf_str(&key, parts[i]);
	}
	return buf_take(&key);
}

bool turn_group_is(const struct turn_group *g, enum turn_group_kind kind)
{
	return g->key[0] == (char)('0' + kind);
}

static struct turn_group *find(const struct turns *all, const char *key)
{
	struct hashmap_node *node = hashmap_find(&all->groups, str_of(key));

	return node ? hashmap_item(node, struct turn_group, by_key) : NULL;
}

const struct turn_group *turn_group_of(const struct turns *all, enum turn_group_kind kind,
				       const struct principal *who, const char *session_id)
{
	char *key = key_of(kind, who, session_id);
	const struct turn_group *g = find(all, key);

	mem_free(key);
	return g;
}

struct turn *turn_by_id(const struct turns *all, const char *turn_id)
{
	struct hashmap_node *node = hashmap_find(&all->by_id, str_of(turn_id));

	return node ? hashmap_item(node, struct turn, machine.by_id) : NULL;
}

static struct turn_group *group_get_or_create(struct turns *all, char *take_key)
{
	struct turn_group *g = find(all, take_key);

	if (g) {
		mem_free(take_key);
		return g;
	}
	g = mem_alloc(sizeof(*g));
	*g = (struct turn_group){.key = take_key};
	list_init(&g->turns);
	hashmap_add(&all->groups, &g->by_key, str_of(g->key));
	return g;
}

void turn_groups_init(struct turns *all)
{
	list_init(&all->running);
	hashmap_init(&all->by_id);
	hashmap_init(&all->groups);
}

void turn_groups_deinit(struct turns *all)
{
	assert(all->count == 0 && all->groups.count == 0);
	hashmap_deinit(&all->by_id);
	hashmap_deinit(&all->groups);
}

void turn_join_groups(struct turn *t)
{
	struct turns *all = t->core.all;

	list_append(&all->running, &t->core.node);
	hashmap_add(&all->by_id, &t->machine.by_id, str_of(t->core.id.text));
	for (int kind = 0; kind < GROUP_KINDS; kind++) {
		struct turn_membership *membership = &t->machine.memberships[kind];

		membership->turn = t;
		membership->group =
			group_get_or_create(all, key_of((enum turn_group_kind)kind, t->core.who,
							t->core.request.session_id));
		if (membership->group->count++ == 0 && kind == GROUP_TENANT)
			all->tenants++;
		list_append(&membership->group->turns, &membership->node);
	}
	all->count++;
}

void turn_leave_groups(struct turn *t)
{
	struct turns *all = t->core.all;

	all->count--;
	list_remove(&t->core.node);
	hashmap_remove(&all->by_id, &t->machine.by_id);
	for (int kind = 0; kind < GROUP_KINDS; kind++) {
		struct turn_membership *membership = &t->machine.memberships[kind];
		struct turn_group *g = membership->group;

		list_remove(&membership->node);
		if (--g->count > 0)
			continue;
		all->tenants -= kind == GROUP_TENANT;
		hashmap_remove(&all->groups, &g->by_key);
		mem_free(g->key);
		mem_free(g);
	}
}
