/* Words in phrases of time: months, seasons, units, ordinals, years. */
#include "text_int.h"

#include <string.h>

static const char *const month_names[] = {"january",   "february", "march",    "april",
					  "may",       "june",     "july",     "august",
					  "september", "october",  "november", "december"};

int month_named(const char *text, size_t len)
{
	for (int m = 0; m < 12; m++)
		if (len >= 3 && strncmp(month_names[m], text, len) == 0 &&
		    (len == 3 || len == strlen(month_names[m]) || (m == 8 && len == 4)))
			return m + 1;
	return 0;
}

const char *month_name(int month)
{
	return month_names[month - 1];
}

bool may_be_short_year(int n)
{
	return n >= SHORT_YEAR_MIN && n <= SHORT_YEAR_MAX;
}

/* "may" and "march" are months only in certain contexts. */
int month_token(const struct question *q, size_t i)
{
	static const char *const places[] = {
		"in",  "for",    "of",     "from",  "to",      "through", "last", "next",  "this",
		"and", "during", "until",  "since", "between", "by",      "thru", "after", "before",
		"vs",  "till",   "versus", "or",    "early",   "late",    "mid",  "on",    NULL};
	const struct token *t = token_at(q, i);
	int m = t->used ? 0 : month_named(t->text, t->len);
	const struct token *after = token_at(q, i + 1);

	if ((m != 3 && m != 5) || (m == 3 && t->len == 3))
		return m;
	if (after->number >= YEAR_MIN || may_be_short_year(after->number))
		return m;
	if ((i > 0 && token_in(&q->tokens[i - 1], places)) ||
	    (t->capitalized && !t->starts_sentence))
		return m;
	/* "march to may" */
	if (token_in(after,
		     (const char *const[]){"to", "through", "thru", "until", "till", NULL}) &&
	    month_named(token_at(q, i + 2)->text, token_at(q, i + 2)->len))
		return m;
	/* "May 5", "March to June" */
	if (t->capitalized && (is_day_number(after) || token_in(after, places)))
		return m;
	return 0;
}

static bool is_year(int n)
{
	return n >= YEAR_MIN && n <= YEAR_MAX;
}

int year_of_number(int number, size_t len, bool may_be_short)
{
	if (len == 4 && is_year(number))
		return number;
	return len == 2 && may_be_short && may_be_short_year(number) ? 2000 + number : 0;
}

int year_token(const struct token *t, bool may_be_short)
{
	if (t->used || t->number < 0)
		return 0;
	return year_of_number(t->number, t->len, may_be_short || t->after_apostrophe);
}

unsigned months_between(int first, int last)
{
	unsigned bits = 0;

	for (int m = first;; m = m % 12 + 1) {
		bits |= 1u << m;
		if (m == last)
			return bits;
	}
}

int months_first(unsigned months)
{
	int first = 1;

	/* a group across the end of a year starts at the month after the gap */
	if (months & 1u << 12 && months & 1u << 1)
		for (first = 12; first > 1 && months & 1u << (first - 1);)
			first--;
	else
		while (first < 12 && !(months & 1u << first))
			first++;
	return first;
}

int months_last(unsigned months)
{
	int last = months_first(months);

	while (months & 1u << (last % 12 + 1) && last % 12 + 1 != months_first(months))
		last = last % 12 + 1;
	return last;
}

unsigned season_months(const struct token *t)
{
	static const struct {
		const char *name;
		int first, last;
	} seasons[] = {{"spring", 3, 5},     {"summer", 6, 8},      {"fall", 9, 11},
		       {"autumn", 9, 11},    {"winter", 12, 2},     {"springtime", 3, 5},
		       {"summertime", 6, 8}, {"wintertime", 12, 2}, {"summers", 6, 8},
		       {"winters", 12, 2}};

	for (size_t i = 0; i < sizeof(seasons) / sizeof(seasons[0]); i++)
		if (token_is(t, seasons[i].name))
			return months_between(seasons[i].first, seasons[i].last);
	return 0;
}

bool is_day_number(const struct token *t)
{
	static const char *const endings[] = {"st", "nd", "rd", "th"};
	int n = day_number(t);

	if (t->used || n < 1 || n > 31 || t->after_apostrophe)
		return false;
	if (t->number >= 1)
		return t->len <= 2;
	for (size_t i = 0; i < 4; i++)
		if (t->len >= 3 && t->len <= 4 && strcmp(t->text + t->len - 2, endings[i]) == 0)
			return true;
	return false;
}

int day_number(const struct token *t)
{
	int n = 0;

	for (size_t i = 0; i < t->len && i < 4 && t->text[i] >= '0' && t->text[i] <= '9'; i++)
		n = n * 10 + (t->text[i] - '0');
	return n;
}

int weekday_of(const struct token *t)
{
	static const char *const names[] = {"monday", "tuesday",  "wednesday", "thursday",
					    "friday", "saturday", "sunday"};

	for (int n = 0; n < 7; n++) {
		size_t len = strlen(names[n]);

		if (strncmp(t->text, names[n], len) == 0 &&
		    (t->len == len || (t->len == len + 1 && t->text[len] == 's')))
			return n;
	}
	return -1;
}

int calendar_weekday(const char *name)
{
	struct token t = {.text = name, .len = strlen(name)};
	int day = weekday_of(&t);

	return day < 0 ? 0 : day;
}

/* "mon" and "sun" are weekdays only after certain words. */
int weekday_short(const struct token *t)
{
	static const char *const names[7][4] = {
		{"mon"}, {"tue", "tues"}, {"wed"}, {"thu", "thur", "thurs"},
		{"fri"}, {"sat"},         {"sun"}};

	for (int n = 0; n < 7; n++)
		for (size_t i = 0; i < 4 && names[n][i]; i++)
			if (token_is(t, names[n][i]))
				return n;
	return -1;
}

enum time_unit time_unit_of(const struct token *t)
{
	static const char *const names[] = {"",      "day",     "week", "fortnight",
					    "month", "quarter", "half", "year"};
	static const struct {
		const char *name;
		enum time_unit unit;
	} short_names[] = {{"wk", UNIT_WEEK},      {"wks", UNIT_WEEK},  {"mo", UNIT_MONTH},
			   {"mos", UNIT_MONTH},    {"mth", UNIT_MONTH}, {"qtr", UNIT_QUARTER},
			   {"qtrs", UNIT_QUARTER}, {"yr", UNIT_YEAR},   {"yrs", UNIT_YEAR},
			   {"halves", UNIT_HALF}};

	for (int u = UNIT_DAY; u <= UNIT_YEAR; u++) {
		size_t n = strlen(names[u]);

		if (strncmp(t->text, names[u], n) == 0 &&
		    (t->len == n || (t->len == n + 1 && t->text[n] == 's')))
			return (enum time_unit)u;
	}
	for (size_t i = 0; i < sizeof(short_names) / sizeof(short_names[0]); i++)
		if (token_is(t, short_names[i].name))
			return short_names[i].unit;
	return UNIT_NONE;
}

int time_unit_months(enum time_unit u)
{
	static const int months[] = {0, 0, 0, 0, 1, 3, 6, 12};

	return months[u];
}

int time_unit_days(enum time_unit u)
{
	static const int days[] = {0, 1, 7, 14, 0, 0, 0, 0};

	return days[u];
}

/* ---- possible starts of a time ---- */

#define WORDS_MAX 24 /* per letter, including the terminator */

static const char *const time_starters[26][WORDS_MAX] = {
	['a' - 'a'] = {"a", "an", "apr", "april", "aug", "august", "autumn"},
	['b' - 'a'] = {"balance", "beginning"},
	['c' - 'a'] = {"cal", "calendar", "christmas", "close", "coming", "couple", "current",
		       "cy"},
	['d' - 'a'] = {"day", "days", "dec", "december", "dozen"},
	['e' - 'a'] = {"early", "eight", "eighteen", "eleven", "end"},
	['f' - 'a'] = {"fall", "feb", "february", "fifteen", "fifty", "first", "fiscal", "five",
		       "following", "fortnight", "fortnights", "forty", "four", "fourteen",
		       "fourth", "fri", "friday", "fridays", "fy"},
	['h' - 'a'] = {"h", "half", "halfs", "halves", "hundred"},
	['i' - 'a'] = {"independence"},
	['j' - 'a'] = {"jan", "january", "jul", "july", "jun", "june"},
	['l' - 'a'] = {"last", "late"},
	['m' - 'a'] = {"mar", "march", "may", "mid", "middle", "mo", "mon", "monday", "mondays",
		       "month", "months", "mos", "mtd", "mth"},
	['n' - 'a'] = {"new", "next", "nine", "nineteen", "nov", "november", "now"},
	['o' - 'a'] = {"oct", "october", "one"},
	['p' - 'a'] = {"past", "preceding", "previous", "prior"},
	['q' - 'a'] = {"q", "qtd", "qtr", "qtrs", "quarter", "quarters"},
	['r' - 'a'] = {"remainder", "rest"},
	['s' - 'a'] = {"sat",     "saturday",   "saturdays",  "second",    "sep",
		       "sept",    "september",  "seven",      "seventeen", "six",
		       "sixteen", "spring",     "springtime", "start",     "summer",
		       "summers", "summertime", "sun",        "sunday",    "sundays"},
	['t' - 'a'] = {"ten",      "third",   "thirteen", "thirty",   "this",      "three",
		       "thu",      "thur",    "thurs",    "thursday", "thursdays", "today",
		       "tomorrow", "tonight", "trailing", "tue",      "tues",      "tuesday",
		       "tuesdays", "twelve",  "twenty",   "two"},
	['u' - 'a'] = {"upcoming"},
	['w' - 'a'] = {"wed", "wednesday", "wednesdays", "week", "weeks", "winter", "winters",
		       "wintertime", "wk", "wks", "wtd"},
	['x' - 'a'] = {"xmas"},
	['y' - 'a'] = {"year", "years", "yesterday", "yr", "yrs", "ytd"},
	['z' - 'a'] = {"zero"}};

bool may_start_time(const struct token *t)
{
	char letter = t->text[0];

	return t->has_digit ||
	       (letter >= 'a' && letter <= 'z' && token_in(t, time_starters[letter - 'a']));
}

void dates_words(void (*each)(void *owner, const char *word), void *owner)
{
	for (size_t letter = 0; letter < 26; letter++)
		for (const char *const *word = time_starters[letter]; *word; word++)
			each(owner, *word);
}

/* ---- days ---- */

struct date day_plus(struct date d, int days)
{
	return date_from_days(date_to_days(d) + days);
}

struct date day_plus_months(struct date d, int months)
{
	int first = 12, last_month = 9999 * 12 + 11; /* range of calendar years */
	int at = d.year * 12 + d.month - 1 + months;
	at = at < first ? first : at > last_month ? last_month : at;
	struct date out = {at / 12, at % 12 + 1, d.day};
	int last = date_days_in_month(out.year, out.month);

	if (out.day > last)
		out.day = last;
	return out;
}

struct date month_end(int year, int month)
{
	return (struct date){year, month, date_days_in_month(year, month)};
}

bool date_is_before(struct date a, struct date b)
{
	return date_to_days(a) < date_to_days(b);
}
