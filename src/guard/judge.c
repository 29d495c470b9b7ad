/*
 * Is the number that is shown one that is known? The value must be right at the decimals shown, the
 * unit must be the value's, and where the sentence or the table row names something, the value must
 * be of a row that bears that name.
 */
#include "guard_int.h"

#include <string.h>

#include "vesper/clock.h"

#define ONE            ((guard_value)100000000)
#define CANDIDATES_MAX 512 /* values within one rounding step that are looked at */

/* ---- names ---- */

/* The last group of names of this slot; an amount ends a group. */
static uint32_t last_group(const struct context *c, uint32_t slot_bit, bool *any)
{
	for (int i = c->count; i-- > 0;)
		if (c->said[i].slots & slot_bit) {
			*any = true;
			return c->said[i].group;
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
		size += (c->said[i].slots & slot_bit) && c->said[i].group == group;
	return size;
}

/* Does the sentence speak of this name? *any: it speaks of some name of that kind. What follows
 * ("… for Ascend") and the heading of the column say it more exactly than what came before. */
static bool is_named(const struct context *c, int id, uint32_t slot_bit, bool *any)
{
	uint32_t group;

	*any = true;
	if (c->follow_id >= 0 && (c->follow_slots & slot_bit))
		return id == c->follow_id;
	if (c->in_row && c->header_id >= 0 && (c->header_slots & slot_bit))
		return id == c->header_id;
	group = last_group(c, slot_bit, any);
	for (int i = 0; *any && i < c->count; i++)
		if (c->said[i].id == id && (c->in_row || c->said[i].group == group))
			return true;
	return false;
}

bool row_is_meant(const struct known *k, int table, int64_t row, const struct context *c)
{
	const struct known_table *kt = &k->tables[table];

	for (size_t col = 0; col < kt->t->column_count; col++) {
		bool any;

		if (kt->slot[col] < 0 || !kt->rivals[col])
			continue;
		if (!is_named(c, kt->ids[row][col], 1u << kt->slot[col], &any) && any)
			return false;
	}
	return true;
}

static bool label_is_meant(const struct known *k, const int *label_ids, const struct context *c)
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

static bool was_asked(const struct known *k, int id)
{
	for (int i = 0; i < k->asked_count; i++)
		if (k->asked[i].id == id)
			return true;
	return false;
}

/* Do all rows that the number was made of bear the names of this column that are spoken of? */
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

/* A number over rows of several names is not the number of one of them. */
static bool pool_is_meant(const struct known *k, const struct entry *e, const struct context *c)
{
	const struct known_table *kt = &k->tables[e->table];

	for (size_t col = 0; col < kt->t->column_count; col++) {
		uint32_t bit;

		if (kt->slot[col] < 0 || !kt->rivals[col])
			continue;
		bit = 1u << kt->slot[col];
		if (kt->slot[col] == e->group_slot) {
			bool any;

			if (!is_named(c, e->group_id, bit, &any) &&
			    (any || !was_asked(k, e->group_id)))
				return false;
		} else if (group_size(c, bit) == 1 && !rows_are_named(kt, e, col, c)) {
			return false;
		}
	}
	return true;
}

/* Under the heading of a known column stand its values, what was made of them, and facts that say
 * whose they are. */
static bool is_in_place(const struct known *k, const struct entry *e, const struct context *c)
{
	const struct known_table *kt = e->table >= 0 ? &k->tables[e->table] : NULL;

	if (!c->in_row || e->label_ids)
		return true;
	if (c->header_id >= 0 && e->row >= 0 && !row_set_has(&c->rows, e->table, e->row))
		return false;
	if (!c->header_key)
		return true;
	if (!kt || e->column < 0 || e->counted)
		return false;
	if (kt->keys[e->column][0] != c->header_key && kt->keys[e->column][1] != c->header_key)
		return false;
	return e->row < 0 ? c->rows.table != e->table : row_set_has(&c->rows, e->table, e->row);
}

static bool is_meant(const struct known *k, const struct entry *e, const struct context *c)
{
	if (!is_in_place(k, e, c))
		return false;
	if (e->label_ids)
		return label_is_meant(k, e->label_ids, c);
	if (e->table < 0)
		return true;
	if (e->pooled)
		return pool_is_meant(k, e, c);
	return e->row < 0 || row_is_meant(k, e->table, e->row, c);
}

/* ---- numbers ---- */

static bool unit_is_right(const struct known *k, const struct entry *e, const struct shown *s,
			  enum unit shown)
{
	guard_value step = s->half * 2;
	bool loses = step > 0 && e->value % step != 0;

	if (e->anything && e->unit == UNIT_NONE)
		return true;
	if (s->foreign && !e->anything && !k->foreign_money)
		return false;
	if (s->part && e->either && e->table >= 0)
		return false;
	/* What a column measures is not taken from prose in another one. */
	if (e->of_text && e->unit != UNIT_NONE && k->numeric_unit[e->unit])
		return false;
	return unit_fits(s, shown, e->unit, loses);
}

static bool sign_is_right(const struct entry *e, const struct shown *s)
{
	return e->either || (e->minus ? !s->plus : !s->minus);
}

/* "The highest is …": no row that is spoken of has more. */
static bool is_extreme(const struct known *k, const struct entry *e, const struct context *c)
{
	const struct known_table *kt;
	guard_value own;

	if (c->in_row || e->row < 0 || e->column < 0 || !k->tables[e->table].measure[e->column] ||
	    !beside_of_column(k, e, c->extreme_of))
		return true;
	kt = &k->tables[e->table];
	own = kt->values[e->row][e->column];
	for (size_t r = 0; r < kt->t->row_count; r++) {
		guard_value v = kt->values[r][e->column];

		if (v != GUARD_NO_VALUE && (c->extreme > 0 ? v > own : v < own) &&
		    row_is_meant(k, e->table, (int64_t)r, c))
			return false;
	}
	return true;
}

static void refer(const struct entry *e, struct verdict *out)
{
	out->bound = true;
	out->ref = (struct guard_ref){
		.call = e->call,
		.row = e->row,
		.column = e->column_name,
		.formula = e->formula,
	};
}

/* All rows that hold it, where the answer's row says by it which row it is. */
static void note_rows(const struct known *k, size_t from, const struct context *c, guard_value to,
		      struct row_set *out)
{
	const struct entry *first = &k->entries[from];

	if (!c->in_row || !c->header_key || c->header_id >= 0 || first->row < 0 ||
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

static enum unit shown_unit(const struct shown *s, const struct context *c)
{
	if (s->unit != UNIT_NONE || s->currency || !c->in_row)
		return s->unit;
	return c->header_unit;
}

static bool find_number(const struct known *k, const struct shown *s, const struct context *c,
			struct verdict *out)
{
	enum unit unit = shown_unit(s, c);
	size_t i = known_from(k, CLASS_NUMBER, s->value - s->half), looked = 0;
	bool bare = shown_is_bare(s);

	for (; i < k->count && looked < CANDIDATES_MAX; i++, looked++) {
		const struct entry *e = &k->entries[i];

		if (e->class != CLASS_NUMBER || e->value > s->value + s->half)
			break;
		if (unit_is_right(k, e, s, unit) && sign_is_right(e, s) &&
		    (!bare || beside_fits(k, e, c)) &&
		    (bare || !c->extreme || is_extreme(k, e, c)) && is_meant(k, e, c)) {
			refer(e, out);
			note_rows(k, i, c, s->value + s->half, &out->rows);
			return true;
		}
	}
	return false;
}

/* The first entry of a class within a range that fits the names. */
static bool find_in(const struct known *k, enum entry_class class, guard_value from, guard_value to,
		    const struct context *c, struct verdict *out)
{
	for (size_t i = known_from(k, class, from); i < k->count; i++) {
		const struct entry *e = &k->entries[i];

		if (e->class != class || e->value > to)
			return false;
		if (is_meant(k, e, c)) {
			refer(e, out);
			note_rows(k, i, c, to, &out->rows);
			return true;
		}
	}
	return false;
}

static bool agree(struct verdict *out, const char *formula)
{
	out->bound = true;
	out->ref = (struct guard_ref){.row = -1, .formula = formula};
	return true;
}

/* "The first 24 of 8,760 rows are shown": those of the table above. */
static bool is_of_rows(const struct context *c)
{
	return c->rows_last > 0 && c->beside.after[0] == beside_key("of", 2);
}

/* Counts that the answer makes of itself and of the calendar. */
static bool is_plain_count(const struct known *k, const struct shown *s, const struct context *c,
			   struct verdict *out)
{
	guard_value n = s->value / ONE;

	if (s->decimals || s->scaled || s->minus || s->currency)
		return false;
	if (shown_is_bare(s) && beside_is_numbered(k, &c->beside))
		return false;
	if (s->unit == UNIT_NONE && c->first_of && n <= k->rows_max &&
	    (!is_of_rows(c) || n == c->rows_last))
		return agree(out, "count");
	if (s->unit == UNIT_NONE && !c->in_row && n > 0 && n == c->rows_written)
		return agree(out, "rows shown");
	if ((s->unit == UNIT_HOURS && n == 24) || (s->unit == UNIT_MONTHS && n == 12) ||
	    (s->unit == UNIT_DAYS && n == 7))
		return agree(out, "calendar");
	return false;
}

static bool judge_number(const struct known *k, const struct shown *s, const struct context *c,
			 char *scratch, size_t size, struct verdict *out)
{
	bool bare = s->unit == UNIT_NONE && s->decimals == 0 && !s->currency;

	if (find_number(k, s, c, out) || (!c->header_key && is_plain_count(k, s, c, out)))
		return true;
	if (c->in_row && c->header_key && c->count > 0)
		return bare && find_in(k, CLASS_HOUR, s->value / ONE, s->value / ONE, c, out);
	if (bare && c->in_row && find_in(k, CLASS_HOUR, s->value / ONE, s->value / ONE, c, out))
		return true;
	out->bound = derive_bind(k, s, c, scratch, size, &out->ref);
	return out->bound;
}

/* ---- dates and hours ---- */

static bool judge_year(const struct known *k, const struct shown *s, const struct context *c,
		       char *scratch, size_t size, struct verdict *out)
{
	guard_value year = s->value / ONE;
	struct context other = *c; /* a year may stand beside another one */

	other.count = 0;
	for (int i = 0; i < c->count; i++)
		if (!(c->said[i].slots & k->year_slots))
			other.said[other.count++] = c->said[i];
	return find_in(k, CLASS_YEAR, year, year, &other, out) ||
	       judge_number(k, s, c, scratch, size, out);
}

static bool judge_day(const struct known *k, const struct shown *s, const struct context *c,
		      struct verdict *out)
{
	guard_value day = s->date.month * 100 + s->date.day;

	for (size_t i = known_from(k, CLASS_DATE, 0); i < k->count; i++) {
		const struct entry *e = &k->entries[i];

		if (e->class != CLASS_DATE)
			return false;
		if (e->value % 10000 == day && is_meant(k, e, c)) {
			refer(e, out);
			return true;
		}
	}
	return false;
}

static bool judge_date(const struct known *k, const struct shown *s, const struct context *c,
		       struct verdict *out)
{
	guard_value day = s->date.year * 10000 + s->date.month * 100 + s->date.day;

	return find_in(k, CLASS_DATE, day, s->kind == SHOWN_MONTH ? day + 99 : day, c, out);
}

static bool judge_quarter(const struct known *k, const struct shown *s, const struct context *c,
			  struct verdict *out)
{
	int quarter = s->date.month, from = s->date.year * 10000 + (quarter * 3 - 2) * 100;
	guard_value key = s->date.year * 10 + quarter;

	return find_in(k, CLASS_QUARTER, key, key, c, out) ||
	       find_in(k, CLASS_DATE, from, from + 299, c, out);
}

/* Peak hours are defined, not found. */
static bool is_peak_bound(guard_value hour)
{
	return hour == 0 || hour == 6 || hour == 7 || hour == 22 || hour == 23;
}

static bool judge_hour(const struct known *k, const struct shown *s, const struct context *c,
		       struct verdict *out)
{
	struct context nameless = *c;

	nameless.count = 0;
	nameless.follow_id = -1;
	if (find_in(k, CLASS_HOUR, s->value, s->value, &nameless, out))
		return true;
	return c->peak && is_peak_bound(s->value) && agree(out, "peak hours");
}

void judge(const struct known *k, const struct shown *s, const struct context *c, char *scratch,
	   size_t size, struct verdict *out)
{
	out->bound = false;
	out->ref = (struct guard_ref){.row = -1};
	row_set_clear(&out->rows);
	switch (s->kind) {
	case SHOWN_NUMBER:
		(void)judge_number(k, s, c, scratch, size, out);
		break;
	case SHOWN_YEAR:
		(void)judge_year(k, s, c, scratch, size, out);
		break;
	case SHOWN_MONTH:
	case SHOWN_DATE:
		(void)judge_date(k, s, c, out);
		break;
	case SHOWN_DAY:
		(void)judge_day(k, s, c, out);
		break;
	case SHOWN_QUARTER:
		(void)judge_quarter(k, s, c, out);
		break;
	case SHOWN_HOUR:
		(void)judge_hour(k, s, c, out);
		break;
	case SHOWN_RANK:
		if (s->value >= 1 && s->value <= k->rows_max)
			agree(out, "rank");
		break;
	case SHOWN_STRANGE:
		break;
	case SHOWN_TEXT:
		out->bound = true;
		break;
	}
}
