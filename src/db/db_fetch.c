/*
 * Reads rows into a table: cells as text, statistics over every row, the first rows stored. The
 * rows come from a struct db_rows.
 */
#include "db_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"

/* What is known about a column's type while its rows are read. */
struct column_inference {
	bool is_inferred;  /* the type comes from the first row's value; later values may correct it
			    */
	bool is_undecided; /* the first row had NULL: values decide the type */
	bool has_fraction; /* some number has a fraction */
};

struct fetch {
	struct db_rows *from;
	struct table *table;
	struct stats_collector *stats; /* NULL: not requested */
	struct column_inference *notes;
	const char ***rows; /* on the heap until the row count is known */
	size_t rows_size;   /* in pointers */
	bool bytes_full;
};

bool db_cell_too_long(const struct column *column, struct err *e)
{
	return err_set(e, ERR_LIMIT, "a value of column %s is longer than %d bytes", column->name,
		       DB_CELL_BYTES_MAX);
}

static bool columns_describe(struct fetch *f, struct err *e)
{
	for (size_t i = 0; i < f->table->column_count; i++) {
		struct column *column = &f->table->columns[i];

		if (!f->from->describe(f->from, i, f->table->arena, column,
				       &f->notes[i].is_inferred, e))
			return false;
		table_make_name_unique(f->table, i);
		column->label = column->name;
		column->priority = PRIORITY_MEDIUM;
	}
	return true;
}

/* All callers rely on valid UTF-8. */
void db_cell_make_valid(char *text, size_t length)
{
	size_t done = 0;

	if (utf8_valid(text, length))
		return;
	while (done < length) {
		size_t n = 1;

		while (n <= 4 && done + n <= length && !utf8_valid(text + done, n))
			n++;
		if (n > 4 || done + n > length) {
			text[done] = '?';
			n = 1;
		}
		done += n;
	}
}

/* Writes "1.25e+02" and "50.0" (SQLite's binary floats) as shortest plain digits, and ".50" (SQL
 * Server's decimals) with a leading zero. */
static size_t number_normalize(char *text, size_t length)
{
	char plain[DECIMAL_TEXT_BYTES];
	struct decimal d;
	bool exponent = memchr(text, 'e', length) != NULL || memchr(text, 'E', length) != NULL;
	bool point_zero = length > 2 && memcmp(text + length - 2, ".0", 2) == 0;
	size_t sign = length > 0 && *text == '-';

	if (text[sign] == '.' && text[sign + 1] >= '0' && text[sign + 1] <= '9' &&
	    length < DECIMAL_TEXT_BYTES) {
		memmove(text + sign + 1, text + sign, length - sign + 1);
		text[sign] = '0';
		return length + 1;
	}
	if ((!exponent && !point_zero) || !decimal_parse(text, &d))
		return length;
	decimal_text_short(d, plain);
	if (exponent && strcmp(plain, "0") == 0) /* smaller than struct decimal can represent */
		return length;
	memcpy(text, plain, strlen(plain) + 1); /* the buffer is far larger */
	return strlen(plain);
}

/* Removes a fraction of zeros: "2025-01-31 00:00:00.0000000". */
static size_t datetime_normalize(char *text, size_t length)
{
	const char *point = memchr(text, '.', length);

	if (!point || strspn(point + 1, "0123456789") != length - (size_t)(point + 1 - text))
		return length;
	while (text[length - 1] == '0')
		length--;
	if (text + length - 1 == point)
		length--;
	text[length] = '\0';
	return length;
}

/* Normalizes a cell that was read; returns its final length. */
static size_t cell_finish(struct fetch *f, size_t i, char *text, size_t length)
{
	db_cell_make_valid(text, length);
	if (f->table->columns[i].type == COLUMN_DATETIME)
		return datetime_normalize(text, length);
	if (!column_is_number(f->table->columns[i].type))
		return length;
	length = number_normalize(text, length);
	f->notes[i].has_fraction |= memchr(text, '.', length) != NULL;
	return length;
}

/* Reads a row. If `cells` is not NULL, the cells are stored there. */
static bool row_read(struct fetch *f, const char **cells, struct err *e)
{
	struct table *t = f->table;

	for (size_t i = 0; i < t->column_count; i++) {
		struct column *column = &t->columns[i];
		char *text = NULL;
		size_t length = 0;

		if (!f->from->cell(f->from, i, column, &text, &length, e))
			return false;
		if (!text && f->notes[i].is_inferred && t->total_rows == 0) {
			f->notes[i].is_undecided = true;
			column->type = COLUMN_DECIMAL;
		}
		if (text)
			length = cell_finish(f, i, text, length);
		if (f->stats)
			stats_cell(f->stats, i, text, length, column_is_number(column->type));
		if (cells)
			cells[i] = text ? arena_strndup(t->arena, text, length) : NULL;
	}
	if (f->stats)
		stats_end_row(f->stats);
	t->total_rows++;
	return true;
}

/* Allocates one more row; NULL when the row is only counted. */
static const char **row_alloc(struct fetch *f, size_t max_rows)
{
	struct table *t = f->table;
	const char **cells;

	if (t->row_count >= max_rows || f->bytes_full)
		return NULL;
	if (arena_bytes(t->arena) >= DB_RESULT_BYTES_MAX) {
		f->bytes_full = true;
		return NULL;
	}
	cells = arena_alloc(t->arena, (t->column_count + 1) * sizeof(*cells));
	if (t->row_count == f->rows_size)
		f->rows = mem_grow(f->rows, &f->rows_size, t->row_count + 1, sizeof(*f->rows));
	f->rows[t->row_count++] = cells;
	return cells;
}

static bool rows_read(struct fetch *f, const struct work *w, const struct sink *sink, struct err *e)
{
	size_t max_rows = sink->rows_max ? sink->rows_max : w->max_rows;
	bool more;

	/* Not every driver respects SQL_ATTR_MAX_ROWS. */
	while (f->table->total_rows < DB_FETCH_ROWS_MAX) {
		if (!f->from->next(f->from, &more, e))
			return false;
		if (!more)
			break;
		/* Columns are described after the first row was fetched: a driver may know the type
		 * of an expression only from its first value. */
		if (f->table->total_rows == 0 && !columns_describe(f, e))
			return false;
		if (!db_work_may_continue(w, e) || !row_read(f, row_alloc(f, max_rows), e))
			return false;
	}
	return f->table->total_rows > 0 || columns_describe(f, e);
}

static void types_finish(struct fetch *f)
{
	for (size_t i = 0; i < f->table->column_count; i++) {
		const struct column_inference *note = &f->notes[i];
		struct column *column = &f->table->columns[i];

		if (note->is_undecided &&
		    !(f->table->stats[i].numeric && f->table->stats[i].count > 0))
			column->type = COLUMN_TEXT;
		else if (note->is_undecided)
			column->type = note->has_fraction ? COLUMN_DECIMAL : COLUMN_INT;
		else if (note->is_inferred && column->type == COLUMN_INT && note->has_fraction)
			column->type = COLUMN_DECIMAL;
	}
}

static void table_finish(struct fetch *f)
{
	struct table *t = f->table;

	t->rows = arena_alloc(t->arena, (t->row_count + 1) * sizeof(*t->rows));
	if (t->row_count > 0)
		memcpy(t->rows, f->rows, t->row_count * sizeof(*t->rows));
	t->is_total_exact = t->total_rows < DB_FETCH_ROWS_MAX;
	t->truncated = t->total_rows > (int64_t)t->row_count || !t->is_total_exact;
	if (t->truncated)
		t->truncation = f->bytes_full ? "byte cap" : "row cap";
	if (f->stats) {
		t->stats = stats_finish(f->stats, t->arena);
		types_finish(f);
	}
}

bool db_fetch_table(struct db_rows *from, size_t columns, struct work *w,
		    const struct source_statement *s, struct err *e)
{
	struct fetch f = {.from = from};
	bool done;

	if (columns == 0)
		return true;
	if (columns > DB_COLUMNS_MAX)
		return err_set(e, ERR_LIMIT, "the result has %zu columns; the limit is %d", columns,
			       DB_COLUMNS_MAX);
	if (s->sink.kind == SINK_FRAME)
		return db_fetch_frame(from, columns, w, s, e);
	f.table = table_new(DB_RESULT_BYTES_MAX);
	f.table->name = arena_strdup(f.table->arena, s->name);
	f.table->column_count = columns;
	f.table->columns = arena_alloc(f.table->arena, columns * sizeof(struct column));
	f.stats = s->sink.stats ? stats_new(columns) : NULL;
	f.notes = arena_alloc(f.table->arena, columns * sizeof(*f.notes));
	done = rows_read(&f, w, &s->sink, e);
	if (done) {
		table_finish(&f);
		w->tables[w->table_count++] = f.table;
	} else {
		table_free(&f.table);
	}
	stats_free(&f.stats);
	mem_free(f.rows);
	return done;
}
