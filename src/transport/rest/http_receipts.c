/* How an answer came about, for the user whose answer it was: as far as today's permissions allow,
 * and statements only for those who may see SQL. */
#include "http_route.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/uuid.h"

/* Statements, and the text of one that the caller wrote. */
static void hide_sql(json_t *content)
{
	json_t *call;
	size_t i;

	json_array_foreach(json_object_get(content, "calls"), i, call) {
		json_object_del(call, "statements");
		if (json_is_true(json_object_get(call, "own_sql")))
			json_object_del(call, "args");
	}
}

static json_t *content_json(const struct receipt *r)
{
	json_t *content;
	struct err e;

	if (!json_parse_exact(r->content, strlen(r->content), DB_CELL_BYTES_MAX, &content, &e))
		return NULL;
	json_object_del(content, "_salt");
	return content;
}

static json_t *receipt_json(const struct receipt *r, const struct principal *who, struct arena *a)
{
	json_t *row = json_object(), *content = content_json(r);
	const char *needs = json_string_value(json_object_get(content, "needs"));

	json_set_str(row, "receipt_id", r->receipt_id);
	json_set_str(row, "created_at", r->created_at);
	json_set_int(row, "number", r->number);
	json_set_str(row, "hash", r->hash);
	json_set_str(row, "previous_hash", r->previous_hash);
	json_set_str(row, "content_hash", r->content_hash);
	json_set_str(row, "message_id", r->message_id);
	if (!needs || !may_all(who, needs, a)) {
		json_set_bool(row, "masked", true);
		json_decref(content);
		return row;
	}
	if (!may(who, "chat:view_sql"))
		hide_sql(content);
	json_set_take(row, "content", content);
	return row;
}

static void on_receipt(void *owner, const struct receipt *receipts, size_t count,
		       const struct err *e)
{
	struct request *r = owner;

	r->op = NULL;
	if (e)
		reply_err(r, e);
	else if (count == 0 || !receipts[0].content) /* deleted is as if it had never been */
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else
		reply_json(r, 200, receipt_json(&receipts[0], r->who, r->arena));
}

void on_get_receipt(struct request *r)
{
	const struct receipts_page page = {
		.receipt_id = r->params[0],
		.user = r->who->user,
		.limit = 1,
	};

	if (!uuid_valid(r->params[0]))
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else
		r->op = store_receipts(r->transport->options.store, r->who->tenant, &page, r->arena,
				       on_receipt, r);
}
