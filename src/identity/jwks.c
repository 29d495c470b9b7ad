/*
 * Issuers rotate their keys without notice, and their services are unavailable at times. So keys
 * are fetched periodically and when a token names an unknown key. The set is replaced only by a
 * complete, valid one.
 */
#include "jwks.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/file.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

#define DISCOVERY "/.well-known/openid-configuration"
#define FILE_URL  "file://"
#define CHECK     "identity"

struct jwks {
	struct loop *loop;
	struct http *http;
	char *url;
	char *keys_url; /* address of the set; NULL: the discovery document is read first */
	int64_t refresh_ms;
	struct jwt_keys *keys;
	struct provider *provider; /* NULL: no discovery document with sign-in endpoints */
	struct timer *timer;
	struct op *fetch;
	struct buf body;
	int status;
	struct timer *early;    /* fetches keys as soon as the interval allows */
	bool has_fetched_early; /* an early fetch was made before */
	int64_t early_fetch_mono_ms;
};

static bool is_discovery(const char *url)
{
	return str_ends(str_of(url), STR(DISCOVERY));
}

static bool is_file(const char *url)
{
	return str_starts(str_of(url), STR(FILE_URL));
}

/* ---- one fetch ---- */

static void fetch_failed(struct jwks *j, const struct err *e)
{
	bool has_keys = jwt_keys_count(j->keys) > 0;

	log_warn("identity.keys", "the keys could not be fetched%s: %s",
		 has_keys ? "; the last valid set stays in use" : "", e->text);
	health_set(CHECK, HEALTH_REQUIRED, has_keys ? HEALTH_DEGRADED : HEALTH_DOWN,
		   "no keys from the issuer");
	timer_start(j->timer,
		    JWKS_RETRY_MS < j->refresh_ms ? JWKS_RETRY_MS : (uint64_t)j->refresh_ms);
}

static void keys_replace(struct jwks *j, const char *text, size_t len)
{
	struct jwt_keys *keys;
	struct err e = {0};

	if (!jwt_keys_parse(text, len, &keys, &e)) {
		fetch_failed(j, &e);
		return;
	}
	jwt_keys_free(&j->keys);
	j->keys = keys;
	log_info("identity.keys", "%zu keys", jwt_keys_count(keys));
	health_set(CHECK, HEALTH_REQUIRED, HEALTH_OK, "%zu keys", jwt_keys_count(keys));
	timer_start(j->timer, (uint64_t)j->refresh_ms);
}

static void fetch_start(struct jwks *j);

/* A document without sign-in endpoints is enough for callers that bring a token. */
static void provider_take(struct jwks *j, const json_t *document)
{
	struct provider *provider = NULL;
	struct err e = {0};

	if (!provider_read(document, &provider, &e)) {
		log_debug("identity.provider", "%s", e.text);
		return;
	}
	provider_free(&j->provider);
	j->provider = provider;
}

/* Takes the address of the keys and the sign-in endpoints from the discovery document; all other
 * settings come from the configuration. */
static void discovery_take(struct jwks *j)
{
	json_t *document = NULL;
	const char *url;
	struct err e = {0};

	if (json_parse(buf_text(&j->body), j->body.n, JWKS_BYTES_MAX, &document, &e) &&
	    json_get_str(document, "jwks_uri", &url, &e) &&
	    (http_url_is_safe(url) ||
	     err_set(&e, ERR_INPUT, "jwks_uri: must be an https address"))) {
		j->keys_url = mem_strdup(url);
		provider_take(j, document);
		fetch_start(j);
	} else {
		fetch_failed(j, &e);
	}
	json_decref(document);
}

static void on_head(void *owner, const struct http_response *response)
{
	struct jwks *j = owner;

	j->status = response->status;
}

static bool on_data(void *owner, const char *data, size_t len)
{
	struct jwks *j = owner;

	buf_add(&j->body, data, len);
	return !buf_over(&j->body);
}

/* Issuers may move their keys, so each refresh reads the discovery document again. */
static void on_end(void *owner, const struct err *e)
{
	struct jwks *j = owner;
	bool is_key_set = j->keys_url || !is_discovery(j->url);
	struct err status_err = {0};

	j->fetch = NULL;
	if (!e && j->status != 200) {
		err_set(&status_err, ERR_UPSTREAM, "the issuer answered with status %d", j->status);
		e = &status_err;
	}
	if (is_key_set || e) {
		mem_free(j->keys_url);
		j->keys_url = NULL;
	}
	if (e)
		fetch_failed(j, e);
	else if (is_key_set)
		keys_replace(j, buf_text(&j->body), j->body.n);
	else
		discovery_take(j);
}

static void fetch_start(struct jwks *j)
{
	static const struct http_handler handler = {on_head, on_data, on_end};
	const struct http_request request = {
		.method = "GET",
		.url = j->keys_url ? j->keys_url : j->url,
		.headers = (const char *const[]){"Accept: application/json", NULL},
		.connect_ms = JWKS_FETCH_MS,
		.total_ms = JWKS_FETCH_MS,
	};

	buf_reset(&j->body);
	j->status = 0;
	j->fetch = http_start(j->http, &request, &handler, j);
}

static void read_file(struct jwks *j)
{
	struct arena *a = arena_new(2 * JWKS_BYTES_MAX);
	const char *text;
	struct err e = {0};

	if (file_read(j->url + strlen(FILE_URL), JWKS_BYTES_MAX, a, &text, &e))
		keys_replace(j, text, strlen(text));
	else
		fetch_failed(j, &e);
	arena_free(&a);
}

static void refresh(void *owner)
{
	struct jwks *j = owner;

	if (j->fetch)
		return;
	if (is_file(j->url))
		read_file(j);
	else
		fetch_start(j);
}

static void on_early(void *owner)
{
	struct jwks *j = owner;

	timer_stop(j->early);
	j->has_fetched_early = true;
	j->early_fetch_mono_ms = clock_mono_ms();
	log_info("identity.keys", "a token names an unknown key; the keys are fetched again");
	refresh(j);
}

/* Any caller may name a key that does not exist, so fetches are limited. A miss is still never
 * ignored. If a fetch is not allowed yet, or the running one may have started too early, another
 * one is scheduled for the earliest allowed time. */
void jwks_report_unknown_key(struct jwks *j)
{
	int64_t elapsed_ms = clock_mono_ms() - j->early_fetch_mono_ms;
	bool must_wait = j->has_fetched_early && elapsed_ms < JWKS_UNKNOWN_MS;

	if (j->fetch && jwt_keys_count(j->keys) == 0)
		return;
	if (!must_wait && !j->fetch)
		on_early(j);
	else if (!timer_is_active(j->early))
		timer_start(j->early,
			    (uint64_t)(must_wait ? JWKS_UNKNOWN_MS - elapsed_ms : JWKS_UNKNOWN_MS));
}

const struct jwt_keys *jwks_keys(const struct jwks *j)
{
	return j->keys;
}

const struct provider *jwks_provider(const struct jwks *j)
{
	return j->provider;
}

bool jwks_is_discovery(const char *url)
{
	return is_discovery(url);
}

bool jwks_url_check(const char *url, struct err *e)
{
	return is_file(url) || http_url_is_safe(url) ||
	       err_set(e, ERR_INPUT,
		       "auth.jwks_url: must be an https or file address (http on loopback only)");
}

bool jwks_apply_options(struct jwks *j, const struct identity_options *options)
{
	if (strcmp(j->url, options->jwks_url) != 0)
		return false;
	j->refresh_ms = options->jwks_refresh_ms;
	return true;
}

bool jwks_new(const struct identity_options *options, struct jwks **out, struct err *e)
{
	struct jwks *j;

	if (!jwks_url_check(options->jwks_url, e))
		return false;
	j = mem_alloc(sizeof(*j));
	j->loop = options->loop;
	j->http = options->http;
	j->url = mem_strdup(options->jwks_url);
	j->refresh_ms = options->jwks_refresh_ms;
	j->keys = jwt_keys_new_empty();
	j->timer = timer_new(j->loop, refresh, j);
	j->early = timer_new(j->loop, on_early, j);
	buf_init(&j->body, JWKS_BYTES_MAX);
	health_set(CHECK, HEALTH_REQUIRED, HEALTH_DOWN, "no keys from the issuer yet");
	refresh(j);
	*out = j;
	return true;
}

void jwks_free(struct jwks **jwks)
{
	struct jwks *j = *jwks;

	if (!j)
		return;
	*jwks = NULL;
	op_cancel(&j->fetch);
	timer_free(&j->timer);
	timer_free(&j->early);
	jwt_keys_free(&j->keys);
	provider_free(&j->provider);
	buf_deinit(&j->body);
	mem_free(j->url);
	mem_free(j->keys_url);
	mem_free(j);
}
