/* Questions with their calls that are like another one, of what the caller may use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "vesper/flow.h"
#include "vesper/nlu.h"
#include "vesper/limits.h"
#include "vesper/overlay.h"

#define PRICE_CALL  "file:dayahead:1"
#define HEALTH_CALL "file:per:1"

static struct catalog *catalog;
static struct nlu *nlu;
static struct arena *arena;
static struct principal who = {.user = "ann", .tenant = "vesper"};
static const struct example_def *like[PROMPT_SIMILAR_MAX];

static int setup(void **state)
{
	struct err e = {0};

	(void)state;
	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		return -1;
	nlu = nlu_new(catalog);
	arena = arena_new(1 << 24);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	nlu_free(&nlu);
	catalog_unref(&catalog);
	return 0;
}

static size_t ask(const char *role, const char *question)
{
	struct catalog_view may;

	who.permissions = catalog_role(catalog, role);
	who.permission_count = 0;
	while (who.permissions[who.permission_count])
		who.permission_count++;
	catalog_for(catalog, &who, arena, &may);
	return nlu_examples(nlu, &(struct nlu_input){.question = question, .may = &may}, arena,
			    like);
}

static void question_finds_similar_example(void **state)
{
	size_t n = ask("admin", "How dear is the average day-ahead price for SP15 from Hitachi?");

	(void)state;
	assert_true(n >= 1);
	assert_string_equal(like[0]->id, PRICE_CALL);
	assert_string_equal(like[0]->tool->name, "get_average_annual_price");
	n = ask("admin", "What is the health status of Sierra Wind?");
	assert_true(n >= 1);
	assert_string_equal(like[0]->id, HEALTH_CALL);
}

static void unrelated_question_finds_no_example(void **state)
{
	(void)state;
	assert_int_equal(ask("admin", "Which users opened reports about budgets yesterday?"), 0);
	assert_int_equal(ask("admin", ""), 0);
	assert_int_equal(ask("admin", "of the and"), 0);
}

static void examples_respect_permissions(void **state)
{
	(void)state;
	assert_int_equal(ask("viewer", "What is the average day-ahead price for NP15 from Ascend?"),
			 0);
	assert_true(ask("viewer", "What is the health status of Sierra Wind?") >= 1);
	assert_string_equal(like[0]->id, HEALTH_CALL);
}

static void accepts_text_of_any_length(void **state)
{
	char *text = arena_alloc(arena, 16384);

	(void)state;
	memset(text, 'x', 16383);
	assert_int_equal(ask("admin", text), 0);
	for (size_t i = 0; i + 7 < 16384; i += 7)
		memcpy(text + i, "price a", 7);
	assert_true(ask("admin", text) <= PROMPT_SIMILAR_MAX);
}

/* ---- approved answers ---- */

#define APPROVED(name, lines)                                                                      \
	{                                                                                          \
		.path = "approved/" name,                                                          \
		.text = "---\nflow: " name                                                         \
			"\nabout: x\nexamples:\n  - Zorbing figures of our hub\n"                  \
			"agent: dayahead_agent\n---\n" lines,                                      \
		.approval = {                                                                      \
			.by = "ann",                                                               \
			.at = "2026-11-01T00:00:00Z",                                              \
			.version = 1                                                               \
		}                                                                                  \
	}
#define PRICE "get_average_annual_price vendor=Ascend hub_zone=NP15 year=2025"

static size_t ask_approved(const struct flow_source *flows, size_t count, const char *role)
{
	struct catalog_overlay o = {
		.tenant = "vesper", .version = 1, .flows = flows, .flow_count = count};
	const struct catalog_overlay *list = &o;
	struct catalog *own = NULL, *packs = catalog;
	struct nlu *before = nlu;
	const struct flow_fault *faults;
	struct err e = {0};
	size_t n;

	if (!catalog_with_overlays(catalog, &list, 1, &own, &e))
		fail_msg("%s", e.text);
	if (catalog_flow_faults(own, &faults) > 0)
		fail_msg("%s", faults[0].why);
	catalog = own;
	nlu = nlu_new(own);
	n = ask(role, "What are the zorbing figures of the hub?");
	for (size_t i = 0; i < n; i++) { /* the answer outlives its catalogue in no other test */
		struct example_def *copy = arena_alloc(arena, sizeof(*copy));

		*copy = (struct example_def){.id = arena_strdup(arena, like[i]->id)};
		if (like[i]->filters[0])
			copy->question = arena_strdup(arena, like[i]->filters[0]);
		like[i] = copy;
	}
	nlu_free(&nlu);
	catalog_unref(&own);
	catalog = packs;
	nlu = before;
	return n;
}

static void approved_answer_is_an_example(void **state)
{
	static const struct flow_source one[] = {APPROVED("zorbing", "do t1 " PRICE "\n")};

	(void)state;
	assert_int_equal(ask_approved(one, 1, "admin"), 1);
	assert_string_equal(like[0]->id, "approved:zorbing:1");
	assert_string_equal(like[0]->question, "vendor=Ascend");
	/* who may not use its tool is not shown it */
	assert_int_equal(ask_approved(one, 1, "viewer"), 0);
}

static void only_approved_single_calls_are_examples(void **state)
{
	struct flow_source draft[] = {APPROVED("zorbing", "do t1 " PRICE "\n")};
	static const struct flow_source two[] = {
		APPROVED("zorbing", "do t1 " PRICE "\ndo t2 get_portfolio_summary\n")};

	(void)state;
	draft[0].approval = (struct flow_approval){0};
	assert_int_equal(ask_approved(draft, 1, "admin"), 0);
	assert_int_equal(ask_approved(two, 1, "admin"), 0);
}

/* ---- clauses ---- */

static void clauses_are_counted(void **state)
{
	static const struct {
		const char *question;
		size_t count;
	} rows[] = {
		{"", 0},
		{"price", 0},
		{"What is the average price of NP15?", 1},
		{"What is the price for Ascend, Hitachi and NP15?", 1}, /* a list of names */
		{"What is the price of NP15, and which project is late?", 2},
		{"What is the price of NP15, and which project is late, and what does the policy "
		 "say then?",
		 3},
		{"Price of NP15. Late projects; open reports? Then the policy.", 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (nlu_clause_count(nlu, rows[i].question, arena) != rows[i].count)
			fail_msg("%zu: %s", nlu_clause_count(nlu, rows[i].question, arena),
				 rows[i].question);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(question_finds_similar_example),
		cmocka_unit_test(unrelated_question_finds_no_example),
		cmocka_unit_test(examples_respect_permissions),
		cmocka_unit_test(accepts_text_of_any_length),
		cmocka_unit_test(approved_answer_is_an_example),
		cmocka_unit_test(only_approved_single_calls_are_examples),
		cmocka_unit_test(clauses_are_counted),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
