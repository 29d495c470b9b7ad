/*
 * The protocol for querying a map: the agent first gets tables and edges, then the columns of the
 * tables it names. Each step allows only certain calls. These texts come from the pack, never from
 * the data.
 */
#include "agent_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/map.h"
#include "vesper/prompt.h"

#define DETAILED_SCHEMA "get_detailed_schema"
#define STRUCTURE       "get_structure"

static const char detailed_about[] =
	"Columns of the tables that you name, the joins between them, and which metrics and "
	"dimensions they have.";
static const char detailed_schema[] =
	"{\"type\":\"object\",\"properties\":{\"tables\":{\"type\":\"array\",\"items\":{"
	"\"type\":\"string\"},\"description\":\"Names of tables on the map, join tables "
	"too\"},\"reason\":{\"type\":\"string\",\"description\":\"What they are needed for\"}},"
	"\"required\":[\"tables\"],\"additionalProperties\":false}";
static const char structure_about[] =
	"Every table with its key, and every join with its columns. Long: only where the map does "
	"not say enough.";
static const char structure_schema[] =
	"{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}";

void agent_protocol_begin(struct agent *a, const struct domain_def *d)
{
	a->protocol = tool_map(a->tools)
			      ? schema_protocol(catalog_schema(a->request.may->catalog), d->pack)
			      : NULL;
	a->step = a->protocol ? &a->protocol->steps[0] : NULL;
	a->round_max = a->protocol ? a->protocol->max_rounds : AGENT_ROUNDS_MAX;
}

bool agent_protocol_allows(const struct agent *a, const struct tool_def *tool)
{
	return a->protocol ? protocol_allows(a->protocol, tool->name) : !tool->callers.by_protocol;
}

static json_t *schema_of(struct arena *a, const char *text)
{
	json_t *schema;
	bool ok = json_parse(text, strlen(text), strlen(text) + 1, &schema, NULL);

	assert(ok);
	return json_own(a, schema);
}

size_t agent_map_tools(const struct agent *a, struct llm_tool *out)
{
	size_t n = 0;

	if (a->protocol && protocol_allows(a->protocol, DETAILED_SCHEMA))
		out[n++] = (struct llm_tool){DETAILED_SCHEMA, detailed_about,
					     schema_of(a->arena, detailed_schema)};
	if (a->protocol && protocol_allows(a->protocol, STRUCTURE))
		out[n++] = (struct llm_tool){STRUCTURE, structure_about,
					     schema_of(a->arena, structure_schema)};
	return n;
}

/* ---- texts ---- */

/* Returns true when this agent has the tool. */
static bool has_tool(const struct agent *a, const char *name)
{
	for (size_t i = 0; i < a->ask.tool_count; i++)
		if (strcmp(a->ask.tools[i].name, name) == 0)
			return true;
	return false;
}

static void write_calls(const struct agent *a, const struct protocol_step *s, const char *separator,
			struct buf *out)
{
	for (size_t i = 0; i < s->call_count; i++) {
		if (!has_tool(a, s->calls[i].tool))
			continue;
		buf_printf(out, "%s%s", separator, s->calls[i].tool);
		if (&a->protocol->steps[s->calls[i].next] != s)
			buf_printf(out, " (then %s)", a->protocol->steps[s->calls[i].next].id);
		separator = ", ";
	}
}

static const char *steps_text(const struct agent *a)
{
	const char *text;
	struct buf out;

	buf_init(&out, MAP_TEXT_BYTES_MAX);
	for (size_t i = 0; i < a->protocol->step_count; i++) {
		const struct protocol_step *s = &a->protocol->steps[i];

		buf_printf(&out, "%s- %s: %s.", i ? "\n" : "", s->id, s->about);
		write_calls(a, s, " Calls: ", &out);
	}
	text = arena_strdup(a->arena, buf_text(&out));
	buf_deinit(&out);
	return text;
}

static const char *map_text(struct agent *a)
{
	const char *text;
	struct buf out;

	buf_init(&out, MAP_TEXT_BYTES_MAX);
	map_compact(tool_map(a->tools), a->request.who, &out);
	text = arena_strdup(a->arena, buf_text(&out));
	buf_deinit(&out);
	return text;
}

static const char *via_text(const struct agent *a)
{
	return a->protocol->via ? arena_printf(a->arena, ", by %s", a->protocol->via) : "";
}

const char *agent_protocol_text(struct agent *a)
{
	const struct protocol_def *p = a->protocol;

	if (!p)
		return NULL;
	return prompt_fill(a->request.may->catalog, "protocol",
			   (struct prompt_slot[]){
				   {"steps", steps_text(a)},
				   {"rounds", arena_printf(a->arena, "%d", p->max_rounds)},
				   {"tables", arena_printf(a->arena, "%zu", p->max_tables)},
				   {"rows", arena_printf(a->arena, "%zu", p->select_limit)},
				   {"by", via_text(a)},
				   {"map", map_text(a)},
			   },
			   6, a->arena);
}

/* ---- calls ---- */

const char *agent_protocol_refusal(struct agent *a, const char *tool)
{
	const char *text;
	struct buf out;

	if (!a->protocol || agent_is_ask(a, tool) || agent_is_show(tool) ||
	    protocol_call_find(a->step, tool))
		return NULL;
	buf_init(&out, MAP_TEXT_BYTES_MAX);
	buf_str(&out, "This call is not allowed now; allowed");
	write_calls(a, a->step, ": ", &out);
	text = arena_printf(a->arena, "%s.", buf_text(&out));
	buf_deinit(&out);
	return text;
}

static const char *add_tables(struct agent *a, const json_t *input, struct buf *out)
{
	const json_t *list = json_object_get(input, "tables"), *item;
	const char *names[MAP_SCHEMA_TABLES_MAX];
	struct map_problem why;
	struct err e = {0};
	size_t n = 0, i;

	if (json_array_size(list) == 0 || json_array_size(list) > a->protocol->max_tables)
		return arena_printf(a->arena,
				    "You requested %zu tables. Request 1 to %zu tables that the "
				    "question needs.",
				    json_array_size(list), a->protocol->max_tables);
	json_array_foreach((json_t *)(uintptr_t)list, i, item)
		names[n++] = json_is_string(item) ? json_string_value(item) : "";
	if (map_schema(tool_map(a->tools), a->request.who, names, n, out, &why, &e))
		return NULL;
	return arena_printf(a->arena, "%s. Use the names on the map.", e.text);
}

const char *agent_map_describe(struct agent *a, const struct llm_block *use, const char **problem)
{
	bool is_detailed = strcmp(use->name, DETAILED_SCHEMA) == 0;
	const char *text = NULL;
	struct buf out;

	if (!a->protocol || !(is_detailed || strcmp(use->name, STRUCTURE) == 0))
		return NULL;
	buf_init(&out, MAP_TEXT_BYTES_MAX);
	if (is_detailed)
		*problem = add_tables(a, use->input, &out);
	else
		map_structure(tool_map(a->tools), a->request.who, &out);
	if (!*problem)
		text = arena_strdup(a->arena, buf_text(&out));
	buf_deinit(&out);
	return text;
}

void agent_protocol_advance(struct agent *a)
{
	const struct protocol_step *from = a->step;

	for (size_t i = 0; a->protocol && i < a->call_count; i++) {
		const struct protocol_call *c =
			a->calls[i].problem ? NULL
					    : protocol_call_find(from, a->calls[i].use->name);

		if (c)
			a->step = &a->protocol->steps[c->next];
	}
}
