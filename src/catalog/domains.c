/*
 * Domains below prompts/<pack>: front matter between two --- lines, then the agent's prompt. A
 * tool may be called by the agents whose domains list it.
 *
 *   ---
 *   agent: dayahead_agent
 *   examples:
 *     - What was …?
 *     - How is Nazareth Solar? => get_project_health project_name=Nazareth Solar
 *   ---
 */
#include "catalog_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/file.h"
#include "vesper/limits.h"

/* State while reading a domain's file. */
struct domain_file {
	struct loader *l;
	struct domain_def *domain;
	struct strlist examples, tools;
};

static bool is_valid_ask_name(const struct domain_file *f, const char *name)
{
	return str_is_name(name, REF_NAME_MAX) && !catalog_tool(&f->l->impl->public, name);
}

static bool read_permission(struct front_matter *m, struct str text, struct err *e)
{
	struct domain_file *f = m->owner;

	f->domain->permission = arena_strndup(f->l->arena, text.p, text.n);
	return strlist_has(f->l->impl->permissions, f->domain->permission) ||
	       front_matter_fail(m, e, "unknown permission ", text);
}

static bool read_key(struct front_matter *m, struct str key, struct str text, struct err *e)
{
	struct domain_file *f = m->owner;
	struct arena *a = f->l->arena;
	struct domain_def *d = f->domain;

	if (str_eq(key, STR("agent")))
		d->agent = arena_strndup(a, text.p, text.n);
	else if (str_eq(key, STR("intent")))
		d->intent = arena_strndup(a, text.p, text.n);
	else if (str_eq(key, STR("about")))
		d->about = arena_strndup(a, text.p, text.n);
	else if (str_eq(key, STR("examples")))
		m->open = &f->examples;
	else if (str_eq(key, STR("tools")))
		m->open = &f->tools;
	else if (str_eq(key, STR("order")))
		return front_matter_int(m, text, &d->order, e);
	else if (str_eq(key, STR("permission")))
		return read_permission(m, text, e);
	else if (!str_eq(key, STR("ask_name")))
		return front_matter_fail(m, e, "unknown key ", key);
	else
		d->ask_name = arena_strndup(a, text.p, text.n);
	return !d->ask_name || is_valid_ask_name(f, d->ask_name) ||
	       front_matter_fail(m, e, "ask_name: not a name in a-z, 0-9 and _, or a tool's: ",
				 str_of(d->ask_name));
}

static bool find_tools(const struct domain_file *f, const char *path, struct err *e)
{
	const struct catalog *c = &f->l->impl->public;
	struct domain_def *d = f->domain;
	const struct tool_def **tools =
		arena_alloc(f->l->arena, (f->tools.count + 1) * sizeof(*tools));

	for (size_t i = 0; i < f->tools.count; i++) {
		tools[i] = catalog_tool(c, f->tools.items[i]);
		if (!tools[i])
			return err_set(e, ERR_INPUT, "%s:1: the file of tool %s is missing", path,
				       f->tools.items[i]);
		for (size_t k = 0; k < i; k++)
			if (tools[k] == tools[i])
				return err_set(e, ERR_INPUT, "%s:1: tool %s appears twice", path,
					       tools[i]->name);
	}
	d->tools = tools;
	d->tool_count = f->tools.count;
	return true;
}

/* ---- examples with their calls ---- */

#define CALL_ARROW STR(" => ")

/* Reports an error in an example's call. */
static bool call_fail(const char *path, const struct example_def *x, const char *what,
		      struct str text, struct err *e)
{
	return err_set(e, ERR_INPUT, "%s:1: example \"%s\": %s%.*s", path, x->question, what,
		       STR_FMT(text));
}

/* A word with = starts the next filter; other words continue the current value. */
static bool starts_filter(const struct example_def *x, struct str word, struct arena *a,
			  const struct param_def **param)
{
	const char *equals = memchr(word.p, '=', word.n);

	*param = equals ? tool_param_of_filter(x->tool,
					       arena_strndup(a, word.p, (size_t)(equals - word.p)))
			: NULL;
	return *param != NULL;
}

static bool read_filters(const struct domain_file *f, struct example_def *x, struct str rest,
			 const char *path, struct err *e)
{
	struct arena *a = f->l->arena;
	const struct param_def **params = arena_alloc(a, (rest.n + 1) * sizeof(*params));
	struct strlist filters = {0};
	struct str word;

	while (str_split(&rest, ' ', &word)) {
		const struct param_def *param;

		if (word.n == 0)
			continue;
		if (starts_filter(x, word, a, &param)) {
			params[filters.count] = param;
			strlist_add(&filters, a, arena_strndup(a, word.p, word.n));
		} else if (filters.count > 0) {
			filters.items[filters.count - 1] = arena_printf(
				a, "%s %.*s", filters.items[filters.count - 1], STR_FMT(word));
		} else {
			return call_fail(path, x, "the tool has no parameter ", word, e);
		}
	}
	for (size_t i = 0; i < filters.count; i++) {
		const char *value = strchr(filters.items[i], '=') + 1;
		struct value parsed;

		if (!param_parse(params[i], value, a, &parsed, e))
			return call_fail(path, x, "not a value: ", str_of(filters.items[i]), e);
	}
	strlist_add(&filters, a, NULL);
	x->filters = filters.items;
	x->params = params;
	return true;
}

static bool read_call(const struct domain_file *f, struct example_def *x, struct str call,
		      const char *path, struct err *e)
{
	struct str rest = str_trim(call), name = {0};

	str_split(&rest, ' ', &name);
	for (size_t i = 0; i < f->domain->tool_count && !x->tool; i++)
		if (str_eq(name, str_of(f->domain->tools[i]->name)))
			x->tool = f->domain->tools[i];
	return x->tool ? read_filters(f, x, rest, path, e)
		       : call_fail(path, x, "the domain does not list the tool ", name, e);
}

/* Splits each example into its question and its call. */
static bool read_calls(struct domain_file *f, const char *path, struct err *e)
{
	struct domain_def *d = f->domain;
	struct arena *a = f->l->arena;
	struct example_def *calls = arena_alloc(a, (f->examples.count + 1) * sizeof(*calls));

	for (size_t i = 0; i < f->examples.count && f->examples.items[i]; i++) {
		const char *text = f->examples.items[i], *at = strstr(text, CALL_ARROW.p);
		struct example_def *x = &calls[d->call_count];

		if (!at)
			continue;
		x->question = f->examples.items[i] = arena_strndup(a, text, (size_t)(at - text));
		x->id = arena_printf(a, "file:%s:%zu", d->name, i + 1);
		if (!read_call(f, x, str_of(at + CALL_ARROW.n), path, e))
			return false;
		d->call_count++;
	}
	d->calls = calls;
	return true;
}

static bool load_domain(struct loader *l, const char *file, struct domain_def *d, struct err *e)
{
	struct domain_file f = {.l = l, .domain = d};
	struct front_matter m = {.arena = l->arena, .owner = &f, .read_key = read_key};
	const char *text;

	m.path = arena_printf(l->arena, "prompts/%s/%s", l->pack->name, file);
	d->pack = l->pack->name;
	if (!str_ends(str_of(file), STR(".md")))
		return err_set(e, ERR_INPUT, "%s:1: not a .md file", m.path);
	d->name = arena_strndup(l->arena, file, strlen(file) - 3);
	strlist_add(&f.examples, l->arena, NULL);
	if (!load_text_with_values(l, m.path, PROMPT_FILE_BYTES_MAX, &text, e))
		return false;

	struct str rest = str_of(text);
	if (!front_matter_read(&m, &rest, e))
		return false;
	rest = str_trim(rest);
	d->prompt = arena_strndup(l->arena, rest.p ? rest.p : "", rest.n);
	d->examples = f.examples.items;
	m.line = 1;
	if (!d->agent || !d->intent || !d->about)
		return front_matter_fail(&m, e, "agent, intent and about are required", STR(""));
	if (rest.n == 0)
		return front_matter_fail(&m, e, "the prompt below the front matter is missing",
					 STR(""));
	return find_tools(&f, m.path, e) && read_calls(&f, m.path, e);
}

static int by_order(const void *a, const void *b)
{
	const struct domain_def *x = a, *y = b;

	return x->order != y->order ? (x->order > y->order) - (x->order < y->order)
				    : strcmp(x->name, y->name);
}

/* ---- tools and agents ---- */

static bool lists_tool(const struct domain_def *d, const struct tool_def *t)
{
	for (size_t i = 0; i < d->tool_count; i++)
		if (d->tools[i] == t)
			return true;
	return false;
}

/* A shared tool's file is in the folder of the first domain that lists it. */
static bool is_in_folder(const struct tool_def *t, const struct domain_def *d)
{
	return strcmp(t->pack, d->pack) == 0 && strcmp(t->folder, d->name) == 0;
}

/* A tool with "visible: agents" belongs to no domain: its header lists the agents. */
static bool set_declared_agents(struct loader *l, struct tool_def *t, size_t listed, struct err *e)
{
	const struct catalog *c = &l->impl->public;
	struct strlist all = {0};

	if (listed > 0 || !t->callers.agents)
		return err_set(e, ERR_INPUT,
			       "%s:1: \"visible: agents\" needs \"agents:\", and no domain may "
			       "list the tool",
			       t->path);
	if (strcmp(t->callers.agents[0], "*") == 0) {
		strlist_add(&all, l->arena, NULL);
		for (size_t i = 0; i < c->domain_count; i++)
			strlist_add(&all, l->arena, c->domains[i].agent);
		t->callers.agents = all.items;
		return true;
	}
	for (const char *const *agent = t->callers.agents; *agent; agent++)
		if (!catalog_domain_of_agent(c, *agent))
			return err_set(e, ERR_INPUT, "%s:1: unknown agent %s", t->path, *agent);
	return true;
}

static bool set_agents(struct loader *l, struct tool_def *t, struct err *e)
{
	const struct catalog *c = &l->impl->public;
	const char *const *declared = t->callers.agents;
	bool for_all = t->callers.agents_only && declared && strcmp(declared[0], "*") == 0;
	struct strlist agents = {0};

	if (for_all) /* it may be the only tool of a domain */
		return set_declared_agents(l, t, 0, e);

	for (size_t i = 0; i < c->domain_count; i++) {
		const struct domain_def *d = &c->domains[i];
		if (!lists_tool(d, t))
			continue;
		if (agents.count == 0 && !t->callers.by_protocol && !is_in_folder(t, d))
			return err_set(e, ERR_INPUT,
				       "%s:1: must be in sql/%s/%s, whose domain lists it first",
				       t->path, d->pack, d->name);
		strlist_add(&agents, l->arena, d->agent);
	}
	strlist_add(&agents, l->arena, NULL);
	/* Shared by all packs; no agent has it if no domain lists it. */
	if (t->callers.by_protocol) {
		t->callers.agents = agents.items;
		return true;
	}
	if (t->callers.agents_only)
		return set_declared_agents(l, t, agents.count, e);
	if (agents.count == 0)
		return err_set(e, ERR_INPUT, "%s:1: no domain lists this tool", t->path);
	for (size_t i = 0; declared && i < agents.count; i++)
		if (!strlist_has(declared, agents.items[i]) ||
		    strlist_len(declared) != agents.count)
			return err_set(e, ERR_INPUT,
				       "%s:1: agents must be those whose domains list the tool",
				       t->path);
	t->callers.agents = agents.items;
	return true;
}

/* Agent and intent must be unique among the domains. */
static bool add_domain(struct loader *l, const struct domain_def *d, const char *file,
		       struct err *e)
{
	struct catalog *c = &l->impl->public;
	struct domain_def *list = (struct domain_def *)c->domains;

	for (size_t i = 0; i < c->domain_count; i++)
		if (strcmp(list[i].agent, d->agent) == 0 || strcmp(list[i].intent, d->intent) == 0)
			return err_set(e, ERR_INPUT,
				       "prompts/%s/%s:1: agent and intent must not be those of "
				       "prompts/%s/%s.md",
				       d->pack, file, list[i].pack, list[i].name);
	list = arena_grow(l->arena, list, c->domain_count, &l->domain_cap, sizeof(*list));
	list[c->domain_count++] = *d;
	c->domains = list;
	return true;
}

bool load_domains(struct loader *l, struct err *e)
{
	const char *const *files;

	if (!load_names(l, arena_printf(l->arena, "prompts/%s", l->pack->name), &files, e))
		return false;
	for (; *files; files++) {
		struct domain_def d = {0};

		if (strcmp(*files, FLOW_FOLDER) == 0)
			continue;
		if (!load_domain(l, *files, &d, e) || !add_domain(l, &d, *files, e))
			return false;
	}
	return true;
}

static bool has_cues(const struct catalog *c, const struct domain_def *d)
{
	for (size_t i = 0; i < c->tool_count; i++)
		if (c->tools[i].analysis.cues && strlist_has(c->tools[i].callers.agents, d->agent))
			return true;
	return false;
}

bool finish_domains(struct loader *l, struct err *e)
{
	const struct catalog *c = &l->impl->public;
	struct domain_def *list = (struct domain_def *)c->domains;

	if (c->domain_count > 0)
		qsort(list, c->domain_count, sizeof(*list), by_order);
	for (size_t i = 0; i < c->domain_count; i++)
		list[i].index = i;
	for (size_t i = 0; i < c->tool_count; i++)
		if (!set_agents(l, &l->tools[i], e))
			return false;
	for (size_t i = 0; i < c->domain_count; i++)
		list[i].by_cues = has_cues(c, &list[i]);
	return true;
}
