/*
 * Builds the calls of a tool from the facts: one call per value of a single-value parameter.
 * Values have the parameter's type; contradictory combinations are skipped.
 */
#include "nlu_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/decimal.h"
#include "vesper/limits.h"

static void add_range_issue(struct reading *r, const struct param_def *p, const struct value *v)
{
	struct issue range = {.kind = ISSUE_OUT_OF_RANGE,
			      .filter = p->filter,
			      .param = p,
			      .term = value_display_text(r, v)};

	reading_add_issue(r, &range);
}

/* Parses the integer of a bound, such as "12". */
static bool is_whole(const char *digits, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(digits, &end, 10);
	return *digits && !*end && errno == 0;
}

static bool in_range(const struct param_def *p, const char *digits)
{
	struct decimal d;

	return decimal_parse(digits, &d) &&
	       (!p->has_min || decimal_cmp(d, decimal_int(p->min)) >= 0) &&
	       (!p->has_max || decimal_cmp(d, decimal_int(p->max)) <= 0);
}

/* Converts the value to the parameter's type. */
static bool convert(struct reading *r, const struct param_def *p, const struct value *v,
		    struct value *out)
{
	int64_t whole;

	*out = *v;
	switch (p->type) {
	case PARAM_INT:
		if (v->type == VALUE_DECIMAL && is_whole(v->text, &whole)) {
			*out = value_int(whole);
			v = out;
		}
		if (v->type == VALUE_INT && (!p->has_min || v->number >= p->min) &&
		    (!p->has_max || v->number <= p->max))
			return true;
		break;
	case PARAM_TEXT:
		if (v->type != VALUE_TEXT)
			*out = value_text(value_display_text(r, v));
		return true;
	case PARAM_DATE:
		if (v->type == VALUE_DATE)
			return true;
		break;
	case PARAM_DECIMAL:
		if (v->type == VALUE_INT)
			*out = value_decimal(value_display_text(r, v));
		if (out->type == VALUE_DECIMAL && in_range(p, out->text))
			return true;
		break;
	case PARAM_BOOL:
		if (v->type == VALUE_BOOL)
			return true;
		break;
	}
	add_range_issue(r, p, v);
	return false;
}

const struct fact *calls_fact(const struct reading *r, const struct fit *fit,
			      const struct param_def *p)
{
	const struct fact *f = facts_get(&r->facts, p->filter);

	if (!f || slots_is_other_form(r, f, fit->use_range))
		return NULL;
	if (f->all_values && !p->required && !p->is_list)
		return NULL;
	return f;
}

/* "Summer 26 and Q1 27": keeps only the months of the call's year. The year parameter precedes
 * the month in every tool that has both. */
static size_t keep_months(const struct reading *r, const struct fact *f, const struct args *args,
			  struct value *values)
{
	const struct arg *year = args_find(args, FILTER_YEAR);
	size_t n = 0;

	if (!r->time.months_differ || !year || strcmp(f->filter, FILTER_MONTH) != 0)
		return f->count;
	for (size_t i = 0; i < r->time.year_count; i++)
		for (size_t v = 0; v < f->count && r->time.years[i] == year->values[0].number; v++)
			if (r->time.year_months[i] & 1u << values[v].number)
				values[n++] = values[v];
	return n == 12 ? 0 : n;
}

/* "Compare NP15, SP15 and ZP26" for a tool that takes two: asks which ones. */
static void add_too_many_issue(struct reading *r, const struct candidate *c,
			       const struct param_def *p, const struct fact *f)
{
	struct suggestion *options = arena_alloc(r->arena, sizeof(*options) * f->count);

	for (size_t i = 0; i < f->count; i++) {
		const char *words = value_display_text(r, &f->values[i]);

		options[i] = (struct suggestion){.value = words, .label = words};
	}
	reading_add_issue(r, &(struct issue){.kind = ISSUE_TOO_MANY,
					     .filter = p->filter,
					     .dimension = f->dimension,
					     .param = p,
					     .tool = candidate_tool(c),
					     .options = options,
					     .option_count = f->count});
}

/* Fills the n-th combination of values for single-value parameters. */
static bool fill_call(struct reading *r, const struct fit *fit, size_t n, struct args *args)
{
	const struct candidate *c = fit->candidate;

	for (size_t i = 0; i < c->param_count; i++) {
		const struct param_def *p = &c->params[i];
		const struct fact *f = calls_fact(r, fit, p);
		struct value *values;

		if (!f)
			continue;
		if (p->is_list && f->count > p->list_max) {
			add_too_many_issue(r, c, p, f);
			return false;
		}
		values = arena_alloc(r->arena, sizeof(*values) * f->count);
		for (size_t v = 0; v < f->count; v++)
			if (!convert(r, p, &f->values[v], &values[v]))
				return false;
		if (p->is_list) {
			size_t count = keep_months(r, f, args, values);

			if (count > 0)
				args_set_list(args, r->arena, p->name, values, count);
		} else {
			args_set(args, r->arena, p->name, values[n % f->count]);
			n /= f->count;
		}
	}
	return true;
}

/* Returns false for a combination that contradicts itself: NP15 and HB_NORTH with CAISO and
 * ERCOT give two calls, not four. */
static bool call_is_consistent(const struct reading *r, const struct candidate *c,
			       const struct args *args)
{
	for (size_t i = 0; i < c->param_count; i++) {
		const struct param_def *p = &c->params[i];
		const struct dimension_def *d =
			p->entity ? catalog_dimension(r->nlu->catalog, p->entity) : NULL;
		const struct arg *child = args_find(args, p->name);
		const struct param_def *up = NULL;
		const struct arg *parent;
		const char *found;
		bool several;

		for (size_t n = 0; d && d->parent && n < c->param_count; n++)
			if (c->params[n].entity && strcmp(c->params[n].entity, d->parent) == 0)
				up = &c->params[n];
		parent = up ? args_find(args, up->name) : NULL;
		if (!child || child->is_list || !parent || parent->is_list)
			continue;
		found = names_parent_of(r->names, d, child->values[0].text, parent->values[0].text,
					&several);
		if (found && strcmp(found, parent->values[0].text) != 0)
			return false;
	}
	return true;
}

bool calls_fill(struct reading *r, const struct fit *fit, const char *agent,
		struct understanding *out)
{
	struct nlu_call *calls;
	size_t count = 1, n = out->tool_count;

	for (size_t i = 0; i < fit->candidate->param_count; i++) {
		const struct fact *f = calls_fact(r, fit, &fit->candidate->params[i]);

		if (f && !fit->candidate->params[i].is_list)
			count *= f->count;
	}
	if (count > NLU_CALLS_MAX) {
		reading_add_issue(r, &(struct issue){.kind = ISSUE_TOO_MANY,
						     .tool = candidate_tool(fit->candidate)});
		return false;
	}
	calls = arena_alloc(r->arena, sizeof(*calls) * (n + count));
	if (n > 0)
		memcpy(calls, out->tools, n * sizeof(*calls));
	for (size_t i = 0; i < count; i++) {
		calls[n] = (struct nlu_call){.kind = fit->candidate->kind,
					     .name = fit->candidate->name,
					     .tool = candidate_tool(fit->candidate),
					     .agent = agent};
		if (!fill_call(r, fit, i, &calls[n].args))
			return false;
		n += call_is_consistent(r, fit->candidate, &calls[n].args);
	}
	out->tools = calls;
	out->tool_count = n;
	return true;
}
