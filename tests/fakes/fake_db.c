/* The scripted database. All data is in one arena, and answers are sent by timers of the loop. */
#include "fake_db.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "vesper/arena.h"
#include "vesper/mem.h"
#include "vesper/str.h"

#define FAKE_ARENA_BYTES    (16 << 20)
#define FAKE_STATEMENTS_MAX 4096
#define FAKE_COLUMNS_MAX    64

struct expectation {
	struct list node;
	const char *name;
	const char *values; /* NULL: any */
	const char *columns;
	const char **rows;
	size_t row_count;
	size_t row_size;
	int64_t total;
	struct err err;
	uint64_t delay_ms;
	bool stalls;
	bool always;
	bool met;
};

struct fake_db {
	struct loop *loop;
	struct arena *arena;
	struct db *db;
	struct list expectations;
	struct expectation *last; /* the one being described */
	struct list running;
	const char *received[FAKE_STATEMENTS_MAX];
	size_t received_count;
	size_t cancelled;
	const char *complaint;
};

struct running {
	struct op op;
	struct list node;
	struct fake_db *fake;
	struct timer *timer;
	struct table **tables;
	size_t count;
	struct err err;
	db_cb cb;
	void *owner;
};

static struct op *fake_query(void *self, const struct db_request *request, db_cb cb, void *owner);
static void fake_close(void *self);

static const struct db_driver driver = {.name = "fake", .query = fake_query, .close = fake_close};

struct fake_db *fake_db_new(struct loop *l, enum dialect dialect)
{
	struct fake_db *f = mem_alloc(sizeof(*f));

	f->loop = l;
	f->arena = arena_new(FAKE_ARENA_BYTES);
	f->db = db_from_driver(&driver, f, dialect);
	list_init(&f->expectations);
	list_init(&f->running);
	return f;
}

void fake_db_free(struct fake_db **fake)
{
	struct fake_db *f = *fake;

	if (!f)
		return;
	*fake = NULL;
	assert(list_empty(&f->running));
	arena_free(&f->arena);
	mem_free(f);
}

struct db *fake_db_db(struct fake_db *f)
{
	return f->db;
}

void fake_db_expect(struct fake_db *f, const char *name, const char *values)
{
	struct expectation *x = arena_alloc(f->arena, sizeof(*x));

	x->name = arena_strdup(f->arena, name);
	x->values = arena_strdup(f->arena, values);
	list_append(&f->expectations, &x->node);
	f->last = x;
}

void fake_db_always(struct fake_db *f)
{
	f->last->always = true;
}

void fake_db_columns(struct fake_db *f, const char *columns)
{
	f->last->columns = arena_strdup(f->arena, columns);
}

void fake_db_row(struct fake_db *f, const char *cells)
{
	struct expectation *x = f->last;

	assert(x->columns);
	if (x->row_count == x->row_size) {
		const char **old = x->rows;

		x->row_size = x->row_size ? x->row_size * 2 : 8;
		x->rows = arena_alloc(f->arena, x->row_size * sizeof(*x->rows));
		if (x->row_count > 0)
			memcpy(x->rows, old, x->row_count * sizeof(*old));
	}
	x->rows[x->row_count++] = arena_strdup(f->arena, cells);
}

void fake_db_total(struct fake_db *f, int64_t total_rows)
{
	f->last->total = total_rows;
}

void fake_db_fail(struct fake_db *f, enum err_code code, bool may_retry)
{
	err_set(&f->last->err, code, "%s: scripted", f->last->name);
	f->last->err.may_retry = may_retry;
}

void fake_db_delay(struct fake_db *f, uint64_t ms)
{
	f->last->delay_ms = ms;
}

void fake_db_stall(struct fake_db *f)
{
	f->last->stalls = true;
}

/* Received statements */

static const char *values_text(struct fake_db *f, const struct source_statement *s)
{
	struct buf text;
	const char *out;

	buf_init(&text, FAKE_ARENA_BYTES);
	for (size_t i = 0; i < s->count; i++) {
		const struct value *v = &s->values[i];

		if (i > 0)
			buf_char(&text, '|');
		if (v->type == VALUE_NULL)
			buf_str(&text, "NULL");
		else if (v->type == VALUE_INT || v->type == VALUE_BOOL)
			buf_printf(&text, "%" PRId64, v->number);
		else
			buf_str(&text, v->text);
	}
	out = arena_strdup(f->arena, buf_text(&text));
	buf_deinit(&text);
	return out;
}

static struct expectation *expectation_take(struct fake_db *f, const char *name)
{
	list_each(node, &f->expectations) {
		struct expectation *x = list_item(node, struct expectation, node);

		if ((x->always || !x->met) && strcmp(x->name, name) == 0) {
			x->met = true;
			return x;
		}
	}
	return NULL;
}

static void complain(struct fake_db *f, const char *what, const char *received,
		     const char *expected)
{
	if (!f->complaint)
		f->complaint =
			arena_printf(f->arena, "%s: %s%s%s", what, received,
				     expected ? ", expected " : "", expected ? expected : "");
}

/* The script's answer to a statement; NULL if the statement is not as expected. */
static struct expectation *statement_received(struct fake_db *f, const char *tenant,
					      const struct source_statement *s)
{
	const char *values = values_text(f, s);
	const char *received = arena_printf(f->arena, "%s %s(%s)", tenant, s->name, values);
	struct expectation *x = expectation_take(f, s->name);

	assert(f->received_count < FAKE_STATEMENTS_MAX);
	f->received[f->received_count++] = received;
	if (!x)
		complain(f, "unexpected statement", received, NULL);
	else if (x->values && strcmp(x->values, values) != 0)
		complain(f, "other values", received, x->values);
	else
		return x;
	return NULL;
}

/* Tables */

static void columns_make(struct table *t, const char *columns)
{
	struct str rest = str_of(columns);
	struct str column;

	t->columns = arena_alloc(t->arena, FAKE_COLUMNS_MAX * sizeof(*t->columns));
	while (str_split(&rest, '|', &column)) {
		struct column *c = &t->columns[t->column_count++];
		struct str name, type;

		assert(t->column_count <= FAKE_COLUMNS_MAX);
		str_split(&column, ':', &name);
		c->name = c->label = arena_strndup(t->arena, name.p, name.n);
		c->priority = PRIORITY_MEDIUM;
		if (str_split(&column, ':', &type)) {
			bool known = column_type_parse(arena_strndup(t->arena, type.p, type.n),
						       &c->type);

			assert(known);
		}
	}
}

static void row_make(struct table *t, size_t row, const char *cells, struct stats_collector *stats)
{
	struct str rest = str_of(cells);
	struct str cell;

	t->rows[row] = arena_alloc(t->arena, t->column_count * sizeof(*t->rows[row]));
	for (size_t i = 0; i < t->column_count; i++) {
		const char *text = NULL;

		if (str_split(&rest, '|', &cell) && cell.n > 0)
			text = arena_strndup(t->arena, cell.p, cell.n);
		t->rows[row][i] = text;
		stats_cell(stats, i, text, text ? cell.n : 0, column_is_number(t->columns[i].type));
	}
	stats_end_row(stats);
}

static struct table *table_make(const struct expectation *x)
{
	struct table *t = table_new(FAKE_ARENA_BYTES);
	struct stats_collector *stats;

	t->name = arena_strdup(t->arena, x->name);
	columns_make(t, x->columns);
	t->rows = arena_alloc(t->arena, (x->row_count + 1) * sizeof(*t->rows));
	stats = stats_new(t->column_count);
	for (size_t i = 0; i < x->row_count; i++)
		row_make(t, i, x->rows[i], stats);
	t->stats = stats_finish(stats, t->arena);
	stats_free(&stats);
	t->row_count = x->row_count;
	t->total_rows = x->total ? x->total : (int64_t)x->row_count;
	t->is_total_exact = true;
	t->truncated = t->total_rows > (int64_t)t->row_count;
	t->truncation = t->truncated ? "row cap" : NULL;
	return t;
}

/* Requests */

static void tables_free(struct running *r)
{
	for (size_t i = 0; i < r->count; i++)
		table_free(&r->tables[i]);
	r->count = 0;
}

static void finish(struct running *r)
{
	bool failed = r->err.code != ERR_NONE;

	list_remove(&r->node);
	timer_free(&r->timer);
	if (failed)
		tables_free(r);
	r->cb(r->owner, r->tables, r->count, failed ? &r->err : NULL);
}

static void on_due(void *owner)
{
	finish(owner);
}

static void on_cancel(struct op *op)
{
	struct running *r = list_item(op, struct running, op);

	r->fake->cancelled++;
	list_remove(&r->node);
	timer_free(&r->timer);
	tables_free(r);
}

/* Adds one statement's part of the answer. */
static void running_add(struct running *r, const struct expectation *x, bool *stalls,
			uint64_t *delay_ms)
{
	if (!x) {
		if (r->err.code == ERR_NONE)
			err_set(&r->err, ERR_INTERNAL, "%s", r->fake->complaint);
		return;
	}
	*stalls |= x->stalls;
	*delay_ms += x->delay_ms;
	if (x->err.code != ERR_NONE && r->err.code == ERR_NONE)
		r->err = x->err;
	if (x->columns)
		r->tables[r->count++] = table_make(x);
}

static struct op *fake_query(void *self, const struct db_request *request, db_cb cb, void *owner)
{
	struct fake_db *f = self;
	struct running *r = arena_alloc(f->arena, sizeof(*r));
	uint64_t delay_ms = 0;
	bool stalls = false;

	*r = (struct running){.op = {.cancel = on_cancel}, .fake = f, .cb = cb, .owner = owner};
	r->tables = arena_alloc(f->arena, (request->statement_count + 1) * sizeof(struct table *));
	r->timer = timer_new(f->loop, on_due, r);
	list_append(&f->running, &r->node);
	for (size_t i = 0; i < request->statement_count; i++)
		running_add(r, statement_received(f, request->tenant, &request->statements[i]),
			    &stalls, &delay_ms);
	if (stalls) {
		err_set_retry(&r->err, ERR_TIMEOUT, "the query passed its time limit");
		delay_ms = (uint64_t)request->timeout_ms;
	}
	if (!stalls || delay_ms > 0)
		timer_start(r->timer, delay_ms);
	return &r->op;
}

static void fake_close(void *self)
{
	struct fake_db *f = self;

	while (!list_empty(&f->running)) {
		struct running *r = list_item(f->running.next, struct running, node);

		err_set(&r->err, ERR_CANCELLED, "the database closed");
		finish(r);
	}
}

/* Queries of the test */

size_t fake_db_statements(const struct fake_db *f)
{
	return f->received_count;
}

size_t fake_db_unmet(const struct fake_db *f)
{
	size_t n = 0;

	list_each(node, &f->expectations) {
		const struct expectation *x = list_item(node, struct expectation, node);

		n += !x->met && !x->always;
	}
	return n;
}

size_t fake_db_cancelled(const struct fake_db *f)
{
	return f->cancelled;
}

const char *fake_db_complaint(const struct fake_db *f)
{
	return f->complaint;
}

const char *fake_db_statement(const struct fake_db *f, size_t n)
{
	return n < f->received_count ? f->received[n] : NULL;
}
