/*
 * What models cost, and how much of it may be spent. Pure and in memory: time is given, and whoever
 * wires it keeps the entries somewhere durable and hands the sums back at the start.
 *
 * The worst a call can cost is held before it is made and settled for what it did cost afterwards.
 * What is held counts as spent, so calls at the same time can't pass a limit together. Money is in
 * billionths of a US dollar. Days and months are the payer's own: times are given as wall time of
 * the tenant, and one that goes back (a clock that was set, a zone that changed) counts as the
 * latest that was given.
 *
 * Several processes may spend from the same limits. Each reads the sums of all now and then
 * (budget_read_begin) and adds what it spends itself; what others began since its last read it does
 * not know, and by so much they can pass a limit together.
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

/* One token each, in billionths of a dollar: dollars a million tokens times a thousand. */
struct budget_price {
	const char *model; /* a model's name, or how names begin: the longest that fits counts */
	int64_t input, cache_read, cache_write, output;
};

enum budget_scope { BUDGET_USER, BUDGET_TENANT, BUDGET_ROLE };
enum budget_period { BUDGET_DAY, BUDGET_MONTH };
const char *budget_scope_name(enum budget_scope scope);    /* "user", "tenant", "role" */
const char *budget_period_name(enum budget_period period); /* "day", "month" */

struct budget_limit {
	enum budget_scope scope;
	const char *only; /* this user, tenant or role; NULL: each one its own */
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
/* The arena is the settings' from now on, also where they can't be read: ERR_INPUT, with the key.
 */
MUST_CHECK bool budget_settings_read(const struct config *c, struct arena *take,
				     struct budget_settings **out, struct err *e);

/* Who pays. A user and a role are meant within their tenant. */
struct budget_payer {
	const char *tenant, *user, *role;
};

struct budget_use {
	int64_t input, cache_read, cache_write, output; /* tokens */
};

struct budget_hold {
	int64_t tokens, nano_usd;
	int64_t at_ms; /* which day and month it counts for */
};

/* Copies everything. */
struct budget *budget_new(const struct budget_price *prices, size_t price_count,
			  const struct budget_limit *limits, size_t limit_count);
/* From now on. What is known of a limit stays known where the new one is of the same people and
 * period; of another one nothing is known until the sums are read again. Calls under way are
 * settled at the new prices. */
void budget_use(struct budget *b, const struct budget_settings *now);
void budget_free(struct budget **b);

bool budget_limits(const struct budget *b);       /* there is a limit */
bool budget_limits_money(const struct budget *b); /* there is one in money */
/* False: the model has no price; *nano_usd is untouched then. */
bool budget_cost(const struct budget *b, const char *model, const struct budget_use *use,
		 int64_t *nano_usd);

/* There is room for so much more; nothing is held. */
bool budget_has_room(struct budget *b, const struct budget_payer *payer, int64_t tokens,
		     int64_t nano_usd, int64_t now_ms);
/* Holds hold->tokens and hold->nano_usd. ERR_QUOTA names the limit that has no room for it; nothing
 * is held then. */
MUST_CHECK bool budget_reserve(struct budget *b, const struct budget_payer *payer,
			       struct budget_hold *hold, int64_t now_ms, struct err *e);
void budget_settle(struct budget *b, const struct budget_payer *payer,
		   const struct budget_hold *hold, int64_t tokens, int64_t nano_usd);

/* What is kept of each call: one row when it is held for (only where there are limits), one when it
 * is settled. Sums of `tokens` and `nano_usd` over all rows say what was spent; a process that died
 * in between leaves the worst case standing. */
struct budget_entry {
	const char *tenant, *user, *role;
	bool hold;
	const char *provider, *model, *purpose;
	struct budget_use use; /* of a settled call */
	int64_t tokens, nano_usd;
	int64_t at_ms; /* whose day it counts for */
};

struct budget_sum {
	const char *user, *role;
	int64_t day_tokens, day_nano_usd;     /* of today */
	int64_t month_tokens, month_nano_usd; /* today included */
};

/* What all processes have spent, from the rows kept. Begin when every row of this process so far is
 * kept; then a sum for each user and role as of this time; the end takes them over. What is spent
 * in between may be in them or not and counts at its most, until the next reading. */
void budget_read_begin(struct budget *b, const char *tenant, int64_t now_ms);
void budget_add_sum(struct budget *b, const char *tenant, const struct budget_sum *sum);
void budget_read_end(struct budget *b, const char *tenant);
/* A limit of the tenant was checked since the last reading began; *used_percent is
 * the highest that was seen. */
bool budget_asked(const struct budget *b, const char *tenant, int *used_percent);

/* Of those of the tenant that this limit concerns, the one who has spent the largest part of it.
 * `who` is a user, a role or the tenant and is valid until the next call; NULL: nothing is spent.
 */
struct budget_spent {
	const char *who;
	int64_t tokens, nano_usd;
};
struct budget_spent budget_most_spent(const struct budget *b, const char *tenant, size_t limit);

/* The limit of this payer that is nearest to its end. False: none concerns them. */
struct budget_state {
	enum budget_scope scope;
	enum budget_period period;
	bool money;       /* else tokens */
	int used_percent; /* 100: nothing is left; never more */
};
bool budget_state(struct budget *b, const struct budget_payer *payer, int64_t now_ms,
		  struct budget_state *out);

#endif
