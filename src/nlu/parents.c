/* Resolves parents of values, such as the market of a hub-zone. A missing parent is inferred; a
 * contradicting one leads to a clarifying question. */
#include "nlu_int.h"

#include <string.h>

static void add_contradiction(struct reading *r, const struct fact *child,
			      const struct fact *parent, const char *actual)
{
	const struct language *l = r->nlu->catalog->language;
	const char *value = child->values[0].text, *given = parent->values[0].text;
	struct suggestion *options = arena_alloc(r->arena, sizeof(*options) * 2);

	options[0] = (struct suggestion){
		.value = actual, .label = sentence(l, SAY_PARENT_IN, r->arena, value, actual)};
	options[1] = (struct suggestion){
		.value = given,
		.label = sentence(l, SAY_PARENT_OTHER, r->arena, child->dimension->label, given)};
	reading_add_issue(r,
			  &(struct issue){.kind = ISSUE_CONTRADICTION,
					  .filter = parent->filter,
					  .dimension = parent->dimension,
					  .term = sentence(l, SAY_PARENT_NOT_OF, r->arena, value,
							   child->dimension->label, actual, given),
					  .options = options,
					  .option_count = 2});
}

/* Infers the parent of each value, or checks it against the explicit one. */
static void resolve_parent(struct reading *r, size_t index)
{
	const struct fact *child = &r->facts.items[index];
	const struct dimension_def *up =
		child->dimension && child->dimension->parent
			? catalog_dimension(r->nlu->catalog, child->dimension->parent)
			: NULL;
	struct fact *parent = up ? facts_find(&r->facts, up->filter) : NULL;
	const char *common = NULL;

	if (!up || child->all_values)
		return;
	for (size_t v = 0; v < child->count; v++) {
		const char *actual = NULL;
		bool several = false, listed = false;

		for (size_t p = 0; parent && p < parent->count && !listed; p++) {
			actual = names_parent_of(r->names, child->dimension, child->values[v].text,
						 parent->values[p].text, &several);
			listed = !actual || strcmp(actual, parent->values[p].text) == 0;
		}
		if (parent && !listed) {
			add_contradiction(r, child, parent, actual);
			return;
		}
		actual = names_parent_of(r->names, child->dimension, child->values[v].text, NULL,
					 &several);
		if (several || !actual || (common && strcmp(common, actual) != 0))
			return;
		common = actual;
	}
	if (parent)
		parent->implied = true;
	else if (common)
		facts_add(&r->facts, r->arena, up->filter, up, value_text(common),
			  child->source == SOURCE_CARRIED ? SOURCE_CARRIED : SOURCE_ALIAS)
			->implied = true;
}

void parents_resolve(struct reading *r)
{
	for (size_t i = 0, n = r->facts.count; i < n; i++)
		resolve_parent(r, i);
}
