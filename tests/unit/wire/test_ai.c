/* The UI message stream of the AI SDK: four turns, byte for byte. */
#include "dialect_story.h"

static void writes_all_turns(void **state)
{
	(void)state;
	check_stories(&wire_ai);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_all_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
