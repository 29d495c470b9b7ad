/*
 * Keeps the learned names as the data have them. One query runs at a time: the warehouse belongs to
 * the questions, and a name that is known a second later harms nobody. Until a tenant's names are
 * there its questions are read as without them.
 */
#include "vesper/know.h"

#include <string.h>

#include "know_int.h"
#include "vesper/db.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/loop.h"
#include "vesper/mem.h"
#include "vesper/sql.h"

#define STATEMENT_BYTES 65536

struct know_refresh {
	struct db *warehouse;
	const char *const *tenants;
	struct know *know;        /* NULL: none is used yet */
	size_t tenant, dimension; /* the next to be read */
	struct timer *timer;
	struct op *query; /* what runs now, or NULL */
};

static void read_next(struct know_refresh *r);

/* Does a tool take such names, and has the catalogue none of its own? */
static bool is_wanted(const struct catalog *c, const struct dimension_def *d)
{
	if (!d->view || !d->column || (d->values && d->values[0]))
		return false;
	for (size_t t = 0; t < c->tool_count; t++)
		for (size_t p = 0; p < c->tools[t].param_count; p++) {
			const char *entity = c->tools[t].params[p].entity;

			if (entity && strcmp(entity, d->name) == 0)
				return true;
		}
	return false;
}

static void learn(struct know_refresh *r, const struct table *t)
{
	const struct dimension_def *d = &r->know->catalog->dimensions[r->dimension];
	const char *tenant = r->tenants[r->tenant];
	const char **values = mem_alloc((t->row_count + 1) * sizeof(*values));
	size_t count = t->truncated ? 0 : t->row_count;

	for (size_t i = 0; i < count; i++)
		values[i] = t->rows[i][0];
	if (!know_learn(r->know, tenant, d->name, values, count) || t->truncated)
		log_warn("know.names", "tenant %s: too many values of %s to know them by name",
			 tenant, d->name);
	else
		log_debug("know.names", "tenant %s: %zu values of %s", tenant, count, d->name);
	mem_free(values);
}

static void on_values(void *owner, struct table **tables, size_t count, const struct err *e)
{
	struct know_refresh *r = owner;

	r->query = NULL;
	if (!e && count == 1 && tables[0]->column_count == 1)
		learn(r, tables[0]);
	for (size_t i = 0; i < count; i++)
		table_free(&tables[i]);
	if (e) {
		/* Whether a warehouse is up is told by its health check. */
		log_debug("know.names", "tenant %s: %s", r->tenants[r->tenant], e->text);
		r->tenant++;
		r->dimension = 0;
	} else {
		r->dimension++;
	}
	read_next(r);
}

static bool query(struct know_refresh *r, const struct dimension_def *d)
{
	const char *tenant = r->tenants[r->tenant];
	struct arena *a = arena_new(STATEMENT_BYTES);
	struct sql_bound sql;
	struct err e = {0};
	bool good = sql_distinct(d->view, d->column, tenant, KNOW_VALUES_MAX + 1,
				 db_dialect(r->warehouse), a, &sql, &e);

	if (good) {
		struct db_statement statement = {.name = arena_printf(a, "know/%s", d->name),
						 .text = sql.text,
						 .values = sql.values,
						 .count = sql.count};
		struct db_request request = {.tenant = tenant,
					     .statements = &statement,
					     .statement_count = 1,
					     .max_rows = KNOW_VALUES_MAX + 1};

		r->query = db_query(r->warehouse, &request, on_values, r);
	} else {
		log_warn("know.names", "%s: %s", d->name, e.text);
	}
	arena_free(&a);
	return good;
}

/* Starts the next query, or waits for the next time when there is none left. */
static void read_next(struct know_refresh *r)
{
	const struct catalog *c = r->know->catalog;

	for (; r->tenants[r->tenant]; r->tenant++, r->dimension = 0)
		for (; r->dimension < c->dimension_count; r->dimension++)
			if (is_wanted(c, &c->dimensions[r->dimension]) &&
			    query(r, &c->dimensions[r->dimension]))
				return;
	timer_start(r->timer, KNOW_REFRESH_MS);
}

static void on_time(void *owner)
{
	struct know_refresh *r = owner;

	r->tenant = 0;
	r->dimension = 0;
	read_next(r);
}

struct know_refresh *know_refresh_new(struct loop *l, struct db *warehouse,
				      const char *const *tenants)
{
	struct know_refresh *r = mem_alloc(sizeof(*r));

	*r = (struct know_refresh){.warehouse = warehouse, .tenants = tenants};
	r->timer = timer_new(l, on_time, r);
	return r;
}

void know_refresh_use(struct know_refresh *r, struct know *k)
{
	op_cancel(&r->query);
	timer_stop(r->timer);
	r->know = k;
	on_time(r);
}

void know_refresh_free(struct know_refresh **r)
{
	if (!*r)
		return;
	op_cancel(&(*r)->query);
	timer_free(&(*r)->timer);
	mem_free(*r);
	*r = NULL;
}
