/* Vocabulary that unused_words.c checks the words of a question against. tool_vocabulary.c builds
 * it once per catalogue. */
#ifndef KNOW_ACCOUNT_INT_H
#define KNOW_ACCOUNT_INT_H

#include "know_int.h"

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
	TOTALLED = 256  /* a fact is the total of it */
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

#endif
