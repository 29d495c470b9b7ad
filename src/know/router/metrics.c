/*
 * Questions over the map: a metric or a list of things, what it is grouped by, an order and values.
 * Only where no tool takes the question whole. Each word must be accounted for: as a phrase of the
 * map, a value, a number, a cue that is understood here, or a neutral word. Anything else leaves
 * the question to the others; so does a query that the map refuses.
 */
#include "know_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/map.h"
#include "vesper/mem.h"

#define SCRATCH_BYTES    65536
#define MAP_PHRASE_WORDS 6
#define ROWS_OF_MANY     10 /* "the top genres" */

/* What a phrase of the map names. A count is named by its entity. */
struct map_phrase {
	const struct metric_def *metric;
	const struct entity_def *entity;
	const struct dimension_def *dimension;
	bool singular;    /* the phrase names one */
	const char *last; /* its last word as it is written */
	const char *stems[MAP_PHRASE_WORDS];
	size_t count;
};

struct map_words {
	struct map *map;
	struct map_phrase *phrases;
	size_t count, cap;
};

/* ---- the phrases ---- */

static void add_phrase(struct know *k, struct map_words *w, const char *text,
		       const struct map_phrase *of)
{
	struct arena *scratch = arena_new(SCRATCH_BYTES);
	struct map_phrase p = *of;
	struct question q;
	char stem[STEM_BYTES];

	text_read(k->catalog->language, text, scratch, &q);
	for (size_t i = 0; i < q.count && p.count <= MAP_PHRASE_WORDS; i++) {
		size_t n = word_stem(q.tokens[i].text, q.tokens[i].len, stem);

		if (p.count < MAP_PHRASE_WORDS)
			p.stems[p.count] = arena_strndup(k->arena, stem, n);
		p.last = arena_strndup(k->arena, q.tokens[i].text, q.tokens[i].len);
		p.count++;
	}
	arena_free(&scratch);
	if (p.count == 0 || p.count > MAP_PHRASE_WORDS)
		return;
	w->phrases = arena_grow(k->arena, w->phrases, w->count, &w->cap, sizeof(*w->phrases));
	w->phrases[w->count++] = p;
}

static void add_all(struct know *k, struct map_words *w, const char *const *texts,
		    const struct map_phrase *of)
{
	for (; texts && *texts; texts++)
		add_phrase(k, w, *texts, of);
}

static void add_entity(struct know *k, struct map_words *w, const struct entity_def *n)
{
	struct map_phrase of = {.entity = n};

	if (n->kind == ENTITY_LINK)
		return;
	add_phrase(k, w, n->plural, &of);
	add_all(k, w, n->synonyms, &of);
	of.singular = true;
	add_phrase(k, w, n->label, &of);
}

static void add_dimension(struct know *k, struct map_words *w, const struct dimension_def *d)
{
	const struct map_phrase of = {.dimension = d, .singular = true};

	if (!d->map.entity)
		return;
	add_phrase(k, w, d->label, &of);
	add_all(k, w, d->map.synonyms, &of);
}

static bool has_map_tool(const struct catalog *c)
{
	for (size_t i = 0; i < c->tool_count; i++)
		if (c->tools[i].map)
			return true;
	return false;
}

struct map_words *map_words_new(struct know *k)
{
	struct map_words *w = arena_alloc(k->arena, sizeof(*w));
	const struct schema *s;

	if (!has_map_tool(k->catalog))
		return NULL;
	s = catalog_schema(k->catalog);
	w->map = map_new(k->catalog);
	for (size_t i = 0; i < s->metric_count; i++) {
		const struct metric_def *m = s->metrics[i];

		if (m->is_implied) /* how many there are: the entity names it */
			continue;
		add_phrase(k, w, m->label, &(struct map_phrase){.metric = m});
		add_all(k, w, m->synonyms, &(struct map_phrase){.metric = m});
	}
	for (size_t i = 0; i < s->entity_count; i++)
		add_entity(k, w, s->entities[i]);
	for (size_t i = 0; i < k->catalog->dimension_count; i++)
		add_dimension(k, w, &k->catalog->dimensions[i]);
	for (size_t i = 0; i < s->plain_count; i++)
		add_dimension(k, w, s->plain[i]);
	return w;
}

void map_words_deinit(struct map_words *w)
{
	if (w)
		map_free(&w->map);
}

/* ---- one question ---- */

/* What one phrase may mean; which of it is told by what else is named. */
#define MEANT_MAX 8
struct meant {
	const struct map_phrase *items[MEANT_MAX];
	size_t count;
	bool exact;   /* in just the words of its label: "genre", not "genres" */
	bool grouped; /* behind "by" */
};

struct asking {
	const struct reading *r;
	const struct map_words *w;
	const struct metric_def *metrics[MAP_METRICS_ASKED_MAX];
	size_t metric_count;
	struct meant measured;           /* a metric; none: count 0 */
	struct meant groups[MAP_BY_MAX]; /* dimensions */
	size_t group_count;
	const struct entity_def *subject; /* the first thing that is named: counted or listed */
	const char *by[MAP_BY_MAX];
	size_t by_count;
	/* "with billing city Paris": says of which dimension a value is */
	const struct dimension_def *named[MAP_BY_MAX];
	size_t named_count;
	bool counts, lists, top, bottom;
	bool grouping; /* the last word was "by" */
	bool counting; /* ... "number of" */
	bool one;      /* what is ranked is named as one: "which genre" */
};

static bool is_said(const struct map_phrase *p, const struct question *q, size_t i)
{
	char stem[STEM_BYTES];

	if (i + p->count > q->count)
		return false;
	for (size_t n = 0; n < p->count; n++) {
		const struct token *t = &q->tokens[i + n];
		size_t len = word_stem(t->text, t->len, stem);

		if ((t->used && !t->word) || strlen(p->stems[n]) != len ||
		    strncmp(p->stems[n], stem, len) != 0)
			return false;
	}
	return true;
}

/* How well a phrase suits the place where it stands; behind "by" a dimension is meant, behind
 * "number of" a thing. */
static size_t rank_of(const struct asking *a, const struct map_phrase *p)
{
	size_t kind = a->counting ? (p->entity ? 3 : 0)
		      : p->metric ? 2
		      : p->entity ? 1
				  : (a->grouping ? 3 : 0);

	return p->count * 4 + kind;
}

static bool is_exact(const struct asking *a, const struct map_phrase *p, size_t i)
{
	const struct token *last = &a->r->q.tokens[i + p->count - 1];

	return strlen(p->last) == last->len && strncmp(p->last, last->text, last->len) == 0;
}

static bool has_meaning(const struct meant *m, const struct map_phrase *p)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->items[i]->metric == p->metric && m->items[i]->entity == p->entity &&
		    m->items[i]->dimension == p->dimension)
			return true;
	return false;
}

/* The longest phrases that stand here, all of the kind that suits best. */
static struct meant meant_at(const struct asking *a, size_t i)
{
	struct meant best = {0};

	for (size_t p = 0; p < a->w->count; p++) {
		const struct map_phrase *one = &a->w->phrases[p];
		size_t rank, least = best.count > 0 ? rank_of(a, best.items[0]) : 0;

		if (!is_said(one, &a->r->q, i) || (rank = rank_of(a, one)) < least)
			continue;
		if (rank > least)
			best.count = 0;
		if (best.count < MEANT_MAX && !has_meaning(&best, one))
			best.items[best.count++] = one;
		best.exact |= one->singular && is_exact(a, one, i);
	}
	return best;
}

/* The dimension that tells an entity's rows apart for people, by names that are known. */
static const struct dimension_def *title_of(const struct asking *a, const struct entity_def *n)
{
	const struct catalog *c = a->r->know->catalog;

	for (size_t i = 0; i < c->dimension_count && n->title; i++)
		if (c->dimensions[i].map.entity == n && c->dimensions[i].map.column == n->title)
			return &c->dimensions[i];
	return NULL;
}

static bool add_by(struct asking *a, const struct dimension_def *d)
{
	if (!d || a->by_count == MAP_BY_MAX)
		return false;
	for (size_t i = 0; i < a->by_count; i++)
		if (strcmp(a->by[i], d->name) == 0)
			return true;
	a->by[a->by_count++] = d->name;
	return true;
}

static const struct metric_def *count_of(const struct asking *a, const struct entity_def *n)
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
		return add_metric(a, count_of(a, n));
	if (grouped)
		return add_by(a, title_of(a, n));
	if (a->subject) /* "which genre has the most tracks" */
		return (a->top || a->bottom) && add_metric(a, count_of(a, n));
	a->subject = n;
	return true;
}

static bool take_phrase(struct asking *a, const struct meant *m)
{
	const struct map_phrase *first = m->items[0];
	bool grouped = a->grouping, counted = a->counting;

	a->grouping = a->counting = false;
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

/* "its", "those": they point at something that is not said here. */
static bool points_back(const struct token *t)
{
	return token_says(t, WORDS_PRONOUNS) || token_says(t, WORDS_OWNED) ||
	       token_says(t, WORDS_ANYWHERE);
}

/* All that was said beside values is what is left out, by names that are on the map. */
static bool leaves_out(const struct asking *a)
{
	for (size_t i = 0; i < a->r->said_count; i++) {
		const struct said *s = &a->r->said[i];

		if (s->slot != SLOT_NOT || !s->dimension || !s->dimension->map.entity || s->soft)
			return false;
	}
	return a->r->said_count > 0;
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
	if (leaves_out(a) && (token_says(t, WORDS_EXCEPT) || token_says(t, WORDS_LEAVING_OUT) ||
			      token_says(t, WORDS_EXCEPT_INSIDE)))
		return 1;
	a->lists |= token_says(t, WORDS_WHICH) || token_says(t, WORDS_EVERYTHING);
	return 0;
}

static bool read_words(struct asking *a)
{
	const struct question *q = &a->r->q;

	for (size_t i = 0; i < q->count;) {
		const struct token *t = &q->tokens[i];
		const struct meant m = meant_at(a, i);
		size_t n = m.count > 0 ? m.items[0]->count : take_cue(a, i);

		if ((m.count > 0 && !take_phrase(a, &m)) || points_back(t))
			return false;
		if (n == 0 && !(t->used && !t->word) && !account_is_neutral(a->r, i))
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
	return p->metric->measure ? p->metric->measure->entity : NULL;
}

/* The only one, or the only one of the entity that is spoken of; NULL: it is not told. */
static const struct map_phrase *settle_meant(const struct meant *m, const struct entity_def *of)
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

static const struct entity_def *spoken_of(const struct asking *a)
{
	return a->metric_count > 0 && a->metrics[0]->measure ? a->metrics[0]->measure->entity
							     : a->subject;
}

static bool settle_all(struct asking *a)
{
	const struct map_phrase *p;

	if (a->measured.count > 0) {
		p = settle_meant(&a->measured, a->subject);
		if (!p || !add_metric(a, p->metric))
			return false;
	}
	for (size_t i = 0; i < a->group_count; i++) {
		const struct meant *m = &a->groups[i];

		p = settle_meant(m, spoken_of(a));
		if (!p)
			return false;
		if (!m->grouped && !a->top && !a->bottom)
			a->named[a->named_count++] = p->dimension;
		else if (!add_by(a, p->dimension))
			return false;
	}
	return true;
}

/* ---- what was read of it already ---- */

static bool knows_all(const struct asking *a, const struct dimension_def *d,
		      const struct value *values, size_t count)
{
	struct name_match m;

	for (size_t i = 0; i < count; i++)
		if (!values[i].text ||
		    !names_resolve(a->r->names, d, values[i].text, NULL, a->r->arena, &m))
			return false;
	return count > 0;
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
	if (read->map.entity == spoken_of(a))
		return read;
	for (size_t i = 0; i < c->dimension_count; i++) {
		const struct dimension_def *d = &c->dimensions[i];

		if (d->map.entity != spoken_of(a) || !knows_all(a, d, values, count))
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

static void set_period(json_t *query, const char *start, const char *end)
{
	json_set_take(query, MAP_PERIOD,
		      json_make({MAP_START, json_str(start)}, {MAP_END, json_str(end)}));
}

/* A value where the question names one, a year as its days, so many rows. False: nothing here takes
 * it. */
static bool take_fact(const struct asking *a, const struct fact *f, json_t *where, json_t *query)
{
	struct arena *arena = a->r->arena;

	if (f->implied || f->source == SOURCE_DEFAULT)
		return true;
	if (f->dimension) {
		if (!f->dimension->map.entity || f->said || f->all)
			return false;
		return add_where(a, where, f->dimension, OP_IS, f->values, f->count);
	}
	if (strcmp(f->filter, FILTER_TOP_N) == 0 && (a->top || a->bottom)) {
		json_set_int(query, a->bottom ? MAP_BOTTOM : MAP_TOP, f->values[0].number);
		return true;
	}
	if (strcmp(f->filter, FILTER_YEAR) == 0 && f->count == 1) {
		int year = (int)f->values[0].number;

		set_period(query, arena_printf(arena, "%d-01-01", year),
			   arena_printf(arena, "%d-12-31", year));
		return true;
	}
	return false;
}

static bool take_facts(const struct asking *a, json_t *query)
{
	const struct fact *start = facts_get(&a->r->facts, FILTER_START);
	const struct fact *end = facts_get(&a->r->facts, FILTER_END);
	json_t *where = json_array();
	bool ok = !start == !end;

	for (size_t i = 0; ok && i < a->r->facts.count; i++) {
		const struct fact *f = &a->r->facts.items[i];

		ok = f == start || f == end || take_fact(a, f, where, query);
	}
	for (size_t i = 0; ok && i < a->r->said_count; i++)
		ok = add_where(a, where, a->r->said[i].dimension, OP_NOT, a->r->said[i].values,
			       a->r->said[i].count);
	ok = ok && uses_named(a, where);
	if (ok && start)
		set_period(query, start->values[0].text, end->values[0].text);
	json_set_take(query, MAP_WHERE, where);
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

/* "How many tracks", "genres by number of tracks", "the top customers by spend". What is named and
 * has no part in that leaves the question unread. */
static bool settle(struct asking *a)
{
	bool ranks = a->top || a->bottom;

	if (a->top && a->bottom)
		return false;
	if (!settle_all(a))
		return false;
	if (a->metric_count == 0 && a->subject && (a->counts || a->by_count > 0))
		return add_metric(a, count_of(a, a->subject)) && !ranks;
	if (a->metric_count > 0 && a->subject && spoken_of(a) != a->subject &&
	    (a->by_count > 0 || !(ranks || a->counts) || !add_by(a, title_of(a, a->subject))))
		return false;
	return !ranks || (a->metric_count == 1 && a->by_count == 1);
}

static bool write_query(struct asking *a, json_t *query)
{
	if (a->metric_count > 0) {
		json_set_take(query, MAP_METRICS, names_json(a, true));
		if (a->by_count > 0)
			json_set_take(query, MAP_BY, names_json(a, false));
	} else if (a->subject && a->lists && a->by_count == 0) {
		json_set_str(query, MAP_LIST, a->subject->name);
	} else {
		return false;
	}
	if ((a->top || a->bottom) && !json_object_get(query, MAP_TOP) &&
	    !json_object_get(query, MAP_BOTTOM))
		json_set_int(query, a->bottom ? MAP_BOTTOM : MAP_TOP, a->one ? 1 : ROWS_OF_MANY);
	return true;
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
		size_t close = closeness(a->r->know->catalog, may->domains[i], spoken_of(a));

		if (strcmp(may->domains[i]->pack, pack) != 0 || (best && close <= most))
			continue;
		best = may->domains[i];
		most = close;
	}
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

bool metrics_choose(const struct reading *r, struct understanding *out)
{
	struct asking a = {.r = r, .w = r->know->map_words};
	const struct tool_def *tool = map_tool(r->in->may);
	const struct domain_def *d;
	json_t *query;

	if (!a.w || !tool || (r->said_count > 0 && !leaves_out(&a)) ||
	    r->trouble.kind != TROUBLE_NONE || r->time.reading_count > 0 || r->time.vague ||
	    r->time.months || r->time.hours || r->time.day_type || r->time.asof_count > 0)
		return false;
	query = json_own(r->arena, json_object());
	if (!read_words(&a) || !settle(&a) || !take_facts(&a, query) || !write_query(&a, query) ||
	    !map_takes(&a, query))
		return false;
	d = domain_of(&a);
	if (!d)
		return false;
	call_with(&a, tool, query, d, out);
	return true;
}
