/* Components of a pack: reads and checks config/<pack>/components.json, finds components by name,
 * and writes them for the page. */
#include "../catalog_int.h"

#include <string.h>

#include "vesper/component.h"
#include "vesper/json.h"
#include "vesper/limits.h"

static const char *const type_names[] = {
	[PROP_NUMBER] = "number", [PROP_INTEGER] = "integer",   [PROP_TEXT] = "text",
	[PROP_DATE] = "date",     [PROP_DATETIME] = "datetime", [PROP_FLAG] = "flag",
	[PROP_TABLE] = "table",   [PROP_SERIES] = "series",
};

static const char *const tones[] = {"positive", "caution", "critical", "info", "neutral", NULL};

/* State while reading a component. */
struct component_reader {
	const struct words_file *f;
	const struct units *units;
	struct component_def *def;
	const char *member; /* path of the component in the file */
};

const char *prop_type_name(enum prop_type type)
{
	return type_names[type];
}

/* ASCII letters, digits and "_", beginning with a letter. */
static bool is_valid_name(const char *text)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");

	return n > 0 && n <= REF_NAME_MAX && !text[n] && strchr(letters, *text);
}

static bool fail(const struct component_reader *r, const char *part, const char *what)
{
	return words_fail(r->f, arena_printf(r->f->arena, "%s.%s", r->member, part), "%s", what);
}

/* ---- props ---- */

static bool read_type(const struct component_reader *r, const char *at, const char *name,
		      enum prop_type *out)
{
	for (size_t i = 0; i < sizeof(type_names) / sizeof(type_names[0]); i++)
		if (strcmp(type_names[i], name) == 0) {
			*out = (enum prop_type)i;
			return true;
		}
	return fail(r, at,
		    arena_printf(r->f->arena, "\"%.*s\" is not a prop type", STR_CUT(name, 40)));
}

static struct prop_column *columns_new(const struct component_reader *r, struct prop_def *p,
				       size_t n)
{
	struct prop_column *columns = arena_alloc(r->f->arena, (n + 1) * sizeof(*columns));

	p->columns = columns;
	p->column_count = n;
	return columns;
}

static bool read_columns(const struct component_reader *r, const char *at, const json_t *list,
			 struct prop_def *p)
{
	size_t n = json_object_size(list), i = 0;
	struct prop_column *columns;
	const char *name;
	json_t *type;

	if (n == 0 || n > TOOL_COLUMNS_MAX)
		return fail(r, at, "a table needs columns: {NAME: type}");
	columns = columns_new(r, p, n);
	json_object_foreach((json_t *)(uintptr_t)list, name, type) {
		struct prop_column *c = &columns[i++];

		*c = (struct prop_column){.name = name, .has_type = true};
		if (!json_is_string(type) || !column_type_parse(json_string_value(type), &c->type))
			return fail(r, at,
				    arena_printf(r->f->arena, "%.*s is not a column type",
						 STR_CUT(name, 60)));
	}
	return true;
}

static const char *text_of(const json_t *item, const char *name)
{
	return json_string_value(json_object_get(item, name));
}

/* Columns in order: x, the column that separates curves, then y. */
static bool read_axes(const struct component_reader *r, const char *at, const json_t *item,
		      struct prop_def *p)
{
	const json_t *y = json_object_get(item, "y"), *one;
	size_t count = json_array_size(y), n = 0, i;
	struct prop_column *columns;

	if (!text_of(item, "x") || count == 0 || count > TOOL_COLUMNS_MAX - 2 ||
	    (json_object_get(item, "by") && !text_of(item, "by")))
		return fail(r, at, "a series needs x: COLUMN and y: [COLUMN]");
	columns = columns_new(r, p, count + 2);
	columns[n++] = (struct prop_column){.name = text_of(item, "x")};
	if (text_of(item, "by"))
		columns[n++] = (struct prop_column){.name = text_of(item, "by")};
	json_array_foreach((json_t *)(uintptr_t)y, i, one) {
		if (!json_is_string(one))
			return fail(r, at, "a series needs x: COLUMN and y: [COLUMN]");
		columns[n++] = (struct prop_column){.name = json_string_value(one)};
	}
	p->column_count = n;
	return true;
}

static bool read_rows(const struct component_reader *r, const char *at, const json_t *item,
		      struct prop_def *p)
{
	int64_t rows = COMPONENT_ROWS_MAX;
	struct err e = {0};

	if (!json_opt_int(item, "rows", &rows, &e) || rows < 1 || rows > COMPONENT_ROWS_MAX)
		return fail(r, at,
			    arena_printf(r->f->arena, "rows must be 1 to %d", COMPONENT_ROWS_MAX));
	p->rows = (size_t)rows;
	return true;
}

static bool read_prop(const struct component_reader *r, const char *name, const json_t *item,
		      struct prop_def *p)
{
	static const char *const of_one[] = {"type", "label", "unit", "required", NULL};
	static const char *const of_table[] = {"type",    "label", "required",
					       "columns", "rows",  NULL};
	static const char *const of_series[] = {"type", "label", "required", "x",
						"by",   "y",     "rows",     NULL};
	const char *at = arena_printf(r->f->arena, "props.%s", name), *type = "";
	struct err e = {0};

	*p = (struct prop_def){.name = name};
	if (!is_valid_name(name))
		return fail(r, at, "a name may contain only letters, digits and _");
	if (!json_get_str(item, "type", &type, &e))
		return fail(r, at, e.text);
	if (!read_type(r, at, type, &p->type))
		return false;
	if (!json_check_members(item,
				p->type == PROP_TABLE    ? of_table
				: p->type == PROP_SERIES ? of_series
							 : of_one,
				&e) ||
	    !json_opt_str(item, "label", &p->label, &e) ||
	    !json_opt_str(item, "unit", &p->unit, &e) ||
	    !json_opt_bool(item, "required", &p->required, &e))
		return fail(r, at, e.text);
	if (p->unit && (!units_find(r->units, p->unit) || p->type > PROP_INTEGER))
		return fail(r, at, "unit: must be one of config/units.json, for a number");
	if (!prop_is_result_set(p))
		return true;
	return read_rows(r, at, item, p) &&
	       (p->type == PROP_TABLE ? read_columns(r, at, json_object_get(item, "columns"), p)
				      : read_axes(r, at, item, p));
}

static bool read_props(struct component_reader *r, const json_t *list)
{
	struct component_def *d = r->def;
	struct prop_def *props;
	const char *name;
	json_t *item;

	if (json_object_size(list) == 0 || json_object_size(list) > PROPS_MAX)
		return fail(r, "props",
			    arena_printf(r->f->arena, "expected 1 to %d props", PROPS_MAX));
	d->props = props = arena_alloc(r->f->arena, (json_object_size(list) + 1) * sizeof(*props));
	json_object_foreach((json_t *)(uintptr_t)list, name, item)
		if (!read_prop(r, name, item, &props[d->prop_count++]))
			return false;
	return true;
}

/* ---- layout ---- */

struct part_kind {
	const char *name;
	unsigned types;   /* bit set of the prop types it can show */
	const char *more; /* an additional member, or NULL */
};

#define ONE(type) (1u << PROP_##type)
#define PLAIN     (ONE(NUMBER) | ONE(INTEGER) | ONE(TEXT) | ONE(DATE) | ONE(DATETIME) | ONE(FLAG))

static const struct part_kind kinds[] = {
	{"cards", PLAIN, NULL},          {"table", ONE(TABLE) | ONE(SERIES), "empty"},
	{"chart", ONE(SERIES), "empty"}, {"text", ONE(TEXT), NULL},
	{"badge", ONE(TEXT), "tones"},   {"progress", ONE(NUMBER) | ONE(INTEGER), NULL},
};

static bool check_prop_of(const struct component_reader *r, const char *at,
			  const struct part_kind *k, const json_t *name)
{
	const struct prop_def *p =
		json_is_string(name) ? component_prop(r->def, json_string_value(name)) : NULL;

	if (!p)
		return fail(r, at, "not a prop of the component");
	if (!(k->types & (1u << p->type)))
		return fail(r, at,
			    arena_printf(r->f->arena, "%s cannot show a prop of type %s", k->name,
					 prop_type_name(p->type)));
	return strcmp(k->name, "progress") != 0 || (p->unit && strcmp(p->unit, "%") == 0) ||
	       fail(r, at, "progress needs a number with the unit %");
}

static bool check_extra_member(const struct component_reader *r, const char *at,
			       const struct part_kind *k, const json_t *more)
{
	const char *word;
	json_t *tone;

	if (strcmp(k->more, "empty") == 0)
		return !more || json_is_string(more) || fail(r, at, "empty: not a string");
	if (!json_is_object(more))
		return fail(r, at, "a badge needs tones: {WORD: tone}");
	json_object_foreach((json_t *)(uintptr_t)more, word, tone)
		if (!json_is_string(tone) || !strlist_has(tones, json_string_value(tone)))
			return fail(r, at,
				    "a tone must be positive, caution, critical, info or neutral");
	return true;
}

static bool check_part(const struct component_reader *r, size_t index, const json_t *part)
{
	const char *at = arena_printf(r->f->arena, "layout[%zu]", index);
	const struct part_kind *k = NULL;
	const json_t *shown, *more, *item;
	size_t i;

	for (i = 0; !k && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		k = json_object_get(part, kinds[i].name) ? &kinds[i] : NULL;
	if (!k)
		return fail(r, at, "a part must be cards, table, chart, text, badge or progress");
	shown = json_object_get(part, k->name);
	more = k->more ? json_object_get(part, k->more) : NULL;
	if (json_object_size(part) != 1u + (more != NULL))
		return fail(r, at,
			    arena_printf(r->f->arena, "%s does not have these members", k->name));
	if (k->more && !check_extra_member(r, at, k, more))
		return false;
	if (!json_is_array(shown))
		return strcmp(k->name, "cards") != 0 ? check_prop_of(r, at, k, shown)
						     : fail(r, at, "cards must be a list of props");
	if (strcmp(k->name, "cards") != 0)
		return fail(r, at, arena_printf(r->f->arena, "%s must be one prop", k->name));
	json_array_foreach((json_t *)(uintptr_t)shown, i, item)
		if (!check_prop_of(r, at, k, item))
			return false;
	return true;
}

static bool check_layout(const struct component_reader *r)
{
	const json_t *part;
	size_t i;

	if (json_array_size(r->def->layout) == 0 || json_array_size(r->def->layout) > PROPS_MAX)
		return fail(r, "layout",
			    arena_printf(r->f->arena, "expected 1 to %d parts", PROPS_MAX));
	json_array_foreach((json_t *)(uintptr_t)r->def->layout, i, part)
		if (!check_part(r, i, part))
			return false;
	return true;
}

/* ---- text ---- */

static bool check_placeholder(const struct component_reader *r, struct str name)
{
	const char *text = arena_strndup(r->f->arena, name.p, name.n);
	const struct prop_def *p = component_prop(r->def, text);

	return (p && !prop_is_result_set(p)) ||
	       fail(r, "text",
		    arena_printf(r->f->arena, "{%.*s} is not a prop with a single value",
				 STR_CUT(text, 60)));
}

static bool check_text(const struct component_reader *r)
{
	bool is_open = false;

	for (const char *p = r->def->text; *p; p++) {
		bool opens = strncmp(p, "[[", 2) == 0;

		if (opens || strncmp(p, "]]", 2) == 0) {
			if (opens == is_open)
				return fail(r, "text", "[[ and ]] are not paired");
			is_open = opens;
			p++;
		} else if (*p == '{') {
			size_t n = strcspn(p, "}");

			if (!p[n])
				return fail(r, "text", "a { is not closed");
			if (!check_placeholder(r, (struct str){p + 1, n - 1}))
				return false;
			p += n;
		}
	}
	return !is_open || fail(r, "text", "a [[ is not closed");
}

/* ---- schema ---- */

static json_t *table_schema(const struct prop_def *p)
{
	json_t *dict = json_object();

	for (size_t i = 0; i < p->column_count; i++)
		json_set_take(dict, p->columns[i].name,
			      json_make({"type", json_str("array")},
					{"maxItems", json_integer((json_int_t)p->rows)}));
	return json_make(
		{"type", json_str("object")},
		{"properties",
		 json_make(
			 {"columns", json_make({"type", json_str("array")})},
			 {"row_count", json_make({"type", json_str("integer")},
						 {"maximum", json_integer((json_int_t)p->rows)})},
			 {"data_dict", json_make({"type", json_str("object")}, {"properties", dict},
						 {"additionalProperties", json_false()})})},
		{"required",
		 json_texts((const char *const[]){"columns", "data_dict", "row_count", NULL})});
}

static json_t *prop_schema(const struct prop_def *p)
{
	if (prop_is_result_set(p))
		return table_schema(p);
	if (p->type == PROP_FLAG)
		return json_make({"type", json_str("boolean")});
	if (p->type == PROP_NUMBER || p->type == PROP_INTEGER) /* strings for numbers beyond 2^53 */
		return json_make(
			{"type", json_texts((const char *const[]){"number", "string", NULL})});
	return json_make({"type", json_str("string")});
}

static json_t *schema_of(const struct component_def *d)
{
	json_t *properties = json_object(), *required = json_array();

	for (size_t i = 0; i < d->prop_count; i++) {
		json_set_take(properties, d->props[i].name, prop_schema(&d->props[i]));
		if (d->props[i].required)
			json_push_take(required, json_str(d->props[i].name));
	}
	return json_make({"type", json_str("object")}, {"properties", properties},
			 {"required", required}, {"additionalProperties", json_false()});
}

/* ---- whole component ---- */

static bool read_component(struct loader *l, const struct words_file *f, const char *name,
			   const json_t *item, struct component_def *d)
{
	static const char *const members[] = {"about", "props", "layout", "text", NULL};
	struct component_reader r = {
		.f = f, .units = &l->impl->public.units, .def = d, .member = name};
	json_t *props = NULL, *layout = NULL;
	struct err e = {0};

	*d = (struct component_def){.name = name, .pack = l->pack->name};
	if (!is_valid_name(name))
		return words_fail(f, name, "a name may contain only letters, digits and _");
	if (catalog_component(&l->impl->public, name))
		return words_fail(f, name, "another pack has a component of this name");
	if (!json_check_members(item, members, &e) || !json_get_str(item, "about", &d->about, &e) ||
	    !json_get_str(item, "text", &d->text, &e) ||
	    !json_opt_object(item, "props", &props, &e) ||
	    !json_opt_array(item, "layout", &layout, &e))
		return words_fail(f, name, "%s", e.text);
	d->layout = layout;
	if (!read_props(&r, props) || !check_layout(&r) || !check_text(&r))
		return false;
	d->schema = json_own(l->arena, schema_of(d));
	return true;
}

bool load_components(struct loader *l, struct err *e)
{
	struct catalog *c = &l->impl->public;
	struct component_def *list = (struct component_def *)(uintptr_t)c->components;
	struct words_file f;
	const char *name;
	json_t *root, *item;

	if (!load_pack_json(l, "components.json", &f, &root, e))
		return false;
	json_object_foreach(root, name, item) {
		if (c->component_count == COMPONENTS_MAX)
			return words_fail(&f, name, "more than %d components", COMPONENTS_MAX);
		list = arena_grow(l->arena, list, c->component_count, &l->component_cap,
				  sizeof(*list));
		c->components = list;
		if (!read_component(l, &f, name, item, &list[c->component_count]))
			return false;
		c->component_count++;
	}
	return true;
}

const struct component_def *catalog_component(const struct catalog *c, const char *name)
{
	for (size_t i = 0; i < c->component_count; i++)
		if (strcmp(c->components[i].name, name) == 0)
			return &c->components[i];
	return NULL;
}

const struct prop_def *component_prop(const struct component_def *c, const char *name)
{
	for (size_t i = 0; i < c->prop_count; i++)
		if (strcmp(c->props[i].name, name) == 0)
			return &c->props[i];
	return NULL;
}

static json_t *props_json(const struct component_def *d)
{
	json_t *props = json_object();

	for (size_t i = 0; i < d->prop_count; i++) {
		const struct prop_def *p = &d->props[i];

		json_set_take(props, p->name,
			      json_make({"type", json_str(prop_type_name(p->type))},
					{"label", json_str(p->label)}, {"unit", json_str(p->unit)},
					{"required", json_boolean(p->required)}));
	}
	return props;
}

json_t *catalog_components_json(const struct catalog *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->component_count; i++) {
		const struct component_def *d = &c->components[i];

		json_push_take(list,
			       json_make({"name", json_str(d->name)}, {"about", json_str(d->about)},
					 {"props", props_json(d)},
					 {"layout", json_deep_copy(d->layout)},
					 {"schema", json_deep_copy(d->schema)}));
	}
	return list;
}
