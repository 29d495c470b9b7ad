/*
 * Clarifying questions. One goes out as a frame and into the session context, so that its answer
 * finds it: as a choice of the client, as the number of an option, or in words. What it allows is
 * checked here; an answer is never guessed at.
 */
#include "vesper/dialog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/view.h"

/* An ask stays answerable for a day; afterwards what it asked about is no longer what the user
 * thinks of. */
#define ASK_LIFE_MS (24 * 3600 * 1000)
/* How much of a value that is no choice its error repeats. */
#define CHOICE_SHOWN_BYTES 80

static const char *const input_names[] = {
	[ASK_SINGLE] = "single",
	[ASK_MULTIPLE] = "multiple",
	[ASK_DATE] = "date",
	[ASK_DATE_RANGE] = "date_range",
};

static const char *member(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

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

/* What the frame and the session context have in common. */
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

static json_t *standing_ask(const struct dialog_turn *t, const json_t *body, int64_t expires_ms)
{
	const struct turn_ask *ask = &t->dialog->reply.ask;
	json_t *stands = json_deep_copy(body);

	json_set_int(stands, "expires_ms", expires_ms);
	json_set_int(stands, "attempt", ask->attempt);
	json_set_str(stands, "end_filter", ask->end_filter);
	if (ask->plan)
		json_object_set(stands, "plan", (json_t *)ask->plan);
	return stands;
}

json_t *ask_open(struct dialog_turn *t)
{
	int64_t expires_ms = clock_now_ms() + ASK_LIFE_MS;
	struct uuid ask_id = uuid_new();
	char expires[CLOCK_RFC3339_BYTES];
	json_t *body = ask_json(t, ask_id.text);

	json_decref(t->dialog->next_context);
	t->dialog->next_context = dialog_standing(t);
	json_set_take(t->dialog->next_context, "ask", standing_ask(t, body, expires_ms));
	clock_rfc3339(expires_ms, expires);
	json_set_str(body, "expires_at", expires);
	if (!t->dialog->reply.ask.filter)
		json_set_str(body, "filter", "choice");
	return body;
}

/* ---- asking once more ---- */

static bool same_filter(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* How often this was asked already, one turn after the other. A question that stands on its own
 * begins anew; one that no filter answers is the model's, and counts until it finds something. */
static int attempts_before(const struct dialog_turn *t, const struct turn_ask *ask)
{
	const json_t *stands = json_object_get(t->context->standing, "ask");

	if (!stands || !same_filter(member(stands, "filter"), ask->filter))
		return 0;
	if (ask->filter && !t->dialog->answered.answers && !t->reading->understood.leans)
		return 0;
	return (int)json_integer_value(json_object_get(stands, "attempt"));
}

bool ask_prepare(struct dialog_turn *t, const char *text, const struct turn_ask *ask)
{
	int attempt = attempts_before(t, ask) + 1;

	if (attempt > ASK_ATTEMPTS_MAX)
		return false;
	t->dialog->reply = (struct turn_reply){.text = text, .status = MESSAGE_ASK, .ask = *ask};
	t->dialog->reply.ask.attempt = attempt;
	return true;
}

void ask_user(struct dialog_turn *t, const char *text, const struct turn_ask *ask)
{
	if (!ask_prepare(t, text, ask))
		suggest_end(t, turn_sentence(t->core, SAY_ASK_THREE_TIMES));
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

static enum ask_input input_of(const json_t *ask)
{
	const char *name = member(ask, "input");

	for (size_t i = 0; i < sizeof(input_names) / sizeof(input_names[0]); i++)
		if (name && strcmp(name, input_names[i]) == 0)
			return (enum ask_input)i;
	return ASK_SINGLE;
}

void ask_again(struct dialog_turn *t)
{
	const json_t *stands = json_object_get(t->context->standing, "ask");
	const json_t *skip = json_object_get(stands, "skip");
	const struct turn_ask ask = {
		.input = input_of(stands),
		.filter = member(stands, "filter"),
		.end_filter = member(stands, "end_filter"),
		.min_date = member(stands, "min_date"),
		.max_date = member(stands, "max_date"),
		.hint = member(stands, "hint"),
		.skip = {.value = member(skip, "value"), .label = member(skip, "label")},
		.plan = json_object_get(stands, "plan"),
	};

	ask_user(t,
		 turn_sentence(t->core, SAY_ASK_WHICH_INSTEAD, t->dialog->answered.outside,
			       turn_sentence(t->core, ask.input == ASK_DATE_RANGE ? SAY_ASK_DAYS
										  : SAY_ASK_DAY)),
		 &ask);
}

/* ---- is it an answer? ---- */

const char *ask_value_text(const json_t *value, struct arena *a)
{
	if (json_is_integer(value))
		return arena_printf(a, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	if (json_is_boolean(value))
		return json_is_true(value) ? "true" : "false";
	return json_is_string(value) ? json_string_value(value) : "";
}

/* A choice that is not allowed: `why` is for who made it. */
static bool refuse(struct dialog_turn *t, const char *code, const char *why)
{
	t->dialog->ask_failure = (struct ask_failure){code, why};
	return false;
}

static bool is_choice(const json_t *choice, const char *text)
{
	const char *value = member(choice, "value");

	return value && strcmp(value, text) == 0;
}

static bool is_option(const json_t *ask, const char *text)
{
	const json_t *options = json_object_get(ask, "options"), *option;
	size_t i;

	json_array_foreach((json_t *)options, i, option)
		if (is_choice(option, text))
			return true;
	return json_array_size(options) == 0;
}

static bool check_choices(struct dialog_turn *t, const json_t *ask, const json_t *values)
{
	bool several = input_of(ask) == ASK_MULTIPLE;
	json_int_t min = several ? json_integer_value(json_object_get(ask, "min")) : 1;
	json_int_t max = several ? json_integer_value(json_object_get(ask, "max")) : 1;
	json_int_t n = (json_int_t)json_array_size(values);
	json_t *seen = json_own(t->core->arena, json_object());
	const json_t *value;
	size_t i;

	if (n < min || n > max)
		return refuse(t, "bad_frame",
			      min == max
				      ? arena_printf(t->core->arena,
						     "values: choose exactly %" JSON_INTEGER_FORMAT
						     ".",
						     min)
				      : arena_printf(t->core->arena,
						     "values: choose %" JSON_INTEGER_FORMAT
						     " to %" JSON_INTEGER_FORMAT ".",
						     min, max));
	json_array_foreach((json_t *)values, i, value) {
		const char *text = ask_value_text(value, t->core->arena);

		if (!is_option(ask, text))
			return refuse(t, "bad_frame",
				      arena_printf(t->core->arena,
						   "values: \"%.*s\" is not one of the choices.",
						   STR_CUT(text, CHOICE_SHOWN_BYTES)));
		if (json_object_get(seen, text))
			return refuse(t, "bad_frame",
				      arena_printf(t->core->arena,
						   "values: \"%.*s\" was chosen twice.",
						   STR_CUT(text, CHOICE_SHOWN_BYTES)));
		json_set_bool(seen, text, true);
	}
	return true;
}

/* ---- days ---- */

struct days {
	const char *first, *last;
};

static const char *day_words(const struct dialog_turn *t, const char *iso)
{
	const char *words;
	struct buf b;

	buf_init(&b, 64);
	view_date(&b, t->core->may.catalog->language, iso);
	words = arena_strdup(t->core->arena, buf_text(&b));
	buf_deinit(&b);
	return words;
}

/* NULL: they may be chosen. */
static const char *days_outside(const struct dialog_turn *t, const json_t *ask,
				const struct days *d)
{
	const char *min = member(ask, "min_date"), *max = member(ask, "max_date");
	bool before = min && strcmp(d->first, min) < 0, after = max && strcmp(d->last, max) > 0;

	if (!before && !after)
		return NULL;
	return turn_sentence(t->core, SAY_ASK_OUTSIDE, day_words(t, before ? d->first : d->last),
			     min ? day_words(t, min) : "?", max ? day_words(t, max) : "?");
}

/* Two days, one, or both as "2025-03-04/2025-03-31". */
static bool read_days(struct dialog_turn *t, const json_t *ask, const json_t *values,
		      struct days *out)
{
	const char *first = ask_value_text(json_array_get(values, 0), t->core->arena), *slash,
		   *outside;
	size_t n = json_array_size(values), want = input_of(ask) == ASK_DATE ? 1 : 2;
	struct date a, b;
	struct days d = {first, first};

	slash = n == 1 && want == 2 ? strchr(first, '/') : NULL;
	if (slash)
		d = (struct days){arena_strndup(t->core->arena, first, (size_t)(slash - first)),
				  slash + 1};
	else if (n == 2)
		d.last = ask_value_text(json_array_get(values, 1), t->core->arena);
	if ((n != want && !slash) || !date_parse_iso(d.first, &a) || !date_parse_iso(d.last, &b))
		return refuse(t, "bad_frame",
			      want == 1 ? "values: must be one day, such as 2025-01-31."
					: "values: must be two days, such as 2025-01-01 and "
					  "2025-01-31.");
	if (date_to_days(b) < date_to_days(a))
		return refuse(t, "bad_frame", "values: the last day is before the first.");
	outside = days_outside(t, ask, &d);
	if (outside)
		return refuse(t, "bad_frame", arena_printf(t->core->arena, "values: %s", outside));
	*out = d;
	return true;
}

/* Where a plan waits, each parameter has its own; else code reads the question again, with a span
 * of days in one. */
static const json_t *days_edits(struct dialog_turn *t, const json_t *ask, const struct days *d)
{
	const char *filter = member(ask, "filter"), *end = member(ask, "end_filter");
	json_t *edits = json_own(t->core->arena, json_object());

	if (!json_object_get(ask, "plan")) {
		json_set_str(edits, filter,
			     arena_printf(t->core->arena, "%s/%s", d->first, d->last));
		return edits;
	}
	json_set_str(edits, filter, d->first);
	json_set_str(edits, end, d->last);
	return edits;
}

/* The values of an answer stand for the filter that was asked about. A question without a filter is
 * answered in words: NULL. */
static const json_t *choice_edits(struct dialog_turn *t, const json_t *ask, const json_t *values)
{
	const char *filter = member(ask, "filter");
	json_t *edits;

	if (!filter)
		return NULL;
	edits = json_own(t->core->arena, json_object());
	json_object_set(edits, filter,
			json_array_size(values) == 1 ? json_array_get(values, 0)
						     : (json_t *)values);
	return edits;
}

static bool is_days(const json_t *ask)
{
	return input_of(ask) == ASK_DATE || input_of(ask) == ASK_DATE_RANGE;
}

/* ---- the ways to answer ---- */

static bool read_values(struct dialog_turn *t, const json_t *ask, const json_t *values,
			struct ask_answer *out)
{
	bool skips = json_array_size(values) == 1 &&
		     is_choice(json_object_get(ask, "skip"),
			       ask_value_text(json_array_get(values, 0), t->core->arena));
	struct days days;

	if (is_days(ask)) {
		if (!read_days(t, ask, values, &days))
			return false;
		out->edits = days_edits(t, ask, &days);
	} else {
		if (!skips && !check_choices(t, ask, values))
			return false;
		out->edits = choice_edits(t, ask, values);
	}
	out->answers = true;
	out->plan = json_object_get(ask, "plan");
	return true;
}

static bool read_select(struct dialog_turn *t, const json_t *ask, struct ask_answer *out)
{
	const char *id = member(ask, "ask_id");
	int64_t expires_ms = json_integer_value(json_object_get(ask, "expires_ms"));

	if (!id || strcmp(id, t->core->request.ask_id) != 0)
		return refuse(t, "expired", turn_sentence(t->core, SAY_ASK_EARLIER));
	if (expires_ms && clock_now_ms() >= expires_ms)
		return refuse(t, "expired", turn_sentence(t->core, SAY_ASK_EXPIRED));
	return read_values(t, ask, t->core->request.values, out);
}

/* A day that was typed. */
static void read_typed_days(struct dialog_turn *t, const json_t *ask, struct ask_answer *out)
{
	char first[DATE_ISO_BYTES], last[DATE_ISO_BYTES];
	struct days days = {first, last};
	struct date a, b;

	if (!member(ask, "filter") ||
	    !know_days(t->core->know, t->core->request.content, t->core->today, &t->core->calendar,
		       t->core->arena, &a, &b))
		return;
	date_iso(a, first);
	date_iso(b, last);
	out->answers = true;
	out->plan = json_object_get(ask, "plan");
	out->outside = days_outside(t, ask, &days);
	out->edits = days_edits(t, ask, &days);
}

static bool is_label(const json_t *choice, const char *text)
{
	const char *label = member(choice, "label");

	return label && str_eq_nocase(str_trim(str_of(text)), str_of(label));
}

/* Words that are one of the choices. Where no plan waits for them, reading the question finds out.
 */
static bool read_words(struct dialog_turn *t, const json_t *ask, struct ask_answer *out)
{
	const json_t *skip = json_object_get(ask, "skip");
	const char *choice;

	if (is_label(skip, t->core->request.content))
		return read_values(
			t, ask,
			json_own(t->core->arena,
				 json_list_of(json_incref(json_object_get(skip, "value")))),
			out);
	if (is_days(ask)) {
		read_typed_days(t, ask, out);
		return true;
	}
	if (!json_object_get(ask, "plan") && !json_object_get(t->context->standing, "plan"))
		return true;
	choice = know_choice(t->core->know, t->core->request.content, ask, t->core->arena);
	if (!choice)
		return true;
	out->answers = true;
	out->plan = json_object_get(ask, "plan");
	out->edits = choice_edits(t, ask, json_own(t->core->arena, json_list_of(json_str(choice))));
	return true;
}

bool ask_read(struct dialog_turn *t)
{
	struct ask_answer *out = &t->dialog->answered;
	const json_t *ask = json_object_get(t->context->standing, "ask");

	*out = (struct ask_answer){.edits = t->core->request.filters};
	if (t->core->request.ask_id)
		return read_select(t, ask, out);
	if (!ask || t->core->request.filters)
		return true;
	return read_words(t, ask, out);
}
