/*
 * Builds the clarifying question that ended a plan, as its flow defines it: choices from the
 * plan's results, days relative to today, an option to skip.
 */
#include "ask_int.h"

#include <string.h>

#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/ref.h"

/* State of building one question. */
struct ask_builder {
	const struct plan *plan;
	struct ref_scope scope;
	struct date today;
	const struct language *language;
	struct arena *arena;
	struct turn_ask *ask;
};

/* ---- choices ---- */

static const struct table *find_column_table(const struct ask_builder *k,
					     const struct flow_options *o, const char *column,
					     int *at)
{
	struct err unused = {0};
	struct ref_target p;
	struct ref r;

	if (!ref_parse(arena_printf(k->arena, "%s.%s[*].%s", o->task, o->table, column), &r,
		       &unused) ||
	    !ref_find(&k->scope, &r, &p, &unused))
		return NULL;
	*at = p.column;
	return p.table;
}

static bool has_value(const struct suggestion *options, size_t n, const char *value)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(options[i].value, value) == 0)
			return true;
	return false;
}

/* Adds each value once. With too many values there are no options, and the user types one. */
static void add_options(const struct ask_builder *k, const struct flow_options *o)
{
	struct suggestion *options =
		arena_alloc(k->arena, sizeof(*options) * ASK_RESULT_OPTIONS_MAX);
	int value, label, group = -1;
	const struct table *table = find_column_table(k, o, o->value, &value);
	size_t n = 0;

	if (!table || !find_column_table(k, o, o->label, &label) ||
	    (o->group && !find_column_table(k, o, o->group, &group)))
		return;
	for (size_t i = 0; i < table->row_count; i++) {
		const char *const *row = (const char *const *)table->rows[i];

		if (!row[value] || has_value(options, n, row[value]))
			continue;
		if (n == ASK_RESULT_OPTIONS_MAX)
			return;
		options[n++] = (struct suggestion){
			.value = row[value],
			.label = row[label] ? row[label] : row[value],
			.group = group >= 0 ? row[group] : NULL,
		};
	}
	k->ask->options = options;
	k->ask->option_count = n;
}

/* ---- skipping ---- */

static const char *join_values(const struct ask_builder *k, const json_t *values)
{
	const char *text = "";
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)values, i, item)
		text = arena_printf(k->arena, "%s%s%s", text, i ? ", " : "",
				    json_string_value(item));
	return text;
}

/* At most `max` values; the hint shows how many of all were kept. */
static const json_t *limit_values(const struct ask_builder *k, const json_t *values, size_t max)
{
	json_t *first = json_own(k->arena, json_array());
	size_t n = json_array_size(values);
	const char *note;

	if (n <= max)
		return values;
	for (size_t i = 0; i < max; i++)
		json_array_append(first, json_array_get(values, i));
	note = sentence(k->language, SAY_ASK_SKIP_FIRST, k->arena, k->ask->skip.label,
			arena_printf(k->arena, "%zu", max), arena_printf(k->arena, "%zu", n));
	k->ask->hint = k->ask->hint ? arena_printf(k->arena, "%s. %s", k->ask->hint, note) : note;
	return first;
}

/* Converts a day such as today-7d to a date; other values stay unchanged. */
static const char *day_of(const struct ask_builder *k, const char *text)
{
	char iso[DATE_ISO_BYTES];
	struct date day;

	if (!text || !date_parse_value(text, k->today, &day))
		return text;
	date_iso(day, iso);
	return arena_strdup(k->arena, iso);
}

static void add_skip(const struct ask_builder *k, const struct flow_line *l)
{
	json_t *args =
		json_own(k->arena, json_make({"skip", json_incref((json_t *)l->skip_value)}));
	struct err unused = {0};
	const json_t *filled, *value;
	size_t omitted_count = 0;

	if (!ref_fill(&k->scope, args, k->arena, &filled, &omitted_count, &unused))
		return;
	value = json_object_get(filled, "skip");
	if (!value)
		return;
	k->ask->skip.label = l->skip;
	if (!json_is_array(value)) {
		k->ask->skip.value = day_of(k, json_string_value(value));
		return;
	}
	if (l->input == ASK_MULTIPLE)
		value = limit_values(k, value, l->max);
	k->ask->skip.value = join_values(k, value);
	k->ask->skip_values = value;
}

/* ---- building the question ---- */

/* The filter of the last day that belongs to the first day's filter. */
static const char *end_filter(const struct plan *p, const char *filter)
{
	for (size_t i = 0; i < p->flow->line_count; i++) {
		const struct param_def *first = flow_answer_param(&p->flow->lines[i], filter);
		const struct param_def *last =
			first ? flow_last_day(p->flow->lines[i].tool, first) : NULL;

		if (last)
			return last->filter;
	}
	return NULL;
}

void ask_from_plan(const struct plan *p, struct date today, const struct language *language,
		   struct arena *a, struct turn_ask *out)
{
	const struct flow_line *l = p->open->ask;
	const struct ask_builder k = {p, plan_results(p, a), today, language, a, out};

	*out = (struct turn_ask){
		.input = l->input,
		.question = l->text,
		.filter = l->filter,
		.end_filter = l->input == ASK_DATE_RANGE ? end_filter(p, l->filter) : NULL,
		.min = l->min,
		.max = l->max,
		.min_date = day_of(&k, l->first),
		.max_date = day_of(&k, l->last),
		.hint = l->hint,
	};
	if (l->options)
		add_options(&k, l->options);
	if (l->skip)
		add_skip(&k, l);
}

void ask_plan_question(struct dialog_turn *t, const struct plan *p)
{
	struct turn_ask ask;

	ask_from_plan(p, t->core->today, t->core->may.catalog->language, t->core->arena, &ask);
	ask.plan = t->work->spec;
	ask_user(t, ask.question, &ask);
}
