/* Every tool of the catalogue on the demo data, called twice: a cached result must equal
 * the one from the database. */
#include "prompt_text.h"
#include "demo_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sources_of.h"
#include "vesper/domain.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/nlu.h"
#include "vesper/log.h"
#include "vesper/metric.h"
#include "vesper/tool.h"
#include "vesper/view.h"

static const char *folder;
static struct loop *loop;
static struct catalog *catalog;
static struct nlu *nlu;
static struct cache *cache;
static struct db *warehouse;
static struct toolbox *box;
static struct arena *arena;

static const char *const permissions[] = {
	"chat:use",         "chat:read_projects",    "chat:read_market_data",
	"chat:read_budget", "chat:read_pbi_metrics", "chat:view_sql"};
static const struct principal who = {
	.user = "ann", .tenant = "vesper", .permissions = permissions, .permission_count = 6};

/* Values of required parameters, by name; the demo data contains all of them. */
static const struct {
	const char *name, *json;
} values[] = {
	{"vendor", "\"Ascend\""}, {"market", "\"CAISO\""},
	{"hub_zone", "\"NP15\""}, {"hub_zones", "[\"NP15\", \"SP15\"]"},
	{"year", "2025"},         {"markets", "[\"CAISO\", \"ERCOT\"]"},
};

static const char *path_in(const char *name)
{
	return arena_printf(arena, "%s/%s", folder, name);
}

static void ignore_log(void *owner, const char *text)
{
	(void)owner;
	(void)text;
}

static int set_up(void **state)
{
	struct err e = {0};

	(void)state;
	log_capture(ignore_log, NULL);
	arena = arena_new(64 << 20);
	folder = demo_folder();
	if (!loop_new(&loop, &e) ||
	    !catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	nlu = nlu_new(catalog);
	cache = cache_memory_new(loop);

	const struct db_tenant tenants[] = {{"vesper", path_in("vesper.db")}};
	const struct db_options source = {
		.name = "warehouse",
		.dialect = DIALECT_SQLITE,
		.dsn = "",
		.read_only = true,
		.schemas = (const char *const[]){"dbo", "Stage", NULL},
		.workers = 1,
		.queue = 10,
		.max_rows = 500,
		.timeout_ms = 60000,
		.tenants = tenants,
		.tenant_count = 1,
	};
	if (!db_open(loop, &source, &warehouse, &e))
		fail_msg("%s", e.text);

	const struct toolbox_options tools = {
		.loop = loop,
		.catalog = catalog,
		.names = nlu_names(nlu),
		.sources = sources_of(warehouse),
		.cache = cache,
		.modules = domain_modules,
		.derivations = domain_derivations,
	};
	if (!toolbox_new(&tools, &box, &e))
		fail_msg("%s", e.text);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	demo_folder_remove();
	arena_free(&arena);
	toolbox_free(&box);
	cache_free(&cache);
	db_close(&warehouse);
	sources_free();
	nlu_free(&nlu);
	catalog_unref(&catalog);
	loop_free(&loop);
	health_reset();
	metric_reset();
	return 0;
}

static void on_result(void *owner, struct result *r)
{
	*(struct result **)owner = r;
	loop_stop(loop);
}

static json_t *arguments_of(const struct tool_def *tool)
{
	json_t *args = json_object();

	for (size_t i = 0; i < tool->param_count; i++) {
		const struct param_def *p = &tool->params[i];
		size_t v = 0;
		while (v < sizeof(values) / sizeof(values[0]) &&
		       strcmp(values[v].name, p->name) != 0)
			v++;
		if (!p->required)
			continue;
		if (v == sizeof(values) / sizeof(values[0]))
			fail_msg("%s requires %s: add a value", tool->name, p->name);
		json_object_set_new(args, p->name,
				    json_loads(values[v].json, JSON_DECODE_ANY, NULL));
	}
	return args;
}

static const struct result *call_tool(const struct tool_def *tool, const json_t *args)
{
	const struct tool_request request = {.call = "c1",
					     .tool = tool->name,
					     .args = args,
					     .who = &who,
					     .today = {2026, 2, 27}};
	struct result *answer = NULL;

	tool_start(box, &request, arena, on_result, &answer);
	loop_run(loop);
	assert_non_null(answer);
	return answer;
}

/* Everything that a client or a model sees of a result. */
static void add_visible(struct buf *out, const struct result *r)
{
	prompt_text(out, r, 500);
	for (size_t i = 0; i < r->table_count; i++) {
		buf_char(out, '\n');
		view_data(out, r, r->tables[i], "v1", arena);
		buf_char(out, '\n');
	}
	for (size_t i = 0; i < r->fact_count; i++) {
		const struct fact *f = &r->facts[i];
		buf_printf(out, "%s|%s|%s|%s|%s\n", f->name, f->label, f->value,
			   f->unit ? f->unit : "-", f->formula ? f->formula : "-");
	}
	for (size_t i = 0; i < r->args.count; i++)
		buf_printf(out, "%s=%s\n", r->args.items[i].name,
			   args_text(&r->args, r->args.items[i].name, arena));
}

static void add_answer(struct buf *out, const struct result *r)
{
	const struct view_answer_input in = {
		.results = &r, .result_count = 1, .today = {2026, 2, 27}};
	struct view_answer answer;

	view_answer(&in, arena, &answer);
	buf_str(out, answer.markdown);
}

static void cached_results_equal_fresh_ones(void **state)
{
	size_t cached = 0;

	(void)state;
	for (size_t i = 0; i < catalog->tool_count; i++) {
		const struct tool_def *tool = &catalog->tools[i];
		const char *hits = "vesper_tool_cache_total{outcome=\"hit\"}";
		struct buf fresh, from_cache;
		json_t *args;
		int64_t before = metric_get(hits);

		if (tool->cache_s == 0 || !tool->callers.visible)
			continue;
		args = arguments_of(tool);
		buf_init(&fresh, 8 << 20);
		buf_init(&from_cache, 8 << 20);
		const struct result *r = call_tool(tool, args);
		if (r->outcome.kind != OUTCOME_ROWS)
			fail_msg("%s gave %s", tool->name, outcome_name(r->outcome.kind));
		add_visible(&fresh, r);
		add_answer(&fresh, r);
		assert_int_equal(metric_get(hits), before);
		r = call_tool(tool, args);
		assert_int_equal(metric_get(hits), before + 1);
		add_visible(&from_cache, r);
		add_answer(&from_cache, r);
		assert_false(buf_over(&fresh));
		assert_string_equal(buf_text(&from_cache), buf_text(&fresh));
		buf_deinit(&fresh);
		buf_deinit(&from_cache);
		json_decref(args);
		cached++;
	}
	assert_true(cached >= 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cached_results_equal_fresh_ones),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
