/* Data sources and their versions in the store. */
#include "store_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/store_sources.h"

struct sources_call {
	struct call call;
	struct arena *arena;
	int64_t etag;            /* the expected one; 0: any */
	struct source_edit edit; /* the expected values; NULL: any */
	const char *source;
	const char *holder; /* the expected one; NULL: any */
	bool adds_version;
	store_sources_cb cb;
	store_sources_stamp_cb stamp;
	store_done_cb done;
	void *owner;
};

/* ---- names ---- */

static const char *const visibilities[] = {
	[SOURCE_PRIVATE] = "private",
	[SOURCE_TENANT] = "tenant",
	[SOURCE_ROLES] = "roles",
};

const char *source_visibility_name(enum source_visibility v)
{
	return visibilities[v];
}

bool source_visibility_parse(const char *name, enum source_visibility *out)
{
	for (int v = SOURCE_PRIVATE; v <= SOURCE_ROLES; v++)
		if (strcmp(visibilities[v], name) == 0) {
			*out = (enum source_visibility)v;
			return true;
		}
	return false;
}

static const char *const kinds[] = {
	[SOURCE_TABLE] = "table",
	[SOURCE_DOCUMENT] = "document",
};

const char *source_kind_name(enum source_kind k)
{
	return kinds[k];
}

bool source_kind_parse(const char *name, enum source_kind *out)
{
	for (int k = SOURCE_TABLE; k < SOURCE_KINDS; k++)
		if (strcmp(kinds[k], name) == 0) {
			*out = (enum source_kind)k;
			return true;
		}
	return false;
}

static const char *const states[] = {
	[VERSION_RECEIVING] = "receiving", [VERSION_READING] = "reading",
	[VERSION_ASKING] = "asking",       [VERSION_LOADING] = "loading",
	[VERSION_READY] = "ready",         [VERSION_RETIRING] = "retiring",
	[VERSION_FAILED] = "failed",
};

const char *version_state_name(enum version_state s)
{
	return states[s];
}

/* An unknown name in a damaged file counts as failed. */
static enum version_state state_of(const char *name)
{
	for (int s = VERSION_RECEIVING; s <= VERSION_FAILED; s++)
		if (strcmp(states[s], name) == 0)
			return (enum version_state)s;
	return VERSION_FAILED;
}

/* ---- reading ---- */

static const char *optional_text(const struct table *t, size_t row, const char *column,
				 struct arena *a)
{
	return arena_strdup(a, table_cell(t, row, column));
}

static const char *required_text(const struct table *t, size_t row, const char *column,
				 struct arena *a)
{
	return arena_strdup(a, store_cell(t, row, column));
}

static int64_t number_of(const struct table *t, size_t row, const char *column)
{
	return strtoll(store_cell(t, row, column), NULL, 10);
}

static struct stored_source source_from_row(const struct table *t, size_t row, struct arena *a)
{
	struct stored_source s = {
		.uid = required_text(t, row, "source_uid", a),
		.owner = required_text(t, row, "owner", a),
		.name = required_text(t, row, "name", a),
		.description = required_text(t, row, "description", a),
		.roles = required_text(t, row, "roles", a),
		.current = optional_text(t, row, "current_version", a),
		.meaning = optional_text(t, row, "meaning", a),
		.expires_at = optional_text(t, row, "expires_at", a),
		.etag = number_of(t, row, "etag"),
		.deleted_at = optional_text(t, row, "deleted_at", a),
		.created_at = required_text(t, row, "created_at", a),
		.updated_at = required_text(t, row, "updated_at", a),
	};

	if (!source_kind_parse(store_cell(t, row, "kind"), &s.kind))
		s.kind = SOURCE_TABLE;
	if (!source_visibility_parse(store_cell(t, row, "visibility"), &s.visibility))
		s.visibility = SOURCE_PRIVATE;
	return s;
}

static struct stored_version version_from_row(const struct table *t, size_t row, struct arena *a)
{
	return (struct stored_version){
		.uid = required_text(t, row, "version_uid", a),
		.source = required_text(t, row, "source_uid", a),
		.number = number_of(t, row, "number"),
		.state = state_of(store_cell(t, row, "state")),
		.format = required_text(t, row, "format", a),
		.table = optional_text(t, row, "table_name", a),
		.bytes = number_of(t, row, "byte_count"),
		.rows = number_of(t, row, "row_count"),
		.sha256 = optional_text(t, row, "sha256", a),
		.profile = optional_text(t, row, "profile", a),
		.ask = optional_text(t, row, "ask", a),
		.answers = optional_text(t, row, "answers", a),
		.fault = {optional_text(t, row, "fault_code", a),
			  optional_text(t, row, "fault_text", a), number_of(t, row, "fault_line")},
		.updated_at = required_text(t, row, "updated_at", a),
	};
}

static struct stored_join join_from_row(const struct table *t, size_t row, struct arena *a)
{
	return (struct stored_join){.source = required_text(t, row, "source_uid", a),
				    .other = required_text(t, row, "other_uid", a),
				    .column = required_text(t, row, "source_column", a),
				    .other_column = required_text(t, row, "other_column", a),
				    .stated_by = required_text(t, row, "stated_by", a)};
}

static const char *stamp_text(const char *sources, const char *oldest, const char *newest,
			      const char *etags, const char *versions, const char *oldest_version,
			      const char *newest_version, struct arena *a)
{
	return arena_printf(a, "%s %s %s %s %s %s %s", sources, oldest, newest, etags, versions,
			    oldest_version, newest_version);
}

static const char *stamp_from_row(const struct table *t, struct arena *a)
{
	return stamp_text(store_cell(t, 0, "sources"), store_cell(t, 0, "oldest"),
			  store_cell(t, 0, "newest"), store_cell(t, 0, "etags"),
			  store_cell(t, 0, "versions"), store_cell(t, 0, "oldest_version"),
			  store_cell(t, 0, "newest_version"), a);
}

static void range_extend(const char **oldest, const char **newest, const char *from, const char *to)
{
	if (from && (!*oldest || strcmp(from, *oldest) < 0))
		*oldest = from;
	if (to && (!*newest || strcmp(to, *newest) > 0))
		*newest = to;
}

void stored_tally_source(struct stored_tally *t, const struct stored_source *s)
{
	t->sources++;
	t->etags += s->etag;
	range_extend(&t->source_at.oldest, &t->source_at.newest, s->updated_at, s->updated_at);
}

void stored_tally_version(struct stored_tally *t, const struct stored_version *v)
{
	t->versions++;
	range_extend(&t->version_at.oldest, &t->version_at.newest, v->updated_at, v->updated_at);
}

void stored_tally_add(struct stored_tally *t, const struct stored_tally *more)
{
	t->sources += more->sources;
	t->versions += more->versions;
	t->etags += more->etags;
	range_extend(&t->source_at.oldest, &t->source_at.newest, more->source_at.oldest,
		     more->source_at.newest);
	range_extend(&t->version_at.oldest, &t->version_at.newest, more->version_at.oldest,
		     more->version_at.newest);
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

const char *stored_tally_stamp(const struct stored_tally *t, struct arena *a)
{
	return stamp_text(arena_printf(a, "%zu", t->sources), or_empty(t->source_at.oldest),
			  or_empty(t->source_at.newest),
			  t->sources > 0 ? arena_printf(a, "%" PRId64, t->etags) : "",
			  arena_printf(a, "%zu", t->versions), or_empty(t->version_at.oldest),
			  or_empty(t->version_at.newest), a);
}

static void on_sources(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct sources_call *s = list_item(c, struct sources_call, call);
	bool stamped = !e && count > 0 && tables[0]->row_count > 0;
	size_t n = !e && count > 1 ? tables[1]->row_count : 0;
	size_t m = !e && count > 2 ? tables[2]->row_count : 0;
	size_t k = !e && count > 3 ? tables[3]->row_count : 0;
	struct stored_source *sources = arena_alloc(s->arena, (n + 1) * sizeof(*sources));
	struct stored_version *versions = arena_alloc(s->arena, (m + 1) * sizeof(*versions));
	struct stored_join *joins = arena_alloc(s->arena, (k + 1) * sizeof(*joins));

	for (size_t i = 0; i < n; i++)
		sources[i] = source_from_row(tables[1], i, s->arena);
	for (size_t i = 0; i < m; i++)
		versions[i] = version_from_row(tables[2], i, s->arena);
	for (size_t i = 0; i < k; i++)
		joins[i] = join_from_row(tables[3], i, s->arena);
	s->cb(s->owner,
	      &(struct stored_sources){stamped ? stamp_from_row(tables[0], s->arena) : "", sources,
				       n, versions, m, joins, k},
	      e);
}

struct op *store_sources(struct store *s, const char *tenant, const char *since, struct arena *a,
			 store_sources_cb cb, void *owner)
{
	struct sources_call *f = store_call_new(s, tenant, sizeof(*f));

	f->arena = a;
	f->cb = cb;
	f->owner = owner;
	f->call.finish = on_sources;
	if (since)
		store_call_text(&f->call, "since", since);
	/* The stamp is read first, because another replica may commit between two statements. A
	 * stamp older than the rows only causes another read; a newer one would hide missing rows.
	 */
	store_call_add(&f->call, "sources_stamp");
	store_call_add(&f->call, "sources");
	store_call_add(&f->call, "source_versions");
	store_call_add(&f->call, "source_joins");
	return store_call_read(&f->call, DATA_SOURCE_VERSIONS_MAX);
}

static void on_stamp(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct sources_call *s = list_item(c, struct sources_call, call);
	const struct table *t = !e && count > 0 && tables[0]->row_count > 0 ? tables[0] : NULL;

	s->stamp(s->owner, t ? stamp_from_row(t, c->arena) : "", e);
}

struct op *store_sources_stamp(struct store *s, const char *tenant, store_sources_stamp_cb cb,
			       void *owner)
{
	struct sources_call *f = store_call_new(s, tenant, sizeof(*f));

	f->stamp = cb;
	f->owner = owner;
	f->call.finish = on_stamp;
	store_call_add(&f->call, "sources_stamp");
	return store_call_read(&f->call, 1);
}

/* ---- writing ---- */

static void on_done(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct sources_call *s = list_item(c, struct sources_call, call);

	(void)tables;
	(void)count;
	s->done(s->owner, e);
}

static bool column_equals(const struct table *t, const char *column, const char *text)
{
	return !text || strcmp(store_cell(t, 0, column), text) == 0;
}

/* True if the source declares exactly the joins of the edit. */
static bool joins_equal(const struct sources_call *s, const struct table *t)
{
	size_t n = 0;

	for (size_t row = 0; row < t->row_count; row++) {
		bool found = strcmp(store_cell(t, row, "source_uid"), s->source) != 0;

		n += !found;
		for (size_t i = 0; i < s->edit.join_count && !found; i++) {
			const struct stored_join *j = &s->edit.joins[i];

			found = strcmp(store_cell(t, row, "other_uid"), j->other) == 0 &&
				strcmp(store_cell(t, row, "source_column"), j->column) == 0 &&
				strcmp(store_cell(t, row, "other_column"), j->other_column) == 0;
		}
		if (!found)
			return false;
	}
	return n == s->edit.join_count;
}

/* True if the source is as this call wrote it, so no other writer was first. */
static bool is_as_written(const struct sources_call *s, const struct table *t,
			  const struct table *joins)
{
	if (s->edit.joins && !(joins && joins_equal(s, joins)))
		return false;
	return s->etag == 0 ||
	       (number_of(t, 0, "etag") == s->etag && column_equals(t, "name", s->edit.name) &&
		column_equals(t, "description", s->edit.description) &&
		column_equals(t, "visibility", s->edit.visibility) &&
		column_equals(t, "roles", s->edit.roles) &&
		column_equals(t, "meaning", s->edit.meaning) &&
		column_equals(t, "expires_at", s->edit.expires_at));
}

/* Checks the source as it was read after the write. */
static void on_source(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct sources_call *s = list_item(c, struct sources_call, call);
	bool found = !e && count > 0 && tables[0]->row_count > 0;
	struct err failure = {0};

	if (e)
		failure = *e;
	else if (!found && s->etag > 0)
		err_set(&failure, ERR_NOT_FOUND, "the data source does not exist");
	else if (!found)
		err_set(&failure, ERR_LIMIT,
			"the tenant has reached its limit of data sources of this kind");
	else if (s->adds_version && !(count > 1 && tables[1]->row_count > 0))
		err_set(&failure, ERR_BUSY, "a file of this data source is being loaded");
	else if (!is_as_written(s, tables[0], count > 1 ? tables[1] : NULL))
		err_set(&failure, ERR_BUSY, "the data source was changed meanwhile");
	s->done(s->owner, failure.code == ERR_NONE ? NULL : &failure);
}

static struct sources_call *source_call_new(struct store *s, const char *tenant, store_done_cb cb,
					    void *owner)
{
	struct sources_call *f = store_call_new(s, tenant, sizeof(*f));

	f->done = cb;
	f->owner = owner;
	f->call.finish = on_done;
	store_call_now(&f->call);
	return f;
}

struct op *store_source_add(struct store *s, const char *tenant, const struct stored_source *source,
			    const struct stored_version *version, store_done_cb cb, void *owner)
{
	struct sources_call *f = source_call_new(s, tenant, cb, owner);
	struct call *c = &f->call;

	c->finish = on_source;
	store_call_text(c, "source", source->uid);
	store_call_text(c, "owner", source->owner);
	store_call_text(c, "name", source->name);
	store_call_text(c, "description", source->description);
	store_call_text(c, "kind", source_kind_name(source->kind));
	store_call_int(c, "most",
		       source->kind == SOURCE_DOCUMENT ? DOCUMENTS_PER_TENANT_MAX
						       : DATA_SOURCES_PER_TENANT_MAX);
	store_call_add(c, "source_insert");
	if (version) {
		store_call_text(c, "version", version->uid);
		store_call_text(c, "format", version->format);
		store_call_add(c, "version_insert");
	}
	store_call_add(c, "source_one");
	if (version)
		store_call_add(c, "version_one");
	f->adds_version = version != NULL;
	return store_call_write(c);
}

static void set_text(struct call *c, const char *name, const char *text)
{
	if (text)
		store_call_text(c, name, text);
}

static void set_version(struct call *c, const struct stored_version *v)
{
	store_call_text(c, "version", v->uid);
	store_call_text(c, "state", version_state_name(v->state));
	set_text(c, "table", v->table);
	set_text(c, "sha256", v->sha256);
	set_text(c, "profile", v->profile);
	set_text(c, "ask", v->ask);
	set_text(c, "answers", v->answers);
	if (v->bytes > 0)
		store_call_int(c, "bytes", v->bytes);
	if (v->rows > 0)
		store_call_int(c, "rows", v->rows);
	if (v->fault.code) {
		store_call_text(c, "code", v->fault.code);
		store_call_text(c, "text", v->fault.text);
		store_call_int(c, "line", v->fault.line);
	}
	store_call_add(c, "version_update");
}

struct op *store_version_set(struct store *s, const char *tenant, const struct stored_version *v,
			     store_done_cb cb, void *owner)
{
	struct sources_call *f = source_call_new(s, tenant, cb, owner);

	set_version(&f->call, v);
	return store_call_write(&f->call);
}

/* Checks that the holder still loads the version, as it was read after the write. */
static void on_holder_checked(struct call *c, struct table **tables, size_t count,
			      const struct err *e)
{
	struct sources_call *s = list_item(c, struct sources_call, call);
	const struct table *t = !e && count > 0 && tables[0]->row_count > 0 ? tables[0] : NULL;
	struct err failure = {0};

	if (e)
		failure = *e;
	else if (!t || strcmp(store_cell(t, 0, "holder"), s->holder) != 0 ||
		 strcmp(store_cell(t, 0, "state"), states[VERSION_FAILED]) == 0)
		err_set(&failure, ERR_CANCELLED,
			"another replica loads this version, or has marked it as failed");
	s->done(s->owner, failure.code == ERR_NONE ? NULL : &failure);
}

static struct sources_call *holder_call_new(struct store *s, const char *tenant, const char *holder,
					    store_done_cb cb, void *owner)
{
	struct sources_call *f = source_call_new(s, tenant, cb, owner);

	f->holder = arena_strdup(f->call.arena, holder);
	f->call.finish = on_holder_checked;
	store_call_text(&f->call, "holder", holder);
	return f;
}

struct op *store_version_claim(struct store *s, const char *tenant, const struct stored_version *v,
			       const char *holder, store_done_cb cb, void *owner)
{
	struct sources_call *f = holder_call_new(s, tenant, holder, cb, owner);

	store_call_text(&f->call, "version", v->uid);
	store_call_text(&f->call, "table", v->table);
	store_call_add(&f->call, "version_claim");
	store_call_add(&f->call, "version_one");
	return store_call_write(&f->call);
}

struct op *store_version_heartbeat(struct store *s, const char *tenant, const char *uid,
				   store_done_cb cb, void *owner)
{
	struct sources_call *f = source_call_new(s, tenant, cb, owner);

	store_call_text(&f->call, "version", uid);
	store_call_add(&f->call, "version_beat");
	return store_call_write(&f->call);
}

struct op *store_version_publish(struct store *s, const char *tenant,
				 const struct stored_version *v, const char *holder,
				 store_done_cb cb, void *owner)
{
	struct sources_call *f = holder_call_new(s, tenant, holder, cb, owner);

	store_call_text(&f->call, "source", v->source);
	set_version(&f->call, v);
	store_call_add(&f->call, "version_retire");
	store_call_add(&f->call, "version_use");
	store_call_add(&f->call, "version_one");
	return store_call_write(&f->call);
}

struct op *store_version_fail(struct store *s, const char *tenant, const struct stored_version *v,
			      const char *code, store_done_cb cb, void *owner)
{
	struct sources_call *f = source_call_new(s, tenant, cb, owner);
	struct call *c = &f->call;

	store_call_text(c, "version", v->uid);
	store_call_text(c, "state", version_state_name(v->state));
	store_call_text(c, "updated_at", v->updated_at);
	store_call_text(c, "code", code);
	store_call_add(c, "version_fail");
	return store_call_write(c);
}

struct op *store_version_clear(struct store *s, const char *tenant, const char *uid,
			       store_done_cb cb, void *owner)
{
	struct sources_call *f = source_call_new(s, tenant, cb, owner);

	store_call_text(&f->call, "version", uid);
	store_call_add(&f->call, "version_clear");
	return store_call_write(&f->call);
}

struct op *store_version_remove(struct store *s, const char *tenant, const char *uid,
				store_done_cb cb, void *owner)
{
	struct sources_call *f = source_call_new(s, tenant, cb, owner);

	f->call.secure_delete = true;
	store_call_text(&f->call, "version", uid);
	store_call_add(&f->call, "version_delete");
	return store_call_write(&f->call);
}

static const struct stored_join *copy_joins(const struct source_edit *edit, struct arena *a)
{
	struct stored_join *list = arena_alloc(a, (edit->join_count + 1) * sizeof(*list));

	for (size_t i = 0; i < edit->join_count; i++)
		list[i] = (struct stored_join){
			.other = arena_strdup(a, edit->joins[i].other),
			.column = arena_strdup(a, edit->joins[i].column),
			.other_column = arena_strdup(a, edit->joins[i].other_column)};
	return edit->joins ? list : NULL;
}

/* These statements have no effect if the source changed since it was read. */
static void add_joins(struct call *c, const struct source_edit *edit)
{
	store_call_add(c, "source_joins_clear");
	for (size_t i = 0; i < edit->join_count; i++) {
		const struct stored_join *j = &edit->joins[i];

		store_call_text(c, "other", j->other);
		store_call_text(c, "source_column", j->column);
		store_call_text(c, "other_column", j->other_column);
		store_call_text(c, "stated_by", j->stated_by);
		store_call_add(c, "source_join_insert");
	}
}

struct op *store_source_edit(struct store *s, const char *tenant, const char *uid,
			     const struct source_edit *edit, store_done_cb cb, void *owner)
{
	struct sources_call *f = source_call_new(s, tenant, cb, owner);
	struct call *c = &f->call;

	f->etag = edit->if_etag + 1;
	f->edit = (struct source_edit){.name = arena_strdup(c->arena, edit->name),
				       .description = arena_strdup(c->arena, edit->description),
				       .visibility = arena_strdup(c->arena, edit->visibility),
				       .roles = arena_strdup(c->arena, edit->roles),
				       .meaning = arena_strdup(c->arena, edit->meaning),
				       .expires_at = arena_strdup(c->arena, edit->expires_at),
				       .joins = copy_joins(edit, c->arena),
				       .join_count = edit->join_count};
	f->source = arena_strdup(c->arena, uid);
	c->finish = on_source;
	c->secure_delete = true;
	store_call_text(c, "source", uid);
	store_call_int(c, "if_etag", edit->if_etag);
	if (edit->joins)
		add_joins(c, edit);
	set_text(c, "name", edit->name);
	set_text(c, "description", edit->description);
	set_text(c, "visibility", edit->visibility);
	set_text(c, "roles", edit->roles);
	set_text(c, "meaning", edit->meaning);
	set_text(c, "expires_at", edit->expires_at);
	store_call_add(c, "source_update");
	store_call_add(c, "source_one");
	if (edit->joins)
		store_call_add(c, "source_joins");
	return store_call_write(c);
}

struct op *store_source_mark_deleted(struct store *s, const char *tenant, const char *uid,
				     store_done_cb cb, void *owner)
{
	struct sources_call *f = source_call_new(s, tenant, cb, owner);

	store_call_text(&f->call, "source", uid);
	store_call_add(&f->call, "source_mark");
	return store_call_write(&f->call);
}

struct op *store_source_remove(struct store *s, const char *tenant, const char *uid,
			       const char *sentence, store_done_cb cb, void *owner)
{
	static const char *const queries[] = {
		"source_delete_receipts",  "source_delete_idempotency",
		"source_delete_summaries", "source_delete_saved",
		"source_delete_answers",   "source_delete_joins",
		"source_delete_versions",  "source_delete"};
	struct sources_call *f = source_call_new(s, tenant, cb, owner);
	struct call *c = &f->call;

	c->secure_delete = true;
	store_call_text(c, "source", uid);
	store_call_text(c, "sentence", sentence);
	store_call_text(c, "needed", sql_like_pattern(uid, c->arena));
	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++)
		store_call_add(c, queries[i]);
	return store_call_write(c);
}
