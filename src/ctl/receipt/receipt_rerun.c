/*
 * Runs the calls of a receipt again, with the current catalogue and data, but with the original
 * arguments, day and permissions. They pass the same checks as any call. The hashes of the results
 * are compared.
 */
#include "receipt.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"

struct rerun {
	struct ctl_app *app;
	struct arena *arena;
	const json_t *content;
	struct principal who;
	struct date today;
	struct result *result;
};

/* ---- the original call ---- */

static struct value value_from_json(const json_t *value)
{
	if (json_is_integer(value))
		return value_int(json_integer_value(value));
	if (json_is_boolean(value))
		return value_bool(json_is_true(value));
	return json_is_string(value) ? value_text(json_string_value(value)) : value_null();
}

static bool read_args(const json_t *object, struct arena *a, struct args *out)
{
	struct value values[LIST_ARG_MAX];
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)object, name, value) {
		size_t n = json_array_size(value);

		if (!json_is_array(value)) {
			args_set(out, a, name, value_from_json(value));
			continue;
		}
		if (n > LIST_ARG_MAX)
			return false;
		for (size_t i = 0; i < n; i++)
			values[i] = value_from_json(json_array_get(value, i));
		args_set_list(out, a, name, values, n);
	}
	return true;
}

static void read_principal(struct rerun *x)
{
	const json_t *list = json_object_get(x->content, "permissions"), *item;
	const char **permissions =
		arena_alloc(x->arena, (json_array_size(list) + 1) * sizeof(*permissions));
	size_t i;

	x->who = (struct principal){.user = json_text_at(x->content, "user"),
				    .tenant = json_text_at(x->content, "tenant"),
				    .permissions = permissions};
	json_array_foreach(list, i, item)
		if (json_is_string(item))
			permissions[x->who.permission_count++] = json_string_value(item);
}

/* ---- one call ---- */

static void on_result(void *owner, struct result *r)
{
	struct rerun *x = owner;

	x->result = r;
	loop_stop(x->app->loop);
}

static int64_t rows_of(const struct result *r)
{
	return r->table_count > 0 ? r->tables[0]->total_rows : 0;
}

/* NULL: the results are equal. */
static const char *find_difference(const struct rerun *x, const json_t *call)
{
	struct result *r = x->result;
	const char *source = json_text_at(call, "source"); /* "": an older receipt */
	const char *old_outcome = json_text_at(call, "outcome"),
		   *new_outcome = outcome_name(r->outcome.kind);
	int64_t rows = json_integer_value(json_object_get(call, "total_rows"));
	bool any_order = json_is_true(json_object_get(call, "any_order"));

	if (r->any_order != any_order) { /* in older receipts, row order affects the hash */
		r->any_order = any_order;
		result_hash(r, r->hash);
	}
	if (strcmp(r->hash, json_text_at(call, "result_hash")) == 0)
		return NULL;
	if (*source && r->source && strcmp(source, r->source) != 0)
		return arena_printf(x->arena, "the source was %s and is now %s", source, r->source);
	if (strcmp(old_outcome, new_outcome) != 0)
		return arena_printf(x->arena, "the outcome was %s and is now %s%s%s", old_outcome,
				    new_outcome, r->outcome.detail ? ": " : "",
				    r->outcome.detail ? r->outcome.detail : "");
	if (rows != rows_of(r))
		return arena_printf(x->arena, "the result had %lld rows and now has %lld",
				    (long long)rows, (long long)rows_of(r));
	return any_order
		       ? "the rows differ, but their number is the same: the SQL may not determine "
			 "which rows it returns"
		       : "the rows differ, but their number is the same";
}

static const char *rerun_call(struct rerun *x, const json_t *call)
{
	struct args args = {0};
	const char *agent = json_text_at(call, "agent");
	struct tool_request request = {
		.call = json_text_at(call, "call"),
		.agent = *agent ? agent : NULL,
		.tool = json_text_at(call, "tool"),
		.bound = &args,
		.who = &x->who,
		.today = x->today,
	};

	if (!read_args(json_object_get(call, "args"), x->arena, &args))
		return "the arguments cannot be read";
	x->result = NULL;
	tool_start(x->app->tools, &request, x->arena, on_result, x);
	loop_run(x->app->loop);
	return find_difference(x, call);
}

/* ---- all calls ---- */

/* Returns false when a result differs. Calls without a recorded hash, which failed or timed out,
 * are skipped. */
static bool rerun_calls(struct rerun *x, json_t *report)
{
	const json_t *calls = json_object_get(x->content, "calls"), *call;
	json_t *done = json_array();
	bool same = true;
	size_t i;

	json_array_foreach(calls, i, call) {
		json_t *item;
		const char *difference;

		if (!*json_text_at(call, "result_hash"))
			continue;
		difference = rerun_call(x, call);
		item = json_object();
		json_set_str(item, "call", json_text_at(call, "call"));
		json_set_str(item, "tool", json_text_at(call, "tool"));
		json_set_bool(item, "ok", !difference);
		json_set_str(item, "difference", difference);
		json_push_take(done, item);
		same = same && !difference;
	}
	json_set_take(report, "calls", done);
	return same;
}

static bool read_content(struct rerun *x, const struct receipt *r, const char **problem)
{
	struct receipt_flaw flaw;
	json_t *content;
	struct err e = {0};

	if (!receipt_check(r, r->number - 1, r->previous_hash, x->arena, &flaw))
		*problem = arena_printf(x->arena, "the receipt was changed: %s: %s", flaw.field,
					flaw.detail);
	else if (!r->content)
		*problem = "the content was deleted";
	else if (!json_parse(r->content, strlen(r->content), DB_CELL_BYTES_MAX, &content, &e))
		*problem = "the content cannot be read";
	else
		x->content = json_own(x->arena, content);
	if (x->content && !date_parse_iso(json_text_at(x->content, "today"), &x->today))
		*problem = "the date cannot be read";
	return !*problem;
}

void receipt_rerun(struct ctl_app *o, const struct receipt *r, json_t **report)
{
	struct rerun x = {.app = o, .arena = arena_new(TURN_ARENA_BYTES)};
	const char *problem = NULL;
	bool ok = false;

	*report = json_object();
	json_set_str(*report, "receipt_id", r->receipt_id);
	if (read_content(&x, r, &problem)) {
		read_principal(&x);
		if (strcmp(json_text_at(x.content, "catalogue"), o->catalog->hash) != 0)
			json_set_bool(*report, "catalogue_changed", true);
		ok = rerun_calls(&x, *report);
	}
	json_set_str(*report, "problem", problem);
	json_set_bool(*report, "ok", ok);
	arena_free(&x.arena);
}
