/*
 * Questions whose answer may stand in a document. How far the documents of the caller reach is
 * known before a question is read; what is looked for are its own words, so nothing that was said
 * is a filter here, and no word of it is left over.
 */
#include "know_int.h"

#include <string.h>

#include "vesper/find.h"

void documents_score(const struct know_input *in, const struct question *q, size_t from, size_t to,
		     struct text_score *out)
{
	double weight = in->may->catalog->router.words.documents;

	if (!in->documents || in->documents->held_count == 0)
		return;
	out->documents =
		find_covers(in->documents, q->tokens + from, to - from, &out->documents_words);
	for (size_t i = 0; i < in->may->tool_count; i++)
		if (tool_is_document(in->may->tools[i]))
			out->tools[i] += weight * out->documents;
}

bool documents_speak(const struct reading *r)
{
	return r->text.documents >= r->know->catalog->router.documents.speak;
}

void documents_fill(struct reading *r, const struct choice *c, struct understanding *out)
{
	const struct tool_def *tool = c->fit.of->def;
	struct know_call *call = arena_alloc(r->arena, sizeof(*call));
	size_t covered = r->text.documents_words;

	*call = (struct know_call){.kind = CANDIDATE_DOCUMENTS,
				   .name = tool->name,
				   .tool = tool,
				   .agent = c->domain->agent};
	args_set(&call->args, r->arena, DOCUMENT_PARAM_QUESTION,
		 value_text(arena_strdup(r->arena, r->q.text)));
	out->tools = call;
	out->tool_count = 1;
	/* words that the documents know are strange to tools alone */
	r->text.strange_words -= covered < r->text.strange_words ? covered : r->text.strange_words;
}
