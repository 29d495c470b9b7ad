/* dbt's target/semantic_manifest.json (MetricFlow's semantic models and metrics). */
#include "import_int.h"

#include <ctype.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

/* "expr" or, without it, the name. It is a column only if it is a plain name. */
static const char *column_of(const json_t *item)
{
	const char *expr = im_text(item, "expr");

	return *expr ? expr : im_text(item, "name");
}

static const char *label_of(const json_t *item)
{
	return im_text(item, "label");
}

/* ---- semantic models ---- */

static bool has_type(const json_t *entity, const char *type)
{
	return strcmp(im_text(entity, "type"), type) == 0;
}

static void read_entities(struct import *im, struct im_table *t, const json_t *model,
			  const char *from)
{
	const json_t *item;
	size_t i;

	/* The primary entity first: it becomes the key. */
	for (int primary = 1; primary >= 0; primary--)
		json_array_foreach(json_object_get(model, "entities"), i, item) {
			const char *column = column_of(item);
			const char *const key[] = {column, NULL};

			if (has_type(item, "foreign") || has_type(item, "primary") != primary)
				continue;
			if (im_is_plain_name(column))
				im_add_key(im, t, key);
			else
				im_skip(im, "key", im_text(item, "name"), from,
					"its expression is not one column", column);
		}
}

static void read_dimension(struct import *im, struct im_table *t, const json_t *item,
			   const char *from)
{
	const char *name = im_text(item, "name"), *column = column_of(item);
	bool is_time = has_type(item, "time");

	if (!im_is_plain_name(column))
		im_skip(im, "dimension", name, from, "its expression is not one column", column);
	else if (!is_time && !has_type(item, "categorical"))
		im_skip(im, "dimension", name, from, "it is neither categorical nor time",
			im_text(item, "type"));
	else
		im_add_dimension(im, t, name, label_of(item), column, is_time ? "date" : "text",
				 NULL, from);
}

/* The pack's name for a dimension of this table. */
static const char *find_dimension(const struct import *im, const struct im_table *t,
				  const json_t *model, const char *name)
{
	const json_t *item;
	const char *column = NULL;
	size_t i;

	json_array_foreach(json_object_get(model, "dimensions"), i, item)
		if (strcmp(im_text(item, "name"), name) == 0)
			column = column_of(item);
	json_array_foreach(im->pack->dimensions, i, item)
		if (column && strcmp(im_text(item, "entity"), t->name) == 0 &&
		    strcmp(im_text(item, "column"), column) == 0)
			return im_text(item, "name");
	return NULL;
}

/* Non-additive measures: the last or the first value of a period. */
static void read_non_additive(struct import *im, const struct im_metric *m, const json_t *model,
			      const json_t *rule, const char *from)
{
	const char *over = find_dimension(im, m->table, model, im_text(rule, "name"));
	const char *choice = im_text(rule, "window_choice");
	const char *chosen = strcmp(choice, "max") == 0   ? "last"
			     : strcmp(choice, "min") == 0 ? "first"
							  : NULL;

	if (over && chosen)
		im_set_semi_additive(im, m, over, chosen);
	else
		im_skip(im, "measure", m->model_name, from,
			"its non-additive dimension was not imported, so it is summed", choice);
}

static const struct im_metric *read_measure(struct import *im, struct im_table *t,
					    const json_t *model, const char *name,
					    const char *label, const json_t *item, const char *from)
{
	const char *agg = im_text(item, "agg"), *column = column_of(item);
	const json_t *rule = json_object_get(item, "non_additive_dimension");
	const char *aggregate =
		strcmp(agg, "count_distinct") == 0 ? agg : im_aggregate(str_of(agg));
	const struct im_metric *m;

	/* SUM(1) and COUNT(1) count rows. */
	if (aggregate && strcmp(column, "1") == 0 &&
	    (strcmp(aggregate, "sum") == 0 || strcmp(aggregate, "count") == 0)) {
		aggregate = "count";
		column = NULL;
	}
	if (!aggregate || (column && !im_is_plain_name(column)) ||
	    (column && strcmp(aggregate, "count") == 0)) {
		im_skip(im, "measure", name, from,
			!aggregate ? "its aggregation is not translated"
				   : "its expression is not one column, or it counts a column's "
				     "values",
			!aggregate ? agg : column);
		return NULL;
	}
	m = im_add_measure(im, t, name, label, column, aggregate, "count", NULL, from);
	if (m && json_is_object(rule))
		read_non_additive(im, m, model, rule, from);
	return m;
}

static void read_model(struct import *im, const json_t *model, const char *from)
{
	const json_t *relation = json_object_get(model, "node_relation"), *item;
	struct im_table *t =
		im_add_table(im, im_text(model, "name"), im_text(relation, "schema_name"),
			     im_text(relation, "alias"), from);
	size_t i;

	if (!t)
		return;
	read_entities(im, t, model, from);
	json_array_foreach(json_object_get(model, "dimensions"), i, item)
		read_dimension(im, t, item, arena_printf(im->a, "%s.dimensions[%zu]", from, i));
	json_array_foreach(json_object_get(model, "measures"), i, item)
		read_measure(im, t, model, im_text(item, "name"), label_of(item), item,
			     arena_printf(im->a, "%s.measures[%zu]", from, i));
}

/* ---- edges: entities of the same name ---- */

static void add_edges(struct import *im, const json_t *models, const json_t *many,
		      const json_t *foreign)
{
	struct im_table *from = im_table(im, im_text(many, "name"));
	const json_t *model, *entity;
	size_t i, k;

	json_array_foreach(models, i, model) {
		struct im_table *to = im_table(im, im_text(model, "name"));

		json_array_foreach(json_object_get(model, "entities"), k, entity) {
			const char *on[1][2] = {{column_of(foreign), column_of(entity)}};

			if (!from || !to || from == to || has_type(entity, "foreign") ||
			    strcmp(im_text(entity, "name"), im_text(foreign, "name")) != 0)
				continue;
			if (im_is_plain_name(on[0][0]) && im_is_plain_name(on[0][1]))
				im_add_edge(im,
					    arena_printf(im->a, "%s %s", from->name,
							 im_text(foreign, "name")),
					    from, to, (const char *const(*)[2])on, 1, false,
					    "semantic_models");
			else
				im_skip(im, "edge", im_text(foreign, "name"), "semantic_models",
					"its expression is not one column", on[0][0]);
		}
	}
}

static void read_edges(struct import *im, const json_t *models)
{
	const json_t *model, *entity;
	size_t i, k;

	json_array_foreach(models, i, model)
		json_array_foreach(json_object_get(model, "entities"), k, entity)
			if (has_type(entity, "foreign"))
				add_edges(im, models, model, entity);
}

/* ---- metrics ---- */

static const char *name_member(const json_t *params, const char *member)
{
	const json_t *part = json_object_get(params, member);

	return json_is_string(part) ? json_string_value(part) : im_text(part, "name");
}

static bool is_filtered(const json_t *item)
{
	return json_is_object(json_object_get(item, "filter"));
}

static bool is_part_filtered(const json_t *params, const char *member)
{
	const json_t *part = json_object_get(params, member);

	return is_filtered(part) || json_is_object(json_object_get(part, "offset_window")) ||
	       json_is_string(json_object_get(part, "offset_to_grain"));
}

/* Supports only {{ Dimension('listing__country') }} = 'US': reads the dimension and its value. */
static bool read_filter(struct import *im, const json_t *filter, const char **dimension,
			const char **value)
{
	const json_t *list = json_object_get(filter, "where_filters");
	const char *text = im_text(json_array_get(list, 0), "where_sql_template"), *end;
	const char *from = strstr(text, "Dimension('");

	if (json_array_size(list) != 1 || !from || strstr(from + 1, "Dimension('"))
		return false;
	from += strlen("Dimension('");
	end = strchr(from, '\'');
	if (!end)
		return false;
	*dimension = arena_strndup(im->a, from, (size_t)(end - from));
	from = end + 1;
	from += strspn(from, " )");
	if (strncmp(from, "}}", 2) != 0)
		return false;
	from += 2 + strspn(from + 2, " ");
	if (*from != '=')
		return false;
	from += 1 + strspn(from + 1, " ");
	end = *from == '\'' ? strchr(from + 1, '\'') : NULL;
	if (!end || end[1 + strspn(end + 1, " ")] != '\0')
		return false;
	*value = arena_strndup(im->a, from + 1, (size_t)(end - from - 1));
	return true;
}

/* The pack's dimension for "listing__country": that of the table with the entity. */
static const char *filtered_dimension(struct import *im, const json_t *models, const char *name)
{
	const char *mark = strstr(name, "__");
	const json_t *model, *entity;
	size_t i, k;

	json_array_foreach(models, i, model)
		json_array_foreach(json_object_get(model, "entities"), k, entity) {
			const struct im_table *t = im_table(im, im_text(model, "name"));
			const char *found = NULL;

			if (mark && t && !has_type(entity, "foreign") &&
			    strlen(im_text(entity, "name")) == (size_t)(mark - name) &&
			    strncmp(im_text(entity, "name"), name, (size_t)(mark - name)) == 0)
				found = find_dimension(im, t, model, mark + 2);
			if (found)
				return found;
		}
	return NULL;
}

static void add_filtered(struct import *im, const json_t *models, const json_t *item,
			 const struct im_metric *m, const json_t *filter, const char *from)
{
	const char *name = im_text(item, "name"), *dimension, *value, *name_in_pack;
	json_t *where;

	if (!m || m->kind != IM_MEASURE || !read_filter(im, filter, &dimension, &value) ||
	    !(name_in_pack = filtered_dimension(im, models, dimension))) {
		im_skip(im, "metric", name, from, "its filter is not translated",
			im_text(json_array_get(json_object_get(filter, "where_filters"), 0),
				"where_sql_template"));
		return;
	}
	where = json_list_of(json_make({"name", json_str(name_in_pack)}, {"op", json_str("is")},
				       {"values", json_list_of(json_str(value))}));
	im_add_filtered(im, name, label_of(item), m, where, from);
}

static void read_simple(struct import *im, const json_t *models, const json_t *item,
			const char *from)
{
	const json_t *params = json_object_get(item, "type_params");
	const json_t *aggregation = json_object_get(params, "metric_aggregation_params");
	const char *name = im_text(item, "name"), *measure = name_member(params, "measure");
	const json_t *filter = json_object_get(item, "filter"), *model;
	const struct im_metric *m = im_metric(im, measure);
	size_t i;

	if (json_is_object(aggregation)) {
		json_array_foreach(models, i, model) {
			struct im_table *t = im_table(im, im_text(model, "name"));

			if (t && strcmp(im_text(model, "name"),
					im_text(aggregation, "semantic_model")) == 0)
				read_measure(im, t, model, name, label_of(item), aggregation, from);
		}
		return;
	}
	if (!json_is_object(filter) && is_part_filtered(params, "measure"))
		filter = json_object_get(json_object_get(params, "measure"), "filter");
	if (json_is_object(filter))
		add_filtered(im, models, item, m, filter, from);
	else if (!m)
		im_skip(im, "metric", name, from, "its measure was skipped", measure);
	else if (strcmp(name, measure) != 0)
		im_add_filtered(im, name, label_of(item), m, NULL, from);
}

/* a - b or a / b, with names or aliases of metrics. */
static void read_derived(struct import *im, const json_t *item, const char *from)
{
	const json_t *params = json_object_get(item, "type_params");
	const json_t *inputs = json_object_get(params, "metrics"), *input;
	const char *expr = im_text(params, "expr"), *parts[2] = {NULL, NULL};
	size_t n = strcspn(expr, "-/"), i;
	struct str sides[2];

	if (!expr[n] || json_array_size(inputs) != 2 || strpbrk(expr + n + 1, "-/+*()")) {
		im_skip(im, "metric", im_text(item, "name"), from,
			"its expression is not translated", expr);
		return;
	}
	sides[0] = str_trim((struct str){expr, n});
	sides[1] = str_trim(str_of(expr + n + 1));
	json_array_foreach(inputs, i, input)
		for (int k = 0; k < 2; k++)
			if (!is_filtered(input) &&
			    !json_is_object(json_object_get(input, "offset_window")) &&
			    (str_eq(sides[k], str_of(im_text(input, "name"))) ||
			     str_eq(sides[k], str_of(im_text(input, "alias")))))
				parts[k] = im_text(input, "name");
	im_add_metric(im, im_text(item, "name"), label_of(item),
		      expr[n] == '/' ? "ratio" : "difference",
		      parts[0] ? im_metric(im, parts[0]) : NULL,
		      parts[1] ? im_metric(im, parts[1]) : NULL, "count", NULL, from, expr);
}

static void read_metric(struct import *im, const json_t *models, const json_t *item,
			const char *from)
{
	const json_t *params = json_object_get(item, "type_params");
	const char *type = im_text(item, "type"), *name = im_text(item, "name");

	if (strcmp(type, "simple") == 0)
		read_simple(im, models, item, from);
	else if (is_filtered(item) || is_part_filtered(params, "numerator") ||
		 is_part_filtered(params, "denominator"))
		im_skip(im, "metric", name, from,
			"filters and offsets of its parts are not translated", type);
	else if (strcmp(type, "ratio") == 0)
		im_add_metric(im, name, label_of(item), "ratio",
			      im_metric(im, name_member(params, "numerator")),
			      im_metric(im, name_member(params, "denominator")), "count", NULL,
			      from, type);
	else if (strcmp(type, "derived") == 0)
		read_derived(im, item, from);
	else
		im_skip(im, "metric", name, from, "this type is not translated", type);
}

bool import_dbt(struct import *im, const json_t *root, struct err *e)
{
	const json_t *models = json_object_get(root, "semantic_models"), *item;
	size_t i;

	if (!json_is_array(json_object_get(root, "metrics")))
		return err_set(e, ERR_INPUT,
			       "semantic_models without metrics: the file is not "
			       "dbt's semantic_manifest.json");
	json_array_foreach(models, i, item)
		read_model(im, item, arena_printf(im->a, "semantic_models[%zu]", i));
	read_edges(im, models);
	json_array_foreach(json_object_get(root, "metrics"), i, item)
		read_metric(im, models, item, arena_printf(im->a, "metrics[%zu]", i));
	return true;
}
