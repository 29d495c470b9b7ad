/*
 * Reads what a question contains besides values: bounds ("above $60"), amounts, one day or a span
 * of days, the sort order of a ranking, exclusions. Tools take them by the slots of their
 * parameters. If the chosen tool has no slot, the user is asked; nothing is dropped silently.
 */
#include "nlu_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/str.h"
#include "vesper/strlist.h"

#define AGGREGATE_WORDS 5 /* maximum distance in words from a bound back to its aggregate */

/* ---- reading ---- */

static bool is_amount_unit(void *owner, const struct unit_def *unit)
{
	const struct unit_def *const *wanted = ((const struct nlu *)owner)->amount_units;

	for (; *wanted; wanted++)
		if (strcmp((*wanted)->dimension, unit->dimension) == 0)
			return true;
	return false;
}

static struct constraint *add(struct reading *r, enum param_slot slot)
{
	struct constraint *s;

	if (r->constraint_count == NLU_CONSTRAINTS_MAX)
		return NULL;
	s = &r->constraints[r->constraint_count++];
	*s = (struct constraint){.slot = slot};
	return s;
}

static const char *constraint_text(struct reading *r, const struct constraint *s)
{
	return s->slot == SLOT_NOT ? s->exclusion_issue.term
				   : text_between(&r->q, s->amount.from, s->amount.to, r->arena);
}

/* Marks pairs that cannot be used as ambiguous: "above 60 or below 20" cannot be expressed, and
 * "above 60 and below 20" is empty. */
static void check_bound_pairs(const struct question *q, struct amount *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t n = 0; n < count; n++) {
			struct amount *above = &list[i], *below = &list[n];
			struct amount *later = above->from > below->from ? above : below;
			bool same = above->unit == below->unit || !above->unit || !below->unit;

			if (above->side != BOUND_ABOVE || below->side != BOUND_BELOW)
				continue;
			if ((same && decimal_cmp(above->number, below->number) >= 0) ||
			    (above->from != below->from && later->from > 0 &&
			     token_in_list(&q->tokens[later->from - 1], WORDS_OR)))
				above->ambiguous = below->ambiguous = true;
		}
}

static void read_amounts(struct reading *r)
{
	const struct units *u = &r->nlu->catalog->units;
	struct amount found[NLU_CONSTRAINTS_MAX];
	size_t count = amounts_find_bounds(u, &r->q, r->arena, found, NLU_CONSTRAINTS_MAX);

	check_bound_pairs(&r->q, found, count);
	if (*r->nlu->amount_units)
		count += amounts_find_plain(u, &r->q, is_amount_unit, (void *)r->nlu, r->arena,
					    found + count, NLU_CONSTRAINTS_MAX - count);
	for (size_t i = 0; i < count; i++) {
		struct constraint *s = add(r, found[i].side == BOUND_ABOVE   ? SLOT_ABOVE
					      : found[i].side == BOUND_BELOW ? SLOT_BELOW
									     : SLOT_NONE);
		if (s)
			s->amount = found[i];
	}
}

/* Returns true for "the top 5 least viewed", where the word after the number selects the order. */
static bool is_followed_by_bottom(const struct question *q, size_t i)
{
	i++;
	i += token_at(q, i)->used && token_number(token_at(q, i)) >= 0;
	return token_in_list(token_at(q, i), WORDS_BOTTOM);
}

/* Reads words for the least and the most ("the least viewed"), except in "at least". Without one,
 * rankings begin at the top. */
static void read_order(struct reading *r)
{
	const struct question *q = &r->q;

	for (size_t i = 0; i < q->count; i++) {
		const struct token *t = &q->tokens[i];

		if (i > 0 && token_in_list(&q->tokens[i - 1], WORDS_AT))
			continue;
		if (token_in_list(t, WORDS_BOTTOM))
			r->bottom_word = r->bottom_word ? r->bottom_word : t->text;
		else if (token_in_list(t, WORDS_TOP) && !is_followed_by_bottom(q, i))
			r->top_word = r->top_word ? r->top_word : t->text;
	}
}

void constraints_read(struct reading *r)
{
	read_amounts(r);
	read_order(r);
}

void constraints_add_exclusion(struct reading *r, const struct constraint *added)
{
	struct constraint *s = NULL;
	struct value *values;

	for (size_t i = 0; i < r->constraint_count && added->count > 0; i++)
		if (r->constraints[i].slot == SLOT_NOT &&
		    r->constraints[i].dimension == added->dimension && r->constraints[i].count > 0)
			s = &r->constraints[i];
	if (!s) {
		s = add(r, SLOT_NOT);
		if (!s) { /* no space left, and no tool takes this many */
			reading_add_issue(r, &added->exclusion_issue);
			return;
		}
		*s = *added;
		s->values = NULL;
		s->count = 0;
	}
	values = arena_alloc(r->arena, (s->count + added->count + 1) * sizeof(*values));
	if (s->count > 0)
		memcpy(values, s->values, s->count * sizeof(*values));
	if (added->count > 0)
		memcpy(values + s->count, added->values, added->count * sizeof(*values));
	s->values = values;
	s->count += added->count;
	s->exclusion_issue = added->exclusion_issue;
	s->has_tool_words_only = s->has_tool_words_only && added->has_tool_words_only;
}

bool reading_is_one_day(const struct reading *r)
{
	const struct parsed_time *t = &r->time;

	return t->has_start && t->has_end && t->range_only && t->reading_count == 0 &&
	       !t->has_gap && date_to_days(t->start) == date_to_days(t->end);
}

/* ---- which parameter takes it ---- */

/* Returns true for "$60" as a price in $/MWh: the denominator is implied. */
static bool is_numerator(const struct units *u, const struct unit_def *given,
			 const struct unit_def *unit)
{
	const char *slash = strchr(unit->symbol, '/');
	size_t n = slash ? (size_t)(slash - unit->symbol) : 0;

	for (size_t i = 0; i < u->count && n > 0; i++)
		if (strncmp(u->items[i].symbol, unit->symbol, n) == 0 && !u->items[i].symbol[n])
			return &u->items[i] == given;
	return false;
}

bool constraint_convert(const struct reading *r, const struct amount *m,
			const struct unit_def *unit, struct decimal *out)
{
	*out = m->number;
	if (!m->unit || (unit && is_numerator(&r->nlu->catalog->units, m->unit, unit)))
		return true;
	return unit && units_convert(m->number, m->unit, unit, out);
}

/* "averages above $60" bounds the average, not its rows. */
static bool bounds_other_aggregate(const struct reading *r, const struct amount *m,
				   const struct param_def *p)
{
	for (size_t back = 1; back <= AGGREGATE_WORDS && back <= m->from; back++) {
		const struct token *t = &r->q.tokens[m->from - back];

		if (token_in_list(t, WORDS_AGGREGATES) && !strcasestr(p->about, t->text))
			return true;
		if (t->starts_sentence)
			break;
	}
	return false;
}

static bool param_takes(const struct reading *r, const struct constraint *s,
			const struct param_def *p)
{
	struct decimal number;

	if (p->slot != s->slot)
		return false;
	if (s->slot == SLOT_NOT)
		return s->count > 0 && strcmp(p->entity, s->dimension->name) == 0;
	if (s->amount.ambiguous || (s->slot == SLOT_NONE && !p->unit) || p->bound_of)
		return false;
	return constraint_convert(r, &s->amount, p->unit, &number) &&
	       (s->slot == SLOT_NONE || !bounds_other_aggregate(r, &s->amount, p));
}

/* The first parameter that takes s. Sets *count to the number of such parameters. */
static const struct param_def *find_param(const struct reading *r, const struct candidate *c,
					  const struct constraint *s, size_t *count)
{
	const struct param_def *found = NULL;

	*count = 0;
	for (size_t i = 0; i < c->param_count; i++)
		if (param_takes(r, s, &c->params[i])) {
			found = found ? found : &c->params[i];
			(*count)++;
		}
	return found;
}

/* Same, but NULL when another constraint would fill the same parameter. */
static const struct param_def *param_of(const struct reading *r, const struct candidate *c,
					size_t index, size_t *count)
{
	const struct param_def *p = find_param(r, c, &r->constraints[index], count);
	size_t unused;

	for (size_t i = 0; p && i < r->constraint_count; i++)
		if (i != index && find_param(r, c, &r->constraints[i], &unused) == p)
			return NULL;
	return p;
}

static const struct param_def *slot_of(const struct param_def *params, size_t count,
				       enum param_slot slot)
{
	for (size_t i = 0; i < count; i++)
		if (params[i].slot == slot)
			return &params[i];
	return NULL;
}

const struct param_def *constraints_time_param(const struct reading *r,
					       const struct param_def *params, size_t count)
{
	const struct param_def *day =
		reading_is_one_day(r) ? slot_of(params, count, SLOT_DAY) : NULL;

	if (day || !r->time.has_start)
		return day;
	return r->time.days_back    ? slot_of(params, count, SLOT_DAYS)
	       : r->time.days_ahead ? slot_of(params, count, SLOT_DAYS_AHEAD)
				    : NULL;
}

static const struct param_def *time_param(const struct reading *r, const struct candidate *c)
{
	return constraints_time_param(r, c->params, c->param_count);
}

static bool param_takes_time_step(const struct reading *r, const struct param_def *p)
{
	const char *step = followup_time_step(&r->q);

	return step && strlist_has(p->values, step);
}

bool constraints_fill_param(const struct reading *r, const struct fit *fit,
			    const struct param_def *p)
{
	const struct param_def *time = time_param(r, fit->candidate);
	size_t count;

	if (time && (p == time || (time->slot == SLOT_DAY && strcmp(p->filter, FILTER_YEAR) == 0)))
		return true;
	for (size_t i = 0; i < r->constraint_count; i++)
		if (param_of(r, fit->candidate, i, &count) == p)
			return true;
	return (p->slot == SLOT_STEP && param_takes_time_step(r, p)) ||
	       (p->slot == SLOT_ORDER && (r->bottom_word || r->top_word));
}

void constraints_fit(const struct reading *r, struct fit *fit, size_t *taken)
{
	const struct router_weights *w = &r->nlu->catalog->router;
	const struct param_def *time = time_param(r, fit->candidate);
	size_t count;

	if (time) {
		(*taken)++;
		fit->facts += time->required ? w->fact.required : w->fact.optional;
	} else if (reading_is_one_day(r) && !candidate_param(fit->candidate, FILTER_START) &&
		   !time_is_tool_today(r, candidate_tool(fit->candidate))) {
		(*taken)++;
		fit->facts += w->fact.not_taken;
	}
	for (size_t i = 0; i < fit->candidate->param_count; i++)
		if (fit->candidate->params[i].slot == SLOT_STEP &&
		    param_takes_time_step(r, &fit->candidate->params[i])) {
			(*taken)++;
			fit->facts += w->fact.optional;
		}
	for (size_t i = 0; i < r->constraint_count; i++) {
		const struct constraint *s = &r->constraints[i];
		const struct param_def *p = param_of(r, fit->candidate, i, &count);

		if (p) {
			(*taken)++;
			fit->facts += (p->required ? w->fact.required : w->fact.optional) *
				      (s->has_tool_words_only ? w->fact.soft : 1);
		} else if (s->slot != SLOT_NOT || !s->has_tool_words_only) {
			(*taken)++;
			fit->unsupported += s->slot != SLOT_NOT;
			/* an exclusion says less about the tool than a wanted value */
			fit->facts += w->fact.not_taken / (s->slot == SLOT_NOT ? 4 : 1);
		}
	}
}

/* ---- filling ---- */

static void set_fact(struct reading *r, const struct param_def *p, struct value v)
{
	facts_drop(&r->facts, p->filter);
	facts_add(&r->facts, r->arena, p->filter, NULL, v, SOURCE_EXPLICIT);
}

static void fill_day(struct reading *r, const struct candidate *c, const struct param_def *p)
{
	char iso[DATE_ISO_BYTES];

	date_iso(r->time.start, iso);
	set_fact(r, p, value_date(arena_strdup(r->arena, iso)));
	for (size_t i = 0; i < c->param_count; i++)
		if (strcmp(c->params[i].filter, FILTER_YEAR) == 0)
			set_fact(r, &c->params[i], value_int(r->time.start.year));
}

void constraints_fill_time(struct reading *r, const struct candidate *c)
{
	const struct param_def *p = time_param(r, c);

	if (!p)
		return;
	facts_drop(&r->facts, FILTER_START);
	facts_drop(&r->facts, FILTER_END);
	if (p->slot == SLOT_DAY)
		fill_day(r, c, p);
	else
		set_fact(r, p,
			 value_int(p->slot == SLOT_DAYS ? r->time.days_back : r->time.days_ahead));
}

static void fill_order(struct reading *r, const struct fit *fit)
{
	const struct language *l = r->nlu->catalog->language;
	const struct param_def *p =
		slot_of(fit->candidate->params, fit->candidate->param_count, SLOT_ORDER);
	struct suggestion *ends;

	if (!p && r->bottom_word &&
	    (candidate_param(fit->candidate, FILTER_TOP_N) ||
	     (candidate_tool(fit->candidate) &&
	      tool_vocabulary_ranks_top_only(r->nlu, candidate_tool(fit->candidate)))))
		reading_add_issue(r, &(struct issue){.kind = ISSUE_UNSUPPORTED_FILTER,
						     .filter = FILTER_ORDER,
						     .term = r->bottom_word,
						     .tool = candidate_tool(fit->candidate)});
	if (!p || (!r->bottom_word && !r->top_word))
		return;
	if (!r->bottom_word || !r->top_word) {
		set_fact(r, p, value_text(r->bottom_word ? ORDER_ASC : ORDER_DESC));
		if (r->top_word && p->default_text && strcmp(p->default_text, ORDER_DESC) == 0)
			facts_drop(&r->facts, p->filter);
		return;
	}
	ends = arena_alloc(r->arena, 2 * sizeof(*ends));
	ends[0] = (struct suggestion){.value = ORDER_DESC,
				      .label = sentence(l, SAY_ASK_FROM_TOP, r->arena)};
	ends[1] = (struct suggestion){.value = ORDER_ASC,
				      .label = sentence(l, SAY_ASK_FROM_BOTTOM, r->arena)};
	reading_add_issue(r, &(struct issue){.kind = ISSUE_AMBIGUOUS,
					     .filter = p->filter,
					     .term = arena_printf(r->arena, "%s, %s", r->top_word,
								  r->bottom_word),
					     .param = p,
					     .tool = candidate_tool(fit->candidate),
					     .options = ends,
					     .option_count = 2});
}

/* Fills the time step ("views by day"). A step that the tool does not offer is reported as an
 * unused word. */
static void fill_time_step(struct reading *r, const struct fit *fit)
{
	const struct param_def *p =
		slot_of(fit->candidate->params, fit->candidate->param_count, SLOT_STEP);

	if (p && param_takes_time_step(r, p))
		set_fact(r, p, value_text(followup_time_step(&r->q)));
}

static void fill_number(struct reading *r, const struct fit *fit, const struct constraint *s,
			const struct param_def *p)
{
	char text[DECIMAL_TEXT_BYTES];
	struct decimal number;

	(void)constraint_convert(r, &s->amount, p->unit, &number); /* find_param has checked it */
	decimal_text_short(number, text);
	set_fact(r, p, value_decimal(arena_strdup(r->arena, text)));
	for (size_t i = 0; i < fit->candidate->param_count; i++) {
		const struct param_def *incl = &fit->candidate->params[i];

		if (incl->bound_of && strcmp(incl->bound_of, p->name) == 0)
			set_fact(r, incl, value_int(s->amount.inclusive));
	}
}

static void drop_carried(struct reading *r, const char *filter)
{
	const struct fact *f = facts_get(&r->facts, filter);

	if (f && f->source == SOURCE_CARRIED)
		facts_drop(&r->facts, filter);
}

/* Exclusions replace a value carried from the session context. */
static void fill_exclusions(struct reading *r, const struct constraint *s,
			    const struct param_def *p)
{
	drop_carried(r, s->dimension->filter);
	facts_drop(&r->facts, p->filter);
	for (size_t i = 0; i < s->count; i++)
		facts_add(&r->facts, r->arena, p->filter, NULL, s->values[i], SOURCE_EXPLICIT);
}

static const struct param_def *bound_of(const struct candidate *c, const struct param_def *p)
{
	for (size_t i = 0; i < c->param_count; i++)
		if (strcmp(c->params[i].name, p->bound_of) == 0)
			return &c->params[i];
	assert(false); /* checked by the loader */
	return p;
}

/* A new bound replaces the carried ones. A value that is now wanted is no longer excluded. */
static void drop_replaced(struct reading *r, const struct candidate *c)
{
	bool bound = false;

	for (size_t i = 0; i < r->constraint_count; i++)
		bound = bound || r->constraints[i].slot == SLOT_ABOVE ||
			r->constraints[i].slot == SLOT_BELOW;
	for (size_t i = 0; i < c->param_count; i++) {
		const struct param_def *p = &c->params[i];
		const struct dimension_def *d =
			p->slot == SLOT_NOT ? catalog_dimension(r->nlu->catalog, p->entity) : NULL;
		const struct fact *wanted = d ? facts_get(&r->facts, d->filter) : NULL;

		if ((bound && (p->slot == SLOT_ABOVE || p->slot == SLOT_BELOW || p->bound_of)) ||
		    (wanted && wanted->source != SOURCE_CARRIED))
			drop_carried(r, p->filter);
		if (p->bound_of && !facts_get(&r->facts, bound_of(c, p)->filter))
			facts_drop(&r->facts, p->filter);
	}
}

/* Asks which parameter takes the number. Each option has the form "min_price>60". */
static void ask_which(struct reading *r, const struct fit *fit, const struct constraint *s)
{
	const struct candidate *c = fit->candidate;
	struct suggestion *options = arena_alloc(r->arena, c->param_count * sizeof(*options));
	char text[DECIMAL_TEXT_BYTES];
	struct decimal number;
	size_t n = 0;

	for (size_t i = 0; i < c->param_count; i++) {
		const struct param_def *p = &c->params[i];

		if (!param_takes(r, s, p) || !constraint_convert(r, &s->amount, p->unit, &number))
			continue;
		decimal_text_short(number, text);
		options[n++] = (struct suggestion){
			.value = arena_printf(
				r->arena, "%s%s%s", p->filter,
				s->slot == SLOT_NONE || s->amount.inclusive ? "=" : ">", text),
			.label = p->about};
	}
	reading_add_issue(r, &(struct issue){.kind = ISSUE_AMBIGUOUS,
					     .filter = FILTER_BOUND,
					     .term = constraint_text(r, s),
					     .tool = candidate_tool(c),
					     .options = options,
					     .option_count = n});
}

static void ask_about(struct reading *r, const struct fit *fit, const struct constraint *s)
{
	if (s->slot != SLOT_NOT) {
		reading_add_issue(r, &(struct issue){.kind = ISSUE_UNSUPPORTED_FILTER,
						     .filter = FILTER_BOUND,
						     .term = constraint_text(r, s),
						     .tool = candidate_tool(fit->candidate)});
		return;
	}
	if (candidate_param(fit->candidate, s->dimension->filter) || !s->has_tool_words_only)
		reading_add_issue(r, &s->exclusion_issue);
}

void constraints_fill(struct reading *r, const struct fit *fit)
{
	drop_replaced(r, fit->candidate);
	constraints_fill_time(r, fit->candidate);
	fill_order(r, fit);
	fill_time_step(r, fit);
	for (size_t i = 0; i < r->constraint_count; i++) {
		const struct constraint *s = &r->constraints[i];
		size_t count;
		const struct param_def *p = param_of(r, fit->candidate, i, &count);

		if (count > 1)
			ask_which(r, fit, s);
		else if (!p)
			ask_about(r, fit, s);
		else if (s->slot == SLOT_NOT)
			fill_exclusions(r, s, p);
		else
			fill_number(r, fit, s, p);
	}
}
