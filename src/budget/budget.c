/*
 * Accounting of model costs: one sum per limit, budget owner and period. A sum of a past period is
 * reset when it is next used, so no midnight job is needed.
 */
#include "budget_int.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/hashmap.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/mem.h"

#define DAY_MS        (24 * 3600 * 1000LL)
#define KEY_SEPARATOR '\x1f'

struct amount {
	int64_t tokens, nano_usd;
};

struct sum {
	struct hashmap_node by_key;
	char *key; /* limit, tenant, KEY_SEPARATOR, and the user, tenant or role */
	struct tenant *tenant;
	int64_t period;
	struct amount spent; /* known spending of all replicas */
	struct amount since; /* our spending while sums are being read, as an upper bound */
	struct amount read;  /* sums received so far */
};

static size_t sum_limit(const struct sum *s)
{
	return (size_t)(unsigned char)s->key[0] - 1;
}

/* State of a tenant. */
struct tenant {
	struct list node;
	char *name;
	int64_t latest_ms;  /* never goes back */
	int64_t reading_ms; /* when the current reading began; 0: none */
	bool was_checked;
	int used_percent;
};

struct budget {
	struct budget_price *prices;
	size_t price_count;
	struct budget_limit *limits;
	size_t limit_count;
	struct hashmap sums;
	struct list tenants;
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

/* ---- lifecycle ---- */

static void prices_set(struct budget *b, const struct budget_price *prices, size_t count)
{
	for (size_t i = 0; i < b->price_count; i++)
		mem_free((char *)b->prices[i].model);
	mem_free(b->prices);
	b->prices = mem_alloc((count + 1) * sizeof(*prices));
	for (size_t i = 0; i < count; i++) {
		b->prices[i] = prices[i];
		b->prices[i].model = mem_strdup(prices[i].model);
	}
	b->price_count = count;
}

static void limits_free(struct budget *b)
{
	for (size_t i = 0; i < b->limit_count; i++)
		mem_free((char *)b->limits[i].only);
	mem_free(b->limits);
}

static void limits_set(struct budget *b, const struct budget_limit *limits, size_t count)
{
	b->limits = mem_alloc((count + 1) * sizeof(*limits));
	for (size_t i = 0; i < count; i++) {
		b->limits[i] = limits[i];
		b->limits[i].only = mem_strdup(limits[i].only);
	}
	b->limit_count = count;
}

struct budget *budget_new(const struct budget_price *prices, size_t price_count,
			  const struct budget_limit *limits, size_t limit_count)
{
	struct budget *b = mem_alloc(sizeof(*b));

	prices_set(b, prices, price_count);
	limits_set(b, limits, limit_count);
	hashmap_init(&b->sums);
	list_init(&b->tenants);
	return b;
}

static void sum_free(struct budget *b, struct sum *s)
{
	hashmap_remove(&b->sums, &s->by_key);
	mem_free(s->key);
	mem_free(s);
}

void budget_free(struct budget **budget)
{
	struct budget *b = *budget;

	*budget = NULL;
	if (!b)
		return;
	hashmap_each(node, &b->sums)
		sum_free(b, hashmap_item(node, struct sum, by_key));
	hashmap_deinit(&b->sums);
	list_each_safe(node, &b->tenants) {
		struct tenant *t = list_item(node, struct tenant, node);

		list_remove(&t->node);
		mem_free(t->name);
		mem_free(t);
	}
	prices_set(b, NULL, 0);
	mem_free(b->prices);
	limits_free(b);
	mem_free(b);
}

/* ---- prices ---- */

bool budget_has_limits(const struct budget *b)
{
	return b->limit_count > 0;
}

bool budget_has_money_limits(const struct budget *b)
{
	for (size_t i = 0; i < b->limit_count; i++)
		if (b->limits[i].nano_usd > 0)
			return true;
	return false;
}

bool budget_cost(const struct budget *b, const char *model, const struct budget_usage *use,
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

/* ---- tenants ---- */

static struct tenant *tenant_of(struct budget *b, const char *name)
{
	struct tenant *t;

	list_each(node, &b->tenants) {
		t = list_item(node, struct tenant, node);
		if (strcmp(t->name, name) == 0)
			return t;
	}
	t = mem_alloc(sizeof(*t));
	t->name = mem_strdup(name);
	list_append(&b->tenants, &t->node);
	return t;
}

static int64_t tenant_now(struct tenant *t, int64_t now_ms)
{
	if (t->latest_ms < now_ms)
		t->latest_ms = now_ms;
	return t->latest_ms;
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

/* The user, tenant or role that the limit counts for this budget owner; NULL: the limit does not
 * apply. */
static const char *limit_subject(const struct budget_limit *l,
				 const struct budget_owner *budget_owner)
{
	const char *who = l->scope == BUDGET_USER     ? budget_owner->user
			  : l->scope == BUDGET_TENANT ? budget_owner->tenant
						      : budget_owner->role;

	if (!who || (l->only && strcmp(l->only, who) != 0))
		return NULL;
	return who;
}

/* Frees sums of past periods when there are too many. */
static void sums_sweep(struct budget *b, int64_t at_ms)
{
	hashmap_each(node, &b->sums) {
		struct sum *s = hashmap_item(node, struct sum, by_key);
		size_t limit = sum_limit(s);

		if (s->period < period_of(b->limits[limit].period, at_ms))
			sum_free(b, s);
	}
}

static void sum_renew(struct sum *s, int64_t period)
{
	if (s->period >= period)
		return;
	s->period = period;
	s->spent = s->since = s->read = (struct amount){0};
}

/* The current sum of a limit for this budget owner; NULL: the limit does not apply. */
static struct sum *sum_of(struct budget *b, size_t limit, const struct budget_owner *budget_owner,
			  int64_t at_ms)
{
	const char *who = limit_subject(&b->limits[limit], budget_owner);
	int64_t period = period_of(b->limits[limit].period, at_ms);
	struct hashmap_node *node;
	struct sum *s;
	char *key;

	if (!who)
		return NULL;
	key = mem_printf("%c%s%c%s", (char)(limit + 1), budget_owner->tenant, KEY_SEPARATOR, who);
	node = hashmap_find(&b->sums, str_of(key));
	if (node) {
		s = hashmap_item(node, struct sum, by_key);
		mem_free(key);
		sum_renew(s, period);
		return s;
	}
	if (b->sums.count >= BUDGET_SUMS_MAX)
		sums_sweep(b, at_ms);
	s = mem_alloc(sizeof(*s));
	s->key = key;
	s->tenant = tenant_of(b, budget_owner->tenant);
	s->period = period;
	hashmap_add(&b->sums, &s->by_key, str_of(s->key));
	return s;
}

static void add(struct budget *b, const struct budget_owner *budget_owner, int64_t tokens,
		int64_t nano_usd, int64_t at_ms)
{
	for (size_t i = 0; i < b->limit_count; i++) {
		struct sum *s = sum_of(b, i, budget_owner, at_ms);

		/* A call that ends in a later period than it began changes no sum. */
		if (!s || s->period != period_of(b->limits[i].period, at_ms))
			continue;
		s->spent.tokens += tokens;
		s->spent.nano_usd += nano_usd;
		s->since.tokens += tokens > 0 ? tokens : 0;
		s->since.nano_usd += nano_usd > 0 ? nano_usd : 0;
	}
}

/* ---- changed limits ---- */

/* Sums carry over to an equivalent new limit; others are freed. */
void budget_set_limits(struct budget *b, const struct budget_settings *now)
{
	struct hashmap old = b->sums;

	hashmap_init(&b->sums);
	hashmap_each(node, &old) {
		struct sum *s = hashmap_item(node, struct sum, by_key);
		size_t place = budget_match_limit(b->limits, sum_limit(s), now);

		hashmap_remove(&old, node);
		s->key[0] = (char)(place + 1);
		hashmap_add(&b->sums, node, str_of(s->key));
		if (place == now->limit_count)
			sum_free(b, s);
	}
	hashmap_deinit(&old);
	limits_free(b);
	limits_set(b, now->limits, now->limit_count);
	prices_set(b, now->prices, now->price_count);
}

/* ---- spending of all replicas ---- */

static void each_sum(struct budget *b, const struct tenant *t,
		     void (*act)(struct budget *b, struct sum *s))
{
	hashmap_each(node, &b->sums) {
		struct sum *s = hashmap_item(node, struct sum, by_key);

		if (s->tenant == t)
			act(b, s);
	}
}

static void begin_sum(struct budget *b, struct sum *s)
{
	(void)b;
	s->since = s->read = (struct amount){0};
}

/* Skips a sum whose period began after the reading did, since it was not read. */
static void end_sum(struct budget *b, struct sum *s)
{
	size_t limit = sum_limit(s);

	if (s->period != period_of(b->limits[limit].period, s->tenant->reading_ms))
		return;
	s->spent.tokens = s->read.tokens + s->since.tokens;
	s->spent.nano_usd = s->read.nano_usd + s->since.nano_usd;
}

void budget_read_begin(struct budget *b, const char *tenant, int64_t now_ms)
{
	struct tenant *t = tenant_of(b, tenant);

	t->reading_ms = tenant_now(t, now_ms);
	t->was_checked = false;
	t->used_percent = 0;
	each_sum(b, t, begin_sum);
}

void budget_add_sum(struct budget *b, const char *tenant, const struct budget_sum *sum)
{
	const struct budget_owner budget_owner = {tenant, sum->user, sum->role};
	int64_t at_ms = tenant_of(b, tenant)->reading_ms;

	for (size_t i = 0; i < b->limit_count; i++) {
		struct sum *s = sum_of(b, i, &budget_owner, at_ms);
		bool day = b->limits[i].period == BUDGET_DAY;

		if (!s)
			continue;
		s->read.tokens += day ? sum->day_tokens : sum->month_tokens;
		s->read.nano_usd += day ? sum->day_nano_usd : sum->month_nano_usd;
	}
}

void budget_read_end(struct budget *b, const char *tenant)
{
	each_sum(b, tenant_of(b, tenant), end_sum);
}

bool budget_was_checked(const struct budget *b, const char *tenant, int *used_percent)
{
	list_each(node, &b->tenants) {
		const struct tenant *t = list_item(node, struct tenant, node);

		if (strcmp(t->name, tenant) != 0)
			continue;
		*used_percent = t->used_percent;
		return t->was_checked;
	}
	return false;
}

/* ---- own spending ---- */

static int percent(int64_t used, int64_t limit)
{
	return used >= limit ? 100 : used <= 0 ? 0 : (int)(100.0 * (double)used / (double)limit);
}

/* Share of the limit that is spent: above 1 when the limit is exceeded. */
static double spent_part(const struct budget_limit *l, const struct sum *s)
{
	double tokens = l->tokens > 0 ? (double)s->spent.tokens / (double)l->tokens : -1;
	double usd = l->nano_usd > 0 ? (double)s->spent.nano_usd / (double)l->nano_usd : -1;

	return usd >= tokens ? usd : tokens;
}

/* Skips the first byte, the limit's index, because it may equal the separator. */
static const char *sum_subject(const struct sum *s)
{
	return strchr(s->key + 1, KEY_SEPARATOR) + 1;
}

/* Equal shares are ordered by name. */
static bool has_spent_more(const struct budget_limit *l, const struct sum *s,
			   const struct sum *than)
{
	double a = spent_part(l, s), b = spent_part(l, than);

	return a > b || (a >= b && strcmp(sum_subject(s), sum_subject(than)) < 0);
}

struct budget_spent budget_most_spent(const struct budget *b, const char *tenant, size_t limit)
{
	const struct budget_limit *l = &b->limits[limit];
	const struct sum *most = NULL;

	hashmap_each(node, &b->sums) {
		const struct sum *s = hashmap_item(node, struct sum, by_key);

		if (sum_limit(s) != limit || strcmp(s->tenant->name, tenant) != 0)
			continue;
		if (!most || has_spent_more(l, s, most))
			most = s;
	}
	if (!most)
		return (struct budget_spent){0};
	return (struct budget_spent){sum_subject(most), most->spent.tokens, most->spent.nano_usd};
}

/* Use of a limit in percent, the higher of tokens and money; -1: the limit does not apply. */
static int used_percent(struct budget *b, size_t limit, const struct budget_owner *budget_owner,
			const struct amount *more, int64_t now_ms, bool *money)
{
	const struct budget_limit *l = &b->limits[limit];
	const struct sum *s = sum_of(b, limit, budget_owner, now_ms);
	int tokens, usd;

	if (!s)
		return -1;
	tokens = l->tokens > 0 ? percent(s->spent.tokens + more->tokens, l->tokens) : -1;
	usd = l->nano_usd > 0 ? percent(s->spent.nano_usd + more->nano_usd, l->nano_usd) : -1;
	*money = usd >= tokens;
	return *money ? usd : tokens;
}

static void note_use(struct tenant *t, int percent)
{
	t->was_checked = true;
	if (t->used_percent < percent)
		t->used_percent = percent;
}

/* The first limit that `more` would exceed; limit_count: none. */
static size_t limit_exceeded_by(struct budget *b, const struct budget_owner *budget_owner,
				const struct amount *more, int64_t now_ms, bool *money)
{
	for (size_t i = 0; i < b->limit_count; i++) {
		const struct budget_limit *l = &b->limits[i];
		const struct sum *s = sum_of(b, i, budget_owner, now_ms);

		if (!s)
			continue;
		note_use(s->tenant, used_percent(b, i, budget_owner, more, now_ms, money));
		*money = l->tokens <= 0 || s->spent.tokens + more->tokens <= l->tokens;
		if (!*money ||
		    (l->nano_usd > 0 && s->spent.nano_usd + more->nano_usd > l->nano_usd))
			return i;
	}
	return b->limit_count;
}

bool budget_allows(struct budget *b, const struct budget_owner *budget_owner, int64_t tokens,
		   int64_t nano_usd, int64_t now_ms)
{
	const struct amount more = {tokens, nano_usd};
	bool money;

	now_ms = tenant_now(tenant_of(b, budget_owner->tenant), now_ms);
	return limit_exceeded_by(b, budget_owner, &more, now_ms, &money) == b->limit_count;
}

bool budget_reserve(struct budget *b, const struct budget_owner *budget_owner,
		    struct budget_reservation *reservation, int64_t now_ms, struct err *e)
{
	const struct amount more = {reservation->tokens, reservation->nano_usd};
	const struct budget_limit *l;
	bool money;
	size_t i;

	now_ms = tenant_now(tenant_of(b, budget_owner->tenant), now_ms);
	i = limit_exceeded_by(b, budget_owner, &more, now_ms, &money);
	if (i < b->limit_count) {
		l = &b->limits[i];
		return err_set(e, ERR_QUOTA, "this call would exceed the %s's %s limit for the %s",
			       budget_scope_name(l->scope), money ? "money" : "token",
			       budget_period_name(l->period));
	}
	reservation->at_ms = now_ms;
	add(b, budget_owner, reservation->tokens, reservation->nano_usd, now_ms);
	return true;
}

void budget_settle(struct budget *b, const struct budget_owner *budget_owner,
		   const struct budget_reservation *reservation, int64_t tokens, int64_t nano_usd)
{
	add(b, budget_owner, tokens - reservation->tokens, nano_usd - reservation->nano_usd,
	    reservation->at_ms);
}

bool budget_state(struct budget *b, const struct budget_owner *budget_owner, int64_t now_ms,
		  struct budget_state *out)
{
	static const struct amount nothing = {0};
	struct tenant *t = tenant_of(b, budget_owner->tenant);
	bool any = false;

	now_ms = tenant_now(t, now_ms);
	for (size_t i = 0; i < b->limit_count; i++) {
		const struct budget_limit *l = &b->limits[i];
		bool money;
		int used = used_percent(b, i, budget_owner, &nothing, now_ms, &money);

		if (used < 0 || (any && used <= out->used_percent))
			continue;
		any = true;
		*out = (struct budget_state){l->scope, l->period, money, used};
	}
	if (any)
		note_use(t, out->used_percent);
	return any;
}
