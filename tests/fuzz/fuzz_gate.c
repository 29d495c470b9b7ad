/*
 * Any bytes at the gate, the first one choosing the dialect. What is accepted must be accepted
 * again as it was written, and be written the same. With columns and a tenant known, each view that
 * is written must be cut to the tenant.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gate_map.h"
#include "vesper/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const views[] = {"Stage.mc_dayahead", "dbo.per_project", "dbo.changes", NULL};

static const char *const columns[] = {"FILE_INFO_KEY", "name", "a", "\"b c\"", "tenant_id", NULL};
static const char *const denied[] = {"Budget", NULL};
static const struct gate_view cut[] = {
	{"Stage.mc_dayahead", columns, denied, "tenant_id", false},
	{"dbo.per_project", columns, denied, "tenant_id", false},
	{"dbo.changes", columns, denied, "tenant_id", false},
};

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	while ((text = strstr(text, part))) {
		text += strlen(part);
		n++;
	}
	return n;
}

static void check_cut(enum dialect dialect, struct str sql, struct arena *a)
{
	struct gate_policy policy = gate_policy_of(views, a);
	struct gate_result out;
	struct err e;

	policy.views = cut;
	policy.view_count = sizeof(cut) / sizeof(cut[0]);
	if (!gate_check(&policy, dialect, sql, a, &out, &e))
		return;
	assert(out.tenants >= out.read_count);
	assert(count(out.sql, " WHERE tenant_id = ?)") >= out.tenants);
	for (size_t i = 0; i < out.read_count; i++)
		assert(strstr(out.sql, out.reads[i].view->name));
}

/* A map only takes joins away. */
static void check_edges(enum dialect dialect, struct str sql, struct arena *a)
{
	struct gate_policy policy = gate_map_policy(a);
	struct gate_result out;
	struct err e;

	if (!gate_check(&policy, dialect, sql, a, &out, &e))
		return;
	policy.edges = NULL;
	assert(gate_check(&policy, dialect, sql, a, &out, &e));
}

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
		assert(once.is_dialect_specific || (again && strcmp(once.sql, twice.sql) == 0));
	}
	check_cut(dialect, sql, a);
	check_edges(dialect, sql, a);
	arena_free(&a);
	return 0;
}
