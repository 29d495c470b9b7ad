/* Shared by the tool tests: a small catalogue, a recording database, a resolver with a few names,
 * and a helper that runs one call. */
#ifndef TOOL_TEST_H
#define TOOL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recording_db.h"
#include "small_root.h"
#include "sources_of.h"
#include "tool_int.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/mem.h"

static struct temp_root root;
static struct loop *loop;
static struct catalog *catalog;
static struct recording_db recorded;
static struct db *warehouse;
static struct toolbox *box;
static struct arena *arena;
static struct result *answer; /* of the last call */
static int answers;

static const char *const permissions[] = {"chat:use", "chat:read", "chat:read_budget"};
static struct principal who;
static bool hide_existence; /* of the next toolbox */

/* Replaces the entity index: resolves exact values, "sunrise", and "first" by market. */
bool entity_index_resolve(const struct entity_index *b, const struct principal *asker,
			  const char *dimension, const char *text, const struct args *context,
			  struct arena *a, struct name_match *out)
{
	static const struct suggestion candidates[] = {{.value = "E1", .label = "E1"},
						       {.value = "E2", .label = "E2"}};
	const struct dimension_def *d = catalog_dimension(catalog, dimension);
	const char *market = args_text(context, "market", a);

	(void)b;
	(void)asker;
	*out = (struct name_match){0};
	if (strcmp(text, "sunrise") == 0)
		out->value = "East";
	if (strcmp(text, "first") == 0 && market)
		out->value = strcmp(market, "East") == 0 ? "E1" : "W1";
	for (const char *const *v = d->values; v && *v; v++)
		if (strcmp(*v, text) == 0)
			out->value = *v;
	if (out->value)
		return true;
	out->several = strcmp(text, "E") == 0;
	out->suggestions = candidates;
	out->suggestion_count = 2;
	return false;
}

static inline void ignore_log(void *owner, const char *text)
{
	(void)owner;
	(void)text;
}

static inline int set_up(void **state)
{
	struct err e = {0};

	(void)state;
	log_capture(ignore_log, NULL);
	root = small_root_new();
	if (!loop_new(&loop, &e) ||
	    !catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	recording_db_init(&recorded, loop);
	warehouse = db_from_driver(&recording_db_driver, &recorded, DIALECT_SQLITE);
	arena = arena_new(1 << 20);
	who = (struct principal){
		.user = "ann", .tenant = "acme", .permissions = permissions, .permission_count = 2};
	box = NULL;
	answer = NULL;
	answers = 0;
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	toolbox_free(&box);
	arena_free(&arena);
	db_close(&warehouse);
	sources_free();
	recording_db_deinit(&recorded);
	catalog_unref(&catalog);
	loop_free(&loop);
	temp_root_free(&root);
	log_capture(NULL, NULL);
	return 0;
}

/* A derivation that any tool file may name. */
static void twice(struct result *r, const struct derive_def *of, struct arena *a)
{
	result_add_fact(r, a, (struct fact){.name = "of", .label = of->column, .value = of->by});
	table_add_column(r->tables[0], "Twice", COLUMN_DECIMAL, (const char *const[]){"2"});
}

static const char *const twice_facts[] = {"of", NULL};
static const struct tool_derivation derivations[] = {{"twice", twice, "Twice", twice_facts}, {0}};

/* The catalogue with further lines in the header of its tool. */
static inline void add_header(const char *lines)
{
	const char *body = strstr(SMALL_TOOL, "SELECT");
	char *text = mem_printf("%.*s%s%s", (int)(body - SMALL_TOOL), SMALL_TOOL, lines, body);
	struct err e = {0};

	temp_root_write(&root, SMALL_TOOL_PATH, text);
	mem_free(text);
	catalog_unref(&catalog);
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
}

static inline void open_box(const struct domain *const *modules)
{
	const struct toolbox_options options = {.loop = loop,
						.catalog = catalog,
						.sources = sources_of(warehouse),
						.modules = modules,
						.derivations = derivations,
						.hide_existence = hide_existence};
	struct err e = {0};

	toolbox_free(&box);
	if (!toolbox_new(&options, &box, &e))
		fail_msg("%s", e.text);
}

static inline void on_result(void *owner, struct result *r)
{
	(void)owner;
	answer = r;
	answers++;
}

static inline struct op *start(const struct tool_request *request)
{
	answer = NULL;
	answers = 0;
	if (!box)
		open_box(NULL);
	struct op *op = tool_start(box, request, arena, on_result, NULL);
	assert_int_equal(answers, 0); /* never called from within tool_start */
	return op;
}

/* One call as a model makes it; the arguments are JSON with ' for ". */
static inline const struct result *call_tool(const char *tool, const char *arguments)
{
	char *text = mem_strdup(arguments);
	struct tool_request request = {
		.call = "c1",
		.agent = "price_agent",
		.tool = tool,
		.who = &who,
		.today = {2026, 2, 27},
	};
	struct err e = {0};
	json_t *args;

	for (char *p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	if (!json_parse(text, strlen(text), 1 << 16, &args, &e))
		fail_msg("%s", e.text);
	mem_free(text);
	request.args = args;
	start(&request);
	json_decref(args);
	for (int i = 0; i < 10 && answers == 0; i++)
		loop_run_once(loop);
	assert_int_equal(answers, 1);
	return answer;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
