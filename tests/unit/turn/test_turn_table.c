/* The state table: every state has a step, a time limit and a description, is reachable from the
 * start, and reaches the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "turn_int.h"

/* Failing is allowed from every state before FAILED. */
static unsigned moves(unsigned s)
{
	return turn_rows[s].allowed_next | (s < TURN_FAILED ? 1u << TURN_FAILED : 0);
}

static unsigned reached_from(unsigned start)
{
	unsigned reached = 1u << start;

	for (unsigned before = 0; before != reached;) {
		before = reached;
		for (unsigned s = 0; s < TURN_STATE_COUNT; s++)
			if (reached & (1u << s))
				reached |= moves(s);
	}
	return reached;
}

static void every_state_row_is_complete(void **state)
{
	(void)state;
	for (unsigned s = 0; s < TURN_STATE_COUNT; s++) {
		assert_non_null(turn_rows[s].step);
		assert_true(turn_rows[s].limit_ms > 0);
		assert_true(strlen(turn_rows[s].about) > 10);
		assert_true(strlen(turn_state_name((enum turn_state)s)) > 2);
	}
}

static void every_state_is_reachable_and_ends(void **state)
{
	(void)state;
	assert_int_equal(reached_from(TURN_ACCEPT), (1u << TURN_STATE_COUNT) - 1);
	for (unsigned s = 0; s < TURN_STATE_COUNT; s++)
		assert_true(reached_from(s) & (1u << TURN_DONE));
	assert_int_equal(turn_rows[TURN_DONE].allowed_next, 0);
}

static void completes_only_after_storing(void **state)
{
	(void)state;
	for (unsigned s = 0; s < TURN_STATE_COUNT; s++)
		if (s != TURN_SAVE && s != TURN_FAILED)
			assert_false(turn_rows[s].allowed_next & (1u << TURN_DONE));
}

static void diagram_shows_every_transition(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 65536);
	turn_print(&b);
	for (unsigned s = 0; s < TURN_STATE_COUNT; s++)
		for (unsigned next = 0; next < TURN_STATE_COUNT; next++) {
			char line[64];

			snprintf(line, sizeof(line), "    %s --> %s\n",
				 turn_state_name((enum turn_state)s),
				 turn_state_name((enum turn_state)next));
			assert_int_equal(strstr(buf_text(&b), line) != NULL,
					 (moves(s) & (1u << next)) != 0);
		}
	buf_deinit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_state_row_is_complete),
		cmocka_unit_test(every_state_is_reachable_and_ends),
		cmocka_unit_test(completes_only_after_storing),
		cmocka_unit_test(diagram_shows_every_transition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
