/*
 * Reads the words of a question over the map: a metric or a list, its groups, its sort order. Every
 * word must be a phrase of the map, a value, a number, a known cue, or neutral.
 */
#include "metrics_int.h"

#include <string.h>

/* Searches dimensions with known values first, then plain ones. */
const struct dimension_def *metrics_title(const struct query_builder *a, const struct entity_def *n)
{
	const struct catalog *c = a->r->nlu->catalog;
	const struct schema *s = catalog_schema(c);

	for (size_t i = 0; i < c->dimension_count && n->title; i++)
		if (c->dimensions[i].map.entity == n && c->dimensions[i].map.column == n->title)
			return &c->dimensions[i];
	for (size_t i = 0; i < s->plain_count && n->title; i++)
		if (s->plain[i]->map.entity == n && s->plain[i]->map.column == n->title)
			return s->plain[i];
	return NULL;
}

bool metrics_add_by(struct query_builder *a, const char *name)
{
	if (a->by_count == MAP_BY_MAX)
		return false;
	for (size_t i = 0; i < a->by_count; i++)
		if (strcmp(a->by[i], name) == 0)
			return true;
	a->by[a->by_count++] = name;
	return true;
}

bool metrics_add_by_title(struct query_builder *a, const struct entity_def *n)
{
	const struct dimension_def *d = metrics_title(a, n);

	return d && metrics_add_by(a, d->name);
}

const struct metric_def *metrics_count_of(const struct query_builder *a, const struct entity_def *n)
{
	const struct schema *s = catalog_schema(a->r->nlu->catalog);

	for (size_t i = 0; i < s->metric_count; i++)
		if (s->metrics[i]->is_implied && s->metrics[i]->measure &&
		    s->metrics[i]->measure->entity == n && !s->metrics[i]->measure->column &&
		    s->metrics[i]->measure->aggregate == AGGREGATE_COUNT)
			return s->metrics[i];
	return NULL;
}

bool metrics_add(struct query_builder *a, const struct metric_def *m)
{
	if (!m || a->metric_count > 0)
		return false;
	a->metrics[a->metric_count++] = m;
	return true;
}

static bool add_entity(struct query_builder *a, const struct entity_def *n, bool grouped,
		       bool counted)
{
	if (counted)
		return metrics_add(a, metrics_count_of(a, n));
	if (grouped)
		return metrics_add_by_title(a, n);
	if (a->subject && a->related.has_word) { /* "projects related to risks" */
		if (a->related.count == MAP_RELATED_MAX || a->subject == n)
			return false;
		a->related.items[a->related.count++] = n;
		return true;
	}
	if (a->subject) /* "which genre has the most tracks" */
		return (a->top || a->bottom) && metrics_add(a, metrics_count_of(a, n));
	a->subject = n;
	return true;
}

/* An analysis may take several metrics. */
static bool add_metric(struct query_builder *a, const struct phrase_meanings *m)
{
	if (a->measured_metric.count == 0)
		a->measured_metric = *m;
	else if (a->slots.further.count < MAP_METRICS_ASKED_MAX - 1)
		a->slots.further.items[a->slots.further.count++] = *m;
	else
		return false;
	return true;
}

static bool add_phrase(struct query_builder *a, const struct phrase_meanings *m)
{
	const struct map_phrase *first = m->items[0];
	bool grouped = a->after.by, counted = a->after.number_of;

	a->after.by = a->after.number_of = false;
	if (a->after.order) {
		a->after.order = false;
		a->order.by = *m;
		return first->metric || first->dimension;
	}
	if (first->level) {
		bool again = a->level.phrase.count > 0;

		a->level.phrase = *m;
		return !again;
	}
	if (grouped && counted && !a->is_followup) /* "count of" an unknown item per project */
		return false;
	if (m->exact && !first->metric && !counted) {
		a->singular.named |= first->entity && !(a->related.has_word && a->subject);
		a->singular.ranked = true;
	}
	if (first->metric)
		return add_metric(a, m);
	if (first->entity)
		return m->count == 1 && add_entity(a, first->entity, grouped, counted);
	if (a->group_count == MAP_BY_MAX)
		return false;
	a->groups[a->group_count] = *m;
	a->groups[a->group_count++].grouped = grouped;
	return true;
}

/* "Biggest first", "descending", "sorted by": the number of words of a sort order; 0: none. */
static size_t read_order(struct query_builder *a, size_t i)
{
	const struct question *q = &a->r->q;
	size_t down = words_at(q, i, WORDS_DESCENDING), up = words_at(q, i, WORDS_ASCENDING);
	size_t n = down > up ? down : up;

	if (n == 0) {
		n = words_at(q, i, WORDS_SORTING);
		a->after.order |= n > 0;
		return n;
	}
	a->order.descending |= down >= up;
	a->order.ascending |= up > down;
	if (a->order.by.count == 0 && i + n < q->count && /* "descending by budget" */
	    token_in_list(&q->tokens[i + n], WORDS_PREPOSITIONS) &&
	    token_in_list(&q->tokens[i + n], WORDS_GROUPING)) {
		a->after.order = true;
		n++;
	}
	return n;
}

/* "By COD year": a date that is grouped by one of its units. Returns the number of words. */
static size_t read_date_grain(struct query_builder *a, size_t i, const struct phrase_meanings *m)
{
	const struct dimension_def *d = m->count == 1 ? m->items[0]->dimension : NULL;
	size_t n = d ? m->items[0]->count : 0;
	enum grain grain =
		d && i + n < a->r->q.count ? map_words_grain(&a->r->q.tokens[i + n]) : GRAIN_NONE;

	if (!grain || !a->after.by || !(d->map.grains >> grain & 1) || a->group_count == MAP_BY_MAX)
		return 0;
	a->groups[a->group_count] = *m;
	a->groups[a->group_count].grain = grain;
	a->groups[a->group_count++].grouped = true;
	a->after.by = false;
	memset(a->in_phrase + i, true, n + 1);
	return n + 1;
}

/* "Projects that are not solar": returns true for the pronoun after a phrase of the map. */
static bool is_relative(const struct query_builder *a, size_t i)
{
	return i > 0 && a->in_phrase[i - 1] &&
	       token_in_list(&a->r->q.tokens[i], WORDS_RELATIVE_PRONOUNS);
}

/* "its", "those": returns true for a word that refers to something outside this question. "Those
 * with at least 4" does not, and neither do "it" and "their" after a name ("projects with their
 * COD", "which project is it"). "This year" is a time. "It will be late" does, even after
 * a name. */
static bool refers_back(const struct query_builder *a, size_t i)
{
	const struct question *q = &a->r->q;
	const struct token *t = &q->tokens[i];
	bool is_pronoun = token_in_list(t, WORDS_PRONOUNS), has_name;

	if (is_pronoun && word_is_time(a->r, i + 1))
		return false;
	has_name = a->subject || a->group_count + a->measured_metric.count > 0;
	if (is_pronoun && has_name && i + 1 < q->count && /* "those with at least 4" */
	    token_in_list(&q->tokens[i + 1], WORDS_PREPOSITIONS) && bounds_any(a))
		return false;
	if (is_pronoun || !(token_in_list(t, WORDS_IT) || token_in_list(t, WORDS_THIRD_PERSON)))
		return is_pronoun || token_in_list(t, WORDS_FOLLOWUP_ANYWHERE);
	return !has_name || (token_in_list(t, WORDS_IT) && !word_ends_clause(q, i) &&
			     !token_in_list(&q->tokens[i + 1], WORDS_PREPOSITIONS));
}

static bool has_exclusion(const struct query_builder *a)
{
	for (size_t i = 0; i < a->r->constraint_count; i++)
		if (a->r->constraints[i].slot == SLOT_NOT)
			return true;
	return false;
}

/* "Which three projects", "the 3 projects with": the requested number of rows, if the number is
 * unused. */
static bool read_row_count(struct query_builder *a, size_t i)
{
	const struct token *t = &a->r->q.tokens[i];
	int n = t->used || i == 0 || a->rows > 0 ? -1 : token_number(t);

	if (n < 1 || n > MAP_TOP_MAX ||
	    !(token_in_list(&a->r->q.tokens[i - 1], WORDS_WHICH) ||
	      token_in_list(&a->r->q.tokens[i - 1], WORDS_ARTICLES)))
		return false;
	a->rows = n;
	return true;
}

/* "vs", "compare" */
static bool is_comparison_word(const struct token *t)
{
	return token_in_list(t, WORDS_VERSUS) ||
	       (token_in_list(t, WORDS_COMPARISON) && token_in_list(t, WORDS_EXTENDING));
}

/* ---- named conditions ---- */

static bool is_exclusion_word(const struct token *t)
{
	return token_in_list(t, WORDS_EXCLUSION) || token_in_list(t, WORDS_EXCLUSION_VERBS) ||
	       token_in_list(t, WORDS_EXCLUDED) || token_in_list(t, WORDS_EXCLUSION_CUES) ||
	       token_in_list(t, WORDS_EXCLUSION_NOT_FIRST) ||
	       token_in_list(t, WORDS_EXCLUSION_AFTER_NOUN);
}

/* "That are not overdue": the word that negates a condition. */
static bool negates_condition(const struct query_builder *a, size_t i)
{
	const struct question *q = &a->r->q;

	if (!is_exclusion_word(&q->tokens[i]))
		return false;
	while (++i < q->count) {
		const struct phrase_meanings m = map_words_at(a, i);

		if (m.count > 0 && m.items[0]->condition)
			return true;
		if (!token_in_list(&q->tokens[i], WORDS_EXCLUSION_LINKS))
			return false;
	}
	return false;
}

/* "Without", "no", but not "excluding technology" or "not technology". */
static bool asks_for_missing(const struct token *t)
{
	return token_in_list(t, WORDS_NEGATION) && !token_in_list(t, WORDS_NOT) &&
	       (token_in_list(t, WORDS_SOME) || token_in_list(t, WORDS_EXCLUSION));
}

/* "Have a": a short word that is not a preposition, before an article. */
static bool is_verb_before_article(const struct query_builder *a, size_t i)
{
	const struct question *q = &a->r->q;

	return i + 1 < q->count && nlu_is_stop_word(a->r->nlu, &q->tokens[i]) &&
	       !token_in_list(&q->tokens[i], WORDS_PREPOSITIONS) &&
	       !token_in_list(&q->tokens[i], WORDS_TO_BE) &&
	       token_in_list(&q->tokens[i + 1], WORDS_ARTICLES);
}

/* "Without a buyer", "no COD yet": the word that asks for rows without a value. Returns the
 * index of the dimension's phrase; 0: none. */
static size_t negated_dimension(const struct query_builder *a, size_t i)
{
	const struct question *q = &a->r->q;

	if (asks_for_missing(&q->tokens[i]))
		;
	else if (token_in_list(&q->tokens[i], WORDS_NEGATION) && /* "don't have a buyer" */
		 is_verb_before_article(a, i + 1))
		i++;
	else
		return 0;
	while (++i < q->count && q->tokens[i].separator == ' ') { /* not "no, technology" */
		const struct phrase_meanings m = map_words_at(a, i);

		if (m.count > 0)
			return m.items[0]->dimension ? i : 0;
		if (!token_in_list(&q->tokens[i], WORDS_ARTICLES) &&
		    !token_in_list(&q->tokens[i], WORDS_SOME))
			return 0;
	}
	return 0;
}

/* Reads "without a buyer". Returns the number of words; 0: no such phrase. */
static size_t read_missing(struct query_builder *a, size_t i)
{
	size_t at = negated_dimension(a, i), n;
	struct phrase_meanings m;

	if (at == 0 || a->group_count == MAP_BY_MAX)
		return 0;
	m = map_words_at(a, at);
	n = at + m.items[0]->count;
	if (n < a->r->q.count && a->r->q.tokens[n].used) /* "without sponsor Helios" */
		return 0;
	m.missing = true;
	a->groups[a->group_count++] = m;
	memset(a->in_phrase + i, true, n - i);
	return n - i;
}

/* "Not on weekends": the word that excludes days. */
static bool excludes_days(const struct query_builder *a, size_t i)
{
	const struct question *q = &a->r->q;

	if (!is_exclusion_word(&q->tokens[i]) || !a->r->time.weekdays)
		return false;
	while (++i < q->count && q->tokens[i].text != a->r->time.day_type)
		if (!token_in_list(&q->tokens[i], WORDS_EXCLUSION_LINKS))
			return false;
	return i < q->count;
}

static bool is_bounded_before(const struct query_builder *a, size_t i)
{
	for (size_t k = 0; k < a->r->constraint_count; k++)
		if (a->r->constraints[k].slot != SLOT_NOT && a->r->constraints[k].amount.to == i)
			return true;
	return false;
}

/* Reads "overdue", including in "projects with overdue tasks". Returns the number of words.
 * SIZE_MAX: it is not a condition here, as in "late stage" or "more than 3 overdue tasks". */
static size_t read_condition(struct query_builder *a, size_t i, const struct phrase_meanings *m)
{
	size_t n = m->items[0]->count;
	const struct phrase_meanings next = map_words_at(a, i + n);
	const struct map_phrase *of = next.count > 0 ? next.items[0] : NULL;

	if (a->conditions.count == MAP_NAMED_MAX || is_bounded_before(a, i) ||
	    (of && (of->dimension || of->metric)))
		return SIZE_MAX;
	a->conditions.items[a->conditions.count].of = *m;
	a->conditions.items[a->conditions.count++].negated = exclude_cue_before(&a->r->q, i);
	if (of && m->count == 1 && of->entity == m->items[0]->condition->entity && a->subject &&
	    a->subject != of->entity && !a->after.by && !a->top && !a->bottom)
		n += of->count;
	memset(a->in_phrase + i, true, n);
	return n;
}

/* "Since March", "before February": returns true when the word is part of the parsed time, which
 * then has an open end or ends today. Other words of this list ("beyond 2027", "preceding March")
 * have a meaning that was not parsed. */
static bool limits_time(const struct query_builder *a, size_t i)
{
	const struct question *q = &a->r->q;
	const struct parsed_time *t = &a->r->time;
	bool until_today =
		t->has_start && t->has_end && date_to_days(t->end) == date_to_days(a->r->in->today);
	size_t time = i + 1;

	while (time < q->count && token_in_list(&q->tokens[time], WORDS_ARTICLES))
		time++;
	return token_in_list(&q->tokens[i], WORDS_NARROWING) && time < q->count &&
	       word_is_time(a->r, time) && (t->has_start != t->has_end || until_today);
}

/* "Split the forecast by", "broken down by": the group follows in the same sentence. */
static bool splits_by(const struct query_builder *a, size_t i)
{
	const struct question *q = &a->r->q;

	if (!token_in_list(&q->tokens[i], WORDS_GROUPING) || map_words_grain(&q->tokens[i]))
		return false;
	while (++i < q->count && !q->tokens[i].starts_sentence)
		if (token_in_list(&q->tokens[i], WORDS_PREPOSITIONS) &&
		    token_in_list(&q->tokens[i], WORDS_GROUPING))
			return true;
	return false;
}

/* Reads a known cue. Returns its number of words; 0: none. */
static size_t read_cue(struct query_builder *a, size_t i)
{
	const struct question *q = &a->r->q;
	const struct token *t = &q->tokens[i];
	size_t counting = words_at(q, i, WORDS_COUNTING);

	if (words_at(q, i, WORDS_ABOVE) > 1 || words_at(q, i, WORDS_BELOW) > 1)
		return SIZE_MAX; /* "at least in stage 3": a bound without a number */
	if (counting > 0) {
		a->is_count = a->after.number_of = true;
		a->after.by = false;
		return counting;
	}
	if (token_in_list(t, WORDS_CHEAPEST) || token_in_list(t, WORDS_PRICIEST)) {
		if (a->is_followup)
			return 1; /* orders by the current metric; read by metrics_follow.c */
		a->top |= token_in_list(t, WORDS_PRICIEST);
		a->bottom |= token_in_list(t, WORDS_CHEAPEST);
		a->cues.price = true;
		return 1;
	}
	if (token_in_list(t, WORDS_TOP) || token_in_list(t, WORDS_BOTTOM)) {
		a->top |= token_in_list(t, WORDS_TOP);
		a->bottom |= token_in_list(t, WORDS_BOTTOM);
		return 1;
	}
	if (token_in_list(t, WORDS_PREPOSITIONS) &&
	    token_in_list(t, WORDS_GROUPING)) { /* "by", "per" */
		a->after.by = true;
		return 1;
	}
	if (token_in_list(t, WORDS_ALL) && token_in_list(t, WORDS_GROUPING)) { /* "each" */
		a->after.by = true;
		return 1;
	}
	if (splits_by(a, i)) /* "split it by" */
		return 1;
	if (is_comparison_word(t)) {
		a->cues.compares = true;
		return 1;
	}
	if (token_in_list(t, WORDS_TOTALS)) {
		a->cues.totals = true;
		return 1;
	}
	if (token_in_list(t, WORDS_RELATING)) {
		a->related.has_word = true;
		a->related.is_required |= !word_is_neutral(a->r, i);
		return 1;
	}
	if (token_in_list(t, WORDS_WHO) && !a->analysis && !a->subject && a->group_count == 0)
		return SIZE_MAX; /* "who", when no entity or group is named */
	if (read_row_count(a, i))
		return 1;
	if ((has_exclusion(a) && is_exclusion_word(t)) || negates_condition(a, i) ||
	    excludes_days(a, i))
		return 1;
	if (a->is_followup && i == 0 &&
	    token_in_list(t, WORDS_FOLLOWUP_OPENING)) /* "add the market" */
		return 1;
	if (limits_time(a, i))
		return 1;
	a->is_list |= token_in_list(t, WORDS_WHICH) || token_in_list(t, WORDS_EVERYTHING);
	return 0;
}

/* "by month", "monthly": groups by a grain of the entity's time dimension, or by a dimension of
 * that name. */
static bool read_grain(struct query_builder *a, size_t i, const struct phrase_meanings *m)
{
	const struct token *t = &a->r->q.tokens[i];
	bool weekday = a->after.by && a->r->time.day_type == t->text;
	enum grain grain = t->used && !weekday ? GRAIN_NONE : map_words_grain(t);
	bool grouped = a->after.by || token_in_list(t, WORDS_GROUPING);
	bool named = m->count > 0 && m->items[0]->dimension;

	if (!grain || a->after.number_of || a->group_count == MAP_BY_MAX ||
	    (m->count > 0 && (m->items[0]->count > 1 || !(named || grouped))))
		return false;
	a->groups[a->group_count] = named ? *m : (struct phrase_meanings){0};
	a->groups[a->group_count].grain = grain;
	a->groups[a->group_count++].grouped = grouped;
	a->after.by = false;
	a->singular.ranked |= strcmp(t->text, grain_name(grain)) == 0;
	return true;
}

/* Reads a phrase of n words: as the target of an adjacent bound, or else as what the query
 * groups or measures. A bounded metric after "by" is both. */
static bool add_phrase_or_bound(struct query_builder *a, size_t i, size_t n,
				const struct phrase_meanings *m)
{
	bool grouped = a->after.by, bounded = bounds_set_target(a, m, i, n);

	memset(a->in_phrase + i, true, n);

	return (bounded && !(grouped && m->items[0]->metric)) || add_phrase(a, m);
}

/* Returns true when the word belongs to a value that the query takes. */
static bool is_value(const struct query_builder *a, size_t i)
{
	for (size_t k = 0; k < a->r->mention_count; k++) {
		const struct mention *m = &a->r->mentions[k];
		const struct dimension_def *d = m->candidates[0].dimension;

		if (i < m->from || i >= m->to)
			continue;
		for (size_t n = 0; n < a->r->constraint_count && m->excluded; n++)
			if (a->r->constraints[n].slot == SLOT_NOT &&
			    a->r->constraints[n].dimension == d)
				return true;
		if (!m->excluded && facts_get(&a->r->facts, d->filter))
			return true;
	}
	return false;
}

/* "Albums by Iron Maiden" filters by one value; several values after "by" are groups. */
static void read_value_after_by(struct query_builder *a, size_t i)
{
	for (size_t k = 0; a->after.by && k < a->r->mention_count; k++) {
		const struct mention *m = &a->r->mentions[k];

		if (i < m->from || i >= m->to || m->excluded)
			continue;
		a->named.of_value_after_by = m->candidates[0].dimension;
		a->after.by = false;
	}
}

/* "In total" requests a sum and has no other effect. */
static size_t read_total(struct query_builder *a, size_t i)
{
	size_t n = words_at(&a->r->q, i, WORDS_NEUTRAL);
	bool total = false;

	for (size_t k = i; k < i + n && n > 1; k++)
		total |= token_in_list(&a->r->q.tokens[k], WORDS_TOTALS);
	a->cues.totals |= total;
	return total ? n : 0;
}

/* "Over time", "by the way": the number of neutral words; 0 when one of them has another
 * meaning. */
static size_t neutral_phrase(const struct query_builder *a, size_t i,
			     const struct phrase_meanings *m)
{
	size_t n = words_at(&a->r->q, i, WORDS_NEUTRAL);

	for (size_t at = i; at < i + n; at++)
		if (a->r->q.tokens[at].used || (at > i && map_words_at(a, at).count > 0))
			return 0;
	if (words_at(&a->r->q, i, WORDS_ABOVE) >= n || words_at(&a->r->q, i, WORDS_BELOW) >= n)
		return 0; /* "at least in stage 3" */
	return n > 1 && m->count == 0 ? n : 0;
}

/* "Is there a trend": only one analysis may be requested. Its words may also be phrases of the map
 * or name a sort order. */
static size_t read_analysis_cue(struct query_builder *a, size_t i, const struct phrase_meanings *m)
{
	const struct map_cue *cue = map_words_cue(a, i);

	if (!cue || (m->count > 0 && m->items[0]->count >= cue->count))
		return 0;
	if (a->analysis && a->analysis != cue->tool)
		return SIZE_MAX;
	a->analysis = cue->tool;
	memset(a->in_phrase + i, true, cue->count);
	return cue->count;
}

/* Finds the analysis before the words are read: words before its cue also belong to it. */
static void find_analysis(struct query_builder *a)
{
	for (size_t i = 0; i < a->r->q.count && !a->analysis;) {
		const struct phrase_meanings m = map_words_at(a, i);
		const struct map_cue *cue =
			metrics_change_words(a, i) > 0 ? NULL : map_words_cue(a, i);

		if (cue && (m.count == 0 || m.items[0]->count < cue->count))
			a->analysis = cue->tool;
		i += m.count > 0 ? m.items[0]->count : 1;
	}
}

bool metrics_read(struct query_builder *a)
{
	const struct question *q = &a->r->q;

	find_analysis(a);

	for (size_t i = 0; i < q->count;) {
		const struct token *t = &q->tokens[i];
		const struct phrase_meanings m = map_words_at(a, i);
		size_t change = metrics_change_words(a, i);
		size_t cue = change > 0 ? change : read_analysis_cue(a, i, &m);
		size_t n = cue > 0 ? cue : bounds_words(a, i);

		if (n == 0)
			n = read_total(a, i);
		if (n == 0)
			n = neutral_phrase(a, i, &m);
		if (n == 0)
			n = metrics_period_words(a, i);
		if (n == 0)
			n = read_order(a, i);
		if (n == 0)
			n = read_missing(a, i);
		if (n == 0)
			n = read_date_grain(a, i, &m);
		if (n == 0 && m.count > 0 && m.items[0]->condition)
			n = read_condition(a, i, &m);
		else if (n == 0 && read_grain(a, i, &m))
			n = 1;
		else if (n == 0 && m.count > 0)
			n = add_phrase_or_bound(a, i, m.items[0]->count, &m) ? m.items[0]->count
									     : SIZE_MAX;
		else if (n == 0)
			n = read_cue(a, i);
		if (n == SIZE_MAX ||
		    (n == 0 && !a->is_followup && refers_back(a, i) && !is_relative(a, i)))
			return false;
		if (n == 0 && token_in_list(t, WORDS_AGGREGATES)) /* "the mean cost" is not a sum */
			return false;
		if (n == 0)
			read_value_after_by(a, i);
		if (n == 0)
			n = metrics_name_words(a, i);
		if (n == 0 && !(t->used && !t->is_tool_word) && !is_value(a, i) &&
		    !is_relative(a, i) && !word_is_neutral(a->r, i))
			return false;
		if (n == 0 && mention_is_missed_value(a->r, i, false))
			return false;
		if (n == 0 && !nlu_is_stop_word(a->r->nlu, t))
			a->is_list |= token_in_list(t, WORDS_NEUTRAL);
		i += n > 0 ? n : 1;
	}
	return !a->after.by && !(a->after.order && !a->order.ascending && !a->order.descending) &&
	       (a->is_followup || !a->after.number_of) &&
	       (!a->related.is_required || a->related.count > 0) &&
	       (a->slots.further.count == 0 ||
		(a->analysis ? a->slots.further.count < a->analysis->analysis.measures
			     : !a->top && !a->bottom && !a->is_count));
}

/* ---- ambiguous phrases ---- */

static const struct entity_def *entity_of(const struct map_phrase *p)
{
	if (p->dimension)
		return p->dimension->map.entity;
	if (p->entity)
		return p->entity;
	if (p->condition)
		return p->condition->entity;
	return p->metric->measure ? p->metric->measure->entity : NULL;
}

const struct map_phrase *metrics_pick_meaning(const struct phrase_meanings *m,
					      const struct entity_def *of)
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

const struct entity_def *metrics_entity(const struct query_builder *a)
{
	return a->metric_count > 0 && a->metrics[0]->measure ? a->metrics[0]->measure->entity
							     : a->subject;
}

const char *metrics_grain(const struct query_builder *a, enum grain grain)
{
	const struct entity_def *n = metrics_entity(a);
	const struct schema *s = catalog_schema(a->r->nlu->catalog);
	const struct dimension_def *time = n ? schema_time(s, n) : NULL;

	if (time && grain == GRAIN_DAY && time->map.type == COLUMN_DATE)
		return time->name;
	return time && time->map.grains >> grain & 1
		       ? arena_printf(a->r->arena, "%s.%s", time->name, grain_name(grain))
		       : NULL;
}

/* "With billing city Paris": the dimension only labels its value. */
static bool labels_a_value(const struct query_builder *a, const struct dimension_def *d)
{
	return facts_get(&a->r->facts, d->filter) != NULL;
}

static bool resolve_group(struct query_builder *a, const struct phrase_meanings *m)
{
	const char *grain = m->grain && (m->grouped || a->analysis || a->top || a->bottom)
				    ? metrics_grain(a, m->grain)
				    : NULL;
	const struct map_phrase *p;

	if (m->grain && m->count == 1 && column_is_day(m->items[0]->dimension->map.type))
		return metrics_add_by(a, arena_printf(a->r->arena, "%s.%s",
						      m->items[0]->dimension->name,
						      grain_name(m->grain)));
	if (grain)
		return metrics_add_by(a, grain);
	p = metrics_pick_meaning(m, metrics_entity(a));
	if (!p || (!m->exact && !m->grouped && p->dimension &&
		   column_is_day(p->dimension->map.type))) /* "revise" names no date */
		return false;
	if (m->missing) {
		a->named.items[a->named.count] = p->dimension;
		a->named.missing[a->named.count++] = true;
		return true;
	}
	if (m->grouped || /* "add the market" */
	    (a->is_followup && a->metric_count > 0 && words_in(&a->r->q, WORDS_EXTENDING)) ||
	    (a->analysis && !labels_a_value(a, p->dimension)) || a->top || a->bottom ||
	    (bounds_any(a) && !a->subject))
		return metrics_add_by(a, p->dimension->name);
	a->named.items[a->named.count++] = p->dimension;
	return true;
}

static bool is_total(const struct metric_def *m)
{
	return m->measure &&
	       (m->measure->aggregate == AGGREGATE_SUM || m->measure->aggregate == AGGREGATE_COUNT);
}

void metrics_add_total(struct query_builder *a, const struct metric_def *total)
{
	if (!total || is_total(a->metrics[0]))
		return;
	a->metrics[1] = a->metrics[0];
	a->metrics[0] = total;
	a->metric_count = 2;
}

static bool may_see(const struct query_builder *a, const struct metric_def *m)
{
	const struct principal *who = a->r->in->may->who;
	const char *permission = m->permission ? m->permission
				 : m->measure  ? m->measure->permission
					       : NULL;

	return !permission || (who && may(who, permission));
}

/* Adds the other metrics. Totals precede averages. */
static bool add_further_metrics(struct query_builder *a)
{
	for (size_t i = 0; i < a->slots.further.count; i++) {
		const struct map_phrase *p =
			metrics_pick_meaning(&a->slots.further.items[i], metrics_entity(a));
		size_t at = a->metric_count;

		if (!p || !p->metric ||
		    (!a->analysis && (!may_see(a, p->metric) || !may_see(a, a->metrics[0]))))
			return false;
		for (size_t m = 0; m < a->metric_count; m++)
			if (a->metrics[m] == p->metric)
				return false;
		for (; at > 0 && is_total(p->metric) && !is_total(a->metrics[at - 1]); at--)
			a->metrics[at] = a->metrics[at - 1];
		a->metrics[at] = p->metric;
		a->metric_count++;
	}
	return true;
}

/* "Units and prices": the first unambiguous further metric determines the entity of all. NULL: none
 * is unambiguous. */
static const struct entity_def *entity_of_further_metric(const struct query_builder *a)
{
	for (size_t i = 0; i < a->slots.further.count; i++)
		if (a->slots.further.items[i].count == 1)
			return entity_of(a->slots.further.items[i].items[0]);
	return NULL;
}

bool metrics_resolve_all(struct query_builder *a)
{
	const struct map_phrase *p;

	if (a->measured_metric.count > 0) {
		p = metrics_pick_meaning(&a->measured_metric,
					 a->subject ? a->subject : entity_of_further_metric(a));
		if (!p || !metrics_add(a, p->metric) || !add_further_metrics(a))
			return false;
	}
	if (!a->subject && a->metric_count == 0) /* "countries with more than 3 customers" */
		(void)(bounds_resolve(a) && metrics_add(a, bounds_metric(a)));
	for (size_t i = 0; i < a->group_count; i++)
		if (!resolve_group(a, &a->groups[i]))
			return false;
	return true;
}
