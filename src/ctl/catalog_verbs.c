/* Verbs over the catalogue that need no daemon: tokens, tools, a tool's SQL, and what code makes of
 * a question. */
#include "ctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/jwt.h"
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

void ctl_principal(const struct catalog *c, const char *role, struct principal *out)
{
	const char *const *permissions = catalog_role(c, role);

	*out = (struct principal){
		.user = "vesperctl", .tenant = "vesper", .permissions = permissions};
	while (permissions && permissions[out->permission_count])
		out->permission_count++;
}

void ctl_print_json(json_t *take)
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
	ctl_principal(c, role, &who);
	catalog_for(c, &who, a, &view);
	ctl_print_json(catalog_tools_json(&view));
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

/* A tool whose statement the caller gives: what the gate makes of it, for a role. */
static int print_gated(const struct catalog *c, const struct tool_def *tool, const char *role,
		       const struct args *args, enum dialect dialect, struct arena *a)
{
	const char *sql = args_text(args, tool->gate, a);
	struct gate_result checked;
	struct gate_policy policy;
	struct principal who;
	struct err e = {0};

	if (!sql)
		return ctl_fail("%s wants %s=…", tool->name, tool->gate);
	ctl_principal(c, role, &who);
	policy = catalog_gate_policy(c, &who, a);
	if (!gate_check(&policy, dialect, str_of(sql), a, &checked, &e))
		return ctl_fail("%s", e.text);
	printf("%s;\n", checked.sql);
	return 0;
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

	if (verb && strcmp(verb, "sql") != 0) {
		arena_free(&a);
		return ctl_tool_run(argc, argv);
	}
	if (!verb || !name ||
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
			status = tool->gate ? print_gated(c, tool,
							  ctl_option(argc, argv, "--role", "admin"),
							  &args, dialect, a)
					    : print_sql(tool, &args, dialect, a);
		catalog_unref(&c);
	}
	arena_free(&a);
	return status;
}
