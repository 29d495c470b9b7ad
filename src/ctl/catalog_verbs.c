/* Verbs that need only the catalogue, neither daemon nor database: tokens, tools, a tool's SQL. */
#include "ctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "databases.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/jwt.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/tool.h"

#define PERMISSIONS_MAX 64

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

/* The permissions of --perms, or those of a role. */
static bool read_permissions(const struct command *cmd, const char **list, char *perms,
			     struct catalog **c, struct principal *who, struct err *e)
{
	const char *role = ctl_option(cmd, "role", NULL);

	if (!role) {
		who->permission_count = split_commas(perms, list, PERMISSIONS_MAX);
		who->permissions = list;
		return true;
	}
	return ctl_read_catalog(who->tenant, c, e) && ctl_principal(*c, role, who->tenant, who, e);
}

int ctl_token(const struct command *cmd)
{
	const char *secret = getenv("VESPER_JWT_SECRET"), *list[PERMISSIONS_MAX];
	char *perms = mem_strdup(ctl_option(cmd, "perms", "chat:use"));
	struct principal who = {.tenant = ctl_option(cmd, "tenant", "vesper")};
	struct catalog *c = NULL;
	struct buf token;
	struct err e = {0};
	char *end;
	long long lifetime_s = strtoll(ctl_option(cmd, "life-s", "3600"), &end, 10);
	bool done = false;

	if (!secret || !*secret)
		err_set(&e, ERR_INPUT, "VESPER_JWT_SECRET is not set; use the daemon's value");
	else if (*end || lifetime_s <= 0)
		err_set(&e, ERR_INPUT, "--life-s must be a positive number of seconds");
	else
		done = read_permissions(cmd, list, perms, &c, &who, &e);
	if (done) {
		who.user = ctl_option(cmd, "sub", "developer");
		buf_init(&token, TOKEN_BYTES_MAX);
		jwt_mint(&token, &who, clock_now_ms(), lifetime_s, secret);
		puts(buf_text(&token));
		buf_deinit(&token);
	}
	catalog_unref(&c);
	mem_free(perms);
	return done ? 0 : ctl_fail("%s", e.text);
}

/* ---- tools, tool ---- */

int ctl_tools(const struct command *cmd)
{
	const char *tenant = ctl_option(cmd, "tenant", "vesper");
	struct arena *a = arena_new(16 << 20);
	struct catalog_view view;
	struct principal who;
	struct err e = {0};
	struct catalog *c;
	bool done = false;

	if (ctl_catalog(tenant, &c)) {
		done = ctl_principal(c, ctl_option(cmd, "role", "admin"), tenant, &who, &e);
		if (done) {
			catalog_for(c, &who, a, &view);
			ctl_print_json(catalog_tools_json(&view));
		} else {
			ctl_fail("%s", e.text);
		}
		catalog_unref(&c);
	}
	arena_free(&a);
	return done ? 0 : 1;
}

static bool add_value(const struct param_def *p, const char *text, struct arena *a,
		      struct args *args, struct err *e)
{
	const struct arg *given = args_find(args, p->name);
	struct value values[LIST_ARG_MAX];
	size_t n = given && p->is_list ? given->count : 0;

	if (n == LIST_ARG_MAX)
		return err_set(e, ERR_INPUT, "%s: too many values", p->name);
	for (size_t i = 0; i < n; i++)
		values[i] = given->values[i];
	if (!param_parse(p, text, a, &values[n], e))
		return false;
	if (p->is_list)
		args_set_list(args, a, p->name, values, n + 1);
	else
		args_set(args, a, p->name, values[0]);
	return true;
}

/* Converts the words to typed values, and adds the defaults of the tool's file. */
static bool read_args(const json_t *words, const struct tool_def *tool, struct date today,
		      struct arena *a, struct args *args, struct err *e)
{
	const json_t *value;
	struct value v;
	const char *name;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)words, name, value) {
		const struct param_def *p = tool_param(tool, name);
		const json_t *item;

		if (json_is_string(value) && !add_value(p, json_string_value(value), a, args, e))
			return false;
		json_array_foreach(value, i, item)
			if (!add_value(p, json_string_value(item), a, args, e))
				return false;
	}
	for (i = 0; i < tool->param_count; i++) {
		const struct param_def *p = &tool->params[i];

		if (args_find(args, p->name))
			continue;
		if (p->required)
			return err_set(e, ERR_INPUT, "%s=... is missing (%s)", p->name, p->about);
		if (!p->default_text)
			continue;
		if (!param_default(p, today, a, &v, e))
			return false;
		args_set(args, a, p->name, v);
	}
	return true;
}

/* For a tool whose statement the caller provides: prints what the SQL gate makes of it. */
static bool print_gate_result(const struct catalog *c, const char *sql, const struct principal *who,
			      enum dialect dialect, struct arena *a, struct err *e)
{
	struct gate_policy policy = catalog_gate_policy(c, who, who->tenant, a);
	struct gate_result checked;

	if (!gate_check(&policy, dialect, str_of(sql), a, &checked, e))
		return false;
	printf("%s;\n", checked.sql);
	return true;
}

static bool print_queries(const struct sql_file *f, const struct args *bound, enum dialect dialect,
			  struct arena *a, struct err *e)
{
	const char *sql;

	for (size_t i = 0; i < f->query_count; i++) {
		if (!sql_render_literal(&f->queries[i], bound, dialect, a, &sql, e))
			return false;
		printf("%s;\n", sql);
	}
	return true;
}

/* The dialect of --dialect, or that of the tool's configured source. */
static bool dialect_for(const struct command *cmd, const struct tool_def *tool, struct arena *a,
			enum dialect *out, struct err *e)
{
	const char *dialect_text = ctl_option(cmd, "dialect", NULL);
	const char *source = tool->source ? tool->source : SOURCE_WAREHOUSE;
	struct config *config = NULL;
	const struct database *d;
	struct databases all;
	bool ok;

	if (dialect_text && dialect_parse(dialect_text, out))
		return true;
	ok = ctl_config(a, &config, e) && databases_read(config, a, &all, e);
	d = ok ? databases_find(&all, source) : NULL;
	if (d)
		*out = d->dialect;
	config_free(&config);
	return d || (ok && err_set(e, ERR_INPUT, "unknown source %s", source));
}

static bool print_sql(const struct catalog *c, const struct command *cmd, struct arena *a,
		      struct err *e)
{
	enum dialect dialect;
	const struct tool_def *tool = catalog_tool(c, ctl_arg(cmd, 1));
	json_t *words = json_own(a, json_object());
	struct date today;
	struct principal who;
	struct args args = {0}, bound;

	if (!tool)
		return err_set(e, ERR_INPUT, "unknown tool %s; vesperctl tools lists all tools",
			       ctl_arg(cmd, 1));
	if (!ctl_today(cmd, NULL, "", &today, e) || !dialect_for(cmd, tool, a, &dialect, e) ||
	    !ctl_principal(c, ctl_option(cmd, "role", "admin"), ctl_option(cmd, "tenant", "vesper"),
			   &who, e) ||
	    !ctl_tool_args(cmd, 2, tool, words, e) || !read_args(words, tool, today, a, &args, e))
		return false;
	if (tool->gate)
		return print_gate_result(c, args_text(&args, tool->gate, a), &who, dialect, a, e);
	bound = tool_bind(c, tool, &args, &who, today, a);
	return print_queries(tool->files[dialect], &bound, dialect, a, e);
}

int ctl_tool(const struct command *cmd)
{
	const char *verb = ctl_arg(cmd, 0);
	const char *dialect_text = ctl_option(cmd, "dialect", NULL);
	enum dialect dialect;
	struct err e = {0};
	struct arena *a;
	struct catalog *c;
	bool done = false;

	if (!verb && !ctl_option(cmd, "batch", NULL))
		return ctl_usage_error(cmd, "name a tool");
	if (!verb || strcmp(verb, "sql") != 0)
		return ctl_tool_run(cmd);
	if (!ctl_arg(cmd, 1))
		return ctl_usage_error(cmd, "sql: name a tool");
	if (dialect_text && !dialect_parse(dialect_text, &dialect))
		return ctl_usage_error(cmd, "--dialect must be mssql, postgres or sqlite");
	if (!ctl_catalog(ctl_option(cmd, "tenant", "vesper"), &c))
		return 1;
	a = arena_new(16 << 20);
	done = print_sql(c, cmd, a, &e);
	arena_free(&a);
	catalog_unref(&c);
	return done ? 0 : ctl_fail("%s", e.text);
}
