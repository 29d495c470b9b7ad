/*
 * Looks up the project that a name refers to, in the data. An exact name wins, then a name with the
 * same letters and digits, then the only name that contains the text. An ambiguous name is never
 * resolved.
 */
#include "per_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "domain_int.h"

#define LOOKUP "find_projects"
enum { SUGGESTIONS_MAX = 8, CLOSEST_MAX = 5 };

/* ---- similarity of names ---- */

/* Letters and digits only, in lower case: "O'Brien Solar" and "obrien solar" are equal. */
static const char *key_of(const char *name, struct arena *a)
{
	char *key = arena_alloc(a, strlen(name) + 1);
	size_t n = 0;

	for (const unsigned char *p = (const unsigned char *)name; *p; p++)
		if (isalnum(*p) || *p >= 0x80)
			key[n++] = (char)tolower(*p);
	return key;
}

/* Shared letter pairs (bigrams), in percent of both names' pairs. */
static int similarity(const char *a, const char *b)
{
	size_t a_len = strlen(a), b_len = strlen(b), shared = 0;

	if (a_len < 2 || b_len < 2)
		return 0;
	for (size_t i = 0; i + 1 < a_len; i++)
		for (size_t k = 0; k + 1 < b_len; k++)
			if (a[i] == b[k] && a[i + 1] == b[k + 1]) {
				shared++;
				break;
			}
	return (int)(200 * shared / (a_len + b_len - 2));
}

/* ---- suggestions ---- */

static struct suggestion suggestion_of(const struct table *t, size_t row, struct arena *a)
{
	const char *name = table_cell(t, row, "ProjectName");
	const char *stage = table_cell(t, row, "CurrentStage");
	const char *technology = table_cell(t, row, "Technology");
	const char *market = table_cell(t, row, "Market");

	return (struct suggestion){
		.value = arena_strdup(a, name),
		.label = stage && technology && market ? arena_printf(a, "%s (%s, %s, %s)", name,
								      technology, market, stage)
						       : arena_strdup(a, name),
	};
}

static bool refuse_several(const char *text, const struct table *matches, struct arena *a,
			   struct outcome *out)
{
	struct suggestion *list = arena_alloc(a, SUGGESTIONS_MAX * sizeof(*list));
	size_t n = 0;

	for (size_t row = 0; row < matches->row_count && n < SUGGESTIONS_MAX; row++)
		list[n++] = suggestion_of(matches, row, a);
	*out = (struct outcome){
		.kind = OUTCOME_UNKNOWN_ENTITY,
		.param = "project_name",
		.detail = arena_printf(a, "\"%s\" matches %zu projects.", text, matches->row_count),
		.suggestions = list,
		.suggestion_count = n,
	};
	return false;
}

struct candidate {
	size_t row;
	int similarity;
};

static int by_similarity(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->similarity != y->similarity ? y->similarity - x->similarity
					      : (x->row > y->row) - (x->row < y->row);
}

static bool refuse_unknown(const char *text, const struct table *all, struct arena *a,
			   struct outcome *out)
{
	struct candidate *list = arena_alloc(a, (all->row_count + 1) * sizeof(*list));
	struct suggestion *closest = arena_alloc(a, CLOSEST_MAX * sizeof(*closest));
	const char *key = key_of(text, a);
	size_t n = 0;

	for (size_t row = 0; row < all->row_count; row++) {
		const char *name = table_cell(all, row, "ProjectName");
		list[row] = (struct candidate){row, name ? similarity(key, key_of(name, a)) : 0};
	}
	qsort(list, all->row_count, sizeof(*list), by_similarity);
	while (n < CLOSEST_MAX && n < all->row_count && list[n].similarity > 0) {
		closest[n] = suggestion_of(all, list[n].row, a);
		n++;
	}
	*out = (struct outcome){
		.kind = OUTCOME_UNKNOWN_ENTITY,
		.param = "project_name",
		.detail = arena_printf(a, "No project is called \"%s\".", text),
		.suggestions = closest,
		.suggestion_count = n,
	};
	return false;
}

/* ---- choice ---- */

static const char *find_matching_name(const struct table *t, const char *text, bool exactly,
				      struct arena *a)
{
	const char *key = key_of(text, a), *found = NULL;

	for (size_t row = 0; row < t->row_count; row++) {
		const char *name = table_cell(t, row, "ProjectName");
		if (!name || (exactly ? strcasecmp(name, text) != 0
				      : !*key || strcmp(key_of(name, a), key) != 0))
			continue;
		if (found && strcmp(found, name) != 0)
			return NULL;
		found = name;
	}
	return found;
}

static bool choose(struct tool_call *call, struct table *const *tables, size_t count,
		   struct outcome *refused)
{
	struct arena *a = tool_arena(call);
	const char *text = args_text(tool_args(call), "project_name", a);
	const struct table *matches = tables[0], *all = tables[count - 1];
	const char *name = find_matching_name(matches, text, true, a);

	if (!name)
		name = find_matching_name(all, text, false, a);
	if (!name && matches->row_count == 1)
		name = table_cell(matches, 0, "ProjectName");
	if (name) {
		tool_arg_set(call, "project_name", value_text(name));
		return true;
	}
	return matches->row_count > 1 ? refuse_several(text, matches, a, refused)
				      : refuse_unknown(text, all, a, refused);
}

bool project_run(struct tool_call *call, void (*derive)(struct result *r, struct arena *a),
		 struct err *e)
{
	const struct arg *name = args_find(tool_args(call), "project_name");
	struct args args = {0};

	if (!name)
		return tool_sql_run_and_derive(call, derive, e);
	args_set(&args, tool_arena(call), "project_name", name->values[0]);
	return tool_sql_run_with_lookup(call, LOOKUP, &args, choose, derive, e);
}
