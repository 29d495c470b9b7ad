/*
 * Questions answered by documents. The caller passes their coverage (find.h). The search uses the
 * question's own words, so facts do not become filters and no word is left unused.
 */
#include "nlu_int.h"

#include <string.h>

#include "vesper/find.h"

#define UNSURE 0.6 /* low enough that a model routes the question */

void documents_score(const struct nlu_input *in, const struct question *q, size_t from, size_t to,
		     struct text_score *out)
{
	double weight = in->may->catalog->router.words.documents;

	if (!in->documents || in->documents->stem_set_count == 0)
		return;
	out->documents = find_coverage(in->documents, q->tokens + from, to - from);
	for (size_t i = 0; i < in->may->tool_count; i++)
		if (tool_is_document(in->may->tools[i]))
			out->tools[i] += weight * out->documents;
}

/* "The policy on …": the words name a document tool rather than another. Its unknown words are the
 * search terms. */
static bool names_documents(const struct reading *r)
{
	double documents = 0, others = 0;

	for (size_t i = 0; r->text_score.evidence > 0 && i < r->in->may->tool_count; i++) {
		double *most = tool_is_document(r->in->may->tools[i]) ? &documents : &others;

		if (r->text_score.tools[i] > *most)
			*most = r->text_score.tools[i];
	}
	return documents > others;
}

bool documents_cover_question(const struct reading *r)
{
	return r->in->documents &&
	       (r->text_score.documents >= r->nlu->catalog->router.documents.speak ||
		names_documents(r));
}

static void fill_search(struct reading *r, const struct tool_def *tool, const char *agent,
			struct understanding *out)
{
	struct nlu_call *call = arena_alloc(r->arena, sizeof(*call));

	*call = (struct nlu_call){
		.kind = CANDIDATE_DOCUMENTS, .name = tool->name, .tool = tool, .agent = agent};
	args_set(&call->args, r->arena, DOCUMENT_PARAM_QUESTION,
		 value_text(arena_strdup(r->arena, r->q.text)));
	out->tools = call;
	out->tool_count = 1;
}

void documents_fill(struct reading *r, const struct choice *c, struct understanding *out)
{
	fill_search(r, c->fit.candidate->def, c->domain->agent, out);
	r->text_score.unknown_words = 0; /* they are search terms */
}

/* Returns true when part of the question is unused, or when a value is missing that the documents
 * may answer. */
static bool is_incomplete(const struct reading *r, const struct understanding *u)
{
	if (u->kind == NLU_UNCLEAR)
		return true;
	return u->kind == NLU_DATA &&
	       (u->unused_count > 0 || (u->ask.text && documents_cover_question(r)));
}

bool documents_fallback(struct reading *r, struct understanding *out)
{
	const struct catalog_view *v = r->in->may;

	if (!is_incomplete(r, out) || r->text_score.documents < DOCUMENT_COVERAGE_MIN)
		return false;
	for (size_t d = 0; d < v->domain_count; d++)
		for (size_t i = 0; i < v->domains[d]->tool_count; i++) {
			const struct tool_def *t = v->domains[d]->tools[i];
			const char **agents;

			if (!tool_is_document(t) || !catalog_allows(v, t, v->domains[d]->agent))
				continue;
			agents = arena_alloc(r->arena, sizeof(*agents));
			agents[0] = v->domains[d]->agent;
			*out = (struct understanding){.kind = NLU_DATA,
						      .intent = v->domains[d]->intent,
						      .agents = agents,
						      .agent_count = 1,
						      .ask_tool = t,
						      .confidence = UNSURE};
			fill_search(r, t, agents[0], out);
			return true;
		}
	return false;
}

bool documents_is_search(const struct understanding *u)
{
	return u && u->tool_count > 0 && u->tools[0].kind == CANDIDATE_DOCUMENTS;
}
