/*
 * Checks text that code generated from results. The writer recorded the value behind each stretch.
 * Each number must be in such a stretch and match its value.
 */
#include "guard_int.h"
#include "known/known_data.h"

#include <string.h>

#include "vesper/utf8.h"

#define ONE         ((guard_value)100000000)
#define CHUNK_BYTES 48 /* approximate size of chunks without numbers */

/* A number of the text confirmed by its part. */
struct confirmed_number {
	size_t from, len;
	struct guard_ref ref;
};

struct generated_check {
	const struct guard_generated_text *in;
	struct unit_words units;
	size_t part; /* the first part that does not end before the number */
	size_t read; /* index of the last part compared as text, plus one; 0: none */
	struct confirmed_number *marks;
	size_t count, cap;
};

/* ---- values of parts ---- */

/* The display text may also exist for "", an absent value. */
static const char *display_text(const struct column *c, const char *cell)
{
	for (const char *const *w = c->words; w && *w; w += 2)
		if (strcmp(*w, cell ? cell : "") == 0)
			return w[1];
	return NULL;
}

/* Reads the value as a number with its unit. Returns false when it is not one. */
static bool part_number(const struct generated_check *m, const struct result_part *p,
			guard_value *value, const struct unit_def **unit)
{
	const struct column *c;

	*unit = NULL;
	switch (p->kind) {
	case RESULT_PART_CELL:
		c = &p->result->tables[0]->columns[p->column];
		*unit = unit_of_symbol(&m->units, c->unit);
		return column_is_number(c->type) &&
		       known_number(p->result->tables[0]->rows[p->row][p->column], value);
	case RESULT_PART_FACT:
		*unit = unit_of_symbol(&m->units, p->fact->unit);
		return known_number(p->fact->value, value);
	case RESULT_PART_ARG:
		*value = (guard_value)p->value->number * ONE;
		return p->value->type == VALUE_INT;
	case RESULT_PART_COUNT:
		*value = (guard_value)p->count * ONE;
		return true;
	default:
		return false;
	}
}

/* The value as a date; NULL: not a date. */
static const char *part_date(const struct result_part *p)
{
	const struct column *c;

	if (p->kind == RESULT_PART_DATE)
		return p->text;
	if (p->kind != RESULT_PART_CELL)
		return NULL;
	c = &p->result->tables[0]->columns[p->column];
	return column_is_day(c->type) ? p->result->tables[0]->rows[p->row][p->column] : NULL;
}

/* The value as text. */
static const char *part_text(const struct result_part *p)
{
	const struct table *t;
	const char *cell, *words;

	switch (p->kind) {
	case RESULT_PART_CELL:
		t = p->result->tables[0];
		cell = t->rows[p->row][p->column];
		words = display_text(&t->columns[p->column], cell);
		return words ? words : cell;
	case RESULT_PART_FACT:
		return p->fact->value;
	case RESULT_PART_ARG:
		return p->value->text;
	default:
		return p->text;
	}
}

/* Compares text, allowing escaped markup and a space for a line end. */
static bool is_text(const char *shown, size_t len, const char *value)
{
	for (size_t i = 0; i < len; i++, value++) {
		if (shown[i] == '\\' && *value != '\\' && i + 1 < len)
			i++;
		if (shown[i] != *value && !(shown[i] == ' ' && strchr("\n\r", *value)))
			return false;
		if (*value == '\0')
			return false;
	}
	return *value == '\0';
}

/* ---- comparing ---- */

/* A number without a unit may be followed by a counted item: "12 years". */
static bool is_unit(const struct unit_def *shown, const struct unit_def *unit)
{
	return shown == unit || (!unit && shown->counted);
}

static bool number_equals(const struct shown *s, guard_value value)
{
	guard_value size = value < 0 ? -value : value;
	guard_value off = size > s->value ? size - s->value : s->value - size;

	switch (s->kind) {
	case SHOWN_NUMBER:
		return off <= s->half && (s->minus == (value < 0) || !s->value);
	case SHOWN_YEAR:
		return value == s->value;
	case SHOWN_HOUR:
	case SHOWN_RANK:
		return value == s->value * ONE;
	default:
		return false;
	}
}

static bool date_equals(const struct shown *s, struct date d)
{
	if (s->date.year != d.year || s->date.month != d.month)
		return false;
	return s->kind == SHOWN_DATE ? s->date.day == d.day : s->kind == SHOWN_MONTH && d.day == 1;
}

/* Returns true when the number at `from` matches its part's value. */
static bool part_is_shown(struct generated_check *m, const struct result_part *p, size_t from,
			  const struct shown *s)
{
	const struct unit_def *unit;
	guard_value value;
	const char *text = part_date(p);
	struct date date;

	if (text && date_parse_start(text, &date))
		return date_equals(s, date);
	if (part_number(m, p, &value, &unit))
		return number_equals(s, value) && is_unit(s->unit, unit);
	if (m->read == m->part + 1)
		return from + s->len <= p->from + p->len;
	text = part_text(p);
	if (!text || !is_text(m->in->text + p->from, p->len, text))
		return false;
	m->read = m->part + 1;
	return from + s->len <= p->from + p->len;
}

static struct guard_ref ref_of(const struct result_part *p)
{
	struct guard_ref ref = {.call = p->result->call, .row = -1};

	switch (p->kind) {
	case RESULT_PART_CELL:
		ref.row = (int64_t)p->row;
		ref.column = p->result->tables[0]->columns[p->column].name;
		break;
	case RESULT_PART_FACT:
		ref.formula = p->fact->formula ? p->fact->formula : p->fact->name;
		break;
	case RESULT_PART_ARG:
		ref.formula = p->arg->name;
		break;
	case RESULT_PART_COUNT:
		ref.formula = p->text;
		break;
	default:
		ref.formula = "stated by the tool";
		break;
	}
	return ref;
}

/* The part that contains the byte; NULL: template text. */
static const struct result_part *part_at(struct generated_check *m, size_t from)
{
	const struct result_part *p = m->in->parts;

	while (m->part < m->in->part_count && p[m->part].from + p[m->part].len <= from)
		m->part++;
	return m->part < m->in->part_count && p[m->part].from <= from ? &p[m->part] : NULL;
}

/* Returns false when the origin of the number is unknown. */
static bool check_number(struct generated_check *m, size_t from, const struct shown *s)
{
	const struct result_part *p = part_at(m, from);

	if (s->kind == SHOWN_TEXT)
		return true;
	if (!p || s->kind == SHOWN_UNSUPPORTED)
		return false;
	if (s->kind == SHOWN_ID || s->worded) /* part of a text value */
		return part_is_shown(m, p, from, s);
	if (!part_is_shown(m, p, from, s))
		return false;
	m->marks = arena_grow(m->in->arena, m->marks, m->count, &m->cap, sizeof(*m->marks));
	m->marks[m->count++] = (struct confirmed_number){from, s->len, ref_of(p)};
	return true;
}

static bool read_text(struct generated_check *m)
{
	const char *p = m->in->text;
	size_t n = m->in->len, at = 0, plain;
	struct reader r;
	struct shown s;

	reader_init(&r, &m->units);
	for (; reader_next(&r, p + at, n - at, true, &plain, &s); at += plain + s.len) {
		if (!check_number(m, at + plain, &s))
			return false;
		reader_consume_number(&r, p + at + plain, &s);
	}
	return true;
}

/* ---- questions about other data ---- */

static bool arg_has_year(const struct value *v, int year)
{
	struct date d;

	return v->type == VALUE_INT ? v->number == year
				    : v->text && date_parse_start(v->text, &d) && d.year == year;
}

static bool results_have_year(const struct guard_input *in, int year)
{
	for (size_t i = 0; i < in->result_count; i++)
		for (size_t a = 0; a < in->results[i]->args.count; a++) {
			const struct arg *arg = &in->results[i]->args.items[a];

			for (size_t n = 0; n < arg->count; n++)
				if (arg_has_year(&arg->values[n], year))
					return true;
		}
	return false;
}

/* Returns true when the question names no year or code, or one that the results cover. */
static bool question_fits_results(const struct guard_input *in, const struct unit_words *u)
{
	const char *p = in->question ? in->question : "";
	size_t n = strlen(p), at = 0, plain;
	bool names_year = false;
	struct reader r;
	struct shown s;

	if (known_asks_other_name(in))
		return false;
	reader_init(&r, u);
	for (; reader_next(&r, p + at, n - at, true, &plain, &s); at += plain + s.len) {
		int year = s.kind == SHOWN_YEAR ? (int)(s.value / ONE) : s.date.year;

		if (year && results_have_year(in, year))
			return true;
		names_year = names_year || year;
		reader_consume_number(&r, p + at + plain, &s);
	}
	return !names_year;
}

/* ---- output ---- */

static void pass_text(const struct guard_sink *sink, const char *p, size_t n)
{
	while (n > 0) {
		size_t len = n < CHUNK_BYTES ? n : CHUNK_BYTES;

		while (len < n && p[len - 1] != ' ' && p[len - 1] != '\n')
			len++;
		sink->on_answer_chunk(sink->owner,
				      &(struct guard_chunk){.text = p, .len = len, .ref.row = -1});
		p += len;
		n -= len;
	}
}

static void pass_with_marks(const struct generated_check *m, const struct guard_sink *sink)
{
	size_t at = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct confirmed_number *mark = &m->marks[i];
		const char *number = m->in->text + mark->from;

		pass_text(sink, m->in->text + at, mark->from - at);
		sink->on_answer_chunk(sink->owner,
				      &(struct guard_chunk){.text = number,
							    .len = mark->len,
							    .marked = true,
							    .kind = GUARD_BOUND,
							    .count = utf8_count(number, mark->len),
							    .ref = mark->ref});
		at = mark->from + mark->len;
	}
	pass_text(sink, m->in->text + at, m->in->len - at);
}

bool guard_generated_pass(const struct guard_input *in,
			  const struct guard_generated_text *generated)
{
	struct generated_check m = {.in = generated};

	unit_words_read(&m.units, in->units);
	if (!question_fits_results(in, &m.units) || !read_text(&m))
		return false;
	pass_with_marks(&m, &in->sink);
	return true;
}
