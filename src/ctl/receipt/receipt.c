/*
 * `vesperctl receipt`: inspects receipts without the daemon. `verify` walks a tenant's chain from
 * its beginning and names the first receipt that was changed; `show` prints one; `rerun` runs its
 * calls again.
 */
#include "receipt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ctl.h"
#include "vesper/json.h"
#include "vesper/limits.h"

/* A blocking read of the store. */
struct receipt_query {
	struct ctl_app *app;
	const struct receipt *list;
	size_t count;
	struct err err;
};

static void on_read(void *owner, const struct receipt *receipts, size_t count, const struct err *e)
{
	struct receipt_query *r = owner;

	r->list = receipts;
	r->count = count;
	if (e)
		r->err = *e;
	loop_stop(r->app->loop);
}

static bool read_page(struct receipt_query *r, const char *tenant, struct receipts_page page,
		      struct arena *a, struct err *e)
{
	page.limit = RECEIPTS_PAGE_MAX;
	store_receipts(r->app->store, tenant, &page, a, on_read, r);
	loop_run(r->app->loop);
	if (r->err.code != ERR_NONE)
		*e = r->err;
	return r->err.code == ERR_NONE;
}

/* ---- verify ---- */

struct chain_walk {
	struct receipt_query query;
	const char *tenant;
	int64_t number;
	int64_t without_content;
	char hash[HASH_HEX_BYTES];
	json_t *broken; /* the first changed receipt */
};

static void set_broken(struct chain_walk *w, int64_t number, const char *receipt_id,
		       const char *field, const char *detail)
{
	w->broken = json_object();
	json_set_int(w->broken, "number", number);
	json_set_str(w->broken, "receipt_id", receipt_id);
	json_set_str(w->broken, "field", field);
	json_set_str(w->broken, "detail", detail);
}

static void check_page(struct chain_walk *w, struct arena *a)
{
	for (size_t i = 0; i < w->query.count && !w->broken; i++) {
		const struct receipt *r = &w->query.list[i];
		struct receipt_flaw flaw;

		if (!receipt_check(r, w->number, w->hash, a, &flaw)) {
			set_broken(w, w->number + 1, r->receipt_id, flaw.field, flaw.detail);
			if (flaw.from >= 0) {
				json_set_int(w->broken, "from", flaw.from);
				json_set_int(w->broken, "to", flaw.to);
			}
			return;
		}
		w->number = r->number;
		w->without_content += !r->content;
		memcpy(w->hash, r->hash, sizeof(w->hash)); /* the hash was verified above */
	}
}

/* If the last receipts of a chain were deleted, the chain looks complete, but answers still name
 * them. */
static bool check_missing(struct chain_walk *w, struct arena *a, struct err *e)
{
	struct receipt_query *r = &w->query;

	store_receipts_missing(r->app->store, w->tenant, a, on_read, r);
	loop_run(r->app->loop);
	if (r->err.code != ERR_NONE) {
		*e = r->err;
		return false;
	}
	if (r->count > 0)
		set_broken(
			w, w->number + 1, r->list[0].receipt_id, "record",
			arena_printf(a, "missing; answer %s refers to it", r->list[0].message_id));
	return true;
}

static bool walk_chain(struct chain_walk *w, struct err *e)
{
	bool done, more = true;

	do {
		struct arena *a = arena_new(TURN_ARENA_BYTES);

		done = read_page(&w->query, w->tenant,
				 (struct receipts_page){.after_number = w->number}, a, e);
		more = done && w->query.count > 0;
		if (done)
			check_page(w, a);
		if (done && !more && !w->broken)
			done = check_missing(w, a, e);
		arena_free(&a);
	} while (done && more && !w->broken);
	return done;
}

static json_t *walk_to_json(const struct chain_walk *w)
{
	json_t *out = json_object();

	json_set_str(out, "tenant", w->tenant);
	json_set_bool(out, "ok", !w->broken);
	json_set_int(out, "receipts", w->number);
	json_set_int(out, "without_content", w->without_content);
	json_set_str(out, "head", w->hash);
	json_set_take(out, "broken", json_incref(w->broken));
	return out;
}

static void print_walk(const struct chain_walk *w)
{
	if (!w->broken) {
		printf("%s: %" PRId64 " receipts are unchanged (%" PRId64
		       " without content); last hash: %s\n",
		       w->tenant, w->number, w->without_content, w->hash);
		return;
	}
	printf("%s: receipt %lld (%s) is broken: %s: %s\n", w->tenant,
	       (long long)json_integer_value(json_object_get(w->broken, "number")),
	       json_string_value(json_object_get(w->broken, "receipt_id")),
	       json_string_value(json_object_get(w->broken, "field")),
	       json_string_value(json_object_get(w->broken, "detail")));
}

/* ---- selected tenants ---- */

static bool is_selected_tenant(const struct command *cmd, const char *tenant)
{
	const char *only = ctl_option(cmd, "tenant", NULL);

	return !only || strcmp(only, tenant) == 0;
}

static bool check_tenant(const struct ctl_app *o, const struct command *cmd, struct err *e)
{
	const char *only = ctl_option(cmd, "tenant", NULL);

	return !only || ctl_app_has_tenant(o, only) ||
	       err_set(e, ERR_INPUT, "unknown tenant %s", only);
}

static bool verify(struct ctl_app *o, const struct command *cmd, bool *ok, struct err *e)
{
	for (size_t i = 0; i < o->databases.tenant_count; i++) {
		struct chain_walk w = {.query = {.app = o},
				       .tenant = o->databases.tenant_ids[i],
				       .hash = RECEIPT_GENESIS};

		if (!is_selected_tenant(cmd, w.tenant))
			continue;
		if (!walk_chain(&w, e))
			return err_prefix(e, "tenant %s", w.tenant);
		if (ctl_flag(cmd, "json"))
			ctl_print_json(walk_to_json(&w));
		else
			print_walk(&w);
		*ok = *ok && !w.broken;
		json_decref(w.broken);
	}
	return true;
}

/* ---- one receipt ---- */

static bool find(struct ctl_app *o, const struct command *cmd, const char *id, struct arena *a,
		 struct receipt *out, struct err *e)
{
	for (size_t i = 0; i < o->databases.tenant_count; i++) {
		const char *tenant = o->databases.tenant_ids[i];
		struct receipt_query r = {.app = o};

		if (!is_selected_tenant(cmd, tenant))
			continue;
		if (!read_page(&r, tenant, (struct receipts_page){.receipt_id = id}, a, e))
			return err_prefix(e, "tenant %s", tenant);
		if (r.count > 0) {
			*out = r.list[0];
			return true;
		}
	}
	return err_set(e, ERR_NOT_FOUND, "unknown receipt %s", id);
}

static bool show(struct ctl_app *o, const struct command *cmd, bool *ok, struct err *e)
{
	const char *id = ctl_arg(cmd, 1);
	struct arena *a = arena_new(TURN_ARENA_BYTES);
	struct receipt_flaw flaw;
	struct receipt r;
	json_t *out, *content = NULL;

	if (!id || !find(o, cmd, id, a, &r, e)) {
		arena_free(&a);
		return id ? false : err_set(e, ERR_INPUT, "show: name a receipt");
	}
	out = json_object();
	json_set_str(out, "tenant", r.tenant);
	json_set_int(out, "number", r.number);
	json_set_str(out, "receipt_id", r.receipt_id);
	json_set_str(out, "created_at", r.created_at);
	json_set_str(out, "hash", r.hash);
	json_set_str(out, "previous_hash", r.previous_hash);
	json_set_str(out, "content_hash", r.content_hash);
	*ok = receipt_check(&r, r.number - 1, r.previous_hash, a, &flaw);
	json_set_bool(out, "ok", *ok);
	if (!*ok)
		json_set_str(out, "broken", arena_printf(a, "%s: %s", flaw.field, flaw.detail));
	if (r.content &&
	    json_parse(r.content, strlen(r.content), DB_CELL_BYTES_MAX, &content, NULL))
		json_set_take(out, "content", content);
	ctl_print_json(out);
	arena_free(&a);
	return true;
}

/* ---- rerun ---- */

static void print_report(const json_t *report)
{
	const char *id = json_string_value(json_object_get(report, "receipt_id"));
	const char *problem = json_string_value(json_object_get(report, "problem"));
	const json_t *calls = json_object_get(report, "calls"), *call;
	bool has_other_catalog = json_is_true(json_object_get(report, "catalogue_changed"));
	size_t i;

	if (problem) {
		printf("%s: not run: %s\n", id, problem);
		return;
	}
	printf("%s: %s (%zu calls)%s\n", id,
	       json_is_true(json_object_get(report, "ok")) ? "equal" : "not equal",
	       json_array_size(calls), has_other_catalog ? " (the catalogue has changed)" : "");
	json_array_foreach(calls, i, call) {
		const char *difference = json_string_value(json_object_get(call, "difference"));

		if (difference)
			printf("  %s %s: %s\n", json_string_value(json_object_get(call, "call")),
			       json_string_value(json_object_get(call, "tool")), difference);
	}
}

static void rerun_one(struct ctl_app *o, const struct command *cmd, const struct receipt *r,
		      bool *ok)
{
	json_t *report;

	receipt_rerun(o, r, &report);
	*ok = *ok && json_is_true(json_object_get(report, "ok"));
	if (!ctl_flag(cmd, "json"))
		print_report(report);
	else
		ctl_print_json(json_incref(report));
	json_decref(report);
}

/* Reruns all receipts that still have their content. */
static bool rerun_all(struct ctl_app *o, const struct command *cmd, const char *tenant, bool *ok,
		      struct err *e)
{
	struct receipt_query r = {.app = o};
	int64_t number = 0;
	bool done, more = true;

	do {
		struct arena *a = arena_new(TURN_ARENA_BYTES);

		done = read_page(&r, tenant, (struct receipts_page){.after_number = number}, a, e);
		more = done && r.count > 0;
		for (size_t i = 0; done && i < r.count; i++) {
			if (r.list[i].content)
				rerun_one(o, cmd, &r.list[i], ok);
			number = r.list[i].number;
		}
		arena_free(&a);
	} while (more);
	return done;
}

static bool rerun_named(struct ctl_app *o, const struct command *cmd, bool *ok, struct err *e)
{
	if (!ctl_arg(cmd, 1))
		return err_set(e, ERR_INPUT, "rerun: name a receipt, or use --all");
	for (size_t n = 1; ctl_arg(cmd, n); n++) {
		struct arena *a = arena_new(TURN_ARENA_BYTES);
		struct receipt r;
		bool found = find(o, cmd, ctl_arg(cmd, n), a, &r, e);

		if (found)
			rerun_one(o, cmd, &r, ok);
		arena_free(&a);
		if (!found)
			return false;
	}
	return true;
}

static bool rerun(struct ctl_app *o, const struct command *cmd, bool *ok, struct err *e)
{
	if (!ctl_app_open_tools(o, ctl_option(cmd, "tenant", NULL), e))
		return false;
	if (!ctl_flag(cmd, "all"))
		return rerun_named(o, cmd, ok, e);
	for (size_t i = 0; i < o->databases.tenant_count; i++) {
		const char *tenant = o->databases.tenant_ids[i];

		if (is_selected_tenant(cmd, tenant) && !rerun_all(o, cmd, tenant, ok, e))
			return err_prefix(e, "tenant %s", tenant);
	}
	return true;
}

int ctl_receipt(const struct command *cmd)
{
	static const struct {
		const char *name;
		bool (*run)(struct ctl_app *o, const struct command *cmd, bool *ok, struct err *e);
	} verbs[] = {{"verify", verify}, {"show", show}, {"rerun", rerun}};
	const char *name = ctl_arg(cmd, 0);
	struct ctl_app o = {0};
	struct err e = {0};
	bool ok = true, done = false;
	size_t n = sizeof(verbs) / sizeof(verbs[0]), i = 0;

	while (i < n && (!name || strcmp(verbs[i].name, name) != 0))
		i++;
	if (i == n)
		return ctl_usage_error(cmd, "the verb must be verify, show or rerun");
	done = ctl_app_init(&o, &e) && check_tenant(&o, cmd, &e) && ctl_app_open_store(&o, &e) &&
	       verbs[i].run(&o, cmd, &ok, &e);
	ctl_app_close(&o);
	if (!done) {
		ctl_fail("receipt: %s", e.text);
		return 2;
	}
	return ok ? 0 : 1;
}
