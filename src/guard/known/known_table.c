/*
 * Collects the known data of a table: cells, statistics over all rows; counts, sums and means per
 * name; and the words that name columns and rows.
 */
#include "known_data.h"
#include "read/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "vesper/decimal.h"

#define SHORT_WORDS_MAX 4  /* columns with longer texts have no abbreviated names */
#define GROUPS_MAX      32 /* columns with more names get no group sums */

/* ---- columns ---- */

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcasecmp(name + n - m, end) == 0;
}

/* Returns true for numbers that identify a row rather than measure something. */
static bool is_key_column(const struct column *c)
{
	return !c->unit && (ends_with(c->name, "hour") || ends_with(c->name, "year") ||
			    ends_with(c->name, "month") || ends_with(c->name, "day") ||
			    ends_with(c->name, "id") || ends_with(c->name, "key"));
}

/* Excludes columns that only define the sort order. */
static bool is_order_column(const struct column *c)
{
	return ends_with(c->name, "sortorder") || ends_with(c->name, "sort");
}

static int slot_of(struct known *k, const char *column)
{
	for (int i = 0; i < k->slot_count; i++)
		if (strcasecmp(k->slot_names[i], column) == 0)
			return i;
	if (k->slot_count == SLOTS_MAX)
		return -1;
	k->slot_names[k->slot_count] = column;
	return k->slot_count++;
}

/* A year identifies rows like a name does. */
static bool is_year_column(const struct column *c)
{
	return c->type == COLUMN_INT && !c->unit && ends_with(c->name, "year");
}

static bool column_names_rows(const struct known *k, const struct table *t, size_t c)
{
	int words;
	uint64_t key;
	size_t names = 0;

	if (is_year_column(&t->columns[c]))
		return true;
	if (t->columns[c].type != COLUMN_TEXT)
		return false;
	for (size_t r = 0; r < t->row_count; r++) {
		if (t->rows[r][c] && strlen(t->rows[r][c]) > NAME_BYTES_MAX)
			return false;
		names += t->rows[r][c] && text_is_name(&k->units, t->rows[r][c], &words, &key);
	}
	return names > 0;
}

static bool row_name(const struct known *k, const struct column *c, const char *text, int *words,
		     uint64_t *key)
{
	if (!is_year_column(c))
		return text_is_name(&k->units, text, words, key);
	*key = name_key(text, strlen(text), words);
	return *words == 1;
}

static void read_names(struct known *k, struct known_table *kt, size_t c)
{
	const struct table *t = kt->t;
	int first = -1, words;
	uint64_t key;
	bool vocabulary = t->row_count > 2, brief = true;

	for (size_t r = 0; r < t->row_count; r++) {
		if (!t->rows[r][c])
			continue;
		key = name_key(t->rows[r][c], strlen(t->rows[r][c]), &words);
		vocabulary = vocabulary && words == 1;
		brief = brief && words <= SHORT_WORDS_MAX;
	}
	for (size_t r = 0; r < t->row_count; r++) {
		const char *text = t->rows[r][c];

		if (!text || !row_name(k, &t->columns[c], text, &words, &key))
			continue;
		kt->ids[r][c] = name_add(&k->names, k->arena, text, key, kt->slot[c], brief);
		if (vocabulary && strlen(text) > 3) /* "winter" as well as "Winter" */
			name_allow_lower_case(&k->names, key);
		if (first < 0)
			first = kt->ids[r][c];
		else if (first != kt->ids[r][c])
			kt->rivals[c] = k->has_rivals = true;
	}
}

static bool is_lower_word(const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++)
		if (!islower((unsigned char)text[i]))
			return false;
	return n > 2 && n <= NAME_BYTES_MAX;
}

/* Returns true for a column of few words that each occur in several rows: "winter", "summer". */
static bool column_groups_rows(const struct table *t, size_t c)
{
	size_t repeated_count = 0;

	if (t->columns[c].type != COLUMN_TEXT || t->row_count < 3)
		return false;
	for (size_t r = 0; r < t->row_count; r++) {
		if (!t->rows[r][c] || !is_lower_word(t->rows[r][c]))
			return false;
		for (size_t i = 0; i < r && i < GROUPS_MAX; i++)
			if (strcmp(t->rows[i][c], t->rows[r][c]) == 0) {
				repeated_count++;
				break;
			}
	}
	return repeated_count * 2 > t->row_count;
}

static void read_kinds(struct known *k, struct known_table *kt, size_t c)
{
	kt->slot[c] = slot_of(k, kt->t->columns[c].name);
	if (kt->slot[c] < 0)
		return;
	kt->soft[c] = true;
	k->soft_slots |= 1u << kt->slot[c];
	for (size_t r = 0; r < kt->t->row_count; r++) {
		const char *text = kt->t->rows[r][c];
		char titled[NAME_BYTES_MAX + 1];
		int words;

		kt->ids[r][c] = name_add(&k->names, k->arena, text,
					 name_key(text, strlen(text), &words), kt->slot[c], false);
		snprintf(titled, sizeof(titled), "%s", text);
		titled[0] = (char)toupper((unsigned char)titled[0]);
		name_alias(&k->names, k->arena, name_key(titled, strlen(titled), &words),
			   kt->ids[r][c]);
	}
}

/* The key of a heading, ignoring case, without a unit in brackets; 0: empty. */
static uint64_t heading_key(const char *text, size_t len)
{
	char lower[HEADING_BYTES];
	size_t n = 0;
	uint64_t key;
	int words;

	for (; n < len && n < sizeof(lower) && text[n] != '('; n++)
		lower[n] = (char)tolower((unsigned char)text[n]);
	key = name_key(lower, n, &words);
	return words > 0 ? key : 0;
}

/* Returns true for a constant column, which cannot be the heading of differing values. */
static bool is_constant_column(const struct table *t, size_t c, bool many)
{
	if (t->row_count == 1 && many)
		return column_is_number(t->columns[c].type);
	if (t->row_count < 2 || !column_is_number(t->columns[c].type))
		return false;
	for (size_t r = 1; r < t->row_count; r++)
		if (!t->rows[r][c] || !t->rows[0][c] || strcmp(t->rows[r][c], t->rows[0][c]) != 0)
			return false;
	return true;
}

uint64_t known_heading(const struct known *k, const char *text, size_t len)
{
	uint64_t key = heading_key(text, len);

	for (int i = 0; key && i < k->table_count; i++)
		for (size_t c = 0; c < k->tables[i].t->column_count; c++)
			if ((k->tables[i].keys[c][0] == key || k->tables[i].keys[c][1] == key) &&
			    !is_constant_column(k->tables[i].t, c, k->table_count > 1))
				return key;
	return 0;
}

/* Collects the distinct units of measures. */
static void note_measured(struct known *k, const struct unit_def *unit)
{
	for (size_t i = 0; i < k->measured.count; i++)
		if (k->measured.units[i] == unit)
			return;
	k->measured.units = arena_grow(k->arena, k->measured.units, k->measured.count,
				       &k->measured.cap, sizeof(*k->measured.units));
	k->measured.units[k->measured.count++] = unit;
}

/* Returns true for an id column when an earlier column already distinguishes all rows. The id is
 * then another name of the row. */
static bool is_alias(const struct known_table *kt, size_t c)
{
	const struct table *t = kt->t;

	if (!ends_with(t->columns[c].name, "id") || t->row_count < 2)
		return false;
	for (size_t key = 0; key < c; key++) {
		bool unique = kt->slot[key] >= 0 && kt->rivals[key];

		for (size_t r = 1; unique && r < t->row_count && r < GROUPS_MAX; r++)
			for (size_t i = 0; unique && i < r; i++)
				unique = kt->ids[r][key] >= 0 && kt->ids[r][key] != kt->ids[i][key];
		if (unique)
			return true;
	}
	return false;
}

/* Returns true for the result of an ad hoc query: no column states a unit or a label. */
static bool has_no_units_or_labels(const struct table *t)
{
	for (size_t c = 0; c < t->column_count; c++) {
		const struct column *column = &t->columns[c];

		if (column->unit || (column->label && strcmp(column->label, column->name) != 0))
			return false;
	}
	return true;
}

static const struct unit_def *unit_of_column(const struct known *k, const struct column *c,
					     bool unstated)
{
	if (unstated && column_is_number(c->type) && !is_key_column(c))
		return unit_of_name(&k->units, c->name);
	return unit_of_symbol(&k->units, c->unit);
}

static void read_columns(struct known *k, struct known_table *kt)
{
	const struct table *t = kt->t;
	size_t n = t->column_count ? t->column_count : 1;
	struct arena *a = k->arena;
	const bool unstated = has_no_units_or_labels(t);

	kt->slot = arena_alloc(a, sizeof(*kt->slot) * n);
	kt->rivals = arena_alloc(a, sizeof(*kt->rivals) * n);
	kt->soft = arena_alloc(a, sizeof(*kt->soft) * n);
	kt->alias = arena_alloc(a, sizeof(*kt->alias) * n);
	kt->units = arena_alloc(a, sizeof(*kt->units) * n);
	kt->measure = arena_alloc(a, sizeof(*kt->measure) * n);
	kt->mixed = arena_alloc(a, sizeof(*kt->mixed) * n);
	kt->differences = arena_alloc(a, sizeof(*kt->differences) * n);
	kt->ids = arena_alloc(a, sizeof(*kt->ids) * (t->row_count + 1));
	kt->keys = arena_alloc(a, sizeof(*kt->keys) * n);
	kt->words = arena_alloc(a, sizeof(*kt->words) * n);
	kt->emojis = arena_alloc(a, sizeof(*kt->emojis) * n);
	kt->values = arena_alloc(a, sizeof(*kt->values) * (t->row_count + 1));
	for (size_t r = 0; r < t->row_count; r++) {
		kt->ids[r] = arena_alloc(a, sizeof(**kt->ids) * n);
		kt->values[r] = arena_alloc(a, sizeof(**kt->values) * n);
		for (size_t c = 0; c < t->column_count; c++) {
			kt->ids[r][c] = -1;
			kt->values[r][c] = GUARD_NO_VALUE;
		}
	}
	for (size_t c = 0; c < t->column_count; c++) {
		kt->units[c] = unit_of_column(k, &t->columns[c], unstated);
		k->peak_known = k->peak_known || (ends_with(t->columns[c].name, "hour") &&
						  str_find_nocase(t->columns[c].name, "peak"));
		known_column_words(&t->columns[c], kt->words[c]);
		kt->emojis[c] = t->columns[c].label ? first_emoji_key(t->columns[c].label,
								      strlen(t->columns[c].label))
						    : 0;
		kt->mixed[c] = known_is_change(&t->columns[c]);
		kt->differences[c] = known_is_difference(&t->columns[c]);
		kt->keys[c][0] = heading_key(t->columns[c].name, strlen(t->columns[c].name));
		kt->keys[c][1] = t->columns[c].label ? heading_key(t->columns[c].label,
								   strlen(t->columns[c].label))
						     : 0;
		kt->measure[c] =
			column_is_number(t->columns[c].type) && !is_key_column(&t->columns[c]);
		kt->slot[c] = column_names_rows(k, t, c) ? slot_of(k, t->columns[c].name) : -1;
		if (kt->slot[c] >= 0 && is_year_column(&t->columns[c]))
			k->year_slots |= 1u << kt->slot[c];
		if (kt->slot[c] >= 0)
			read_names(k, kt, c);
		if (kt->slot[c] >= 0 && is_alias(kt, c))
			kt->alias[c] = !(kt->rivals[c] = false);
		if (kt->slot[c] < 0 && column_groups_rows(t, c))
			read_kinds(k, kt, c);
		if (kt->slot[c] >= 0 && kt->rivals[c])
			kt->rival_slots |= 1u << kt->slot[c];
		if (kt->measure[c])
			note_measured(k, kt->units[c]);
	}
}

/* ---- cells ---- */

static void add_key_cell(struct known *k, const struct entry *proto, const struct column *c,
			 guard_value value)
{
	const guard_value one = 100000000;

	if (ends_with(c->name, "hour"))
		known_add(k, proto, CLASS_HOUR, value / one);
	else if (ends_with(c->name, "year"))
		known_add(k, proto, CLASS_YEAR, value / one);
	else
		known_add(k, proto, CLASS_NUMBER, value);
	if (ends_with(c->name, "month"))
		known_add(k, proto, CLASS_MONTH, value / one);
}

static void add_cell(struct known *k, struct known_table *kt, size_t r, size_t c,
		     struct entry *proto)
{
	const struct column *column = &kt->t->columns[c];
	const char *text = kt->t->rows[r][c];
	guard_value value;
	struct date d;

	proto->column_name = column->name;
	proto->column = (int)c;
	if (!text || is_order_column(column))
		return;
	if (column_is_number(column->type) && known_number(text, &value)) {
		if (!kt->measure[c]) {
			add_key_cell(k, proto, column, value);
			return;
		}
		proto->unit = kt->units[c];
		known_add(k, proto, CLASS_NUMBER, value);
		kt->values[r][c] = value;
		kt->mixed[c] = kt->mixed[c] || value < 0;
		proto->unit = NULL;
		return;
	}
	if (column_is_day(column->type) && date_parse_start(text, &d)) {
		known_add_date(k, proto, d);
		return;
	}
	proto->of_text = !text_is_number(&k->units, text, strlen(text));
	proto->matches_any_unit =
		known_number(text, &value); /* for numeric text: any unit matches */
	known_add_text(k, proto, text);
	proto->of_text = proto->matches_any_unit = false;
}

/* ---- statistics ---- */

static bool decimal_value(struct decimal d, guard_value *out)
{
	char text[DECIMAL_TEXT_BYTES];

	decimal_text(d, text);
	return known_number(text, out);
}

static void add_count(struct known *k, const struct entry *proto, int64_t count,
		      enum counted counted, const char *formula)
{
	struct entry e = *proto;

	e.formula = formula;
	e.counted = counted;
	e.unit = NULL;
	known_add(k, &e, CLASS_NUMBER, (guard_value)count * 100000000);
}

static const char *formula(struct known *k, const char *what, const char *column)
{
	size_t before = strlen(what), n = strlen(column);
	char *text = arena_alloc(k->arena, before + n + sizeof(" of "));

	memcpy(text, what, before);
	memcpy(text + before, " of ", 4);
	memcpy(text + before + 4, column, n);
	return text;
}

static void add_stat(struct known *k, struct entry *proto, guard_value value, const char *what)
{
	struct entry *e = known_add(k, proto, CLASS_NUMBER, value);

	e->formula = formula(k, what, proto->column_name);
}

/* Returns false when it overflows or the whole is 0. */
static bool percent_of(guard_value part, guard_value whole, guard_value *out)
{
	guard_value hundredfold;

	if (whole == 0 || __builtin_mul_overflow(part, (guard_value)10000000000, &hundredfold))
		return false;
	*out = hundredfold / (whole < 0 ? -whole : whole);
	return true;
}

static void add_change(struct known *k, struct entry *proto, guard_value from, guard_value to,
		       const char *what, const char *what_percent, bool in_order)
{
	struct entry e = *proto;
	guard_value percent;

	e.either = true;
	e.derived = DERIVED_CHANGE;
	e.change = in_order;
	add_stat(k, &e, to - from, what);
	e.change = true;
	e.unit = k->units.percent;
	if (percent_of(to - from, from, &percent))
		add_stat(k, &e, percent, what_percent);
}

static int64_t stored_row(const struct known_table *kt, int64_t row)
{
	return row < (int64_t)kt->t->row_count ? row : -1;
}

static void add_stats(struct known *k, struct known_table *kt, size_t c, struct entry proto)
{
	const struct column_stats *s = &kt->t->stats[c];
	guard_value min, max, first, last, value;
	struct date d;

	proto.column_name = kt->t->columns[c].name;
	proto.column = (int)c;
	add_count(k, &proto, s->count, COUNTED_VALUES, formula(k, "count", proto.column_name));
	add_count(k, &proto, s->distinct, COUNTED_DISTINCT,
		  formula(k, "distinct", proto.column_name));
	add_count(k, &proto, s->nulls, COUNTED_NULLS, formula(k, "nulls", proto.column_name));
	if (s->min && s->max && kt->t->columns[c].type == COLUMN_DATE) {
		proto.row = stored_row(kt, s->min_row);
		if (date_parse_iso(s->min, &d))
			known_add_date(k, &proto, d);
		proto.row = stored_row(kt, s->max_row);
		if (date_parse_iso(s->max, &d))
			known_add_date(k, &proto, d);
	}
	if (!s->numeric || s->count == 0)
		return;
	if (!known_number(s->min, &min) || !known_number(s->max, &max))
		return;
	if (!kt->measure[c]) {
		proto.row = stored_row(kt, s->min_row);
		add_key_cell(k, &proto, &kt->t->columns[c], min);
		proto.row = stored_row(kt, s->max_row);
		add_key_cell(k, &proto, &kt->t->columns[c], max);
		return;
	}
	proto.unit = kt->units[c];
	proto.row = stored_row(kt, s->min_row);
	add_stat(k, &proto, min, "min");
	proto.row = stored_row(kt, s->max_row);
	add_stat(k, &proto, max, "max");
	proto.row = -1;
	if (s->count < 2)
		return;
	proto.pooled = true;
	if (s->is_sum_exact && decimal_value(s->sum, &value))
		/* not DERIVED_SUM: a sum over all rows needs no word such as "total" */
		add_stat(k, &proto, value, "sum");
	proto.derived = DERIVED_MEAN;
	if (s->is_sum_exact && decimal_value(s->mean, &value))
		add_stat(k, &proto, value, "mean");
	proto.derived = DERIVED_NONE;
	add_change(k, &proto, min, max, "max - min", "percent from min to max", false);
	if (percent_of(min - max, max, &value)) {
		struct entry fall = proto;

		fall.either = fall.change = true;
		fall.derived = DERIVED_CHANGE;
		fall.unit = k->units.percent;
		add_stat(k, &fall, value, "percent from max to min");
	}
	if (known_number(s->first, &first) && known_number(s->last, &last))
		add_change(k, &proto, first, last, "last - first", "percent from first to last",
			   true);
}

struct group {
	int64_t rows, values;
	guard_value sum;
};

static void add_group(struct known *k, struct entry proto, const struct group *g,
		      const struct known_table *kt, size_t c)
{
	proto.column_name = kt->t->columns[c].name;
	proto.column = (int)c;
	proto.unit = kt->units[c];
	if (g->values < 2)
		return;
	proto.derived = DERIVED_SUM;
	add_stat(k, &proto, g->sum, "sum over the rows of one name");
	proto.derived = DERIVED_MEAN;
	add_stat(k, &proto, g->sum / g->values, "mean over the rows of one name");
}

/* Adds counts, sums and means per name of a column. */
static void add_groups(struct known *k, struct known_table *kt, size_t by, struct entry proto)
{
	const struct table *t = kt->t;
	int ids[GROUPS_MAX], count = 0;

	for (size_t r = 0; r < t->row_count; r++) {
		int i = 0;

		while (i < count && ids[i] != kt->ids[r][by])
			i++;
		if (i < count || kt->ids[r][by] < 0)
			continue;
		if (count == GROUPS_MAX)
			return;
		ids[count++] = kt->ids[r][by];
	}
	proto.pooled = true;
	for (int i = 0; i < count; i++) {
		proto.group_slot = kt->slot[by];
		proto.group_id = ids[i];
		for (size_t c = 0; c < t->column_count; c++) {
			struct group g = {0};

			for (size_t r = 0; r < t->row_count; r++) {
				if (kt->ids[r][by] != ids[i])
					continue;
				g.rows++;
				if (kt->values[r][c] == GUARD_NO_VALUE)
					continue;
				g.values++;
				g.sum += kt->values[r][c];
			}
			if (c == by)
				add_count(k, &proto, g.rows, COUNTED_NAMED, "rows of one name");
			else if (kt->measure[c])
				add_group(k, proto, &g, kt, c);
		}
	}
}

void known_add_table(struct known *k, int index, const struct result *r, const struct table *t)
{
	struct known_table *kt = &k->tables[index];
	struct entry proto = known_entry_empty;

	*kt = (struct known_table){.t = t, .call = r->call};
	read_columns(k, kt);
	proto.call = r->call;
	proto.table = index;
	known_add_times(k, kt);
	known_add_column_sets(k, kt);
	for (size_t row = 0; row < t->row_count; row++)
		for (size_t c = 0; c < t->column_count; c++) {
			proto.row = (int64_t)row;
			add_cell(k, kt, row, c, &proto);
		}
	proto.row = proto.column = -1;
	proto.column_name = NULL;
	add_count(k, &proto, (int64_t)t->row_count, COUNTED_ROWS, "rows");
	add_count(k, &proto, t->total_rows, COUNTED_ROWS, "rows");
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->stats && !is_order_column(&t->columns[c]))
			add_stats(k, kt, c, proto);
		known_add_text(k, &proto, t->columns[c].label);
		known_add_kinds(k, index, c, &proto);
		if (kt->slot[c] >= 0 && (kt->rivals[c] || kt->soft[c]))
			add_groups(k, kt, c, proto);
	}
	if (t->total_rows > k->rows_max)
		k->rows_max = t->total_rows;
}
