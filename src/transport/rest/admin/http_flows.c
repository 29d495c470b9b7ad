/* Approved answers: an administrator creates a flow from an answer, edits, withdraws and deletes
 * it. */
#include "rest/http_route.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/uuid.h"

#define NAME_BYTES_MAX 100 /* width of its column */

static const struct catalog *catalog_of(const struct request *r)
{
	return turns_knowledge(r->transport->options.turns, r->who->tenant)->catalog;
}

static void notify_changed(const struct request *r)
{
	const struct transport_options *o = &r->transport->options;

	o->flows_changed(o->flows_owner, r->who->tenant);
}

/* ---- as JSON ---- */

static json_t *texts_json(const char *const *list)
{
	json_t *all = json_array();

	for (; list && *list; list++)
		json_push_take(all, json_str(*list));
	return all;
}

static json_t *slots_json(const struct flow_def *f)
{
	json_t *all = json_array();

	for (size_t i = 0; i < f->line_count; i++)
		if (f->lines[i].kind == FLOW_ASK)
			json_push_take(all, json_str(f->lines[i].filter));
	return all;
}

static json_t *flow_json(const struct request *r, const struct stored_flow *f)
{
	const struct flow_def *def = catalog_flow(catalog_of(r), f->name);
	json_t *out = json_make(
		{"name", json_str(f->name)}, {"version", json_integer(f->version)},
		{"status", json_str(flow_status_name(f->status))},
		{"message_id", json_str(f->message_id)}, {"approved_by", json_str(f->approved_by)},
		{"approved_at", json_str(f->approved_at)}, {"checked_at", json_str(f->checked_at)});

	json_set_str(out, "why", f->why);
	json_set_str(out, "fingerprint", f->fingerprint);
	if (def && def->own) {
		json_set_str(out, "about", def->about);
		json_set_take(out, "examples", texts_json(def->examples));
		json_set_take(out, "slots", slots_json(def));
	}
	return out;
}

static void reply_flow(struct request *r, const struct stored_flow *f)
{
	reply_header(r, "ETag", arena_printf(r->arena, "\"%" PRId64 "\"", f->version));
	reply_json(r, 200, flow_json(r, f));
}

/* ---- the text ---- */

/* Parses the text with the tenant's packs and checks that the administrator may use all of its
 * tools. */
static bool check_text(const struct request *r, const char *name, const char *text,
		       struct flow_def *out, struct err *e)
{
	const struct catalog *c = catalog_of(r);
	struct catalog_view may;

	if (strlen(text) > FLOW_BYTES_MAX)
		return err_set(e, ERR_LIMIT, "text: must have at most %d bytes", FLOW_BYTES_MAX);
	if (!flow_read(c, "", arena_printf(r->arena, "approved/%s", name), text, r->arena, out, e))
		return false;
	if (strcmp(out->name, name) != 0)
		return err_set(e, ERR_INPUT, "text: the flow is named %s, but must be named %s",
			       out->name, name);
	catalog_for(c, r->who, r->arena, &may);
	for (size_t i = 0; i < out->line_count; i++)
		if (out->lines[i].kind == FLOW_DO &&
		    (!out->lines[i].tool || !catalog_allows_step(&may, out->lines[i].tool)))
			return err_set(e, ERR_INPUT,
				       "text: the tool %s does not exist, or you may not use it",
				       out->lines[i].tool ? out->lines[i].tool->name
							  : out->lines[i].agent);
	return true;
}

/* ---- approving ---- */

struct approval_task {
	struct approval approval;
	const char *text;
	json_t *warnings; /* in the arena */
};

static void on_added(void *owner, const struct stored_flow *flows, size_t count,
		     const struct err *e)
{
	struct request *r = owner;
	const struct approval_task *a = r->task;
	json_t *body;

	(void)count;
	r->op = NULL;
	if (e && (e->code == ERR_BUSY || e->code == ERR_LIMIT)) {
		reply_problem(r, e->code == ERR_BUSY ? CODE_BUSY : CODE_INVALID,
			      arena_printf(r->arena, "name: %s.", e->text));
		return;
	}
	if (e) {
		reply_err(r, e);
		return;
	}
	notify_changed(r);
	body = json_make({"name", json_str(flows[0].name)}, {"text", json_str(flows[0].text)},
			 {"version", json_integer(flows[0].version)},
			 {"warnings", json_incref(a->warnings)});
	reply_header(r, "ETag", "\"1\"");
	reply_json(r, 201, body);
}

static void approve(struct request *r, const struct message *question, const struct message *answer)
{
	struct approval_task *a = r->task;
	const struct catalog *c = catalog_of(r);
	struct stored_flow flow = {.name = a->approval.name, .message_id = answer->message_id};
	struct flow_def parsed;
	struct err e = {0};

	a->approval.question = question->content;
	a->approval.standing = store_text_json(answer->texts.standing, r->arena);
	a->approval.calls = store_text_json(answer->texts.tool_calls, r->arena);
	if (catalog_flow(c, flow.name) && !catalog_flow(c, flow.name)->own) {
		reply_problem(r, CODE_BUSY, "name: a pack has a flow of this name.");
	} else if (!flow_approve(c, &a->approval, r->arena, &a->text, &a->warnings, &e) ||
		   !check_text(r, flow.name, a->text, &parsed, &e)) {
		reply_invalid(r, &e);
	} else {
		flow.text = a->text;
		flow.fingerprint = flow_fingerprint(c, &parsed, r->arena);
		r->op = store_flow_add(r->transport->options.store, r->who, &flow, r->arena,
				       on_added, r);
	}
}

static void on_messages(void *owner, const struct message *messages, size_t count, bool has_more,
			const struct err *e)
{
	struct request *r = owner;

	(void)has_more;
	r->op = NULL;
	if (e)
		reply_problem(r,
			      e->code == ERR_NOT_FOUND ? CODE_NOT_FOUND : code_of_request(e->code),
			      NULL);
	else if (count < 2)
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else if (messages[1].masked)
		reply_problem(r, CODE_DENIED, NULL);
	else if (messages[1].status != MESSAGE_COMPLETE)
		reply_problem(r, CODE_INVALID,
			      "not_complete: only a complete answer can be approved.");
	else
		approve(r, &messages[0], &messages[1]);
}

static bool is_valid_name(const char *name)
{
	return *name && strlen(name) <= NAME_BYTES_MAX && *name >= 'a' && *name <= 'z' &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static bool are_texts(const json_t *list, size_t max)
{
	const json_t *item;
	size_t i;

	if (list && (!json_is_array(list) || json_array_size(list) > max))
		return false;
	json_array_foreach((json_t *)list, i, item)
		if (!json_is_string(item) || !*json_string_value(item) ||
		    json_string_length(item) > MESSAGE_BYTES_MAX)
			return false;
	return true;
}

static bool approval_parse(const struct request *r, struct approval *out, struct err *e)
{
	static const char *const names[] = {"name", "examples", "slots", "answer", NULL};
	const char *answer = "template";

	*out = (struct approval){.examples = json_object_get(r->body, "examples"),
				 .slots = json_object_get(r->body, "slots")};
	if (!json_check_members(r->body, names, e) ||
	    !json_opt_str(r->body, "name", &out->name, e) ||
	    !json_opt_str(r->body, "answer", &answer, e))
		return false;
	if (!out->name || !is_valid_name(out->name))
		return err_set(e, ERR_INPUT,
			       "name: must be a word of a-z, 0-9 and _, at most %d characters long",
			       NAME_BYTES_MAX);
	if (!are_texts(out->examples, APPROVED_EXAMPLES_MAX))
		return err_set(e, ERR_INPUT, "examples: must be a list of at most %d questions",
			       APPROVED_EXAMPLES_MAX);
	if (!are_texts(out->slots, LIST_ARG_MAX))
		return err_set(e, ERR_INPUT, "slots: must be a list of filters");
	out->by_model = strcmp(answer, "model") == 0;
	return out->by_model || strcmp(answer, "template") == 0 ||
	       err_set(e, ERR_INPUT, "answer: must be template or model");
}

void on_post_approve(struct request *r)
{
	struct approval_task *a = arena_alloc(r->arena, sizeof(*a));
	struct err e = {0};

	r->task = a;
	if (!uuid_valid(r->params[0]))
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else if (!approval_parse(r, &a->approval, &e))
		reply_invalid(r, &e);
	else
		r->op = store_turn_messages(r->transport->options.store, r->who, r->params[0],
					    r->arena, on_messages, r);
}

/* ---- reading ---- */

static void on_list(void *owner, const struct stored_flow *flows, size_t count, const struct err *e)
{
	struct request *r = owner;
	const char *status = request_query(r, "status");
	json_t *data;

	if (reply_failed(r, e))
		return;
	data = json_array();
	for (size_t i = 0; i < count; i++)
		if (!status || strcmp(status, flow_status_name(flows[i].status)) == 0)
			json_push_take(data, flow_json(r, &flows[i]));
	reply_json(r, 200, json_make({"data", data}));
}

static bool is_status(const char *name)
{
	for (int s = FLOW_ACTIVE; s <= FLOW_WITHDRAWN; s++)
		if (strcmp(name, flow_status_name((enum flow_status)s)) == 0)
			return true;
	return false;
}

void on_get_admin_flows(struct request *r)
{
	const char *status = request_query(r, "status");

	if (status && !is_status(status)) {
		reply_problem(r, CODE_BAD_FRAME, "status: must be active, stale or withdrawn.");
		return;
	}
	r->op = store_flows(r->transport->options.store, r->who->tenant, r->arena, on_list, r);
}

static void on_one(void *owner, const struct stored_flow *flows, size_t count, const struct err *e)
{
	struct request *r = owner;

	(void)count;
	if (!reply_failed(r, e))
		reply_flow(r, &flows[0]);
}

void on_get_admin_flow(struct request *r)
{
	r->op = store_flow(r->transport->options.store, r->who, r->params[0], r->arena, on_one, r);
}

static void on_text(void *owner, const struct stored_flow *flows, size_t count, const struct err *e)
{
	struct request *r = owner;

	(void)count;
	if (reply_failed(r, e))
		return;
	reply_header(r, "Content-Disposition",
		     arena_printf(r->arena, "attachment; filename=\"%s.flow\"", flows[0].name));
	reply_bytes(r, 200, "text/plain; charset=utf-8", flows[0].text, strlen(flows[0].text));
}

void on_get_admin_flow_text(struct request *r)
{
	r->op = store_flow(r->transport->options.store, r->who, r->params[0], r->arena, on_text, r);
}

/* ---- editing ---- */

static void on_edited(void *owner, const struct stored_flow *flows, size_t count,
		      const struct err *e)
{
	struct request *r = owner;

	(void)count;
	r->op = NULL;
	if (e && e->code == ERR_BUSY) {
		reply_problem(r, CODE_CHANGED, NULL);
		return;
	}
	if (e) {
		reply_err(r, e);
		return;
	}
	notify_changed(r);
	reply_flow(r, &flows[0]);
}

static bool edit_parse(const struct request *r, struct flow_edit *out, struct err *e)
{
	static const char *const names[] = {"text", "status", NULL};
	struct flow_def parsed;

	*out = (struct flow_edit){0};
	if (!json_check_members(r->body, names, e) ||
	    !json_opt_str(r->body, "text", &out->text, e) ||
	    !json_opt_str(r->body, "status", &out->status, e))
		return false;
	if (!out->text && !out->status)
		return err_set(e, ERR_INPUT, "text or status: at least one of them is required");
	if (out->status && strcmp(out->status, flow_status_name(FLOW_ACTIVE)) != 0 &&
	    strcmp(out->status, flow_status_name(FLOW_WITHDRAWN)) != 0)
		return err_set(e, ERR_INPUT, "status: must be active or withdrawn");
	if (out->text) {
		if (!check_text(r, r->params[0], out->text, &parsed, e))
			return false;
		out->fingerprint = flow_fingerprint(catalog_of(r), &parsed, r->arena);
	}
	return true;
}

/* The number in an If-Match such as "3"; 0: not a version. */
static int64_t version_of(const char *tag)
{
	char *end;
	int64_t version = *tag == '"' ? strtoll(tag + 1, &end, 10) : 0;

	return version > 0 && strcmp(end, "\"") == 0 ? version : 0;
}

void on_put_admin_flow(struct request *r)
{
	const char *tag = request_header(r, "If-Match");
	struct flow_edit edit;
	struct err e = {0};

	if (!tag) {
		reply_problem(r, CODE_PRECONDITION, NULL);
	} else if (!edit_parse(r, &edit, &e)) {
		reply_invalid(r, &e);
	} else if (!(edit.if_version = version_of(tag))) {
		reply_problem(r, CODE_CHANGED, NULL);
	} else {
		r->op = store_flow_edit(r->transport->options.store, r->who, r->params[0], &edit,
					r->arena, on_edited, r);
	}
}

static void on_deleted(void *owner, const struct err *e)
{
	struct request *r = owner;

	if (reply_failed(r, e))
		return;
	notify_changed(r);
	reply_empty(r, 204);
}

/* The answer is the same whether or not the flow existed. */
void on_delete_admin_flow(struct request *r)
{
	r->op = store_flow_delete(r->transport->options.store, r->who, r->params[0], on_deleted, r);
}
