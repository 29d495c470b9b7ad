/*
 * The table of all keys: when a change takes effect, type, default, bounds and meaning. The loader,
 * the environment, a reload and --print-keys use only this table.
 */
#include "config_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"

#define TEXT(name, when, default_json, choices, about)                                             \
	{                                                                                          \
		name, CONFIG_##when, KEY_TEXT, default_json, 0, 0, choices, false, about           \
	}
#define SECRET(name, when, about)                                                                  \
	{                                                                                          \
		name, CONFIG_##when, KEY_TEXT, "\"\"", 0, 0, NULL, true, about                     \
	}
#define INT(name, when, default_json, min, max, about)                                             \
	{                                                                                          \
		name, CONFIG_##when, KEY_INT, #default_json, min, max, NULL, false, about          \
	}
#define BOOL(name, when, about)                                                                    \
	{                                                                                          \
		name, CONFIG_##when, KEY_BOOL, "false", 0, 0, NULL, false, about                   \
	}
#define OTHER(name, when, type, default_json, about)                                               \
	{                                                                                          \
		name, CONFIG_##when, type, default_json, 0, 0, NULL, false, about                  \
	}

#define DAYS       "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
#define EFFORTS    "|low|medium|high|xhigh|max"
#define THINKING   "|adaptive|off"
#define TOKENS_MAX 128000

/* clang-format off */
const struct config_key config_keys[] = {
TEXT ("listen", RESTART, "\"127.0.0.1:8080\"", NULL,                      "address and port for users"),
TEXT ("admin_listen", RESTART, "\"\"", NULL,                              "address and port for probes and metrics; none when empty"),
OTHER("trusted_proxies", RESTART, KEY_LIST, "[]",                         "addresses and ranges of proxies whose X-Forwarded-For or Forwarded headers are trusted"),
TEXT ("data_dir", RESTART, "\"data\"", NULL,                              "folder of the chat store and other data"),
TEXT ("root", RESTART, "\"\"", NULL,                                      "folder of config, prompts and sql; the folder of the build when empty"),
BOOL ("handover", RESTART,                                                "vesperd --take-over receives the listening sockets through data_dir/handover.sock"),
BOOL ("demo", RESTART,                                                    "demo sign-in, demo secret, the page's demo users"),
BOOL ("demo_public", RESTART,                                             "the demo may listen on addresses that other machines can reach"),
OTHER("today", RESTART, KEY_DATE, "\"\"",                                 "freezes the date; with a time (2026-02-27T12:00, or T12:00-07:00) also the time of questions"),
OTHER("tenants", PARTLY, KEY_TENANTS,
      "{\"vesper\":{\"warehouse\":\"vesper.db\",\"store\":\"vesper.db\"},"
       "\"acme\":{\"warehouse\":\"acme.db\",\"store\":\"acme.db\"}}", "the tenants: SQLite files, packs in addition to core, files of further sources, and timezone if it differs"),
OTHER("packs.roots", LIVE, KEY_LIST, "[]",                             "further folders with packs, each with config/packs.json, config, prompts and sql"),
OTHER("dialects", LIVE, KEY_LIST, "[\"ai\",\"agui\",\"openai\",\"mcp\"]", "wire formats served to other clients; the addresses of all others return 404"),
OTHER("api.aliases", LIVE, KEY_BOOL, "true",                              "serve /api/tools and /api/health in addition to the versioned addresses"),
BOOL ("ws.echo", RESTART,                                                 "serve /ws/echo"),

OTHER("auth.algorithms", RESTART, KEY_LIST, "[]",                         "RS256, HS256; empty: RS256 with auth.jwks_url, else HS256"),
SECRET("auth.jwt_secret", LIVE,                                        "HS256 key, at least 32 bytes outside demo mode"),
TEXT ("auth.jwks_url", LIVE, "\"\"", NULL,                             "RS256 keys: a key set or an OpenID configuration; https or file"),
INT  ("auth.jwks_refresh_s", LIVE, 3600, 1, 86400,                     "how often the keys are fetched"),
TEXT ("auth.issuer", LIVE, "\"\"", NULL,                               "required iss; {tenantid} stands for the token's tid; must be set with RS256"),
TEXT ("auth.audience", LIVE, "\"\"", NULL,                             "required aud; must be set with RS256"),
TEXT ("auth.tenant_claim", LIVE, "\"tenant_id\"", NULL,                "claim that names the tenant (Entra ID: tid)"),
TEXT ("auth.user_claim", LIVE, "\"sub\"", NULL,                        "claim that is the user's id (Entra ID: oid)"),
OTHER("auth.tenants", LIVE, KEY_LIST, "[]",                            "tenants that may sign in; all tenants when empty"),
OTHER("auth.role_map", LIVE, KEY_MAP, "{}",                            "app role in the token -> role of config/permissions.json"),
TEXT ("auth.scope", LIVE, "\"\"", NULL,                                "scope that a user's token must have in scp; empty: not checked"),
OTHER("auth.clients", LIVE, KEY_LIST, "[]",                            "applications (azp, appid) whose tokens are accepted; any when empty"),
INT  ("auth.leeway_s", LIVE, 60, 0, 300,                               "allowed clock difference"),
OTHER("auth.personal_tokens", LIVE, KEY_BOOL, "true",                     "users may create personal access tokens, for clients that cannot renew their sign-in"),
BOOL ("auth.allow_query_token", LIVE,                                  "accept ?token= on WebSockets"),
SECRET("auth.cursor_secret", RESTART,                                     "protects list cursors and the data in Redis; random when empty"),
TEXT ("auth.first_frame", LIVE, "\"browser\"", "browser|always",       "clients that may authenticate with the first frame"),
OTHER("auth.origins", LIVE, KEY_ORIGINS, "[]",                         "other origins that may open WebSockets and read answers: https://host[:port], compared exactly"),

TEXT ("server.public_url", RESTART, "\"\"", NULL,                      "URL of this daemon for browsers, https://vesper.example.com; needed for sign-in, and for /mcp clients to find the token issuer"),
TEXT ("signin.client_id", RESTART, "\"\"", NULL,                       "the page's application at the identity provider; the page is served if this is set, or in a demo"),
SECRET("signin.client_secret", RESTART,                                "secret of signin.client_id; empty: a public client"),
OTHER("signin.scopes", RESTART, KEY_LIST, "[\"openid\",\"profile\",\"offline_access\"]", "scopes that the page requests; include the scope of the API for an access token"),
OTHER("signin.parameters", RESTART, KEY_MAP, "{}",                     "further parameters of the authorization request (prompt, resource, access_type, ...)"),
TEXT ("signin.bearer", RESTART, "\"access_token\"", "access_token|id_token", "the token that the page sends; id_token if access tokens are not JWTs"),
INT  ("signin.session_h", RESTART, 12, 1, 720,                         "hours until a session ends after signing in"),

TEXT ("warehouse.dialect", RESTART, "\"sqlite\"", CONFIG_DIALECTS,             "SQL dialect of the warehouse"),
SECRET("warehouse.dsn", RESTART,                                          "ODBC connection string"),
TEXT ("warehouse.dir", RESTART, "\"\"", NULL,                             "folder of the tenants' SQLite files; data_dir/warehouse when empty"),
INT  ("warehouse.workers", RESTART, 4, 1, DB_WORKERS_MAX,                 "threads, one connection each"),
INT  ("warehouse.max_rows", RESTART, 500, 1, DB_ROWS_MAX,                 "rows of one result"),
INT  ("warehouse.query_timeout_ms", RESTART, 10000, 10, CONFIG_WAIT_MS_MAX,      "time limit of a statement, which is then cancelled on the server"),
INT  ("warehouse.queue", RESTART, 16000, 1, DB_QUEUE_MAX,                  "waiting queries"),
OTHER("sources", PARTLY, KEY_SOURCES, "{}",                              "further databases by name: {dialect, dsn, dir, workers, queue, max_rows, query_timeout_ms, only_tenant}"),
SECRET("uploads.loader_dsn", RESTART,                                     "ODBC connection string of the login that writes uploads, if sources.uploads is a server"),
TEXT ("uploads.spool_dir", RESTART, "\"\"", NULL,                         "folder of files that are being loaded; data_dir/spool when empty"),
INT  ("embed.least_percent", RESTART, 60, 1, 100, "minimum cosine, in hundredths, at which a passage is found that shares too few words with the question; depends on the model"),
INT  ("embed.max_bytes", RESTART, 268435456, 1048576, 8589934592, "memory for vectors of documents, in addition to documents.index_bytes"),
INT  ("documents.index_bytes", RESTART, 134217728, 1048576, 8589934592, "memory for searching documents; indexes beyond it are rebuilt from the tables when needed"),
INT  ("uploads.retention_days", RESTART, 0, 0, 36500,                     "data sources and documents unchanged for this long are deleted; 0: never"),
INT  ("uploads.max_bytes", RESTART, 104857600, 1, DATA_SOURCE_BYTES_MAX, "maximum size of an uploaded file"),
INT  ("uploads.tenant_bytes", RESTART, 1073741824, 1, DATA_SOURCE_TENANT_BYTES, "maximum size of all files of a tenant that are in use; a file being uploaded counts when it is complete"),
TEXT ("store.dialect", RESTART, "\"sqlite\"", CONFIG_DIALECTS,                 "SQL dialect of the chat store"),
SECRET("store.dsn", RESTART,                                              "ODBC connection string"),
TEXT ("store.synchronous", RESTART, "\"normal\"", "normal|full",          "full: durable even after a power loss"),
INT  ("store.workers", RESTART, 2, 1, DB_WORKERS_MAX,                     "threads, one connection each"),
INT  ("store.query_timeout_ms", RESTART, 10000, 10, CONFIG_WAIT_MS_MAX,   "time limit of a statement, which is then cancelled on the server"),
INT  ("store.queue", RESTART, 16000, 1, DB_QUEUE_MAX,                      "waiting queries"),

SECRET("redis.url", RESTART,                                              "redis://[user:password@]host:port/db; the cache is in memory when empty"),
INT  ("redis.timeout_ms", RESTART, 100, 1, REDIS_WAIT_BUDGET_MAX_MS,         "wait budget for Redis; when it is used up, Redis is skipped for a while"),
TEXT ("cluster.replica", RESTART, "\"\"", NULL,                         "name of this replica, if several share redis.url and the store; empty: a single process"),
INT  ("cluster.lease_ms", RESTART, 3000, 1000, 30000,                     "a replica without heartbeats for this long counts as dead, and others take over its turns"),

TEXT ("pbi.tenant_id", LIVE, "\"\"", NULL,                             "Power BI: the directory of the service principal; reports are only linked when empty"),
TEXT ("pbi.client_id", LIVE, "\"\"", NULL,                             "application of the service principal"),
SECRET("pbi.client_secret", LIVE,                                      "secret of the service principal"),
OTHER("pbi.reports", LIVE, KEY_MAP, "{}",                              "menu key of config/<pack>/reports.json -> workspace id/report id"),
TEXT ("pbi.identity", LIVE, "\"none\"", "none|user|tenant",            "identity of the caller for a report's row-level security"),
OTHER("pbi.roles", LIVE, KEY_MAP, "{}",                                "permission -> role for row-level security"),
TEXT ("pbi.login_url", LIVE, "\"https://login.microsoftonline.com\"", NULL, "sign-in URL; differs in national clouds"),
TEXT ("pbi.api_url", LIVE, "\"https://api.powerbi.com\"", NULL,        "API URL; differs in national clouds"),
TEXT ("pbi.scope", LIVE, "\"https://analysis.windows.net/powerbi/api/.default\"", NULL, "scope of the API; differs in national clouds"),
OTHER("pbi.hosts", LIVE, KEY_LIST, "[\"app.powerbi.com\"]",             "hosts from which reports are shown; all others are refused"),

TEXT ("http.ca_file", RESTART, "\"\"", NULL,                              "certificates (PEM) that outgoing TLS trusts; the system's when empty"),
OTHER("llm.providers", LIVE, KEY_PROVIDERS, "[]",                      "model providers, in order of preference; none: answers come from rules"),
TEXT ("llm.roles.route.provider", LIVE, "\"\"", NULL,                 "providers to try first, comma-separated; then the others in their order"),
TEXT ("llm.roles.route.model", LIVE, "\"\"", NULL,                   "model that routes questions; the provider's default when empty"),
INT  ("llm.roles.route.max_tokens", LIVE, 0, 0, TOKENS_MAX,          "0: the built-in limit"),
TEXT ("llm.roles.route.effort", LIVE, "\"\"", EFFORTS,               "the model's default when empty"),
TEXT ("llm.roles.route.thinking", LIVE, "\"\"", THINKING,            "the model's default when empty; off: as far as the model allows"),
TEXT ("llm.roles.answer.provider", LIVE, "\"\"", NULL,                 "providers to try first, comma-separated; then the others in their order"),
TEXT ("llm.roles.answer.model", LIVE, "\"\"", NULL,                   "model that writes the answer; the provider's default when empty"),
INT  ("llm.roles.answer.max_tokens", LIVE, 0, 0, TOKENS_MAX,          "0: the built-in limit"),
TEXT ("llm.roles.answer.effort", LIVE, "\"\"", EFFORTS,               "the model's default when empty"),
TEXT ("llm.roles.answer.thinking", LIVE, "\"\"", THINKING,            "the model's default when empty; off: as far as the model allows"),
TEXT ("llm.roles.agent.provider", LIVE, "\"\"", NULL,                 "providers to try first, comma-separated; then the others in their order"),
TEXT ("llm.roles.agent.model", LIVE, "\"\"", NULL,                   "model that runs the agents' loop; the provider's default when empty"),
INT  ("llm.roles.agent.max_tokens", LIVE, 0, 0, TOKENS_MAX,          "0: the built-in limit"),
TEXT ("llm.roles.agent.effort", LIVE, "\"\"", EFFORTS,               "the model's default when empty"),
TEXT ("llm.roles.agent.thinking", LIVE, "\"\"", THINKING,            "the model's default when empty; off: as far as the model allows"),
TEXT ("llm.roles.embed.provider", LIVE, "\"\"", NULL,                  "provider that embeds documents (not anthropic); none: documents are searched by words only"),
TEXT ("llm.roles.embed.model", LIVE, "\"\"", NULL,                     "embedding model"),
INT  ("llm.roles.embed.dimensions", LIVE, 0, 0, EMBED_DIMS_MAX,        "dimensions of a vector; 0: the model's default"),
OTHER("llm.prices", LIVE, KEY_PRICES, "{}",                            "dollars per million tokens, by model name or prefix"),
OTHER("llm.budgets", LIVE, KEY_BUDGETS, "[]",                          "spending limits for models, by user, tenant or role"),
INT  ("llm.prompt_tokens", LIVE, 16000, PROMPT_TOKENS_MIN, TOKENS_MAX, "tokens of data in one call; use less for models with a small context"),
INT  ("llm.timeouts_ms.connect", LIVE, 5000, 10, CONFIG_WAIT_MS_MAX,          "connection and TLS"),
INT  ("llm.timeouts_ms.first_byte", LIVE, 30000, 10, CONFIG_WAIT_MS_MAX,      "until the answer begins"),
INT  ("llm.timeouts_ms.idle", LIVE, 30000, 10, CONFIG_WAIT_MS_MAX,            "longest pause within an answer"),
INT  ("llm.timeouts_ms.turn", LIVE, 120000, 100, CONFIG_WAIT_MS_MAX,          "a whole turn"),
INT  ("llm.breaker.failures", LIVE, 5, 1, 1000,                        "consecutive failures that open the provider's circuit breaker"),
INT  ("llm.breaker.probe_s", LIVE, 30, 1, 3600,                        "time until the open circuit breaker lets one call through"),

TEXT ("calendar.timezone", LIVE, "\"UTC\"", NULL,                      "time zone that defines today, such as America/Chicago; a tenant may override it"),
INT  ("calendar.fiscal_start_month", LIVE, 1, 1, 12,                   "first month of the fiscal year; FY26 ends in 2026"),
TEXT ("calendar.week_start", LIVE, "\"monday\"", DAYS,                 "first day of the week"),

INT  ("names.refresh_s", LIVE, 60, 1, 86400,                           "how often names are reloaded from the data"),

TEXT ("checks.numbers", LIVE, "\"flag\"", "flag|rewrite|withhold",     "what happens to a number that the data does not support: it is marked, its sentence is requested again, or it is withheld"),
TEXT ("checks.guardrails", LIVE, "\"code\"", "code|model",             "model: questions that code cannot classify are also shown to a model, which may refuse them"),
TEXT ("checks.charts", LIVE, "\"on\"", "on|off",                       "off: answers contain no charts; a request for one gets the table and an explanation"),
OTHER("checks.link_hosts", LIVE, KEY_LIST, "[]",                       "hosts that answers may link to, in addition to those of the reports"),
BOOL ("checks.hide_existence", LIVE,                                   "what the caller may not see is reported as nonexistent"),
INT  ("limits.user_per_minute", LIVE, 600, 0, 1000000,                 "requests and questions of one user; 0: no limit"),
INT  ("limits.tenant_per_minute", LIVE, 12000, 0, 10000000,            "the same for all users of a tenant together; 0: no limit"),
INT  ("limits.connections_per_address", LIVE, 256, 0, CONNECTIONS_MAX, "unauthenticated connections of one address; beyond it, the one idle longest is closed; 0: no limit"),
INT  ("limits.connections_per_user", LIVE, 256, 0, CONNECTIONS_MAX,    "sockets and running requests of one user; 0: no limit"),
INT  ("limits.connections_per_tenant", LIVE, 0, 0, CONNECTIONS_MAX,    "the same for all users of a tenant together; 0: half of all connections if there are several tenants"),
TEXT ("limits.busy", LIVE, "\"reject\"", "reject|queue|interrupt",     "a new question while an answer is being written is refused, answered next, or replaces it"),
INT  ("retention.messages_days", LIVE, 0, 0, 36500,                    "older messages, summaries and sessions are deleted; 0: kept"),
INT  ("retention.receipts_days", LIVE, 0, 0, 36500,                    "the content of older receipts is deleted, but their hashes stay; 0: kept"),
INT  ("retention.audit_days", LIVE, 0, 0, 36500,                       "older entries of the audit log are deleted; 0: kept"),
INT  ("limits.drain_s", LIVE, 0, 0, 3600,                             "time for running answers to finish after a stop signal; then other replicas continue them, or they are stored as interrupted"),
INT  ("limits.drain_spread_s", LIVE, 10, 0, 600,                       "a process that passed on its sockets closes its idle connections within this time"),
INT  ("limits.turns", LIVE, 4000, 1, TURNS_MAX,                        "turns that run at once; with several tenants, each has at most half of them"),
INT  ("limits.shed_ms", RESTART, 500, 0, 10000,                        "after overload for this long, new questions are refused at once; 0: they wait"),
INT  ("limits.grace_s", LIVE, 30, 0, 3600,                             "how long a turn keeps running when nobody watches it"),
TEXT ("log.level", LIVE, "\"info\"", "debug|info|warn|error",          "lowest level that is logged"),
TEXT ("log.format", LIVE, "\"auto\"", "auto|json|text",                "auto: text on a terminal"),
};
/* clang-format on */

const size_t config_key_count = sizeof(config_keys) / sizeof(config_keys[0]);

#define SIMILAR_EDITS_MAX 3

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
	size_t fewest = SIMILAR_EDITS_MAX + 1;
	for (size_t i = 0; i < config_key_count; i++) {
		size_t edits = str_edit_distance(str_of(name), str_of(config_keys[i].name));
		if (edits < fewest) {
			fewest = edits;
			nearest = config_keys[i].name;
		}
	}
	return nearest;
}

static char variable_char(char c)
{
	return c == '.' ? '_' : (char)toupper((unsigned char)c);
}

bool config_variable_nearest(struct str name, char *out, size_t size)
{
	size_t fewest = SIMILAR_EDITS_MAX + 1;

	for (size_t i = 0; i < config_key_count; i++) {
		char variable[NAME_BYTES] = "VESPER_";
		size_t n = strlen(variable), edits;

		for (const char *c = config_keys[i].name; *c && n < sizeof(variable) - 1; c++)
			variable[n++] = variable_char(*c);
		edits = str_edit_distance(name, (struct str){variable, n});
		if (edits < fewest && n < size) {
			fewest = edits;
			memcpy(out, variable, n);
			out[n] = '\0';
		}
	}
	return fewest <= SIMILAR_EDITS_MAX;
}
