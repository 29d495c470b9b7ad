/*
 * How many tokens a model may make of a text: the one estimate, by which prompts are filled and
 * budgets are held. Each service has its own tokenizer and none is at hand, so it is meant to be
 * too high: one for every four letters of a word begun, two capitals, each digit (some tokenizers
 * join three, those of Gemini, Llama and Qwen none), each mark and each line end; two for a
 * character outside ASCII, three for an emoji. A single space belongs to the word behind it, not to
 * a number.
 */
#ifndef VESPER_TOKENS_H
#define VESPER_TOKENS_H

#include <stddef.h>

size_t tokens_estimate(const char *text, size_t len);

/* What the tokens of a request are spent on. */
enum tokens_part {
	TOKENS_PROMPT,    /* instructions: the same for everybody of a role */
	TOKENS_SCHEMA,    /* tools, views and the form of the reply */
	TOKENS_EXAMPLES,  /* questions and how they were answered */
	TOKENS_HISTORY,   /* what was said before */
	TOKENS_RESULTS,   /* what tools gave */
	TOKENS_DOCUMENTS, /* passages of documents */
	TOKENS_QUESTION,  /* the rest: the question, its filters, the date */
	TOKENS_PARTS,
};
struct tokens_by {
	size_t of[TOKENS_PARTS];
};
/* "prompt", "schema", … */
const char *tokens_part_name(enum tokens_part part);

#endif
