/*
 * Titles of the rows that an answer shows, for follow-ups that refer to one (nlu.h). They are
 * stored with the permissions of their list, because a later message that keeps them must require
 * these too: it is hidden from readers without them, and removed with a deleted data source.
 */
#include "vesper/dialog.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/strlist.h"

static size_t title_count(const struct table *t)
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
	while (row < title_count(t) && is_title(t, row))
		row++;
	return row == title_count(t);
}

/* The only result with titles; NULL: none, or several, so that "the second one" is ambiguous. */
static const struct result *find_titled_result(const struct turn_work *w)
{
	const struct result *found = NULL;

	for (size_t i = 0; i < w->result_count; i++) {
		const struct result *r = w->results[i];

		if (r->outcome.kind != OUTCOME_ROWS || r->table_count == 0 ||
		    !has_titles(r->tables[0]))
			continue;
		if (found)
			return NULL;
		found = r;
	}
	return found;
}

/* Returns true when a filter of the turn is one of the titles: the answer is about that row. */
static bool is_about_row(const json_t *titles, const json_t *standing)
{
	const json_t *title;
	size_t i;

	json_array_foreach((json_t *)titles, i, title)
		if (nlu_filters_have(standing, json_string_value(title)))
			return true;
	return false;
}

static bool is_required(const struct turn_work *w, const char *permission)
{
	for (size_t i = 0; i < w->result_count; i++)
		if (w->results[i]->needs && strlist_has(w->results[i]->needs, permission))
			return true;
	return false;
}

static bool is_covered(const struct turn_work *w, const json_t *needs)
{
	const json_t *permission;
	size_t i;

	json_array_foreach((json_t *)needs, i, permission)
		if (!is_required(w, json_string_value(permission)))
			return false;
	return true;
}

/* Returns true when "the third one" still refers to the previous list: the turn has no results, its
 * answer is about a row of that list, or it has no list itself. The message then requires the
 * permissions of the list (answer_required_permissions). An answer about something else must
 * already require them.
 */
static bool keeps_previous(const struct dialog_turn *t, const json_t *before,
			   const struct table *table, const json_t *standing)
{
	const json_t *titles = json_object_get(before, "titles");
	bool about_row = is_about_row(titles, standing);

	if (!before)
		return false;
	if (!table)
		return about_row || t->work->result_count == 0 ||
		       is_covered(t->work, json_object_get(before, "needs"));
	/* details of a row, not a list of other entities */
	return about_row && json_array_size(titles) > 1 &&
	       (table->row_count == 1 ||
		!nlu_is_title(t->core->nlu, &t->core->may, t->core->who->tenant, table->rows[0][0],
			      t->core->arena));
}

static void set_rows(json_t *standing, const struct result *r)
{
	const struct table *table = r->tables[0];
	json_t *titles = json_array(), *needs = json_array(), *rows;

	for (size_t i = 0; i < title_count(table); i++)
		json_push_take(titles, json_str(table->rows[i][0]));
	/* A filter already names the only row. */
	if (json_array_size(titles) == 1 && is_about_row(titles, standing)) {
		json_decref(titles);
		json_decref(needs);
		return;
	}
	for (const char *const *p = r->needs; p && *p; p++)
		json_push_take(needs, json_str(*p));
	rows = json_object();
	json_set_take(rows, "titles", titles);
	json_set_take(rows, "needs", needs);
	json_set_take(standing, CONTEXT_ROWS, rows);
}

void rows_add_titles(const struct dialog_turn *t, json_t *standing)
{
	const json_t *before = json_object_get(t->context->standing, CONTEXT_ROWS);
	const struct result *r = find_titled_result(t->work);

	if (keeps_previous(t, before, r ? r->tables[0] : NULL, standing))
		json_object_set(standing, CONTEXT_ROWS, (json_t *)before);
	else if (r)
		set_rows(standing, r);
}
