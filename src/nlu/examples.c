/*
 * Finds example questions similar to a given one, with their calls, for the supervisor's prompt.
 * They come from packs and approved answers. Each example is indexed separately, so that only the
 * examples of the caller affect the ranking.
 */
#include "nlu_int.h"

#include <string.h>

#include "vesper/find.h"
#include "vesper/flow.h"
#include "vesper/json.h"

struct examples {
	const struct example_def **items;
	const struct flow_def **flows;  /* by example; NULL: the example is from a pack */
	struct find_segment **segments; /* by example */
	size_t count;
};

static struct find_segment *segment_of(const struct nlu *k, const char *question)
{
	struct find_builder *b = find_builder_new(k->catalog->language);

	find_builder_add(b, STR(""), str_of(question));
	return find_builder_finish(&b);
}

static void add(struct examples *x, const struct nlu *k, const struct example_def *item,
		const struct flow_def *flow)
{
	x->items[x->count] = item;
	x->flows[x->count] = flow;
	x->segments[x->count++] = segment_of(k, item->question);
}

/* ---- approved answers ---- */

/* Returns the flow's only tool call. NULL: none or several calls, a repeated call, or a clarifying
 * question. */
static const struct flow_line *only_call(const struct flow_def *f)
{
	const struct flow_line *call = NULL;

	for (size_t i = 0; i < f->line_count; i++) {
		const struct flow_line *line = &f->lines[i];

		if (line->kind == FLOW_ASK ||
		    (line->kind == FLOW_DO && (call || !line->tool || line->each)))
			return NULL;
		if (line->kind == FLOW_DO)
			call = line;
	}
	return call;
}

static const struct param_def *param_of(const struct tool_def *t, const char *name)
{
	for (size_t i = 0; i < t->param_count; i++)
		if (strcmp(t->params[i].name, name) == 0)
			return &t->params[i];
	return NULL;
}

/* Returns false when a value cannot be expressed as a filter, such as a map query. Values taken
 * from the question are not in call->values. */
static bool read_filters(const struct flow_line *call, struct example_def *x, struct arena *a)
{
	size_t n = 0, max = json_object_size(call->values) + 1;
	const char **filters = arena_alloc(a, max * sizeof(*filters));
	const struct param_def **params = arena_alloc(a, max * sizeof(*params));
	const char *name;
	json_t *value;

	json_object_foreach(call->values, name, value) {
		const struct param_def *p = param_of(call->tool, name);
		const char *text = json_string_value(value);

		if (!p || p->is_query || !text)
			return false;
		params[n] = p;
		filters[n++] = arena_printf(a, "%s=%s", p->filter, text);
	}
	x->filters = filters;
	x->params = params;
	return true;
}

static void add_approved(struct examples *x, const struct nlu *k, const struct flow_def *f)
{
	const struct flow_line *call = only_call(f);

	for (size_t i = 0; call && f->examples[i]; i++) {
		struct example_def *item = arena_alloc(k->arena, sizeof(*item));

		*item = (struct example_def){
			.id = arena_printf(k->arena, "approved:%s:%zu", f->name, i + 1),
			.question = f->examples[i],
			.tool = call->tool};
		if (read_filters(call, item, k->arena))
			add(x, k, item, f);
	}
}

static bool is_approved(const struct flow_def *f)
{
	return f->own && f->approval.version > 0;
}

struct examples *examples_new(const struct nlu *k)
{
	const struct catalog *c = k->catalog;
	struct examples *x = arena_alloc(k->arena, sizeof(*x));
	size_t n = 0;

	for (size_t d = 0; d < c->domain_count; d++)
		n += c->domains[d].call_count;
	for (size_t i = 0; i < c->flow_count; i++)
		for (size_t q = 0; is_approved(&c->flows[i]) && c->flows[i].examples[q]; q++)
			n++;
	x->flows = arena_alloc(k->arena, (n + 1) * sizeof(*x->flows));
	x->items = arena_alloc(k->arena, (n + 1) * sizeof(*x->items));
	x->segments = arena_alloc(k->arena, (n + 1) * sizeof(struct find_segment *));
	for (size_t d = 0; d < c->domain_count; d++)
		for (size_t i = 0; i < c->domains[d].call_count; i++)
			add(x, k, &c->domains[d].calls[i], NULL);
	for (size_t i = 0; i < c->flow_count; i++)
		if (is_approved(&c->flows[i]))
			add_approved(x, k, &c->flows[i]);
	return x;
}

void examples_deinit(struct examples *x)
{
	for (size_t i = 0; i < x->count; i++)
		find_segment_free(&x->segments[i]);
}

static bool may_run(const struct catalog_view *may, const struct flow_def *flow)
{
	for (size_t i = 0; flow && i < may->flow_count; i++)
		if (may->flows[i] == flow)
			return true;
	return !flow;
}

static bool may_use(const struct catalog_view *may, const struct tool_def *tool)
{
	for (size_t i = 0; i < may->tool_count; i++)
		if (strcmp(may->tools[i]->name, tool->name) == 0)
			return true;
	return false;
}

/* Returns true when the caller may use the tool and read the dimension of each value of the
 * example. */
static bool may_see(const struct catalog_view *may, const struct example_def *x)
{
	for (size_t i = 0; x->filters[i]; i++) {
		const struct dimension_def *d =
			x->params[i]->entity ? catalog_dimension(may->catalog, x->params[i]->entity)
					     : NULL;

		if (d && !may->is_readable[d->index])
			return false;
	}
	return may_use(may, x->tool);
}

/* The share of the question's content words that the example contains. All words have the same
 * weight, since there may be few examples. */
static double similarity(const struct nlu *k, const char *question, const char *example,
			 struct arena *a)
{
	struct question asked, known;
	size_t all = 0, matched = 0;
	char stem[STEM_BYTES];
	struct dict words;

	text_tokenize(k->catalog->language, question, a, &asked);
	text_tokenize(k->catalog->language, example, a, &known);
	dict_init(&words, a);
	for (size_t i = 0; i < known.count; i++)
		dict_put(&words, stem, nlu_canonical_stem(k, &known.tokens[i], stem), 1);
	for (size_t i = 0; i < asked.count; i++) {
		if (nlu_is_stop_word(k, &asked.tokens[i]))
			continue;
		all++;
		matched +=
			dict_find(&words, stem, nlu_canonical_stem(k, &asked.tokens[i], stem)) >= 0;
	}
	return all > 0 ? (double)matched / (double)all : 0;
}

size_t nlu_examples(const struct nlu *k, const struct nlu_input *in, struct arena *a,
		    const struct example_def **out)
{
	const struct examples *x = k->examples;
	const struct principal no_permissions = {0};
	struct find_doc *docs = arena_alloc(a, (x->count + 1) * sizeof(*docs));
	const struct find_query q = {
		.text = in->question, .top = PROMPT_SIMILAR_MAX, .who = &no_permissions};
	struct find_results found;
	size_t seen = 0, n = 0;

	for (size_t i = 0; i < x->count; i++)
		if (may_run(in->may, x->flows[i]) && may_see(in->may, x->items[i]))
			docs[seen++] = (struct find_doc){.uid = x->items[i]->id,
							 .segment = x->segments[i]};
	if (seen == 0)
		return 0;
	find_search(&(struct find_index){k->catalog->language, docs, seen}, &q, a, &found);
	for (size_t h = 0; h < found.count; h++)
		for (size_t i = 0; i < x->count; i++)
			if (strcmp(x->items[i]->id, found.hits[h].doc->uid) == 0 &&
			    similarity(k, in->question, x->items[i]->question, a) >=
				    PROMPT_SIMILARITY_MIN)
				out[n++] = x->items[i];
	return n;
}
