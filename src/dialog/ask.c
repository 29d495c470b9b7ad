/*
 * Asks clarifying questions. A question is sent as a frame and stored in the session context,
 * where ask_answer.c finds it. It is asked again when the message does not answer it.
 */
#include "ask_int.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/limits.h"

/* A question can be answered for a day. Later, the user may not remember its context. */
#define ASK_LIFE_MS (24 * 3600 * 1000)
static const char *const input_names[] = {
	[ASK_SINGLE] = "single",
	[ASK_MULTIPLE] = "multiple",
	[ASK_DATE] = "date",
	[ASK_DATE_RANGE] = "date_range",
};

/* ---- asking ---- */

static json_t *choice_json(const struct suggestion *s)
{
	return json_make({"value", json_str(s->value)}, {"label", json_str(s->label)},
			 {"group", json_str(s->group)});
}

static json_t *options_json(const struct turn_ask *ask)
{
	json_t *options = json_array();

	for (size_t i = 0; i < ask->option_count; i++)
		json_push_take(options, choice_json(&ask->options[i]));
	return options;
}

/* The members shared by the frame and the session context. */
static json_t *ask_json(const struct dialog_turn *t, const char *ask_id)
{
	const struct turn_ask *ask = &t->dialog->reply.ask;
	json_t *body = json_object();

	json_set_str(body, "ask_id", ask_id);
	json_set_str(body, "prompt", t->dialog->reply.text);
	json_set_str(body, "input", input_names[ask->input]);
	if (ask->option_count > 0)
		json_set_take(body, "options", options_json(ask));
	if (ask->input == ASK_MULTIPLE) {
		json_set_int(body, "min", (int64_t)ask->min);
		json_set_int(body, "max", (int64_t)(ask->max ? ask->max : ask->option_count));
	}
	json_set_str(body, "min_date", ask->min_date);
	json_set_str(body, "max_date", ask->max_date);
	json_set_str(body, "filter", ask->filter);
	json_set_str(body, "hint", ask->hint);
	if (ask->skip.value)
		json_set_take(body, "skip", choice_json(&ask->skip));
	return body;
}

static json_t *pending_ask_json(const struct dialog_turn *t, const json_t *body, int64_t expires_ms)
{
	const struct turn_ask *ask = &t->dialog->reply.ask;
	json_t *pending = json_deep_copy(body);

	json_set_int(pending, "expires_ms", expires_ms);
	json_set_int(pending, "attempt", ask->attempt);
	json_set_str(pending, "end_filter", ask->end_filter);
	json_set_str(pending, "question", ask->question);
	json_object_set(pending, "skip_values", (json_t *)ask->skip_values);
	json_object_set(pending, "plan", (json_t *)ask->plan);
	json_object_set(pending, "plans", (json_t *)ask->plans);
	return pending;
}

json_t *ask_store_pending(struct dialog_turn *t)
{
	int64_t expires_ms = clock_now_ms() + ASK_LIFE_MS;
	struct uuid ask_id = uuid_new();
	char expires[CLOCK_RFC3339_BYTES];
	json_t *body = ask_json(t, ask_id.text);

	json_decref(t->dialog->next_context);
	t->dialog->next_context = dialog_session_context(t);
	json_set_take(t->dialog->next_context, "ask", pending_ask_json(t, body, expires_ms));
	clock_rfc3339(expires_ms, expires);
	json_set_str(body, "expires_at", expires);
	if (!t->dialog->reply.ask.filter)
		json_set_str(body, "filter", "choice");
	return body;
}

/* ---- asking again ---- */

static bool is_same_filter(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* The number of consecutive turns that asked this. A complete new question starts at 0. A question
 * without a filter comes from the model and counts until something is found. */
static int previous_attempts(const struct dialog_turn *t, const struct turn_ask *ask)
{
	const json_t *pending = json_object_get(t->context->standing, "ask");

	if (!pending || !is_same_filter(ask_member(pending, "filter"), ask->filter))
		return 0;
	if (ask->filter && !t->dialog->answered.answers && !t->dialog->answered.rejection_reason &&
	    !t->reading->understood.is_followup)
		return 0;
	return (int)json_integer_value(json_object_get(pending, "attempt"));
}

bool ask_prepare(struct dialog_turn *t, const char *text, const struct turn_ask *ask)
{
	int attempt = previous_attempts(t, ask) + 1;

	if (attempt > ASK_ATTEMPTS_MAX)
		return false;
	t->dialog->reply = (struct turn_reply){.text = text, .status = MESSAGE_ASK, .ask = *ask};
	t->dialog->reply.ask.attempt = attempt;
	return true;
}

void ask_user(struct dialog_turn *t, const char *text, const struct turn_ask *ask)
{
	if (!ask_prepare(t, text, ask))
		suggest_and_reply(t, turn_sentence(t->core, SAY_ASK_THREE_TIMES));
}

void ask_clarification(struct dialog_turn *t, const struct clarification *c)
{
	const struct turn_ask ask = {
		.input = c->input,
		.filter = c->filter,
		.options = c->options,
		.option_count = c->option_count,
		.min = c->min,
		.max = c->max,
	};

	ask_user(t, c->text, &ask);
}

void ask_for_model(struct dialog_turn *t, const struct supervisor_reply *r)
{
	size_t n = json_array_size(r->options);
	struct suggestion *options = arena_alloc(t->core->arena, (n + 1) * sizeof(*options));
	struct clarification ask = {.text = r->clarification, .options = options};

	for (size_t i = 0; i < n && ask.option_count < ASK_OPTIONS_MAX; i++) {
		const char *text = json_string_value(json_array_get(r->options, i));

		if (text && *text)
			options[ask.option_count++] =
				(struct suggestion){.value = text, .label = text};
	}
	ask_clarification(t, &ask);
}

/* The catalogue's description, without the part meant for models. */
static const char *label_of(const struct nlu_reading *r, struct arena *a)
{
	const struct tool_def *tool = r->def;

	if (r->label)
		return r->label;
	return r->kind == CANDIDATE_TOOL ? arena_strndup(a, tool->about, strcspn(tool->about, ":."))
					 : ((const struct flow_def *)r->def)->about;
}

void ask_readings(struct dialog_turn *t)
{
	const struct understanding *u = &t->reading->understood;
	struct arena *a = t->core->arena;
	json_t *plans = json_own(a, json_object());
	struct suggestion *options = arena_alloc(a, (u->reading_count + 1) * sizeof(*options));
	struct turn_ask ask = {
		.options = options, .option_count = u->reading_count, .plans = plans};

	for (size_t i = 0; i < u->reading_count; i++) {
		const struct nlu_reading *r = &u->readings[i];

		options[i] = (struct suggestion){
			.value = r->args ? arena_printf(a, "tool:%s:%zu", r->name, i + 1)
					 : arena_printf(a, "%s:%s",
							r->kind == CANDIDATE_TOOL ? "tool" : "flow",
							r->name),
			.label = label_of(r, a)};
		json_object_set(plans, options[i].value,
				(json_t *)steps_from_reading(t->core, u, r));
	}
	ask_user(t,
		 u->readings[0].label ? turn_sentence(t->core, SAY_ASK_WHICH_ONE,
						      turn_sentence(t->core, SAY_UPLOAD_WHICH))
				      : turn_sentence(t->core, SAY_ASK_READINGS),
		 &ask);
}

enum ask_input ask_input_of(const json_t *ask)
{
	const char *name = ask_member(ask, "input");

	for (size_t i = 0; i < sizeof(input_names) / sizeof(input_names[0]); i++)
		if (name && strcmp(name, input_names[i]) == 0)
			return (enum ask_input)i;
	return ASK_SINGLE;
}

static struct suggestion choice_of(const json_t *choice)
{
	return (struct suggestion){.value = ask_member(choice, "value"),
				   .label = ask_member(choice, "label"),
				   .group = ask_member(choice, "group")};
}

static const struct suggestion *options_of(const struct dialog_turn *t, const json_t *pending,
					   size_t *count)
{
	const json_t *options = json_object_get(pending, "options"), *option;
	struct suggestion *list =
		arena_alloc(t->core->arena, (json_array_size(options) + 1) * sizeof(*list));
	size_t i;

	*count = 0;
	json_array_foreach((json_t *)options, i, option)
		list[(*count)++] = choice_of(option);
	return list;
}

/* For days asks for a day again; for choices repeats the original question. */
static const char *retry_text(const struct dialog_turn *t, const struct turn_ask *ask)
{
	const char *why = t->dialog->answered.rejection_reason;

	if (ask->input == ASK_DATE || ask->input == ASK_DATE_RANGE)
		return turn_sentence(t->core, SAY_ASK_WHICH_INSTEAD, why,
				     turn_sentence(t->core, ask->input == ASK_DATE_RANGE
								    ? SAY_ASK_DAYS
								    : SAY_ASK_DAY));
	return arena_printf(t->core->arena, "%s %s", why, ask->question);
}

void ask_cancel(struct dialog_turn *t)
{
	t->dialog->next_context = json_deep_copy(t->context->standing);
	json_object_del(t->dialog->next_context, "ask");
	reply_with(t, MESSAGE_COMPLETE, turn_sentence(t->core, SAY_ASK_DROPPED));
}

void ask_again(struct dialog_turn *t)
{
	const json_t *pending = json_object_get(t->context->standing, "ask");
	const char *question = ask_member(pending, "question");
	struct turn_ask ask = {
		.input = ask_input_of(pending),
		.question = question ? question : ask_member(pending, "prompt"),
		.filter = ask_member(pending, "filter"),
		.end_filter = ask_member(pending, "end_filter"),
		.min = (size_t)json_integer_value(json_object_get(pending, "min")),
		.max = (size_t)json_integer_value(json_object_get(pending, "max")),
		.min_date = ask_member(pending, "min_date"),
		.max_date = ask_member(pending, "max_date"),
		.hint = ask_member(pending, "hint"),
		.skip = choice_of(json_object_get(pending, "skip")),
		.skip_values = json_object_get(pending, "skip_values"),
		.plan = json_object_get(pending, "plan"),
		.plans = json_object_get(pending, "plans"),
	};

	ask.options = options_of(t, pending, &ask.option_count);
	ask_user(t, retry_text(t, &ask), &ask);
}
