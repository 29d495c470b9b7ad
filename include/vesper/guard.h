/*
 * The number check: an answer flows through here on its way to the user, and each number in it is
 * compared with what this turn's code knows: cells, statistics, derived facts, arguments, the
 * question, and declared derivations of them (difference, ratio, percentage, share, sum and mean of
 * a column or of the named rows, rank, count). A number is right when it is the known value rounded
 * at the decimals shown, in the unit shown, beside the name that it belongs to.
 *
 * A word that could change what a sentence says of its numbers ("more", "lowest", "not", "twice",
 * "later", a count in words) and that no rule has compared with the data leaves them
 * GUARD_UNCHECKED, with the reason in `why`.
 * Not compared are: superlatives and ranks without an amount beside them ("A is the lowest."); the
 * names of months and times of day in words alone ("in May", "at noon"); whether later amounts of a
 * sentence belong to its hour or month; limits ("above $60") but over said hours or months; which
 * hours or rows a derived fact is of; the subject of a comparison whose names are not said. Numbers
 * of some kinds are marked GUARD_UNCHECKED, never as bound:
 * - what only the question says;
 * - all numbers, where the question names a year or a code ("NP15") and no result has it;
 * - ordinals ("2nd"): what they rank is checked with its amount;
 * - counts of what no column tells ("five areas are finished", "four hours");
 * - round limits ("below 500 views") of which no time is said.
 * Not marked at all are list numbers, labels ("step 2"), ids, and counts in words of things that
 * the data does not name; an id of a known kind that the data does not have is unbound.
 *
 * Text without numbers is passed on at once; from its first number, in digits or in words, a
 * sentence (or a table's row) waits for its end and is read as a whole: what it claims of a number
 * may follow the number. Nothing shown is ever taken back. However the text is cut into pieces, the
 * marks are the same. Pure; no allocation for each piece once the buffers have grown.
 */
#ifndef VESPER_GUARD_H
#define VESPER_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/clock.h"
#include "vesper/result.h"
#include "vesper/str.h"
#include "vesper/units.h"

enum guard_policy {
	GUARD_FLAG,     /* a number that is bound to nothing is shown, and marked */
	GUARD_REWRITE,  /* the rest of its sentence is asked for again; then as GUARD_WITHHOLD */
	GUARD_WITHHOLD, /* "[unverified]" is shown instead */
};

enum guard_kind {
	GUARD_BOUND,
	GUARD_UNBOUND,
	GUARD_WITHHELD,
	GUARD_UNCHECKED, /* it is of a kind that is not compared, see above: never called verified
			  */
};

/* Why a number is not compared. */
enum guard_unjudged {
	GUARD_JUDGED,
	GUARD_OTHER,      /* it is of a kind that is not compared, or only the question says it */
	GUARD_COMPARISON, /* its sentence says "above", "rose"; the other number is not known */
	GUARD_RANK,       /* "highest", "second", "latest" */
	GUARD_NEGATION,   /* "not", "without" */
	GUARD_MULTIPLE,   /* "twice", "half" */
	GUARD_COUNT,      /* "five of them" */
	GUARD_WORDING,    /* another word that changes what is said: "later", "only" */
	GUARD_MISMATCH,   /* it was: something else says it than the passages that it is cited from
			   */
};

/* Where a bound number comes from. */
struct guard_ref {
	const char *call;    /* id of the tool call; NULL: the question, or the calendar */
	int64_t row;         /* -1: no single row */
	const char *column;  /* or NULL */
	const char *formula; /* "max - min", "54.80 - 52.14", the name of a fact; NULL: the cell */
};

/* A piece of the answer to show, in order: all pieces together are the answer. */
struct guard_piece {
	const char *text; /* whole characters, not terminated; valid during the call */
	size_t len;
	bool marked; /* the piece holds one checked number */
	enum guard_kind kind;
	enum guard_unjudged why; /* GUARD_UNCHECKED; GUARD_MISMATCH: GUARD_BOUND */
	size_t start, count;     /* of the number in code points of this piece */
	struct guard_ref ref;
};

/* From its first number to its end, a sentence (or a table's row) that holds something unbound. */
struct guard_doubt {
	const char *text; /* not shown yet; valid during the call */
	size_t len;
	const char *numbers; /* those that are bound to nothing: "$48.37/MWh, 2024" */
	const char *astray;  /* those of GUARD_MISMATCH; "" where there are none, as above */
	bool uncited;        /* all of it, which guard_numbers_uncited told of; the others are "" */
};

struct guard_sink {
	void (*on_piece)(void *owner, const struct guard_piece *piece);
	/* GUARD_REWRITE. True: guard_numbers_rewrite will be called, later; nothing is passed on
	 * until then. False, or NULL: no model can be asked. */
	bool (*on_doubt)(void *owner, const struct guard_doubt *doubt);
	void *owner;
};

struct guard_input {
	const struct result *const *results; /* borrowed as long as the check lives */
	size_t result_count;
	const struct units *units; /* the registry; borrowed; NULL: none is known */
	const char *question;
	struct date today;
	enum guard_policy policy;
	struct guard_sink sink;
};

struct guard_numbers;

/* Reads all results once; what is told of them costs a lookup from then on. */
struct guard_numbers *guard_numbers_new(const struct guard_input *in);
/* A row of a result that is a passage of a document. */
struct guard_place {
	const char *call; /* borrowed as long as the check lives */
	int64_t row;
};
/* What is fed from now on, and what guard_numbers_rewrite brings next, cites these passages:
 * numbers are bound to them first, and one that only something else says is a GUARD_MISMATCH. count
 * 0: it cites none. */
void guard_numbers_cite(struct guard_numbers *g, const struct guard_place *places, size_t count);
/* The next `len` bytes, fed at once, cite nothing and should: with GUARD_REWRITE they are doubted
 * as a whole. One stretch at a time. */
void guard_numbers_uncited(struct guard_numbers *g, size_t len);
/* More text of the answer, cut anywhere, also inside a character. */
void guard_numbers_feed(struct guard_numbers *g, const char *text, size_t len);
/* There is no more text: what waits is judged and passed on, or doubted first. */
void guard_numbers_end(struct guard_numbers *g);
/* The answer to on_doubt: the same stretch, corrected, with the line end or space that ended it. It
 * passes the same check; where it does not, or len is 0, the first one goes out with what is
 * unbound withheld: no number ever passes for right because it was rewritten. */
void guard_numbers_rewrite(struct guard_numbers *g, const char *text, size_t len);
/* Bytes that were fed and not yet passed on. */
size_t guard_numbers_waiting(const struct guard_numbers *g);
void guard_numbers_free(struct guard_numbers **g);

/* Text that code made of results, with the values that its stretches show. */
struct guard_made {
	const char *text;
	size_t len;
	const struct result_part *parts; /* ascending */
	size_t part_count;
	struct arena *arena; /* for what is noted while it is read */
};

/*
 * The number check of such text: each number must stand in a part, and say the value that the part
 * names. Then all of the text is passed on, its numbers as GUARD_BOUND to these values. False, and
 * nothing is passed on: a number stands elsewhere or says something else, or the question names a
 * year or code that the results may not be about. Then only guard_numbers can tell.
 */
bool guard_made_pass(const struct guard_input *in, const struct guard_made *made);

/*
 * Links: what a model or a template writes reaches no reader as a link, an image or HTML that leads
 * elsewhere. A bare address (scheme://host…, www.host…) stays when it is of http or https and its
 * host is listed, and is "(link removed)" otherwise; markdown's links, images and definitions and
 * all tags are parted by a space, so that they are read as text. Mail addresses stay. Controls that
 * turn the writing direction go. Text is passed on at once; an address waits for the end of its
 * host. Cut anywhere between characters, the result is the same.
 */
struct guard_links;

/* hosts: "app.powerbi.com", with the port where one is said; ended by NULL; borrowed. */
struct guard_links *guard_links_new(const char *const *hosts,
				    void (*on_text)(void *owner, const char *text, size_t len),
				    void *owner);
void guard_links_feed(struct guard_links *l, const char *text, size_t len);
/* What is held goes out; feeding may begin anew. */
void guard_links_end(struct guard_links *l);
void guard_links_free(struct guard_links **l);
/* The same for a whole text. */
const char *guard_links_plain(const char *const *hosts, const char *text, size_t len,
			      struct arena *a);

/*
 * Prompt leakage check: a user who makes a model copy its instructions sees a few words of them and
 * "[…]". Text is held back only while it repeats a secret text for three words and more.
 */
struct guard_secret;
struct guard_secret *guard_secret_new(const char *const *texts); /* ended by NULL; read once */
void guard_secret_free(struct guard_secret **s);

struct guard_quotes;
struct guard_quotes *guard_quotes_new(const struct guard_secret *secret, /* borrowed */
				      void (*on_text)(void *owner, const char *text, size_t len),
				      void *owner);
void guard_quotes_feed(struct guard_quotes *q, const char *text, size_t len);
void guard_quotes_end(struct guard_quotes *q); /* as guard_links_end */
void guard_quotes_free(struct guard_quotes **q);

/*
 * Citations of numbered passages: "[2]" and "[2, 3]" in an answer. Each number of a passage that
 * there is goes out as a mark of its own, "[2]"; a bracket of numbers that names any other, or a
 * range, is left out and counted. In code they are text. Cut anywhere, the result is the same; at
 * most CITE_BYTES_MAX are held back.
 */
struct guard_cite;
struct guard_cite_sink {
	void (*on_text)(void *owner, const char *text, size_t len);
	void (*on_cite)(void *owner, size_t n, const char *mark, size_t len);
	void *owner;
};
struct guard_cite *guard_cite_new(size_t passages, const struct guard_cite_sink *sink);
void guard_cite_feed(struct guard_cite *g, const char *text, size_t len);
void guard_cite_end(struct guard_cite *g); /* as guard_links_end */
void guard_cite_free(struct guard_cite **g);
size_t guard_cite_invalid(const struct guard_cite *g); /* brackets that were left out */
/* The passage says these words one after the other: blanks are one, quotation marks and dashes are
 * those of a keyboard, everything else is the same bytes. "" stands nowhere. */
bool guard_quote_stands(struct str quote, struct str passage);

bool guard_policy_parse(const char *name, enum guard_policy *out);
const char *guard_policy_name(enum guard_policy policy); /* "flag", "rewrite", "withhold" */
/* "comparison", "rank", …; NULL: GUARD_JUDGED */
const char *guard_unjudged_name(enum guard_unjudged why);
const char *guard_kind_name(enum guard_kind kind); /* "bound", "unbound", "withheld", "unchecked" */

#endif
