/*
 * vesperd: reads the configuration, builds the parts from the bottom up, runs the loop, and takes
 * the parts down in the opposite order. Everything that a folder needs is handed to it here; no
 * folder reads configuration or environment itself.
 */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vesper/cache.h"
#include "vesper/catalog.h"
#include "vesper/clock.h"
#include "vesper/config.h"
#include "vesper/db.h"
#include "vesper/domain.h"
#include "vesper/health.h"
#include "vesper/http.h"
#include "vesper/identity.h"
#include "vesper/json.h"
#include "vesper/know.h"
#include "vesper/limits.h"
#include "vesper/llm.h"
#include "vesper/log.h"
#include "vesper/loop.h"
#include "vesper/mem.h"
#include "vesper/store.h"
#include "vesper/stream.h"
#include "vesper/tool.h"
#include "vesper/transport.h"
#include "vesper/turn.h"

extern char **environ;

#define TENANTS_MAX  256
#define STOP_WAIT_MS 10000 /* running turns are stored and sockets closed by then */
#define DEMO_SECRET  "vesper demo secret, never used outside demo mode"

struct daemon {
	struct config *config;
	struct arena *arena; /* options that live as long as the process */
	struct loop *loop;
	struct http *http;
	struct db *warehouse, *stored;
	struct cache *cache;
	struct store *store;
	struct llm *llm;
	struct identity *identity;
	struct stream_hub *streams;
	struct turns *turns;
	struct know_refresh *names;
	struct transport *transport;
	struct signal_watch *term, *interrupt, *hangup;
	struct timer *drain_timer;
	const char *root;
	const char *secret;
	const char **tenant_ids; /* NULL-ended */
	struct db_tenant *warehouse_tenants, *store_tenants;
	size_t tenant_count;
	size_t preparing; /* tenants whose store is still being migrated */
	bool stopping;
	struct err failure; /* why the start could not go on */
};

/* ---- options from configuration ---- */

static bool make_folder(const char *path, struct err *e)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST) {
		if (access(path, W_OK | X_OK) == 0)
			return true;
		return err_set(e, ERR_INPUT, "%s is not writable: set data_dir to a folder that is",
			       path);
	}
	return err_set(e, ERR_INPUT, "%s cannot be made: %s", path, strerror(errno));
}

/* Connections are opened by worker threads later: their files are named from the root. */
static const char *absolute(struct daemon *d, const char *path)
{
	char here[4096];

	if (*path == '/' || !getcwd(here, sizeof(here)))
		return path;
	return arena_printf(d->arena, "%s/%s", here, path);
}

static const char *tenant_file(struct daemon *d, const char *folder, const json_t *tenant,
			       const char *key, const char *id)
{
	const char *file = json_string_value(json_object_get(tenant, key));

	return arena_printf(d->arena, "%s/%s", folder,
			    file ? file : arena_printf(d->arena, "%s.db", id));
}

static bool read_tenants(struct daemon *d, struct err *e)
{
	const json_t *tenants = config_json(d->config, "tenants");
	const char *data = absolute(d, config_text(d->config, "data_dir"));
	const char *warehouse = config_text(d->config, "warehouse.dir");
	const char *store = arena_printf(d->arena, "%s/store", data);
	size_t n = json_object_size(tenants), i = 0;
	const char *id;
	json_t *tenant;

	if (n == 0 || n > TENANTS_MAX)
		return err_set(e, ERR_INPUT, "tenants: 1 to %d are wanted, %zu are given",
			       TENANTS_MAX, n);
	if (!make_folder(data, e) || !make_folder(store, e))
		return false;
	warehouse =
		*warehouse ? absolute(d, warehouse) : arena_printf(d->arena, "%s/warehouse", data);
	d->tenant_ids = arena_alloc(d->arena, sizeof(char *) * (n + 1));
	d->warehouse_tenants = arena_alloc(d->arena, sizeof(struct db_tenant) * n);
	d->store_tenants = arena_alloc(d->arena, sizeof(struct db_tenant) * n);
	json_object_foreach((json_t *)tenants, id, tenant) {
		d->tenant_ids[i] = id;
		d->warehouse_tenants[i] =
			(struct db_tenant){id, tenant_file(d, warehouse, tenant, "warehouse", id)};
		d->store_tenants[i++] =
			(struct db_tenant){id, tenant_file(d, store, tenant, "store", id)};
	}
	d->tenant_count = n;
	return true;
}

static bool open_database(struct daemon *d, const char *section, const struct db_tenant *tenants,
			  struct db **out, struct err *e)
{
	bool is_store = strcmp(section, "store") == 0;
	struct db_options o = {
		.name = section,
		.dsn = config_text(d->config, is_store ? "store.dsn" : "warehouse.dsn"),
		.read_only = !is_store,
		.create = is_store,
		.workers = (size_t)config_int(d->config,
					      is_store ? "store.workers" : "warehouse.workers"),
		.queue = (size_t)config_int(d->config, "warehouse.queue"),
		.max_rows = is_store ? DB_ROWS_MAX
				     : (size_t)config_int(d->config, "warehouse.max_rows"),
		.timeout_ms = config_int(d->config, "warehouse.query_timeout_ms"),
		.tenants = tenants,
		.tenant_count = d->tenant_count,
	};
	const char *dialect =
		config_text(d->config, is_store ? "store.dialect" : "warehouse.dialect");

	if (is_store)
		o.full_sync = strcasecmp(config_text(d->config, "store.synchronous"), "full") == 0;
	if (!dialect_parse(dialect, &o.dialect))
		return err_set(e, ERR_INPUT,
			       "%s.dialect: \"%s\" is none of mssql, postgres, sqlite", section,
			       dialect);
	return db_open(d->loop, &o, out, e);
}

static bool open_model(struct daemon *d, struct err *e)
{
	static const char *const roles[LLM_ROLE_COUNT] = {"route", "agent", "answer"};
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

	for (size_t i = 0; i < n; i++) {
		const json_t *p = json_array_get(list, i);

		if (!json_get_str(p, "name", &providers[i].name, e) ||
		    !json_get_str(p, "kind", &providers[i].kind, e) ||
		    !json_opt_str(p, "base_url", &providers[i].base_url, e) ||
		    !json_opt_str(p, "key", &providers[i].key, e) ||
		    !json_opt_str(p, "version", &providers[i].version, e))
			return err_prefix(e, "llm.providers[%zu]", i);
	}
	for (size_t i = 0; i < LLM_ROLE_COUNT; i++) {
		o.roles[i].model = config_text(
			d->config, arena_printf(d->arena, "llm.roles.%s.model", roles[i]));
		o.roles[i].max_tokens = config_int(
			d->config, arena_printf(d->arena, "llm.roles.%s.max_tokens", roles[i]));
	}
	return llm_new(d->loop, d->http, &o, &d->llm, e);
}

static bool choose_secret(struct daemon *d, struct err *e)
{
	bool demo = config_bool(d->config, "demo");

	d->secret = config_text(d->config, "auth.jwt_secret");
	if (!*d->secret && demo)
		d->secret = DEMO_SECRET;
	if (!*d->secret)
		return err_set(
			e, ERR_INPUT,
			"auth.jwt_secret is not set (VESPER_JWT_SECRET), and demo mode is off");
	if (!demo && strcmp(d->secret, DEMO_SECRET) == 0)
		return err_set(e, ERR_INPUT,
			       "auth.jwt_secret: the demo's secret is refused outside demo mode");
	if (!demo && strlen(d->secret) < 32)
		return err_set(e, ERR_INPUT,
			       "auth.jwt_secret: at least 32 bytes are wanted outside demo mode");
	return true;
}

static bool open_identity(struct daemon *d, struct err *e)
{
	struct jwt_options o = {
		.issuer = config_text(d->config, "auth.issuer"),
		.audience = config_text(d->config, "auth.audience"),
		.tenants = d->tenant_ids,
		.leeway_s = config_int(d->config, "auth.leeway_s"),
	};

	if (!choose_secret(d, e))
		return false;
	o.hs256_secret = d->secret;
	return identity_new(&o, &d->identity, e);
}

/* ---- the catalogue and what is made from it ---- */

static bool load_knowledge(struct daemon *d, struct turn_knowledge *out, struct err *e)
{
	struct turn_knowledge k = {0};
	struct toolbox_options o = {.loop = d->loop,
				    .warehouse = d->warehouse,
				    .cache = d->cache,
				    .modules = domain_modules};

	if (!catalog_load(d->root, &k.catalog, e))
		return false;
	k.know = know_new(k.catalog);
	o.catalog = k.catalog;
	o.know = k.know;
	if (!toolbox_new(&o, &k.tools, e)) {
		know_free(&k.know);
		catalog_unref(&k.catalog);
		return false;
	}
	*out = k;
	return true;
}

static void on_hangup(void *owner, int signum)
{
	struct daemon *d = owner;
	struct turn_knowledge k;
	struct err e = {0};

	(void)signum;
	if (!load_knowledge(d, &k, &e)) {
		log_error("catalog.refused", "the old one keeps serving: %s", e.text);
		return;
	}
	log_info("catalog.loaded", "%zu tools, %.12s", k.catalog->tool_count, k.catalog->hash);
	know_refresh_use(d->names, k.know);
	turns_use(d->turns, &k);
}

/* ---- stopping ---- */

static void on_transport_drained(void *owner)
{
	struct daemon *d = owner;

	loop_stop(d->loop);
}

static void on_turns_drained(void *owner)
{
	struct daemon *d = owner;

	if (!d->stopping)
		return;
	transport_drain(d->transport, on_transport_drained, d);
}

static void on_drain_too_slow(void *owner)
{
	struct daemon *d = owner;

	log_warn("daemon.stop", "gave up waiting after %d ms", STOP_WAIT_MS);
	loop_stop(d->loop);
}

/* The first signal drains; a second one ends at once. */
static void on_stop_signal(void *owner, int signum)
{
	struct daemon *d = owner;

	if (!d->transport) {
		loop_stop(d->loop); /* nothing was served yet */
		return;
	}
	if (d->stopping) {
		log_warn("daemon.stop", "second signal %d: ending at once", signum);
		_exit(1);
	}
	d->stopping = true;
	log_info("daemon.stop", "draining %zu turns", turns_running(d->turns));
	health_draining(true);
	timer_start(d->drain_timer, STOP_WAIT_MS);
	turns_drain(d->turns, on_turns_drained, d);
}

/* ---- starting ---- */

static bool listen_now(struct daemon *d, struct err *e)
{
	const json_t *list = config_json(d->config, "auth.origins");
	const char **origins = arena_alloc(d->arena, sizeof(char *) * (json_array_size(list) + 1));
	struct transport_options o = {
		.loop = d->loop,
		.listen = config_text(d->config, "listen"),
		.admin_listen = config_text(d->config, "admin_listen"),
		.origins = origins,
		.allow_query_token = config_bool(d->config, "auth.allow_query_token"),
		.first_frame_always =
			strcmp(config_text(d->config, "auth.first_frame"), "always") == 0,
		.echo = config_bool(d->config, "ws.echo"),
		.demo = config_bool(d->config, "demo"),
		.demo_secret = d->secret,
		.identity = d->identity,
		.streams = d->streams,
		.store = d->store,
		.turns = d->turns,
	};

	for (size_t i = 0; i < json_array_size(list); i++)
		origins[i] = json_string_value(json_array_get(list, i));
	if (!transport_open(&o, &d->transport, e))
		return false;
	log_info("daemon.ready", "http://%s%s, answers by %s", transport_address(d->transport),
		 o.demo ? " (demo)" : "", d->llm ? "a model" : "rules (no model is configured)");
	return true;
}

/* The start can't go on: the loop ends, and serve says why. */
static void give_up(struct daemon *d, const struct err *e)
{
	if (d->failure.code == ERR_NONE)
		d->failure = *e;
	loop_stop(d->loop);
}

/* One tenant's store is ready, or is not; the port opens when all of them are. */
static void on_prepared(void *owner, const struct err *e)
{
	struct daemon *d = owner;
	struct err problem = {0};

	if (e)
		give_up(d, e);
	if (--d->preparing > 0 || d->failure.code != ERR_NONE || d->stopping)
		return;
	if (!listen_now(d, &problem))
		give_up(d, &problem);
}

struct prepare_tenant {
	struct daemon *daemon;
	const char *tenant;
	const char *file;
};

static void on_migrated(void *owner, const struct err *e)
{
	struct prepare_tenant *p = owner;

	if (e) {
		struct err named = *e;

		err_prefix(&named, "%s", p->file);
		on_prepared(p->daemon, &named);
	} else {
		store_close_orphans(p->daemon->store, p->tenant, on_prepared, p->daemon);
	}
}

/* Each tenant's store is brought to the newest schema; turns that a killed process left open are
 * closed. */
static void prepare_stores(struct daemon *d)
{
	d->preparing = d->tenant_count;
	for (size_t i = 0; i < d->tenant_count; i++) {
		struct prepare_tenant *p = arena_alloc(d->arena, sizeof(*p));

		*p = (struct prepare_tenant){d, d->tenant_ids[i], d->store_tenants[i].file};
		store_migrate(d->store, p->tenant, on_migrated, p);
	}
}

static bool build(struct daemon *d, struct err *e)
{
	struct turn_knowledge k;
	struct turns_options turns = {0};

	if (!read_tenants(d, e) || !loop_new(&d->loop, e) || !http_new(d->loop, &d->http, e) ||
	    !open_database(d, "warehouse", d->warehouse_tenants, &d->warehouse, e) ||
	    !open_database(d, "store", d->store_tenants, &d->stored, e) ||
	    !store_new(d->loop, d->stored, d->root, &d->store, e) || !open_model(d, e) ||
	    !open_identity(d, e))
		return false;
	d->cache = cache_memory_new(d->loop);
	if (!load_knowledge(d, &k, e))
		return false;
	d->streams = stream_hub_new(d->loop);
	turns = (struct turns_options){
		.loop = d->loop,
		.streams = d->streams,
		.store = d->store,
		.llm = d->llm,
		.deadline_ms = config_int(d->config, "llm.timeouts_ms.turn"),
		.grace_ms = config_int(d->config, "limits.grace_s") * 1000,
	};
	if (!guard_policy_parse(config_text(d->config, "checks.numbers"), &turns.numbers))
		return err_set(e, ERR_INPUT, "checks.numbers: must be flag or withhold");
	d->turns = turns_new(&turns);
	turns_use(d->turns, &k);
	return true;
}

static void start(struct daemon *d)
{
	d->drain_timer = timer_new(d->loop, on_drain_too_slow, d);
	d->term = signal_watch_new(d->loop, SIGTERM, on_stop_signal, d);
	d->interrupt = signal_watch_new(d->loop, SIGINT, on_stop_signal, d);
	d->hangup = signal_watch_new(d->loop, SIGHUP, on_hangup, d);
	db_watch(d->warehouse);
	db_watch(d->stored);
	d->names = know_refresh_new(d->loop, d->warehouse, d->tenant_ids);
	know_refresh_use(d->names, turns_knowledge(d->turns)->know);
	prepare_stores(d);
}

/* In the opposite order of build; each part may be missing when the start failed. */
static void take_down(struct daemon *d)
{
	signal_watch_free(&d->term);
	signal_watch_free(&d->interrupt);
	signal_watch_free(&d->hangup);
	timer_free(&d->drain_timer);
	transport_close(&d->transport);
	know_refresh_free(&d->names);
	turns_free(&d->turns);
	stream_hub_free(&d->streams);
	identity_free(&d->identity);
	llm_free(&d->llm);
	store_free(&d->store);
	cache_free(&d->cache);
	db_close(&d->stored);
	db_close(&d->warehouse);
	http_free(&d->http);
	loop_free(&d->loop);
	arena_free(&d->arena);
	health_reset();
}

/* ---- the command line ---- */

static int print_turn(void)
{
	struct buf b;

	buf_init(&b, 65536);
	turn_print(&b);
	fputs(buf_text(&b), stdout);
	buf_deinit(&b);
	return 0;
}

static int print_config(const struct config *c)
{
	json_t *json = config_print(c);

	json_dumpf(json, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(json);
	return 0;
}

/* ---- --check ---- */

struct checking {
	struct daemon *daemon;
	size_t left; /* tenants */
	int problems;
};

static void on_problem(void *owner, const char *text)
{
	struct checking *c = owner;

	c->problems++;
	fprintf(stderr, "vesperd: %s\n", text);
}

static void on_tenant_checked(void *owner)
{
	struct checking *c = owner;

	if (--c->left == 0)
		loop_stop(c->daemon->loop);
}

/* Loads everything that a start would load, holds it against the live schema of each tenant, and
 * says what is wrong, or what is there. */
static int check(struct daemon *d)
{
	struct checking c = {.daemon = d};
	struct turn_knowledge k;
	struct err e = {0};

	if (!build(d, &e)) {
		fprintf(stderr, "vesperd: %s\n", e.text);
		return 1;
	}
	k = *turns_knowledge(d->turns);
	c.left = d->tenant_count;
	for (size_t i = 0; i < d->tenant_count; i++)
		toolbox_check(k.tools, d->tenant_ids[i], on_problem, on_tenant_checked, &c);
	loop_run(d->loop);
	if (c.problems > 0) {
		fprintf(stderr, "vesperd: %d problems\n", c.problems);
		return 1;
	}
	printf("ok: %zu domains, %zu tools, %zu dimensions, %zu reports, %zu tenants, catalogue "
	       "%.12s\n",
	       k.catalog->domain_count, k.catalog->tool_count, k.catalog->dimension_count,
	       k.catalog->report_count, d->tenant_count, k.catalog->hash);
	return 0;
}

static int serve(struct daemon *d)
{
	if (build(d, &d->failure)) {
		start(d);
		loop_run(d->loop);
	}
	if (d->failure.code != ERR_NONE) {
		fprintf(stderr, "vesperd: %s\n", d->failure.text);
		return 1;
	}
	log_info("daemon.stop", "bye");
	return 0;
}

/* What VESPER_CONFIG names, or the file beside the catalogue. */
static const char *config_path(struct daemon *d)
{
	const char *path = getenv("VESPER_CONFIG"), *root = getenv("VESPER_ROOT");

	if (path && *path)
		return path;
	return arena_printf(d->arena, "%s/config/vesper.json", root && *root ? root : VESPER_ROOT);
}

static bool setup(struct daemon *d, struct err *e)
{
	const char *today;
	enum log_format format = LOG_AUTO;
	enum log_level level = LOG_INFO;
	struct date date;

	d->arena = arena_new(16 << 20);
	if (!config_load(config_path(d), environ, &d->config, e))
		return false;
	if (!log_level_parse(config_text(d->config, "log.level"), &level))
		return err_set(e, ERR_INPUT, "log.level: debug, info, warn or error");
	if (strcmp(config_text(d->config, "log.format"), "json") == 0)
		format = LOG_JSON;
	else if (strcmp(config_text(d->config, "log.format"), "text") == 0)
		format = LOG_TEXT;
	log_setup(level, format);
	today = config_text(d->config, "today");
	if (*today && !date_parse_iso(today, &date))
		return err_set(e, ERR_INPUT, "VESPER_TODAY: \"%s\" is not a date like 2026-02-27",
			       today);
	if (*today)
		clock_freeze_today(date);
	d->root = config_text(d->config, "root");
	if (!*d->root)
		d->root = VESPER_ROOT;
	return true;
}

int main(int argc, char **argv)
{
	struct daemon d = {0};
	struct err e = {0};
	const char *verb = argc > 1 ? argv[1] : "";
	int status = 2;

	if (strcmp(verb, "--version") == 0) {
		puts("vesperd " VESPER_VERSION);
		return 0;
	}
	if (strcmp(verb, "--print-turn") == 0)
		return print_turn();
	if (argc > 2 ||
	    (*verb && strcmp(verb, "--check") != 0 && strcmp(verb, "--print-config") != 0)) {
		fputs("usage: vesperd [--check | --print-turn | --print-config | --version]\n",
		      stderr);
		return 2;
	}
	if (!setup(&d, &e)) {
		fprintf(stderr, "vesperd: %s\n", e.text);
		status = 1;
	} else if (strcmp(verb, "--print-config") == 0) {
		status = print_config(d.config);
	} else if (strcmp(verb, "--check") == 0) {
		status = check(&d);
	} else {
		status = serve(&d);
	}
	take_down(&d);
	config_free(&d.config);
	return status;
}
