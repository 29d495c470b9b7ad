/*
 * Applies filters sent by the client or set by the answer to a clarifying question. They replace
 * the values read from the question; each is checked against its filter's type.
 */
#include "nlu_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"

static void add_edit_issue(struct reading *r, const char *filter, const struct dimension_def *d,
			   const json_t *v, const struct name_match *m)
{
	struct issue t = {.kind = m && m->several ? ISSUE_AMBIGUOUS
				  : d             ? ISSUE_UNKNOWN_VALUE
						  : ISSUE_OUT_OF_RANGE,
			  .filter = filter,
			  .dimension = d,
			  .term = json_is_string(v) ? arena_strdup(r->arena, json_string_value(v))
						    : "this"};

	if (m) {
		t.options = m->suggestions;
		t.option_count = m->suggestion_count;
	}
	reading_add_issue(r, &t);
}

/* Reads an integer, or a string of digits. */
static bool parse_integer(const json_t *v, int64_t *out)
{
	const char *text = json_string_value(v);
	char *end;

	if (json_is_integer(v)) {
		*out = json_integer_value(v);
		return true;
	}
	if (!text || !*text || strlen(text) > 9)
		return false;
	*out = strtoll(text, &end, 10);
	return *end == '\0';
}

/* Parses "2025-03-04/2025-03-31", the form of clarification options. One side may be open. */
static bool range_parse(const char *text, struct arena *a, struct date *start, struct date *end)
{
	const char *slash = text ? strchr(text, '/') : NULL;
	const char *first = slash ? arena_strndup(a, text, (size_t)(slash - text)) : NULL;

	*start = *end = (struct date){0};
	if (!slash || (*first && !date_parse_iso(first, start)) ||
	    (slash[1] && !date_parse_iso(slash + 1, end)))
		return false;
	return *first && slash[1] ? !date_is_before(*end, *start) : *first || slash[1];
}

static bool edit_range(struct reading *r, const char *filter, const json_t *v)
{
	static const char *const filters[] = {FILTER_START, FILTER_END, FILTER_YEAR, FILTER_MONTH};
	struct date start, end;

	if (strcmp(filter, FILTER_START) != 0 ||
	    !range_parse(json_string_value(v), r->arena, &start, &end))
		return false;
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		facts_drop(&r->facts, filters[i]);
	dates_of_range(start, end, &r->time);
	reading_add_time(r);
	return true;
}

/* Reads ">60" or "60". A sign also sets whether the bound is inclusive. */
static void edit_bound(struct reading *r, const struct param_def *p, const char *text,
		       enum filter_source source)
{
	const struct param_def *incl = bound_inclusive_param(r->nlu, p, r->arena);
	bool has_sign, inclusive = true;
	const char *digits = bound_parse(text, &has_sign, &inclusive);
	struct value value;
	struct err e = {0};

	if (!param_parse(p, digits, r->arena, &value, &e)) {
		reading_add_issue(r, &(struct issue){.kind = ISSUE_OUT_OF_RANGE,
						     .filter = p->filter,
						     .param = p,
						     .term = arena_strdup(r->arena, text)});
		return;
	}
	facts_add(&r->facts, r->arena, p->filter, NULL, value, source);
	if (!has_sign || !incl)
		return;
	facts_drop(&r->facts, incl->filter);
	facts_add(&r->facts, r->arena, incl->filter, NULL, value_int(inclusive), source);
}

static void edit_value(struct reading *r, const char *filter, const struct dimension_def *d,
		       const json_t *v, enum filter_source source)
{
	struct value value = value_null();
	struct name_match m = {0};
	struct args context = {0};
	const struct param_def *p = params_first_with_filter(r->nlu, filter);
	/* for excluded values */
	const struct dimension_def *of =
		!d && p && p->entity ? catalog_dimension(r->nlu->catalog, p->entity) : NULL;
	struct err e = {0};
	struct date day;
	int64_t n;

	for (size_t i = 0; i < r->facts.count; i++)
		if (r->facts.items[i].dimension && r->facts.items[i].count == 1)
			args_set(&context, r->arena, r->facts.items[i].dimension->name,
				 r->facts.items[i].values[0]);
	if (d && json_is_string(v)) {
		if (names_resolve(r->names, d, json_string_value(v), &context, r->arena, &m))
			value = value_text(m.value);
	} else if (of && json_is_string(v)) {
		if (names_resolve(r->names, of, json_string_value(v), &context, r->arena, &m))
			value = value_text(m.value);
	} else if (p && p->slot == SLOT_ORDER && json_is_string(v)) {
		if (param_parse(p, json_string_value(v), r->arena, &value, &e))
			value.type = VALUE_TEXT;
	} else if (p && (p->slot == SLOT_ABOVE || p->slot == SLOT_BELOW) && json_is_string(v)) {
		edit_bound(r, p, json_string_value(v), source);
		return;
	} else if (p && p->type == PARAM_DECIMAL) {
		value = followup_value(r->nlu, filter, v, r->arena);
		if (value.type == VALUE_TEXT && !param_parse(p, value.text, r->arena, &value, &e))
			value = value_null();
	} else if (!d && followup_is_date(r->nlu, filter)) {
		if (json_is_string(v) && date_parse_iso(json_string_value(v), &day))
			value = value_date(arena_strdup(r->arena, json_string_value(v)));
	} else if (!d && parse_integer(v, &n)) {
		value = value_int(n);
	}
	if (value.type == VALUE_NULL)
		add_edit_issue(r, filter, d ? d : of, v, d || of ? &m : NULL);
	else
		facts_add(&r->facts, r->arena, filter, d, value, source);
}

/* Reads "min_price>60": the filter chosen for an ambiguous number, and the number. */
static void edit_named_bound(struct reading *r, const char *text, enum filter_source source)
{
	size_t n = text ? strcspn(text, "=>") : 0;
	const char *filter = n > 0 ? arena_strndup(r->arena, text, n) : NULL;
	const struct param_def *p = filter ? params_first_with_filter(r->nlu, filter) : NULL;

	if (!p || !text[n])
		return;
	facts_drop(&r->facts, p->filter);
	edit_bound(r, p, text + n, source);
}

/* Reads "ward=North": the dimension chosen for ambiguous words, and the value. */
static const struct dimension_def *parse_meaning(const struct reading *r, const char *text,
						 const json_t **value)
{
	const char *equals = text ? strchr(text, '=') : NULL;

	if (!equals)
		return NULL;
	*value = json_own(r->arena, json_str(equals + 1));
	return followup_dimension(r->nlu->catalog,
				  arena_strndup(r->arena, text, (size_t)(equals - text)));
}

bool edit_clears(const json_t *v)
{
	const char *text = json_string_value(v);

	return json_is_null(v) || (json_is_array(v) && json_array_size(v) == 0) ||
	       (text && (!*text || strcmp(text, "all") == 0));
}

/* Sets the filter of the dimension that values of d resolve to. */
static void edit_resolved(struct reading *r, const struct dimension_def *d, const json_t *v,
			  enum filter_source source)
{
	const struct dimension_def *to = catalog_dimension(r->nlu->catalog, d->resolves);
	const char *text = json_string_value(v);
	struct name_match m = {0};
	bool several;

	facts_drop(&r->facts, to->filter);
	if (edit_clears(v))
		return;
	if (!text || !names_resolve(r->names, d, text, NULL, r->arena, &m) ||
	    !facts_add_resolved(r, d, m.value,
				names_parent_of(r->names, d, m.value, NULL, &several), source))
		add_edit_issue(r, d->filter, d, v, &m);
}

/* Returns true when the tool takes days through a slot. */
static bool takes_days(const struct tool_def *t)
{
	for (size_t i = 0; i < t->param_count; i++)
		if (t->params[i].slot == SLOT_DAY || t->params[i].slot == SLOT_DAYS ||
		    t->params[i].slot == SLOT_DAYS_AHEAD)
			return true;
	return false;
}

static bool is_filter(const struct reading *r, const char *filter)
{
	bool days = strcmp(filter, FILTER_START) == 0;

	for (size_t t = 0; t < r->in->may->tool_count; t++)
		if (tool_param_of_filter(r->in->may->tools[t], filter) ||
		    (days && takes_days(r->in->may->tools[t])))
			return true;
	return false;
}

/* Drops facts that depend on an edited value and no longer match it. */
static void drop_inconsistent(struct reading *r, const struct facts *edited)
{
	for (size_t i = r->facts.count; i-- > 0;) {
		const struct fact *f = &r->facts.items[i];

		if (!facts_get(edited, f->filter) && followup_depends_on(r, edited, f))
			facts_drop(&r->facts, f->filter);
	}
}

void followup_edit(struct reading *r, const json_t *filters, enum filter_source source)
{
	const struct catalog *c = r->nlu->catalog;
	struct facts edited = {0};
	const json_t *value, *item;
	const char *name;
	size_t i;

	json_object_foreach((json_t *)filters, name, value) {
		const char *filter = followup_filter_name(r->nlu, name, r->arena);
		const struct dimension_def *d = followup_dimension(c, filter);

		if (strcmp(filter, FILTER_MEANING) == 0 &&
		    (d = parse_meaning(r, json_string_value(value), &value)))
			filter = d->filter;
		if (d && d->resolves) {
			edit_resolved(r, d, value, source);
			continue;
		}
		if (strcmp(filter, FILTER_BOUND) == 0)
			edit_named_bound(r, json_string_value(value), source);
		if (!is_filter(r, filter))
			continue;
		facts_drop(&r->facts, filter);
		if (r->issue.kind != ISSUE_NONE && r->issue.filter &&
		    strcmp(r->issue.filter, filter) == 0)
			r->issue = (struct issue){0};
		if (edit_clears(value))
			continue;
		if (!json_is_array(value) && !edit_range(r, filter, value))
			edit_value(r, filter, d, value, source);
		else
			json_array_foreach(value, i, item)
				edit_value(r, filter, d, item, source);
		if (facts_get(&r->facts, filter) && edited.count < FACTS_MAX)
			edited.items[edited.count++] = *facts_get(&r->facts, filter);
	}
	drop_inconsistent(r, &edited);
}
