/*
 * The verbs `ask` and `probe`. `ask` sends one question to a running daemon over HTTP and prints
 * the answer as it arrives. `probe` tests whether a path of the daemon answers 200.
 */
#include "ctl.h"
#include "remote.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/sse.h"
#include "vesper/view.h"

struct ask_run {
	CURL *curl;
	struct sse_parser *sse;
	struct buf plain;    /* a response that is not a stream: an error */
	const char *svg_dir; /* charts are written here; NULL: no charts */
	bool as_json;
	bool failed;
	bool ended;
};

/* Prints provider, outcomes, latency and session ID in one line, then links to reports. */
static void print_footer(const json_t *frame)
{
	const json_t *outcomes = json_object_get(frame, "outcomes"), *o;
	const json_t *link, *links = json_object_get(frame, "pbi_deep_links");
	size_t i;

	printf("\n\n[%s", json_string_value(json_object_get(frame, "provider")));
	json_array_foreach(outcomes, i, o)
		printf(" · %s: %s, %lld rows", json_string_value(json_object_get(o, "tool")),
		       json_string_value(json_object_get(o, "outcome")),
		       (long long)json_integer_value(json_object_get(o, "rows")));
	printf(" · %lld ms · session %s]\n",
	       (long long)json_integer_value(json_object_get(frame, "latency_ms")),
	       json_string_value(json_object_get(frame, "session_id")));
	json_array_foreach(links, i, link)
		printf("%s: %s\n", json_string_value(json_object_get(link, "report_name")),
		       json_string_value(json_object_get(link, "url")));
}

/* Prints the options of a clarifying question with numbers, which an answer may use. Prints none if
 * the prompt lists them already. */
static void print_choices(const json_t *frame)
{
	const char *prompt = json_string_value(json_object_get(frame, "prompt"));
	const char *hint = json_string_value(json_object_get(frame, "hint"));
	const json_t *options = json_object_get(frame, "options"), *o;
	size_t i;

	json_array_foreach(options, i, o) {
		const char *label = json_string_value(json_object_get(o, "label"));
		const char *group = json_string_value(json_object_get(o, "group"));

		if (!label || (i == 0 && prompt && strstr(prompt, label)))
			break;
		printf("\n%3zu. %s%s%s", i + 1, label, group ? "  · " : "", group ? group : "");
	}
	if (hint)
		printf("\n%s", hint);
}

/* Writes the chart of a view to svg_dir. An existing file of that name is overwritten. */
static void write_chart(struct ask_run *a, const json_t *view)
{
	const char *id = json_string_value(json_object_get(view, "view_id"));
	struct buf svg;

	buf_init(&svg, SVG_BYTES_MAX * 2);
	if (id && !strchr(id, '/') && view_svg(&svg, view, NULL)) {
		char *path = mem_printf("%s/%s.svg", a->svg_dir, id);
		FILE *f = fopen(path, "we");
		bool written = f && fwrite(svg.p, 1, svg.n, f) == svg.n;

		if (f)
			written = fclose(f) == 0 && written;
		if (!written)
			fprintf(stderr, "cannot write %s: %s\n", path, strerror(errno));
		a->failed |= !written;
		mem_free(path);
	}
	buf_deinit(&svg);
}

static void print_frame(const char *type, json_t *frame)
{
	if (strcmp(type, "chat.token") == 0)
		fputs(json_string_value(json_object_get(frame, "token")), stdout);
	else if (strcmp(type, "chat.ask") == 0)
		print_choices(frame);
	else if (strcmp(type, "chat.complete") == 0)
		print_footer(frame);
	else if (strcmp(type, "chat.error") == 0)
		fprintf(stderr, "%s (%s)\n", json_string_value(json_object_get(frame, "message")),
			json_string_value(json_object_get(frame, "code")));
}

static void handle_frame(struct ask_run *a, json_t *frame)
{
	const char *type = json_string_value(json_object_get(frame, "type"));

	if (!type)
		return;
	a->failed |= strcmp(type, "chat.error") == 0;
	a->ended |= a->failed || strcmp(type, "chat.complete") == 0;
	if (a->svg_dir && strcmp(type, "chat.view") == 0)
		write_chart(a, json_object_get(frame, "view"));
	if (a->as_json)
		ctl_print_json(json_incref(frame));
	else
		print_frame(type, frame);
	fflush(stdout);
}

static bool on_event(void *owner, const char *event, const char *data, size_t len)
{
	struct ask_run *a = owner;
	struct err e;
	json_t *json;

	(void)event;
	if (!json_parse(data, len, SSE_EVENT_BYTES_MAX, &json, &e))
		return true;
	handle_frame(a, json_object_get(json, "frame"));
	json_decref(json);
	return true;
}

static size_t on_body(char *data, size_t size, size_t n, void *owner)
{
	struct ask_run *a = owner;
	char *type = NULL;
	struct err e;

	curl_easy_getinfo(a->curl, CURLINFO_CONTENT_TYPE, &type);
	if (!type || strncmp(type, "text/event-stream", 17) != 0)
		buf_add(&a->plain, data, size * n);
	else if (!sse_feed(a->sse, data, size * n, &e))
		return 0;
	return size * n;
}

static bool send_question(struct ask_run *a, const char *token, const char *question,
			  const char *session, struct err *e)
{
	json_t *request = json_object();
	char *body;
	bool sent;

	json_set_str(request, "content", question);
	json_set_str(request, "session_id", session);
	body = json_text(request);
	json_decref(request);
	a->curl = curl_easy_init();
	a->sse = sse_new(on_event, a);
	buf_init(&a->plain, BODY_BYTES_MAX);
	curl_easy_setopt(a->curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(a->curl, CURLOPT_WRITEDATA, a);
	sent = remote_post(a->curl, "/api/v1/chat/stream", token, body, e);
	if (sent && !a->ended)
		sent = remote_refused(&a->plain, e);
	buf_deinit(&a->plain);
	sse_free(&a->sse);
	curl_easy_cleanup(a->curl);
	mem_free(body);
	return sent;
}

static size_t discard_body(char *data, size_t size, size_t n, void *owner)
{
	(void)data;
	(void)owner;
	return size * n;
}

bool ctl_probe(const char *path)
{
	CURL *curl = curl_easy_init();
	char *url = mem_printf("%s%s", remote_url(), path);
	long status = 0;

	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, discard_body);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, 1000L);
	if (curl_easy_perform(curl) == CURLE_OK)
		curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_cleanup(curl);
	mem_free(url);
	return status == 200;
}

int ctl_ask(const struct command *cmd)
{
	struct ask_run a = {.as_json = ctl_flag(cmd, "json"),
			    .svg_dir = ctl_option(cmd, "svg", NULL)};
	const char *question = ctl_arg(cmd, 0);
	struct err e = {0};
	char *token;
	bool sent;

	if (!question)
		return ctl_usage_error(cmd, "give a question");
	if (ctl_arg(cmd, 1))
		return ctl_usage_error(cmd, "put the question in quotes");
	token = remote_token(cmd, "manager", &e);
	if (!token)
		return ctl_fail("%s", e.text);
	sent = send_question(&a, token, question, ctl_option(cmd, "session", NULL), &e);
	mem_free(token);
	if (!sent)
		return ctl_fail("%s", e.text);
	return a.failed ? 1 : 0;
}

int ctl_probe_verb(const struct command *cmd)
{
	const char *path = ctl_arg(cmd, 0);

	return ctl_probe(path ? path : "/readyz") ? 0 : 1;
}
