/* The two steps of an agent: call the model, and run the tools it requests. Each starts its
 * operations on the first run and reads their results on the next. */
#include <assert.h>
#include <string.h>

#include "agent_int.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/metric.h"
#include "vesper/tokens.h"

static const struct metric rejected_calls = {
	.name = "vesper_agent_bad_calls_total",
	.help = "Tool calls of agents that could not be read or were not allowed.",
};

/* ---- ASK_MODEL ---- */

static void on_answer(void *owner, const struct llm_answer *answer, bool shown, const struct err *e)
{
	struct agent *a = owner;

	(void)shown; /* agent text is not streamed */
	a->op_model = NULL;
	a->answer = *answer;
	a->out.model = arena_strdup(a->arena, answer->model);
	a->out.provider = arena_strdup(a->arena, answer->provider);
	llm_usage_add(&a->out.usage, &answer->usage);
	a->round += (int)answer->usage.continued;
	if (e)
		a->err = *e;
	a->pending--;
	agent_run(a);
}

static void ask_start(struct agent *a)
{
	static const struct llm_handler handler = {.on_end = on_answer};

	a->round++;
	a->out.model_calls++;
	a->ask.tools_forbidden = a->round >= a->round_max;
	a->pending++;
	a->op_model = llm_start(a->llm, &a->ask, a->arena, &handler, a);
}

static size_t count_calls(const struct llm_answer *answer)
{
	size_t n = 0;

	for (size_t i = 0; i < answer->count; i++)
		n += answer->blocks[i].kind == LLM_TOOL_USE;
	return n;
}

static void message_add(struct agent *a, enum llm_speaker speaker, const struct llm_block *blocks,
			size_t count)
{
	assert(a->ask.message_count < sizeof(a->messages) / sizeof(a->messages[0]));
	a->messages[a->ask.message_count++] = (struct llm_message){speaker, blocks, count};
}

/* Deducts the model's own output from the token budget. */
static void reserve_output_tokens(struct agent *a)
{
	for (size_t i = 0; i < a->answer.count; i++) {
		const struct llm_block *b = &a->answer.blocks[i];
		char *input = b->input ? json_text(b->input) : NULL;

		if (b->text)
			prompt_budget_reserve(a->budget, tokens_estimate(b->text, strlen(b->text)));
		if (input)
			prompt_budget_reserve(a->budget, tokens_estimate(input, strlen(input)));
		mem_free(input);
	}
}

static enum agent_state ask_model(struct agent *a)
{
	if (!a->started) {
		a->started = true;
		ask_start(a);
		return AGENT_WAIT;
	}
	if (a->err.code == ERR_NONE && a->answer.stop == LLM_STOP_REFUSAL)
		err_set(&a->err, ERR_UPSTREAM, "the model declined to continue");
	a->out.stopped = a->ask.tools_forbidden && count_calls(&a->answer) > 0;
	if (a->err.code != ERR_NONE || a->ask.tools_forbidden || count_calls(&a->answer) == 0)
		return AGENT_DONE;
	message_add(a, LLM_ASSISTANT, a->answer.blocks, a->answer.count);
	reserve_output_tokens(a);
	return AGENT_RUN_TOOLS;
}

/* ---- RUN_TOOLS ---- */

static void on_tool(void *owner, struct result *r)
{
	struct agent_call *c = owner;
	struct agent *a = c->agent;

	c->op = NULL;
	c->result = r;
	agent_tool_ended(a->request.sink, a->request.may->catalog->language,
			 catalog_tool(a->request.may->catalog, r->tool), r, a->request.task);
	a->pending--;
	agent_run(a);
}

static const char *input_error_of(struct agent *a, const struct llm_block *use)
{
	const char *problem = agent_protocol_refusal(a, use->name);

	if (problem)
		return problem;

	if (agent_is_ask(a, use->name)) {
		/* a valid question would have ended the loop */
		(void)agent_ask_read(a, use->input, &problem);
		return problem;
	}
	if (!use->input)
		return "The arguments are not a JSON object. Call again with valid arguments.";
	return NULL;
}

/* The remaining time of the turn if shorter than the statement timeout; 0: use the default. */
static int64_t timeout_of(const struct agent *a)
{
	int64_t remaining_ms = a->request.deadline_ms - clock_mono_ms();

	if (!a->request.deadline_ms || remaining_ms >= DB_QUERY_TIMEOUT_MS)
		return 0;
	return remaining_ms > 1 ? remaining_ms : 1;
}

static void on_tool_used(void *owner, const struct llm_usage *usage)
{
	struct agent *a = owner;

	llm_usage_add(&a->out.usage, usage);
	a->out.model_calls++;
}

static void call_start(struct agent *a, struct agent_call *c, const struct llm_block *use)
{
	const struct tool_def *tool = agent_tool_find(a, use->name);
	struct tool_request request = {
		.turn_id = a->request.turn_id,
		.agent = a->request.agent,
		.tool = use->name,
		.who = a->request.who,
		.today = a->request.today,
		.timeout_ms = timeout_of(a),
		.model = {.llm = a->llm,
			  .budget_owner = a->request.budget_owner,
			  .trail = a->request.trail,
			  .deadline_ms = a->request.deadline_ms,
			  .used = on_tool_used,
			  .owner = a},
	};

	*c = (struct agent_call){.agent = a, .use = use};
	if (agent_is_show(use->name)) {
		c->problem = agent_show_read(a, use->input);
		c->reply = c->problem ? NULL : "The component is shown.";
		return;
	}
	c->problem = input_error_of(a, use);
	if (!c->problem)
		c->reply = agent_map_describe(a, use, &c->problem);
	if (c->reply)
		return;
	if (!c->problem && !tool)
		c->problem = "You have no tool with this name.";
	if (!c->problem)
		request.args = agent_args(a, use->input, &c->problem);
	if (c->problem) {
		metric_add(&rejected_calls, NULL, 1);
		return;
	}
	request.call = arena_printf(a->arena, "c%d", (*a->request.next_call)++);
	agent_tool_started(a->request.sink, a->request.may->catalog->language,
			   &(struct agent_step){.id = request.call,
						.agent = a->request.agent,
						.parent = a->request.task,
						.args = request.args},
			   tool);
	a->pending++;
	c->op = tool_start(a->tools, &request, a->arena, on_tool, c);
}

/* A clarifying question ends the loop, regardless of other calls. */
static bool find_question(struct agent *a)
{
	for (size_t i = 0; i < a->answer.count; i++) {
		const struct llm_block *b = &a->answer.blocks[i];

		const char *problem = NULL;

		if (b->kind == LLM_TOOL_USE && agent_is_ask(a, b->name))
			a->out.ask = agent_ask_read(a, b->input, &problem);
		if (a->out.ask)
			return true;
	}
	return false;
}

static void calls_start(struct agent *a)
{
	a->call_count = 0;
	for (size_t i = 0; i < a->answer.count && a->call_count < AGENT_TOOL_CALLS_MAX; i++)
		if (a->answer.blocks[i].kind == LLM_TOOL_USE)
			call_start(a, &a->calls[a->call_count++], &a->answer.blocks[i]);
}

static void result_store(struct agent *a, struct result *r)
{
	if (a->out.result_count == a->result_cap) {
		size_t cap = a->result_cap ? 2 * a->result_cap : AGENT_TOOL_CALLS_MAX;
		struct result **grown = arena_alloc(a->arena, cap * sizeof(struct result *));

		for (size_t i = 0; i < a->out.result_count; i++)
			grown[i] = a->out.results[i];
		a->out.results = grown;
		a->result_cap = cap;
	}
	a->out.results[a->out.result_count++] = r;
}

static void result_append(struct agent *a, const struct result *r, struct llm_block *block)
{
	a->result_blocks = arena_grow(a->arena, a->result_blocks, a->result_block_count,
				      &a->result_block_cap, sizeof(*a->result_blocks));
	a->result_blocks[a->result_block_count++] = (struct agent_result_block){r, block};
	agent_add_result(a, r);
}

static bool is_failure(const struct result *r)
{
	return r->outcome.kind == OUTCOME_ERROR || r->outcome.kind == OUTCOME_TIMEOUT ||
	       r->outcome.kind == OUTCOME_NOT_PERMITTED;
}

static struct llm_block result_block_of(struct agent *a, const struct agent_call *c,
					const struct llm_block *use)
{
	struct llm_block b = {.kind = LLM_TOOL_RESULT, .id = use->id, .is_error = true};

	if (!c)
		b.text = "Too many calls at once. This one was not run.";
	else if (c->problem)
		b.text = c->problem;
	else if (c->reply) {
		b.text = c->reply;
		b.is_error = false;
	} else {
		b.text = ""; /* filled by agent_fit */
		b.is_error = is_failure(c->result);
		result_store(a, c->result);
	}
	return b;
}

/* Answers all calls in one message and marks the last block, so that the next round reads
 * everything from the cache. */
static void calls_answer(struct agent *a)
{
	struct llm_block *blocks = arena_alloc(a->arena, a->answer.count * sizeof(*blocks));
	size_t n = 0;

	for (size_t i = 0; i < a->answer.count; i++) {
		const struct llm_block *use = &a->answer.blocks[i];

		if (use->kind != LLM_TOOL_USE)
			continue;
		blocks[n] = result_block_of(a, n < a->call_count ? &a->calls[n] : NULL, use);
		if (n < a->call_count && a->calls[n].result)
			result_append(a, a->calls[n].result, &blocks[n]);
		n++;
	}
	agent_protocol_advance(a);
	agent_fit(a);
	blocks[n - 1].cache = true;
	message_add(a, LLM_USER, blocks, n);
}

static enum agent_state run_tools(struct agent *a)
{
	if (!a->started) {
		a->started = true;
		if (find_question(a))
			return AGENT_DONE;
		calls_start(a);
		if (a->pending)
			return AGENT_WAIT;
	}
	calls_answer(a);
	if (!arena_over(a->arena))
		return AGENT_ASK_MODEL;
	err_set(&a->err, ERR_LIMIT, "the results exceed the memory limit of the turn");
	return AGENT_DONE;
}

#define TO(s) (1u << AGENT_##s)

const struct agent_row agent_rows[AGENT_STATE_COUNT] = {
	/* step, permitted next states */
	[AGENT_ASK_MODEL] = {ask_model, TO(RUN_TOOLS) | TO(DONE)},
	[AGENT_RUN_TOOLS] = {run_tools, TO(ASK_MODEL) | TO(DONE)},
	[AGENT_DONE] = {NULL, 0},
};
