/* Basic operations on tables. Database workers fill tables, tools add derived data, and all other
 * code only reads them. */
#include "vesper/table.h"

#include <assert.h>
#include <string.h>

static const char *const type_names[] = {
	[COLUMN_TEXT] = "text", [COLUMN_INT] = "int",           [COLUMN_DECIMAL] = "decimal",
	[COLUMN_DATE] = "date", [COLUMN_DATETIME] = "datetime", [COLUMN_BOOL] = "bool",
};

#define TYPE_COUNT (sizeof(type_names) / sizeof(type_names[0]))

struct table *table_new(size_t cap_bytes)
{
	struct arena *arena = arena_new(cap_bytes);
	struct table *t = arena_alloc(arena, sizeof(*t));
	t->arena = arena;
	return t;
}

void table_free(struct table **t)
{
	if (!*t)
		return;
	struct arena *arena = (*t)->arena; /* also contains the table */
	*t = NULL;
	arena_free(&arena);
}

static bool is_name_used_before(const struct table *t, size_t column, const char *name)
{
	for (size_t i = 0; i < column; i++)
		if (strcmp(t->columns[i].name, name) == 0)
			return true;
	return false;
}

void table_make_name_unique(struct table *t, size_t column)
{
	const char *given = t->columns[column].name, *name = given;

	if (!*given)
		name = given = arena_printf(t->arena, "_%zu", column + 1);
	for (size_t n = 2; is_name_used_before(t, column, name); n++)
		name = arena_printf(t->arena, "%s (%zu)", given, n);
	t->columns[column].name = name;
}

int table_column(const struct table *t, const char *name)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (strcmp(t->columns[i].name, name) == 0)
			return (int)i;
	return -1;
}

const char *table_cell(const struct table *t, size_t row, const char *column)
{
	int at = table_column(t, column);
	return at >= 0 && row < t->row_count ? t->rows[row][at] : NULL;
}

static struct column_stats derived_stats(const struct table *t, enum column_type type,
					 const char *const *cells)
{
	struct stats_collector *s = stats_new(1);

	for (size_t r = 0; r < t->row_count; r++) {
		stats_cell(s, 0, cells[r], cells[r] ? strlen(cells[r]) : 0, column_is_number(type));
		stats_end_row(s);
	}
	struct column_stats *all = stats_finish(s, t->arena);
	stats_free(&s);
	all[0].partial = t->truncated;
	return all[0];
}

void table_replace(struct table *t, const char *const *names, const enum column_type *types,
		   size_t columns, const char *const *cells, size_t rows)
{
	const char **column = arena_alloc(t->arena, (rows + 1) * sizeof(*column));

	t->column_count = 0;
	t->columns = NULL;
	t->row_count = rows;
	t->total_rows = (int64_t)rows;
	t->is_total_exact = true;
	t->truncated = false;
	t->truncation = NULL;
	t->rows = arena_alloc(t->arena, (rows + 1) * sizeof(*t->rows));
	t->stats = arena_alloc(t->arena, sizeof(*t->stats));
	for (size_t c = 0; c < columns; c++) {
		for (size_t r = 0; r < rows; r++)
			column[r] = cells[r * columns + c];
		table_add_column(t, names[c], types[c], column);
	}
}

void table_add_column(struct table *t, const char *name, enum column_type type,
		      const char *const *cells)
{
	size_t n = t->column_count, cap = n;

	t->columns = arena_grow(t->arena, t->columns, n, &cap, sizeof(*t->columns));
	t->columns[n] = (struct column){.name = arena_strdup(t->arena, name),
					.label = arena_strdup(t->arena, name),
					.type = type,
					.priority = PRIORITY_MEDIUM};
	for (size_t r = 0; r < t->row_count; r++) {
		const char **row = arena_alloc(t->arena, (n + 1) * sizeof(*row));
		if (n > 0)
			memcpy(row, t->rows[r], n * sizeof(*row));
		row[n] = arena_strdup(t->arena, cells[r]);
		t->rows[r] = row;
	}
	if (t->stats) {
		cap = n;
		t->stats = arena_grow(t->arena, t->stats, n, &cap, sizeof(*t->stats));
		t->stats[n] = derived_stats(t, type, cells);
	}
	t->column_count++;
}

const char *column_type_name(enum column_type type)
{
	assert((size_t)type < TYPE_COUNT);
	return type_names[type];
}

bool column_type_parse(const char *name, enum column_type *out)
{
	for (size_t i = 0; i < TYPE_COUNT; i++) {
		if (strcmp(name, type_names[i]) == 0) {
			*out = (enum column_type)i;
			return true;
		}
	}
	return false;
}

bool column_is_number(enum column_type type)
{
	return type == COLUMN_INT || type == COLUMN_DECIMAL;
}

bool column_is_day(enum column_type type)
{
	return type == COLUMN_DATE || type == COLUMN_DATETIME;
}

static const char **row_narrowed(const char *const *row, const size_t *columns, size_t count,
				 struct arena *a)
{
	const char **cells = arena_alloc(a, (count + 1) * sizeof(*cells));

	for (size_t i = 0; i < count; i++)
		cells[i] = row[columns[i]];
	return cells;
}

const struct table *table_narrow(const struct table *t, const size_t *columns,
				 const char *const *names, size_t count, size_t rows,
				 struct arena *a)
{
	struct table *n = arena_alloc(a, sizeof(*n));

	*n = *t;
	n->arena = a;
	n->column_count = count;
	n->columns = arena_alloc(a, (count + 1) * sizeof(*n->columns));
	n->stats = t->stats ? arena_alloc(a, (count + 1) * sizeof(*n->stats)) : NULL;
	n->row_count = t->row_count < rows ? t->row_count : rows;
	n->rows = arena_alloc(a, (n->row_count + 1) * sizeof(*n->rows));
	for (size_t i = 0; i < count; i++) {
		n->columns[i] = t->columns[columns[i]];
		if (names && names[i])
			n->columns[i].name = names[i];
		if (n->stats)
			n->stats[i] = t->stats[columns[i]];
	}
	for (size_t r = 0; r < n->row_count; r++)
		n->rows[r] = row_narrowed(t->rows[r], columns, count, a);
	if (n->row_count < t->row_count && !t->truncated) {
		n->truncated = true;
		n->truncation = "row cap";
	}
	return n;
}
