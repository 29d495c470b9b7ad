/*
 * Serializes results for the cache: all visible fields, in the order of their structs. Numbers have
 * a variable length. Texts keep their NUL byte, so that a result that is read back points into one
 * copy of the bytes. Input is validated: any length, count, kind, number or text that
 * tool_result_pack cannot have written makes reading fail.
 */
#include "tool_int.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/utf8.h"

#define FORMAT 4 /* change it with any change below */

/* Limits of every result. */
#define COUNT_MAX   (INT64_C(1) << 53)       /* of rows: the largest exact integer in JSON */
#define TIME_MAX_MS INT64_C(253402300799999) /* the last millisecond of the year 9999 */
#define COLUMNS_MAX                                                                                \
	(DB_COLUMNS_MAX + TOOL_COLUMNS_MAX)   /* columns that the query returns, and derived ones */
#define STATEMENTS_MAX (3 * TOOL_QUERIES_MAX) /* includes totals and preceding lookups */

/* ---- writing ---- */

static void write_count(struct buf *b, uint64_t n)
{
	while (n >= 0x80) {
		buf_char(b, (char)(0x80 | (n & 0x7f)));
		n >>= 7;
	}
	buf_char(b, (char)n);
}

/* Zigzag encoding: the sign is the lowest bit, so small negative numbers are short too. */
static void write_number(struct buf *b, int64_t n)
{
	write_count(b, ((uint64_t)n << 1) ^ (uint64_t)(n >> 63));
}

/* Writes 0 for NULL, else the length plus one. */
static void write_text(struct buf *b, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	write_count(b, text ? n + 1 : 0);
	if (text)
		buf_add(b, text, n + 1);
}

static void write_decimal(struct buf *b, struct decimal d)
{
	write_count(b, (uint64_t)d.units);
	write_number(b, (int64_t)(d.units >> 64));
	write_count(b, (uint64_t)d.scale);
}

static void write_stats(struct buf *b, const struct column_stats *s)
{
	write_count(b, s->partial);
	write_number(b, s->count);
	write_number(b, s->nulls);
	write_number(b, s->distinct);
	write_count(b, s->distinct_exact);
	write_count(b, s->numeric);
	write_count(b, s->is_sum_exact);
	write_decimal(b, s->sum);
	write_decimal(b, s->mean);
	write_text(b, s->min);
	write_text(b, s->max);
	write_number(b, s->min_row);
	write_number(b, s->max_row);
	write_text(b, s->first);
	write_text(b, s->last);
	write_count(b, s->trend);
}

static void write_words(struct buf *b, const char *const *words)
{
	size_t n = 0;

	while (words && words[n])
		n++;
	write_count(b, n);
	for (size_t i = 0; i < n; i++)
		write_text(b, words[i]);
}

static void write_column(struct buf *b, const struct column *c)
{
	write_text(b, c->name);
	write_text(b, c->label);
	write_text(b, c->unit);
	write_words(b, c->words);
	write_words(b, c->groups);
	write_count(b, c->type);
	write_count(b, c->priority);
}

static void write_table(struct buf *b, const struct table *t)
{
	write_text(b, t->name);
	write_number(b, t->total_rows);
	write_count(b, t->truncated);
	write_text(b, t->truncation);
	write_count(b, t->is_total_exact);
	write_count(b, t->column_count);
	for (size_t c = 0; c < t->column_count; c++)
		write_column(b, &t->columns[c]);
	write_count(b, t->stats != NULL);
	for (size_t c = 0; t->stats && c < t->column_count; c++)
		write_stats(b, &t->stats[c]);
	write_count(b, t->row_count);
	for (size_t r = 0; r < t->row_count; r++)
		for (size_t c = 0; c < t->column_count; c++)
			write_text(b, t->rows[r][c]);
}

static void write_values(struct buf *b, const struct value *values, size_t count)
{
	write_count(b, count);
	for (size_t i = 0; i < count; i++) {
		write_count(b, values[i].type);
		write_text(b, values[i].text);
		write_number(b, values[i].number);
	}
}

static void write_arg(struct buf *b, const struct arg *arg)
{
	write_text(b, arg->name);
	write_count(b, arg->is_list);
	write_values(b, arg->values, arg->count);
}

static void write_statement(struct buf *b, const struct result_statement *s)
{
	write_text(b, s->name);
	write_text(b, s->text);
	write_values(b, s->values, s->count);
}

static void write_fact(struct buf *b, const struct fact *f)
{
	write_text(b, f->name);
	write_text(b, f->label);
	write_text(b, f->value);
	write_text(b, f->unit);
	write_text(b, f->formula);
}

void tool_result_pack(struct buf *b, const struct result *r)
{
	write_count(b, FORMAT);
	write_count(b, r->outcome.kind);
	write_count(b, r->outcome.truncated);
	write_count(b, r->args.count);
	for (size_t i = 0; i < r->args.count; i++)
		write_arg(b, &r->args.items[i]);
	write_count(b, r->table_count);
	for (size_t i = 0; i < r->table_count; i++)
		write_table(b, r->tables[i]);
	write_count(b, r->fact_count);
	for (size_t i = 0; i < r->fact_count; i++)
		write_fact(b, &r->facts[i]);
	write_count(b, r->statement_count);
	for (size_t i = 0; i < r->statement_count; i++)
		write_statement(b, &r->statements[i]);
	write_number(b, r->read_ms);
	write_text(b, r->hash);
}

/* ---- reading ---- */

struct reader {
	const char *p;
	const char *end;
	bool bad; /* set at the first error; later reads return nothing */
};

static uint64_t read_varint(struct reader *r)
{
	uint64_t n = 0;

	for (int shift = 0; shift < 64 && r->p < r->end; shift += 7) {
		unsigned char byte = (unsigned char)*r->p++;
		if (shift == 63 && byte > 1)
			break;
		n |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return n;
	}
	r->bad = true;
	return 0;
}

static int64_t read_number(struct reader *r)
{
	uint64_t n = read_varint(r);

	return (int64_t)(n >> 1) ^ -(int64_t)(n & 1);
}

static int64_t read_between(struct reader *r, int64_t min, int64_t max)
{
	int64_t n = read_number(r);

	r->bad |= n < min || n > max;
	return r->bad ? min : n;
}

/* Reads an enum value or a flag of at most `last`. */
static unsigned read_kind(struct reader *r, unsigned last)
{
	uint64_t n = read_varint(r);

	r->bad |= n > last;
	return r->bad ? 0 : (unsigned)n;
}

/* Reads a count of items with at least one byte each, so it cannot exceed the bytes left. */
static size_t read_count(struct reader *r, size_t max)
{
	uint64_t n = read_varint(r);

	r->bad |= n > max || n > (uint64_t)(r->end - r->p);
	return r->bad ? 0 : (size_t)n;
}

static const char *read_text(struct reader *r)
{
	size_t n = read_count(r, SIZE_MAX);
	const char *text = r->p;

	if (r->bad || n == 0)
		return NULL;
	r->p += n;
	r->bad |= strnlen(text, n) != n - 1 || !utf8_valid(text, n - 1);
	return r->bad ? NULL : text;
}

/* Reads a text that must be present. */
static const char *read_name(struct reader *r)
{
	const char *text = read_text(r);

	r->bad |= !text;
	return text;
}

static struct decimal read_decimal(struct reader *r)
{
	uint64_t low = read_varint(r);
	__int128 high = read_number(r);

	return (struct decimal){
		.units = (__int128)(((unsigned __int128)high << 64) | low),
		.scale = (int)read_kind(r, DECIMAL_SCALE_MAX),
	};
}

static void read_stats(struct reader *r, const struct table *t, struct column_stats *s)
{
	s->partial = read_kind(r, true);
	s->count = read_between(r, 0, COUNT_MAX);
	s->nulls = read_between(r, 0, COUNT_MAX);
	s->distinct = read_between(r, 0, COUNT_MAX);
	s->distinct_exact = read_kind(r, true);
	s->numeric = read_kind(r, true);
	s->is_sum_exact = read_kind(r, true);
	s->sum = read_decimal(r);
	s->mean = read_decimal(r);
	s->min = read_text(r);
	s->max = read_text(r);
	s->min_row = read_between(r, -1, t->total_rows);
	s->max_row = read_between(r, -1, t->total_rows);
	s->first = read_text(r);
	s->last = read_text(r);
	s->trend = (enum trend)read_kind(r, TREND_FLAT);
}

/* Reads pairs of a value and its label. */
static const char *const *read_words(struct reader *r, struct arena *a)
{
	size_t n = read_count(r, SIZE_MAX);
	const char **words = arena_alloc(a, (n + 1) * sizeof(*words));

	for (size_t i = 0; i < n && !r->bad; i++)
		words[i] = read_name(r);
	r->bad |= n % 2 != 0;
	return r->bad || n == 0 ? NULL : words;
}

static void read_column(struct reader *r, struct arena *a, struct column *c)
{
	c->name = read_name(r);
	c->label = read_name(r);
	c->unit = read_text(r);
	c->words = read_words(r, a);
	c->groups = read_words(r, a);
	c->type = (enum column_type)read_kind(r, COLUMN_BOOL);
	c->priority = (enum column_priority)read_kind(r, PRIORITY_HIGH);
}

static void read_rows(struct reader *r, struct table *t)
{
	size_t count = read_count(r, t->column_count > 0 ? DB_ROWS_MAX : 0);

	r->bad |= (int64_t)count > t->total_rows;
	t->rows = arena_alloc(t->arena, (count + 1) * sizeof(*t->rows));
	for (size_t row = 0; row < count && !r->bad; row++) {
		const char **cells = arena_alloc(t->arena, (t->column_count + 1) * sizeof(*cells));
		for (size_t c = 0; c < t->column_count; c++)
			cells[c] = read_text(r);
		t->rows[t->row_count++] = cells;
	}
}

static bool is_number(const char *text)
{
	struct decimal number;

	return decimal_parse(text, &number);
}

/* Checks that the statistics cover at least the rows here, since their readers rely on it. */
static bool stats_cover_rows(const struct table *t, size_t c)
{
	const struct column_stats *s = &t->stats[c];
	int64_t count = 0;

	for (size_t r = 0; r < t->row_count; r++) {
		const char *cell = t->rows[r][c];

		if (cell && s->numeric && !is_number(cell))
			return false;
		count += cell != NULL;
	}
	if (s->count < count || s->nulls < (int64_t)t->row_count - count || s->distinct > s->count)
		return false;
	if (s->count == 0)
		return !s->min && !s->max;
	return s->min && s->max && (!s->numeric || (is_number(s->min) && is_number(s->max)));
}

static void read_table(struct reader *r, struct table *t)
{
	t->name = read_name(r);
	t->total_rows = read_between(r, 0, COUNT_MAX);
	t->truncated = read_kind(r, true);
	t->truncation = read_text(r);
	t->is_total_exact = read_kind(r, true);
	t->column_count = read_count(r, COLUMNS_MAX);
	t->columns = arena_alloc(t->arena, (t->column_count + 1) * sizeof(*t->columns));
	for (size_t c = 0; c < t->column_count && !r->bad; c++)
		read_column(r, t->arena, &t->columns[c]);
	if (read_kind(r, true)) {
		t->stats = arena_alloc(t->arena, (t->column_count + 1) * sizeof(*t->stats));
		for (size_t c = 0; c < t->column_count; c++)
			read_stats(r, t, &t->stats[c]);
	}
	read_rows(r, t);
	for (size_t c = 0; t->stats && c < t->column_count && !r->bad; c++)
		r->bad |= !stats_cover_rows(t, c);
}

static bool is_valid_value(const struct value *v)
{
	struct decimal number;
	struct date date;

	switch (v->type) {
	case VALUE_TEXT:
		return v->text && v->number == 0;
	case VALUE_DECIMAL:
		return v->text && v->number == 0 && decimal_parse(v->text, &number);
	case VALUE_DATE:
		return v->text && v->number == 0 && date_parse_iso(v->text, &date);
	case VALUE_BOOL:
		return !v->text && (v->number == 0 || v->number == 1);
	case VALUE_INT:
		return !v->text;
	case VALUE_NULL:
		return !v->text && v->number == 0;
	}
	return false;
}

static struct value *read_values(struct reader *r, struct arena *a, size_t max, size_t *count)
{
	size_t n = read_count(r, max);
	struct value *values = arena_alloc(a, (n + 1) * sizeof(*values));

	for (size_t i = 0; i < n && !r->bad; i++) {
		values[i].type = (enum value_type)read_kind(r, VALUE_BOOL);
		values[i].text = read_text(r);
		values[i].number = read_number(r);
		r->bad |= !is_valid_value(&values[i]);
	}
	*count = n;
	return values;
}

static void read_statement(struct reader *r, struct arena *a, struct result *out)
{
	struct result_statement s = {.name = read_name(r), .text = read_name(r)};

	s.values = read_values(r, a, SQL_MARKERS_MAX, &s.count);
	if (!r->bad)
		result_add_statement(out, a, s);
}

/* Reads a hash, or "" for a result that is not reproducible. */
static void read_hash(struct reader *r, char out[HASH_HEX_BYTES])
{
	const char *hash = read_name(r);
	size_t n = hash ? strlen(hash) : 0;

	r->bad |= n > 0 && (n != HASH_HEX_BYTES - 1 || strspn(hash, "0123456789abcdef") != n);
	if (!r->bad)
		memcpy(out, hash, n + 1);
}

static void read_arg(struct reader *r, struct arena *a, struct args *args)
{
	const char *name = read_name(r);
	bool is_list = read_kind(r, true);
	size_t count;
	struct value *values = read_values(r, a, LIST_ARG_MAX, &count);

	r->bad |= !is_list && count != 1;
	/* Same type for all values; null is not an argument. */
	for (size_t i = 0; i < count && !r->bad; i++)
		r->bad |= values[i].type == VALUE_NULL || values[i].type != values[0].type;
	if (!r->bad && is_list)
		args_set_list(args, a, name, values, count);
	else if (!r->bad)
		args_set(args, a, name, values[0]);
}

static void read_fact(struct reader *r, struct fact *f)
{
	f->name = read_name(r);
	f->label = read_text(r);
	f->value = read_text(r);
	f->unit = read_text(r);
	f->formula = read_text(r);
}

static void read_result(struct reader *r, struct arena *a, struct result *out)
{
	size_t count;

	r->bad |= read_varint(r) != FORMAT;
	out->outcome = (struct outcome){.kind = (enum outcome_kind)read_kind(r, OUTCOME_EMPTY)};
	out->outcome.truncated = read_kind(r, true);
	count = read_count(r, TOOL_ARGS_MAX);
	for (size_t i = 0; i < count && !r->bad; i++)
		read_arg(r, a, &out->args);
	count = read_count(r, TOOL_QUERIES_MAX);
	for (size_t i = 0; i < count && !r->bad; i++) {
		struct table *t = table_new(DB_RESULT_BYTES_MAX);
		result_add_table(out, a, t);
		read_table(r, t);
	}
	count = read_count(r, RESULT_FACTS_MAX);
	if (!r->bad && count > 0)
		out->facts = arena_alloc(a, RESULT_FACTS_MAX * sizeof(*out->facts));
	for (size_t i = 0; i < count && !r->bad; i++)
		read_fact(r, &out->facts[out->fact_count++]);
	count = read_count(r, STATEMENTS_MAX);
	for (size_t i = 0; i < count && !r->bad; i++)
		read_statement(r, a, out);
	out->read_ms = read_between(r, 1, TIME_MAX_MS);
	read_hash(r, out->hash);
}

bool tool_result_unpack(struct str bytes, struct arena *a, struct result *out)
{
	char *copy = arena_strndup(a, bytes.p, bytes.n);
	struct result *read = result_new(a);
	struct reader r = {.p = copy, .end = copy + bytes.n};

	read_result(&r, a, read);
	if (r.bad || r.p != r.end || read->table_count == 0)
		return false;
	out->outcome = read->outcome;
	out->args = read->args;
	out->tables = read->tables;
	out->table_count = read->table_count;
	out->facts = read->facts;
	out->fact_count = read->fact_count;
	out->statements = read->statements;
	out->statement_count = read->statement_count;
	out->read_ms = read->read_ms;
	memcpy(out->hash, read->hash, sizeof(out->hash));
	read->table_count = 0; /* each table has one owner */
	return true;
}
