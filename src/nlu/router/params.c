/* Maps filters to parameters of tools by number. Every question is checked against all tools, and
 * comparing names would dominate the cost. */
#include "nlu_int.h"

#include <string.h>

static const char *const fixed_filters[] = {
	[NUMBER_YEAR] = FILTER_YEAR,
	[NUMBER_MONTH] = FILTER_MONTH,
	[NUMBER_START] = FILTER_START,
	[NUMBER_END] = FILTER_END,
};

static void assign_number(struct nlu *k, const char *filter)
{
	if (dict_find(&k->filters, filter, strlen(filter)) < 0)
		dict_put(&k->filters, filter, strlen(filter), (int)k->filters.count);
}

static int filter_number_of(const struct nlu *k, const char *filter)
{
	return dict_find(&k->filters, filter, strlen(filter));
}

const struct tool_params *params_numbers(const struct nlu *k, const struct param_def *params,
					 size_t count, struct arena *a)
{
	struct tool_params *out = arena_alloc(a, sizeof(*out));
	int *filters = arena_alloc(a, (count + 1) * sizeof(*filters));
	const struct param_def **takes =
		arena_alloc(a, k->filters.count * sizeof(struct param_def *));

	for (size_t i = 0; i < count; i++)
		filters[i] = filter_number_of(k, params[i].filter);
	for (size_t i = 0; i < k->filters.count; i++)
		takes[i] = params_of_filter(params, count, k->filter_names[i]);
	*out = (struct tool_params){filters, takes};
	return out;
}

static bool takes_amount(const struct param_def *p)
{
	return p->unit && p->slot == SLOT_NONE;
}

static void index_names(struct nlu *k)
{
	const struct catalog *c = k->catalog;
	const struct param_def **named =
		arena_alloc(k->arena, k->filters.count * sizeof(struct param_def *));
	const struct unit_def **units;
	size_t count = 0, n = 0;

	for (size_t t = 0; t < c->tool_count; t++)
		for (size_t i = 0; i < c->tools[t].param_count; i++) {
			const struct param_def *p = &c->tools[t].params[i];
			int number = filter_number_of(k, p->filter);

			named[number] = named[number] ? named[number] : p;
			count += takes_amount(p);
		}
	units = arena_alloc(k->arena, (count + 1) * sizeof(struct unit_def *));
	for (size_t t = 0; t < c->tool_count; t++)
		for (size_t i = 0; i < c->tools[t].param_count; i++)
			if (takes_amount(&c->tools[t].params[i]))
				units[n++] = c->tools[t].params[i].unit;
	k->filter_params = named;
	k->amount_units = units;
}

const struct param_def *params_first_with_filter(const struct nlu *k, const char *filter)
{
	int number = filter_number_of(k, filter);

	return number < 0 ? NULL : k->filter_params[number];
}

void params_index(struct nlu *k)
{
	const struct catalog *c = k->catalog;
	const char **names;

	dict_init(&k->filters, k->arena);
	for (size_t i = 0; i < NUMBER_COUNT; i++)
		assign_number(k, fixed_filters[i]);
	for (size_t t = 0; t < c->tool_count; t++)
		for (size_t i = 0; i < c->tools[t].param_count; i++)
			assign_number(k, c->tools[t].params[i].filter);
	names = arena_alloc(k->arena, k->filters.count * sizeof(*names));
	for (size_t i = 0; i < NUMBER_COUNT; i++)
		names[i] = fixed_filters[i];
	for (size_t t = 0; t < c->tool_count; t++)
		for (size_t i = 0; i < c->tools[t].param_count; i++)
			names[filter_number_of(k, c->tools[t].params[i].filter)] =
				c->tools[t].params[i].filter;
	k->filter_names = names;
	index_names(k);
	k->params = arena_alloc(k->arena, (c->tool_count + 1) * sizeof(*k->params));
	for (size_t t = 0; t < c->tool_count; t++)
		k->params[t] =
			params_numbers(k, c->tools[t].params, c->tools[t].param_count, k->arena);
}

void params_number_facts(const struct reading *r, struct numbered_facts *out)
{
	const struct nlu *k = r->nlu;

	out->facts = arena_alloc(r->arena, k->filters.count * sizeof(struct fact *));
	for (size_t i = 0; i < r->facts.count; i++) {
		out->numbers[i] = filter_number_of(k, r->facts.items[i].filter);
		if (out->numbers[i] >= 0)
			out->facts[out->numbers[i]] = &r->facts.items[i];
	}
}

const struct param_def *params_for_fact(const struct reading *r, const struct numbered_facts *n,
					const struct candidate *c, size_t fact)
{
	if (n->numbers[fact] < 0) /* it may be the plural of a numbered filter */
		return candidate_param(c, r->facts.items[fact].filter);
	return c->numbers->by_filter[n->numbers[fact]];
}
