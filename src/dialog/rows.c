/* Titles of the rows that an answer shows, for follow-ups that refer to one (know.h). */
#include "vesper/dialog.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

static size_t rows_named(const struct table *t)
{
	return t->row_count < ROWS_NAMED_MAX ? t->row_count : ROWS_NAMED_MAX;
}

static bool is_title(const struct table *t, size_t row)
{
	const char *cell = t->rows[row][0];

	if (!cell || !*cell || strlen(cell) > ROW_TITLE_BYTES)
		return false;
	for (size_t i = 0; i < row; i++)
		if (strcmp(t->rows[i][0], cell) == 0)
			return false;
	return true;
}

/* Lists begin with a column of names, which differ from row to row. */
static bool has_titles(const struct table *t)
{
	size_t row = 0;

	if (t->row_count == 0 || t->column_count == 0 || t->columns[0].type != COLUMN_TEXT)
		return false;
	while (row < rows_named(t) && is_title(t, row))
		row++;
	return row == rows_named(t);
}

/* The only table with titles; NULL: none, or several, of which no row is "the second one". */
static const struct table *titled(const struct turn_work *w)
{
	const struct table *found = NULL;

	for (size_t i = 0; i < w->result_count; i++) {
		const struct result *r = w->results[i];

		if (r->outcome.kind != OUTCOME_ROWS || r->table_count == 0 ||
		    !has_titles(r->tables[0]))
			continue;
		if (found)
			return NULL;
		found = r->tables[0];
	}
	return found;
}

static bool is_one_of(const json_t *titles, const json_t *value)
{
	const json_t *title;
	size_t i;

	json_array_foreach((json_t *)titles, i, title)
		if (json_equal(title, value))
			return true;
	return false;
}

/* Returns true when a filter of the turn is one of the titles: the answer is about that row. */
static bool is_about_row(const json_t *titles, const json_t *filters)
{
	const json_t *value;
	const char *name;

	json_object_foreach((json_t *)filters, name, value)
		if (is_one_of(titles, value))
			return true;
	return false;
}

/* Returns true when the table has details of one row of the list before: "the third one" still
 * refers to that list. A table of other entities is a new list. */
static bool keeps_list(const struct dialog_turn *t, const json_t *before, const struct table *table,
		       const json_t *standing)
{
	return json_array_size(before) > 1 &&
	       is_about_row(before, json_object_get(standing, "filters")) &&
	       (table->row_count == 1 ||
		!know_is_title(t->core->know, &t->core->may, t->core->who->tenant,
			       table->rows[0][0], t->core->arena));
}

void rows_put(const struct dialog_turn *t, json_t *standing)
{
	const json_t *before = json_object_get(t->context->standing, CONTEXT_ROWS);
	const struct table *table = titled(t->work);
	const json_t *filters = json_object_get(standing, "filters");
	json_t *titles;

	if (before && (!table || keeps_list(t, before, table, standing))) {
		json_object_set(standing, CONTEXT_ROWS, (json_t *)before);
		return;
	}
	if (!table)
		return;
	titles = json_array();
	for (size_t i = 0; i < rows_named(table); i++)
		json_push_take(titles, json_str(table->rows[i][0]));
	/* A filter stands for the only row already. */
	if (json_array_size(titles) == 1 && is_about_row(titles, filters))
		json_decref(titles);
	else
		json_set_take(standing, CONTEXT_ROWS, titles);
}
