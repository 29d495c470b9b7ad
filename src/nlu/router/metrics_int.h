/*
 * Turns a question into a query over the map:
 *
 *   map_words      -> the phrases of the catalogue, and where they occur
 *   metrics        -> metrics, groups and order
 *   metrics_values -> values, exclusions, time
 *   metrics_query  -> the query
 *   metrics_sources -> one query per data source that may be meant
 *   metrics_call   -> its tool and domain, and the filters to display
 *   metrics_follow -> applies a follow-up to the current query
 *   metrics_tool   -> the query equivalent to a tool's answer
 *   metrics_edit   -> applies filters edited by the client
 *   metrics_bound  -> the target of a bound ("more than 5 tracks", "above $2M")
 */
#ifndef VESPER_METRICS_INT_H
#define VESPER_METRICS_INT_H

#include "nlu_int.h"

#include "vesper/map.h"

#define MAP_PHRASE_WORDS 6

/* A phrase of the map and what it names. A count is named by its entity. */
struct map_phrase {
	const struct metric_def *metric;
	const struct entity_def *entity;
	const struct dimension_def *dimension;
	const struct level_def *level; /* a level of the entity */
	const struct condition_def *condition;
	bool singular;         /* the phrase is a singular */
	const char *last_word; /* its last word as written */
	bool is_adjacent; /* words must be adjacent: "project sponsor", not "projects sponsored" */
	const char *required_spelling; /* required spelling, such as "IT"; NULL: any case */
	const char *stems[MAP_PHRASE_WORDS];
	size_t count;
};

/* Words that request an analysis ("is there a trend"). */
struct map_cue {
	const struct tool_def *tool;
	const char *stems[MAP_PHRASE_WORDS];
	size_t count;
	int next; /* index of the next cue with the same first stem, or -1 */
};

struct map_words {
	struct arena *arena; /* owns the phrases */
	struct map_cue *cues;
	size_t cue_count, cue_cap;
	struct dict first_cues;   /* first stem -> index of a cue */
	size_t *description_cues; /* indexes of the cues of tools that take a description; checked
				     for every question */
	size_t description_cue_count, description_cue_cap;
	struct map *map;
	size_t pack_entity_count; /* count of pack entities; later ones are the tenant's */
	struct map_phrase *phrases;
	size_t count, cap;
};

/* All meanings of one phrase. Other words of the question select one. */
#define MEANINGS_MAX    64 /* for common names such as "status" or "year" */
#define MAP_RELATED_MAX 3
#define MAP_NAMED_MAX   3 /* named conditions in a question */
struct phrase_meanings {
	const struct map_phrase *items[MEANINGS_MAX];
	size_t count;
	bool exact;       /* spelled exactly as its label: "genre", not "genres" */
	bool grouped;     /* follows "by" */
	bool missing;     /* follows "without": rows that have none */
	enum grain grain; /* time grain, applied to the time of what is measured */
};

/* The target of a bound: a measure of each row, or a metric of each group or listed row. */
struct bound_target {
	struct phrase_meanings named; /* the named target; count 0: only its unit is known */
	const struct dimension_def *dimension;
	const struct measure_def *measure;
	const struct metric_def *metric;
};

/* "sales and visits": further metrics that an analysis may take. */
struct further_metrics {
	struct phrase_meanings items[MAP_METRICS_ASKED_MAX - 1];
	size_t count;
};

/* Arguments of an analysis apart from its query. */
struct analysis_slots {
	const char *percent;     /* "by 10 %", negative for a decrease; NULL: not given */
	size_t from, to;         /* tokens of the percentage */
	bool up, down;           /* the direction words */
	const struct fact *item; /* the one item to analyze; or NULL */
	const char *name;        /* the same, for a name not in the entity index; or NULL */
	struct further_metrics further;
	int periods; /* "3-month", "the next 4 months"; 0: not given */
};

struct singulars {
	bool named;  /* an item is named in the singular: "the solar project" */
	bool ranked; /* the ranked item is singular: "which genre" */
};

struct named_dimensions {
	/* "with billing city Paris": names the dimension of a value. */
	const struct dimension_def *items[MAP_BY_MAX];
	bool missing[MAP_BY_MAX]; /* "without a buyer" */
	size_t count;
	const struct dimension_def *of_value_after_by; /* "by Iron Maiden"; or NULL */
};

struct sort_order {
	struct phrase_meanings by; /* "sorted by budget"; count 0: not named */
	bool ascending, descending;
};

struct query_builder {
	const struct reading *r;
	const struct map_words *w;
	/* Restricts the search to this tenant entity and those belonging to it; NULL: no
	 * restriction. */
	const struct entity_def *only_entity;
	const struct metric_def *metrics[MAP_METRICS_ASKED_MAX];
	size_t metric_count;
	struct phrase_meanings measured_metric;    /* a metric; count 0: none */
	struct phrase_meanings groups[MAP_BY_MAX]; /* dimensions */
	size_t group_count;
	const struct entity_def *subject; /* the first named entity: counted or listed */
	struct {
		/* "related to risks": entities that rows of the subject belong to. */
		const struct entity_def *items[MAP_RELATED_MAX];
		size_t count;
		bool has_word, is_required; /* a word such as "related to" occurs; it has no other
					       meaning */
	} related;
	struct {
		struct {
			struct phrase_meanings of; /* "overdue" */
			bool negated;              /* "that are not overdue" */
		} items[MAP_NAMED_MAX];
		size_t count;
	} conditions; /* named conditions */
	struct {
		struct phrase_meanings phrase; /* "main platforms", "L1"; count 0: none */
		const char
			*value; /* a level of the subject; MAP_ASK: the user is asked; NULL: none */
	} level;
	bool lists_columns; /* "name and status of": the question lists the columns */
	const char *by[MAP_BY_MAX];
	size_t by_count;
	struct named_dimensions named;
	const struct tool_def *analysis; /* the requested analysis; or NULL */
	struct analysis_slots slots;
	bool is_count, is_list, top, bottom;
	bool is_followup; /* a follow-up on the current query: "which of those are solar" */
	struct {
		bool by, number_of, order;
	} after; /* kind of the previous word */
	struct sort_order order;
	struct singulars singular;
	int rows; /* "which three projects"; 0: not given */
	struct {
		bool totals;   /* "the total budget" */
		bool compares; /* "vs", "compare" */
		bool price;    /* "the cheapest hub": ranks by the metric that is a price */
	} cues;
	bool *in_phrase; /* by token: it is part of a map phrase */
	struct bound_target bounds[NLU_CONSTRAINTS_MAX];
};

/* ---- map_words.c ---- */

/* The longest phrases at token i, reduced to the most suitable kind. */
struct phrase_meanings map_words_at(const struct query_builder *a, size_t i);
/* Finds the tenant's entities of which the question names something to measure, list or count; at
 * most `most`. Returns false when no second entity has anything named. */
bool map_words_tenant_entities(const struct query_builder *a, const struct entity_def **out,
			       size_t most, size_t *count);
/* The longest cue for an analysis at token i, or NULL. */
const struct map_cue *map_words_cue(const struct query_builder *a, size_t i);

/* ---- metrics.c ---- */

/* The entity that is counted, listed or measured; NULL: none is named. */
const struct entity_def *metrics_entity(const struct query_builder *a);
/* The count metric of the entity; NULL: the caller may not count it. */
const struct metric_def *metrics_count_of(const struct query_builder *a,
					  const struct entity_def *n);
/* The time grain as queries name it: "price_date.month"; NULL: no time. */
const char *metrics_grain(const struct query_builder *a, enum grain grain);
/* The only meaning, or the only one of the entity; NULL: ambiguous. */
const struct map_phrase *metrics_pick_meaning(const struct phrase_meanings *m,
					      const struct entity_def *of);

/* The dimension that identifies rows of an entity to users, or NULL. */
const struct dimension_def *metrics_title(const struct query_builder *a,
					  const struct entity_def *n);
bool metrics_add_by(struct query_builder *a, const char *name);
bool metrics_add_by_title(struct query_builder *a, const struct entity_def *n);
bool metrics_add(struct query_builder *a, const struct metric_def *m);
/* "Raise prices by 10 %": adds the total that the change acts on, before the only metric if that
 * is not a total. */
void metrics_add_total(struct query_builder *a, const struct metric_def *total);
/* Reads all words. Returns false when a word cannot be used. */
bool metrics_read(struct query_builder *a);
/* Resolves ambiguous phrases after all words are read. */
bool metrics_resolve_all(struct query_builder *a);

/* ---- metrics_query.c ---- */

/* Adds the sort order of the question to a query. Returns false when nothing fits it. */
bool metrics_add_order(const struct query_builder *a, json_t *query);
/* Resolves a level: "main platforms" are IT systems of a level, "L1" a level of the subject. */
bool metrics_resolve_level(struct query_builder *a);
/* Returns true when the requested metric is already a total ("the total budget"). */
bool metrics_is_total(const struct query_builder *a);
/* Returns true when the query is valid for this map, or is refused with a reason that answers the
 * question. The tool checks permissions when it runs. */
bool metrics_is_valid(const struct query_builder *a, const json_t *query);

/* Builds the query for the question, restricted to `only` unless NULL. Returns NULL when there is
 * none. */
json_t *metrics_build(const struct reading *r, enum tool_lack lack, const struct entity_def *only,
		      struct query_builder *a);

/* ---- metrics_sources.c ---- */

/* Tries the tenant's entities one at a time for a question without a query over all of them. With
 * several matches it asks which one is meant. Returns false when none matches. */
bool metrics_choose_source(const struct reading *r, enum tool_lack lack, struct understanding *out);

/* ---- metrics_call.c ---- */

/* Sets what a query measures or lists. Returns false when the catalogue no longer has it. */
bool metrics_set_from_query(struct query_builder *a, const json_t *query);

/* Origin of a query's conditions. All zero: all come from the question. */
struct query_origin {
	const json_t *before;      /* the previous query, or NULL */
	const char *const *edited; /* edited filters, NULL-terminated; or NULL */
	enum filter_source source; /* the source of the edited filters */
};
/* The requested analysis, or the tool that only runs the query; NULL: none. */
const struct tool_def *metrics_select_tool(const struct catalog_view *may,
					   const struct tool_def *analysis);
/* Returns true when the query is about the tenant's own entities. */
bool metrics_is_tenant_query(const struct query_builder *a);
/* Returns false and leaves `out` unchanged when none of the caller's domains covers it. */
bool metrics_call(const struct query_builder *a, const json_t *query,
		  const struct query_origin *from, struct understanding *out);

/* ---- metrics_values.c ---- */

/* All days of a year. New reference. */
json_t *metrics_year(int year);
/* Adds conditions and the period to the query. Returns false when a fact cannot be a condition. */
bool metrics_add_facts(struct query_builder *a, json_t *query);
/* The dimension of the measured entity that has the same filter, else `read`. */
const struct dimension_def *metrics_own_dimension(const struct query_builder *a,
						  const struct dimension_def *read);

/* ---- metrics_slots.c: arguments of an analysis apart from its query ---- */

/* Finds the percentage of a change. Call it before the words are read. */
void metrics_find_change(struct query_builder *a);
bool metrics_has_change_slot(const struct query_builder *a);
/* The number of words at token i that belong to the change or its direction; 0: none. */
size_t metrics_change_words(struct query_builder *a, size_t i);
/* The number of words at token i that form an unknown name of the item that an analysis takes; 0:
 * none. The analysis looks the name up in the data. */
size_t metrics_name_words(struct query_builder *a, size_t i);
/* Finds the item that the analysis takes, after all words are read. Returns false when nothing
 * takes a given change. */
bool metrics_resolve_slots(struct query_builder *a);
/* "3-month" at token i, for an analysis that takes a number of periods. Returns the words read. */
size_t metrics_period_words(struct query_builder *a, size_t i);
/* Reads future months as a number of periods. Returns false when the analysis takes none, or the
 * time is not in the future. */
bool metrics_read_horizon(struct query_builder *a);
/* Fills the parameters of the analysis apart from its query. */
void metrics_fill_slots(const struct query_builder *a, struct args *args);

/* ---- metrics_bound.c ---- */

/* Returns true when a query over the map can take everything in r->constraints. */
bool bounds_are_supported(const struct query_builder *a);
/* The number of words of the bound that begins at token i; 0: none. */
size_t bounds_words(const struct query_builder *a, size_t i);
/* Returns true when the question has a bound. */
bool bounds_any(const struct query_builder *a);
/* Makes the phrase of n tokens at i the target of an adjacent bound. */
bool bounds_set_target(struct query_builder *a, const struct phrase_meanings *m, size_t i,
		       size_t n);
/* Finds the measure or metric of each bound without one, after all names are resolved. */
bool bounds_resolve(struct query_builder *a);
/* In a follow-up, a bound without a named target applies to the only metric of the grouped
 * query. */
void bounds_default_to_metric(struct query_builder *a, const json_t *query);
/* "Prices above $60": when a bounded average is not grouped, the bound applies to rows and the
 * query counts them. */
void bounds_apply_to_rows(struct query_builder *a);
/* A metric named only in a bound ("countries with more than 3 customers"), or NULL. */
const struct metric_def *bounds_metric(const struct query_builder *a);
/* The bounded measure of each listed row, and the side of the bound; NULL: none. */
const struct measure_def *bounds_measure(const struct query_builder *a, bool *above);
/* Adds the bounds to the query. */
void bounds_write(const struct query_builder *a, json_t *where, json_t *having);

#endif
