/*
 * Questions that say in words which values of a column are meant ("which products look like
 * snacks"), or into which classes they are put. Behind the words that ask for it stands a
 * description and no question: a name, a time or a bound in it is none of the data's. So the
 * question is read as if it ended there, and is another one where that makes no sense.
 */
#include "know_int.h"

#include <string.h>

#include "vesper/limits.h"

#define SUBJECT_WORDS_MAX 4 /* between "which" and what asks for it */

/* Where the cue ends and the description begins. */
struct described {
	const struct tool_def *tool;
	size_t to, from;
};

static const struct param_def *words_of(const struct tool_def *t)
{
	return t && t->analysis.points ? tool_param(t, t->analysis.points) : NULL;
}

/* "Which products look like", "products that look like"; but not "what do prices look like". */
static bool asks_which(const struct know *k, const struct question *q, size_t cue)
{
	for (size_t i = cue; i-- > 0 && cue - i <= SUBJECT_WORDS_MAX + 1;) {
		const struct token *t = &q->tokens[i];

		if (token_says(t, WORDS_WHICH) || token_says(t, WORDS_RELATIVE))
			return i + 1 < cue || i > 0;
		if (know_is_stop(k, t) && !token_says(t, WORDS_ARTICLES))
			return false;
	}
	return false;
}

static bool may_call(const struct catalog_view *may, const struct tool_def *t)
{
	for (size_t i = 0; i < may->agent_tool_count; i++)
		if (may->agent_tools[i] == t)
			return true;
	return false;
}

static bool find(const struct know *k, const struct know_input *in, const struct question *q,
		 struct described *out)
{
	for (size_t i = 0; i < q->count; i++) {
		const struct param_def *p;
		size_t n;

		out->tool = map_words_points(k, q, i, &n);
		p = words_of(out->tool);
		if (!p || !may_call(in->may, out->tool))
			continue;
		out->to = out->from = i + n;
		if (!p->is_list)
			return out->from < q->count && asks_which(k, q, i);
		while (out->to < q->count && !token_says(&q->tokens[out->to], WORDS_CLASSING))
			out->to++;
		out->from = out->to + 1;
		return out->from < q->count;
	}
	return false;
}

bool described_understand(const struct know *k, const struct know_input *in,
			  const struct question *q, struct arena *a, struct understanding *out)
{
	struct question rest;
	struct reading *r;
	struct described d;

	if (!find(k, in, q, &d) || refuse_is_injection(in, k))
		return false;
	text_read(k->catalog->language, text_between(q, d.from, q->count, a), a, &rest);
	r = arena_alloc(a, sizeof(*r));
	*r = (struct reading){.know = k, .in = in, .arena = a, .described = &rest};
	text_read(k->catalog->language, text_between(q, 0, d.to, a), a, &r->q);
	reading_begin(r);
	return metrics_choose(r, false, out);
}

/* "complaint, praise or question" */
static size_t split(const struct question *q, struct arena *a, struct value *out, size_t max)
{
	size_t n = 0, from = 0;

	for (size_t i = 0; i <= q->count && n < max; i++) {
		bool ends = i == q->count;
		bool joins = !ends && (token_says(&q->tokens[i], WORDS_OR) ||
				       token_says(&q->tokens[i], WORDS_AND));

		if (!ends && !joins && !(i > from && strchr(",;/", q->tokens[i].before)))
			continue;
		if (i > from)
			out[n++] = value_text(text_between(q, from, i, a));
		from = joins ? i + 1 : i;
	}
	return n;
}

void described_fill(const struct reading *r, const struct param_def *p, struct args *args)
{
	const struct question *q = r->described;
	struct value values[LIST_ARG_MAX];

	if (p->is_list)
		args_set_list(args, r->arena, p->name, values,
			      split(q, r->arena, values, LIST_ARG_MAX));
	else
		args_set(args, r->arena, p->name,
			 value_text(text_between(q, 0, q->count, r->arena)));
}
