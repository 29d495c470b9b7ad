/*
 * Reads what a question contains besides values: bounds ("above $60"), amounts, one day or a span
 * of days, which end of a ranking comes first, exclusions. Tools take them by the slots of their
 * parameters. If the chosen tool has no slot, the user is asked; nothing is dropped.
 */
#include "know_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/str.h"
#include "vesper/strlist.h"

#define AGGREGATE_WORDS 5 /* maximum distance in words from a bound back to its aggregate */

/* ---- reading ---- */

static bool is_wanted(void *owner, const struct unit_def *unit)
{
	const struct unit_def *const *wanted = ((const struct know *)owner)->amount_units;

	for (; *wanted; wanted++)
		if (strcmp((*wanted)->dimension, unit->dimension) == 0)
			return true;
	return false;
}

static struct said *add(struct reading *r, enum param_slot slot)
{
	struct said *s;

	if (r->said_count == KNOW_SAID_MAX)
		return NULL;
	s = &r->said[r->said_count++];
	*s = (struct said){.slot = slot};
	return s;
}

static const char *words_of(struct reading *r, const struct said *s)
{
	return s->slot == SLOT_NOT ? s->left_out.said
				   : text_between(&r->q, s->amount.from, s->amount.to, r->arena);
}

/* Resolves pairs: "above 60 or below 20" cannot be expressed, "above 60 and below 20" is empty. */
static void settle_pairs(const struct question *q, struct amount *list, size_t count)
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
			     token_says(&q->tokens[later->from - 1], WORDS_OR)))
				above->unclear = below->unclear = true;
		}
}

static void read_amounts(struct reading *r)
{
	const struct units *u = &r->know->catalog->units;
	struct amount found[KNOW_SAID_MAX];
	size_t count = amounts_bounds(u, &r->q, r->arena, found, KNOW_SAID_MAX);

	settle_pairs(&r->q, found, count);
	if (*r->know->amount_units)
		count += amounts_plain(u, &r->q, is_wanted, (void *)r->know, r->arena,
				       found + count, KNOW_SAID_MAX - count);
	for (size_t i = 0; i < count; i++) {
		struct said *s = add(r, found[i].side == BOUND_ABOVE   ? SLOT_ABOVE
					: found[i].side == BOUND_BELOW ? SLOT_BELOW
								       : SLOT_NONE);
		if (s)
			s->amount = found[i];
	}
}

/* "The top 5 least viewed": words after the number select the end. */
static bool leads_to_bottom(const struct question *q, size_t i)
{
	i++;
	i += token_at(q, i)->used && token_number(token_at(q, i)) >= 0;
	return token_says(token_at(q, i), WORDS_BOTTOM);
}

/* "The least viewed". Without such a word rankings begin at the top. */
static void read_order(struct reading *r)
{
	const struct question *q = &r->q;

	for (size_t i = 0; i < q->count; i++) {
		const struct token *t = &q->tokens[i];

		if (i > 0 && token_says(&q->tokens[i - 1], WORDS_AT))
			continue;
		if (token_says(t, WORDS_BOTTOM))
			r->from_bottom = r->from_bottom ? r->from_bottom : t->text;
		else if (token_says(t, WORDS_TOP) && !leads_to_bottom(q, i))
			r->from_top = r->from_top ? r->from_top : t->text;
	}
}

void said_read(struct reading *r)
{
	read_amounts(r);
	read_order(r);
}

void said_exclude(struct reading *r, const struct said *said)
{
	struct said *s = NULL;
	struct value *values;

	for (size_t i = 0; i < r->said_count && said->count > 0; i++)
		if (r->said[i].slot == SLOT_NOT && r->said[i].dimension == said->dimension &&
		    r->said[i].count > 0)
			s = &r->said[i];
	if (!s) {
		s = add(r, SLOT_NOT);
		if (!s) { /* no space left, and no tool takes this many */
			reading_trouble(r, &said->left_out);
			return;
		}
		*s = *said;
		s->values = NULL;
		s->count = 0;
	}
	values = arena_alloc(r->arena, (s->count + said->count + 1) * sizeof(*values));
	if (s->count > 0)
		memcpy(values, s->values, s->count * sizeof(*values));
	if (said->count > 0)
		memcpy(values + s->count, said->values, said->count * sizeof(*values));
	s->values = values;
	s->count += said->count;
	s->left_out = said->left_out;
	s->soft = s->soft && said->soft;
}

bool said_one_day(const struct reading *r)
{
	const struct time_read *t = &r->time;

	return t->has_start && t->has_end && t->range_only && t->reading_count == 0 && !t->split &&
	       date_to_days(t->start) == date_to_days(t->end);
}

/* ---- which parameter takes it ---- */

/* "$60" for a price in $/MWh: the denominator is implied. */
static bool is_numerator(const struct units *u, const struct unit_def *said,
			 const struct unit_def *unit)
{
	const char *slash = strchr(unit->symbol, '/');
	size_t n = slash ? (size_t)(slash - unit->symbol) : 0;

	for (size_t i = 0; i < u->count && n > 0; i++)
		if (strncmp(u->items[i].symbol, unit->symbol, n) == 0 && !u->items[i].symbol[n])
			return &u->items[i] == said;
	return false;
}

bool said_convert(const struct reading *r, const struct amount *m, const struct unit_def *unit,
		  struct decimal *out)
{
	*out = m->number;
	if (!m->unit || (unit && is_numerator(&r->know->catalog->units, m->unit, unit)))
		return true;
	return unit && units_convert(m->number, m->unit, unit, out);
}

/* "averages above $60" bounds the average, not its rows. */
static bool bounds_other(const struct reading *r, const struct amount *m, const struct param_def *p)
{
	for (size_t back = 1; back <= AGGREGATE_WORDS && back <= m->from; back++) {
		const struct token *t = &r->q.tokens[m->from - back];

		if (token_says(t, WORDS_AGGREGATES) && !strcasestr(p->about, t->text))
			return true;
		if (t->first)
			break;
	}
	return false;
}

static bool takes(const struct reading *r, const struct said *s, const struct param_def *p)
{
	struct decimal number;

	if (p->slot != s->slot)
		return false;
	if (s->slot == SLOT_NOT)
		return s->count > 0 && strcmp(p->entity, s->dimension->name) == 0;
	if (s->amount.unclear || (s->slot == SLOT_NONE && !p->unit) || p->bound_of)
		return false;
	return said_convert(r, &s->amount, p->unit, &number) &&
	       (s->slot == SLOT_NONE || !bounds_other(r, &s->amount, p));
}

/* The first parameter that takes s. Sets *count to the number of such parameters. */
static const struct param_def *find_param(const struct reading *r, const struct candidate *c,
					  const struct said *s, size_t *count)
{
	const struct param_def *found = NULL;

	*count = 0;
	for (size_t i = 0; i < c->param_count; i++)
		if (takes(r, s, &c->params[i])) {
			found = found ? found : &c->params[i];
			(*count)++;
		}
	return found;
}

/* Same, but NULL when two entries would fill one parameter. */
static const struct param_def *param_of(const struct reading *r, const struct candidate *c,
					size_t index, size_t *count)
{
	const struct param_def *p = find_param(r, c, &r->said[index], count);
	size_t unused;

	for (size_t i = 0; p && i < r->said_count; i++)
		if (i != index && find_param(r, c, &r->said[i], &unused) == p)
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

const struct param_def *said_time_param(const struct reading *r, const struct param_def *params,
					size_t count)
{
	const struct param_def *day = said_one_day(r) ? slot_of(params, count, SLOT_DAY) : NULL;

	if (day || !r->time.has_start)
		return day;
	return r->time.days_back    ? slot_of(params, count, SLOT_DAYS)
	       : r->time.days_ahead ? slot_of(params, count, SLOT_DAYS_AHEAD)
				    : NULL;
}

static const struct param_def *time_param(const struct reading *r, const struct candidate *c)
{
	return said_time_param(r, c->params, c->param_count);
}

static bool takes_step(const struct reading *r, const struct param_def *p)
{
	const char *step = followup_step(&r->q);

	return step && strlist_has(p->values, step);
}

bool said_fills(const struct reading *r, const struct fit *fit, const struct param_def *p)
{
	const struct param_def *time = time_param(r, fit->of);
	size_t count;

	if (time && (p == time || (time->slot == SLOT_DAY && strcmp(p->filter, FILTER_YEAR) == 0)))
		return true;
	for (size_t i = 0; i < r->said_count; i++)
		if (param_of(r, fit->of, i, &count) == p)
			return true;
	return (p->slot == SLOT_STEP && takes_step(r, p)) ||
	       (p->slot == SLOT_ORDER && (r->from_bottom || r->from_top));
}

void said_fit(const struct reading *r, struct fit *fit, size_t *said)
{
	const struct router_weights *w = &r->know->catalog->router;
	const struct param_def *time = time_param(r, fit->of);
	size_t count;

	if (time) {
		(*said)++;
		fit->facts += time->required ? w->fact.required : w->fact.optional;
	} else if (said_one_day(r) && !candidate_param(fit->of, FILTER_START) &&
		   !account_is_of_today(r, candidate_tool(fit->of))) {
		(*said)++;
		fit->facts += w->fact.not_taken;
	}
	for (size_t i = 0; i < fit->of->param_count; i++)
		if (fit->of->params[i].slot == SLOT_STEP && takes_step(r, &fit->of->params[i])) {
			(*said)++;
			fit->facts += w->fact.optional;
		}
	for (size_t i = 0; i < r->said_count; i++) {
		const struct said *s = &r->said[i];
		const struct param_def *p = param_of(r, fit->of, i, &count);

		if (p) {
			(*said)++;
			fit->facts += (p->required ? w->fact.required : w->fact.optional) *
				      (s->soft ? w->fact.soft : 1);
		} else if (s->slot != SLOT_NOT) {
			(*said)++;
			fit->not_taken++;
			fit->facts += w->fact.not_taken;
		}
	}
}

/* ---- filling ---- */

static void set_fact(struct reading *r, const struct param_def *p, struct value v)
{
	facts_drop(&r->facts, p->filter);
	facts_add(&r->facts, r->arena, p->filter, NULL, v, SOURCE_SAID);
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

void said_fill_time(struct reading *r, const struct candidate *c)
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
	const struct language *l = r->know->catalog->language;
	const struct param_def *p = slot_of(fit->of->params, fit->of->param_count, SLOT_ORDER);
	struct suggestion *ends;

	if (!p && r->from_bottom &&
	    (candidate_param(fit->of, FILTER_TOP_N) ||
	     (candidate_tool(fit->of) && accounts_only_top(r->know, candidate_tool(fit->of)))))
		reading_trouble(r, &(struct trouble){.kind = TROUBLE_NOT_TAKEN,
						     .filter = FILTER_ORDER,
						     .said = r->from_bottom,
						     .tool = candidate_tool(fit->of)});
	if (!p || (!r->from_bottom && !r->from_top))
		return;
	if (!r->from_bottom || !r->from_top) {
		set_fact(r, p, value_text(r->from_bottom ? ORDER_ASC : ORDER_DESC));
		if (r->from_top && p->default_text && strcmp(p->default_text, ORDER_DESC) == 0)
			facts_drop(&r->facts, p->filter);
		return;
	}
	ends = arena_alloc(r->arena, 2 * sizeof(*ends));
	ends[0] = (struct suggestion){.value = ORDER_DESC,
				      .label = sentence(l, SAY_ASK_FROM_TOP, r->arena)};
	ends[1] = (struct suggestion){.value = ORDER_ASC,
				      .label = sentence(l, SAY_ASK_FROM_BOTTOM, r->arena)};
	reading_trouble(r, &(struct trouble){.kind = TROUBLE_SEVERAL,
					     .filter = p->filter,
					     .said = arena_printf(r->arena, "%s, %s", r->from_top,
								  r->from_bottom),
					     .param = p,
					     .tool = candidate_tool(fit->of),
					     .options = ends,
					     .option_count = 2});
}

/* "Views by day": a step that the tool does not offer stays an unused word. */
static void fill_step(struct reading *r, const struct fit *fit)
{
	const struct param_def *p = slot_of(fit->of->params, fit->of->param_count, SLOT_STEP);

	if (p && takes_step(r, p))
		set_fact(r, p, value_text(followup_step(&r->q)));
}

static void fill_number(struct reading *r, const struct fit *fit, const struct said *s,
			const struct param_def *p)
{
	char text[DECIMAL_TEXT_BYTES];
	struct decimal number;

	(void)said_convert(r, &s->amount, p->unit, &number); /* find_param has checked it */
	decimal_text_short(number, text);
	set_fact(r, p, value_decimal(arena_strdup(r->arena, text)));
	for (size_t i = 0; i < fit->of->param_count; i++) {
		const struct param_def *incl = &fit->of->params[i];

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

/* Exclusions replace a value carried from before. */
static void fill_not(struct reading *r, const struct said *s, const struct param_def *p)
{
	drop_carried(r, s->dimension->filter);
	facts_drop(&r->facts, p->filter);
	for (size_t i = 0; i < s->count; i++)
		facts_add(&r->facts, r->arena, p->filter, NULL, s->values[i], SOURCE_SAID);
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

	for (size_t i = 0; i < r->said_count; i++)
		bound = bound || r->said[i].slot == SLOT_ABOVE || r->said[i].slot == SLOT_BELOW;
	for (size_t i = 0; i < c->param_count; i++) {
		const struct param_def *p = &c->params[i];
		const struct dimension_def *d =
			p->slot == SLOT_NOT ? catalog_dimension(r->know->catalog, p->entity) : NULL;
		const struct fact *wanted = d ? facts_get(&r->facts, d->filter) : NULL;

		if ((bound && (p->slot == SLOT_ABOVE || p->slot == SLOT_BELOW || p->bound_of)) ||
		    (wanted && wanted->source != SOURCE_CARRIED))
			drop_carried(r, p->filter);
		if (p->bound_of && !facts_get(&r->facts, bound_of(c, p)->filter))
			facts_drop(&r->facts, p->filter);
	}
}

/* Several parameters could take the number: offers each as an option, "min_price>60". */
static void ask_which(struct reading *r, const struct fit *fit, const struct said *s)
{
	const struct candidate *c = fit->of;
	struct suggestion *options = arena_alloc(r->arena, c->param_count * sizeof(*options));
	char text[DECIMAL_TEXT_BYTES];
	struct decimal number;
	size_t n = 0;

	for (size_t i = 0; i < c->param_count; i++) {
		const struct param_def *p = &c->params[i];

		if (!takes(r, s, p) || !said_convert(r, &s->amount, p->unit, &number))
			continue;
		decimal_text_short(number, text);
		options[n++] = (struct suggestion){
			.value = arena_printf(
				r->arena, "%s%s%s", p->filter,
				s->slot == SLOT_NONE || s->amount.inclusive ? "=" : ">", text),
			.label = p->about};
	}
	reading_trouble(r, &(struct trouble){.kind = TROUBLE_SEVERAL,
					     .filter = FILTER_BOUND,
					     .said = words_of(r, s),
					     .tool = candidate_tool(c),
					     .options = options,
					     .option_count = n});
}

static void ask_about(struct reading *r, const struct fit *fit, const struct said *s)
{
	if (s->slot != SLOT_NOT) {
		reading_trouble(r, &(struct trouble){.kind = TROUBLE_NOT_TAKEN,
						     .filter = FILTER_BOUND,
						     .said = words_of(r, s),
						     .tool = candidate_tool(fit->of)});
		return;
	}
	if (candidate_param(fit->of, s->dimension->filter) || !s->soft)
		reading_trouble(r, &s->left_out);
}

void said_fill(struct reading *r, const struct fit *fit)
{
	drop_replaced(r, fit->of);
	said_fill_time(r, fit->of);
	fill_order(r, fit);
	fill_step(r, fit);
	for (size_t i = 0; i < r->said_count; i++) {
		const struct said *s = &r->said[i];
		size_t count;
		const struct param_def *p = param_of(r, fit->of, i, &count);

		if (count > 1)
			ask_which(r, fit, s);
		else if (!p)
			ask_about(r, fit, s);
		else if (s->slot == SLOT_NOT)
			fill_not(r, s, p);
		else
			fill_number(r, fit, s, p);
	}
}
