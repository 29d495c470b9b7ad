/*
 * Understands questions that describe values of a column in words ("which products look like
 * snacks"), or name classes to sort the values into. The text after the cue is the description or
 * the classes. The rest of the question must be a complete query over the map.
 *
 * "Which projects look like they are late" has the same cue but no description. The whole text is
 * read like any other question if the text after the cue names a time, a number or a value of the
 * data. The same applies if it compares, ranks, groups or asks.
 */
#include "nlu_int.h"

#include <string.h>

#include "vesper/limits.h"

#define SUBJECT_WORDS_MAX 4 /* maximum number of words between "which" and the cue */

/* Token positions of the cue and the description. */
struct description_cue {
	const struct tool_def *tool;
	size_t cue_start, cue_end; /* first token, and the token after the cue */
	size_t question_end, description_start;
};

static const struct param_def *description_param(const struct tool_def *t)
{
	return t && t->analysis.points ? tool_param(t, t->analysis.points) : NULL;
}

/* Returns true for "which products look like" and "products that look like", but not for "what do
 * prices look like". */
static bool asks_which_before(const struct nlu *k, const struct question *q, size_t cue)
{
	for (size_t i = cue; i-- > 0 && cue - i <= SUBJECT_WORDS_MAX + 1;) {
		const struct token *t = &q->tokens[i];

		if (token_in_list(t, WORDS_WHICH) || token_in_list(t, WORDS_RELATIVE_PRONOUNS))
			return i + 1 < cue || i > 0;
		if (nlu_is_stop_word(k, t) && !token_in_list(t, WORDS_ARTICLES))
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

static bool find_cue(const struct nlu *k, const struct nlu_input *in, const struct question *q,
		     struct description_cue *out)
{
	for (size_t i = 0; i < q->count; i++) {
		const struct param_def *p;
		size_t n;

		out->tool = map_words_description_cue(k, q, i, &n);
		p = description_param(out->tool);
		if (!p || !may_call(in->may, out->tool))
			continue;
		out->cue_start = i;
		out->cue_end = out->question_end = out->description_start = i + n;
		if (!p->is_list)
			return out->description_start < q->count && asks_which_before(k, q, i);
		while (out->question_end < q->count &&
		       !token_in_list(&q->tokens[out->question_end], WORDS_CLASSIFY_AS))
			out->question_end++;
		out->description_start = out->question_end + 1;
		return out->description_start < q->count;
	}
	return false;
}

/* ---- recognizing a description ---- */

/* Words that occur in questions but not in descriptions. */
static const enum words question_lists[] = {
	WORDS_GROUPING,     WORDS_NARROWING,      WORDS_COMPARISON, WORDS_SUPERLATIVE,
	WORDS_RANKING,      WORDS_ABOVE,          WORDS_BELOW,      WORDS_BETWEEN,
	WORDS_WHICH,        WORDS_TO_BE,          WORDS_COUNTING,   WORDS_THEM,
	WORDS_THIRD_PERSON, WORDS_EXCLUSION_CUES, WORDS_CHART,      WORDS_CHART_NONE,
};

/* Text that begins with one of these is not a description: "it will be late", "those we lost". */
static const enum words pronouns[] = {WORDS_PRONOUNS, WORDS_FOLLOWUP_ANYWHERE, WORDS_THERE};

static bool starts_with_any(const struct question *q, size_t i, const enum words *lists,
			    size_t count)
{
	for (size_t l = 0; l < count; l++)
		if (words_at(q, i, lists[l]) > 0)
			return true;
	return false;
}

static bool is_question(const struct nlu *k, const struct question *q, size_t from)
{
	if (starts_with_any(q, from, pronouns, sizeof(pronouns) / sizeof(*pronouns)))
		return true;
	for (size_t i = from; i < q->count; i++)
		if ((i > from && strchr(".?!", q->tokens[i].separator)) || q->tokens[i].has_digit ||
		    token_number(&q->tokens[i]) >= 0 ||
		    starts_with_any(q, i, question_lists,
				    sizeof(question_lists) / sizeof(*question_lists)) ||
		    map_words_has_cue_at(k, q, i))
			return true;
	return false;
}

/* Returns true when a class may start at the token, as in "into solar, wind or other". A class may
 * also be a value of the data. */
static bool starts_class(const struct question *q, size_t i)
{
	return i == 0 || strchr(",;/", q->tokens[i].separator) ||
	       token_in_list(&q->tokens[i - 1], WORDS_OR) ||
	       token_in_list(&q->tokens[i - 1], WORDS_AND);
}

/* Returns true for a mention at the start of the description that matches only parts of names.
 * "Budget" then describes names, while "in the Budget report" names one. */
static bool is_word_of_names(const struct mention *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->candidates[i].kind != ENTRY_PART)
			return false;
	return m->from == 0;
}

/* Returns true when the text after the cue names a time, an amount or a value of the data. */
static bool names_data(const struct reading *rest, bool is_list)
{
	const struct mention *m = rest->mentions;

	for (size_t i = 0; i < rest->q.count; i++) {
		const struct mention *in = NULL;

		for (size_t n = 0; n < rest->mention_count && !in; n++)
			if (i >= m[n].from && i < m[n].to)
				in = &m[n];
		if (in ? !in->typo && !is_word_of_names(in) &&
				    !(is_list && starts_class(&rest->q, in->from))
		       : rest->q.tokens[i].used)
			return true;
	}
	return false;
}

/* Returns true for "the top 3 that look like": the query would rank all values, not only the
 * matching ones. */
static bool ranks_outside_cue(const struct question *q, const struct description_cue *d)
{
	for (size_t i = 0; i < d->question_end; i++)
		if ((i < d->cue_start || i >= d->cue_end) &&
		    (token_in_list(&q->tokens[i], WORDS_SUPERLATIVE) ||
		     token_in_list(&q->tokens[i], WORDS_RANKING)))
			return true;
	return false;
}

static bool start_reading(const struct nlu *k, const struct nlu_input *in, const char *text,
			  struct arena *a, struct reading *r)
{
	*r = (struct reading){.nlu = k, .in = in, .arena = a};
	text_tokenize(k->catalog->language, text, a, &r->q);
	if (r->q.count == 0 || r->q.count > NLU_WORDS_MAX)
		return false;
	reading_begin(r);
	return true;
}

bool description_understand(const struct nlu *k, const struct nlu_input *in,
			    const struct question *q, struct arena *a, struct understanding *out)
{
	struct reading *r = arena_alloc(a, 2 * sizeof(*r)), *behind = r + 1;
	const char *text;
	struct question rest;
	struct description_cue d;

	if (!find_cue(k, in, q, &d) || refuse_is_injection(in, k) ||
	    is_question(k, q, d.description_start) || ranks_outside_cue(q, &d))
		return false;
	text = text_between(q, d.description_start, q->count, a);
	if (!start_reading(k, in, text, a, behind) ||
	    names_data(behind, description_param(d.tool)->is_list) ||
	    !start_reading(k, in, text_between(q, 0, d.question_end, a), a, r) ||
	    facts_get(&r->facts, FILTER_TOP_N))
		return false;
	text_tokenize(k->catalog->language, text, a, &rest);
	r->description = &rest;
	return metrics_choose(r, TOOL_LACKS_NOTHING, out);
}

/* "complaint, praise or question" */
static size_t split_classes(const struct question *q, struct arena *a, struct value *out,
			    size_t max)
{
	size_t n = 0, from = 0;

	for (size_t i = 0; i <= q->count && n < max; i++) {
		bool ends = i == q->count;
		bool joins = !ends && (token_in_list(&q->tokens[i], WORDS_OR) ||
				       token_in_list(&q->tokens[i], WORDS_AND));

		if (!ends && !joins && !(i > from && strchr(",;/", q->tokens[i].separator)))
			continue;
		if (i > from)
			out[n++] = value_text(text_between(q, from, i, a));
		from = joins ? i + 1 : i;
	}
	return n;
}

void description_fill(const struct reading *r, const struct param_def *p, struct args *args)
{
	const struct question *q = r->description;
	struct value values[LIST_ARG_MAX];

	if (p->is_list)
		args_set_list(args, r->arena, p->name, values,
			      split_classes(q, r->arena, values, LIST_ARG_MAX));
	else
		args_set(args, r->arena, p->name,
			 value_text(text_between(q, 0, q->count, r->arena)));
}
