/* State while reading a tool file's header, and readers of its lines. */
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
	/* `name` is the text of the line until tool_derives_read. */
	struct derive_def derives[TOOL_DERIVES_MAX];
	struct strlist agents, seen, reports;
	const char *totals; /* read once all columns are known */
	int totals_line;
};

/* Reports an error in the current line, "path:line: message". Returns false. */
bool tool_fail(const struct tool_header *h, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Reads the `derive` lines. Requires all columns. */
MUST_CHECK bool tool_derives_read(struct tool_header *h, struct err *e);
/* Reads the units of facts and the lines `answer`, `suggest` and `refer`. Requires all params,
 * columns and facts. */
MUST_CHECK bool tool_sentences_read(struct tool_header *h, struct err *e);

/* Cuts the next word off *rest; blanks inside "…" belong to it. False at the end. */
bool tool_next_word(struct str *rest, struct str *word);
/* Splits "key=value" if key is a name; returns false for a text such as "a = b". */
bool tool_is_attribute(struct arena *a, struct str word, const char **key, const char **value);
bool tool_is_name(const char *text); /* consists of the characters of a name */
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
