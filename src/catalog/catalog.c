/*
 * The catalogue as one immutable object: loaded at once, looked up by name, and filtered to what a
 * caller may use. All lists of tools or domains come from catalog_for, the only place where hidden
 * ones could leak.
 */
#include "catalog_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/source.h"

static bool load_all(struct loader *l, struct err *e)
{
	char hash[HASH_HEX_BYTES];

	if (!load_language(l, e) || !load_units(l, e) || !load_permissions(l, e) ||
	    !each_pack(l, load_words, e) || !each_pack(l, load_factors, e) ||
	    !each_pack(l, load_pack_permissions, e) || !each_pack(l, load_schema, e) ||
	    !finish_schema(l, e) || !each_pack(l, load_aliases, e) ||
	    !each_pack(l, load_reports, e) || !each_pack(l, load_tools, e) || !finish_tools(l, e) ||
	    !each_pack(l, load_domains, e) || !finish_domains(l, e) ||
	    !each_pack(l, load_components, e) || !each_pack(l, load_flows, e) ||
	    !each_pack(l, load_starters, e) || !load_prompts(l, e) || !load_router(l, e))
		return false;
	hash_sha256_hex(l->sources.p, l->sources.n, hash);
	l->impl->public.hash = arena_strdup(l->arena, hash);
	return true;
}

/* Selects the packs of the list; without a list, the default packs. */
static bool choose_packs(struct loader *l, const char *const *roots, const struct pack_list *list,
			 struct err *e)
{
	struct pack_list chosen;
	struct packs *packs;
	size_t n;

	if (!packs_read(roots, l->arena, &packs, e) ||
	    !packs_list(packs, list ? list->names : NULL, l->arena, &chosen, e))
		return false;
	n = strlist_len(chosen.names);
	l->packs = arena_alloc(l->arena, (n + 1) * sizeof(*l->packs));
	for (size_t i = 0; i < n; i++)
		l->packs[i] = packs_find(packs, chosen.names[i]);
	l->one_tenant = list ? list->one_tenant : NULL;
	l->impl->public.packs = chosen.key;
	return true;
}

bool catalog_load(const char *const *roots, const struct pack_list *packs, struct catalog **out,
		  struct err *e)
{
	struct arena *arena = arena_new(CATALOG_BYTES_MAX);
	struct loader l = {.home = roots[0], .root = roots[0], .arena = arena};

	l.impl = arena_alloc(arena, sizeof(*l.impl));
	l.impl->arena = arena;
	atomic_init(&l.impl->refs, 1);
	buf_init(&l.sources, CATALOG_BYTES_MAX);
	bool ok = choose_packs(&l, roots, packs, e) && load_all(&l, e);
	buf_deinit(&l.sources);
	if (!ok) {
		arena_free(&arena);
		return false;
	}
	*out = &l.impl->public;
	return true;
}

struct catalog *catalog_ref(struct catalog *c)
{
	atomic_fetch_add(&catalog_impl(c)->refs, 1);
	return c;
}

void catalog_unref(struct catalog **c)
{
	struct catalog_impl *w = *c ? catalog_impl(*c) : NULL;

	*c = NULL;
	if (!w)
		return;
	int refs = atomic_fetch_sub(&w->refs, 1);

	assert(refs > 0);
	if (refs > 1)
		return;
	struct arena *arena = w->arena; /* also contains w */
	struct catalog *base = w->overlay.base;

	arena_free(&arena);
	catalog_unref(&base);
}

/* ---- lookup by name ---- */

bool catalog_has_pack(const struct catalog *c, const char *pack)
{
	struct str rest = str_of(c->packs), name;

	while (str_split(&rest, ',', &name))
		if (str_eq(name, str_of(pack)))
			return true;
	return false;
}

const struct tool_def *catalog_tool(const struct catalog *c, const char *name)
{
	for (size_t i = 0; i < c->tool_count; i++)
		if (strcmp(c->tools[i].name, name) == 0)
			return &c->tools[i];
	return NULL;
}

const struct domain_def *catalog_domain_of_agent(const struct catalog *c, const char *agent)
{
	for (size_t i = 0; i < c->domain_count; i++)
		if (strcmp(c->domains[i].agent, agent) == 0)
			return &c->domains[i];
	return NULL;
}

const struct dimension_def *catalog_dimension(const struct catalog *c, const char *name)
{
	for (size_t i = 0; i < c->dimension_count; i++)
		if (strcmp(c->dimensions[i].name, name) == 0)
			return &c->dimensions[i];
	return NULL;
}

const struct report_def *catalog_report(const struct catalog *c, const char *key)
{
	for (size_t i = 0; i < c->report_count; i++)
		if (strcmp(c->reports[i].key, key) == 0)
			return &c->reports[i];
	return NULL;
}

bool tool_is_document(const struct tool_def *t)
{
	return t->source && strcmp(t->source, SOURCE_DOCUMENTS) == 0;
}

bool tool_is_own(const struct tool_def *t)
{
	return t->source && strcmp(t->source, SOURCE_OWN) == 0;
}

bool tool_has_no_statement(const struct tool_def *t)
{
	return tool_is_document(t) || tool_is_own(t);
}

const struct param_def *tool_param(const struct tool_def *t, const char *name)
{
	for (size_t i = 0; i < t->param_count; i++)
		if (strcmp(t->params[i].name, name) == 0)
			return &t->params[i];
	return NULL;
}

const struct fact_def *tool_fact(const struct tool_def *t, const char *name)
{
	for (size_t i = 0; i < t->fact_count; i++)
		if (strcmp(t->facts[i].name, name) == 0)
			return &t->facts[i];
	return NULL;
}

const char *fact_type_name(enum fact_type type)
{
	static const char *const names[] = {"number", "int", "text", "date"};

	assert(type <= FACT_DATE);
	return names[type];
}

const struct frame_def *tool_frame(const struct tool_def *t, const char *query)
{
	for (size_t i = 0; i < t->frame_count; i++)
		if (strcmp(t->frames[i].query, query) == 0)
			return &t->frames[i];
	return NULL;
}

static bool is_plural_of(const char *name, const char *singular)
{
	size_t n = strlen(singular);

	return strncmp(name, singular, n) == 0 && strcmp(name + n, "s") == 0;
}

bool catalog_filter_is(const char *filter, const char *name)
{
	return strcmp(filter, name) == 0 || is_plural_of(name, filter);
}

const struct param_def *params_of_filter(const struct param_def *params, size_t count,
					 const char *filter)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(params[i].filter, filter) == 0)
			return &params[i];
	for (size_t i = 0; i < count; i++)
		if (params[i].is_list && is_plural_of(filter, params[i].filter))
			return &params[i];
	return NULL;
}

const struct param_def *tool_param_of_filter(const struct tool_def *t, const char *filter)
{
	return params_of_filter(t->params, t->param_count, filter);
}

bool catalog_has_permission(const struct catalog *c, const char *permission)
{
	return strlist_has(catalog_impl(c)->permissions, permission);
}

const char *const *catalog_role(const struct catalog *c, const char *role)
{
	const struct catalog_impl *w = catalog_impl(c);

	for (size_t i = 0; i < w->role_count; i++)
		if (strcmp(w->roles[i].name, role) == 0)
			return w->roles[i].permissions;
	return NULL;
}

const char *catalog_role_name(const struct catalog *c, size_t n)
{
	const struct catalog_impl *w = catalog_impl(c);

	return n < w->role_count ? w->roles[n].name : NULL;
}

const char *catalog_role_of(const struct catalog *c, const struct principal *who)
{
	const struct catalog_impl *w = catalog_impl(c);
	const char *best = "";
	size_t best_count = 0;

	for (size_t i = 0; i < w->role_count; i++) {
		const char *const *p = w->roles[i].permissions;

		while (*p && may(who, *p))
			p++;
		if (*p || (size_t)(p - w->roles[i].permissions) <= best_count)
			continue;
		best_count = (size_t)(p - w->roles[i].permissions);
		best = w->roles[i].name;
	}
	return best;
}

const char *const *catalog_views(const struct catalog *c)
{
	return catalog_impl(c)->views;
}

/* ---- what a caller may use ---- */

bool catalog_dimension_readable(const struct dimension_def *d, const struct principal *who)
{
	return !d->permission || (who && may(who, d->permission));
}

void catalog_use_switches(struct catalog *c, const struct switches *s)
{
	c->switches = s;
}

const char *catalog_agent_for(const struct catalog *c, const struct tool_def *tool,
			      const struct principal *who, const char *agent)
{
	if (!may(who, tool->callers.permission))
		return NULL;
	for (const char *const *a = tool->callers.agents; *a; a++)
		if ((!agent || strcmp(*a, agent) == 0) &&
		    !switches_are_off(c->switches, who->tenant, *a, tool->name))
			return *a;
	return NULL;
}

/* A map tool is useless without declared metrics. */
static bool is_usable(const struct catalog *c, const struct tool_def *t)
{
	return !t->map || catalog_schema(c)->metric_count > 0;
}

/* who NULL: the union of all callers. */
static bool may_use(const struct catalog *c, const struct principal *who, const struct tool_def *t,
		    const char *agent)
{
	return t->callers.visible && (!who || catalog_agent_for(c, t, who, agent));
}

static bool has_tool(const struct catalog_view *v, const struct tool_def *t)
{
	for (size_t i = 0; i < v->tool_count; i++)
		if (v->tools[i] == t)
			return true;
	return false;
}

/* A domain may have only tools that are shown to its agent. */
static bool is_for_agent(const struct catalog *c, const struct principal *who,
			 const struct tool_def *t, const char *agent)
{
	return t->callers.agents_only && is_usable(c, t) &&
	       (!who || catalog_agent_for(c, t, who, agent));
}

static void list_agent_tools(const struct catalog *c, const struct principal *who, struct arena *a,
			     struct catalog_view *v)
{
	const struct tool_def **tools = arena_alloc(a, (c->tool_count + 1) * sizeof(*tools));

	for (size_t i = 0; i < c->tool_count; i++)
		if (is_for_agent(c, who, &c->tools[i], NULL))
			tools[v->agent_tool_count++] = &c->tools[i];
	v->agent_tools = tools;
}

bool catalog_allows_step(const struct catalog_view *v, const struct tool_def *tool)
{
	for (size_t i = 0; tool->map && i < v->agent_tool_count; i++)
		if (v->agent_tools[i] == tool)
			return true;
	return has_tool(v, tool);
}

static bool may_run(const struct catalog_view *v, const struct flow_line *l)
{
	if (l->tool)
		return catalog_allows_step(v, l->tool);
	for (size_t i = 0; i < v->domain_count; i++)
		if (strcmp(v->domains[i]->agent, l->agent) == 0)
			return true;
	return false;
}

/* A flow is usable without a tool of a task if the task is conditional or no other line needs its
 * result. */
bool catalog_allows_flow(const struct catalog_view *v, const struct principal *who,
			 const struct flow_def *f, struct arena *a)
{
	size_t runs = 0;

	if (who && f->permission && !may(who, f->permission))
		return false;
	for (size_t i = 0; i < f->line_count; i++) {
		const struct flow_line *l = &f->lines[i];

		if (l->kind != FLOW_DO)
			continue;
		if (may_run(v, l))
			runs++;
		else if (!l->condition && flow_requires_task(f, l->id, a))
			return false;
	}
	return runs > 0;
}

static void list_flows(const struct catalog *c, const struct principal *who, struct arena *a,
		       struct catalog_view *v)
{
	const struct flow_def **flows = arena_alloc(a, (c->flow_count + 1) * sizeof(*flows));

	for (size_t i = 0; i < c->flow_count; i++)
		if (catalog_allows_flow(v, who, &c->flows[i], a))
			flows[v->flow_count++] = &c->flows[i];
	v->flows = flows;
}

/* Adds the domain and those of its tools that no earlier domain has. */
static void list_domain(const struct catalog *c, const struct principal *who,
			const struct domain_def *d, struct catalog_view *v,
			const struct domain_def **domains, const struct tool_def **tools)
{
	bool any = false;

	if (who && !may(who, d->permission))
		return;
	for (size_t k = 0; k < d->tool_count; k++) {
		any = any || is_for_agent(c, who, d->tools[k], d->agent);
		if (!may_use(c, who, d->tools[k], d->agent))
			continue;
		any = true;
		if (!has_tool(v, d->tools[k]))
			tools[v->tool_count++] = d->tools[k];
	}
	if (any)
		domains[v->domain_count++] = d;
}

static void list_usable(const struct catalog *c, const struct principal *who, struct arena *a,
			struct catalog_view *out)
{
	const struct domain_def **domains =
		arena_alloc(a, (c->domain_count + 1) * sizeof(*domains));
	const struct tool_def **tools = arena_alloc(a, (c->tool_count + 1) * sizeof(*tools));
	bool *is_readable = arena_alloc(a, c->dimension_count + 1);
	struct catalog_view v = {.tenant = who ? who->tenant : NULL,
				 .who = who,
				 .catalog = c,
				 .domains = domains,
				 .tools = tools,
				 .is_readable = is_readable};

	for (size_t i = 0; i < c->domain_count; i++)
		if (!c->domains[i].by_cues)
			list_domain(c, who, &c->domains[i], &v, domains, tools);
	/* Analysis domains come last, since they work on the data of other domains. */
	for (size_t i = 0, others = v.domain_count; i < c->domain_count && others > 0; i++)
		if (c->domains[i].by_cues)
			list_domain(c, who, &c->domains[i], &v, domains, tools);
	for (size_t i = 0; i < c->dimension_count; i++)
		is_readable[i] = !who || catalog_dimension_readable(&c->dimensions[i], who);
	list_agent_tools(c, who, a, &v);
	list_flows(c, who, a, &v);
	*out = v;
}

void catalog_for(const struct catalog *c, const struct principal *who, struct arena *a,
		 struct catalog_view *out)
{
	assert(who);
	list_usable(c, who, a, out);
}

void catalog_for_all(const struct catalog *c, struct arena *a, struct catalog_view *out)
{
	list_usable(c, NULL, a, out);
}

static const struct tool_def *const *tools_of(const char *pack, const struct tool_def *const *tools,
					      size_t *count, struct arena *a)
{
	const struct tool_def **selected = arena_alloc(a, (*count + 1) * sizeof(*selected));
	size_t n = 0;

	for (size_t i = 0; i < *count; i++)
		if (strcmp(tools[i]->pack, pack) == 0)
			selected[n++] = tools[i];
	*count = n;
	return selected;
}

void catalog_limit_to_pack(struct catalog_view *v, const char *pack, struct arena *a)
{
	const struct domain_def **domains =
		arena_alloc(a, (v->domain_count + 1) * sizeof(*domains));
	const struct flow_def **flows = arena_alloc(a, (v->flow_count + 1) * sizeof(*flows));
	size_t domain_count = 0, flow_count = 0;

	for (size_t i = 0; i < v->domain_count; i++)
		if (strcmp(v->domains[i]->pack, pack) == 0)
			domains[domain_count++] = v->domains[i];
	for (size_t i = 0; i < v->flow_count; i++)
		if (strcmp(v->flows[i]->pack, pack) == 0)
			flows[flow_count++] = v->flows[i];
	v->domains = domains;
	v->domain_count = domain_count;
	v->flows = flows;
	v->flow_count = flow_count;
	v->tools = tools_of(pack, v->tools, &v->tool_count, a);
	v->agent_tools = tools_of(pack, v->agent_tools, &v->agent_tool_count, a);
}

bool catalog_allows(const struct catalog_view *v, const struct tool_def *tool, const char *agent)
{
	return has_tool(v, tool) &&
	       (!agent || (strlist_has(tool->callers.agents, agent) &&
			   !(v->tenant && switches_are_off(v->catalog->switches, v->tenant, agent,
							   tool->name))));
}

const char *catalog_agent_in(const struct catalog_view *v, const struct tool_def *tool)
{
	for (const char *const *agent = tool->callers.agents; *agent; agent++)
		if (catalog_allows(v, tool, *agent))
			return *agent;
	return tool->callers.agents[0];
}
