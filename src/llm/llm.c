/*
 * The providers of one configuration, in the order in which each role tries them. llm_run.c runs
 * the calls.
 */
#include <assert.h>
#include <string.h>

#include "llm_int.h"
#include "vesper/clock.h"
#include "vesper/embed.h"
#include "vesper/mem.h"

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
	sum->nano_usd += more->nano_usd;
	sum->continued += more->continued;
}

const char *llm_answer_text(const struct llm_answer *answer, struct arena *a)
{
	const char *text = "";

	for (size_t i = 0; i < answer->count; i++)
		if (answer->blocks[i].kind == LLM_TEXT)
			text = arena_printf(a, "%s%s", text, answer->blocks[i].text);
	return text;
}

bool llm_budget_state(struct llm *llm, const struct budget_owner *budget_owner,
		      struct budget_state *out)
{
	return llm && llm->money.budget && budget_owner &&
	       budget_state(llm->money.budget, budget_owner, money_now(&llm->money, budget_owner),
			    out);
}

bool llm_is_affordable(struct llm *llm, const struct budget_owner *budget_owner, enum llm_role role)
{
	for (size_t i = 0; llm && i < llm->count; i++)
		if (breaker_allows(&llm->providers[i].breaker, clock_mono_ms()) &&
		    money_allows(&llm->money, budget_owner, &llm->providers[i], role))
			return true;
	return false;
}

void llm_check(struct llm *llm)
{
	for (size_t i = 0; llm && i < llm->count; i++)
		if (llm->providers[i].driver == &wire_driver)
			wire_check_start(llm->providers[i].self);
	if (embed_model(llm))
		wire_check_start(llm->embed.self);
}

bool llm_can_answer(const struct llm *llm)
{
	return llm && llm->count > 0;
}

const char *llm_model(const struct llm *llm, enum llm_role role)
{
	const struct wire_role *roles =
		llm_can_answer(llm) ? llm->providers[llm->order[role][0]].roles : NULL;

	return roles ? roles[role].model : NULL;
}

bool llm_is_usable(const struct llm *llm)
{
	for (size_t i = 0; llm && i < llm->count; i++)
		if (breaker_allows(&llm->providers[i].breaker, clock_mono_ms()))
			return true;
	return false;
}

bool llm_is_usable_except(const struct llm *llm, const char *provider)
{
	for (size_t i = 0; llm && i < llm->count; i++)
		if (strcmp(llm->providers[i].name, provider) != 0 &&
		    breaker_allows(&llm->providers[i].breaker, clock_mono_ms()))
			return true;
	return false;
}

/* ---- lifecycle ---- */

static struct llm *llm_alloc(struct loop *l, size_t providers, int64_t retry_base_ms)
{
	struct llm *llm = mem_alloc(sizeof(*llm));
	unsigned char seed[2];

	llm->refs = 1;
	llm->loop = l;
	llm->providers = mem_alloc(providers * sizeof(*llm->providers));
	for (size_t i = 0; i < LLM_ROLE_COUNT; i++) {
		llm->order[i] = mem_alloc(providers * sizeof(*llm->order[i]));
		for (size_t k = 0; k < providers; k++)
			llm->order[i][k] = k;
	}
	hash_random(seed, sizeof(seed));
	/* Random start, so that replicas wait differently. */
	for (size_t i = 0; i < LLM_ATTEMPTS_MAX; i++)
		llm->spread[i] = (unsigned)(seed[0] << 8 | seed[1]);
	llm->retry_base_ms = retry_base_ms ? retry_base_ms : LLM_RETRY_BASE_MS;
	return llm;
}

/* The providers that the role names come first, in its order; the others keep their order. */
static bool order_set(struct llm *llm, enum llm_role role, const char *names, struct err *e)
{
	size_t *order = llm->order[role], n = 0;
	struct str rest = str_of(names), name;

	while (names && *names && str_split(&rest, ',', &name)) {
		size_t k = n, found;

		name = str_trim(name);
		while (k < llm->count && !str_eq(name, str_of(llm->providers[order[k]].name)))
			k++;
		if (k == llm->count)
			return err_set(
				e, ERR_INPUT,
				"role \"%s\" uses provider \"%.*s\", which is not configured",
				llm_role_name(role), (int)(name.n < 40 ? name.n : 40), name.p);
		found = order[k];
		for (; k > n; k--)
			order[k] = order[k - 1];
		order[n++] = found;
	}
	return true;
}

static bool is_named(const char *names, const char *name)
{
	struct str rest = str_of(names), item;

	while (names && str_split(&rest, ',', &item))
		if (str_eq(str_trim(item), str_of(name)))
			return true;
	return false;
}

/* A role's model applies to the first provider of the role and to others of the same kind. Services
 * of another kind do not have a model of that name. */
static struct llm_provider_options with_models(const struct llm_options *o, size_t at)
{
	struct llm_provider_options p = o->providers[at];

	for (size_t i = 0; i < LLM_ROLE_COUNT; i++) {
		const struct llm_role_options *role = &o->roles[i];
		size_t first = 0;

		for (size_t k = o->provider_count; k-- > 0;)
			if (is_named(role->providers, o->providers[k].name))
				first = k;
		if (!p.models[i] && strcmp(p.kind, o->providers[first].kind) == 0)
			p.models[i] = role->model;
	}
	return p;
}

static bool provider_open(struct llm *llm, struct http *h, const struct llm_options *o, size_t at,
			  struct err *e)
{
	const struct llm_provider_options p = with_models(o, at);
	void *self;

	if (!provider_name_check(p.name, e) || !wire_open(llm->loop, h, &p, o, &self, e))
		return err_prefix(e, "model provider %.*s", STR_CUT(p.name, 40));
	provider_init(&llm->providers[llm->count], p.name, &wire_driver, self, o->breaker_failures,
		      o->breaker_open_ms);
	llm->providers[llm->count++].roles = wire_roles(self);
	return true;
}

/* Returns true if the service is used by the role "embed" and has no model for answers. */
static bool is_embed_only(const struct llm_options *o, size_t at)
{
	const struct llm_provider_options p = with_models(o, at);
	const struct dialect *d = dialect_find(p.kind, p.base_url);

	if (!o->embed.provider || strcmp(o->embed.provider, p.name) != 0 || !d || d->model)
		return false;
	for (size_t i = 0; i < LLM_ROLE_COUNT; i++)
		if (p.models[i] && *p.models[i])
			return false;
	return true;
}

static bool embed_open(struct llm *llm, struct http *h, const struct llm_options *o, struct err *e)
{
	const char *name = o->embed.provider;
	size_t i = 0;
	void *self;

	if (!name)
		return !o->embed.model ||
		       err_set(e, ERR_INPUT, "llm.roles.embed has a model, but no provider");
	while (i < o->provider_count && strcmp(o->providers[i].name, name) != 0)
		i++;
	if (i == o->provider_count)
		return err_set(e, ERR_INPUT,
			       "role \"embed\" uses provider \"%.*s\", which is not configured",
			       STR_CUT(name, 40));
	if (!wire_open_embed(llm->loop, h, &o->providers[i], o, &self, e))
		return err_prefix(e, "model provider %.*s", STR_CUT(name, 40));
	provider_init(&llm->embed, name, &wire_driver, self, o->breaker_failures,
		      o->breaker_open_ms);
	llm->embed.roles = wire_roles(self);
	llm->embed_dims = o->embed.dimensions;
	return true;
}

static bool is_priced(const struct budget *b, const char *model, struct err *e)
{
	static const struct budget_usage no_usage = {0};
	int64_t cost;

	return budget_cost(b, model, &no_usage, &cost) ||
	       err_set(e, ERR_INPUT,
		       "llm.budgets has a limit in money, but llm.prices has no price for %.*s",
		       STR_CUT(model, 60));
}

/* Rejects a money limit if a model has no price: its calls would bypass the limit. */
bool llm_check_prices(const struct llm *llm, const struct budget *b, struct err *e)
{
	if (!b || !budget_has_money_limits(b))
		return true;
	for (size_t i = 0; llm && i < llm->count; i++)
		for (size_t k = 0; k < LLM_ROLE_COUNT; k++)
			if (!is_priced(b, llm->providers[i].roles[k].model, e))
				return false;
	return !embed_model(llm) || is_priced(b, embed_model(llm), e);
}

bool llm_new(struct loop *l, struct http *h, const struct llm_options *options, struct llm **out,
	     struct err *e)
{
	struct llm *llm;
	bool ok = true;

	if (options->provider_count == 0) {
		*out = NULL;
		return true;
	}
	llm = llm_alloc(l, options->provider_count, options->retry_base_ms);
	llm->money = (struct money){options->budget, options->ledger, options->wall_ms,
				    options->ledger_owner};
	llm->exchange = options->exchange;
	llm->exchange_owner = options->exchange_owner;
	for (size_t i = 0; ok && i < options->provider_count; i++)
		ok = is_embed_only(options, i) || provider_open(llm, h, options, i, e);
	ok = ok && embed_open(llm, h, options, e);
	for (size_t i = 0; ok && i < LLM_ROLE_COUNT; i++)
		ok = order_set(llm, (enum llm_role)i, options->roles[i].providers, e);
	ok = ok && (options->unseen || llm_check_prices(llm, options->budget, e));
	if (!ok) {
		llm_free(&llm);
		return false;
	}
	if (!options->unseen)
		llm_replace_in_health(llm, NULL);
	*out = llm;
	return true;
}

struct llm *llm_from_driver(struct loop *l, const struct llm_driver *driver, void *self)
{
	struct llm *llm = llm_alloc(l, 1, 0);

	provider_init(&llm->providers[llm->count++], driver->name, driver, self, 0, 0);
	llm_replace_in_health(llm, NULL);
	return llm;
}

struct llm *llm_ref(struct llm *llm)
{
	if (llm)
		llm->refs++;
	return llm;
}

static bool has_provider(const struct llm *llm, const char *name)
{
	for (size_t i = 0; llm && i < llm->count; i++)
		if (strcmp(llm->providers[i].name, name) == 0)
			return true;
	return false;
}

void llm_replace_in_health(const struct llm *now, const struct llm *before)
{
	for (size_t i = 0; before && i < before->count; i++)
		provider_unlist(&before->providers[i],
				has_provider(now, before->providers[i].name));
	for (size_t i = 0; now && i < now->count; i++)
		provider_list(&now->providers[i]);
}

void llm_free(struct llm **out)
{
	struct llm *llm = *out;

	*out = NULL;
	if (!llm || --llm->refs > 0)
		return;
	assert(llm->running == 0);
	for (size_t i = 0; i < llm->count; i++)
		provider_deinit(&llm->providers[i]);
	if (llm->embed.driver)
		provider_deinit(&llm->embed);
	for (size_t i = 0; i < LLM_ROLE_COUNT; i++)
		mem_free(llm->order[i]);
	mem_free(llm->providers);
	mem_free(llm);
}
