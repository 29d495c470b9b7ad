/* Changes that users make to their sources. Each is stored first; everything else follows from the
 * stored rows. */
#include "upload_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/mem.h"

/* A change in progress. The callback runs after the rows were read again and questions use them. */
struct change {
	struct op op;
	struct op *stored;
	struct refresh_wait refresh;
	struct tenant_uploads *tenant;
	char source[UUID_BYTES], version[UUID_BYTES]; /* "": no load to start */
	store_done_cb cb;
	void *owner;
};

static void on_cancel(struct op *op)
{
	struct change *c = list_item(op, struct change, op);

	op_cancel(&c->stored);
	refresh_wait_cancel(&c->refresh);
	mem_free(c);
}

static void on_overlay_updated(void *owner)
{
	struct change *c = owner;
	store_done_cb cb = c->cb;
	void *caller = c->owner;

	mem_free(c);
	cb(caller, NULL);
}

static void on_refreshed(void *owner)
{
	struct change *c = owner;

	overlay_then(c->tenant, &c->refresh, on_overlay_updated, c);
}

static void on_changed(void *owner, const struct err *e)
{
	struct change *c = owner;
	store_done_cb cb = c->cb;
	void *caller = c->owner;

	c->stored = NULL;

	if (!e && c->version[0] && spool_has(c->tenant, c->version))
		load_adopt(c->tenant,
			   &(struct stored_version){.uid = c->version, .source = c->source});
	if (!e) {
		uploads_refresh_then(c->tenant, &c->refresh, on_refreshed, c);
		return;
	}
	uploads_refresh(c->tenant);
	mem_free(c);
	cb(caller, e);
}

static struct change *change_new(struct uploads *u, const char *tenant, const char *uid,
				 store_done_cb cb, void *owner)
{
	struct change *c = mem_alloc(sizeof(*c));

	*c = (struct change){.op = {.cancel = on_cancel},
			     .tenant = uploads_tenant(u, tenant),
			     .cb = cb,
			     .owner = owner};
	memcpy(c->source, uid, UUID_BYTES);
	return c;
}

struct op *uploads_edit(struct uploads *u, const char *tenant, const char *uid,
			const struct source_edit *edit, store_done_cb cb, void *owner)
{
	struct change *c = change_new(u, tenant, uid, cb, owner);

	c->stored = store_source_edit(u->options.store, tenant, uid, edit, on_changed, c);
	return &c->op;
}

struct op *uploads_delete(struct uploads *u, const char *tenant, const char *uid, store_done_cb cb,
			  void *owner)
{
	struct change *c = change_new(u, tenant, uid, cb, owner);

	c->stored = store_source_mark_deleted(u->options.store, tenant, uid, on_changed, c);
	return &c->op;
}

/* ---- answers ---- */

static bool is_offered(const json_t *ask, const char *value)
{
	json_t *option;
	size_t i;

	json_array_foreach(json_object_get(ask, "options"), i, option)
		if (strcmp(json_string_value(json_object_get(option, "value")), value) == 0)
			return true;
	return strcmp(json_string_value(json_object_get(json_object_get(ask, "skip"), "value")),
		      value) == 0;
}

static const char *answers_with(const struct stored_version *v, const char *column,
				const char *value, struct arena *a)
{
	json_t *all = NULL;
	struct err e;
	char *text;
	const char *copy;

	if (!v->answers ||
	    !json_parse(v->answers, strlen(v->answers), DATA_SOURCE_PROFILE_BYTES_MAX, &all, &e))
		all = json_object();
	json_set_str(all, column, value);
	text = json_text(all);
	copy = arena_strdup(a, text);
	mem_free(text);
	json_decref(all);
	return copy;
}

bool uploads_answer(struct uploads *u, const struct upload_answer *answer, store_done_cb cb,
		    void *owner, struct op **out, struct err *e)
{
	struct tenant_uploads *t = uploads_tenant(u, answer->tenant);
	struct arena *a;
	struct change *c;
	json_t *ask = NULL;
	const struct stored_version *v = NULL;
	const struct listed_source *k;
	const char *ask_id;
	bool ok;

	k = t ? listing_source(t->listing, answer->source) : NULL;
	for (size_t i = 0; k && i < k->version_count; i++)
		if (k->versions[i].state == VERSION_ASKING)
			v = &k->versions[i];
	if (!v || !v->ask ||
	    !json_parse(v->ask, strlen(v->ask), DATA_SOURCE_PROFILE_BYTES_MAX, &ask, e))
		return err_set(e, ERR_BUSY, "no question is pending for this data source");
	ask_id = json_string_value(json_object_get(ask, "ask_id"));
	if (strcmp(ask_id, answer->ask_id) != 0)
		ok = err_set(e, ERR_BUSY,
			     "this question is not pending; it may already be answered");
	else
		ok = is_offered(ask, answer->value) ||
		     err_set(e, ERR_INPUT, "values: the value is not one of the offered options");
	if (ok) {
		a = arena_new(DATA_SOURCE_PROFILE_BYTES_MAX);
		c = change_new(u, answer->tenant, answer->source, cb, owner);
		memcpy(c->version, v->uid, UUID_BYTES);
		c->stored = store_version_set(
			u->options.store, t->name,
			&(struct stored_version){
				.uid = v->uid,
				.state = VERSION_READING,
				.answers = answers_with(
					v, json_string_value(json_object_get(ask, "filter")),
					answer->value, a)},
			on_changed, c);
		arena_free(&a);
		*out = &c->op;
	}
	json_decref(ask);
	return ok;
}

/* ---- rows ---- */

struct rows_call {
	struct op op;
	struct op *query;
	uploads_rows_cb cb;
	void *owner;
};

static void on_rows_cancel(struct op *op)
{
	struct rows_call *r = list_item(op, struct rows_call, op);

	op_cancel(&r->query);
	mem_free(r);
}

static void on_rows(void *owner, struct source_batch *batches, size_t count, const struct err *e)
{
	struct rows_call *r = owner;
	uploads_rows_cb cb = r->cb;
	void *caller = r->owner;

	mem_free(r);
	cb(caller, count > 0 ? batches[0].table : NULL, e);
}

/* The table's columns, by the names in the profile. */
static struct upload_table table_of(const struct stored_version *v, const json_t *profile,
				    struct arena *a)
{
	const json_t *list = json_object_get(profile, "columns");
	struct upload_column *columns =
		arena_alloc(a, (json_array_size(list) + 1) * sizeof(*columns));
	struct upload_table t = {.name = v->table, .columns = columns};

	for (; t.count < json_array_size(list); t.count++)
		columns[t.count].name =
			json_string_value(json_object_get(json_array_get(list, t.count), "name"));
	return t;
}

bool uploads_rows(struct uploads *u, const char *tenant, const struct upload_view *v, size_t limit,
		  uploads_rows_cb cb, void *owner, struct op **out, struct err *e)
{
	struct arena *a = arena_new(DATA_SOURCE_PROFILE_BYTES_MAX);
	struct rows_call *r;
	struct upload_table table;
	const struct value bound[] = {value_text(tenant), value_int(0)};
	struct source_statement one = {
		.name = "uploads/rows", .values = bound, .count = 2, .sink = {.rows_max = limit}};
	struct source_call call = {.tenant = tenant, .statements = &one, .count = 1};
	json_t *profile = NULL;
	bool ok = v->current && v->current->profile &&
		  json_parse(v->current->profile, strlen(v->current->profile),
			     DATA_SOURCE_PROFILE_BYTES_MAX, &profile, e);

	if (!ok)
		err_set(e, ERR_NOT_FOUND, "no version of this data source is ready");
	if (ok) {
		table = table_of(v->current, profile, a);
		ok = sql_upload_check(&table, e);
	}
	if (ok) {
		one.text = sql_upload_rows(&table, limit, u->dialect, a);
		r = mem_alloc(sizeof(*r));
		*r = (struct rows_call){.op = {.cancel = on_rows_cancel}, .cb = cb, .owner = owner};
		r->query = u->options.reader->start(u->options.reader, &call, on_rows, r);
		*out = &r->op;
	}
	json_decref(profile);
	arena_free(&a);
	return ok;
}
