/*
 * `vesperctl pbi ingest`: stores who used which Power BI report, one day at a time and page by
 * page, as the service returns it. A day is complete when its last page was read. Events arrive
 * late, so the last two days are read again each time.
 */
#include "ctl.h"

#include <stdio.h>
#include <string.h>

#include "daemon.h"
#include "pbi_rows.h"
#include "pbi_state.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define EVENTS "/v1.0/myorg/admin/activityevents"
struct ingest {
	struct daemon daemon; /* only its loop, HTTP client and Power BI */
	struct pbi_rows *rows;
	struct pbi_state state;
	const char *tenant;
	const char *workspaces; /* NULL: all */
	json_t *reply;
	struct err failure;
	int added, existing, skipped; /* events */
};

/* ---- an event ---- */

static bool is_selected_workspace(const struct ingest *g, const char *workspace)
{
	struct str rest = str_of(g->workspaces), part;

	if (!g->workspaces)
		return true;
	while (str_split(&rest, ',', &part))
		if (str_eq_nocase(str_trim(part), str_of(workspace)))
			return true;
	return false;
}

/* Sets a column to the text, cut to the column's width in characters. */
static void set_truncated(json_t *row, const char *column, const char *text, size_t max)
{
	size_t n = 0, chars = 0;

	while (text[n] && (((unsigned char)text[n] & 0xC0) == 0x80 || ++chars <= max))
		n++;
	json_object_set_new(row, column, json_strn(text, n));
}

/* Converts an event to a row. Members vary by activity; a missing one becomes empty. NULL: not
 * about a report, of another workspace, or without a usable id or time. */
static json_t *event_to_row(const struct ingest *g, const json_t *event)
{
	const char *id = json_text_at(event, "Id"), *report = json_text_at(event, "ReportId");
	const char *operation = json_text_at(event, "Activity");
	char at[CLOCK_RFC3339_BYTES];
	int64_t ms;
	json_t *row;

	if (!*id || strlen(id) > 100 || !*report ||
	    !is_selected_workspace(g, json_text_at(event, "WorkspaceId")) ||
	    !clock_parse_rfc3339(json_text_at(event, "CreationTime"), &ms, NULL))
		return NULL;
	clock_rfc3339(ms, at);
	row = json_object();
	json_set_str(row, "source_id", id);
	set_truncated(row, "report_id", report, 200);
	set_truncated(row, "report_name", json_text_at(event, "ReportName"), 500);
	set_truncated(row, "workspace_name", json_text_at(event, "WorkSpaceName"), 500);
	set_truncated(row, "user_email", json_text_at(event, "UserId"), 500);
	set_truncated(row, "activity_type",
		      *operation ? operation : json_text_at(event, "Operation"), 100);
	json_object_set_new(row, "activity_date", json_strn(at, 10));
	at[10] = ' ';
	json_object_set_new(row, "created_at", json_strn(at, 19));
	return row;
}

static bool store_events(struct ingest *g, const json_t *events, struct err *e)
{
	const json_t *event;
	size_t i;

	json_array_foreach(events, i, event) {
		json_t *row = event_to_row(g, event);
		int before = g->added;
		bool done = !row || pbi_rows_add(g->rows, row, &g->added, e);

		g->skipped += !row;
		g->existing += row && g->added == before;
		json_decref(row);
		if (!done)
			return false;
	}
	return pbi_rows_commit(g->rows, e);
}

/* ---- a page ---- */

static void on_reply(void *owner, const json_t *reply, const struct err *e)
{
	struct ingest *g = owner;

	g->reply = reply ? json_incref((json_t *)reply) : NULL;
	g->failure = e ? *e : (struct err){0};
	loop_stop(g->daemon.loop);
}

static bool fetch_page(struct ingest *g, const char *path, struct err *e)
{
	if (!pbi_state_call(&g->state, e))
		return false;
	json_decref(g->reply);
	g->reply = NULL;
	pbi_call(g->daemon.pbi, path, NULL, on_reply, g);
	loop_run(g->daemon.loop);
	if (g->reply)
		return true;
	*e = g->failure;
	if (e->retry_after_ms > 0)
		err_prefix(e, "retry in %d s", (e->retry_after_ms + 999) / 1000);
	return false;
}

/* The next page is requested at our configured address, so that the token is not sent elsewhere.
 * The continuation token is already escaped for a URL. */
static bool next_path(const json_t *reply, char **out, struct err *e)
{
	const char *token = json_string_value(json_object_get(reply, "continuationToken"));

	*out = NULL;
	if (json_is_true(json_object_get(reply, "lastResultSet")) || !token || !*token)
		return true;
	if (strpbrk(token, " '\"<>&#?\\\r\n\t"))
		return err_set(e, ERR_UPSTREAM, "invalid continuation token");
	*out = mem_printf(EVENTS "?continuationToken=%%27%s%%27", token);
	return true;
}

static bool read_day(struct ingest *g, const char *day, struct err *e)
{
	char *path = mem_printf(EVENTS "?startDateTime=%%27%sT00:00:00.000Z%%27"
				       "&endDateTime=%%27%sT23:59:59.999Z%%27",
				day, day);
	bool done = true;

	while (done && path) {
		char *next = NULL;

		done = fetch_page(g, path, e) &&
		       store_events(g, json_object_get(g->reply, "activityEventEntities"), e) &&
		       next_path(g->reply, &next, e);
		mem_free(path);
		path = next;
	}
	return done || err_prefix(e, "%s", day);
}

/* ---- the days ---- */

static bool date_option(const struct command *cmd, const char *name, int64_t *days, struct err *e)
{
	const char *text = ctl_option(cmd, name, NULL);
	struct date date;

	if (!text)
		return true;
	if (!date_parse_iso(text, &date))
		return err_set(e, ERR_INPUT, "--%s: \"%s\" is not a date like 2026-02-27", name,
			       text);
	*days = date_to_days(date);
	return true;
}

static bool read_range(const struct ingest *g, const struct command *cmd, int64_t *from,
		       int64_t *to, struct err *e)
{
	int64_t today = date_to_days(clock_today()), oldest = today - PBI_ACTIVITY_DAYS + 1;
	struct date watermark;

	*to = today;
	*from = oldest;
	if (date_parse_iso(pbi_state_day(&g->state, g->tenant), &watermark) &&
	    date_to_days(watermark) - 1 > oldest)
		*from = date_to_days(watermark) - 1;
	if (!date_option(cmd, "from", from, e) || !date_option(cmd, "to", to, e))
		return false;
	if (*from < oldest)
		return err_set(e, ERR_INPUT, "--from: the service keeps only %d days",
			       PBI_ACTIVITY_DAYS);
	if (*from > *to || *to > today)
		return err_set(e, ERR_INPUT, "--from, --to: must be days up to today, in order");
	return true;
}

/* The watermark never moves back, and never past a day that was skipped. */
static bool set_watermark(struct ingest *g, int64_t first, int64_t day, const char *text,
			  struct err *e)
{
	struct date watermark;

	if (date_parse_iso(pbi_state_day(&g->state, g->tenant), &watermark) &&
	    (date_to_days(watermark) >= day || date_to_days(watermark) + 1 < first))
		return true;
	return pbi_state_set_day(&g->state, g->tenant, text, e);
}

static bool read_days(struct ingest *g, const struct command *cmd, struct err *e)
{
	int64_t from, to;

	if (!read_range(g, cmd, &from, &to, e))
		return false;
	for (int64_t day = from; day <= to; day++) {
		char text[DATE_ISO_BYTES];

		date_iso(date_from_days(day), text);
		g->added = g->existing = g->skipped = 0;
		if (!read_day(g, text, e) || !set_watermark(g, from, day, text, e))
			return false;
		printf("%s: %d new, %d known, %d skipped\n", text, g->added, g->existing,
		       g->skipped);
	}
	return true;
}

/* ---- the verb ---- */

/* The events of a directory are those of all its users, so with several tenants the workspaces of
 * each must be named. */
static bool check_options(const struct ingest *g, const char *file, const char *dsn, struct err *e)
{
	const json_t *tenants = config_json(g->daemon.config, "tenants");

	if (!g->tenant || !json_object_get(tenants, g->tenant))
		return err_set(e, ERR_INPUT, "--tenant must name a configured tenant");
	if (!file == !dsn)
		return err_set(e, ERR_INPUT, "give either --file or --dsn");
	return g->workspaces || json_object_size(tenants) == 1 ||
	       err_set(e, ERR_INPUT,
		       "--workspace is required with several tenants; list the workspaces of %s",
		       g->tenant);
}

static bool run(struct ingest *g, const struct command *cmd, struct err *e)
{
	const char *file = ctl_option(cmd, "file", NULL);
	const char *dsn = ctl_option(cmd, "dsn", NULL);
	const char *state = ctl_option(cmd, "state", NULL);
	struct daemon *d = &g->daemon;

	if (!daemon_setup(d, e) || !check_options(g, file, dsn, e) || !daemon_open_http(d, e) ||
	    !daemon_open_pbi(d, e))
		return false;
	if (!d->pbi)
		return err_set(e, ERR_INPUT,
			       "pbi.tenant_id, pbi.client_id and pbi.client_secret are not set");
	if (!state)
		state = arena_printf(d->arena, "%s/pbi-ingest.json",
				     config_text(d->config, "data_dir"));
	return pbi_state_open(state, &g->state, e) &&
	       pbi_rows_open(file, dsn, g->tenant, &g->rows, e) && read_days(g, cmd, e);
}

int ctl_pbi(const struct command *cmd)
{
	const char *verb = ctl_arg(cmd, 0);
	struct ingest g = {.tenant = ctl_option(cmd, "tenant", NULL),
			   .workspaces = ctl_option(cmd, "workspace", NULL)};
	struct err e = {0};
	bool done;

	if (!verb || strcmp(verb, "ingest") != 0 || ctl_arg(cmd, 1))
		return ctl_usage_error(cmd, "the verb must be ingest");
	done = run(&g, cmd, &e);
	json_decref(g.reply);
	pbi_rows_close(&g.rows);
	pbi_state_close(&g.state);
	daemon_free_parts(&g.daemon);
	config_free(&g.daemon.config);
	return done ? 0 : ctl_fail("%s", e.text);
}
