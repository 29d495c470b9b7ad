/* The sentence that is being read: its text so far and the numbers of the stretch that waits. */
#ifndef VESPER_GUARD_SENTENCE_H
#define VESPER_GUARD_SENTENCE_H

#include "guard_int.h"

#define SENTENCE_MARKS_MAX 64  /* numbers of one stretch; a sentence of more is read in parts */
#define FORMULA_BYTES      160 /* of a derivation, as text */

/* A number of the sentence and what it was found to be. */
struct mark {
	size_t from, len; /* in the sentence's text */
	struct shown shown;
	bool bound, unchecked, of_fact;
	bool directed; /* what is said of more or less was compared */
	bool astray;   /* as of a verdict */
	enum guard_unjudged why;
	struct recent amount;
	struct guard_ref ref;
	char formula[FORMULA_BYTES]; /* where ref has one that was made for this number */
};

struct sentence {
	struct buf text;
	size_t read; /* bytes before the stretch that was read last */
	char prev;
	uint32_t named;   /* kinds of the names in it */
	uint32_t carried; /* and in the last sentence before that named something, and the question
			   */
	struct mark marks[SENTENCE_MARKS_MAX]; /* of that stretch */
	size_t count;
};

void sentence_init(struct sentence *s);
void sentence_deinit(struct sentence *s);
/* A space after a full stop, or the line's end. */
bool ends_sentence(char before, char c, bool in_row);
/* What follows in sentence_mark belongs to the text that sentence_end_stretch is given. */
void sentence_begin_stretch(struct sentence *s);
void sentence_mark(struct sentence *s, size_t from, const struct shown *shown,
		   const struct verdict *v, const char *scratch);
/* That text is here: what the sentence claims of its numbers is checked. */
void sentence_end_stretch(struct sentence *s, const char *text, size_t len, const struct known *k,
			  bool in_row);
/* Appends text; each sentence's end empties it before what follows. */
void sentence_add(struct sentence *s, const char *text, size_t len, bool in_row);
/* Forgets what came after the first `len` bytes. */
void sentence_return(struct sentence *s, size_t len);

#endif
