/*
 * An estimate of the tokens of a text, used to fill prompts and to check budgets. Each service has
 * a different tokenizer and none is available here, so the estimate is meant to be too high. It
 * counts one token for every four letters of a word, two capitals, each digit, each punctuation
 * mark and each line end; two for a character outside ASCII, and three for an emoji. (Some
 * tokenizers join three digits; those of Gemini, Llama and Qwen join none.) A single space belongs
 * to the word after it, but not to a number.
 */
#ifndef VESPER_TOKENS_H
#define VESPER_TOKENS_H

#include <stddef.h>

size_t tokens_estimate(const char *text, size_t len);

/* Categories of a request's tokens. */
enum tokens_part {
	TOKENS_PROMPT,    /* instructions: the same for all callers of a role */
	TOKENS_SCHEMA,    /* tools, views and the reply format */
	TOKENS_EXAMPLES,  /* example questions with their calls */
	TOKENS_HISTORY,   /* earlier messages */
	TOKENS_RESULTS,   /* tool results */
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
