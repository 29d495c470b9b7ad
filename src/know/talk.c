/* Small talk: greetings and questions for help are no questions about data. */
#include "know_int.h"

static bool is_greeting(const struct question *q)
{
	if (!words_in(q, WORDS_GREETINGS))
		return false;
	for (size_t i = 0; i < q->count; i++)
		if (!token_says(&q->tokens[i], WORDS_GREETINGS) &&
		    !token_says(&q->tokens[i], WORDS_GREETING_FILLERS))
			return false;
	return true;
}

#define HELP_WORDS 3 /* "help me please" */

static bool is_help(const struct question *q)
{
	return (q->count <= HELP_WORDS && words_in(q, WORDS_HELP)) ||
	       words_in(q, WORDS_HELP_PHRASES);
}

enum small_talk small_talk_of(const struct question *q)
{
	if (is_greeting(q))
		return TALK_GREETING;
	return is_help(q) ? TALK_HELP : TALK_NONE;
}
