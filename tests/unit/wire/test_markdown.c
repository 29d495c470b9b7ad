/* Tables, options and links as Markdown; cells are escaped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "markdown.h"
#include "vesper/json.h"
#include "vesper/wire.h"

static void check(const struct buf *out, const char *expected)
{
	assert_string_equal(buf_text(out), expected);
}

static void cells_are_escaped(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 12);
	markdown_view(&out,
		      STR("{\"view_type\":\"data\",\"meta\":[{\"name\":\"A\",\"type\":\"text\"}],"
			  "\"data_dict\":{\"A\":[\"a|b\\n| c\",\"<img src=x>\",\"[x](http://y)\"]},"
			  "\"row_count\":3}"));
	check(&out,
	      "| A |\n| --- |\n| a\\|b \\| c |\n| \\<img src=x\\> |\n| \\[x\\](http://y) |\n");
	buf_deinit(&out);
}

static void truncated_tables_give_the_remaining_rows(void **state)
{
	json_t *view;
	struct buf out;
	struct err e;
	struct str text =
		STR("{\"meta\":[{\"name\":\"A\",\"type\":\"int\"}],\"data_dict\":{\"A\":[1,2,3]},"
		    "\"row_count\":3,\"truncated\":true}");

	(void)state;
	buf_init(&out, 1 << 12);
	assert_true(json_parse(text.p, text.n, text.n, &view, &e));
	wire_markdown_table(&out, view, 1);
	check(&out, "| A |\n| ---: |\n| 1 |\n\n… +2…\n");
	json_decref(view);
	buf_deinit(&out);
}

static void options_are_listed_once(void **state)
{
	struct str options = STR("{\"value\":\"a\",\"label\":\"A *1*\"},{\"value\":\"b\"}");
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 12);
	markdown_options(&out, options, STR("Which one?"));
	check(&out, "\n\n1. A \\*1\\*\n2. b");
	buf_reset(&out);
	markdown_options(&out, options, STR("A *1* or b?"));
	check(&out, "");
	buf_deinit(&out);
}

static void links_have_names(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 12);
	markdown_links(&out,
		       STR("{\"report_name\":\"R\",\"url\":\"https:\\/\\/r\"},{\"url\":\"x\"}"));
	check(&out, "\n\n- [R](https://r)");
	buf_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_escaped),
		cmocka_unit_test(truncated_tables_give_the_remaining_rows),
		cmocka_unit_test(options_are_listed_once),
		cmocka_unit_test(links_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
