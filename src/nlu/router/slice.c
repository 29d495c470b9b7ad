/*
 * Selects the tools described in full to a model, by the same score that code uses. If the caller
 * has many tools, the slice is a subset. The model can still name other tools, or the agent of
 * their domain finds them.
 */
#include "nlu_int.h"

#include "vesper/limits.h"

struct slice {
	const struct tool_def **tools;
	size_t count;
	size_t domains[NLU_SLICE_DOMAINS];
	size_t domain_count;
};

/* The tools for one subject of the question, best first. */
struct subject {
	struct ranked *list;
	size_t count;
};

static void add(struct slice *s, const struct tool_def *tool)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->tools[i] == tool)
			return;
	if (s->count < NLU_SLICE_TOOLS)
		s->tools[s->count++] = tool;
}

/* Returns true when the domain is in the slice or can be added. */
static bool add_domain(struct slice *s, size_t domain)
{
	for (size_t i = 0; i < s->domain_count; i++)
		if (s->domains[i] == domain)
			return true;
	if (s->domain_count == NLU_SLICE_DOMAINS)
		return false;
	s->domains[s->domain_count++] = domain;
	return true;
}

static struct subject subject_of(const struct nlu *k, const struct nlu_input *in,
				 const struct question *q, struct arena *a, struct slice *s)
{
	struct reading r = {.nlu = k, .in = in, .arena = a, .q = *q};
	struct session_context context;
	struct subject out;
	enum carry how;

	reading_begin(&r);
	session_context_read(&r, &context);
	for (size_t i = 0; i < context.tool_count; i++)
		add(s, context.tools[i]);
	how = reading_carry(&r, &context, followup_has_cue(&r));
	parents_resolve(&r);
	out.count = choose_ranked(&r, how == CARRY_ALL ? &context : NULL, &out.list);
	return out;
}

/* Adds the best tool of each subject, then the second of each, and so on. */
static void add_in_turn(struct slice *s, const struct subject *subjects, size_t n)
{
	bool more = true;

	for (size_t i = 0; more; i++) {
		more = false;
		for (size_t p = 0; p < n; p++) {
			const struct ranked *one = &subjects[p].list[i];

			if (i >= subjects[p].count)
				continue;
			more = true;
			if (add_domain(s, one->candidate->domain))
				add(s, candidate_tool(one->candidate));
		}
	}
}

size_t nlu_slice(const struct nlu *k, const struct nlu_input *in, struct arena *a,
		 const struct tool_def *const **out)
{
	struct slice s = {.tools = arena_alloc(a, NLU_SLICE_TOOLS * sizeof(*s.tools))};
	const char *const *parts = &in->question;
	struct subject *subjects;
	struct question q;
	size_t n;

	text_tokenize(k->catalog->language, in->question, a, &q);
	n = parts_of(k, in, &q, a, &parts);
	if (n == 0)
		n = 1;
	subjects = arena_alloc(a, n * sizeof(*subjects));
	for (size_t p = 0; p < n; p++) {
		struct nlu_input part = *in;

		part.question = parts[p];
		text_tokenize(k->catalog->language, parts[p], a, &q);
		subjects[p] = subject_of(k, &part, &q, a, &s);
	}
	add_in_turn(&s, subjects, n);
	*out = s.tools;
	return s.count;
}
