/*
 * Comma-separated text by libcsv. The library reports neither line numbers nor limits. So lines
 * are counted by the line ends that it reports, and a field's length is checked after each chunk.
 */
#include "records_int.h"

#include <csv.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

#define BLOCK_BYTES 4096 /* by which the library's buffer of a field grows */

struct csv {
	struct records *records;
	struct csv_parser parser;
	size_t line;       /* where the current record starts */
	size_t ends;       /* line ends inside the quotes of this record */
	bool after_return; /* the last record ended with CR; a following LF belongs to it */
};

struct csv *csv_new(struct records *r, char delimiter)
{
	struct csv *c = mem_alloc(sizeof(*c));

	c->records = r;
	c->line = 1;
	csv_init(&c->parser, CSV_REPALL_NL); /* cannot fail */
	csv_set_realloc_func(&c->parser, mem_realloc);
	csv_set_free_func(&c->parser, mem_free);
	csv_set_blk_size(&c->parser, BLOCK_BYTES);
	csv_set_delim(&c->parser, (unsigned char)delimiter);
	return c;
}

void csv_close(struct csv **c)
{
	if (!*c)
		return;
	csv_free(&(*c)->parser);
	mem_free(*c);
	*c = NULL;
}

/* Counts line ends; CR LF is one. */
static size_t line_ends(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n' || (text[i] == '\r' && (i + 1 == len || text[i + 1] != '\n'));
	return n;
}

static void on_field(void *field, size_t len, void *owner)
{
	struct csv *c = owner;
	struct records *r = c->records;

	c->after_return = false;
	if (r->fault.code)
		return;
	if (len > DATA_SOURCE_CELL_BYTES_MAX)
		records_fail(r, "cell_too_long", c->line + c->ends, "a cell is too long");
	else if (r->count == DATA_SOURCE_COLUMNS_MAX)
		records_fail(r, "too_many_columns", c->line, "there are too many columns");
	if (r->fault.code)
		return;
	c->ends += line_ends(field, len);
	records_cell(r, field, len);
}

/* `end`: CR, LF, or -1 for the end of the file. */
static void on_record(int end, void *owner)
{
	struct csv *c = owner;
	struct records *r = c->records;

	if (end == '\n' && c->after_return && r->count == 0) {
		c->after_return = false;
		return;
	}
	if (!r->fault.code && r->count > 0)
		records_emit(r, c->line);
	c->line += c->ends + 1;
	c->ends = 0;
	c->after_return = end == '\r';
}

void csv_add(struct csv *c, const char *text, size_t len)
{
	csv_parse(&c->parser, text, len, on_field, on_record, c);
	if (c->parser.entry_pos > DATA_SOURCE_CELL_BYTES_MAX)
		records_fail(c->records, c->parser.quoted ? "unclosed_quote" : "cell_too_long",
			     c->line + c->ends,
			     c->parser.quoted ? "a quote that begins here is never closed"
					      : "a cell is too long");
}

void csv_end(struct csv *c)
{
	size_t line = c->line + c->ends;

	/* Strict only at the end of the file: a quote inside a field is text. */
	csv_set_opts(&c->parser, CSV_REPALL_NL | CSV_STRICT | CSV_STRICT_FINI);
	if (csv_fini(&c->parser, on_field, on_record, c) != 0)
		records_fail(c->records, "unclosed_quote", line,
			     "a quote that begins here is never closed");
}
