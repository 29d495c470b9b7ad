/*
 * Profiles the columns of a table while its rows are loaded: counts, sums and bounds over all
 * rows; spread and outliers over a sample.
 */
#include "upload_int.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/header.h"
#include "vesper/calc_summary.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/stats.h"

#define SAMPLED_CELLS        1000000 /* 8 MB of numbers, for all columns together */
#define KERNEL_BYTES         (64 * 1024 * 1024)
#define ID_BYTES             64
#define DIMENSION_VALUES_MAX 1000
#define DIMENSION_VALUES_FEW 20

/* Every step-th number of a column. When it is full, every second number is removed. */
struct sample {
	double *values;
	size_t count, cap;
	int64_t step, seen;
};

struct misfits {
	int64_t count;
	size_t *lines;
	size_t listed;
};

struct profile {
	const struct shape *shape;
	struct stats_collector *stats;
	struct misfits *misfits;
	struct sample *samples;
	size_t *longest;   /* length of the longest text of each column, in bytes */
	struct buf number; /* scratch: a whole number as text */
	uint64_t *rows;    /* hash of each row */
	size_t row_count, row_cap;
};

static bool is_number(const struct shape_column *c)
{
	return c->form.type == COLUMN_INT || c->form.type == COLUMN_DECIMAL;
}

struct profile *profile_new(const struct shape *s)
{
	struct profile *p = mem_alloc(sizeof(*p));

	p->shape = s;
	p->stats = stats_new(s->column_count);
	buf_init(&p->number, DECIMAL_TEXT_BYTES);
	p->misfits = mem_alloc((s->column_count + 1) * sizeof(*p->misfits));
	p->samples = mem_alloc((s->column_count + 1) * sizeof(*p->samples));
	p->longest = mem_alloc((s->column_count + 1) * sizeof(*p->longest));
	for (size_t i = 0; i < s->column_count; i++)
		p->samples[i].step = 1;
	return p;
}

void profile_free(struct profile **profile)
{
	struct profile *p = *profile;

	if (!p)
		return;
	*profile = NULL;
	stats_free(&p->stats);
	for (size_t i = 0; i < p->shape->column_count; i++) {
		mem_free(p->misfits[i].lines);
		mem_free(p->samples[i].values);
	}
	mem_free(p->misfits);
	mem_free(p->samples);
	mem_free(p->longest);
	buf_deinit(&p->number);
	mem_free(p->rows);
	mem_free(p);
}

void profile_add_mismatch(void *profile, size_t column, size_t line)
{
	struct misfits *m = &((struct profile *)profile)->misfits[column];

	if (!m->lines)
		m->lines = mem_alloc(DATA_SOURCE_LINES_LISTED * sizeof(*m->lines));
	if (m->listed < DATA_SOURCE_LINES_LISTED)
		m->lines[m->listed++] = line;
	m->count++;
}

/* ---- rows ---- */

static void sample_add(struct sample *s, size_t limit, const struct value *v)
{
	if (s->seen++ % s->step != 0)
		return;
	if (s->count == limit) {
		for (size_t i = 0; 2 * i < s->count; i++)
			s->values[i] = s->values[2 * i];
		s->count = (s->count + 1) / 2;
		s->step *= 2;
		if ((s->seen - 1) % s->step != 0)
			return;
	}
	s->values = mem_grow(s->values, &s->cap, s->count + 1, sizeof(*s->values));
	s->values[s->count++] = v->type == VALUE_INT ? (double)v->number : strtod(v->text, NULL);
}

/* NULL: no value. */
static struct str text_of(const struct value *v, struct buf *number)
{
	if (v->type == VALUE_NULL)
		return (struct str){NULL, 0};
	if (v->type != VALUE_INT && v->type != VALUE_BOOL)
		return str_of(v->text);
	buf_reset(number);
	buf_int(number, v->number);
	return (struct str){buf_text(number), number->n};
}

static void add_row_hash(struct profile *p, uint64_t hash)
{
	p->rows = mem_grow(p->rows, &p->row_cap, p->row_count + 1, sizeof(*p->rows));
	p->rows[p->row_count++] = hash;
}

void profile_row(struct profile *p, const struct value *values)
{
	size_t n = p->shape->column_count, limit = SAMPLED_CELLS / n;
	uint64_t hash = HASH_FNV_OFFSET_BASIS;

	for (size_t i = 0; i < n; i++) {
		struct str text = text_of(&values[i], &p->number);
		bool numeric = is_number(&p->shape->columns[i]);

		stats_cell(p->stats, i, text.p, text.n, numeric);
		hash = hash_fnv_byte(hash_fnv(hash, text.p ? text.p : "", text.n), text.p != NULL);
		p->longest[i] = text.n > p->longest[i] ? text.n : p->longest[i];
		if (numeric && text.p)
			sample_add(&p->samples[i], limit, &values[i]);
	}
	stats_end_row(p->stats);
	add_row_hash(p, hash);
}

/* ---- the result ---- */

static int by_hash(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int64_t count_duplicates(struct profile *p)
{
	int64_t n = 0;

	qsort(p->rows, p->row_count, sizeof(*p->rows), by_hash);
	for (size_t i = 1; i < p->row_count; i++)
		n += p->rows[i] == p->rows[i - 1];
	return n;
}

/* A column's role. A whole number is an ID if all values differ, the first row has the least and
 * the last row the greatest. */
static const char *role_of(const struct profile *p, size_t i, const struct column_stats *s)
{
	const struct shape_column *c = &p->shape->columns[i];
	bool all_differ = s->nulls == 0 && s->distinct == s->count && s->count > 1;
	bool few = s->distinct_exact &&
		   (s->distinct <= DIMENSION_VALUES_FEW ||
		    (s->distinct <= DIMENSION_VALUES_MAX && s->distinct * 20 <= s->count));

	switch (c->form.type) {
	case COLUMN_DATE:
	case COLUMN_DATETIME:
		return "date";
	case COLUMN_BOOL:
		return "flag";
	case COLUMN_DECIMAL:
		return "measure";
	case COLUMN_INT:
		if (c->form.unit[0])
			return "measure";
		if (all_differ && s->min_row == 0 && s->max_row == s->count - 1 &&
		    s->count > DIMENSION_VALUES_FEW)
			return "id";
		return s->distinct > DIMENSION_VALUES_FEW || all_differ ? "measure" : "dimension";
	case COLUMN_TEXT:
		break;
	}
	if (all_differ && s->count > DIMENSION_VALUES_FEW && p->longest[i] <= ID_BYTES)
		return "id";
	return few && s->count > 0 && p->longest[i] <= 4 * ID_BYTES ? "dimension" : "text";
}

static json_t *number_json(double x)
{
	char text[40];

	if (!isfinite(x))
		return NULL;
	snprintf(text, sizeof(text), "%.12g", x);
	return json_decimal(text);
}

static json_t *exact_json(struct decimal d)
{
	char text[DECIMAL_TEXT_BYTES];

	decimal_text_short(d, text);
	return json_decimal(text);
}

static void add_spread(const struct profile *p, size_t i, json_t *out)
{
	static const double at[] = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};
	static const char *const names[] = {"0", "0.05", "0.25", "0.5", "0.75", "0.95", "1"};
	const struct sample *s = &p->samples[i];
	struct arena *a = arena_new(KERNEL_BYTES);
	const struct calc c = {.arena = a};
	struct calc_moments m;
	struct calc_outliers o;
	double q[7];
	size_t present;
	struct err e;

	if (s->count > 0 && calc_quantiles(&c, s->values, s->count, at, 7, q, &present, &e)) {
		json_t *list = json_object();

		for (int k = 0; k < 7; k++)
			json_set_take(list, names[k], number_json(q[k]));
		json_set_take(out, "quantiles", list);
	}
	if (s->count > 0 && calc_moments(&c, s->values, s->count, &m, &e))
		json_set_take(out, "sd", number_json(m.sd));
	if (s->count > 0 && calc_outliers(&c, s->values, s->count, CALC_ROBUST, &o, &e))
		json_set_int(out, "outliers", (int64_t)o.found);
	if (s->step > 1)
		json_set_bool(out, "sampled", true);
	arena_free(&a);
}

static json_t *lines_json(const size_t *lines, size_t count, size_t limit)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count && i < limit; i++)
		json_push_take(list, json_int((int64_t)lines[i]));
	return list;
}

static json_t *column_json(struct profile *p, size_t i, const struct column_stats *s, size_t limit,
			   struct arena *a)
{
	const struct shape_column *c = &p->shape->columns[i];
	const struct misfits *m = &p->misfits[i];
	int64_t rows = s->count + s->nulls;
	json_t *out = json_make({"name", json_str(c->name)}, {"label", json_str(c->label)},
				{"spoken", json_str(header_prompt_label(c->label, c->name, a))},
				{"type", json_str(column_type_name(c->form.type))},
				{"role", json_str(role_of(p, i, s))});

	if (c->form.unit[0])
		json_set_str(out, "unit", c->form.unit);
	if (is_number(c))
		json_set_int(out, "scale", c->form.type == COLUMN_DECIMAL ? c->form.scale : 0);
	json_set_int(out, "nulls", s->nulls);
	json_set_take(out, "null_share",
		      number_json(rows > 0 ? (double)s->nulls / (double)rows : 0));
	json_set_int(out, "distinct", s->distinct);
	json_set_bool(out, "distinct_exact", s->distinct_exact);
	if (c->form.type != COLUMN_TEXT) {
		json_set_str(out, "min", s->min);
		json_set_str(out, "max", s->max);
	}
	if (is_number(c) && s->numeric && s->is_sum_exact && s->count > 0) {
		json_set_take(out, "sum", exact_json(s->sum));
		json_set_take(out, "mean", exact_json(s->mean));
		add_spread(p, i, out);
	}
	json_set_int(out, "misfits", m->count);
	if (m->listed > 0)
		json_set_take(out, "misfit_lines", lines_json(m->lines, m->listed, limit));
	if (c->short_years)
		json_set_bool(out, "short_years", true);
	return out;
}

/* 100 × (0.4 complete + 0.3 conform + 0.2 unique + 0.1 consistent) */
static json_t *quality_json(const struct profile *p, const struct column_stats *stats,
			    int64_t duplicate_count)
{
	double n = (double)p->shape->column_count, rows = (double)p->row_count;
	double nulls = 0, misfits = 0, complete, conform, unique, consistent;

	for (size_t i = 0; i < p->shape->column_count; i++) {
		nulls += (double)stats[i].nulls;
		misfits += (double)p->misfits[i].count;
	}
	complete = 1 - nulls / (n * rows);
	conform = 1 - misfits / (n * rows);
	unique = 1 - (double)duplicate_count / rows;
	consistent = 1 - (double)p->shape->ragged_rows / rows;
	return json_make({"score", json_int(llround(100 * (0.4 * complete + 0.3 * conform +
							   0.2 * unique + 0.1 * consistent)))},
			 {"parts", json_make({"complete", number_json(complete)},
					     {"conform", number_json(conform)},
					     {"unique", number_json(unique)},
					     {"consistent", number_json(consistent)})});
}

static json_t *keys_json(const struct profile *p, const struct column_stats *stats)
{
	json_t *keys = json_array();

	for (size_t i = 0; i < p->shape->column_count; i++)
		if (stats[i].nulls == 0 && stats[i].distinct_exact &&
		    stats[i].distinct == stats[i].count)
			json_push_take(keys, json_list_of(json_str(p->shape->columns[i].name)));
	return keys;
}

static char *profile_write(struct profile *p, const struct column_stats *stats,
			   int64_t duplicate_count, size_t limit, struct arena *a)
{
	const struct shape *s = p->shape;
	json_t *columns = json_array(), *out;
	char *text;

	for (size_t i = 0; i < s->column_count; i++)
		json_push_take(columns, column_json(p, i, &stats[i], limit, a));
	out = json_make(
		{"rows", json_int((int64_t)p->row_count)}, {"columns", columns},
		{"keys", keys_json(p, stats)}, {"duplicate_rows", json_int(duplicate_count)},
		{"encoding", json_str(encoding_name(s->encoding))},
		{"header", json_boolean(s->has_header)}, {"ragged_rows", json_int(s->ragged_rows)},
		{"quality", quality_json(p, stats, duplicate_count)});
	if (s->format != FORMAT_JSONL)
		json_set_take(out, "delimiter", json_strn(&s->delimiter, 1));
	if (s->odd_lines > 0)
		json_set_int(out, "odd_lines", (int64_t)s->odd_lines);
	if (s->ragged_line_count > 0)
		json_set_take(out, "ragged_lines",
			      lines_json(s->ragged_lines, s->ragged_line_count, limit));
	text = json_text(out);
	json_decref(out);
	return text;
}

const char *profile_json(struct profile *p, struct arena *a)
{
	const struct column_stats *stats = stats_finish(p->stats, a);
	int64_t duplicate_count = count_duplicates(p);
	char *text = profile_write(p, stats, duplicate_count, DATA_SOURCE_LINES_LISTED, a);
	const char *copy;

	if (strlen(text) > DATA_SOURCE_PROFILE_BYTES_MAX) {
		mem_free(text);
		text = profile_write(p, stats, duplicate_count, 0, a);
	}
	copy = arena_strdup(a, text);
	mem_free(text);
	return copy;
}

json_t *profile_column(const json_t *columns, const char *name)
{
	json_t *column;
	size_t i;

	json_array_foreach((json_t *)columns, i, column)
		if (strcmp(json_text_at(column, "name"), name) == 0)
			return column;
	return NULL;
}

static bool has_role(const json_t *column, const char *role)
{
	return strcmp(json_text_at(column, "role"), role) == 0;
}

/* True if each value and each partial sum is exact, so that the order of adding cannot change the
 * last digit. Older profiles have no scale; then false. */
static bool is_sum_order_independent(const json_t *column, int64_t rows)
{
	const json_t *scale = json_object_get(column, "scale");
	double min = fabs(strtod(json_text_at(column, "min"), NULL));
	double max = fabs(strtod(json_text_at(column, "max"), NULL));
	double limit = (min > max ? min : max) * pow(10, DB_SUM_SCALE);

	return scale && json_integer_value(scale) <= DB_SUM_SCALE && limit < DB_EXACT_BELOW &&
	       limit * (double)rows < (double)(INT64_MAX / 2);
}

static void add_sum(struct upload_cover *c, size_t column)
{
	if (c->sum_count < UPLOAD_SUMS_MAX)
		c->sums[c->sum_count++] = column;
}

static struct upload_cover cover_of(const json_t *columns, size_t which, int64_t rows)
{
	bool is_day = has_role(json_array_get(columns, which), "date");
	struct upload_cover c = {.column = which};
	const json_t *column;
	size_t i;

	json_array_foreach((json_t *)columns, i, column)
		if (has_role(column, "measure") &&
		    (!is_day || is_sum_order_independent(column, rows)))
			add_sum(&c, i);
	return c;
}

size_t profile_covers(const json_t *columns, int64_t rows,
		      struct upload_cover out[UPLOAD_COVERING_INDEXES_MAX])
{
	size_t i, n = 0, groups = 0, days = 0;
	const json_t *column;

	if (rows > UPLOAD_COVERED_ROWS)
		return 0;
	json_array_foreach((json_t *)columns, i, column) {
		if (has_role(column, "dimension") && groups++ < UPLOAD_GROUPS_MAX) {
			out[n++] = cover_of(columns, i, rows);
		} else if (strcmp(json_text_at(column, "type"), "date") == 0 && days++ == 0) {
			out[n] = cover_of(columns, i, rows);
			n += out[n].sum_count > 0;
		}
	}
	return n;
}
