/*
 * Which candidate. One list of all that the caller's domains offer, one formula: how well the words
 * fit, how well the parameters take what was said, what would be missing. How clearly the best one
 * wins is the confidence.
 */
#include "know_int.h"

#include <math.h>
#include <string.h>

#define SURE_LEAST 0.02
#define SURE_MOST  0.99

static const struct router_weights *weights_of(const struct reading *r)
{
	return &r->know->catalog->router;
}

/* One rare word is worth more than three that every tool uses. */
static double trust_in(const struct reading *r)
{
	double enough = weights_of(r)->words.enough;

	if (r->bare) /* "top" of "only since March, top 3" names no tool */
		return 0;

	return r->text.known < enough ? r->text.known / enough : 1;
}

static double text_of(const struct reading *r, const struct tool_def *t)
{
	for (size_t i = 0; i < r->in->may->tool_count; i++)
		if (r->in->may->tools[i] == t)
			return r->text.tools[i] * trust_in(r);
	return 0;
}

/* How clearly the words name a tool by themselves. */
static double strongest_text(const struct reading *r)
{
	double most = 0;

	for (size_t i = 0; i < r->in->may->tool_count; i++)
		if (r->text.tools[i] > most)
			most = r->text.tools[i];
	return most * trust_in(r);
}

/* A tool that several domains share belongs to the first of them, unless the words ask for another.
 */
static bool is_home(const struct catalog_view *v, const struct tool_def *t, size_t domain)
{
	for (size_t d = 0; d < domain; d++)
		if (catalog_allows(v, t, v->domains[d]->agent))
			return false;
	return true;
}

const struct tool_def *candidate_tool(const struct candidate *c)
{
	return c->kind == CANDIDATE_TOOL ? c->def : NULL;
}

const struct param_def *candidate_param(const struct candidate *c, const char *filter)
{
	return params_of_filter(c->params, c->param_count, filter);
}

/* The same for each choice that a question takes. */
static void list_candidates(struct reading *r)
{
	const struct catalog_view *v = r->in->may;
	size_t room = 0;

	for (size_t d = 0; d < v->domain_count; d++)
		room += v->domains[d]->tool_count;
	r->candidates = arena_alloc(r->arena, (room + 1) * sizeof(*r->candidates));
	for (size_t d = 0; d < v->domain_count; d++) {
		const struct domain_def *domain = v->domains[d];
		bool first = true;

		for (size_t i = 0; i < domain->tool_count; i++) {
			const struct tool_def *t = domain->tools[i];

			if (!catalog_allows(v, t, domain->agent))
				continue;
			r->candidates[r->candidate_count++] =
				(struct candidate){.kind = CANDIDATE_TOOL,
						   .name = t->name,
						   .domain = d,
						   .params = t->params,
						   .param_count = t->param_count,
						   .numbers = &r->know->params[t->index],
						   .def = t,
						   .first = first,
						   .home = is_home(v, t, d),
						   .text = text_of(r, t)};
			first = false;
		}
	}
}

static double score_of(const struct reading *r, const struct candidate *c, const struct fit *fit,
		       const struct standing *standing)
{
	const struct router_weights *w = weights_of(r);
	double score = w->kind[c->kind] + w->score.text * c->text +
		       w->score.domain * r->text.domains[c->domain] * trust_in(r) +
		       w->score.facts * fit->facts + w->score.missing * (double)fit->missing +
		       w->score.not_taken * (double)fit->not_taken;

	if (c->first)
		score += w->score.first;
	if (standing && standing->intent && standing->tool_count > 0
		    ? strcmp(standing->intent, r->in->may->domains[c->domain]->intent) == 0
		    : c->home)
		score += w->score.home;
	if (fit->calls > 1)
		score += w->score.calls;
	if (fit->lone_list)
		score += w->score.lone_list;
	if (fit->other_list)
		score += w->score.other_list;
	for (size_t i = 0; standing && i < standing->tool_count; i++)
		if (standing->tools[i] == c->def) {
			score += w->score.standing * (1 - strongest_text(r));
			break;
		}
	return score;
}

/* Keeps the best one, and the best of another tool: one tool in two domains is no doubt about the
 * tool. */
static void consider(struct choice *best, bool *any, const struct choice *c)
{
	if (!*any || c->score > best->score) {
		double second = !*any                                 ? c->score - 1
				: best->fit.of->def == c->fit.of->def ? best->second
								      : best->score;

		*best = *c;
		best->second = second;
	} else if (c->score > best->second && c->fit.of->def != best->fit.of->def) {
		best->second = c->score;
	}
	*any = true;
}

/* "And its milestones": all that was said anew are words of the tools too, and the tool that they
 * fit best takes no such values, so they name it. */
static bool names_tool(const struct reading *r, const struct numbered *n)
{
	const struct candidate *best = NULL;
	bool carried = false, soft = false;

	if (r->said_count > 0)
		return false;

	for (size_t i = 0; i < r->candidate_count; i++)
		if (!best || r->candidates[i].text > best->text)
			best = &r->candidates[i];
	for (size_t i = 0; best && i < r->facts.count; i++) {
		const struct fact *f = &r->facts.items[i];

		if (f->source == SOURCE_CARRIED)
			carried = true;
		else if (f->soft && !params_take(r, n, best, i))
			soft = true;
		else if (!f->implied && f->source != SOURCE_DEFAULT)
			return false;
	}
	return carried && soft;
}

bool choose_best(struct reading *r, const struct standing *standing, struct choice *out)
{
	struct numbered n;
	bool any = false;

	*out = (struct choice){0};
	if (!r->candidates)
		list_candidates(r);
	params_number(r, &n);
	n.named = names_tool(r, &n);
	for (size_t i = 0; i < r->candidate_count; i++) {
		const struct candidate *can = &r->candidates[i];
		struct choice c = {.domain = r->in->may->domains[can->domain], .text = can->text};

		slots_fit(r, &n, can, &c.fit);
		c.score = score_of(r, can, &c.fit, standing);
		consider(out, &any, &c);
	}
	return any;
}

size_t choose_ranked(struct reading *r, const struct standing *standing, struct ranked **out)
{
	struct numbered n;
	struct ranked *list;

	if (!r->candidates)
		list_candidates(r);
	params_number(r, &n);
	n.named = names_tool(r, &n);
	list = arena_alloc(r->arena, (r->candidate_count + 1) * sizeof(*list));
	for (size_t i = 0; i < r->candidate_count; i++) {
		const struct candidate *can = &r->candidates[i];
		struct fit fit;

		slots_fit(r, &n, can, &fit);
		list[i] = (struct ranked){can, score_of(r, can, &fit, standing)};
	}
	*out = list;
	return r->candidate_count;
}

double choose_confidence(const struct reading *r, const struct choice *c, bool leans)
{
	const struct router_weights *w = weights_of(r);
	double sum = w->confidence.base + w->confidence.margin * (c->score - c->second) +
		     w->confidence.text * c->text + w->confidence.facts * c->fit.facts +
		     w->confidence.strange * (double)r->text.strange_words +
		     (leans ? w->confidence.standing : 0);
	double confidence = 1 / (1 + exp(-sum));

	return confidence < SURE_LEAST  ? SURE_LEAST
	       : confidence > SURE_MOST ? SURE_MOST
					: confidence;
}
