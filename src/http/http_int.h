/* What the client and one transfer share. Curl calls back from its own depths, where no handle may
 * be removed; `inside` counts those depths, and what was cancelled there waits in `dropped`. */
#ifndef VESPER_HTTP_INT_H
#define VESPER_HTTP_INT_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

#include "vesper/http.h"
#include "vesper/list.h"
#include "vesper/loop.h"

struct http {
	struct loop *loop;
	CURLM *multi;
	char *ca_file;       /* NULL: the system's */
	struct timer *timer; /* curl's own next deadline */
	struct list running;
	struct list dropped;
	int64_t count;
	int inside;
};

/* ---- limits.c: when a transfer has taken too long. Pure: moments of the loop's clock are given.
 * ---- */

struct limits {
	int64_t first_byte_ms, idle_ms, total_ms; /* each 0: no limit */
	uint64_t started_ms;
	uint64_t last_ms; /* of the last byte */
	bool got_byte;
	bool held; /* nobody reads now (curl was told so): silence is ours */
};

/* The nearest limit's name and moment; NULL when none is running. */
const char *limits_next(const struct limits *l, uint64_t *due_ms, int64_t *limit_ms);

#define HTTP_FIELD_BYTES 128

struct transfer {
	struct op op; /* first: what the starter holds */
	struct list node;
	struct http *http;
	CURL *easy;
	struct curl_slist *headers;
	char *body;
	struct http_handler handler;
	void *owner;

	struct http_response head;
	char content_type[HTTP_FIELD_BYTES];
	char request_id[HTTP_FIELD_BYTES];
	bool has_retry_ms; /* retry-after-ms goes before retry-after, whatever their order */
	bool head_given;
	bool streamed; /* an event stream: its length is its owner's business */
	int64_t received;

	struct timer *timer; /* the nearest of the limits below */
	int64_t connect_ms;  /* curl's own to keep */
	struct limits limits;

	struct later resume;
	bool paused; /* the owner wants no data */

	bool dropped;
	struct err end; /* why we ended it ourselves; ERR_NONE: curl knows */
	char curl_text[CURL_ERROR_SIZE];
};

/* Runs curl for one descriptor (or CURL_SOCKET_TIMEOUT), then finishes what ended meanwhile. */
void http_act(struct http *h, curl_socket_t fd, int mask);
/* Finishes what ended or was dropped while curl was on the stack. */
void http_settle(struct http *h);

/* Takes the transfer out of curl and frees it, without a word to its owner. */
void transfer_free(struct transfer *t);
/* As transfer_free, then tells the owner. */
void transfer_end(struct transfer *t, const struct err *e);
/* What curl's verdict means: true when the response came whole. */
bool transfer_verdict(const struct transfer *t, CURLcode code, struct err *e);

#endif
