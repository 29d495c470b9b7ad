/* Determines which dimensions a caller can name: those taken by parameters of permitted tools. */
#include "names_int.h"

#include <string.h>

#include "vesper/limits.h"

/* The dimensions taken by one tool's parameters. */
struct tool_dimensions {
	size_t count;
	struct {
		size_t dimension;
		bool has_default, takes_parts;
	} items[TOOL_ARGS_MAX];
};

void scope_index(struct entity_index *b)
{
	const struct catalog *c = b->catalog;

	b->tool_dimensions =
		arena_alloc(b->arena, sizeof(*b->tool_dimensions) * (c->tool_count + 1));
	for (size_t t = 0; t < c->tool_count; t++) {
		struct tool_dimensions *used = &b->tool_dimensions[t];

		for (size_t p = 0; p < c->tools[t].param_count && used->count < TOOL_ARGS_MAX;
		     p++) {
			const struct param_def *param = &c->tools[t].params[p];
			const struct dimension_def *d =
				param->entity ? catalog_dimension(c, param->entity) : NULL;

			if (!d)
				continue;
			used->items[used->count].dimension = d->index;
			used->items[used->count].takes_parts = param->required || param->like;
			used->items[used->count++].has_default = param->default_text != NULL;
		}
	}
}

bool names_of_map(const struct catalog *c, const struct dimension_def *d)
{
	bool has_map = false;

	for (size_t t = 0; t < c->tool_count && d->map.entity; t++) {
		if (c->tools[t].callers.visible && strcmp(c->tools[t].pack, d->pack) == 0)
			return false;
		has_map |= c->tools[t].map != NULL;
	}
	return has_map;
}

void scope_read(const struct entity_index *b, const struct catalog_view *v, struct arena *a,
		struct scope *out)
{
	size_t n = b->catalog->dimension_count;
	bool *in = arena_alloc(a, n + 1), *weak = arena_alloc(a, n + 1);
	bool *parts = arena_alloc(a, n + 1);

	for (size_t t = 0; t < v->tool_count; t++) {
		const struct tool_dimensions *used = &b->tool_dimensions[v->tools[t]->index];

		for (size_t i = 0; i < used->count; i++) {
			in[used->items[i].dimension] = v->is_readable[used->items[i].dimension];
			weak[used->items[i].dimension] |= used->items[i].has_default;
			parts[used->items[i].dimension] |= used->items[i].takes_parts;
		}
	}
	for (size_t i = 0; i < n; i++)
		in[i] |= names_of_map(b->catalog, &b->catalog->dimensions[i]) && v->is_readable[i];
	for (size_t i = 0; i < n; i++) {
		const char *resolves = b->catalog->dimensions[i].resolves;

		if (resolves)
			in[i] = in[catalog_dimension(b->catalog, resolves)->index] &&
				v->is_readable[i];
	}
	*out = (struct scope){in, weak, parts};
}
