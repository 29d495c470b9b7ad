/*
 * Runs one call: tries the providers in order, each with a few attempts. Once text was passed on,
 * nothing is retried.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "llm_int.h"
#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/metric.h"
#include "vesper/tokens.h"

const struct metric llm_prompts_truncated = {
	.name = "vesper_prompts_cut_total",
	.help = "Prompts whose oldest part was dropped because they were too long.",
};
static const struct metric calls = {
	.name = "vesper_llm_calls_total",
	.help = "Finished model calls, by the provider that answered and the role.",
	.labels = {"provider", "role"},
};
static const struct metric attempts = {
	.name = "vesper_llm_attempts_total",
	.help = "Attempts to call a provider, by result.",
	.labels = {"provider", "result"},
};
static const struct metric cancelled = {
	.name = "vesper_llm_cancelled_total",
	.help = "Model calls cancelled because their turn ended.",
};
static const struct metric call_ms = {
	.name = "vesper_llm_call_ms_total",
	.help = "Total milliseconds of all model calls.",
};
static const struct metric failed = {
	.name = "vesper_llm_calls_failed_total",
	.help = "Model calls that no provider answered.",
};
static const struct metric first_text = {
	.name = "vesper_llm_first_text_total",
	.help = "Model calls whose answer had text.",
};
static const struct metric first_text_ms = {
	.name = "vesper_llm_first_text_ms_total",
	.help = "Total milliseconds until the first text.",
};
static const struct metric duration = {
	.name = "vesper_llm_call_duration_milliseconds",
	.help = "Duration of a model call, from its first attempt to its end.",
	.kind = METRIC_HISTOGRAM,
	.bounds = {100, 250, 500, 1000, 2000, 4000, 8000, 15000, 30000, 60000},
};

struct run {
	struct op op; /* must be the first member */
	struct llm *llm;
	struct llm_call call;
	struct arena *arena;
	struct llm_handler handler;
	void *owner;
	size_t order_index; /* into the role's provider order */
	int attempt;
	bool probe; /* the circuit breaker treats this attempt as its probe */
	bool shown;
	struct op *op_attempt;
	struct timer *wait;
	struct deferred no_provider; /* reports that no provider was usable at the start */
	struct budget_reservation reservation; /* of the current attempt */
	int64_t text_tokens;                   /* shown by the current attempt */
	struct llm_usage failed_usage;         /* usage of failed attempts */
	struct llm_message *messages;          /* has room for one more than the request */
	struct llm_block *paused_blocks;       /* blocks of a paused answer, up to the last pause */
	size_t paused_count, request_count;
	int pauses;
	struct llm_usage paused_usage; /* usage of the requests up to the last pause */
	struct llm_trail_entry *entry; /* entry in the call trail, or NULL */
	int64_t began_ms;
	struct err err; /* last error */
};

static void run_proceed(struct run *r);

static struct provider *run_provider(const struct run *r)
{
	return &r->llm->providers[r->llm->order[r->call.role][r->order_index]];
}

static void run_free(struct run *r)
{
	op_cancel(&r->op_attempt);
	timer_free(&r->wait);
	deferred_cancel(&r->no_provider);
	r->llm->running--;
	mem_free(r);
}

static void on_cancel(struct op *op)
{
	struct run *r = (struct run *)op;
	struct llm_usage used = {0};

	if (r->op_attempt) {
		breaker_undecided(&run_provider(r)->breaker, r->probe);
		money_estimate_incomplete(&r->call, run_provider(r),
					  r->handler.on_text ? r->text_tokens : -1, &used);
		money_settle(&r->llm->money, &r->call, run_provider(r), &r->reservation, &used);
	}
	metric_add(&cancelled, NULL, 1);
	run_free(r);
}

static void record(const struct run *r, const struct llm_answer *answer, const struct err *e)
{
	char hash[HASH_HEX_BYTES];
	json_t *exchange;

	if (!r->llm->exchange)
		return;
	exchange = exchange_json(&r->call, answer, e, hash);
	r->llm->exchange(r->llm->exchange_owner, hash, exchange);
}

/* ---- call trail ---- */

static void trail_begin(struct run *r)
{
	struct llm_trail *trail = r->call.trail;

	if (!trail)
		return;
	r->entry = arena_alloc(r->arena, sizeof(*r->entry));
	r->entry->role = r->call.role;
	exchange_hash(&r->call, r->entry->hash);
	if (trail->last)
		trail->last->next = r->entry;
	else
		trail->first = r->entry;
	trail->last = r->entry;
	if (trail->on_request)
		trail->on_request(trail->owner, &r->call, r->entry);
}

/* Records provider and model early, for callers that cancel while text arrives. */
static void trail_text(struct run *r)
{
	const struct provider *p = run_provider(r);

	if (!r->entry)
		return;
	r->entry->provider = arena_strdup(r->arena, p->name);
	r->entry->model = p->roles ? arena_strdup(r->arena, p->roles[r->call.role].model) : NULL;
	r->entry->failed_over = r->order_index > 0;
}

static void trail_end(const struct run *r, const struct llm_answer *answer)
{
	if (!r->entry)
		return;
	r->entry->provider = arena_strdup(r->arena, answer->provider);
	r->entry->model = arena_strdup(r->arena, answer->model);
	r->entry->failed_over = r->order_index > 0;
	r->entry->usage = answer->usage;
	if (r->entry->provider && r->call.trail->on_request)
		r->call.trail->on_request(r->call.trail->owner, &r->call, r->entry);
}

/* Records the end of one request and its usage. */
static void request_ended(struct run *r, struct llm_answer *answer, const struct err *e)
{
	record(r, answer, e);
	llm_usage_add(&answer->usage, &r->failed_usage);
	r->failed_usage = (struct llm_usage){0};
	trail_end(r, answer);
	metric_add(&calls,
		   (const char *const[]){answer->provider ? answer->provider : "none",
					 llm_role_name(r->call.role)},
		   1);
}

static void add_paused_blocks(struct run *r, const struct llm_answer *more)
{
	struct llm_block *all =
		arena_alloc(r->arena, (r->paused_count + more->count + 1) * sizeof(*all));

	if (r->paused_count)
		memcpy(all, r->paused_blocks, r->paused_count * sizeof(*all));
	if (more->count)
		memcpy(all + r->paused_count, more->blocks, more->count * sizeof(*all));
	r->paused_blocks = all;
	r->paused_count += more->count;
}

static void run_end(struct run *r, const struct llm_answer *answer, const struct err *e)
{
	struct llm_handler handler = r->handler;
	struct llm_answer last = *answer;
	struct err err = e ? *e : (struct err){0};
	void *owner = r->owner;
	bool shown = r->shown;

	request_ended(r, &last, e);
	llm_usage_add(&last.usage, &r->paused_usage);
	if (!e && r->paused_count) {
		add_paused_blocks(r, &last);
		last.blocks = r->paused_blocks;
		last.count = r->paused_count;
	}
	metric_add(&call_ms, NULL, clock_mono_ms() - r->began_ms);
	metric_observe(&duration, NULL, clock_mono_ms() - r->began_ms);
	if (e)
		metric_add(&failed, NULL, 1);
	run_free(r);
	handler.on_end(owner, &last, shown, e ? &err : NULL);
}

/* Continues a paused answer by sending back all its blocks; at most LLM_PAUSES_MAX times. */
static bool run_continue(struct run *r, const struct llm_answer *answer)
{
	struct llm_answer part = *answer;

	if (answer->stop != LLM_STOP_PAUSE || answer->count == 0 || r->pauses == LLM_PAUSES_MAX)
		return false;
	r->pauses++;
	request_ended(r, &part, NULL);
	llm_usage_add(&r->paused_usage, &part.usage);
	r->paused_usage.continued++;
	add_paused_blocks(r, &part);
	r->messages[r->request_count] =
		(struct llm_message){LLM_ASSISTANT, r->paused_blocks, r->paused_count};
	r->call.message_count = r->request_count + 1;
	trail_begin(r);
	r->attempt = 0;
	run_proceed(r);
	return true;
}

/* A passed deadline of the caller is not a failure of the provider. The loop's clock lags, so a
 * transfer may time out slightly before the deadline. */
static bool is_out_of_time(const struct run *r)
{
	return r->call.deadline_ms && clock_mono_ms() + LLM_DEADLINE_LAG_MS >= r->call.deadline_ms;
}

static bool is_final(const struct run *r)
{
	return r->shown || is_out_of_time(r);
}

static void report_attempt(struct run *r, const struct err *e)
{
	struct provider *p = run_provider(r);

	metric_add(&attempts, (const char *const[]){p->name, e ? err_code_name(e->code) : "ok"}, 1);
	if (!e || e->code == ERR_INPUT || e->code == ERR_LIMIT)
		provider_ok(p); /* it is available; the request was at fault */
	else if (is_out_of_time(r))
		breaker_undecided(&p->breaker, r->probe);
	else
		provider_failed(p, r->probe, e);
	r->probe = false;
}

static void on_wait(void *owner)
{
	run_proceed(owner);
}

/* Another provider starts over: the blocks of a paused answer are valid for its provider only. */
static void provider_next(struct run *r)
{
	r->order_index++;
	r->attempt = 0;
	r->paused_count = 0;
	r->call.message_count = r->request_count;
}

static void log_failure(const struct run *r, const struct err *e, int64_t wait_ms)
{
	char next[40] = "not retried";

	if (wait_ms >= 0)
		snprintf(next, sizeof(next), "retry in %lld ms", (long long)wait_ms);
	log_warn("llm.attempt", "turn %s, role %s, attempt %d, %s: %s",
		 r->call.turn_id ? r->call.turn_id : "-", llm_role_name(r->call.role),
		 r->attempt + 1, next, e->text);
}

/* Retries a failure before any text: on the same provider, or on the next. */
static void run_retry(struct run *r, const struct err *e)
{
	int64_t wait_ms = retry_wait_ms(e, r->attempt, r->llm->retry_base_ms,
					retry_spread_next(&r->llm->spread[r->attempt]));

	if (r->call.deadline_ms && clock_mono_ms() + wait_ms >= r->call.deadline_ms)
		wait_ms = -1;
	log_failure(r, e, wait_ms);
	if (wait_ms < 0) {
		provider_next(r);
		run_proceed(r);
		return;
	}
	r->attempt++;
	if (!r->wait)
		r->wait = timer_new(r->llm->loop, on_wait, r);
	timer_start(r->wait, (uint64_t)wait_ms);
}

static void on_text(void *owner, const char *text, size_t len)
{
	struct run *r = owner;

	if (!r->shown) {
		r->shown = true;
		r->probe = false;
		provider_ok(run_provider(r));
		trail_text(r);
		metric_add(&first_text, NULL, 1);
		metric_add(&first_text_ms, NULL, clock_mono_ms() - r->began_ms);
	}
	r->text_tokens += (int64_t)tokens_estimate(text, len);
	r->handler.on_text(r->owner, text, len); /* may cancel this call, so nothing may follow */
}

static void on_attempt_end(void *owner, const struct llm_answer *answer, bool shown,
			   const struct err *e)
{
	struct run *r = owner;
	struct llm_answer reported = *answer;

	(void)shown; /* same as r->shown: every chunk passes here */
	r->op_attempt = NULL;
	report_attempt(r, e);
	/* A failure without text keeps the usage that the service reported. */
	if (e && r->shown)
		money_estimate_incomplete(&r->call, run_provider(r), r->text_tokens,
					  &reported.usage);
	else if (!e)
		money_estimate_complete(&r->call, run_provider(r), &reported);
	money_settle(&r->llm->money, &r->call, run_provider(r), &r->reservation, &reported.usage);
	provider_count_usage(run_provider(r), &reported.usage);
	if (!e && run_continue(r, &reported))
		return;
	if (!e || is_final(r)) {
		run_end(r, &reported, e);
		return;
	}
	r->err = *e;
	llm_usage_add(&r->failed_usage, &reported.usage);
	run_retry(r, e);
}

static void run_give_up(struct run *r)
{
	struct llm_answer no_answer = {.provider = r->shown ? run_provider(r)->name : NULL};
	struct err e = r->err;

	if (e.code == ERR_NONE)
		err_set_retry(&e, ERR_UPSTREAM, "no model provider is available");
	run_end(r, &no_answer, &e);
}

static void on_no_provider(void *owner)
{
	run_give_up(owner);
}

/* False: the circuit breaker is open, or the budget is too small for the answer. */
static bool attempt_start(struct run *r)
{
	static const struct llm_handler streamed = {on_text, on_attempt_end},
					end_only = {NULL, on_attempt_end};
	struct provider *p = run_provider(r);

	if ((r->call.avoid && strcmp(r->call.avoid, p->name) == 0) ||
	    !breaker_allows(&p->breaker, clock_mono_ms()) ||
	    !money_reserve(&r->llm->money, &r->call, p, &r->reservation, &r->err))
		return false;
	r->text_tokens = 0;
	r->probe = breaker_begin(&p->breaker);
	r->op_attempt = p->driver->start(p->self, &r->call, r->arena,
					 r->handler.on_text ? &streamed : &end_only, r);
	return true;
}

/* Starts an attempt with the next usable provider. False: none is left, or the provider of
 * the shown text is no longer usable. */
static bool run_attempt(struct run *r)
{
	for (; r->order_index < r->llm->count; provider_next(r)) {
		if (attempt_start(r))
			return true;
		if (r->shown)
			return false;
	}
	return false;
}

static void run_proceed(struct run *r)
{
	if (!run_attempt(r))
		run_give_up(r);
}

/* ---- copy of the call: retries outlive the caller's frame ---- */

static void *copy(struct arena *a, const void *items, size_t n, size_t item_bytes)
{
	void *out = arena_alloc(a, n * item_bytes + 1);

	if (n)
		memcpy(out, items, n * item_bytes);
	return out;
}

static void call_copy(struct run *r, const struct llm_call *from)
{
	struct llm_call *to = &r->call;
	struct arena *a = r->arena;

	*to = *from;
	r->request_count = from->message_count;
	r->messages = arena_alloc(a, (from->message_count + 1) * sizeof(*r->messages));
	for (size_t i = 0; i < from->message_count; i++) {
		r->messages[i] = from->messages[i];
		r->messages[i].blocks = copy(a, from->messages[i].blocks, from->messages[i].count,
					     sizeof(*from->messages[i].blocks));
	}
	to->messages = r->messages;
	to->system = copy(a, from->system, from->system_count, sizeof(*from->system));
	to->tools = copy(a, from->tools, from->tool_count, sizeof(*from->tools));
	if (from->format)
		to->format = json_own(a, json_incref((json_t *)from->format));
}

static void on_pause(struct op *op, bool paused)
{
	op_pause(((struct run *)op)->op_attempt, paused);
}

struct op *llm_start(struct llm *llm, const struct llm_call *call, struct arena *a,
		     const struct llm_handler *handler, void *owner)
{
	struct run *r = mem_alloc(sizeof(*r));

	assert(handler->on_end && call->message_count > 0);
	r->op.cancel = on_cancel;
	r->op.pause = on_pause;
	r->llm = llm;
	r->arena = a;
	r->handler = *handler;
	r->owner = owner;
	r->began_ms = clock_mono_ms();
	call_copy(r, call);
	trail_begin(r);
	llm->running++;
	if (!run_attempt(r))
		loop_defer(llm->loop, &r->no_provider, on_no_provider, r);
	return &r->op;
}
