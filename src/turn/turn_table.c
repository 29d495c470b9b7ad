/*
 * State table of the turn: time limits and allowed transitions. `vesperd --print-turn` prints it; a
 * test compares the output with docs/architecture.md.
 */
#include "turn_int.h"

#include "vesper/limits.h"

#define TO(s) (1u << TURN_##s)

/* clang-format off */
const struct turn_row turn_rows[TURN_STATE_COUNT] = {
/*                    step             limit_ms  next states                          what it does */
[TURN_ACCEPT]     = { step_accept,       5000, TO(LOAD),                            "store the user's message, read the session, then acknowledge" },
[TURN_LOAD]       = { step_load,         5000, TO(COMPACT) | TO(UNDERSTAND),        "load the session context and the messages after the summary" },
[TURN_COMPACT]    = { step_compact,     20000, TO(UNDERSTAND),                      "summarize the older messages of a long session" },
[TURN_UNDERSTAND] = { step_understand,   ENTITY_INDEX_WAIT_MS + 1000, TO(ROUTE) | TO(RUN) | TO(ANSWER),    "read the question by code: entities, dates, intent, tools" },
[TURN_ROUTE]      = { step_route,       60000, TO(RUN) | TO(RECOVER) | TO(SYNTH) | TO(ANSWER), "ask the supervisor or planner about what code could not decide" },
[TURN_RUN]        = { step_run,         60000, TO(RECOVER) | TO(SYNTH) | TO(ANSWER), "run the plan's tasks in waves" },
[TURN_RECOVER]    = { step_recover,     10000, TO(ROUTE) | TO(SYNTH) | TO(ANSWER),  "handle results without rows: suggest other dates, names or data" },
[TURN_SYNTH]      = { step_synth,      120000, TO(SAVE) | TO(ROUTE),                "write the answer, stream it" },
[TURN_ANSWER]     = { step_answer,       1000, TO(SAVE),                            "send a prepared reply: clarifying question, refusal, greeting" },
[TURN_FAILED]     = { step_failed,       1000, TO(SAVE) | TO(DONE),                 "report the error, keep the text shown so far" },
[TURN_SAVE]       = { step_save,         5000, TO(DONE),                            "store the answer, then send the closing event" },
[TURN_DONE]       = { step_done,         1000, 0,                                   "the turn has ended and its memory is freed" },
};
/* clang-format on */

static const char *const names[TURN_STATE_COUNT] = {
	[TURN_ACCEPT] = "ACCEPT",         [TURN_LOAD] = "LOAD",   [TURN_COMPACT] = "COMPACT",
	[TURN_UNDERSTAND] = "UNDERSTAND", [TURN_ROUTE] = "ROUTE", [TURN_RUN] = "RUN",
	[TURN_RECOVER] = "RECOVER",       [TURN_SYNTH] = "SYNTH", [TURN_ANSWER] = "ANSWER",
	[TURN_FAILED] = "FAILED",         [TURN_SAVE] = "SAVE",   [TURN_DONE] = "DONE",
};

const char *turn_state_name(enum turn_state s)
{
	return s < TURN_STATE_COUNT ? names[s] : "WAIT";
}

void turn_print(struct buf *out)
{
	buf_str(out, "stateDiagram-v2\n    [*] --> ACCEPT\n");
	for (unsigned s = 0; s < TURN_STATE_COUNT; s++) {
		buf_printf(out, "    %s : %s\n", names[s], turn_rows[s].about);
		for (unsigned next = 0; next < TURN_STATE_COUNT; next++)
			if (turn_rows[s].allowed_next & (1u << next))
				buf_printf(out, "    %s --> %s\n", names[s], names[next]);
		if (s < TURN_FAILED)
			buf_printf(out, "    %s --> FAILED\n", names[s]);
	}
	buf_str(out, "    DONE --> [*]\n");
}
