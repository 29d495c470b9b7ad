/* Internals of the number check: numbers shown in an answer, known numbers, and their comparison.
 */
#ifndef VESPER_GUARD_INT_H
#define VESPER_GUARD_INT_H

#include "vesper/arena.h"
#include "vesper/guard.h"
#include "vesper/limits.h"
#include "vesper/str.h"
#include "vesper/units.h"

/* ---- units ---- */

/* The unit registry in the form used to read numbers. A number's unit points into it, or is NULL.
 */
struct unit_words {
	const struct units *registry;
	const struct unit_word *items; /* of the registry */
	size_t count;
	const struct unit_def *percent, *ratio; /* never NULL */
};

/* `registry`: borrowed; NULL: no unit is known. */
void unit_words_read(struct unit_words *u, const struct units *registry);
/* The unit that a column or fact names; NULL: a plain count, or no unit. */
const struct unit_def *unit_of_symbol(const struct unit_words *u, const char *symbol);
/* The unit that the last word of a column's name gives, as in "storage_mw"; without one, a unit for
 * which unit_is_unstated is true. */
const struct unit_def *unit_of_name(const struct unit_words *u, const char *name);
bool unit_is_unstated(const struct unit_def *u);
/* The currency whose sign is at text[0]; *taken: its bytes. Sets *more when the text is too short
 * to decide. */
const struct unit_def *unit_currency_at(const struct unit_words *u, const char *text, size_t len,
					size_t *taken, bool *more);
/* A currency code, such as "USD" before a number. */
const struct unit_def *unit_currency_code(const struct unit_words *u, const char *word, size_t len);
/* The unit in another currency: "€52/MWh". */
const struct unit_def *unit_in_currency(const struct unit_words *u, const struct unit_def *unit,
					const struct unit_def *currency);
/* The currency that the unit is a fraction of, for cents; or NULL. */
const struct unit_def *unit_base_currency(const struct unit_words *u, const struct unit_def *unit);
bool unit_is_percent(const struct unit_def *u);
bool unit_is_ratio(const struct unit_def *u); /* "1.05x" */
bool unit_is_money(const struct unit_def *u);
bool unit_is_span(const struct unit_def *u); /* a time span */
/* Returns true when the units are equal, or one is money and the other the same money per unit:
 * "$52.14" may mean a price. */
bool units_are_alike(const struct unit_def *a, const struct unit_def *b);
/* Returns true when the number equals one longer unit: "24 hours", "365 days". */
bool unit_is_calendar(const struct unit_words *u, const struct unit_def *unit, int64_t n);
/* The unit in hundredths of a day; 0: not a time span in days. */
int64_t unit_days_100(const struct unit_def *u);

/* ---- reading numbers ---- */

#define GUARD_SCALE 8 /* decimals of every guard_value */

/* A number in units of 10^-GUARD_SCALE. Numbers that do not fit are not checked. */
typedef __int128 guard_value;

enum shown_kind {
	SHOWN_NUMBER,
	SHOWN_YEAR,
	SHOWN_MONTH,       /* month of a year: date.day is 0 */
	SHOWN_QUARTER,     /* quarter of a year: date.month is the quarter */
	SHOWN_DATE,        /* full date */
	SHOWN_DAY,         /* day and month: date.year is 0 */
	SHOWN_HOUR,        /* of the day, 0-23 (hour-ending minus one) */
	SHOWN_RANK,        /* "2nd", "#3" */
	SHOWN_UNSUPPORTED, /* "1.2e6", digits of other scripts: not compared */
	SHOWN_ID,          /* "P-1001": digits after a word and a dash */
	SHOWN_TEXT,        /* list numbers, ids: not checked */
};

struct shown {
	enum shown_kind kind;
	size_t len;        /* bytes from the first of sign or currency to the end of the unit */
	guard_value value; /* absolute value */
	guard_value half;  /* half of the last decimal place */
	int decimals;
	bool minus;
	bool plus;                       /* an explicit plus sign */
	const struct unit_def *currency; /* written before the number */
	bool scaled;                     /* with K, M or B */
	bool grouped;
	bool worded; /* "fifty dollars" */
	bool part;   /* "a third of": a share, not a change */
	bool out_of; /* "three of four": followed by the number of the whole */
	const struct unit_def *unit;
	struct date date;
};

/* The text right before a number that affects how it is read. */
struct lead {
	int month;        /* the previous word is a month: 1-12 */
	int quarter;      /* the previous word is a quarter: 1-4 */
	bool hour;        /* "hour", "hours"; also after "16 to" */
	bool hour_ending; /* "HE" */
	bool line_start;
	bool glued;                      /* a letter, digit or underscore right before */
	bool dashed;                     /* a letter and a dash before: "mid-2025", "COVID-19" */
	bool rank;                       /* "#" */
	bool quote;                      /* "'26" */
	const struct unit_def *currency; /* "USD" */
	bool minus;                      /* "minus", "negative" */
};

enum scan { SCAN_DONE, SCAN_MORE };

/* Reads the number whose sign, currency or first digit is text[0]. SCAN_MORE: the text ends too
 * early to decide (never when `final`). */
enum scan shown_scan(const struct unit_words *u, const char *text, size_t len, bool final,
		     const struct lead *lead, struct shown *out);
/* The bytes of sign and currency before a digit at text[0]; 0: none. Sets *more when the text is
 * too short to decide. */
size_t shown_prefix(const struct unit_words *u, const char *text, size_t len, bool final,
		    bool *more);
/* The unit after a number and a space; *taken: the bytes of both. Sets *more when the text is too
 * short to decide. */
const struct unit_def *shown_unit_after(const struct unit_words *u, const char *text, size_t len,
					bool final, size_t *taken, bool *more);
/* Returns true when a number word may begin with this letter. */
bool words_may_begin(char c);
int words_cardinal(const char *word, size_t len);     /* "two" gives 2; 0 or less: not a number */
bool words_is_cardinal(const char *word, size_t len); /* "two" */
/* Reads a number in words at the start of a word. `month`: the month named before it, or 0.
 * out->len is 0 when there is none. */
enum scan words_scan(const struct unit_words *u, const char *text, size_t len, bool final,
		     int month, struct shown *out);
/* The bytes of non-ASCII digits, superscripts and fractions at text[0]. */
size_t shown_unsupported(const char *text, size_t len, bool final, bool *more);
/* Finds the unit in a table heading, such as "Price ($/MWh)". */
const struct unit_def *unit_in_text(const struct unit_words *u, const char *text, size_t len);
/* Converts the value to another unit of its dimension. Returns false when it is not exact. */
bool shown_convert(struct shown *s, const struct unit_def *to);
/* Returns true when the whole text is one number or date: "15 March 2026", "$2.95M". */
bool text_is_number(const struct unit_words *u, const char *text, size_t len);
int month_of_word(const char *word, size_t len);   /* 1-12, or 0 */
int weekday_of_word(const char *word, size_t len); /* 1-7, Monday first; or 0 */
/* Compares the start of the text with a word, ignoring ASCII case. Returns 1: equal, 0: different,
 * -1: the text is too short. */
int text_starts(const char *text, size_t len, bool final, const char *word);

/* ---- names ---- */

#define NAME_WORDS_MAX 6
#define SLOTS_MAX      32 /* one slot per column of names */

struct name {
	uint64_t key;   /* of all its words; 0: empty entry */
	int id;         /* one per text, over all slots; -1: only a prefix of names */
	bool begins;    /* more words may follow */
	bool cased;     /* one-word name that requires a capital: "Usage" */
	int only;       /* of a prefix: the only name with it; -1: several */
	uint32_t slots; /* bit s: a column of slot s contains it */
};

struct names {
	struct name *table;
	size_t size; /* power of two */
	size_t used;
	int count; /* number of ids */
	uint32_t *slots_by_id;
	size_t slots_cap;
};

uint64_t name_key(const char *text, size_t len, int *words); /* key of all words of the text */

/* Letters encoded in two bytes (é, ø) count as letters; three-byte dashes, quotes and signs do
 * not. Inline, since it runs for every byte. */
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

/* ---- known data ---- */

#define GROUP_MAX 24

/* A mentioned name, in order. Names without an amount between them form a group: "Ascend and
 * Hitachi average 52.14 and 54.80". */
struct mention {
	int id;
	uint32_t slots;
	uint32_t word;  /* index of its first word */
	uint32_t group; /* number of amounts before it in the sentence */
	bool ref;       /* only the reference of a comparison */
	bool post;      /* follows its amount, so it does not apply to the next one */
};

/* What a count covers, which decides the words that may accompany it. */
enum counted {
	COUNTED_NONE, /* not a count */
	COUNTED_ROWS,
	COUNTED_NAMED,    /* rows of one name */
	COUNTED_KIND,     /* rows with a value such as "green", "on track" */
	COUNTED_DISTINCT, /* distinct values of a column */
	COUNTED_VALUES,
	COUNTED_NULLS,
};

/* The folded words next to a whole number without a unit: what it numbers ("Stage 5") or counts
 * ("3 at risk", "2 vendors"). 0: none. */
struct number_context {
	uint64_t before;
	uint64_t emoji_key; /* "2 🔴": an emoji that the data shows for a value */
	uint64_t after[2];
	uint64_t predicate[2]; /* "areas are green": the words after the verb */
};

enum entry_class { CLASS_NUMBER, CLASS_DATE, CLASS_YEAR, CLASS_HOUR, CLASS_MONTH, CLASS_QUARTER };

struct entry {
	enum entry_class class;
	/* absolute value of a number; a date as yyyymmdd (month 0, day 0: unknown) */
	guard_value value;
	bool minus;
	bool either; /* the sign may be expressed in words */
	bool change; /* a difference: a rise or a fall */
	bool share;  /* the share of rows of its kind */
	enum derived { DERIVED_NONE, DERIVED_SUM, DERIVED_MEAN, DERIVED_CHANGE } derived;
	bool fact;                  /* a derived fact */
	const uint64_t *fact_words; /* for a fact without a unit: words of its name and label */
	bool shadowed;              /* a cell has the same value and more context */
	int text;                   /* number of the fact text that contains it; 0: none */
	bool matches_any_unit; /* without a stated unit, as in the question: matches any unit */
	bool of_text;          /* a number inside a text cell */
	enum counted counted;
	struct number_context
		number_context; /* of a number inside a text, or of the counted rows */
	/* computed over rows of several names, so it belongs to no single name */
	bool pooled;
	const struct unit_def *unit;
	int table;                /* index into tables; -1: none */
	int64_t row;              /* -1: none */
	int column;               /* in that table; -1: none */
	int group_slot, group_id; /* of the aggregated rows; -1: none */
	const int *label_ids;     /* names in a fact's label, terminated by -1; NULL: none */
	const char *call;
	const char *column_name;
	const char *formula;
};

#define COLUMN_WORDS_MAX 8

/* The time of a row's amounts. */
struct row_time {
	int hour; /* -1: none */
	int month;
	int32_t day; /* yyyymmdd in a series of days or months; 0: none */
};

struct known_table {
	const struct table *t;
	const char *call;
	int *slot;    /* by column; -1: has no names */
	int **ids;    /* ids[row][column] of names; -1: none */
	bool *rivals; /* by column: its names differ between rows */
	uint32_t rival_slots;
	bool *alias;                   /* by column: another name of what an earlier column names */
	bool *soft;                    /* by column: grouping words ("winter"), not names */
	const struct unit_def **units; /* by column */
	bool *measure;                 /* by column: numeric values for computations */
	bool *differences;             /* by column: named as a difference, such as "spread" */
	bool *mixed;                   /* by column: has negative and other values */
	struct row_time *times;        /* by row; NULL: no time */
	uint64_t (*keys)[2];           /* by column: keys of name and label, as headings */
	uint64_t (*sets)[2][4]; /* by column: the words that distinguish its name and its label */
	uint64_t (*words)[COLUMN_WORDS_MAX]; /* by column: folded words of name and label */
	/* by column: emoji of its label, as in "🔴 Red"; 0: none */
	uint64_t *emojis;
	int16_t *kinds; /* [row * columns + column]: index into known.kinds, plus one; 0: none */
	guard_value **values; /* values[row][column], signed; GUARD_NO_VALUE */
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
	/* Values of dimensions that no result has as a name; ids from foreign.from on. */
	struct {
		int from;
		int8_t *is_known; /* by id less `from`: 1: the data has it elsewhere, -1: not, 0:
				     not looked up */
		const char **texts;
		size_t count, cap, texts_cap;
	} foreign;
	const struct guard_input *in; /* results and question only */
	const char *slot_names[SLOTS_MAX];
	int slot_count;
	bool has_rivals;
	uint32_t soft_slots;
	bool peak_known;     /* a column gives the limits of peak hours */
	bool other_question; /* the question names something that the results do not cover */
	bool has_times;      /* some table has rows per hour, month or day */
	uint32_t year_slots; /* slots whose names are years */
	int64_t rows_max;
	struct {
		const struct unit_def **units; /* of number columns */
		size_t count, cap;
	} measured;
	struct {
		struct text_word {
			int text;
			uint64_t word;
		} * words; /* words before numbers in a fact's text */
		size_t count, cap;
		int facts; /* number of facts with a text */
	} texts;
	struct number_contexts {
		struct number_context *list;
		size_t count, cap;
	} numbered; /* "Stage", or "Stage … Construction": before and after[0] */
	struct number_contexts kinds; /* "green", "on track": after; "🟢": emoji_key */
	struct {
		struct hour_fact {
			const char *name, *text; /* for example "widest_hours": "HE 16-21" */
			uint64_t word;           /* first word of the name, folded */
		} * facts;
		size_t count, cap;
	} hours;
	struct mention question_names[GROUP_MAX]; /* named by the question or the arguments */
	int question_name_count;
	struct date today;
};

/* Returns true for a name that neither the results nor the question have. */
bool known_is_foreign(const struct known *k, int id);
void known_build(struct known *k, const struct guard_input *in);
void known_free(struct known *k);
/* The key of a heading without its unit in brackets. 0: no known column matches. */
uint64_t known_heading(const struct known *k, const char *text, size_t len);
/* The index of the first entry of this class that is not below value. */
size_t known_lower_bound(const struct known *k, enum entry_class class, guard_value value);
int32_t known_day(const char *text);                   /* yyyymmdd of an ISO date; 0: invalid */
bool known_number(const char *text, guard_value *out); /* signed */

/* ---- words next to a number ---- */

/* The key of a word: lower case, singular. */
uint64_t folded_word_key(const char *word, size_t len);
/* Reads the emoji and the next words of the same phrase. SCAN_MORE: the text is too short. */
enum scan number_context_read_after(const char *p, size_t n, bool final,
				    struct number_context *out);
/* Returns true for a whole number without a unit or counted item. */
bool shown_is_bare(const struct shown *s);

/* ---- binding ---- */

#define ROW_WORDS ((DB_ROWS_MAX + 63) / 64)

/* The rows of one known table that a row of the answer's table may show. */
struct row_set {
	int table; /* -1: not known yet */
	uint64_t rows[ROW_WORDS];
};
void row_set_clear(struct row_set *s);
void row_set_add(struct row_set *s, int table, int64_t row);
/* Returns true when the set may contain the row. */
bool row_set_has(const struct row_set *s, int table, int64_t row);
/* Restricts the set to these rows. */
void row_set_narrow(struct row_set *s, const struct row_set *to);

/* The time that the sentence gives for the next amounts: "in hour 19", "in August". */
struct when {
	uint32_t hours;   /* bit h; 0: no hour */
	uint32_t months;  /* bit m */
	int from, to;     /* yyyymmdd; 0: none */
	uint32_t amounts; /* number of further amounts it applies to */
};

#define COMPARISON_WORDS 6 /* words read after an amount for its comparison and counted item */

/* How the words around an amount compare it. */
struct word_comparison {
	int dir;                          /* 1: "above", "rose"; -1: "below", "fell" */
	bool change;                      /* "gap", "changed" */
	bool of;                          /* "35 % of" */
	bool rest;                        /* "remaining" */
	bool sum;                         /* "together" follows the amount */
	bool mean;                        /* "on average" follows the amount */
	bool by;                          /* "rose by" */
	bool to;                          /* "rose to" */
	bool move;                        /* "rose" rather than "higher" */
	bool than;                        /* the reference of the comparison is named */
	int ref_id;                       /* the name of the reference; -1: none */
	uint64_t after[COMPARISON_WORDS]; /* the following words, folded */
};

#define CLAUSE_WORDS_MAX 12

/* Folded words since the last amount. */
struct clause {
	uint64_t words[CLAUSE_WORDS_MAX];
	size_t count;
	bool after_amount; /* only the current word follows the amount */
	bool compared;     /* has a direction that is no move: "under" */
};

#define RECENT_MAX 4

/* A recent amount of the answer that was bound. */
struct recent {
	guard_value value; /* signed */
	guard_value shown, half;
	const struct unit_def *unit;
	int table, column;
	int64_t row;
	uint32_t sentence;
};

struct context {
	struct mention mentions[GROUP_MAX]; /* names in this sentence or table row */
	int count;
	struct mention before[GROUP_MAX]; /* names in the previous sentence */
	int before_count;
	struct {
		int id; /* the name that follows: "… for Ascend"; -1: none */
		uint32_t slots;
		struct when when; /* the time that follows: "… in hour 19" */
	} follow;
	struct {
		int id; /* the name in the heading of this column; -1: none */
		uint32_t slots;
		const struct unit_def *unit;
		uint64_t key; /* the matching known column; 0: none */
	} header;
	bool in_row;         /* of a table in the answer */
	struct row_set rows; /* rows consistent with the cells of this row so far */
	struct number_context number_context; /* words next to the number */
	struct {
		bool first_of;       /* "first 24", "top 5" */
		bool in_all;         /* "in all", "in total": not of a single row */
		int extreme;         /* the next amount is the "highest" 1, or "lowest" -1 */
		uint64_t extreme_of; /* the word after the superlative */
		int rank;            /* rank of the next amount ("second"); 0: none */
		bool about;          /* "roughly" right before */
		bool label;          /* "step" right before */
		int limit;           /* "above" (1) or "below" (-1) right before */
	} cues;                      /* about the number, from the preceding words */
	struct when when;
	int same_hour; /* "hour 19 (HE 20)": the hour it must equal; -1: any */
	struct word_comparison
		word_comparison;          /* of the words before the number, later also after it */
	bool comparison_known;            /* the words after the number were read */
	struct recent recent[RECENT_MAX]; /* newest first */
	uint32_t sentence;
	struct clause clause;
	/* "A is higher: x against y": direction claimed for the previous amount */
	int claim;
	bool against;              /* "against" right before the number */
	bool from;                 /* "from" occurred in the sentence */
	bool changed;              /* "rose" occurred in the previous sentence */
	bool sums, means, changes; /* likewise "together", "averages", "gap" */
	size_t clause_dir;         /* words of the clause before its direction */
	int32_t days[2];           /* the last dates, in days since 1970; newest first; 0: none */
	bool missing;              /* "without" or "missing" occurred */
	bool peak;
	struct {
		int64_t written; /* table rows and list items in the answer so far */
		int64_t last;    /* of the last table or list */
	} rows_written;
	struct {
		/* bind to these passages first; NULL: no citation */
		const struct guard_passage_row *places;
		size_t count;
	} cited;
};

struct number_binding {
	bool bound;
	bool unchecked; /* matches only the question's own words */
	bool of_fact;   /* a derived fact */
	bool directed;  /* the values confirm "more", "less", "rose" */
	bool miscited;  /* no cited passage contains it */
	struct recent amount;
	struct row_set rows; /* for a cell under its own heading: rows with that value */
	struct guard_ref ref;
};

/* Binds a number. Sets *s to the unit of the matching value. */
void bind_shown(const struct known *k, struct shown *s, const struct context *c, char *scratch,
		size_t scratch_size, struct number_binding *out);
/* Returns true when the preceding words name this amount's column, or no column. */
bool column_is_mentioned(const struct known *k, const struct entry *e, const struct context *c);
/* Returns true when the words name a kind of rows. */
bool number_context_is_kind(const struct known *k, const struct number_context *around);
/* Drops the emoji when the words already name a kind. */
void number_context_drop_emoji(const struct known *k, struct number_context *around);
/* The first emoji of a text; 0: none. */
uint64_t first_emoji_key(const char *text, size_t len);
bool known_is_column_word(const struct known *k, uint64_t word);
struct derived_number {
	struct guard_ref ref;
	const struct unit_def *unit;
	bool directed; /* as in struct number_binding */
};

/* Binds a number by derivations computed on demand. Returns false when none matches. */
bool derive_bind(const struct known *k, const struct shown *s, const struct context *c,
		 char *scratch, size_t scratch_size, struct derived_number *out);
/* Compares rows that differ only in time. Returns 1: a is later, -1: b is later, 0: other columns
 * differ. */
int known_compare_times(const struct known *k, const struct known_table *kt, int64_t a, int64_t b);
/* Returns true when the words describe a number derived in this way. */
bool derivation_is_worded(enum derived how, const struct shown *s, const struct context *c);
/* The role of a column in the comparison: 1: subject, -1: reference, 0: none. */
int column_side(const struct known *k, int table, size_t column, const struct context *c);
/* Returns true when the row's time matches. */
bool row_matches_time(const struct known *k, int table, int64_t row, const struct when *w);
bool unit_fits(const struct shown *s, const struct unit_def *shown, const struct unit_def *known,
	       bool loses_decimals);
/* Returns true when the data numbers such items: "Stage". */
bool number_context_is_numbered(const struct known *k, const struct number_context *around);
/* "The highest price": returns true when the word names this column, or no column. */
bool word_fits_column(const struct known *k, const struct entry *e, uint64_t word);
/* Returns true when a number in words refers to the data. */
bool number_context_refers_to_data(const struct known *k, const struct shown *s,
				   const struct number_context *around);
/* "75 % are on track": returns true when the words name the kind that the share is of. */
bool number_context_names_kind(const struct entry *e, const struct context *c);
/* Returns true when a bare number with these words may match the entry. */
bool number_context_fits(const struct known *k, const struct entry *e, const struct context *c);
/* Returns true when the row has the names of the sentence. */
bool row_matches_names(const struct known *k, int table, int64_t row, const struct context *c);

/* ---- reading text ---- */

#define WORD_BYTES_MAX 40

/* Reads text byte by byte and tracks the words before a number, in answers and in cells. */
struct reader {
	char word[WORD_BYTES_MAX]; /* current or last word */
	size_t word_len;
	bool word_open;
	bool word_near; /* only separators that tie a word to its number since */
	char prev, prev2;
	bool line_start;
	bool hour_run, hour_ending_run;
	bool after_number;
	bool is_after_hours_ending;                                 /* "hours ending" */
	bool is_after_hours;                                        /* "hours are", "hours from" */
	void (*on_word)(void *owner, const char *word, size_t len); /* or NULL */
	/* for other characters; or NULL */
	void (*on_char)(void *owner, char c);
	void *owner;
	const struct unit_words *units;
};

void reader_init(struct reader *r, const struct unit_words *u);
/* Reads plain text up to the next number; *plain: the bytes consumed. Returns true at a number.
 * Returns false at the end of the text, or with bytes left when more text is needed. */
bool reader_next(struct reader *r, const char *p, size_t n, bool final, size_t *plain,
		 struct shown *s);
/* The word right before the number; 0: none. */
uint64_t reader_word_before(const struct reader *r);
bool reader_is_titled(const struct reader *r); /* that word begins with a capital */
/* Consumes the number found by reader_next. */
void reader_consume_number(struct reader *r, const char *p, const struct shown *s);

/* ---- subject of the text ---- */

#define COLUMNS_MAX   24 /* columns of an answer's table whose headings are stored */
#define HEADING_BYTES 96 /* size of one heading */

/* A column heading of the table being written. */
struct heading {
	int id;
	uint32_t slots;
	const struct unit_def *unit;
	uint64_t key;
};

struct text_tracker {
	const struct known *known;
	struct reader reader;
	struct context context;
	uint32_t amounts;               /* number of amounts in this sentence */
	uint64_t words[NAME_WORDS_MAX]; /* keys of the last words, newest first */
	bool ends;                      /* the end reached is a sentence end, not just a part */
	bool titled;                    /* the last word began with a capital */
	size_t word_len;
	uint64_t folded;
	uint32_t word_count;
	/* "one of the", "second": the superlative that follows is not the overall extreme */
	bool partly;
	bool is_after_in; /* the last word was "in" */
	struct {
		uint32_t word; /* index of the word "second"; 0: none */
		int value;
		int last; /* the last word was "second", a rank if the next word confirms it */
	} ordinal;
	uint32_t last_cue_flags;       /* flags of the last word */
	uint32_t dir_word;             /* index of the direction word */
	struct word_comparison before; /* from the words before the number only */
	int post_id;                   /* the name after the last amount */
	int ref_id; /* the reference of a comparison in this sentence; -1: none */
	struct {
		int last;        /* the last number was this hour; -1: not an hour */
		int from;        /* start of its range */
		bool ending;     /* hour-ending notation */
		uint32_t words;  /* words since */
		bool till, open; /* "to" followed; "(" or "/" followed */
	} hour;
	bool compared;      /* "above", "than": numbers of both names follow a colon */
	bool is_after_year; /* the last number was a year outside a date */
	bool bullet;        /* the line may begin with a bullet */
	bool stop;          /* a full stop was read; a following space ends the sentence */
	bool in_table, is_heading, is_ruler;
	int column;
	struct heading headings[COLUMNS_MAX];
	char cell[HEADING_BYTES];
	size_t cell_len;
};

/* Contains pointers to itself, so it must not move. */
void tracker_init(struct text_tracker *s, const struct known *k);
/* Finds the name that follows a number and belongs to it. SCAN_MORE: more text is needed. */
enum scan tracker_read_following_name(struct text_tracker *s, const char *p, size_t n, bool final);
/* Reads the words next to a number. Returns as tracker_read_following_name. */
enum scan tracker_read_number_context(struct text_tracker *s, const char *p, size_t n, bool final,
				      const struct shown *number);
/* Reads the words after an amount that compare it. */
enum scan tracker_read_comparison(struct text_tracker *s, const char *p, size_t n, bool final);
/* Returns true when the number is part of an id of a kind in the data; *known: this id exists. */
bool tracker_is_id(const struct text_tracker *s, const char *p, const struct shown *number,
		   bool *known);
/* Returns true when the number completes a name of the data: "Portfolio 360". */
bool tracker_is_name(const struct text_tracker *s, const char *p, const struct shown *number);
/* Returns true when the number begins a name: "100% Solar". */
bool tracker_begins_name(const struct text_tracker *s, const char *p, size_t n,
			 const struct shown *number);
/* Returns true when the number is the row number in the first cell of a table row. */
bool tracker_is_rank_cell(const struct text_tracker *s, const struct shown *number);
/* Returns true when a number in words refers to the data and is not a figure of speech. */
bool tracker_refers_to_data(const struct text_tracker *s, const struct shown *number);
/* Consumes the number found by the reader. */
void tracker_consume_number(struct text_tracker *s, const char *p, const struct shown *number,
			    const struct number_binding *number_binding);

#endif
