/* Shared by the domain tests: the product's catalogue, and one tool call against a recording or a
 * real database. */
#ifndef DOMAIN_TEST_H
#define DOMAIN_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recording_db.h"
#include "sources_of.h"
#include "vesper/domain.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/mem.h"

static struct loop *loop;
static struct catalog *catalog;
static struct db *warehouse;
static struct toolbox *box;
static struct arena *arena;
static struct result *answer; /* of the last call */

/* Accepts every name. The resolution of names has its own tests. */
bool entity_index_resolve(const struct entity_index *b, const struct principal *asker,
			  const char *dimension, const char *text, const struct args *context,
			  struct arena *a, struct name_match *out)
{
	(void)b;
	(void)asker;
	(void)dimension;
	(void)context;
	*out = (struct name_match){.value = arena_strdup(a, text)};
	return true;
}

static inline void ignore_log(void *owner, const char *text)
{
	(void)owner;
	(void)text;
}

/* The caller's permissions: all, unless a test sets fewer. */
static const char *const all_permissions[] = {"chat:use", "chat:read_projects",
					      "chat:read_market_data", "chat:read_budget",
					      "chat:read_pbi_metrics"};
static const char *const *permissions = all_permissions;
static size_t permission_count = 5;

static inline void permit_all(void)
{
	permissions = all_permissions;
	permission_count = 5;
}

/* The loop and the catalogue; the test opens its own warehouse. */
static inline void begin(void)
{
	struct err e = {0};

	log_capture(ignore_log, NULL);
	if (!loop_new(&loop, &e) ||
	    !catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	arena = arena_new(8 << 20);
	answer = NULL;
}

static inline void open_tools(void)
{
	const struct toolbox_options options = {.loop = loop,
						.catalog = catalog,
						.sources = sources_of(warehouse),
						.modules = domain_modules,
						.derivations = domain_derivations};
	struct err e = {0};

	if (!toolbox_new(&options, &box, &e))
		fail_msg("%s", e.text);
}

static inline void end(void)
{
	toolbox_free(&box);
	arena_free(&arena);
	db_close(&warehouse);
	sources_free();
	catalog_unref(&catalog);
	loop_free(&loop);
	log_capture(NULL, NULL);
}

static inline void on_result(void *owner, struct result *r)
{
	(void)owner;
	answer = r;
	loop_stop(loop);
}

/* The arguments are JSON with ' for ". */
static inline const struct result *call_as(const char *tenant, const char *agent, const char *tool,
					   const char *arguments)
{
	const struct principal who = {.user = "ann",
				      .tenant = tenant,
				      .permissions = permissions,
				      .permission_count = permission_count};
	struct tool_request request = {
		.call = "c1", .agent = agent, .tool = tool, .who = &who, .today = {2026, 2, 27}};
	char *text = mem_strdup(arguments);
	struct err e = {0};
	json_t *args;

	for (char *p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	if (!json_parse(text, strlen(text), 1 << 16, &args, &e))
		fail_msg("%s", e.text);
	request.args = args;
	answer = NULL;
	assert_non_null(tool_start(box, &request, arena, on_result, NULL));
	loop_run(loop);
	json_decref(args);
	mem_free(text);
	assert_non_null(answer);
	return answer;
}

#endif
