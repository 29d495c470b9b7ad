/*
 * Results as text for a prompt: compact, with statistics and derived facts so that the model never
 * has to add up rows, and with the cells fenced: what stands between <data> and </data> is data,
 * whatever it says.
 */
#include "view_int.h"

#include <string.h>

/* A cell can't close its fence, break its row or its column. */
static void add_cell(struct buf *out, const char *text)
{
	for (const char *p = text ? text : ""; *p; p++) {
		if (*p == '<')
			buf_str(out, "‹");
		else if (*p == '|')
			buf_char(out, '/');
		else
			buf_char(out, (unsigned char)*p < ' ' ? ' ' : *p);
	}
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
		buf_str(out, i ? ", " : " Closest: ");
		add_cell(out, o->suggestions[i].label);
	}
	buf_char(out, '\n');
}

static void add_facts(struct buf *out, const struct result *r)
{
	for (size_t i = 0; i < r->fact_count; i++) {
		const struct fact *f = &r->facts[i];

		buf_printf(out, "%s%s = %s%s%s", i ? "; " : "Derived: ", f->label, f->value,
			   f->unit ? " " : "", f->unit ? f->unit : "");
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
		buf_printf(out, "%s: min %s, max %s", t->columns[c].name, s->min, s->max);
		if (s->sum_exact) {
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

static void add_table(struct buf *out, const char *call, const struct table *t, size_t rows)
{
	size_t shown = t->row_count < rows ? t->row_count : rows;

	buf_printf(out, "<data call=\"%s\" table=\"%s\" rows=\"", call, t->name ? t->name : "main");
	view_row_count(out, t);
	buf_printf(out, "\" shown=\"%zu\"%s>\n", shown, t->truncated ? " truncated" : "");
	for (size_t c = 0; c < t->column_count; c++) {
		buf_printf(out, "%s%s", c ? " | " : "", t->columns[c].name);
		if (t->columns[c].unit)
			buf_printf(out, " (%s)", t->columns[c].unit);
	}
	buf_char(out, '\n');
	for (size_t r = 0; r < shown; r++) {
		for (size_t c = 0; c < t->column_count; c++) {
			buf_str(out, c ? " | " : "");
			add_cell(out, t->rows[r][c]);
		}
		buf_char(out, '\n');
	}
	buf_str(out, "</data>\n");
	add_stats(out, t);
}

void view_prompt(struct buf *out, const struct result *r, size_t rows)
{
	buf_printf(out, "Result %s of %s: %s\nArguments: ", r->call, r->tool,
		   r->about ? r->about : "");
	add_args(out, &r->args);
	buf_char(out, '\n');
	add_outcome(out, &r->outcome);
	add_facts(out, r);
	/* Rows of the main table; further tables were made to derive facts from and are shown
	 * shortly. */
	for (size_t i = 0; i < r->table_count; i++)
		if (i == 0 || r->fact_count == 0)
			add_table(out, r->call, r->tables[i], rows);
	buf_char(out, '\n');
}

/* ---- without the data's texts ---- */

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
	/* The words about an argument may repeat a value that came by reference. */
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
	}
	if (r->fact_count)
		buf_char(out, '\n');
}

void view_prompt_numbers(struct buf *out, const struct result *r, size_t rows)
{
	buf_printf(out, "Result %s of %s: %s\n", r->call, r->tool, r->about ? r->about : "");
	add_outcome_kind(out, &r->outcome);
	add_number_facts(out, r);
	for (size_t i = 0; i < r->table_count; i++)
		if (i == 0 || r->fact_count == 0)
			add_table(out, r->call, r->tables[i], rows);
	buf_char(out, '\n');
}
