/*
 * Internals of the SQL gate. Text becomes tokens (gate_lex.c), then a tree (gate_parse_*.c), which
 * is checked against the policy (gate_check.c) and rendered (gate_render*.c).
 */
#ifndef GATE_INT_H
#define GATE_INT_H

#include "gate_tree.h"

enum gate_token_kind {
	GATE_T_END,
	GATE_T_WORD, /* plain name or keyword */
	GATE_T_NAME, /* "…" or […] */
	GATE_T_NUMBER,
	GATE_T_STRING, /* '…' */
	GATE_T_PUNCT,
};

struct gate_token {
	enum gate_token_kind kind;
	bool national; /* N'…' */
	size_t at;     /* byte offset in the statement */
	/* Quoted names: without quotes, doubled quotes made single; else as written. */
	struct str text;
	size_t match; /* for "(": index of its ")" */
};

struct gate_tokens {
	struct gate_token *items;
	size_t count; /* without the final GATE_T_END */
};

/* State shared by all steps of a check. */
struct gate {
	const struct gate_policy *policy;
	enum dialect dialect;
	struct str sql;
	struct arena *arena;
	struct err *e;
};

/* Sets the error with the position; returns false. */
bool gate_refuse(const struct gate *g, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool gate_limit_reached(const struct gate *g, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- lexer ---- */
MUST_CHECK bool gate_lex(const struct gate *g, struct gate_tokens *out);
/* Checks that a quoted name has no deceptive characters. */
MUST_CHECK bool gate_name_plain(const struct gate *g, struct str name, size_t at);

/* ---- words ---- */
bool gate_word_reserved(struct str word); /* never valid as a plain name */
bool gate_word_starts(struct str word);   /* never an alias without AS */
bool gate_word_date_part(struct str word);

/* ---- parser ---- */
struct gate_parser {
	const struct gate *g;
	const struct gate_token *t; /* the next token */
	const struct gate_token *first;
	int depth;
	size_t sources;
};

bool gate_is_word(const struct gate_token *t, const char *upper);
bool gate_is_punct(const struct gate_token *t, const char *punct);
bool gate_at_word(const struct gate_parser *p, const char *upper);
bool gate_at_punct(const struct gate_parser *p, const char *punct);
bool gate_take_word(struct gate_parser *p, const char *upper);
bool gate_take_punct(struct gate_parser *p, const char *punct);
MUST_CHECK bool gate_expect_word(struct gate_parser *p, const char *upper);
MUST_CHECK bool gate_expect_punct(struct gate_parser *p, const char *punct);
/* Consumes the current token if it is one of the words, and returns the list's spelling; else
 * NULL. */
const char *gate_take_one_of(struct gate_parser *p, const char *const *words);
bool gate_unexpected(const struct gate_parser *p, const char *expected);
MUST_CHECK bool gate_enter(struct gate_parser *p); /* increases the nesting depth */
void gate_leave(struct gate_parser *p);
MUST_CHECK bool gate_check_list_length(const struct gate_parser *p, size_t count);
bool gate_at_name(const struct gate_parser *p);
MUST_CHECK bool gate_parse_name(struct gate_parser *p, struct gate_name *out);
MUST_CHECK bool gate_parse_names(struct gate_parser *p, struct gate_name **out); /* (a, b) */
MUST_CHECK bool gate_parse_alias(struct gate_parser *p, struct gate_name *out);
MUST_CHECK bool gate_parse_digits(struct gate_parser *p, struct str *out);
/* At "(": returns true when it opens a query, not an expression or a source. */
bool gate_opens_query(const struct gate_parser *p);

MUST_CHECK bool gate_parse_query(struct gate_parser *p, struct gate_query **out);
MUST_CHECK bool gate_parse_query_in_parens(struct gate_parser *p, struct gate_query **out);
MUST_CHECK bool gate_parse_top(struct gate_parser *p, struct gate_limit *out);
MUST_CHECK bool gate_parse_limit(struct gate_parser *p, struct gate_limit *out);
MUST_CHECK bool gate_parse_group_by(struct gate_parser *p, struct gate_expr **out);
MUST_CHECK bool gate_parse_sources(struct gate_parser *p, struct gate_source **out);
MUST_CHECK bool gate_parse_expr(struct gate_parser *p, struct gate_expr **out);
MUST_CHECK bool gate_parse_exprs(struct gate_parser *p, struct gate_expr **out, size_t *count);
MUST_CHECK bool gate_parse_additive(struct gate_parser *p, struct gate_expr **out);
MUST_CHECK bool gate_parse_primary(struct gate_parser *p, struct gate_expr **out);
MUST_CHECK bool gate_parse_call(struct gate_parser *p, struct gate_expr **out);
MUST_CHECK bool gate_parse_type(struct gate_parser *p, struct gate_type **out);
MUST_CHECK bool gate_parse_order(struct gate_parser *p, struct gate_order **out);
MUST_CHECK bool gate_parse_window(struct gate_parser *p, struct gate_window *out);
struct gate_expr *gate_expr_new(struct gate_parser *p, enum gate_expr_kind kind, size_t at);
void gate_expr_add(struct gate_expr *parent, struct gate_expr *kid);

/* ---- check ---- */
struct gate_views {                  /* views that a statement reads, without duplicates */
	struct gate_view_use *items; /* has room for each view of the policy */
	size_t count;
	const char **defined; /* names of its CTEs */
	size_t defined_count;
	size_t defined_cap;
};
MUST_CHECK bool gate_check_tree(const struct gate *g, struct gate_query *q, struct gate_views *out);
/* Returns true when the policy allows the function. gate_check_call also checks the arguments. */
bool gate_function_known(const struct gate *g, struct str name);
bool gate_refuse_function(const struct gate *g, size_t at, struct str name); /* returns false */
MUST_CHECK bool gate_check_call(const struct gate *g, struct gate_expr *x);
MUST_CHECK bool gate_check_pivot_function(const struct gate *g, const struct gate_name *name);

/* ---- render ---- */
struct gate_writer {
	const struct gate *g;
	struct buf *out;
	size_t tenants;           /* number of ? written */
	bool is_dialect_specific; /* contains database-specific syntax, which the gate would not
				     accept */
};
/* Rows with PERCENT and WITH TIES cannot be limited in place, so the query becomes a derived
 * table. */
bool gate_is_wrapped(const struct gate_query *q);
void gate_render(struct gate_writer *w, const struct gate_query *q);
void gate_write_name(struct gate_writer *w, const struct gate_name *n);
void gate_write_names(struct gate_writer *w, const struct gate_name *n);
void gate_write_query(struct gate_writer *w, const struct gate_query *q);
void gate_write_expr(struct gate_writer *w, const struct gate_expr *x);
void gate_write_call(struct gate_writer *w, const struct gate_expr *x);
void gate_write_cast(struct gate_writer *w, const struct gate_expr *x);
/* Returns true when the dialect's function supports the part with the common meaning. */
bool gate_date_part_known(enum dialect dialect, struct str function, struct str part);
void gate_write_like(struct gate_writer *w, const struct gate_expr *x);
void gate_write_extract(struct gate_writer *w, const struct gate_expr *x);
void gate_write_trim(struct gate_writer *w, const struct gate_expr *x);
void gate_write_substring(struct gate_writer *w, const struct gate_expr *x);
void gate_write_exprs(struct gate_writer *w, const struct gate_expr *x);
void gate_write_source_name(struct gate_writer *w, const struct gate_source *s);
void gate_write_sources(struct gate_writer *w, const struct gate_source *s);
void gate_write_order(struct gate_writer *w, const struct gate_order *o);
void gate_write_window(struct gate_writer *w, const struct gate_window *n);

#endif
