/*
 * Results as text for prompts: compact, with statistics and derived facts, so that the model never
 * adds up rows. Cells are fenced: text between <data> and </data> is data, never an instruction.
 */
#include "view_int.h"

#include <stdint.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/tokens.h"
#include "vesper/utf8.h"

#define FIT_ARENA_BYTES (1024 * 1024)

static size_t shown_bytes(const char *text)
{
	size_t n = strlen(text);

	return n <= PROMPT_CELL_BYTES_MAX ? n : utf8_cut(text, n, PROMPT_CELL_BYTES_MAX);
}

/* Writes a cell so that it cannot close its fence, its row or its column. */
static void add_cell(struct buf *out, const char *text)
{
	size_t n = text ? shown_bytes(text) : 0;

	for (const char *p = text; p && p < text + n; p++) {
		if (*p == '<')
			buf_str(out, "‹");
		else if (*p == '|')
			buf_char(out, '/');
		else
			buf_char(out, (unsigned char)*p < ' ' ? ' ' : *p);
	}
	if (text && text[n])
		buf_str(out, "…");
}

size_t prompt_cell_tokens(const char *text)
{
	/* Includes the separators. */
	size_t n = shown_bytes(text), tokens = tokens_estimate(text, n) + 2;

	for (const char *p = text; p < text + n; p++)
		tokens += *p == '<';
	return tokens + (text[n] != '\0');
}

static void add_args(struct buf *out, const struct args *args)
{
	for (size_t i = 0; i < args->count; i++) {
		const struct arg *arg = &args->items[i];

		buf_printf(out, "%s%s=", i ? ", " : "", arg->name);
		for (size_t k = 0; k < arg->count; k++) {
			const struct value *v = &arg->values[k];

			buf_str(out, k ? "+" : "");
			if (v->type == VALUE_INT || v->type == VALUE_BOOL)
				buf_printf(out, "%lld", (long long)v->number);
			else
				add_cell(out, v->text);
		}
	}
}

static void add_outcome(struct buf *out, const struct outcome *o)
{
	buf_printf(out, "Outcome: %s", outcome_name(o->kind));
	if (o->detail) {
		buf_str(out, ". ");
		add_cell(out, o->detail);
	}
	if (o->range_min && o->range_max)
		buf_printf(out, " The data covers %s to %s.", o->range_min, o->range_max);
	for (size_t i = 0; i < o->suggestion_count; i++) {
		bool is_other = o->kind == OUTCOME_NO_DATA; /* its label is a cell of a table */

		buf_str(out, i ? ", " : is_other ? " With data: " : " Closest: ");
		add_cell(out, is_other ? o->suggestions[i].value : o->suggestions[i].label);
	}
	buf_char(out, '\n');
}

static void add_facts(struct buf *out, const struct result *r)
{
	for (size_t i = 0; i < r->fact_count; i++) {
		const struct fact *f = &r->facts[i];

		buf_str(out, i ? "; " : "Derived: ");
		add_cell(out, f->label); /* may contain names and notes from the data */
		buf_str(out, " = ");
		add_cell(out, f->value);
		buf_printf(out, "%s%s", f->unit ? " " : "", f->unit ? f->unit : "");
	}
	if (r->fact_count)
		buf_char(out, '\n');
}

static void add_stats(struct buf *out, const struct table *t)
{
	if (!t->stats || t->row_count < 2)
		return;
	for (size_t c = 0; c < t->column_count; c++) {
		const struct column_stats *s = &t->stats[c];
		char sum[DECIMAL_TEXT_BYTES], mean[DECIMAL_TEXT_BYTES];

		if (!s->numeric || !column_is_number(t->columns[c].type) || s->count == 0)
			continue;
		add_cell(out, t->columns[c].name);
		buf_printf(out, ": min %s, max %s", s->min, s->max);
		if (s->is_sum_exact) {
			decimal_text_short(s->sum, sum);
			decimal_text_short(decimal_round(s->mean, 4), mean);
			buf_printf(out, ", mean %s, sum %s", mean, sum);
		}
		buf_printf(out, ", nulls %lld", (long long)s->nulls);
		if (s->partial)
			buf_printf(out, " (of the first %lld rows only; there are more)",
				   (long long)(s->count + s->nulls));
		buf_char(out, '\n');
	}
}

/* Lists what is omitted, so that a sample is not mistaken for the whole. */
static void add_omissions(struct buf *out, const struct table *t, const struct view_fit *fit,
			  size_t row_limit)
{
	const char *separator = "Omitted for lack of space: ";
	size_t available_rows = t->row_count < row_limit ? t->row_count : row_limit;

	for (size_t c = 0; c < t->column_count; c++) {
		if (fit->dropped[c] == VIEW_SHOWN)
			continue;
		buf_str(out, separator);
		add_cell(out, t->columns[c].name);
		buf_str(out, fit->dropped[c] == VIEW_DROPPED_SPARSE ? " (mostly empty)" : "");
		separator = ", ";
	}
	if (fit->row_count < available_rows)
		buf_printf(out, "%s%zu of %zu rows", separator, t->row_count - fit->row_count,
			   t->row_count);
	if (fit->column_count < t->column_count || fit->row_count < available_rows)
		buf_str(out, ". Statistics cover all rows.\n");
}

static void add_header(struct buf *out, const struct table *t, const struct view_fit *fit)
{
	const char *separator = "";

	for (size_t c = 0; c < t->column_count; c++) {
		if (fit->dropped[c] != VIEW_SHOWN)
			continue;
		buf_str(out, separator);
		add_cell(out, t->columns[c].name);
		if (t->columns[c].unit)
			buf_printf(out, " (%s)", t->columns[c].unit);
		separator = " | ";
	}
	buf_char(out, '\n');
}

static void add_row(struct buf *out, const struct table *t, const struct view_fit *fit, size_t row)
{
	const char *separator = "";

	for (size_t c = 0; c < t->column_count; c++) {
		if (fit->dropped[c] != VIEW_SHOWN)
			continue;
		buf_str(out, separator);
		add_cell(out, t->rows[row][c]);
		separator = " | ";
	}
	buf_char(out, '\n');
}

static void add_table(struct buf *out, const struct result *r, const struct table *t,
		      const struct view_fit *fit, size_t row_limit)
{
	buf_printf(out, "<data call=\"%s\" table=\"%s\" rows=\"", r->call,
		   t->name ? t->name : "main");
	view_row_count(out, r->language, t);
	buf_printf(out, "\" shown=\"%zu\"%s>\n", fit->row_count, t->truncated ? " truncated" : "");
	add_header(out, t, fit);
	for (size_t i = 0; i < fit->row_count; i++) {
		if (fit->rows[i] != (i ? fit->rows[i - 1] + 1 : 0))
			buf_str(out, "…\n"); /* rows between are omitted */
		add_row(out, t, fit, fit->rows[i]);
	}
	buf_str(out, "</data>\n");
	add_omissions(out, t, fit, row_limit);
}

size_t prompt_tables(const struct result *r)
{
	/* With facts, further tables only serve to derive them. */
	return r->fact_count > 0 && r->table_count > 1 ? 1 : r->table_count;
}

static void add_tables(struct buf *out, const struct result *r,
		       const struct prompt_options *options)
{
	struct arena *a = arena_new(FIT_ARENA_BYTES);

	for (size_t i = 0; i < prompt_tables(r) && options->extent < PROMPT_EXTENT_OUTCOME; i++) {
		struct view_limits limits = {.rows = options->rows,
					     .size = options->sizes ? options->sizes[i] : SIZE_MAX,
					     .measure = prompt_cell_tokens,
					     .extremes = true};
		struct view_fit fit;

		view_fit_table(r->tables[i], &limits, a, &fit);
		add_table(out, r, r->tables[i], &fit, options->rows);
		if (options->extent < PROMPT_EXTENT_FACTS)
			add_stats(out, r->tables[i]);
	}
	arena_free(&a);
}

/* ---- without text from the data ---- */

static void add_outcome_kind(struct buf *out, const struct outcome *o)
{
	buf_printf(out, "Outcome: %s.", outcome_name(o->kind));
	if (o->param)
		buf_printf(out, " It is about %s.", o->param);
	if (o->range_min && o->range_max)
		buf_printf(out, " The data covers %s to %s.", o->range_min, o->range_max);
	if (o->suggestion_count > 0)
		buf_printf(out, " %zu close names are known; the user is asked which is meant.",
			   o->suggestion_count);
	/* The detail about an argument may repeat a value passed by reference. */
	if (o->kind == OUTCOME_ERROR && o->detail && !o->param) {
		buf_char(out, ' ');
		add_cell(out, o->detail);
	}
	buf_char(out, '\n');
}

static void add_number_facts(struct buf *out, const struct result *r)
{
	for (size_t i = 0; i < r->fact_count; i++) {
		const struct fact *f = &r->facts[i];

		buf_printf(out, "%s%s.facts.%s", i ? "; " : "Derived: ", r->call, f->name);
		if (f->unit)
			buf_printf(out, " = %s %s", f->value, f->unit);
		else if (strcmp(f->name, RESULT_NARROW_BY) == 0) /* labels of the pack */
			buf_printf(out, " = %s", f->value);
	}
	if (r->fact_count)
		buf_char(out, '\n');
}

void prompt_result(struct buf *out, const struct result *r, const struct prompt_options *options)
{
	buf_printf(out, "Result %s of %s", r->call, r->tool);
	if (options->task && r->task)
		buf_printf(out, " (task %s)", r->task);
	buf_printf(out, ": %s\n", r->about ? r->about : "");
	if (options->numbers) {
		add_outcome_kind(out, &r->outcome);
	} else {
		buf_str(out, "Arguments: ");
		add_args(out, &r->args);
		buf_char(out, '\n');
		add_outcome(out, &r->outcome);
	}
	if (options->extent < PROMPT_EXTENT_OUTCOME && options->numbers)
		add_number_facts(out, r);
	else if (options->extent < PROMPT_EXTENT_OUTCOME)
		add_facts(out, r);
	add_tables(out, r, options);
	if (options->extent > PROMPT_EXTENT_FULL)
		buf_str(out, options->extent == PROMPT_EXTENT_FACTS
				     ? "Its statistics are omitted for lack of space.\n"
				     : "Its data is omitted for lack of space.\n");
	buf_char(out, '\n');
}
