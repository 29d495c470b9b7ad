/* Small talk: greetings and questions for help are no questions about data. */
#include "know_int.h"

#include <string.h>

static const char *const greetings[] = {
	"hi", "hello", "hey",    "hiya",  "howdy", "morning", "afternoon", "evening", "greetings",
	"yo", "hallo", "thanks", "thank", "thx",   "cheers",  "bye",       "goodbye", "welcome",
	"ok", "okay",  "great",  "cool",  "nice",  "perfect", "awesome",   NULL};
/* May stand beside a greeting. */
static const char *const fillers[] = {
	"there",    "good",  "you",  "very",  "much", "so",    "a",   "lot",  "all",   "vesper",
	"everyone", "team",  "and",  "for",   "the",  "your",  "how", "are",  "doing", "is",
	"it",       "going", "to",   "today", "day",  "that",  "s",   "this", "dear",  "again",
	"i",        "am",    "fine", "well",  "see",  "later", NULL};

static bool has(const struct question *q, const char *const *words)
{
	for (size_t i = 0; i < q->count; i++)
		if (token_in(&q->tokens[i], words))
			return true;
	return false;
}

static bool is_greeting(const struct question *q)
{
	if (!has(q, greetings))
		return false;
	for (size_t i = 0; i < q->count; i++)
		if (!token_in(&q->tokens[i], greetings) && !token_in(&q->tokens[i], fillers))
			return false;
	return true;
}

static bool has_run(const struct question *q, const char *words)
{
	for (size_t i = 0; i < q->count; i++) {
		const char *at = words;

		for (size_t n = i; n < q->count && *at == q->tokens[n].text[0]; n++) {
			size_t len = q->tokens[n].len;

			if (strncmp(at, q->tokens[n].text, len) != 0 || (at[len] && at[len] != ' '))
				break;
			if (!at[len])
				return true;
			at += len + 1;
		}
	}
	return false;
}

static bool is_help(const struct question *q)
{
	static const char *const phrases[] = {"what can you",
					      "what do you know",
					      "who are you",
					      "what are you",
					      "how do i use",
					      "how does this work",
					      "what can i ask",
					      "what can we ask",
					      "can you do",
					      "what questions",
					      "how do you work",
					      "what is this",
					      "what kind of questions",
					      "what data do you",
					      "help me get started",
					      "what else can you",
					      NULL};

	if (q->count <= 3 && q->count > 0 &&
	    has(q, (const char *const[]){"help", "instructions", "manual", NULL}))
		return true;
	for (size_t i = 0; phrases[i]; i++)
		if (has_run(q, phrases[i]))
			return true;
	return false;
}

enum small_talk small_talk_of(const struct question *q)
{
	if (is_greeting(q))
		return TALK_GREETING;
	return is_help(q) ? TALK_HELP : TALK_NONE;
}
