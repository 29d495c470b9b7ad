/*
 * Reads answers in words: the number of an option, its value or label, several of them, or a known
 * name if there are no options. Clients express a choice in words as "Selected: X".
 */
#include "ask_int.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/words.h"

#define ANSWER_SHOWN_BYTES 80 /* of an invalid choice, repeated in the reply */
#define LABEL_BYTES_MAX    64 /* of labels compared with the answer */

/* ---- "Selected: X" ---- */

static const char *skip_spaces(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* The text after "selected" or a similar word, or NULL. */
static const char *after_selected(const struct dialog_turn *t, const char *text)
{
	const char *const *w = t->core->may.catalog->language->lists[WORDS_SELECTED];

	text = skip_spaces(text);
	for (; *w; w++) {
		size_t n = strlen(*w);

		if (strncasecmp(text, *w, n) == 0 && !isalnum((unsigned char)text[n]))
			return skip_spaces(text + n);
	}
	return NULL;
}

const char *ask_selected_value(const struct dialog_turn *t, const char *text)
{
	const char *rest = after_selected(t, text);

	return rest && *rest == ':' ? skip_spaces(rest + 1) : NULL;
}

/* ---- one choice ---- */

static const struct param_def *param_of(const struct dialog_turn *t, const char *filter)
{
	const struct param_def *p = NULL;

	for (size_t i = 0; i < t->core->may.tool_count && !p && filter; i++)
		p = tool_param_of_filter(t->core->may.tools[i], filter);
	return p;
}

/* A value of the filter, if the question has no options. */
static const char *known_value(const struct dialog_turn *t, const json_t *ask, const char *text)
{
	const struct param_def *p = param_of(t, ask_member(ask, "filter"));
	const struct args no_context = {0};
	struct name_match m = {0};
	struct err unused = {0};
	struct value v;

	if (!p || !*text)
		return NULL;
	if (p->entity)
		return entity_index_resolve(nlu_names(t->core->nlu), t->core->who, p->entity, text,
					    &no_context, t->core->arena, &m)
			       ? m.value
			       : NULL;
	return param_parse(p, text, t->core->arena, &v, &unused) ? text : NULL;
}

static const char *choice_of(const struct dialog_turn *t, const json_t *ask, const char *text)
{
	if (json_array_size(json_object_get(ask, "options")) > 0)
		return nlu_choice(t->core->nlu, text, ask, t->core->arena);
	return json_object_get(json_object_get(ask, "plan"), "flow") ? known_value(t, ask, text)
								     : NULL;
}

/* ---- several ---- */

static size_t separator_length(const struct dialog_turn *t, const char *p)
{
	const char *const *w = t->core->may.catalog->language->lists[WORDS_AND];

	if (*p == ',' || *p == ';')
		return 1;
	for (; isspace((unsigned char)*p) && *w; w++) {
		size_t n = strlen(*w);

		if (strncasecmp(p + 1, *w, n) == 0 && isspace((unsigned char)p[n + 1]))
			return n + 1;
	}
	return 0;
}

/* Splits "A, B and C" into at most LIST_ARG_MAX + 1 parts. */
static size_t split(const struct dialog_turn *t, const char *text, const char **parts)
{
	size_t count = 0, skip;

	for (const char *from = text, *p = text; count <= LIST_ARG_MAX; p++) {
		struct str part = {from, (size_t)(p - from)};

		skip = *p ? separator_length(t, p) : 0;
		if (*p && !skip)
			continue;
		part = str_trim(part);
		if (part.n > 0)
			parts[count++] = arena_strndup(t->core->arena, part.p, part.n);
		if (!*p)
			break;
		p += skip - 1;
		from = p + 1;
	}
	return count;
}

static bool has_text(const json_t *list, const char *text)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
		if (strcmp(json_string_value(item), text) == 0)
			return true;
	return false;
}

/* All choices that the text names; NULL: part of it is not a choice. */
static json_t *choices_of(struct dialog_turn *t, const json_t *ask, const char *text)
{
	const char *parts[LIST_ARG_MAX + 2], *whole = choice_of(t, ask, text);
	json_t *values = json_own(t->core->arena, json_array());
	size_t n = whole ? 0 : split(t, text, parts);

	if (whole)
		json_push_take(values, json_str(whole));
	for (size_t i = 0; i < n; i++) {
		const char *value = choice_of(t, ask, parts[i]);

		if (!value)
			return NULL;
		if (!has_text(values, value))
			json_push_take(values, json_str(value));
	}
	return json_array_size(values) > 0 ? values : NULL;
}

static const char *number(const struct dialog_turn *t, size_t n)
{
	return arena_printf(t->core->arena, "%zu", n);
}

/* NULL: this number of choices is allowed. */
static const char *count_error(const struct dialog_turn *t, const json_t *ask, size_t n)
{
	bool several = ask_input_of(ask) == ASK_MULTIPLE;
	size_t min = several ? (size_t)json_integer_value(json_object_get(ask, "min")) : 1;
	size_t max = several ? (size_t)json_integer_value(json_object_get(ask, "max")) : 1;

	if (n >= min && n <= max)
		return NULL;
	return min == max ? turn_sentence(t->core, SAY_ASK_CHOOSE, number(t, min))
			  : turn_sentence(t->core, SAY_ASK_CHOOSE_FROM_TO, number(t, min),
					  number(t, max));
}

/* ---- invalid choices ---- */

static size_t copy_lower(const char *text, char out[LABEL_BYTES_MAX])
{
	size_t n = 0;

	for (; text[n] && n < LABEL_BYTES_MAX; n++)
		out[n] = (char)tolower((unsigned char)text[n]);
	return n;
}

/* The label most similar to the text, with at most half of the text changed; or NULL. */
static const char *most_similar_label(const json_t *ask, const char *text)
{
	const json_t *options = json_object_get(ask, "options"), *option;
	char answer[LABEL_BYTES_MAX], label[LABEL_BYTES_MAX];
	size_t n = copy_lower(text, answer), i;
	int best_distance = (int)(n / 2) + 1;
	const char *found = NULL;

	json_array_foreach((json_t *)options, i, option) {
		const char *one = ask_member(option, "label");
		int distance = fuzzy_distance(answer, n, label, copy_lower(one ? one : "", label),
					      best_distance);

		if (one && distance < best_distance) {
			best_distance = distance;
			found = one;
		}
	}
	return found;
}

static const char *unknown_choice_text(const struct dialog_turn *t, const json_t *ask,
				       const char *text)
{
	const char *answer =
		arena_printf(t->core->arena, "%.*s", STR_CUT(text, ANSWER_SHOWN_BYTES));
	const char *suggested = most_similar_label(ask, text);

	if (!*text)
		return turn_sentence(t->core, SAY_ASK_NOTHING_CHOSEN);
	answer = turn_sentence(t->core, SAY_ASK_NO_OPTION, answer);
	return suggested ? arena_printf(t->core->arena, "%s%s", answer,
					turn_sentence(t->core, SAY_ASK_DID_YOU_MEAN, suggested))
			 : answer;
}

/* ---- reading the answer ---- */

static bool is_label(const json_t *choice, const char *text)
{
	const char *label = ask_member(choice, "label");

	return label && str_eq_nocase(str_trim(str_of(text)), str_of(label));
}

static void read_choices(struct dialog_turn *t, const json_t *ask, const char *text,
			 struct ask_answer *out)
{
	const json_t *values = choices_of(t, ask, text);

	if (!values)
		return;
	out->rejection_reason = count_error(t, ask, json_array_size(values));
	out->edits = ask_filter_edits(t, ask, values);
	ask_set_choice(ask, values, out);
}

bool ask_has_plan(const struct dialog_turn *t)
{
	const json_t *ask = json_object_get(t->context->standing, "ask");

	return ask && (json_object_get(ask, "plan") || json_object_get(ask, "plans") ||
		       json_object_get(t->context->standing, "plan"));
}

bool ask_read_words(struct dialog_turn *t, const json_t *ask, struct ask_answer *out)
{
	const char *text = t->core->request.content, *rest = after_selected(t, text);
	const json_t *skip = json_object_get(ask, "skip");

	if (rest)
		text = *rest == ':' ? skip_spaces(rest + 1) : rest;
	if (is_label(skip, text))
		return ask_apply_values(
			t, ask,
			json_own(t->core->arena,
				 json_list_of(json_incref(json_object_get(skip, "value")))),
			out);
	if (ask_is_date_input(ask)) {
		ask_read_days(t, ask, out);
		return true;
	}
	if (!ask_has_plan(t))
		return true;
	read_choices(t, ask, text, out);
	if (rest && !out->answers)
		out->rejection_reason = unknown_choice_text(t, ask, text);
	return true;
}

/* Returns true when a flow asked and the message is neither a client's choice nor an edit. */
static bool is_reply_to_flow(const struct dialog_turn *t, const json_t *ask)
{
	return json_object_get(json_object_get(ask, "plan"), "flow") && !t->core->request.ask_id &&
	       !t->core->request.filters;
}

/* ---- answers to several questions in one text ---- */

/* Returns true when each value is a filter of the flow and the requested one is an option. */
static bool are_flow_answers(const struct dialog_turn *t, const json_t *ask, const json_t *values)
{
	const struct flow_def *f =
		stored_flow(&(struct planner_turn){.core = t->core}, json_object_get(ask, "plan"));
	const json_t *asked = json_object_get(values, ask_member(ask, "filter"));
	const char *name;
	json_t *value;

	if (!f || !asked || json_is_array(asked) ||
	    !ask_is_option(ask, ask_value_text(asked, t->core->arena)))
		return false;
	json_object_foreach((json_t *)values, name, value)
		if (!flow_uses_filter(f, name))
			return false;
	return true;
}

bool ask_read_values(struct dialog_turn *t)
{
	const struct understanding *u = &t->reading->understood;
	const json_t *ask = json_object_get(t->context->standing, "ask"), *values;

	if (!is_reply_to_flow(t, ask) || ask_is_date_input(ask) || u->unused_count > 0 ||
	    (u->tool_count > 0 && u->confidence >= NLU_CONFIDENT && !u->is_followup))
		return false;
	values = json_own(t->core->arena, nlu_values(u));
	if (!are_flow_answers(t, ask, values))
		return false;
	t->dialog->answered = (struct ask_answer){
		.answers = true, .edits = values, .plan = json_object_get(ask, "plan")};
	return true;
}

/* ---- messages that are not an answer ---- */

/* Returns true when the message is a new question. With a usable model, any text about data is one.
 */
static bool is_new_question(const struct understanding *u, bool model_usable)
{
	if (u->kind != NLU_DATA)
		return u->kind != NLU_UNCLEAR;
	if (u->is_followup)
		return false;
	return model_usable || u->flow || (u->tool_count > 0 && u->confidence >= NLU_CONFIDENT);
}

bool ask_remains_open(struct dialog_turn *t, bool model_usable)
{
	const json_t *ask = json_object_get(t->context->standing, "ask");

	if (!is_reply_to_flow(t, ask) || is_new_question(&t->reading->understood, model_usable))
		return false;
	t->dialog->answered.rejection_reason =
		unknown_choice_text(t, ask, t->core->request.content);
	return true;
}
