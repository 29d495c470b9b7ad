/*
 * The agent's two tools for the user's screen: a clarifying question and a component. The model
 * names results and columns, and code fills in the values, so that no text or number of the data
 * passes through the model.
 */
#include "agent_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/component.h"
#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/utf8.h"

#define ASK_USER       "ask_user"
#define SHOW_COMPONENT "show_component"

static const char ask_about[] =
	"Asks the user one question back. Only when a needed filter is missing; call it alone. "
	"Choices that a result holds are named by reference, never written.";
#define REF(about)  "{\"type\":\"object\",\"description\":\"" about "\"}"
#define TEXT(about) "{\"type\":\"string\",\"description\":\"" about "\"}"
/* clang-format off */
static const char ask_schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"question\":" TEXT("One short question") ","
	"\"input\":{\"type\":\"string\","
		"\"enum\":[\"single\",\"multiple\",\"date\",\"date_range\"]},"
	"\"filter\":" TEXT("The filter that the answer is a value of, as an argument of a tool is called") ","
	"\"from\":" REF("The column whose values are the choices: {$ref: c1.rows[*].Column}") ","
	"\"labels\":" REF("The column of the same result that words them") ","
	"\"groups\":" REF("The column of the same result that they are grouped by") ","
	"\"options\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":"
		"\"The choices, where you know them and no result holds them\"},"
	"\"min\":{\"type\":\"integer\"},"
	"\"max\":{\"type\":\"integer\"},"
	"\"min_date\":" TEXT("First day that can be chosen, as 2026-02-27") ","
	"\"max_date\":" TEXT("Last day that can be chosen") ","
	"\"hint\":" TEXT("What comes of the answer") ","
	"\"skip\":{\"type\":\"object\",\"properties\":{"
		"\"value\":{\"type\":\"string\"},\"label\":{\"type\":\"string\"}},"
		"\"required\":[\"value\",\"label\"],\"additionalProperties\":false}},"
	"\"required\":[\"question\"],\"additionalProperties\":false}";
/* clang-format on */

/* For agents with a map in their prompt, where tokens are scarce. */
static const char ask_schema_short[] =
	"{\"type\":\"object\",\"properties\":{\"question\":{\"type\":\"string\"},\"options\":{"
	"\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"from\":{\"type\":\"object\","
	"\"description\":\"Choices that a result holds: {$ref: c1.rows[*].Column}\"}},"
	"\"required\":[\"question\"],\"additionalProperties\":false}";

static const char show_about[] =
	"Shows results as one component. Name the component and the calls whose results fill it; "
	"values are filled in by name, never written. There are:";
static const char show_schema[] =
	"{\"type\":\"object\",\"properties\":{\"component\":{\"type\":\"string\"},\"from\":{"
	"\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"Ids of calls, such "
	"as c1\"}},\"required\":[\"component\",\"from\"],\"additionalProperties\":false}";

static json_t *schema_of(struct arena *a, const char *text)
{
	size_t n = strlen(text);
	json_t *schema;
	bool ok = json_parse(text, n, n + 1, &schema, NULL);

	assert(ok);
	return json_own(a, schema);
}

static const char *ask_name(const struct agent *a)
{
	const struct domain_def *d =
		catalog_domain_of_agent(a->request.may->catalog, a->request.agent);

	return d && d->ask_name ? d->ask_name : ASK_USER;
}

static const char *components_text(const struct catalog *c, struct arena *a)
{
	const char *text = show_about;

	for (size_t i = 0; i < c->component_count; i++)
		text = arena_printf(a, "%s\n%s: %s", text, c->components[i].name,
				    c->components[i].about);
	return text;
}

size_t agent_screen_tools(struct agent *a, struct llm_tool *out)
{
	const struct catalog *c = a->request.may->catalog;

	out[0] =
		(struct llm_tool){ask_name(a), ask_about,
				  schema_of(a->arena, a->protocol ? ask_schema_short : ask_schema)};
	if (c->component_count == 0)
		return 1;
	out[1] = (struct llm_tool){SHOW_COMPONENT, components_text(c, a->arena),
				   schema_of(a->arena, show_schema)};
	return 2;
}

bool agent_is_ask(const struct agent *a, const char *tool)
{
	return strcmp(tool, ask_name(a)) == 0;
}

bool agent_is_show(const char *tool)
{
	return strcmp(tool, SHOW_COMPONENT) == 0;
}

/* ---- clarifying question ---- */

struct ask_reader {
	struct agent *agent;
	const json_t *input;
	struct agent_ask *ask;
	const char **problem;
};

static bool set_error(const struct ask_reader *k, const char *what)
{
	*k->problem = arena_printf(k->agent->arena, "%s: %s.", ask_name(k->agent), what);
	return false;
}

static const char *short_text(struct agent *a, const char *text)
{
	return arena_strndup(a->arena, text, utf8_cut(text, strlen(text), ASK_TEXT_BYTES_MAX));
}

static const char *text_of(const struct ask_reader *k, const char *name)
{
	const char *text = json_string_value(json_object_get(k->input, name));

	return text && *text ? short_text(k->agent, text) : NULL;
}

static bool read_input(const struct ask_reader *k)
{
	static const char *const names[] = {
		[ASK_SINGLE] = "single",
		[ASK_MULTIPLE] = "multiple",
		[ASK_DATE] = "date",
		[ASK_DATE_RANGE] = "date_range",
	};
	const char *input = text_of(k, "input");

	for (size_t i = 0; input && i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], input) == 0) {
			k->ask->input = (enum ask_input)i;
			return true;
		}
	return !input || set_error(k, "input must be single, multiple, date or date_range");
}

/* Accepts a filter of a tool that this agent has. */
static bool read_filter(const struct ask_reader *k)
{
	const char *filter = text_of(k, "filter");

	for (size_t i = 0; filter && i < k->agent->ask.tool_count; i++) {
		const struct tool_def *tool = k->agent->defs[i];
		const struct param_def *p = tool ? tool_param_of_filter(tool, filter) : NULL;

		if (!p && tool)
			p = tool_param(tool, filter);
		if (!p)
			continue;
		k->ask->filter = p->filter;
		return true;
	}
	return !filter || set_error(k, "none of your tools takes this filter");
}

static bool read_date_limits(const struct ask_reader *k)
{
	struct date first, last;

	k->ask->min_date = text_of(k, "min_date");
	k->ask->max_date = text_of(k, "max_date");
	if ((k->ask->min_date && !date_parse_iso(k->ask->min_date, &first)) ||
	    (k->ask->max_date && !date_parse_iso(k->ask->max_date, &last)))
		return set_error(k, "min_date and max_date must be days such as 2026-02-27");
	return !k->ask->min_date || !k->ask->max_date ||
	       strcmp(k->ask->min_date, k->ask->max_date) <= 0 ||
	       set_error(k, "min_date is after max_date");
}

/* Finds a column of a result. Returns false and sets *problem on failure. */
static bool find_column(const struct ask_reader *k, const char *name, const struct table **table,
			int *column)
{
	const char *text = ref_of(json_object_get(k->input, name));
	struct ref_scope scope = agent_results(k->agent);
	struct ref_target p;
	struct err e = {0};
	struct ref r;

	if (!text || !ref_parse(text, &r, &e) || r.kind != REF_COLUMN)
		return set_error(
			k, arena_printf(k->agent->arena,
					"%s must name a column: {\"$ref\": \"c1.rows[*].Column\"}",
					name));
	if (!ref_find(&scope, &r, &p, &e))
		return set_error(k, e.text);
	if (*table && *table != p.table)
		return set_error(k, arena_printf(k->agent->arena,
						 "%s must name a column of the same result as from",
						 name));
	*table = p.table;
	*column = p.column;
	return true;
}

static bool has_value(const struct agent_ask *ask, const char *value)
{
	for (size_t i = 0; i < ask->option_count; i++)
		if (strcmp(ask->options[i].value, value) == 0)
			return true;
	return false;
}

static bool find_optional_column(const struct ask_reader *k, const char *name,
				 const struct table **table, int *column)
{
	*column = -1;
	return !json_object_get(k->input, name) || find_column(k, name, table, column);
}

/* Adds each value once. With too many values there are no options, and the user types one. */
static bool read_result_options(const struct ask_reader *k)
{
	const struct table *t = NULL;
	int value, label, group;
	struct suggestion *options;

	if (!find_column(k, "from", &t, &value) || !find_optional_column(k, "labels", &t, &label) ||
	    !find_optional_column(k, "groups", &t, &group))
		return false;
	options = arena_alloc(k->agent->arena, sizeof(*options) * ASK_RESULT_OPTIONS_MAX);
	k->ask->options = options;
	for (size_t i = 0; i < t->row_count; i++) {
		const char **row = t->rows[i];

		if (!row[value] || has_value(k->ask, row[value]))
			continue;
		if (k->ask->option_count == ASK_RESULT_OPTIONS_MAX) {
			k->ask->option_count = 0;
			return true;
		}
		options[k->ask->option_count++] = (struct suggestion){
			.value = row[value],
			.label = label >= 0 && row[label] ? row[label] : row[value],
			.group = group >= 0 ? row[group] : NULL,
		};
	}
	return k->ask->option_count > 0 || set_error(k, "the column in from has no values");
}

static void read_options(const struct ask_reader *k)
{
	const json_t *list = json_object_get(k->input, "options"), *item;
	struct suggestion *options =
		arena_alloc(k->agent->arena, ASK_OPTIONS_MAX * sizeof(*options));
	size_t i;

	k->ask->options = options;
	json_array_foreach((json_t *)(uintptr_t)list, i, item) {
		const char *text = json_string_value(item);

		if (!text || !*text || k->ask->option_count == ASK_OPTIONS_MAX)
			continue;
		text = short_text(k->agent, text);
		options[k->ask->option_count++] = (struct suggestion){.value = text, .label = text};
	}
}

static bool read_choice_limits(const struct ask_reader *k)
{
	int64_t min = 1, max = (int64_t)k->ask->option_count;
	struct err e = {0};

	if (k->ask->input != ASK_MULTIPLE)
		return true;
	if (k->ask->option_count == 0)
		return set_error(k, "multiple needs choices: set from or options");
	if (!json_opt_int(k->input, "min", &min, &e) || !json_opt_int(k->input, "max", &max, &e) ||
	    min < 1 || max < min || min > (int64_t)k->ask->option_count)
		return set_error(k, "min and max must be numbers of choices, at least 1");
	k->ask->min = (size_t)min;
	k->ask->max = max < (int64_t)k->ask->option_count ? (size_t)max : k->ask->option_count;
	return true;
}

static bool read_skip(const struct ask_reader *k)
{
	const json_t *skip = json_object_get(k->input, "skip");
	const char *value = json_string_value(json_object_get(skip, "value"));
	const char *label = json_string_value(json_object_get(skip, "label"));

	if (!skip)
		return true;
	if (!value || !*value || !label || !*label)
		return set_error(k, "skip must be {value, label}");
	k->ask->skip = (struct suggestion){.value = short_text(k->agent, value),
					   .label = short_text(k->agent, label)};
	return true;
}

const struct agent_ask *agent_ask_read(struct agent *a, const json_t *input, const char **problem)
{
	struct agent_ask *ask = arena_alloc(a->arena, sizeof(*ask));
	const struct ask_reader k = {a, input, ask, problem};

	*ask = (struct agent_ask){.question = text_of(&k, "question"), .hint = text_of(&k, "hint")};
	if (!ask->question) {
		set_error(&k, "question is missing");
		return NULL;
	}
	if (!read_input(&k) || !read_filter(&k) || !read_date_limits(&k) || !read_skip(&k))
		return NULL;
	if (json_object_get(input, "from") && !read_result_options(&k))
		return NULL;
	if (!json_object_get(input, "from"))
		read_options(&k);
	return read_choice_limits(&k) ? ask : NULL;
}

/* ---- component ---- */

static struct result *find_result(const struct agent *a, const char *call)
{
	for (size_t i = 0; i < a->out.result_count; i++)
		if (call && a->out.results[i]->call && strcmp(a->out.results[i]->call, call) == 0)
			return a->out.results[i];
	return NULL;
}

const char *agent_show_read(struct agent *a, const json_t *input)
{
	const char *name = json_string_value(json_object_get(input, "component"));
	const json_t *from = json_object_get(input, "from"), *item;
	size_t n = json_array_size(from), i;
	struct agent_show show = {.component = name};
	struct result **results;

	if (!name || !catalog_component(a->request.may->catalog, name))
		return "show_component: unknown component.";
	if (a->out.show_count == AGENT_SHOWS_MAX)
		return "show_component: no more components can be shown in this answer.";
	results = arena_alloc(a->arena, (n + 1) * sizeof(*results));
	json_array_foreach((json_t *)(uintptr_t)from, i, item) {
		results[show.count] = find_result(a, json_string_value(item));
		if (!results[show.count])
			return "from must name calls that returned a result, such as c1.";
		show.count++;
	}
	if (show.count == 0)
		return "from must name calls that returned a result, such as c1.";
	show.component = arena_strdup(a->arena, name);
	show.results = results;
	a->out.shows[a->out.show_count++] = show;
	return NULL;
}
