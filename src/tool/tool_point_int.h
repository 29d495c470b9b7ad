/* Internal interface between tool_point.c and tool_point_model.c. */
#ifndef VESPER_TOOL_POINT_INT_H
#define VESPER_TOOL_POINT_INT_H

#include "tool_int.h"

struct chunk;

struct classification {
	struct tool_call *call;
	const struct map_query *query;
	bool is_list; /* classes instead of a description */
	const char *classes[CLASSIFY_CLASSES_MAX];
	struct derive_classification result;
	const char **values;
	unsigned char *value_class; /* the class of each value */
	struct class_words *words;  /* of each class; NULL: not read yet */
	size_t from, count;         /* first value and size of the batch */
	bool corrected;             /* the batch was asked once more */
	const char *invalid;        /* why the answer cannot be used; or NULL */
	const char *key;            /* in the cache */
	struct chunk *chunks;
	size_t chunk_count, chunk_next, chunk_sent;
	bool *known; /* of each total: nothing is missing */
	struct decimal *sums;
};

/* tool_point.c */
/* Queries the measure of each class; `value_class` is complete. Ends the call. */
void classify_measure_classes(struct classification *p);
/* Classifies the values by their words, then measures the classes. */
void classify_by_words(struct classification *p);

/* tool_point_model.c */
/* Classifies the values by the cached result or a model, or by their words if it cannot be asked.
 */
void classify_by_model(struct classification *p);

#endif
