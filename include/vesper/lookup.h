/*
 * What one caller can name: the catalogue's values and those of the tenant's data, of the
 * dimensions that the caller may read. Other dimensions are not looked into. Everything
 * lives in the caller's arena, for one question.
 */
#ifndef VESPER_LOOKUP_H
#define VESPER_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/names.h"
#include "vesper/text.h"

/* The filter whose values are labels of dates: they are read as the dates that they are. */
#define FILTER_ASOF "asof_date"

/* ---- who may name what ---- */

/* By dimension index: is it used by a tool that this caller may use; must its values be marked as
 * such because they are ordinary words (they have a default); does a part of a name stand for it by
 * itself, as a tool needs the name or matches parts of it? */
struct scope {
	const bool *in, *weak, *parts;
};
void scope_read(const struct name_book *b, const struct catalog_view *v, struct arena *a,
		struct scope *out);

struct names;
/* What a caller of this tenant (NULL: no tenant) can name of the dimensions in `in`. */
const struct names *names_of(const struct name_book *b, const char *tenant, const bool *in,
			     struct arena *a);

/* ---- words to values ---- */

enum entry_kind { ENTRY_VALUE, ENTRY_ALIAS, ENTRY_PART };

/* One way to read some words as a value. */
struct entry {
	const struct dimension_def *dimension;
	size_t dimension_index;
	const char *value;
	const char *parent; /* the value of the parent dimension, or NULL */
	const char *when_dimension, *when_value;
	const char *pack; /* that lists the value or the alias; NULL: it is in the data */
	enum entry_kind kind;
	size_t shared; /* values of the dimension that the words name as well as this one */
	int distance;  /* edits, when it is only near */
};

#define PART_NAMES_MAX 32 /* a word that more names share does not tell them apart */
#define NEAR_MAX       16 /* near names that are ever looked at */

/* Words of the longest name. */
size_t names_longest(const struct names *n);
/* How many of these words, from the first on, names_find may know together: it need not be asked
 * about more. */
size_t names_reach(const struct names *n, const struct folded *words);
/* How these words can be read; at most `max`, whole names first. */
size_t names_find(const struct names *n, const struct folded *words, struct entry *out, size_t max);
/* Values that are written nearly so, of the dimensions in `in`, the nearest first; those that
 * are rather another name are left out unless `others`. */
size_t names_near(const struct names *n, const bool *in, const char *key, size_t len, bool others,
		  struct arena *a, struct entry *out, size_t max);
/* What a misspelled key may mean, all equally near; at most NEAR_MAX. */
size_t names_meant(const struct names *n, const bool *in, const char *key, size_t len,
		   struct arena *a, struct entry *out);
/* name_book_resolve among these names. */
bool names_resolve(const struct names *n, const struct dimension_def *d, const char *text,
		   const struct args *context, struct arena *a, struct name_match *out);
/* The dimension (by index) of which the catalogue lists such a name, not just a part of it; -1:
 * none. */
int names_listed_in(const struct name_book *b, const char *key, size_t len);

/* ---- one dimension's values ---- */

/* Is any value of it known? */
bool names_known(const struct names *n, const struct dimension_def *d);
/* Do its values come from the tenant's data alone? */
bool names_learned(const struct names *n, const struct dimension_def *d);
/* The values one by one, the catalogue's first. */
size_t names_count(const struct names *n, const struct dimension_def *d);
const char *names_at(const struct names *n, const struct dimension_def *d, size_t i,
		     const char **parent);
/* The parent of a value: the wanted one where it is among several. NULL: none is known. */
const char *names_parent_of(const struct names *n, const struct dimension_def *d, const char *value,
			    const char *wanted, bool *several);
/* Values of a dimension as options, those of one parent only when `parent` is given. */
size_t names_options(const struct names *n, const struct dimension_def *d, const char *parent,
		     struct arena *a, const struct suggestion **out);
/* The values that are most like the text, or the first ones where none is. */
size_t names_closest(const struct names *n, const struct dimension_def *d, const char *text,
		     const char *parent, struct arena *a, const struct suggestion **out);
/* Known values of a filter ("hub_zone", or several of it) as this caller may know them, as options:
 * those that hold the text, else those that are like it; "": the first ones. At most
 * FILTER_VALUES_MAX; of very many values only the like ones are found. */
size_t name_book_values(const struct name_book *b, const struct catalog_view *v, const char *filter,
			const char *text, struct arena *a, const struct suggestion **out);
/* The dimension in scope with the value that is most like the text, or NULL. */
const struct dimension_def *names_kind_like(const struct names *n, const char *text);

#endif
