/* Parses text that contains only a time, such as the input of a date field. */
#include "nlu_int.h"

#include "vesper/limits.h"

static bool is_rest(const struct nlu *k, const struct token *t)
{
	return !t->used && (t->has_digit || !nlu_is_stop_word(k, t));
}

bool nlu_parse_days(const struct nlu *k, const char *text, struct date today,
		    const struct company_calendar *calendar, struct arena *a, struct date *start,
		    struct date *end)
{
	struct parsed_time time = {0};
	struct question q;

	text_tokenize(k->catalog->language, text, a, &q);
	if (q.count == 0 || q.count > NLU_DAYS_WORDS_MAX)
		return false;
	dates_parse(&q, today, calendar, a, &time);
	for (size_t i = 0; i < q.count; i++)
		if (is_rest(k, &q.tokens[i]))
			return false;
	if (!time.has_start || !time.has_end || time.has_gap || time.reading_count > 0)
		return false;
	*start = time.start;
	*end = time.end;
	return true;
}
