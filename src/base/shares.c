/* Owners are few, so finding the one with the largest share is a linear search. */
#include "vesper/shares.h"

#include <assert.h>

#include "vesper/mem.h"

struct share_owner {
	struct hashmap_node by_name;
	struct list node;
	struct list items; /* oldest first */
	size_t count, bytes;
	char *name;
};

void shares_init(struct shares *s, size_t count_max, size_t bytes_max)
{
	*s = (struct shares){.count_max = count_max, .bytes_max = bytes_max};
	hashmap_init(&s->by_name);
	list_init(&s->owners);
}

void shares_deinit(struct shares *s)
{
	assert(s->count == 0);
	hashmap_deinit(&s->by_name);
}

static struct share_owner *owner_of(struct shares *s, struct str name)
{
	struct hashmap_node *node = hashmap_find(&s->by_name, name);
	struct share_owner *o;

	if (node)
		return hashmap_item(node, struct share_owner, by_name);
	o = mem_alloc(sizeof(*o));
	*o = (struct share_owner){.name = mem_strndup(name.p, name.n)};
	list_init(&o->items);
	list_append(&s->owners, &o->node);
	hashmap_add(&s->by_name, &o->by_name, (struct str){o->name, name.n});
	return o;
}

void shares_add(struct shares *s, struct share *item, struct str owner, size_t bytes)
{
	struct share_owner *o = owner_of(s, owner);

	item->owner = o;
	item->bytes = bytes;
	list_append(&o->items, &item->node);
	o->count++;
	o->bytes += bytes;
	s->count++;
	s->bytes += bytes;
}

void shares_touch(struct share *item)
{
	list_remove(&item->node);
	list_append(&item->owner->items, &item->node);
}

void shares_remove(struct shares *s, struct share *item)
{
	struct share_owner *o = item->owner;

	list_remove(&item->node);
	o->count--;
	o->bytes -= item->bytes;
	s->count--;
	s->bytes -= item->bytes;
	if (o->count > 0)
		return;
	hashmap_remove(&s->by_name, &o->by_name);
	list_remove(&o->node);
	mem_free(o->name);
	mem_free(o);
}

struct share *shares_next_to_evict(const struct shares *s)
{
	const struct share_owner *largest = NULL;
	bool bytes = s->bytes > s->bytes_max;

	if (!bytes && s->count <= s->count_max)
		return NULL;
	list_each(node, &s->owners) {
		const struct share_owner *o = list_item(node, struct share_owner, node);

		if (!largest || (bytes ? o->bytes > largest->bytes : o->count > largest->count))
			largest = o;
	}
	assert(largest);
	return list_item(largest->items.next, struct share, node);
}
