/* cmocka, and log entries made from text. */
#ifndef TRANSPORT_FIXTURE_H
#define TRANSPORT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/stream.h"

#define TURN "0193b0a0-0000-7000-8000-000000000003"

static inline json_t *parsed(const char *json)
{
	struct err e;
	json_t *value = NULL;

	if (!json_parse(json, strlen(json), strlen(json), &value, &e))
		fail_msg("%s in %s", e.text, json);
	return value;
}

/* The body is released by the caller: json_decref((json_t *)entry.body). */
static inline struct stream_entry entry_of(uint64_t seq, enum event_kind kind, const char *json)
{
	return (struct stream_entry){.seq = seq,
				     .kind = kind,
				     .body = parsed(json),
				     .json = json,
				     .json_len = strlen(json)};
}

static inline struct stream_entry token_of(uint64_t seq, const char *text)
{
	return (struct stream_entry){
		.seq = seq, .kind = EVENT_TOKEN, .text = text, .text_len = strlen(text)};
}

static inline void entry_done(struct stream_entry *entry)
{
	json_decref((json_t *)(uintptr_t)entry->body);
}

#endif
