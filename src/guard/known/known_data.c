/*
 * Collects the known data of a turn in one sorted array: cells, statistics, sums and means of
 * named groups, facts, arguments, the question. Built once when the results are complete; each
 * number then costs a binary search.
 */
#include "guard_int.h"
#include "known_data.h"
#include "read/names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/decimal.h"
#include "vesper/limits.h"

#define TEXT_CELL_BYTES_MAX 4000 /* bytes of a text cell searched for numbers */

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

struct entry *known_add(struct known *k, const struct entry *proto, enum entry_class class,
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

const struct entry known_entry_empty = {
	.table = -1, .row = -1, .column = -1, .group_slot = -1, .group_id = -1};

void known_add_date(struct known *k, const struct entry *proto, struct date d)
{
	known_add(k, proto, CLASS_DATE, d.year * 10000 + d.month * 100 + d.day);
	if (d.year)
		known_add(k, proto, CLASS_YEAR, d.year);
}

static void note_text_word(struct known *k, int text, uint64_t word)
{
	k->texts.words = arena_grow(k->arena, k->texts.words, k->texts.count, &k->texts.cap,
				    sizeof(*k->texts.words));
	k->texts.words[k->texts.count++] = (struct text_word){text, word};
}

void known_add_text(struct known *k, const struct entry *proto, const char *text)
{
	size_t len, at = 0, plain;
	struct reader r;
	struct shown s;

	if (!text)
		return;
	len = strnlen(text, TEXT_CELL_BYTES_MAX);
	reader_init(&r, &k->units);
	r.line_start = false;
	for (; reader_next(&r, text + at, len - at, true, &plain, &s); at += plain + s.len) {
		const char *end = text + at + plain + s.len;
		struct number_context number_context = {.before = reader_word_before(&r)};
		bool titled = reader_is_titled(&r);

		(void)number_context_read_after(end, len - (size_t)(end - text), true,
						&number_context);
		number_context.after[1] = number_context.predicate[0] =
			number_context.predicate[1] = 0;
		reader_consume_number(&r, text + at + plain, &s);
		switch (s.kind) {
		case SHOWN_NUMBER: {
			struct entry *e =
				known_add(k, proto, CLASS_NUMBER, s.minus ? -s.value : s.value);

			e->unit = s.unit;
			e->number_context = number_context;
			if (e->text && number_context.before && !shown_is_bare(&s))
				note_text_word(k, e->text, number_context.before);
			if (shown_is_bare(&s) && !s.worded && titled &&
			    (!proto->of_text || len <= NAME_BYTES_MAX))
				known_note_numbered(k, &number_context);
			break;
		}
		case SHOWN_YEAR:
			known_add(k, proto, CLASS_YEAR, s.value / 100000000);
			known_add(k, proto, CLASS_NUMBER, s.value);
			break;
		case SHOWN_MONTH:
		case SHOWN_DATE:
		case SHOWN_DAY:
			known_add_date(k, proto, s.date);
			break;
		case SHOWN_QUARTER:
			known_add(k, proto, CLASS_QUARTER, s.date.year * 10 + s.date.month);
			known_add(k, proto, CLASS_YEAR, s.date.year);
			break;
		case SHOWN_HOUR:
			known_add(k, proto, CLASS_HOUR, s.value);
			break;
		case SHOWN_RANK:
			known_add(k, proto, CLASS_NUMBER, s.value * 100000000);
			break;
		case SHOWN_UNSUPPORTED:
		case SHOWN_ID:
		case SHOWN_TEXT:
			break;
		}
	}
}

/* ---- facts, arguments, question ---- */

/* The ids of names in a label, terminated by -1; NULL: none. */
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

/* "widest_hours": stores the hours that the fact gives. */
static void note_hour_fact(struct known *k, const struct fact *f)
{
	size_t len = strcspn(f->name, "_");

	if (!strstr(f->name, "hour") || !f->name[len])
		return;
	k->hours.facts = arena_grow(k->arena, k->hours.facts, k->hours.count, &k->hours.cap,
				    sizeof(*k->hours.facts));
	k->hours.facts[k->hours.count++] =
		(struct hour_fact){f->name, f->value, folded_word_key(f->name, len)};
}

static void add_fact(struct known *k, const struct result *r, const struct fact *f)
{
	struct entry proto = known_entry_empty;
	guard_value value;

	proto.call = r->call;
	proto.formula = f->formula ? f->formula : f->name;
	proto.label_ids = label_names(k, f->label);
	proto.either = true;
	if (!known_number(f->value, &value)) {
		proto.text = ++k->texts.facts;
		known_add_text(k, &proto, f->value);
		note_hour_fact(k, f);
		return;
	}
	proto.unit = unit_of_symbol(&k->units, f->unit);
	proto.fact = true;
	if (!proto.unit) {
		uint64_t *words = arena_alloc(k->arena, sizeof(*words) * COLUMN_WORDS_MAX);

		known_name_words(f->name, f->label, words);
		proto.fact_words = words;
	}
	known_add(k, &proto, CLASS_NUMBER, value);
	if (strstr(f->name, "hour"))
		known_add(k, &proto, CLASS_HOUR, value / 100000000);
}

static void add_value(struct known *k, const struct entry *proto, const struct arg *arg,
		      const struct value *v)
{
	if (v->type == VALUE_INT && strstr(arg->name, "hour"))
		known_add(k, proto, CLASS_HOUR, v->number);
	if (v->type == VALUE_INT && strncmp(arg->name, "month", strlen("month")) == 0)
		known_add(k, proto, CLASS_MONTH, v->number);
	if (v->type == VALUE_INT && v->number >= 1900 && v->number <= 2100)
		known_add(k, proto, CLASS_YEAR, v->number);
	else if (v->type == VALUE_INT)
		known_add(k, proto, CLASS_NUMBER, (guard_value)v->number * 100000000);
	else if (v->text)
		known_add_text(k, proto, v->text);
}

static void add_question_names(struct known *k, const char *text)
{
	const int *ids = label_names(k, text);

	for (; ids && *ids >= 0 && k->question_name_count < GROUP_MAX; ids++)
		k->question_names[k->question_name_count++] =
			(struct mention){.id = *ids, .slots = k->names.slots_by_id[*ids]};
}

static void add_args(struct known *k, const struct result *r)
{
	struct entry proto = known_entry_empty;

	proto.matches_any_unit = true;
	for (size_t i = 0; i < r->args.count; i++) {
		const struct arg *arg = &r->args.items[i];

		proto.call = r->call;
		proto.formula = arg->name;
		for (size_t n = 0; n < arg->count; n++) {
			add_value(k, &proto, arg, &arg->values[n]);
			if (arg->values[n].type == VALUE_TEXT)
				add_question_names(k, arg->values[n].text);
		}
	}
}

/* Adds the texts that the tool wrote about its result. */
static void add_words(struct known *k, const struct result *r)
{
	struct entry proto = known_entry_empty;
	const struct outcome *o = &r->outcome;

	proto.call = r->call;
	proto.formula = "stated by the tool";
	known_add_text(k, &proto, r->about);
	known_add_text(k, &proto, r->answer);
	known_add_text(k, &proto, o->detail);
	known_add_text(k, &proto, o->range_min);
	known_add_text(k, &proto, o->range_max);
	for (size_t i = 0; i < o->suggestion_count; i++)
		known_add_text(k, &proto, o->suggestions[i].label);
}

/* Returns true when tables have different names in this slot. */
static bool slot_has_rivals(const struct known *k, int slot)
{
	int count = 0;

	for (int id = 0; id < k->names.count; id++)
		count += (k->names.slots_by_id[id] & (1u << slot)) != 0;
	return count > 1;
}

/* A name that every row of a table has distinguishes it from tables of other names. */
static void add_rivals_of_tables(struct known *k)
{
	for (int i = 0; i < k->table_count && k->table_count > 1; i++) {
		struct known_table *kt = &k->tables[i];

		for (size_t c = 0; c < kt->t->column_count; c++) {
			if (kt->slot[c] < 0 || kt->soft[c] || kt->alias[c] || kt->rivals[c] ||
			    !slot_has_rivals(k, kt->slot[c]))
				continue;
			kt->rivals[c] = k->has_rivals = true;
			kt->rival_slots |= 1u << kt->slot[c];
		}
	}
}

/* "Two vendors", each in a separate result. */
static void add_name_counts(struct known *k)
{
	for (int i = 0; i < k->table_count; i++)
		for (size_t c = 0; c < k->tables[i].t->column_count; c++) {
			struct entry proto = known_entry_empty;
			int slot = k->tables[i].slot[c], count = 0;

			for (int id = 0; slot >= 0 && id < k->names.count; id++)
				count += (k->names.slots_by_id[id] & (1u << slot)) != 0;
			if (count == 0)
				continue;
			proto.call = k->tables[i].call;
			proto.table = i;
			proto.column = (int)c;
			proto.column_name = k->tables[i].t->columns[c].name;
			proto.counted = COUNTED_DISTINCT;
			proto.formula = arena_printf(k->arena, "names of %s", proto.column_name);
			known_add(k, &proto, CLASS_NUMBER, (guard_value)count * 100000000);
		}
}

/* ---- questions about other data ---- */

/* "NP15", "Q1_2025": letters followed by digits, as in names. */
static bool is_letter_digit_code(const char *word, size_t len)
{
	size_t letters = 0;

	while (letters < len && isalpha((unsigned char)word[letters]))
		letters++;
	if (letters < 2 || letters == len || (letters == 2 && strncasecmp(word, "HE", 2) == 0) ||
	    (letters == 2 && strncasecmp(word, "FY", 2) == 0))
		return false;
	for (size_t i = letters; i < len; i++)
		if (!isdigit((unsigned char)word[i]))
			return false;
	return true;
}

static bool text_contains(const char *text, const char *word)
{
	return text && str_find_nocase(text, word);
}

static bool result_contains(const struct result *r, const char *word)
{
	for (size_t i = 0; i < r->fact_count; i++)
		if (text_contains(r->facts[i].value, word))
			return true;
	for (size_t i = 0; i < r->args.count; i++)
		for (size_t n = 0; n < r->args.items[i].count; n++)
			if (r->args.items[i].values[n].type == VALUE_TEXT &&
			    text_contains(r->args.items[i].values[n].text, word))
				return true;
	for (size_t t = 0; t < r->table_count; t++)
		for (size_t c = 0; c < r->tables[t]->column_count; c++) {
			if (r->tables[t]->columns[c].type != COLUMN_TEXT)
				continue;
			for (size_t row = 0; row < r->tables[t]->row_count; row++)
				if (text_contains(r->tables[t]->rows[row][c], word))
					return true;
		}
	return text_contains(r->outcome.detail, word);
}

bool known_asks_other_name(const struct guard_input *in)
{
	const char *p = in->question ? in->question : "";

	while (*p) {
		size_t len = 0;
		bool found = false;
		char word[WORD_BYTES_MAX + 1];

		while (p[len] && isalnum((unsigned char)p[len]))
			len++;
		if (len == 0) {
			p++;
			continue;
		}
		if (len <= WORD_BYTES_MAX && is_letter_digit_code(p, len)) {
			snprintf(word, sizeof(word), "%.*s", (int)len, p);
			for (size_t i = 0; i < in->result_count && !found; i++)
				found = result_contains(in->results[i], word);
			if (!found)
				return true;
		}
		p += len;
	}
	return false;
}

/* ---- values that the results lack ---- */

/* Returns true when the data has a value of the list, and all of them are written as names. */
static bool has_value(const struct known *k, const char *const *values)
{
	for (const char *const *v = values; *v; v++)
		if (!isupper((unsigned char)**v))
			return false;
	for (; *values; values++) {
		int words;
		const struct name *name =
			name_find(&k->names, name_key(*values, strlen(*values), &words));

		if (name && name->id >= 0 && k->names.slots_by_id[name->id])
			return true;
	}
	return false;
}

/* Adds the other values of dimensions that the results have a value of. */
static void add_foreign(struct known *k, const struct guard_input *in)
{
	k->foreign.from = k->names.count;
	for (const char *const *const *list = in->values; list && *list; list++) {
		if (!has_value(k, *list))
			continue;
		for (const char *const *v = *list; *v; v++) {
			if (name_add_foreign(&k->names, k->arena, *v) < 0)
				continue;
			k->foreign.texts =
				arena_grow(k->arena, k->foreign.texts, k->foreign.count,
					   &k->foreign.texts_cap, sizeof(*k->foreign.texts));
			k->foreign.texts[k->foreign.count++] = *v;
		}
	}
	k->foreign.is_known = arena_alloc(k->arena, k->foreign.count + 1);
}

bool known_is_foreign(const struct known *k, int id)
{
	size_t at = (size_t)(id - k->foreign.from);
	bool found;

	if (id < k->foreign.from || at >= k->foreign.count)
		return false;
	if (k->foreign.is_known[at])
		return k->foreign.is_known[at] < 0;
	found = text_contains(k->in->question, k->foreign.texts[at]);
	for (size_t i = 0; i < k->in->result_count && !found; i++)
		found = result_contains(k->in->results[i], k->foreign.texts[at]);
	k->foreign.is_known[at] = found ? 1 : -1;
	return !found;
}

/* Returns true when the question names years and the results cover only others. */
static bool asks_for_other_year(const struct known *k)
{
	bool names_year = false, known = false;

	for (size_t i = known_lower_bound(k, CLASS_YEAR, 0); i < k->count; i++) {
		const struct entry *e = &k->entries[i];

		if (e->class != CLASS_YEAR)
			break;
		if (e->call) {
			known = true;
			continue;
		}
		if (!e->matches_any_unit) /* the current date */
			continue;
		names_year = true;
		for (size_t n = known_lower_bound(k, CLASS_YEAR, e->value);
		     n < k->count && k->entries[n].class == CLASS_YEAR &&
		     k->entries[n].value == e->value;
		     n++)
			if (k->entries[n].call)
				return false;
	}
	return names_year && known;
}

/* An unlabelled fact equal to a cell is treated as that cell and belongs to its row. */
static void shadow_facts(struct known *k)
{
	for (size_t i = known_lower_bound(k, CLASS_NUMBER, 0); i < k->count; i++) {
		struct entry *e = &k->entries[i];

		if (e->class != CLASS_NUMBER)
			return;
		if (!e->fact || e->label_ids || !e->unit)
			continue;
		for (size_t n = known_lower_bound(k, CLASS_NUMBER, e->value);
		     n < k->count && k->entries[n].class == CLASS_NUMBER &&
		     k->entries[n].value == e->value;
		     n++)
			e->shadowed = e->shadowed ||
				      (k->entries[n].row >= 0 && k->entries[n].unit == e->unit);
	}
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

void known_build(struct known *k, const struct guard_input *in)
{
	struct entry question = known_entry_empty;
	struct guard_input *input;
	size_t tables = 0;

	k->arena = arena_new(TURN_ARENA_BYTES);
	k->today = in->today;
	input = arena_alloc(k->arena, sizeof(*input));
	*input = *in;
	k->in = input;
	unit_words_read(&k->units, in->units);
	for (size_t i = 0; i < in->result_count; i++)
		tables += in->results[i]->table_count;
	k->tables = arena_alloc(k->arena, sizeof(*k->tables) * (tables + 1));
	for (size_t i = 0; i < in->result_count; i++)
		for (size_t n = 0; n < in->results[i]->table_count; n++)
			known_add_table(k, k->table_count++, in->results[i],
					in->results[i]->tables[n]);
	add_rivals_of_tables(k);
	add_foreign(k, in);
	add_name_counts(k);
	for (size_t i = 0; i < in->result_count; i++) {
		for (size_t n = 0; n < in->results[i]->fact_count; n++)
			add_fact(k, in->results[i], &in->results[i]->facts[n]);
		add_args(k, in->results[i]);
		add_words(k, in->results[i]);
	}
	question.matches_any_unit = true;
	question.formula = "the question";
	known_add_text(k, &question, in->question);
	add_question_names(k, in->question);
	question.matches_any_unit = false;
	question.formula = "today";
	known_add(k, &question, CLASS_DATE,
		  in->today.year * 10000 + in->today.month * 100 + in->today.day);
	if (in->result_count == 0)
		known_add(k, &question, CLASS_YEAR, in->today.year);
	qsort(k->entries, k->count, sizeof(*k->entries), compare_entries);
	shadow_facts(k);
	k->other_question =
		in->result_count > 0 && (asks_for_other_year(k) || known_asks_other_name(in));
}

void known_free(struct known *k)
{
	arena_free(&k->arena);
}

size_t known_lower_bound(const struct known *k, enum entry_class class, guard_value value)
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
