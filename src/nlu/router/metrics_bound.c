/*
 * Finds the target of a bound. "With a budget above $2M" and "more than 5 tracks" name it next to
 * the number. "Projects above $2M" implies it by the unit: the one measure in that unit that lists
 * of projects show. A measure of listed or counted rows bounds rows; any other target bounds a
 * metric of each group.
 */
#include "metrics_int.h"

#include "vesper/decimal.h"
#include "vesper/json.h"

static bool is_bound(const struct constraint *s)
{
	return s->slot == SLOT_ABOVE || s->slot == SLOT_BELOW;
}

bool bounds_are_supported(const struct query_builder *a)
{
	for (size_t i = 0; i < a->r->constraint_count; i++) {
		const struct constraint *s = &a->r->constraints[i];
		bool left_out = s->slot == SLOT_NOT && s->dimension && s->dimension->map.entity;
		bool change = a->slots.percent && s->slot == SLOT_NONE && /* it becomes a slot */
			      s->amount.to == a->slots.to;

		if (!left_out && !change && !(is_bound(s) && !s->amount.ambiguous))
			return false;
	}
	return true;
}

/* ---- words that name the target ---- */

size_t bounds_words(const struct query_builder *a, size_t i)
{
	for (size_t k = 0; k < a->r->constraint_count; k++)
		if (is_bound(&a->r->constraints[k]) && a->r->constraints[k].amount.from == i)
			return a->r->constraints[k].amount.to - i;
	return 0;
}

bool bounds_any(const struct query_builder *a)
{
	for (size_t i = 0; i < a->r->constraint_count; i++)
		if (is_bound(&a->r->constraints[i]))
			return true;
	return false;
}

static bool only_links(const struct question *q, size_t from, size_t to)
{
	for (; from < to; from++)
		if (!token_in_list(&q->tokens[from], WORDS_TO_BE) &&
		    !token_in_list(&q->tokens[from], WORDS_BELONGING) &&
		    !token_in_list(&q->tokens[from], WORDS_ARTICLES))
			return false;
	return true;
}

/* "More than two high risk tasks": only values may occur between the number and its target. */
static bool only_values(const struct query_builder *a, size_t from, size_t to)
{
	if (from > to)
		return false;
	for (; from < to; from++)
		if (!a->r->q.tokens[from].used)
			return false;
	return true;
}

static bool is_number(const struct map_phrase *p)
{
	return p->metric || (p->dimension && (p->dimension->map.type == COLUMN_INT ||
					      p->dimension->map.type == COLUMN_DECIMAL));
}

bool bounds_set_target(struct query_builder *a, const struct phrase_meanings *m, size_t i, size_t n)
{
	const struct map_phrase *first = m->items[0];
	bool taken = false;

	for (size_t k = 0; k < a->r->constraint_count; k++) {
		const struct constraint *s = &a->r->constraints[k];
		bool behind = is_bound(s) && only_values(a, s->amount.to, i);
		bool before = is_bound(s) && s->amount.from >= i + n &&
			      only_links(&a->r->q, i + n, s->amount.from) && is_number(first);

		if (a->bounds[k].named.count > 0 ||
		    !(before || (behind && (first->entity || is_number(first)))))
			continue;
		a->bounds[k].named = *m;
		taken = true;
	}
	return taken;
}

/* ---- resolving the target ---- */

/* The listed or counted entity, whose rows have measures. NULL: something else is measured. */
static const struct entity_def *rows_of(const struct query_builder *a)
{
	const struct metric_def *m = a->metric_count > 0 ? a->metrics[0] : NULL;

	if (!m)
		return a->subject;
	return m->measure && m == metrics_count_of(a, m->measure->entity) ? m->measure->entity
									  : NULL;
}

static bool is_of_rows(const struct query_builder *a, const struct metric_def *m)
{
	return m->form == FORM_MEASURE && m->measure->entity == rows_of(a) && m->measure->column &&
	       m->where_count == 0 && m->measure->where_count == 0;
}

static bool resolve_named_target(const struct query_builder *a, struct bound_target *b)
{
	const struct map_phrase *p = metrics_pick_meaning(&b->named, metrics_entity(a));

	if (!p)
		return false;
	if (p->entity)
		b->metric = p->entity == rows_of(a) ? NULL : metrics_count_of(a, p->entity);
	else if (p->dimension)
		b->dimension = p->dimension;
	else if (is_of_rows(a, p->metric))
		b->measure = p->metric->measure;
	else
		b->metric = p->metric;
	return b->dimension || b->measure || b->metric;
}

/* Returns true for a measure of another column. Measures of the same column have the same value
 * in each row. */
static bool is_other_column(const struct measure_def *found, const struct measure_def *m)
{
	return found && found->column != m->column;
}

static bool has_unit(const struct query_builder *a, const struct constraint *s,
		     const struct measure_def *m)
{
	struct decimal number;

	return m->entity == rows_of(a) && m->column && m->unit &&
	       constraint_convert(a->r, &s->amount, m->unit, &number);
}

/* The only measure in this unit, first among the listed ones, then among all; NULL: none or
 * several. */
static const struct measure_def *measure_in(const struct query_builder *a,
					    const struct constraint *s)
{
	const struct schema *all = catalog_schema(a->r->nlu->catalog);
	const struct entity_def *rows = rows_of(a);
	const struct measure_def *found = NULL;

	for (size_t i = 0; rows && i < rows->show_count; i++) {
		const struct measure_def *m = rows->show[i].measure;

		if (!m || !has_unit(a, s, m))
			continue;
		if (is_other_column(found, m))
			return NULL;
		found = m;
	}
	for (size_t i = 0, shown = found != NULL; !shown && i < all->measure_count; i++) {
		if (!has_unit(a, s, all->measures[i]))
			continue;
		if (is_other_column(found, all->measures[i]))
			return NULL;
		found = all->measures[i];
	}
	return found;
}

/* "More than 100 views": the only metric in this unit. */
static const struct metric_def *metric_in(const struct query_builder *a,
					  const struct unit_def *unit)
{
	const struct schema *s = catalog_schema(a->r->nlu->catalog);
	const struct metric_def *found = NULL;

	for (size_t i = 0; i < s->metric_count; i++) {
		if (s->metrics[i]->unit != unit)
			continue;
		if (found)
			return NULL;
		found = s->metrics[i];
	}
	return found;
}

static bool resolve_target_by_unit(const struct query_builder *a, const struct constraint *s,
				   struct bound_target *b)
{
	const struct schema *all = catalog_schema(a->r->nlu->catalog);

	if (a->metric_count == 1 && a->by_count > 0 && (!s->amount.unit || !rows_of(a))) {
		b->metric = a->metrics[0]; /* "budget by market above $5M", "at least 4" */
		return true;
	}
	if (!s->amount.unit)
		return false;
	b->measure = rows_of(a) ? measure_in(a, s) : NULL;
	if (b->measure)
		return is_of_rows(a, schema_metric(all, b->measure->name));
	b->metric = metric_in(a, s->amount.unit);
	return b->metric != NULL;
}

void bounds_default_to_metric(struct query_builder *a, const json_t *query)
{
	struct query_builder of = {.r = a->r};

	if (!json_object_get(query, MAP_BY) || !metrics_set_from_query(&of, query) ||
	    of.metric_count != 1)
		return;
	for (size_t i = 0; i < a->r->constraint_count; i++) {
		const struct constraint *s = &a->r->constraints[i];

		if (is_bound(s) && a->bounds[i].named.count == 0 &&
		    (!s->amount.unit || of.metrics[0]->unit == s->amount.unit))
			a->bounds[i].metric = of.metrics[0];
	}
}

bool bounds_resolve(struct query_builder *a)
{
	for (size_t i = 0; i < a->r->constraint_count; i++) {
		const struct constraint *s = &a->r->constraints[i];
		struct bound_target *b = &a->bounds[i];
		const struct unit_def *unit;
		struct decimal number;

		if (!is_bound(s) || b->dimension || b->measure || b->metric)
			continue;
		if (!(b->named.count > 0 ? resolve_named_target(a, b)
					 : resolve_target_by_unit(a, s, b)))
			return false;
		unit = b->measure ? b->measure->unit : b->metric ? b->metric->unit : NULL;
		if (!constraint_convert(a->r, &s->amount, unit, &number))
			return false;
	}
	return true;
}

void bounds_apply_to_rows(struct query_builder *a)
{
	const struct metric_def *m = a->metric_count == 1 ? a->metrics[0] : NULL;
	const struct schema *s = catalog_schema(a->r->nlu->catalog);

	if (!m || a->by_count > 0 || a->subject || m->form != FORM_MEASURE || m->where_count > 0 ||
	    m->measure->aggregate != AGGREGATE_AVG || bounds_metric(a) != m)
		return;
	for (size_t i = 0; i < a->r->constraint_count; i++)
		if (a->bounds[i].metric == m)
			a->bounds[i] = (struct bound_target){.measure = m->measure};
	for (size_t i = 0; i < s->metric_count && a->metric_count == 1; i++) {
		const struct metric_def *n = s->metrics[i];

		if (n->measure && n->measure->entity == m->measure->entity && !n->measure->column &&
		    n->where_count == 0)
			a->metrics[a->metric_count++] = n;
	}
}

const struct metric_def *bounds_metric(const struct query_builder *a)
{
	for (size_t i = 0; i < a->r->constraint_count; i++)
		if (a->bounds[i].metric)
			return a->bounds[i].metric;
	return NULL;
}

const struct measure_def *bounds_measure(const struct query_builder *a, bool *above)
{
	for (size_t i = 0; i < a->r->constraint_count; i++) {
		if (!a->bounds[i].measure)
			continue;
		*above = a->r->constraints[i].slot == SLOT_ABOVE;
		return a->bounds[i].measure;
	}
	return NULL;
}

/* ---- writing the query ---- */

static enum where_op op_of(const struct constraint *s)
{
	if (s->slot == SLOT_ABOVE)
		return s->amount.inclusive ? OP_AT_LEAST : OP_OVER;
	return s->amount.inclusive ? OP_AT_MOST : OP_UNDER;
}

void bounds_write(const struct query_builder *a, json_t *where, json_t *having)
{
	for (size_t i = 0; i < a->r->constraint_count; i++) {
		const struct constraint *s = &a->r->constraints[i];
		const struct bound_target *b = &a->bounds[i];
		const char *name = b->dimension ? b->dimension->name
				   : b->measure ? b->measure->name
				   : b->metric  ? b->metric->name
						: NULL;
		char text[DECIMAL_TEXT_BYTES];
		struct decimal number;
		json_t *values;

		if (!name)
			continue;
		(void)constraint_convert(a->r, &s->amount,
					 b->measure  ? b->measure->unit
					 : b->metric ? b->metric->unit
						     : NULL,
					 &number); /* succeeded before in bounds_resolve */
		decimal_text_short(number, text);
		values = json_array();
		json_push_take(values, json_str(text));
		json_push_take(b->metric ? having : where,
			       json_make({MAP_NAME, json_str(name)},
					 {MAP_OP, json_str(where_op_name(op_of(s)))},
					 {MAP_VALUES, values}));
	}
}
