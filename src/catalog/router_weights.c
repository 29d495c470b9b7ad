/*
 * Reads config/router.json: the weights of the router's scores. Each number has a name and a valid
 * range here, so that a typo stops the load instead of skewing results.
 */
#include "catalog_int.h"

#include <string.h>

#include "vesper/json.h"

#define ROUTER "config/router.json"

#define WEIGHT(group, name, min, max)                                                              \
	{                                                                                          \
#group, #name, offsetof(struct router_weights, group.name), min, max               \
	}

#define KIND(n) (offsetof(struct router_weights, kind) + (n) * sizeof(double))

static const struct weight {
	const char *group, *name;
	size_t offset;
	double min, max;
} weights[] = {
	WEIGHT(words, name, 0, 10),
	WEIGHT(words, about, 0, 10),
	WEIGHT(words, param, 0, 10),
	WEIGHT(words, column, 0, 10),
	WEIGHT(words, example, 0, 10),
	WEIGHT(words, k1, 0.1, 5),
	WEIGHT(words, b, 0, 1),
	WEIGHT(words, enough, 0.01, 10),
	WEIGHT(words, documents, 0, 10),
	WEIGHT(score, text, 0, 10),
	WEIGHT(score, domain, 0, 10),
	WEIGHT(score, facts, 0, 10),
	WEIGHT(score, first, 0, 10),
	WEIGHT(score, home, 0, 10),
	WEIGHT(score, standing, 0, 10),
	WEIGHT(score, missing, -10, 0),
	WEIGHT(score, not_taken, -10, 0),
	WEIGHT(score, calls, -10, 0),
	WEIGHT(score, lone_list, -10, 0),
	WEIGHT(score, other_list, -10, 0),
	{"kind", "tool", KIND(CANDIDATE_TOOL), -1, 1},
	{"kind", "flow", KIND(CANDIDATE_FLOW), -1, 1},
	{"kind", "approved", KIND(CANDIDATE_APPROVED), -1, 1},
	{"kind", "metric", KIND(CANDIDATE_METRIC), -1, 1},
	{"kind", "documents", KIND(CANDIDATE_DOCUMENTS), -1, 1},
	WEIGHT(flow, least, 0, 1),
	WEIGHT(documents, speak, 0.01, 1),
	WEIGHT(reading, least, 0.01, 1),
	WEIGHT(fact, required, 0, 10),
	WEIGHT(fact, optional, 0, 10),
	WEIGHT(fact, not_taken, -10, 0),
	WEIGHT(fact, soft, 0, 1),
	WEIGHT(evidence, least, 0, 10),
	WEIGHT(evidence, followup, 0, 10),
	WEIGHT(evidence, strange, 0, 10),
	WEIGHT(evidence, time, 0, 10),
	WEIGHT(evidence, trouble, 0, 10),
	WEIGHT(evidence, word, 0, 10),
	WEIGHT(evidence, words, 0, 10),
	WEIGHT(part, least, 0, 1),
	WEIGHT(part, clear, 0, 1),
	WEIGHT(confidence, base, -20, 20),
	WEIGHT(confidence, margin, 0, 100),
	WEIGHT(confidence, text, -20, 20),
	WEIGHT(confidence, facts, -20, 20),
	WEIGHT(confidence, standing, -20, 20),
	WEIGHT(confidence, strange, -20, 20),
};

#define WEIGHTS (sizeof(weights) / sizeof(weights[0]))

/* The names of one group; group NULL: the names of the groups. */
static void list_names(const char *group, const char *out[WEIGHTS + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < WEIGHTS; i++) {
		const char *name = group ? weights[i].name : weights[i].group;

		if (group ? strcmp(weights[i].group, group) == 0
			  : n == 0 || strcmp(out[n - 1], name) != 0)
			out[n++] = name;
	}
	out[n] = NULL;
}

static bool load_weight(struct loader *l, const struct words_file *f, const json_t *root,
			const struct weight *w)
{
	const json_t *value = json_object_get(json_object_get(root, w->group), w->name);
	double number = json_number_value(value);

	if (!json_is_number(value) || number < w->min || number > w->max)
		return words_fail(f, arena_printf(l->arena, "%s.%s", w->group, w->name),
				  "expected a number from %g to %g", w->min, w->max);
	memcpy((char *)&l->impl->public.router + w->offset, &number, sizeof(number));
	return true;
}

bool load_router(struct loader *l, struct err *e)
{
	const char *names[WEIGHTS + 1];
	const json_t *group;
	const char *name;
	struct words_file f;
	json_t *root;

	if (!load_json(l, ROUTER, &f, &root, e))
		return false;
	list_names(NULL, names);
	if (!json_check_members(root, names, e))
		return load_file_fail(&f);
	json_object_foreach(root, name, group) {
		list_names(name, names);
		if (!json_is_object(group))
			return words_fail(&f, name, "not an object");
		if (!json_check_members(group, names, e)) {
			(void)err_prefix(e, "%s", name);
			return load_file_fail(&f);
		}
	}
	for (size_t i = 0; i < WEIGHTS; i++)
		if (!load_weight(l, &f, root, &weights[i]))
			return false;
	return true;
}
