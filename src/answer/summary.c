/* The turn's summary in the closing frame and the stored answer, as JSON in the arena. */
#include "answer_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/flow.h"
#include "vesper/json_out.h"
#include "vesper/limits.h"
#include "vesper/stream.h"
#include "vesper/wire.h"

static size_t result_rows(const struct result *r)
{
	return r->table_count > 0 ? r->tables[0]->row_count : 0;
}

/* Members of a stored call and of its agent's later context, besides the data view. */
static void write_call_members(struct json_out *j, struct arena *a, const struct result *r)
{
	jo_set_str(j, "finding", view_result_text(r, a));
	jo_set_int(j, "total_rows", r->table_count > 0 ? r->tables[0]->total_rows : 0);
	jo_set_int(j, "duration_ms", r->duration_us / 1000);
	jo_key(j, "args");
	args_write(j, &r->args);
}

static void write_calls(struct json_out *j, const struct answer_turn *t, bool to_keep)
{
	jo_array(j);
	for (size_t i = 0; i < t->work->result_count; i++) {
		const struct result *r = t->work->results[i];

		jo_object(j);
		jo_set_str(j, "call", r->call);
		jo_set_str(j, "agent", r->agent);
		jo_set_str(j, "tool", r->tool);
		jo_set_str(j, "outcome", outcome_name(r->outcome.kind));
		jo_set_int(j, "rows", (int64_t)result_rows(r));
		jo_set_bool(j, "truncated", r->outcome.truncated);
		jo_set_str(j, "truncation_reason", r->outcome.truncation);
		if (to_keep)
			write_call_members(j, t->core->arena, r);
		jo_object_end(j);
	}
	jo_array_end(j);
}

/* Copies the text into the arena and frees the buffer. */
static struct str into_arena(struct answer_turn *t, struct buf *b)
{
	struct str text = {arena_strndup(t->core->arena, buf_text(b), b->n), b->n};

	buf_deinit(b);
	return text;
}

struct str answer_calls_json(struct answer_turn *t, bool to_keep)
{
	struct buf text;
	struct json_out j;

	buf_init(&text, SIZE_MAX / 2);
	jo_init(&j, &text);
	write_calls(&j, t, to_keep);
	return into_arena(t, &text);
}

struct str answer_tasks_json(const struct answer_turn *t)
{
	const struct plan *p = t->work->plan;
	size_t count[TASK_ASKED + 1] = {0};
	const char *text;

	for (size_t i = 0; p && i < p->count; i++)
		if (!p->tasks[i].ask && p->tasks[i].skipped != SKIP_UNNEEDED)
			count[p->tasks[i].state]++;
	text = arena_printf(t->core->arena, "{\"completed\":%zu,\"failed\":%zu,\"skipped\":%zu}",
			    count[TASK_COMPLETED], count[TASK_FAILED], count[TASK_SKIPPED]);
	return p ? str_of(text) : (struct str){0};
}

static void write_link(struct json_out *j, struct answer_turn *t, const struct report_def *report,
		       const struct result *r)
{
	const struct tool_def *tool = catalog_tool(t->core->may.catalog, r->tool);

	jo_object(j);
	jo_set_str(j, "report_key", report->key);
	jo_set_str(j, "report_name", report->label);
	jo_set_str(j, "menu_key", report->menu_key);
	jo_set_str(j, "url", link_url(report, tool, &r->args, t->core->arena));
	jo_object_end(j);
}

static bool is_linked(const struct report_def *const *linked, size_t count,
		      const struct report_def *report)
{
	for (size_t i = 0; i < count; i++)
		if (linked[i] == report)
			return true;
	return false;
}

struct str answer_links_json(struct answer_turn *t)
{
	const struct report_def *linked[TURN_LINKS_MAX];
	size_t count = 0;
	struct buf text;
	struct json_out j;

	buf_init(&text, SIZE_MAX / 2);
	jo_init(&j, &text);
	jo_array(&j);
	for (size_t i = 0; i < t->work->result_count; i++) {
		const struct result *r = t->work->results[i];
		const char *const *key =
			r->outcome.kind == OUTCOME_NOT_PERMITTED ? NULL : r->reports;

		for (; key && *key && count < TURN_LINKS_MAX; key++) {
			const struct report_def *report =
				catalog_report(t->core->may.catalog, *key);

			if (!report || !*report->url || is_linked(linked, count, report))
				continue;
			linked[count++] = report;
			write_link(&j, t, report, r);
		}
	}
	jo_array_end(&j);
	t->answer->links = into_arena(t, &text);
	return t->answer->links;
}

static struct str checked_text(struct answer_turn *t, struct str numbers)
{
	const struct turn_checked *c = &t->answer->checked;
	struct buf text;
	struct json_out j;

	buf_init(&text, SIZE_MAX / 2);
	jo_init(&j, &text);
	jo_object(&j);
	jo_set_str(&j, "policy", guard_policy_name(t->options->numbers));
	jo_set_int(&j, "bound", c->count[GUARD_BOUND]);
	jo_set_int(&j, "unbound", c->count[GUARD_UNBOUND] + c->count[GUARD_WITHHELD]);
	jo_set_int(&j, "unchecked", c->count[GUARD_UNCHECKED]);
	jo_set_raw(&j, "items", numbers);
	cites_write(t->answer->cites, &j);
	jo_object_end(&j);
	return into_arena(t, &text);
}

const char *answer_stored_views_json(struct answer_turn *t)
{
	struct buf views, numbers;

	buf_init(&views, SIZE_MAX / 2);
	buf_init(&numbers, SIZE_MAX / 2);
	wire_stored(t->core->log, &views, &numbers);
	if (t->answer->checked.on)
		t->answer->checked.stored =
			checked_text(t, (struct str){buf_text(&numbers), numbers.n});
	buf_deinit(&numbers);
	return into_arena(t, &views).p;
}

/* The caller's most used budget, once most of it is used. */
static void write_budget(struct json_out *j, struct answer_turn *t)
{
	struct budget_state s;

	if (!llm_budget_state(t->options->llm, &t->answer->budget_owner, &s) ||
	    s.used_percent < BUDGET_WARN_PERCENT)
		return;
	jo_key(j, "budget");
	jo_object(j);
	jo_set_str(j, "scope", budget_scope_name(s.scope));
	jo_set_str(j, "period", budget_period_name(s.period));
	jo_set_str(j, "unit", s.money ? "usd" : "tokens");
	jo_set_int(j, "used_percent", s.used_percent);
	jo_object_end(j);
}

/* Converts billionths of a dollar, rounded to millionths. */
static void write_usd(struct json_out *j, int64_t nano_usd)
{
	int64_t micro = (nano_usd + 500) / 1000;
	char text[32];

	if (nano_usd <= 0)
		return;
	snprintf(text, sizeof(text), "%lld.%06lld", (long long)(micro / 1000000),
		 (long long)(micro % 1000000));
	jo_key(j, "cost_usd");
	jo_decimal(j, text);
}

static void write_usage_by(struct json_out *j, const struct answer_turn *t)
{
	jo_key(j, "by");
	jo_object(j);
	for (size_t i = 0; i < LLM_ROLE_COUNT; i++) {
		const struct llm_usage *u = &t->answer->usage[i];

		jo_key(j, llm_role_name((enum llm_role)i));
		jo_object(j);
		jo_set_int(j, "calls", t->answer->calls[i] + u->continued);
		jo_set_int(j, "input_tokens",
			   u->input_tokens + u->cache_read_tokens + u->cache_write_tokens);
		jo_set_int(j, "output_tokens", u->output_tokens);
		jo_object_end(j);
	}
	jo_object_end(j);
}

struct str answer_usage_json(struct answer_turn *t, bool with_budget)
{
	struct llm_usage sum = {0};
	int64_t calls = 0;
	struct buf text;
	struct json_out j;

	for (size_t i = 0; i < LLM_ROLE_COUNT; i++) {
		llm_usage_add(&sum, &t->answer->usage[i]);
		calls += t->answer->calls[i] + t->answer->usage[i].continued;
	}
	buf_init(&text, SIZE_MAX / 2);
	jo_init(&j, &text);
	jo_object(&j);
	jo_set_int(&j, "calls", calls);
	jo_set_int(&j, "input_tokens", sum.input_tokens);
	jo_set_int(&j, "cache_read_tokens", sum.cache_read_tokens);
	jo_set_int(&j, "cache_write_tokens", sum.cache_write_tokens);
	jo_set_int(&j, "output_tokens", sum.output_tokens);
	write_usage_by(&j, t);
	write_usd(&j, sum.nano_usd);
	if (with_budget)
		write_budget(&j, t);
	jo_object_end(&j);
	return into_arena(t, &text);
}

/* Only for an approved plan that has run; a plan with an open clarifying question is no answer. */
struct str answer_approved_json(struct answer_turn *t)
{
	const struct plan *p = t->work->plan;
	struct json_out j;
	struct buf text;

	if (!p || p->origin != PLAN_APPROVED || p->open)
		return (struct str){0};
	buf_init(&text, SIZE_MAX / 2);
	jo_init(&j, &text);
	jo_object(&j);
	jo_set_str(&j, "name", p->flow->name);
	jo_set_str(&j, "approved_by", p->flow->approval.by);
	jo_set_str(&j, "approved_at", p->flow->approval.at);
	jo_object_end(&j);
	return into_arena(t, &text);
}

/* ---- metadata of the stored answer ---- */

const char *answer_agents(const struct answer_turn *t)
{
	const char *used = "";

	for (size_t i = 0; i < t->work->result_count; i++) {
		bool known = false;

		for (size_t k = 0; k < i; k++)
			known = known ||
				strcmp(t->work->results[k]->agent, t->work->results[i]->agent) == 0;
		if (!known)
			used = arena_printf(t->core->arena, "%s%s%s", used, *used ? "," : "",
					    t->work->results[i]->agent);
	}
	return used;
}

int64_t answer_tokens(const struct answer_turn *t)
{
	int64_t tokens = 0;

	for (size_t i = 0; i < LLM_ROLE_COUNT; i++)
		tokens += t->answer->usage[i].output_tokens;
	return tokens;
}

static bool is_listed(const char *needs, const char *permission)
{
	struct str rest = str_of(needs);
	struct str one;

	while (str_split(&rest, ' ', &one))
		if (str_eq(one, str_of(permission)))
			return true;
	return false;
}

static const char *with_need(const struct answer_turn *t, const char *needs, const char *one)
{
	return is_listed(needs, one)
		       ? needs
		       : arena_printf(t->core->arena, "%s%s%s", needs, *needs ? " " : "", one);
}

const char *answer_required_permissions(const struct answer_turn *t)
{
	const json_t *of_rows =
		json_object_get(json_object_get(t->dialog->next_context, CONTEXT_ROWS), "needs");
	const json_t *one;
	const char *needs = "";
	size_t i;

	for (i = 0; i < t->work->result_count; i++)
		for (const char *const *p = t->work->results[i]->needs; p && *p; p++)
			needs = with_need(t, needs, *p);
	/* titles of an earlier list, which the session context keeps */
	json_array_foreach((json_t *)of_rows, i, one)
		needs = with_need(t, needs, json_string_value(one));
	return needs;
}
