/* Names and JSON form of outcomes. */
#include "vesper/outcome.h"

#include <assert.h>

#include "vesper/json.h"

const char *outcome_name(enum outcome_kind kind)
{
	static const char *const names[OUTCOME_KIND_COUNT] = {
		[OUTCOME_ROWS] = "rows",
		[OUTCOME_EMPTY] = "empty",
		[OUTCOME_NO_DATA] = "no_data",
		[OUTCOME_OUT_OF_WINDOW] = "out_of_window",
		[OUTCOME_UNKNOWN_ENTITY] = "unknown_entity",
		[OUTCOME_NOT_PERMITTED] = "not_permitted",
		[OUTCOME_TIMEOUT] = "timeout",
		[OUTCOME_ERROR] = "error",
	};
	assert(kind < OUTCOME_KIND_COUNT);
	return names[kind];
}

static json_t *suggestions_json(const struct outcome *o)
{
	json_t *list = json_array();
	for (size_t i = 0; i < o->suggestion_count; i++) {
		json_t *item = json_object();
		json_set_str(item, "value", o->suggestions[i].value);
		json_set_str(item, "label", o->suggestions[i].label);
		json_set_str(item, "group", o->suggestions[i].group);
		json_push_take(list, item);
	}
	return list;
}

bool outcome_is_usable(enum outcome_kind kind)
{
	switch (kind) {
	case OUTCOME_ROWS:
	case OUTCOME_EMPTY:
	case OUTCOME_NO_DATA:
	case OUTCOME_OUT_OF_WINDOW:
		return true;
	default:
		return false;
	}
}

json_t *outcome_json(const struct outcome *o)
{
	json_t *out = json_object();
	json_set_str(out, "kind", outcome_name(o->kind));
	json_set_bool(out, "truncated", o->truncated);
	json_set_str(out, "param", o->param);
	if (o->range_min || o->range_max) {
		json_t *range = json_object();
		json_set_str(range, "min", o->range_min);
		json_set_str(range, "max", o->range_max);
		json_set_take(out, "range", range);
	}
	json_set_str(out, "detail", o->detail);
	if (o->suggestion_count)
		json_set_take(out, "suggestions", suggestions_json(o));
	json_set_bool(out, "retryable", o->retryable);
	return out;
}
