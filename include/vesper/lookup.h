/*
 * The values that one caller can name: those of the catalogue and of the tenant's data, in
 * dimensions that the caller may read. Other dimensions are not searched. Everything is allocated
 * in the caller's arena, for one question.
 */
#ifndef VESPER_LOOKUP_H
#define VESPER_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/names.h"
#include "vesper/text.h"

/* The filter whose values are date labels; they are read as dates. */
#define FILTER_ASOF "asof_date"

/* ---- readable dimensions ---- */

/* By dimension index. `in`: the caller may read the dimension, and a tool that it may use, or
 * queries over the map, take it. `weak`: a tool has a default for it, so its values are ordinary
 * words and need a marking word. `parts`: a part of a name alone identifies a value, because a tool
 * requires the name or matches parts of it. */
struct scope {
	const bool *in, *weak, *parts;
};
void scope_read(const struct entity_index *b, const struct catalog_view *v, struct arena *a,
		struct scope *out);

struct names;
/* The values that a caller of this tenant (NULL: no tenant) can name in the dimensions `in`, which
 * are borrowed. */
const struct names *names_of(const struct entity_index *b, const char *tenant, const bool *in,
			     struct arena *a);

/* ---- words to values ---- */

enum entry_kind { ENTRY_VALUE, ENTRY_ALIAS, ENTRY_PART };

/* One reading of some words as a value. */
struct entry {
	const struct dimension_def *dimension;
	size_t dimension_index;
	const char *value;
	const char *parent; /* the value of the parent dimension, or NULL */
	const char *when_dimension, *when_value;
	const char *pack; /* pack that lists the value or the alias; NULL: from the data */
	enum entry_kind kind;
	/* Number of values with the same words, this one included: of its dimension, or, for what
	 * the catalogue lists, of all dimensions. */
	size_t shared;
	int distance; /* edit distance of a fuzzy match; 0: exact */
};

#define PART_NAMES_MAX    32 /* a word in more names does not distinguish them */
#define FUZZY_MATCHES_MAX 16 /* limit of fuzzy matches */

/* Number of words in the longest name. */
size_t names_longest_words(const struct names *n);
/* The longest prefix of these words, in words, that names_find can match; longer prefixes need no
 * call. */
size_t names_prefix_words(const struct names *n, const struct folded *words);
/* Finds at most `max` readings of these words. Those of the catalogue come first, then those of
 * each dimension of the data; within each of these groups, whole names come first. */
size_t names_find(const struct names *n, const struct folded *words, struct entry *out, size_t max);
/* Fuzzy matches of the key in the dimensions `in`, nearest first. With `others`, matches that are
 * more likely another name are included. */
size_t names_find_fuzzy(const struct names *n, const bool *in, const char *key, size_t len,
			bool others, struct arena *a, struct entry *out, size_t max);
/* The values that a misspelled key can mean, all at the same distance; at most FUZZY_MATCHES_MAX.
 */
size_t names_candidates(const struct names *n, const bool *in, const char *key, size_t len,
			struct arena *a, struct entry *out);
/* Like entity_index_resolve, in these names. */
bool names_resolve(const struct names *n, const struct dimension_def *d, const char *text,
		   const struct args *context, struct arena *a, struct name_match *out);
/* The index of the dimension for which the catalogue lists this name as a whole; -1: none. */
int names_find_catalog_dimension(const struct entity_index *b, const char *key, size_t len);

/* ---- one dimension's values ---- */

/* Returns true if a value of the dimension is known. */
bool names_has_values(const struct names *n, const struct dimension_def *d);
/* Returns true if all its values come from the tenant's data. */
bool names_loaded(const struct names *n, const struct dimension_def *d);
/* The values by index, those of the catalogue first. */
size_t names_count(const struct names *n, const struct dimension_def *d);
const char *names_value_at(const struct names *n, const struct dimension_def *d, size_t i,
			   const char **parent);
/* The parent of a value; `expected_parent`, if it is one of several. NULL: unknown. */
const char *names_parent_of(const struct names *n, const struct dimension_def *d, const char *value,
			    const char *expected_parent, bool *several);
/* Values of a dimension as options; only those of `parent`, unless it is NULL. */
size_t names_list_options(const struct names *n, const struct dimension_def *d, const char *parent,
			  struct arena *a, const struct suggestion **out);
/* The values most similar to the text, or the first values if none is similar. */
size_t names_suggest_similar(const struct names *n, const struct dimension_def *d, const char *text,
			     const char *parent, struct arena *a, const struct suggestion **out);
/* Values of a filter ("hub_zone", or its plural) that this caller may know, as options: values that
 * contain the text, else similar ones; "": the first values. At most FILTER_VALUES_MAX. Only the
 * first FILTER_VALUES_SCAN_MAX values of a dimension are searched for the text. */
size_t entity_index_values(const struct entity_index *b, const struct catalog_view *v,
			   const char *filter, const char *text, struct arena *a,
			   const struct suggestion **out);
/* The dimension in scope with the value most similar to the text; or NULL. */
const struct dimension_def *names_most_similar_dimension(const struct names *n, const char *text);

#endif
