/* Prices and budgets. A misread value costs money, so parsing is strict. */
#include "config_int.h"

#include <math.h>
#include <string.h>

#include "vesper/err.h"
#include "vesper/json.h"
#include "vesper/limits.h"

#define USD_MAX    1e6
#define TOKENS_MAX 1000000000000000

static bool usd_check(const json_t *object, const char *name, bool is_required, struct err *e)
{
	const json_t *value = json_object_get(object, name);
	double usd = json_number_value(value);
	if (!value && !is_required)
		return true;
	if (!json_is_number(value) || !isfinite(usd) || usd < 0 || usd > USD_MAX)
		return err_set(e, ERR_INPUT, "%s: must be an amount in dollars from 0 to %.0f",
			       name, USD_MAX);
	return true;
}

static bool price_check(const json_t *price, struct err *e)
{
	static const char *const names[] = {"input", "output", "cache_read", "cache_write", NULL};
	if (!json_is_object(price))
		return err_set(e, ERR_INPUT, "must be an object");
	return json_check_members(price, names, e) && usd_check(price, "input", true, e) &&
	       usd_check(price, "output", true, e) && usd_check(price, "cache_read", false, e) &&
	       usd_check(price, "cache_write", false, e);
}

bool prices_check(const json_t *value, const char *where, struct config_faults *m)
{
	int before = m->count;
	const char *model;
	json_t *price;
	if (!json_is_object(value))
		config_fault_add(m, "%s: must be an object", where);
	json_object_foreach((json_t *)value, model, price) {
		struct err e;
		if (!price_check(price, &e))
			config_fault_add(m, "%s.%.*s: %s", where, STR_CUT(model, 64), e.text);
	}
	return m->count == before;
}

static bool is_one_of(const char *text, const char *a, const char *b, const char *c)
{
	return strcmp(text, a) == 0 || strcmp(text, b) == 0 || strcmp(text, c) == 0;
}

static bool budget_check(const json_t *budget, struct err *e)
{
	static const char *const names[] = {"scope", "only", "period", "tokens", "usd", NULL};
	const char *scope, *period, *only = "x";
	int64_t tokens = 1;
	if (!json_is_object(budget))
		return err_set(e, ERR_INPUT, "must be an object");
	if (!json_check_members(budget, names, e) || !json_get_str(budget, "scope", &scope, e) ||
	    !json_get_str(budget, "period", &period, e) ||
	    !json_opt_str(budget, "only", &only, e) ||
	    !json_opt_int(budget, "tokens", &tokens, e) || !usd_check(budget, "usd", false, e))
		return false;
	if (!is_one_of(scope, "user", "tenant", "role"))
		return err_set(e, ERR_INPUT, "scope: must be user, tenant or role");
	if (!is_one_of(period, "day", "month", "month"))
		return err_set(e, ERR_INPUT, "period: must be day or month");
	if (*only == '\0')
		return err_set(e, ERR_INPUT, "only: must not be empty");
	if (tokens < 1 || tokens > TOKENS_MAX)
		return err_set(e, ERR_INPUT, "tokens: must be 1 or more");
	if (!json_object_get(budget, "tokens") &&
	    json_number_value(json_object_get(budget, "usd")) * 1e9 < 1)
		return err_set(e, ERR_INPUT,
			       "limits nothing: set tokens or usd to a value above 0");
	return true;
}

bool budgets_check(const json_t *value, const char *where, struct config_faults *m)
{
	int before = m->count;
	if (!json_is_array(value) || json_array_size(value) > BUDGET_LIMITS_MAX)
		config_fault_add(m, "%s: must be a list of at most %d budgets", where,
				 BUDGET_LIMITS_MAX);
	for (size_t i = 0; i < json_array_size(value) && m->count == before; i++) {
		struct err e;
		if (!budget_check(json_array_get(value, i), &e))
			config_fault_add(m, "%s[%zu]: %s", where, i, e.text);
	}
	return m->count == before;
}
