/* Inside of the number check: what is shown, what is known, and how they are compared. */
#ifndef VESPER_GUARD_INT_H
#define VESPER_GUARD_INT_H

#include "vesper/arena.h"
#include "vesper/guard.h"
#include "vesper/limits.h"
#include "vesper/str.h"
#include "vesper/units.h"

/* ---- units ---- */

/* The registry as numbers are read with it. A number's unit is one of it, or NULL. */
struct unit_words {
	const struct units *registry;
	const struct unit_word *items; /* the registry's */
	size_t count;
	const struct unit_def *percent, *ratio; /* never NULL */
};

/* `registry` NULL: none is known. It is borrowed. */
void unit_words_read(struct unit_words *u, const struct units *registry);
/* The unit that a column or a fact names; NULL: it only counts, or says none. */
const struct unit_def *unit_of_symbol(const struct unit_words *u, const char *symbol);
/* The currency whose sign stands at text[0]; `*len` bytes. *more: can't be told yet. */
const struct unit_def *unit_currency_at(const struct unit_words *u, const char *text, size_t len,
					size_t *taken, bool *more);
/* "USD" before a number. */
const struct unit_def *unit_currency_code(const struct unit_words *u, const char *word, size_t len);
/* "€52/MWh": the unit as money of the currency. */
const struct unit_def *unit_in_currency(const struct unit_words *u, const struct unit_def *unit,
					const struct unit_def *currency);
/* The money that the unit is a part of: cents; NULL: none. */
const struct unit_def *unit_whole_money(const struct unit_words *u, const struct unit_def *unit);
bool unit_is_percent(const struct unit_def *u);
bool unit_is_ratio(const struct unit_def *u); /* "1.05x" */
bool unit_is_money(const struct unit_def *u);
bool unit_is_span(const struct unit_def *u); /* of time */
/* Equal, or money and the same money per something: "$52.14" is said of a price. */
bool unit_is_alike(const struct unit_def *a, const struct unit_def *b);
/* "24 hours", "365 days": so many are one of a longer unit. */
bool unit_is_calendar(const struct unit_words *u, const struct unit_def *unit, int64_t n);
/* Hundredths of a day; 0: it is no span of days. */
int64_t unit_days_100(const struct unit_def *u);

/* ---- reading numbers ---- */

#define GUARD_SCALE 8 /* decimals of every value here */

/* A number's value in 10^-GUARD_SCALE; what does not fit is no number that we check. */
typedef __int128 guard_value;

enum shown_kind {
	SHOWN_NUMBER,
	SHOWN_YEAR,
	SHOWN_MONTH,   /* of a year: date.day is 0 */
	SHOWN_QUARTER, /* of a year: date.month is the quarter */
	SHOWN_DATE,    /* whole */
	SHOWN_DAY,     /* day and month: date.year is 0 */
	SHOWN_HOUR,    /* of the day, 0-23 (an hour ending is one less) */
	SHOWN_RANK,    /* "2nd", "#3" */
	SHOWN_STRANGE, /* "1.2e6", digits of other scripts: read by people, not compared */
	SHOWN_ID,      /* "P-1001": the digits after a word and a dash */
	SHOWN_TEXT,    /* list numbers, ids: nothing to check */
};

struct shown {
	enum shown_kind kind;
	size_t len;        /* bytes from the first of sign or currency to the end of the unit */
	guard_value value; /* size, without sign */
	guard_value half;  /* half of the last place shown */
	int decimals;
	bool minus;
	bool plus;                       /* said */
	const struct unit_def *currency; /* said before it */
	bool scaled;                     /* K, M, B */
	bool grouped;
	bool worded; /* "fifty dollars" */
	bool part;   /* "a third of": a share, and no change */
	bool out_of; /* "three of four": a number follows that it is part of */
	const struct unit_def *unit;
	struct date date;
};

/* What came right before a number, as far as it decides how to read it. */
struct lead {
	int month;        /* the word before is a month: 1-12 */
	int quarter;      /* … "Q1": 1-4 */
	bool hour;        /* "hour", "hours": also after "16 to" */
	bool hour_ending; /* "HE" */
	bool line_start;
	bool glued;                      /* a letter, digit or underscore stands right before */
	bool dashed;                     /* a letter and a dash do: "mid-2025", "COVID-19" */
	bool rank;                       /* "#" */
	const struct unit_def *currency; /* "USD" */
	bool minus;                      /* "minus", "negative" */
};

enum scan { SCAN_DONE, SCAN_MORE };

/* Reads the number whose sign, currency or first digit is text[0]. SCAN_MORE: its end is not here
 * yet (never when `final`). */
enum scan shown_scan(const struct unit_words *u, const char *text, size_t len, bool final,
		     const struct lead *lead, struct shown *out);
/* How many bytes of sign and currency stand before a digit at text[0]; 0: none; *more: can't be
 * told yet. */
size_t shown_lead(const struct unit_words *u, const char *text, size_t len, bool final, bool *more);
/* The unit that follows a number's end after a space; *len bytes of both. *more: can't be told. */
const struct unit_def *shown_unit_after(const struct unit_words *u, const char *text, size_t len,
					bool final, size_t *taken, bool *more);
/* A number in words may begin with this letter. */
bool words_may_begin(char c);
int words_cardinal(const char *word, size_t len);     /* 2; 0 or less: it is none */
bool words_is_cardinal(const char *word, size_t len); /* "two" */
/* Reads the number in words at the beginning of a word, after the name of a month (0: another
 * word); out->len 0: there is none. */
enum scan words_scan(const struct unit_words *u, const char *text, size_t len, bool final,
		     int month, struct shown *out);
/* Bytes of digits of other scripts, raised ones and fractions at text[0]. */
size_t shown_strange(const char *text, size_t len, bool final, bool *more);
/* Finds the unit written in a table's heading, as in "Price ($/MWh)". */
const struct unit_def *unit_in_text(const struct unit_words *u, const char *text, size_t len);
/* The value in another unit of its dimension; false: not exactly. */
bool shown_convert(struct shown *s, const struct unit_def *to);
/* The whole text is one number or date: "15 March 2026", "$2.95M". */
bool text_is_number(const struct unit_words *u, const char *text, size_t len);
int month_of_word(const char *word, size_t len);   /* 1-12, or 0 */
int weekday_of_word(const char *word, size_t len); /* 1-7, Monday first; or 0 */
/* text starts with word (ASCII case folded): 1 yes, 0 no, -1 can't be told yet. */
int text_starts(const char *text, size_t len, bool final, const char *word);

/* ---- names ---- */

#define NAME_WORDS_MAX 6
#define SLOTS_MAX      32 /* kinds of names: one for each naming column */

struct name {
	uint64_t key;   /* of its words; 0: empty place */
	int id;         /* the same in all slots: of its text; -1: only a beginning */
	bool begins;    /* more words may follow */
	bool cased;     /* one word, which is a name only with a capital: "Usage" */
	int only;       /* of a beginning: the one name that it is of; -1: several */
	uint32_t slots; /* bit s: some table's column of slot s holds it */
};

struct names {
	struct name *table;
	size_t size; /* power of two */
	size_t used;
	int count; /* ids */
	uint32_t *slots_by_id;
	size_t slots_cap;
};

uint64_t name_key(const char *text, size_t len, int *words); /* of all words in a text */

/* Letters of two bytes (é, ø) are letters; dashes, quotes and signs, of three, are not. Inline: it
 * is asked of each byte. */
static inline bool is_word_byte(char prev, char c)
{
	unsigned char before = (unsigned char)prev, now = (unsigned char)c;

	if (now < 0x80)
		return (now | 0x20u) - 'a' < 26u || now - (unsigned)'0' < 10u;
	return (now >= 0xC3 && now <= 0xDF) || (now <= 0xBF && before >= 0xC3 && before <= 0xDF);
}

uint64_t name_word_key(const char *word, size_t len);
uint64_t name_join(uint64_t key, uint64_t word_key);
const struct name *name_find(const struct names *n, uint64_t key);

/* ---- what is known ---- */

#define GROUP_MAX 24

/* A name in the order said. Names with no amount between them are a group: "Ascend and Hitachi
 * average 52.14 and 54.80". */
struct mention {
	int id;
	uint32_t slots;
	uint32_t word;  /* where it began */
	uint32_t group; /* amounts that came before it in the sentence */
	bool ref;       /* it is only what others are compared with */
	bool post;      /* it followed its amount, and says nothing of the next one */
};

/* What is counted, and so which words may stand beside it. */
enum counted {
	COUNTED_NOTHING, /* it is no count */
	COUNTED_ROWS,
	COUNTED_NAMED,    /* the rows of one name */
	COUNTED_KIND,     /* the rows that say "green", "on track" */
	COUNTED_DISTINCT, /* values of a column */
	COUNTED_VALUES,
	COUNTED_NULLS,
};

/* The words beside a whole number without a unit, folded: what it numbers ("Stage 5") or counts
 * ("3 at risk", "2 vendors"). 0: none. */
struct beside {
	uint64_t before;
	uint64_t picture; /* "2 🔴": stands for words where the data shows them with it */
	uint64_t after[2];
	uint64_t said_to_be[2]; /* "areas are green": the words after the verb */
};

enum entry_class { CLASS_NUMBER, CLASS_DATE, CLASS_YEAR, CLASS_HOUR, CLASS_MONTH, CLASS_QUARTER };

struct entry {
	enum entry_class class;
	guard_value value; /* a number's size; a date as yyyymmdd (month 0, day 0: not said) */
	bool minus;
	bool either; /* the sign may be told in words */
	bool change; /* from one value to another: a rise or a fall */
	bool share;  /* of the rows that say its kind */
	enum derived { DERIVED_NOT, DERIVED_SUM, DERIVED_MEAN, DERIVED_CHANGE } derived;
	bool fact;                  /* a number that code derived */
	const uint64_t *fact_words; /* of a fact without a unit: its name's and its label's */
	bool shadowed;              /* a cell says the same, and of what */
	int text;                   /* of a fact's text: which one; 0: none */
	bool anything;              /* of the question: any unit */
	bool of_text;               /* a number inside a text cell */
	enum counted counted;
	struct beside beside; /* of a number inside a text, or of what is counted */
	bool pooled;          /* over rows of several names: is no single name's number */
	const struct unit_def *unit;
	int table;                /* index of tables; -1: none */
	int64_t row;              /* -1: none */
	int column;               /* of that table; -1: none */
	int group_slot, group_id; /* of the rows it was made of; -1 none */
	const int *label_ids;     /* names in a fact's label, ended by -1; NULL: none */
	const char *call;
	const char *column_name;
	const char *formula;
};

#define COLUMN_WORDS_MAX 8

/* When a row's amounts were. */
struct row_time {
	int hour; /* -1: it has none */
	int month;
	int32_t day; /* yyyymmdd of a series of days or months; 0: it has none */
};

struct known_table {
	const struct table *t;
	const char *call;
	int *slot;    /* by column; -1: does not name rows */
	int **ids;    /* ids[row][column] of names; -1 */
	bool *rivals; /* by column: names of this slot differ between rows */
	uint32_t rival_slots;
	bool *soft; /* by column: words ("winter") that gather rows and name none */
	const struct unit_def **units; /* by column */
	bool *measure;                 /* by column: numbers to compute with */
	bool *differences;             /* by column: its name or label says so: "spread" */
	bool *mixed;                   /* by column: it has negative values and others */
	struct row_time *times;        /* by row; NULL: nothing says when */
	uint64_t (*keys)[2];    /* by column: of its name and its label, as a heading has them */
	uint64_t (*sets)[2][4]; /* by column: words of its name, and of its label, that tell it */
	uint64_t (*words)[COLUMN_WORDS_MAX]; /* by column: of its name and its label, folded */
	uint64_t *pictures;                  /* by column: of its label, as "🔴 Red"; 0: none */
	guard_value **values;                /* values[row][column], signed; GUARD_NO_VALUE */
};

#define GUARD_NO_VALUE ((guard_value)1 << 126)

struct known {
	struct arena *arena;
	struct unit_words units;
	struct entry *entries; /* sorted by class and value */
	size_t count, cap;
	struct known_table *tables;
	int table_count;
	struct names names;
	const char *slot_names[SLOTS_MAX];
	int slot_count;
	bool has_rivals;
	uint32_t soft_slots;
	bool peak_known;     /* a column says when peak hours begin or end */
	bool other_question; /* what the question names is not what the results are about */
	bool has_times;      /* some table's rows are of hours, months or days */
	uint32_t year_slots; /* whose names are years */
	int64_t rows_max;
	struct {
		const struct unit_def **units; /* of number columns */
		size_t count, cap;
	} measured;
	struct {
		struct text_word {
			int text;
			uint64_t word;
		} * words; /* before numbers of a fact's text */
		size_t count, cap;
		int facts; /* that have a text */
	} texts;
	struct besides {
		struct beside *list;
		size_t count, cap;
	} numbered;           /* "Stage", and "Stage … Construction": before and after[0] */
	struct besides kinds; /* "green", "on track": after; "🟢": picture */
	struct {
		struct hour_fact {
			const char *name, *text; /* "widest_hours": "HE 16-21" */
			uint64_t word;           /* the name's first, folded */
		} * facts;
		size_t count, cap;
	} hours;
	struct mention asked[GROUP_MAX]; /* named by the question and the arguments */
	int asked_count;
	struct date today;
};

void known_build(struct known *k, const struct guard_input *in);
void known_free(struct known *k);
/* A heading up to its unit in brackets. 0: no known column is called so. */
uint64_t known_heading(const struct known *k, const char *text, size_t len);
/* First entry of this class that is not below value. */
size_t known_from(const struct known *k, enum entry_class class, guard_value value);
int32_t known_day(const char *text);                   /* yyyymmdd of an ISO date; 0: it is none */
bool known_number(const char *text, guard_value *out); /* signed */

/* ---- words beside a number ---- */

/* A word as it is compared: small letters, one of it. */
uint64_t beside_key(const char *word, size_t len);
/* The picture and the next words of the same phrase. SCAN_MORE: they are not here yet. */
enum scan beside_after(const char *p, size_t n, bool final, struct beside *out);
/* A whole number that says neither of what nor in what unit. */
bool shown_is_bare(const struct shown *s);

/* ---- judging ---- */

#define ROW_WORDS ((DB_ROWS_MAX + 63) / 64)

/* Which rows of one table of the data a row of the answer's table can be about. */
struct row_set {
	int table; /* -1: nothing is known yet */
	uint64_t rows[ROW_WORDS];
};
void row_set_clear(struct row_set *s);
void row_set_add(struct row_set *s, int table, int64_t row);
/* May a number of this row stand there? */
bool row_set_has(const struct row_set *s, int table, int64_t row);
/* It is about one of these rows only. */
void row_set_narrow(struct row_set *s, const struct row_set *to);

/* The time that the next amount is said to belong to: "in hour 19", "in August". */
struct when {
	uint32_t hours;   /* bit h; 0: none was said */
	uint32_t months;  /* bit m */
	int from, to;     /* yyyymmdd; 0: none */
	uint32_t amounts; /* it is said of so many more */
};

#define TONE_WORDS 6 /* after an amount may say how it compares, and what it counts */

/* What the words around an amount say of how it compares. */
struct tone {
	int dir;                    /* 1: "above", "rose"; -1: "below", "fell" */
	bool change;                /* "gap", "changed" */
	bool of;                    /* "35 % of" */
	bool rest;                  /* "remaining" */
	bool sum;                   /* "together" follows */
	bool mean;                  /* "on average" does */
	bool by;                    /* "rose by" */
	bool to;                    /* "rose to" */
	bool move;                  /* "rose", and not "higher" */
	bool than;                  /* what it is compared with is said */
	int ref_id;                 /* the name that it is compared with; -1: none */
	uint64_t after[TONE_WORDS]; /* the words that follow, folded */
};

#define CLAUSE_WORDS_MAX 12

/* The words since the last amount, folded. */
struct clause {
	uint64_t words[CLAUSE_WORDS_MAX];
	size_t count;
	bool after_amount; /* nothing but the word that is read came since the amount */
};

#define RECENT_MAX 4

/* An amount of the answer that was found right. */
struct recent {
	guard_value value; /* signed */
	guard_value shown, half;
	const struct unit_def *unit;
	int table, column;
	int64_t row;
	uint32_t sentence;
};

struct context {
	struct mention said[GROUP_MAX]; /* in this sentence or table row */
	int count;
	struct mention before[GROUP_MAX]; /* in the sentence before */
	int before_count;
	struct {
		int id; /* the name that follows: "… for Ascend"; -1: none */
		uint32_t slots;
		struct when when; /* the time that does: "… in hour 19" */
	} follow;
	struct {
		int id; /* the name that heads this column of a table; -1 */
		uint32_t slots;
		const struct unit_def *unit;
		uint64_t key; /* of the known column that this one is; 0: none */
	} header;
	bool in_row;          /* of a table */
	struct row_set rows;  /* what the row's cells so far say of it */
	struct beside beside; /* the number */
	struct {
		bool first_of;       /* "first 24", "top 5" */
		bool in_all;         /* "in all", "in total": of no single row */
		int extreme;         /* "highest" 1, "lowest" -1 was said of the next amount */
		uint64_t extreme_of; /* the word after it */
		int rank;            /* "second" was said of it; 0: nothing */
		bool about;          /* "roughly" stands right before */
		bool label;          /* "step" does */
		int limit;           /* "above" does (1), "below" does (-1) */
	} told;                      /* of the number, by the words before it */
	struct when when;
	int same_hour;    /* "hour 19 (HE 20)": the hour that this one must be; -1: any */
	struct tone tone; /* before the number; and after it, once that was asked for */
	bool tone_known;  /* what follows was looked at */
	struct recent recent[RECENT_MAX]; /* newest first */
	uint32_t sentence;
	struct clause clause;
	int claim;                 /* "A is higher: x against y": said of the amount before */
	bool against;              /* "against" stands right before the number */
	bool from;                 /* "from" was said in the sentence */
	bool changed;              /* "rose" was said in the sentence before */
	bool sums, means, changes; /* so were "together", "averages", "gap" */
	size_t clause_dir;         /* words of the clause before its direction */
	int32_t days[2];           /* of the last dates, since 1970; newest first; 0: none */
	bool missing;              /* "without", "missing" */
	bool peak;
	struct {
		int64_t written; /* table rows and list items of the answer so far */
		int64_t last;    /* of the last table or list */
	} rows_said;
	struct {
		const struct guard_place *places; /* only what they say is meant; NULL: anything */
		size_t count;
	} cited;
};

struct verdict {
	bool bound;
	bool unchecked; /* bound to what proves nothing: the question's own words */
	bool of_fact;   /* a number that code derived */
	bool directed;  /* "more", "less", "rose": the values say so, too */
	bool astray;    /* no passage says it that its sentence cites */
	struct recent amount;
	struct row_set rows; /* a cell under its own heading: the rows that hold it */
	struct guard_ref ref;
};

/* *s: in the unit of what it is bound to. */
void judge(const struct known *k, struct shown *s, const struct context *c, char *scratch,
	   size_t scratch_size, struct verdict *out);
/* Is the amount's column the one that the words before it name, where they name one? */
bool column_is_said(const struct known *k, const struct entry *e, const struct context *c);
/* Do the words beside a number say a kind of rows? */
bool beside_is_kind(const struct known *k, const struct beside *said);
/* Where the words say a kind, what picture stands there says nothing more. */
void beside_settle(const struct known *k, struct beside *said);
/* The first picture of a text; 0: none. */
uint64_t beside_picture(const char *text, size_t len);
bool known_is_column_word(const struct known *k, uint64_t word);
struct derived_number {
	struct guard_ref ref;
	const struct unit_def *unit;
	bool directed; /* as of a verdict */
};

/* The derivations that are made on demand; false: none fits. */
bool derive_bind(const struct known *k, const struct shown *s, const struct context *c,
		 char *scratch, size_t scratch_size, struct derived_number *out);
/* 1: row a is the later one of two that differ in nothing but time, -1: b is; 0: they differ in
 * more. */
int known_later(const struct known *k, const struct known_table *kt, int64_t a, int64_t b);
/* Do the words say that a number was made so of others? */
bool is_told_as(enum derived how, const struct shown *s, const struct context *c);
/* Where the words put a column in a comparison: 1: it is compared, -1: with it; 0: nowhere. */
int column_side(const struct known *k, int table, size_t column, const struct context *c);
/* Is the row of the time that is spoken of? */
bool row_is_when(const struct known *k, int table, int64_t row, const struct when *w);
bool unit_fits(const struct shown *s, const struct unit_def *shown, const struct unit_def *known,
	       bool loses_decimals);
/* The data numbers such things: "Stage". */
bool beside_is_numbered(const struct known *k, const struct beside *said);
/* "The highest price": does the word say this column, or none at all? */
bool beside_of_column(const struct known *k, const struct entry *e, uint64_t word);
/* Do the words beside a number in words say that it is told of the data? */
bool beside_is_told(const struct known *k, const struct shown *s, const struct beside *said);
/* "75 % are on track": do the words around a share say what it is one of? */
bool beside_says_kind(const struct entry *e, const struct context *c);
/* May a bare number with these words beside it be this one? */
bool beside_fits(const struct known *k, const struct entry *e, const struct context *c);
/* Does this row belong to what the sentence names? */
bool row_is_meant(const struct known *k, int table, int64_t row, const struct context *c);

/* ---- reading text ---- */

#define WORD_BYTES_MAX 40

/* Words and what stands before a number, byte after byte; for the answer as for a cell. */
struct reader {
	char word[WORD_BYTES_MAX]; /* the one being read, or the last one */
	size_t word_len;
	bool word_open;
	bool word_near; /* only separators that bind a word to its number came since */
	char prev, prev2;
	bool line_start;
	bool hour_run, hour_ending_run;
	bool after_number;
	bool hours_end;                                             /* "hours ending" */
	bool hours_said;                                            /* "hours are", "hours from" */
	void (*on_word)(void *owner, const char *word, size_t len); /* or NULL */
	void (*on_char)(void *owner, char c);                       /* what is no word; or NULL */
	void *owner;
	const struct unit_words *units;
};

void reader_init(struct reader *r, const struct unit_words *u);
/* Reads plain text up to the next number; *plain bytes were taken. True: a number stands there.
 * False: nothing more is here, or (bytes are left) it can't be told yet. */
bool reader_next(struct reader *r, const char *p, size_t n, bool final, size_t *plain,
		 struct shown *s);
/* The word that stands right before it; 0: none. */
uint64_t reader_before(const struct reader *r);
bool reader_is_titled(const struct reader *r); /* and it begins with a capital */
/* Takes the number that reader_next has found. */
void reader_take(struct reader *r, const char *p, const struct shown *s);

/* ---- what is spoken of ---- */

#define COLUMNS_MAX   24 /* of a table in an answer whose headings are remembered */
#define HEADING_BYTES 96 /* of one heading */

/* A table in the answer, while it is written. */
struct heading {
	int id;
	uint32_t slots;
	const struct unit_def *unit;
	uint64_t key;
};

struct speech {
	const struct known *known;
	struct reader reader;
	struct context said;
	uint32_t amounts;               /* in this sentence */
	uint64_t words[NAME_WORDS_MAX]; /* keys of the last words, newest first */
	bool ends;                      /* what ends is more than a part of a sentence */
	bool titled;                    /* the last one began with a capital */
	size_t word_len;
	uint64_t folded;
	uint32_t word_count;
	bool partly;  /* "one of the", "second": what follows is no extreme of all */
	bool said_in; /* the last word was "in" */
	struct {
		uint32_t word; /* where "second" was said; 0: nowhere */
		int value;
		int last; /* the last word was "second": a rank, if what follows says so */
	} ordinal;
	uint32_t last_is;   /* what the last word says */
	uint32_t dir_word;  /* where the direction was said */
	struct tone before; /* the tone without what follows the number */
	int post_id;        /* the name that followed the last amount */
	int ref_id;         /* what was compared with, in this sentence; -1: nothing */
	struct {
		int last;        /* the last number was this hour; -1: it was none */
		int from;        /* it, or where its range began */
		bool ending;     /* … as an hour ending */
		uint32_t words;  /* since */
		bool till, open; /* "to" came since; "(" or "/" did */
	} hour;
	bool compared;  /* "above", "than": what follows a colon tells both names' numbers */
	bool year_told; /* the last number was a year, and no part of a date */
	bool bullet;    /* the line begins with what may be one */
	bool stop;      /* a full stop was read: a space makes it the sentence's end */
	bool in_table, is_heading, is_ruler;
	int column;
	struct heading headings[COLUMNS_MAX];
	char cell[HEADING_BYTES];
	size_t cell_len;
};

/* It reads through itself: stays where it is. */
void speech_init(struct speech *s, const struct known *k);
/* Finds the name that a number's own words give it, in what follows the number. SCAN_MORE: that is
 * not here yet. */
enum scan speech_follower(struct speech *s, const char *p, size_t n, bool final);
/* Notes the words beside a number; as speech_follower. */
enum scan speech_beside(struct speech *s, const char *p, size_t n, bool final,
			const struct shown *number);
/* Reads how an amount compares from what follows it. */
enum scan speech_tone(struct speech *s, const char *p, size_t n, bool final);
/* The number belongs to an id of the kind that the data has; *known: it has this one. */
bool speech_is_id(const struct speech *s, const char *p, const struct shown *number, bool *known);
/* The number completes a name of the data: "Portfolio 360". */
bool speech_is_name(const struct speech *s, const char *p, const struct shown *number);
/* … or begins one: "100% Solar". */
bool speech_begins_name(const struct speech *s, const char *p, size_t n,
			const struct shown *number);
/* The first cell of the n-th row of a table is an n that numbers it. */
bool speech_is_rank_cell(const struct speech *s, const struct shown *number);
/* Is a number in words told of the data, or only a way to speak? */
bool speech_tells(const struct speech *s, const struct shown *number);
/* Takes the number that the reader has found. */
void speech_take(struct speech *s, const char *p, const struct shown *number,
		 const struct verdict *verdict);

#endif
