/* Reads a chart preference from the question: "as a bar chart", "just the table". */
#include <strings.h>
#include <string.h>

#include "vesper/language.h"
#include "vesper/view.h"

static bool is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool begins_with(const char *text, const char *phrase)
{
	size_t len;

	if ((*text | 32) != (*phrase | 32)) /* cheap test: rejects nearly every position */
		return false;
	len = strlen(phrase);
	return strncasecmp(text, phrase, len) == 0 && (!is_letter(text[len]) || text[len] == 's');
}

static bool has_phrase(const char *question, const char *const *phrases)
{
	for (const char *p = question; *p; p++) {
		if (p > question && is_letter(p[-1]))
			continue;
		for (const char *const *phrase = phrases; *phrase; phrase++)
			if (begins_with(p, *phrase))
				return true;
	}
	return false;
}

enum view_chart_preference view_chart_preference(const struct language *l, const char *question)
{
	/* The first match counts, so refusals precede requests. */
	static const struct {
		enum words list;
		enum view_chart_preference preference;
	} rows[] = {
		{WORDS_CHART_NONE, CHART_AS_TABLE}, {WORDS_CHART_BAR, CHART_AS_BAR},
		{WORDS_CHART_LINE, CHART_AS_LINE},  {WORDS_CHART_AREA, CHART_AS_AREA},
		{WORDS_CHART, CHART_ANY_TYPE},
	};

	for (size_t i = 0; question && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (has_phrase(question, l->lists[rows[i].list]))
			return rows[i].preference;
	return CHART_NO_PREFERENCE;
}
