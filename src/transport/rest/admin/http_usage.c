/* Reports for a tenant's administrators: permissions, costs, statuses of answers, questions without
 * an answer, the chain of receipts. They hold sums and names, but no data rows and no answers. */
#include "rest/http_route.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/store_report.h"
#include "vesper/strlist.h"
#include "vesper/uuid.h"
#include "vesper/zone.h"

#define DAYS_DEFAULT 30

static const struct catalog *catalog_of(const struct request *r)
{
	return turns_knowledge(r->transport->options.turns, r->who->tenant)->catalog;
}

/* Days of reports and budgets are the tenant's own. */
static const struct zone *zone_of(const struct request *r)
{
	return turns_zone(r->transport->options.turns, r->who->tenant);
}

/* Reads a query parameter from `min` to `max`; `default_value` if it is absent. Returns false when
 * it has answered with an error. */
static bool read_number(struct request *r, const char *name, int64_t min, int64_t max,
			int64_t default_value, int64_t *out)
{
	const char *text = request_query(r, name);
	char *end;

	*out = default_value;
	if (!text)
		return true;
	*out = strtoll(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && *out >= min && *out <= max)
		return true;
	reply_problem(
		r, CODE_BAD_FRAME,
		arena_printf(r->arena, "%s: must be %" PRId64 " to %" PRId64, name, min, max));
	return false;
}

/* ---- permissions ---- */

void on_get_admin_access(struct request *r)
{
	const struct catalog *c = catalog_of(r);
	json_t *roles = json_array(), *tools = json_array();
	struct catalog_view all;
	const char *name;

	for (size_t i = 0; (name = catalog_role_name(c, i)); i++)
		json_push_take(roles,
			       json_make({"role", json_str(name)},
					 {"permissions", json_texts(catalog_role(c, name))}));
	catalog_for_all(c, r->arena, &all);
	for (size_t i = 0; i < all.tool_count; i++)
		json_push_take(tools, json_make({"tool", json_str(all.tools[i]->name)},
						{"permission",
						 json_str(all.tools[i]->callers.permission)}));
	reply_json(r, 200, json_make({"roles", roles}, {"tools", tools}));
}

/* ---- sums ---- */

static json_t *cost_json(int64_t nano_usd)
{
	int64_t micro = (nano_usd + 500) / 1000;
	char text[64];

	snprintf(text, sizeof(text), "%" PRId64 ".%06" PRId64, micro / 1000000, micro % 1000000);
	return json_decimal(text);
}

static void set_cell(json_t *row, const char *column, const char *cell, const char *const *texts)
{
	if (strcmp(column, "nano_usd") == 0)
		json_set_take(row, "cost_usd", cost_json(strtoll(cell, NULL, 10)));
	else if (strlist_has(texts, column))
		json_set_str(row, column, cell);
	else
		json_set_int(row, column, strtoll(cell, NULL, 10));
}

/* All columns except the listed text columns hold integers. */
static json_t *rows_json(const struct table *t)
{
	static const char *const texts[] = {"user",   "provider", "model",   "day", "status",
					    "rating", "question", "last_at", NULL};
	json_t *rows = json_array();

	for (size_t i = 0; i < t->row_count; i++) {
		json_t *row = json_object();

		for (size_t k = 0; k < t->column_count; k++) {
			const char *name = t->columns[k].name, *cell = table_cell(t, i, name);

			set_cell(row, name, cell ? cell : "", texts);
		}
		json_push_take(rows, row);
	}
	return rows;
}

static void on_usage(void *owner, struct table *const *tables, const struct err *e)
{
	struct request *r = owner;

	if (!reply_failed(r, e))
		reply_json(r, 200,
			   json_make({"users", rows_json(tables[REPORT_USERS])},
				     {"models", rows_json(tables[REPORT_MODELS])},
				     {"days", rows_json(tables[REPORT_DAYS])}));
}

static bool read_days(struct request *r, struct report_days *out)
{
	int64_t days;

	if (!read_number(r, "days", 1, REPORT_DAYS_MAX, DAYS_DEFAULT, &days))
		return false;
	*out = (struct report_days){(int)days, clock_now_ms(), zone_of(r)};
	return true;
}

void on_get_admin_usage(struct request *r)
{
	struct report_days days;

	if (read_days(r, &days))
		r->op = store_report_usage(r->transport->options.store, r->who, &days, on_usage, r);
}

static void on_quality(void *owner, struct table *const *tables, const struct err *e)
{
	struct request *r = owner;
	json_t *sums;

	if (reply_failed(r, e))
		return;
	sums = rows_json(tables[REPORT_NUMBERS]);
	reply_json(r, 200,
		   json_make({"numbers", json_incref(json_array_get(sums, 0))},
			     {"statuses", rows_json(tables[REPORT_STATUSES])},
			     {"providers", rows_json(tables[REPORT_PROVIDERS])},
			     {"ratings", rows_json(tables[REPORT_RATINGS])},
			     {"unanswered", rows_json(tables[REPORT_UNANSWERED])}));
	json_decref(sums);
}

void on_get_admin_quality(struct request *r)
{
	struct report_days days;

	if (read_days(r, &days))
		r->op = store_report_quality(r->transport->options.store, r->who, &days, on_quality,
					     r);
}

/* ---- the chain of receipts ---- */

static json_t *receipt_link_json(const struct receipt *receipt)
{
	return json_make(
		{"number", json_integer(receipt->number)},
		{"receipt_id", json_str(receipt->receipt_id)},
		{"created_at", json_str(receipt->created_at)}, {"user", json_str(receipt->user)},
		{"message_id", json_str(receipt->message_id)}, {"hash", json_str(receipt->hash)},
		{"previous_hash", json_str(receipt->previous_hash)},
		{"has_content", json_boolean(receipt->content != NULL)});
}

static void on_receipts(void *owner, const struct receipt *receipts, size_t count,
			const struct err *e)
{
	struct request *r = owner;
	json_t *data = json_array();

	r->op = NULL;
	for (size_t i = 0; i < count; i++)
		json_push_take(data, receipt_link_json(&receipts[i]));
	if (e) {
		json_decref(data);
		reply_err(r, e);
		return;
	}
	reply_json(
		r, 200,
		json_make({"data", data}, {"has_more", json_boolean(count == RECEIPTS_PAGE_MAX)}));
}

void on_get_admin_receipts(struct request *r)
{
	struct receipts_page page = {.limit = RECEIPTS_PAGE_MAX};

	if (read_number(r, "after", 0, INT64_MAX, 0, &page.after_number))
		r->op = store_receipts(r->transport->options.store, r->who->tenant, &page, r->arena,
				       on_receipts, r);
}

/* ---- budgets ---- */

/* The limits at the time of the request: settings may change while the sums are read. */
struct budget_query {
	struct request *request;
	struct budget *budget;
	const struct budget_limit *limits;
	size_t limit_count;
};

static void budget_query_free(void *task)
{
	budget_free(&((struct budget_query *)task)->budget);
}

/* Running calls count with their reserved amount, which is the maximum that they can cost. */
static json_t *most_spent_json(const struct budget_query *b, size_t limit)
{
	const struct budget_limit *l = &b->limits[limit];
	struct budget_spent s = budget_most_spent(b->budget, b->request->who->tenant, limit);

	if (!s.who)
		return NULL;
	return json_make({"who", json_str(s.who)},
			 {"tokens", l->tokens > 0 ? json_integer(s.tokens) : NULL},
			 {"cost_usd", l->nano_usd > 0 ? cost_json(s.nano_usd) : NULL});
}

static void on_budget_sum(void *owner, const struct budget_sum *sum)
{
	struct budget_query *b = owner;

	budget_add_sum(b->budget, b->request->who->tenant, sum);
}

static void on_budget_sums(void *owner, const struct err *e)
{
	struct budget_query *b = owner;
	struct request *r = b->request;
	json_t *data;

	if (reply_failed(r, e))
		return;
	budget_read_end(b->budget, r->who->tenant);
	data = json_array();
	for (size_t i = 0; i < b->limit_count; i++) {
		const struct budget_limit *l = &b->limits[i];

		if (l->scope == BUDGET_TENANT && l->only && strcmp(l->only, r->who->tenant) != 0)
			continue; /* of another tenant */
		json_push_take(
			data,
			json_make({"scope", json_str(budget_scope_name(l->scope))},
				  {"only", json_str(l->only)},
				  {"period", json_str(budget_period_name(l->period))},
				  {"tokens", l->tokens > 0 ? json_integer(l->tokens) : NULL},
				  {"cost_usd", l->nano_usd > 0 ? cost_json(l->nano_usd) : NULL},
				  {"most_spent", most_spent_json(b, i)}));
	}
	reply_json(r, 200, json_make({"data", data}));
}

void on_get_admin_budgets(struct request *r)
{
	const struct transport_options *o = &r->transport->options;
	const struct budget_settings *settings = o->budget ? o->budget(o->budget_owner) : NULL;
	size_t count = settings ? settings->limit_count : 0;
	struct budget_limit *limits = arena_alloc(r->arena, (count + 1) * sizeof(*limits));
	struct budget_query *b = arena_alloc(r->arena, sizeof(*b));
	int64_t now_ms = clock_now_ms();

	if (count == 0) {
		reply_json(r, 200, json_make({"data", json_array()}));
		return;
	}
	now_ms = zone_local_ms(zone_of(r), now_ms);
	for (size_t i = 0; i < count; i++) {
		limits[i] = settings->limits[i];
		limits[i].only = arena_strdup(r->arena, limits[i].only);
	}
	*b = (struct budget_query){r, budget_new(NULL, 0, limits, count), limits, count};
	r->task = b;
	r->task_free = budget_query_free;
	budget_read_begin(b->budget, r->who->tenant, now_ms);
	r->op = store_ledger_sums(o->store, r->who->tenant, now_ms, on_budget_sum, on_budget_sums,
				  b);
}

/* ---- a rated answer as a case of an evaluation ---- */

static void on_turn(void *owner, const struct message *messages, size_t count, bool has_more,
		    const struct err *e)
{
	struct request *r = owner;

	(void)has_more;
	r->op = NULL;
	if (e)
		reply_err(r, e);
	else if (count != 2 || messages[0].masked || messages[1].masked)
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else
		reply_json(r, 200, turn_case(r->who->tenant, &messages[0], &messages[1]));
}

void on_get_admin_case(struct request *r)
{
	if (!uuid_valid(r->params[0]))
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else
		r->op = store_turn_messages(r->transport->options.store, r->who, r->params[0],
					    r->arena, on_turn, r);
}
