/*
 * What this turn's code knows, as one sorted array: cells, statistics, sums and means of named
 * groups, facts, arguments, the question. Made once when the results are there; a number then costs
 * a binary search.
 */
#include "guard_int.h"
#include "names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "vesper/decimal.h"
#include "vesper/limits.h"

#define TEXT_CELL_BYTES_MAX 4000 /* of a text cell are read for numbers */
#define GROUPS_MAX          32   /* a column of more names has no sums of each */

bool known_number(const char *text, guard_value *out)
{
	struct decimal d;

	if (!text || !decimal_parse(text, &d))
		return false;
	d = decimal_round(d, GUARD_SCALE);
	if (d.scale != GUARD_SCALE || d.units >= GUARD_NO_VALUE / 1000 ||
	    d.units <= -GUARD_NO_VALUE / 1000)
		return false;
	*out = d.units;
	return true;
}

static bool decimal_value(struct decimal d, guard_value *out)
{
	char text[DECIMAL_TEXT_BYTES];

	decimal_text(d, text);
	return known_number(text, out);
}

static struct entry *add(struct known *k, const struct entry *proto, enum entry_class class,
			 guard_value value)
{
	struct entry *e;

	k->entries = arena_grow(k->arena, k->entries, k->count, &k->cap, sizeof(*k->entries));
	e = &k->entries[k->count++];
	*e = *proto;
	e->class = class;
	e->minus = value < 0;
	e->value = value < 0 ? -value : value;
	return e;
}

static const struct entry nowhere = {
	.table = -1, .row = -1, .column = -1, .group_slot = -1, .group_id = -1};

static void add_date(struct known *k, const struct entry *proto, struct date d)
{
	add(k, proto, CLASS_DATE, d.year * 10000 + d.month * 100 + d.day);
	if (d.year)
		add(k, proto, CLASS_YEAR, d.year);
}

/* Numbers, dates and hours that a text holds. */
static void add_text(struct known *k, const struct entry *proto, const char *text)
{
	size_t len, at = 0, plain;
	struct reader r;
	struct shown s;

	if (!text)
		return;
	len = strnlen(text, TEXT_CELL_BYTES_MAX);
	reader_init(&r);
	r.line_start = false;
	for (; reader_next(&r, text + at, len - at, true, &plain, &s); at += plain + s.len) {
		reader_take(&r, text + at + plain, &s);
		switch (s.kind) {
		case SHOWN_NUMBER: {
			struct entry *e = add(k, proto, CLASS_NUMBER, s.minus ? -s.value : s.value);

			e->unit = s.unit;
			break;
		}
		case SHOWN_YEAR:
			add(k, proto, CLASS_YEAR, s.value / 100000000);
			add(k, proto, CLASS_NUMBER, s.value);
			break;
		case SHOWN_MONTH:
		case SHOWN_DATE:
		case SHOWN_DAY:
			add_date(k, proto, s.date);
			break;
		case SHOWN_QUARTER:
			add(k, proto, CLASS_QUARTER, s.date.year * 10 + s.date.month);
			add(k, proto, CLASS_YEAR, s.date.year);
			break;
		case SHOWN_HOUR:
			add(k, proto, CLASS_HOUR, s.value);
			break;
		case SHOWN_RANK:
			add(k, proto, CLASS_NUMBER, s.value * 100000000);
			break;
		case SHOWN_TEXT:
			break;
		}
	}
}

/* ---- columns ---- */

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcasecmp(name + n - m, end) == 0;
}

/* Numbers that name a row instead of measuring something. */
static bool is_key_column(const struct column *c)
{
	return !c->unit && (ends_with(c->name, "hour") || ends_with(c->name, "year") ||
			    ends_with(c->name, "month") || ends_with(c->name, "day") ||
			    ends_with(c->name, "id") || ends_with(c->name, "key"));
}

/* What only sorts the rows is nobody's number. */
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

static bool column_names_rows(const struct table *t, size_t c)
{
	int words;
	uint64_t key;
	size_t names = 0;

	if (t->columns[c].type != COLUMN_TEXT)
		return false;
	for (size_t r = 0; r < t->row_count; r++) {
		if (t->rows[r][c] && strlen(t->rows[r][c]) > NAME_BYTES_MAX)
			return false;
		names += t->rows[r][c] && name_is_one(t->rows[r][c], &words, &key);
	}
	return names > 0;
}

static void read_names(struct known *k, struct known_table *kt, size_t c)
{
	const struct table *t = kt->t;
	int first = -1, words;
	uint64_t key;

	for (size_t r = 0; r < t->row_count; r++) {
		const char *text = t->rows[r][c];

		if (!text || !name_is_one(text, &words, &key))
			continue;
		kt->ids[r][c] = name_add(&k->names, k->arena, text, key, kt->slot[c]);
		if (first < 0)
			first = kt->ids[r][c];
		else if (first != kt->ids[r][c])
			kt->rivals[c] = k->has_rivals = true;
	}
}

/* The words of a heading, whatever their case, up to a unit in brackets; 0: it has none. */
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

uint64_t known_heading(const struct known *k, const char *text, size_t len)
{
	uint64_t key = heading_key(text, len);

	for (int i = 0; key && i < k->table_count; i++)
		for (size_t c = 0; c < k->tables[i].t->column_count; c++)
			if (k->tables[i].keys[c][0] == key || k->tables[i].keys[c][1] == key)
				return key;
	return 0;
}

static void read_columns(struct known *k, struct known_table *kt)
{
	const struct table *t = kt->t;
	size_t n = t->column_count ? t->column_count : 1;
	struct arena *a = k->arena;

	kt->slot = arena_alloc(a, sizeof(*kt->slot) * n);
	kt->rivals = arena_alloc(a, sizeof(*kt->rivals) * n);
	kt->units = arena_alloc(a, sizeof(*kt->units) * n);
	kt->measure = arena_alloc(a, sizeof(*kt->measure) * n);
	kt->ids = arena_alloc(a, sizeof(*kt->ids) * (t->row_count + 1));
	kt->keys = arena_alloc(a, sizeof(*kt->keys) * n);
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
		kt->units[c] = unit_of_column(&t->columns[c]);
		kt->keys[c][0] = heading_key(t->columns[c].name, strlen(t->columns[c].name));
		kt->keys[c][1] = t->columns[c].label ? heading_key(t->columns[c].label,
								   strlen(t->columns[c].label))
						     : 0;
		kt->measure[c] =
			column_is_number(t->columns[c].type) && !is_key_column(&t->columns[c]);
		kt->slot[c] = column_names_rows(t, c) ? slot_of(k, t->columns[c].name) : -1;
		if (kt->slot[c] >= 0)
			read_names(k, kt, c);
		if (kt->measure[c])
			k->numeric_unit[kt->units[c]] = true;
	}
}

/* ---- cells ---- */

static void add_key_cell(struct known *k, const struct entry *proto, const struct column *c,
			 guard_value value)
{
	const guard_value one = 100000000;

	if (ends_with(c->name, "hour"))
		add(k, proto, CLASS_HOUR, value / one);
	else if (ends_with(c->name, "year"))
		add(k, proto, CLASS_YEAR, value / one);
	else
		add(k, proto, CLASS_NUMBER, value);
}

static void add_cell(struct known *k, struct known_table *kt, size_t r, size_t c,
		     struct entry *proto)
{
	const struct column *column = &kt->t->columns[c];
	const char *text = kt->t->rows[r][c];
	char day[DATE_ISO_BYTES];
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
		add(k, proto, CLASS_NUMBER, value);
		kt->values[r][c] = value;
		/* a share stored as 0.85 is shown as 85% */
		if (proto->unit == UNIT_PERCENT && !column->unit && value <= 100000000)
			add(k, proto, CLASS_NUMBER, value * 100);
		proto->unit = UNIT_NONE;
		return;
	}
	snprintf(day, sizeof(day), "%.10s", text);
	if ((column->type == COLUMN_DATE || column->type == COLUMN_DATETIME) &&
	    date_parse_iso(day, &d)) {
		add_date(k, proto, d);
		return;
	}
	proto->of_text = !text_is_number(text, strlen(text));
	proto->anything = known_number(text, &value); /* of a text that is a number: any unit */
	add_text(k, proto, text);
	proto->of_text = proto->anything = false;
}

/* ---- statistics ---- */

static void add_count(struct known *k, const struct entry *proto, int64_t count,
		      const char *formula)
{
	struct entry e = *proto;

	e.formula = formula;
	e.counts = true;
	e.unit = UNIT_NONE;
	add(k, &e, CLASS_NUMBER, (guard_value)count * 100000000);
}

static const char *formula(struct known *k, const char *what, const char *column)
{
	return arena_printf(k->arena, "%s of %s", what, column);
}

static void add_stat(struct known *k, struct entry *proto, guard_value value, const char *what)
{
	struct entry *e = add(k, proto, CLASS_NUMBER, value);

	e->formula = formula(k, what, proto->column_name);
}

static void add_change(struct known *k, struct entry *proto, guard_value from, guard_value to,
		       const char *what, const char *what_percent)
{
	struct entry e = *proto;

	e.either = true;
	add_stat(k, &e, to - from, what);
	e.unit = UNIT_PERCENT;
	if (from != 0)
		add_stat(k, &e, (to - from) * 10000000000 / (from < 0 ? -from : from),
			 what_percent);
}

static void add_stats(struct known *k, struct known_table *kt, size_t c, struct entry proto)
{
	const struct column_stats *s = &kt->t->stats[c];
	guard_value min, max, first, last, value;
	struct date d;

	proto.column_name = kt->t->columns[c].name;
	proto.column = (int)c;
	add_count(k, &proto, s->count, formula(k, "count", proto.column_name));
	add_count(k, &proto, s->distinct, formula(k, "distinct", proto.column_name));
	add_count(k, &proto, s->nulls, formula(k, "nulls", proto.column_name));
	if (s->min && s->max && kt->t->columns[c].type == COLUMN_DATE) {
		if (date_parse_iso(s->min, &d))
			add_date(k, &proto, d);
		if (date_parse_iso(s->max, &d))
			add_date(k, &proto, d);
	}
	if (!s->numeric || s->count == 0)
		return;
	if (!known_number(s->min, &min) || !known_number(s->max, &max))
		return;
	if (!kt->measure[c]) {
		add_key_cell(k, &proto, &kt->t->columns[c], min);
		add_key_cell(k, &proto, &kt->t->columns[c], max);
		return;
	}
	proto.unit = kt->units[c];
	proto.row = s->at_min < (int64_t)kt->t->row_count ? s->at_min : -1;
	add_stat(k, &proto, min, "min");
	proto.row = s->at_max < (int64_t)kt->t->row_count ? s->at_max : -1;
	add_stat(k, &proto, max, "max");
	proto.row = -1;
	if (s->count < 2)
		return;
	proto.pooled = true;
	if (s->sum_exact && decimal_value(s->sum, &value))
		add_stat(k, &proto, value, "sum");
	if (s->sum_exact && decimal_value(s->mean, &value))
		add_stat(k, &proto, value, "mean");
	add_change(k, &proto, min, max, "max - min", "percent from min to max");
	if (known_number(s->first, &first) && known_number(s->last, &last))
		add_change(k, &proto, first, last, "last - first", "percent from first to last");
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
	add_stat(k, &proto, g->sum, "sum over the rows of one name");
	add_stat(k, &proto, g->sum / g->values, "mean over the rows of one name");
}

/* Counts, sums and means of the rows of one name, for each name of a column. */
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
				add_count(k, &proto, g.rows, "rows of one name");
			else if (kt->measure[c])
				add_group(k, proto, &g, kt, c);
		}
	}
}

static void add_table(struct known *k, int index, const struct result *r, const struct table *t)
{
	struct known_table *kt = &k->tables[index];
	struct entry proto = nowhere;

	*kt = (struct known_table){.t = t, .call = r->call};
	read_columns(k, kt);
	proto.call = r->call;
	proto.table = index;
	for (size_t row = 0; row < t->row_count; row++)
		for (size_t c = 0; c < t->column_count; c++) {
			proto.row = (int64_t)row;
			add_cell(k, kt, row, c, &proto);
		}
	proto.row = proto.column = -1;
	proto.column_name = NULL;
	add_count(k, &proto, (int64_t)t->row_count, "rows");
	add_count(k, &proto, t->total_rows, "rows");
	for (size_t c = 0; c < t->column_count; c++) {
		if (t->stats && !is_order_column(&t->columns[c]))
			add_stats(k, kt, c, proto);
		add_text(k, &proto, t->columns[c].label);
		if (kt->slot[c] >= 0 && kt->rivals[c])
			add_groups(k, kt, c, proto);
	}
	if (t->total_rows > k->rows_max)
		k->rows_max = t->total_rows;
}

/* ---- facts, arguments, question ---- */

/* Names that a label holds, by their ids, ended by -1; NULL: none. */
static const int *label_names(struct known *k, const char *label)
{
	int ids[GROUP_MAX], count = 0, *out;
	size_t len = label ? strlen(label) : 0;
	const char *starts[64];
	size_t words = 0;

	for (size_t i = 0; i < len && words < 64; i++)
		if (is_word_byte(i ? label[i - 1] : ' ', label[i]) &&
		    !(i && is_word_byte(i > 1 ? label[i - 2] : ' ', label[i - 1])))
			starts[words++] = label + i;
	for (size_t from = 0; from < words; from++) {
		uint64_t key = 0;

		for (size_t n = 0; n < NAME_WORDS_MAX && from + n < words; n++) {
			const char *p = starts[from + n];
			size_t w = 0;
			const struct name *found;

			while (p + w < label + len && is_word_byte(w ? p[w - 1] : ' ', p[w]))
				w++;
			key = name_join(key, name_word_key(p, w));
			found = name_find(&k->names, key);
			if (found && found->id >= 0 && count < GROUP_MAX)
				ids[count++] = found->id;
		}
	}
	if (count == 0)
		return NULL;
	out = arena_alloc(k->arena, sizeof(int) * (size_t)(count + 1));
	memcpy(out, ids, sizeof(int) * (size_t)count);
	out[count] = -1;
	return out;
}

static void add_fact(struct known *k, const struct result *r, const struct fact *f)
{
	struct entry proto = nowhere;
	guard_value value;

	proto.call = r->call;
	proto.formula = f->formula ? f->formula : f->name;
	proto.label_ids = label_names(k, f->label);
	proto.either = true;
	if (!known_number(f->value, &value)) {
		add_text(k, &proto, f->value);
		return;
	}
	proto.unit = unit_of_text(f->unit);
	add(k, &proto, CLASS_NUMBER, value);
	if (strstr(f->name, "hour"))
		add(k, &proto, CLASS_HOUR, value / 100000000);
}

static void add_value(struct known *k, const struct entry *proto, const struct arg *arg,
		      const struct value *v)
{
	if (v->type == VALUE_INT && strstr(arg->name, "hour"))
		add(k, proto, CLASS_HOUR, v->number);
	if (v->type == VALUE_INT && v->number >= 1900 && v->number <= 2100)
		add(k, proto, CLASS_YEAR, v->number);
	else if (v->type == VALUE_INT)
		add(k, proto, CLASS_NUMBER, (guard_value)v->number * 100000000);
	else if (v->text)
		add_text(k, proto, v->text);
}

static void note_asked(struct known *k, const char *text)
{
	const int *ids = label_names(k, text);

	for (; ids && *ids >= 0 && k->asked_count < GROUP_MAX; ids++)
		k->asked[k->asked_count++] =
			(struct mention){.id = *ids, .slots = k->names.slots_by_id[*ids]};
}

static void add_args(struct known *k, const struct result *r)
{
	struct entry proto = nowhere;

	proto.anything = true;
	for (size_t i = 0; i < r->args.count; i++) {
		const struct arg *arg = &r->args.items[i];

		proto.call = r->call;
		proto.formula = arg->name;
		for (size_t n = 0; n < arg->count; n++) {
			add_value(k, &proto, arg, &arg->values[n]);
			if (arg->values[n].type == VALUE_TEXT)
				note_asked(k, arg->values[n].text);
		}
	}
}

/* What the tool itself says about its result. */
static void add_words(struct known *k, const struct result *r)
{
	struct entry proto = nowhere;
	const struct outcome *o = &r->outcome;

	proto.call = r->call;
	proto.formula = "stated by the tool";
	add_text(k, &proto, r->about);
	add_text(k, &proto, r->answer);
	add_text(k, &proto, o->detail);
	add_text(k, &proto, o->range_min);
	add_text(k, &proto, o->range_max);
	for (size_t i = 0; i < o->suggestion_count; i++)
		add_text(k, &proto, o->suggestions[i].label);
}

static int by_value(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

void known_build(struct known *k, const struct guard_input *in)
{
	struct entry question = nowhere;
	size_t tables = 0;

	k->arena = arena_new(TURN_ARENA_BYTES);
	k->today = in->today;
	for (size_t i = 0; i < in->result_count; i++)
		tables += in->results[i]->table_count;
	k->tables = arena_alloc(k->arena, sizeof(*k->tables) * (tables + 1));
	for (size_t i = 0; i < in->result_count; i++)
		for (size_t n = 0; n < in->results[i]->table_count; n++)
			add_table(k, k->table_count++, in->results[i], in->results[i]->tables[n]);
	for (size_t i = 0; i < in->result_count; i++) {
		for (size_t n = 0; n < in->results[i]->fact_count; n++)
			add_fact(k, in->results[i], &in->results[i]->facts[n]);
		add_args(k, in->results[i]);
		add_words(k, in->results[i]);
	}
	question.anything = true;
	question.formula = "the question";
	add_text(k, &question, in->question);
	note_asked(k, in->question);
	question.anything = false;
	question.formula = "today";
	add_date(k, &question, in->today);
	qsort(k->entries, k->count, sizeof(*k->entries), by_value);
}

void known_free(struct known *k)
{
	arena_free(&k->arena);
}

size_t known_from(const struct known *k, enum entry_class class, guard_value value)
{
	size_t low = 0, high = k->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct entry *e = &k->entries[mid];

		if (e->class < class || (e->class == class && e->value < value))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
