/* Sources in sorted blocks of at most 64. A change copies its block; all other blocks are
 * shared. */
#include "listing.h"

#include <stdlib.h>
#include <string.h>

#include "upload_int.h"
#include "vesper/mem.h"

#define LEAF_SOURCES 64                 /* per block: a change copies half of them on average */
#define MERGE_BYTES  (64 * 1024 * 1024) /* for pointers to rows while they are sorted */

struct leaf {
	size_t ref_count, count;
	bool has_sums;
	struct listing_sums sums;
	struct listed_source *items[LEAF_SOURCES];
};

struct listing {
	size_t ref_count, count, cap;
	struct leaf **leaves; /* none is empty */
	struct listing_sums sums;
};

/* ---- a source ---- */

static const size_t source_texts[] = {
	offsetof(struct stored_source, uid),        offsetof(struct stored_source, owner),
	offsetof(struct stored_source, name),       offsetof(struct stored_source, description),
	offsetof(struct stored_source, roles),      offsetof(struct stored_source, current),
	offsetof(struct stored_source, meaning),    offsetof(struct stored_source, expires_at),
	offsetof(struct stored_source, deleted_at), offsetof(struct stored_source, created_at),
	offsetof(struct stored_source, updated_at),
};
static const size_t version_texts[] = {
	offsetof(struct stored_version, uid),        offsetof(struct stored_version, source),
	offsetof(struct stored_version, format),     offsetof(struct stored_version, table),
	offsetof(struct stored_version, sha256),     offsetof(struct stored_version, profile),
	offsetof(struct stored_version, ask),        offsetof(struct stored_version, answers),
	offsetof(struct stored_version, fault.code), offsetof(struct stored_version, fault.text),
	offsetof(struct stored_version, updated_at),
};
#define SOURCE_TEXTS  (sizeof(source_texts) / sizeof(*source_texts))
#define VERSION_TEXTS (sizeof(version_texts) / sizeof(*version_texts))

static const char *text_at(const void *row, size_t offset)
{
	const char *text;

	memcpy(&text, (const char *)row + offset, sizeof(text));
	return text;
}

static size_t texts_bytes(const void *row, const size_t *texts, size_t count)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		if (text_at(row, texts[i]))
			bytes += strlen(text_at(row, texts[i])) + 1;
	return bytes;
}

/* Copies the row's texts to `at`, points the row at the copies, and advances `at`. */
static void texts_move(void *row, const size_t *texts, size_t count, char **at)
{
	for (size_t i = 0; i < count; i++) {
		const char *text = text_at(row, texts[i]);
		size_t bytes;

		if (!text)
			continue;
		bytes = strlen(text) + 1;
		text = memcpy(*at, text, bytes);
		memcpy((char *)row + texts[i], &text, sizeof(text));
		*at += bytes;
	}
}

static bool texts_equal(const void *a, const void *b, const size_t *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *x = text_at(a, texts[i]), *y = text_at(b, texts[i]);

		if (!x != !y || (x && strcmp(x, y) != 0))
			return false;
	}
	return true;
}

static bool is_unchanged(const struct listed_source *k, const struct stored_source *row,
			 const struct stored_version *const *versions, size_t count)
{
	bool same = k->version_count == count && k->row->etag == row->etag &&
		    k->row->kind == row->kind && k->row->visibility == row->visibility &&
		    texts_equal(k->row, row, source_texts, SOURCE_TEXTS);

	for (size_t i = 0; same && i < count; i++) {
		const struct stored_version *a = &k->versions[i], *b = versions[i];

		same = a->number == b->number && a->state == b->state && a->bytes == b->bytes &&
		       a->rows == b->rows && a->fault.line == b->fault.line &&
		       texts_equal(a, b, version_texts, VERSION_TEXTS);
	}
	return same;
}

static unsigned parts_of(const struct listed_source *k)
{
	bool is_incomplete = k->row->deleted_at != NULL;
	unsigned parts = 1U << LISTING_ALL;

	for (size_t i = 0; i < k->version_count; i++)
		is_incomplete = is_incomplete || k->versions[i].state != VERSION_READY;
	if (k->row->kind == SOURCE_TABLE)
		parts |= 1U << LISTING_TABLES;
	if (is_incomplete)
		parts |= 1U << LISTING_INCOMPLETE;
	if (k->row->expires_at)
		parts |= 1U << LISTING_EXPIRING;
	return parts;
}

/* Makes one allocation, with all texts. */
static struct listed_source *listed_source_new(const struct stored_source *row,
					       const struct stored_version *const *versions,
					       size_t count)
{
	const char *prefix = uploads_permission_prefix(row->kind);
	size_t bytes = texts_bytes(row, source_texts, SOURCE_TEXTS) + strlen(prefix) +
		       strlen(row->uid) + 1;
	struct stored_version *copies;
	struct stored_source *copy;
	struct listed_source *k;
	char *at;

	for (size_t i = 0; i < count; i++)
		bytes += texts_bytes(versions[i], version_texts, VERSION_TEXTS);
	k = mem_alloc(sizeof(*k) + sizeof(*copy) + count * sizeof(*copies) + bytes);
	copy = (struct stored_source *)(k + 1);
	copies = (struct stored_version *)(copy + 1);
	at = (char *)(copies + count);
	*copy = *row;
	texts_move(copy, source_texts, SOURCE_TEXTS, &at);
	*k = (struct listed_source){.ref_count = 1,
				    .row = copy,
				    .permission = at,
				    .versions = copies,
				    .version_count = count};
	at = stpcpy(stpcpy(at, prefix), row->uid) + 1;
	for (size_t i = 0; i < count; i++) {
		copies[i] = *versions[i];
		texts_move(&copies[i], version_texts, VERSION_TEXTS, &at);
		k->newest = &copies[i];
		if (row->current && strcmp(row->current, copies[i].uid) == 0)
			k->current = &copies[i];
	}
	k->parts = parts_of(k);
	return k;
}

static void listed_source_release(struct listed_source *k)
{
	if (--k->ref_count == 0)
		mem_free(k);
}

/* ---- sums ---- */

static void sum_source(struct listing_sums *sums, const struct listed_source *k)
{
	stored_tally_source(&sums->rows, k->row);
	for (int part = LISTING_ALL; part < LISTING_PARTS; part++)
		sums->parts[part] += (k->parts >> part) & 1;
	for (size_t i = 0; i < k->version_count; i++) {
		const struct stored_version *v = &k->versions[i];

		stored_tally_version(&sums->rows, v);
		sums->in_progress_count += version_is_in_progress(v);
		sums->bytes += v->state == VERSION_FAILED ? 0 : v->bytes;
	}
	if (k->current && k->row->kind == SOURCE_DOCUMENT)
		sums->passages += k->current->rows;
}

static void sum_leaf(struct listing_sums *sums, const struct listing_sums *leaf)
{
	stored_tally_add(&sums->rows, &leaf->rows);
	for (int part = LISTING_ALL; part < LISTING_PARTS; part++)
		sums->parts[part] += leaf->parts[part];
	sums->in_progress_count += leaf->in_progress_count;
	sums->bytes += leaf->bytes;
	sums->passages += leaf->passages;
}

static struct listing *with_sums(struct listing *l)
{
	l->sums = (struct listing_sums){0};
	for (size_t i = 0; i < l->count; i++) {
		struct leaf *leaf = l->leaves[i];

		for (size_t k = 0; !leaf->has_sums && k < leaf->count; k++)
			sum_source(&leaf->sums, leaf->items[k]);
		leaf->has_sums = true;
		sum_leaf(&l->sums, &leaf->sums);
	}
	return l;
}

const struct listing_sums *listing_sums(const struct listing *l)
{
	static const struct listing_sums none;

	return l ? &l->sums : &none;
}

/* ---- blocks ---- */

static struct leaf *leaf_new(void)
{
	struct leaf *leaf = mem_alloc(sizeof(*leaf));

	leaf->ref_count = 1;
	return leaf;
}

static void leaf_release(struct leaf *leaf)
{
	if (--leaf->ref_count > 0)
		return;
	for (size_t i = 0; i < leaf->count; i++)
		listed_source_release(leaf->items[i]);
	mem_free(leaf);
}

/* The last block whose first source is not after `uid`; otherwise the first block. */
static size_t leaf_of(const struct listing *l, const char *uid)
{
	size_t low = 0, high = l->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(l->leaves[middle]->items[0]->row->uid, uid) <= 0)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The first position whose source is not before `uid`. */
static size_t position_in(const struct leaf *leaf, const char *uid)
{
	size_t low = 0, high = leaf->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(leaf->items[middle]->row->uid, uid) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct leaf *leaf, size_t at, const char *uid)
{
	return at < leaf->count && strcmp(leaf->items[at]->row->uid, uid) == 0;
}

/* Returns a block that may be changed: a copy if other listings share it. `l` must be new. */
static struct leaf *writable_leaf(struct listing *l, size_t i)
{
	struct leaf *leaf = l->leaves[i];

	if (leaf->ref_count > 1) {
		l->leaves[i] = leaf_new();
		l->leaves[i]->count = leaf->count;
		for (size_t k = 0; k < leaf->count; k++) {
			l->leaves[i]->items[k] = leaf->items[k];
			leaf->items[k]->ref_count++;
		}
		leaf_release(leaf);
	}
	l->leaves[i]->has_sums = false;
	l->leaves[i]->sums = (struct listing_sums){0};
	return l->leaves[i];
}

static struct leaf *insert_leaf(struct listing *l, size_t at)
{
	if (l->count == l->cap) {
		l->cap = l->cap * 2 + 8;
		l->leaves = mem_realloc(l->leaves, l->cap * sizeof(*l->leaves));
	}
	memmove(&l->leaves[at + 1], &l->leaves[at], (l->count - at) * sizeof(*l->leaves));
	l->leaves[at] = leaf_new();
	l->count++;
	return l->leaves[at];
}

/* Splits a full block. IDs ascend with time, so most sources are added at the end. An append leaves
 * the full block unchanged. */
static struct leaf *split(struct listing *l, size_t i, size_t *at)
{
	struct leaf *leaf = writable_leaf(l, i), *next = insert_leaf(l, i + 1);
	size_t left_count = *at == LEAF_SOURCES ? LEAF_SOURCES : LEAF_SOURCES / 2;

	next->count = LEAF_SOURCES - left_count;
	memcpy(next->items, &leaf->items[left_count], next->count * sizeof(*next->items));
	leaf->count = left_count;
	if (*at < left_count)
		return leaf;
	*at -= left_count;
	return next;
}

static void upsert_source(struct listing *l, struct listed_source *take)
{
	size_t i = leaf_of(l, take->row->uid), at;
	struct leaf *leaf;

	if (l->count == 0)
		insert_leaf(l, 0);
	at = position_in(l->leaves[i], take->row->uid);
	if (is_at(l->leaves[i], at, take->row->uid)) {
		leaf = writable_leaf(l, i);
		listed_source_release(leaf->items[at]);
		leaf->items[at] = take;
		return;
	}
	leaf = l->leaves[i]->count == LEAF_SOURCES ? split(l, i, &at) : writable_leaf(l, i);
	memmove(&leaf->items[at + 1], &leaf->items[at], (leaf->count - at) * sizeof(*leaf->items));
	leaf->items[at] = take;
	leaf->count++;
}

static void remove_source(struct listing *l, const char *uid)
{
	size_t i = leaf_of(l, uid), at = l->count > 0 ? position_in(l->leaves[i], uid) : 0;
	struct leaf *leaf;

	if (l->count == 0 || !is_at(l->leaves[i], at, uid))
		return;
	leaf = writable_leaf(l, i);
	listed_source_release(leaf->items[at]);
	leaf->count--;
	memmove(&leaf->items[at], &leaf->items[at + 1], (leaf->count - at) * sizeof(*leaf->items));
	if (leaf->count > 0)
		return;
	leaf_release(leaf);
	l->count--;
	memmove(&l->leaves[i], &l->leaves[i + 1], (l->count - i) * sizeof(*l->leaves));
}

static struct listing *listing_copy(const struct listing *before)
{
	struct listing *l = mem_alloc(sizeof(*l));

	l->ref_count = 1;
	if (!before || before->count == 0)
		return l;
	l->count = l->cap = before->count;
	l->leaves = mem_alloc(l->cap * sizeof(*l->leaves));
	for (size_t i = 0; i < l->count; i++) {
		l->leaves[i] = before->leaves[i];
		l->leaves[i]->ref_count++;
	}
	return l;
}

struct listing *listing_hold(struct listing *l)
{
	if (l)
		l->ref_count++;
	return l;
}

void listing_release(struct listing **listing)
{
	struct listing *l = *listing;

	*listing = NULL;
	if (!l || --l->ref_count > 0)
		return;
	for (size_t i = 0; i < l->count; i++)
		leaf_release(l->leaves[i]);
	mem_free(l->leaves);
	mem_free(l);
}

/* ---- applying rows ---- */

/* Changed rows of one source. */
struct change {
	const struct stored_source *row; /* NULL: unchanged */
	const struct stored_version **versions;
	size_t count;
};

static int by_uid(const void *a, const void *b)
{
	return strcmp((*(const struct stored_source *const *)a)->uid,
		      (*(const struct stored_source *const *)b)->uid);
}

static int by_number(const void *a, const void *b)
{
	const struct stored_version *x = *(const struct stored_version *const *)a;
	const struct stored_version *y = *(const struct stored_version *const *)b;
	int order = strcmp(x->source, y->source);

	return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

/* Merges the old versions (NULL: none) with the changed ones, which replace those of the same
 * number. */
static size_t merge_versions(const struct listed_source *old, const struct change *c,
			     const struct stored_version **out)
{
	size_t n = 0, at = 0;

	for (size_t i = 0; old && i < old->version_count; i++) {
		while (at < c->count && c->versions[at]->number < old->versions[i].number)
			out[n++] = c->versions[at++];
		if (at < c->count && c->versions[at]->number == old->versions[i].number)
			out[n++] = c->versions[at++];
		else
			out[n++] = &old->versions[i];
	}
	while (at < c->count)
		out[n++] = c->versions[at++];
	return n;
}

static void apply(struct listing *l, const struct change *c, bool is_full, struct arena *a)
{
	const char *uid = c->row ? c->row->uid : c->versions[0]->source;
	const struct listed_source *old = listing_source(l, uid);
	const struct stored_source *row = c->row ? c->row : old ? old->row : NULL;
	const struct stored_version **versions =
		arena_alloc(a, ((old ? old->version_count : 0) + c->count + 1) * sizeof(*versions));
	size_t n = merge_versions(is_full ? NULL : old, c, versions);

	if (row && !(old && is_unchanged(old, row, versions, n)))
		upsert_source(l, listed_source_new(row, versions, n));
}

/* Removes sources that are not in `remaining`. Both lists are sorted. */
static void remove_missing(struct listing *l, const struct listing *before,
			   const struct stored_source *const *remaining, size_t count)
{
	struct listing_at at = {0};
	const struct listed_source *k;
	size_t i = 0;

	while ((k = listing_next(before, LISTING_ALL, &at))) {
		while (i < count && strcmp(remaining[i]->uid, k->row->uid) < 0)
			i++;
		if (i == count || strcmp(remaining[i]->uid, k->row->uid) != 0)
			remove_source(l, k->row->uid);
	}
}

static struct listing *update(const struct listing *before, const struct stored_sources *found,
			      bool is_full)
{
	struct listing *l = listing_copy(before);
	struct arena *a = arena_new(MERGE_BYTES);
	const struct stored_source **sources =
		arena_alloc(a, (found->count + 1) * sizeof(*sources));
	const struct stored_version **versions =
		arena_alloc(a, (found->version_count + 1) * sizeof(*versions));
	size_t i = 0, k = 0;

	for (size_t n = 0; n < found->count; n++)
		sources[n] = &found->items[n];
	for (size_t n = 0; n < found->version_count; n++)
		versions[n] = &found->versions[n];
	qsort(sources, found->count, sizeof(*sources), by_uid);
	qsort(versions, found->version_count, sizeof(*versions), by_number);
	while (i < found->count || k < found->version_count) {
		struct change c = {.versions = &versions[k]};
		const char *uid = k < found->version_count ? versions[k]->source : NULL;

		if (i < found->count && (!uid || strcmp(sources[i]->uid, uid) <= 0)) {
			c.row = sources[i++];
			uid = c.row->uid;
		}
		for (; k < found->version_count && strcmp(versions[k]->source, uid) == 0; k++)
			c.count++;
		apply(l, &c, is_full, a);
	}
	if (is_full)
		remove_missing(l, before, sources, found->count);
	arena_free(&a);
	return with_sums(l);
}

struct listing *listing_update(const struct listing *before, const struct stored_sources *found)
{
	return update(before, found, false);
}

struct listing *listing_reread(const struct listing *before, const struct stored_sources *found)
{
	return update(before, found, true);
}

struct listing *listing_without(const struct listing *before, const char *source,
				const char *version)
{
	struct listing *l = listing_copy(before);
	const struct listed_source *old = listing_source(l, source);
	const struct stored_version **remaining;
	size_t n = 0;

	if (old && version) {
		remaining = mem_alloc((old->version_count + 1) * sizeof(*remaining));
		for (size_t i = 0; i < old->version_count; i++)
			if (strcmp(old->versions[i].uid, version) != 0)
				remaining[n++] = &old->versions[i];
		upsert_source(l, listed_source_new(old->row, remaining, n));
		mem_free(remaining);
	} else if (old) {
		remove_source(l, source);
	}
	return with_sums(l);
}

/* ---- reading ---- */

const struct listed_source *listing_source(const struct listing *l, const char *uid)
{
	const struct leaf *leaf;
	size_t at;

	if (!l || !uid || l->count == 0)
		return NULL;
	leaf = l->leaves[leaf_of(l, uid)];
	at = position_in(leaf, uid);
	return is_at(leaf, at, uid) ? leaf->items[at] : NULL;
}

const struct stored_version *listing_version(const struct listing *l, const char *source,
					     const char *version)
{
	const struct listed_source *k = version ? listing_source(l, source) : NULL;

	for (size_t i = 0; k && i < k->version_count; i++)
		if (strcmp(k->versions[i].uid, version) == 0)
			return &k->versions[i];
	return NULL;
}

const struct listed_source *listing_next(const struct listing *l, enum listing_part part,
					 struct listing_at *at)
{
	for (; l && at->leaf < l->count; at->leaf++, at->item = 0) {
		const struct leaf *leaf = l->leaves[at->leaf];

		if (leaf->sums.parts[part] == 0)
			continue;
		while (at->item < leaf->count) {
			const struct listed_source *k = leaf->items[at->item++];

			if (k->parts & (1U << part))
				return k;
		}
	}
	return NULL;
}

/* The other listing has this block, too. */
static bool is_shared(const struct leaf *leaf, const struct listing *other)
{
	return other && other->count > 0 &&
	       other->leaves[leaf_of(other, leaf->items[0]->row->uid)] == leaf;
}

void listing_compare(const struct listing *before, const struct listing *now,
		     void (*cb)(void *owner, const struct listed_source *old,
				const struct listed_source *updated),
		     void *owner)
{
	for (size_t i = 0; before && i < before->count; i++) {
		const struct leaf *leaf = before->leaves[i];

		for (size_t k = 0; k < leaf->count && !is_shared(leaf, now); k++) {
			const struct listed_source *updated =
				listing_source(now, leaf->items[k]->row->uid);

			if (updated != leaf->items[k])
				cb(owner, leaf->items[k], updated);
		}
	}
	for (size_t i = 0; now && i < now->count; i++) {
		const struct leaf *leaf = now->leaves[i];

		for (size_t k = 0; k < leaf->count && !is_shared(leaf, before); k++)
			if (!listing_source(before, leaf->items[k]->row->uid))
				cb(owner, NULL, leaf->items[k]);
	}
}

size_t listing_new_blocks(const struct listing *before, const struct listing *now)
{
	size_t n = 0;

	for (size_t i = 0; i < now->count; i++)
		n += !is_shared(now->leaves[i], before);
	return n;
}
