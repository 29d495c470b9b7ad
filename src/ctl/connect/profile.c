/* Profiles the columns of each table with a sample. */
#include <stdlib.h>
#include <string.h>

#include "connect_int.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/str.h"

/* Runs a statement. If it fails while the server is still reachable, only its result is missing;
 * the run continues. */
static bool query_table(struct connect *c, struct connect_table *t, const char *sql, size_t max,
			struct arena *a, struct server_cells *out, struct err *e)
{
	struct server_cells alive;
	struct err why;

	*out = (struct server_cells){0};
	if (t->statements == CONNECT_STATEMENTS_MAX)
		return true;
	t->statements++;
	if (connect_rows(c, sql, max, a, out, &why))
		return true;
	if (!connect_rows(c, "SELECT 1", 1, c->a, &alive, e))
		return err_prefix(e, "connection lost");
	if (!t->profile_error) {
		t->profile_error = arena_strdup(c->a, why.text);
		connect_note(c, "table", t->name, NULL, "profile incomplete: %s", why.text);
	}
	return true;
}

static int64_t read_count(const struct server_cells *rows)
{
	const char *text = server_cell(rows, 0, 0);

	return text ? (int64_t)strtod(text, NULL) : 0;
}

static bool count_rows(struct connect *c, struct connect_table *t, struct err *e)
{
	const char *estimate = server_dialect(c->server) == DIALECT_POSTGRES
				       ? "SELECT reltuples FROM pg_class WHERE oid = '%s'::regclass"
				       : "SELECT SUM(rows) FROM sys.partitions WHERE index_id < 2 "
					 "AND object_id = OBJECT_ID('%s')";
	const char *mark = strstr(estimate, "%s");
	const char *name = connect_table_sql(c, t);
	struct server_cells rows;

	if (!query_table(c, t,
			 arena_printf(c->a, "%.*s%s%s", (int)(mark - estimate), estimate, name,
				      mark + 2),
			 1, c->a, &rows, e))
		return false;
	t->rows = read_count(&rows);
	t->rows_estimated = t->rows > CONNECT_EXACT_ROWS_MAX;
	if (t->rows_estimated)
		return true;
	if (!query_table(c, t, arena_printf(c->a, "SELECT COUNT(*) FROM %s", name), 1, c->a, &rows,
			 e))
		return false;
	t->rows = read_count(&rows);
	return true;
}

static const char *column_list(const struct connect *c, const struct connect_table *t)
{
	const char *list = "";

	for (size_t i = 0; i < t->column_count; i++)
		list = arena_printf(c->a, "%s%s%s", list, i ? ", " : "",
				    connect_quoted(c, t->columns[i].name));
	return list;
}

static bool read_sample(struct connect *c, struct connect_table *t, struct err *e)
{
	struct server_cells *sample = arena_alloc(c->a, sizeof(*sample));

	if (!query_table(c, t,
			 connect_limited(c, column_list(c, t), connect_table_sql(c, t),
					 CONNECT_SAMPLE_ROWS),
			 CONNECT_SAMPLE_ROWS, c->a, sample, e))
		return false;
	t->sample = sample;
	t->sampled = sample->rows;
	return true;
}

/* ---- one column ---- */

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_number(enum connect_family f)
{
	return f == FAMILY_INT || f == FAMILY_DECIMAL;
}

static int compare_values(enum connect_family f, const char *a, const char *b)
{
	double x, y;

	if (!is_number(f))
		return strcmp(a, b);
	x = strtod(a, NULL);
	y = strtod(b, NULL);
	return (x > y) - (x < y);
}

static bool is_short(const char *text)
{
	return *text && strlen(text) <= CONNECT_VALUE_BYTES_MAX && utf8_valid(text, strlen(text));
}

/* Keeps the distinct values of sorted texts, if they are few and short. */
static void store_values(struct connect *c, struct connect_column *col, const char **sorted,
			 size_t count)
{
	const char **values;
	size_t n = 0;

	if (col->distinct == 0 || col->distinct > CONNECT_VALUES_MAX)
		return;
	values = arena_alloc(c->a, (col->distinct + 1) * sizeof(*values));
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && strcmp(sorted[i - 1], sorted[i]) == 0)
			continue;
		if (!is_short(sorted[i]))
			return;
		values[n++] = sorted[i];
	}
	col->values = values;
	col->value_count = n;
}

static void profile_column(struct connect *c, const struct connect_table *t, size_t at)
{
	struct connect_column *col = &t->columns[at];
	const char **texts = mem_alloc((t->sampled + 1) * sizeof(*texts));
	size_t n = 0;

	for (size_t row = 0; row < t->sampled; row++) {
		const char *cell = server_cell(t->sample, row, at);

		if (!cell) {
			col->nulls++;
			continue;
		}
		texts[n++] = cell;
		if (!col->min_value || compare_values(col->family, cell, col->min_value) < 0)
			col->min_value = cell;
		if (!col->max_value || compare_values(col->family, cell, col->max_value) > 0)
			col->max_value = cell;
	}
	qsort(texts, n, sizeof(*texts), compare_texts);
	for (size_t i = 0; i < n; i++)
		col->distinct += i == 0 || strcmp(texts[i - 1], texts[i]) != 0;
	col->unique = n == t->sampled && n > 0 && col->distinct == n;
	store_values(c, col, texts, n);
	col->all_values = col->values && (int64_t)t->sampled >= t->rows;
	mem_free(texts);
}

/* ---- whole tables ---- */

/* Reads all values of a column that has few in the sample. */
static bool read_values(struct connect *c, struct connect_table *t, struct connect_column *col,
			struct err *e)
{
	const char *name = connect_quoted(c, col->name);
	struct server_cells rows;
	const char **values;
	const char *items = arena_printf(c->a, "DISTINCT %s", name);
	const char *rest =
		arena_printf(c->a, "%s WHERE %s IS NOT NULL", connect_table_sql(c, t), name);
	const char *sql = server_dialect(c->server) == DIALECT_MSSQL
				  ? arena_printf(c->a, "SELECT DISTINCT TOP (%d) %s FROM %s",
						 CONNECT_VALUES_MAX + 1, name, rest)
				  : connect_limited(c, items, rest, CONNECT_VALUES_MAX + 1);

	if (!query_table(c, t, sql, CONNECT_VALUES_MAX + 1, c->a, &rows, e))
		return false;
	col->values = NULL;
	col->value_count = 0;
	if (rows.rows == 0 || rows.rows > CONNECT_VALUES_MAX) {
		col->distinct = rows.rows > col->distinct ? rows.rows : col->distinct;
		return true;
	}
	values = arena_alloc(c->a, (rows.rows + 1) * sizeof(*values));
	for (size_t i = 0; i < rows.rows; i++)
		values[i] = server_cell(&rows, i, 0);
	qsort(values, rows.rows, sizeof(*values), compare_texts);
	col->distinct = rows.rows;
	store_values(c, col, values, rows.rows);
	col->all_values = col->values != NULL;
	return true;
}

/* Reads the full range of the date columns, because tables are often stored in date order. */
static bool read_date_ranges(struct connect *c, struct connect_table *t, struct err *e)
{
	const char *items = "";
	struct server_cells rows;
	size_t at = 0;

	for (size_t i = 0; i < t->column_count; i++) {
		const char *name = connect_quoted(c, t->columns[i].name);

		if (t->columns[i].family == FAMILY_DATE || t->columns[i].family == FAMILY_DATETIME)
			items = arena_printf(c->a, "%s%sMIN(%s), MAX(%s)", items,
					     *items ? ", " : "", name, name);
	}
	if (!*items)
		return true;
	if (!query_table(c, t,
			 arena_printf(c->a, "SELECT %s FROM %s", items, connect_table_sql(c, t)), 1,
			 c->a, &rows, e))
		return false;
	for (size_t i = 0; rows.rows == 1 && i < t->column_count; i++)
		if (t->columns[i].family == FAMILY_DATE ||
		    t->columns[i].family == FAMILY_DATETIME) {
			t->columns[i].min_value = server_cell(&rows, 0, at++);
			t->columns[i].max_value = server_cell(&rows, 0, at++);
		}
	return true;
}

static bool profile_details(struct connect *c, struct connect_table *t, struct err *e)
{
	if ((int64_t)t->sampled >= t->rows)
		return true;
	if (!read_date_ranges(c, t, e))
		return false;
	for (size_t i = 0; i < t->column_count; i++)
		if (t->columns[i].values && t->columns[i].family == FAMILY_TEXT &&
		    !read_values(c, t, &t->columns[i], e))
			return false;
	return true;
}

bool connect_profile(struct connect *c, struct err *e)
{
	for (size_t i = 0; i < c->table_count; i++) {
		struct connect_table *t = &c->tables[i];

		if (!connect_in_time(
			    c, arena_printf(c->a, "table %zu of %zu", i + 1, c->table_count), e) ||
		    !count_rows(c, t, e) || !read_sample(c, t, e))
			return err_prefix(e, "%s", t->name);
		for (size_t k = 0; k < t->column_count; k++)
			profile_column(c, t, k);
		if (!profile_details(c, t, e))
			return err_prefix(e, "%s", t->name);
		if (arena_over(c->a))
			return err_set(e, ERR_LIMIT,
				       "the samples need too much memory; select fewer tables with "
				       "--tables");
	}
	return true;
}
