/*
 * `vesperctl map check --live`: checks a tenant's data against the map. Views and columns must
 * exist, keys must be unique and not NULL, and edges must lead to a row, or to exactly one row if
 * they declare so. The statements are ad hoc SQL and pass the SQL gate, like those of an
 * administrator.
 */
#include "map.h"
#include "../ctl_app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

#define STATEMENT_BYTES    16384
#define KEY_CHECK_ROWS_MAX 1000000 /* sorting more rows would exceed a statement's time limit */

struct live {
	struct ctl_app app;
	const struct tool_def *tool; /* the tool that runs ad hoc SQL */
	struct principal who;
	struct arena *arena; /* of one statement and its result */
	struct result *result;
	json_t *problems, *unchecked;
	size_t statement_count;
};

static void on_result(void *owner, struct result *result)
{
	struct live *l = owner;

	l->result = result;
	loop_stop(l->app.loop);
}

/* Returns true when the last problem is the same, since all statements on an unreadable view
 * fail. */
static bool is_reported(const struct live *l, const char *subject, const char *what)
{
	size_t n = json_array_size(l->problems);
	const json_t *last = n > 0 ? json_array_get(l->problems, n - 1) : NULL;

	return last && strcmp(json_string_value(json_object_get(last, "of")), subject) == 0 &&
	       strcmp(json_string_value(json_object_get(last, "what")), what) == 0;
}

static void add_problem(struct live *l, const char *subject, const char *what, const char *why)
{
	json_push_take(l->problems, json_make({"of", json_str(subject)}, {"what", json_str(what)},
					      {"why", json_str(why)}));
}

/* The rows of a statement; NULL: it failed, which is recorded. */
static const struct table *run_statement(struct live *l, const char *subject, const char *sql)
{
	json_t *args = json_object();
	struct tool_request request = {.call = "c1",
				       .tool = l->tool->name,
				       .agent = l->tool->callers.agents[0],
				       .args = args,
				       .who = &l->who,
				       .today = clock_today()};

	json_set_str(args, l->tool->params[0].name, sql);
	l->statement_count++;
	tool_start(l->app.tools, &request, l->arena, on_result, l);
	loop_run(l->app.loop);
	json_decref(args);
	if (l->result->table_count > 0 && l->result->outcome.kind != OUTCOME_ERROR)
		return l->result->tables[0];
	if (!is_reported(l, subject, "could not be read"))
		add_problem(l, subject, "could not be read",
			    l->result->outcome.detail ? l->result->outcome.detail
						      : outcome_name(l->result->outcome.kind));
	return NULL;
}

/* The count that a statement returns; 0 also when it failed. */
static int64_t query_count(struct live *l, const char *subject, const struct buf *sql)
{
	const struct table *t = run_statement(l, subject, buf_text(sql));

	return t && t->row_count > 0 && t->rows[0][0] ? strtoll(t->rows[0][0], NULL, 10) : 0;
}

static void report_count(struct live *l, const char *subject, int64_t n, const char *what)
{
	char why[64];

	snprintf(why, sizeof(why), "%lld rows", (long long)n);
	if (n > 0)
		add_problem(l, subject, what, why);
}

static void begin_statement(struct live *l, struct buf *sql)
{
	l->arena = arena_new(TURN_ARENA_BYTES);
	buf_init(sql, STATEMENT_BYTES);
}

static void end_statement(struct live *l, struct buf *sql)
{
	buf_deinit(sql);
	arena_free(&l->arena);
}

/* ---- entities ---- */

static void check_columns(struct live *l, const struct entity_def *n)
{
	struct buf sql;

	begin_statement(l, &sql);
	buf_str(&sql, "SELECT ");
	for (size_t i = 0; i < n->view->column_count; i++)
		buf_printf(&sql, "%s%s", i ? ", " : "", n->view->columns[i].name);
	buf_printf(&sql, " FROM %s FETCH NEXT 1 ROWS ONLY", n->view->name);
	if (n->view->column_count > 0)
		(void)run_statement(l, n->name, buf_text(&sql));
	end_statement(l, &sql);
}

static void add_key_columns(struct buf *sql, const struct view_column *const *key)
{
	for (size_t i = 0; key[i]; i++)
		buf_printf(sql, "%s%s", i ? ", " : "", key[i]->name);
}

static void add_null_test(struct buf *sql, const struct view_column *const *key)
{
	for (size_t i = 0; key[i]; i++)
		buf_printf(sql, "%s%s IS NULL", i ? " OR " : "", key[i]->name);
}

static bool is_too_large(struct live *l, const char *subject, const struct entity_def *n)
{
	struct buf sql;
	int64_t rows;

	begin_statement(l, &sql);
	buf_printf(&sql, "SELECT COUNT(*) AS n FROM %s", n->view->name);
	rows = query_count(l, subject, &sql);
	end_statement(l, &sql);
	if (rows > KEY_CHECK_ROWS_MAX)
		json_push_take(l->unchecked, json_str(subject));
	return rows > KEY_CHECK_ROWS_MAX;
}

/* The number of duplicate key values among rows with a complete key. */
static int64_t count_duplicates(struct live *l, const char *subject, const struct entity_def *n,
				const struct view_column *const *key)
{
	const struct table *t;
	struct buf sql;
	int64_t rows;

	if (is_too_large(l, subject, n))
		return 0;
	begin_statement(l, &sql);
	buf_str(&sql, "SELECT ");
	add_key_columns(&sql, key);
	buf_printf(&sql, ", COUNT(*) AS times FROM %s WHERE NOT (", n->view->name);
	add_null_test(&sql, key);
	buf_str(&sql, ")");
	if (n->latest.flag)
		buf_printf(&sql, " AND %s = 1", n->latest.flag->name);
	buf_str(&sql, " GROUP BY ");
	add_key_columns(&sql, key);
	if (n->latest.order) /* a key is unique within one version */
		buf_printf(&sql, ", %s", n->latest.order->name);
	buf_str(&sql, " HAVING COUNT(*) > 1 FETCH NEXT 500 ROWS ONLY");
	t = run_statement(l, subject, buf_text(&sql));
	rows = t ? (int64_t)t->row_count : 0;
	end_statement(l, &sql);
	return rows;
}

static void check_key(struct live *l, const struct entity_def *n,
		      const struct view_column *const *key)
{
	struct buf sql;

	if (!key || !key[0])
		return;
	begin_statement(l, &sql);
	buf_printf(&sql, "SELECT COUNT(*) AS missing FROM %s WHERE ", n->view->name);
	add_null_test(&sql, key);
	report_count(l, n->name, query_count(l, n->name, &sql), "the key is missing");
	end_statement(l, &sql);
	report_count(l, n->name, count_duplicates(l, n->name, n, key), "the key is not unique");
}

/* ---- edges ---- */

/* Counts rows of `from` that refer to a missing row of `to`. */
static void check_orphans(struct live *l, const struct edge_def *g, const struct entity_def *from,
			  const struct entity_def *to, const struct edge_pair *on, size_t n)
{
	struct buf sql;

	begin_statement(l, &sql);
	buf_printf(&sql, "SELECT COUNT(*) AS orphans FROM %s a LEFT JOIN %s b ON ",
		   from->view->name, to->view->name);
	for (size_t i = 0; i < n; i++)
		buf_printf(&sql, "%sa.%s = b.%s", i ? " AND " : "", on[i].left->name,
			   on[i].right->name);
	buf_printf(&sql, " WHERE b.%s IS NULL", on[0].right->name);
	for (size_t i = 0; i < n; i++)
		buf_printf(&sql, " AND a.%s IS NOT NULL", on[i].left->name);
	report_count(l, g->id, query_count(l, g->id, &sql), "leads to no row");
	end_statement(l, &sql);
}

/* The columns at the end of an edge must be unique. */
static void check_to_one(struct live *l, const struct edge_def *g, const struct entity_def *to,
			 const struct edge_pair *on, size_t n)
{
	const struct view_column **key = arena_alloc(l->app.arena, (n + 1) * sizeof(*key));

	for (size_t i = 0; i < n; i++)
		key[i] = on[i].right;
	key[n] = NULL;
	report_count(l, g->id, count_duplicates(l, g->id, to, key), "leads to several rows");
}

static void check_edge(struct live *l, const struct edge_def *g)
{
	if (g->via) {
		check_orphans(l, g, g->via, g->to, g->on_to, g->on_to_count);
		return;
	}
	if (g->cardinality != CARDINALITY_NM)
		check_to_one(l, g, g->to, g->on, g->on_count);
	if (!g->optional)
		check_orphans(l, g, g->from, g->to, g->on, g->on_count);
}

/* ---- all ---- */

static const struct tool_def *sql_tool(const struct catalog *c)
{
	for (size_t i = 0; i < c->tool_count; i++)
		if (c->tools[i].gate && c->tools[i].param_count > 0 &&
		    c->tools[i].callers.agents_only)
			return &c->tools[i];
	return NULL;
}

static void check_all(struct live *l, const char *pack)
{
	const struct schema *s = catalog_schema(l->app.catalog);

	for (size_t i = 0; i < s->entity_count; i++) {
		const struct entity_def *n = s->entities[i];

		if (pack && strcmp(n->pack, pack) != 0)
			continue;
		check_columns(l, n);
		check_key(l, n, n->key);
		for (size_t k = 0; n->also && n->also[k]; k++)
			check_key(l, n, n->also[k]);
	}
	for (size_t i = 0; i < s->edge_count; i++)
		if (!pack || strcmp(s->edges[i]->pack, pack) == 0)
			check_edge(l, s->edges[i]);
}

static int report(struct live *l, bool as_json)
{
	size_t n = json_array_size(l->problems);
	const json_t *p;
	size_t i;

	if (as_json) {
		ctl_print_json(
			json_make({"ok", json_boolean(n == 0)},
				  {"statements", json_integer((json_int_t)l->statement_count)},
				  {"unchecked", json_incref(l->unchecked)},
				  {"problems", json_incref(l->problems)}));
		return n > 0;
	}
	json_array_foreach(l->problems, i, p)
		printf("%s: %s: %s\n", json_string_value(json_object_get(p, "of")),
		       json_string_value(json_object_get(p, "what")),
		       json_string_value(json_object_get(p, "why")));
	json_array_foreach(l->unchecked, i, p)
		printf("%s: not checked: more than %d rows\n", json_string_value(p),
		       KEY_CHECK_ROWS_MAX);
	printf("%zu statements, %zu problems\n", l->statement_count, n);
	return n > 0;
}

static bool open_live(struct live *l, const char *tenant, struct err *e)
{
	if (!ctl_app_init(&l->app, e) || !ctl_app_open_tools(&l->app, tenant, e))
		return false;
	if (!ctl_app_has_tenant(&l->app, tenant))
		return err_set(e, ERR_INPUT, "unknown tenant %s", tenant);
	l->tool = sql_tool(l->app.catalog);
	if (!l->tool)
		return err_set(e, ERR_INPUT, "this tenant has no tool that runs SQL");
	return ctl_principal(l->app.catalog, "admin", tenant, &l->who, e);
}

int map_check_live(const struct command *cmd)
{
	struct live l = {.problems = json_array(), .unchecked = json_array()};
	struct err e = {0};
	int status;

	if (open_live(&l, ctl_option(cmd, "tenant", "vesper"), &e)) {
		check_all(&l, ctl_option(cmd, "pack", NULL));
		status = report(&l, ctl_flag(cmd, "json"));
	} else {
		status = ctl_fail("%s", e.text);
	}
	json_decref(l.problems);
	json_decref(l.unchecked);
	ctl_app_close(&l.app);
	return status;
}
