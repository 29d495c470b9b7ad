/*
 * Segments of documents in memory, the one that was asked last at the end. What is no longer in use
 * goes at once; beyond the index's bytes the oldest goes, and is made again from its table when it
 * is asked for.
 */
#include "upload_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/find.h"
#include "vesper/mem.h"

struct held_segment {
	struct list node;
	char version[UUID_BYTES];
	const struct tenant_uploads *tenant;
	struct find_segment *segment;
	size_t bytes, searches; /* that read it now */
	bool gone;              /* it is in no list any more */
};

const struct find_segment *segment_of(const struct held_segment *h)
{
	return h->segment;
}

static void drop(struct held_segment *h)
{
	find_segment_free(&h->segment);
	mem_free(h);
}

static void leave(struct uploads *u, struct held_segment *h)
{
	list_remove(&h->node);
	u->index_bytes -= h->bytes;
	h->gone = true;
	if (h->searches == 0)
		drop(h);
}

static void make_room(struct uploads *u)
{
	list_each_safe(node, &u->segments) {
		struct held_segment *h = list_item(node, struct held_segment, node);

		if (u->index_bytes > (size_t)u->options.index_bytes && h->searches == 0)
			leave(u, h);
	}
}

static struct held_segment *find(const struct uploads *u, const char *version)
{
	list_each(node, (struct list *)&u->segments) {
		struct held_segment *h = list_item(node, struct held_segment, node);

		if (strcmp(h->version, version) == 0)
			return h;
	}
	return NULL;
}

struct held_segment *segment_find(struct uploads *u, const char *version)
{
	struct held_segment *h = find(u, version);

	if (!h)
		return NULL;
	list_remove(&h->node);
	list_append(&u->segments, &h->node);
	h->searches++;
	return h;
}

struct held_segment *segment_add(const struct tenant_uploads *t, const char *version,
				 struct find_segment *take)
{
	struct held_segment *h = find(t->all, version);

	if (h) { /* another search was faster */
		find_segment_free(&take);
		return segment_find(t->all, version);
	}
	h = mem_alloc(sizeof(*h));
	*h = (struct held_segment){
		.tenant = t, .segment = take, .bytes = find_segment_bytes(take), .searches = 1};
	memcpy(h->version, version, UUID_BYTES);
	list_append(&t->all->segments, &h->node);
	t->all->index_bytes += h->bytes;
	make_room(t->all);
	return h;
}

void segment_release(struct uploads *u, struct held_segment **held)
{
	struct held_segment *h = *held;

	*held = NULL;
	if (!h)
		return;
	assert(h->searches > 0);
	h->searches--;
	if (h->gone && h->searches == 0)
		drop(h);
	else if (!h->gone)
		make_room(u);
}

static bool in_use(const struct tenant_uploads *t, const char *version)
{
	for (size_t i = 0; i < t->source_count; i++)
		if (!t->sources[i].deleted_at && t->sources[i].current &&
		    strcmp(t->sources[i].current, version) == 0)
			return true;
	return false;
}

void segments_update(const struct tenant_uploads *t)
{
	list_each_safe(node, &t->all->segments) {
		struct held_segment *h = list_item(node, struct held_segment, node);

		if (h->tenant == t && !in_use(t, h->version))
			leave(t->all, h);
	}
}

void segments_free(struct uploads *u)
{
	list_each_safe(node, &u->segments)
		leave(u, list_item(node, struct held_segment, node));
}
