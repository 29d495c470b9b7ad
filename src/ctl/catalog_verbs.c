/* Verbs over the catalogue that need no daemon: tokens, tools, a tool's SQL, and what code makes of
 * a question. */
#include "ctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/jwt.h"
#include "vesper/know.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define PERMISSIONS_MAX 64
#define BATCH_BYTES_MAX (64 * 1024 * 1024)

/* ---- token ---- */

static size_t split_commas(char *text, const char **out, size_t max)
{
	size_t n = 0;

	for (char *part = text; part && n < max;) {
		char *comma = strchr(part, ',');

		if (comma)
			*comma = '\0';
		if (*part)
			out[n++] = part;
		part = comma ? comma + 1 : NULL;
	}
	return n;
}

int ctl_token(int argc, char **argv)
{
	const char *secret = getenv("VESPER_JWT_SECRET");
	char *perms = mem_strdup(ctl_option(argc, argv, "--perms", "chat:use"));
	const char *list[PERMISSIONS_MAX];
	struct principal who = {
		.user = ctl_option(argc, argv, "--sub", "developer"),
		.tenant = ctl_option(argc, argv, "--tenant", "vesper"),
		.permissions = list,
	};
	struct buf token;

	if (!secret || !*secret) {
		mem_free(perms);
		return ctl_fail("VESPER_JWT_SECRET is not set: it must be the daemon's own");
	}
	who.permission_count = split_commas(perms, list, PERMISSIONS_MAX);
	buf_init(&token, TOKEN_BYTES_MAX);
	jwt_mint(&token, &who, clock_now_ms(),
		 strtoll(ctl_option(argc, argv, "--life-s", "3600"), NULL, 10), secret);
	puts(buf_text(&token));
	buf_deinit(&token);
	mem_free(perms);
	return 0;
}

/* ---- tools, tool ---- */

static void principal_of_role(const struct catalog *c, const char *role, struct principal *out)
{
	const char *const *permissions = catalog_role(c, role);

	*out = (struct principal){
		.user = "vesperctl", .tenant = "vesper", .permissions = permissions};
	while (permissions && permissions[out->permission_count])
		out->permission_count++;
}

static void print_json(json_t *take)
{
	char *text = json_text(take);

	puts(text);
	mem_free(text);
	json_decref(take);
}

int ctl_tools(int argc, char **argv)
{
	const char *role = ctl_option(argc, argv, "--role", "admin");
	struct arena *a = arena_new(16 << 20);
	struct catalog_view view;
	struct principal who;
	struct catalog *c;

	if (!ctl_catalog(&c)) {
		arena_free(&a);
		return 1;
	}
	principal_of_role(c, role, &who);
	catalog_for(c, &who, a, &view);
	print_json(catalog_tools_json(&view));
	catalog_unref(&c);
	arena_free(&a);
	return 0;
}

static struct value value_of(const struct param_def *p, const char *text)
{
	switch (p->type) {
	case PARAM_INT:
	case PARAM_BOOL:
		return value_int(strtoll(text, NULL, 10));
	case PARAM_DECIMAL:
		return value_decimal(text);
	case PARAM_DATE:
		return value_date(text);
	default:
		return value_text(text);
	}
}

static bool read_args(int argc, char **argv, const struct catalog *c, const struct tool_def *tool,
		      struct arena *a, struct args *args)
{
	char today[DATE_ISO_BYTES];

	for (size_t i = 0; i < tool->param_count; i++)
		if (tool->params[i].default_text)
			args_set(args, a, tool->params[i].name,
				 value_of(&tool->params[i], tool->params[i].default_text));
	for (int n = 2; ctl_word(argc, argv, n); n++) {
		const char *word = ctl_word(argc, argv, n), *equals = strchr(word, '=');
		const struct param_def *p =
			equals ? tool_param(tool, arena_strndup(a, word, (size_t)(equals - word)))
			       : NULL;

		if (!p) {
			ctl_fail("%s: not name=value of a parameter of %s", word, tool->name);
			return false;
		}
		if (p->is_list)
			args_set_list(args, a, p->name,
				      &(struct value[]){value_of(p, equals + 1)}[0], 1);
		else
			args_set(args, a, p->name, value_of(p, equals + 1));
	}
	date_iso(clock_today(), today);
	args_set(args, a, "tenant_id", value_text(ctl_option(argc, argv, "--tenant", "vesper")));
	args_set(args, a, "today", value_date(today));
	args_set(args, a, "row_limit", value_int(DB_ROWS_MAX));
	args_set(args, a, "peak_first_hour", value_int(c->calendar.peak_first_hour));
	args_set(args, a, "peak_last_hour", value_int(c->calendar.peak_last_hour));
	return true;
}

static int print_sql(const struct tool_def *tool, const struct args *args, enum dialect dialect,
		     struct arena *a)
{
	const struct sql_file *f = tool->files[dialect];
	struct err e = {0};
	const char *sql;

	for (size_t i = 0; i < f->query_count; i++) {
		if (!sql_render_literal(&f->queries[i], args, dialect, a, &sql, &e))
			return ctl_fail("%s", e.text);
		printf("%s;\n", sql);
	}
	return 0;
}

int ctl_tool(int argc, char **argv)
{
	const char *verb = ctl_word(argc, argv, 0), *name = ctl_word(argc, argv, 1);
	struct arena *a = arena_new(16 << 20);
	enum dialect dialect = DIALECT_SQLITE;
	const struct tool_def *tool;
	struct args args = {0};
	struct catalog *c;
	int status = 1;

	if (verb && name && strcmp(verb, "run") == 0) {
		arena_free(&a);
		return ctl_tool_run(argc, argv);
	}
	if (!verb || strcmp(verb, "sql") != 0 || !name ||
	    !dialect_parse(ctl_option(argc, argv, "--dialect", "sqlite"), &dialect)) {
		arena_free(&a);
		return ctl_fail("tool sql|run NAME [--dialect mssql|postgres|sqlite] [--tenant T] "
				"[--role R] [name=value …]");
	}
	if (ctl_catalog(&c)) {
		tool = catalog_tool(c, name);
		if (!tool)
			ctl_fail("there is no tool %s", name);
		else if (read_args(argc, argv, c, tool, a, &args))
			status = print_sql(tool, &args, dialect, a);
		catalog_unref(&c);
	}
	arena_free(&a);
	return status;
}

/* ---- route ---- */

struct router {
	struct catalog *catalog;
	struct know *know;
	struct principal who;
	struct date today;
};

/* Reads the earlier questions in order, so that the last one finds what they left standing. */
static json_t *route(const struct router *r, const json_t *history, const char *question)
{
	struct arena *a = arena_new(64 << 20);
	struct understanding u = {0};
	json_t *standing = NULL, *out;
	struct catalog_view view;
	size_t n = json_array_size(history);

	catalog_for(r->catalog, &r->who, a, &view);
	for (size_t i = 0; i <= n; i++) {
		struct know_input in = {
			.question =
				i < n ? json_string_value(json_array_get(history, i)) : question,
			.tenant = r->who.tenant,
			.may = &view,
			.today = r->today,
			.standing = standing,
		};

		if (!in.question)
			continue;
		know_understand(r->know, &in, a, &u);
		if (i < n && (u.filter_count > 0 || u.tool_count > 0)) {
			json_decref(standing);
			standing = know_standing(&u);
		}
	}
	out = know_route_json(&u);
	json_decref(standing);
	arena_free(&a);
	return out;
}

/* One earlier question a line. */
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
			json_push_take(history, json_stringn(str_trim(line).p, str_trim(line).n));
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
		out = route(r, json_object_get(request, "history"), question);
		if (json_object_get(request, "id"))
			json_object_set(out, "id", json_object_get(request, "id"));
		print_json(out);
		json_decref(request);
	}
	return 0;
}

static int route_with(struct router *r, int argc, char **argv, struct arena *a)
{
	const char *batch = ctl_option(argc, argv, "--batch", NULL);
	const char *question = ctl_word(argc, argv, 0);
	json_t *history;

	if (batch)
		return route_batch(r, batch, a);
	if (!question)
		return ctl_fail("route \"QUESTION\" or --batch FILE");
	history = read_history(ctl_option(argc, argv, "--history", NULL), a);
	if (!history)
		return 1;
	print_json(route(r, history, question));
	json_decref(history);
	return 0;
}

int ctl_route(int argc, char **argv)
{
	const char *today = ctl_option(argc, argv, "--today", getenv("VESPER_TODAY"));
	struct router r = {.today = clock_today()};
	struct arena *a;
	int status;

	if (today && *today && !date_parse_iso(today, &r.today))
		return ctl_fail("--today: \"%s\" is not a date like 2026-02-27", today);
	if (!ctl_catalog(&r.catalog))
		return 1;
	principal_of_role(r.catalog, "admin", &r.who);
	r.who.tenant = ctl_option(argc, argv, "--tenant", "vesper");
	r.know = know_new(r.catalog);
	a = arena_new(BATCH_BYTES_MAX);
	status = route_with(&r, argc, argv, a);
	arena_free(&a);
	know_free(&r.know);
	catalog_unref(&r.catalog);
	return status;
}
