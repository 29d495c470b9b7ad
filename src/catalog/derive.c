/* The derivations that a tool's file names: `derive: NAME COLUMN [BY]`. Whether there is one of
 * that name is known to the toolbox. */
#include "tool_header.h"

#include <string.h>

static const struct column_def *fetched(const struct tool_header *h, const char *name)
{
	for (size_t i = 0; i < h->tool->column_count; i++)
		if (strcmp(h->columns[i].name, name) == 0 && !h->columns[i].derived)
			return &h->columns[i];
	return NULL;
}

static const char *first_text(const struct tool_header *h)
{
	for (size_t i = 0; i < h->tool->column_count; i++)
		if (h->columns[i].has_type && h->columns[i].type == COLUMN_TEXT &&
		    !h->columns[i].derived)
			return h->columns[i].name;
	return NULL;
}

static bool read_one(struct tool_header *h, struct derive_def *d, struct err *e)
{
	struct str rest = str_of(d->name), word;
	const char *words[3] = {0};
	const struct column_def *c;
	size_t n = 0;

	h->line = d->line;
	while (str_split(&rest, ' ', &word)) {
		if (word.n == 0)
			continue;
		if (n == 3)
			return tool_wrong(h, e, "derive: NAME COLUMN [BY]");
		words[n++] = arena_strndup(h->l->arena, word.p, word.n);
	}
	if (n < 2 || !tool_is_name(words[0]))
		return tool_wrong(h, e, "derive: NAME COLUMN [BY]");
	c = fetched(h, words[1]);
	if (!c || !c->has_type || !column_is_number(c->type))
		return tool_wrong(h, e, "%s is no fetched column of type int or decimal", words[1]);
	if (n == 3 && !fetched(h, words[2]))
		return tool_wrong(h, e, "%s is no fetched column", words[2]);
	d->name = words[0];
	d->column = words[1];
	d->by = n == 3 ? words[2] : first_text(h);
	if (!d->by)
		return tool_wrong(h, e, "no column of type text tells the rows apart");
	for (const struct derive_def *other = h->derives; other < d; other++)
		if (strcmp(other->name, d->name) == 0)
			return tool_wrong(h, e, "derive %s is there twice", d->name);
	return true;
}

bool tool_derives_read(struct tool_header *h, struct err *e)
{
	size_t bytes = h->tool->derive_count * sizeof(*h->derives);
	struct derive_def *kept = arena_alloc(h->l->arena, bytes);

	for (size_t i = 0; i < h->tool->derive_count; i++)
		if (!read_one(h, &h->derives[i], e))
			return false;
	if (bytes > 0)
		memcpy(kept, h->derives, bytes);
	h->tool->derives = kept;
	return true;
}
