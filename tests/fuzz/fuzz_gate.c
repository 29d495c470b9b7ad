/*
 * Any bytes at the gate, the first one choosing the dialect. What is accepted must be accepted
 * again as it was written, and be written the same.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vesper/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const views[] = {"Stage.mc_dayahead", "dbo.per_project", "dbo.changes", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gate_result once, twice;
	struct err e;

	if (size == 0)
		return 0;
	enum dialect dialect = data[0] % DIALECT_COUNT;
	struct str sql = {(const char *)data + 1, size - 1};
	struct arena *a = arena_new(64 << 20);
	struct gate_policy policy = gate_policy_of(views, a);
	if (gate_check(&policy, dialect, sql, a, &once, &e)) {
		/* What is written may be a little longer and deeper than what was given. */
		policy.limits.sql_bytes *= 2;
		policy.limits.tokens *= 2;
		policy.limits.depth *= 2;
		bool again = gate_check(&policy, dialect, str_of(once.sql), a, &twice, &e);
		assert(again && strcmp(once.sql, twice.sql) == 0);
	}
	arena_free(&a);
	return 0;
}
