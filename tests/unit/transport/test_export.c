/* Files that other programs open: no cell is a formula, no cell leaves its table. */
#include "fixture.h"

#include "export.h"
#include "vesper/json.h"

static json_t *view_of(const char *text)
{
	struct err e;
	json_t *view;

	if (!json_parse(text, strlen(text), 100000, &view, &e))
		fail_msg("%s", e.text);
	return view;
}

static void csv_is(const char *view_text, const char *want)
{
	json_t *view = view_of(view_text);
	struct buf out;

	buf_init(&out, 100000);
	export_csv(&out, view);
	assert_string_equal(buf_text(&out), want);
	buf_deinit(&out);
	json_decref(view);
}

#define VIEW(type, cells, count)                                                                   \
	"{\"meta\":[{\"name\":\"c\",\"label\":\"C\",\"type\":\"" type                              \
	"\"}],\"data_dict\":{\"c\":" cells "},\"row_count\":" count "}"

static void formulas_become_text(void **state)
{
	(void)state;
	csv_is(VIEW("text", "[\"=1+1\",\"+1\",\"-1\",\"@SUM(A1)\",\"\\tx\",\"\\rx\",\"plain\"]",
		    "7"),
	       "C\r\n\"'=1+1\"\r\n\"'+1\"\r\n\"'-1\"\r\n\"'@SUM(A1)\"\r\n\"'\tx\"\r\n\"'"
	       "\rx\"\r\nplain\r\n");
	csv_is("{\"meta\":[{\"name\":\"c\",\"label\":\"=cmd|' /C calc'!A0\",\"type\":\"text\"}],"
	       "\"data_dict\":{\"c\":[]},\"row_count\":0}",
	       "\"'=cmd|' /C calc'!A0\"\r\n");
	/* a number column may say less than zero, but nothing else may hide in it */
	csv_is(VIEW("decimal", "[-1.5,\"-123456789012345678.90\",\"-1+cmd|x\",null]", "4"),
	       "C\r\n-1.5\r\n-123456789012345678.90\r\n\"'-1+cmd|x\"\r\n\r\n");
}

static void fields_are_quoted(void **state)
{
	(void)state;
	csv_is(VIEW("text", "[\"a,b\",\"say \\\"hi\\\"\",\"two\\nlines\",\"\"]", "4"),
	       "C\r\n\"a,b\"\r\n\"say \"\"hi\"\"\"\r\n\"two\nlines\"\r\n\r\n");
	csv_is("{\"meta\":[{\"name\":\"a\",\"label\":\"A\",\"type\":\"int\",\"unit\":\"$/MWh\"},"
	       "{\"name\":\"b\",\"label\":\"B\",\"type\":\"bool\"}],"
	       "\"data_dict\":{\"a\":[1,2],\"b\":[true]},\"row_count\":2}",
	       "A ($/MWh),B\r\n1,true\r\n2,\r\n");
}

static void markdown_cells_stay_in_their_table(void **state)
{
	json_t *views =
		view_of("[" VIEW("text", "[\"a|b\\n# c\",\"<script>\",\"`x` [l](u)\"]", "3") "]");
	const struct session s = {.title = "<b>|#", .created_at = "now"};
	struct message m = {.role = "assistant",
			    .created_at = "now",
			    .content = "text",
			    .status = MESSAGE_PARTIAL,
			    .views = views};
	struct buf out;

	(void)state;
	json_object_set_new(json_array_get(views, 0), "view_type", json_string("data"));
	buf_init(&out, 100000);
	export_markdown_session(&out, &s);
	export_markdown_message(&out, &m);
	assert_non_null(strstr(buf_text(&out), "# \\<b\\>\\|#\n"));
	assert_non_null(strstr(buf_text(&out), "| a\\|b # c |\n"));
	assert_non_null(strstr(buf_text(&out), "| \\<script\\> |\n"));
	assert_non_null(strstr(buf_text(&out), "| \\`x\\` \\[l\\](u) |\n"));
	buf_deinit(&out);
	json_decref(views);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formulas_become_text),
		cmocka_unit_test(fields_are_quoted),
		cmocka_unit_test(markdown_cells_stay_in_their_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
