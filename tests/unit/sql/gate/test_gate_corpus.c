/*
 * The two corpora of tests/gate. Statements of analysts are accepted, and the written text is
 * accepted again unchanged. Statements of attackers are rejected for the listed reason. Mutations
 * of both are checked, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate_corpus.h"
#include "vesper/clock.h"

#define ACCEPTED_MIN         250
#define REJECTED_MIN         300
#define MUTATIONS            200000
#define MUTATIONS_MS         8000 /* stops after this time on a slow machine */
#define MUTATIONS_MIN        5000
#define STATEMENTS_PER_ARENA 2000

static void assert_accepted(const struct gate_policy *policy, enum dialect dialect, struct str sql,
			    struct arena *a)
{
	struct gate_result once, twice;
	struct err e;

	if (!gate_check(policy, dialect, sql, a, &once, &e))
		fail_msg("%s: %.*s\nrejected: %s", dialect_name(dialect), STR_FMT(sql), e.text);
	if (once.is_dialect_specific)
		return;
	if (!gate_check(policy, dialect, str_of(once.sql), a, &twice, &e))
		fail_msg("%s: %s\nrejected after it was written: %s", dialect_name(dialect),
			 once.sql, e.text);
	assert_string_equal(once.sql, twice.sql);
}

static void assert_rejected(const struct gate_policy *policy, enum dialect dialect,
			    const struct gate_line *line, struct arena *a)
{
	struct gate_result result;
	struct err e;

	if (gate_check(policy, dialect, line->sql, a, &result, &e))
		fail_msg("%s: %.*s\naccepted as: %s", dialect_name(dialect), STR_FMT(line->sql),
			 result.sql);
	assert_true(e.code == ERR_INPUT || e.code == ERR_LIMIT);
	assert_true(line->reason.n > 0);
	if (!memmem(e.text, strlen(e.text), line->reason.p, line->reason.n))
		fail_msg("%s: %.*s\nrejected: %s\nexpected: %.*s", dialect_name(dialect),
			 STR_FMT(line->sql), e.text, STR_FMT(line->reason));
}

static void accepts_corpus(void **state)
{
	struct arena *a = arena_new(64 << 20);
	struct gate_policy policy = gate_policy_of(gate_corpus_views, a);
	size_t count;
	const struct gate_line *lines = gate_corpus("accept.tsv", a, &count);

	(void)state;
	assert_true(count >= ACCEPTED_MIN);
	for (size_t i = 0; i < count; i++)
		for (int d = 0; d < DIALECT_COUNT; d++)
			if (gate_line_is(&lines[i], (enum dialect)d))
				assert_accepted(&policy, (enum dialect)d, lines[i].sql, a);
	arena_free(&a);
}

static void rejects_corpus(void **state)
{
	struct arena *a = arena_new(64 << 20);
	struct gate_policy policy = gate_policy_of(gate_corpus_views, a);
	size_t count;
	const struct gate_line *lines = gate_corpus("reject.tsv", a, &count);

	(void)state;
	assert_true(count >= REJECTED_MIN);
	for (size_t i = 0; i < count; i++)
		for (int d = 0; d < DIALECT_COUNT; d++)
			if (gate_line_is(&lines[i], (enum dialect)d))
				assert_rejected(&policy, (enum dialect)d, &lines[i], a);
	arena_free(&a);
}

/* Mutated statements: nothing crashes, and accepted output is accepted again unchanged. */
static void survives_mutated_statements(void **state)
{
	struct arena *a = arena_new(64 << 20), *work = NULL;
	struct gate_policy policy = gate_policy_of(gate_corpus_views, a);
	int64_t end_ms = clock_mono_ms() + MUTATIONS_MS;
	uint64_t seed = 20260227;
	size_t accept_count, reject_count, accepted = 0, i;
	const struct gate_line *good = gate_corpus("accept.tsv", a, &accept_count);
	const struct gate_line *bad = gate_corpus("reject.tsv", a, &reject_count);
	struct buf sql;

	(void)state;
	buf_init(&sql, 1 << 20);
	for (i = 0; i < MUTATIONS && clock_mono_ms() < end_ms; i++) {
		const struct gate_line *line = &good[gate_random(&seed, (uint32_t)accept_count)];
		bool uses_rejected = gate_random(&seed, 2) == 0;
		enum dialect d = (enum dialect)gate_random(&seed, DIALECT_COUNT);
		struct gate_result out;

		if (i % STATEMENTS_PER_ARENA == 0) {
			arena_free(&work);
			work = arena_new(256 << 20);
		}
		gate_mutate(uses_rejected ? bad : good, uses_rejected ? reject_count : accept_count,
			    line->sql, &seed, &sql);
		struct str text = {buf_text(&sql), sql.n};
		if (gate_check(&policy, d, text, work, &out, NULL)) {
			accepted++;
			assert_accepted(&policy, d, text, work);
		}
	}
	assert_true(i >= MUTATIONS_MIN && accepted > i / 20);
	print_message("%zu mutated statements, %zu accepted\n", i, accepted);
	buf_deinit(&sql);
	arena_free(&work);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_corpus),
		cmocka_unit_test(rejects_corpus),
		cmocka_unit_test(survives_mutated_statements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
