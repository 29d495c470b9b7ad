/*
 * Costs of models, and budgets for them. Pure and in memory: the caller passes the time, stores the
 * entries durably, and passes the sums back at the start.
 *
 * The worst-case cost of a call is reserved before the call and settled to the real cost after it.
 * Reservations count as spent, so concurrent calls can't exceed a limit together. Money is in
 * billionths of a US dollar. Days and months are those of the budget owner: times are wall times of
 * the tenant. A time earlier than the latest one given (a clock or time zone was changed) counts as
 * that latest one.
 *
 * Several replicas may spend from the same limits. Each reads the sums of all replicas periodically
 * (budget_read_begin) and adds its own spending. Calls that other replicas began since its last
 * reading are not included, so together they can exceed a limit by the cost of these calls.
 */
#ifndef VESPER_BUDGET_H
#define VESPER_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/err.h"
#include "vesper/settings.h"

struct budget;
struct config;

/* Prices per token, in billionths of a dollar: dollars per million tokens times a thousand. */
struct budget_price {
	const char *model; /* a model's name or a prefix of it; the longest match is used */
	int64_t input, cache_read, cache_write, output;
};

enum budget_scope { BUDGET_USER, BUDGET_TENANT, BUDGET_ROLE };
enum budget_period { BUDGET_DAY, BUDGET_MONTH };
const char *budget_scope_name(enum budget_scope scope);    /* "user", "tenant", "role" */
const char *budget_period_name(enum budget_period period); /* "day", "month" */

struct budget_limit {
	enum budget_scope scope;
	const char *only; /* this user, tenant or role only; NULL: each has this limit separately */
	enum budget_period period;
	int64_t tokens; /* 0: no limit of this kind */
	int64_t nano_usd;
};

struct budget_settings {
	struct settings base;
	const struct budget_price *prices;
	size_t price_count;
	const struct budget_limit *limits;
	size_t limit_count;
};
/* Takes ownership of the arena, also on failure. ERR_INPUT: a setting is invalid; the text names
 * its key. */
MUST_CHECK bool budget_settings_read(const struct config *c, struct arena *take,
				     struct budget_settings **out, struct err *e);

/* The budget owner. User and role are within the tenant. */
struct budget_owner {
	const char *tenant, *user, *role;
};

struct budget_usage {
	int64_t input, cache_read, cache_write, output; /* tokens */
};

struct budget_reservation {
	int64_t tokens, nano_usd;
	int64_t at_ms; /* determines the day and month */
};

/* Copies everything. */
struct budget *budget_new(const struct budget_price *prices, size_t price_count,
			  const struct budget_limit *limits, size_t limit_count);
/* Replaces the settings. Sums of a limit remain if the new limit has the same scope and period;
 * other limits are unknown until the sums are read again. Running calls are settled at the new
 * prices. */
void budget_set_limits(struct budget *b, const struct budget_settings *now);
void budget_free(struct budget **b);

bool budget_has_limits(const struct budget *b);       /* True when a limit exists */
bool budget_has_money_limits(const struct budget *b); /* True when a limit in money exists */
/* False: the model has no price, and *nano_usd is unchanged. */
bool budget_cost(const struct budget *b, const char *model, const struct budget_usage *use,
		 int64_t *nano_usd);

/* True when this much more fits the limits; nothing is reserved. */
bool budget_allows(struct budget *b, const struct budget_owner *budget_owner, int64_t tokens,
		   int64_t nano_usd, int64_t now_ms);
/* Reserves reservation->tokens and reservation->nano_usd. ERR_QUOTA: a limit, which the text names,
 * would be exceeded; nothing is reserved. */
MUST_CHECK bool budget_reserve(struct budget *b, const struct budget_owner *budget_owner,
			       struct budget_reservation *reservation, int64_t now_ms,
			       struct err *e);
void budget_settle(struct budget *b, const struct budget_owner *budget_owner,
		   const struct budget_reservation *reservation, int64_t tokens, int64_t nano_usd);

/* An entry of the usage ledger: one row when a call is reserved (only if limits exist), one when it
 * is settled. The sums of `tokens` and `nano_usd` over all rows are the amounts spent. If the
 * process dies in between, the worst case stays counted. */
struct budget_entry {
	const char *tenant, *user, *role;
	bool hold;
	const char *provider, *model, *purpose;
	struct budget_usage use; /* of a settled call */
	int64_t tokens, nano_usd;
	int64_t at_ms; /* determines the day */
};

struct budget_sum {
	const char *user, *role;
	int64_t day_tokens, day_nano_usd;     /* today */
	int64_t month_tokens, month_nano_usd; /* today included */
};

/* Reads what all replicas have spent, from the stored rows. Call budget_read_begin when all rows of
 * this process are stored, then add a sum for each user and role as of `now_ms`. budget_read_end
 * applies them. Spending in between may already be in the sums; it is counted in full until the
 * next reading, so it may be counted twice. */
void budget_read_begin(struct budget *b, const char *tenant, int64_t now_ms);
void budget_add_sum(struct budget *b, const char *tenant, const struct budget_sum *sum);
void budget_read_end(struct budget *b, const char *tenant);
/* True when a limit of the tenant was checked since the last reading began; *used_percent is the
 * highest use seen. */
bool budget_was_checked(const struct budget *b, const char *tenant, int *used_percent);

/* The user or role of the tenant, or the tenant itself, that has spent the largest part of this
 * limit. `who` is its name, valid until the next call; NULL: nothing is spent. */
struct budget_spent {
	const char *who;
	int64_t tokens, nano_usd;
};
struct budget_spent budget_most_spent(const struct budget *b, const char *tenant, size_t limit);

/* The limit of this budget owner with the highest use. False: no limit applies. */
struct budget_state {
	enum budget_scope scope;
	enum budget_period period;
	bool money;       /* false: tokens */
	int used_percent; /* at most 100: used up */
};
bool budget_state(struct budget *b, const struct budget_owner *budget_owner, int64_t now_ms,
		  struct budget_state *out);

#endif
