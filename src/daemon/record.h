/* Writes recordings of model exchanges and turns; vesper/record.h describes the files. */
#ifndef VESPER_RECORDER_H
#define VESPER_RECORDER_H

#include <jansson.h>

#include "vesper/err.h"
#include "vesper/loop.h"
#include "vesper/store.h"

struct recorder;

MUST_CHECK bool recorder_open(struct loop *l, const char *folder, struct recorder **out,
			      struct err *e);
void recorder_close(struct recorder **r); /* pending records are written first */

/* For llm_options.exchange and turns_options.record; the owner is the recorder. */
void recorder_exchange(void *owner, const char *hash, json_t *take);
void recorder_turn(void *owner, json_t *take);
/* For transport_options.feedback_given. */
void recorder_feedback(void *owner, const struct feedback *feedback);

#endif
