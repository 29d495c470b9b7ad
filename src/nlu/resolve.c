/* Resolves the mentions of a question. A name that depends on the value of another dimension
 * ("south" in CAISO) is resolved after the others. */
#include "nlu_int.h"

#include <string.h>

#define CANDIDATES_MAX 16

static bool is_exact(const struct entry *e)
{
	return e->kind != ENTRY_PART && !e->when_value;
}

bool facts_add_resolved(struct reading *r, const struct dimension_def *d, const char *value,
			const char *resolved, enum filter_source source)
{
	const struct dimension_def *to = catalog_dimension(r->nlu->catalog, d->resolves);

	if (!resolved || !*resolved)
		return false;
	facts_add(&r->facts, r->arena, to->filter, to, value_text(arena_strdup(r->arena, resolved)),
		  source)
		->resolved_from = arena_strdup(r->arena, value);
	return true;
}

static void add_fact(struct reading *r, const struct mention *m, const struct entry *e)
{
	bool is_explicit = e->kind == ENTRY_VALUE && !m->typo;

	if (e->dimension->resolves) {
		facts_add_resolved(r, e->dimension, e->value, e->parent, SOURCE_ALIAS);
		return;
	}
	facts_add(&r->facts, r->arena, e->dimension->filter, e->dimension,
		  value_text(arena_strdup(r->arena, e->value)),
		  is_explicit ? SOURCE_EXPLICIT : SOURCE_ALIAS)
		->has_tool_words_only = m->has_tool_words_only;
}

static const struct entry *best_exact_entry(const struct mention *m)
{
	const struct entry *best = NULL;

	for (size_t i = 0; i < m->count; i++) {
		const struct entry *e = &m->candidates[i];

		if (is_exact(e) && (!best || e->kind < best->kind))
			best = e;
	}
	return best;
}

const char *mention_context_value(const struct reading *r, const char *dimension)
{
	const struct dimension_def *d = catalog_dimension(r->nlu->catalog, dimension);
	const struct fact *f = d ? facts_get(&r->facts, d->filter) : NULL;
	const json_t *carried;

	if (f && f->count == 1)
		return f->values[0].text;
	if (!d || f)
		return NULL;
	carried = json_object_get(json_object_get(r->in->session_context, "filters"), d->filter);
	return json_string_value(carried);
}

static bool fits_context(const struct reading *r, const struct entry *e, const char **context)
{
	const char *dimension = e->when_dimension ? e->when_dimension : e->dimension->parent;
	const char *wanted = e->when_value ? e->when_value : e->parent;

	*context = dimension ? mention_context_value(r, dimension) : NULL;
	return *context && wanted && strcmp(*context, wanted) == 0;
}

static void add_option(struct suggestion *list, size_t *n, const struct entry *e, struct arena *a)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(list[i].value, e->value) == 0)
			return;
	list[*n].value = arena_strdup(a, e->value);
	list[*n].label =
		e->parent ? arena_printf(a, "%s (%s)", e->value, e->parent) : list[*n].value;
	(*n)++;
}

static bool same_meaning(const struct entry *a, const struct entry *b)
{
	return strcmp(a->dimension->filter, b->dimension->filter) == 0 &&
	       strcmp(a->value, b->value) == 0;
}

/* The meanings that packs give to the whole mention, without duplicates. `with_unknown_context`:
 * includes meanings whose context is not known yet. */
static size_t meanings_of(const struct reading *r, const struct mention *m,
			  bool with_unknown_context, struct entry out[CANDIDATES_MAX])
{
	const char *context;
	size_t n = 0;

	for (size_t i = 0; i < m->count && n < CANDIDATES_MAX; i++) {
		const struct entry *e = &m->candidates[i];
		bool counts =
			is_exact(e) ||
			(e->when_value && (with_unknown_context || fits_context(r, e, &context)));
		bool found = !e->pack || !counts;

		for (size_t k = 0; k < n && !found; k++)
			found = same_meaning(&out[k], e);
		if (!found)
			out[n++] = *e;
	}
	return n;
}

static bool is_contested(const struct entry *meanings, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (strcmp(meanings[i].pack, meanings[0].pack) != 0)
			return true;
	return false;
}

/* Keeps the meanings whose dimension is named next to the mention ("ward North"), or all if there
 * are none. */
static size_t keep_labelled(const struct reading *r, const struct mention *m,
			    struct entry *meanings, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (mention_has_label_near(&r->q, m->from, m->to, meanings[i].dimension))
			meanings[kept++] = meanings[i];
	return kept > 0 ? kept : n;
}

/* Packs map the words to different values: asks the user which one is meant. */
static void ask_which_meaning(struct reading *r, const struct mention *m,
			      const struct entry *meanings, size_t n)
{
	const struct dimension_def *first = meanings[0].dimension;
	struct suggestion *options = arena_alloc(r->arena, n * sizeof(*options));
	bool one = true;

	for (size_t i = 1; i < n; i++)
		one = one && meanings[i].dimension == first;
	for (size_t i = 0; i < n; i++) {
		const struct dimension_def *d = meanings[i].dimension;
		const char *value = arena_strdup(r->arena, meanings[i].value);

		options[i] = (struct suggestion){.value = value, .label = value};
		if (!one)
			options[i] = (struct suggestion){
				.value = arena_printf(r->arena, "%s=%s", d->filter, value),
				.label = arena_printf(r->arena, "%s (%s)", value, d->label)};
	}
	reading_add_issue(r, &(struct issue){.kind = ISSUE_AMBIGUOUS,
					     .filter = one ? first->filter : FILTER_MEANING,
					     .dimension = one ? first : NULL,
					     .term = text_between(&r->q, m->from, m->to, r->arena),
					     .options = options,
					     .option_count = n,
					     .options_in_text = m->excluded});
}

/* Resolves a name that depends on other values. One fitting meaning becomes a fact; several lead
 * to a clarifying question. */
static void resolve_by_context(struct reading *r, const struct mention *m)
{
	struct suggestion *fitting = arena_alloc(r->arena, sizeof(*fitting) * CANDIDATES_MAX);
	struct suggestion *possible = arena_alloc(r->arena, sizeof(*possible) * CANDIDATES_MAX);
	size_t fitting_count = 0, possible_count = 0;
	const struct entry *last = &m->candidates[0];
	const char *context = NULL;
	bool scoped = false;
	struct issue t = {.dimension = last->dimension,
			  .filter = last->dimension->filter,
			  .term = text_between(&r->q, m->from, m->to, r->arena)};

	for (size_t i = 0; i < m->count; i++) {
		const struct entry *e = &m->candidates[i];

		if (fits_context(r, e, &context)) {
			add_option(fitting, &fitting_count, e, r->arena);
			last = e;
		}
		add_option(possible, &possible_count, e, r->arena);
		scoped = scoped || e->when_value;
	}
	if (fitting_count == 1 || (!context && possible_count == 1 && !scoped)) {
		add_fact(r, m, last);
		return;
	}
	t.kind = context && fitting_count == 0 ? ISSUE_UNKNOWN_VALUE : ISSUE_AMBIGUOUS;
	t.options = fitting_count > 0 ? fitting : possible;
	t.option_count = fitting_count > 0 ? fitting_count : possible_count;
	if (t.kind == ISSUE_UNKNOWN_VALUE)
		t.option_count =
			names_list_options(r->names, t.dimension, context, r->arena, &t.options);
	reading_add_issue(r, &t);
}

/* Returns true when the name of the entry contains the words of the mention ("nazereth solar"). */
static bool has_word(const struct entry *e, const struct reading *r, const struct mention *m)
{
	const char *hit = strcasestr(e->value, text_between(&r->q, m->from, m->to, r->arena));

	return hit != NULL;
}

/* Drops mentions that are part of the name next to them. */
static void drop_parts_of_neighbours(struct reading *r)
{
	for (size_t i = 0; i < r->mention_count; i++) {
		const struct mention *m = &r->mentions[i];

		if (m->count != 1 || !names_loaded(r->names, m->candidates[0].dimension))
			continue;
		for (size_t n = 0; n < r->mention_count; n++) {
			struct mention *other = &r->mentions[n];

			if (n != i && other->count > 0 &&
			    (other->from == m->to || other->to == m->from) &&
			    other->candidates[0].dimension != m->candidates[0].dimension &&
			    has_word(&m->candidates[0], r, other)) {
				other->count = 0;
				for (size_t t = other->from; t < other->to; t++)
					r->q.tokens[t].is_tool_word = false;
			}
		}
	}
}

/* Resolves words that packs map to different values: keeps the meanings that fit the question, or
 * asks when packs still differ. */
static void resolve_pack_conflict(struct reading *r, struct mention *m)
{
	struct entry *meanings = arena_alloc(r->arena, CANDIDATES_MAX * sizeof(*meanings));
	size_t n = meanings_of(r, m, false, meanings);

	if (n == 0)
		n = meanings_of(r, m, true, meanings);
	if (is_contested(meanings, n))
		n = keep_labelled(r, m, meanings, n);
	m->candidates = meanings;
	m->count = n;
	if (!is_contested(meanings, n))
		return;
	ask_which_meaning(r, m, meanings, n);
	m->count = 0;
}

void mentions_resolve(struct reading *r)
{
	struct entry meanings[CANDIDATES_MAX];

	drop_parts_of_neighbours(r);
	exclude_mark_mentions(r);
	for (size_t i = 0; i < r->mention_count; i++) {
		struct mention *m = &r->mentions[i];

		m->is_contested = is_contested(meanings, meanings_of(r, m, true, meanings));
		if (best_exact_entry(m) && !m->excluded && !m->is_contested)
			add_fact(r, m, best_exact_entry(m));
	}
	for (size_t i = 0; i < r->mention_count; i++) {
		struct mention *m = &r->mentions[i];

		if (m->is_contested)
			resolve_pack_conflict(r, m);
		if (m->is_contested && best_exact_entry(m) && !m->excluded)
			add_fact(r, m, best_exact_entry(m));
		if (m->count > 0 && !m->excluded && !best_exact_entry(m))
			resolve_by_context(r, m);
	}
	exclude_resolve(r);
}
