/*
 * Status messages while tools run: one line when a call starts and one when it ends, from the
 * tool's description. Text of a model is never shown here.
 */
#include <ctype.h>
#include <string.h>

#include "vesper/agent.h"
#include "vesper/json.h"
#include "vesper/json_out.h"
#include "vesper/limits.h"
#include "vesper/str.h"
#include "vesper/utf8.h"

/* Appends the first clause of the description, in lower case to follow a colon: "average day-ahead
 * price of one forecast year". Text after a colon or full stop is for models and manuals. */
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

static void add_text(struct buf *text, const struct language *l, enum sentence lead,
		     const char *about)
{
	sentence_put(text, l, lead);
	if (about) {
		buf_str(text, ": ");
		add_about(text, about);
	}
}

/* Ad hoc SQL appears only in the receipt, for permitted users. */
static void add_args(struct buf *out, const struct agent_step *step, const struct tool_def *tool)
{
	struct json_out j;

	jo_init(&j, out);
	if (tool && tool->gate)
		return;
	if (step->args)
		buf_json(out, step->args);
	else if (step->bound)
		args_write(&j, step->bound);
	if (buf_over(out))
		buf_reset(out);
}

/* Distinguishes data queries from inspection of a schema or an earlier result. */
static const char *kind_of(const struct tool_def *tool)
{
	if (!tool)
		return "agent";
	if (tool_is_document(tool))
		return "document";
	return tool->gate || tool->map || tool->files[DIALECT_SQLITE] ? "tool" : "reasoning";
}

static void emit_started(const struct event_sink *sink, const struct language *l,
			 const struct agent_step *step, const struct tool_def *tool,
			 const char *about)
{
	struct event event = {.kind = EVENT_STEP_STARTED};
	struct buf text, args;

	buf_init(&text, 2 * STATUS_ABOUT_BYTES_MAX);
	add_text(&text, l, SAY_STEP_STARTED, about);
	buf_init(&args, STATUS_ARGS_BYTES_MAX);
	add_args(&args, step, tool);
	event.u.step_started = (struct event_step_started){
		.step_id = step->id,
		.agent = step->agent,
		.tool = tool ? tool->name : NULL,
		.kind = kind_of(tool),
		.text = buf_text(&text),
		.task = step->task,
		.parent = step->parent,
		.args = args.n > 0 ? (struct str){buf_text(&args), args.n} : (struct str){0},
	};
	event_emit(sink, &event);
	buf_deinit(&args);
	buf_deinit(&text);
}

void agent_tool_started(const struct event_sink *sink, const struct language *l,
			const struct agent_step *step, const struct tool_def *tool)
{
	emit_started(sink, l, step, tool, tool ? tool->about : NULL);
}

void agent_started(const struct event_sink *sink, const struct language *l,
		   const struct agent_step *step, const char *about)
{
	emit_started(sink, l, step, NULL, about);
}

void agent_ended(const struct event_sink *sink, const struct language *l,
		 const struct agent_step *step, const char *about, bool failed)
{
	struct event event = {.kind = EVENT_STEP_FINISHED};
	struct buf text;

	buf_init(&text, 2 * STATUS_ABOUT_BYTES_MAX);
	add_text(&text, l, failed ? SAY_STEP_ERROR : SAY_STEP_ROWS, about);
	event.u.step_finished = (struct event_step_finished){
		.step_id = step->id,
		.agent = step->agent,
		.kind = kind_of(NULL),
		.text = buf_text(&text),
		.task = step->task,
		.state = failed ? "failed" : "completed",
		.rows = -1,
	};
	event_emit(sink, &event);
	buf_deinit(&text);
}

static enum sentence lead_sentence_of(enum outcome_kind kind)
{
	static const enum sentence leads[OUTCOME_KIND_COUNT] = {
		[OUTCOME_ROWS] = SAY_STEP_ROWS,
		[OUTCOME_EMPTY] = SAY_STEP_EMPTY,
		[OUTCOME_NO_DATA] = SAY_STEP_NO_DATA,
		[OUTCOME_OUT_OF_WINDOW] = SAY_STEP_OUT_OF_WINDOW,
		[OUTCOME_UNKNOWN_ENTITY] = SAY_STEP_UNKNOWN_ENTITY,
		[OUTCOME_NOT_PERMITTED] = SAY_STEP_NOT_PERMITTED,
		[OUTCOME_TIMEOUT] = SAY_STEP_TIMEOUT,
		[OUTCOME_ERROR] = SAY_STEP_ERROR,
	};

	return leads[kind];
}

static bool is_failure(enum outcome_kind kind)
{
	return kind == OUTCOME_NOT_PERMITTED || kind == OUTCOME_TIMEOUT || kind == OUTCOME_ERROR;
}

void agent_tool_ended(const struct event_sink *sink, const struct language *l,
		      const struct tool_def *tool, const struct result *r, const char *parent)
{
	struct event event = {.kind = EVENT_STEP_FINISHED};
	struct buf text;

	buf_init(&text, 2 * STATUS_ABOUT_BYTES_MAX);
	add_text(&text, l, lead_sentence_of(r->outcome.kind), r->about);
	event.u.step_finished = (struct event_step_finished){
		.step_id = r->call,
		.agent = r->agent,
		.tool = r->tool,
		.kind = kind_of(tool),
		.text = buf_text(&text),
		.task = parent ? NULL : r->task,
		.parent = parent,
		.state = is_failure(r->outcome.kind) ? "failed" : "completed",
		.outcome = outcome_name(r->outcome.kind),
		/* further tables only serve to derive facts */
		.rows = r->table_count ? (int64_t)r->tables[0]->row_count : -1,
	};
	event_emit(sink, &event);
	buf_deinit(&text);
}
