/*
 * Reads the parts of a question that fill parameters of an analysis instead of conditions:
 *   - the percentage of a change ("raise prices by 10 %")
 *   - the item compared with its peers ("how does Northwind compare with the others")
 *   - the number of periods ("the next 4 months")
 *   - the number of items ("the 5 largest")
 */
#include "metrics_int.h"

#include <string.h>

#include "vesper/decimal.h"

static const struct param_def *slot_of(const struct tool_def *t, enum param_slot slot)
{
	for (size_t i = 0; t && i < t->param_count; i++)
		if (t->params[i].slot == slot)
			return &t->params[i];
	return NULL;
}

/* ---- changes ---- */

/* The unit of changes in some analysis, or NULL. */
static const struct unit_def *change_unit(const struct catalog *c)
{
	for (size_t i = 0; i < c->tool_count; i++)
		if (slot_of(&c->tools[i], SLOT_CHANGE))
			return slot_of(&c->tools[i], SLOT_CHANGE)->unit;
	return NULL;
}

static bool is_unit(void *owner, const struct unit_def *unit)
{
	return strcmp(((const struct unit_def *)owner)->dimension, unit->dimension) == 0;
}

static void set_change(struct query_builder *a, const struct amount *m, const struct unit_def *unit)
{
	const struct question *q = &a->r->q;
	char text[DECIMAL_TEXT_BYTES];
	struct decimal number;

	if (m->side || m->ambiguous || !m->unit ||
	    !units_convert(m->number, m->unit, unit, &number))
		return;
	for (size_t i = 0; i < q->count; i++) {
		a->slots.up |= words_at(q, i, WORDS_INCREASE) > 0;
		a->slots.down |= words_at(q, i, WORDS_DECREASE) > 0;
	}
	decimal_text_short(number, text);
	a->slots.percent =
		arena_printf(a->r->arena, "%s%s", a->slots.down && !a->slots.up ? "-" : "", text);
	a->slots.from = m->from;
	a->slots.to = m->to;
	if (m->from > 0 && token_in_list(&q->tokens[m->from - 1], WORDS_PREPOSITIONS))
		a->slots.from--; /* "by" */
}

void metrics_find_change(struct query_builder *a)
{
	const struct catalog *c = a->r->nlu->catalog;
	const struct unit_def *unit = change_unit(c);
	struct question q = a->r->q;
	struct amount found;

	if (!unit)
		return;
	for (size_t i = 0; i < a->r->constraint_count; i++)
		if (a->r->constraints[i].slot == SLOT_NONE)
			set_change(a, &a->r->constraints[i].amount, unit);
	/* searches a copy: numbers that no analysis takes stay unused */
	q.tokens = arena_alloc(a->r->arena, (q.count + 1) * sizeof(*q.tokens));
	memcpy(q.tokens, a->r->q.tokens, (q.count + 1) * sizeof(*q.tokens));
	if (!a->slots.percent &&
	    amounts_find_plain(&c->units, &q, is_unit, (void *)unit, a->r->arena, &found, 1) == 1)
		set_change(a, &found, unit);
}

bool metrics_has_change_slot(const struct query_builder *a)
{
	return slot_of(a->analysis, SLOT_CHANGE) != NULL;
}

size_t metrics_change_words(struct query_builder *a, size_t i)
{
	const struct question *q = &a->r->q;
	size_t n;

	if (a->slots.percent && i >= a->slots.from && i < a->slots.to)
		return a->slots.to - i;
	n = a->slots.percent || metrics_has_change_slot(a) ? words_at(q, i, WORDS_INCREASE) : 0;
	if (n == 0 && a->slots.percent) /* a decrease needs a percentage */
		n = words_at(q, i, WORDS_DECREASE);
	return n;
}

/* ---- the compared item ---- */

static bool is_value_of_entity(const struct query_builder *a, const struct fact *f)
{
	return f->count == 1 && f->values[0].text && f->dimension && !f->implied &&
	       !f->all_values && f->source != SOURCE_DEFAULT &&
	       f->dimension->map.entity == metrics_entity(a);
}

/* The item to compare: the value of the group's dimension, else of the title dimension, else the
 * only value. */
static const struct fact *compared_item(struct query_builder *a)
{
	const struct dimension_def *title = metrics_title(a, metrics_entity(a));
	const struct fact *only = NULL;
	size_t count = 0;

	for (size_t i = 0; i < a->r->facts.count; i++) {
		const struct fact *f = &a->r->facts.items[i];

		if (!is_value_of_entity(a, f))
			continue;
		for (size_t b = 0; b < a->by_count; b++)
			if (strcmp(a->by[b], f->dimension->name) == 0)
				return f;
		if (f->dimension == title && a->by_count == 0)
			return f;
		only = f;
		count++;
	}
	return a->by_count == 0 && count == 1 ? only : NULL;
}

/* Returns true for a capitalized or otherwise unknown word. */
static bool may_be_part_of_name(const struct query_builder *a, size_t i)
{
	const struct token *t = &a->r->q.tokens[i];

	if ((t->used && !t->is_tool_word) || t->number >= 0 || nlu_is_stop_word(a->r->nlu, t) ||
	    a->in_phrase[i] || map_words_at(a, i).count > 0 || map_words_cue(a, i))
		return false;
	return (t->capitalized && !t->starts_sentence) || !word_is_neutral(a->r, i);
}

size_t metrics_name_words(struct query_builder *a, size_t i)
{
	const struct question *q = &a->r->q;
	const struct token *t = &q->tokens[i];
	size_t to = i;

	if (a->slots.name || !slot_of(a->analysis, SLOT_THING) || !may_be_part_of_name(a, i) ||
	    (!t->capitalized && nlu_is_known_word(a->r->nlu, t)) || word_is_cue(a->r, i))
		return 0;
	while (to < q->count && (to == i || q->tokens[to].separator == ' ') &&
	       may_be_part_of_name(a, to))
		to++;
	a->slots.name = text_between(q, i, to, a->r->arena);
	return to - i;
}

bool metrics_resolve_slots(struct query_builder *a)
{
	if (slot_of(a->analysis, SLOT_WORDS) && !a->r->description)
		return false;
	if (a->slots.percent && (!metrics_has_change_slot(a) || (a->slots.up && a->slots.down)))
		return false;
	if (!slot_of(a->analysis, SLOT_THING))
		return true;
	a->cues.compares = false; /* the analysis compares the item with all others */
	if (a->slots.name)
		return true;
	a->slots.item = compared_item(a);
	if (a->slots.item && a->by_count == 1 && /* "within its market": the item comes first */
	    a->analysis->analysis.groups == GROUPS_THINGS) {
		const char *group = a->by[0];

		a->by_count = 0;
		return metrics_add_by(a, a->slots.item->dimension->name) &&
		       metrics_add_by(a, group);
	}
	return !a->slots.item || metrics_add_by(a, a->slots.item->dimension->name);
}

/* ---- periods ---- */

static const struct param_def *set_periods(struct query_builder *a, int n)
{
	const struct param_def *p = slot_of(a->analysis, SLOT_PERIODS);

	if (!p || a->slots.periods > 0 || n < p->min || n > p->max)
		return NULL;
	a->slots.periods = n;
	return p;
}

size_t metrics_period_words(struct query_builder *a, size_t i)
{
	const struct token *t = &a->r->q.tokens[i], *unit = token_at(&a->r->q, i + 1);
	enum grain grain = map_words_grain(unit);

	if (t->used || unit->used || !grain || grain == GRAIN_WEEKDAY ||
	    a->group_count == MAP_BY_MAX || !set_periods(a, token_number(t)))
		return 0;
	a->groups[a->group_count] = (struct phrase_meanings){.grain = grain, .grouped = true};
	a->group_count++;
	return 2;
}

bool metrics_read_horizon(struct query_builder *a)
{
	const struct parsed_time *t = &a->r->time;
	struct date today = a->r->in->today;

	return t->has_start && t->has_end && !t->has_gap && a->group_count == 0 &&
	       date_to_days(t->start) >= date_to_days(today) &&
	       set_periods(a, (t->end.year - today.year) * 12 + t->end.month - today.month);
}

/* ---- filling ---- */

void metrics_fill_slots(const struct query_builder *a, struct args *args)
{
	const struct fact *top = facts_get(&a->r->facts, FILTER_TOP_N);

	for (size_t i = 0; a->analysis && i < a->analysis->param_count; i++) {
		const struct param_def *p = &a->analysis->params[i];

		if (p->slot == SLOT_CHANGE && a->slots.percent)
			args_set(args, a->r->arena, p->name, value_decimal(a->slots.percent));
		else if (p->slot == SLOT_THING && a->slots.item)
			args_set(args, a->r->arena, p->name, a->slots.item->values[0]);
		else if (p->slot == SLOT_THING && a->slots.name)
			args_set(args, a->r->arena, p->name, value_text(a->slots.name));
		else if (p->slot == SLOT_WORDS && a->r->description)
			description_fill(a->r, p, args);
		else if (p->slot == SLOT_PERIODS && a->slots.periods > 0)
			args_set(args, a->r->arena, p->name, value_int(a->slots.periods));
		else if (strcmp(p->filter, FILTER_TOP_N) == 0 && top)
			args_set(args, a->r->arena, p->name, top->values[0]);
	}
}
