/*
 * Loads one dimension's names: first its watermark, then its pages, then the lexicon. Pages and
 * lexicon are processed on a worker. The new lexicon replaces the old one at once.
 */
#include "refresh_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

#define STATEMENT_BYTES 65536

/* NULL: all rows of the view belong to the tenant. */
static const char *tenant_filter(const struct name_refresh *r)
{
	return names_dimension(r)->one_tenant ? NULL : names_tenant(r);
}

/* The stored watermark of this tenant and dimension. */
static char **watermark_slot(struct name_refresh *r)
{
	return &r->tenant_states[r->tenant].watermarks[r->dimension];
}

/* ---- queries ---- */

static void query(struct name_refresh *r, const struct sql_bound *sql, source_cb cb)
{
	struct arena *a = arena_new(STATEMENT_BYTES);
	struct source_statement statement = {
		.name = arena_printf(a, "know/%s", names_dimension(r)->name),
		.text = sql->text,
		.values = sql->values,
		.count = sql->count,
		.sink = {.rows_max = NLU_PAGE_ROWS, .stats = true},
	};
	struct source_call call = {.tenant = names_tenant(r), .statements = &statement, .count = 1};
	struct source *s = names_source_of(r);

	r->query = s->start(s, &call, cb, r);
	arena_free(&a);
}

/* The column with the target of each value, or with its parent when that is in the same view. */
static const char *parent_column(const struct name_refresh *r)
{
	const struct dimension_def *d = names_dimension(r), *parent;

	if (d->resolves)
		return d->by;
	parent = d->parent ? catalog_dimension(names_book(r)->catalog, d->parent) : NULL;
	return parent && parent->view && strcmp(parent->view, d->view) == 0 ? parent->column : NULL;
}

static void on_page(void *owner, struct source_batch *batches, size_t count, const struct err *e);

static void read_page(struct name_refresh *r)
{
	const struct dimension_def *d = names_dimension(r);
	struct sql_values values = {.view = d->view,
				    .column = d->column,
				    .parent = parent_column(r),
				    .after = r->after,
				    .cap = NLU_PAGE_ROWS};
	struct arena *a = arena_new(STATEMENT_BYTES);
	struct sql_bound sql;
	struct err e = {0};

	if (sql_distinct(&values, tenant_filter(r), names_source_of(r)->dialect, a, &sql, &e)) {
		query(r, &sql, on_page);
	} else {
		log_warn("names.load", "%s: %s", d->name, e.text);
		names_load_failed(r, &e);
	}
	arena_free(&a);
}

static void begin_reading(struct name_refresh *r)
{
	lexicon_build_free(&r->build);
	r->build = lexicon_build_new();
	mem_free(r->after);
	r->after = NULL;
	r->repeated_rows = 0;
	read_page(r);
}

/* ---- on the worker: adding pages, building the lexicon ---- */

/* With parents, a page begins with the last rows of the previous page. */
static bool add_rows(struct names_job *j)
{
	const struct table *t = j->page;

	for (size_t i = j->repeated_rows; i < t->row_count; i++) {
		const char *value = t->rows[i][0];
		const char *parent = t->column_count > 1 ? t->rows[i][1] : NULL;

		if (value && *value && !lexicon_build_add(j->build, value, parent))
			return false;
	}
	return true;
}

static void run_job(struct pool_job *job)
{
	struct names_job *j = (struct names_job *)job;

	if (j->page)
		j->fits = add_rows(j);
	else
		j->lexicon = lexicon_new(&j->build, LEXICON_FROM_DATA, &j->cancelled);
}

static void on_job(struct pool_job *job);

static void submit(struct name_refresh *r, struct table *page)
{
	struct names_job *j = mem_alloc(sizeof(*j));

	*j = (struct names_job){.job = {.run = run_job, .done = on_job},
				.refresh = r,
				.build = r->build,
				.page = page,
				.repeated_rows = r->repeated_rows};
	r->build = NULL;
	r->job = j;
	pool_submit(r->pool, &j->job);
}

static void free_job(struct names_job *j)
{
	table_free(&j->page);
	lexicon_build_free(&j->build);
	lexicon_unref(&j->lexicon);
	mem_free(j);
}

/* The number of rows at the end of the page that have its last value. */
static size_t count_last_rows(const struct table *t)
{
	const char *last = t->rows[t->row_count - 1][0];
	size_t n = 1;

	while (n < t->row_count && strcmp(t->rows[t->row_count - 1 - n][0], last) == 0)
		n++;
	return n;
}

/* Stores the position after the page. Returns true when there may be more rows. */
static bool record_page_end(struct name_refresh *r, const struct table *t)
{
	size_t last;

	if (t->row_count < NLU_PAGE_ROWS)
		return false;
	last = count_last_rows(t);
	if (last == t->row_count)
		/* one value fills a page with its parents, so paging cannot continue */
		return false;
	mem_free(r->after);
	r->after = mem_strdup(t->rows[t->row_count - 1][0]);
	r->repeated_rows = t->column_count > 1 ? last : 0;
	return true;
}

/* Returns true when the values are unchanged, as usual; then no lexicon is built. */
static bool is_unchanged(const struct name_refresh *r, const struct lexicon_build *b)
{
	const struct lexicon *l = entity_index_get(names_book(r), names_tenant(r), r->dimension);

	return l && l->count == lexicon_build_count(b) && l->hash == lexicon_build_hash(b);
}

static void use_lexicon(struct name_refresh *r, const struct lexicon *l)
{
	log_debug("names.load", "tenant %s: %zu values of %s", names_tenant(r), l ? l->count : 0,
		  names_dimension(r)->name);
	entity_index_set(names_book(r), names_tenant(r), r->dimension, l);
}

static void store_watermark(struct name_refresh *r)
{
	mem_free(*watermark_slot(r));
	*watermark_slot(r) = r->watermark;
	r->watermark = NULL;
}

static void fail_too_many(struct name_refresh *r)
{
	struct err e = {0};

	err_set(&e, ERR_LIMIT, "more than %d values, or values that are too long", NLU_VALUES_MAX);
	log_warn("names.load", "tenant %s: %s: %s", names_tenant(r), names_dimension(r)->name,
		 e.text);
	names_load_failed(r, &e);
}

static void on_page_added(struct name_refresh *r, struct names_job *j)
{
	bool more = record_page_end(r, j->page);

	r->build = j->build;
	j->build = NULL;
	if (!j->fits) {
		fail_too_many(r);
	} else if (more) {
		read_page(r);
	} else if (is_unchanged(r, r->build)) {
		lexicon_build_free(&r->build);
		store_watermark(r);
		names_load_done(r);
	} else {
		submit(r, NULL);
	}
}

static void on_job(struct pool_job *job)
{
	struct names_job *j = (struct names_job *)job;
	struct name_refresh *r = j->refresh;

	if (!j->cancelled) {
		r->job = NULL;
		if (j->page) {
			on_page_added(r, j);
		} else {
			use_lexicon(r, j->lexicon);
			j->lexicon = NULL;
			store_watermark(r);
			names_load_done(r);
		}
	}
	free_job(j);
}

static void on_page(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct name_refresh *r = owner;
	struct err page_error = {0};

	r->query = NULL;
	if (!e && count == 1 && !batches[0].table->truncated) {
		submit(r, batches[0].table);
		return;
	}
	source_batches_free(batches, count);
	if (!e)
		err_set(&page_error, ERR_LIMIT, "a page of names was truncated");
	names_load_failed(r, e ? e : &page_error);
}

/* ---- watermarks ---- */

static void on_watermark(void *owner, struct source_batch *batches, size_t count,
			 const struct err *e)
{
	struct name_refresh *r = owner;
	const struct table *t = !e && count == 1 ? batches[0].table : NULL;

	r->query = NULL;
	mem_free(r->watermark);
	r->watermark = NULL;
	if (t && t->row_count == 1 && t->column_count == 2) {
		const char *const *cells = t->rows[0];

		r->watermark =
			mem_printf("%s %s", cells[0] ? cells[0] : "", cells[1] ? cells[1] : "");
	}
	source_batches_free(batches, count);
	if (e)
		names_load_failed(r, e);
	else if (r->watermark && *watermark_slot(r) &&
		 strcmp(r->watermark, *watermark_slot(r)) == 0)
		names_load_done(r);
	else
		begin_reading(r);
}

void names_load(struct name_refresh *r)
{
	const struct dimension_def *d = names_dimension(r);
	struct arena *a = arena_new(STATEMENT_BYTES);
	struct sql_bound sql;
	struct err e = {0};

	mem_free(r->watermark);
	r->watermark = NULL;
	if (d->watermark && sql_watermark(d->view, d->watermark, tenant_filter(r),
					  names_source_of(r)->dialect, a, &sql, &e))
		query(r, &sql, on_watermark);
	else
		begin_reading(r);
	arena_free(&a);
}

void names_load_cancel(struct name_refresh *r)
{
	op_cancel(&r->query);
	if (r->job)
		r->job->cancelled = true;
	r->job = NULL;
	lexicon_build_free(&r->build);
	mem_free(r->after);
	mem_free(r->watermark);
	r->after = r->watermark = NULL;
}
