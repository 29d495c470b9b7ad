/*
 * An arena: memory that is freed together, for a turn, a request or the rows of a query. Single
 * allocations are never freed.
 *
 * The cap is soft: allocation always succeeds. The owner checks arena_over() and ends the work at
 * its next step. Each input is bounded by its own limit, so the overshoot is bounded too. Use from
 * one thread at a time.
 */
#ifndef VESPER_ARENA_H
#define VESPER_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena;

struct arena *arena_new(size_t cap_bytes);

void *arena_alloc(struct arena *a, size_t bytes);      /* zeroed, aligned for any type */
char *arena_strdup(struct arena *a, const char *text); /* NULL gives NULL */
char *arena_strndup(struct arena *a, const char *text, size_t len);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Makes room for one more item of an array in the arena: returns the same array, or a larger copy
 * of its `count` items. Outgrown copies stay until the arena is freed; together they are no larger
 * than the current array. */
void *arena_grow(struct arena *a, void *items, size_t count, size_t *cap, size_t item_bytes);

/* Runs `free_it(thing)` when the arena is freed, last registered first. For json_t and other
 * objects outside the arena. */
void arena_defer(struct arena *a, void (*free_it)(void *thing), void *thing);

size_t arena_bytes(const struct arena *a); /* allocated so far */
bool arena_over(const struct arena *a);    /* more than the cap is allocated */

void arena_free(struct arena **a); /* *a may be NULL; it is NULL afterwards */

#endif
