/* Joins checked against a map, tests/gate/edges: joins along edges are accepted in every dialect
 * that supports them, others are rejected with the listed reason, and without a map all are
 * accepted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate_corpus.h"
#include "gate_map.h"
#include "vesper/clock.h"

#define LINES_MIN 200
#define MUTATIONS 40000
#define ROUNDS    200

static struct gate_policy policy_without_map(struct arena *a)
{
	struct gate_policy policy = gate_map_policy(a);

	policy.edges = NULL;
	policy.edge_count = 0;
	return policy;
}

static void accepts_joins_along_edges(void **state)
{
	struct arena *a = arena_new(256 << 20);
	struct gate_policy policy = gate_map_policy(a);
	size_t count;
	const struct gate_line *lines = gate_corpus("edges/accept.tsv", a, &count);
	int failure_count = 0;

	(void)state;
	assert_true(count >= LINES_MIN);
	for (size_t i = 0; i < count; i++)
		for (int d = 0; d < DIALECT_COUNT; d++) {
			struct gate_result out;
			struct err e;

			if (!gate_line_is(&lines[i], (enum dialect)d) ||
			    gate_check(&policy, (enum dialect)d, lines[i].sql, a, &out, &e))
				continue;
			print_error("%s: %.*s\nrejected: %s\n", dialect_name((enum dialect)d),
				    STR_FMT(lines[i].sql), e.text);
			failure_count++;
		}
	arena_free(&a);
	assert_int_equal(failure_count, 0);
}

static bool is_rejected_for_reason(const struct gate_policy *policy, enum dialect d,
				   const struct gate_line *line, struct arena *a)
{
	struct gate_policy unmapped = policy_without_map(a);
	struct gate_result out;
	struct err e = {0};

	if (gate_check(policy, d, line->sql, a, &out, &e))
		print_error("%s: %.*s\naccepted\n", dialect_name(d), STR_FMT(line->sql));
	else if (!memmem(e.text, strlen(e.text), line->reason.p, line->reason.n) ||
		 line->reason.n == 0)
		print_error("%s: %.*s\nrejected: %s\nexpected: %.*s\n", dialect_name(d),
			    STR_FMT(line->sql), e.text, STR_FMT(line->reason));
	else if (!gate_check(&unmapped, d, line->sql, a, &out, &e))
		print_error("%s: %.*s\nis also rejected without a map: %s\n", dialect_name(d),
			    STR_FMT(line->sql), e.text);
	else
		return true;
	return false;
}

static void rejects_joins_without_edge(void **state)
{
	struct arena *a = arena_new(256 << 20);
	struct gate_policy policy = gate_map_policy(a);
	size_t count;
	const struct gate_line *lines = gate_corpus("edges/reject.tsv", a, &count);
	int failure_count = 0;

	(void)state;
	assert_true(count >= LINES_MIN);
	for (size_t i = 0; i < count; i++)
		for (int d = 0; d < DIALECT_COUNT; d++)
			failure_count +=
				gate_line_is(&lines[i], (enum dialect)d) &&
				!is_rejected_for_reason(&policy, (enum dialect)d, &lines[i], a);
	arena_free(&a);
	assert_int_equal(failure_count, 0);
}

static void map_without_edges_allows_no_joins(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct gate_policy policy = gate_map_policy(a);
	struct gate_result out;
	struct err e;

	(void)state;
	policy.edge_count = 0;
	assert_true(gate_check(&policy, DIALECT_POSTGRES, STR("SELECT name FROM ent_projects"), a,
			       &out, &e));
	assert_false(gate_check(&policy, DIALECT_POSTGRES,
				STR("SELECT p.name FROM ent_projects p JOIN ent_programs g ON g.id "
				    "= p.program_id AND g.year = p.year"),
				a, &out, &e));
	assert_string_equal(e.text, "column 58: city.ent_projects and city.ent_programs: the map "
				    "has no edge between them");
	arena_free(&a);
}

/* Views of packs without edges can be joined with each other, but not with other views. */
static void unmapped_views_can_be_joined(void **state)
{
	static const char *const columns[] = {"id", "name", NULL};
	static const struct gate_view views[] = {
		{.name = "x.a", .columns = columns, .is_unmapped = true},
		{.name = "x.b", .columns = columns, .is_unmapped = true},
		{.name = "x.c", .columns = columns},
	};
	struct arena *a = arena_new(1 << 20);
	struct gate_policy policy = gate_map_policy(a);
	struct gate_result out;
	struct err e;

	(void)state;
	policy.views = views;
	policy.view_count = 3;
	assert_true(gate_check(&policy, DIALECT_SQLITE,
			       STR("SELECT a.id FROM a JOIN b ON a.name = b.name"), a, &out, &e));
	assert_false(gate_check(&policy, DIALECT_SQLITE,
				STR("SELECT a.id FROM a JOIN c ON a.name = c.name"), a, &out, &e));
	arena_free(&a);
}

/* Mutated joins: nothing crashes, and what is accepted with the map is accepted without it. */
static void survives_mutated_joins(void **state)
{
	struct arena *a = arena_new(64 << 20), *work = NULL;
	struct gate_policy policy = gate_map_policy(a), unmapped = policy_without_map(a);
	size_t good_count, bad_count, accepted = 0;
	const struct gate_line *good = gate_corpus("edges/accept.tsv", a, &good_count);
	const struct gate_line *bad = gate_corpus("edges/reject.tsv", a, &bad_count);
	uint64_t seed = 20260227;
	struct buf sql;

	(void)state;
	buf_init(&sql, 1 << 20);
	for (size_t i = 0; i < MUTATIONS; i++) {
		bool uses_rejected = gate_random(&seed, 2) == 0;
		const struct gate_line *lines = uses_rejected ? bad : good;
		size_t count = uses_rejected ? bad_count : good_count;
		enum dialect d = (enum dialect)gate_random(&seed, DIALECT_COUNT);
		struct gate_result out;
		struct err e;

		if (i % 2000 == 0) {
			arena_free(&work);
			work = arena_new(256 << 20);
		}
		gate_mutate(lines, count, lines[gate_random(&seed, (uint32_t)count)].sql, &seed,
			    &sql);
		if (!gate_check(&policy, d, (struct str){buf_text(&sql), sql.n}, work, &out, &e))
			continue;
		accepted++;
		assert_true(gate_check(&unmapped, d, (struct str){buf_text(&sql), sql.n}, work,
				       &out, &e));
	}
	assert_true(accepted > MUTATIONS / 50);
	buf_deinit(&sql);
	arena_free(&work);
	arena_free(&a);
}

/* The time is only printed, since a build with sanitizers is several times slower. */
static void prints_time_of_check(void **state)
{
	struct arena *a = arena_new(64 << 20);
	struct gate_policy policy = gate_map_policy(a);
	size_t count, longest = 0;
	const struct gate_line *lines = gate_corpus("edges/accept.tsv", a, &count);
	int64_t begin_us;

	(void)state;
	for (size_t i = 0; i < count; i++)
		if (gate_line_is(&lines[i], DIALECT_POSTGRES) &&
		    lines[i].sql.n > lines[longest].sql.n)
			longest = i;
	begin_us = clock_mono_us();
	for (int i = 0; i < ROUNDS; i++) {
		struct arena *work = arena_new(8 << 20);
		struct gate_result out;

		assert_true(gate_check(&policy, DIALECT_POSTGRES, lines[longest].sql, work, &out,
				       NULL));
		arena_free(&work);
	}
	print_message("%zu bytes, %zu edges: %.1f us per statement\n", lines[longest].sql.n,
		      policy.edge_count, (double)(clock_mono_us() - begin_us) / ROUNDS);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_joins_along_edges),
		cmocka_unit_test(rejects_joins_without_edge),
		cmocka_unit_test(map_without_edges_allows_no_joins),
		cmocka_unit_test(unmapped_views_can_be_joined),
		cmocka_unit_test(survives_mutated_joins),
		cmocka_unit_test(prints_time_of_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
