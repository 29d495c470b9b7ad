/*
 * JSON schema of a tool's arguments, derived from its header. Model services cache it by its bytes,
 * so members keep the header's order. Limits are in the descriptions: vendors' strict tool schemas
 * have no numeric ranges, and code checks every value anyway.
 */
#include "catalog_int.h"

#include <inttypes.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/outcome.h"

const char *param_type_name(enum param_type type)
{
	switch (type) {
	case PARAM_INT:
		return "integer";
	case PARAM_DECIMAL:
		return "number";
	case PARAM_BOOL:
		return "boolean";
	default:
		return "string";
	}
}

static json_t *enum_of(const struct catalog *c, const struct param_def *p)
{
	const struct dimension_def *d = p->entity ? catalog_dimension(c, p->entity) : NULL;
	const char *const *list;
	json_t *values;

	if (p->slot == SLOT_ORDER) {
		values = json_array();
		json_push_take(values, json_str(ORDER_ASC));
		json_push_take(values, json_str(ORDER_DESC));
		return values;
	}
	list = p->values ? p->values : d ? d->values : NULL;
	if (!list || strlist_len(list) > ENUM_VALUES_MAX)
		return NULL;
	values = json_array();
	for (const char *const *v = list; *v; v++)
		json_push_take(values, json_str(*v));
	return values;
}

static json_t *description(const struct param_def *p)
{
	struct buf b;

	buf_init(&b, PROMPT_FILE_BYTES_MAX);
	buf_str(&b, p->about);
	if (p->has_min && p->has_max)
		buf_printf(&b, " (%" PRId64 " to %" PRId64 ")", p->min, p->max);
	else if (p->has_min)
		buf_printf(&b, " (at least %" PRId64 ")", p->min);
	else if (p->has_max)
		buf_printf(&b, " (at most %" PRId64 ")", p->max);
	if (p->unit)
		buf_printf(&b, " (in %s)", p->unit->symbol);
	if (p->is_list && p->list_min > 1)
		buf_printf(&b, " (%zu to %zu values)", p->list_min, p->list_max);
	else if (p->is_list)
		buf_printf(&b, " (at most %zu values)", p->list_max);
	if (p->default_text)
		buf_printf(&b, " (default %s)", p->default_text);
	json_t *text = json_strn(buf_text(&b), b.n);
	buf_deinit(&b);
	return text;
}

static json_t *property(const struct catalog *c, const struct param_def *p)
{
	json_t *value = json_object(), *result = value;

	json_set_str(value, "type", param_type_name(p->type));
	if (p->type == PARAM_DATE)
		json_set_str(value, "format", "date");
	json_set_take(value, "enum", enum_of(c, p));
	if (p->is_list) {
		result = json_object();
		json_set_str(result, "type", "array");
		json_set_take(result, "items", value);
	}
	json_set_take(result, "description", description(p));
	return result;
}

json_t *tool_schema_new(const struct catalog *c, const struct tool_def *t)
{
	json_t *schema = json_object();
	json_t *properties = json_object();
	json_t *required = json_array();

	for (size_t i = 0; i < t->param_count; i++) {
		const struct param_def *p = &t->params[i];
		json_set_take(properties, p->name, property(c, p));
		if (p->required)
			json_push_take(required, json_str(p->name));
	}
	json_set_str(schema, "type", "object");
	json_set_take(schema, "properties", properties);
	json_set_take(schema, "required", required);
	json_set_bool(schema, "additionalProperties", false);
	return schema;
}

static json_t *columns_json(const struct tool_def *t)
{
	json_t *columns = json_array();

	for (size_t i = 0; i < t->column_count; i++) {
		const struct column_def *c = &t->columns[i];
		json_t *column = json_object();

		json_set_str(column, "name", c->name);
		json_set_str(column, "label", c->label);
		json_set_str(column, "unit", c->unit);
		json_set_str(column, "type", c->has_type ? column_type_name(c->type) : NULL);
		json_set_str(column, "permission", c->permission);
		json_push_take(columns, column);
	}
	return columns;
}

static json_t *facts_json(const struct tool_def *t)
{
	json_t *facts = json_array();

	for (size_t i = 0; i < t->fact_count; i++) {
		const struct fact_def *f = &t->facts[i];
		json_t *fact = json_object();

		json_set_str(fact, "name", f->name);
		json_set_str(fact, "label", f->label);
		char *unit_of = f->unit_of ? mem_printf("@%s", f->unit_of) : NULL;

		json_set_str(fact, "unit", unit_of ? unit_of : f->unit);
		mem_free(unit_of);
		json_set_str(fact, "type", fact_type_name(f->type));
		json_set_bool(fact, "optional", f->optional);
		json_set_str(fact, "about", f->about);
		json_push_take(facts, fact);
	}
	return facts;
}

static json_t *tool_json(const struct tool_def *t)
{
	json_t *tool = json_object();

	json_set_str(tool, "name", t->name);
	json_set_str(tool, "about", t->about);
	json_set_str(tool, "permission", t->callers.permission);
	json_set_str(tool, "report", t->reports ? t->reports[0] : NULL);
	json_set_take(tool, "reports", json_texts(t->reports));
	json_set_take(tool, "agents", json_texts(t->callers.agents));
	json_set_take(tool, "schema", json_deep_copy(t->schema));
	json_set_take(tool, "columns", columns_json(t));
	json_set_take(tool, "facts", facts_json(t));
	return tool;
}

json_t *catalog_tools_json(const struct catalog_view *v)
{
	json_t *tools = json_array();

	for (size_t i = 0; i < v->tool_count; i++)
		json_push_take(tools, tool_json(v->tools[i]));
	for (size_t i = 0; i < v->agent_tool_count; i++)
		json_push_take(tools, tool_json(v->agent_tools[i]));
	return tools;
}

json_t *catalog_tool_json(const struct catalog_view *v, const char *name)
{
	for (size_t i = 0; i < v->tool_count; i++)
		if (strcmp(v->tools[i]->name, name) == 0)
			return tool_json(v->tools[i]);
	for (size_t i = 0; i < v->agent_tool_count; i++)
		if (strcmp(v->agent_tools[i]->name, name) == 0)
			return tool_json(v->agent_tools[i]);
	return NULL;
}

/* ---- results of a call ---- */

static json_t *type_schema(const char *type)
{
	return json_make({"type", json_str(type)});
}

/* The cell's types, or null. A number with more digits than a double holds is a string. */
static json_t *cell_schema(const struct column_def *c)
{
	static const char *const number[] = {"number", "string", "null", NULL};
	static const char *const text[] = {"string", "null", NULL};
	static const char *const boolean[] = {"boolean", "null", NULL};
	static const char *const any[] = {"number", "string", "boolean", "null", NULL};
	const char *const *types = !c->has_type                ? any
				   : column_is_number(c->type) ? number
				   : c->type == COLUMN_BOOL    ? boolean
							       : text;

	return json_make({"type", json_texts(types)}, {"description", json_str(c->label)});
}

static json_t *row_schema(const struct tool_def *t, const struct principal *who)
{
	json_t *properties = json_object();

	for (size_t i = 0; i < t->column_count; i++) {
		const struct column_def *c = &t->columns[i];

		if (!c->permission || may(who, c->permission))
			json_set_take(properties, c->name, cell_schema(c));
	}
	return json_make({"type", json_str("object")}, {"properties", properties});
}

static json_t *fact_schemas(const struct tool_def *t)
{
	static const char *const number[] = {"number", "string", NULL};
	json_t *properties = json_object();

	for (size_t i = 0; i < t->fact_count; i++) {
		const struct fact_def *f = &t->facts[i];
		bool counts = f->type == FACT_NUMBER || f->type == FACT_INT;

		json_set_take(properties, f->name,
			      json_make({"type", counts ? json_texts(number) : json_str("string")},
					{"description", json_str(f->about)}));
	}
	return json_make({"type", json_str("object")}, {"properties", properties});
}

static json_t *outcome_schema(void)
{
	json_t *kinds = json_array();

	for (enum outcome_kind i = 0; i < OUTCOME_KIND_COUNT; i++)
		json_push_take(kinds, json_str(outcome_name(i)));
	return json_make({"enum", kinds});
}

json_t *catalog_output_schema(const struct tool_def *t, const struct principal *who)
{
	static const char *const required[] = {"outcome", "row_count", NULL};
	json_t *properties = json_object();

	json_set_take(properties, "outcome", outcome_schema());
	json_set_take(properties, "row_count", type_schema("integer"));
	json_set_take(properties, "rows",
		      json_make({"type", json_str("array")}, {"items", row_schema(t, who)}));
	json_set_take(properties, "truncated", type_schema("boolean"));
	json_set_take(properties, "facts", fact_schemas(t));
	json_set_take(properties, "receipt_id", type_schema("string"));
	return json_make({"type", json_str("object")}, {"required", json_texts(required)},
			 {"properties", properties});
}
