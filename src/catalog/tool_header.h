/* A tool file's header while it is read: what is known so far, and the readers of its lines. */
#ifndef VESPER_TOOL_HEADER_H
#define VESPER_TOOL_HEADER_H

#include "catalog_int.h"
#include "vesper/limits.h"

struct tool_header {
	struct loader *l;
	const struct sql_file *file;
	int line;
	struct tool_def *tool;
	struct param_def *params;
	struct column_def *columns;
	struct fact_def *facts;
	struct frame_def *frames;
	struct derive_def derives[TOOL_DERIVES_MAX]; /* name: the line's text, until it is read */
	struct strlist agents, seen, reports;
	const char *whole; /* read when every column is known */
	int whole_line;
};

/* An error of the line that is being read: "path:line: what is wrong". Returns false. */
bool tool_wrong(const struct tool_header *h, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Those of the struct as the lines say. All columns are known. */
MUST_CHECK bool tool_derives_read(struct tool_header *h, struct err *e);
/* The units of facts, and the lines `answer`, `suggest` and `refer`. All params, columns and facts
 * are known. */
MUST_CHECK bool tool_sentences_read(struct tool_header *h, struct err *e);

/* The next word of *rest; blanks inside "…" belong to it. False at the end. */
bool tool_next_word(struct str *rest, struct str *word);
/* Splits "key=value" when key is a name; a text such as "a = b" is none. */
bool tool_is_attribute(struct arena *a, struct str word, const char **key, const char **value);
bool tool_is_name(const char *text); /* of letters that a name may have */
MUST_CHECK bool tool_number_read(const struct tool_header *h, const char *text, int64_t *out,
				 struct err *e);

/* NAME type required|optional [attributes] about */
MUST_CHECK bool tool_param_read(struct tool_header *h, const char *text, struct err *e);
/* NAME [attributes] */
MUST_CHECK bool tool_column_read(struct tool_header *h, const char *text, struct err *e);
/* NAME [attributes] about */
MUST_CHECK bool tool_fact_read(struct tool_header *h, const char *text, struct err *e);
/* QUERY ROWS */
MUST_CHECK bool tool_frame_read(struct tool_header *h, const char *text, struct err *e);

#endif
