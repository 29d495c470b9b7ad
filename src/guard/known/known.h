/* Making what is known; see guard_int.h for asking it. */
#ifndef VESPER_GUARD_KNOWN_H
#define VESPER_GUARD_KNOWN_H

#include "guard_int.h"

/* Of no table, row, column or group. */
extern const struct entry known_nowhere;

/* A copy of proto with this class and value, signed; to be completed by whoever adds it. */
struct entry *known_add(struct known *k, const struct entry *proto, enum entry_class class,
			guard_value value);
void known_add_date(struct known *k, const struct entry *proto, struct date d);
/* Numbers, dates and hours that a text holds; NULL holds none. */
void known_add_text(struct known *k, const struct entry *proto, const char *text);
/* How many rows of a table say each word of a column of few words. */
void known_add_kinds(struct known *k, int table, size_t column, const struct entry *proto);
/* The words of a column's name and label. */
void known_name_words(const char *name, const char *label, uint64_t out[COLUMN_WORDS_MAX]);
void known_column_words(const struct column *c, uint64_t out[COLUMN_WORDS_MAX]);
/* A number in a text: what its words say of it is remembered. */
void known_note_numbered(struct known *k, const struct beside *b);
/* The words that tell its columns from each other. */
/* Its values are told as sizes, or with a sign. */
bool known_is_change(const struct column *c);
bool known_is_difference(const struct column *c);
void known_add_column_sets(struct known *k, struct known_table *kt);
/* Which hour, month or day its rows are of. */
void known_add_times(struct known *k, struct known_table *kt);
/* Everything of one table, which becomes k->tables[index]. */
void known_add_table(struct known *k, int index, const struct result *r, const struct table *t);

/* A code that the question names is in no result. */
bool known_asks_other_name(const struct guard_input *in);

#endif
