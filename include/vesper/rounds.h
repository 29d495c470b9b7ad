/*
 * Periodic work on each of many items, usually tenants. Only a few are processed at once, so that
 * shared resources stay available to users, whatever the number of items. Loop thread only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;
struct rounds;

/* Begins the work on one item, 0 .. count - 1. False: the item needs no work. The work ends
 * with rounds_end(), not before this callback has returned. */
typedef bool (*rounds_begin_cb)(void *owner, size_t i);

struct rounds *rounds_new(struct loop *loop, size_t count, size_t max_running,
			  rounds_begin_cb begin, void *owner);

/* Runs a round every `every_ms`; the first at once if `now`. A round in which not all items have
 * begun continues at the time of the next one. Items that are still running are skipped. */
void rounds_start(struct rounds *r, uint64_t every_ms, bool now);

/* Reports that the work on this item has ended, so that another can begin. No effect if no round
 * began it. */
void rounds_end(struct rounds *r, size_t i);

void rounds_free(struct rounds **r); /* *r may be NULL; no further work begins */
