/*
 * What people see while tools run: one line when a call starts, one when it ends, in plain words
 * made from the tool's own description. The words of a model are never shown here.
 */
#include <ctype.h>
#include <string.h>

#include "vesper/agent.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/str.h"
#include "vesper/utf8.h"

/* The first clause, ready to stand behind a colon: "average day-ahead price of one forecast
 * year". What follows a colon or a full stop is for models and manuals. */
static void add_about(struct buf *b, const char *about)
{
	const char *stop = strstr(about, ". "), *colon = strstr(about, ": ");
	const char *end = stop && (!colon || stop < colon) ? stop : colon;
	size_t n = end ? (size_t)(end - about) : strlen(about);

	while (n && about[n - 1] == '.')
		n--;
	if (n > 1 && isupper((unsigned char)about[0]) && islower((unsigned char)about[1])) {
		buf_char(b, (char)tolower((unsigned char)about[0]));
		about++;
		n--;
	}
	buf_add(b, about, utf8_cut(about, n, STATUS_ABOUT_BYTES_MAX));
}

static json_t *body_new(const char *call, const char *state, const char *agent, const char *tool)
{
	json_t *body = json_object();

	json_set_str(body, "phase", "running");
	json_set_str(body, "item_id", call);
	json_set_str(body, "state", state);
	json_set_str(body, "agent", agent);
	json_set_str(body, "tool", tool);
	return body;
}

static void say(const struct event_sink *sink, json_t *body, const char *lead, const char *about)
{
	struct buf text;

	buf_init(&text, 2 * STATUS_ABOUT_BYTES_MAX);
	buf_str(&text, lead);
	if (about) {
		buf_str(&text, ": ");
		add_about(&text, about);
	}
	json_set_str(body, "text", buf_text(&text));
	buf_deinit(&text);
	event_emit(sink, EVENT_STATUS, body);
}

void agent_tool_started(const struct event_sink *sink, const char *call, const char *agent,
			const struct tool_def *tool)
{
	say(sink, body_new(call, "started", agent, tool ? tool->name : NULL), "Looking up",
	    tool ? tool->about : NULL);
}

static const char *lead_of(enum outcome_kind kind)
{
	static const char *const leads[OUTCOME_KIND_COUNT] = {
		[OUTCOME_ROWS] = "Found",
		[OUTCOME_EMPTY] = "Nothing matches",
		[OUTCOME_NO_DATA] = "No data there",
		[OUTCOME_OUT_OF_WINDOW] = "Outside the dates of the data",
		[OUTCOME_UNKNOWN_ENTITY] = "A name is not known",
		[OUTCOME_NOT_PERMITTED] = "Not permitted",
		[OUTCOME_TIMEOUT] = "Took too long",
		[OUTCOME_ERROR] = "Could not be read",
	};

	return leads[kind];
}

static bool is_failure(enum outcome_kind kind)
{
	return kind == OUTCOME_NOT_PERMITTED || kind == OUTCOME_TIMEOUT || kind == OUTCOME_ERROR;
}

void agent_tool_ended(const struct event_sink *sink, const struct result *r)
{
	json_t *body = body_new(r->call, is_failure(r->outcome.kind) ? "failed" : "completed",
				r->agent, r->tool);

	json_set_str(body, "outcome", outcome_name(r->outcome.kind));
	if (r->table_count) /* further tables were made to derive facts from */
		json_set_int(body, "rows", (int64_t)r->tables[0]->row_count);
	say(sink, body, lead_of(r->outcome.kind), r->about);
}
