/*
 * The table of all keys: when a change takes effect, type, default, bounds and meaning. The loader,
 * the environment, a reload and --print-keys use only this table.
 */
#include "config_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"

#define TEXT(name, when, initial, choices, about)                                                  \
	{                                                                                          \
		name, CONFIG_##when, KEY_TEXT, initial, 0, 0, choices, false, about                \
	}
#define SECRET(name, when, about)                                                                  \
	{                                                                                          \
		name, CONFIG_##when, KEY_TEXT, "\"\"", 0, 0, NULL, true, about                     \
	}
#define INT(name, when, initial, min, max, about)                                                  \
	{                                                                                          \
		name, CONFIG_##when, KEY_INT, #initial, min, max, NULL, false, about               \
	}
#define BOOL(name, when, about)                                                                    \
	{                                                                                          \
		name, CONFIG_##when, KEY_BOOL, "false", 0, 0, NULL, false, about                   \
	}
#define OTHER(name, when, type, initial, about)                                                    \
	{                                                                                          \
		name, CONFIG_##when, type, initial, 0, 0, NULL, false, about                       \
	}

#define DAYS       "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
#define EFFORTS    "|low|medium|high|xhigh|max"
#define THINKING   "|adaptive|off"
#define TOKENS_MAX 128000

/* clang-format off */
const struct config_key config_keys[] = {
TEXT ("listen", RESTART, "\"127.0.0.1:8080\"", NULL,                      "address and port for users"),
TEXT ("admin_listen", RESTART, "\"\"", NULL,                              "address and port for probes and metrics; none when empty"),
OTHER("trusted_proxies", RESTART, KEY_LIST, "[]",                         "addresses and ranges of proxies whose X-Forwarded-For or Forwarded is believed"),
TEXT ("data_dir", RESTART, "\"data\"", NULL,                              "folder of the chat store and other data"),
TEXT ("root", RESTART, "\"\"", NULL,                                      "where config, prompts and sql are; the build's own when empty"),
BOOL ("handover", RESTART,                                                "vesperd --take-over gets the listening sockets by data_dir/handover.sock"),
BOOL ("demo", RESTART,                                                    "demo sign-in, demo secret, the page's demo users"),
BOOL ("demo_public", RESTART,                                             "the demo may listen on addresses that others reach"),
OTHER("today", RESTART, KEY_DATE, "\"\"",                                 "freezes the date; with a time (2026-02-27T12:00, or T12:00-07:00) also the moment of questions"),
OTHER("tenants", PARTLY, KEY_TENANTS,
      "{\"vesper\":{\"warehouse\":\"vesper.db\",\"store\":\"vesper.db\"},"
       "\"acme\":{\"warehouse\":\"acme.db\",\"store\":\"acme.db\"}}", "the tenants that exist: SQLite files, packs beside core, files of further sources, and timezone where it differs"),
OTHER("packs.roots", LIVE, KEY_LIST, "[]",                             "further folders with packs: config/packs.json, config, prompts and sql of their own"),
OTHER("dialects", LIVE, KEY_LIST, "[\"ai\",\"agui\",\"openai\",\"mcp\"]", "wire formats of other clients that are served; the addresses of the others do not exist"),
OTHER("api.aliases", LIVE, KEY_BOOL, "true",                              "serve /api/tools and /api/health beside the addresses with a version"),
BOOL ("ws.echo", RESTART,                                                 "serve /ws/echo"),

OTHER("auth.algorithms", RESTART, KEY_LIST, "[]",                         "RS256, HS256; empty: RS256 with auth.jwks_url, else HS256"),
SECRET("auth.jwt_secret", LIVE,                                        "HS256 key, at least 32 bytes outside demo mode"),
TEXT ("auth.jwks_url", LIVE, "\"\"", NULL,                             "RS256 keys: the set, or an OpenID configuration; https or file"),
INT  ("auth.jwks_refresh_s", LIVE, 3600, 1, 86400,                     "how often the keys are fetched"),
TEXT ("auth.issuer", LIVE, "\"\"", NULL,                               "required iss, {tenantid} is the token's tid; must be set with RS256"),
TEXT ("auth.audience", LIVE, "\"\"", NULL,                             "required aud; must be set with RS256"),
TEXT ("auth.tenant_claim", LIVE, "\"tenant_id\"", NULL,                "claim that names the tenant (Entra ID: tid)"),
TEXT ("auth.user_claim", LIVE, "\"sub\"", NULL,                        "claim that is the user's id (Entra ID: oid)"),
OTHER("auth.tenants", LIVE, KEY_LIST, "[]",                            "tenants that may sign in; all of tenants when empty"),
OTHER("auth.role_map", LIVE, KEY_MAP, "{}",                            "app role in the token -> role of config/permissions.json"),
TEXT ("auth.scope", LIVE, "\"\"", NULL,                                "scope that a user's token must have in scp; empty: not checked"),
OTHER("auth.clients", LIVE, KEY_LIST, "[]",                            "applications (azp, appid) that tokens may come from; any when empty"),
INT  ("auth.leeway_s", LIVE, 60, 0, 300,                               "allowed clock difference"),
OTHER("auth.personal_tokens", LIVE, KEY_BOOL, "true",                     "users may make personal access tokens, for clients that cannot renew their sign-in"),
BOOL ("auth.allow_query_token", LIVE,                                  "accept ?token= on the socket"),
SECRET("auth.cursor_secret", RESTART,                                     "seals the cursors of lists and what lies in Redis; random when empty"),
TEXT ("auth.first_frame", LIVE, "\"browser\"", "browser|always",       "clients that may authenticate with the first frame"),
OTHER("auth.origins", LIVE, KEY_ORIGINS, "[]",                         "foreign origins that may open sockets and read answers: https://host[:port], each exactly"),

TEXT ("server.public_url", RESTART, "\"\"", NULL,                      "this daemon as browsers reach it, https://vesper.example.com; needed to sign in, and for clients of /mcp to find where tokens come from"),
TEXT ("signin.client_id", RESTART, "\"\"", NULL,                       "the page's application at the identity provider; the page is served where it is set"),
SECRET("signin.client_secret", RESTART,                                "its secret; empty: a public client"),
OTHER("signin.scopes", RESTART, KEY_LIST, "[\"openid\",\"profile\",\"offline_access\"]", "what the page signs in for; an access token for the interface needs its scope here"),
OTHER("signin.parameters", RESTART, KEY_MAP, "{}",                     "further parameters of the authorization request (prompt, resource, access_type, ...)"),
TEXT ("signin.bearer", RESTART, "\"access_token\"", "access_token|id_token", "which token the page sends; id_token where access tokens are no JWTs"),
INT  ("signin.session_h", RESTART, 12, 1, 720,                         "hours until a session ends after signing in"),

TEXT ("warehouse.dialect", RESTART, "\"sqlite\"", CONFIG_DIALECTS,             "SQL dialect of the warehouse"),
SECRET("warehouse.dsn", RESTART,                                          "ODBC connection string"),
TEXT ("warehouse.dir", RESTART, "\"\"", NULL,                             "folder of the tenants' SQLite files; data_dir/warehouse when empty"),
INT  ("warehouse.workers", RESTART, 4, 1, DB_WORKERS_MAX,                 "threads, one connection each"),
INT  ("warehouse.max_rows", RESTART, 500, 1, DB_ROWS_MAX,                 "rows of one result"),
INT  ("warehouse.query_timeout_ms", RESTART, 10000, 10, CONFIG_WAIT_MS_MAX,      "then the statement is cancelled on the server"),
INT  ("warehouse.queue", RESTART, 16000, 1, DB_QUEUE_MAX,                  "waiting queries"),
OTHER("sources", PARTLY, KEY_SOURCES, "{}",                              "further databases by name: {dialect, dsn, dir, workers, queue, max_rows, query_timeout_ms, only_tenant}"),
SECRET("uploads.loader_dsn", RESTART,                                     "ODBC connection string of the login that loads what users upload, where sources.uploads is a server"),
TEXT ("uploads.spool_dir", RESTART, "\"\"", NULL,                         "where files are kept while they are loaded; data_dir/spool when empty"),
INT  ("embed.least_percent", RESTART, 60, 1, 100, "cosine in hundredths from which a passage is found that shares too few words with the question; the unrelated are below it, by the model"),
INT  ("embed.max_bytes", RESTART, 268435456, 1048576, 8589934592, "memory for vectors of documents, beside documents.index_bytes"),
INT  ("documents.index_bytes", RESTART, 134217728, 1048576, 8589934592, "memory for searching documents; what is beyond it is made anew from the tables when it is asked for"),
INT  ("uploads.retention_days", RESTART, 0, 0, 36500,                     "data sources and documents unchanged for this long are deleted; 0: none are"),
INT  ("uploads.max_bytes", RESTART, 104857600, 1, SOURCE_BYTES_MAX, "longest file that may be uploaded"),
INT  ("uploads.tenant_bytes", RESTART, 1073741824, 1, SOURCE_TENANT_BYTES, "of all files of a tenant that are in use; one that comes meanwhile counts when it is whole"),
TEXT ("store.dialect", RESTART, "\"sqlite\"", CONFIG_DIALECTS,                 "SQL dialect of the chat store"),
SECRET("store.dsn", RESTART,                                              "ODBC connection string"),
TEXT ("store.synchronous", RESTART, "\"normal\"", "normal|full",          "full: durable against power loss too"),
INT  ("store.workers", RESTART, 2, 1, DB_WORKERS_MAX,                     "threads, one connection each"),
INT  ("store.query_timeout_ms", RESTART, 10000, 10, CONFIG_WAIT_MS_MAX,   "then the statement is cancelled on the server"),
INT  ("store.queue", RESTART, 16000, 1, DB_QUEUE_MAX,                      "waiting queries"),

SECRET("redis.url", RESTART,                                              "redis://[user:password@]host:port/db; the cache is in memory when empty"),
INT  ("redis.timeout_ms", RESTART, 100, 1, REDIS_WAIT_BUDGET_MAX_MS,         "wait budget for Redis; when it is used up, Redis is skipped for a while"),
TEXT ("cluster.replica", RESTART, "\"\"", NULL,                         "this replica's name, where several share redis.url and the store; alone when empty"),
INT  ("cluster.lease_ms", RESTART, 3000, 1000, 30000,                     "a replica without heartbeats for this long is dead; others take over its turns"),

TEXT ("pbi.tenant_id", LIVE, "\"\"", NULL,                             "Power BI: the directory of the service principal; reports only link when empty"),
TEXT ("pbi.client_id", LIVE, "\"\"", NULL,                             "its application"),
SECRET("pbi.client_secret", LIVE,                                      "its secret"),
OTHER("pbi.reports", LIVE, KEY_MAP, "{}",                              "menu key of config/<pack>/reports.json -> workspace id/report id"),
TEXT ("pbi.identity", LIVE, "\"none\"", "none|user|tenant",            "identity of the caller for a report's row-level security"),
OTHER("pbi.roles", LIVE, KEY_MAP, "{}",                                "permission -> role of that security"),
TEXT ("pbi.login_url", LIVE, "\"https://login.microsoftonline.com\"", NULL, "another cloud's sign-in"),
TEXT ("pbi.api_url", LIVE, "\"https://api.powerbi.com\"", NULL,        "another cloud's interface"),
TEXT ("pbi.scope", LIVE, "\"https://analysis.windows.net/powerbi/api/.default\"", NULL, "another cloud's name of that interface"),
OTHER("pbi.hosts", LIVE, KEY_LIST, "[\"app.powerbi.com\"]",             "hosts that reports are shown from; all others are refused"),

TEXT ("http.ca_file", RESTART, "\"\"", NULL,                              "certificates (PEM) that outgoing TLS trusts; the system's when empty"),
OTHER("llm.providers", LIVE, KEY_PROVIDERS, "[]",                      "models, in order of preference; none: rules"),
TEXT ("llm.roles.route.provider", LIVE, "\"\"", NULL,                 "providers asked first, comma-separated; then the others in their order"),
TEXT ("llm.roles.route.model", LIVE, "\"\"", NULL,                   "model that routes; the provider's own when empty"),
INT  ("llm.roles.route.max_tokens", LIVE, 0, 0, TOKENS_MAX,          "0: the program's own limit"),
TEXT ("llm.roles.route.effort", LIVE, "\"\"", EFFORTS,               "the model's own when empty"),
TEXT ("llm.roles.route.thinking", LIVE, "\"\"", THINKING,            "the model's own when empty; off: as far as the model allows"),
TEXT ("llm.roles.answer.provider", LIVE, "\"\"", NULL,                 "providers asked first, comma-separated; then the others in their order"),
TEXT ("llm.roles.answer.model", LIVE, "\"\"", NULL,                   "model that writes the answer; the provider's own when empty"),
INT  ("llm.roles.answer.max_tokens", LIVE, 0, 0, TOKENS_MAX,          "0: the program's own limit"),
TEXT ("llm.roles.answer.effort", LIVE, "\"\"", EFFORTS,               "the model's own when empty"),
TEXT ("llm.roles.answer.thinking", LIVE, "\"\"", THINKING,            "the model's own when empty; off: as far as the model allows"),
TEXT ("llm.roles.agent.provider", LIVE, "\"\"", NULL,                 "providers asked first, comma-separated; then the others in their order"),
TEXT ("llm.roles.agent.model", LIVE, "\"\"", NULL,                   "model that runs the agents' loop; the provider's own when empty"),
INT  ("llm.roles.agent.max_tokens", LIVE, 0, 0, TOKENS_MAX,          "0: the program's own limit"),
TEXT ("llm.roles.agent.effort", LIVE, "\"\"", EFFORTS,               "the model's own when empty"),
TEXT ("llm.roles.agent.thinking", LIVE, "\"\"", THINKING,            "the model's own when empty; off: as far as the model allows"),
TEXT ("llm.roles.embed.provider", LIVE, "\"\"", NULL,                  "provider that makes vectors of documents (not anthropic); none: words alone find them"),
TEXT ("llm.roles.embed.model", LIVE, "\"\"", NULL,                     "its model for vectors"),
INT  ("llm.roles.embed.dimensions", LIVE, 0, 0, EMBED_DIMS_MAX,        "numbers of a vector; 0: the model's own"),
OTHER("llm.prices", LIVE, KEY_PRICES, "{}",                            "dollars a million tokens, by model or how its name begins"),
OTHER("llm.budgets", LIVE, KEY_BUDGETS, "[]",                          "what may be spent on models, by user, tenant or role"),
INT  ("llm.prompt_tokens", LIVE, 16000, PROMPT_TOKENS_LEAST, TOKENS_MAX, "tokens of data in one call; use less for models with a small context"),
INT  ("llm.timeouts_ms.connect", LIVE, 5000, 10, CONFIG_WAIT_MS_MAX,          "connection and TLS"),
INT  ("llm.timeouts_ms.first_byte", LIVE, 30000, 10, CONFIG_WAIT_MS_MAX,      "until the answer begins"),
INT  ("llm.timeouts_ms.idle", LIVE, 30000, 10, CONFIG_WAIT_MS_MAX,            "silence inside an answer"),
INT  ("llm.timeouts_ms.turn", LIVE, 120000, 100, CONFIG_WAIT_MS_MAX,          "a whole turn"),
INT  ("llm.breaker.failures", LIVE, 5, 1, 1000,                        "consecutive failures that open the provider's circuit breaker"),
INT  ("llm.breaker.probe_s", LIVE, 30, 1, 3600,                        "time until the open circuit breaker lets one call through"),

TEXT ("calendar.timezone", LIVE, "\"UTC\"", NULL,                      "time zone of today, such as America/Chicago; a tenant may have its own"),
INT  ("calendar.fiscal_start_month", LIVE, 1, 1, 12,                   "FY26 ends in 2026"),
TEXT ("calendar.week_start", LIVE, "\"monday\"", DAYS,                 "first day of last week"),

INT  ("names.refresh_s", LIVE, 60, 1, 86400,                           "how often names are read from the data again"),

TEXT ("checks.numbers", LIVE, "\"flag\"", "flag|rewrite|withhold",     "a number that the data does not support: shown and marked, its sentence asked for once more, or left out"),
TEXT ("checks.guardrails", LIVE, "\"code\"", "code|model",             "model: what code can't place is also shown to a model, which may refuse it"),
TEXT ("checks.charts", LIVE, "\"on\"", "on|off",                       "off: answers hold no charts; who asks for one gets the table and is told why"),
OTHER("checks.link_hosts", LIVE, KEY_LIST, "[]",                       "hosts that answers may link to, beside those of the reports"),
BOOL ("checks.hide_existence", LIVE,                                   "what the caller may not see is reported as nonexistent"),
INT  ("limits.user_per_minute", LIVE, 600, 0, 1000000,                 "requests and questions of one user; 0: no limit"),
INT  ("limits.tenant_per_minute", LIVE, 12000, 0, 10000000,            "of all users of a tenant together; 0: no limit"),
INT  ("limits.connections_per_address", LIVE, 256, 0, CONNECTIONS_MAX, "connections without a user of one address: the quietest is ended for the next; 0: no limit"),
INT  ("limits.connections_per_user", LIVE, 256, 0, CONNECTIONS_MAX,    "sockets and running requests of one user; 0: no limit"),
INT  ("limits.connections_per_tenant", LIVE, 0, 0, CONNECTIONS_MAX,    "of all users of a tenant together; 0: half of what there is room for, where there are several tenants"),
TEXT ("limits.busy", LIVE, "\"reject\"", "reject|queue|interrupt",     "a question while an answer is being written: refused, answered next, or instead"),
INT  ("retention.messages_days", LIVE, 0, 0, 36500,                    "older messages, summaries and sessions are deleted; 0: kept"),
INT  ("retention.receipts_days", LIVE, 0, 0, 36500,                    "the content of older receipts is deleted, their hashes stay; 0: kept"),
INT  ("retention.audit_days", LIVE, 0, 0, 36500,                       "older entries of the audit log are deleted; 0: kept"),
INT  ("limits.drain_s", LIVE, 0, 0, 3600,                             "answers that are being written when a stop is asked for have so long to end; then other replicas go on with them, or they are stored as interrupted"),
INT  ("limits.drain_spread_s", LIVE, 10, 0, 600,                       "a process that handed its sockets over closes its idle connections within that time"),
INT  ("limits.turns", LIVE, 4000, 1, TURNS_MAX,                        "turns that run at once; where there are several tenants, one has at most half of them"),
INT  ("limits.shed_ms", RESTART, 500, 0, 10000,                        "after overload for this long, new questions are refused at once; 0: they wait"),
INT  ("limits.grace_s", LIVE, 30, 0, 3600,                             "how long a turn without watchers keeps running"),
TEXT ("log.level", LIVE, "\"info\"", "debug|info|warn|error",          "lowest level that is logged"),
TEXT ("log.format", LIVE, "\"auto\"", "auto|json|text",                "auto: text on a terminal"),
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

static char variable_char(char c)
{
	return c == '.' ? '_' : (char)toupper((unsigned char)c);
}

bool config_variable_nearest(struct str name, char *out, size_t size)
{
	size_t fewest = NEAR_EDITS_MAX + 1;

	for (size_t i = 0; i < config_key_count; i++) {
		char variable[NAME_BYTES] = "VESPER_";
		size_t n = strlen(variable), edits;

		for (const char *c = config_keys[i].name; *c && n < sizeof(variable) - 1; c++)
			variable[n++] = variable_char(*c);
		edits = str_edits(name, (struct str){variable, n});
		if (edits < fewest && n < size) {
			fewest = edits;
			memcpy(out, variable, n);
			out[n] = '\0';
		}
	}
	return fewest <= NEAR_EDITS_MAX;
}
