/* Helpers that write events to a turn's log. */
#ifndef EMIT_H
#define EMIT_H

#include <string.h>

#include "vesper/stream.h"

static inline void emit(struct stream_log *log, const struct event *event)
{
	event_emit(stream_sink(log), event);
}

static inline void emit_text(struct stream_log *log, const char *text)
{
	emit(log,
	     &(struct event){.kind = EVENT_TEXT_DELTA, .u.text_delta.text = {text, strlen(text)}});
}

static inline void emit_view(struct stream_log *log, const char *view_id, const char *json)
{
	emit(log,
	     &(struct event){.kind = EVENT_VIEW, .u.view = {view_id, NULL, NULL, str_of(json)}});
}

static inline void emit_end(struct stream_log *log, const char *status)
{
	emit(log, &(struct event){.kind = EVENT_RUN_FINISHED,
				  .u.run_finished = {.session_id = stream_session_id(log),
						     .message_id = "m",
						     .status = status,
						     .provider = "rules",
						     .usage = STR("{\"calls\":1}")}});
}

static inline void emit_error(struct stream_log *log, const char *code, const char *message)
{
	emit(log, &(struct event){.kind = EVENT_ERROR,
				  .u.error = {.code = code,
					      .message = message,
					      .retryable = true,
					      .suggestions = STR("[]")}});
}

#endif
