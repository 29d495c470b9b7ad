/*
 * The result of one tool call: its outcome, its tables with statistics, the facts derived from
 * them by code, and its arguments. Prompts, template answers, views and receipts are made from
 * results.
 */
#ifndef VESPER_RESULT_H
#define VESPER_RESULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/bind.h"
#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/outcome.h"
#include "vesper/str.h"
#include "vesper/table.h"
#include "vesper/units.h"

struct condition;
struct frame;
struct language;

/* A suggested follow-up question; both texts have {placeholders} (view.h). */
struct suggest_def {
	const char *text;
	const char *label;            /* NULL: the question itself */
	bool primary;                 /* listed before the others */
	const struct condition *when; /* on this result; NULL: always */
};

/* A number (or text) that code computed from the tables, so that no model must compute it. */
struct fact {
	const char *name;    /* "gap", "widest_hours": stable, for templates and checks */
	const char *label;   /* "Hitachi minus Ascend" */
	const char *value;   /* digits or text, ready to be bound or shown */
	const char *unit;    /* "$/MWh", "%"; or NULL */
	const char *formula; /* its calculation, "54.80 - 52.14"; or NULL */
};

/* A statement as sent to the database, with the values bound to its ? in order. */
struct result_statement {
	const char *name; /* "get_average_annual_price/main" */
	const char *text;
	const struct value *values;
	size_t count;
};

/* A constant used in a pack's derivations. */
struct factor {
	const char *name; /* "co2_kg_per_kwh" */
	double value;
	const char *text;   /* its digits */
	const char *source; /* publisher; NULL: a setting of the pack */
};

/* Values of a column, classified by a model or by their words: each fits a description or not, or
 * belongs to a class. The database measures each class. */
enum { CLASS_NONE = 0, CLASS_MAYBE = 254, CLASS_DROPPED = 255 };
struct derive_classification {
	const char *const *values; /* by their measure, largest first */
	const unsigned char *of;   /* of each value: a class from 1 on, CLASS_NONE or CLASS_MAYBE;
				      CLASS_DROPPED: the model's answer was unusable */
	size_t count;
	size_t distinct;            /* number of all values, also those not classified */
	const char *const *classes; /* the classes, or just the description */
	size_t class_count;
	const char *const *totals; /* of CLASS_NONE, of each class, of CLASS_MAYBE; NULL: unknown */
	bool by_model;
	bool failed; /* a model is configured, but could not be asked */
};

/* Input of a derivation in addition to the result. */
struct derive_context {
	struct date today;
	int64_t now_ms;               /* time of the question (clock_question_ms) */
	const struct factor *factors; /* of the tool's pack, ended by a NULL name; or NULL */
	size_t groups;      /* number of leading columns of a map query that identify rows */
	const char *grain;  /* of the last of them, "month"; NULL: it is not a time */
	const char *thing;  /* label of the first of them that is not a time; or NULL */
	const char *second; /* label of the second such column; or NULL */
	bool by_name;     /* the first column is a display name: each of its values is one entity */
	bool is_additive; /* the first measure is a total, of which groups have shares */
	const atomic_bool *cancelled; /* set when the caller cancelled: long work ends; or NULL */
	const struct derive_classification *points; /* of a tool that classifies values; or NULL */
};
const struct factor *derive_factor(const struct derive_context *c, const char *name); /* or NULL */

/* A passage of a document; one per row of the main table. */
struct passage {
	const char *document; /* its name */
	const char *uid, *version;
	const char *heading; /* "": it has none */
	struct str text;
	uint32_t start; /* offset of its first byte in the document's text */
};

struct result {
	const char *call; /* ID of the call in its turn: "c1", "c2", … */
	const char *task; /* ID of its task in the plan; NULL: none */
	const char *agent;
	const char *tool;
	const char *about;          /* the tool's description, for status lines and panels */
	const char *const *reports; /* report keys, NULL-ended; NULL: none */
	const char *source;         /* name of the source it was read from; NULL: none */
	const char *answer; /* the tool's answer sentence with {placeholders} (view.h); or NULL */
	const struct suggest_def *suggest; /* ended by a NULL text; NULL: none */
	const struct units *units; /* of its catalogue, for showing numbers; NULL: numbers are shown
				      as they are */
	const struct language *language; /* the language in which it is shown */
	const char *const *needs; /* permissions that this result required: the tool's and those of
				     the columns shown; NULL-ended; NULL: none */
	struct args args;         /* bound arguments, after resolving and defaults */
	struct outcome outcome;
	const char *sql;   /* the SQL that was sent, if the caller may see it; else NULL */
	struct args asked; /* the original arguments; run again with these, the call gives the same
			      result from the same data */
	const struct result_statement *statements; /* statements sent, in order */
	size_t statement_count;
	int64_t read_ms; /* time the data was read; before the call if it came from a cache */
	char hash[HASH_HEX_BYTES]; /* result_hash; "" if the result can differ each time: an error,
				      a timeout, truncated rows without an order */
	bool any_order;            /* the order of its rows is undefined */
	struct table **tables;     /* owned by the result: freed with its arena */
	size_t table_count;
	const struct derive_context *context; /* used by its derivation only; NULL afterwards */
	struct frame **frames;                /* used by its derivation only; freed afterwards */
	size_t frame_count;
	struct {
		const struct passage *items;
		size_t count;
	} passages; /* of document tools */
	struct fact *facts;
	size_t fact_count;
	int64_t duration_us;
};

/* A part of a text that shows one value of a result, marked by the text's writer. */
enum result_part_kind {
	RESULT_PART_CELL, /* of the first table */
	RESULT_PART_FACT,
	RESULT_PART_ARG,
	RESULT_PART_COUNT, /* number of rows */
	RESULT_PART_DATE,  /* a date of the result, in ISO format */
	RESULT_PART_TEXT,  /* words of the tool */
};
struct result_part {
	enum result_part_kind kind;
	size_t from, len; /* in bytes of the text */
	const struct result *result;
	size_t row, column;
	const struct fact *fact;
	const struct arg *arg;
	const struct value *value; /* of the argument */
	const char *text; /* DATE, TEXT: the shown text; COUNT: the name of what is counted */
	int64_t count;
};

/* New result in the arena; its tables are freed with the arena. */
struct result *result_new(struct arena *a);
/* Adds a sent statement. Its texts and values are borrowed; must outlive the result. */
void result_add_statement(struct result *r, struct arena *a, struct result_statement statement);
/* SHA-256 of everything an answer can use: the outcome, the tables with their columns and stored
 * cells, the number of rows, and the exact statistics over all rows read. If any_order is set, it
 * does not depend on the order of rows. */
void result_hash(const struct result *r, char out[HASH_HEX_BYTES]);
/* Takes ownership of the table. */
void result_add_table(struct result *r, struct arena *a, struct table *take);
/* Takes ownership of the frame. */
void result_add_frame(struct result *r, struct arena *a, struct frame *take);
void result_free_frames(struct result *r);
/* The frame of that query; NULL: none. */
const struct frame *result_frame(const struct result *r, const char *query);
/* Name of the fact of a result that was derived from a sample of the rows: a sentence for the user,
 * which the answer, its views and its receipt include. */
#define RESULT_FRAME_SAMPLED "frame_sampled"
const struct table *result_table(const struct result *r, const char *name); /* NULL: none */
/* Copies the texts; a label, value or formula longer than FACT_TEXT_BYTES_MAX is cut. Beyond
 * RESULT_FACTS_MAX facts, the last fact reports that some were left out (result_facts_truncated).
 */
void result_add_fact(struct result *r, struct arena *a, struct fact fact);
/* Name of the fact that reports left-out facts. */
#define RESULT_FACTS_LEFT_OUT "facts_left_out"
/* Name of the fact that reports that the call used only some of the values of an earlier step. */
#define RESULT_VALUES_LEFT_OUT "values_left_out"
/* Name of the fact of a truncated result; it lists dimensions that can narrow it. */
#define RESULT_NARROW_BY "narrow_by"
/* Name of the fact that reports a model search that was stopped. */
#define RESULT_SEARCH_STOPPED "search_stopped"
void result_facts_truncated(struct result *r, struct arena *a);
const struct fact *result_fact(const struct result *r, const char *name);

#endif
