/*
 * MCP projection: a turn as a tool call's result, as text for the model and as structuredContent
 * for the program. While the turn runs, its steps are sent as progress if the client requests it.
 * Supports the results of both protocol generations.
 */
#include "markdown.h"
#include "projection.h"
#include "vesper/wire.h"

#include <string.h>

#define FAILED "failed"

struct json_out wire_mcp_open(struct buf *out, const struct wire_mcp *to)
{
	struct json_out j;

	jo_init(&j, out);
	jo_object(&j);
	jo_set_str(&j, "jsonrpc", "2.0");
	jo_set_raw(&j, "id", to->id);
	jo_key(&j, "result");
	jo_object(&j);
	return j;
}

void wire_mcp_close(struct json_out *j, const struct wire_mcp *to, const char *type)
{
	if (to->modern) {
		jo_set_str(j, "resultType", type);
		jo_key(j, "_meta");
		jo_object(j);
		jo_key(j, "io.modelcontextprotocol/serverInfo");
		jo_object(j);
		jo_set_str(j, "name", "vesper");
		jo_set_str(j, "version", VESPER_VERSION);
		jo_object_end(j);
		jo_object_end(j);
	}
	jo_object_end(j);
	jo_object_end(j);
}

/* ---- For the model ---- */

static void text_block(struct json_out *j, struct str text)
{
	jo_object(j);
	jo_set_str(j, "type", "text");
	jo_key(j, "text");
	jo_str(j, text);
	jo_object_end(j);
}

/* Links to reports, next to the answer. */
static void link_blocks(struct json_out *j, struct str links)
{
	static const struct renamed members[] = {
		{"uri", "url"}, {"name", "report_key"}, {"title", "report_name"}};
	struct str inside, link, value;

	if (!links.p)
		return;
	inside = json_inside(links);
	while (json_item_next(&inside, &link)) {
		if (!json_member(link, "url", &value) || !json_member(link, "report_key", &value))
			continue;
		jo_object(j);
		jo_set_str(j, "type", "resource_link");
		renamed_members(j, link, members, sizeof(members) / sizeof(members[0]));
		jo_object_end(j);
	}
}

/* Each cited passage with its quotation, so that no second request is needed. */
static void source_blocks(struct json_out *j, struct str sources)
{
	static const struct renamed members[] = {{"text", "quote"}};
	struct str rest = sources.p ? json_inside(sources) : (struct str){0}, source;
	char urn[URN_BYTES];

	while (next_source(&rest, &source, urn)) {
		jo_object(j);
		jo_set_str(j, "type", "resource");
		jo_key(j, "resource");
		jo_object(j);
		jo_set_str(j, "uri", urn);
		jo_set_str(j, "mimeType", "text/plain");
		renamed_members(j, source, members, 1);
		jo_object_end(j);
		jo_object_end(j);
	}
}

static void picture_block(struct json_out *j, struct str base64)
{
	jo_object(j);
	jo_set_str(j, "type", "image");
	jo_key(j, "data");
	jo_str(j, base64);
	jo_set_str(j, "mimeType", "image/svg+xml");
	jo_object_end(j);
}

static void picture_blocks(struct json_out *j, const struct wire_at *at)
{
	struct event e;
	struct buf base64;

	if (!at->head->mcp->picture)
		return;
	buf_init(&base64, SIZE_MAX / 2); /* one view, whose picture has a size limit */
	for (uint64_t seq = 1; seq <= stream_last_seq(at->log); seq++) {
		if (stream_kind(at->log, seq) != EVENT_VIEW)
			continue;
		stream_event(at->log, seq, &e);
		buf_reset(&base64);
		if (is_view(e.u.view.view, "chart") && !view_is_replaced(at->log, seq, &e.u.view) &&
		    at->head->mcp->picture(e.u.view.view, &base64))
			picture_block(j, (struct str){buf_text(&base64), base64.n});
	}
	buf_deinit(&base64);
}

static void add_text(const struct wire_at *at, struct buf *out)
{
	struct event ask;

	buf_add(out, at->text.p, at->text.n);
	if (newest_event(at, EVENT_ASK, &ask))
		markdown_ask(at, &ask.u.ask, out);
	markdown_views(at, out);
}

static void content(struct json_out *j, const struct wire_at *at, const struct event *end)
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 2); /* one log, which has a size limit */
	jo_key(j, "content");
	jo_array(j);
	if (end->kind == EVENT_ERROR)
		buf_str(&text, end->u.error.message);
	else
		add_text(at, &text);
	if (text.n > 0)
		text_block(j, (struct str){buf_text(&text), text.n});
	if (end->kind == EVENT_RUN_FINISHED) {
		picture_blocks(j, at);
		link_blocks(j, end->u.run_finished.links);
		source_blocks(j, sources_of(&end->u.run_finished));
	}
	jo_array_end(j);
	buf_deinit(&text);
}

/* ---- For the program ---- */

static void components(struct json_out *j, const struct wire_at *at)
{
	struct event e;
	bool any = false;

	for (uint64_t seq = 1; seq <= stream_last_seq(at->log); seq++) {
		if (stream_kind(at->log, seq) != EVENT_VIEW)
			continue;
		stream_event(at->log, seq, &e);
		if (!is_view(e.u.view.view, "component") ||
		    view_is_replaced(at->log, seq, &e.u.view))
			continue;
		if (!any) {
			jo_key(j, "components");
			jo_array(j);
		}
		any = true;
		jo_raw(j, e.u.view.view);
	}
	if (any)
		jo_array_end(j);
}

static void structured(struct json_out *j, const struct wire_at *at, const struct event *end)
{
	struct event e;

	jo_key(j, "structuredContent");
	jo_object(j);
	jo_set_str(j, "turn_id", at->turn_id);
	if (end->kind == EVENT_ERROR) {
		jo_set_str(j, "session_id", at->session_id);
		jo_set_str(j, "status", FAILED);
	}
	chat_members(j, end);
	jo_key(j, "text");
	jo_str(j, at->text);
	if (newest_event(at, EVENT_FILTERS, &e))
		jo_set_raw(j, "filters", e.u.filters.filters);
	if (newest_event(at, EVENT_PLAN, &e))
		jo_set_raw(j, "plan", e.u.plan.body);
	components(j, at);
	if (newest_event(at, EVENT_ASK, &e))
		jo_set_raw(j, "ask", e.u.ask.body);
	jo_object_end(j);
}

/* ---- A clarifying question as a form ---- */

static bool has_input(struct str ask, const char *input)
{
	struct str value;

	return json_member(ask, "input", &value) && str_eq(json_inside(value), str_of(input));
}

/* Writes the options as an array `name` of {const, title}. */
static void choices(struct json_out *j, const char *name, struct str options)
{
	struct str inside = json_inside(options), option, value, label;

	jo_key(j, name);
	jo_array(j);
	while (json_item_next(&inside, &option)) {
		if (!json_member(option, "value", &value))
			continue;
		jo_object(j);
		jo_set_raw(j, "const", value);
		jo_set_raw(j, "title", json_member(option, "label", &label) ? label : value);
		jo_object_end(j);
	}
	jo_array_end(j);
}

static void date_field(struct json_out *j)
{
	jo_object(j);
	jo_set_str(j, "type", "string");
	jo_set_str(j, "format", "date");
	jo_object_end(j);
}

static void multiple_field(struct json_out *j, struct str ask, struct str options)
{
	static const struct renamed limits[] = {{"minItems", "min"}, {"maxItems", "max"}};

	jo_object(j);
	jo_set_str(j, "type", "array");
	renamed_members(j, ask, limits, sizeof(limits) / sizeof(limits[0]));
	jo_key(j, "items");
	jo_object(j);
	choices(j, "anyOf", options);
	jo_object_end(j);
	jo_object_end(j);
}

static void single_field(struct json_out *j, struct str ask, struct str options)
{
	static const struct renamed about[] = {{"description", "hint"}};

	jo_object(j);
	jo_set_str(j, "type", "string");
	renamed_members(j, ask, about, 1);
	if (options.p)
		choices(j, "oneOf", options);
	jo_object_end(j);
}

/* The field is named after the filter; a date range has two fields. */
static void fields(struct json_out *j, struct str ask)
{
	struct str options = {0}, filter = STR("\"value\"");

	json_member(ask, "options", &options);
	json_member(ask, "filter", &filter);
	jo_key(j, "properties");
	jo_object(j);
	if (has_input(ask, "date_range")) {
		jo_key(j, MCP_FORM_FROM);
		date_field(j);
		jo_key(j, MCP_FORM_TO);
		date_field(j);
		filter = STR("\"" MCP_FORM_FROM "\",\"" MCP_FORM_TO "\"");
	} else {
		jo_raw(j, filter);
		buf_char(j->out, ':');
		j->comma = false;
		if (has_input(ask, "date"))
			date_field(j);
		else if (has_input(ask, "multiple"))
			multiple_field(j, ask, options);
		else
			single_field(j, ask, options);
	}
	jo_object_end(j);
	jo_key(j, "required");
	jo_array(j);
	jo_raw(j, filter);
	jo_array_end(j);
}

static void form(const struct wire_at *at, const struct event_ask *ask, struct buf *out)
{
	const struct wire_mcp *to = at->head->mcp;
	struct json_out j = wire_mcp_open(out, to);
	struct str id = {0};
	struct buf state;

	buf_init(&state, SIZE_MAX / 2); /* one clarifying question, limited by its log */
	to->state(to->state_owner, ask->body, &state);
	json_member(ask->body, "ask_id", &id);
	jo_key(&j, "inputRequests");
	jo_object(&j);
	jo_raw(&j, id);
	buf_char(out, ':');
	j.comma = false;
	jo_object(&j);
	jo_set_str(&j, "method", "elicitation/create");
	jo_key(&j, "params");
	jo_object(&j);
	jo_set_str(&j, "mode", "form");
	jo_set_str(&j, "message", ask->prompt);
	jo_key(&j, "requestedSchema");
	jo_object(&j);
	jo_set_str(&j, "type", "object");
	fields(&j, ask->body);
	jo_object_end(&j);
	jo_object_end(&j);
	jo_object_end(&j);
	jo_object_end(&j);
	jo_set_str(&j, "requestState", buf_text(&state));
	wire_mcp_close(&j, to, "input_required");
	buf_deinit(&state);
}

/* ---- Result and progress ---- */

static void result(const struct wire_at *at, const struct event *end, struct buf *out)
{
	struct event ask;
	struct json_out j;

	if (at->head->mcp->state && end->kind == EVENT_RUN_FINISHED &&
	    strcmp(end->u.run_finished.status, "ask") == 0 && newest_event(at, EVENT_ASK, &ask)) {
		form(at, &ask.u.ask, out);
		return;
	}
	j = wire_mcp_open(out, at->head->mcp);
	content(&j, at, end);
	structured(&j, at, end);
	jo_set_bool(&j, "isError", end->kind == EVENT_ERROR);
	wire_mcp_close(&j, at->head->mcp, "complete");
}

static void progress(const struct wire_at *at, const char *text, struct buf *out)
{
	struct json_out j;

	jo_init(&j, out);
	jo_object(&j);
	jo_set_str(&j, "jsonrpc", "2.0");
	jo_set_str(&j, "method", "notifications/progress");
	jo_key(&j, "params");
	jo_object(&j);
	jo_set_raw(&j, "progressToken", at->head->mcp->progress_token);
	jo_set_int(&j, "progress", (int64_t)at->seq);
	jo_set_str(&j, "message", text);
	jo_object_end(&j);
	jo_object_end(&j);
}

static void mcp_event(const struct wire_at *at, const struct event *e, struct buf *out)
{
	buf_str(out, "data: ");
	switch (e->kind) {
	case EVENT_STATUS:
		progress(at, e->u.status.text, out);
		break;
	case EVENT_STEP_STARTED:
		progress(at, e->u.step_started.text, out);
		break;
	case EVENT_STEP_FINISHED:
		progress(at, e->u.step_finished.text, out);
		break;
	default:
		result(at, e, out);
	}
	buf_str(out, "\n\n");
}

const struct projection wire_mcp = {
	.name = "mcp",
	.items = {[EVENT_STATUS] = 1,
		  [EVENT_STEP_STARTED] = 1,
		  [EVENT_STEP_FINISHED] = 1,
		  [EVENT_RUN_FINISHED] = 1,
		  [EVENT_ERROR] = 1},
	.event = mcp_event,
};

bool wire_mcp_response(const struct stream_log *log, const struct wire_head *head, struct buf *out)
{
	const struct wire_at at = {
		.turn_id = stream_turn_id(log),
		.session_id = stream_session_id(log),
		.log = log,
		.head = head,
		.text = stream_text(log),
	};
	struct event end;

	stream_event(log, stream_last_seq(log), &end);
	result(&at, &end, out);
	return true;
}
