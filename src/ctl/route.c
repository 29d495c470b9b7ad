/*
 * `vesperctl route`: prints how the rules read a question, as the daemon would with the
 * same configuration. The names in the data of an existing warehouse are loaded first; without a
 * warehouse, only the catalogue's values are known.
 */
#include "ctl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl_app.h"
#include "vesper/config.h"
#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/nlu.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/loop.h"
#include "vesper/zone.h"

#define BATCH_BYTES_MAX (64 << 20)
#define CONFIG_BYTES    (1 << 20)

struct router {
	struct catalog *catalog;
	struct nlu *nlu;
	struct principal who;
	struct date today;
	struct company_calendar calendar;
};

/* Reads the earlier questions in order, so that the last one has their session context. */
static json_t *route_question(const struct router *r, const json_t *history, const char *question)
{
	struct arena *a = arena_new(64 << 20);
	struct understanding u = {0};
	json_t *session_context = NULL, *out;
	struct catalog_view view;
	size_t n = json_array_size(history);

	catalog_for(r->catalog, &r->who, a, &view);
	for (size_t i = 0; i <= n; i++) {
		struct nlu_input in = {
			.question =
				i < n ? json_string_value(json_array_get(history, i)) : question,
			.tenant = r->who.tenant,
			.may = &view,
			.today = r->today,
			.calendar = r->calendar,
			.session_context = session_context,
		};

		if (!in.question)
			continue;
		nlu_understand(r->nlu, &in, a, &u);
		if (i < n && u.unused_count == 0 && (u.filter_count > 0 || u.tool_count > 0)) {
			json_decref(session_context);
			session_context = nlu_session_context(&u);
		}
	}
	out = nlu_route_json(&u);
	json_decref(session_context);
	arena_free(&a);
	return out;
}

/* Reads one earlier question per line. */
static json_t *read_history(const char *path, struct arena *a)
{
	json_t *history = json_array();
	const char *text;
	struct str rest, line;
	struct err e;

	if (!path)
		return history;
	if (!file_read(path, BATCH_BYTES_MAX, a, &text, &e)) {
		ctl_fail("%s", e.text);
		json_decref(history);
		return NULL;
	}
	rest = str_of(text);
	while (str_split(&rest, '\n', &line))
		if (str_trim(line).n > 0)
			json_push_take(history, json_strn(str_trim(line).p, str_trim(line).n));
	return history;
}

static int route_batch(const struct router *r, const char *path, struct arena *a)
{
	struct str rest, line;
	struct err e = {0};
	const char *text;
	int number = 0;

	if (!file_read(path, BATCH_BYTES_MAX, a, &text, &e))
		return ctl_fail("%s", e.text);
	rest = str_of(text);
	while (str_split(&rest, '\n', &line)) {
		json_t *request, *out;
		const char *question;

		number++;
		line = str_trim(line);
		if (line.n == 0)
			continue;
		if (!json_parse(line.p, line.n, BODY_BYTES_MAX, &request, &e))
			return ctl_fail("%s:%d: %s", path, number, e.text);
		if (!json_get_str(request, "question", &question, &e))
			return ctl_fail("%s:%d: %s", path, number, e.text);
		out = route_question(r, json_object_get(request, "history"), question);
		if (json_object_get(request, "id"))
			json_object_set(out, "id", json_object_get(request, "id"));
		ctl_print_json(out);
		json_decref(request);
	}
	return 0;
}

static int run_route(struct router *r, const struct command *cmd, struct arena *a)
{
	const char *batch = ctl_option(cmd, "batch", NULL);
	const char *question = ctl_arg(cmd, 0);
	json_t *history;

	if (batch)
		return route_batch(r, batch, a);
	if (!question)
		return ctl_usage_error(cmd, "give a question");
	history = read_history(ctl_option(cmd, "history", NULL), a);
	if (!history)
		return 1;
	ctl_print_json(route_question(r, history, question));
	json_decref(history);
	return 0;
}

/* ---- names of the warehouse ---- */

static bool is_present(const struct database *d, const char *tenant)
{
	for (size_t i = 0; i < d->tenant_count; i++)
		if (strcmp(d->tenants[i].id, tenant) == 0)
			return d->dialect != DIALECT_SQLITE ||
			       access(d->tenants[i].file, R_OK) == 0;
	return false;
}

/* Removes sources that do not serve the tenant or whose file is missing. */
static void drop_missing_sources(struct databases *all, const char *tenant)
{
	size_t n = 0;

	for (size_t i = 0; i < all->source_count; i++)
		if (is_present(&all->sources[i], tenant))
			all->sources[n++] = all->sources[i];
	all->source_count = n;
}

/* Loads the names in the data of one tenant's sources. There may be no source, but a source that
 * cannot be read is an error, because questions are misread without its names. */
static bool load_names(struct router *r, const struct config *c, struct arena *a, struct err *e)
{
	struct databases all;
	struct loop *l;
	struct open_sources sources = {0};
	const struct catalog *catalog = r->catalog;
	bool loaded;

	if (!databases_read(c, a, &all, e))
		return false;
	drop_missing_sources(&all, r->who.tenant);
	if (all.source_count == 0)
		return true;
	if (!loop_new(&l, e))
		return false;
	loaded = databases_open_sources(&all, l, a, &sources, e) &&
		 databases_use_views(&sources, &catalog, 1, e);
	loaded = loaded && ctl_app_load_names(l, &sources, r->nlu, r->who.tenant, e);
	databases_close_sources(&sources, 0);
	loop_free(&l);
	return loaded;
}

/* Reads the fiscal year and the start of the week. */
static void read_calendar(struct router *r, const struct config *c)
{
	r->calendar.fiscal_start_month = (int)config_int(c, "calendar.fiscal_start_month");
	r->calendar.week_start = calendar_weekday(config_text(c, "calendar.week_start"));
}

static bool router_open(struct router *r, const struct config *c, const struct command *cmd,
			struct arena *a, struct err *e)
{
	r->who.tenant = ctl_option(cmd, "tenant", "vesper");
	read_calendar(r, c);
	if (!ctl_today(cmd, c, r->who.tenant, &r->today, e) ||
	    !ctl_load_catalog(c, r->who.tenant, &r->catalog, e) ||
	    !ctl_principal(r->catalog, "admin", r->who.tenant, &r->who, e))
		return false;
	r->nlu = nlu_new(r->catalog);
	return load_names(r, c, a, e);
}

int ctl_route(const struct command *cmd)
{
	struct arena *a = arena_new(BATCH_BYTES_MAX + CONFIG_BYTES);
	struct router r = {0};
	struct config *c = NULL;
	struct err e = {0};
	int status;

	log_setup(LOG_ERROR, LOG_AUTO);
	if (ctl_config(a, &c, &e) && router_open(&r, c, cmd, a, &e))
		status = run_route(&r, cmd, a);
	else
		status = ctl_fail("%s", e.text);
	nlu_free(&r.nlu);
	catalog_unref(&r.catalog);
	config_free(&c);
	arena_free(&a);
	return status;
}
