/*
 * Results as people see them: JSON views for clients, compact text for prompts, numbers in the
 * house style, and the template answers of the way without a model. Pure.
 */
#ifndef VESPER_VIEW_H
#define VESPER_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/clock.h"
#include "vesper/err.h"
#include "vesper/result.h"
#include "vesper/str.h"

/* The data view of one table of a result (columns, meta, data_dict by column, row counts,
 * truncation, source). New ref. */
json_t *view_data(const struct result *r, const struct table *t, const char *view_id);

/* Table and facts as text for a prompt: outcome line, facts, statistics, then at most `rows` rows
 * as a pipe table. Cells are fenced as data. */
void view_prompt(struct buf *out, const struct result *r, size_t rows);

/* Numbers in the house style: "$48.73/MWh", "5.1%", "8,760", "$2.1M"; unknown units stand behind
 * the number. Text that is no number is copied. */
void view_number(struct buf *out, const char *digits, const char *unit);
/* "March 2026" for a first of month, else "26 February 2026". Not a date: copied. */
void view_date(struct buf *out, const char *iso);

struct view_answer_input {
	const struct result *const *results;
	size_t result_count;
	struct date today;
	bool may_see_sql;
};

struct view_followup {
	const char *label;
	const char *question;
	bool primary;
};

struct view_answer {
	const char *markdown;
	const struct view_followup *followups;
	size_t followup_count;
};

/*
 * The whole answer by template: direct answer first, then a table, what was searched when there is
 * nothing. Every outcome of every result is worded.
 *
 * A tool's own sentence (result.answer) may hold {Column} (the first row's cell, in the house
 * style), {param} (an argument, where no column has that name), {fact.name}, {arg.name} and {rows};
 * a part in [[ ]] is left out when a placeholder in it has no value. A first row is the leading
 * one: the tool's SQL orders it so. The same placeholders serve result.suggest, where a question
 * that lacks a value is left out.
 */
void view_answer(const struct view_answer_input *in, struct arena *a, struct view_answer *out);

#endif
