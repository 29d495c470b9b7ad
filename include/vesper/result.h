/*
 * The result of one tool call: its outcome, its tables with statistics, the facts derived from them
 * by code, and what it was asked. Everything that answers is made of results: prompts, template
 * answers, views, receipts.
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

/* A question that may follow a result; both texts have {placeholders} (view.h). */
struct suggest_def {
	const char *text;
	const char *label;            /* NULL: the question itself */
	bool primary;                 /* before those that are not */
	const struct condition *when; /* over this result; NULL: always */
};

/* A number (or text) that code computed from the tables, so that no model has to. */
struct fact {
	const char *name;    /* "gap", "widest_hours": stable, for templates and checks */
	const char *label;   /* "Hitachi minus Ascend" */
	const char *value;   /* digits or text, ready to be bound or shown */
	const char *unit;    /* "$/MWh", "%", or NULL */
	const char *formula; /* "54.80 - 52.14": where it comes from, or NULL */
};

/* A statement as it went to the database, with what was bound to its ? in order. */
struct result_statement {
	const char *name; /* "get_average_annual_price/main" */
	const char *text;
	const struct value *values;
	size_t count;
};

/* A number that derivations of a pack go by. */
struct factor {
	const char *name; /* "co2_kg_per_kwh" */
	double value;
	const char *text;   /* its digits */
	const char *source; /* who published it; NULL: a setting of the pack's own */
};

/* What a derivation may know beside the result. */
struct derive_context {
	struct date today;
	int64_t now_ms;               /* when it was asked (clock_question_ms) */
	const struct factor *factors; /* of the tool's pack, ended by a NULL name; or NULL */
	size_t groups;      /* columns of a map query that tell rows apart, the first ones */
	const char *grain;  /* of the last of them, "month"; NULL: it is no part of time */
	const char *thing;  /* label of the first of them that is no part of time; or NULL */
	const char *second; /* of another one; or NULL */
	bool by_name; /* the first one names rows for people: each of its values is one thing */
	bool adds_up; /* what is measured first is a total, of which groups have shares */
	const atomic_bool *cancelled; /* the caller has gone: what takes long ends; or NULL */
};
const struct factor *derive_factor(const struct derive_context *c, const char *name); /* or NULL */

/* A passage of a document that a result shows, one for each row of its main table. */
struct passage {
	const char *document; /* its name */
	const char *uid, *version;
	const char *heading; /* "": it stands below none */
	struct str text;
	uint32_t start; /* its first byte in the document's text */
};

struct result {
	const char *call; /* id of the call inside its turn: "c1", "c2", … */
	const char *task; /* id of the plan's task that it belongs to; NULL: of none */
	const char *agent;
	const char *tool;
	const char *about;          /* the tool's own words, for status lines and panels */
	const char *const *reports; /* report keys, NULL-ended; NULL: none */
	const char *source;         /* name of the source that it was read from; NULL: of none */
	const char *answer; /* the tool's own sentence with {placeholders} (see view.h), or NULL */
	const struct suggest_def *suggest; /* ended by a NULL text; NULL: none */
	const struct units *units;         /* of its catalogue: how numbers are shown; NULL: as they
					      are */
	const struct language *language;   /* in which it is shown */
	const char *const *needs; /* permissions that this result took: the tool's, and those of the
				     columns that it was allowed; NULL-ended; NULL: none */
	struct args args;         /* what was bound, after resolving and defaults */
	struct outcome outcome;
	const char *sql;   /* what was really sent, for a caller who may see it; else NULL */
	struct args asked; /* the arguments as the call began: run again with these, it gives
			      the same from the same data */
	const struct result_statement *statements; /* what was sent, in order */
	size_t statement_count;
	int64_t read_ms;           /* when the data was read; earlier than the call where a cache
				      had it */
	char hash[HASH_HEX_BYTES]; /* result_hash; "" for one that may come out otherwise each
				      time: an error, a time limit, cut rows in any order */
	bool any_order;            /* nothing says in which order its rows come */
	struct table **tables;     /* owned by the result: freed with its arena */
	size_t table_count;
	const struct derive_context *context; /* for its derivation alone; then NULL */
	struct frame **frames; /* for its derivation alone; freed when that has ended */
	size_t frame_count;
	struct {
		const struct passage *items;
		size_t count;
	} passages; /* of a tool of documents */
	struct fact *facts;
	size_t fact_count;
	int64_t duration_us;
};

/* A stretch of a text that shows one value of a result, as the text's writer says. */
enum result_part_kind {
	RESULT_PART_CELL, /* of the first table */
	RESULT_PART_FACT,
	RESULT_PART_ARG,
	RESULT_PART_COUNT, /* rows */
	RESULT_PART_DATE,  /* a date that the result states, as ISO */
	RESULT_PART_TEXT,  /* words of the tool */
};
struct result_part {
	enum result_part_kind kind;
	size_t from, len; /* bytes of the text */
	const struct result *result;
	size_t row, column;
	const struct fact *fact;
	const struct arg *arg;
	const struct value *value; /* of the argument */
	const char *text;          /* DATE, TEXT: what is shown; COUNT: what is counted */
	int64_t count;
};

/* A result in the arena; its tables are freed when the arena is. */
struct result *result_new(struct arena *a);
/* Keeps what is sent; the texts and values must live as long as the result. */
void result_add_statement(struct result *r, struct arena *a, struct result_statement statement);
/* SHA-256 over everything that an answer can rest on: how the call ended, the tables with their
 * columns and kept cells, the number of rows, and the exact figures over all that was read. Of a
 * result in any order, whatever the order of its rows. */
void result_hash(const struct result *r, char out[HASH_HEX_BYTES]);
/* Takes the table. */
void result_add_table(struct result *r, struct arena *a, struct table *take);
/* Takes the frame. */
void result_add_frame(struct result *r, struct arena *a, struct frame *take);
void result_free_frames(struct result *r);
/* Of that query; NULL: there is none. */
const struct frame *result_frame(const struct result *r, const char *query);
/* The fact of a result that was derived from a part of the rows: a sentence for the user, which the
 * answer, its views and its receipt tell. */
#define RESULT_FRAME_SAMPLED "frame_sampled"
const struct table *result_table(const struct result *r,
				 const char *name); /* NULL when there is none */
/* Copies the texts; a value longer than FACT_TEXT_BYTES_MAX is cut. Of more than RESULT_FACTS_MAX
 * the last one says that facts were left out (result_facts_left_out). */
void result_add_fact(struct result *r, struct arena *a, struct fact fact);
/* Further facts are left out; the result says so with a fact of this name. */
#define RESULT_FACTS_LEFT_OUT "facts_left_out"
/* The call was made for some of the values that an earlier step found; this fact says so. */
#define RESULT_VALUES_LEFT_OUT "values_left_out"
/* Only the first rows were read; the fact names what they can be told apart by. */
#define RESULT_NARROW_BY "narrow_by"
/* The search of a model was stopped; the fact says so. */
#define RESULT_SEARCH_STOPPED "search_stopped"
void result_facts_left_out(struct result *r, struct arena *a);
const struct fact *result_fact(const struct result *r, const char *name);

#endif
