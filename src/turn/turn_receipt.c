/* How an answer came about, as the content of its receipt: what was asked and understood, what was
 * called with what and which SQL that was, what came back, and what models were told. */
#include "turn_int.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"

static void set_time(json_t *to, const char *name, int64_t wall_ms)
{
	char text[CLOCK_RFC3339_BYTES];

	clock_rfc3339(wall_ms, text);
	json_set_str(to, name, text);
}

/* ---- what was called ---- */

/* Decimals and dates as text: every digit counts. */
static json_t *value_json(const struct value *v)
{
	switch (v->type) {
	case VALUE_INT:
		return json_int(v->number);
	case VALUE_BOOL:
		return json_boolean(v->number != 0);
	case VALUE_NULL:
		return json_null();
	default:
		return json_str(v->text);
	}
}

static json_t *values_json(const struct value *values, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_push_take(list, value_json(&values[i]));
	return list;
}

static json_t *args_json(const struct args *args)
{
	json_t *object = json_object();

	for (size_t i = 0; i < args->count; i++) {
		const struct arg *arg = &args->items[i];

		json_set_take(object, arg->name,
			      arg->is_list ? values_json(arg->values, arg->count)
					   : value_json(arg->values));
	}
	return object;
}

static json_t *statements_json(const struct result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->statement_count; i++) {
		const struct result_statement *s = &r->statements[i];
		json_t *one = json_object();

		json_set_str(one, "name", s->name);
		json_set_str(one, "sql", s->text);
		json_set_take(one, "values", values_json(s->values, s->count));
		json_push_take(list, one);
	}
	return list;
}

/* The newest day that the shown data is of. */
static const char *newest_asof(const struct tool_def *tool, const struct table *t)
{
	const char *newest = NULL;

	for (size_t i = 0; i < tool->column_count; i++) {
		if (!tool->columns[i].asof)
			continue;
		for (size_t r = 0; r < t->row_count; r++) {
			const char *day = table_cell(t, r, tool->columns[i].name);

			if (day && (!newest || strcmp(day, newest) > 0))
				newest = day;
		}
	}
	return newest;
}

static json_t *call_json(const struct turn *t, const struct result *r)
{
	const struct tool_def *tool = catalog_tool(t->may.catalog, r->tool);
	const struct table *main = r->table_count > 0 ? r->tables[0] : NULL;
	json_t *call = json_object();

	json_set_str(call, "call", r->call);
	json_set_str(call, "agent", r->agent);
	json_set_str(call, "tool", r->tool);
	json_set_str(call, "outcome", outcome_name(r->outcome.kind));
	json_set_take(call, "args", args_json(&r->asked));
	json_set_int(call, "rows", main ? (int64_t)main->row_count : 0);
	json_set_int(call, "total_rows", main ? main->total_rows : 0);
	json_set_bool(call, "truncated", r->outcome.truncated);
	json_set_take(call, "statements", statements_json(r));
	if (tool && tool->gate)
		json_set_bool(call, "own_sql", true);
	if (tool && main)
		json_set_str(call, "as_of", newest_asof(tool, main));
	if (r->read_ms)
		set_time(call, "read_at", r->read_ms);
	if (*r->hash)
		json_set_str(call, "result_hash", r->hash);
	if (*r->hash && r->any_order)
		json_set_bool(call, "any_order", true);
	return call;
}

static json_t *calls_json(const struct turn *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->result_count; i++)
		json_push_take(list, call_json(t, t->results[i]));
	return list;
}

/* ---- what models were told ---- */

static json_t *models_json(const struct turn *t)
{
	json_t *list = json_array();

	for (const struct llm_asked *a = t->trail.first; a; a = a->next) {
		json_t *one = json_object();

		json_set_str(one, "role", llm_role_name(a->role));
		json_set_str(one, "prompt_hash", a->hash);
		json_set_str(one, "provider", a->provider);
		json_set_str(one, "model", a->model);
		json_push_take(list, one);
	}
	return list;
}

/* ---- the whole ---- */

json_t *turn_permissions(const struct principal *who)
{
	json_t *list = json_array();

	for (size_t i = 0; i < who->permission_count; i++)
		json_push_take(list, json_str(who->permissions[i]));
	return list;
}

static void add_question(struct turn *t, json_t *content)
{
	char today[DATE_ISO_BYTES];

	date_iso(t->today, today);
	json_set_str(content, "question", t->request.content);
	json_set_take(content, "filters",
		      know_filters_json(t->knowledge->set.know, &t->understood));
	json_set_str(content, "today", today);
	json_set_str(content, "tenant", t->who->tenant);
	json_set_str(content, "user", t->who->user);
	json_set_take(content, "permissions", turn_permissions(t->who));
	json_set_str(content, "session_id", t->request.session_id);
	json_set_str(content, "turn_id", t->id.text);
}

static void add_answer(struct turn *t, json_t *content, const struct message *m)
{
	int64_t now = clock_now_ms();
	char hash[HASH_HEX_BYTES];

	hash_sha256_hex(m->content, strlen(m->content), hash);
	json_set_str(content, "message_id", m->message_id);
	json_set_str(content, "answer_hash", hash);
	json_set_str(content, "status", message_status_name(m->status));
	json_set_str(content, "needs", m->needs);
	json_set_str(content, "provider", m->provider);
	json_set_str(content, "model", m->model);
	json_set_take(content, "usage", say_usage(t));
	json_set_str(content, "catalogue", t->knowledge->set.catalog->hash);
	set_time(content, "began_at", now - m->latency_ms);
	set_time(content, "created_at", now);
	json_set_int(content, "latency_ms", m->latency_ms);
}

const struct receipt *turn_receipt(struct turn *t, const struct message *answer)
{
	struct receipt *r = arena_alloc(t->arena, sizeof(*r));
	json_t *content;

	if (t->result_count == 0 && !t->trail.first)
		return NULL;
	content = json_object();
	json_set_str(content, "receipt_id", uuid_new().text);
	add_question(t, content);
	json_set_take(content, "calls", calls_json(t));
	json_set_take(content, "models", models_json(t));
	add_answer(t, content, answer);
	receipt_seal(content, t->arena, r);
	json_decref(content);
	if (strlen(r->content) <= DB_CELL_BYTES_MAX)
		return r;
	log_error("turn.receipt", "%s has none: %zu bytes are too many", t->id.text,
		  strlen(r->content));
	return NULL;
}
