/* Inside of the answer: what its prompts share. */
#ifndef VESPER_ANSWER_INT_H
#define VESPER_ANSWER_INT_H

#include "vesper/answer.h"

/* slice.c: the tools that the question may be for, for the supervisor; in the arena */
const char *slice_text(const struct answer_turn *t);
/* All tools of the domains that code ranks first, with what they give, for the planner. */
const char *slice_of_domains(const struct answer_turn *t);

#endif
