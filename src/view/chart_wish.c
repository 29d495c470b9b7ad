/* What a question says about the form of its answer: "as a bar chart", "just the table". */
#include <strings.h>
#include <string.h>

#include "vesper/language.h"
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

enum view_chart_wish view_chart_wish(const struct language *l, const char *question)
{
	/* The first that is found counts: what is refused stands before what is asked for. */
	static const struct {
		enum words list;
		enum view_chart_wish wish;
	} rows[] = {
		{WORDS_CHART_NONE, CHART_AS_TABLE},
		{WORDS_CHART_BAR, CHART_AS_BAR},
		{WORDS_CHART_LINE, CHART_AS_LINE},
		{WORDS_CHART_AREA, CHART_AS_AREA},
	};

	for (size_t i = 0; question && i < sizeof(rows) / sizeof(rows[0]); i++)
		for (const char *const *w = l->lists[rows[i].list]; *w; w++)
			if (has_phrase(question, *w))
				return rows[i].wish;
	return CHART_AS_FITS;
}
