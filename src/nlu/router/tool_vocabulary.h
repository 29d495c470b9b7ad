/* Vocabulary that unused_words.c checks the words of a question against, and what the words do
 * there. tool_vocabulary.c builds it once per catalogue. */
#ifndef NLU_TOOL_VOCABULARY_H
#define NLU_TOOL_VOCABULARY_H

#include "nlu_int.h"

#define VOCABULARY_SCRATCH_BYTES 65536 /* for reading one text */

/* Flags of a word in a tool's vocabulary: its origin, and whether the tool ranks or counts by it.
 */
enum {
	FROM_ABOUT = 1,
	FROM_COLUMN = 2,
	FROM_PARAM = 4,
	FROM_DOMAIN = 8,
	RANKED = 16,
	COUNTED = 32,
	GRAIN = 64,
	MEASURED = 128, /* a unit of a column or fact */
	TOTALLED = 256, /* a fact is the total of it */
	FROM_WORDS = 512
};

struct tool_vocabulary {
	struct dict *tools; /* by tool index: stem -> FROM_… flags */
	struct dict *domains;
	struct dict neutral;             /* stems of the language's neutral words */
	bool *ranks, *newest, *compares; /* by tool index */
	bool *ranks_bottom;              /* by tool index: it reports the least */
	bool *has_duration;              /* by tool index: it reports durations */
	bool *has_reasons;               /* by tool index: it reports reasons */
};

/* ---- word_use.c: all are pure ---- */

/* "Who sponsors it": the word is the label of a dimension. */
bool word_is_label(const struct nlu *k, const struct token *t);
/* "Projects that are big": it describes what is asked for, even if it is neutral elsewhere. */
bool word_is_predicate_adjective(const struct question *q, size_t i);
/* "The mean budget": an aggregate in front of a noun. */
bool word_is_aggregate(const struct reading *r, size_t i);
/* "The second one": a row of the last answer, which no tool takes. */
bool word_is_row_reference(const struct question *q, size_t i);
/* "Which of them": the rows of the last answer. */
bool word_points_at_rows(const struct question *q, size_t i);
/* An otherwise neutral word that here asks for something no tool or metric provides. */
bool word_is_unsupported_request(const struct reading *r, size_t i);

#endif
