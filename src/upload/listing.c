/*
 * The rows of a tenant, found by their ids. After a change only what changed is read: the other
 * rows keep their texts, which live as long as a listing that shows them.
 */
#include "upload_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/mem.h"

#define LISTING_BYTES (64 * 1024 * 1024) /* of ids, places and permissions */

struct read_rows *read_rows_new(struct read_rows *before)
{
	struct read_rows *r = mem_alloc(sizeof(*r));

	*r = (struct read_rows){.uses = 1,
				.arena = arena_new(LISTING_BYTES),
				.before = before,
				.depth = before ? before->depth + 1 : 0};
	if (before)
		before->uses++;
	return r;
}

void read_rows_release(struct read_rows **rows)
{
	struct read_rows *r = *rows, *before;

	*rows = NULL;
	for (; r && --r->uses == 0; r = before) {
		before = r->before;
		arena_free(&r->arena);
		mem_free(r);
	}
}

struct listing *listing_hold(struct listing *l)
{
	if (l)
		l->uses++;
	return l;
}

void listing_release(struct listing **listing)
{
	struct listing *l = *listing;

	*listing = NULL;
	if (!l || --l->uses > 0)
		return;
	hashmap_deinit(&l->by_source);
	hashmap_deinit(&l->by_version);
	read_rows_release(&l->rows);
	arena_free(&l->arena);
	mem_free(l);
}

const struct known_source *listing_source(const struct listing *l, const char *uid)
{
	struct hashmap_node *node = l && uid ? hashmap_find(&l->by_source, str_of(uid)) : NULL;

	return node ? hashmap_item(node, struct known_source, node) : NULL;
}

const struct known_version *listing_version(const struct listing *l, const char *uid)
{
	struct hashmap_node *node = l && uid ? hashmap_find(&l->by_version, str_of(uid)) : NULL;

	return node ? hashmap_item(node, struct known_version, node) : NULL;
}

/* ---- what was read since ---- */

/* As the store gives them. */
static int by_uid(const void *a, const void *b)
{
	return strcmp(((const struct stored_source *)a)->uid,
		      ((const struct stored_source *)b)->uid);
}

/* `before` with the rows of `found` in the places of those that they follow, the new ones behind.
 */
static struct stored_source *join_sources(const struct listing *l, const struct listing *before,
					  const struct stored_sources *had,
					  const struct stored_sources *found, size_t *count)
{
	struct stored_source *all =
		arena_alloc(l->arena, (had->count + found->count + 1) * sizeof(*all));

	if (had->count > 0)
		memcpy(all, had->items, had->count * sizeof(*all));
	*count = had->count;
	for (size_t i = 0; i < found->count; i++) {
		const struct known_source *k = listing_source(before, found->items[i].uid);

		all[k ? (size_t)(k - before->sources) : (*count)++] = found->items[i];
	}
	for (size_t i = had->count; i < *count; i++) /* ids are made of the time: hardly ever */
		if (i > 0 && by_uid(&all[i - 1], &all[i]) > 0)
			qsort(all, *count, sizeof(*all), by_uid);
	return all;
}

static struct stored_version *join_versions(const struct listing *l, const struct listing *before,
					    const struct stored_sources *had,
					    const struct stored_sources *found, size_t *count)
{
	struct stored_version *all = arena_alloc(
		l->arena, (had->version_count + found->version_count + 1) * sizeof(*all));

	if (had->version_count > 0)
		memcpy(all, had->versions, had->version_count * sizeof(*all));
	*count = had->version_count;
	for (size_t i = 0; i < found->version_count; i++) {
		const struct known_version *k = listing_version(before, found->versions[i].uid);

		all[k ? (size_t)(k->row - had->versions) : (*count)++] = found->versions[i];
	}
	return all;
}

/* ---- by their ids ---- */

static void index_sources(struct listing *l, const struct stored_sources *all)
{
	l->sources = arena_alloc(l->arena, (all->count + 1) * sizeof(*l->sources));
	for (size_t i = 0; i < all->count; i++) {
		struct known_source *k = &l->sources[i];

		k->row = &all->items[i];
		k->permission = uploads_permission(k->row, l->arena);
		hashmap_add(&l->by_source, &k->node, str_of(k->row->uid));
	}
}

static void index_versions(struct listing *l, const struct stored_sources *all)
{
	struct known_version *list =
		arena_alloc(l->arena, (all->version_count + 1) * sizeof(*list));

	for (size_t i = 0; i < all->version_count; i++) {
		struct known_version *k = &list[i];
		struct known_source *s;

		k->row = &all->versions[i];
		hashmap_add(&l->by_version, &k->node, str_of(k->row->uid));
		s = (struct known_source *)listing_source(l, k->row->source);
		if (!s)
			continue;
		k->before = s->newest;
		s->newest = k;
		if (s->row->current && strcmp(s->row->current, k->row->uid) == 0)
			s->current = k->row;
	}
}

struct listing *listing_new(struct listing *before, struct read_rows **rows_take,
			    const struct stored_sources *found, struct stored_sources *all)
{
	struct listing *l = mem_alloc(sizeof(*l));
	struct stored_sources had = *all;

	*l = (struct listing){.uses = 1, .arena = arena_new(LISTING_BYTES), .rows = *rows_take};
	*rows_take = NULL;
	hashmap_init(&l->by_source);
	hashmap_init(&l->by_version);
	*all = *found;
	if (before) {
		all->items = join_sources(l, before, &had, found, &all->count);
		all->versions = join_versions(l, before, &had, found, &all->version_count);
		if (strcmp(stored_sources_stamp(all, l->arena), found->stamp) != 0) {
			*all = had;
			listing_release(&l);
			return NULL;
		}
	}
	index_sources(l, all);
	index_versions(l, all);
	return l;
}
