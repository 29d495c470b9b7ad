/*
 * The question-dependent part of the supervisor's prompt: candidate tools, and the known values of
 * parameters that code could not read. It is in the newest message, so that the system prompt stays
 * cacheable.
 */
#include "answer_int.h"

#include <string.h>

#include "vesper/limits.h"

#define SLICE_BYTES_MAX 65536

/* The subject of a description is before the colon ("Seasonal shape: average price month by month,
 * …"). */
static void add_about(struct buf *b, const struct tool_def *tool, bool whole)
{
	size_t n = strlen(tool->about), subject = strcspn(tool->about, ":");

	buf_add(b, tool->about, whole ? n : subject);
	buf_str(b, whole || subject == n ? "" : ".");
}

static void add_tool(struct buf *b, const struct tool_def *tool, bool whole)
{
	buf_printf(b, "- %s: ", tool->name);
	add_about(b, tool, whole);
	buf_str(b, " Filters:");
	for (size_t p = 0; p < tool->param_count; p++)
		buf_printf(b, "%s %s%s", p ? "," : "", tool->params[p].filter,
			   tool->params[p].required ? "" : "?");
	for (size_t r = 0; r < tool->words.refer_count && whole; r++)
		buf_printf(b, "%s %s as %s (%s)", r ? "," : " Gives", tool->words.refers[r].filter,
			   tool->words.refers[r].path, tool->words.refers[r].words[0]);
	buf_char(b, '\n');
}

static bool is_parameter(const struct tool_def *const *tools, size_t count, const char *filter)
{
	for (size_t i = 0; i < count; i++)
		if (tool_param_of_filter(tools[i], filter))
			return true;
	return false;
}

/* Lists enough values to show their spelling. For an unknown value, the user is asked anyway. */
static void add_values(struct buf *b, const struct dimension_def *d)
{
	size_t n = 0;

	buf_printf(b, "- %s:", d->filter);
	for (; d->values[n] && n < PROMPT_VALUES_MAX; n++)
		buf_printf(b, "%s %s", n ? "," : "", d->values[n]);
	buf_str(b, d->values[n] ? ", …\n" : "\n");
}

/* Lists the outputs that a later step may use. */
static void add_outputs(struct buf *b, const struct tool_def *tool)
{
	buf_str(b, tool->column_count ? "  Columns:" : "");
	for (size_t i = 0; i < tool->column_count; i++)
		buf_printf(b, "%s %s", i ? "," : "", tool->columns[i].name);
	buf_str(b, tool->fact_count ? "  Facts:" : "");
	for (size_t i = 0; i < tool->fact_count; i++)
		buf_printf(b, "%s %s", i ? "," : "", tool->facts[i].name);
	buf_char(b, '\n');
}

static bool is_tool_of_agents(const char *const *agents, size_t count, const struct answer_turn *t,
			      const struct tool_def *tool)
{
	const char *agent = catalog_agent_in(&t->core->may, tool);

	for (size_t i = 0; i < count && agent; i++)
		if (strcmp(agents[i], agent) == 0)
			return true;
	return false;
}

static struct nlu_input input_of(const struct answer_turn *t)
{
	return (struct nlu_input){.question = t->core->request.content,
				  .tenant = t->core->who->tenant,
				  .may = &t->core->may,
				  .today = t->core->today,
				  .calendar = t->core->calendar,
				  .session_context = t->context->standing};
}

const char *slice_of_domains(const struct answer_turn *t)
{
	const struct catalog_view *may = &t->core->may;
	const char *agents[PLANNER_DOMAINS_MAX], *text;
	const struct tool_def *const *tools;
	const struct nlu_input in = input_of(t);
	size_t count = nlu_slice(t->core->nlu, &in, t->core->arena, &tools), n = 0;
	struct buf b;

	buf_init(&b, SLICE_BYTES_MAX);
	for (size_t i = 0; i < count && n < PLANNER_DOMAINS_MAX; i++) {
		const char *agent = catalog_agent_in(may, tools[i]);

		if (!agent || is_tool_of_agents(agents, n, t, tools[i]))
			continue;
		buf_printf(&b, "Agent %s\n", agent);
		agents[n++] = agent;
	}
	for (size_t i = 0; i < may->tool_count; i++)
		if (is_tool_of_agents(agents, n, t, may->tools[i]) &&
		    catalog_allows(may, may->tools[i], NULL)) {
			add_tool(&b, may->tools[i], true);
			add_outputs(&b, may->tools[i]);
		}
	text = arena_strdup(t->core->arena, buf_text(&b));
	buf_deinit(&b);
	return text;
}

const char *slice_text(const struct answer_turn *t)
{
	const struct turn_core *core = t->core;
	const struct catalog *c = core->may.catalog;
	const struct nlu_input in = input_of(t);
	const struct tool_def *const *tools;
	size_t count = nlu_slice(core->nlu, &in, core->arena, &tools);
	const char *text, *lead = "Known values\n";
	struct buf b;

	buf_init(&b, SLICE_BYTES_MAX);
	buf_str(&b, count ? "Tools that may be meant\n" : "");
	for (size_t i = 0; i < count; i++)
		add_tool(&b, tools[i], i < PROMPT_FULL_TOOLS_MAX);
	for (size_t i = 0; i < c->dimension_count; i++) {
		const struct dimension_def *d = &c->dimensions[i];

		if (!d->values || !d->values[0] || !is_parameter(tools, count, d->filter) ||
		    json_object_get(t->reading->known, d->filter))
			continue;
		buf_str(&b, lead);
		lead = "";
		add_values(&b, d);
	}
	text = arena_strdup(core->arena, buf_text(&b));
	buf_deinit(&b);
	return text;
}

/* ---- examples ---- */

static void write_entry(struct json_out *j, const char *name, const char *value)
{
	jo_object(j);
	jo_set_str(j, name, value);
	jo_object_end(j);
}

/* The reply that would make this call, in the format that the prompt requires. */
static void add_example(struct buf *b, const struct example_def *x)
{
	struct json_out j;

	buf_str(b, "- ");
	jo_init(&j, b);
	jo_str(&j, str_of(x->question));
	buf_str(b, " ");
	jo_init(&j, b);
	jo_object(&j);
	jo_key(&j, "do");
	jo_array(&j);
	write_entry(&j, "Run", x->tool->name);
	for (size_t i = 0; x->filters[i]; i++)
		write_entry(&j, "Set", x->filters[i]);
	jo_array_end(&j);
	jo_object_end(&j);
	buf_char(b, '\n');
}

const char *slice_examples(struct answer_turn *t)
{
	struct turn_answer *answer = t->answer;
	const struct nlu_input in = input_of(t);
	const char *text;
	struct buf b;

	answer->like_count = nlu_examples(t->core->nlu, &in, t->core->arena, answer->like);
	buf_init(&b, SLICE_BYTES_MAX);
	buf_str(&b, answer->like_count ? "Questions like it, with all that was to be said of each\n"
				       : "");
	for (size_t i = 0; i < answer->like_count; i++)
		add_example(&b, answer->like[i]);
	text = arena_strdup(t->core->arena, buf_text(&b));
	buf_deinit(&b);
	return text;
}
