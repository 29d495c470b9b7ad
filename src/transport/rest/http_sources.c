/* Data sources: list with profiles, share, preview, change and delete. */
#include "http_route.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "http/page.h"
#include "http_chat.h"
#include "http_sources.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/turn.h"
#include "vesper/upload.h"
#include "vesper/uuid.h"
#include "vesper/zone.h"

#define ROWS_DEFAULT 50

struct uploads *uploads_of(const struct request *r)
{
	return r->transport->options.uploads;
}

/* ---- as JSON ---- */

static json_t *parse_stored(const char *text)
{
	json_t *json;
	struct err e;

	return text && json_parse(text, strlen(text), DATA_SOURCE_PROFILE_BYTES_MAX, &json, &e)
		       ? json
		       : NULL;
}

static json_t *fault_json(const struct stored_version *v)
{
	json_t *out;

	if (!v->fault.code)
		return NULL;
	out = json_make({"code", json_str(v->fault.code)}, {"message", json_str(v->fault.text)});
	if (v->fault.line > 0)
		json_set_int(out, "line", v->fault.line);
	return out;
}

/* The state of a version that is not in use. READY is shown as LOADING, because the version becomes
 * usable in a moment. */
static const char *shown_state(const struct stored_version *v)
{
	return version_state_name(v->state == VERSION_READY ? VERSION_LOADING : v->state);
}

/* The progress of a version that is not in use. */
static json_t *load_json(const struct request *r, const struct stored_version *v)
{
	json_t *out = json_make({"version", json_str(v->uid)}, {"number", json_int(v->number)},
				{"state", json_str(shown_state(v))}, {"bytes", json_int(v->bytes)});
	int64_t bytes, rows;

	if (uploads_progress(uploads_of(r), r->who->tenant, v->uid, &bytes, &rows)) {
		json_set_int(out, "bytes_read", bytes);
		json_set_int(out, "rows", rows);
	}
	json_set_take(out, "fault", fault_json(v));
	if (v->state == VERSION_ASKING)
		json_set_take(out, "ask", parse_stored(v->ask));
	return out;
}

static json_t *roles_json(const char *roles)
{
	struct str rest = str_of(roles), one;
	json_t *list = json_array();

	while (str_split(&rest, ' ', &one))
		if (one.n > 0)
			json_push_take(list, json_strn(one.p, one.n));
	return list;
}

static const struct zone *zone_of(const struct request *r)
{
	return turns_zone(r->transport->options.turns, r->who->tenant);
}

static void expiry_json(const struct request *r, int64_t ms, json_t *out)
{
	char time[CLOCK_RFC3339_BYTES], day[DATE_ISO_BYTES];

	clock_rfc3339(ms, time);
	date_iso(zone_date(zone_of(r), ms), day);
	json_set_str(out, "expires_at", time);
	json_set_str(out, "expires_on", day);
}

static json_t *source_json(const struct request *r, const struct upload_view *v, bool full)
{
	const struct stored_source *s = v->source;
	int64_t expires;
	json_t *out = json_make(
		{"id", json_str(s->uid)}, {"kind", json_str(source_kind_name(s->kind))},
		{"name", json_str(s->name)}, {"description", json_str(s->description)},
		{"owner", json_str(s->owner)}, {"is_owner", json_boolean(v->is_owner)},
		{"visibility", json_str(source_visibility_name(s->visibility))},
		{"roles", roles_json(s->roles)},
		{"state", json_str(v->current  ? "ready"
				   : v->newest ? shown_state(v->newest)
					       : "empty")},
		{"created_at", json_str(s->created_at)}, {"updated_at", json_str(s->updated_at)});

	if (v->current) {
		json_t *profile = parse_stored(v->current->profile);

		json_set_str(out, "version", v->current->uid);
		json_set_int(out, "rows", v->current->rows);
		json_set_int(out, "bytes", v->current->bytes);
		if (s->kind == SOURCE_TABLE)
			json_set_int(out, "columns",
				     (int64_t)json_array_size(json_object_get(profile, "columns")));
		json_set_take(
			out, "quality",
			json_incref(json_object_get(json_object_get(profile, "quality"), "score")));
		json_set_take(out, "profile", full ? json_incref(profile) : NULL);
		json_decref(profile);
	}
	if (uploads_expires(uploads_of(r), s, &expires))
		expiry_json(r, expires, out);
	if (full && s->kind == SOURCE_TABLE) {
		json_set_take(out, "semantic_profile",
			      uploads_meaning(uploads_of(r), r->who->tenant, v));
		json_set_take(out, "joins", uploads_joins(uploads_of(r), r->who, v));
	}
	if (v->newest && v->newest != v->current)
		json_set_take(out, "load", load_json(r, v->newest));
	return out;
}

const char *source_etag(const struct request *r, const struct upload_view *v)
{
	return arena_printf(r->arena, "\"%" PRId64 "\"", v->source->etag);
}

/* Returns false when it has answered the request. */
static bool find(struct request *r, struct upload_view *out)
{
	if (uploads_of(r) && uploads_find(uploads_of(r), r->who, r->params[0], out))
		return true;
	reply_problem(r, CODE_NOT_FOUND, NULL);
	return false;
}

/* Refuses a source that the caller may only use: its existence is not secret to such a caller. */
bool source_find_own(struct request *r, struct upload_view *out)
{
	if (!find(r, out))
		return false;
	if (!out->is_owner)
		reply_problem(r, CODE_DENIED, "Only the owner of this data source may change it.");
	return out->is_owner;
}

/* ---- lists ---- */

/* The first page has the newest sources, the next page those before them; a page is ordered by age,
 * oldest first. */
static void reply_list(struct request *r, const struct page *page, const enum source_kind *kind,
		       bool all)
{
	const struct upload_view *views = NULL;
	size_t n = uploads_of(r) ? uploads_list(uploads_of(r), r->who, all, r->arena, &views) : 0;
	const struct upload_view **shown =
		arena_alloc(r->arena, (page->limit + 1) * sizeof(*shown));
	json_t *sources = json_array(), *body = json_make({"sources", sources});
	size_t count = 0;
	bool has_more;

	for (; n > 0 && count <= page->limit; n--)
		if ((!kind || views[n - 1].source->kind == *kind) &&
		    (!page->after || strcmp(views[n - 1].source->uid, page->after) < 0))
			shown[count++] = &views[n - 1];
	has_more = count > page->limit;
	count -= has_more;
	for (size_t i = count; i > 0; i--)
		json_push_take(sources, source_json(r, shown[i - 1], false));
	page_add_members(r, body, has_more, count > 0 ? shown[count - 1]->source->uid : NULL);
	reply_json(r, 200, body);
}

static void list(struct request *r, bool all)
{
	const char *kind_name = request_query(r, "kind");
	enum source_kind kind;
	struct page page;
	struct err e;

	if (kind_name && !source_kind_parse(kind_name, &kind))
		reply_problem(r, CODE_BAD_FRAME, "kind: must be table or document.");
	else if (!page_parse_limits(r, DOCUMENTS_LISTED_MAX, DOCUMENTS_LISTED_MAX, &page, &e))
		reply_err(r, &e);
	else
		reply_list(r, &page, kind_name ? &kind : NULL, all);
}

void on_get_sources(struct request *r)
{
	list(r, false);
}

void on_get_admin_sources(struct request *r)
{
	list(r, true);
}

void on_get_source(struct request *r)
{
	struct upload_view v;

	if (!find(r, &v))
		return;
	reply_header(r, "ETag", source_etag(r, &v));
	reply_json(r, 200, source_json(r, &v, true));
}

/* ---- rows ---- */

static json_t *cells_json(const struct table *t, size_t row)
{
	json_t *cells = json_array();

	for (size_t c = 0; c < t->column_count; c++)
		json_push_take(cells, t->rows[row][c] ? json_str(t->rows[row][c]) : json_null());
	return cells;
}

static void on_rows(void *owner, struct table *take, const struct err *e)
{
	struct request *r = owner;
	json_t *columns = json_array(), *rows = json_array();

	r->op = NULL;
	for (size_t c = 0; take && c < take->column_count; c++)
		json_push_take(columns, json_str(take->columns[c].name));
	for (size_t i = 0; take && i < take->row_count; i++)
		json_push_take(rows, cells_json(take, i));
	table_free(&take);
	if (e) {
		json_decref(columns);
		json_decref(rows);
		reply_err(r, e);
		return;
	}
	reply_json(r, 200, json_make({"columns", columns}, {"rows", rows}));
}

void on_get_source_rows(struct request *r)
{
	const char *text = request_query(r, "limit");
	long limit = text ? strtol(text, NULL, 10) : ROWS_DEFAULT;
	struct upload_view v;
	struct err e;

	if (limit < 1 || limit > DATA_SOURCE_ROWS_SHOWN) {
		reply_problem(
			r, CODE_BAD_FRAME,
			arena_printf(r->arena, "limit: must be 1 to %d", DATA_SOURCE_ROWS_SHOWN));
		return;
	}
	if (find(r, &v) &&
	    !uploads_rows(uploads_of(r), r->who->tenant, &v, (size_t)limit, on_rows, r, &r->op, &e))
		reply_err(r, &e);
}

/* ---- changes ---- */

static void on_changed(void *owner, const struct err *e)
{
	struct request *r = owner;

	r->op = NULL;
	if (e && e->code == ERR_BUSY)
		reply_problem(r, CODE_CHANGED, NULL);
	else if (e)
		reply_err(r, e);
	else
		reply_empty(r, r->route->flags & ROUTE_BODY ? 204 : 202);
}

bool source_text_check(const char *name, const char *text, size_t max_chars, struct err *e)
{
	if (!text ||
	    (utf8_valid(text, strlen(text)) && utf8_count(text, strlen(text)) <= max_chars))
		return true;
	return err_set(e, ERR_INPUT, "%s: must have at most %zu characters", name, max_chars);
}

bool source_name_check(const char *name, struct err *e)
{
	if (name && !utf8_is_identifier(name, strlen(name)))
		return err_set(e, ERR_INPUT,
			       "name: must be one line of text without leading or trailing blanks");
	return source_text_check("name", name, SOURCE_NAME_CHARS, e);
}

static bool roles_check(const struct request *r, const json_t *roles, const char **out,
			struct err *e)
{
	const struct catalog *c =
		turns_knowledge(r->transport->options.turns, r->who->tenant)->catalog;
	const char *all = "";
	json_t *role;
	size_t i;

	if (!roles)
		return true;
	json_array_foreach((json_t *)roles, i, role) {
		const char *name = json_string_value(role);

		if (!name || !catalog_role(c, name))
			return err_set(e, ERR_INPUT, "roles: one of them does not exist");
		all = arena_printf(r->arena, "%s%s%s", all, i > 0 ? " " : "", name);
	}
	*out = all;
	return true;
}

/* Parses a time, or a day, at whose end in the tenant's time zone the source expires. */
static bool expiry_parse(const struct request *r, const char *text, int64_t *out, struct err *e)
{
	struct date day;

	if (!date_parse_iso(text, &day))
		return clock_parse_rfc3339(text, out, e);
	*out = zone_day_ms(zone_of(r), date_to_days(day) + 1) - 1;
	return true;
}

/* Null: no expiry, except by the server's retention. */
static bool expiry_check(const struct request *r, const json_t *expires, const char **out,
			 struct err *e)
{
	const char *text = json_string_value(expires);
	char *time = arena_alloc(r->arena, CLOCK_RFC3339_BYTES);
	int64_t at;

	if (!expires)
		return true;
	*out = "";
	if (json_is_null(expires))
		return true;
	if (!text || !expiry_parse(r, text, &at, e))
		return err_set(e, ERR_INPUT,
			       "expires_at: must be a day such as 2027-01-31, a time such as "
			       "2027-01-31T12:00:00.000Z, or null");
	clock_rfc3339(at, time);
	*out = time;
	return at > clock_now_ms() || err_set(e, ERR_INPUT, "expires_at: must be in the future");
}

static bool meaning_check(const struct request *r, const struct upload_view *v, const char **out,
			  struct err *e)
{
	const json_t *patch = json_object_get(r->body, "semantic_profile");

	if (!patch)
		return true;
	return json_is_object(patch) ? uploads_meaning_edit(v, patch, r->arena, out, e)
				     : err_set(e, ERR_INPUT, "semantic_profile: must be an object");
}

static bool edit_parse(const struct request *r, const struct upload_view *v,
		       struct source_edit *out, struct err *e)
{
	static const char *const members[] = {"name",  "description", "visibility",
					      "roles", "expires_at",  "semantic_profile",
					      NULL};
	enum source_visibility ignored;
	json_t *roles = NULL;

	*out = (struct source_edit){0};
	if (!json_check_members(r->body, members, e) ||
	    !json_opt_str(r->body, "name", &out->name, e) ||
	    !json_opt_str(r->body, "description", &out->description, e) ||
	    !json_opt_str(r->body, "visibility", &out->visibility, e) ||
	    !json_opt_array(r->body, "roles", &roles, e) || !source_name_check(out->name, e) ||
	    !source_text_check("description", out->description, SOURCE_DESCRIPTION_CHARS, e) ||
	    !roles_check(r, roles, &out->roles, e) ||
	    !expiry_check(r, json_object_get(r->body, "expires_at"), &out->expires_at, e) ||
	    !meaning_check(r, v, &out->meaning, e))
		return false;
	if (out->visibility && !source_visibility_parse(out->visibility, &ignored))
		return err_set(e, ERR_INPUT, "visibility: must be private, tenant or roles");
	return json_object_size(r->body) > 0 ||
	       err_set(e, ERR_INPUT, "the body must have at least one member");
}

static void edit_source(struct request *r, const struct upload_view *v, struct source_edit *edit)
{
	const char *tag = request_header(r, "If-Match");

	if (tag && !request_matches_etag(r, "If-Match", source_etag(r, v))) {
		reply_problem(r, CODE_CHANGED, NULL);
		return;
	}
	edit->if_etag = v->source->etag;
	r->op = uploads_edit(uploads_of(r), r->who->tenant, r->params[0], edit, on_changed, r);
}

void on_patch_source(struct request *r)
{
	struct source_edit edit;
	struct upload_view v;
	struct err e;

	if (!source_find_own(r, &v))
		return;
	if (edit_parse(r, &v, &edit, &e))
		edit_source(r, &v, &edit);
	else
		reply_invalid(r, &e);
}

/* "on": [["customer", "customer_no"]] */
static bool join_parse(const json_t *item, struct upload_join *out, struct err *e)
{
	static const char *const members[] = {"to", "on", "cardinality", NULL};
	json_t *on = NULL, *pair;

	if (!json_is_object(item) || !json_check_members(item, members, e) ||
	    !json_get_str(item, "to", &out->to, e) || !json_opt_array(item, "on", &on, e) ||
	    !json_opt_str(item, "cardinality", &out->cardinality, e))
		return err_set(e, ERR_INPUT,
			       "joins: each must have to and on, and may have cardinality");
	pair = json_array_get(on, 0);
	out->column = json_string_value(json_array_get(pair, 0));
	out->other_column = json_string_value(json_array_get(pair, 1));
	return (json_array_size(on) == 1 && json_array_size(pair) == 2 && out->column &&
		out->other_column) ||
	       err_set(e, ERR_INPUT, "joins: on: must be one pair of column names");
}

static bool joins_parse(const struct request *r, const struct upload_view *v,
			struct source_edit *out, struct err *e)
{
	static const char *const members[] = {"joins", NULL};
	struct upload_join *list;
	struct stored_join *joins;
	json_t *array = NULL;
	size_t n;

	if (!json_check_members(r->body, members, e) ||
	    !json_opt_array(r->body, "joins", &array, e))
		return false;
	n = json_array_size(array);
	if (!array || n > DATA_SOURCE_JOINS_MAX)
		return err_set(e, ERR_INPUT, "joins: must be a list of at most %d joins",
			       DATA_SOURCE_JOINS_MAX);
	list = arena_alloc(r->arena, (n + 1) * sizeof(*list));
	joins = arena_alloc(r->arena, (n + 1) * sizeof(*joins));
	for (size_t i = 0; i < n; i++) {
		if (!join_parse(json_array_get(array, i), &list[i], e))
			return false;
		joins[i] = (struct stored_join){.other = list[i].to,
						.column = list[i].column,
						.other_column = list[i].other_column,
						.stated_by = r->who->user};
	}
	out->joins = joins;
	out->join_count = n;
	return uploads_joins_check(uploads_of(r), r->who, v, list, n, e);
}

void on_put_source_joins(struct request *r)
{
	struct source_edit edit = {0};
	struct upload_view v;
	struct err e;

	if (!source_find_own(r, &v))
		return;
	if (joins_parse(r, &v, &edit, &e))
		edit_source(r, &v, &edit);
	else
		reply_invalid(r, &e);
}

/* Administrators may delete sources that they may not read. */
static bool find_deletable(struct request *r)
{
	const struct upload_view *all;
	size_t n = uploads_of(r) ? uploads_list(uploads_of(r), r->who, true, r->arena, &all) : 0;

	for (size_t i = 0; i < n; i++)
		if (strcmp(all[i].source->uid, r->params[0]) == 0 && !all[i].source->deleted_at)
			return all[i].is_owner || may(r->who, "chat:admin");
	return false;
}

void on_delete_source(struct request *r)
{
	struct upload_view v;

	if (find_deletable(r))
		r->op = uploads_delete(uploads_of(r), r->who->tenant, r->params[0], on_changed, r);
	else
		(void)source_find_own(r, &v);
}

void on_post_source_answer(struct request *r)
{
	static const char *const members[] = {"ask_id", "values", NULL};
	struct upload_answer answer = {.tenant = r->who->tenant, .source = r->params[0]};
	struct upload_view v;
	json_t *values = NULL;
	struct err e;

	if (!source_find_own(r, &v))
		return;
	if (!json_check_members(r->body, members, &e) ||
	    !json_get_str(r->body, "ask_id", &answer.ask_id, &e) ||
	    !json_opt_array(r->body, "values", &values, &e)) {
		reply_invalid(r, &e);
		return;
	}
	answer.value = json_string_value(json_array_get(values, 0));
	if (!answer.value || json_array_size(values) != 1)
		reply_problem(r, CODE_INVALID, "values: must be one of the options.");
	else if (uploads_answer(uploads_of(r), &answer, reply_done, r, &r->op, &e))
		return;
	else if (e.code == ERR_BUSY)
		reply_problem(r, CODE_DATA_BUSY, arena_printf(r->arena, "%s.", e.text));
	else
		reply_invalid(r, &e);
}

void on_get_source_events(struct request *r)
{
	struct upload_view v;
	const char *run;

	if (!find(r, &v))
		return;
	run = uploads_newest_load(uploads_of(r), r->who->tenant, r->params[0]);
	chat_events(r, run ? run : "");
}
