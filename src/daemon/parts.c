/*
 * Builds the parts from the bottom up and takes them down in the opposite order. Everything that a
 * folder needs is handed to it here; no folder reads configuration or environment itself.
 */
#include "daemon.h"

#include <string.h>

#include "vesper/catalog.h"
#include "vesper/domain.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/pool.h"
#include "vesper/tool.h"

/* ---- options from configuration ---- */

static bool read_places(struct daemon *d, struct err *e)
{
	const json_t *tenants = config_json(d->config, "tenants");

	d->places = arena_alloc(d->arena, sizeof(*d->places) * d->databases.tenant_count);
	for (size_t i = 0; i < d->databases.tenant_count; i++) {
		const json_t *tenant = json_object_get(tenants, d->databases.tenant_ids[i]);
		const char *zone = json_string_value(json_object_get(tenant, "timezone"));

		d->places[i].tenant = d->databases.tenant_ids[i];
		if (!zone_load(zone ? zone : config_text(d->config, "calendar.timezone"),
			       &d->places[i].zone, e))
			return err_prefix(e, zone ? "tenants" : "calendar.timezone");
	}
	return true;
}

static const char *text_or_null(const struct config *c, const char *key)
{
	const char *text = config_text(c, key);

	return *text ? text : NULL;
}

static bool read_provider(const json_t *p, struct llm_provider_options *out, struct err *e)
{
	const char *model = NULL;
	json_t *models = NULL;

	if (!json_get_str(p, "name", &out->name, e) || !json_get_str(p, "kind", &out->kind, e) ||
	    !json_opt_str(p, "base_url", &out->base_url, e) ||
	    !json_opt_str(p, "key", &out->key, e) ||
	    !json_opt_str(p, "version", &out->version, e) || !json_opt_str(p, "model", &model, e) ||
	    !json_opt_object(p, "models", &models, e))
		return false;
	for (size_t i = 0; i < LLM_ROLE_COUNT; i++) {
		out->models[i] = model;
		if (models &&
		    !json_opt_str(models, llm_role_name((enum llm_role)i), &out->models[i], e))
			return false;
	}
	return true;
}

static void read_role(struct daemon *d, enum llm_role role, struct llm_role_options *out)
{
	const char *prefix = arena_printf(d->arena, "llm.roles.%s", llm_role_name(role));
	const char *thinking;

	thinking = config_text(d->config, arena_printf(d->arena, "%s.thinking", prefix));
	*out = (struct llm_role_options){
		.providers = text_or_null(d->config, arena_printf(d->arena, "%s.provider", prefix)),
		.model = text_or_null(d->config, arena_printf(d->arena, "%s.model", prefix)),
		.max_tokens =
			config_int(d->config, arena_printf(d->arena, "%s.max_tokens", prefix)),
		.effort = text_or_null(d->config, arena_printf(d->arena, "%s.effort", prefix)),
		.thinking = strcmp(thinking, "off") == 0        ? LLM_THINKING_OFF
			    : strcmp(thinking, "adaptive") == 0 ? LLM_THINKING_ADAPTIVE
								: LLM_THINKING_DEFAULT,
	};
}

/* Dollars a million tokens as billionths of a dollar a token. */
static int64_t price_of(const json_t *price, const char *name, double otherwise)
{
	const json_t *value = json_object_get(price, name);

	return (int64_t)((value ? json_number_value(value) : otherwise) * 1000 + 0.5);
}

/* Cached tokens cost what the service's own list says of them where the configuration is silent: a
 * tenth to read, twice to write for an hour. */
static size_t read_prices(struct daemon *d, struct budget_price **out)
{
	const json_t *prices = config_json(d->config, "llm.prices");
	size_t n = 0;
	const char *model;
	json_t *price;

	*out = arena_alloc(d->arena, sizeof(**out) * (json_object_size(prices) + 1));
	json_object_foreach((json_t *)prices, model, price) {
		double input = json_number_value(json_object_get(price, "input"));

		(*out)[n++] = (struct budget_price){
			.model = model,
			.input = price_of(price, "input", 0),
			.cache_read = price_of(price, "cache_read", input / 10),
			.cache_write = price_of(price, "cache_write", input * 2),
			.output = price_of(price, "output", 0),
		};
	}
	return n;
}

static size_t read_limits(struct daemon *d, struct budget_limit **out)
{
	const json_t *list = config_json(d->config, "llm.budgets"), *l;
	size_t i;

	*out = arena_alloc(d->arena, sizeof(**out) * (json_array_size(list) + 1));
	json_array_foreach(list, i, l) {
		const char *scope = json_string_value(json_object_get(l, "scope"));
		const char *period = json_string_value(json_object_get(l, "period"));

		(*out)[i] = (struct budget_limit){
			.scope = *scope == 'u'   ? BUDGET_USER
				 : *scope == 't' ? BUDGET_TENANT
						 : BUDGET_ROLE,
			.only = json_string_value(json_object_get(l, "only")),
			.period = *period == 'd' ? BUDGET_DAY : BUDGET_MONTH,
			.tokens = json_integer_value(json_object_get(l, "tokens")),
			.nano_usd =
				(int64_t)(json_number_value(json_object_get(l, "usd")) * 1e9 + 0.5),
		};
	}
	return json_array_size(list);
}

static void open_budget(struct daemon *d, struct llm_options *o)
{
	struct budget_price *prices;
	struct budget_limit *limits;
	size_t price_count = read_prices(d, &prices), limit_count = read_limits(d, &limits);

	d->budget = budget_new(prices, price_count, limits, limit_count);
	o->budget = d->budget;
	d->spending = spending_new(d);
	o->ledger = spending_entry;
	o->wall_ms = spending_wall_ms;
	o->ledger_owner = d;
}

bool daemon_open_http(struct daemon *d, struct err *e)
{
	const char *file = config_text(d->config, "http.ca_file");

	return loop_new(&d->loop, e) && http_new(d->loop, &d->http, e) &&
	       (!*file || http_trust(d->http, file, e) || err_prefix(e, "http.ca_file"));
}

static bool open_model(struct daemon *d, struct err *e)
{
	const json_t *list = config_json(d->config, "llm.providers");
	size_t n = json_array_size(list);
	struct llm_provider_options *providers =
		arena_alloc(d->arena, sizeof(*providers) * (n + 1));
	struct llm_options o = {
		.providers = providers,
		.provider_count = n,
		.connect_ms = config_int(d->config, "llm.timeouts_ms.connect"),
		.first_byte_ms = config_int(d->config, "llm.timeouts_ms.first_byte"),
		.idle_ms = config_int(d->config, "llm.timeouts_ms.idle"),
		.breaker_failures = config_int(d->config, "llm.breaker.failures"),
		.breaker_open_ms = config_int(d->config, "llm.breaker.probe_s") * 1000,
	};

	for (size_t i = 0; i < n; i++)
		if (!read_provider(json_array_get(list, i), &providers[i], e))
			return err_prefix(e, "llm.providers[%zu]", i);
	for (size_t i = 0; i < LLM_ROLE_COUNT; i++)
		read_role(d, (enum llm_role)i, &o.roles[i]);
	if (d->exchanges) {
		d->llm = llm_from_exchanges(d->loop, d->exchanges, &d->replay);
		return true;
	}
	if (d->recorder) {
		o.exchange = recorder_exchange;
		o.exchange_owner = d->recorder;
	}
	open_budget(d, &o);
	return llm_new(d->loop, d->http, &o, &d->llm, e);
}

/* A secret that replicas share and a Redis does not have; "": there is none. */
static const char *shared_secret(const struct daemon *d)
{
	const char *secret = config_text(d->config, "auth.cursor_secret");

	return *secret ? secret : config_text(d->config, "auth.jwt_secret");
}

/* Memory, unless a Redis is given: then the replicas share what they keep. */
static bool open_cache(struct daemon *d, struct err *e)
{
	struct cache_redis_options o = {
		.url = config_text(d->config, "redis.url"),
		.timeout_ms = config_int(d->config, "redis.timeout_ms"),
		.secret = shared_secret(d),
	};

	d->cache_shared = *o.url != 0;
	if (d->cache_shared && !*o.secret)
		log_warn("redis.secret", "auth.cursor_secret is not set: replicas do not share "
					 "cached results and tickets");
	if (d->cache_shared)
		return cache_redis_new(d->loop, &o, &d->cache, e) || err_prefix(e, "redis.url");
	d->cache = cache_memory_new(d->loop);
	return true;
}

/* A list of texts, ended by NULL. */
static const char *const *texts_of(struct daemon *d, const char *key)
{
	const json_t *list = config_json(d->config, key);
	size_t n = json_array_size(list);
	const char **texts = arena_alloc(d->arena, sizeof(*texts) * (n + 1));

	for (size_t i = 0; i < n; i++)
		texts[i] = json_string_value(json_array_get(list, i));
	texts[n] = NULL;
	return texts;
}

static enum pbi_identity pbi_identity_of(const char *text)
{
	if (strcmp(text, "user") == 0)
		return PBI_IDENTITY_USER;
	return strcmp(text, "tenant") == 0 ? PBI_IDENTITY_TENANT : PBI_IDENTITY_NONE;
}

static void read_pbi_maps(struct daemon *d, struct pbi_options *o)
{
	const json_t *places = config_json(d->config, "pbi.reports");
	const json_t *map = config_json(d->config, "pbi.roles");
	struct pbi_report *reports =
		arena_alloc(d->arena, sizeof(*reports) * (json_object_size(places) + 1));
	struct pbi_role *roles =
		arena_alloc(d->arena, sizeof(*roles) * (json_object_size(map) + 1));
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)places, name, value)
		reports[o->report_count++] = (struct pbi_report){name, json_string_value(value)};
	json_object_foreach((json_t *)map, name, value)
		roles[o->role_count++] = (struct pbi_role){name, json_string_value(value)};
	o->reports = reports;
	o->roles = roles;
}

/* A report whose rows are everybody's is one tenant's report. */
bool daemon_open_pbi(struct daemon *d, struct err *e)
{
	struct pbi_options o = {
		.loop = d->loop,
		.http = d->http,
		.login_url = config_text(d->config, "pbi.login_url"),
		.api_url = config_text(d->config, "pbi.api_url"),
		.scope = config_text(d->config, "pbi.scope"),
		.hosts = texts_of(d, "pbi.hosts"),
		.tenant_id = config_text(d->config, "pbi.tenant_id"),
		.client_id = config_text(d->config, "pbi.client_id"),
		.client_secret = config_text(d->config, "pbi.client_secret"),
		.identity = pbi_identity_of(config_text(d->config, "pbi.identity")),
	};

	read_pbi_maps(d, &o);
	if (!pbi_hosts_check(o.hosts, e))
		return false;
	if (!*o.tenant_id && !*o.client_id && !*o.client_secret)
		return true;
	if (o.identity == PBI_IDENTITY_NONE && o.role_count > 0)
		return err_set(e, ERR_INPUT, "pbi.roles: pbi.identity must be user or tenant");
	if (o.identity == PBI_IDENTITY_NONE && d->databases.tenant_count > 1)
		return err_set(e, ERR_INPUT,
			       "pbi.identity: with several tenants it must be user or tenant, or "
			       "one could see the rows of another");
	return pbi_new(&o, &d->pbi, e);
}

/* ---- the whole ---- */

static enum turn_busy busy_policy(const struct config *c)
{
	const char *text = config_text(c, "limits.busy");

	if (strcmp(text, "queue") == 0)
		return TURN_BUSY_QUEUE;
	return strcmp(text, "interrupt") == 0 ? TURN_BUSY_INTERRUPT : TURN_BUSY_REJECT;
}

bool daemon_build(struct daemon *d, struct err *e)
{
	struct turns_options turns = {0};

	if (!databases_read(d->config, d->arena, &d->databases, e) || !read_places(d, e) ||
	    !daemon_open_http(d, e) ||
	    (d->record_folder && !recorder_open(d->loop, d->record_folder, &d->recorder, e)) ||
	    !databases_open_sources(&d->databases, d->loop, d->arena, &d->sources, e) ||
	    !databases_open_store(&d->databases, d->config, d->loop, &d->stored, e) ||
	    !store_new(d->loop, d->stored, d->root, &d->store, e) || !open_model(d, e) ||
	    !open_cache(d, e) || !daemon_open_identity(d, e) || !daemon_open_pbi(d, e))
		return false;
	d->switches = switches_new();
	d->tool_workers = pool_new(d->loop, "tools", TOOL_WORKERS);
	d->streams = stream_hub_new(d->loop);
	turns = (struct turns_options){
		.loop = d->loop,
		.streams = d->streams,
		.store = d->store,
		.llm = d->llm,
		.deadline_ms = config_int(d->config, "llm.timeouts_ms.turn"),
		.grace_ms = config_int(d->config, "limits.grace_s") * 1000,
		.busy = busy_policy(d->config),
		.prompt_tokens = config_int(d->config, "llm.prompt_tokens"),
		.hide_existence = config_bool(d->config, "checks.hide_existence"),
		.vets_questions = strcmp(config_text(d->config, "checks.guardrails"), "model") == 0,
		.calendar = {.fiscal_start_month =
				     (int)config_int(d->config, "calendar.fiscal_start_month"),
			     .week_start = calendar_weekday(
				     config_text(d->config, "calendar.week_start"))},
		.places = d->places,
		.place_count = d->databases.tenant_count,
	};
	turns.link_hosts = texts_of(d, "checks.link_hosts");
	turns.record = d->recorder ? recorder_turn : d->on_turn;
	turns.record_owner = d->recorder ? (void *)d->recorder : d->on_turn_owner;
	if (!guard_policy_parse(config_text(d->config, "checks.numbers"), &turns.numbers))
		return err_set(e, ERR_INPUT, "checks.numbers: must be flag, rewrite or withhold");
	d->turns = turns_new(&turns);
	return daemon_load_knowledge(d, e);
}

bool daemon_listen(struct daemon *d, struct err *e)
{
	struct transport_options o = {
		.loop = d->loop,
		.listen = config_text(d->config, "listen"),
		.admin_listen = config_text(d->config, "admin_listen"),
		.origins = texts_of(d, "auth.origins"),
		.trusted_proxies = texts_of(d, "trusted_proxies"),
		.per_address = (size_t)config_int(d->config, "limits.connections_per_address"),
		.per_user = (size_t)config_int(d->config, "limits.connections_per_user"),
		.per_tenant = (size_t)config_int(d->config, "limits.connections_per_tenant"),
		.tenant_count = d->databases.tenant_count,
		.hide_existence = config_bool(d->config, "checks.hide_existence"),
		.allow_query_token = config_bool(d->config, "auth.allow_query_token"),
		.first_frame_always =
			strcmp(config_text(d->config, "auth.first_frame"), "always") == 0,
		.echo = config_bool(d->config, "ws.echo"),
		.demo = config_bool(d->config, "demo"),
		.demo_secret = d->secret,
		.cursor_secret = config_text(d->config, "auth.cursor_secret"),
		.identity = d->identity,
		.streams = d->streams,
		.store = d->store,
		.turns = d->turns,
		.pbi = d->pbi,
		.frame_hosts = texts_of(d, "pbi.hosts"),
		.switches_changed = maintenance_switches_changed,
		.switches_owner = d->maintenance,
		.feedback_given = d->recorder ? recorder_feedback : NULL,
		.feedback_owner = d->recorder,
	};

	if (!transport_open(&o, &d->transport, e))
		return false;
	log_info("daemon.ready", "http://%s%s, answers by %s", transport_address(d->transport),
		 o.demo ? " (demo)" : "", d->llm ? "a model" : "rules (no model is configured)");
	return true;
}

/* In the opposite order of build; each part may be missing when the start failed. What is still
 * asked of the store is ended by the close of its database, and then the store is of no use. */
void daemon_take_down(struct daemon *d)
{
	signal_watch_free(&d->term);
	signal_watch_free(&d->interrupt);
	signal_watch_free(&d->hangup);
	timer_free(&d->drain_timer);
	transport_close(&d->transport);
	daemon_names_stop(d);
	maintenance_free(&d->maintenance);
	turns_free(&d->turns);
	pool_free(&d->tool_workers);
	switches_free(&d->switches);
	stream_hub_free(&d->streams);
	identity_free(&d->identity);
	arena_free(&d->roles);
	pbi_free(&d->pbi);
	llm_free(&d->llm);
	recorder_close(&d->recorder);
	spending_stop(d->spending);
	db_close(&d->stored);
	store_free(&d->store);
	cache_free(&d->cache);
	databases_close_sources(&d->sources);
	spending_free(&d->spending);
	budget_free(&d->budget);
	http_free(&d->http);
	loop_free(&d->loop);
	for (size_t i = 0; d->places && i < d->databases.tenant_count; i++)
		zone_free(&d->places[i].zone);
	arena_free(&d->arena);
	health_reset();
}
