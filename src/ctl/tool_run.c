/* `vesperctl tool run`: calls a tool on the configured warehouse, with the same checks, argument
 * binding and tenant rules as the daemon, and prints the result as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "ctl_app.h"
#include "vesper/clock.h"
#include "vesper/config.h"
#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define BATCH_BYTES_MAX (1024 * 1024)
#define BATCH_WORDS_MAX 64

struct run {
	struct ctl_app app;
	struct arena *call_arena; /* of one call and its result */
	struct result *result;
	bool failed; /* the last call failed */
};

/* The index of the tool's name: `tool run NAME`, or `tool NAME`. */
static size_t tool_name_index(const struct command *cmd)
{
	return strcmp(ctl_arg(cmd, 0), "run") == 0 ? 1 : 0;
}

static json_t *table_json(const struct table *t)
{
	json_t *out = json_object(), *columns = json_array(), *rows = json_array();

	for (size_t c = 0; c < t->column_count; c++) {
		json_t *column = json_object();

		json_set_str(column, "name", t->columns[c].name);
		json_set_str(column, "type", column_type_name(t->columns[c].type));
		json_push_take(columns, column);
	}
	for (size_t i = 0; i < t->row_count; i++) {
		json_t *row = json_array();

		for (size_t c = 0; c < t->column_count; c++)
			json_push_take(row, t->rows[i][c] ? json_str(t->rows[i][c]) : json_null());
		json_push_take(rows, row);
	}
	json_set_str(out, "name", t->name);
	json_set_take(out, "columns", columns);
	json_set_take(out, "rows", rows);
	json_set_take(out, "total_rows", json_integer(t->total_rows));
	json_set_take(out, "truncated", json_boolean(t->truncated));
	return out;
}

static json_t *result_json(const struct result *r)
{
	json_t *out = json_object(), *tables = json_array(), *facts = json_object();

	for (size_t i = 0; i < r->table_count; i++)
		json_push_take(tables, table_json(r->tables[i]));
	for (size_t i = 0; i < r->fact_count; i++)
		json_set_str(facts, r->facts[i].name, r->facts[i].value);
	json_set_take(out, "outcome", outcome_json(&r->outcome));
	json_set_str(out, "sql", r->sql);
	if (r->any_order)
		json_set_bool(out, "any_order", true);
	json_set_take(out, "tables", tables);
	json_set_take(out, "facts", facts);
	return out;
}

static void on_result(void *owner, struct result *result)
{
	struct run *r = owner;

	r->result = result;
	loop_stop(r->app.loop);
}

static bool call_tool(struct run *r, const struct command *cmd, json_t *args, struct err *e)
{
	const char *role = ctl_option(cmd, "role", "admin");
	const char *name = ctl_arg(cmd, tool_name_index(cmd));
	const struct tool_def *tool = name ? catalog_tool(r->app.catalog, name) : NULL;
	struct principal who;
	struct tool_request request = {.call = "c1", .args = args, .who = &who};

	if (!tool || (!tool->callers.visible && !tool->callers.agents_only))
		return err_set(e, ERR_INPUT, "unknown tool %s; vesperctl tools lists all tools",
			       name ? name : "(no name)");
	if (!ctl_principal(r->app.catalog, role, ctl_option(cmd, "tenant", "vesper"), &who, e))
		return false;
	if (!ctl_app_has_tenant(&r->app, who.tenant))
		return err_set(e, ERR_INPUT, "unknown tenant %s", who.tenant);
	if (!ctl_today(cmd, r->app.config, who.tenant, &request.today, e))
		return false;
	request.tool = tool->name;
	if (tool->callers.agents_only)
		request.agent = tool->callers.agents[0];
	if (!ctl_tool_args(cmd, tool_name_index(cmd) + 1, tool, args, e))
		return false;
	tool_start(r->app.tools, &request, r->call_arena, on_result, r);
	loop_run(r->app.loop);
	return true;
}

static bool run_one(struct run *r, const struct command *cmd, struct err *e)
{
	json_t *args = json_object();
	bool done;

	r->call_arena = arena_new(TURN_ARENA_BYTES);
	done = call_tool(r, cmd, args, e);
	if (done) {
		ctl_print_json(result_json(r->result));
		r->failed = r->result->outcome.kind == OUTCOME_ERROR ||
			    r->result->outcome.kind == OUTCOME_NOT_PERMITTED ||
			    r->result->outcome.kind == OUTCOME_TIMEOUT;
	}
	json_decref(args);
	arena_free(&r->call_arena);
	return done;
}

/* A line is a JSON array of the words that follow "tool run". */
static bool run_line(struct run *r, const struct command *cmd, struct str line, struct err *e)
{
	char *argv[BATCH_WORDS_MAX + 1] = {(char *)"tool", (char *)"run"};
	struct command one;
	json_t *words;
	size_t n;
	bool done;

	if (!json_parse(line.p, line.n, BODY_BYTES_MAX, &words, e))
		return false;
	n = json_array_size(words);
	done = n > 0 && n <= BATCH_WORDS_MAX - 2;
	for (size_t i = 0; done && i < n; i++) {
		argv[i + 2] = (char *)(uintptr_t)json_string_value(json_array_get(words, i));
		done = argv[i + 2] != NULL;
	}
	done = done && ctl_read((int)n + 2, argv, cmd->usage, &one) == 0
		       ? run_one(r, &one, e)
		       : err_set(e, ERR_INPUT, "each line must be a JSON array of 1 to %d strings",
				 BATCH_WORDS_MAX - 2);
	json_decref(words);
	return done;
}

static bool run_batch(struct run *r, const struct command *cmd, const char *path, struct err *e)
{
	struct str rest, line;
	const char *text;
	int number = 0;

	if (!file_read(path, BATCH_BYTES_MAX, r->app.arena, &text, e))
		return false;
	rest = str_of(text);
	while (str_split(&rest, '\n', &line)) {
		number++;
		if (str_trim(line).n > 0 && !run_line(r, cmd, str_trim(line), e))
			return err_prefix(e, "%s:%d", path, number);
	}
	return true;
}

int ctl_tool_run(const struct command *cmd)
{
	const char *batch = ctl_option(cmd, "batch", NULL);
	struct run r = {0};
	struct err e = {0};
	bool done = ctl_app_init(&r.app, &e) &&
		    ctl_app_open_tools(&r.app, ctl_option(cmd, "tenant", "vesper"), &e) &&
		    (batch ? run_batch(&r, cmd, batch, &e) : run_one(&r, cmd, &e));

	ctl_app_close(&r.app);
	if (!done)
		return ctl_fail("%s", e.text);
	return r.failed && !batch ? 1 : 0; /* in a batch, each line reports its own failure */
}
