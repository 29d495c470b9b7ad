/*
 * Every key that exists, on one screen: its type, default, bounds and meaning. The loader, the
 * environment and --print-config know keys only through this table.
 */
#include "config_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"

#define TEXT(name, initial, choices, about)                                                        \
	{                                                                                          \
		name, KEY_TEXT, initial, 0, 0, choices, false, about                               \
	}
#define SECRET(name, about)                                                                        \
	{                                                                                          \
		name, KEY_TEXT, "\"\"", 0, 0, NULL, true, about                                    \
	}
#define INT(name, initial, min, max, about)                                                        \
	{                                                                                          \
		name, KEY_INT, #initial, min, max, NULL, false, about                              \
	}
#define BOOL(name, about)                                                                          \
	{                                                                                          \
		name, KEY_BOOL, "false", 0, 0, NULL, false, about                                  \
	}
#define OTHER(name, type, initial, about)                                                          \
	{                                                                                          \
		name, type, initial, 0, 0, NULL, false, about                                      \
	}

#define DAYS       "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
#define EFFORTS    "|low|medium|high|xhigh|max"
#define THINKING   "|adaptive|off"
#define TOKENS_MAX 128000

/* clang-format off */
const struct config_key config_keys[] = {
TEXT ("listen", "\"127.0.0.1:8080\"", NULL,                      "address and port for everybody"),
TEXT ("admin_listen", "\"\"", NULL,                              "address and port for probes and metrics; none when empty"),
OTHER("trusted_proxies", KEY_LIST, "[]",                         "addresses and ranges of proxies whose X-Forwarded-For or Forwarded is believed"),
TEXT ("data_dir", "\"data\"", NULL,                              "where the chat store lives"),
TEXT ("root", "\"\"", NULL,                                      "where config, prompts and sql are; the build's own when empty"),
BOOL ("demo",                                                    "demo sign-in, demo secret, the page's demo users"),
BOOL ("demo_public",                                             "the demo may listen on addresses that others reach"),
OTHER("today", KEY_DATE, "\"\"",                                 "freezes the date"),
OTHER("tenants", KEY_TENANTS,
      "{\"vesper\":{\"warehouse\":\"vesper.db\",\"store\":\"vesper.db\"},"
       "\"acme\":{\"warehouse\":\"acme.db\",\"store\":\"acme.db\"}}", "the tenants that exist: SQLite files, packs beside core, files of further sources, and timezone where it differs"),
OTHER("packs.roots", KEY_LIST, "[]",                             "further folders with packs: config/packs.json, config, prompts and sql of their own"),
BOOL ("ws.echo",                                                 "serve /ws/echo"),

OTHER("auth.algorithms", KEY_LIST, "[]",                         "RS256, HS256; empty: RS256 with auth.jwks_url, else HS256"),
SECRET("auth.jwt_secret",                                        "HS256 key, at least 32 bytes outside demo mode"),
TEXT ("auth.jwks_url", "\"\"", NULL,                             "RS256 keys: the set, or an OpenID configuration; https or file"),
INT  ("auth.jwks_refresh_s", 3600, 1, 86400,                     "keys are asked for that often"),
TEXT ("auth.issuer", "\"\"", NULL,                               "required iss, {tenantid} is the token's tid; must be set with RS256"),
TEXT ("auth.audience", "\"\"", NULL,                             "required aud; must be set with RS256"),
TEXT ("auth.tenant_claim", "\"tenant_id\"", NULL,                "claim that names the tenant (Entra ID: tid)"),
TEXT ("auth.user_claim", "\"sub\"", NULL,                        "claim that is the user's id (Entra ID: oid)"),
OTHER("auth.tenants", KEY_LIST, "[]",                            "tenants that may sign in; all of tenants when empty"),
OTHER("auth.role_map", KEY_MAP, "{}",                            "app role in the token -> role of config/permissions.json"),
TEXT ("auth.scope", "\"\"", NULL,                                "scope that a user's token must have in scp; empty: not checked"),
OTHER("auth.clients", KEY_LIST, "[]",                            "applications (azp, appid) that tokens may come from; any when empty"),
INT  ("auth.leeway_s", 60, 0, 300,                               "clocks may differ that much"),
BOOL ("auth.allow_query_token",                                  "accept ?token= on the socket"),
SECRET("auth.cursor_secret",                                     "seals the cursors of lists and what lies in Redis; random when empty"),
TEXT ("auth.first_frame", "\"browser\"", "browser|always",       "who may authenticate by the first frame"),
OTHER("auth.origins", KEY_LIST, "[]",                            "foreign origins that may open sockets"),

TEXT ("warehouse.dialect", "\"sqlite\"", CONFIG_DIALECTS,             "SQL dialect of the warehouse"),
SECRET("warehouse.dsn",                                          "ODBC connection string"),
TEXT ("warehouse.dir", "\"\"", NULL,                             "folder of the tenants' SQLite files; data_dir/warehouse when empty"),
INT  ("warehouse.workers", 4, 1, DB_WORKERS_MAX,                 "threads, one connection each"),
INT  ("warehouse.max_rows", 500, 1, DB_ROWS_MAX,                 "rows of one result"),
INT  ("warehouse.query_timeout_ms", 10000, 10, CONFIG_WAIT_MS_MAX,      "then the statement is cancelled on the server"),
INT  ("warehouse.queue", 2000, 1, DB_QUEUE_MAX,                  "waiting queries"),
OTHER("sources", KEY_SOURCES, "{}",                              "further databases by name: {dialect, dsn, dir, workers, queue, max_rows, query_timeout_ms, only_tenant}"),
TEXT ("store.dialect", "\"sqlite\"", CONFIG_DIALECTS,                 "SQL dialect of the chat store"),
SECRET("store.dsn",                                              "ODBC connection string"),
TEXT ("store.synchronous", "\"normal\"", "normal|full",          "full: durable against power loss too"),
INT  ("store.workers", 2, 1, DB_WORKERS_MAX,                     "threads, one connection each"),
INT  ("store.query_timeout_ms", 10000, 10, CONFIG_WAIT_MS_MAX,   "then the statement is cancelled on the server"),
INT  ("store.queue", 2000, 1, DB_QUEUE_MAX,                      "waiting queries"),

SECRET("redis.url",                                              "redis://[user:password@]host:port/db; the cache is in memory when empty"),
INT  ("redis.timeout_ms", 100, 1, REDIS_PATIENCE_MS,             "waiting for it in all, then it is left alone for a while"),

TEXT ("pbi.tenant_id", "\"\"", NULL,                             "Power BI: the directory of the service principal; reports only link when empty"),
TEXT ("pbi.client_id", "\"\"", NULL,                             "its application"),
SECRET("pbi.client_secret",                                      "its secret"),
OTHER("pbi.reports", KEY_MAP, "{}",                              "menu key of config/energy/reports.json -> workspace id/report id"),
TEXT ("pbi.identity", "\"none\"", "none|user|tenant",            "as whom a report's row-level security knows the caller"),
OTHER("pbi.roles", KEY_MAP, "{}",                                "permission -> role of that security"),
TEXT ("pbi.login_url", "\"https://login.microsoftonline.com\"", NULL, "another cloud's sign-in"),
TEXT ("pbi.api_url", "\"https://api.powerbi.com\"", NULL,        "another cloud's interface"),
TEXT ("pbi.scope", "\"https://analysis.windows.net/powerbi/api/.default\"", NULL, "another cloud's name of that interface"),
OTHER("pbi.hosts", KEY_LIST, "[\"app.powerbi.com\"]",             "hosts that reports are shown from; all others are refused"),

TEXT ("http.ca_file", "\"\"", NULL,                              "certificates (PEM) that outgoing TLS trusts; the system's when empty"),
OTHER("llm.providers", KEY_PROVIDERS, "[]",                      "models, in order of preference; none: rules"),
TEXT ("llm.roles.route.provider", "\"\"", NULL,                 "providers asked first, comma-separated; then the others in their order"),
TEXT ("llm.roles.route.model", "\"\"", NULL,                   "model that routes; the provider's own when empty"),
INT  ("llm.roles.route.max_tokens", 0, 0, TOKENS_MAX,          "0: the program's own limit"),
TEXT ("llm.roles.route.effort", "\"\"", EFFORTS,               "the model's own when empty"),
TEXT ("llm.roles.route.thinking", "\"\"", THINKING,            "the model's own when empty; off: as far as the model allows"),
TEXT ("llm.roles.answer.provider", "\"\"", NULL,                 "providers asked first, comma-separated; then the others in their order"),
TEXT ("llm.roles.answer.model", "\"\"", NULL,                   "model that writes the answer; the provider's own when empty"),
INT  ("llm.roles.answer.max_tokens", 0, 0, TOKENS_MAX,          "0: the program's own limit"),
TEXT ("llm.roles.answer.effort", "\"\"", EFFORTS,               "the model's own when empty"),
TEXT ("llm.roles.answer.thinking", "\"\"", THINKING,            "the model's own when empty; off: as far as the model allows"),
TEXT ("llm.roles.agent.provider", "\"\"", NULL,                 "providers asked first, comma-separated; then the others in their order"),
TEXT ("llm.roles.agent.model", "\"\"", NULL,                   "model that runs the agents' loop; the provider's own when empty"),
INT  ("llm.roles.agent.max_tokens", 0, 0, TOKENS_MAX,          "0: the program's own limit"),
TEXT ("llm.roles.agent.effort", "\"\"", EFFORTS,               "the model's own when empty"),
TEXT ("llm.roles.agent.thinking", "\"\"", THINKING,            "the model's own when empty; off: as far as the model allows"),
OTHER("llm.prices", KEY_PRICES, "{}",                            "dollars a million tokens, by model or how its name begins"),
OTHER("llm.budgets", KEY_BUDGETS, "[]",                          "what may be spent on models, by user, tenant or role"),
INT  ("llm.prompt_tokens", 16000, PROMPT_TOKENS_LEAST, TOKENS_MAX, "what one call is told about data; less for models of a small context"),
INT  ("llm.timeouts_ms.connect", 5000, 10, CONFIG_WAIT_MS_MAX,          "connection and TLS"),
INT  ("llm.timeouts_ms.first_byte", 30000, 10, CONFIG_WAIT_MS_MAX,      "until the answer begins"),
INT  ("llm.timeouts_ms.idle", 30000, 10, CONFIG_WAIT_MS_MAX,            "silence inside an answer"),
INT  ("llm.timeouts_ms.turn", 120000, 100, CONFIG_WAIT_MS_MAX,          "a whole turn"),
INT  ("llm.breaker.failures", 5, 1, 1000,                        "in a row, then the provider is left alone"),
INT  ("llm.breaker.probe_s", 30, 1, 3600,                        "until one call is let through again"),

TEXT ("calendar.timezone", "\"UTC\"", NULL,                      "where today is, as America/Chicago; a tenant may have its own"),
INT  ("calendar.fiscal_start_month", 1, 1, 12,                   "FY26 ends in 2026"),
TEXT ("calendar.week_start", "\"monday\"", DAYS,                 "first day of last week"),

INT  ("names.refresh_s", 60, 1, 86400,                           "names in the data are compared with those known that often"),

TEXT ("checks.numbers", "\"flag\"", "flag|rewrite|withhold",     "a number that the data does not support: shown and marked, its sentence asked for once more, or left out"),
TEXT ("checks.guardrails", "\"code\"", "code|model",             "model: what code can't place is also shown to a model, which may refuse it"),
OTHER("checks.link_hosts", KEY_LIST, "[]",                       "hosts that answers may link to, beside those of the reports"),
BOOL ("checks.hide_existence",                                   "what somebody may not see is answered like what does not exist"),
INT  ("limits.user_per_minute", 600, 0, 1000000,                 "requests and questions of one user; 0: no limit"),
INT  ("limits.tenant_per_minute", 12000, 0, 10000000,            "of all users of a tenant together; 0: no limit"),
INT  ("limits.connections_per_address", 256, 0, CONNECTIONS_MAX, "connections without a user of one address: the quietest is ended for the next; 0: no limit"),
INT  ("limits.connections_per_user", 256, 0, CONNECTIONS_MAX,    "sockets and running requests of one user; 0: no limit"),
INT  ("limits.connections_per_tenant", 0, 0, CONNECTIONS_MAX,    "of all users of a tenant together; 0: half of what there is room for, where there are several tenants"),
TEXT ("limits.busy", "\"reject\"", "reject|queue|interrupt",     "a question while an answer is being written: refused, answered next, or instead"),
INT  ("retention.messages_days", 0, 0, 36500,                    "older messages, summaries and sessions are deleted; 0: kept"),
INT  ("retention.receipts_days", 0, 0, 36500,                    "the content of older receipts is deleted, their hashes stay; 0: kept"),
INT  ("retention.audit_days", 0, 0, 36500,                       "older entries of the audit log are deleted; 0: kept"),
INT  ("limits.grace_s", 30, 0, 3600,                             "a turn nobody watches runs on that long"),
TEXT ("log.level", "\"info\"", "debug|info|warn|error",          "the least that is logged"),
TEXT ("log.format", "\"auto\"", "auto|json|text",                "auto: text on a terminal"),
};
/* clang-format on */

const size_t config_key_count = sizeof(config_keys) / sizeof(config_keys[0]);

#define NEAR_EDITS_MAX 3

int config_key_find(const char *name, size_t len)
{
	for (size_t i = 0; i < config_key_count; i++)
		if (strlen(config_keys[i].name) == len &&
		    memcmp(config_keys[i].name, name, len) == 0)
			return (int)i;
	return -1;
}

const char *config_key_nearest(const char *name)
{
	const char *nearest = NULL;
	size_t fewest = NEAR_EDITS_MAX + 1;
	for (size_t i = 0; i < config_key_count; i++) {
		size_t edits = str_edits(str_of(name), str_of(config_keys[i].name));
		if (edits < fewest) {
			fewest = edits;
			nearest = config_keys[i].name;
		}
	}
	return nearest;
}
