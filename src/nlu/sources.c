/*
 * Finds data sources named in a question, for tools that take them. Only data sources that the
 * caller may use are considered. If several share a name, the tool asks which one is meant.
 */
#include "nlu_int.h"

#include <string.h>
#include <strings.h>

#include "vesper/map.h"

/* The number of words of the label if it begins at this token; 0: it does not. */
static size_t label_words_at(const struct question *q, size_t at, const char *label)
{
	struct str rest = str_of(label), word;
	size_t n = 0;

	while (str_split(&rest, ' ', &word)) {
		const struct token *t = token_at(q, at + n);

		if (word.n == 0)
			continue;
		if (at + n >= q->count || t->used ||
		    !str_eq_nocase((struct str){t->text, t->len}, word))
			return 0;
		n++;
	}
	return n;
}

/* The longest label of a data source that begins at this token, or NULL. */
static const char *label_at(const struct reading *r, size_t at, size_t *count)
{
	const struct schema *s = catalog_schema(r->nlu->catalog);
	const struct principal *who = r->in->may->who;
	const char *found = NULL;

	*count = 0;
	for (size_t i = 0; i < s->entity_count; i++) {
		const struct entity_def *n = s->entities[i];
		size_t words =
			map_words_is_tenant_entity(r->nlu, n) && (!who || map_may_entity(who, n))
				? label_words_at(&r->q, at, n->label)
				: 0;

		if (words <= *count)
			continue;
		*count = words;
		found = n->label;
	}
	return found;
}

void sources_fill(struct reading *r, const struct candidate *c)
{
	size_t at = 0;

	for (size_t i = 0; i < c->param_count; i++) {
		const struct param_def *p = &c->params[i];
		const char *label = NULL;
		size_t n;

		if (!p->is_source || facts_get(&r->facts, p->filter))
			continue;
		for (; !label && at<r->q.count; at += n> 0 ? n : 1)
			label = label_at(r, at, &n);
		if (!label)
			return;
		facts_add(&r->facts, r->arena, p->filter, NULL, value_text(label), SOURCE_EXPLICIT);
		for (size_t k = at - n; k < at; k++)
			r->q.tokens[k].used = true;
	}
}
