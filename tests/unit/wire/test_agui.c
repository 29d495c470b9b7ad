/* AG-UI: four turns, byte for byte. */
#include "dialect_story.h"

static void tells_the_turns(void **state)
{
	(void)state;
	check_stories(&wire_agui);
}

/* Steps beyond the places of the state are left out whole: their client would refuse a run that
 * ends with one open. */
static void every_step_is_closed(void **state)
{
	struct stream_log *log = story_begin();
	char id[16], *said;
	size_t begun = 0, ended = 0;

	(void)state;
	for (int i = 0; i < 40; i++) {
		snprintf(id, sizeof(id), "c%d", i);
		story_tool(log, id, i % 3 == 0, "completed");
	}
	story_end(log, "interrupted");
	said = story_said(log, &wire_agui, &story_head);
	for (const char *at = said; (at = strstr(at, "\"STEP_STARTED\"")); at++)
		begun++;
	for (const char *at = said; (at = strstr(at, "\"STEP_FINISHED\"")); at++)
		ended++;
	assert_int_equal(begun, ended);
	assert_true(begun >= 16);
	mem_free(said);
	stream_release(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_the_turns),
		cmocka_unit_test_setup_teardown(every_step_is_closed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
