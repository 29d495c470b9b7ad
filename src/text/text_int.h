/*
 * Reads times in two steps. The readers (phrases.c, timecodes.c, relative.c, slices.c) find
 * phrases, and spans.c combines them. Then dates.c determines their meaning.
 */
#ifndef VESPER_TEXT_INT_H
#define VESPER_TEXT_INT_H

#include "vesper/dates.h"
#include "vesper/text.h"
#include "vesper/words.h"

/* Inline with a first-letter check, since most words do not match. */
static inline bool token_is(const struct token *t, const char *word)
{
	return t->text[0] == word[0] && strcmp(t->text, word) == 0;
}

/* `words`: NULL-terminated. */
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
#define SHORT_YEAR_MIN 20 /* '26 is a year, '99 is not */
#define SHORT_YEAR_MAX 60

enum time_grain { GRAIN_NONE, GRAIN_YEAR, GRAIN_MONTHS, GRAIN_DAYS };

/* "the first two weeks of", "the end of" (its last day), "the rest of". */
struct time_slice {
	enum time_unit unit;
	int n; /* units from the start; negative: from the end */
	bool rest;
};

/* An open end: "since", "until". */
enum time_edge { EDGE_NONE, EDGE_SINCE, EDGE_AFTER, EDGE_BEFORE, EDGE_UNTIL };

/* A phrase of time. */
struct time_phrase {
	size_t from, to;
	enum time_grain grain;
	int year;        /* 0: not given */
	unsigned months; /* bit m */
	int quarter;     /* 1-4; 0: not a quarter */
	bool has_dates;  /* has start and end: a span other than a year or its months */
	struct date start, end;
	bool relative;      /* relative to today */
	bool ends_today;    /* "this month": ends today */
	int days;           /* length of a span from today; negative: up to today */
	bool year_inferred; /* a day without a year */
	int weekday;        /* 1-7 when only the weekday was given */
	bool is_ambiguous;  /* 3/4/2025: may also begin at other_start */
	struct date other_start;
	struct time_slice slice;
	bool refers_back; /* "the year": the one named before, else the current one */
	enum time_edge edge;
	bool label; /* written like a label: Jan_2025, 2025Q1 */
	bool is_file_label;
	bool dropped; /* merged into another phrase */
};

enum day_order { ORDER_UNKNOWN, ORDER_MONTH_FIRST, ORDER_DAY_FIRST };

struct time_parser {
	struct question *q;
	struct date today;
	const struct company_calendar *calendar;
	struct time_phrase phrases[PHRASES_MAX];
	struct time_phrase overflow; /* receives phrases beyond PHRASES_MAX, which are dropped */
	size_t count;
	size_t invalid_from, invalid_to;       /* tokens of a nonexistent day */
	size_t indefinite_from, indefinite_to; /* tokens of an indefinite time */
	enum day_order order;                  /* inferred from other days in the question */
	struct date rolling_start;             /* "last two years" as days, if present */
	uint32_t hours;                        /* from times written with their day */
};

/* Adds a phrase and marks its tokens as used. */
struct time_phrase *phrase_add(struct time_parser *p, size_t from, size_t to,
			       enum time_grain grain);
struct time_phrase *phrase_add_days(struct time_parser *p, size_t from, size_t to,
				    struct date start, struct date end);
struct time_phrase *phrase_add_months(struct time_parser *p, size_t from, size_t to,
				      struct date start, int months);
void phrases_parse(struct time_parser *p);
/* Read a day, or a period longer than a day, at token i. */
bool phrase_parse_day(struct time_parser *p, size_t i);
bool phrase_parse_period(struct time_parser *p, size_t i);
int most_recent_year(struct date today, int month, int day);
/* Reads a year or part of a year written as a code at token i. */
bool code_parse(struct time_parser *p, size_t i);
struct date fiscal_year_start(const struct company_calendar *cal, int year);
/* Readers of times relative to today. Each returns true when it read a phrase at token i. */
bool slice_parse(struct time_parser *p, size_t i);
/* Adds the calendar or fiscal unit at `offset` from the current one. */
struct time_phrase *phrase_add_unit(struct time_parser *p, size_t from, size_t to,
				    enum time_unit unit, int offset, bool fiscal);
bool relative_parse(struct time_parser *p, size_t i);
bool relative_parse_distance(struct time_parser *p, size_t i);
bool relative_parse_day(struct time_parser *p, size_t i);
bool relative_parse_weekday(struct time_parser *p, size_t i);

/* Combines years with months, parts with periods, ranges and open ends. Phrases that name a file
 * stay unchanged. */
void spans_combine(struct time_parser *p);
/* The first and last day of a phrase with a year. */
void phrase_span(const struct time_phrase *ph, struct date *start, struct date *end);

/* ---- timewords.c ---- */

/* Returns true for a number or a word that can begin a phrase of time. Readers skip all other
 * tokens. */
bool may_start_time(const struct token *t);

/* 1-12, or 0. "may" and "march" count only where a month can occur. */
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
int time_unit_months(enum time_unit u); /* 0: measured in days */
int time_unit_days(enum time_unit u);
struct date day_plus(struct date d, int days);
struct date day_plus_months(struct date d, int months);

#endif
