/*
 * Members of all event kinds in one table, so that encoding and decoding are one loop each. A text
 * is its length, its bytes and a NUL; an absent text has a reserved length.
 */
#include "vesper/event.h"

#include <assert.h>
#include <string.h>

#define EVENT_FORMAT 3
#define ABSENT       UINT32_MAX
#define FIELDS_MAX   20

enum field_type { FIELD_NONE, FIELD_TEXT, FIELD_JSON, FIELD_INT, FIELD_SIZE, FIELD_BOOL };

struct field {
	enum field_type type;
	size_t at;
};

#define AT(kind, member) offsetof(struct event, u.kind.member)
#define TEXT(kind, member)                                                                         \
	{                                                                                          \
		FIELD_TEXT, AT(kind, member)                                                       \
	}
#define JSON(kind, member)                                                                         \
	{                                                                                          \
		FIELD_JSON, AT(kind, member)                                                       \
	}
#define INT(kind, member)                                                                          \
	{                                                                                          \
		FIELD_INT, AT(kind, member)                                                        \
	}
#define SIZE(kind, member)                                                                         \
	{                                                                                          \
		FIELD_SIZE, AT(kind, member)                                                       \
	}
#define BOOL(kind, member)                                                                         \
	{                                                                                          \
		FIELD_BOOL, AT(kind, member)                                                       \
	}

static const struct kind_row {
	const char *name;
	struct field fields[FIELDS_MAX]; /* terminated by FIELD_NONE */
} kinds[EVENT_KIND_COUNT] = {
	[EVENT_RUN_STARTED] = {"run_started",
			       {TEXT(run_started, session_id), TEXT(run_started, user_message_id),
				TEXT(run_started, answer_id), TEXT(run_started, client_msg_id)}},
	[EVENT_STATUS] = {"status", {TEXT(status, phase), TEXT(status, text)}},
	[EVENT_FILTERS] = {"filters", {JSON(filters, filters)}},
	[EVENT_PLAN] = {"plan", {JSON(plan, body)}},
	[EVENT_STEP_STARTED] = {"step_started",
				{TEXT(step_started, step_id), TEXT(step_started, agent),
				 TEXT(step_started, tool), TEXT(step_started, kind),
				 TEXT(step_started, text), TEXT(step_started, task),
				 TEXT(step_started, parent), JSON(step_started, args)}},
	[EVENT_STEP_FINISHED] = {"step_finished",
				 {TEXT(step_finished, step_id), TEXT(step_finished, agent),
				  TEXT(step_finished, tool), TEXT(step_finished, kind),
				  TEXT(step_finished, text), TEXT(step_finished, task),
				  TEXT(step_finished, parent), TEXT(step_finished, state),
				  TEXT(step_finished, outcome), INT(step_finished, rows)}},
	[EVENT_STAGE_STARTED] = {"stage_started",
				 {TEXT(stage_started, step_id), TEXT(stage_started, kind),
				  TEXT(stage_started, text)}},
	[EVENT_STAGE_FINISHED] = {"stage_finished",
				  {TEXT(stage_finished, step_id), TEXT(stage_finished, kind),
				   TEXT(stage_finished, text), TEXT(stage_finished, state),
				   JSON(stage_finished, output)}},
	[EVENT_USAGE] = {"usage",
			 {TEXT(usage, role), TEXT(usage, model), INT(usage, budget),
			  INT(usage, used), INT(usage, output), BOOL(usage, estimate),
			  JSON(usage, by)}},
	[EVENT_TEXT_DELTA] = {"text_delta",
			      {JSON(text_delta, text), BOOL(text_delta, marked),
			       TEXT(text_delta, mark.kind), TEXT(text_delta, mark.why),
			       SIZE(text_delta, mark.start), SIZE(text_delta, mark.len),
			       SIZE(text_delta, mark.at), BOOL(text_delta, mark.has_ref),
			       TEXT(text_delta, mark.call), TEXT(text_delta, mark.column),
			       TEXT(text_delta, mark.formula), INT(text_delta, mark.row),
			       INT(text_delta, mark.n)}},
	[EVENT_VIEW] = {"view",
			{TEXT(view, view_id), TEXT(view, agent), TEXT(view, task),
			 JSON(view, view)}},
	[EVENT_ASK] = {"ask", {TEXT(ask, prompt), JSON(ask, body)}},
	[EVENT_RUN_FINISHED] = {"run_finished",
				{TEXT(run_finished, session_id), TEXT(run_finished, message_id),
				 TEXT(run_finished, status), TEXT(run_finished, provider),
				 TEXT(run_finished, model), TEXT(run_finished, receipt_id),
				 INT(run_finished, latency_ms), JSON(run_finished, links),
				 JSON(run_finished, suggestions), JSON(run_finished, usage),
				 JSON(run_finished, checked), JSON(run_finished, outcomes),
				 JSON(run_finished, tasks), JSON(run_finished, error),
				 JSON(run_finished, approved)}},
	[EVENT_ERROR] = {"error",
			 {TEXT(error, code), TEXT(error, message), BOOL(error, retryable),
			  INT(error, retry_after_ms), TEXT(error, detail_turn_id),
			  JSON(error, suggestions), JSON(error, view)}},
};

#define MEMBER(type, event, f) ((type *)(uintptr_t)((const char *)(event) + (f)->at))

const char *event_name(enum event_kind kind)
{
	assert(kind < EVENT_KIND_COUNT);
	return kinds[kind].name;
}

/* ---- encoding ---- */

static void put_u32(struct buf *out, uint32_t value)
{
	buf_add(out, &value, sizeof(value));
}

static void put_i64(struct buf *out, int64_t value)
{
	buf_add(out, &value, sizeof(value));
}

static void put_text(struct buf *out, struct str text)
{
	assert(text.n < ABSENT);
	put_u32(out, text.p ? (uint32_t)text.n : ABSENT);
	if (!text.p)
		return;
	buf_add(out, text.p, text.n);
	buf_add(out, "", 1);
}

static void put_field(struct buf *out, const struct event *event, const struct field *f)
{
	const char *text;

	switch (f->type) {
	case FIELD_TEXT:
		text = *MEMBER(const char *, event, f);
		put_text(out, (struct str){text, text ? strlen(text) : 0});
		break;
	case FIELD_JSON:
		put_text(out, *MEMBER(struct str, event, f));
		break;
	case FIELD_INT:
		put_i64(out, *MEMBER(int64_t, event, f));
		break;
	case FIELD_SIZE:
		put_i64(out, (int64_t)*MEMBER(size_t, event, f));
		break;
	case FIELD_BOOL:
		buf_char(out, *MEMBER(bool, event, f) ? 1 : 0);
		break;
	case FIELD_NONE:
		break;
	}
}

void event_encode(struct buf *out, const struct event *event)
{
	assert(event->kind < EVENT_KIND_COUNT);
	buf_char(out, EVENT_FORMAT);
	buf_char(out, (char)event->kind);
	put_i64(out, event->at_ms);
	for (const struct field *f = kinds[event->kind].fields; f->type != FIELD_NONE; f++)
		put_field(out, event, f);
}

/* ---- decoding ---- */

struct reader {
	const char *p;
	size_t left;
};

static bool get(struct reader *r, void *out, size_t n)
{
	if (r->left < n)
		return false;
	memcpy(out, r->p, n);
	r->p += n;
	r->left -= n;
	return true;
}

static bool get_text(struct reader *r, struct str *out)
{
	uint32_t n;

	*out = (struct str){0};
	if (!get(r, &n, sizeof(n)))
		return false;
	if (n == ABSENT)
		return true;
	if (r->left <= n || r->p[n] != '\0')
		return false;
	*out = (struct str){r->p, n};
	r->p += n + 1;
	r->left -= n + 1;
	return true;
}

static bool get_size(struct reader *r, size_t *out)
{
	int64_t value;

	if (!get(r, &value, sizeof(value)) || value < 0)
		return false;
	*out = (size_t)value;
	return true;
}

static bool get_bool(struct reader *r, bool *out)
{
	char value;

	if (!get(r, &value, 1) || (value != 0 && value != 1))
		return false;
	*out = value == 1;
	return true;
}

static bool get_field(struct reader *r, struct event *event, const struct field *f)
{
	struct str text;

	switch (f->type) {
	case FIELD_TEXT:
		if (!get_text(r, &text) || (text.p && strlen(text.p) != text.n))
			return false;
		*MEMBER(const char *, event, f) = text.p;
		return true;
	case FIELD_JSON:
		return get_text(r, MEMBER(struct str, event, f));
	case FIELD_INT:
		return get(r, MEMBER(int64_t, event, f), sizeof(int64_t));
	case FIELD_SIZE:
		return get_size(r, MEMBER(size_t, event, f));
	case FIELD_BOOL:
		return get_bool(r, MEMBER(bool, event, f));
	case FIELD_NONE:
		break;
	}
	return false;
}

bool event_decode(const char *bytes, size_t len, struct event *out, struct err *e)
{
	struct reader r = {bytes, len};
	struct event event = {0};
	char format, kind;
	bool ok = get(&r, &format, 1) && format == EVENT_FORMAT && get(&r, &kind, 1) &&
		  (unsigned char)kind < EVENT_KIND_COUNT &&
		  get(&r, &event.at_ms, sizeof(event.at_ms));

	if (ok) {
		event.kind = (enum event_kind)kind;
		for (const struct field *f = kinds[event.kind].fields; ok && f->type != FIELD_NONE;
		     f++)
			ok = get_field(&r, &event, f);
	}
	if (!ok || r.left > 0)
		return err_set(e, ERR_INPUT, "the bytes are not a valid event");
	*out = event;
	return true;
}
