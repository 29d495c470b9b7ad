/*
 * `vesperctl connect`: shared by the files of one run. A run reads the schema of a database,
 * samples each table, decides the role of each column, and writes the result as a pack. Nothing is
 * written before everything is known, and data is sent to no other server.
 */
#ifndef CTL_CONNECT_INT_H
#define CTL_CONNECT_INT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/server.h"
#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/strlist.h"

struct ctl_pack;

/* ---- config/connect.json: naming of columns, and wording of questions ---- */

struct connect_unit {
	const char *word, *symbol;
};
struct connect_words {
	const char *const *titles;        /* of titles, best first; NULL-terminated, as all lists */
	const char *const *lesser_titles; /* of columns that describe rows without a title */
	const char *const *personal;      /* of columns whose values are never stored */
	const char *const *codes;         /* of numbers that are not quantities */
	const char *const *averages;      /* of numbers that are averaged */
	const char *const *counts;        /* of numbers that are always summed */
	const struct connect_unit *units;
	size_t unit_count;
	const char *const *plurals; /* ending of the singular, of the plural, and so on */
	const json_t *aggregates;   /* name -> "average {measure}" */
	const json_t *golden;       /* kind -> question */
};
MUST_CHECK bool connect_words_read(const char *root, struct arena *a, struct connect_words *out,
				   struct err *e);
/* "InvoiceLine_id" as "invoice line id". */
const char *connect_name_words(const char *name, struct arena *a);
/* Returns true when the words contain one of the list's phrases, as whole words. */
bool connect_has_word(const char *words, const char *const *list);
const char *connect_plural(const struct connect_words *w, const char *words, struct arena *a);
const char *connect_singular(const struct connect_words *w, const char *words, struct arena *a);
/* A sentence with each {name} replaced; pairs of name and text, NULL-terminated. */
const char *connect_fill(const char *sentence, struct arena *a, ...);

/* ---- schema and profile of the database ---- */

enum connect_family {
	FAMILY_TEXT,
	FAMILY_INT,
	FAMILY_DECIMAL,
	FAMILY_DATE,
	FAMILY_DATETIME,
	FAMILY_BOOL,
	FAMILY_OTHER,
};
enum connect_role {
	ROLE_NONE,
	ROLE_KEY,
	ROLE_REFERENCE, /* part of a foreign key */
	ROLE_TITLE,
	ROLE_TIME,
	ROLE_DIMENSION,
	ROLE_MEASURE,
	ROLE_TEXT, /* free text */
};
const char *connect_family_name(enum connect_family f); /* as in catalogue.json */

struct connect_column {
	const char *name, *words, *comment;
	enum connect_family family;
	bool nullable;
	/* of the sample */
	size_t nulls, distinct; /* distinct: at most CONNECT_SAMPLE_ROWS */
	bool unique;            /* no duplicates and no NULLs */
	const char *min_value, *max_value;
	const char *const *values; /* distinct, in order; NULL: too many, or not to be stored */
	size_t value_count;
	bool all_values; /* the values are complete, not only those of the sample */
	/* decided */
	enum connect_role role;
	bool personal;
	const char *unit;                /* symbol, or NULL */
	const char *dimension, *measure; /* names in the pack; NULL: none */
};

struct connect_key {
	const size_t *columns; /* indexes, in the key's order */
	size_t count;
};

struct connect_table {
	const char *schema, *name, *comment;
	struct connect_column *columns;
	size_t column_count;
	struct connect_key key;               /* count 0: none */
	const struct connect_key *other_keys; /* further unique keys */
	size_t other_key_count;
	int64_t rows;
	bool rows_estimated;
	size_t sampled;
	const char *profile_error; /* why there is no sample; or NULL */
	const struct server_cells *sample;
	/* decided */
	const char *entity, *label, *plural;
	struct connect_column *title, *time; /* or NULL */
	bool is_link;                        /* consists only of a key made of foreign keys */
	size_t statements;
};

struct connect_edge {
	const char *id;
	struct connect_table *from, *to; /* n to 1 */
	const size_t (*on)[2];           /* columns of from and to */
	size_t count;
	bool is_inferred, one_to_one;
	double coverage; /* of an inferred edge: share of sampled values that were found */
};

struct connect_note {
	const char *kind, *name, *why, *text;
};

struct connect {
	const char *pack, *tenant, *out_dir;
	const char *const *schemas; /* NULL: all except system schemas */
	const char *const *globs;   /* of tables; NULL: all */
	bool keeps_values, allows_writer, replaces, as_json;
	int limit_s;
	size_t golden_max;
	int64_t began_us;
	struct arena *a;
	struct server *server;
	struct connect_words words;
	struct connect_table *tables;
	size_t table_count;
	struct connect_edge *edges;
	size_t edge_count, edge_cap;
	struct connect_note *notes;
	size_t note_count, note_cap;
	bool no_foreign_keys; /* the driver cannot list them */
};

/* Records what a human must review, for review.json. Texts are copied. */
void connect_note(struct connect *c, const char *kind, const char *name, const char *text,
		  const char *why, ...) __attribute__((format(printf, 5, 6)));

/* ---- SQL ---- */

/* Runs a query. A failure ends the transaction, so that the next query can run. */
MUST_CHECK bool connect_rows(struct connect *c, const char *sql, size_t max, struct arena *a,
			     struct server_cells *out, struct err *e);
/* Returns true for a name that needs no quotes in a pack's views: not a reserved word and, on
 * PostgreSQL, in lower case. */
bool connect_is_plain_name(const struct connect *c, const char *name);
const char *connect_quoted(const struct connect *c, const char *name);
const char *connect_table_sql(const struct connect *c, const struct connect_table *t);
/* A SELECT of `items` FROM `rest` with a row limit in the server's dialect. */
const char *connect_limited(const struct connect *c, const char *items, const char *rest,
			    size_t rows);
/* ERR_TIMEOUT: --limit-s has passed. */
MUST_CHECK bool connect_in_time(const struct connect *c, const char *operation, struct err *e);

/* ---- the steps ---- */

/* Makes the session read-only. ERR_DENIED: the login may write; connect_reader_sql returns
 * statements that create a read-only login. */
MUST_CHECK bool connect_check_login(struct connect *c, struct err *e);
const char *connect_reader_sql(const struct connect *c);
MUST_CHECK bool connect_read_tables(struct connect *c, struct err *e);
MUST_CHECK bool connect_read_edges(struct connect *c, struct err *e); /* foreign keys */
MUST_CHECK bool connect_profile(struct connect *c, struct err *e);
void connect_find_keys(struct connect *c);
MUST_CHECK bool connect_infer_edges(struct connect *c, struct err *e);
void connect_decide(struct connect *c); /* roles, units, names; requires the edges */
void connect_name_edges(struct connect *c);
void connect_write_pack(struct connect *c, struct ctl_pack *out);
/* "customer country": the column's label for users. */
const char *connect_column_label(struct connect *c, const struct connect_table *t,
				 const struct connect_column *col);
/* Returns true for a measure that is averaged by default. */
bool connect_is_average(const struct connect *c, const struct connect_column *col);

/* A question with the SQL that answers it. */
struct connect_golden {
	const char *kind, *question, *sql;
};
MUST_CHECK bool connect_golden(struct connect *c, struct ctl_pack *out, struct err *e);
/* Runs each question of a file and prints the results. */
MUST_CHECK bool connect_score(const char *path, const char *tenant, bool as_json, bool *passed,
			      struct err *e);

size_t connect_find_column(const struct connect_table *t, const char *name); /* SIZE_MAX: none */
struct connect_table *connect_find_table(const struct connect *c, const char *schema,
					 const char *name);

#endif
