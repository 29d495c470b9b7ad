/*
 * Packs: which ones exist (config/packs.json of each root, in order) and which a tenant has. A pack
 * is the vocabulary and the tools of one company or subject, as text files in config/<pack>,
 * prompts/<pack> and sql/<pack> of its root.
 */
#include "catalog_int.h"

#include <string.h>

#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/source.h"

#define PACKS     "config/packs.json"
#define PACK_CORE "core" /* the pack of all tenants, if it exists */

/* Names of folders that are not packs. */
static const char *const reserved_names[] = {"language", "schema", "store", "warehouse", NULL};

bool pack_is_name(const char *name)
{
	return str_is_name(name, PACK_NAME_BYTES_MAX) && !strlist_has(reserved_names, name);
}

const struct pack_def *packs_find(const struct packs *p, const char *name)
{
	for (size_t i = 0; i < p->count; i++)
		if (strcmp(p->items[i].name, name) == 0)
			return &p->items[i];
	return NULL;
}

/* Required packs must precede the pack, so there are no cycles. */
static bool read_needs(const struct words_file *f, const json_t *item, const char *member,
		       const struct packs *before, struct pack_def *out)
{
	member = arena_printf(f->arena, "%s.needs", member);
	if (!words_list(f, json_object_get(item, "needs"), member, true, &out->needs))
		return false;
	for (const char *const *need = out->needs; *need; need++)
		if (!packs_find(before, *need))
			return words_fail(f, member, "no earlier pack is named %s", *need);
	return true;
}

static bool read_pack(const struct words_file *f, const json_t *item, const char *member,
		      const struct packs *before, struct pack_def *out)
{
	static const char *const members[] = {"name", "default", "source", "needs", NULL};
	const struct pack_def *same;
	const char *name;
	struct err e = {0};

	if (!json_check_members(item, members, &e) || !json_get_str(item, "name", &name, &e) ||
	    !json_opt_bool(item, "default", &out->is_default, &e) ||
	    !json_opt_str(item, "source", &out->source, &e))
		return words_fail(f, member, "%s", e.text);
	if (!pack_is_name(name))
		return words_fail(f, member,
				  "\"%s\" is not a pack name: use a-z, 0-9 and _, at most %d "
				  "characters, and not language, schema, store or warehouse",
				  name, PACK_NAME_BYTES_MAX);
	if (!str_is_name(out->source, SOURCE_NAME_BYTES_MAX))
		return words_fail(f, member, "\"%s\" is not a source name", out->source);
	same = packs_find(before, name);
	if (same)
		return words_fail(f, member, "%s already declares pack %s", same->file, name);
	out->name = name;
	return read_needs(f, item, member, before, out);
}

static bool read_root(const char *root, struct arena *a, struct packs *p, struct err *e)
{
	static const char *const members[] = {"packs", NULL};
	struct words_file f = {.path = PACKS, .arena = a, .err = e};
	const json_t *list, *item;
	json_t *all;
	size_t i;

	if (!file_read(arena_printf(a, "%s/" PACKS, root), JSON_FILE_BYTES_MAX, a, &f.text, e))
		return false;
	f.path = arena_printf(a, "%s/" PACKS, root);
	if (!words_parse(&f, &all))
		return false;
	if (!json_check_members(all, members, e))
		return err_prefix(e, "%s:1", f.path);
	list = json_object_get(all, "packs");
	if (json_array_size(list) == 0)
		return words_fail(&f, "packs", "expected a list of packs");
	if (p->count + json_array_size(list) > PACKS_MAX)
		return words_fail(&f, "packs", "more than %d packs", PACKS_MAX);
	json_array_foreach(list, i, item) {
		struct pack_def *pack = &p->items[p->count];

		*pack = (struct pack_def){
			.root = arena_strdup(a, root), .file = f.path, .source = SOURCE_WAREHOUSE};
		if (!read_pack(&f, item, arena_printf(a, "packs[%zu]", i), p, pack))
			return false;
		p->count++;
	}
	return true;
}

bool packs_read(const char *const *roots, struct arena *a, struct packs **out, struct err *e)
{
	struct packs *p = arena_alloc(a, sizeof(*p));

	p->items = arena_alloc(a, PACKS_MAX * sizeof(*p->items));
	for (; *roots; roots++)
		if (!read_root(*roots, a, p, e))
			return false;
	*out = p;
	return true;
}

static bool is_selected(const struct pack_def *pack, const char *const *names)
{
	return strcmp(pack->name, PACK_CORE) == 0 ||
	       (names ? strlist_has(names, pack->name) : pack->is_default);
}

bool packs_list(const struct packs *p, const char *const *names, struct arena *a,
		struct pack_list *out, struct err *e)
{
	struct strlist list = {0};
	const char *key = "";

	for (const char *const *name = names; name && *name; name++)
		if (!packs_find(p, *name))
			return err_set(e, ERR_INPUT, "unknown pack %s", *name);
	strlist_add(&list, a, NULL);
	for (size_t i = 0; i < p->count; i++) {
		const struct pack_def *pack = &p->items[i];

		if (!is_selected(pack, names))
			continue;
		for (const char *const *need = pack->needs; *need; need++)
			if (!strlist_has(list.items, *need))
				return err_set(e, ERR_INPUT, "pack %s needs pack %s (%s)",
					       pack->name, *need, pack->file);
		key = arena_printf(a, "%s%s%s", key, *key ? "," : "", pack->name);
		strlist_add(&list, a, pack->name);
	}
	*out = (struct pack_list){.key = key, .names = list.items};
	return true;
}

const char *pack_file(const struct loader *l, const char *name)
{
	return arena_printf(l->arena, "config/%s/%s", l->pack->name, name);
}

bool each_pack(struct loader *l, bool (*load)(struct loader *, struct err *), struct err *e)
{
	bool ok = true;

	for (size_t i = 0; ok && l->packs[i]; i++) {
		l->pack = l->packs[i];
		l->root = l->pack->root;
		ok = load(l, e);
	}
	l->pack = NULL;
	l->root = l->home;
	return ok;
}
