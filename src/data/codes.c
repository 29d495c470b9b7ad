/* The table of codes.h and its lookups. */
#include "vesper/codes.h"

#include <assert.h>
#include <string.h>

static const struct code_row rows[CODE_COUNT] = {
#define CODE(name, ...) [CODE_##name] = {__VA_ARGS__},
	CODES(CODE)
#undef CODE
};

const struct code_row *code_row(enum code c)
{
	assert(c < CODE_COUNT);
	return &rows[c];
}

enum code code_of_request(enum err_code code)
{
	for (int c = 0; c < CODE_INTERNAL; c++)
		if (code != ERR_NONE && rows[c].request == code)
			return (enum code)c;
	return CODE_INTERNAL;
}

enum code code_of_turn(enum err_code code)
{
	for (int c = 0; c < CODE_INTERNAL; c++)
		if (code != ERR_NONE && rows[c].turn == code)
			return (enum code)c;
	return CODE_INTERNAL;
}

enum code code_of_wire(const char *wire)
{
	for (int c = 0; c < CODE_COUNT; c++)
		if (strcmp(rows[c].wire, wire) == 0)
			return (enum code)c;
	return CODE_INTERNAL;
}

bool code_view_is_recoverable(const char *view)
{
	/* Not retryable as requests, but a question can be rephrased. */
	static const char *const recoverable[] = {"INPUT_VALIDATION_FAILED", "AMBIGUOUS_REFERENCE",
						  "SQL_GENERATION_FAILED", "SQL_EXECUTION_FAILED"};

	for (size_t i = 0; i < sizeof(recoverable) / sizeof(recoverable[0]); i++)
		if (strcmp(view, recoverable[i]) == 0)
			return true;
	for (int c = 0; c < CODE_COUNT; c++)
		if (rows[c].retryable && strcmp(rows[c].view, view) == 0)
			return true;
	return false;
}
