/*
 * Narrowing of a list that is too long to show: counts its rows by the values of its facets for the
 * user to choose from. A choice runs the same query with one more condition.
 */
#include "tool_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/map.h"
#include "vesper/mem.h"

/* ---- counting ---- */

/* Builds the count query of a facet with the list's conditions. */
static bool count_by(struct tool_call *call, const struct dimension_def *d, struct map_query *out)
{
	const struct map_query *q = call->map.list;
	const struct schema *s = catalog_schema(call->box->options.catalog);

	*out = *q;
	out->list = NULL;
	out->show_count = out->order_count = 0;
	out->by[0] = (struct map_by){.dimension = d};
	out->by_count = 1;
	for (size_t i = 0; i < s->metric_count && out->metric_count == 0; i++)
		if (s->metrics[i]->is_implied && s->metrics[i]->measure &&
		    s->metrics[i]->measure->entity == q->list && !s->metrics[i]->measure->column)
			out->metrics[out->metric_count++] = s->metrics[i];
	return out->metric_count > 0;
}

static bool is_chosen(const struct map_query *q, const struct dimension_def *d)
{
	for (size_t i = 0; i < q->where_count; i++)
		if (q->where[i].dimension == d)
			return true;
	return false;
}

static void on_counts(void *owner, struct source_batch *batches, size_t count, const struct err *e);

bool tool_map_narrow(struct tool_call *call)
{
	const struct map_query *q = call->map.list;
	struct source_statement sent[MAP_FACETS_MAX];
	struct map_query *counts = arena_alloc(call->arena, sizeof(*counts));
	struct map_statement s;
	struct map_problem why;
	struct err e = {0};
	size_t n = 0;

	if (!q || q->having_count > 0)
		return false;
	for (const struct dimension_def *const *d = q->list->facets; *d && n < MAP_FACETS_MAX;
	     d++) {
		const char *name = arena_printf(call->arena, "%s/%s", call->tool->name, (*d)->name);

		if (!map_may_dimension(call->who, *d) || is_chosen(q, *d) ||
		    !count_by(call, *d, counts) ||
		    !map_write(call->box->map, counts, call->source->dialect, call->arena, &s, &why,
			       &e) ||
		    !tool_map_statement(call, &s, name, 0, &sent[n], &e))
			continue;
		call->map.facets[n++] = *d;
	}
	if (n == 0)
		return false;
	tool_call_send(call, call->source, sent, n, call->timeout_ms, on_counts);
	return true;
}

/* ---- choices ---- */

/* The list query with one more condition, as text. */
static const char *add_condition(struct tool_call *call, const struct dimension_def *d,
				 enum where_op op, const char *first, const char *last)
{
	json_t *query = json_own(call->arena, json_deep_copy(call->map.json));
	json_t *where = json_object_get(query, MAP_WHERE), *values = json_array();
	const char *copy;
	char *text;

	if (!where) {
		where = json_array();
		json_set_take(query, MAP_WHERE, where);
	}
	json_push_take(values, json_str(first));
	if (last)
		json_push_take(values, json_str(last));
	json_push_take(where,
		       json_make({MAP_NAME, json_str(d->name)},
				 {MAP_OP, json_str(where_op_name(op))}, {MAP_VALUES, values}));
	text = json_text(query);
	copy = arena_strdup(call->arena, text);
	mem_free(text);
	return copy;
}

/* The start of the next bin; NULL: this is the last. */
static const char *next_bin(const struct dimension_def *d, const char *bound)
{
	for (const char *const *b = d->map.bins; *b; b++)
		if (strcmp(*b, bound) == 0)
			return b[1];
	return NULL;
}

static struct suggestion choice_of(struct tool_call *call, const struct dimension_def *d,
				   const char *value, const char *count)
{
	const struct language *l = call->result->language;
	const char *label = value, *next = d->map.bins ? next_bin(d, value) : NULL, *last;
	struct suggestion s = {.group = d->label};

	if (d->map.bins && next) {
		last = arena_printf(call->arena, "%lld", atoll(next) - 1);
		label = sentence(l, SAY_MAP_RANGE, call->arena, value, last);
		s.value = add_condition(call, d, OP_BETWEEN, value, last);
	} else if (d->map.bins) {
		label = sentence(l, SAY_MAP_RANGE_LAST, call->arena, value);
		s.value = add_condition(call, d, OP_AT_LEAST, value, NULL);
	} else {
		s.value = add_condition(call, d, OP_IS, value, NULL);
	}
	s.label = sentence(l, SAY_MAP_COUNTED, call->arena, label, count);
	return s;
}

static int by_bound(const void *a, const void *b)
{
	const char *const *const x = *(const char *const *const *)a;
	const char *const *const y = *(const char *const *const *)b;
	long long p = x[0] ? atoll(x[0]) : 0, q = y[0] ? atoll(y[0]) : 0;

	return (p > q) - (p < q);
}

/* If complete, the counts, including those of missing values, add up to all rows. */
static void count_all(struct tool_call *call, const struct table *t)
{
	struct table *main = call->result->tables[0];
	int64_t all = 0;

	for (size_t i = 0; i < t->row_count; i++)
		all += t->rows[i][1] ? atoll(t->rows[i][1]) : 0;
	if (t->truncated || all < main->total_rows)
		return;
	main->total_rows = all;
	main->is_total_exact = true;
}

static void add_choices(struct tool_call *call, const struct dimension_def *d, struct table *t,
			struct suggestion *out, size_t *n)
{
	if (d->map.bins)
		qsort(t->rows, t->row_count, sizeof(*t->rows), by_bound);
	for (size_t i = 0; i < t->row_count && *n < MAP_CHOICES_MAX; i++)
		if (t->rows[i][0] && t->rows[i][1])
			out[(*n)++] = choice_of(call, d, arena_strdup(call->arena, t->rows[i][0]),
						arena_strdup(call->arena, t->rows[i][1]));
}

/* If counting fails, the first rows are still the answer. */
static void on_counts(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct tool_call *call = owner;
	struct suggestion *choices = arena_alloc(call->arena, MAP_CHOICES_MAX * sizeof(*choices));
	const struct table *main = call->result->tables[0];
	size_t n = 0;

	call->query = NULL;
	if (e)
		log_warn("tool.failed", "%s/facets: %s", call->tool->name, e->text);
	for (size_t i = 0; !e && i < count; i++) {
		count_all(call, batches[i].table);
		add_choices(call, call->map.facets[i], batches[i].table, choices, &n);
		table_free(&batches[i].table);
	}
	call->result->outcome.suggestions = choices;
	call->result->outcome.suggestion_count = n;
	call->result->outcome.param = n ? call->tool->map : NULL;
	if (n)
		call->result->outcome.detail =
			sentence(call->result->language, SAY_MAP_NARROW, call->arena,
				 arena_printf(call->arena, "%lld", (long long)main->total_rows),
				 call->map.list->list->plural,
				 arena_printf(call->arena, "%zu", main->row_count));
	tool_call_end(call);
}
