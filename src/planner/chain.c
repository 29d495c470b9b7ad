/*
 * Questions whose second half refers to a result of the first: "compare them, and then show the
 * hourly shape of the higher one". The tool's header (`refer`) declares which words refer to its
 * result. Both halves are read like separate questions.
 */
#include "vesper/planner.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "vesper/json.h"

#define SPLITS_MAX 6
#define FIRST_CONFIDENCE_MIN                                                                       \
	0.6 /* minimum confidence of the first half; the reference in the second supports it */
#define REFERENCE_PLACEHOLDER "the one found"

/* ---- referring words ---- */

static bool has_phrase(const char *text, const char *phrase)
{
	size_t n = strlen(phrase);

	for (const char *p = text; (p = str_find_nocase(p, phrase)); p++)
		if ((p == text || !isalnum((unsigned char)p[-1])) && !isalnum((unsigned char)p[n]))
			return true;
	return false;
}

/* In a reversed ranking the words for the top do not refer to the first row. */
static bool is_opposite_end(struct planner_turn *t, const struct nlu_call *call, const char *phrase)
{
	struct question q;
	const char *order = NULL;

	for (size_t i = 0; i < call->tool->param_count; i++)
		if (call->tool->params[i].slot == SLOT_ORDER)
			order = args_text(&call->args, call->tool->params[i].name, t->core->arena);
	if (!order)
		return false;
	text_tokenize(t->core->may.catalog->language, phrase, t->core->arena, &q);
	for (size_t i = 0; i < q.count; i++)
		if (token_in_list(&q.tokens[i],
				  strcmp(order, ORDER_ASC) == 0 ? WORDS_TOP : WORDS_BOTTOM))
			return true;
	return false;
}

static const struct refer_def *referenced_result(const struct tool_def *tool, const char *text,
						 const char **phrase)
{
	for (size_t i = 0; i < tool->words.refer_count; i++)
		for (const char *const *w = tool->words.refers[i].words; *w; w++)
			if (has_phrase(text, *w)) {
				*phrase = *w;
				return &tool->words.refers[i];
			}
	return NULL;
}

static bool has_reference(const struct planner_turn *t, const char *text)
{
	const char *phrase;

	for (size_t i = 0; i < t->core->may.tool_count; i++)
		if (referenced_result(t->core->may.tools[i], text, &phrase))
			return true;
	return false;
}

/* ---- splitting the question ---- */

static bool is_split(const char *p)
{
	return *p == ',' || *p == ';' || *p == '.' || *p == '?' ||
	       (*p == ' ' &&
		(strncasecmp(p + 1, "and ", 4) == 0 || strncasecmp(p + 1, "then ", 5) == 0));
}

/* Later positions come first: they make the first half longer. */
static size_t find_splits(const char *text, size_t splits[SPLITS_MAX])
{
	size_t n = 0;

	for (size_t i = strlen(text); i-- > 1 && n < SPLITS_MAX;)
		if (is_split(text + i))
			splits[n++] = i;
	return n;
}

/* The second half without its conjunction, as a follow-up: "and …". */
static const char *second_half(struct planner_turn *t, const char *text)
{
	while (*text && !isalnum((unsigned char)*text))
		text++;
	if (strncasecmp(text, "and ", 4) == 0)
		text += 4;
	if (strncasecmp(text, "then ", 5) == 0)
		text += 5;
	return arena_printf(t->core->arena, "and %s", text);
}

/* ---- building steps ---- */

static void understand(struct planner_turn *t, const char *question, const json_t *standing,
		       const json_t *edits, struct understanding *out)
{
	struct catalog_view tools = t->core->may;
	const struct nlu_input in = {
		.question = question,
		.tenant = t->core->who->tenant,
		.may = &tools,
		.today = t->core->today,
		.calendar = t->core->calendar,
		.session_context = standing,
		.edited_filters = edits,
		.documents = t->reading->documents,
	};

	tools.flow_count = 0; /* each half must be one call; a flow covers the whole question */
	nlu_understand(t->core->nlu, &in, t->core->arena, out);
}

/* The arguments of a complete call by filter name. */
static json_t *filters_of_call(struct planner_turn *t, const struct nlu_call *call)
{
	json_t *own = json_own(t->core->arena, json_object());

	for (size_t i = 0; i < call->args.count; i++) {
		const struct arg *arg = &call->args.items[i];

		json_set_take(own, tool_param(call->tool, arg->name)->filter, arg_json(arg));
	}
	return own;
}

static void add_step(json_t *steps, const char *id, const char *agent, const char *tool,
		     json_t *own, const char *condition)
{
	json_t *step = json_object();

	json_set_str(step, "id", id);
	json_set_str(step, "agent", agent);
	json_set_str(step, "tool", tool);
	json_object_set(step, "own", own);
	json_set_str(step, "condition", condition);
	json_push_take(steps, step);
}

/* The tool of the second half if it lacks only the value that the first half provides; or NULL. */
static const struct tool_def *second_tool(const struct understanding *u,
					  const struct tool_def *first,
					  const struct refer_def *refer)
{
	const struct tool_def *tool = u->tool_count == 1 ? u->tools[0].tool : u->ask_tool;
	bool lacks_reference =
		u->ask.text && u->ask.filter && strcmp(u->ask.filter, refer->filter) == 0;

	if (u->kind != NLU_DATA || !tool || tool == first ||
	    (u->tool_count != 1 && !lacks_reference))
		return NULL;
	return tool_param_of_filter(tool, refer->filter) ? tool : NULL;
}

/* Copies filters of the first half that the tool takes and the second half lacks. */
static void inherit_filters(json_t *own, const json_t *context, const struct tool_def *tool)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)context, name, value) {
		const struct param_def *p = tool_param_of_filter(tool, name);

		if (p && !json_object_get(own, p->filter) && !json_object_get(own, name))
			json_object_set(own, p->filter, value);
	}
}

static const struct param_def *param_of(const struct planner_turn *t, const char *filter)
{
	const struct param_def *p = NULL;

	for (size_t i = 0; i < t->core->may.tool_count && !p; i++)
		p = tool_param_of_filter(t->core->may.tools[i], filter);
	return p;
}

/* The filter derived from the placeholder, such as the market of a hub-zone; NULL: none. */
static const char *parent_filter(const struct planner_turn *t, const struct refer_def *refer)
{
	const struct param_def *p = param_of(t, refer->filter);
	const struct dimension_def *d =
		p && p->entity ? catalog_dimension(t->core->may.catalog, p->entity) : NULL;
	const struct dimension_def *parent =
		d && d->parent ? catalog_dimension(t->core->may.catalog, d->parent) : NULL;

	return parent ? parent->filter : NULL;
}

/* A value from the data, in place of the one that the first half will find. NULL: no value is
 * known. */
static const json_t *placeholder_value(struct planner_turn *t, const struct refer_def *refer)
{
	const struct param_def *p = param_of(t, refer->filter);
	struct args no_context = {0};
	struct name_match m = {0};

	if (!p || !p->entity ||
	    entity_index_resolve(nlu_names(t->core->nlu), t->core->who, p->entity,
				 REFERENCE_PLACEHOLDER, &no_context, t->core->arena, &m) ||
	    m.suggestion_count == 0)
		return NULL;
	return json_own(t->core->arena,
			json_make({refer->filter, json_str(m.suggestions[0].value)}));
}

static bool add_steps(struct planner_turn *t, const struct understanding *first,
		      const struct refer_def *refer, const char *half, struct understanding *second,
		      json_t *steps)
{
	json_t *standing = json_own(t->core->arena, nlu_session_context(first));
	const struct tool_def *tool;
	json_t *own, *inherited_filters;

	filters_drop(json_object_get(standing, "filters"), refer->filter);
	inherited_filters =
		json_own(t->core->arena, json_deep_copy(json_object_get(standing, "filters")));
	/* marks the filter as given; the value follows when the plan runs */
	json_set_str(json_object_get(standing, "filters"), refer->filter, REFERENCE_PLACEHOLDER);
	json_object_del(standing, "tools"); /* the second half uses another tool */
	json_object_del(standing, CONTEXT_QUERY);
	understand(t, half, standing, placeholder_value(t, refer), second);
	tool = second_tool(second, first->tools[0].tool, refer);
	if (!tool)
		return false;
	own = second->tool_count == 1
		      ? filters_of_call(t, &second->tools[0])
		      : json_object_get(json_own(t->core->arena, nlu_session_context(second)),
					"filters");
	if (parent_filter(t, refer))
		filters_drop(own, parent_filter(t, refer));
	inherit_filters(own, inherited_filters, tool);
	filters_drop(own, refer->filter);
	json_object_set_new(own, refer->filter,
			    ref_json(arena_printf(t->core->arena, "t1.%s", refer->path), 0));
	add_step(steps, "t1", first->tools[0].agent, first->tools[0].tool->name,
		 filters_of_call(t, &first->tools[0]), NULL);
	add_step(steps, "t2", second->agent_count > 0 ? second->agents[0] : tool->callers.agents[0],
		 tool->name, own, "t1.row_count > 0");
	return true;
}

/* The first half's filters, then those only in the second. */
static void merge_filters(struct planner_turn *t, const struct understanding *first,
			  const struct understanding *second, const struct refer_def *refer)
{
	struct filter *all = arena_alloc(
		t->core->arena, (first->filter_count + second->filter_count + 1) * sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < first->filter_count; i++)
		all[n++] = first->filters[i];
	for (size_t i = 0; i < second->filter_count; i++) {
		const char *parent = parent_filter(t, refer), *name = second->filters[i].name;
		bool is_present =
			strcmp(name, refer->filter) == 0 || (parent && strcmp(name, parent) == 0);

		for (size_t k = 0; k < n; k++)
			is_present =
				is_present || strcmp(all[k].name, second->filters[i].name) == 0;
		if (!is_present)
			all[n++] = second->filters[i];
	}
	t->reading->understood.filters = all;
	t->reading->understood.filter_count = n;
}

bool chain_understand(struct planner_turn *t, const json_t *standing, json_t **out)
{
	const char *text = t->core->request.content;
	size_t splits[SPLITS_MAX], n = find_splits(text, splits);

	for (size_t i = 0; i < n; i++) {
		const char *half = second_half(t, text + splits[i]);
		struct understanding first, second;
		const struct refer_def *refer;
		const char *phrase;
		json_t *steps = json_own(t->core->arena, json_array());

		if (!has_reference(t, half))
			continue;
		understand(t, arena_strndup(t->core->arena, text, splits[i]), standing, NULL,
			   &first);
		if (first.kind != NLU_DATA || first.tool_count != 1 ||
		    first.confidence < FIRST_CONFIDENCE_MIN)
			continue;
		refer = referenced_result(first.tools[0].tool, half, &phrase);
		if (!refer || is_opposite_end(t, &first.tools[0], phrase) ||
		    !add_steps(t, &first, refer, half, &second, steps))
			continue;
		steps_set_understanding(t, first.intent, steps);
		merge_filters(t, &first, &second, refer);
		*out = steps;
		return true;
	}
	return false;
}
