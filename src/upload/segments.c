/*
 * Segments of documents in memory, least recently used first. Segments that are no longer in use
 * are removed at once. Beyond the memory limits the oldest is evicted, and built again from its
 * table when it is needed.
 */
#include "upload_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/find.h"
#include "vesper/mem.h"
#include "vesper/metric.h"
#include "vesper/vectors.h"

struct held_segment {
	struct list node;
	struct hashmap_node by_version;
	char version[UUID_BYTES];
	struct find_segment *segment;
	struct vectors *vectors; /* or NULL */
	char *model;             /* of the requested vectors; or NULL */
	size_t bytes, searches;  /* `searches`: those that use it now */
	bool is_removed;         /* removed from the list */
};

const struct find_segment *segment_of(const struct held_segment *h)
{
	return h->segment;
}

const struct vectors *segment_vectors(const struct held_segment *h)
{
	return h->vectors;
}

static void segment_free(struct held_segment *h)
{
	find_segment_free(&h->segment);
	vectors_free(&h->vectors);
	mem_free(h->model);
	mem_free(h);
}

static void metric_set_bytes(const struct uploads *u)
{
	static const struct metric index_bytes = {
		.name = "vesper_documents_index_bytes",
		.help = "Memory used for searching documents, including vectors.",
		.kind = METRIC_GAUGE,
	};

	metric_set(&index_bytes, NULL, (int64_t)(u->index_bytes + u->vector_bytes));
}

static void segment_remove(struct uploads *u, struct held_segment *h)
{
	list_remove(&h->node);
	hashmap_remove(&u->by_version, &h->by_version);
	u->index_bytes -= h->bytes;
	u->vector_bytes -= vectors_bytes(h->vectors);
	metric_set_bytes(u);
	h->is_removed = true;
	if (h->searches == 0)
		segment_free(h);
}

static bool exceeds_limit(const struct uploads *u, const struct held_segment *h)
{
	return u->index_bytes > (size_t)u->options.index_bytes ||
	       (h->vectors && u->vector_bytes > (size_t)u->options.embed_bytes);
}

/* Stops at a segment in use: all later ones were used more recently, and its user calls this
 * function after releasing it. */
void segments_evict(struct uploads *u)
{
	list_each_safe(node, &u->segments) {
		struct held_segment *h = list_item(node, struct held_segment, node);

		if (h->searches > 0 || (u->index_bytes <= (size_t)u->options.index_bytes &&
					u->vector_bytes <= (size_t)u->options.embed_bytes))
			return;
		if (exceeds_limit(u, h))
			segment_remove(u, h);
	}
}

static struct held_segment *find(const struct uploads *u, const char *version)
{
	struct hashmap_node *node = hashmap_find(&u->by_version, str_of(version));

	return node ? hashmap_item(node, struct held_segment, by_version) : NULL;
}

static bool matches_model(const struct held_segment *h, const char *model)
{
	return !model || (h->model && strcmp(h->model, model) == 0);
}

struct held_segment *segment_find(struct uploads *u, const char *version, const char *model)
{
	struct held_segment *h = find(u, version);

	if (!h || !matches_model(h, model))
		return NULL;
	list_remove(&h->node);
	list_append(&u->segments, &h->node);
	h->searches++;
	return h;
}

static bool in_use(const struct tenant_uploads *t, const char *source, const char *version)
{
	const struct listed_source *k = listing_source(t->listing, source);

	return k && !k->row->deleted_at && k->current && strcmp(k->current->uid, version) == 0;
}

struct held_segment *segment_add(const struct tenant_uploads *t, const char *source,
				 const char *version, const char *model, struct find_segment *take,
				 struct vectors *vectors_take)
{
	struct held_segment *h = find(t->all, version);

	if (h && matches_model(h, model)) { /* another search added it first */
		find_segment_free(&take);
		vectors_free(&vectors_take);
		return segment_find(t->all, version, model);
	}
	if (h)
		segment_remove(t->all, h);
	h = mem_alloc(sizeof(*h));
	*h = (struct held_segment){.segment = take,
				   .vectors = vectors_take,
				   .model = model ? mem_strdup(model) : NULL,
				   .bytes = find_segment_bytes(take),
				   .searches = 1};
	memcpy(h->version, version, UUID_BYTES);
	if (!in_use(t, source, version)) { /* deleted meanwhile */
		h->is_removed = true;
		return h;
	}
	list_append(&t->all->segments, &h->node);
	hashmap_add(&t->all->by_version, &h->by_version, str_of(h->version));
	t->all->index_bytes += h->bytes;
	t->all->vector_bytes += vectors_bytes(h->vectors);
	metric_set_bytes(t->all);
	segments_evict(t->all);
	return h;
}

void segment_release(struct held_segment **held)
{
	struct held_segment *h = *held;

	*held = NULL;
	if (!h)
		return;
	assert(h->searches > 0);
	h->searches--;
	if (h->is_removed && h->searches == 0)
		segment_free(h);
}

void segments_changed(struct uploads *u, const struct listed_source *old,
		      const struct listed_source *updated)
{
	const struct stored_version *now =
		updated && !updated->row->deleted_at ? updated->current : NULL;

	for (size_t i = 0; old && i < old->version_count; i++) {
		struct held_segment *h = find(u, old->versions[i].uid);

		if (h && !(now && strcmp(now->uid, h->version) == 0))
			segment_remove(u, h);
	}
}

void segments_free(struct uploads *u)
{
	list_each_safe(node, &u->segments)
		segment_remove(u, list_item(node, struct held_segment, node));
}
