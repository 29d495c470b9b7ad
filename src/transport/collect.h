/* A turn's log as the one answer of a REST call that waits for it. Pure. */
#ifndef VESPER_COLLECT_H
#define VESPER_COLLECT_H

#include <jansson.h>
#include <stdbool.h>

#include "problem.h"
#include "vesper/str.h"
#include "vesper/stream.h"

struct collector {
	struct buf text;
	json_t *views; /* a later one with the same view_id replaces the earlier */
	json_t *filters;
	json_t *ask;
	json_t *end; /* body of the closing event */
	bool failed;
	bool unreadable; /* an entry of a kept log could not be parsed again */
};

void collector_init(struct collector *c);
void collector_deinit(struct collector *c);
void collector_add(struct collector *c, const struct stream_entry *entry);

/* After the closing event. New references. */
json_t *collector_answer(const struct collector *c, const char *turn_id, const char *session_id);
json_t *collector_problem(const struct collector *c, const char *turn_id, const char *session_id,
			  const char *instance, const char *request_id, enum problem *problem);

#endif
