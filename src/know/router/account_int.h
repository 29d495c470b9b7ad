/* What account.c knows of the words of tools and domains; account_vocabulary.c collects it once for
 * a catalogue. */
#ifndef KNOW_ACCOUNT_INT_H
#define KNOW_ACCOUNT_INT_H

#include "know_int.h"

#define ACCOUNT_SCRATCH_BYTES 65536 /* to read one text */

/* Where the vocabulary of a tool has a word from; and whether it ranks or counts what the word
 * names. */
enum {
	FROM_ABOUT = 1,
	FROM_COLUMN = 2,
	FROM_PARAM = 4,
	FROM_DOMAIN = 8,
	RANKED = 16,
	COUNTED = 32,
	GRAIN = 64
};

struct accounts {
	struct dict *tools; /* by index of the tool: stem -> where it has it from, as bits */
	struct dict *domains;
	struct dict neutral;             /* stems of the language's neutral words */
	bool *ranks, *newest, *compares; /* by index of the tool */
	bool *bottoms;                   /* the same: it speaks of the least */
	bool *lasts;                     /* the same: it says how long something takes */
	bool *explains;                  /* the same: it tells reasons */
};

#endif
