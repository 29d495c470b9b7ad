/* A clarifying question that stands, as both its asking and its answering read it. */
#ifndef VESPER_ASK_INT_H
#define VESPER_ASK_INT_H

#include "vesper/dialog.h"

static inline const char *ask_member(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

enum ask_input ask_input_of(const json_t *ask);

/* ---- ask_answer.c ---- */

bool ask_is_days(const json_t *ask);
/* The text is the value of an option, or there are no options. */
bool ask_is_option(const json_t *ask, const char *text);
/* Values that are allowed become edits. False: dialog.ask_failure says why they are not. */
bool ask_take(struct dialog_turn *t, const json_t *ask, const json_t *values,
	      struct ask_answer *out);
/* The message says a day, or two. */
void ask_take_days(struct dialog_turn *t, const json_t *ask, struct ask_answer *out);
/* The values stand for the filter that was asked about. A question without a filter is answered in
 * words: NULL. */
const json_t *ask_edits(struct dialog_turn *t, const json_t *ask, const json_t *values);

/* They are the answer: what it runs. Where each choice has a plan of its own, its filters are the
 * edits. */
void ask_chosen(const json_t *ask, const json_t *values, struct ask_answer *out);

/* ---- ask_words.c ---- */

/* Words that are one of the choices. Where no plan waits for them, reading the question finds out.
 * False: as ask_take. */
bool ask_read_words(struct dialog_turn *t, const json_t *ask, struct ask_answer *out);

#endif
