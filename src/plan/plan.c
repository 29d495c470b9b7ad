/*
 * Plans before they run: is every task known by one id, does it depend on tasks that exist, and in
 * which wave can it start. Pure, so that plans of any origin (router, model, stored flow) are
 * judged by the same rules.
 */
#include "plan_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"

static struct task *find(struct plan *p, const char *id)
{
	for (size_t i = 0; i < p->count; i++)
		if (strcmp(p->tasks[i].id, id) == 0)
			return &p->tasks[i];
	return NULL;
}

/* ---- what a task refers to, it waits for ---- */

static bool waits_for(const struct task *t, const char *id)
{
	for (const char *const *d = t->depends_on; d && *d; d++)
		if (strcmp(*d, id) == 0)
			return true;
	return false;
}

static void wait_for(struct task *t, const char *id, struct arena *a)
{
	const char **longer;
	size_t n = 0;

	if (waits_for(t, id))
		return;
	while (t->depends_on && t->depends_on[n])
		n++;
	longer = arena_alloc(a, (n + 2) * sizeof(*longer));
	for (size_t i = 0; i < n; i++)
		longer[i] = t->depends_on[i];
	longer[n] = id;
	t->depends_on = longer;
}

static bool read_references(struct task *t, struct arena *a, struct err *e)
{
	struct plan_condition *when = arena_alloc(a, sizeof(*when));
	const char *ids[PLAN_TASKS_MAX];
	size_t count;

	if (!ref_sources(t->json_args, a, ids, PLAN_TASKS_MAX, &count, e))
		return err_prefix(e, "task %s", t->id);
	for (size_t i = 0; i < count; i++)
		wait_for(t, ids[i], a);
	if (!t->condition || !*t->condition)
		return true;
	if (!plan_condition_read(t->condition, a, when, e))
		return err_prefix(e, "condition of task %s", t->id);
	for (size_t i = 0; i < when->count; i++)
		wait_for(t, when->terms[i].ref.source, a);
	t->when = when;
	return true;
}

static bool check_ids(struct plan *p, struct err *e)
{
	for (size_t i = 0; i < p->count; i++) {
		struct task *t = &p->tasks[i];

		if (!t->id || !*t->id)
			return err_set(e, ERR_INPUT, "task %zu has no id", i + 1);
		if (find(p, t->id) != t)
			return err_set(e, ERR_INPUT, "two tasks are called %s", t->id);
		for (const char *const *d = t->depends_on; d && *d; d++)
			if (!find(p, *d))
				return err_set(e, ERR_INPUT,
					       "task %s depends on %s, which does not exist", t->id,
					       *d);
	}
	return true;
}

/* The wave after the last of its dependencies, or -1 while one of those has no wave yet. */
static int wave_of(struct plan *p, const struct task *t)
{
	int wave = 0;

	for (const char *const *d = t->depends_on; d && *d; d++) {
		int before = find(p, *d)->wave;

		if (before < 0)
			return -1;
		if (before + 1 > wave)
			wave = before + 1;
	}
	return wave;
}

bool plan_check(struct plan *p, struct arena *a, struct err *e)
{
	size_t placed = 0;

	if (p->count == 0 || p->count > PLAN_TASKS_MAX)
		return err_set(e, ERR_INPUT, "a plan has 1 to %d tasks, not %zu", PLAN_TASKS_MAX,
			       p->count);
	for (size_t i = 0; i < p->count; i++)
		if (p->tasks[i].id && !read_references(&p->tasks[i], a, e))
			return false;
	if (!check_ids(p, e))
		return false;
	for (size_t i = 0; i < p->count; i++)
		p->tasks[i].wave = -1;
	for (size_t before = 1; placed < p->count && placed != before;) {
		before = placed;
		for (size_t i = 0; i < p->count; i++) {
			struct task *t = &p->tasks[i];

			if (t->wave >= 0)
				continue;
			t->wave = wave_of(p, t);
			placed += t->wave >= 0;
		}
	}
	if (placed < p->count)
		return err_set(e, ERR_INPUT,
			       "the tasks of the plan wait for each other in a circle");
	return true;
}

struct ref_scope plan_earlier(const struct plan *p, const struct task *t, struct arena *a)
{
	struct ref_source *sources = arena_alloc(a, (p->count + 1) * sizeof(*sources));
	size_t n = 0;

	for (size_t i = 0; i < p->count; i++) {
		const struct task *before = &p->tasks[i];

		if (waits_for(t, before->id))
			sources[n++] = (struct ref_source){before->id, before->results,
							   before->result_count};
	}
	return (struct ref_scope){sources, n};
}
