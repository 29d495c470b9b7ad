/* Builds the known data; guard_int.h declares the queries. */
#ifndef VESPER_GUARD_KNOWN_DATA_H
#define VESPER_GUARD_KNOWN_DATA_H

#include "guard_int.h"

/* An entry without table, row, column and group. */
extern const struct entry known_entry_empty;

/* Adds a copy of proto with this class and signed value. The caller completes the entry. */
struct entry *known_add(struct known *k, const struct entry *proto, enum entry_class class,
			guard_value value);
void known_add_date(struct known *k, const struct entry *proto, struct date d);
/* Adds the numbers, dates and hours in a text. NULL: none. */
void known_add_text(struct known *k, const struct entry *proto, const char *text);
/* Counts the rows for each value of a column with few distinct words. */
void known_add_kinds(struct known *k, int table, size_t column, const struct entry *proto);
/* The words of a column's name and label. */
void known_name_words(const char *name, const char *label, uint64_t out[COLUMN_WORDS_MAX]);
void known_column_words(const struct column *c, uint64_t out[COLUMN_WORDS_MAX]);
/* Stores the words around a number in a text. */
void known_note_numbered(struct known *k, const struct number_context *b);
/* Returns true when values of the column may be written with or without a sign. */
bool known_is_change(const struct column *c);
bool known_is_difference(const struct column *c);
/* Adds the words that distinguish the table's columns. */
void known_add_column_sets(struct known *k, struct known_table *kt);
/* Adds the hour, month or day of the table's rows. */
void known_add_times(struct known *k, struct known_table *kt);
/* Adds one table as k->tables[index]. */
void known_add_table(struct known *k, int index, const struct result *r, const struct table *t);

/* Returns true when the question names a code that no result contains. */
bool known_asks_other_name(const struct guard_input *in);

#endif
