/* Inside of the answer: what its prompts share. */
#ifndef VESPER_ANSWER_INT_H
#define VESPER_ANSWER_INT_H

#include "vesper/answer.h"
#include "vesper/event.h"
#include "vesper/json_out.h"

/* slice.c: the tools that the question may be for, for the supervisor; in the arena */
const char *slice_text(const struct answer_turn *t);
/* All tools of the domains that code ranks first, with what they give, for the planner. */
const char *slice_of_domains(const struct answer_turn *t);
/* Questions like this one with their calls, "" where there are none; they are noted for the
 * receipt. */
const char *slice_examples(struct answer_turn *t);

/* ---- cite.c ---- */

struct answer_cites;
/* NULL: no result has passages. In the arena; closed by cites_close, and read afterwards. */
struct answer_cites *cites_new(struct answer_turn *t);
/* Text on its way to the number check, with a character for each citation. */
void cites_feed(struct answer_cites *c, const char *text, size_t len);
void cites_end(struct answer_cites *c);
void cites_close(struct answer_cites *c);
/* A text that takes another way there, with those characters. `uncited`: it is to cite something;
 * "" where it does not. */
const char *cites_marked(struct answer_cites *c, const char *text, bool uncited);
/* Such characters as people read them. */
const char *cite_spelled(struct str text, struct arena *a);
/* Shows a checked piece: each citation as a mark. False: the log is full. */
bool cites_show(struct answer_turn *t, const struct event_text_delta *delta,
		bool (*show)(struct answer_turn *t, const struct event_text_delta *delta));
/* Members of `checked`. */
void cites_write(const struct answer_cites *c, struct json_out *j);

#endif
