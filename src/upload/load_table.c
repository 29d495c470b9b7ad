/*
 * Loads a table: detects the file's columns, applies the owner's answers, then copies block after
 * block. A worker reads each block, and the loader's login writes it.
 */
#include "upload_int.h"

#include <malloc.h>
#include <string.h>

#include "vesper/db.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

/* From this many rows on, indexes need more memory than the statistics have freed. So the freed
 * memory is returned to the system first. Smaller tables skip malloc_trim, which stops each thread
 * for a moment. */
#define TRIMMED_ROWS 200000

#define ANSWER_DAYS   "dmy"
#define ANSWER_MONTHS "mdy"
#define ANSWER_POINT  "point"
#define ANSWER_COMMA  "comma"
#define ANSWER_TEXT   "text"

/* ---- reading the file's columns ---- */

static void apply_answer(struct shape_column *c, const char *answer)
{
	enum type_question asked = c->question;

	c->question = QUESTION_NONE;
	if (strcmp(answer, ANSWER_TEXT) == 0)
		c->form = (struct cell_form){.type = COLUMN_TEXT};
	else if (asked == QUESTION_DAY_OR_MONTH)
		c->form.month_first = strcmp(answer, ANSWER_MONTHS) == 0;
	else
		c->form.comma = strcmp(answer, ANSWER_COMMA) == 0;
}

static void apply_answers(struct load *l)
{
	json_t *answers = NULL;
	struct err e;

	if (!l->answers || !json_parse(l->answers, strlen(l->answers),
				       DATA_SOURCE_PROFILE_BYTES_MAX, &answers, &e))
		return;
	for (size_t i = 0; i < l->shape.column_count; i++) {
		struct shape_column *c = &l->shape.columns[i];
		const char *answer = json_string_value(json_object_get(answers, c->name));

		if (answer && c->question != QUESTION_NONE)
			apply_answer(c, answer);
	}
	json_decref(answers);
}

static void read_table(struct load *l)
{
	if (shape_read(&l->options, l->arena, &l->shape, &l->fault, &l->err))
		apply_answers(l);
}

const struct shape_column *load_open_question(const struct load *l)
{
	for (size_t i = 0; i < l->shape.column_count; i++)
		if (l->shape.columns[i].question != QUESTION_NONE)
			return &l->shape.columns[i];
	return NULL;
}

/* ---- a block ---- */

/* The values to bind: tenant_id, row_no and the cells of each row. */
static struct value *bound_rows(struct load *l, size_t first, size_t count)
{
	size_t n = l->shape.column_count, width = n + UPLOAD_SYSTEM_COLUMNS;
	struct value *all = arena_alloc(l->block.arena, count * width * sizeof(*all));

	for (size_t i = 0; i < count; i++) {
		struct value *row = &all[i * width];

		row[0] = value_text(l->tenant->name);
		row[1] = value_int(l->rows + (int64_t)(first + i) + 1);
		memcpy(&row[UPLOAD_SYSTEM_COLUMNS], &l->block.values[(first + i) * n],
		       n * sizeof(*row));
	}
	return all;
}

/* `rows` is a power of two. */
static const char *insert_text(struct load *l, size_t rows)
{
	const char **text = &l->inserts[__builtin_ctzl(rows)];

	if (!*text)
		*text = sql_upload_insert(&l->table, rows, l->tenant->all->dialect, l->arena);
	return *text;
}

static void make_statements(struct load *l)
{
	enum dialect d = l->tenant->all->dialect;
	size_t left = l->block.count, cap = 0;

	l->statements.count = 0;
	l->statements.items = NULL;
	for (size_t at = 0, rows; left > 0; at += rows, left -= rows) {
		rows = sql_upload_insert_rows(&l->table, left, d);
		l->statements.items =
			arena_grow(l->block.arena, l->statements.items, l->statements.count, &cap,
				   sizeof(*l->statements.items));
		l->statements.items[l->statements.count++] = (struct source_statement){
			.name = "uploads/insert",
			.text = insert_text(l, rows),
			.values = bound_rows(l, at, rows),
			.count = rows * (l->shape.column_count + UPLOAD_SYSTEM_COLUMNS)};
	}
}

static bool open_table(struct load *l)
{
	if (!shape_reader_open(&l->options, &l->shape, &l->reader, &l->err))
		return false;
	l->profile = profile_new(&l->shape);
	return true;
}

static bool next_rows(struct load *l)
{
	if (!shape_reader_next(l->reader, profile_add_mismatch, l->profile, &l->block, &l->fault,
			       &l->err))
		return false;
	l->bytes = shape_reader_bytes(l->reader);
	for (size_t i = 0; i < l->block.count; i++)
		profile_row(l->profile, &l->block.values[i * l->shape.column_count]);
	return true;
}

static void write_block(struct load *l);

static void run_block(struct load *l)
{
	l->kind->next(l);
}

static void bind_block(struct load *l)
{
	load_run(l, make_statements, write_block);
}

static void on_block(struct load *l)
{
	if (l->kind->complete)
		l->kind->complete(l, bind_block);
	else
		bind_block(l);
}

static void next_block(struct load *l)
{
	load_run(l, run_block, on_block);
}

static void on_written(void *owner, struct table **tables, size_t count, const struct err *e)
{
	struct load *l = owner;

	(void)tables;
	(void)count;
	l->op = NULL;
	if (e) {
		l->err = *e;
		load_fail(l);
		return;
	}
	l->rows += (int64_t)l->block.count;
	next_block(l);
}

static struct op *write(struct load *l, const struct source_statement *statements, size_t count,
			db_cb cb)
{
	const struct db_request r = {.tenant = l->tenant->name,
				     .statements = statements,
				     .statement_count = count,
				     .write = true,
				     .timeout_ms = DATA_SOURCE_LOAD_MS};

	return db_query(l->tenant->all->options.loader, &r, cb, l);
}

static void profile_table(struct load *l)
{
	l->profile_text = profile_json(l->profile, l->arena);
	profile_free(&l->profile);
	shape_reader_free(&l->reader);
	if (l->rows >= TRIMMED_ROWS)
		malloc_trim(0); /* indexes need as much memory again, in other blocks */
}

const struct load_kind table_load_kind = {
	.prefix = UPLOAD_TABLES,
	.open = open_table,
	.next = next_rows,
	.read = read_table,
	.profile = profile_table,
};

static void make_index(struct load *l);

static void on_indexed(void *owner, struct table **tables, size_t count, const struct err *e)
{
	struct load *l = owner;

	(void)tables;
	(void)count;
	l->op = NULL;
	if (e) {
		l->err = *e;
		load_fail(l);
		return;
	}
	make_index(l);
}

static void add_index(struct load *l, const char *text)
{
	if (text)
		l->indexes.texts[l->indexes.count++] = text;
}

static void add_cover(struct load *l, const struct upload_cover *c)
{
	add_index(l, sql_upload_covering_index(&l->table, l->indexes.count, c->column, c->sums,
					       c->sum_count, l->tenant->all->dialect, l->arena));
}

static size_t read_covers(const struct load *l,
			  struct upload_cover out[UPLOAD_COVERING_INDEXES_MAX])
{
	json_t *profile;
	struct err e;
	size_t n;

	if (l->tenant->all->dialect != DIALECT_SQLITE || !l->profile_text ||
	    !json_parse(l->profile_text, strlen(l->profile_text), DATA_SOURCE_PROFILE_BYTES_MAX,
			&profile, &e))
		return 0;
	n = profile_covers(json_object_get(profile, "columns"), l->rows, out);
	json_decref(profile);
	return n;
}

/* Indexes for the columns that questions filter or group by. */
static void list_indexes(struct load *l)
{
	struct upload_cover covers[UPLOAD_COVERING_INDEXES_MAX];
	size_t n = read_covers(l, covers);

	for (size_t i = 0; i < l->table.count && l->indexes.count < DATA_SOURCE_INDEXES_MAX &&
			   l->indexes.count + n < UPLOAD_INDEXES_MAX;
	     i++) {
		bool covered = false;

		for (size_t k = 0; k < n; k++)
			covered = covered || covers[k].column == i;
		if (!covered && column_is_day(l->table.columns[i].type))
			add_index(l, sql_upload_index(&l->table, l->indexes.count, i,
						      l->tenant->all->dialect, l->arena));
	}
	for (size_t i = 0; i < n; i++)
		add_cover(l, &covers[i]);
}

/* One index per transaction, so that the database's log holds at most one. */
static void make_index(struct load *l)
{
	const struct source_statement one = {.name = "uploads/index",
					     .text = l->indexes.texts[l->indexes.done]};

	if (l->indexes.done == l->indexes.count) {
		load_finish(l);
		return;
	}
	l->indexes.done++;
	l->op = write(l, &one, 1, on_indexed);
}

static void make_indexes(struct load *l)
{
	if (l->kind == &table_load_kind)
		list_indexes(l);
	make_index(l);
}

static void write_block(struct load *l)
{
	if (l->block.count == 0)
		load_run(l, l->kind->profile, make_indexes);
	else
		l->op = write(l, l->statements.items, l->statements.count, on_written);
}

/* ---- the table ---- */

static void on_made(void *owner, struct table **tables, size_t count, const struct err *e)
{
	struct load *l = owner;

	(void)tables;
	(void)count;
	l->op = NULL;
	if (e)
		l->err = *e;
	if (e || !l->kind->open(l))
		load_fail(l);
	else
		next_block(l);
}

void load_make_table(struct load *l)
{
	size_t n = l->shape.column_count;
	struct upload_column *columns = arena_alloc(l->arena, (n + 1) * sizeof(*columns));
	struct source_statement list[UPLOAD_CREATES_MAX];
	const char *texts[UPLOAD_CREATES_MAX];
	size_t count;

	for (size_t i = 0; i < n; i++) {
		const struct shape_column *c = &l->shape.columns[i];

		columns[i] = (struct upload_column){c->name, c->form.type,
						    c->form.digits > 0 ? c->form.digits : 1,
						    c->form.scale};
	}
	l->table.columns = columns;
	l->table.count = n;
	if (!sql_upload_check(&l->table, &l->err)) {
		load_fail(l);
		return;
	}
	count = sql_upload_create(&l->table, l->tenant->all->dialect, l->arena, texts);
	for (size_t i = 0; i < count; i++)
		list[i] = (struct source_statement){.name = "uploads/create", .text = texts[i]};
	l->op = write(l, list, count, on_made);
}
