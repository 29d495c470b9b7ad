/*
 * Builds the parts from the bottom up and frees them in the opposite order. Each folder gets
 * everything it needs from here; no folder reads the environment.
 */
#include "daemon.h"

#include <string.h>

#include "vesper/catalog.h"
#include "vesper/cluster.h"
#include "vesper/domain.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/metric.h"
#include "vesper/pool.h"
#include "vesper/tool.h"

/* ---- each part ---- */

bool daemon_open_http(struct daemon *d, struct err *e)
{
	const char *file = config_text(d->config, "http.ca_file");

	return loop_new(&d->loop, e) && http_new(d->loop, &d->http, e) &&
	       (!*file || http_set_ca_file(d->http, file, e) || err_prefix(e, "http.ca_file"));
}

bool daemon_new_llm(struct daemon *d, const struct llm_settings *s, bool unseen, struct llm **out,
		    struct err *e)
{
	struct llm_options o = s->options;

	o.unseen = unseen;
	if (d->record.recorder) {
		o.exchange = recorder_exchange;
		o.exchange_owner = d->record.recorder;
	}
	o.budget = d->budget;
	o.ledger = spending_entry;
	o.wall_ms = spending_wall_ms;
	o.ledger_owner = d;
	return llm_new(d->loop, d->http, &o, out, e);
}

static bool open_model(struct daemon *d, struct err *e)
{
	const struct budget_settings *b = d->settings.budget;

	if (d->record.exchanges) {
		d->llm = llm_from_exchanges(d->loop, d->record.exchanges, &d->record.replay);
		return true;
	}
	d->budget = budget_new(b->prices, b->price_count, b->limits, b->limit_count);
	d->spending = spending_new(d);
	return daemon_new_llm(d, d->settings.llm, false, &d->llm, e);
}

const char *daemon_shared_secret(const struct daemon *d)
{
	const char *secret = config_text(d->config, "auth.cursor_secret");

	return *secret ? secret : config_text(d->config, "auth.jwt_secret");
}

/* The cache is in memory, or in a Redis that the replicas share. */
static bool open_cache(struct daemon *d, struct err *e)
{
	struct cache_redis_options o = {
		.url = config_text(d->config, "redis.url"),
		.timeout_ms = config_int(d->config, "redis.timeout_ms"),
		.secret = daemon_shared_secret(d),
	};

	d->cache.shared = *o.url != 0;
	if (d->cache.shared && !*o.secret)
		log_warn("redis.secret", "auth.cursor_secret is not set: replicas do not share "
					 "cached results and tickets");
	if (d->cache.shared)
		return cache_redis_new(d->loop, &o, &d->cache.store, e) ||
		       err_prefix(e, "redis.url");
	d->cache.store = cache_memory_new(d->loop);
	return true;
}

/* Cluster mode: the replicas need a common Redis, store and secret. */
static bool open_cluster(struct daemon *d, struct leases *out, struct err *e)
{
	const struct cluster_options o = {
		.loop = d->loop,
		.hub = d->streams,
		.url = config_text(d->config, "redis.url"),
		.timeout_ms = config_int(d->config, "redis.timeout_ms"),
		.secret = daemon_shared_secret(d),
		.replica = config_text(d->config, "cluster.replica"),
		.lease_ms = config_int(d->config, "cluster.lease_ms"),
	};

	if (!*o.replica)
		return true;
	if (!*o.url)
		return err_set(e, ERR_INPUT, "cluster.replica: several replicas need redis.url");
	if (!*o.secret)
		return err_set(e, ERR_INPUT,
			       "cluster.replica: several replicas need auth.cursor_secret");
	if (d->databases.store_dialect == DIALECT_SQLITE)
		return err_set(e, ERR_INPUT,
			       "cluster.replica: several replicas need a store on PostgreSQL or "
			       "SQL Server (store.dialect)");
	return cluster_open(&o, out, e);
}

bool daemon_new_pbi(struct daemon *d, const struct pbi_settings *s, struct pbi **out, struct err *e)
{
	struct pbi_options o = s->options;

	o.loop = d->loop;
	o.http = d->http;
	return !s->wanted || pbi_new(&o, out, e);
}

bool daemon_open_pbi(struct daemon *d, struct err *e)
{
	return (d->settings.pbi ||
		pbi_settings_read(d->config, arena_new(SETTINGS_BYTES), &d->settings.pbi, e)) &&
	       daemon_new_pbi(d, d->settings.pbi, &d->pbi, e);
}

/* ---- all parts ---- */

bool daemon_build(struct daemon *d, struct err *e)
{
	struct turns_options turns = {0};

	if (!databases_read(d->config, d->arena, &d->databases, e) ||
	    !settings_read(d->config, &d->settings, e) || !daemon_open_http(d, e) ||
	    (d->record.folder &&
	     !recorder_open(d->loop, d->record.folder, &d->record.recorder, e)) ||
	    !databases_open_sources(&d->databases, d->loop, d->arena, &d->sources, e) ||
	    !databases_open_store(&d->databases, d->config, d->loop, &d->store_db, e) ||
	    !store_new(d->loop, d->store_db, d->root, &d->store, e) || !open_model(d, e) ||
	    !open_cache(d, e) || !daemon_open_identity(d, e) || !daemon_open_signin(d, e) ||
	    !daemon_open_pbi(d, e))
		return false;
	d->switches = switches_new();
	d->tool_workers = pool_new(d->loop, "tools", TOOL_WORKERS);
	d->streams = stream_hub_new(d->loop);
	turns = (struct turns_options){
		.loop = d->loop,
		.streams = d->streams,
		.store = d->store,
		.llm = d->llm,
		.settings = d->settings.turn,
	};
	if (!open_cluster(d, &turns.leases, e))
		return false;
	if (turns.leases.replica)
		store_share(d->store, arena_strdup(d->arena, turns.leases.replica));
	turns.record = d->record.recorder ? recorder_turn : d->record.on_turn;
	turns.record_owner = d->record.recorder ? (void *)d->record.recorder : d->record.owner;
	d->turns = turns_new(&turns);
	return daemon_open_uploads(d, e) &&
	       daemon_load_knowledge(d, e); /* last, because tools search documents */
}

static const struct budget_settings *budget_now(void *owner)
{
	const struct daemon *d = owner;

	return d->settings.budget;
}

bool daemon_listen(struct daemon *d, struct err *e)
{
	struct transport_options o = {
		.loop = d->loop,
		.sockets = handover_sockets(d->end.handover),
		.listen = config_text(d->config, "listen"),
		.admin_listen = config_text(d->config, "admin_listen"),
		.trusted_proxies = config_texts(d->config, "trusted_proxies", d->arena),
		.tenant_count = d->databases.tenant_count,
		.echo = config_bool(d->config, "ws.echo"),
		.demo = config_bool(d->config, "demo"),
		.cursor_secret = config_text(d->config, "auth.cursor_secret"),
		.identity = d->identity,
		.signin = d->signin,
		.streams = d->streams,
		.store = d->store,
		.turns = d->turns,
		.settings = d->settings.transport,
		.pbi = d->pbi,
		.uploads = d->knowledge.uploads,
		.switched = maintenance_switched,
		.switch_owner = d->maintenance,
		.flows_changed = approved_changed,
		.flows_owner = d->knowledge.approved,
		.budget = budget_now,
		.budget_owner = d,
		.feedback_given = d->record.recorder ? recorder_feedback : NULL,
		.feedback_owner = d->record.recorder,
	};

	if (!transport_open(&o, &d->transport, e) || !handover_ready(d->end.handover, e))
		return false;
	log_info("daemon.ready", "http://%s%s, answers by %s", transport_address(d->transport),
		 o.demo ? " (demo)" : "",
		 llm_can_answer(d->llm) ? "a model" : "rules (no model is configured)");
	return true;
}

/* Frees the parts in the opposite order of building; each may be missing when the start failed.
 * Closing the store's database ends its pending operations, so the store is not used after that. */
void daemon_free_parts(struct daemon *d)
{
	signal_watch_free(&d->end.term);
	signal_watch_free(&d->end.interrupt);
	signal_watch_free(&d->hangup);
	timer_free(&d->end.drain);
	handover_free(&d->end.handover);
	transport_close(&d->transport);
	maintenance_free(&d->maintenance);
	approved_free(&d->knowledge.approved);
	daemon_knowledge_free(d);
	turns_free(&d->turns);
	uploads_free(&d->knowledge.uploads); /* its searches have ended with the turns */
	pool_free(&d->tool_workers);
	switches_free(&d->switches);
	stream_hub_free(&d->streams);
	signin_free(&d->signin);
	identity_free(&d->identity);
	arena_free(&d->roles);
	pbi_free(&d->pbi);
	llm_free(&d->llm);
	recorder_close(&d->record.recorder);
	spending_stop(d->spending);
	db_close(&d->knowledge.loader);
	db_close(&d->store_db);
	store_free(&d->store);
	cache_free(&d->cache.store);
	databases_close_sources(&d->sources, 0);
	spending_free(&d->spending);
	budget_free(&d->budget);
	http_free(&d->http);
	loop_free(&d->loop);
	settings_free(&d->settings);
	arena_free(&d->arena);
	health_reset();
	metric_reset();
}
