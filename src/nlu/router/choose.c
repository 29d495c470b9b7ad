/*
 * Chooses among the tools and flows of the caller's domains. The score combines how well the words
 * fit, how well the parameters take the facts, and what is missing. The margin of the best
 * candidate gives the confidence.
 */
#include "nlu_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"

#define CONFIDENCE_MIN 0.02
#define CONFIDENCE_MAX 0.99

static const struct router_weights *weights_of(const struct reading *r)
{
	return &r->nlu->catalog->router;
}

/* The weight of text scores, 0 to 1. One rare word counts more than three that every tool uses. */
static double words_weight(const struct reading *r)
{
	double enough = weights_of(r)->words.enough;

	if (r->filters_only) /* "top" in "only since March, top 3" does not name a tool */
		return 0;

	return r->text_score.known < enough ? r->text_score.known / enough : 1;
}

static double text_score_of(const struct reading *r, const struct tool_def *t)
{
	for (size_t i = 0; i < r->in->may->tool_count; i++)
		if (r->in->may->tools[i] == t)
			return tool_is_document(t) ? r->text_score.tools[i]
						   : r->text_score.tools[i] * words_weight(r);
	return 0;
}

/* The highest weighted text score of a tool. */
static double strongest_text(const struct reading *r)
{
	double most = 0;

	for (size_t i = 0; i < r->in->may->tool_count; i++)
		if (r->text_score.tools[i] > most)
			most = r->text_score.tools[i];
	return most * words_weight(r);
}

/* A shared tool belongs to the first of its domains, unless the words name another. */
static bool is_home_domain(const struct catalog_view *v, const struct tool_def *t, size_t domain)
{
	for (size_t d = 0; d < domain; d++)
		if (catalog_allows(v, t, v->domains[d]->agent))
			return false;
	return true;
}

const struct tool_def *candidate_tool(const struct candidate *c)
{
	return c->kind == CANDIDATE_TOOL || c->kind == CANDIDATE_DOCUMENTS ? c->def : NULL;
}

const struct param_def *candidate_param(const struct candidate *c, const char *filter)
{
	return params_of_filter(c->params, c->param_count, filter);
}

/* Allocates the list for all of the caller's candidates. */
static void begin_list(struct reading *r)
{
	const struct catalog_view *v = r->in->may;
	size_t room = v->flow_count;

	for (size_t d = 0; d < v->domain_count; d++)
		room += v->domains[d]->tool_count;
	r->candidates = arena_alloc(r->arena, (room + 1) * sizeof(*r->candidates));
	r->candidate_count = 0;
}

static void list_tools(struct reading *r)
{
	const struct catalog_view *v = r->in->may;

	for (size_t d = 0; d < v->domain_count; d++) {
		const struct domain_def *domain = v->domains[d];
		bool first = true;

		for (size_t i = 0; i < domain->tool_count; i++) {
			const struct tool_def *t = domain->tools[i];

			if (!catalog_allows(v, t, domain->agent))
				continue;
			r->candidates[r->candidate_count++] = (struct candidate){
				.kind = tool_is_document(t) ? CANDIDATE_DOCUMENTS : CANDIDATE_TOOL,
				.name = t->name,
				.domain = d,
				.params = t->params,
				.param_count = t->param_count,
				.numbers = r->nlu->params[t->index],
				.def = t,
				.first_of_domain = first,
				.in_home_domain = is_home_domain(v, t, d),
				.text_score = text_score_of(r, t)};
			first = false;
		}
	}
}

/* Lists the tools once per question; later choices reuse the list. */
static void list_candidates(struct reading *r)
{
	if (r->candidates)
		return;
	begin_list(r);
	list_tools(r);
}

static bool is_of_intent(const struct reading *r, const struct candidate *c, const char *intent)
{
	return strcmp(intent, r->in->may->domains[c->domain]->intent) == 0;
}

static double score_of(const struct reading *r, const struct candidate *c, const struct fit *fit,
		       const struct session_context *context)
{
	const struct router_weights *w = weights_of(r);
	double score = w->kind[c->kind] + w->score.text * c->text_score +
		       w->score.domain * r->text_score.domains[c->domain] * words_weight(r) +
		       w->score.facts * fit->facts + w->score.missing * (double)fit->missing +
		       w->score.not_taken * (double)fit->unsupported;

	if (c->first_of_domain)
		score += w->score.first;
	if (context && context->intent && context->tool_count > 0
		    ? is_of_intent(r, c, context->intent)
		    : c->in_home_domain)
		score += w->score.home;
	if (fit->calls > 1)
		score += w->score.calls;
	if (fit->single_name_list)
		score += w->score.lone_list;
	if (fit->other_list)
		score += w->score.other_list;
	for (size_t i = 0; context && i < context->tool_count; i++)
		if (context->tools[i] == c->def) {
			score += w->score.standing * (1 - strongest_text(r));
			break;
		}
	return score;
}

/* Keeps the best candidate and the best of another tool. The same tool in two domains does not
 * reduce the margin. */
static void keep_best_two(struct choice *best, bool *any, const struct choice *c)
{
	if (!*any || c->score > best->score) {
		double second = !*any                                               ? c->score - 1
				: best->fit.candidate->def == c->fit.candidate->def ? best->second
										    : best->score;

		*best = *c;
		best->second = second;
	} else if (c->score > best->second && c->fit.candidate->def != best->fit.candidate->def) {
		best->second = c->score;
	}
	*any = true;
}

/* "And its milestones": all new facts are tool words, and the best matching tool takes none of
 * them. The words then name the tool. */
static bool words_name_tool(const struct reading *r, const struct numbered_facts *n)
{
	const struct candidate *best = NULL;
	bool carried = false, soft = false;

	if (r->constraint_count > 0)
		return false;

	for (size_t i = 0; i < r->candidate_count; i++)
		if (!best || r->candidates[i].text_score > best->text_score)
			best = &r->candidates[i];
	for (size_t i = 0; best && i < r->facts.count; i++) {
		const struct fact *f = &r->facts.items[i];

		if (f->source == SOURCE_CARRIED)
			carried = true;
		else if (f->has_tool_words_only && !params_for_fact(r, n, best, i))
			soft = true;
		else if (!f->implied && f->source != SOURCE_DEFAULT)
			return false;
	}
	return carried && soft;
}

/* The session context's intent, for a follow-up that has only filters and orderings, and
 * therefore no subject. NULL: any domain. */
static const char *context_intent(const struct reading *r, const struct session_context *s)
{
	for (size_t i = 0; r->filters_only && s && s->intent && i < r->candidate_count; i++)
		if (is_of_intent(r, &r->candidates[i], s->intent))
			return s->intent;
	return NULL;
}

/* For a follow-up that only changes the time: returns true when the tool keeps the subject. Such
 * a tool is in the session context, or takes all its values. */
static bool keeps_subject(const struct session_context *s, const struct candidate *can)
{
	size_t values = 0;

	for (size_t t = 0; t < s->tool_count; t++)
		if (s->tools[t] == can->def)
			return true;
	for (size_t i = 0; i < s->facts.count; i++) {
		const struct fact *f = &s->facts.items[i];

		values += f->dimension != NULL;
		if (f->dimension && !candidate_param(can, f->filter))
			return false;
	}
	return values > 0;
}

bool choose_best(struct reading *r, const struct session_context *context, struct choice *out)
{
	struct numbered_facts n;
	const char *intent;
	bool any = false;

	*out = (struct choice){0};
	list_candidates(r);
	params_number_facts(r, &n);
	n.tool_words_name_tool = words_name_tool(r, &n);
	intent = context_intent(r, context);
	for (size_t i = 0; i < r->candidate_count; i++) {
		const struct candidate *can = &r->candidates[i];
		struct choice c = {.domain = r->in->may->domains[can->domain],
				   .text = can->text_score};

		if ((intent && !is_of_intent(r, can, intent)) ||
		    (r->time_step_only && context && !keeps_subject(context, can)))
			continue;
		slots_fit(r, &n, can, &c.fit);
		c.score = score_of(r, can, &c.fit, context);
		keep_best_two(out, &any, &c);
	}
	return any;
}

static int by_score(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return strcmp(x->candidate->name, y->candidate->name);
}

size_t choose_ranked(struct reading *r, const struct session_context *context, struct ranked **out)
{
	struct numbered_facts n;
	struct ranked *list;

	list_candidates(r);
	params_number_facts(r, &n);
	n.tool_words_name_tool = words_name_tool(r, &n);
	list = arena_alloc(r->arena, (r->candidate_count + 1) * sizeof(*list));
	for (size_t i = 0; i < r->candidate_count; i++) {
		const struct candidate *can = &r->candidates[i];
		struct fit fit;

		slots_fit(r, &n, can, &fit);
		list[i] = (struct ranked){can, score_of(r, can, &fit, context),
					  fit.missing + fit.unsupported == 0};
	}
	qsort(list, r->candidate_count, sizeof(*list), by_score);
	*out = list;
	return r->candidate_count;
}

/* A flow whose phrase occurs completely wins, unless it lacks a value that a tool does not need:
 * "compare CAISO and ERCOT" does not fill "Compare {hub_zone} and {hub_zone}". */
static bool is_better_flow(const struct ranked *a, const struct ranked *b)
{
	if (b && a->fits != b->fits)
		return a->fits;
	if (!b || (a->candidate->text_score >= 1) != (b->candidate->text_score >= 1))
		return !b || a->candidate->text_score >= 1;
	return a->score > b->score;
}

bool choose_flow(struct reading *r, struct choice *out)
{
	const struct ranked *flow = NULL, *tool = NULL;
	struct ranked *list = NULL;
	size_t n;

	begin_list(r);
	r->candidate_count = flows_find(r, false, r->candidates);
	if (r->candidate_count > 0)
		list_tools(r);
	n = r->candidate_count > 0 ? choose_ranked(r, NULL, &list) : 0;
	for (size_t i = 0; i < n; i++)
		if (!candidate_tool(list[i].candidate))
			flow = is_better_flow(&list[i], flow) ? &list[i] : flow;
		else if (!tool)
			tool = &list[i];
	r->candidates = NULL;
	if (!flow || flow->candidate->text_score < weights_of(r)->flow.least ||
	    (tool && tool->fits && !flow->fits) ||
	    (flow->candidate->text_score < 1 && tool && tool->score >= flow->score))
		return false;
	*out = (struct choice){.fit = {.candidate = flow->candidate},
			       .domain = r->in->may->domains[flow->candidate->domain],
			       .score = flow->score,
			       .text = flow->candidate->text_score};
	return true;
}

static bool is_listed(const struct understanding *u, const void *def)
{
	for (size_t i = 0; i < u->reading_count; i++)
		if (u->readings[i].def == def)
			return true;
	return false;
}

/* The share of the content words that the candidate's text covers. General words such as "who"
 * alone give 0. */
static double share_of(const struct reading *r, const struct candidate *c)
{
	size_t known = r->text_score.known_words, all = known + r->text_score.unknown_words;

	if (!candidate_tool(c))
		return c->text_score;
	return r->text_score.evidence > 0 ? c->text_score * (double)known / (double)all : 0;
}

bool choose_matches_words(const struct reading *r, const struct choice *c)
{
	return share_of(r, c->fit.candidate) >= weights_of(r)->reading.least;
}

void choose_readings(struct reading *r, struct understanding *out)
{
	struct nlu_reading *readings = arena_alloc(r->arena, NLU_READINGS_MAX * sizeof(*readings));
	struct ranked *list;
	size_t n;

	begin_list(r);
	r->candidate_count = flows_find(r, true, r->candidates);
	list_tools(r);
	n = choose_ranked(r, NULL, &list);
	out->readings = readings;
	for (size_t i = 0; i < n && out->reading_count < NLU_READINGS_MAX; i++) {
		const struct candidate *c = list[i].candidate;

		if (list[i].fits && share_of(r, c) >= weights_of(r)->reading.least &&
		    !is_listed(out, c->def))
			readings[out->reading_count++] =
				(struct nlu_reading){.kind = c->kind,
						     .name = c->name,
						     .agent = r->in->may->domains[c->domain]->agent,
						     .def = c->def};
	}
}

double choose_confidence(const struct reading *r, const struct choice *c, bool is_followup)
{
	const struct router_weights *w = weights_of(r);
	double sum = w->confidence.base + w->confidence.margin * (c->score - c->second) +
		     w->confidence.text * c->text + w->confidence.facts * c->fit.facts +
		     w->confidence.strange * (double)r->text_score.unknown_words +
		     (is_followup ? w->confidence.standing : 0);
	double confidence = 1 / (1 + exp(-sum));

	return confidence < CONFIDENCE_MIN   ? CONFIDENCE_MIN
	       : confidence > CONFIDENCE_MAX ? CONFIDENCE_MAX
					     : confidence;
}
