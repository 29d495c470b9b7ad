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

static void put_count(struct buf *b, uint64_t n)
{
	while (n >= 0x80) {
		buf_char(b, (char)(0x80 | (n & 0x7f)));
		n >>= 7;
	}
	buf_char(b, (char)n);
}

/* Zigzag encoding: the sign is the lowest bit, so small negative numbers are short too. */
static void put_number(struct buf *b, int64_t n)
{
	put_count(b, ((uint64_t)n << 1) ^ (uint64_t)(n >> 63));
}

/* Writes 0 for NULL, else the length plus one. */
static void put_text(struct buf *b, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	put_count(b, text ? n + 1 : 0);
	if (text)
		buf_add(b, text, n + 1);
}

static void put_decimal(struct buf *b, struct decimal d)
{
	put_count(b, (uint64_t)d.units);
	put_number(b, (int64_t)(d.units >> 64));
	put_count(b, (uint64_t)d.scale);
}

static void put_stats(struct buf *b, const struct column_stats *s)
{
	put_count(b, s->partial);
	put_number(b, s->count);
	put_number(b, s->nulls);
	put_number(b, s->distinct);
	put_count(b, s->distinct_exact);
	put_count(b, s->numeric);
	put_count(b, s->sum_exact);
	put_decimal(b, s->sum);
	put_decimal(b, s->mean);
	put_text(b, s->min);
	put_text(b, s->max);
	put_number(b, s->at_min);
	put_number(b, s->at_max);
	put_text(b, s->first);
	put_text(b, s->last);
	put_count(b, s->trend);
}

static void put_words(struct buf *b, const char *const *words)
{
	size_t n = 0;

	while (words && words[n])
		n++;
	put_count(b, n);
	for (size_t i = 0; i < n; i++)
		put_text(b, words[i]);
}

static void put_column(struct buf *b, const struct column *c)
{
	put_text(b, c->name);
	put_text(b, c->label);
	put_text(b, c->unit);
	put_words(b, c->words);
	put_words(b, c->groups);
	put_count(b, c->type);
	put_count(b, c->priority);
}

static void put_table(struct buf *b, const struct table *t)
{
	put_text(b, t->name);
	put_number(b, t->total_rows);
	put_count(b, t->truncated);
	put_text(b, t->truncation);
	put_count(b, t->total_exact);
	put_count(b, t->column_count);
	for (size_t c = 0; c < t->column_count; c++)
		put_column(b, &t->columns[c]);
	put_count(b, t->stats != NULL);
	for (size_t c = 0; t->stats && c < t->column_count; c++)
		put_stats(b, &t->stats[c]);
	put_count(b, t->row_count);
	for (size_t r = 0; r < t->row_count; r++)
		for (size_t c = 0; c < t->column_count; c++)
			put_text(b, t->rows[r][c]);
}

static void put_values(struct buf *b, const struct value *values, size_t count)
{
	put_count(b, count);
	for (size_t i = 0; i < count; i++) {
		put_count(b, values[i].type);
		put_text(b, values[i].text);
		put_number(b, values[i].number);
	}
}

static void put_arg(struct buf *b, const struct arg *arg)
{
	put_text(b, arg->name);
	put_count(b, arg->is_list);
	put_values(b, arg->values, arg->count);
}

static void put_statement(struct buf *b, const struct result_statement *s)
{
	put_text(b, s->name);
	put_text(b, s->text);
	put_values(b, s->values, s->count);
}

static void put_fact(struct buf *b, const struct fact *f)
{
	put_text(b, f->name);
	put_text(b, f->label);
	put_text(b, f->value);
	put_text(b, f->unit);
	put_text(b, f->formula);
}

void tool_result_pack(struct buf *b, const struct result *r)
{
	put_count(b, FORMAT);
	put_count(b, r->outcome.kind);
	put_count(b, r->outcome.truncated);
	put_count(b, r->args.count);
	for (size_t i = 0; i < r->args.count; i++)
		put_arg(b, &r->args.items[i]);
	put_count(b, r->table_count);
	for (size_t i = 0; i < r->table_count; i++)
		put_table(b, r->tables[i]);
	put_count(b, r->fact_count);
	for (size_t i = 0; i < r->fact_count; i++)
		put_fact(b, &r->facts[i]);
	put_count(b, r->statement_count);
	for (size_t i = 0; i < r->statement_count; i++)
		put_statement(b, &r->statements[i]);
	put_number(b, r->read_ms);
	put_text(b, r->hash);
}

/* ---- reading ---- */

struct reader {
	const char *p;
	const char *end;
	bool bad; /* set at the first error; later reads return nothing */
};

static uint64_t take(struct reader *r)
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

static int64_t take_number(struct reader *r)
{
	uint64_t n = take(r);

	return (int64_t)(n >> 1) ^ -(int64_t)(n & 1);
}

static int64_t take_between(struct reader *r, int64_t least, int64_t most)
{
	int64_t n = take_number(r);

	r->bad |= n < least || n > most;
	return r->bad ? least : n;
}

/* Reads an enum value or a flag of at most `last`. */
static unsigned take_kind(struct reader *r, unsigned last)
{
	uint64_t n = take(r);

	r->bad |= n > last;
	return r->bad ? 0 : (unsigned)n;
}

/* Reads a count of items with at least one byte each, so it cannot exceed the bytes left. */
static size_t take_count(struct reader *r, size_t most)
{
	uint64_t n = take(r);

	r->bad |= n > most || n > (uint64_t)(r->end - r->p);
	return r->bad ? 0 : (size_t)n;
}

static const char *take_text(struct reader *r)
{
	size_t n = take_count(r, SIZE_MAX);
	const char *text = r->p;

	if (r->bad || n == 0)
		return NULL;
	r->p += n;
	r->bad |= strnlen(text, n) != n - 1 || !utf8_valid(text, n - 1);
	return r->bad ? NULL : text;
}

/* Reads a text that must be present. */
static const char *take_name(struct reader *r)
{
	const char *text = take_text(r);

	r->bad |= !text;
	return text;
}

static struct decimal take_decimal(struct reader *r)
{
	uint64_t low = take(r);
	__int128 high = take_number(r);

	return (struct decimal){
		.units = (__int128)(((unsigned __int128)high << 64) | low),
		.scale = (int)take_kind(r, DECIMAL_SCALE_MAX),
	};
}

static void take_stats(struct reader *r, const struct table *t, struct column_stats *s)
{
	s->partial = take_kind(r, true);
	s->count = take_between(r, 0, COUNT_MAX);
	s->nulls = take_between(r, 0, COUNT_MAX);
	s->distinct = take_between(r, 0, COUNT_MAX);
	s->distinct_exact = take_kind(r, true);
	s->numeric = take_kind(r, true);
	s->sum_exact = take_kind(r, true);
	s->sum = take_decimal(r);
	s->mean = take_decimal(r);
	s->min = take_text(r);
	s->max = take_text(r);
	s->at_min = take_between(r, -1, t->total_rows);
	s->at_max = take_between(r, -1, t->total_rows);
	s->first = take_text(r);
	s->last = take_text(r);
	s->trend = (enum trend)take_kind(r, TREND_FLAT);
}

/* Reads pairs of a value and its label. */
static const char *const *take_words(struct reader *r, struct arena *a)
{
	size_t n = take_count(r, SIZE_MAX);
	const char **words = arena_alloc(a, (n + 1) * sizeof(*words));

	for (size_t i = 0; i < n && !r->bad; i++)
		words[i] = take_name(r);
	r->bad |= n % 2 != 0;
	return r->bad || n == 0 ? NULL : words;
}

static void take_column(struct reader *r, struct arena *a, struct column *c)
{
	c->name = take_name(r);
	c->label = take_name(r);
	c->unit = take_text(r);
	c->words = take_words(r, a);
	c->groups = take_words(r, a);
	c->type = (enum column_type)take_kind(r, COLUMN_BOOL);
	c->priority = (enum column_priority)take_kind(r, PRIORITY_HIGH);
}

static void take_rows(struct reader *r, struct table *t)
{
	size_t count = take_count(r, t->column_count > 0 ? DB_ROWS_MAX : 0);

	r->bad |= (int64_t)count > t->total_rows;
	t->rows = arena_alloc(t->arena, (count + 1) * sizeof(*t->rows));
	for (size_t row = 0; row < count && !r->bad; row++) {
		const char **cells = arena_alloc(t->arena, (t->column_count + 1) * sizeof(*cells));
		for (size_t c = 0; c < t->column_count; c++)
			cells[c] = take_text(r);
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

static void take_table(struct reader *r, struct table *t)
{
	t->name = take_name(r);
	t->total_rows = take_between(r, 0, COUNT_MAX);
	t->truncated = take_kind(r, true);
	t->truncation = take_text(r);
	t->total_exact = take_kind(r, true);
	t->column_count = take_count(r, COLUMNS_MAX);
	t->columns = arena_alloc(t->arena, (t->column_count + 1) * sizeof(*t->columns));
	for (size_t c = 0; c < t->column_count && !r->bad; c++)
		take_column(r, t->arena, &t->columns[c]);
	if (take_kind(r, true)) {
		t->stats = arena_alloc(t->arena, (t->column_count + 1) * sizeof(*t->stats));
		for (size_t c = 0; c < t->column_count; c++)
			take_stats(r, t, &t->stats[c]);
	}
	take_rows(r, t);
	for (size_t c = 0; t->stats && c < t->column_count && !r->bad; c++)
		r->bad |= !stats_cover_rows(t, c);
}

static bool value_holds(const struct value *v)
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

static struct value *take_values(struct reader *r, struct arena *a, size_t most, size_t *count)
{
	size_t n = take_count(r, most);
	struct value *values = arena_alloc(a, (n + 1) * sizeof(*values));

	for (size_t i = 0; i < n && !r->bad; i++) {
		values[i].type = (enum value_type)take_kind(r, VALUE_BOOL);
		values[i].text = take_text(r);
		values[i].number = take_number(r);
		r->bad |= !value_holds(&values[i]);
	}
	*count = n;
	return values;
}

static void take_statement(struct reader *r, struct arena *a, struct result *out)
{
	struct result_statement s = {.name = take_name(r), .text = take_name(r)};

	s.values = take_values(r, a, SQL_MARKERS_MAX, &s.count);
	if (!r->bad)
		result_add_statement(out, a, s);
}

/* Reads a hash, or "" for a result that is not reproducible. */
static void take_hash(struct reader *r, char out[HASH_HEX_BYTES])
{
	const char *hash = take_name(r);
	size_t n = hash ? strlen(hash) : 0;

	r->bad |= n > 0 && (n != HASH_HEX_BYTES - 1 || strspn(hash, "0123456789abcdef") != n);
	if (!r->bad)
		memcpy(out, hash, n + 1);
}

static void take_arg(struct reader *r, struct arena *a, struct args *args)
{
	const char *name = take_name(r);
	bool is_list = take_kind(r, true);
	size_t count;
	struct value *values = take_values(r, a, LIST_ARG_MAX, &count);

	r->bad |= !is_list && count != 1;
	/* Same type for all values; null is not an argument. */
	for (size_t i = 0; i < count && !r->bad; i++)
		r->bad |= values[i].type == VALUE_NULL || values[i].type != values[0].type;
	if (!r->bad && is_list)
		args_set_list(args, a, name, values, count);
	else if (!r->bad)
		args_set(args, a, name, values[0]);
}

static void take_fact(struct reader *r, struct fact *f)
{
	f->name = take_name(r);
	f->label = take_text(r);
	f->value = take_text(r);
	f->unit = take_text(r);
	f->formula = take_text(r);
}

static void take_result(struct reader *r, struct arena *a, struct result *out)
{
	size_t count;

	r->bad |= take(r) != FORMAT;
	out->outcome = (struct outcome){.kind = (enum outcome_kind)take_kind(r, OUTCOME_EMPTY)};
	out->outcome.truncated = take_kind(r, true);
	count = take_count(r, TOOL_ARGS_MAX);
	for (size_t i = 0; i < count && !r->bad; i++)
		take_arg(r, a, &out->args);
	count = take_count(r, TOOL_QUERIES_MAX);
	for (size_t i = 0; i < count && !r->bad; i++) {
		struct table *t = table_new(DB_RESULT_BYTES_MAX);
		result_add_table(out, a, t);
		take_table(r, t);
	}
	count = take_count(r, RESULT_FACTS_MAX);
	if (!r->bad && count > 0)
		out->facts = arena_alloc(a, RESULT_FACTS_MAX * sizeof(*out->facts));
	for (size_t i = 0; i < count && !r->bad; i++)
		take_fact(r, &out->facts[out->fact_count++]);
	count = take_count(r, STATEMENTS_MAX);
	for (size_t i = 0; i < count && !r->bad; i++)
		take_statement(r, a, out);
	out->read_ms = take_between(r, 1, TIME_MAX_MS);
	take_hash(r, out->hash);
}

bool tool_result_unpack(struct str bytes, struct arena *a, struct result *out)
{
	char *copy = arena_strndup(a, bytes.p, bytes.n);
	struct result *read = result_new(a);
	struct reader r = {.p = copy, .end = copy + bytes.n};

	take_result(&r, a, read);
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
