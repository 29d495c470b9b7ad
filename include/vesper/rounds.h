/*
 * Work that comes again for each of many, tenants as a rule: a few at once, so that what they share
 * has time for users, however many there are. Loop thread only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;
struct rounds;

/* Begins the work of one, 0 .. count - 1. False: there is nothing to do for it now. It ends later,
 * with rounds_end(), not before this has returned. */
typedef bool (*rounds_begin_cb)(void *owner, size_t i);

struct rounds *rounds_new(struct loop *loop, size_t count, size_t at_once, rounds_begin_cb begin,
			  void *owner);

/* A round each every_ms, the first of them at once if `now`. A round of which not all have begun
 * goes on in the place of the next one; one that still runs is passed over. */
void rounds_start(struct rounds *r, uint64_t every_ms, bool now);

/* The work of this one has ended: another one's may begin. Where no round began it, nothing. */
void rounds_end(struct rounds *r, size_t i);

void rounds_free(struct rounds **r); /* *r may be NULL; begins nothing any more */
