/* Constants of a pack's derivations: config/<pack>/<pack>.json, an object of numbers and of
 * published factors such as {"value": 0.352, "source": "…"}. */
#include "catalog_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/result.h"

static bool read_factor(const struct words_file *f, const char *name, const json_t *item,
			struct factor *out)
{
	static const char *const members[] = {"value", "source", "about", NULL};
	const json_t *value = json_is_object(item) ? json_object_get(item, "value") : item;
	const char *source = json_string_value(json_object_get(item, "source"));
	struct err e;

	if (json_is_object(item) && !json_check_members(item, members, &e))
		return words_fail(f, name, "%s", e.text);
	if (!json_is_number(value))
		return words_fail(f, name, "not a number");
	if (json_is_object(item) && (!source || !source[strspn(source, " ")]))
		return words_fail(f, name, "source is missing: name the publisher of the value");
	*out = (struct factor){.name = name,
			       .value = json_number_value(value),
			       .text = arena_printf(f->arena, "%.12g", json_number_value(value)),
			       .source = source};
	return true;
}

static void add(struct loader *l, const struct pack_factors *own)
{
	struct catalog *c = &l->impl->public;
	struct pack_factors *all = arena_alloc(l->arena, (c->factor_count + 1) * sizeof(*all));

	for (size_t i = 0; i < c->factor_count; i++)
		all[i] = c->factors[i];
	all[c->factor_count++] = *own;
	c->factors = all;
}

bool load_factors(struct loader *l, struct err *e)
{
	const char *file = arena_printf(l->arena, "%s.json", l->pack->name);
	struct words_file f;
	struct factor *items;
	const json_t *item;
	const char *name;
	json_t *root;
	size_t n = 0;

	if (!load_pack_json(l, file, &f, &root, e))
		return false;
	if (!root)
		return true;
	items = arena_alloc(l->arena, (json_object_size(root) + 1) * sizeof(*items));
	json_object_foreach(root, name, item)
		if (!read_factor(&f, name, item, &items[n++]))
			return false;
	add(l, &(struct pack_factors){l->pack->name, pack_file(l, file), items});
	return true;
}

const struct pack_factors *catalog_factors(const struct catalog *c, const char *pack)
{
	for (size_t i = 0; i < c->factor_count; i++)
		if (strcmp(c->factors[i].pack, pack) == 0)
			return &c->factors[i];
	return NULL;
}
