/*
 * Code's closing sentences of an answer: failed lookups that the text does not mention, and charts
 * that were requested but are switched off. Without them, a reader could take an omitted part for
 * missing data.
 */
#include "vesper/answer.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/stream.h"
#include "vesper/text.h"
#include "vesper/view.h"
#include "vesper/words.h"

#define SUBJECT_STEMS_MAX 32

struct stems {
	char stem[SUBJECT_STEMS_MAX][STEM_BYTES];
	size_t count;
};

static bool is_content(const struct token *t)
{
	return t->has_letter && !token_in_list(t, WORDS_STOP);
}

static size_t find(const struct stems *s, const char *stem)
{
	size_t i = 0;

	while (i < s->count && strcmp(s->stem[i], stem) != 0)
		i++;
	return i;
}

static void read_stems(const struct language *l, const char *text, struct arena *a,
		       struct stems *out)
{
	struct question q;

	out->count = 0;
	text_tokenize(l, text, a, &q);
	for (size_t i = 0; i < q.count && out->count < SUBJECT_STEMS_MAX; i++) {
		if (!is_content(&q.tokens[i]))
			continue;
		word_stem(q.tokens[i].text, q.tokens[i].len, out->stem[out->count]);
		out->count += find(out, out->stem[out->count]) == out->count;
	}
}

/* True when one sentence of the text has more than half of the subject's words. */
static bool is_named(const struct language *l, const char *subject, const char *text,
		     struct arena *a)
{
	bool seen[SUBJECT_STEMS_MAX] = {false};
	char stem[STEM_BYTES];
	struct stems subject_stems;
	struct question q;
	size_t found = 0;

	read_stems(l, subject, a, &subject_stems);
	text_tokenize(l, text, a, &q);
	for (size_t i = 0; i < q.count; i++) {
		size_t at;

		if (q.tokens[i].starts_sentence) {
			memset(seen, 0, sizeof(seen));
			found = 0;
		}
		word_stem(q.tokens[i].text, q.tokens[i].len, stem);
		at = find(&subject_stems, stem);
		if (at < subject_stems.count && !seen[at]) {
			seen[at] = true;
			found++;
		}
		if (2 * found > subject_stems.count)
			return true;
	}
	return subject_stems.count == 0;
}

/* The task's subject: the first clause of its tool's or agent's description ("Yearly average
 * price"). */
static const char *subject_of(const struct answer_turn *t, const struct task *task)
{
	const struct tool_def *tool =
		task->tool ? catalog_tool(t->core->may.catalog, task->tool) : NULL;
	const struct domain_def *d =
		task->agent ? catalog_domain_of_agent(t->core->may.catalog, task->agent) : NULL;
	const char *about = tool ? tool->about : d ? d->about : "";

	return arena_strndup(t->core->arena, about, strcspn(about, ":."));
}

static bool has_failed(const struct task *task)
{
	const struct result *last =
		task->result_count ? task->results[task->result_count - 1] : NULL;

	if (task->state != TASK_FAILED || !last)
		return task->state == TASK_FAILED;
	return last->outcome.kind == OUTCOME_ERROR || last->outcome.kind == OUTCOME_TIMEOUT ||
	       last->outcome.kind == OUTCOME_NOT_PERMITTED;
}

/* A step whose condition was not met counts as missing only if the question asked for it. */
static bool is_missing(const struct answer_turn *t, const struct task *task, const char *subject)
{
	if (task->ask)
		return false;
	if (task->state != TASK_SKIPPED)
		return has_failed(task);
	return task->skipped == SKIP_CONDITION ? is_named(t->core->may.catalog->language, subject,
							  t->core->request.content, t->core->arena)
					       : task->skipped != SKIP_UNNEEDED;
}

static const char *missing(const struct answer_turn *t)
{
	const struct plan *p = t->work->plan;
	const char *list = "", *text = stream_text(t->core->log).p;

	for (size_t i = 0; p && text && i < p->count; i++) {
		const char *subject = subject_of(t, &p->tasks[i]);

		if (is_missing(t, &p->tasks[i], subject) && !strstr(list, subject) &&
		    !is_named(t->core->may.catalog->language, subject, text, t->core->arena))
			list = arena_printf(t->core->arena, "%s%s%s", list, *list ? "; " : "",
					    subject);
	}
	return *list ? turn_sentence(t->core, SAY_TASK_MISSING, list) : NULL;
}

static bool has_rows(const struct turn_work *w)
{
	for (size_t i = 0; i < w->result_count; i++)
		if (w->results[i]->outcome.kind == OUTCOME_ROWS)
			return true;
	return false;
}

/* Why there is no chart where one was asked for. */
static const char *no_charts(const struct answer_turn *t)
{
	enum view_chart_preference preference;

	if (!has_rows(t->work) || t->answer->views.charts > 0)
		return NULL;
	preference =
		view_chart_preference(t->core->may.catalog->language, t->core->request.content);
	if (preference == CHART_NO_PREFERENCE || preference == CHART_AS_TABLE)
		return NULL;
	return turn_sentence(t->core, t->options->no_charts ? SAY_NO_CHARTS : SAY_CHART_UNFIT);
}

const char *answer_closing(const struct answer_turn *t)
{
	const char *missing_text = missing(t), *chart = no_charts(t);

	return missing_text && chart ? arena_printf(t->core->arena, "%s %s", missing_text, chart)
	       : missing_text        ? missing_text
				     : chart;
}
