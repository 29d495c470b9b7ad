/* A loop, a hub and two users, for tests of logs and their readers. */
#ifndef TURN_LOG_H
#define TURN_LOG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "emit.h"
#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/stream.h"
#include "vesper/uuid.h"

static struct loop *loop;
static struct stream_hub *hub;
static const struct principal ann = {.user = "ann", .tenant = "vesper"};
static const struct principal bob = {.user = "bob", .tenant = "vesper"};
static const struct principal other_ann = {.user = "ann", .tenant = "acme"};

static int setup(void **state)
{
	struct err e;

	(void)state;
	assert_true(loop_new(&loop, &e));
	hub = stream_hub_new(loop);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	clock_release();
	stream_hub_free(&hub);
	loop_free(&loop);
	return 0;
}

static inline void spin(void)
{
	for (int i = 0; i < 4; i++)
		loop_run_once(loop);
}

static inline void on_nothing(void *owner)
{
	(void)owner;
}

#endif
