/* Shows the user of an answer its receipt and the work of each agent, limited by the user's current
 * permissions. SQL statements are shown only to users who may see SQL. */
#include "http_route.h"

#include <string.h>

#include "http_views.h"
#include "vesper/codes.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/uuid.h"

/* Removes statements and the text of ad hoc SQL. */
static void hide_sql(json_t *content)
{
	json_t *call;
	size_t i;

	json_array_foreach(json_object_get(content, "calls"), i, call) {
		json_object_del(call, "statements");
		if (json_is_true(json_object_get(call, "own_sql")))
			json_object_del(call, "args");
	}
}

static json_t *content_json(const struct receipt *r)
{
	json_t *content;
	struct err e;

	if (!json_parse_exact(r->content, strlen(r->content), DB_CELL_BYTES_MAX, &content, &e))
		return NULL;
	json_object_del(content, "_salt");
	return content;
}

static json_t *receipt_json(const struct receipt *r, const struct principal *who, struct arena *a)
{
	json_t *row = json_object(), *content = content_json(r);
	const char *needs = json_string_value(json_object_get(content, "needs"));

	json_set_str(row, "receipt_id", r->receipt_id);
	json_set_str(row, "created_at", r->created_at);
	json_set_int(row, "number", r->number);
	json_set_str(row, "hash", r->hash);
	json_set_str(row, "previous_hash", r->previous_hash);
	json_set_str(row, "content_hash", r->content_hash);
	json_set_str(row, "message_id", r->message_id);
	if (!needs || !principal_has_all(who, needs, a)) {
		json_set_bool(row, "masked", true);
		json_decref(content);
		return row;
	}
	if (!may(who, "chat:view_sql"))
		hide_sql(content);
	json_set_take(row, "content", content);
	return row;
}

static void on_receipt(void *owner, const struct receipt *receipts, size_t count,
		       const struct err *e)
{
	struct request *r = owner;

	r->op = NULL;
	if (e)
		reply_err(r, e);
	else if (count == 0 || !receipts[0].content) /* deleted: reported as nonexistent */
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else
		reply_json(r, 200, receipt_json(&receipts[0], r->who, r->arena));
}

void on_get_receipt(struct request *r)
{
	const struct receipts_page page = {
		.receipt_id = r->params[0],
		.user = r->who->user,
		.limit = 1,
	};

	if (!uuid_valid(r->params[0]))
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else
		r->op = store_receipts(r->transport->options.store, r->who->tenant, &page, r->arena,
				       on_receipt, r);
}

/* ---- work of each agent: built from the stored answer, and available as long as that is ---- */

static void set_copy(json_t *to, const json_t *from, const char *name, const char *as)
{
	json_t *value = json_object_get(from, name);

	if (value)
		json_set_take(to, as, json_incref(value));
}

/* The view of that type with the call's rows; NULL: none. */
static const json_t *view_of(const json_t *views, const json_t *call, const char *type)
{
	const json_t *view;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)views, i, view)
		if (strcmp(json_text_at(view, "view_type"), type) == 0 &&
		    strcmp(json_text_at(json_object_get(view, "source"), "call"),
			   json_text_at(call, "call")) == 0)
			return view;
	return NULL;
}

/* Finds or creates the entry of the call's agent. */
static json_t *agent_of(json_t *agents, const char *name)
{
	json_t *agent, *insights;
	size_t i;

	json_array_foreach(agents, i, agent)
		if (strcmp(json_text_at(agent, "agent"), name) == 0)
			return agent;
	agent = json_object();
	insights = json_object();
	json_set_str(agent, "agent", name);
	json_set_str(agent, "status", "completed");
	json_set_take(agent, "results", json_array());
	json_set_take(insights, "findings", json_array());
	json_set_take(agent, "insights", insights);
	json_push_take(agents, agent);
	return agent;
}

static json_t *result_json(const json_t *call, const json_t *view)
{
	json_t *row = json_object();

	set_copy(row, call, "call", "call");
	set_copy(row, json_object_get(view, "source"), "task", "task");
	set_copy(row, call, "tool", "tool");
	set_copy(row, view, "text", "purpose");
	set_copy(row, call, "outcome", "outcome");
	set_copy(row, view, "view_id", "view_id");
	set_copy(row, call, "rows", "row_count");
	set_copy(row, call, "truncated", "truncated");
	return row;
}

static bool has_failed(const json_t *call)
{
	static const char *const failed[] = {"error", "timeout", "not_permitted", NULL};
	const char *const *f = failed;

	while (*f && strcmp(json_text_at(call, "outcome"), *f) != 0)
		f++;
	return *f != NULL;
}

static void add_insights(json_t *agent, const json_t *call, const json_t *chart)
{
	json_t *insights = json_object_get(agent, "insights");

	if (*json_text_at(call, "finding")) {
		if (!json_object_get(insights, "summary"))
			json_set_str(insights, "summary", json_text_at(call, "finding"));
		json_push_take(json_object_get(insights, "findings"),
			       json_str(json_text_at(call, "finding")));
	}
	if (!json_object_get(insights, "visualization_hint"))
		set_copy(insights, chart, "chart_type", "visualization_hint");
}

static void add_statement(json_t *agent, const json_t *call, const json_t *view)
{
	json_t *all = json_object_get(agent, "queries_executed"), *row;
	const json_t *source = json_object_get(view, "source");

	if (!json_object_get(source, "sql"))
		return;
	if (!all) {
		all = json_array();
		json_set_take(agent, "queries_executed", all);
	}
	row = json_object();
	set_copy(row, call, "call", "call");
	set_copy(row, source, "sql", "sql");
	set_copy(row, view, "text", "purpose");
	json_push_take(all, row);
}

/* Sums over the agent's calls; one failed call makes the agent incomplete. */
static void add_metadata(json_t *agent, const json_t *call)
{
	static const char *const sums[] = {"duration_ms", "total_rows"};
	json_t *metadata = json_object_get(agent, "metadata");

	if (!metadata) {
		metadata = json_object();
		json_set_take(agent, "metadata", metadata);
	}
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		json_set_int(metadata, sums[i],
			     json_integer_value(json_object_get(metadata, sums[i])) +
				     json_integer_value(json_object_get(call, sums[i])));
	json_set_int(metadata, "calls",
		     (int64_t)json_array_size(json_object_get(agent, "results")));
	if (has_failed(call))
		json_set_str(agent, "status", "failed");
}

static json_t *agents_json(const struct message *m, struct arena *a)
{
	const json_t *calls = store_text_json(m->texts.tool_calls, a), *call;
	const json_t *views = store_text_json(m->texts.views, a);
	json_t *agents = json_array(), *agent;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)calls, i, call) {
		const json_t *view = view_of(views, call, "data");

		agent = agent_of(agents, json_text_at(call, "agent"));
		json_push_take(json_object_get(agent, "results"), result_json(call, view));
		add_insights(agent, call, view_of(views, call, "chart"));
		add_statement(agent, call, view);
		add_metadata(agent, call);
	}
	return agents;
}

static void on_turn(void *owner, const struct message *messages, size_t count, bool has_more,
		    const struct err *e)
{
	struct request *r = owner;
	const struct message *answer = NULL;
	json_t *body;

	(void)has_more;
	r->op = NULL;
	for (size_t i = 0; i < count; i++)
		if (strcmp(messages[i].role, "assistant") == 0)
			answer = &messages[i];
	if (e || !answer) {
		if (e)
			reply_err(r, e);
		else
			reply_problem(r, CODE_NOT_FOUND, NULL);
		return;
	}
	body = json_object();
	json_set_str(body, "turn_id", answer->turn_id);
	json_set_str(body, "message_id", answer->message_id);
	json_set_str(body, "status", message_status_name(answer->status));
	if (answer->masked)
		json_set_bool(body, "masked", true);
	json_set_take(body, "agents", agents_json(answer, r->arena));
	reply_json(r, 200, body);
}

void on_get_turn_agents(struct request *r)
{
	if (!uuid_valid(r->params[0]))
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else
		r->op = store_own_turn(r->transport->options.store, r->who, r->params[0], r->arena,
				       on_turn, r);
}
