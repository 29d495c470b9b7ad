/*
 * The prompt and tools of an agent's model. Rules, domain and tools depend only on the catalogue
 * and the caller's permissions, so they are the same for all users of a role and can be cached.
 * The question follows them.
 */
#include "agent_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/metric.h"
#include "vesper/prompt.h"
#include "vesper/tokens.h"

/* The domain's tools in order, then tools for agents only, limited to the caller's permissions. */
static void prepare_tools(struct agent *a, const struct domain_def *d)
{
	const struct catalog_view *may = a->request.may;
	size_t tool_max =
		d->tool_count + may->agent_tool_count + AGENT_MAP_TOOLS + AGENT_SCREEN_TOOLS;
	size_t n = 0;
	struct llm_tool *tools = arena_alloc(a->arena, tool_max * sizeof(*tools));

	a->defs = arena_alloc(a->arena, tool_max * sizeof(*a->defs));
	for (size_t i = 0; i < d->tool_count; i++)
		if (catalog_allows(may, d->tools[i], a->request.agent) &&
		    agent_protocol_allows(a, d->tools[i]))
			a->defs[n++] = d->tools[i];
	for (size_t i = 0; i < may->agent_tool_count; i++)
		if (catalog_agent_for(may->catalog, may->agent_tools[i], a->request.who,
				      a->request.agent) &&
		    agent_protocol_allows(a, may->agent_tools[i]))
			a->defs[n++] = may->agent_tools[i];
	for (size_t i = 0; i < n; i++)
		tools[i] = (struct llm_tool){
			a->defs[i]->name,
			a->protocol ? a->defs[i]->about
				    : tool_about(a->tools, a->defs[i], a->request.who, a->arena),
			a->defs[i]->schema};
	n += agent_map_tools(a, &tools[n]);
	n += agent_screen_tools(a, &tools[n]);
	a->ask.tools = tools;
	a->ask.tool_count = n;
}

static void prepare_system(struct agent *a, const struct domain_def *d)
{
	struct llm_block *system = arena_alloc(a->arena, 2 * sizeof(*system));
	const char *rules = agent_protocol_text(a);

	if (!rules)
		rules = prompt_fill(a->request.may->catalog, "agent", NULL, 0, a->arena);

	system[0] = (struct llm_block){.kind = LLM_TEXT, .text = rules};
	system[1] = (struct llm_block){.kind = LLM_TEXT, .text = d->prompt, .cache = true};
	a->ask.system = system;
	a->ask.system_count = 2;
}

static bool contains_text(const struct result *r)
{
	for (size_t i = 0; i < r->table_count; i++)
		for (size_t c = 0; c < r->tables[i]->column_count; c++)
			if (r->tables[i]->columns[c].type == COLUMN_TEXT)
				return true;
	return false;
}

void agent_add_result(struct agent *a, const struct result *r)
{
	prompt_budget_result(a->budget, r, PROMPT_BUDGET_NUMBERS,
			     contains_text(r) ? 0 : AGENT_ROWS_MAX);
}

static void prepare_question(struct agent *a)
{
	const struct ref_scope *s = &a->request.earlier;
	const struct agent_request *r = &a->request;
	char today[DATE_ISO_BYTES];

	date_iso(r->today, today);
	a->question_prefix = arena_printf(a->arena, "Today is %s.\n%s%s", today,
					  r->context ? r->context : "", r->context ? "\n" : "");
	prompt_budget_reserve(a->budget,
			      tokens_estimate(a->question_prefix, strlen(a->question_prefix)) +
				      tokens_estimate(r->question, strlen(r->question)));
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->sources[i].count; k++)
			agent_add_result(a, s->sources[i].results[k]);
	a->question.kind = LLM_TEXT;
	a->messages[0] = (struct llm_message){LLM_USER, &a->question, 1};
	a->ask.messages = a->messages;
	a->ask.message_count = 1;
	agent_fit(a);
}

/* The question, after the results of earlier steps. */
static const char *question_text(struct agent *a)
{
	const struct ref_scope *s = &a->request.earlier;
	const char *text = a->question_prefix;

	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->sources[i].count; k++)
			text = arena_printf(
				a->arena, "%sFound before, as %s:\n%s\n", text, s->sources[i].id,
				prompt_budget_result_text(a->budget, s->sources[i].results[k]));
	return arena_printf(a->arena, "%sQuestion: %s", text, a->request.question);
}

void agent_fit(struct agent *a)
{
	prompt_budget_fit(a->budget);
	a->question.text = question_text(a);
	for (size_t i = 0; i < a->result_block_count; i++)
		a->result_blocks[i].block->text =
			prompt_budget_result_text(a->budget, a->result_blocks[i].result);
	if (prompt_budget_omitted_count(a->budget) > 0)
		metric_add(&llm_prompts_truncated, NULL, 1);
}

static const char *user_hash(struct agent *a)
{
	const char *who =
		arena_printf(a->arena, "%s\x1f%s", a->request.who->tenant, a->request.who->user);
	char hash[HASH_HEX_BYTES];

	hash_sha256_hex(who, strlen(who), hash);
	return arena_strndup(a->arena, hash, 32);
}

void agent_prepare(struct agent *a)
{
	const struct domain_def *d =
		catalog_domain_of_agent(a->request.may->catalog, a->request.agent);

	assert(d); /* checked when the plan was made */
	a->budget = prompt_budget_new(a->arena, a->request.prompt_tokens ? a->request.prompt_tokens
									 : PROMPT_TOKENS);
	a->ask = (struct llm_call){
		.role = LLM_AGENT,
		.deadline_ms = a->request.deadline_ms,
		.user_hash = user_hash(a),
		.budget_owner = a->request.budget_owner,
		.trail = a->request.trail,
		.turn_id = a->request.turn_id,
	};
	agent_protocol_begin(a, d);
	prepare_tools(a, d);
	prepare_system(a, d);
	prepare_question(a);
}

const struct tool_def *agent_tool_find(const struct agent *a, const char *name)
{
	for (size_t i = 0; i < a->ask.tool_count; i++)
		if (a->defs[i] && strcmp(a->defs[i]->name, name) == 0)
			return a->defs[i];
	return NULL;
}

struct ref_scope agent_results(const struct agent *a)
{
	const struct ref_scope *earlier = &a->request.earlier;
	size_t count = earlier->count + a->out.result_count;
	struct ref_source *sources = arena_alloc(a->arena, (count + 1) * sizeof(*sources));

	for (size_t i = 0; i < earlier->count; i++)
		sources[i] = earlier->sources[i];
	for (size_t i = 0; i < a->out.result_count; i++)
		sources[earlier->count + i] =
			(struct ref_source){a->out.results[i]->call, &a->out.results[i], 1};
	return (struct ref_scope){sources, count};
}

const json_t *agent_args(struct agent *a, const json_t *input, const char **problem)
{
	struct ref_scope all = agent_results(a);
	struct err e = {0};
	const json_t *args;
	size_t omitted_count;

	if (!ref_fill(&all, input, a->arena, &args, &omitted_count, &e))
		*problem = arena_strdup(a->arena, e.text);
	else if (omitted_count > 0)
		*problem = arena_printf(a->arena, "a reference gives more than %d values",
					LIST_ARG_MAX);
	else
		return args;
	return NULL;
}
