/*
 * The arithmetic of spending: one sum for each payer and period that some limit looks at. Sums of a
 * period that is over are begun anew when they are next looked at, so nothing has to run at
 * midnight.
 */
#include "vesper/budget.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/mem.h"

#define DAY_MS  (24 * 3600 * 1000LL)
#define BUCKETS 1024

struct sum {
	struct list node;
	char *key; /* limit, tenant, and whom of it */
	int64_t period;
	int64_t tokens, nano_usd;
};

struct budget {
	struct budget_price *prices;
	size_t price_count;
	struct budget_limit *limits;
	size_t limit_count;
	struct list sums[BUCKETS];
	size_t sum_count;
};

const char *budget_scope_name(enum budget_scope scope)
{
	static const char *const names[] = {"user", "tenant", "role"};

	return names[scope];
}

const char *budget_period_name(enum budget_period period)
{
	return period == BUDGET_DAY ? "day" : "month";
}

/* ---- life ---- */

struct budget *budget_new(const struct budget_price *prices, size_t price_count,
			  const struct budget_limit *limits, size_t limit_count)
{
	struct budget *b = mem_alloc(sizeof(*b));

	b->prices = mem_alloc((price_count + 1) * sizeof(*prices));
	b->limits = mem_alloc((limit_count + 1) * sizeof(*limits));
	for (b->price_count = 0; b->price_count < price_count; b->price_count++) {
		b->prices[b->price_count] = prices[b->price_count];
		b->prices[b->price_count].model = mem_strdup(prices[b->price_count].model);
	}
	for (b->limit_count = 0; b->limit_count < limit_count; b->limit_count++) {
		b->limits[b->limit_count] = limits[b->limit_count];
		b->limits[b->limit_count].only = mem_strdup(limits[b->limit_count].only);
	}
	for (size_t i = 0; i < BUCKETS; i++)
		list_init(&b->sums[i]);
	return b;
}

static void sum_free(struct budget *b, struct sum *s)
{
	list_remove(&s->node);
	b->sum_count--;
	mem_free(s->key);
	mem_free(s);
}

void budget_free(struct budget **budget)
{
	struct budget *b = *budget;

	*budget = NULL;
	if (!b)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		list_each_safe(node, &b->sums[i])
			sum_free(b, list_item(node, struct sum, node));
	for (size_t i = 0; i < b->price_count; i++)
		mem_free((char *)b->prices[i].model);
	for (size_t i = 0; i < b->limit_count; i++)
		mem_free((char *)b->limits[i].only);
	mem_free(b->prices);
	mem_free(b->limits);
	mem_free(b);
}

/* ---- prices ---- */

bool budget_limits(const struct budget *b)
{
	return b->limit_count > 0;
}

bool budget_limits_money(const struct budget *b)
{
	for (size_t i = 0; i < b->limit_count; i++)
		if (b->limits[i].nano_usd > 0)
			return true;
	return false;
}

bool budget_cost(const struct budget *b, const char *model, const struct budget_use *use,
		 int64_t *nano_usd)
{
	const struct budget_price *best = NULL;

	for (size_t i = 0; i < b->price_count; i++) {
		const struct budget_price *p = &b->prices[i];
		size_t n = strlen(p->model);

		if (strncmp(model, p->model, n) == 0 && (!best || n > strlen(best->model)))
			best = p;
	}
	if (!best)
		return false;
	*nano_usd = use->input * best->input + use->cache_read * best->cache_read +
		    use->cache_write * best->cache_write + use->output * best->output;
	return true;
}

/* ---- sums ---- */

static int64_t period_of(enum budget_period period, int64_t at_ms)
{
	struct date d;

	if (period == BUDGET_DAY)
		return at_ms / DAY_MS;
	d = date_from_days(at_ms / DAY_MS);
	return d.year * 12 + d.month;
}

/* Whom the limit means by this payer; NULL: it does not concern them. */
static const char *whom(const struct budget_limit *l, const struct budget_payer *payer)
{
	const char *who = l->scope == BUDGET_USER     ? payer->user
			  : l->scope == BUDGET_TENANT ? payer->tenant
						      : payer->role;

	if (!who || (l->only && strcmp(l->only, who) != 0))
		return NULL;
	return who;
}

static struct list *bucket_of(struct budget *b, const char *key)
{
	uint32_t hash = 2166136261u;

	for (const char *p = key; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 16777619u;
	return &b->sums[hash % BUCKETS];
}

/* Users of last month are forgotten when there are too many sums. */
static void sums_sweep(struct budget *b, int64_t at_ms)
{
	for (size_t i = 0; i < BUCKETS; i++)
		list_each_safe(node, &b->sums[i]) {
			struct sum *s = list_item(node, struct sum, node);
			size_t limit = (size_t)(unsigned char)s->key[0] - 1;

			if (s->period < period_of(b->limits[limit].period, at_ms))
				sum_free(b, s);
		}
}

/* The running sum of a limit for this payer; NULL: the limit does not concern them. */
static struct sum *sum_of(struct budget *b, size_t limit, const struct budget_payer *payer,
			  int64_t at_ms)
{
	const char *who = whom(&b->limits[limit], payer);
	int64_t period = period_of(b->limits[limit].period, at_ms);
	struct list *bucket;
	struct sum *s;
	char *key;

	if (!who)
		return NULL;
	key = mem_printf("%c%s\x1f%s", (char)(limit + 1), payer->tenant, who);
	bucket = bucket_of(b, key);
	list_each(node, bucket) {
		s = list_item(node, struct sum, node);
		if (strcmp(s->key, key) != 0)
			continue;
		mem_free(key);
		if (s->period < period) {
			s->period = period;
			s->tokens = s->nano_usd = 0;
		}
		return s;
	}
	if (b->sum_count >= BUDGET_SUMS_MAX)
		sums_sweep(b, at_ms);
	s = mem_alloc(sizeof(*s));
	s->key = key;
	s->period = period;
	list_append(bucket, &s->node);
	b->sum_count++;
	return s;
}

static void add(struct budget *b, const struct budget_payer *payer, int64_t tokens,
		int64_t nano_usd, int64_t at_ms)
{
	for (size_t i = 0; i < b->limit_count; i++) {
		struct sum *s = sum_of(b, i, payer, at_ms);

		/* A call may end in another period than it began: then that one bears nothing. */
		if (!s || s->period != period_of(b->limits[i].period, at_ms))
			continue;
		s->tokens += tokens;
		s->nano_usd += nano_usd;
	}
}

void budget_add_sum(struct budget *b, const char *tenant, const struct budget_sum *sum,
		    int64_t now_ms)
{
	const struct budget_payer payer = {tenant, sum->user, sum->role};

	for (size_t i = 0; i < b->limit_count; i++) {
		struct sum *s = sum_of(b, i, &payer, now_ms);
		bool day = b->limits[i].period == BUDGET_DAY;

		if (!s)
			continue;
		s->tokens += day ? sum->day_tokens : sum->month_tokens;
		s->nano_usd += day ? sum->day_nano_usd : sum->month_nano_usd;
	}
}

bool budget_reserve(struct budget *b, const struct budget_payer *payer, struct budget_hold *hold,
		    int64_t now_ms, struct err *e)
{
	for (size_t i = 0; i < b->limit_count; i++) {
		const struct budget_limit *l = &b->limits[i];
		const struct sum *s = sum_of(b, i, payer, now_ms);
		bool tokens = s && l->tokens > 0 && s->tokens + hold->tokens > l->tokens;
		bool money = s && l->nano_usd > 0 && s->nano_usd + hold->nano_usd > l->nano_usd;

		if (tokens || money)
			return err_set(e, ERR_QUOTA, "the %s's %s for the %s has no room left",
				       budget_scope_name(l->scope), tokens ? "tokens" : "money",
				       budget_period_name(l->period));
	}
	hold->at_ms = now_ms;
	add(b, payer, hold->tokens, hold->nano_usd, now_ms);
	return true;
}

void budget_settle(struct budget *b, const struct budget_payer *payer,
		   const struct budget_hold *hold, int64_t tokens, int64_t nano_usd)
{
	add(b, payer, tokens - hold->tokens, nano_usd - hold->nano_usd, hold->at_ms);
}

static int percent(int64_t used, int64_t limit)
{
	return used >= limit ? 100 : used <= 0 ? 0 : (int)(100.0 * (double)used / (double)limit);
}

bool budget_state(struct budget *b, const struct budget_payer *payer, int64_t now_ms,
		  struct budget_state *out)
{
	bool any = false;

	for (size_t i = 0; i < b->limit_count; i++) {
		const struct budget_limit *l = &b->limits[i];
		const struct sum *s = sum_of(b, i, payer, now_ms);
		int tokens = s && l->tokens > 0 ? percent(s->tokens, l->tokens) : -1;
		int money = s && l->nano_usd > 0 ? percent(s->nano_usd, l->nano_usd) : -1;
		int used = tokens > money ? tokens : money;

		if (used < 0 || (any && used <= out->used_percent))
			continue;
		any = true;
		*out = (struct budget_state){l->scope, l->period, money >= tokens, used};
	}
	return any;
}
