/*
 * The data in a prompt, within a budget of tokens (tokens.h): notes (date, earlier messages,
 * question), the outcome, facts and data of each task, and gaps for which nothing was found.
 *
 * If not everything fits, the least valuable parts are dropped first: sample rows, down to a few
 * of each; optional notes, oldest first; all rows; statistics, then facts, of the oldest result
 * first. Outcomes and gaps are never dropped. The text itself says what was left out, and a list
 * is available for the log. Pure; all memory is in the arena.
 */
#ifndef VESPER_SCRATCH_H
#define VESPER_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/result.h"
#include "vesper/tokens.h"

struct scratch;

struct scratch *scratch_new(struct arena *a, size_t budget_tokens);

/* Texts and names are borrowed; must outlive the arena. Items are written in the order in which
 * they were added. */
void scratch_note(struct scratch *s, const char *text);
/* Sets the token category of the newest item. Defaults: TOKENS_QUESTION for notes, TOKENS_HISTORY
 * for optional notes, TOKENS_RESULTS for results. */
void scratch_set_category(struct scratch *s, enum tokens_part part);
/* An optional note. If it is dropped, the text names it: "What was said earlier". */
void scratch_note_optional(struct scratch *s, const char *name, const char *text);
/* Reserves tokens that another part of the request uses. */
void scratch_reserve(struct scratch *s, size_t tokens);
void scratch_gap(struct scratch *s, const char *what);

enum scratch_detail {
	SCRATCH_FULL, /* for the model that writes the answer: arguments, outcome, facts, rows and
			  statistics; cells are fenced as data */
	SCRATCH_NUMBERS, /* for a model that can still call tools: no arguments, no text cells and
			    no names from the data; left-out values can be referred to (ref.h). The
			    rows must not contain text */
};
/* `rows`: row limit of each table. With several results, each that is SCRATCH_FULL names its task.
 */
void scratch_result(struct scratch *s, const struct result *r, enum scratch_detail detail,
		    size_t rows);

/* Selects what fits and writes the text. Call again after adding items. */
void scratch_fit(struct scratch *s);
/* The whole text, or the text of one result. Valid after scratch_fit. */
const char *scratch_text(const struct scratch *s);
const char *scratch_result_text(const struct scratch *s, const struct result *r);
size_t scratch_tokens(const struct scratch *s); /* including those of scratch_reserve */
/* Adds the tokens to their categories, without those of scratch_reserve. */
void scratch_tokens_by(const struct scratch *s, struct tokens_by *by);

/* The parts that were left out: "c2: 460 of 500 rows". */
size_t scratch_omitted_count(const struct scratch *s);
const char *scratch_omitted(const struct scratch *s, size_t i);

#endif
