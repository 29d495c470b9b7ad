/*
 * The worker's side of one connection, independent of the client library: open, confirm the tenant,
 * run statements. Statements stay prepared; the least recently used one is evicted.
 */
#include "db_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

static const struct db_link *link_of(const struct connection *c)
{
	return c->tenant->settings->dialect->link;
}

struct connection *db_connection_new(const struct tenant *t)
{
	struct connection *c = mem_alloc(sizeof(*c));

	c->tenant = t;
	c->canceller = canceller_new();
	list_init(&c->prepared);
	return c;
}

void db_connection_free(struct connection **connection)
{
	struct connection *c = *connection;

	if (!c)
		return;
	*connection = NULL;
	assert(!c->open);
	canceller_release(&c->canceller);
	mem_free(c->cell);
	mem_free(c->wide);
	mem_free(c);
}

bool db_work_may_continue(const struct work *w, struct err *e)
{
	switch ((enum stop)atomic_load(&w->stop)) {
	case STOP_TIMEOUT:
		return err_set_retry(e, ERR_TIMEOUT, "the query passed its time limit");
	case STOP_CANCEL:
		return err_set(e, ERR_CANCELLED, "the query was cancelled");
	case STOP_NONE:
		break;
	}
	return true;
}

bool db_connection_fail(struct connection *c, const struct diag *d, const struct error_class *v,
			const char *what, struct err *e)
{
	c->lost |= v->lost;
	c->transient = v->transient;
	/* After a stop, the driver's error is a consequence of it. */
	if (c->running && !db_work_may_continue(c->running, e))
		return false;
	if (v->may_retry)
		return err_set_retry(e, v->code, "%s: %s (%s, %d)", what, d->message, d->state,
				     (int)d->native);
	return err_set(e, v->code, "%s: %s (%s, %d)", what, d->message, d->state, (int)d->native);
}

bool db_connection_open(struct connection *c, struct err *e)
{
	const struct db_settings *s = c->tenant->settings;

	assert(!c->open);
	c->lost = false;
	c->must_reopen = false;
	if (!s->dialect->link->connect(c, e)) {
		if (e && e->code == ERR_INTERNAL)
			e->code = ERR_UPSTREAM;
		return err_prefix(e, "%s:%s", s->name, c->tenant->id);
	}
	c->open = true;
	c->opened_ms = clock_mono_ms();
	if (!s->dialect->set_up(c, e)) {
		db_connection_close(c);
		return err_prefix(e, "%s:%s", s->name, c->tenant->id);
	}
	return true;
}

bool db_connection_confirm(struct connection *c, struct err *e)
{
	const struct db_settings *s = c->tenant->settings;
	char seen[TENANT_SEEN_BYTES] = "";
	bool done = link_of(c)->confirm(c, seen, e);

	if (done && strcmp(seen, c->tenant->id) == 0)
		return true;
	c->lost = true;
	if (!done)
		return false;
	return err_set(e, ERR_INTERNAL, "%s:%s: the connection sees %s: refused", s->name,
		       c->tenant->id, *seen ? "another tenant" : "no tenant");
}

static void prepared_free(struct connection *c, struct prepared *p)
{
	list_remove(&p->node);
	c->prepared_count--;
	link_of(c)->drop(p->handle);
	mem_free(p->text);
	mem_free(p);
}

void db_connection_close(struct connection *c)
{
	if (!c->open)
		return;
	if (c->confirm)
		link_of(c)->drop(c->confirm);
	c->confirm = NULL;
	while (!list_empty(&c->prepared))
		prepared_free(c, list_item(c->prepared.next, struct prepared, node));
	link_of(c)->disconnect(c);
	c->open = false;
	c->plain = false;
}

static struct prepared *prepared_find(struct connection *c, const char *text, size_t length)
{
	list_each(node, &c->prepared) {
		struct prepared *p = list_item(node, struct prepared, node);

		if (p->length == length && memcmp(p->text, text, length) == 0)
			return p;
	}
	return NULL;
}

static void list_prepend(struct list *l, struct list *node)
{
	list_append(l->next, node); /* inserts before the first node */
}

static bool prepared_make(struct connection *c, const char *text, size_t length,
			  struct prepared **out, struct err *e)
{
	struct prepared *p;
	void *handle;

	if (c->prepared_count == DB_PREPARED_MAX)
		prepared_free(c, list_item(c->prepared.prev, struct prepared, node));
	if (!link_of(c)->prepare(c, text, length, &handle, e))
		return false;
	p = mem_alloc(sizeof(*p));
	p->handle = handle;
	p->length = length;
	p->text = mem_strndup(text, length);
	list_prepend(&c->prepared, &p->node);
	c->prepared_count++;
	*out = p;
	return true;
}

/* A statement with its own allow list is prepared anew and never shared. */
static bool prepared_get(struct connection *c, const struct source_statement *s,
			 struct prepared **out, struct err *e)
{
	size_t length = strlen(s->text);
	struct prepared *p = s->allow ? NULL : prepared_find(c, s->text, length);

	if (!p)
		return prepared_make(c, s->text, length, out, e);
	list_remove(&p->node);
	list_prepend(&c->prepared, &p->node);
	*out = p;
	return true;
}

static bool statement_run(struct connection *c, struct work *w, const struct source_statement *s,
			  struct err *e)
{
	const struct db_dialect *dialect = c->tenant->settings->dialect;
	struct prepared *p = NULL;
	bool done;

	if (dialect->before_statement)
		dialect->before_statement(c, s);
	if (!db_work_may_continue(w, e))
		return err_prefix(e, "%s", s->name);
	c->allow = s->allow;
	done = prepared_get(c, s, &p, e) && link_of(c)->execute(c, p->handle, w, s, e);
	c->allow = NULL;
	if (p && (s->allow || !done))
		prepared_free(c, p);
	return done || err_prefix(e, "%s", s->name);
}

bool db_connection_run(struct connection *c, struct work *w, struct err *e)
{
	bool done = true;

	c->running = w;
	for (size_t i = 0; i < w->count && done; i++) {
		int64_t start = clock_mono_us();

		w->started = i + 1;
		done = statement_run(c, w, &w->statements[i], e);
		w->spent_us[i] = clock_mono_us() - start;
	}
	c->running = NULL;
	return done;
}

bool db_connection_exec(struct connection *c, const char *text, struct err *e)
{
	return link_of(c)->exec(c, text, e);
}

bool db_connection_read_cell(struct connection *c, const char *text, char *out, size_t out_size,
			     bool *found, struct err *e)
{
	return link_of(c)->read_cell(c, text, out, out_size, found, e);
}
