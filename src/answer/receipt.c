/* Content of an answer's receipt: the question and its reading, calls with arguments and SQL,
 * results, and model prompts. */
#include "vesper/answer.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/context.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/json_out.h"
#include "vesper/limits.h"
#include "vesper/log.h"

static void write_time(struct json_out *j, const char *name, int64_t wall_ms)
{
	char text[CLOCK_RFC3339_BYTES];

	clock_rfc3339(wall_ms, text);
	jo_set_str(j, name, text);
}

/* ---- calls ---- */

/* Decimals and dates are written as text to keep every digit. */
static void write_value(struct json_out *j, const struct value *v)
{
	switch (v->type) {
	case VALUE_INT:
		jo_int(j, v->number);
		break;
	case VALUE_BOOL:
		jo_bool(j, v->number != 0);
		break;
	case VALUE_NULL:
		jo_null(j);
		break;
	default:
		jo_str(j, str_of(v->text));
	}
}

static void write_values(struct json_out *j, const struct value *values, size_t count)
{
	jo_array(j);
	for (size_t i = 0; i < count; i++)
		write_value(j, &values[i]);
	jo_array_end(j);
}

static void write_args(struct json_out *j, const struct args *args)
{
	jo_key(j, "args");
	jo_object(j);
	for (size_t i = 0; i < args->count; i++) {
		const struct arg *arg = &args->items[i];

		jo_key(j, arg->name);
		if (arg->is_list)
			write_values(j, arg->values, arg->count);
		else
			write_value(j, arg->values);
	}
	jo_object_end(j);
}

static void write_statements(struct json_out *j, const struct result *r)
{
	jo_key(j, "statements");
	jo_array(j);
	for (size_t i = 0; i < r->statement_count; i++) {
		const struct result_statement *s = &r->statements[i];

		jo_object(j);
		jo_set_str(j, "name", s->name);
		jo_set_str(j, "sql", s->text);
		jo_key(j, "values");
		write_values(j, s->values, s->count);
		jo_object_end(j);
	}
	jo_array_end(j);
}

/* The newest as-of date in the shown data. */
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

/* Here and below, members are written in the order of their names, so no sorting is needed. */
static void write_call(struct json_out *j, const struct catalog *c, const struct result *r)
{
	const struct tool_def *tool = catalog_tool(c, r->tool);
	const struct table *main = r->table_count > 0 ? r->tables[0] : NULL;
	const struct fact *sample = result_fact(r, RESULT_FRAME_SAMPLED);

	jo_object(j);
	jo_set_str(j, "agent", r->agent);
	if (*r->hash && r->any_order)
		jo_set_bool(j, "any_order", true);
	write_args(j, &r->asked);
	if (tool && main)
		jo_set_str(j, "as_of", newest_asof(tool, main));
	jo_set_str(j, "call", r->call);
	jo_set_str(j, "outcome", outcome_name(r->outcome.kind));
	if (tool && tool->gate)
		jo_set_bool(j, "own_sql", true);
	if (r->read_ms)
		write_time(j, "read_at", r->read_ms);
	if (*r->hash)
		jo_set_str(j, "result_hash", r->hash);
	jo_set_int(j, "rows", main ? (int64_t)main->row_count : 0);
	jo_set_str(j, "sample", sample ? sample->value : NULL);
	jo_set_str(j, "source", r->source);
	write_statements(j, r);
	jo_set_str(j, "tool", r->tool);
	jo_set_int(j, "total_rows", main ? main->total_rows : 0);
	jo_set_bool(j, "truncated", r->outcome.truncated);
	jo_object_end(j);
}

static void write_calls(struct json_out *j, const struct answer_turn *t)
{
	jo_key(j, "calls");
	jo_array(j);
	for (size_t i = 0; i < t->work->result_count; i++)
		write_call(j, t->core->may.catalog, t->work->results[i]);
	jo_array_end(j);
}

/* ---- model prompts ---- */

static void write_models(struct json_out *j, const struct answer_turn *t)
{
	jo_key(j, "models");
	jo_array(j);
	for (const struct llm_trail_entry *a = t->answer->trail.first; a; a = a->next) {
		jo_object(j);
		if (a->failed_over)
			jo_set_bool(j, "failed_over", true);
		jo_set_str(j, "model", a->model);
		jo_set_str(j, "prompt_hash", a->hash);
		jo_set_str(j, "provider", a->provider);
		jo_set_str(j, "role", llm_role_name(a->role));
		jo_object_end(j);
	}
	jo_array_end(j);
}

/* ---- whole receipt ---- */

/* Permissions of documents are in `needs`, for the documents that were shown. */
static bool is_kept(const char *permission)
{
	return !str_starts(str_of(permission), STR(PERMISSION_DOCUMENT));
}

json_t *answer_permissions(const struct principal *who)
{
	json_t *list = json_array();

	for (size_t i = 0; i < who->permission_count; i++)
		if (is_kept(who->permissions[i]))
			json_push_take(list, json_str(who->permissions[i]));
	return list;
}

static void write_permissions(struct json_out *j, const struct principal *who)
{
	jo_key(j, "permissions");
	jo_array(j);
	for (size_t i = 0; i < who->permission_count; i++)
		if (is_kept(who->permissions[i]))
			jo_str(j, str_of(who->permissions[i]));
	jo_array_end(j);
}

static void write_filters(struct json_out *j, const struct answer_turn *t)
{
	jo_key(j, "filters");
	nlu_filters_write(&t->reading->understood, t->core->may.catalog->language, j);
}

static void write_context(struct json_out *j, const struct answer_turn *t)
{
	struct context_state s;

	answer_context(t, &s);
	jo_key(j, "context");
	jo_array(j);
	for (size_t i = 0; i < s.count; i++) {
		jo_object(j);
		jo_set_str(j, "action", context_action_name(s.items[i].action));
		jo_set_str(j, "key", context_key_name(s.items[i].key));
		jo_set_str(j, "state", context_status_name(s.items[i].status));
		jo_object_end(j);
	}
	jo_array_end(j);
}

/* The example questions in the model's prompt, by source. */
static void write_examples(struct json_out *j, const struct answer_turn *t)
{
	if (t->answer->like_count == 0)
		return;
	jo_key(j, "examples");
	jo_array(j);
	for (size_t i = 0; i < t->answer->like_count; i++) {
		jo_object(j);
		jo_set_str(j, "id", t->answer->like[i]->id);
		jo_set_str(j, "role", llm_role_name(LLM_ROUTE));
		jo_object_end(j);
	}
	jo_array_end(j);
}

/* Written for flows and planner plans only; other plans follow from the calls. */
static void write_plan(struct json_out *j, const struct plan *p)
{
	const struct flow_def *f = p ? p->flow : NULL;

	if (!p || (!f && p->origin != PLAN_PLANNER))
		return;
	jo_key(j, "plan");
	jo_object(j);
	if (f)
		jo_set_str(j, "fingerprint", f->own ? f->approval.fingerprint : f->hash);
	jo_set_str(j, "name", f ? f->name : NULL);
	jo_set_str(j, "origin", plan_origin_name(p->origin));
	if (f && f->approval.version > 0)
		jo_set_int(j, "version", p->flow->approval.version);
	jo_object_end(j);
}

static void write_content(struct json_out *j, struct answer_turn *t, const struct message *m,
			  int64_t now)
{
	char today[DATE_ISO_BYTES], hash[HASH_HEX_BYTES];

	date_iso(t->core->today, today);
	hash_sha256_hex(m->content, strlen(m->content), hash);
	jo_object(j);
	jo_set_str(j, "answer_hash", hash);
	write_time(j, "began_at", now - m->latency_ms);
	write_calls(j, t);
	jo_set_str(j, "catalogue", t->core->may.catalog->hash);
	write_context(j, t);
	write_examples(j, t);
	write_filters(j, t);
	jo_set_int(j, "latency_ms", m->latency_ms);
	jo_set_str(j, "model", m->model);
	write_models(j, t);
	jo_set_str(j, "needs", m->needs);
	write_permissions(j, t->core->who);
	write_plan(j, t->work->plan);
	jo_set_str(j, "provider", m->provider);
	jo_set_str(j, "question", t->core->request.content);
	jo_set_str(j, "status", message_status_name(m->status));
	jo_set_str(j, "today", today);
	jo_set_str(j, "turn_id", t->core->id.text);
	jo_set_raw(j, "usage", answer_usage_json(t, false));
	jo_object_end(j);
}

static struct receipt *record_new(const struct principal *who, int64_t now, struct arena *a)
{
	struct receipt *r = arena_alloc(a, sizeof(*r));
	char created[CLOCK_RFC3339_BYTES];

	clock_rfc3339(now, created);
	*r = (struct receipt){
		.tenant = who->tenant,
		.user = who->user,
		.receipt_id = arena_strdup(a, uuid_new().text),
		.created_at = arena_strdup(a, created),
	};
	return r;
}

/* Takes ownership of the content. */
static const struct receipt *seal(struct receipt *r, const char *log_id, struct buf *content,
				  struct arena *a)
{
	receipt_seal((struct str){buf_text(content), content->n}, a, r);
	buf_deinit(content);
	if (strlen(r->content) <= DB_CELL_BYTES_MAX)
		return r;
	log_error("turn.receipt", "%s: receipt not stored: %zu bytes exceed the limit", log_id,
		  strlen(r->content));
	return NULL;
}

static const struct receipt *receipt_of(struct answer_turn *t, const struct message *answer)
{
	int64_t now = clock_now_ms();
	struct receipt *r;
	struct buf content;
	struct json_out j;

	if (t->work->result_count == 0 && !t->answer->trail.first)
		return NULL;
	r = record_new(t->core->who, now, t->core->arena);
	r->session_id = t->core->request.session_id;
	r->message_id = answer->message_id;
	buf_init(&content, SIZE_MAX / 2);
	jo_init(&j, &content);
	write_content(&j, t, answer, now);
	return seal(r, t->core->id.text, &content, t->core->arena);
}

const struct receipt *answer_receipt(struct answer_turn *t, const struct message *answer)
{
	t->answer->receipt = receipt_of(t, answer);
	return t->answer->receipt;
}

void answer_receipt_stored(struct answer_turn *t)
{
	t->answer->receipt_id = t->answer->receipt ? t->answer->receipt->receipt_id : NULL;
}

/* ---- calls by programs ---- */

static const char *needs_text(const struct result *r, struct arena *a)
{
	const char *text = "";

	for (const char *const *p = r->needs; p && *p; p++)
		text = arena_printf(a, "%s%s%s", text, *text ? " " : "", *p);
	return text;
}

const struct receipt *call_receipt(const struct catalog *c, const struct principal *who,
				   struct date day, const struct result *r, struct arena *a)
{
	int64_t now = clock_now_ms();
	char today[DATE_ISO_BYTES];
	struct buf content;
	struct json_out j;

	date_iso(day, today);
	buf_init(&content, SIZE_MAX / 2);
	jo_init(&j, &content);
	jo_object(&j);
	write_time(&j, "began_at", now - r->duration_us / 1000);
	jo_key(&j, "calls");
	jo_array(&j);
	write_call(&j, c, r);
	jo_array_end(&j);
	jo_set_str(&j, "catalogue", c->hash);
	jo_set_int(&j, "latency_ms", r->duration_us / 1000);
	jo_set_str(&j, "needs", needs_text(r, a));
	write_permissions(&j, who);
	jo_key(&j, "plan");
	jo_object(&j);
	jo_set_str(&j, "origin", "api");
	jo_object_end(&j);
	jo_set_str(&j, "today", today);
	jo_object_end(&j);
	return seal(record_new(who, now, a), r->tool, &content, a);
}
