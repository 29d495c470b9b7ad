/*
 * Internals of the sql folder: tokens of the lexer, and statements as token lists.
 */
#ifndef SQL_INT_H
#define SQL_INT_H

#include "vesper/sql.h"
#include "vesper/str.h"

enum sql_token_kind {
	SQL_END,
	SQL_SPACE,   /* blanks inside a line, and comments */
	SQL_NEWLINE, /* one line end */
	SQL_WORD,    /* keyword or plain name */
	SQL_NUMBER,
	SQL_LITERAL, /* '…' with its quotes */
	SQL_QUOTED,  /* "…" or […] with its quotes */
	SQL_MARKER,  /* :name */
	SQL_LIST,    /* :name... */
	SQL_PUNCT,   /* everything else; `::` is one token */
	SQL_OPTION, /* "--? name:" at the start of a line; the rest of the line follows as tokens */
	SQL_SECTION, /* --# query NAME: the whole line */
};

/* A catalogue has about 20,000 of them. */
struct sql_token {
	/* Markers, options, sections: only the name; NUL-terminated in stored markers. */
	struct str text;
	const char *given; /* included only if this argument is given; NULL: always */
	enum sql_token_kind kind;
	int line;
};

/* Origin of a line of the expanded text. */
struct sql_origin {
	const char *path; /* of the file or the fragment's file */
	int line;
	int file_line; /* line in the file; for a fragment, the line that uses it */
};

/* Input of the lexer: a file below its header, with fragments inserted. */
struct sql_source {
	const char *path;
	const char *text;
	int first_line;
	const struct sql_origin *origins; /* by line; NULL: no fragments were inserted */
	size_t origin_count;
	struct sql_origin end;
};

/* Inserts fragments where they are used; the file's own fragments are returned in `own`. Errors as
 * in sql_file_parse. */
MUST_CHECK bool sql_source_read(struct sql_source *s, struct sql_fragments *own,
				struct sql_fragments *shared, struct arena *a, struct err *e);
/* ERR_INPUT with "path:line: " of the line's origin. Returns false. */
bool sql_fail(const struct sql_source *s, int line, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int sql_file_line(const struct sql_source *s, int line);

struct sql_lexer {
	const struct sql_source *source; /* for errors */
	const char *p;
	int line;
	bool line_start; /* only blanks since the last line end */
};

void sql_lex_init(struct sql_lexer *lx, const struct sql_source *source);
MUST_CHECK bool sql_lex_next(struct sql_lexer *lx, struct sql_token *out, struct err *e);

struct sql_statement {
	const struct sql_token *tokens; /* without SQL_END, SQL_OPTION and SQL_SECTION */
	size_t count;
};

/* Rewrites dialect differences in place (the list never grows). Returns the new count. */
size_t sql_dialect_apply(struct sql_token *tokens, size_t count, enum dialect dialect);

/* Builds the tokens of sql_render_totals's statement. False: the statement has no totals. */
bool sql_totals_tokens(const struct sql_token *tokens, size_t count,
		       const struct sql_totals_column *columns, size_t column_count,
		       enum dialect dialect, struct arena *a, struct sql_token **out,
		       size_t *out_count);

/* Returns true when the token is this word (lower case), ignoring case. */
bool sql_token_is(const struct sql_token *t, const char *word);

static inline bool sql_token_is_space(const struct sql_token *t)
{
	return t->kind == SQL_SPACE || t->kind == SQL_NEWLINE;
}

#endif
