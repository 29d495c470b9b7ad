/*
 * Which tool. One list of all tools of the caller's domains, one formula: how well the words fit,
 * how well the parameters take what was said, what would be missing. How clearly the best one wins
 * is the confidence.
 */
#include "know_int.h"

#include <string.h>

/* What speaks for a tool. Set on the labelled questions of tests/route. */
#define SCORE_TEXT     1.0  /* its words are the question's */
#define SCORE_DOMAIN   0.25 /* its domain is spoken of */
#define SCORE_FACTS    0.55 /* its parameters take what was said */
#define SCORE_FIRST    0.12 /* it is its domain's first */
#define SCORE_STANDING 0.45 /* it answered the question that this one follows */
#define SCORE_MISSING  (-0.08)
#define SCORE_NOTTAKEN (-0.45)
#define SCORE_CALLS    (-0.15)
#define SCORE_LONE     (-0.35)
#define SCORE_OTHER    (-0.7)

#define KNOWN_FULL 0.8 /* this much weight of words, and they count in full */

/* Confidence: two tools that fit alike stay under KNOW_SURE, a clear winner is over it. */
#define SURE_BASE     0.62
#define SURE_MARGIN   1.3
#define SURE_TEXT     0.12
#define SURE_FACTS    0.08
#define SURE_STANDING 0.05
#define SURE_STRANGE  (-0.06)
#define SURE_LEAST    0.05
#define SURE_MOST     0.99

/* One rare word is worth more than three that every tool uses. */
static double trust_in(const struct reading *r)
{
	return r->text.known < KNOWN_FULL ? r->text.known / KNOWN_FULL : 1;
}

static double text_of(const struct reading *r, const struct tool_def *t)
{
	for (size_t i = 0; i < r->in->may->tool_count; i++)
		if (r->in->may->tools[i] == t)
			return r->text.tools[i] * trust_in(r);
	return 0;
}

static double score_of(const struct fit *fit, double text, double domain_text, bool first,
		       const struct standing *standing)
{
	double score = SCORE_TEXT * text + SCORE_DOMAIN * domain_text + SCORE_FACTS * fit->facts +
		       SCORE_MISSING * (double)fit->missing +
		       SCORE_NOTTAKEN * (double)fit->not_taken;

	if (first)
		score += SCORE_FIRST;
	if (fit->calls > 1)
		score += SCORE_CALLS;
	if (fit->lone_list)
		score += SCORE_LONE;
	if (fit->other_list)
		score += SCORE_OTHER;
	for (size_t i = 0; standing && i < standing->tool_count; i++)
		if (standing->tools[i] == fit->tool) {
			score += SCORE_STANDING;
			break;
		}
	return score;
}

/* The best tool among those of the caller's domains. `standing`: what the question leans on. */
bool choose_tool(const struct reading *r, const struct standing *standing, struct choice *out)
{
	const struct catalog_view *v = r->in->may;
	bool any = false;

	*out = (struct choice){0};
	for (size_t d = 0; d < v->domain_count; d++) {
		bool first = true;

		for (size_t i = 0; i < v->domains[d]->tool_count; i++) {
			const struct tool_def *t = v->domains[d]->tools[i];
			struct fit fit;
			double score, text;

			if (!catalog_allows(v, t, v->domains[d]->agent))
				continue;
			slots_fit(r, t, &fit);
			text = text_of(r, t);
			score = score_of(&fit, text, r->text.domains[d] * trust_in(r), first,
					 standing);
			first = false;
			if (any && t == out->fit.tool)
				continue;
			if (!any || score > out->score) {
				double second = any ? out->score : score - 1;

				*out = (struct choice){fit, v->domains[d], score, second, text};
				any = true;
			} else if (score > out->second) {
				out->second = score;
			}
		}
	}
	return any;
}

double choose_confidence(const struct reading *r, const struct choice *c, bool leans)
{
	double margin = c->score - c->second;
	double confidence = SURE_BASE + SURE_MARGIN * margin + SURE_TEXT * c->text +
			    SURE_FACTS * c->fit.facts +
			    SURE_STRANGE * (double)r->text.strange_words;

	if (leans)
		confidence += SURE_STANDING;
	return confidence < SURE_LEAST  ? SURE_LEAST
	       : confidence > SURE_MOST ? SURE_MOST
					: confidence;
}
