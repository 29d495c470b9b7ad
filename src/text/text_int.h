/*
 * How times are read: phrases of time as they are written (phrases.c, timecodes.c, relative.c,
 * slices.c) are put together (spans.c), before dates.c settles what they mean.
 */
#ifndef VESPER_TEXT_INT_H
#define VESPER_TEXT_INT_H

#include "vesper/dates.h"
#include "vesper/text.h"
#include "vesper/words.h"

/* Inline, because most words are none of those that are looked for: the first letter tells. */
static inline bool token_is(const struct token *t, const char *word)
{
	return t->text[0] == word[0] && strcmp(t->text, word) == 0;
}

/* `words`: NULL-ended. */
static inline bool token_in(const struct token *t, const char *const *words)
{
	for (; *words; words++)
		if (token_is(t, *words))
			return true;
	return false;
}

#define PHRASES_MAX    16
#define YEAR_MIN       1990
#define YEAR_MAX       2100
#define SHORT_YEAR_MIN 20 /* '26 is a year of a forecast, '99 is not */
#define SHORT_YEAR_MAX 60

enum time_grain { GRAIN_NONE, GRAIN_YEAR, GRAIN_MONTHS, GRAIN_DAYS };

/* "the first two weeks of", "the end of" (its last day), "the rest of" */
struct time_slice {
	enum unit unit;
	int n; /* units from the beginning; negative: from the end */
	bool rest;
};

/* What is left open: "since", "until". */
enum time_edge { EDGE_NONE, EDGE_SINCE, EDGE_AFTER, EDGE_BEFORE, EDGE_UNTIL };

/* One phrase of time. */
struct time_phrase {
	size_t from, to;
	enum time_grain grain;
	int year;        /* 0: not said */
	unsigned months; /* bit m */
	int quarter;     /* 1-4 when it is one */
	bool dated;      /* has start and end: a span that is no year, nor months of one */
	struct date start, end;
	bool relative; /* to today */
	bool running;  /* "this month": it ends today */
	int days;      /* a span of so many days from today on, or back to it where negative */
	bool guessed;  /* a day whose year was not said */
	int weekday;   /* 1-7 when it was only called that */
	bool two_ways; /* 3/4/2025: may also begin at `other` */
	struct date other;
	struct time_slice slice;
	bool named; /* "the year": the one that was named before, else today's */
	enum time_edge edge;
	bool label; /* written as only labels are: Jan_2025, 2025Q1 */
	bool asof;
	bool gone; /* part of another one */
};

enum day_order { ORDER_UNKNOWN, ORDER_MONTH_FIRST, ORDER_DAY_FIRST };

struct time_parser {
	struct question *q;
	struct date today;
	const struct company_calendar *calendar;
	struct time_phrase phrases[PHRASES_MAX];
	struct time_phrase spill; /* beyond the most that a question has, phrases are lost */
	size_t count;
	size_t bad_from, bad_to;     /* tokens of a day that does not exist */
	size_t vague_from, vague_to; /* tokens that do not say when */
	enum day_order order;        /* as other days of the question show it */
	struct date rolls_from;      /* "last two years" as days, when it was said */
	uint32_t hours;              /* of times written with their day */
};

/* Marks the tokens as used. */
struct time_phrase *phrase_add(struct time_parser *p, size_t from, size_t to,
			       enum time_grain grain);
struct time_phrase *phrase_add_days(struct time_parser *p, size_t from, size_t to,
				    struct date start, struct date end);
struct time_phrase *phrase_add_months(struct time_parser *p, size_t from, size_t to,
				      struct date start, int months);
void phrases_read(struct time_parser *p);
/* One day, or one period longer than a day, at token i. */
bool phrase_read_day(struct time_parser *p, size_t i);
bool phrase_read_period(struct time_parser *p, size_t i);
int latest_year(struct date today, int month, int day);
/* Part of a year or year written as a code at token i. */
bool code_read(struct time_parser *p, size_t i);
struct date fiscal_year_start(const struct company_calendar *cal, int year);
/* The readers of what is relative to today; each is true when it took a phrase at token i. */
bool slice_read(struct time_parser *p, size_t i);
/* The calendar's unit (or the fiscal year's) that is `offset` from the one that holds today. */
struct time_phrase *phrase_add_unit(struct time_parser *p, size_t from, size_t to, enum unit unit,
				    int offset, bool fiscal);
bool relative_read(struct time_parser *p, size_t i);
bool relative_read_distance(struct time_parser *p, size_t i);
bool relative_read_day(struct time_parser *p, size_t i);
bool relative_read_weekday(struct time_parser *p, size_t i);

/* Years to their months, parts of periods, ranges and open ends. Phrases that name a file stay as
 * they are. */
void spans_settle(struct time_parser *p);
/* First and last day of a phrase that has a year. */
void phrase_span(const struct time_phrase *ph, struct date *start, struct date *end);

/* ---- timewords.c ---- */

/* Is it a number, or a word that a phrase of time can begin with? No reader need look at others. */
bool may_begin_time(const struct token *t);

/* 1-12, or 0; only where a month can stand ("may", "march"). */
int month_token(const struct question *q, size_t i);
/* 2025, '26, or 0. */
int year_token(const struct token *t, bool may_be_short);
int year_of_number(int number, size_t len, bool may_be_short);
bool may_be_short_year(int n);
unsigned months_between(int first, int last); /* as bits */
int months_first(unsigned months);
int months_last(unsigned months);
bool is_day_number(const struct token *t); /* "3", "3rd" */
int day_number(const struct token *t);
int weekday_of(const struct token *t); /* 0 = Monday, or -1 */
int weekday_short(const struct token *t);
int unit_months(enum unit u); /* 0: it is counted in days */
int unit_days(enum unit u);
struct date day_plus(struct date d, int days);
struct date day_plus_months(struct date d, int months);

#endif
