/*
 * Turns facts into arguments. Each parameter takes the fact of its filter. Missing, contradictory
 * or unusable facts lead to a clarifying question.
 */
#include "nlu_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"

/* ---- fit ---- */

static bool is_range_filter(const char *filter)
{
	return strcmp(filter, FILTER_START) == 0 || strcmp(filter, FILTER_END) == 0;
}

static bool is_calendar_filter(const char *filter)
{
	return strcmp(filter, FILTER_YEAR) == 0 || strcmp(filter, FILTER_MONTH) == 0;
}

/* Returns true when the tool takes the time as days rather than as year and months. Facts may hold
 * both forms. */
static bool wants_range(const struct reading *r, const struct numbered_facts *n,
			const struct candidate *c)
{
	const struct tool_params *params = c->numbers;

	if ((!n->facts[NUMBER_START] && !n->facts[NUMBER_END]) || !params->by_filter[NUMBER_START])
		return false;
	if (r->time.range_only || (!n->facts[NUMBER_YEAR] && !n->facts[NUMBER_MONTH]))
		return true;
	return (n->facts[NUMBER_YEAR] && !params->by_filter[NUMBER_YEAR]) ||
	       (n->facts[NUMBER_MONTH] && !params->by_filter[NUMBER_MONTH]);
}

bool slots_is_other_form(const struct reading *r, const struct fact *f, bool use_range)
{
	if (is_range_filter(f->filter))
		return !use_range && !r->time.range_only;
	return use_range && is_calendar_filter(f->filter);
}

/* Returns true for a filter of a day range. It does not raise a tool's score; words decide between
 * tools. */
static bool is_range_number(int number)
{
	return number == NUMBER_START || number == NUMBER_END;
}

static bool is_other_time_form(const struct reading *r, int number, bool use_range)
{
	if (is_range_number(number))
		return !use_range && !r->time.range_only;
	return use_range && (number == NUMBER_YEAR || number == NUMBER_MONTH);
}

/* Returns true when a list parameter has only one name. */
static bool is_single_name(const struct param_def *p, const struct fact *f)
{
	return p->is_list && p->entity && f->count == 1 && !p->accepts_single;
}

/* Returns true when one name may be expanded to all values: it was not derived from another fact,
 * and the list can contain all values. Otherwise the other names to compare are unknown. */
static bool may_stand_for_all(const struct param_def *p, const struct fact *f)
{
	size_t n = 0;

	while (f->dimension && f->dimension->values && f->dimension->values[n])
		n++;
	return n > 0 && n <= p->list_max && !f->implied;
}

/* Returns true when the list requires more names and they cannot be derived. */
static bool lacks_names(const struct param_def *p, const struct fact *f)
{
	return f && p->slot != SLOT_NOT && is_single_name(p, f) && p->list_min > 1 &&
	       !may_stand_for_all(p, f);
}

static void fit_fact(const struct reading *r, const struct numbered_facts *n, size_t fact,
		     struct fit *out, size_t *explicit_count)
{
	const struct router_weights *w = &r->nlu->catalog->router;
	const struct fact *f = &r->facts.items[fact];
	const struct param_def *p = params_for_fact(r, n, out->candidate, fact);
	double worth;

	if (is_other_time_form(r, n->numbers[fact], out->use_range) || f->implied ||
	    f->source == SOURCE_DEFAULT || (f->all_values && p && !p->required))
		return;
	if (f->source != SOURCE_CARRIED)
		(*explicit_count)++;
	if (is_range_number(n->numbers[fact]))
		return;
	if (!p || (p->is_list && f->count > p->list_max)) {
		if (!p && f->source == SOURCE_CARRIED)
			return;
		if (!p && f->has_tool_words_only) {
			if (!r->scope.weak[f->dimension->index])
				out->facts += w->fact.not_taken * (1 - w->fact.soft);
			return;
		}
		out->unsupported++;
		out->facts += w->fact.not_taken;
		return;
	}
	worth = p->required ? w->fact.required : w->fact.optional;
	if (f->has_tool_words_only)
		worth *= w->fact.soft;
	if (f->count > 1 && !p->is_list) {
		out->calls *= f->count;
		worth /= 2;
	}
	if (is_single_name(p, f)) {
		out->single_name_list = true;
		worth /= 3;
	} else if (p->is_list && f->count > 1) {
		worth = w->fact.required;
	}
	out->facts += f->source == SOURCE_CARRIED ? 0 : worth;
}

/* Returns true when the question has the plural of a dimension loaded from the data: "which
 * projects". */
static bool asks_plural(const struct reading *r, const struct dimension_def *d)
{
	char stem[STEM_BYTES];

	for (size_t i = 0; names_loaded(r->names, d) && i < r->q.count; i++) {
		const struct token *t = &r->q.tokens[i];

		if (!t->used && word_stem(t->text, t->len, stem) + 1 == t->len &&
		    strcmp(stem, d->label) == 0)
			return true;
	}
	return false;
}

/* Returns true when all values are requested. "All projects" does not fit a tool that takes one
 * project. */
static bool asks_all_of(const struct reading *r, const struct param_def *p)
{
	const struct dimension_def *d =
		p->entity ? catalog_dimension(r->nlu->catalog, p->entity) : NULL;

	if (d && asks_plural(r, d))
		return true;
	for (size_t i = 0; p->entity && i < r->all_count; i++)
		if (strcmp(r->all_values_of[i]->name, p->entity) == 0)
			return true;
	return false;
}

/* Returns true when the question has a name that matches several values, and the tool does not take
 * such a name. */
static bool lacks_ambiguous_name(const struct reading *r, const struct candidate *c)
{
	return r->issue.kind == ISSUE_AMBIGUOUS && r->issue.dimension &&
	       !candidate_param(c, r->issue.filter);
}

void slots_fit(const struct reading *r, const struct numbered_facts *n, const struct candidate *c,
	       struct fit *out)
{
	const int *filters = c->numbers->filter_numbers;
	size_t explicit_count = 0;

	*out = (struct fit){.candidate = c, .calls = 1};
	if (c->kind == CANDIDATE_DOCUMENTS) { /* it takes the whole question */
		out->facts =
			lacks_ambiguous_name(r, c) ? r->nlu->catalog->router.fact.not_taken : 0;
		return;
	}
	out->use_range = wants_range(r, n, c);
	for (size_t i = 0; i < r->facts.count; i++)
		if (!n->tool_words_name_tool || !r->facts.items[i].has_tool_words_only)
			fit_fact(r, n, i, out, &explicit_count);
	if (lacks_ambiguous_name(r, c)) {
		explicit_count++;
		out->facts += r->nlu->catalog->router.fact.not_taken;
	}
	constraints_fit(r, out, &explicit_count);
	if (explicit_count > 0)
		out->facts /= (double)explicit_count;
	for (size_t i = 0; i < c->param_count; i++) {
		const struct param_def *p = &c->params[i];
		/* a flow's query may take a filter that no tool has */
		const struct fact *f =
			filters[i] >= 0 ? n->facts[filters[i]] : facts_get(&r->facts, p->filter);

		out->other_list = out->other_list || (out->calls > 1 && p->is_list && p->entity &&
						      p->slot == SLOT_NONE && (!f || f->count < 2));

		/* a flow lacks nothing: a pack's flow asks for the value, an approved answer
		 * already has it */
		if (c->kind != CANDIDATE_FLOW && p->required && !p->default_text &&
		    (!f || lacks_names(p, f)) && !constraints_fill_param(r, out, p))
			out->missing++;
		if (p->required && !p->is_list && !f && asks_all_of(r, p))
			out->unsupported++;
	}
}

/* ---- issues of one tool ---- */

static void add_missing_issue(struct reading *r, const struct candidate *of,
			      const struct param_def *p)
{
	const struct catalog *c = r->nlu->catalog;
	const struct dimension_def *d = p->entity ? catalog_dimension(c, p->entity) : NULL;
	const struct dimension_def *up = d && d->parent ? catalog_dimension(c, d->parent) : NULL;
	const struct fact *parent = up ? facts_get(&r->facts, up->filter) : NULL;
	struct issue missing = {.kind = ISSUE_MISSING,
				.filter = p->filter,
				.dimension = d,
				.param = p,
				.tool = candidate_tool(of)};

	if (d)
		missing.option_count = names_list_options(
			r->names, d, parent && parent->count == 1 ? parent->values[0].text : NULL,
			r->arena, &missing.options);
	if (d && parent && missing.option_count == 0) {
		missing.kind = ISSUE_NO_CHILDREN;
		missing.term = parent->values[0].text;
		missing.option_count =
			names_list_options(r->names, d, NULL, r->arena, &missing.options);
	}
	reading_add_issue(r, &missing);
}

/* Returns true when the given parent has no values below it, such as a market without hub-zones. */
static bool has_childless_parent(const struct reading *r, const struct param_def *p)
{
	const struct catalog *c = r->nlu->catalog;
	const struct dimension_def *d = p->entity ? catalog_dimension(c, p->entity) : NULL;
	const struct dimension_def *up = d && d->parent ? catalog_dimension(c, d->parent) : NULL;
	const struct fact *parent = up ? facts_get(&r->facts, up->filter) : NULL;
	const struct suggestion *options;

	return parent && parent->count == 1 && parent->source != SOURCE_CARRIED &&
	       names_list_options(r->names, d, NULL, r->arena, &options) > 0 &&
	       names_list_options(r->names, d, parent->values[0].text, r->arena, &options) == 0;
}

/* Returns true when the tool can filter by the parent instead: "any files for PJM". */
static bool takes_parent(const struct reading *r, const struct candidate *c,
			 const struct param_def *p)
{
	const struct dimension_def *d = catalog_dimension(r->nlu->catalog, p->entity);
	const struct dimension_def *up = catalog_dimension(r->nlu->catalog, d->parent);
	const struct param_def *parent = candidate_param(c, up->filter);

	return parent && !parent->required;
}

/* ---- filters ---- */

static void add_filter(struct reading *r, struct filter *filters, size_t *n, const struct fact *f)
{
	const struct param_def *p = params_first_with_filter(r->nlu, f->filter);
	bool left_out = p && p->slot == SLOT_NOT;
	bool bound = p && (p->slot == SLOT_ABOVE || p->slot == SLOT_BELOW);

	filters[(*n)++] = (struct filter){
		.name = f->count > 1 && !left_out ? filter_plural(f->filter, r->arena) : f->filter,
		.is_list = f->count > 1 || left_out,
		.values = f->values,
		.count = f->count,
		.source = f->source,
		.label = bound ? bound_label(r, p, f) : NULL,
		.resolved_from = f->resolved_from,
		.hidden = p && p->bound_of,
	};
}

void slots_filters(struct reading *r, bool days, struct understanding *out)
{
	struct filter *filters = arena_alloc(r->arena, sizeof(*filters) * (FACTS_MAX + 1));
	size_t n = 0;

	for (size_t i = 0; i < r->facts.count; i++)
		if (params_first_with_filter(r->nlu, r->facts.items[i].filter) &&
		    (days || !is_range_filter(r->facts.items[i].filter)))
			add_filter(r, filters, &n, &r->facts.items[i]);
	out->filters = filters;
	out->filter_count = n;
}

static void add_default(struct reading *r, const struct param_def *p)
{
	const struct dimension_def *d =
		p->entity ? catalog_dimension(r->nlu->catalog, p->entity) : NULL;
	struct err e = {0};
	struct value v;

	if (param_default(p, r->in->today, r->arena, &v, &e)) /* checked by the loader */
		facts_add(&r->facts, r->arena, p->filter, d, v, SOURCE_DEFAULT);
}

static void complete_list(struct reading *r, struct fact *f, const struct param_def *p)
{
	const struct dimension_def *d = f->dimension;

	if (!is_single_name(p, f) || !may_stand_for_all(p, f))
		return;
	for (size_t i = 0; d->values[i]; i++)
		facts_add(&r->facts, r->arena, f->filter, d, value_text(d->values[i]), f->source);
}

static void report_unsupported_filter(struct reading *r, const struct fit *fit)
{
	const bool today = time_is_tool_today(r, candidate_tool(fit->candidate));

	for (size_t i = 0; i < r->facts.count; i++) {
		const struct fact *f = &r->facts.items[i];

		if (f->implied || f->all_values || f->has_tool_words_only ||
		    f->source == SOURCE_CARRIED || f->source == SOURCE_DEFAULT ||
		    slots_is_other_form(r, f, fit->use_range) ||
		    candidate_param(fit->candidate, f->filter) ||
		    (today && is_range_filter(f->filter)))
			continue;
		reading_add_issue(r, &(struct issue){.kind = ISSUE_UNSUPPORTED_FILTER,
						     .filter = f->filter,
						     .dimension = f->dimension,
						     .tool = candidate_tool(fit->candidate),
						     .term = value_display_text(r, &f->values[0])});
		return;
	}
}

/* Several periods with gaps do not form a range. */
static void report_periods_with_gap(struct reading *r, const struct fit *fit)
{
	const struct parsed_time *t = &r->time;
	struct suggestion *options = arena_alloc(r->arena, sizeof(*options) * YEARS_MAX * 6);
	size_t n = 0;

	if (!fit->use_range || !t->has_gap)
		return;
	for (size_t i = 0; i < t->year_count; i++)
		for (int m = 1, first = 0; m <= 12; m++) {
			bool in = t->year_months[i] & 1u << m;

			if (in && !first)
				first = m;
			if (first && (m == 12 || !(t->year_months[i] & 1u << (m + 1)))) {
				options[n++] = reading_range_option(
					r, (struct date){t->years[i], first, 1},
					month_end(t->years[i], m));
				first = 0;
			}
		}
	reading_add_issue(r, &(struct issue){.kind = ISSUE_SEVERAL_PERIODS,
					     .filter = FILTER_START,
					     .tool = candidate_tool(fit->candidate),
					     .options = options,
					     .option_count = n});
}

bool slots_fill(struct reading *r, const struct fit *fit, const char *agent,
		struct understanding *out)
{
	const struct candidate *c = fit->candidate;
	struct filter *filters = arena_alloc(r->arena, sizeof(*filters) * (c->param_count + 1));
	size_t n = 0;

	constraints_fill(r, fit);
	sources_fill(r, c);
	for (size_t i = 0; i < c->param_count; i++) {
		const struct param_def *p = &c->params[i];

		if (p->default_text && !facts_get(&r->facts, p->filter))
			add_default(r, p);
	}
	report_unsupported_filter(r, fit);
	report_periods_with_gap(r, fit);
	for (size_t i = 0; i < c->param_count; i++)
		if (lacks_names(&c->params[i], facts_get(&r->facts, c->params[i].filter)) ||
		    (!facts_get(&r->facts, c->params[i].filter) &&
		     (c->params[i].required || (has_childless_parent(r, &c->params[i]) &&
						!takes_parent(r, c, &c->params[i])))))
			add_missing_issue(r, c, &c->params[i]);
	for (size_t i = 0; r->issue.kind == ISSUE_NONE && i < c->param_count; i++) {
		struct fact *f = facts_find(&r->facts, c->params[i].filter);

		if (f)
			complete_list(r, f, &c->params[i]);
	}
	if (r->issue.kind != ISSUE_NONE || !calls_fill(r, fit, agent, out))
		return false;
	for (size_t i = 0; i < c->param_count; i++) {
		const struct fact *f = calls_fact(r, fit, &c->params[i]);

		if (f)
			add_filter(r, filters, &n, f);
	}
	if (out->filter_count == 0) {
		out->filters = filters;
		out->filter_count = n;
	}
	return true;
}
