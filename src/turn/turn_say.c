/* The frames of a turn, each made in one place: members are absent when there is nothing to say,
 * never null. */
#include "turn_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/json_out.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"
#include "vesper/wire.h"

/* JSON texts that one event borrows. */
struct texts {
	char *items[8];
	size_t count;
};

static struct str texts_add(struct texts *texts, const json_t *value)
{
	char *text;

	if (!value)
		return (struct str){0};
	assert(texts->count < sizeof(texts->items) / sizeof(texts->items[0]));
	text = json_text(value);
	texts->items[texts->count++] = text;
	return str_of(text);
}

static struct str texts_add_take(struct texts *texts, json_t *take)
{
	struct str text = texts_add(texts, take);

	json_decref(take);
	return text;
}

/* Emits the event and frees what it has borrowed. */
static void emit(struct turn *t, const struct event *event, struct texts *texts)
{
	event_emit(t->sink, event);
	for (size_t i = 0; i < texts->count; i++)
		mem_free(texts->items[i]);
}

void say_ask_json(struct turn *t, const char *prompt, json_t *body_take)
{
	struct texts texts = {0};

	emit(t,
	     &(struct event){.kind = EVENT_ASK,
			     .u.ask = {prompt, texts_add_take(&texts, body_take)}},
	     &texts);
}

void say_thinking(struct turn *t)
{
	event_emit(t->sink,
		   &(struct event){.kind = EVENT_RUN_STARTED,
				   .u.run_started = {t->request.session_id, t->user_message_id.text,
						     t->answer_id.text, t->request.client_msg_id}});
}

void say_phase(struct turn *t, const char *phase, const char *text)
{
	event_emit(t->sink, &(struct event){.kind = EVENT_STATUS, .u.status = {phase, text}});
}

void say_filters(struct turn *t)
{
	struct texts texts = {0};
	json_t *filters = know_filters_json(t->knowledge->set.know, &t->understood);

	emit(t,
	     &(struct event){.kind = EVENT_FILTERS,
			     .u.filters.filters = texts_add_take(&texts, filters)},
	     &texts);
}

/* A piece that the log has no room for is not shown, so it is not part of the answer; nothing may
 * follow it either. */
static bool show(struct turn *t, const struct event_text_delta *delta)
{
	if (!t->log_full)
		event_emit(t->sink,
			   &(struct event){.kind = EVENT_TEXT_DELTA, .u.text_delta = *delta});
	t->log_full = t->log_full || stream_full(t->log);
	return !t->log_full;
}

void say_text(struct turn *t, const char *text, size_t len)
{
	show(t, &(struct event_text_delta){.text = {text, len}});
}

/* Templates answer in pieces of about a line, as a writer would, so that a cut connection resumes
 * in the middle. */
#define PIECE_BYTES 48

void say_in_pieces(struct turn *t, const char *text,
		   void (*say)(struct turn *t, const char *text, size_t len))
{
	while (*text) {
		size_t n = strnlen(text, PIECE_BYTES);

		while (text[n] && text[n - 1] != ' ' && text[n - 1] != '\n')
			n++;
		say(t, text, n);
		text += n;
	}
}

static struct event_mark mark_of(const struct guard_piece *piece, size_t chars_before)
{
	const struct guard_ref *ref = &piece->ref;
	struct event_mark mark = {.kind = guard_kind_name(piece->kind),
				  .start = piece->start,
				  .len = piece->count,
				  .at = chars_before + piece->start,
				  .row = -1};

	if (piece->kind == GUARD_BOUND) {
		mark.has_ref = true;
		mark.call = ref->call;
		mark.column = ref->column;
		mark.formula = ref->formula;
		mark.row = ref->row;
	}
	return mark;
}

void say_checked(struct turn *t, const struct guard_piece *piece)
{
	struct event_text_delta delta = {.text = {piece->text, piece->len},
					 .marked = piece->marked};

	if (piece->marked)
		delta.mark = mark_of(piece, t->checked.chars);
	if (!show(t, &delta))
		return;
	if (piece->marked)
		t->checked.count[piece->kind]++;
	t->checked.chars += utf8_count(piece->text, piece->len);
}

static void show_view(struct turn *t, const struct result *r, const char *view_id, struct str view)
{
	t->view_count++;
	event_emit(t->sink, &(struct event){.kind = EVENT_VIEW,
					    .u.view = {.view_id = view_id,
						       .agent = r ? r->agent : NULL,
						       .task = r ? r->task : NULL,
						       .view = view}});
}

void say_view_json(struct turn *t, const struct result *r, json_t *view_take)
{
	char *text = json_text(view_take);

	show_view(t, r, json_string_value(json_object_get(view_take, "view_id")), str_of(text));
	mem_free(text);
	json_decref(view_take);
}

static const char *next_view_id(const struct turn *t, const struct result *r)
{
	return arena_printf(t->arena, "%s-v%zu", r->call, t->view_count + 1);
}

void say_view(struct turn *t, struct result *r)
{
	const char *view_id = next_view_id(t, r);
	struct view_cut cut;
	struct buf view;

	buf_init(&view, SIZE_MAX / 2);
	cut = view_data(&view, r, r->tables[0], view_id, t->arena);
	/* A table may also be too long for a client, not only for the query's cap. */
	if (cut.truncated) {
		r->outcome.truncated = true;
		r->outcome.truncation = arena_strdup(t->arena, cut.reason);
	}
	show_view(t, r, view_id, (struct str){buf_text(&view), view.n});
	buf_reset(&view);
	view_id = next_view_id(t, r);
	if (view_chart(&view, r, view_id, view_chart_wish(t->request.content)))
		show_view(t, r, view_id, (struct str){buf_text(&view), view.n});
	buf_deinit(&view);
}

void say_outcomes(struct turn *t)
{
	for (size_t i = 0; i < t->result_count; i++) {
		json_t *view = view_outcome(t->results[i], next_view_id(t, t->results[i]));

		if (view)
			say_view_json(t, t->results[i], view);
	}
}

json_t *turn_standing(const struct turn *t)
{
	json_t *standing = know_standing(&t->understood);

	if (t->spec)
		json_object_set(standing, "plan", t->spec);
	return standing;
}

static size_t result_rows(const struct result *r)
{
	return r->table_count > 0 ? r->tables[0]->row_count : 0;
}

static void put_value(struct json_out *j, const struct value *v)
{
	switch (v->type) {
	case VALUE_INT:
		jo_int(j, v->number);
		break;
	case VALUE_BOOL:
		jo_bool(j, v->number != 0);
		break;
	case VALUE_DECIMAL:
		jo_decimal(j, v->text);
		break;
	case VALUE_NULL:
		jo_null(j);
		break;
	default:
		jo_str(j, str_of(v->text));
	}
}

static void put_args(struct json_out *j, const struct args *args)
{
	jo_object(j);
	for (size_t i = 0; i < args->count; i++) {
		const struct arg *arg = &args->items[i];

		if (!arg->is_list && arg->values[0].type == VALUE_NULL)
			continue;
		jo_key(j, arg->name);
		if (!arg->is_list) {
			put_value(j, &arg->values[0]);
			continue;
		}
		jo_array(j);
		for (size_t k = 0; k < arg->count; k++)
			put_value(j, &arg->values[k]);
		jo_array_end(j);
	}
	jo_object_end(j);
}

static void put_calls(struct json_out *j, const struct turn *t, bool with_args)
{
	jo_array(j);
	for (size_t i = 0; i < t->result_count; i++) {
		const struct result *r = t->results[i];

		jo_object(j);
		jo_set_str(j, "call", r->call);
		jo_set_str(j, "agent", r->agent);
		jo_set_str(j, "tool", r->tool);
		jo_set_str(j, "outcome", outcome_name(r->outcome.kind));
		jo_set_int(j, "rows", (int64_t)result_rows(r));
		jo_set_bool(j, "truncated", r->outcome.truncated);
		jo_set_str(j, "truncation_reason", r->outcome.truncation);
		if (with_args) {
			jo_key(j, "args");
			put_args(j, &r->args);
		}
		jo_object_end(j);
	}
	jo_array_end(j);
}

/* A copy in the arena; the buffer is freed. */
static struct str into_arena(struct turn *t, struct buf *b)
{
	struct str text = {arena_strndup(t->arena, buf_text(b), b->n), b->n};

	buf_deinit(b);
	return text;
}

static struct str calls_text(struct turn *t, bool with_args)
{
	struct buf text;
	struct json_out j;

	buf_init(&text, SIZE_MAX / 2);
	jo_init(&j, &text);
	put_calls(&j, t, with_args);
	return into_arena(t, &text);
}

const char *say_tool_calls(struct turn *t)
{
	return calls_text(t, true).p;
}

static void put_link(struct json_out *j, struct turn *t, const struct report_def *report,
		     const struct result *r)
{
	const struct tool_def *tool = catalog_tool(t->may.catalog, r->tool);

	jo_object(j);
	jo_set_str(j, "report_key", report->key);
	jo_set_str(j, "report_name", report->label);
	jo_set_str(j, "menu_key", report->menu_key);
	jo_set_str(j, "url", link_url(report, tool, &r->args, t->arena));
	jo_object_end(j);
}

static bool is_report_of_earlier(const struct turn *t, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (t->results[k]->report &&
		    strcmp(t->results[k]->report, t->results[i]->report) == 0)
			return true;
	return false;
}

struct str say_links(struct turn *t)
{
	struct buf text;
	struct json_out j;

	buf_init(&text, SIZE_MAX / 2);
	jo_init(&j, &text);
	jo_array(&j);
	for (size_t i = 0; i < t->result_count; i++) {
		const struct result *r = t->results[i];
		const struct report_def *report =
			r->report ? catalog_report(t->may.catalog, r->report) : NULL;

		if (report && *report->url && r->outcome.kind != OUTCOME_NOT_PERMITTED &&
		    !is_report_of_earlier(t, i))
			put_link(&j, t, report, r);
	}
	jo_array_end(&j);
	return into_arena(t, &text);
}

static struct str checked_text(struct turn *t, struct str numbers)
{
	const struct turn_checked *c = &t->checked;
	struct buf text;
	struct json_out j;

	buf_init(&text, SIZE_MAX / 2);
	jo_init(&j, &text);
	jo_object(&j);
	jo_set_str(&j, "policy", guard_policy_name(t->all->numbers));
	jo_set_int(&j, "bound", c->count[GUARD_BOUND]);
	jo_set_int(&j, "unbound", c->count[GUARD_UNBOUND] + c->count[GUARD_WITHHELD]);
	jo_set_int(&j, "unchecked", c->count[GUARD_UNCHECKED]);
	jo_set_raw(&j, "items", numbers);
	jo_object_end(&j);
	return into_arena(t, &text);
}

const char *say_stored_views(struct turn *t)
{
	struct buf views, numbers;

	buf_init(&views, SIZE_MAX / 2);
	buf_init(&numbers, SIZE_MAX / 2);
	wire_stored(t->log, &views, &numbers);
	if (t->checked.on)
		t->checked.stored = checked_text(t, (struct str){buf_text(&numbers), numbers.n});
	buf_deinit(&numbers);
	return into_arena(t, &views).p;
}

/* The nearest limit of the caller's, once most of it is used. */
static json_t *budget_json(struct turn *t)
{
	struct budget_state s;

	if (!llm_budget_state(t->all->llm, &t->payer, &s) || s.used_percent < BUDGET_WARN_PERCENT)
		return NULL;
	return json_make({"scope", json_str(budget_scope_name(s.scope))},
			 {"period", json_str(budget_period_name(s.period))},
			 {"unit", json_str(s.money ? "usd" : "tokens")},
			 {"used_percent", json_int(s.used_percent)});
}

/* Billionths of a dollar, to a millionth. */
static json_t *usd_json(struct turn *t, int64_t nano_usd)
{
	int64_t micro = (nano_usd + 500) / 1000;

	if (nano_usd <= 0)
		return NULL;
	return json_decimal(arena_printf(t->arena, "%lld.%06lld", (long long)(micro / 1000000),
					 (long long)(micro % 1000000)));
}

json_t *say_usage(struct turn *t)
{
	struct llm_usage sum = {0};
	json_t *by = json_object(), *usage;
	int64_t calls = 0;

	for (size_t i = 0; i < LLM_ROLE_COUNT; i++) {
		const struct llm_usage *u = &t->usage[i];

		int64_t asked = t->calls[i] + u->continued;

		llm_usage_add(&sum, u);
		calls += asked;
		json_set_take(
			by, llm_role_name((enum llm_role)i),
			json_make({"calls", json_int(asked)},
				  {"input_tokens", json_int(u->input_tokens + u->cache_read_tokens +
							    u->cache_write_tokens)},
				  {"output_tokens", json_int(u->output_tokens)}));
	}
	usage = json_make({"calls", json_int(calls)}, {"input_tokens", json_int(sum.input_tokens)},
			  {"cache_read_tokens", json_int(sum.cache_read_tokens)},
			  {"cache_write_tokens", json_int(sum.cache_write_tokens)},
			  {"output_tokens", json_int(sum.output_tokens)}, {"by", by});
	json_set_take(usage, "cost_usd", usd_json(t, sum.nano_usd));
	return usage;
}

static void say_error(struct turn *t)
{
	const struct view_error view = {.code = view_error_code(t->end.error_code),
					.text = t->end.error_text};
	struct texts texts = {0};
	struct event event = {.kind = EVENT_ERROR};

	event.u.error = (struct event_error){
		.code = t->end.error_code,
		.message = t->end.error_text,
		.retryable = t->end.retryable,
		.detail_turn_id = t->duplicate_turn,
		.suggestions = texts_add(&texts, t->suggestions),
		.view = texts_add_take(&texts, view_error(&view, "error-v1")),
	};
	emit(t, &event, &texts);
}

static json_t *end_error_json(const struct turn *t)
{
	return t->end.error_code ? json_make({"code", json_str(t->end.error_code)},
					     {"message", json_str(t->end.error_text)})
				 : NULL;
}

static const char *end_status(const struct turn *t)
{
	return t->end.status == MESSAGE_COMPLETE ? "ok" : message_status_name(t->end.status);
}

void say_end(struct turn *t)
{
	struct texts texts = {0};
	struct event event = {.kind = EVENT_RUN_FINISHED};
	json_t *usage;

	if (t->end.failed) {
		say_error(t);
		return;
	}
	usage = say_usage(t);
	json_set_take(usage, "budget", budget_json(t));
	event.u.run_finished = (struct event_run_finished){
		.session_id = t->request.session_id,
		.message_id = t->answer_id.text,
		.status = end_status(t),
		.provider = t->provider ? t->provider : "rules",
		.model = t->model,
		.receipt_id = t->receipt_id,
		.latency_ms = clock_mono_ms() - t->began_ms,
		.links = t->links,
		.suggestions = texts_add(&texts, t->suggestions),
		.usage = texts_add_take(&texts, usage),
		.checked = t->checked.stored,
		.outcomes = calls_text(t, false),
		.error = texts_add_take(&texts, end_error_json(t)),
	};
	emit(t, &event, &texts);
}
