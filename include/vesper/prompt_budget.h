/*
 * The data in a prompt, within a budget of tokens (tokens.h): notes (date, earlier messages,
 * question), the outcome, facts and data of each task, and gaps for which nothing was found.
 *
 * If not everything fits, the least valuable parts are dropped first: sample rows, down to a few
 * of each; optional notes, oldest first; all rows; statistics, then facts, of the oldest result
 * first. Outcomes and gaps are never dropped. The text itself says what was left out, and a list
 * is available for the log. Pure; all memory is in the arena.
 */
#ifndef VESPER_PROMPT_BUDGET_H
#define VESPER_PROMPT_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/result.h"
#include "vesper/tokens.h"

struct prompt_budget;

struct prompt_budget *prompt_budget_new(struct arena *a, size_t budget_tokens);

/* Texts and names are borrowed; must outlive the arena. Items are written in the order in which
 * they were added. */
void prompt_budget_note(struct prompt_budget *s, const char *text);
/* Sets the token category of the newest item. Defaults: TOKENS_QUESTION for notes, TOKENS_HISTORY
 * for optional notes, TOKENS_RESULTS for results. */
void prompt_budget_set_category(struct prompt_budget *s, enum tokens_part part);
/* An optional note. If it is dropped, the text names it: "What was said earlier". */
void prompt_budget_note_optional(struct prompt_budget *s, const char *name, const char *text);
/* Reserves tokens that another part of the request uses. */
void prompt_budget_reserve(struct prompt_budget *s, size_t tokens);
void prompt_budget_gap(struct prompt_budget *s, const char *what);

enum prompt_budget_detail {
	PROMPT_BUDGET_FULL, /* for the model that writes the answer: arguments, outcome, facts, rows
			  and statistics; cells are fenced as data */
	PROMPT_BUDGET_NUMBERS, /* for a model that can still call tools: no arguments, no text cells
			    and no names from the data; left-out values can be referred to (ref.h).
			    The rows must not contain text */
};
/* `rows`: row limit of each table. With several results, each that is PROMPT_BUDGET_FULL names its
 * task.
 */
void prompt_budget_result(struct prompt_budget *s, const struct result *r,
			  enum prompt_budget_detail detail, size_t rows);

/* Selects what fits and writes the text. Call again after adding items. */
void prompt_budget_fit(struct prompt_budget *s);
/* The whole text, or the text of one result. Valid after prompt_budget_fit. */
const char *prompt_budget_text(const struct prompt_budget *s);
const char *prompt_budget_result_text(const struct prompt_budget *s, const struct result *r);
size_t
prompt_budget_tokens(const struct prompt_budget *s); /* including those of prompt_budget_reserve */
/* Adds the tokens to their categories, without those of prompt_budget_reserve. */
void prompt_budget_tokens_by(const struct prompt_budget *s, struct tokens_by *by);

/* The parts that were left out: "c2: 460 of 500 rows". */
size_t prompt_budget_omitted_count(const struct prompt_budget *s);
const char *prompt_budget_omitted(const struct prompt_budget *s, size_t i);

#endif
