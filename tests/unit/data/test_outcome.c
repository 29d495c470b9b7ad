/* Outcomes as JSON: missing members are omitted, never null. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/outcome.h"

static void assert_json(struct outcome o, const char *expected)
{
	json_t *value = outcome_json(&o);
	char *text = json_text(value);
	assert_string_equal(text, expected);
	mem_free(text);
	json_decref(value);
}

static void writes_only_present_members(void **state)
{
	(void)state;
	assert_json((struct outcome){.kind = OUTCOME_ROWS, .truncated = true},
		    "{\"kind\":\"rows\",\"truncated\":true,\"retryable\":false}");
	assert_json((struct outcome){.kind = OUTCOME_OUT_OF_WINDOW,
				     .param = "year",
				     .range_min = "2024",
				     .range_max = "2027"},
		    "{\"kind\":\"out_of_window\",\"truncated\":false,\"param\":\"year\","
		    "\"range\":{\"min\":\"2024\",\"max\":\"2027\"},\"retryable\":false}");
	const struct suggestion s[] = {{.value = "NP15", .label = "NP15 (CAISO)"},
				       {.value = "SP15"}};
	assert_json((struct outcome){.kind = OUTCOME_UNKNOWN_ENTITY,
				     .suggestions = s,
				     .suggestion_count = 2,
				     .retryable = true,
				     .detail = "No such hub."},
		    "{\"kind\":\"unknown_entity\",\"truncated\":false,\"detail\":\"No such hub.\","
		    "\"suggestions\":[{\"value\":\"NP15\",\"label\":\"NP15 (CAISO)\"},"
		    "{\"value\":\"SP15\"}],\"retryable\":true}");
}

static void kinds_have_names(void **state)
{
	(void)state;
	for (int i = 0; i < OUTCOME_KIND_COUNT; i++)
		assert_non_null(outcome_name((enum outcome_kind)i));
	assert_string_equal(outcome_name(OUTCOME_NO_DATA), "no_data");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_only_present_members),
		cmocka_unit_test(kinds_have_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
