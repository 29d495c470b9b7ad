/* Turns the results of a flow's plan into components, sentences, failed lookups and suggestions. */
#include "vesper/answer.h"

#include <string.h>

#include "vesper/condition.h"
#include "vesper/flow.h"
#include "vesper/language.h"
#include "vesper/limits.h"
#include "vesper/ref.h"

struct flow_text_builder {
	const struct plan *plan;
	const struct result *asked;
	const struct catalog *catalog;
	struct ref_scope scope;
	struct arena *arena;
};

static bool applies(const struct flow_text_builder *t, const struct flow_line *l,
		    enum flow_kind kind)
{
	return l->kind == kind &&
	       (!l->when || condition_is_met(l->when, &t->scope, t->plan->filters, t->arena));
}

static void add_task(const struct flow_text_builder *t, const struct task *task, struct buf *out)
{
	const struct tool_def *tool = task->tool ? catalog_tool(t->catalog, task->tool) : NULL;
	const char *what = tool ? tool->about : task->agent;

	if (task->state == TASK_SKIPPED && task->skipped != SKIP_UNNEEDED) {
		buf_char(out, '\n');
		sentence_put(out, t->catalog->language, SAY_ANSWER_NOT_LOOKED_UP,
			     arena_strndup(t->arena, what, strcspn(what, ":.")),
			     task_skip_text(task, t->catalog->language, t->arena));
		buf_char(out, '\n');
	} else if (task->state == TASK_FAILED && task->result_count > 0 &&
		   task->results[0] != t->asked) {
		buf_char(out, '\n');
		view_outcome_text(out, task->results[0]);
		buf_char(out, '\n');
	}
}

static const char *text_of(const struct flow_text_builder *t, bool *said)
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
static const char *filled(const struct flow_text_builder *t, const char *text)
{
	const char *out = NULL;
	struct buf b;

	buf_init(&b, FLOW_BYTES_MAX);
	if (view_fill_references(&b, text, &t->scope, t->plan->filters))
		out = arena_strdup(t->arena, buf_text(&b));
	buf_deinit(&b);
	return out;
}

static size_t add_suggestions(const struct flow_text_builder *t, bool primary,
			      struct view_followup *out)
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

/* ---- components ---- */

/* Resolves the reference of a line. False: it has no value. */
static bool fill_prop(const struct flow_text_builder *t, const char *text, struct shown_prop *out)
{
	struct err unused = {0};
	const json_t *value;
	struct ref r;

	if (!ref_parse_any(text, &r, &unused) || !ref_find(&t->scope, &r, &out->place, &unused))
		return false;
	if (r.kind == REF_TABLE)
		return true;
	if (!ref_value(&t->scope, &r, t->arena, &value, &unused))
		return false;
	out->text = json_string_value(value);
	return out->text != NULL;
}

static void fill_show(const struct flow_text_builder *t, const struct task_show *show,
		      struct shown *out)
{
	const json_t *value;
	const char *name;

	*out = (struct shown){.show = show};
	out->props =
		arena_alloc(t->arena, sizeof(*out->props) * (json_object_size(show->props) + 1));
	json_object_foreach((json_t *)show->props, name, value) {
		struct shown_prop *p = &out->props[out->prop_count];

		*p = (struct shown_prop){.name = name};
		if (ref_of(value))
			out->prop_count += fill_prop(t, ref_of(value), p);
		else
			out->prop_count += (p->text = filled(t, json_string_value(value))) != NULL;
	}
}

size_t flow_shown(const struct plan *p, struct arena *a, struct shown **out)
{
	const struct flow_text_builder t = {.plan = p, .scope = plan_results(p, a), .arena = a};
	size_t n = 0;

	*out = arena_alloc(a, sizeof(**out) * (p->show_count + 1));
	for (size_t i = 0; i < p->show_count; i++)
		if (!p->shows[i].when ||
		    condition_is_met(p->shows[i].when, &t.scope, p->filters, a))
			fill_show(&t, &p->shows[i], &(*out)[n++]);
	return n;
}

static bool is_main_table(const json_t *value, const char *task)
{
	struct err unused = {0};
	struct ref r;

	return ref_of(value) && ref_parse_any(ref_of(value), &r, &unused) && r.kind == REF_TABLE &&
	       !*r.table && strcmp(r.source, task) == 0;
}

bool flow_shows_table(const struct plan *p, const char *task)
{
	const json_t *value;
	const char *name;

	for (size_t i = 0; i < p->show_count; i++)
		json_object_foreach((json_t *)p->shows[i].props, name, value)
			if (is_main_table(value, task))
				return true;
	return false;
}

bool flow_answer(const struct plan *p, const struct result *asked, const struct catalog *c,
		 struct arena *a, struct view_answer *out)
{
	const struct flow_text_builder t = {p, asked, c, plan_results(p, a), a};
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
