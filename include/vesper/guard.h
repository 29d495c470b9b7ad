/*
 * The number check: it filters an answer on its way to the user and compares each number with the
 * data of this turn. That data is cells, statistics, derived facts, arguments and the question. It
 * includes derivations of them: difference, ratio, percentage, share, sum and mean of a column or
 * of the named rows, rank, count. A number is bound when it equals a known value, rounded to the
 * decimals shown, in the unit shown, next to the name it belongs to.
 *
 * Some words can change what a sentence says about its numbers ("more", "lowest", "not", "twice",
 * "later", a count in words). If no rule has compared such a word with the data, the numbers are
 * GUARD_UNCHECKED, with the reason in `why`. Not compared are:
 *   - superlatives and ranks without an amount next to them ("A is the lowest.");
 *   - names of months and times of day in words alone ("in May", "at noon");
 *   - whether later amounts of a sentence belong to its hour or month;
 *   - limits ("above $60"), except over stated hours or months;
 *   - which hours or rows a derived fact covers;
 *   - the subject of a comparison whose names are not stated.
 * Numbers of some kinds are marked GUARD_UNCHECKED, never bound:
 *   - numbers that occur only in the question;
 *   - all numbers, if the question names a year or a code ("NP15") that no result has;
 *   - ordinals ("2nd"): what they rank is checked with its amount;
 *   - counts of things that no column describes ("five areas are finished", "four hours");
 *   - round limits ("below 500 views") without a stated time;
 *   - amounts with a unit, from columns that state none (ad hoc queries).
 * List numbers, labels ("step 2"), ids, and counts in words of things that the data does not name
 * are not marked. An id of a known kind that the data does not have is unbound.
 *
 * Text without numbers is passed on at once. From its first number, in digits or in words, a
 * sentence (or a table row) is held until its end. It is checked as a whole, since a claim may
 * follow its number. Text that was shown is never withdrawn. The marks do not depend on how the
 * text is split into chunks. Pure; no allocation per chunk once the buffers have grown.
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
	GUARD_FLAG,     /* an unbound number is shown and marked */
	GUARD_REWRITE,  /* a model rewrites the rest of its sentence; then as GUARD_WITHHOLD */
	GUARD_WITHHOLD, /* "[unverified]" is shown instead */
};

enum guard_kind {
	GUARD_BOUND,
	GUARD_UNBOUND,
	GUARD_WITHHELD,
	GUARD_UNCHECKED, /* of a kind that is not compared, see above; never reported as verified */
};

/* Why a number was not compared. */
enum guard_unchecked_reason {
	GUARD_REASON_NONE,
	GUARD_OTHER,      /* of a kind that is not compared, or only in the question */
	GUARD_COMPARISON, /* its sentence says "above", "rose"; the other number is unknown */
	GUARD_RANK,       /* "highest", "second", "latest" */
	GUARD_NEGATION,   /* "not", "without" */
	GUARD_MULTIPLE,   /* "twice", "half" */
	GUARD_COUNT,      /* "five of them" */
	GUARD_WORDING,    /* another word that changes the meaning: "later", "only" */
	GUARD_MISMATCH,   /* it was compared: its value comes from a source other than the cited
			     passages */
};

/* Source of a bound number. */
struct guard_ref {
	const char *call;    /* ID of the tool call; NULL: the question, or the calendar */
	int64_t row;         /* -1: no single row */
	const char *column;  /* or NULL */
	const char *formula; /* "max - min", "54.80 - 52.14", the name of a fact; NULL: the cell */
};

/* A chunk of the answer to show, in order: all chunks together are the answer. */
struct guard_chunk {
	const char *text; /* whole characters, not terminated; valid during the call */
	size_t len;
	bool marked; /* the chunk holds one checked number */
	enum guard_kind kind;
	enum guard_unchecked_reason why; /* of GUARD_UNCHECKED; or GUARD_MISMATCH of GUARD_BOUND */
	size_t start, count;             /* position of the number in this chunk, in code points */
	struct guard_ref ref;
};

/* A sentence (or a table row) with something unbound, from its first number to its end. */
struct guard_unbound {
	const char *text; /* not shown yet; valid during the call */
	size_t len;
	const char *numbers;  /* the unbound numbers: "$48.37/MWh, 2024" */
	const char *miscited; /* the numbers with GUARD_MISMATCH; either may be "" */
	bool uncited;         /* lacks a citation (guard_numbers_uncited); both lists are then "" */
};

struct guard_sink {
	void (*on_answer_chunk)(void *owner, const struct guard_chunk *chunk);
	/* For GUARD_REWRITE. True: guard_numbers_rewrite will be called later, and nothing is
	 * passed on until then. False, or NULL: no model can be asked. */
	bool (*on_unbound)(void *owner, const struct guard_unbound *unbound);
	void *owner;
};

struct guard_input {
	const struct result *const *results; /* borrowed; must outlive the check */
	size_t result_count;
	const struct units *units; /* the registry; borrowed; NULL: none */
	/* For each dimension its values, NULL-ended, as is the list of dimensions; borrowed; NULL:
	 * none. If the results have one value of a dimension, a sentence with another one that
	 * neither they nor the question have ("Aurora" for "Ascend") has an unbound number. */
	const char *const *const *values;
	const char *question;
	struct date today;
	enum guard_policy policy;
	struct guard_sink sink;
};

struct guard_numbers;

/* Indexes all results once, so that each later check is a lookup. */
struct guard_numbers *guard_numbers_new(const struct guard_input *in);
/* A row of a result that holds a passage of a document. */
struct guard_passage_row {
	const char *call; /* borrowed; must outlive the check */
	int64_t row;
};
/* Text fed from now on, and the next guard_numbers_rewrite, cites these passages. Numbers are bound
 * to them first; one found only elsewhere is a GUARD_MISMATCH. count 0: no citation. */
void guard_numbers_cite(struct guard_numbers *g, const struct guard_passage_row *places,
			size_t count);
/* The next `len` bytes, fed at once, lack a required citation: with GUARD_REWRITE the whole text is
 * passed to on_unbound. One such text at a time. */
void guard_numbers_uncited(struct guard_numbers *g, size_t len);
/* Feeds more text of the answer. It may be split anywhere, even inside a character. */
void guard_numbers_feed(struct guard_numbers *g, const char *text, size_t len);
/* Ends the text: held text is checked and passed on, or passed to on_unbound first. */
void guard_numbers_end(struct guard_numbers *g);
/* The reply to on_unbound: the same text, corrected, with the line end or space that ended it. It
 * passes the same check. If it fails, or len is 0, the original is passed on with its unbound
 * numbers withheld: rewriting alone never makes a number bound. An original that lacks a citation
 * is instead checked like other text. */
void guard_numbers_rewrite(struct guard_numbers *g, const char *text, size_t len);
/* Bytes fed but not yet passed on. */
size_t guard_numbers_waiting(const struct guard_numbers *g);
void guard_numbers_free(struct guard_numbers **g);

/* Text that code made from results, with the values shown in its parts. */
struct guard_generated_text {
	const char *text;
	size_t len;
	const struct result_part *parts; /* ascending */
	size_t part_count;
	struct arena *arena; /* for working memory */
};

/*
 * The number check for such text: each number must be in a part and show the value of that part.
 * Then the whole text is passed on, with its numbers as GUARD_BOUND to these values. False: nothing
 * is passed on. A number is outside the parts or differs, or the question names a year or code that
 * the results may not cover. The text must then go through guard_numbers.
 */
bool guard_generated_pass(const struct guard_input *in, const struct guard_generated_text *made);

/*
 * Link check: no text of a model or a template reaches a reader as a link, an image or HTML that
 * leads elsewhere. A bare URL (scheme://host…, www.host…) stays if it is http or https and its host
 * is listed; otherwise the part after the scheme or "www" becomes "(link removed)". Markdown links,
 * images, definitions and all tags are broken by a space, so that they display as text. Mail
 * addresses stay. Bidirectional control characters are removed. Text is passed on at once; a URL is
 * held until the end of its host. The result does not depend on where the text is split between
 * characters.
 */
struct guard_links;

/* hosts: "app.powerbi.com", with the port if there is one; NULL-terminated; borrowed. */
struct guard_links *guard_links_new(const char *const *hosts,
				    void (*on_text)(void *owner, const char *text, size_t len),
				    void *owner);
void guard_links_feed(struct guard_links *l, const char *text, size_t len);
/* Passes held text on; feeding may begin again. */
void guard_links_end(struct guard_links *l);
void guard_links_free(struct guard_links **l);
/* The same for a complete text. */
const char *guard_links_plain(const char *const *hosts, const char *text, size_t len,
			      struct arena *a);

/*
 * Prompt leakage check: if a model copies its instructions, the user sees a few words of them and
 * "[…]". Text is held only while it repeats three or more words of a secret text.
 */
struct guard_secret;
struct guard_secret *guard_secret_new(const char *const *texts); /* NULL-terminated; read once */
void guard_secret_free(struct guard_secret **s);

struct guard_leakage;
struct guard_leakage *guard_leakage_new(const struct guard_secret *secret, /* borrowed */
					void (*on_text)(void *owner, const char *text, size_t len),
					void *owner);
void guard_leakage_feed(struct guard_leakage *q, const char *text, size_t len);
void guard_leakage_end(struct guard_leakage *q); /* as guard_links_end */
void guard_leakage_free(struct guard_leakage **q);

/*
 * Citations of numbered passages: "[2]" and "[2, 3]" in an answer. Each number of an existing
 * passage is passed on as a separate mark, "[2]". A bracket with any other number, or with a range,
 * is removed and counted. In code, brackets are text. The result does not depend on where the text
 * is split; at most CITE_BYTES_MAX are held.
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
size_t guard_cite_invalid(const struct guard_cite *g); /* brackets that were removed */
/* True when the passage contains the quote. Runs of blanks count as one, quotation marks and dashes
 * as their ASCII forms; everything else is compared by bytes. An empty quote gives false. */
bool guard_quote_matches(struct str quote, struct str passage);

bool guard_policy_parse(const char *name, enum guard_policy *out);
const char *guard_policy_name(enum guard_policy policy); /* "flag", "rewrite", "withhold" */
/* "comparison", "rank", …; NULL: GUARD_REASON_NONE */
const char *guard_unchecked_reason_name(enum guard_unchecked_reason why);
const char *guard_kind_name(enum guard_kind kind); /* "bound", "unbound", "withheld", "unchecked" */

#endif
