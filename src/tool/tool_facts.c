/* Checks that a result has the facts that its tool's file declares: flows, clients and sentences
 * rely on them. */
#include "tool_int.h"

#include <string.h>

#include "vesper/units.h"

/* Facts that any tool may have. */
static bool is_common(const char *name)
{
	return strcmp(name, RESULT_FRAME_SAMPLED) == 0 || strcmp(name, RESULT_FACTS_LEFT_OUT) == 0;
}

static const char *unit_of(const struct fact_def *d, const struct result *r, struct arena *a)
{
	const char *name = d->unit_of ? args_text(&r->args, d->unit_of, a) : NULL;
	int column = name && r->table_count > 0 ? table_column(r->tables[0], name) : -1;

	if (!d->unit_of)
		return d->unit;
	return column < 0 ? NULL : r->tables[0]->columns[column].unit;
}

static bool same_unit(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

const char *tool_facts_error(const struct tool_def *tool, const struct result *r, struct arena *a)
{
	for (size_t i = 0; i < r->fact_count; i++) {
		const struct fact *f = &r->facts[i];
		const struct fact_def *d = tool_fact(tool, f->name);

		if (!d && !is_common(f->name))
			return arena_printf(a, "fact %s is added but not declared", f->name);
		if (d && !(tool->map && d->unit_of) && !same_unit(f->unit, unit_of(d, r, a)))
			return arena_printf(a, "fact %s has the unit %s, but %s is declared",
					    f->name, f->unit ? f->unit : "none",
					    unit_of(d, r, a) ? unit_of(d, r, a) : "none");
	}
	if (r->outcome.kind != OUTCOME_ROWS || result_fact(r, RESULT_FACTS_LEFT_OUT))
		return NULL;
	for (size_t i = 0; i < tool->fact_count; i++)
		if (!tool->facts[i].optional && !result_fact(r, tool->facts[i].name))
			return arena_printf(a, "required fact %s is missing", tool->facts[i].name);
	return NULL;
}
