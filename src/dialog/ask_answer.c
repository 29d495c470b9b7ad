/*
 * Reads answers to clarifying questions: a choice sent by the client, or text with the number of
 * an option, its value, its label, or a day. Values are checked against the question; answers are
 * never guessed.
 */
#include "ask_int.h"

#include <inttypes.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/view.h"

/* Maximum bytes of an invalid value repeated in its error. */
#define CHOICE_SHOWN_BYTES 80

/* ---- validation ---- */

const char *ask_value_text(const json_t *value, struct arena *a)
{
	if (json_is_integer(value))
		return arena_printf(a, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	if (json_is_boolean(value))
		return json_is_true(value) ? "true" : "false";
	return json_is_string(value) ? json_string_value(value) : "";
}

/* Rejects a choice. `why` is shown to the user. */
static bool reject(struct dialog_turn *t, const char *code, const char *why)
{
	t->dialog->ask_failure = (struct ask_failure){code, why};
	return false;
}

static bool is_choice(const json_t *choice, const char *text)
{
	const char *value = ask_member(choice, "value");

	return value && strcmp(value, text) == 0;
}

bool ask_is_option(const json_t *ask, const char *text)
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
	bool several = ask_input_of(ask) == ASK_MULTIPLE;
	json_int_t min = several ? json_integer_value(json_object_get(ask, "min")) : 1;
	json_int_t max = several ? json_integer_value(json_object_get(ask, "max")) : 1;
	json_int_t n = (json_int_t)json_array_size(values);
	json_t *seen = json_own(t->core->arena, json_object());
	const json_t *value;
	size_t i;

	if (n < min || n > max)
		return reject(t, "bad_frame",
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

		if (!ask_is_option(ask, text))
			return reject(t, "bad_frame",
				      arena_printf(t->core->arena,
						   "values: \"%.*s\" is not one of the choices.",
						   STR_CUT(text, CHOICE_SHOWN_BYTES)));
		if (json_object_get(seen, text))
			return reject(t, "bad_frame",
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

static const char *date_text(const struct dialog_turn *t, const char *iso)
{
	const char *words;
	struct buf b;

	buf_init(&b, 64);
	view_date(&b, t->core->may.catalog->language, iso);
	words = arena_strdup(t->core->arena, buf_text(&b));
	buf_deinit(&b);
	return words;
}

/* NULL: the days are allowed. */
static const char *outside_range_text(const struct dialog_turn *t, const json_t *ask,
				      const struct days *d)
{
	const char *min = ask_member(ask, "min_date"), *max = ask_member(ask, "max_date");
	bool before = min && strcmp(d->first, min) < 0, after = max && strcmp(d->last, max) > 0;

	if (!before && !after)
		return NULL;
	return turn_sentence(t->core, SAY_ASK_OUTSIDE, date_text(t, before ? d->first : d->last),
			     min ? date_text(t, min) : "?", max ? date_text(t, max) : "?");
}

/* Reads two days, one day, or both as "2025-03-04/2025-03-31". */
static bool read_days(struct dialog_turn *t, const json_t *ask, const json_t *values,
		      struct days *out)
{
	const char *first = ask_value_text(json_array_get(values, 0), t->core->arena), *slash,
		   *outside;
	size_t n = json_array_size(values), expected_count = ask_input_of(ask) == ASK_DATE ? 1 : 2;
	struct date a, b;
	struct days d = {first, first};

	slash = n == 1 && expected_count == 2 ? strchr(first, '/') : NULL;
	if (slash)
		d = (struct days){arena_strndup(t->core->arena, first, (size_t)(slash - first)),
				  slash + 1};
	else if (n == 2)
		d.last = ask_value_text(json_array_get(values, 1), t->core->arena);
	if ((n != expected_count && !slash) || !date_parse_iso(d.first, &a) ||
	    !date_parse_iso(d.last, &b))
		return reject(t, "bad_frame",
			      expected_count == 1
				      ? "values: must be one day, such as 2025-01-31."
				      : "values: must be two days, such as 2025-01-01 and "
					"2025-01-31.");
	if (date_to_days(b) < date_to_days(a))
		return reject(t, "bad_frame", "values: the last day is before the first.");
	outside = outside_range_text(t, ask, &d);
	if (outside)
		return reject(t, "bad_frame", arena_printf(t->core->arena, "values: %s", outside));
	*out = d;
	return true;
}

/* With a waiting plan, each parameter gets its day; otherwise code reads the question again with
 * one span of days. */
static const json_t *days_edits(struct dialog_turn *t, const json_t *ask, const struct days *d)
{
	const char *filter = ask_member(ask, "filter"), *end = ask_member(ask, "end_filter");
	json_t *edits = json_own(t->core->arena, json_object());

	if (!json_object_get(ask, "plan")) {
		json_set_str(edits, filter,
			     arena_printf(t->core->arena, "%s/%s", d->first, d->last));
		return edits;
	}
	json_set_str(edits, filter, d->first);
	if (end)
		json_set_str(edits, end, d->last);
	return edits;
}

const json_t *ask_filter_edits(struct dialog_turn *t, const json_t *ask, const json_t *values)
{
	const char *filter = ask_member(ask, "filter");
	json_t *edits;

	if (!filter)
		return NULL;
	edits = json_own(t->core->arena, json_object());
	json_object_set(edits, filter,
			json_array_size(values) == 1 ? json_array_get(values, 0)
						     : (json_t *)values);
	return edits;
}

void ask_set_choice(const json_t *ask, const json_t *values, struct ask_answer *out)
{
	const json_t *plans = json_object_get(ask, "plans");

	out->answers = true;
	out->plan = json_object_get(ask, "plan");
	if (!plans)
		return;
	out->plan = json_object_get(plans, json_string_value(json_array_get(values, 0)));
	out->edits = json_object_get(out->plan, "filters"); /* part of the original question */
}

bool ask_is_date_input(const json_t *ask)
{
	return ask_input_of(ask) == ASK_DATE || ask_input_of(ask) == ASK_DATE_RANGE;
}

/* ---- ways to answer ---- */

bool ask_apply_values(struct dialog_turn *t, const json_t *ask, const json_t *values,
		      struct ask_answer *out)
{
	bool skips = json_array_size(values) == 1 &&
		     is_choice(json_object_get(ask, "skip"),
			       ask_value_text(json_array_get(values, 0), t->core->arena));
	struct days days;

	if (ask_is_date_input(ask)) {
		if (!read_days(t, ask, values, &days))
			return false;
		out->edits = days_edits(t, ask, &days);
	} else {
		if (!skips && !check_choices(t, ask, values))
			return false;
		if (skips && json_object_get(ask, "skip_values"))
			values = json_object_get(ask, "skip_values");
		out->edits = ask_filter_edits(t, ask, values);
	}
	ask_set_choice(ask, values, out);
	return true;
}

/* The client sent no values: skips the question. */
static bool read_skip(struct dialog_turn *t, const json_t *ask, struct ask_answer *out)
{
	json_t *skip = json_object_get(json_object_get(ask, "skip"), "value");

	out->cancels = !skip;
	return !skip ||
	       ask_apply_values(t, ask, json_own(t->core->arena, json_list_of(json_incref(skip))),
				out);
}

static bool has_expired(const json_t *ask)
{
	int64_t expires_ms = json_integer_value(json_object_get(ask, "expires_ms"));

	return expires_ms && clock_now_ms() >= expires_ms;
}

static bool read_select(struct dialog_turn *t, const json_t *ask, struct ask_answer *out)
{
	const char *id = ask_member(ask, "ask_id");

	if (!id || strcmp(id, t->core->request.ask_id) != 0)
		return reject(t, "expired", turn_sentence(t->core, SAY_ASK_EARLIER));
	if (has_expired(ask))
		return reject(t, "expired", turn_sentence(t->core, SAY_ASK_EXPIRED));
	return t->core->request.values ? ask_apply_values(t, ask, t->core->request.values, out)
				       : read_skip(t, ask, out);
}

void ask_read_days(struct dialog_turn *t, const json_t *ask, struct ask_answer *out)
{
	char first[DATE_ISO_BYTES], last[DATE_ISO_BYTES];
	struct days days = {first, last};
	struct date a, b;

	if (!ask_member(ask, "filter") ||
	    !nlu_parse_days(t->core->nlu, t->core->request.content, t->core->today,
			    &t->core->calendar, t->core->arena, &a, &b))
		return;
	date_iso(a, first);
	date_iso(b, last);
	if (ask_input_of(ask) == ASK_DATE && strcmp(first, last) != 0) /* more than was asked for */
		return;
	out->answers = true;
	out->plan = json_object_get(ask, "plan");
	out->rejection_reason = outside_range_text(t, ask, &days);
	out->edits = days_edits(t, ask, &days);
}

void ask_reject_changed_plan(struct dialog_turn *t)
{
	reject(t, "expired", turn_sentence(t->core, SAY_ASK_CHANGED));
}

bool ask_read(struct dialog_turn *t)
{
	struct ask_answer *out = &t->dialog->answered;
	const json_t *ask = json_object_get(t->context->standing, "ask");

	*out = (struct ask_answer){.edits = t->core->request.filters};
	if (t->core->request.ask_id)
		return read_select(t, ask, out);
	if (!ask || has_expired(ask) || t->core->request.filters)
		return true;
	return ask_read_words(t, ask, out);
}
