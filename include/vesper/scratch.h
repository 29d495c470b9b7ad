/*
 * What a turn knows, as far as a model is told: notes (the date, what was said before, the
 * question), what each task found with its outcome and facts, and what nothing was found for. It is
 * put into words within a budget of tokens (tokens.h says how they are counted).
 *
 * Where not all of it fits, what is worth least goes first: rows of samples, down to a few of each;
 * notes that may go, the oldest first; all rows; statistics, then facts, of the oldest result
 * first. An outcome or a gap never goes. Whatever was left out is said in the text itself, and
 * listed for the log. Pure; all memory in the arena.
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

/* Texts and names are borrowed and must live as long as the arena; items stand in the order in
 * which they were added. */
void scratch_note(struct scratch *s, const char *text);
/* Counts the newest item as this; otherwise notes are TOKENS_QUESTION, those that may go
 * TOKENS_HISTORY, results TOKENS_RESULTS. */
void scratch_is(struct scratch *s, enum tokens_part part);
/* One that may go; its name says what is missing then: "What was said earlier". */
void scratch_note_spare(struct scratch *s, const char *name, const char *text);
/* Of another place of the same request: takes room, says nothing. */
void scratch_spend(struct scratch *s, size_t tokens);
void scratch_gap(struct scratch *s, const char *what);

enum scratch_way {
	SCRATCH_WHOLE,   /* for the writer of the answer: arguments, outcome, facts, rows and
			    statistics; cells are fenced as data */
	SCRATCH_NUMBERS, /* for who may still call tools: no argument, no text of a cell and no name
			    that the data holds; what is left out can be referred to (ref.h). The
			    rows must hold no text */
};
/* `rows`: of each of its tables, at most. Where several are told whole, each says of
 * which task it is. */
void scratch_result(struct scratch *s, const struct result *r, enum scratch_way way, size_t rows);

/* Decides what stays and puts it into words. Again after more was added. */
void scratch_fit(struct scratch *s);
/* Everything, or the words of one result. After scratch_fit. */
const char *scratch_text(const struct scratch *s);
const char *scratch_text_of(const struct scratch *s, const struct result *r);
size_t scratch_tokens(const struct scratch *s);
/* The same without what was spent elsewhere, added to the parts that it is of. */
void scratch_tokens_by(const struct scratch *s, struct tokens_by *by);

/* What was left out: "c2: 460 of 500 rows of main". */
size_t scratch_left_count(const struct scratch *s);
const char *scratch_left(const struct scratch *s, size_t i);

#endif
