/*
 * Three tenants on one daemon, two of them with the same pack. The overlay of one tenant affects
 * only its questions. A reload keeps the overlay, even if the packs are broken. If the overlay no
 * longer fits, the tenant keeps the previous knowledge.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon.h"
#include "temp_root.h"
#include "vesper/file.h"
#include "vesper/gate.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/strlist.h"

#define TIMEOUT_MS   20000
#define PACKS        VESPER_SOURCE_DIR "/tests/packs/"
#define CATALOGUE    "config/library/catalogue.json"
#define TOOL         "sql/library/loans/get_loans_by_genre.sql"
#define OLD_HOUSE    "Loans by genre of the old house in 2025"
#define FIRST_BRANCH "Loans by genre of the first branch in 2025"

static struct temp_root root;
static struct daemon d;
static struct arena *arena;
static int changes;
static struct err changed; /* error of the last change */

/* ---- daemon ---- */

static void copy(const char *path)
{
	const char *text;
	struct err e = {0};

	if (!file_read(arena_printf(arena, PACKS "%s", path), 1 << 20, arena, &text, &e))
		fail_msg("%s", e.text);
	temp_root_write(&root, path, text);
}

static void on_timeout(void *owner)
{
	(void)owner;
	fail_msg("timed out");
}

static int set_up(void **state)
{
	static const char *const files[] = {CATALOGUE,
					    "config/library/entities.json",
					    "config/library/words.json",
					    "config/library/permissions.json",
					    "prompts/library/loans.md",
					    TOOL};
	struct err e = {0};

	(void)state;
	arena = arena_new(16 << 20);
	root = temp_root_new();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		copy(files[i]);
	temp_root_write(&root, "config/packs.json",
			"{\"packs\": [{\"name\": \"library\", \"source\": \"warehouse\"}]}");
	temp_root_write(&root, "vesper.json", "{}");
	setenv("VESPER_CONFIG", arena_printf(arena, "%s/vesper.json", root.path), 1);
	setenv("VESPER_DATA_DIR", root.path, 1);
	setenv("VESPER_PACKS_ROOTS", root.path, 1);
	setenv("VESPER_ROOT", VESPER_SOURCE_DIR, 1);
	setenv("VESPER_LLM_PROVIDERS", "[]", 1);
	setenv("VESPER_LOG_LEVEL", "error", 1);
	setenv("VESPER_AUTH_JWT_SECRET", "0123456789abcdef0123456789abcdef", 1);
	setenv("VESPER_TENANTS",
	       "{\"acme\": {\"warehouse\": \"a.db\", \"store\": \"a.db\", \"packs\": "
	       "[\"library\"]},"
	       " \"lantern\": {\"warehouse\": \"l.db\", \"store\": \"l.db\", \"packs\": "
	       "[\"library\"]},"
	       " \"other\": {\"warehouse\": \"o.db\", \"store\": \"o.db\", \"packs\": []}}",
	       1);
	d = (struct daemon){0};
	if (!daemon_setup(&d, &e) || !daemon_build(&d, &e))
		fail_msg("%s", e.text);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	daemon_free_parts(&d);
	config_free(&d.config);
	arena_free(&arena);
	temp_root_free(&root);
	return 0;
}

static void on_changed(void *owner, const struct err *e)
{
	(void)owner;
	changes++;
	changed = e ? *e : (struct err){0};
	loop_stop(d.loop);
}

static void run(void)
{
	struct timer *timeout = timer_new(d.loop, on_timeout, NULL);

	timer_start(timeout, TIMEOUT_MS);
	loop_run(d.loop);
	timer_free(&timeout);
}

/* Applies a change. Returns its error, or "". */
static const char *change(enum overlay_part part, const struct catalog_overlay *o)
{
	int before = changes;

	daemon_use_overlay(&d, part, o, on_changed, NULL);
	assert_int_equal(changes, before); /* the callback is never called synchronously */
	run();
	assert_int_equal(changes, before + 1);
	return changed.code == ERR_NONE ? "" : changed.text;
}

/* ---- additions ---- */

#define TITLES                                                                                     \
	"{\"views\": [{\"name\": \"dbo.own_titles\", \"about\": \"titles\","                       \
	" \"columns\": [\"title\", \"tenant_id\"]}]}"
#define FIRST "{\"branch\": [{\"text\": \"the first branch\", \"value\": \"Oldtown\"}]}"
#define WRONG "{\"dimensions\": [{\"name\": \"shelf\"}]}"

static json_t *parsed(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	assert_non_null(json);
	return json;
}

static const struct flow_source flow = {
	.path = "approved/oldtown",
	.text = "---\nflow: oldtown\nabout: Loans of the oldest branch.\nexamples:\n  "
		"- how is oldtown doing\n"
		"agent: loans_agent\n---\ndo loans get_loans_by_genre branch=Oldtown\n"
		"say \"{loans.rows[0].Genre}\"\n"};
static const struct catalog_overlay approved = {
	.tenant = "acme", .version = 1, .flows = &flow, .flow_count = 1};
static struct catalog_overlay data = {.tenant = "acme", .version = 1, .source = "warehouse"};

static int open_all(void **state)
{
	(void)state;
	data.schema = parsed(TITLES);
	data.aliases = parsed(FIRST);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	json_decref((json_t *)data.schema);
	json_decref((json_t *)data.aliases);
	return 0;
}

/* ---- what is visible to a tenant ---- */

static struct principal principal_of(const char *tenant)
{
	static const char *const permissions[] = {"chat:use", "library:read", "chat:view_sql",
						  "chat:advanced_sql"};

	return (struct principal){
		.user = "ann", .tenant = tenant, .permissions = permissions, .permission_count = 4};
}

static struct catalog_view view_of(const char *tenant)
{
	struct principal who = principal_of(tenant);
	struct catalog_view v;

	catalog_for(turns_knowledge(d.turns, tenant)->catalog, &who, arena, &v);
	return v;
}

/* The branch that the tenant's question names with confidence; "": none. */
static const char *branch_of(const char *tenant, const char *question)
{
	struct catalog_view v = view_of(tenant);
	struct nlu_input in = {.question = question,
			       .tenant = tenant,
			       .may = &v,
			       .today = {2026, 2, 27},
			       .calendar = {.fiscal_start_month = 1}};
	struct understanding u;

	nlu_understand(turns_knowledge(d.turns, tenant)->nlu, &in, arena, &u);
	for (size_t i = 0; i < u.filter_count && u.confidence >= NLU_CONFIDENT; i++)
		if (strcmp(u.filters[i].name, "branch") == 0)
			return u.filters[i].values[0].text;
	return "";
}

static bool has_flow(const char *tenant)
{
	struct catalog_view v = view_of(tenant);

	return catalog_flow_in(&v, "oldtown") != NULL;
}

static bool may_read(const char *tenant)
{
	struct principal who = principal_of(tenant);
	struct gate_policy p =
		catalog_gate_policy(turns_knowledge(d.turns, tenant)->catalog, &who, tenant, arena);

	for (size_t i = 0; i < p.view_count; i++)
		if (strcmp(p.views[i].name, "dbo.own_titles") == 0)
			return true;
	return false;
}

/* GET /tools, as text. */
static char *tools_of(const char *tenant)
{
	struct catalog_view v = view_of(tenant);
	json_t *list = catalog_tools_json(&v);
	char *text = json_text(list);

	json_decref(list);
	return text;
}

static void check_only_acme_has_both(void)
{
	char *mine = tools_of("acme"), *theirs = tools_of("lantern");

	assert_string_equal(branch_of("acme", FIRST_BRANCH), "Oldtown");
	assert_string_equal(branch_of("lantern", FIRST_BRANCH), "");
	assert_true(has_flow("acme"));
	assert_true(may_read("acme"));
	assert_false(has_flow("lantern") || has_flow("other"));
	assert_false(may_read("lantern") || may_read("other"));
	/* shared names are unchanged for both */
	assert_string_equal(branch_of("acme", OLD_HOUSE), "Oldtown");
	assert_string_equal(branch_of("lantern", OLD_HOUSE), "Oldtown");
	assert_string_equal(mine, theirs);
	mem_free(mine);
	mem_free(theirs);
}

static void use_both_parts(void)
{
	assert_string_equal(change(OVERLAY_DATA, &data), "");
	assert_string_equal(change(OVERLAY_APPROVED, &approved), "");
}

/* ---- tests ---- */

static void test_only_the_tenant_sees_its_overlay(void **state)
{
	(void)state;
	assert_string_equal(branch_of("acme", FIRST_BRANCH), "");
	use_both_parts();
	check_only_acme_has_both();
	assert_ptr_equal(turns_knowledge(d.turns, "acme")->catalog->tools,
			 turns_knowledge(d.turns, "lantern")->catalog->tools);
	assert_string_equal(turns_knowledge(d.turns, "acme")->key, "core,library+acme@2");
}

/* An empty part removes the previous one. */
static void test_an_empty_part_is_removed(void **state)
{
	struct catalog_overlay none = {.tenant = "acme", .version = 2};

	(void)state;
	use_both_parts();
	assert_string_equal(change(OVERLAY_APPROVED, &none), "");
	assert_false(has_flow("acme"));
	assert_true(may_read("acme"));
	assert_string_equal(change(OVERLAY_DATA, &none), "");
	assert_string_equal(change(OVERLAY_DATA, &none), ""); /* empty replaces empty */
	assert_ptr_equal(turns_knowledge(d.turns, "acme"), turns_knowledge(d.turns, "lantern"));
}

static void test_an_invalid_overlay_changes_nothing(void **state)
{
	struct catalog_overlay wrong = data;
	json_t *extra = parsed(WRONG);

	(void)state;
	use_both_parts();
	wrong.schema = extra;
	assert_non_null(strstr(change(OVERLAY_DATA, &wrong), "shelf: values are missing"));
	json_decref(extra);
	check_only_acme_has_both();
}

static void on_each(void *owner, const struct err *e)
{
	char **seen = owner;

	assert_null(e);
	*seen = arena_printf(arena, "%s%s%s ", *seen, may_read("acme") ? "data" : "",
			     has_flow("acme") ? "flow" : "-");
	if (++changes % 3 == 0)
		loop_stop(d.loop);
}

static void test_changes_run_in_order(void **state)
{
	struct catalog_overlay none = {.tenant = "acme", .version = 2};
	char *seen = arena_strdup(arena, "");

	(void)state;
	changes = 0;
	daemon_use_overlay(&d, OVERLAY_DATA, &data, on_each, &seen);
	daemon_use_overlay(&d, OVERLAY_DATA, &none, on_each, &seen);
	daemon_use_overlay(&d, OVERLAY_APPROVED, &approved, on_each, &seen);
	run();
	assert_string_equal(seen, "data- - flow ");
}

static void test_shutdown_drops_pending_changes(void **state)
{
	(void)state;
	daemon_use_overlay(&d, OVERLAY_DATA, &data, on_changed, NULL);
	daemon_use_overlay(&d, OVERLAY_APPROVED, &approved, on_changed, NULL);
}

static void test_a_reload_keeps_the_overlay(void **state)
{
	const struct turn_knowledge *before;

	(void)state;
	use_both_parts();
	before = turns_knowledge(d.turns, "acme");
	daemon_reload(&d);
	assert_ptr_not_equal(turns_knowledge(d.turns, "acme"), before);
	check_only_acme_has_both();
	temp_root_write(&root, CATALOGUE, "{"); /* broken */
	daemon_reload(&d);
	check_only_acme_has_both();
	copy(CATALOGUE);
	daemon_reload(&d);
	check_only_acme_has_both();
}

static void test_a_reload_during_a_change(void **state)
{
	(void)state;
	daemon_use_overlay(&d, OVERLAY_DATA, &data, NULL, NULL);
	daemon_use_overlay(&d, OVERLAY_APPROVED, &approved, on_changed, NULL);
	daemon_reload(&d);
	run();
	check_only_acme_has_both();
	assert_ptr_equal(turns_knowledge(d.turns, "acme")->catalog->tools,
			 turns_knowledge(d.turns, "lantern")->catalog->tools);
}

static void find_check(void *owner, const char *check, enum health_state state, const char *note)
{
	if (strcmp(check, "overlay:acme") == 0 && state == HEALTH_DEGRADED)
		*(const char **)owner = arena_strdup(arena, note);
}

static const char *health_note(void)
{
	const char *note = "";

	health_each(find_check, &note);
	return note;
}

static const char *changed_file(const char *path, const char *from, const char *to)
{
	const char *text, *at;
	struct err e = {0};

	if (!file_read(arena_printf(arena, PACKS "%s", path), 1 << 20, arena, &text, &e))
		fail_msg("%s", e.text);
	at = strstr(text, from);
	assert_non_null(at);
	return arena_printf(arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

/* Only the flow whose tool is missing is skipped. */
static void test_a_stale_flow_is_skipped(void **state)
{
	(void)state;
	use_both_parts();
	temp_root_write(&root, TOOL, NULL);
	temp_root_write(&root, "sql/library/loans/get_lent.sql",
			changed_file(TOOL, "get_loans_by_genre", "get_lent"));
	temp_root_write(
		&root, "prompts/library/loans.md",
		changed_file("prompts/library/loans.md", "- get_loans_by_genre", "- get_lent"));
	daemon_reload(&d);
	assert_non_null(catalog_tool(turns_knowledge(d.turns, "acme")->catalog, "get_lent"));
	assert_false(has_flow("acme"));
	assert_true(may_read("acme"));
	assert_string_equal(health_note(), "");
}

/* A view that the packs now declare too would be ambiguous. */
static void test_a_duplicate_view_is_rejected(void **state)
{
	(void)state;
	use_both_parts();
	temp_root_write(
		&root, CATALOGUE,
		changed_file(CATALOGUE, "{ \"views\": [",
			     "{ \"views\": [{\"name\": \"dbo.own_titles\", \"about\": \"x\"},"));
	daemon_reload(&d);
	assert_non_null(
		strstr(health_note(),
		       "dbo.own_titles is already declared in config/library/catalogue.json"));
	assert_true(has_flow("acme"));
	assert_true(may_read("acme"));
	copy(CATALOGUE);
	daemon_reload(&d);
	assert_string_equal(health_note(), "");
	check_only_acme_has_both();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_only_the_tenant_sees_its_overlay, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_an_empty_part_is_removed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_an_invalid_overlay_changes_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_changes_run_in_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_shutdown_drops_pending_changes, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_a_reload_keeps_the_overlay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_reload_during_a_change, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_stale_flow_is_skipped, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_duplicate_view_is_rejected, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
