/* What a question says about the form of its answer: "as a bar chart", "just the table". */
#include <strings.h>
#include <string.h>

#include "vesper/str.h"
#include "vesper/view.h"

static bool has_phrase(const char *question, const char *phrase)
{
	size_t len = strlen(phrase);

	for (const char *p = question; (p = str_find_nocase(p, phrase)) != NULL; p++) {
		bool starts = p == question || !((p[-1] | 32) >= 'a' && (p[-1] | 32) <= 'z');
		bool ends = !((p[len] | 32) >= 'a' && (p[len] | 32) <= 'z') || p[len] == 's';

		if (starts && ends)
			return true;
	}
	return false;
}

enum view_chart_wish view_chart_wish(const char *question)
{
	/* The first that is found counts: what is refused stands before what is asked for. */
	static const struct {
		const char *phrase;
		enum view_chart_wish wish;
	} rows[] = {
		{"no chart", CHART_AS_TABLE},
		{"without a chart", CHART_AS_TABLE},
		{"without chart", CHART_AS_TABLE},
		{"as a table", CHART_AS_TABLE},
		{"only a table", CHART_AS_TABLE},
		{"just a table", CHART_AS_TABLE},
		{"just the table", CHART_AS_TABLE},
		{"table only", CHART_AS_TABLE},
		{"bar chart", CHART_AS_BAR},
		{"bar graph", CHART_AS_BAR},
		{"as bars", CHART_AS_BAR},
		{"column chart", CHART_AS_BAR},
		{"histogram", CHART_AS_BAR},
		{"pie chart", CHART_AS_BAR}, /* lengths compare, angles do not */
		{"line chart", CHART_AS_LINE},
		{"line graph", CHART_AS_LINE},
		{"as a line", CHART_AS_LINE},
		{"as lines", CHART_AS_LINE},
		{"area chart", CHART_AS_AREA},
		{"as an area", CHART_AS_AREA},
	};

	for (size_t i = 0; question && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (has_phrase(question, rows[i].phrase))
			return rows[i].wish;
	return CHART_AS_FITS;
}
