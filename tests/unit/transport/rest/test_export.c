/* Exported files: no cell becomes a formula, and no cell breaks out of its table. */
#include "fixture.h"

#include "rest/export/export.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "view_tree.h"

static json_t *view_of(const char *text)
{
	struct err e;
	json_t *view;

	if (!json_parse(text, strlen(text), 100000, &view, &e))
		fail_msg("%s", e.text);
	return view;
}

static void assert_csv(const char *view_text, const char *expected)
{
	json_t *view = view_of(view_text);
	struct buf out;

	buf_init(&out, 100000);
	export_view(&out, NULL, view);
	assert_string_equal(buf_text(&out), expected);
	buf_deinit(&out);
	json_decref(view);
}

#define VIEW(type, cells, count)                                                                   \
	"{\"meta\":[{\"name\":\"c\",\"label\":\"C\",\"type\":\"" type                              \
	"\"}],\"data_dict\":{\"c\":" cells "},\"row_count\":" count "}"

static void formulas_become_text(void **state)
{
	(void)state;
	assert_csv(VIEW("text", "[\"=1+1\",\"+1\",\"-1\",\"@SUM(A1)\",\"\\tx\",\"\\rx\",\"plain\"]",
			"7"),
		   "C\r\n\"'=1+1\"\r\n\"'+1\"\r\n\"'-1\"\r\n\"'@SUM(A1)\"\r\n\"'\tx\"\r\n\"'"
		   "\rx\"\r\nplain\r\n");
	/* after a line break or other blanks, and as full-width characters */
	assert_csv(
		VIEW("text",
		     "[\"\\n=1\",\"\\r\\n+1\",\" \\t-1\",\"\\u00a0\\u3000@x\",\"\\uff1d1\","
		     "\"\\uff0b1\",\"\\n\\uff0d1\",\"\\uff20x\",\" a = "
		     "b\",\"\\u2028-0<script>\",\"\\u2003=1\"]",
		     "11"),
		"C\r\n\"'\n=1\"\r\n\"'\r\n+1\"\r\n\"' \t-1\"\r\n\"'\u00a0\u3000@x\"\r\n\"'＝1\"\r\n"
		"\"'＋1\"\r\n\"'\n－1\"\r\n\"'＠x\"\r\n a = "
		"b\r\n\"'\u2028-0<script>\"\r\n\"'\u2003=1\"\r\n");
	assert_csv(
		"{\"meta\":[{\"name\":\"c\",\"label\":\"=cmd|' /C calc'!A0\",\"type\":\"text\"}],"
		"\"data_dict\":{\"c\":[]},\"row_count\":0}",
		"\"'=cmd|' /C calc'!A0\"\r\n");
	/* a number column may have negative numbers, but no formulas */
	assert_csv(VIEW("decimal", "[-1.5,\"-123456789012345678.90\",\"-1+cmd|x\",null]", "4"),
		   "C\r\n-1.5\r\n-123456789012345678.90\r\n\"'-1+cmd|x\"\r\n\r\n");
}

static void fields_are_quoted(void **state)
{
	(void)state;
	assert_csv(VIEW("text", "[\"a,b\",\"say \\\"hi\\\"\",\"two\\nlines\",\"\"]", "4"),
		   "C\r\n\"a,b\"\r\n\"say \"\"hi\"\"\"\r\n\"two\nlines\"\r\n\r\n");
	assert_csv(
		"{\"meta\":[{\"name\":\"a\",\"label\":\"A\",\"type\":\"int\",\"unit\":\"$/MWh\"},"
		"{\"name\":\"b\",\"label\":\"B\",\"type\":\"bool\"}],"
		"\"data_dict\":{\"a\":[1,2],\"b\":[true]},\"row_count\":2}",
		"A ($/MWh),B\r\n1,true\r\n2,\r\n");
}

/* ---- tables that are sent row by row ---- */

static const char *const cells[][6] = {
	{"=1+1", "7", "-1.50", "2026-02-27", "1", "2026-02-27 10:00:00"},
	{NULL, NULL, NULL, NULL, NULL, NULL},
	{"a,\"b\"\n", "-9007199254740993", "123456789012345678.90", "2026-02-28", "0", "x"},
};

static struct table *sample_table(void)
{
	static const enum column_type types[] = {COLUMN_TEXT, COLUMN_INT,  COLUMN_DECIMAL,
						 COLUMN_DATE, COLUMN_BOOL, COLUMN_DATETIME};
	struct table *t = table_new(1 << 20);

	t->column_count = 6;
	t->columns = arena_alloc(t->arena, 6 * sizeof(*t->columns));
	for (size_t i = 0; i < 6; i++)
		t->columns[i] = (struct column){.name = arena_printf(t->arena, "c%zu", i),
						.label = i == 1 ? "=L" : NULL,
						.unit = i == 2 ? "$/MWh" : NULL,
						.type = types[i]};
	t->row_count = 3;
	t->total_rows = 3;
	t->is_total_exact = true;
	t->rows = arena_alloc(t->arena, 3 * sizeof(*t->rows));
	for (size_t r = 0; r < 3; r++) {
		t->rows[r] = arena_alloc(t->arena, 6 * sizeof(*t->rows[r]));
		memcpy(t->rows[r], cells[r], sizeof(cells[r]));
	}
	return t;
}

static void table_and_view_export_the_same_text(void **state)
{
	struct table *t = sample_table();
	const struct result result = {.about = "a", .call = "c1", .agent = "g", .tool = "t"};
	json_t *view = view_tree(&result, t, "v");
	struct buf from_view, from_table;

	(void)state;
	buf_init(&from_view, 100000);
	buf_init(&from_table, 100000);
	export_view(&from_view, NULL, view);
	export_table_head(&from_table, NULL, t);
	for (size_t r = 0; r < t->row_count; r++)
		export_table_row(&from_table, NULL, t, r);
	assert_string_equal(buf_text(&from_view), buf_text(&from_table));
	assert_non_null(strstr(buf_text(&from_table), "\"'=1+1\",7,-1.50,2026-02-27,true,"));
	buf_deinit(&from_view);
	buf_deinit(&from_table);
	json_decref(view);
	table_free(&t);
}

static void detects_changed_rows(void **state)
{
	struct table *t = sample_table();
	const struct result result = {.about = "a", .call = "c1", .agent = "g", .tool = "t"};
	json_t *view = view_tree(&result, t, "v");

	(void)state;
	assert_false(export_differs(view, t));
	t->rows[0][2] = "-1.5";
	assert_false(export_differs(view, t));
	t->rows[0][2] = "-1.51";
	assert_true(export_differs(view, t));
	t->rows[0][2] = "-1.50";
	t->rows[1][3] = "2026-03-01";
	assert_true(export_differs(view, t));
	t->rows[1][3] = NULL;
	t->total_rows = 4;
	assert_true(export_differs(view, t));
	json_object_del(view, "total_rows");
	assert_false(export_differs(view, t));
	t->row_count = 2;
	assert_true(export_differs(view, t));
	t->row_count = 3;
	t->columns[5].name = "other";
	assert_true(export_differs(view, t));
	json_decref(view);
	table_free(&t);
}

static void markdown_cells_stay_in_their_table(void **state)
{
	json_t *views =
		view_of("[" VIEW("text", "[\"a|b\\n# c\",\"<script>\",\"`x` [l](u)\"]", "3") "]");
	const struct session s = {.title = "<b>|#", .created_at = "now"};
	struct message m = {.role = "assistant",
			    .created_at = "now",
			    .content = "text",
			    .status = MESSAGE_PARTIAL};
	struct buf out;

	(void)state;
	json_object_set_new(json_array_get(views, 0), "view_type", json_string("data"));
	buf_init(&out, 100000);
	export_markdown_session(&out, &s);
	export_markdown_message(&out, &m, views);
	assert_non_null(strstr(buf_text(&out), "# \\<b\\>\\|#\n"));
	assert_non_null(strstr(buf_text(&out), "| a\\|b # c |\n"));
	assert_non_null(strstr(buf_text(&out), "| \\<script\\> |\n"));
	assert_non_null(strstr(buf_text(&out), "| \\`x\\` \\[l\\](u) |\n"));
	buf_deinit(&out);
	json_decref(views);
}

static void markdown_ends_with_the_reports(void **state)
{
	json_t *all = json_object();
	json_t *first =
		json_pack("[{s:s,s:s},{s:s,s:s}]", "report_name", "Curves", "url",
			  "https://x.test/c", "report_name", "A|B", "url", "https://x.test/ab");
	json_t *second = json_pack("[{s:s,s:s},{s:s}]", "report_name", "Curves", "url",
				   "https://x.test/c", "report_name", "no address");
	struct buf out;

	(void)state;
	buf_init(&out, 100000);
	export_markdown_links(&out, all);
	assert_string_equal(buf_text(&out), "");
	export_links_add(all, first);
	export_links_add(all, second);
	export_links_add(all, NULL);
	export_markdown_links(&out, all);
	assert_string_equal(buf_text(&out), "\n## Related Reports\n\n"
					    "- Curves: https://x.test/c\n"
					    "- A\\|B: https://x.test/ab\n");
	for (int i = 0; i < EXPORT_LINKS_MAX + 1; i++) {
		json_t *one = json_pack("[{s:s,s:o}]", "report_name", "R", "url",
					json_sprintf("https://x.test/%d", i));

		export_links_add(all, one);
		json_decref(one);
	}
	assert_int_equal(json_object_size(all), EXPORT_LINKS_MAX);
	buf_deinit(&out);
	json_decref(first);
	json_decref(second);
	json_decref(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formulas_become_text),
		cmocka_unit_test(fields_are_quoted),
		cmocka_unit_test(table_and_view_export_the_same_text),
		cmocka_unit_test(detects_changed_rows),
		cmocka_unit_test(markdown_cells_stay_in_their_table),
		cmocka_unit_test(markdown_ends_with_the_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
