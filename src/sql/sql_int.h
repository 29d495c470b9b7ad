/*
 * Inside the sql folder: the lexer's tokens, and statements as lists of them.
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
	SQL_OPTION,  /* --? name: at the start of a line; the rest of the line follows as tokens */
	SQL_SECTION, /* --# query NAME: the whole line */
};

/* A catalogue holds some 20,000 of them. */
struct sql_token {
	struct str text;   /* of markers, options and sections the bare name; of markers that are
			      kept, terminated */
	const char *given; /* the token counts only when this argument is given; NULL: always */
	enum sql_token_kind kind;
	int line;
};

/* Where a line of an expanded text stands. */
struct sql_origin {
	const char *path; /* of the file, or of the fragment's */
	int line;
	int file_line; /* of the file: for a fragment's line, where it is named */
};

/* What the lexer reads: a file below its header, with fragments in their places. */
struct sql_source {
	const char *path;
	const char *text;
	int first_line;
	const struct sql_origin *origins; /* of each line; NULL: the text is as the file has it */
	size_t origin_count;
	struct sql_origin end;
};

/* Puts fragments where they are named; those of the file itself are given back in `own`. Errors as
 * sql_file_parse. */
MUST_CHECK bool sql_source_read(struct sql_source *s, struct sql_fragments *own,
				struct sql_fragments *shared, struct arena *a, struct err *e);
/* ERR_INPUT with "path:line: " of where this line of the text stands. Returns false. */
bool sql_wrong(const struct sql_source *s, int line, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int sql_file_line(const struct sql_source *s, int line);

struct sql_lexer {
	const struct sql_source *source; /* for errors */
	const char *p;
	int line;
	bool line_start; /* nothing but blanks since the last line end */
};

void sql_lex_init(struct sql_lexer *lx, const struct sql_source *source);
MUST_CHECK bool sql_lex_next(struct sql_lexer *lx, struct sql_token *out, struct err *e);

struct sql_statement {
	const struct sql_token *tokens; /* without SQL_END, SQL_OPTION and SQL_SECTION */
	size_t count;
};

/* Rewrites what a dialect says differently, in place (the array may only get shorter). Returns the
 * new count. */
size_t sql_dialect_apply(struct sql_token *tokens, size_t count, enum dialect dialect);

/* The tokens of the statement that sql_render_whole makes. False: this one has no whole. */
bool sql_whole_tokens(const struct sql_token *tokens, size_t count,
		      const struct sql_whole_column *columns, size_t column_count,
		      enum dialect dialect, struct arena *a, struct sql_token **out,
		      size_t *out_count);

/* Whether the token is this word (lower case), in any case. */
bool sql_token_is(const struct sql_token *t, const char *word);

static inline bool sql_token_is_space(const struct sql_token *t)
{
	return t->kind == SQL_SPACE || t->kind == SQL_NEWLINE;
}

#endif
