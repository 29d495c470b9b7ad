/* Views without a table: an empty result, or an error with its cause. Codes are for programs,
 * sentences and suggestions for users. */
#include <assert.h>
#include <string.h>

#include "vesper/codes.h"
#include "view_int.h"
#include "vesper/json.h"

#define WORDS_BYTES_MAX 8192

static json_t *view_new(const char *type, const char *view_id, const char *text)
{
	json_t *view = json_object();

	json_set_str(view, "view_type", type);
	json_set_str(view, "view_id", view_id);
	json_set_str(view, "text", text);
	return view;
}

static void set_details(json_t *view, const struct view_error *e, json_t *take)
{
	json_set_bool(take, "recoverable", code_view_is_recoverable(e->code));
	json_set_take(view, "error_details", take);
}

json_t *view_error(const struct view_error *e, const char *view_id)
{
	json_t *view = view_new("error", view_id, e->text);
	json_t *suggestions = json_array();

	for (const char *const *s = e->suggestions; s && *s; s++)
		json_push_take(suggestions, json_str(*s));
	json_set_str(view, "error_code", e->code);
	set_details(view, e, e->details ? json_copy(e->details) : json_object());
	json_set_take(view, "suggestions", suggestions);
	return view;
}

/* ---- results without rows ---- */

static const char *code_of(const struct outcome *o)
{
	if (o->code)
		return o->code;
	switch (o->kind) {
	case OUTCOME_NOT_PERMITTED:
		return "NOT_PERMITTED";
	case OUTCOME_UNKNOWN_ENTITY:
		return "INPUT_VALIDATION_FAILED";
	case OUTCOME_ERROR: /* an invalid argument: no query was sent */
		return o->param ? "INPUT_VALIDATION_FAILED" : "SQL_EXECUTION_FAILED";
	default:
		return "SQL_EXECUTION_FAILED";
	}
}

static bool is_failure(enum outcome_kind kind)
{
	return kind == OUTCOME_UNKNOWN_ENTITY || kind == OUTCOME_NOT_PERMITTED ||
	       kind == OUTCOME_TIMEOUT || kind == OUTCOME_ERROR;
}

static const char *advice_text(const struct result *r)
{
	const struct outcome *o = &r->outcome;

	if (o->kind == OUTCOME_NOT_PERMITTED)
		return language_text(r->language, SAY_ADVICE_NOT_PERMITTED);
	if (o->kind == OUTCOME_TIMEOUT)
		return language_text(r->language, SAY_ADVICE_TIMEOUT);
	return o->retryable ? language_text(r->language, SAY_ADVICE_AGAIN) : NULL;
}

static json_t *suggestions_json(const struct result *r)
{
	const char *advice = advice_text(r);
	json_t *list = json_array();

	for (size_t i = 0; i < r->outcome.suggestion_count; i++)
		json_push_take(list, json_str(r->outcome.suggestions[i].label));
	if (advice)
		json_push_take(list, json_str(advice));
	return list;
}

json_t *view_outcome(const struct result *r, const char *view_id)
{
	const struct outcome *o = &r->outcome;
	struct buf words;
	json_t *view;

	if (o->kind == OUTCOME_ROWS)
		return NULL;
	buf_init(&words, WORDS_BYTES_MAX);
	view_outcome_text(&words, r);
	if (is_failure(o->kind)) {
		const struct view_error e = {.code = code_of(o), .text = buf_text(&words)};

		view = view_error(&e, view_id);
		set_details(view, &e, outcome_json(o));
		json_set_take(view, "suggestions", suggestions_json(r));
	} else {
		view = view_new("base", view_id, buf_text(&words));
	}
	json_set_take(view, "source", view_source(r));
	buf_deinit(&words);
	return view;
}
