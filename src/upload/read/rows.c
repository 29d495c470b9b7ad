/* The second pass over a file: returns its rows as values of the types that the first pass
 * found. */
#include "shape_int.h"

#include "vesper/limits.h"
#include "vesper/mem.h"

#define BLOCK_ARENA (8 * 1024 * 1024) /* of a block's values */

struct shape_reader {
	struct shape_options options;
	const struct shape *shape;
	struct text_file file;
	struct records *records;
	bool header_seen, ended;
	/* of the current block */
	struct arena *arena;
	struct value *values;
	size_t value_cap;
	size_t *lines;
	size_t line_cap;
	size_t count;
	void (*misfit)(void *owner, size_t column, size_t line);
	void *owner;
};

static void on_row(void *owner, const struct record *r)
{
	struct shape_reader *reader = owner;
	const struct shape *s = reader->shape;
	struct value *row;

	if (s->has_header && !reader->header_seen) {
		reader->header_seen = true;
		return;
	}
	reader->values = mem_grow(reader->values, &reader->value_cap,
				  (reader->count + 1) * s->column_count, sizeof(*reader->values));
	reader->lines = mem_grow(reader->lines, &reader->line_cap, reader->count + 1,
				 sizeof(*reader->lines));
	row = &reader->values[reader->count * s->column_count];
	reader->lines[reader->count++] = r->line;
	for (size_t i = 0; i < s->column_count; i++) {
		row[i] = value_null();
		if (i < r->count &&
		    !types_value(&s->columns[i].form, r->cells[i], reader->arena, &row[i]))
			reader->misfit(reader->owner, i, r->line);
	}
}

bool shape_reader_open(const struct shape_options *o, const struct shape *s,
		       struct shape_reader **out, struct err *e)
{
	struct shape_reader *r = mem_alloc(sizeof(*r));

	r->options = *o;
	r->shape = s;
	if (!text_open(&r->file, o->path, e)) {
		shape_reader_free(&r);
		return false;
	}
	text_decode(&r->file, s->encoding);
	r->records = records_new(s->format, s->delimiter, on_row, r);
	*out = r;
	return true;
}

bool shape_reader_next(struct shape_reader *r,
		       void (*misfit)(void *owner, size_t column, size_t line), void *owner,
		       struct shape_rows *out, struct fault *fault, struct err *e)
{
	bool more = true;

	r->misfit = misfit;
	r->owner = owner;
	r->count = 0;
	arena_free(&r->arena);
	r->arena = arena_new(BLOCK_ARENA);
	while (r->count == 0 && !r->ended) {
		if (shape_cancelled(&r->options, e) || !text_next(&r->file, &more, e) ||
		    !records_add(r->records, buf_text(&r->file.text), r->file.text.n, fault, e))
			return false;
		r->ended = !more;
		if (r->ended && !records_end(r->records, fault, e))
			return false;
	}
	*out = (struct shape_rows){r->arena, r->values, r->lines, r->count};
	return true;
}

int64_t shape_reader_bytes(const struct shape_reader *r)
{
	return r->file.bytes;
}

void shape_reader_free(struct shape_reader **reader)
{
	struct shape_reader *r = *reader;

	if (!r)
		return;
	*reader = NULL;
	text_close(&r->file);
	records_free(&r->records);
	arena_free(&r->arena);
	mem_free(r->values);
	mem_free(r->lines);
	mem_free(r);
}
