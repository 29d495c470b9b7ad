/* One tool call as JSON for programs: a machine-readable status, and the same cells, facts and
 * statistics as in an answer. */
#include "view_int.h"

#include <string.h>

#include "vesper/decimal.h"
#include "vesper/limits.h"

/* The main table is named "rows", as in references. */
static const char *set_name(const struct result *r, size_t i)
{
	return i == 0 ? "rows" : r->tables[i]->name;
}

static void write_sets(struct json_out *j, const struct result *r, struct arena *a)
{
	jo_key(j, "sets");
	jo_object(j);
	for (size_t i = 0; i < r->table_count; i++) {
		jo_key(j, set_name(r, i));
		jo_object(j);
		view_table(j, r->tables[i], a);
		jo_object_end(j);
	}
	jo_object_end(j);
}

static void write_facts(struct json_out *j, const struct result *r)
{
	jo_key(j, "facts");
	jo_object(j);
	for (size_t i = 0; i < r->fact_count; i++)
		jo_set_str(j, r->facts[i].name, r->facts[i].value);
	jo_object_end(j);
}

/* The same facts for computing programs: numbers are JSON numbers. */
static void write_numbers(struct json_out *j, const char *name, const struct result *r)
{
	struct decimal number;

	jo_key(j, name);
	jo_object(j);
	for (size_t i = 0; i < r->fact_count; i++) {
		const struct fact *f = &r->facts[i];

		jo_key(j, f->name);
		if (decimal_parse(f->value, &number))
			jo_decimal(j, f->value);
		else
			jo_str(j, str_of(f->value));
	}
	jo_object_end(j);
}

static const char *const trends[] = {
	[TREND_NONE] = NULL,
	[TREND_UP] = "up",
	[TREND_DOWN] = "down",
	[TREND_FLAT] = "flat",
};

static void write_column_stats(struct json_out *j, const struct column_stats *s)
{
	char text[DECIMAL_TEXT_BYTES];

	jo_object(j);
	jo_set_int(j, "count", s->count);
	jo_set_int(j, "nulls", s->nulls);
	jo_key(j, "min");
	jo_decimal(j, s->min);
	jo_key(j, "max");
	jo_decimal(j, s->max);
	if (s->is_sum_exact) {
		decimal_text_short(s->mean, text);
		jo_key(j, "mean");
		jo_decimal(j, text);
		decimal_text_short(s->sum, text);
		jo_key(j, "sum");
		jo_decimal(j, text);
	}
	jo_set_str(j, "trend", trends[s->trend]);
	jo_set_bool(j, "partial", s->partial);
	jo_object_end(j);
}

/* Statistics of the main table's numeric columns, over all rows read. */
static void write_stats(struct json_out *j, const struct result *r)
{
	const struct table *t = r->table_count > 0 ? r->tables[0] : NULL;

	jo_key(j, "stats");
	jo_object(j);
	for (size_t c = 0; t && t->stats && c < t->column_count; c++) {
		const struct column_stats *s = &t->stats[c];

		if (!s->numeric || !column_is_number(t->columns[c].type) || s->count == 0)
			continue;
		jo_key(j, t->columns[c].name);
		write_column_stats(j, s);
	}
	jo_object_end(j);
}

/* ---- status ---- */

static const char *status_of(enum outcome_kind kind)
{
	switch (kind) {
	case OUTCOME_ROWS:
	case OUTCOME_EMPTY:
		return "ok";
	case OUTCOME_OUT_OF_WINDOW:
		return "no_data_in_window";
	case OUTCOME_NO_DATA:
		return "no_data";
	default:
		return "error";
	}
}

static void write_range(struct json_out *j, const char *name, const struct outcome *o)
{
	if (!o->range_min || !o->range_max)
		return;
	jo_key(j, name);
	jo_object(j);
	jo_set_str(j, "start", o->range_min);
	jo_set_str(j, "end", o->range_max);
	jo_object_end(j);
}

static void write_error(struct json_out *j, const struct outcome *o, const char *message)
{
	jo_key(j, "error");
	jo_object(j);
	jo_set_str(j, "code", outcome_name(o->kind));
	jo_set_str(j, "message", message);
	jo_set_str(j, "arg", o->param);
	jo_set_bool(j, "retryable", o->retryable);
	jo_key(j, "suggestions");
	jo_array(j);
	for (size_t i = 0; i < o->suggestion_count; i++)
		jo_str(j, str_of(o->suggestions[i].value));
	jo_array_end(j);
	jo_object_end(j);
}

void view_call(struct buf *out, const struct result *r, const char *receipt_id, struct arena *a)
{
	const char *status = status_of(r->outcome.kind);
	struct buf words;
	struct json_out j;

	buf_init(&words, SIZE_MAX / 2);
	if (r->outcome.kind != OUTCOME_ROWS)
		view_outcome_text(&words, r);
	jo_init(&j, out);
	jo_object(&j);
	jo_set_str(&j, "tool", r->tool);
	jo_set_str(&j, "status", status);
	jo_set_str(&j, "message", buf_text(&words));
	jo_key(&j, "result");
	jo_object(&j);
	write_sets(&j, r, a);
	write_facts(&j, r);
	write_numbers(&j, "summaryStats", r);
	write_stats(&j, r);
	jo_object_end(&j);
	jo_key(&j, "args");
	args_write(&j, &r->args);
	write_range(&j, "availableRange", &r->outcome);
	if (strcmp(status, "error") == 0)
		write_error(&j, &r->outcome, buf_text(&words));
	jo_set_str(&j, "receipt_id", receipt_id);
	jo_object_end(&j);
	buf_deinit(&words);
}

/* ---- rows as arrays ---- */

/* Writes the main table. For readers, truncation by the database and by the view's limit are the
 * same. */
static void write_rows(struct json_out *j, const struct table *t, struct arena *a)
{
	struct view_truncation cut = {0};

	jo_set_int(j, "row_count", t ? (int64_t)t->row_count : 0);
	jo_key(j, "rows");
	if (t)
		cut = view_rows(j, t, a);
	else
		jo_raw(j, STR("[]"));
	jo_set_bool(j, "truncated", cut.truncated);
	jo_set_str(j, "truncation_reason", cut.reason);
}

static void write_other_rows(struct json_out *j, const struct result *r, struct arena *a)
{
	jo_key(j, "sets");
	jo_object(j);
	for (size_t i = 1; i < r->table_count; i++) {
		jo_key(j, r->tables[i]->name);
		view_rows(j, r->tables[i], a);
	}
	jo_object_end(j);
}

void view_call_rows(struct buf *out, const struct result *r, const char *receipt_id,
		    struct arena *a)
{
	struct buf words;
	struct json_out j;

	jo_init(&j, out);
	jo_object(&j);
	jo_set_str(&j, "outcome", outcome_name(r->outcome.kind));
	write_rows(&j, r->table_count > 0 ? r->tables[0] : NULL, a);
	if (r->table_count > 1)
		write_other_rows(&j, r, a);
	write_numbers(&j, "facts", r);
	write_range(&j, "available_range", &r->outcome);
	if (strcmp(status_of(r->outcome.kind), "error") == 0) {
		buf_init(&words, SIZE_MAX / 2);
		view_outcome_text(&words, r);
		write_error(&j, &r->outcome, buf_text(&words));
		buf_deinit(&words);
	}
	jo_set_str(&j, "receipt_id", receipt_id);
	jo_object_end(&j);
}
