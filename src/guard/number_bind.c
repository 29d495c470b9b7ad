/*
 * Binds a shown number to known data. The value must match at the decimals shown and in the unit
 * shown. If the sentence or table row names something, the value must come from a row with that
 * name.
 */
#include "guard_int.h"

#include <string.h>

#include "vesper/clock.h"

#define ONE            ((guard_value)100000000)
#define CANDIDATES_MAX 512 /* maximum values examined within one rounding step */

/* ---- names ---- */

/* The group of the last name in this slot; an amount ends a group. */
static uint32_t last_group(const struct context *c, uint32_t slot_bit, bool *any)
{
	for (int i = c->count; i-- > 0;)
		if (c->mentions[i].slots & slot_bit && !c->mentions[i].post) {
			*any = true;
			return c->mentions[i].group;
		}
	*any = false;
	return 0;
}

static size_t group_size(const struct context *c, uint32_t slot_bit)
{
	bool any;
	uint32_t group = last_group(c, slot_bit, &any);
	size_t size = 0;

	for (int i = 0; any && i < c->count; i++)
		size += (c->mentions[i].slots & slot_bit) && c->mentions[i].group == group;
	return size;
}

/* Returns true when the text names this id. Sets *any when it names anything of that kind. A
 * following name ("… for Ascend") and the column heading take precedence over earlier names.
 * Inlined because it runs for every row of a table, which dominates the cost of the check. */
static inline __attribute__((always_inline)) bool is_named(const struct context *c, int id,
							   uint32_t slot_bit, bool *any)
{
	uint32_t group;

	*any = true;
	if (c->follow.id >= 0 && (c->follow.slots & slot_bit))
		return id == c->follow.id;
	if (c->against) { /* refers to a name other than the current one */
		*any = false;
		return false;
	}
	if (c->in_row && c->header.id >= 0 && (c->header.slots & slot_bit))
		return id == c->header.id;
	group = last_group(c, slot_bit, any);
	for (int i = 0; *any && i < c->count; i++)
		if (c->mentions[i].id == id && (c->in_row || c->mentions[i].group == group))
			return true;
	return false;
}

static bool row_matches_names_except(const struct known *k, int table, int64_t row,
				     const struct context *c, uint32_t ignored_slots)
{
	const struct known_table *kt = &k->tables[table];

	for (size_t col = 0; col < kt->t->column_count; col++) {
		bool any;

		if (kt->slot[col] < 0 || !kt->rivals[col] || ignored_slots >> kt->slot[col] & 1)
			continue;
		if (!is_named(c, kt->ids[row][col], 1u << kt->slot[col], &any) && any)
			return false;
	}
	return true;
}

bool row_matches_names(const struct known *k, int table, int64_t row, const struct context *c)
{
	return row_matches_names_except(k, table, row, c, 0);
}

static const struct when *time_of(const struct context *c)
{
	return c->follow.when.hours || c->follow.when.months ? &c->follow.when : &c->when;
}

static bool has_time(const struct when *w)
{
	return w->hours || w->months || w->from;
}

/* An amount must have the time stated for it. Other cells of the row may state another time. */
static bool time_matches(const struct known *k, const struct entry *e, const struct context *c)
{
	const struct known_table *kt = &k->tables[e->table];
	const struct when *w = time_of(c);

	if (c->in_row || !has_time(w) || !kt->times || e->counted || e->column < 0 ||
	    !kt->measure[e->column])
		return true;
	return e->row >= 0 && row_matches_time(k, e->table, e->row, w);
}

static bool label_matches(const struct known *k, const int *label_ids, const struct context *c)
{
	for (int slot = 0; slot < k->slot_count; slot++) {
		uint32_t bit = 1u << slot;
		bool any = false, named = false, labelled = false;

		for (const int *id = label_ids; *id >= 0; id++) {
			if (!(k->names.slots_by_id[*id] & bit))
				continue;
			labelled = true;
			named = is_named(c, *id, bit, &any) || named;
		}
		if (labelled && any && !named)
			return false;
	}
	return true;
}

static bool is_in_question(const struct known *k, int id)
{
	for (int i = 0; i < k->question_name_count; i++)
		if (k->question_names[i].id == id)
			return true;
	return false;
}

/* Returns true when all aggregated rows have the mentioned names of this column. */
static bool rows_are_named(const struct known_table *kt, const struct entry *e, size_t col,
			   const struct context *c)
{
	for (size_t row = 0; row < kt->t->row_count; row++) {
		bool of_group = e->group_slot < 0, any;

		for (size_t by = 0; by < kt->t->column_count && !of_group; by++)
			of_group = kt->slot[by] == e->group_slot && kt->ids[row][by] == e->group_id;
		if (of_group && !is_named(c, kt->ids[row][col], 1u << kt->slot[col], &any) && any)
			return false;
	}
	return true;
}

/* An aggregate over several names does not belong to one of them. */
static bool pooled_matches(const struct known *k, const struct entry *e, const struct context *c)
{
	const struct known_table *kt = &k->tables[e->table];
	bool any_group;

	if (e->group_slot >= 0 && k->soft_slots >> e->group_slot & 1 &&
	    !is_named(c, e->group_id, 1u << e->group_slot, &any_group))
		return false;
	for (size_t col = 0; col < kt->t->column_count; col++) {
		uint32_t bit;

		if (kt->slot[col] < 0 || !kt->rivals[col])
			continue;
		bit = 1u << kt->slot[col];
		if (kt->slot[col] == e->group_slot) {
			bool any;

			if (!is_named(c, e->group_id, bit, &any) &&
			    (any || !is_in_question(k, e->group_id)))
				return false;
		} else if (group_size(c, bit) == 1 && !rows_are_named(kt, e, col, c)) {
			return false;
		}
	}
	return true;
}

/* Below the heading of a known column only its values, derivations of them and facts with a label
 * are allowed. */
static bool fits_heading(const struct known *k, const struct entry *e, const struct context *c)
{
	const struct known_table *kt = e->table >= 0 ? &k->tables[e->table] : NULL;

	if (!c->in_row || e->label_ids)
		return true;
	if (c->header.id >= 0 && e->row >= 0 && !row_set_has(&c->rows, e->table, e->row))
		return false;
	if (!c->header.key)
		return true;
	if (!kt || e->column < 0 || e->counted)
		return false;
	if (kt->keys[e->column][0] != c->header.key && kt->keys[e->column][1] != c->header.key)
		return false;
	return e->row < 0 ? c->rows.table != e->table : row_set_has(&c->rows, e->table, e->row);
}

/* "Spring $34.99, Summer $53.48" in a fact's text: the word before a number must match. */
static bool text_matches(const struct known *k, const struct entry *e, const struct context *c)
{
	bool other = false;

	for (size_t i = 0; i < k->texts.count; i++) {
		const struct text_word *w = &k->texts.words[i];

		if (w->text != e->text)
			continue;
		for (size_t n = 0; n < c->clause.count; n++) {
			if (c->clause.words[n] != w->word)
				continue;
			if (w->word == e->number_context.before)
				return true;
			other = true;
		}
	}
	return !other;
}

static bool is_cited(const struct entry *e, const struct context *c)
{
	for (size_t i = 0; i < c->cited.count; i++)
		if (e->of_text && e->row == c->cited.places[i].row && e->call &&
		    strcmp(e->call, c->cited.places[i].call) == 0)
			return true;
	return false;
}

static bool entry_matches(const struct known *k, const struct entry *e, const struct context *c)
{
	if (e->shadowed || (c->cited.places && !is_cited(e, c)))
		return false;
	if (e->text && !c->in_row && !text_matches(k, e, c))
		return false;
	if (e->table >= 0 && e->column >= 0 && !c->in_row && !e->counted &&
	    e->class == CLASS_NUMBER && e->value > 12 * ONE && !column_is_mentioned(k, e, c))
		return false;
	if (!fits_heading(k, e, c))
		return false;
	if (e->label_ids)
		return label_matches(k, e->label_ids, c);
	if (e->table < 0)
		return true;
	if (!time_matches(k, e, c))
		return false;
	if (e->pooled)
		return pooled_matches(k, e, c);
	return e->row < 0 || row_matches_names(k, e->table, e->row, c);
}

/* ---- numbers ---- */

static bool is_measured(const struct known *k, const struct unit_def *unit)
{
	for (size_t i = 0; i < k->measured.count; i++)
		if (k->measured.units[i] == unit)
			return true;
	return false;
}

static bool entry_unit_fits(const struct known *k, const struct entry *e, const struct shown *s,
			    const struct unit_def *shown)
{
	guard_value step = s->half * 2;
	bool loses = step > 0 && e->value % step != 0;

	if (e->matches_any_unit && !e->unit)
		return true;
	if (s->part && e->either && e->table >= 0)
		return false;
	if (s->worded && !shown && e->unit && !e->unit->counted && !unit_is_unstated(e->unit))
		return false; /* "ninety projects" does not match 90 MW */
	/* A measured quantity is not bound to prose in another column. */
	if (e->of_text && e->unit && is_measured(k, e->unit))
		return false;
	return unit_fits(s, shown, e->unit, loses);
}

/* Differences may be given as absolute values. */
static bool is_difference_column(const struct known *k, const struct entry *e)
{
	return e->column >= 0 && k->tables[e->table].differences[e->column];
}

/* Returns true when negative values and directions agree with the words. */
static bool sign_fits(const struct known *k, const struct entry *e, const struct shown *s,
		      const struct context *c)
{
	int dir = s->minus ? -1 : s->plus ? 1 : c->word_comparison.dir;

	if (e->derived == DERIVED_CHANGE && !e->change && !unit_is_percent(e->unit) && !c->in_row &&
	    (s->minus || s->plus))
		return false; /* the order of minimum and maximum is unknown */
	if (e->change)
		return c->comparison_known && (!dir || (dir < 0) == e->minus);
	if (e->either)
		return true;
	if (e->minus)
		return s->minus || (!s->plus && (e->table < 0 || c->word_comparison.change ||
						 dir < 0 || is_difference_column(k, e)));
	if (s->minus)
		return false;
	return dir >= 0 || !c->word_comparison.by || e->table < 0 || e->column < 0 ||
	       !k->tables[e->table].mixed[e->column];
}

/* A number that occurs only in the question is not evidence. */
static bool is_from_question(const struct entry *e)
{
	return e->matches_any_unit && !e->call;
}

static void set_reference(const struct entry *e, struct number_binding *out)
{
	out->bound = true;
	out->unchecked = is_from_question(e);
	out->of_fact = e->fact;
	out->amount = (struct recent){.value = e->minus ? -e->value : e->value,
				      .unit = e->unit,
				      .table = e->table,
				      .column = e->column,
				      .row = e->row};
	out->ref = (struct guard_ref){
		.call = e->call,
		.row = e->row,
		.column = e->column_name,
		.formula = e->formula,
	};
}

/* Collects all rows with this value, when a cell of the answer's row identifies the row. */
static void collect_rows(const struct known *k, size_t from, const struct context *c,
			 guard_value to, struct row_set *out)
{
	const struct entry *first = &k->entries[from];

	if (!c->in_row || !c->header.key || c->header.id >= 0 || first->row < 0 ||
	    first->column < 0)
		return;
	for (size_t i = from; i < k->count; i++) {
		const struct entry *e = &k->entries[i];

		if (e->class != first->class || e->value > to)
			break;
		if (e->table == first->table && e->column == first->column && e->row >= 0)
			row_set_add(out, e->table, e->row);
	}
}

static const struct unit_def *shown_unit(const struct shown *s, const struct context *c)
{
	if (s->unit || s->currency || !c->in_row)
		return s->unit;
	return c->header.unit;
}

/* In a table row the heading states the derivation, as in "Total", so no word is required. */
bool derivation_is_worded(enum derived how, const struct shown *s, const struct context *c)
{
	bool fits = true;

	if (c->in_row)
		return true;
	switch (how) {
	case DERIVED_SUM:
		fits = c->sums || c->word_comparison.sum || c->count < 2;
		break;
	case DERIVED_MEAN:
		fits = c->means || c->word_comparison.mean;
		break;
	case DERIVED_CHANGE:
		fits = c->word_comparison.dir || c->word_comparison.by ||
		       c->word_comparison.change || c->changes || c->changed ||
		       c->word_comparison.rest || s->plus || s->minus;
		break;
	case DERIVED_NONE:
		break;
	}
	return fits;
}

/* "Five months" must match counted rows or values of such a column. */
static bool is_span_without_unit(const struct entry *e, const struct shown *s)
{
	return unit_is_span(s->unit) && !e->unit && !e->matches_any_unit;
}

static bool span_fits_data(const struct known *k, const struct entry *e)
{
	const struct known_table *kt = e->table >= 0 ? &k->tables[e->table] : NULL;

	if (!kt)
		return true;
	if (e->counted)
		return kt->times && e->counted != COUNTED_KIND;
	return e->column >= 0 && kt->measure[e->column];
}

/* "Rose from x to y", "A is higher: x against y": the previous amount decides. */
static bool direction_fits(const struct entry *e, const struct context *c, bool *directed)
{
	const struct recent *last = &c->recent[0];
	guard_value own = e->minus ? -e->value : e->value;
	int dir = 0;

	*directed = false;
	if (c->in_row || !last->sentence || !units_are_alike(last->unit, e->unit))
		return true;
	if (c->word_comparison.to && c->word_comparison.move &&
	    ((c->from && last->sentence == c->sentence) ||
	     (c->count == 0 && c->sentence - last->sentence == 1)))
		dir = c->word_comparison.dir;
	else if (c->against && last->sentence == c->sentence)
		dir = -c->claim;
	*directed = dir != 0;
	return dir == 0 || (dir > 0 ? own > last->value : own < last->value);
}

/* Returns true when a cell is used for a second item in the sentence, or together with a value
 * derived from it. */
static bool is_repeated_value(const struct entry *e, const struct shown *s, const struct context *c)
{
	const struct recent *last = &c->recent[0];

	if (c->in_row || e->table < 0 || (shown_is_bare(s) && s->value <= 12 * ONE))
		return false;
	if (last->sentence == c->sentence && last->shown == s->value && last->half == s->half &&
	    units_are_alike(last->unit, e->unit) && e->row < 0)
		return true;
	if (c->from && last->sentence == c->sentence && last->table == e->table &&
	    last->row == e->row && last->shown == s->value && last->half == s->half)
		return true; /* "from x to x" */
	for (size_t i = 0; i < RECENT_MAX; i++) {
		const struct recent *r = &c->recent[i];

		if (r->sentence != c->sentence || r->table != e->table || r->column != e->column)
			continue;
		return e->row >= 0 && e->column >= 0 && r->row == e->row && r->shown == s->value &&
		       r->half == s->half;
	}
	return false;
}

static bool find_number(const struct known *k, const struct shown *s, const struct context *c,
			struct number_binding *out)
{
	const struct unit_def *unit = shown_unit(s, c);
	size_t i = known_lower_bound(k, CLASS_NUMBER, s->value - s->half), examined_count = 0;
	bool bare = shown_is_bare(s), directed = false;

	for (; i < k->count && examined_count < CANDIDATES_MAX; i++, examined_count++) {
		const struct entry *e = &k->entries[i];

		if (e->class != CLASS_NUMBER || e->value > s->value + s->half)
			break;
		if (entry_unit_fits(k, e, s, unit) && sign_fits(k, e, s, c) &&
		    (!bare || number_context_fits(k, e, c)) &&
		    (!e->share || c->in_row ||
		     (c->comparison_known && number_context_names_kind(e, c))) &&
		    derivation_is_worded(e->derived, s, c) && (!e->fact || c->comparison_known) &&
		    (!is_span_without_unit(e, s) || span_fits_data(k, e)) &&
		    direction_fits(e, c, &directed) && !is_repeated_value(e, s, c) &&
		    entry_matches(k, e, c)) {
			set_reference(e, out);
			out->directed =
				directed ||
				(e->change && (c->word_comparison.dir || s->minus || s->plus));
			if (out->unchecked) /* unless the data has it as well */
				continue;
			collect_rows(k, i, c, s->value + s->half, &out->rows);
			return true;
		}
	}
	return false;
}

/* Binds the first entry of a class within the range that matches the names. */
static bool find_in(const struct known *k, enum entry_class class, guard_value from, guard_value to,
		    const struct context *c, struct number_binding *out)
{
	for (size_t i = known_lower_bound(k, class, from); i < k->count; i++) {
		const struct entry *e = &k->entries[i];

		if (e->class != class || e->value > to)
			return false;
		if (entry_matches(k, e, c)) {
			set_reference(e, out);
			if (out->unchecked)
				continue;
			collect_rows(k, i, c, to, &out->rows);
			return true;
		}
	}
	return false;
}

static bool bind_to_formula(struct number_binding *out, const char *formula)
{
	out->bound = true;
	out->unchecked = false;
	out->ref = (struct guard_ref){.row = -1, .formula = formula};
	return true;
}

/* "The first 24 of 8,760 rows are shown": the rows of the table above. */
static bool is_of_rows(const struct context *c)
{
	return c->rows_written.last > 0 && c->number_context.after[0] == folded_word_key("of", 2);
}

/* Counts of the answer's own rows and of the calendar. */
static bool is_plain_count(const struct known *k, const struct shown *s, const struct context *c,
			   struct number_binding *out)
{
	guard_value n = s->value / ONE;

	if (s->decimals || s->scaled || s->minus || s->currency)
		return false;
	if (shown_is_bare(s) && number_context_is_numbered(k, &c->number_context))
		return false;
	if (!s->unit && c->cues.first_of && n <= k->rows_max &&
	    (!is_of_rows(c) || n == c->rows_written.last))
		return bind_to_formula(out, "count");
	if (!s->unit && !c->in_row && n > 0 && n == c->rows_written.written)
		return bind_to_formula(out, "rows shown");
	if (unit_is_calendar(&k->units, s->unit, (int64_t)n))
		return bind_to_formula(out, "calendar");
	return false;
}

/* "About 1,800": widens the tolerance to the trailing zeros, within a limit. */
static struct shown widened(const struct shown *s)
{
	struct shown wide = *s;
	guard_value step = ONE, most = s->value / 20;

	if (s->part)
		wide.half = 4 * ONE;
	if (s->scaled || unit_is_percent(s->unit) || s->value == 0)
		return wide;
	if (s->decimals > 0)
		step = s->half * 2; /* "about $39.50" */
	while (s->value % (step * 10) == 0)
		step *= 10;
	if (step / 2 > wide.half)
		wide.half = step / 2 < most ? step / 2 : most > wide.half ? most : wide.half;
	return wide;
}

/* "Above $60 from hour 18 through hour 21" applies to each of these rows. */
static bool is_limit(const struct shown *s, const struct context *c)
{
	const struct when *w = time_of(c);

	return c->cues.limit && !c->in_row && !shown_is_bare(s) && !unit_is_percent(s->unit) &&
	       ((w->hours & (w->hours - 1)) || (w->months & (w->months - 1)));
}

static bool limit_holds(const struct known *k, const struct shown *s, const struct context *c)
{
	const struct when *w = time_of(c);

	for (int i = 0; i < k->table_count; i++) {
		const struct known_table *kt = &k->tables[i];

		for (size_t col = 0; kt->times && col < kt->t->column_count; col++) {
			bool all = kt->measure[col] && unit_fits(s, s->unit, kt->units[col], false);
			size_t rows = 0;

			for (size_t r = 0; all && r < kt->t->row_count; r++) {
				guard_value v = kt->values[r][col];

				if (v == GUARD_NO_VALUE || !row_matches_time(k, i, (int64_t)r, w) ||
				    !row_matches_names(k, i, (int64_t)r, c))
					continue;
				rows++;
				all = c->cues.limit > 0 ? v >= s->value : v <= s->value;
			}
			if (all && rows > 0)
				return true;
		}
	}
	return false;
}

/* Returns true when a derived fact contradicts the direction in the sentence. */
static bool is_contradicted(const struct known *k, const struct shown *s, const struct context *c,
			    char *scratch, size_t size, const struct number_binding *out)
{
	struct context other = *c;
	struct derived_number number;

	if (!out->of_fact || !c->word_comparison.dir || c->in_row ||
	    derive_bind(k, s, c, scratch, size, &number))
		return false;
	other.word_comparison.dir = -c->word_comparison.dir;
	return derive_bind(k, s, &other, scratch, size, &number);
}

static bool bind_number(const struct known *k, const struct shown *shown, const struct context *c,
			char *scratch, size_t size, struct number_binding *out)
{
	struct derived_number number = {.unit = NULL};
	const struct shown *s = shown;
	bool bare = !s->unit && s->decimals == 0 && !s->currency;

	if (is_limit(s, c))
		return (out->directed = limit_holds(k, s, c)) &&
		       bind_to_formula(out, "values of the stated hours");
	if (find_number(k, s, c, out) || (!c->header.key && is_plain_count(k, s, c, out)))
		return !is_contradicted(k, s, c, scratch, size, out) || (out->bound = false);
	if (c->in_row && c->header.key && c->count > 0)
		return bare && find_in(k, CLASS_HOUR, s->value / ONE, s->value / ONE, c, out);
	if (bare && c->in_row && find_in(k, CLASS_HOUR, s->value / ONE, s->value / ONE, c, out))
		return true;
	if (!derive_bind(k, s, c, scratch, size, &number)) {
		/* "five hours see less", "six areas are finished": such counts are not checked */
		if (c->comparison_known && !c->in_row &&
		    ((s->worded && unit_is_span(s->unit)) ||
		     (bare && s->value <= 31 * ONE && !c->cues.first_of &&
		      c->number_context.predicate[0] &&
		      !number_context_is_kind(k, &c->number_context))))
			out->bound = out->unchecked = true;
		return out->bound;
	}
	out->bound = true;
	out->unchecked = false;
	out->directed = number.directed;
	out->ref = number.ref;
	out->amount = (struct recent){
		.value = s->minus ? -s->value : s->value,
		.unit = s->unit && !unit_is_unstated(number.unit) ? s->unit : number.unit,
		.table = -1,
		.column = -1,
		.row = -1};
	return true;
}

/* ---- dates and hours ---- */

static bool bind_year(const struct known *k, const struct shown *s, const struct context *c,
		      char *scratch, size_t size, struct number_binding *out)
{
	guard_value year = s->value / ONE;
	struct context other = *c; /* a year may appear next to another one */

	other.count = 0;
	for (int i = 0; i < c->count; i++)
		if (!(c->mentions[i].slots & k->year_slots))
			other.mentions[other.count++] = c->mentions[i];
	return find_in(k, CLASS_YEAR, year, year, &other, out) ||
	       bind_number(k, s, c, scratch, size, out);
}

static bool bind_day(const struct known *k, const struct shown *s, const struct context *c,
		     struct number_binding *out)
{
	guard_value day = s->date.month * 100 + s->date.day;

	for (size_t i = known_lower_bound(k, CLASS_DATE, 0); i < k->count; i++) {
		const struct entry *e = &k->entries[i];

		if (e->class != CLASS_DATE)
			return false;
		if (e->value % 10000 == day && entry_matches(k, e, c)) {
			set_reference(e, out);
			return true;
		}
	}
	return false;
}

/* "August 2027", from a row of month 8 in a table of 2027. */
static bool is_month_of_rows(const struct known *k, const struct shown *s, const struct context *c,
			     struct number_binding *out)
{
	struct number_binding year = {0};

	return s->kind == SHOWN_MONTH &&
	       find_in(k, CLASS_MONTH, s->date.month, s->date.month, c, out) &&
	       find_in(k, CLASS_YEAR, s->date.year, s->date.year, c, &year);
}

static bool bind_date(const struct known *k, const struct shown *s, const struct context *c,
		      struct number_binding *out)
{
	guard_value day = s->date.year * 10000 + s->date.month * 100 + s->date.day;

	if (is_month_of_rows(k, s, c, out))
		return true;
	out->bound = false;
	return find_in(k, CLASS_DATE, day, s->kind == SHOWN_MONTH ? day + 99 : day, c, out);
}

static bool is_quarter_of_rows(const struct known *k, const struct shown *s,
			       const struct context *c, struct number_binding *out)
{
	int first = s->date.month * 3 - 2;

	if (find_in(k, CLASS_MONTH, first, first + 2, c, out) &&
	    find_in(k, CLASS_YEAR, s->date.year, s->date.year, c, out))
		return true;
	return out->bound = false;
}

static bool bind_quarter(const struct known *k, const struct shown *s, const struct context *c,
			 struct number_binding *out)
{
	int quarter = s->date.month, from = s->date.year * 10000 + (quarter * 3 - 2) * 100;
	guard_value key = s->date.year * 10 + quarter;

	return find_in(k, CLASS_QUARTER, key, key, c, out) ||
	       find_in(k, CLASS_DATE, from, from + 299, c, out) || is_quarter_of_rows(k, s, c, out);
}

/* Peak hours have a fixed definition. */
static bool is_peak_boundary(guard_value hour)
{
	return hour == 0 || hour == 6 || hour == 7 || hour == 22 || hour == 23;
}

static bool bind_hour(const struct known *k, const struct shown *s, const struct context *c,
		      struct number_binding *out)
{
	struct context nameless = *c;

	if (c->same_hour >= 0 && s->value != c->same_hour)
		return false;
	nameless.count = 0;
	nameless.follow.id = -1;
	if (find_in(k, CLASS_HOUR, s->value, s->value, &nameless, out))
		return true;
	return c->peak && !k->peak_known && is_peak_boundary(s->value) &&
	       bind_to_formula(out, "peak hours");
}

/* Tries the unit shown, then each unit of its dimension in the data: "0.2 GW" for 200 MW. */
static bool bind_amount(const struct known *k, struct shown *s, const struct context *c,
			char *scratch, size_t size, struct number_binding *out)
{
	if (bind_number(k, s, c, scratch, size, out))
		return true;
	for (size_t i = 0; s->unit && i < k->measured.count; i++) {
		struct shown other = *s;

		if (k->measured.units[i] == s->unit || !k->measured.units[i] ||
		    !shown_convert(&other, k->measured.units[i]) ||
		    !bind_number(k, &other, c, scratch, size, out))
			continue;
		*s = other;
		return true;
	}
	return false;
}

void bind_shown(const struct known *k, struct shown *s, const struct context *c, char *scratch,
		size_t size, struct number_binding *out)
{
	out->bound = out->unchecked = out->of_fact = out->directed = out->miscited = false;
	out->ref = (struct guard_ref){.row = -1};
	out->amount = (struct recent){.table = -1, .column = -1, .row = -1};
	row_set_clear(&out->rows);
	if (c->cues.about)
		*s = widened(s);
	switch (s->kind) {
	case SHOWN_NUMBER:
		(void)bind_amount(k, s, c, scratch, size, out);
		break;
	case SHOWN_YEAR:
		(void)bind_year(k, s, c, scratch, size, out);
		break;
	case SHOWN_MONTH:
	case SHOWN_DATE:
		(void)bind_date(k, s, c, out);
		break;
	case SHOWN_DAY:
		(void)bind_day(k, s, c, out);
		break;
	case SHOWN_QUARTER:
		(void)bind_quarter(k, s, c, out);
		break;
	case SHOWN_HOUR:
		(void)bind_hour(k, s, c, out);
		break;
	case SHOWN_RANK:
		/* claims_of_ranks checks it with its amount */
		out->bound = out->unchecked = s->value >= 1;
		break;
	case SHOWN_UNSUPPORTED:
		break;
	case SHOWN_ID: /* reached only for an id that the data does not have */
		break;
	case SHOWN_TEXT:
		out->bound = true;
		break;
	}
	/* Data about something else does not answer the question. */
	out->unchecked = out->unchecked || k->other_question;
}
