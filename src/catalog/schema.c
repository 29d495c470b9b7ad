/*
 * Reads config/<pack>/catalogue.json: dimensions with their known values, the calendar, and aliases
 * of values. The folder schema/ reads views and the map. None of these is listed elsewhere.
 */
#include "schema/schema_int.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/str.h"

/* Reads {"CAISO": ["NP15", …], …}: values by the parent dimension's value. */
static bool read_scoped_values(struct loader *l, const json_t *object, struct dimension_def *d,
			       struct err *e)
{
	struct strlist values = {0}, parents = {0};
	const char *const *some;
	const char *parent;
	json_t *array;

	strlist_add(&values, l->arena, NULL);
	strlist_add(&parents, l->arena, NULL);
	json_object_foreach((json_t *)object, parent, array) {
		if (!load_texts(l, array, parent, &some, e))
			return false;
		for (; *some; some++) {
			strlist_add(&values, l->arena, *some);
			strlist_add(&parents, l->arena, parent);
		}
	}
	d->values = values.items;
	d->parents = parents.items;
	return true;
}

static bool read_values(struct loader *l, const json_t *item, struct dimension_def *d,
			struct err *e)
{
	const json_t *values = json_object_get(item, "values");

	if (d->parent)
		return json_is_object(values)
			       ? read_scoped_values(l, values, d, e)
			       : err_set(e, ERR_INPUT,
					 "values: must be an object with the values of %s as keys",
					 d->parent);
	return !values || load_texts(l, values, "values", &d->values, e);
}

/* Reads {"green": "🟢 Green", "": "⬜ N/A"}: labels of known values and of a missing one. */
static bool read_words(struct loader *l, const json_t *words, struct dimension_def *d,
		       struct err *e)
{
	struct strlist list = {0};
	const char *value;
	const json_t *text;

	if (!words)
		return true;
	if (!json_is_object(words))
		return err_set(e, ERR_INPUT, "words: not an object");
	strlist_add(&list, l->arena, NULL);
	json_object_foreach((json_t *)words, value, text) {
		if (!json_is_string(text) ||
		    (*value && !(d->values && strlist_has(d->values, value))))
			return err_set(e, ERR_INPUT, "words: %s: not the text of a known value",
				       value);
		strlist_add(&list, l->arena, arena_strdup(l->arena, value));
		strlist_add(&list, l->arena, arena_strdup(l->arena, json_string_value(text)));
	}
	d->words = list.items;
	return true;
}

/* Reads {"money": ["Spend", …], …}. */
static bool read_groups(struct loader *l, const json_t *groups, struct dimension_def *d,
			struct err *e)
{
	struct strlist list = {0};
	const char *const *values;
	const char *group;
	json_t *array;

	if (!groups)
		return true;
	if (!json_is_object(groups))
		return err_set(e, ERR_INPUT, "groups: not an object");
	strlist_add(&list, l->arena, NULL);
	json_object_foreach((json_t *)groups, group, array) {
		if (!load_texts(l, array, group, &values, e))
			return err_prefix(e, "groups");
		for (; *values; values++) {
			if (!d->values || !strlist_has(d->values, *values))
				return err_set(e, ERR_INPUT, "groups: %s: %s is not a known value",
					       group, *values);
			strlist_add(&list, l->arena, *values);
			strlist_add(&list, l->arena, group);
		}
	}
	d->groups = list.items;
	return true;
}

/* Reads the lower bounds of a number's bins, ascending. */
static bool read_bins(struct loader *l, const json_t *array, struct dimension_def *d, struct err *e)
{
	struct strlist list = {0};
	const json_t *item;
	int64_t before = INT64_MIN;
	size_t i;

	json_array_foreach(array, i, item) {
		int64_t bound = json_integer_value(item);

		if (!json_is_integer(item) || (i > 0 && bound <= before))
			return err_set(e, ERR_INPUT, "bins: must be ascending whole numbers");
		before = bound;
		strlist_add(&list, l->arena, arena_printf(l->arena, "%" PRId64, bound));
	}
	if (list.count > 0 && !column_is_number(d->map.type))
		return err_set(e, ERR_INPUT, "bins: the column is not a number");
	strlist_add(&list, l->arena, NULL);
	d->map.bins = list.count > 1 ? list.items : NULL;
	return true;
}

static bool read_grains(struct loader *l, const json_t *item, struct dimension_def *d,
			struct err *e)
{
	bool is_day = column_is_day(d->map.type);
	const char *const *names;
	enum grain g;

	if (!schema_texts(l, item, "grains", d->name, &names, e))
		return false;
	if (*names && !is_day)
		return err_set(e, ERR_INPUT, "grains: the column is not a date");
	for (; *names; names++) {
		if (!grain_parse(*names, &g) ||
		    (d->map.type == COLUMN_DATE && (g == GRAIN_HOUR || g == GRAIN_HOUR_OF_DAY)))
			return err_set(e, ERR_INPUT, "grains: a %s has no %s",
				       column_type_name(d->map.type), *names);
		d->map.grains |= 1U << g;
	}
	return true;
}

/* Reads the dimension's place on the map; its view is the entity's. */
static bool read_map_members(struct loader *l, const json_t *item, struct dimension_def *d,
			     struct err *e)
{
	const char *entity = NULL, *type = NULL;

	if (!json_opt_str(item, "entity", &entity, e) || !json_opt_str(item, "type", &type, e) ||
	    !json_opt_str(item, "about", &d->map.about, e) ||
	    !schema_texts(l, item, "synonyms", d->name, &d->map.synonyms, e))
		return false;
	if (type && !column_type_parse(type, &d->map.type))
		return err_set(e, ERR_INPUT, "type: unknown type %s", type);
	if (!entity)
		return d->map.type == COLUMN_TEXT ||
		       err_set(e, ERR_INPUT, "type %s: only allowed for a dimension of an entity",
			       type);
	if (d->view || !d->column)
		return err_set(
			e, ERR_INPUT,
			"entity requires column and excludes view: the view is the entity's");
	if (!schema_entity_of(l, entity, "entity", &d->map.entity, e) ||
	    !schema_column(d->map.entity, d->column, "column", &d->map.column, e))
		return false;
	d->view = d->map.entity->view->name;
	d->column = d->map.column->name; /* as spelled in SQL */
	return read_grains(l, item, d, e) && read_bins(l, json_object_get(item, "bins"), d, e);
}

static bool check_values(const struct dimension_def *d, bool load, struct err *e)
{
	if (!d->resolves != !d->by || (d->resolves && (!d->view || d->values || d->parent)))
		return err_set(e, ERR_INPUT,
			       "resolves requires by and a view, and excludes values and parent");
	if (!d->view && !d->values)
		return err_set(e, ERR_INPUT, "values are missing: give values or a view");
	if (!load && (d->values || d->watermark || d->resolves || !d->map.entity))
		return err_set(e, ERR_INPUT,
			       "values that are not loaded need an entity, and exclude values, "
			       "watermark and resolves");
	return true;
}

/* `load`: the values are names to be loaded from the data. */
static bool read_dimension(struct loader *l, const json_t *item, struct dimension_def *d,
			   bool *load, struct err *e)
{
	static const char *const members[] = {
		"name",  "filter",     "label",     "view",     "column",   "values", "parent",
		"words", "permission", "watermark", "groups",   "resolves", "by",     "entity",
		"type",  "grains",     "bins",      "synonyms", "about",    "load",   NULL};

	if (!json_check_members(item, members, e) || !json_get_str(item, "name", &d->name, e))
		return false;
	d->filter = d->label = d->name;
	if (!json_opt_str(item, "filter", &d->filter, e) ||
	    !json_opt_str(item, "label", &d->label, e) ||
	    !json_opt_str(item, "view", &d->view, e) ||
	    !json_opt_str(item, "column", &d->column, e) ||
	    !json_opt_str(item, "permission", &d->permission, e) ||
	    !json_opt_str(item, "watermark", &d->watermark, e) ||
	    !json_opt_str(item, "resolves", &d->resolves, e) ||
	    !json_opt_str(item, "by", &d->by, e) || !json_opt_str(item, "parent", &d->parent, e) ||
	    !read_map_members(l, item, d, e) || !read_values(l, item, d, e) ||
	    !read_words(l, json_object_get(item, "words"), d, e) ||
	    !read_groups(l, json_object_get(item, "groups"), d, e))
		return err_prefix(e, "%s", d->name);
	*load = d->map.type == COLUMN_TEXT;
	if (!json_opt_bool(item, "load", load, e))
		return err_prefix(e, "%s", d->name);
	if (*load && d->map.type != COLUMN_TEXT)
		return err_set(e, ERR_INPUT, "%s: only text values are loaded", d->name);
	if (!d->view != !d->column)
		return err_set(e, ERR_INPUT, "%s: view and column must be given together", d->name);
	if (d->permission && !strlist_has(l->impl->permissions, d->permission))
		return err_set(e, ERR_INPUT, "%s: %s is not a permission", d->name, d->permission);
	if (d->watermark && !d->view)
		return err_set(e, ERR_INPUT, "%s: a watermark without a view", d->name);
	if (!check_values(d, *load, e))
		return err_prefix(e, "%s", d->name);
	if (!d->view)
		return true;
	if (!schema_view(&l->impl->schema, d->view))
		return err_set(e, ERR_INPUT, "%s: %s is not an approved view", d->name, d->view);
	d->source = source_of_view(l->impl, d->view);
	d->one_tenant = source_only_tenant(l, d->source) != NULL;
	return true;
}

static bool check_resolves(const struct loader *l, const struct dimension_def *d, struct err *e)
{
	const struct dimension_def *to =
		d->resolves ? catalog_dimension(&l->impl->public, d->resolves) : NULL;

	if (!d->resolves)
		return true;
	if (!to || to == d || to->resolves)
		return err_set(e, ERR_INPUT, "%s: resolves %s, which is not a dimension of values",
			       d->name, d->resolves);
	if (!to->view || strcmp(to->view, d->view) != 0)
		return err_set(e, ERR_INPUT, "%s: %s belongs to another view", d->name,
			       d->resolves);
	return true;
}

static bool check_parents(const struct loader *l, const struct dimension_def *d, struct err *e)
{
	const struct dimension_def *parent;

	if (!d->parent)
		return true;
	parent = catalog_dimension(&l->impl->public, d->parent);
	if (!parent)
		return err_set(e, ERR_INPUT, "%s: parent %s is not a dimension", d->name,
			       d->parent);
	for (const char *const *p = d->parents; *p; p++)
		if (!strlist_has(parent->values, *p))
			return err_set(e, ERR_INPUT, "%s: %s is not a value of %s", d->name, *p,
				       d->parent);
	return true;
}

/* ---- dimensions in several packs ---- */

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Appends the groups of `width` strings that are not in the list yet. */
static const char *const *merge_lists(struct arena *a, const char *const *list,
				      const char *const *more, size_t width)
{
	struct strlist all = {0};

	if (!list || !more)
		return list ? list : more;
	for (const char *const *t = list; *t; t++)
		strlist_add(&all, a, *t);
	for (; *more; more += width) {
		bool found = false;
		for (const char *const *t = list; *t && !found; t += width)
			found = strcmp(*t, *more) == 0 &&
				(width == 1 || strcmp(t[1], more[1]) == 0);
		for (size_t i = 0; !found && i < width; i++)
			strlist_add(&all, a, more[i]);
	}
	return all.items;
}

/* Sets the pack of each value: the first `count` belong to the first pack. */
static void set_value_packs(struct arena *a, struct dimension_def *d, size_t count,
			    const char *pack)
{
	size_t n = strlist_len(d->values);
	const char **packs = arena_alloc(a, (n + 1) * sizeof(*packs));

	for (size_t i = 0; i < n; i++)
		packs[i] = i >= count ? pack : d->packs ? d->packs[i] : d->pack;
	d->packs = packs;
}

/* Values are joined by value and parent: the same value under two parents counts as two. */
static void merge_scoped(struct arena *a, struct dimension_def *d, const struct dimension_def *more)
{
	struct strlist values = {0}, parents = {0};
	size_t n = strlist_len(d->values);

	for (size_t i = 0; i < n; i++) {
		strlist_add(&values, a, d->values[i]);
		strlist_add(&parents, a, d->parents[i]);
	}
	for (size_t k = 0; more->values[k]; k++) {
		size_t i = 0;

		while (i < n && (strcmp(d->values[i], more->values[k]) != 0 ||
				 strcmp(d->parents[i], more->parents[k]) != 0))
			i++;
		if (i < n)
			continue;
		strlist_add(&values, a, more->values[k]);
		strlist_add(&parents, a, more->parents[k]);
	}
	d->values = values.items;
	d->parents = parents.items;
}

static bool merge_dimension(struct loader *l, struct dimension_def *d,
			    const struct dimension_def *more, struct err *e)
{
	size_t count = strlist_len(d->values);

	if (strcmp(d->pack, more->pack) == 0)
		return err_set(e, ERR_INPUT, "dimensions: %s appears twice", d->name);
	if (!is_same_text(d->view, more->view) || !is_same_text(d->column, more->column) ||
	    !is_same_text(d->permission, more->permission) ||
	    !is_same_text(d->parent, more->parent) || !is_same_text(d->resolves, more->resolves) ||
	    !is_same_text(d->by, more->by))
		return err_set(e, ERR_INPUT,
			       "dimensions: config/%s/catalogue.json already declares %s with "
			       "another view, column, permission or parent",
			       d->pack, d->name);
	if (d->parents && more->parents)
		merge_scoped(l->arena, d, more);
	else
		d->values = merge_lists(l->arena, d->values, more->values, 1);
	set_value_packs(l->arena, d, count, more->pack);
	d->words = merge_lists(l->arena, d->words, more->words, 2);
	d->groups = merge_lists(l->arena, d->groups, more->groups, 2);
	return true;
}

/* Adds a dimension without an entity index. */
static bool add_plain(struct loader *l, const struct dimension_def *d, struct err *e)
{
	struct schema *s = &l->impl->schema;
	struct dimension_def *copy;

	if (schema_dimension(&l->impl->public, d->name))
		return err_set(e, ERR_INPUT, "dimensions: %s appears twice", d->name);
	copy = arena_alloc(l->arena, sizeof(*copy));
	*copy = *d;
	SCHEMA_PUSH(l->arena, s->plain, s->plain_count, copy);
	return true;
}

static bool add_dimension(struct loader *l, struct dimension_def *d, struct err *e)
{
	struct catalog *c = &l->impl->public;
	struct dimension_def *list = (struct dimension_def *)c->dimensions;
	const struct dimension_def *same = schema_dimension(&l->impl->public, d->name);

	if (same && !catalog_dimension(c, d->name))
		return err_set(e, ERR_INPUT, "dimensions: %s appears twice", d->name);
	if (same)
		return merge_dimension(l, &list[same->index], d, e);
	d->index = c->dimension_count;
	list = arena_grow(l->arena, list, c->dimension_count, &l->dimension_cap, sizeof(*list));
	list[c->dimension_count++] = *d;
	c->dimensions = list;
	return true;
}

bool schema_load_dimensions(struct loader *l, const json_t *array, struct err *e)
{
	const struct catalog *c = &l->impl->public;
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item) {
		struct dimension_def d = {.pack = l->pack->name};
		bool load;

		if (!read_dimension(l, item, &d, &load, e))
			return err_prefix(e, "dimensions[%zu]", i);
		if (!(load ? add_dimension(l, &d, e) : add_plain(l, &d, e)))
			return false;
	}
	for (i = 0; i < c->dimension_count; i++)
		if (!check_parents(l, &c->dimensions[i], e) ||
		    !check_resolves(l, &c->dimensions[i], e))
			return err_prefix(e, "dimensions");
	return true;
}

static bool load_calendar(struct loader *l, const json_t *object, struct err *e)
{
	static const char *const names[] = {"peak_first_hour", "peak_last_hour", NULL};
	struct calendar *c = &l->impl->public.calendar;
	struct calendar before = *c;
	int *const fields[] = {&c->peak_first_hour, &c->peak_last_hour};

	if (!object)
		return true;
	if (!json_check_members(object, names, e))
		return err_prefix(e, "calendar");
	for (size_t i = 0; names[i]; i++) {
		int64_t value;
		if (!json_get_int(object, names[i], &value, e))
			return err_prefix(e, "calendar");
		if (value < 0 || value > 23)
			return err_set(e, ERR_INPUT, "calendar: %s: must be 0 to 23", names[i]);
		*fields[i] = (int)value;
	}
	if (c->peak_first_hour > c->peak_last_hour)
		return err_set(e, ERR_INPUT, "calendar: the peak ends before it begins");
	if (l->has_calendar && memcmp(&before, c, sizeof(before)) != 0)
		return err_set(e, ERR_INPUT,
			       "calendar: differs from the calendar of an earlier pack");
	l->has_calendar = true;
	return true;
}

/* Checks a condition such as "market=CAISO": a known value of another dimension. */
static bool check_when(const struct loader *l, const char *when, struct err *e)
{
	struct str rest = str_of(when), name;
	const struct dimension_def *d = NULL;

	if (str_split(&rest, '=', &name))
		d = catalog_dimension(&l->impl->public, arena_strndup(l->arena, name.p, name.n));
	if (!d || !rest.p || !strlist_has(d->values, arena_strndup(l->arena, rest.p, rest.n)))
		return err_set(e, ERR_INPUT, "when: %s is not a known dimension=value", when);
	return true;
}

/* Counts runs of letters and digits. An apostrophe inside a word belongs to it. */
static size_t count_words(const char *text)
{
	size_t n = 0;
	bool inside = false;

	for (const char *p = text; *p; p++) {
		bool is_part = isalnum((unsigned char)*p) || (unsigned char)*p >= 0x80 ||
			       (inside && *p == '\'');

		n += is_part && !inside;
		inside = is_part;
	}
	return n;
}

/* Other texts could never match words of a question. */
static bool check_alias_text(const char *text, struct err *e)
{
	size_t words = count_words(text);

	for (const char *p = text; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			return err_set(e, ERR_INPUT, "text: \"%s\" is not in lower case", text);
	if (strlen(text) > ALIAS_BYTES_MAX)
		return err_set(e, ERR_INPUT, "text: longer than %d bytes: %.*s", ALIAS_BYTES_MAX,
			       STR_CUT(text, ALIAS_BYTES_MAX));
	if (words == 0 || words > ASKED_NAME_WORDS_MAX)
		return err_set(e, ERR_INPUT, "text: \"%s\" has %zu words, not 1 to %d", text, words,
			       ASKED_NAME_WORDS_MAX);
	return true;
}

static bool read_alias(struct loader *l, const json_t *item, const struct dimension_def *d,
		       struct alias_def *out, struct err *e)
{
	static const char *const members[] = {"text", "value", "when", NULL};

	out->pack = l->pack->name;
	if (!json_check_members(item, members, e) || !json_get_str(item, "text", &out->text, e) ||
	    !json_get_str(item, "value", &out->value, e) ||
	    !json_opt_str(item, "when", &out->when, e))
		return false;
	if (!check_alias_text(out->text, e))
		return false;
	if (d->values && !strlist_has(d->values, out->value))
		return err_set(e, ERR_INPUT, "value: %s is not a known value of %s", out->value,
			       d->name);
	return !out->when || check_when(l, out->when, e);
}

bool schema_add_aliases(struct loader *l, const char *name, const json_t *array, struct err *e)
{
	struct dimension_def *d = (struct dimension_def *)catalog_dimension(&l->impl->public, name);
	struct alias_def *list;
	const json_t *item;
	size_t i;

	if (!d)
		return err_set(e, ERR_INPUT, "%s is not a dimension", name);
	list = arena_alloc(l->arena, (d->alias_count + json_array_size(array) + 1) * sizeof(*list));
	for (i = 0; i < d->alias_count; i++)
		list[i] = d->aliases[i];
	json_array_foreach(array, i, item)
		if (!read_alias(l, item, d, &list[d->alias_count + i], e))
			return err_prefix(e, "%s[%zu]", name, i);
	d->aliases = list;
	d->alias_count += json_array_size(array);
	return true;
}

bool load_aliases(struct loader *l, struct err *e)
{
	struct words_file f;
	const char *name;
	json_t *root, *array;

	if (!load_pack_json(l, "entities.json", &f, &root, e))
		return false;
	json_object_foreach(root, name, array)
		if (!schema_add_aliases(l, name, array, e))
			return load_file_fail(&f);
	return true;
}

/* Packs with many tables may have their views in a separate file. */
static bool load_more_views(struct loader *l, struct err *e)
{
	static const char *const members[] = {"views", NULL};
	struct words_file f;
	json_t *root;

	if (!load_pack_json(l, "schema.json", &f, &root, e))
		return false;
	return !root ||
	       (json_check_members(root, members, e) &&
		schema_load_views(l, json_object_get(root, "views"), e)) ||
	       load_file_fail(&f);
}

/* The entry for the parts of the pack's file that are read last. */
static struct pack_schema *pack_schema_of(struct loader *l)
{
	size_t n = 0, at = 0;

	for (; l->packs[n]; n++)
		if (l->packs[n] == l->pack)
			at = n;
	if (!l->schemas)
		l->schemas = arena_alloc(l->arena, n * sizeof(*l->schemas));
	return &l->schemas[at];
}

bool load_schema(struct loader *l, struct err *e)
{
	static const char *const members[] = {"views",      "entities", "edges",    "chains",
					      "dimensions", "measures", "metrics",  "conditions",
					      "calendar",   "units",    "protocol", NULL};
	struct units *units = &l->impl->public.units;
	struct words_file f;
	json_t *root;

	if (!load_json(l, pack_file(l, "catalogue.json"), &f, &root, e))
		return false;
	if (json_object_get(root, "units") &&
	    !units_read(&f, json_object_get(root, "units"), "units", units, units))
		return false;
	if (!json_check_members(root, members, e) ||
	    !schema_load_views(l, json_object_get(root, "views"), e))
		return load_file_fail(&f);
	if (!load_more_views(l, e))
		return false;
	*pack_schema_of(l) = (struct pack_schema){f, root};
	return (schema_load_entities(l, json_object_get(root, "entities"), e) &&
		schema_load_dimensions(l, json_object_get(root, "dimensions"), e) &&
		load_calendar(l, json_object_get(root, "calendar"), e)) ||
	       load_file_fail(&f);
}

/* Edges precede chains, measures precede metrics, and entities come last. */
static bool finish_pack(struct loader *l, struct err *e)
{
	struct pack_schema *p = pack_schema_of(l);
	const json_t *root = p->root;

	p->file.err = e;
	return (schema_load_edges(l, json_object_get(root, "edges"), e) &&
		schema_load_chains(l, json_object_get(root, "chains"), e) &&
		schema_load_measures(l, json_object_get(root, "measures"), e) &&
		schema_load_metrics(l, json_object_get(root, "metrics"), e) &&
		schema_load_conditions(l, json_object_get(root, "conditions"), e) &&
		schema_load_protocol(l, json_object_get(root, "protocol"), e) &&
		schema_finish_entities(l, json_object_get(root, "entities"), e)) ||
	       load_file_fail(&p->file);
}

bool finish_schema(struct loader *l, struct err *e)
{
	return each_pack(l, finish_pack, e) && schema_imply_metrics(l, e);
}
