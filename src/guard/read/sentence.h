/* The current sentence: its text so far, and the numbers of the pending stretch. */
#ifndef VESPER_GUARD_SENTENCE_H
#define VESPER_GUARD_SENTENCE_H

#include "guard_int.h"

#define SENTENCE_MARKS_MAX   64 /* per stretch; a longer sentence is checked in parts */
#define PREVIOUS_NAMES_MAX   8
#define PREVIOUS_AMOUNTS_MAX 6
#define FORMULA_BYTES        160 /* of a derivation as text */

/* A number of the sentence and its result. */
struct mark {
	size_t from, len; /* within the sentence's text */
	struct shown shown;
	bool bound, unchecked, of_fact;
	bool directed; /* the words for more or less were confirmed */
	bool refuted;  /* a claim contradicts it */
	bool miscited; /* as in struct number_binding */
	enum guard_unchecked_reason why;
	struct recent amount;
	struct guard_ref ref;
	char formula[FORMULA_BYTES]; /* storage for a ref.formula created for this number */
};

struct sentence {
	struct buf text;
	size_t read; /* bytes before the last stretch */
	char prev;
	uint32_t named; /* slots of names in it */
	/* slots of names in this and the last sentence with names, and the question */
	uint32_t carried;
	struct {
		struct previous_name {
			int id;
			uint32_t slots;
		} names[PREVIOUS_NAMES_MAX];
		size_t count;
		struct previous_amount {
			guard_value value;
			const struct unit_def *unit;
		} amounts[PREVIOUS_AMOUNTS_MAX];
		size_t amount_count;
	} previous; /* names and amounts of the last sentence that has any */
	struct mark marks[SENTENCE_MARKS_MAX]; /* of the last stretch */
	size_t count;
};

void sentence_init(struct sentence *s);
void sentence_deinit(struct sentence *s);
/* Returns true at a space after a full stop, or at the end of a line. */
bool ends_sentence(char before, char c, bool in_row);
/* Later calls of sentence_mark refer to the text passed to sentence_end_stretch. */
void sentence_begin_stretch(struct sentence *s);
void sentence_mark(struct sentence *s, size_t from, const struct shown *shown,
		   const struct number_binding *v, const char *scratch);
/* Adds the text of the stretch and checks the claims about its numbers. */
void sentence_end_stretch(struct sentence *s, const char *text, size_t len, const struct known *k,
			  bool in_row);
/* Appends text. Each sentence end clears the text before it. */
void sentence_add(struct sentence *s, const char *text, size_t len, bool in_row);
/* Drops the text after the first `len` bytes. */
void sentence_truncate(struct sentence *s, size_t len);

#endif
