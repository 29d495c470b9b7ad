/*
 * The contract's side of a call: which provider, how often, and when to give up. A call walks the
 * providers in their order; on each it may try a few times; as soon as a piece of text was handed
 * on, nothing is repeated any more.
 */
#include <assert.h>
#include <string.h>

#include "llm_int.h"
#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/log.h"
#include "vesper/mem.h"

struct llm {
	struct loop *loop;
	struct provider *providers;
	size_t count;
	int64_t retry_base_ms;
	size_t running;
};

struct run {
	struct op op; /* first: what the starter holds */
	struct llm *llm;
	struct llm_call call;
	struct arena *arena;
	struct llm_handler handler;
	void *owner;
	size_t at; /* provider */
	int attempt;
	bool probe; /* the breaker of this provider waits for us */
	bool shown;
	struct op *op_attempt;
	struct timer *wait;
	struct later none;      /* no provider was usable from the start */
	struct llm_usage spent; /* by attempts that failed */
	int64_t began_ms;
	struct err err; /* the last one */
};

const char *llm_role_name(enum llm_role role)
{
	static const char *const names[LLM_ROLE_COUNT] = {"route", "agent", "answer"};

	return names[role];
}

const char *llm_stop_name(enum llm_stop stop)
{
	static const char *const names[] = {"end",     "tool_use", "max_tokens",
					    "refusal", "pause",    "context"};

	return names[stop];
}

void llm_usage_add(struct llm_usage *sum, const struct llm_usage *more)
{
	sum->input_tokens += more->input_tokens;
	sum->cache_read_tokens += more->cache_read_tokens;
	sum->cache_write_tokens += more->cache_write_tokens;
	sum->output_tokens += more->output_tokens;
}

/* ---- one call ---- */

static void run_go(struct run *r);

static void run_free(struct run *r)
{
	op_cancel(&r->op_attempt);
	timer_free(&r->wait);
	later_cancel(&r->none);
	r->llm->running--;
	mem_free(r);
}

static void on_cancel(struct op *op)
{
	struct run *r = (struct run *)op;

	if (r->op_attempt)
		breaker_undecided(&r->llm->providers[r->at].breaker, r->probe);
	metric_add("vesper_llm_cancelled_total", 1);
	run_free(r);
}

static void run_end(struct run *r, const struct llm_answer *answer, const struct err *e)
{
	struct llm_handler handler = r->handler;
	struct llm_answer last = *answer;
	struct err err = e ? *e : (struct err){0};
	void *owner = r->owner;
	bool shown = r->shown;

	llm_usage_add(&last.usage, &r->spent);
	llm_count("calls_total", last.provider ? last.provider : "none", "role",
		  llm_role_name(r->call.role), 1);
	metric_add("vesper_llm_call_ms_total", clock_mono_ms() - r->began_ms);
	if (e)
		metric_add("vesper_llm_calls_failed_total", 1);
	run_free(r);
	handler.on_end(owner, &last, shown, e ? &err : NULL);
}

/* The deadline is the caller's: that it passed says nothing about the provider. */
static bool out_of_time(const struct run *r)
{
	return r->call.deadline_ms && clock_mono_ms() >= r->call.deadline_ms;
}

static bool is_final(const struct run *r, const struct err *e)
{
	return r->shown || e->code == ERR_INPUT || e->code == ERR_LIMIT || out_of_time(r);
}

static void judge(struct run *r, const struct err *e)
{
	struct provider *p = &r->llm->providers[r->at];

	llm_count("attempts_total", p->name, "result", e ? err_code_name(e->code) : "ok", 1);
	if (!e || e->code == ERR_INPUT || e->code == ERR_LIMIT)
		provider_ok(p); /* it answered; what it said of our request is another matter */
	else if (out_of_time(r))
		breaker_undecided(&p->breaker, r->probe);
	else
		provider_failed(p, r->probe, e);
	r->probe = false;
}

static void on_wait(void *owner)
{
	run_go(owner);
}

static void next_provider(struct run *r)
{
	r->at++;
	r->attempt = 0;
	run_go(r);
}

/* After a failure that nobody has seen: again, later, elsewhere. */
static void run_again(struct run *r, const struct err *e)
{
	unsigned char random[2];

	hash_random(random, sizeof(random));
	int64_t wait_ms = retry_wait_ms(e, r->attempt, r->llm->retry_base_ms,
					(unsigned)(random[0] << 8 | random[1]));

	if (wait_ms < 0 ||
	    (r->call.deadline_ms && clock_mono_ms() + wait_ms >= r->call.deadline_ms)) {
		next_provider(r);
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
		provider_ok(&r->llm->providers[r->at]);
		metric_add("vesper_llm_first_text_total", 1);
		metric_add("vesper_llm_first_text_ms_total", clock_mono_ms() - r->began_ms);
	}
	r->handler.on_text(r->owner, text, len); /* may cancel us: nothing comes after it */
}

static void on_attempt_end(void *owner, const struct llm_answer *answer, bool shown,
			   const struct err *e)
{
	struct run *r = owner;

	(void)shown; /* the same as r->shown: every piece passed through here */
	r->op_attempt = NULL;
	judge(r, e);
	provider_count_usage(&r->llm->providers[r->at], &answer->usage);
	if (!e || is_final(r, e)) {
		run_end(r, answer, e);
		return;
	}
	log_warn("llm.attempt", "role %s, attempt %d: %s", llm_role_name(r->call.role),
		 r->attempt + 1, e->text);
	r->err = *e;
	llm_usage_add(&r->spent, &answer->usage);
	run_again(r, e);
}

static void run_give_up(struct run *r)
{
	struct llm_answer nothing = {0};
	struct err e = r->err;

	if (e.code == ERR_NONE)
		err_set_retry(&e, ERR_UPSTREAM, "no model provider is usable now");
	run_end(r, &nothing, &e);
}

static void on_none(void *owner)
{
	run_give_up(owner);
}

/* Starts an attempt with the next usable provider. False: there is none left. */
static bool run_attempt(struct run *r)
{
	static const struct llm_handler streamed = {on_text, on_attempt_end},
					whole = {NULL, on_attempt_end};
	struct llm *llm = r->llm;

	for (; r->at < llm->count; r->at++, r->attempt = 0) {
		struct provider *p = &llm->providers[r->at];

		if (!breaker_admits(&p->breaker, clock_mono_ms()))
			continue;
		r->probe = breaker_begin(&p->breaker);
		r->op_attempt = p->driver->start(p->self, &r->call, r->arena,
						 r->handler.on_text ? &streamed : &whole, r);
		return true;
	}
	return false;
}

static void run_go(struct run *r)
{
	if (!run_attempt(r))
		run_give_up(r);
}

/* ---- the call's own copy: retries come after the caller's frame is gone ---- */

static void *copy(struct arena *a, const void *items, size_t n, size_t item_bytes)
{
	void *out = arena_alloc(a, n * item_bytes + 1);

	if (n)
		memcpy(out, items, n * item_bytes);
	return out;
}

static void call_copy(struct llm_call *to, const struct llm_call *from, struct arena *a)
{
	struct llm_message *messages =
		copy(a, from->messages, from->message_count, sizeof(*messages));

	*to = *from;
	for (size_t i = 0; i < from->message_count; i++)
		messages[i].blocks =
			copy(a, messages[i].blocks, messages[i].count, sizeof(*messages[i].blocks));
	to->messages = messages;
	to->system = copy(a, from->system, from->system_count, sizeof(*from->system));
	to->tools = copy(a, from->tools, from->tool_count, sizeof(*from->tools));
	if (from->format)
		to->format = json_own(a, json_incref((json_t *)from->format));
}

struct op *llm_start(struct llm *llm, const struct llm_call *call, struct arena *a,
		     const struct llm_handler *handler, void *owner)
{
	struct run *r = mem_alloc(sizeof(*r));

	assert(handler->on_end && call->message_count > 0);
	r->op.cancel = on_cancel;
	r->llm = llm;
	r->arena = a;
	r->handler = *handler;
	r->owner = owner;
	r->began_ms = clock_mono_ms();
	call_copy(&r->call, call, a);
	llm->running++;
	if (!run_attempt(r))
		loop_later(llm->loop, &r->none, on_none, r);
	return &r->op;
}

bool llm_usable(const struct llm *llm)
{
	for (size_t i = 0; llm && i < llm->count; i++)
		if (breaker_admits(&llm->providers[i].breaker, clock_mono_ms()))
			return true;
	return false;
}

/* ---- life ---- */

static struct llm *llm_alloc(struct loop *l, size_t providers, int64_t retry_base_ms)
{
	struct llm *llm = mem_alloc(sizeof(*llm));

	llm->loop = l;
	llm->providers = mem_alloc(providers * sizeof(*llm->providers));
	llm->retry_base_ms = retry_base_ms ? retry_base_ms : LLM_RETRY_BASE_MS;
	return llm;
}

bool llm_new(struct loop *l, struct http *h, const struct llm_options *options, struct llm **out,
	     struct err *e)
{
	struct llm *llm;

	if (options->provider_count == 0) {
		*out = NULL;
		return true;
	}
	llm = llm_alloc(l, options->provider_count, options->retry_base_ms);
	for (size_t i = 0; i < options->provider_count; i++) {
		const struct llm_provider_options *p = &options->providers[i];
		void *self;
		bool ok = provider_name_check(p->name, e);

		if (ok && strcmp(p->kind, anthropic_driver.name) != 0)
			ok = err_set(e, ERR_INPUT, "unknown kind \"%.40s\"", p->kind);
		ok = ok && anthropic_open(l, h, p, options, &self, e);
		if (!ok) {
			llm_free(&llm);
			return err_prefix(e, "model provider %.40s", p->name);
		}
		provider_init(&llm->providers[llm->count++], p->name, &anthropic_driver, self,
			      options->breaker_failures, options->breaker_open_ms);
	}
	*out = llm;
	return true;
}

struct llm *llm_from_driver(struct loop *l, const struct llm_driver *driver, void *self)
{
	struct llm *llm = llm_alloc(l, 1, 0);

	provider_init(&llm->providers[llm->count++], driver->name, driver, self, 0, 0);
	return llm;
}

void llm_free(struct llm **out)
{
	struct llm *llm = *out;

	if (!llm)
		return;
	assert(llm->running == 0);
	*out = NULL;
	for (size_t i = 0; i < llm->count; i++)
		provider_deinit(&llm->providers[i]);
	mem_free(llm->providers);
	mem_free(llm);
}
