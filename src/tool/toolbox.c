/*
 * The toolbox maps the tools of a catalogue to their functions. For a compiled-in module whose pack
 * is in the catalogue, entries and tool files must match one to one. Domains without a module use
 * the shared function.
 */
#include "tool_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/map.h"
#include "vesper/mem.h"
#include "vesper/str.h"

static const struct tool_entry *module_entry(const struct domain *module, const char *tool)
{
	for (const struct tool_entry *entry = module->tools; entry->name; entry++)
		if (strcmp(entry->name, tool) == 0)
			return entry;
	return NULL;
}

static const struct domain_def *find_domain(const struct catalog *c, const struct domain *m)
{
	for (size_t i = 0; i < c->domain_count; i++)
		if (strcmp(c->domains[i].name, m->name) == 0 &&
		    strcmp(c->domains[i].pack, m->pack) == 0)
			return &c->domains[i];
	return NULL;
}

/* Tool files are in the folder of their domain: sql/<pack>/<folder>/<tool>.sql. */
static bool is_tool_of(const struct domain *m, const struct tool_def *t)
{
	return strcmp(t->pack, m->pack) == 0 && strcmp(t->folder, m->name) == 0;
}

static bool check_entries(const struct domain *m, const struct domain_def *d, struct err *e)
{
	for (const struct tool_entry *entry = m->tools; entry->name; entry++) {
		size_t i = 0;
		assert(entry->run);
		while (i < d->tool_count && strcmp(d->tools[i]->name, entry->name) != 0)
			i++;
		if (i == d->tool_count)
			return err_set(e, ERR_INPUT, "prompts/%s/%s.md:1: does not list tool %s",
				       m->pack, m->name, entry->name);
	}
	return true;
}

static bool check_factors(const struct catalog *c, const struct domain *m, struct err *e)
{
	const struct pack_factors *own = catalog_factors(c, m->pack);
	const struct derive_context known = {.factors = own ? own->items : NULL};

	for (const struct required_factor *need = m->factors; need && need->name; need++) {
		const struct factor *f = derive_factor(&known, need->name);
		const char *wrong = !f                          ? "is missing"
				    : !(f->value > need->above) ? "is too small"
				    : need->is_public && !f->source
					    ? "needs a source: who published it"
					    : NULL;

		if (wrong)
			return err_set(e, ERR_INPUT, "config/%s/%s.json:1: %s %s", m->pack, m->pack,
				       need->name, wrong);
	}
	return true;
}

static bool add_module(struct toolbox *b, const struct domain *m, struct err *e)
{
	const struct catalog *c = b->options.catalog;
	const struct domain_def *d = find_domain(c, m);

	if (!d)
		return err_set(e, ERR_INPUT,
			       "prompts/%s/%s.md:1: the prompt of module %s is missing", m->pack,
			       m->name, m->name);
	if (!check_entries(m, d, e) || !check_factors(c, m, e))
		return false;
	for (size_t i = 0; i < c->tool_count; i++) {
		const struct tool_entry *entry;
		if (!is_tool_of(m, &c->tools[i]))
			continue;
		entry = module_entry(m, c->tools[i].name);
		if (!entry)
			return err_set(e, ERR_INPUT, "%s:1: module %s has no function for it",
				       c->tools[i].path, m->name);
		b->run[i] = entry->run;
	}
	return true;
}

/* Tools for ad hoc SQL have no fixed source: each statement names its views. */
static bool find_sources(struct toolbox *b, struct err *e)
{
	const struct catalog *c = b->options.catalog;

	for (size_t i = 0; i < c->tool_count; i++) {
		const struct tool_def *t = &c->tools[i];

		if (!t->source)
			continue;
		if (tool_has_no_statement(t)) {
			b->source[i] = tool_is_own(t) ? b->options.own : b->options.documents;
			continue;
		}
		b->source[i] = source_find(b->options.sources, t->source);
		if (!b->source[i])
			return err_set(
				e, ERR_INPUT,
				"%s:1: source %s is not configured (sources in the configuration)",
				t->path, t->source);
	}
	return true;
}

static bool is_derived_column(const struct tool_def *t, const char *column)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (strcmp(t->columns[i].name, column) == 0)
			return t->columns[i].derived;
	return false;
}

static bool check_derives(const struct toolbox *b, const struct tool_def *t, struct err *e)
{
	for (size_t i = 0; i < t->derive_count; i++) {
		const struct derive_def *d = &t->derives[i];
		const struct tool_derivation *found =
			tool_derivation(b->options.derivations, d->name);

		if (!found)
			return err_set(e, ERR_INPUT, "%s:%d: derivation %s does not exist", t->path,
				       d->line, d->name);
		if (found->column && !is_derived_column(t, found->column))
			return err_set(e, ERR_INPUT,
				       "%s:%d: %s adds a column \"%s\", which is not declared as "
				       "derived",
				       t->path, d->line, d->name, found->column);
		for (const char *const *fact = found->facts; fact && *fact; fact++)
			if (!tool_fact(t, *fact))
				return err_set(e, ERR_INPUT,
					       "%s:%d: %s adds a fact %s, which is not declared",
					       t->path, d->line, d->name, *fact);
	}
	return true;
}

static bool check_all_derives(const struct toolbox *b, struct err *e)
{
	const struct catalog *c = b->options.catalog;

	for (size_t i = 0; i < c->tool_count; i++)
		if (!check_derives(b, &c->tools[i], e))
			return false;
	return true;
}

static void set_function(struct toolbox *b, size_t i)
{
	const struct tool_def *t = &b->options.catalog->tools[i];

	b->run[i] = t->gate                    ? tool_gate_run
		    : t->map                   ? tool_map_run
		    : tool_has_no_statement(t) ? tool_document_run
					       : tool_sql_run;
	if (t->map && !b->map)
		b->map = map_new(b->options.catalog);
}

bool toolbox_new(const struct toolbox_options *options, struct toolbox **out, struct err *e)
{
	struct toolbox *b = mem_alloc(sizeof(*b));

	b->options = *options;
	b->options.catalog = catalog_ref(options->catalog);
	b->run = mem_alloc((options->catalog->tool_count + 1) * sizeof(*b->run));
	b->source = mem_alloc((options->catalog->tool_count + 1) * sizeof(struct source *));
	for (size_t i = 0; i < options->catalog->tool_count; i++)
		set_function(b, i);
	if (!find_sources(b, e) || !check_all_derives(b, e)) {
		toolbox_free(&b);
		return false;
	}
	for (const struct domain *const *m = options->modules; m && *m; m++) {
		if (catalog_has_pack(b->options.catalog, (*m)->pack) && !add_module(b, *m, e)) {
			toolbox_free(&b);
			return false;
		}
	}
	*out = b;
	return true;
}

const char *tool_about(const struct toolbox *b, const struct tool_def *tool,
		       const struct principal *who, struct arena *a)
{
	const char *about = tool->about;
	struct buf names;

	if (!tool->map)
		return about;
	buf_init(&names, MAP_TEXT_BYTES_MAX);
	map_names(b->map, who, &names);
	about = arena_printf(a, "%s\n%s", about, buf_text(&names));
	buf_deinit(&names);
	return about;
}

const struct map *tool_map(const struct toolbox *b)
{
	return b->map;
}

struct toolbox *toolbox_with_overlay(const struct toolbox *base, struct catalog *c,
				     struct entity_index *names)
{
	struct toolbox *b = mem_alloc(sizeof(*b));
	size_t n = base->options.catalog->tool_count;

	assert(c->tools == base->options.catalog->tools);
	b->options = base->options;
	b->options.catalog = catalog_ref(c);
	b->options.names = names;
	b->run = mem_alloc((n + 1) * sizeof(*b->run));
	b->source = mem_alloc((n + 1) * sizeof(struct source *));
	memcpy(b->run, base->run, n * sizeof(*b->run));
	memcpy(b->source, base->source, n * sizeof(struct source *));
	b->map = base->map ? map_new(c) : NULL;
	return b;
}

void toolbox_free(struct toolbox **b)
{
	if (!*b)
		return;
	map_free(&(*b)->map);
	catalog_unref(&(*b)->options.catalog);
	mem_free((*b)->run);
	mem_free((*b)->source);
	mem_free(*b);
	*b = NULL;
}
