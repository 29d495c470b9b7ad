/* `vesperctl map path` and `map query`: evaluates names of the map, without a question. */
#include "map.h"

#include <stdio.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/map.h"
#include "vesper/mem.h"

#define ARENA_BYTES (16 << 20)

/* ---- path ---- */

static void print_pairs(const struct edge_pair *on, size_t count, const struct entity_def *left,
			const struct entity_def *right)
{
	for (size_t i = 0; i < count; i++)
		printf("      %s.%s = %s.%s\n", left->name, on[i].left->plain, right->name,
		       on[i].right->plain);
}

static void print_step(const struct map_step *s)
{
	const struct edge_def *g = s->edge;

	printf("  %s -> %s  (%s%s%s, %s)\n", map_step_from(s)->name, map_step_to(s)->name, g->id,
	       g->via ? " via " : "", g->via ? g->via->name : "",
	       map_step_is_safe(s) ? "to one" : "to many");
	print_pairs(g->on, g->on_count, g->from, g->via ? g->via : g->to);
	if (g->via)
		print_pairs(g->on_to, g->on_to_count, g->via, g->to);
}

static json_t *path_json(const struct map_path *p)
{
	json_t *edges = json_array(), *out = json_object();

	for (size_t i = 0; i < p->count; i++)
		json_push_take(
			edges,
			json_make({"edge", json_str(p->steps[i].edge->id)},
				  {"from", json_str(map_step_from(&p->steps[i])->name)},
				  {"to", json_str(map_step_to(&p->steps[i])->name)},
				  {"one_each", json_boolean(map_step_is_safe(&p->steps[i]))}));
	json_set_take(out, "edges", edges);
	json_set_str(out, "chain", p->chain ? p->chain->id : NULL);
	return out;
}

static void print_names(const struct map_path *p)
{
	for (size_t i = 0; i < p->count; i++)
		printf("%s%s", i ? ", " : "", map_step_to(&p->steps[i])->name);
}

static int print_path(enum map_found found, const struct map_path paths[2],
		      const struct command *cmd)
{
	static const char *const names[] = {"found", "none", "too_long", "ambiguous"};
	json_t *out;

	if (ctl_flag(cmd, "json")) {
		out = path_json(&paths[0]);
		json_set_str(out, "outcome", names[found]);
		ctl_print_json(out);
		return found == MAP_FOUND ? 0 : found == MAP_AMBIGUOUS ? 3 : 1;
	}
	if (found == MAP_NONE) {
		printf("no path\n");
		return 1;
	}
	if (found == MAP_TOO_LONG) {
		printf("no path of at most %d edges (shortest: %zu: ", MAP_HOPS_MAX,
		       paths[0].count);
		print_names(&paths[0]);
		printf(")\n");
		return 1;
	}
	if (paths[0].chain)
		printf("using chain %s\n", paths[0].chain->id);
	for (size_t i = 0; i < paths[0].count; i++)
		print_step(&paths[0].steps[i]);
	if (found == MAP_FOUND)
		return 0;
	printf("or\n");
	for (size_t i = 0; i < paths[1].count; i++)
		print_step(&paths[1].steps[i]);
	return 3;
}

int map_path_verb(const struct command *cmd)
{
	const char *a = ctl_arg(cmd, 1), *b = ctl_arg(cmd, 2);
	const struct entity_def *from, *to;
	struct map_path paths[2];
	struct arena *arena;
	struct catalog *c;
	struct map *m;
	int status;

	if (!a || !b)
		return ctl_usage_error(cmd, "path: name two entities");
	if (!ctl_catalog(ctl_option(cmd, "tenant", NULL), &c))
		return 1;
	from = schema_entity(catalog_schema(c), a);
	to = schema_entity(catalog_schema(c), b);
	m = map_new(c);
	arena = arena_new(ARENA_BYTES);
	status = !from || !to ? ctl_fail("unknown entity %s", from ? b : a)
			      : print_path(map_path(m, from, to, arena, paths), paths, cmd);
	arena_free(&arena);
	map_free(&m);
	catalog_unref(&c);
	return status;
}

/* ---- query ---- */

static void print_problem(const struct map_problem *why, const struct err *e)
{
	ctl_fail("%s: %s", why->code ? why->code : "BAD_VALUE", why->text ? why->text : e->text);
	for (size_t i = 0; i < why->offer_count; i++)
		fprintf(stderr, "  %s\n", why->offers[i]);
}

static bool print_sql(const struct map_statement *s, enum dialect d, const char *tenant,
		      struct arena *a, struct err *e)
{
	struct args values = s->values;
	struct sql_file *file;
	const char *text;

	args_set(&values, a, "tenant_id", value_text(tenant));
	args_set(&values, a, "row_limit", value_int(DB_ROWS_MAX));
	if (!sql_file_parse("query", s->text, a, &file, e) ||
	    !sql_render_literal(&file->queries[0], &values, d, a, &text, e))
		return false;
	printf("%s;\n", text);
	return true;
}

static int print_query(const struct map *m, const struct command *cmd, const json_t *q,
		       struct arena *a)
{
	const char *tenant = ctl_option(cmd, "tenant", "vesper");
	const char *role = ctl_option(cmd, "role", "admin");
	const char *word = ctl_option(cmd, "dialect", "sqlite");
	struct map_problem why = {0};
	struct map_statement s;
	struct principal who;
	struct map_query read;
	struct err e = {0};
	enum dialect d;

	if (!dialect_parse(word, &d))
		return ctl_usage_error(cmd, "--dialect must be mssql, postgres or sqlite");
	if (!ctl_principal(map_catalog(m), role, tenant, &who, &e))
		return ctl_fail("%s", e.text);
	if (!map_query_read(m, &who, q, clock_today(), a, &read, &why, &e) ||
	    !map_write(m, &read, d, a, &s, &why, &e)) {
		print_problem(&why, &e);
		return 1;
	}
	return print_sql(&s, d, tenant, a, &e) ? 0 : ctl_fail("%s", e.text);
}

/* Runs the query on the configured database, as a call of the tool. */
static int run_query(const struct command *cmd, const char *text)
{
	struct command call = *cmd;
	char *arg = mem_printf("query=%s", text);
	char *words[] = {"run", "query_metrics", arg};
	int status;

	call.words = words;
	call.word_count = 3;
	status = ctl_tool_run(&call);
	mem_free(arg);
	return status;
}

int map_query_verb(const struct command *cmd)
{
	const char *text = ctl_arg(cmd, 1);
	struct err e = {0};
	struct arena *arena;
	struct catalog *c;
	struct map *m;
	json_t *q;
	int status;

	if (!text)
		return ctl_usage_error(cmd, "query: give a query as JSON");
	if (ctl_flag(cmd, "run"))
		return run_query(cmd, text);
	if (!json_parse(text, strlen(text), MAP_QUERY_BYTES_MAX, &q, &e))
		return ctl_fail("%s", e.text);
	if (!ctl_catalog(ctl_option(cmd, "tenant", "vesper"), &c)) {
		json_decref(q);
		return 1;
	}
	m = map_new(c);
	arena = arena_new(ARENA_BYTES);
	status = print_query(m, cmd, q, arena);
	arena_free(&arena);
	map_free(&m);
	catalog_unref(&c);
	json_decref(q);
	return status;
}
