/* Records a finished turn for replay tests: the question, the caller and the outcomes. The answer's
 * wording is left out, since it may change without an error. */
#include <string.h>

#include "turn_int.h"
#include "vesper/json.h"
#include "vesper/record.h"

static json_t *outcomes_json(const struct turn *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->work.result_count; i++) {
		const struct result *r = t->work.results[i];
		json_t *one = json_object();

		json_set_str(one, "tool", r->tool);
		json_set_str(one, "outcome", outcome_name(r->outcome.kind));
		json_set_int(one, "rows",
			     r->table_count > 0 ? (int64_t)r->tables[0]->row_count : 0);
		json_push_take(list, one);
	}
	return list;
}

/* The contents of a shown table; NULL for other views. */
static json_t *table_json(struct str text)
{
	json_t *view, *one = NULL;
	struct err e;

	if (!json_parse_exact(text.p, text.n, SIZE_MAX, &view, &e))
		return NULL;
	if (json_object_get(view, "data_dict")) {
		one = json_object();
		json_set_str(one, "tool",
			     json_string_value(
				     json_object_get(json_object_get(view, "source"), "tool")));
		json_set_take(one, "columns", json_incref(json_object_get(view, "columns")));
		json_set_take(one, "data_dict", json_incref(json_object_get(view, "data_dict")));
	}
	json_decref(view);
	return one;
}

static json_t *views_json(const struct turn *t)
{
	json_t *list = json_array(), *table;
	struct event event;

	for (uint64_t seq = 1; seq <= stream_last_seq(t->core.log); seq++) {
		stream_event(t->core.log, seq, &event);
		table = event.kind == EVENT_VIEW ? table_json(event.u.view.view) : NULL;
		if (table)
			json_push_take(list, table);
	}
	return list;
}

static json_t *facts_json(const struct turn *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->work.result_count; i++)
		for (size_t k = 0; k < t->work.results[i]->fact_count; k++) {
			const struct fact *f = &t->work.results[i]->facts[k];
			json_t *one = json_object();

			json_set_str(one, "tool", t->work.results[i]->tool);
			json_set_str(one, "name", f->name);
			json_set_str(one, "value", f->value);
			json_push_take(list, one);
		}
	return list;
}

static json_t *case_json(const char *tenant, const char *session_id, const char *turn_id,
			 const char *message_id)
{
	return json_make({"format", json_str(RECORD_CASE_FORMAT)},
			 {"session_id", json_str(session_id)}, {"turn_id", json_str(turn_id)},
			 {"message_id", json_str(message_id)}, {"tenant", json_str(tenant)});
}

json_t *turn_case(const char *tenant, const struct message *question, const struct message *answer)
{
	json_t *line =
		case_json(tenant, question->session_id, question->turn_id, answer->message_id);
	json_t *permissions = json_array();
	struct str rest = str_of(answer->needs ? answer->needs : ""), one;

	json_push_take(permissions, json_str("chat:use"));
	while (str_split(&rest, ' ', &one))
		if (one.n > 0)
			json_push_take(permissions, json_strn(one.p, one.n));
	json_set_take(line, "permissions", permissions);
	json_set_take(line, "today",
		      json_strn(question->created_at, strcspn(question->created_at, "T")));
	json_set_str(line, "content", question->content);
	json_set_take(line, "expect", json_object());
	return line;
}

json_t *turn_record(const struct turn *t)
{
	json_t *line = case_json(t->core.who->tenant, t->core.request.session_id, t->core.id.text,
				 t->core.answer_id.text);
	json_t *expect = json_object();
	const json_t *ask = json_object_get(t->dialog.next_context, "ask");
	char today[DATE_ISO_BYTES];

	date_iso(t->core.today, today);
	json_set_str(expect, "status",
		     t->end.status == MESSAGE_COMPLETE ? "ok" : message_status_name(t->end.status));
	json_set_take(expect, "outcomes", outcomes_json(t));
	json_set_take(expect, "views", views_json(t));
	json_set_take(expect, "facts", facts_json(t));
	json_set_take(line, "permissions", answer_permissions(t->core.who));
	json_set_str(line, "today", today);
	json_set_str(line, "content", t->core.request.content);
	json_set_take(line, "filters", json_deep_copy(t->core.request.filters));
	if (t->core.request.ask_id)
		json_set_take(line, "values", json_deep_copy(t->core.request.values));
	json_set_str(line, "ask_id", json_string_value(json_object_get(ask, "ask_id")));
	json_set_take(line, "expect", expect);
	return line;
}
