/* Internals shared by the files of the answer. */
#ifndef VESPER_ANSWER_INT_H
#define VESPER_ANSWER_INT_H

#include "vesper/answer.h"
#include "vesper/event.h"
#include "vesper/json_out.h"

/* slice.c: the tools that may fit the question, for the supervisor. Allocated in the arena. */
const char *slice_text(const struct answer_turn *t);
/* All tools of the domains that code ranks first, with their outputs, for the planner. */
const char *slice_of_domains(const struct answer_turn *t);
/* Similar questions with their calls, or "". They are recorded for the receipt. */
const char *slice_examples(struct answer_turn *t);

/* ---- cite.c ---- */

struct answer_cites;
/* Allocated in the arena; NULL: no result has passages. It stays readable after cites_close. */
struct answer_cites *cites_new(struct answer_turn *t);
/* Passes text to the number check, with each citation replaced by one mark character. */
void cites_feed(struct answer_cites *c, const char *text, size_t len);
void cites_end(struct answer_cites *c);
void cites_close(struct answer_cites *c);
/* Converts the citations of a text that bypasses cites_feed to mark characters. `uncited`: the text
 * must cite a passage, else the result is "". */
const char *cites_marked(struct answer_cites *c, const char *text, bool uncited);
/* Replaces mark characters with readable citations. */
const char *cites_readable(struct str text, struct arena *a);
/* Shows a checked chunk; each citation becomes a mark. False: the log is full. */
bool cites_show(struct answer_turn *t, const struct event_text_delta *delta,
		bool (*show)(struct answer_turn *t, const struct event_text_delta *delta));
/* Writes the citation members of `checked`. */
void cites_write(const struct answer_cites *c, struct json_out *j);

#endif
