/* A loop, a hub and two users for the tests of the stream. */
#ifndef STREAM_FIXTURE_H
#define STREAM_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
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
		loop_turn(loop);
}

static inline void emit_token(struct stream_log *log, const char *text)
{
	event_emit_token(stream_sink(log), text, strlen(text));
}

static inline void emit_json(struct stream_log *log, enum event_kind kind, const char *json)
{
	struct err e;
	json_t *body;

	assert_true(json_parse(json, strlen(json), strlen(json), &body, &e));
	event_emit(stream_sink(log), kind, body);
}

static inline void on_nothing(void *owner)
{
	(void)owner;
}

#endif
