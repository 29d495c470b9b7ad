/*
 * Questions over the map: a metric or a list of things, what it is grouped by, an order and values.
 * Only where no tool takes the question whole. Each word must be accounted for: as a phrase of the
 * map, a value, a number, a cue that is understood here, or a neutral word. Anything else leaves
 * the question to the others; so does a query that the map refuses.
 */
#include "metrics_int.h"

#include <string.h>

#include "vesper/dates.h"
#include "vesper/json.h"
#include "vesper/mem.h"

#define ROWS_OF_MANY 10 /* "the top genres" */

/* The dimension that tells an entity's rows apart for people, by names that are known. */
static const struct dimension_def *title_of(const struct asking *a, const struct entity_def *n)
{
	const struct catalog *c = a->r->know->catalog;

	for (size_t i = 0; i < c->dimension_count && n->title; i++)
		if (c->dimensions[i].map.entity == n && c->dimensions[i].map.column == n->title)
			return &c->dimensions[i];
	return NULL;
}

static bool add_by(struct asking *a, const char *name)
{
	if (a->by_count == MAP_BY_MAX)
		return false;
	for (size_t i = 0; i < a->by_count; i++)
		if (strcmp(a->by[i], name) == 0)
			return true;
	a->by[a->by_count++] = name;
	return true;
}

static bool add_by_title(struct asking *a, const struct entity_def *n)
{
	const struct dimension_def *d = title_of(a, n);

	return d && add_by(a, d->name);
}

const struct metric_def *metrics_count_of(const struct asking *a, const struct entity_def *n)
{
	const struct schema *s = catalog_schema(a->r->know->catalog);

	for (size_t i = 0; i < s->metric_count; i++)
		if (s->metrics[i]->is_implied && s->metrics[i]->measure &&
		    s->metrics[i]->measure->entity == n && !s->metrics[i]->measure->column &&
		    s->metrics[i]->measure->aggregate == AGGREGATE_COUNT)
			return s->metrics[i];
	return NULL;
}

static bool add_metric(struct asking *a, const struct metric_def *m)
{
	if (!m || a->metric_count > 0)
		return false;
	a->metrics[a->metric_count++] = m;
	return true;
}

static bool take_entity(struct asking *a, const struct entity_def *n, bool grouped, bool counted)
{
	if (counted)
		return add_metric(a, metrics_count_of(a, n));
	if (grouped)
		return add_by_title(a, n);
	if (a->subject) /* "which genre has the most tracks" */
		return (a->top || a->bottom) && add_metric(a, metrics_count_of(a, n));
	a->subject = n;
	return true;
}

static bool take_phrase(struct asking *a, const struct meant *m)
{
	const struct map_phrase *first = m->items[0];
	bool grouped = a->grouping, counted = a->counting;

	a->grouping = a->counting = false;
	if (grouped && counted) /* "count of what nobody knows per project" */
		return false;
	a->one |= m->exact && !first->metric && !counted;
	if (first->metric) {
		bool another = a->measured.count > 0;

		a->measured = *m;
		return !another;
	}
	if (first->entity)
		return m->count == 1 && take_entity(a, first->entity, grouped, counted);
	if (a->group_count == MAP_BY_MAX)
		return false;
	a->groups[a->group_count] = *m;
	a->groups[a->group_count++].grouped = grouped;
	return true;
}

/* "Projects that are not solar" */
static bool is_relative(const struct asking *a, size_t i)
{
	return i > 0 && a->phrase[i - 1] && token_says(&a->r->q.tokens[i], WORDS_RELATIVE);
}

/* "its", "those": they point at something that is not said here. */
static bool points_back(const struct token *t)
{
	return token_says(t, WORDS_PRONOUNS) || token_says(t, WORDS_OWNED) ||
	       token_says(t, WORDS_ANYWHERE);
}

static bool leaves_out(const struct asking *a)
{
	for (size_t i = 0; i < a->r->said_count; i++)
		if (a->r->said[i].slot == SLOT_NOT)
			return true;
	return false;
}

/* "Which three projects": how many rows there are to be, where nothing else took the number. */
static bool take_rows(struct asking *a, size_t i)
{
	const struct token *t = &a->r->q.tokens[i];
	int n = t->used || i == 0 || a->rows > 0 ? -1 : token_number(t);

	if (n < 1 || n > MAP_TOP_MAX || !token_says(&a->r->q.tokens[i - 1], WORDS_WHICH))
		return false;
	a->rows = n;
	return true;
}

/* "vs", "compare" */
static bool compares(const struct token *t)
{
	return token_says(t, WORDS_BESIDE) ||
	       (token_says(t, WORDS_THAN) && token_says(t, WORDS_JOINING));
}

/* A cue that is understood; returns how many words it takes, 0: it is none. */
static size_t take_cue(struct asking *a, size_t i)
{
	const struct question *q = &a->r->q;
	const struct token *t = &q->tokens[i];
	size_t counting = words_at(q, i, WORDS_COUNTING);

	if (counting > 0) {
		a->counts = a->counting = true;
		a->grouping = false;
		return counting;
	}
	if (token_says(t, WORDS_TOP) || token_says(t, WORDS_BOTTOM)) {
		a->top |= token_says(t, WORDS_TOP);
		a->bottom |= token_says(t, WORDS_BOTTOM);
		return 1;
	}
	if (token_says(t, WORDS_PLACES) && token_says(t, WORDS_GROUPING)) { /* "by", "per" */
		a->grouping = true;
		return 1;
	}
	if (token_says(t, WORDS_ALL) && token_says(t, WORDS_GROUPING)) { /* "each" */
		a->grouping = true;
		return 1;
	}
	if (compares(t)) {
		a->compares = true;
		return 1;
	}
	if (take_rows(a, i))
		return 1;
	if (leaves_out(a) && (token_says(t, WORDS_EXCEPT) || token_says(t, WORDS_LEAVING_OUT) ||
			      token_says(t, WORDS_EXCEPT_INSIDE)))
		return 1;
	a->lists |= token_says(t, WORDS_WHICH) || token_says(t, WORDS_EVERYTHING);
	return 0;
}

/* "by month", "monthly": a group by a part of the time of what is measured, or a dimension that is
 * called so. */
static bool take_grain(struct asking *a, size_t i, const struct meant *m)
{
	const struct token *t = &a->r->q.tokens[i];
	enum grain grain = t->used ? GRAIN_NONE : map_words_grain(t);
	bool grouped = a->grouping || token_says(t, WORDS_GROUPING);
	bool named = m->count > 0 && m->items[0]->dimension;

	if (!grain || a->counting || a->group_count == MAP_BY_MAX ||
	    (m->count > 0 && (m->items[0]->count > 1 || !(named || grouped))))
		return false;
	a->groups[a->group_count] = named ? *m : (struct meant){0};
	a->groups[a->group_count].grain = grain;
	a->groups[a->group_count++].grouped = grouped;
	a->grouping = false;
	a->one |= strcmp(t->text, grain_name(grain)) == 0;
	return true;
}

/* A phrase of n words: of a bound beside it, unless the result is grouped or measured by it. */
static bool take_meant(struct asking *a, size_t i, size_t n, const struct meant *m)
{
	bool grouped = a->grouping, bounded = bounds_take(a, m, i, n);

	memset(a->phrase + i, true, n);

	return (bounded && !(grouped && m->items[0]->metric)) || take_phrase(a, m);
}

/* A word that tools use as well, of a value that the query takes. */
static bool is_value(const struct asking *a, size_t i)
{
	for (size_t k = 0; k < a->r->mention_count; k++) {
		const struct mention *m = &a->r->mentions[k];
		const struct dimension_def *d = m->candidates[0].dimension;

		if (i < m->from || i >= m->to)
			continue;
		for (size_t n = 0; n < a->r->said_count && m->excluded; n++)
			if (a->r->said[n].slot == SLOT_NOT && a->r->said[n].dimension == d)
				return true;
		if (!m->excluded && facts_get(&a->r->facts, d->filter))
			return true;
	}
	return false;
}

/* "Albums by Iron Maiden" are of one value; "by" several, each of them is a group. */
static void take_by_value(struct asking *a, size_t i)
{
	for (size_t k = 0; a->grouping && k < a->r->mention_count; k++) {
		const struct mention *m = &a->r->mentions[k];

		if (i < m->from || i >= m->to || m->excluded)
			continue;
		a->valued = m->candidates[0].dimension;
		a->grouping = false;
	}
}

static bool read_words(struct asking *a)
{
	const struct question *q = &a->r->q;

	for (size_t i = 0; i < q->count;) {
		const struct token *t = &q->tokens[i];
		const struct meant m = map_words_at(a, i);
		size_t n = bounds_words(a, i);

		if (n == 0 && take_grain(a, i, &m))
			n = 1;
		else if (n == 0 && m.count > 0)
			n = take_meant(a, i, m.items[0]->count, &m) ? m.items[0]->count : SIZE_MAX;
		else if (n == 0)
			n = take_cue(a, i);
		if (n == SIZE_MAX || (points_back(t) && !is_relative(a, i)))
			return false;
		if (n == 0)
			take_by_value(a, i);
		if (n == 0 && !(t->used && !t->word) && !is_value(a, i) && !is_relative(a, i) &&
		    !account_is_neutral(a->r, i))
			return false;
		if (n == 0 && !know_is_stop(a->r->know, t))
			a->lists |= token_says(t, WORDS_NEUTRAL);
		i += n > 0 ? n : 1;
	}
	return !a->grouping && !a->counting;
}

/* ---- which of several is meant ---- */

static const struct entity_def *entity_of(const struct map_phrase *p)
{
	if (p->dimension)
		return p->dimension->map.entity;
	if (p->entity)
		return p->entity;
	return p->metric->measure ? p->metric->measure->entity : NULL;
}

const struct map_phrase *metrics_settle(const struct meant *m, const struct entity_def *of)
{
	const struct map_phrase *found = NULL;

	if (m->count == 1)
		return m->items[0];
	for (size_t i = 0; i < m->count; i++) {
		if (entity_of(m->items[i]) != of)
			continue;
		if (found)
			return NULL;
		found = m->items[i];
	}
	return found;
}

const struct entity_def *metrics_spoken_of(const struct asking *a)
{
	return a->metric_count > 0 && a->metrics[0]->measure ? a->metrics[0]->measure->entity
							     : a->subject;
}

static const char *grain_of(const struct asking *a, enum grain grain)
{
	const struct entity_def *n = metrics_spoken_of(a);
	const struct dimension_def *time = n ? n->time : NULL;

	if (time && grain == GRAIN_DAY && time->map.type == COLUMN_DATE)
		return time->name;
	return time && time->map.grains >> grain & 1
		       ? arena_printf(a->r->arena, "%s.%s", time->name, grain_name(grain))
		       : NULL;
}

static bool settle_group(struct asking *a, const struct meant *m)
{
	const char *grain =
		m->grain && (m->grouped || a->top || a->bottom) ? grain_of(a, m->grain) : NULL;
	const struct map_phrase *p;

	if (grain)
		return add_by(a, grain);
	p = metrics_settle(m, metrics_spoken_of(a));
	if (!p)
		return false;
	if (m->grouped || a->top || a->bottom || (bounds_any(a) && !a->subject))
		return add_by(a, p->dimension->name);
	a->named[a->named_count++] = p->dimension;
	return true;
}

static bool settle_all(struct asking *a)
{
	const struct map_phrase *p;

	if (a->measured.count > 0) {
		p = metrics_settle(&a->measured, a->subject);
		if (!p || !add_metric(a, p->metric))
			return false;
	}
	if (!a->subject && a->metric_count == 0) /* "countries with more than 3 customers" */
		(void)(bounds_settle(a) && add_metric(a, bounds_metric(a)));
	for (size_t i = 0; i < a->group_count; i++)
		if (!settle_group(a, &a->groups[i]))
			return false;
	return true;
}

/* ---- what was read of it already ---- */

static bool knows_all(const struct asking *a, const struct dimension_def *d,
		      const struct value *values, size_t count)
{
	struct name_match m;

	if (d->resolves || !names_known(a->r->names, d))
		return false; /* anything could be one */
	for (size_t i = 0; i < count; i++)
		if (!values[i].text ||
		    !names_resolve(a->r->names, d, values[i].text, NULL, a->r->arena, &m))
			return false;
	return count > 0;
}

/* The market of a project, where the market of a price was read. */
static const struct dimension_def *same_filter(const struct asking *a,
					       const struct dimension_def *read)
{
	const struct schema *s = catalog_schema(a->r->know->catalog);

	for (size_t i = 0; i < s->plain_count; i++)
		if (s->plain[i]->map.entity == metrics_spoken_of(a) &&
		    strcmp(s->plain[i]->filter, read->filter) == 0)
			return s->plain[i];
	return NULL;
}

/* Of which dimension values are: of the one that is named, else of what is counted where it has
 * such values too ("Paris" of invoices is a billing city), else as they were read. NULL: it is not
 * told. */
static const struct dimension_def *dimension_of(const struct asking *a,
						const struct dimension_def *read,
						const struct value *values, size_t count)
{
	const struct catalog *c = a->r->know->catalog;
	const struct dimension_def *found = NULL;

	for (size_t i = 0; i < a->named_count; i++)
		if (a->named[i] == read || knows_all(a, a->named[i], values, count))
			return a->named[i];
	if (read->map.entity == metrics_spoken_of(a))
		return read;
	if ((found = same_filter(a, read)))
		return found;
	for (size_t i = 0; i < c->dimension_count; i++) {
		const struct dimension_def *d = &c->dimensions[i];

		if (d->map.entity != metrics_spoken_of(a) || !knows_all(a, d, values, count))
			continue;
		if (found)
			return NULL;
		found = d;
	}
	return found ? found : read;
}

static bool is_used(const json_t *where, const char *name)
{
	for (size_t i = 0; i < json_array_size(where); i++)
		if (strcmp(json_string_value(json_object_get(json_array_get(where, i), MAP_NAME)),
			   name) == 0)
			return true;
	return false;
}

/* A dimension that is named has a value. */
static bool uses_named(const struct asking *a, const json_t *where)
{
	for (size_t i = 0; i < a->named_count; i++)
		if (!is_used(where, a->named[i]->name))
			return false;
	return true;
}

static bool add_where(const struct asking *a, json_t *where, const struct dimension_def *read,
		      enum where_op op, const struct value *values, size_t count)
{
	const struct dimension_def *d = dimension_of(a, read, values, count);
	json_t *list;

	if (!d)
		return false;
	list = json_array();
	for (size_t i = 0; i < count; i++)
		json_push_take(list, values[i].type == VALUE_INT ? json_int(values[i].number)
								 : json_str(values[i].text));
	json_push_take(where, json_make({MAP_NAME, json_str(d->name)},
					{MAP_OP, json_str(where_op_name(op))}, {MAP_VALUES, list}));
	return true;
}

static bool is_time(const struct fact *f)
{
	static const char *const filters[] = {FILTER_START, FILTER_END, FILTER_YEAR, FILTER_MONTH};

	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
		if (strcmp(f->filter, filters[i]) == 0)
			return true;
	return false;
}

static json_t *period_json(struct date start, struct date end)
{
	char first[DATE_ISO_BYTES], last[DATE_ISO_BYTES];

	date_iso(start, first);
	date_iso(end, last);
	return json_make({MAP_START, json_str(first)}, {MAP_END, json_str(last)});
}

static json_t *year_json(int year)
{
	return period_json((struct date){year, 1, 1}, (struct date){year, 12, 31});
}

/* Months in a row of one year, or years in a row. */
static bool one_span(const struct time_read *t)
{
	unsigned months = t->months ? t->months >> __builtin_ctz(t->months) : 1;

	for (size_t i = 1; i < t->year_count; i++)
		if (t->years[i] != t->years[i - 1] + 1)
			return false;
	return (months & (months + 1)) == 0 && (!t->months || t->year_count == 1);
}

static json_t *span_json(const struct time_read *t)
{
	int last = t->years[t->year_count - 1];

	if (!t->months)
		return period_json((struct date){t->years[0], 1, 1}, (struct date){last, 12, 31});
	return period_json((struct date){last, __builtin_ctz(t->months), 1},
			   month_end(last, 31 - __builtin_clz(t->months)));
}

/* All days of the time that was said, or one year against another. False: it is neither. */
static bool take_time(struct asking *a, json_t *query)
{
	const struct time_read *t = &a->r->time;
	bool later = t->year_count > 1 && t->years[1] > t->years[0];

	if (t->day_type || t->hours || t->asof_count > 0 || t->vague || t->reading_count > 0)
		return false;
	if (a->compares && t->year_count == 2 && !t->months && a->group_count + a->by_count == 0) {
		json_set_take(query, MAP_PERIOD, year_json(t->years[later]));
		json_set_take(query, MAP_COMPARE, year_json(t->years[!later]));
		a->compares = false;
		return true;
	}
	if (t->has_start && t->has_end && !t->split && !t->mixed)
		json_set_take(query, MAP_PERIOD, period_json(t->start, t->end));
	else if (t->year_count > 0 && !t->has_start && !t->has_end && one_span(t))
		json_set_take(query, MAP_PERIOD, span_json(t));
	else
		return t->year_count == 0 && !t->months && !t->has_start && !t->has_end;
	return true;
}

/* A value in words that name something on the map: "generation capacity". */
static bool is_named(const struct asking *a, const struct fact *f)
{
	bool named = false;

	for (size_t i = 0; f->soft && i < a->r->mention_count; i++) {
		const struct mention *m = &a->r->mentions[i];

		if (m->candidates[0].dimension != f->dimension)
			continue;
		named = true;
		for (size_t t = m->from; t < m->to; t++)
			named = named && a->phrase[t];
	}
	return named;
}

/* A value where the question names one, so many rows; times are taken elsewhere. False: nothing
 * here takes it. */
static bool take_fact(const struct asking *a, const struct fact *f, json_t *where, json_t *query)
{
	if (f->implied || f->source == SOURCE_DEFAULT || is_named(a, f))
		return true;
	if (f->dimension) {
		if (!f->dimension->map.entity || f->said || f->all ||
		    (f->soft && (f->count > 1 || f->dimension->map.entity != metrics_spoken_of(a))))
			return false;
		return add_where(a, where, f->dimension, OP_IS, f->values, f->count);
	}
	if (strcmp(f->filter, FILTER_TOP_N) == 0 && (a->top || a->bottom)) {
		json_set_int(query, a->bottom ? MAP_BOTTOM : MAP_TOP, f->values[0].number);
		return true;
	}
	return is_time(f);
}

/* Words that tools use as well leave out what they say of the thing that is spoken of alone. */
static bool may_leave_out(const struct asking *a, const struct said *s)
{
	return !s->soft || s->dimension->map.entity == metrics_spoken_of(a);
}

static bool take_facts(struct asking *a, json_t *query)
{
	json_t *where = json_array(), *having = json_array();
	bool ok = take_time(a, query);

	for (size_t i = 0; ok && i < a->r->facts.count; i++)
		ok = take_fact(a, &a->r->facts.items[i], where, query);
	for (size_t i = 0; ok && i < a->r->said_count; i++)
		if (a->r->said[i].slot == SLOT_NOT)
			ok = may_leave_out(a, &a->r->said[i]) &&
			     add_where(a, where, a->r->said[i].dimension, OP_NOT,
				       a->r->said[i].values, a->r->said[i].count);
	ok = ok && uses_named(a, where);
	bounds_write(a, where, having);
	json_set_take(query, MAP_WHERE, where);
	if (json_array_size(having) > 0)
		json_set_take(query, MAP_HAVING, having);
	else
		json_decref(having);
	return ok;
}

/* ---- the query ---- */

static json_t *names_json(const struct asking *a, bool metrics)
{
	json_t *list = json_array();

	for (size_t i = 0; i < (metrics ? a->metric_count : a->by_count); i++)
		json_push_take(list, json_str(metrics ? a->metrics[i]->name : a->by[i]));
	return list;
}

/* A list is put in order by the number of each row that is bounded. */
static bool ranks_rows(const struct asking *a)
{
	bool above;

	return a->metric_count == 0 && a->subject && bounds_measure(a, &above);
}

/* The first thing that is measured of entities which this one tells apart, where it has nothing of
 * that itself: prices, for hub-zones. NULL: none, or not of one entity. */
static const struct metric_def *measured_by(const struct asking *a, const struct dimension_def *d)
{
	const struct schema *s = catalog_schema(a->r->know->catalog);
	const struct metric_def *first = NULL;
	struct map_path paths[2];

	for (size_t i = 0; i < s->metric_count; i++) {
		const struct metric_def *m = s->metrics[i];
		const struct entity_def *n = m->measure ? m->measure->entity : NULL;

		if (!n || m->is_implied)
			continue;
		if (n == d->map.entity)
			return NULL;
		if (map_path(a->w->map, n, d->map.entity, a->r->arena, paths) != MAP_FOUND ||
		    !map_path_is_safe(&paths[0]))
			continue;
		if (first && first->measure->entity != n)
			return NULL;
		first = first ? first : m;
	}
	return first;
}

/* "Compare" takes several values of one dimension, or two years. */
static void settle_compared(struct asking *a)
{
	for (size_t i = 0; i < a->r->facts.count; i++) {
		const struct fact *f = &a->r->facts.items[i];

		if (!a->compares && (!a->valued || f->dimension != a->valued))
			continue;

		if (!f->dimension || !f->dimension->map.entity || f->count < 2 || f->implied)
			continue;
		a->compares = !add_by(a, f->dimension->name);
		if (a->metric_count == 0 && !a->subject)
			(void)add_metric(a, measured_by(a, f->dimension));
	}
}

/* "Which country has the most customers", not "the top customers by country". */
static bool counts_of_ranked(const struct asking *a)
{
	for (size_t i = 0; i < a->group_count; i++)
		if (a->groups[i].grouped)
			return false;
	return a->group_count == 1 && a->by_count == 1;
}

/* "How many tracks", "genres by number of tracks", "the top customers by spend". What is named and
 * has no part in that leaves the question unread. */
static bool settle(struct asking *a)
{
	bool ranks = a->top || a->bottom;

	if (a->top && a->bottom)
		return false;
	if (!settle_all(a))
		return false;
	settle_compared(a);
	if (a->metric_count == 0 && a->subject && (a->counts || a->by_count > 0))
		return add_metric(a, metrics_count_of(a, a->subject)) && !a->rows &&
		       (!ranks || counts_of_ranked(a)) && bounds_settle(a);
	if (a->metric_count > 0 && a->subject && metrics_spoken_of(a) != a->subject &&
	    (a->by_count > 0 || !(ranks || a->counts) || !add_by_title(a, a->subject)))
		return false;
	if (!bounds_settle(a))
		return false;
	bounds_of_rows(a);
	if (bounds_metric(a) && a->metric_count > 0 && a->by_count == 0)
		return false; /* "budget above $2M": of which? */
	if (a->rows > 0 || (ranks && a->metric_count == 0))
		return ranks_rows(a);
	return !ranks || (a->metric_count == 1 && a->by_count == 1);
}

/* What metrics of other things a list is bounded by has no time and no other values. */
static bool lists_alone(const struct asking *a, const json_t *query)
{
	const json_t *where = json_object_get(query, MAP_WHERE);

	if (!json_object_get(query, MAP_HAVING))
		return true;
	return json_array_size(where) == 0 && !json_object_get(query, MAP_PERIOD) && !a->rows;
}

/* "Solar projects" lists them without a word that says so; "the solar project" is one of them. */
static bool write_list(const struct asking *a, json_t *query)
{
	bool above = true;
	const struct measure_def *m = bounds_measure(a, &above);
	int rows = a->rows;
	bool narrows = json_array_size(json_object_get(query, MAP_WHERE)) > 0 ||
		       json_object_get(query, MAP_HAVING);

	if (!(a->lists || (narrows && !a->one)) || a->by_count > 0 || !lists_alone(a, query))
		return false;
	json_set_str(query, MAP_LIST, a->subject->name);
	if (a->rows == 0 && !a->top && !a->bottom)
		return true;
	if (a->top || a->bottom)
		above = a->top;
	json_set_take(query, MAP_ORDER, json_array());
	json_push_take(json_object_get(query, MAP_ORDER),
		       json_make({MAP_NAME, json_str(m->name)},
				 {MAP_DIR, json_str(above ? ORDER_DESC : ORDER_ASC)}));
	if (a->rows == 0) {
		const json_t *said = json_object_get(query, a->bottom ? MAP_BOTTOM : MAP_TOP);

		rows = said ? (int)json_integer_value(said) : a->one ? 1 : ROWS_OF_MANY;
		json_object_del(query, MAP_BOTTOM); /* the order says which end it is */
	}
	json_set_int(query, MAP_TOP, rows);
	return true;
}

static bool write_metrics(const struct asking *a, json_t *query)
{
	json_set_take(query, MAP_METRICS, names_json(a, true));
	if (a->by_count > 0)
		json_set_take(query, MAP_BY, names_json(a, false));
	if ((a->top || a->bottom) && !json_object_get(query, MAP_TOP) &&
	    !json_object_get(query, MAP_BOTTOM))
		json_set_int(query, a->bottom ? MAP_BOTTOM : MAP_TOP, a->one ? 1 : ROWS_OF_MANY);
	return true;
}

static bool write_query(struct asking *a, json_t *query)
{
	if (a->compares)
		return false;
	if (a->metric_count > 0)
		return write_metrics(a, query);
	return a->subject && write_list(a, query);
}

/* Those that the caller may see are checked where it runs. */
static bool map_takes(const struct asking *a, const json_t *query)
{
	struct map_query *q = arena_alloc(a->r->arena, sizeof(*q));
	struct map_statement s;
	struct map_problem why = {0};
	struct err e = {0};

	return map_query_read(a->w->map, NULL, query, a->r->in->today, a->r->arena, q, &why, &e) &&
	       map_write(a->w->map, q, DIALECT_SQLITE, a->r->arena, &s, &why, &e);
}

static const struct tool_def *map_tool(const struct catalog_view *may)
{
	for (size_t i = 0; i < may->agent_tool_count; i++)
		if (may->agent_tools[i]->map)
			return may->agent_tools[i];
	return NULL;
}

/* How many parameters of its tools take values of this entity's dimensions. */
static size_t closeness(const struct catalog *c, const struct domain_def *d,
			const struct entity_def *n)
{
	size_t close = 0;

	for (size_t t = 0; t < d->tool_count; t++)
		for (size_t p = 0; p < d->tools[t]->param_count; p++) {
			const char *name = d->tools[t]->params[p].entity;
			const struct dimension_def *of = name ? catalog_dimension(c, name) : NULL;

			close += of && of->map.entity == n;
		}
	return close;
}

/* Of the pack that declares what is asked for, the domain whose tools are about it most. */
static const struct domain_def *domain_of(const struct asking *a)
{
	const struct catalog_view *may = a->r->in->may;
	const char *pack = a->metric_count > 0 ? a->metrics[0]->pack : a->subject->pack;
	const struct domain_def *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < may->domain_count; i++) {
		size_t close =
			closeness(a->r->know->catalog, may->domains[i], metrics_spoken_of(a));

		if (strcmp(may->domains[i]->pack, pack) != 0 || (best && close <= most))
			continue;
		best = may->domains[i];
		most = close;
	}
	/* What is the tenant's own is of no domain. */
	if (!best && metrics_spoken_of(a)->index >= a->w->shared && may->domain_count > 0)
		best = may->domains[0];
	return best;
}

static void call_with(const struct asking *a, const struct tool_def *tool, const json_t *query,
		      const struct domain_def *d, struct understanding *out)
{
	struct arena *arena = a->r->arena;
	struct know_call *call = arena_alloc(arena, sizeof(*call));
	const char **agents = arena_alloc(arena, 2 * sizeof(*agents));
	char *text = json_text(query);

	*call = (struct know_call){
		.kind = CANDIDATE_TOOL, .name = tool->name, .tool = tool, .agent = d->agent};
	args_set(&call->args, arena, tool->map, value_text(arena_strdup(arena, text)));
	mem_free(text);
	agents[0] = d->agent;
	*out = (struct understanding){.kind = KNOW_DATA,
				      .intent = d->intent,
				      .agents = agents,
				      .agent_count = 1,
				      .tools = call,
				      .tool_count = 1,
				      .confidence = KNOW_SURE};
}

bool metrics_choose(const struct reading *r, bool asked, struct understanding *out)
{
	struct asking a = {
		.r = r, .w = r->know->map_words, .phrase = arena_alloc(r->arena, r->q.count + 1)};
	const struct tool_def *tool = map_tool(r->in->may);
	const struct domain_def *d;
	json_t *query;

	if (!a.w || !tool || !bounds_are_read(&a) || r->trouble.kind != TROUBLE_NONE)
		return false;
	query = json_own(r->arena, json_object());
	if (!read_words(&a) || !settle(&a) || !take_facts(&a, query) || !write_query(&a, query) ||
	    !map_takes(&a, query) || (asked && a.by_count + r->said_count == 0))
		return false;
	d = domain_of(&a);
	if (!d)
		return false;
	call_with(&a, tool, query, d, out);
	return true;
}
