/*
 * How a question becomes a query over the map:
 *
 *   map_words      -> the phrases of the catalogue, and which of them stand where
 *   metrics        -> what is asked for, grouped, ordered
 *   metrics_values -> values, what is left out, time
 *   metrics_query  -> the query
 *   metrics_own    -> one query for each data source that may be meant
 *   metrics_call   -> its tool and domain, and the filters that show what was understood
 *   metrics_follow -> what a follow-up changes of the query that stands
 *   metrics_tool   -> the query that a tool's answer would be
 *   metrics_edit   -> filters that the client changed
 *   metrics_bound  -> what a bound ("more than 5 tracks", "above $2M") compares
 */
#ifndef VESPER_METRICS_INT_H
#define VESPER_METRICS_INT_H

#include "know_int.h"

#include "vesper/map.h"

#define MAP_PHRASE_WORDS 6

/* What a phrase of the map names. A count is named by its entity. */
struct map_phrase {
	const struct metric_def *metric;
	const struct entity_def *entity;
	const struct dimension_def *dimension;
	const struct level_def *level; /* of the entity */
	const struct condition_def *condition;
	bool singular;       /* the phrase names one */
	const char *last;    /* its last word as it is written */
	bool joined;         /* "project sponsor": "projects sponsored" is another matter */
	const char *capital; /* the only way in which it is written: "IT"; NULL: any */
	const char *stems[MAP_PHRASE_WORDS];
	size_t count;
};

/* Words that ask for an analysis ("is there a trend"). */
struct map_cue {
	const struct tool_def *tool;
	const char *stems[MAP_PHRASE_WORDS];
	size_t count;
};

struct map_words {
	struct arena *arena; /* of the phrases */
	struct map_cue *cues;
	size_t cue_count, cue_cap;
	struct map *map;
	size_t shared; /* entities of the packs; those beyond are the tenant's own, and show to
			  those alone who may use them */
	struct map_phrase *phrases;
	size_t count, cap;
};

/* What one phrase may mean; which of it is told by what else is named. */
#define MEANT_MAX       64 /* many things have a status and a year */
#define MAP_RELATED_MAX 3
#define MAP_NAMED_MAX   3 /* conditions that a question names */
struct meant {
	const struct map_phrase *items[MEANT_MAX];
	size_t count;
	bool exact;       /* in just the words of its label: "genre", not "genres" */
	bool grouped;     /* behind "by" */
	enum grain grain; /* a word of time: of the time of what is measured, where it has that */
};

/* What one bound compares: a number of each row, or a metric of each group or listed thing. */
struct bounded {
	struct meant of; /* as it was named; count 0: by its unit alone */
	const struct dimension_def *dimension;
	const struct measure_def *measure;
	const struct metric_def *metric;
};

/* "sales and visits": other metrics, which an analysis may take */
struct also {
	struct meant items[MAP_METRICS_ASKED_MAX - 1];
	size_t count;
};

/* What an analysis takes beside its query. */
struct slots {
	const char *percent;      /* "by 10 %", below zero for what goes down; NULL: not said */
	size_t from, to;          /* its words */
	bool up, down;            /* words that say which */
	const struct fact *thing; /* the one that is to be looked at; or NULL */
	const char *name;         /* the same in words that no list of names has; or NULL */
	struct also also;
};

struct ones {
	bool named;  /* a thing is named as one: "the solar project" */
	bool ranked; /* what is ranked is: "which genre" */
};

struct asking {
	const struct reading *r;
	const struct map_words *w;
	/* Of the tenant's own things it is about this one and those that belong to it; NULL: all */
	const struct entity_def *only;
	const struct metric_def *metrics[MAP_METRICS_ASKED_MAX];
	size_t metric_count;
	struct meant measured;           /* a metric; none: count 0 */
	struct meant groups[MAP_BY_MAX]; /* dimensions */
	size_t group_count;
	const struct entity_def *subject; /* the first thing that is named: counted or listed */
	struct {
		/* "related to risks": what rows of the subject belong to */
		const struct entity_def *items[MAP_RELATED_MAX];
		size_t count;
		bool said, must; /* such a word stands there; and it would mean nothing else */
	} related;
	struct {
		struct {
			struct meant of; /* "overdue" */
			bool negated;    /* "that are not overdue" */
		} items[MAP_NAMED_MAX];
		size_t count;
	} conditions; /* that have a name */
	struct {
		struct meant said; /* "main platforms", "L1"; none: count 0 */
		const char *is; /* of the subject; MAP_ASK: to be asked for; NULL: of no matter */
	} level;
	bool shows; /* "name and status of": what is listed says which columns */
	const char *by[MAP_BY_MAX];
	size_t by_count;
	struct {
		/* "with billing city Paris": says of which dimension a value is */
		const struct dimension_def *items[MAP_BY_MAX];
		size_t count;
	} named;
	const struct tool_def *analysis; /* that its words ask for; or NULL */
	struct slots slots;
	bool counts, lists, top, bottom;
	bool follows; /* it changes the query that stands: "which of those are solar" */
	struct {
		bool by, number_of;
	} after; /* what the last word was */
	struct ones one;
	int rows; /* "which three projects"; 0: not said */
	struct {
		bool totals;   /* "the total budget" */
		bool compares; /* "vs", "compare" */
	} cues;
	bool *phrase;                       /* by token: it is one of the map's */
	const struct dimension_def *valued; /* "by Iron Maiden": a value stands behind "by" */
	/* By what was said: what its bound compares. */
	struct bounded bounds[KNOW_SAID_MAX];
};

/* ---- map_words.c ---- */

/* The longest phrases that stand at token i, all of the kind that suits best. */
struct meant map_words_at(const struct asking *a, size_t i);
/* The tenant's own things of which something is named that can be measured, listed or counted; at
 * most `most`. False: nothing at all is named of a second one. */
bool map_words_own(const struct asking *a, const struct entity_def **out, size_t most,
		   size_t *count);
/* The longest cue of an analysis that stands at token i; NULL: none. */
const struct map_cue *map_words_cue(const struct asking *a, size_t i);
/* A word that groups by a part of time: "month", "monthly". GRAIN_NONE: it is none. */
enum grain map_words_grain(const struct token *t);

/* ---- metrics.c ---- */

/* What is counted or listed, or what the metric is of; NULL: nothing is named. */
const struct entity_def *metrics_spoken_of(const struct asking *a);
/* How many there are; NULL: nobody may count it. */
const struct metric_def *metrics_count_of(const struct asking *a, const struct entity_def *n);
/* The grain of its time, as queries name it: "price_date.month"; NULL: it has none. */
const char *metrics_grain(const struct asking *a, enum grain grain);
/* The only one, or the only one of the entity; NULL: it is not told. */
const struct map_phrase *metrics_settle(const struct meant *m, const struct entity_def *of);

/* The dimension that tells an entity's rows apart for people; NULL: it has none. */
const struct dimension_def *metrics_title(const struct asking *a, const struct entity_def *n);
bool metrics_add_by(struct asking *a, const char *name);
bool metrics_add_by_title(struct asking *a, const struct entity_def *n);
bool metrics_add(struct asking *a, const struct metric_def *m);
/* "Raise prices by 10 %": before the only metric, which is no total, the total that it acts on. */
void metrics_add_total(struct asking *a, const struct metric_def *total);
/* Reads all words; false: one of them is not accounted for. */
bool metrics_read(struct asking *a);
/* With all words read: what those mean that may mean several things. */
bool metrics_settle_all(struct asking *a);

/* ---- metrics_query.c ---- */

/* "Main platforms" are IT systems of a level; "L1" is one of what is spoken of. */
bool metrics_settle_level(struct asking *a);
/* "The total budget": what is asked for is one already. */
bool metrics_is_total(const struct asking *a);
/* Is it a query of this map, or one that is refused with a reason that answers the question? What
 * the caller may see is checked where it runs. */
bool metrics_takes(const struct asking *a, const json_t *query);

/* The query that the question is, of `only` where that is not NULL; NULL: it is none. */
json_t *metrics_try(const struct reading *r, bool asked, const struct entity_def *only,
		    struct asking *a);

/* ---- metrics_own.c ---- */

/* A question that means nothing among all of the tenant's own things may mean one thing of one of
 * them, or of each of several: then it is asked which. False: neither. */
bool metrics_choose_own(const struct reading *r, bool asked, struct understanding *out);

/* ---- metrics_call.c ---- */

/* What a query asks for or lists. False: the catalogue has it no more. */
bool metrics_of_query(struct asking *a, const json_t *query);

/* Where the conditions of a query come from; none of it: all were said. */
struct query_origin {
	const json_t *before;      /* the query that it was made of, or NULL */
	const char *const *edited; /* filters that were changed, NULL-ended; or NULL */
	enum filter_source source; /* of these */
};
/* The tool that computes nothing more, or the analysis that is asked for; NULL: none. */
const struct tool_def *metrics_tool(const struct catalog_view *may,
				    const struct tool_def *analysis);
/* Is it about what is the tenant's own? */
bool metrics_is_own(const struct asking *a);
/* False: no domain of the caller's is of it, and `out` is untouched. */
bool metrics_call(const struct asking *a, const json_t *query, const struct query_origin *from,
		  struct understanding *out);

/* ---- metrics_values.c ---- */

/* All days of a year. New reference. */
json_t *metrics_year(int year);
/* Adds conditions and the period to the query. False: something that was said is none. */
bool metrics_take_facts(struct asking *a, json_t *query);

/* ---- metrics_slots.c: what an analysis takes beside its query ---- */

/* Finds by how much something changes. Before the words are read. */
void metrics_find_change(struct asking *a);
bool metrics_takes_change(const struct asking *a);
/* How many words at token i say that or its direction; 0: none does. */
size_t metrics_change_words(struct asking *a, size_t i);
/* How many words from token i on are a name that nobody knows, of the one thing that an analysis
 * asks for; 0: none is. What the thing is called in the data is seen where the analysis runs. */
size_t metrics_name_words(struct asking *a, size_t i);
/* With all settled: the one thing that the question names, where the analysis asks for one. False:
 * a change was said that nothing takes. */
bool metrics_settle_slots(struct asking *a);
/* The parameters of the analysis beside its query. */
void metrics_fill_slots(const struct asking *a, struct args *args);

/* ---- metrics_bound.c ---- */

/* Is everything that was said beside values something that a query over the map can take? */
bool bounds_are_read(const struct asking *a);
/* How many words the bound takes that begins at token i; 0: none does. */
size_t bounds_words(const struct asking *a, size_t i);
/* Is there one? */
bool bounds_any(const struct asking *a);
/* The phrase of n tokens at i is what a bound beside it compares. */
bool bounds_take(struct asking *a, const struct meant *m, size_t i, size_t n);
/* With all that is named settled: finds the measure or metric of each bound that has none yet. */
bool bounds_settle(struct asking *a);
/* "Prices above $60": an average that is bounded and not grouped is of the rows that are above it,
 * and there are so many of them. */
void bounds_of_rows(struct asking *a);
/* A metric that is only named in a bound: "countries with more than 3 customers". NULL: none. */
const struct metric_def *bounds_metric(const struct asking *a);
/* A measure of each listed row that is bounded, and from which side; NULL: none. */
const struct measure_def *bounds_measure(const struct asking *a, bool *above);
/* Adds them to the query. */
void bounds_write(const struct asking *a, json_t *where, json_t *having);

#endif
