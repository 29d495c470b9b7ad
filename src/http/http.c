/*
 * Runs curl's multi interface on the event loop: curl names the descriptors and the time that it
 * waits for, and the loop reports them. This file holds what all requests share; one request is in
 * transfer.c.
 */
#include "http_int.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/str.h"

static void on_fd(void *owner, int fd, int events)
{
	int mask = (events & FD_READ ? CURL_CSELECT_IN : 0) |
		   (events & FD_WRITE ? CURL_CSELECT_OUT : 0);

	http_process(owner, fd, mask);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *self, void *slot)
{
	struct http *h = self;
	struct fd_watch *w = slot;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		fd_watch_free(&w);
		curl_multi_assign(h->multi, fd, NULL);
		return 0;
	}
	if (!w) {
		w = fd_watch_new(h->loop, fd, on_fd, h);
		curl_multi_assign(h->multi, fd, w);
	}
	fd_watch_set(w,
		     (what & CURL_POLL_IN ? FD_READ : 0) | (what & CURL_POLL_OUT ? FD_WRITE : 0));
	return 0;
}

static int on_curl_timer(CURLM *multi, long after_ms, void *self)
{
	struct http *h = self;

	(void)multi;
	if (after_ms < 0)
		timer_stop(h->timer);
	else
		timer_start(h->timer, (uint64_t)after_ms);
	return 0;
}

/* The loop's clock lags by up to one iteration, so the timer may fire early by curl's clock. Curl
 * then does nothing and does not request the same time again, so the remaining time is queried
 * here. */
static void on_timer(void *owner)
{
	struct http *h = owner;
	long after_ms = -1;

	http_process(h, CURL_SOCKET_TIMEOUT, 0);
	curl_multi_timeout(h->multi, &after_ms);
	if (after_ms >= 0 && !timer_is_active(h->timer))
		timer_start(h->timer, (uint64_t)after_ms);
}

void http_process(struct http *h, curl_socket_t fd, int mask)
{
	int running;

	h->callback_depth++;
	curl_multi_socket_action(h->multi, fd, mask, &running);
	h->callback_depth--;
	http_settle(h);
}

void http_settle(struct http *h)
{
	CURLMsg *msg;
	int left;

	if (h->callback_depth)
		return;
	while (!list_empty(&h->dropped))
		transfer_free(list_item(h->dropped.next, struct transfer, node));
	while ((msg = curl_multi_info_read(h->multi, &left))) {
		struct transfer *t;
		struct err e = {0};

		assert(msg->msg == CURLMSG_DONE);
		curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &t);
		bool is_complete = transfer_result(t, msg->data.result, &e);
		transfer_end(t, is_complete ? NULL : &e);
	}
}

static void multi_setup(struct http *h)
{
	curl_multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
	curl_multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, on_curl_timer);
	curl_multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
	curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, (long)HTTP_IDLE_CONNECTIONS_MAX);
	curl_multi_setopt(h->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)HTTP_CONNECTIONS_MAX);
}

bool http_new(struct loop *l, struct http **out, struct err *e)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return err_set(e, ERR_INTERNAL, "curl could not be initialised");
	/* Debian's curl resolves names in its own threads. A curl without them would block the
	 * loop. */
	if (!(curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_ASYNCHDNS)) {
		curl_global_cleanup();
		return err_set(e, ERR_INTERNAL, "this curl resolves names in the calling thread");
	}
	struct http *h = mem_alloc(sizeof(*h));

	h->loop = l;
	list_init(&h->running);
	list_init(&h->dropped);
	h->timer = timer_new(l, on_timer, h);
	h->multi = curl_multi_init();
	assert(h->multi);
	multi_setup(h);
	*out = h;
	return true;
}

bool http_url_is_safe(const char *url)
{
	static const char *const safe_prefixes[] = {
		"https://", "http://127.0.0.1:", "http://localhost:", "http://[::1]:"};

	/* In "http://localhost:x@elsewhere", the part before @ is a user name. */
	if (memchr(url, '@', strcspn(url, "?#")))
		return false;
	for (size_t i = 0; i < sizeof(safe_prefixes) / sizeof(safe_prefixes[0]); i++)
		if (str_starts(str_of(url), str_of(safe_prefixes[i])))
			return true;
	return false;
}

bool http_is_event_stream(const char *content_type)
{
	static const char type[] = "text/event-stream";

	return strncasecmp(content_type, type, sizeof(type) - 1) == 0;
}

bool http_set_ca_file(struct http *h, const char *ca_file, struct err *e)
{
	if (access(ca_file, R_OK) != 0)
		return err_set(e, ERR_INPUT, "%s: %s", ca_file, strerror(errno));
	mem_free(h->ca_file);
	h->ca_file = mem_strdup(ca_file);
	return true;
}

void http_free(struct http **http)
{
	struct http *h = *http;

	if (!h)
		return;
	assert(!h->callback_depth);
	*http = NULL;
	while (!list_empty(&h->running))
		transfer_free(list_item(h->running.next, struct transfer, node));
	curl_multi_cleanup(h->multi);
	timer_free(&h->timer);
	mem_free(h->ca_file);
	mem_free(h);
	curl_global_cleanup();
}

int64_t http_running(const struct http *h)
{
	return h->count;
}
