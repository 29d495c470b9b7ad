/* What a flow says of the results of its plan: sentences, what could not be looked up, and what can
 * be asked next. */
#include "vesper/answer.h"

#include <string.h>

#include "vesper/condition.h"
#include "vesper/flow.h"
#include "vesper/language.h"
#include "vesper/limits.h"
#include "vesper/ref.h"

struct teller {
	const struct plan *plan;
	const struct result *asked;
	const struct catalog *catalog;
	struct ref_scope scope;
	struct arena *arena;
};

static bool applies(const struct teller *t, const struct flow_line *l, enum flow_kind kind)
{
	return l->kind == kind &&
	       (!l->when || condition_met(l->when, &t->scope, t->plan->filters, t->arena));
}

static void add_task(const struct teller *t, const struct task *task, struct buf *out)
{
	const struct tool_def *tool = task->tool ? catalog_tool(t->catalog, task->tool) : NULL;
	const char *what = tool ? tool->about : task->agent;

	if (task->state == TASK_SKIPPED) {
		buf_char(out, '\n');
		sentence_put(out, t->catalog->language, SAY_ANSWER_NOT_LOOKED_UP,
			     arena_strndup(t->arena, what, strcspn(what, ":.")), task->why);
		buf_char(out, '\n');
	} else if (task->state == TASK_FAILED && task->result_count > 0 &&
		   task->results[0] != t->asked) {
		buf_char(out, '\n');
		view_outcome_words(out, task->results[0]);
		buf_char(out, '\n');
	}
}

static const char *text_of(const struct teller *t, bool *said)
{
	const struct flow_def *f = t->plan->flow;
	const char *text;
	struct buf out;

	buf_init(&out, ANSWER_BYTES_MAX);
	for (size_t i = 0; i < f->line_count; i++)
		if (applies(t, &f->lines[i], FLOW_SAY) &&
		    view_fill_references(&out, f->lines[i].text, &t->scope, t->plan->filters)) {
			buf_char(&out, '\n');
			*said = true;
		}
	for (size_t i = 0; i < t->plan->count; i++)
		add_task(t, &t->plan->tasks[i], &out);
	text = arena_strdup(t->arena, buf_text(&out));
	buf_deinit(&out);
	return text;
}

/* NULL: a placeholder has no value. */
static const char *filled(const struct teller *t, const char *text)
{
	const char *out = NULL;
	struct buf b;

	buf_init(&b, FLOW_BYTES_MAX);
	if (view_fill_references(&b, text, &t->scope, t->plan->filters))
		out = arena_strdup(t->arena, buf_text(&b));
	buf_deinit(&b);
	return out;
}

static size_t add_suggestions(const struct teller *t, bool primary, struct view_followup *out)
{
	const struct flow_def *f = t->plan->flow;
	size_t n = 0;

	for (size_t i = 0; i < f->line_count; i++) {
		const struct flow_line *l = &f->lines[i];

		if (l->primary != primary || !applies(t, l, FLOW_SUGGEST))
			continue;
		out[n].label = filled(t, l->label);
		out[n].question = filled(t, l->text);
		out[n].primary = primary;
		n += out[n].label && out[n].question;
	}
	return n;
}

bool flow_answer(const struct plan *p, const struct result *asked, const struct catalog *c,
		 struct arena *a, struct view_answer *out)
{
	const struct teller t = {p, asked, c, plan_results(p, a), a};
	struct view_followup *list = arena_alloc(a, (p->flow->line_count + 1) * sizeof(*list));
	size_t n = add_suggestions(&t, true, list);
	bool said = false;

	*out = (struct view_answer){
		.markdown = text_of(&t, &said),
		.followups = list,
		.followup_count = n + add_suggestions(&t, false, list + n),
	};
	return said;
}
