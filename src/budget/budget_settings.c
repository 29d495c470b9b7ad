/* Reads prices and limits from the configuration, and matches new limits with old ones. */
#include <string.h>

#include "budget_int.h"
#include "vesper/choice.h"
#include "vesper/config.h"

static const struct choice scopes[] = {
	{"user", BUDGET_USER}, {"tenant", BUDGET_TENANT}, {"role", BUDGET_ROLE}, {NULL, 0}};
static const struct choice periods[] = {{"day", BUDGET_DAY}, {"month", BUDGET_MONTH}, {NULL, 0}};

/* Converts dollars per million tokens to billionths of a dollar per token. */
static int64_t price_of(const json_t *price, const char *name, double otherwise)
{
	const json_t *value = json_object_get(price, name);

	return (int64_t)((value ? json_number_value(value) : otherwise) * 1000 + 0.5);
}

/* By default, cached tokens cost what the service's price list says: a tenth of the input price to
 * read, twice to write for an hour. */
static void read_prices(const json_t *prices, struct arena *a, struct budget_settings *s)
{
	struct budget_price *out = arena_alloc(a, sizeof(*out) * (json_object_size(prices) + 1));
	const char *model;
	json_t *price;

	json_object_foreach((json_t *)prices, model, price) {
		double input = json_number_value(json_object_get(price, "input"));

		out[s->price_count++] = (struct budget_price){
			.model = model,
			.input = price_of(price, "input", 0),
			.cache_read = price_of(price, "cache_read", input / 10),
			.cache_write = price_of(price, "cache_write", input * 2),
			.output = price_of(price, "output", 0),
		};
	}
	s->prices = out;
}

static enum budget_scope scope_of(const json_t *limit)
{
	return (enum budget_scope)choice_of(scopes,
					    json_string_value(json_object_get(limit, "scope")));
}

static enum budget_period period_of(const json_t *limit)
{
	return (enum budget_period)choice_of(periods,
					     json_string_value(json_object_get(limit, "period")));
}

static void read_limits(const json_t *list, struct arena *a, struct budget_settings *s)
{
	struct budget_limit *out = arena_alloc(a, sizeof(*out) * (json_array_size(list) + 1));
	const json_t *l;
	size_t i;

	json_array_foreach(list, i, l)
		out[s->limit_count++] = (struct budget_limit){
			.scope = scope_of(l),
			.only = json_string_value(json_object_get(l, "only")),
			.period = period_of(l),
			.tokens = json_integer_value(json_object_get(l, "tokens")),
			.nano_usd =
				(int64_t)(json_number_value(json_object_get(l, "usd")) * 1e9 + 0.5),
		};
	s->limits = out;
}

bool budget_settings_read(const struct config *c, struct arena *take, struct budget_settings **out,
			  struct err *e)
{
	struct budget_settings *s = settings_new(take, sizeof(*s));

	(void)e;
	config_retain(c, take);
	read_prices(config_json(c, "llm.prices"), take, s);
	read_limits(config_json(c, "llm.budgets"), take, s);
	*out = s;
	return true;
}

/* Same scope and period, whatever the amounts. */
static bool is_same_limit(const struct budget_limit *a, const struct budget_limit *b)
{
	return a->scope == b->scope && a->period == b->period && !a->only == !b->only &&
	       (!a->only || strcmp(a->only, b->only) == 0);
}

/* Several limits may be equivalent; they match in order. */
size_t budget_match_limit(const struct budget_limit *all, size_t old,
			  const struct budget_settings *now)
{
	size_t before = 0, i;

	for (i = 0; i < old; i++)
		before += is_same_limit(&all[i], &all[old]);
	for (i = 0; i < now->limit_count; i++)
		if (is_same_limit(&now->limits[i], &all[old]) && before-- == 0)
			break;
	return i;
}
