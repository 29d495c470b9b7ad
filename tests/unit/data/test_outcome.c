/* Outcomes on the wire: absent, never null. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/outcome.h"

static void check(struct outcome o, const char *want)
{
	json_t *value = outcome_json(&o);
	char *text = json_text(value);
	assert_string_equal(text, want);
	mem_free(text);
	json_decref(value);
}

static void wire_form(void **state)
{
	(void)state;
	check((struct outcome){.kind = OUTCOME_ROWS, .truncated = true},
	      "{\"kind\":\"rows\",\"truncated\":true,\"retryable\":false}");
	check((struct outcome){.kind = OUTCOME_OUT_OF_WINDOW,
			       .param = "year",
			       .range_min = "2024",
			       .range_max = "2027"},
	      "{\"kind\":\"out_of_window\",\"truncated\":false,\"param\":\"year\","
	      "\"range\":{\"min\":\"2024\",\"max\":\"2027\"},\"retryable\":false}");
	const struct suggestion s[] = {{.value = "NP15", .label = "NP15 (CAISO)"},
				       {.value = "SP15"}};
	check((struct outcome){.kind = OUTCOME_UNKNOWN_ENTITY,
			       .suggestions = s,
			       .suggestion_count = 2,
			       .retryable = true,
			       .detail = "No such hub."},
	      "{\"kind\":\"unknown_entity\",\"truncated\":false,\"detail\":\"No such hub.\","
	      "\"suggestions\":[{\"value\":\"NP15\",\"label\":\"NP15 (CAISO)\"},"
	      "{\"value\":\"SP15\"}],\"retryable\":true}");
}

static void names(void **state)
{
	(void)state;
	for (int i = 0; i < OUTCOME_KIND_COUNT; i++)
		assert_non_null(outcome_name((enum outcome_kind)i));
	assert_string_equal(outcome_name(OUTCOME_NO_DATA), "no_data");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_form),
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
