/* Measures, and metrics based on them. */
#include "schema_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/language.h"
#include "vesper/limits.h"

static bool find_unit(const struct loader *l, const json_t *item, const char *at,
		      const struct unit_def **out, struct err *e)
{
	const char *symbol;

	if (!json_get_str(item, "unit", &symbol, e))
		return err_prefix(e, "%s", at);
	*out = units_find(&l->impl->public.units, symbol);
	return *out || err_set(e, ERR_INPUT,
			       "%s: unit %s is not registered (units of the pack's catalogue.json, "
			       "or config/units.json)",
			       at, symbol);
}

/* ---- measures ---- */

static bool read_column(const json_t *item, const char *at, struct measure_def *m, struct err *e)
{
	const char *name = NULL;

	if (!json_opt_str(item, "column", &name, e))
		return err_prefix(e, "%s", at);
	if (!name)
		return m->aggregate == AGGREGATE_COUNT ||
		       err_set(e, ERR_INPUT, "%s: %s needs a column", at,
			       aggregate_name(m->aggregate));
	if (m->aggregate == AGGREGATE_COUNT)
		return err_set(e, ERR_INPUT, "%s: count counts rows and takes no column", at);
	if (!schema_column(m->entity, name, at, &m->column, e))
		return false;
	if (!m->column->has_type)
		return err_set(e, ERR_INPUT, "%s: column %s of view %s needs a type", at, name,
			       m->entity->view->name);
	if ((m->aggregate == AGGREGATE_SUM || m->aggregate == AGGREGATE_AVG) &&
	    !column_is_number(m->column->type))
		return err_set(e, ERR_INPUT, "%s: column %s is %s, but %s needs a number", at, name,
			       column_type_name(m->column->type), aggregate_name(m->aggregate));
	return true;
}

static bool read_over(struct loader *l, const json_t *item, const char *at, struct measure_def *m,
		      struct err *e)
{
	static const char *const takes[] = {"last", "first", "avg", "min", "max", NULL};
	const char *over = NULL;
	size_t take = SIZE_MAX;

	if (!json_opt_str(item, "over", &over, e))
		return err_prefix(e, "%s", at);
	if (!schema_choice(item, "take", takes, at, &take, e))
		return false;
	if (m->additivity != ADDITIVE_SEMI)
		return (!over && take == SIZE_MAX) ||
		       err_set(e, ERR_INPUT, "%s: only semi-additive measures have over and take",
			       at);
	if (!over || take == SIZE_MAX)
		return err_set(e, ERR_INPUT, "%s: a semi-additive measure needs over and take", at);
	m->take = (enum measure_take)take;
	if (!schema_dimension_of(l, over, at, &m->over, e))
		return false;
	return m->over->map.entity == m->entity ||
	       err_set(e, ERR_INPUT, "%s: over: %s is not a dimension of %s", at, over,
		       m->entity->name);
}

static bool read_latest(struct loader *l, const json_t *object, const char *at,
			struct measure_def *m, struct err *e)
{
	static const char *const members[] = {"order", "label", "per", NULL};
	const char *order, *label = NULL;

	if (!object)
		return true;
	at = arena_printf(l->arena, "%s.latest", at);
	if (!json_check_members(object, members, e) || !json_get_str(object, "order", &order, e) ||
	    !json_opt_str(object, "label", &label, e))
		return err_prefix(e, "%s", at);
	if (!schema_dimension_of(l, order, at, &m->latest.order, e) ||
	    (label && !schema_dimension_of(l, label, at, &m->latest.label, e)) ||
	    !schema_dimensions(l, object, "per", at, &m->latest.per, e))
		return false;
	for (const struct dimension_def *const *per = m->latest.per; *per; per++)
		if ((*per)->map.entity != m->latest.order->map.entity)
			return err_set(e, ERR_INPUT,
				       "%s: per: %s and %s belong to different entities", at,
				       (*per)->name, order);
	return true;
}

/* Reads {"reference": "Base"}. */
static bool read_defaults(struct loader *l, const json_t *object, const char *at,
			  struct measure_def *m, struct err *e)
{
	struct where_def *list =
		arena_alloc(l->arena, (json_object_size(object) + 1) * sizeof(*list));
	const json_t *value;
	const char *name;

	if (object && !json_is_object(object))
		return err_set(e, ERR_INPUT, "%s: defaults: not an object", at);
	m->defaults = list;
	json_object_foreach((json_t *)(uintptr_t)object, name, value) {
		struct where_def *w = &list[m->default_count++];
		const char **values = arena_alloc(l->arena, 2 * sizeof(*values));

		if (!json_is_string(value))
			return err_set(e, ERR_INPUT, "%s: defaults: %s: not a string", at, name);
		values[0] = json_string_value(value);
		*w = (struct where_def){.op = OP_IS, .values = values};
		if (!schema_dimension_of(l, name, at, &w->dimension, e))
			return false;
	}
	return true;
}

static bool read_measure(struct loader *l, const json_t *item, const char *at,
			 struct measure_def *m, struct err *e)
{
	static const char *const members[] = {
		"name",     "label",      "about", "entity",     "column",   "aggregate",
		"unit",     "additivity", "over",  "take",       "latest",   "split",
		"defaults", "required",   "where", "permission", "synonyms", NULL};
	static const char *const aggregates[] = {
		"sum", "avg", "min", "max", "count", "count_distinct", NULL};
	static const char *const kinds[] = {"full", "semi", "none", NULL};
	size_t aggregate = SIZE_MAX, additivity = SIZE_MAX;
	const char *entity;

	if (!json_check_members(item, members, e) || !json_get_str(item, "name", &m->name, e) ||
	    !json_get_str(item, "entity", &entity, e))
		return err_prefix(e, "%s", at);
	m->label = m->name;
	if (!json_opt_str(item, "label", &m->label, e) ||
	    !json_opt_str(item, "about", &m->about, e) ||
	    !json_opt_str(item, "permission", &m->permission, e))
		return err_prefix(e, "%s", at);
	if (!schema_name(m->name, at, e) || !schema_entity_of(l, entity, at, &m->entity, e) ||
	    !schema_choice(item, "aggregate", aggregates, at, &aggregate, e) ||
	    !schema_choice(item, "additivity", kinds, at, &additivity, e) ||
	    !schema_permission(l, m->permission, at, e) || !find_unit(l, item, at, &m->unit, e))
		return false;
	if (aggregate == SIZE_MAX || additivity == SIZE_MAX)
		return err_set(e, ERR_INPUT, "%s: %s is missing", at,
			       aggregate == SIZE_MAX ? "aggregate" : "additivity");
	m->aggregate = (enum aggregate)aggregate;
	m->additivity = (enum additivity)additivity;
	if (m->additivity != ADDITIVE_NONE &&
	    (m->aggregate == AGGREGATE_AVG || m->aggregate == AGGREGATE_COUNT_DISTINCT))
		return err_set(e, ERR_INPUT, "%s: %s cannot be summed: its additivity is none", at,
			       aggregate_name(m->aggregate));
	return read_column(item, at, m, e) && read_over(l, item, at, m, e) &&
	       read_latest(l, json_object_get(item, "latest"), at, m, e) &&
	       schema_dimensions(l, item, "split", at, &m->split, e) &&
	       schema_dimensions(l, item, "required", at, &m->required, e) &&
	       read_defaults(l, json_object_get(item, "defaults"), at, m, e) &&
	       schema_wheres(l, item, "where", at, &m->where, &m->where_count, e) &&
	       schema_texts(l, item, "synonyms", at, &m->synonyms, e);
}

static bool add_metric(struct loader *l, struct metric_def *m, const char *at, struct err *e)
{
	struct schema *s = &l->impl->schema;

	if (schema_has_name(l, m->name))
		return err_set(e, ERR_INPUT, "%s: %s is already declared", at, m->name);
	if (s->metric_count == MAP_METRICS_MAX)
		return err_set(e, ERR_LIMIT, "%s: more than %d metrics", at, MAP_METRICS_MAX);
	m->index = s->metric_count;
	SCHEMA_PUSH(l->arena, s->metrics, s->metric_count, m);
	return true;
}

/* Adds the metric of a measure, with the same name. */
static bool add_measure(struct loader *l, const struct measure_def *measure, bool implied,
			const char *at, struct err *e)
{
	struct schema *s = &l->impl->schema;
	struct metric_def *m = arena_alloc(l->arena, sizeof(*m));

	*m = (struct metric_def){.name = measure->name,
				 .pack = measure->pack,
				 .label = measure->label,
				 .about = measure->about,
				 .measure = measure,
				 .unit = measure->unit,
				 .permission = measure->permission,
				 .synonyms = measure->synonyms,
				 .is_implied = implied};
	if (s->measure_count == MAP_MEASURES_MAX)
		return err_set(e, ERR_LIMIT, "%s: more than %d measures", at, MAP_MEASURES_MAX);
	SCHEMA_PUSH(l->arena, s->measures, s->measure_count, measure);
	return add_metric(l, m, at, e);
}

bool schema_load_measures(struct loader *l, const json_t *array, struct err *e)
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item) {
		struct measure_def *m = arena_alloc(l->arena, sizeof(*m));
		const char *at = arena_printf(l->arena, "measures[%zu]", i);

		m->pack = l->pack->name;
		if (!read_measure(l, item, at, m, e) || !add_measure(l, m, false, at, e))
			return false;
	}
	return true;
}

/* ---- metrics ---- */

/* Finds one of a metric's two operands, which must be a plain measure. */
static bool find_operand(const struct loader *l, const json_t *item, const char *member,
			 const char *at, const struct metric_def **out, struct err *e)
{
	const char *name;

	if (!json_get_str(item, member, &name, e))
		return err_prefix(e, "%s", at);
	*out = schema_metric(&l->impl->schema, name);
	if (!*out)
		return err_set(e, ERR_INPUT, "%s: %s: metric %s must be declared earlier", at,
			       member, name);
	return (*out)->form == FORM_MEASURE ||
	       err_set(e, ERR_INPUT, "%s: %s: %s is already a ratio or difference", at, member,
		       name);
}

static bool check_difference(const struct metric_def *m, const char *at, struct err *e)
{
	return strcmp(m->left->unit->dimension, m->right->unit->dimension) == 0 ||
	       err_set(e, ERR_INPUT, "%s: %s is in %s, but %s in %s", at, m->left->name,
		       m->left->unit->symbol, m->right->name, m->right->unit->symbol);
}

static bool read_parts(struct loader *l, const json_t *item, const char *at, struct metric_def *m,
		       struct err *e)
{
	switch (m->form) {
	case FORM_RATIO:
		return find_operand(l, item, "numerator", at, &m->left, e) &&
		       find_operand(l, item, "denominator", at, &m->right, e);
	case FORM_DIFFERENCE:
		return find_operand(l, item, "left", at, &m->left, e) &&
		       find_operand(l, item, "right", at, &m->right, e) &&
		       check_difference(m, at, e);
	default:
		if (!find_operand(l, item, "measure", at, &m->left, e))
			return false;
		m->measure = m->left->measure;
		m->left = NULL;
		return true;
	}
}

static bool read_metric(struct loader *l, const json_t *item, const char *at, struct metric_def *m,
			struct err *e)
{
	static const char *const members[] = {
		"name", "label", "about",   "kind",  "unit",       "numerator", "denominator",
		"left", "right", "measure", "where", "permission", "synonyms",  NULL};
	static const char *const kinds[] = {"measure", "ratio", "difference", NULL};
	size_t kind = SIZE_MAX;

	if (!json_check_members(item, members, e) || !json_get_str(item, "name", &m->name, e))
		return err_prefix(e, "%s", at);
	m->label = m->name;
	if (!json_opt_str(item, "label", &m->label, e) ||
	    !json_opt_str(item, "about", &m->about, e) ||
	    !json_opt_str(item, "permission", &m->permission, e))
		return err_prefix(e, "%s", at);
	if (!schema_name(m->name, at, e) || !schema_choice(item, "kind", kinds, at, &kind, e) ||
	    !schema_permission(l, m->permission, at, e) || !find_unit(l, item, at, &m->unit, e) ||
	    !schema_wheres(l, item, "where", at, &m->where, &m->where_count, e) ||
	    !schema_texts(l, item, "synonyms", at, &m->synonyms, e))
		return false;
	if (kind == SIZE_MAX)
		return err_set(e, ERR_INPUT, "%s: kind: must be measure, ratio or difference", at);
	m->form = (enum metric_form)kind;
	if (m->where_count > 0 && m->form != FORM_MEASURE)
		return err_set(e, ERR_INPUT, "%s: where belongs to metrics of kind measure", at);
	return read_parts(l, item, at, m, e);
}

bool schema_load_metrics(struct loader *l, const json_t *array, struct err *e)
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item) {
		struct metric_def *m = arena_alloc(l->arena, sizeof(*m));
		const char *at = arena_printf(l->arena, "metrics[%zu]", i);

		m->pack = l->pack->name;
		if (!read_metric(l, item, at, m, e) || !add_metric(l, m, at, e))
			return false;
	}
	return true;
}

/* ---- implied metrics ---- */

/* Converts a plural such as "hourly prices" to a name. */
static const char *metric_name_of(struct loader *l, const char *plural)
{
	char *name = arena_strdup(l->arena, plural);

	for (char *p = name; *p; p++)
		*p = *p == ' ' || *p == '-'   ? '_'
		     : *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a')
					      : *p;
	return name;
}

static bool has_mean(const struct schema *s, const struct measure_def *of)
{
	for (size_t i = 0; i < s->measure_count; i++)
		if (s->measures[i]->column == of->column &&
		    s->measures[i]->aggregate == AGGREGATE_AVG)
			return true;
	return false;
}

static const char *average_words(struct loader *l, const char *of)
{
	return sentence(l->impl->public.language, SAY_MAP_AVERAGE, l->arena, of);
}

/* Adds "the average budget" for a budget that is declared as a sum. */
static bool add_mean_metric(struct loader *l, const struct measure_def *sum, struct err *e)
{
	struct measure_def *m = arena_alloc(l->arena, sizeof(*m));
	const char **synonyms;
	size_t count = 0;

	*m = *sum;
	m->name = arena_printf(l->arena, "%s_mean", sum->name);
	m->label = average_words(l, sum->label);
	m->aggregate = AGGREGATE_AVG;
	m->additivity = ADDITIVE_NONE;
	while (sum->synonyms[count])
		count++;
	synonyms = arena_alloc(l->arena, (count + 1) * sizeof(*synonyms));
	for (size_t i = 0; i < count; i++)
		synonyms[i] = average_words(l, sum->synonyms[i]);
	m->synonyms = synonyms;
	if (schema_has_name(l, m->name) || !str_is_name(m->name, MAP_NAME_BYTES_MAX))
		return true;
	return add_measure(l, m, true, "measures", e);
}

static bool add_mean_metrics(struct loader *l, struct err *e)
{
	const struct schema *s = &l->impl->schema;

	for (size_t i = 0, declared_count = s->measure_count; i < declared_count; i++) {
		const struct measure_def *m = s->measures[i];

		if (m->aggregate == AGGREGATE_SUM && m->column && m->additivity == ADDITIVE_FULL &&
		    !has_mean(s, m) && !add_mean_metric(l, m, e))
			return false;
	}
	return true;
}

/* Two entities may have the same plural, such as files of two users. */
static bool is_count_of_another(const struct schema *s, const char *name)
{
	const struct metric_def *m = schema_metric(s, name);

	return m && m->is_implied && m->measure->aggregate == AGGREGATE_COUNT;
}

bool schema_imply_metrics(struct loader *l, struct err *e)
{
	static const struct dimension_def *const none[] = {NULL};
	static const char *const no_synonyms[] = {NULL};
	const struct units *units = &l->impl->public.units;
	const struct schema *s = &l->impl->schema;

	for (size_t i = 0; i < s->entity_count; i++) {
		const struct entity_def *n = s->entities[i];
		struct measure_def *m = arena_alloc(l->arena, sizeof(*m));
		const struct unit_def *unit = units_find(units, n->plural);

		*m = (struct measure_def){.name = metric_name_of(l, n->plural),
					  .pack = n->pack,
					  .label = n->plural,
					  .entity = n,
					  .aggregate = AGGREGATE_COUNT,
					  .unit = unit ? unit : units_find(units, "count"),
					  .additivity = ADDITIVE_FULL,
					  .split = none,
					  .required = none,
					  .synonyms = no_synonyms};
		if (is_count_of_another(s, m->name))
			m->name = arena_printf(l->arena, "%s_count", n->name);
		if (n->kind == ENTITY_LINK || !m->unit || schema_has_name(l, m->name) ||
		    !str_is_name(m->name, MAP_NAME_BYTES_MAX))
			continue;
		if (!add_measure(l, m, true, "measures", e))
			return false;
	}
	return add_mean_metrics(l, e);
}
