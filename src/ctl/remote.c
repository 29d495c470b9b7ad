/* HTTP requests of the verbs to a running daemon. */
#include "remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/settings.h"

#define REPLY_BYTES_MAX (4 * 1024 * 1024) /* a profile with all its lines */

/* The URL of a local daemon with this configuration. */
static void write_listen_url(char *out, size_t bytes)
{
	struct arena *a = arena_new(SETTINGS_BYTES);
	const char *listen = "127.0.0.1:8080";
	struct config *config = NULL;
	struct err e = {0};

	if (ctl_config(a, &config, &e))
		listen = config_text(config, "listen");
	if (strncmp(listen, "0.0.0.0:", 8) == 0)
		snprintf(out, bytes, "http://127.0.0.1%s", listen + 7);
	else if (strncmp(listen, "[::]:", 5) == 0)
		snprintf(out, bytes, "http://[::1]%s", listen + 4);
	else
		snprintf(out, bytes, "http://%s", listen);
	config_free(&config);
	arena_free(&a);
}

const char *remote_url(void)
{
	const char *url = getenv("VESPER_URL");
	static char default_url[300];

	if (url && *url)
		return url;
	if (!*default_url)
		write_listen_url(default_url, sizeof(default_url));
	return default_url;
}

static size_t on_text(char *data, size_t size, size_t n, void *owner)
{
	buf_add(owner, data, size * n);
	return size * n;
}

bool remote_post(CURL *curl, const char *path, const char *token, const char *body, struct err *e)
{
	struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
	char *url = mem_printf("%s%s", remote_url(), path);
	char *authorization = token ? mem_printf("Authorization: Bearer %s", token) : NULL;
	CURLcode code;

	if (authorization)
		headers = curl_slist_append(headers, authorization);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, 5000L);
	code = curl_easy_perform(curl);
	curl_slist_free_all(headers);
	mem_free(url);
	mem_free(authorization);
	if (code != CURLE_OK)
		return err_set(e, ERR_UPSTREAM, "%s at %s: is the daemon running? (./run demo)",
			       curl_easy_strerror(code), remote_url());
	return true;
}

/* Sets *e to the sentence of the daemon's problem details. */
bool remote_refused(const struct buf *reply, struct err *e)
{
	json_t *problem = NULL;
	const char *detail = NULL;

	if (json_parse(buf_text(reply), reply->n, BODY_BYTES_MAX, &problem, NULL) &&
	    json_get_str(problem, "detail", &detail, NULL))
		err_set(e, ERR_UPSTREAM, "%s", detail);
	else
		err_set(e, ERR_UPSTREAM,
			reply->n ? "the server at %s is not a vesperd"
				 : "the stream from %s ended early",
			remote_url());
	json_decref(problem);
	return false;
}

/* Signs in as a demo user at a demo daemon. */
static char *demo_token(const char *tenant, const char *role, struct err *e)
{
	CURL *curl = curl_easy_init();
	json_t *who = json_object(), *json = NULL;
	char *body, *token = NULL;
	const char *text;
	struct buf reply;

	json_set_str(who, "tenant", tenant);
	json_set_str(who, "role", role);
	body = json_text(who);
	json_decref(who);
	buf_init(&reply, BODY_BYTES_MAX);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_text);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply);
	if (!remote_post(curl, "/api/v1/demo/login", NULL, body, e))
		;
	else if (json_parse(buf_text(&reply), reply.n, BODY_BYTES_MAX, &json, NULL) &&
		 json_get_str(json, "token", &text, NULL))
		token = mem_strdup(text);
	else if (json_integer_value(json_object_get(json, "status")) == 404)
		err_set(e, ERR_AUTH,
			"%s is not a demo and has no demo sign-in; set VESPER_TOKEN (vesperctl "
			"token creates one)",
			remote_url());
	else
		remote_refused(&reply, e);
	json_decref(json);
	buf_deinit(&reply);
	curl_easy_cleanup(curl);
	mem_free(body);
	return token;
}

char *remote_token(const struct command *cmd, const char *role, struct err *e)
{
	const char *given = getenv("VESPER_TOKEN");

	return given && *given ? mem_strdup(given)
			       : demo_token(ctl_option(cmd, "tenant", "vesper"),
					    ctl_option(cmd, "role", role), e);
}

/* ---- any request ---- */

static struct curl_slist *make_headers(const struct remote_request *r)
{
	char *line = mem_printf("Authorization: Bearer %s", r->token);
	struct curl_slist *list = curl_slist_append(NULL, line);

	mem_free(line);
	line = mem_printf("Content-Type: %s", r->file ? r->type : "application/json");
	list = curl_slist_append(list, line);
	mem_free(line);
	if (r->tag) {
		line = mem_printf("If-Match: %s", r->tag);
		list = curl_slist_append(list, line);
		mem_free(line);
	}
	return list;
}

/* Sets the body of the request. Returns false when the file cannot be read. */
static bool set_body(CURL *curl, const struct remote_request *r, FILE **file, char **text,
		     struct err *e)
{
	if (r->file) {
		*file = fopen(r->file, "re");
		if (!*file)
			return err_set(e, ERR_INPUT, "%s: %s", r->file, strerror(errno));
		curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(curl, CURLOPT_READDATA, *file);
	} else if (r->json) {
		*text = json_text(r->json);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, *text);
	}
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, r->method);
	return true;
}

static bool perform(CURL *curl, const struct remote_request *r, struct buf *reply, long *status,
		    struct err *e)
{
	struct curl_slist *headers = make_headers(r);
	char *url = mem_printf("%s%s", remote_url(), r->path), *text = NULL;
	FILE *file = NULL;
	CURLcode code = CURLE_OK;
	bool ok;

	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_text);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, reply);
	ok = set_body(curl, r, &file, &text, e);
	if (ok)
		code = curl_easy_perform(curl);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
	curl_slist_free_all(headers);
	mem_free(url);
	mem_free(text);
	if (file)
		fclose(file);
	if (ok && code != CURLE_OK)
		ok = err_set(e, ERR_UPSTREAM, "%s at %s: is the daemon running? (./run demo)",
			     curl_easy_strerror(code), remote_url());
	return ok;
}

bool remote_call(const struct remote_request *r, json_t **out, struct err *e)
{
	CURL *curl = curl_easy_init();
	struct buf reply;
	long status = 0;
	bool ok;

	*out = NULL;
	buf_init(&reply, REPLY_BYTES_MAX);
	ok = perform(curl, r, &reply, &status, e) && (status < 400 || remote_refused(&reply, e));
	if (ok && reply.n > 0 && !json_parse(buf_text(&reply), reply.n, REPLY_BYTES_MAX, out, e))
		ok = false;
	buf_deinit(&reply);
	curl_easy_cleanup(curl);
	return ok;
}
