/*
 * The usage ledger: costs of models, as rows that are only added. Callers do not wait for a row.
 * The write of a reservation starts before its model call. A row that could not be stored is
 * logged for the operator.
 */
#include "store_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/log.h"

struct row {
	struct call call;
	store_done_cb cb;
	void *owner;
};

static void on_row_written(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct row *row = list_item(c, struct row, call);

	(void)tables;
	(void)count;
	if (e)
		log_error("store.ledger",
			  "tenant %s: a row of the usage ledger could not be stored: %s", c->tenant,
			  e->text);
	if (row->cb)
		row->cb(row->owner, e);
}

void store_ledger_add(struct store *s, const struct budget_entry *l, store_done_cb cb, void *owner)
{
	struct row *row = store_call_new(s, l->tenant, sizeof(*row));
	struct call *c = &row->call;
	char day[DATE_ISO_BYTES];

	c->finish = on_row_written;
	row->cb = cb;
	row->owner = owner;
	date_iso(date_from_days(l->at_ms / (24 * 3600 * 1000LL)), day);
	store_call_text(c, "user_id", l->user);
	store_call_text(c, "role", l->role);
	store_call_text(c, "kind", l->hold ? "hold" : "settle");
	store_call_text(c, "provider", l->provider);
	store_call_text(c, "model", l->model);
	store_call_text(c, "purpose", l->purpose);
	store_call_int(c, "input_tokens", l->use.input);
	store_call_int(c, "cache_read_tokens", l->use.cache_read);
	store_call_int(c, "cache_write_tokens", l->use.cache_write);
	store_call_int(c, "output_tokens", l->use.output);
	store_call_int(c, "tokens", l->tokens);
	store_call_int(c, "nano_usd", l->nano_usd);
	store_call_text(c, "day", day);
	store_call_now(c);
	store_call_add(c, "ledger_insert");
	store_call_write(c);
}

/* ---- sums, page by page ---- */

struct sums {
	struct call call;
	store_sums_cb each;
	store_done_cb cb;
	void *owner;
	const char *after_user; /* the end of the previous page */
	const char *after_role;
};

static int64_t number(const struct table *t, size_t row, const char *column)
{
	const char *text = table_cell(t, row, column);

	return text ? strtoll(text, NULL, 10) : 0;
}

static void page_start(struct sums *s, const char *after_user, const char *after_role)
{
	s->after_user = after_user;
	s->after_role = after_role;
	store_call_text(&s->call, "after_user", after_user);
	store_call_text(&s->call, "after_role", after_role);
	store_call_add(&s->call, "ledger_sums");
	store_call_read(&s->call, STORE_PAGE_MAX);
}

static void on_sums(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct sums *s = list_item(c, struct sums, call);
	const struct table *t = count > 0 ? tables[0] : NULL;
	size_t n = t ? t->row_count : 0;
	const char *last_user, *last_role;
	struct err problem = {0};

	for (size_t i = 0; !e && i < n; i++) {
		const struct budget_sum sum = {
			.user = store_cell(t, i, "user_id"),
			.role = store_cell(t, i, "role"),
			.month_tokens = number(t, i, "month_tokens"),
			.month_nano_usd = number(t, i, "month_nano_usd"),
			.day_tokens = number(t, i, "day_tokens"),
			.day_nano_usd = number(t, i, "day_nano_usd"),
		};

		s->each(s->owner, &sum);
	}
	if (e || n < STORE_PAGE_MAX) {
		s->cb(s->owner, e);
		return;
	}
	last_user = store_cell(t, n - 1, "user_id");
	last_role = store_cell(t, n - 1, "role");
	if (strcmp(last_user, s->after_user) == 0 && strcmp(last_role, s->after_role) == 0) {
		err_set(&problem, ERR_UPSTREAM,
			"tenant %s: the ledger returned the same page twice: the store is damaged",
			c->tenant);
		s->cb(s->owner, &problem);
		return;
	}
	store_call_clear(c);
	page_start(s, arena_strdup(c->arena, last_user), arena_strdup(c->arena, last_role));
}

struct op *store_ledger_sums(struct store *store, const char *tenant, int64_t now_ms,
			     store_sums_cb each, store_done_cb cb, void *owner)
{
	struct sums *s = store_call_new(store, tenant, sizeof(*s));
	struct date today = date_from_days(now_ms / (24 * 3600 * 1000LL));
	char day[DATE_ISO_BYTES];

	s->each = each;
	s->cb = cb;
	s->owner = owner;
	s->call.finish = on_sums;
	date_iso(today, day);
	store_call_text(&s->call, "today", day);
	today.day = 1;
	date_iso(today, day);
	store_call_text(&s->call, "month_start", day);
	store_call_int(&s->call, "limit", STORE_PAGE_MAX);
	page_start(s, "", "");
	return &s->call.op;
}
