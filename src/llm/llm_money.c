/*
 * Cost of a call: reserves the highest possible cost before each attempt and settles the actual
 * cost after it. Both go to the usage ledger. If the cost of an incomplete attempt is unknown, the
 * highest possible cost counts.
 */
#include <string.h>

#include "llm_int.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/tokens.h"

static const struct wire_role *role_of(const struct provider *p, const struct llm_call *call)
{
	static const struct wire_role none = {.model = (char *)""};

	return p->roles ? &p->roles[call->role] : &none;
}

static int64_t request_tokens(const struct llm_call *call, const struct wire_role *role)
{
	struct buf body;
	int64_t tokens;

	buf_init(&body, LLM_REQUEST_BYTES_MAX);
	anthropic_body(&body, call, role, NULL);
	tokens = (int64_t)tokens_estimate(buf_text(&body), body.n);
	buf_deinit(&body);
	return tokens;
}

static void ledger_write(const struct money *m, const struct money_call *call, bool is_reservation,
			 const struct budget_usage *use, int64_t tokens, int64_t nano_usd,
			 int64_t at_ms)
{
	const struct budget_entry entry = {
		.tenant = call->budget_owner->tenant,
		.user = call->budget_owner->user,
		.role = call->budget_owner->role,
		.hold = is_reservation,
		.provider = call->provider,
		.model = call->model,
		.purpose = call->purpose,
		.use = *use,
		.tokens = tokens,
		.nano_usd = nano_usd,
		.at_ms = at_ms,
	};

	if (m->ledger)
		m->ledger(m->ledger_owner, &entry);
}

int64_t money_now(const struct money *m, const struct budget_owner *budget_owner)
{
	return m->wall_ms ? m->wall_ms(m->ledger_owner, budget_owner->tenant) : clock_now_ms();
}

bool money_allows(const struct money *m, const struct budget_owner *budget_owner,
		  const struct provider *p, enum llm_role role)
{
	const struct wire_role *r = p->roles ? &p->roles[role] : NULL;
	const struct budget_usage use = {.output = r && r->max_tokens ? r->max_tokens
								      : LLM_MAX_TOKENS};
	int64_t nano_usd = 0;

	if (!m->budget || !budget_has_limits(m->budget))
		return true;
	if (r)
		(void)budget_cost(m->budget, r->model, &use, &nano_usd);
	return budget_allows(m->budget, budget_owner, use.output, nano_usd,
			     money_now(m, budget_owner));
}

bool money_reserve_call(const struct money *m, const struct money_call *call,
			const struct budget_usage *max_usage,
			struct budget_reservation *reservation, struct err *e)
{
	static const struct budget_usage no_usage = {0};
	struct budget_reservation needed = {0};

	*reservation = (struct budget_reservation){0};
	if (!m->budget || !call->budget_owner)
		return true;
	reservation->at_ms = money_now(m, call->budget_owner);
	if (!budget_has_limits(m->budget))
		return true;
	needed.tokens = max_usage->input + max_usage->cache_read + max_usage->cache_write +
			max_usage->output;
	(void)budget_cost(m->budget, call->model, max_usage, &needed.nano_usd);
	if (!budget_reserve(m->budget, call->budget_owner, &needed, reservation->at_ms, e))
		return false;
	*reservation = needed;
	ledger_write(m, call, true, &no_usage, reservation->tokens, reservation->nano_usd,
		     reservation->at_ms);
	return true;
}

void money_settle_call(const struct money *m, const struct money_call *call,
		       const struct budget_reservation *reservation, struct llm_usage *u)
{
	const struct budget_usage use = {u->input_tokens, u->cache_read_tokens,
					 u->cache_write_tokens, u->output_tokens};
	int64_t tokens = use.input + use.cache_read + use.cache_write + use.output;

	if (!m->budget || !call->budget_owner)
		return;
	/* If the price was removed meanwhile, the reserved amount counts. */
	if (!budget_cost(m->budget, call->model, &use, &u->nano_usd))
		u->nano_usd = reservation->nano_usd;
	budget_settle(m->budget, call->budget_owner, reservation, tokens, u->nano_usd);
	if (tokens > 0 || reservation->tokens > 0)
		ledger_write(m, call, false, &use, tokens - reservation->tokens,
			     u->nano_usd - reservation->nano_usd, reservation->at_ms);
}

static struct money_call money_call_of(const struct llm_call *call, const struct provider *p)
{
	return (struct money_call){.budget_owner = call->budget_owner,
				   .provider = p->name,
				   .model = role_of(p, call)->model,
				   .purpose = llm_role_name(call->role)};
}

bool money_reserve(const struct money *m, const struct llm_call *call, const struct provider *p,
		   struct budget_reservation *reservation, struct err *e)
{
	const struct wire_role *role = role_of(p, call);
	const struct money_call c = money_call_of(call, p);
	struct budget_usage max_usage = {0};

	/* Counting tokens needs the body. */
	if (m->budget && call->budget_owner && budget_has_limits(m->budget))
		max_usage = (struct budget_usage){.cache_write = request_tokens(call, role),
						  .output = body_max_tokens(call, role)};
	return money_reserve_call(m, &c, &max_usage, reservation, e);
}

void money_settle(const struct money *m, const struct llm_call *call, const struct provider *p,
		  const struct budget_reservation *reservation, struct llm_usage *u)
{
	const struct money_call c = money_call_of(call, p);

	money_settle_call(m, &c, reservation, u);
}

static int64_t answer_tokens(const struct llm_answer *answer)
{
	struct buf text;
	int64_t tokens;

	buf_init(&text, LLM_REQUEST_BYTES_MAX);
	for (size_t i = 0; i < answer->count; i++) {
		if (answer->blocks[i].text)
			buf_str(&text, answer->blocks[i].text);
		if (answer->blocks[i].input)
			buf_json(&text, answer->blocks[i].input);
	}
	tokens = (int64_t)tokens_estimate(buf_text(&text), text.n);
	buf_deinit(&text);
	return tokens;
}

static void estimate_input(const struct llm_call *call, const struct provider *p,
			   struct llm_usage *u)
{
	if (u->input_tokens + u->cache_read_tokens + u->cache_write_tokens == 0)
		u->input_tokens = request_tokens(call, role_of(p, call));
}

void money_estimate_complete(const struct llm_call *call, const struct provider *p,
			     struct llm_answer *answer)
{
	estimate_input(call, p, &answer->usage);
	if (answer->usage.output_tokens == 0)
		answer->usage.output_tokens = answer_tokens(answer);
}

void money_estimate_incomplete(const struct llm_call *call, const struct provider *p,
			       int64_t shown_tokens, struct llm_usage *u)
{
	int64_t written =
		shown_tokens >= 0 ? shown_tokens : body_max_tokens(call, role_of(p, call));

	estimate_input(call, p, u);
	if (u->output_tokens < written)
		u->output_tokens = written;
}
