/*
 * A chain of blocks, newest first. Blocks double up to a size that keeps a turn at a handful of
 * them. A large request that does not fit gets a separate block, so that the current one is not
 * abandoned half empty. Memory is zeroed when it is handed out, since much of a block is never
 * used.
 */
#include "vesper/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "vesper/mem.h"

#define BLOCK_FIRST_BYTES   4096
#define BLOCK_LARGEST_BYTES 65536

struct block {
	struct block *next;
	size_t used;
	size_t size;
	alignas(max_align_t) char data[];
};

struct cleanup {
	struct cleanup *next;
	void (*free_it)(void *object);
	void *object;
};

struct arena {
	struct block *blocks; /* the first is being filled; others are full or hold one item */
	struct cleanup *cleanups;
	size_t next_block_bytes;
	size_t bytes;
	size_t cap_bytes;
};

static struct block *block_new(size_t size)
{
	struct block *b = mem_realloc(NULL, sizeof(*b) + size);
	*b = (struct block){.size = size};
	return b;
}

struct arena *arena_new(size_t cap_bytes)
{
	struct arena *a = mem_alloc(sizeof(*a));
	a->cap_bytes = cap_bytes;
	a->next_block_bytes = BLOCK_FIRST_BYTES;
	return a;
}

/* Returns a block with at least `bytes` free (a multiple of the alignment). */
static struct block *block_with_space(struct arena *a, size_t bytes)
{
	struct block *head = a->blocks;
	if (head && head->size - head->used >= bytes)
		return head;
	if (head && bytes > a->next_block_bytes / 4) {
		struct block *single = block_new(bytes);
		single->next = head->next;
		head->next = single;
		return single;
	}
	struct block *b = block_new(bytes > a->next_block_bytes ? bytes : a->next_block_bytes);
	if (a->next_block_bytes < BLOCK_LARGEST_BYTES)
		a->next_block_bytes *= 2;
	b->next = head;
	a->blocks = b;
	return b;
}

/* Unzeroed memory, for callers that write all of it. */
static void *arena_raw(struct arena *a, size_t bytes)
{
	const size_t align = alignof(max_align_t);
	assert(bytes < SIZE_MAX / 2);
	size_t rounded = (bytes ? bytes + align - 1 : align) / align * align;
	struct block *b = block_with_space(a, rounded);
	void *p = b->data + b->used;
	b->used += rounded;
	a->bytes += rounded;
	return p;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	return memset(arena_raw(a, bytes), 0, bytes);
}

void *arena_grow(struct arena *a, void *items, size_t count, size_t *cap, size_t item_bytes)
{
	if (count < *cap)
		return items;
	*cap = *cap ? *cap * 2 : 8;
	char *grown = arena_raw(a, *cap * item_bytes);
	if (count > 0)
		memcpy(grown, items, count * item_bytes);
	memset(grown + count * item_bytes, 0, (*cap - count) * item_bytes);
	return grown;
}

char *arena_strdup(struct arena *a, const char *text)
{
	return text ? arena_strndup(a, text, strlen(text)) : NULL;
}

char *arena_strndup(struct arena *a, const char *text, size_t len)
{
	char *copy = arena_raw(a, len + 1);
	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	char *text = arena_vprintf(a, fmt, args);
	va_end(args);
	return text;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list args)
{
	char small[256]; /* fits most texts; longer ones are formatted twice */
	va_list args_copy;
	va_copy(args_copy, args);
	int n = vsnprintf(small, sizeof(small), fmt, args);
	assert(n >= 0);
	char *text = arena_raw(a, (size_t)n + 1);
	if ((size_t)n < sizeof(small))
		memcpy(text, small, (size_t)n + 1);
	else
		vsnprintf(text, (size_t)n + 1, fmt, args_copy);
	va_end(args_copy);
	return text;
}

void arena_defer(struct arena *a, void (*free_it)(void *object), void *object)
{
	struct cleanup *c = arena_alloc(a, sizeof(*c));
	*c = (struct cleanup){a->cleanups, free_it, object};
	a->cleanups = c;
}

size_t arena_bytes(const struct arena *a)
{
	return a->bytes;
}

bool arena_over(const struct arena *a)
{
	return a->bytes > a->cap_bytes;
}

void arena_free(struct arena **a)
{
	if (!*a)
		return;
	for (struct cleanup *c = (*a)->cleanups; c; c = c->next)
		c->free_it(c->object);
	for (struct block *b = (*a)->blocks, *next; b; b = next) {
		next = b->next;
		mem_free(b);
	}
	mem_free(*a);
	*a = NULL;
}
