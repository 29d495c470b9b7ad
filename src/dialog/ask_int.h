/* A pending clarifying question, as read by the code that asks it and the code that reads the
 * answer. */
#ifndef VESPER_ASK_INT_H
#define VESPER_ASK_INT_H

#include "vesper/dialog.h"

static inline const char *ask_member(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

enum ask_input ask_input_of(const json_t *ask);

/* ---- ask_answer.c ---- */

bool ask_is_date_input(const json_t *ask);
/* Returns true when the text is the value of an option, or there are no options. */
bool ask_is_option(const json_t *ask, const char *text);
/* Turns permitted values into edits. Returns false and sets dialog.ask_failure otherwise. */
bool ask_apply_values(struct dialog_turn *t, const json_t *ask, const json_t *values,
		      struct ask_answer *out);
/* Reads one day or two days from the message. */
void ask_read_days(struct dialog_turn *t, const json_t *ask, struct ask_answer *out);
/* Edits that set the filter of the question to the values. NULL: the question has no filter and is
 * answered in words. */
const json_t *ask_filter_edits(struct dialog_turn *t, const json_t *ask, const json_t *values);

/* Sets what the answer runs. If each choice has its own plan, the plan's filters are the edits. */
void ask_set_choice(const json_t *ask, const json_t *values, struct ask_answer *out);

/* ---- ask_words.c ---- */

/* Reads an answer in words that names a choice. Without a waiting plan, the question is read again
 * instead. Returns as ask_apply_values. */
bool ask_read_words(struct dialog_turn *t, const json_t *ask, struct ask_answer *out);

#endif
