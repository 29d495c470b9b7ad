/* Reads rows into a frame: cells become typed columns. If there are too many rows, every k-th is
 * stored. */
#include "db_int.h"

#include <string.h>

#include "vesper/mem.h"

/* The result's columns as the driver describes them, and as the frame gets them. */
struct described {
	struct table *table; /* its columns are the driver's; it has no rows */
	struct frame_declared *columns;
	size_t count;
};

static const struct frame_declared *declared(const struct sink *sink, const char *name)
{
	for (size_t i = 0; i < sink->column_count; i++)
		if (strcmp(sink->columns[i].name, name) == 0)
			return &sink->columns[i];
	return NULL;
}

static bool describe(struct db_rows *from, struct described *d, const struct sink *sink,
		     struct err *e)
{
	for (size_t i = 0; i < d->count; i++) {
		struct column *column = &d->table->columns[i];
		const struct frame_declared *as;
		bool is_inferred;

		if (!from->describe(from, i, d->table->arena, column, &is_inferred, e))
			return false;
		table_make_name_unique(d->table, i);
		as = declared(sink, column->name);
		d->columns[i].name = column->name;
		d->columns[i].type = as ? as->type : frame_type_of(column->type);
	}
	return true;
}

static bool row_read(struct db_rows *from, const struct described *d, struct frame_builder *b,
		     struct err *e)
{
	for (size_t i = 0; i < d->count; i++) {
		size_t length = 0;
		char *text = NULL;

		if (!from->cell(from, i, &d->table->columns[i], &text, &length, e))
			return false;
		if (text)
			db_cell_make_valid(text, length);
		frame_builder_cell(b, i, text);
	}
	return frame_builder_row(b, e);
}

static bool too_many(const struct source_statement *s, struct err *e)
{
	return err_set(e, ERR_LIMIT, "%s returns more than %d rows", s->name, FRAME_READ_ROWS_MAX);
}

/* Columns are described after the first row: only then a driver knows the type of an expression. */
static bool rows_read(struct db_rows *from, struct described *d, struct work *w,
		      const struct source_statement *s, struct frame_builder **b, struct err *e)
{
	bool more, should_store;

	for (int64_t n = 0;; n++) {
		if (!from->next(from, &more, e) || (!*b && !describe(from, d, &s->sink, e)))
			return false;
		if (!*b)
			*b = frame_builder_new(s->name, d->columns, d->count,
					       s->sink.rows_max ? s->sink.rows_max : w->max_rows);
		if (!more)
			return true;
		if (n == FRAME_READ_ROWS_MAX)
			return too_many(s, e);
		if (!db_work_may_continue(w, e) || !frame_builder_next(*b, &should_store, e) ||
		    (should_store && !row_read(from, d, *b, e)))
			return false;
	}
}

bool db_fetch_frame(struct db_rows *from, size_t columns, struct work *w,
		    const struct source_statement *s, struct err *e)
{
	struct described d = {.table = table_new(DB_RESULT_BYTES_MAX), .count = columns};
	struct frame_builder *b = NULL;
	bool done;

	d.table->column_count = columns;
	d.table->columns = arena_alloc(d.table->arena, columns * sizeof(struct column));
	d.columns = arena_alloc(d.table->arena, columns * sizeof(*d.columns));
	done = rows_read(from, &d, w, s, &b, e);
	if (done)
		w->frames[s - w->statements] = frame_builder_finish(&b);
	frame_builder_free(&b);
	table_free(&d.table);
	return done;
}
