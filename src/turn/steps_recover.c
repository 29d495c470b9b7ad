/*
 * What becomes of results without rows. By the type of their outcome, and by code alone: a time
 * outside of what there is becomes a question for another one, a name that does not exist one for
 * the closest, and where nothing matches, questions are looked for that do find something. What did
 * give rows is answered all the same, and nothing is tried again unasked.
 */
#include "turn_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"

#define FILTER_FIRST_DAY "date_range_start"
#define FILTER_LAST_DAY  "date_range_end"
#define WORDS_BYTES_MAX  8192

static bool has_rows(const struct result *r)
{
	return r->outcome.kind == OUTCOME_ROWS;
}

/* The last result of a task that found nothing; NULL: it did, or was never run. */
static const struct result *lack_of(const struct task *task)
{
	if (task->state == TASK_SKIPPED)
		return NULL;
	for (size_t i = 0; i < task->result_count; i++)
		if (has_rows(task->results[i]))
			return NULL;
	return task->result_count ? task->results[task->result_count - 1] : NULL;
}

static const struct result *first_lack(const struct turn *t, enum outcome_kind kind)
{
	for (size_t i = 0; i < t->plan->count; i++) {
		const struct result *r = lack_of(&t->plan->tasks[i]);

		if (r && r->outcome.kind == kind)
			return r;
	}
	return NULL;
}

static bool any_rows(const struct turn *t)
{
	for (size_t i = 0; i < t->result_count; i++)
		if (has_rows(t->results[i]))
			return true;
	return false;
}

bool recover_is_due(const struct turn *t)
{
	for (size_t i = 0; i < t->plan->count; i++)
		if (lack_of(&t->plan->tasks[i]))
			return true;
	return false;
}

static const struct param_def *param_of(const struct turn *t, const struct result *r)
{
	const struct tool_def *tool = catalog_tool(t->may.catalog, r->tool);

	return tool && r->outcome.param ? tool_param(tool, r->outcome.param) : NULL;
}

static const char *words_of(struct turn *t, const struct result *r)
{
	const char *words;
	struct buf b;

	buf_init(&b, WORDS_BYTES_MAX);
	view_outcome_words(&b, r);
	words = arena_strdup(t->arena, buf_text(&b));
	buf_deinit(&b);
	return words;
}

/* ---- the plan that the answer runs ---- */

static json_t *value_json(const struct value *v)
{
	switch (v->type) {
	case VALUE_NULL:
		return NULL;
	case VALUE_INT:
		return json_integer(v->number);
	case VALUE_BOOL:
		return json_boolean(v->number != 0);
	default:
		return json_str(v->text);
	}
}

/* What a call was bound with, by the names of its filters. */
static json_t *filters_of(const struct tool_def *tool, const struct args *args)
{
	json_t *filters = json_object();

	for (size_t i = 0; i < args->count; i++) {
		const struct arg *arg = &args->items[i];
		const struct param_def *p = tool_param(tool, arg->name);
		json_t *list;

		if (!p)
			continue;
		if (!arg->is_list) {
			json_set_take(filters, p->filter, value_json(&arg->values[0]));
			continue;
		}
		list = json_array();
		for (size_t v = 0; v < arg->count; v++)
			json_push_take(list, value_json(&arg->values[v]));
		json_set_take(filters, p->filter, list);
	}
	return filters;
}

static json_t *step_of(const struct turn *t, const struct result *r, size_t number)
{
	const struct tool_def *tool = catalog_tool(t->may.catalog, r->tool);
	json_t *step = json_object();

	json_set_str(step, "id", arena_printf(t->arena, "t%zu", number));
	json_set_str(step, "agent", r->agent);
	json_set_str(step, "tool", r->tool);
	json_set_take(step, "own", filters_of(tool, &r->args));
	return step;
}

/* Does the same answer help this one? */
static bool lacks_the_same(const struct turn *t, const struct result *r, const struct result *one)
{
	const struct param_def *p = param_of(t, r), *same = param_of(t, one);

	return r && r->outcome.kind == one->outcome.kind && p && same &&
	       strcmp(p->filter, same->filter) == 0;
}

/* All that lacks what `one` lacks; the whole plan where its steps hang together and none of them
 * found anything. */
static const json_t *plan_for(struct turn *t, const struct result *one)
{
	json_t *plan, *steps = json_array();

	if (t->spec && !any_rows(t)) {
		json_decref(steps);
		return t->spec;
	}
	for (size_t i = 0; i < t->plan->count; i++) {
		const struct result *r = lack_of(&t->plan->tasks[i]);

		if (r && lacks_the_same(t, r, one))
			json_push_take(steps, step_of(t, r, json_array_size(steps) + 1));
	}
	plan = json_own(t->arena, json_object());
	json_set_str(plan, "question", t->request.content);
	json_set_str(plan, "intent", t->intent);
	json_set_take(plan, "filters", json_object());
	json_set_take(plan, "steps", steps);
	return plan;
}

/* ---- another time ---- */

/* What all of them cover; false when that is nothing, and `one` alone counts. */
static void common_range(const struct turn *t, const struct result *one, bool numbers,
			 const char **min, const char **max)
{
	const char *first = one->outcome.range_min, *last = one->outcome.range_max;

	for (size_t i = 0; i < t->plan->count; i++) {
		const struct result *r = lack_of(&t->plan->tasks[i]);

		if (!r || !lacks_the_same(t, r, one))
			continue;
		if (strcmp(r->outcome.range_min, first) > 0)
			first = r->outcome.range_min;
		if (strcmp(r->outcome.range_max, last) < 0)
			last = r->outcome.range_max;
	}
	*min = one->outcome.range_min;
	*max = one->outcome.range_max;
	if (numbers ? strtoll(first, NULL, 10) <= strtoll(last, NULL, 10)
		    : strcmp(first, last) <= 0) {
		*min = first;
		*max = last;
	}
}

/* Years, or months: each that there is. */
static void ask_number(struct turn *t, const struct param_def *p, const char *min, const char *max,
		       struct turn_ask *ask)
{
	int64_t first = strtoll(min, NULL, 10), last = strtoll(max, NULL, 10);
	struct suggestion *options;

	if (last - first >= RECOVER_OPTIONS_MAX)
		first = last - RECOVER_OPTIONS_MAX + 1;
	options = arena_alloc(t->arena, sizeof(*options) * (size_t)(last - first + 1));
	for (int64_t n = first; n <= last; n++) {
		const char *text = arena_printf(t->arena, "%" PRId64, n);

		options[ask->option_count++] = (struct suggestion){.value = text, .label = text};
	}
	ask->input = p->is_list ? ASK_MULTIPLE : ASK_SINGLE;
	ask->options = options;
	ask->min = p->list_min;
	ask->max = p->list_max < ask->option_count ? p->list_max : ask->option_count;
	ask->skip = (struct suggestion){
		.value = options[ask->option_count - 1].value,
		.label = arena_printf(t->arena, "Use the latest (%s)",
				      options[ask->option_count - 1].value),
	};
}

static const char *iso_text(struct turn *t, int64_t day)
{
	char iso[DATE_ISO_BYTES];

	date_iso(date_from_days(day), iso);
	return arena_strdup(t->arena, iso);
}

static const char *arg_of_filter(struct turn *t, const struct result *r, const char *filter)
{
	const struct param_def *p =
		tool_param_of_filter(catalog_tool(t->may.catalog, r->tool), filter);

	return p ? args_text(&r->args, p->name, t->arena) : NULL;
}

/* As many days as were asked for, up to the last one that there is. */
static void skip_to_latest(struct turn *t, const struct result *r, struct turn_ask *ask)
{
	const char *from = arg_of_filter(t, r, FILTER_FIRST_DAY);
	const char *to = arg_of_filter(t, r, FILTER_LAST_DAY), *value = ask->max_date;
	struct date first, last, a, b;
	int64_t begin;

	if (ask->input == ASK_DATE_RANGE && date_parse_iso(ask->min_date, &first) &&
	    date_parse_iso(ask->max_date, &last)) {
		begin = from && to && date_parse_iso(from, &a) && date_parse_iso(to, &b)
				? date_to_days(last) - (date_to_days(b) - date_to_days(a))
				: date_to_days(first);
		if (begin < date_to_days(first))
			begin = date_to_days(first);
		value = arena_printf(t->arena, "%s/%s", iso_text(t, begin), ask->max_date);
	}
	ask->skip = (struct suggestion){.value = value, .label = "Use the latest there is"};
}

static void ask_days(struct turn *t, const struct result *r, const struct param_def *p,
		     const char *min, const char *max, struct turn_ask *ask)
{
	const struct tool_def *tool = catalog_tool(t->may.catalog, r->tool);
	const char *from = arg_of_filter(t, r, FILTER_FIRST_DAY);
	const char *to = arg_of_filter(t, r, FILTER_LAST_DAY);

	ask->input = ASK_DATE;
	ask->min_date = min;
	ask->max_date = max;
	if (tool_param_of_filter(tool, FILTER_FIRST_DAY) &&
	    tool_param_of_filter(tool, FILTER_LAST_DAY)) {
		ask->filter = FILTER_FIRST_DAY;
		ask->end_filter = FILTER_LAST_DAY;
		if (!from || !to || strcmp(from, to) != 0)
			ask->input = ASK_DATE_RANGE;
	} else {
		ask->filter = p->filter;
	}
	skip_to_latest(t, r, ask);
}

static bool ask_time(struct turn *t)
{
	const struct result *r = first_lack(t, OUTCOME_OUT_OF_WINDOW);
	const struct param_def *p = r ? param_of(t, r) : NULL;
	struct turn_ask *ask = &t->mend.ask;
	const char *min, *max;

	if (!p || !r->outcome.range_min || !r->outcome.range_max)
		return false;
	common_range(t, r, p->type == PARAM_INT, &min, &max);
	*ask = (struct turn_ask){.filter = p->filter, .hint = "I look again with what you choose."};
	if (p->type == PARAM_INT)
		ask_number(t, p, min, max, ask);
	else
		ask_days(t, r, p, min, max, ask);
	ask->plan = plan_for(t, r);
	t->mend.asked = r;
	t->mend.text = arena_printf(t->arena, "%s Which %s do you mean?", words_of(t, r),
				    p->type == PARAM_INT           ? p->filter
				    : ask->input == ASK_DATE_RANGE ? "days"
								   : "day");
	return true;
}

/* ---- another name ---- */

static bool ask_name(struct turn *t)
{
	const struct result *r = first_lack(t, OUTCOME_UNKNOWN_ENTITY);
	const struct param_def *p = r ? param_of(t, r) : NULL;

	if (!p || r->outcome.suggestion_count == 0)
		return false;
	t->mend.ask = (struct turn_ask){
		.filter = p->filter,
		.options = r->outcome.suggestions,
		.option_count = r->outcome.suggestion_count,
		.plan = plan_for(t, r),
	};
	t->mend.asked = r;
	t->mend.text =
		arena_printf(t->arena, "%s Which one do you mean?",
			     r->outcome.detail ? r->outcome.detail : "I do not know that name.");
	return true;
}

/* ---- questions that find something ---- */

struct probe {
	struct turn *turn;
	struct task *task;
};

static void on_probed(void *owner, struct result *r)
{
	struct probe *probe = owner;

	probe->task->results = arena_alloc(probe->turn->arena, sizeof(struct result *));
	probe->task->results[0] = r;
	probe->task->result_count = 1;
	plan_task_done(probe->turn->run, probe->task, true);
}

static struct op *on_run_probe(void *owner, struct task *task)
{
	struct turn *t = owner;
	struct probe *probe = arena_alloc(t->arena, sizeof(*probe));
	const struct tool_request request = {
		.turn_id = t->id.text,
		.call = task->id,
		.agent = task->agent,
		.tool = task->tool,
		.bound = task->args,
		.who = t->who,
		.today = t->today,
		.timeout_ms = RECOVER_PROBE_MS,
	};

	*probe = (struct probe){t, task};
	return tool_start(t->knowledge->set.tools, &request, t->arena, on_probed, probe);
}

static void on_probes_done(void *owner)
{
	struct turn *t = owner;

	t->run = NULL;
	t->pending--;
	turn_wake(t);
}

static void add_probe(struct turn *t, const char *question)
{
	struct plan *p = t->mend.probes;
	struct understanding u;

	for (size_t i = 0; i < p->count; i++)
		if (strcmp(t->mend.questions[i], question) == 0)
			return;
	if (p->count == RECOVER_PROBES_MAX || strcmp(question, t->request.content) == 0 ||
	    !suggest_read(t, question, &u) || u.tool_count != 1)
		return;
	t->mend.questions[p->count] = question;
	p->tasks[p->count++] = (struct task){
		.id = arena_printf(t->arena, "s%zu", p->count),
		.agent = u.tools[0].agent,
		.tool = u.tools[0].tool->name,
		.args = &u.tools[0].args,
		.depends_on = arena_alloc(t->arena, sizeof(char *)),
	};
}

/* Follow-ups of what found nothing, then what its domain says one can ask. */
static bool start_probes(struct turn *t, const struct result *lack)
{
	const struct domain_def *d = catalog_domain_of_agent(t->may.catalog, lack->agent);
	const char *questions[RECOVER_PROBES_MAX];
	size_t n = view_suggested(lack, t->arena, questions, RECOVER_PROBES_MAX);

	t->mend.questions = arena_alloc(t->arena, sizeof(char *) * RECOVER_PROBES_MAX);
	t->mend.probes = arena_alloc(t->arena, sizeof(struct plan));
	*t->mend.probes = (struct plan){
		.id = "s",
		.origin = PLAN_ROUTER,
		.tasks = arena_alloc(t->arena, sizeof(struct task) * RECOVER_PROBES_MAX),
	};
	for (size_t i = 0; i < n; i++)
		add_probe(t, questions[i]);
	for (size_t i = 0; d && d->examples && d->examples[i]; i++)
		add_probe(t, d->examples[i]);
	if (t->mend.probes->count == 0 || !plan_check(t->mend.probes, t->arena, &t->err)) {
		t->err.code = ERR_NONE;
		t->mend.probes->count = 0;
		return false;
	}
	t->pending++;
	t->run =
		plan_start(t->all->loop, t->mend.probes, t->arena, on_run_probe, on_probes_done, t);
	return true;
}

static void take_probes(struct turn *t)
{
	const struct plan *p = t->mend.probes;
	size_t found = 0;

	for (size_t i = 0; i < p->count && found < SUGGEST_MAX; i++)
		if (p->tasks[i].result_count > 0 && has_rows(p->tasks[i].results[0])) {
			suggest_add(t, t->mend.questions[i], t->mend.questions[i]);
			found++;
		}
	if (found > 0)
		t->mend.text = suggest_text(t, "There is data for:\n");
}

/* ---- the step ---- */

static const struct result *nothing_found(const struct turn *t)
{
	const struct result *r = first_lack(t, OUTCOME_EMPTY);

	return r ? r : first_lack(t, OUTCOME_NO_DATA);
}

/* What failed may work later, or asked for less: the user decides. */
static void offer_again(struct turn *t)
{
	for (size_t i = 0; i < t->plan->count; i++) {
		const struct result *r = lack_of(&t->plan->tasks[i]);

		if (r && r->outcome.retryable && t->request.content[0]) {
			suggest_add(t, "Try again", t->request.content);
			return;
		}
	}
}

/* Nothing but failures: a model could only repeat them. */
static enum turn_state end_failed(struct turn *t)
{
	const char *words = "";

	for (size_t i = 0; i < t->result_count; i++)
		words = arena_printf(t->arena, "%s%s%s", words, *words ? "\n\n" : "",
				     words_of(t, t->results[i]));
	t->reply = (struct turn_reply){.text = words, .status = MESSAGE_COMPLETE};
	return TURN_ANSWER;
}

static enum turn_state go_on(struct turn *t)
{
	bool rows = any_rows(t);

	say_outcomes(t);
	if (t->mend.asked && !rows)
		return ask_user(t, t->mend.text, &t->mend.ask);
	return rows || t->mend.asked || nothing_found(t) ? TURN_SYNTH : end_failed(t);
}

enum turn_state step_recover(struct turn *t)
{
	const struct result *lack;

	if (t->started) {
		take_probes(t);
		return go_on(t);
	}
	t->started = true;
	t->mend = (struct turn_mend){0};
	offer_again(t);
	if (ask_time(t) || ask_name(t))
		return go_on(t);
	lack = nothing_found(t);
	if (lack)
		say_phase(t, "recovering", "Nothing found; looking for what there is");
	if (lack && start_probes(t, lack))
		return TURN_WAIT;
	return go_on(t);
}

/* ---- after the answer ---- */

void recover_finish(struct turn *t)
{
	if (!t->mend.text || t->end.status != MESSAGE_COMPLETE || t->log_full)
		return;
	if (t->mend.asked && !ask_prepare(t, t->mend.text, &t->mend.ask))
		return;
	say_in_pieces(t, arena_printf(t->arena, "\n\n%s", t->mend.text), say_text);
	if (!t->mend.asked)
		return;
	t->end.status = MESSAGE_ASK;
	say_ask(t);
}
