/*
 * Builds the prompts. The system prompt depends only on the catalogue and the caller's permissions,
 * so it is identical for all users of a role and can be cached. Date, history, question and data
 * follow it.
 */
#include "answer_int.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/llm.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/metric.h"
#include "vesper/prompt.h"
#include "vesper/prompt_budget.h"
#include "vesper/stream.h"
#include "vesper/tokens.h"
#include "vesper/utf8.h"

#define HISTORY_MESSAGE_BYTES 1200 /* per message; keeps the question and the main result */
#define SHOWN_TAIL_BYTES      800  /* end of the shown answer, for the next sentence */
#define PROMPT_BYTES_MAX      (512 * 1024)

static const char *domain_lines(const struct answer_turn *t, struct buf *b)
{
	const struct catalog_view *may = &t->core->may;

	buf_reset(b);
	for (size_t i = 0; i < may->domain_count; i++) {
		const struct domain_def *d = may->domains[i];

		buf_printf(b, "- %s: %s", d->agent, d->about);
		for (size_t x = 0; x < PROMPT_EXAMPLES_MAX && d->examples && d->examples[x]; x++)
			buf_printf(b, "%s \"%s\"", x == 0 ? " Such as:" : ",", d->examples[x]);
		buf_char(b, '\n');
	}
	return arena_strdup(t->core->arena, buf_text(b));
}

static const char *flow_lines(const struct answer_turn *t, struct buf *b)
{
	const struct catalog_view *may = &t->core->may;

	buf_reset(b);
	if (may->flow_count > 0)
		buf_str(b,
			"\nFlows: whole plans. {\"Run\":\"flow:…\"} runs one, with nothing beside "
			"it but Set\n");
	for (size_t i = 0; i < may->flow_count; i++)
		buf_printf(b, "- flow:%s: %s\n", may->flows[i]->name, may->flows[i]->about);
	return buf_text(b);
}

static struct llm_block *system_block(struct answer_turn *t, const char *text)
{
	struct llm_block *b = arena_alloc(t->core->arena, sizeof(*b));

	*b = (struct llm_block){.kind = LLM_TEXT, .text = text, .cache = true};
	return b;
}

/* Sets one text message, truncated at a character boundary. */
static void set_message(struct answer_turn *t, struct llm_message *m, enum llm_speaker speaker,
			const char *text, size_t max_bytes)
{
	struct llm_block *b = arena_alloc(t->core->arena, sizeof(*b));
	size_t n = strlen(text);

	*b = (struct llm_block){
		.kind = LLM_TEXT,
		.text = n <= max_bytes
				? text
				: arena_strndup(t->core->arena, text, utf8_cut(text, n, max_bytes)),
	};
	*m = (struct llm_message){.speaker = speaker, .blocks = b, .count = 1};
}

/* Describes a past answer for a model that may still choose tools. It contains no text of the data.
 * Clarifying questions are left out too, since they can name values. */
static const char *answer_description(struct answer_turn *t, const struct message *m)
{
	const json_t *ask =
		json_object_get(store_text_json(m->texts.standing, t->core->arena), "ask");
	const char *filter = json_string_value(json_object_get(ask, "filter"));

	if (m->status != MESSAGE_ASK)
		return "(Answered from the data.)";
	if (!filter)
		return "(Asked a clarifying question.)";
	return arena_printf(t->core->arena, "(Asked a clarifying question about %s.)", filter);
}

/* Complete pairs of recent messages, then the newest message. A refused or empty answer is dropped
 * with its question, so that speakers alternate. */
static void set_messages(struct answer_turn *t, struct llm_call *call, const char *newest)
{
	struct llm_message *list =
		arena_alloc(t->core->arena, sizeof(*list) * (2 * PROMPT_PAIRS + 1));
	size_t first = t->context->history_count;
	size_t pairs = 0;

	while (first >= 2 && pairs < PROMPT_PAIRS) {
		first -= 2;
		pairs++;
	}
	for (size_t i = first; i + 1 < t->context->history_count; i += 2) {
		const struct message *q = &t->context->history[i], *a = &t->context->history[i + 1];

		if (strcmp(q->role, "user") != 0 || strcmp(a->role, "assistant") != 0 ||
		    !*a->content || a->status == MESSAGE_REFUSED)
			continue;
		set_message(t, &list[call->message_count++], LLM_USER, q->content,
			    HISTORY_MESSAGE_BYTES);
		set_message(t, &list[call->message_count++], LLM_ASSISTANT,
			    call->role == LLM_ROUTE ? answer_description(t, a) : a->content,
			    HISTORY_MESSAGE_BYTES);
	}
	set_message(t, &list[call->message_count++], LLM_USER, newest, PROMPT_BYTES_MAX);
	call->messages = list;
}

static struct llm_call *new_call(struct answer_turn *t, enum llm_role role, const char *system)
{
	struct llm_call *call = arena_alloc(t->core->arena, sizeof(*call));
	char hash[HASH_HEX_BYTES];
	const char *who =
		arena_printf(t->core->arena, "%s\x1f%s", t->core->who->tenant, t->core->who->user);

	hash_sha256_hex(who, strlen(who), hash);
	*call = (struct llm_call){
		.role = role,
		.system = system_block(t, system),
		.system_count = 1,
		.deadline_ms = t->core->began_ms + t->options->deadline_ms,
		.user_hash = arena_strndup(t->core->arena, hash, 32),
		.budget_owner = &t->answer->budget_owner,
		.trail = &t->answer->trail,
		.turn_id = t->core->id.text,
	};
	return call;
}

static const char *date_text(const struct answer_turn *t)
{
	char today[DATE_ISO_BYTES];

	date_iso(t->core->today, today);
	return arena_printf(t->core->arena, "Today is %s.\n", today);
}

/* Adds the session's earlier context, before the messages that are repeated verbatim. */
static void add_history(struct answer_turn *t, struct prompt_budget *s, bool answers)
{
	const char *text = memory_text(t->context->earlier, t->core->who, answers, t->core->arena);
	const char *between =
		memory_text(t->context->between, t->core->who, answers, t->core->arena);

	if (*text || *between)
		prompt_budget_note_optional(
			s, "What was said earlier in this conversation",
			arena_printf(t->core->arena, "Earlier in this conversation:\n%s%s%s\n",
				     text, *text && *between ? "\n" : "", between));
}

struct llm_call *prompt_compress(struct answer_turn *t)
{
	struct llm_call *call =
		new_call(t, LLM_ROUTE,
			 prompt_fill(t->core->may.catalog, "compress", NULL, 0, t->core->arena));
	struct llm_message *list = arena_alloc(t->core->arena, sizeof(*list));

	set_message(t, list, LLM_USER,
		    memory_source(t->context->earlier,
				  store_memory_items(t->context->summary, t->core->arena),
				  t->core->who, t->core->arena),
		    PROMPT_BYTES_MAX);
	call->messages = list;
	call->message_count = 1;
	call->deadline_ms = clock_mono_ms() + SUMMARY_MODEL_MS;
	return call;
}

static void log_left_out(const struct answer_turn *t, const struct prompt_budget *s)
{
	for (size_t i = 0; i < prompt_budget_omitted_count(s); i++)
		log_debug("turn.prompt", "%s left out %s", t->core->id.text,
			  prompt_budget_omitted(s, i));
	if (prompt_budget_omitted_count(s) > 0)
		metric_add(&llm_prompts_truncated, NULL, 1);
}

static void use_budget(struct answer_turn *t, struct llm_call *call, struct prompt_budget *s)
{
	prompt_budget_fit(s);
	prompt_budget_tokens_by(s, &call->newest);
	log_left_out(t, s);
	if (call->role == LLM_ANSWER)
		t->answer->left_out = prompt_budget_omitted_count(s);
	set_messages(t, call, prompt_budget_text(s));
}

/* Placed after the cached part, since examples depend on the question. */
static void note_examples(struct answer_turn *t, struct prompt_budget *s)
{
	const char *text = slice_examples(t);

	if (!*text)
		return;
	prompt_budget_note(s, text);
	prompt_budget_set_category(s, TOKENS_EXAMPLES);
}

static void note_filters(struct answer_turn *t, struct prompt_budget *s, const char *lead,
			 const json_t *filters)
{
	char *text;

	if (json_object_size(filters) == 0)
		return;
	text = json_text(filters);
	prompt_budget_note(s, arena_printf(t->core->arena, "%s%s\n", lead, text));
	mem_free(text);
}

struct llm_call *prompt_supervisor(struct answer_turn *t)
{
	struct prompt_budget *s = prompt_budget_new(t->core->arena, t->options->prompt_tokens);
	struct prompt_slot slot;
	struct llm_call *call;
	struct buf b;

	buf_init(&b, PROMPT_BYTES_MAX);
	slot.name = "domains";
	slot.value = domain_lines(t, &b);
	slot.value = arena_printf(t->core->arena, "%s%s", slot.value, flow_lines(t, &b));
	call = new_call(t, LLM_ROUTE,
			prompt_fill(t->core->may.catalog, "supervisor", &slot, 1, t->core->arena));
	call->format = json_own(t->core->arena, supervisor_schema());

	buf_deinit(&b);

	prompt_budget_note(s, slice_text(t));
	prompt_budget_set_category(s, TOKENS_SCHEMA);
	note_examples(t, s);
	prompt_budget_note(s, date_text(t));
	add_history(t, s, false);
	note_filters(t, s,
		     "Filters that code has already read, and that stand: ", t->reading->known);
	for (size_t i = 0; t->answer->no_answer.done && i < t->work->result_count; i++)
		prompt_budget_note(s,
				   arena_printf(t->core->arena,
						"Tried already, and its data did not answer: %s\n",
						t->work->results[i]->tool));
	note_filters(t, s, "Filters that an earlier question left standing: ",
		     json_object_get(t->context->standing, "filters"));
	prompt_budget_note(s,
			   arena_printf(t->core->arena, "Question: %s", t->core->request.content));
	use_budget(t, call, s);
	return call;
}

/* Adds names, outcomes, counts and numbers of the finished steps. */
static void note_ended(struct answer_turn *t, struct prompt_budget *s, const struct plan *ended)
{
	prompt_budget_note(s,
			   "These steps have run; don't run them again, and refer to them by their "
			   "names. Continue with other names.\n");
	for (size_t i = 0; i < ended->count; i++) {
		const struct task *task = &ended->tasks[i];

		prompt_budget_note(
			s,
			arena_printf(t->core->arena, "%s: %s%s%s\n", task->id,
				     task->tool ? task->tool : task->agent,
				     task->state == TASK_SKIPPED ? ", not run: " : "",
				     task->state == TASK_SKIPPED
					     ? task_skip_text(task, t->core->may.catalog->language,
							      t->core->arena)
					     : ""));
		for (size_t k = 0; k < task->result_count && task->state != TASK_SKIPPED; k++)
			prompt_budget_result(s, task->results[k], PROMPT_BUDGET_NUMBERS, 0);
	}
}

struct llm_call *prompt_planner(struct answer_turn *t, const struct plan *ended)
{
	struct prompt_budget *s = prompt_budget_new(t->core->arena, t->options->prompt_tokens);
	int64_t limit_ms = clock_mono_ms() + PLANNER_MS;
	struct llm_call *call =
		new_call(t, LLM_ROUTE,
			 prompt_fill(t->core->may.catalog, "planner", NULL, 0, t->core->arena));

	call->format = json_own(t->core->arena, planner_schema());
	call->max_tokens = PLANNER_TOKENS_MAX;
	if (limit_ms < call->deadline_ms)
		call->deadline_ms = limit_ms;
	prompt_budget_note(s, slice_of_domains(t));
	prompt_budget_set_category(s, TOKENS_SCHEMA);
	note_examples(t, s);
	prompt_budget_note(s, date_text(t));
	note_filters(t, s,
		     "Filters that code has already read, and that stand: ", t->reading->known);
	note_filters(t, s, "Filters that an earlier question left standing: ",
		     json_object_get(t->context->standing, "filters"));
	if (ended)
		note_ended(t, s, ended);
	prompt_budget_note(s,
			   arena_printf(t->core->arena, "Question: %s", t->core->request.content));
	use_budget(t, call, s);
	return call;
}

/* The question is JSON-quoted: the model judges it and does not follow it. */
struct llm_call *prompt_guardrail(struct answer_turn *t, const json_t *format)
{
	struct prompt_budget *s = prompt_budget_new(t->core->arena, t->options->prompt_tokens);
	json_t *question = json_own(t->core->arena, json_str(t->core->request.content));
	int64_t limit_ms = clock_mono_ms() + GUARDRAIL_MS;
	struct prompt_slot slot;
	struct llm_call *call;
	struct buf b;

	buf_init(&b, PROMPT_BYTES_MAX);
	slot = (struct prompt_slot){"domains", domain_lines(t, &b)};
	call = new_call(t, LLM_ROUTE,
			prompt_fill(t->core->may.catalog, "guardrail", &slot, 1, t->core->arena));
	call->format = format;
	call->max_tokens = GUARDRAIL_TOKENS_MAX;
	if (limit_ms < call->deadline_ms)
		call->deadline_ms = limit_ms;
	prompt_budget_note(s, date_text(t));
	add_history(t, s, false);
	buf_reset(&b);
	buf_json(&b, question);
	prompt_budget_note(s,
			   arena_printf(t->core->arena, "Judge this question: %s", buf_text(&b)));
	buf_deinit(&b);
	use_budget(t, call, s);
	return call;
}

/* A choice or an edit refers to the question that it answers. */
static const char *question_text(const struct answer_turn *t)
{
	const char *first = json_string_value(json_object_get(t->work->spec, "question"));

	if (first && strcmp(first, t->core->request.content) != 0)
		return arena_printf(t->core->arena, "Question: %s\nThe user then said: %s\n\n",
				    first, t->core->request.content);
	return arena_printf(t->core->arena, "Question: %s\n\n", t->core->request.content);
}

/* Explains the offset when passages of a second search are numbered differently than its rows. */
static void note_passages(struct answer_turn *t, struct prompt_budget *s)
{
	size_t before = 0;

	for (size_t i = 0; i < t->work->result_count; i++) {
		const struct result *r = t->work->results[i];

		if (r->passages.count > 0 && before == 0)
			prompt_budget_note(s, prompt_fill(t->core->may.catalog, "citations", NULL,
							  0, t->core->arena));
		if (r->passages.count > 0 && before > 0)
			prompt_budget_note(s,
					   arena_printf(t->core->arena,
							"Passage N of %s is cited as [N + %zu].\n",
							r->call, before));
		before += r->passages.count;
	}
}

static void note_results(struct answer_turn *t, struct prompt_budget *s)
{
	for (size_t i = 0; i < t->work->result_count; i++)
		prompt_budget_result(s, t->work->results[i], PROMPT_BUDGET_FULL, PROMPT_ROWS_MAX);
	note_passages(t, s);
}

/* A filter with several values has the plural name, but each value may have been a separate
 * call. */
static const char *singular(const struct answer_turn *t, const struct filter *f)
{
	struct str name = str_of(f->name);

	if (f->is_list && str_ends(name, STR("s")))
		name.n--;
	return arena_strndup(t->core->arena, name.p, name.n);
}

static bool is_used(const struct answer_turn *t, const struct filter *f)
{
	const char *one = singular(t, f);

	for (size_t i = 0; i < t->work->result_count; i++) {
		const struct tool_def *tool =
			catalog_tool(t->core->may.catalog, t->work->results[i]->tool);

		if (!tool || tool_param_of_filter(tool, one) || tool_param_of_filter(tool, f->name))
			return true; /* a failed agent, or a tool that uses the filter */
	}
	return false;
}

/* Lists what was requested and not found; the outcomes give the reasons. */
static void note_gaps(struct answer_turn *t, struct prompt_budget *s)
{
	for (size_t i = 0; t->work->plan && i < t->work->plan->count; i++) {
		const struct task *task = &t->work->plan->tasks[i];

		if (task->result_count == 0 && !task->ask && task->skipped != SKIP_UNNEEDED)
			prompt_budget_gap(s, arena_printf(t->core->arena,
							  "what task %s of %s was to bring",
							  task->id, task->agent));
	}
	for (size_t i = 0; i < t->reading->understood.filter_count; i++) {
		const struct filter *f = &t->reading->understood.filters[i];

		if (t->work->result_count > 0 && f->source == SOURCE_EXPLICIT && !is_used(t, f))
			prompt_budget_gap(s, arena_printf(t->core->arena,
							  "anything that is narrowed to the filter "
							  "%s of the question",
							  singular(t, f)));
	}
}

/* The end of the shown text, from the start of a line. */
static const char *shown_tail(struct answer_turn *t)
{
	const char *text = stream_text(t->core->log).p;
	size_t n = stream_text(t->core->log).n,
	       from = n > SHOWN_TAIL_BYTES ? n - SHOWN_TAIL_BYTES : 0;

	while (from > 0 && from < n && text[from - 1] != '\n')
		from++;
	if (from == n && n > SHOWN_TAIL_BYTES) /* one long line */
		from = n - SHOWN_TAIL_BYTES;
	while (from < n && ((unsigned char)text[from] & 0xC0) == 0x80)
		from++;
	return arena_strndup(t->core->arena, text + from, n - from);
}

struct llm_call *prompt_rewrite(struct answer_turn *t, const struct guard_unbound *d)
{
	struct llm_call *call =
		new_call(t, LLM_ANSWER,
			 prompt_fill(t->core->may.catalog, "rewrite", NULL, 0, t->core->arena));
	struct llm_message *list = arena_alloc(t->core->arena, sizeof(*list));
	int64_t limit_ms = clock_mono_ms() + REWRITE_MS;
	struct prompt_budget *s = prompt_budget_new(t->core->arena, t->options->prompt_tokens);

	prompt_budget_note(s, date_text(t));
	prompt_budget_note(s, question_text(t));
	note_results(t, s);
	prompt_budget_note(
		s, arena_printf(t->core->arena, "Shown so far:\n%s\n\nWhat was to follow:\n%s\n\n",
				shown_tail(t),
				cites_readable((struct str){d->text, d->len}, t->core->arena)));
	if (*d->numbers)
		prompt_budget_note(s,
				   arena_printf(t->core->arena,
						"Not supported by the results: %s\n", d->numbers));
	if (*d->miscited)
		prompt_budget_note(s, arena_printf(t->core->arena,
						   "Not in the passages that it cites: %s\n",
						   d->miscited));
	if (d->uncited)
		prompt_budget_note(s, "It cites no passage.\n");
	prompt_budget_fit(s);
	prompt_budget_tokens_by(s, &call->newest);
	set_message(t, list, LLM_USER, prompt_budget_text(s), PROMPT_BYTES_MAX);
	call->messages = list;
	call->message_count = 1;
	call->max_tokens = REWRITE_TOKENS_MAX;
	if (limit_ms < call->deadline_ms)
		call->deadline_ms = limit_ms;
	return call;
}

/* Placed after our rules, and after their cached part. */
static void add_outside_rules(struct answer_turn *t, struct llm_call *call, struct prompt_budget *s)
{
	const char *rules = client_history_rules(&t->core->request, t->core->arena);
	struct llm_block *both;

	if (!rules)
		return;
	both = arena_alloc(t->core->arena, 2 * sizeof(*both));
	both[0] = call->system[0];
	both[1] = (struct llm_block){.kind = LLM_TEXT, .text = rules};
	call->system = both;
	call->system_count = 2;
	prompt_budget_reserve(s, tokens_estimate(rules, strlen(rules)));
}

static void note_client_history(struct answer_turn *t, struct prompt_budget *s)
{
	const char *earlier_text = client_history_text(&t->core->request, t->core->arena);

	if (earlier_text)
		prompt_budget_note_optional(s, "What was said earlier in this conversation",
					    earlier_text);
}

static struct llm_call *answer_call(struct answer_turn *t, const char *more)
{
	struct llm_call *call =
		new_call(t, LLM_ANSWER,
			 prompt_fill(t->core->may.catalog, "synthesizer", NULL, 0, t->core->arena));
	struct prompt_budget *s = prompt_budget_new(t->core->arena, t->options->prompt_tokens);

	add_outside_rules(t, call, s);
	prompt_budget_note(s, date_text(t));
	add_history(t, s, true);
	note_client_history(t, s);
	prompt_budget_note(s, question_text(t));
	if (t->work->result_count == 0)
		prompt_budget_note(s,
				   "No data was gathered: the question is not about the data, or "
				   "nothing fits it.\n");
	note_results(t, s);
	if (t->answer->flow_text)
		prompt_budget_note(s,
				   arena_printf(t->core->arena, "What these results come to: %s\n",
						t->answer->flow_text));
	note_gaps(t, s);
	if (t->answer->no_answer.offered)
		prompt_budget_note(s, no_answer_instruction);
	if (more)
		prompt_budget_note(s, more);
	use_budget(t, call, s);
	return call;
}

struct llm_call *prompt_answer(struct answer_turn *t)
{
	return answer_call(t, NULL);
}

struct llm_call *prompt_continue(struct answer_turn *t, const char *shown, const char *failed)
{
	const char *more =
		*shown ? arena_printf(
				 t->core->arena,
				 "Shown to the reader so far:\n<<<\n%s\n>>>\nWrite what is still "
				 "missing, from the next sentence on. Repeat nothing. If nothing "
				 "is "
				 "missing, answer with an empty text.\n",
				 shown)
		       : NULL;
	struct llm_call *call = answer_call(t, more);

	call->avoid = failed;
	return call;
}
